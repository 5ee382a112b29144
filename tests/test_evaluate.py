"""Claims about judging: splits, intervals, scores of classes and numbers, calibration, thresholds, learning curves."""

from __future__ import annotations

import matplotlib as mpl
import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.stats import beta as beta_law
from scipy.stats import binom, binomtest, bootstrap, t
from sklearn import metrics
from sklearn.calibration import calibration_curve
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.linear_model import LinearRegression, LogisticRegression, RidgeClassifier
from sklearn.model_selection import cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from chemin import evaluate
from chemin.evaluate import (
    ConfusionMatrix,
    as_splits,
    bootstrap_interval,
    calibration,
    choose_threshold,
    confusion,
    cross_validate,
    learning_curve,
    make_splits,
    mean_interval,
    nested,
    number_scores,
    proportion_interval,
    scores,
)
from chemin.exceptions import InvalidInputError

mpl.use("Agg")

IRIS, SPECIES = load_iris(return_X_y=True)
CANCER, BENIGN = load_breast_cancer(return_X_y=True)


def judged(K: int = 2, n: int = 150, seed: int = 0):
    """Return labels, predictions and probabilities of a middling forecast."""
    drawing = np.random.default_rng(seed)
    laws = drawing.dirichlet(np.ones(K), size=n)
    y = np.array([drawing.choice(K, p=law) for law in laws])
    return y, laws.argmax(axis=1), laws


# Splits


def test_the_same_seed_gives_the_same_digest_and_another_one_another():
    y = np.arange(60) % 3
    digests = [make_splits(60, y, random_state=seed).digest for seed in (0, 0, 1)]
    assert digests[0] == digests[1] != digests[2]
    assert make_splits(60, y, folds=4).digest != digests[0]


def test_a_digest_is_that_of_the_positions_and_of_their_order():
    pairs = [([0, 1], [2, 3]), ([2, 3], [0, 1])]
    assert as_splits(pairs, 4).digest == as_splits(list(pairs), 4).digest
    assert as_splits(pairs, 4).digest != as_splits(pairs[::-1], 4).digest
    assert as_splits(pairs, 4).digest != as_splits(pairs, 5).digest
    assert as_splits([([0, 1, 2], [3])], 4).digest != as_splits([([0, 1], [2, 3])], 4).digest


@settings(max_examples=30, deadline=None)
@given(
    n=st.integers(8, 60),
    folds=st.integers(2, 6),
    repeats=st.integers(1, 3),
    seed=st.integers(0, 99),
)
def test_every_row_judges_once_in_every_repetition(n, folds, repeats, seed):
    splits = make_splits(n, folds=folds, repeats=repeats, random_state=seed)
    assert len(splits) == folds * repeats
    assert splits.partition
    assert splits.test_share == pytest.approx(1.0 / folds)
    for train, test in splits:
        assert sorted([*train, *test]) == list(range(n))


def test_classes_keep_their_shares():
    y = np.array(["rare"] * 20 + ["common"] * 80)
    for _, test in make_splits(100, y, folds=5, repeats=2):
        assert np.sum(y[test] == "rare") == 4
    ((_, test),) = make_splits(100, y, kind="holdout", share=0.25)
    assert len(test) == 25
    assert np.sum(y[test] == "rare") == 5


@pytest.mark.parametrize("kind", evaluate.splits.KINDS)
def test_a_group_is_never_on_both_sides(kind):
    groups = np.repeat(np.arange(12), 5)
    y = np.arange(60) % 2
    for labels in (None, y):
        splits = make_splits(60, labels, kind=kind, folds=4, groups=groups)
        assert not any(set(groups[train]) & set(groups[test]) for train, test in splits)
    assert len(make_splits(60, kind="leave-one-out", groups=groups)) == 12


def test_leave_one_out_leaves_out_every_row_once():
    splits = make_splits(7, kind="leave-one-out")
    assert sorted(int(test[0]) for _, test in splits) == list(range(7))
    assert splits.test_share == pytest.approx(1.0 / 7.0)


# Intervals


