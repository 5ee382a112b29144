"""How are rows marked, groups told apart, names written? What the pictures of exploration share."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from chemin.dictionaries.base import Floats, Indices
from chemin.plots import canvas
from chemin.plots.naming import clipped

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NOISE = -1  # the label of rows in no group
TINT = "#CFE3F1"  # of bars, below the lines
_MARKERS = ("o", "^", "s", "D", "v", "P", "X", "*")
_MANY = 5000  # rows beyond which marks are small and transparent
_NAMED = 24  # groups that a legend has room for
_LINE = 72  # letters in a line of a title
_BINS = 60


def plain(text: Any, longest: int = 40) -> str:
    r"""Return a user's text as it is written: neither too long nor read as a formula.

    Examples
    --------
    >>> print(plain("from $1 to $2"))
    from \$1 to \$2
    """
    return clipped(str(text), longest).replace("$", r"\$")


def set_title(ax: Axes, title: str) -> None:
    """Write a title above the left end, in several lines if it is long."""
    if title:
        ax.set_title(textwrap.fill(title, _LINE).replace("$", r"\$"), loc="left", size="medium")


def dots(n: int) -> dict[str, Any]:
    """Return size and transparency of the marks of n rows."""
    size, alpha = (24.0, 0.85) if n <= 300 else (12.0, 0.7) if n <= _MANY else (4.0, 0.3)
    return {"s": size, "alpha": alpha, "linewidths": 0, "rasterized": n > _MANY}


def group_look(label: int) -> dict[str, Any]:
    """Return colour and marker of a group: the palette as circles, then as other marks; grey for rows in none."""
    if label == NOISE:
        return {"color": canvas.GREY, "marker": "o"}
    marker = _MARKERS[label // len(canvas.PALETTE) % len(_MARKERS)]
    return {"color": canvas.PALETTE[label % len(canvas.PALETTE)], "marker": marker}


def draw_members(ax: Axes, plane: Floats, labels: Indices) -> None:
    """Draw rows in the colours of their groups, those in none below."""
    look = dots(len(plane))
    groups, sizes = np.unique(labels, return_counts=True)
    hidden = max(int(np.sum(groups != NOISE)) - _NAMED, 0)
    order = np.argsort(groups == NOISE, kind="stable")
    for label, size in zip(groups[order].tolist(), sizes[order].tolist(), strict=True):
        mine = labels == label
        name = f"in none ({size})" if label == NOISE else f"group {label} ({size})"
        above = 1.5 if label == NOISE else 2.0
        unnamed = hidden and label >= _NAMED
        ax.scatter(
            plane[mine, 0], plane[mine, 1], label="_" if unnamed else name, zorder=above,
            **look, **group_look(label),
        )  # fmt: skip
    if hidden:
        ax.plot([], [], color="none", label=f"and {hidden} other group{'s' * (hidden > 1)}")


def set_plane(ax: Axes, names: Sequence[str]) -> None:
    """Name the two axes; one without a name has no ticks either."""
    ax.set_xlabel(plain(names[0]))
    if len(names) < 2 or not names[1]:
        ax.set_yticks([])
        ax.spines["left"].set_visible(False)
        ax.set_ylim(-1.0, 1.0)
    else:
        ax.set_ylabel(plain(names[1]))


def set_whole(axis: Any) -> None:
    """Give an axis ticks at whole numbers only."""
    axis.get_major_locator().set_params(integer=True)


def legend_beside(ax: Axes) -> None:
    """Put the legend right of the axes, its marks large enough to tell colours apart."""
    handles, _ = ax.get_legend_handles_labels()
    if not handles:
        return
    made: Any = ax.legend(
        loc="upper left", bbox_to_anchor=(1.02, 1.0), frameon=False, fontsize="small",
        borderaxespad=0.0, ncols=1 + (len(handles) > 16),
    )  # fmt: skip
    for handle in made.legend_handles:
        if hasattr(handle, "set_sizes"):
            handle.set_sizes([26.0])
            handle.set_alpha(1.0)


def bin_edges(values: Floats) -> Floats:
    """Return ends of 2∛n bins (Rice's rule), but no more than a picture can show; of one bin if all are equal."""
    count = int(np.clip(np.ceil(2.0 * np.cbrt(len(values))), 5, _BINS))
    if np.ptp(values) <= 4.0 * count * np.spacing(
        np.abs(values).max()
    ):  # bins narrower than rounding
        count = 1
    return np.histogram_bin_edges(values, count)


def draw_values(ax: Axes, values: Floats, **look: Any) -> float:
    """Draw the histogram of some values as a tinted area, and return the height of its highest bin."""
    heights, edges = np.histogram(values, bin_edges(values), density=True)
    ax.stairs(heights, edges, fill=True, color=TINT, zorder=1, **look)
    return float(heights.max())


def room_above(highest: float, curves: Sequence[Floats]) -> float:
    """Return how high an axis of densities must go: poles of a curve are cut off at some bins' height.

    Examples
    --------
    >>> room_above(10.0, [np.array([5.0, 20.0])]), room_above(10.0, [np.array([5.0, np.inf])])
    (21.0, 31.5)
    """
    values = np.concatenate([np.ravel(curve) for curve in curves] or [np.zeros(1)])
    top = np.nanmax(values, initial=highest)
    return 1.05 * float(min(top, 3.0 * highest)) or 1.0
