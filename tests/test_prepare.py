"""Claims about preparing: any table becomes numbers, and every column knows the variable it comes from."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone
from sklearn.utils.estimator_checks import check_estimator

import chemin
from chemin import Prepare
from chemin.exceptions import InvalidInputError, LossWarning


@pytest.fixture(scope="module")
def patients():
    return chemin.read("patients", target="diagnostic")


def small(rows: int = 60) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "id": [f"P{i:03d}" for i in range(rows)],
            "age": rng.normal(60, 10, rows),
            "sexe": rng.choice(["F", "H"], rows, p=[0.7, 0.3]),
            "ville": rng.choice(["Brest", "Caen", "Lyon"], rows),
            "stade": pd.Categorical(
                rng.choice(["I", "II", "III"], rows), ["I", "II", "III"], ordered=True
            ),
            "jour": pd.Timestamp("2024-01-01") + pd.to_timedelta(np.arange(rows), unit="D"),
            "vide": [None] * rows,
        }
    )


def test_every_check_of_scikit_learn_passes():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = check_estimator(Prepare(), on_fail=None)
    failed = [
        (entry["check_name"], entry["exception"]) for entry in found if entry["status"] == "failed"
    ]
    assert not failed


def test_columns_are_named_after_variables():
    prepare = Prepare().fit(small())
    names = prepare.get_feature_names_out().tolist()
    assert names == [
        "age",
        "stade",
        "jour",
        "sexe = H",
        "ville = Brest",
        "ville = Caen",
        "ville = Lyon",
    ]
    assert prepare.left_out_ == {"id": "it names the rows", "vide": "it has one value, or none"}
    assert [origin.variable for origin in prepare.origins_][-1] == "ville"


@pytest.mark.parametrize("kind", ["pandas", "polars", "array"])
def test_what_comes_out_is_of_the_kind_that_came_in(kind, patients):
    X = patients.frame("polars" if kind == "polars" else "pandas")
    X = X.to_numpy() if kind == "array" else X
    out = Prepare().fit(X).transform(X)
    assert type(out).__module__.split(".")[0] == {"array": "numpy"}.get(kind, kind)
    values = np.asarray(out)
    assert values.dtype == np.float64
    assert np.isfinite(values).all()


def test_pandas_and_polars_give_the_same_numbers(patients):
    ours = [
        Prepare().fit(X, patients.y).transform(X)
        for X in (patients.frame("pandas"), patients.frame("polars"))
    ]
    np.testing.assert_array_equal(ours[0].to_numpy(), ours[1].to_numpy())
    assert list(ours[0].columns) == list(ours[1].columns)


def test_identifiers_name_the_rows(patients):
    prepare = Prepare().fit(patients.X, patients.y)
    assert prepare.row_labels_[:2].tolist() == ["P0001", "P0002"]
    assert prepare.transform(patients.X[5:7]).index.tolist() == ["P0006", "P0007"]


def test_columns_may_come_in_another_order_and_with_others():
    X = small()
    prepare = Prepare().fit(X)
    other = X[X.columns[::-1]].assign(new=1.0)
    pd.testing.assert_frame_equal(prepare.transform(other), prepare.transform(X))
    pd.testing.assert_frame_equal(prepare.transform(X.drop(columns="vide")), prepare.transform(X))
    with pytest.raises(
        InvalidInputError, match=r"lacks 2 column\(s\) that fit had, 'age', 'ville'"
    ):
        prepare.transform(X.drop(columns=["age", "ville"]))


def test_what_is_not_known_says_nothing():
    X = small()
    prepare = Prepare(scale=False).fit(X)
    new = X[:3].copy()
    new["ville"] = ["Paris", None, "Caen"]
    new["sexe"] = [None, "X", "H"]
    new.loc[1, "age"] = np.nan
    out = prepare.transform(new)
    towns = ["ville = Brest", "ville = Caen", "ville = Lyon"]
    mean = [(X["ville"] == name.split(" = ")[1]).mean() for name in towns]
    np.testing.assert_allclose(out[towns].to_numpy(), [mean, mean, [0, 1, 0]])
    np.testing.assert_allclose(out["sexe = H"], [(X["sexe"] == "H").mean()] * 2 + [1.0])
    assert out["age"].iloc[1] == X["age"].median()
    told = prepare.told(new)
    assert told["ville"] == ["Paris (not seen in training)", "missing", "Caen"]
    assert told["age"][1] == "missing"


def test_rare_categories_share_a_column():
    words = ["a"] * 48 + ["b"] * 47 + ["c"] * 3 + ["d"] * 2
    X = pd.DataFrame({"v": words, "x": np.arange(100) % 7})
    out = Prepare(rare=5).fit(X).transform(X)
    assert list(out.columns) == ["x", "v = a", "v = b", "v = other"]
    assert out["v = other"].sum() == 5
    few = Prepare(rare=1, max_categories=2).fit(X)
    assert few.get_feature_names_out().tolist() == ["x", "v = a"]


def test_many_categories_are_cut_at_the_most_frequent():
    rng = np.random.default_rng(1)
    words = rng.choice([f"w{k}" for k in range(200)], 2000)
    prepare = Prepare(max_categories=10).fit(pd.DataFrame({"v": words, "x": rng.random(2000)}))
    assert len([origin for origin in prepare.origins_ if origin.variable == "v"]) == 10


@pytest.mark.parametrize(
    ("indicator", "expected"), [("auto", ["tells"]), (True, ["tells", "noise"]), (False, [])]
)
def test_gaps_get_a_column_when_they_tell_something(indicator, expected):
    rng = np.random.default_rng(0)
    y = rng.random(400) < 0.5
    X = pd.DataFrame({"tells": rng.random(400), "noise": rng.random(400), "full": rng.random(400)})
    X.loc[y & (rng.random(400) < 0.5), "tells"] = np.nan
    X.loc[np.arange(400) % 8 == 0, "noise"] = np.nan
    prepare = Prepare(indicator=indicator).fit(X, y.astype(int))
    assert [origin.variable for origin in prepare.origins_ if origin.kind == "missing"] == expected
    numbers = Prepare(indicator=indicator).fit(X, np.where(y, 1.0, 0.0) + 0.1 * rng.random(400))
    assert [origin.variable for origin in numbers.origins_ if origin.kind == "missing"] == expected


def test_equal_gaps_get_one_column():
    X = pd.DataFrame({"a": [1.0, np.nan, 3.0, 4.0] * 10, "b": [1.0, np.nan, 2.0, 5.0] * 10})
    assert [origin.name for origin in Prepare().fit(X).origins_] == ["a", "b", "a missing"]


def test_the_way_back_leads_to_the_users_units():
    X = small()
    prepare = Prepare().fit(X)
    out = prepare.transform(X)
    ways = dict(zip(prepare.get_feature_names_out(), prepare.origins_, strict=True))
    np.testing.assert_allclose([ways["age"].value(v) for v in out["age"]], X["age"])
    assert [ways["stade"].told(v) for v in out["stade"]] == X["stade"].tolist()
    assert [ways["jour"].told(v) for v in out["jour"]] == [str(day)[:10] for day in X["jour"]]
    np.testing.assert_allclose(out[["age", "stade", "jour"]].mean(), 0.0, atol=1e-12)
    np.testing.assert_allclose(out[["age", "stade", "jour"]].std(ddof=0), 1.0)


def test_parts_of_dates_are_categories():
    X = small()
    prepare = Prepare(dates=("month", "weekday")).fit(X)
    names = prepare.get_feature_names_out().tolist()
    assert "jour" not in names
    assert "jour = weekday Monday" in names
    out = prepare.transform(X)
    assert (
        out["jour = weekday Monday"].tolist()
        == (X["jour"].dt.day_of_week == 0).astype(float).tolist()
    )


def test_words_of_texts_are_columns():
    texts = ["forte douleur au bras", "aucune douleur", "fatigue et toux", "toux sèche"] * 10
    X = pd.DataFrame({"note": [f"{text} cas {k}" for k, text in enumerate(texts)]})
    prepare = Prepare(words=3).fit(X)
    assert len(prepare.origins_) == 3
    out = prepare.transform(X)
    assert out["note: 'douleur'"].tolist() == [1.0, 1.0, 0.0, 0.0] * 10


def test_french_numbers_in_texts_are_numbers():
    X = pd.DataFrame({"v": ["1,5", "2,25", "1 234,5", "NA"] * 10, "w": list("abcd") * 10})
    prepare = Prepare(scale=False).fit(X)
    assert prepare.fields_[0].type == "number"
    np.testing.assert_array_equal(prepare.transform(X)["v"][:3], [1.5, 2.25, 1234.5])
    with pytest.warns(LossWarning, match=r"1 in column 'v' \('abc'\)"):
        prepare.transform(X[:2].assign(v=["abc", "2,0"]))


def test_types_are_what_the_user_says():
    X = pd.DataFrame({"code": [1, 2, 3] * 10, "n": np.arange(1, 31)})
    assert Prepare().fit(X).left_out_ == {"n": "it names the rows"}
    prepare = Prepare(types={"code": "category", "n": "number"}).fit(X)
    assert prepare.get_feature_names_out().tolist() == ["n", "code = 1", "code = 2", "code = 3"]


BAD = {
    "sparse": (lambda: Prepare().fit(sparse.csr_array(np.eye(3))), "sparse matrix"),
    "mask": (
        lambda: Prepare().fit(np.ma.masked_equal(np.arange(6.0).reshape(3, 2), 3.0)),
        "hidden values",
    ),
    "one dimension": (lambda: Prepare().fit(np.arange(3.0)), "1-D"),
    "no rows": (lambda: Prepare().fit(np.empty((0, 2))), r"0 sample\(s\)"),
    "nothing left": (
        lambda: Prepare().fit(pd.DataFrame({"a": [1, 1, 1]})),
        "no variable is left.*'a'.*types=",
    ),
    "infinite": (
        lambda: Prepare().fit([[1.0, 2.0], [np.inf, 3.0]]),
        "'x0' holds 1 infinite values.*row 1",
    ),
    "names": (
        lambda: Prepare().fit(pd.DataFrame([[1, 2]], columns=["a", "a"])),
        "columns share a name: 'a'",
    ),
    "types": (lambda: Prepare(types={"z": "number"}).fit(small()), "no such column"),
    "type": (lambda: Prepare(types={"age": "int"}).fit(small()), "pass one of number"),
    "rare": (lambda: Prepare(rare=0).fit(small()), "rare is 0"),
    "dates": (lambda: Prepare(dates=("week",)).fit(small()), "dates is"),
    "indicator": (lambda: Prepare(indicator="yes").fit(small()), "indicator is 'yes'"),
    "target": (lambda: Prepare().fit(small(), [1, 2]), "60 rows and y has 2"),
    "lists": (
        lambda: Prepare().fit(pl.DataFrame({"a": [[1], [2]], "b": [1, 2]})),
        "'a' holds List",
    ),
}


@pytest.mark.parametrize(("ask", "message"), BAD.values(), ids=BAD.keys())
def test_bad_tables_are_refused_with_their_remedy(ask, message):
    with pytest.raises(InvalidInputError, match=message):
        ask()


cells = st.one_of(
    st.none(),
    st.integers(-5, 5),
    st.floats(-1e6, 1e6),
    st.text("ab é,.1", max_size=4),
    st.booleans(),
)


@settings(deadline=None)
@given(st.lists(st.tuples(cells, cells, st.integers(0, 3)), min_size=4, max_size=30))
def test_whatever_is_in_a_table_it_becomes_finite_numbers(rows):
    X = pd.DataFrame(rows, columns=["a", "b", "c"]).astype({"a": object, "b": object})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LossWarning)
        try:
            prepare = Prepare().fit(X)
        except InvalidInputError:
            return
        out = prepare.transform(X)
        assert np.isfinite(out.to_numpy()).all()
        assert list(out.columns) == prepare.get_feature_names_out().tolist()
        assert len(set(out.columns)) == len(out.columns)
        again = clone(prepare).fit(X).transform(X)
    pd.testing.assert_frame_equal(out, again)


def test_few_rows_keep_their_categories():
    X = pd.DataFrame({"flag": [True, False] * 4, "x": np.arange(8) ** 2.0})
    assert Prepare().fit(X).get_feature_names_out().tolist() == ["x", "flag = True"]
    alone = Prepare().fit(pd.DataFrame({"v": list("abcdefgh"), "x": np.arange(8) ** 2.0}))
    assert "none of its values" in alone.left_out_["v"]


def test_a_category_called_other_is_not_the_rare_ones():
    words = ["other"] * 50 + ["a"] * 45 + ["b", "b", "c", "c", "d"]
    names = Prepare().fit(pd.DataFrame({"v": words})).get_feature_names_out().tolist()
    assert names == ["v = a", "v = other", "v = other, rarer"]


def test_categories_that_were_never_seen_are_pointed_out():
    X = small()
    prepare = Prepare().fit(X)
    with pytest.warns(
        LossWarning, match=r"no value of column 'sexe' was seen in training \('0', '1'\)"
    ):
        prepare.transform(X.assign(sexe=np.arange(60) % 2))


def test_gaps_in_the_target_are_left_to_the_estimator():
    X = pd.DataFrame({"a": [1.0, np.nan, 3.0, 4.0] * 10, "b": np.arange(40) % 7})
    for y in ([None, *["u", "v"] * 19, "u"], [np.nan, *np.arange(39.0)]):
        assert "a missing" in Prepare().fit(X, np.array(y, dtype=object)).get_feature_names_out()
