"""Claims about the cells of a rectangle of (l1, l2): none is missing, and every solution in them is optimal."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import adversarial
import chemin
from chemin.engine.plane.polygon import area, around
from chemin.exceptions import InvalidInputError, OutOfRangeError
from chemin.problems import L1, EpsilonInsensitive, Quantile

GAP = 1e-9


def overlapping(n, p, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    return X, X[:, 0] + rng.normal(size=n) > 0.3


def points_in(surface, count, seed=1):
    rng = np.random.default_rng(seed)
    low, high = np.log(np.maximum(surface.l1, 1e-6 * surface.l1[1])), np.log(surface.l2)
    return np.exp(rng.uniform(*low, count)), np.exp(rng.uniform(*high, count))


@pytest.fixture(scope="module")
def data():
    return overlapping(40, 6)


@pytest.fixture(scope="module")
def surface(data):
    return chemin.svm_surface(*data)


@pytest.mark.parametrize("trap", adversarial.TABLE)
def test_the_cells_fill_the_rectangle_on_awkward_data(trap):
    X, y, options = adversarial.TABLE[trap]()
    weights = {name: options[name] for name in ("sample_weight", "l1_weight") if name in options}
    first = float(chemin.svm_path(X, y, min_ratio=0.99, **weights).l1[0])
    l1 = (first / 4.0, 1.1 * first) if first > 0.0 else (0.5, 1.0)
    scale = float(np.mean(X**2)) or 1.0
    surface = chemin.svm_surface(X, y, l1=l1, l2=(0.3 * scale, 3.0 * scale), **weights)
    assert surface.status.code == "complete"
    assert surface.certificate(*points_in(surface, 40)).worst_gap < GAP


@given(seed=st.integers(0, 10_000), values=st.sampled_from([2, 3, None]), balanced=st.booleans())
@settings(max_examples=25, deadline=None)
def test_no_cell_is_missed_and_all_are_optimal(seed, values, balanced):
    rng = np.random.default_rng(seed)
    n, p = rng.integers(4, 20, size=2)
    X = rng.normal(size=(n, p)) if values is None else rng.integers(0, values, size=(n, p))
    y = np.arange(n) % (2 if balanced else 3) == 0
    low = 10.0 ** rng.uniform(-1.5, 0.5, size=2)
    surface = chemin.svm_surface(X, y, l1=(low[0], 4.0 * low[0]), l2=(low[1], 10.0 * low[1]))
    assert surface.status.code == "complete"
    assert surface.certificate(*points_in(surface, 30)).worst_gap < GAP


@pytest.mark.parametrize("loss", ["hinge", "absolute", Quantile(0.8), EpsilonInsensitive(0.3)])
def test_a_surface_of_any_loss_of_lines_is_what_its_paths_are(loss):
    X, y = overlapping(25, 5)
    y = y if loss == "hinge" else X @ np.arange(5) + np.random.default_rng(3).normal(size=25)
    surface = chemin.svm_surface(X, y, l2=(0.5, 5.0), loss=loss)
    for l2 in (0.6, 1.7, 4.4):
        path = chemin.path(X, y, loss=loss, l2=l2)
        l1 = np.geomspace(*surface.l1, 30)
        np.testing.assert_allclose(surface.coef_at(l1, l2), path.coef_at(l1), atol=1e-9)
    assert surface.certificate(*points_in(surface, 50)).worst_gap < GAP


def test_the_cells_of_a_line_are_those_its_path_goes_through(data, surface):
    path = chemin.svm_path(*data, l2=2.0, min_l1=surface.l1[0])
    middle = 0.5 * (path.l1[1:] + path.l1[:-1])
    inside = middle[(path.l1[:-1] - path.l1[1:] > 1e-9) & (middle > surface.l1[0])]
    assert len(np.unique(surface.cell_at(inside, 2.0))) == len(inside)
    across = np.linspace(*surface.l1, 20_001)
    assert set(surface.cell_at(across, 2.0)) <= set(surface.cell_at(inside, 2.0))


def test_inside_a_cell_decisions_times_l2_are_affine(data, surface):
    X, _ = data
    for cell in range(0, len(surface), 50):
        corners = surface.polygon(cell)
        middle = corners.mean(axis=0)
        inside = 0.5 * (corners + middle)
        scaled = surface.decision_at(X, *inside.T) * inside[:, 1]
        there = surface.decision_at(X, *middle) * middle[1]
        np.testing.assert_allclose(scaled.mean(axis=1), there, atol=1e-8)


def test_dual_values_coefficients_and_intercept_belong_together(data, surface):
    X, y = data
    l1, l2 = (float(value[0]) for value in points_in(surface, 1))
    coef, dual = surface.coef_at(l1, l2), surface.dual_at(l1, l2)
    given = chemin.certify(X, y, coef, surface.intercept_at(l1, l2), l1, l2, dual)
    assert given.worst_gap < GAP
    assert surface.active(surface.cell_at(l1, l2)).tolist() == np.flatnonzero(coef).tolist()


def test_the_frame_counts_the_sets_and_adds_up_to_the_rectangle(surface):
    frame = surface.frame()
    whole = (surface.l1[1] - surface.l1[0]) * (surface.l2[1] - surface.l2[0])
    np.testing.assert_allclose(frame["area"].sum(), whole, rtol=1e-10)
    assert (frame["elbow"] + frame["left"] + frame["right"] == 40).all()
    assert len(frame) == len(surface)


@pytest.mark.parametrize("norm", ["l1", "l2"])
def test_a_front_of_a_rectangle_with_a_model_all_over_goes_on_along_its_other_side(data, norm):
    surface = chemin.svm_surface(*data, l1=(0.3, 3.0), l2=(0.1, 20.0))
    front = surface.front(norm)
    coef = surface.coef_at(*points_in(surface, 300))
    norms = np.abs(coef).sum(axis=1) if norm == "l1" else np.linalg.norm(coef, axis=1)
    assert front["norm"][0] <= norms.min()
    side = front["l1"] if norm == "l1" else front["l2"]
    assert np.isclose(side, side.max()).sum() > 3


@pytest.mark.parametrize("norm", ["l1", "l2"])
def test_nothing_has_less_loss_and_less_norm_than_the_front(data, surface, norm):
    X, y = data
    front = surface.front(norm)
    assert np.all(np.diff(front["norm"]) >= 0.0)
    assert np.all(np.diff(front["loss"]) < 0.0)
    own, other = ("l2", "l1") if norm == "l1" else ("l1", "l2")
    low = np.isclose(front[own], getattr(surface, own)[0])
    high = np.isclose(front[other], getattr(surface, other)[1])
    assert np.all(low | high)
    sign = np.where(y, 1.0, -1.0)
    l1, l2 = points_in(surface, 300)
    coef = surface.coef_at(l1, l2)
    norms = np.abs(coef).sum(axis=1) if norm == "l1" else np.linalg.norm(coef, axis=1)
    losses = np.maximum(1.0 - sign[:, None] * surface.decision_at(X, l1, l2), 0.0).sum(axis=0)
    assert norms.min() >= front["norm"][0] - 1e-12  # no solution is beside the front
    if norm == "l1":
        least = np.interp(norms, front["norm"], front["loss"])
    else:  # between corners the front is below its chord: but not below the next corner
        after = np.searchsorted(front["norm"], norms)
        least = front["loss"][np.minimum(after, len(front["loss"]) - 1)]
    assert np.all(losses >= least - 1e-9)


def test_the_front_leaves_out_what_a_smaller_norm_does_better():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(15, 2))
    y = X @ [1.0, -1.0] + rng.normal(size=15)
    surface = chemin.svm_surface(X, y, loss="absolute", l1=(0.5, 5.0), l2=(1.0, 10.0))
    front = surface.front("l1")
    assert np.all(np.diff(front["norm"]) > 0.0)
    assert np.all(np.diff(front["loss"]) < 0.0)
    far = chemin.path(X, y, loss="absolute", l2=1.0, min_l1=0.5)
    assert np.abs(far.coef_at(0.5)).sum() > front["norm"][-1] + 1e-3


@pytest.mark.parametrize("level", [0.3, 0.7, 0.9])
def test_weights_that_balance_but_for_rounding_are_no_trap(level):
    rng = np.random.default_rng(20)
    X = rng.normal(size=(20, 3))
    y = X @ [1.0, -1.0, 0.5] + rng.normal(size=20)
    quantile = chemin.svm_surface(X, y, loss=Quantile(level))  # of 20 points: a whole number below
    assert quantile.status.code == "complete"
    assert quantile.certificate(*points_in(quantile, 30)).worst_gap < GAP
    label = np.arange(20) < 20 * level
    balanced = np.where(label, 0.5 / label.mean(), 0.5 / (1.0 - label.mean()))
    hinge = chemin.svm_surface(X + label[:, None], label, sample_weight=balanced)
    assert hinge.status.code == "complete"
    assert hinge.certificate(*points_in(hinge, 30)).worst_gap < GAP


def test_where_the_intercept_is_an_interval_it_is_the_middle_as_of_paths():
    rng = np.random.default_rng(78)
    X = rng.normal(size=(24, 3))
    y = np.repeat([0, 1], 12)
    surface = chemin.svm_surface(X, y, l2=(0.1, 50.0))
    for l2 in (0.2, 3.0, 40.0):
        path = chemin.svm_path(X, y, l2=l2)
        l1 = np.geomspace(*surface.l1, 50)[:-1]
        np.testing.assert_allclose(surface.intercept_at(l1, l2), path.intercept_at(l1), atol=1e-9)


def test_signs_hold_all_over(data):
    X, y = data
    penalty = L1(sign=[1, -1, 0] + [1] * (X.shape[1] - 3))
    surface = chemin.svm_surface(X, y, l1=(0.5, 8.0), l2=(0.1, 10.0), penalty=penalty)
    assert surface.status.code == "complete"
    l1, l2 = points_in(surface, 60)
    assert surface.certificate(l1, l2).worst_gap < GAP
    coef = surface.coef_at(l1, l2)
    assert coef[:, 0].min() >= 0.0
    assert coef[:, 1].max() <= 0.0
    ray = chemin.ray_path(X, y, l1=0.5, l2=(10.0, 0.1), penalty=penalty)
    assert ray.certificate().worst_gap < GAP
    np.testing.assert_allclose(ray.coef_at(l2=3.0), surface.coef_at(0.5, 3.0), atol=1e-9)


def test_above_the_largest_useful_l1_there_is_the_empty_model(data, surface):
    first = surface.l1[1]
    above = chemin.svm_surface(*data, l1=(0.9 * first, 2.0 * first), l2=(0.5, 5.0))
    assert above.status.code == "complete"
    l1 = np.linspace(1.01, 1.99, 20) * first
    assert not above.coef_at(l1, 2.0).any()
    assert above.certificate(l1, 2.0).worst_gap < GAP


def test_a_polygon_of_random_lines_is_that_of_an_independent_method():
    from scipy.spatial import HalfspaceIntersection

    rng = np.random.default_rng(4)
    for _ in range(30):
        angle = rng.uniform(0.0, 2.0 * np.pi, 60)
        lines = np.vstack([rng.uniform(0.2, 3.0, 60), np.cos(angle), np.sin(angle)])
        frame = np.array([[5.0] * 4, [1.0, -1.0, 0.0, 0.0], [0.0, 0.0, 1.0, -1.0]])
        lines = np.concatenate([lines, frame], axis=1)
        vertex, side = around(lines, np.zeros(2))
        halves = np.column_stack([-lines[1:].T, -lines[0]])
        others = HalfspaceIntersection(halves, np.zeros(2)).intersections
        hull = others[np.argsort(np.arctan2(others[:, 1], others[:, 0]))]
        np.testing.assert_allclose(area(vertex), area(hull), rtol=1e-9)
        after = np.roll(vertex, -1, axis=0)
        on_line = lines[0, side] + (lines[1:, side].T * 0.5 * (vertex + after)).sum(axis=1)
        np.testing.assert_allclose(on_line, 0.0, atol=1e-12)


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ({"l2": 1.0}, r"pass \(lowest, highest\)"),
        ({"l2": (1.0, 0.5)}, r"pass \(lowest, highest\)"),
        ({"l2": (0.0, 1.0)}, r"chemin\.path with l2=0"),
        ({"l1": (-1.0, 1.0)}, "l1"),
        ({"loss": "squared_hinge"}, "a loss of lines"),
        ({"penalty": "mcp"}, r"bends.* chemin\.path"),
        ({"penalty": "nonnegative", "l1": (0.0, 1.0)}, "end at a small l1"),
        ({"max_cells": 20}, r"about \d+ cells .* narrow l1 or l2"),
        ({"max_cells": 0}, "whole number"),
    ],
)
def test_what_no_surface_can_be_is_refused_with_a_remedy(data, options, what):
    with pytest.raises(InvalidInputError, match=what):
        chemin.svm_surface(*data, **options)


@pytest.mark.parametrize(
    ("l1", "l2", "what"),
    [
        ("a", 1.0, "pass numbers"),
        ([0.5, 0.6], [1.0, 2.0, 3.0], "lists of as many"),
        ([[0.5, 0.6]], 1.0, "pass numbers"),
    ],
)
def test_points_that_are_none_are_refused(surface, l1, l2, what):
    with pytest.raises(InvalidInputError, match=what):
        surface.coef_at(l1, l2)


def test_nothing_is_asked_and_nothing_is_answered(data, surface):
    assert surface.coef_at([], []).shape == (0, 6)
    assert surface.dual_at([], 1.0).shape == (0, 40)
    assert surface.cell_at([], 1.0).shape == (0,)
    with pytest.raises(InvalidInputError, match="pass the same variables"):
        surface.decision_at(data[0][:, :2], surface.l1[1], 1.0)


def test_a_point_outside_is_refused(surface):
    with pytest.raises(OutOfRangeError, match="larger rectangle"):
        surface.coef_at(surface.l1[1], 1e3)


def test_a_surface_tells_how_far_it_is_and_ends_in_time(data, surface):
    told = []
    chemin.svm_surface(*data, progress=lambda cells, share: told.append((cells, share)))
    cells, shares = np.array(told).T
    assert np.all(np.diff(cells) >= 0)
    assert np.all(np.diff(shares) >= 0.0)
    assert cells[-1] == len(surface)
    assert shares[-1] == pytest.approx(1.0)
    part = chemin.svm_surface(*data, max_time=1e-9)
    assert part.status.code == "stopped"
    assert "raise max_time" in str(part)
    middle = part.polygon(0).mean(axis=0)
    assert part.certificate(*middle).worst_gap < GAP
    with pytest.raises(OutOfRangeError, match="no cell holds the point"):
        part.coef_at(*(1.001 * np.array([surface.l1[0], surface.l2[0]])))
