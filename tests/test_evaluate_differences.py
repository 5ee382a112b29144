"""Claims about comparisons: corrected and Bayesian t, McNemar, Friedman and Nemenyi, and the same splits for both."""

from __future__ import annotations

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.datasets import load_iris
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from chemin.evaluate import (
    FoldScores,
    bayesian_t,
    corrected_t,
    cross_validate,
    friedman,
    make_splits,
    mcnemar,
    nemenyi_quantile,
)
from chemin.exceptions import InvalidInputError

mpl.use("Agg")

IRIS, SPECIES = load_iris(return_X_y=True)


def two(seed: int = 0, J: int = 20, gain: float = 0.02) -> tuple[np.ndarray, np.ndarray]:
    drawing = np.random.default_rng(seed)
    one = drawing.normal(0.8, 0.03, size=J)
    return one, one - gain + drawing.normal(0.0, 0.02, size=J)


def fold_scores(values, digest: str = "d", model: str = "A", **others) -> FoldScores:
    known = {"measure": "error", "test_share": 0.2, "greater_is_better": False, **others}
    return FoldScores(model=model, values=values, digest=digest, **known)


@pytest.mark.parametrize("folds", [2, 5, 10])
@pytest.mark.parametrize("seed", range(3))
def test_the_corrected_t_is_its_formula(seed, folds):
    one, other = two(seed)
    d = one - other
    J = len(d)
    t = d.mean() / np.sqrt(d.var(ddof=1) * (1.0 / J + 1.0 / (folds - 1.0)))
    found = corrected_t(one, other, test_share=1.0 / folds)
    assert found.statistic == pytest.approx(t)
    assert found.pvalue == pytest.approx(2.0 * stats.t.sf(abs(t), J - 1))
    assert (found.pvalue < 0.05) == (0.0 not in found.interval)


def test_without_common_rows_it_would_be_students_test():
    one, other = two()
    found = corrected_t(one, other, test_share=1e-12)
    theirs = stats.ttest_rel(one, other)
    assert found.statistic == pytest.approx(theirs.statistic)
    assert found.pvalue == pytest.approx(theirs.pvalue)


@pytest.mark.parametrize("rope", [0.0, 0.005, 0.02, 0.5])
@pytest.mark.parametrize("seed", range(3))
def test_the_bayesian_t_is_that_of_baycomp(seed, rope):
    baycomp = pytest.importorskip("baycomp", reason="the reference for the Bayesian t test")
    one, other = two(seed)
    found = bayesian_t(one, other, 0.2, rope)
    theirs = baycomp.CorrelatedTTest(one, other, rope=rope, runs=4).probs()  # 4 times 5 folds
    expected = theirs if rope else (theirs[0], 0.0, theirs[1])
    mine = (found.better, found.equivalent, found.worse)
    assert mine == pytest.approx(expected, abs=1e-9)
    assert sum(mine) == pytest.approx(1.0)
    assert found.better > found.worse


@pytest.mark.parametrize("greater", [True, False])
def test_better_is_the_way_that_the_measure_says(greater):
    one, other = two(gain=0.1)
    found = bayesian_t(one, other, 0.2, greater_is_better=greater)
    assert (found.better > 0.99) == greater
    assert corrected_t(one, other, test_share=0.2, greater_is_better=greater).better == (
        "one" if greater else "other"
    )


def test_the_same_scores_are_the_same():
    one, _ = two()
    assert corrected_t(one, one, test_share=0.2).pvalue == 1.0
    assert bayesian_t(one, one, 0.2).equivalent == 1.0
    found = bayesian_t(one, one, 0.2, rope=0.0)
    assert (found.better, found.worse) == (0.5, 0.5)
    exact = np.arange(8.0)
    shifted = corrected_t(exact + 1.0, exact, test_share=0.2)
    assert (shifted.pvalue, shifted.better) == (0.0, "one")


def test_the_corrected_t_seldom_finds_a_difference_where_there_is_none():
    drawing = np.random.default_rng(0)
    found = []
    for seed in range(60):
        X, y = drawing.normal(size=(60, 3)), np.arange(60) % 2
        splits = make_splits(60, y, repeats=3, random_state=seed)
        one = cross_validate(GaussianNB(), X[:, :2], y, splits).scores
        other = cross_validate(GaussianNB(), X[:, 1:], y, splits).scores
        found.append(corrected_t(one, other).pvalue < 0.05)
    assert np.mean(found) <= 0.12


@pytest.mark.parametrize(("b", "c"), [(0, 0), (5, 5), (9, 2), (0, 7), (30, 12)])
def test_mcnemar_is_exact(b, c):
    one = np.array([True] * b + [False] * c + [True] * 10 + [False] * 3)
    other = np.array([False] * b + [True] * c + [True] * 10 + [False] * 3)
    found = mcnemar(one, other)
    assert found.counts.tolist() == [[3, c], [b, 10]]
    assert found.difference == pytest.approx(np.mean(~one) - np.mean(~other))
    if b + c:
        assert found.pvalue == pytest.approx(stats.binomtest(b, b + c).pvalue)
        tables = pytest.importorskip("statsmodels.stats.contingency_tables")
        assert found.pvalue == pytest.approx(tables.mcnemar(found.counts, exact=True).pvalue)
    else:
        assert found.pvalue == 1.0


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("k", [3, 5])
def test_friedman_is_that_of_scipy(k, ties):
    values = np.random.default_rng(k).random((15, k))
    values = values.round(1) if ties else values
    found = friedman(values)
    theirs = stats.friedmanchisquare(*values.T)
    assert found.statistic == pytest.approx(theirs.statistic)
    assert found.pvalue == pytest.approx(theirs.pvalue)
    assert np.allclose(found.ranks, stats.rankdata(-values, axis=1))


