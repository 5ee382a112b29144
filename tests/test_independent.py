"""Claims of agreement with solvers that share nothing with ours: Clarabel (interior point) and HiGHS (simplex)."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import linprog

import chemin
from adversarial import TABLE

clarabel = pytest.importorskip("clarabel", reason="pip install clarabel to compare with it")

PROBLEMS = [
    ("gaussian_balanced", 1.0),
    ("gaussian_unbalanced", 1.0),
    ("small_integers_unbalanced", 1.0),
    ("binary_balanced", 3.0),
    ("many_more_variables_than_points_unbalanced", 1.0),
    ("many_more_points_than_variables_unbalanced", 10.0),
    ("columns_repeated_and_unbalanced", 1.0),
    ("points_repeated_three_times", 2.0),
    ("sparse_counts", 1.0),
    ("exactly_collinear_columns", 5.0),
]


def constraints(X: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return G, h of G z ≤ h for z = (b⁺, b⁻, b0, ξ): y_i (b0 + x_i b) ≥ 1 − ξ_i and b⁺, b⁻, ξ ≥ 0."""
    n, p = X.shape
    margin = np.hstack([-y[:, None] * X, y[:, None] * X, -y[:, None], -np.eye(n)])
    positive = -np.delete(np.eye(2 * p + 1 + n), 2 * p, axis=0)
    return np.vstack([margin, positive]), np.r_[-np.ones(n), np.zeros(2 * p + n)]


def solve_with_clarabel(X: np.ndarray, y: np.ndarray, l1: float, l2: float) -> np.ndarray:
    n, p = X.shape
    split = np.hstack([np.eye(p), -np.eye(p)])
    P = np.zeros((2 * p + 1 + n,) * 2)
    P[: 2 * p, : 2 * p] = l2 * split.T @ split
    G, h = constraints(X, y)
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-12
    cost = np.r_[np.full(2 * p, l1), 0.0, np.ones(n)]
    cones = [clarabel.NonnegativeConeT(len(h))]
    z = (
        clarabel.DefaultSolver(
            sparse.csc_matrix(np.triu(P)), cost, sparse.csc_matrix(G), h, cones, settings
        )
        .solve()
        .x
    )
    return split @ np.array(z[: 2 * p])


def best_objective(problem, coef: np.ndarray, l1: float) -> float:
    """Return the objective with the best intercept, which is at a kink of the hinge sum."""
    kinks = problem.label - problem.dictionary.scores(coef)
    return min(problem.objective(coef, b0, l1) for b0 in kinks)


@pytest.mark.parametrize(("name", "l2"), PROBLEMS)
def test_twenty_values_of_l1_agree_with_an_interior_point_solver(name, l2):
    X, y, _ = TABLE[name]()
    path = chemin.svm_path(X, y, l2=l2)
    for l1 in np.geomspace(0.95 * path.l1[0], 0.002 * path.l1[0], 20):
        coef = solve_with_clarabel(X, y, l1, l2)
        ours = path.problem.objective(path.coef_at(l1), path.intercept_at(l1), l1)
        theirs = best_objective(path.problem, coef, l1)
        assert ours <= theirs * (1 + 1e-12) + 1e-12
        assert ours == pytest.approx(theirs, rel=1e-8)
        np.testing.assert_allclose(path.coef_at(l1), coef, atol=1e-5)


@pytest.mark.parametrize("name", [name for name, _ in PROBLEMS])
def test_without_ridge_the_objective_is_that_of_a_linear_program(name):
    X, y, _ = TABLE[name]()
    n, p = X.shape
    path = chemin.svm_path(X, y, l2=0.0)
    G, h = constraints(X, y)
    free = [(0, None)] * (2 * p) + [(None, None)] + [(0, None)] * n
    for l1 in np.geomspace(0.95 * path.l1[0], 0.002 * path.l1[0], 5):
        program = linprog(
            np.r_[np.full(2 * p, l1), 0.0, np.ones(n)], G[:n], h[:n], bounds=free, method="highs"
        )
        ours = path.problem.objective(path.coef_at(l1), path.intercept_at(l1), l1)
        assert ours == pytest.approx(program.fun, rel=1e-8)


@pytest.mark.parametrize(
    "name",
    ["gaussian_unbalanced", "one_against_ninety_nine", "binary_unbalanced", "random_weights"],
)
def test_the_start_is_the_smallest_l1_for_which_zero_is_optimal(name):
    """Min l1 over (l1, α) with |c_j| ≤ l1, Σ α_i y_i = 0, α at its weight in the minority: a linear program."""
    X, y, options = TABLE[name]()
    weight = options.get("sample_weight", np.ones(len(y)))
    minority = np.sign(weight @ (y < 0) - weight @ (y > 0))
    signed = y[:, None] * X
    low = np.where(y == minority, weight, 0.0)
    rows = np.vstack([np.column_stack([sign * signed.T, -np.ones(X.shape[1])]) for sign in (1, -1)])
    program = linprog(
        np.r_[np.zeros(len(y)), 1.0], rows, np.zeros(len(rows)), np.r_[y, 0.0][None], [0.0],
        bounds=[*zip(low, weight, strict=True), (0, None)], method="highs",
    )  # fmt: skip
    assert chemin.svm_path(X, y, min_l1=0.9 * program.fun, **options).start.l1 == pytest.approx(
        program.fun, rel=1e-9
    )
