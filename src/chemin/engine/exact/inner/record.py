"""What is kept of each breakpoint? Its free numbers, whose they are, and what happened there.

Flat buffers: 12 bytes per free number, and one entry per event. The rest is rebuilt on demand
(`chemin.engine.breakpoints`).
"""

from __future__ import annotations

import numpy as np

try:
    import cython
except ImportError:
    from chemin.engine.exact.inner import typing as cython

if cython.compiled:
    from cython.cimports.chemin.engine.exact.inner.kernels import copy, copy_index
else:
    from chemin.engine.exact.inner.kernels import copy, copy_index

START, ENTERED, LEFT_ACTIVE, TO_ELBOW, TO_LEFT, TO_RIGHT, END, TURNED = range(8)  # codes of events
_OF_BREAKPOINTS = {"l1": float, "intercept": float, "n_active": np.intp, "n_elbow": np.intp}
_OF_COEF = {"coef": float, "active": np.int32}
_OF_DUAL = {"dual": float, "elbow": np.int32}
_SMALL = 2**14  # entries: below, room is cheap and making it takes longer
_OF_EVENTS = {"kind": np.int8, "index": np.intp, "position": np.int16, "breakpoint": np.intp}


class Record:
    """Breakpoints and events as they come.

    ``arrays()`` returns: l1 (or what is left of a ray), intercept, n_active, n_elbow, one number
    per breakpoint; coef and active, the b_V of every breakpoint end to end and their columns; dual
    and elbow, the α_E and their points; kind, index, position and breakpoint, what happened, to whom, where a point is
    from then on, and at which breakpoint (pivots that settle a tie share theirs); first_position,
    where every point is at first.
    """

    def __init__(self):
        self.count = 0
        self.n_coef = 0
        self.n_dual = 0
        self.n_events = 0
        self.room = 0
        self.room_for_coef = 0
        self.room_for_dual = 0
        self.room_for_events = 0
        self.first_position = np.empty(0, dtype=np.int16)
        self._make_room(64)
        self._make_room_for_coef(1024)
        self._make_room_for_dual(1024)
        self._make_room_for_events(64)

    def _grow(self, kinds, length, room):
        for name, kind in kinds.items():
            larger = np.empty(room, dtype=kind)
            if length:
                larger[:length] = np.asarray(getattr(self, name))[:length]
            setattr(self, name, larger)

    def _make_room(self, room):
        self._grow(_OF_BREAKPOINTS, self.count, room)
        self.room = room

    def _make_room_for_coef(self, room):
        self._grow(_OF_COEF, self.n_coef, room)
        self.room_for_coef = room

    def _make_room_for_dual(self, room):
        self._grow(_OF_DUAL, self.n_dual, room)
        self.room_for_dual = room

    def _make_room_for_events(self, room):
        self._grow(_OF_EVENTS, self.n_events, room)
        self.room_for_events = room

    @property
    def is_open(self):
        """Whether the path has begun; pivots before that only look for its first point."""
        return self.n_events > 0

    @property
    def nbytes(self):
        """The bytes of all buffers."""
        return (
            32 * self.room
            + 12 * (self.room_for_coef + self.room_for_dual)
            + 19 * self.room_for_events
        )

    @property
    def first_l1(self):
        """The first l1."""
        return self.l1[0]

    @property
    def last_l1(self):
        """The last l1 so far."""
        return self.l1[self.count - 1]

    def open(self, state):
        """Keep the first breakpoint, with its sets."""
        self.first_position = np.maximum(np.asarray(state.position), 0)
        self.note(START, -1, -1)
        self.close_breakpoint(state)

    def event(self, family, who, position):
        """Note a pivot of the loop at the breakpoint being reached."""
        # families RIGHT, LEFT, ELBOW, LEAVE, ENTER, ENTER − are kinds 5, 4, 3, 2, 1, 1, OUT and IN 7
        self.note(5 - family if family < 5 else (1 if family == 5 else 7), who, position)

    def note(self, kind, who, position):
        """Note what happens at the breakpoint being reached."""
        k: cython.Py_ssize_t = self.n_events
        if k == self.room_for_events:
            self._make_room_for_events(_larger(k))
        self.kind[k] = kind
        self.index[k] = who
        self.position[k] = position
        self.breakpoint[k] = self.count
        self.n_events = k + 1

    def close_breakpoint(self, state):
        """Keep the numbers of the breakpoint, once all its events are done."""
        k: cython.Py_ssize_t = self.count
        i: cython.Py_ssize_t
        v: cython.Py_ssize_t = state.n_active
        e: cython.Py_ssize_t = state.n_elbow
        if k == self.room:
            self._make_room(_larger(k))
        if self.n_coef + v > self.room_for_coef:
            self._make_room_for_coef(_larger(self.n_coef + v))
        if self.n_dual + e > self.room_for_dual:
            self._make_room_for_dual(_larger(self.n_dual + e))
        self.l1[k] = state.place()
        self.intercept[k] = state.base + state.kappa * state.beta[0]
        self.n_active[k] = v
        self.n_elbow[k] = e
        copy(state.beta, 1, self.coef, self.n_coef, v)
        if state.is_bent:
            for i in range(v):
                self.coef[self.n_coef + i] *= state.scales[state.piece[i]]
        copy_index(state.active, self.active, self.n_coef, v)
        copy(state.alpha, 0, self.dual, self.n_dual, e)
        copy_index(state.elbow, self.elbow, self.n_dual, e)
        self.n_coef += v
        self.n_dual += e
        self.count = k + 1

    def lengths(self):
        """Return where the record stands now, to go back to."""
        return self.count, self.n_coef, self.n_dual, self.n_events

    def go_back(self, lengths):
        """Forget everything that came later."""
        self.count, self.n_coef, self.n_dual, self.n_events = lengths

    def arrays(self):
        """Return all buffers by name, each as long as it is used."""
        found = {"first_position": self.first_position}
        lengths = (self.count, self.n_coef, self.n_dual, self.n_events)
        kinds = (_OF_BREAKPOINTS, _OF_COEF, _OF_DUAL, _OF_EVENTS)
        for length, names in zip(lengths, kinds, strict=True):
            for name in names:
                found[name] = np.asarray(getattr(self, name))[:length]
        return found

    @classmethod
    def of(cls, arrays):
        """Return a record that goes on from such arrays."""
        record = cls()
        record.fill(arrays)
        return record

    def fill(self, arrays):
        """Take over arrays as they were returned."""
        self.count = len(arrays["l1"])
        self.n_coef = len(arrays["coef"])
        self.n_dual = len(arrays["dual"])
        self.n_events = len(arrays["kind"])
        self.first_position = np.array(arrays["first_position"], dtype=np.int16)
        for kinds in (_OF_BREAKPOINTS, _OF_COEF, _OF_DUAL, _OF_EVENTS):
            for name, kind in kinds.items():
                setattr(self, name, np.array(arrays[name], dtype=kind))
        self.room = self.count
        self.room_for_coef = self.n_coef
        self.room_for_dual = self.n_dual
        self.room_for_events = self.n_events


def _larger(needed):
    """Return the room to make where so much is needed."""
    return (4 if needed < _SMALL else 2) * needed
