"""How is a solution found by itself kept as a breakpoint? With the events that lead to its sets.

A walk that does not move from event to event has sets all the same: the active columns, b_j ≠ 0,
and the position of every point, which its dual value tells: on piece k where α_i = −g_k, at kink k
where −g_{k+1} < α_i < −g_k. What differs from the breakpoint before is written as events: who
leaves, who enters, who goes elsewhere. A point that goes from one piece to another passes the kink
in between.
"""

from __future__ import annotations

from array import array

import numpy as np
from numpy.typing import NDArray

from chemin.dictionaries.base import Floats, Indices
from chemin.engine.breakpoints import KINDS, Breakpoints
from chemin.problems import PiecewiseQuadratic

_CODE = {kind: code for code, kind in enumerate(KINDS)}


class SetRecorder:
    """Breakpoints as they come.

    Examples
    --------
    >>> from chemin.problems import Hinge
    >>> recorder = SetRecorder(Hinge().table(np.array([-1.0, 1.0]), np.ones(2)))
    >>> recorder.add(2.0, np.array([0.0]), 0.0, np.array([1.0, 1.0]))
    >>> recorder.add(1.0, np.array([0.5]), 0.0, np.array([0.5, 0.5]))
    >>> breakpoints = recorder.breakpoints()
    >>> breakpoints.l1.tolist(), breakpoints.active.tolist(), breakpoints.elbow.tolist()
    ([2.0, 1.0], [0], [0, 0, 1])
    >>> [KINDS[code] for code in breakpoints.kind]
    ['start', 'enter', 'elbow', 'end']
    """

    def __init__(self, loss: PiecewiseQuadratic) -> None:
        self.loss = loss
        self.l1 = array("d")
        self._intercept = array("d")
        self._coef: list[Floats] = []
        self._active: list[Indices] = []
        self._dual: list[Floats] = []
        self._elbow: list[Indices] = []
        self._events: list[tuple[int, int, int, int]] = []
        self._position: NDArray[np.int16] = np.empty(0, dtype=np.int16)
        self._first_position = self._position

    @property
    def is_open(self) -> bool:
        """Whether there is a breakpoint yet."""
        return len(self.l1) > 0

    def add(self, l1: float, coef: Floats, intercept: float, dual: Floats) -> None:
        """Keep a breakpoint."""
        active = np.flatnonzero(coef)
        position = self._positions(dual)
        if self.is_open:
            self._change_active(active)
            self._change_positions(position)
        else:
            self._first_position = position
            self._event("start", -1)
        self._position = position
        elbow = np.flatnonzero(position % 2 == 1)
        self.l1.append(l1)
        self._intercept.append(intercept)
        self._active.append(active)
        self._coef.append(coef[active])
        self._elbow.append(elbow)
        self._dual.append(dual[elbow])

    def breakpoints(self) -> Breakpoints:
        """Return all breakpoints, the last of which is the end."""
        events = [*self._events, (_CODE["end"], -1, -1, len(self.l1))]
        kind, index, position, where = np.array(events, dtype=np.int64).T
        return Breakpoints(
            l1=np.array(self.l1),
            intercept=np.array(self._intercept),
            coef_values=np.concatenate(self._coef),
            active=np.concatenate(self._active).astype(np.int32),
            n_active=np.array([len(active) for active in self._active], dtype=np.int64),
            dual_values=np.concatenate(self._dual),
            elbow=np.concatenate(self._elbow).astype(np.int32),
            n_elbow=np.array([len(elbow) for elbow in self._elbow], dtype=np.int64),
            kind=kind.astype(np.int8),
            index=index,
            position=position.astype(np.int16),
            breakpoint=where,
            first_position=self._first_position,
        )

    def _event(self, kind: str, index: int, position: int = -1) -> None:
        self._events.append((_CODE[kind], index, position, len(self.l1)))

    def _positions(self, dual: Floats) -> NDArray[np.int16]:
        """Return the position of every point; at least one is at a kink and holds the intercept."""
        values = -self.loss.slope
        inside = np.clip(dual, self.loss.lowest, self.loss.highest)[:, None]
        above = np.count_nonzero(values > inside, axis=1)
        on_piece = np.any(values == inside, axis=1)
        position = np.where(on_piece, 2 * above, 2 * above - 1).astype(np.int16)
        if not np.any(position % 2 == 1):
            held = self._elbow[-1][0] if self._elbow else np.argmax(values[:, 0] - values[:, -1])
            position[held] = min(position[held] + 1, 2 * self.loss.shape[1] - 1)
        return position

    def _change_active(self, active: Indices) -> None:
        for j in np.setdiff1d(self._active[-1], active):
            self._event("leave", int(j))
        for j in np.setdiff1d(active, self._active[-1]):
            self._event("enter", int(j))

    def _change_positions(self, position: NDArray[np.int16]) -> None:
        for i in np.flatnonzero(position != self._position):
            old, new = int(self._position[i]), int(position[i])
            step = 1 if new > old else -1
            at = old
            while at != new:
                at += step
                kind = "elbow" if at % 2 == 1 else "right" if step > 0 else "left"
                self._event(kind, int(i), at)
