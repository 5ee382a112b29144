"""Claims about the basis of couples: its lazy columns, its centres, and the classifiers that stand on it."""

from __future__ import annotations

import itertools
import warnings
from dataclasses import dataclass

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.utils.estimator_checks import check_estimator

import chemin
from chemin.datasets import toydata1
from chemin.dictionaries import (
    DenseDictionary,
    JoinedDictionary,
    KernelDictionary,
    SparseDictionary,
)
from chemin.estimators import Centers, KernelBasisClassifier, KernelBasisClassifierCV
from chemin.estimators.centers import distinct
from chemin.exceptions import InvalidInputError
from chemin.exploration.groups.medoids import medoids
from chemin.kernels import (
    Epanechnikov,
    Function,
    Gaussian,
    Kernel,
    Linear,
    Polynomial,
    Window,
    pairs_of,
    widths,
)

KERNELS = (Gaussian(0.7), Polynomial(2).on([1, 2]), Linear())
rng = np.random.default_rng(0)
POINTS, CENTERS = rng.standard_normal((25, 3)), rng.standard_normal((7, 3))
WHOLE = np.hstack([kernel(POINTS, CENTERS) for kernel in KERNELS])
SCALE = rng.uniform(0.5, 2.0, WHOLE.shape[1])


@pytest.mark.parametrize("scale", [None, SCALE], ids=["as they are", "scaled"])
@pytest.mark.parametrize("n_held", [0, 2])
def test_lazy_columns_are_those_of_the_whole_matrix(scale, n_held, monkeypatch):
    monkeypatch.setattr("chemin.dictionaries.kernel._TILE", 60)  # two centres at a time
    expected = DenseDictionary(WHOLE if scale is None else WHOLE / scale)
    held = {k: expected.data[:, 7 * k : 7 * k + 7] for k in range(n_held)}
    lazy = KernelDictionary(POINTS, CENTERS, KERNELS, scale, held=held)
    index = np.array([20, 3, 8, 3, 13])
    u, coef = rng.standard_normal((25, 2)), sparse.random_array((21, 4), density=0.2, rng=rng)
    assert lazy.shape == expected.shape
    for ask in (
        lambda d: d.columns(index), lambda d: d.correlations(u), lambda d: d.correlations(u[:, 0]),
        lambda d: d.scores(coef.toarray()), lambda d: d.scores(coef), lambda d: d.scores(coef.toarray()[:, 0]),
        lambda d: d.column_norms(), lambda d: d.column_ranges(), lambda d: d.row_norms(),
    ):  # fmt: skip
        np.testing.assert_allclose(ask(lazy), ask(expected), atol=1e-12)


DENSE = rng.standard_normal((25, 4))
COUNTS = rng.integers(0, 3, (25, 5)) * (rng.uniform(size=(25, 5)) < 0.5) * 1.0
PARTS = {
    "variables and couples": lambda: [
        DenseDictionary(DENSE),
        KernelDictionary(POINTS, CENTERS, KERNELS),
    ],
    "counts and scaled couples": lambda: [
        SparseDictionary(sparse.csc_array(COUNTS)),
        KernelDictionary(POINTS, CENTERS, KERNELS, SCALE),
    ],
    "three kinds": lambda: [
        KernelDictionary(POINTS, CENTERS, KERNELS),
        DenseDictionary(DENSE),
        SparseDictionary(sparse.csc_array(COUNTS)),
    ],
    "one part": lambda: [DenseDictionary(DENSE)],
}
MEMORY = {"all held": 2**30, "held part by part": 1}


def as_array(parts) -> np.ndarray:
    return np.hstack([part.columns(np.arange(part.shape[1])) for part in parts])


@pytest.mark.parametrize("memory", MEMORY)
@pytest.mark.parametrize("name", PARTS)
def test_joined_columns_are_those_of_one_array(name, memory):
    parts = PARTS[name]()
    expected, joined = DenseDictionary(as_array(parts)), JoinedDictionary(parts, MEMORY[memory])
    n, p = expected.shape
    draw = np.random.default_rng(1)
    index, rows = draw.integers(0, p, 6), draw.integers(0, n, 4)
    u, coef = draw.standard_normal((n, 2)), sparse.random_array((p, 4), density=0.3, rng=draw)
    assert joined.shape == expected.shape
    with joined.resident() as held:
        assert isinstance(held, DenseDictionary) == (memory == "all held")
        for columns in (joined, held):
            assert columns.shape == expected.shape
            for ask in (
                lambda d: d.columns(index), lambda d: d.columns(index[:0]), lambda d: d.block(rows, index),
                lambda d: d.correlations(u), lambda d: d.correlations(u[:, 0]),
                lambda d: d.correlations(u[rows, 0], rows),
                lambda d: d.scores(coef.toarray()), lambda d: d.scores(coef), lambda d: d.scores(coef.toarray()[:, 0]),
                lambda d: d.column_norms(), lambda d: d.column_ranges(), lambda d: d.row_norms(),
            ):  # fmt: skip
                np.testing.assert_allclose(ask(columns), ask(expected), atol=1e-12)
            assert columns.most_columns > 0
            assert columns.look_cost > 0
            assert columns.nbytes() > 0


