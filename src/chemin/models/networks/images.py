"""What is a row, seen as an image? Channels × height × width, one row of pixels after another.

A row of h² numbers is a square, and any other one a strip 1 × p, unless a shape is given.
"""

from __future__ import annotations

from math import isqrt, prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chemin.exceptions import InvalidInputError

Shape = tuple[int, int, int]  # channels, height, width


def as_shape(shape: Any, columns: int) -> Shape:
    """Return channels, height and width of rows of so many columns.

    Parameters
    ----------
    shape : (height, width), (channels, height, width) or None
        None is a square if the columns are one, else a strip.
    columns : int
        Columns of the table.

    Examples
    --------
    >>> as_shape(None, 784), as_shape((2, 4), 8), as_shape(None, 8)
    ((1, 28, 28), (1, 2, 4), (1, 1, 8))
    """
    if shape is None:
        side = isqrt(columns)
        return (1, side, side) if side * side == columns else (1, 1, columns)
    sizes = tuple(shape) if isinstance(shape, tuple | list) else ()
    if len(sizes) not in (2, 3) or not all(
        isinstance(size, int | np.integer) and size > 0 for size in sizes
    ):
        raise InvalidInputError(
            f"shape is {shape!r}: pass (height, width) or (channels, height, width)"
        )
    whole = (1, *sizes)[-3:]
    if prod(whole) != columns:
        side = isqrt(columns)
        likely = f"({side}, {side})" if side * side == columns else f"(1, {columns})"
        raise InvalidInputError(
            f"shape is {shape!r}, {prod(whole)} pixels, but rows have {columns} columns: pass the shape of one image, "
            f"such as {likely}"
        )
    channels, height, width = (int(size) for size in whole)
    return channels, height, width


def as_rows(X: Any) -> tuple[Any, tuple[int, ...] | None]:
    """Return images as rows, and their shape if they came as an array (n, H, W) or (n, C, H, W)."""
    if getattr(X, "ndim", 2) not in (3, 4):
        return X, None
    array = np.asarray(X)
    return array.reshape(len(array), -1), array.shape[1:]


def as_images(rows: NDArray[Any], shape: Shape) -> NDArray[Any]:
    """Return rows as images of that shape, (n, C, H, W)."""
    return rows.reshape(len(rows), *shape)
