"""Claims about comparisons: no model sees its test rows, every row says how it ended, chance beats nothing."""

from __future__ import annotations

import time
from dataclasses import replace

import matplotlib
import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom, norm

import chemin
from chemin.exceptions import InvalidInputError
from chemin.models import registry
from chemin.models.comparison import compare
from chemin.models.comparison.verdict import chance_of_labels, in_groups

matplotlib.use("Agg")
plt = pytest.importorskip("matplotlib.pyplot")

HERE = {"workers": 0, "budget": None}
QUICK = ["lda", "knn", "naive-bayes-gaussian", "tree"]


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


ROUNDS = {"n_estimators": 10, "max_iter": 5, "epochs": 5}


def of_few_rounds(model):
    """Return an ensemble or a network of the registry as it is, but for fewer trees, rounds or epochs."""
    offered = model.make(100, 5, 0).get_params() if model.installed else {}
    few = {name: ROUNDS[end] for name in offered if (end := name.rpartition("__")[2]) in ROUNDS}
    space = {name: values for name, values in model.space.items() if name not in few}
    return replace(
        model, make=lambda *sizes, make=model.make: make(*sizes).set_params(**few), space=space
    )


@pytest.fixture(scope="module", autouse=True)
def few_rounds():
    """Claims here are about rows that are seen or not, and hold for ten trees as for hundreds."""
    quick = [
        of_few_rounds(model) if model.kind in ("ensemble", "network") else model
        for model in registry.MODELS
    ]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(registry, "MODELS", tuple(quick))
        for model in quick:
            patch.setitem(registry._BY_NAME, model.name, model)
        yield


@pytest.fixture(scope="module")
def flowers(few_rounds):
    return compare("iris", models=QUICK, **HERE)


def noise(n: int = 90, p: int = 4, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray]:
    drawing = np.random.default_rng(seed)
    X = pd.DataFrame(drawing.normal(size=(n, p))).add_prefix("x")
    X["word"] = drawing.choice(["a", "b", "c"], n)
    return X, np.where(drawing.random(n) < 0.5, "no", "yes")


def better_than_chance(found, n: int) -> list[str]:
    """Return the finished models with fewer errors than chance explains, at 5 % for all of them together."""
    chance = found[found.chance].errors.mean()
    level = 0.05 / len(found.finished)
    least = binom.ppf(level, n, min(chance, 0.5)) / n
    return [row.name for row in found.finished if row.errors.mean() < least]


# No leak: on noise nothing is learned


def test_no_model_of_the_registry_beats_chance_on_noise_and_all_do_with_a_leak():
    X, y = noise()
    settings = {"folds": 3, "inner_folds": 2, **HERE}
    found = compare(X, y, **settings)
    assert {row.status for row in found.rows} <= {"finished", "skipped"}
    assert len(found.finished) >= 0.8 * len(found.rows)
    assert better_than_chance(found, len(y)) == []
    names = ["lda", "tree", "logistic", "knn"]
    leaking = compare(X.assign(leak=(y == "yes") + 0.01 * X["x0"]), y, names, **settings)
    assert set(better_than_chance(leaking, len(y))) >= {"lda", "tree", "logistic"}


def test_no_model_of_numbers_beats_the_mean_on_shuffled_targets():
    data = chemin.read("diabetes")
    shuffled = np.random.default_rng(1).permutation(data.y)[:120]
    found = compare(data.X[:120], shuffled, folds=3, inner_folds=2, **HERE)
    assert len(found.finished) >= 0.8 * len(found.rows)
    chance = found["mean"].errors
    level = norm.isf(0.05 / len(found.finished))
    spread = shuffled.std() / np.sqrt(2.0 * 120)  # of a root mean square of 120 normal numbers
    for row in found.finished:
        assert row.errors.mean() > chance.mean() - level * spread, row.name


def test_what_is_chosen_inside_looks_better_there_on_noise():
    X, y = noise(60, 8, seed=3)
    found = compare(X, y, ["svm-rbf", "knn"], folds=5, **HERE)
    optimism = [row.optimism for row in found.finished if np.isfinite(row.optimism)]
    assert np.mean(optimism) > 0.0
    assert any("too small on average" in sentence for sentence in found.sentences())


def test_preparation_learns_from_training_rows_only():
    X, y = noise(60)
    X["word"] = [f"w{k}" if k % 3 else "w" for k in range(60)]
    X.loc[::4, "x1"] = np.nan
    found = compare(X, y, ["lda"], **HERE)
    assert found["lda"].status == "finished"


# Rows


def test_baselines_are_always_there(flowers):
    assert set(registry.baselines("classes")) <= {row.name for row in flowers.rows}


def test_errors_are_those_of_the_splits(flowers):
    row = flowers["lda"]
    assert len(row.errors) == 5
    assert row.error.value == pytest.approx(row.errors.mean())
    assert row.error.low <= row.error.value <= row.error.high


def test_measures_stand_beside_the_error(flowers):
    measures = flowers["lda"].measures
    assert set(measures) == {"balanced error", "AUC", "log-loss", "Brier", "calibration error"}
    assert measures["AUC"] > 0.99
    assert 0.0 <= measures["calibration error"] < 0.1


