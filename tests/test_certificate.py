"""Claims about the certificate: it accepts what is optimal and refuses what is not."""

from __future__ import annotations

import ast
import inspect

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import chemin
from adversarial import TABLE
from chemin.engine.proof import certificate
from chemin.exceptions import InvalidInputError


def solved(name: str, l2: float = 1.0):
    X, y, options = TABLE[name]()
    path = chemin.svm_path(X, y, l2=l2, **options)
    return X, y, options, path, 0.3 * path.l1[0]


def test_it_imports_nothing_of_the_engine():
    tree = ast.parse(inspect.getsource(certificate))
    modules = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    ours = {module for module in modules if module and module.startswith("chemin")}
    assert ours == {
        "chemin.dictionaries.base",
        "chemin.engine.proof.solutions",
        "chemin.exceptions",
        "chemin.problems",
        "chemin.validation",
    }


@pytest.mark.parametrize("l2", [0.0, 1e-9, 1.0])
def test_it_accepts_an_optimum_with_or_without_its_dual(l2):
    X, y, options, path, l1 = solved("random_weights", l2)
    given = (path.coef_at(l1), path.intercept_at(l1), l1, l2)
    assert chemin.certify(X, y, *given, path.dual_at(l1), **options).worst_gap < 1e-12
    assert chemin.certify(X, y, *given, **options).worst_gap < 1e-8


@pytest.mark.parametrize(
    "change", ["coefficient", "sign", "zero", "almost zero", "half", "intercept", "l1", "dual"]
)
def test_it_refuses_what_is_not_optimal(change):
    X, y, options, path, l1 = solved("gaussian_unbalanced")
    coef, intercept, dual = path.coef_at(l1), path.intercept_at(l1), path.dual_at(l1)
    if change == "coefficient":
        coef[np.argmax(np.abs(coef))] *= 1.01
    elif change in ("sign", "zero", "almost zero", "half"):
        coef = {"sign": -1.0, "zero": 0.0, "almost zero": 1e-12, "half": 0.5}[change] * coef
    elif change == "intercept":
        intercept += 0.01
    elif change == "l1":
        l1 *= 0.99
    else:
        dual[:] = 0.0
    for alpha in (dual, None)[: 1 if change == "dual" else 2]:
        assert chemin.certify(X, y, coef, intercept, l1, 1.0, alpha, **options).worst_gap > 1e-6


@given(st.integers(0, 2**32 - 1), st.sampled_from([0.0, 1e-3, 1.0]))
@settings(max_examples=60, deadline=None)
def test_the_gap_never_flatters(seed, l2):
    """Weak duality: for any coefficients and any α, the gap is at least the true distance."""
    rng = np.random.default_rng(seed)
    X, y = rng.standard_normal((12, 4)), np.arange(12) % 2
    path = chemin.svm_path(X, y, l2=l2)
    l1 = rng.uniform(0.05, 0.9) * path.l1[0]
    best = path.problem.objective(path.coef_at(l1), path.intercept_at(l1), l1)
    coef, intercept = rng.choice([0.0, 1e-12, 0.5, 1.0]) * path.coef_at(l1), path.intercept_at(l1)
    if rng.random() < 0.5:
        coef, intercept = coef + 0.1 * rng.standard_normal(4), rng.standard_normal()
    proof = chemin.certify(X, y, coef, intercept, l1, l2, rng.uniform(-0.2, 1.2, 12))
    assert (
        proof.primal[0] - proof.dual[0] >= path.problem.objective(coef, intercept, l1) - best - 1e-9
    )


def test_each_residual_names_its_own_fault():
    X, y, _, path, l1 = solved("gaussian_balanced")
    coef, intercept, dual = path.coef_at(l1), path.intercept_at(l1), path.dual_at(l1)
    fields = ("stationarity", "threshold", "balance", "box", "complementarity")
    clean = chemin.certify(X, y, coef, intercept, l1, 1.0, dual)
    assert all(getattr(clean, name)[0] < 1e-12 for name in fields)
    inside = int(np.flatnonzero((dual > 0.1) & (dual < 0.9))[0])
    dual[inside] = 1.5
    faulty = chemin.certify(X, y, coef, intercept, l1, 1.0, dual)
    assert faulty.box[0] == pytest.approx(0.5)
    assert faulty.balance[0] > 0.1
    assert faulty.stationarity[0] > 1e-3


def test_many_solutions_are_certified_at_once():
    X, y, _, path, _ = solved("gaussian_balanced")
    proof = chemin.certify(X, y, path.coef, path.intercept, path.l1, 1.0, path.dual)
    np.testing.assert_allclose(proof.gap, path.certificate().gap, atol=1e-14)
    assert "worst relative gap" in str(proof)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"coef": [1.0, 2.0]}, "one coefficient per column"),
        ({"coef": [np.nan] * 8}, "solver that converged"),
        ({"dual": [1.0, 2.0]}, "one value per row"),
        ({"dual": np.ones((2, 30))}, "one row of each per solution"),
        ({"intercept": [0.0, 1.0]}, "intercept must be one finite number"),
        ({"l1": -1.0}, "l1 is negative"),
        ({"l1": float("nan")}, "l1 must be one finite number"),
    ],
)
def test_what_cannot_be_certified_is_refused_with_a_remedy(given, words):
    X, y, _, _, _ = solved("gaussian_balanced")
    solution = {"coef": np.zeros(8), "intercept": 0.0, "l1": 1.0, "l2": 1.0} | given
    with pytest.raises(InvalidInputError, match=words):
        chemin.certify(X, y, **solution)
