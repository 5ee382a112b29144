"""Which entries of X are at hand? Those of some columns, at the points that have come to the margin so far.

A pool is filled from its source when a point comes: from the dictionary, or from a larger pool. It keeps one point per
row, because that is how it is read: the points of the margin, all columns. When it would hold most of a source that
gives itself without a copy, it is that source.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from chemin.dictionaries.base import Dictionary, Floats, Indices
from chemin.engine.exact.backend import compiled

_SPARE = 32  # points and columns that may come before a pool is made larger


class Source(Protocol):
    """Where entries come from."""

    def block(self, rows: Indices, index: Indices) -> Floats:
        """Return the entries of some rows and columns."""


class Pool:
    """Some columns of a source.

    Attributes
    ----------
    index : array of length ``width``
        Which columns, as the source numbers them.
    place : array of length n
        The row of ``values`` that holds a point, −1 if none does.
    values : array
        At least ``width`` columns wide; what is beyond is spare.
    """

    def __init__(self, source: Source, index: Indices, place: Indices, values: Floats) -> None:
        self.source, self.index, self.place, self.values = source, index, place, values
        self.width, self.rows = len(index), np.flatnonzero(place >= 0)

    @classmethod
    def of(cls, source: Source, index: Indices, rows: Indices, n: int) -> Pool:
        """Return a pool of some columns that has the given ones of n points."""
        values = np.empty((len(rows) + _SPARE, len(index) + _SPARE))
        pool = cls(source, index, np.full(n, -1, dtype=np.intp), values)
        pool.fill(rows)
        return pool

    @classmethod
    def whole(cls, dictionary: Dictionary) -> Pool:
        """Return a pool of everything, without a copy where the dictionary is an array."""
        n, p = dictionary.shape
        everything = np.arange(p)
        values = np.ascontiguousarray(dictionary.columns(everything), dtype=np.float64)
        return cls(dictionary, everything, np.arange(n), values)

    def fill(self, rows: Indices) -> None:
        """Fetch some points, unless they are there."""
        missing, there = rows[self.place[rows] < 0], len(self.rows)
        if not len(missing):
            return
        if there + len(missing) > len(self.values):
            self._enlarge(2 * len(self.values) + len(missing), self.values.shape[1])
        self.place[missing] = np.arange(there, there + len(missing))
        self.rows = np.append(self.rows, missing)
        self.values[there : len(self.rows), : self.width] = self.source.block(missing, self.index)

    def block(self, rows: Indices, index: Indices) -> Floats:
        """Return the entries of some points and of some columns, by their places in the pool."""
        self.fill(rows)
        return gathered(self.values, self.place[rows], index)

    def correlations(self, u: Floats, rows: Indices | None = None) -> Floats:
        """Return Xᵀu of the pooled columns; if `rows` are given, u has no other entries."""
        rows = np.arange(len(self.place)) if rows is None else rows
        self.fill(rows)
        return weighted_sum(self.values, self.place[rows], u, self.width)

    def append(self, k: int) -> int:
        """Add column ``k`` of the source; return its place."""
        if self.width == self.values.shape[1]:
            self._enlarge(len(self.values), self.width + max(self.width // 4, _SPARE))
        place, column = self.width, np.array([k], dtype=np.intp)
        self.values[: len(self.rows), place] = self.source.block(self.rows, column)[:, 0]
        self.index = np.append(self.index, column)
        self.width += 1
        return place

    def _enlarge(self, rows: int, columns: int) -> None:
        larger = np.empty((rows, columns))
        larger[: self.values.shape[0], : self.values.shape[1]] = self.values
        self.values = larger


def _weighted_sum(values: Floats, rows: Indices, u: Floats, width: int) -> Floats:
    """Return Σ u_i times row i of the values, up to a width."""
    return np.asarray(u @ values[rows, :width])


def _gathered(values: Floats, rows: Indices, columns: Indices) -> Floats:
    """Return the entries of some rows and columns."""
    return values[rows[:, None], columns]


weighted_sum, gathered = (
    (compiled.weighted_sum, compiled.gathered) if compiled else (_weighted_sum, _gathered)
)
