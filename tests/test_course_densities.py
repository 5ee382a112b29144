"""Claims of the courses on densities, against brute force, SciPy or scikit-learn: windows, neighbours, EM, laws."""

from __future__ import annotations

from math import gamma, pi

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize, stats
from scipy.spatial.distance import cdist
from sklearn.mixture import GaussianMixture
from sklearn.neighbors import KernelDensity

from chemin.exceptions import InvalidInputError
from chemin.exploration.densities import (
    bin_sensitivity,
    column_densities,
    covariance_rate,
    fit_gaussian,
    fit_laws,
    histogram,
    mixture,
    neighbour_density,
    parzen,
)
from chemin.exploration.densities.columns import count_maxima
from chemin.exploration.densities.mixtures import EMStep, count_parameters, em_step
from chemin.exploration.densities.parzen import left_out_likelihood

DRAWN = np.random.default_rng(7)
LINE = DRAWN.normal(size=60)
PLANE = DRAWN.normal(size=(70, 2)) @ np.array([[1.0, 0.4], [0.0, 0.6]])
SPACE = DRAWN.normal(size=(40, 3))
WINDOWS = ("gaussian", "epanechnikov", "flat")


def ball(d: int) -> float:
    return pi ** (d / 2) / gamma(d / 2 + 1)


def window_value(window: str, r: float, d: int) -> float:
    """Return W at distance r: of integral 1 over the space of d dimensions."""
    if window == "gaussian":
        return (2 * pi) ** (-d / 2) * np.exp(-(r**2) / 2)
    if window == "epanechnikov":
        return (d + 2) / (2 * ball(d)) * max(1 - r**2, 0.0)
    return float(r < 1) / ball(d)


def parzen_by_hand(X: np.ndarray, x: np.ndarray, h: float, window: str) -> float:
    n, d = X.shape
    total = sum(window_value(window, np.linalg.norm(x - one) / h, d) for one in X)
    return total / (n * h**d)


# Parzen's windows


@pytest.mark.parametrize("window", WINDOWS)
@pytest.mark.parametrize("X", [LINE[:, None], PLANE], ids=["line", "plane"])
def test_windows_sum_to_the_formula(X, window):
    at = np.random.default_rng(1).normal(size=(15, X.shape[1]))
    made = parzen(X, 0.5, window=window)
    by_hand = [parzen_by_hand(X, one, 0.5, window) for one in at]
    np.testing.assert_allclose(made.pdf(at), by_hand, rtol=1e-9, atol=1e-15)
    theirs = KernelDensity(bandwidth=0.5, kernel={"flat": "tophat"}.get(window, window)).fit(X)
    np.testing.assert_allclose(made.log_pdf(at), theirs.score_samples(at), rtol=1e-12)


@pytest.mark.parametrize("window", WINDOWS)
@pytest.mark.parametrize(("X", "resolution"), [(LINE, 20_001), (PLANE, 300)], ids=["line", "plane"])
def test_windows_integrate_to_one(X, resolution, window):
    made = parzen(X, 0.4, window=window)
    assert made.integral(-6.0, 6.0, resolution) == pytest.approx(1.0, rel=3e-3)


@pytest.mark.parametrize(("rule", "first"), [("scott", 1.0), ("silverman", None)])
@pytest.mark.parametrize("X", [LINE[:, None], PLANE, SPACE], ids=["1", "2", "3"])
def test_rules_are_those_of_scott_and_silverman(X, rule, first):
    n, d = X.shape
    first = (4 / (d + 2)) ** (1 / (d + 4)) if first is None else first
    spread = [min(np.std(x, ddof=1), stats.iqr(x) / 1.349) for x in X.T]
    expected = np.sqrt(np.mean(np.square(spread))) * first * n ** (-1 / (d + 4))
    made = parzen(X, rule)
    assert made.bandwidth == pytest.approx(expected, rel=1e-12)
    assert rule.capitalize() in made.said
    theirs = stats.gaussian_kde(X.T, bw_method=rule).factor
    assert first * n ** (-1 / (d + 4)) == pytest.approx(theirs)


