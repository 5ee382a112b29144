"""Claims about mixes of kernels: the least value over all mixes, proved, and a mix that can be read."""

from __future__ import annotations

import pickle
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.preprocessing import scale
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import check_estimator

from chemin import KernelBasisClassifierCV
from chemin.datasets import CHECKER_WIDTH, checker
from chemin.exceptions import InvalidInputError
from chemin.kernels import Epanechnikov, Gaussian, Linear, Polynomial, pairs_of, widths
from chemin.models.svm import MultipleKernelSVC

BOARD = checker(240)
PAIRS = pairs_of(4, Gaussian(CHECKER_WIDTH))
CANCER = load_breast_cancer()
X, Y = scale(CANCER.data)[:150], CANCER.target[:150]
SIX = (*widths([2.0, 5.0, 12.0]), Linear(), Polynomial(2), Linear().on([0, 3]))
DRAWN = np.random.default_rng(0)
FEW = DRAWN.normal(size=(26, 3))
FEW_CLASSES = np.where(FEW[:, 0] + 0.7 * DRAWN.normal(size=26) > 0.0, 1, 0)
FAMILIES = {
    "widths": widths([0.5, 1.0, 2.0]),
    "columns": tuple(Linear().on(j) for j in range(3)),
    "many": (*widths([0.3, 1.0, 3.0]), Linear(), Polynomial(2), *pairs_of(3, Gaussian(1.0))),
}


def matrices_of(kernels, X) -> list[np.ndarray]:
    """Return the matrices, each with a mean of 1 on its diagonal."""
    return [one / np.trace(one) * len(X) for one in (kernel(X, X) for kernel in kernels)]


def value_of(matrix, y, C) -> float:
    """Return the value of the SVM of one matrix, by scikit-learn."""
    machine = SVC(C=C, kernel="precomputed", tol=1e-8).fit(matrix, y)
    coef, support = machine.dual_coef_[0], machine.support_
    squared = coef @ matrix[np.ix_(support, support)] @ coef
    return float(np.abs(coef).sum() - 0.5 * squared)


def solve_with_clarabel(matrices, y, C, weight) -> float:
    """Return the least value over all mixes: max Σ α − t/2 with αᵀY K_m Yα ≤ t, as second-order cones."""
    clarabel = pytest.importorskip("clarabel", reason="pip install clarabel to compare with it")
    n = len(y)
    sign = np.where(y == np.unique(y)[1], 1.0, -1.0)
    balance = np.append(sign, 0.0)[None]
    box = np.hstack([np.vstack([np.eye(n), -np.eye(n)]), np.zeros((2 * n, 1))])
    rows = [balance, box]
    bounds = [np.zeros(1), np.r_[C * weight, np.zeros(n)]]
    cones = [clarabel.ZeroConeT(1), clarabel.NonnegativeConeT(2 * n)]
    for matrix in matrices:
        values, vectors = np.linalg.eigh(matrix)
        root = np.sqrt(np.maximum(values, 0.0))[:, None] * vectors.T * sign
        # ‖(t − 1, 2 R α)‖ ≤ t + 1
        last = np.zeros((n + 2, n + 1))
        last[:2, n] = -1.0
        last[2:, :n] = -2.0 * root
        rows.append(last)
        bounds.append(np.r_[1.0, -1.0, np.zeros(n)])
        cones.append(clarabel.SecondOrderConeT(n + 2))
    asked = clarabel.DefaultSettings()
    asked.verbose = False
    asked.tol_gap_abs = asked.tol_gap_rel = asked.tol_feas = 1e-9
    program = (
        sparse.csc_matrix((n + 1, n + 1)), np.r_[-np.ones(n), 0.5],
        sparse.csc_matrix(np.vstack(rows)), np.concatenate(bounds), cones, asked,
    )  # fmt: skip
    return -float(clarabel.DefaultSolver(*program).solve().obj_val)


# The least value


@pytest.mark.parametrize("C", [0.1, 1.0, 10.0])
@pytest.mark.parametrize("family", FAMILIES)
def test_the_value_is_that_of_a_cone_program(family, C):
    kernels = FAMILIES[family]
    weight = np.linspace(0.5, 1.5, len(FEW))
    ours = MultipleKernelSVC(kernels, C, normalize=False, tol=1e-6)
    ours.fit(FEW, FEW_CLASSES, sample_weight=weight)
    matrices = [kernel(FEW, FEW) for kernel in kernels]
    theirs = solve_with_clarabel(matrices, FEW_CLASSES, C, weight)
    assert ours.objective_ == pytest.approx(theirs, rel=1e-5)
    assert (1.0 - ours.gap_) * ours.objective_ <= theirs * (1.0 + 1e-7)
    assert ours.objective_ >= theirs * (1.0 - 1e-7)


