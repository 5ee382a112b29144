"""What the courses print of votes, trees, forests, regressions and numbers of the machine, against what is computed."""

from __future__ import annotations

from itertools import combinations
from math import log

import matplotlib.pyplot as plt
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.special import expit
from scipy.stats import multivariate_normal
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_iris
from sklearn.ensemble import BaggingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import BernoulliNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVR, LinearSVC
from sklearn.tree import DecisionTreeClassifier

from chemin.exceptions import InvalidInputError
from chemin.models import find
from chemin.models.losses import LossClassifier
from chemin.multiclass import OneVsOne
from chemin.theory import bayes_rule, penalty_map, residual_losses

IRIS = load_iris(return_X_y=True)
SIGNS = np.array([-1.0, 1.0])


# Chapters 1 and 4: pairs of classes, least squares, losses of a residual


@pytest.mark.parametrize("k", [2, 3, 5, 7])
def test_pairs_of_classes_vote_and_ties_go_to_the_largest_sum(k):
    drawing = np.random.default_rng(k)
    y = np.repeat(np.arange(k), 12)
    X = 1.5 * drawing.normal(size=(k, 2))[y] + drawing.normal(size=(len(y), 2))
    model = OneVsOne(LinearSVC(random_state=0)).fit(X, y)
    assert model.n_machines_ == k * (k - 1) // 2
    at = 3.0 * drawing.normal(size=(400, 2))
    votes, sums = np.zeros((len(at), k)), np.zeros((len(at), k))
    pairs = combinations(range(k), 2)
    for number, ((i, j), machine) in enumerate(zip(pairs, model.estimators_, strict=True)):
        assert (model.code_[i, number], model.code_[j, number]) == (-1, 1)
        score = -machine.decision_function(at)  # positive for the first of the two
        votes[:, i] += score >= 0
        votes[:, j] += score < 0
        sums[:, i] += score
        sums[:, j] -= score
    said = model.predict(at)
    top = votes == votes.max(axis=1, keepdims=True)
    assert np.all(top[np.arange(len(at)), said])
    assert np.array_equal(said, np.where(top, sums, -np.inf).argmax(axis=1))
    assert k < 3 or np.any(top.sum(axis=1) > 1)  # there are ties to be settled


def test_least_squares_are_not_unique_with_as_few_rows_as_columns_and_ridge_is():
    X, y = load_diabetes(return_X_y=True)
    X, y = X[:8], y[:8]  # N = 8, d = 10
    ones = np.column_stack([np.ones(8), X])
    assert np.linalg.matrix_rank(ones.T @ ones) < 11
    with pytest.raises(InvalidInputError, match="a unique solution without penalty"):
        penalty_map(X, y)
    ridged = ones.T @ ones + np.diag([0.0] + [1e-3] * 10)
    assert np.linalg.matrix_rank(ridged) == 11
    fitted = find("ridge").build(*X.shape, 0).set_params(alphas=[1e-3]).fit(X, y)
    assert np.allclose([fitted.intercept_, *fitted.coef_], np.linalg.solve(ridged, ones.T @ y))


def test_losses_of_a_residual_are_those_that_are_drawn():
    delta, epsilon = 1.0, 0.5
    found = residual_losses(delta=delta, epsilon=epsilon)
    r = np.abs(found.residuals)
    assert np.allclose(found.losses["square"], r**2)
    huber = np.where(r <= delta, r**2, 2 * delta * r - delta**2)
    assert np.allclose(found.losses["Huber"], huber)
    assert np.array_equal(found.losses["0-1"], (r > delta).astype(float))
    assert np.allclose(found.losses["ε-insensitive"], np.maximum(0.0, r - epsilon))
    assert np.all(found.losses["Huber"] <= found.losses["square"] + 1e-12)
    ax = found.plot()
    assert len(ax.lines) == 4
    plt.close(ax.figure)


