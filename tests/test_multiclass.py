"""Claims about classes told apart by binary machines: the contract, the codes, the decodings, the trees."""

from __future__ import annotations

import itertools
import math
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import load_digits, load_iris, load_wine, make_blobs
from sklearn.dummy import DummyRegressor
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.exceptions import UnsetMetadataPassedError
from sklearn.linear_model import LogisticRegression, Perceptron
from sklearn.model_selection import cross_validate
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.utils.estimator_checks import check_estimator

from chemin.estimators import SparseSVC
from chemin.exceptions import InvalidInputError
from chemin.multiclass import ECOC, ClassTree, Multiclass, OneVsOne, OneVsRest
from chemin.multiclass.codes import (
    as_code,
    exhaustive,
    one_vs_one,
    one_vs_rest,
    random_code,
    row_distances,
)
from chemin.multiclass.coupling import couple, pair_table
from chemin.multiclass.decoding import distances
from chemin.multiclass.greedy import grow
from chemin.multiclass.hierarchy import class_prototypes, leaves, linked, node_table
from chemin.multiclass.machines import default_machine, train
from chemin.persistence import load, save

LOGISTIC = LogisticRegression(tol=1e-10, max_iter=1000)
SVM = LinearSVC(dual=False, tol=1e-10, max_iter=5000)
MACHINES = {"logistic": LOGISTIC, "svm": SVM}

SCHEMES = {
    "one-vs-rest": OneVsRest(),
    "one-vs-one": OneVsOne(),
    "one-vs-one, votes": OneVsOne(decoding="vote"),
    "dense code": ECOC(random_state=0),
    "sparse code": ECOC(code="sparse", random_state=0),
    "Hamming": ECOC(decoding="hamming", random_state=0),
    "tree of prototypes": ClassTree(),
    "greedy tree": ClassTree(tree="greedy", random_state=0),
}
FOUR = ["one-vs-rest", "one-vs-one", "dense code", "tree of prototypes"]


def scheme(name: str, machine=LOGISTIC, **params) -> Multiclass:
    return clone(SCHEMES[name]).set_params(estimator=machine, **params)


def scaled(load):
    X, y = load(return_X_y=True)
    return StandardScaler().fit_transform(X), y


IRIS, WINE = scaled(load_iris), scaled(load_wine)
DIGITS = scaled(load_digits)
DIGITS = DIGITS[0][:900], DIGITS[1][:900]
every_scheme = pytest.mark.parametrize("name", SCHEMES)


# The contract


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("name", [name for name in SCHEMES if name != "greedy tree"])
@pytest.mark.filterwarnings(
    "ignore"
)  # the checks fit hostile data, on which the machines themselves warn
def test_scikit_learn_finds_nothing_to_say(name, machine):
    results = check_estimator(scheme(name, MACHINES[machine]), on_fail=None)
    assert not [
        result["check_name"] for result in results if result["status"] in ("failed", "xfail")
    ]
    assert any("sample_weight_equivalence_on_sparse" in result["check_name"] for result in results)


@pytest.mark.parametrize("machine", MACHINES)
@every_scheme
def test_scores_and_probabilities_agree_with_predictions(name, machine):
    for X, y in (IRIS, WINE, DIGITS):
        model = scheme(
            name,
            LogisticRegression(max_iter=500) if machine == "logistic" else LinearSVC(dual=False),
        )
        model.fit(X, y)
        predicted = model.predict(X)
        assert model.decision_function(X).shape == (len(X), len(model.classes_))
        np.testing.assert_array_equal(
            model.classes_[model.decision_function(X).argmax(axis=1)], predicted
        )
        assert hasattr(model, "predict_proba") == (machine == "logistic")
        if machine == "logistic":
            proba = model.predict_proba(X)
            np.testing.assert_allclose(proba.sum(axis=1), 1.0, rtol=1e-12)
            assert (proba >= 0).all()
            np.testing.assert_array_equal(model.classes_[proba.argmax(axis=1)], predicted)
        assert np.mean(predicted == y) > 0.92


@pytest.mark.parametrize("machine", MACHINES)
@every_scheme
def test_two_classes_are_one_machine(name, machine):
    X, y = IRIS[0][50:], np.array(["b", "a"])[IRIS[1][50:] - 1]
    model, alone = scheme(name, MACHINES[machine]).fit(X, y), clone(MACHINES[machine]).fit(X, y)
    assert model.n_machines_ == len(model.estimators_) == 1
    np.testing.assert_array_equal(model.predict(X), alone.predict(X))
    np.testing.assert_allclose(
        model.decision_function(X), alone.decision_function(X), rtol=1e-9, atol=1e-9
    )
    if machine == "logistic":
        np.testing.assert_allclose(model.predict_proba(X), alone.predict_proba(X))


@every_scheme
def test_labels_of_any_kind_and_frames_of_any_kind_change_nothing(name):
    X, y = IRIS
    labels = np.array(["setosa", "versicolor", "virginica"])[y]
    plain = scheme(name).fit(X, y)
    names = ["a", "b", "c", "d"]
    for frame in (pd.DataFrame(X, columns=names), pl.DataFrame(X, schema=names)):
        for target in (labels, labels.astype(object), pd.Series(labels, dtype="category")):
            model = scheme(name).fit(frame, target)
            assert model.feature_names_in_.tolist() == names
            assert all(machine.feature_names_in_.tolist() == names for machine in model.estimators_)
            np.testing.assert_array_equal(model.predict(frame), model.classes_[plain.predict(X)])
    with pytest.raises(ValueError, match="feature names"):
        model.predict(pd.DataFrame(X, columns=list("abce")))


