"""Claims about losses as rows of numbers: what they are worth, what they prove, who is refused."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import chemin
from chemin.engine.breakpoints import Breakpoints
from chemin.engine.proof.solutions import Norms, Solutions, measure
from chemin.engine.result import Path, Status
from chemin.problems import (
    Absolute,
    EpsilonInsensitive,
    Hinge,
    PiecewiseQuadratic,
    Quantile,
)
from chemin.validation import as_problem

LOSSES = [Hinge(), Quantile(0.5), Quantile(0.9), Absolute(), EpsilonInsensitive(0.3)]
NUMERIC = LOSSES[1:]


def formula(loss, y, weight, score):
    """Every loss as its definition has it, for a score b0 + x·b times its label or not."""
    if isinstance(loss, Hinge):
        return weight * np.maximum(0.0, 1.0 - score)
    residual = y - score
    if isinstance(loss, Quantile):
        level = loss.level
        return weight * np.maximum(level * residual, (level - 1.0) * residual)
    if isinstance(loss, Absolute):
        return weight * np.abs(residual)
    return weight * np.maximum(0.0, np.abs(residual) - loss.epsilon)


def targets(loss, rng, n):
    return rng.choice([-1.0, 1.0], n) if loss.takes_labels else 3.0 * rng.standard_normal(n)


def random_problem(loss, rng, n=12, p=4, l2=1.0):
    X = rng.standard_normal((n, p))
    y = np.where(np.arange(n) % 2, 1, -1) if loss.takes_labels else targets(loss, rng, n)
    return as_problem(X, y, l2, rng.uniform(0.5, 2.0, n), None, loss)[0]


def in_the_box(problem, rng, k):
    """Random dual values in their intervals."""
    share = rng.uniform(0.0, 1.0, (k, len(problem.label)))
    return problem.loss.lowest + share * (problem.loss.highest - problem.loss.lowest)


@pytest.mark.parametrize("loss", LOSSES, ids=str)
@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=30, deadline=None)
def test_the_table_is_the_loss(loss, seed):
    rng = np.random.default_rng(seed)
    y, weight = targets(loss, rng, 20), rng.uniform(0.0, 2.0, 20)
    score = 4.0 * rng.standard_normal((3, 20))
    table = loss.table(y, weight)
    np.testing.assert_allclose(table.value(score), formula(loss, y, weight, score), atol=1e-12)
    assert np.all(table.height >= 0.0)
    assert np.all(np.diff(table.slope, axis=1) >= 0.0)
    piece = table.piece(score)
    slope = np.take_along_axis(table.slope[None], piece[..., None], axis=2)[..., 0]
    ahead = 1e-7 * np.where(slope > 0.0, 1.0, -1.0)
    change = table.value(score + ahead) - table.value(score)
    near = np.abs(score[..., None] - table.kink).min(axis=-1) < 1e-6
    np.testing.assert_allclose(change[~near], (slope * ahead)[~near], atol=1e-12)


@pytest.mark.parametrize("loss", LOSSES, ids=str)
@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=30, deadline=None)
def test_the_conjugate_is_the_least_value(loss, seed):
    """By brute force over a grid that holds the kinks."""
    rng = np.random.default_rng(seed)
    y, weight = targets(loss, rng, 8), rng.uniform(0.1, 2.0, 8)
    table = loss.table(y, weight)
    dual = table.lowest + rng.uniform(0.0, 1.0, 8) * (table.highest - table.lowest)
    scores = np.concatenate([np.linspace(-30.0, 30.0, 401)[:, None] * np.ones(8), table.kink.T])
    least = (table.value(scores) + dual * scores).min(axis=0)
    np.testing.assert_allclose(table.conjugate(dual), least, atol=1e-12)
    score = 4.0 * rng.standard_normal(8)
    expected = table.value(score) + dual * score - least
    np.testing.assert_allclose(table.fenchel_gap(score, dual), expected, atol=1e-12)


@pytest.mark.parametrize("loss", LOSSES, ids=str)
@pytest.mark.parametrize("l2", [0.0, 1e-3, 1.0])
@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=25, deadline=None)
def test_no_dual_value_proves_more_than_any_solution_costs(loss, l2, seed):
    rng = np.random.default_rng(seed)
    problem = random_problem(loss, rng, l2=l2)
    coef = rng.standard_normal((6, 4)) * rng.choice([0.0, 0.1, 1.0], (6, 4))
    intercept, l1 = rng.standard_normal(6), np.full(6, rng.uniform(0.0, 3.0))
    some = Solutions.with_duals(coef, intercept, l1, in_the_box(problem, rng, 6))
    proved = measure(problem, some, Norms.of(problem.dictionary))
    rows = zip(coef, intercept, l1, strict=True)
    cost = [problem.objective(*row) for row in rows]
    np.testing.assert_allclose(proved.primal, cost, rtol=1e-12)
    assert proved.lower.max() <= min(cost) + 1e-9


@pytest.mark.parametrize("loss", LOSSES, ids=str)
@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=25, deadline=None)
def test_leaving_points_and_columns_alone_changes_nothing(loss, seed):
    """What is proved of neighbours by some points and columns is proved by all of them."""
    rng = np.random.default_rng(seed)
    problem = random_problem(loss, rng, n=40, p=12)
    steps = np.cumsum(1e-3 * rng.standard_normal((9, 12)), axis=0)
    coef = rng.standard_normal(12) * (rng.random(12) < 0.4) + steps * (rng.random(12) < 0.4)
    intercept, l1 = 1e-3 * rng.standard_normal(9), np.linspace(30.0, 29.0, 9)
    score = problem.scores(coef.T, intercept).T
    dual = -np.take_along_axis(problem.loss.slope, problem.loss.piece(score[0])[:, None], axis=1).T
    dual = np.repeat(dual, 9, axis=0)
    dual[:, :3] = in_the_box(problem, rng, 9)[:, :3]
    norms = Norms.of(problem.dictionary)
    some = Solutions.with_duals(coef, intercept, l1, dual)
    part, whole = measure(problem, some, norms), measure(problem, some, norms, whole=True)
    np.testing.assert_allclose(part.primal, whole.primal, rtol=1e-12)
    # balancing may shrink other points, so that only the best of the two could be compared
    assert np.all(part.lower <= whole.primal * (1.0 + 1e-12))
    if np.all(part.changed < 1e-12):
        np.testing.assert_allclose(part.lower, whole.lower, rtol=1e-10)


SOLVED = {
    # points −1 and +1: b = 1 for l1 below 2
    "hinge": ([[-1.0], [1.0]], [-1, 1], Hinge(), [1.0], 0.0, 1.0),
    # y = 1, 2, 9 and a column of zeros: the median
    "median": ([[0.0]] * 3, [1.0, 2.0, 9.0], Absolute(), [0.0], 2.0, 1.0),
    # the third smallest of four is the 0.7 quantile
    "quantile": ([[0.0]] * 4, [1.0, 2.0, 4.0, 9.0], Quantile(0.7), [0.0], 4.0, 1.0),
    # y = x exactly; losing ε at both ends costs 2 (1 − b) − 2ε, which l1 = 1 pays back: b = 1 − ε
    "tube": ([[-1.0], [1.0]], [-1.0, 1.0], EpsilonInsensitive(0.25), [0.75], 0.0, 1.0),
    # y = 2 x: each unit of b saves 2 and costs l1 = 1
    "slope": ([[-1.0], [1.0]], [-2.0, 2.0], Absolute(), [2.0], 0.0, 1.0),
}


@pytest.mark.parametrize("name", SOLVED)
@pytest.mark.parametrize("scale", [1.0, 1e3])
def test_hand_solved_problems_have_no_gap_and_their_neighbours_do(name, scale):
    X, y, loss, coef, intercept, l1 = SOLVED[name]
    if not loss.takes_labels:  # the loss and the coefficients scale with the target
        y = scale * np.array(y)
        coef, intercept = scale * np.array(coef), scale * intercept
        if isinstance(loss, EpsilonInsensitive):
            loss = EpsilonInsensitive(scale * loss.epsilon)
    given = (X, y, coef, intercept, l1, 0.0)
    assert chemin.certify(*given, loss=loss).worst_gap < 1e-12
    unit = scale if not loss.takes_labels else 1.0
    assert chemin.certify(X, y, coef, intercept + 0.3 * unit, l1, 0.0, loss=loss).worst_gap > 1e-3
    if np.any(coef):
        shorter = 0.9 * np.array(coef)
        assert chemin.certify(X, y, shorter, intercept, l1, 0.0, loss=loss).worst_gap > 1e-3


def hard_margin(rng, n=20, p=5):
    """Separable points and their hard-margin solution: two support vectors on one axis."""
    label = np.where(np.arange(n) % 2, 1.0, -1.0)
    X = rng.standard_normal((n, p))
    X[:, 0] = label * (1.0 + rng.uniform(0.5, 1.5, n))
    X[:2] = 0.0
    X[:2, 0] = 0.7 * label[:2]
    direction = np.zeros(p)
    direction[0] = 1.0 / 0.7
    return X, label, direction


@pytest.mark.parametrize("l2", [1e-20, 1e-8, 0.0])
def test_the_gap_means_the_same_at_any_scale(l2):
    """The penalties vanish: the objective is 1e-20, and an error of 1 % is still seen."""
    rng = np.random.default_rng(0)
    X, y, coef = hard_margin(rng)
    l1 = 1e-21
    assert chemin.certify(X, y, coef, 0.0, l1, l2).worst_gap < 1e-9
    dual = np.zeros(len(y))
    dual[:2] = (l2 * coef[0] + l1) / 1.4
    exact = chemin.certify(X, y, coef, 0.0, l1, l2, dual)
    assert exact.worst_gap < 1e-13
    assert exact.primal[0] < 1e-7
    for factor, shift in ((1.01, 0.0), (0.99, 0.0), (1.0, 0.01)):
        for alpha in (dual, None):
            wrong = chemin.certify(X, y, factor * coef, shift, l1, l2, alpha)
            assert wrong.worst_gap > 5e-3
    other = coef.copy()
    other[1] = 0.2
    assert chemin.certify(X, y, 1.5 * other, 0.0, l1, l2, dual).worst_gap > 1e-2


def test_where_nothing_is_penalised_and_classes_separate_nothing_is_missing():
    rng = np.random.default_rng(0)
    X, y, coef = hard_margin(rng)
    proof = chemin.certify(X, y, coef, 0.0, 0.0, 0.0)
    assert proof.gap[0] == 0.0
    assert proof.primal[0] == proof.dual[0] == 0.0


@pytest.mark.parametrize("loss", NUMERIC, ids=str)
def test_far_targets_leave_only_rounding(loss):
    """Targets around 1e6: the scores carry 1e-10 of rounding, and the certificate says so."""
    rng = np.random.default_rng(1)
    y = 1e6 + rng.standard_normal(31)
    level = loss.level if isinstance(loss, Quantile) else 0.5
    best = np.quantile(y, level, method="inverted_cdf")
    if isinstance(loss, EpsilonInsensitive):
        grid = np.concatenate([y - loss.epsilon, y + loss.epsilon])
        cost = [formula(loss, y, 1.0, b0).sum() for b0 in grid]
        best = grid[np.argmin(cost)]
    proof = chemin.certify(np.zeros((31, 1)), y, [0.0], best, 1.0, 1.0, loss=loss)
    assert proof.worst_gap < 1e-9
    assert 0.0 < proof.rounding[0] < 1e-6


def path_at(problem, coef, intercept, dual, position):
    """A path of one breakpoint."""
    elbow, active = np.flatnonzero(position % 2 == 1), np.flatnonzero(coef)
    breakpoints = Breakpoints(
        l1=np.ones(1),
        intercept=np.array([float(intercept)]),
        coef_values=coef[active],
        active=active.astype(np.int32),
        n_active=np.array([len(active)]),
        dual_values=dual[elbow],
        elbow=elbow.astype(np.int32),
        n_elbow=np.array([len(elbow)]),
        kind=np.zeros(1, dtype=np.int8),
        index=np.array([-1]),
        position=np.full(1, -1, dtype=np.int16),
        breakpoint=np.zeros(1, dtype=np.int64),
        first_position=position.astype(np.int16),
    )
    return Path(problem, np.empty(0), Status("complete", ""), breakpoints)


@pytest.mark.parametrize("loss", [Quantile(0.25), Absolute(), EpsilonInsensitive(0.3)], ids=str)
@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=25, deadline=None)
def test_the_interval_of_optimal_intercepts_is_that_of_brute_force(loss, seed):
    """No column is active: the objective is a function of the intercept alone."""
    rng = np.random.default_rng(seed)
    n = 8
    X, y = rng.standard_normal((n, 2)), rng.integers(0, 6, n).astype(float)
    problem, _ = as_problem(X, y, 1.0, None, None, loss)
    places = np.unique(problem.loss.kink)
    cost = np.array([problem.loss.value(np.full(n, place)).sum() for place in places])
    best = places[cost <= cost.min() + 1e-12]
    for intercept in (best[0], best[-1], 0.5 * (best[0] + best[-1])):
        position = 2 * problem.loss.piece(np.full(n, intercept))
        at_kink = np.abs(intercept - problem.loss.kink) < 1e-12
        position = np.where(at_kink.any(axis=1), 2 * at_kink.argmax(axis=1) + 1, position)
        dual = balanced_duals(problem.loss, position)
        path = path_at(problem, np.zeros(2), intercept, dual, position)
        low, high = path.intercept_range_at(1.0)
        np.testing.assert_allclose([low, high], [best[0], best[-1]], atol=1e-9)
        np.testing.assert_allclose(path.residual_at(1.0), y - 0.5 * (low + high))


@pytest.mark.parametrize("loss", LOSSES, ids=str)
@pytest.mark.parametrize("l2", [0.0, 1e-3, 1.0])
def test_a_path_of_any_loss_reads_as_one_of_the_hinge_does(loss, l2):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((40, 6))
    y = X[:, :2].sum(axis=1) + rng.standard_normal(40)
    path = chemin.path(X, y > 0 if loss.takes_labels else y, loss=loss, l2=l2)
    assert path.certificate(midpoints=True).worst_gap < 1e-12
    assert path.gap_between().max() < 1e-12
    grid = np.linspace(1.1 * path.l1[0], path.l1[-1], 23)
    coef, dual, gamma = path.coef_at(grid), path.dual_at(grid), path.subgradient_at(grid)
    problem = path.problem
    correlation = problem.dictionary.correlations((dual * problem.label).T).T
    np.testing.assert_allclose(correlation, l2 * coef + grid[:, None] * gamma, atol=1e-9)
    np.testing.assert_array_equal(gamma[coef != 0.0], np.sign(coef[coef != 0.0]))
    score = problem.label * (coef @ X.T + path.intercept_at(grid)[:, None])
    np.testing.assert_allclose(path.residual_at(grid), problem.loss.target - score, atol=1e-12)
    assert problem.loss.fenchel_gap(score, dual).max() < 1e-10
    events = path.events
    between = len(y) - events["left"] - events["elbow"] - events["right"]
    assert between.min() >= 0
    assert problem.loss.shape[1] > 1 or between.max() == 0
    pieces = path.pieces()
    middle = 0.5 * (pieces.l1[1:] + pieces.l1[:-1])
    wide = np.diff(pieces.l1) < 0.0
    expected = 0.5 * (pieces.intercept[1:] + pieces.intercept[:-1])
    np.testing.assert_allclose(path.intercept_at(middle)[wide], expected[wide], atol=1e-9)


def balanced_duals(loss: PiecewiseQuadratic, position):
    """Dual values that sum to zero, as many of those at kinks at a bound as can be."""
    rows = np.arange(len(position))
    piece = position // 2
    dual = -loss.slope[rows, piece]
    at_kink = np.flatnonzero(position % 2 == 1)
    low = -loss.slope[at_kink, piece[at_kink] + 1]
    high = -loss.slope[at_kink, piece[at_kink]]
    missing = -dual[np.setdiff1d(rows, at_kink)].sum() - low.sum()
    for place, i in enumerate(at_kink):
        step = np.clip(missing, 0.0, high[place] - low[place])
        dual[i] = low[place] + step
        missing -= step
    assert abs(missing) < 1e-9
    return dual
