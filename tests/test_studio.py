"""Claims about the studio: what it is told it keeps, what it learns is the study's own, and nothing is lost."""

from __future__ import annotations

import ast
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
import zipfile
from dataclasses import replace
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("starlette")
pytest.importorskip("httpx2")
import psutil
from sklearn.datasets import load_digits
from starlette.testclient import TestClient

import chemin
from chemin.datasets import toydata1
from chemin.exceptions import StudyError
from chemin.report.french import OF_SCRIPTS
from chemin.report.french import SENTENCES as OF_REPORTS
from chemin.studio import reading
from chemin.studio.desk import Desk
from chemin.studio.french import SCRIPTS, SENTENCES, TERMS
from chemin.studio.guard import Launch
from chemin.studio.history import LEARN, READ
from chemin.studio.home import Home
from chemin.studio.jobs import Jobs
from chemin.studio.server import application
from chemin.studio.worker import Order
from chemin.study import Recipe, learn, read_study
from chemin.study.lending import read_lender

ROOM = Path(chemin.__file__).parent / "studio"
LAUNCH = Launch(8765, "token")
HERE = "http://127.0.0.1:8765"
KERNEL = "gaussian(width=1).on(across, up)"
OTHER = "gaussian(width=0.5).on(across, up)"
WAIT = 60.0  # seconds, of a machine with much else to do


def written(place, rows=60):
    X, y = toydata1(random_state=0)
    step = len(y) // rows
    lines = [
        f"{a},{b},{'plus' if side > 0 else 'minus'}"
        for (a, b), side in zip(X[::step], y[::step], strict=True)
    ]
    place.write_text("\n".join(["across,up,side", *lines]), encoding="utf-8")
    return str(place)


@pytest.fixture(scope="module")
def jobs():
    made = Jobs()
    yield made
    made.end()


@pytest.fixture
def home(tmp_path):
    return Home(tmp_path / "projects")


@pytest.fixture
def desk(home, jobs):
    return Desk(home, jobs)


@pytest.fixture
def expert(desk):
    with TestClient(application(desk, LAUNCH), base_url=HERE, follow_redirects=False) as client:
        client.headers["origin"] = HERE
        client.post("/enter", content=LAUNCH.token)
        yield client


@pytest.fixture
def plane(home, tmp_path):
    """Return a project of two columns."""
    return home.open(written(tmp_path / "plane.csv"), "side")


def learned(expert, desk, project, number, **form):
    """Learn from an entry, and return the number of the new one."""
    answer = expert.post(f"/p/{project.name}/{number}/learn", data={"kernels": KERNEL, **form})
    assert answer.status_code == 303, answer.text
    new = int(answer.headers["location"].split("/")[3])
    assert desk.jobs.of(project.study_folder(new)).wait(WAIT)
    return new


# Reading

FRENCH = "jour;taille;avis\n" + "".join(
    f"{1 + i % 28:02d}/0{1 + i % 9}/2024;1,{100 + i};{'oui' if i % 3 else 'non'}\n"
    for i in range(40)
)


def test_every_guess_is_shown_and_can_be_said_otherwise(expert, home):
    answer = expert.post("/open", files={"file": ("avis.csv", FRENCH.encode("cp1252"))})
    page = expert.get(answer.headers["location"]).text
    project = home.project("avis")
    table = reading.Reader().reading(project.entries[0].recipe).table
    guessed = {guess.argument for guess in table.guesses if guess.argument in reading.ARGUMENTS}
    assert guessed >= {"separator", "decimal", "encoding", "header", "day_first"}
    for name in (
        *reading.offered("avis.csv"),
        *(f"type:{column}" for column in table.names),
        "target",
    ):
        assert f'name="{name}"' in page, name
    assert 'name="sheet"' not in page
    form = {
        "target": "avis",
        "decimal": ".",
        "thousands": ",",
        "type:taille": "number",
        "reason": "milliers",
    }
    answer = expert.post("/p/avis/1/read", data=form)
    corrected = project.entries[1]
    assert (corrected.parent, corrected.kind, corrected.reason) == (1, READ, "milliers")
    assert corrected.recipe.read == {
        "decimal": ".",
        "thousands": ",",
        "types": {"taille": "number"},
    }
    page = expert.get(answer.headers["location"]).text
    assert "1100" in page
    back = expert.post("/p/avis/2/read", data={"target": "avis"})
    assert back.headers["location"] == "/p/avis/3/data"
    assert home.project("avis").entries[2].recipe.read == {}


