"""Claims about how many groups there are: those that were made are counted, and clouds without groups have none."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from sklearn.datasets import load_iris, make_blobs

from chemin.exceptions import InvalidInputError
from chemin.exploration import group_stability, kmeans, structure
from chemin.exploration.groups import grouping
from chemin.exploration.groups.structure import STABLE, valley_between

FEW = {"draws": 19, "halves": 6}


def drawing(seed: int) -> np.random.Generator:
    return np.random.default_rng(seed)


CLOUDS = {
    "normal": lambda r: r.normal(size=(150, 2)),
    "normal in ten dimensions": lambda r: r.normal(size=(150, 10)),
    "long": lambda r: r.normal(size=(150, 3)) * [10.0, 1.0, 1.0],
    "exponential": lambda r: r.exponential(size=(150, 2)),
    "log-normal": lambda r: r.lognormal(size=(150, 2)),
    "heavy tails": lambda r: r.standard_t(2, size=(150, 2)),
    "uniform": lambda r: r.random((150, 2)),
    "three strays": lambda r: np.vstack([r.normal(size=(150, 2)), r.normal(size=(3, 2)) + 20.0]),
    "a line": lambda r: np.outer(r.normal(size=150), [1.0, 2.0, 3.0]),
    "fewer rows than columns": lambda r: r.normal(size=(40, 200)),
}


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("cloud", CLOUDS)
def test_clouds_without_groups_have_no_structure(cloud, seed):
    found = structure(CLOUDS[cloud](drawing(seed)), 5, **FEW)
    assert found.best is None
    assert found.count == 1
    assert str(found).startswith("no structure")


@pytest.mark.parametrize("method", ["k-means", "ward"])
@pytest.mark.parametrize(("groups", "dimensions"), [(2, 2), (3, 2), (4, 5), (5, 10)])
def test_groups_that_were_made_are_counted(groups, dimensions, method):
    X, y = make_blobs(
        40 * groups, dimensions, centers=_corners(groups, dimensions), random_state=groups
    )
    found = structure(X, 7, method=method, scale=False, **FEW)
    assert found.count == groups
    assert found.best.agreement(y) > 0.95
    assert str(found).startswith(f"{groups} groups")


def _corners(groups: int, dimensions: int) -> np.ndarray:
    """Return centres eight standard deviations from one another, and more."""
    turn = 2.0 * np.pi * np.arange(groups) / groups
    radius = 4.0 / np.sin(np.pi / groups)
    centers = np.zeros((groups, dimensions))
    centers[:, :2] = radius * np.column_stack([np.cos(turn), np.sin(turn)])
    return centers


def test_groups_of_different_sizes_are_counted():
    r = drawing(0)
    X = np.vstack([r.normal(size=(200, 2)), r.normal(size=(30, 2)) + 9.0])
    assert structure(X, 5, **FEW).count == 2


def test_iris_has_two_groups_apart():
    found = structure(load_iris().data, 5, **FEW)
    assert found.count == 2
    assert sorted(found.best.sizes.tolist()) == [50, 100]


def test_it_is_repeatable_and_told_as_a_table():
    X = make_blobs(90, 2, centers=3, random_state=0)[0]
    one, other = (structure(X, 4, random_state=5, **FEW) for _ in range(2))
    assert one.frame().equals(other.frame())
    assert one.frame()["groups"].tolist() == [2, 3, 4]


def test_a_valley_is_deep_between_groups_and_none_inside_one():
    r = drawing(1)
    X = np.concatenate([r.normal(size=200), r.normal(size=200) + 6.0])[:, None]
    assert valley_between(X, np.repeat([0, 1], 200)) > 0.8
    half = (X[:200, 0] > 0).astype(int)
    assert valley_between(X[:200], half) < 0.2
    assert valley_between(X, np.zeros(400, dtype=int)) == 0.0


def test_halves_agree_about_real_groups_only():
    groups = make_blobs(150, 2, centers=_corners(3, 2), random_state=0)[0]
    noise = drawing(0).normal(size=(150, 2))
    assert group_stability(groups, 3).mean > 0.99
    assert group_stability(noise, 5).mean < STABLE
    assert len(group_stability(groups, 3, halves=7).frame()) == 7


def test_silhouettes_are_those_of_scikit_learn():
    from sklearn.metrics import silhouette_samples

    X = load_iris().data
    found = kmeans(X, 3)
    assert np.allclose(found.silhouettes, silhouette_samples(X, found.labels))
    assert found.silhouette == pytest.approx(found.silhouettes.mean())
    assert np.isnan(kmeans(X, 1).silhouette)


def test_silhouettes_of_many_rows_are_those_of_a_part(monkeypatch):
    cost = grouping.estimate_cost("silhouette", 60_000, 2)
    assert 1000 < cost.rows < 60_000
    monkeypatch.setattr(grouping, "estimate_cost", lambda *sizes: replace(cost, rows=1500))
    X = drawing(0).normal(size=(6000, 2)) + 9.0 * drawing(1).integers(2, size=6000)[:, None]
    found = kmeans(X, 2)
    assert np.sum(~np.isnan(found.silhouettes)) == 1500
    assert found.silhouette > 0.7


WRONG = {
    "an unknown method": {"method": "tea leaves"},
    "no draw": {"draws": 0},
    "no half": {"halves": 0},
    "one group at most": {"most": 0},
    "half a group": {"most": 2.5},
}


@pytest.mark.parametrize("wrong", WRONG)
def test_wrong_parameters_name_the_remedy(wrong):
    with pytest.raises(InvalidInputError, match="pass"):
        structure(load_iris().data, **WRONG[wrong])


def test_rows_all_alike_and_too_few_rows_are_refused():
    with pytest.raises(InvalidInputError, match="no groups"):
        structure(np.ones((20, 2)))
    with pytest.raises(InvalidInputError, match="at least 10 are needed"):
        structure(np.eye(4))