def test_joined_columns_have_a_digest_of_their_own():
    first, second = DenseDictionary(DENSE), DenseDictionary(2.0 * DENSE)
    digest = JoinedDictionary([first, second]).digest()
    np.testing.assert_array_equal(digest, JoinedDictionary([first, second]).digest())
    assert np.any(digest != JoinedDictionary([second, first]).digest())


@pytest.mark.parametrize("memory", MEMORY)
@pytest.mark.parametrize("name", PARTS)
def test_a_path_on_joined_columns_is_that_on_one_array(name, memory):
    parts, y = PARTS[name](), np.arange(25) % 2
    joined = chemin.svm_path(JoinedDictionary(parts, MEMORY[memory]), y)
    dense = chemin.svm_path(as_array(parts), y)
    assert joined.certificate(midpoints=True).worst_gap < 1e-9
    at = np.linspace(1.0, 0.0, 9) * dense.l1[0]
    assert joined.l1[0] == pytest.approx(dense.l1[0])
    np.testing.assert_allclose(joined.coef_at(at), dense.coef_at(at), atol=1e-8)


@pytest.mark.parametrize("blocks", [0, 1, 3])
def test_what_fits_in_memory_is_held_and_changes_nothing(blocks):
    X, y = toydata1(30)
    kernels = widths([0.5, 1.0, 2.0])
    vectors, block = 12 * 8 * 180, 60 * 60 * 8
    lazy = KernelDictionary(
        X, X, kernels, memory=vectors + (6 if blocks == 3 else 2 * blocks) * block + 960
    )
    with lazy.resident() as columns:
        assert isinstance(columns, DenseDictionary) == (blocks == 3)
        if blocks < 3:
            assert len(columns.held) == blocks
    path, dense = (
        chemin.svm_path(data, y) for data in (lazy, np.hstack([k(X, X) for k in kernels]))
    )
    np.testing.assert_allclose(path.l1, dense.l1, rtol=1e-9, atol=1e-9)
    assert path.certificate().worst_gap < 1e-9
    assert not path.problem.dictionary.held


def test_columns_beyond_the_memory_are_refused_with_what_would_help():
    with pytest.raises(InvalidInputError, match=r"50 centres × 3 kernels.*GiB.*fewer centers"):
        KernelBasisClassifier(widths([1, 2, 3]), memory=1e-6).fit(
            rng.standard_normal((50, 2)), np.arange(50) % 2
        )


@pytest.mark.parametrize("count", [1, 2, 3])
def test_medoids_are_the_best_of_all_subsets(count):
    points = np.random.default_rng(count).standard_normal((12, 2))
    distance = np.linalg.norm(points[:, None] - points, axis=2)
    best = min(
        distance[:, list(some)].min(axis=1).sum()
        for some in itertools.combinations(range(12), count)
    )
    assert distance[:, medoids(distance, count)].min(axis=1).sum() <= 1.02 * best


@pytest.mark.parametrize("by", ["random", "class", "medoids"])
def test_a_few_centres_carry_all_couples(by):
    X, y = toydata1(60)
    model = KernelBasisClassifierCV(centers=Centers(10, by=by), random_state=0).fit(X, y)
    rows = model.estimators_[0].columns_.couples.rows
    assert len(rows) == 10
    assert set(model.active_points_) <= set(rows)
    assert model.score(X, y) > 0.9


@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array, lambda X: X.astype(object)])
def test_equal_points_are_one_centre(container):
    X = np.array([[1.0, 0.0], [2.0, 3.0], [1.0, -0.0], [2.0, 3.0]])
    assert distinct(container(X)).tolist() == [0, 1]


ESTIMATORS = [KernelBasisClassifier(), KernelBasisClassifierCV(Gaussian(1.0), cv=2)]


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=str)
def test_every_check_of_scikit_learn_passes(estimator):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the checks fit hostile data on purpose
        results = check_estimator(estimator, on_fail=None, on_skip=None)
    assert not [(r["check_name"], r["exception"]) for r in results if r["status"] == "failed"]