def test_a_wide_file_is_shown_in_part_and_every_type_can_be_said_otherwise(expert, home):
    head = ",".join([*(f"x{j}" for j in range(300)), "y"])
    rows = "\n".join(",".join([*("1.5" for _ in range(300)), "ab"[i % 2]]) for i in range(20))
    answer = expert.post("/open", files={"file": ("wide.csv", f"{head}\n{rows}".encode())})
    page = expert.get(answer.headers["location"]).text
    assert "40 of 301 columns are shown." in page
    assert page.count('<th scope="col"') < 60
    assert 'name="type:x299" list="types"' in page
    expert.post("/p/wide/1/read", data={"target": "y", "type:x299": "category"})
    page = expert.get("/p/wide/2/data").text
    assert "41 of 301 columns are shown." in page
    assert home.project("wide").entries[1].recipe.read == {"types": {"x299": "category"}}
    assert 'name="type:x299" list="types" size="10" value="category"' in page


@pytest.mark.parametrize(
    ("form", "told"),
    [
        ({"target": "nobody"}, "there is no such column"),
        ({"target": "avis", "rows": "many"}, "pass a whole number"),
        ({"target": "avis", "encoding": "klingon"}, "klingon"),
    ],
)
def test_a_reading_that_does_not_work_is_told_in_the_words_of_the_command_line(form, told, expert):
    expert.post("/open", files={"file": ("avis.csv", FRENCH.encode())})
    answer = expert.post("/p/avis/1/read", data=form)
    page = expert.get(answer.headers["location"]) if answer.status_code == 303 else answer
    assert 'role="alert"' in page.text
    assert told in page.text
    assert expert.get("/p/avis/1/data").status_code == 200


def test_without_a_target_the_other_steps_lead_to_where_it_is_asked_for(expert, home):
    expert.post("/open", files={"file": ("avis.csv", FRENCH.encode())})
    for step in ("look", "kernels"):
        answer = expert.get(f"/p/avis/1/{step}")
        assert (answer.status_code, answer.headers["location"]) == (303, "/p/avis/1/data")
    assert "Which column is to be predicted?" in expert.get("/p/avis/1/data").text


def test_a_page_that_says_what_is_wrong_leads_back_to_the_project(expert, home):
    home.open("iris")
    assert 'href="/p/iris/1/data"' in expert.get("/p/iris/99/model").text
    assert expert.get("/p/nobody/1/model").status_code == 422


# Composing

LINES = {  # what is typed → whether it is an inner product, how many kernels; None where it is refused
    "gaussian(1).on(across)": (True, 1),
    "gaussian(1).on(across) * linear.on(up) + 2 * polynomial(2)": (True, 1),
    "epanechnikov(1)": (False, 1),
    "widths(0.5, 1, 2, kernel=laplacian)": (True, 3),
    "-1 * linear": (False, 1),
    "gausian(1)": None,
    "linear.on(nobody)": None,
    "gaussian(1).on(side)": None,
    "__import__('os')": None,
    "windows(size=2, stride=1, kernel=linear)": None,
    "(" * 400: None,
}


@pytest.mark.parametrize("line", LINES)
def test_a_line_is_said_to_be_what_it_is_before_anything_is_learned(line, expert, plane):
    found = expert.post(
        f"/p/{plane.name}/1/check", data={"kernels": line, "a": "0", "b": "1"}
    ).json()
    (told,) = found["lines"]
    assert found["fine"] == (LINES[line] is not None)
    if LINES[line] is None:
        assert told["error"]
        answer = expert.post(f"/p/{plane.name}/1/learn", data={"kernels": line})
        assert answer.status_code == 422
        assert len(plane.entries) == 1
        return
    positive, count = LINES[line]
    assert [one["positive"] for one in told["kernels"]] == [positive] * count
    train = read_rows(plane)
    assert found["cost"]["couples"] == count * len(train)
    assert found["cost"]["bytes"] == 8 * count * len(train) ** 2


