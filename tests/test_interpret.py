"""Claims about explanations: terms add up to decisions, shares to one, and histories agree with the path."""

from __future__ import annotations

import builtins
from dataclasses import dataclass

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.exceptions import NotFittedError

from chemin import interpret
from chemin.datasets import TOYDATA1, toydata1
from chemin.estimators import KernelBasisClassifier, KernelBasisClassifierCV, SparseSVC, SparseSVCCV
from chemin.exceptions import InvalidInputError, MissingLibraryError
from chemin.kernels import Gaussian, Kernel, Linear
from chemin.multiclass import ECOC, ClassTree

KERNELS = [Gaussian(width).named(name) for name, width in TOYDATA1.widths.items()]


@pytest.fixture(scope="module")
def tumours():
    data = load_breast_cancer(as_frame=True)
    return data.data, data.target_names[data.target]


@pytest.fixture(scope="module")
def linear(tumours):
    return SparseSVC(l1=10.0, standardize=True).fit(*tumours)


@pytest.fixture(scope="module")
def kernel():
    X, y = toydata1()
    return KernelBasisClassifier(KERNELS, l1=2.0).fit(X, np.where(y > 0, "plus", "minus"))


@pytest.fixture(scope="module")
def flowers():
    X, y = load_iris(return_X_y=True, as_frame=True)
    names = np.array(["setosa", "versicolor", "virginica"])
    return KernelBasisClassifier(l1=1.0).fit(X, names[y])


@dataclass(frozen=True)
class CommonLetters(Kernel):
    """The number of letters that two texts share."""

    numeric = False
    positive = True

    def __call__(self, X, Z):
        return np.array([[len(set(x[0]) & set(z[0])) / 10 for z in Z] for x in X])

    def diagonal(self, X):
        return np.array([len(set(x[0])) / 10 for x in X])


def resampled(X, count=1000):
    """Draw points near those of X, as many as asked for."""
    rng = np.random.default_rng(0)
    rows = X[rng.integers(len(X), size=count)]
    return rows + 0.1 * X.std(axis=0) * rng.standard_normal(rows.shape)


MODELS = {
    "linear": SparseSVC(l1=1.0),
    "standardised": SparseSVC(l1=1.0, standardize=True),
    "l1 chosen": SparseSVCCV(cv=3, standardize=True),
    "weighted": SparseSVC(l1=1.0, class_weight="balanced"),
    "unpenalised variable": SparseSVC(l1=5.0, l1_weight=[0.0, 1.0]),
    "empty": SparseSVC(l1=1e6),
    "kernels": KernelBasisClassifier(KERNELS, l1=2.0),
    "scaled kernels": KernelBasisClassifier([*KERNELS, Linear()], l1=2.0, scale="norm"),
    "few centres": KernelBasisClassifier(KERNELS, l1=2.0, centers=20, random_state=0),
    "kernels, l1 chosen": KernelBasisClassifierCV(KERNELS, cv=3),
}


@pytest.mark.parametrize("sparse_too", [False, True], ids=["dense", "sparse"])
@pytest.mark.parametrize("name", MODELS)
def test_terms_and_intercept_add_up_to_the_decision(name, sparse_too):
    X, y = toydata1(60)
    new = resampled(X)
    if sparse_too:
        X, new = sparse.csr_array(X), sparse.csr_array(new)
    model = MODELS[name].fit(X, y)
    explanations = model.explain(new)
    sums = [e.terms.sum() + e.intercept for e in explanations]
    np.testing.assert_allclose(sums, model.decision_function(new), rtol=0.0, atol=1e-10)
    np.testing.assert_array_equal([e.decision for e in explanations], sums)
    assert [e.chosen for e in explanations] == [str(label) for label in model.predict(new)]


@pytest.mark.parametrize("scheme", ["ovo", "ovr", ECOC(code="exhaustive"), ClassTree()], ids=str)
@pytest.mark.parametrize(
    "estimator", [SparseSVC(), KernelBasisClassifier()], ids=["linear", "kernels"]
)
def test_every_machine_of_every_scheme_is_explained(estimator, scheme):
    X, y = load_iris(return_X_y=True)
    model = estimator.set_params(multiclass=scheme).fit(X, y)
    new = resampled(X, 50)
    for number, machine in enumerate(model.estimators_):
        decisions = [e.decision for e in model.explain(new, machine=number)]
        np.testing.assert_allclose(decisions, machine.decision_function(new), rtol=0.0, atol=1e-10)


