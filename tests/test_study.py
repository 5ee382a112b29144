"""Claims about studies: stopped and gone on with, killed, read back elsewhere, asked for otherwise."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import tomllib
from dataclasses import asdict, replace
from hashlib import sha256
from types import SimpleNamespace

import numpy as np
import pytest

import chemin
from chemin.exceptions import InvalidInputError, StudyError
from chemin.report import html
from chemin.study import Listener, Recipe, learn, read_recipe, read_study
from chemin.study.brief import in_brief
from chemin.study.choice import recommended_of
from chemin.study.codec import from_json, to_json
from chemin.study.document import ComparisonFacts, Document, RowFacts
from chemin.study.estimate import estimate_study
from chemin.study.recipe import as_toml
from chemin.study.steps.comparing import _drawn
from chemin.study.workspace import Workspace
from studied import shared_by_processes, study_of

STEPS = ("look", "linear", "basis", "compare", "explain")
QUICK = {"against": ("none",), "folds": 2, "cases": 2}


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    return shared_by_processes(tmp_path_factory)


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    """A file of fifty rows, in which one column tells two classes apart but for some noise."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 2))
    label = X[:, 0] + 0.5 * rng.normal(size=50) > 0
    rows = [
        f"{a:.3f},{b:.3f},{'yes' if one else 'no'}" for (a, b), one in zip(X, label, strict=True)
    ]
    place = tmp_path_factory.mktemp("source") / "data.csv"
    place.write_text("\n".join(["a,b,y", *rows]), encoding="utf-8")
    return place


@pytest.fixture(scope="module")
def whole(source, tmp_path_factory):
    """The study of that file, made without a stop."""
    return learn(Recipe(str(source), "y", **QUICK), tmp_path_factory.mktemp("whole") / "study")


class Stop(Listener):
    """Who presses Ctrl-C when a step begins."""

    def __init__(self, step):
        self.step = step

    def begun(self, step):
        if step == self.step:
            raise KeyboardInterrupt


def told(study):
    """Return all that a study found: its facts but for the times, its arrays, and what its models decide."""
    facts = asdict(replace(study.document, seconds={}))
    X = chemin.read(study.document.recipe.source, target="y").X
    decisions = [study.model(one.name).decision_function(X) for one in study.document.models]
    return facts, {name: one.tobytes() for name, one in study.arrays.items()}, np.array(decisions)


def assert_same(study, other):
    facts, arrays, decisions = told(study)
    other_facts, other_arrays, other_decisions = told(other)
    assert facts == other_facts
    assert arrays == other_arrays
    np.testing.assert_array_equal(decisions, other_decisions)


@pytest.mark.parametrize("step", STEPS)
def test_a_study_that_was_stopped_goes_on_to_the_same_result(step, source, whole, tmp_path):
    recipe = Recipe(str(source), "y", **QUICK)
    with pytest.raises(KeyboardInterrupt):
        learn(recipe, tmp_path / "study", listener=Stop(step))
    assert (tmp_path / "study").exists() == (step != "look")  # before the first, nothing is kept
    assert_same(learn(recipe, tmp_path / "study"), whole)


def test_a_study_that_was_killed_goes_on_to_the_same_result(source, whole, tmp_path):
    command = [
        sys.executable, "-m", "chemin", "learn", str(source), "-t", "y", "--against", "none", "--folds", "2",
        "--cases", "2", "--out", str(tmp_path / "data-study"),
    ]  # fmt: skip
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        while (
            not (tmp_path / "data-study/parts/linear.json").exists()
            and not (tmp_path / "data-study/study.json").exists()
        ):
            assert process.poll() in (None, 0)
            time.sleep(0.005)
        process.send_signal(signal.SIGKILL)
    assert process.returncode == -signal.SIGKILL
    assert Workspace(tmp_path / "data-study").is_begun
    again = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "done before" in again.stderr
    assert_same(read_study(tmp_path / "data-study"), whole)


ELSEWHERE = """
import sys
from hashlib import sha256
import chemin
from chemin.report import html
from chemin.study import read_study
for folder in sys.argv[1:]:
    study = read_study(folder)
    table = chemin.read(study.document.recipe.source, target=study.document.data.target)
    model = study.model()
    print(sha256(html(study).encode()).hexdigest(), sha256(repr(model.predict(table.X).tolist()).encode()).hexdigest())
"""


