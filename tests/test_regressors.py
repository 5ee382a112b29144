"""Claims about regressors: exact l1 by cross-validation, weights, units, and errors that name the remedy."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import (
    load_diabetes,
    make_friedman1,
    make_regression,
    make_sparse_uncorrelated,
)
from sklearn.linear_model import QuantileRegressor
from sklearn.model_selection import KFold
from sklearn.preprocessing import scale
from sklearn.utils.estimator_checks import parametrize_with_checks

import chemin
from chemin import SparseRegressor, SparseRegressorCV
from chemin.exceptions import EmptyModelWarning, InvalidInputError
from chemin.problems import Absolute, EpsilonInsensitive, Quantile

CHECKED = [
    SparseRegressor(),
    SparseRegressor(loss=Quantile(0.3), standardize=True),
    SparseRegressor(loss="epsilon_insensitive"),
    SparseRegressorCV(cv=3),
    SparseRegressorCV(cv=3, rule="1se", loss=Quantile(0.3)),
]


@parametrize_with_checks(CHECKED)
def test_scikit_learn_is_content(estimator, check):
    check(estimator)


def outliers(seed):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((90, 6))
    noise = 0.3 * rng.standard_t(1.5, 90)
    return X, X[:, 0] - 2.0 * X[:, 2] + noise


SETS = {
    "diabetes": lambda: load_diabetes(return_X_y=True),
    "a line with noise": lambda: make_regression(80, 10, n_informative=4, noise=20, random_state=0),
    "a curve": lambda: make_friedman1(90, random_state=1),
    "few of many": lambda: make_sparse_uncorrelated(60, 12, random_state=2),
    "outliers": lambda: outliers(3),
}
LOSSES = {"absolute": Absolute(), "quantile": Quantile(0.8), "tube": EpsilonInsensitive(0.5)}


def pay(loss, y, f):
    """The three losses, written out once more."""
    if isinstance(loss, Quantile):
        return np.where(y > f, loss.level * (y - f), (1 - loss.level) * (f - y))
    width = loss.epsilon if isinstance(loss, EpsilonInsensitive) else 0.0
    return np.maximum(np.abs(y - f) - width, 0.0)


def fold_losses(X, y, loss, folds, l2, levels):
    """The mean loss of every fold at some l1, each solved on its own path."""
    found = []
    for train, test in folds:
        path = chemin.path(X[train], y[train], loss=loss, l2=l2, min_l1=float(levels.min()))
        f = path.coef_at(levels) @ X[test].T + path.intercept_at(levels)[:, None]
        found.append(pay(loss, y[test], f).mean(axis=1))
    return np.array(found)


@pytest.mark.parametrize("kind", LOSSES)
@pytest.mark.parametrize("name", SETS)
def test_no_l1_of_a_fine_grid_is_better(name, kind):
    X, y = SETS[name]()
    X, y = scale(X), scale(y)
    loss = LOSSES[kind]
    folds = list(KFold(4).split(X))
    model = SparseRegressorCV(loss=loss, cv=folds, min_ratio=0.01).fit(X, y)
    found = model.cv_results_
    ends = found["curve"]["l1"][[0, -1]]
    grid = np.geomspace(*ends, 2000)
    at_chosen = fold_losses(X, y, loss, folds, 1.0, np.append(grid, found["l1"]))
    means = at_chosen.mean(axis=0)
    assert means[-1] == pytest.approx(found["error"], abs=1e-9)
    assert means[:-1].min() >= found["error"] - 1e-9


def test_1se_is_the_largest_l1_within_a_standard_error():
    X, y = SETS["outliers"]()
    folds = list(KFold(4).split(X))
    best = SparseRegressorCV(cv=folds).fit(X, y).cv_results_
    limit = best["error"] + best["standard_error"]
    model = SparseRegressorCV(cv=folds, rule="1se").fit(X, y)
    assert model.l1_ > best["l1"]
    assert model.cv_results_["error"] == pytest.approx(limit, abs=1e-9)
    grid = np.geomspace(model.l1_ * (1.0 + 1e-9), best["curve"]["l1"][0], 500)
    assert fold_losses(X, y, Absolute(), folds, 1.0, grid).mean(axis=0).min() >= limit - 1e-9


def test_without_a_ridge_it_is_the_quantile_regression_of_scikit_learn():
    X, y = SETS["outliers"]()
    ours = SparseRegressor(l1=4.0, l2=0.0, loss=Quantile(0.8)).fit(X, y)
    theirs = QuantileRegressor(quantile=0.8, alpha=4.0 / len(y)).fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-6)


@pytest.mark.parametrize("estimator", [SparseRegressor(l1=2.0), SparseRegressorCV(cv=3)], ids=str)
@pytest.mark.parametrize("standardize", [False, True])
def test_a_table_an_array_and_a_sparse_array_are_one(estimator, standardize):
    X, y = SETS["outliers"]()
    table = pd.DataFrame(X, columns=list("abcdef"))
    fits = [
        clone(estimator).set_params(standardize=standardize).fit(some, y)
        for some in (X, table, sparse.csr_array(X))
    ]
    for other in fits[1:]:
        np.testing.assert_allclose(other.coef_, fits[0].coef_, atol=1e-9)
    np.testing.assert_allclose(fits[1].predict(table), fits[0].predict(X), atol=1e-9)
    assert fits[0].path_.certificate().worst_gap <= 1e-9


@pytest.mark.parametrize("loss", LOSSES)
def test_a_saved_model_predicts_the_same(loss, tmp_path):
    X, y = SETS["outliers"]()
    model = SparseRegressorCV(cv=3, loss=LOSSES[loss]).fit(X, y)
    chemin.save(model, tmp_path / "model.skops")
    np.testing.assert_array_equal(
        chemin.load(tmp_path / "model.skops").predict(X), model.predict(X)
    )


def test_units_do_not_matter_to_standardised_columns():
    X, y = SETS["outliers"]()
    units = np.geomspace(1e-3, 1e3, X.shape[1])
    one, other = (SparseRegressor(l1=2.0, standardize=True).fit(some, y) for some in (X, X * units))
    np.testing.assert_allclose(other.coef_ * units, one.coef_, atol=1e-9)


def test_two_quantiles_hold_what_they_promise():
    X, y = make_regression(400, 5, noise=30, random_state=0)
    low, high = (
        SparseRegressorCV(loss=Quantile(level), standardize=True, cv=3).fit(X[:300], y[:300])
        for level in (0.05, 0.95)
    )
    inside = (low.predict(X[300:]) <= y[300:]) & (y[300:] <= high.predict(X[300:]))
    assert 0.8 < inside.mean() < 0.97


def test_a_constant_target_is_said_to_be_one():
    with pytest.warns(EmptyModelWarning, match="y is 3 throughout"):
        model = SparseRegressor().fit([[0.0], [1.0], [2.0]], [3.0, 3.0, 3.0])
    assert model.predict([[5.0]]).tolist() == [3.0]


WRONG = {
    "labels": (SparseRegressor(), ["a", "b", "a", "b"], "y holds text.*SparseSVC"),
    "a loss of classes": (SparseRegressor(loss="hinge"), [0, 1, 2, 3], "is for classes.*SparseSVC"),
    "an unknown loss": (SparseRegressor(loss="cubic"), [0, 1, 2, 3], "loss is 'cubic'"),
    "an unknown rule": (SparseRegressorCV(cv=2, rule="least"), [0, 1, 2, 3], "'best' or '1se'"),
    "a negative l1": (SparseRegressor(l1=-1.0), [0, 1, 2, 3], "l1 is -1.0.*SparseRegressorCV"),
    "a negative l2": (SparseRegressor(l2=-1.0), [0, 1, 2, 3], "l2 is -1.0"),
    "too many folds": (SparseRegressorCV(cv=9), [0, 1, 2, 3], "4 points.*9 folds"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_named_with_a_remedy(name):
    estimator, y, message = WRONG[name]
    with pytest.raises(InvalidInputError, match=message):
        clone(estimator).fit([[0.0], [1.0], [2.0], [4.0]], y)


def test_an_early_end_is_said():
    X, y = SETS["outliers"]()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = SparseRegressor(l1=0.5, max_events=5).fit(X, y)
    assert any("The model is that of l1" in str(one.message) for one in caught)
    assert model.l1_ > 0.5
