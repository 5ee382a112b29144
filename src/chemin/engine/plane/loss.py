"""How does the solution move as the loss does? The exact path in the level of a quantile, or in the width of a tube.

Between two losses of the same kinks, kinks z and slopes g change along a line, (1 − t) z⁰ + t z¹ and so on. They are
the right-hand side of the conditions of optimality on fixed sets (`chemin.engine.plane.formula`), and nowhere else:

    H B − M_Eᵀ α_E = g(t) − l1 push,        M_E B = l2 z_E(t).

So B and α are affine in t, and every slack at t is the same mixture of those of the two losses. Two things happen here
that do not along (l1, l2), where kinks stand still:

- the last point at a kink leaves it: the intercept jumps to the next point, as a quantile does from number to number;
- a point comes to its kink though those there hold all coefficients: α goes on at the same t until one gives way.

Both are one move, along what the matrix of the new sets takes to zero.

Reference: Rosset (2009), *Bi-level path following for cross validated solution of kernel quantile regression*.
"""

from __future__ import annotations

import sys
from copy import copy
from dataclasses import dataclass, field, fields, replace
from typing import Any, NamedTuple

import numpy as np

from chemin.dictionaries.base import Floats
from chemin.engine.entry import one_thread
from chemin.engine.pieces import places_at
from chemin.engine.plane.formula import Formula, Formulas, Sets, Solved
from chemin.engine.plane.ray import refuse_bent
from chemin.engine.plane.surface import formulas_of, sets_at
from chemin.engine.proof.certificate import Certificate, certificate_of
from chemin.engine.result import Status
from chemin.exceptions import EngineError, InvalidInputError, OutOfRangeError
from chemin.frames import as_frame
from chemin.problems import Loss, Penalty, PiecewiseQuadratic, Problem, as_loss
from chemin.results import Result, plural
from chemin.validation import as_problem, as_same_columns, check_l1, check_max_events

_HERE = np.ones(2)  # l1 and l2, in their own units
_ROUNDING = 1e-12  # of the terms of a slack
_REACH = 1e-11  # of the way: what is met within so much is met together
_DEPENDENT = 1e-10  # of the largest singular value: rows that depend on each other
_PIVOTS = 1000  # without getting on
_BESIDE = 1e-12  # of the way
_GOOD = 1e-8  # of the largest objective: a gap beyond it is no rounding


@dataclass(frozen=True, eq=False, repr=False)
class LossPath(Result):
    """The exact path from one loss to another.

    Attributes
    ----------
    problem : Problem
        What was minimised, with the first loss.
    l1 : float
    first, last : Loss
    status : Status
    parameter : ndarray of shape (k,)
        That of the loss at the breakpoints; where the intercept jumps, twice the same.
    coef, intercept, dual : ndarray of shape (k, p), (k,) and (k, n)
    """

    problem: Problem = field(repr=False)
    l1: float
    first: Loss
    last: Loss
    status: Status
    parameter: Floats
    coef: Floats = field(repr=False)
    intercept: Floats = field(repr=False)
    dual: Floats = field(repr=False)
    tables_: tuple[PiecewiseQuadratic, PiecewiseQuadratic] = field(repr=False)

    def __str__(self) -> str:
        return self.status.sentence

    @property
    def name(self) -> str:
        """What the parameter is called."""
        return _parameter_of(self.first)[0]

    def coef_at(self, parameter: Any) -> Floats:
        """Return the coefficients at a parameter: shape (p,), or (k, p) for k values."""
        return self._at(self.coef, parameter)

    def intercept_at(self, parameter: Any) -> Any:
        """Return the intercept there; where it jumps, that after the jump."""
        values = self._at(self.intercept, parameter)
        return values if np.ndim(parameter) else float(values)

    def dual_at(self, parameter: Any) -> Floats:
        """Return the dual values there: shape (n,), or (k, n)."""
        return self._at(self.dual, parameter)

    def decision_at(self, X: Any, parameter: Any) -> Floats:
        """Return b0 + X·b there: shape (n,), or (n, k)."""
        scores = as_same_columns(X, self.problem.dictionary).scores(self.coef_at(parameter).T)
        return np.asarray(scores + self.intercept_at(parameter))

    def certificate(self) -> Certificate:
        """Certify every breakpoint, with the loss there, by code that is not shared with the engine.

        Gaps are relative to the objective. Where it comes to nothing, as where a tube holds all points, they are those
        of rounding: multiply by ``primal`` to see it.
        """
        parts = []
        for k, share in enumerate(self._shares(self.parameter)):
            there = replace(self.problem, loss=_between(*self.tables_, float(share)))
            one = (self.coef[[k]], self.intercept[[k]], np.array([self.l1]), self.dual[[k]])
            parts.append(certificate_of(there, *one))
        return Certificate.join(parts)

    def frame(self) -> Any:
        """Return the breakpoints as a pandas or else polars frame."""
        columns = {
            self.name: self.parameter,
            "intercept": self.intercept,
            "variables": np.count_nonzero(self.coef, axis=1),
        }
        return as_frame(columns, instead="parameter, intercept and coef")

    def _shares(self, parameter: Floats) -> Floats:
        start = _parameter_of(self.first)[1]
        end = _parameter_of(self.last)[1]
        return np.asarray((parameter - start) / (end - start))

    def _at(self, values: Floats, parameter: Any) -> Floats:
        wanted = self._shares(np.atleast_1d(np.asarray(parameter, dtype=float)))
        reached = self._shares(self.parameter)
        if not np.all((wanted >= -_BESIDE) & (wanted <= reached[-1] + _BESIDE)):
            raise OutOfRangeError(
                f"{self.name} must be between {self.parameter[0]:g} and {self.parameter[-1]:g}, where this path begins "
                "and ends: follow a longer one"
            )
        before, share = places_at(-reached, -np.clip(wanted, 0.0, reached[-1]))
        after = np.minimum(before + 1, len(reached) - 1)
        share = share.reshape(-1, *[1] * (values.ndim - 1))
        rows = np.asarray((1.0 - share) * values[before] + share * values[after])
        return rows if np.ndim(parameter) else rows[0]