@pytest.mark.parametrize("C", [0.1, 1.0, 10.0])
@pytest.mark.parametrize("data", ["board", "cancer"])
def test_no_other_mix_has_a_smaller_value(data, C):
    kernels, (points, y) = (PAIRS, BOARD) if data == "board" else (SIX, (X, Y))
    matrices = matrices_of(kernels, points)
    found = MultipleKernelSVC(kernels, C).fit(points, y)
    count = len(kernels)
    drawn = np.random.default_rng(0).dirichlet(np.ones(count), size=10)
    for weights in (np.full(count, 1.0 / count), *np.eye(count), *drawn):
        other = value_of(np.tensordot(weights, matrices, 1), y, C)
        assert found.objective_ <= other * (1.0 + 1e-6)
    mine = value_of(np.tensordot(found.weights_, matrices, 1), y, C)
    assert found.objective_ == pytest.approx(mine, rel=1e-4)


@pytest.mark.parametrize("tol", [1e-2, 1e-4, 1e-5])
@pytest.mark.parametrize("C", [0.1, 1.0, 10.0])
def test_the_gap_is_at_most_what_was_asked_for_and_is_true(tol, C):
    model = MultipleKernelSVC(SIX, C, tol=tol).fit(X, Y)
    assert 0.0 <= model.gap_ <= tol
    dual = np.zeros(len(Y))
    dual[model.support_] = model.dual_coef_[0]
    sign = np.where(Y == 1, 1.0, -1.0)
    assert abs(dual.sum()) < 1e-8
    assert np.all((sign * dual >= 0.0) & (sign * dual <= C * (1.0 + 1e-12)))
    sizes = np.array([dual @ matrix @ dual for matrix in matrices_of(SIX, X)])
    short = np.maximum(0.0, 1.0 - sign * model.decision_function(X))
    primal = 0.5 * model.weights_ @ sizes + C * short.sum()
    bound = np.abs(dual).sum() - 0.5 * sizes.max()
    assert model.objective_ == pytest.approx(primal, rel=1e-9)
    assert model.gap_ == pytest.approx((primal - bound) / primal, abs=1e-9)


@pytest.mark.parametrize("C", [0.1, 1.0, 10.0])
def test_kernels_of_a_mix_have_one_size_and_no_other_is_larger(C):
    """The optimality conditions: αᵀY K_m Yα is the largest one wherever d_m > 0."""
    model = MultipleKernelSVC(SIX, C, tol=1e-5).fit(X, Y)
    dual = model.dual_coef_[0]
    among = np.ix_(model.support_, model.support_)
    sizes = np.array([dual @ matrix[among] @ dual for matrix in matrices_of(SIX, X)])
    kept = model.weights_ > 1e-3
    np.testing.assert_allclose(sizes[kept], sizes.max(), rtol=1e-2)
    assert 0 < kept.sum() < len(SIX)


@pytest.mark.parametrize("C", [0.3, 3.0])
def test_one_kernel_is_the_svm_of_scikit_learn(C):
    kernel = Gaussian(3.0)
    ours = MultipleKernelSVC(kernel, C, tol=1e-6).fit(X, Y)
    theirs = SVC(C=C, gamma=1.0 / 18.0, tol=1e-8).fit(X, Y)
    assert ours.weights_.tolist() == [1.0]
    dual = np.zeros((2, len(Y)))
    dual[0, ours.support_] = ours.dual_coef_[0]
    dual[1, theirs.support_] = theirs.dual_coef_[0]
    np.testing.assert_allclose(*dual, atol=1e-5)
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-5)


def test_the_svm_of_the_mix_is_that_of_scikit_learn_with_the_mixed_kernel():
    model = MultipleKernelSVC(SIX, tol=1e-6).fit(X, Y)
    theirs = SVC(C=1.0, kernel=model.kernel_, tol=1e-8).fit(X, Y)
    np.testing.assert_allclose(model.decision_function(X), theirs.decision_function(X), atol=1e-4)


# What the mix says