# Chapter 6: logistic regression, neighbours


@pytest.mark.parametrize("prior", [0.5, 0.2])
def test_the_posterior_of_two_gaussians_of_one_covariance_is_logistic(prior):
    covariance = np.array([[1.0, 0.4], [0.4, 2.0]])
    means = np.array([[0.5, 1.0], [-1.0, 0.3]])
    laws = [multivariate_normal(mean, covariance) for mean in means]
    rule = bayes_rule(laws, [prior, 1.0 - prior], bounds=[(-8, 8), (-9, 9)])
    beta1 = np.linalg.solve(covariance, means[0] - means[1])
    squares = [mean @ np.linalg.solve(covariance, mean) for mean in means]
    beta0 = 0.5 * squares[1] - 0.5 * squares[0] + log(prior / (1.0 - prior))
    x = np.random.default_rng(0).normal(size=(40, 2)) * 2.0
    assert np.allclose(rule.posterior(x)[:, 0], expit(beta0 + x @ beta1), atol=1e-10)


@pytest.mark.parametrize("strength", [0.0, 0.3, 20.0])
def test_logistic_regression_is_the_only_maximum_of_its_penalised_likelihood(strength):
    X, y = load_breast_cancer(return_X_y=True)
    X = (X[:200, :4] - X[:200, :4].mean(axis=0)) / X[:200, :4].std(axis=0)
    y = y[:200]
    sign = SIGNS[y]

    def cost(w):  # −L + λ‖β₁‖²
        scores = w[0] + X @ w[1:]
        slope = -sign * expit(-sign * scores)
        value = np.logaddexp(0.0, -sign * scores).sum() + strength * w[1:] @ w[1:]
        return value, np.append(slope.sum(), slope @ X + 2.0 * strength * w[1:])

    C = np.inf if strength == 0.0 else 1.0 / (2.0 * strength)
    model = find("logistic").build(*X.shape, 0).set_params(C=C, tol=1e-9).fit(X, y)
    ours = np.append(model.intercept_, model.coef_)
    assert np.abs(cost(ours)[1]).max() < 1e-3
    for seed in range(3):
        start = 3.0 * np.random.default_rng(seed).normal(size=5)
        found = minimize(cost, start, jac=True, method="BFGS", options={"gtol": 1e-8})
        assert np.allclose(found.x, ours, atol=2e-4)


def test_the_likelihood_of_separable_classes_has_no_maximum():
    X = np.array([[-2.0], [-1.0], [1.0], [2.0]])
    sizes = []
    for C in (1.0, 1e2, 1e4, 1e6):
        w = LogisticRegression(C=C, tol=1e-10).fit(X, [0, 0, 1, 1]).coef_[0, 0]
        sizes.append((w, np.logaddexp(0.0, -w * np.abs(X[:, 0])).sum()))
    slopes, costs = np.array(sizes).T
    assert np.all(np.diff(slopes) > 0.5)
    assert np.all(np.diff(costs) < 0.0)


@pytest.mark.parametrize("P", [5, 10])
def test_the_share_of_a_class_among_neighbours_is_its_posterior_by_the_density_of_neighbours(P):
    X, y = IRIS
    X = X + np.random.default_rng(0).normal(scale=1e-6, size=X.shape)  # no two distances alike
    model = KNeighborsClassifier(P).fit(X, y)
    for x in X[::13] + 0.05:
        order = np.argsort(np.linalg.norm(X - x, axis=1))
        radius = np.linalg.norm(X[order[P - 1]] - x)
        inside = np.bincount(y[order[:P]], minlength=3)
        members = np.bincount(y)
        density = inside / (members * radius**4)  # P_k/(N_k V), up to the volume of the unit ball
        posterior = density * members / len(X)
        assert np.allclose(model.predict_proba([x])[0], posterior / posterior.sum())


# Chapter 7: trees, forests, bootstrap