def loss_path(
    X: Any,
    y: Any,
    first: Loss,
    last: Loss,
    *,
    l1: float,
    l2: float = 1.0,
    penalty: str | Penalty = "l1",
    sample_weight: Any = None,
    l1_weight: Any = None,
    max_events: int | None = None,
) -> LossPath:
    """Compute the exact path in the parameter of a loss: every quantile level, or every width of the tube.

    Each breakpoint solves a linear system of the points and variables in play: for up to some hundreds of both.

    Parameters
    ----------
    X, y, penalty, sample_weight, l1_weight
        As for `chemin.ray_path`.
    first, last : Loss
        From which loss to which: two ``Quantile(level)``, or two ``EpsilonInsensitive(epsilon)``.
    l1, l2 : float
        The penalties, which stay as they are; l2 must be positive.
    max_events : int, optional
        Give up after so many breakpoints.

    Returns
    -------
    LossPath

    Examples
    --------
    All quantiles between the first and the ninth decile:

    >>> import chemin
    >>> from chemin.problems import Quantile
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True)
    >>> path = chemin.loss_path(X[:100], y[:100], Quantile(0.1), Quantile(0.9), l1=0.5, l2=0.01)
    >>> median = chemin.path(X[:100], y[:100], loss="quantile", l2=0.01)
    >>> bool(abs(path.coef_at(0.5) - median.coef_at(0.5)).max() < 1e-6)
    True
    >>> bool(path.certificate().worst_gap < 1e-10)
    True
    """
    _check(first, last)
    problem, classes = as_problem(X, y, l2, sample_weight, l1_weight, first, penalty)
    other = as_problem(X, y, l2, sample_weight, l1_weight, last)[0]
    l1 = check_l1(l1)
    refuse_bent(problem, l1)
    if problem.l2 == 0.0:
        raise InvalidInputError(
            "l2 is 0, where the solution divides by it: pass a small one, such as 1e-3, or follow l1 with chemin.path"
        )
    most = check_max_events(max_events) or sys.maxsize
    with one_thread(problem, always=True), problem.dictionary.resident() as columns:
        there = replace(problem, dictionary=columns)
        if l1 == 0.0:  # where l1 is 0, so may all its weights be
            there = replace(there, l1_weight=np.zeros_like(problem.l1_weight))
        unit = np.array([l1 or 1.0, problem.l2])
        start = formulas_of(there, unit)
        end = Formulas(replace(there, loss=other.loss), start.kappa, start.shifts, unit)
        walk = _Walk(start, end, sets_at(there, classes, l1))
        complete = walk.follow(most)
    name, low = _parameter_of(first)
    parameter = low + np.array(walk.share) * (_parameter_of(last)[1] - low)
    scaled = np.array(walk.scaled) / start.ridge
    found = (parameter, scaled[:, 1:] / start.kappa, scaled[:, 0], np.array(walk.dual))
    tables = (problem.loss, other.loss)
    code = "complete" if complete else "stopped"
    path = LossPath(problem, l1, first, last, Status(code, ""), *found, tables)
    proof = path.certificate()
    lost = np.flatnonzero(proof.gap * proof.primal > _GOOD * proof.primal.max())
    if len(lost):
        code = "incomplete"
        path = replace(path, **{
            name: values[: lost[0]]
            for name, values in zip(_KEPT, found, strict=True)
        })  # fmt: skip
    if len(path.parameter) < 2:
        raise EngineError("the path cannot begin: centre and scale the columns, or raise l2")
    count = plural(len(path.parameter), "breakpoint")
    way = f"from {name} = {low:g} to {path.parameter[-1]:g}, in {count}"
    return replace(path, status=Status(code, _SENTENCES[code].format(way)))