def test_points_far_from_all_centres_are_taken():
    X = 20.0 * np.random.default_rng(0).normal(size=(60, 2))
    y = X[:, 0] > 0.0
    model = KernelBasisClassifier(Gaussian(0.5), l1=0.1, centers=Centers(5), random_state=0)
    model.fit(X, y)
    alike = Gaussian(0.5)(X, X[model.couples_["point"].to_numpy()]).max(axis=1)
    assert np.any((alike > 0.0) & (alike < 1e-100))
    assert model.path_.certificate(midpoints=True).worst_gap < 1e-9


@pytest.mark.parametrize("scale", ["none", "norm"])
def test_integer_weights_are_repetitions(scale):
    X, y = toydata1(20)
    weight = np.arange(40) % 3 + (np.arange(40) % 2)
    model = KernelBasisClassifier(widths([1.0, 3.0]), l1=0.3, scale=scale)
    once = clone(model).fit(X, y, weight)
    again = clone(model).fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    np.testing.assert_allclose(once.decision_function(X), again.decision_function(X), atol=1e-6)


def test_the_decision_is_what_the_matrix_of_couples_says():
    X, y = toydata1(40)
    kernels = [Gaussian(2), Gaussian((1, 8)), Gaussian((8, 1))]
    model = KernelBasisClassifier(kernels, l1=2.0).fit(X, np.where(y > 0, "in", "out"))
    decision = model.intercept_[0] + sum(
        kernels[k](X, X) @ model.B_.toarray()[:, k] for k in range(3)
    )
    np.testing.assert_allclose(model.decision_function(X), decision)
    assert model.active_points_.tolist() == np.unique(model.B_.nonzero()[0]).tolist()
    margin = np.abs(decision)
    assert (margin[model.support_] <= 1 + 1e-9).all()


@pytest.mark.parametrize("multiclass", ["ovo", "ovr"])
def test_many_classes_are_native(multiclass):
    X, y = load_iris(return_X_y=True)
    model = KernelBasisClassifier(Gaussian(1.0), multiclass=multiclass, probability=True, cv=3).fit(
        X, y
    )
    assert model.score(X, y) > 0.9
    assert [B.shape for B in model.B_] == [(150, 1)] * 3
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1.0)
    for B, machine in zip(model.B_, model.estimators_, strict=True):
        assert set(np.unique(B.nonzero()[0])) <= set(machine.rows_)


@dataclass(frozen=True)
class SharedLetters(Kernel):
    """How many letters two texts share: a kernel whose points are not numbers."""

    positive = True
    numeric = False

    def __call__(self, X, Z):
        left, right = (np.asarray(V, dtype=object).ravel() for V in (X, Z))
        return np.array([[float(len(set(a) & set(b))) for b in right] for a in left])

    def diagonal(self, X):
        return np.array([float(len(set(a))) for a in np.asarray(X, dtype=object).ravel()])


def test_points_may_be_texts_or_tables_that_mix_them_with_numbers():
    pandas = pytest.importorskip("pandas")
    words = ["abab", "baba", "aab", "xyx", "yyx", "xxy"] * 3
    y = np.array([w[0] in "ab" for w in words])
    assert KernelBasisClassifier(SharedLetters(), l1=0.1).fit(words, y).score(words, y) == 1.0
    table = pandas.DataFrame({"word": words, "length": [len(w) for w in words]})
    expert = SharedLetters().on("word") + Gaussian(1.0).on("length")
    model = KernelBasisClassifier([expert, SharedLetters().on("word")], l1=0.1).fit(table, y)
    assert model.score(table, y) == 1.0
    assert model.feature_names_in_.tolist() == ["word", "length"]
    for data, why in (
        (table[["length", "word"]], "same order"),
        ("aab", "one text"),
        ([], "no points"),
        (words, "2"),
    ):
        with pytest.raises(InvalidInputError, match=why):
            model.predict(data)


def test_named_variables_are_bound_to_their_columns():
    pandas = pytest.importorskip("pandas")
    X, y = toydata1(40)
    table = pandas.DataFrame(X, columns=["g1", "g2"])
    by_name = KernelBasisClassifier(pairs_of(["g1", "g2"], Gaussian(2.0))).fit(table, y)
    by_place = KernelBasisClassifier(Gaussian(2.0).on([0, 1])).fit(X, y)
    np.testing.assert_array_equal(by_name.decision_function(table), by_place.decision_function(X))


def test_indefinite_kernels_are_allowed_and_flagged():
    X, y = toydata1(40)
    model = KernelBasisClassifier([Epanechnikov(3.0), Gaussian(1.0)]).fit(X, y)
    assert model.indefinite_ == ["Epanechnikov(width=3)"]
    assert model.path_.certificate().worst_gap < 1e-9


