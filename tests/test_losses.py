"""Claims about every loss: its path is optimal, and agrees with solvers that share no code with it.

A loss is written here again, from its definition and not from the library's table: point i pays

    below_i · max(0, low_i − f_i) + above_i · max(0, f_i − high_i),     f_i = b0 + x_i·b,

which makes the objective a linear program for l2 = 0 (HiGHS), and a quadratic one otherwise
(Clarabel). Where kinks are rounded, so much beyond an end costs r²/(2 width) up to the slope of the
line that follows: min over r of r²/(2 width) + below_i · max(0, low_i − f_i − r), a quadratic program
again. A new loss, a new kind of columns or of weights is one new row of a table.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from scipy.linalg import block_diag
from scipy.optimize import linprog, minimize_scalar
from sklearn.linear_model import ElasticNet, QuantileRegressor, enet_path, lars_path
from sklearn.svm import SVR

import chemin
from chemin.dictionaries import KernelDictionary
from chemin.exceptions import InvalidInputError
from chemin.kernels import Gaussian, Linear
from chemin.problems import (
    Absolute,
    EpsilonInsensitive,
    Hinge,
    Huber,
    HuberizedHinge,
    Quantile,
    Squared,
    SquaredHinge,
)

GAP = 1e-9
AGREE = 1e-7
L2 = 0.5
EPSILON = 0.2
LEVEL = 0.3
DELTA = 0.7
NEVER = 1e6  # the slope of a line that no parabola comes to
SHARES = (0.0, 0.03, 0.2, 0.45, 0.8, 1.5)  # of the first l1 of the path


@dataclass(frozen=True)
class Pieces:
    """The losses of n points, as in the formula above."""

    low: np.ndarray
    below: np.ndarray
    high: np.ndarray
    above: np.ndarray
    width: np.ndarray | None = None

    def total(self, score: np.ndarray) -> float:
        short = self.beyond(self.low - score, self.below)
        return float(short + self.beyond(score - self.high, self.above))

    def beyond(self, away: np.ndarray, slope: np.ndarray) -> float:
        away = np.maximum(0.0, away)
        if self.width is None:
            return float(slope @ away)
        round_ = np.minimum(away, self.width * slope)
        return float(np.sum(round_**2 / (2.0 * self.width) + slope * (away - round_)))


def hinge(y: np.ndarray, weight: np.ndarray) -> Pieces:
    return Pieces(y, weight * (y > 0), y, weight * (y < 0))


def quantile(y: np.ndarray, weight: np.ndarray) -> Pieces:
    return Pieces(y, LEVEL * weight, y, (1.0 - LEVEL) * weight)


def absolute(y: np.ndarray, weight: np.ndarray) -> Pieces:
    return Pieces(y, weight, y, weight)


def epsilon_insensitive(y: np.ndarray, weight: np.ndarray) -> Pieces:
    return Pieces(y - EPSILON, weight, y + EPSILON, weight)


def widths(weight: np.ndarray, width: float = 1.0) -> np.ndarray:
    return width / np.where(weight > 0.0, weight, 1.0)


def squared(y: np.ndarray, weight: np.ndarray) -> Pieces:
    return Pieces(y, NEVER * weight, y, NEVER * weight, widths(weight))


def huber(y: np.ndarray, weight: np.ndarray) -> Pieces:
    return Pieces(y, DELTA * weight, y, DELTA * weight, widths(weight))


def squared_hinge(y: np.ndarray, weight: np.ndarray) -> Pieces:
    return Pieces(y, NEVER * weight * (y > 0), y, NEVER * weight * (y < 0), widths(weight))


def huberized(y: np.ndarray, weight: np.ndarray) -> Pieces:
    return Pieces(y, weight * (y > 0), y, weight * (y < 0), widths(weight, DELTA))


LOSSES: dict[str, tuple[Any, Callable[..., Pieces]]] = {
    "hinge": (Hinge(), hinge),
    "quantile": (Quantile(LEVEL), quantile),
    "absolute": (Absolute(), absolute),
    "epsilon_insensitive": (EpsilonInsensitive(EPSILON), epsilon_insensitive),
    "squared": (Squared(), squared),
    "huber": (Huber(DELTA), huber),
    "squared_hinge": (SquaredHinge(), squared_hinge),
    "huberized": (HuberizedHinge(DELTA), huberized),
}
CLASSIFICATIONS = ("hinge", "squared_hinge", "huberized")
CURVED = ("squared", "huber", "squared_hinge", "huberized")
REGRESSIONS = [name for name in LOSSES if name not in CLASSIFICATIONS]


def dense(rng: np.random.Generator) -> tuple[Any, np.ndarray]:
    X = rng.standard_normal((40, 12))
    return X, X


def sparse_counts(rng: np.random.Generator) -> tuple[Any, np.ndarray]:
    X = rng.poisson(0.4, (41, 15)) * rng.uniform(0.5, 1.5, (41, 15))
    return sparse.csr_array(X), X


def small_integers(rng: np.random.Generator) -> tuple[Any, np.ndarray]:
    X = rng.integers(-2, 3, (40, 6)).astype(float)
    return X, X


def kernels(rng: np.random.Generator) -> tuple[Any, np.ndarray]:
    points = rng.standard_normal((40, 2))
    columns = KernelDictionary(points, points[:5], (Gaussian(0.5), Gaussian(1.5), Linear()))
    return columns, columns.columns(np.arange(15))


COLUMNS = {row.__name__: row for row in (dense, sparse_counts, small_integers, kernels)}
WEIGHTS = ("none", "of points and columns")


@dataclass(frozen=True)
class Case:
    """One row of each table: what the path is asked for, and what the references need."""

    columns: Any
    X: np.ndarray
    y: np.ndarray
    loss: Any
    pieces: Pieces
    l1_weight: np.ndarray
    options: dict[str, Any]

    def path(self, l2: float) -> chemin.Path:
        return chemin.path(self.columns, self.y, loss=self.loss, l2=l2, **self.options)

    def objective(self, b: np.ndarray, b0: float, l1: float, l2: float) -> float:
        penalty = 0.5 * l2 * (b @ b) + l1 * (self.l1_weight @ abs(b))
        return self.pieces.total(self.X @ b + b0) + float(penalty)

    def objective_on(self, path: chemin.Path, l1: float, l2: float) -> float:
        return self.objective(path.coef_at(l1), path.intercept_at(l1), l1, l2)


def case_of(name: str, columns: str, weights: str) -> Case:
    rng = np.random.default_rng(list(columns.encode()))
    asked, X = COLUMNS[columns](rng)
    n, p = X.shape
    y = X[:, :3].sum(axis=1) + rng.standard_t(3, n)
    y = np.round(y) if columns == "small_integers" else y
    y = np.where(y > np.median(y) - 0.1, 1.0, -1.0) if name in CLASSIFICATIONS else y
    sample_weight = np.ones(n)
    l1_weight = np.ones(p)
    options = {}
    if weights != "none":
        sample_weight = rng.choice([0.0, 0.5, 1.0, 2.0, 3.7], n)
        l1_weight = rng.uniform(0.5, 2.0, p)
        l1_weight[1] = 0.0
        options = {"sample_weight": sample_weight, "l1_weight": l1_weight}
    loss, pieces_of = LOSSES[name]
    return Case(asked, X, y, loss, pieces_of(y, sample_weight), l1_weight, options)


def program_of(case: Case, l1: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return cost, G, h: minimise cost·z with G z ≤ h over z = (b⁺, b⁻, u, v ≥ 0, b0).

    f + u ≥ low and f − v ≤ high; u and v are paid for as the losses say.
    """
    n = len(case.y)
    pieces = case.pieces
    paid = l1 * case.l1_weight
    cost = np.concatenate([paid, paid, pieces.below, pieces.above, [0.0]])
    score = np.hstack([case.X, -case.X])
    unit = np.eye(n)
    none = np.zeros((n, n))
    ones = np.ones((n, 1))
    G = np.block([[-score, -unit, none, -ones], [score, none, -unit, ones]])
    return cost, G, np.concatenate([-pieces.low, pieces.high])


