"""How do numbers of theory move with another one? Curves on plain or logarithmic axes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from chemin.dictionaries.base import Floats
from chemin.plots import canvas
from chemin.plots.exploration.marks import legend_beside, plain, set_title

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_FEW = 40  # places that have a dot each
_SIDE = 6  # names that have room side by side


def draw_curves(
    x: Any,
    curves: Mapping[str, Floats],
    *,
    dotted: Mapping[str, Floats] | None = None,
    x_label: str,
    y_label: str,
    logarithmic: str = "",
    point: tuple[float, float] | None = None,
    title: str = "",
    ax: Axes | None = None,
) -> Axes:
    """Draw curves over one abscissa, those of `dotted` as measured dots, and perhaps one place on them.

    `logarithmic` names the axes that are: "x", "y" or "xy".
    """
    ax = canvas.open_axes(ax)
    for rank, (name, values) in enumerate(curves.items()):
        ax.plot(x, values, lw=1.6, label=name, **canvas.style(rank))
    for rank, (name, values) in enumerate((dotted or {}).items()):
        look = {"color": canvas.style(rank)["color"], "ms": 4.5 if len(x) <= _FEW else 2.5}
        ax.plot(x, values, "o", label=name, **look)
    if point is not None:
        ax.plot(*point, "o", color=canvas.BLACK, ms=6, zorder=3)
        ax.annotate(
            f"{point[0]:.4g}, {point[1]:.3g}",
            point,
            (6.0, 6.0),
            textcoords="offset points",
            size="small",
        )
    for axis in logarithmic:
        getattr(ax, f"set_{axis}scale")("log")
    ax.set_xlabel(x_label)
    ax.set_ylabel(y_label)
    set_title(ax, title)
    if len(curves) + len(dotted or {}) > 1:
        legend_beside(ax)
    return ax


def draw_named(
    names: Sequence[str], curves: Mapping[str, Floats], *, y_label: str, ax: Axes | None = None
) -> Axes:
    """Draw curves over things that have names, in their order."""
    place = range(len(names))
    ax = draw_curves(place, curves, x_label="", y_label=y_label, ax=ax)
    for line in ax.lines:
        line.set_marker("o")
        line.set_markersize(4.0)
    ax.set_xticks(place, [plain(name) for name in names], rotation=30 if len(names) > _SIDE else 0)
    ax.set_ylim(bottom=0.0)
    return ax
