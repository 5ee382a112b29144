"""Why follow l1 and not s = ‖b‖₁? Ten separated points on a line, where the path in s has to stop.

When |E| = |V| + 1, the elbow points determine b0 and b. Then s cannot move; the dual values, and with them l1, can.

Reference: section 2.2.5.4.
"""

from __future__ import annotations

from pathlib import Path as FilePath

import numpy as np

from chemin.datasets import separated_line
from chemin.engine.entry import svm_path
from chemin.experiments.pictures import draw_paths
from chemin.experiments.record import Row, Say, verdict_of
from chemin.plots.lines import plateaus

_FIGURE = "pinned.png"


def pinned(folder: FilePath, seeds: int, say: Say) -> list[Row]:
    """Follow the path of ten points on a line, past the place where the path in s stops."""
    path = svm_path(*separated_line(), l2=1.0)
    flat, events = plateaus(path), path.events
    first = int(flat[0])
    # The sets on a segment are those after the last event at its upper end.
    sets = events[np.searchsorted(events.breakpoint, first, side="right") - 1]
    moved = float(
        np.abs(path.dual_at(float(path.l1[first])) - path.dual_at(float(path.l1[first + 1]))).max()
    )
    title = "Ten separated points on a line; a line of α stands for two points, one of each class"
    draw_paths([path], title, folder / _FIGURE)
    gap = path.certificate(midpoints=True).worst_gap
    stops = (
        sets.elbow == 2 and sets.active == 1 and path.l1[-1] == 0.0 and moved > 0.0 and gap < 1e-9
    )
    row = Row(
        name="1-D, pinned",
        section="2.2.5.4",
        setup="5 + 5 separated points on a line, positions chosen here; one variable; λ₂ = 1.",
        said="Two points in E determine the model: the path in s stops there. The path in λ₁ can go on.",
        seen=f"s stops at {path.norm1[first]:.3f}, λ₁ = {path.l1[first]:.2f}, with |E| = {sets.elbow}, |V| = "
        f"{sets.active}; "
        f"a dual value moves by {moved:.2f} meanwhile. The path in λ₁ passes {len(flat)} such plateaus and ends at "
        f"λ₁ = {path.l1[-1]:g}; worst gap {gap:.0e}.",
        verdict=verdict_of(bool(stops)),
        why="On a plateau the dual values still move with λ₁, until one of them reaches a bound and frees the model.",
        figures=(_FIGURE,),
        values={
            "plateaus": len(flat),
            "first_l1": float(path.l1[first]),
            "last_l1": float(path.l1[-1]),
            "gap": gap,
        },
    )
    return [row]
