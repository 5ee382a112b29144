"""Claims about the hard margin, the kinds of rows beside a slab, and reports on the conditions of optimality."""

from __future__ import annotations

import pickle
import warnings
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.optimize import linprog
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import load_breast_cancer, load_iris, make_circles, make_moons
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import SGDClassifier
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler, scale
from sklearn.svm import SVC, SVR, LinearSVC, NuSVC, NuSVR, OneClassSVM
from sklearn.utils.estimator_checks import check_estimator

import chemin
from chemin.exceptions import InvalidInputError
from chemin.kernels import Epanechnikov, Gaussian, Linear, Polynomial
from chemin.models.losses import LossClassifier
from chemin.models.svm import HardMarginSVC, MultipleKernelSVC, kkt_report, support_table
from chemin.models.svm.hulls import nearest_points
from chemin.models.svm.optimality import measure
from chemin.models.svm.supports import KINDS

XOR = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]]), np.array([0, 0, 1, 1])
MOONS = make_moons(80, noise=0.25, random_state=0)
CANCER = load_breast_cancer(return_X_y=True)
X, Y = scale(CANCER[0])[:150], CANCER[1][:150]
WEIGHT = np.random.default_rng(0).uniform(0.5, 2.0, len(Y))


def separable(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return rows of two classes on either side of a hyperplane, of some dimension, number and margin."""
    rng = np.random.default_rng(seed)
    d = int(rng.integers(1, 9))
    rows = (
        rng.normal(size=(int(rng.integers(4, 50)), d)) * rng.choice([0.3, 1.0, 5.0]) + rng.normal()
    )
    normal = rng.normal(size=d)
    y = rows @ normal > np.median(rows @ normal)
    rows += rng.choice([0.01, 0.3]) * np.where(y, 1.0, -1.0)[:, None] * normal
    return rows, y.astype(int)


def signs(y) -> np.ndarray:
    return np.where(np.asarray(y) == np.max(y), 1.0, -1.0)


def duals_of(model, n: int) -> np.ndarray:
    """Return λ of every row."""
    dual = np.zeros(n)
    dual[model.support_] = np.abs(model.dual_coef_[0])
    return dual


def solve_with_clarabel(X, sign, C=None):
    """Return w, b of min ½‖w‖² + C Σ ξ with y (w·x + b) ≥ 1 − ξ, ξ ≥ 0; without C there are no slacks."""
    clarabel = pytest.importorskip("clarabel", reason="pip install clarabel to compare with it")
    n, p = X.shape
    slacks = 0 if C is None else n
    size = p + 1 + slacks
    P = sparse.diags_array(np.r_[np.ones(p), np.zeros(1 + slacks)]).tocsc()
    cost = np.r_[np.zeros(p + 1), np.full(slacks, C or 0.0)]
    rows = -sign[:, None] * np.column_stack([X, np.ones(n)])
    A = np.hstack([rows, -np.eye(n)[:, :slacks]])
    A = np.vstack([A, -np.eye(size)[p + 1 :]])
    bounds = np.r_[-np.ones(n), np.zeros(slacks)]
    asked = clarabel.DefaultSettings()
    asked.verbose = False
    asked.tol_gap_abs = asked.tol_gap_rel = asked.tol_feas = 1e-11
    cones = [clarabel.NonnegativeConeT(n + slacks)]
    program = P, cost, sparse.csc_matrix(A), bounds, cones, asked
    found = clarabel.DefaultSolver(*program).solve()
    return np.array(found.x[:p]), found.x[p], found.obj_val


def are_separable(X, y) -> bool:
    """Return whether some plane has the classes on either side, by a linear program."""
    A = -signs(y)[:, None] * np.column_stack([X, np.ones(len(X))])
    found = linprog(np.zeros(A.shape[1]), A_ub=A, b_ub=-np.ones(len(X)), bounds=(None, None))
    return found.status == 0


# The hard margin


@pytest.mark.parametrize("seed", range(12))
def test_the_widest_margin_is_that_of_a_quadratic_program(seed):
    X, y = separable(seed)
    model = HardMarginSVC().fit(X, y)
    w, b, value = solve_with_clarabel(X, signs(y))
    size = np.linalg.norm(w)
    np.testing.assert_allclose(model.coef_[0], w, atol=1e-6 * size)
    assert model.intercept_[0] == pytest.approx(b, abs=1e-6 * size * (1.0 + np.abs(X).max()))
    assert model.report().primal == pytest.approx(value, rel=1e-7)
    assert model.margin_ == pytest.approx(2.0 / size, rel=1e-7)
    assert abs(model.gap_) < 1e-12


@pytest.mark.parametrize("seed", range(12))
def test_it_is_what_the_course_says_of_the_primal_and_of_the_dual(seed):
    X, y = separable(seed)
    sign = signs(y)
    model = HardMarginSVC().fit(X, y)
    w, b, dual = model.coef_[0], model.intercept_[0], duals_of(model, len(y))
    margins = sign * (X @ w + b)
    assert margins.min() == pytest.approx(1.0, abs=1e-9)
    np.testing.assert_allclose(margins[model.support_], 1.0, atol=1e-9)
    distance = np.abs(X @ w + b) / np.linalg.norm(w)
    assert model.margin_ == pytest.approx(2.0 * distance.min())
    assert np.all(dual >= 0.0)
    assert sign @ dual == pytest.approx(0.0, abs=1e-12 * dual.sum())
    np.testing.assert_allclose((sign * dual) @ X, w, atol=1e-9 * np.linalg.norm(w))
    assert np.mean((sign - X @ w)[model.support_]) == pytest.approx(b, abs=1e-9 * (1.0 + abs(b)))
    wolfe = dual.sum() - 0.5 * dual @ (sign[:, None] * (X @ X.T) * sign) @ dual
    assert wolfe == pytest.approx(0.5 * w @ w, rel=1e-6)
    assert np.all(sign[model.support_] * model.dual_coef_[0] > 0.0)


def test_of_two_rows_the_plane_is_halfway_between():
    a, b = np.array([1.0, 2.0, 3.0]), np.array([-1.0, 0.5, 7.0])
    model = HardMarginSVC().fit([a, b], ["yes", "no"])
    np.testing.assert_allclose(model.coef_[0], 2.0 * (a - b) / np.sum((a - b) ** 2))
    assert model.margin_ == pytest.approx(np.linalg.norm(a - b))
    assert model.decision_function([(a + b) / 2.0])[0] == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize(
    "kernel", [Gaussian(0.7), Polynomial(3), "rbf", Linear() * Linear()], ids=str
)
def test_a_kernel_is_the_soft_margin_of_a_huge_price(kernel):
    X, y = make_circles(40, noise=0.05, factor=0.5, random_state=0)
    model = HardMarginSVC(kernel).fit(X, y)
    theirs = SVC(C=1e10, kernel=model.kernel_, tol=1e-9).fit(X, y)
    assert model.feasible_
    assert abs(model.gap_) < 1e-9
    np.testing.assert_allclose(model.decision_function(X), theirs.decision_function(X), atol=1e-3)


def test_a_paraboloid_separates_circles_as_its_three_columns_do():
    """Exercise 8.1: φ = (x₁, x₂, ‖x‖²) has k(x, x') = x·x' + ‖x‖²‖x'‖²."""
    X, y = make_circles(40, noise=0.05, factor=0.5, random_state=0)

    def paraboloid(A, B):
        return A @ B.T + np.outer((A**2).sum(axis=1), (B**2).sum(axis=1))

    with pytest.warns(UserWarning, match="No hyperplane separates"):
        assert not HardMarginSVC().fit(X, y).feasible_
    ours = HardMarginSVC(paraboloid).fit(X, y)
    lifted = np.column_stack([X, (X**2).sum(axis=1)])
    plane = HardMarginSVC().fit(lifted, y)
    assert ours.margin_ == pytest.approx(plane.margin_, rel=1e-6)
    np.testing.assert_allclose(
        ours.decision_function(X), plane.decision_function(lifted), atol=1e-6
    )


@pytest.mark.parametrize("d", [1, 2, 3])
def test_d_plus_one_rows_have_all_labels_and_d_plus_two_do_not(d):
    """Proposition 8.1: the dimension of hyperplanes is d + 1."""
    rows = np.random.default_rng(d).normal(size=(d + 2, d))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for count, all_of_them in ((d + 1, True), (d + 2, False)):
            labellings = [y for y in product([0, 1], repeat=count) if len(set(y)) == 2]
            found = [HardMarginSVC().fit(rows[:count], y).feasible_ for y in labellings]
            assert all(found) == all_of_them


def test_many_columns_and_far_away_rows_are_no_trouble():
    rng = np.random.default_rng(0)
    wide, y = rng.normal(size=(20, 3000)), np.arange(20) % 2
    model = HardMarginSVC().fit(wide, y)
    assert abs(model.gap_) < 1e-10
    assert 2.0 / np.linalg.norm(model.coef_) == pytest.approx(model.margin_)
    rows, z = separable(3)
    moved = HardMarginSVC().fit(1e3 * rows + 1e6, z)
    assert moved.margin_ == pytest.approx(1e3 * HardMarginSVC().fit(rows, z).margin_, rel=1e-6)


def test_neither_order_nor_repetition_nor_names_of_classes_matter():
    rows, y = separable(1)
    model = HardMarginSVC().fit(rows, y)
    order = np.random.default_rng(0).permutation(np.repeat(np.arange(len(y)), 2))
    again = HardMarginSVC().fit(rows[order], np.array(["no", "yes"])[y[order]])
    np.testing.assert_allclose(again.coef_, model.coef_, rtol=1e-8)
    turned = HardMarginSVC().fit(rows, 1 - y)
    np.testing.assert_allclose(turned.coef_, -model.coef_, rtol=1e-8)


def test_a_row_that_is_ahead_by_rounding_only_does_not_count():
    rows = [
        [3, -3, -3],
        [1, 0, -2],
        [0, 1, 3],
        [3, -3, -3],
        [-3, -2, 2],
        [2, 1, 3],
        [3, 0, 2],
        [3, 2, -3],
        [-2, 2, 1],
        [3, 1, 3],
    ]
    y = [0, 1, 0, 0, 1, 0, 0, 0, 0, 0]
    model = HardMarginSVC().fit(rows, y)
    assert model.feasible_
    assert abs(model.gap_) < 1e-12


# Classes that are not separable


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 14), st.integers(1, 3))
def test_either_there_is_a_plane_or_a_proof_that_there_is_none(seed, n, d):
    rng = np.random.default_rng(seed)
    rows = rng.integers(-3, 4, size=(n, d)).astype(float)
    y = np.r_[0, 1, rng.integers(0, 2, n - 2)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = HardMarginSVC().fit(rows, y)
    assert model.feasible_ == are_separable(rows, y)
    if model.feasible_:
        assert model.infeasibility_ is None
        assert np.min(signs(y) * model.decision_function(rows)) > 1.0 - 1e-8
        return
    proof = model.infeasibility_
    assert np.all(proof.weights > 0.0)
    np.testing.assert_array_equal(y[proof.rows], proof.sides)
    means = []
    for side in (0, 1):
        mine = proof.sides == side
        assert proof.weights[mine].sum() == pytest.approx(1.0)
        means.append(proof.weights[mine] @ rows[proof.rows[mine]])
    np.testing.assert_allclose(*means, atol=1e-12)


def test_the_proof_is_a_mean_of_each_class_and_is_read_as_words_and_a_table():
    pytest.importorskip("pandas")
    with pytest.warns(UserWarning, match=r"No hyperplane separates .* soft-margin machine of C"):
        model = HardMarginSVC().fit(*XOR)
    proof = model.infeasibility_
    assert proof.meets
    np.testing.assert_allclose(proof.weights, 0.5)
    assert str(proof).startswith(
        "No hyperplane separates the classes: a mean of 2 rows of class 0 and a mean of 2 rows of class 1 are the same "
    )
    assert proof.frame()["row"].tolist() == proof.rows.tolist()


def test_without_a_plane_the_slacks_sum_to_the_least_there_is():
    rows, y = MOONS
    with pytest.warns(UserWarning, match="No hyperplane separates"):
        model = HardMarginSVC().fit(rows, y)
    n = len(y)
    A = -np.column_stack([signs(y)[:, None] * np.column_stack([rows, np.ones(n)]), np.eye(n)])
    bounds = [(None, None)] * 3 + [(0.0, None)] * n
    least = linprog(np.r_[np.zeros(3), np.ones(n)], A_ub=A, b_ub=-np.ones(n), bounds=bounds).fun
    assert support_table(model, rows, y).slack == pytest.approx(least, rel=1e-4)
    assert np.isfinite(model.C_)
    assert model.report().optimal


def test_strict_makes_it_an_error_that_names_the_remedy():
    with pytest.raises(InvalidInputError, match=r"No hyperplane separates .* Pass another kernel"):
        HardMarginSVC(strict=True).fit(*XOR)


def test_a_margin_too_small_to_count_is_told_as_such():
    rows = np.array([[0.0], [1.0], [1.0 + 1e-8], [2.0]])
    with pytest.warns(UserWarning, match="hardly separable"):
        assert not HardMarginSVC().fit(rows, [0, 0, 1, 1]).feasible_
    assert HardMarginSVC(tol=1e-10).fit(rows, [0, 0, 1, 1]).margin_ == pytest.approx(1e-8, rel=1e-6)


def test_nearest_points_of_hulls_are_a_solution():
    """The rows that count are at one level of the difference of the means, and no row is nearer."""
    rng = np.random.default_rng(0)
    for _ in range(10):
        points = rng.normal(size=(30, 4))
        sign = np.where(np.arange(30) % 2, 1.0, -1.0)
        points[:, 0] += 2.0 * sign
        points /= np.linalg.norm(points, axis=1).max()
        weight = nearest_points(points, sign)
        level = sign * (points @ ((sign * weight) @ points))
        for side in (-1.0, 1.0):
            mine = sign == side
            used = mine & (weight > 0.0)
            np.testing.assert_allclose(level[used], level[mine].min(), atol=1e-12)


# The kinds of rows


class Given(ClassifierMixin, BaseEstimator):
    """The classifier whose score is the first column."""

    def __init__(self) -> None:
        self.classes_ = np.array(["no", "yes"])

    def fit(self, X, y):
        return self

    def decision_function(self, X):
        return np.asarray(X)[:, 0]


def test_every_kind_of_row_has_its_slack():
    margins = np.array([2.0, 1.0, 1.0 + 1e-4, 0.5, 0.0, -1.0])
    for side, label in ((1.0, "yes"), (-1.0, "no")):
        table = support_table(Given(), side * margins[:, None], [label] * 6, C=2.0)
        assert [KINDS[code] for code in table.codes] == table.kinds.tolist()
        assert table.codes.tolist() == [0, 1, 1, 2, 3, 4]
        np.testing.assert_allclose(table.slacks, [0.0, 0.0, 0.0, 0.5, 1.0, 2.0])
        np.testing.assert_allclose(table.margins, margins)
    assert table.counts == dict(zip(KINDS, [1, 2, 1, 1, 1], strict=True))
    assert str(table) == (
        "Of all 6 rows: 1 beyond the margin, 2 on the margin, 1 inside the margin, right, 1 on the boundary, 1 wrong. "
        "The slacks sum to 3.5 and cost 7 at C = 2."
    )


@pytest.mark.parametrize("C", [0.3, 3.0])
def test_dual_values_say_on_which_side_of_the_margin_a_row_is(C):
    model = SVC(C=C, gamma=1.0, tol=1e-8).fit(*MOONS)
    table = support_table(model, *MOONS, C=C, tol=1e-5)
    assert np.all(table.duals[table.codes == 0] == 0.0)
    assert np.all(table.duals[table.codes >= 2] == C)
    between = (table.duals > 0.0) & (table.duals < C)
    assert np.all(table.codes[between] == 1)
    wrong = model.predict(MOONS[0]) != MOONS[1]
    np.testing.assert_array_equal(table.codes == 4, wrong)
    np.testing.assert_array_equal(table.slacks > 1.0, wrong)
    report = kkt_report(model, *MOONS)
    assert report.primal - C * table.slack == pytest.approx(0.5 * _square(model, MOONS[0]))


def _square(model, X) -> float:
    """Return ‖w‖² in the feature space of a Gaussian kernel of gamma 1."""
    coef, support = model.dual_coef_[0], X[model.support_]
    return float(coef @ rbf_kernel(support, gamma=1.0) @ coef)


@pytest.mark.parametrize(
    "model",
    [
        SVC(gamma=1.0),
        NuSVC(gamma=1.0),
        chemin.SparseSVC(l1=1.0),
        HardMarginSVC("rbf"),
        MultipleKernelSVC(),
    ],
    ids=lambda model: type(model).__name__,
)
def test_dual_values_are_those_of_the_rows_of_fit_and_of_no_others(model):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        model = model.fit(*MOONS)
    table = support_table(model, *MOONS)
    assert signs(MOONS[1]) @ table.duals == pytest.approx(0.0, abs=1e-6 * table.duals.sum())
    assert support_table(model, MOONS[0][::-1], MOONS[1][::-1]).duals is None
    assert support_table(model, MOONS[0][:9], MOONS[1][:9]).duals is None
    with pytest.raises(InvalidInputError, match="not the rows and targets of fit"):
        kkt_report(model, MOONS[0][::-1], MOONS[1][::-1])


def test_tables_and_reports_go_through_pipelines_searches_and_sparse_rows():
    rows, y = CANCER
    pipeline = make_pipeline(StandardScaler(), SVC(tol=1e-6))
    search = GridSearchCV(pipeline, {"svc__C": [0.1, 1.0]}, cv=3).fit(rows, y)
    inside = search.best_estimator_[-1]
    table = support_table(search, rows, y)
    np.testing.assert_array_equal(np.flatnonzero(table.duals), np.sort(inside.support_))
    assert kkt_report(search, rows, y).optimal
    thin = SVC(tol=1e-6).fit(sparse.csr_array(X), Y)
    assert kkt_report(thin, sparse.csr_array(X), Y).optimal
    assert support_table(thin, sparse.csr_array(X), Y).duals is not None
    dense = kkt_report(SVC(tol=1e-6).fit(X, Y), X, Y)
    assert kkt_report(thin, sparse.csr_array(X), Y).primal == pytest.approx(dense.primal, rel=1e-6)


# Reports


def paraboloid(A, B):
    return A @ B.T + np.outer((A**2).sum(axis=1), (B**2).sum(axis=1))


MACHINES = {
    "linear": SVC(kernel="linear", C=0.3),
    "gamma scale": SVC(),
    "gamma auto": SVC(gamma="auto", C=10.0),
    "polynomial": SVC(kernel="poly", coef0=1.0),
    "callable": SVC(kernel=paraboloid, C=0.01),
    "class weights": SVC(class_weight={0: 2.0, 1: 0.5}),
    "balanced": SVC(class_weight="balanced"),
    "nu": NuSVC(nu=0.2),
    "nu, class weights": NuSVC(nu=0.2, class_weight={0: 2.0}),
    "squared": LinearSVC(),
    "squared, balanced": LinearSVC(class_weight="balanced", C=0.1),
    "hinge": LinearSVC(loss="hinge", C=0.1),
    "hinge, class weights": LinearSVC(loss="hinge", C=0.1, class_weight={0: 3.0}),
    "no intercept": LinearSVC(loss="hinge", C=0.1, fit_intercept=False),
    "another constant": LinearSVC(loss="hinge", C=0.1, intercept_scaling=5.0),
}


@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["", "weighted"])
@pytest.mark.parametrize("name", MACHINES)
def test_a_machine_solved_to_the_end_is_optimal_in_every_condition(name, weight):
    model = clone(MACHINES[name]).set_params(tol=1e-9)
    if isinstance(model, LinearSVC):
        model.set_params(max_iter=1_000_000)
    report = kkt_report(model.fit(X, Y, sample_weight=weight), X, Y, sample_weight=weight, tol=1e-5)
    assert report.optimal, str(report)
    assert report.gap >= -1e-7 * report.primal
    names = [condition.name for condition in report.conditions]
    assert ("stationarity in b" in names) == (not isinstance(model, LinearSVC))


