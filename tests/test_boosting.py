"""Claims about boosting: votes and their bound, Newton's steps, descent of any loss by any learner."""

from __future__ import annotations

import pickle
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, clone
from sklearn.datasets import (
    load_breast_cancer,
    load_diabetes,
    load_iris,
    make_hastie_10_2,
    make_moons,
)
from sklearn.ensemble import (
    AdaBoostClassifier,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
)
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.neighbors import KNeighborsRegressor
from sklearn.neural_network import MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from sklearn.utils.estimator_checks import check_estimator

from chemin.exceptions import EmptyModelWarning, InvalidInputError
from chemin.models.boosting import (
    NUMBER_LOSSES,
    AdaBoost,
    FunctionalBoostingClassifier,
    FunctionalBoostingRegressor,
    Huber,
    LogitBoost,
    Quantile,
)
from chemin.models.boosting.line_search import best_step
from chemin.models.boosting.losses import OfMargin
from chemin.models.losses.margins import MARGIN_LOSSES
from chemin.multiclass import OneVsRest

CANCER = load_breast_cancer(return_X_y=True)
MOONS = make_moons(200, noise=0.3, random_state=0)
HASTIE = make_hastie_10_2(300, random_state=1)
DIABETES = load_diabetes(return_X_y=True)
CLASSIFIERS = (AdaBoost, LogitBoost, FunctionalBoostingClassifier)
CLASS_LOSSES = [name for name in MARGIN_LOSSES if name != "perceptron"]
LEARNERS = {
    "stump": DecisionTreeRegressor(max_depth=1),
    "tree": DecisionTreeRegressor(max_depth=3, random_state=0),
    "ridge": Ridge(0.1),
    "kernel": KernelRidge(alpha=0.1, kernel="rbf"),
    "neighbours": KNeighborsRegressor(2),
    "pipeline": make_pipeline(StandardScaler(), Ridge()),
}
tables = st.integers(0, 2**20).map(
    lambda seed: (
        np.random.default_rng(seed).integers(0, 4, (25, 3)).astype(float),
        np.append([0, 1], np.random.default_rng(seed + 1).integers(0, 2, 23)),
    )
)
few = settings(max_examples=25, deadline=None)


@pytest.mark.parametrize(
    "estimator",
    [*(one(n_estimators=8) for one in CLASSIFIERS), FunctionalBoostingRegressor(n_estimators=8)],
    ids=lambda one: type(one).__name__,
)
def test_every_check_of_scikit_learn_passes(estimator):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the checks fit hostile data on purpose
        results = check_estimator(estimator, on_fail=None, on_skip=None)
    assert not [(r["check_name"], r["exception"]) for r in results if r["status"] == "failed"]


# AdaBoost


@pytest.mark.parametrize("depth", [1, 2])
@pytest.mark.parametrize("data", [CANCER, MOONS, HASTIE], ids=["cancer", "moons", "hastie"])
def test_votes_are_half_those_of_scikit_learn_and_decide_alike(data, depth):
    X, y = data
    tree = DecisionTreeClassifier(max_depth=depth)
    ours = AdaBoost(tree, n_estimators=30, random_state=3).fit(X, y)
    theirs = AdaBoostClassifier(tree, n_estimators=30, random_state=3).fit(X, y)
    assert np.allclose(2.0 * ours.estimator_weights_, theirs.estimator_weights_, rtol=1e-9)
    assert np.allclose(ours.estimator_errors_, theirs.estimator_errors_, rtol=1e-9)
    assert np.array_equal(ours.predict(X), theirs.predict(X))
    pairs = zip(ours.staged_predict(X), theirs.staged_predict(X), strict=True)
    assert all(np.array_equal(one, other) for one, other in pairs)


