"""How is a path followed to a tolerance, by few breakpoints? Solve, prove the piece, step on.

From a solution with a certified gap at l1 the walk solves at a smaller l1
(`chemin.engine.approximate.smoothing`), with a quarter of the tolerance, and bounds the gap
everywhere in between (`chemin.engine.proof.between`). Where the bound is within the tolerance the
piece is kept; elsewhere a solution is put in between. What curves the gap grows as the square of a
step, hence the next step is the last one times √(what is allowed / what was bounded): the number of
breakpoints is of the order of 1/√tol, whatever the number of points.

The path begins at the smallest l1 seen at which the empty model, with the columns that l1 never penalises, is within
a quarter of the tolerance: what α proves of it there, it proves at every larger l1.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from numbers import Real
from typing import Any

import numpy as np

from chemin.engine.approximate.set_changes import SetRecorder
from chemin.engine.approximate.smoothing import SmoothedSolver, Solution
from chemin.engine.breakpoints import Breakpoints
from chemin.engine.end import End, TimeSpentError
from chemin.engine.proof.between import bound_between, prove
from chemin.engine.result import Status
from chemin.exceptions import EngineError, InvalidInputError
from chemin.problems import Problem
from chemin.validation import checked_norms

_LEAST_TOL = 1e-9
_SHARE = 0.25  # of the tolerance, for a breakpoint alone
_CAUTION, _LEAST, _LONGEST, _MOST = 0.9, 0.1, 0.7, 4.0  # how a step follows the last one
_MOST_FAILURES = 8
_ALMOST = 0.1  # of a step: what would be left to the end is taken with it
_DEEPEST = 0.1  # of an l1: further down a solution is too far away
_HARDLY = 10.0  # times the tolerance: what may be left of the penalty

Report = Callable[[int, float], None]


def approximate_path(
    problem: Problem, end: End, tol: float, report: Report, *, keeps_interrupted: bool = False
) -> tuple[Status, Breakpoints]:
    """Follow the path to its end with a relative gap of at most ``tol`` at every l1, proved.

    Parameters
    ----------
    problem : Problem
        What is minimised.
    end : End
        Where to stop.
    tol : float
        The largest relative gap, ``0 < tol < 1``.
    report : callable
        Called with the number of breakpoints and l1 after each.
    keeps_interrupted : bool
        Whether Ctrl-C ends the path where it is rather than raising.

    Returns
    -------
    status : Status
        ``"complete"``, ``"interrupted"``, or ``"lost"`` where no solution could be found below some l1.
    breakpoints : Breakpoints
        What was found.

    Examples
    --------
    >>> from chemin.datasets import benchmark_gaussian
    >>> from chemin.validation import as_problem
    >>> problem, _ = as_problem(*benchmark_gaussian(200, 20), 1.0, None, None)
    >>> status, breakpoints = approximate_path(problem, End(1.0), 1e-2, lambda count, l1: None)
    >>> len(breakpoints.l1) < 40, float(breakpoints.l1[-1])
    (True, 1.0)
    """
    checked_norms(problem)
    walk = _Walk(problem, end, tol, report)
    return walk.status(keeps_interrupted), walk.recorder.breakpoints()


def check_tol(tol: Any) -> float:
    """Return a relative gap: 0, or one that double precision can prove."""
    if (
        isinstance(tol, bool)
        or not isinstance(tol, Real)
        or not (tol == 0 or _LEAST_TOL <= float(tol) < 1.0)
    ):
        raise InvalidInputError(
            f"tol is {tol!r}: pass a relative gap between {_LEAST_TOL:g} and 1, such as 1e-4, or 0 for the exact path"
        )
    return float(tol)


class _Walk:
    """The walk from the empty model down."""

    def __init__(self, problem: Problem, end: End, tol: float, report: Report) -> None:
        self.problem, self.end, self.tol, self.report = problem, end, tol, report
        self.solver = SmoothedSolver(problem)
        self.recorder = SetRecorder(problem.loss)
        self.empty = self.here = self.before = self._empty_model()
        self.ahead: list[Solution] = []
        self.failures = 0
        self.step = np.sqrt(tol) * self.here.l1

    @property
    def min_l1(self) -> float:
        """Where to stop, as far as is known: a share of the first l1 only once the path has one."""
        return self.end.after(self.recorder.l1[0]) if self.recorder.is_open else self.end.l1

    def status(self, keeps_interrupted: bool) -> Status:
        """Walk to the end, and say how it went."""
        lost: BaseException | None = None
        if self.end.share == 1.0:  # all that is asked for is where the path begins
            self._note(self.here)
        while self.here.l1 > self.min_l1 and lost is None:
            try:
                self._judge(self._not_beyond_the_end(self._next()))
            except (EngineError, TimeSpentError) as error:
                lost = error
            except KeyboardInterrupt as interruption:
                if not keeps_interrupted:
                    raise
                lost = interruption
        if not self.recorder.is_open:
            self._note(self.here)
        if isinstance(lost, KeyboardInterrupt):
            return Status(
                "interrupted",
                f"Interrupted; the path is certified down to l1 = {self.here.l1:.6g}.",
            )
        if isinstance(lost, TimeSpentError):
            return Status(
                "stopped",
                f"Stopped, since {lost}; the path is certified down to l1 = {self.here.l1:.6g}: "
                "raise max_time to go on.",
            )
        if lost is not None:
            return Status(
                "lost", f"The path is certified down to l1 = {self.here.l1:.6g}; below, {lost}."
            )
        count = len(self.recorder.l1)
        sentence = f"The path is complete, down to l1 = {self.here.l1:g}, in {count} breakpoint{'s' * (count > 1)}"
        return Status(
            "complete", f"{sentence}, with a relative gap of at most {self.tol:g} everywhere."
        )

    def _empty_model(self) -> Solution:
        """Return the solution for l1 = ∞, at an l1 from which on it is one."""
        problem, solver = self.problem, self.solver
        pushed = problem.l1_weight > 0.0
        highest = (
            solver.column_norm[pushed] * np.linalg.norm(problem.weight) / problem.l1_weight[pushed]
        )
        nothing = np.zeros(len(pushed))
        found = solver.solve(
            2.0 * float(highest.max(initial=0.5)), nothing, 0.0, _SHARE * self.tol, 0.0
        )
        correlation = np.abs(problem.dictionary.correlations(problem.label * found.dual))[pushed]
        rounding = (
            len(found.dual)
            * np.finfo(float).eps
            * np.linalg.norm(found.dual)
            * solver.column_norm[pushed]
        )
        ratio = np.where(correlation > rounding, correlation, 0.0) / problem.l1_weight[pushed]
        return self._moved(found, float(ratio.max(initial=0.0)), found)

    def _moved(self, found: Solution, l1: float, proof: Solution) -> Solution:
        """Return a solution taken to another l1, or proved by the dual values of another."""
        proved = prove(
            self.problem,
            found.coef[None],
            np.array([found.intercept]),
            np.array([l1]),
            proof.dual[None],
            self.solver.column_norm,
        )
        return replace(found, dual=proof.dual, proved=proved)

    def _next(self) -> Solution:
        """Return the solution ahead, or a new one; nearer, where none can be found."""
        if self.ahead:
            return self.ahead.pop()
        while True:
            l1 = max(self.here.l1 - self.step, self._deepest())
            if l1 < self.min_l1 + _ALMOST * self.step:
                l1, last = (
                    max(self.min_l1, self._deepest()),
                    self._moved(self.here, self.min_l1, self.here),
                )
                if self._bound(last) <= self.tol:
                    return last
            if not l1 < self.here.l1:
                raise EngineError(
                    f"no piece from l1 = {l1:.6g} down is within tol: raise tol, or pass tol=0"
                )
            try:
                return self._solve(l1)
            except EngineError as error:
                self._shorten(self.here.l1 - l1, error)

    def _deepest(self) -> float:
        """Return an l1 whose solution can still be found from here: any, where the penalty hardly counts any more."""
        proved = self.here.proved
        penalty, optimum = (
            self.here.l1 * float(proved.norm1[0]),
            max(float(proved.lower[0]), self.solver.least),
        )
        return 0.0 if penalty <= _HARDLY * self.tol * optimum else _DEEPEST * self.here.l1

    def _not_beyond_the_end(self, there: Solution) -> Solution:
        """Return a solution, or the one at the end if that comes first; a path that it opens has its end from here."""
        opens = not self.recorder.is_open and bool(np.any(there.coef != self.empty.coef))
        end = self.end.after(self.here.l1) if opens else self.min_l1
        if there.l1 >= end:
            return there
        self.ahead.append(there)
        try:
            return self._solve(end)
        except EngineError as error:
            self._shorten(self.here.l1 - end, error)
            return self._next()

    def _shorten(self, length: float, error: EngineError) -> None:
        """Try a shorter step after a failure, unless there were too many."""
        if self.failures == _MOST_FAILURES:
            raise error
        self.failures, self.step = self.failures + 1, _LONGEST * length
        self.ahead.clear()

    def _solve(self, l1: float) -> Solution:
        """Solve at an l1, starting from the line through the two nearest solutions."""
        here, other = self.here, self.ahead[-1] if self.ahead else self.before
        span = here.l1 - other.l1
        share = max((here.l1 - l1) / span, -_MOST) if span else 0.0
        coef = here.coef + share * (other.coef - here.coef)
        coef[(coef * here.coef <= 0.0) & (coef * other.coef <= 0.0)] = 0.0
        intercept = here.intercept + share * (other.intercept - here.intercept)
        found = self.solver.solve(
            l1, coef, intercept, _SHARE * self.tol, float(here.proved.lower[0])
        )
        if not self.recorder.is_open:
            empty = self._moved(self.empty, l1, found)
            if empty.proved.relative_gap(self.solver.least)[0] <= _SHARE * self.tol:
                return empty
        return found

    def _judge(self, there: Solution) -> None:
        """Keep the piece to ``there`` if it is good enough, else solve in between."""
        least, bound = self.solver.least, self._bound(there)
        ends = max(float(end.proved.relative_gap(least)[0]) for end in (self.here, there))
        length = self.here.l1 - there.l1
        share = _CAUTION * np.sqrt((self.tol - ends) / max(bound - ends, 1e-3 * self.tol))
        if bound <= self.tol:
            self._keep(there)
            self.step = length * min(max(share, _LEAST), _MOST)
            return
        if share < _LEAST:  # so far from a straight line that it is no help
            self.ahead.clear()
            self.step = _LEAST * length
            return
        self.ahead.append(there)
        part = length * min(share, _LONGEST)
        try:
            self.ahead.append(self._solve(self.here.l1 - part))
        except EngineError as error:
            self._shorten(part, error)

    def _bound(self, there: Solution) -> float:
        ends = (self.here.proved, there.proved)
        return float(bound_between(self.problem, *ends, self.solver.least)[0])

    def _keep(self, there: Solution) -> None:
        if self.recorder.is_open or np.any(there.coef != self.empty.coef):
            if not self.recorder.is_open:
                self._note(self.here)
            self._note(there)
        self.before, self.here = self.here, there

    def _note(self, solution: Solution) -> None:
        l1 = solution.l1
        self.recorder.add(l1, solution.coef, solution.intercept, solution.dual)
        self.report(len(self.recorder.l1), l1)
