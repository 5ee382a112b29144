"""Claims about optima: programs against Clarabel, descents against formulas, exact searches against brute force."""

from __future__ import annotations

from itertools import combinations, product

import matplotlib.pyplot as plt
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.optimize import linprog, minimize
from sklearn.datasets import load_diabetes, make_blobs
from sklearn.linear_model import Lasso, RANSACRegressor, Ridge

from chemin.exceptions import InvalidInputError
from chemin.exploration import kmeans
from chemin.models.svm import HardMarginSVC
from chemin.theory.optimisation import (
    contraction,
    descend,
    least_inertia,
    max_consensus,
    penalty_map,
    penalty_prior,
    quadratic_program,
    stochastic_descent,
)
from chemin.theory.optimisation.programs import QuadraticProgram

clarabel = pytest.importorskip("clarabel", reason="pip install clarabel to compare with it")

# Quadratic programs


def solve(program: QuadraticProgram) -> tuple[np.ndarray, np.ndarray, np.ndarray, float]:
    """Return x, λ, μ and the least value, by Clarabel."""
    e, m = len(program.b), len(program.h)
    options = clarabel.DefaultSettings()
    options.verbose = False
    options.tol_gap_abs = options.tol_gap_rel = options.tol_feas = 1e-12
    made = clarabel.DefaultSolver(
        sparse.csc_matrix(np.triu(program.P)), program.q,
        sparse.csc_matrix(np.vstack([program.A, program.G])), np.append(program.b, program.h),
        [clarabel.ZeroConeT(e), clarabel.NonnegativeConeT(m)], options,
    ).solve()  # fmt: skip
    x, z = np.array(made.x), np.array(made.z)
    return x, z[e:], z[:e], program.value(x)


def random_program(seed: int, singular: bool) -> QuadraticProgram:
    drawing = np.random.default_rng(seed)
    d, m, e = 5, 7, 2
    root = drawing.normal(size=(d, 3 if singular else d))
    P = root @ root.T
    inside = drawing.normal(size=d)
    G, A = drawing.normal(size=(m, d)), drawing.normal(size=(e, d))
    h, b = G @ inside + drawing.uniform(0.0, 1.0, size=m), A @ inside
    q = -P @ drawing.normal(size=d) - G.T @ drawing.uniform(size=m)  # so that it is bounded
    return quadratic_program(P, q, G=G, h=h, A=A, b=b)


@pytest.mark.parametrize("singular", [False, True])
@pytest.mark.parametrize("seed", range(5))
def test_the_conditions_hold_at_a_solution_and_the_dual_has_its_value(seed, singular):
    program = random_program(seed, singular)
    x, inequality, equality, value = solve(program)
    report = program.check(x, inequality, equality)
    assert report.optimal
    assert report.gap == pytest.approx(0.0, abs=1e-6)
    found = program.check(x)  # multipliers found without help
    assert found.optimal
    dual = program.dual()
    z, _, _, least = solve(dual)
    assert -least == pytest.approx(value, abs=1e-7)
    m = len(program.h)
    assert program.bound(np.maximum(z[:m], 0.0), z[m:]) == pytest.approx(value, abs=1e-6)
    if not singular:
        np.testing.assert_allclose(program.point(z[:m], z[m:]), x, atol=1e-6)
    back = dual.dual()  # the dual of the dual
    assert -solve(back)[3] == pytest.approx(-value, abs=1e-6)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 4), st.lists(st.floats(0.0, 5.0), min_size=9, max_size=9))
def test_any_multipliers_bound_the_optimum_from_below(seed, z):
    program = random_program(seed, singular=False)
    value = solve(program)[3]
    assert program.bound(z[:7], np.array(z[7:]) - 2.5) <= value + 1e-7


@pytest.mark.parametrize(
    ("change", "condition"),
    [
        (lambda x, i, e: (x + 0.1, i, e), None),
        (lambda x, i, e: (x, i + 1.0, e), "stationarity"),
        (lambda x, i, e: (x, -i - 1.0, e), "dual feasibility"),
    ],
)
def test_what_is_no_solution_breaks_a_condition(change, condition):
    program = random_program(1, singular=False)
    report = program.check(*change(*solve(program)[:3]))
    assert not report.optimal
    if condition:
        assert condition in [one.name for one in report.conditions if one.relative > 0.01]


