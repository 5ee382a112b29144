"""Which kernels does each point use? The matrix B of the active points, one row per kernel."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from chemin.dictionaries.base import Floats, Indices
from chemin.plots import canvas
from chemin.plots.boundary import COLOURS
from chemin.plots.naming import clipped, shared_part, short_names
from chemin.plots.readings import Model, Reading
from chemin.tables import opened

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_ALL = 20  # kernels up to which unused ones are shown too
_NAMED = 40  # points up to which each one is named


@dataclass(frozen=True, eq=False)
class Matrix:
    """Coefficients by kernel (row) and active point (column), classes side by side."""

    values: Floats
    kernels: Indices
    rows: Indices
    points: list[Any]
    labels: NDArray[Any]


def plot_coefficient_matrix(model: Model, ax: Axes | None = None, *, machine: Any = None) -> Axes:
    """Draw the coefficients B as a heat map: one row per kernel, one column per point with an active couple.

    Points of a class stand together, and among them those that use the same kernel most. With more than twenty
    kernels only those in use are shown.

    Parameters
    ----------
    model : fitted KernelBasisClassifier or KernelBasisClassifierCV
        What to draw.
    ax : matplotlib Axes, optional
        Where to draw; new axes are made otherwise.
    machine : int, str or pair of labels, optional
        Which machine, when there are more than two classes.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from chemin.datasets import toydata1
    >>> from chemin.estimators import KernelBasisClassifier
    >>> from chemin.kernels import Gaussian
    >>> from chemin.plots import plot_coefficient_matrix
    >>> model = KernelBasisClassifier([Gaussian(1).named("narrow"), Gaussian(3).named("wide")], l1=5.0)
    >>> ax = plot_coefficient_matrix(model.fit(*toydata1()))
    >>> [text.get_text() for text in ax.get_yticklabels()]
    ['narrow', 'wide']
    """
    reading = opened(model).reading(machine)
    matrix = coefficient_matrix(reading)
    if ax is None:
        rows, columns = matrix.values.shape
        size = (
            float(np.clip(4.0 + 0.18 * columns, 7.0, 10.0)),
            float(np.clip(1.6 + 0.3 * rows, 2.8, 9.0)),
        )
        ax = canvas.pyplot().subplots(figsize=size, layout="constrained")[1]
    ax = canvas.open_axes(ax)
    ax.spines[["left", "bottom"]].set_visible(False)
    _draw(ax, reading, matrix)
    _separate(ax, matrix)
    return ax


def coefficient_matrix(reading: Reading) -> Matrix:
    """Return B without its empty rows, in the order of the picture."""
    rows, column = np.unique(reading.rows, return_inverse=True)
    values = np.zeros((len(reading.kernels), len(rows)))
    values[reading.kernel_numbers, column] = reading.coefficients[reading.couple_places]
    labels = reading.labels[rows]
    kernels = (
        np.arange(len(reading.kernels))
        if len(reading.kernels) <= _ALL
        else np.unique(reading.kernel_numbers)
    )
    size = np.abs(values)
    main, most = (size.argmax(axis=0), size.max(axis=0)) if len(rows) else (rows, np.empty(0))
    order = np.lexsort((-most, main, np.unique(labels, return_inverse=True)[1]))
    points = reading.called(rows[order])
    return Matrix(values[np.ix_(kernels, order)], kernels, rows[order], points, labels[order])


def _draw(ax: Axes, reading: Reading, matrix: Matrix) -> None:
    from matplotlib.colors import LinearSegmentedColormap

    diverging = LinearSegmentedColormap.from_list("chemin", [COLOURS[0], "white", COLOURS[1]])
    most = float(np.abs(matrix.values).max(initial=0.0)) or 1.0
    rows, columns = matrix.values.shape
    names = [kernel.name for kernel in reading.kernels]
    short = short_names(names)
    x, y = np.arange(columns + 1) - 0.5, np.arange(rows + 1) - 0.5
    edges: dict[str, Any] = (
        {"edgecolors": "0.9", "linewidth": 0.5} if columns <= _NAMED else {"rasterized": True}
    )
    mesh = ax.pcolormesh(x, y, matrix.values, cmap=diverging, vmin=-most, vmax=most, **edges)
    ax.set_yticks(np.arange(rows), [short[k] for k in matrix.kernels], size="small")
    ax.set_ylim(rows - 0.5, -0.5)
    ax.tick_params(length=0)
    if columns <= _NAMED:
        ax.set_xticks(
            np.arange(columns), [str(point) for point in matrix.points], size="small", rotation=90
        )
        ax.set_xlabel("training point")
    else:
        ax.set_xticks([])
        ax.set_xlabel(f"{columns} training points with an active couple")
    ax.set_ylabel(f"{clipped(shared_part(names))}…" if shared_part(names) else "kernel")
    bar = ax.figure.colorbar(mesh, ax=ax, pad=0.02, aspect=25)
    for sign, place, va in ((-1.0, 0.0, "top"), (1.0, 1.0, "bottom")):
        shift = (0.0, -4.0 if place == 0.0 else 4.0)
        bar.ax.annotate(
            f"for {reading.sides.toward(sign)}", (0.0, place), shift, xycoords="axes fraction", size="small", va=va,
            textcoords="offset points", color=COLOURS[int(sign > 0)], annotation_clip=False,
        )  # fmt: skip
    bar.set_label("coefficient B")
    bar.outline.set_visible(False)


def _separate(ax: Axes, matrix: Matrix) -> None:
    """Draw a line between classes, and their names above."""
    starts = [
        0,
        *(np.flatnonzero(matrix.labels[1:] != matrix.labels[:-1]) + 1).tolist(),
        len(matrix.labels),
    ]
    for first, last in pairwise(starts):
        if last == first:
            continue
        if first:
            ax.axvline(first - 0.5, color="black", lw=1.2)
        name = f"class {matrix.labels[first]}"
        ax.text((first + last - 1) / 2, -0.62, name, ha="center", va="bottom", size="small")
