"""Claims about kernels: the laws each one obeys, their algebra, their restriction to columns and windows, families."""

from __future__ import annotations

import copy
import math
import pickle
import sys

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.spatial.distance import pdist
from sklearn.gaussian_process.kernels import RBF
from sklearn.metrics import pairwise
from sklearn.svm import SVC

import chemin.kernels
from chemin.exceptions import InvalidInputError, MissingLibraryError
from chemin.kernels import (
    Columns,
    Constant,
    Epanechnikov,
    Function,
    Gaussian,
    Graphs,
    Kernel,
    Laplacian,
    Linear,
    Pairwise,
    Polynomial,
    Precomputed,
    Product,
    Strings,
    Sum,
    Window,
    arithmetic,
    as_kernel,
    is_positive,
    median_heuristic,
    pairs_of,
    widths,
    windows,
)

INF = math.inf
RNG = np.random.default_rng(0)
X, Z = RNG.normal(size=(30, 6)), RNG.normal(size=(20, 6))
X[3] = X[7]  # a duplicated point
Z[2] = X[5]  # and one in both samples
NAMES = ["g1", "g2", "g3", "p1", "p2", "p3"]
ROWS = np.arange(30).reshape(-1, 1)


def cosine_plus_one(A, B):
    return pairwise.cosine_similarity(A, B) + 1.0


# One row per kernel: itself, what is known of it (positive, not, or not known), and its name.
KERNELS: list[tuple[Kernel, bool | None, str]] = [
    (Linear(), True, "Linear"),
    (Polynomial(3, 1), True, "Polynomial(degree=3, offset=1)"),
    (Polynomial(2, 0), True, "Polynomial(degree=2, offset=0)"),
    (Polynomial(2, -0.5), False, "Polynomial(degree=2, offset=-0.5)"),
    (Gaussian(), True, "Gaussian(width=1)"),
    (Gaussian(0.5), True, "Gaussian(width=0.5)"),
    (Gaussian([1, 2, INF, 0.5, INF, 3]), True, "Gaussian(width=(1, 2, inf, 0.5, inf, … (6)))"),
    (Laplacian(2), True, "Laplacian(width=2)"),
    (Laplacian((1, 2, INF, 0.5, INF, 3)), True, "Laplacian(width=(1, 2, inf, 0.5, inf, … (6)))"),
    (Epanechnikov(3), False, "Epanechnikov(width=3)"),
    (Constant(2), True, "Constant(value=2)"),
    (Constant(-1), False, "Constant(value=-1)"),
    (Pairwise("rbf", gamma=0.3), True, "rbf(gamma=0.3)"),
    (Pairwise("cosine"), True, "cosine"),
    (Pairwise("sigmoid"), False, "sigmoid"),
    (Pairwise("poly", degree=2), None, "poly(degree=2)"),
    (Pairwise("sigmoid", gamma=0.0), None, "sigmoid(gamma=0)"),
    (Function(cosine_plus_one), None, "cosine_plus_one"),
    (Function(cosine_plus_one, "cosine + 1", positive=True), True, "cosine + 1"),
    (Function(RBF(2.0), positive=True), True, "RBF(length_scale=2)"),
    (Gaussian(0.5) + Linear(), True, "Gaussian(width=0.5) + Linear"),
    (Gaussian(2) + Epanechnikov(1), None, "Gaussian(width=2) + Epanechnikov(width=1)"),
    (Gaussian(2) * Linear(), True, "Gaussian(width=2) * Linear"),
    (Epanechnikov(2) * Epanechnikov(2), None, "Epanechnikov(width=2) * Epanechnikov(width=2)"),
    (
        (Linear() + Constant(1)) * Gaussian(2),
        True,
        "(Linear + Constant(value=1)) * Gaussian(width=2)",
    ),
    (3 * Gaussian(2), True, "3 * Gaussian(width=2)"),
    (Gaussian(2) * 0.5, True, "0.5 * Gaussian(width=2)"),
    (2 * Epanechnikov(1), False, "2 * Epanechnikov(width=1)"),
    (0 * Epanechnikov(1), True, "0 * Epanechnikov(width=1)"),
    (-1 * Gaussian(2), None, "-1 * Gaussian(width=2)"),
    ((Linear() + Constant(1)) ** 3, True, "(Linear + Constant(value=1))^3"),
    (Epanechnikov(2) ** 1, False, "Epanechnikov(width=2)^1"),
    (Epanechnikov(2) ** 2, None, "Epanechnikov(width=2)^2"),
    (Gaussian(1).on([0, 2]), True, "Gaussian(width=1) on columns 0, 2"),
    (Linear().on(4), True, "Linear on column 4"),
    (
        Gaussian(1).on([0, 1]) + Linear().on(5),
        True,
        "Gaussian(width=1) on columns 0, 1 + Linear on column 5",
    ),
    ((Gaussian(1) + Linear()).on([0, 1]), True, "(Gaussian(width=1) + Linear) on columns 0, 1"),
    (2 * Gaussian(1).on([0, 1]) ** 2, True, "2 * (Gaussian(width=1) on columns 0, 1)^2"),
    (
        Polynomial(2).on(Window((2, 3), 0, 1, 2, 2)),
        True,
        "Polynomial(degree=2, offset=1) on rows 0-1, columns 1-2",
    ),
    (Gaussian(1).on([0]).on([4, 5]), True, "(Gaussian(width=1) on column 0) on columns 4, 5"),
    (Gaussian((0.1, INF)).on([0, 1]).named("vertical"), True, "vertical"),
    (Gaussian().named("near") * Linear(), True, "near * Linear"),
    (
        Gaussian(1).on(NAMES).bind(NAMES) * Linear().on("p1").bind(NAMES),
        True,
        "(Gaussian(width=1) on g1, g2, g3, p1, p2, … (6)) * (Linear on p1)",
    ),
]
every_kernel = pytest.mark.parametrize("row", KERNELS, ids=lambda row: row[2])


