"""Which labellings of points of a plane does a line make? All of them, small, one beside the other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from chemin.dictionaries.base import Floats
from chemin.exceptions import InvalidInputError
from chemin.plots import canvas
from chemin.plots.exploration.marks import set_title

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MOST = 64  # labellings that a picture has room for


def draw_labellings(
    points: Floats, labellings: Floats, separable: Any, *, ax: Axes | None = None
) -> Axes:
    """Draw every labelling of points of two variables in a cell, on red ground where no line makes it."""
    n, d = points.shape
    if d != 2 or len(labellings) > _MOST:
        raise InvalidInputError(
            f"{n} points of {d} variables are not drawn: pass up to 6 points of two variables"
        )
    ax = canvas.open_axes(ax)
    wide = int(np.ceil(np.sqrt(2.0 * len(labellings))))
    low, span = points.min(axis=0), np.maximum(np.ptp(points, axis=0), 1e-12)
    inside = 0.2 + 0.6 * (points - low) / span
    for number, (labels, made) in enumerate(zip(labellings, separable, strict=True)):
        corner = np.array([number % wide, -(number // wide)], dtype=float)
        ground = "0.95" if made else "#F6C7B0"
        ax.add_patch(canvas.pyplot().Rectangle(corner + 0.03, 0.94, 0.94, color=ground, lw=0))
        for sign, colour, mark in ((1.0, canvas.BLUE, "o"), (-1.0, canvas.VERMILION, "s")):
            at = corner + inside[labels == sign]
            ax.plot(at[:, 0], at[:, 1], mark, color=colour, ms=5)
    ax.set_xlim(0.0, wide)
    ax.set_ylim(-((len(labellings) - 1) // wide), 1.0)
    ax.set_aspect("equal")
    ax.set_axis_off()
    set_title(ax, f"a line makes {int(np.sum(separable))} of {len(labellings)} labellings")
    return ax
