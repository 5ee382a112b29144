"""How are similarities used that are known beforehand? Points are then row numbers of their matrix."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from chemin.dictionaries.base import Floats, Indices
from chemin.exceptions import InvalidInputError
from chemin.kernels.base import Kernel
from chemin.kernels.points import as_numbers

__all__ = ["Precomputed"]


@dataclass(frozen=True, eq=False, repr=False)
class Precomputed(Kernel):
    """A matrix of similarities known beforehand: points are its row numbers, one column of whole numbers.

    k(i, j) = matrix[i, j], so X is ``np.arange(n).reshape(-1, 1)`` for the n first points. New points must be in the
    matrix too: compute it on training and test points together. It is copied once, and shared by copies of the kernel.

    Parameters
    ----------
    matrix : (n, n) array
        Finite and symmetric.

    Examples
    --------
    >>> k = Precomputed([[1.0, 0.5], [0.5, 1.0]])
    >>> k([[0]], [[1], [0]]).tolist(), str(k)
    ([[0.5, 1.0]], 'Precomputed(2 × 2)')
    """

    matrix: Any

    def __post_init__(self) -> None:
        matrix = np.array(_dense(self.matrix))
        if matrix.shape[0] != matrix.shape[1]:
            remedy = (
                "pass the similarities of all points, training and test, in rows and in columns"
            )
            raise InvalidInputError(
                f"a precomputed matrix is square, and this one has shape {matrix.shape}: {remedy}"
            )
        if np.abs(matrix - matrix.T).max(initial=0.0) > 1e-8 * np.abs(matrix).max(initial=0.0):
            raise InvalidInputError(
                "the precomputed matrix is not symmetric: pass (matrix + matrix.T) / 2"
            )
        matrix.setflags(write=False)
        object.__setattr__(self, "matrix", matrix)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Precomputed) and np.array_equal(self.matrix, other.matrix)

    def __hash__(self) -> int:
        return hash((self.matrix.shape, self.matrix.tobytes()))

    def __deepcopy__(self, memo: Any) -> Precomputed:
        return self  # never written to

    def __repr__(self) -> str:
        return f"Precomputed({len(self.matrix)} × {len(self.matrix)})"

    @property
    def name(self) -> str:
        return repr(self)

    @property
    def positive(self) -> bool | None:
        return None

    def __call__(self, X: Any, Z: Any) -> Floats:
        return self.matrix[np.ix_(self._rows(X), self._rows(Z))]

    def diagonal(self, X: Any) -> Floats:
        rows = self._rows(X)
        return self.matrix[rows, rows]

    def _rows(self, X: Any) -> Indices:
        numbers = _dense(X)
        rows = numbers.astype(np.intp)
        if (
            rows.shape[1] != 1
            or (rows != numbers).any()
            or (rows < 0).any()
            or (rows >= len(self.matrix)).any()
        ):
            raise InvalidInputError(
                f"points of a precomputed kernel are row numbers of its matrix: pass one column of whole numbers from "
                f"0 to {len(self.matrix) - 1}, for example np.arange(n).reshape(-1, 1)"
            )
        return rows.ravel()


def _dense(X: Any) -> Floats:
    numbers = as_numbers(X)
    return numbers.toarray() if sparse.issparse(numbers) else numbers
