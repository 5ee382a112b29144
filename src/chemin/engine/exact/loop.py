"""How does the solution move? One loop: direction, first event, step, pivot.

For fixed sets β, α and l1 move along a line (`chemin.engine.exact.factor`). A step ends at the first slack to reach zero
(`chemin.engine.exact.slacks`); a pivot changes the sets there; ties are settled by their shadows (`chemin.engine.exact.ties`).
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from copy import copy
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from chemin.engine.exact.slacks import (
    FAMILIES,
    Noise,
    Stride,
    direction,
    pivot,
    place_of,
    reached,
    stride,
)
from chemin.engine.exact.snapshot import Snapshot
from chemin.engine.exact.start import first_state, resolved_ridge
from chemin.engine.exact.state import majority_of
from chemin.engine.exact.ties import Perturbation, earliest, follow_pivot
from chemin.engine.record import Lengths, Record
from chemin.engine.recovery.checkpoint import Checkpoint, File, Saved, probe_of
from chemin.engine.recovery.repair import note_change, state_at
from chemin.engine.recovery.retries import Losses
from chemin.engine.screening.watch import Watch
from chemin.exceptions import EngineError
from chemin.problems import Problem
from chemin.validation import checked_norms

_COARSE, _COARSE_DUAL, _FINE = (
    1e-13,
    1e-13,
    4e-15,
)  # what counts as a tie, relative: at most, and at least
_ROUNDING_OF_L1 = (
    1e-13  # below this fraction of the first l1, correlations and dual values are rounding
)
_MOST_PIVOTS_IN_A_TIE = 20  # times the number of points and variables involved
_LONGEST_SUM = 2000  # events before correlations are computed afresh, not from what has moved
_NEAR_THE_END = (
    1e-10  # of the first l1: there a direction may be rounding; the last look then judges
)
TRUSTED_GAP = 1e-9
REMEDY = ": centre and scale the columns, or raise l2"

Report = Callable[[int, float], None]


class End(NamedTuple):
    """Where to stop: at an l1, or at a share of the first one of the path, whichever is reached first."""

    l1: float = 0.0
    share: float = 0.0

    def l1_of(self, record: Record) -> float:
        """Return the last l1 of a path so far recorded."""
        return self.after(record.l1[0]) if record.is_open else self.l1

    def after(self, first: float) -> float:
        """Return the last l1 of a path that begins at ``first``."""
        return max(self.l1, self.share * first)


class Foothold(NamedTuple):
    """A point whose gap was good, and where the record stood there."""

    point: Snapshot
    lengths: Lengths


class Engine:
    """The path under way: its state, what it watches and what it has recorded."""

    def __init__(
        self,
        problem: Problem,
        screening: bool = True,
        checkpoint: File | None = None,
        budget: float = np.inf,
    ) -> None:
        row_norm, self.column_norm = checked_norms(problem)
        self.problem, self.screening, self.budget, self.draws = problem, screening, budget, 0
        self.kappa = float(2.0 ** np.round(np.log2(np.median(row_norm) or 1.0)))
        self.ranges = problem.dictionary.column_ranges()
        total = problem.dictionary.correlations(np.ones(len(row_norm)))
        self.l2 = resolved_ridge(problem.l2, total, self.column_norm, len(row_norm))
        self.row_norm = np.hypot(row_norm, self.kappa)
        # An error δ in α is an error δ/l2 in b: the smaller l2, the finer the ties that can be afforded.
        scale = float(self.column_norm.max(initial=0.0)) ** 2 or 1.0
        self.coarsest = min(1e-8 * self.l2 / scale, _COARSE_DUAL) if self.l2 else _COARSE_DUAL
        self.losses = Losses()
        rate = self.losses.at_rest(np.inf)
        self.noise = Noise(
            self.row_norm, self.column_norm, margin=_COARSE, dual=self.coarsest, rate=rate
        )
        self.n_events, self.afresh, self.begun = 0, 0, False
        self.repairs: list[float] = []
        self.checkpoint = None
        if checkpoint is not None:
            probe = probe_of(problem, row_norm, self.column_norm)
            self.checkpoint = Checkpoint(checkpoint.path, np.append(probe, checkpoint.digest))

    def _new_watch(self) -> Watch:
        return Watch(
            self.state, self.row_norm, self.column_norm, self.ranges, self.screening, self.budget
        )

    def _draw(self) -> None:
        """Decide anew in which order ties are settled."""
        self.draws += 1
        balance = self.kappa * majority_of(self.problem)
        self.perturbation = Perturbation(
            len(self.row_norm), self.column_norm, balance, seed=self.draws
        )

    def begin(self) -> None:
        """Come down from l1 = ∞ to where the first penalised column is reached."""
        self._draw()
        self.state = first_state(self.problem, self.l2, self.kappa, self.perturbation.margin)
        self.watch, self.record = self._new_watch(), Record()
        free = self.problem.l1_weight == 0.0
        if free.any():
            self._solve_for(free)
        self._start_with(~free)
        self.record = Record()
        self.n_events, self.afresh, self.begun = 0, 0, True

    def _solve_for(self, free: NDArray[np.bool_]) -> None:
        """Give the columns that l1 never penalises their values for l1 = ∞: the end of *their* path, to l1 = 0."""
        state = self.state
        state.problem = replace(self.problem, l1_weight=np.ones(len(free)))
        self._start_with(free)
        self.run(End(), sys.maxsize, lambda events, l1: None)
        state.problem = self.problem
        state.sign[:] = state.push[:] = 0.0
        for j in np.flatnonzero(self.watch.rings.candidates & ~state.is_active):
            state.activate(int(j), 0.0, state.fetch(int(j)))

    def _start_with(self, allowed: NDArray[np.bool_]) -> None:
        """Let l1 be where the first of the allowed columns is reached, and look around."""
        state = self.state
        self.watch.rings.admit(allowed)
        candidates = np.flatnonzero(self.watch.rings.candidates)
        dual = state.dual()
        correlation = np.abs(
            state.problem.dictionary.correlations(state.problem.label * dual)[candidates]
        )
        rounding = self.noise.rate * np.linalg.norm(dual) + _FINE * np.linalg.norm(
            state.problem.weight
        )
        correlation[correlation <= rounding * self.column_norm[candidates]] = 0.0
        state.l1 = self.first_l1 = float(
            np.max(correlation / state.problem.l1_weight[candidates], initial=0.0)
        )
        self.look()

    def run(self, end: End, max_events: int, report: Report) -> bool:
        """Follow the path to its end; return False if ``max_events`` or the end of the budget came first."""
        state, rounding, min_l1 = (
            self.state,
            _ROUNDING_OF_L1 * self.first_l1,
            end.l1_of(self.record),
        )
        while self.n_events < max_events:
            if state.l1 <= min_l1 + rounding:
                return self._finish(min_l1)
            if self.checkpoint and self._may_save and self.checkpoint.is_due(self.n_events):
                self._write_checkpoint(self.checkpoint)
                state = self.state
            if not self.record.is_open:
                self._open_before_it_moves()
                min_l1 = end.l1_of(
                    self.record
                )  # a share of the first l1 is known once there is one
            made = stride(state, self.noise, *self.watch.rooms(), min_l1)
            self.watch.count(made)
            if not made.made:
                if self.watch.sees_no_end(made):
                    return self._finish_without_event(min_l1)
                if self.begun and self._takes() > self.budget:
                    break
                if self.watch.is_time():
                    self.look(afresh=self.n_events - self.afresh > _LONGEST_SUM)
                elif not self.watch.has_room(made):
                    self.watch.glance()
                continue
            if made.ended:
                return self._finish(min_l1)
            self._change_sets(made)
            report(self.n_events, state.l1)
        self.look()
        if not self.record.is_open:
            self.record.open(state)
        return False

    def look(self, afresh: bool = True) -> None:
        """Look at everything; say so if the certificate is lost."""
        if len(self.state.elbow) > len(self.state.beta):
            raise EngineError(
                f"more points are on the margin than the active variables can hold there{REMEDY}"
            )
        # Near l1 = 0 thresholds are small themselves: what counts as a tie must stay far below them.
        share = self.state.l1 / self.first_l1 if self.first_l1 else 1.0
        self.noise.dual = max(min(self.coarsest, 1e-4 * share), _FINE)
        self.noise.rate = self.losses.at_rest(self.state.l1)
        self.watch.look(afresh)
        self.afresh = self.n_events if afresh else self.afresh
        self._stand_here()

    def _stand_here(self) -> None:
        """Let this be where to go back to, if its gap as just measured allows."""
        if not self.watch.gap <= TRUSTED_GAP:
            raise EngineError(f"the duality gap grew to {self.watch.gap:.1e}{REMEDY}")
        self.good = Foothold(Snapshot.of(self.state), self.record.lengths())

    def stand_at(self, saved: Saved) -> None:
        """Go on from where a path was saved, as if everything before had just been done."""
        self.state = saved.point.restored(self.problem, self.l2, self.kappa)
        self.record, self.first_l1, self.repairs, self.begun = (
            saved.record,
            saved.first_l1,
            saved.repairs,
            True,
        )
        draws, self.n_events, rows, columns = saved.counters
        self.draws = draws - 1
        self._draw()
        self._watch_anew(rows, columns)
        self.good = Foothold(saved.point, saved.record.lengths())
        self.look()

    def _watch_anew(self, rows: int, columns: int) -> None:
        self.watch = self._new_watch()
        self.watch.rows_evaluated, self.watch.rings.evaluated = rows, columns
        self.watch.rings.admit(self.problem.l1_weight > 0.0)

    @property
    def foothold(self) -> float:
        """The l1 of the last good point."""
        return float(self.good.point.l1) if self.begun else np.inf

    @property
    def is_under_way(self) -> bool:
        """Whether what is followed is the path itself, not the search for its first point."""
        return self.begun and self.record.is_open

    @property
    def _may_save(self) -> bool:
        """Whether the path has come past where it was lost: from there it goes on alike, resumed or not."""
        return self.is_under_way and self.losses.are_past(self.state.l1)

    def _write_checkpoint(self, checkpoint: Checkpoint) -> None:
        self.look()
        counters = (self.draws, self.n_events, *self.watch.evaluated)
        saved = Saved(Snapshot.of(self.state), self.record, self.first_l1, self.repairs, counters)
        self.stand_at(saved)  # before anybody else has to
        checkpoint.write(saved)

    def _takes(self) -> int:
        """Return the bytes of what grows, while it does: the record, the active block, the factor and the pools."""
        state = self.state
        factor = 16 * len(state.elbow) * len(state.beta)
        return self.record.nbytes + 2 * (state.block.nbytes + factor + self.watch.rings.nbytes)

    def go_back(self) -> Snapshot:
        """Forget what was recorded since the last point whose gap was good; return that point."""
        self.record.go_back(self.good.lengths)
        return self.good.point

    def try_again(self) -> None:
        """Start again from the last good point, with ties in another order and something else at rest."""
        if not self.begun:
            return self.begin()
        self.state = self.go_back().restored(self.problem, self.l2, self.kappa)
        self._draw()
        self._watch_anew(*self.watch.evaluated)
        self.look()

    def repair(self) -> None:
        """Start again from an independent solution at the last good point."""
        before = self.go_back()
        self.state = state_at(self.problem, before, self.l2, self.kappa, self.column_norm)
        self._draw()
        self._watch_anew(*self.watch.evaluated)
        self.watch.look(approximate=True)  # polishes the solution; the second look measures it
        self.look()
        note_change(self.record, before, self.state)
        self.record.close_breakpoint(self.state)
        self._stand_here()  # with the change of sets, which the look could not know
        self.repairs.append(float(before.l1))

    def _open_before_it_moves(self) -> None:
        """Open the record where b leaves zero: at the first step that moves β."""
        if not direction(self.state).beta.any():
            return
        trial = copy(self.state)
        for name in ("beta", "alpha", "residual", "correlation"):
            setattr(trial, name, getattr(trial, name).copy())
        if stride(trial, self.noise, np.inf, np.inf, 0.0).step > 0.0:
            self.watch.measure()
            self.record.open(self.state)
            self._stand_here()

    def _finish(self, min_l1: float) -> bool:
        self.state.l1 = min(min_l1, self.first_l1)
        self.look()
        if not self.record.is_open:
            self.record.open(self.state)
        self.record.event("end", -1)
        if self.state.l1 < self.record.l1[-1]:
            self.record.close_breakpoint(self.state)
        return True

    def _finish_without_event(self, min_l1: float) -> bool:
        """End a path on which nothing bounds the next step: rounding if l1 is almost there, an error elsewhere."""
        if self.state.l1 - min_l1 > _NEAR_THE_END * self.first_l1:
            raise EngineError(f"no event bounds the step{REMEDY}")
        return self._finish(min_l1)

    def _change_sets(self, made: Stride) -> None:
        """Make the pivot that ends the step, or all those that end it together."""
        tied = reached(self.state, self.noise)
        if np.count_nonzero(tied) <= 1:
            self._pivot(made.family, made.place)
        else:
            self._settle(tied, made)
        if self.record.is_open:
            self.record.close_breakpoint(self.state)

    def _settle(self, tied: NDArray[np.bool_], made: Stride) -> None:
        """Pivot among simultaneous events, in the order of their shadows, until the path can move on."""
        state = self.state
        shadow = self.perturbation.shadow(state)
        floor = -np.inf
        tied[place_of(state, made.family, made.place)] = True
        patience = _MOST_PIVOTS_IN_A_TIE * (
            np.count_nonzero(tied) + len(state.elbow) + len(state.active)
        )
        for _ in range(patience):
            move = direction(state)
            family, place, step = earliest(
                state, move, shadow, self.perturbation, self.noise, tied, floor
            )
            if family < 0:
                return
            shadow.add(move, step)
            self._pivot(family, place)
            follow_pivot(shadow, FAMILIES[family], place)
            floor, tied = 0.0, reached(state, self.noise)
        raise EngineError(f"simultaneous events could not be put in order{REMEDY}")

    def _pivot(self, family: int, place: int) -> None:
        who = pivot(self.state, family, place)
        if self.record.is_open:
            self.record.event(FAMILIES[family], who)
        self.n_events += 1