def test_rounds_are_those_of_the_course():
    X, y = MOONS
    signs = 2.0 * y - 1.0
    model = AdaBoost(n_estimators=15).fit(X, y)
    w, K = np.full(len(y), 1.0 / len(y)), np.zeros(len(y))
    for learner, vote, told in zip(
        model.estimators_, model.estimator_weights_, model.estimator_errors_, strict=True
    ):
        h = learner.predict(X)
        error = w[h != signs].sum()
        alpha = 0.5 * np.log((1.0 - error) / error)
        assert (told, vote) == (pytest.approx(error), pytest.approx(alpha))
        best = DecisionTreeClassifier(max_depth=1).fit(X, signs, w).predict(X)
        assert error == pytest.approx(w[best != signs].sum())
        w = w * np.exp(-alpha * signs * h)
        w, K = w / w.sum(), K + alpha * h
    assert np.allclose(model.decision_function(X), K)
    assert np.array_equal(model.predict(X), (K > 0).astype(int))


@few
@given(table=tables, depth=st.integers(1, 3), seed=st.integers(0, 99))
def test_the_bound_is_never_below_the_training_error(table, depth, seed):
    X, y = table
    weights = np.random.default_rng(seed).uniform(0.1, 2.0, len(y))
    model = AdaBoost(DecisionTreeClassifier(max_depth=depth), n_estimators=20, random_state=0)
    for given_weights in (None, weights):
        found = model.fit(X, y, given_weights).bound()
        assert np.all(found.bounds >= found.training_errors - 1e-12)
        w = np.ones(len(y)) if given_weights is None else given_weights
        by_hand = [w[said != y].sum() / w.sum() for said in model.staged_predict(X)]
        assert np.allclose(found.training_errors, by_hand)


def test_the_bound_is_the_mean_exponential_loss_and_falls_with_the_edge():
    X, y = MOONS
    model = AdaBoost(n_estimators=40).fit(X, y)
    found, signs = model.bound(), 2.0 * y - 1.0
    means = [np.mean(np.exp(-signs * F)) for F in model.staged_decision_function(X)]
    assert np.allclose(found.bounds, means)
    edges = 0.5 - found.weighted_errors
    assert np.all(found.bounds <= np.exp(-2.0 * np.cumsum(edges**2)) + 1e-12)


def test_the_bound_says_how_many_rows_can_be_wrong_and_are():
    X, y = MOONS
    model = AdaBoost(n_estimators=40, random_state=0).fit(X[:150], y[:150])
    found = model.bound(X[150:], y[150:])
    wrong = np.sum(model.predict(X[:150]) != y[:150])
    most = int(150 * found.bounds[-1])
    assert f"at most {most} of 150 training rows can be wrong, {wrong} are; " in str(found)
    assert found.test_errors[-1] == pytest.approx(np.mean(model.predict(X[150:]) != y[150:]))
    table = found.frame()
    assert list(table["bound"]) == list(np.cumprod(table["factor"]))
    assert "test error" in table
    assert "test error" not in model.bound().frame()
    weighted = AdaBoost(n_estimators=5).fit(X, y, np.linspace(1, 2, 200))
    assert "of the weight of the training rows is wrong" in str(weighted.bound())
    with pytest.raises(InvalidInputError, match="pass both"):
        model.bound(X)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        model.bound(X, y[1:])


def test_a_learner_without_error_ends_the_rounds_and_outvotes_the_others():
    X, y = np.arange(6.0)[:, None], np.array([0, 0, 0, 1, 1, 1])
    model = AdaBoost().fit(X, y)
    assert len(model.estimators_) == 1
    assert model.stopped_ == "learner 1 is right on every training row"
    assert model.bound().bounds[-1] == 0.0 == model.bound().training_errors[-1]

    class LateGenius(DecisionTreeClassifier):
        fits = 0

        def fit(self, X, y, sample_weight=None):
            LateGenius.fits += 1
            self.set_params(max_depth=None if LateGenius.fits == 4 else 1)
            return super().fit(X, y, sample_weight)

    X, y = MOONS
    model = AdaBoost(LateGenius()).fit(X, y)
    votes = model.estimator_weights_
    assert len(votes) == 4
    assert votes[-1] > votes[:-1].sum()
    assert np.array_equal(model.predict(X), y)


