"""What does each column say for and against a class? The terms of one decision of naive Bayes as bars."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from chemin.plots import canvas
from chemin.plots.boundary import COLOURS
from chemin.plots.exploration.marks import plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def draw_terms(
    bars: Sequence[tuple[str, float]], sides: tuple[str, str], *, ax: Axes | None = None
) -> Axes:
    """Draw named terms as bars, the last one their sum; ``sides`` are the classes left and right of 0."""
    if ax is None:
        plt = canvas.pyplot()
        ax = plt.subplots(figsize=(8.0, 1.4 + 0.34 * len(bars)), layout="constrained")[1]
    ax = canvas.open_axes(ax)
    sizes = np.array([size for _, size in bars])
    places = np.arange(len(bars))
    made = ax.barh(places, sizes, height=0.62, color=[COLOURS[int(size > 0.0)] for size in sizes])
    for bar in made[:-1]:
        bar.set_alpha(0.55)
    ax.bar_label(made, [f"{size:+.3g}" for size in sizes], padding=4, size="small")
    ax.axvline(0.0, color="0.3", lw=0.9)
    ax.axhline(len(bars) - 1.5, color=canvas.GREY, lw=0.8)
    ax.set_yticks(places, [plain(name, 48) for name, _ in bars], size="small")
    ax.set_ylim(len(bars) - 0.4, -0.6)
    ax.tick_params(axis="y", length=0)
    ax.spines["left"].set_visible(False)
    ax.margins(x=0.14)
    ax.set_xlabel(f"log-odds   (← {plain(sides[0], 24)}   |   {plain(sides[1], 24)} →)")
    return ax