def test_another_process_writes_the_same_report_and_predicts_the_same_labels(base):
    studies = [study_of(name, base) for name in ("plane", "three", "number")]
    here = []
    for study in studies:
        table = chemin.read(study.document.recipe.source, target=study.document.data.target)
        predicted = repr(study.model().predict(table.X).tolist())
        here.append(f"{digest(html(study))} {digest(predicted)}")
    folders = [str(study.folder) for study in studies]
    found = subprocess.run(
        [sys.executable, "-c", ELSEWHERE, *folders],
        capture_output=True, text=True, check=True, env=os.environ | {"PYTHONHASHSEED": "7"},
    )  # fmt: skip
    assert found.stdout.splitlines() == here


def digest(text):
    return sha256(text.encode()).hexdigest()


@pytest.mark.parametrize("name", ["plane", "three", "number", "french", "noise"])
def test_a_document_is_read_back_as_it_was_written(name, base):
    document = study_of(name, base).document
    assert from_json(Document, to_json(document), "here") == document


def test_a_study_holds_json_arrays_and_models_and_nothing_else(base):
    folder = study_of("three", base).folder
    held = sorted(str(place.relative_to(folder)) for place in folder.rglob("*") if place.is_file())
    assert held == ["arrays.npz", "models/basis.skops", "models/linear.skops", "study.json"]
    with np.load(folder / "arrays.npz", allow_pickle=False) as arrays:
        assert all(arrays[name].dtype != object for name in arrays.files)


def test_the_rows_that_judge_are_not_learned_from(base):
    study = study_of("three", base)
    train, test = study.arrays["train"], study.arrays["test"]
    assert not set(train) & set(test)
    assert len(train) + len(test) == study.document.data.rows
    (facts,) = (one for one in study.document.models if one.name == "linear")
    assert sum(map(sum, facts.confusion)) == len(test)


def test_a_finished_study_is_read_back_and_not_made_again(whole, source):
    before = (whole.folder / "study.json").stat().st_mtime_ns
    assert_same(learn(Recipe(str(source), "y", **QUICK), whole.folder), whole)
    assert (whole.folder / "study.json").stat().st_mtime_ns == before


OTHERWISE = {
    "another recipe": ({"folds": 3}, "asked for otherwise"),
    "other data": ({"read": {"rows": 40}}, "asked for otherwise"),
}


@pytest.mark.parametrize(("changes", "match"), OTHERWISE.values(), ids=OTHERWISE)
def test_what_is_there_is_not_lost(changes, match, whole, source):
    before = (whole.folder / "study.json").read_bytes()
    with pytest.raises(StudyError, match=f"{match}.*--force"):
        learn(Recipe(str(source), "y", **QUICK | changes), whole.folder)
    assert (whole.folder / "study.json").read_bytes() == before


def test_a_file_that_has_changed_is_another_study(source, tmp_path):
    mine = tmp_path / "data.csv"
    mine.write_bytes(source.read_bytes())
    recipe = Recipe(str(mine), "y", models=("linear",), **QUICK)
    learn(recipe, tmp_path / "study")
    mine.write_text(source.read_text(encoding="utf-8").replace("yes", "no", 1), encoding="utf-8")
    with pytest.raises(StudyError, match=r"a study of other data.*--force"):
        learn(recipe, tmp_path / "study")
    study = learn(recipe, tmp_path / "study", force=True)
    assert len(study.document.data.classes) == 2


def test_one_process_at_a_time_works_in_a_folder(source, tmp_path):
    with (
        Workspace(tmp_path / "study").alone(),
        pytest.raises(StudyError, match="another process works"),
    ):
        learn(Recipe(str(source), "y", **QUICK), tmp_path / "study")


def test_a_step_that_the_recipe_makes_impossible_leaves_nothing(source, tmp_path, monkeypatch):
    from chemin.study.steps import learning

    def fails(*_, **__):
        raise InvalidInputError("this cannot be learned")

    monkeypatch.setattr(learning, "learn", fails)
    with pytest.raises(InvalidInputError, match="cannot be learned"):
        learn(Recipe(str(source), "y", **QUICK), tmp_path / "study")
    assert not (tmp_path / "study").exists()