@pytest.mark.parametrize("level", [0.5, 0.9, 0.95, 0.99])
@pytest.mark.parametrize(("k", "n"), [(0, 1), (0, 10), (3, 10), (10, 10), (57, 100), (1, 1000)])
def test_a_share_has_the_interval_of_clopper_and_pearson(k, n, level):
    found = proportion_interval(k, n, level)
    theirs = binomtest(k, n).proportion_ci(level, method="exact")
    assert (found.low, found.high) == pytest.approx((theirs.low, theirs.high), abs=1e-12)


@pytest.mark.parametrize("n", [5, 20, 75])
@pytest.mark.parametrize("p", [0.02, 0.3, 0.5, 0.91])
def test_the_exact_interval_covers_at_its_level_or_more(n, p):
    covered = [k for k in range(n + 1) if p in proportion_interval(k, n, 0.9)]
    assert binom.pmf(covered, n, p).sum() >= 0.9


def test_a_share_of_nothing_may_be_anything():
    found = proportion_interval(0, 0)
    assert np.isnan(found.value)
    assert (found.low, found.high) == (0.0, 1.0)


def root_mean_square(values):
    return np.sqrt(np.mean(values**2))


@pytest.mark.parametrize(
    ("statistic", "law", "truth"),
    [(np.mean, "exponential", 1.0), (root_mean_square, "normal", 1.0), (np.median, "normal", 0.0)],
    ids=["mean", "root mean square", "median"],
)
def test_the_bootstrap_covers_nearly_at_its_level(statistic, law, truth):
    drawn = getattr(np.random.default_rng(1), law)(size=(200, 80))
    found = [
        truth in bootstrap_interval(statistic, values, draws=200, level=0.9, random_state=seed)
        for seed, values in enumerate(drawn)
    ]
    assert 0.83 <= np.mean(found) <= 0.96


def test_the_bootstrap_of_f_covers_nearly_at_its_level():
    drawing = np.random.default_rng(0)
    law = np.array([0.2, 0.3, 0.1, 0.4])
    truth = ConfusionMatrix(("+", "-"), (1000 * law).astype(int).reshape(2, 2)).f_beta()[0]
    found = []
    for seed in range(200):
        matrix = ConfusionMatrix(("+", "-"), drawing.multinomial(100, law).reshape(2, 2))
        found.append(truth in matrix.interval("F", "+", level=0.9, draws=300, random_state=seed))
    assert 0.83 <= np.mean(found) <= 0.96


def test_the_bootstrap_is_that_of_scipy():
    values = np.random.default_rng(3).exponential(size=60)
    found = bootstrap_interval(np.std, values, draws=500, random_state=7)
    theirs = bootstrap(
        (values,), np.std, n_resamples=500, rng=np.random.default_rng(7), method="BCa"
    ).confidence_interval
    assert (found.low, found.high) == pytest.approx((theirs.low, theirs.high))
    assert found.method == "BCa bootstrap"


def test_of_many_rows_the_bootstrap_takes_percentiles():
    found = bootstrap_interval(np.mean, np.arange(2001.0), draws=50)
    assert found.method == "percentile bootstrap"
    assert found.low < 1000.0 < found.high


def test_strata_keep_their_sizes():
    y = np.repeat([0, 1], [3, 40])
    found = bootstrap_interval(lambda some: some.sum(), y, draws=50, stratify=y)
    assert found.value == 40.0
    assert np.isnan(found.low)


def test_a_perfect_score_has_no_interval_of_the_bootstrap_but_an_exact_one():
    y = np.arange(20) % 2
    found = scores(y, y, np.eye(2)[y], draws=20)
    assert str(found["F1"]) == "1 (no interval: all draws of the bootstrap are alike)"
    assert np.isnan([found["AUC"].low, found["balanced error"].high]).all()
    assert found["error"].high > 0.1
    found.plot().figure.canvas.draw()


