"""Is a solution optimal? A duality gap and KKT residuals that trust no solver.

For any convex loss of lines and parabolas, dual values α prove a lower bound of the optimum
(`chemin.engine.proof.solutions` says which, and how rounding is dealt with). The objective less
that bound tells how far a solution is from optimal, whoever found it. It is relative to the
objective itself: 1e-9 means the same for an objective of 1e6 and of 1e-20.

Nothing here is shared with the engine: only the problem's data are read.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from scipy import sparse
from scipy.optimize import lsq_linear

from chemin.dictionaries.base import Floats, Indices
from chemin.engine.proof.solutions import Norms, Proved, Solutions, measure, ratio
from chemin.exceptions import InvalidInputError
from chemin.problems import PiecewiseQuadratic, Problem
from chemin.validation import as_problem

_AT_ONCE = 64  # solutions
_KINK_WIDTHS = (1e-10, 1e-8, 1e-6, 1e-4, 1e-2)  # relative to the scores


@dataclass(frozen=True, eq=False)
class Certificate:
    """Gap and residuals of one or several solutions; every field has one number per solution.

    Attributes
    ----------
    l1 : ndarray
        Where on the path.
    primal, dual : ndarray
        Objective, and the lower bound that α proves. Where the classes are separated, up to a
        relative 1e-9, the objective of the hinge is that of (b0, b) lengthened until no point is
        short of the margin.
    gap : ndarray
        ``(primal − dual) / max(primal, rounding)``, and 0 where nothing is left of either.
    rounding : ndarray
        What rounding of the scores may add to the objective: a smaller objective cannot be told
        from zero. It is 0 where the lengthened solution counts, whose loss vanishes whatever the
        rounding.
    stationarity : ndarray
        Largest ``|l2 b_j + π_j'(b_j) − c_j|`` over active variables; π_j' is ``l1 v_j sign(b_j)`` for the L1 penalty.
    threshold : ndarray
        Largest excess of ``|c_j|`` over ``l1 v_j``, over inactive variables.
    balance : ndarray
        ``|Σ α_i s_i|``.
    box : ndarray
        Largest excess of α outside its interval, which is ``[0, w]`` for the hinge.
    complementarity : ndarray
        Largest ``ℓ_i(t_i) + α_i t_i − min_t (ℓ_i(t) + α_i t)``, which is 0 where ``α_i =
        −ℓ_i'(t_i)``. For the hinge it is ``(w_i − α_i) r_i`` short of the margin and ``α_i |r_i|``
        beyond it.
    """

    l1: Floats
    primal: Floats
    dual: Floats
    gap: Floats
    rounding: Floats
    stationarity: Floats
    threshold: Floats
    balance: Floats
    box: Floats
    complementarity: Floats

    @property
    def worst_gap(self) -> float:
        """The largest relative gap."""
        return float(self.gap.max(initial=0.0))

    def __str__(self) -> str:
        where = f"at l1 = {self.l1[np.argmax(self.gap)]:.6g}" if len(self.gap) else "nowhere"
        worst = (
            f"{name.name} {getattr(self, name.name).max(initial=0.0):.1e}"
            for name in fields(self)[5:]
        )
        return (
            f"{len(self.gap)} solutions, worst relative gap {self.worst_gap:.1e} ({where}); "
            + ", ".join(worst)
        )

    @classmethod
    def join(cls, parts: Iterable[Certificate]) -> Certificate:
        """Put certificates end to end."""
        rows = list(parts)
        return cls(*(np.concatenate([getattr(part, f.name) for part in rows]) for f in fields(cls)))


def certify(
    X: Any,
    y: Any,
    coef: Any,
    intercept: Any,
    l1: Any,
    l2: float,
    dual: Any = None,
    *,
    sample_weight: Any = None,
    l1_weight: Any = None,
    loss: Any = "hinge",
    penalty: Any = "l1",
) -> Certificate:
    """Certify solutions of hinge + L1 + L2, or of another loss, from any solver.

    Parameters
    ----------
    X, y : array, SciPy sparse array, DataFrame or Dictionary; array
        The data, as `chemin.svm_path` takes them.
    coef : array of shape (p,) or (k, p), dense or sparse
        One solution, or one per row.
    intercept, l1 : float or array of shape (k,)
        What goes with the coefficients.
    l2 : float
        Ridge parameter.
    dual : array of shape (n,) or (k, n), optional
        Dual values α. Without them, those of points at a kink are sought by bounded least squares;
        the gap is a valid bound either way, and the sharper the better α is.
    sample_weight, l1_weight : arrays, optional
        Weights of the points in the loss and of the variables in the L1 norm.
    loss : str or Loss, default "hinge"
        The loss, by its name or by itself, such as ``Quantile(0.9)``.
    penalty : str or Penalty, default "l1"
        The penalty, by its name or by itself, such as ``MCP(3.0)``; with l2 it must be convex.

    Returns
    -------
    Certificate

    Examples
    --------
    Two points at −1 and +1: for l1 ≤ 2 and l2 = 0 the solution is b = 1, b0 = 0.

    >>> import chemin
    >>> proof = chemin.certify([[-1.0], [1.0]], [0, 1], coef=[1.0], intercept=0.0, l1=0.5, l2=0.0)
    >>> bool(proof.worst_gap < 1e-14)
    True

    Three numbers without a column of use: the median is what minimises the absolute deviation.

    >>> y = [1.0, 2.0, 9.0]
    >>> given = {"coef": [0.0], "l1": 0.5, "l2": 0.0, "loss": "absolute"}
    >>> chemin.certify([[0.0]] * 3, y, intercept=2.0, **given).worst_gap
    0.0
    >>> chemin.certify([[0.0]] * 3, y, intercept=4.0, **given).worst_gap
    0.25
    """
    problem, _ = as_problem(X, y, l2, sample_weight, l1_weight, loss, penalty)
    n, p = problem.dictionary.shape
    coefs = _rows(coef, p, "coef", "one coefficient per column of X")
    duals = None if dual is None else _rows(dual, n, "dual", "one value per row of X").toarray()
    numbers = (_numbers(intercept, coefs.shape[0], "intercept"), _numbers(l1, coefs.shape[0], "l1"))
    if np.any(numbers[1] < 0.0):
        raise InvalidInputError(
            "l1 is negative: pass the l1 ≥ 0 for which the solution was computed"
        )
    if duals is not None and len(duals) != coefs.shape[0]:
        raise InvalidInputError(
            f"dual has {len(duals)} rows and coef {coefs.shape[0]}: "
            "pass one row of each per solution"
        )
    return certificate_of(problem, coefs, *numbers, duals)


def _rows(values: Any, width: int, name: str, what: str) -> sparse.csr_array:
    """Return one solution per row, sparse; refuse another width or values that are not finite."""
    rows = sparse.csr_array(
        values if sparse.issparse(values) else np.atleast_2d(np.asarray(values, dtype=float))
    )
    if rows.shape[1] != width:
        raise InvalidInputError(
            f"{name} has {rows.shape[1]} numbers per solution: pass {what}, that is {width}"
        )
    if not np.all(np.isfinite(rows.data)):
        raise InvalidInputError(
            f"{name} has missing or infinite values: pass the solution of a solver that converged"
        )
    return rows


def _numbers(values: Any, count: int, name: str) -> Floats:
    array = np.asarray(values, dtype=float)
    if array.ndim > 1 or array.size not in (1, count) or not np.all(np.isfinite(array)):
        raise InvalidInputError(
            f"{name} must be one finite number, or {count} of them, one per row of coef"
        )
    return np.broadcast_to(array, (count,))


def certificate_of(
    problem: Problem, coef: Any, intercept: Floats, l1: Floats, dual: Floats | None
) -> Certificate:
    """Certify the rows of ``coef`` for a validated problem."""
    norms = Norms.of(problem.dictionary)
    rows = sparse.csr_array(coef)
    parts = []
    for first in range(0, rows.shape[0], _AT_ONCE):
        some = slice(first, first + _AT_ONCE)
        given = (rows[some], intercept[some], l1[some])
        duals = _recover(problem, norms, *given) if dual is None else dual[some]
        parts.append(certify_solutions(problem, Solutions.with_duals(*given, duals), norms))
    return Certificate.join(parts)


def certify_solutions(problem: Problem, some: Solutions, norms: Norms) -> Certificate:
    """Certify solutions whose dual values differ at some points only."""
    proved = measure(problem, some, norms)
    points = proved.points
    dual = proved.dual
    signed = problem.label * some.base
    signed[points] = 0.0
    balance = dual @ problem.label[points] + signed.sum()
    active = proved.coef != 0.0
    threshold = np.outer(proved.l1, problem.l1_weight[proved.columns])
    correlation = _correlations(problem, some, proved)
    penalty = problem.penalty.of(proved.columns)
    slope = penalty.slope(proved.coef, threshold)
    off = some.ridge(problem)[:, None] * proved.coef + slope - correlation
    excess = np.abs(penalty.beyond(correlation, threshold))
    return Certificate(
        l1=np.array(proved.l1),
        primal=proved.primal,
        dual=proved.lower,
        gap=ratio(proved.difference, np.maximum(proved.primal, proved.rounding)),
        rounding=proved.rounding,
        stationarity=np.where(active, np.abs(off), 0.0).max(axis=1, initial=0.0),
        threshold=np.where(active, 0.0, excess).max(axis=1, initial=0.0),
        balance=np.abs(balance),
        box=_outside(problem.loss.of(points), dual),
        complementarity=proved.fenchel.max(axis=1, initial=0.0),
    )


def _outside(loss: PiecewiseQuadratic, dual: Floats) -> Floats:
    """Return the largest excess of dual values outside their intervals, row by row."""
    beyond = (dual.min(axis=0) < loss.lowest) | (dual.max(axis=0) > loss.highest)
    few = dual[:, beyond]
    excess = np.maximum(loss.lowest[beyond] - few, few - loss.highest[beyond])
    return np.asarray(excess.max(axis=1, initial=0.0))


def _correlations(problem: Problem, some: Solutions, proved: Proved) -> Floats:
    """Return the correlations of the dual values as given, which may not have been feasible."""
    n = len(some.base)
    changed = np.flatnonzero(proved.changed > n * np.finfo(float).eps)
    if not len(changed):
        return proved.correlation
    whole = np.repeat(some.base[None], len(changed), axis=0)
    whole[:, proved.points] = proved.dual[changed]
    correlation = proved.correlation.copy()
    products = problem.dictionary.correlations((whole * problem.label).T)
    correlation[changed] = products[proved.columns].T
    return correlation


def _recover(
    problem: Problem, norms: Norms, coef: sparse.csr_array, intercept: Floats, l1: Floats
) -> Floats:
    """Find dual values of the points near a kink that fit every solution's stationarity."""
    found = []
    for row in range(len(l1)):
        b = coef[[row]].toarray()[0]
        score = problem.scores(b, intercept[row])
        tried = _tried_duals(problem, b, score, float(l1[row]))
        count = len(tried)
        same = (coef[[row] * count], np.full(count, intercept[row]), np.full(count, l1[row]))
        proved = measure(problem, Solutions.with_duals(*same, tried), norms)
        found.append(tried[np.argmin(proved.difference)])
    return np.array(found)


