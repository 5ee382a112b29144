"""Columns held in memory as a SciPy sparse array, never made dense as a whole."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chemin.dictionaries.base import Dictionary, Floats, Indices, digest_of
from chemin.dictionaries.dense import DenseDictionary

_COPY = 2**23  # bytes of dense columns that are always affordable
_SMALL = 2**26  # bytes of a dense array that may stand for a sparse one while a path is followed
_BOTH_ORDERS = 24  # bytes per entry: by columns and, once asked for a point, by rows
_SCATTERED = 3.0  # cost of an entry that has to be found first


@dataclass(frozen=True, eq=False)
class SparseDictionary:
    """A SciPy CSC array of shape ``(n, p)``, with optional column names."""

    data: Any
    names: NDArray[Any] | None = None

    @property
    def shape(self) -> tuple[int, int]:
        n, p = self.data.shape
        return n, p

    def __getstate__(self) -> dict[str, Any]:
        return {"data": self.data, "names": self.names}

    @cached_property
    def _by_rows(self) -> Any:
        return self.data.tocsr()

    @property
    def most_columns(self) -> int:
        stored = self.data.nnz * self.data.dtype.itemsize
        return int(max(stored, _COPY) // (8 * self.data.shape[0]))

    @property
    def look_cost(self) -> float:
        return _SCATTERED * float(self.data.nnz) + self.data.shape[1]

    def resident(self) -> AbstractContextManager[Dictionary]:
        """Hold the entries as a dense array while questions are asked, if that is small; they are answered faster."""
        n, p = self.data.shape
        if 8 * n * p > _SMALL:
            return nullcontext(self)
        return nullcontext(DenseDictionary(self.data.toarray(order="C"), self.names))

    def columns(self, index: Indices) -> Floats:
        return self.data[:, index].toarray(order="C")

    def block(self, rows: Indices, index: Indices) -> Floats:
        return np.asarray(self._by_rows[rows][:, index].toarray(order="C"))

    def correlations(self, u: Floats, rows: Indices | None = None) -> Floats:
        return np.asarray((self.data if rows is None else self._by_rows[rows]).T @ u)

    def scores(self, coef: Any) -> Floats:
        product = self.data @ coef
        return np.asarray(product.toarray() if hasattr(product, "toarray") else product)

    def column_norms(self) -> Floats:
        return np.sqrt(np.asarray(self.data.multiply(self.data).sum(axis=0)).ravel())

    def column_ranges(self) -> Floats:
        return np.stack(
            [getattr(self.data, verb)(axis=0).toarray().ravel() for verb in ("min", "max")], axis=1
        )

    def row_norms(self) -> Floats:
        return np.sqrt(np.asarray(self.data.multiply(self.data).sum(axis=1)).ravel())

    def at_hand(self) -> Floats | None:
        return None

    def nbytes(self) -> int:
        return int(_BOTH_ORDERS * self.data.nnz)

    def digest(self) -> Floats:
        return digest_of(self.data.data, self.data.indices, self.data.indptr)
