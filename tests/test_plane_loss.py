"""Claims about paths in the parameter of a loss: optimal at every breakpoint and between, and those of other paths."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import adversarial
import chemin
from chemin.exceptions import EngineError, InvalidInputError, OutOfRangeError
from chemin.problems import EpsilonInsensitive, Huber, Quantile

ILL = {
    "nearly_collinear_columns", "nearly_repeated_points", "columns_of_very_different_scales", "huge_values",
    "tiny_values", "far_from_the_origin",
}  # fmt: skip
WAYS = {
    "level rises": (Quantile(0.1), Quantile(0.9)),
    "level falls": (Quantile(0.8), Quantile(0.2)),
    "tube narrows": (EpsilonInsensitive(0.8), EpsilonInsensitive(0.01)),
    "tube widens": (EpsilonInsensitive(0.05), EpsilonInsensitive(1.2)),
}


def worst(path):
    """Return the largest gap, relative to the largest objective."""
    proof = path.certificate()
    return float((proof.gap * proof.primal).max() / proof.primal.max())


@pytest.mark.parametrize("trap", sorted(set(adversarial.TABLE) - ILL)[::2])
def test_every_breakpoint_is_optimal_on_awkward_data(trap):
    X, y, options = adversarial.TABLE[trap]()
    weights = {name: options[name] for name in ("sample_weight", "l1_weight") if name in options}
    y = np.asarray(np.unique(y, return_inverse=True)[1], dtype=float)
    for first, last in (WAYS["level rises"], WAYS["tube narrows"]):
        path = chemin.loss_path(X, y, first, last, l1=0.3, l2=0.3, **weights)
        assert path.status.code == "complete"
        assert worst(path) < 1e-9


@pytest.mark.parametrize("trap", sorted(ILL - {"huge_values", "nearly_repeated_points"}))
def test_where_a_certificate_is_lost_the_path_ends_and_says_so(trap):
    X, y, _ = adversarial.TABLE[trap]()
    y = np.asarray(np.unique(y, return_inverse=True)[1], dtype=float)
    path = chemin.loss_path(X, y, Quantile(0.1), Quantile(0.9), l1=0.3, l2=0.3)
    assert worst(path) < 1e-7
    assert path.status.code == "complete" or "centre and scale" in str(path)


def test_what_cannot_even_begin_is_refused_with_a_remedy():
    X, y, _ = adversarial.TABLE["huge_values"]()
    with pytest.raises(EngineError, match="centre and scale"):
        chemin.loss_path(X, (y == y[0]).astype(float), *WAYS["level rises"], l1=0.3, l2=0.3)


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
@pytest.mark.parametrize("l1", [0.0, 0.5, 1e3])
def test_it_is_what_the_paths_along_l1_are(way, l1):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(40, 10))
    y = X[:, 0] + rng.normal(size=40)
    path = chemin.loss_path(X, y, *way, l1=l1, l2=0.3)
    assert worst(path) < 1e-11
    for value in path.parameter[0] + np.array([0.23, 0.61, 0.88]) * np.ptp(
        path.parameter
    ) * np.sign(path.parameter[-1] - path.parameter[0]):
        crossed = chemin.path(X, y, loss=type(way[0])(float(value)), l2=0.3)
        np.testing.assert_allclose(path.coef_at(value), crossed.coef_at(l1), atol=1e-9)


@given(seed=st.integers(0, 10_000), values=st.sampled_from([2, 3, None]))
@settings(max_examples=30, deadline=None)
def test_between_breakpoints_it_is_optimal_too(seed, values):
    rng = np.random.default_rng(seed)
    n, p = rng.integers(4, 30, size=2)
    X = rng.normal(size=(n, p)) if values is None else rng.integers(0, values, size=(n, p))
    y = X[:, 0] + rng.normal(size=n)
    first, last = rng.uniform(0.05, 0.95, size=2)
    l1 = float(10.0 ** rng.uniform(-2.0, 1.0))
    path = chemin.loss_path(X, y, Quantile(first), Quantile(last), l1=l1, l2=0.2)
    assert path.status.code == "complete"
    for level in rng.uniform(min(first, last), max(first, last), size=4):
        one = (path.coef_at(level), path.intercept_at(level), l1, 0.2, path.dual_at(level))
        assert chemin.certify(X, y, *one, loss=Quantile(level)).worst_gap < 1e-9


def test_without_a_variable_it_is_the_quantile_of_the_numbers():
    """The intercept jumps from number to number, as the quantile does."""
    y = np.random.default_rng(0).normal(size=17)
    path = chemin.loss_path(np.zeros((17, 1)), y, Quantile(0.02), Quantile(0.98), l1=1.0)
    levels = np.linspace(0.05, 0.95, 37)
    expected = np.quantile(y, levels, method="inverted_cdf")
    np.testing.assert_allclose(path.intercept_at(levels), expected, atol=1e-12)


def test_signs_hold_on_the_way():
    rng = np.random.default_rng(4)
    X = rng.normal(size=(40, 5))
    y = X @ [1.0, -1.0, 0.5, 0.0, 0.0] + rng.normal(size=40)
    path = chemin.loss_path(
        X, y, Quantile(0.1), Quantile(0.9), l1=0.3, l2=0.1, penalty="nonnegative"
    )
    assert worst(path) < 1e-12
    assert path.coef.min() >= 0.0
    other = chemin.path(X, y, loss=Quantile(0.6), l2=0.1, penalty="nonnegative")
    np.testing.assert_allclose(path.coef_at(0.6), other.coef_at(0.3), atol=1e-9)


def test_as_many_points_are_below_as_the_level_says():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(60, 4))
    y = X[:, 0] * (1.0 + X[:, 1] ** 2) + rng.normal(size=60)
    path = chemin.loss_path(X, y, Quantile(0.05), Quantile(0.95), l1=0.2, l2=0.1)
    levels = np.array([0.1, 0.3, 0.5, 0.7, 0.9])
    beyond = y[:, None] - path.decision_at(X, levels)
    assert np.all((beyond < -1e-9).mean(axis=0) <= levels)
    assert np.all((beyond < 1e-9).mean(axis=0) >= levels)
    assert len(path.frame()) == len(path.parameter)


def test_a_path_that_is_cut_short_says_so():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(30, 4))
    path = chemin.loss_path(X, X[:, 0], Quantile(0.1), Quantile(0.9), l1=0.2, max_events=5)
    assert path.status.code == "stopped"
    assert "raise it" in str(path)
    with pytest.raises(OutOfRangeError, match="follow a longer one"):
        path.coef_at(0.85)


@pytest.mark.parametrize(
    ("losses", "options", "match"),
    [
        ((Quantile(0.1), EpsilonInsensitive(0.1)), {}, "two of a kind"),
        (("hinge", "hinge"), {}, "a kind that has a parameter"),
        (("quantile", "quantile"), {}, r"Quantile\(0.9\)"),
        ((Quantile(0.1), Quantile(0.1)), {}, "nothing moves"),
        ((Huber(1.0), Huber(2.0)), {}, "a loss of lines"),
        ((Quantile(0.1), Quantile(0.2)), {"l2": 0.0}, "pass a small one"),
        ((Quantile(0.1), Quantile(0.2)), {"l1": -1.0}, "l1 is"),
        ((Quantile(0.1), Quantile(0.2)), {"penalty": "mcp"}, "bends"),
    ],
)  # fmt: skip
def test_what_has_no_path_is_refused_with_a_remedy(losses, options, match):
    with pytest.raises(InvalidInputError, match=match):
        chemin.loss_path([[-1.0], [1.0]], [0.0, 1.0], *losses, **({"l1": 0.1} | options))