def test_learners_no_better_than_chance_end_the_rounds():
    X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    y = np.array([0, 1, 1, 0])
    with pytest.warns(EmptyModelWarning, match="deeper tree"):
        model = AdaBoost().fit(X, y)
    assert model.stopped_ == "learner 1 is no better than chance: its weighted error is 0.5"
    assert (len(model.estimators_), model.estimator_weights_[0]) == (1, 0.0)
    assert model.bound().bounds[-1] == 1.0
    assert set(model.predict(X)) == {0}
    lines = AdaBoost(LogisticRegression(C=100.0), n_estimators=1000).fit(*MOONS)
    assert "no better than chance" in lines.stopped_
    assert 0 < len(lines.estimators_) < 1000
    assert np.all(lines.estimator_errors_ < 0.5)


class WrongOnce(ClassifierMixin, BaseEstimator):
    """The sign of one column, but for the training row that weighs least."""

    def fit(self, X, y, sample_weight):
        self.wrong_ = X[np.argmin(sample_weight), 0]
        return self

    def predict(self, X):
        return np.where(X[:, 0] == self.wrong_, -1.0, 1.0) * np.sign(X[:, 0])


def test_many_rounds_neither_overflow_nor_lose_the_weights():
    X = np.array([[-4.0], [-3.0], [-2.0], [-1.0], [1.0], [2.0], [3.0], [4.0]])
    model = AdaBoost(WrongOnce(), n_estimators=1500).fit(X, X[:, 0] > 0)
    assert len(model.estimators_) == 1500
    F = model.decision_function(X)
    assert np.all(
        np.exp(-np.abs(F)) == 0.0
    )  # the weights, were they not taken relative to each other
    assert np.array_equal(F > 0, X[:, 0] > 0)
    assert np.all(model.estimator_weights_ > 0.5)


class Votes(RegressorMixin, BaseEstimator):
    """A classifier as a weak regressor: h = ±1 with the largest inner product with the targets."""

    def fit(self, X, y, sample_weight=None):
        weight = np.abs(y) if sample_weight is None else np.abs(y) * sample_weight
        self.tree_ = DecisionTreeClassifier(max_depth=1, random_state=0)
        self.tree_.fit(X, np.where(y > 0, 1, -1), weight / weight.sum())
        return self

    def predict(self, X):
        return self.tree_.predict(X)


def test_adaboost_is_descent_of_the_exponential_loss():
    X, y = MOONS  # as many rows of each class, so that no constant comes first
    ours = AdaBoost(n_estimators=20, random_state=0).fit(X, y)
    same = FunctionalBoostingClassifier(
        Votes(), loss="exponential", learning_rate=1.0, n_estimators=20, random_state=0
    ).fit(X, y)
    assert same.init_ == pytest.approx(0.0, abs=1e-12)
    assert np.allclose(ours.estimator_weights_, same.estimator_weights_, rtol=1e-8)
    assert np.allclose(ours.decision_function(X), same.decision_function(X), atol=1e-8)
    assert np.allclose(ours.bound().bounds, same.history_.losses[1:], rtol=1e-8)
    assert np.allclose(ours.predict_proba(X), same.predict_proba(X), atol=1e-8)


# LogitBoost


def test_logitboost_is_that_of_friedman_hastie_and_tibshirani():
    X, y = HASTIE
    y = (y > 0).astype(int)
    model = LogitBoost(DecisionTreeRegressor(max_depth=1, random_state=0), n_estimators=25)
    model.fit(X, y)
    assert np.all(model.estimator_weights_ == 1.0)
    F = np.zeros(len(y))
    for scores in model.staged_decision_function(X):
        p = 1.0 / (1.0 + np.exp(-2.0 * F))
        w = p * (1.0 - p)
        z = np.clip((y - p) / w, -4.0, 4.0)
        F = F + 0.5 * DecisionTreeRegressor(max_depth=1, random_state=0).fit(X, z, w).predict(X)
        assert np.allclose(scores, 2.0 * F, atol=1e-8)
    assert np.allclose(model.predict_proba(X)[:, 1], expit(2.0 * F))


