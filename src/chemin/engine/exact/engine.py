"""How is a path followed to its end? The engine begins, has the loop run, and checks what it does.

The loop (`chemin.engine.exact.inner.loop`) makes the events; here it is given a start, other columns when
the resident ones run out, and a full check every so often: rounding is taken out of α and β, the
duality gap is measured on all points and columns, and a point whose gap is good is kept to go back to.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from chemin.dictionaries.base import Floats
from chemin.engine import thresholds
from chemin.engine.end import End
from chemin.engine.exact.inner.columns import WatchedColumns, typical
from chemin.engine.exact.inner.curved import CurvedState
from chemin.engine.exact.inner.loop import Loop
from chemin.engine.exact.inner.record import END, ENTERED, Record
from chemin.engine.exact.inner.rows import WatchedRows
from chemin.engine.exact.inner.state import State
from chemin.engine.exact.ray import Ray
from chemin.engine.exact.reasons import Reason
from chemin.engine.exact.snapshot import Snapshot
from chemin.engine.exact.start import first_sets
from chemin.engine.recovery.checkpoint import Checkpoint, File, Saved, probe_of
from chemin.engine.recovery.repair import change_of_sets, point_at
from chemin.engine.recovery.retries import Retries
from chemin.engine.screening.columns import ColumnScreening, screening_of
from chemin.exceptions import EngineError
from chemin.problems import Problem
from chemin.validation import checked_norms

REMEDY = ": centre and scale the columns, or raise l2"

Report = Callable[[int, float], None]


class Foothold(NamedTuple):
    """A point whose gap was good, and where the record stood there."""

    point: Snapshot
    lengths: tuple[int, int, int, int]


class Engine:
    """The path under way: the loop, the screening of columns, the record, and where to go back to."""

    def __init__(
        self,
        problem: Problem,
        screening: bool = True,
        checkpoint: File | None = None,
        budget: float = np.inf,
        ray: Ray | None = None,
    ) -> None:
        row_norm, self.column_norm = checked_norms(problem)
        self.problem = problem
        self.is_bent = problem.penalty.is_bent
        self.is_screened = screening
        self.budget = budget
        self.ray = ray
        self.kappa = float(2.0 ** np.round(np.log2(typical(row_norm))))
        self.row_norm = np.hypot(row_norm, self.kappa)
        self.ranges = problem.dictionary.column_ranges()
        self.screening = self._new_screening()
        self.coarsest = thresholds.TIED_DUAL
        least_l2 = problem.l2 if ray is None else min(ray.start[1], ray.end[1])
        if least_l2 > 0.0:
            scale = float(self.column_norm.max(initial=0.0)) ** 2 or 1.0
            per_ridge = thresholds.TIED_DUAL_PER_RIDGE * least_l2 / scale
            self.coarsest = min(per_ridge, thresholds.TIED_DUAL)
        self.retries = Retries()
        self.draws = 0
        self.sums_at = 0
        self.sums_dual = 0.0
        self.is_used = False
        self.begun = False
        self.has_resident = False
        self.gap = 0.0
        self.rounding = 0.0
        self.rounded_at: float | None = None  # the l1 from which on rounding shows
        jump = problem.loss.slope[:, -1] - problem.loss.slope[:, 0]
        self.largest_norm = float(self.row_norm.max())
        self.norm_by_jump = 0.0 if problem.loss.is_curved else float(jump @ self.row_norm)
        self.largest_slope = float(np.abs(problem.loss.slope).max())
        self.norm_by_slope = float(problem.loss.steepest(problem.label) @ self.row_norm)
        self.is_flat = not problem.loss.is_curved and bool(np.all(problem.loss.slope[:, -1] == 0.0))
        self.repairs: list[float] = []
        self.evaluated_before = (0, 0)
        self.checkpoint = None
        if checkpoint is not None:
            probe = probe_of(problem, row_norm, self.column_norm)
            self.checkpoint = Checkpoint(checkpoint.path, np.append(probe, checkpoint.digest))
        self._draw()
        self.loop = self._new_loop(self.first_point(), Record())

    def _new_screening(self) -> ColumnScreening:
        return screening_of(
            self.problem, self.column_norm, self.ranges, self.is_screened, self.budget
        )

    # -- where the path begins

    def begin(self) -> None:
        """Come down from l1 = ∞ to where the first penalised column is reached."""
        if self.is_used:
            self._draw()
            self.loop = self._new_loop(self.first_point(), Record())
        self.is_used = True
        free = self.problem.l1_weight == 0.0
        if free.any():
            self._solve_for(free)
        self._start_with(~free, self.problem.l1_weight)
        self.loop.n_events = 0
        self.sums_at = 0
        self.begun = True

    def begin_at(self, point: Snapshot) -> None:
        """Begin at a point of the path, known from elsewhere, rather than at its first."""
        self.is_used = True
        self._stand_at(point, Record(), 0)
        loop = self.loop
        loop.first_l1 = loop.state.place()
        loop.first_dual = float(np.linalg.norm(loop.state.dual()))
        self.check()
        self.record.open(self.loop.state)
        self.loop.recording = True
        self._stand_here()
        self.sums_at = 0
        self.begun = True

    def _draw(self) -> None:
        """Decide anew in which order ties are settled."""
        self.draws += 1
        rng = np.random.default_rng(self.draws)
        n = len(self.row_norm)
        self.margin_shift = rng.uniform(0.5, 1.0, n)
        self.threshold_shift = self.column_norm * rng.uniform(0.5, 1.0, len(self.column_norm))
        # Its sign makes the elbow never empty, and the intercept always held by a point.
        self.balance_shift = self.kappa * rng.uniform(0.5, 1.0)

    def first_point(self) -> Snapshot:
        """Return the point for l1 = ∞."""
        first = first_sets(self.problem, self.margin_shift)
        nothing = np.empty(0)
        return Snapshot(
            l1=np.array(np.inf),
            base=np.array(first.intercept),
            active=np.empty(0, dtype=np.intp),
            sign=nothing,
            beta=np.zeros(1),
            elbow=first.elbow,
            alpha=first.alpha,
            position=first.position,
        )

    def _new_loop(self, point: Snapshot, record: Record) -> Loop:
        """Return a loop that stands at a point."""
        problem = self.problem
        kind = CurvedState if problem.loss.is_curved else State
        state = kind(
            problem, self.row_norm, self.column_norm, self.kappa, float(point.base), point.position
        )
        if self.ray is not None:
            state.follow_ray(self.ray.start, self.ray.end)
        state.take_sets(point, problem.dictionary.columns(point.active))
        rows = WatchedRows(state, self.is_screened)
        loop = Loop(state, rows, WatchedColumns(state, self.is_screened), record)
        loop.margin_shift = self.margin_shift
        loop.threshold_shift = self.threshold_shift
        loop.balance_shift = self.balance_shift
        loop.recording = record.is_open
        return loop

    def _solve_for(self, free: NDArray[np.bool_]) -> None:
        """Give the columns that l1 never penalises their values for l1 = ∞: the end of *their* path, to l1 = 0."""
        state = self.loop.state
        state.penalise(np.ones(len(free)))
        self._start_with(free, np.ones(len(free)))
        self.run(End(), sys.maxsize, lambda events, l1: None)
        self.loop.record = Record()
        self.loop.recording = False
        state.penalise(np.array(self.problem.l1_weight))
        missing = free & (self.column_norm > 0.0) & (np.asarray(state.is_active) == 0)
        for j in np.flatnonzero(missing):
            self.loop.put_active(int(j), 0.0)
        self.loop.stale()

    def _start_with(self, allowed: NDArray[np.bool_], l1_weight: Floats) -> None:
        """Let l1 be where the first of the allowed columns is reached, and check everything."""
        loop = self.loop
        self._admit(allowed, l1_weight)
        candidates = np.flatnonzero((self.column_norm > 0.0) & allowed)
        dual = loop.state.dual()
        signed = self.problem.label * dual
        correlation = self.problem.dictionary.correlations(signed)
        correlation = np.abs(self.problem.penalty.beyond(correlation, np.zeros(len(allowed))))
        correlation = correlation[candidates]
        rounding = loop.rate * np.linalg.norm(dual)
        correlation[correlation <= rounding * self.column_norm[candidates]] = 0.0
        first = float(np.max(correlation / l1_weight[candidates], initial=0.0))
        loop.state.l1 = first
        loop.first_l1 = first
        loop.first_dual = float(np.linalg.norm(dual))
        loop.stale()
        self.check()

    # -- the way

    def run(self, end: End, max_events: int, report: Report) -> bool:
        """Follow the path to its end; return False if ``max_events`` or the end of the budget came first."""
        while True:
            loop = self.loop
            loop.min_l1 = end.after(loop.record.first_l1) if loop.record.is_open else end.l1
            if self._must_save():
                self._write_checkpoint()
                continue
            reason = loop.run(min(max_events, self._next_save()))
            if self.begun:
                report(loop.n_events, loop.state.place())
            if reason == Reason.ENDED:
                return self._finish(loop.min_l1)
            if reason == Reason.UNBOUNDED:
                self._finish_without_event(loop.min_l1)
                return True
            if reason == Reason.UNORDERED:
                raise EngineError(f"simultaneous events could not be put in order{REMEDY}")
            if reason == Reason.ENOUGH and loop.n_events < max_events:
                continue
            if reason == Reason.ENOUGH or (self.begun and self._is_over_budget()):
                return self._stop_here()
            if reason == Reason.OPENS:
                self._open()
            elif reason == Reason.COLUMNS:
                if not self.screening.has_room(loop, loop.ahead):
                    self._choose_resident()
                    loop.choose_columns()
            else:
                self.check(afresh=self._sums_are_old())

    def _open(self) -> None:
        """Open the record where b leaves zero: before the first step that moves β."""
        self._measure(afresh=False)
        self.loop.record.open(self.loop.state)
        self.loop.recording = True
        self._stand_here()

    def _admit(self, allowed: NDArray[np.bool_], l1_weight: Floats) -> None:
        """Let these columns be the candidates."""
        self.screening.admit(allowed, l1_weight)
        self.has_resident = False

    def _choose_resident(self) -> None:
        """Have other columns at hand, where the present ones may not be enough any more."""
        choice = self.screening.choose(self.loop)
        if choice is not None:
            self.loop.columns.use(self.loop.state, choice.resident)
            self.loop.columns.measure_outer(choice.limit, choice.once, choice.ruler)
        self.has_resident = True

    def _finish(self, min_l1: float) -> bool:
        loop = self.loop
        state = loop.state
        state.stand(min(min_l1, loop.first_l1))
        if state.l1 == 0.0 and loop.shrinks:
            np.asarray(state.alpha)[: state.n_elbow] = 0.0  # all that holds them is gone
        self.check()
        if not loop.record.is_open:
            loop.record.open(loop.state)
            loop.recording = True
        loop.record.note(END, -1, -1)
        if loop.state.place() < loop.record.last_l1:
            loop.record.close_breakpoint(loop.state)
        return True

    def _finish_without_event(self, min_l1: float) -> None:
        """End a path on which nothing bounds the next step: rounding if l1 is almost there, else an error."""
        loop = self.loop
        if loop.state.place() - min_l1 > thresholds.NEAR_THE_END * loop.first_l1:
            raise EngineError(f"no event bounds the step{REMEDY}")
        self._finish(min_l1)

    def _stop_here(self) -> bool:
        self.check()
        if not self.loop.record.is_open:
            self.loop.record.open(self.loop.state)
        return False

    def _is_over_budget(self) -> bool:
        return self.budget < np.inf and self._takes() > self.budget

    def _takes(self) -> int:
        """Return the bytes of what grows, while it does: the record, the active block, the factor, the copies."""
        state = self.loop.state
        factor = 16 * state.n_elbow * (state.n_active + 1)
        grows = np.asarray(state.block).nbytes + factor + self.screening.nbytes
        return int(1.5 * self.loop.record.nbytes + 2 * grows)

    # -- full checks

    def check(self, afresh: bool = True, slide: float = thresholds.SLIDE_EXACT) -> None:
        """Take rounding out of the solution, measure its gap, and choose anew what to watch."""
        loop = self.loop
        state = loop.state
        if state.n_elbow > state.n_active + 1 and not state.is_curved:
            where = "more points are on the margin than the active variables can hold there"
            raise EngineError(f"{where}{REMEDY}")
        self._set_noise()
        loop.checked_l1 = state.l1
        loop.checked_l2 = state.l2
        before = (np.array(state.alpha), np.array(state.beta))
        missed = loop.refresh(slide)
        self._measure(afresh)
        if not state.is_curved and self._must_correct():
            self._correct()
            loop = self.loop
            state = loop.state
            self._set_noise()
            loop.checked_l1 = state.l1
            self._measure(afresh=True)
        if not abs(self.gap) <= thresholds.HARMLESS:
            missed = min(missed, loop.refresh(slide))  # the second refines the first
            self._measure(afresh=False)
        if not self.gap <= thresholds.HARMLESS and missed <= thresholds.ON_THE_MARGIN:
            self._better_of(before)
        loop.rows.choose_near(state)
        if afresh:
            self._choose_resident()
        loop.choose_columns()
        loop.since_check = 0
        if afresh:
            self.sums_at = loop.n_events
            self.sums_dual = state.dual_square()
        self._stand_here()

    def _must_correct(self) -> bool:
        """Say whether β, or the sets, are off by more than a refresh may mend."""
        loop = self.loop
        state = loop.state
        shrink = state.l2 > 0.0 and state.fixed_square == 0.0
        left = loop.leave_beyond_bounds() if shrink else 0
        return bool(left or loop.must_correct() or self._violated_enter())

    def _violated_enter(self) -> bool:
        """Make columns active that are beyond their thresholds, by more than rounding; say whether there are any."""
        loop = self.loop
        state = loop.state
        if self.gap <= thresholds.HARMLESS or state.fixed_square > 0.0 or state.l2 == 0.0:
            return False
        beyond, correlation = self.screening.beyond(loop)
        excess = np.abs(correlation) - state.l1 * np.asarray(state.l1_weight)[beyond]
        rounding = loop.rate * np.sqrt(state.dual_square()) * self.column_norm[beyond]
        violated = (np.asarray(state.is_active)[beyond] == 0) & (excess > rounding)
        for j, sign in zip(beyond[violated], np.sign(correlation[violated]), strict=True):
            loop.columns.entered(int(j))
            loop.put_active(int(j), float(sign))
            if loop.recording:
                loop.record.note(ENTERED, int(j), -1)
        return bool(violated.any())

    def _correct(self) -> None:
        """Bring β to where its gradient vanishes, along the null space, event by event.

        Where l2 is tiny, dual values of order one cannot tell what l2 b asks for; once they have
        shrunk, they can. At fixed l1 the missing gradient is taken away step by step.
        """
        loop = self.loop
        state = loop.state
        before = Foothold(Snapshot.of(state, self.is_bent), loop.record.lengths())
        most = loop.n_events + thresholds.PIVOTS_IN_A_TIE * (state.n_elbow + state.n_active + 1)
        loop.rows.choose_near(state)
        loop.choose_columns()
        loop.correcting = True
        reason = Reason.COLUMNS
        while reason == Reason.COLUMNS:
            reason = Reason(loop.run(most))
            if reason == Reason.COLUMNS and not self.screening.has_room(loop, loop.ahead):
                self._choose_resident()
                loop.choose_columns()
        loop.correcting = False
        loop.stale()
        if reason != Reason.ENDED:  # as it was, then: the gap judges
            loop.record.go_back(before.lengths)
            self._stand_at(before.point, loop.record, loop.n_events)
        self.loop.refresh(thresholds.SLIDE_EXACT)
        if self.loop.recording and reason == Reason.ENDED:
            self.loop.record.close_breakpoint(self.loop.state)

    def _sums_are_old(self) -> bool:
        """Say whether correlations must be computed afresh: after many updates, or once α is much smaller."""
        many = self.n_events - self.sums_at > thresholds.EVENTS_BETWEEN_SUMS
        return many or self.loop.state.dual_square() < thresholds.DECADE**2 * self.sums_dual

    def _set_noise(self) -> None:
        """Let ties be finer where dual values, or thresholds beside them, are small."""
        loop = self.loop
        size = np.sqrt(loop.state.dual_square())
        share = 1.0
        if self.ray is None and loop.first_l1 > 0.0 and size > 0.0:
            share = (loop.state.l1 / loop.first_l1) * (loop.first_dual / size)
        tied = min(self.coarsest, thresholds.TIED_BESIDE_L1 * share)
        loop.tied_dual = max(tied, thresholds.FINEST)
        loop.rate = self.retries.at_rest(loop.state.place())

    def _measure(self, afresh: bool) -> None:
        """Bring scores, correlations and the gap up to date."""
        self.loop.rows.read(self.loop.state)
        self.screening.read(self.loop, afresh)
        if not self.has_resident:
            self._choose_resident()
        self.gap = self._relative_gap()

    def _better_of(self, before: tuple[Floats, Floats]) -> None:
        """Take a refresh back if there was next to no gap without it.

        To have the last digit of two points almost alike, α or β may go far, and take other slacks
        beyond zero.
        """
        state = self.loop.state
        refreshed = (np.array(state.alpha), np.array(state.beta))
        gap = self.gap
        state.alpha, state.beta = before
        self._measure(afresh=False)
        if not abs(self.gap) <= min(max(thresholds.HARMLESS, self.rounding), abs(gap)):
            state.alpha, state.beta = refreshed
            self._measure(afresh=False)

    def _relative_gap(self) -> float:
        """Return the duality gap relative to the objective, infinite where α has left its intervals or balance."""
        beyond, correlation = self.screening.beyond(self.loop)
        gap = self.loop.gap(beyond, correlation, self.largest_slope)
        scale = float(self.loop.primal)
        if (
            self.loop.state.is_curved
        ):  # what is left of a parabola is the square of a rounding error
            scale = max(scale, self._score_rounding() * self.norm_by_slope)
        self._note_rounding(scale)
        return float(gap / scale) if scale > 0.0 else 0.0

    def _score_rounding(self) -> float:
        """Return the rounding of a score, relative to the norm of its row."""
        state = self.loop.state
        return thresholds.SCORE_EPS * float(np.linalg.norm(state.beta[: state.n_active + 1]))

    def _note_rounding(self, scale: float) -> None:
        """Estimate what the rounding of scores adds to the objective, relative to it.

        Where no point pays and losses are flat beyond their kinks, β times 1 + δ pays nothing for a δ of
        the size of that rounding.
        """
        state = self.loop.state
        eps = self._score_rounding()
        if self.is_flat and state.fixed_square == 0.0:
            self.rounding = eps * self.largest_norm
        else:
            added = eps * self.norm_by_jump
            if state.is_curved:  # slopes have no end: those that there are
                added = eps * float(np.abs(state.dual()) @ self.row_norm)
                added += 0.5 * eps**2 * float(state.curvature @ self.row_norm**2)
            self.rounding = added / scale if scale > 0.0 else 0.0
        if self.rounding > thresholds.TRUSTED_GAP and self.rounded_at is None:
            last = float(self.good.point.l1) if self.is_under_way else float(state.place())
            self.rounded_at = max(last, float(state.place()))  # since the last check, at the latest

    # -- footholds and recovery

    def _stand_here(self) -> None:
        """Let this be where to go back to, if its gap as just measured allows."""
        if not self.gap <= max(thresholds.TRUSTED_GAP, self.rounding):
            raise EngineError(f"the duality gap grew to {self.gap:.1e}{REMEDY}")
        self.good = Foothold(Snapshot.of(self.loop.state, self.is_bent), self.loop.record.lengths())

    @property
    def is_resolved(self) -> bool:
        """Whether rounding of scores does not show in the objective: else no solver could do better."""
        return self.rounding <= thresholds.TRUSTED_GAP

    @property
    def record(self) -> Record:
        """What was recorded so far."""
        return self.loop.record

    @property
    def n_events(self) -> int:
        """How many events there were."""
        return int(self.loop.n_events)

    @property
    def evaluated(self) -> tuple[int, int]:
        """How many rows and columns were evaluated so far."""
        rows, columns = self.evaluated_before
        columns += self.screening.evaluated
        return rows + self.loop.rows.evaluated, columns + self.loop.columns.evaluated

    @property
    def foothold(self) -> float:
        """The place of the last good point."""
        return float(self.good.point.l1) if self.begun else np.inf

    @property
    def is_under_way(self) -> bool:
        """Whether what is followed is the path itself, not the search for its first point."""
        return self.begun and self.record.is_open

    def go_back(self) -> Snapshot:
        """Forget what was recorded since the last point whose gap was good; return that point."""
        self.record.go_back(self.good.lengths)
        return self.good.point

    def try_again(self) -> None:
        """Start again from the last good point, with ties in another order and something else at rest."""
        if not self.begun:
            return self.begin()
        self._go_on_from(self.go_back())
        self.check()

    def repair(self) -> None:
        """Start again from an independent solution at the last good point."""
        before = self.go_back()
        point = point_at(self.problem, before, self.kappa, self.column_norm)
        self._go_on_from(point)
        self.check(
            slide=thresholds.SLIDE_APPROXIMATE
        )  # refines the solution; the second measures it
        self.check()
        for kind, who, position in change_of_sets(
            before, Snapshot.of(self.loop.state, self.is_bent)
        ):
            self.record.note(kind, who, position)
        self.record.close_breakpoint(self.loop.state)
        self._stand_here()  # with the change of sets, which the check could not know
        self.repairs.append(float(before.l1))

    def _go_on_from(self, point: Snapshot) -> None:
        """Stand at a point, with ties in another order."""
        self._draw()
        self._stand_at(point, self.record, self.n_events)

    def _stand_at(self, point: Snapshot, record: Record, n_events: int) -> None:
        old = self.loop
        self.evaluated_before = self.evaluated
        self.screening = self._new_screening()
        self.loop = self._new_loop(point, record)
        self.loop.first_l1 = old.first_l1
        self.loop.first_dual = old.first_dual
        self.loop.n_events = n_events
        self._admit(self.problem.l1_weight > 0.0, self.problem.l1_weight)

    # -- checkpoints

    @property
    def _may_save(self) -> bool:
        """Whether the path has come past where it was lost: from there it goes on alike, resumed or not."""
        return self.is_under_way and self.retries.are_past(self.loop.state.l1)

    def _must_save(self) -> bool:
        checkpoint = self.checkpoint
        return checkpoint is not None and self._may_save and checkpoint.is_due(self.n_events)

    def _next_save(self) -> int:
        """Return the number of events at which to think of a checkpoint again."""
        if self.checkpoint is None:
            return sys.maxsize
        return max(self.checkpoint.due(), self.n_events + 1)

    def _write_checkpoint(self) -> None:
        self.check()
        counters = (self.draws, self.n_events, *self.evaluated)
        first = (self.loop.first_l1, self.loop.first_dual)
        saved = Saved(
            Snapshot.of(self.loop.state, self.is_bent),
            self.record.arrays(),
            first,
            self.repairs,
            counters,
        )
        assert self.checkpoint is not None
        self.checkpoint.write(saved)
        self.resume_at(saved)  # before anybody else has to

    def resume_at(self, saved: Saved) -> None:
        """Go on from where a path was saved, as if everything before had just been done."""
        draws, n_events, rows, columns = saved.counters
        self.repairs = saved.repairs
        self.begun = True
        self.draws = draws - 1
        self._draw()
        record = Record.of(saved.record)
        self._stand_at(saved.point, record, n_events)
        self.loop.first_l1, self.loop.first_dual = saved.first
        self.evaluated_before = (rows, columns)
        self.good = Foothold(saved.point, record.lengths())
        self.check()
