"""Claims about columns on a device: the same numbers, the same path, few synchronisations. Runs on PyTorch's CPU."""

from __future__ import annotations

import numpy as np
import pytest

import chemin
from chemin.dictionaries import DenseDictionary, KernelDictionary, SparseDictionary
from chemin.dictionaries.gpu import TensorSurvey
from chemin.dictionaries.places import on_device, placed
from chemin.dictionaries.survey import Ahead, Units, survey_of
from chemin.engine import thresholds
from chemin.exceptions import InvalidInputError, MissingLibraryError
from chemin.kernels import (
    Constant,
    Epanechnikov,
    Gaussian,
    Kernel,
    Laplacian,
    Linear,
    Polynomial,
    Window,
)

torch = pytest.importorskip("torch", reason='PyTorch is not installed: pip install "chemin[gpu]"')

KERNELS = (
    Linear(), Polynomial(3, 0.5), Gaussian(0.7), Gaussian((0.5, np.inf, 1.0, 2.0)), Laplacian(1.5), Epanechnikov(3.0),
    Constant(2.0), 2.0 * Gaussian(1.0) + Linear() * Laplacian(2.0), (Linear() + Constant(1.0)) ** 2,
    Polynomial(2).on(Window((2, 2), 0, 0, 1, 2)).named("top"),
)  # fmt: skip


def two_classes(n=60, p=4, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p))
    return X, np.where(X[:, 0] + 0.5 * rng.standard_normal(n) > 0, 1, -1)


def columns_of(kind):
    X, y = two_classes()
    scale = np.linspace(0.5, 2.0, 60 * len(KERNELS))
    kernel = KernelDictionary(X, X, KERNELS, scale)
    if kind == "dense":
        return DenseDictionary(kernel.columns(np.arange(kernel.shape[1]))), y
    return kernel, y


def on_torch(kind):
    columns, _ = columns_of("dense" if kind == "dense" else "kernel")
    moved = on_device(columns, "cpu")
    if kind == "computed":
        moved = on_device(columns, "cpu", stored=False)
    return columns, moved


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
def test_a_kernel_has_the_same_values_on_tensors(kernel):
    X, _ = two_classes(30)
    X[3] = X[5]
    values = kernel.on_tensors()(torch.as_tensor(X), torch.as_tensor(X[:11]))
    np.testing.assert_allclose(values.numpy(), kernel(X, X[:11]), rtol=1e-10, atol=1e-13)


def test_a_kernel_without_a_formula_for_tensors_says_so():
    class Own(Kernel):
        def __call__(self, X, Z):
            return np.ones((len(X), len(Z)))

        def diagonal(self, X):
            return np.ones(len(X))

        positive = True
        name = "own"

    assert Own().on_tensors() is None
    assert (Own() + Linear()).on_tensors() is None
    with pytest.raises(InvalidInputError, match="device='cpu'"):
        on_device(KernelDictionary(np.eye(3), np.eye(3), (Own(),)), "cpu")


@pytest.mark.parametrize("kind", ["dense", "stored", "computed"])
def test_the_verbs_give_the_same_numbers(kind):
    columns, moved = on_torch(kind)
    n, p = columns.shape
    rng = np.random.default_rng(1)
    index, rows, u = rng.permutation(p)[:40], np.array([3, 17, 40]), rng.standard_normal((n, 3))
    coef = np.where(rng.random((p, 2)) < 0.1, rng.standard_normal((p, 2)), 0.0)
    assert moved.shape == columns.shape
    for asked in (
        lambda d: d.columns(index), lambda d: d.block(rows, index), lambda d: d.correlations(u),
        lambda d: d.correlations(u[:, 0]), lambda d: d.correlations(u[rows], rows),
        lambda d: d.correlations(u[:40, 0], np.arange(40)), lambda d: d.scores(coef), lambda d: d.scores(coef[:, 0]),
        lambda d: d.column_norms(), lambda d: d.column_ranges(), lambda d: d.row_norms(),
    ):  # fmt: skip
        np.testing.assert_allclose(asked(moved), asked(columns), rtol=1e-9, atol=1e-10)


@pytest.mark.parametrize("count", [1, 7, 95, 96, 200])
@pytest.mark.parametrize("aimed", [False, True])
def test_a_survey_on_tensors_finds_the_same_columns(count, aimed):
    rng = np.random.default_rng(2)
    X = rng.standard_normal((30, 100))
    weight, u = rng.uniform(0.5, 1.5, 100), rng.standard_normal(30)
    excluded, active, rows = np.array([4, 50]), np.array([7, 99]), np.array([1, 2, 8])
    ahead = Ahead(rng.standard_normal(3), rows, -1.0, 1.3) if aimed else None
    columns = DenseDictionary(X)
    given = (columns.column_norms(), columns.column_ranges(), weight, excluded)
    local, there = survey_of(columns, *given), survey_of(on_device(columns, "cpu"), *given)
    assert isinstance(there, TensorSurvey)
    found = []
    for survey in (local, there):
        survey.read(u)
        survey.update(np.array([0.5, -0.2, 0.1]), rows)
        survey.measure_by(Units(rows, np.array([[0.6], [-0.8], [0.0]]), np.array([3.0]), 0.3, 1.7))
        nearest = survey.nearest(20.0, count, active, ahead)
        order = np.argsort(nearest.columns)
        numbers = (
            nearest.columns[order],
            nearest.correlation[order],
            nearest.pace[order],
            nearest.limit,
        )
        found.append((*numbers, *survey.beyond(3.0, excluded)))
    for mine, its in zip(*found, strict=True):
        np.testing.assert_allclose(mine, its, rtol=1e-12)


