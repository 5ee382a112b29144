"""When do couples come and go? One line per couple or variable, along the path down to the model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from chemin.dictionaries.base import Floats, Indices
from chemin.plots import canvas
from chemin.plots.lines import span
from chemin.plots.naming import clipped, point_name, short_names
from chemin.plots.readings import Model, Reading, kind_of_items
from chemin.tables import opened

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_COLOURED = 6  # kernels, where there are too many to have a colour each


@dataclass(frozen=True, eq=False)
class Lives:
    """Stays on rows: the stay k lies on ``row[k]``, that of ``columns[row[k]]``, from ``first[k]`` to ``last[k]``."""

    columns: Indices
    row: Indices
    first: Floats
    last: Floats


def plot_history(
    model: Model, ax: Axes | None = None, *, machine: Any = None, top: int | None = 30
) -> Axes:
    """Draw when each couple or variable was active, as l1 fell down to the model's.

    Rows are in the order of first entry. Couples have one colour per kernel, if there are no more than seven kernels;
    otherwise the names of the rows tell the kernels too. A dot marks what is in the model.

    Parameters
    ----------
    model : fitted classifier
        What to draw.
    ax : matplotlib Axes, optional
        Where to draw; new axes are made otherwise.
    machine : int, str or pair of labels, optional
        Which machine, when there are more than two classes.
    top : int or None, default 30
        So many rows, those active over the widest ranges of log l1, each with its name; None draws all, without names.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from chemin.estimators import SparseSVC
    >>> from chemin.plots import plot_history
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> ax = plot_history(SparseSVC(l1=100.0, standardize=True).fit(X, y), top=2)
    >>> [text.get_text() for text in ax.get_yticklabels()]
    ['mean concave points', 'worst radius']
    """
    reading = opened(model).reading(machine)
    limits = _limits(reading)
    lives = lives_of(reading, limits, top)
    rows = len(lives.columns)
    if ax is None:
        high = 1.4 + (0.2 * rows if top is not None else min(0.08 * rows, 6.0))
        ax = canvas.pyplot().subplots(figsize=(8.0, max(high, 2.4)), layout="constrained")[1]
    ax = canvas.open_axes(ax)
    _draw(ax, reading, lives, named=top is not None)
    canvas.set_abscissa(ax, "l1", limits)
    ax.set_ylim(rows - 0.3, -0.7)
    total = len(np.unique(reading.stays.columns))
    what = kind_of_items(reading)
    shown = f"{rows} of the {total} {what}" if rows < total else f"the {total} {what}"
    title = f"When {shown} were active; ● is in the model, at λ₁ = {reading.l1:.3g}"
    ax.set_title(title, loc="left", size="medium")
    return ax


def lives_of(reading: Reading, limits: tuple[float, float], top: int | None = 30) -> Lives:
    """Return the stays of the columns that are active longest on a logarithmic axis, or of all."""
    stays = reading.stays
    first = np.clip(stays.entered, limits[1], limits[0])
    last = np.clip(np.where(np.isnan(stays.left), limits[1], stays.left), limits[1], limits[0])
    columns, entry, row = np.unique(stays.columns, return_index=True, return_inverse=True)
    length = np.bincount(row, np.log(first / last), len(columns))
    kept = np.argsort(-length, kind="stable")[: len(columns) if top is None else top]
    kept = kept[np.argsort(entry[kept], kind="stable")]
    place = np.full(len(columns), -1)
    place[kept] = np.arange(len(kept))
    some = place[row] >= 0
    return Lives(columns[kept], place[row][some], first[some], last[some])


def _limits(reading: Reading) -> tuple[float, float]:
    """Return the ends of the abscissa: those of the path, which stops at the model."""
    first, last = span(reading.path)
    return first, min(max(last, reading.l1), 0.9 * first)


def _draw(ax: Axes, reading: Reading, lives: Lives, named: bool) -> None:
    items = reading.describe(lives.columns)
    kernels = _kernels(reading, items)
    order = [name for name, _ in Counter(kernels).most_common()]
    few = len(order) <= len(canvas.PALETTE)
    own = (
        order if few else [] if named else order[:_COLOURED]
    )  # a colour each, or too many where rows have names
    shades = dict.fromkeys(order, canvas.BLUE if named else canvas.GREY) | dict(
        zip(own, canvas.PALETTE, strict=False)
    )
    colours = np.array([shades[name] for name in kernels], dtype=object)
    ax.hlines(
        lives.row,
        lives.first,
        lives.last,
        colors=colours[lives.row].tolist(),
        lw=4.0 if named else 1.5,
        zorder=2,
    )
    there = np.flatnonzero(np.isin(lives.columns, reading.active))
    ends = np.full(len(there), _limits(reading)[1])
    ax.scatter(
        ends, there, c=colours[there].tolist(), s=28 if named else 6, clip_on=False, zorder=4
    )
    if named:
        rows = [_row_name(item, kernel, few) for item, kernel in zip(items, kernels, strict=True)]
        ax.set_yticks(np.arange(len(items)), rows, size="small")
        ax.tick_params(axis="y", length=0)
    else:
        ax.set_ylabel("in the order of entry")
    if reading.has_couples and items and (few or not named):
        _name_kernels(ax, shades)


def _kernels(reading: Reading, items: Sequence[Any]) -> list[str]:
    """Return the short name of the kernel of each item, "" for variables."""
    names = [kernel.name for kernel in reading.kernels] if reading.has_couples else []
    short = dict(zip(names, short_names(names), strict=True))
    return [short[item.kernel.name] if hasattr(item, "kernel") else "" for item in items]


def _row_name(item: Any, kernel: str, few: bool) -> str:
    """Return the name of a row; a couple's has its kernel where the colour does not tell it."""
    if not kernel:
        return clipped(str(item))
    return f"{clipped(point_name(item.point))} ({item.label})" + f", {kernel}" * (not few)


def _name_kernels(ax: Axes, shades: dict[str, str]) -> None:
    """Say which colour is which kernel; those that share the grey are counted."""
    own = {name: colour for name, colour in shades.items() if colour != canvas.GREY}
    if len(own) < len(shades):
        own[f"{len(shades) - len(own)} other kernels"] = canvas.GREY
    for name, colour in own.items():
        ax.plot([], [], color=colour, lw=3, label=name or "none: a variable")
    look: dict[str, Any] = {
        "frameon": False,
        "fontsize": "small",
        "title_fontsize": "small",
        "alignment": "left",
    }
    ax.legend(loc="upper left", bbox_to_anchor=(1.03, 1.0), title="kernel", **look)