@pytest.mark.parametrize("name", ["linear", "class weights", "hinge", "squared"])
def test_a_machine_of_another_price_is_not_optimal(name):
    model = clone(MACHINES[name]).fit(X, Y)
    model.C *= 1.3  # another problem than the one it solved
    assert not kkt_report(model, X, Y).optimal


def test_objectives_are_those_of_a_quadratic_program():
    value = solve_with_clarabel(X, signs(Y), C=0.3)[2]
    report = kkt_report(SVC(kernel="linear", C=0.3, tol=1e-9).fit(X, Y), X, Y)
    assert report.dual <= value * (1.0 + 1e-9)
    assert report.dual == pytest.approx(value, rel=1e-6)
    assert report.primal == pytest.approx(value, rel=1e-6)


TUBES = {
    "linear": SVR(kernel="linear", C=0.3, epsilon=0.2),
    "gaussian": SVR(C=2.0),
    "no tube": SVR(epsilon=0.0),
    "a wide tube": SVR(epsilon=1e3),
}


@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["", "weighted"])
@pytest.mark.parametrize("name", TUBES)
def test_a_tube_solved_to_the_end_is_optimal_in_every_condition(name, weight):
    y = X[:, 0] - np.abs(X[:, 1])
    model = clone(TUBES[name]).set_params(tol=1e-9).fit(X, y, sample_weight=weight)
    report = kkt_report(model, X, y, sample_weight=weight, tol=1e-5)
    assert report.optimal, str(report)
    assert "and ε = " in report.problem
    prices = model.C * (np.ones(len(y)) if weight is None else weight)
    signed = np.zeros(len(y))
    signed[model.support_] = model.dual_coef_[0]
    assert np.all(np.abs(signed) <= prices * (1.0 + 1e-12))
    assert abs(signed.sum()) < 1e-7 * prices.sum()
    away = np.abs(y - model.predict(X))
    assert np.all(away[signed != 0.0] >= model.epsilon - 1e-4)  # the others are inside the tube
    assert np.all(away[(signed == 0.0) & (prices > 0.0)] <= model.epsilon + 1e-4)
    loss = prices @ np.maximum(away - model.epsilon, 0.0)
    square = float(signed @ (model.predict(X) - model.intercept_))
    assert report.primal == pytest.approx(0.5 * square + loss, rel=1e-6, abs=1e-9)


