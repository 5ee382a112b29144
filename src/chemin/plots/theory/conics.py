"""How does a conic look? The line where a polynomial of degree two is zero, its axes, and perhaps points."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from chemin.dictionaries.base import Floats
from chemin.plots import canvas
from chemin.plots.exploration.marks import draw_members, legend_beside, set_title

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_PLACES = 400
_WIDEST = 1e6  # half axes that are longer say nothing of where to look


def draw_conic(
    quadric: Any, *, points: Any = None, labels: Any = None, ax: Axes | None = None
) -> Axes:
    """Draw where a quadric of two variables is zero, positive on tinted ground."""
    ax = canvas.open_axes(ax)
    low, high = _window(quadric, points)
    x, y = (np.linspace(low[i], high[i], _PLACES) for i in (0, 1))
    grid = np.stack(np.meshgrid(x, y), axis=2)
    values = quadric.value(grid.reshape(-1, 2)).reshape(_PLACES, _PLACES)
    if values.max() > 0.0:
        ax.contourf(x, y, values, [0.0, np.inf], colors=["#EEF3F8"], zorder=0)
    if values.min() < 0.0 < values.max():
        ax.contour(x, y, values, [0.0], colors=canvas.BLACK, linewidths=1.6)
    if quadric.centre is not None:
        ax.plot(*quadric.centre, "+", color=canvas.VERMILION, ms=9, label="centre")
        for direction in quadric.axes.T:
            ax.axline(
                quadric.centre, quadric.centre + direction, color=canvas.GREY, lw=0.9, zorder=0
            )
    if points is not None:
        codes = (
            np.unique(labels, return_inverse=True)[1]
            if labels is not None
            else np.zeros(len(points), int)
        )
        draw_members(ax, np.asarray(points, dtype=float), codes)
    ax.set_xlim(low[0], high[0])
    ax.set_ylim(low[1], high[1])
    ax.set_aspect("equal")
    ax.set_xlabel("x₁")
    ax.set_ylabel("x₂")
    set_title(ax, f"{quadric.name}: {quadric.reduced}")
    legend_beside(ax)
    return ax


def _window(quadric: Any, points: Any) -> tuple[Floats, Floats]:
    """Return the corners of what is looked at: the points, or what is around the centre."""
    if points is not None:
        made = np.asarray(points, dtype=float)
        edge = 0.1 * np.maximum(np.ptp(made, axis=0), 1e-12)
        return made.min(axis=0) - edge, made.max(axis=0) + edge
    middle = np.zeros(2) if quadric.centre is None else quadric.centre
    lengths = quadric.half_axes
    seen = lengths[(lengths > 0.0) & (lengths < _WIDEST)]
    reach = 2.0 * float(seen.max(initial=0.0)) or 3.0 * (1.0 + float(np.abs(middle).max()))
    return middle - reach, middle + reach
