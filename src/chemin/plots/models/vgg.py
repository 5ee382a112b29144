"""Where are the numbers of a network? Those that an image makes in each layer, and those that the layer has learned."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chemin.plots import canvas


def draw_layers(
    names: Sequence[str], values: Sequence[int], parameters: Sequence[int]
) -> NDArray[Any]:
    """Draw one bar per layer, from the first at the top: values beside parameters; return both axes."""
    panels = canvas.pyplot().subplots(
        1, 2, sharey=True, figsize=(9.0, 1.2 + 0.27 * len(names)), layout="constrained"
    )[1]
    place = np.arange(len(names))
    for ax, counts, colour, what in zip(
        panels, (values, parameters), (canvas.BLUE, canvas.VERMILION), ("values", "parameters"), strict=True
    ):  # fmt: skip
        canvas.open_axes(ax)
        total = sum(counts)
        bars = ax.barh(place, counts, color=colour, height=0.7)
        shares = [f"{count / total:.1%}" for count in counts]
        ax.bar_label(bars, shares, padding=3, fontsize="small")
        ax.set_title(f"{total:,} {what}".replace(",", " "), size="medium", loc="left")
        ax.margins(x=0.14)
        ax.spines["bottom"].set_visible(False)
        ax.set_xticks([])
        ax.tick_params(axis="y", length=0)
    panels[0].set_yticks(place, list(names), size="small")
    panels[0].invert_yaxis()
    return np.asarray(panels)