def test_a_tube_of_another_price_or_other_rows_is_not_optimal():
    y = X[:, 0] - np.abs(X[:, 1])
    model = SVR(tol=1e-9).fit(X, y)
    one = kkt_report(model, X, y)
    assert one.worst.row is None or one.worst.row < len(y)
    assert one.plot().get_xlabel().endswith("inwards")
    model.epsilon = 0.3
    assert not kkt_report(model, X, y).optimal
    for other in ((X[:-1], y[:-1]), (X, y[:-1]), (X + 1.0, y)):
        with pytest.raises(InvalidInputError, match="not the rows and targets of fit"):
            kkt_report(model, *other)


def test_a_precomputed_kernel_is_read_too():
    model = SVC(kernel="precomputed", tol=1e-8).fit(X @ X.T, Y)
    one = kkt_report(model, X @ X.T, Y)
    other = kkt_report(SVC(kernel="linear", tol=1e-8).fit(X, Y), X, Y)
    assert one.optimal
    assert one.primal == pytest.approx(other.primal, rel=1e-6)


def test_the_less_it_is_solved_the_larger_is_the_gap():
    gaps = [
        kkt_report(SVC(tol=tol).fit(X, Y), X, Y).relative_gap for tol in (1.0, 1e-1, 1e-3, 1e-6)
    ]
    assert gaps == sorted(gaps, reverse=True)
    assert gaps[0] > 1e-2 > 1e-6 > gaps[-1]


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge", "huberized"])
@pytest.mark.parametrize("l1", [0.5, 5.0])
def test_a_path_is_certified_and_its_dual_values_are_on_the_line_of_its_loss(loss, l1):
    model = chemin.SparseSVC(l1=l1, loss=loss).fit(X, Y, sample_weight=WEIGHT)
    report = kkt_report(model, X, Y, tol=1e-9)
    assert report.optimal, str(report)
    assert report.problem.startswith(f"{loss} + L1 + L2 with l1 = {l1:g} and")
    off = np.abs(report.margins - 1.0) > 1e-6
    line = np.interp(report.margins, *report.law)
    np.testing.assert_allclose(report.shares[off], line[off], atol=1e-6)


