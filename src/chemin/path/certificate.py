"""Is a solution optimal? A duality gap and KKT residuals that trust no solver.

For any α in [0, w] with Σ α_i y_i = 0 and c = Xᵀ(y∘α), weak duality gives P ≥ D(α) with

    D(α) = Σ α_i − (1/2 l2) Σ_j max(0, |c_j| − l1 v_j)²,     and for l2 = 0: D(α) = Σ α_i provided that |c_j| ≤ l1 v_j.

So P − D bounds how far a solution is from optimal, whoever found it. The given α is first made feasible (clipped,
balanced by shrinking the heavier class). Because rounding in c is divided by l2, two more lower bounds are tried and
the best is kept: D(tα), with t shrinking every |c_j| under its threshold; and Σ α_i − Σ_j B_j max(0, |c_j| − l1 v_j),
which bounds P over the box |b_j| ≤ B_j in which no column contributes more than ten times the largest contribution
given: ‖x_j‖ B_j = 10 max ‖x_k b_k‖.

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
from chemin.problems import Problem
from chemin.validation import as_problem

_BOX = 10.0
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
        worst = (f"{name.name} {getattr(self, name.name).max(initial=0.0):.1e}" for name in fields(self)[4:])
        return f"{len(self.gap)} solutions, worst relative gap {self.worst_gap:.1e} ({where}); " + ", ".join(worst)

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
    coefs = sparse.csr_array(coef) if sparse.issparse(coef) else np.atleast_2d(np.asarray(coef, dtype=float))
    count = coefs.shape[0]
    intercepts, l1s = (np.broadcast_to(np.asarray(v, dtype=float), (count,)) for v in (intercept, l1))
    duals = None if dual is None else np.atleast_2d(np.asarray(dual, dtype=float))
    return certificate_of(problem, coefs, intercepts, l1s, duals)


def certificate_of(problem: Problem, coef: Any, intercept: Floats, l1: Floats, dual: Floats | None) -> Certificate:
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
    lower = _lower_bound(problem, dense, threshold, dual)
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


def _lower_bound(problem: Problem, coef: Floats, threshold: Floats, dual: Floats) -> Floats:
    """Return the best of the three dual values, for each row."""
    feasible = np.clip(dual, 0.0, problem.weight)
    totals = np.stack([feasible @ (problem.label > 0), feasible @ (problem.label < 0)], axis=1)
    share = totals.min(axis=1, keepdims=True) / np.where(totals > 0, totals, 1.0)
    feasible *= np.where(problem.label > 0, share[:, :1], share[:, 1:])
    correlation = np.abs(problem.dictionary.correlations((feasible * problem.label).T).T)
    excess = np.maximum(correlation - threshold, 0.0)
    total = feasible.sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        shrink = np.where(excess > 0.0, threshold / correlation, 1.0).min(axis=1, initial=1.0)
        ridge = np.einsum("kj,kj->k", excess, excess) / (2.0 * problem.l2) if problem.l2 > 0 else np.inf
    norm = problem.dictionary.column_norms()
    contribution = (np.abs(coef) * norm).max(axis=1, initial=0.0)
    boxed = _BOX * contribution * (excess / np.where(norm > 0.0, norm, 1.0)).sum(axis=1)
    return np.maximum.reduce([total - ridge, shrink * total, total - boxed])


def _recover(problem: Problem, coef: Floats, residual: Floats, l1: Floats) -> Iterator[Floats]:
    """Find, for each solution, dual values of the points near the margin that fit its stationarity best."""
    for b, r, level in zip(coef, residual, l1, strict=True):
        tried = np.vstack([_fit_elbow(problem, b, r, float(level), width) for width in _ELBOW_WIDTHS])
        bound = _lower_bound(
            problem, np.tile(b, (len(tried), 1)), np.tile(level * problem.l1_weight, (len(tried), 1)), tried
        )
        yield tried[np.argmax(bound)]


def _fit_elbow(problem: Problem, b: Floats, r: Floats, l1: float, width: float) -> Floats:
    alpha = np.where(r > width, problem.weight, 0.0)
    elbow, active = np.flatnonzero((np.abs(r) <= width) & (problem.weight > 0)), np.flatnonzero(b)
    if not len(elbow):
        return alpha
    signed = problem.dictionary.columns(active) * problem.label[:, None]
    scale = np.abs(signed).max(initial=1.0)
    target = problem.l2 * b[active] + l1 * problem.l1_weight[active] * np.sign(b[active]) - alpha @ signed
    rows = np.vstack([signed[elbow].T, scale * problem.label[elbow]])
    fit = lsq_linear(rows, np.append(target, -scale * (alpha @ problem.label)), bounds=(0.0, problem.weight[elbow]))
    alpha[elbow] = fit.x
    return alpha