def least_by_highs(case: Case, l1: float) -> float:
    """Return the least objective for l2 = 0."""
    cost, G, h = program_of(case, l1)
    bounds = [(0.0, None)] * (len(cost) - 1) + [(None, None)]
    program = linprog(cost, G, h, bounds=bounds, method="highs")
    assert program.status == 0
    return float(program.fun)


def least_by_clarabel(case: Case, l1: float, l2: float) -> float:
    """Return the objective of an interior-point solution, evaluated by its definition."""
    clarabel = pytest.importorskip("clarabel", reason="pip install clarabel to compare with it")
    cost, G, h = program_of(case, l1)
    p = case.X.shape[1]
    split = np.hstack([np.eye(p), -np.eye(p)])
    P = np.zeros((len(cost), len(cost)))
    P[: 2 * p, : 2 * p] = l2 * split.T @ split
    positive = -np.eye(len(cost))[:-1]
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = 1e-11
    settings.tol_gap_rel = 1e-11
    settings.tol_feas = 1e-11
    A = np.vstack([G, positive])
    limits = np.append(h, np.zeros(len(positive)))
    if case.pieces.width is not None:  # r and s ≥ 0 beside u and v, paid for by their squares
        n = len(case.y)
        A = np.hstack([A, np.vstack([-np.eye(2 * n), np.zeros((len(positive), 2 * n))])])
        A = np.vstack([A, np.hstack([np.zeros((2 * n, len(cost))), -np.eye(2 * n)])])
        limits = np.append(limits, np.zeros(2 * n))
        P = block_diag(P, np.diag(np.tile(1.0 / case.pieces.width, 2)))
        cost = np.append(cost, np.zeros(2 * n))
    A = sparse.csc_matrix(A)
    cones = [clarabel.NonnegativeConeT(len(limits))]
    solver = clarabel.DefaultSolver(sparse.csc_matrix(np.triu(P)), cost, A, limits, cones, settings)
    z = np.array(solver.solve().x)
    return case.objective(split @ z[: 2 * p], z[2 * p + 2 * len(case.y)], l1, l2)