@every_scheme
def test_copies_behave_alike_whether_cloned_pickled_or_trained_side_by_side(name):
    X, y = WINE
    model = scheme(name).fit(X, y)
    expected = model.decision_function(X)
    side_by_side = clone(model).set_params(n_jobs=2)
    for copy in (clone(model).fit(X, y), pickle.loads(pickle.dumps(model)), side_by_side.fit(X, y)):
        np.testing.assert_array_equal(copy.decision_function(X), expected)
    assert clone(model).get_params()["estimator__max_iter"] == 1000
    assert type(model).__name__ in model._repr_html_()


class SparseOnly(ClassifierMixin, BaseEstimator):
    """A machine that refuses dense rows."""

    def fit(self, X, y):
        assert sparse.issparse(X)
        self.inner_ = LogisticRegression().fit(X, y)
        return self

    def decision_function(self, X):
        assert sparse.issparse(X)
        return self.inner_.decision_function(X)


@every_scheme
@pytest.mark.parametrize(
    "container", [sparse.csr_array, sparse.csc_array, sparse.coo_array, sparse.csr_matrix]
)
def test_sparse_rows_stay_sparse(name, container):
    X, y = IRIS
    dense = scheme(name, LogisticRegression()).fit(X, y)
    stays = scheme(name, SparseOnly()).fit(container(X), y)
    assert stays.code_.tolist() == dense.code_.tolist()
    assert len(stays.predict(container(X))) == len(y)
    same = scheme(name, LogisticRegression()).fit(container(X), y)
    np.testing.assert_allclose(
        same.decision_function(container(X)), dense.decision_function(X), rtol=1e-3, atol=1e-3
    )


@every_scheme
def test_a_class_may_have_a_single_member(name):
    X, y = IRIS
    X, y = np.vstack([X, [[9.0, 9.0, 9.0, 9.0]]]), np.append(y, 7)
    model = scheme(name).fit(X, y)
    assert model.classes_.tolist() == [0, 1, 2, 7]
    if "code" not in name and name not in (
        "one-vs-rest",
        "Hamming",
    ):  # there one point faces a hundred
        assert model.predict(X[-1:]).tolist() == [7]


@pytest.mark.parametrize("machine", [GaussianNB(), KNeighborsClassifier(), Perceptron(), HistGradientBoostingClassifier(
    max_iter=5)], ids=lambda machine: type(machine).__name__)  # fmt: skip
@pytest.mark.parametrize("name", FOUR)
def test_any_machine_will_do(name, machine):
    X, y = IRIS
    model = scheme(name, machine).fit(X, y)
    assert model.score(X, y) > 0.8
    assert hasattr(model, "predict_proba") == hasattr(machine, "predict_proba")


def test_missing_values_are_the_machines_business():
    X, y = IRIS[0].copy(), IRIS[1]
    X[::7, 1] = np.nan
    for name in SCHEMES:
        assert scheme(name, HistGradientBoostingClassifier(max_iter=5)).fit(X, y).score(X, y) > 0.9
        with pytest.raises(ValueError, match="NaN"):
            scheme(name).fit(X, y)


def test_no_estimator_means_the_default_one():
    model = OneVsRest().fit(*IRIS)
    assert type(model.estimators_[0]) is type(default_machine())


BAD_INPUT = {
    "one class": (OneVsRest(), {"y": np.zeros(150)}, "one class only"),
    "not a machine": (OneVsOne("svm"), {}, "pass an instance"),
    "a class of machines": (OneVsOne(LinearSVC), {}, "pass an instance"),
    "a regressor": (OneVsRest(DummyRegressor()), {}, "decision_function or predict_proba"),
    "unknown decoding": (OneVsOne(decoding="best"), {}, "'coupling' or 'vote'"),
    "unknown ECOC decoding": (ECOC(decoding="best"), {}, "hamming, loss"),
    "unknown loss": (ECOC(loss="hamming"), {}, "hinge, exponential, logistic, linear"),
    "unknown code": (ECOC(code="good"), {}, "dense, sparse, exhaustive"),
    "half a machine": (ECOC(code_size=2.5), {}, "positive integer"),
    "too long a code": (ECOC(code_size=4), {}, "1 to 3 different columns"),
    "too short a code": (ECOC(code_size=1), {}, "larger code_size"),
    "unknown tree": (ClassTree(tree="best"), {}, "'prototypes', 'greedy'"),
    "weights missing": (ECOC(), {"sample_weight": np.ones(3)}, "one weight per row"),
    "weights negative": (ECOC(), {"sample_weight": -np.ones(150)}, "≥ 0"),
    "weights all zero": (ECOC(), {"sample_weight": np.zeros(150)}, "positive weight"),
    "a class without weight": (
        ECOC(),
        {"sample_weight": (IRIS[1] > 0) * 1.0},
        "No point of class 0",
    ),
    "weights not taken": (
        ECOC(KNeighborsClassifier()),
        {"sample_weight": np.ones(150)},
        "takes no sample_weight",
    ),
    "other metadata": (ECOC(), {"groups": np.ones(150)}, "enable_metadata_routing=True"),
}


@pytest.mark.parametrize("case", BAD_INPUT)
def test_every_refusal_names_the_remedy(case):
    model, params, remedy = BAD_INPUT[case]
    with pytest.raises(InvalidInputError, match=remedy):
        model.fit(IRIS[0], **{"y": IRIS[1], **params})