@pytest.mark.parametrize("window", ["gaussian", "epanechnikov"])
@pytest.mark.parametrize("X", [LINE[:40, None], PLANE[:40]], ids=["line", "plane"])
def test_the_bandwidth_by_likelihood_is_the_best_of_a_grid(X, window):
    best = parzen(X, "likelihood", window=window)
    grid = best.bandwidth * np.geomspace(0.7, 1.4, 15)
    likeliest = max(left_out_by_hand(X, h, window) for h in grid)
    assert left_out_by_hand(X, best.bandwidth, window) >= likeliest - 1e-3
    assert "left out" in best.said


@pytest.mark.parametrize("window", ["gaussian", "epanechnikov"])
@pytest.mark.parametrize("X", [LINE[:30, None], PLANE[:30], SPACE[:30]], ids=["1", "2", "3"])
def test_the_likelihood_leaves_every_point_out_of_its_own_density(X, window):
    distances = cdist(X, X)
    np.fill_diagonal(distances, np.inf)
    found = left_out_likelihood(distances, 2.5, window, X.shape[1])
    assert found == pytest.approx(left_out_by_hand(X, 2.5, window))


def left_out_by_hand(X: np.ndarray, h: float, window: str) -> float:
    rest = [np.delete(X, row, axis=0) for row in range(len(X))]
    densities = [parzen_by_hand(rest[row], X[row], h, window) for row in range(len(X))]
    with np.errstate(divide="ignore"):
        return float(np.log(densities).sum())


def test_a_small_bandwidth_has_a_maximum_at_every_point_and_a_large_one_has_one():
    x = np.arange(5.0)
    place = np.linspace(-1, 5, 601)
    assert count_maxima(parzen(x, 0.05).pdf(place)) == 5
    assert count_maxima(parzen(x, 3.0).pdf(place)) == 1


# K nearest neighbours


@pytest.mark.parametrize("X", [LINE[:, None], PLANE, SPACE], ids=["1", "2", "3"])
@pytest.mark.parametrize("count", [1, 7])
def test_neighbours_give_their_share_over_the_volume_of_their_ball(X, count):
    n, d = X.shape
    at = np.random.default_rng(2).normal(size=(12, d))
    radius = [np.sort(np.linalg.norm(X - x, axis=1))[count - 1] for x in at]
    by_hand = [count / (n * ball(d) * r**d) for r in radius]
    np.testing.assert_allclose(neighbour_density(X, count).pdf(at), by_hand, rtol=1e-10)


def test_a_point_of_the_sample_is_its_own_first_neighbour():
    assert neighbour_density([0.0, 1.0, 3.0], 1).pdf(1.0).tolist() == [np.inf]
    assert neighbour_density([0.0, 1.0, 3.0], 2).pdf(3.0)[0] == pytest.approx(2 / (3 * 4))


def test_a_neighbour_density_is_infinite_where_k_points_coincide():
    X = np.array([[0.0, 0.0]] * 3 + [[1.0, 2.0], [4.0, 1.0]])
    assert np.isinf(neighbour_density(X, 3).pdf([[0.0, 0.0]])).all()
    assert np.isfinite(neighbour_density(X, 4).pdf([[0.0, 0.0]])).all()


def test_a_neighbour_density_of_a_uniform_law_integrates_to_about_one_over_its_square():
    X = np.random.default_rng(0).uniform(size=(2000, 2))
    made = neighbour_density(X, 60)
    assert made.integral(0.2, 0.8, 60) == pytest.approx(0.36, rel=0.03)
    assert made.integral(0.0, 1.0, 80) == pytest.approx(1.0, abs=0.1)  # balls leave the square
    inside = np.random.default_rng(1).uniform(0.2, 0.8, size=(200, 2))
    assert made.pdf(inside).mean() == pytest.approx(1.0, abs=0.05)


def test_a_neighbour_density_has_tails_so_heavy_that_its_integral_grows_without_end():
    made = neighbour_density(LINE, 5)
    wide = [made.integral(-(10.0**k), 10.0**k, 200_001) for k in (1, 2, 3)]
    steps = np.diff(wide)
    np.testing.assert_allclose(steps, 5 / 60 * np.log(10), rtol=0.1)


# Histograms


