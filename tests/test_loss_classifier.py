"""Claims about losses of the margin: what they are, their planes under one penalty, and what each costs by all."""

from __future__ import annotations

import pickle
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.optimize import minimize
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, make_classification
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.preprocessing import scale
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import check_estimator

from chemin.evaluate import make_splits
from chemin.exceptions import InvalidInputError
from chemin.models.losses import (
    MARGIN_LOSSES,
    LossClassifier,
    MarginLoss,
    as_margin_loss,
    compare_losses,
    plot_losses,
)
from chemin.models.losses.classifier import MARGIN, asked, objective

LOSSES = list(MARGIN_LOSSES)
SMOOTH = [name for name, loss in MARGIN_LOSSES.items() if loss.smooth]
ABOVE_THE_ERROR = [name for name in LOSSES if name != "perceptron"]
Z = np.linspace(-5.0, 5.0, 401)  # 0 and 1 are among them
CANCER = load_breast_cancer()
X, Y = scale(CANCER.data), CANCER.target
SIGN = np.where(Y == 1, 1.0, -1.0)
NOISY = make_classification(120, 4, n_informative=2, n_redundant=1, flip_y=0.2, random_state=0)
WIDE = make_classification(30, 80, flip_y=0.1, random_state=1)
SEPARATED = (X[:, :3] + 6.0 * SIGN[:, None], Y)
DATA = {"noisy": NOISY, "wide": WIDE, "separated": SEPARATED, "cancer": (X, Y)}


def value_of(loss: str, coef, intercept, X, y, C, weight=1.0) -> float:
    """Return ‖w‖² + C Σ s ℓ(y f), written anew."""
    z = np.where(y == np.unique(y)[1], 1.0, -1.0) * (X @ coef + intercept)
    return float(coef @ coef + C * np.sum(weight * asked(as_margin_loss(loss)).value(z)))


# The losses themselves


@pytest.mark.parametrize("name", LOSSES)
def test_a_loss_is_one_at_margin_zero_but_for_the_perceptron(name):
    at_zero = as_margin_loss(name).value(np.zeros(1))[0]
    assert at_zero == pytest.approx(0.0 if name == "perceptron" else 1.0)


def test_the_logistic_loss_is_that_of_the_course_which_is_divided_by_log_2():
    logistic = as_margin_loss("logistic")
    np.testing.assert_allclose(logistic.value(Z), np.log1p(np.exp(-Z)) / np.log(2.0))


@pytest.mark.parametrize("name", ABOVE_THE_ERROR)
def test_a_loss_is_at_least_the_error_but_for_the_perceptron(name):
    assert np.all(as_margin_loss(name).value(Z) >= (Z <= 0.0) - 1e-12)


@pytest.mark.parametrize("name", LOSSES)
def test_a_loss_is_convex_and_its_slope_is_its_derivative(name):
    loss = as_margin_loss(name)
    value, slope = loss.value(Z), loss.slope(Z)
    assert np.all(np.diff(value, 2) >= -1e-12)
    lines = value[:, None] + slope[:, None] * (Z - Z[:, None])
    assert np.all(lines <= value + 1e-9)  # every slope is a subgradient
    away = Z[(np.abs(Z) > 0.01) & (np.abs(Z - 1.0) > 0.01)]
    numeric = (loss.value(away + 1e-6) - loss.value(away - 1e-6)) / 2e-6
    np.testing.assert_allclose(loss.slope(away), numeric, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("name", SMOOTH)
def test_a_curvature_is_the_derivative_of_the_slope(name):
    loss = as_margin_loss(name)
    numeric = (loss.slope(Z + 1e-6) - loss.slope(Z - 1e-6)) / 2e-6
    np.testing.assert_allclose(loss.curvature(Z), numeric, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("name", [name for name in LOSSES if as_margin_loss(name).probability])
@pytest.mark.parametrize("p", [0.1, 0.5, 0.8])
def test_a_probability_is_that_at_which_the_expected_loss_is_least(name, p):
    loss = as_margin_loss(name)
    best = minimize(
        lambda f: p * loss.value(f)[0] + (1.0 - p) * loss.value(-f)[0], np.zeros(1), tol=1e-12
    ).x
    assert loss.probability(best)[0] == pytest.approx(p, abs=1e-5)


# The planes are those of others


@pytest.mark.parametrize("C", [0.01, 1.0, 30.0])
@pytest.mark.parametrize("data", DATA)
def test_the_logistic_plane_is_that_of_scikit_learn(data, C):
    X, y = DATA[data]
    ours = LossClassifier("logistic", C).fit(X, y)
    price = C / (2.0 * np.log(2.0))
    theirs = LogisticRegression(C=price, solver="newton-cholesky", tol=1e-10).fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-6)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-6)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-6)