def test_a_dearer_kernel_is_taken_less():
    X, y = toydata1(40)
    kernels = widths([1.0, 2.0])
    even = KernelBasisClassifier(kernels).fit(X, y).B_
    dear = KernelBasisClassifier(kernels, kernel_weight=[5.0, 1.0]).fit(X, y).B_
    assert abs(dear[:, [0]]).sum() < abs(even[:, [0]]).sum()


@pytest.fixture(scope="module")
def table():
    """Points of two classes: two variables that tell them apart, and one of three values that does not."""
    X, y = toydata1(40)
    return np.column_stack([X, np.arange(80) % 3]), y


@pytest.fixture(scope="module")
def by_default(table):
    return KernelBasisClassifierCV(random_state=0, cv=3).fit(*table)


@pytest.mark.parametrize("unit", [[4.0, 0.5, 1024.0], [1e-3, 7e5, 3.0], [-1.0, 1.0, 1.0]], ids=str)
def test_by_default_units_do_not_matter(table, by_default, unit):
    X, y = table
    other = KernelBasisClassifierCV(random_state=0, cv=3).fit(X * unit, y)
    decision = other.decision_function(X * unit)
    np.testing.assert_allclose(decision, by_default.decision_function(X), atol=1e-7)
    np.testing.assert_array_equal(other.predict(X * unit), by_default.predict(X))
    np.testing.assert_allclose(other.coef_ * unit, by_default.coef_, atol=1e-7)


@pytest.mark.parametrize(
    "options", [{"standardize": False}, {"kernels": Gaussian(1.0)}], ids=["no units", "own kernels"]
)
def test_units_matter_where_they_are_asked_to(table, options):
    X, y = table
    decisions = [
        KernelBasisClassifier(**options).fit(X * unit, y).decision_function(X * unit)
        for unit in (1.0, 5.0)
    ]
    assert np.abs(decisions[0] - decisions[1]).max() > 1e-3


def test_by_default_a_model_is_made_of_variables_and_couples(table):
    X, y = table
    model = KernelBasisClassifier(l1=1.0).fit(X, y)
    variables, couples = model.variables_, model.couples_
    assert len(variables) == np.count_nonzero(model.coef_)
    assert len(couples) == model.B_.nnz
    assert len(variables) > 0
    assert len(couples) > 0
    assert model.n_terms_ == len(variables) + len(couples)
    machine = model.estimators_[0]
    decision = X @ model.coef_[0] + model.intercept_[0]
    columns = machine.columns_.couples.of(X)
    decision += columns.scores(machine.coef_[machine.columns_.n_variables :])
    np.testing.assert_allclose(model.decision_function(X), decision, atol=1e-10)
    with pytest.raises(AttributeError, match="made of couples"):
        _ = KernelBasisClassifier(Gaussian(1.0), l1=1.0).fit(X, y).variables_


def test_by_default_the_centres_are_a_few_hundred():
    X, y = toydata1(400)
    columns = KernelBasisClassifier(l1=50.0, random_state=0).fit(X, y).estimators_[0].columns_
    assert len(columns.couples.rows) <= 300
    assert columns.n_variables == 2


DISCRETE = {
    "a kernel on three values": ([Gaussian(1.0).on([2]), Gaussian(1.0)], [3, 80]),
    "two kernels on three values": (
        [Gaussian(0.5).on([2]), Polynomial(2).on([2]), Gaussian(1.0).on([0, 1])],
        [3, 3, 80],
    ),
}


@pytest.mark.parametrize("scale", ["none", "norm", "spread", 0.5])
@pytest.mark.parametrize("name", DISCRETE)
def test_columns_that_repeat_one_another_count_once(table, name, scale):
    kernels, counts = DISCRETE[name]
    X, y = table
    model = KernelBasisClassifier(kernels, l1=0.01, l2=1.0, scale=scale).fit(X, y)
    columns = model.estimators_[0].columns_.couples
    offered = np.isfinite(columns.scale).reshape(len(kernels), -1).sum(axis=1)
    assert (offered <= counts).all()
    assert (model.B_.count_nonzero(axis=0) <= counts).all()
    assert (offered == counts).all() or scale in ("spread", 0.5)
    assert model.path_.certificate().worst_gap < 1e-9


def test_the_whole_power_of_the_spread_is_the_spread(table):
    X, y = table
    by_name, by_power = (
        KernelBasisClassifier(Gaussian(1.0), l1=2.0, scale=scale).fit(X, y)
        for scale in ("spread", 1)
    )
    np.testing.assert_array_equal(by_name.decision_function(X), by_power.decision_function(X))


