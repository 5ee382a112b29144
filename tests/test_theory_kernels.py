"""Claims about kernels as theory sees them: features, positivity with its witness, spectra, families, sums."""

from __future__ import annotations

from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chemin.datasets import toydata1
from chemin.exceptions import InvalidInputError
from chemin.kernels import (
    Constant,
    Epanechnikov,
    Function,
    Gaussian,
    Laplacian,
    Linear,
    Polynomial,
    is_positive,
)
from chemin.theory.kernels import (
    kernel_family,
    mercer,
    polynomial_features,
    spectrum,
    sum_machine,
)

LINE = np.random.default_rng(3).uniform(-2.0, 2.0, size=(12, 1))

# Features


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    d=st.integers(1, 4),
    degree=st.integers(1, 4),
    offset=st.sampled_from([0.0, 0.3, 1.0, 7.0]),
)
def test_a_polynomial_kernel_has_its_features_and_their_number(seed, d, degree, offset):
    count = comb(d + degree, degree) if offset else comb(d + degree - 1, degree)
    X = np.random.default_rng(seed).normal(size=(count + 5, d))
    kernel = Polynomial(degree, offset)
    features = polynomial_features(X, kernel)
    K = kernel(X, X)
    assert features.shape == (count + 5, count)
    np.testing.assert_allclose(features @ features.T, K, atol=1e-10 * np.abs(K).max())
    scaled = polynomial_features(X) @ polynomial_features(X).T * 2.5  # γ before the kernel
    np.testing.assert_allclose(scaled, 2.5 * Polynomial()(X, X), rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize(("d", "degree"), [(1, 3), (2, 2), (3, 2), (2, 4)])
def test_the_matrix_of_a_polynomial_kernel_has_the_rank_of_its_features(d, degree):
    count = comb(d + degree, degree)
    X = np.random.default_rng(0).uniform(-1.0, 1.0, size=(3 * count, d))
    assert np.linalg.matrix_rank(Polynomial(degree, 1.0)(X, X), tol=1e-9) == count


@pytest.mark.parametrize("least", [-0.5, 0.0, 2.0])
def test_a_bilinear_form_is_a_kernel_if_its_matrix_is_positive(least):
    turn = np.linalg.qr(np.random.default_rng(0).normal(size=(3, 3)))[0]
    A = turn @ np.diag([least, 1.0, 3.0]) @ turn.T
    kernel = Function(lambda X, Z: X @ A @ Z.T)
    X = np.random.default_rng(1).normal(size=(20, 3))
    assert is_positive(kernel, X) is bool(least >= 0.0)
    both = kernel.on([0, 1, 2]) + Gaussian(0.5).on([3])
    assert is_positive(both, np.column_stack([X, X[:, 0]])) or least < 0.0


# Mercer


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10**6), n=st.integers(2, 12))
def test_the_witness_is_the_worst_of_all_weights(seed, n):
    drawing = np.random.default_rng(seed)
    X = drawing.uniform(0.0, 3.0, size=(n, 2))
    for kernel in (Epanechnikov(), Gaussian(0.5), Gaussian() + -0.5 * Gaussian(3.0)):
        found, K = mercer(kernel, X), kernel(X, X)
        assert found.witness @ found.witness == pytest.approx(1.0)
        assert found.witness @ K @ found.witness == pytest.approx(found.least, abs=1e-12)
        assert np.all(np.diff(found.eigenvalues) >= 0.0)
        assert found.eigenvalues.sum() == pytest.approx(np.trace(K))
        for _ in range(20):
            v = drawing.normal(size=n)
            assert v @ K @ v >= (found.least - 1e-9) * (v @ v)
        assert found.passed is is_positive(kernel, X) or kernel == Epanechnikov()


def test_three_points_are_a_proof_against_epanechnikov():
    found = mercer(Epanechnikov(), [[0.0], [0.5], [1.0]])
    assert found.least == pytest.approx(1.0 - 0.75 * np.sqrt(2.0))  # of 1, ¾, 0 on a line
    assert not found.passed
    assert mercer(Gaussian(0.3), [[0.0], [0.5], [1.0]]).passed


