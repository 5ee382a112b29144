"""What does a network of steps look like? Inputs, one neuron per clause, and the output."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from chemin.dictionaries.base import Floats
from chemin.plots import canvas

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_INPUT, _HIDDEN, _OUTPUT = 0.0, 1.0, 2.0  # abscissas of the layers
_PLAIN: dict[str, Any] = {"color": canvas.BLUE, "ls": "-", "lw": 1.3, "zorder": 1}
_NEGATED: dict[str, Any] = {"color": canvas.VERMILION, "ls": "--", "lw": 1.3, "zorder": 1}
_MOST = 24  # neurons of a layer that can be told apart


def draw_logic_network(
    variables: Sequence[str],
    clauses: Sequence[str],
    weights: Floats,
    biases: tuple[Floats, float],
    formula: str,
    *,
    ax: Axes | None = None,
) -> Axes:
    """Draw a network: blue lines for variables as they are, dashed vermilion ones for negated variables."""
    ax = canvas.open_axes(ax)
    shown_inputs, shown_clauses = variables[:_MOST], clauses[:_MOST]
    inputs, hidden = _spread(len(shown_inputs)), _spread(len(shown_clauses))
    for row, column in np.argwhere(weights[:_MOST, :_MOST]):
        look = _PLAIN if weights[row, column] > 0.0 else _NEGATED
        ax.plot([_INPUT, _HIDDEN], [inputs[row], hidden[column]], **look)
    for height in hidden:
        ax.plot([_HIDDEN, _OUTPUT], [height, 0.0], **_PLAIN)
    for x, heights in ((_INPUT, inputs), (_HIDDEN, hidden), (_OUTPUT, np.zeros(1))):
        ax.scatter(
            np.full(len(heights), x), heights, s=110, color="white", edgecolor="black", zorder=2
        )
    for name, height in zip(shown_inputs, inputs, strict=True):
        ax.annotate(
            name, (_INPUT, height), (-10, 0), textcoords="offset points", ha="right", va="center"
        )
    for clause, bias, height in zip(shown_clauses, biases[0][:_MOST], hidden, strict=True):
        ax.annotate(
            f"{clause}\nbias {bias:+g}", (_HIDDEN, height), (0, 9), textcoords="offset points",
            ha="center", fontsize=8, bbox={"fc": "white", "ec": "none", "alpha": 0.85, "pad": 1},
        )  # fmt: skip
    ax.annotate(
        f"and\nbias {biases[1]:+g}",
        (_OUTPUT, 0.0),
        (10, 0),
        textcoords="offset points",
        va="center",
    )
    hidden_away = max(len(variables), len(clauses)) - _MOST
    ax.set_title(
        f"{formula}{f' (the first {_MOST} of each layer)' * (hidden_away > 0)}", loc="left"
    )
    ax.plot([], [], label="weight 1", **_PLAIN)
    ax.plot([], [], label="weight −1, the variable is negated", **_NEGATED)
    ax.legend(loc="lower right", frameon=False, fontsize=8)
    ax.set_xlim(-0.35, 2.35)
    ax.margins(y=0.18)
    ax.set_axis_off()
    return ax


def _spread(count: int) -> Floats:
    """Return heights of neurons, from the top."""
    return np.linspace(1.0, -1.0, count) if count > 1 else np.zeros(count)