@pytest.mark.parametrize("C", [0.01, 1.0, 30.0])
@pytest.mark.parametrize("data", DATA)
def test_the_plane_of_the_hinge_is_that_of_scikit_learn(data, C):
    X, y = DATA[data]
    ours = LossClassifier("hinge", C).fit(X, y)
    theirs = SVC(kernel="linear", C=C / 2.0, tol=1e-8).fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=2e-4)
    cost = value_of("hinge", theirs.coef_[0], theirs.intercept_[0], X, y, C)
    assert ours.objective_ <= cost * (1.0 + 1e-12)
    assert ours.objective_ == pytest.approx(cost, rel=1e-3)


@pytest.mark.parametrize("C", [0.01, 1.0, 30.0])
@pytest.mark.parametrize("data", DATA)
def test_the_plane_of_squares_is_the_ridge_of_the_labels(data, C):
    X, y = DATA[data]
    sign = np.where(y == np.unique(y)[1], 1.0, -1.0)
    ours = LossClassifier("square", C).fit(X, y)
    theirs = Ridge(alpha=1.0 / C).fit(X, sign)
    np.testing.assert_allclose(ours.coef_[0], theirs.coef_, atol=1e-9)
    assert ours.intercept_[0] == pytest.approx(theirs.intercept_, abs=1e-9)
    mean = X.mean(axis=0)  # in closed form: (XᵀX + I/C) w = Xᵀ(y − ȳ), columns centred
    gram = (X - mean).T @ (X - mean) + np.eye(X.shape[1]) / C
    np.testing.assert_allclose(
        ours.coef_[0], np.linalg.solve(gram, (X - mean).T @ (sign - sign.mean())), atol=1e-9
    )


def test_the_exponential_plane_is_that_of_a_cone_program():
    clarabel = pytest.importorskip("clarabel", reason="pip install clarabel to compare with it")
    X, y = NOISY[0][:25], NOISY[1][:25]
    sign = np.where(y == 1, 1.0, -1.0)
    (n, p), C = X.shape, 2.0
    # minimise wᵀw + C Σ t_i with (−z_i, 1, t_i) in the exponential cone, e^{−z} ≤ t
    P = np.zeros((p + 1 + n,) * 2)
    P[:p, :p] = 2.0 * np.eye(p)
    cost = np.r_[np.zeros(p + 1), np.full(n, C)]
    A = np.zeros((3 * n, p + 1 + n))
    A[0::3, : p + 1] = sign[:, None] * np.column_stack([X, np.ones(n)])
    A[2::3, p + 1 :] = -np.eye(n)
    b = np.tile([0.0, 1.0, 0.0], n)
    asked_of = clarabel.DefaultSettings()
    asked_of.verbose = False
    asked_of.tol_gap_abs = asked_of.tol_gap_rel = asked_of.tol_feas = 1e-10
    cones = [clarabel.ExponentialConeT() for _ in range(n)]
    parts = sparse.csc_matrix(P), cost, sparse.csc_matrix(A), b, cones, asked_of
    found = np.array(clarabel.DefaultSolver(*parts).solve().x)
    ours = LossClassifier("exponential", C).fit(X, y)
    np.testing.assert_allclose(np.r_[ours.coef_[0], ours.intercept_], found[: p + 1], atol=1e-5)
    theirs = value_of("exponential", found[:p], found[p], X, y, C)
    assert ours.objective_ == pytest.approx(theirs, rel=1e-8)
    assert ours.objective_ <= theirs * (1.0 + 1e-12)


@pytest.mark.parametrize("C", [0.1, 1.0])
def test_the_perceptron_is_the_hinge_at_a_hundred_times_the_price(C):
    ours = LossClassifier("perceptron", C).fit(X, Y)
    hinge = LossClassifier("hinge", C / MARGIN).fit(X, Y)
    np.testing.assert_allclose(ours.coef_, MARGIN * hinge.coef_, rtol=1e-9)
    assert ours.objective_ == pytest.approx(MARGIN**2 * hinge.objective_, rel=1e-9)