@pytest.mark.parametrize(("folds", "repeats"), [(5, 1), (10, 10)])
def test_the_interval_of_a_mean_is_corrected(folds, repeats):
    values = np.random.default_rng(0).normal(size=folds * repeats)
    J = len(values)
    scale = np.sqrt(values.var(ddof=1) * (1.0 / J + 1.0 / (folds - 1.0)))
    expected = t.interval(0.95, J - 1, loc=values.mean(), scale=scale)
    found = mean_interval(values, 1.0 / folds)
    assert (found.low, found.high) == pytest.approx(expected)


# Classes

# True labels in rows. Lecture 6 writes predicted ones there: TP, FP / FN, TN.
LECTURE = {
    "balanced": ([[200, 300], [100, 400]], 0.40, 0.66, 0.40, 0.50),
    "the other side": ([[400, 100], [300, 200]], 0.40, 0.57, 0.80, 0.66),
    "few negative rows": ([[200, 300], [100, 0]], 0.66, 0.66, 0.40, 0.50),
}


@pytest.mark.parametrize("example", LECTURE)
def test_the_three_matrices_of_the_lecture(example):
    counts, error, precision, recall, f1 = LECTURE[example]
    matrix = ConfusionMatrix(("+", "-"), np.array(counts))
    found = (matrix.error, matrix.precision[0], matrix.recall[0], matrix.f_beta()[0])
    assert np.floor(np.array(found) * 100.0 + 1e-9).tolist() == [
        round(100 * value) for value in (error, precision, recall, f1)
    ]
    assert matrix.false_positive_rate[0] == counts[1][0] / sum(counts[1])


@pytest.mark.parametrize("K", [2, 3, 5])
@pytest.mark.parametrize("seed", range(3))
def test_measures_of_classes_are_those_of_scikit_learn(K, seed):
    y, called, _ = judged(K, seed=seed)
    matrix = confusion(y, called)
    assert np.array_equal(matrix.counts, metrics.confusion_matrix(y, called))
    for beta in (0.5, 1.0, 2.0):
        theirs = metrics.precision_recall_fscore_support(y, called, beta=beta, zero_division=0.0)
        assert np.allclose(matrix.precision, theirs[0])
        assert np.allclose(matrix.recall, theirs[1])
        assert np.allclose(matrix.f_beta(beta), theirs[2])
        assert matrix.macro("F", beta) == pytest.approx(theirs[2].mean())
    assert matrix.balanced_error == pytest.approx(1.0 - metrics.balanced_accuracy_score(y, called))
    assert matrix.error == pytest.approx(np.mean(y != called))
    for k in range(K):
        assert matrix.specificity[k] == pytest.approx(metrics.recall_score(y != k, called != k))


@pytest.mark.parametrize("K", [2, 4])
@pytest.mark.parametrize("seed", range(2))
def test_measures_of_probabilities_are_those_of_scikit_learn(K, seed):
    y, called, laws = judged(K, seed=seed)
    found = scores(y, called, laws, draws=50)
    column = laws[:, 1] if K == 2 else laws
    assert found["AUC"].value == pytest.approx(metrics.roc_auc_score(y, column, multi_class="ovr"))
    assert found["log-loss"].value == pytest.approx(metrics.log_loss(y, laws))
    squares = np.sum((laws - np.eye(K)[y]) ** 2, axis=1).mean()
    assert found["Brier"].value == pytest.approx(squares / 2.0 if K == 2 else squares)
    if K == 2:
        assert found["Brier"].value == pytest.approx(metrics.brier_score_loss(y, column))
    assert all(one.low <= one.value <= one.high for one in found.intervals.values())


def test_the_area_counts_ties_by_half():
    drawing = np.random.default_rng(0)
    y = drawing.integers(2, size=80)
    decisions = drawing.integers(4, size=80) + y
    found = scores(y, y, decisions=decisions, draws=20)["AUC"].value
    assert found == pytest.approx(metrics.roc_auc_score(y, decisions))
    assert "Brier" in scores(y, y, decisions=decisions, draws=20).left_out


def test_shares_have_exact_intervals_and_means_those_of_the_bootstrap():
    y, called, laws = judged()
    found = scores(y, called, laws, draws=50)
    hits, mine = np.sum((y == 1) & (called == 1)), np.sum(y == 1)
    assert str(found["recall"]) == str(proportion_interval(int(hits), int(mine)))
    assert {found[name].method for name in ("error", "precision", "recall")} == {"exact"}
    assert {found[name].method for name in ("F1", "AUC", "Brier")} == {"BCa bootstrap"}


