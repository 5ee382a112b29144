"""What are columns on a device of PyTorch? Tensors: stored there, or computed there in tiles when asked."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from chemin.exceptions import InvalidInputError, MissingLibraryError

_TILE = 2**25  # entries computed or copied at once
_MANY = 8  # from this share of all points on, all are read rather than some copied

TensorKernel = Callable[[Any, Any], Any]


def torch_module() -> Any:
    """Return PyTorch, or say how to have it."""
    try:
        return importlib.import_module("torch")
    except ImportError as missing:
        raise MissingLibraryError(
            'a GPU is used through PyTorch: pip install "chemin[gpu]"'
        ) from missing


class Tensors(Protocol):
    """Where the entries are: two products, and a choice of entries; all arguments and results are tensors."""

    @property
    def shape(self) -> tuple[int, int]:
        """Number of points and number of columns."""

    @property
    def device(self) -> Any:
        """Where they are."""

    def transposed(self, u: Any, rows: Any = None) -> Any:
        """Return Xᵀu, for u of shape (n, k); if `rows` are given, u has no other entries."""

    def entries(self, rows: Any, index: Any) -> Any:
        """Return some columns at some rows, or at all if `rows` is None."""

    def moments(self, rows: Any, axes: Any) -> tuple[Any, Any, Any]:
        """Return, over some rows, the sums of the entries and of their squares, one per column, and Xᵀ·axes."""

    def tiles(self) -> Iterator[Any]:
        """Hand out all columns in order, some at a time."""


@dataclass(frozen=True, eq=False)
class StoredTensors:
    """All entries in the memory of the device."""

    data: Any

    @property
    def device(self) -> Any:
        return self.data.device

    @property
    def shape(self) -> tuple[int, int]:
        n, p = self.data.shape
        return n, p

    def transposed(self, u: Any, rows: Any = None) -> Any:
        if rows is None:
            return self.data.T @ u
        n, p = self.shape
        if _MANY * len(rows) >= n:
            return self.data.T @ u.new_zeros((n, u.shape[1])).index_copy_(0, rows, u)
        total, step = u.new_zeros((p, u.shape[1])), max(1, _TILE // p)
        for start in range(0, len(rows), step):
            total.addmm_(
                self.data.index_select(0, rows[start : start + step]).T, u[start : start + step]
            )
        return total

    def entries(self, rows: Any, index: Any) -> Any:
        return self.data.index_select(1, index) if rows is None else self.data[rows[:, None], index]

    def moments(self, rows: Any, axes: Any) -> tuple[Any, Any, Any]:
        p = self.shape[1]
        total, square, along = (
            axes.new_zeros(p),
            axes.new_zeros(p),
            axes.new_zeros((p, axes.shape[1])),
        )
        step = max(1, _TILE // p)
        for start in range(0, len(rows), step):
            part = self.data.index_select(0, rows[start : start + step])
            total += part.sum(0)
            square += part.norm(dim=0).square_()
            along.addmm_(part.T, axes[start : start + step])
        return total, square, along

    def tiles(self) -> Iterator[Any]:
        n, p = self.shape
        step = max(1, _TILE // n)
        for start in range(0, p, step):
            yield self.data[:, start : start + step]


@dataclass(frozen=True, eq=False)
class ComputedTensors:
    """Every kernel, centred on every chosen point, computed when asked: column l·c + j is k_l(·, z_j)/s."""

    points: Any
    centers: Any
    kernels: Sequence[TensorKernel]
    scale: Any = None

    @property
    def device(self) -> Any:
        return self.points.device

    @property
    def shape(self) -> tuple[int, int]:
        return self.points.shape[0], self.centers.shape[0] * len(self.kernels)

    def transposed(self, u: Any, rows: Any = None) -> Any:
        seen = self if rows is None else self._at(rows)
        return joined(tile.T @ u for tile in seen.tiles())

    def moments(self, rows: Any, axes: Any) -> tuple[Any, Any, Any]:
        tiles = [
            (tile.sum(0), tile.norm(dim=0).square_(), tile.T @ axes)
            for tile in self._at(rows).tiles()
        ]
        total, square, along = (joined(parts) for parts in zip(*tiles, strict=True))
        return total, square, along

    def _at(self, rows: Any) -> ComputedTensors:
        return ComputedTensors(self.points[rows], self.centers, self.kernels, self.scale)

    def entries(self, rows: Any, index: Any) -> Any:
        points, c = self.points if rows is None else self.points[rows], self.centers.shape[0]
        out = points.new_empty((points.shape[0], len(index)))
        kernel = index // c
        for which in kernel.unique().tolist():
            place = (kernel == which).nonzero()[:, 0]
            out[:, place] = self._block(points, which, index[place] - which * c)
        return out

    def tiles(self) -> Iterator[Any]:
        c, step = self.centers.shape[0], max(1, _TILE // self.points.shape[0])
        everything = _arange(self.centers, c)
        for which in range(len(self.kernels)):
            for start in range(0, c, step):
                yield self._block(self.points, which, everything[start : start + step])

    def stored(self) -> StoredTensors:
        """Return the same columns, all computed now."""
        data, place = self.points.new_empty(self.shape), 0
        for tile in self.tiles():
            data[:, place : place + tile.shape[1]] = tile
            place += tile.shape[1]
        return StoredTensors(data)

    def _block(self, points: Any, which: int, center: Any) -> Any:
        values = self.kernels[which](points, self.centers[center])
        if not values.isfinite().all():
            raise InvalidInputError(
                f"kernel {which} is not finite here: rescale the data, or drop it"
            )
        return (
            values
            if self.scale is None
            else values / self.scale[which * self.centers.shape[0] + center]
        )


def joined(parts: Iterable[Any]) -> Any:
    """Return tensors end to end."""
    return torch_module().cat(list(parts))


def _arange(like: Any, length: int) -> Any:
    return torch_module().arange(length, device=like.device)