def test_the_perceptron_without_a_margin_would_be_least_at_zero():
    perceptron = as_margin_loss("perceptron")
    assert objective(perceptron, np.zeros(2), np.zeros(9), np.ones(9)) == 0.0
    w = LossClassifier("perceptron").fit(*NOISY).coef_[0]
    assert objective(perceptron, w, np.ones(9), np.ones(9)) > 0.0


# A loss of one's own


def _squared_hinge(z):
    return np.maximum(0.0, 1.0 - z) ** 2


def _squared_hinge_slope(z):
    return -2.0 * np.maximum(0.0, 1.0 - z)


def _squared_hinge_curvature(z):
    return 2.0 * (z < 1.0)


SQUARED_HINGE = MarginLoss(
    "squared hinge", _squared_hinge, _squared_hinge_slope, _squared_hinge_curvature
)


def test_a_smooth_loss_of_ones_own_is_fitted_and_compared():
    model = pickle.loads(pickle.dumps(clone(LossClassifier(SQUARED_HINGE)).fit(*NOISY)))
    X, y = NOISY
    sign = np.where(y == 1, 1.0, -1.0)
    least = minimize(
        lambda at: at[:-1] @ at[:-1] + _squared_hinge(sign * (X @ at[:-1] + at[-1])).sum(),
        np.zeros(X.shape[1] + 1),
        tol=1e-12,
    )
    assert model.gap_ < 1e-12
    np.testing.assert_allclose(np.r_[model.coef_[0], model.intercept_], least.x, atol=1e-5)
    both = compare_losses(X, y, ["hinge", SQUARED_HINGE])
    assert both.losses == ("hinge", "squared hinge")
    assert both.objectives[1, 1] == pytest.approx(least.fun)


def test_a_loss_of_ones_own_with_a_kink_is_told_and_not_taken_for_a_hinge():
    kinked = MarginLoss("absolute", lambda z: np.abs(1.0 - z), lambda z: np.sign(z - 1.0))
    with pytest.raises(InvalidInputError, match="no curvature: pass"):
        LossClassifier(kinked).fit(*NOISY)


# Each is the least, and proves it


@pytest.mark.parametrize("C", [1e-4, 1.0, 1e4])
@pytest.mark.parametrize("data", DATA)
@pytest.mark.parametrize("loss", LOSSES)
def test_no_plane_nearby_costs_less_and_the_gap_is_nothing(loss, data, C):
    X, y = DATA[data]
    model = LossClassifier(loss, C).fit(X, y)
    coef, b = model.coef_[0], model.intercept_[0]
    best = value_of(loss, coef, b, X, y, C)
    assert model.objective_ == pytest.approx(best, rel=1e-9)
    assert 0.0 <= model.gap_ < 1e-9
    rng = np.random.default_rng(0)
    for size in (1e-3, 1e-1, 1.0):
        for _ in range(5):
            way = size * np.linalg.norm(coef) * rng.standard_normal(len(coef) + 1)
            assert value_of(loss, coef + way[:-1], b + way[-1], X, y, C) >= best * (1 - 1e-9)


@pytest.mark.parametrize("loss", SMOOTH)
def test_a_plane_stopped_early_is_within_a_quarter_of_its_squared_slope(loss):
    """That is the gap of a smooth loss, wherever the intercept is the best one."""
    X, y = NOISY
    sign = np.where(y == 1, 1.0, -1.0)
    function = as_margin_loss(loss)
    least = LossClassifier(loss).fit(X, y).objective_
    rng = np.random.default_rng(0)
    for w in rng.standard_normal((5, X.shape[1])):
        best = minimize(lambda b, w=w: value_of(loss, w, b[0], X, y, 1.0), np.zeros(1), tol=1e-12)
        z = sign * (X @ w + best.x)
        slope = 2.0 * w + (sign * function.slope(z)) @ X
        assert best.fun - least <= 0.25 * slope @ slope * (1.0 + 1e-6)