# Metadata


class Listener(ClassifierMixin, BaseEstimator):
    """A machine that remembers the metadata of its points."""

    def fit(self, X, y, mark=None, colour=None):
        self.first_, self.mark_, self.colour_ = np.asarray(X)[:, 0], mark, colour
        return self

    def decision_function(self, X):
        return np.asarray(X)[:, 0]


@pytest.mark.parametrize("name", FOUR)
def test_metadata_reach_each_machine_cut_to_its_points(name):
    X, y = IRIS
    with sklearn.config_context(enable_metadata_routing=True):
        machine = Listener().set_fit_request(mark=True, colour=True)
        for mark in (X[:, 0], X[:, 0].tolist(), pd.Series(X[:, 0], index=range(5, 155))):
            model = scheme(name, machine).fit(X, y, mark=mark, colour="red")
            for one in model.estimators_:
                np.testing.assert_array_equal(np.asarray(one.mark_), one.first_)
                assert one.colour_ == "red"


@pytest.mark.parametrize("name", FOUR)
def test_weights_are_routed_as_scikit_learn_routes_them(name):
    X, y = IRIS
    weight = np.random.default_rng(0).integers(1, 4, len(y)).astype(float)
    expected = scheme(name).fit(X, y, sample_weight=weight)
    unweighted = scheme(name).fit(X, y)
    with sklearn.config_context(enable_metadata_routing=True):
        asked = scheme(name, clone(LOGISTIC).set_fit_request(sample_weight=True))
        piped = scheme(name, make_pipeline(clone(LOGISTIC).set_fit_request(sample_weight=True)))
        for model in (asked, piped):
            fitted = clone(model).fit(X, y, sample_weight=weight)
            np.testing.assert_array_equal(
                fitted.decision_function(X), expected.decision_function(X)
            )
        with pytest.raises(TypeError, match="not routed to any object"):
            scheme(name, clone(LOGISTIC).set_fit_request(sample_weight=False)).fit(
                X, y, sample_weight=weight
            )
        assert not hasattr(asked, "set_fit_request")  # the machine decides
        with pytest.raises(UnsetMetadataPassedError):
            scheme(name).fit(X, y, sample_weight=weight)
        asked.set_score_request(sample_weight=True)
        scores = cross_validate(asked, X, y, params={"sample_weight": weight}, error_score="raise")
    assert scores["test_score"].mean() > 0.9
    assert np.abs(expected.decision_function(X) - unweighted.decision_function(X)).max() > 1e-3