@few
@given(table=tables, learner=st.sampled_from(["stump", "tree", "ridge", "kernel"]))
def test_the_logistic_loss_never_rises(table, learner):
    X, y = table
    model = LogitBoost(LEARNERS[learner], n_estimators=25).fit(X, y)
    losses = model.history_.losses
    assert np.all(np.diff(losses) < 0.0)
    signs = 2.0 * y - 1.0
    staged = [np.mean(np.log2(1 + np.exp(-signs * F))) for F in model.staged_decision_function(X)]
    assert np.allclose(losses, [1.0, *staged])


def test_clipped_steps_that_lead_uphill_are_fitted_again():
    X, y = MOONS
    signs = 2.0 * y - 1.0
    model = LogitBoost(DecisionTreeRegressor(max_depth=1, random_state=0), n_estimators=150)
    uphill, F = 0, np.zeros(len(y))
    for scores in model.fit(X, y).staged_decision_function(X):
        own = expit(signs * F)
        clipped = np.clip(signs / own, -4.0, 4.0)
        h = (
            DecisionTreeRegressor(max_depth=1, random_state=0)
            .fit(X, clipped, own * (1.0 - own))
            .predict(X)
        )
        uphill += np.sum(signs * (1.0 - own) * h) < 0.0
        F = scores
    assert uphill > 3
    assert model.stopped_ == ""
    assert np.all(np.diff(model.history_.losses) < 0.0)


# Functional boosting


@pytest.mark.parametrize("depth", [1, 3])
def test_trees_and_the_squared_loss_are_scikit_learns_gradient_boosting(depth):
    X, y = DIABETES
    ours = FunctionalBoostingRegressor(
        DecisionTreeRegressor(max_depth=depth), n_estimators=40, learning_rate=0.2, random_state=0
    ).fit(X, y)
    theirs = GradientBoostingRegressor(
        max_depth=depth, n_estimators=40, learning_rate=0.2, random_state=0
    ).fit(X, y)
    assert np.allclose(ours.estimator_weights_, 0.2, rtol=1e-12)
    stages = zip(ours.staged_predict(X), theirs.staged_predict(X), strict=True)
    assert all(np.allclose(one, other, rtol=1e-10) for one, other in stages)


def test_two_rounds_by_hand():
    X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([0.0, 2.0, 6.0, 8.0])
    model = FunctionalBoostingRegressor(
        DecisionTreeRegressor(max_depth=1), n_estimators=2, learning_rate=1.0
    ).fit(X, y)
    # mean 4; then leaves −3 and 3; then the residuals −1, 1, −1, 1 are best split before 1 or after 2
    assert model.init_ == pytest.approx(4.0)
    first, second = model.staged_predict(X)
    assert np.allclose(first, [1.0, 1.0, 7.0, 7.0])
    assert np.allclose(np.sort(np.abs(second - first)), [1 / 3, 1 / 3, 1 / 3, 1.0])
    assert np.allclose(model.history_.losses, [5.0, 0.5, 1.0 / 3.0])


@few
@given(table=tables, loss=st.sampled_from(CLASS_LOSSES), learner=st.sampled_from(list(LEARNERS)),
       rate=st.sampled_from([0.1, 1.0]), subsample=st.sampled_from([0.6, 1.0]))  # fmt: skip
def test_no_loss_of_the_margin_ever_rises(table, loss, learner, rate, subsample):
    X, y = table
    model = FunctionalBoostingClassifier(
        LEARNERS[learner], loss=loss, n_estimators=12, learning_rate=rate, subsample=subsample,
        random_state=0,
    ).fit(X, y)  # fmt: skip
    assert np.all(np.diff(model.history_.losses) < 0.0)
    phi, signs = MARGIN_LOSSES[loss].value, 2.0 * y - 1.0
    told = [np.mean(phi(signs * F)) for F in model.staged_decision_function(X)]
    assert np.allclose(model.history_.losses[1:], told)