@pytest.mark.parametrize("C", [0.1, 1.0])
@pytest.mark.parametrize("seed", range(3))
def test_the_right_kernel_among_noise_has_nearly_all_of_the_weight(seed, C):
    model = MultipleKernelSVC(PAIRS, C).fit(*checker(400, random_state=seed))
    assert model.weights_[0] >= (0.9 if C < 1.0 else 0.85)
    new = checker(2000, random_state=100 + seed)
    equal = SVC(C=C, kernel=sum(PAIRS[1:], PAIRS[0])).fit(*checker(400, random_state=seed))
    assert model.score(*new) > equal.score(*new)


def test_a_learned_mix_is_right_more_often_than_the_sum_and_the_kernel_basis_is_shorter_than_both():
    accuracy, right, terms = [], [], []
    for seed in range(3):
        data, new = checker(240, random_state=seed), checker(2000, random_state=100 + seed)
        equal = SVC(kernel=sum(PAIRS[1:], PAIRS[0])).fit(*data)
        mixed = MultipleKernelSVC(PAIRS).fit(*data)
        basis = KernelBasisClassifierCV(PAIRS, random_state=0).fit(*data)
        accuracy.append([model.score(*new) for model in (equal, mixed, basis)])
        couples = basis.couples_
        size = np.abs(couples["coefficient"])
        share = size[couples["kernel"] == PAIRS[0].name].sum() / size.sum()
        right.append([1.0 / 6.0, mixed.weights_[0], share])
        terms.append(
            [6 * len(equal.support_), mixed.n_kernels_ * len(mixed.support_), len(couples)]
        )
    of_sum, of_mix, of_basis = np.mean(accuracy, axis=0)
    assert min(of_mix, of_basis) > of_sum + 0.03
    assert np.min(right, axis=0)[1:].min() > 0.5
    assert np.all(4 * np.array(terms)[:, 2] < np.array(terms)[:, :2].min(axis=1))


def test_kernels_of_noise_are_left_out_exactly():
    rng = np.random.default_rng(1)
    signal = rng.normal(size=(120, 1))
    y = (np.abs(signal[:, 0]) > 0.7).astype(int)
    points = np.hstack([signal, rng.normal(size=(120, 4))])
    kernels = tuple(Gaussian(0.7).on(j) for j in range(5))
    model = MultipleKernelSVC(kernels).fit(points, y)
    assert model.weights_[0] > 0.95
    assert model.n_kernels_ == np.count_nonzero(model.weights_) < 5
    assert np.all(model.weights_ >= 0.0)
    assert model.weights_.sum() == pytest.approx(1.0, abs=1e-12)
    assert len(model.mix().kept) == model.n_kernels_ == len(model.kernel_.parts)


def test_scores_are_those_of_the_mixed_kernel():
    model = MultipleKernelSVC(SIX).fit(X, Y)
    scores = model.kernel_(X, X[model.support_]) @ model.dual_coef_[0] + model.intercept_[0]
    np.testing.assert_allclose(model.decision_function(X), scores)
    made = sum(f * kernel(X, X) for f, kernel in zip(model.mix().factors, SIX, strict=True))
    np.testing.assert_allclose(model.kernel_(X, X), made)


def test_kernels_brought_to_one_size_do_not_depend_on_their_own():
    one = MultipleKernelSVC(SIX).fit(X, Y)
    other = MultipleKernelSVC([1e3 * SIX[0], *SIX[1:5], 1e-3 * SIX[5]]).fit(X, Y)
    np.testing.assert_allclose(one.weights_, other.weights_, atol=1e-3)
    raw = MultipleKernelSVC([SIX[0], 1e3 * SIX[1]], normalize=False).fit(X, Y)
    assert raw.weights_[1] == 1.0  # whichever is the largest is cheapest


def test_a_mix_is_read_as_words_a_table_and_a_picture():
    pytest.importorskip("pandas")
    plt = pytest.importorskip("matplotlib.pyplot")
    mix = MultipleKernelSVC(PAIRS).fit(*BOARD).mix()
    frame = mix.frame()
    assert frame["kernel"][0] == PAIRS[0].name
    assert frame["weight"].is_monotonic_decreasing
    assert str(mix).startswith(f"{len(mix.kept)} of 6 kernels kept: {PAIRS[0].name} 0.")
    assert len(mix.plot().patches) == 6
    many = MultipleKernelSVC([*PAIRS, *(Linear().on(j % 4) for j in range(30))]).fit(*BOARD)
    assert [label.get_text() for label in many.mix().plot().get_yticklabels()][-1].startswith(
        "and 6"
    )
    plt.close("all")


