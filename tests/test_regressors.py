"""Claims about regressors: exact l1 by cross-validation, weights, units, and errors that name the remedy."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import (
    load_breast_cancer,
    load_diabetes,
    make_friedman1,
    make_regression,
    make_sparse_uncorrelated,
)
from sklearn.linear_model import QuantileRegressor
from sklearn.model_selection import KFold
from sklearn.preprocessing import scale
from sklearn.svm import LinearSVC
from sklearn.utils.estimator_checks import parametrize_with_checks

import chemin
from chemin import (
    IntervalRegressor,
    KernelBasisRegressor,
    KernelBasisRegressorCV,
    SparseRegressor,
    SparseRegressorCV,
    SparseSVC,
    SparseSVCCV,
)
from chemin.exceptions import EmptyModelWarning, InvalidInputError
from chemin.kernels import widths
from chemin.problems import Absolute, EpsilonInsensitive, Huber, HuberizedHinge, Quantile, Squared

CHECKED = [
    SparseRegressor(),
    SparseRegressor(loss="huber", relax=0.5),
    SparseRegressor(loss=Quantile(0.3), standardize=True),
    SparseRegressor(loss="epsilon_insensitive"),
    SparseRegressorCV(cv=3),
    SparseRegressorCV(cv=3, rule="1se", loss=Quantile(0.3)),
    SparseRegressorCV(cv=3, rule="fewest", relax="auto", loss="absolute"),
    KernelBasisRegressor(),
    KernelBasisRegressorCV(cv=2, min_ratio=0.1),
    IntervalRegressor(SparseRegressor()),
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
LOSSES = {
    "squared": Squared(),
    "huber": Huber(0.5),
    "absolute": Absolute(),
    "quantile": Quantile(0.8),
    "tube": EpsilonInsensitive(0.5),
}


def pay(loss, y, f):
    """The losses, written out once more."""
    if isinstance(loss, Squared):
        return 0.5 * (y - f) ** 2
    if isinstance(loss, Huber):
        away = np.abs(y - f)
        bent = np.minimum(away, loss.delta)
        return bent * (away - 0.5 * bent)
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
    ends = found["curve"][0]["l1"][[0, -1]]
    grid = np.geomspace(*ends, 2000)
    at_chosen = fold_losses(X, y, loss, folds, 1.0, np.append(grid, found["l1"]))
    means = at_chosen.mean(axis=0)
    assert means[-1] == pytest.approx(found["error"][0], abs=1e-9)
    assert means[:-1].min() >= found["error"][0] - 1e-12


@pytest.mark.parametrize(("kind", "seed"), [("squared", 5), ("huber", 4)])
def test_at_the_chosen_l1_a_smooth_loss_is_flat(kind, seed):
    """The exact minimum of a piecewise-quadratic curve, not the best of its breakpoints."""
    X, y = make_regression(120, 20, n_informative=6, noise=60, random_state=seed)
    X, y = scale(X), scale(y)
    folds = list(KFold(4).split(X))
    found = SparseRegressorCV(loss=LOSSES[kind], cv=folds).fit(X, y).cv_results_
    l1 = found["l1"][0]
    assert not np.any(np.isclose(found["curve"][0]["l1"], l1, rtol=1e-6))
    near = l1 * np.array([1.0 - 1e-4, 1.0, 1.0 + 1e-4])
    before, here, after = fold_losses(X, y, LOSSES[kind], folds, 1.0, near).mean(axis=0)
    assert here < before
    assert here < after
    assert abs(after - before) < 1e-2 * (before + after - 2.0 * here)


def test_1se_is_the_largest_l1_within_a_standard_error():
    X, y = SETS["outliers"]()
    folds = list(KFold(4).split(X))
    best = SparseRegressorCV(loss="absolute", cv=folds).fit(X, y).cv_results_
    limit = best["error"][0] + best["standard_error"][0]
    model = SparseRegressorCV(loss="absolute", cv=folds, rule="1se").fit(X, y)
    assert model.l1_ > best["l1"][0]
    assert model.cv_results_["error"][0] == pytest.approx(limit, abs=1e-9)
    grid = np.geomspace(model.l1_ * (1.0 + 1e-9), best["curve"][0]["l1"][0], 500)
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
    "an unknown rule": (SparseRegressorCV(cv=2, rule="least"), [0, 1, 2, 3], "'1se' or 'fewest'"),
    "a share above one": (SparseRegressor(relax=2.0), [0, 1, 2, 3], "relax is 2.0"),
    "a coverage of one": (IntervalRegressor(coverage=1.0), [0, 1, 2, 3], "coverage is 1.0"),
    "numbers for classes": (SparseSVC(), [0.1, 1.2, 2.3, 3.4], "Use SparseRegressor"),
    "a loss of numbers for classes": (SparseSVC(loss="squared"), [0, 1, 0, 1], "SparseRegressor"),
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
        model = SparseRegressor(l1=0.5, max_events=2).fit(X, y)
    assert any("The model is that of l1" in str(one.message) for one in caught)
    assert model.l1_ > 0.5


def test_relaxed_supports_shrink_less_and_may_win():
    X, y = make_regression(120, 30, n_informative=3, noise=10, random_state=1)
    shrunk = SparseRegressor(l1=3000.0, l2=0.0).fit(X, y)
    relaxed = SparseRegressor(l1=3000.0, l2=0.0, relax=0.0).fit(X, y)
    assert relaxed.support_.tolist() == shrunk.support_.tolist()
    rows = np.column_stack([np.ones(len(y)), X[:, relaxed.support_]])
    least = np.linalg.lstsq(rows, y, rcond=None)[0]
    np.testing.assert_allclose(relaxed.coef_[relaxed.support_], least[1:], rtol=1e-9)
    chosen = SparseRegressorCV(rule="fewest", relax=[0.0], cv=4).fit(X, y)
    assert chosen.relax_ == 0.0
    assert len(chosen.support_) <= 3


@pytest.mark.parametrize("rule", ["1se", "fewest"])
def test_shorter_rules_are_shorter(rule):
    X, y = SETS["diabetes"]()
    best = SparseRegressorCV(standardize=True).fit(X, y)
    other = SparseRegressorCV(standardize=True, rule=rule, relax="auto").fit(X, y)
    assert len(other.support_) < len(best.support_)
    assert other.path_.certificate().worst_gap <= 1e-9


@pytest.mark.parametrize("relax", [None, "auto"])
def test_where_nothing_predicts_the_model_is_empty(relax):
    rng = np.random.default_rng(1)
    X, y = rng.standard_normal((60, 5)), rng.standard_normal(60)
    model = SparseRegressorCV(rule="fewest", relax=relax).fit(X, y)
    assert len(model.support_) == 0
    assert model.intercept_ == pytest.approx(y.mean())


MODELS = {
    "variables": SparseRegressor(l1=2.0, standardize=True),
    "relaxed": SparseRegressorCV(relax="auto", loss="huber", cv=3),
    "couples": KernelBasisRegressor(widths([1.0, 3.0]), l1=0.5, loss="absolute"),
    "both": KernelBasisRegressorCV(cv=3, rule="fewest"),
}


@pytest.mark.parametrize("name", MODELS)
def test_terms_add_up_to_the_prediction(name):
    X, y = SETS["outliers"]()
    table = pd.DataFrame(X, columns=list("abcdef"), index=[f"P{k}" for k in range(len(X))])
    model = clone(MODELS[name]).fit(table, y)
    for reference in ("mean", table.iloc[3]):
        found = model.explain(table[:20], reference=reference)
        sums = [one.base + one.terms.sum() for one in found]
        np.testing.assert_allclose(sums, model.predict(table[:20]), atol=1e-10)
    assert found[0].sentence.startswith(f"P0, predicted {model.predict(table[:1])[0]:.4g}")
    assert "for higher" not in str(found[0])
    said = str(model.summary())
    assert "target" in said
    assert "raises the prediction" in said
    assert model.n_terms_ == len(found[0].items)
    with pytest.raises(InvalidInputError, match="predicts numbers"):
        model.explain(table[:1], reference="a")


def test_couples_are_named_by_their_targets():
    X, y = SETS["outliers"]()
    model = KernelBasisRegressor(widths([1.0, 3.0]), l1=0.5).fit(X, y)
    assert model.B_.shape == (len(y), 2)
    assert len(model.couples_) == model.B_.nnz == model.n_terms_
    row = model.couples_.iloc[0]
    assert row["label"] == y[row["point"]]
    assert "(y = " in str(model.reading().items[0])


@pytest.mark.parametrize("name", MODELS)
def test_pictures_of_numbers_speak_of_numbers(name):
    pyplot = pytest.importorskip("matplotlib.pyplot", reason="pictures need matplotlib")
    X, y = SETS["outliers"]()
    model = clone(MODELS[name]).fit(X, y)
    ax = chemin.plots.plot_explanation(model.explain(X[:1])[0])
    assert ax.get_title(loc="left").startswith("predicted")
    assert ax.get_yticklabels()[-1].get_text() == "prediction"
    chemin.plots.plot_path(model)
    for picture in (chemin.plots.plot_roc, chemin.plots.plot_boundary):
        with pytest.raises(InvalidInputError, match="predicts numbers"):
            picture(model, X, y)
    if hasattr(model, "cv_results_"):
        assert "loss" in chemin.plots.plot_choice(model).get_ylabel()
        chemin.plots.plot_trade(model)
    pyplot.close("all")


def test_an_interval_holds_its_share_and_its_middle():
    X, y = make_regression(400, 5, noise=30, random_state=0)
    model = IntervalRegressor(SparseRegressorCV(cv=3, standardize=True), coverage=0.8)
    model.fit(X[:300], y[:300])
    low, high = model.predict_interval(X[300:]).T
    assert np.all(low <= high)
    assert 0.7 < np.mean((low <= y[300:]) & (y[300:] <= high)) < 0.9
    middle = model.predict(X[300:])
    assert np.all((low <= middle) & (middle <= high))


@pytest.mark.parametrize("model", [KernelBasisRegressorCV(cv=2), IntervalRegressor()], ids=str)
def test_other_saved_regressors_predict_the_same(model, tmp_path):
    X, y = SETS["outliers"]()
    model = clone(model).fit(X, y)
    chemin.save(model, tmp_path / "model.skops")
    np.testing.assert_array_equal(
        chemin.load(tmp_path / "model.skops").predict(X), model.predict(X)
    )


@pytest.mark.parametrize("loss", ["squared_hinge", "huberized", HuberizedHinge(2.0)], ids=str)
def test_a_classifier_may_have_a_rounded_hinge(loss):
    """At l1 = 0 the squared hinge is what LIBLINEAR solves, but for the penalty of its intercept."""
    X, y = load_breast_cancer(return_X_y=True)
    model = SparseSVCCV(loss=loss, standardize=True, cv=3).fit(X, y)
    assert model.score(X, y) > 0.96
    assert model.path_.certificate().worst_gap <= 1e-9
    assert len(model.explain(X[:1])[0].terms) == len(model.support_)


def test_the_squared_hinge_is_that_of_liblinear():
    X, y = load_breast_cancer(return_X_y=True)
    X = scale(X)
    ours = SparseSVC(l1=0.0, l2=0.5, loss="squared_hinge").fit(X, y)
    theirs = LinearSVC(C=1.0, intercept_scaling=1e3, tol=1e-8, max_iter=10**5, dual=False)
    theirs.fit(X, y)  # ½‖b‖² + C Σ max(0, 1 − t)²
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-4)