@few
@given(seed=st.integers(0, 2**20), loss=st.sampled_from(list(NUMBER_LOSSES)), learner=st.sampled_from(list(LEARNERS)),
       scale=st.sampled_from([1e-6, 1.0, 1e6]), rate=st.sampled_from([0.1, 1.0]))  # fmt: skip
def test_no_loss_of_numbers_ever_rises(seed, loss, learner, scale, rate):
    drawn = np.random.default_rng(seed)
    X, y = drawn.normal(size=(30, 2)), scale * drawn.standard_t(2, size=30)
    model = FunctionalBoostingRegressor(
        LEARNERS[learner], loss=loss, n_estimators=12, learning_rate=rate, random_state=0
    ).fit(X, y)
    assert np.all(np.diff(model.history_.losses) < 0.0)
    told = [np.mean(NUMBER_LOSSES[loss].value(y, F)) for F in model.staged_predict(X)]
    assert np.allclose(model.history_.losses[1:], told)
    without = np.mean(NUMBER_LOSSES[loss].value(y, np.zeros(30)))
    assert model.history_.losses[0] <= without * (1.0 + 1e-12)


LOSSES = {**NUMBER_LOSSES, "pinball": Quantile(0.8), "Huber 0.3": Huber(0.3)}
LOSSES |= {f"{name} of margin": OfMargin(loss) for name, loss in MARGIN_LOSSES.items()}


@pytest.mark.parametrize("name", list(LOSSES))
def test_slopes_are_derivatives(name):
    f = np.linspace(-3.0, 3.0, 101) + 0.0123
    for target in (-1.0, 1.0):
        y = np.full(101, target)
        small = 1e-6
        rise = LOSSES[name].value(y, f + small) - LOSSES[name].value(y, f - small)
        assert np.allclose(rise / (2.0 * small), LOSSES[name].slope(y, f), atol=1e-4)


@pytest.mark.parametrize("name", list(LOSSES))
def test_steps_are_the_best_ones_along_a_line(name):
    drawn = np.random.default_rng(5)
    loss, y = LOSSES[name], np.where(drawn.random(41) < 0.7, 1.0, -1.0)
    F, h = drawn.normal(size=41), drawn.normal(size=41)

    def value(a):
        return np.mean(loss.value(y, F + a * h))

    found = best_step(value, lambda a: np.mean(loss.slope(y, F + a * h) * h))
    searched = minimize_scalar(
        value, bounds=(-20.0, 20.0), method="bounded", options={"xatol": 1e-10}
    )
    assert value(found) <= value(searched.x) + 1e-9


@pytest.mark.parametrize(
    ("loss", "constant"),
    [("squared", np.mean), ("absolute", np.median), (Quantile(0.9), lambda y: np.quantile(y, 0.9))],
)
def test_the_first_constant_costs_least(loss, constant):
    X, y = DIABETES[0][:41], DIABETES[1][:41]
    model = FunctionalBoostingRegressor(loss=loss, n_estimators=1).fit(X, y)
    assert model.init_ == pytest.approx(constant(y), rel=1e-9)


@pytest.mark.parametrize(
    ("loss", "constant"), [("logistic", 1.0), ("exponential", 0.5)], ids=["logistic", "exponential"]
)
def test_the_first_score_is_the_log_odds_of_the_classes_or_half_of_it(loss, constant):
    X, y = CANCER
    model = FunctionalBoostingClassifier(loss=loss, n_estimators=1).fit(X, y)
    assert model.init_ == pytest.approx(constant * np.log(np.sum(y == 1) / np.sum(y == 0)))


