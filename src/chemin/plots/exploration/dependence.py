"""Which columns go together, and which foretell which? Square matrices as maps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from chemin.dictionaries.base import Floats
from chemin.plots import canvas
from chemin.plots.exploration.marks import plain, set_title

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_NAMED = 40  # names along a side
_WRITTEN = 12  # columns up to which numbers are written in the cells
_DARK = 0.6  # of the scale, from which on numbers are white
_LETTER = 5.5  # points that a letter of a small text is wide
_UNKNOWN = "0.82"


def draw_matrix(
    matrix: Floats, names: Sequence[str], *, title: str, symmetric: bool, ax: Axes | None = None
) -> Axes:
    """Draw a square matrix as a map: from −1 to 1 if it is symmetric, else from 0 to its largest number."""
    largest = float(np.nanmax(matrix, initial=0.0)) or 1.0
    limits = (-1.0, 1.0) if symmetric else (0.0, largest)
    ax = _draw_map(matrix, names, "RdBu_r" if symmetric else "Blues", limits, ax)
    if len(names) <= _WRITTEN:
        small = "small" if len(names) <= 8 else "x-small"
        for i, j in np.argwhere(np.isfinite(matrix)).tolist():
            dark = abs(matrix[i, j]) > _DARK * limits[1]
            colour = "white" if dark else "0.15"
            ax.text(
                j, i, _written(float(matrix[i, j])), ha="center", va="center", size=small, color=colour
            )  # fmt: skip
    set_title(ax, title)
    return ax


def draw_influences(
    names: Sequence[str],
    strength: Floats,
    significant: NDArray[np.bool_],
    *,
    title: str,
    ax: Axes | None = None,
) -> Axes:
    """Draw how much column i foretells column j in row i, with a dot where that is significant."""
    shown = np.array(strength, dtype=float)
    np.fill_diagonal(shown, np.nan)
    largest = float(np.nanmax(shown, initial=0.0)) or 1.0
    ax = _draw_map(shown, names, "Blues", (0.0, largest), ax)
    certain = np.argwhere(significant & ~np.eye(len(names), dtype=bool))
    look: dict[str, Any] = {"marker": "o", "color": canvas.VERMILION, "edgecolors": "white"}
    size = float(np.clip(900.0 / max(len(names), 1), 6.0, 60.0))
    ax.scatter(certain[:, 1], certain[:, 0], s=size, linewidths=0.6, **look)
    ax.set_xlabel("… this column" + "   (dot: significant)" * bool(len(certain)))
    ax.set_ylabel("this column foretells …")
    set_title(ax, title)
    return ax


def _draw_map(
    matrix: Floats, names: Sequence[str], colours: str, limits: tuple[float, float], ax: Axes | None
) -> Axes:
    """Draw the cells with a bar of colours, NaN in grey, and the names of some columns if there are many."""
    plt = canvas.pyplot()
    if ax is None:
        side = float(np.clip(0.3 * len(names) + 3.0, 4.5, 10.5))
        ax = plt.subplots(figsize=(side + 1.2, side), layout="constrained")[1]
    ax = canvas.open_axes(ax)
    palette = plt.get_cmap(colours).with_extremes(bad=_UNKNOWN)
    seen = ax.imshow(matrix, cmap=palette, vmin=limits[0], vmax=limits[1], interpolation="nearest")
    ax.figure.colorbar(seen, ax=ax, pad=0.02, shrink=0.8, aspect=30)
    step = max(-(-len(names) // _NAMED), 1)
    places = np.arange(0, len(names), step)
    shown = [plain(names[j], 20) for j in places.tolist()]
    size = "small" if len(places) <= 20 else "x-small"
    cell = 72.0 * min(ax.bbox.width, ax.bbox.height) / ax.figure.dpi / max(len(places), 1)
    long = max(map(len, shown), default=0) * _LETTER > 0.8 * cell
    ax.set_xticks(places, shown, rotation=90 if long else 0, size=size)
    ax.set_yticks(places, shown, size=size)
    ax.tick_params(length=2 if step > 1 else 0)
    ax.spines[:].set_visible(False)
    return ax


def _written(number: float) -> str:
    """Return a number with two digits, and no more letters than a cell has room for.

    Examples
    --------
    >>> _written(-0.004), _written(0.25), _written(31.2)
    ('0', '.25', '31')
    """
    if abs(number) >= 9.95:
        text = f"{number:.0f}" if abs(number) < 9999.5 else f"{number:.0e}"
    elif abs(number) < 0.005:
        text = "0"
    else:
        text = f"{number:.2f}"
        text = text.replace("0.", ".", 1) if abs(number) < 1.0 else text
    return text.replace("-", "−")