def impurity(y: np.ndarray, criterion: str) -> float:
    p = np.unique(y, return_counts=True)[1] / len(y)
    return float(-(p * np.log(p)).sum() if criterion == "entropy" else (p * (1.0 - p)).sum())


def best_question(X: np.ndarray, y: np.ndarray, criterion: str, sides: int) -> tuple[float, ...]:
    """Return the least value, column and T of the questions x_j < T: of both sides weighted, or of x_j < T alone."""
    found = []
    for j in range(X.shape[1]):
        for T in np.unique(X[:, j])[1:]:
            left = X[:, j] < T
            value = impurity(y[left], criterion)
            if sides == 2:
                value = left.mean() * value + (1 - left.mean()) * impurity(y[~left], criterion)
            found.append((value, float(j), float(T)))
    return min(found)


@pytest.mark.parametrize("criterion", ["gini", "entropy"])
def test_impurities_are_zero_when_pure_and_largest_at_one_half(criterion):
    shares = np.linspace(0.0, 1.0, 41)
    labels = [np.repeat([0, 1], [40 - k, k]) for k in range(41)]
    found = np.array([impurity(y, criterion) for y in labels])
    assert found[0] == found[-1] == 0.0
    assert shares[found.argmax()] == 0.5
    assert found.max() == pytest.approx({"gini": 0.5, "entropy": log(2.0)}[criterion])
    for y, value in zip(labels[1:-1], found[1:-1], strict=True):
        node = DecisionTreeClassifier(criterion=criterion).fit(np.arange(40.0)[:, None], y).tree_
        unit = log(2.0) if criterion == "entropy" else 1.0  # scikit-learn counts in bits
        assert node.impurity[0] * unit == pytest.approx(value)


@pytest.mark.parametrize("criterion", ["gini", "entropy"])
@pytest.mark.parametrize("seed", range(6))
def test_a_tree_asks_the_best_question_of_all(seed, criterion):
    drawing = np.random.default_rng(seed)
    X, y = drawing.normal(size=(30, 3)), drawing.integers(0, 2, size=30)
    tree = find("tree").build(*X.shape, 0).set_params(criterion=criterion, min_samples_leaf=1)
    made = tree.fit(X, y).tree_
    assert tree.score(X, y) == 1.0  # until pure
    unit = log(2.0) if criterion == "entropy" else 1.0
    for node in np.flatnonzero(made.children_left >= 0):
        rows = tree.decision_path(X).toarray()[:, node] > 0
        value, _, _ = best_question(X[rows], y[rows], criterion, sides=2)
        sons = [made.children_left[node], made.children_right[node]]
        weights = made.n_node_samples[sons] / made.n_node_samples[node]
        assert weights @ made.impurity[sons] * unit == pytest.approx(value)


def test_the_question_scored_on_one_side_only_cuts_off_a_single_row():
    X, y = IRIS
    value, column, T = best_question(X, y, "gini", sides=1)
    assert value == 0.0
    assert np.unique(y[X[:, int(column)] < T]).size == 1
    rows = np.arange(12.0)[:, None]
    alternate = np.arange(12) // 6
    alternate[0] = 1  # one wrong row first: the literal rule cuts it off, both sides find the step
    assert best_question(rows, alternate, "gini", sides=1)[2] == 1.0
    assert best_question(rows, alternate, "gini", sides=2)[2] == 6.0


def test_a_forest_has_the_defaults_of_the_course_and_bags_trees_of_few_columns():
    X, y = load_breast_cancer(return_X_y=True)
    plain = RandomForestClassifier()
    assert (plain.n_estimators, plain.max_features, plain.criterion) == (100, "sqrt", "gini")
    forest = find("random-forest").build(*X.shape, 0).set_params(n_estimators=30).fit(X, y)
    assert {tree.max_features_ for tree in forest.estimators_} == {5}  # ⌊√30⌋
    votes = np.mean([tree.predict(X) for tree in forest.estimators_], axis=0)
    clear = np.abs(votes - 0.5) > 0.2
    assert np.array_equal(forest.predict(X)[clear], (votes > 0.5)[clear].astype(int))
    assert (
        np.mean(forest.predict(X) == (votes > 0.5)) > 0.98
    )  # probabilities are averaged, not votes
    inside = [len(np.unique(rows)) / len(X) for rows in forest.estimators_samples_]
    assert np.mean(inside) == pytest.approx(0.632, abs=0.01)


