"""Claims about dependence: the usual coefficients, one measure for all types, and which series foretell which."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chi2_contingency, kruskal, spearmanr
from sklearn.metrics import mutual_info_score

import chemin
from chemin.exceptions import CheminError
from chemin.exploration import dependence, granger


def table(seed: int, gaps: bool = False, n: int = 200) -> pd.DataFrame:
    drawing = np.random.default_rng(seed)
    a = drawing.normal(size=n)
    data = pd.DataFrame(
        {
            "a": a,
            "b": np.exp(a + 0.3 * drawing.normal(size=n)),
            "c": drawing.poisson(3.0, n).astype(float),
            "town": np.where(a > 0.5, "Nancy", drawing.choice(["Lyon", "Metz"], n)),
            "sex": drawing.choice(["F", "H"], n),
        }
    )
    if gaps:
        for column in data.columns[:3]:
            data.loc[drawing.random(n) < 0.1, column] = np.nan
    return data


@pytest.mark.parametrize("gaps", [False, True], ids=["complete", "with gaps"])
@pytest.mark.parametrize("seed", range(3))
def test_correlations_are_those_of_pandas(seed, gaps):
    data = table(seed, gaps)
    found = dependence(data)
    theirs = data[["a", "b", "c"]].corr().to_numpy()
    assert np.allclose(found.measures["pearson"][:3, :3], theirs)
    assert np.isnan(found.measures["pearson"][3]).all()
    theirs = data[["a", "b", "c"]].corr("spearman").to_numpy()
    assert np.allclose(found.measures["spearman"][:3, :3], theirs)
    assert np.allclose(found.measures["association"][:3, :3], np.abs(theirs))


def test_ranks_are_among_the_rows_in_which_both_are_known():
    drawing = np.random.default_rng(0)
    a = drawing.normal(size=500)
    b = np.abs(a) + 0.1 * drawing.normal(size=500)
    b[(a > -0.5) & (drawing.random(500) < 0.95)] = np.nan
    theirs = pd.DataFrame({"a": a, "b": b}).corr("spearman").iloc[0, 1]
    assert dependence({"a": a, "b": b})["a", "b"]["spearman"] == pytest.approx(theirs)


def test_a_huge_value_beside_a_gap_spoils_no_correlation():
    x = np.random.default_rng(0).normal(size=(300, 2)) @ [[1.0, 0.8], [0.0, 0.6]]
    x[0] = [1e9, np.nan]
    assert dependence(x)[dependence(x).names[:2]]["pearson"] == pytest.approx(
        pd.DataFrame(x).corr().iloc[0, 1]
    )


@pytest.mark.parametrize("seed", range(3))
def test_numbers_and_words_are_associated_by_the_variance_of_ranks_between_words(seed):
    data = table(seed)
    groups = [some.to_numpy() for _, some in data.groupby("town")["a"]]
    n, k = len(data), len(groups)
    H = kruskal(*groups).statistic  # = (N − 1) η² of the ranks
    expected = np.sqrt(max(1.0 - (n - 1.0) / (n - k) * (1.0 - H / (n - 1.0)), 0.0))
    assert dependence(data)["a", "town"]["association"] == pytest.approx(expected)
    assert dependence(data)["town", "a"]["association"] == pytest.approx(expected)


@pytest.mark.parametrize("seed", range(3))
def test_words_and_words_are_associated_by_cramers_v_less_chance(seed):
    data = table(seed)
    counts = pd.crosstab(data["town"], data["sex"]).to_numpy()
    n, (k, m) = counts.sum(), counts.shape
    square = max(
        chi2_contingency(counts, correction=False).statistic / n - (k - 1) * (m - 1) / (n - 1), 0.0
    )
    least = min(k - (k - 1) ** 2 / (n - 1), m - (m - 1) ** 2 / (n - 1)) - 1.0
    assert dependence(data)["town", "sex"]["association"] == pytest.approx(np.sqrt(square / least))


@pytest.mark.parametrize("seed", range(3))
def test_mutual_information_is_that_of_ten_bins_less_its_bias(seed):
    data = table(seed)
    bins = pd.qcut(data["a"], 10, labels=False)
    plain = mutual_info_score(bins, data["town"])
    expected = max(plain - 9 * 2 / (2 * len(data)), 0.0)
    assert dependence(data)["a", "town"]["mutual information"] == pytest.approx(expected, abs=2e-3)


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10_000), n=st.integers(8, 80))
def test_measures_are_symmetric_and_within_their_bounds(seed, n):
    found = dependence(table(seed, gaps=True, n=n))
    for measure, values in found.measures.items():
        known = ~np.isnan(values)
        assert np.array_equal(known, known.T)
        assert np.allclose(values[known], values.T[known])
        assert values[known].max() <= (1.0 + 1e-12 if measure != "mutual information" else 5.0)
        assert values[known].min() >= (-1.0 if measure in ("pearson", "spearman") else 0.0)


def test_what_depends_is_told_from_what_does_not():
    found = dependence(table(0, n=2000))
    assert found["a", "b"]["association"] > 0.9
    assert found["a", "town"]["association"] > 0.5
    for pair in (("a", "c"), ("c", "town"), ("sex", "town"), ("a", "sex")):
        assert found[pair]["association"] < 0.1
        assert found[pair]["mutual information"] < 0.02


def test_pairs_come_the_most_associated_first():
    found = dependence("patients", "diagnostic")
    frame = found.frame()
    strength = frame["association"].to_numpy()
    assert len(frame) == len(found.names) * (len(found.names) - 1) // 2
    assert np.all(np.diff(strength[~np.isnan(strength)]) <= 0.0)
    assert set(found.with_target()["other"]) == {"diagnostic"}
    assert found.left_out["observation"] == "it has sentences"
    assert found.left_out["identifiant"] == "it names the rows"


def test_of_many_columns_those_that_go_with_the_target_are_looked_at():
    drawing = np.random.default_rng(0)
    X = drawing.normal(size=(100, 400))
    y = drawing.integers(2, size=100)
    X[:, 333] += 3.0 * y
    found = dependence(X, y, most=20)
    assert len(found.names) == 20
    assert found.with_target()["column"].iloc[0].endswith("333")
    assert len(found.left_out) == 381


def test_rank_correlation_of_dates_and_ordered_words():
    data = pd.DataFrame(
        {
            "day": pd.date_range("2024-01-01", periods=60),
            "size": pd.Categorical(
                ["small", "medium", "large"] * 20, ["small", "medium", "large"], ordered=True
            ),
            "x": np.arange(60.0) % 3,
        }
    )
    found = dependence(data)
    assert found["size", "x"]["association"] == pytest.approx(1.0)
    assert found["day", "x"]["association"] == pytest.approx(
        abs(spearmanr(np.arange(60), data["x"])[0])
    )


# Granger


def driven(seed: int, n: int = 300) -> np.ndarray:
    """Return two series of which the first drives the second, two steps later, and one of its own."""
    drawing = np.random.default_rng(seed)
    noise = drawing.normal(size=(n, 3))
    x, y = noise[:, 0].copy(), noise[:, 1].copy()
    for t in range(2, n):
        x[t] += 0.5 * x[t - 1]
        y[t] += 0.3 * y[t - 1] + 0.6 * x[t - 2]
    return np.column_stack([x, y, noise[:, 2]])


@pytest.mark.parametrize("lags", [1, 2, 4])
@pytest.mark.parametrize("seed", range(2))
def test_granger_is_the_f_test_of_statsmodels(seed, lags):
    stattools = pytest.importorskip("statsmodels.tsa.stattools")
    X = driven(seed)
    found = granger(X, lags=lags)
    for i, j in ((0, 1), (1, 0), (2, 1)):
        statistic, pvalue, _, _ = stattools.grangercausalitytests(X[:, [j, i]], [lags])[lags][0][
            "ssr_ftest"
        ]
        assert found.statistic[i, j] == pytest.approx(statistic)
        assert found.pvalue[i, j] == pytest.approx(pvalue, abs=1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_the_series_that_drives_is_found_and_how_late(seed):
    found = granger(driven(seed))
    assert found.significant[0, 1]
    assert np.nanmin(found.pvalue) == found.pvalue[0, 1]
    assert not found.significant[1, 0]
    assert found.lags[0, 1] == 2
    assert found.frame()["series"].iloc[0] == found.names[0]
    assert "foretells" in str(found)


def test_noise_foretells_nothing_more_often_than_announced():
    found = [
        granger(np.random.default_rng(seed).normal(size=(80, 3)), lags=1) for seed in range(60)
    ]
    assert np.mean([np.any(one.significant) for one in found]) <= 0.12


def test_probabilities_are_adjusted_by_holm():
    found = granger(driven(0))
    raw = np.sort(found.pvalue[~np.isnan(found.pvalue)])
    adjusted = np.sort(found.adjusted[~np.isnan(found.adjusted)])
    expected = np.minimum(np.maximum.accumulate(raw * np.arange(6, 0, -1)), 1.0)
    assert np.allclose(adjusted, expected)


def test_rows_are_put_in_the_order_of_a_date():
    X = driven(1)
    data = pd.DataFrame(X, columns=["x", "y", "z"]).assign(
        day=pd.date_range("2020-01-01", periods=len(X))
    )
    shuffled = data.sample(frac=1.0, random_state=0)
    assert np.allclose(
        granger(shuffled, lags=2, order="day").statistic,
        granger(data, lags=2, order="day").statistic,
        equal_nan=True,
    )
    assert not granger(shuffled, lags=2).significant.any()


def test_series_that_wander_are_pointed_out():
    walks = np.random.default_rng(0).normal(size=(400, 2)).cumsum(axis=0)
    assert len(granger(walks).wandering) == 2
    assert "difference=True" in str(granger(walks))
    assert granger(walks, difference=True).wandering == ()


WRONG = {
    "one column": lambda: dependence(np.arange(9.0)[:, None]),
    "constants": lambda: dependence(np.ones((9, 3))),
    "two rows": lambda: dependence(np.eye(2)),
    "no target": lambda: dependence(np.eye(9)).with_target(),
    "no such measure": lambda: dependence("iris").plot("friendship"),
    "an infinite value": lambda: dependence(pd.DataFrame({"a": [1.0, np.inf, 3.0, 5.0], "b": [1.0, 2.0, 4.0, 9.0]})),
    "series with gaps": lambda: granger(table(0, gaps=True)),
    "words as series": lambda: granger(chemin.read("patients"), ["sexe", "âge"]),
    "no such series": lambda: granger("iris", ["petal"]),
    "one series": lambda: granger("iris", ["petal width (cm)"]),
    "short series": lambda: granger(np.random.default_rng(0).random((10, 2)), lags=4),
    "a constant series": lambda: granger(np.column_stack([np.ones(50), np.arange(50.0) % 7])),
    "half a lag": lambda: granger(driven(0), lags=0.5),
}  # fmt: skip


@pytest.mark.parametrize("wrong", WRONG)
def test_wrong_requests_name_the_remedy(wrong):
    with pytest.raises(CheminError, match=r"pass|fill|leave|replace|read"):
        WRONG[wrong]()
