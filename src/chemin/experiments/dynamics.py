"""Between which values does l2 matter to the order of events? The sizes of the four sets along the path.

With balanced classes and a large l2, all points stay left of the margin (α = 1) and b_j = sign(c_j) (|c_j| − l1)₊ / l2
with c = Σ_i y_i x_i: only variables enter, in the order of |c_j|, down to l1 = 0. Put g_i(l1) = l2 (x_i · b). A common
intercept keeps all residuals ≥ 0 as long as max₊ g − min₋ g ≤ 2 l2, and that difference is convex in l1 between two
|c_j|. Hence

    l2max = ½ max over l1 ∈ {|c_j|, 0} of (max₊ g(l1) − min₋ g(l1)).

Reference: section 3.5.1.2, which takes b0 = 0: max_i y_i g_i(0), an upper bound of the above if reached at l1 = 0.
"""

from __future__ import annotations

from pathlib import Path as FilePath
from typing import Any

import numpy as np

from chemin.datasets import TOYDATA1, toydata1
from chemin.datasets.generators import Labels
from chemin.dictionaries import KernelDictionary
from chemin.dictionaries.base import Floats
from chemin.engine.entry import svm_path
from chemin.engine.result import Path
from chemin.experiments.pictures import entitle, panels, write
from chemin.experiments.plane import kernels_of
from chemin.experiments.record import FRESH, Row, Say, verdict_of
from chemin.plots import canvas

_FIGURE = "dynamics.png"
_TINY = 1e-20
_SETS = (
    ("right", "R", canvas.BLUE),
    ("elbow", "E", canvas.GREEN),
    ("left", "L", canvas.VERMILION),
    ("active", "V", canvas.BLACK),
)
_SETUP = "Toydata 1, {seeds} draws of 100 + 100 points, 3 kernels: 600 columns."


def largest_l2(columns: Floats, y: Labels) -> tuple[float, float]:
    """Return l2max, above which the order of events is that of |c_j|, and its value for b0 = 0.

    Examples
    --------
    >>> largest_l2(np.array([[-2.0], [-1.0], [1.0], [2.0]]), np.array([-1, -1, 1, 1]))
    (12.0, 12.0)
    """
    c = y @ columns
    widest = 0.0
    for l1 in np.append(np.unique(np.abs(c)), 0.0):
        g = columns @ (np.sign(c) * np.maximum(np.abs(c) - l1, 0.0))
        widest = max(widest, float(g[y > 0].max() - g[y < 0].min()))
    return 0.5 * widest, float(np.max(y * (columns @ c)))


def dynamics(folder: FilePath, seeds: int, say: Say) -> list[Row]:
    """Compare the events for l2 below, between and above the two limits."""
    say(f"Path dynamics: {8 * seeds} paths")
    found = [_limits(seed) for seed in range(FRESH, FRESH + seeds)]
    X, y = toydata1(random_state=FRESH)
    columns = KernelDictionary(X, X, kernels_of(TOYDATA1))
    most = found[0]["l2max"]
    _draw([svm_path(columns, y, l2=l2) for l2 in (_TINY, 1.0, most)], folder / _FIGURE)
    return [_small(found), _large(found)]


def _limits(seed: int) -> dict[str, Any]:
    """Return where the two limits are for one draw, and whether the order of events is the same beyond them."""
    X, y = toydata1(random_state=seed)
    columns = KernelDictionary(X, X, kernels_of(TOYDATA1))
    l2max, without_b0 = largest_l2(columns.columns(np.arange(columns.shape[1])), y)
    least, lasso = svm_path(columns, y, l2=_TINY), svm_path(columns, y, l2=0.0)
    above = [
        events_of(svm_path(columns, y, l2=scale * l2max)) for scale in (1.0 + 1e-9, 10.0, 1000.0)
    ]
    l1 = np.geomspace(0.99 * lasso.l1[0], 1e-3 * lasso.l1[0], 50)
    apart = np.abs(least.coef_at(l1) - lasso.coef_at(l1)).max() / np.abs(lasso.coef_at(l1)).max()
    same = [k for k in range(-20, -4) if _begins_alike(svm_path(columns, y, l2=10.0**k), lasso)]
    return {
        "l2max": l2max,
        "l2max_without_b0": without_b0,
        "same_above": above[0] == above[1] == above[2],
        "same_just_below": events_of(svm_path(columns, y, l2=0.99 * l2max)) == above[1],
        "same_as_lasso": _begins_alike(least, lasso),
        "apart": float(apart),
        "decade": max(same, default=-20),
    }


