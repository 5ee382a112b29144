"""How is a picture drawn? The only file that meets matplotlib: axes, palette, lines, and labels beside their lines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from chemin.dictionaries.base import Floats
from chemin.exceptions import MissingLibraryError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Okabe and Ito's palette, which colour-blind readers can tell apart; its yellow is left out, unreadable as text.
BLUE, VERMILION, GREEN, PURPLE, BLACK = "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#000000"
PALETTE = (BLUE, VERMILION, GREEN, BLACK, PURPLE, "#E69F00", "#56B4E9")
GREY = "0.72"
ROUNDING = 1e-9  # relative differences that no picture shows
_SHORT = 20.0  # a logarithmic axis over less than this ratio needs labels between the powers of ten

LABELS = {"l1": "λ₁   (strong penalty → weak)", "norm1": "‖b‖₁"}


def pyplot() -> Any:
    """Return matplotlib's pyplot, or say how to install it."""
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise MissingLibraryError(
            "pictures need matplotlib: pip install 'chemin[plots]'"
        ) from error
    return pyplot


def open_axes(ax: Axes | None) -> Axes:
    """Return the axes to draw on: those given, or new ones."""
    plt = pyplot()
    if ax is None:
        ax = plt.subplots(figsize=(8.0, 4.5), layout="constrained")[1]
    ax.spines[["top", "right"]].set_visible(False)
    return ax


def style(rank: int) -> dict[str, Any]:
    """Return colour and dash of the line of that rank: the palette, then the palette dashed."""
    dashes = ("-", (0, (5, 1.5)), (0, (1.5, 1)))[rank // len(PALETTE) % 3]
    return {"color": PALETTE[rank % len(PALETTE)], "linestyle": dashes}


def set_abscissa(ax: Axes, against: str, limits: tuple[float, float]) -> None:
    """Set the abscissa, l1 on a logarithmic axis; sparse models are on the left, full ones on the right."""
    if against == "l1":
        ax.set_xscale("log")
        ax.xaxis.set_major_formatter("{x:g}")
        span = limits[0] / limits[1] if limits[1] > 0 else np.inf
        between = (
            "235" if span < _SHORT else "25" if span < _SHORT**2 else ""
        )  # so that two ticks at least have a name
        ax.xaxis.set_minor_formatter(lambda x, _: f"{x:g}" if f"{x:e}"[0] in between else "")
    ax.set_xlim(*limits)
    ax.set_xlabel(LABELS[against])


def draw_many(ax: Axes, x: Floats, values: Floats, **look: Any) -> None:
    """Draw the columns of `values` as one collection, which stays fast for thousands of lines."""
    from matplotlib.collections import LineCollection

    if values.shape[1]:
        points = np.stack([np.broadcast_to(x[:, None], values.shape), values], axis=2)
        ax.add_collection(LineCollection(list(points.transpose(1, 0, 2)), **look))


def hide_rest(values: Floats, rest: Any) -> Floats:
    """Return `values`, blank inside every stretch that rests at one value; its ends stay, to join what moves."""
    hidden = np.array(rest, dtype=bool)
    still = np.abs(np.diff(values, axis=0)) <= ROUNDING * np.abs(values).max(initial=0.0)
    hidden[1:] &= still
    hidden[:-1] &= still
    return np.where(hidden, np.nan, values)


def mark_l1(ax: Axes, l1: float) -> None:
    """Draw a line at the l1 of a model, and say so above it."""
    place = max(l1, ax.get_xlim()[1])  # which 0 is not on
    ax.axvline(place, color=BLACK, lw=1.0, ls=(0, (1.5, 2)), zorder=2.5, clip_on=False)
    ax.annotate(
        f"model, λ₁ = {l1:.3g}", (place, 1.0), (0.0, 2.0), xycoords=("data", "axes fraction"), ha="right", va="bottom",
        textcoords="offset points", size="x-small", annotation_clip=False,
    )  # fmt: skip


def label_ends(ax: Axes, heights: Floats, texts: Sequence[str], colours: Sequence[str]) -> None:
    """Write each text right of the axes, beside the end of its line, moved just enough not to overlap."""
    if not texts:
        return
    from matplotlib.font_manager import FontProperties

    on_screen = ax.transData.transform(
        np.column_stack([np.full(len(heights), ax.get_xlim()[1]), heights])
    )
    ends = ax.transAxes.inverted().transform(on_screen)[:, 1]
    points_high = ax.bbox.height * 72.0 / ax.figure.dpi
    placed = spread(ends, 1.3 * FontProperties(size="small").get_size_in_points() / points_high)
    for end, height, text, colour in zip(ends, placed, texts, colours, strict=True):
        ax.plot(
            [1.005, 1.03],
            [end, height],
            color=colour,
            lw=0.7,
            transform=ax.transAxes,
            clip_on=False,
        )
        ax.text(
            1.04,
            height,
            text,
            color=colour,
            size="small",
            va="center_baseline",
            transform=ax.transAxes,
        )


def spread(heights: Floats, gap: float) -> Floats:
    """Return the heights nearest to those given, in least squares, that are in the same order and at least `gap` apart.

    Examples
    --------
    >>> spread(np.array([0.5, 0.5, 0.9]), 0.1).round(2).tolist()
    [0.45, 0.55, 0.9]
    """
    order = np.argsort(heights, kind="stable")
    offset = gap * np.arange(len(heights))
    # Isotonic regression of the heights less their offsets: neighbours out of order are pooled at their mean.
    pools: list[tuple[float, int]] = []
    for value in (heights[order] - offset).tolist():
        mean, count = value, 1
        while pools and pools[-1][0] > mean:
            other, size = pools.pop()
            mean, count = (mean * count + other * size) / (count + size), count + size
        pools.append((mean, count))
    placed = np.empty(len(heights))
    placed[order] = np.repeat([mean for mean, _ in pools], [count for _, count in pools]) + offset
    return placed
