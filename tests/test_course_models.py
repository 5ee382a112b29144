"""Claims about models of the registry: what the course says in closed form is what they compute."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_diabetes, load_iris
from sklearn.exceptions import ConvergenceWarning

from chemin.evaluate import make_splits
from chemin.models import find

X, Y = load_diabetes(return_X_y=True)
X = (X[:120] - X[:120].mean(axis=0)) / X[:120].std(axis=0)
Y = Y[:120]
FLOWERS, KINDS = load_iris(return_X_y=True)


def normal_equations(X: np.ndarray, y: np.ndarray, penalty: float = 0.0) -> np.ndarray:
    """Return (XᵀX + Λ)⁻¹ Xᵀy with a column of ones, whose weight is not penalised."""
    ones = np.column_stack([np.ones(len(X)), X])
    free = penalty * np.eye(ones.shape[1])
    free[0, 0] = 0.0
    return np.linalg.solve(ones.T @ ones + free, ones.T @ y)


def test_least_squares_solve_the_normal_equations():
    fitted = find("ols").build(*X.shape, 0).fit(X, Y)
    assert np.allclose([fitted.intercept_, *fitted.coef_], normal_equations(X, Y))


@pytest.mark.parametrize("penalty", [0.1, 10.0, 1e9])
def test_ridge_leaves_the_intercept_free_and_ends_at_the_mean(penalty):
    fitted = find("ridge").build(*X.shape, 0).set_params(alphas=[penalty]).fit(X, Y)
    assert np.allclose([fitted.intercept_, *fitted.coef_], normal_equations(X, Y, penalty))
    if penalty > 1e6:
        assert np.allclose(fitted.predict(X), Y.mean(), atol=1e-3)


@pytest.mark.parametrize("penalty", [0.1, 3.0])
def test_kernel_ridge_has_the_mean_for_an_intercept(penalty):
    model = find("kernel-ridge").build(*X.shape, 0)
    fitted = model.set_params(regressor__alpha=penalty, regressor__gamma=0.05).fit(X, Y)
    squares = np.sum((X[:, None] - X) ** 2, axis=2)
    K = np.exp(-0.05 * squares)
    # f = b + Yᵀ(K + λI)⁻¹κ(x), b the mean of y
    expected = Y.mean() + K @ np.linalg.solve(K + penalty * np.eye(len(X)), Y - Y.mean())
    assert np.allclose(fitted.predict(X), expected)


def test_two_gaussians_of_one_covariance_have_a_straight_boundary():
    two = KINDS < 2
    points, labels = FLOWERS[two], KINDS[two]
    fitted = find("lda").build(*points.shape, 0).set_params(shrinkage=None).fit(points, labels)
    means = [points[labels == k].mean(axis=0) for k in (0, 1)]
    away = points - np.array(means)[labels]
    covariance = away.T @ away / len(points)
    weights = np.linalg.solve(covariance, means[1] - means[0])
    assert np.allclose(fitted.coef_[0], weights, rtol=1e-6)
    offset = 0.5 * (
        means[0] @ np.linalg.solve(covariance, means[0])
        - means[1] @ np.linalg.solve(covariance, means[1])
    )
    assert fitted.intercept_[0] == pytest.approx(
        offset
    )  # as many of each, so that the priors say nothing


def test_neighbours_vote():
    fitted = find("knn").build(*FLOWERS.shape, 0).set_params(n_neighbors=7).fit(FLOWERS, KINDS)
    for x in FLOWERS[::11] + 0.01:
        near = np.argsort(np.linalg.norm(FLOWERS - x, axis=1), kind="stable")[:7]
        votes = np.bincount(KINDS[near], minlength=3)
        assert votes[fitted.predict([x])[0]] == votes.max()


def test_a_network_of_five_three_and_two_has_twenty_six_weights():
    model = find("mlp")
    points = np.column_stack([FLOWERS, FLOWERS[:, 0] ** 2])
    fitted = model.build(*points.shape, 0).set_params(hidden_layer_sizes=(3,), max_iter=5)
    with pytest.warns(ConvergenceWarning):
        fitted.fit(points, np.eye(2, dtype=int)[np.minimum(KINDS, 1)])  # two outputs
    assert model.measure_length(fitted) == (26, "weights")


def test_five_folds_test_every_row_once():
    splits = make_splits(103, folds=5, classes=False)
    assert sorted(np.concatenate([test for _, test in splits]).tolist()) == list(range(103))
    assert all(len(np.intersect1d(train, test)) == 0 for train, test in splits)
    assert len(list(make_splits(30, kind="leave-one-out", classes=False))) == 30