def test_what_is_not_symmetric_is_told_so_and_equal_points_lower_the_rank():
    lopsided = Function(lambda X, Z: X @ np.array([[1.0, 0.5], [0.0, 1.0]]) @ Z.T)
    found = mercer(lopsided, np.eye(2))
    assert not found.symmetric
    assert found.asymmetry == pytest.approx(0.5)
    assert "differ by 0.5" in str(found)
    assert mercer(Gaussian(), [[0.0], [0.0], [9.0]]).rank == 2


# Fourier

CLOSED = {
    "Gaussian": (
        Gaussian(0.7),
        1,
        lambda u: 0.7 / np.sqrt(2 * np.pi) * np.exp(-0.5 * (0.7 * u) ** 2),
    ),
    "plane": (Gaussian(0.7), 2, lambda u: 0.7**2 / (2 * np.pi) * np.exp(-0.5 * (0.7 * u) ** 2)),
    "six": (
        Gaussian(0.7),
        6,
        lambda u: (0.7**2 / (2 * np.pi)) ** 3 * np.exp(-0.5 * (0.7 * u) ** 2),
    ),
    "Laplacian": (Laplacian(2.0), 1, lambda u: 2.0 / np.pi / (1.0 + (2.0 * u) ** 2)),
    "Epanechnikov": (
        Epanechnikov(1.5),
        1,
        lambda u: (
            1.5 / (2 * np.pi) * 4 * (np.sin(1.5 * u) - 1.5 * u * np.cos(1.5 * u)) / (1.5 * u) ** 3
        ),
    ),
    "triangle": (
        Function(lambda X, Z: np.maximum(1.0 - np.abs(X - Z.T), 0.0)),
        1,
        lambda u: (1.0 - np.cos(u)) / u**2 / np.pi,
    ),
}


@pytest.mark.parametrize("name", CLOSED)
def test_spectra_are_those_of_the_tables(name):
    kernel, d, closed = CLOSED[name]
    found = spectrum(kernel, d)
    u = found.frequencies[1:]
    np.testing.assert_allclose(found.density[1:], closed(u), atol=1e-9 * found.density[0])
    assert np.abs(found.density[1:] - closed(u)).max() <= 10.0 * found.error
    assert found.passed is (name != "Epanechnikov")


@pytest.mark.parametrize("d", [1, 2, 3, 4])
def test_the_inverse_transform_has_the_factor_of_its_dimension(d):
    kernel = Gaussian(1.3)
    found = spectrum(kernel, d)
    assert found.share == pytest.approx(1.0, abs=2e-3)  # ∫ κ̂ = κ(0), with (2π)^{−d} before κ̂
    assert found.share * 2 * np.pi ** (d - 1) != pytest.approx(1.0, abs=0.5)
    assert found.at_zero == 1.0


@pytest.mark.parametrize("d", [1, 2, 3])
def test_a_negative_frequency_is_found_by_points_too(d):
    found = spectrum(Epanechnikov(), d)
    assert not found.passed
    worst = found.frequencies[np.argmin(found.density)]
    steps = np.zeros((25, d))
    steps[:, 0] = np.arange(25) * np.pi / worst / 3.0  # several to a wave of that frequency
    if d == 1:
        assert not mercer(Epanechnikov(), steps).passed
    else:
        cloud = np.random.default_rng(0).uniform(-1.2, 1.2, size=(150 * d, d))
        assert not mercer(Epanechnikov(), cloud).passed
    assert "no inner product" in str(found)


# Families

F, G = (lambda X: X[:, 0]), (lambda X: X[:, 0] ** 2)


def of_one(feature):
    """Return the kernel f(x) f(z)."""
    return Function(lambda X, Z: np.outer(feature(np.asarray(X)), feature(np.asarray(Z))))