def test_the_dual_of_the_hard_margin_is_that_of_the_course():
    drawing = np.random.default_rng(0)
    X = drawing.normal(size=(12, 2))
    y = np.where(X @ [1.0, 2.0] > 0, 1.0, -1.0)
    X += 0.4 * y[:, None] * np.array([1.0, 2.0])
    model = HardMarginSVC().fit(X, y)
    rows = y[:, None] * np.column_stack([X, np.ones(len(X))])
    program = quadratic_program(np.diag([1.0, 1.0, 0.0]), np.zeros(3), G=-rows, h=-np.ones(len(X)))
    dual = program.dual()
    np.testing.assert_allclose(dual.P, np.outer(y, y) * (X @ X.T), atol=1e-12)
    np.testing.assert_allclose(dual.q, -1.0)  # max Σλ − ½ΣΣ λλyyx·x
    np.testing.assert_allclose(np.abs(dual.A @ y), len(X))  # Σ λ y = 0
    x = np.append(model.coef_.ravel(), model.intercept_)
    assert program.check(x, tol=1e-5).optimal
    assert not program.check(1.1 * x).optimal


# Descents

H = np.array([[3.0, 1.0, 0.0], [1.0, 2.0, 0.5], [0.0, 0.5, 1.0]])
B = np.array([1.0, -2.0, 0.5])
REST = np.linalg.solve(H, B)
BEGIN = np.array([4.0, -3.0, 5.0])


def bowl(x):
    return 0.5 * x @ H @ x - B @ x


def slope(x):
    return H @ x - B


@pytest.mark.parametrize("method", ["constant", "momentum", "nesterov", "coordinate", "conjugate"])
def test_every_method_comes_to_rest_at_the_minimum(method):
    way = descend(bowl, slope, BEGIN, method=method, step=0.1, momentum=0.6, steps=2000)
    assert way.ended == "at rest"
    np.testing.assert_allclose(way.points[-1], REST, atol=1e-7)


def test_constant_steps_converge_below_two_over_the_largest_curvature_and_not_above():
    limit = 2.0 / np.linalg.eigvalsh(H).max()
    below = descend(bowl, slope, BEGIN, step=0.98 * limit, steps=3000)
    above = descend(bowl, slope, BEGIN, step=1.02 * limit, steps=20_000)
    assert (below.ended, below.rises) == ("at rest", 0)
    assert above.ended == "diverged"
    assert contraction(H, 0.98 * limit) < 1.0 < contraction(H, 1.02 * limit)


@pytest.mark.parametrize("step", [0.05, 0.3, 0.5])
def test_constant_steps_contract_as_their_spectrum_says(step):
    way = descend(bowl, slope, BEGIN, step=step, steps=80, tol=1e-300)
    away = np.linalg.norm(way.points - REST, axis=1)
    rates = away[1:] / away[:-1]
    assert rates.max() <= contraction(H, step) * (1 + 1e-6)
    assert rates[-1] == pytest.approx(contraction(H, step), rel=1e-2)


@pytest.mark.parametrize("distinct", [1, 2, 4])
def test_the_conjugate_gradient_ends_after_as_many_steps_as_there_are_curvatures(distinct):
    curved = np.diag(np.arange(1.0, distinct + 1.0)[np.arange(8) % distinct])
    way = descend(
        lambda x: 0.5 * x @ curved @ x,
        lambda x: curved @ x,
        np.arange(1.0, 9.0),
        method="conjugate",
    )
    assert way.steps == distinct


def test_axes_in_turn_are_the_iteration_of_gauss_and_seidel():
    way = descend(bowl, slope, BEGIN, method="coordinate", steps=15)
    x = BEGIN.copy()
    for k in range(15):
        j = k % 3
        x[j] = (B[j] - H[j] @ x + H[j, j] * x[j]) / H[j, j]
        np.testing.assert_allclose(way.points[k + 1], x, atol=1e-10)


def test_momentum_and_nesterov_are_the_recurrences_of_the_course():
    for method, ahead in (("momentum", 0.0), ("nesterov", 0.7)):
        way = descend(bowl, slope, BEGIN, method=method, step=0.05, momentum=0.7, steps=6)
        x, moved = BEGIN, np.zeros(3)
        for k in range(1, 7):
            moved = 0.7 * moved + 0.05 * slope(x - ahead * moved)
            x = x - moved
            np.testing.assert_allclose(way.points[k], x, atol=1e-12)


