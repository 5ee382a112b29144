"""Claims about explanations: terms add up to decisions, shares to one, and histories agree with the path."""

from __future__ import annotations

import builtins
from dataclasses import dataclass

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.exceptions import NotFittedError

from chemin import interpret
from chemin.datasets import TOYDATA1, toydata1
from chemin.estimators import KernelBasisClassifier, KernelBasisClassifierCV, SparseSVC, SparseSVCCV
from chemin.exceptions import InvalidInputError, MissingLibraryError
from chemin.kernels import Gaussian, Kernel, Linear
from chemin.multiclass import ECOC, ClassTree

KERNELS = [Gaussian(width).named(name) for name, width in TOYDATA1.widths.items()]


def largest_words(explanation):
    """Return the words of the term that speaks most for the positive class."""
    k = int(np.argmax(explanation.terms))
    value, reference = explanation.values[k], explanation.reference_values[k]
    return f"{explanation.items[k]} = {value:.4g} (above the reference {reference:.4g})"


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
    return KernelBasisClassifier(Gaussian(1.0), l1=1.0).fit(X, names[y])


@pytest.fixture(scope="module")
def mixed(tumours):
    X, y = tumours
    model = KernelBasisClassifier(l1=2.0, random_state=0).fit(X[::2], y[::2])
    model._row_labels = np.array([f"P{j:04d}" for j in range(len(X[::2]))])
    return model


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


WEIGHT = 1.0 + np.arange(120) % 3

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
    "variables and couples": KernelBasisClassifier(l1=2.0, random_state=0),
}


@pytest.mark.parametrize("sparse_too", [False, True], ids=["dense", "sparse"])
@pytest.mark.parametrize("name", MODELS)
def test_base_and_terms_add_up_to_the_decision_whatever_the_reference(name, sparse_too):
    X, y = toydata1(60)
    new = resampled(X, 200)
    if sparse_too:
        X, new = sparse.csr_array(X), sparse.csr_array(new)
    model = MODELS[name].fit(X, y)
    for reference in ("mean", y[0], new[[3]]):
        explanations = model.explain(new, reference=reference)
        sums = [e.terms.sum() + e.base for e in explanations]
        np.testing.assert_allclose(sums, model.decision_function(new), rtol=0.0, atol=1e-10)
        np.testing.assert_array_equal([e.decision for e in explanations], sums)
        assert [e.chosen for e in explanations] == [str(label) for label in model.predict(new)]
    at_itself = model.explain(new[[3]], reference=new[[3]])[0]
    np.testing.assert_array_equal(at_itself.terms, 0.0)


@pytest.mark.parametrize("name", MODELS)
def test_the_base_is_the_mean_decision_over_the_training_points_or_a_class(name):
    X, y = toydata1(60)
    model = clone(MODELS[name])
    if name != "weighted":
        model.fit(X, y, sample_weight=WEIGHT)
        weight = WEIGHT
    else:
        model.fit(X, y)
        weight = len(y) / (2 * np.array([np.sum(y == label) for label in y]))
    decision = model.decision_function(X)
    base = model.explain(X[:1])[0].base
    np.testing.assert_allclose(base, np.average(decision, weights=weight), atol=1e-10)
    mine = y == 1
    base = model.explain(X[:1], reference=1)[0].base
    np.testing.assert_allclose(base, np.average(decision[mine], weights=weight[mine]), atol=1e-10)
    base = model.explain(X[:1], reference=X[7])[0].base
    np.testing.assert_allclose(base, decision[7], atol=1e-10)


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


def test_a_variable_adds_its_coefficient_times_its_distance_from_the_reference(linear, tumours):
    X, _ = tumours
    explanation = linear.explain(X[:5])[4]
    names = [variable.name for variable in explanation.items]
    assert names == X.columns[linear.support_].tolist()
    values, mean = X[names].to_numpy()[4], X[names].to_numpy().mean(axis=0)
    np.testing.assert_allclose(explanation.values, values)
    np.testing.assert_allclose(explanation.reference_values, mean)
    np.testing.assert_allclose(
        explanation.terms, linear.coef_[0, linear.support_] * (values - mean), atol=1e-12
    )
    np.testing.assert_allclose(explanation.intercept, linear.intercept_[0])


