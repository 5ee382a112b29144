"""How did a sum of weak learners grow, as a picture? Losses by round, and the bound on the error of a vote."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from chemin.dictionaries.base import Floats
from chemin.plots import canvas
from chemin.plots.exploration.marks import legend_beside, plain, set_whole

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_DASHED = (0, (4, 3))


def draw_losses(
    training: Floats, held_out: Floats, kept: int, *, loss: str, ax: Axes | None = None
) -> Axes:
    """Draw the mean loss before the first round and after each, and the round where the model ends."""
    ax = canvas.open_axes(ax)
    ax.plot(np.arange(len(training)), training, color=canvas.BLUE, lw=1.6, label="training rows")
    if len(held_out):
        ax.plot(
            np.arange(len(held_out)), held_out, color=canvas.VERMILION, lw=1.6, label="held-out rows"
        )  # fmt: skip
        ax.axvline(kept, color="0.1", lw=1.0, ls=_DASHED, label=f"{kept} rounds kept")
    _set_rounds(ax)
    ax.set_ylabel(f"mean {plain(loss)} loss")
    if training.min() >= 0.0:
        ax.set_ylim(bottom=0.0)
    legend_beside(ax)
    return ax


def draw_bound(
    weighted: Floats,
    bounds: Floats,
    training: Floats,
    test: Floats,
    *,
    ax: Axes | None = None,
) -> Axes:
    """Draw the bound on the training error, that error, the weighted errors of the learners, and the test error."""
    ax = canvas.open_axes(ax)
    rounds = np.arange(1, len(bounds) + 1)
    dot: dict[str, Any] = {"color": canvas.GREY, "ms": 3.5, "zorder": 1}
    ax.plot(rounds, weighted, "o", label="weighted error\nof the learner", **dot)
    ax.plot(rounds, bounds, color="0.1", lw=1.2, ls=_DASHED, label="bound on the\ntraining error")
    ax.step(rounds, training, color=canvas.BLUE, lw=1.6, where="mid", label="training error")
    if len(test):
        ax.step(rounds, test, color=canvas.VERMILION, lw=1.6, where="mid", label="test error")
    _set_rounds(ax)
    ax.set_ylabel("share")
    ax.set_ylim(-0.01, 1.02)
    legend_beside(ax)
    return ax


def _set_rounds(ax: Axes) -> None:
    set_whole(ax.xaxis)
    ax.set_xlabel("rounds")