def test_momentum_is_that_of_pytorch_and_its_nesterov_walks_ahead():
    torch = pytest.importorskip("torch")
    for nesterov in (False, True):
        x = torch.tensor(BEGIN, requires_grad=True)
        theirs = torch.optim.SGD([x], lr=0.05, momentum=0.7, nesterov=nesterov)
        visited = [x.detach().numpy().copy()]
        for _ in range(6):
            theirs.zero_grad()
            (0.5 * x @ torch.tensor(H) @ x - torch.tensor(B) @ x).backward()
            theirs.step()
            visited.append(x.detach().numpy().copy())
        way = descend(
            bowl, slope, BEGIN, method="nesterov" if nesterov else "momentum", step=0.05,
            momentum=0.7, steps=6,
        )  # fmt: skip
        moved = np.diff(way.points, axis=0, prepend=way.points[:1])
        np.testing.assert_allclose(visited, way.points + 0.7 * nesterov * moved, atol=1e-12)


def test_stochastic_steps_visit_every_term_once_a_pass_and_all_terms_at_once_are_constant_steps():
    drawing = np.random.default_rng(0)
    X, y = drawing.normal(size=(20, 3)), drawing.normal(size=20)
    seen = []

    def gradient(w, rows):
        if len(rows) < 20:
            seen.append(rows.copy())
        return 2.0 * X[rows].T @ (X[rows] @ w - y[rows]) / len(rows)

    def loss(w):
        return float(np.mean((X @ w - y) ** 2))

    way = stochastic_descent(loss, gradient, np.zeros(3), terms=20, batch=3, step=0.02, passes=4)
    orders = np.concatenate(seen).reshape(4, 20)
    np.testing.assert_array_equal(np.sort(orders, axis=1), np.tile(np.arange(20), (4, 1)))
    assert not np.array_equal(orders[0], orders[1])
    assert way.values[-1] < way.values[0]
    whole = stochastic_descent(loss, gradient, np.zeros(3), terms=20, batch=20, step=0.05, passes=9)
    plain = descend(loss, lambda w: gradient(w, np.arange(20)), np.zeros(3), step=0.05, steps=9)
    np.testing.assert_allclose(whole.points, plain.points, atol=1e-12)


def test_a_falling_step_brings_stochastic_descent_to_the_minimum():
    X, y = load_diabetes(return_X_y=True)
    X, y = X[:60, :3] * 20.0, y[:60] / 100.0
    best = np.linalg.lstsq(X, y, rcond=None)[0]

    def gradient(w, rows):
        return 2.0 * X[rows].T @ (X[rows] @ w - y[rows]) / len(rows)

    way = stochastic_descent(
        lambda w: float(np.mean((X @ w - y) ** 2)), gradient, np.zeros(3), terms=60, step=0.05,
        decay=0.5, passes=400,
    )  # fmt: skip
    np.testing.assert_allclose(way.points[-1], best, atol=0.01)


def test_a_descent_ends_at_a_local_minimum_only():
    def f(x):
        return float((x[0] ** 2 - 1.0) ** 2 + 0.3 * x[0])

    def gradient(x):
        return np.array([4.0 * x[0] * (x[0] ** 2 - 1.0) + 0.3])

    ends = [descend(f, gradient, [s], step=0.02, steps=2000).points[-1, 0] for s in (-1.5, 1.5)]
    assert ends[0] < -0.9
    assert ends[1] > 0.9
    assert f([ends[1]]) > f([ends[0]]) + 0.3


# Penalties

TABLE, TARGET = load_diabetes(return_X_y=True)
TABLE, TARGET = TABLE[:150] * 20.0, TARGET[:150]


@pytest.mark.parametrize("strength", [0.5, 30.0, 3000.0])
def test_coefficients_of_a_penalty_are_those_of_scikit_learn(strength):
    ridge = Ridge(alpha=strength, tol=1e-12).fit(TABLE, TARGET).coef_
    np.testing.assert_allclose(penalty_map(TABLE, TARGET).coefficients(strength), ridge, rtol=1e-8)
    theirs = Lasso(alpha=strength / (2 * len(TABLE)), tol=1e-12, max_iter=100_000)
    ours = penalty_map(TABLE, TARGET, "lasso").coefficients(strength)
    np.testing.assert_allclose(ours, theirs.fit(TABLE, TARGET).coef_, atol=1e-5)