def read_rows(project):
    from chemin.study.steps.reading import read_source, split_rows

    recipe = project.entries[0].recipe
    return split_rows(read_source(recipe), recipe)[1]["train"]


def test_the_similarity_of_two_cases_is_that_of_the_prepared_rows(expert, plane, desk):
    found = expert.post(
        f"/p/{plane.name}/1/check", data={"kernels": KERNEL, "a": "3", "b": "7"}
    ).json()
    table = chemin.read(plane.entries[0].recipe.source, target="side")
    X = np.column_stack([table["across"].values, table["up"].values])
    train = X[read_rows(plane)]
    Z = (X - train.mean(axis=0)) / train.std(axis=0)
    expected = np.exp(-np.sum((Z[3] - Z[7]) ** 2) / 2.0)
    similarity = found["lines"][0]["kernels"][0]["similarity"]
    assert similarity["value"] == pytest.approx(expected, rel=1e-12)
    assert similarity["share"] == pytest.approx(expected, rel=1e-12)
    pairs = np.sum((Z[read_rows(plane)][:, None] - Z[read_rows(plane)][None]) ** 2, axis=2)
    typical = np.median(np.exp(-pairs / 2.0)[np.triu_indices(len(train), 1)])
    assert found["lines"][0]["kernels"][0]["typical"] == pytest.approx(typical, rel=1e-12)
    answer = expert.post(
        f"/p/{plane.name}/1/check", data={"kernels": KERNEL, "a": "3", "b": "nobody"}
    )
    assert "there is no row" in answer.text


def test_a_sum_of_products_comes_back_as_one_that_a_page_can_build(expert, plane):
    text = "2 * gaussian(1).on(across) * linear + constant"
    (line,) = expert.post(f"/p/{plane.name}/1/check", data={"kernels": text}).json()["lines"]
    kinds = [[one["kind"] for one in product] for product in line["tree"]]
    assert kinds == [["gaussian", "linear"], ["constant"]]
    assert line["tree"][0][0] == {
        "kind": "gaussian", "parameters": {"width": 1.0}, "block": ["across"], "on": "across", "factor": 2.0,
    }  # fmt: skip


# Learning


def test_what_is_learned_is_what_the_study_learns_and_every_export_gives_the_same_decisions(
    expert, desk, plane, tmp_path
):
    number = learned(expert, desk, plane, 1, reason="two variables together")
    entry = plane.entry(number)
    assert (entry.kind, entry.parent, entry.end) == (LEARN, 1, "")
    table = chemin.read(entry.recipe.source, target="side")
    direct = learn(entry.recipe, tmp_path / "direct")
    expected = {name: direct.model(name).decision_function(table.X) for name in ("linear", "basis")}
    base = f"/p/{plane.name}/{number}/export"

    def fetched(what):
        answer = expert.get(f"{base}/{what}")
        assert answer.status_code == 200
        assert "attachment" in answer.headers["content-disposition"]
        return answer.content

    for name, values in expected.items():
        place = tmp_path / f"{name}.skops"
        place.write_bytes(fetched(f"model?model={name}"))
        np.testing.assert_allclose(
            chemin.load(place).decision_function(table.X), values, atol=1e-12
        )
    zipfile.ZipFile(BytesIO(fetched("study"))).extractall(tmp_path / "out")
    (folder,) = (tmp_path / "out").iterdir()
    np.testing.assert_allclose(
        read_study(folder).model("basis").decision_function(table.X), expected["basis"], atol=1e-12
    )
    assert b"Content-Security-Policy" in fetched("report")
    (tmp_path / "recipe.toml").write_bytes(fetched("recipe"))
    from chemin.study import read_recipe
    from chemin.study.recipe import from_options

    assert read_recipe(tmp_path / "recipe.toml") == entry.recipe
    words = shlex.split(fetched("command").decode())
    assert words[:3] == ["chemin", "learn", entry.recipe.source]
    assert words[words.index("--kernel") + 1] == KERNEL
    assert from_options(words[2], {}, {}).source == entry.recipe.source
    script = fetched("script").decode()
    assert compile(script, "script", "exec")
    assert "Recipe(" in script
    assert KERNEL in script
    for model in ("linear", "basis"):
        page = expert.get(f"/p/{plane.name}/{number}/model?row=3").text
        assert f'data-model="{model}"' in page
    assert "Row 3" in page
    data = expert.get(f"/p/{plane.name}/{number}/explorer.json?row=3").json()
    assert data["rows"]["cases"][-1]["name"] == "3" or "3" in [
        one["name"] for one in data["rows"]["cases"]
    ]