def test_a_separating_learner_has_a_finite_step():
    X, y = np.arange(6.0)[:, None], np.array([0, 0, 0, 1, 1, 1])
    for loss in CLASS_LOSSES:
        model = FunctionalBoostingClassifier(loss=loss, learning_rate=1.0, n_estimators=5)
        F = model.fit(X, y).decision_function(X)
        assert np.array_equal(model.predict(X), y)
        assert np.all(np.abs(F) < 100.0)


def test_quantiles_hold_their_share_of_the_targets():
    X, y = DIABETES
    loss = Quantile(0.9)
    model = FunctionalBoostingRegressor(
        loss=loss, learning_rate=1.0, n_estimators=20, random_state=0
    )
    assert np.mean(y <= model.fit(X, y).predict(X)) == pytest.approx(0.9, abs=0.03)
    slow = FunctionalBoostingRegressor(loss=loss, n_estimators=30, random_state=0)
    mean = clone(slow).set_params(loss="squared")
    some = np.arange(len(y)) % 3 > 0
    costs = [
        loss.value(y[~some], found).mean()
        for found in (
            slow.fit(X[some], y[some]).predict(X[~some]),
            np.quantile(y[some], 0.9),
            mean.fit(X[some], y[some]).predict(X[~some]),
        )
    ]
    assert costs[0] < 0.9 * min(costs[1:])


def test_outliers_move_huber_less_than_the_square():
    X, y = DIABETES
    spoiled = y.copy()
    spoiled[::25] += 5000.0
    errors = {}
    for loss in ("squared", Huber(50.0), "absolute", "log-cosh"):
        model = FunctionalBoostingRegressor(loss=loss, n_estimators=30, random_state=0)
        errors[str(loss)] = np.median(np.abs(model.fit(X, spoiled).predict(X) - y))
    square = errors.pop("squared")
    assert max(errors.values()) < 0.6 * square


class Poisson:
    """exp(f) − y f, least where exp(f) is the mean; the loss of a user."""

    def value(self, y, f):
        return np.exp(f) - y * f

    def slope(self, y, f):
        return np.exp(f) - y


def test_a_loss_of_the_user_is_taken():
    X, _ = DIABETES
    counts = np.random.default_rng(0).poisson(np.exp(1.0 + 15.0 * X[:, 2]))
    model = FunctionalBoostingRegressor(
        Ridge(1e-3), loss=Poisson(), n_estimators=50, learning_rate=1.0
    )
    model.fit(X, counts)
    assert model.init_ == pytest.approx(np.log(counts.mean()))
    assert np.all(np.diff(model.history_.losses) < 0.0)
    assert np.corrcoef(model.predict(X), X[:, 2])[0, 1] > 0.95
    assert str(model.history_).startswith("Poisson loss of the training rows")


def test_boosted_ridge_comes_to_least_squares():
    X, y = DIABETES
    model = FunctionalBoostingRegressor(Ridge(1.0), n_estimators=300, learning_rate=1.0).fit(X, y)
    design = np.column_stack([np.ones(len(y)), X])
    best = design @ np.linalg.lstsq(design, y, rcond=None)[0]
    assert np.allclose(model.predict(X), best, atol=0.5)


