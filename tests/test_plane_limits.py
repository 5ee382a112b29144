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


@pytest.mark.parametrize(
    ("options", "match"),
    [({"l2": 0.0}, "small one"), ({"l2": 1.0, "loss": "squared_hinge"}, "a loss of lines")],
)
def test_what_has_no_limits_is_refused_with_a_remedy(options, match):
    with pytest.raises(InvalidInputError, match=match):
        chemin.same_events(*two_classes(0), **options)