def test_a_couple_adds_its_coefficient_times_its_kernel(kernel):
    X, _ = toydata1()
    explanation = kernel.explain(X[7:8])[0]
    for couple, term in zip(explanation.items, explanation.terms, strict=True):
        column = kernel.kernels_.index(couple.kernel)
        assert couple.coefficient == kernel.B_[couple.row, column]
        similarity = couple.kernel(X[[couple.row]], X)[0]
        wanted = couple.coefficient * (similarity[7] - similarity.mean())
        np.testing.assert_allclose(term, wanted, rtol=1e-9, atol=1e-14)


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


def test_a_summary_says_it_in_a_sentence_then_has_the_largest_terms_which_add_up(linear, tumours):
    explanation = linear.explain(tumours[0][:1])[0]
    lines = explanation.summary(top=3).splitlines()
    assert lines[0] == explanation.sentence
    assert lines[0].startswith(
        f"benign vs malignant: for malignant, by {explanation.decision:.3g}; "
        f"{largest_words(explanation)} speaks most for it; "
    )
    assert lines[0].endswith(" speaks most against it")
    assert lines[1] == "terms: + speaks for malignant, - for benign"
    assert lines[2].endswith("at the reference, the mean of the training points")
    assert lines[-1].endswith("8 other terms")
    sizes = [float(line.split()[0]) for line in lines[2:]]
    np.testing.assert_allclose(sum(sizes), explanation.decision, atol=5e-3)
    bars = [line[12:37] for line in lines[2:]]
    assert [bar.count("+") > bar.count("-") for bar in bars] == [size > 0 for size in sizes]
    assert len({bar.index("|") for bar in bars}) == 1
    assert str(explanation) == explanation.summary()
    assert "worst radius" in repr(explanation)
    assert "\n" not in repr(explanation)


def test_the_frame_of_an_explanation_is_sorted_and_of_the_kind_of_the_data(linear, tumours):
    explanation = linear.explain(tumours[0][:1])[0]
    table = explanation.frame()
    assert table.columns.tolist() == ["variable", "coefficient", "value", "reference", "term"]
    assert np.all(np.diff(np.abs(table["term"])) <= 0)
    terms = table["coefficient"] * (table["value"] - table["reference"])
    np.testing.assert_allclose(terms, table["term"], atol=1e-12)


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


@pytest.mark.parametrize("name", [name for name in MODELS if name != "weighted"])
def test_a_share_is_the_spread_of_a_term_over_the_training_points(name):
    X, y = toydata1(60)
    model = clone(MODELS[name]).fit(X, y, sample_weight=WEIGHT)
    terms = np.array([e.terms for e in model.explain(X)])
    mean = np.average(terms, axis=0, weights=WEIGHT)
    spread = np.sqrt(np.average((terms - mean) ** 2, axis=0, weights=WEIGHT))
    shares = model.reading().shares
    np.testing.assert_allclose(shares, spread / (spread.sum() or 1.0), rtol=1e-9, atol=1e-12)


def test_a_column_shifted_by_a_constant_keeps_its_share():
    X, y = toydata1(60)
    shifted = X + np.array([0.0, 1000.0])
    shares = [SparseSVC(l1=1.0).fit(Z, y).reading().shares for Z in (X, shifted)]
    np.testing.assert_allclose(*shares, atol=1e-6)


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
    np.testing.assert_array_equal(model.reading().centers, X[model.reading().rows])


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
    couples = KernelBasisClassifier(KERNELS, l1=2.0).fit(frame, np.where(y > 0, "plus", "minus"))
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


def test_an_empty_model_has_empty_tables_and_decides_as_at_the_reference():
    X, y = toydata1(40)
    model = KernelBasisClassifier(KERNELS, l1=1e6).fit(X, y)
    for table in (model.couples_, interpret.prototypes(model), model.history()):
        assert len(table) == 0
    assert interpret.kernel_shares(model)["share"].tolist() == [0.0, 0.0, 0.0]
    explanation = model.explain(X[:1])[0]
    assert explanation.decision == explanation.base == explanation.intercept
    assert len(explanation.frame()) == 0
    assert "the model has no term" in explanation.summary()
    assert "no term" in str(model.summary())
    assert model.n_terms_ == 0


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
    with pytest.raises(ValueError, match=r"features|NaN|1-D"):
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