@pytest.mark.parametrize(
    ("model", "data"), [(HardMarginSVC("rbf"), "circles"), (MultipleKernelSVC(tol=1e-6), "moons")]
)
def test_ours_are_optimal_and_their_gap_is_that_of_the_report(model, data):
    rows = MOONS if data == "moons" else make_circles(40, noise=0.05, factor=0.5, random_state=0)
    model = model.fit(*rows)
    report = kkt_report(model, *rows)
    assert report.optimal
    assert max(abs(model.gap_), abs(report.relative_gap)) < 1e-6


CHANGES = {
    "stationarity": lambda s: replace(s, score=s.score + 0.1),
    "stationarity in b": lambda s: replace(s, dual=s.dual * np.where(s.sign > 0.0, 1.2, 1.0)),
    "dual feasibility": lambda s: replace(s, dual=s.dual * 2.0),
    "complementarity": lambda s: replace(s, dual=s.dual[::-1]),
    "slacks": lambda s: replace(s, dual=0.5 * s.dual),
}


@pytest.mark.parametrize("condition", CHANGES)
def test_the_condition_that_is_violated_is_told(condition):
    model = MultipleKernelSVC(Gaussian(0.7), C=2.0, tol=1e-6).fit(*MOONS)
    solved = model.solved(MOONS[0], signs(MOONS[1]), model.decision_function(MOONS[0]))
    before = {one.name: one.relative for one in measure(solved).conditions}
    after = measure(CHANGES[condition](solved))
    assert before[condition] < 1e-6
    assert {one.name: one.relative for one in after.conditions}[condition] > 1e-3
    assert not after.optimal
    assert "not optimal to 1e-03" in str(after)


