"""Which kernels are in a mix? Their weights as bars."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from chemin.dictionaries.base import Floats
from chemin.plots import canvas
from chemin.plots.exploration.marks import plain, set_title

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_ROOM = 30  # bars that a picture has room for


def draw_mix(
    names: Sequence[str], weights: Floats, *, title: str = "", ax: Axes | None = None
) -> Axes:
    """Draw weights as bars in the order given, with their numbers beside them; what is 0 is grey."""
    shown = min(len(names), _ROOM)
    hidden = len(names) - shown
    if ax is None:
        size = (8.0, 1.2 + 0.32 * (shown + bool(hidden)))
        ax = canvas.pyplot().subplots(figsize=size, layout="constrained")[1]
    ax = canvas.open_axes(ax)
    places = range(shown)
    ax.barh(places, weights[:shown], height=0.7, color=canvas.BLUE)
    for place, weight in zip(places, weights[:shown].tolist(), strict=True):
        told, colour = (f"{weight:.3g}", "0.15") if weight else ("0", canvas.GREY)
        ax.text(weight, place, f"  {told}", va="center", size="small", color=colour)
    labels = [plain(name) for name in names[:shown]]
    if hidden:
        labels.append(f"and {hidden} more, {weights[shown:].sum():.3g} together")
    ax.set_yticks(range(len(labels)), labels)
    for label, weight in zip(ax.get_yticklabels(), weights[:shown], strict=False):
        label.set_color("0.15" if weight else "0.55")
    ax.set_ylim(len(labels) - 0.4, -0.6)
    ax.set_xlim(0.0, 1.12 * float(weights.max()))
    ax.tick_params(axis="y", length=0)
    ax.set_xlabel("weight in the mix")
    set_title(ax, title)
    return ax