REFERENCES = {
    "array": lambda X: X.to_numpy()[5],
    "list": lambda X: X.to_numpy()[5].tolist(),
    "Series": lambda X: X.iloc[5],
    "Series in another order": lambda X: X.iloc[5, ::-1],
    "DataFrame": lambda X: X.iloc[[5]],
    "one row of an array": lambda X: X.to_numpy()[5:6],
    "polars Series": lambda X: pl.Series(X.to_numpy()[5]),
}


@pytest.mark.parametrize("kind", REFERENCES)
def test_a_point_of_any_kind_is_a_reference(linear, tumours, kind):
    X, _ = tumours
    explanation = linear.explain(X[:1], reference=REFERENCES[kind](X))[0]
    np.testing.assert_allclose(explanation.base, linear.decision_function(X.iloc[[5]])[0])
    np.testing.assert_allclose(explanation.decision, linear.decision_function(X[:1])[0])
    assert explanation.reference == "the given point"


WRONG_REFERENCES = {
    "a class that is not there": (lambda X: "ill", "the classes are 'benign', 'malignant'"),
    "a number": (lambda X: 3, "the classes are 'benign', 'malignant'"),
    "too few values": (lambda X: X.to_numpy()[0, :3], "3 values where the model has 30 variables"),
    "a short Series": (lambda X: X.iloc[0, :3], "3 values where the model has 30 variables"),
    "other names": (lambda X: X.iloc[0].rename(str.upper), "does not name the variables"),
    "several rows": (lambda X: X[:2], "2 rows: pass one point"),
    "a missing value": (lambda X: X.iloc[0].where(X.iloc[0] > 1.0), "missing values: fill them"),
    "a missing value in a table": (lambda X: X[:1].where(X[:1] > 1.0), "missing values: fill them"),
    "a list with None": (lambda X: [None] * 30, "missing values: fill them"),
}


@pytest.mark.parametrize("wrong", WRONG_REFERENCES)
def test_a_wrong_reference_is_answered_with_a_remedy(linear, tumours, wrong):
    make, message = WRONG_REFERENCES[wrong]
    with pytest.raises(InvalidInputError, match=message):
        linear.explain(tumours[0][:1], reference=make(tumours[0]))


def test_a_class_that_a_machine_never_saw_is_no_reference(flowers):
    X, _ = load_iris(return_X_y=True, as_frame=True)
    assert len(flowers.explain(X[:1], machine=0, reference="setosa")) == 1
    with pytest.raises(InvalidInputError, match="pass one of its classes, 'setosa', 'versicolor'"):
        flowers.explain(X[:1], machine=0, reference="virginica")


def test_the_word_mean_is_never_a_class():
    X, y = toydata1(40)
    model = SparseSVC(l1=1.0).fit(X, np.where(y > 0, "mean", "other"))
    assert model.explain(X[:1], reference="mean")[0].reference == "the mean of the training points"


def test_points_of_any_kind_can_be_references():
    texts = ["good fine", "great good", "nice fun", "bad poor", "awful bad", "poor sad"]
    model = KernelBasisClassifier(CommonLetters(), l1=0.01).fit(texts, ["yes"] * 3 + ["no"] * 3)
    for reference in ("mean", "yes", ["good"]):
        explanation = model.explain(["bad"], reference=reference)[0]
        np.testing.assert_allclose(explanation.decision, model.decision_function(["bad"])[0])


def test_a_mixed_model_has_both_tables_and_one_column_for_items(mixed, tumours):
    couples, variables = mixed.couples_, mixed.variables_
    assert len(couples) == mixed.B_.nnz > 0
    assert len(variables) == np.count_nonzero(mixed.coef_) > 0
    np.testing.assert_allclose(couples["share"].sum() + variables["share"].sum(), 1.0)
    place = [tumours[0].columns.tolist().index(name) for name in variables["variable"]]
    np.testing.assert_array_equal(variables["coefficient"], mixed.coef_[0, place])
    assert mixed.n_terms_ == len(couples) + len(variables)
    for table in (interpret.prototypes(mixed), interpret.kernel_shares(mixed)):
        np.testing.assert_allclose(table["share"].sum(), couples["share"].sum())
    assert mixed.history().columns.tolist() == ["item", "entered", "left"]
    table = mixed.explain(tumours[0][:1])[0].frame()
    assert table.columns.tolist() == ["item", "coefficient", "value", "reference", "term"]
    assert set(table["item"]) == {str(item) for item in mixed.reading().items}


