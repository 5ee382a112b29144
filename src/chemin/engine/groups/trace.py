"""How does the solution move with l1? Segment after segment, each from the end of the one above.

At the end of a segment one change of the sets is known, and the next segment must hold there. Where it does not, as
where many changes fall together, the sets are read off an interior point just below.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from chemin.engine.groups.interior import InteriorPoint, interior_point
from chemin.engine.groups.segment import Event, Segment, after
from chemin.engine.groups.sets import Sets, Tree, near
from chemin.engine.recovery.rows import Rows
from chemin.problems import Problem
from chemin.problems.hierarchies import Hierarchy

_BELOW = (1e-7, 1e-5, 1e-3, 1e-2, 0.1)  # of l1: where an interior point is tried
_HALVINGS = 50
_TOUCHING = 1e-9  # of l1: segments that are nearer than this leave nothing out
_GOES_ON = 1e-13  # of l1: a segment that is shorter is none
_FIRST = 0.7  # of the l1 at which all is zero


class Stretch(NamedTuple):
    """A segment, from where to where it holds, and what ends it."""

    segment: Segment
    high: float
    low: float
    events: list[Event]


class Tracer:
    """What does not change along the path.

    Where many changes fall together, as on discrete data, the sets are those with kinks that are told apart by small
    shifts, and the solution on them is that without.
    """

    def __init__(self, problem: Problem, groups: Hierarchy, shift: float = 0.0) -> None:
        self.given = Rows.of(problem)
        self.rows = self.given.shifted(shift)
        self.groups = groups
        self.tree = Tree(groups)
        self.l2 = problem.l2

    def nearly(self, l1: float) -> InteriorPoint:
        """Return an approximate solution."""
        return interior_point(self.rows, self.groups, self.l2, l1)

    def around(self, l1: float, limit: float, point: InteriorPoint | None = None) -> Stretch | None:
        """Return the stretch that holds an l1, at most up to a limit; None if it cannot be told."""
        sets = self._sets(point or self.nearly(l1))
        segment = Segment.on(sets, self.rows, self.tree, self.l2)
        ends = segment.ends(l1, limit) if segment else None
        if segment is None or ends is None:
            return None
        low, high, events = ends
        return Stretch(segment, high, low, events)

    def as_given(self, stretches: list[Stretch]) -> list[Stretch]:
        """Return stretches with the solutions and the ends of what was given, on the same sets."""
        if self.rows is self.given:
            return stretches
        found: list[Stretch] = []
        for stretch in stretches:
            segment = Segment.on(stretch.segment.sets, self.given, self.tree, self.l2)
            if segment is None:
                break
            high = found[-1].low if found else segment.zero_at(stretch.high)
            low = segment.crossing(stretch.events[0], stretch.low) if stretch.events else 0.0
            found.append(Stretch(segment, high, min(low, high), stretch.events))
        return found

    def _sets(self, point: InteriorPoint) -> Sets:
        return near(point, self.rows, self.groups, self.tree)

    def first(self) -> Stretch | None:
        """Return the stretch at whose upper end the first group enters."""
        low, high = 0.0, self._all_zero()
        l1 = _FIRST * high
        for _ in range(_HALVINGS):
            point = self.nearly(l1)
            found = None
            if self._sets(point).units == 0:
                high = l1
            else:
                found = self.around(l1, high, point)
                low = max(low, found.high if found else l1)
            if found is not None and found.segment.vanishes(found.high):
                return found
            l1 = 0.5 * (low + high) if low > 0.0 else _FIRST * high
        return None

    def below(self, stretch: Stretch) -> Stretch | None:
        """Return the stretch below another one."""
        at = stretch.low
        sets = after(stretch.segment, stretch.events, at)
        segment = Segment.on(sets, self.rows, self.tree, self.l2)
        ends = segment.ends(at, at) if segment else None
        if segment is not None and ends is not None and ends[0] < at * (1.0 - _GOES_ON):
            return Stretch(segment, at, ends[0], ends[2])
        return self._searched(at)

    def _searched(self, at: float) -> Stretch | None:
        """Return the stretch just below, by interior points ever nearer."""
        best: Stretch | None = None
        for share in _BELOW:
            best = self.around(at * (1.0 - share), at)
            if best is not None:
                break
        for _ in range(_HALVINGS):
            if best is None or best.high >= at * (1.0 - _TOUCHING):
                break
            nearer = self.around(0.5 * (at + best.high), at)
            if nearer is None:
                break
            best = nearer
        return best if best is not None and best.high >= at * (1.0 - _TOUCHING) else None

    def _all_zero(self) -> float:
        """Return an l1 at which all is zero: none is smaller than what the groups together hold of c."""
        most = float((np.abs(self.rows.signed).max(axis=1, initial=0.0) * self.rows.bound).sum())
        everything = most * self.groups.size / float(self.tree.weight.min())
        asked = self.rows.correlation(self.nearly(everything or 1.0).multiplier)
        return self.groups.dual_norm(asked)