def test_a_histogram_is_the_share_of_a_bin_over_its_measure():
    edges = np.array([-3.0, -1.0, -0.5, 0.0, 2.0, 4.0])
    made = histogram(LINE, edges)
    for low, high, height in zip(edges[:-1], edges[1:], made.heights, strict=True):
        share = np.mean((low <= LINE) & (high > LINE))
        assert height == pytest.approx(share / (high - low))
    np.testing.assert_allclose(made.heights, np.histogram(LINE, edges, density=True)[0])
    at = np.random.default_rng(0).uniform(-4, 5, 50)
    theirs = stats.rv_histogram((made.counts, edges), density=False)
    np.testing.assert_allclose(made.pdf(at), theirs.pdf(at))


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.integers(-50, 50), min_size=1, max_size=30),
    st.integers(1, 12),
    st.floats(0.0, 0.99),
)
def test_a_histogram_sums_to_one_wherever_it_begins(values, bins, shift):
    made = histogram(np.array(values, dtype=float), bins, shift=shift)
    assert made.heights @ np.diff(made.edges) == pytest.approx(1.0)
    assert made.counts.sum() == len(values)


def test_moving_where_bins_begin_changes_the_histogram_by_the_largest_total_variation():
    looked = bin_sensitivity(LINE, 6, shifts=4)
    width = np.diff(looked.histograms[0].edges)[0]
    x = np.linspace(LINE.min() - width, LINE.max() + width, 200_001)
    curves = [made.pdf(x) for made in looked.histograms]
    by_grid = [np.abs(f - g).mean() * np.ptp(x) / 2 for f in curves for g in curves]
    assert looked.distance == pytest.approx(max(by_grid), abs=1e-3)
    for shift, made in zip(looked.shifts, looked.histograms, strict=True):
        np.testing.assert_allclose(LINE.min() - made.edges[0], shift * width, atol=1e-12)


def test_moving_bins_by_half_of_their_width_turns_a_flat_histogram_into_two_bumps():
    x, edges = [0.9, 1.1, 2.9, 3.1], [0.0, 1.0, 2.0, 3.0, 4.0]
    assert histogram(x, edges).heights.tolist() == [0.25] * 4
    assert histogram(x, edges, shift=0.5).heights.tolist() == [0.0, 0.5, 0.0, 0.5, 0.0]
    assert bin_sensitivity(x, edges, shifts=2).distance == pytest.approx(0.5)


# The likeliest Gaussian


@pytest.mark.parametrize("X", [LINE[:, None], PLANE, SPACE], ids=["1", "2", "3"])
def test_the_likeliest_gaussian_has_the_mean_and_the_covariance_over_n(X):
    law = fit_gaussian(X)
    n, d = X.shape
    mean, covariance = stats.multivariate_normal.fit(X)
    np.testing.assert_allclose(law.mean, mean)
    np.testing.assert_allclose(law.covariance, np.atleast_2d(covariance))
    np.testing.assert_allclose(law.unbiased, np.atleast_2d(np.cov(X.T)))
    np.testing.assert_allclose(law.unbiased, law.covariance * n / (n - 1))
    theirs = stats.multivariate_normal(law.mean, law.covariance)
    np.testing.assert_allclose(law.log_pdf(X), np.atleast_1d(theirs.logpdf(X)))
    peak = (2 * pi) ** (-d / 2) / np.sqrt(np.linalg.det(law.covariance))
    assert law.pdf(law.mean)[0] == pytest.approx(peak)
    np.testing.assert_allclose(law.correlation, np.atleast_2d(np.corrcoef(X.T)))


def log_likelihood(x: np.ndarray, mean: float, variance: float) -> float:
    return float(-0.5 * np.sum(np.log(2 * pi * variance) + (x - mean) ** 2 / variance))


def test_the_gradient_of_the_likelihood_is_zero_at_the_estimates():
    law = fit_gaussian(LINE)
    mean, variance = law.mean[0], law.covariance[0, 0]
    slope = optimize.approx_fprime(
        [mean, variance], lambda at: log_likelihood(LINE, *at), epsilon=1e-7
    )
    np.testing.assert_allclose(slope, 0.0, atol=1e-3)
    assert law.log_likelihood() == pytest.approx(log_likelihood(LINE, mean, variance))


