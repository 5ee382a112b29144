"""Claims about a look from all sides: parts when asked for, of the rows asked for, of whatever can be read."""

from __future__ import annotations

import re

import matplotlib
import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

import chemin
from chemin.exceptions import CheminError, InvalidInputError, LossWarning
from chemin.exploration import describe, estimate_cost, explore
from chemin.exploration.explorer import PARTS
from chemin.exploration.subject import as_subject

matplotlib.use("Agg")
plt = pytest.importorskip("matplotlib.pyplot")


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def look():
    return explore("patients", "diagnostic")


def mixed(n: int = 120, seed: int = 0) -> pd.DataFrame:
    drawing = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "age": drawing.normal(50.0, 10.0, n),
            "town": drawing.choice(["Lyon", "Nancy", "Metz"], n),
            "day": pd.Timestamp("2024-01-01")
            + pd.to_timedelta(drawing.integers(900, size=n), unit="D"),
            "dose": np.where(drawing.random(n) < 0.2, np.nan, drawing.exponential(size=n)),
            "ill": drawing.choice(["no", "yes"], n),
        }
    )


@pytest.mark.parametrize("part", PARTS)
def test_a_part_is_computed_when_asked_for_and_kept(part):
    look = explore("iris")
    assert part not in vars(look)
    assert getattr(look, part) is getattr(look, part)
    assert part in vars(look)


@pytest.mark.parametrize("part", PARTS)
def test_every_part_has_words_a_table_and_a_picture(look, part):
    found = getattr(look, part)
    assert str(found)
    assert len(found.frame())
    assert found.plot() is not None


def test_a_look_tells_what_it_will_take_before_any_work(look):
    fresh = explore("patients", "diagnostic")
    assert fresh.frame()["part"].tolist() == list(PARTS)
    assert "target 'diagnostic' (classes)" in str(fresh)
    assert not set(PARTS) & set(vars(fresh))


def test_a_page_shows_four_panels(look):
    assert len([ax for ax in look.plot().axes if ax.get_label() != "<colorbar>"]) == 4


def test_a_page_of_words_only_says_what_cannot_be_shown():
    data = pd.DataFrame(
        {"note": [f"a sentence of many words, the {k}th" for k in range(40)], "k": range(40)}
    )
    texts = [text.get_text() for ax in explore(data).plot().axes for text in ax.texts]
    assert any("pass" in text for text in texts)


GIVEN = {
    "pandas": mixed,
    "polars": lambda: pl.from_pandas(mixed()),
    "a table": lambda: chemin.read(mixed()),
    "a dict": lambda: mixed().to_dict("list"),
    "numbers": lambda: np.random.default_rng(0).normal(size=(60, 3)),
    "a list of rows": lambda: np.random.default_rng(0).normal(size=(60, 3)).tolist(),
    "a sparse array": lambda: sparse.random_array((60, 8), density=0.3, rng=0, format="csr"),
    "a column": lambda: mixed()["age"],
    "one column of numbers": lambda: np.random.default_rng(0).normal(size=60),
}


@pytest.mark.parametrize("kind", GIVEN)
def test_whatever_can_be_read_is_looked_at(kind):
    look = explore(GIVEN[kind]())
    assert look.description.columns
    assert look.findings.passed


def test_a_csv_file_is_looked_at(tmp_path):
    file = tmp_path / "données.csv"
    mixed().to_csv(file, index=False, sep=";", decimal=",")
    look = explore(file, target="ill")
    assert look.subject.table.types["day"] == "date"
    assert look.findings.said == "all 120 rows"


ROWS = {
    "so many": (50, range(50)),
    "a slice": (slice(10, 30), range(10, 30)),
    "positions": ([5, 3, 99], [5, 3, 99]),
    "true and false": (np.arange(120) % 2 == 0, range(0, 120, 2)),
}


@pytest.mark.parametrize("how", ROWS)
def test_rows_limit_what_is_looked_at_and_the_result_says_so(how):
    rows, expected = ROWS[how]
    look = explore(mixed(), "ill", rows)
    assert look.subject.rows.tolist() == list(expected)
    assert look.said == f"{len(expected)} of 120 rows, as asked for"
    assert look.description.said == look.said
    assert look.description["age"].mean == pytest.approx(mixed()["age"].iloc[list(expected)].mean())
    if len(expected) > 10:
        assert look.projection.points.rows.tolist() == list(expected)


def test_rows_kept_for_a_test_are_not_seen():
    data = mixed()
    data.loc[100:, "age"] = 1e6
    look = explore(data, "ill", np.arange(120) < 100)
    assert look.description["age"].most < 200.0
    assert "outlier" not in look.findings
    assert look.projection.points.values.shape[0] == 100


def test_rows_are_those_given_where_some_have_no_target():
    data = mixed()
    data.loc[:9, "ill"] = None
    data["number"] = np.arange(120.0) ** 1.5
    with pytest.warns(LossWarning, match="target"):
        look = explore(data, "ill")
    assert look.said == "110 of 120 rows, those that have a target"
    assert look.subject.rows[0] == 10
    with pytest.warns(LossWarning):
        first = explore(data, "ill", np.arange(30))
    assert first.subject.rows.tolist() == list(range(10, 30))
    assert first.said == "20 of 120 rows, as asked for (10 have no target)"
    assert first.description["number"].most == pytest.approx(29.0**1.5)