@pytest.mark.parametrize(
    "learner",
    [KernelRidge(kernel="rbf"), make_pipeline(StandardScaler(), KernelRidge(kernel="rbf")),
     MLPRegressor(hidden_layer_sizes=(4,), solver="lbfgs", max_iter=60, tol=1e-2), KNeighborsRegressor(10)],
    ids=lambda one: type(one).__name__,
)  # fmt: skip
def test_any_regressor_is_a_weak_learner(learner):
    X, y = MOONS
    model = FunctionalBoostingClassifier(
        learner, n_estimators=10, learning_rate=0.5, random_state=0
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the network stops early on purpose
        model.fit(X[:150], y[:150])
    assert model.score(X[150:], y[150:]) > 0.8
    assert np.all(np.diff(model.history_.losses) < 0.0)


def test_the_model_ends_where_the_held_out_loss_is_least():
    X, y = make_moons(300, noise=0.35, random_state=2)
    given_options = {"learning_rate": 0.5, "random_state": 4, "n_estimators": 200}
    model = FunctionalBoostingClassifier(validation_fraction=0.3, patience=7, **given_options)
    history = model.fit(X, y).history_
    kept = len(model.estimators_)
    assert kept == history.kept == np.argmin(history.held_out)
    assert len(history.losses) - 1 == kept + 7
    assert model.stopped_ == "the held-out loss did not fall for 7 rounds"
    assert "where the model ends" in str(history)
    assert list(history.frame()["held-out loss"]) == list(history.held_out)
    assert len(list(model.staged_predict(X))) == kept
    number = FunctionalBoostingRegressor(validation_fraction=0.2, random_state=0).fit(*DIABETES)
    assert len(number.estimators_) == number.history_.kept


def test_subsamples_are_drawn_by_the_seed():
    X, y = MOONS
    one, same, other = (
        FunctionalBoostingClassifier(subsample=0.5, n_estimators=10, random_state=seed).fit(X, y)
        for seed in (0, 0, 1)
    )
    assert np.array_equal(one.decision_function(X), same.decision_function(X))
    assert not np.array_equal(one.decision_function(X), other.decision_function(X))


@pytest.mark.parametrize(
    ("loss", "known"),
    [("logistic", True), ("exponential", True), ("square", True), ("hinge", False)],
)
def test_probabilities_are_given_where_the_loss_tells_them(loss, known):
    X, y = MOONS
    model = FunctionalBoostingClassifier(loss=loss, n_estimators=20).fit(X, y)
    assert hasattr(model, "predict_proba") == known
    assert not hasattr(FunctionalBoostingClassifier(loss=Poisson()), "predict_proba")
    if known:
        law = model.predict_proba(X)
        assert np.allclose(law.sum(axis=1), 1.0)
        assert np.array_equal(law[:, 1] > 0.5, model.predict(X) == 1)
        expected = MARGIN_LOSSES[loss].probability(model.decision_function(X))
        assert np.allclose(law[:, 1], expected)


# Beside scikit-learn, and what all have in common


@pytest.mark.parametrize(
    "data",
    [CANCER, make_moons(500, noise=0.3, random_state=0), make_hastie_10_2(600, random_state=1)],
    ids=["cancer", "moons", "hastie"],
)
def test_errors_are_near_those_of_scikit_learns_boosting(data):
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    errors = {
        type(model).__name__: 1.0 - cross_val_score(model, *data, cv=folds).mean()
        for model in (
            GradientBoostingClassifier(n_estimators=50, random_state=0),
            FunctionalBoostingClassifier(n_estimators=50, random_state=0),
            LogitBoost(n_estimators=50),
        )
    }
    theirs = errors.pop("GradientBoostingClassifier")
    assert max(errors.values()) < theirs + 0.02


@pytest.mark.parametrize("kind", [*CLASSIFIERS, FunctionalBoostingRegressor])
def test_weights_are_repetitions_and_the_order_of_rows_does_not_matter(kind):
    drawn = np.random.default_rng(2)
    X = drawn.normal(size=(60, 30))  # so many columns that splits tie
    y = drawn.permutation([0, 1] * 30)
    times = drawn.integers(0, 4, 60)
    model = kind(n_estimators=10, random_state=0)
    weighted = clone(model).fit(X, y, times)
    repeated = clone(model).fit(X.repeat(times, axis=0), y.repeat(times))
    order = drawn.permutation(60)
    shuffled = clone(model).fit(X[order], y[order], 1.0 * times[order])
    assert np.array_equal(weighted.predict(X), repeated.predict(X))
    assert np.array_equal(weighted.estimator_weights_, repeated.estimator_weights_)
    assert np.array_equal(weighted.estimator_weights_, shuffled.estimator_weights_)


@pytest.mark.parametrize("kind", [*CLASSIFIERS, FunctionalBoostingRegressor])
def test_fitted_models_are_pickled(kind):
    X, y = MOONS
    model = kind(n_estimators=5).fit(X, y)
    again = pickle.loads(pickle.dumps(model))
    assert np.array_equal(again.predict(X), model.predict(X))
    assert str(again.history_) == str(model.history_)


def test_more_classes_are_told_apart_one_by_one():
    X, y = load_iris(return_X_y=True)
    for model in (kind(n_estimators=10) for kind in CLASSIFIERS):
        assert OneVsRest(model).fit(X, y).score(X, y) > 0.95
    with pytest.raises(InvalidInputError, match=r"OneVsRest\(AdaBoost\(\)\) for 3 classes"):
        AdaBoost().fit(X, y)


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (AdaBoost(n_estimators=0), "n_estimators is 0: pass a whole number, 1 or larger"),
        (AdaBoost(Ridge()), "the weak learner is a classifier"),
        (AdaBoost(DecisionTreeClassifier), "pass an instance"),
        (AdaBoost(make_pipeline(StandardScaler())), "the weak learner is a classifier"),
        (LogitBoost(KNeighborsRegressor()), "KNeighborsRegressor takes no sample_weight"),
        (LogitBoost(learning_rate=1.5), "learning_rate is 1.5: pass a number above 0"),
        (FunctionalBoostingClassifier(AdaBoost()), "the weak learner is a regressor"),
        (FunctionalBoostingClassifier(loss="squared"), "pass one of hinge, perceptron"),
        (FunctionalBoostingClassifier(loss="perceptron"), "a score of 0 costs nothing"),
        (FunctionalBoostingClassifier(subsample=0.0), "subsample is 0.0"),
        (FunctionalBoostingClassifier(validation_fraction=1.0), "validation_fraction is 1.0"),
        (FunctionalBoostingClassifier(validation_fraction=0.001), "pass None, or more rows"),
        (FunctionalBoostingRegressor(loss="hinge"), "pass one of squared, absolute"),
        (FunctionalBoostingRegressor(loss=Huber), "value.y, f. and slope.y, f."),
        (FunctionalBoostingRegressor(patience=0), "patience is 0"),
    ],
    ids=str,
)  # fmt: skip
def test_refusals_name_the_remedy(model, words):
    with pytest.raises(InvalidInputError, match=words):
        model.fit(*MOONS)