def test_a_variable_adds_its_coefficient_times_its_value(linear, tumours):
    X, _ = tumours
    explanation = linear.explain(X[:5])[4]
    names = [variable.name for variable in explanation.couples]
    assert names == X.columns[linear.support_].tolist()
    np.testing.assert_allclose(explanation.values, X[names].to_numpy()[4])
    np.testing.assert_allclose(
        explanation.terms, linear.coef_[0, linear.support_] * X[names].to_numpy()[4]
    )


def test_a_couple_adds_its_coefficient_times_its_kernel(kernel):
    X, _ = toydata1()
    explanation = kernel.explain(X[7:8])[0]
    for couple, term in zip(explanation.couples, explanation.terms, strict=True):
        row = kernel.kernels_.index(couple.kernel)
        assert couple.coefficient == kernel.B_[couple.point, row]
        similarity = couple.kernel(X[[couple.point]], X[7:8])[0, 0]
        np.testing.assert_allclose(term, couple.coefficient * similarity, rtol=1e-9, atol=1e-14)


def test_points_of_any_kind_are_explained():
    texts = [
        "good fine nice",
        "great good",
        "nice great fun",
        "bad poor",
        "awful bad worse",
        "poor sad awful",
    ]
    model = KernelBasisClassifier(CommonLetters(), l1=0.01).fit(texts, ["yes"] * 3 + ["no"] * 3)
    decisions = [e.decision for e in model.explain(["good", "bad"])]
    np.testing.assert_allclose(
        decisions, model.decision_function(["good", "bad"]), rtol=0.0, atol=1e-10
    )
    assert set(model.couples_["label"]) == {"no", "yes"}


def test_a_summary_has_the_largest_terms_with_their_signs_and_adds_up(linear, tumours):
    explanation = linear.explain(tumours[0][:1])[0]
    lines = explanation.summary(top=3).splitlines()
    assert lines[0] == f"benign vs malignant: decision {explanation.decision:+.4g}, for malignant"
    assert [line.split(maxsplit=1)[1] for line in lines[1:]] == [
        "worst radius = 25.38", "worst symmetry = 0.4601", "worst area = 2019", "8 other terms", "intercept",
    ]  # fmt: skip
    np.testing.assert_allclose(
        sum(float(line.split()[0]) for line in lines[1:]), explanation.decision, atol=5e-3
    )
    assert str(explanation) == explanation.summary()
    assert "worst radius" in repr(explanation)
    assert "\n" not in repr(explanation)


def test_the_frame_of_an_explanation_is_sorted_and_of_the_kind_of_the_data(linear, tumours):
    explanation = linear.explain(tumours[0][:1])[0]
    table = explanation.frame()
    assert table.columns.tolist() == ["variable", "coefficient", "value", "term"]
    assert np.all(np.diff(np.abs(table["term"])) <= 0)
    np.testing.assert_allclose(table["coefficient"] * table["value"], table["term"])


TABLES = {
    "couples": (interpret.couples, ["point", "label", "kernel", "coefficient", "share"]),
    "prototypes": (interpret.prototypes, ["point", "label", "kernels", "share"]),
    "kernels": (interpret.kernel_shares, ["kernel", "couples", "share"]),
}


@pytest.mark.parametrize("name", TABLES)
def test_shares_sum_to_one_and_are_sorted(name, kernel, flowers):
    table, header = TABLES[name]
    one = table(kernel)
    assert list(one.columns) == header
    assert np.all(np.diff(one["share"]) <= 0)
    np.testing.assert_allclose(one["share"].sum(), 1.0, rtol=1e-12)
    several = table(flowers)
    assert list(several.columns) == ["machine", *header]
    np.testing.assert_allclose(several.groupby("machine")["share"].sum(), 1.0, rtol=1e-12)
    assert several["machine"].unique().tolist() == [
        "setosa vs versicolor", "setosa vs virginica", "versicolor vs virginica",
    ]  # fmt: skip
    assert list(table(flowers, machine=("virginica", "setosa")).columns) == header


def test_a_share_is_the_mean_size_of_a_term_over_the_training_points(kernel):
    X, _ = toydata1()
    sizes = np.abs([e.terms for e in kernel.explain(X)]).mean(axis=0)
    np.testing.assert_allclose(kernel.reading().shares, sizes / sizes.sum(), rtol=1e-10)


