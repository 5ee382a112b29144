"""Claims about shapes: names of quadrics against how they were made, level ellipses, critical points, convexity."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import multivariate_normal, special_ortho_group
from sklearn.datasets import load_iris
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis
from sklearn.naive_bayes import GaussianNB

from chemin.exceptions import InvalidInputError
from chemin.theory.geometry import (
    convexity,
    critical_point,
    gaussian_boundary,
    level_ellipses,
    quadric,
    quadric_of,
)

# name → reduced form: squares, slope along the last axis, constant
REDUCED = {
    "ellipse": ([2, 1], 0, -1),
    "circle": ([3, 3], 0, -1),
    "hyperbola": ([2, -1], 0, -1),
    "parabola": ([2, 0], 1, 0),
    "two parallel lines": ([1, 0], 0, -4),
    "double line": ([1, 0], 0, 0),
    "two lines that cross": ([1, -2], 0, 0),
    "point": ([1, 2], 0, 0),
    "nothing": ([1, 2], 0, 1),
    "line": ([0, 0], 1, 3),
    "all points": ([0, 0], 0, 0),
    "ellipsoid": ([1, 2, 3], 0, -1),
    "sphere": ([2, 2, 2], 0, -1),
    "hyperboloid of one sheet": ([1, 2, -3], 0, -1),
    "hyperboloid of two sheets": ([1, -2, -3], 0, -1),
    "cone": ([1, 2, -3], 0, 0),
    "elliptic cylinder": ([1, 2, 0], 0, -1),
    "hyperbolic cylinder": ([1, -2, 0], 0, -1),
    "parabolic cylinder": ([1, 0, 0], 1, 0),
    "elliptic paraboloid": ([1, 2, 0], 1, 0),
    "hyperbolic paraboloid": ([1, -2, 0], 1, 0),
    "two parallel planes": ([1, 0, 0], 0, -1),
    "double plane": ([1, 0, 0], 0, 0),
    "two planes that cross": ([1, -2, 0], 0, 0),
    "plane": ([0, 0, 0], 1, 0),
    "two points": ([1], 0, -1),
    "hyperboloid of signs (3, 1)": ([1, 1, 2, -1], 0, -1),
    "cylinder over an ellipsoid": ([1, 1, 2, 0], 0, -1),
}


def moved(squares: list[float], slope: float, constant: float, seed: int, factor: float):
    """Return A, b and c of the same set, turned, shifted and multiplied."""
    drawing = np.random.default_rng(seed)
    d = len(squares)
    turn = special_ortho_group.rvs(d, random_state=drawing) if d > 1 else np.eye(1)
    shift = drawing.normal(size=d)
    A = turn @ np.diag(np.array(squares, dtype=float)) @ turn.T
    A = (A + A.T) / 2
    line = turn[:, -1] * slope
    b = line - 2 * A @ shift
    c = shift @ A @ shift - line @ shift + constant
    return factor * A, factor * b, factor * c, shift


@pytest.mark.parametrize("name", REDUCED)
@pytest.mark.parametrize(("seed", "factor"), [(0, 1.0), (1, -7.0), (2, 1e-6)])
def test_a_quadric_keeps_its_name_turned_shifted_and_multiplied(name, seed, factor):
    squares, slope, constant = REDUCED[name]
    A, b, c, shift = moved(squares, slope, constant, seed, factor)
    made = quadric(A, b, c)
    assert made.name == name
    if made.centre is not None:
        np.testing.assert_allclose(2 * A @ made.centre, -b, atol=1e-9 * abs(factor))
    if 0 not in squares:
        np.testing.assert_allclose(made.centre, shift, atol=1e-8)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 4))
def test_the_reduced_equation_is_the_same_function(seed, d):
    drawing = np.random.default_rng(seed)
    A = drawing.integers(-3, 4, size=(d, d))
    A = A + A.T
    b, c = drawing.integers(-3, 4, size=d), float(drawing.integers(-3, 4))
    made = quadric(A, b, c)
    X = drawing.normal(size=(5, d))
    direct = np.einsum("ni,ij,nj->n", X, A, X) + X @ b + c
    np.testing.assert_allclose(made.value(X), direct, atol=1e-9)
    if made.centre is not None:
        u = (X - made.centre) @ made.axes
        np.testing.assert_allclose(u**2 @ made.squares + made.constant, direct, atol=1e-8)


def test_the_centre_is_not_that_of_the_diagonal_where_terms_cross():
    A, b = np.array([[1.0, 0.5], [0.5, 1.0]]), np.array([-3.0, -3.0])
    centre = quadric(A, b, 2.0).centre
    np.testing.assert_allclose(centre, [1.0, 1.0])
    assert not np.allclose(centre, -b / (2 * np.diag(A)))


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("d", [1, 2, 3, 5])
def test_a_boundary_of_two_normal_laws_is_where_they_are_equally_likely(seed, d):
    drawing = np.random.default_rng(seed)
    laws = []
    for _ in range(2):
        root = drawing.normal(size=(d, d))
        laws.append((drawing.normal(size=d), root @ root.T + np.eye(d)))
    X = drawing.normal(size=(20, d))
    logs = [multivariate_normal(*law).logpdf(X) for law in laws]
    expected = np.log(0.3) + logs[0] - np.log(0.7) - logs[1]
    np.testing.assert_allclose(gaussian_boundary(*laws, prior=0.3).value(X), expected, atol=1e-8)
    same = (laws[1][0], laws[0][1])
    assert gaussian_boundary(laws[0], same).name in ("point", "line", "plane", "hyperplane")


@pytest.mark.parametrize(
    "model", [QuadraticDiscriminantAnalysis(), GaussianNB()], ids=["qda", "nb"]
)
@pytest.mark.parametrize("classes", [(0, 1), (1, 2), (2, 0)])
def test_the_boundary_of_a_model_is_positive_where_it_prefers_the_first_class(model, classes):
    X, y = load_iris(return_X_y=True)
    fitted = model.fit(X[:, 1:3], y)
    places = np.random.default_rng(0).uniform(X[:, 1:3].min(0), X[:, 1:3].max(0), size=(300, 2))
    log = fitted.predict_log_proba(places)
    difference = log[:, classes[0]] - log[:, classes[1]]
    finite = np.isfinite(difference)
    value = quadric_of(fitted, classes).value(places)
    np.testing.assert_allclose(value[finite], difference[finite], rtol=1e-5, atol=1e-6)


# Level ellipses


@pytest.mark.parametrize("d", [1, 2, 6])
def test_an_ellipse_holds_its_share_of_the_law(d):
    root = np.random.default_rng(d).normal(size=(d, d)) + 2 * np.eye(d)
    law = multivariate_normal(np.arange(d), root @ root.T)
    made = level_ellipses(np.arange(d), root @ root.T, [0.3, 0.9])
    X = law.rvs(40_000, random_state=0).reshape(-1, d)
    np.testing.assert_allclose(made.contains(X).mean(axis=0), [0.3, 0.9], atol=0.01)


def test_an_outline_has_one_density_and_half_axes_are_as_roots_of_eigenvalues():
    covariance = np.array([[3.0, 1.2], [1.2, 2.0]])
    made = level_ellipses([1.0, -1.0], covariance, [0.8])
    density = multivariate_normal([1.0, -1.0], covariance).pdf(made.outlines()[0])
    np.testing.assert_allclose(density, density[0])
    values = np.linalg.eigvalsh(covariance)[::-1]
    ratio = made.half_axes[0, 0] / made.half_axes[0, 1]
    assert ratio == pytest.approx(np.sqrt(values[0] / values[1]))
    ends = np.linalg.norm(made.outlines()[0] - [1.0, -1.0], axis=1)
    assert ends.max() == pytest.approx(made.half_axes[0, 0], rel=1e-3)


# Critical points and convexity

POINTS = {
    "minimum": (lambda x: x[0] ** 2 + 3 * x[1] ** 2 + x[0] * x[1] + x[0] ** 4, [0, 0]),
    "maximum": (lambda x: np.cos(x[0]) + np.cos(x[1]), [0, 0]),
    "saddle": (lambda x: x[0] ** 3 - 3 * x[0] + x[1] ** 2, [-1, 0]),
    "undecided": (lambda x: x[0] ** 3 + x[0] ** 4 + x[1] ** 2, [0, 0]),
}


@pytest.mark.parametrize("kind", POINTS)
def test_curvatures_name_a_critical_point(kind):
    f, x = POINTS[kind]
    made = critical_point(f, x)
    assert made.kind == kind
    moved = critical_point(lambda z: 1e6 * f(np.asarray(z) / 1e3), np.array(x) * 1e3)
    assert moved.kind == kind


def test_a_hessian_without_negative_eigenvalues_is_not_enough_for_a_minimum():
    def f(x):
        return x[0] ** 3 + x[1] ** 2

    made = critical_point(f, [0.0, 0.0], hessian=lambda x: np.diag([0.0, 2.0]))
    assert made.curvatures.min() == 0.0
    assert made.kind == "undecided"
    assert f([-0.1, 0.0]) < f([0.0, 0.0])


CONVEX = {
    "square": lambda x: float(np.sum(x**2)),
    "maximum": lambda x: float(np.max(x)),
    "log-sum-exp": lambda x: float(np.log(np.sum(np.exp(x)))),
    "affine": lambda x: float(3 * x[0] - x[1] + 1),
    "logistic loss": lambda x: float(np.log1p(np.exp(-x[0] - 2 * x[1]))),
}
NOT_CONVEX = {
    "sine": lambda x: float(np.sin(x[0])),
    "double well": lambda x: float((x[0] ** 2 - 1) ** 2 + x[1] ** 2),
    "saddle": lambda x: float(x[0] * x[1]),
    "error 0-1": lambda x: float(x[0] < 0.1),
    "shallow": lambda x: float(x[0] ** 2 + 0.02 * np.cos(40 * x[0])),
}


@pytest.mark.parametrize("name", CONVEX)
def test_no_pair_is_found_against_a_convex_function(name):
    assert convexity(CONVEX[name], [-2.0, -2.0], [2.0, 2.0], tries=600).convex is None


@pytest.mark.parametrize("name", NOT_CONVEX)
def test_a_pair_that_proves_that_a_function_is_not_convex_does_prove_it(name):
    f = NOT_CONVEX[name]
    made = convexity(f, [-2.0, -2.0], [2.0, 2.0])
    assert made.convex is False
    middle = made.t * made.x + (1 - made.t) * made.z
    assert f(middle) > made.t * f(made.x) + (1 - made.t) * f(made.z)


def test_a_polynomial_of_degree_two_is_decided():
    assert convexity([[1.0, 0.0], [0.0, 0.0]]).convex is True
    made = convexity([[1.0, 2.0], [2.0, 1.0]])
    assert made.convex is False
    H = np.array([[1.0, 2.0], [2.0, 1.0]])
    half = [0.5 * v @ H @ v for v in (made.x, made.z, (made.x + made.z) / 2)]
    assert half[2] > (half[0] + half[1]) / 2


# What is told


# What is refused


@pytest.mark.parametrize(
    ("call", "assumption"),
    [
        (lambda: quadric([[1, 2], [0, 1]]), "a symmetric matrix"),
        (lambda: quadric([[1, np.nan], [0, 1]]), "finite coordinates"),
        (lambda: quadric(np.eye(3)).plot(), "two variables"),
        (lambda: gaussian_boundary(([0], [[1]]), ([0], [[0]])), "a covariance with an inverse"),
        (lambda: gaussian_boundary(([0], [[1]]), ([1], [[1]]), 1.0), "0 < the prior < 1"),
        (lambda: quadric_of(42), "normal laws of classes"),
        (lambda: level_ellipses([0, 0], np.ones((2, 2))), "a covariance with an inverse"),
        (lambda: level_ellipses([0, 0], np.eye(2), [1.2]), "0 < a share < 1"),
        (lambda: critical_point(lambda x: x[0] ** 2, [1.0]), "∇f"),
        (lambda: convexity(lambda x: x[0], [1.0], [0.0]), "a box"),
        (lambda: convexity(lambda x: np.log(x[0] - 9), [0.0], [1.0]), "finite values"),
    ],
)  # fmt: skip
@pytest.mark.filterwarnings("ignore:invalid value encountered in log")
def test_a_value_that_breaks_an_assumption_names_it(call, assumption):
    with pytest.raises(InvalidInputError, match=assumption):
        call()
