"""How is a whole look shown? One page with four panels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from chemin.plots import canvas
from chemin.plots.exploration.marks import plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def open_page(name: str, said: str) -> tuple[Any, list[Axes]]:
    """Return a figure and its four panels, under the name of the data and which rows were looked at."""
    figure, panels = canvas.pyplot().subplots(2, 2, figsize=(13.5, 9.0), layout="constrained")
    figure.suptitle(plain(f"{name}: {said}", 110), x=0.01, ha="left")
    return figure, list(panels.flat)