EVERY = list(product(LOSSES, COLUMNS, WEIGHTS))
SHARP = [row for row in EVERY if row[0] not in CURVED]
ROUNDED = [row for row in EVERY if row[0] in CURVED]


@pytest.mark.parametrize("l2", [0.0, L2])
@pytest.mark.parametrize(("name", "columns", "weights"), EVERY)
def test_every_breakpoint_and_every_middle_is_optimal(name, columns, weights, l2):
    path = case_of(name, columns, weights).path(l2)
    assert path.status.code == "complete"
    assert path.l1[-1] == 0.0
    assert path.certificate(midpoints=True).worst_gap <= GAP


@pytest.mark.parametrize(("name", "columns", "weights"), SHARP)
def test_without_ridge_the_objective_is_that_of_a_linear_program(name, columns, weights):
    case = case_of(name, columns, weights)
    path = case.path(0.0)
    for share in SHARES:
        l1 = share * path.l1[0]
        ours = case.objective_on(path, l1, 0.0)
        assert ours == pytest.approx(least_by_highs(case, l1), rel=AGREE)


@pytest.mark.parametrize(("name", "columns", "weights"), ROUNDED)
def test_of_rounded_kinks_it_is_a_quadratic_program_without_ridge_too(name, columns, weights):
    case = case_of(name, columns, weights)
    path = case.path(0.0)
    for share in SHARES:
        l1 = share * path.l1[0]
        ours = case.objective_on(path, l1, 0.0)
        assert ours == pytest.approx(least_by_clarabel(case, l1, 0.0), rel=AGREE)


@pytest.mark.parametrize(("name", "columns", "weights"), EVERY)
def test_with_a_ridge_the_objective_is_that_of_a_quadratic_program(name, columns, weights):
    case = case_of(name, columns, weights)
    path = case.path(L2)
    for share in SHARES:
        l1 = share * path.l1[0]
        ours = case.objective_on(path, l1, L2)
        assert ours == pytest.approx(least_by_clarabel(case, l1, L2), rel=AGREE)