@pytest.mark.parametrize("loss", LOSSES)
def test_units_and_places_of_the_columns_do_not_keep_it_from_the_least(loss):
    X, y = NOISY
    hard = X * np.array([1e4, 1.0, 1e-4, 1e2]) + 1e3
    assert LossClassifier(loss).fit(hard, y).gap_ < 1e-9
    moved = LossClassifier(loss).fit(X + 1e3, y)
    np.testing.assert_allclose(moved.coef_, LossClassifier(loss).fit(X, y).coef_, atol=1e-8)


# What must not matter


@pytest.mark.parametrize("loss", LOSSES)
def test_names_of_the_classes_do_not_matter_and_their_order_turns_the_plane(loss):
    X, y = NOISY
    model = LossClassifier(loss).fit(X, y)
    named = LossClassifier(loss).fit(X, np.array(["no", "yes"])[y])
    np.testing.assert_array_equal(named.coef_, model.coef_)
    assert set(named.predict(X)) == {"no", "yes"}
    turned = LossClassifier(loss).fit(X, 1 - y)
    np.testing.assert_allclose(turned.coef_, -model.coef_, atol=1e-9)
    np.testing.assert_allclose(turned.intercept_, -model.intercept_, atol=1e-8)


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 10_000), loss=st.sampled_from(LOSSES))
def test_a_weight_is_a_number_of_rows(seed, loss):
    X, y = NOISY
    weight = np.random.default_rng(seed).integers(0, 4, len(y))
    one = LossClassifier(loss).fit(X, y, sample_weight=weight)
    other = LossClassifier(loss).fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    np.testing.assert_allclose(one.coef_, other.coef_, atol=1e-8)
    assert one.objective_ == pytest.approx(other.objective_, rel=1e-9)


@pytest.mark.parametrize("loss", LOSSES)
def test_a_price_is_a_weight(loss):
    X, y = NOISY
    priced = LossClassifier(loss, 3.0).fit(X, y)
    weighted = LossClassifier(loss, 1.0).fit(X, y, sample_weight=np.full(len(y), 3.0))
    np.testing.assert_allclose(priced.coef_, weighted.coef_, atol=1e-10)


def test_more_columns_than_rows_cost_no_more_than_rows():
    rng = np.random.default_rng(0)
    wide = rng.standard_normal((20, 5000))
    y = np.arange(20) % 2
    for loss in LOSSES:
        model = LossClassifier(loss).fit(wide, y)
        assert model.gap_ < 1e-9
        assert model.score(wide, y) == 1.0


# Manners


@pytest.mark.parametrize("loss", LOSSES)
def test_every_check_of_scikit_learn_passes(loss):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the checks fit hostile data on purpose
        results = check_estimator(LossClassifier(loss), on_fail=None, on_skip=None)
    assert not [(r["check_name"], r["exception"]) for r in results if r["status"] == "failed"]


def test_probabilities_are_told_where_the_loss_tells_them():
    telling = {name for name in LOSSES if hasattr(LossClassifier(name), "predict_proba")}
    assert telling == {"logistic", "exponential", "square"}
    assert not hasattr(LossClassifier("nonsense"), "predict_proba")
    for name in telling:
        model = LossClassifier(name).fit(*NOISY)
        both = model.predict_proba(NOISY[0])
        np.testing.assert_allclose(both.sum(axis=1), 1.0)
        np.testing.assert_array_equal(both[:, 1] > 0.5, model.decision_function(NOISY[0]) > 0.0)


def test_a_model_is_cloned_and_pickled():
    model = LossClassifier("exponential", 2.0).fit(*NOISY)
    assert clone(model).get_params() == {"loss": "exponential", "C": 2.0}
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict(NOISY[0]), model.predict(NOISY[0]))


@pytest.mark.parametrize(
    "wrong", [{"loss": "huber"}, {"C": 0.0}, {"C": -1.0}, {"C": "1"}, {"C": True}, {"C": np.inf}]
)
def test_wrong_parameters_name_the_remedy(wrong):
    with pytest.raises(InvalidInputError, match="pass"):
        LossClassifier(**wrong).fit(*NOISY)


