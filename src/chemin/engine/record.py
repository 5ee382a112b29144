"""What is kept of each breakpoint? Its free numbers and what happened there; the rest is rebuilt on demand."""

from __future__ import annotations

from array import array

import numpy as np
from numpy.typing import NDArray

from chemin.engine.exact.state import State

Lengths = dict[str, int]  # of the buffers

KINDS = ("start", "enter", "leave", "elbow", "left", "right", "end")
_CODE = {kind: code for code, kind in enumerate(KINDS)} | dict.fromkeys(
    ("enter+", "enter-"), KINDS.index("enter")
)


class Record:
    """Breakpoints and events as they come, in flat buffers: 8 bytes per free number.

    Attributes
    ----------
    l1, intercept : one number per breakpoint
    coef, dual : the b_V and the α_E of every breakpoint, end to end
    n_active, n_elbow : their lengths
    kind, index, breakpoint : what happened, to whom, and where; pivots that settle a tie share their breakpoint
    first_active, first_elbow, first_side : the sets from which the events can be replayed
    """

    def __init__(self) -> None:
        self.l1, self.intercept, self.coef, self.dual = (
            array("d"),
            array("d"),
            array("d"),
            array("d"),
        )
        self.n_active, self.n_elbow = array("q"), array("q")
        self.kind, self.index, self.breakpoint = array("q"), array("q"), array("q")
        self.first_active = self.first_elbow = np.empty(0, dtype=np.intp)
        self.first_side: NDArray[np.int8] = np.empty(0, dtype=np.int8)

    def open(self, state: State) -> None:
        """Keep the first breakpoint, with its sets."""
        self.first_active, self.first_elbow = state.active.copy(), state.elbow.copy()
        self.first_side = state.side.copy()
        self.event("start", -1)
        self.close_breakpoint(state)

    @property
    def is_open(self) -> bool:
        """Whether the path has begun; pivots before that only look for its first point."""
        return len(self.kind) > 0

    @property
    def nbytes(self) -> int:
        """The bytes of all buffers."""
        return sum(
            buffer.itemsize * len(buffer)
            for buffer in vars(self).values()
            if isinstance(buffer, array)
        )

    def event(self, family: str, who: int) -> None:
        """Note what happens at the breakpoint being reached."""
        self.kind.append(_CODE[family])
        self.index.append(who)
        self.breakpoint.append(len(self.l1))

    def close_breakpoint(self, state: State) -> None:
        """Keep the numbers of the breakpoint, once all its events are done."""
        self.l1.append(state.l1)
        self.intercept.append(state.intercept)
        self.coef.frombytes(state.beta[1:].tobytes())
        self.dual.frombytes(state.alpha.tobytes())
        self.n_active.append(len(state.active))
        self.n_elbow.append(len(state.elbow))

    def lengths(self) -> Lengths:
        """Return where the record stands now, to go back to."""
        return {
            name: len(buffer) for name, buffer in vars(self).items() if isinstance(buffer, array)
        }

    def go_back(self, lengths: Lengths) -> None:
        """Forget everything that came later."""
        for name, length in lengths.items():
            del getattr(self, name)[length:]