def test_measures_without_probabilities_are_left_out_with_a_reason():
    y, called, _ = judged()
    found = scores(y, called, draws=20)
    assert set(found.left_out) == {"AUC", "log-loss", "Brier", "calibration error"}
    assert "left out: pass probabilities=" in str(found)
    with pytest.raises(InvalidInputError, match="pass probabilities="):
        found["Brier"]


def test_the_positive_label_is_the_one_asked_for():
    y, called, laws = judged()
    names = np.array(["a", "b"])
    for positive, k in (("a", 0), ("b", 1), (None, 1)):
        found = scores(names[y], names[called], laws, positive=positive, draws=20)
        theirs = metrics.recall_score(y, called, pos_label=k)
        assert found["recall"].value == pytest.approx(theirs)
        assert found["AUC"].value == pytest.approx(metrics.roc_auc_score(y, laws[:, 1]))


def test_columns_are_in_the_order_of_the_labels_passed():
    y, called, laws = judged(3)
    ordered = scores(y, called, laws[:, [2, 0, 1]], labels=[2, 0, 1], draws=20)
    assert ordered["log-loss"].value == pytest.approx(metrics.log_loss(y, laws))


def test_a_class_that_is_never_predicted_counts_as_scikit_learn_counts_it():
    matrix = confusion(["a", "b", "c", "c"], ["a", "a", "c", "c"])
    assert np.isnan(matrix.precision[1])
    assert matrix.macro("precision") == pytest.approx((0.5 + 0.0 + 1.0) / 3.0)
    assert matrix.interval("precision", "b").high == 1.0


@pytest.mark.parametrize("kind", [list, np.asarray, pd.Series, pl.Series, pd.Categorical])
def test_labels_of_any_kind_are_counted(kind):
    matrix = confusion(kind(["yes", "no", "no"]), kind(["yes", "yes", "no"]))
    assert matrix.labels == ("no", "yes")
    assert matrix.counts.tolist() == [[1, 1], [0, 1]]


# Numbers


@pytest.mark.parametrize("seed", range(3))
def test_measures_of_numbers_are_those_of_scikit_learn(seed):
    drawing = np.random.default_rng(seed)
    y = drawing.normal(size=60)
    f = y + 0.5 * drawing.standard_t(3, size=60)
    found = number_scores(y, f, draws=50)
    assert found["RMSE"].value == pytest.approx(metrics.root_mean_squared_error(y, f))
    assert found["MAE"].value == pytest.approx(metrics.mean_absolute_error(y, f))
    assert found["R2"].value == pytest.approx(metrics.r2_score(y, f))
    assert found["median absolute error"].value == pytest.approx(
        metrics.median_absolute_error(y, f)
    )
    assert "constant" in number_scores(np.ones(9), np.arange(9.0), draws=20).left_out["R2"]


# Calibration and thresholds


def test_a_reliability_curve_is_that_of_scikit_learn():
    drawing = np.random.default_rng(0)
    p = drawing.random(300)
    y = drawing.random(300) < p**2
    found = calibration(y, p, draws=20)
    shares, foretold = calibration_curve(y, p, n_bins=10)
    assert np.allclose(found.foretold, foretold)
    assert np.allclose([share.value for share in found.shares], shares)
    expected = np.sum(found.counts * np.abs(shares - foretold)) / 300.0
    assert found.error.value == pytest.approx(expected)
    assert found.brier.value == pytest.approx(np.mean((p - y) ** 2))
    assert found.held < 8


def test_calibrated_probabilities_are_found_so():
    drawing = np.random.default_rng(0)
    held = []
    for _ in range(20):
        p = drawing.random(400)
        held.append(calibration(drawing.random(400) < p, p, draws=20).held)
    assert np.mean(held) > 9.3


