"""Which columns are resident, for how long, and are any beyond their thresholds?

Where X is an array in memory with not too many columns, all of them are. Elsewhere the nearest are
chosen where the columns live (`chemin.dictionaries.survey`); the distance of the nearest of the
others is the limit of the choice: until (α, l1) has gone so far, none of the others can have been
reached. Correlations are brought up to date by what has moved: between two readings that is the dual
values of few points. What is chosen is returned, never written into the state.
"""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from chemin.dictionaries.base import Copying, Floats, Indices
from chemin.dictionaries.survey import Ahead, Nearest, Survey, survey_of
from chemin.engine import thresholds
from chemin.engine.exact.inner.columns import typical
from chemin.engine.exact.inner.limit import Limit
from chemin.engine.exact.inner.loop import Loop
from chemin.engine.screening.resident import ChosenColumns, Resident, WholeColumns
from chemin.engine.screening.units import Near, Ruler, Way, best_units
from chemin.problems import Problem

_NEXT = 16  # points that are fetched with the elbow, and half as many as it has
_LATER = 4  # times as many that may come


class Choice(NamedTuple):
    """Resident columns, how far (α, l1) may go before others are needed, once only or not, by which ruler."""

    resident: Resident
    limit: float
    once: bool
    ruler: Ruler | None


class ColumnScreening(Protocol):
    """What the engine asks about all columns at once."""

    def admit(self, allowed: NDArray[np.bool_], l1_weight: Floats) -> None:
        """Let these columns be the candidates, with these l1 weights."""

    def read(self, loop: Loop, afresh: bool) -> None:
        """Bring all correlations up to date, or compute them afresh."""

    def choose(self, loop: Loop) -> Choice | None:
        """Choose resident columns from here; None if the present ones stay."""

    def has_room(self, loop: Loop, distance: float) -> bool:
        """Say whether a step is within the limit, once the way is measured afresh."""

    def beyond(self, loop: Loop) -> tuple[Indices, Floats]:
        """Return which candidates and active columns are beyond l1 v_j, and their correlations."""

    @property
    def evaluated(self) -> int:
        """How many columns were evaluated here."""

    @property
    def nbytes(self) -> int:
        """What is held beside the dictionary."""


def screening_of(
    problem: Problem, norm: Floats, ranges: Floats, screening: bool, room: float
) -> ColumnScreening:
    """Return how the columns of a problem are screened."""
    values = problem.dictionary.at_hand()
    p = problem.dictionary.shape[1]
    everything = not screening or problem.penalty.only is not None
    if everything and values is None:
        values = np.ascontiguousarray(problem.dictionary.columns(np.arange(p)), dtype=np.float64)
    if values is not None and (p <= thresholds.MOST_WHOLE or everything):
        return WholeScreening(problem, values, norm, ranges)
    return PartialScreening(problem, norm, ranges, room)


class WholeScreening:
    """All columns are resident."""

    evaluated = 0
    nbytes = 0

    def __init__(self, problem: Problem, values: Floats, norm: Floats, ranges: Floats) -> None:
        self.problem = problem
        self.values = values
        self.norm = norm
        self.ranges = ranges
        self.used = False

    def admit(self, allowed: NDArray[np.bool_], l1_weight: Floats) -> None:
        """Let these columns be the candidates."""
        self.excluded = ~((self.norm > 0.0) & allowed)
        self.used = False

    def read(self, loop: Loop, afresh: bool) -> None:
        """Bring all correlations up to date, or compute them afresh."""
        if self.used:
            if afresh:
                dual = self.problem.label * loop.state.dual()
                loop.columns.reread(loop.state, self.problem.dictionary.correlations(dual))
            else:
                loop.columns.update(loop.state)

    def choose(self, loop: Loop) -> Choice | None:
        """Choose all columns, once."""
        if self.used:
            return None
        self.used = True
        dual = loop.state.dual()
        correlation = self.problem.dictionary.correlations(self.problem.label * dual)
        resident = WholeColumns(self.values, self.ranges, correlation, dual, self.excluded)
        return Choice(resident, np.inf, False, None)

    def has_room(self, loop: Loop, distance: float) -> bool:
        """There is nothing else to watch."""
        return True

    def beyond(self, loop: Loop) -> tuple[Indices, Floats]:
        """Return which candidates and active columns are beyond l1 v_j, and their correlations."""
        state = loop.state
        correlation = np.asarray(loop.columns.correlation)[: state.p]
        threshold = state.l1 * np.asarray(state.l1_weight)
        over = self.problem.penalty.is_beyond(correlation, threshold)
        over &= ~self.excluded | (np.asarray(state.is_active) != 0)
        columns = np.flatnonzero(over)
        return columns, correlation[columns]


