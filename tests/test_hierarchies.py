"""Claims about penalties on nested groups: the norm and its dual, the solver against others, the certificate."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

import chemin
from chemin.exceptions import InvalidInputError, OutOfRangeError
from chemin.kernels import Gaussian
from chemin.problems import Hierarchy

FAMILY = np.repeat([0, 1, 2], 4)
KERNEL = np.repeat(np.arange(6), 2)
HIERARCHIES = {
    "plain": Hierarchy([np.arange(12)]),
    "groups": Hierarchy([KERNEL % 4]),
    "nested": Hierarchy([FAMILY, KERNEL, np.arange(12)], [1.0, 0.5, 0.2]),
}


def numbers(seed, n=25, p=12):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p))
    score = X[:, :5].sum(axis=1) + 0.7 * rng.standard_normal(n)
    return X, (score > 0.0).astype(int), score


def program(X, y, l1, groups):
    """The linear program of the hinge and l2 = 0, in (b⁺, b⁻, τ, b0, ξ)."""
    n, p = X.shape
    every = groups.groups
    count = len(every)
    cost = np.r_[np.zeros(2 * p), [l1 * weight for _, weight in every], 0.0, np.ones(n)]
    sign = np.where(y > 0, 1.0, -1.0)[:, None]
    margin = np.hstack([-sign * X, sign * X, np.zeros((n, count)), -sign, -np.eye(n)])
    rows = []
    for g, (group, _) in enumerate(every):
        for j in group:
            row = np.zeros(len(cost))
            row[j] = row[p + j] = 1.0
            row[2 * p + g] = -1.0
            rows.append(row)
    bounds = [(0, None)] * (2 * p + count) + [(None, None)] + [(0, None)] * n
    b = np.r_[-np.ones(n), np.zeros(len(rows))]
    return linprog(cost, np.vstack([margin, rows]), b, bounds=bounds, method="highs")


@pytest.mark.parametrize("groups", HIERARCHIES.values(), ids=HIERARCHIES)
@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=25, deadline=None)
def test_what_the_balls_leave_is_the_nearest_point_of_all(groups, seed):
    """C − q is in the ball and q·(c − q) = l1 Ω(q): together they characterise the projection."""
    rng = np.random.default_rng(seed)
    c, l1 = 3.0 * rng.standard_normal(12), rng.uniform(0.05, 4.0)
    left = groups.shrunk(c, l1)
    assert groups.dual_norm(c - left) <= l1 * (1.0 + 1e-9)
    assert left @ (c - left) == pytest.approx(l1 * groups.value(left), abs=1e-9)
    b = rng.standard_normal(12)
    assert b @ (c - left) <= l1 * groups.value(b) + 1e-9


@pytest.mark.parametrize("groups", HIERARCHIES.values(), ids=HIERARCHIES)
@pytest.mark.parametrize("l2", [1.0, 1e-3, 0.0])
@pytest.mark.parametrize("loss", ["hinge", "huberized", "squared", "absolute"])
def test_every_solution_passes_its_certificate(groups, l2, loss):
    X, y, score = numbers(0)
    target = y if loss in ("hinge", "huberized") else score
    found = chemin.solve_groups(X, target, [3.0, 0.3], groups, loss=loss, l2=l2)
    assert found.certificate().worst_gap < 1e-8


@pytest.mark.parametrize("l2", [1.0, 0.1])
def test_groups_of_one_are_the_exact_path(l2):
    X, y, _ = numbers(1)
    path = chemin.svm_path(X, y, l2=l2)
    found = chemin.solve_groups(
        X, y, path.l1[0] * np.array([0.7, 0.3, 0.1]), HIERARCHIES["plain"], l2=l2
    )
    np.testing.assert_allclose(found.coef, path.coef_at(found.l1), atol=1e-5)


@pytest.mark.parametrize("name", ["groups", "nested"])
def test_without_ridge_the_objective_is_that_of_a_linear_program(name):
    groups = HIERARCHIES[name]
    X, y, _ = numbers(2)
    found = chemin.solve_groups(X, y, [2.0, 0.5], groups, l2=0.0)
    for k, l1 in enumerate(found.l1):
        theirs = program(X, y, l1, groups).fun
        ours = found.problem.objective(found.coef[k], found.intercept[k], 0.0)
        assert ours + l1 * groups.value(found.coef[k]) == pytest.approx(theirs, rel=1e-8)


def test_families_enter_before_their_kernels_and_kernels_before_their_couples():
    X, y, _ = numbers(3, n=60)
    groups = HIERARCHIES["nested"]
    signed = np.where(y > 0, 1.0, -1.0)
    first = groups.dual_norm(X.T @ (signed * (1.0 - signed * signed.mean())))
    found = chemin.solve_groups(X, y, first * np.array([0.7, 0.4, 0.2, 0.1]), groups)
    sizes = [[len(active) for active in found.active(level)] for level in range(3)]
    assert sizes[0][0] < 3
    assert np.all(np.diff(sizes, axis=0) >= 0)
    assert len(found.frame()) == 4
    largest = np.abs(found.coef[0]).max()
    tied = np.abs(np.abs(found.coef[0]) - largest) < 1e-5 * largest
    assert tied.sum() >= 2  # the largest of a group are equal: only they are held together


def test_a_solution_moved_is_not_certified():
    from chemin.engine.proof.grouped import certify_groups

    X, y, _ = numbers(4)
    groups = HIERARCHIES["nested"]
    found = chemin.solve_groups(X, y, 1.0, groups)
    b = found.coef[0] + 0.01 * np.eye(12)[0]
    worse = certify_groups(found.problem, groups, b, found.intercept[0], 1.0, found.dual[0])
    assert worse.worst_gap > 1e-7
    empty = certify_groups(found.problem, groups, 0.0 * b, 0.0, 1.0, found.dual[0])
    assert empty.worst_gap > 0.1


def test_couples_of_kernels_are_columns_like_others():
    X, y, _ = numbers(5, n=40, p=2)
    columns = np.hstack([Gaussian(width)(X, X) for width in (0.5, 1.0, 2.0)])
    kernel = np.repeat([0, 1, 2], 40)
    groups = Hierarchy([kernel, np.arange(120)], [3.0, 0.3])
    found = chemin.solve_groups(columns, y, [1.0, 0.3], groups, l2=1e-3)
    assert found.certificate().worst_gap < 1e-8
    assert found.decision(columns).shape == (2, 40)
    assert "optimal to a relative gap" in str(found)


@pytest.mark.parametrize(
    ("levels", "weight", "match"),
    [
        ([[0, 0, 1], [0, 1]], None, "one label per column in each"),
        ([], None, "one label per column in each"),
        ([[0, 0, 1], [0, 1, 1]], None, "lies in several"),
        ([[0, 0, 1]], [0.0], "one positive number per level"),
        ([[0, 0, 1]], [1.0, 2.0], "there are 1"),
    ],
)
def test_groups_that_are_not_nested_are_refused(levels, weight, match):
    with pytest.raises(InvalidInputError, match=match):
        Hierarchy(levels, weight)


@pytest.mark.parametrize(
    ("groups", "l1", "match"),
    [
        ("families", 1.0, r"pass Hierarchy\(\[labels\]\)"),
        (Hierarchy([[0, 1]]), 1.0, "12 columns: pass one label per column"),
        (HIERARCHIES["groups"], 0.0, "positive numbers"),
        (HIERARCHIES["groups"], [], "positive numbers"),
    ],
)
def test_what_is_asked_of_groups_is_checked(groups, l1, match):
    X, y, _ = numbers(6)
    with pytest.raises(InvalidInputError, match=match):
        chemin.solve_groups(X, y, l1, groups)


@pytest.mark.parametrize("groups", HIERARCHIES.values(), ids=HIERARCHIES)
@pytest.mark.parametrize("loss", ["hinge", "huberized", "squared", "absolute"])
@given(seed=st.integers(0, 2**32 - 1), n=st.integers(8, 24), l2=st.sampled_from([10.0, 0.1, 1e-3]))
@settings(max_examples=5, deadline=None)
def test_the_path_is_certified_at_and_between_its_breakpoints(groups, loss, seed, n, l2):
    X, y, score = numbers(seed, n)
    assume(0 < y.sum() < n)
    target = y if loss in ("hinge", "huberized") else score
    path = chemin.grouped_path(X, target, groups, loss=loss, l2=l2)
    assert path.status.code == "complete"
    assert path.certificate(midpoints=True).worst_gap < 1e-9
    assert np.all(path.coef[0] == pytest.approx(0.0, abs=1e-9))


def test_the_path_of_groups_of_one_is_the_exact_path_breakpoint_by_breakpoint():
    X, y, _ = numbers(1)
    theirs = chemin.svm_path(X, y, l2=0.1, min_ratio=0.01)
    ours = chemin.grouped_path(X, y, HIERARCHIES["plain"], l2=0.1)
    np.testing.assert_allclose(ours.l1[0], theirs.l1[0], rtol=1e-9)
    at = theirs.l1[theirs.l1 >= ours.l1[-1]]
    np.testing.assert_allclose(ours.coef_at(at), theirs.coef_at(at), atol=1e-8)
    ours_at = ours.l1[1:-1]
    nearest = np.abs(theirs.l1[:, None] - ours_at).min(axis=0)
    assert nearest.max() < 1e-8 * theirs.l1[0]


@pytest.mark.parametrize("groups", HIERARCHIES.values(), ids=HIERARCHIES)
def test_points_of_the_path_are_the_solutions_there(groups):
    X, y, _ = numbers(7, n=30)
    path = chemin.grouped_path(X, y, groups, l2=0.1, min_ratio=0.1)
    at = np.geomspace(path.l1[0], path.l1[-1], 7)[1:-1]
    found = chemin.solve_groups(X, y, at, groups, l2=0.1)
    np.testing.assert_allclose(path.coef_at(at), found.coef, atol=1e-9)
    assert path.decision_at(X, at[0]) == pytest.approx(found.decision(X)[0], abs=1e-8)
    assert path.dual_at(at).shape == (5, 30)


@pytest.mark.parametrize("seed", [0, 2, 7])
def test_changes_that_fall_together_are_followed_too(seed):
    """Of three values only: many rows, columns and groups change at once."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 3, (20, 12)).astype(float)
    y = (X[:, 0] + X[:, 1] + rng.integers(0, 2, 20) > 2).astype(int)
    path = chemin.grouped_path(X, y, HIERARCHIES["groups"], l2=1.0)
    assert path.status.code == "complete"
    assert path.certificate(midpoints=True).worst_gap < 1e-12


