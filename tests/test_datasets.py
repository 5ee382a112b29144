"""Claims about the data: shapes, seeds, means, and the recipe of the comparisons to the last bit."""

from __future__ import annotations

import numpy as np
import pytest

import chemin
from chemin import datasets


def test_the_line_is_separated_and_balanced():
    X, y = datasets.separated_line()
    assert X.shape == (10, 1)
    assert np.sum(y == 1) == np.sum(y == -1) == 5
    assert X[y == -1].max() < 0.0 < X[y == 1].min()


def test_on_the_line_s_stands_still_and_l1_goes_on_to_zero():
    path = chemin.svm_path(*datasets.separated_line(), l2=1.0)
    pinned = np.flatnonzero((path.events.elbow == 2) & (path.events.active == 1))
    assert len(pinned) > 1
    assert path.l1[-1] == 0.0
    assert path.norm1[-1] == pytest.approx(path.norm1[-2], abs=1e-12)
    assert not np.allclose(path.dual_at(path.l1[-2]), path.dual_at(0.0))


def test_the_gaussian_pair_differs_in_its_informative_variables_only():
    X, y = datasets.gaussian_pair(n_per_class=2000, p=20, n_informative=5, shift=2.0, random_state=3)
    assert X.shape == (4000, 20)
    difference = X[y == 1].mean(axis=0) - X[y == -1].mean(axis=0)
    np.testing.assert_allclose(difference, np.repeat([2.0, 0.0], [5, 15]), atol=0.15)
    np.testing.assert_allclose(X[y == 1].std(axis=0), 1.0, atol=0.1)


def test_the_gaussian_pair_has_the_published_sizes_by_default():
    X, y = datasets.gaussian_pair()
    assert X.shape == (100, 100)
    assert y.tolist() == [1] * 50 + [-1] * 50


@pytest.mark.parametrize(("n", "p", "seed"), [(100, 100, 1), (200, 5000, 2), (60, 7, 3), (11, 3, 4)])
def test_the_benchmark_follows_its_recipe_to_the_last_bit(n, p, seed):
    rng = np.random.default_rng(seed)
    y = np.r_[np.ones(n // 2), -np.ones(n - n // 2)]
    X = rng.standard_normal((n, p))
    k = min(50, p)
    X[: n // 2, :k] += 0.5
    X[n // 2 :, :k] -= 0.5
    X -= X.mean(0)
    X /= X.std(0)
    order = rng.permutation(n)
    drawn, labels = datasets.benchmark_gaussian(n, p, seed)
    np.testing.assert_array_equal(drawn, X[order])
    np.testing.assert_array_equal(labels, y[order])


@pytest.mark.parametrize("draw", [datasets.gaussian_pair, lambda **state: datasets.benchmark_gaussian(40, 6, **state)])
def test_a_seed_gives_the_same_data_and_another_seed_others(draw):
    np.testing.assert_array_equal(draw(random_state=7)[0], draw(random_state=np.random.default_rng(7))[0])
    assert not np.array_equal(draw(random_state=7)[0], draw(random_state=8)[0])


def test_breast_cancer_is_standardised_named_and_labelled_in_words():
    sample = datasets.breast_cancer()
    assert sample.X.shape == (569, 30)
    np.testing.assert_allclose(sample.X.mean(axis=0), 0.0, atol=1e-12)
    np.testing.assert_allclose(sample.X.std(axis=0), 1.0)
    assert sample.names[0] == "mean radius"
    assert np.sum(sample.y == "benign") == 357
    assert np.sum(sample.y == "malignant") == 212


def test_the_names_of_a_sample_travel_with_its_path():
    sample = datasets.breast_cancer()
    path = chemin.svm_path(sample.columns, sample.y, min_l1=200.0)
    np.testing.assert_array_equal(path.names, sample.names)
    assert path.classes.tolist() == ["benign", "malignant"]
