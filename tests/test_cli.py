"""Claims about the command line: verbs, exit codes, what goes where, and how a command is written again."""

from __future__ import annotations

import csv
import inspect
import io
import json
import re
import shlex
import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import make_pipeline

import chemin
import chemin.study
from chemin import Prepare, SparseSVC
from chemin.cli import console, learn, options
from chemin.cli.app import run
from chemin.cli.console import as_options, code_of
from chemin.cli.models import asked_for
from chemin.exceptions import (
    EngineError,
    InvalidInputError,
    MissingLibraryError,
    StudyError,
    TableError,
)
from chemin.study import Recipe
from chemin.study.recipe import as_command, read_recipe
from studied import shared_by_processes, study_of
from test_study import RECIPES

VERBS = [  # arguments, in which {study} is a study and {file} its source; what the answer for programs has
    ("datasets", ["name", "rows", "target"]),
    ("doctor", ["facts", "missing"]),
    ("explore {file} -t side", ["name", "rows", "findings", "dependence"]),
    ("compare --list", ["name", "task", "assumes"]),
    ("path {file} -t side --min-ratio 0.5", ["status", "worst_gap", "events"]),
    ("learn {file} -t side -k 'widths(1, 2, kernel=gaussian)' --against none --folds 3 --cases 4 --out {study}",
     ["study", "report", "format", "models"]),
    ("predict {study} {file}", ["row", "predicted", "decision for plus"]),
    ("explain {study} --row 3", ["sentence", "terms", "decision"]),
    ("explain {study} {file} --row 3 --model linear", ["sentence", "terms", "decision"]),
    ("report {study} --format md --out -", None),
]  # fmt: skip


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    return study_of("plane", shared_by_processes(tmp_path_factory))


@pytest.fixture
def command(study, tmp_path):
    """Fill in a command."""
    folder = tmp_path / "plane-study"
    folder.symlink_to(study.folder)

    def fill(text):
        return shlex.split(text.format(study=folder, file=study.document.recipe.source))

    return fill


@pytest.mark.parametrize(("verb", "holds"), VERBS, ids=[verb for verb, _ in VERBS])
def test_a_verb_answers_people_and_programs(verb, holds, command, capsys):
    if not verb.startswith("learn"):  # whose report is made once
        assert run(command(verb)) == 0
        out, _ = capsys.readouterr()
        assert out.strip()
    assert run([*command(verb), "-q"]) == 0
    out, err = capsys.readouterr()
    assert out.strip()
    assert not err
    if holds is not None:
        assert run([*command(verb), "--json"]) == 0
        answer = json.loads(capsys.readouterr().out)
        first = answer[0] if isinstance(answer, list) else answer
        assert set(holds) <= set(first)


def test_models_are_compared_with_the_baselines(command, capsys):
    assert run(command("compare {file} -t side --models lda --folds 2 --json")) == 0
    told = json.loads(capsys.readouterr().out)
    assert {row["model"] for row in told["rows"]} >= {"lda", "majority"}
    assert told["recommended"] in {row["model"] for row in told["rows"]}


def test_every_verb_has_help_with_its_options(capsys):
    run(["--help"])
    text = capsys.readouterr().out
    verbs = re.findall(r"^│ (\w+) {2}", text, re.MULTILINE)
    assert set(verbs) >= {
        "explore", "learn", "predict", "explain", "compare", "path", "report", "reproduce", "datasets", "doctor",
    }  # fmt: skip
    for verb in verbs:
        assert run([verb, "-h"]) == 0
        told = capsys.readouterr().out
        assert "--json" in told
        assert "--quiet" in told


def test_every_argument_of_read_has_an_option():
    arguments = set(inspect.signature(chemin.read).parameters) - {"source", "target"}
    assert arguments == set(options._READ)


def test_predicted_labels_are_those_of_the_model(study, command, tmp_path, capsys):
    place = tmp_path / "predicted.csv"
    assert run([*command("predict {study} {file} --out"), str(place)]) == 0
    said = capsys.readouterr().err
    assert f"by the model {study.recommended}" in said
    assert "% wrong of" in said
    assert f"it has learned from {study.document.split.train} of the rows" in said
    rows = list(csv.DictReader(io.StringIO(place.read_text(encoding="utf-8"))))
    table = chemin.read(study.document.recipe.source, target="side")
    assert [row["predicted"] for row in rows] == study.model().predict(table.X).tolist()
    decisions = [float(row["decision for plus"]) for row in rows]
    np.testing.assert_array_equal(decisions, study.model().decision_function(table.X))
    test = study.arrays["test"]
    name = study.recommended
    assert [rows[i]["predicted"] for i in test] == study.arrays[f"{name}/predicted"].tolist()


