"""Claims about memory: an estimate that is right to a factor of two, and a budget that is kept."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from scipy import sparse

import chemin
from chemin.dictionaries import DenseDictionary, KernelDictionary
from chemin.engine.budget import engine_for
from chemin.exceptions import InvalidInputError
from chemin.kernels import Gaussian


def data(n, p, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p))
    return X, np.where(X[:, :3].sum(axis=1) + rng.standard_normal(n) > 0, 1, -1)


def peak_of(work):
    tracemalloc.start()
    try:
        result = work()
        return result, tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    ("n", "p", "ratio"), [(300, 300, 0.02), (2000, 30, 0.05), (60, 20_000, 0.2)]
)
def test_the_estimate_holds_for_what_the_engine_adds(n, p, ratio):
    X, y = data(n, p)
    columns = DenseDictionary(X)
    path, peak = peak_of(lambda: chemin.svm_path(columns, y, min_ratio=ratio))
    known = chemin.estimate_path(
        X, active=int(path.breakpoints.n_active.max()), breakpoints=len(path.l1)
    )
    assert 0.4 < peak / (known.engine + known.record) < 2.0
    assert known.columns == X.nbytes
    assert known.memory == known.columns + known.engine + known.record


def test_columns_are_counted_as_they_are_held():
    X, _ = data(100, 50)
    thin = sparse.csc_array(np.where(X > 1.0, X, 0.0))
    assert chemin.estimate_path(thin).columns == 24 * thin.nnz
    kernel = KernelDictionary(X, X, (Gaussian(1.0),), memory=60_000)
    assert chemin.estimate_path(kernel).columns == 60_000
    assert chemin.estimate_path(kernel).columns_per_event == 100
    assert "GiB" in str(chemin.estimate_path(thin, breakpoints=10**7))


def test_a_path_beyond_its_budget_ends_certified():
    X, y = data(300, 200)
    whole = chemin.svm_path(X, y)
    part = chemin.svm_path(X, y, memory=4 * 2**20 / 2**30)
    assert part.status.code == "stopped"
    assert "memory" in str(part.status)
    assert 0.0 < part.l1[-1] < part.l1[0]
    np.testing.assert_allclose(part.l1[:-1], whole.l1[: len(part.l1) - 1], atol=1e-10 * whole.l1[0])
    assert part.certificate().worst_gap < 1e-9


@pytest.mark.parametrize(
    ("n", "p", "memory"), [(60, 60_000, 0.03), (400, 2000, 0.0085), (400, 2000, 0.02)]
)
def test_a_budget_is_kept(n, p, memory):
    X, y = data(n, p)
    columns = DenseDictionary(X)
    path, peak = peak_of(lambda: chemin.svm_path(columns, y, memory=memory, min_ratio=0.05))
    assert path.status.code in ("complete", "stopped")
    assert peak < 1.1 * memory * 2**30


def test_without_screening_columns_that_must_be_copied_are_counted():
    X, y = data(300, 4000)
    thin = sparse.csc_array(np.where(X > 2.0, X, 0.0))
    assert chemin.svm_path(thin, y, memory=0.005, max_events=50).status.code == "stopped"
    with pytest.raises(InvalidInputError, match=r"\d+ columns would fit"):
        chemin.svm_path(thin, y, memory=0.005, max_events=50, screening=False)


def test_a_budget_within_which_nothing_can_begin_says_what_would_fit():
    X, y = data(50, 5000)
    with pytest.raises(InvalidInputError, match=r"\d+ columns would fit, or raise memory"):
        chemin.svm_path(X, y, memory=2e-4)
    with pytest.raises(InvalidInputError, match=r"\d+ points would fit"):
        chemin.svm_path(*data(5000, 3), memory=1e-4)


@pytest.mark.parametrize(("n", "p"), [(20_000, 20), (2000, 50), (300, 3000)])
def test_what_is_not_refused_can_begin(n, p):
    X, y = data(n, p)
    least = engine_for(DenseDictionary(X), 1) / 2**30
    assert len(chemin.svm_path(X, y, memory=1.01 * least, min_ratio=0.9).l1) > 1
    with pytest.raises(InvalidInputError, match="would fit"):
        chemin.svm_path(X, y, memory=0.99 * least)


@pytest.mark.parametrize("memory", [0, -1.0, np.inf, np.nan, "1", True])
def test_a_budget_is_a_number_of_gibibytes(memory):
    with pytest.raises(InvalidInputError, match="gibibytes"):
        chemin.svm_path(*data(20, 2), memory=memory)


def test_the_search_for_the_first_point_is_not_cut_short():
    """Columns that l1 never penalises are fitted first; only the path itself is held to the budget."""
    X, y = data(600, 60)
    path = chemin.svm_path(X, y, l1_weight=np.r_[np.zeros(40), np.ones(20)], memory=2e-3)
    assert path.status.code in ("stopped", "complete")
    assert path.certificate().worst_gap < 1e-9


@pytest.mark.parametrize(
    "options", [{"active": 0}, {"active": 1.5}, {"breakpoints": -5}, {"breakpoints": "a"}]
)
def test_an_estimate_is_of_whole_numbers(options):
    with pytest.raises(InvalidInputError, match="whole number"):
        chemin.estimate_path(np.ones((3, 2)), **options)
