"""Claims about data and parameters that densities and groups cannot use: an error that names the remedy, no other."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest

from chemin.exceptions import CheminError
from chemin.exploration.densities import (
    bin_sensitivity,
    column_densities,
    covariance_rate,
    fit_gaussian,
    fit_laws,
    histogram,
    mixture,
    neighbour_density,
    parzen,
)
from chemin.exploration.groups import (
    dbscan,
    group_stability,
    hierarchy,
    inertia_curve,
    kernel_kmeans,
    kmeans,
    kmedoids,
    lloyd,
    mean_shift,
    soft_kmeans,
    structure,
)
from chemin.exploration.points import as_points

REMEDY = re.compile(
    r"(^|[:;] )(pass|read|replace|leave|check|give|make|impute|reshape|return|estimate|scale)\b",
    re.I,
)
X = np.random.default_rng(0).normal(size=(12, 2))
x = X[:, 0]


def with_cell(value: float) -> np.ndarray:
    changed = X.copy()
    changed[3, 1] = value
    return changed


# What works on rows of points

OF_POINTS = {
    "parzen": parzen,
    "parzen by likelihood": lambda data: parzen(data, "likelihood"),
    "neighbour_density": neighbour_density,
    "fit_gaussian": fit_gaussian,
    "mixture": lambda data: mixture(data, 2, restarts=1, covariance="full"),
    "hierarchy": hierarchy,
    "kmeans": lambda data: kmeans(data, 2, restarts=1),
    "lloyd": lambda data: lloyd(data, 2),
    "inertia_curve": lambda data: inertia_curve(data, 3, restarts=1),
    "kmedoids": lambda data: kmedoids(data, 2),
    "kernel_kmeans": lambda data: kernel_kmeans(data, 2, restarts=1),
    "soft_kmeans": lambda data: soft_kmeans(data, 1.0, start=[[0.0, 0.0], [1.0, 1.0]]),
    "dbscan": lambda data: dbscan(data, 0.5),
    "mean_shift": mean_shift,
    "structure": lambda data: structure(data, 3, draws=3, halves=2),
    "group_stability": lambda data: group_stability(data, 2, halves=2),
}
NO_POINTS = {
    "a gap": with_cell(np.nan),
    "an infinite value": with_cell(np.inf),
    "only gaps": np.full((6, 2), np.nan),
    "no rows": np.zeros((0, 2)),
    "no columns": np.zeros((5, 0)),
    "an empty list": [],
    "three axes": np.zeros((3, 3, 3)),
    "complex numbers": X * 1j,
    "texts": ["a", "b", "c"],
    "a table of texts": np.array([["a", "b"], ["c", "d"], ["e", "f"]]),
    "nothing": None,
    "one number": 3.0,
    "no such file": "no_such_file.csv",
    "a frame without rows": pd.DataFrame({"a": []}),
    "a frame of one row": pd.DataFrame({"a": [1.5], "b": [2.5]}),
    "a frame with an infinite value": pd.DataFrame({"a": [1.0, np.inf, 5.0], "b": [1.0, 2.0, 9.0]}),
    "a frame of constants": pd.DataFrame({"a": [1.0] * 3, "b": [2.0] * 3}),
    "a frame of gaps": pd.DataFrame({"a": [np.nan] * 6}),
    "a frame of identifiers": pd.DataFrame({"a": [f"p{k}" for k in range(12)]}),
}


def fails_with_a_remedy(made: object) -> None:
    with pytest.raises(CheminError) as raised:
        made()
    assert REMEDY.search(str(raised.value)), str(raised.value)


@pytest.mark.parametrize("bad", NO_POINTS)
@pytest.mark.parametrize("name", OF_POINTS)
def test_data_that_are_no_points_name_the_remedy(name, bad):
    fails_with_a_remedy(lambda: OF_POINTS[name](NO_POINTS[bad]))


@pytest.mark.parametrize("name", OF_POINTS)
def test_rows_of_different_lengths_name_the_remedy(name):
    fails_with_a_remedy(lambda: OF_POINTS[name]([[1.0, 2.0], [3.0]]))


ONE_ROW_IS_ENOUGH = {"neighbour_density", "inertia_curve", "soft_kmeans", "mean_shift", "dbscan"}


@pytest.mark.parametrize("name", [name for name in OF_POINTS if name not in ONE_ROW_IS_ENOUGH])
def test_one_row_names_the_remedy(name):
    fails_with_a_remedy(lambda: OF_POINTS[name]([[1.0, 2.0]]))


NO_SPREAD = {"parzen", "parzen by likelihood", "mean_shift"}


@pytest.mark.parametrize("name", sorted(NO_SPREAD))
def test_points_in_one_place_have_no_bandwidth_by_a_rule(name):
    fails_with_a_remedy(lambda: OF_POINTS[name](np.ones((6, 2))))


GROUPED = ("hierarchy", "kmeans", "lloyd", "kmedoids", "kernel_kmeans", "soft_kmeans", "dbscan")


@pytest.mark.parametrize("name", GROUPED)
def test_points_in_one_place_can_be_grouped(name):
    made = OF_POINTS[name](np.ones((6, 2)))
    found = made.cut(2) if name == "hierarchy" else made
    assert len(found.labels) == 6
    assert found.inertia == 0.0


def test_points_in_one_place_have_no_elbow():
    assert inertia_curve(np.ones((6, 2)), 4).elbow is None


def test_points_in_one_place_have_no_density_of_a_likeliest_gaussian():
    fails_with_a_remedy(lambda: fit_gaussian(np.ones((6, 2))).pdf([[1.0, 1.0]]))


# What works on one column

OF_A_COLUMN = {"histogram": histogram, "bin_sensitivity": bin_sensitivity, "fit_laws": fit_laws}
NO_COLUMN = {
    "two columns": X,
    "no values": [],
    "only gaps": [np.nan] * 4,
    "an infinite value": [1.0, np.inf, 2.0, 5.0],
    "texts": ["a", "b", "c"],
    "a text": "no_such_file.csv",
    "nothing": None,
    "one number": 3.0,
    "a dict": {"a": [1.0, 2.0]},
    "lists of different lengths": [[1.0], [2.0, 3.0]],
    "a frame": pd.DataFrame({"a": list("abc"), "b": [1.0, 2.0, 3.0]}),
}


@pytest.mark.parametrize("bad", NO_COLUMN)
@pytest.mark.parametrize("name", OF_A_COLUMN)
def test_data_that_are_no_column_name_the_remedy(name, bad):
    fails_with_a_remedy(lambda: OF_A_COLUMN[name](NO_COLUMN[bad]))


@pytest.mark.parametrize("name", OF_A_COLUMN)
def test_complex_numbers_in_a_column_name_the_remedy(name):
    fails_with_a_remedy(lambda: OF_A_COLUMN[name](x * 1j))


@pytest.mark.parametrize("values", [[1.0] * 5, [1.0, 2.0]], ids=["constant", "two values"])
def test_a_column_without_a_law_names_the_remedy(values):
    fails_with_a_remedy(lambda: fit_laws(values))


@pytest.mark.parametrize("name", OF_A_COLUMN)
def test_gaps_of_a_column_are_left_out(name):
    made = OF_A_COLUMN[name](pd.Series([*x, np.nan], name="age"))
    first = made.histograms[0] if name == "bin_sensitivity" else made
    assert len(first.values if name == "fit_laws" else first.points.values) == 12


def test_a_constant_column_has_a_histogram():
    assert histogram([2.0] * 5).integral(1.0, 3.0, 2001) == pytest.approx(1.0, abs=0.01)


# Columns of a table

NO_TABLE = {
    **{key: NO_POINTS[key] for key in ("only gaps", "no rows", "no columns", "three axes")},
    **{key: NO_POINTS[key] for key in ("complex numbers", "texts", "nothing")},
    **{key: value for key, value in NO_POINTS.items() if "frame" in key and "infinite" not in key},
    "a frame of texts": pd.DataFrame({"a": list("abab"), "b": list("xyxx")}),
    "no such file": "no_such_file.csv",
}


def test_a_column_with_an_infinite_value_is_left_out_and_why():
    made = column_densities(pd.DataFrame({"a": [1.0, np.inf, 3.0] * 9, "b": np.arange(27.0) ** 2}))
    assert [column.name for column in made.columns] == ["b"]
    assert "9 infinite values" in made.left_out["a"]


@pytest.mark.parametrize("bad", NO_TABLE)
def test_a_table_without_numbers_names_the_remedy(bad):
    fails_with_a_remedy(lambda: column_densities(NO_TABLE[bad]))


# Parameters

PARAMETERS = {
    "a bandwidth of 0": lambda: parzen(x, 0),
    "a negative bandwidth": lambda: parzen(x, -1.0),
    "a bandwidth that is not a number": lambda: parzen(x, np.nan),
    "an infinite bandwidth": lambda: parzen(x, np.inf),
    "a bandwidth of None": lambda: parzen(x, None),
    "a bandwidth of True": lambda: parzen(x, True),
    "two bandwidths": lambda: parzen(x, [1.0, 2.0]),
    "an unknown rule": lambda: parzen(x, "best"),
    "an unknown window": lambda: parzen(x, window="square"),
    "a list of windows": lambda: parzen(x, window=["gaussian"]),
    "the likelihood of a flat window": lambda: parzen(x, "likelihood", window="flat"),
    "a budget of 0": lambda: parzen(x, "likelihood", budget=0),
    "a negative budget": lambda: mixture(X, 2, budget=-2),
    "a density at other variables": lambda: parzen(X).pdf([[1.0, 2.0, 3.0]]),
    "a density at a text": lambda: parzen(X).pdf("a"),
    "a density at a gap": lambda: parzen(X).pdf([[np.nan, 1.0]]),
    "a density at infinity": lambda: neighbour_density(x).pdf(np.inf),
    "a density at uneven rows": lambda: parzen(X).pdf([[1.0, 2.0], [3.0]]),
    "a density nowhere": lambda: parzen(X).pdf(np.zeros((0, 2))),
    "a grid of three variables": lambda: parzen(np.eye(3)).grid(),
    "a negative resolution": lambda: parzen(x).grid(resolution=-3),
    "half a resolution": lambda: parzen(x).integral(resolution=3.5),
    "a corner of other variables": lambda: parzen(x).grid(low=[1.0, 2.0, 3.0]),
    "a corner at infinity": lambda: parzen(x).integral(-np.inf, np.inf),
    "0 neighbours": lambda: neighbour_density(x, 0),
    "3.5 neighbours": lambda: neighbour_density(x, 3.5),
    "more neighbours than points": lambda: neighbour_density(x, 13),
    "True neighbours": lambda: neighbour_density(x, True),
    "neighbours as a text": lambda: neighbour_density(x, "3"),
    "0 components": lambda: mixture(X, 0),
    "3.5 components": lambda: mixture(X, 3.5),
    "more components than points": lambda: mixture(X, 13),
    "a list with 2.5 components": lambda: mixture(X, [1, 2.5]),
    "no numbers of components": lambda: mixture(X, []),
    "components as a text": lambda: mixture(X, "two"),
    "an unknown shape": lambda: mixture(X, 2, covariance="round"),
    "no shape": lambda: mixture(X, 2, covariance=[]),
    "an unknown criterion": lambda: mixture(X, 2, criterion="likelihood"),
    "an unknown start of EM": lambda: mixture(X, 2, start="far"),
    "no start of EM": lambda: mixture(X, 2, restarts=0),
    "1.5 starts of EM": lambda: mixture(X, 2, restarts=1.5),
    "-1 points drawn": lambda: mixture(X, 1, restarts=1).sample(-1),
    "1.5 points drawn": lambda: mixture(X, 1, restarts=1).sample(1.5),
    "0 bins": lambda: histogram(x, 0),
    "3.5 bins": lambda: histogram(x, 3.5),
    "an unknown rule for bins": lambda: histogram(x, "fancy"),
    "bins of None": lambda: histogram(x, None),
    "falling ends": lambda: histogram(x, [3.0, 2.0, 1.0]),
    "an end that is not a number": lambda: histogram(x, [-9.0, np.nan, 9.0]),
    "infinite ends": lambda: histogram(x, [-np.inf, 0.0, np.inf]),
    "a bin of no width": lambda: histogram(x, [-3.0, -3.0, 3.0]),
    "bins elsewhere": lambda: histogram(x, [100.0, 200.0]),
    "no bins": lambda: histogram(x, []),
    "an infinite shift": lambda: histogram(x, shift=np.inf),
    "a shift as a text": lambda: histogram(x, shift="half"),
    "one place of bins": lambda: bin_sensitivity(x, shifts=1),
    "2.5 places of bins": lambda: bin_sensitivity(x, shifts=2.5),
    "an unknown law": lambda: fit_laws(x, ["Cauchy"]),
    "no law": lambda: fit_laws(x, []),
    "a number for a law": lambda: fit_laws(x, 5),
    "only impossible laws": lambda: fit_laws(x, ["gamma"]),
    "0 variables": lambda: covariance_rate((0,)),
    "1.5 variables": lambda: covariance_rate((1.5,)),
    "a number for a list of variables": lambda: covariance_rate(3),
    "one point": lambda: covariance_rate((1,), (1,)),
    "0 repeats": lambda: covariance_rate((1,), (10,), repeats=0),
    "an error of 0": lambda: covariance_rate((1,), (10,), repeats=1).needed(0.0),
    "0 columns": lambda: column_densities("iris", most=0),
    "columns that determine one another": lambda: fit_gaussian(np.c_[x, 2 * x]).pdf([[1.0, 2.0]]),
    "an unknown linkage": lambda: hierarchy(X, "centroid"),
    "a list of linkages": lambda: hierarchy(X, ["ward"]),
    "a cut for 0": lambda: hierarchy(X).cut(0),
    "a cut for 2.5": lambda: hierarchy(X).cut(2.5),
    "a cut for more groups than points": lambda: hierarchy(X).cut(13),
    "a cut for groups and at a height": lambda: hierarchy(X).cut(2, height=1.0),
    "a cut at no number": lambda: hierarchy(X).cut(height=np.nan),
    "a cut at a text": lambda: hierarchy(X).cut(height="low"),
    "a jump of two points": lambda: hierarchy([[0.0], [1.0]]).cut(),
    "0 groups": lambda: kmeans(X, 0),
    "3.5 groups": lambda: kmeans(X, 3.5),
    "more groups than points": lambda: kmeans(X, 13),
    "True groups": lambda: kmeans(X, True),
    "groups as a text": lambda: kmeans(X, "3"),
    "an unknown start": lambda: kmeans(X, 2, start="far"),
    "no start": lambda: kmeans(X, 2, restarts=0),
    "1.5 starts": lambda: kmeans(X, 2, restarts=1.5),
    "starts as a text": lambda: kmeans(X, 2, restarts="many"),
    "neither groups nor centres": lambda: lloyd(X),
    "centres of other variables": lambda: lloyd(X, start=[[1.0, 2.0, 3.0]]),
    "centres with gaps": lambda: lloyd(X, start=[[np.nan, 1.0]]),
    "no centres": lambda: lloyd(X, start=np.zeros((0, 2))),
    "a text for centres": lambda: lloyd(X, start="far"),
    "uneven centres": lambda: lloyd(X, start=[[1.0, 2.0], [3.0]]),
    "at most 0 groups": lambda: inertia_curve(X, 0),
    "at most 2.5 groups": lambda: inertia_curve(X, 2.5),
    "at most a text of groups": lambda: inertia_curve(X, "3"),
    "no start of a curve": lambda: inertia_curve(X, 3, restarts=0),
    "0 medoids": lambda: kmedoids(X, 0),
    "3.5 medoids": lambda: kmedoids(X, 3.5),
    "more medoids than points": lambda: kmedoids(X, 13),
    "an unknown distance": lambda: kmedoids(X, 2, metric="far"),
    "no distance": lambda: kmedoids(X, 2, metric=None),
    "a distance that is a text": lambda: kmedoids(["a", "b"], 1, metric=lambda a, b: "far"),
    "a distance that is not a number": lambda: kmedoids(["a", "b"], 1, metric=lambda a, b: np.nan),
    "angles with the origin": lambda: kmedoids([[0.0, 0.0], [1.0, 1.0]], 1, metric="cosine"),
    "distances that are not square": lambda: kmedoids(X, 2, metric="precomputed"),
    "negative distances": lambda: kmedoids([[0.0, -1.0], [-1.0, 0.0]], 1, metric="precomputed"),
    "words without a distance": lambda: kmedoids(["a", "b", "c"], 1),
    "0 groups of a kernel": lambda: kernel_kmeans(X, 0),
    "more groups of a kernel than points": lambda: kernel_kmeans(X, 13),
    "an unknown kernel": lambda: kernel_kmeans(X, 2, "far"),
    "no kernel": lambda: kernel_kmeans(X, 2, None),
    "a kernel of another shape": lambda: kernel_kmeans(X, 2, lambda a, b: np.ones((2, 2))),
    "1.5 starts of a kernel": lambda: kernel_kmeans(X, 2, restarts=1.5),
    "a negative sigma": lambda: soft_kmeans(X, -1.0, start=X[:2]),
    "a sigma that is not a number": lambda: soft_kmeans(X, np.nan, start=X[:2]),
    "a sigma as a text": lambda: soft_kmeans(X, "small", start=X[:2]),
    "two sigmas": lambda: soft_kmeans(X, [1.0, 2.0], start=X[:2]),
    "soft groups without centres": lambda: soft_kmeans(X, 1.0, start=None),
    "1.5 steps": lambda: soft_kmeans(X, 1.0, start=X[:2], steps=1.5),
    "labels of other rows": lambda: kmeans(X, 2).agreement([1, 2, 3]),
    "no labels": lambda: kmeans(X, 2).agreement(None),
}


@pytest.mark.parametrize("bad", PARAMETERS)
def test_parameters_that_cannot_be_used_name_the_remedy(bad):
    fails_with_a_remedy(PARAMETERS[bad])


def test_a_budget_as_a_text_names_the_remedy():
    fails_with_a_remedy(lambda: hierarchy(X, budget="ten"))


# What works, and says what was done


GIVEN = {
    "numbers as texts": ["1", "2,5", "3"],
    "a dict": {"a": [1.0, 2.5, 3.0]},
    "a column of a frame": pd.DataFrame({"a": [1.0, 2.5, 3.0]})["a"],
}


@pytest.mark.parametrize("kind", GIVEN)
def test_columns_are_taken_in_any_of_their_usual_forms(kind):
    assert as_points(GIVEN[kind]).values.ravel().tolist() == [1.0, 2.5, 3.0]


WEEKS = pd.DataFrame(
    {
        "sex": list("HF") * 12,
        "day": pd.date_range("2024-01-01", periods=24, freq="7D"),
        "age": np.random.default_rng(0).normal(50.0, 9.0, 24),
        "dose": [1.5, np.nan, 2.5, 3.0] * 6,
        "gone": [np.nan] * 24,
        "site": ["Nancy"] * 24,
        "id": [f"p{k}" for k in range(24)],
    }
)


def test_words_dates_and_gaps_become_columns_and_the_rest_is_said_to_be_left_out():
    points = as_points(WEEKS)
    assert points.names == ("day", "age", "dose", "sex = H", "dose missing")
    columns = dict(zip(points.names, points.values.T, strict=True))
    np.testing.assert_array_equal(columns["sex = H"], (WEEKS["sex"] == "H").astype(float))
    np.testing.assert_array_equal(columns["day"], 7.0 * np.arange(24))
    np.testing.assert_array_equal(columns["age"], WEEKS["age"])
    np.testing.assert_array_equal(columns["dose missing"], WEEKS["dose"].isna().astype(float))
    np.testing.assert_array_equal(columns["dose"], WEEKS["dose"].fillna(2.5))
    assert set(points.left_out) == {"gone", "site", "id"}
    assert points.left_out["id"] == "it names the rows"
    assert points.said == "all 24 rows"


def test_scaled_numbers_have_mean_0_and_standard_deviation_1():
    points = as_points(WEEKS, scale=True)
    numbers = points.values[:, [points.names.index(name) for name in ("day", "age", "dose")]]
    np.testing.assert_allclose(numbers.mean(axis=0), 0.0, atol=1e-12)
    np.testing.assert_allclose(numbers.std(axis=0), 1.0)
    plain = as_points(X, scale=True)
    np.testing.assert_allclose(plain.values, (X - X.mean(axis=0)) / X.std(axis=0))


@pytest.mark.parametrize("name", [name for name in OF_POINTS if name != "soft_kmeans"])
def test_a_table_of_words_dates_and_gaps_can_be_looked_at(name):
    made = OF_POINTS[name](WEEKS)
    if hasattr(made, "points"):
        assert set(made.points.left_out) == {"gone", "site", "id"}
        assert made.points.shape == (24, 5)


def test_columns_without_a_density_are_said_to_be_left_out():
    found = column_densities(WEEKS)
    assert [column.name for column in found.columns] == ["age", "dose"]
    assert set(found.left_out) == {"sex", "day", "gone", "site", "id"}
    assert "category" in found.left_out["sex"]


def test_columns_beyond_the_most_are_said_to_be_left_out():
    found = column_densities("iris", most=1)
    assert len(found.columns) == 1
    assert sum("pass most=" in why for why in found.left_out.values()) == 3


def test_rows_beyond_the_budget_are_left_out_at_random_and_it_is_said():
    many = np.random.default_rng(0).normal(size=(3000, 2))
    points = hierarchy(many, budget=0.01).points
    assert 50 <= len(points.rows) < 3000
    np.testing.assert_array_equal(points.values, many[points.rows])
    assert f"{len(points.rows)} of 3000 rows, drawn at random (random_state=0)" in points.said


def test_booleans_are_numbers_and_one_column_may_be_one_dimensional():
    np.testing.assert_array_equal(as_points(x).values, x[:, None])
    assert as_points(X > 0).values.dtype == float
