"""Claims of a course on groups, each against brute force, SciPy or scikit-learn: trees, means, medoids, kernels."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, product
from math import factorial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.cluster.hierarchy import linkage as scipy_linkage
from scipy.spatial.distance import cdist
from scipy.special import stirling2
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs, make_circles
from sklearn.metrics import silhouette_score

from chemin.exploration.groups import (
    hierarchy,
    inertia_curve,
    kernel_kmeans,
    kmeans,
    kmedoids,
    lloyd,
    soft_kmeans,
)
from chemin.kernels import Gaussian

LINKAGES = ("single", "complete", "average", "ward")
FEW = np.random.default_rng(4).normal(size=(11, 2))
BLOBS, FROM = make_blobs(200, centers=4, cluster_std=0.6, random_state=3)
# Nine points, found by a random search, of which the four linkages make what the text of the course says.
NINE = np.array(
    [
        [1.1, 0.0],
        [0.0, 1.4],
        [3.2, 1.2],
        [2.3, 1.9],
        [4.1, 0.3],
        [6.7, 5.7],
        [6.3, 0.3],
        [7.6, 2.3],
        [5.3, 3.8],
    ]
)


def inertia(X: np.ndarray) -> float:
    return float(np.sum((X - X.mean(axis=0)) ** 2))


def apart(linkage: str, A: np.ndarray, B: np.ndarray) -> float:
    pairs = [np.linalg.norm(a - b) for a in A for b in B]
    if linkage == "ward":
        share = len(A) * len(B) / (len(A) + len(B))
        return share * float(np.sum((A.mean(axis=0) - B.mean(axis=0)) ** 2))
    return {"single": min, "complete": max, "average": np.mean}[linkage](pairs)


def merged(X: np.ndarray, linkage: str) -> tuple[list[float], list[set[frozenset[int]]]]:
    """Return the heights of all merges and the groups before and after each, from the definition."""
    groups = [frozenset([row]) for row in range(len(X))]
    heights, levels = [], [set(groups)]
    while len(groups) > 1:
        first, second = min(
            combinations(groups, 2),
            key=lambda two: apart(linkage, X[list(two[0])], X[list(two[1])]),
        )
        heights.append(apart(linkage, X[list(first)], X[list(second)]))
        groups = [group for group in groups if group not in (first, second)] + [first | second]
        levels.append(set(groups))
    return heights, levels


def as_sets(labels: np.ndarray) -> set[frozenset[int]]:
    return {frozenset(np.flatnonzero(labels == label).tolist()) for label in np.unique(labels)}


def numbered(*groups: str) -> set[frozenset[int]]:
    return {frozenset(int(digit) - 1 for digit in group) for group in groups}


@pytest.mark.parametrize("linkage", LINKAGES)
def test_merges_are_those_of_the_definition(linkage):
    tree = hierarchy(FEW, linkage)
    heights, levels = merged(FEW, linkage)
    np.testing.assert_allclose(tree.heights, heights, rtol=1e-12)
    for groups in range(1, len(FEW) + 1):
        assert as_sets(tree.cut(groups).labels) == levels[len(FEW) - groups]


def test_ward_is_the_rise_of_the_inertia_and_half_of_scipy_s_squared_height():
    tree = hierarchy(FEW, "ward")
    within = [tree.cut(groups).inertia for groups in range(len(FEW), 0, -1)]
    np.testing.assert_allclose(np.diff(within), tree.heights, rtol=1e-10)
    np.testing.assert_allclose(tree.heights, scipy_linkage(FEW, "ward")[:, 2] ** 2 / 2, rtol=1e-12)
    assert tree.heights.sum() == pytest.approx(inertia(FEW))


@settings(max_examples=50, deadline=None)
@given(st.lists(st.tuples(*[st.integers(-9, 9)] * 3), min_size=2, max_size=9), st.data())
def test_ward_of_any_two_groups_is_the_rise_of_the_inertia(points, data):
    X = np.array(points, dtype=float)
    split = data.draw(st.integers(1, len(X) - 1))
    A, B = X[:split], X[split:]
    assert apart("ward", A, B) == pytest.approx(inertia(X) - inertia(A) - inertia(B), abs=1e-9)


def test_ward_merges_large_with_small_before_equals_at_one_distance():
    equal = apart("ward", np.zeros((50, 1)), np.ones((50, 1)))
    unequal = apart("ward", np.zeros((99, 1)), np.ones((1, 1)))
    assert (equal, unequal) == (25.0, 0.99)


@pytest.mark.parametrize("linkage", LINKAGES)
def test_heights_never_fall(linkage):
    assert np.all(np.diff(hierarchy(BLOBS, linkage).heights) >= 0.0)


@pytest.mark.parametrize("linkage", LINKAGES)
def test_a_cut_undoes_the_merges_above_a_height(linkage):
    tree = hierarchy(FEW, linkage)
    for groups in range(1, len(FEW)):
        low, high = np.append(tree.heights, np.inf)[[len(FEW) - groups - 1, len(FEW) - groups]]
        between = tree.cut(height=(low + min(high, 2 * low + 1)) / 2)
        assert as_sets(between.labels) == as_sets(tree.cut(groups).labels)
    for merge, height in enumerate(tree.heights):
        assert tree.cut(height=float(height)).count == len(FEW) - 1 - merge


@pytest.mark.parametrize("linkage", LINKAGES)
def test_the_default_cut_lies_in_the_largest_jump(linkage):
    tree = hierarchy(BLOBS, linkage)
    steps = np.diff(tree.heights)
    low, high = tree.jump
    assert high - low == steps.max()
    assert tree.cut().count == len(BLOBS) - 1 - int(np.argmax(steps))
    assert as_sets(tree.cut().labels) == as_sets(tree.cut(height=(low + high) / 2).labels)


@pytest.mark.parametrize("linkage", LINKAGES)
def test_the_largest_jump_parts_two_clear_groups(linkage):
    X = np.concatenate([FEW, FEW + 20.0])
    assert hierarchy(X, linkage).cut().labels.tolist() == [0] * 11 + [1] * 11


@pytest.mark.parametrize(
    ("linkage", "groups", "told"),
    [
        ("single", 7, numbered("345", "1", "2", "6", "7", "8", "9")),
        ("complete", 3, numbered("1234", "57", "689")),
        ("average", 2, numbered("12345", "6789")),
        ("ward", 2, numbered("12345", "6789")),
    ],
)
def test_nine_points_are_grouped_as_figure_3_1_says(linkage, groups, told):
    tree = hierarchy(NINE, linkage)
    assert as_sets(tree.cut(groups).labels) == told
    assert as_sets(tree.cut().labels) == told


def test_complete_linkage_parts_points_4_and_5_of_figure_3_1():
    labels = hierarchy(NINE, "complete").cut(2).labels
    assert labels[3] != labels[4]


def test_a_bridge_makes_single_linkage_merge_what_ward_keeps_apart():
    ends = [BLOBS[group == FROM].mean(axis=0) for group in (0, 1)]
    X = np.concatenate([BLOBS, np.linspace(*ends, 40)])
    bridged = {linkage: hierarchy(X, linkage).cut(4).labels[:200] for linkage in LINKAGES}
    both = np.isin(FROM, (0, 1))
    assert len(np.unique(bridged["single"][both])) == 1
    held = [np.bincount(bridged["ward"][one == FROM]).argmax() for one in (0, 1)]
    assert held[0] != held[1]


SMALL = st.lists(st.tuples(st.integers(-5, 5), st.integers(-5, 5)), min_size=3, max_size=15)


@settings(max_examples=150, deadline=None)
@given(SMALL, st.integers(1, 3), st.integers(0, 5))
def test_lloyd_s_inertia_never_rises_and_rests_at_a_local_minimum(points, groups, seed):
    X = np.array(points, dtype=float)
    trace = lloyd(X, groups, random_state=seed)
    inertias = np.array([step.inertia for step in trace.steps])
    assert np.all(np.diff(inertias) <= 1e-9)
    last, before = trace.steps[-1], trace.steps[-2]
    assert np.array_equal(last.labels, before.labels)
    squares = cdist(X, last.centers, "sqeuclidean")
    assert np.all(squares[np.arange(len(X)), last.labels] <= squares.min(axis=1))
    for group in np.unique(last.labels):
        np.testing.assert_allclose(last.centers[group], X[last.labels == group].mean(axis=0))
    assert last.inertia == pytest.approx(squares.min(axis=1).sum())


def test_a_centre_without_points_stays_where_it_is():
    trace = lloyd([0.0, 1.0, 2.0], start=[[0.0], [2.0], [100.0]])
    assert trace.steps[-1].centers.ravel().tolist() == [0.5, 2.0, 100.0]
    assert trace.labels.tolist() == [0, 0, 1]


def test_lloyd_visits_no_partition_twice_so_that_its_steps_are_bounded_by_stirling_s_number():
    X, bound = FEW[:8], int(stirling2(8, 3, exact=True))
    assert bound == 966
    for start in combinations(range(8), 3):
        steps = lloyd(X, start=X[list(start)]).steps[:-1]
        visited = [tuple(step.labels) for step in steps]
        assert len(set(visited)) == len(visited) <= bound


def test_stirling_s_number_of_1000_points_in_10_groups_is_2_755e993():
    count = int(stirling2(1000, 10, exact=True))
    assert len(str(count)) == 994
    assert str(count).startswith("2755")
    assert float(Fraction(10**1000, factorial(10)) / count) == pytest.approx(1.0, rel=1e-12)
    assert count > 10**80  # atoms


def least_inertia(X: np.ndarray, groups: int) -> float:
    """Return the least inertia over all partitions, by enumeration."""
    return min(
        sum(inertia(X[np.array(labels) == group]) for group in range(groups))
        for labels in product([0], *[range(groups)] * (len(X) - 1))
        if len(set(labels)) == groups
    )


def test_the_least_inertia_falls_with_every_group_and_restarts_find_it():
    X = FEW[:7]
    least = [least_inertia(X, groups) for groups in range(1, 5)]
    assert np.all(np.diff(least) < 0.0)
    np.testing.assert_allclose(inertia_curve(X, 4, restarts=20).inertias, least, rtol=1e-10)
    found = [kmeans(X, groups, restarts=20).inertia for groups in range(1, 5)]
    np.testing.assert_allclose(found, least, rtol=1e-10)


def test_one_group_has_the_total_inertia_and_a_group_per_point_none():
    curve = inertia_curve(FEW, 99, restarts=2)
    assert curve.counts.tolist() == list(range(1, len(FEW) + 1))
    assert curve.inertias[0] == pytest.approx(inertia(FEW))
    assert curve.inertias[-1] == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("seed", [3, 5, 8])
def test_the_elbow_is_at_the_number_of_clear_groups(seed):
    corners = list(product([0.0, 9.0], repeat=2))
    X, _ = make_blobs(150, centers=corners, cluster_std=0.5, random_state=seed)
    assert inertia_curve(X, 8, restarts=5).elbow == 4


@pytest.mark.parametrize("start", ["random", "k-means++"])
def test_k_means_is_that_of_scikit_learn_and_a_fixed_point_of_lloyd(start):
    found = kmeans(BLOBS, 4, start=start, restarts=10)
    theirs = KMeans(4, init=start, n_init=20, random_state=1).fit(BLOBS)
    assert found.inertia == pytest.approx(theirs.inertia_, rel=1e-9)
    assert found.inertia == pytest.approx(found.restarts.min(), rel=1e-9)
    assert found.agreement(theirs.labels_) == 1.0
    rested = lloyd(BLOBS, start=found.centers)
    np.testing.assert_allclose(rested.steps[-1].centers, found.centers, atol=1e-12)


def test_lloyd_ends_where_scikit_learn_s_ends_from_the_same_start():
    for seed in range(5):
        start = BLOBS[np.random.default_rng(seed).choice(len(BLOBS), 4, replace=False)]
        theirs = KMeans(4, init=start, n_init=1, tol=0.0, algorithm="lloyd").fit(BLOBS)
        trace = lloyd(BLOBS, start=start)
        np.testing.assert_allclose(trace.steps[-1].centers, theirs.cluster_centers_, atol=1e-9)
        assert trace.inertia == pytest.approx(theirs.inertia_)


def test_many_rows_are_grouped_by_small_batches_at_a_slightly_larger_inertia():
    X, origin = make_blobs(20_000, centers=3, random_state=1)
    found = kmeans(X, 3, restarts=3)
    least = KMeans(3, init=found.centers, n_init=1).fit(X).inertia_
    assert found.method == "k-means by small batches"
    assert len(found.labels) == 20_000
    assert least * (1 - 1e-9) <= found.inertia <= 1.02 * least
    assert found.agreement(origin) > 0.9


@pytest.mark.parametrize("metric", ["euclidean", "cityblock", "chebyshev"])
def test_no_exchange_of_a_medoid_lowers_the_total_distance(metric):
    for seed in range(6):
        X = np.random.default_rng(seed).normal(size=(12, 2))
        distance = cdist(X, X, metric)
        totals = total_distances(distance, 3)
        found = kmedoids(X, 3, metric=metric)
        chosen = set(found.medoids.tolist())
        assert found.distance == pytest.approx(totals[tuple(sorted(chosen))])
        near = [total for subset, total in totals.items() if len(chosen & set(subset)) == 2]
        assert len(near) == 3 * 9
        assert found.distance <= min(near) + 1e-12
        assert np.array_equal(found.labels, np.argmin(distance[:, found.medoids], axis=1))


@pytest.mark.parametrize("metric", ["euclidean", "cityblock", "chebyshev"])
def test_medoids_of_clear_groups_are_the_best_of_all_subsets(metric):
    for seed in range(6):
        X, _ = make_blobs(18, centers=[(0, 0), (0, 9), (9, 0)], random_state=seed)
        totals = total_distances(cdist(X, X, metric), 3)
        assert kmedoids(X, 3, metric=metric).distance == pytest.approx(min(totals.values()))


def total_distances(distance: np.ndarray, count: int) -> dict[tuple[int, ...], float]:
    """Return the total distance to their nearest of all subsets of so many points."""
    subsets = combinations(range(len(distance)), count)
    return {subset: float(distance[:, subset].min(axis=1).sum()) for subset in subsets}


def letters_changed(a: str, b: str) -> int:
    """Return the distance of Levenshtein."""
    row = list(range(len(b) + 1))
    for i, one in enumerate(a, 1):
        before, row = row, [i]
        for j, other in enumerate(b, 1):
            row.append(min(before[j] + 1, row[-1] + 1, before[j - 1] + (one != other)))
    return row[-1]


def test_words_are_grouped_by_a_distance_of_one_s_own():
    words = ["chat", "chats", "chatte", "voiture", "voitures", "toiture"]
    distance = np.array([[letters_changed(a, b) for b in words] for a in words], dtype=float)
    assert distance[0, 2] == 2
    assert distance[3, 5] == 1
    found = kmedoids(words, 2, metric=letters_changed)
    assert found.labels.tolist() == [0, 0, 0, 1, 1, 1]
    totals = [distance[:, list(two)].min(axis=1).sum() for two in combinations(range(6), 2)]
    assert found.distance == min(totals)
    given_ = kmedoids(distance, 2, metric="precomputed")
    assert given_.labels.tolist() == found.labels.tolist()
    assert given_.medoids.tolist() == found.medoids.tolist()


@pytest.mark.parametrize("seed", range(4))
def test_a_linear_kernel_gives_fixed_points_of_k_means(seed):
    X = np.random.default_rng(seed).normal(size=(40, 3))
    found = kernel_kmeans(X, 3, "linear", restarts=3, random_state=seed)
    assert found.kernel_inertia == pytest.approx(found.inertia)
    rested = lloyd(X, start=found.means)
    assert np.array_equal(rested.labels, found.labels)
    np.testing.assert_allclose(rested.steps[-1].centers, found.means, atol=1e-12)


def test_a_linear_kernel_finds_the_groups_of_k_means():
    found = kernel_kmeans(BLOBS, 4, "linear")
    assert found.agreement(kmeans(BLOBS, 4)) == 1.0
    assert found.kernel_inertia == pytest.approx(kmeans(BLOBS, 4).inertia)


def test_kernel_inertia_is_that_of_the_distances_the_kernel_makes():
    kernel = Gaussian(width=0.8)
    found = kernel_kmeans(FEW, 3, kernel)
    gram = np.exp(-cdist(FEW, FEW, "sqeuclidean") / (2 * 0.8**2))
    total = 0.0
    for group in range(3):
        inside = gram[np.ix_(found.labels == group, found.labels == group)]
        total += np.trace(inside) - inside.sum() / len(inside)
    assert found.kernel_inertia == pytest.approx(total)
    assert found.kernel_inertia == found.restarts.min()


def test_a_gaussian_kernel_parts_two_rings_and_means_do_not():
    X, ring = make_circles(200, factor=0.2, noise=0.03, random_state=0)
    assert kmeans(X, 2).agreement(ring) < 0.1
    assert kernel_kmeans(X, 2, Gaussian(width=0.3), restarts=20).agreement(ring) == 1.0


@pytest.mark.parametrize("seed", range(5))
def test_soft_k_means_tends_to_lloyd_as_the_variance_falls(seed):
    start = BLOBS[np.random.default_rng(seed).choice(len(BLOBS), 4, replace=False)]
    hard = lloyd(BLOBS, start=start)
    for sigma in (0.01, 0.001, 1e-200, 0.0):
        soft = soft_kmeans(BLOBS, sigma, start=start)
        np.testing.assert_allclose(soft.centers, hard.steps[-1].centers, atol=1e-6)
    rested = soft_kmeans(BLOBS, 0.001, start=start)
    assert np.array_equal(rested.labels, hard.labels)
    assert np.all(rested.responsibilities.max(axis=1) > 1 - 1e-6)


def test_a_soft_step_is_em_with_one_fixed_variance_and_equal_weights():
    start, sigma = FEW[:3], 0.8
    densities = np.exp(-cdist(FEW, start, "sqeuclidean") / (2 * sigma**2))
    gamma = densities / densities.sum(axis=1, keepdims=True)
    means = (gamma.T @ FEW) / gamma.sum(axis=0)[:, None]
    np.testing.assert_allclose(soft_kmeans(FEW, sigma, start=start, steps=1).centers, means)


def test_a_large_variance_brings_all_centres_to_the_mean():
    centers = soft_kmeans(FEW, 100.0, start=FEW[:3]).centers
    np.testing.assert_allclose(centers, np.tile(FEW.mean(axis=0), (3, 1)), atol=1e-3)


def test_silhouettes_are_those_of_the_definition():
    found = kmeans(FEW, 3)
    distance = cdist(FEW, FEW)
    for row, label in enumerate(found.labels):
        own = found.labels == label
        if own.sum() == 1:
            assert found.silhouettes[row] == 0.0
            continue
        a = distance[row, own].sum() / (own.sum() - 1)
        b = min(distance[row, found.labels == o].mean() for o in range(3) if o != label)
        assert found.silhouettes[row] == pytest.approx((b - a) / max(a, b))
    assert found.silhouette == pytest.approx(silhouette_score(FEW, found.labels))
    assert found.agreement(found.labels + 5) == 1.0