@pytest.mark.parametrize("y", ["array", "list", "series", "texts"])
def test_a_target_may_be_given_as_values(y):
    X = np.random.default_rng(0).normal(size=(60, 3))
    values = (X[:, 0] > 0).astype(int)
    given = {
        "array": values, "list": values.tolist(), "series": pd.Series(values),
        "texts": np.where(values, "yes", "no"),
    }[y]  # fmt: skip
    look = explore(X, given)
    assert look.subject.has_classes
    assert look.subject.table.target == "target"


def test_many_rows_are_sampled_by_a_rule_that_is_told():
    X = np.random.default_rng(0).normal(size=(5000, 4))
    look = explore(X, budget=0.05)
    assert "drawn at random (random_state=0)" in look.groups.points.said
    assert look.description.said == "all 5000 rows"
    assert (
        explore(X, budget=0.05, random_state=1).groups.points.rows.tolist()
        != look.groups.points.rows.tolist()
    )


@pytest.mark.parametrize(
    "part", ["hierarchy", "structure", "mean shift", "projection", "densities"]
)
def test_costs_grow_with_rows_and_keep_to_the_budget(part):
    small, large = (estimate_cost(part, n, 10, budget=5.0) for n in (500, 200_000))
    assert small.all_seconds < large.all_seconds
    assert large.rows <= large.given
    assert large.seconds <= 5.0 or large.rows == 50
    assert estimate_cost(part, 200_000, 10, budget=None).rows == 200_000


WRONG = {
    "no such column": lambda: explore(mixed(), "disease"),
    "a short target": lambda: explore(mixed(), [0, 1]),
    "no rows": lambda: explore(mixed(), rows=[]),
    "rows twice": lambda: explore(mixed(), rows=[1, 2, 1]),
    "rows beyond the last": lambda: explore(mixed(), rows=[500]),
    "rows by name": lambda: explore(mixed(), rows="first"),
    "half a row": lambda: explore(mixed(), rows=0.5),
    "minus one row": lambda: explore(mixed(), rows=-1),
    "a mask of another length": lambda: explore(mixed(), rows=[True, False]),
    "no file": lambda: explore("no_such.csv"),
    "nothing": lambda: explore(None),
    "a seed that is none": lambda: explore(mixed(), random_state="dice"),
    "a budget that is none": lambda: explore(mixed(), budget=-1).description,
    "columns of different lengths": lambda: explore({"a": [1.0, 2.0], "b": [1.0]}),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_wrong_requests_name_the_remedy(wrong):
    with pytest.raises(CheminError, match=r"pass|did you mean|column|file"):
        WRONG[wrong]()


# Description


def test_numbers_are_described_as_pandas_does():
    data = mixed()
    found = describe(data)["dose"]
    theirs = data["dose"].describe()
    assert (found.rows, found.missing) == (120, int(data["dose"].isna().sum()))
    told = (
        found.mean,
        found.deviation,
        found.least,
        found.quarter,
        found.median,
        found.three_quarters,
        found.most,
    )
    assert told == pytest.approx(tuple(theirs[["mean", "std", "min", "25%", "50%", "75%", "max"]]))


def test_words_and_dates_are_described():
    found = describe(mixed(), "ill")
    counts = mixed()["town"].value_counts()
    assert found["town"].distinct == 3
    assert found["town"].top == counts.index[0]
    assert found["town"].top_share == pytest.approx(counts.iloc[0] / 120)
    assert found["day"].first == str(mixed()["day"].min())[:10]
    assert found["ill"].role == "target"


STRANGE = {
    "one row": pd.DataFrame({"a": [1.0], "b": ["x"]}),
    "all missing": pd.DataFrame({"a": [np.nan] * 9, "b": np.arange(9.0) ** 2}),
    "constant": pd.DataFrame({"a": [2.0] * 9, "b": ["x"] * 9}),
    "infinite": pd.DataFrame({"a": [1.0, np.inf, -np.inf] * 9, "b": np.arange(27.0) ** 2}),
    "huge": pd.DataFrame({"a": [1e300, -1e300, 1e308] * 9, "b": np.arange(27.0) ** 2}),
    "dates": pd.DataFrame({"a": pd.date_range("2024-01-01", periods=30), "b": np.arange(30.0) % 7}),
    "texts": pd.DataFrame(
        {"a": [f"some words here {k}" for k in range(30)], "b": np.arange(30.0) % 7}
    ),
    "booleans": pd.DataFrame({"a": [True, False, True] * 10, "b": np.arange(30.0) % 7}),
}


@pytest.mark.parametrize("name", STRANGE)
def test_strange_tables_are_described_and_checked(name):
    look = explore(STRANGE[name])
    assert len(look.description.columns) == 2
    assert look.description.plot() is not None
    assert str(look.findings)


@pytest.mark.parametrize("part", ["dependence", "projection", "groups", "densities"])
@pytest.mark.parametrize("name", STRANGE)
def test_parts_of_strange_tables_are_there_or_explained(name, part):
    try:
        told = str(getattr(explore(STRANGE[name], budget=0.5), part))
    except CheminError as error:
        told = re.search("pass|replace|leave|read", str(error))
    assert told


def test_gaps_are_drawn_with_those_they_come_with():
    data = mixed().assign(again=lambda d: d["dose"])
    labels = [text.get_text() for text in describe(data).plot_missing().texts]
    assert any("again" in text for text in labels)


def test_subjects_take_no_table_with_another_target_silently():
    table = chemin.read("iris")
    assert as_subject(table).table.target == "target"
    assert as_subject(table, "sepal width (cm)").table.target == "sepal width (cm)"
    with pytest.raises(InvalidInputError):
        as_subject(table, "petals")
