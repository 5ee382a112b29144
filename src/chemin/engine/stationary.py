"""What is there to find where a penalty is not convex? Stationary points, by exact paths of weighted L1 penalties.

MCP and SCAD are concave in |b_j|, hence at most their tangent: with w_j = π_j'(|b_j|) / l1 at some b,

    Σ_i ℓ_i + (l2/2) ‖b‖² + l1 Σ_j w_j |b_j| + constant

is an upper bound of the objective that touches it at b. Its least value is the end of an exact path, and gives the next
weights: the objective falls from step to step (local linear approximation). The first b is the solution of the L1
penalty at the same l1.

A point is Clarke stationary, 0 ∈ ∂Σ_i ℓ_i + l2 b + ∂π(b), exactly if it is least for the weights that it gives itself.
So the duality gap of *that* problem is its certificate. Whether there is a better point elsewhere is not known, except
where the penalties are convex together: then the exact path is followed, and what is stationary is the optimum.

Reference: Zou and Li (2008), *One-step sparse estimates in nonconcave penalized likelihood models*.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from chemin.dictionaries.base import Floats
from chemin.engine.approximate.walk import check_tol
from chemin.engine.end import End
from chemin.engine.entry import one_thread
from chemin.engine.proof.certificate import Certificate, certificate_of
from chemin.engine.result import Path
from chemin.engine.strategy import Call, Limits, exact
from chemin.exceptions import InvalidInputError
from chemin.frames import as_frame
from chemin.problems import Loss, Penalty, PiecewisePenalty, Problem, as_penalty
from chemin.results import Result, plural
from chemin.validation import as_problem, as_same_columns, check_l1, check_max_events

_NONE = 1e-9  # of a column's weight: a share of the L1 penalty below which the column is free
_AT_END = 1e-9  # of a dual value's interval: nearer to its end it is there
_FARTHEST = 1e4  # steps at a time
_HIGHER = 1e-12  # of the objective: what rounding adds


@dataclass(frozen=True, eq=False, repr=False)
class StationaryPath(Result):
    """Stationary points at some l1.

    Attributes
    ----------
    problem : Problem
        What was minimised.
    classes : ndarray
        The two labels; empty for a numeric target.
    l1 : ndarray of shape (k,)
        Where, decreasing.
    coef, intercept, dual : ndarray of shape (k, p), (k,) and (k, n)
        The points, and their dual values.
    steps : ndarray of shape (k,)
        How many weighted problems each took; 0 where the exact path was followed.
    is_global : bool
        Whether the problem is convex, so that the points are its optima.
    """

    problem: Problem = field(repr=False)
    classes: NDArray[Any]
    l1: Floats
    coef: Floats = field(repr=False)
    intercept: Floats = field(repr=False)
    dual: Floats = field(repr=False)
    steps: NDArray[np.int64]
    is_global: bool

    def __str__(self) -> str:
        points = plural(len(self.l1), "point")
        if self.is_global:
            return f"{points} of the exact path: with this l2 the penalty is convex, and they are optimal."
        gap = self.certificate().worst_gap
        many = plural(int(self.steps.max(initial=0)), "step")
        return (
            f"{points}, Clarke stationary to a relative gap of {gap:.0e}, in at most {many} each: the penalty is not "
            "convex, and better ones may exist elsewhere."
        )

    def certificate(self) -> Certificate:
        """Certify every point, as the optimum of the convex problem or of the weighted one that it states itself."""
        if self.is_global:
            return certificate_of(self.problem, self.coef, self.intercept, self.l1, self.dual)
        parts = []
        for k, l1 in enumerate(self.l1):
            own = _weighted(self.problem, self.coef[k], l1)
            one = (self.coef[[k]], self.intercept[[k]], self.l1[[k]], self.dual[[k]])
            parts.append(certificate_of(own, *one))
        return Certificate.join(parts)

    def objective(self) -> Floats:
        """Return what is minimised, with the penalty itself, at every point."""
        rows = zip(self.coef, self.intercept, self.l1, strict=True)
        return np.array([self.problem.objective(b, float(b0), float(l1)) for b, b0, l1 in rows])

    def decision(self, X: Any) -> Floats:
        """Return b0 + X·b, one row per l1."""
        return np.asarray(
            as_same_columns(X, self.problem.dictionary).scores(self.coef.T).T
            + self.intercept[:, None]
        )

    def frame(self) -> Any:
        """Return l1, objective, variables and steps of every point as a pandas or else polars frame."""
        columns = {
            "l1": self.l1,
            "objective": self.objective(),
            "variables": np.count_nonzero(self.coef, axis=1),
            "steps": self.steps,
            "gap": self.certificate().gap,
        }
        return as_frame(columns, instead="coef and certificate()")


def stationary_path(
    X: Any,
    y: Any,
    l1: Any,
    *,
    penalty: str | Penalty,
    loss: str | Loss = "hinge",
    l2: float = 0.0,
    sample_weight: Any = None,
    l1_weight: Any = None,
    tol: float = 1e-9,
    max_steps: int | None = 300,
) -> StationaryPath:
    """Find a stationary point of MCP or SCAD at each of some l1, convex or not.

    Parameters
    ----------
    X, y, loss, l2, sample_weight, l1_weight
        As for `chemin.path`.
    l1 : float or array of shape (k,)
        Where; of 0 there is no penalty to speak of.
    penalty : str or Penalty
        ``"mcp"``, ``"scad"`` or an object such as ``MCP(2.0)``.
    tol : float, default 1e-9
        The relative duality gap of the weighted problem at which a point counts as stationary.
    max_steps : int or None, default 300
        Weighted problems for each l1, at most; ``certificate()`` says how far that led.

    Returns
    -------
    StationaryPath

    Examples
    --------
    >>> import chemin
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import scale
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> from chemin.problems import MCP
    >>> points = chemin.stationary_path(scale(X), y, [40.0, 20.0], penalty=MCP(3.0, unit=100.0))
    >>> (points.coef != 0).sum(axis=1).tolist()  # the L1 penalty has 6 and 9 there
    [3, 3]
    >>> bool(points.certificate().worst_gap < 1e-9)
    True
    """
    problem, classes = as_problem(X, y, l2, sample_weight, l1_weight, loss)
    pieces = as_penalty(penalty).table(problem.dictionary.shape[1])
    if not pieces.is_bent:
        raise InvalidInputError(
            f"penalty is {penalty!r}, which is convex: call chemin.path, or pass 'mcp' or 'scad'"
        )
    problem = replace(problem, penalty=pieces)
    values = np.sort(np.array([check_l1(one) for one in np.atleast_1d(l1)]))[::-1]
    if not len(values) or values[-1] == 0.0:
        raise InvalidInputError(
            f"l1 is {l1!r}: pass one or more positive numbers, below the first l1 of a path"
        )
    steps = check_max_events(max_steps, "max_steps") or sys.maxsize
    if not 0.0 < check_tol(tol) < 1.0:
        raise InvalidInputError(f"tol is {tol!r}: pass a small positive number, such as 1e-9")
    convex = pieces.least_ridge(problem.l2) > 0.0
    with one_thread(problem, always=True):
        if convex:
            path = _followed(problem, classes, float(values[-1]))
            found = (path.coef_at(values), path.intercept_at(values), path.dual_at(values))
            return StationaryPath(
                problem, classes, values, *found, np.zeros(len(values), dtype=np.int64), True
            )
        points = [_point(problem, classes, float(one), tol, steps) for one in values]
    coef, intercept, dual = (
        np.array(part) for part in zip(*(one for one, _ in points), strict=True)
    )
    count = np.array([steps for _, steps in points])
    return StationaryPath(problem, classes, values, coef, intercept, dual, count, False)


class _Point(NamedTuple):
    """A solution with its dual values."""

    coef: Floats
    intercept: float
    dual: Floats

    def gap(self, problem: Problem, l1: float) -> float:
        """Return the relative gap of the weighted problem that it states itself."""
        one = (self.coef[None], np.array([self.intercept]), np.array([l1]), self.dual[None])
        return certificate_of(_weighted(problem, self.coef, l1), *one).worst_gap


def _point(
    problem: Problem, classes: NDArray[Any], l1: float, tol: float, max_steps: int
) -> tuple[_Point, int]:
    """Return a stationary point, and the steps to it."""
    stated = _weighted(problem, np.zeros(problem.dictionary.shape[1]), l1)
    before = None
    steps = 0
    while True:
        steps += 1
        path = _followed(stated, classes, l1)
        point = _Point(path.coef_at(l1), float(path.intercept_at(l1)), path.dual_at(l1))
        if steps == max_steps or point.gap(problem, l1) <= tol:
            return point, steps
        sharper = _on_its_pieces(problem, point, l1)
        if sharper is not None and sharper.gap(problem, l1) <= tol:
            return sharper, steps
        before = point.coef if before is None else _further(problem, before, point, l1)
        stated = _weighted(problem, before, l1)


def _further(problem: Problem, before: Floats, point: _Point, l1: float) -> Floats:
    """Return coefficients beyond a point, seen from where the step began, as long as the objective falls."""
    way = point.coef - before
    best = point.coef
    least = problem.objective(best, point.intercept, l1)
    stretch = 1.0
    while stretch < _FARTHEST:
        tried = point.coef + stretch * way
        tried[point.coef == 0.0] = 0.0
        if not problem.penalty.is_on_its_side(tried):
            break
        value = problem.objective(tried, point.intercept, l1)
        if not value < least:
            break
        best, least = tried, value
        stretch *= 2.0
    return best


def _on_its_pieces(problem: Problem, point: _Point, l1: float) -> _Point | None:
    """Return the stationary point on the pieces of losses and penalties where a point is, if it is no higher.

    Steps come near it only slowly; the conditions on given pieces are linear equations in b, b0 and the α at kinks.
    """
    loss, label = problem.loss, problem.label
    active = np.flatnonzero(point.coef)
    span = np.where(loss.lowest < loss.highest, loss.highest - loss.lowest, 0.0)
    room = np.minimum(point.dual - loss.lowest, loss.highest - point.dual)
    inside = np.flatnonzero((span > 0.0) & (room > _AT_END * np.minimum(span, 1.0)))
    if loss.shape[1] > 1 or not len(inside):
        return None
    b = point.coef[active]
    threshold = l1 * problem.l1_weight[active]
    piece = problem.penalty.piece(b, threshold)
    curve = np.array(problem.penalty.curve)[piece]
    push = problem.penalty.slope(b, threshold) + curve * b
    signed = problem.dictionary.columns(active) * label[:, None]
    rows = np.column_stack([label[inside], signed[inside]])
    width = np.zeros(len(inside)) if loss.width is None else loss.width[inside]
    ridge = np.diag(np.append(0.0, problem.l2 - curve))
    system = np.block([[ridge, -rows.T], [rows, np.diag(width)]])
    fixed = point.dual.copy()
    fixed[inside] = 0.0
    known = np.append(label @ fixed, signed.T @ fixed - push)
    found = np.linalg.lstsq(system, np.append(known, loss.kink[inside, 0]), rcond=None)[0]
    coef = np.zeros(len(point.coef))
    coef[active] = found[1 : 1 + len(active)]
    dual = fixed
    dual[inside] = found[1 + len(active) :]
    higher = problem.objective(coef, found[0], l1) > problem.objective(
        point.coef, point.intercept, l1
    ) * (1.0 + _HIGHER)
    return None if higher else _Point(coef, float(found[0]), dual)


def _weighted(problem: Problem, coef: Floats, l1: float) -> Problem:
    """Return the L1 problem whose weights are the slopes of the penalty at given coefficients."""
    threshold = l1 * problem.l1_weight
    slope = np.where(coef != 0.0, np.abs(problem.penalty.slope(coef, threshold)), threshold)
    weight = np.where(slope > _NONE * threshold, slope / l1, 0.0)
    return replace(problem, l1_weight=weight, penalty=PiecewisePenalty(only=problem.penalty.only))


def _followed(problem: Problem, classes: NDArray[Any], l1: float) -> Path:
    """Follow the exact path of a problem down to an l1, or to where it begins if that is lower."""
    call = Call(
        problem=problem,
        there=problem,
        classes=classes,
        end=End(l1),
        report=lambda events, l1: None,
        screening=True,
        keeps_interrupted=False,
    )
    return exact(call, Limits())