def test_a_column_is_that_of_the_positive_label_and_two_are_in_order():
    y, _, laws = judged()
    names = np.array(["a", "b"])[y]
    one = calibration(names, laws[:, 0], positive="a", draws=20)
    two = calibration(names, laws, positive="a", draws=20)
    assert np.array_equal(one.hits, two.hits)
    assert one.hits.sum() == np.sum(names == "a")


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 10_000), n=st.integers(2, 40), levels=st.sampled_from([3, 1000]),
    prices=st.tuples(st.floats(0.1, 10.0), st.floats(0.1, 10.0)),
)  # fmt: skip
def test_no_threshold_costs_less(seed, n, levels, prices):
    drawing = np.random.default_rng(seed)
    y = drawing.permutation(np.arange(n) % 2)
    decisions = drawing.integers(levels, size=n) / 7.0
    found = choose_threshold(y, decisions, None, *prices)

    def cost(threshold: float) -> float:
        called = decisions > threshold
        return (prices[0] * np.sum(called & (y == 0)) + prices[1] * np.sum(~called & (y == 1))) / n

    least = min(cost(threshold) for threshold in [-1.0, *decisions])
    assert found.cost == pytest.approx(least)
    assert cost(found.threshold) == pytest.approx(least)
    assert found.default_cost == pytest.approx(cost(0.0))
    assert found.slope == pytest.approx(np.sum(y == 0) / np.sum(y == 1) * prices[0] / prices[1])
    assert [cost(threshold) for threshold in found.thresholds] == pytest.approx(list(found.costs))


def test_the_line_of_equal_cost_touches_the_curve_from_above():
    drawing = np.random.default_rng(0)
    y = drawing.integers(2, size=200)
    found = choose_threshold(y, y + drawing.normal(size=200), cost_false_negative=3.0)
    height = found.true_positive - found.slope * found.false_positive
    assert height.max() == pytest.approx(height[found.best])


# Cross-validation


@pytest.mark.parametrize("measure", ["accuracy", "balanced error", "F1", "AUC", "log-loss"])
def test_cross_validation_is_that_of_scikit_learn(measure):
    scoring = {
        "balanced error": "balanced_accuracy", "F1": "f1", "AUC": "roc_auc", "log-loss": "neg_log_loss",
    }.get(measure, measure)  # fmt: skip
    splits = make_splits(len(BENIGN), BENIGN, folds=3)
    theirs = cross_val_score(GaussianNB(), CANCER, BENIGN, cv=splits, scoring=scoring)
    expected = {"balanced error": 1.0 - theirs, "log-loss": -theirs}.get(measure, theirs)
    found = cross_validate(GaussianNB(), CANCER, BENIGN, splits, measure=measure)
    assert np.allclose(found.scores.values, expected)
    assert found.scores.digest == splits.digest


@pytest.mark.parametrize("kind", [np.asarray, pd.DataFrame, sparse.csr_array, list])
def test_rows_of_any_kind_are_split(kind):
    found = cross_validate(KNeighborsClassifier(), kind(IRIS), SPECIES)
    assert found.scores.values.mean() < 0.06
    assert np.mean(found.out_of_fold != SPECIES) == pytest.approx(found.scores.values.mean())


def test_out_of_fold_predictions_are_those_of_models_that_had_not_seen_the_row():
    splits = make_splits(150, SPECIES, repeats=2)
    found = cross_validate(DecisionTreeClassifier(random_state=0), IRIS, SPECIES, splits)
    train, test = splits.pairs[3]
    fitted = DecisionTreeClassifier(random_state=0).fit(IRIS[train], SPECIES[train])
    assert np.array_equal(found.out_of_fold[test], fitted.predict(IRIS[test]))
    assert np.all(found.training == 0.0)


def test_numbers_are_judged_by_measures_of_numbers():
    y = IRIS[:, 3]
    found = cross_validate(LinearRegression(), IRIS[:, :3], y, measure="R2", name="least squares")
    assert found.scores.values.mean() > 0.9
    assert str(found).startswith("least squares: R2")
    assert nested(
        make_pipeline(StandardScaler(), LinearRegression()), {"linearregression__positive": [True, False]},
        IRIS[:, :3], y, measure="RMSE",
    ).scores.values.mean() < 0.25  # fmt: skip


