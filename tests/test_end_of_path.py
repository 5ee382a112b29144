"""Claims about l1 = 0: the path ends at the maximal margin, the soft margin, or a vertex.

With 0 < l2 → 0 the last solution of a path has a limit that other solvers find directly:

- classes that can be separated: the hyperplane of maximal margin, min ½‖b‖² subject to
  y_i (b0 + x_i·b) ≥ 1, as soon as l2 times its largest multiplier is at most 1;
- classes that cannot: the solution of the linear program min Σ max(0, 1 − y_i (b0 + x_i·b)), if it
  is unique, as soon as l2 is so small that its vertex stays optimal.

Either is the exact solution for every smaller l2, however small. No reference is trusted: each
comes with a dual solution, and is used only if the two prove each other right.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import linprog

import chemin
from chemin.datasets import TOYDATA1, toydata1

clarabel = pytest.importorskip("clarabel", reason="pip install clarabel to compare with it")

TINY = (1e-20, 1e-12, 1e-10, 1e-9)
RIDGES = (1e-6, 1.0)
PROVED = 1e-9  # relative gap of a reference
Case = tuple[np.ndarray, np.ndarray]
SEPARABLE: dict[str, Callable[[], Case]] = {}
OVERLAPPING: dict[str, Callable[[], Case]] = {}


def row_of(table: dict[str, Callable[[], Case]]) -> Callable:
    """Register a problem; its generator is seeded by its name."""

    def register(build: Callable[[np.random.Generator], Case]) -> Callable:
        def case() -> Case:
            return build(np.random.default_rng(list(build.__name__.encode())))

        table[build.__name__] = case
        return build

    return register


def two_classes(rng: np.random.Generator, n: int, p: int, apart: float) -> Case:
    y = np.where(np.arange(n) % 2 == 0, 1.0, -1.0)
    return rng.standard_normal((n, p)) + apart * y[:, None] * (np.arange(p) < 5), y


def gaussians(points: np.ndarray, centers: np.ndarray, widths) -> np.ndarray:
    """Return the columns exp(−½ Σ_a ((x_a − z_a) / w_a)²), width after width."""
    away = points[:, None] - centers
    return np.hstack([np.exp(-0.5 * np.sum((away / np.array(w)) ** 2, axis=2)) for w in widths])


@row_of(SEPARABLE)
def tall(rng):
    return two_classes(rng, 60, 8, 2.0)


@row_of(SEPARABLE)
def tall_with_a_narrow_gap(rng):
    X, y = two_classes(rng, 50, 3, 0.0)
    X[:, 0] = y * abs(X[:, 0])
    X[1] = X[0]
    X[:2, 0] = [5e-4, -5e-4]
    return X, y


@row_of(SEPARABLE)
def tall_with_points_repeated(rng):
    X, y = two_classes(rng, 24, 5, 2.0)
    return np.repeat(X, 3, axis=0), np.repeat(y, 3)


@row_of(SEPARABLE)
def wide(rng):
    return two_classes(rng, 40, 150, 0.3)


@row_of(SEPARABLE)
def as_many_columns_as_points(rng):
    return two_classes(rng, 50, 50, 0.2)


@row_of(SEPARABLE)
def wide_with_columns_repeated(rng):
    X, y = two_classes(rng, 30, 60, 0.3)
    return np.tile(X, 2), y


@row_of(SEPARABLE)
def wide_with_columns_of_different_scales(rng):
    X, y = two_classes(rng, 40, 80, 0.3)
    return X * np.geomspace(1e-2, 1e2, 80), y


@row_of(SEPARABLE)
def wide_small_integers(rng):
    return rng.integers(-2, 3, (25, 70)).astype(float), two_classes(rng, 25, 1, 0.0)[1]


@row_of(SEPARABLE)
def three_kernels_on_toydata1(rng):
    points, y = toydata1(30, random_state=rng)
    return gaussians(points, points, TOYDATA1.widths.values()), y.astype(float)


@row_of(SEPARABLE)
def three_kernels_on_noisy_labels(rng):
    points, y = two_classes(rng, 60, 2, 0.3)
    return gaussians(points, points, [(0.2, 0.2), (0.4, 0.4), (0.8, 0.8)]), y


@row_of(OVERLAPPING)
def noisy(rng):
    return two_classes(rng, 60, 6, 0.3)


@row_of(OVERLAPPING)
def noisy_labels_flipped(rng):
    X, y = two_classes(rng, 80, 5, 1.5)
    return X, np.where(rng.random(80) < 0.2, -y, y)


@row_of(OVERLAPPING)
def one_column(rng):
    return two_classes(rng, 40, 1, 0.4)


@row_of(OVERLAPPING)
def noise_alone(rng):
    return two_classes(rng, 70, 10, 0.0)


@row_of(OVERLAPPING)
def unbalanced(rng):
    X, _ = two_classes(rng, 80, 4, 0.0)
    y = np.where(np.arange(80) < 12, 1.0, -1.0)
    return X + 0.8 * y[:, None], y


@row_of(OVERLAPPING)
def nearly_as_many_columns_as_points(rng):
    return two_classes(rng, 80, 20, 0.0)


@row_of(OVERLAPPING)
def columns_of_different_scales(rng):
    X, y = two_classes(rng, 60, 5, 0.3)
    return X * [1e-3, 1e-1, 1.0, 1e1, 1e3], y


@row_of(OVERLAPPING)
def far_from_the_origin(rng):
    X, y = two_classes(rng, 60, 4, 0.3)
    return X + 100.0, y


@row_of(OVERLAPPING)
def lognormal(rng):
    X, y = two_classes(rng, 70, 6, 0.2)
    return np.exp(X), y


@row_of(OVERLAPPING)
def kernels_on_few_centers(rng):
    points, y = two_classes(rng, 80, 2, 0.3)
    return gaussians(points, points[:4], [(0.5, 0.5), (1.0, 1.0), (2.0, 2.0)]), y


def quadratic_program(
    P: np.ndarray, cost: np.ndarray, G: np.ndarray, h: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Minimise ½ zᵀPz + cost·z subject to G z ≤ h; return z and the multipliers."""
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = 1e-12
    settings.tol_gap_rel = 1e-12
    settings.tol_feas = 1e-12
    cones = [clarabel.NonnegativeConeT(len(h))]
    matrices = (sparse.csc_matrix(np.triu(P)), cost, sparse.csc_matrix(G), h)
    found = clarabel.DefaultSolver(*matrices, cones, settings).solve()
    return np.array(found.x), np.maximum(found.z, 0.0)