def test_what_a_change_does_not_touch_is_taken_over_and_is_what_would_have_been_found(
    expert, desk, plane, tmp_path
):
    first = learned(expert, desk, plane, 1)
    second = learned(expert, desk, plane, first, kernels=OTHER)
    events = desk.jobs.of(plane.study_folder(second)).events
    before = {event["step"]: event["before"] for event in events if event["event"] == "ended"}
    assert before == {
        "read": False, "look": True, "linear": True, "basis": False, "compare": True, "explain": False,
    }  # fmt: skip
    recipe = replace(plane.entry(first).recipe, kernels=(OTHER,))
    alone = learn(recipe, tmp_path / "alone")
    found = read_study(plane.study_folder(second))
    assert untimed(found.document) == untimed(alone.document)
    for name in ("linear", "basis"):
        X = chemin.read(recipe.source, target="side").X
        assert np.array_equal(
            found.model(name).decision_function(X), alone.model(name).decision_function(X)
        )
    other = replace(recipe, folds=4)
    lent = learn(other, tmp_path / "lent", lenders=[read_lender(plane.study_folder(second))])
    plain = learn(other, tmp_path / "plain")
    assert untimed(lent.document) == untimed(plain.document)
    both = expert.get(f"/p/{plane.name}/compare?a={first}&b={second}").text
    assert KERNEL in both
    assert OTHER in both
    assert "McNemar" in both


def test_another_l2_is_a_branch_and_the_same_is_found_beside_it(expert, desk, plane, tmp_path):
    first = learned(expert, desk, plane, 1)
    answer = expert.post(f"/p/{plane.name}/{first}/learn", data={"l2": "0,5"})
    second = int(answer.headers["location"].split("/")[3])
    assert desk.jobs.of(plane.study_folder(second)).wait(WAIT)
    recipe = plane.entry(second).recipe
    assert recipe == replace(plane.entry(first).recipe, l2=0.5)
    found = read_study(plane.study_folder(second))
    alone = learn(recipe, tmp_path / "alone")
    assert untimed(found.document) == untimed(alone.document)
    for name in ("linear", "basis"):
        assert found.model(name)[-1].l2_ == 0.5
        assert read_study(plane.study_folder(first)).model(name)[-1].l2_ != 0.5
    page = expert.get(f"/p/{plane.name}/{second}/model").text
    assert f'href="/p/{plane.name}/{first}/model">its own</a>' in page
    assert f'href="/p/{plane.name}/{second}/model" aria-current="page">0.5</a>' in page
    words = shlex.split(expert.get(f"/p/{plane.name}/{second}/export/command").text)
    assert words[words.index("--l2") + 1] == "0.5"


@pytest.mark.parametrize("l2", ["0", "-1", "nan", "inf", "many", "1e9"])
def test_an_l2_that_is_none_is_refused(l2, expert, plane):
    answer = expert.post(f"/p/{plane.name}/1/learn", data={"kernels": KERNEL, "l2": l2})
    assert answer.status_code == 422
    assert "pass a number above 0" in answer.text
    assert len(plane.entries) == 1


def untimed(document):
    return replace(document, seconds={})