@pytest.mark.parametrize("search", ["grid", "halving"])
def test_a_rich_search_on_noise_is_optimistic(search):
    drawing = np.random.default_rng(0)
    X, y = drawing.normal(size=(90, 8)), drawing.permutation(np.arange(90) % 2)
    space = {
        "max_depth": [1, 2, 4, None],
        "min_samples_leaf": [1, 3, 6, 12],
        "random_state": [0, 1],
    }
    splits = make_splits(90, y, folds=3)
    found = nested(DecisionTreeClassifier(), space, X, y, splits, search=search)
    assert found.candidates == 32
    assert found.optimism > 0.03
    assert 0.5 in found.interval()
    assert len(found.chosen) == 3
    assert {"max_depth", "search error", "test error"} <= set(found.frame().columns)


def test_what_is_chosen_inside_has_not_seen_the_rows_that_judge():
    class Recorder(KNeighborsClassifier):
        seen: list[set[float]] = []  # noqa: RUF012

        def fit(self, X, y):
            Recorder.seen.append(set(X[:, 0]))
            return super().fit(X, y)

    X = np.arange(60.0)[:, None]
    y = np.arange(60) % 2
    splits = make_splits(60, y, folds=2)
    nested(Recorder(), {"n_neighbors": [1, 3]}, X, y, splits)
    half = len(Recorder.seen) // 2
    for (train, _), some in zip(splits, (Recorder.seen[:half], Recorder.seen[half:]), strict=True):
        assert set().union(*some) == set(X[train, 0])


def test_more_rows_help():
    found = learning_curve(LogisticRegression(max_iter=5000), IRIS, SPECIES, [0.1, 0.4, 1.0])
    assert found.sizes.tolist() == [12, 48, 120]
    assert found.test.mean(axis=1)[0] > found.test.mean(axis=1)[-1]
    theirs = cross_validate(LogisticRegression(max_iter=5000), IRIS, SPECIES, found.splits)
    assert np.allclose(found.test[-1], theirs.scores.values)
    training, test = found.intervals
    assert str(test[0]) == str(mean_interval(found.test[0], 0.2))
    assert len(training) == 3


def test_smaller_parts_are_the_beginnings_of_larger_ones_with_all_classes():
    y = np.repeat([0, 1, 2], [10, 30, 60])
    drawing = np.random.default_rng(0)
    some = evaluate.learning_curves._in_turn(np.arange(100), y, drawing)
    for size in (10, 20, 50):
        assert np.abs(np.bincount(y[some[:size]]) - size * np.array([0.1, 0.3, 0.6])).max() <= 1.0


# Pictures and words


def results():
    y, called, laws = judged()
    return {
        "splits": make_splits(20, repeats=2),
        "interval": proportion_interval(3, 10),
        "confusion": confusion(y, called),
        "scores": scores(y, called, laws, draws=20),
        "numbers": number_scores(y, laws[:, 1], draws=20),
        "calibration": calibration(y, laws[:, 1], draws=20),
        "threshold": choose_threshold(y, laws[:, 1], default=0.5),
        "cross-validation": cross_validate(GaussianNB(), IRIS, SPECIES),
        "nested": nested(GaussianNB(), {"var_smoothing": [1e-9, 0.1]}, IRIS, SPECIES),
        "learning curve": learning_curve(GaussianNB(), IRIS, SPECIES, [0.5, 1.0]),
    }


def test_every_result_is_told_drawn_and_a_frame():
    from matplotlib import pyplot

    for name, result in results().items():
        assert str(result) == repr(result), name
        assert len(result.frame()) >= 1, name
        if hasattr(result, "plot"):
            ax = result.plot()
            ax.figure.canvas.draw()
            assert result.plot(ax) is ax, name
            pyplot.close("all")


def test_all_public_names_exist():
    assert all(hasattr(evaluate, name) for name in evaluate.__all__)


# Wrong requests