def test_wrong_data_name_the_remedy():
    X, y = NOISY
    with pytest.raises(InvalidInputError, match="all rows of one class weigh 0"):
        LossClassifier().fit(X, y, sample_weight=y)
    with pytest.raises(InvalidInputError, match=r"OneVsRest\(LossClassifier\(loss='square'\)\)"):
        LossClassifier("square").fit(X, np.arange(len(y)) % 3)
    with pytest.raises(NotFittedError):
        LossClassifier().predict(X)
    huge = np.hstack([X, X @ np.ones((4, 1))]) * 1e6
    with pytest.raises(InvalidInputError, match="bring them to one unit"):
        LossClassifier("logistic", 1e8).fit(huge, y)


def test_what_is_not_solved_is_told(monkeypatch):
    monkeypatch.setattr("chemin.models.losses.classifier._MOST", 1)
    with pytest.warns(ConvergenceWarning, match="relative duality gap"):
        model = LossClassifier("exponential").fit(X, Y)
    assert model.gap_ > 1e-4


# All together


@pytest.fixture(scope="module")
def compared():
    return compare_losses(X, Y, splits=make_splits(len(Y), Y))


def test_the_plane_of_a_loss_has_the_least_objective_of_that_loss(compared):
    assert compared.losses == tuple(LOSSES)
    np.testing.assert_array_equal(compared.objectives.argmin(axis=0), np.arange(len(LOSSES)))
    np.testing.assert_allclose(
        np.diag(compared.objectives), [model.objective_ for model in compared.models]
    )
    assert compared.gaps.max() < 1e-10


def test_tables_of_a_comparison_are_those_of_the_models(compared):
    for i, model in enumerate(compared.models):
        z = SIGN * model.decision_function(X)
        assert compared.errors[i] == pytest.approx(np.mean(model.predict(X) != Y))
        for j, name in enumerate(LOSSES):
            assert compared.means[i, j] == pytest.approx(as_margin_loss(name).value(z).mean())
            cost = value_of(name, model.coef_[0], model.intercept_[0], X, Y, 1.0)
            assert compared.objectives[i, j] == pytest.approx(cost)


def test_errors_held_out_are_those_of_the_splits(compared):
    splits = make_splits(len(Y), Y)
    seen = [
        np.mean(LossClassifier("hinge").fit(X[train], Y[train]).predict(X[test]) != Y[test])
        for train, test in splits
    ]
    assert compared.held_out[LOSSES.index("hinge")] == pytest.approx(np.mean(seen))
    assert compared.best == LOSSES[int(np.argmin(compared.held_out))]
    assert str(splits) in str(compared)


def test_errors_on_new_rows_are_those_of_the_models():
    found = compare_losses(
        X[:300], Y[:300], ["square", "hinge"], C=0.1, X_new=X[300:], y_new=Y[300:]
    )
    wrong = [np.mean(model.predict(X[300:]) != Y[300:]) for model in found.models]
    np.testing.assert_allclose(found.held_out, wrong)
    assert "269 new rows" in str(found)


def test_a_comparison_is_read_as_words_tables_and_a_picture(compared):
    pd = pytest.importorskip("pandas")
    plt = pytest.importorskip("matplotlib.pyplot")
    assert compared.frame()["loss"].tolist() == LOSSES
    assert "held-out error" in compared.frame()
    np.testing.assert_array_equal(compared.matrix()[LOSSES].to_numpy(), compared.means)
    alone = compare_losses(pd.DataFrame(X[:, :2], columns=["a", "b"]), Y, ["logistic"])
    assert alone.coefficients()["column"].tolist() == ["a", "b", "intercept"]
    assert "held-out error" not in alone.frame()
    assert str(alone).startswith("1 loss at C = 1 on 569 rows; errors on training rows: logistic")
    assert len(compared.plot().texts) == len(LOSSES) * (len(LOSSES) + 2)
    lines = plot_losses().get_legend_handles_labels()[1]
    assert lines == ["error", *LOSSES]
    plt.close("all")


@pytest.mark.parametrize(
    "wrong",
    [
        {"losses": "hinge"}, {"losses": []}, {"losses": ["hinge", "hinge"]}, {"losses": ["huber"]}, {"X_new": X},
        {"X_new": X, "y_new": Y, "splits": [([0, 1], [2])]},
    ],
)  # fmt: skip
def test_wrong_comparisons_name_the_remedy(wrong):
    with pytest.raises(InvalidInputError, match="pass"):
        compare_losses(X, Y, **wrong)