class PartialScreening:
    """The nearest columns are resident, chosen anew as the path goes on."""

    def __init__(self, problem: Problem, norm: Floats, ranges: Floats, room: float) -> None:
        self.problem = problem
        self.norm = norm
        self.ranges = ranges
        self.evaluated = 0
        self.most = int(min(problem.dictionary.most_columns, room / thresholds.RESIDENT_BYTES))
        self.most = max(self.most, thresholds.FEWEST_WATCHED)
        self.size = min(thresholds.FIRST_RESIDENT, self.most)
        self.resident: ChosenColumns | None = None
        self.ruler: Ruler | None = None
        self.home = (np.zeros(problem.dictionary.shape[0]), 0.0)
        self.seen = np.empty(0)

    @property
    def nbytes(self) -> int:
        """What is held beside the dictionary."""
        return self.resident.nbytes if self.resident else 0

    def admit(self, allowed: NDArray[np.bool_], l1_weight: Floats) -> None:
        """Let these columns be the candidates, with these l1 weights."""
        self.candidates = (self.norm > 0.0) & allowed
        excluded = np.flatnonzero(~self.candidates)
        self.l1_weight = l1_weight
        self.survey: Survey = survey_of(
            self.problem.dictionary, self.norm, self.ranges, l1_weight, excluded
        )
        self.seen = np.empty(0)
        self.resident = None

    def read(self, loop: Loop, afresh: bool) -> None:
        """Bring all correlations up to date, or compute them afresh."""
        if afresh or not len(self.seen):
            self.seen = loop.state.dual()
            self.survey.read(self.problem.label * self.seen)
            self.evaluated += len(self.norm)
        else:
            self._catch_up(loop)

    def _catch_up(self, loop: Loop) -> float:
        """Bring all correlations up to date; return the share of the points that had moved."""
        dual = loop.state.dual()
        moved = np.flatnonzero(dual != self.seen)
        if len(moved):
            self.survey.update((self.problem.label * (dual - self.seen))[moved], moved)
            self.evaluated += len(self.norm)
        self.seen = dual
        return len(moved) / len(dual)

    def choose(self, loop: Loop) -> Choice | None:
        """Choose the nearest columns."""
        state = loop.state
        limit: Limit = loop.columns.outer
        aim = limit.exhausted and limit.steps == 0
        share = self._catch_up(loop)
        self._choose_units(loop, limit.steps > 0)
        ahead = self._ahead(loop) if aim else None
        self._resize(limit, self.survey.cost(share), state.n_elbow, aim)
        active = np.asarray(state.active)[: state.n_active]
        found = self.survey.nearest(state.l1, self.size, active, ahead)
        self.resident = self._resident(found)
        self._fetch(loop, self.resident)
        self.home = self._where(loop)
        reach = found.limit if ahead is None else thresholds.CLOSE * found.limit
        return Choice(self.resident, reach, aim, self.ruler)

    def _fetch(self, loop: Loop, resident: ChosenColumns) -> None:
        """Have the entries of the elbow; where asking takes longer than the answer, also of points next to it."""
        elbow = np.array(loop.state.elbow)[: loop.state.n_elbow]
        rows = loop.rows
        if isinstance(self.problem.dictionary, Copying) and rows.count:
            gap = np.abs(np.asarray(rows.slack)[: rows.count]) / np.asarray(rows.size)[: rows.count]
            first = _NEXT + len(elbow) // 2
            order = np.argsort(gap)[: _LATER * first]
            next_ones = np.asarray(rows.row)[order]
            resident.expect(next_ones[first:])
            elbow = np.concatenate((elbow, np.unique(next_ones[:first])))
        resident.fetch_all(elbow)

    def _resident(self, found: Nearest) -> ChosenColumns:
        order = np.argsort(found.columns)
        numbers = found.columns[order]
        correlation = np.ascontiguousarray(found.correlation[order])
        return ChosenColumns(self.problem.dictionary, numbers, self.ranges, correlation, self.seen)

    def _resize(self, limit: Limit, reading: float, n_elbow: int, aim: bool) -> None:
        """Weigh reading all columns against using one more of the resident ones."""
        if aim:
            # Even in its own direction no step was possible: memory has to give way.
            if limit.once and limit.steps == 0:
                self.size = self.size * 3 // 2
            return
        factor = limit.factor(self.size, reading / (thresholds.READ_COLUMN + 0.5 * n_elbow))
        self.size = int(self.size * min(factor, 1.25))
        self.size = min(max(self.size, thresholds.FEWEST_WATCHED), self.most)

    def has_room(self, loop: Loop, distance: float) -> bool:
        """Say whether a step is within the limit, once the way is measured afresh."""
        limit = loop.columns.outer
        if limit.once and limit.steps:
            limit.exhausted = True
        else:
            limit.bound = self._way(loop)
            limit.exhausted = distance >= limit.limit - limit.bound
        return not limit.exhausted

    def beyond(self, loop: Loop) -> tuple[Indices, Floats]:
        """Return which candidates and active columns are beyond l1 v_j, and their correlations."""
        state = loop.state
        return self.survey.beyond(state.l1, np.asarray(state.active)[: state.n_active])

    def _where(self, loop: Loop) -> tuple[Floats, float]:
        return self.problem.label * loop.state.dual(), float(loop.state.l1)

    def _way(self, loop: Loop) -> float:
        if self.ruler is None:
            return 0.0
        u, l1 = self._where(loop)
        change = u - self.home[0]
        rows = np.flatnonzero(change)
        return self.ruler.length(change[rows], rows, l1 - self.home[1])

    def _choose_units(self, loop: Loop, moved: bool) -> None:
        """Measure ways from here in units that suit the columns nearest so far and the last way."""
        state = loop.state
        elbow = np.array(state.elbow)[: state.n_elbow]
        way = None
        if moved and self.ruler is not None:
            u, l1 = self._where(loop)
            way = Way(u - self.home[0], l1 - self.home[1], self.ruler.units.rows)
        units = best_units(elbow, self._near(elbow), way, self.survey.axes)
        self.ruler = Ruler(units, len(self.seen))
        self.survey.measure_by(units)

    def _near(self, elbow: Indices) -> Near:
        """Return what resident columns are like on the margin, or all, if there are none yet."""
        values = np.empty((len(elbow), 0))
        if self.resident is None or not len(self.resident.numbers):
            numbers = np.flatnonzero(self.candidates)
        else:
            width = len(self.resident.numbers)
            some = slice(None, None, 1 + width // thresholds.ENOUGH_COLUMNS)
            numbers = self.resident.numbers[some]
            self.resident.fetch_all(elbow)
            values = self.resident.values[:, some][self.resident.place[elbow]]
            values -= values.mean(axis=0)
        largest = typical(0.5 * (self.ranges[numbers, 1] - self.ranges[numbers, 0]))
        weight = typical(self.l1_weight[numbers])
        size = sqrt(np.einsum("ij,ij->", values, values) / max(values.shape[1], 1))
        ordinary = thresholds.OF_THE_LARGEST * largest * sqrt(len(elbow))
        return Near(
            values, size if size > thresholds.ALIKE * ordinary else ordinary, largest, weight
        )

    def _ahead(self, loop: Loop) -> Ahead:
        """Return the present direction, in which distances are exact, for one step."""
        state = loop.state
        loop.direction()
        elbow = np.array(state.elbow)[: state.n_elbow]
        change = self.problem.label[elbow] * np.asarray(loop.da)[: state.n_elbow]
        assert self.ruler is not None
        return Ahead(change, elbow, loop.dl1, self.ruler.length(change, elbow, loop.dl1))