def test_columns_are_named_in_kernels_and_in_the_mix():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(BOARD[0], columns=["a", "b", "c", "d"])
    model = MultipleKernelSVC(pairs_of(list("abcd"), Gaussian(CHECKER_WIDTH)))
    model.fit(frame, BOARD[1])
    assert model.mix().frame()["kernel"][0].endswith("on a, b")
    by_position = MultipleKernelSVC(PAIRS).fit(*BOARD)
    np.testing.assert_allclose(model.weights_, by_position.weights_)
    np.testing.assert_allclose(
        model.decision_function(frame), by_position.decision_function(BOARD[0])
    )


# What must not matter


@settings(max_examples=12, deadline=None)
@given(seed=st.integers(0, 10_000))
def test_a_weight_is_a_number_of_rows(seed):
    weight = np.random.default_rng(seed).integers(0, 3, len(FEW))
    rows = np.repeat(np.arange(len(FEW)), weight)
    one = MultipleKernelSVC().fit(FEW, FEW_CLASSES, sample_weight=weight)
    other = MultipleKernelSVC().fit(FEW[rows], FEW_CLASSES[rows])
    np.testing.assert_array_equal(one.weights_, other.weights_)
    np.testing.assert_allclose(one.decision_function(FEW), other.decision_function(FEW))
    assert np.all(weight[one.support_] > 0)


def test_neither_order_nor_names_of_rows_and_classes_matter():
    model = MultipleKernelSVC(SIX).fit(X, Y)
    order = np.random.default_rng(0).permutation(len(Y))
    moved = MultipleKernelSVC(SIX).fit(X[order], Y[order])
    np.testing.assert_array_equal(model.weights_, moved.weights_)
    named = MultipleKernelSVC(SIX).fit(X, np.array(["no", "yes"])[Y])
    np.testing.assert_array_equal(model.weights_, named.weights_)
    turned = MultipleKernelSVC(SIX, tol=1e-5).fit(X, 1 - Y)
    np.testing.assert_allclose(turned.decision_function(X), -model.decision_function(X), atol=0.02)


# Manners


@pytest.mark.parametrize("kernels", [None, [Gaussian(1.0), Linear()]], ids=["default", "given"])
def test_every_check_of_scikit_learn_passes(kernels):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the checks fit hostile data on purpose
        results = check_estimator(MultipleKernelSVC(kernels), on_fail=None, on_skip=None)
    assert not [(r["check_name"], r["exception"]) for r in results if r["status"] == "failed"]


def test_by_default_there_are_gaussians_of_several_widths():
    iris, y = load_iris(return_X_y=True)
    model = MultipleKernelSVC().fit(scale(iris)[50:], y[50:])
    assert len(model.kernels_) == 4 + 2 * 6
    assert model.score(scale(iris)[50:], y[50:]) > 0.94


def test_a_model_is_cloned_and_pickled():
    model = MultipleKernelSVC(SIX, 2.0, normalize=False, tol=1e-3).fit(X, Y)
    assert clone(model).get_params() == model.get_params()
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.decision_function(X), model.decision_function(X))


def test_a_gap_that_is_not_reached_is_told():
    with pytest.warns(ConvergenceWarning, match="relative duality gap is"):
        model = MultipleKernelSVC(SIX, 10.0, max_iter=1).fit(X, Y)
    assert model.gap_ > model.tol


@pytest.mark.parametrize(
    "wrong",
    [
        {"C": 0.0}, {"C": "1"}, {"C": np.nan}, {"tol": 0.0}, {"tol": True}, {"max_iter": 0}, {"max_iter": 1.5},
        {"normalize": "yes"}, {"kernels": []}, {"kernels": Gaussian},
    ],
)  # fmt: skip
def test_wrong_parameters_name_the_remedy(wrong):
    with pytest.raises(InvalidInputError, match="pass"):
        MultipleKernelSVC(**wrong).fit(X, Y)


def test_wrong_data_and_kernels_name_the_remedy():
    with pytest.raises(InvalidInputError, match="not positive semi-definite"):
        MultipleKernelSVC([Gaussian(), Epanechnikov()]).fit(X, Y)
    with pytest.raises(InvalidInputError, match="not positive semi-definite"):
        MultipleKernelSVC(lambda A, B: -(A @ B.T)).fit(X, Y)
    with pytest.raises(InvalidInputError, match="all rows of one class weigh 0"):
        MultipleKernelSVC().fit(X, Y, sample_weight=Y)
    with pytest.raises(InvalidInputError, match="OneVsRest"):
        MultipleKernelSVC().fit(X, np.arange(len(Y)) % 3)
    with pytest.raises(NotFittedError):
        MultipleKernelSVC().mix()