@pytest.mark.parametrize("n", [10, 200, 2000])
def test_a_bootstrap_holds_63_2_per_cent_of_the_rows_and_each_is_absent_with_the_power(n):
    present = 1.0 - (1.0 - 1.0 / n) ** n
    drawing = np.random.default_rng(n)
    shares = [len(np.unique(drawing.integers(n, size=n))) / n for _ in range(400)]
    assert np.mean(shares) == pytest.approx(present, abs=4 * np.std(shares) / 20)
    if n >= 200:
        assert present == pytest.approx(0.632, abs=2e-3)
    X, y = np.arange(200.0)[:, None], np.arange(200) % 2
    bagged = BaggingClassifier(DecisionTreeClassifier(), 60, random_state=0).fit(X, y)
    held = [len(np.unique(rows)) / 200 for rows in bagged.estimators_samples_]
    assert np.mean(held) == pytest.approx(0.632, abs=0.015)


# Chapter 8: regression with a tube, kernel ridge


@pytest.mark.parametrize(("C", "epsilon"), [(1.0, 0.1), (0.1, 0.5), (20.0, 0.3)])
def test_the_tube_of_support_vector_regression_is_what_its_dual_says(C, epsilon):
    drawing = np.random.default_rng(0)
    x = np.sort(drawing.uniform(-3.0, 3.0, 40))[:, None]
    y = np.sin(x[:, 0]) + 0.3 * drawing.normal(size=40)
    model = SVR(C=C, epsilon=epsilon, gamma=0.7, tol=1e-9).fit(x, y)
    dual = np.zeros(40)  # λ − λ*
    dual[model.support_] = model.dual_coef_[0]
    residual = y - model.predict(x)
    assert dual.sum() == pytest.approx(0.0, abs=1e-9)
    assert np.abs(dual).max() <= C * (1 + 1e-12)
    assert np.all(np.abs(residual[dual == 0.0]) <= epsilon + 1e-6)
    assert np.all(np.abs(residual[dual != 0.0]) >= epsilon - 1e-6)
    assert np.all(np.sign(dual[dual != 0]) == np.sign(residual[dual != 0]))
    free = (dual != 0.0) & (np.abs(dual) < C * (1 - 1e-9))
    assert np.allclose(np.abs(residual[free]), epsilon, atol=1e-5)
    K = np.exp(-0.7 * (x - x.T) ** 2)
    primal = 0.5 * dual @ K @ dual + C * np.maximum(np.abs(residual) - epsilon, 0.0).sum()
    told = -0.5 * dual @ K @ dual - epsilon * np.abs(dual).sum() + y @ dual
    assert told == pytest.approx(primal, rel=1e-5)


def test_a_wider_tube_has_fewer_support_vectors():
    drawing = np.random.default_rng(1)
    x = np.sort(drawing.uniform(-3.0, 3.0, 60))[:, None]
    y = np.sin(x[:, 0]) + 0.2 * drawing.normal(size=60)
    counts = [len(SVR(epsilon=epsilon).fit(x, y).support_) for epsilon in (0.1, 0.5, 1.0)]
    assert counts[0] > counts[1] > counts[2]


