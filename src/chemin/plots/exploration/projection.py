"""What do many variables look like in two dimensions? Rows, shares of variance, arrows of variables, images."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from chemin.dictionaries.base import Floats, Indices
from chemin.plots import canvas
from chemin.plots.exploration.marks import (
    TINT,
    dots,
    group_look,
    legend_beside,
    plain,
    set_plane,
    set_title,
    set_whole,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_CLASSES = 10  # with a colour of their own
_DIRECTIONS = 30
_REACH = 0.9  # of the cloud, to which the longest arrow goes
_BEYOND = 2.0  # how far arrows may leave a flat cloud
_LETTER = 4.6  # points that a letter of a small text is wide
_LINE = 10.5  # points between two lines of small text


def draw_plane(
    coordinates: Floats,
    names: Sequence[str],
    *,
    labels: Sequence[Any] | NDArray[Any] | None = None,
    values: Floats | None = None,
    title: str = "",
    ax: Axes | None = None,
) -> Axes:
    """Draw rows in two dimensions, in the colours of their classes or of a number."""
    ax = canvas.open_axes(ax)
    look = dots(len(coordinates))
    x, y = coordinates[:, 0], coordinates[:, 1]
    if labels is not None:
        _draw_classes(ax, coordinates, np.asarray(labels))
    elif values is not None:
        known = np.isfinite(values)
        if not known.all():
            missing = f"missing ({int(np.sum(~known))})"
            ax.scatter(x[~known], y[~known], color=canvas.GREY, label=missing, **look)
        seen = ax.scatter(x[known], y[known], c=values[known], cmap="viridis", zorder=2, **look)
        bar = ax.figure.colorbar(seen, ax=ax, pad=0.02, aspect=30)
        if bar.solids is not None:
            bar.solids.set_alpha(1.0)
    else:
        ax.scatter(x, y, color=canvas.BLUE, **look)
    set_plane(ax, names)
    set_title(ax, title)
    if labels is not None:
        legend_beside(ax)
    elif values is not None and not known.all():
        ax.legend(loc="best", frameon=False, fontsize="small")
    return ax


def draw_scree(shares: Floats, *, ax: Axes | None = None) -> Axes:
    """Draw the share of the variance of each direction as bars, and their running total as a line."""
    ax = canvas.open_axes(ax)
    shown = shares[:_DIRECTIONS]
    places = np.arange(1, len(shown) + 1)
    ax.bar(places, shown, color=TINT, edgecolor=canvas.BLUE, linewidth=0.8, label="each")
    total = np.cumsum(shown)
    ax.plot(places, total, color=canvas.VERMILION, lw=1.4, marker="o", ms=3.5, label="together")
    set_whole(ax.xaxis)
    _set_shares(ax)
    ax.set_xlim(0.3, len(shown) + 0.7)
    ax.set_ylim(0.0, 1.03)
    ax.set_xlabel("direction")
    ax.set_ylabel("share of the variance")
    if len(shares) > len(shown):
        set_title(ax, f"the first {len(shown)} of {len(shares)} directions")
    legend_beside(ax)
    return ax


def draw_biplot(
    coordinates: Floats,
    directions: Floats,
    names: Sequence[str],
    axis_names: Sequence[str],
    *,
    labels: Sequence[Any] | NDArray[Any] | None = None,
    ax: Axes | None = None,
    most: int = 10,
) -> Axes:
    """Draw rows, and the variables with the longest arrows.

    The arrow of variable j is the column ``directions[:, j]`` of the two directions; one factor suits all to the cloud.
    """
    ax = draw_plane(coordinates, axis_names, labels=labels, ax=ax)
    lengths = np.hypot(*directions)
    order = np.argsort(-lengths, kind="stable")
    kept = order[lengths[order] > 0.0][:most]
    if not len(kept):
        return ax
    cloud = np.abs(coordinates).max(axis=0, initial=0.0)
    farthest = float(cloud.max()) or 1.0
    factors = [farthest / lengths[kept[0]]]
    for reach, most_along in zip(cloud, np.abs(directions[:, kept]).max(axis=1), strict=True):
        if reach > 0.0 and most_along > 0.0:
            factors.append(_BEYOND * reach / most_along)
    tips = directions[:, kept].T * (_REACH * min(factors))
    for x, y in tips:
        ax.annotate(
            "", (x, y), (0.0, 0.0), zorder=4,
            arrowprops={"arrowstyle": "-|>", "color": "0.15", "lw": 1.1, "shrinkA": 0, "shrinkB": 0},
        )  # fmt: skip
    _name_arrows(ax, tips, [plain(names[j], 24) for j in kept], farthest)
    if len(kept) < len(names):
        set_title(ax, f"the {len(kept)} longest arrows of {len(names)}")
    return ax


def draw_images(
    rows: Sequence[tuple[str, Floats]],
    shape: tuple[int, int],
    titles: Sequence[str],
    *,
    vmax: float | None = None,
) -> Figure:
    """Draw rows of images: ink on white, or red and blue around zero where numbers are negative.

    Parameters
    ----------
    rows : list of (str, array of shape (k, h·w))
        What each row shows.
    shape : (int, int)
        Height and width of an image.
    titles : list of str
        What stands above each column.
    vmax : float, optional
        The number that is drawn darkest; by default the largest of each row.
    """
    across = max([len(images) for _, images in rows] + [1])
    down = max(len(rows), 1)
    high = min(1.15 * shape[0] / shape[1], 3.0)
    size = (max(1.15 * across + 1.0, 4.0), down * high + 0.5)
    figure, panels = canvas.pyplot().subplots(
        down, across, figsize=size, layout="constrained", squeeze=False
    )
    for ax in panels.flat:
        ax.set_xticks([])
        ax.set_yticks([])
        ax.spines[:].set_visible(False)
    for (name, images), line in zip(rows, panels, strict=False):
        for image, ax in zip(images, line, strict=False):
            _draw_image(ax, np.reshape(image, shape), images, vmax)
        line[0].set_ylabel(plain(name, 24), rotation=0, ha="right", va="center", size="small")
    for ax, title in zip(panels[0], titles, strict=False):
        ax.set_title(plain(title, 16), size="small", pad=4)
    return figure


def _draw_classes(ax: Axes, coordinates: Floats, labels: NDArray[Any]) -> None:
    """Draw the most frequent classes in colours of their own, the others in grey."""
    classes, places = _told_apart(labels)
    sizes = np.bincount(places, minlength=len(classes))
    kept = np.sort(np.argsort(-sizes, kind="stable")[:_CLASSES])
    look = dots(len(coordinates))
    for rank, which in enumerate(kept.tolist()):
        name = f" {plain(classes[which], 24)} ({sizes[which]})"  # a space, as names with "_" first would be hidden
        mine = coordinates[places == which]
        ax.scatter(mine[:, 0], mine[:, 1], zorder=2, label=name, **look, **group_look(rank))
    if len(kept) < len(classes):
        rest = coordinates[~np.isin(places, kept)]
        name = f" {len(classes) - len(kept)} others ({len(rest)})"
        ax.scatter(rest[:, 0], rest[:, 1], zorder=1.5, label=name, **look, **group_look(-1))


def _told_apart(labels: NDArray[Any]) -> tuple[list[Any], Indices]:
    """Return classes in order, and the place of each row's among them."""
    given = labels if labels.dtype.kind in "biufU" else np.array([str(label) for label in labels])
    classes, places = np.unique(given, return_inverse=True)
    return classes.tolist(), places


