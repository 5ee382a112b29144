"""Claims about kernels as theory sees them: features, positivity with its witness, spectra, families, sums."""

from __future__ import annotations

from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chemin.exceptions import InvalidInputError
from chemin.kernels import Function, Gaussian, Polynomial, is_positive
from chemin.theory.kernels import polynomial_features

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


@pytest.mark.parametrize(
    ("call", "assumption"),
    [
        (lambda: polynomial_features([[1.0]], Gaussian()), "a polynomial kernel"),
        (lambda: polynomial_features([[1.0]], Polynomial(2, -1.0)), "ρ ≥ 0"),
        (lambda: polynomial_features(np.ones((9, 40)), Polynomial(9)), "too many"),
    ],
)
def test_a_value_that_breaks_an_assumption_names_it(call, assumption):
    with pytest.raises(InvalidInputError, match=assumption):
        call()