@every_scheme
def test_machines_can_be_trained_on_data_already_checked(name):
    X, y = IRIS
    whole = scheme(name).fit(X, y)
    parts = scheme(name).fit_machines(X, y, {"sample_weight": np.ones(len(y))})
    np.testing.assert_allclose(parts.scores(X), whole.decision_function(X), rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(parts.probabilities(X), whole.predict_proba(X), rtol=1e-5, atol=1e-5)


# Codes


@pytest.mark.parametrize("k", range(2, 11))
def test_the_exhaustive_code_holds_every_split_once(k):
    code = exhaustive(k)
    assert code.shape == (k, 2 ** (k - 1) - 1)
    assert len({column.tobytes() for column in np.hstack([code, -code]).T}) == 2 * code.shape[1]
    assert set(row_distances(code)) == {2 ** (k - 2)}


def test_the_exhaustive_code_stops_before_it_is_absurd():
    X = np.arange(22.0)[:, None]
    with pytest.raises(InvalidInputError, match="code='dense' or code='sparse'"):
        ECOC(code="exhaustive").fit(X, np.arange(22) % 11)


@pytest.mark.parametrize("kind", ["dense", "sparse"])
@pytest.mark.parametrize("k", [2, 3, 4, 5, 8, 10, 15, 30])
def test_random_codes_waste_no_machine_and_separate_all_classes(k, kind):
    code = random_code(k, kind, None, np.random.RandomState(1))
    per_bit = {"dense": 10, "sparse": 15}[kind]
    available = 2 ** (k - 1) - 1 if kind == "dense" else (3**k - 2 ** (k + 1) + 1) // 2
    assert code.shape == (k, min(math.ceil(per_bit * math.log2(k)), available))
    assert (code > 0).any(axis=0).all()
    assert (code < 0).any(axis=0).all()
    assert (code == 0).any() == (kind == "sparse" and k > 2)
    assert len({column.tobytes() for column in np.hstack([code, -code]).T}) == 2 * code.shape[1]
    typical = [row_distances(_one_draw(code, seed)).min() for seed in range(20)]
    assert row_distances(code).min() >= max(1, np.median(typical))
    np.testing.assert_array_equal(code, random_code(k, kind, None, np.random.RandomState(1)))


def _one_draw(code, seed):
    """Return a code with the same entries, shuffled within each column."""
    return np.random.default_rng(seed).permuted(code, axis=0)


CLASSES = np.array(["a", "b", "c"])
BAD_CODES = {
    "no numbers": ([["x", "y"]], "entries −1, 0 and"),
    "ragged": ([[1], [1, -1], [0]], "entries −1, 0 and"),
    "one row short": ([[1, -1], [-1, 1]], "3 rows for 'a', 'b', 'c'"),
    "no column": (np.empty((3, 0)), "one column per machine"),
    "not a matrix": ([1, -1, 0], "one row per class"),
    "other values": ([[1, 2], [-1, -1], [1, 1]], r"entries \[2.0\]"),
    "missing values": ([[1, np.nan], [-1, -1], [1, 1]], "entries"),
    "one-sided": ([[1, 1, 1], [-1, 1, 0], [1, -1, 1]], r"columns \[2\]"),
    "same rows": ([[1, 1], [-1, -1], [1, 1]], "'a' and 'c' on opposite sides"),
    "rows never opposed": ([[1, 0], [-1, 1], [0, -1]], "'a' and 'c' on opposite sides"),
}


@pytest.mark.parametrize("case", BAD_CODES)
def test_a_code_that_can_not_work_is_refused_with_a_reason(case):
    code, remedy = BAD_CODES[case]
    with pytest.raises(InvalidInputError, match=remedy):
        as_code(code, CLASSES)
    with pytest.raises(InvalidInputError):
        ECOC(code=code).fit(IRIS[0], CLASSES[IRIS[1]])


def test_rows_of_a_given_code_follow_the_sorted_classes():
    X, y = IRIS
    labels = np.array(["c", "a", "b"])[y]
    model = ECOC(LOGISTIC, code=[[1, 1], [1, -1], [-1, 0]]).fit(X, labels)
    assert model.classes_.tolist() == ["a", "b", "c"]
    first = clone(LOGISTIC).fit(X, labels != "c")
    second = clone(LOGISTIC).fit(X[50:], labels[50:] == "a")  # c is left out
    np.testing.assert_allclose(model.estimators_[0].coef_, first.coef_)
    np.testing.assert_allclose(model.estimators_[1].coef_, second.coef_)


# Decoding

CODE = np.array([[1, 1, -1], [-1, 0, -1], [0, -1, 1]])
SAID = np.array([[0.5, -2.0, 0.0]])
BY_HAND = {
    "hamming": [(0 + 1 + 0.5) / 3, (1 + 0.5) / 2, (0 + 0.5) / 2],
    "hinge": [(0.5 + 3 + 1) / 3, (1.5 + 1) / 2, (0 + 1) / 2],
    "linear": [(-0.5 + 2 - 0) / 3, (0.5 - 0) / 2, (-2 - 0) / 2],
    "exponential": [
        (math.exp(-0.5) + math.exp(2) + 1) / 3,
        (math.exp(0.5) + 1) / 2,
        (math.exp(-2) + 1) / 2,
    ],
    "logistic": [
        (math.log1p(math.exp(-0.5)) + math.log1p(math.exp(2)) + math.log(2)) / 3,
        (math.log1p(math.exp(0.5)) + math.log(2)) / 2,
        (math.log1p(math.exp(-2)) + math.log(2)) / 2,
    ],
}


@pytest.mark.parametrize("loss", BY_HAND)
def test_distances_are_those_computed_by_hand(loss):
    np.testing.assert_allclose(distances(CODE, SAID, loss)[0], BY_HAND[loss])


@pytest.mark.parametrize("loss", BY_HAND)
def test_a_machine_has_no_say_on_the_classes_it_leaves_out(loss):
    loud = np.array([[1e6, 1e6, 0.0]])
    changed = distances(CODE, loud, loss) != distances(CODE, loud * [[-1, 1, 1]], loss)
    assert changed.tolist() == [[True, True, False]]
    changed = distances(CODE, loud, loss) != distances(CODE, loud * [[1, -1, 1]], loss)
    assert changed.tolist() == [[True, False, True]]


@pytest.mark.parametrize("data", [IRIS, WINE, DIGITS], ids=["iris", "wine", "digits"])
@pytest.mark.parametrize(
    "machine", [LogisticRegression(max_iter=500), LinearSVC(dual=False)], ids=MACHINES
)
def test_the_codes_of_other_schemes_are_these_schemes(data, machine):
    X, y = data
    rest = OneVsRest(machine).fit(X, y).predict(X)
    for loss in ("hinge", "exponential", "logistic", "linear"):
        model = ECOC(machine, code="one-vs-rest", loss=loss).fit(X, y)
        agree = rest == model.predict(X)
        assert (agree | _tied(model.decision_function(X))).all()
    pairs = ECOC(machine, code="one-vs-one", decoding="hamming").fit(X, y)
    votes = OneVsOneClassifier(machine).fit(X, y)
    np.testing.assert_array_equal(pairs.predict(X), votes.predict(X))
    if not hasattr(machine, "predict_proba"):
        ours = OneVsOne(machine, decoding="vote").fit(X, y)
        np.testing.assert_array_equal(pairs.predict(X), ours.predict(X))
        np.testing.assert_allclose(ours.decision_function(X), votes.decision_function(X))
        np.testing.assert_array_equal(rest, OneVsRestClassifier(machine).fit(X, y).predict(X))


def _tied(scores):
    best = np.sort(scores, axis=1)[:, -2:]
    return best[:, 1] - best[:, 0] <= 1e-9 * np.abs(best[:, 1])


def test_a_dense_code_survives_wrong_machines():
    code = exhaustive(5).astype(float)  # distance 8: any 3 wrong machines are corrected
    for row, wrong in itertools.product(range(5), itertools.combinations(range(15), 3)):
        said = code[row].copy()
        said[list(wrong)] *= -1
        assert distances(code, said[None], "hamming").argmin() == row


# Pairs


@settings(max_examples=60, deadline=None)
@given(st.lists(st.floats(1e-3, 1.0), min_size=3, max_size=8))
def test_coupling_finds_the_probabilities_that_consistent_pairs_come_from(weights):
    p = np.array(weights) / sum(weights)
    low, high = np.triu_indices(len(p), 1)
    pairs = pair_table((p[high] / (p[low] + p[high]))[None], len(p))
    np.testing.assert_allclose(couple(pairs)[0], p, rtol=1e-8, atol=1e-10)


@settings(max_examples=60, deadline=None)
@given(st.integers(3, 6), st.integers(0, 10**6))
def test_coupling_of_any_pairs_is_the_best_of_its_least_squares(k, seed):
    rng = np.random.default_rng(seed)
    r = pair_table(rng.random((1, k * (k - 1) // 2)), k)[0]

    def objective(p):
        return sum(
            (r[j, i] * p[i] - r[i, j] * p[j]) ** 2 for i, j in itertools.permutations(range(k), 2)
        )

    p = couple(r[None])[0]
    assert (p >= 0).all()
    assert p.sum() == pytest.approx(1.0)
    others = [0.9 * p + 0.1 * q for q in rng.dirichlet(np.ones(k), 20)]
    assert objective(p) <= min(map(objective, others)) + 1e-12


def test_coupling_stands_machines_that_are_certain():
    certain = pair_table(np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 1.0], [1.0, 1.0, 0.5]]), 3)
    p = couple(certain)
    np.testing.assert_allclose(p[0], [1, 0, 0], atol=1e-6)
    np.testing.assert_allclose(
        p[1], [1 / 3, 1 / 3, 1 / 3], atol=1e-6
    )  # a cycle: 1 beats 0, 0 beats 2, 2 beats 1
    np.testing.assert_allclose(p[2], [0, 0.5, 0.5], atol=1e-6)


def test_each_pair_trains_on_its_two_classes_only():
    X, y = DIGITS
    model = OneVsOne(Listener()).fit(X, y)
    pairs = itertools.combinations(range(10), 2)
    assert model.n_machines_ == 45
    assert all(
        len(one.first_) == np.isin(y, pair).sum()
        for one, pair in zip(model.estimators_, pairs, strict=True)
    )


# Trees


def _leaves(tree):
    return (
        [leaf for branch in tree for leaf in _leaves(branch)] if isinstance(tree, tuple) else [tree]
    )


@pytest.mark.parametrize(
    "machine", [LogisticRegression(max_iter=500), LinearSVC(dual=False)], ids=MACHINES
)
@pytest.mark.parametrize("tree", ["prototypes", "greedy"])
def test_learned_trees_ask_about_log_k_machines(tree, machine):
    for X, y in (IRIS, DIGITS):
        model = ClassTree(machine, tree=tree, random_state=0).fit(X, y)
        k = len(model.classes_)
        assert sorted(_leaves(model.tree_)) == model.classes_.tolist()
        assert model.n_machines_ == k - 1
        assert math.log2(k) <= model.mean_depth(X) <= k - 1
    assert model.mean_depth(X) < k / 2


def test_the_cost_told_is_the_cost_paid():
    calls = []

    class Counting(LogisticRegression):
        def predict_proba(self, X):
            calls.append(len(X))
            return super().predict_proba(X)

    X, y = DIGITS
    model = ClassTree(Counting(max_iter=500)).fit(X, y)
    calls.clear()
    model.predict(X)
    assert sum(calls) == pytest.approx(model.mean_depth(X) * len(X))


def test_without_probabilities_one_path_is_followed_by_signs():
    X, y = DIGITS
    model = ClassTree(LinearSVC(dual=False)).fit(X, y)
    k = len(model.classes_)
    for row, predicted in zip(X[:40], model.predict(X[:40]), strict=True):
        node, steps = 0, 0
        while node < k - 1:
            right = model.estimators_[node].decision_function(row[None])[0] > 0
            node, steps = model.children_[node, int(right)], steps + 1
        assert model.classes_[node - (k - 1)] == predicted
        assert model.mean_depth(row[None]) == steps


def test_probabilities_multiply_along_the_path():
    X, y = IRIS
    model = ClassTree(LOGISTIC, tree=((2, 0), 1)).fit(X, y)
    root, left = (machine.predict_proba(X) for machine in model.estimators_)
    expected = np.column_stack([root[:, 0] * left[:, 1], root[:, 1], root[:, 0] * left[:, 0]])
    np.testing.assert_allclose(model.predict_proba(X), expected)
    assert model.tree_ == ((2, 0), 1)
    assert model.code_.tolist() == [[-1, 1], [1, 0], [-1, -1]]


def test_a_given_tree_may_be_lists_of_labels_of_any_kind():
    X, y = IRIS
    model = ClassTree(LOGISTIC, tree=["x", ["y", "z"]]).fit(X, np.array(["x", "y", "z"])[y])
    assert clone(model).fit(X, np.array(["x", "y", "z"])[y]).tree_ == ("x", ("y", "z"))
    assert model.score(X, np.array(["x", "y", "z"])[y]) > 0.9
    chain = tuple(range(2))
    for label in range(2, 10):
        chain = (chain, label)
    assert ClassTree(LinearSVC(dual=False), tree=chain).fit(*DIGITS).mean_depth(DIGITS[0]) <= 9


# Trees of many branches, and classes in several of them


class Arbitrary(ClassifierMixin, BaseEstimator):
    """A machine of random weights, the same for the same points; with a grid, of few different probabilities."""

    def __init__(self, grid=None, sure=2.0):
        self.grid, self.sure = grid, sure

    def fit(self, X, y, sample_weight=None):
        self.classes_ = np.array([0, 1])
        points = np.round(1000 * X[:, 0] + 7 * y).astype(int)
        self.weights_ = np.random.default_rng(np.abs(points)).normal(size=X.shape[1])
        return self

    def predict_proba(self, X):
        plus = 1 / (1 + np.exp(-self.sure * (X * self.weights_).sum(axis=1)))
        plus = plus if self.grid is None else np.round(plus * self.grid) / self.grid
        return np.column_stack([1 - plus, plus])


class ArbitraryMargin(Arbitrary):
    """The same without probabilities."""

    def decision_function(self, X):
        minus, plus = super().predict_proba(X).T
        return plus - minus

    @property
    def predict_proba(self):
        raise AttributeError("margins only")


@st.composite
def trees(draw, most=7):
    """Draw a tree whose nodes have two to four branches, each with a class of its own and perhaps others'."""

    def split(classes):
        if len(classes) == 1:
            return classes[0]
        m = draw(st.integers(2, min(4, len(classes))))
        order = draw(st.permutations(classes))
        own, others = order[:m], order[m:]
        branches = [[first] for first in own]
        for label in others:
            for branch in draw(st.sets(st.integers(0, m - 1), min_size=1, max_size=2)):
                branches[branch].append(label)
        return tuple(split(sorted(branch)) for branch in branches)

    return split(list(range(draw(st.integers(3, most)))))


def _by_hand(tree, machine, X, y, new, join):
    """Return what a tree says of every class of `new`, node after node, trained afresh at each one."""
    k = int(y.max()) + 1
    if not isinstance(tree, tuple):
        column = np.zeros(k) if join is np.add else np.full(k, -np.inf)
        column[tree] = 1.0 if join is np.add else np.inf
        return np.tile(column, (len(new), 1))
    held = [set(_leaves(branch)) for branch in tree]
    said = []
    for number, mine in enumerate(held):
        theirs = set().union(*(one for other, one in enumerate(held) if other != number))
        rows = np.isin(y, list(mine ^ theirs))
        right = np.isin(y[rows], list(mine)).astype(int)
        if len(tree) == 2 and number == 0:
            continue
        fitted = clone(machine).fit(X[rows], right)
        if join is np.add:
            said.append(fitted.predict_proba(new)[:, 1])
        else:
            said.append(fitted.decision_function(new))
    if join is np.add:
        said = [1 - said[0], said[0]] if len(tree) == 2 else said
        total = sum(said)
        says = [np.where(total > 0, p / np.where(total > 0, total, 1), 1 / len(said)) for p in said]
        below = [_by_hand(branch, machine, X, y, new, join) for branch in tree]
        return sum(p[:, None] * rest for p, rest in zip(says, below, strict=True))
    said = [-said[0], said[0]] if len(tree) == 2 else said
    found = np.full((len(new), k), -np.inf)
    for number, branch in enumerate(tree):
        rest = np.max([f for other, f in enumerate(said) if other != number], axis=0)
        lead = (said[number] - rest) / 2
        below = _by_hand(branch, machine, X, y, new, join)
        found = np.maximum(found, np.minimum(lead[:, None], below))
    return found


def _some_points(tree, seed):
    rng = np.random.default_rng(seed)
    k = max(_leaves(tree)) + 1
    return rng.normal(size=(3 * k, 3)), np.arange(3 * k) % k, rng.normal(size=(40, 3))


@settings(max_examples=25, deadline=None)
@given(trees(), st.integers(0, 999), st.sampled_from([None, 2, 4]), st.sampled_from([2.0, 20.0]))
def test_any_tree_sums_the_products_of_the_probabilities_on_its_paths(tree, seed, grid, sure):
    X, y, new = _some_points(tree, seed)
    machine = Arbitrary(grid, sure)
    model = ClassTree(machine, tree=tree).fit(X, y)
    proba = model.predict_proba(new)
    np.testing.assert_allclose(
        proba, _by_hand(tree, machine, X, y, new, np.add), rtol=1e-12, atol=1e-15
    )
    np.testing.assert_allclose(proba.sum(axis=1), 1.0, rtol=1e-12)
    np.testing.assert_array_equal(model.predict(new), proba.argmax(axis=1))
    assert 1 <= model.mean_depth(new) <= model.n_machines_


@settings(max_examples=25, deadline=None)
@given(trees(), st.integers(0, 999), st.sampled_from([None, 4]))
def test_any_tree_of_margins_follows_the_largest_of_each_node(tree, seed, grid):
    X, y, new = _some_points(tree, seed)
    machine = ArbitraryMargin(grid)
    model = ClassTree(machine, tree=tree).fit(X, y)
    scores = model.decision_function(new)
    expected = _by_hand(tree, machine, X, y, new, np.maximum)
    np.testing.assert_allclose(scores, expected, rtol=1e-12, atol=1e-12)
    np.testing.assert_array_equal(model.predict(new), scores.argmax(axis=1))
    assert ((scores > 0).sum(axis=1) <= 1).all()
    if grid is None:
        assert ((scores > 0).sum(axis=1) == 1).all()
    assert 1 <= model.mean_depth(new) <= model.n_machines_


@settings(max_examples=25, deadline=None)
@given(trees())
def test_machines_of_a_tree_have_two_sides_and_treat_no_two_classes_alike(tree):
    code, children = node_table(tree, max(_leaves(tree)) + 1)
    assert (code > 0).any(axis=0).all()
    assert (code < 0).any(axis=0).all()
    assert len({row.tobytes() for row in code}) == len(code)
    for node, row in enumerate(children):
        assert all(child == -1 or child > node for child in row)


@pytest.mark.parametrize("machine", MACHINES)
def test_a_tree_of_one_node_is_one_against_the_rest(machine):
    for X, y in (IRIS, WINE):
        flat = ClassTree(MACHINES[machine], tree=(0, 1, 2)).fit(X, y)
        rest = OneVsRest(MACHINES[machine]).fit(X, y)
        assert flat.code_.tolist() == rest.code_.tolist()
        np.testing.assert_array_equal(flat.predict(X), rest.predict(X))
        if machine == "logistic":
            np.testing.assert_array_equal(flat.predict_proba(X), rest.predict_proba(X))
        assert flat.mean_depth(X) == 3


def _decision_graph(classes):
    """Return the tree that excludes the last class or the first one, until one is left."""
    if len(classes) == 1:
        return classes[0]
    return _decision_graph(classes[:-1]), _decision_graph(classes[1:])


def test_platts_decision_graph_is_a_tree_with_one_machine_per_pair():
    X, y = DIGITS
    model = ClassTree(LinearSVC(dual=False), tree=_decision_graph(list(range(10)))).fit(X, y)
    assert sorted(map(sorted, model.code_.T.tolist())) == [[-1, *[0] * 8, 1]] * 45
    pairs = {
        (int(column.argmin()), int(column.argmax())): machine
        for column, machine in zip(model.code_.T, model.estimators_, strict=True)
    }
    assert sorted(pairs) == list(itertools.combinations(range(10), 2))
    for row, predicted in zip(X[:60], model.predict(X[:60]), strict=True):
        left = list(range(10))
        while len(left) > 1:
            last_wins = pairs[left[0], left[-1]].decision_function(row[None])[0] > 0
            left.pop(0 if last_wins else -1)
        assert left == [predicted]
    assert model.mean_depth(X) == 9
    assert model.score(X, y) > 0.95


def test_a_decision_graph_with_probabilities_asks_some_machines_and_decides_as_all():
    X, y = DIGITS
    graph = _decision_graph(list(range(10)))
    model = ClassTree(LogisticRegression(max_iter=500), tree=graph).fit(X, y)
    proba = model.predict_proba(X)
    np.testing.assert_allclose(proba.sum(axis=1), 1.0, rtol=1e-12)
    np.testing.assert_array_equal(model.predict(X), proba.argmax(axis=1))
    assert 9 <= model.mean_depth(X) < 20


def test_a_class_in_two_branches_trains_only_the_machines_below():
    X, y = IRIS
    labels = np.array(["cat", "dog", "wolf"])[y]
    model = ClassTree(LOGISTIC, tree=(("cat", "dog"), ("dog", "wolf"))).fit(X, labels)
    assert model.code_.tolist() == [[-1, -1, 0], [0, 1, -1], [1, 0, 1]]
    assert model.children_.tolist() == [[1, 2], [3, 4], [4, 5]]
    root = clone(LOGISTIC).fit(X[y != 1], y[y != 1] == 2)
    np.testing.assert_allclose(model.estimators_[0].coef_, root.coef_)
    tame, wild = root.predict_proba(X).T
    pet, beast = (machine.predict_proba(X) for machine in model.estimators_[1:])
    expected = np.column_stack(
        [tame * pet[:, 0], tame * pet[:, 1] + wild * beast[:, 0], wild * beast[:, 1]]
    )
    np.testing.assert_allclose(model.predict_proba(X), expected, rtol=1e-10)


WIDE_AND_REPEATED = {
    "wide": (0, 1, (2, 3, 4), (5, (6, 7)), 8, 9),
    "repeated": (((0, 1), (1, 2, 3)), ((3, 4, 5), (5, 6)), (6, 7, 8, 9)),
}


@pytest.mark.parametrize("tree", WIDE_AND_REPEATED.values(), ids=WIDE_AND_REPEATED)
def test_wide_and_repeated_trees_take_what_others_take(tree, tmp_path):
    X, y = (some[:500] for some in DIGITS)
    weight = np.random.default_rng(0).integers(1, 4, len(y))
    model = ClassTree(LOGISTIC, tree=tree).fit(X, y, sample_weight=weight)
    expected = model.decision_function(X)
    assert model.tree_ == tree
    assert model.score(X, y) > 0.94
    assert model.mean_depth(X) < model.n_machines_
    np.testing.assert_array_equal(model.predict(X), model.predict_proba(X).argmax(axis=1))
    twice = clone(model).fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    np.testing.assert_allclose(twice.predict_proba(X), model.predict_proba(X), atol=1e-6)
    frame = pd.DataFrame(X).add_prefix("x")
    named = clone(model).fit(frame, y, sample_weight=weight)
    np.testing.assert_allclose(named.predict_proba(frame), model.predict_proba(X), atol=1e-6)
    stored = sparse.csr_array(X)
    same = clone(model).fit(stored, y, sample_weight=weight)
    np.testing.assert_array_equal(same.predict(stored), model.predict(X))
    save(model, tmp_path / "tree.skops")
    again = load(tmp_path / "tree.skops")
    assert again.tree_ == tree
    np.testing.assert_array_equal(again.decision_function(X), expected)
    np.testing.assert_array_equal(again.predict(X), model.predict(X))


def test_the_machines_of_any_tree_are_explained_by_the_classes_of_their_sides():
    X, y = load_iris(return_X_y=True)
    labels = np.array(["cat", "dog", "wolf"])[y]
    names = {
        ("wolf", "cat", "dog"): ["wolf vs rest", "cat vs rest", "dog vs rest"],
        (("cat", "dog"), ("dog", "wolf")): ["cat vs wolf", "cat vs dog", "dog vs wolf"],
    }
    for tree, expected in names.items():
        model = SparseSVC(multiclass=ClassTree(tree=tree), standardize=True).fit(X, labels)
        assert [machine.name for machine in model.summary().machines] == expected
        for number, name in enumerate(expected):
            said = [one.decision for one in model.explain(X[:9], machine=name)]
            np.testing.assert_allclose(said, model.estimators_[number].decision_function(X[:9]))
        np.testing.assert_array_equal(
            model.classes_[model.decision_function(X).argmax(axis=1)], model.predict(X)
        )


BAD_TREES = {
    "unknown": (("a", ("b", ("c", "d"))), "unknown classes 'd'"),
    "missing": (("a", "b"), "missing classes 'c'"),
    "nothing of its own": (
        ("a", ("b", ("c", "a"))),
        r"node \('a', \('b', \('c', 'a'\)\)\) .* separates nothing: .* branch 'a' .* take this branch out",
    ),
    "the same twice": ((("a", "b"), ("b", "a"), "c"), r"separates nothing: .* branch \('a', 'b'\)"),
    "the same deep down": (
        (("a", ("b", "b")), "c"),
        r"node \('b', 'b'\) of tree separates nothing",
    ),
    "one branch": ((("a",), ("b", "c")), r"1 branches \(\('a',\)\): .* a class alone as its label"),
    "no branch": (("a", ("b", "c"), ()), "0 branches"),
    "a set": (("a", {"b", "c"}), "write nodes as tuples or lists"),
    "one class": ("a", "'prototypes', 'greedy', or nested tuples of labels"),
    "no tree": (None, "nested tuples of labels"),
}


@pytest.mark.parametrize("case", BAD_TREES)
def test_a_tree_of_other_classes_is_refused_by_name(case):
    tree, message = BAD_TREES[case]
    with pytest.raises(InvalidInputError, match=message):
        ClassTree(tree=tree).fit(IRIS[0], CLASSES[IRIS[1]])


def test_near_classes_share_a_branch():
    centers = np.array([[0, 0], [1, 0], [40, 0], [41, 0], [0, 300], [1, 300]])
    X, y = make_blobs(300, centers=centers, cluster_std=0.4, random_state=0)
    for tree in ("prototypes", "greedy"):
        machine = make_pipeline(StandardScaler(), LinearSVC(C=100, dual=False))
        model = ClassTree(machine, tree=tree, random_state=0).fit(X, y)
        first, rest = model.tree_
        assert sorted(map(sorted, (_leaves(first), _leaves(rest)))) in (
            [[0, 1, 2, 3], [4, 5]],
            [[0, 1, 4, 5], [2, 3]],
        )
        assert model.score(X, y) > 0.85


def test_trees_do_not_depend_on_the_units_and_text_is_refused():
    X, y = DIGITS
    plain = ClassTree(GaussianNB()).fit(X, y).tree_
    assert ClassTree(GaussianNB()).fit(X * np.logspace(-3, 3, X.shape[1]) + 5, y).tree_ == plain
    with pytest.raises(InvalidInputError, match="nested tuples of labels"):
        ClassTree().fit(np.array([["u"], ["v"], ["w"]], dtype=object), [0, 1, 2])


def test_prototypes_are_weighted_means_in_standard_units_however_rows_are_stored():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=(30, 4)) * (rng.random((30, 4)) < 0.5), np.full(30, 3.0)])
    index, weight = np.arange(30) % 3, rng.integers(0, 4, 30).astype(float)
    repeated = np.repeat(np.arange(30), weight.astype(int))
    expected = np.array([X[repeated][index[repeated] == k].mean(axis=0) for k in range(3)])
    spread = np.append(X[repeated].std(axis=0)[:4], 1.0)
    dense, stored = (class_prototypes(rows, index, 3, weight) for rows in (X, sparse.csr_array(X)))
    np.testing.assert_allclose(stored, expected / spread, rtol=1e-10)
    np.testing.assert_allclose(
        dense - dense[0], (expected - expected[0]) / spread, rtol=1e-10, atol=1e-12
    )


def test_greedy_trees_survive_classes_that_coincide():
    prototypes = np.zeros((6, 2))
    assert sorted(leaves(grow(tuple(range(6)), prototypes, lambda left, right: 0.5))) == list(
        range(6)
    )
    assert sorted(leaves(linked(prototypes))) == list(range(6))


def test_points_of_sign_zero_never_reach_a_machine():
    sign = np.array([1, 0, -1, 0], dtype=np.int8)
    one = train(
        Listener(), np.arange(4.0)[:, None], sign, {"mark": ["p", "q", "r", "s"], "colour": "red"}
    )
    assert (one.first_.tolist(), one.mark_, one.colour_) == ([0.0, 2.0], ["p", "r"], "red")


def test_the_codes_of_pairs_and_of_the_rest_have_their_known_distances():
    for k in range(2, 8):
        assert set(row_distances(one_vs_one(k))) == {1}
        assert set(row_distances(one_vs_rest(k))) == {2}
