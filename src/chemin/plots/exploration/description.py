"""What is in each column, what is missing, what was found? A panel for each column, bars for the rest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from chemin.dictionaries.base import Floats
from chemin.plots import canvas
from chemin.plots.exploration.marks import TINT, plain, set_title, set_whole

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SEVERITIES: Mapping[str, str] = {
    "problem": canvas.VERMILION,
    "warning": "#E69F00",
    "note": canvas.BLUE,
}
_ACROSS = 4  # panels in a row
_VALUES = 7  # of a column of words, with a bar of their own
_COLUMNS = 30


def draw_columns(columns: Sequence[tuple[str, str, Any, float]], *, total: int) -> Figure:
    """Draw a panel for each column: (name, "bars", (labels, counts), missing share), or "bins", (edges, heights)."""
    across = max(min(_ACROSS, len(columns)), 1)
    down = max(-(-len(columns) // across), 1)
    size = (max(2.7 * across, 5.0), 1.95 * down + 0.4)
    figure, panels = canvas.pyplot().subplots(
        down, across, figsize=size, layout="constrained", squeeze=False
    )
    for ax, (name, kind, data, missing) in zip(panels.flat, columns, strict=False):
        canvas.open_axes(ax)
        if kind == "bars":
            _draw_words(ax, *data)
        else:
            _draw_numbers(ax, *data)
        ax.tick_params(labelsize="x-small")
        ax.xaxis.get_offset_text().set_size("x-small")
        ax.set_title(plain(name, 28), size="small", loc="left", pad=13 if missing else 4)
        if missing:
            told = f"{_percent(missing)} missing"
            ax.annotate(
                told, (0.0, 1.0), (0.0, 3.0), xycoords="axes fraction",
                textcoords="offset points", color=canvas.VERMILION, size="x-small",
            )  # fmt: skip
    for ax in panels.flat[len(columns) :]:
        ax.remove()
    if total > len(columns):
        figure.suptitle(f"{len(columns)} of {total} columns", size="small", x=0.01, ha="left")
    return figure


def draw_missing(
    names: Sequence[str], shares: Floats, together: Floats | None, *, ax: Axes | None = None
) -> Axes:
    """Draw the share of missing cells of each column that has some, the largest first.

    ``together[i, j]`` is the share of rows in which columns i and j are both missing; the column that each is most
    often missing with is named.
    """
    some = int(np.sum(shares > 0.0))
    order = np.argsort(-shares, kind="stable")[: min(some, _COLUMNS)]
    ax = _bar_axes(ax, len(order))
    places = np.arange(len(order))
    ax.barh(places, shares[order], height=0.72, color=canvas.BLUE)
    for place, j in zip(places, order, strict=True):
        told = _percent(float(shares[j]))
        if together is not None and len(names) > 1:
            others = np.where(np.arange(len(names)) == j, -1.0, together[j])
            partner = int(np.argmax(others))
            if others[partner] > 0.0:
                told += f"; {_percent(float(others[partner]))} together with {plain(names[partner], 20)}"
        _write_beside(ax, float(shares[j]), int(place), told)
    _set_bars(ax, [plain(names[j], 30) for j in order])
    _set_percents(ax)
    ax.set_xlim(0.0, min(1.05 * float(shares.max(initial=0.0)), 1.0) or 1.0)
    ax.set_xlabel("share of rows without a value")
    if some > len(order):
        set_title(ax, f"the {len(order)} columns that miss most, of {some} with gaps")
    else:
        set_title(ax, f"{some} of {len(names)} columns have gaps" if some else "no cell is missing")
    return ax


def draw_findings(
    codes: Sequence[str],
    counts: Sequence[int],
    severities: Sequence[str],
    *,
    passed: int,
    ax: Axes | None = None,
) -> Axes:
    """Draw in how many places each finding was seen, coloured by how bad it is."""
    ax = _bar_axes(ax, len(codes))
    for severity, colour in SEVERITIES.items():
        mine = [place for place, given in enumerate(severities) if given == severity]
        if mine:
            some = [counts[place] for place in mine]
            ax.barh(mine, some, height=0.72, color=colour, label=severity)
    for place, count in enumerate(counts):
        _write_beside(ax, float(count), place, str(count))
    _set_bars(ax, [plain(code, 40) for code in codes])
    ax.set_xlim(0.0, 1.05 * max([*counts, 1]))
    set_whole(ax.xaxis)
    ax.set_xlabel("places where it was seen")
    told = f"{passed} check{'s' * (passed != 1)} passed"
    ax.set_title(told, loc="right", size="small", color=canvas.GREEN)
    if not codes:
        ax.text(0.5, 0.5, "nothing was found", ha="center", transform=ax.transAxes)
        ax.set_xticks([])
    else:
        ax.legend(
            loc="lower left", bbox_to_anchor=(0.0, 1.0), frameon=False, fontsize="small", ncols=3,
            borderaxespad=0.2,
        )  # fmt: skip
    return ax


def _draw_words(ax: Axes, labels: Sequence[str], counts: Sequence[float]) -> None:
    """Draw the first values as bars, and one grey bar for the rest."""
    kept = len(labels) if len(labels) <= _VALUES + 1 else _VALUES
    texts = [plain(label, 14) for label in labels[:kept]]
    ax.barh(np.arange(kept), counts[:kept], height=0.75, color=canvas.GREEN, alpha=0.75)
    if kept < len(labels):
        texts.append(f"{len(labels) - kept} others")
        ax.barh(kept, float(np.sum(counts[kept:])), height=0.75, color=canvas.GREY)
    ax.set_yticks(np.arange(len(texts)), texts)
    ax.set_ylim(max(len(texts), 3) - 0.4, -0.6)
    ax.tick_params(axis="y", length=0)
    ax.locator_params(axis="x", nbins=4)
    set_whole(ax.xaxis)


def _draw_numbers(ax: Axes, edges: Floats, heights: Floats) -> None:
    ax.stairs(heights, edges, fill=True, color=TINT)
    ax.stairs(heights, edges, color=canvas.BLUE, lw=0.9)
    ax.set_ylim(0.0, 1.05 * float(np.max(heights, initial=0.0)) or 1.0)
    ax.set_yticks([])
    ax.spines["left"].set_visible(False)
    ax.locator_params(axis="x", nbins=4)


def _bar_axes(ax: Axes | None, count: int) -> Axes:
    if ax is None:
        high = 0.27 * max(count, 1) + 1.2
        ax = canvas.pyplot().subplots(figsize=(8.0, high), layout="constrained")[1]
    return canvas.open_axes(ax)


def _set_bars(ax: Axes, names: Sequence[str]) -> None:
    ax.set_yticks(np.arange(len(names)), names, size="small")
    ax.set_ylim(max(len(names), 1) - 0.4, -0.6)
    ax.tick_params(axis="y", length=0)


def _write_beside(ax: Axes, length: float, place: int, text: str) -> None:
    ax.annotate(
        text, (length, place), (4.0, 0.0), textcoords="offset points", va="center", size="small",
        annotation_clip=False,
    )  # fmt: skip


def _set_percents(ax: Axes) -> None:
    from matplotlib.ticker import PercentFormatter

    ax.xaxis.set_major_formatter(PercentFormatter(1.0))


def _percent(share: float) -> str:
    """Return a share as text, never 0 % for one that is not.

    Examples
    --------
    >>> _percent(0.096), _percent(0.0004)
    ('10 %', '0.04 %')
    """
    percent = 100.0 * share
    return f"{percent:.0f} %" if percent >= 0.95 or not percent else f"{percent:.1g} %"