def test_critical_values_are_those_of_the_published_table():
    published = [1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164]  # Demšar (2006)
    assert [round(nemenyi_quantile(k), 3) for k in range(2, 11)] == pytest.approx(
        published, abs=1.1e-3
    )
    assert round(nemenyi_quantile(4, 0.9), 3) == 2.291


def test_the_example_of_demsar():
    # 4 models on 14 data sets, mean ranks 3.143, 2.000, 2.893, 1.964; the critical difference at 10 % is 1.12
    values = np.random.default_rng(0).random((14, 4))
    assert round(friedman(values, level=0.9).critical, 2) == 1.12
    assert round(friedman(values).critical, 2) == 1.25


def test_models_that_differ_are_in_no_common_group():
    drawing = np.random.default_rng(0)
    found = friedman(drawing.random((20, 5)) + np.array([0.0, 0.1, 0.2, 1.5, 1.6]), list("abcde"))
    assert found.pvalue < 1e-6
    assert np.array_equal(found.differ, found.differ.T)
    for i, one in enumerate(found.names):
        for j, other in enumerate(found.names):
            together = any({one, other} <= set(group) for group in found.groups)
            assert together == (not found.differ[i, j])
    assert found.frame()["model"].iloc[0] in "de"
    assert friedman(-drawing.random((9, 3)), greater_is_better=False).ranks.min() == 1.0


def test_names_are_those_of_a_frame_or_of_the_scores():
    frame = pd.DataFrame(np.random.default_rng(0).random((6, 2)), columns=["tree", "forest"])
    assert friedman(frame).names == ("tree", "forest")
    some = [fold_scores([0.1, 0.2, 0.3], model="A"), fold_scores([0.2, 0.3, 0.4], model="B")]
    assert friedman(some).means.tolist() == [1.0, 2.0]
    assert friedman(np.ones((4, 3))).pvalue == 1.0


def test_models_on_the_same_splits_are_compared():
    splits = make_splits(150, SPECIES, repeats=2)
    one = cross_validate(GaussianNB(), IRIS, SPECIES, splits).scores
    other = cross_validate(DecisionTreeClassifier(max_depth=1), IRIS, SPECIES, splits).scores
    found = corrected_t(one, other)
    assert found.better == "GaussianNB"
    assert found.names == ("GaussianNB", "DecisionTreeClassifier")
    assert bayesian_t(one, other).better > 0.99
    assert corrected_t(one.values, other.values, splits=splits).pvalue == found.pvalue


def test_scores_of_other_splits_are_refused_and_both_digests_named():
    made = [make_splits(150, SPECIES, random_state=seed) for seed in (0, 1)]
    one, other = (cross_validate(GaussianNB(), IRIS, SPECIES, splits).scores for splits in made)
    for compare in (corrected_t, bayesian_t, lambda *pair: friedman(list(pair))):
        with pytest.raises(InvalidInputError, match="pass the same splits=") as refused:
            compare(one, other)
        assert all(splits.digest in str(refused.value) for splits in made)


def test_every_comparison_is_told_drawn_and_a_frame():
    from matplotlib import pyplot

    one, other = two()
    for result in (
        corrected_t(one, other, test_share=0.2),
        bayesian_t(one, other, 0.2),
        bayesian_t(one, one, 0.2, rope=0.0),
        mcnemar(one > 0.8, other > 0.8),
        friedman(np.random.default_rng(0).random((9, 6))),
        friedman(np.random.default_rng(0).random((9, 2))),
        fold_scores(one),
    ):
        assert str(result) == repr(result)
        assert len(result.frame()) >= 2
        if hasattr(result, "plot"):
            ax = result.plot()
            ax.figure.canvas.draw()
            assert result.plot(ax) is ax
            pyplot.close("all")


ONE, OTHER = two()
WRONG = {
    "no share": lambda: corrected_t(ONE, OTHER),
    "different lengths": lambda: corrected_t(ONE, OTHER[1:], test_share=0.2),
    "other numbers of splits": lambda: corrected_t(ONE, OTHER, splits=make_splits(50)),
    "a share of 5": lambda: bayesian_t(ONE, OTHER, 5),
    "scores that are NaN": lambda: bayesian_t(ONE * np.nan, OTHER, 0.2),
    "one score": lambda: corrected_t([0.5], [0.6], test_share=0.2),
    "a negative rope": lambda: bayesian_t(ONE, OTHER, 0.2, rope=-1.0),
    "a level of 95": lambda: corrected_t(ONE, OTHER, test_share=0.2, level=95),
    "another measure": lambda: corrected_t(fold_scores(ONE), fold_scores(OTHER, measure="AUC")),
    "scores and an array": lambda: corrected_t(fold_scores(ONE), OTHER),
    "scores of other splits than given": lambda: corrected_t(
        fold_scores(ONE), fold_scores(OTHER), splits=make_splits(20)
    ),
    "scores that are NaN of a model": lambda: fold_scores(ONE * np.nan),
    "labels instead of right and wrong": lambda: mcnemar(["a", "b"], ["a", "b"]),
    "other rows": lambda: mcnemar([True, False], [True]),
    "one model": lambda: friedman(np.ones((5, 1))),
    "one data set": lambda: friedman(np.ones((1, 5))),
    "no table": lambda: friedman(np.ones(5)),
    "too few names": lambda: friedman(np.ones((5, 3)), ["a", "b"]),
    "scores with gaps": lambda: friedman([[0.1, np.nan], [0.2, 0.3]]),
}  # fmt: skip


@pytest.mark.parametrize("wrong", WRONG)
def test_wrong_requests_name_the_remedy(wrong):
    with pytest.raises(InvalidInputError, match=r"pass|leave|replace"):
        WRONG[wrong]()