@pytest.mark.parametrize(("positive", "sign"), [("ill", -1.0), ("well", 1.0), (None, 1.0)])
def test_decisions_speak_for_the_positive_class(positive, sign, tmp_path, capsys):
    X = np.linspace(-1.0, 1.0, 20)[:, None]
    y = np.where(X[:, 0] > 0.2, "well", "ill")
    model = make_pipeline(Prepare(), SparseSVC(l1=0.5, positive=positive))
    rows = pd.DataFrame({"dose": X[:, 0]})
    chemin.save(model.fit(rows, y), tmp_path / "model.skops")
    rows.to_csv(tmp_path / "rows.csv", index=False)
    assert (
        run(["predict", str(tmp_path / "model.skops"), str(tmp_path / "rows.csv"), "--json"]) == 0
    )
    told = json.loads(capsys.readouterr().out)
    decisions = [row[f"decision for {positive or 'well'}"] for row in told]
    np.testing.assert_allclose(decisions, sign * model.decision_function(rows), rtol=1e-12)


@pytest.fixture(scope="module")
def american(tmp_path_factory):
    """A study of a file with months before days, and a code of missing cells that was named."""
    folder = tmp_path_factory.mktemp("american")
    rng = np.random.default_rng(0)
    dose = rng.integers(1, 99, 60)
    seen = [f"{1 + i % 12:02d}/{1 + i % 28:02d}/2024" for i in range(60)]
    rows = [
        f"{day},{999 if i % 9 == 0 else dose[i]},{'ill' if dose[i] > 50 else 'well'}"
        for i, day in enumerate(seen)
    ]
    source = folder / "data.csv"
    source.write_text("\n".join(["seen,dose,state", *rows]), encoding="utf-8")
    read = {"missing": ["999"]}
    recipe = Recipe(
        str(source), "state", read, models=("linear",), against=("none",), folds=2, cases=0
    )
    return chemin.study.learn(recipe, folder / "study")


