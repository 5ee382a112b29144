"""Claims about mean shift and dense regions: ascent on a density to its maxima, and borders that have an owner."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from sklearn.cluster import DBSCAN, MeanShift
from sklearn.datasets import load_iris, make_blobs, make_moons

from chemin.exceptions import InvalidInputError
from chemin.exploration import dbscan, mean_shift, parzen
from chemin.exploration.groups.mean_shift import WINDOWS

BLOBS, OWNERS = make_blobs(300, 2, centers=4, cluster_std=0.6, random_state=3)
IRIS = load_iris().data
points = st.lists(st.tuples(*[st.integers(0, 12)] * 2), min_size=3, max_size=25, unique=True).map(
    lambda rows: np.array(rows, dtype=float)
)


def gradient(X: np.ndarray, at: np.ndarray, h: float) -> np.ndarray:
    """Return ∇p of the Gaussian window density, term by term."""
    n, d = X.shape
    total = np.zeros(d)
    for x in X:
        u = (at - x) / h
        total += -u / h * np.exp(-0.5 * u @ u)
    return total / (n * h**d * (2.0 * np.pi) ** (d / 2.0))


# The course: a step of mean shift is one of gradient ascent, of length h²/p(x)


@pytest.mark.parametrize("h", [0.3, 0.8, 2.0])
def test_a_step_is_one_of_gradient_ascent_of_length_h_squared_over_p(h):
    found = mean_shift(BLOBS, h)
    for start in ([0.0, 0.0], [1.0, 3.0], BLOBS[7]):
        way = found.trajectories([start]).ways[0]
        step = h**2 / found.density.pdf(way[0])[0] * gradient(BLOBS, way[0], h)
        assert np.allclose(way[1] - way[0], step, atol=1e-10)


@pytest.mark.parametrize("window", WINDOWS)
@settings(max_examples=40, deadline=None)
@given(X=points, h=st.floats(0.5, 4.0))
def test_the_density_never_falls_on_the_way(window, X, h):
    found = mean_shift(X, h, window=window)
    for heights in found.trajectories(X).densities:
        assert np.all(np.diff(heights) >= -1e-12 * heights[1:])


def test_a_flat_step_leads_to_the_mean_within_the_radius():
    way = mean_shift(BLOBS, 1.5, window="epanechnikov").trajectories([[0.0, 4.0]]).ways[0]
    near = np.linalg.norm(BLOBS - way[0], axis=1) <= 1.5
    assert np.allclose(way[1], BLOBS[near].mean(axis=0))


def test_the_flat_step_follows_the_gradient_of_the_epanechnikov_density():
    h, at = 1.5, BLOBS[3]
    found = mean_shift(BLOBS, h, window="epanechnikov")
    small = 1e-6
    slope = [
        float(np.diff(found.density.pdf([at - small * e, at + small * e]))[0]) / (2.0 * small)
        for e in np.eye(2)
    ]
    way = found.trajectories([at]).ways[0]
    step = way[1] - way[0]
    across = step[0] * slope[1] - step[1] * slope[0]
    assert abs(across) < 1e-6 * np.linalg.norm(step) * np.linalg.norm(slope)
    assert step @ slope > 0.0


# The same maxima as any other ascent of the same density


@pytest.mark.parametrize(("X", "h"), [(BLOBS, 0.6), (BLOBS, 1.2), (IRIS, 0.4), (IRIS[:, :1], 0.2)])
def test_modes_are_those_of_gradient_ascent_on_the_parzen_density(X, h):
    found = mean_shift(X, h)
    density = parzen(X, h)
    for start, label in zip(X[::17], found.labels[::17], strict=True):
        near = found.trajectories([start]).ends[0]  # the basin
        climbed = minimize(
            lambda x: -float(density.log_pdf(x[None])[0]),
            near + 0.02 * h,
            jac=lambda x: -gradient(X, x, h) / density.pdf(x[None])[0],
            tol=1e-12,
        ).x
        assert np.allclose(climbed, found.modes[label], atol=1e-4 * h)
    for mode in found.modes:
        assert np.linalg.norm(gradient(X, mode, h)) * h < 1e-6 * density.pdf(mode[None])[0]


def test_modes_are_maxima_of_the_density_around_them():
    found = mean_shift(BLOBS, 0.5)
    drawing = np.random.default_rng(0)
    for mode, height in zip(found.modes, found.heights, strict=True):
        around = mode + 0.05 * drawing.normal(size=(50, 2))
        assert found.density.pdf(around).max() <= height


def test_points_alone_and_together_reach_the_same_mode():
    found = mean_shift(IRIS, 0.45)
    ends = found.trajectories(IRIS).ends
    assert np.allclose(ends, found.modes[found.labels], atol=0.01 * 0.45)


def test_a_start_on_a_saddle_leaves_it():
    X = np.array([[-3.0, 0.0], [-3.1, 0.0], [3.0, 0.0], [3.1, 0.0], [0.0, 0.0]])
    X = np.vstack(
        [X[:4], -X[:4], [[0.0, 0.0]]]
    )  # symmetric: the last point rests where the slope is 0
    found = mean_shift(X, 1.8)
    assert found.count == 2
    assert np.allclose(np.abs(found.modes[:, 0]), np.abs(found.modes[0, 0]))
    assert abs(found.modes[0, 0]) > 1.0


def test_groups_are_the_blobs_and_one_wide_window_sees_one():
    assert mean_shift(BLOBS, 0.8).agreement(OWNERS) > 0.98
    assert mean_shift(BLOBS, 20.0).count == 1
    assert mean_shift(BLOBS[:40], 1e-3).count == 40


def test_other_points_join_the_mode_they_climb_to():
    found = mean_shift(BLOBS, 0.8)
    assert np.array_equal(found.groups_of(BLOBS[::9]), found.labels[::9])


@pytest.mark.parametrize("h", [1.2, 2.0, 3.0])
def test_flat_windows_agree_with_scikit_learn(h):
    X, _ = make_blobs(200, 2, centers=3, cluster_std=0.5, random_state=0)
    ours = mean_shift(X, h, window="epanechnikov", merge=1.0)
    theirs = MeanShift(bandwidth=h).fit(X)
    assert ours.count == len(theirs.cluster_centers_)
    assert ours.agreement(theirs.labels_) == 1.0
    ends = ours.trajectories(X).ends  # of several places of rest within h, each keeps another one
    for center in theirs.cluster_centers_:
        assert np.linalg.norm(ends - center, axis=1).min() < 1e-3 * h


def test_the_default_bandwidth_is_that_of_the_gradient_of_a_normal_law():
    X = np.random.default_rng(0).normal(size=(1000, 2))
    found = mean_shift(X)
    assert found.density.bandwidth == pytest.approx((4.0 / (6.0 * 1000)) ** (1.0 / 8.0), rel=0.05)
    assert found.count == 1


def test_trajectories_are_told_step_by_step():
    ways = mean_shift(BLOBS, 0.8).trajectories([[0.0, 0.0], [1.0, 1.0]])
    frame = ways.frame()
    assert frame["start"].value_counts().to_dict() == {0: len(ways.ways[0]), 1: len(ways.ways[1])}
    assert np.allclose(frame[["x0", "x1"]].to_numpy()[: len(ways.ways[0])], ways.ways[0])


@pytest.mark.parametrize(
    "wrong",
    [
        {"bandwidth": 0.0}, {"bandwidth": "wide"}, {"bandwidth": True}, {"window": "flat"}, {"merge": -1.0},
        {"budget": 0},
    ],
)  # fmt: skip
def test_wrong_parameters_name_the_remedy(wrong):
    with pytest.raises(InvalidInputError, match="pass"):
        mean_shift(BLOBS, **wrong)


def test_starts_of_another_width_are_refused():
    with pytest.raises(InvalidInputError, match="pass rows of 2 numbers"):
        mean_shift(BLOBS, 1.0).trajectories([[1.0, 2.0, 3.0]])


# Dense regions


@pytest.mark.parametrize("min_samples", [3, 5, 10])
@pytest.mark.parametrize("eps", [0.3, 0.6])
def test_dense_groups_are_those_of_scikit_learn(eps, min_samples):
    ours = dbscan(BLOBS, eps, min_samples)
    theirs = DBSCAN(eps=eps, min_samples=min_samples).fit(BLOBS)
    assert np.array_equal(ours.labels == -1, theirs.labels_ == -1)
    assert ours.agreement(theirs.labels_) == 1.0
    assert np.array_equal(np.flatnonzero(ours.core), theirs.core_sample_indices_)


@pytest.mark.parametrize("order", range(5))
def test_nearest_borders_do_not_depend_on_the_order_of_rows(order):
    X, _ = make_blobs(150, 2, centers=4, cluster_std=1.1, random_state=5)
    shuffled = np.random.default_rng(order).permutation(len(X))
    one = dbscan(X, 0.9, 8, border="nearest")
    other = dbscan(X[shuffled], 0.9, 8, border="nearest")
    assert np.array_equal(one.labels[shuffled] == -1, other.labels == -1)
    assert other.agreement(one.labels[shuffled]) == 1.0


def test_a_border_point_has_the_group_of_its_nearest_core_point():
    X, _ = make_blobs(150, 2, centers=4, cluster_std=1.1, random_state=5)
    found = dbscan(X, 0.9, 8, border="nearest")
    cores = np.flatnonzero(found.core)
    borders = np.flatnonzero(found.kinds == "border")
    assert len(borders)
    for point in borders:
        away = np.linalg.norm(X[cores] - X[point], axis=1)
        assert away.min() <= 0.9
        assert found.labels[point] == found.labels[cores[np.argmin(away)]]
    for point in np.flatnonzero(found.kinds == "noise"):
        assert np.linalg.norm(X[cores] - X[point], axis=1).min() > 0.9


def test_more_than_n_others_nearer_than_eps_are_n_and_two_samples():
    others, eps = 6, 0.5
    found = dbscan(BLOBS, eps, others + 2)
    distance = np.linalg.norm(BLOBS[:, None] - BLOBS, axis=2)
    assert np.array_equal(found.core, (distance < eps).sum(axis=1) - 1 > others)


def test_the_default_radius_finds_the_moons():
    X, y = make_moons(300, noise=0.04, random_state=0)
    assert dbscan(X).agreement(y) > 0.95
