"""What does the learning of a perceptron look like? Updates, sweep after sweep."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from chemin.dictionaries.base import Indices
from chemin.plots import canvas
from chemin.plots.exploration.marks import set_title, set_whole

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_DOTTED = 60  # sweeps that have a dot each


def draw_updates(updates: Indices, bound: float, *, ax: Axes | None = None) -> Axes:
    """Draw the updates of every sweep, and say their number and the most there can be."""
    ax = canvas.open_axes(ax)
    sweeps = np.arange(1, len(updates) + 1)
    few = len(sweeps) <= _DOTTED
    ax.plot(
        sweeps, updates, color=canvas.BLUE, lw=1.4, marker="o" if few else "", ms=4.5, clip_on=False
    )
    ax.set_ylim(0.0, 1.05 * max(int(updates.max()), 1))
    for axis in (ax.xaxis, ax.yaxis):
        set_whole(axis)
    ax.set_xlabel("sweep over all rows")
    ax.set_ylabel("updates")
    most = f"at most {bound:.4g}" if np.isfinite(bound) else "no bound is known"
    set_title(ax, f"updates: {int(updates.sum())}, {most}")
    return ax
