"""Claims about relaxed solutions: the columns of one l1, shrunk less, on a path of their own."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import scale
from sklearn.svm import SVC

import chemin
from adversarial import TABLE
from chemin.engine.relaxed import relaxed_solution
from chemin.estimators import KernelBasisClassifier, SparseSVC, SparseSVCCV
from chemin.estimators.tuning import as_shares
from chemin.exceptions import InvalidInputError
from chemin.kernels import Gaussian
from chemin.problems import Quantile

GAP = 1e-9
SHARES = np.array([1.0, 0.9, 0.5, 0.1, 0.0])


def gaussian(seed: int, n: int = 40, p: int = 8):
    rng = np.random.default_rng(seed)
    y = np.where(np.arange(n) % 2, 1, -1)
    return rng.standard_normal((n, p)) + 0.3 * y[:, None], y


def integers(seed: int):
    X, y = gaussian(seed)
    return np.round(X), y


def quantile(seed: int):
    X, _ = gaussian(seed)
    return X, X[:, 0] + np.random.default_rng(seed).standard_normal(len(X))


PROBLEMS = {
    "dense": (gaussian, {}),
    "little ridge": (gaussian, {"l2": 1e-3}),
    "more columns than points": (lambda seed: gaussian(seed, 20, 60), {}),
    "integers": (integers, {}),
    "weights, some of them 0": (gaussian, {"sample_weight": np.arange(40) % 4}),
    "a column never penalised": (gaussian, {"l1_weight": [0.0, *[1.0] * 7]}),
    "columns that cost more": (gaussian, {"l1_weight": [1.0, 2.0] * 4}),
    "a quantile": (quantile, {"loss": Quantile(0.3)}),
    "integers and a quantile": (
        lambda seed: tuple(map(np.round, quantile(seed))),
        {"loss": Quantile(0.7)},
    ),
}


def assert_relaxed(path, X, y, options, l1) -> None:
    """Compare the relaxed path with a proof, with the path it left, and with one that starts from the top."""
    relaxed = chemin.relaxed_path(path, l1)
    support = relaxed.support
    assert relaxed.path.certificate(midpoints=True).worst_gap <= GAP
    assert set(np.flatnonzero(path.coef_at(l1))) <= set(support)
    below = l1 * SHARES
    coef = relaxed.coef_at(below)
    assert not np.delete(coef, support, axis=1).any()
    np.testing.assert_array_equal(coef[:, support], relaxed.path.coef_at(below))
    np.testing.assert_allclose(coef[0], path.coef_at(l1), atol=1e-8)
    options = dict(options)
    if "l1_weight" in options:
        options["l1_weight"] = np.asarray(options["l1_weight"])[support]
    if len(support):
        cold = chemin.path(X[:, support], y, **options)
        np.testing.assert_allclose(coef[:, support], cold.coef_at(below), atol=1e-8)


@pytest.mark.parametrize("name", PROBLEMS)
@pytest.mark.parametrize("seed", range(2))
def test_a_relaxed_path_is_that_of_its_columns_alone(name, seed):
    build, options = PROBLEMS[name]
    X, y = build(seed)
    path = chemin.path(X, y, **options)
    for share in (0.83, 0.41, 0.11, 0.017):
        assert_relaxed(path, X, y, options, share * path.l1[0])


@given(data=st.data(), n=st.integers(4, 9), p=st.integers(1, 4), share=st.floats(0.05, 0.95))
@settings(max_examples=60, deadline=None)
def test_so_it_is_for_small_integers_full_of_ties(data, n, p, share):
    entries = st.lists(st.integers(-2, 2), min_size=n * p, max_size=n * p)
    X = np.array(data.draw(entries), dtype=float).reshape(n, p)
    y = np.array(data.draw(st.lists(st.sampled_from([-1, 1]), min_size=n, max_size=n)))
    assume(len(np.unique(y)) == 2)
    path = chemin.svm_path(X, y)
    l1 = share * path.l1[0]
    assume(not np.isclose(path.l1, l1, rtol=1e-9, atol=1e-9).any())
    assert_relaxed(path, X, y, {}, l1)


def test_a_column_that_rests_at_zero_keeps_its_sign():
    """Its coefficient is but rounding, here of the other sign than its correlation."""
    X = np.array([[-1, -2], [0, 0], [0, 0], [0, 1], [0, -1], [2, 0]], dtype=float)
    y = np.array([1, -1, -1, -1, 1, -1])
    path = chemin.svm_path(X, y)
    for l1 in (0.75, 0.7, 0.3):
        assert_relaxed(path, X, y, {}, l1)


@pytest.mark.parametrize("X", [np.zeros((4, 2)), [[0.0], [0.0], [1.0], [1.0]]], ids=["0", "alike"])
def test_no_column_relaxed_is_the_empty_model(X):
    path = chemin.svm_path(X, [0, 1, 0, 1])
    relaxed = chemin.relaxed_path(path, path.l1[0])
    assert not len(relaxed.support)
    assert not relaxed.coef_at(path.l1[0]).any()
    assert relaxed.path.certificate().worst_gap <= GAP


@pytest.mark.parametrize("name", ["dense", "weights, some of them 0", "a quantile"])
def test_the_support_is_what_is_active_there(name):
    build, options = PROBLEMS[name]
    X, y = build(3)
    path = chemin.path(X, y, **options)
    for l1 in np.linspace(0.99, 0.01, 12) * path.l1[0]:
        support = chemin.relaxed_path(path, l1).support
        np.testing.assert_array_equal(support, np.flatnonzero(path.coef_at(l1)))


def test_at_a_breakpoint_too_it_begins_with_the_solution_there():
    X, y = gaussian(0)
    path = chemin.svm_path(X, y)
    for l1 in path.l1[5:60:7]:
        coef = chemin.relaxed_path(path, l1).coef_at(l1)
        np.testing.assert_allclose(coef, path.coef_at(l1), atol=1e-8)


def test_above_the_path_no_column_is_active():
    X, y = gaussian(0)
    path = chemin.svm_path(X, y)
    relaxed = chemin.relaxed_path(path, 2.0 * path.l1[0])
    assert not relaxed.coef_at(2.0 * path.l1[0]).any()
    assert not len(relaxed.support)


REFUSED = {
    "an l1 below the end of the path": (lambda end: {"l1": 0.5 * end}, "below"),
    "an l1 below 0": (lambda end: {"l1": -1.0}, "l1"),
    "no number": (lambda end: {"l1": np.nan}, "NaN"),
    "a negative min_l1": (lambda end: {"l1": 2 * end, "min_l1": -1.0}, "min_l1 is -1"),
    "no event": (lambda end: {"l1": 2 * end, "max_events": 0}, "positive integer"),
    "a tolerance of 2": (lambda end: {"l1": 2 * end, "tol": 2.0}, "tol is 2"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_relaxed_is_refused_with_a_remedy(name):
    make, words = REFUSED[name]
    X, y = gaussian(0)
    path = chemin.svm_path(X, y, min_ratio=0.2)
    with pytest.raises(InvalidInputError, match=words):
        chemin.relaxed_path(path, **make(float(path.l1[-1])))


def test_it_ends_where_it_is_told_to():
    X, y = gaussian(1)
    path = chemin.svm_path(X, y)
    l1 = 0.3 * path.l1[0]
    assert chemin.relaxed_path(path, l1, min_l1=0.1 * l1).path.l1[-1] == pytest.approx(0.1 * l1)
    stopped = chemin.relaxed_path(path, l1, max_events=2).path
    assert stopped.status.code == "stopped"
    assert stopped.certificate().worst_gap <= GAP


def test_to_a_tolerance_the_gap_is_proved():
    X, y = gaussian(1)
    path = chemin.svm_path(X, y, tol=1e-2)
    l1 = 0.3 * path.l1[0]
    relaxed = chemin.relaxed_path(path, l1, tol=1e-2)
    assert relaxed.path.gap_between(least=1.0).max() <= 1e-2 * (1 + 1e-9)
    whole = chemin.svm_path(X[:, relaxed.support], y)
    problem = whole.problem
    for below in l1 * SHARES:
        ours, best = (
            problem.objective(of.coef_at(below), of.intercept_at(below), below)
            for of in (relaxed.path, whole)
        )
        assert ours <= best + 1e-2 * max(best, 1.0)


# -- in the estimators


@pytest.fixture(scope="module")
def cancer():
    X, y = load_breast_cancer(return_X_y=True)
    return scale(X), y


@pytest.mark.parametrize("share", [1.0, 0.5, 0.1])
def test_an_estimator_takes_the_relaxed_solution(cancer, share):
    X, y = cancer
    model = SparseSVC(l1=20.0, relax=share).fit(X, y)
    relaxed = chemin.relaxed_path(chemin.svm_path(X, y, min_l1=20.0), 20.0)
    np.testing.assert_allclose(model.coef_[0], relaxed.coef_at(share * 20.0), atol=1e-9)
    assert model.intercept_[0] == pytest.approx(relaxed.path.intercept_at(share * 20.0))
    assert model.relax_ == share


@pytest.mark.parametrize(
    "estimator", [SparseSVC(l1=2.0), KernelBasisClassifier(Gaussian(1.0), l1=0.5)], ids=str
)
def test_a_share_of_1_changes_nothing(estimator):
    X, y, _ = TABLE["gaussian_unbalanced"]()
    before, after = clone(estimator).fit(X, y), clone(estimator).set_params(relax=1.0).fit(X, y)
    np.testing.assert_array_equal(before.decision_function(X), after.decision_function(X))
    path = before.path_
    coef = (before.estimators_[0].coef_, path.coef_at(before.l1))
    np.testing.assert_array_equal(*coef)


def ridge_svm(X, y, l2):
    """Solve for z = (b, b0, ξ) by an interior point: y_i (b0 + x_i b) ≥ 1 − ξ_i and ξ ≥ 0."""
    clarabel = pytest.importorskip("clarabel", reason="pip install clarabel to compare with it")
    n, p = X.shape
    label = np.where(y > 0, 1.0, -1.0)[:, None]
    P = sparse.diags_array(np.r_[np.full(p, l2), np.zeros(1 + n)])
    margin = np.hstack([-label * X, -label, -np.eye(n)])
    positive = np.hstack([np.zeros((n, p + 1)), -np.eye(n)])
    G, h = sparse.csc_matrix(np.vstack([margin, positive])), np.r_[-np.ones(n), np.zeros(n)]
    cost = np.r_[np.zeros(p + 1), np.ones(n)]
    tight = clarabel.DefaultSettings()
    tight.verbose = False
    tight.tol_gap_abs = tight.tol_gap_rel = tight.tol_feas = 1e-12
    cones = [clarabel.NonnegativeConeT(2 * n)]
    z = clarabel.DefaultSolver(sparse.csc_matrix(P), cost, G, h, cones, tight).solve().x
    return np.array(z[:p])


@pytest.mark.parametrize("l2", [0.1, 10.0])
def test_a_share_of_0_is_the_ridge_svm_on_the_support(cancer, l2):
    X, y = cancer
    model = SparseSVC(l1=20.0, l2=l2, relax=0.0).fit(X, y)
    support = np.flatnonzero(chemin.svm_path(X, y, l2=l2, min_l1=20.0).coef_at(20.0))
    np.testing.assert_array_equal(model.support_, support)
    ours = chemin.svm_path(X[:, support], y, l2=l2)
    np.testing.assert_allclose(model.coef_[0, support], ours.coef_at(0.0), atol=1e-8)
    theirs = ridge_svm(X[:, support], y, l2)
    np.testing.assert_allclose(model.coef_[0, support], theirs, atol=1e-8)


RIDGES = [SparseSVC(l1=20.0, relax=0.0, relax_l2=10.0), SparseSVCCV(cv=3, relax="auto")]


@pytest.mark.parametrize("estimator", RIDGES, ids=str)
def test_the_ridge_of_a_relaxed_model_is_its_own(cancer, estimator):
    X, y = cancer
    model = clone(estimator).set_params(l2=0.1).fit(X, y)
    assert model.relax_ == 0.0
    support = np.flatnonzero(chemin.svm_path(X, y, l2=0.1, min_l1=model.l1_).coef_at(model.l1_))
    np.testing.assert_allclose(
        model.coef_[0, support], ridge_svm(X[:, support], y, 10.0), atol=1e-8
    )
    assert model.estimators_[0].model_path_.certificate().worst_gap <= 1e-9


@pytest.mark.parametrize("l2", [None, 3.0])
@pytest.mark.parametrize("share", [0.0, 0.2])
def test_one_relaxed_solution_is_found_without_its_path(cancer, share, l2):
    path = chemin.svm_path(*cancer, l2=0.1, min_l1=20.0)
    support, coef, intercept = relaxed_solution(path, 20.0, share * 20.0, l2=l2)
    relaxed = chemin.relaxed_path(path, 20.0, l2=l2)
    np.testing.assert_array_equal(support, relaxed.support)
    part = relaxed.path.problem
    least = part.objective(
        relaxed.path.coef_at(share * 20.0), relaxed.path.intercept_at(share * 20.0), share * 20.0
    )
    assert part.objective(coef, intercept, share * 20.0) <= least * (1.0 + 1e-6)


def test_the_path_competes_where_no_relaxed_solution_is_as_good():
    """Sixty columns are needed, more than are relaxed: all relaxed models are far worse."""
    rng = np.random.default_rng(0)
    X = rng.choice([-1.0, 1.0], size=(300, 130))
    y = X.sum(axis=1) > 0
    model = SparseSVCCV(cv=3, relax="auto", min_ratio=0.01).fit(X, y)
    assert model.relax_ == 1.0
    assert len(model.support_) > 60


def test_the_shares_of_a_list_compete(cancer):
    X, y = cancer
    model = SparseSVCCV(cv=3, relax=[0, 0.5]).fit(X, y)
    (relaxed,) = model.cv_results_["relaxed"]
    assert set(relaxed["relax"]) == {0.0, 0.5}
    assert model.relax_ in (0.0, 0.5, 1.0)
    only = SparseSVCCV(cv=3, relax=None).fit(X, y)
    assert not len(only.cv_results_["relaxed"][0]["l1"])
    assert model.cv_results_["error"][0] <= only.cv_results_["error"][0] + 1e-12


def test_what_the_folds_say_of_a_relaxed_solution_is_its_error(cancer):
    """Solved again by another library, on the same folds."""
    X, y = cancer
    rows = np.arange(len(y)) % 3
    folds = [(np.flatnonzero(rows != k), np.flatnonzero(rows == k)) for k in range(3)]
    model = SparseSVCCV(cv=folds, relax=[0.0]).fit(X, y)
    (relaxed,) = model.cv_results_["relaxed"]
    for k in range(2, len(relaxed["l1"]), 5):
        errors, sizes = [], []
        for train, test in folds:
            path = chemin.svm_path(X[train], y[train], min_l1=relaxed["l1"][k])
            active = np.flatnonzero(path.coef_at(relaxed["l1"][k]))
            ridge = SVC(kernel="linear", C=1.0, tol=1e-6).fit(X[train][:, active], y[train])
            errors.append(np.mean(ridge.predict(X[test][:, active]) != y[test]))
            sizes.append(len(active))
        np.testing.assert_allclose(relaxed["fold_errors"][:, k], errors, atol=1e-12)
        assert relaxed["size"][k] == pytest.approx(np.mean(sizes))


AS_SHARES = {
    "none": (None, (1.0,)),
    "ours": ("auto", (0.0,)),
    "one": (0.2, (1.0, 0.2)),
    "a list, 1 among them or not": ([0.5, 1, 0.5, 0], (1.0, 0.5, 0.0)),
    "an array": (np.array([0.1, 0.2]), (1.0, 0.2, 0.1)),
}


@pytest.mark.parametrize("name", AS_SHARES)
def test_shares_are_read_as_they_are_meant(name):
    relax, shares = AS_SHARES[name]
    assert as_shares(relax) == shares


@pytest.mark.parametrize("relax", ["some", -0.1, 1.5, True, np.nan, [0.5, 2], ["auto"], {}])
@pytest.mark.parametrize("estimator", [SparseSVC(), SparseSVCCV(cv=2)], ids=str)
def test_a_wrong_share_is_refused_with_a_remedy(estimator, relax):
    X, y = gaussian(0)
    with pytest.raises(InvalidInputError, match=r"relax is .*share of l1 from 0 to 1"):
        clone(estimator).set_params(relax=relax).fit(X, y)