def events_of(path: Path) -> list[tuple[str, int]]:
    """Return what happened along a path, in order: the kind of each event and to whom."""
    return list(zip(path.events["kind"].tolist(), path.events["index"].tolist(), strict=True))


def _begins_alike(path: Path, lasso: Path) -> bool:
    """Say whether a path has all events of the L1 path, before it goes on below what that can tell."""
    until = events_of(lasso)[:-1]
    return events_of(path)[: len(until)] == until


def _small(found: list[dict[str, Any]]) -> Row:
    same, decades = sum(one["same_as_lasso"] for one in found), [one["decade"] for one in found]
    apart = max(one["apart"] for one in found)
    return Row(
        name="Path dynamics, small λ₂",
        section="3.5.1.2",
        setup=_SETUP.format(seeds=len(found))
        + " λ₂ = 0 beside 1e-20 and every power of ten up to 1e-5.",
        said="Below some λ₂min ≈ 0 the cardinals and the coefficients are those of the L1 path.",
        seen=f"λ₂ = 1e-20 has the events of λ₂ = 0, one by one, in {same} of {len(found)} draws, and goes on far "
        "below the last of them, until all columns are active; down to a thousandth of the first λ₁ coefficients "
        "differ by "
        f"{apart:.0e} of the largest. The same order holds up to λ₂ = 1e{min(decades)} to 1e{max(decades)}.",
        verdict=verdict_of(same == len(found) and apart < 1e-6),
        why="Steps that need a residual or a coefficient to reach zero shrink with λ₂; below λ₂min they are "
        "shorter than all "
        "others. Where λ₂min lies depends on the data and on the last, smallest λ₁.",
        figures=(_FIGURE,),
        values={"draws": found},
    )


def _large(found: list[dict[str, Any]]) -> Row:
    same, below = (sum(one[name] for one in found) for name in ("same_above", "same_just_below"))
    ratio = np.mean([one["l2max_without_b0"] / one["l2max"] for one in found])
    most = np.array([one["l2max"] for one in found])
    return Row(
        name="Path dynamics, large λ₂",
        section="3.5.1.2",
        setup=_SETUP.format(seeds=len(found)) + " λ₂ = 0.99, 1, 10 and 1000 times λ₂max.",
        said="Above λ₂max, which has a closed form for balanced classes, the events no longer depend on λ₂: all "
        "variables "
        "enter before any point moves.",
        seen=f"The same events at 1, 10 and 1000 times λ₂max in {same} of {len(found)} draws, others at 0.99 "
        "times it in "
        f"{len(found) - below}. λ₂max = {most.mean():.0f} on average.",
        verdict=verdict_of(same == len(found) and below == 0),
        why="The intercept is free while all points are left of the margin, and keeps them there longer than b0 "
        "= 0 does: "
        f"the closed form with a free intercept is exact, the one of the thesis, with b0 = 0, is {ratio:.1f} "
        "times larger.",
        figures=(_FIGURE,),
        values={"draws": found},
    )


def _draw(paths: list[Path], file: FilePath) -> None:
    figure, axes = panels(1, 3, (4.4, 3.4))
    names = ("1e-20", "1", "λ₂max")
    for ax, path, name in zip(axes[0], paths, names, strict=True):
        canvas.open_axes(ax)
        step = np.arange(len(path.events))
        for field, _, colour in _SETS:
            ax.plot(step, path.events[field], color=colour, lw=1.2)
        ax.set_xlim(0, len(step) - 1)
        ax.set_ylim(0, None)
        entitle(ax, f"λ₂ = {name}")
        ax.set_xlabel("event")
        ax.set_ylabel("size of the set")
        ends = np.array([float(path.events[field][-1]) for field, _, _ in _SETS])
        canvas.label_ends(
            ax, ends, [label for _, label, _ in _SETS], [colour for _, _, colour in _SETS]
        )
    write(
        figure,
        "Toydata 1: points right (R), on the elbow (E) and left (L), and active couples (V)",
        file,
    )
