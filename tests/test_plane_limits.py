"""Claims about the l2 between which a path has the same events: the closed form, and what paths beside them do."""

from __future__ import annotations

import numpy as np
import pytest

import chemin
from chemin.exceptions import InvalidInputError
from chemin.experiments.dynamics import largest_l2


def two_classes(seed, n=30, p=5):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    y = np.arange(n) % 2
    X[:, 0] += y
    return X, y


def events(X, y, l2, min_l1=0.0):
    found = chemin.svm_path(X, y, l2=l2, min_l1=min_l1).events
    return list(zip(found["kind"].tolist(), found["index"].tolist(), strict=True))


@pytest.mark.parametrize("seed", range(5))
def test_the_largest_that_matters_is_that_of_the_closed_form(seed):
    X, y = two_classes(seed)
    closed = largest_l2(X, 2.0 * y - 1.0)[0]
    low, high = chemin.same_events(X, y, 100.0 * closed)
    assert low == pytest.approx(closed, rel=1e-10)
    assert high == np.inf


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("l2", [1e-3, 0.1, 1.0, 10.0])
def test_events_are_the_same_just_inside_and_others_just_outside(seed, l2):
    X, y = two_classes(seed)
    low, high = chemin.same_events(X, y, l2, min_l1=0.01)
    assert low < l2 < high
    here = events(X, y, l2, 0.01)
    for inside in (low * 1.0001 or 1e-12, high * 0.9999):
        assert events(X, y, inside, 0.01) == here
    for outside in (low * 0.9999, high * 1.0001):
        assert outside == 0.0 or events(X, y, outside, 0.01) != here


def test_below_the_smallest_that_matters_the_events_are_those_of_l1_alone():
    X, y = two_classes(0)
    low, high = chemin.same_events(X, y, 1e-3, min_l1=0.01)
    assert low == 0.0
    sizes = [
        np.count_nonzero(chemin.svm_path(X, y, l2=l2).coef_at(0.5)) for l2 in (0.0, 0.9 * high)
    ]
    assert sizes[0] == sizes[1]


def first_event(X, y, l2):
    """Return what happens first once the path has begun."""
    path = chemin.svm_path(X, y, l2=l2)
    return path.events["kind"][path.events["l1"] < path.l1[0]][0]


@pytest.mark.parametrize("seed", range(5))
def test_of_balanced_classes_all_three_limits_are_what_paths_and_closed_forms_say(seed):
    X, y = two_classes(seed)
    limits = chemin.l2_limits(X, y, min_l1=0.01)
    sums = (2.0 * y - 1.0) @ X
    largest = np.argmax(np.abs(sums))
    second, first = np.sort(np.abs(sums))[-2:]
    along = X[:, largest] * np.sign(sums[largest])
    # the intercept is free until points of both classes meet their margins
    width = along[y == 1].max() - along[y == 0].min()
    assert limits.l2_star == pytest.approx(0.5 * (first - second) * width, rel=1e-10)
    assert limits.l2_max == pytest.approx(chemin.same_events(X, y, 1e6, min_l1=0.01).low)
    below = [events(X, y, share * limits.l2_min, 0.01) for share in (0.999, 0.5, 0.1, 1e-3)]
    assert all(order == below[0] for order in below)
    assert events(X, y, 1.001 * limits.l2_min, 0.01) != below[0]


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("share", [0.3, 0.5])
def test_a_variable_enters_first_above_the_one_limit_and_a_point_moves_first_below(seed, share):
    X, y = two_classes(seed)
    y = np.arange(len(y)) < share * len(y)
    X[:, 1] += 2.0 * y
    star = chemin.l2_limits(X, y, min_l1=0.01).l2_star
    above = [1.0001, 3.0, 100.0] if star < np.inf else []
    assert [first_event(X, y, k * star) for k in above] == ["enter"] * len(above)
    assert first_event(X, y, 0.9999 * min(star, 1e4)) != "enter"


def test_limits_go_with_the_square_of_the_columns():
    X, y = two_classes(3)
    once = chemin.l2_limits(X, y, min_l1=0.01)
    scaled = chemin.l2_limits(1e3 * X, y, min_l1=10.0)
    np.testing.assert_allclose(scaled, 1e6 * np.array(once), rtol=1e-7)


def test_one_variable_is_never_followed_by_another():
    X, y = two_classes(0)
    assert chemin.l2_limits(X[:, :1], y).l2_star == np.inf


@pytest.mark.parametrize(
    ("options", "match"),
    [({"l2": 0.0}, "small one"), ({"l2": 1.0, "loss": "squared_hinge"}, "a loss of lines")],
)
def test_what_has_no_limits_is_refused_with_a_remedy(options, match):
    with pytest.raises(InvalidInputError, match=match):
        chemin.same_events(*two_classes(0), **options)


def test_where_nothing_happens_there_are_no_limits():
    X, y = two_classes(0)
    with pytest.raises(InvalidInputError, match="above min_l1 = 1000"):
        chemin.l2_limits(X, y, min_l1=1e3)


def test_limits_of_a_loss_that_bends_are_refused():
    with pytest.raises(InvalidInputError, match="a loss of lines"):
        chemin.l2_limits(*two_classes(0), loss="squared_hinge")
