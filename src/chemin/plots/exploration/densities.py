"""What does a density look like? Bins, curves, level lines, and laws against the values they were fitted to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from chemin.dictionaries.base import Floats
from chemin.plots import canvas
from chemin.plots.exploration.marks import (
    TINT,
    dots,
    draw_values,
    legend_beside,
    plain,
    room_above,
    set_plane,
    set_title,
    set_whole,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_LEVELS = 8
_ACROSS = 4  # panels in a row
_FEW = 60  # whole numbers that bars of their own are drawn for
_RUG = 300  # values that are marked one by one
_POLE = 0.999  # of the grid: denser nodes are not what level lines are counted from


def draw_bins(edges: Floats, heights: Floats, *, name: str, ax: Axes | None = None) -> Axes:
    """Draw a histogram."""
    ax = canvas.open_axes(ax)
    ax.stairs(heights, edges, fill=True, color=TINT, zorder=1)
    ax.stairs(heights, edges, color=canvas.BLUE, lw=1.2, zorder=2)
    _set_density(ax, name)
    return ax


def draw_shifted(
    histograms: Sequence[tuple[Floats, Floats]],
    average: tuple[Floats, Floats],
    distance: float,
    *,
    name: str,
    ax: Axes | None = None,
) -> Axes:
    """Draw histograms whose bins begin elsewhere over one another, and their mean."""
    ax = canvas.open_axes(ax)
    for k, (edges, heights) in enumerate(histograms):
        label = "_" if k else f"{len(histograms)} places where bins begin"
        ax.stairs(heights, edges, color=canvas.BLUE, lw=0.9, alpha=0.45, label=label)
    ax.plot(*average, color=canvas.VERMILION, lw=1.8, zorder=3, label="their mean")
    _set_density(ax, name)
    set_title(ax, f"moving where bins begin changes up to {distance:.0%} of the area")
    legend_beside(ax)
    return ax


def draw_fit(
    values: Floats,
    x: Floats,
    density: Floats,
    quantiles: Floats,
    *,
    name: str,
    law: str,
    distance: float,
    discrete: bool,
) -> NDArray[Any]:
    """Draw a law over the values, and its quantiles against theirs; return both axes."""
    panels = canvas.pyplot().subplots(1, 2, figsize=(10.0, 4.2), layout="constrained")[1]
    left, right = (canvas.open_axes(panel) for panel in panels)
    if discrete and len(x) <= _FEW:
        shares = np.array([np.mean(values == number) for number in x])
        left.bar(x, shares, width=0.9, color=TINT, label="share of rows")
        left.plot(x, density, "o", color=canvas.VERMILION, ms=4.5, label=f"{law} law")
        top = room_above(float(shares.max()), [density])
    else:
        top = room_above(draw_values(left, values, label="histogram"), [density])
        left.plot(x, density, color=canvas.VERMILION, lw=1.6, label=f"{law} law")
    left.set_ylim(0.0, top)
    left.set_xlabel(plain(name))
    left.set_ylabel("probability" if discrete else "density")
    left.legend(frameon=False, fontsize="small")
    low = float(min(values.min(), quantiles.min()))
    high = float(max(values.max(), quantiles.max()))
    right.axline((low, low), (high, high), color=canvas.GREY, lw=1.0, ls=(0, (4, 3)), zorder=1)
    look = dots(len(values))
    pairs = np.column_stack([quantiles, np.sort(values)])
    if discrete:
        pairs, counts = np.unique(pairs, axis=0, return_counts=True)
        look["s"] = 8.0 + 150.0 * counts / counts.max()
    right.scatter(pairs[:, 0], pairs[:, 1], color=canvas.BLUE, zorder=2, **look)
    right.set_xlabel(f"quantiles of the {law} law")
    right.set_ylabel(f"quantiles of {plain(name, 28)}")
    set_title(left, f"{law} law, at most {distance:.3g} from the column in distribution")
    return np.array([left, right])


def draw_rates(
    sizes: Floats, curves: Mapping[str, Floats], expected: Floats, *, ax: Axes | None = None
) -> Axes:
    """Draw measured errors as dots and expected ones as lines, against the number of points."""
    ax = canvas.open_axes(ax)
    for rank, ((name, errors), line) in enumerate(zip(curves.items(), expected, strict=True)):
        look = canvas.style(rank)
        ax.plot(sizes, line, lw=1.2, **look)
        ax.plot(sizes, errors, "o", ms=5.5, color=look["color"], label=plain(name))
    ax.plot([], [], color="0.3", lw=1.2, label="√((d + 1)/N)")
    ax.set_xscale("log")
    ax.set_yscale("log")
    ax.set_xticks(sizes, [f"{size:g}" for size in sizes])
    ax.minorticks_off()
    ax.set_xlabel("points, N")
    ax.set_ylabel("error of the covariance")
    legend_beside(ax)
    return ax


def draw_curve(
    x: Floats, curves: Mapping[str, Floats], values: Floats, *, name: str, ax: Axes | None = None
) -> Axes:
    """Draw densities over the histogram of the values they were estimated from."""
    ax = canvas.open_axes(ax)
    highest = draw_values(ax, values, label="histogram")
    for rank, (label, curve) in enumerate(curves.items()):
        known = np.where(np.isfinite(curve), curve, np.nan)
        ax.plot(x, known, lw=1.6, zorder=3, label=plain(label), **canvas.style(rank + 1))
    if len(values) <= _RUG:
        rug: dict[str, Any] = {"ls": "none", "marker": "|", "ms": 7.0, "clip_on": False}
        ax.plot(values, np.zeros(len(values)), color="0.3", mew=0.6, label="rows", **rug)
    _set_density(ax, name)
    ax.set_ylim(0.0, room_above(highest, list(curves.values())))
    legend_beside(ax)
    return ax


def draw_levels(
    x: Floats,
    y: Floats,
    values: Floats,
    points: Floats,
    *,
    names: Sequence[str],
    title: str,
    ax: Axes | None = None,
) -> Axes:
    """Draw the level lines of ``values[ix, iy]``, the density at ``(x[ix], y[iy])``, and the points."""
    ax = canvas.open_axes(ax)
    draw_level_lines(ax, x, y, values)
    look = dots(len(points)) | {"alpha": 0.35 if len(points) <= 5000 else 0.12, "color": "0.15"}
    ax.scatter(points[:, 0], points[:, 1], zorder=1.5, **look)
    ax.plot([], [], color=canvas.BLUE, lw=1.0, label="level lines, each at\nhalf the next one")
    set_plane(ax, names)
    set_title(ax, title)
    legend_beside(ax)
    return ax


def draw_level_lines(
    ax: Axes, x: Floats, y: Floats, values: Floats, *, faint: bool = False
) -> None:
    """Draw lines at the top, half of it, a quarter of it, …; poles do not count."""
    finite = values[np.isfinite(values)]
    top = float(np.quantile(finite, _POLE)) if len(finite) else 0.0
    top = top or float(finite.max(initial=0.0))
    levels = top * 0.5 ** np.arange(_LEVELS, 0, -1.0)
    seen = (levels > values.min()) & (levels < values.max())
    if not seen.any():
        return
    known = np.where(np.isfinite(values), values, top).T
    if faint:
        ax.contour(x, y, known, levels[seen], colors="0.75", linewidths=0.8, zorder=0.5)
        return
    shades = canvas.pyplot().get_cmap("Blues")(np.linspace(0.05, 0.5, int(seen.sum())))
    ax.contourf(x, y, known, [*levels[seen], np.inf], colors=shades, zorder=0.5)
    ax.contour(x, y, known, levels[seen], colors=canvas.BLUE, linewidths=0.7, zorder=2)


def draw_criterion(
    curves: Mapping[str, tuple[Sequence[int], Sequence[float]]],
    chosen: tuple[int, str],
    name: str,
    *,
    ax: Axes | None = None,
) -> Axes:
    """Draw a criterion against the number of components, a line for each shape, and mark what was chosen."""
    ax = canvas.open_axes(ax)
    for rank, (shape, (counts, values)) in enumerate(curves.items()):
        ax.plot(counts, values, marker="o", ms=4, lw=1.4, label=shape, **canvas.style(rank))
        if shape == chosen[1]:
            value = dict(zip(counts, values, strict=True))[chosen[0]]
            best: dict[str, Any] = {"marker": "D", "ms": 10, "mec": "0.1", "mfc": "none"}
            told = f"chosen: {chosen[0]}, {shape}"
            ax.plot(chosen[0], value, ls="none", mew=1.4, zorder=4, label=told, **best)
    set_whole(ax.xaxis)
    ax.set_xlabel("components")
    ax.set_ylabel(f"{name}   (less is better)")
    legend_beside(ax)
    return ax


def draw_many(
    curves: Sequence[tuple[str, Floats, Floats, Floats, str, Floats | None]], total: int
) -> Figure:
    """Draw a panel for each column: name, values, x, density, name of the law, and its density if it has one."""
    across = max(min(_ACROSS, len(curves)), 1)
    down = max(-(-len(curves) // across), 1)
    size = (max(2.6 * across, 5.2), 2.1 * down + 0.5)
    figure, panels = canvas.pyplot().subplots(
        down, across, figsize=size, layout="constrained", squeeze=False
    )
    for ax, (name, values, x, density, law, fitted) in zip(panels.flat, curves, strict=False):
        canvas.open_axes(ax)
        highest = draw_values(ax, values)
        ax.plot(x, density, color=canvas.BLUE, lw=1.4)
        if fitted is not None:
            ax.plot(x, fitted, color=canvas.VERMILION, lw=1.2, ls=(0, (4, 1.5)))
        ax.set_ylim(0.0, room_above(highest, [density] if fitted is None else [density, fitted]))
        ax.set_yticks([])
        ax.spines["left"].set_visible(False)
        ax.locator_params(axis="x", nbins=4)
        ax.tick_params(labelsize="x-small")
        ax.xaxis.get_offset_text().set_size("x-small")
        ax.set_title(f"{plain(name, 26)}\n", size="small", loc="left", pad=3)
        ax.text(0.0, 1.02, law, color=canvas.VERMILION, size="x-small", transform=ax.transAxes)
    for ax in panels.flat[len(curves) :]:
        ax.remove()
    told = f"{len(curves)} of {total} columns" if total > len(curves) else f"{total} columns"
    figure.suptitle(
        f"{told}   area: rows, blue: window density, red: the best law", size="small", x=0.01, ha="left"
    )  # fmt: skip
    return figure


def _set_density(ax: Axes, name: str) -> None:
    ax.set_xlabel(plain(name))
    ax.set_ylabel("density")
    ax.set_ylim(bottom=0.0)