@pytest.mark.parametrize("share", [0.05, 0.4, 0.9])
@pytest.mark.parametrize("kind", ["ridge", "lasso"])
def test_the_penalised_solution_is_the_constrained_one(kind, share):
    made = penalty_map(TABLE, TARGET, kind)
    C = share * made.largest
    strength = made.strength(C)
    assert made.radius(strength) == pytest.approx(C, rel=1e-9)
    X, y = TABLE - TABLE.mean(axis=0), TARGET - TARGET.mean()
    w = made.coefficients(strength)
    if kind == "lasso":  # w = u − v, u, v ≥ 0, Σ u + v ≤ C
        both = np.hstack([X, -X])
        program = quadratic_program(
            2.0 * both.T @ both, -2.0 * both.T @ y, G=np.vstack([np.ones(20), -np.eye(20)]),
            h=np.append(C, np.zeros(20)),
        )  # fmt: skip
        x, multipliers, _, _ = solve(program)
        np.testing.assert_allclose(x[:10] - x[10:], w, atol=1e-4)
        assert multipliers[0] == pytest.approx(strength, rel=1e-5)
    else:  # Lagrange: the gradient of Σ r² is −λ times that of ‖w‖², on the sphere
        assert np.linalg.norm(w) == pytest.approx(C)
        np.testing.assert_allclose(2 * X.T @ (X @ w - y), -2 * strength * w, atol=1e-6)
        found = minimize(
            lambda v: np.sum((y - X @ v) ** 2) / 1e5, np.zeros(10), method="SLSQP",
            constraints={"type": "ineq", "fun": lambda v: (C**2 - v @ v) / C**2},
            options={"maxiter": 500, "ftol": 1e-14},
        )  # fmt: skip
        np.testing.assert_allclose(found.x, w, atol=1e-2 * np.abs(w).max())


@pytest.mark.parametrize("kind", ["ridge", "lasso"])
def test_levels_of_the_squares_touch_the_ball_at_the_penalised_solution(kind):
    X, y = TABLE[:, [2, 8]], TARGET
    made = penalty_map(X, y, kind)
    away, target = X - X.mean(axis=0), y - y.mean()
    least = np.sum((target - away @ made.coefficients(0.0)) ** 2)
    for w in ([0.0, 0.0], [3.0, -1.0]):
        assert made.rise(w) == pytest.approx(np.sum((target - away @ w) ** 2) - least)
    strength = made.strength(made.largest / 2.0)
    angle = np.linspace(0.0, 2.0 * np.pi, 2000)
    ball = np.column_stack([np.cos(angle), np.sin(angle)])
    size = np.linalg.norm(ball, 1 if kind == "lasso" else 2, axis=1)
    edge = ball * (made.radius(strength) / size)[:, None]
    assert made.rise(edge).min() >= made.rise(made.coefficients(strength)) * (1 - 1e-9)
    ax = made.plot_geometry()
    assert kind in ax.get_title(loc="left")
    plt.close(ax.figure)
    with pytest.raises(InvalidInputError, match="two columns"):
        penalty_map(TABLE, TARGET, kind).plot_geometry()


def test_a_constraint_beyond_the_free_solution_costs_nothing():
    for kind in ("ridge", "lasso"):
        made = penalty_map(TABLE, TARGET, kind)
        assert made.strength(1.01 * made.largest) == 0.0
        assert np.all(np.diff(made.radii) >= -1e-9)


@pytest.mark.parametrize("kind", ["ridge", "lasso"])
def test_the_most_likely_coefficient_a_posteriori_is_the_penalised_one(kind):
    x, y = TABLE[:, 2] - TABLE[:, 2].mean(), TARGET - TARGET.mean()
    noise, strength = 60.0, 4000.0
    law = penalty_prior(kind, strength, noise).law
    w = np.linspace(0.0, 60.0, 60_001)
    residual = np.sum((y[:, None] - x[:, None] * w[None, ::60]) ** 2, axis=0)
    posterior = -residual / (2 * noise**2) + law.logpdf(w[::60])
    found = w[::60][np.argmax(posterior)]
    expected = (
        x @ y / (x @ x + strength)
        if kind == "ridge"
        else np.sign(x @ y) * max(abs(x @ y) - strength / 2, 0.0) / (x @ x)
    )
    assert found == pytest.approx(expected, abs=0.06)


# Exact searches


def agrees(X: np.ndarray, y: np.ndarray, tolerance: float) -> bool:
    """Return whether one plane is within a tolerance of all points."""
    Z = np.column_stack([X, np.ones(len(X))])
    found = linprog(
        np.zeros(Z.shape[1]), A_ub=np.vstack([Z, -Z]), b_ub=np.append(y + tolerance, tolerance - y),
        bounds=(None, None),
    )  # fmt: skip
    return found.status == 0


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("d", [1, 2])
def test_the_largest_consensus_is_that_of_all_subsets(seed, d):
    drawing = np.random.default_rng(seed)
    X = drawing.normal(size=(9, d))
    y = X.sum(axis=1) + 0.1 * drawing.normal(size=9)
    y[:3] = 3.0 * drawing.normal(size=3)
    made = max_consensus(X, y, 0.15)
    assert np.all(np.abs(y - made.predict(X))[made.members] <= 0.15 * (1 + 1e-9))
    larger = combinations(range(9), made.size + 1)
    assert not any(agrees(X[list(some)], y[list(some)], 0.15) for some in larger)