_KEPT = ("parameter", "coef", "intercept", "dual")
_SENTENCES = {
    "complete": "The path is complete, {}.",
    "stopped": "The path goes {}; max_events is reached: raise it to go on.",
    "incomplete": "The path goes {}; its certificate is lost there: centre and scale the columns, or raise l2.",
}


class _Line(NamedTuple):
    """B of all columns, after the intercept, and α of all points: at t = 0, per t, and per ε."""

    scaled: Floats
    dual: Floats

    def at(self, share: float) -> tuple[Floats, Floats]:
        return (
            self.scaled[:, 0] + share * self.scaled[:, 1],
            self.dual[:, 0] + share * self.dual[:, 1],
        )


class _Walk:
    """The way from one loss to the other, with what was met on it."""

    def __init__(self, start: Formulas, end: Formulas, sets: Sets) -> None:
        self.start = start
        self.end = end
        self.sets = sets
        self.share: list[float] = []
        self.scaled: list[Floats] = []
        self.dual: list[Floats] = []

    def follow(self, most: int) -> bool:
        """Go on from event to event; return False if they are more than wanted."""
        here = 0.0
        pivots = 0
        line = self._line()
        self._keep(here, *line.at(here))
        while True:
            formula = self._formula()
            there, event = _first(formula, here)
            if there > here:
                pivots = 0
                self._keep(there, *line.at(there))
            if event is None:
                return True
            if len(self.share) > most:
                return False
            pivots += 1
            if pivots > _PIVOTS:
                raise EngineError(
                    "simultaneous changes could not be put in order: move the first or the last loss"
                )
            here = there
            change = (int(formula.family[event]), int(formula.whose[event]))
            late = -formula.slack[3, event] / formula.slack[1, event]  # the event is at t + ε late
            self.sets = self.sets.after(*change)
            null = self._null()
            if null is not None:
                self._exchange(line, here, late, null, change[1])
            line = self._line()

    def _keep(self, share: float, scaled: Floats, dual: Floats) -> None:
        self.share.append(share)
        self.scaled.append(scaled)
        self.dual.append(dual)

    def _line(self) -> _Line:
        """Return the solution on the present sets."""
        first, last = (formulas.solved(self.sets) for formulas in (self.start, self.end))
        n = len(self.sets.position)
        scaled = np.zeros((len(self.sets.sign) + 1, 3))
        dual = np.zeros((n, 3))
        dual[:, 0] = self.start.fixed(self.sets.position)
        dual[:, 1] = self.end.fixed(self.sets.position) - dual[:, 0]
        chosen = np.append(0, first.active + 1)
        for whole, some, before, after in (
            (scaled, chosen, first.scaled, last.scaled),
            (dual, first.elbow, first.dual, last.dual),
        ):
            whole[some, 0] = before[:, :3].sum(axis=1)
            whole[some, 1] = after[:, :3].sum(axis=1) - whole[some, 0]
            whole[some, 2] = before[:, 3]
        return _Line(scaled, dual)

    def _formula(self) -> Formula:
        """Return the slacks on the present sets: at t = 0, per t, nothing, and per ε."""
        first, last = (
            formulas.of(self.sets, _HERE, _ROUNDING) for formulas in (self.start, self.end)
        )
        noise = np.maximum(first.rounding, last.rounding)
        value = first.slack[:3].sum(axis=0)
        rate = last.slack[:3].sum(axis=0) - value
        rate[np.abs(rate) <= noise] = 0.0
        slack = np.array([value, rate, np.zeros_like(value), first.slack[3]])
        return first._replace(slack=slack, rounding=noise)

    def _null(self) -> Floats | None:
        """Return what the matrix of the present sets takes to zero: the intercept, or α at kinks; else None."""
        elbow = np.flatnonzero(self.sets.position & 1)
        chosen = np.append(0, np.flatnonzero(self.sets.sign) + 1)
        if not len(elbow):
            return np.ones(1)
        left, size, _ = np.linalg.svd(self.start.rows[elbow[:, None], chosen])
        if len(elbow) <= len(chosen) and size[-1] > _DEPENDENT * size[0]:
            return None
        return np.asarray(left[:, -1])

    def _exchange(self, line: _Line, here: float, late: float, null: Floats, came: int) -> None:
        """Move at the same t, until something gives way: what came in, or left, then goes on."""
        elbow = np.flatnonzero(self.sets.position & 1)
        active = np.flatnonzero(self.sets.sign)
        chosen = np.append(0, active + 1)
        way_scaled = np.zeros(len(line.scaled))
        way_dual = np.zeros(len(line.dual))
        if len(elbow):
            way_dual[elbow] = null
        else:
            way_scaled[0] = 1.0
        slacks = []
        for share in (here, here + 1.0):
            formulas = copy(self.start)
            formulas.slope = (1.0 - share) * self.start.slope + share * self.end.slope
            formulas.kink = (1.0 - share) * self.start.kink + share * self.end.kink
            scaled, dual = line.at(share)
            zero = np.zeros_like
            columns = (
                np.column_stack([
                    values[some], *[zero(values[some])] * 2, of_shift[some], way[some]
                ])
                for values, of_shift, way, some in (
                    (scaled, line.scaled[:, 2], way_scaled, chosen),
                    (dual, line.dual[:, 2], way_dual, elbow),
                )
            )  # fmt: skip
            slacks.append(formulas.of(self.sets, _HERE, _ROUNDING, Solved(elbow, active, *columns)))
        formula = slacks[0]
        value = formula.slack[:3].sum(axis=0)
        drift = slacks[1].slack[:3].sum(axis=0) - value
        rate = formula.slack[4]
        own = np.flatnonzero(
            (formula.whose == came) & (np.abs(value) <= np.sqrt(formula.rounding)) & (rate != 0.0)
        )
        if len(own) and rate[own[np.argmin(np.abs(value[own]))]] < 0.0:
            rate = -rate
            way_scaled, way_dual = -way_scaled, -way_dual
        falls = np.flatnonzero(rate < -_ROUNDING)
        if not len(falls):
            raise EngineError("the solution is not unique there: raise l2, or move an end")
        steps = np.maximum(value[falls], 0.0) / -rate[falls]
        tied = falls[steps <= steps.min() * (1.0 + _REACH) + _REACH]
        ahead = (formula.slack[3, tied] + late * drift[tied]) / -rate[tied]
        event = tied[np.argmin(ahead)]
        step = max(float(value[event]), 0.0) / -float(rate[event])
        scaled, dual = line.at(here)
        self._keep(here, scaled + step * way_scaled, dual + step * way_dual)
        self.sets = self.sets.after(int(formula.family[event]), int(formula.whose[event]))