def gram(kernel: Kernel, points=X):
    return kernel(points, points)


def smallest(matrix) -> float:
    """Return the smallest eigenvalue as a part of the largest."""
    values = np.linalg.eigvalsh(matrix)
    return values[0] / max(np.abs(values).max(), 1e-300)


# The laws


@every_kernel
def test_every_kernel_obeys_the_laws(row):
    kernel, positive, name = row
    K = gram(kernel)
    assert K.shape == (30, 30)
    assert K.dtype == np.float64
    assert np.isfinite(K).all()
    scale = np.abs(K).max()
    np.testing.assert_allclose(K, K.T, atol=1e-13 * scale)
    np.testing.assert_allclose(kernel(X, Z), kernel(Z, X).T, atol=1e-13 * scale)
    np.testing.assert_allclose(kernel.diagonal(X), np.diagonal(K), rtol=1e-12, atol=1e-12)
    assert kernel.positive is positive
    if positive:
        assert smallest(K) >= -1e-10
    assert kernel.name == str(kernel) == name


@every_kernel
def test_every_kernel_is_a_value(row):
    kernel = row[0]
    for twin in (pickle.loads(pickle.dumps(kernel)), copy.deepcopy(kernel)):
        np.testing.assert_array_equal(twin(X, Z), kernel(X, Z))
        assert twin.name == kernel.name
        if "RBF" not in row[2]:  # scikit-learn's own kernels have no hash
            assert twin == kernel
            assert hash(twin) == hash(kernel)
            assert len({twin, kernel, kernel.named("other")}) == 2
    assert kernel != kernel.named("other")


@every_kernel
def test_every_kernel_compares_nothing_with_nothing(row):
    kernel = row[0]
    assert kernel(X[:0], Z).shape == (0, 20)
    assert kernel(X, Z[:0]).shape == (30, 0)
    assert kernel.diagonal(X[:0]).shape == (0,)


@every_kernel
def test_every_kernel_is_measured_when_not_known(row):
    kernel, positive, _ = row
    expected = positive if positive is not None else smallest(gram(kernel)) >= -1e-10
    assert is_positive(kernel, X) == expected


@pytest.mark.parametrize(
    "kernel", [Polynomial(2, -0.5), Epanechnikov(1), Constant(-1), Pairwise("sigmoid", coef0=0.0)]
)
def test_what_is_said_not_to_be_positive_has_a_negative_eigenvalue_somewhere(kernel):
    assert kernel.positive is False
    line = np.linspace(-3, 3, 60).reshape(-1, 1)
    assert smallest(gram(kernel, line)) < -1e-6


def test_an_asymmetric_function_is_not_positive():
    assert not is_positive(Function(lambda A, B: A @ np.triu(np.ones((6, 6))) @ B.T), X)
    with pytest.raises(InvalidInputError, match="tol is -1"):
        is_positive(Linear(), X, tol=-1)