def test_no_random_sample_finds_a_larger_consensus():
    drawing = np.random.default_rng(3)
    X = drawing.uniform(-2, 2, size=(60, 1))
    y = 2.0 * X[:, 0] + 0.2 * drawing.normal(size=60)
    y[:25] = drawing.uniform(-5, 5, size=25)
    made = max_consensus(X, y, 0.3)
    for seed in range(5):
        theirs = RANSACRegressor(residual_threshold=0.3, random_state=seed).fit(X, y)
        assert theirs.inlier_mask_.sum() <= made.size


def brute(X: np.ndarray, k: int) -> float:
    """Return the least inertia over all partitions."""
    every = (np.array([0, *rest]) for rest in product(range(k), repeat=len(X) - 1))
    return min(
        sum(np.sum((X[some == j] - X[some == j].mean(axis=0)) ** 2) for j in range(k))
        for some in every
        if len(np.unique(some)) == k
    )


@pytest.mark.parametrize("k", [1, 2, 3, 4])
@pytest.mark.parametrize("seed", range(3))
def test_the_least_inertia_is_that_of_all_partitions(k, seed):
    X = np.random.default_rng(seed).normal(size=(7, 2))
    made = least_inertia(X, k)
    assert made.inertia == pytest.approx(brute(X, k), rel=1e-12)
    assert len(np.unique(made.labels)) == k


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.tuples(st.integers(-3, 3), st.integers(-3, 3)), min_size=4, max_size=14),
    st.integers(1, 4),
)
def test_restarts_of_k_means_never_beat_the_proven_optimum(points, k):
    X = np.array(points, dtype=float)
    found = kmeans(X, k, restarts=5).inertia
    assert least_inertia(X, k).inertia <= found + 1e-9


def test_the_least_inertia_of_clear_groups_is_proved_among_very_many():
    X, _ = make_blobs(50, centers=3, random_state=1)
    made = least_inertia(X, 3)
    assert made.partitions > 1e23
    assert made.inertia == pytest.approx(kmeans(X, 3, restarts=20).inertia)
    falling = [least_inertia(X[:14], k).inertia for k in range(1, 15)]
    assert np.all(np.diff(falling) < 0.0)
    assert falling[-1] == pytest.approx(0.0, abs=1e-20)


# What is refused


@pytest.mark.parametrize(
    ("call", "assumption"),
    [
        (lambda: quadratic_program([[1, 0], [0, -1]], [0, 0]), "a convex objective"),
        (lambda: quadratic_program([[1]], [0], G=[[1]]), "affine constraints.*h is missing"),
        (lambda: quadratic_program([[1]], [0], G=[[1, 2]], h=[1]), "rows of 1 numbers"),
        (lambda: descend(bowl, slope, BEGIN, method="newton"), "a known method"),
        (lambda: descend(bowl, slope, BEGIN, step=-1.0), "η > 0"),
        (lambda: descend(bowl, slope, BEGIN, momentum=1.0), "0 ≤ β < 1"),
        (lambda: descend(lambda x: x[0], lambda x: np.ones(1), [0.0], method="conjugate"), "without end"),
        (lambda: stochastic_descent(bowl, slope, BEGIN, terms=3, batch=4), "no more at a time"),
        (lambda: penalty_map(TABLE[:5], TARGET[:5]), "a unique solution without penalty"),
        (lambda: penalty_map(TABLE, TARGET, "group"), "ridge or Lasso"),
        (lambda: penalty_map(TABLE, TARGET).strength(-1.0), "C > 0"),
        (lambda: penalty_map(TABLE, TARGET).radius(-1.0), "λ ≥ 0"),
        (lambda: penalty_prior("ridge", 0.0), "λ > 0"),
        (lambda: max_consensus([[1.0]], [1.0], 0.1), "n ≥ p points"),
        (lambda: max_consensus([[1.0], [1.0]], [1.0, 2.0], 0.1), "columns of full rank"),
        (lambda: max_consensus(TABLE, TARGET, 1.0), "planes would be tried"),
        (lambda: max_consensus(TABLE[:5, :1], TARGET[:5], 0.0), "δ > 0"),
        (lambda: least_inertia(TABLE[:3], 4), "k ≤ n"),
        (lambda: least_inertia(TABLE[:40], 6, nodes=100), "is not proved after 100"),
    ],
)  # fmt: skip
def test_a_value_that_breaks_an_assumption_names_it(call, assumption):
    with pytest.raises(InvalidInputError, match=assumption):
        call()
