"""Claims about pipelines: models behind transformers are explained, drawn and saved in the user's variables."""

from __future__ import annotations

import matplotlib
import numpy as np
import pandas as pd
import pytest
from sklearn.compose import ColumnTransformer, make_column_selector, make_column_transformer
from sklearn.decomposition import PCA
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.feature_selection import SelectKBest, VarianceThreshold
from sklearn.impute import KNNImputer, SimpleImputer
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import FeatureUnion, Pipeline, make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    MaxAbsScaler,
    MinMaxScaler,
    OneHotEncoder,
    OrdinalEncoder,
    QuantileTransformer,
    RobustScaler,
    SplineTransformer,
    StandardScaler,
    TargetEncoder,
)

import chemin
from chemin import (
    KernelBasisClassifierCV,
    Prepare,
    SparseRegressor,
    SparseSVC,
    SparseSVCCV,
    interpret,
    plots,
)
from chemin.exceptions import InvalidInputError
from chemin.tables import opened

matplotlib.use("Agg")
NUMBERS = ["âge", "tension", "cholestérol"]


@pytest.fixture(scope="module")
def table():
    return chemin.read("patients", target="diagnostic")


@pytest.fixture(scope="module", name="X")
def points_of_all(table):
    return table.X


@pytest.fixture(scope="module")
def y(table):
    return table.y


@pytest.fixture(scope="module")
def fitted(X, y):
    return make_pipeline(Prepare(), SparseSVC(l1=4.0, positive="malade")).fit(X, y)


def mixed() -> ColumnTransformer:
    numbers = make_pipeline(SimpleImputer(add_indicator=True), StandardScaler())
    order = OrdinalEncoder(
        categories=[["jamais", "parfois", "souvent"]],
        handle_unknown="use_encoded_value",
        unknown_value=np.nan,
    )
    return ColumnTransformer(
        [
            ("numbers", numbers, NUMBERS),
            ("words", OneHotEncoder(handle_unknown="ignore", min_frequency=12), ["sexe", "ville"]),
            ("order", make_pipeline(order, SimpleImputer()), ["tabac"]),
            ("text", TfidfVectorizer(max_features=8), "observation"),
        ]
    )


def complete(X: pd.DataFrame) -> pd.DataFrame:
    return X.assign(observation=X["observation"].fillna(""))


def numbers(X: pd.DataFrame) -> pd.DataFrame:
    return X[NUMBERS].fillna(X[NUMBERS].median())


WAYS = {
    "Prepare": (Prepare, lambda X: X),
    "Prepare without scale": (lambda: Prepare(scale=False), lambda X: X),
    "ColumnTransformer": (mixed, complete),
    "selected": (lambda: make_pipeline(mixed(), VarianceThreshold(), SelectKBest(k=9)), complete),
    "scaled twice": (
        lambda: make_pipeline(RobustScaler(), MinMaxScaler(), MaxAbsScaler()),
        numbers,
    ),
    "neighbours": (lambda: make_pipeline(KNNImputer(), StandardScaler()), lambda X: X[NUMBERS]),
    "union": (lambda: FeatureUnion([("scaled", StandardScaler()), ("pca", PCA(1))]), numbers),
    "quantiles": (lambda: QuantileTransformer(n_quantiles=20), numbers),
    "splines": (lambda: SplineTransformer(n_knots=3), numbers),
    "components": (lambda: make_pipeline(StandardScaler(), PCA(2)), numbers),
    "function": (lambda: FunctionTransformer(np.log1p, feature_names_out="one-to-one"), numbers),
    "target encoding": (
        lambda: ColumnTransformer([("ville", TargetEncoder(), ["ville"])], remainder="drop"),
        lambda X: X,
    ),
    "selectors": (
        lambda: make_column_transformer(
            (OneHotEncoder(), make_column_selector(dtype_include="category")),
            remainder="passthrough",
        ),
        lambda X: X[["ville", *NUMBERS]].assign(**numbers(X)),
    ),
    "arrays": (lambda: make_pipeline(StandardScaler()), lambda X: numbers(X).to_numpy()),
}


