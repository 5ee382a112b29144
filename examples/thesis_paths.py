"""Why follow l1 and not s = ‖b‖₁? The two experiments that decided it.

Ten separated points on a line: two points of the elbow determine the model, s stops, l1 goes on to 0. Two Gaussian
classes in 100 variables: the smaller l2, the more often the solution is pinned by its elbow; α then jumps against s,
while against l1 it never does. With l2 = 0.2 that is most of the way, with l2 = 10 rarely, with l2 = 30 never.

Run it with ``python examples/thesis_paths.py --out demo``.

Reference: A. Lachaud, *Discrimination robuste par méthode à noyaux*, INSA Rouen, 2015, sections 2.2.5.4 and 2.3.7.
"""

from __future__ import annotations

import argparse
import pathlib

import numpy as np
from matplotlib import pyplot as plt

import chemin
from chemin.datasets import gaussian_pair, separated_line
from chemin.plots import plot_dual, plot_norm1
from chemin.plots.lines import plateaus

PART = 20.0  # the l1 down to which the Gaussian paths are drawn: further on, lines are too many to tell apart


def largest_jump(path: chemin.Path) -> float:
    """Return how much a dual value moves at most while s = ‖b‖₁ stands still: 0 if α is a function of s."""
    flat, dual = plateaus(path), path.dual.toarray()
    return float(np.abs(dual[flat + 1] - dual[flat]).max(initial=0.0))


def tell(path: chemin.Path) -> str:
    """Check a path, and return what is to be seen on it."""
    flat, events = plateaus(path), path.events
    last = np.searchsorted(events.breakpoint, np.arange(len(path.l1)), side="right") - 1
    pinned = np.flatnonzero(events.elbow[last] == events.active[last] + 1)
    assert set(flat) == set(pinned[pinned < len(path.l1) - 1]), "plateaus are where |E| = |V| + 1, and nowhere else"
    assert np.all(np.diff(path.l1) < 0.0), "l1 always moves: α, affine between breakpoints, is continuous in it"
    share = np.sum(path.l1[flat] - path.l1[flat + 1]) / path.l1[0]
    return (
        f"l2 = {path.l2:<4g} {len(path.l1):4d} breakpoints, {len(flat):3d} plateaus of s over {share:6.1%} of l1; "
        f"α jumps by {largest_jump(path):.2f} against s; gap {path.certificate().worst_gap:.0e}"
    )


def draw(paths: list[chemin.Path], title: str, file: pathlib.Path, highlight: tuple[int, ...] = ()) -> None:
    """Draw one row per path: s against l1, α against s, α against l1."""
    plt.rcParams.update({"font.size": 9.0, "axes.titlesize": 10.0, "axes.titlelocation": "left"})
    size = (12.0, 0.6 + 3.1 * len(paths))
    figure, panels = plt.subplots(len(paths), 3, figsize=size, layout="constrained", squeeze=False)
    figure.get_layout_engine().set(w_pad=0.1, h_pad=0.1)
    for row, path in zip(panels, paths, strict=True):
        plot_norm1(path, row[0]).set_title(f"λ₂ = {path.l2:g}: s = ‖b‖₁ against λ₁")
        plot_dual(path, row[1], against="norm1", highlight=highlight).set_title("α against s = ‖b‖₁")
        plot_dual(path, row[2], highlight=highlight).set_title("α against λ₁")
        row[1].get_legend().remove()  # the same as on its right
    figure.suptitle(title, fontsize=11.0)
    figure.savefig(file, dpi=140)


def main(out: pathlib.Path) -> None:
    """Run both experiments, print what was checked, draw one figure each."""
    out.mkdir(parents=True, exist_ok=True)
    line = chemin.svm_path(*separated_line(), l2=1.0)
    first, last = plateaus(line)[[0, -1]]
    print("Ten points on a line\n  " + tell(line))
    print(f"  a path in s stops at its first plateau: s = {line.norm1[first]:.3f}, l1 = {line.l1[first]:.2f}")
    print(
        f"  this one reaches its last plateau, s = {line.norm1[last]:.3f}, at l1 = {line.l1[last]:.3f}, then l1 = 0\n"
    )
    draw([line], "Ten separated points on a line", out / "thesis_line.png")

    print("Two Gaussian classes, 50 + 50 points, 100 variables")
    X, y = gaussian_pair()
    for l2 in (30.0, 10.0, 0.2):
        print("  " + tell(chemin.svm_path(X, y, l2=l2)))
    part = [chemin.svm_path(X, y, l2=l2, min_l1=PART) for l2 in (10.0, 0.2)]
    title = f"Two Gaussian classes, 50 + 50 points, 100 variables: the path down to λ₁ = {PART:g}"
    draw(part, title, out / "thesis_gaussian.png", highlight=(3, 60))
    print(f"\nDrawn in {out / 'thesis_line.png'} and {out / 'thesis_gaussian.png'}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("demo"), help="folder of the figures")
    main(parser.parse_args().out)