def test_free_kernels_may_share_a_function_and_have_no_norm():
    found = kernel_family([Linear(), Constant() + Linear()], LINE)  # the function x is in both
    assert found.free
    assert not found.apart
    assert not found.is_norm
    assert_parts_sum_to_nothing(found, [Linear(), Constant() + Linear()], LINE)


def test_kernels_that_share_nothing_two_by_two_may_have_no_norm():
    kernels = [of_one(F), of_one(G), of_one(lambda X: F(X) + G(X))]
    found = kernel_family(kernels, LINE)
    assert found.free
    assert found.apart
    assert not found.is_norm
    assert found.shared.tolist() == [1, 1, 1]
    assert_parts_sum_to_nothing(found, kernels, LINE)


def assert_parts_sum_to_nothing(found, kernels, X):
    centres = X[: found.centres]
    parts = [k(X, centres) @ a for k, a in zip(kernels, found.parts, strict=True)]
    squares = [a @ k(centres, centres) @ a for k, a in zip(kernels, found.parts, strict=True)]
    assert sum(squares) == pytest.approx(1.0)
    assert np.abs(sum(parts)).max() < 1e-9
    assert np.abs(parts[0]).max() > 0.05
    assert found.left < 1e-9


def test_a_combination_of_kernels_is_found():
    kernels = [Gaussian(0.5), Linear(), 2.0 * Gaussian(0.5) + Linear()]
    found = kernel_family(kernels, LINE)
    assert not found.free
    K = [k(LINE, LINE) for k in kernels]
    total = sum(c * k / np.linalg.norm(k) for c, k in zip(found.combination, K, strict=True))
    assert np.abs(total).max() < 1e-12
    assert not found.is_norm  # that kernels are free is needed
    assert np.abs(found.combination).min() > 0.05


@pytest.mark.parametrize(
    "kernels",
    [
        [Linear(), Constant()],
        [Gaussian(0.5).on([0]), Gaussian(0.5).on([1])],
        [of_one(F), of_one(G)],
        [Gaussian(0.3), Linear()],
    ],
    ids=["affine", "axes", "monomials", "mixed"],
)
def test_kernels_that_share_nothing_have_a_norm(kernels):
    X = np.random.default_rng(0).uniform(-2.0, 2.0, size=(12, 2))
    found = kernel_family(kernels, X)
    assert found.free
    assert found.apart
    assert found.is_norm
    assert found.left > 1e-6


def test_gaussians_of_two_widths_come_near_each_other_with_every_centre():
    angles = []
    for n in (4, 8, 12):
        X = np.random.default_rng(0).uniform(-2.0, 2.0, size=(n, 1))
        angles.append(kernel_family([Gaussian(0.5), Gaussian(1.0)], X).angles[0, 1])
    assert angles[0] > 10 * angles[1] > 100 * angles[2] > 0.0


# The sum kernel

FAMILIES = {
    "widths": [Gaussian(0.5), Gaussian(2.0)],
    "shared": [Linear(), Constant() + Linear()],
    "axes": [Gaussian(1.0).on([0]), Gaussian(1.0).on([1]), Linear()],
}


@pytest.mark.parametrize("C", [0.1, 1.0, 30.0])
@pytest.mark.parametrize("name", FAMILIES)
def test_the_norm_of_a_family_learns_what_the_sum_kernel_learns(name, C):
    X, y = toydata1(25, random_state=1)
    found = sum_machine(FAMILIES[name], X, y, C)
    assert found.gaps.max() < 1e-9
    assert found.objectives[1] == pytest.approx(found.objectives[0], rel=1e-9)
    assert found.apart < 1e-7
    assert found.spread < 1e-7
    if name != "shared":
        assert found.apart_from_squares > 0.05  # Σ B² is another problem
    K = sum(kernel(X, X) for kernel in FAMILIES[name])
    score = K @ found.coefficients
    offset = found.scores[:, 0] - score
    np.testing.assert_allclose(offset, offset[0], atol=1e-7)  # the intercept