def _first(formula: Formula, here: float) -> tuple[float, int | None]:
    """Return where the next slack vanishes, and which; the end if none does before."""
    value, rate, _, shift = formula.slack
    falls = np.flatnonzero(rate < 0.0)
    steps = np.maximum(value[falls] + here * rate[falls], 0.0) / -rate[falls]
    least = float(steps.min(initial=np.inf))
    if here + least >= 1.0:
        return 1.0, None
    tied = falls[steps <= least + _REACH]
    return here + least, int(tied[np.argmin(shift[tied] / -rate[tied])])


def _between(
    first: PiecewiseQuadratic, last: PiecewiseQuadratic, share: float
) -> PiecewiseQuadratic:
    return PiecewiseQuadratic(
        (1.0 - share) * first.kink + share * last.kink,
        (1.0 - share) * first.slope + share * last.slope,
    )


def _parameter_of(loss: Loss) -> tuple[str, float]:
    """Return the name and the value of the parameter of a loss."""
    (only,) = fields(loss)  # type: ignore[arg-type]
    return only.name, float(getattr(loss, only.name))


def _check(first: Any, last: Any) -> None:
    kind = type(as_loss(first))
    if type(as_loss(last)) is not kind or isinstance(first, str) or not fields(kind):  # type: ignore[arg-type]
        raise InvalidInputError(
            f"the losses are {first!r} and {last!r}: pass two of a kind that has a parameter, such as Quantile(0.1) "
            "and Quantile(0.9)"
        )
    if first == last:
        raise InvalidInputError(
            f"both losses are {first!r}, nothing moves: pass two parameters, or call chemin.path"
        )