def test_new_rows_mean_what_the_rows_learned_from_mean(american, tmp_path, capsys):
    place = tmp_path / "new.csv"
    place.write_text("seen,dose\n03/04/2024,999\n05/06/2024,999\n", encoding="utf-8")
    asked = asked_for(str(american.folder), None)
    table = asked.read(str(place), options.Reading())
    assert table["dose"].absent.all()
    assert [str(day)[:10] for day in table["seen"].values] == ["2024-03-04", "2024-05-06"]
    other = asked.read(str(place), options.Reading({"missing": ["none"], "day_first": True}))
    assert other["dose"].values.tolist() == [999.0, 999.0]
    assert [str(day)[:10] for day in other["seen"].values] == ["2024-04-03", "2024-06-05"]
    assert run(["predict", str(american.folder), str(place)]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 3


def test_the_terms_of_an_explanation_add_up(command, capsys):
    assert run(command("explain {study} --row 5 --model linear --json")) == 0
    told = json.loads(capsys.readouterr().out)
    total = told["base"] + sum(size for _, size in told["terms"])
    assert total == pytest.approx(told["decision"], abs=1e-12)


def test_a_report_is_written_where_it_is_asked_for_and_not_over_another(command, tmp_path, capsys):
    place = tmp_path / "page.html"
    words = [*command("report {study} --out"), str(place)]
    assert run(words) == 0
    written = place.read_bytes()
    assert run(words) == 0  # the same bytes take no place
    place.write_text("years of work", encoding="utf-8")
    assert run(words) == 2
    assert "--force" in capsys.readouterr().err
    assert run([*words, "--force"]) == 0
    assert place.read_bytes() == written


CODES = [
    (InvalidInputError("no"), 2),
    (TableError("no"), 2),
    (StudyError("no"), 2),
    (EngineError("no"), 1),
    (OSError(28, "No space left on device"), 1),
    (MemoryError(), 1),
    (RuntimeError("no"), 1),
    (MissingLibraryError("no"), 3),
    (KeyboardInterrupt(), 130),
]


@pytest.mark.parametrize(("error", "code"), CODES, ids=lambda one: type(one).__name__)
def test_an_error_has_its_exit_code_and_a_line_or_two(error, code, monkeypatch, capsys):
    def fails(*_, **__):
        raise error

    monkeypatch.setattr(options, "read", fails)
    assert code_of(error) == code
    assert run(["explore", "iris"]) == code
    out, err = capsys.readouterr()
    assert not out
    assert 1 <= len(err.splitlines()) <= 2
    unforeseen = isinstance(error, RuntimeError) and not console.is_foreseen(error)
    assert ("-v shows where" in err) == unforeseen
    if code != 130:
        assert run(["explore", "iris", "-v"]) == code
        assert "Traceback" in capsys.readouterr().err


def test_a_missing_library_is_named_with_what_to_type(command, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "skops.io", None)
    monkeypatch.setitem(sys.modules, "skops", None)
    assert run(command("predict {study} {file}")) == 3
    assert "pip install 'chemin[save]'" in capsys.readouterr().err


def test_whoever_stops_learning_is_told_how_to_go_on(study, tmp_path, monkeypatch, capsys):
    from chemin.study.steps import explaining

    def stopped(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(explaining, "explain_cases", stopped)
    monkeypatch.chdir(tmp_path)
    words = ["learn", study.document.recipe.source, "-t", "side", "--models", "linear"]
    assert run([*words, "--against", "none", "--folds", "2"]) == 130
    out, err = capsys.readouterr()
    assert not out
    assert "the same command goes on" in err
    assert not list(tmp_path.glob("*.html"))
    assert run(["predict", "plane-study", study.document.recipe.source]) == 2
    again = re.search("go on with (.*)", capsys.readouterr().err)[1]
    assert shlex.split(again)[1:6] == [*words[:2], "--target", "side", "--models"]


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: recipe.source)
def test_a_recipe_is_what_its_command_asks_for(recipe, monkeypatch):
    asked = []

    def take(recipe, *_, **__):
        asked.append(recipe)
        raise KeyboardInterrupt

    monkeypatch.setattr(learn.study, "learn", take)
    program, *words = shlex.split(as_command(recipe))
    assert program == "chemin"
    assert run(words) == 130
    assert asked == [recipe]


def test_a_recipe_that_no_command_can_say_is_not_said():
    assert as_command(Recipe("x.csv", read={"decimal": {"a": ","}})) == ""


def test_options_take_the_place_of_what_a_recipe_says(tmp_path, monkeypatch):
    asked = []

    def take(recipe, *_, **__):
        asked.append(recipe)
        raise KeyboardInterrupt

    monkeypatch.setattr(learn.study, "learn", take)
    place = tmp_path / "recipe.toml"
    place.write_text(
        'source = "x.csv"\ntarget = "a"\nfolds = 3\n[read]\nrows = 5', encoding="utf-8"
    )
    run(["learn", str(place), "-t", "b", "--decimal", ","])
    (recipe,) = asked
    assert recipe == Recipe("x.csv", "b", {"rows": 5, "decimal": ","}, folds=3)
    assert read_recipe(place).target == "a"


SAID = [
    ("pass rows=100 for its beginning", "pass --rows 100 for its beginning"),
    ("pass a larger memory= (in GiB)", "pass a larger --memory (in GiB)"),
    ("pass header=False", "pass --header none"),
    ("override with types=", "override with --type"),
    ("pass separator=';', or", "pass --separator ';', or"),
    ("check separator= and quote=, or", "check --separator and --quote, or"),
    ("pass columns= for some", "pass --column for some"),
    ("chemin.models.names('numbers') lists what does", "chemin compare --list names what does"),
    (
        "If they are, read again with missing=, such as missing={'column': ['-1']}.",
        "If they are, read again with --missing CODE.",
    ),
]


@pytest.mark.parametrize(("theirs", "ours"), SAID, ids=[ours for _, ours in SAID])
def test_messages_speak_of_options_where_they_are_read_by_people(theirs, ours):
    assert as_options(theirs) == ours
