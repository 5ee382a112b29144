"""Columns that live on a GPU, or on any other device of PyTorch.

What all columns are asked for is done there and only the answer travels: the nearest columns, the entries of a point
that comes to the margin, a column that becomes active. All numbers are float64. Each answer is one synchronisation;
``synchronisations`` counts them, and ``entries_read`` what the surveys had to read.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from chemin.dictionaries.base import Floats, Indices, digest_of
from chemin.dictionaries.survey import UNBALANCED, Ahead, Nearest, Units
from chemin.dictionaries.tensors import Tensors, joined, torch_module

_COPIED = 2**26  # bytes of columns that may all be copied to ordinary memory
_KEPT = 2**26  # bytes of single columns that are not fetched again
_READ_AT_ONCE = 100.0  # entries that a device reads while a core reads one
_ASKED = 2e5  # what a question costs, in multiplications of a core, be the answer short or long
_CHANGE, _AHEAD, _TOTAL, _ALONG = range(4)  # rows of the products of a survey
_CORRELATION, _PACE, _DISTANCE, _NUMBER = range(4)  # rows of its table
_PARAMETERS = 6  # numbers that a survey is given, before one share per axis


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
    _kept: dict[int, Floats] = field(default_factory=dict, init=False, repr=False)
    _letter: Letter | None = field(default=None, init=False, repr=False)
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
        if len(index) == 1:
            return self._column(int(index[0]))[:, None]
        return self.fetched(self.tensors.entries(None, self.sent(index)))

    def _column(self, j: int) -> Floats:
        """Return one column, fetched unless it was lately: many leave and come back."""
        column = self._kept.pop(j, None)
        if column is None:
            column = self.fetched(self.tensors.column(j))
            if len(self._kept) * column.nbytes >= _KEPT:
                del self._kept[next(iter(self._kept))]
        self._kept[j] = column
        return column

    def block(self, rows: Indices, index: Indices) -> Floats:
        out = self.blank((len(rows), len(index)))
        self.copy_block(rows, index, out)
        return out

    def blank(self, shape: tuple[int, int]) -> Floats:
        """Return an array to copy entries into, in memory that the device can write."""
        blank: Floats = self._blank(shape).numpy()
        return blank

    def copy_block(self, rows: Indices, index: Indices, out: Floats) -> None:
        """Copy the entries of some rows and columns into an array of `blank`, or part of it."""
        if index is not self._index[0]:  # resident columns are asked for point after point
            if self._letter is None or len(rows) + len(index) > self._letter.words:
                self._letter = Letter(self, 2 * (len(rows) + len(index)))
            rows_there, there = self._letter.send(rows, index)
            self._index = (index, there)
        else:
            rows_there, there = (self.sent(rows) if len(rows) > 1 else None), self._index[1]
        if len(rows) == 1:
            found = self.tensors.at_point(int(rows[0]), there)[None]
        else:
            found = self.tensors.entries(rows_there, there)
        self.synchronisations += 1
        torch_module().from_numpy(out).copy_(found)

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

    def _blank(self, shape: int | tuple[int, int]) -> Any:
        torch = torch_module()
        return torch.empty(shape, dtype=torch.float64, pin_memory=self.is_cuda)

    @property
    def is_cuda(self) -> bool:
        """Whether the device is a GPU that reads and writes pinned memory by itself, and can replay its work."""
        return bool(self.tensors.device.type == "cuda")


class Letter:
    """Arrays of float64 and of indices, sent to a device as one; the last ones must have been read by then."""

    def __init__(self, dictionary: GpuDictionary, words: int) -> None:
        torch = torch_module()
        self.words = words
        self.here = dictionary.blank((1, words))[0]
        self.source = torch.from_numpy(self.here)
        self.there = torch.empty(words, dtype=torch.float64, device=dictionary.tensors.device)
        self.indices_here = self.here.view(np.int64)
        self.indices_there = self.there.view(torch.int64)

    def send(self, *arrays: NDArray[Any]) -> list[Any]:
        """Return the arrays as tensors."""
        tensors = []
        end = 0
        for array in arrays:
            begin, end = end, end + array.size
            whole = array.dtype.kind == "i"
            (self.indices_here if whole else self.here)[begin:end] = array.ravel()
            tensor = (self.indices_there if whole else self.there)[begin:end]
            tensors.append(tensor if array.ndim == 1 else tensor.view(array.shape))
        self.there[:end].copy_(self.source[:end], non_blocking=True)
        return tensors


class TensorSurvey:
    """All correlations on the device, and the nearest columns found there.

    A question is sent as one message and answered by one: changes of u and units wait for it. What has to be done for
    every column is the same for every question, and a GPU replays it as one graph.
    """

    axes = 16  # they are products of entries that are read anyway

    def __init__(
        self, dictionary: GpuDictionary, norm: Any, ranges: Any, weight: Any, excluded: Any
    ) -> None:
        self.dictionary, self.norm, self.ranges, self.weight = dictionary, norm, ranges, weight
        self.excluded = excluded
        n, p = dictionary.shape
        self.table = norm.new_ones((4, p))
        self.table[_CORRELATION] = 0.0
        self.table[_NUMBER] = torch_module().arange(p)
        self.correlation = self.table[_CORRELATION]
        self.waiting: tuple[Floats, Indices] | None = None
        self.units: Units | None = None
        self.place = np.full(n, -1, dtype=np.intp)
        self.taken = np.zeros(p, dtype=bool)
        room = _PARAMETERS + self.axes + n * (1 + _ALONG + self.axes) + p
        self.letter = Letter(dictionary, room)
        self.replays: dict[tuple[int, bool], tuple[Any, Replay]] = {}

    def cost(self, share: float) -> float:
        return (
            0.4 * share * self.dictionary.look_cost + _ASKED + 40.0 * len(self.norm) / _READ_AT_ONCE
        )

    def read(self, u: Floats) -> None:
        self.waiting = None
        self.correlation.copy_(self._product(u))

    def measure_by(self, units: Units) -> None:
        self.units = units

    def update(self, change: Floats, rows: Indices) -> None:
        self._catch_up()
        self.waiting = (change, rows)

    def _catch_up(self) -> None:
        """Bring the correlations up to date."""
        if self.waiting is not None:
            self.correlation += self._product(*self.waiting)
            self.waiting = None

    def nearest(
        self, l1: float, count: int, active: Indices, ahead: Ahead | None = None
    ) -> Nearest:
        taken = self._search(l1, active, ahead)
        most = min(count + 1 + len(active), len(self.norm))
        answer = self.dictionary.fetched(
            self.table.index_select(1, torch_module().cat([self.order[:most], taken]))
        )
        numbers = answer[_NUMBER].astype(np.intp)
        self.taken[active] = True
        others = np.flatnonzero(~self.taken[numbers[:most]] & (answer[_DISTANCE, :most] < np.inf))
        self.taken[active] = False
        limit = np.inf
        if count < len(self.norm) - len(self.excluded) - len(active) and len(others) > count:
            limit = float(answer[_DISTANCE, others[count]])
        kept = np.concatenate((others[:count], np.arange(most, len(numbers))))
        return Nearest(
            numbers[kept], answer[_CORRELATION].take(kept), answer[_PACE].take(kept), limit
        )

    def _search(self, l1: float, active: Indices, ahead: Ahead | None) -> Any:
        """Have the distances of all columns on the device, and their order; return the active ones as a tensor."""
        assert self.units is not None
        units = self.units
        rows, factors = self._factors(units, ahead)
        direction = (0.0, 0.0) if ahead is None else (ahead.l1, ahead.speed)
        shares = 1.0 - units.stretch**-2
        given = (1.0 / len(units.rows), units.elsewhere, units.l1, l1, *direction, *shares)
        parameters, there, factors_there, taken = self.letter.send(
            np.array(given), rows, factors, active
        )
        self.dictionary.entries_read += len(rows) * len(self.norm)
        key = (len(shares), ahead is not None)
        if key not in self.replays:
            products = self.norm.new_zeros((factors.shape[1] + 1, len(self.norm)))
            work = partial(self._distances, key[1], parameters, products)
            self.replays[key] = (products, Replay(work, self.dictionary.is_cuda))
        products, replay = self.replays[key]
        self.dictionary.tensors.products(there, factors_there, len(units.rows), products)
        self.order = replay()
        self.waiting = None
        return taken

    def _factors(self, units: Units, ahead: Ahead | None) -> tuple[Indices, Floats]:
        """Return the rows that are asked for, the margin first, and what their entries are multiplied by."""
        parts = [units.rows]
        if self.waiting is not None:
            parts.append(self.waiting[1])
        if ahead is not None:
            parts.append(ahead.rows)
        rows = units.rows
        self.place[rows] = np.arange(len(rows))
        for part in parts[1:]:
            more = part[self.place[part] < 0]
            self.place[more] = np.arange(len(rows), len(rows) + len(more))
            rows = np.concatenate((rows, more))
        factors = np.zeros((len(rows), _ALONG + len(units.stretch)))
        factors[: len(units.rows), _TOTAL] = 1.0
        factors[: len(units.rows), _ALONG:] = units.axes
        if self.waiting is not None:
            factors[self.place[self.waiting[1]], _CHANGE] = self.waiting[0]
        if ahead is not None:
            factors[self.place[ahead.rows], _AHEAD] = ahead.change
        self.place[rows] = -1
        return rows, factors

    def _distances(self, aimed: bool, parameters: Any, products: Any) -> Any:
        """Bring the table up to date; return the columns by increasing distance."""
        per_row, elsewhere, unit_l1, l1, ahead_l1, speed = parameters[:_PARAMETERS]
        table, total, along, square = (
            self.table,
            products[_TOTAL],
            products[_ALONG:-1],
            products[-1],
        )
        table[_CORRELATION] += products[_CHANGE]
        mean = total * per_row
        varying = square - total * mean - parameters[_PARAMETERS:] @ along.square()
        largest = (mean - self.ranges[:, 0]).maximum(self.ranges[:, 1] - mean)
        pace = varying.clamp_(min=0.0).sqrt_().add_(self.norm, alpha=UNBALANCED)
        pace = pace.hypot(elsewhere * largest).hypot(unit_l1 * self.weight)
        table[_PACE] = pace.index_fill_(0, self.excluded, 1.0)
        if aimed:
            distance = self._distances_ahead(products[_AHEAD], l1, ahead_l1, speed)
        else:
            distance = (l1 * self.weight - table[_CORRELATION].abs()) / pace
        table[_DISTANCE] = distance.index_fill_(0, self.excluded, float("inf"))
        return table[_DISTANCE].sort()[1]

    def beyond(self, l1: float, also: Indices) -> tuple[Indices, Floats]:
        self._catch_up()
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

    def _distances_ahead(self, rate: Any, l1: Any, ahead_l1: Any, speed: Any) -> Any:
        steps = torch_module().full_like(rate, float("inf"))
        infinite = steps
        for sign in (1.0, -1.0):  # slack l1 v ∓ c
            closing = sign * rate - ahead_l1 * self.weight
            reached = (l1 * self.weight - sign * self.correlation).clamp_(min=0.0) / closing
            steps = steps.minimum(reached.where(closing > 0, infinite))
        return steps.where(steps.isinf(), steps * speed)  # the speed may be 0


class Replay:
    """Work on tensors that stay where they are; a GPU records it once, and is told to do it again by one call."""

    def __init__(self, work: Callable[[], Any], on_gpu: bool) -> None:
        self.work: Callable[[], Any] | None = work
        if on_gpu:
            self._record(work)

    def _record(self, work: Callable[[], Any]) -> None:
        torch = torch_module()
        self.graph = torch.cuda.CUDAGraph()
        aside, here = torch.cuda.Stream(), torch.cuda.current_stream()
        aside.wait_stream(here)
        with torch.cuda.stream(aside):
            work()  # libraries make themselves ready, which cannot be recorded
            self.graph.capture_begin()
            self.result = work()
            self.graph.capture_end()
        here.wait_stream(aside)
        self.work = None  # nothing is kept alive by it

    def __call__(self) -> Any:
        if self.work is not None:
            return self.work()
        self.graph.replay()
        return self.result
