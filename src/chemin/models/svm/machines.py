"""Which problem did a fitted machine solve, and what did it find? A reader for each kind of machine.

    SVC          C_n is C times the weights of row and class
    NuSVC        the same at C = Σ λ/(ν Σ weights), which it finds itself; it ignores the weights of classes
    SVR          |y − f| ≤ ε + ξ at the price C; two rows for each, of which one has a dual value
    LinearSVC    the intercept is the coefficient of a constant column, penalised as such; dual values are not kept
    SparseSVC    hinge + L1 + L2, certified on its path

Every estimator of this room that has dual values answers for itself, by its method ``solved``.

References: Chang and Lin (2001), *Training ν-support vector classifiers*; Hsieh et al. (2008), *A dual coordinate
descent method for large-scale linear SVM*.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from scipy.optimize import lsq_linear
from sklearn.metrics.pairwise import pairwise_kernels
from sklearn.svm import SVC, SVR, LinearSVC, NuSVC
from sklearn.utils.validation import _check_sample_weight, check_is_fitted

from chemin.dictionaries.base import Floats
from chemin.engine.proof.certificate import certificate_of
from chemin.estimators.classifier import PathClassifier
from chemin.exceptions import InvalidInputError
from chemin.models.svm.optimality import (
    Condition,
    KKTReport,
    Solved,
    dense,
    measure,
    solved_by_kernel,
)
from chemin.models.svm.supports import are_those_of_fit, at_the_end, signs_of
from chemin.problems import as_loss

_WIDTHS = (1e-10, 1e-8, 1e-6, 1e-4, 1e-3, 1e-2)  # of the margin, among which dual values are sought
_OTHERS = "X and y are not the rows and targets of fit: pass these, in the same order"


def kkt_report(
    model: Any, X: Any, y: Any, *, sample_weight: Any = None, tol: float = 1e-3
) -> KKTReport:
    """Report how exactly a fitted support vector machine, of two classes or of numbers, solves its problem.

    Parameters
    ----------
    model : fitted classifier or regressor
        A `HardMarginSVC` or `MultipleKernelSVC`, scikit-learn's ``SVC``, ``NuSVC``, ``SVR`` or ``LinearSVC`` with the
        penalty ``l2``, or one of `chemin.SparseSVC` and its relatives; also at the end of a pipeline, or found by a
        search.
    X, y : array or DataFrame, array
        The rows of fit and their targets.
    sample_weight : array of shape (n,), optional
        The weights given to fit, for a machine of scikit-learn; those of this library remember theirs.
    tol : float, default 1e-3
        Up to which relative gap and violations it counts as optimal.

    Returns
    -------
    KKTReport

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import scale
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> print(kkt_report(SVC(tol=1e-6).fit(scale(X), y), scale(X), y))
    SVC, ½‖w‖² + Σ C ξ with C = 1: optimal to 1e-... Duality gap ... of the objective 59.7613; largest violation: ...
    >>> kkt_report(SVC(tol=0.5).fit(scale(X), y), scale(X), y).optimal
    False
    """
    if not tol > 0.0:
        raise InvalidInputError(f"tol is {tol!r}: pass a positive number, such as 1e-3")
    machine, rows = at_the_end(model, X)
    check_is_fitted(machine)
    if isinstance(machine, SVR):
        return measure(_of_svr(machine, rows, y, sample_weight), tol)
    ours = hasattr(machine, "solved")
    if not ours and not isinstance(machine, PathClassifier | SVC | NuSVC | LinearSVC):
        raise InvalidInputError(
            f"the problem and dual values of {type(machine).__name__} are not known here: pass a fitted "
            "HardMarginSVC, MultipleKernelSVC, SVC, NuSVC, LinearSVC, SVR or SparseSVC"
        )
    sign = signs_of(machine, y)
    score = np.asarray(machine.decision_function(rows))
    if score.shape != sign.shape or not are_those_of_fit(machine, rows, sign):
        raise InvalidInputError(_OTHERS)
    if isinstance(machine, PathClassifier):
        return _by_its_path(machine, tol)
    rows = rows if sparse.issparse(rows) else np.asarray(rows, dtype=float)
    if ours:
        return measure(machine.solved(rows, sign, score), tol)
    weight = _check_sample_weight(sample_weight, rows, ensure_non_negative=True)
    read = _of_linear_svc if isinstance(machine, LinearSVC) else _of_libsvm
    return measure(read(machine, rows, sign, score, weight), tol)


def _of_libsvm(
    machine: SVC | NuSVC, rows: Any, sign: Floats, score: Floats, weight: Floats
) -> Solved:
    """Read scikit-learn's SVC and NuSVC."""
    if isinstance(machine, NuSVC):
        cost = weight * np.abs(dense(machine.dual_coef_)).sum() / (machine.nu * weight.sum())
    else:
        low, high = machine.C * machine.class_weight_
        cost = weight * np.where(sign > 0.0, high, low)
    gram = _gram(machine, rows)
    return solved_by_kernel(machine, score, sign, cost, gram, float(machine.intercept_[0]))


