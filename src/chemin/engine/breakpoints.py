"""What were the sets at a breakpoint? The engine keeps the first sets and the events; they are replayed here."""

from __future__ import annotations

from array import array
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from chemin.dictionaries.base import Floats, Indices
from chemin.engine.exact.state import ELBOW, LEFT, RIGHT
from chemin.engine.record import KINDS, Record

EVENT = np.dtype([
    ("l1", float), ("kind", "U5"), ("index", np.int64), ("breakpoint", np.int64),
    ("active", np.int64), ("left", np.int64), ("elbow", np.int64), ("right", np.int64),
])  # fmt: skip
_DTYPE = {"d": np.float64, "q": np.int64}
_START, _ENTER, _LEAVE, _TO_ELBOW, _TO_LEFT, _TO_RIGHT, _END = range(len(KINDS))
_SIDE_OF_KIND = np.array([0, 0, 0, ELBOW, LEFT, RIGHT, 0], dtype=np.int8)


@dataclass(frozen=True, eq=False)
class Breakpoints:
    """The record of a path, read-only: about |E| + |V| numbers per breakpoint and one event."""

    l1: Floats
    intercept: Floats
    coef_values: Floats
    dual_values: Floats
    n_active: Indices
    n_elbow: Indices
    kind: Indices
    index: Indices
    breakpoint: Indices
    first_active: Indices
    first_elbow: Indices
    first_side: NDArray[np.int8]

    def __getstate__(self) -> dict[str, Any]:
        return {name: self.__dict__[name] for name in self.__dataclass_fields__}

    @classmethod
    def of(cls, record: Record) -> Breakpoints:
        """Freeze what the engine has recorded."""
        flat = (
            "l1",
            "intercept",
            "coef",
            "dual",
            "n_active",
            "n_elbow",
            "kind",
            "index",
            "breakpoint",
        )
        buffers = [getattr(record, name) for name in flat]
        arrays: list[Any] = [np.frombuffer(buffer, _DTYPE[buffer.typecode]) for buffer in buffers]
        return cls(
            *arrays,
            *(getattr(record, name) for name in ("first_active", "first_elbow", "first_side")),
        )

    def first(self, count: int) -> Breakpoints:
        """Return the first so many breakpoints, and what happened there."""
        numbers = {
            name: getattr(self, name)[:count] for name in ("l1", "intercept", "n_active", "n_elbow")
        }
        coef, dual = (values[: sizes.sum()] for values, sizes in
                      ((self.coef_values, numbers["n_active"]), (self.dual_values, numbers["n_elbow"])))  # fmt: skip
        happened = {
            name: getattr(self, name)[self.breakpoint < count]
            for name in ("kind", "index", "breakpoint")
        }
        return replace(self, **numbers, **happened, coef_values=coef, dual_values=dual)

    def coef(self, p: int) -> sparse.csr_array:
        """Return the coefficients at the breakpoints, one row each."""
        active, _ = self._members
        entries = (self.coef_values, active, _starts(self.n_active))
        rows = sparse.csr_array(
            entries, shape=(len(self.l1), p), copy=True
        )  # sorted in place below
        rows.eliminate_zeros()
        rows.sort_indices()
        return rows

    def dual(self, rows: Indices, weight: Floats) -> Floats:
        """Return the dual values at some breakpoints, given in increasing order, one dense row each."""
        _, elbow = self._members
        starts, dual, side, done = (
            _starts(self.n_elbow),
            np.empty((len(rows), len(weight))),
            self.first_side.copy(),
            0,
        )
        for place, k in enumerate(rows):
            until = int(np.searchsorted(self.breakpoint, k, side="right"))
            moved = slice(done, until)
            points = self.kind[moved] >= _TO_ELBOW
            points &= self.index[moved] >= 0
            # Repeated indices keep their last value, which is the order of events.
            side[self.index[moved][points]] = _SIDE_OF_KIND[self.kind[moved][points]]
            done = until
            dual[place] = np.where(side == LEFT, weight, 0.0)
            members = slice(starts[k], starts[k + 1])
            dual[place, elbow[members]] = self.dual_values[members]
        return dual

    def at_bounds(self, weight: Floats, tolerance: float) -> NDArray[np.bool_]:
        """Say of each breakpoint whether every dual value is at a bound: the intercept may then be free."""
        _, elbow = self._members
        bound = weight[elbow]
        inside = (self.dual_values > tolerance * bound) & (
            self.dual_values < (1 - tolerance) * bound
        )
        return np.add.reduceat(inside, _starts(self.n_elbow)[:-1]) == 0

    def events(self) -> Any:
        """Return the table of events, with the sizes of the sets after each."""
        table = np.empty(len(self.kind), dtype=EVENT)
        table["kind"], table["index"], table["breakpoint"] = (
            np.array(KINDS)[self.kind],
            self.index,
            self.breakpoint,
        )
        table["l1"] = self.l1[np.minimum(self.breakpoint, len(self.l1) - 1)]
        side, n_active = self.first_side.tolist(), len(self.first_active)
        size = {LEFT: side.count(LEFT), ELBOW: side.count(ELBOW), RIGHT: side.count(RIGHT)}
        sizes = []
        for kind, who in zip(self.kind.tolist(), self.index.tolist(), strict=True):
            if kind in (_ENTER, _LEAVE):
                n_active += 1 if kind == _ENTER else -1
            elif who >= 0:
                size[side[who]] -= 1
                side[who] = int(_SIDE_OF_KIND[kind])
                size[side[who]] += 1
            sizes.append((n_active, size[LEFT], size[ELBOW], size[RIGHT]))
        for name, column in zip(
            ("active", "left", "elbow", "right"), zip(*sizes, strict=True), strict=True
        ):
            table[name] = column
        return table.view(np.recarray)

    @cached_property
    def _members(self) -> tuple[Indices, Indices]:
        """The active variables and the elbow points of every breakpoint, end to end, in the order of their values."""
        active, elbow = self.first_active.tolist(), self.first_elbow.tolist()
        actives, elbows = array("i"), array("i")
        events = list(
            zip(self.breakpoint.tolist(), self.kind.tolist(), self.index.tolist(), strict=True)
        )
        place = 0
        for k in range(len(self.l1)):
            while place < len(events) and events[place][0] == k:
                _replay(active, elbow, *events[place][1:])
                place += 1
            actives.extend(active)
            elbows.extend(elbow)
        return np.array(actives, dtype=np.int32), np.array(elbows, dtype=np.int32)


def _replay(active: list[int], elbow: list[int], kind: int, who: int) -> None:
    """Change the sets in place, in the order in which the engine does."""
    if kind == _ENTER:
        active.append(who)
    elif kind == _LEAVE:
        active[active.index(who)] = active[-1]
        active.pop()
    elif kind == _TO_ELBOW:
        elbow.append(who)
    elif kind in (_TO_LEFT, _TO_RIGHT):
        elbow.remove(who)


def _starts(sizes: Indices) -> Indices:
    return np.concatenate(([0], np.cumsum(sizes)))
