"""Claims about what must not matter, or must matter in a known way."""

from __future__ import annotations

import numpy as np
import pytest

import chemin
from adversarial import TABLE

NAMES = [
    "gaussian_unbalanced",
    "small_integers_balanced",
    "binary_unbalanced",
    "many_more_variables_than_points_balanced",
]
L2 = (1e-3, 1.0)
everywhere = pytest.mark.parametrize(("name", "l2"), [(name, l2) for name in NAMES for l2 in L2])


def coefficients(X, y, l2, l1=None, **options):
    """Return coefficients on a grid of l1, by default relative to the start."""
    path = chemin.svm_path(X, y, l2=l2, **options)
    grid = path.l1[0] * np.geomspace(0.95, 0.01, 12) if l1 is None else l1
    return path.coef_at(grid), grid


@everywhere
def test_a_weight_of_two_is_the_point_twice(name, l2):
    X, y, _ = TABLE[name]()
    weight = np.arange(len(y)) % 3 + 1
    once, grid = coefficients(X, y, l2, sample_weight=weight)
    again, _ = coefficients(np.repeat(X, weight, axis=0), np.repeat(y, weight), l2, grid)
    np.testing.assert_allclose(again, once, atol=1e-9)


@everywhere
def test_a_weight_of_zero_is_no_point(name, l2):
    X, y, _ = TABLE[name]()
    keep = np.arange(len(y)) % 4 > 0
    weighted, grid = coefficients(X, y, l2, sample_weight=keep.astype(float))
    fewer, _ = coefficients(X[keep], y[keep], l2, grid)
    np.testing.assert_allclose(weighted, fewer, atol=1e-9)


@everywhere
def test_the_order_of_points_and_variables_does_not_matter(name, l2):
    X, y, _ = TABLE[name]()
    rng = np.random.default_rng(0)
    rows, columns = rng.permutation(X.shape[0]), rng.permutation(X.shape[1])
    coef, grid = coefficients(X, y, l2)
    shuffled, _ = coefficients(X[rows][:, columns], y[rows], l2, grid)
    np.testing.assert_allclose(shuffled, coef[:, columns], atol=1e-9)


@everywhere
def test_exchanging_the_classes_changes_the_signs_only(name, l2):
    X, y, _ = TABLE[name]()
    coef, grid = coefficients(X, y, l2)
    opposite, _ = coefficients(X, -y, l2, grid)
    np.testing.assert_allclose(opposite, -coef, atol=1e-9)


@everywhere
def test_other_units_scale_the_coefficients(name, l2):
    """In units c times smaller X is c X; with l1 c times larger and l2 c² times larger, b is divided by c."""
    X, y, _ = TABLE[name]()
    coef, grid = coefficients(X, y, l2)
    scaled, _ = coefficients(8.0 * X, y, 64.0 * l2, 8.0 * grid)
    np.testing.assert_allclose(8.0 * scaled, coef, atol=1e-9)


@pytest.mark.parametrize("name", NAMES)
def test_an_l1_weight_is_a_change_of_units_without_ridge(name):
    """With l2 = 0, doubling a variable's L1 weight and its values doubles nothing but halves its coefficient."""
    X, y, _ = TABLE[name]()
    units = 1.0 + np.arange(X.shape[1]) % 2
    plain, weighted = (
        chemin.svm_path(X, y, l2=0.0),
        chemin.svm_path(units * X, y, l2=0.0, l1_weight=units),
    )
    for l1 in plain.l1[0] * np.geomspace(0.95, 0.01, 8):
        ours = plain.problem.objective(plain.coef_at(l1), plain.intercept_at(l1), l1)
        theirs = weighted.problem.objective(weighted.coef_at(l1), weighted.intercept_at(l1), l1)
        assert ours == pytest.approx(theirs, rel=1e-10)


@everywhere
def test_with_a_ridge_the_coefficients_do_not_jump(name, l2):
    """|db/dl1| ≤ √p / l2 (b is a projection divided by l2), so small gaps in l1 mean small gaps in b."""
    X, y, _ = TABLE[name]()
    path = chemin.svm_path(X, y, l2=l2)
    steps = np.linalg.norm(np.diff(path.coef.toarray(), axis=0), axis=1)
    assert np.all(steps <= np.sqrt(X.shape[1]) / l2 * -np.diff(path.l1) + 1e-9)


def test_a_column_that_is_never_penalised_is_fitted_from_the_start():
    X, y, options = TABLE["some_columns_never_penalised"]()
    path = chemin.svm_path(X, y, **options)
    free = np.flatnonzero(np.asarray(options["l1_weight"]) == 0)
    alone = chemin.svm_path(X[:, free], y)
    np.testing.assert_allclose(path.coef_at(2 * path.l1[0])[free], alone.coef_at(0.0), atol=1e-9)