def test_the_slope_in_the_mean_has_a_plus_sign():
    mean, variance = 0.3, 1.7
    slope = optimize.approx_fprime(
        [mean], lambda at: log_likelihood(LINE, at[0], variance), epsilon=1e-7
    )
    assert slope[0] == pytest.approx(np.sum(LINE - mean) / variance, rel=1e-4)


def test_only_the_covariance_over_n_minus_one_is_right_on_average():
    drawing = np.random.default_rng(0)
    laws = [fit_gaussian(drawing.normal(size=4)) for _ in range(4000)]
    assert np.mean([law.unbiased for law in laws]) == pytest.approx(1.0, abs=0.05)
    assert np.mean([law.covariance for law in laws]) == pytest.approx(3 / 4, abs=0.04)


def test_the_error_of_a_covariance_is_about_the_root_of_d_plus_1_over_n():
    rate = covariance_rate((1, 10, 40), (100, 400), repeats=30)
    np.testing.assert_allclose(rate.error, rate.expected, rtol=0.15)
    np.testing.assert_allclose(
        rate.expected, np.sqrt(np.array([[2.0], [11.0], [41.0]]) / np.array([100.0, 400.0]))
    )


def test_ten_and_a_hundred_variables_need_5_5_and_50_5_times_the_points_of_one():
    needed = covariance_rate((1, 10, 100), (2,), repeats=1).needed(0.1)
    np.testing.assert_allclose(needed, [200.0, 1100.0, 10_100.0])
    assert (needed[1:] / needed[0]).tolist() == pytest.approx([5.5, 50.5])


def test_a_covariance_has_d_times_d_plus_1_over_2_parameters():
    for d in range(1, 6):
        assert count_parameters(1, d, "full") == d + len(np.triu_indices(d)[0])


# Mixtures by EM

THREE = np.concatenate(
    [
        np.random.default_rng(s).normal(size=(60, 2)) + at
        for s, at in enumerate([(0, 0), (9, 0), (0, 9)])
    ]
)


def started(X: np.ndarray, count: int, seed: int = 0) -> EMStep:
    """Return a mixture to start from: equal weights, points as means, the covariance of all."""
    rows = np.random.default_rng(seed).choice(len(X), count, replace=False)
    spread = np.atleast_2d(np.cov(X.T)) + 0.1 * np.eye(X.shape[1])
    return EMStep(np.full(count, 1 / count), X[rows], np.stack([spread] * count), -np.inf)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 3), st.integers(1, 3))
def test_the_likelihood_never_falls_in_a_step_of_em(seed, count, d):
    X = np.random.default_rng(seed).normal(size=(25, d)) * np.arange(1, d + 1)
    X[:10] += 3.0
    at = started(X, count, seed)
    for _ in range(6):
        try:
            after = em_step(X, at)
        except InvalidInputError:  # a component has collapsed
            break
        assert after.log_likelihood >= at.log_likelihood - 1e-8
        at = after


def test_a_component_that_shrinks_to_a_point_is_said_to_have_no_maximum():
    narrow = np.array([np.eye(2) * 1e-4, np.eye(2)])
    at = EMStep(np.array([0.5, 0.5]), np.array([[5.0, 5.0], [0.0, 0.0]]), narrow, -np.inf)
    with pytest.raises(InvalidInputError, match=r"singular.*pass another start"):
        em_step(np.concatenate([PLANE, [[5.0, 5.0]]]), at)


def joint_density(X: np.ndarray, at: EMStep) -> np.ndarray:
    laws = zip(at.weights, at.means, at.covariances, strict=True)
    return np.column_stack([w * stats.multivariate_normal(m, c).pdf(X) for w, m, c in laws])