def lowest(case: Case, dual: np.ndarray) -> float:
    """Return Σ min_t ℓ_i(t) + α_i t, for t = y_i f_i with the hinge and t = f_i otherwise."""
    rounded = 0.0 if case.pieces.width is None else 0.5 * case.pieces.width @ dual**2
    if case.loss.takes_labels:
        return float(dual.sum() - rounded)
    half_width = 0.5 * (case.pieces.high - case.pieces.low)
    return float(dual @ case.y - abs(dual) @ half_width - rounded)


@pytest.mark.parametrize(("name", "columns", "weights"), EVERY)
def test_the_dual_values_prove_the_objective(name, columns, weights):
    """P ≥ Σ min_t (ℓ_i(t) + α_i t) − (1/2 l2) Σ_j max(0, |c_j| − l1 v_j)², if Σ s_i α_i = 0.

    Here c = Xᵀ(s∘α), with s the labels for the hinge and 1 otherwise.
    """
    case = case_of(name, columns, weights)
    path = case.path(L2)
    for share in SHARES[:-1]:
        l1 = share * path.l1[0]
        dual = path.dual_at(l1)
        signed = case.y * dual if name in CLASSIFICATIONS else dual
        assert np.all(signed <= case.pieces.below + GAP)
        assert np.all(signed >= -case.pieces.above - GAP)
        assert signed.sum() == pytest.approx(0.0, abs=GAP)
        excess = np.maximum(abs(signed @ case.X) - l1 * case.l1_weight, 0.0)
        bound = lowest(case, dual) - excess @ excess / (2.0 * L2)
        assert bound == pytest.approx(case.objective_on(path, l1, L2), rel=1e-8)


@pytest.mark.parametrize(("name", "columns", "weights"), SHARP)
def test_the_two_references_agree(name, columns, weights):
    case = case_of(name, columns, weights)
    for l1 in (0.0, 0.7, 6.0):
        by_simplex = least_by_highs(case, l1)
        assert least_by_clarabel(case, l1, 0.0) == pytest.approx(by_simplex, rel=AGREE)


def one_column(name: str) -> Case:
    rng = np.random.default_rng(3)
    X = rng.standard_normal((9, 1))
    y = X[:, 0] + rng.standard_normal(9)
    y = np.where(y > 0.0, 1.0, -1.0) if name in CLASSIFICATIONS else y
    weight = rng.uniform(0.5, 2.0, 9)
    loss, pieces_of = LOSSES[name]
    options = {"sample_weight": weight}
    return Case(X, X, y, loss, pieces_of(y, weight), np.ones(1), options)


def kinks_of(case: Case) -> list[tuple[float, float]]:
    """Return the kinks as lines x b + b0 = z of the plane (b, b0)."""
    ends = [*zip(case.X[:, 0], case.pieces.low, strict=True)]
    ends += [*zip(case.X[:, 0], case.pieces.high, strict=True)]
    return sorted(set(ends))


def best_intercept(case: Case, b: float, l1: float, l2: float) -> float:
    coef = np.array([b])
    return min(case.objective(coef, z - x * b, l1, l2) for x, z in kinks_of(case))


@pytest.mark.parametrize("name", [name for name in LOSSES if name not in CURVED])
def test_the_references_find_what_trying_everything_finds(name):
    """With one column and no ridge some solution lies where two kinks meet, or one and b = 0."""
    case = one_column(name)
    lines = kinks_of(case)
    slopes = [(z - t) / (x - s) for (x, z), (s, t) in combinations(lines, 2) if x != s]
    for l1 in (0.0, 0.5, 2.0):
        tried = min(best_intercept(case, b, l1, 0.0) for b in [0.0, *slopes])
        assert least_by_highs(case, l1) == pytest.approx(tried, rel=1e-12)
        search = minimize_scalar(
            lambda b, l1=l1: best_intercept(case, b, l1, L2),
            bounds=(-10.0, 10.0),
            method="bounded",
            options={"xatol": 1e-9},
        )
        assert least_by_clarabel(case, l1, L2) == pytest.approx(search.fun, rel=AGREE)


