"""For which l2 is s = ‖b‖₁ a parameter of the path? Two Gaussian classes in 100 variables.

Where s stands still while l1 moves, dual values jump against s; against l1 they never do.

Reference: section 2.3.7.
"""

from __future__ import annotations

from pathlib import Path as FilePath

import numpy as np

from chemin.datasets import gaussian_pair
from chemin.engine.entry import svm_path
from chemin.engine.result import Path
from chemin.experiments.pictures import draw_paths
from chemin.experiments.record import Row, Say, verdict_of
from chemin.plots.lines import plateaus

_FIGURE = "gaussian.png"
_PART = 20.0  # the l1 down to which paths are drawn: further on, lines are too many to tell apart
_SETUP = (
    "50 + 50 points, 100 variables of variance 1, the first 50 with means 1 and 0; {seeds} draws, seeds from 0; "
    "λ₂ = {l2:g}."
)


def gaussian(folder: FilePath, seeds: int, say: Say) -> list[Row]:
    """Count the plateaus of s for a large and a small l2."""
    draws = [gaussian_pair(random_state=seed) for seed in range(seeds)]
    say(f"Two Gaussian classes: {2 * seeds} paths")
    high, low = ([svm_path(X, y, l2=l2) for X, y in draws] for l2 in (10.0, 0.2))
    part = [svm_path(*draws[0], l2=l2, min_l1=_PART) for l2 in (10.0, 0.2)]
    title = f"Two Gaussian classes, 50 + 50 points, 100 variables: the path down to λ₁ = {_PART:g}"
    draw_paths(part, title, folder / _FIGURE, highlight=(3, 60))
    return [_monotone(high, seeds), _pinned(low, seeds)]


def _monotone(paths: list[Path], seeds: int) -> Row:
    counts = np.array([len(plateaus(path)) for path in paths])
    share = np.array([_share(path) for path in paths])
    last = [path.l1[plateaus(path)[-1] + 1] / path.l1[0] for path in paths if len(plateaus(path))]
    seen = f"{np.median(counts):g} plateaus (median; {counts.min()} to {counts.max()})"
    seen += f" over {share.mean():.0%} of the range of λ₁"
    if last:
        seen += f"; below {np.median(last):.0%} of the largest λ₁ (median) there is none and s is strictly monotone"
    return Row(
        name="Gaussian, λ₂ = 10",
        section="2.3.7.2",
        setup=_SETUP.format(seeds=seeds, l2=10.0),
        said="|V| > |E| all along: s is a strictly decreasing function of λ₁ (a part of the path is drawn).",
        seen=seen + ".",
        verdict=verdict_of(counts.max() == 0),
        why="Near the start few variables are active, so |E| = |V| + 1 is met now and then, briefly; once dozens "
        "are active it is "
        "not met any more. The thesis draws a part of one path only. The larger λ₂, the fewer plateaus.",
        figures=(_FIGURE,),
        values={"plateaus": counts.tolist(), "share": share.tolist()},
    )


def _pinned(paths: list[Path], seeds: int) -> Row:
    counts = np.array([len(plateaus(path)) for path in paths])
    jumps = np.array([_largest_jump(path) for path in paths])
    share = np.array([_share(path) for path in paths])
    moves = all(bool(np.all(np.diff(path.l1) < 0.0)) for path in paths)
    return Row(
        name="Gaussian, λ₂ = 0.2",
        section="2.3.7.3",
        setup=_SETUP.format(seeds=seeds, l2=0.2),
        said="Plateaus of s: against s the dual values jump, against λ₁ they are continuous.",
        seen=f"{np.median(counts):g} plateaus (median; {counts.min()} to {counts.max()}) over {share.mean():.0%} "
        "of the range "
        f"of λ₁; on them a dual value moves by up to {jumps.max():.2f} at one s. Against λ₁, which moves on "
        "every segment, "
        "dual values are affine between breakpoints.",
        verdict=verdict_of(bool(moves and counts.min() > 0 and jumps.min() > 0.0)),
        why="A small λ₂ brings points to E before variables to V, so |E| = |V| + 1 is met over and over.",
        figures=(_FIGURE,),
        values={
            "plateaus": counts.tolist(),
            "share": share.tolist(),
            "largest_jump": jumps.tolist(),
        },
    )


def _share(path: Path) -> float:
    """Return the part of the range of l1 that plateaus take."""
    flat = plateaus(path)
    return float(np.sum(path.l1[flat] - path.l1[flat + 1]) / path.l1[0])


def _largest_jump(path: Path) -> float:
    """Return how much a dual value moves at most while s stands still: 0 if α is a function of s."""
    flat, dual = plateaus(path), path.dual.toarray()
    return float(np.abs(dual[flat + 1] - dual[flat]).max(initial=0.0))