def test_a_weight_of_two_and_the_point_twice_give_the_same_shares(tumours):
    X, y = tumours[0].to_numpy()[::4], tumours[1][::4]
    weight = 1.0 + (np.arange(len(y)) % 3 == 0)
    weighted = SparseSVC(l1=5.0).fit(X, y, sample_weight=weight)
    repeated = SparseSVC(l1=5.0).fit(
        np.repeat(X, weight.astype(int), axis=0), np.repeat(y, weight.astype(int))
    )
    np.testing.assert_allclose(weighted.reading().shares, repeated.reading().shares, atol=1e-8)


def test_couples_are_the_entries_of_the_matrix(kernel):
    table, names = kernel.couples_, [k.name for k in kernel.kernels_]
    assert len(table) == kernel.B_.nnz
    for line in table.itertuples():
        assert line.coefficient == kernel.B_[line.point, names.index(line.kernel)]
        assert line.label == kernel._labels[line.point]
    assert sorted(interpret.prototypes(kernel)["point"]) == kernel.active_points_.tolist()


def test_couples_name_rows_of_the_data_given_to_fit_though_some_weigh_nothing():
    X, y = toydata1()
    weight = np.ones(len(y))
    weight[:50] = 0.0
    model = KernelBasisClassifier(KERNELS, l1=2.0).fit(X, y, sample_weight=weight)
    assert min(model.couples_["point"]) >= 50
    np.testing.assert_array_equal(model.reading().centers, X[model.reading().points])


def test_variables_have_their_names_and_the_coefficients_of_the_user(linear, tumours):
    table = linear.variables_
    assert table.columns.tolist() == ["variable", "coefficient", "share"]
    np.testing.assert_allclose(table["share"].sum(), 1.0)
    place = [tumours[0].columns.tolist().index(name) for name in table["variable"]]
    np.testing.assert_array_equal(table["coefficient"], linear.coef_[0, place])
    unnamed = SparseSVC(l1=10.0, standardize=True).fit(tumours[0].to_numpy(), tumours[1]).variables_
    assert unnamed["variable"].tolist() == [f"x{j}" for j in place]


def test_kernel_shares_list_every_kernel_even_unused():
    X, y = toydata1()
    first = KernelBasisClassifier(KERNELS, l1=20.0).fit(X, y).path_.l1[0]
    table = interpret.kernel_shares(KernelBasisClassifier(KERNELS, l1=0.999 * first).fit(X, y))
    assert sorted(table["kernel"]) == sorted(k.name for k in KERNELS)
    assert table["couples"].tolist()[1:] == [0, 0]
    np.testing.assert_allclose(table["share"], [1.0, 0.0, 0.0], rtol=1e-12)


@pytest.mark.parametrize("kind", [pd, pl], ids=["pandas", "polars"])
def test_tables_are_of_the_kind_of_the_training_data(kind):
    X, y = toydata1(40)
    frame = kind.DataFrame({"a": X[:, 0], "b": X[:, 1]})
    couples = KernelBasisClassifier(l1=2.0).fit(frame, np.where(y > 0, "plus", "minus"))
    lines = SparseSVC(l1=2.0).fit(frame, y)
    tables = [table(couples) for table, _ in TABLES.values()]
    tables += [
        couples.couples_,
        couples.history(),
        couples.explain(frame)[0].frame(),
        lines.variables_,
        lines.history(),
    ]
    assert all(isinstance(table, kind.DataFrame) for table in tables)
    assert lines.variables_["variable"].to_list() == ["a", "b"]


def test_an_empty_model_has_empty_tables_and_decides_by_its_intercept():
    X, y = toydata1(40)
    model = KernelBasisClassifier(KERNELS, l1=1e6).fit(X, y)
    for table in (model.couples_, interpret.prototypes(model), model.history()):
        assert len(table) == 0
    assert interpret.kernel_shares(model)["share"].tolist() == [0.0, 0.0, 0.0]
    explanation = model.explain(X[:1])[0]
    assert explanation.decision == explanation.intercept
    assert len(explanation.frame()) == 0
    assert "intercept" in explanation.summary()


@pytest.mark.parametrize("name", [name for name in MODELS if name != "empty"])
def test_the_history_agrees_with_the_path(name):
    model = MODELS[name].fit(*toydata1(60))
    reading, path = model.reading(), model.path_
    stays = reading.stays
    coef = path.coef.toarray()
    for column, entered, left in zip(stays.columns, stays.entered, stays.left, strict=True):
        inside = (path.l1 < entered) & ~(path.l1 <= left)
        assert np.all(coef[inside, column] != 0.0)
    for column in np.unique(coef.nonzero()[1]):
        mine = stays.columns == column
        covered = np.zeros(len(path.l1), dtype=bool)
        for entered, left in zip(stays.entered[mine], stays.left[mine], strict=True):
            covered |= (path.l1 <= entered) & ~(path.l1 < left)
        assert covered[coef[:, column] != 0.0].all()
    assert set(stays.columns[np.isnan(stays.left)]) == set(reading.active)
    enters = path.events[path.events["kind"] == "enter"]
    assert set(enters["l1"]) >= set(stays.entered[stays.entered < path.l1[0]])
    assert np.all(np.diff(stays.entered) <= 0.0)