def test_the_best_group_has_the_best_and_one_is_recommended(flowers):
    assert flowers.groups()[0][0] == flowers.best.name
    assert flowers.recommended in flowers.groups()[0]
    assert flowers["majority"].group > 0
    assert f"{flowers.best.name} has the least error" in str(flowers)


def test_models_are_told_apart_by_the_rows_that_one_is_right_about(flowers):
    best, tree = flowers.best, flowers["tree"]
    pair = [np.sum(best.losses < tree.losses), np.sum(best.losses > tree.losses)]
    alone = min(2.0 * binom.cdf(min(pair), sum(pair), 0.5), 1.0)
    assert chance_of_labels(best, tree) == pytest.approx(alone)
    assert tree.group > 0
    assert alone < 0.05


def test_something_is_learned_where_ten_in_a_hundred_rows_say_so():
    drawing = np.random.default_rng(0)
    X = drawing.normal(size=(500, 3))
    y = np.where(X[:, 0] + 1.5 * drawing.normal(size=500) > 0.4, "yes", "no")
    found = compare(X, y, ["lda"], **HERE)
    assert found["majority"].group > found["lda"].group
    assert found.recommended != "majority"


def test_repeated_folds_are_compared_by_the_corrected_t_test():
    found = compare("iris", models=["lda"], folds=3, inner_folds=2, repeats=3, **HERE)
    assert len(found["lda"].errors) == 9
    assert found["majority"].group > 0


def test_two_models_are_compared_by_what_does_not_matter(flowers):
    found = flowers.probabilities("majority", "lda")
    assert found["worse"] > 0.99
    assert sum(found.values()) == pytest.approx(1.0)


def test_a_comparison_is_a_table_and_a_picture(flowers):
    frame = flowers.frame()
    assert frame["model"].tolist() == [row.name for row in flowers.rows]
    assert len(flowers.plot().get_yticklabels()) == len(flowers.finished)


def test_the_advice_of_the_course_stands_beside_what_came_out(flowers):
    assert list(flowers.advice) == registry.guide(150, 4)


def test_the_same_seed_gives_the_same_rows(flowers):
    again = compare("iris", models=QUICK, **HERE)
    other = compare("iris", models=QUICK, random_state=1, **HERE)
    assert again.digest == flowers.digest != other.digest
    for row in flowers.finished:
        assert np.array_equal(again[row.name].errors, row.errors)


def test_numbers_are_compared_by_their_squares():
    found = compare("diabetes", models=["ols", "lasso"], **HERE)
    assert found.measure == "RMSE"
    assert found.chance == "mean"
    assert found["ols"].measures["R²"] > 0.4
    assert found["mean"].group > 0


def test_our_models_tell_their_length_and_their_certificate():
    found = compare("breast-cancer", models=["drsvm"], rows=200, folds=3, **HERE)
    row = found["drsvm"]
    assert row.status == "finished"
    assert row.unit == "variables"
    assert 0 < row.length <= 30
    assert "gap" in row.certificate


# What does not come to an end


def stand_in(name, monkeypatch, make):
    """Put another model in the place of one of the registry."""
    model = replace(registry.find(name), make=make, space={}, length=lambda fitted: None)
    monkeypatch.setitem(registry._BY_NAME, name, model)


class Sleeper:
    """A classifier that takes its time."""

    def set_params(self, **given):
        return self

    def fit(self, X, y):
        time.sleep(0.3)
        self.label = y[0]
        return self

    def predict(self, X):
        return np.full(len(X), self.label)


class Breaker(Sleeper):
    def fit(self, X, y):
        raise RuntimeError("a solver broke")


def test_a_model_that_fails_is_a_row_and_the_others_go_on(monkeypatch):
    stand_in("knn", monkeypatch, lambda n, p, seed: Breaker())
    found = compare("iris", models=["knn", "lda"], **HERE)
    assert found["knn"].status == "failed"
    assert "a solver broke" in found["knn"].why
    assert found["lda"].status == "finished"
    assert "failed: RuntimeError" in str(found)


def test_a_model_that_takes_too_long_is_a_row_with_the_reason(monkeypatch):
    class Slow(Sleeper):
        def fit(self, X, y):
            time.sleep(0.7)  # five splits are more than the budget
            return super().fit(X, y)

    stand_in("mlp", monkeypatch, lambda n, p, seed: Slow())
    found = compare("iris", models=["mlp"], workers=0, budget=3.0)
    assert found["majority"].status == "finished"
    assert found["mlp"].status == "timed out"
    assert "of 5 splits were done: raise the budget" in found["mlp"].why


class Nonsense(Sleeper):
    def fit(self, X, y):
        return self

    def predict(self, X):
        return np.full(len(X), np.nan)


def test_a_model_that_predicts_no_numbers_is_a_row(monkeypatch):
    stand_in("ols", monkeypatch, lambda n, p, seed: Nonsense())
    found = compare("diabetes", models=["ols"], rows=100, **HERE)
    assert found["ols"].status == "failed"
    assert "no numbers" in found["ols"].why
    assert found["ridge"].status == "finished"