@pytest.mark.parametrize(("make", "columns"), WAYS.values(), ids=WAYS.keys())
def test_terms_add_up_to_the_decision_variable_by_variable(make, columns, X, y):
    points = columns(X)
    pipeline = make_pipeline(make(), SparseSVC(l1=2.0, standardize=True)).fit(points, y)
    explanations = interpret.explain(pipeline, points)
    np.testing.assert_allclose(
        [e.decision for e in explanations], pipeline.decision_function(points), atol=1e-10
    )
    names = [str(item) for item in explanations[0].items]
    assert len(set(names)) == len(names)
    for reference in ("malade", points[:1]):
        told = interpret.explain(pipeline, points[:3], reference=reference)
        np.testing.assert_allclose(
            [e.decision for e in told], pipeline.decision_function(points[:3]), atol=1e-10
        )
    assert str(explanations[0])
    assert explanations[0]._repr_html_()
    assert len(explanations[0].frame()) == len(names)
    assert str(interpret.summary(pipeline))


@pytest.mark.parametrize(
    "name", ["Prepare", "ColumnTransformer", "scaled twice", "neighbours", "arrays"]
)
def test_numbers_are_told_in_the_users_units(name, X, y):
    make, columns = WAYS[name]
    points = columns(X)
    pipeline = make_pipeline(make(), SparseSVC(l1=2.0)).fit(points, y)
    explanation = interpret.explain(pipeline, points[2:3])[0]
    known = {str(item): k for k, item in enumerate(explanation.items)}
    age = known["x0" if name == "arrays" else "âge"]
    assert explanation.values[age] == pytest.approx(X["âge"].iloc[2])
    assert explanation.reference_values[age] == pytest.approx(X["âge"].mean())
    slope = explanation.items[
        age
    ].coefficient  # per year: the decision moves by it when the age does
    older = points[2:3].copy()
    if name == "arrays":
        older[0, 0] += 1.0
    else:
        older["âge"] += 1.0
    move = pipeline.decision_function(older) - pipeline.decision_function(points[2:3])
    assert slope == pytest.approx(float(move[0]))


def test_a_patient_is_explained_in_the_patients_words(fitted, X):
    said = str(interpret.explain(fitted, X[:2])[0])
    assert said.startswith("P0001, sain vs malade: for sain")
    for words in (
        "sexe = F (reference: 46 % H)",
        "âge = 69 (above the reference 58.31)",
        "cholestérol missing",
    ):
        assert words in said
    assert "tabac = jamais (reference: parfois)" in said
    assert "observation holds" in str(interpret.explain(fitted, X[1:2])[0])


def test_categories_and_gaps_of_scikit_learn_have_their_names(X, y):
    points = complete(X)
    pipeline = make_pipeline(mixed(), SparseSVC(l1=0.5)).fit(points, y)
    names = [origin.name for origin in opened(pipeline).origins]
    expected = [
        "âge",
        "cholestérol missing",
        "sexe = F",
        "sexe = other",
        "ville = Rouen",
        "ville = other",
        "tabac",
    ]
    assert set(expected) <= set(names)
    assert names == [str(name) for name in opened(pipeline).reading().names]
    encoder = pipeline[0].named_transformers_["words"]
    assert len([name for name in names if name.startswith(("sexe", "ville"))]) == len(
        encoder.get_feature_names_out()
    )


@pytest.mark.parametrize("drop", [None, "first", "if_binary"])
@pytest.mark.parametrize("options", [{}, {"min_frequency": 12}, {"max_categories": 3}])
def test_categories_are_those_that_the_encoder_puts_out(drop, options, X, y):
    points = X[["sexe", "ville"]].astype(object).fillna("F")
    encoder = OneHotEncoder(drop=drop, **options)
    pipeline = make_pipeline(encoder, SparseSVC(l1=0.1)).fit(points, y)
    names = [origin.name for origin in opened(pipeline).origins]
    expected = [
        name.replace("sexe_", "sexe = ")
        .replace("ville_", "ville = ")
        .replace("infrequent_sklearn", "other")
        for name in encoder.get_feature_names_out()
    ]
    assert names == expected