def test_reports_and_tables_are_read_as_words_tables_and_pictures():
    pd = pytest.importorskip("pandas")
    plt = pytest.importorskip("matplotlib.pyplot")
    frame = pd.DataFrame(MOONS[0], columns=["east", "north"])
    model = SVC(C=1.0, gamma=1.0, tol=1e-6).fit(frame, MOONS[1])
    table, report = support_table(model, frame, MOONS[1], C=1.0), kkt_report(model, frame, MOONS[1])
    assert str(table).endswith("are support vectors.")
    assert table.frame().columns.tolist() == ["class", "score", "margin", "slack", "kind", "dual"]
    assert report.frame()["condition"].tolist()[:2] == ["stationarity", "stationarity in b"]
    assert str(report).startswith("SVC, ½‖w‖² + Σ C ξ with C = 1: optimal to 1e-")
    slab = table.plot()
    assert (slab.get_xlabel(), slab.get_ylabel()) == ("east", "north")
    labels = slab.get_legend_handles_labels()[1]
    assert f"wrong ({table.counts['wrong']})" in labels
    assert report.plot().get_ylabel() == "dual value / C"
    many = support_table(SVC().fit(X, Y), X, Y).plot()
    assert [label.get_text() for label in many.get_yticklabels()] == ["class 0", "class 1"]
    hard = HardMarginSVC().fit(*separable(1))
    assert hard.report().plot().get_ylabel() == "dual value / largest"
    plt.close("all")


