"""Columns that live on a GPU, or on any other device of PyTorch.

What all columns are asked for is done there and only the answer travels: the nearest columns, the entries of a point
that comes to the margin, a column that becomes active. All numbers are float64. Each answer is one synchronisation;
``synchronisations`` counts them, and ``entries_read`` what the surveys had to read.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from chemin.dictionaries.base import Floats, Indices, digest_of
from chemin.dictionaries.survey import UNBALANCED, Ahead, Nearest, Units
from chemin.dictionaries.tensors import Tensors, joined, torch_module

_COPIED = 2**26  # bytes of columns that may all be copied to ordinary memory
_READ_AT_ONCE = 100.0  # entries that a device reads while a core reads one
_ASKED = 1e6  # what a question costs, in multiplications of a core, be the answer short or long


@dataclass(eq=False)
class GpuDictionary:
    """A dictionary whose columns are tensors.

    Attributes
    ----------
    tensors : StoredTensors or ComputedTensors
        The columns, on their device.
    names : ndarray, optional
        One per column.
    room : int
        Bytes of ordinary memory in which the engine may keep copies.
    """

    tensors: Tensors
    names: NDArray[Any] | None = None
    room: int = 2**32
    synchronisations: int = field(default=0, init=False)
    entries_read: int = field(default=0, init=False)
    _index: tuple[Any, Any] = field(default=(None, None), init=False, repr=False)

    @property
    def shape(self) -> tuple[int, int]:
        n, p = self.tensors.shape
        return n, p

    @property
    def most_columns(self) -> int:
        n, p = self.shape
        most = max(256, self.room // (8 * n))
        return p if 8 * n * p <= _COPIED else min(most, p // 2)

    @property
    def look_cost(self) -> float:
        n, p = self.shape
        return float(n * p) / _READ_AT_ONCE

    def resident(self) -> AbstractContextManager[GpuDictionary]:
        return nullcontext(self)

    def columns(self, index: Indices) -> Floats:
        return self.fetched(self.tensors.entries(None, self.sent(index)))

    def block(self, rows: Indices, index: Indices) -> Floats:
        if index is not self._index[0]:  # resident columns are asked for point after point
            self._index = (index, self.sent(index))
        return self.fetched(self.tensors.entries(self.sent(rows), self._index[1]))

    def correlations(self, u: Floats, rows: Indices | None = None) -> Floats:
        wide = self.sent(np.asarray(u, dtype=np.float64).reshape(len(u), -1))
        found = self.fetched(
            self.tensors.transposed(wide, None if rows is None else self.sent(rows))
        )
        return found.reshape(found.shape[0], *u.shape[1:])

    def scores(self, coef: Any) -> Floats:
        coef = sparse.csr_array(coef) if sparse.issparse(coef) else np.asarray(coef)
        used = np.unique(coef.nonzero()[0])
        part = coef[used].toarray() if sparse.issparse(coef) else coef[used]
        wide = self.sent(
            np.asarray(part, dtype=np.float64).reshape(len(used), int(np.prod(part.shape[1:])))
        )
        found = self.fetched(self.tensors.entries(None, self.sent(used)) @ wide)
        return found.reshape(found.shape[0], *part.shape[1:])

    def column_norms(self) -> Floats:
        return self.fetched(joined(tile.square().sum(0) for tile in self.tensors.tiles()).sqrt())

    def column_ranges(self) -> Floats:
        tiles = self.tensors.tiles()
        return self.fetched(
            joined(torch_module().stack(tile.aminmax(dim=0), dim=1) for tile in tiles)
        )

    def row_norms(self) -> Floats:
        return self.fetched(sum(tile.square().sum(1) for tile in self.tensors.tiles()).sqrt())

    def at_hand(self) -> Floats | None:
        return None

    def nbytes(self) -> int:
        return 0

    def digest(self) -> Floats:
        return digest_of(self.row_norms(), self.column_norms())

    def survey(
        self, norm: Floats, ranges: Floats, weight: Floats, excluded: Indices
    ) -> TensorSurvey:
        return TensorSurvey(
            self, *(self.sent(values) for values in (norm, ranges, weight, excluded))
        )

    def sent(self, values: NDArray[Any]) -> Any:
        """Return an array as a tensor on the device."""
        return torch_module().as_tensor(np.ascontiguousarray(values)).to(self.tensors.device)

    def fetched(self, tensor: Any) -> Floats:
        """Wait for a tensor, and return it as an array."""
        self.synchronisations += 1
        return np.ascontiguousarray(tensor.cpu().numpy())


class TensorSurvey:
    """All correlations on the device, and the nearest columns found there."""

    def __init__(
        self, dictionary: GpuDictionary, norm: Any, ranges: Any, weight: Any, excluded: Any
    ) -> None:
        self.dictionary, self.norm, self.ranges, self.weight = dictionary, norm, ranges, weight
        self.excluded, self.correlation, self.pace = (
            excluded,
            norm.new_zeros(len(norm)),
            norm.new_ones(len(norm)),
        )

    def cost(self, share: float) -> float:
        return (
            0.4 * share * self.dictionary.look_cost + _ASKED + 40.0 * len(self.norm) / _READ_AT_ONCE
        )

    def read(self, u: Floats) -> None:
        self.correlation = self._product(u)

    def measure_by(self, units: Units) -> None:
        rows, axes, share = (
            self.dictionary.sent(v) for v in (units.rows, units.axes, 1.0 - units.stretch**-2)
        )
        total, square, along = self.dictionary.tensors.moments(rows, axes)
        self.dictionary.entries_read += len(rows) * len(self.norm)
        mean = total / len(rows)
        varying = (square - total * mean - along.square_() @ share).clamp_(
            min=0.0
        ).sqrt_() + UNBALANCED * self.norm
        largest = (mean - self.ranges[:, 0]).maximum(self.ranges[:, 1] - mean)
        self.pace = varying.hypot(units.elsewhere * largest).hypot(units.l1 * self.weight)
        self.pace[self.excluded] = 1.0

    def update(self, change: Floats, rows: Indices) -> None:
        self.correlation += self._product(change, rows)

    def nearest(
        self, l1: float, count: int, active: Indices, ahead: Ahead | None = None
    ) -> Nearest:
        distance = self._distances(l1) if ahead is None else self._distances_ahead(l1, ahead)
        taken = self.dictionary.sent(active)
        infinite = float("inf")
        distance[self.excluded] = infinite
        distance[taken] = infinite
        others = len(distance) - len(self.excluded) - len(active)
        found, order = distance.topk(min(count + 1, len(distance)), largest=False)
        chosen = order if count >= others else order[:count]
        columns = torch_module().cat([chosen, taken])
        ratio = distance[columns]
        answer = self.dictionary.fetched(
            torch_module().stack(
                [
                    columns.double(),
                    self.correlation[columns],
                    self.pace[columns],
                    ratio,
                    found[-1].expand(len(columns)),
                ]
            )
        )
        kept = (answer[3] < infinite) | (np.arange(len(columns)) >= len(chosen))
        limit = infinite if count >= others or not len(columns) else float(answer[4, 0])
        numbers, correlation, pace = answer[:3, kept]
        return Nearest(numbers.astype(np.intp), correlation, pace, limit)

    def beyond(self, l1: float, also: Indices) -> tuple[Indices, Floats]:
        over = self.correlation.abs() > l1 * self.weight
        kept = self.dictionary.sent(also)
        inside = over[kept]
        over[self.excluded] = False
        over[kept] = inside
        columns = over.nonzero()[:, 0]
        answer = self.dictionary.fetched(
            torch_module().stack([columns.double(), self.correlation[columns]])
        )
        return answer[0].astype(np.intp), np.ascontiguousarray(answer[1])

    def _product(self, u: Floats, rows: Indices | None = None) -> Any:
        dictionary = self.dictionary
        dictionary.entries_read += len(u) * len(self.norm)
        wide = dictionary.sent(u.reshape(-1, 1))
        return dictionary.tensors.transposed(wide, None if rows is None else dictionary.sent(rows))[
            :, 0
        ]

    def _distances(self, l1: float) -> Any:
        return (l1 * self.weight).sub_(self.correlation.abs()).div_(self.pace)

    def _distances_ahead(self, l1: float, ahead: Ahead) -> Any:
        rate, steps = (
            self._product(ahead.change, ahead.rows),
            self.norm.new_full((len(self.norm),), float("inf")),
        )
        for sign in (1.0, -1.0):  # slack l1 v ∓ c
            closing = sign * rate - ahead.l1 * self.weight
            reached = (l1 * self.weight - sign * self.correlation).clamp_(min=0.0) / closing
            reached[closing <= 0] = float("inf")
            steps = steps.minimum(reached)
        return steps.where(steps.isinf(), steps * ahead.speed)  # the speed may be 0