def _set_shares(ax: Axes) -> None:
    from matplotlib.ticker import PercentFormatter

    ax.yaxis.set_major_formatter(PercentFormatter(1.0))


def _name_arrows(ax: Axes, tips: Floats, texts: Sequence[str], farthest: float) -> None:
    """Write names beside the arrows, left or right of the middle, moved up or down so as not to overlap."""
    per_inch = 72.0 / ax.figure.dpi
    wide, high = ax.bbox.width * per_inch, ax.bbox.height * per_inch
    right = tips[:, 0] >= 0.0
    letters = np.array([len(text) for text in texts])
    least, greatest = ax.get_xlim()
    # The axis holds the cloud, and each text beside its arrow: it is made wider by what the longest ones need.
    room = [letters[side].max(initial=0) * _LETTER / wide for side in (~right, right)]
    reach = max(farthest, -least, greatest)
    span = 2.0 * reach / max(1.0 - 0.8 * sum(room), 0.3)
    ax.set_xlim(-reach - 0.8 * room[0] * span, reach + 0.8 * room[1] * span)
    low, top = ax.get_ylim()
    ax.set_ylim(min(low, 1.15 * tips[:, 1].min()), max(top, 1.15 * tips[:, 1].max()))
    gap = _LINE / high * (ax.get_ylim()[1] - ax.get_ylim()[0])
    for side in (~right, right):
        some = np.flatnonzero(side)
        heights = canvas.spread(1.04 * tips[some, 1], gap)
        for j, height in zip(some.tolist(), heights.tolist(), strict=True):
            x, y = tips[j]
            ax.annotate(
                texts[j], (x, y), (1.04 * x, height), size="small", zorder=5, va="center",
                ha="left" if right[j] else "right", annotation_clip=False,
                bbox={"boxstyle": "square,pad=0.05", "color": "white", "alpha": 0.65},
                arrowprops={
                    "arrowstyle": "-", "color": "0.55", "lw": 0.6, "shrinkA": 0, "shrinkB": 0,
                    "relpos": (0.0 if right[j] else 1.0, 0.5),
                },
            )  # fmt: skip


def _draw_image(ax: Axes, image: Floats, row: Floats, vmax: float | None) -> None:
    signed = bool(np.nanmin(row) < 0.0)
    most = float(np.nanmax(np.abs(row))) if vmax is None else vmax
    ax.imshow(
        image, cmap="RdBu_r" if signed else "gray_r", vmin=-(most or 1.0) if signed else 0.0,
        vmax=most or 1.0, interpolation="nearest",
    )  # fmt: skip
    ax.spines[:].set(visible=True, color=canvas.GREY, linewidth=0.5)