# Manners


@pytest.mark.parametrize("estimator", [HardMarginSVC(), HardMarginSVC(Gaussian(1.0))], ids=str)
def test_every_check_of_scikit_learn_passes(estimator):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the checks fit hostile data on purpose
        results = check_estimator(estimator, on_fail=None, on_skip=None)
    assert not [(r["check_name"], r["exception"]) for r in results if r["status"] == "failed"]


def test_a_model_is_cloned_pickled_and_bound_to_the_names_of_columns():
    pd = pytest.importorskip("pandas")
    rows, y = make_circles(40, noise=0.05, factor=0.5, random_state=0)
    frame = pd.DataFrame(np.column_stack([np.ones(40), rows]), columns=["c", "a", "b"])
    model = HardMarginSVC(Gaussian(0.7).on(["a", "b"])).fit(frame, y)
    alone = HardMarginSVC(Gaussian(0.7)).fit(rows, y)
    np.testing.assert_allclose(model.decision_function(frame), alone.decision_function(rows))
    assert clone(model).get_params() == model.get_params()
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.decision_function(frame), model.decision_function(frame))


@pytest.mark.parametrize(
    "wrong", [{"tol": -1.0}, {"tol": 1.0}, {"tol": "1"}, {"kernel": 3}, {"kernel": "no"}]
)
def test_wrong_parameters_name_the_remedy(wrong):
    with pytest.raises(InvalidInputError, match="pass"):
        HardMarginSVC(**wrong).fit(*MOONS)