@pytest.mark.parametrize("seed", range(4))
def test_a_path_of_groups_goes_down_to_nothing(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(20, 4))
    y = X[:, 0] + rng.normal(size=20) > 0.0
    path = chemin.grouped_path(X, y, Hierarchy([["a", "a", "b", "b"]]), min_ratio=0.0)
    assert path.status.code == "complete"
    assert path.l1[-1] == 0.0
    assert path.certificate(midpoints=True).worst_gap < 1e-12


@pytest.mark.parametrize("loss", ["hinge", "squared"])
def test_where_no_column_is_of_use_no_group_enters(loss):
    y = np.arange(24) % 2
    path = chemin.grouped_path(np.ones((24, 4)), y, Hierarchy([["a", "a", "b", "b"]]), loss=loss)
    assert path.l1.tolist() == [0.0]
    assert not path.coef.any()
    assert path.active(0) == [[]]
    assert path.certificate().worst_gap < 1e-12


def test_a_path_of_groups_says_how_far_it_goes():
    X, y, _ = numbers(8)
    path = chemin.grouped_path(X, y, HIERARCHIES["nested"], max_events=3)
    assert path.status.code == "stopped"
    assert "raise max_events" in str(path)
    with pytest.raises(OutOfRangeError, match="smaller min_l1"):
        path.coef_at(0.1 * path.l1[-1])
    with pytest.raises(InvalidInputError, match="use solve_groups"):
        chemin.grouped_path(X, y, HIERARCHIES["nested"], l2=0.0)
