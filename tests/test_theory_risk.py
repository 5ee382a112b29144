"""Claims about risk and dimension: closed forms, enumeration, quadrature against draws, and what the course prints."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate
from scipy.integrate import trapezoid
from scipy.stats import gamma, multivariate_normal, norm
from sklearn.datasets import load_diabetes
from sklearn.dummy import DummyRegressor
from sklearn.linear_model import LinearRegression
from sklearn.neighbors import KNeighborsRegressor
from sklearn.tree import DecisionTreeRegressor

from chemin.exceptions import InvalidInputError
from chemin.exploration import fit_gaussian
from chemin.theory.dimension import (
    ball_volume,
    distance_concentration,
    empty_space,
    hughes,
    trunk_bayes_error,
    trunk_error,
)
from chemin.theory.risk import (
    RegressionLaw,
    bayes_rule,
    bias_fluctuation,
    bias_fluctuation_resampled,
    bias_variance,
    bias_variance_resampled,
    gaussian_bayes_risk,
    gaussian_conditional,
    no_free_lunch,
    optimal_regressor,
    residual_losses,
    risk_surface,
)

# Volumes and distances


def test_the_ball_has_the_volumes_of_the_course():
    assert [round(ball_volume(d), 4) for d in (2, 5, 10)] == [3.1416, 5.2638, 2.5502]
    assert ball_volume(20) == pytest.approx(0.025807, abs=5e-7)
    space = empty_space([2, 10, 20])
    assert space.asymptote[1] == pytest.approx(2.5930, abs=5e-5)
    assert space.of_cube.tolist() == pytest.approx([0.7854, 2.490e-3, 2.461e-8], rel=1e-3)
    far = empty_space([100])
    assert far.asymptote[0] / far.volume[0] == pytest.approx(
        math.exp(1 / 600), rel=1e-5
    )  # Stirling's next term


@pytest.mark.parametrize("d", [1, 2, 3, 5])
def test_the_ball_has_the_share_of_the_cube_that_is_drawn(d):
    X = np.random.default_rng(d).uniform(-1, 1, size=(40_000, d))
    share = np.mean(np.linalg.norm(X, axis=1) <= 1.0)
    assert share == pytest.approx(empty_space([d]).of_cube[0], abs=0.01)


@pytest.mark.parametrize("layer", [0.01, 0.1])
def test_the_shell_is_what_is_left_of_the_ball(layer):
    space = empty_space(range(1, 30), layer=layer)
    d = np.arange(1, 30)
    np.testing.assert_allclose(space.shell, 1.0 - (1.0 - layer) ** d)
    inner = [ball_volume(int(one), 1.0 - layer) / ball_volume(int(one)) for one in d]
    np.testing.assert_allclose(space.shell, 1.0 - np.array(inner))


def test_a_grid_of_ten_cells_a_side_has_ten_cells_then_ten_to_the_tenth():
    space = empty_space([1, 10], cells=10)
    assert space.log10_cells.tolist() == [1.0, 10.0]
    assert 10 ** empty_space([8], cells=2).log10_cells[0] == pytest.approx(2**8)  # binary decisions
    assert 10 ** empty_space([2], cells=3).log10_cells[0] == pytest.approx(9)


def test_the_farthest_point_comes_near_the_nearest():
    made = distance_concentration([2, 10, 100], points=10**6)
    assert made.ratio.tolist() == pytest.approx([2533, 8.756, 1.655], rel=1e-3)
    high = distance_concentration([1000, 10_000], points=3000)
    assert high.ratio.tolist() == pytest.approx([1.113, 1.035], abs=1e-3)
    assert np.all(made.nearest <= made.mean)
    assert np.all(made.mean <= made.farthest)


def test_the_nearest_of_drawn_points_has_its_law():
    shares = [
        1000
        * empty_space([3]).of_cube[0]
        * distance_concentration([3], points=1000, random_state=s).nearest[0] ** 3
        for s in range(300)
    ]  # N times the share of the ball it reaches is exponential
    assert np.mean(shares) == pytest.approx(1.0, abs=4 / math.sqrt(300))


# Trunk


@pytest.mark.parametrize(("d", "within"), [(10, 0.08), (200, 0.02), (1000, 0.02)])
def test_trunk_s_closed_form_is_within_its_per_cents_of_simulation(d, within):
    made = hughes([d], [10], rules=["plug-in"], repeats=4000)
    simulated, error = made.errors[0, 0, 0], made.spread[0, 0, 0]
    assert error < 0.005 * simulated
    assert trunk_error(d, 10) == pytest.approx(simulated, rel=within)


def test_errors_fall_then_rise_while_the_bayes_error_falls():
    made = hughes([1, 10, 100, 2000], [10], repeats=40)
    assert np.all(np.diff(made.bayes) < 0)
    for rule in made.rules:
        errors = made.of(rule, 10)
        assert errors[1] < errors[0]
        assert errors[3] > errors[1]
    assert made.of("5 neighbours", 10)[:3].tolist() == pytest.approx(
        [0.179, 0.097, 0.123], abs=0.035
    )
    assert made.of("naive Bayes", 10)[:3].tolist() == pytest.approx(
        [0.176, 0.095, 0.156], abs=0.035
    )
    assert np.all(made.errors >= made.bayes - 4 * made.spread)


def test_trunk_s_error_tends_to_one_half_and_bayes_to_zero():
    assert trunk_error(10**6, 10) > 0.45
    assert trunk_bayes_error(10**6) < 1e-3
    s = sum(1 / i for i in range(1, 51))
    assert trunk_bayes_error(50) == pytest.approx(norm.cdf(-math.sqrt(s)))
    assert trunk_error(50, 10**9) == pytest.approx(trunk_bayes_error(50), rel=1e-6)


# Bayes


@pytest.mark.parametrize("prior", [0.5, 0.2, 0.9])
@pytest.mark.parametrize("away", [0.3, 2.0])
def test_the_bayes_risk_of_normal_laws_is_the_closed_form(prior, away):
    closed = gaussian_bayes_risk([0.0], [away], [[1.0]], prior)
    rule = bayes_rule([norm(0), norm(away)], [prior, 1 - prior], bounds=(-9, 11))
    assert rule.risk == pytest.approx(closed, abs=1e-7)
    covariance = np.array([[2.0, 0.6], [0.6, 1.0]])
    laws = [multivariate_normal([0, 0], covariance), multivariate_normal([away, -away], covariance)]
    closed = gaussian_bayes_risk([0, 0], [away, -away], covariance, prior)
    plane = bayes_rule(laws, [prior, 1 - prior], bounds=[(-9, 11), (-11, 9)])
    assert plane.risk == pytest.approx(closed, abs=1e-4)
    drawn = bayes_rule(laws, [prior, 1 - prior])
    assert abs(drawn.risk - closed) <= 4 * drawn.error + 1e-9


def test_the_risk_is_the_sum_of_the_two_areas():
    p1, p2 = gamma(2.0).pdf, norm(3.0, 0.7).pdf
    rule = bayes_rule([p1, p2], [0.6, 0.4], bounds=(-2, 40))

    def wrong(x: float) -> float:
        return min(0.6 * p1(x), 0.4 * p2(x))

    by_quad = integrate.quad(wrong, -2, 40, limit=500, points=[0.0, 2.0, 3.0, 4.0])[0]
    assert rule.risk == pytest.approx(by_quad, abs=1e-5)
    assert rule.by_class.sum() == pytest.approx(rule.risk)
    x = np.linspace(-2, 8, 500)
    missed = 0.4 * p2(x)[rule.predict(x) == 0]  # F₁: in R₁, of class 2
    assert trapezoid(np.where(rule.predict(x) == 0, 0.4 * p2(x), 0), x) == pytest.approx(
        rule.by_class[1], abs=2e-3
    )
    assert len(missed)


@settings(max_examples=25, deadline=None)
@given(st.floats(-4, 4), st.floats(0.1, 0.9))
def test_no_threshold_beats_bayes_rule(threshold, prior):
    rule = bayes_rule([norm(-1), norm(1, 2)], [prior, 1 - prior], bounds=(-20, 20))
    for side in (0, 1):
        miss = prior * norm(-1).sf(threshold) + (1 - prior) * norm(1, 2).cdf(threshold)
        assert rule.risk <= (miss if side == 0 else 1 - miss) + 1e-6


def test_three_classes_and_estimated_laws_are_taken_and_equal_priors_mean_likelihood():
    rule = bayes_rule([norm(-2), norm(0), norm(2)], bounds=(-10, 10))
    assert rule.risk == pytest.approx(4 / 3 * norm.cdf(-1), abs=1e-6)
    x = np.linspace(-4, 4, 81)
    likeliest = np.argmax([norm(m).pdf(x) for m in (-2, 0, 2)], axis=0)
    assert np.array_equal(rule.predict(x), likeliest)
    np.testing.assert_allclose(rule.posterior(x).sum(axis=1), 1.0)
    drawing = np.random.default_rng(0)
    laws = [fit_gaussian(drawing.normal(m, size=2000)) for m in (-1, 1)]
    assert bayes_rule(laws, bounds=(-9, 9)).risk == pytest.approx(norm.cdf(-1), abs=0.015)


# Regression


def test_the_conditional_mean_of_a_normal_law_is_that_of_quadrature_and_of_draws():
    mean, covariance = np.array([1.0, -0.5]), np.array([[1.0, 0.7], [0.7, 2.0]])
    law = multivariate_normal(mean, covariance)
    best = optimal_regressor(
        lambda x, y: law.pdf(np.stack(np.broadcast_arrays(x, y), axis=-1)), (-6, 8), (-12, 11)
    )
    for x in (-1.0, 0.3, 2.5):
        closed = gaussian_conditional(mean, covariance, {0: x})
        assert best.predict([x])[0] == pytest.approx(closed.mean[0], abs=1e-8)
    assert best.risk == pytest.approx(closed.covariance[0, 0], rel=1e-3)
    X = law.rvs(20_000, random_state=0)
    fitted = LinearRegression().fit(X[:, :1], X[:, 1])
    assert fitted.coef_[0] == pytest.approx(closed.coefficients[0, 0], abs=0.04)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 5))
def test_the_conditional_law_is_the_ratio_of_the_joint_one_to_the_marginal_one(seed, d):
    drawing = np.random.default_rng(seed)
    A = drawing.normal(size=(d, d + 2))
    mean, covariance = drawing.normal(size=d), A @ A.T / d + 0.2 * np.eye(d)
    known = sorted(drawing.choice(d, size=int(drawing.integers(1, d)), replace=False).tolist())
    x = mean + drawing.normal(size=d)
    made = gaussian_conditional(mean, covariance, {k: x[k] for k in known})
    joint = multivariate_normal(mean, covariance).logpdf(x)
    marginal = multivariate_normal(mean[known], covariance[np.ix_(known, known)]).logpdf(x[known])
    conditional = multivariate_normal(made.mean, made.covariance).logpdf(x[made.rest])
    assert conditional == pytest.approx(joint - marginal, rel=1e-6, abs=1e-6)


def test_no_other_function_has_a_smaller_mean_squared_error():
    def density(x, y):
        return norm.pdf(x) * norm.pdf(y, np.sin(x), 0.3 + 0.1 * np.abs(x))

    best = optimal_regressor(density, (-7, 7), (-8, 8))
    drawing = np.random.default_rng(0)
    x = drawing.normal(size=50_000)
    y = np.sin(x) + (0.3 + 0.1 * np.abs(x)) * drawing.normal(size=len(x))
    np.testing.assert_allclose(best.predict([-1.0, 0.5]), np.sin([-1.0, 0.5]), atol=1e-6)
    assert np.mean((y - np.sin(x)) ** 2) == pytest.approx(best.risk, rel=0.03)
    for other in (0.9 * np.sin(x), np.sin(x) + 0.1, x):
        assert np.mean((y - other) ** 2) > best.risk


# Bias and variance


def test_bias_variance_and_noise_sum_to_the_risk():
    law = RegressionLaw(lambda X: np.sin(6 * X[:, 0]), noise=0.3)
    models = {
        "mean": DummyRegressor(), "5 neighbours": KNeighborsRegressor(5), "tree": DecisionTreeRegressor(random_state=0)
    }  # fmt: skip
    made = bias_variance(models, law, n=40, repeats=60)
    np.testing.assert_allclose(made.noise + made.bias + made.variance, made.risk)
    assert np.all(np.diff(made.bias) < 0)
    assert np.all(np.diff(made.variance) > 0)
    again = bias_variance(models, law, n=40, repeats=60, random_state=1)
    np.testing.assert_allclose(made.risk, again.risk, rtol=0.15)


def test_the_bias_and_variance_of_a_mean_are_those_of_the_closed_form():
    law = RegressionLaw(lambda X: 2.0 * X[:, 0], noise=0.5)
    made = bias_variance({"mean": DummyRegressor()}, law, n=20, repeats=2000, points=2000)
    assert made.bias[0] == pytest.approx(4 / 12, rel=0.08)  # of 2x around its mean
    assert made.variance[0] == pytest.approx((4 / 12 + 0.25) / 20, rel=0.12)


def test_resampling_one_table_decomposes_its_held_out_error():
    X, y = load_diabetes(return_X_y=True)
    models = {"line": LinearRegression(), "tree": DecisionTreeRegressor(random_state=0)}
    made = bias_variance_resampled(models, X[:150], y[:150], repeats=30)
    np.testing.assert_allclose(made.bias + made.variance, made.risk)
    assert made.variance[1] > 3 * made.variance[0]
    assert "noise counted with the bias" in str(made)


def thresholds(points: int, steps: int) -> np.ndarray:
    """Return the labels of x ≥ t, for so many t."""
    x = (np.arange(points) + 0.5) / points
    return (x >= np.linspace(0, 1, steps)[:, None]).astype(int)


def test_the_risk_of_the_learned_function_is_between_bias_and_bias_plus_twice_the_fluctuation():
    drawing = np.random.default_rng(0)
    law = drawing.dirichlet(np.ones(24)).reshape(12, 2)
    wide = np.vstack([thresholds(12, 13), drawing.integers(0, 2, size=(300, 12))])
    classes = {"2": thresholds(12, 2), "13": thresholds(12, 13), "313": wide}
    made = bias_fluctuation(classes, law, n=30)
    assert np.all(made.held == 1.0)
    assert np.all(made.bias <= made.risk + 1e-12)
    assert np.all(made.risk <= made.bias + 2 * made.fluctuation + 1e-12)
    assert np.all(np.diff(made.bias) <= 0)  # nested classes
    assert np.all(np.diff(made.fluctuation) >= 0)
    assert np.all(made.training <= made.bias + 1e-2)
    more = bias_fluctuation(classes, law, n=3000)
    assert np.all(more.fluctuation < 0.3 * made.fluctuation)


def test_risks_of_a_finite_law_are_sums():
    law = np.array([[0.3, 0.1], [0.2, 0.4]])
    made = bias_fluctuation({"one": np.array([[0, 1]])}, law, n=10)
    assert made.bias[0] == pytest.approx(0.1 + 0.2)
    assert made.risk[0] == pytest.approx(0.1 + 0.2)
    exact = sum(math.comb(10, k) * 0.3**k * 0.7 ** (10 - k) * abs(k / 10 - 0.3) for k in range(11))
    assert made.fluctuation[0] == pytest.approx(exact, abs=0.02)


def test_samples_of_a_table_fluctuate_as_those_drawn_row_by_row():
    drawing = np.random.default_rng(0)
    y = np.array(["a", "b", "c"])[drawing.integers(0, 3, size=25)]
    said = np.array(["a", "b", "c"])[drawing.integers(0, 3, size=(6, 25))]
    made = bias_fluctuation_resampled({"six": said}, y, repeats=3000)
    wrong = said != y
    assert made.bias[0] == pytest.approx(wrong.mean(axis=1).min())
    assert made.n == 25
    rows = drawing.integers(25, size=(3000, 25))
    away = np.abs(wrong[:, rows].mean(axis=2) - wrong.mean(axis=1)[:, None]).max(axis=0)
    assert made.fluctuation[0] == pytest.approx(away.mean(), rel=0.04)
    assert made.held[0] == 1.0
    fewer = bias_fluctuation_resampled({"six": said}, y, n=5)
    assert fewer.fluctuation[0] > 1.5 * made.fluctuation[0]


# No free lunch


@pytest.mark.parametrize(("points", "training"), [(3, 1), (4, 2), (6, 4)])
def test_all_learners_have_the_mean_error_one_half(points, training):
    def odd(seen, labels, rest):
        return (rest + labels.sum()) % 2

    learners = {"odd": odd, "zero": lambda seen, labels, rest: 0 * rest}
    for some in (learners, None):
        made = no_free_lunch(some, points=points, training=training)
        np.testing.assert_allclose(made.mean, 0.5, rtol=1e-12)


def test_an_assumption_makes_one_learner_better_than_another():
    made = no_free_lunch(problems=[[int(x >= t) for x in range(5)] for t in range(6)])
    assert made.mean[0] < 0.2 < made.mean[1]
    assert not made.complete


# Surfaces


@pytest.mark.parametrize("loss", ["hinge", "square", "logistic", "error"])
def test_the_surface_of_a_risk_is_its_mean_loss_and_convex_if_the_loss_is(loss):
    drawing = np.random.default_rng(0)
    X, y = drawing.normal(size=(15, 2)), drawing.integers(0, 2, size=15)
    made = risk_surface(X, y, loss, reach=2.0)
    costs = {
        "hinge": lambda z: np.maximum(0.0, 1.0 - z),
        "square": lambda z: (1.0 - z) ** 2,
        "logistic": lambda z: np.log2(1.0 + np.exp(-z)),
        "error": lambda z: (z <= 0.0).astype(float),
    }
    for i, j in ((0, 0), (17, 60), (120, 3)):
        margins = (2.0 * y - 1.0) * (X @ [made.side[j], made.side[i]])
        assert made.risk[i, j] == pytest.approx(costs[loss](margins).mean())
    bends = [np.diff(made.risk, 2, axis=axis).min() for axis in (0, 1)]
    assert bool(min(bends) > -1e-12) is (loss != "error")
    assert made.risk.min() == pytest.approx(
        made.risk[tuple(np.searchsorted(made.side, made.least[::-1]))]
    )


# What is refused


@pytest.mark.parametrize(
    ("call", "assumption"),
    [
        (lambda: ball_volume(0), "d ≥ 1"),
        (lambda: empty_space([3], layer=1.5), "0 < ε < 1"),
        (lambda: distance_concentration([3], points=1), "N ≥ 2"),
        (lambda: trunk_error(10, 0), "m ≥ 1"),
        (lambda: hughes([3], rules=["tree"]), "a known rule"),
        (lambda: bayes_rule([norm(0)], bounds=(-9, 9)), "two classes or more"),
        (lambda: bayes_rule([norm(0), norm(50)], bounds=(-9, 9)), "laws within the bounds.*wider"),
        (
            lambda: bayes_rule([norm(0), norm(1)], [0.7, 0.7], bounds=(-9, 9)),
            "priors that are a law",
        ),
        (lambda: bayes_rule([norm(0).pdf, norm(1).pdf]), "laws to draw from"),
        (
            lambda: bayes_rule([norm(0).logpdf, norm(1).logpdf], bounds=(-9, 9)),
            "not their logarithms",
        ),
        (
            lambda: gaussian_bayes_risk([0, 0], [1, 1], [[1, 1], [1, 1]]),
            "a covariance with an inverse",
        ),
        (lambda: gaussian_conditional([0, 0], np.eye(2), {}), "some variables given"),
        (lambda: gaussian_conditional([0, 0], np.eye(2), {5: 1.0}), "some variables given"),
        (lambda: gaussian_conditional([0, 0], [[1, 2], [0, 1]], {0: 1.0}), "a symmetric matrix"),
        (
            lambda: optimal_regressor(lambda x, y: norm.pdf(x) * norm.pdf(y), (-1, 1), (-9, 9)),
            "a law within",
        ),
        (lambda: bias_variance({}, RegressionLaw(np.sum)), "some models"),
        (lambda: bias_variance({"m": DummyRegressor()}, "law"), "a known law"),
        (lambda: bias_fluctuation({"a": [[0, 1]]}, [[0.9, 0.9]]), "a law"),
        (
            lambda: bias_fluctuation({"a": [[0, 7]]}, [[0.5, 0.1], [0.2, 0.2]]),
            "a label per function",
        ),
        (lambda: bias_fluctuation_resampled({}, [0, 1]), "some classes"),
        (lambda: bias_fluctuation_resampled({"a": [[0, 1]]}, [[0, 1]]), "a label for every row"),
        (lambda: bias_fluctuation_resampled({"a": [[0, 1, 1]]}, [0, 1]), "per function"),
        (lambda: no_free_lunch(points=3, training=3), "rows that were not seen"),
        (lambda: no_free_lunch(points=30), "P ≤ 10"),
        (lambda: risk_surface(np.eye(3), [0, 1, 1]), "two columns"),
        (lambda: risk_surface(np.eye(2), [0, 0]), "a label of two"),
        (lambda: risk_surface(np.eye(2), [0, 1], "cubic"), "a loss of the margin"),
        (lambda: residual_losses(delta=-1.0), "δ > 0"),
    ],
)
def test_a_value_that_breaks_an_assumption_names_it(call, assumption):
    with pytest.raises(InvalidInputError, match=assumption):
        call()