def test_wrong_data_and_kernels_name_the_remedy():
    with pytest.raises(InvalidInputError, match=r"not positive semi-definite .* pass one that is"):
        HardMarginSVC(Epanechnikov()).fit(*MOONS)
    with pytest.raises(InvalidInputError, match="OneVsRest"):
        HardMarginSVC().fit(X, np.arange(len(Y)) % 3)
    with pytest.raises(InvalidInputError, match="needs rows of two classes"):
        HardMarginSVC().fit(X, np.zeros(len(Y)))
    with pytest.raises(NotFittedError):
        HardMarginSVC().report()


IRIS = load_iris(return_X_y=True)
MODEL = SVC().fit(*MOONS)


@pytest.mark.parametrize("judge", [support_table, kkt_report])
@pytest.mark.parametrize(
    ("model", "X", "y", "match"),
    [
        (SVC().fit(*IRIS), *IRIS, "OneVsRest"),
        (MODEL, MOONS[0], MOONS[1] + 5, "labels as they were given to fit"),
        (MODEL, MOONS[0], MOONS[1][:5], "pass"),
        (MODEL, MOONS[0], MOONS[1][:, None], "one label per row"),
        (NuSVR().fit(*MOONS), *MOONS, "pass"),
        (OneClassSVM().fit(MOONS[0]), *MOONS, "pass"),
    ],
)
def test_what_cannot_be_judged_is_told_with_the_remedy(judge, model, X, y, match):
    with pytest.raises(InvalidInputError, match=match):
        judge(model, X, y)