def test_ten_jobs_in_a_row_one_killed_leave_nothing_behind(desk, plane):
    def children():
        return {one.pid for one in psutil.Process().children(recursive=True)}

    recipe = replace(plane.entries[0].recipe, against=("none",), models=("linear",))
    warm = desk.learn(plane, 1, recipe, "", 60.0)
    assert desk.jobs.of(plane.study_folder(warm.number)).wait(WAIT)
    at_first = children()
    memory = psutil.Process().memory_info().rss
    for k in range(10):
        entry = desk.learn(plane, 1, recipe, "", 60.0)
        job = desk.jobs.of(plane.study_folder(entry.number))
        if k == 4:
            os.kill(job._process.pid, signal.SIGKILL)
        assert job.wait(WAIT)
        assert plane.entry(entry.number).end == ("it was killed" if k == 4 else "")
        assert plane.is_learned(entry.number) == (k != 4)
    assert children() == at_first
    assert psutil.Process().memory_info().rss - memory < 50 * 2**20
    killed = plane.entries[-6]
    desk.go_on(plane, killed, 60.0).wait(WAIT)
    assert plane.is_learned(killed.number)


def slow(desk, project):
    """Begin a job that takes long."""
    recipe = replace(
        project.entries[0].recipe, kernels=(), against=("svm-rbf", "tree", "lda"), folds=20
    )
    return desk.learn(project, 1, recipe, "", 60.0)


def test_a_job_that_is_cancelled_keeps_what_is_done_and_goes_on(expert, desk, home):
    project = home.open("breast-cancer")
    entry = slow(desk, project)
    job = desk.jobs.of(project.study_folder(entry.number))
    until(
        lambda: any(event["event"] == "ended" and event["step"] == "look" for event in job.events)
    )
    page = expert.get(f"/p/{project.name}/{entry.number}/model").text
    assert 'id="job"' in page
    second = slow(desk, project)
    with pytest.raises(StudyError, match="being learned already"):
        slow(desk, project)
    for one in (entry, second):
        answer = expert.post(f"/p/{project.name}/{one.number}/cancel")
        assert answer.status_code == 303
    for one in (entry, second):
        assert desk.jobs.of(project.study_folder(one.number)).wait(WAIT)
        assert project.entry(one.number).end == "cancelled"
    assert "cancelled" in expert.get(answer.headers["location"]).text
    assert (project.study_folder(entry.number) / "parts" / "look.json").is_file()
    short = desk.go_on(project, entry, 0.2)
    assert short.wait(WAIT)
    assert project.entry(entry.number).end == "budget"
    begun = [event["step"] for event in short.events if event["event"] == "begun"]
    assert "look" not in begun
    again = Home(home.folder).project(project.name)
    assert again.entries == project.entries
    restarted = Desk(Home(home.folder), Jobs())
    assert restarted.jobs.of(project.study_folder(entry.number)) is None


def until(holds):
    end = time.monotonic() + WAIT
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.02)


def test_a_job_that_fails_says_why_and_the_server_goes_on(expert, desk, plane):
    recipe = replace(plane.entries[0].recipe, against=("nobody",))
    entry = desk.learn(plane, 1, recipe, "", 60.0)
    assert desk.jobs.of(plane.study_folder(entry.number)).wait(WAIT)
    assert "nobody" in plane.entry(entry.number).end
    page = expert.get(f"/p/{plane.name}/{entry.number}/model").text
    assert "nobody" in page
    assert expert.get(f"/p/{plane.name}/history").status_code == 200
    stream = expert.get(f"/p/{plane.name}/{entry.number}/events").text
    events = [json.loads(line[6:]) for line in stream.splitlines() if line.startswith("data: ")]
    assert events[-1]["event"] == "over"


ORPHAN = """
import os, sys, time
from chemin.studio.jobs import Jobs
from chemin.studio.worker import Order
from chemin.study import Recipe
if __name__ == "__main__":
    job = Jobs().start(Order(Recipe("digits"), sys.argv[1]), 60.0, print)
    while not job.events:
        time.sleep(0.05)
    print(job._process.pid, flush=True)
    os.kill(os.getpid(), 9)
"""