def test_an_unpenalised_variable_has_always_been_there():
    table = SparseSVC(l1=5.0, l1_weight=[0.0, 1.0]).fit(*toydata1(60)).history()
    assert table["variable"][0] == "x0"
    assert table["entered"][0] == np.inf


def test_the_history_names_what_entered_and_left(linear, flowers):
    table = linear.history()
    assert table.columns.tolist() == ["variable", "entered", "left"]
    assert table["variable"][0] in ("mean concave points", "worst perimeter")
    stayed = table[table["left"].isna()]["variable"]
    assert sorted(stayed) == sorted(linear.variables_["variable"])
    assert flowers.history().columns.tolist() == [
        "machine",
        "point",
        "label",
        "kernel",
        "entered",
        "left",
    ]


@pytest.mark.parametrize(
    ("machine", "number"),
    [
        (0, 0),
        (np.int64(2), 2),
        ("setosa vs virginica", 1),
        (("virginica", "versicolor"), 2),
        (["setosa", "virginica"], 1),
    ],
)
def test_a_machine_is_a_number_a_name_or_two_classes(flowers, machine, number):
    assert flowers.reading(machine).machine is flowers.estimators_[number]


@pytest.mark.parametrize(
    "wrong", [3, -1, True, 1.0, "setosa", ("setosa", "rose"), ("setosa",), None]
)
def test_an_unknown_machine_is_answered_with_those_there_are(flowers, wrong):
    with pytest.raises(
        InvalidInputError, match=r"0 \(setosa vs versicolor\), 1 \(setosa vs virginica\)"
    ):
        flowers.explain(np.zeros((1, 4)), machine=wrong)


def test_machines_against_the_rest_are_called_so():
    X, y = load_iris(return_X_y=True)
    model = SparseSVC(multiclass="ovr").fit(X, y)
    assert model.variables_["machine"].unique().tolist() == ["0 vs rest", "1 vs rest", "2 vs rest"]
    explanation = model.explain(X[:1], machine="0 vs rest")[0]
    assert explanation.chosen == "0"
    assert explanation.decision > 0


def test_a_model_has_the_table_of_its_kind_only(linear, kernel):
    assert not hasattr(linear, "couples_")
    assert not hasattr(kernel, "variables_")
    with pytest.raises(AttributeError, match="read variables_"):
        _ = linear.couples_
    for table in (interpret.couples, interpret.prototypes, interpret.kernel_shares):
        with pytest.raises(InvalidInputError, match="made of variables"):
            table(linear)
    with pytest.raises(InvalidInputError, match="made of couples"):
        interpret.variables(kernel)


@pytest.mark.parametrize(
    "ask",
    [
        lambda model: model.explain(np.zeros((1, 2))),
        lambda model: model.history(),
        lambda model: model.couples_,
        interpret.prototypes,
    ],
)
def test_only_a_model_of_all_points_can_be_read(ask):
    with pytest.raises(NotFittedError):
        ask(KernelBasisClassifier())
    with pytest.raises(NotFittedError, match="refit is False"):
        ask(KernelBasisClassifierCV(KERNELS, cv=3, refit=False).fit(*toydata1(30)))


@pytest.mark.parametrize("wrong", [np.zeros((1, 3)), np.full((1, 2), np.nan), np.zeros(2)])
def test_points_are_checked_as_for_a_prediction(wrong):
    model = SparseSVC().fit(*toydata1(30))
    with pytest.raises(ValueError, match=r"features|NaN|1D array"):
        model.explain(wrong)


def test_without_a_table_library_the_arrays_are_named(linear, kernel, monkeypatch):
    real = builtins.__import__

    def refuse(name, *args, **kwargs):
        if name in ("pandas", "polars"):
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", refuse)
    with pytest.raises(MissingLibraryError, match="B_"):
        _ = kernel.couples_
    with pytest.raises(MissingLibraryError, match="coef_"):
        _ = linear.variables_
    with pytest.raises(MissingLibraryError, match=r"path_\.events"):
        linear.history()
