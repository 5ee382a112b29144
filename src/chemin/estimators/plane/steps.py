"""What is constant on convex polygons that fill a rectangle? A value each, and which of them meet a line, or a part."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from chemin.dictionaries.base import Floats, Indices
from chemin.engine.plane.polygon import thickness

THIN = 1e-11  # in units of the upper ends: polygons so thin are made by rounding


def axes_of(points: Floats) -> Floats:
    """Return x, y and x/y of some points, one row each.

    Examples
    --------
    >>> axes_of(np.array([[1.0, 2.0]])).ravel().tolist()
    [1.0, 2.0, 0.5]
    """
    x, y = points.T
    return np.array([x, y, x / y])


@dataclass(frozen=True, eq=False)
class Steps:
    """A function that is constant on convex polygons, in units of the upper ends of their rectangle.

    Attributes
    ----------
    corners : ndarray of shape (k, 2)
        Those of all pieces, one after another, counter-clockwise.
    first : ndarray
        Where each piece begins in these, and where the last one ends.
    values : ndarray
        One for each piece.

    Examples
    --------
    >>> square = np.array([[1.0, 1.0], [2.0, 1.0], [2.0, 2.0], [1.0, 2.0]])
    >>> steps = Steps.of([square, square + [1.0, 0.0]], [2.0, 3.0])
    >>> steps.within(np.array([1.2, 1.2, 0.5]), np.array([1.3, 1.3, 2.0]), np.arange(2)).tolist()
    [0]
    >>> [part.tolist() for part in steps.along(0, 1.5)]
    [[0, 1], [1.0, 2.0], [2.0, 3.0]]
    """

    corners: Floats
    first: Indices
    values: Floats

    @classmethod
    def of(cls, pieces: Sequence[Floats], values: Sequence[float]) -> Steps:
        """Return the function that has these values on these pieces, but for those made by rounding."""
        kept = np.flatnonzero(np.array([thickness(piece) for piece in pieces]) > THIN)
        some = [pieces[k] for k in kept.tolist()]
        first = np.cumsum([0, *map(len, some)])
        return cls(np.concatenate(some), first, np.asarray(values, dtype=float)[kept])

    def __len__(self) -> int:
        return len(self.values)

    def piece(self, number: int) -> Floats:
        """Return the corners of a piece."""
        return self.corners[self.first[number] : self.first[number + 1]]

    @cached_property
    def spans(self) -> tuple[Floats, Floats]:
        """The least and the largest x, y and x/y of every piece: one row each."""
        along = axes_of(self.corners)
        low = np.minimum.reduceat(along, self.first[:-1], axis=1)
        return low, np.maximum.reduceat(along, self.first[:-1], axis=1)

    @cached_property
    def sides(self) -> Floats:
        """Positive inside: c + a x + b y of the side from every corner to the next, with c, a and b in rows."""
        (x0, y0), (x1, y1) = self.corners.T, self.corners[self._next].T
        return np.array([x0 * (y1 - y0) - y0 * (x1 - x0), y0 - y1, x1 - x0])

    def within(self, low: Floats, high: Floats, among: Indices) -> Indices:
        """Return which of some pieces may meet a part of the rectangle, of so low and so high x, y and x/y.

        Those are left whose box is beside that of the part, or one of whose sides has that box beyond it.
        """
        least, most = self.spans
        meets = (least[:, among] < high[:, None]) & (most[:, among] > low[:, None])
        some = among[meets.all(axis=0)]
        if not len(some):
            return some
        count = self.first[some + 1] - self.first[some]
        begins = np.cumsum(count) - count
        corner = np.repeat(self.first[some] - begins, count) + np.arange(count.sum())
        c, a, b = self.sides[:, corner]
        reach = c + np.maximum(a * low[0], a * high[0]) + np.maximum(b * low[1], b * high[1])
        return some[np.minimum.reduceat(reach, begins) > 0.0]

    def along(self, axis: int, at: float) -> tuple[Indices, Floats, Floats]:
        """Return which pieces a line parallel to an axis crosses, and from where to where."""
        on, off = self.corners[:, axis], self.corners[:, 1 - axis]
        after = self._next
        beyond = off > at
        start = np.flatnonzero(beyond != beyond[after])
        end = after[start]
        share = (at - off[start]) / (off[end] - off[start])
        crossing = on[start] + share * (on[end] - on[start])
        whose = np.searchsorted(self.first, start, side="right") - 1
        begins = np.flatnonzero(np.diff(whose, prepend=-1))
        low = np.minimum.reduceat(crossing, begins)
        return whose[begins], low, np.maximum.reduceat(crossing, begins)

    @cached_property
    def _next(self) -> Indices:
        """Which corner comes after each."""
        after = np.arange(1, len(self.corners) + 1)
        after[self.first[1:] - 1] = self.first[:-1]
        return after
