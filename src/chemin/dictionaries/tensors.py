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

    def at_point(self, i: int, index: Any) -> Any:
        """Return some columns at one row."""

    def column(self, j: int) -> Any:
        """Return one column."""

    def products(self, rows: Any, factors: Any, count: int, out: Any) -> None:
        """Write factorsᵀX over some rows, then the sums of squares over the first `count` of them, one per column."""

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

    def at_point(self, i: int, index: Any) -> Any:
        return self.data[i].index_select(0, index)

    def column(self, j: int) -> Any:
        return self.data[:, j]

    def products(self, rows: Any, factors: Any, count: int, out: Any) -> None:
        torch = torch_module()
        step = max(1, _TILE // self.shape[1])
        found, square = out[:-1], out[-1]
        part = self.data.index_select(0, rows[:step])
        torch.mm(factors[:step].T, part, out=found)
        torch.linalg.vector_norm(part[:count], dim=0, out=square).square_()
        for start in range(step, len(rows), step):
            part = self.data.index_select(0, rows[start : start + step])
            found.addmm_(factors[start : start + step].T, part)
            if start < count:
                square += part[: count - start].norm(dim=0).square_()

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

    def products(self, rows: Any, factors: Any, count: int, out: Any) -> None:
        start = 0
        for tile in self._at(rows).tiles():
            some = out[:, start : start + tile.shape[1]]
            some[:-1] = factors.T @ tile
            some[-1] = tile[:count].norm(dim=0).square_()
            start += tile.shape[1]

    def _at(self, rows: Any) -> ComputedTensors:
        return ComputedTensors(self.points[rows], self.centers, self.kernels, self.scale)

    def entries(self, rows: Any, index: Any) -> Any:
        return self._entries(self.points if rows is None else self.points[rows], index)

    def _entries(self, points: Any, index: Any) -> Any:
        c = self.centers.shape[0]
        out = points.new_empty((points.shape[0], len(index)))
        kernel = index // c
        for which in kernel.unique().tolist():
            place = (kernel == which).nonzero()[:, 0]
            out[:, place] = self._block(points, which, index[place] - which * c)
        return out

    def at_point(self, i: int, index: Any) -> Any:
        return self._entries(self.points[i : i + 1], index)[0]

    def column(self, j: int) -> Any:
        which, center = divmod(j, self.centers.shape[0])
        return self._block(self.points, which, slice(center, center + 1))[:, 0]

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
        if self.scale is None:
            return values
        c = self.centers.shape[0]
        return values / self.scale[which * c : (which + 1) * c][center]


def joined(parts: Iterable[Any]) -> Any:
    """Return tensors end to end."""
    return torch_module().cat(list(parts))


def _arange(like: Any, length: int) -> Any:
    return torch_module().arange(length, device=like.device)
