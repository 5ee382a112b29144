"""Claims about the path: optimal everywhere, whatever the data."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import chemin
from adversarial import TABLE
from chemin.problems import (
    Absolute,
    EpsilonInsensitive,
    Huber,
    HuberizedHinge,
    Quantile,
    Squared,
    SquaredHinge,
)

L2 = (0.0, 1e-20, 1e-9, 1e-3, 1.0, 100.0)
ROUNDED = ("kernels_on_thin_bands", "columns_of_very_different_scales")
CURVED = (Squared(), Huber(0.7), SquaredHinge(), HuberizedHinge(0.5))
GAP = 1e-9


def assert_optimal_everywhere(path: chemin.Path, min_l1: float = 0.0) -> None:
    assert path.status.code == "complete", path.status
    assert path.l1[-1] == min_l1
    assert np.all(np.diff(path.l1) <= 0.0)
    certificate = path.certificate(midpoints=True)
    assert len(certificate.gap) == 2 * len(path.l1) - 1
    assert certificate.worst_gap <= GAP, certificate


def test_the_table_is_large_enough():
    assert len(TABLE) >= 40


@pytest.mark.parametrize("l2", L2)
@pytest.mark.parametrize("name", TABLE)
def test_every_breakpoint_and_midpoint_is_optimal(name, l2):
    X, y, options = TABLE[name]()
    assert_optimal_everywhere(chemin.svm_path(X, y, l2=l2, **options))


@pytest.mark.parametrize("l2", [ridge for ridge in L2 if ridge != 1e-20])
@pytest.mark.parametrize("name", TABLE)
def test_every_breakpoint_and_midpoint_of_a_curved_loss_is_optimal(name, l2):
    """Down to where the rounding of scores shows, which two traps come to and say."""
    X, y, options = TABLE[name]()
    rng = np.random.default_rng(len(name))
    for loss in CURVED:
        noise = np.round(rng.standard_t(3, len(y)), 1)
        path = chemin.path(X, y if loss.takes_labels else y + noise, loss=loss, l2=l2, **options)
        if path.stats["rounded_from"] == 0.0:
            assert_optimal_everywhere(path)
        assert path.status.code == "complete"
        resolved = path.l1 > path.stats["rounded_from"]
        assert path.certificate().gap[resolved].max(initial=0.0) <= GAP
        assert path.stats["rounded_from"] == 0.0 or name in ROUNDED


@pytest.mark.parametrize("l2", L2)
@pytest.mark.parametrize("name", TABLE)
def test_every_breakpoint_of_a_loss_of_numbers_is_optimal(name, l2):
    """Down to where the rounding of scores shows; at l1 = 0 a perfect fit leaves nothing but rounding to pay."""
    X, y, options = TABLE[name]()
    y = y + np.round(np.random.default_rng(len(name)).standard_t(3, len(y)), 1)
    for loss in (Absolute(), Quantile(0.3), EpsilonInsensitive(0.2)):
        path = chemin.path(X, y, loss=loss, l2=l2, **options)
        assert path.status.code == "complete"
        assert path.l1[-1] == 0.0
        resolved = (path.l1 > path.stats["rounded_from"]) & (path.l1 > 0.0)
        assert path.certificate().gap[resolved].max(initial=0.0) <= GAP


@st.composite
def small_integer_problems(draw):
    n, p, top = draw(st.integers(2, 24)), draw(st.integers(1, 14)), draw(st.integers(1, 3))
    seed = draw(
        st.integers(0, 2**32 - 1)
    )  # hypothesis chooses the shape of the problem, the seed fills it
    rng = np.random.default_rng(seed)
    X = rng.integers(-top, top + 1, (n, p)) * (
        rng.random((n, p)) < draw(st.sampled_from([1.0, 0.5, 0.1]))
    )
    y = np.where(rng.random(n) < draw(st.sampled_from([0.5, 0.2])), 1, -1)
    y[0], y[1] = -1, 1
    weight = rng.integers(0, 4, n).astype(float)
    weight[:2] = 1.0
    l1_weight = rng.choice([0.0, 1.0, 1.0, 2.0], p)
    options = draw(st.sampled_from([{}, {"sample_weight": weight}, {"l1_weight": l1_weight}]))
    return X.astype(float), y, draw(st.sampled_from(L2)), options


@given(small_integer_problems())
@settings(max_examples=2000, deadline=None)
def test_small_integers_make_ties_and_nothing_breaks(case):
    X, y, l2, options = case
    assert_optimal_everywhere(chemin.svm_path(X, y, l2=l2, **options))


@given(small_integer_problems(), st.sampled_from(CURVED))
@settings(max_examples=500, deadline=None)
def test_ties_break_no_path_of_a_curved_loss(case, loss):
    X, y, l2, options = case
    l2 = 0.0 if l2 == 1e-20 else l2
    assert_optimal_everywhere(chemin.path(X, y, loss=loss, l2=l2, **options))


@given(
    st.integers(0, 2**32 - 1),
    st.sampled_from([1e-8, 1e-6, 1.0, 1e8]),
    st.sampled_from([0.0, 1e-6, 1.0, 1e3]),
)
@settings(max_examples=150, deadline=None)
def test_the_scale_of_the_data_does_not_matter(seed, scale, l2):
    """Neither beside l2, which may then be all there is, nor with it."""
    rng = np.random.default_rng(seed)
    X = scale * rng.standard_normal((rng.integers(4, 60), rng.integers(1, 30)))
    y = rng.permutation(np.arange(len(X)) % 3 > 0)
    for ridge in (l2, l2 * scale**2):
        assert_optimal_everywhere(chemin.svm_path(X, y, l2=ridge))


@given(st.integers(0, 2**32 - 1), st.sampled_from([1e-3, 1.0]))
@settings(max_examples=60, deadline=None)
def test_an_offset_that_the_intercept_takes_does_not_matter(seed, l2):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((30, 5)) + 10.0 ** rng.integers(0, 4, 5)
    assert_optimal_everywhere(chemin.svm_path(X, rng.permutation(np.arange(30) % 3 > 0), l2=l2))


@pytest.mark.parametrize("fraction", [0.9, 0.3, 0.01])
def test_a_path_stops_exactly_at_min_l1(fraction):
    X, y, _ = TABLE["gaussian_unbalanced"]()
    whole = chemin.svm_path(X, y)
    min_l1 = fraction * whole.l1[0]
    path = chemin.svm_path(X, y, min_l1=min_l1)
    assert_optimal_everywhere(path, min_l1)
    np.testing.assert_allclose(path.coef_at(min_l1), whole.coef_at(min_l1), atol=1e-12)


def test_a_min_l1_above_the_start_gives_the_empty_model():
    X, y, _ = TABLE["gaussian_unbalanced"]()
    path = chemin.svm_path(X, y, min_l1=1e6)
    assert len(path.l1) == 1
    assert not path.coef_at(1e6).any()
    assert path.certificate().worst_gap <= GAP


def test_a_variable_leaves_and_comes_back_with_the_other_sign():
    """Some path of the sample must show it, else the claim that it is handled is empty."""
    rng = np.random.default_rng(3)
    for _ in range(60):
        X = rng.standard_normal((30, 3)) @ rng.standard_normal((3, 6)) + 0.2 * rng.standard_normal(
            (30, 6)
        )
        path = chemin.svm_path(X, rng.permutation(np.arange(30) % 2), l2=0.01)
        signs = np.sign(path.coef.toarray())
        if any({-1.0, 1.0} <= set(column) for column in signs.T):
            assert_optimal_everywhere(path)
            return
    pytest.fail("no variable changed sign on any of 60 paths")
