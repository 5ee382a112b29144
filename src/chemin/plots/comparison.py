"""Which models are better than which? Errors with their intervals, in the colours of their groups."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from chemin.dictionaries.base import Floats
from chemin.plots import canvas

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_ROW = 0.27  # inches


def draw_comparison(
    names: Sequence[str],
    intervals: Floats,
    groups: Sequence[int],
    recommended: str | None,
    chance: str,
    *,
    measure: str,
    ax: Axes | None = None,
) -> Axes:
    """Draw an interval for each model, the best on top; ``intervals`` are low, value and high."""
    if ax is None:
        size = (8.0, 1.2 + _ROW * len(names))
        ax = canvas.pyplot().subplots(figsize=size, layout="constrained")[1]
    ax = canvas.open_axes(ax)
    places = np.arange(len(names))
    for place, (low, value, high), group in zip(places, intervals, groups, strict=True):
        colour = canvas.PALETTE[group % len(canvas.PALETTE)]
        ax.plot([low, high], [place, place], color=colour, lw=1.6, solid_capstyle="butt")
        ax.plot([value], [place], "o", color=colour, ms=5.0)
    if chance in names:
        known = float(intervals[list(names).index(chance), 1])
        ax.axvline(known, color=canvas.GREY, lw=1.0, ls=(0, (4, 3)), zorder=0)
        ax.annotate(
            "no input", (known, 1.0), (0.0, 2.0), xycoords=("data", "axes fraction"), ha="center",
            textcoords="offset points", size="x-small", color="0.4",
        )  # fmt: skip
    ax.set_yticks(places, names)
    for label in ax.get_yticklabels():
        if label.get_text() == recommended:
            label.set_fontweight("bold")
    ax.invert_yaxis()
    ax.set_xlabel(f"{measure} on test rows   (bold: recommended; colours: groups)")
    return ax