def test_the_two_objectives_are_those_of_cone_programs():
    clarabel = pytest.importorskip("clarabel", reason="pip install clarabel to compare with it")
    from scipy import sparse

    X, y = toydata1(12, random_state=0)
    sign, kernels, C = np.where(y == np.unique(y)[-1], 1.0, -1.0), FAMILIES["widths"], 2.0
    n, m = len(X), len(kernels)
    found = sum_machine(kernels, X, y, C)
    K = [kernel(X, X) for kernel in kernels]
    blocks = np.zeros((m * n, m * n))  # the B_l, one after the other
    for k, one in enumerate(K):
        blocks[k * n : (k + 1) * n, k * n : (k + 1) * n] = one
    for quadratic, columns, value in ((sum(K), sum(K), 0), (blocks, np.hstack(K), 1)):
        d = len(quadratic)
        P = sparse.block_diag([quadratic, np.zeros((n + 1, n + 1))], format="csc")
        cost = np.concatenate([np.zeros(d + 1), np.full(n, C)])
        above = np.hstack([-sign[:, None] * columns, -sign[:, None], -np.eye(n)])
        positive = np.hstack([np.zeros((n, d + 1)), -np.eye(n)])
        options = clarabel.DefaultSettings()
        options.verbose = False
        made = clarabel.DefaultSolver(
            sparse.triu(P, format="csc"), cost, sparse.csc_matrix(np.vstack([above, positive])),
            np.concatenate([-np.ones(n), np.zeros(n)]), [clarabel.NonnegativeConeT(2 * n)], options,
        ).solve()  # fmt: skip
        assert made.obj_val == pytest.approx(found.objectives[value], rel=1e-6)


# What is refused


@pytest.mark.parametrize(
    ("call", "assumption"),
    [
        (lambda: polynomial_features([[1.0]], Gaussian()), "a polynomial kernel"),
        (lambda: polynomial_features([[1.0]], Polynomial(2, -1.0)), "ρ ≥ 0"),
        (lambda: polynomial_features(np.ones((9, 40)), Polynomial(9)), "too many"),
        (lambda: mercer(Gaussian(), np.empty((0, 1))), "points"),
        (lambda: mercer(Gaussian(), [[0.0]], tol=0.0), "tol > 0"),
        (lambda: spectrum(Linear()), "k.x, x. > 0"),
        (lambda: spectrum(Polynomial()), "a stationary kernel"),
        (lambda: spectrum(Constant()), "falls to 0"),
        (lambda: spectrum(Gaussian() + Constant(0.1)), "falls to 0"),
        (lambda: spectrum(Gaussian((1.0, 2.0)), 2), "a κ of the distance alone"),
        (lambda: spectrum(Laplacian(), 2), "a κ of the distance alone.*axes one by one"),
        (lambda: spectrum(Gaussian(), 0), "d ≥ 1"),
        (lambda: kernel_family([Linear()], LINE), "two kernels or more"),
        (lambda: kernel_family([Linear(), Gaussian()], LINE[:3]), "2 m points or more"),
        (lambda: kernel_family([Gaussian(), Epanechnikov()], LINE), "positive kernels"),
        (lambda: kernel_family([Gaussian(), Constant(0.0)], LINE), "positive kernels"),
        (lambda: sum_machine([Gaussian(), Epanechnikov()], LINE, np.arange(12) % 2), "positive"),
        (lambda: sum_machine([], LINE, np.arange(12) % 2), "pass at least one"),
        (lambda: sum_machine(None, LINE, np.arange(12) % 2), "there are none"),
        (lambda: kernel_family(42, LINE), "cannot be called"),
        (lambda: sum_machine([Gaussian()], LINE, np.arange(12) % 2, C=0.0), "C > 0"),
    ],
)
def test_a_value_that_breaks_an_assumption_names_it(call, assumption):
    with pytest.raises(InvalidInputError, match=assumption):
        call()
