"""What does a support vector machine look like? Rows beside its slab, and dual values against margins."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from chemin.dictionaries.base import Floats, Indices
from chemin.plots import canvas
from chemin.plots.exploration.marks import dots, legend_beside, plain, set_title

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_COLOURS = (canvas.GREY, canvas.BLACK, canvas.BLUE, canvas.PURPLE, canvas.VERMILION)  # of the kinds
_MARKERS = ("o", "^")  # of the classes
_HEIGHT = 0.36  # of the strip of a class, whose rows are spread over it


def draw_slab(
    x: Floats,
    y: Floats,
    values: Floats,
    places: Floats,
    sign: Floats,
    codes: Indices,
    kinds: Sequence[str],
    classes: Sequence[str],
    *,
    names: Sequence[Any],
    ax: Axes | None = None,
) -> Axes:
    """Draw the boundary f = 0, the slab |f| < 1 of ``values[iy, ix]``, and rows in the colours of their kinds."""
    ax = canvas.open_axes(ax)
    low, high = float(values.min()), float(values.max())
    if low < 1.0 and high > -1.0:
        ax.contourf(x, y, values, [-1.0, 1.0], colors=["#EEF3F8"], zorder=0)
    for level, width, dash in ((0.0, 1.6, "-"), (-1.0, 0.9, "--"), (1.0, 0.9, "--")):
        if low < level < high:
            ax.contour(
                x, y, values, [level], colors="0.15", linewidths=width, linestyles=dash, zorder=1
            )
    ax.plot([], [], color="0.15", lw=1.6, label="boundary, f = 0")
    ax.plot([], [], color="0.15", lw=0.9, ls="--", label="margins, f = ±1")
    _draw_rows(ax, places, sign, codes, kinds, classes)
    ax.set_xlabel(plain(names[0]))
    ax.set_ylabel(plain(names[1]))
    ax.set_xlim(x[0], x[-1])
    ax.set_ylim(y[0], y[-1])
    legend_beside(ax)
    return ax


def draw_margins(
    margins: Floats,
    sign: Floats,
    codes: Indices,
    kinds: Sequence[str],
    classes: Sequence[str],
    *,
    ax: Axes | None = None,
) -> Axes:
    """Draw rows along their margins y f, a strip for each class."""
    ax = canvas.open_axes(ax)
    ax.axvspan(0.0, 1.0, color="#EEF3F8", zorder=0)
    for margin, dash in ((0.0, "-"), (1.0, "--")):
        ax.axvline(margin, color="0.15", lw=0.9, ls=dash, zorder=1)
    aside = np.random.default_rng(0).uniform(-_HEIGHT, _HEIGHT, len(margins))
    places = np.column_stack([margins, (sign > 0.0) + aside])
    _draw_rows(ax, places, sign, codes, kinds, classes)
    ax.set_yticks([0.0, 1.0], [f"class {plain(label)}" for label in classes])
    ax.set_ylim(-0.6, 1.6)
    ax.set_xlabel("margin, y f")
    legend_beside(ax)
    return ax


def draw_complementarity(
    margins: Floats,
    shares: Floats,
    law: tuple[Floats, Floats],
    *,
    axis: str,
    unit: str,
    title: str,
    ax: Axes | None = None,
) -> Axes:
    """Draw dual values as dots against margins, and the line that complementarity allows."""
    ax = canvas.open_axes(ax)
    ax.plot(*law, color=canvas.VERMILION, lw=1.6, zorder=1, label="of a solution")
    ax.scatter(margins, shares, color=canvas.BLUE, zorder=2, label="rows", **dots(len(margins)))
    ax.set_xlabel(axis)
    ax.set_ylabel(f"dual value / {unit}")
    set_title(ax, title)
    legend_beside(ax)
    return ax


def _draw_rows(
    ax: Axes,
    places: Floats,
    sign: Floats,
    codes: Indices,
    kinds: Sequence[str],
    classes: Sequence[str],
) -> None:
    """Draw rows, a colour for each kind and a mark for each class."""
    look = dots(len(places))
    for side, marker in zip((-1.0, 1.0), _MARKERS, strict=True):
        for code, colour in enumerate(_COLOURS):
            mine = (sign == side) & (codes == code)
            ax.scatter(*places[mine].T, color=colour, marker=marker, zorder=2 + code / 10, **look)
    for code in np.unique(codes):
        told = f"{kinds[code]} ({int(np.sum(codes == code))})"
        ax.plot([], [], "s", color=_COLOURS[code], ms=5.0, label=told)
    for label, marker in zip(classes, _MARKERS, strict=True):
        ax.plot([], [], marker, color="0.35", ms=5.0, label=f"class {plain(label)}")
