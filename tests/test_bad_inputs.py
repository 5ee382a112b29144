"""Claims about what estimators say of input they cannot use: the column, the row and the remedy, and nothing deep."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest

import chemin
from chemin import KernelBasisClassifier, Prepare, SparseRegressor, SparseSVC, SparseSVCCV
from chemin.exceptions import InvalidInputError, NotNumbersError, SimilarLabelsWarning

POINTS = np.random.default_rng(0).normal(size=(40, 3))
TABLE = pd.DataFrame(POINTS, columns=["age", "tension", "dose"])
LABELS = np.where(POINTS[:, 0] > 0, "malade", "sain").astype(object)
ENCODE = r"make_pipeline\(chemin\.Prepare\(\), estimator\)"


def hidden(row: int, column: int) -> np.ma.MaskedArray:
    masked = np.ma.masked_array(POINTS.copy(), mask=np.zeros(POINTS.shape, dtype=bool))
    masked[row, column] = np.ma.masked
    return masked


def with_cell(row: int, column: int, value: object) -> pd.DataFrame:
    table = TABLE.copy()
    table.iloc[row, column] = value
    return table


TABLES = {
    "text": (TABLE.assign(sexe=["H", "F"] * 20), rf"'sexe' \(String, 'H' at row 0\).*{ENCODE}"),
    "text after gaps": (TABLE.assign(sexe=[None, None, *["F"] * 38]), r"'sexe' \(.*'F' at row 2"),
    "text, polars": (
        pl.DataFrame({"a": [1.0] * 40, "b": ["x"] * 40}),
        r"'b' \(String, 'x' at row 0\)",
    ),
    "numeric text": (
        TABLE.assign(age="3,5"),
        rf"'age' \(String, '3,5' at row 0\).*numeric text.*{ENCODE}",
    ),
    "dates": (
        TABLE.assign(jour=pd.Timestamp("2024-01-01")),
        r"'jour' \(Datetime, '2024-01-01 00:00:00' at row 0\)",
    ),
    "categories": (
        TABLE.assign(stade=pd.Categorical([1, 2] * 20)),
        r"'stade' \(Categorical, '1' at row 0\)",
    ),
    "objects": (np.column_stack([POINTS.astype(object), ["H"] * 40]), r"3 \(str, 'H' at row 0\)"),
    "names that repeat": (
        TABLE.set_axis(["age", "age", "dose"], axis=1),
        "columns of the same name, 'age'",
    ),
    "hidden by a mask": (hidden(3, 1), "hidden by a mask.*row 3, column 1"),
    "a gap": (with_cell(7, 1, np.nan), rf"1 NaN.*row 7, column 'tension'.*{ENCODE}"),
    "infinite": (with_cell(7, 1, np.inf), "1 infinite.*row 7, column 'tension'"),
    "complex": (POINTS + 1j, r"X\.real"),
    "one dimension": (POINTS[:, 0], r"1-D.*X\.reshape"),
    "three dimensions": (POINTS.reshape(40, 3, 1), "3-D.*one row"),
    "no rows": (TABLE[:0], r"0 sample\(s\)"),
    "one row": (TABLE[:1], r"1 sample\(s\)"),
    "ragged": ([[1, 2], [3]] * 20, "all rows the same length"),
    "lazy": (pl.DataFrame({"a": [1.0] * 40}).lazy(), "collect it"),
}
TARGETS = {
    "None": (np.where(np.arange(40) == 5, None, LABELS), "1 missing.*row 5.*drop them"),
    "NaN": (np.where(np.arange(40) == 5, np.nan, LABELS), "1 missing.*row 5"),
    "hidden by a mask": (np.ma.masked_array(np.arange(40) % 2, mask=np.arange(40) == 4), "row 4"),
    "mixed": (np.where(np.arange(40) == 5, 3, LABELS), "mixes types.*with str"),
    "numbers": (POINTS[:, 1], "Use SparseRegressor"),
    "one class": (["sain"] * 40, "one class only"),
    "too few": (LABELS[:39], "40 rows and y has 39"),
    "none": (None, "requires y to be passed"),
}
ESTIMATORS = {
    "SparseSVC": SparseSVC,
    "SparseSVCCV": lambda: SparseSVCCV(cv=2),
    "KernelBasisClassifier": KernelBasisClassifier,
}


@pytest.mark.parametrize("make", ESTIMATORS.values(), ids=ESTIMATORS.keys())
@pytest.mark.parametrize(("X", "message"), TABLES.values(), ids=TABLES.keys())
def test_a_table_is_refused_with_its_column_row_and_remedy(make, X, message):
    with pytest.raises(InvalidInputError, match=f"(?s){message}") as caught:
        make().fit(X, LABELS)
    assert len(str(caught.value).splitlines()) <= 3


@pytest.mark.parametrize(("X", "message"), TABLES.values(), ids=TABLES.keys())
def test_a_regressor_says_the_same(X, message):
    with pytest.raises(InvalidInputError, match=f"(?s){message}"):
        SparseRegressor().fit(X, POINTS[:, 0])


@pytest.mark.parametrize("make", ESTIMATORS.values(), ids=ESTIMATORS.keys())
@pytest.mark.parametrize(("y", "message"), TARGETS.values(), ids=TARGETS.keys())
def test_a_target_is_refused_with_its_row_and_remedy(make, y, message):
    with pytest.raises(InvalidInputError, match=f"(?s){message}"):
        make().fit(TABLE, y)


@pytest.mark.parametrize("name", ["text", "dates", "a gap", "infinite"])
def test_points_to_be_predicted_are_checked_alike(name):
    model = SparseSVC(l1=0.1).fit(TABLE, LABELS)
    X, _ = TABLES[name]
    same = X.rename(columns={"sexe": "dose", "jour": "dose"}).loc[
        :, lambda t: ~t.columns.duplicated(keep="last")
    ]
    with pytest.raises(InvalidInputError, match="row"):
        model.predict(same[["age", "tension", "dose"]])


def test_what_is_refused_is_also_a_type_error_where_it_is_about_types():
    with pytest.raises(NotNumbersError):
        SparseSVC().fit(TABLES["text"][0], LABELS)
    assert issubclass(NotNumbersError, TypeError)
    assert issubclass(NotNumbersError, ValueError)


@pytest.mark.parametrize(
    "twin",
    ["Malade ", "MALADE", "maladé", "  malade"],
    ids=["space", "capitals", "accent", "spaces"],
)
def test_labels_that_differ_by_a_slip_are_pointed_out(twin):
    labels = LABELS.copy()
    labels[np.flatnonzero(labels == "malade")[:4]] = twin
    with pytest.warns(SimilarLabelsWarning, match=f"{twin!r}.*str.strip"):
        SparseSVC(l1=0.01).fit(TABLE, labels)


def test_labels_that_differ_are_left_alone():
    with warnings.catch_warnings():
        warnings.simplefilter("error", SimilarLabelsWarning)
        SparseSVC(l1=0.1).fit(TABLE, LABELS)
        chemin.svm_path(TABLE, LABELS)


@pytest.mark.parametrize(
    "name", ["text", "numeric text", "dates", "categories", "a gap", "objects"]
)
def test_the_remedy_works(name):
    from sklearn.pipeline import make_pipeline

    X, _ = TABLES[name]
    model = make_pipeline(Prepare(), SparseSVC(l1=0.1)).fit(X, LABELS)
    assert model.score(X, LABELS) > 0.5


def test_labels_of_categories_are_labels():
    model = SparseSVC(l1=0.1).fit(TABLE, pd.Series(pd.Categorical(LABELS)))
    assert model.classes_.tolist() == ["malade", "sain"]