def _of_svr(machine: SVR, X: Any, y: Any, sample_weight: Any) -> Solved:
    """Read scikit-learn's SVR, whose dual values are those of λ − λ*."""
    X = X if sparse.issparse(X) else np.asarray(X, dtype=float)
    y = np.asarray(y, dtype=float)
    signed = np.zeros(X.shape[0])
    if y.shape != signed.shape or machine.shape_fit_[0] != len(y):
        raise InvalidInputError(_OTHERS)
    signed[machine.support_] = dense(machine.dual_coef_)[0]
    if not are_those_of_fit(machine, X, np.sign(signed)):
        raise InvalidInputError(_OTHERS)
    expansion = _gram(machine, X) @ signed[machine.support_]
    square = float(signed @ expansion)
    weight = _check_sample_weight(sample_weight, X, ensure_non_negative=True)
    return Solved(
        model=type(machine).__name__,
        sign=np.repeat([1.0, -1.0], len(y)),
        score=np.tile(machine.predict(X), 2),
        dual=np.concatenate([np.maximum(signed, 0.0), np.maximum(-signed, 0.0)]),
        cost=np.tile(machine.C * weight, 2),
        square=square,
        spanned=square,
        represented=np.tile(expansion + float(machine.intercept_[0]), 2),
        need=np.concatenate([y, -y]) - machine.epsilon,
        tube=float(machine.epsilon),
    )


def _gram(machine: SVC | NuSVC | SVR, X: Any) -> Floats:
    """Return the kernel between all rows and the support vectors, as the machine computes it."""
    if machine.kernel == "precomputed":
        return dense(X[:, machine.support_])
    support = X[machine.support_]
    if not support.shape[0]:  # scikit-learn refuses to compare with nothing
        return np.empty((X.shape[0], 0))
    if callable(machine.kernel):
        return np.asarray(machine.kernel(X, support), dtype=float)
    params = {"gamma": machine._gamma, "degree": machine.degree, "coef0": machine.coef0}
    return dense(pairwise_kernels(X, support, machine.kernel, filter_params=True, **params))


def _of_linear_svc(
    machine: LinearSVC, X: Any, sign: Floats, score: Floats, weight: Floats
) -> Solved:
    """Read scikit-learn's LinearSVC.

    It keeps no dual values. Those of squared slacks are 2 C ξ; the others are those of rows near the margin that fit
    w best, by bounded least squares.
    """
    if machine.penalty != "l2" or machine.multi_class != "ovr":
        raise InvalidInputError(
            f"a LinearSVC with penalty={machine.penalty!r} and multi_class={machine.multi_class!r} has another "
            "problem: pass one with 'l2' and 'ovr', or use chemin.SparseSVC, whose path has a certificate"
        )
    cost = machine.C * weight * _class_weights(machine, sign, weight)
    w = machine.coef_[0]
    columns = sparse.csr_array(X)
    if machine.fit_intercept:
        scale = machine.intercept_scaling
        columns = sparse.hstack([columns, np.full((len(sign), 1), scale)], format="csr")
        w = np.append(w, machine.intercept_[0] / scale)
    signed = sparse.csr_array(columns.multiply(sign[:, None]))
    squared = machine.loss == "squared_hinge"
    slopes = 2.0 * cost * np.maximum(0.0, 1.0 - sign * score)
    dual = slopes if squared else _dual_values(signed, w, sign * score, cost)
    span = signed.T @ dual
    return Solved(
        model=type(machine).__name__,
        sign=sign,
        score=score,
        dual=dual,
        cost=cost,
        square=float(w @ w),
        spanned=float(span @ span),
        represented=columns @ span,
        free_intercept=False,
        squared=squared,
    )


