"""Columns held in memory as one dense array."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.blas import daxpy

from chemin.dictionaries.base import Floats, Indices, digest_of

_MANY = 8
_LONG = 1000


@dataclass(frozen=True, eq=False)
class DenseDictionary:
    """A dense ``(n, p)`` float array, with optional column names."""

    data: Floats
    names: NDArray[Any] | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {"data": self.data, "names": self.names}

    @property
    def shape(self) -> tuple[int, int]:
        n, p = self.data.shape
        return n, p

    @property
    def most_columns(self) -> int:
        return self.data.shape[1]

    @property
    def look_cost(self) -> float:
        return float(self.data.size)

    def resident(self) -> AbstractContextManager[DenseDictionary]:
        return nullcontext(self)

    def columns(self, index: Indices) -> Floats:
        whole = len(index) == self.data.shape[1] and np.array_equal(index, np.arange(len(index)))
        return np.ascontiguousarray(self.data if whole else self.data.take(index, axis=1))

    def block(self, rows: Indices, index: Indices) -> Floats:
        if len(index) and np.array_equal(index, np.arange(index[0], index[0] + len(index))):
            return np.ascontiguousarray(self.data[rows, index[0] : index[0] + len(index)])
        out = np.empty((len(rows), len(index)))
        for place, row in enumerate(
            rows
        ):  # along memory, which takes a fifth of the time of one indexing by both
            self.data[row].take(index, out=out[place], mode="clip")
        return out

    def correlations(self, u: Floats, rows: Indices | None = None) -> Floats:
        if rows is None:
            return np.asarray(self.data.T @ u)
        if u.ndim == 1 and 2 * len(rows) < len(self.data) and self.data.shape[1] > _LONG:
            total = np.zeros(self.data.shape[1])
            for row, factor in zip(
                rows, u, strict=True
            ):  # long rows one by one are faster than a copy of them
                daxpy(self.data[row], total, a=factor)
            return total
        if _MANY * len(rows) < len(self.data):
            out = np.empty((self.data.shape[1], *u.shape[1:]))
            for start in range(
                0, len(out), _LONG
            ):  # some columns at a time: their copy does not leave the cache
                np.matmul(
                    self.data[rows, start : start + _LONG].T, u, out=out[start : start + _LONG]
                )
            return out
        whole = np.zeros(
            (len(self.data), *u.shape[1:])
        )  # copying many rows takes longer than reading all
        whole[rows] = u
        return np.asarray(self.data.T @ whole)

    def scores(self, coef: Any) -> Floats:
        # A sparse right-hand side keeps the product at O(n · number of non-zeros).
        return np.asarray((coef.T @ self.data.T).T if hasattr(coef, "tocsr") else self.data @ coef)

    def column_norms(self) -> Floats:
        return np.sqrt(np.einsum("ij,ij->j", self.data, self.data))

    def column_ranges(self) -> Floats:
        return np.stack([self.data.min(axis=0), self.data.max(axis=0)], axis=1)

    def row_norms(self) -> Floats:
        return np.sqrt(np.einsum("ij,ij->i", self.data, self.data))

    def at_hand(self) -> Floats | None:
        return self._in_rows

    @cached_property
    def _in_rows(self) -> Floats:
        """The data in C order: themselves, or a copy that is made when first asked for."""
        return np.ascontiguousarray(self.data, dtype=np.float64)

    def nbytes(self) -> int:
        return int(8 * self.data.size)

    def digest(self) -> Floats:
        return digest_of(self.data)
