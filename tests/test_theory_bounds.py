"""Claims about bounds: what the courses print, inverses, brute force on tiny classes, and coverage by simulation."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog
from scipy.stats import binom
from sklearn.datasets import load_breast_cancer

from chemin.exceptions import InvalidInputError
from chemin.kernels import Epanechnikov, Gaussian, Linear, Polynomial
from chemin.models.boosting import AdaBoost
from chemin.models.perceptrons import RosenblattPerceptron
from chemin.theory.bounds import (
    affine_fit,
    binomial_tail_bound,
    boosting_bound,
    boosting_rounds,
    cover_count,
    finite_class,
    growth,
    hoeffding,
    is_separable,
    majority_vote,
    perceptron_bound,
    rademacher_class,
    rademacher_kernel,
    rademacher_linear,
    shattering,
    structural_risk,
    vc_bound,
    vc_dimension,
)
from chemin.theory.bounds.deviations import log_growth

REPEATS = 4000
STEPS = np.linspace(0.0, 1.0, 21)  # the thresholds of a finite class on [0, 1]


def upper_share(misses: int, repeats: int) -> float:
    """Return four standard errors more than the share that was seen: what the true one is below."""
    share = misses / repeats
    return share + 4.0 * math.sqrt(max(share, 1.0 / repeats) / repeats)


# Hoeffding, finite classes, dimension


def test_hoeffding_is_its_formula():
    assert hoeffding(n=50, epsilon=0.1).delta == pytest.approx(2 * math.exp(-2 * 50 * 0.01))
    assert hoeffding(n=50, epsilon=0.3, sides=1).delta == pytest.approx(math.exp(-2 * 50 * 0.09))
    wide = hoeffding(n=50, epsilon=0.3, width=2.0)
    assert wide.delta == pytest.approx(2 * math.exp(-2 * 50 * 0.09 / 4))


def test_values_of_different_widths_have_the_bound_of_the_appendix_and_keep_it():
    widths = np.repeat([1.0, 3.0, 0.2], [10, 4, 30])
    n, t = len(widths), 0.2
    made = hoeffding(epsilon=t, width=widths, sides=1)
    assert made.n == n
    assert made.delta == pytest.approx(math.exp(-2 * n**2 * t**2 / np.sum(widths**2)))
    assert hoeffding(n, delta=made.delta, width=widths, sides=1).epsilon == pytest.approx(t)
    signs = np.random.default_rng(0).choice([-0.5, 0.5], size=(REPEATS, n))  # the widest law
    means = (signs * widths).mean(axis=1)
    for step in (0.05, 0.1, 0.2):
        both = hoeffding(epsilon=step, width=widths).delta
        assert upper_share(int(np.sum(np.abs(means) >= step)), REPEATS) <= max(both, 0.02)


def test_the_finite_class_is_its_formula():
    made = finite_class(1000, n=500, delta=0.05)
    assert made.epsilon == pytest.approx(math.sqrt((math.log(2000) - math.log(0.05)) / 1000))
    needed = finite_class(1000, epsilon=0.05, delta=0.05).n  # m ≥ (1/2γ²) log(2k/δ)
    assert needed == math.ceil(math.log(2 * 1000 / 0.05) / (2 * 0.05**2))
    huge = finite_class(2 ** (2**12), n=10**6, delta=0.05)  # beyond any float
    assert huge.epsilon == pytest.approx(
        math.sqrt((4097 * math.log(2) - math.log(0.05)) / 2e6), rel=1e-12
    )


def test_the_order_of_the_lecture_is_its_formula():
    m, h, delta = 1000, 5, 0.05
    made = vc_bound(h, n=m, delta=delta, form="order")
    assert made.epsilon == pytest.approx(
        math.sqrt(h / m * math.log(m / h) + math.log(1 / delta) / m)
    )
    assert "no guarantee" in str(made.theorem)
    assert made.epsilon < vc_bound(h, n=m, delta=delta).epsilon


@pytest.mark.parametrize("make", [
    hoeffding, lambda **some: finite_class(100, **some), lambda **some: vc_bound(4, **some),
    lambda **some: vc_bound(4, form="order", **some),
], ids=["one", "finite", "dimension", "order"])  # fmt: skip
@settings(max_examples=40, deadline=None)
@given(epsilon=st.floats(0.01, 0.9), delta=st.floats(1e-6, 0.5))
def test_each_number_is_found_from_the_two_others(make, epsilon, delta):
    n = make(epsilon=epsilon, delta=delta).n
    assert make(n=n, delta=delta).epsilon <= epsilon * (1 + 1e-6)
    assert make(n=n, epsilon=epsilon).delta <= delta * (1 + 1e-6)
    least = 5 if "order" in make(n=n, delta=delta).theorem.name else 1
    if n > least:
        assert make(n=n - 1, delta=delta).epsilon >= epsilon * (1 - 1e-6)


@pytest.mark.parametrize(("n", "h"), [(1, 1), (5, 2), (10, 10), (30, 4), (60, 59)])
def test_growth_is_the_sum_of_sauer(n, h):
    by_hand = sum(math.comb(n, i) for i in range(h + 1))
    assert growth(n, h) == by_hand
    assert log_growth(n, h) == pytest.approx(math.log(by_hand))


@pytest.mark.parametrize("delta", [0.01, 0.1, 0.4])
@pytest.mark.parametrize("n", [5, 30, 200])
def test_hoeffding_covers_at_its_level(n, delta):
    epsilon = hoeffding(n=n, delta=delta).epsilon
    k = np.arange(n + 1)
    for p in (0.05, 0.3, 0.5):
        exact = binom.pmf(k, n, p)[np.abs(k / n - p) >= epsilon].sum()
        assert exact <= delta
        means = np.random.default_rng(n).binomial(n, p, size=REPEATS) / n
        assert upper_share(int(np.sum(np.abs(means - p) >= epsilon)), REPEATS) <= max(delta, 0.02)


def worst_deviations(thresholds: np.ndarray, n: int, repeats: int, seed: int) -> np.ndarray:
    """Return max |R_e − R_p| over classifiers x ≥ t, for labels x ≥ ½ flipped with probability 0.2."""
    drawing = np.random.default_rng(seed)
    expected = 0.2 + 0.6 * np.abs(thresholds - 0.5)
    worst = np.empty(repeats)
    for k in range(repeats):
        x = drawing.uniform(size=n)
        y = (x >= 0.5) ^ (drawing.uniform(size=n) < 0.2)
        wrong = (x[:, None] >= thresholds) != y[:, None]
        worst[k] = np.abs(wrong.mean(axis=0) - expected).max()
    return worst


@pytest.mark.parametrize("delta", [0.05, 0.3])
def test_a_finite_class_covers_at_its_level(delta):
    worst = worst_deviations(STEPS, 40, 2000, 1)
    bound = finite_class(len(STEPS), n=40, delta=delta)
    assert upper_share(int(np.sum(worst > bound.epsilon)), 2000) <= delta


@pytest.mark.parametrize("delta", [0.05, 0.5])
def test_the_dimension_of_thresholds_covers_at_its_level(delta):
    fine = np.linspace(0.0, 1.0, 201)
    worst = worst_deviations(fine, 400, 500, 2)
    bound = vc_bound(1, n=400, delta=delta)
    assert bound.epsilon < 0.6  # it says something
    assert upper_share(int(np.sum(worst > bound.epsilon)), 500) <= delta


def test_the_best_of_a_class_is_within_twice_the_deviation_of_its_least_risk():
    drawing = np.random.default_rng(3)
    expected = 0.2 + 0.6 * np.abs(STEPS - 0.5)
    bound = finite_class(len(STEPS), n=60, delta=0.05)
    missed = 0
    for _ in range(1000):
        x = drawing.uniform(size=60)
        y = (x >= 0.5) ^ (drawing.uniform(size=60) < 0.2)
        found = int(np.argmin(((x[:, None] >= STEPS) != y[:, None]).mean(axis=0)))
        missed += expected[found] > expected.min() + 2 * bound.epsilon
    assert upper_share(missed, 1000) <= 0.05


# Votes


def test_twenty_voters_of_the_course():
    vote = majority_vote(20, 0.3)
    by_hand = sum(math.comb(20, k) * 0.3**k * 0.7 ** (20 - k) for k in range(10, 21))
    assert vote.wrong == pytest.approx(by_hand)
    assert vote.wrong == pytest.approx(0.04796, abs=5e-6)
    assert vote.wrong_strictly == pytest.approx(0.0171, abs=5e-5)
    assert vote.bound == pytest.approx(0.2019, abs=5e-5)


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 300), st.floats(0.01, 0.49))
def test_a_vote_is_never_worse_than_its_bound(voters, error):
    vote = majority_vote(voters, error)
    assert vote.wrong_strictly <= vote.wrong <= vote.bound * (1 + 1e-9)
    assert binomial_tail_bound(voters, (voters + 1) // 2, error) <= vote.bound * (1 + 1e-9)


def test_a_vote_of_simulated_voters_is_wrong_as_often():
    wrong = np.random.default_rng(0).binomial(15, 0.4, size=20_000) >= 8
    assert wrong.mean() == pytest.approx(majority_vote(15, 0.4).wrong, abs=0.012)


@pytest.mark.parametrize("level", [0.2, 0.01, 1e-4])
def test_the_fewest_voters_reach_a_level_and_one_fewer_do_not(level):
    needed = majority_vote(error=0.4, wrong=level)
    assert needed.wrong <= level
    assert all(majority_vote(n, 0.4).wrong > level for n in range(1, needed.voters))
    assert majority_vote(needed.sufficient, 0.4).bound <= level
    assert majority_vote(needed.sufficient - 1, 0.4).bound > level


# Rademacher complexity


def brute(X: np.ndarray, functions: np.ndarray) -> float:
    """Return the complexity of functions, rows of values, by summing over all signs."""
    n = X.shape[0]
    return (
        float(np.mean([max(np.dot(s, f) for f in functions) for s in product([-1, 1], repeat=n)]))
        / n
    )


@pytest.mark.parametrize("seed", range(3))
def test_complexities_are_those_of_brute_force_on_tiny_classes(seed):
    drawing = np.random.default_rng(seed)
    X = drawing.normal(size=(6, 2))
    angle = np.linspace(0.0, 2.0 * np.pi, 721)
    circle = np.column_stack([np.cos(angle), np.sin(angle)])  # the ball's edge, to half a degree
    assert rademacher_linear(X, 1.5).value == pytest.approx(brute(X, 1.5 * circle @ X.T), rel=1e-4)
    corners = np.vstack([np.eye(2), -np.eye(2)])
    made = rademacher_linear(X, 2.0, penalty="l1")
    assert made.value == pytest.approx(brute(X, 2.0 * corners @ X.T))
    functions = drawing.choice([-1.0, 1.0], size=(5, 6))
    assert rademacher_class(functions).value == pytest.approx(brute(X, functions))


@pytest.mark.parametrize("kernel", [Linear(), Gaussian(0.7), Polynomial(2)], ids=str)
def test_the_complexity_of_a_kernel_is_that_of_its_features(kernel):
    X = np.random.default_rng(0).normal(size=(7, 2))
    values, vectors = np.linalg.eigh(kernel(X, X))
    features = vectors * np.sqrt(np.maximum(values, 0.0))
    made = rademacher_kernel(kernel, X, 3.0)
    assert made.value == pytest.approx(rademacher_linear(features, 3.0).value)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 9), st.integers(1, 4))
def test_complexities_lie_within_their_closed_forms(seed, n, d):
    X = np.random.default_rng(seed).normal(size=(n, d))
    functions = np.random.default_rng(seed).normal(size=(6, n))
    for made in (
        rademacher_linear(X), rademacher_linear(X, penalty="l1"), rademacher_kernel(Gaussian(), X),
        rademacher_class(functions),
    ):  # fmt: skip
        assert made.lower - 1e-12 <= made.value <= made.upper + 1e-12


def test_draws_come_near_what_all_signs_give():
    X = np.random.default_rng(5).normal(size=(15, 3))
    signs = np.array(list(product([-1.0, 1.0], repeat=15)))
    exact = np.linalg.norm(signs @ X, axis=1).mean() / 15
    made = rademacher_linear(X)
    assert not made.exact
    assert abs(made.value - exact) <= 4.0 * made.error


def test_the_bound_by_complexity_covers_at_its_level():
    drawing = np.random.default_rng(4)
    fine = np.linspace(0.0, 1.0, 41)
    expected = 0.2 + 0.6 * np.abs(fine - 0.5)
    missed = 0
    for k in range(200):
        x = drawing.uniform(size=60)
        y = (x >= 0.5) ^ (drawing.uniform(size=60) < 0.2)
        losses = ((x[:, None] >= fine) != y[:, None]).astype(float).T
        bound = rademacher_class(losses, draws=100, random_state=k).deviation(0.1)
        missed += bool(np.any(expected > losses.mean(axis=1) + bound))
    assert upper_share(missed, 200) <= 0.1


# Separability and shattering


def inequalities_say(X: np.ndarray, y: np.ndarray) -> bool:
    """Return whether y_i (w·x_i + b) ≥ 1 has a solution, by the solver alone."""
    A = -y[:, None] * np.column_stack([X, np.ones(len(X))])
    found = linprog(np.zeros(A.shape[1]), A_ub=A, b_ub=-np.ones(len(X)), bounds=(None, None))
    return found.status == 0


@pytest.mark.parametrize("d", [1, 2, 3])
def test_d_plus_one_points_are_shattered_and_d_plus_two_are_not(d):
    X = np.random.default_rng(d).normal(size=(d + 2, d))
    assert shattering(X[:-1]).shattered
    assert not shattering(X).shattered


@pytest.mark.parametrize(("n", "d"), [(4, 2), (5, 2), (6, 3), (7, 1)])
def test_points_in_general_position_have_as_many_labellings_as_cover_counted(n, d):
    X = np.random.default_rng(n).normal(size=(n, d))
    made = shattering(X)
    assert made.count == cover_count(n, d) == made.general
    brute = sum(inequalities_say(X, labels) for labels in made.labellings)
    assert made.count == brute
    assert made.count <= growth(n, d + 1)


def test_points_on_a_line_have_fewer_labellings():
    assert shattering([[0, 0], [1, 1], [2, 2]]).count == 6


@pytest.mark.parametrize("d", [1, 2, 5, 20])
def test_an_affine_function_has_any_values_on_d_plus_one_points(d):
    drawing = np.random.default_rng(d)
    X = drawing.normal(size=(d + 1, d))
    for _ in range(5):
        y = drawing.choice([-1.0, 1.0], size=d + 1)
        w, b = affine_fit(X, y)
        np.testing.assert_allclose(X @ w + b, y, atol=1e-9)


def test_and_and_or_are_separable_and_exclusive_or_is_not():
    corners = [[0, 0], [0, 1], [1, 0], [1, 1]]
    assert is_separable(corners, [0, 0, 0, 1])
    assert is_separable(corners, [0, 1, 1, 1])
    assert not is_separable(corners, [0, 1, 1, 0])


def test_dimensions_of_small_classes_are_those_of_the_books():
    x = np.arange(6)
    thresholds = [x >= t for t in range(7)]
    both = [*thresholds, *(x < t for t in range(7))]
    intervals = [(a <= x) & (x < b) for a in range(7) for b in range(a, 7)]
    assert [vc_dimension(made) for made in (thresholds, both, intervals)] == [1, 2, 2]
    assert vc_dimension([[0, 1, 1], [0, 1, 1]]) == 0
    assert vc_dimension(list(product([0, 1], repeat=4))) == 4


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 20), st.integers(2, 7))
def test_no_class_has_more_labellings_than_its_dimension_allows(seed, functions, n):
    made = np.random.default_rng(seed).integers(0, 2, size=(functions, n))
    assert len(np.unique(made, axis=0)) <= growth(n, vc_dimension(made))


# Structural risk, perceptrons, boosting


def test_structural_risk_takes_the_class_of_least_bound():
    training = [0.4, 0.15, 0.12, 0.1]
    made = structural_risk(training, dimensions=[1, 3, 30, 100], n=20_000, delta=0.1)
    for k, h in enumerate([1, 3, 30, 100]):
        assert made.penalties[k] == pytest.approx(vc_bound(h, n=20_000, delta=0.1 / 4).epsilon)
    assert made.chosen == int(np.argmin(training + made.penalties)) == 1
    assert np.argmin(training) == 3


def test_all_classes_of_a_structure_are_covered_at_once():
    nested = [STEPS[::k] for k in (20, 10, 5, 2, 1)]
    missed = 0
    drawing = np.random.default_rng(6)
    for _ in range(500):
        x = drawing.uniform(size=50)
        y = (x >= 0.5) ^ (drawing.uniform(size=50) < 0.2)
        training = [((x[:, None] >= t) != y[:, None]).mean(axis=0) for t in nested]
        best = [t[np.argmin(e)] for t, e in zip(nested, training, strict=True)]
        made = structural_risk([e.min() for e in training], sizes=[len(t) for t in nested], n=50)
        missed += bool(np.any(0.2 + 0.6 * np.abs(np.array(best) - 0.5) > made.bounds))
    assert upper_share(missed, 500) <= 0.05


def test_novikoff_is_that_of_the_perceptron():
    drawing = np.random.default_rng(0)
    X = drawing.normal(size=(40, 3))
    y = X @ [1.0, -2.0, 0.5] > 0
    X[y] += [0.1, -0.2, 0.05]
    model = RosenblattPerceptron(fit_intercept=False).fit(X, y)
    measured = model.bound(X, y)
    ours = perceptron_bound(radius=measured.radius, margin=measured.margin)
    assert ours.updates == pytest.approx(measured.bound)
    assert measured.updates <= ours.updates
    assert perceptron_bound(margin=ours.margin, updates=ours.updates).radius == pytest.approx(
        ours.radius
    )


def test_the_bound_of_boosting_is_that_of_the_model():
    X, y = load_breast_cancer(return_X_y=True)
    model = AdaBoost(n_estimators=20, random_state=0).fit(X[:150], y[:150])
    measured = model.bound(X[:150], y[:150])
    made = boosting_bound(measured.weighted_errors)
    np.testing.assert_allclose(made.bounds, measured.bounds)
    assert np.all(measured.training_errors <= made.bounds + 1e-12)
    assert np.all(made.bounds <= made.by_edges + 1e-12)


@pytest.mark.parametrize(("edge", "n"), [(0.05, 50), (0.2, 1000), (0.5, 10)])
def test_after_so_many_rounds_less_than_one_row_can_be_wrong(edge, n):
    rounds = boosting_rounds(edge, n)
    assert math.exp(-2 * rounds * edge**2) < 1 / n
    assert math.exp(-2 * (rounds - 1) * edge**2) >= 1 / n * (1 - 1e-9)


# What is refused


@pytest.mark.parametrize(
    ("call", "assumption"),
    [
        (lambda: majority_vote(10, 0.5), r"p < ½.*exchange"),
        (lambda: majority_vote(10, 0.7), r"p < ½"),
        (lambda: majority_vote(0, 0.3), r"N ≥ 1"),
        (lambda: hoeffding(n=10, epsilon=0.0), r"ε > 0"),
        (lambda: hoeffding(n=10, epsilon=-1), r"ε > 0"),
        (lambda: hoeffding(n=10, delta=1.5), r"0 < δ < 1"),
        (lambda: hoeffding(n=0, delta=0.5), r"n ≥ 1"),
        (lambda: hoeffding(n=10, delta=0.5, width=float("nan")), r"b − a > 0"),
        (lambda: hoeffding(n=10, delta=0.5, width=[1.0] * 9), r"10 finite numbers"),
        (lambda: hoeffding(epsilon=0.1, width=[1.0, 0.0]), r"b − a > 0"),
        (lambda: hoeffding(n=10), r"pass two of them"),
        (lambda: finite_class(0, n=10, delta=0.1), r"M ≥ 1"),
        (lambda: vc_bound(5, n=5, delta=0.1, form="order"), r"n > h"),
        (lambda: vc_bound(5, n=True, delta=0.1), r"n ≥ 1"),
        (lambda: finite_class(3, n=10, delta=0.1).upper(3.0), r"a loss between 0 and 1"),
        (lambda: binomial_tail_bound(10, 2, 0.3), r"m ≥ N p"),
        (lambda: rademacher_linear([[np.nan]]), r"finite coordinates"),
        (lambda: rademacher_kernel(Epanechnikov(), [[0.0], [1.0]]), r"positive kernel"),
        (lambda: affine_fit(np.zeros((4, 2)), [1, 1, 1, 1]), r"n ≤ d \+ 1"),
        (lambda: affine_fit([[0, 0], [1, 1], [2, 2]], [1, 1, 1]), r"affinely independent"),
        (lambda: structural_risk([1.2], sizes=[3], n=5), r"a loss between 0 and 1"),
        (lambda: perceptron_bound(radius=1.0, margin=2.0), r"γ ≤ R"),
        (lambda: perceptron_bound(radius=1.0, margin=0.0), r"γ > 0"),
        (lambda: boosting_bound([0.3, 0.5]), r"ε_t < ½, and the error of round 2"),
        (lambda: shattering(np.zeros((13, 2))), r"pass 12 at most"),
        (lambda: vc_dimension([[0, 1, 2]]), r"two values"),
    ],
)
def test_a_value_that_breaks_an_assumption_names_it(call, assumption):
    with pytest.raises(InvalidInputError, match=assumption):
        call()
