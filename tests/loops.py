"""How does a test reach into the loop? By another one, which stops more often, put in the place of the engine's own."""

from __future__ import annotations

import numpy as np

from chemin.engine.exact import engine
from chemin.engine.exact.inner.loop import Loop
from chemin.engine.exact.reasons import Reason

EVENTS_BETWEEN_CHECKS = 10
EVENTS_BETWEEN_LOSSES = 40


def use(kind: type[Loop], monkeypatch) -> None:
    """Let engines have loops of this kind."""
    monkeypatch.setattr(engine, "Loop", kind)


class EventByEvent(Loop):
    """A loop that returns to the engine after every event, which reports it."""

    def run(self, max_events: int) -> int:
        if self.correcting:
            return super().run(max_events)
        return self.run_one(min(max_events, self.n_events + 1))

    def run_one(self, max_events: int) -> int:
        return super().run(max_events)


class OftenChecked(EventByEvent):
    """A loop that asks for a full check after ten steps."""

    def run_one(self, max_events: int) -> int:
        if self.since_check >= EVENTS_BETWEEN_CHECKS:
            return Reason.CHECK
        return super().run_one(max_events)


def losing(times: int) -> type[Loop]:
    """Return a loop that loses its way every forty events, so many times: a wrong point leaves the margin.

    Where kinks are rounded it is a wrong variable that leaves.
    """

    class Losing(OftenChecked):
        events = 0

        def run_one(self, max_events: int) -> int:
            before = self.n_events
            reason = super().run_one(max_events)
            if not self.recording:
                return reason
            passed = Losing.events // EVENTS_BETWEEN_LOSSES
            Losing.events += self.n_events - before
            if passed < Losing.events // EVENTS_BETWEEN_LOSSES <= times and self.state.n_elbow > 2:
                self.lose()
            return reason

        def lose(self) -> None:
            state = self.state
            if state.is_curved:  # where a point that leaves in error comes back at once
                sizes = np.abs(np.asarray(state.beta))[1 : state.n_active + 1]
                j = state.deactivate(int(np.argmax(sizes)))
                self.record.event(3, j, -1)
                self.stale()
                return
            inside = np.minimum(
                np.asarray(state.alpha) - state.low, np.asarray(state.high) - state.alpha
            )
            place = int(np.argmax(inside[: state.n_elbow]))
            i = state.elbow[place]
            kink = state.position[i] >> 1
            state.leave(place, True)
            self.rows.add_row(state, i, kink)
            self.record.event(1, i, state.position[i])
            self.stale()

    return Losing