def balanced(alpha: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Shrink the heavier class, so that Σ α_i y_i = 0."""
    totals = [alpha[y > 0].sum(), alpha[y < 0].sum()]
    return alpha * np.where(y > 0, min(totals) / totals[0], min(totals) / totals[1])


def objective(X: np.ndarray, y: np.ndarray, b: np.ndarray, b0: float, l2: float) -> float:
    return np.maximum(0.0, 1.0 - y * (X @ b + b0)).sum() + 0.5 * l2 * (b @ b)


@cache
def maximal_margin(name: str) -> tuple[float, float]:
    """Return ‖b‖² of the maximal margin and its largest multiplier, proved.

    For any b that separates, b divided by half the gap between its scores is feasible. For any
    α ≥ 0 with Σ α_i y_i = 0, the best multiple of α proves ‖b‖² ≥ (Σ α_i)² / ‖Σ α_i y_i x_i‖².
    """
    X, y = SEPARABLE[name]()
    n, p = X.shape
    G = -y[:, None] * np.column_stack([X, np.ones(n)])
    z, alpha = quadratic_program(np.diag([1.0] * p + [0.0]), np.zeros(p + 1), G, -np.ones(n))
    scores = X @ z[:p]
    half_gap = 0.5 * (scores[y > 0].min() - scores[y < 0].max())
    upper = z[:p] @ z[:p] / half_gap**2
    alpha = balanced(alpha, y)
    normal = (alpha * y) @ X
    multiple = alpha.sum() / (normal @ normal)
    lower = multiple * alpha.sum()
    assert half_gap > 0.0
    assert (upper - lower) / upper <= PROVED
    return upper, multiple * alpha.max()


@cache
def soft_margin(name: str, l2: float) -> tuple[float, np.ndarray]:
    """Return the least objective at l1 = 0 and the scores X b of its only b, proved.

    Solved as min ½‖b‖² + Σ ξ_i / l2 in the units of the multipliers, which are at most 1 / l2.
    """
    X, y = {**SEPARABLE, **OVERLAPPING}[name]()
    n, p = X.shape
    unit = 1.0 if name in SEPARABLE else l2
    P = np.diag([unit] * p + [0.0] * (n + 1))
    cost = np.append(np.zeros(p + 1), np.full(n, unit / l2))
    margin = np.hstack([-y[:, None] * X, -y[:, None], -np.eye(n)])
    positive = np.hstack([np.zeros((n, p + 1)), -np.eye(n)])
    h = np.append(-np.ones(n), np.zeros(n))
    z, multiplier = quadratic_program(P, cost, np.vstack([margin, positive]), h)
    b = z[:p]
    upper = min(objective(X, y, b, b0, l2) for b0 in (z[p], *(y - X @ b)))
    alpha = balanced(np.minimum(multiplier[:n] * l2 / unit, 1.0), y)
    normal = (alpha * y) @ X
    lower = alpha.sum() - normal @ normal / (2.0 * l2)
    assert (upper - lower) / upper <= PROVED
    return upper, X @ b


@cache
def vertex(name: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the solution of the hinge alone: coefficients, then intercept; dual values; elbow.

    p + 1 points whose dual values are strictly between 0 and 1 must be on the margin of every
    solution. If their rows are independent, the solution is unique.
    """
    X, y = OVERLAPPING[name]()
    n, p = X.shape
    rows = np.column_stack([X, np.ones(n)])
    limits = [(None, None)] * (p + 1) + [(0.0, None)] * n
    G = -np.hstack([y[:, None] * rows, np.eye(n)])
    cost = np.append(np.zeros(p + 1), np.ones(n))
    program = linprog(cost, G, -np.ones(n), bounds=limits, method="highs-ds")
    alpha = -program.ineqlin.marginals
    elbow = np.flatnonzero((alpha > 1e-9) & (alpha < 1.0 - 1e-9))
    assert len(elbow) == p + 1
    assert np.linalg.matrix_rank(rows[elbow] / np.abs(rows).max(axis=0)) == p + 1
    return np.linalg.solve(rows[elbow], y[elbow]), np.round(alpha), elbow


def scores_at_vertex(name: str, l2: float) -> np.ndarray:
    """Return b0 + X b at the vertex, having proved that it is the solution for this l2.

    The conditions Σ α_i y_i x_i = l2 b and Σ α_i y_i = 0 give the dual values of the elbow, which
    must be between 0 and 1; those of other points are 1 short of the margin, and 0 beyond it.
    """
    X, y = OVERLAPPING[name]()
    rows = np.column_stack([X, np.ones(len(y))])
    coef, alpha, elbow = vertex(name)
    scores = rows @ coef
    others = np.setdiff1d(np.arange(len(y)), elbow)
    np.testing.assert_array_equal(alpha[others], (y * scores)[others] < 1.0)
    pull = l2 * np.append(coef[:-1], 0.0) - (alpha * y)[others] @ rows[others]
    on_margin = np.linalg.solve((rows[elbow] * y[elbow, None]).T, pull)
    assert np.all((on_margin > 0.0) & (on_margin < 1.0))
    return scores


@pytest.mark.parametrize("l2", TINY)
@pytest.mark.parametrize("name", SEPARABLE)
def test_with_a_tiny_ridge_the_path_ends_at_the_maximal_margin(name, l2):
    square, multiplier = maximal_margin(name)
    assert l2 * multiplier < 1.0
    X, y = SEPARABLE[name]()
    path = chemin.svm_path(X, y, l2=l2)
    b = path.coef_at(0.0)
    assert b @ b == pytest.approx(square, rel=1e-6)
    assert np.min(y * (X @ b + path.intercept_at(0.0))) == pytest.approx(1.0, abs=1e-6)


@pytest.mark.parametrize("l2", TINY)
@pytest.mark.parametrize("name", OVERLAPPING)
def test_with_a_tiny_ridge_the_path_ends_at_the_vertex_of_the_hinge(name, l2):
    X, y = OVERLAPPING[name]()
    theirs = scores_at_vertex(name, l2)
    path = chemin.svm_path(X, y, l2=l2)
    ours = X @ path.coef_at(0.0) + path.intercept_at(0.0)
    np.testing.assert_allclose(ours, theirs, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("l2", RIDGES)
@pytest.mark.parametrize("name", [*SEPARABLE, *OVERLAPPING])
def test_with_a_ridge_that_counts_the_path_ends_at_the_soft_margin(name, l2):
    X, y = {**SEPARABLE, **OVERLAPPING}[name]()
    least, scores = soft_margin(name, l2)
    path = chemin.svm_path(X, y, l2=l2)
    b = path.coef_at(0.0)
    assert objective(X, y, b, path.intercept_at(0.0), l2) == pytest.approx(least, rel=1e-8)
    np.testing.assert_allclose(X @ b, scores, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("name", SEPARABLE)
def test_the_two_references_agree_where_no_point_is_short_of_the_margin(name):
    square, multiplier = maximal_margin(name)
    l2 = 0.5 / multiplier
    assert soft_margin(name, l2)[0] == pytest.approx(0.5 * l2 * square, rel=1e-8)


@pytest.mark.parametrize("name", OVERLAPPING)
def test_the_two_references_agree_where_the_ridge_does_not_move_the_vertex(name):
    l2 = 1e-8
    coef, *_ = vertex(name)
    scores = scores_at_vertex(name, l2)
    np.testing.assert_allclose(soft_margin(name, l2)[1], scores - coef[-1], atol=1e-6)