def test_couples_are_named_by_the_identifier(X, y):
    for points in (
        X,
        __import__("polars").DataFrame(X.drop(columns="tabac").to_dict("list"), strict=False),
    ):
        pipeline = make_pipeline(Prepare(words=5), chemin.KernelBasisClassifier(l1=2.0)).fit(
            points, y
        )
        couples = interpret.couples(pipeline)
        assert set(couples["point"]) <= set(X["identifiant"])
        assert interpret.explain(pipeline, points[:1])[0].point == "P0001"


def test_searches_and_folds_take_pipelines(X, y):
    pipeline = make_pipeline(Prepare(), SparseSVC())
    search = GridSearchCV(
        pipeline, {"sparsesvc__l1": [2.0, 6.0], "prepare__rare": [5, 20]}, cv=3
    ).fit(X, y)
    assert interpret.explain(search, X[:1])[0].point == "P0001"
    assert "Prepare → SparseSVC" in str(interpret.summary(search))
    assert cross_val_score(pipeline, X, y, cv=3).mean() > 0.8


def test_polars_gives_the_same_model(table, fitted, X, y):
    frame = table.frame("polars").drop("diagnostic")
    other = make_pipeline(Prepare(), SparseSVC(l1=4.0, positive="malade")).fit(frame, y)
    np.testing.assert_allclose(
        other.decision_function(frame), fitted.decision_function(X), atol=1e-10
    )
    assert str(interpret.explain(other, frame[:1])[0]) == str(interpret.explain(fitted, X[:1])[0])
    assert type(interpret.variables(other)).__module__.startswith("polars")


@pytest.mark.parametrize(
    "make",
    [
        lambda: make_pipeline(Prepare(), SparseSVC(l1=4.0)),
        lambda: make_pipeline(
            Prepare(dates=("elapsed", "month")), chemin.KernelBasisClassifier(l1=3.0)
        ),
        lambda: make_pipeline(mixed(), SelectKBest(k=9), SparseSVC(l1=4.0)),
        lambda: GridSearchCV(
            make_pipeline(Prepare(), SparseSVC()), {"sparsesvc__l1": [2.0, 6.0]}, cv=3
        ),
        lambda: make_pipeline(
            make_column_transformer((Prepare(), ["âge", "sexe", "ville"]), remainder="drop"),
            SparseSVC(l1=4.0),
        ),
    ],
    ids=[
        "Prepare",
        "kernel basis",
        "ColumnTransformer",
        "search",
        "Prepare in a ColumnTransformer",
    ],
)
def test_a_saved_pipeline_is_the_same_pipeline(make, X, y, tmp_path):
    points = complete(X)
    pipeline = make().fit(points, y)
    chemin.save(pipeline, tmp_path / "model.skops")
    again = chemin.load(tmp_path / "model.skops")
    np.testing.assert_array_equal(
        again.decision_function(points), pipeline.decision_function(points)
    )
    assert str(interpret.explain(again, points[:1])[0]) == str(
        interpret.explain(pipeline, points[:1])[0]
    )
    assert str(interpret.summary(again)) == str(interpret.summary(pipeline))


def test_numbers_are_predicted_and_explained_through_pipelines(X):
    target = X["tension"].fillna(130.0).to_numpy(dtype=float)
    pipeline = make_pipeline(Prepare(), SparseRegressor(l1=20.0)).fit(
        X.drop(columns="tension"), target
    )
    told = interpret.explain(pipeline, X.drop(columns="tension")[:2])
    np.testing.assert_allclose(
        [e.decision for e in told], pipeline.predict(X.drop(columns="tension")[:2])
    )
    assert str(told[0]).startswith("P0001, predicted")
    assert "standard deviation" in str(interpret.summary(pipeline))


def test_many_classes_are_explained_machine_by_machine(X, y):
    towns = X["ville"].astype(str).where(X["ville"].isin(["Rouen", "Caen"]), "autre")
    points = X.drop(columns="ville")
    pipeline = make_pipeline(Prepare(), SparseSVC(l1=2.0)).fit(points, towns)
    assert interpret.explain(pipeline, points[:1], machine=("Caen", "Rouen"))[0].point == "P0001"
    with pytest.raises(InvalidInputError, match="3 machines decide"):
        interpret.explain(pipeline, points[:1])