def test_a_job_whose_server_is_killed_ends_too_and_can_be_gone_on_with(tmp_path):
    script = tmp_path / "orphan.py"
    script.write_text(ORPHAN)
    found = subprocess.run(
        [sys.executable, str(script), str(tmp_path / "study")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == -signal.SIGKILL, found.stderr
    pid = int(found.stdout.split()[0])
    until(lambda: not psutil.pid_exists(pid) or psutil.Process(pid).status() == "zombie")


def test_a_study_is_opened_as_a_branch_of_its_own_and_left_as_it_is(home, expert, tmp_path):
    recipe = Recipe(written(tmp_path / "plane.csv"), "side", against=("none",), models=("linear",))
    study = learn(recipe, tmp_path / "plane-study")
    before = {one: one.read_bytes() for one in study.folder.rglob("*") if one.is_file()}
    project = home.open(str(study.folder))
    assert [one.kind for one in project.entries] == [READ, LEARN]
    assert expert.get(f"/p/{project.name}/2/model").status_code == 200
    assert {one: one.read_bytes() for one in study.folder.rglob("*") if one.is_file()} == before


def test_windows_are_picked_on_images_of_the_rows_learned_from(home, expert, tmp_path):
    digits = load_digits()
    which = np.flatnonzero((digits.target == 3) | (digits.target == 8))[:60]
    np.savez(tmp_path / "digits.npz", X=digits.images[which], y=digits.target[which])
    project = home.open(str(tmp_path / "digits.npz"))
    base = f"/p/{project.name}/1"
    page = expert.get(f"{base}/kernels").text
    assert 'id="windows"' in page
    found = expert.get(f"{base}/images.json").json()
    assert found["shape"] == [8, 8]
    means = [one for one in found["images"] if not one["row"]]
    assert [one["label"] for one in means] == ["3", "8"]
    line = "polynomial(degree=2).on(window(top=0, left=0, height=4, width=4))"
    (told,) = expert.post(f"{base}/check", data={"kernels": line}).json()["lines"]
    assert told["kernels"][0]["positive"]
    assert told["tree"][0][0]["on"].startswith("window(top=0")
    wrong = line.replace("width=4", "width=40")
    assert expert.post(f"{base}/check", data={"kernels": wrong}).json()["lines"][0]["error"]


# Words


def said():
    """Return the sentences of pages and answers."""
    found = set()
    for file in ROOM.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "words" and node.args:
                found.add(getattr(node.args[0], "value", None))
    for file in ROOM.rglob("*.jinja"):
        found |= set(re.findall(r'words\("([^"]*)"', file.read_text("utf-8")))
    return found - {None}


def test_every_sentence_of_the_studio_has_its_french_and_every_french_one_is_said():
    assert set(SENTENCES) <= said()
    assert said() <= set(SENTENCES) | set(OF_REPORTS)
    assert set(TERMS) <= {
        *reading.LABELS.values(),
        *reading.TYPES,
        *(one for some in reading.CHOICES.values() for one in some),
    }
    scripts = "".join(file.read_text("utf-8") for file in ROOM.rglob("*.js"))
    spoken = set(re.findall(r'\bsay\(\s*"((?:[^"\\]|\\.)*)"', scripts))
    spoken |= {
        one for pair in re.findall(r'count\([^,]+, "([^"]*)", "([^"]*)"\)', scripts) for one in pair
    }
    assert spoken <= set(SCRIPTS) | set(OF_SCRIPTS)
    assert all(f'"{one}"' in scripts or re.search(rf"\b{one}\b", scripts) for one in SCRIPTS)


@pytest.mark.parametrize("sentences", [SENTENCES, SCRIPTS])
def test_a_sentence_and_its_french_hold_the_same_values(sentences):
    for sentence, french in sentences.items():
        assert set(re.findall(r"\{(\w+)\}", sentence)) == set(re.findall(r"\{(\w+)\}", french)), (
            sentence
        )


def test_no_page_runs_a_script_or_a_style_of_its_own_or_asks_another_host():
    for file in (*ROOM.rglob("*.jinja"), *ROOM.rglob("*.js"), *ROOM.rglob("*.css")):
        text = file.read_text("utf-8")
        assert not re.search(r"https?://(?!www\.w3\.org)", text), file
        assert not re.search(r"\son\w+=|style=|innerHTML|eval\(|new Function", text), file
        assert not re.search(
            r"<script(?! type=\"module\" src=\"/static| type=\"application/json\")", text
        ), file


def test_an_order_can_be_sent_to_a_process():
    import pickle

    order = Order(Recipe("iris", kernels=("linear",)), "folder", ("a",))
    assert pickle.loads(pickle.dumps(order)) == order
