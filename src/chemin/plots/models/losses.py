"""What does a score cost? Losses against the margin, and what every plane costs by every loss."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from chemin.dictionaries.base import Floats
from chemin.plots import canvas
from chemin.plots.exploration.marks import legend_beside, set_title

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_HIGHEST = 4.0
_DARK = 0.6  # share of the scale from which on a cell needs white letters
_WORST = 10.0  # times the least of a column, where the scale of colours ends


def draw_losses(margins: Floats, curves: Mapping[str, Floats], *, ax: Axes | None = None) -> Axes:
    """Draw losses against the margin, and the error, 1 up to margin 0, as a step."""
    ax = canvas.open_axes(ax)
    first, last = float(margins[0]), float(margins[-1])
    ax.plot([first, 0.0], [1.0, 1.0], color=canvas.GREY, lw=4.5, zorder=1, label="error")
    ax.plot([0.0, last], [0.0, 0.0], color=canvas.GREY, lw=4.5, zorder=1)
    ax.plot(0.0, 1.0, "o", color=canvas.GREY, ms=8, zorder=1)
    ax.plot(0.0, 0.0, "o", color=canvas.GREY, mfc="white", ms=8, zorder=1)
    for rank, (name, values) in enumerate(curves.items()):
        ax.plot(margins, values, lw=1.7, zorder=2, label=name, **canvas.style(rank))
    ax.set_xlim(first, last)
    ax.set_ylim(-0.1, _HIGHEST)
    ax.set_xlabel("margin, y f(x)")
    ax.set_ylabel("loss")
    legend_beside(ax)
    return ax


def draw_costs(
    names: Sequence[str],
    means: Floats,
    shares: Mapping[str, Floats],
    *,
    title: str = "",
    ax: Axes | None = None,
) -> Axes:
    """Draw a table: a row per plane, a column per loss, then columns of shares; darker the further from the least."""
    values = np.column_stack([means, *shares.values()])
    if ax is None:
        size = (2.4 + 1.05 * values.shape[1], 1.9 + 0.5 * len(names))
        ax = canvas.pyplot().subplots(figsize=size, layout="constrained")[1]
    least = values.min(axis=0)
    floor = np.where(least > 0.0, least, np.finfo(float).tiny)
    away = np.clip(np.log10(np.maximum(values, floor) / floor) / np.log10(_WORST), 0.0, 1.0)
    ax.imshow(away, cmap="Blues", vmin=0.0, vmax=1.25, aspect="auto")
    for i, j in np.ndindex(*values.shape):
        told = f"{values[i, j]:.3g}" if j < len(names) else f"{values[i, j]:.2%}"
        weight = "bold" if values[i, j] == least[j] else "normal"
        colour = "white" if away[i, j] > _DARK else "0.15"
        ax.text(j, i, told, ha="center", va="center", color=colour, size="small", fontweight=weight)
    ax.axvline(len(names) - 0.5, color="white", lw=6.0)
    labels = [*names, *(name.replace(" ", "\n") for name in shares)]
    ax.set_xticks(range(len(labels)), labels, size="small")
    ax.set_yticks(range(len(names)), names)
    ax.tick_params(length=0, top=False)
    ax.spines[:].set_visible(False)
    ax.set_xlabel("mean by this loss (bold: the least of a column)")
    ax.set_ylabel("plane of")
    set_title(ax, title)
    return ax