def test_the_parameters_show():
    assert repr(Gaussian(0.5)) == "Gaussian(width=0.5)"
    assert repr(Gaussian(1).on("a") + Linear()) == (
        "Sum(parts=(On(kernel=Gaussian(width=1.0), block=Columns(items=('a',))), Linear()))"
    )
    assert repr(Pairwise("chi2", gamma=0.5)) == "Pairwise('chi2', gamma=0.5)"
    assert Gaussian(1) == Gaussian(np.float32(1.0)) != Laplacian(1)
    assert Gaussian([1, 2]) == Gaussian(np.array([1.0, 2.0]))
    assert Gaussian(1).on(["b"]).bind(["a", "b"]) == Gaussian(1).on(1)


def test_the_public_names_are_there():
    assert all(hasattr(chemin.kernels, name) for name in chemin.kernels.__all__)


# The values


@pytest.mark.parametrize(
    ("kernel", "expected"),
    [
        (Linear(), pairwise.linear_kernel(X, Z)),
        (Polynomial(1, 2), pairwise.polynomial_kernel(X, Z, degree=1, gamma=1, coef0=2)),
        (Polynomial(3, 1), pairwise.polynomial_kernel(X, Z, degree=3, gamma=1, coef0=1)),
        (Polynomial(6, 0), pairwise.polynomial_kernel(X, Z, degree=6, gamma=1, coef0=0)),
        (Gaussian(0.7), pairwise.rbf_kernel(X, Z, gamma=0.5 / 0.7**2)),
        (
            Gaussian([2, 1, INF, 1, 1, 1]),
            pairwise.rbf_kernel(X * [0.5, 1, 0, 1, 1, 1], Z * [0.5, 1, 0, 1, 1, 1], 0.5),
        ),
        (Laplacian(0.7), pairwise.laplacian_kernel(X, Z, gamma=1 / 0.7)),
        (Epanechnikov(3), np.maximum(0, 1 - pairwise.euclidean_distances(X, Z, squared=True) / 9)),
        (Pairwise("sigmoid", gamma=0.2), pairwise.sigmoid_kernel(X, Z, gamma=0.2)),
        (as_kernel("cosine"), pairwise.cosine_similarity(X, Z)),
        (as_kernel(cosine_plus_one), pairwise.cosine_similarity(X, Z) + 1),
    ],
    ids=str,
)
def test_values_agree_with_scikit_learn(kernel, expected):
    np.testing.assert_allclose(kernel(X, Z), expected, rtol=1e-12, atol=1e-12)
    assert as_kernel(kernel) is kernel


