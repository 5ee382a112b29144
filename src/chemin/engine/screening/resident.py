"""Which entries of X are at hand? Those of the resident columns, at the points that have come to a kink so far.

One point per row, because that is how they are read: the points of the elbow, all columns. An array in
memory is resident as it is; from other dictionaries some columns are copied, point by point as they come.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from chemin.dictionaries.base import Copying, Dictionary, Floats, Indices

_SPARE = 32  # points that may come before the copy is made larger
_TOGETHER = 16  # points that are fetched with one that has come


class Resident(Protocol):
    """Columns at hand.

    Attributes
    ----------
    numbers : array of length k
        Which columns, increasing.
    values : array of shape (at least the points at hand, k)
        Their entries.
    place : array of length n
        The row of ``values`` that holds a point, −1 if none does.
    low, high, correlation : arrays of length k
        Least and largest entries, and c_j for the dual values ``dual``.
    excluded : array of length k
        Which of them are no candidates.
    whole : bool
        Whether they are all columns, at all points.
    """

    numbers: Indices
    values: Floats
    place: Indices
    low: Floats
    high: Floats
    correlation: Floats
    dual: Floats
    excluded: NDArray[np.bool_]
    whole: bool

    def fetch(self, i: int) -> None:
        """Have one more point."""

    def column(self, j: int) -> Floats:
        """Return one whole column of the dictionary."""


class WholeColumns:
    """All columns of an array in memory."""

    whole = True

    def __init__(
        self,
        values: Floats,
        ranges: Floats,
        correlation: Floats,
        dual: Floats,
        excluded: NDArray[np.bool_],
    ) -> None:
        n, p = values.shape
        self.values = values
        self.numbers = np.arange(p)
        self.place = np.arange(n)
        self.low = ranges[:, 0]
        self.high = ranges[:, 1]
        self.correlation = correlation
        self.dual = dual
        self.excluded = excluded

    def fetch(self, i: int) -> None:
        """Every point is there."""

    def column(self, j: int) -> Floats:
        """Return one column."""
        return np.ascontiguousarray(self.values[:, j])

    @property
    def nbytes(self) -> int:
        """What is held beside the dictionary."""
        return 0


class ChosenColumns:
    """Some columns of any dictionary, copied."""

    whole = False

    def __init__(
        self,
        dictionary: Dictionary,
        numbers: Indices,
        ranges: Floats,
        correlation: Floats,
        dual: Floats,
    ) -> None:
        self.dictionary = dictionary
        self.numbers = numbers
        self.low = np.ascontiguousarray(ranges[numbers, 0])
        self.high = np.ascontiguousarray(ranges[numbers, 1])
        self.correlation = correlation
        self.dual = dual
        self.excluded = np.zeros(len(numbers), dtype=bool)
        self.place = np.full(len(dual), -1, dtype=np.intp)
        self.values = np.empty((0, len(numbers)))
        self.filled = 0
        self.elsewhere = dictionary if isinstance(dictionary, Copying) else None
        self.expected = np.empty(0, dtype=np.intp)

    def expect(self, rows: Indices) -> None:
        """Take note of points that may come, the likeliest first: some are fetched whenever one has to be."""
        self.expected = rows

    def fetch(self, i: int) -> None:
        """Copy the entries of one more point, and of some that are expected."""
        more, self.expected = self.expected[:_TOGETHER], self.expected[_TOGETHER:]
        self.fetch_all(np.append(more[more != i], i))

    def fetch_all(self, rows: Indices) -> None:
        """Copy the entries of more points."""
        rows = rows[self.place[rows] < 0]
        last = self.filled + len(rows)
        if last > len(self.values):
            room = (2 * last if self.filled else last) + _SPARE
            blank = np.empty if self.elsewhere is None else self.elsewhere.blank
            larger = blank((room, len(self.numbers)))
            larger[: self.filled] = self.values[: self.filled]
            self.values = larger
        if len(rows):
            out = self.values[self.filled : last]
            if self.elsewhere is None:
                out[:] = self.dictionary.block(rows, self.numbers)
            else:
                self.elsewhere.copy_block(rows, self.numbers, out)
            self.place[rows] = np.arange(self.filled, last)
            self.filled = last

    def column(self, j: int) -> Floats:
        """Return one whole column of the dictionary."""
        return np.ascontiguousarray(self.dictionary.columns(np.array([j]))[:, 0], dtype=np.float64)

    @property
    def nbytes(self) -> int:
        """What is held beside the dictionary."""
        return self.values.nbytes
