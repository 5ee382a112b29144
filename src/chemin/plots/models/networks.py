"""How does the training of a network look? Loss and error against the epoch, on rows learnt from and held out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.ticker import PercentFormatter

from chemin.dictionaries.base import Floats
from chemin.plots import canvas
from chemin.plots.exploration.marks import legend_beside, set_whole

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_FAR = 20.0  # ratio of the largest to the smallest value from which on an axis is logarithmic


def draw_training(
    losses: tuple[Floats, Floats], errors: tuple[Floats, Floats], *, kept: int, error: str
) -> Figure:
    """Draw loss and error side by side, each on the rows learnt from and on those held out (NaN if there were none)."""
    figure, (left, right) = canvas.pyplot().subplots(1, 2, figsize=(9.0, 3.6), layout="constrained")
    _draw_curves(left, losses, kept)
    left.set_ylabel("loss")
    spread = np.concatenate(losses)
    if np.nanmin(spread) > 0.0 and np.nanmax(spread) > _FAR * np.nanmin(spread):
        left.set_yscale("log")
    _draw_curves(right, errors, kept)
    right.set_ylabel(error)
    right.set_ylim(bottom=0.0)
    if error == "wrong answers":
        right.yaxis.set_major_formatter(PercentFormatter(1.0))
    legend_beside(right)
    return figure


def _draw_curves(ax: Axes, values: tuple[Floats, Floats], kept: int) -> None:
    """Draw one quantity after each epoch, and a line at the epoch that was kept."""
    canvas.open_axes(ax)
    names = ("learnt from", "held out")
    for name, curve, colour in zip(names, values, (canvas.VERMILION, canvas.BLUE), strict=True):
        if not np.isnan(curve).all():
            ax.plot(np.arange(1, len(curve) + 1), curve, color=colour, lw=1.6, label=name)
    ax.axvline(kept, color=canvas.BLACK, lw=1.0, ls=(0, (1.5, 2)), label=f"kept: epoch {kept}")
    ax.set_xlabel("epoch")
    set_whole(ax.xaxis)