@pytest.mark.parametrize(
    "kernel", [Linear(), Polynomial(3), Gaussian(0.7), Laplacian(2), Epanechnikov(3)], ids=str
)
@pytest.mark.parametrize("entries", [1, 1 << 16], ids=["many", "few"])
def test_sparse_points_give_the_same_values(kernel, entries, monkeypatch):
    monkeypatch.setattr(arithmetic, "_ENTRIES", entries)  # below which sparse points are made dense
    few = np.where(np.abs(X) > 1, X, 0), np.where(np.abs(Z) > 1, Z, 0)
    expected = kernel(*few)
    for left, right in (
        (sparse.csr_array(few[0]), sparse.coo_array(few[1])),
        (sparse.csc_matrix(few[0]), few[1]),
    ):
        np.testing.assert_allclose(kernel(left, right), expected, rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(kernel.diagonal(left), kernel.diagonal(few[0]))
        np.testing.assert_allclose(
            kernel.on([0, 3])(left, right), kernel.on([0, 3])(*few), rtol=1e-12, atol=1e-12
        )


def test_equal_points_are_exactly_alike_wherever_they_are():
    for shift in (0.0, 1e3, 1e8, -1e12):
        points = X + shift
        values = Gaussian(0.01)(points, points[::-1].copy())
        assert (np.diagonal(values[:, ::-1]) == 1.0).all()
        assert values[3, ::-1][7] == 1.0


@pytest.mark.parametrize("kernel", [Gaussian(0.3), Epanechnikov(0.3), Laplacian(0.3)], ids=str)
def test_near_points_far_from_the_origin_keep_their_digits(kernel):
    # Multiples of 2^-10 stay exact when shifted, so the shift may change nothing.
    near = np.round(X[:, :2] * 256) / 1024
    np.testing.assert_allclose(gram(kernel, near + 2.0**30), gram(kernel, near), atol=1e-12)
    far = np.vstack([near, near + 2.0**20])
    np.testing.assert_allclose(gram(kernel, far)[30:, 30:], gram(kernel, near), atol=1e-9)


def test_many_close_pairs_are_right_too():
    points = np.repeat(RNG.normal(size=(20, 300)), 15, axis=0) + 1e-9 * RNG.normal(size=(300, 300))
    expected = np.exp(
        -0.5 * ((points[:, None, :60] - points[None, :, :60]) ** 2).sum(axis=2) / 1e-14
    )
    np.testing.assert_allclose(Gaussian(1e-7)(points[:, :60], points[:, :60]), expected, rtol=1e-12)
    assert (Gaussian(1e-7).diagonal(points) == 1).all()


def test_a_vertical_kernel_sees_the_horizontal_distance_only():
    vertical = Gaussian(width=(0.5, INF)).named("vertical")
    np.testing.assert_allclose(
        vertical(X[:, :2], Z[:, :2]), Gaussian(0.5)(X[:, :1], Z[:, :1]), rtol=1e-12
    )


def test_scikit_learn_takes_a_kernel_as_it_is():
    y = (X[:, 0] > 0).astype(int)
    expected = SVC(kernel="rbf", gamma=0.5).fit(X, y).decision_function(Z)
    np.testing.assert_allclose(
        SVC(kernel=Gaussian(1)).fit(X, y).decision_function(Z), expected, atol=1e-10
    )


# The algebra


def test_operations_on_kernels_are_operations_on_matrices():
    k1, k2 = Gaussian(0.8), Polynomial(2, 1)
    a, b = k1(X, Z), k2(X, Z)
    for kernel, expected in [
        (k1 + k2, a + b),
        (k1 + k2 + k1, a + b + a),
        (k1 * k2, a * b),
        (2.5 * k1, 2.5 * a),
        (np.float64(2.5) * k1, 2.5 * a),
        (k1 * 3, 3 * a),
        (k2**5, b**5),
        ((k1 + 2 * k2) ** 2 * k1, (a + 2 * b) ** 2 * a),
    ]:
        np.testing.assert_allclose(kernel(X, Z), expected, rtol=1e-13)


def test_a_sum_of_sums_is_one_sum():
    k1, k2, k3 = Gaussian(1), Linear(), Constant(2)
    assert (k1 + k2) + k3 == k1 + (k2 + k3) == Sum((k1, k2, k3))
    assert (k1 * k2) * k3 == k1 * (k2 * k3) == Product([k1, k2, k3])
    assert k1 + k2 != k1 * k2


def test_a_kernel_adds_to_kernels_only():
    for wrong in (
        lambda: Linear() + 1,
        lambda: Linear() + "rbf",
        lambda: Linear() * "rbf",
        lambda: [1] * Linear(),
    ):
        with pytest.raises(TypeError):
            wrong()


def test_a_power_does_not_write_into_the_matrix_of_a_function():
    kept = X @ Z.T
    before = kept.copy()
    for kernel in (Function(lambda A, B: kept) ** 3, Function(lambda A, B: kept) + Linear()):
        kernel(X, Z)
    np.testing.assert_array_equal(kept, before)


points = st.integers(1, 4).flatmap(
    lambda p: st.lists(
        st.lists(st.integers(-8, 8).map(lambda i: i / 4), min_size=p, max_size=p),
        min_size=1,
        max_size=8,
    )
)
elementary = st.one_of(
    st.floats(0.1, 10).map(Gaussian),
    st.floats(0.1, 10).map(Laplacian),
    st.just(Linear()),
    st.builds(Polynomial, st.integers(1, 4), st.floats(0, 3)),
    st.floats(0, 3).map(Constant),
)
composed = st.recursive(
    elementary,
    lambda kernels: st.one_of(
        st.builds(lambda a, b: a + b, kernels, kernels),
        st.builds(lambda a, b: a * b, kernels, kernels),
        st.builds(lambda a, c: c * a, kernels, st.floats(0, 5)),
        st.builds(lambda a, d: a**d, kernels, st.integers(1, 3)),
        st.builds(lambda a: a.on(0), kernels),
    ),
    max_leaves=4,
)


@given(points, composed)
@settings(max_examples=60, deadline=None)
def test_whatever_positive_kernels_make_is_positive(rows, kernel):
    assert kernel.positive is True
    table = np.array(rows)
    K = gram(kernel, table)
    assert smallest(K) >= -1e-10
    np.testing.assert_allclose(kernel.diagonal(table), np.diagonal(K), rtol=1e-10, atol=1e-300)
    assert pickle.loads(pickle.dumps(kernel)) == kernel


@given(points, st.floats(0.05, 20))
@settings(max_examples=60, deadline=None)
def test_a_gaussian_is_its_formula(rows, width):
    table = np.array(rows)
    expected = np.exp(-0.5 * (((table[:, None] - table[None]) / width) ** 2).sum(axis=2))
    np.testing.assert_allclose(gram(Gaussian(width), table), expected, atol=1e-12)


# Columns and windows


@pytest.mark.parametrize(
    "inner", [Gaussian(0.7), Linear(), Polynomial(2), Function(cosine_plus_one)], ids=str
)
def test_a_restriction_is_a_slice(inner):
    image = Window((2, 3), top=0, left=1, height=2, width=2)
    for columns, index in (
        ([1, 4], [1, 4]),
        (3, [3]),
        (np.array([5, 0]), [5, 0]),
        (image, [1, 2, 4, 5]),
    ):
        kernel = inner.on(columns)
        np.testing.assert_allclose(
            kernel(X, Z), inner(X[:, index], Z[:, index]), rtol=1e-13, atol=1e-14
        )
        np.testing.assert_allclose(kernel.diagonal(X), inner.diagonal(X[:, index]), rtol=1e-13)
        assert kernel.columns_needed == tuple(index)


def test_names_are_found_in_frames_and_by_binding():
    kernel = Gaussian(1).on(["g1", "p2"]) + Linear().on("p1") * Constant(2)
    expected = Gaussian(1)(X[:, [0, 4]], Z[:, [0, 4]]) + 2 * Linear()(X[:, [3]], Z[:, [3]])
    bound = kernel.bind(np.array(NAMES))
    assert (
        bound.name
        == kernel.name
        == "Gaussian(width=1) on g1, p2 + (Linear on p1) * Constant(value=2)"
    )
    assert kernel.columns_needed == ("g1", "p2", "p1")
    assert bound.columns_needed == (0, 4, 3)
    np.testing.assert_allclose(bound(X, Z), expected, rtol=1e-14)
    for frame in (
        lambda data: pd.DataFrame(data, columns=NAMES),
        lambda data: pl.DataFrame(data, schema=NAMES),
    ):
        np.testing.assert_allclose(kernel(frame(X), frame(Z)), expected, rtol=1e-14)
        np.testing.assert_allclose(bound(frame(X), frame(Z)), expected, rtol=1e-14)
        np.testing.assert_allclose(kernel.diagonal(frame(X)), kernel.bind(NAMES).diagonal(X))
        np.testing.assert_allclose(Gaussian(1)(frame(X), Z), Gaussian(1)(X, Z))
        np.testing.assert_allclose(
            Function(cosine_plus_one)(frame(X), frame(Z)), cosine_plus_one(X, Z)
        )
    reordered = pd.DataFrame(Z, columns=NAMES)[["p1", "p2", "g1", "g2"]]
    np.testing.assert_allclose(
        kernel(pd.DataFrame(X, columns=NAMES), reordered), expected, rtol=1e-14
    )


def test_names_within_names_are_those_of_the_block():
    kernel = (Gaussian(1).on("p1") + Linear().on(1)).on(["g3", "p1"])
    expected = Gaussian(1)(X[:, [3]], Z[:, [3]]) + Linear()(X[:, [3]], Z[:, [3]])
    np.testing.assert_allclose(kernel.bind(NAMES)(X, Z), expected)
    np.testing.assert_allclose(
        kernel(pd.DataFrame(X, columns=NAMES), pd.DataFrame(Z, columns=NAMES)), expected
    )


def test_which_columns_are_needed():
    assert Linear().columns_needed is None
    assert (Linear() + Gaussian().on(1)).columns_needed is None
    assert Constant(1).columns_needed == ()
    assert (2 * (Gaussian().on([2, 1]) ** 2 + Linear().on([1, 0]))).named("k").columns_needed == (
        2,
        1,
        0,
    )


def test_a_table_may_mix_numbers_and_text():
    def same(A, B):
        return [[float(a == b) for b in B] for a in A]

    kernel = Gaussian(1).on(["age", "member"]) + Function(same).on("city")
    ages, cities, members = [30.0, 40.0, 31.0], ["Rouen", "Paris", "Rouen"], [True, False, True]
    expected = Gaussian(1)(np.c_[ages, members], np.c_[ages, members]) + np.equal.outer(
        cities, cities
    )
    for library in (pd, pl):
        frame = library.DataFrame({"city": cities, "age": ages, "member": members})
        np.testing.assert_allclose(kernel(frame, frame), expected)
        with pytest.raises(
            InvalidInputError, match=r"columns city are not numbers.*\.on\(columns\)"
        ):
            Gaussian(1)(frame, frame)


def test_a_window_knows_its_pixels_and_its_name():
    window = Window((28, 28), top=3, left=6, height=7, width=7)
    picture = np.arange(784).reshape(28, 28)
    assert window.indices.tolist() == picture[3:10, 6:13].ravel().tolist()
    assert str(window) == "rows 3-9, columns 6-12"
    assert (
        Polynomial(3).on(window).name == "Polynomial(degree=3, offset=1) on rows 3-9, columns 6-12"
    )
    assert Polynomial(3).on(window).bind([f"pixel {i}" for i in range(784)]) == Polynomial(3).on(
        window
    )
    assert pickle.loads(pickle.dumps(window)) == window


# Known matrices, texts and graphs


def test_a_precomputed_kernel_reads_its_matrix():
    matrix = gram(Gaussian(1))
    kernel = Precomputed(matrix)
    np.testing.assert_array_equal(kernel(ROWS[5:], ROWS[:3]), matrix[5:, :3])
    np.testing.assert_array_equal(kernel.diagonal(ROWS), np.ones(30))
    np.testing.assert_array_equal((2 * kernel + Linear())(ROWS, ROWS), 2 * matrix + ROWS @ ROWS.T)
    assert kernel.positive is None
    assert is_positive(kernel, ROWS)
    assert not is_positive(Precomputed([[0.0, 1.0], [1.0, 0.0]]), ROWS[:2])
    assert (
        copy.deepcopy(kernel)
        == pickle.loads(pickle.dumps(kernel))
        == kernel
        != Precomputed(matrix + 1)
    )
    assert hash(pickle.loads(pickle.dumps(kernel))) == hash(kernel)
    assert Precomputed(sparse.eye_array(3)) == Precomputed(np.eye(3))
    matrix[0, 0] = 7.0
    assert kernel([[0]], [[0]]) == 1.0
    assert repr(kernel) == kernel.name == "Precomputed(30 × 30)"


@pytest.mark.parametrize(
    ("kernel", "library"), [(Strings(), "strkernels"), (Graphs(), "grakel")], ids=repr
)
def test_a_missing_library_is_named(kernel, library, monkeypatch):
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(MissingLibraryError, match=f"pip install {library}"):
        kernel(["a"], ["b"])


def test_texts_are_compared_by_strkernels():
    pytest.importorskip("strkernels")
    words = ["ATCGGATTA", "ATGGCCAATT", "TACGTTAGAC", "AAAAAAA"]
    kernel = Strings("Subsequence", maxlen=3, ssk_lambda=0.5)
    K = kernel(words, words)
    np.testing.assert_allclose(kernel(words, words[2:]), K[:, 2:])
    np.testing.assert_allclose(kernel.diagonal(words), 1.0)
    assert is_positive(kernel, words)
    assert kernel.name == "Subsequence(maxlen=3, ssk_lambda=0.5)"
    frame = pd.DataFrame({"word": words, "length": [9.0, 10.0, 10.0, 7.0]})
    both = kernel.on("word") + Gaussian(1).on("length")
    np.testing.assert_allclose(
        both(frame, frame), K + Gaussian(1)(frame[["length"]], frame[["length"]])
    )
    with pytest.raises(InvalidInputError, match="compares texts"):
        kernel(X, X)
    with pytest.raises(InvalidInputError, match="strkernels has no kernel 'NoStringKernel'"):
        Strings("No")(words, words)


def test_graphs_are_compared_by_grakel():
    grakel = pytest.importorskip("grakel")
    labels = [{0: "a", 1: "b", 2: "a"}, {0: "a", 1: "b"}, {0: "a", 1: "b", 2: "c"}]
    edges = [{0: [1], 1: [0, 2], 2: [1]}, {0: [1], 1: [0]}, {0: [1], 1: [0, 2], 2: [1]}]
    graphs = [
        grakel.Graph(edge, node_labels=label) for edge, label in zip(edges, labels, strict=True)
    ]
    for kernel in (Graphs(), Graphs("ShortestPath", normalize=True)):
        K = kernel(graphs, graphs)
        np.testing.assert_allclose(kernel(graphs, graphs[1:]), K[:, 1:])
        np.testing.assert_allclose(kernel(graphs[:1], graphs), K[:1])
        np.testing.assert_allclose(kernel.diagonal(graphs), np.diagonal(K))
        assert is_positive(kernel, graphs)


# Families


def test_families_have_one_kernel_per_width_pair_or_window():
    assert widths([0.5, 2]) == (Gaussian(0.5), Gaussian(2))
    assert widths([(1, INF), (INF, 1)], Laplacian) == (Laplacian((1, INF)), Laplacian((INF, 1)))
    six = pairs_of(4, Gaussian(1))
    assert [kernel.columns_needed for kernel in six] == [
        (0, 1),
        (0, 2),
        (0, 3),
        (1, 2),
        (1, 3),
        (2, 3),
    ]
    assert pairs_of(np.int64(4), Gaussian(1)) == six
    assert pairs_of(["a", "b"], Linear()) == (Linear().on(["a", "b"]),)
    assert len(windows((28, 28), 7, 3, Linear())) == 64
    thesis = windows((28, 28), 7, 3, Polynomial(3), positions=7)
    assert len(thesis) == 49
    assert sorted({kernel.block.top for kernel in thesis}) == [0, 3, 6, 9, 12, 15, 18]
    assert [
        str(kernel.block) for kernel in windows((4, 6), (2, 3), (2, 3), Linear(), positions=(1, 2))
    ] == [
        "rows 0-1, columns 0-2",
        "rows 0-1, columns 3-5",
    ]
    images = RNG.random((5, 784))
    window = images.reshape(5, 28, 28)[:, 3:10, 0:7].reshape(5, 49)
    np.testing.assert_allclose(gram(thesis[7], images), gram(Polynomial(3), window), rtol=1e-13)


def test_the_median_heuristic_is_the_median_distance_of_different_points():
    distance = pdist(X)
    assert median_heuristic(X) == pytest.approx(np.median(distance[distance > 0]), rel=1e-12)
    assert median_heuristic(pd.DataFrame(X)) == median_heuristic(X)
    drawn = median_heuristic(np.repeat(X, 3, axis=0), sample=40, random_state=0)
    assert (
        drawn
        == median_heuristic(np.repeat(X, 3, axis=0), sample=40, random_state=0)
        != median_heuristic(X)
    )
    assert Gaussian(median_heuristic(X)).width == median_heuristic(X)


# What is refused

FRAME = pd.DataFrame(X, columns=NAMES)
REFUSED = [
    (lambda: Gaussian(0), "width is 0: pass one number > 0"),
    (lambda: Gaussian(-1), "width is -1"),
    (lambda: Laplacian(math.nan), "width is nan"),
    (lambda: Epanechnikov([1, 0]), r"width is \[1, 0\]"),
    (lambda: Gaussian(INF), "not all of them"),
    (lambda: Gaussian("wide"), "width is 'wide'"),
    (lambda: Gaussian([]), r"width is \[\]"),
    (lambda: Gaussian([1, 2])(X, Z), "width has 2 values and X has 6 columns"),
    (lambda: Polynomial(0), "degree is 0: pass a whole number, 1, 2, 3"),
    (lambda: Polynomial(2.5), "degree is 2.5"),
    (lambda: Polynomial(2, math.nan), "offset is nan: pass a finite number"),
    (lambda: Polynomial(9)(X * 1e50, Z), "too large for a float: scale"),
    (lambda: Linear() ** 0, "the degree of a power of a kernel is 0"),
    (lambda: Linear() ** 0.5, "is 0.5: pass a whole number"),
    (lambda: INF * Linear(), "a factor of a kernel is inf"),
    (lambda: Constant(None), "value is None"),
    (lambda: Sum(()), "pass at least one kernel"),
    (lambda: Product((Linear(), 3)), "Product joins kernels"),
    (lambda: Linear()(X, Z[:, :5]), "X has 6 columns and Z has 5"),
    (lambda: Linear().on(0)(X, Z[:, :5]), "X has 6 columns and Z has 5"),
    (lambda: Linear()(FRAME, FRAME[NAMES[::-1]]), "select them in the same order"),
    (lambda: Linear()(X[0], Z), r"X is 1-D, of shape \(6,\).*reshape"),
    (lambda: Linear()([[1, 2], [3]], Z), "give all rows the same length"),
    (lambda: Linear()(np.where(X > 2, np.nan, X), Z), "NaN or infinite entries: impute"),
    (lambda: Linear()([["a", "b"]], [["a", "b"]]), "X is not numbers but <U1: encode"),
    (
        lambda: Linear()(np.array([["a", 1.0]], dtype=object), [[1, 1]]),
        "entries that are not numbers",
    ),
    (lambda: Linear().on([]), "list at least one column"),
    (lambda: Linear().on([1, 1]), "listed twice"),
    (lambda: Linear().on([-1]), "-1 is not a column: pass names, or positions"),
    (lambda: Linear().on([True, False]), "np.flatnonzero"),
    (lambda: Linear().on([1.5]), "1.5 is not a column"),
    (
        lambda: Linear().on(6)(X, Z),
        "there is no column 6: X has 6 columns, pass positions from 0 to 5",
    ),
    (lambda: Linear().on(9).bind(NAMES), "there is no column 9"),
    (lambda: Linear().on("g1")(X, Z), "X has no column names.*bind"),
    (lambda: Linear().on("gg1")(FRAME, FRAME), "there is no column 'gg1': did you mean 'g1'"),
    (lambda: (Linear() + Gaussian().on("p11")).bind(NAMES), "did you mean 'p1'"),
    (lambda: Linear().on("weight").bind(NAMES), r"the columns are g1, g2, g3, p1, p2, … \(6\)"),
    (lambda: Window((28, 28), 22, 0, 7, 7), "rows 22 to 28 is not inside an image of 28 × 28"),
    (lambda: Window((28, 28), 0, -1, 7, 7), "left is -1: pass a whole number, 0, 1, 2"),
    (lambda: Window((28, 28), 0, 0, 0, 7), "height is 0: pass a whole number, 1, 2, 3"),
    (lambda: Window((28, 28), 0.5, 0, 7, 7), "top is 0.5"),
    (
        lambda: Window((28, 28, 3), 0, 0, 7, 7),
        "the shape of the image is .*, or two, for rows and columns",
    ),
    (
        lambda: Linear().on(Window((2, 2), 0, 0, 1, 1))(X, Z),
        "X has 6 columns, but an image of 2 × 2 pixels has 4",
    ),
    (lambda: Linear().on(Window((2, 2), 0, 0, 1, 1)).bind(NAMES), "flatten each image"),
    (lambda: Pairwise("rfb"), "no pairwise kernel 'rfb': pass one of additive_chi2"),
    (lambda: Pairwise("rbf", width=1), "no parameter 'width': it takes gamma"),
    (lambda: Pairwise("linear", gamma=1), "no parameter 'gamma'"),
    (lambda: Pairwise("rbf", gamma=-0.1)(X, Z), "scikit-learn cannot compute rbf"),
    (lambda: Pairwise("chi2")(X, Z), "scikit-learn cannot compute chi2: .*negative"),
    (lambda: Function("rbf"), "'rbf' cannot be called"),
    (
        lambda: Function(lambda A, B: A, "wrong")(X, Z),
        r"wrong returns shape \(30, 6\) instead of \(30, 20\): return one row",
    ),
    (
        lambda: Function(lambda A, B: np.full((30, 20), np.nan), "holes")(X, Z),
        "holes returns NaN or infinite values",
    ),
    (lambda: Function(lambda A, B: "no", "text")(X, Z), "text does not return a matrix"),
    (lambda: Precomputed(X), r"square, and this one has shape \(30, 6\)"),
    (
        lambda: Precomputed([[1.0, 2.0], [0.0, 1.0]]),
        r"not symmetric: pass \(matrix \+ matrix.T\) / 2",
    ),
    (lambda: Precomputed(np.eye(3))([[0.5]], [[0]]), "whole numbers from 0 to 2"),
    (lambda: Precomputed(np.eye(3))([[3]], [[0]]), "row numbers of its matrix"),
    (lambda: Precomputed(np.eye(3))([[-1]], [[0]]), "row numbers of its matrix"),
    (lambda: Precomputed(np.eye(3))([[0, 1]], [[0, 1]]), "pass one column"),
    (lambda: widths([]), "the family has no kernel: pass at least one width"),
    (lambda: pairs_of(1, Linear()), "pass at least two columns"),
    (lambda: pairs_of(["a", "a"], Linear()), "listed twice"),
    (lambda: pairs_of(0, Linear()), "the number of columns is 0"),
    (lambda: windows((5, 5), 7, 3, Linear()), "windows of 7 × 7 do not fit in an image of 5 × 5"),
    (lambda: windows((28, 28), 7, 0, Linear()), "stride is 0"),
    (lambda: windows((28, 28), 7, 3, Linear(), positions=9), "8 windows fit down and 8 right"),
    (lambda: median_heuristic(np.ones((5, 2))), "all points are equal"),
    (lambda: median_heuristic(X, sample=1), "sample is 1"),
]


@pytest.mark.parametrize(("call", "message"), REFUSED, ids=[message for _, message in REFUSED])
def test_what_cannot_be_is_refused_with_the_remedy(call, message):
    with pytest.raises(InvalidInputError, match=message):
        call()


def test_columns_are_values():
    assert Columns(("a", "b")) == Columns(["a", "b"])
    assert hash(Columns((np.int64(1),))) == hash(Columns((1,)))
    assert str(Columns((1,))) == "column 1"