@pytest.mark.parametrize("columns", ["dense", "small_integers", "kernels"])
def test_the_squared_path_is_that_of_least_angles(columns):
    """LARS divides by n and has no intercept: columns and target are centred."""
    case = case_of("squared", columns, "none")
    path = case.path(0.0)
    X = case.X - case.X.mean(axis=0)
    alphas, _, coefs = lars_path(X, case.y - case.y.mean(), method="lasso")
    assert len(case.y) * alphas[0] == pytest.approx(path.l1[0], rel=1e-12)
    for alpha, coef in zip(alphas, coefs.T, strict=True):
        l1 = len(case.y) * alpha
        score = case.X @ (path.coef_at(l1) - coef)
        assert np.ptp(score) <= AGREE * np.std(case.y)


@pytest.mark.parametrize("columns", ["dense", "small_integers", "kernels"])
def test_the_squared_path_with_a_ridge_is_the_elastic_net(columns):
    case = case_of("squared", columns, "none")
    path = case.path(L2)
    n = len(case.y)
    X = case.X - case.X.mean(axis=0)
    for share in SHARES[1:5]:
        l1 = share * path.l1[0]
        ratio = l1 / (l1 + L2)
        options = {"l1_ratio": ratio, "alphas": [(l1 + L2) / n], "tol": 1e-14, "max_iter": 10**6}
        _, coefs, _ = enet_path(X, case.y - case.y.mean(), **options)
        np.testing.assert_allclose(path.coef_at(l1), coefs[:, 0], atol=AGREE)


def test_weights_of_points_are_those_of_the_elastic_net():
    case = case_of("squared", "dense", "of points and columns")
    weight = case.options["sample_weight"]
    path = chemin.path(case.X, case.y, loss="squared", l2=L2, sample_weight=weight)
    l1 = 0.1 * path.l1[0]
    penalties = {"alpha": (l1 + L2) / weight.sum(), "l1_ratio": l1 / (l1 + L2)}
    theirs = ElasticNet(**penalties, tol=1e-14, max_iter=10**6)
    theirs.fit(case.X, case.y, sample_weight=weight)
    np.testing.assert_allclose(path.coef_at(l1), theirs.coef_, atol=AGREE)


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("columns", ["dense", "small_integers"])
def test_the_quantile_path_agrees_with_scikit_learn(columns, weights):
    """Its objective is a mean over the weights: alpha = l1 / Σ w."""
    case = case_of("quantile", columns, weights)
    weight = case.options.get("sample_weight", np.ones(len(case.y)))
    scaled = {**case.options, "l1_weight": None}
    path = chemin.path(case.X, case.y, loss=Quantile(LEVEL), l2=0.0, **scaled)
    for share in SHARES:
        l1 = share * path.l1[0]
        theirs = QuantileRegressor(quantile=LEVEL, alpha=l1 / weight.sum(), solver="highs")
        theirs.fit(case.X, case.y, sample_weight=weight)
        score = case.X @ path.coef_at(l1) + path.intercept_at(l1)
        ours = case.pieces.total(score) + l1 * abs(path.coef_at(l1)).sum()
        least = case.pieces.total(theirs.predict(case.X)) + l1 * abs(theirs.coef_).sum()
        assert ours == pytest.approx(least, rel=1e-8)


def test_the_end_of_the_quantile_path_agrees_with_statsmodels():
    api = pytest.importorskip(
        "statsmodels.regression.quantile_regression",
        reason="pip install statsmodels to compare with it",
    )
    case = case_of("quantile", "dense", "none")
    path = case.path(0.0)
    rows = np.column_stack([np.ones(len(case.y)), case.X])
    found = api.QuantReg(case.y, rows).fit(q=LEVEL, max_iter=5000, p_tol=1e-10)
    ours = np.append(path.intercept_at(0.0), path.coef_at(0.0))
    np.testing.assert_allclose(ours, found.params, rtol=1e-4, atol=1e-4)


def test_the_end_of_the_path_is_support_vector_regression():
    """At l1 = 0 it is ε-SVR with C = 1 / l2; LIBSVM keeps its products in single precision."""
    case = case_of("epsilon_insensitive", "dense", "none")
    path = case.path(L2)
    theirs = SVR(kernel="linear", C=1.0 / L2, epsilon=EPSILON, tol=1e-9).fit(case.X, case.y)
    least = case.objective(theirs.coef_[0], float(theirs.intercept_[0]), 0.0, L2)
    ours = case.objective_on(path, 0.0, L2)
    assert ours <= least
    assert ours == pytest.approx(least, rel=1e-6)
    np.testing.assert_allclose(path.coef_at(0.0), theirs.coef_[0], atol=1e-4)