@pytest.mark.parametrize("kind", ["dense", "stored", "computed"])
def test_a_path_on_a_device_is_the_path(kind, monkeypatch):
    monkeypatch.setattr(thresholds, "FIRST_RESIDENT", 64)
    monkeypatch.setattr(thresholds, "FEWEST_WATCHED", 8)
    columns, y = columns_of("dense" if kind == "dense" else "kernel")
    _, moved = on_torch(kind)
    here, there = (chemin.svm_path(some, y, l2=1e-3, min_l1=0.5) for some in (columns, moved))
    np.testing.assert_array_equal(here.events["index"], there.events["index"])
    np.testing.assert_allclose(there.l1, here.l1, rtol=0, atol=1e-9 * here.l1[0])
    assert there.certificate().worst_gap < 1e-9


def test_there_is_at_most_one_synchronisation_per_event(monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((100, 3000))
    y = np.where(X[:, :5].sum(axis=1) > 0, 1, -1)
    moved = on_device(DenseDictionary(X), "cpu")
    path = chemin.svm_path(moved, y, min_l1=2.0)
    assert moved.synchronisations <= path.stats["events"]


def test_auto_stays_where_a_gpu_would_not_pay():
    with placed(DenseDictionary(np.eye(3)), "auto") as columns:
        assert isinstance(columns, DenseDictionary)


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU here")
def test_a_gpu_asked_for_and_absent_is_an_error_that_names_the_remedy():
    X, y = two_classes()
    with pytest.raises(InvalidInputError, match="device='auto'"):
        chemin.svm_path(X, y, device="cuda")
    with pytest.raises(InvalidInputError, match="device='auto'"):
        chemin.svm_path(X, y, device="abacus")


def test_sparse_columns_stay():
    from scipy import sparse

    with pytest.raises(InvalidInputError, match="device='cpu'"):
        on_device(SparseDictionary(sparse.csc_array(np.eye(3))), "cpu")


def test_without_torch_the_extra_is_named(monkeypatch):
    import importlib

    def absent(name):
        raise ImportError(name)

    monkeypatch.setattr(importlib, "import_module", absent)
    with pytest.raises(MissingLibraryError, match=r"chemin\[gpu\]"):
        on_device(DenseDictionary(np.eye(3)), "cpu")


class Halved(Gaussian):
    """A kernel of one's own that inherits a formula for tensors, and computes something else."""

    def __call__(self, X, Z=None):
        return 0.5 * super().__call__(X, Z)


def test_a_kernel_that_overrides_its_formula_is_not_moved():
    assert Gaussian(1.0).on_tensors() is not None
    assert Halved(1.0).on_tensors() is None
    assert (Halved(1.0) + Linear()).on_tensors() is None
    with pytest.raises(InvalidInputError, match="device='cpu'"):
        on_device(KernelDictionary(np.eye(3), np.eye(3), (Halved(1.0),)), "cpu")


def test_a_formula_that_is_wrong_is_noticed(monkeypatch):
    monkeypatch.setattr(Halved, "on_tensors", lambda self: Gaussian(1.0).on_tensors())
    with pytest.raises(InvalidInputError, match="other values"):
        on_device(KernelDictionary(np.eye(3), np.eye(3), (Linear(), Halved(1.0))), "cpu")


def test_a_column_that_is_zero_but_for_rounding_is_no_wrong_formula():
    Z = np.random.default_rng(0).standard_normal((20, 3))
    Z[:, 2] = 1e-17
    centers = np.vstack([[0.0, 0.0, 1.0], Z])
    assert on_device(KernelDictionary(Z, centers, (Linear(), Gaussian(1.0))), "cpu").shape == (
        20,
        42,
    )


@pytest.mark.filterwarnings("error")
def test_arrays_that_are_read_only_or_short_are_moved_all_the_same():
    X = np.random.default_rng(0).standard_normal((40, 30)).astype(np.float32)
    X.setflags(write=False)
    y = np.where(X[:, 0] > 0, 1, -1)
    there = chemin.svm_path(on_device(DenseDictionary(X), "cpu"), y)
    np.testing.assert_allclose(there.l1, chemin.svm_path(X, y).l1, rtol=0, atol=1e-9 * there.l1[0])


def test_a_device_is_named_by_its_name():
    with pytest.raises(InvalidInputError, match="device is None: pass 'cpu'"):
        chemin.svm_path(np.eye(4), [0, 1, 0, 1], device=None)