def test_a_step_of_em_uses_the_new_gamma_and_the_new_means():
    at = em_step(THREE, started(THREE, 3))
    joint = joint_density(THREE, at)
    share = joint / joint.sum(axis=1, keepdims=True)
    after = em_step(THREE, at)
    for m, weights in enumerate(share.T):
        mean = np.average(THREE, axis=0, weights=weights)
        np.testing.assert_allclose(after.weights[m], weights.mean())
        np.testing.assert_allclose(after.means[m], mean)
        new, old = (
            np.average([np.outer(x - c, x - c) for x in THREE], axis=0, weights=weights)
            for c in (mean, at.means[m])
        )
        np.testing.assert_allclose(after.covariances[m], new)
        assert np.abs(after.covariances[m] - old).max() > 1e-3
    assert at.log_likelihood == pytest.approx(np.log(joint.sum(axis=1)).sum())


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("seed", range(3))
def test_a_step_of_em_is_that_of_scikit_learn(seed):
    at = em_step(PLANE, started(PLANE, 3, seed))
    theirs = GaussianMixture(
        3, weights_init=at.weights, means_init=at.means,
        precisions_init=np.linalg.inv(at.covariances), max_iter=1, reg_covar=0.0,
    ).fit(PLANE)  # fmt: skip
    after = em_step(PLANE, at)
    np.testing.assert_allclose(after.weights, theirs.weights_, rtol=1e-8)
    np.testing.assert_allclose(after.means, theirs.means_, rtol=1e-8)
    np.testing.assert_allclose(after.covariances, theirs.covariances_, rtol=1e-7, atol=1e-12)


def test_em_comes_to_rest_where_one_more_step_changes_nothing():
    at = started(THREE, 3)
    for _ in range(200):
        at = em_step(THREE, at)
    after = em_step(THREE, at)
    np.testing.assert_allclose(after.means, at.means, atol=1e-9)
    np.testing.assert_allclose(after.covariances, at.covariances, atol=1e-9)
    assert after.log_likelihood == pytest.approx(at.log_likelihood, rel=1e-12)


def test_the_mixture_found_is_one_that_em_leaves_as_it_is():
    made = mixture(THREE, 3, covariance="full", restarts=2)
    after = em_step(THREE, EMStep(made.weights, made.means, made.covariances, -np.inf))
    np.testing.assert_allclose(after.means, made.means, atol=0.01)
    np.testing.assert_allclose(after.weights, made.weights, atol=0.001)
    assert made.converged
    assert np.all(np.diff(made.likelihoods) >= -1e-9)
    assert made.log_likelihood() == pytest.approx(after.log_likelihood, rel=1e-5)


