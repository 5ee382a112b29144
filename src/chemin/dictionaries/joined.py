"""Columns of several kinds side by side: variables and couples, say."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from chemin.dictionaries.base import Dictionary, Floats, Indices
from chemin.dictionaries.dense import DenseDictionary

_ENTRY = 8  # bytes


@dataclass(frozen=True, eq=False)
class JoinedDictionary:
    """The columns of several dictionaries of the same points, one after the other.

    Attributes
    ----------
    parts : sequence of dictionaries
        Whose columns they are.
    memory : int
        Bytes that all columns together may take as one array.

    Examples
    --------
    >>> both = JoinedDictionary([DenseDictionary(np.eye(2)), DenseDictionary(np.ones((2, 1)))])
    >>> both.shape, both.correlations(np.array([1.0, 2.0])).tolist()
    ((2, 3), [1.0, 2.0, 3.0])
    """

    parts: Sequence[Dictionary]
    memory: int = 2**30

    @property
    def shape(self) -> tuple[int, int]:
        return self.parts[0].shape[0], int(self._starts[-1])

    @property
    def names(self) -> NDArray[Any] | None:
        return None

    @property
    def most_columns(self) -> int:
        return min(self.shape[1], sum(part.most_columns for part in self.parts))

    @property
    def look_cost(self) -> float:
        return sum(part.look_cost for part in self.parts)

    def columns(self, index: Indices) -> Floats:
        return self._gathered(index, self.shape[0], lambda part, some: part.columns(some))

    def block(self, rows: Indices, index: Indices) -> Floats:
        return self._gathered(index, len(rows), lambda part, some: part.block(rows, some))

    def correlations(self, u: Floats, rows: Indices | None = None) -> Floats:
        return np.concatenate([part.correlations(u, rows) for part in self.parts])

    def scores(self, coef: Any) -> Floats:
        coef = sparse.csr_array(coef) if sparse.issparse(coef) else np.asarray(coef)
        pieces = zip(self.parts, self._starts[:-1], self._starts[1:], strict=True)
        return np.asarray(sum(part.scores(coef[start:stop]) for part, start, stop in pieces))

    def column_norms(self) -> Floats:
        return np.concatenate([part.column_norms() for part in self.parts])

    def column_ranges(self) -> Floats:
        return np.concatenate([part.column_ranges() for part in self.parts])

    def row_norms(self) -> Floats:
        return np.sqrt(np.sum([part.row_norms() ** 2 for part in self.parts], axis=0))

    def at_hand(self) -> Floats | None:
        return None

    def nbytes(self) -> int:
        return sum(part.nbytes() for part in self.parts)

    def digest(self) -> Floats:
        return np.sum([part.digest() * (k + 1) for k, part in enumerate(self.parts)], axis=0)

    def dense(self) -> DenseDictionary:
        """Return all columns as one array."""
        return DenseDictionary(self.columns(np.arange(self.shape[1])))

    @contextmanager
    def resident(self) -> Iterator[Dictionary]:
        """Hold all columns in one array if the memory allows, else each part as it can be held."""
        n, p = self.shape
        if _ENTRY * n * p <= self.memory:
            yield self.dense()
            return
        with ExitStack() as stack:
            yield JoinedDictionary(
                [stack.enter_context(part.resident()) for part in self.parts], self.memory
            )

    @property
    def _starts(self) -> Indices:
        """Where the columns of each part begin, and where the last ends."""
        return np.cumsum([0, *(part.shape[1] for part in self.parts)])

    def _gathered(
        self, index: Indices, rows: int, entries: Callable[[Dictionary, Indices], Floats]
    ) -> Floats:
        out = np.empty((rows, len(index)))
        starts = self._starts
        owner = np.searchsorted(starts, index, side="right") - 1
        for which, part in enumerate(self.parts):
            place = np.flatnonzero(owner == which)
            if len(place):
                out[:, place] = entries(part, index[place] - starts[which])
        return out
