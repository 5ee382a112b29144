"""Why l2 beside l1? Groups of correlated variables, where there are more variables than points.

python benchmarks/groups.py [--draws 20] [--points 100] [--out DIR] [--picture FILE]

The data of Wang, Zhu and Zou (2006): two classes of normal points, 300 variables of variance 1, whose means differ
in five, by +1 and −1. These five are correlated, by 0.8 each or by 0.8 to the power of their distance; the others are
noise. l1, and l2 where it is chosen, are those that err least on as many points more; errors are on 5000 new points.
"""

from __future__ import annotations

import one_thread  # isort: skip  # before numpy is loaded

import argparse
import time
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import norm
from tables_data import Table

import chemin

P = 300
GROUP = 5
NEW = 5000
RIDGES = (0.1, 1.0, 10.0, 100.0)
LEAST = 0.02  # of the first l1
CANDIDATES = 60


class Draw(NamedTuple):
    """Points to learn from, to choose with and to test on, with labels 0 and 1."""

    learning: tuple[np.ndarray, np.ndarray]
    choosing: tuple[np.ndarray, np.ndarray]
    testing: tuple[np.ndarray, np.ndarray]


def covariance(kind: str) -> np.ndarray:
    """Return the covariance of the group."""
    apart = np.abs(np.subtract.outer(np.arange(GROUP), np.arange(GROUP)))
    return 0.8 ** (apart if kind == "chain" else np.minimum(apart, 1))


def least_error(kind: str) -> float:
    """Return the Bayes risk."""
    mean = np.ones(GROUP)
    return float(norm.cdf(-np.sqrt(mean @ np.linalg.solve(covariance(kind), mean))))


def drawn(kind: str, seed: int, points: int) -> Draw:
    """Draw from the two classes, which are equally large."""
    rng = np.random.default_rng(seed)
    root = np.linalg.cholesky(covariance(kind))

    def some(count: int) -> tuple[np.ndarray, np.ndarray]:
        y = np.arange(count) % 2
        X = rng.standard_normal((count, P))
        X[:, :GROUP] = X[:, :GROUP] @ root.T + (2.0 * y - 1.0)[:, None]
        return X, y

    return Draw(some(points), some(points), some(NEW))


def wrong(coef: np.ndarray, intercept: Any, points: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
    """Return the error rates of rows of coefficients."""
    decision = points[0] @ coef.T + intercept
    return np.asarray(((decision > 0.0) != points[1][:, None]).mean(axis=0))


def figures_of(draw: Draw, ridges: tuple[float, ...]) -> dict[str, float]:
    """Choose l1 and one of some l2, and tell what was selected."""
    best: dict[str, float] = {}
    for l2 in ridges:
        path = chemin.svm_path(*draw.learning, l2=l2)
        l1 = path.l1[0] * np.geomspace(1.0, LEAST, CANDIDATES)
        coef, intercept = path.coef_at(l1), path.intercept_at(l1)
        rates = wrong(coef, intercept, draw.choosing)
        k = int(rates.argmin())
        if best and best["chosen"] <= rates[k]:
            continue
        chosen = coef[k] != 0.0
        best = {
            "chosen": float(rates[k]),
            "group": float(chosen[:GROUP].sum()),
            "noise": float(chosen[GROUP:].sum()),
            "error": float(wrong(coef[[k]], intercept[[k]], draw.testing)[0]),
            "most": float(np.diff(path.coef.indptr).max()),
            "gap": path.certificate().worst_gap,
            "l2": l2,
        }
    return best


def make(draws: int, points: int) -> Table:
    """Return the mean of all figures over the draws."""
    start = time.process_time()
    ways = {"0": (0.0,), **{f"{l2:g}": (l2,) for l2 in RIDGES}, "chosen": RIDGES}
    rows = []
    for kind in ("equal", "chain"):
        some = [drawn(kind, seed, points) for seed in range(draws)]
        for name, ridges in ways.items():
            found = [figures_of(draw, ridges) for draw in some]
            mean = {key: np.mean([one[key] for one in found]) for key in found[0]}
            rows.append({
                "correlation": {"equal": "0.8", "chain": "0.8 to the power of the distance"}[kind],
                "λ₂": name,
                f"of the {GROUP}": f"{mean['group']:.2f}",
                f"of the {P - GROUP} others": f"{mean['noise']:.1f}",
                "error": f"{100 * mean['error']:.1f} ± {100 * np.std([one['error'] for one in found]):.1f} %",
                "least possible": f"{100 * least_error(kind):.1f} %",
                "most on the path": f"{max(one['most'] for one in found):.0f}",
                "worst gap": f"{max(one['gap'] for one in found):.0e}",
            })  # fmt: skip
    note = (
        f"Mean of {draws} draws of {points} points and {P} variables, {GROUP} of which count and are correlated. λ₁ is "
        f"that of the least error on {points} points more, and so is λ₂ where it is chosen. *Most on the path*: "
        "variables that are active at any λ₁ > 0, in any draw."
    )
    return Table("groups", note, rows, f"Made in {time.process_time() - start:.1f} s of CPU.")


def draw_picture(points: int, file: Path) -> None:
    """Draw the paths of the group's variables, and how many variables are active."""
    import matplotlib.pyplot as plt

    learning = drawn("equal", 0, points).learning
    _, axes = plt.subplots(1, 3, figsize=(13.5, 4.2), layout="constrained")
    paths = {l2: chemin.svm_path(*learning, l2=l2) for l2 in (0.0, 10.0, 100.0)}
    for ax, l2 in zip(axes, (0.0, 100.0), strict=False):
        path = paths[l2]
        share = path.l1 / path.l1[0]
        coef = path.coef.toarray()
        ax.plot(share, coef[:, GROUP:], color="0.75", lw=0.5)
        ax.plot(share, coef[:, :GROUP], color="#0072B2", lw=1.8)
        ax.plot([], [], color="#0072B2", lw=1.8, label="the five that count")
        ax.plot([], [], color="0.75", label="noise")
        ax.set_title(f"λ₂ = {l2:g}: coefficients")
        ax.set_xlim(1.0, 0.02)
        inside = share >= 0.02
        reach = 1.1 * np.abs(coef[inside]).max()
        ax.set_ylim(-0.6 * reach, reach)
    axes[0].legend(loc="upper left", frameon=False)
    for (l2, path), colour in zip(paths.items(), ("#D55E00", "#009E73", "#0072B2"), strict=True):
        active = np.diff(path.coef.indptr)
        axes[2].plot(path.l1 / path.l1[0], active, color=colour, label=f"λ₂ = {l2:g}")
    axes[2].axhline(points, color="0.5", lw=0.8, ls="--")
    axes[2].text(0.9, points + 4, f"{points} points", color="0.4")
    axes[2].set_xscale("log")
    axes[2].set_xlim(1.0, 1e-3)
    axes[2].set_title("active variables")
    axes[2].legend(loc="upper left", frameon=False)
    for ax in axes:
        ax.set_xlabel("λ₁ / first λ₁")
        ax.spines[["top", "right"]].set_visible(False)
    plt.savefig(file, dpi=80)


def main() -> None:
    """Make, print and save what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=20)
    parser.add_argument("--points", type=int, default=100)
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "results")
    parser.add_argument("--picture", type=Path)
    given = parser.parse_args()
    if given.picture:
        draw_picture(given.points, given.picture)
    if given.draws:
        table = make(given.draws, given.points)
        table.save(given.out, {"threads": one_thread.THREADS})
        print(table.markdown(), flush=True)


if __name__ == "__main__":
    main()