def test_by_default_weights_are_repetitions(table):
    X, y = table
    weight = np.arange(80) % 3
    model = KernelBasisClassifier(l1=2.0)
    once = clone(model).fit(X, y, weight)
    again = clone(model).fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    np.testing.assert_allclose(once.decision_function(X), again.decision_function(X), atol=1e-7)


def test_a_saved_table_keeps_its_names_and_labels(table, tmp_path):
    pytest.importorskip("skops")
    pandas = pytest.importorskip("pandas")
    X, y = table
    names = [f"patient {k}" for k in range(80)]
    data = pandas.DataFrame(X, columns=["age", "dose", "ward"], index=names)
    model = KernelBasisClassifierCV(random_state=0, cv=3).fit(data, y)
    chemin.save(model, tmp_path / "model.skops")
    again = chemin.load(tmp_path / "model.skops")
    np.testing.assert_array_equal(again.decision_function(data), model.decision_function(data))
    pandas.testing.assert_frame_equal(again.couples_, model.couples_)
    pandas.testing.assert_frame_equal(again.variables_, model.variables_)
    assert set(again.couples_["point"]) <= set(names)
    assert len(again.couples_) > 0
    assert str(again.summary()) == str(model.summary())


BAD = {
    "an empty family": ({"kernels": []}, "at least one kernel"),
    "an unknown column": ({"kernels": Gaussian(1).on(["g9"])}, "g9"),
    "a column out of range": ({"kernels": Gaussian(1).on([7])}, "7"),
    "a kernel that is not finite": (
        {"kernels": Function(lambda X, Z: np.full((len(X), len(Z)), np.nan))},
        "finite",
    ),
    "an unknown scale": ({"scale": "max"}, "'norm', 'spread', or a power of the spread"),
    "a power of 0": ({"scale": 0.0}, "above 0 and at most 1"),
    "a power above 1": ({"scale": 1.5}, "above 0 and at most 1"),
    "a power that is true": ({"scale": True}, "above 0 and at most 1"),
    "no scale": ({"scale": None}, "a power of the spread"),
    "an unknown standardize": ({"standardize": "yes"}, "True, False or 'auto'"),
    "an unknown choice of centres": ({"centers": "some"}, "Centers object"),
    "no centre": ({"centers": 0}, "whole number"),
    "a class for a kernel": ({"kernels": Gaussian}, "Gaussian\\(1.0\\)"),
    "an iterator": ({"kernels": (Gaussian(w) for w in (1, 2))}, "list of kernels"),
    "a memory in words": ({"memory": "1GB"}, "gibibytes"),
    "a negative weight": (
        {"kernels": widths([1, 2]), "kernel_weight": [1.0, -1.0]},
        "weight ≥ 0 per kernel",
    ),
    "one weight for two kernels": (
        {"kernels": widths([1, 2]), "kernel_weight": [1.0]},
        "weight ≥ 0 per kernel",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_refused_with_a_remedy(name):
    options, words = BAD[name]
    with pytest.raises(InvalidInputError, match=words):
        KernelBasisClassifier(**options).fit(rng.standard_normal((10, 3)), np.arange(10) % 2)


def test_a_window_outside_the_image_is_refused_when_it_is_made():
    with pytest.raises(InvalidInputError, match="image"):
        Window((3, 3), 1, 1, 3, 3)


@pytest.mark.parametrize("apart", [1e-3, 1e-5, 1e-7, 1e-9])
@pytest.mark.parametrize("l2", [0.0, 1e-9, 1e-3, 1.0])
def test_points_almost_alike_do_not_lead_astray(apart, l2):
    draw = np.random.default_rng(7)
    points = draw.standard_normal((30, 2)) * [1e-2, 1.0]
    points[15:] = points[:15] + apart * draw.standard_normal((15, 2))
    y = np.where(draw.permutation(30) < 15, 1, -1)
    path = chemin.svm_path(Gaussian((0.3, 3.0))(points, points), y, l2=l2)
    # Without a ridge, telling such points apart takes coefficients beyond double precision: the path then says where.
    proof = path.certificate(midpoints=True)
    worst = proof.gap[proof.l1 > path.stats["rounded_from"]].max()
    assert worst <= 1e-9 or (path.status.code == "uncertified" and worst <= 1e-7)
    assert path.stats["rounded_from"] < 1e-4 * path.l1[0]
    assert path.status.code == "complete" or (l2 == 0.0 and path.l1[-1] < 1e-3 * path.l1[0])
