"""Is a solution optimal? A duality gap and KKT residuals that trust no solver.

For any α in [0, w] with Σ α_i y_i = 0 and c = Xᵀ(y∘α), weak duality gives P ≥ D(α) with

    D(α) = Σ α_i − (1/2 l2) Σ_j max(0, |c_j| − l1 v_j)²,     and for l2 = 0: D(α) = Σ α_i provided that |c_j| ≤ l1 v_j.

So P − D bounds how far a solution is from optimal, whoever found it. The given α is first made feasible (clipped,
balanced by shrinking the heavier class). Because rounding in c is divided by l2, two more lower bounds are tried and
the best is kept: D(tα), with t shrinking every |c_j| under its threshold; and Σ α_i − Σ_j B_j max(0, |c_j| − l1 v_j),
which bounds P over the box |b_j| ≤ B_j = min(P/(l1 v_j), √(2P/l2)). That box holds every optimum, because there
neither penalty can exceed the objective P of the solution at hand. An excess within n·ε ‖x_j‖ ‖α‖, the rounding error
bound of the product that computes c_j, is none; where l1 v_j = 0, so that c_j itself must all but vanish, 1e-12 ‖x_j‖
‖α‖ is taken for zero.

Nothing here is shared with the engine: only the problem's data are read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from scipy import sparse
from scipy.optimize import lsq_linear

from chemin.dictionaries.base import Floats
from chemin.exceptions import InvalidInputError
from chemin.problems import Problem
from chemin.validation import as_problem

_VANISHING = 1e-12
_ELBOW_WIDTHS = (1e-10, 1e-8, 1e-6, 1e-4, 1e-2)


@dataclass(frozen=True, eq=False)
class Certificate:
    """Gap and residuals of one or several solutions; every field has one number per solution.

    Attributes
    ----------
    l1 : ndarray
        Where on the path.
    primal, dual : ndarray
        Objective, and the lower bound that α proves.
    gap : ndarray
        ``(primal − dual) / max(primal, largest sample weight)``: relative, but never to less than one point's hinge.
    stationarity : ndarray
        Largest ``|l2 b_j + l1 v_j sign(b_j) − c_j|`` over active variables.
    threshold : ndarray
        Largest excess of ``|c_j|`` over ``l1 v_j``, over inactive variables.
    balance : ndarray
        ``|Σ α_i y_i|``.
    box : ndarray
        Largest excess of α outside ``[0, w]``.
    complementarity : ndarray
        Largest ``(w_i − α_i) r_i`` over points short of the margin or ``α_i |r_i|`` over points beyond it.
    """

    l1: Floats
    primal: Floats
    dual: Floats
    gap: Floats
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
            for name in fields(self)[4:]
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
) -> Certificate:
    """Certify solutions of the doubly regularized SVM, from any solver.

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
        Dual values α. Without them, those of points on the margin are sought by bounded least squares; the gap is a
        valid bound either way, and the sharper the better α is.
    sample_weight, l1_weight : arrays, optional
        Weights of the points in the hinge and of the variables in the L1 norm.

    Returns
    -------
    Certificate

    Examples
    --------
    Two points at −1 and +1: for l1 ≤ 2 and l2 = 0 the solution is b = 1, b0 = 0.

    >>> import chemin
    >>> proof = chemin.certify([[-1.0], [1.0]], [0, 1], coef=[1.0], intercept=0.0, l1=0.5, l2=0.0)
    >>> bool(proof.worst_gap < 1e-15)
    True
    """
    problem, _ = as_problem(X, y, l2, sample_weight, l1_weight)
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
            f"dual has {len(duals)} rows and coef {coefs.shape[0]}: pass one row of each per solution"
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
    dense = coef.toarray() if sparse.issparse(coef) else coef
    residual = problem.residuals(coef.T, intercept).T
    if dual is None:
        dual = np.vstack(list(_recover(problem, dense, residual, l1)))
    threshold = l1[:, None] * problem.l1_weight
    correlation = problem.dictionary.correlations((dual * problem.label).T).T
    primal = (
        np.maximum(residual, 0.0) @ problem.weight
        + 0.5 * problem.l2 * np.einsum("kj,kj->k", dense, dense)
        + np.einsum("kj,kj->k", threshold, np.abs(dense))
    )
    lower = lower_bounds(problem, primal, threshold, dual, problem.dictionary.column_norms())[0]
    active = dense != 0.0
    slope = np.abs(problem.l2 * dense + threshold * np.sign(dense) - correlation)
    short = (problem.weight - dual) * np.maximum(residual, 0.0)
    beyond = dual * np.maximum(-residual, 0.0)
    return Certificate(
        l1=np.array(l1),
        primal=primal,
        dual=lower,
        gap=(primal - lower) / np.maximum(primal, problem.weight.max()),
        stationarity=np.where(active, slope, 0.0).max(axis=1, initial=0.0),
        threshold=np.where(active, 0.0, np.abs(correlation) - threshold).max(axis=1, initial=0.0),
        balance=np.abs(dual @ problem.label),
        box=np.maximum(-dual, dual - problem.weight).max(axis=1, initial=0.0),
        complementarity=np.maximum(np.abs(short), np.abs(beyond)).max(axis=1, initial=0.0),
    )


def lower_bounds(
    problem: Problem, primal: Floats, threshold: Floats, dual: Floats, column_norm: Floats
) -> tuple[Floats, Floats, Floats]:
    """Return, for each row, the best of the three dual values; then D(α), and how far c_j is beyond ±l1 v_j."""
    feasible = np.clip(dual, 0.0, problem.weight)
    totals = np.stack([feasible @ (problem.label > 0), feasible @ (problem.label < 0)], axis=1)
    share = totals.min(axis=1, keepdims=True) / np.where(totals > 0, totals, 1.0)
    feasible *= np.where(problem.label > 0, share[:, :1], share[:, 1:])
    signed = problem.dictionary.correlations((feasible * problem.label).T).T
    correlation = np.abs(signed)
    excess = np.maximum(correlation - threshold, 0.0)
    total = feasible.sum(axis=1)
    size = np.linalg.norm(feasible, axis=1)[:, None] * column_norm
    rounding = (
        np.where(threshold > 0.0, len(problem.label) * np.finfo(float).eps, _VANISHING) * size
    )
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        shrink = np.where(excess > 0.0, threshold / correlation, 1.0).min(axis=1, initial=1.0)
        ridge = (
            np.einsum("kj,kj->k", excess, excess) / (2.0 * problem.l2) if problem.l2 > 0 else np.inf
        )
        box = primal[:, None] / threshold
        if problem.l2 > 0:
            box = np.minimum(box, np.sqrt(2.0 * primal / problem.l2)[:, None])
        boxed = np.where(excess > rounding, box * excess, 0.0).sum(axis=1)
        ridge = np.where(excess.any(axis=1), total - ridge, total)
        bounds = [np.zeros(len(total)), ridge, shrink * total, total - boxed]
    return (
        np.fmax.reduce(bounds),
        ridge,
        np.copysign(excess, signed),
    )  # α = 0 proves P ≥ 0; 0/0 proves nothing


def _recover(problem: Problem, coef: Floats, residual: Floats, l1: Floats) -> Iterator[Floats]:
    """Find, for each solution, dual values of the points near the margin that fit its stationarity best."""
    for b, r, level in zip(coef, residual, l1, strict=True):
        tried = np.vstack(
            [_fit_elbow(problem, b, r, float(level), width) for width in _ELBOW_WIDTHS]
        )
        threshold, column_norm = (
            np.tile(level * problem.l1_weight, (len(tried), 1)),
            problem.dictionary.column_norms(),
        )
        primal = (
            problem.weight @ np.maximum(r, 0.0)
            + 0.5 * problem.l2 * (b @ b)
            + threshold[0] @ np.abs(b)
        )
        bounds, *_ = lower_bounds(
            problem, np.full(len(tried), primal), threshold, tried, column_norm
        )
        yield tried[np.argmax(bounds)]


def _fit_elbow(problem: Problem, b: Floats, r: Floats, l1: float, width: float) -> Floats:
    alpha = np.where(r > width, problem.weight, 0.0)
    elbow, active = np.flatnonzero((np.abs(r) <= width) & (problem.weight > 0)), np.flatnonzero(b)
    if not len(elbow):
        return alpha
    signed = problem.dictionary.columns(active) * problem.label[:, None]
    scale = np.abs(signed).max(initial=1.0)
    target = (
        problem.l2 * b[active]
        + l1 * problem.l1_weight[active] * np.sign(b[active])
        - alpha @ signed
    )
    rows = np.vstack([signed[elbow].T, scale * problem.label[elbow]])
    fit = lsq_linear(
        rows,
        np.append(target, -scale * (alpha @ problem.label)),
        bounds=(0.0, problem.weight[elbow]),
        method="bvls",
    )
    alpha[elbow] = fit.x
    return alpha
