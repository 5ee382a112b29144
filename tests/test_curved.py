"""Claims about rounded kinks: the system is solved, by variables or by points, and nothing else is different."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import chemin
import loops
from chemin.dictionaries import DenseDictionary, KernelDictionary
from chemin.dictionaries.places import on_device
from chemin.engine import thresholds
from chemin.engine.end import End
from chemin.engine.exact.engine import Engine
from chemin.engine.exact.inner import cholesky, loop
from chemin.engine.recovery import checkpoint
from chemin.kernels import Gaussian
from chemin.problems import Huber, HuberizedHinge, Squared, SquaredHinge
from chemin.validation import as_problem
from test_factor import from_source

GAP = 1e-9
CURVED = {
    "squared": Squared(),
    "huber": Huber(0.7),
    "squared_hinge": SquaredHinge(),
    "huberized": HuberizedHinge(0.5),
}
IMPLEMENTATIONS = [
    pytest.param(from_source(cholesky).Cholesky, id="uncompiled"),
    pytest.param(
        cholesky.Cholesky,
        id="compiled",
        marks=pytest.mark.skipif(not loop.COMPILED, reason="the loop is not compiled here"),
    ),
]


def data(name: str, n: int, p: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p))
    y = X[:, :3].sum(axis=1) + rng.standard_t(3, n)
    return X, np.where(y > 0.0, 1.0, -1.0) if CURVED[name].takes_labels else y


def rebuilt(made: cholesky.Cholesky) -> np.ndarray:
    """RᵀR, in the order of the slots."""
    R = np.asarray(made.r)[: made.m, : made.m]
    order = np.argsort(np.asarray(made.slot)[: made.m])
    return (R.T @ R)[np.ix_(order, order)]


@pytest.mark.parametrize("implementation", IMPLEMENTATIONS)
@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=40, deadline=None)
def test_a_factor_that_was_updated_is_the_factor_of_what_there_is(implementation, seed):
    rng = np.random.default_rng(seed)
    m = int(rng.integers(2, 9))
    rows = rng.standard_normal((14, m + 1))
    ridge = rng.uniform(0.1, 1.0, m + 1)
    made = implementation()
    made.restart(rows[:10, :m], ridge[:m], np.arange(m))
    for row in rows[10:]:
        made.add(row.copy())
    assert made.subtract(rows[3].copy())
    kept = np.delete(rows, 3, axis=0)
    products = np.append(kept.T @ kept[:, m], 0.0)
    nearest = np.zeros(m + 9)
    made.border(products, nearest)
    matrix = kept[:, :m].T @ kept[:, :m] + np.diag(ridge[:m])
    np.testing.assert_allclose(nearest[:m], np.linalg.solve(matrix, products[:m]), atol=1e-9)
    whole = kept.T @ kept + np.diag(ridge)
    left = whole[m, m] - products[:m] @ nearest[:m]
    made.append(m, np.sqrt(left))
    np.testing.assert_allclose(rebuilt(made), whole, atol=1e-9)
    gone = int(rng.integers(0, m))
    assert made.drop(gone)
    assert not made.drop(gone)
    made.rename(m, gone)
    some = [m if k == gone else k for k in range(m)]
    np.testing.assert_allclose(rebuilt(made), whole[np.ix_(some, some)], atol=1e-9)
    x = np.zeros(m + 8)
    made.solve(np.append(products[some], np.zeros(8)), x)
    expected = np.linalg.solve(whole[np.ix_(some, some)], products[some])
    np.testing.assert_allclose(x[:m], expected, atol=1e-8)


def solved_directly(engine: Engine) -> tuple[np.ndarray, np.ndarray]:
    """Solve Λ x − Mᵀ a = push, M x + D a = 0 as one dense system."""
    state = engine.loop.state
    m = state.n_active + 1
    elbow = np.array(state.elbow[: state.n_elbow])
    M = np.array(state.block)[elbow, :m]
    D = np.diag(1.0 / np.array(state.curvature)[elbow])
    ridge = np.diag(np.r_[0.0, np.full(m - 1, state.l2)])
    rho = np.r_[np.array(state.push[:m]), np.zeros(len(elbow))]
    both = np.linalg.solve(np.block([[ridge, -M.T], [M, D]]), rho)
    return both[:m], both[m:]


@pytest.mark.parametrize("shape", [(60, 8), (12, 60)])
@pytest.mark.parametrize("name", CURVED)
def test_the_direction_solves_the_system_by_variables_and_by_points(name, shape):
    X, y = data(name, *shape)
    problem, _ = as_problem(X, y, 0.5, None, None, CURVED[name])
    engine = Engine(problem)
    engine.begin()
    ways = set()
    for events in range(1, 60, 4):
        if engine.run(End(), events, lambda events, l1: None):
            break
        engine.loop.direction()
        state = engine.loop.state
        x, a = solved_directly(engine)
        np.testing.assert_allclose(engine.loop.dx[: len(x)], x, rtol=1e-8, atol=1e-10)
        np.testing.assert_allclose(engine.loop.da[: len(a)], a, rtol=1e-8, atol=1e-10)
        ways.add(bool(state.by_points))
    assert ways == ({False} if shape[0] > shape[1] else {False, True})


@pytest.mark.parametrize("name", CURVED)
def test_repeated_columns_rest_and_the_path_is_that_of_one_of_them(name):
    X, y = data(name, 40, 5)
    one = chemin.path(X, y, loss=CURVED[name], l2=0.0)
    two = chemin.path(np.hstack([X, X]), y, loss=CURVED[name], l2=0.0)
    np.testing.assert_allclose(two.l1, one.l1, atol=1e-9 * one.l1[0])
    both = two.coef_at(one.l1)
    np.testing.assert_allclose(both[:, :5] + both[:, 5:], one.coef_at(one.l1), atol=1e-8)


@pytest.mark.parametrize("name", CURVED)
def test_with_more_variables_than_points_the_end_loses_nothing(name):
    """Without ridge the loss vanishes with l1."""
    X, y = data(name, 15, 40)
    path = chemin.path(X, y, loss=CURVED[name], l2=0.0)
    assert path.status.code == "complete"
    assert path.certificate(midpoints=True).worst_gap <= GAP
    assert (
        path.problem.loss.value(
            path.problem.scores(path.coef_at(0.0), path.intercept_at(0.0))
        ).sum()
        < 1e-18
    )


@pytest.mark.parametrize("l2", [0.0, 1.0])
@pytest.mark.parametrize("name", CURVED)
def test_a_lost_engine_finds_its_way_again(name, l2, monkeypatch):
    X, y = data(name, 80, 10)
    whole = chemin.path(X, y, loss=CURVED[name], l2=l2)
    loops.use(loops.losing(1), monkeypatch)
    path = chemin.path(X, y, loss=CURVED[name], l2=l2)
    assert path.status.code == "complete"
    assert path.certificate(midpoints=True).worst_gap <= GAP
    grid = path.l1[0] * np.geomspace(0.9, 0.01, 20)
    np.testing.assert_allclose(path.coef_at(grid), whole.coef_at(grid), atol=1e-8)


@pytest.mark.parametrize("l2", [0.0, 1.0])
@pytest.mark.parametrize("name", ["huber", "huberized", "squared_hinge"])
def test_another_solver_puts_it_back(name, l2, monkeypatch):
    monkeypatch.setattr(thresholds, "MOST_TRIES", 0)
    X, y = data(name, 160, 10)
    loops.use(loops.losing(1), monkeypatch)
    path = chemin.path(X, y, loss=CURVED[name], l2=l2)
    assert path.status.code == "repaired"
    assert path.certificate(midpoints=True).worst_gap <= GAP


@pytest.mark.parametrize("l2", [0.0, 1.0])
@pytest.mark.parametrize("name", CURVED)
def test_a_resumed_path_is_the_path_never_interrupted(name, l2, tmp_path, monkeypatch):
    monkeypatch.setattr(checkpoint, "_FEWEST_EVENTS", 15)
    X, y = data(name, 60, 30)
    options = {"loss": CURVED[name], "l2": l2}
    whole = chemin.path(X, y, checkpoint=tmp_path / "whole.npz", **options)
    chemin.path(X, y, checkpoint=tmp_path / "part.npz", max_events=25, **options)
    resumed = chemin.path(X, y, checkpoint=tmp_path / "part.npz", resume=True, **options)
    np.testing.assert_array_equal(resumed.l1, whole.l1)
    np.testing.assert_array_equal(resumed.breakpoints.coef_values, whole.breakpoints.coef_values)


@pytest.mark.parametrize("name", CURVED)
def test_a_path_on_a_device_is_the_path(name, monkeypatch):
    pytest.importorskip("torch", reason='PyTorch is not installed: pip install "chemin[gpu]"')
    monkeypatch.setattr(thresholds, "FIRST_RESIDENT", 64)
    monkeypatch.setattr(thresholds, "FEWEST_WATCHED", 8)
    X, y = data(name, 50, 3)
    columns = KernelDictionary(X, X, (Gaussian(0.7), Gaussian(2.0), Gaussian(5.0)))
    options = {"loss": CURVED[name], "l2": 1e-2, "min_ratio": 0.02}
    here, there = (chemin.path(some, y, **options) for some in (columns, on_device(columns, "cpu")))
    np.testing.assert_array_equal(here.events["index"], there.events["index"])
    np.testing.assert_allclose(there.l1, here.l1, rtol=0, atol=1e-9 * here.l1[0])
    assert there.certificate().worst_gap < GAP


@pytest.mark.parametrize("name", CURVED)
def test_screening_changes_nothing_but_the_work(name):
    X, y = data(name, 60, 600)
    options = {"loss": CURVED[name], "l2": 0.1, "min_ratio": 0.05}
    some, all_of_them = (chemin.path(X, y, screening=on, **options) for on in (True, False))
    np.testing.assert_allclose(some.l1, all_of_them.l1, atol=1e-9 * some.l1[0])
    columns = "columns_per_event"
    share = some.stats[columns] / all_of_them.stats[columns]
    without_end = name in ("squared", "squared_hinge")  # whose dual values move all at once
    assert share < (1.01 if without_end else 0.98)


@pytest.mark.parametrize("name", CURVED)
def test_a_path_to_a_tolerance_has_fewer_breakpoints_and_keeps_its_promise(name):
    X, y = data(name, 120, 20)
    exact = chemin.path(X, y, loss=CURVED[name], min_ratio=0.01)
    rough = chemin.path(X, y, loss=CURVED[name], min_ratio=0.01, tol=1e-2)
    assert len(rough.l1) < len(exact.l1)
    grid = np.linspace(rough.l1[0], rough.l1[-1], 50)
    found = (rough.coef_at(grid), rough.intercept_at(grid))
    best = (exact.coef_at(grid), exact.intercept_at(grid))
    for l1, coef, intercept, b, b0 in zip(grid, *found, *best, strict=True):
        cost = rough.problem.objective(coef, intercept, l1)
        assert cost <= exact.problem.objective(b, b0, l1) * (1.0 + 1e-2)


@pytest.mark.parametrize("name", CURVED)
def test_columns_may_be_an_array_or_a_dictionary(name):
    X, y = data(name, 40, 6)
    one, other = (chemin.path(some, y, loss=CURVED[name]) for some in (X, DenseDictionary(X, None)))
    np.testing.assert_array_equal(one.l1, other.l1)