RECIPES = [
    Recipe("data.csv"),
    Recipe("a b.csv", "âge", positive="oui", folds=3, test=0.0, cases=0, budget=1.5),
    Recipe("x.csv", "y", kernels=("gaussian(1).on(a, b)", "linear + constant"), models=("basis",)),
    Recipe("x.csv", "y", {"decimal": ",", "rows": 9, "missing": ["", "-9"], "header": False}),
    Recipe("x.csv", "y", {"types": {"a=b": "text", "s": ["I", "II"]}, "columns": ["a=b", "s"]}),
    Recipe("images", read={"size": [8, 8], "day_first": False}, against=("lda", "tree")),
    Recipe('"quoted" \\ $(touch owned)', "'; rm -rf", {"separator": "\t", "quote": ""}),
]


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: recipe.source)
def test_a_recipe_is_what_its_file_says(recipe, tmp_path):
    text = as_toml(recipe)
    (tmp_path / "recipe.toml").write_text(text, encoding="utf-8")
    assert read_recipe(tmp_path / "recipe.toml") == recipe
    assert tomllib.loads(text)["source"] == recipe.source
    assert from_json(Recipe, json.dumps(asdict(recipe)), "here") == recipe


COMPARED = [  # group of each row of a comparison, −1 where it did not finish; what it recommends; what is used
    ({"drsvm": 0, "kernel-basis": 0, "lda": 1}, "kernel-basis", "basis"),
    ({"drsvm": 0, "kernel-basis": 0, "lda": 0}, "lda", "linear"),
    ({"drsvm": 1, "kernel-basis": 0, "lda": 0}, "lda", "basis"),
    ({"drsvm": 0, "kernel-basis": -1, "lda": 0}, "drsvm", "linear"),
    ({"drsvm": -1, "kernel-basis": 1, "lda": 0}, "lda", "basis"),
]


@pytest.mark.parametrize(("groups", "recommended", "used"), COMPARED)
def test_the_model_that_is_used_is_the_recommended_one_or_the_simplest_of_the_best(
    groups, recommended, used, whole
):
    rows = tuple(
        RowFacts(name, "finished", "", 0.1, 0.0, 0.2, group, float(length), "terms", 1.0, "")
        for length, (name, group) in enumerate(groups.items())
    )
    comparison = ComparisonFacts("error", rows, recommended, "5-fold of 40 rows", "", "")
    assert recommended_of(replace(whole.document, comparison=comparison)) == used


def test_where_models_were_not_compared_the_best_on_the_test_rows_is_used(whole):
    errors = {model.name: model.scores[0].value for model in whole.document.models}
    assert errors[whole.recommended] == min(errors.values())
    rows = tuple(
        RowFacts(name, "finished", "", 0.1, 0.0, 0.2, group, 1.0, "terms", 1.0, "")
        for group, name in enumerate(("drsvm", "kernel-basis"))
    )
    linear = ComparisonFacts("error", rows, "drsvm", "5-fold of 40 rows", "", "")
    recipe = replace(
        whole.document.recipe, kernels=("gaussian(1)",)
    )  # a basis that was not compared
    asked = replace(whole.document, recipe=recipe, comparison=linear)
    told = "\n".join(in_brief(asked))
    assert recommended_of(asked) == whole.recommended
    assert "basis (kernel-basis)" not in told
    assert ("keeps: basis" in told) == (whole.recommended == "basis")


def test_a_comparison_of_many_rows_is_of_as_many_as_end_in_time():
    asked = {"columns": 14, "machines": 1, "folds": 5}
    few, many = (estimate_study(rows, budget=300.0, **asked) for rows in (500, 100_000))
    assert few.compared == 500
    assert 500 < many.compared < 100_000
    assert many.seconds["compare"] <= 300.0
    assert estimate_study(100_000, budget=600.0, **asked).compared > many.compared


@pytest.mark.parametrize(("most", "drawn"), [(20, 20), (27, 27), (28, 30), (29, 30), (30, 30)])
def test_of_three_classes_at_least_a_row_of_each_is_left_out_or_none(most, drawn):
    source = SimpleNamespace(task="classes", y=np.repeat(["a", "b", "c"], 10))
    rows = _drawn(source, np.arange(30), most, 0)
    assert len(rows) == drawn
    assert np.all(np.diff(rows) > 0)


def test_rows_are_drawn_for_a_comparison_and_that_is_said(source, tmp_path, monkeypatch):
    monkeypatch.setattr("chemin.study.estimate._FEWEST", 20)
    recipe = Recipe(str(source), "y", models=("linear",), against=("lda",), folds=2, budget=0.3)
    found = learn(recipe, tmp_path / "study").document.comparison
    assert found.splits == "stratified 2-fold of 20 rows drawn from the 40 so that it ends in time"