def _tried_duals(problem: Problem, b: Floats, score: Floats, l1: float) -> Floats:
    """Return dual values, one row for each idea of which points are at a kink."""
    if problem.loss.is_curved:
        return problem.loss.dual_of(score)[None]
    distance = np.abs(score[:, None] - problem.loss.kink)
    nearest = distance.argmin(axis=1)
    distance = distance.min(axis=1)
    size = max(float(np.abs(problem.loss.kink).max()), np.finfo(float).tiny)
    ideas = {np.flatnonzero(distance <= width * size).tobytes(): width for width in _KINK_WIDTHS}
    return np.array([
        _fit_kinks(problem, b, score, l1, nearest, distance <= width * size)
        for width in ideas.values()
    ])  # fmt: skip


def _fit_kinks(
    problem: Problem, b: Floats, score: Floats, l1: float, nearest: Indices, near: Any
) -> Floats:
    """Return minus the slopes, and fit dual values of points at kinks to stationarity."""
    loss = problem.loss
    rows = np.arange(len(score))
    dual = loss.dual_of(score)
    low = -loss.slope[rows, nearest + 1]
    high = -loss.slope[rows, nearest]
    free = np.flatnonzero(near & (low < high))
    active = np.flatnonzero(b)
    if not len(free):
        return dual
    signed = problem.dictionary.columns(active) * problem.label[:, None]
    scale = np.abs(signed).max(initial=1.0)
    dual[free] = 0.0
    target = problem.l2 * b[active]
    target += problem.penalty.of(active).slope(b[active], l1 * problem.l1_weight[active])
    target -= dual @ signed
    equations = np.vstack([signed[free].T, scale * problem.label[free]])
    wanted = np.append(target, -scale * (dual @ problem.label))
    unit = float(np.abs(wanted).max()) or 1.0
    bounds = (low[free] / unit, high[free] / unit)
    dual[free] = unit * lsq_linear(equations, wanted / unit, bounds=bounds, method="bvls").x
    return dual