def test_small_tables_search_among_what_works():
    X, y = noise(20)
    found = compare(X, y, ["knn"], folds=3, **HERE)
    assert found["knn"].status == "finished"


def test_what_knows_no_input_is_recommended_only_if_nothing_else_is_as_good():
    X, y = noise(60)
    found = compare(X, y, ["lda"], **HERE)
    assert (found.recommended == "majority") == (found.best.name == "majority")


def test_baselines_may_take_what_is_left(monkeypatch):
    X, y = noise(60)
    found = compare(X, y, ["lda"], folds=2, workers=1, budget=60.0)
    assert {row.status for row in found.rows} == {"finished"}


def test_an_interrupt_keeps_what_is_finished(monkeypatch):
    class Interrupted(Sleeper):
        def fit(self, X, y):
            raise KeyboardInterrupt

    stand_in("knn", monkeypatch, lambda n, p, seed: Interrupted())
    found = compare("iris", models=["lda", "knn"], **HERE)
    assert found["lda"].status == "finished"
    assert found["knn"].status == "cancelled"


def test_processes_give_the_same_rows_and_end_what_takes_too_long():
    X, y = noise(60)
    names = ["lda", "naive-bayes-gaussian"]
    few = {"folds": 2, "inner_folds": 2}
    here = compare(X, y, names, **few, **HERE)
    there = compare(X, y, names, **few, workers=2, budget=300.0)
    for name in (
        *names,
        "majority",
        "logistic",
    ):  # processes know nothing of the few rounds here
        assert np.array_equal(there[name].errors, here[name].errors)
    hurried = compare(X, y, names, **few, workers=1, budget=0.2)
    assert {row.status for row in hurried.rows} <= {"finished", "timed out"}
    assert "timed out" in {row.status for row in hurried.rows}


def test_a_model_that_cannot_take_the_data_says_why():
    X, y = noise(40)
    wide = pd.concat(
        [X, pd.DataFrame(np.random.default_rng(0).normal(size=(40, 60))).add_prefix("z")], axis=1
    )
    found = compare(wide, y, ["qda", "lda"], **HERE)
    assert found["qda"].status == "skipped"
    assert found["qda"].why


def test_rows_without_a_target_are_left_out_and_said_to_be():
    X, y = noise(60)
    found = compare(X, [None, *y[1:]], ["lda"], **HERE)
    assert found.said == "all 60 rows, of which 59 have a target"
    assert len(found["lda"].losses) == 59


@pytest.mark.parametrize(
    ("chances", "expected"),
    [([0.04, 0.03], [0, 0, 0]), ([0.04, 0.02, 0.5], [0, 1, 1]), ([0.5, 0.001], [0, 0, 1])],
)
def test_groups_are_told_apart_by_holm(chances, expected):
    told = iter(chances)
    assert in_groups(range(3), lambda one, other: next(told), 0.05) == expected


WRONG = {
    "no target": (lambda: compare("patients", **HERE), "no target"),
    "an unknown model": (lambda: compare("iris", models=["random-forrest"], **HERE), "random-forest"),
    "a model of numbers for classes": (lambda: compare("iris", models=["ols"], **HERE), "numbers"),
    "no time": (lambda: compare("iris", budget=0), "budget"),
    "half a worker": (lambda: compare("iris", workers=0.5), "workers"),
    "too many folds": (lambda: compare("iris", folds=200, **HERE), "folds"),
    "one inner fold": (lambda: compare("iris", inner_folds=1, **HERE), "inner_folds"),
    "a level of 95": (lambda: compare("iris", level=95.0, **HERE), "level"),
    "one class": (lambda: compare(np.eye(20), ["a"] * 20, **HERE), "class"),
    "a rare class": (lambda: compare(np.eye(20), ["a"] * 18 + ["b"] * 2, **HERE), "2 rows for 5 folds"),
    "nothing to learn from": (lambda: compare(np.ones((20, 2)), ["a", "b"] * 10, **HERE), "no column"),
    "an infinite cell": (
        lambda: compare(np.where(np.eye(20) > 0, np.inf, 1.0), ["a", "b"] * 10, **HERE), "infinite",
    ),
    "no models": (lambda: compare("iris", models=None, **HERE), "models is None"),
    "a rope of words": (lambda: compare("iris", rope="x", **HERE), "rope"),
    "a date": (
        lambda: compare(np.eye(20), pd.date_range("2024-01-01", periods=20).to_numpy(), **HERE),
        "date",
    ),
    "two models of which one is not finished": (
        lambda: compare(*noise(12, 30), ["qda"], folds=2, **HERE).probabilities("qda", "majority"),
        "not finished",
    ),
}  # fmt: skip


@pytest.mark.parametrize("wrong", WRONG)
def test_wrong_requests_name_the_remedy(wrong):
    request, told = WRONG[wrong]
    with pytest.raises(InvalidInputError, match=told):
        request()
