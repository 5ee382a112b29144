"""Which columns must be looked at now, and for how long may the others be left alone?

Rings around the current point: the watched columns, which every event looks at, are chosen among those of a ring
around them, these among a larger one, and these, seldom, among all, where the columns live
(`chemin.dictionaries.survey`). Each choice takes the nearest columns; the distance of the nearest of the others is its
*limit*: until (α, l1) has gone so far, none of the others can have been reached. Correlations are brought up to date by
what has moved: between two readings that is the dual values of few points.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from chemin.dictionaries.base import Floats, Indices
from chemin.dictionaries.survey import Ahead, ArraySurvey, Nearest, Survey, survey_of
from chemin.engine.exact.slacks import direction, dual_speed
from chemin.engine.exact.state import State
from chemin.engine.screening.guard import Guard
from chemin.engine.screening.pool import Pool
from chemin.engine.screening.ruler import Near, Ruler, Way, best_units

_FIRST_SIZES = (2048, 512, 64)  # of the rings, and of what is watched
_WATCHED, _READ = (
    12.0,
    40.0,
)  # multiplications that one column costs at an event, and at a reading of its ring
_KEPT = 4096  # bytes that a column of the outermost ring may take, in all rings, now and when they are made anew
_CLOSE = 1.0 - 1e-9  # a computed distance is trusted up to here
_ENOUGH = 1000  # columns, to know what they are like
_ROUNDING = 1e-9
_OF_THE_LARGEST = 0.3  # how much of its largest entry a column ordinarily has

Where = tuple[Floats, float]  # u and l1


@dataclass
class Ring:
    """Some columns, in the order of their numbers, their entries and their survey."""

    numbers: Indices
    pool: Pool
    survey: ArraySurvey
    seen: Floats  # α when the survey was last up to date


class Rings:
    """The survey of all columns, the rings inside it, and the guards of the choices between them."""

    def __init__(
        self, state: State, column_norm: Floats, ranges: Floats, screening: bool, room: float
    ) -> None:
        self.state, self.norm, self.ranges = state, column_norm, ranges
        p = len(column_norm)
        most = (int(min(state.problem.dictionary.most_columns, room / _KEPT)), p, p)
        if screening:
            self.guards = [
                Guard(self._where, self._length, *pair)
                for pair in zip(most, _FIRST_SIZES, strict=True)
            ]
        else:
            self.guards = [
                Guard(self._where, self._length, 2 * p, 2 * p, fixed=True) for _ in range(2)
            ]
        self.inner: list[Ring] = []
        self.evaluated = 0
        self.admit(np.ones(p, dtype=bool))

    def admit(self, allowed: NDArray[np.bool_]) -> None:
        """Let these columns be the candidates, with their present l1 weights."""
        self.candidates = (self.norm > 0) & allowed
        self.excluded, problem = np.flatnonzero(~self.candidates), self.state.problem
        self.survey: Survey = survey_of(
            problem.dictionary, self.norm, self.ranges, problem.l1_weight, self.excluded
        )
        self.seen = np.empty(0)

    @property
    def room(self) -> float:
        """How much further (α, l1) may go on trust."""
        return min(
            [guard.room for guard in self.guards]
        )  # a list: twice as fast as a generator, at every event

    @property
    def are_all_watched(self) -> bool:
        """Whether no column is left alone."""
        return all(guard.limit == np.inf for guard in self.guards)

    @property
    def nbytes(self) -> int:
        """What the rings take beside the dictionary."""
        own = getattr(self.state.problem.dictionary, "data", None)
        pools = [ring.pool.values for ring in self.inner] + [
            self.state.pool.values
        ]  # some may be the same
        return sum({id(values): values.nbytes for values in pools if values is not own}.values())

    def count(self, distance: float) -> None:
        """Take note of a step."""
        for guard in self.guards:
            guard.count(distance)
        self.guards[-1].uses += 1

    def has_room(self, distance: float) -> bool:
        """Say whether so long a step is within all limits, once the way is measured afresh."""
        return all(guard.has_room(distance) for guard in self.guards)

    def read(self, afresh: bool) -> None:
        """Bring all correlations up to date, or compute them afresh."""
        if afresh or not len(self.seen):
            self.seen = self.state.dual()
            self.survey.read(self.state.problem.label * self.seen)
            self.evaluated += len(self.norm)
        else:
            self._catch_up()

    def choose_where_exhausted(self) -> None:
        """Choose anew from the outermost ring whose choice is exhausted."""
        for depth, guard in enumerate(self.guards):
            if guard.exhausted:
                return self.choose(depth)

    def choose(self, depth: int) -> None:
        """Choose anew from this ring inwards; 0 is all columns."""
        aim = self.guards[depth].must_aim
        if depth == 0:
            self._choose_units()
        ahead = self._ahead() if aim else None
        if depth == 0:
            self._choose_among_all(ahead)
            depth = 1
        for place in range(depth, len(self.guards)):
            ring, guard = self.inner[place - 1], self.guards[place]
            share = self._update_ring(ring)
            self.guards[place - 1].uses += 1
            active, innermost = (
                np.searchsorted(ring.numbers, self.state.active),
                place == len(self.guards) - 1,
            )
            self._resize(guard, ring.survey.cost(share), _WATCHED if innermost else _READ, ahead)
            if (
                2 * guard.size > ring.pool.width and not innermost
            ):  # a ring of most of them is no smaller
                guard.begin(np.inf)
                self.inner[place:] = [ring]
                continue
            found = ring.survey.nearest(self.state.l1, guard.size, active, ahead)
            guard.begin(*_limit(found, ahead))
            if not innermost:
                self.inner[place:] = [self._ring_within(ring, found)]
        self._watch(ring, found)

    def _choose_among_all(self, ahead: Ahead | None) -> None:
        state, guard, dictionary, p = (
            self.state,
            self.guards[0],
            self.state.problem.dictionary,
            len(self.norm),
        )
        share = self._catch_up()
        self._resize(guard, self.survey.cost(share), _READ, ahead)
        if guard.fixed or (2 * guard.size > p and dictionary.most_columns >= p):
            guard.begin(np.inf)
            self.inner = [self._whole(self.survey.nearest(state.l1, p, state.active))]
        else:
            found = self.survey.nearest(state.l1, guard.size, state.active, ahead)
            guard.begin(*_limit(found, ahead))
            self.inner = [self._ring_of(found)]

    def _resize(
        self, guard: Guard[Where], reading: float, each: float, ahead: Ahead | None
    ) -> None:
        """Weigh reading a ring against using one column of the choice; the constants were measured."""
        guard.resize(reading / (each + 0.5 * len(self.state.elbow)), once=ahead is not None)

    def _whole(self, found: Nearest) -> Ring:
        """Return a ring of all columns, which an array gives without a copy."""
        p, dictionary = len(self.norm), self.state.problem.dictionary
        pool = (
            self.inner[0].pool
            if self.inner and self.inner[0].pool.width == p
            else Pool.whole(dictionary)
        )
        correlation, pace = np.zeros(p), np.ones(p)
        correlation[found.columns], pace[found.columns] = found.correlation, found.pace
        weight, size = self.state.problem.l1_weight, float(len(self.seen) * p)
        survey = ArraySurvey(pool, weight, self.excluded, correlation, pace, size)
        return Ring(np.arange(p), pool, survey, self.seen)

    def _ring_of(self, found: Nearest) -> Ring:
        """Return a ring of columns of the dictionary."""
        order = np.argsort(found.columns, kind="stable")
        numbers = found.columns[order]
        pool = Pool.of(self.state.problem.dictionary, numbers, self.state.elbow, len(self.seen))
        return self._ring(numbers, pool, found, order, self.seen)

    def _ring_within(self, ring: Ring, found: Nearest) -> Ring:
        """Return a ring of columns of another one."""
        order = np.argsort(found.columns, kind="stable")
        place = found.columns[order]
        pool = Pool.of(ring.pool, place, self.state.elbow, len(self.seen))
        return self._ring(ring.numbers[place], pool, found, order, ring.seen)

    def _ring(
        self, numbers: Indices, pool: Pool, found: Nearest, order: Indices, seen: Floats
    ) -> Ring:
        weight, size = self.state.problem.l1_weight[numbers], float(len(seen) * len(numbers))
        nobody = np.empty(0, dtype=np.intp)
        survey = ArraySurvey(
            pool, weight, nobody, found.correlation[order], found.pace[order], size
        )
        return Ring(numbers, pool, survey, seen)

    def _watch(self, ring: Ring, found: Nearest) -> None:
        inactive = ~self.state.is_active[ring.numbers[found.columns]]
        self.state.watch_columns(
            ring.pool, ring.numbers, found.columns[inactive], found.correlation[inactive]
        )

    def _choose_units(self) -> None:
        """Measure ways from here in units that suit the columns nearest so far and the last way."""
        state, guard = self.state, self.guards[0]
        change, l1 = _change(guard.home, self._where())
        way = Way(change, l1, state.ruler.units.rows) if guard.steps else None
        units = best_units(state.elbow, self._near(), way)
        state.ruler = Ruler(units, len(self.seen))
        self.survey.measure_by(units)

    def _near(self) -> Near:
        """Return what columns of the innermost ring are like on the margin, or all, if there is none yet."""
        state = self.state
        numbers, values = np.flatnonzero(self.candidates), np.empty((len(state.elbow), 0))
        if self.inner and not self.are_all_watched:
            ring = self.inner[-1]
            some = np.arange(0, ring.pool.width, 1 + ring.pool.width // _ENOUGH)
            numbers, values = ring.numbers[some], ring.pool.block(state.elbow, some)
            values -= values.mean(axis=0)
        largest, weight = (
            _typical(0.5 * np.diff(self.ranges[numbers])),
            _typical(state.problem.l1_weight[numbers]),
        )
        size = sqrt(np.einsum("ij,ij->", values, values) / max(values.shape[1], 1))
        ordinary = _OF_THE_LARGEST * largest * sqrt(len(state.elbow))
        return Near(values, size if size > _ROUNDING * ordinary else ordinary, largest, weight)

    def _catch_up(self) -> float:
        """Bring all correlations up to date; return the share of the points that had moved."""
        self.seen, moved = self._update(self.survey, self.seen)
        self.evaluated += len(self.norm) if moved else 0
        return moved / len(self.seen)

    def _update_ring(self, ring: Ring) -> float:
        ring.seen, moved = self._update(ring.survey, ring.seen)
        self.evaluated += ring.pool.width if moved else 0
        return moved / len(ring.seen)

    def _update(self, survey: Survey | ArraySurvey, seen: Floats) -> tuple[Floats, int]:
        """Tell a survey what has moved since α was ``seen``; return the present α and how many of its values moved."""
        dual = self.state.dual()
        moved = np.flatnonzero(dual != seen)
        if len(moved):
            survey.update((self.state.problem.label * (dual - seen))[moved], moved)
        return dual, len(moved)

    def _ahead(self) -> Ahead:
        """Return the present direction, in which distances are exact, for one step."""
        state, move = self.state, direction(self.state)
        change = state.problem.label[state.elbow] * move.alpha
        return Ahead(change, state.elbow, move.l1, dual_speed(state, move))

    def _where(self) -> Where:
        return self.state.problem.label * self.state.dual(), self.state.l1

    def _length(self, home: Where, here: Where) -> float:
        change, l1 = _change(home, here)
        rows = np.flatnonzero(change)
        return self.state.ruler.length(change[rows], rows, l1)


def _typical(values: Floats) -> float:
    return (float(np.median(values)) if values.size else 0.0) or 1.0


def _change(home: Where, here: Where) -> Where:
    return here[0] - home[0], here[1] - home[1]


def _limit(found: Nearest, ahead: Ahead | None) -> tuple[float, bool]:
    """Return how far the path may go, and whether that holds for one step only."""
    return (found.limit, False) if ahead is None else (_CLOSE * found.limit, True)
