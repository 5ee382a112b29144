"""Which columns does a restricted kernel see? Some variables, by name or position, or a rectangle of an image."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from numbers import Integral
from typing import Any

import numpy as np

from chemin.dictionaries.base import Indices
from chemin.exceptions import InvalidInputError
from chemin.kernels.parameters import as_two, as_whole, listed
from chemin.kernels.points import as_table, names_of, take

__all__ = ["Columns", "Window", "as_block"]


@dataclass(frozen=True)
class Columns:
    """Some variables: texts are names, integers are positions counted from 0.

    Examples
    --------
    >>> str(Columns(("g1", "g2"))), str(Columns((0, 3)))
    ('g1, g2', 'columns 0, 3')
    """

    items: tuple[str | int, ...]
    label: str = field(
        default="", compare=False, repr=False
    )  # what the positions were called before `bind`

    def __post_init__(self) -> None:
        object.__setattr__(self, "items", tuple(_item(item) for item in self.items))
        if not self.items:
            raise InvalidInputError(
                "a kernel restricted to no column compares nothing: list at least one column"
            )
        if len(set(self.items)) < len(self.items):
            raise InvalidInputError(
                f"a column is listed twice in {list(self.items)}: list each column once"
            )

    def __str__(self) -> str:
        if self.label:
            return self.label
        plural = "column" if len(self.items) == 1 else "columns"
        return f"{plural} " * isinstance(self.items[0], int) + listed(
            [str(item) for item in self.items]
        )

    @property
    def by_name(self) -> bool:
        """Whether every column is given by its name, so that the order of the columns of a table does not matter."""
        return all(isinstance(item, str) for item in self.items)

    def bind(self, names: Sequence[Any]) -> Columns:
        """Return the same columns by position, in a table whose columns have these names."""
        positions = _positions(self.items, len(names), [str(name) for name in names])
        return Columns(tuple(positions.tolist()), label=str(self))

    def of(self, X: Any) -> Any:
        """Return these columns of X."""
        table = as_table(X)
        return take(table, _positions(self.items, table.shape[1], names_of(table)))


@dataclass(frozen=True)
class Window:
    """A rectangle of an image whose pixels are the columns of X, row after row.

    Parameters
    ----------
    shape : (int, int)
        Numbers of rows and columns of the image.
    top, left : int
        First row and first column of the rectangle, counted from 0.
    height, width : int
        Its numbers of rows and columns.

    Examples
    --------
    >>> window = Window((28, 28), top=3, left=6, height=7, width=7)
    >>> print(window)
    rows 3-9, columns 6-12
    >>> window.indices[:8].tolist()
    [90, 91, 92, 93, 94, 95, 96, 118]
    """

    shape: tuple[int, int]
    top: int
    left: int
    height: int
    width: int

    by_name = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "shape", as_two(self.shape, "the shape of the image"))
        for name, least in (("top", 0), ("left", 0), ("height", 1), ("width", 1)):
            object.__setattr__(self, name, as_whole(getattr(self, name), name, least))
        rows, columns = self.shape
        for name, first, size, most in (
            ("rows", self.top, self.height, rows),
            ("columns", self.left, self.width, columns),
        ):
            if first + size > most:
                raise InvalidInputError(
                    f"a window on {name} {first} to {first + size - 1} is not inside an image of {rows} × {columns} "
                    f"pixels: keep it between 0 and {most - 1}"
                )

    def __str__(self) -> str:
        bottom, right = self.top + self.height - 1, self.left + self.width - 1
        return f"rows {self.top}-{bottom}, columns {self.left}-{right}"

    @property
    def indices(self) -> Indices:
        """Positions of its pixels in a flattened image, row after row."""
        rows = np.arange(self.top, self.top + self.height)
        columns = np.arange(self.left, self.left + self.width)
        return (rows[:, None] * self.shape[1] + columns).ravel()

    @property
    def items(self) -> tuple[int, ...]:
        """Positions of its pixels, as `Columns` has them."""
        return tuple(self.indices.tolist())

    def bind(self, names: Sequence[Any]) -> Window:
        """Return the window itself: pixels have positions, whatever their names."""
        self._check(len(names))
        return self

    def of(self, X: Any) -> Any:
        """Return the pixels of the window, one column each."""
        table = as_table(X)
        self._check(table.shape[1])
        return take(table, self.indices)

    def _check(self, p: int) -> None:
        rows, columns = self.shape
        if p != rows * columns:
            raise InvalidInputError(
                f"X has {p} columns, but an image of {rows} × {columns} pixels has {rows * columns}: flatten each "
                "image into one row with X.reshape(len(X), -1), or correct the shape of the window"
            )


def as_block(columns: str | int | Iterable[str | int] | Columns | Window) -> Columns | Window:
    """Return the block that `columns` describes.

    Examples
    --------
    >>> as_block("g1")
    Columns(items=('g1',))
    """
    if isinstance(columns, Columns | Window):
        return columns
    return Columns((columns,) if isinstance(columns, str | Integral) else tuple(columns))  # type: ignore[arg-type]


def _item(item: Any) -> str | int:
    if isinstance(item, str):
        return str(item)
    if isinstance(item, Integral) and not isinstance(item, bool | np.bool_) and int(item) >= 0:
        return int(item)
    raise InvalidInputError(
        f"{item!r} is not a column: pass names, or positions counted from 0 (np.flatnonzero turns a mask into them)"
    )


def _positions(items: tuple[str | int, ...], p: int, names: Sequence[str] | None) -> Indices:
    place = {name: position for position, name in enumerate(names or ())}
    found = []
    for item in items:
        if isinstance(item, str):
            if names is None:
                raise InvalidInputError(
                    f"X has no column names, so {item!r} is unknown: pass a DataFrame, or bind(names)"
                )
            if item not in place:
                raise InvalidInputError(
                    f"there is no column {item!r}: {_nearest(item, list(names))}"
                )
        elif item >= p:
            raise InvalidInputError(
                f"there is no column {item}: X has {p} columns, pass positions from 0 to {p - 1}"
            )
        found.append(place[item] if isinstance(item, str) else item)
    return np.array(found, dtype=np.intp)


def _nearest(item: str, names: list[str]) -> str:
    close = difflib.get_close_matches(item, names)
    return (
        f"did you mean {' or '.join(map(repr, close))}?"
        if close
        else f"the columns are {listed(names)}"
    )