@pytest.mark.parametrize("judge", [support_table, kkt_report])
@pytest.mark.parametrize(
    "model", [SVC(), make_pipeline(StandardScaler(), SVC()), GridSearchCV(SVC(), {})]
)
def test_what_is_not_fitted_is_told(judge, model):
    with pytest.raises(NotFittedError):
        judge(model, *MOONS)


@pytest.mark.parametrize(
    ("model", "match"),
    [
        (SGDClassifier(), "problem and dual values of SGDClassifier are not known here: pass"),
        (LossClassifier("hinge"), "pass a fitted HardMarginSVC"),
        (LinearSVC(penalty="l1"), "use chemin.SparseSVC"),
        (LinearSVC(multi_class="crammer_singer"), "pass one with 'l2' and 'ovr'"),
    ],
    ids=["sgd", "loss", "l1", "crammer_singer"],
)
def test_a_problem_that_is_not_known_is_told(model, match):
    with pytest.raises(InvalidInputError, match=match):
        kkt_report(model.fit(X, Y), X, Y)


@pytest.mark.parametrize(
    ("judge", "wrong"),
    [(support_table, {"C": 0.0}), (support_table, {"tol": -1.0}), (kkt_report, {"tol": 0.0})],
)
def test_wrong_numbers_name_the_remedy(judge, wrong):
    with pytest.raises(InvalidInputError, match="pass a"):
        judge(MODEL, *MOONS, **wrong)