@pytest.mark.parametrize(
    ("shape", "formula"),
    [
        ("full", lambda M, d: M - 1 + M * d + M * d * (d + 1) // 2),
        ("tied", lambda M, d: M - 1 + M * d + d * (d + 1) // 2),
        ("diag", lambda M, d: M - 1 + M * d + M * d),
        ("spherical", lambda M, d: M - 1 + M * d + M),
    ],
)
def test_parameters_are_counted_as_printed_and_m_more_are_spherical_not_diagonal(shape, formula):
    for count in (1, 2, 5):
        for d in (1, 2, 4):
            theirs = GaussianMixture(count, covariance_type=shape)
            theirs.means_ = np.zeros((count, d))
            counted = count_parameters(count, d, shape)
            assert counted == formula(count, d) == theirs._n_parameters()


def test_aic_and_bic_are_the_likelihood_and_the_price_of_the_parameters():
    made = mixture(PLANE, [1, 2], restarts=1)
    assert len(made.candidates) == 8
    for one in made.candidates:
        p = count_parameters(one.components, 2, one.covariance)
        assert one.parameters == p
        assert one.aic == pytest.approx(-2 * one.log_likelihood + 2 * p)
        assert one.bic == pytest.approx(-2 * one.log_likelihood + p * np.log(len(PLANE)))
    best = min(made.candidates, key=lambda one: one.bic)
    assert (best.components, best.covariance) == (len(made.weights), made.covariance)
    assert made.log_likelihood() == pytest.approx(best.log_likelihood)
    chosen = mixture(PLANE, [1, 2], restarts=1, criterion="aic")
    least = min(chosen.candidates, key=lambda one: one.aic)
    assert (least.components, least.covariance) == (len(chosen.weights), chosen.covariance)


def test_one_gaussian_is_the_likeliest_one():
    made, law = mixture(PLANE, 1, covariance="full", restarts=1), fit_gaussian(PLANE)
    np.testing.assert_allclose(made.means[0], law.mean)
    np.testing.assert_allclose(made.covariances[0], law.covariance, rtol=1e-4, atol=1e-5)
    assert made.log_likelihood() == pytest.approx(law.log_likelihood(), rel=1e-6)


def test_bic_finds_three_clear_components_and_the_likelihood_alone_would_not():
    made = mixture(THREE, [1, 2, 3, 4, 5], covariance=["full", "spherical"], restarts=1)
    assert len(made.weights) == 3
    best = [one for one in made.candidates if one.covariance == made.covariance]
    assert max(best, key=lambda one: one.log_likelihood).components > 3
    labels = made.labels()
    assert all(len(np.unique(labels[60 * k : 60 * k + 60])) == 1 for k in range(3))
    assert len(np.unique(labels)) == 3


@pytest.mark.parametrize("shape", ["full", "tied", "diag", "spherical"])
def test_a_mixture_is_the_sum_of_its_weighted_gaussians(shape):
    made = mixture(PLANE, 2, covariance=shape, restarts=1)
    at = EMStep(made.weights, made.means, made.covariances, -np.inf)
    joint = joint_density(PLANE, at)
    np.testing.assert_allclose(made.pdf(PLANE), joint.sum(axis=1), rtol=1e-8)
    np.testing.assert_allclose(
        made.responsibilities(), joint / joint.sum(axis=1, keepdims=True), atol=1e-9
    )
    assert made.weights.sum() == pytest.approx(1.0)
    assert made.integral(-9.0, 9.0, 300) == pytest.approx(1.0, abs=1e-4)


def test_points_drawn_from_a_mixture_have_its_mean_and_covariance():
    made = mixture(THREE, 3, covariance="full", restarts=1)
    drawn = made.sample(40_000, random_state=1)
    mean = made.weights @ made.means
    away = made.means - mean
    covariance = np.einsum("m,mij->ij", made.weights, made.covariances) + away.T @ (
        made.weights[:, None] * away
    )
    np.testing.assert_allclose(drawn.mean(axis=0), mean, atol=0.1)
    np.testing.assert_allclose(np.cov(drawn.T), covariance, rtol=0.03)
    np.testing.assert_array_equal(drawn, made.sample(40_000, random_state=1))
    assert made.sample(0).shape == (0, 2)


# Laws

SEEN = np.random.default_rng(1)
SAMPLES = {
    "normal": SEEN.normal(2.0, 3.0, 800),
    "Laplace": SEEN.laplace(1.0, 2.0, 800),
    "logistic": SEEN.logistic(1.0, 2.0, 800),
    "Student": SEEN.standard_t(2.5, 800),
    "uniform": SEEN.uniform(-1.0, 3.0, 800),
    "exponential": SEEN.exponential(3.0, 800),
    "log-normal": SEEN.lognormal(1.0, 0.8, 800),
    "gamma": SEEN.gamma(3.0, 2.0, 800),
    "Weibull": 3.0 * SEEN.weibull(2.5, 800),
    "beta": SEEN.beta(2.0, 5.0, 800),
    "Poisson": SEEN.poisson(4.0, 800).astype(float),
    "geometric": SEEN.geometric(0.3, 800).astype(float),
}


@pytest.mark.parametrize("name", SAMPLES)
def test_the_law_that_a_sample_was_drawn_from_is_found(name):
    assert fit_laws(SAMPLES[name]).best.name == name


CLOSED = {
    "normal": lambda x: {"mean": x.mean(), "sd": np.sqrt(np.mean((x - x.mean()) ** 2))},
    "Laplace": lambda x: {"median": np.median(x), "scale": np.abs(x - np.median(x)).mean()},
    "uniform": lambda x: {"from": x.min(), "length": np.ptp(x)},
    "exponential": lambda x: {"mean": x.mean()},
    "log-normal": lambda x: {
        "log sd": np.log(x).std(),
        "median": np.exp(np.log(x).mean()),
    },
    "Poisson": lambda x: {"mean": x.mean()},
    "geometric": lambda x: {"p": 1.0 / x.mean()},
}


@pytest.mark.parametrize("name", CLOSED)
def test_the_likeliest_parameters_are_those_in_closed_form(name):
    fitted = fit_laws(SAMPLES[name], [name])[name]
    expected = CLOSED[name](SAMPLES[name])
    assert fitted.parameters.keys() == expected.keys()
    for parameter, value in expected.items():
        assert fitted.parameters[parameter] == pytest.approx(value, rel=1e-4)


SEARCHED = {
    "logistic": (stats.logistic, {"loc": (-9, 9), "scale": (0.1, 9)}, ("mean", "scale")),
    "gamma": (stats.gamma, {"a": (0.1, 20), "scale": (0.1, 20)}, ("shape", "scale")),
    "Weibull": (stats.weibull_min, {"c": (0.1, 20), "scale": (0.1, 20)}, ("shape", "scale")),
    "beta": (stats.beta, {"a": (0.1, 20), "b": (0.1, 20), "scale": (1, 1)}, ("a", "b")),
    "Poisson": (stats.poisson, {"mu": (0, 20)}, ("mean",)),
    "geometric": (stats.geom, {"p": (0.01, 1)}, ("p",)),
}


@pytest.mark.parametrize("name", SEARCHED)
def test_no_other_parameters_found_by_scipy_s_search_are_likelier(name):
    family, bounds, names = SEARCHED[name]
    x, ours = SAMPLES[name], fit_laws(SAMPLES[name], [name])[name]
    found = stats.fit(family, x, bounds)
    theirs = -found.nllf()
    assert ours.log_likelihood >= theirs - 1e-3
    kept = [getattr(found.params, key) for key, (low, high) in bounds.items() if low < high]
    for parameter, value in zip(names, kept, strict=True):
        assert ours.parameters[parameter] == pytest.approx(value, rel=0.01)


def test_the_prices_of_laws_count_their_free_parameters():
    free = {"normal": 2, "Student": 3, "exponential": 1, "gamma": 2, "log-normal": 2, "Weibull": 2}
    fitted = fit_laws(SAMPLES["gamma"])
    for name, count in free.items():
        law = fitted[name]
        assert law.aic == pytest.approx(-2 * law.log_likelihood + 2 * count)
        assert law.bic == pytest.approx(-2 * law.log_likelihood + count * np.log(800))
        assert law.log_likelihood == pytest.approx(np.log(law.pdf(fitted.values)).sum())
    assert [law.aic for law in fitted.laws] == sorted(law.aic for law in fitted.laws)


@pytest.mark.parametrize("name", [name for name in SAMPLES if name not in ("Poisson", "geometric")])
def test_the_distance_of_a_law_is_that_of_kolmogorov_and_smirnov(name):
    x = SAMPLES[name]
    fitted = fit_laws(x)
    for law in fitted.laws:
        assert law.distance == pytest.approx(stats.kstest(x, law.law.cdf).statistic, abs=1e-12)


def test_the_distance_of_counts_is_the_largest_gap_between_the_two_distribution_functions():
    x = SAMPLES["Poisson"]
    law = fit_laws(x, ["Poisson"]).best
    gaps = [abs(np.mean(x <= k) - stats.poisson(x.mean()).cdf(k)) for k in range(40)]
    assert law.distance == pytest.approx(max(gaps))


def test_quantiles_undo_the_distribution_function():
    law = fit_laws(SAMPLES["gamma"]).best
    shares = np.array([0.1, 0.5, 0.9])
    np.testing.assert_allclose(law.law.cdf(law.quantile(shares)), shares)


@pytest.mark.parametrize("counts", [[1, 1, 1, 2], [0, 0, 0, 3], [0] * 200 + [1] * 80 + [2] * 20])
def test_a_repeated_value_does_not_make_student_s_law_a_point(counts):
    fitted = fit_laws(counts)
    assert "Student" in fitted.left_out
    assert np.isfinite([law.aic for law in fitted.laws]).all()


# Columns of a table


def test_columns_of_a_table_have_the_maxima_and_the_laws_of_each():
    found = column_densities("iris")
    assert found["petal length (cm)"].maxima == 2
    assert found["sepal width (cm)"].maxima == 1
    assert found.said == "all 150 rows"
    for column in found.columns:
        assert column.laws.best.aic == fit_laws(column.laws.values).best.aic