@pytest.mark.parametrize("l2", [0.0, L2])
def test_the_hinge_is_the_path_of_the_support_vector_machine(l2):
    case = case_of("hinge", "dense", "of points and columns")
    ours = case.path(l2)
    theirs = chemin.svm_path(case.X, case.y, l2=l2, **case.options)
    np.testing.assert_array_equal(ours.l1, theirs.l1)
    np.testing.assert_array_equal(ours.coef_at(ours.l1), theirs.coef_at(ours.l1))


NAMED = {
    "hinge": Hinge(),
    "quantile": Quantile(0.5),
    "absolute": Absolute(),
    "epsilon_insensitive": EpsilonInsensitive(0.1),
    "squared": Squared(),
    "huber": Huber(1.0),
    "squared_hinge": SquaredHinge(),
    "huberized": HuberizedHinge(0.5),
}


@pytest.mark.parametrize("name", LOSSES)
def test_a_loss_may_be_given_by_its_name(name):
    case = case_of(name, "dense", "none")
    by_name = chemin.path(case.X, case.y, loss=name, l2=L2)
    by_object = chemin.path(case.X, case.y, loss=NAMED[name], l2=L2)
    np.testing.assert_array_equal(by_name.l1, by_object.l1)


def assert_same_path(ours: chemin.Path, theirs: chemin.Path, factor: float = 1.0) -> None:
    """Assert that coefficients and objective weights agree at many l1: b is unique for l2 > 0."""
    assert ours.l1[0] == pytest.approx(theirs.l1[0], rel=1e-9)
    grid = np.linspace(0.0, 1.0, 23) * theirs.l1[0]
    expected = factor * theirs.coef_at(grid)
    scale = abs(expected).max()
    np.testing.assert_allclose(ours.coef_at(grid), expected, rtol=0.0, atol=1e-8 * scale)


@pytest.mark.parametrize("columns", ["dense", "small_integers"])
@pytest.mark.parametrize("name", LOSSES)
def test_a_weight_of_two_is_the_point_twice_and_zero_is_no_point(name, columns):
    case = case_of(name, columns, "none")
    count = np.arange(len(case.y)) % 3
    weighted = chemin.path(case.X, case.y, loss=case.loss, l2=L2, sample_weight=count)
    rows = np.repeat(np.arange(len(case.y)), count)
    repeated = chemin.path(case.X[rows], case.y[rows], loss=case.loss, l2=L2)
    assert_same_path(weighted, repeated)


@pytest.mark.parametrize("columns", COLUMNS)
@pytest.mark.parametrize("name", LOSSES)
def test_it_does_not_matter_where_the_columns_live(name, columns):
    case = case_of(name, columns, "of points and columns")
    on_array = chemin.path(case.X, case.y, loss=case.loss, l2=L2, **case.options)
    assert_same_path(case.path(L2), on_array)


@pytest.mark.parametrize("name", [name for name in REGRESSIONS if name not in CURVED])
def test_the_path_moves_with_the_origin_and_the_unit_of_the_target(name):
    """ℓ scales with c, so that (c b, l2 / c) goes with (b, l2), at the same l1."""
    case = case_of(name, "dense", "none")
    c = 7.0
    loss = EpsilonInsensitive(c * EPSILON) if name == "epsilon_insensitive" else case.loss
    moved = chemin.path(case.X, c * case.y - 5.0, loss=loss, l2=L2 / c)
    assert_same_path(moved, case.path(L2), factor=c)


def test_the_absolute_loss_is_twice_the_loss_of_the_median():
    case = case_of("absolute", "dense", "none")
    ours = case.path(L2)
    median = chemin.path(case.X, case.y, loss=Quantile(0.5), l2=0.5 * L2)
    grid = np.linspace(0.0, 1.0, 23) * ours.l1[0]
    np.testing.assert_allclose(ours.coef_at(grid), median.coef_at(0.5 * grid), atol=1e-9)