def test_couples_are_called_by_the_labels_of_the_rows(mixed, tumours):
    couples = mixed.couples_
    rows = [int(name[1:]) for name in couples["point"]]
    np.testing.assert_array_equal(couples["label"], mixed._labels[rows])
    for item in mixed.reading().items:
        if isinstance(item, interpret.Couple):
            assert item.point == f"P{item.row:04d}"
            assert str(item) == f"{item.point} (class {item.label}), {item.kernel.name}"
    assert set(interpret.prototypes(mixed)["point"]) == set(couples["point"])
    told = str(mixed.explain(tumours[0][:1])[0].summary(top=100))
    assert "like P0" in told
    assert "unlike P0" in told


def test_like_and_unlike_are_said_against_the_reference(kernel):
    X, _ = toydata1()
    explanation = kernel.explain(X[7:8])[0]
    for item, value, mean in zip(
        explanation.items, explanation.values, explanation.reference_values, strict=True
    ):
        word = "like" if value > mean else "unlike"
        assert item.with_value(value, mean).startswith(f"{word} point {item.row} (class ")


def test_of_several_machines_every_term_is_counted_once(flowers):
    table = flowers.couples_
    assert flowers.n_terms_ == len(table[["point", "kernel"]].drop_duplicates())
    X, y = load_iris(return_X_y=True)
    assert SparseSVC(l1=0.1).fit(X, y).n_terms_ == 4


def test_the_positive_class_is_the_one_that_is_spoken_for(tumours):
    X, y = tumours
    model = SparseSVC(l1=10.0, standardize=True).fit(X, y)
    before, coefficients = model.explain(X[:5]), model.variables_["coefficient"]
    decisions = model.decision_function(X[:5])
    model.positive = "benign"
    after = model.explain(X[:5])
    np.testing.assert_array_equal(model.decision_function(X[:5]), decisions)
    np.testing.assert_allclose([e.decision for e in after], -decisions)
    np.testing.assert_allclose([e.terms for e in after], [-e.terms for e in before])
    np.testing.assert_array_equal([e.values for e in after], [e.values for e in before])
    np.testing.assert_array_equal(model.variables_["coefficient"], -coefficients)
    assert [e.chosen for e in after] == [e.chosen for e in before] == model.predict(X[:5]).tolist()
    assert str(after[0].sides) == "malignant vs benign"
    assert model.reading("benign vs malignant").sides.positive == ("benign",)
    assert model.summary().positive == "benign"
    model.positive = "malignant"
    np.testing.assert_array_equal(model.explain(X[:1])[0].terms, before[0].terms)


@pytest.mark.parametrize(
    ("positive", "classes", "message"),
    [
        ("sick", ["ill", "well"], "one of the classes, 'ill' or 'well'"),
        (2, [0, 1], "one of the classes, 0 or 1"),
        ("a", ["a", "b", "c"], "there are 3 classes: .* leave it None"),
    ],
)
def test_an_unknown_positive_class_is_answered_with_those_there_are(positive, classes, message):
    with pytest.raises(InvalidInputError, match=message):
        interpret.check_positive(positive, np.array(classes))


def test_a_positive_class_may_be_left_out_or_be_any_of_the_two():
    for positive in (None, "ill", "well"):
        interpret.check_positive(positive, np.array(["ill", "well"]))


def test_the_page_of_an_explanation_escapes_names_and_has_a_bar_per_term():
    X, y = toydata1(60)
    names = ["<b>a</b>", "x & y"]
    model = SparseSVC(l1=1.0).fit(pd.DataFrame(X, columns=names), np.where(y > 0, "<i>", "no"))
    page = model.explain(pd.DataFrame(X[:1], columns=names))[0]._repr_html_()
    assert "<b>a</b>" not in page
    assert "&lt;b&gt;a&lt;/b&gt;" in page
    assert "x &amp; y" in page
    assert "&lt;i&gt;" in page
    assert page.count('<td class="bar">') == 3
    assert "&lt;i&gt;" in model.summary()._repr_html_()


def test_support_vectors_are_those_of_the_model_itself(kernel):
    np.testing.assert_array_equal(kernel.reading().support, kernel.support_)