def test_kernel_ridge_with_the_linear_kernel_is_ridge_at_half_the_price():
    X, y = load_diabetes(return_X_y=True)
    X, y = 20.0 * X[:40], y[:40]
    away, target = X - X.mean(axis=0), y - y.mean()
    for C in (0.05, 2.0):
        strength = 1.0 / (2.0 * C)  # ½‖w‖² + C Σ r² is C (Σ r² + ‖w‖²/(2C))
        dual = np.linalg.solve(away @ away.T + strength * np.eye(40), target)
        w = penalty_map(X, y).coefficients(strength)
        assert np.allclose(away.T @ dual, w)  # Xᵀ(XXᵀ + λI)⁻¹ = (XᵀX + λI)⁻¹Xᵀ
        slope = w - 2.0 * C * away.T @ (target - away @ w)
        assert np.abs(slope).max() < 1e-8 * np.abs(C * away.T @ target).max()
        assert np.all(dual != 0.0)  # dense, unlike regression with a tube
    printed = X.T @ np.linalg.inv(np.eye(40) - X @ X.T)
    assert not np.allclose(printed, np.linalg.solve(X.T @ X + np.eye(10), X.T))


# Appendix B: the machine


@pytest.mark.parametrize(("kind", "power"), [(np.float64, 53), (np.float32, 24)])
def test_one_and_less_than_half_an_epsilon_is_one(kind, power):
    one, half = kind(1.0), kind(2.0**-power)
    assert one + half == one
    assert one + np.nextafter(half, one) > one
    assert float(half) == float(np.finfo(kind).eps) / 2.0
    assert float(half) == pytest.approx({53: 1.1102e-16, 24: 5.96e-8}[power], rel=1e-4)


# The shorter courses: naive Bayes of Bernoulli


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10_000))
def test_naive_bayes_of_bernoulli_is_that_of_the_lecture_on_any_small_table(seed):
    drawing = np.random.default_rng(seed)
    X = (drawing.uniform(size=(60, 5)) < drawing.uniform(0.2, 0.8, size=5)).astype(int)
    y = np.append([0, 1], drawing.integers(0, 2, size=58))
    agree_with_the_lecture(X, y, X, least=1.0)


def test_naive_bayes_of_bernoulli_reads_thresholded_digits_as_the_lecture_does():
    X, y = load_digits(return_X_y=True)
    X = (X > 7).astype(int)
    said = agree_with_the_lecture(X[:1200], y[:1200], X[1200:], least=0.99)
    assert np.mean(said == y[1200:]) > 0.8


def agree_with_the_lecture(X, y, new, least):
    """Return the classes argmax Σ x log(p + ε) + (1 − x) log(1 − p + ε) + log π; they are scikit-learn's."""
    epsilon = 1e-8
    classes = np.unique(y)
    p = np.array([X[y == k].mean(axis=0) for k in classes])
    prior = np.array([np.mean(y == k) for k in classes])
    logs = new @ np.log(p + epsilon).T + (1 - new) @ np.log(1.0 - p + epsilon).T + np.log(prior)
    theirs = BernoulliNB(alpha=epsilon, force_alpha=True).fit(X, y)
    said = classes[logs.argmax(axis=1)]
    assert np.mean(said == theirs.predict(new)) >= least
    uniform = BernoulliNB(alpha=epsilon, force_alpha=True, fit_prior=False).fit(X, y)
    tied = logs - np.log(prior)
    assert np.mean(classes[tied.argmax(axis=1)] == uniform.predict(new)) >= least
    return said


def test_the_price_of_the_course_is_twice_that_of_scikit_learn():
    X, y = IRIS
    X, y = X[50:, :2], y[50:]  # two classes that overlap
    ours = LossClassifier("hinge", 2.0).fit(X, y)  # ‖w‖² + C Σ hinge
    theirs = LinearSVC(
        loss="hinge", C=1.0, intercept_scaling=100.0, max_iter=10**6, tol=1e-8, random_state=0
    ).fit(X, y)
    assert np.allclose(ours.coef_, theirs.coef_, atol=1e-2)