def test_texts_are_explained_by_their_words():
    texts = ["forte douleur", "aucune douleur", "toux grasse", "toux sèche"] * 8
    labels = np.array(["cœur", "cœur", "poumon", "poumon"] * 8)
    pipeline = make_pipeline(CountVectorizer(), SparseSVC(l1=1.0)).fit(texts, labels)
    assert "text holds 'douleur'" in str(interpret.explain(pipeline, ["vive douleur"])[0])


def test_pictures_are_drawn_in_the_users_variables(fitted, X, y):
    ax = plots.plot_explanation(interpret.explain(fitted, X[:1])[0])
    assert "sexe = F" in [text.get_text() for text in ax.get_yticklabels()]
    figure = plots.plot_path(fitted)
    assert figure is not None
    assert plots.plot_history(fitted, top=3).get_yticklabels()
    assert plots.plot_coefficients(fitted) is not None
    assert plots.plot_roc(fitted, X, y).get_legend() is not None
    chosen = make_pipeline(Prepare(), SparseSVCCV(random_state=0, cv=3)).fit(X, y)
    assert plots.plot_choice(chosen) is not None
    assert plots.plot_trade(chosen) is not None
    matplotlib.pyplot.close("all")


def test_a_plane_is_drawn_in_the_users_units(X, y):
    points = X[["âge", "tension"]]
    pipeline = make_pipeline(
        Prepare(indicator=False), KernelBasisClassifierCV(random_state=0, cv=3)
    ).fit(points, y)
    ax = plots.plot_boundary(pipeline, points, y, resolution=20)
    low, high = ax.get_xlim()
    assert low < 40 < 80 < high
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("âge", "tension")
    three = make_pipeline(StandardScaler(), SparseSVC(l1=1.0)).fit(numbers(X), y)
    cut = {"variables": ("âge", "tension"), "at": {"cholestérol": 5.0}}
    assert plots.plot_boundary(three, numbers(X), y, **cut, resolution=9)
    matplotlib.pyplot.close("all")


def test_a_pipeline_that_cannot_be_read_says_so(X, y):
    forest = make_pipeline(Prepare(), RandomForestClassifier(n_estimators=3)).fit(X, y)
    with pytest.raises(
        InvalidInputError,
        match=r"ends in a RandomForestClassifier.*end it in an estimator of chemin",
    ):
        interpret.explain(forest, X[:1])
    with pytest.raises(InvalidInputError, match="no estimator at its end"):
        interpret.summary(Pipeline([("prepare", Prepare()), ("nothing", "passthrough")]))


def test_summaries_tell_what_was_prepared(fitted):
    told = str(interpret.summary(fitted))
    for words in (
        "Prepare → SparseSVC",
        "8 variables as",
        "left out",
        "identifiant (it names the rows)",
        "sexe = H",
    ):
        assert words in told


def test_scaled_categories_are_told_as_categories(X, y):
    points = complete(X)
    pipeline = make_pipeline(
        ColumnTransformer(
            [
                ("words", OneHotEncoder(sparse_output=False), ["ville"]),
                ("text", CountVectorizer(binary=True, max_features=5), "observation"),
            ],
            sparse_threshold=0.0,
        ),
        StandardScaler(),
        SparseSVC(l1=0.5),
    ).fit(points, y)
    said = str(interpret.explain(pipeline, points[10:11])[0])
    shares = [f"{100 * (X['ville'] == town).mean():.0f} % {town}" for town in set(X["ville"])]
    assert "ville = Le Havre (reference: " in said
    assert any(share in said for share in shares)
    assert "observation holds 'la', 'poitrine'" in said


def test_skrub_is_explained_too(X, y):
    skrub = pytest.importorskip("skrub")
    points = X.drop(columns=["identifiant", "observation"])
    before = make_pipeline(skrub.TableVectorizer(), SimpleImputer(), StandardScaler())
    pipeline = make_pipeline(before, SparseSVC(l1=3.0)).fit(points, y)
    explanation = interpret.explain(pipeline, points[10:11])[0]
    np.testing.assert_allclose(explanation.decision, pipeline.decision_function(points[10:11])[0])
    said = str(explanation)
    assert "sexe = F (reference: 5" in said
    assert "entrée = 2024-08-01" in said
    assert "tension = 160 (above the reference 126.5)" in said