def test_weights_that_leave_nothing_are_refused():
    X, y = MOONS
    with pytest.raises(InvalidInputError, match="every sample_weight is zero"):
        FunctionalBoostingRegressor().fit(X, y, np.zeros(200))
    with pytest.raises(
        InvalidInputError, match="every row of one class has a sample_weight of zero"
    ):
        AdaBoost().fit(X, y, y)
    with pytest.raises(InvalidInputError, match="takes no sample_weight"):
        FunctionalBoostingRegressor(KNeighborsRegressor()).fit(X, y, 1.0 + y)
    for make in (lambda: Huber(0.0), lambda: Quantile(1.0)):
        with pytest.raises(InvalidInputError, match="pass a"):
            make()


def test_a_bar_of_rounds_is_shown(capsys):
    FunctionalBoostingClassifier(n_estimators=3, verbose=True).fit(*MOONS)
    assert "rounds |" in capsys.readouterr().err


def test_pictures_have_the_numbers_of_their_results():
    X, y = MOONS
    votes = AdaBoost(n_estimators=12).fit(X, y).bound(X, y)
    drawn = {line.get_label(): line for line in votes.plot().get_lines()}
    assert np.array_equal(drawn["bound on the\ntraining error"].get_ydata(), votes.bounds)
    assert np.array_equal(drawn["test error"].get_ydata(), votes.training_errors)
    model = FunctionalBoostingClassifier(n_estimators=12, validation_fraction=0.3, random_state=0)
    history = model.fit(X, y).history_
    drawn = {line.get_label(): line for line in history.plot().get_lines()}
    assert np.array_equal(drawn["training rows"].get_ydata(), history.losses)
    assert f"{history.kept} rounds kept" in drawn
