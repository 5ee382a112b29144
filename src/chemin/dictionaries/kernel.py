"""Columns that are computed when asked for: every kernel, centred on every chosen point.

Column (j, l) is x ↦ k_l(z_j, x) / s_jl for centres z_j, kernels k_l and scales s_jl. Kernel after kernel: column
number l·c + j of c centres. While a path is followed as many of the blocks n × c are held as the memory allows; the
others are computed again, a tile at a time, whenever all columns are looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from chemin.dictionaries.base import Dictionary, Floats, Indices, digest_of
from chemin.dictionaries.dense import DenseDictionary
from chemin.exceptions import InvalidInputError

_TILE = 2**23  # entries computed at once
_ENTRY = 8  # bytes
_FEWEST = 256  # columns that the engine may always keep
_COMPUTED = 10.0  # cost of an entry that is computed again, rather than read
_VECTORS = 12  # of the length of a row, which the engine keeps whatever the columns do

Kernel = Callable[[Any, Any], Floats]


@dataclass(frozen=True, eq=False)
class KernelDictionary:
    """The n × (c·m) columns of m kernels centred on c points, seen at n points.

    Attributes
    ----------
    points : array of n rows
        Where the columns are evaluated.
    centers : array of c rows
        The points z_j.
    kernels : sequence of m kernels
        Functions (X, Z) → matrix.
    scale : ndarray of shape (c·m,), optional
        What the columns are divided by.
    memory : int
        Bytes that the columns may take.
    """

    points: Any
    centers: Any
    kernels: Sequence[Kernel]
    scale: Floats | None = None
    memory: int = 2**30
    held: Mapping[int, Floats] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        n, p = self.shape
        needed = _VECTORS * _ENTRY * p + 2 * _ENTRY * n
        if needed > self.memory:
            c, m = self.centers.shape[0], len(self.kernels)
            raise InvalidInputError(
                f"{c} centres × {m} kernels are {p} columns, for which the engine needs at least "
                f"{needed / 2**30:.3g} GiB even if it holds none of them, and {self.memory / 2**30:.3g} GiB are "
                "allowed: choose fewer centers or kernels, or raise memory"
            )

    @property
    def shape(self) -> tuple[int, int]:
        return self.points.shape[0], self.centers.shape[0] * len(self.kernels)

    @property
    def most_columns(self) -> int:
        n, p = self.shape
        return max(_FEWEST, (self.memory - _VECTORS * _ENTRY * p) // 2 // (n * _ENTRY))

    @property
    def look_cost(self) -> float:
        n, p = self.shape
        return float(n * p) * (1.0 + _COMPUTED * (1.0 - len(self.held) / len(self.kernels)))

    @property
    def names(self) -> NDArray[Any] | None:
        return None

    def columns(self, index: Indices) -> Floats:
        out = np.empty((self.shape[0], len(index)))
        kernel, center = np.divmod(index, self.centers.shape[0])
        for which in np.unique(kernel):
            place = np.flatnonzero(kernel == which)
            out[:, place] = self._block(int(which), center[place])
        return out

    def block(self, rows: Indices, index: Indices) -> Floats:
        return self._at(rows).columns(index)

    def correlations(self, u: Floats, rows: Indices | None = None) -> Floats:
        return np.concatenate(
            [tile.T @ u for tile in (self if rows is None else self._at(rows))._tiles()]
        )

    def scores(self, coef: Any) -> Floats:
        coef = sparse.csr_array(coef) if sparse.issparse(coef) else np.asarray(coef)
        used = np.unique(coef.nonzero()[0])  # the other columns are not computed
        total = np.zeros((self.shape[0], *coef.shape[1:]))
        width = max(1, _TILE // self.shape[0])
        for start in range(0, len(used), width):
            some = used[start : start + width]
            total += DenseDictionary(self.columns(some)).scores(coef[some])
        return total

    def column_norms(self, weight: Floats | None = None) -> Floats:
        counts = np.ones(self.shape[0]) if weight is None else weight
        return np.sqrt(
            np.concatenate([np.einsum("i,ij,ij->j", counts, tile, tile) for tile in self._tiles()])
        )

    def column_ranges(self) -> Floats:
        return np.concatenate([DenseDictionary(tile).column_ranges() for tile in self._tiles()])

    def row_norms(self) -> Floats:
        return np.sqrt(sum(np.einsum("ij,ij->i", tile, tile) for tile in self._tiles()))

    def at_hand(self) -> Floats | None:
        return None

    def nbytes(self) -> int:
        n, p = self.shape
        return int(min(_ENTRY * n * p, self.memory))

    def digest(self) -> Floats:
        return digest_of(*(_numbers(part) for part in (self.points, self.centers, self.scale)))

    @contextmanager
    def resident(self) -> Iterator[Dictionary]:
        """Hold as many columns as the memory allows, all of them in one array if it can be."""
        n, p = self.shape
        room = self.memory - _VECTORS * _ENTRY * p
        if n * p * _ENTRY <= room:
            whole = np.empty((n, p))
            place = 0
            for tile in self._tiles():
                whole[:, place : place + tile.shape[1]] = tile
                place += tile.shape[1]
            yield DenseDictionary(whole)
        else:
            count = max(0, int(room // 2 // (n * self.centers.shape[0] * _ENTRY)))
            everything = np.arange(self.centers.shape[0])
            yield replace(
                self, held={which: self._block(which, everything) for which in range(count)}
            )

    def _at(self, rows: Indices) -> KernelDictionary:
        """Return the same columns at some of the points."""
        return replace(
            self, points=self.points[rows], held={which: b[rows] for which, b in self.held.items()}
        )

    def _tiles(self) -> Iterator[Floats]:
        """Hand out all columns, some at a time."""
        c, width = self.centers.shape[0], max(1, _TILE // self.shape[0])
        for which in range(len(self.kernels)):
            for start in range(0, c, width):
                yield self._block(which, np.arange(start, min(start + width, c)))

    def _block(self, which: int, center: Indices) -> Floats:
        """Return the columns of one kernel at some centres."""
        if which in self.held:
            block = self.held[which]
            return block if len(center) == block.shape[1] else block[:, center]
        n, c = self.points.shape[0], self.centers.shape[0]
        if (
            n * c <= len(center) * self.centers.shape[1]
        ):  # at few points all centres cost less than a copy of some
            values = self.kernels[which](self.points, self.centers)[:, center]
        else:
            values = self.kernels[which](self.points, self.centers[center])
        if not np.isfinite(values).all():
            raise InvalidInputError(
                f"kernel {self.kernels[which]} is not finite here: rescale the data, or drop it"
            )
        return (
            values
            if self.scale is None
            else values / self.scale[which * self.centers.shape[0] + center]
        )


def _numbers(values: Any) -> Any:
    """Return the numbers of an array or a sparse array, for a digest; other points have none."""
    return values.data if sparse.issparse(values) else values
