"""How is a solution found by itself written into the record of a path? As the few events that lead to its sets.

A record keeps the first sets and events (`chemin.engine.record`); a walk that does not move from event to event has
sets all the same: the active variables, b_j ≠ 0; the elbow, 0 < α_i < w_i; left of it α_i = w_i, right of it α_i = 0.
Only what differs from the sets before is written, in an order that `chemin.engine.breakpoints` follows: who leaves, who
crosses from side to side, who enters.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from chemin.dictionaries.base import Floats, Indices
from chemin.engine.exact.state import ELBOW, LEFT, RIGHT
from chemin.engine.record import Record

_NAME = {LEFT: "left", RIGHT: "right"}


class Diary:
    """A record under way, and the sets of its last breakpoint in the order in which they are replayed."""

    def __init__(self, weight: Floats) -> None:
        self.record, self.weight = Record(), weight
        self.active: list[int] = []
        self.elbow: Indices = np.empty(0, dtype=np.intp)
        self.side: NDArray[np.int8] = np.empty(0, dtype=np.int8)

    def note(self, l1: float, coef: Floats, intercept: float, dual: Floats) -> None:
        """Write a breakpoint; the first one opens the record."""
        active, side = np.flatnonzero(coef), self._sides(dual)
        if self.record.is_open:
            self._change_active(active)
            self._change_sides(side)
        else:
            self.active, self.side, self.elbow = (
                active.tolist(),
                side,
                np.flatnonzero(side == ELBOW),
            )
            self.record.first_active, self.record.first_elbow = active, self.elbow.copy()
            self.record.first_side = side.copy()
            self.record.event("start", -1)
        self.record.l1.append(l1)
        self.record.intercept.append(intercept)
        self.record.coef.frombytes(coef[self.active].tobytes())
        self.record.dual.frombytes(dual[self.elbow].tobytes())
        self.record.n_active.append(len(self.active))
        self.record.n_elbow.append(len(self.elbow))

    def end(self) -> Record:
        """Write the last event and hand the record out."""
        self.record.event("end", -1)
        return self.record

    def _sides(self, dual: Floats) -> NDArray[np.int8]:
        """Return the place of every point; at least one is in the elbow, so that something holds the intercept."""
        side = np.full(len(dual), ELBOW, dtype=np.int8)
        side[dual <= 0.0] = RIGHT
        side[dual >= self.weight] = LEFT
        if not np.any(side == ELBOW):
            held = self.elbow[0] if len(self.elbow) else np.argmax(self.weight)
            side[held] = ELBOW
        return side

    def _change_active(self, wanted: Indices) -> None:
        for j in sorted(set(self.active).difference(wanted.tolist())):
            self.record.event("leave", j)
            self.active[self.active.index(j)] = self.active[-1]
            self.active.pop()
        for j in sorted(set(wanted.tolist()).difference(self.active)):
            self.record.event("enter+", j)
            self.active.append(j)

    def _change_sides(self, side: NDArray[np.int8]) -> None:
        stays = side[self.elbow] == ELBOW
        for i in self.elbow[~stays]:
            self.record.event(_NAME[int(side[i])], int(i))
        for i in np.flatnonzero(self.side * side == LEFT * RIGHT):
            self.record.event("elbow", int(i))
            self.record.event(_NAME[int(side[i])], int(i))
        joins = np.flatnonzero((self.side != ELBOW) & (side == ELBOW))
        for i in joins:
            self.record.event("elbow", int(i))
        self.elbow, self.side = np.concatenate([self.elbow[stays], joins]), side