def test_the_quantile_of_the_opposite_is_the_opposite_of_the_other_quantile():
    case = case_of("quantile", "dense", "none")
    opposite = chemin.path(case.X, -case.y, loss=Quantile(1.0 - LEVEL), l2=L2)
    assert_same_path(opposite, case.path(L2), factor=-1.0)


@pytest.mark.parametrize("level", [0.1, 0.5, 0.9])
def test_at_every_l1_the_share_of_points_below_is_the_level(level):
    """Points strictly below are at most n q, points below or on the curve at least."""
    case = case_of("quantile", "dense", "none")
    path = chemin.path(case.X, case.y, loss=Quantile(level), l2=L2)
    for share in SHARES:
        l1 = share * path.l1[0]
        away = case.y - case.X @ path.coef_at(l1) - path.intercept_at(l1)
        assert np.sum(away < -1e-9) <= level * len(away) + 1e-9
        assert np.sum(away < 1e-9) >= level * len(away) - 1e-9


@pytest.mark.parametrize("name", REGRESSIONS)
def test_a_constant_target_needs_no_variable(name):
    X = case_of(name, "dense", "none").X
    path = chemin.path(X, np.full(len(X), 3.0), loss=LOSSES[name][0], l2=L2)
    np.testing.assert_allclose(path.coef_at(path.l1), 0.0, atol=1e-12)
    half_width = EPSILON if name == "epsilon_insensitive" else 0.0
    assert abs(path.intercept_at(path.l1[-1]) - 3.0) <= half_width + 1e-12


TARGET = np.linspace(-1.0, 1.0, 10)
NUMBERS = "pass one finite number per row"
BAD = {
    "text for a quantile": (["low"] * 5 + ["high"] * 5, lambda: "quantile", NUMBERS),
    "a missing target": (np.append(TARGET[:-1], np.nan), lambda: "quantile", NUMBERS),
    "an infinite target": (np.append(TARGET[:-1], np.inf), lambda: "absolute", NUMBERS),
    "an absent target": ([*TARGET[:-1].tolist(), None], lambda: "absolute", NUMBERS),
    "too few targets": (TARGET[:-1], lambda: "absolute", NUMBERS),
    "two columns of targets": (np.tile(TARGET[:, None], 2), lambda: "absolute", NUMBERS),
    "a loss without a name": (TARGET, lambda: "cubic", "pass one of .*'quantile'"),
    "a number as loss": (TARGET, lambda: 3.0, "pass one of .*'quantile'"),
    "a class as loss": (TARGET, lambda: Quantile, "pass one of .*'quantile'"),
    "a level above one": (TARGET, lambda: Quantile(level=1.5), "between 0 and 1"),
    "a level of zero": (TARGET, lambda: Quantile(level=0.0), "between 0 and 1"),
    "a level that is text": (TARGET, lambda: Quantile(level="half"), "between 0 and 1"),
    "a level that is no number": (TARGET, lambda: Quantile(level=np.nan), "between 0 and 1"),
    "a negative epsilon": (TARGET, lambda: EpsilonInsensitive(epsilon=-1), "positive number"),
    "an infinite epsilon": (TARGET, lambda: EpsilonInsensitive(epsilon=np.inf), "positive number"),
    "a delta of zero": (TARGET, lambda: Huber(delta=0.0), "positive number"),
    "a delta that is no number": (TARGET, lambda: Huber(delta="one"), "positive number"),
    "a negative delta": (TARGET, lambda: HuberizedHinge(delta=-1.0), "positive number"),
    "labels for least squares": (["low"] * 5 + ["high"] * 5, lambda: "squared", "use SparseSVC"),
    "numbers for the hinge": (TARGET, lambda: "hinge", "use SparseRegressor"),
    "numbers for a rounded hinge": (TARGET, lambda: "huberized", "use SparseRegressor"),
}


@pytest.mark.parametrize("what", BAD)
def test_what_cannot_be_used_is_refused_with_the_remedy(what):
    y, loss, remedy = BAD[what]
    X = np.random.default_rng(0).standard_normal((10, 3))
    with pytest.raises(InvalidInputError, match=remedy):
        chemin.path(X, y, loss=loss())