def _class_weights(machine: LinearSVC, sign: Floats, weight: Floats) -> Floats:
    """Return the weight of the class of each row."""
    positive = sign > 0.0
    if machine.class_weight == "balanced":
        totals = np.array([weight[~positive].sum(), weight[positive].sum()])
        shares = totals.sum() / (2.0 * totals)
    else:
        shares = np.array([(machine.class_weight or {}).get(one, 1.0) for one in machine.classes_])
    return np.asarray(shares[positive.astype(int)])


def _dual_values(signed: Any, w: Floats, margins: Floats, cost: Floats) -> Floats:
    """Return dual values in [0, C] of the greatest dual objective, among ideas of which rows are on the margin."""
    tried = []
    for width in _WIDTHS:
        dual = np.where(margins < 1.0, cost, 0.0)
        near = np.flatnonzero((np.abs(margins - 1.0) <= width) & (cost > 0.0))
        if len(near):
            dual[near] = 0.0
            rest = w - signed.T @ dual
            box = (0.0, cost[near])
            dual[near] = lsq_linear(dense(signed[near]).T, rest, bounds=box, method="bvls").x
        tried.append(dual)
    bounds = [dual.sum() - 0.5 * np.sum((signed.T @ dual) ** 2) for dual in tried]
    return tried[int(np.argmax(bounds))]


def _by_its_path(machine: PathClassifier, tol: float) -> KKTReport:
    """Certify a machine of this library on the columns on which it was solved."""
    (one,) = machine.estimators_
    path, l1 = one.model_path_, np.array([one.model_l1_])
    problem, coef, dual = path.problem, path.coef_at(l1), path.dual_at(l1)
    intercept = float(path.intercept_at(one.model_l1_))
    proof = certificate_of(problem, coef, np.array([intercept]), l1, dual)
    margins = problem.scores(np.ravel(coef), intercept)
    largest = float(np.abs(dual).max()) or 1.0
    pull = float(max(l1[0], problem.l2 * np.abs(coef).max())) or 1.0
    said = (
        ("stationarity", "l2 b + l1 v sign(b) = c", "stationarity", pull),
        ("threshold", "|c| ≤ l1 v", "threshold", pull),
        ("stationarity in b", "Σ α y = 0", "balance", largest),
        ("dual feasibility", "α within its interval", "box", largest),
        ("complementarity", "α is minus a slope of the loss", "complementarity", proof.primal[0]),
    )
    conditions = []
    for name, formula, field, size in said:
        violation = max(float(getattr(proof, field)[0]), 0.0)
        conditions.append(Condition(name, formula, violation, violation / (float(size) or 1.0)))
    loss = as_loss(getattr(machine, "loss", "hinge"))
    table = loss.table(np.ones(1), np.ones(1))
    low, high = min(float(margins.min()), 0.0), max(float(margins.max()), 2.0)
    steepest = float(table.dual_of(np.array([low]))[0])
    before, after = (max(float(edge[0, 0]), low) for edge in table.edges)
    return KKTReport(
        model=type(machine).__name__,
        problem=f"{loss.name} + L1 + L2 with l1 = {l1[0]:.4g} and l2 = {problem.l2:.4g}",
        primal=float(proof.primal[0]),
        dual=float(proof.dual[0]),
        relative_gap=proof.worst_gap,
        conditions=tuple(conditions),
        margins=margins,
        shares=dual[0] / np.where(problem.weight > 0.0, problem.weight, 1.0),
        unit="weight",
        law=(np.array([low, before, after, high]), np.array([steepest, steepest, 0.0, 0.0])),
        tol=tol,
    )
