"""What does backpropagation look like? The size of δ of every neuron, layer by layer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from chemin.dictionaries.base import Floats
from chemin.plots import canvas

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_SPREAD = 0.5  # of the distance of two layers, over which the neurons of one are drawn
_LEAST = 1e-30  # what a logarithmic axis shows for 0


def draw_gradients(
    names: Sequence[str],
    neurons: Sequence[Floats],
    layers: Floats,
    title: str,
    *,
    ax: Axes | None = None,
) -> Axes:
    """Draw a dot for every neuron and a line through the layers, on a logarithmic axis."""
    ax = canvas.open_axes(ax)
    for place, sizes in enumerate(neurons):
        across = place + _SPREAD * (np.linspace(0.0, 1.0, len(sizes)) - 0.5 * (len(sizes) > 1))
        shown = sizes > _LEAST
        label = "a neuron" if place == 0 else "_"
        ax.plot(
            across[shown], sizes[shown], "o", ms=3.5, color=canvas.BLUE, alpha=0.45, label=label
        )
    places = np.arange(len(layers))
    ax.plot(places, np.maximum(layers, _LEAST), color=canvas.VERMILION, lw=1.8, label="the layer")
    ax.set_yscale("log")
    ax.set_xticks(places, names, rotation=30 if len(names) > 8 else 0)
    ax.set_ylabel("root mean square of δ")
    ax.set_title(title.replace(": ", ":\n", 1), loc="left", fontsize=10)
    ax.legend(frameon=False, loc="best", fontsize=8)
    return ax
