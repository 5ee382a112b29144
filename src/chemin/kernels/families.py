"""Which kernels to offer together? Families: one kernel per width, per pair of variables, per window of an image."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

import numpy as np
from sklearn.utils import check_random_state

from chemin.exceptions import InvalidInputError
from chemin.kernels.arithmetic import squared_distances
from chemin.kernels.base import Kernel, On
from chemin.kernels.blocks import Columns, Window
from chemin.kernels.elementary import Gaussian
from chemin.kernels.parameters import as_two, as_whole
from chemin.kernels.points import as_numbers

__all__ = ["median_heuristic", "pairs_of", "widths", "windows"]

K = TypeVar("K", bound=Kernel)


def widths(values: Iterable[Any], kernel: Callable[[Any], Kernel] = Gaussian) -> tuple[Kernel, ...]:
    """Return one kernel per width.

    Parameters
    ----------
    values : iterable
        Widths: numbers, or one tuple of numbers per kernel.
    kernel : callable
        Width → kernel, such as `Gaussian`, `Laplacian` or `Epanechnikov`.

    Examples
    --------
    >>> [k.name for k in widths([0.5, 2])]
    ['Gaussian(width=0.5)', 'Gaussian(width=2)']
    """
    return _family((kernel(value) for value in values), "pass at least one width")


def pairs_of(columns: int | Iterable[str | int], kernel: Kernel) -> tuple[On, ...]:
    """Return a kernel on every pair of variables, in lexicographic order.

    Parameters
    ----------
    columns : int or iterable
        The number of variables, or their names or positions.
    kernel : Kernel
        What compares two variables at a time.

    Examples
    --------
    >>> [k.name for k in pairs_of(["a", "b", "c"], Gaussian(0.5))]
    ['Gaussian(width=0.5) on a, b', 'Gaussian(width=0.5) on a, c', 'Gaussian(width=0.5) on b, c']
    >>> len(pairs_of(4, Gaussian()))
    6
    """
    items = (
        range(as_whole(columns, "the number of columns"))
        if isinstance(columns, int | np.integer)
        else columns
    )
    return _family(
        (kernel.on(Columns(pair)) for pair in itertools.combinations(items, 2)),
        "pass at least two columns",
    )


def windows(
    shape: tuple[int, int],
    size: int | tuple[int, int],
    stride: int | tuple[int, int],
    kernel: Kernel,
    positions: int | tuple[int, int] | None = None,
) -> tuple[On, ...]:
    """Return a kernel on every window of an image, row after row.

    Parameters
    ----------
    shape : (int, int)
        Numbers of rows and columns of the image, whose pixels are the columns of X, row after row.
    size : int or (int, int)
        Height and width of the windows.
    stride : int or (int, int)
        Step from a window to the next, down and right.
    kernel : Kernel
        What compares two windows.
    positions : int or (int, int), optional
        Keep only the first ones down and right. By default all that fit in the image, ⌊(side − size)/stride⌋ + 1.

    Examples
    --------
    >>> len(windows((28, 28), size=7, stride=3, kernel=Gaussian()))
    64
    >>> family = windows((28, 28), size=7, stride=3, kernel=Gaussian(), positions=7)
    >>> len(family), family[-1].name
    (49, 'Gaussian(width=1) on rows 18-24, columns 18-24')
    """
    shape, (height, width), steps = (
        as_two(shape, "shape"),
        as_two(size, "size"),
        as_two(stride, "stride"),
    )
    fitting = [
        max((side - own) // step + 1, 0)
        for side, own, step in zip(shape, (height, width), steps, strict=True)
    ]
    kept = fitting if positions is None else as_two(positions, "positions")
    if kept[0] > fitting[0] or kept[1] > fitting[1]:
        raise InvalidInputError(
            f"positions={positions!r}, but {fitting[0]} windows fit down and {fitting[1]} right: pass no more than that"
        )
    tops, lefts = (range(0, number * step, step) for number, step in zip(kept, steps, strict=True))
    return _family(
        (kernel.on(Window(shape, top, left, height, width)) for top in tops for left in lefts),
        f"windows of {height} × {width} do not fit in an image of {shape[0]} × {shape[1]}, pass a smaller size",
    )


def median_heuristic(X: Any, sample: int = 1000, random_state: Any = None) -> float:
    """Return the median distance of two points, a first guess of a width of a `Gaussian`.

    The convention is the median of ‖x_i − x_j‖, not squared, over the pairs i < j of points that differ.

    Parameters
    ----------
    X : table of numbers
        The points.
    sample : int
        Draw that many points without replacement if there are more.
    random_state : int, RandomState or None
        Source of the draw.

    Examples
    --------
    >>> median_heuristic([[0], [1], [3]])
    2.0
    """
    points = as_numbers(X)
    if points.shape[0] > as_whole(sample, "sample", least=2):
        points = points[
            check_random_state(random_state).choice(points.shape[0], sample, replace=False)
        ]
    squared = squared_distances(points, points)[np.triu_indices(points.shape[0], 1)]
    squared = squared[squared > 0]
    if not squared.size:
        raise InvalidInputError(
            "all points are equal, so no distance tells a width: pass at least two different points"
        )
    return float(np.median(np.sqrt(squared)))


def _family(kernels: Iterable[K], remedy: str) -> tuple[K, ...]:
    family = tuple(kernels)
    if not family:
        raise InvalidInputError(f"the family has no kernel: {remedy}")
    return family
