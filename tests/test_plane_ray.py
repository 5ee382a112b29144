"""Claims about paths along lines of (l1, l2): optimal at every breakpoint, and the same from wherever one comes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import scale
from sklearn.svm import SVC

import adversarial
import chemin
from chemin.exceptions import InvalidInputError, OutOfRangeError
from chemin.problems import EpsilonInsensitive, Quantile

GAP = 1e-9
RAYS = {
    "l2 alone": {"l1": 0.7, "l2": (50.0, 0.02)},
    "l2 without l1": {"l1": 0.0, "l2": (50.0, 0.02)},
    "l2 rising": {"l1": 0.7, "l2": (0.02, 50.0)},
    "both falling": {"l1": (5.0, 0.05), "l2": (20.0, 0.1)},
    "one rises, one falls": {"l1": (0.1, 3.0), "l2": (5.0, 0.2)},
    "l1 from nothing": {"l1": (0.0, 2.0), "l2": 0.5},
}


@pytest.fixture(scope="module")
def cancer():
    X, y = load_breast_cancer(return_X_y=True)
    return scale(X), y


@pytest.mark.parametrize("trap", adversarial.TABLE)
def test_every_breakpoint_is_optimal_on_awkward_data(trap):
    X, y, options = adversarial.TABLE[trap]()
    weights = {name: options[name] for name in ("sample_weight", "l1_weight") if name in options}
    for ray in ({"l1": 0.3, "l2": (30.0, 0.1)}, {"l1": (2.0, 0.1), "l2": (0.1, 5.0)}):
        path = chemin.ray_path(X, y, **ray, **weights)
        assert path.status.code == "complete"
        assert path.certificate().worst_gap < GAP


@pytest.mark.parametrize("ray", RAYS.values(), ids=RAYS)
@pytest.mark.parametrize("loss", ["hinge", "absolute", Quantile(0.8), EpsilonInsensitive(0.3)])
def test_a_ray_of_any_loss_of_lines_is_what_the_paths_it_crosses_are(ray, loss):
    rng = np.random.default_rng(5)
    X = rng.normal(size=(40, 12))
    y = X[:, 0] - X[:, 1] + rng.normal(size=40)
    y = y > 0.0 if loss == "hinge" else y
    path = chemin.ray_path(X, y, loss=loss, **ray)
    assert path.certificate().worst_gap < GAP
    for k in range(0, len(path.l1), max(len(path.l1) // 5, 1)):
        crossed = chemin.path(X, y, loss=loss, l2=float(path.l2[k]))
        np.testing.assert_allclose(
            path.coef[[k]].toarray()[0], crossed.coef_at(path.l1[k]), atol=1e-9
        )


@given(seed=st.integers(0, 10_000), values=st.sampled_from([2, 3, None]))
@settings(max_examples=40, deadline=None)
def test_between_breakpoints_it_is_optimal_too(seed, values):
    rng = np.random.default_rng(seed)
    n, p = rng.integers(4, 30, size=2)
    X = rng.normal(size=(n, p)) if values is None else rng.integers(0, values, size=(n, p))
    y = np.arange(n) % 3 == 0
    ends = 10.0 ** rng.uniform(-2.0, 1.5, size=4)
    path = chemin.ray_path(X, y, l1=(ends[0], ends[1]), l2=(ends[2], ends[3]))
    for l2 in rng.uniform(min(ends[2:]), max(ends[2:]), size=5):
        share = (l2 - ends[2]) / (ends[3] - ends[2])
        l1 = (1.0 - share) * ends[0] + share * ends[1]
        coef = path.coef_at(l2=l2)
        one = (coef, path.intercept_at(l2=l2), l1, l2, path.dual_at(l2=l2))
        assert chemin.certify(X, y, *one).worst_gap < GAP


def test_the_support_vector_machine_for_every_c(cancer):
    X, y = cancer
    path = chemin.ray_path(X, y, l2=(1e3, 1.0))
    for C in np.geomspace(1e-3, 0.4, 6):
        other = SVC(kernel="linear", C=C, tol=1e-10).fit(X, y).decision_function(X)
        np.testing.assert_allclose(path.decision_at(X, l2=1.0 / C), other, atol=1e-5)


def test_there_and_back(cancer):
    X, y = cancer
    there = chemin.ray_path(X, y, l1=(100.0, 5.0), l2=(10.0, 0.5))
    back = chemin.ray_path(X, y, l1=(5.0, 100.0), l2=(0.5, 10.0))
    l2 = np.linspace(0.6, 9.0, 40)
    np.testing.assert_allclose(there.coef_at(l2=l2), back.coef_at(l2=l2), atol=1e-8)
    np.testing.assert_allclose(there.dual_at(l2=l2), back.dual_at(l2=l2), atol=1e-8)


def test_above_the_first_l1_nothing_moves():
    X, y, _ = adversarial.TABLE["gaussian_unbalanced"]()
    first = float(chemin.svm_path(X, y).l1[0])
    path = chemin.ray_path(X, y, l1=(2.0 * first, 1.5 * first), l2=(1.0, 2.0))
    assert not path.coef.toarray().any()
    assert path.certificate().worst_gap < GAP


def test_a_ray_that_is_cut_short_says_so(cancer):
    path = chemin.ray_path(*cancer, l2=(1e3, 1e-2), max_events=50)
    assert path.status.code == "stopped"
    assert "raise it" in str(path)
    with pytest.raises(OutOfRangeError, match="follow a longer one"):
        path.coef_at(l2=0.02)


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ({"l1": 1.0, "l2": 1.0}, r"call chemin\.solve"),
        ({"l2": (1.0, 0.0)}, r"chemin\.path with l2=0"),
        ({"l2": (1.0, 0.5, 0.1)}, r"pass a number, or \(first, last\)"),
        ({"l2": (-1.0, 0.5)}, "l2"),
        ({"l2": (1.0, 0.5), "loss": "squared_hinge"}, "a loss of lines"),
        ({"l2": (9.0, 5.0), "penalty": "scad"}, r"bends.* L1\(sign"),
        ({"l2": (9.0, 5.0), "penalty": "nonnegative"}, "end at a small l1"),
    ],
)
def test_what_no_ray_can_be_is_refused_with_a_remedy(options, what):
    with pytest.raises(InvalidInputError, match=what):
        chemin.ray_path([[-1.0], [1.0]], [0, 1], **options)


@pytest.mark.parametrize("given", [{}, {"l1": 1.0}, {"l1": 1.0, "l2": 2.0}])
def test_a_place_on_a_ray_is_told_by_what_moves(given):
    path = chemin.ray_path([[-1.0], [1.0]], [0, 1], l1=0.1, l2=(4.0, 1.0))
    with pytest.raises(InvalidInputError):
        path.coef_at(**given)


def test_the_norm_finds_the_solutions_of_the_path_and_its_plateaus(cancer):
    X, y = cancer
    path = chemin.svm_path(X, y, l2=1e-3, min_l1=1.0)
    view = chemin.by_norm(path)
    for l1 in (200.0, 40.0, 3.0):
        norm = float(np.abs(path.coef_at(l1)).sum())
        np.testing.assert_allclose(view.coef_at(norm), path.coef_at(l1), atol=1e-8)
    for first, last in view.plateaus:
        np.testing.assert_allclose(path.norm1[first], path.norm1[last], rtol=1e-10)
    assert len(view.plateaus) == len(view.frame()) > 0
    with pytest.raises(OutOfRangeError, match="smaller norm"):
        view.l1_at(1e6)