Y, CALLED, LAWS = judged()
TREE = DecisionTreeClassifier()
HALF = np.where(np.arange(150) < 75, "a", "b")
WRONG = {
    "unknown labels": lambda: confusion(["a", "b"], ["a", "c"], labels=["a", "b"]),
    "labels of another kind": lambda: confusion([0, 1], ["0", "1"]),
    "no common label": lambda: confusion([0, 1], [5, 6]),
    "a label twice": lambda: confusion([0, 1], [0, 1], labels=[0, 0, 1]),
    "one class": lambda: scores([1, 1, 1], [1, 1, 1]),
    "one class to calibrate": lambda: calibration([1, 1], [0.5, 0.6]),
    "three classes to calibrate": lambda: calibration([1, 2, 3], [0.5, 0.6, 0.7]),
    "one class to cut": lambda: choose_threshold([1, 1], [0.5, 0.6]),
    "different lengths": lambda: confusion([0, 1, 1], [0, 1]),
    "probabilities of other rows": lambda: scores(Y, CALLED, LAWS[1:]),
    "a label missing": lambda: confusion([0.0, np.nan], [0.0, 1.0]),
    "a label that is None": lambda: confusion(["a", None], ["a", "a"]),
    "a label that is NA": lambda: confusion(pd.Series(["a", pd.NA]), ["a", "a"]),
    "a prediction that is NaN": lambda: number_scores([1.0, 2.0], [1.0, np.nan]),
    "words as numbers": lambda: number_scores(["a", "b"], [1.0, 2.0]),
    "one number": lambda: number_scores([1.0], [1.0]),
    "rows of several lengths": lambda: confusion([[1], [2, 3]], [1, 2]),
    "no rows": lambda: confusion([], []),
    "a table of labels": lambda: confusion([[0], [1]], [0, 1]),
    "probabilities beyond 1": lambda: scores(Y, CALLED, 2.0 * LAWS[:, 1]),
    "negative probabilities": lambda: calibration(Y, LAWS[:, 1] - 0.5),
    "probabilities that do not sum to 1": lambda: scores(Y, CALLED, 0.5 * LAWS),
    "probabilities that are NaN": lambda: scores(Y, CALLED, np.where(LAWS > 0.5, np.nan, LAWS)),
    "too many columns": lambda: scores(Y, CALLED, np.full((150, 3), 1.0 / 3.0)),
    "a positive label that is none": lambda: scores(Y, CALLED, positive="sick"),
    "a positive label of three": lambda: scores(SPECIES, SPECIES, positive=1),
    "a negative count": lambda: ConfusionMatrix((0, 1), np.array([[1, -1], [0, 2]])),
    "an empty matrix": lambda: ConfusionMatrix((0, 1), np.zeros((2, 2), dtype=int)),
    "no such measure of a matrix": lambda: confusion(Y, CALLED).interval("AUC"),
    "no such label of a matrix": lambda: confusion(Y, CALLED).interval("recall", 7),
    "no such beta": lambda: confusion(Y, CALLED).f_beta(-1.0),
    "a level of 95": lambda: proportion_interval(3, 10, level=95),
    "more successes than rows": lambda: proportion_interval(11, 10),
    "half a success": lambda: proportion_interval(0.5, 10),
    "two draws": lambda: bootstrap_interval(np.mean, np.arange(9.0), draws=2),
    "one score": lambda: mean_interval([0.5], 0.2),
    "a share of 20": lambda: mean_interval([0.5, 0.6], 20),
    "no such kind": lambda: make_splits(10, kind="bootstrap"),
    "more folds than rows": lambda: make_splits(4, folds=5),
    "more folds than rows of a class": lambda: make_splits(9, ["a"] * 6 + ["b"] * 3, folds=4),
    "a class with one row": lambda: make_splits(9, ["a"] * 8 + ["b"], kind="holdout"),
    "a class with one row to leave out": lambda: make_splits(9, ["a"] * 8 + ["b"], kind="leave-one-out"),
    "numbers as classes": lambda: make_splits(9, np.arange(9.0)),
    "one fold": lambda: make_splits(9, folds=1),
    "one group": lambda: make_splits(9, groups=np.zeros(9)),
    "a class in one group": lambda: make_splits(9, [0] * 6 + [1] * 3, groups=np.repeat([0, 1, 2], 3), folds=2),
    "groups of other rows": lambda: make_splits(9, groups=np.zeros(8)),
    "leave-one-out twice": lambda: make_splits(9, kind="leave-one-out", repeats=2),
    "all rows held out": lambda: make_splits(3, kind="holdout", share=0.9),
    "a seed that is none": lambda: make_splits(9, random_state=None),
    "splits of other rows": lambda: cross_validate(TREE, IRIS, SPECIES, make_splits(9)),
    "rows on both sides": lambda: as_splits([([0, 1], [1, 2])], 3),
    "positions beyond the rows": lambda: as_splits([([0, 1], [2, 3])], 3),
    "splits that are a number": lambda: cross_validate(TREE, IRIS, SPECIES, 5),
    "one class in a training part": lambda: cross_validate(
        TREE, IRIS, HALF, [(np.arange(75), np.arange(75, 150))]
    ),
    "one class in a test part": lambda: cross_validate(
        TREE, IRIS, HALF, [(np.arange(50, 150), np.arange(50))], measure="AUC"
    ),
    "one class in y": lambda: cross_validate(TREE, IRIS, np.zeros(150)),
    "no such measure": lambda: cross_validate(TREE, IRIS, SPECIES, measure="friendship"),
    "classes of a regressor": lambda: cross_validate(LinearRegression(), IRIS, SPECIES),
    "no probabilities": lambda: cross_validate(RidgeClassifier(), IRIS, SPECIES, measure="Brier"),
    "a class as a model": lambda: cross_validate(DecisionTreeClassifier, IRIS, SPECIES),
    "other rows in y": lambda: cross_validate(TREE, IRIS, SPECIES[1:]),
    "repeated holdout as predictions": lambda: cross_validate(
        TREE, IRIS, SPECIES, make_splits(150, SPECIES, kind="holdout")
    ).out_of_fold,
    "no such parameter": lambda: nested(TREE, {"depth": [1, 2]}, IRIS, SPECIES),
    "no values": lambda: nested(TREE, {"max_depth": []}, IRIS, SPECIES),
    "no space": lambda: nested(TREE, {}, IRIS, SPECIES),
    "no such search": lambda: nested(TREE, {"max_depth": [1]}, IRIS, SPECIES, search="guess"),
    "too few rows of a class to choose": lambda: nested(
        TREE, {"max_depth": [1]}, IRIS[:60], np.repeat([0, 1], [54, 6]), make_splits(60, folds=2), inner_folds=9
    ),
    "a cost of nothing": lambda: choose_threshold(Y, LAWS[:, 1], cost_false_positive=0.0),
    "two columns of decisions": lambda: choose_threshold(Y, LAWS),
    "more rows than there are": lambda: learning_curve(TREE, IRIS, SPECIES, [50, 500]),
    "sizes of nothing": lambda: learning_curve(TREE, IRIS, SPECIES, [0.0, 0.5]),
    "a first size of one class": lambda: learning_curve(TREE, IRIS, SPECIES, [1, 50]),
    "one split for a curve": lambda: learning_curve(
        TREE, IRIS, SPECIES, splits=make_splits(150, SPECIES, kind="holdout")
    ),
}  # fmt: skip


@pytest.mark.parametrize("wrong", WRONG)
def test_wrong_requests_name_the_remedy(wrong):
    with pytest.raises(InvalidInputError, match=r"pass|leave|replace|fill"):
        WRONG[wrong]()


def test_a_class_with_too_few_rows_is_named():
    with pytest.raises(
        InvalidInputError, match=r"class 'b' has 3 rows and there are 4 folds: pass folds=3"
    ):
        WRONG["more folds than rows of a class"]()


def test_the_ends_of_the_exact_interval_are_quantiles_of_beta():
    found = proportion_interval(7, 20, 0.9)
    assert found.low == pytest.approx(beta_law.ppf(0.05, 7, 14))
    assert found.high == pytest.approx(beta_law.ppf(0.95, 8, 13))
