"""Claims about reports that need no browser: same bytes, two languages, nothing of the rows where they are hidden."""

from __future__ import annotations

import ast
import csv
import re
from base64 import b64encode
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import chemin.report
from chemin.cli.app import run
from chemin.exceptions import CheminError, InvalidInputError
from chemin.exploration.findings.checks import CODES
from chemin.report import html, json, markdown
from chemin.report.explorer import carried
from chemin.report.explorer.packing import pack
from chemin.report.french import OF_SCRIPTS, SENTENCES
from chemin.report.french_findings import FINDINGS
from chemin.report.material import material_of
from chemin.report.words import Words
from chemin.study import Document, read_study
from chemin.study.codec import from_json
from studied import HOSTILE, RECIPES, shared_by_processes, study_of

ROOM = Path(chemin.report.__file__).parent


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    return shared_by_processes(tmp_path_factory)


@pytest.fixture(scope="module")
def hostile(base):
    return study_of("hostile", base)


@pytest.mark.parametrize("write", [html, markdown])
@pytest.mark.parametrize("name", RECIPES)
def test_a_report_is_the_same_whenever_it_is_written(name, write, base):
    study = study_of(name, base)
    again = read_study(study.folder)
    for language in ("en", "fr"):
        assert write(study, language) == write(again, language)


def test_the_policy_of_a_page_allows_its_own_style_and_script_and_nothing_else(hostile):
    page = html(hostile)
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)[1]
    style = re.search(r"<style>(.*?)</style>", page, re.DOTALL)[1]
    script = re.search(r"</script>\s*<script>(.*?)</script>", page, re.DOTALL)[1]

    def allowed(text):
        return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"

    assert policy == f"default-src 'none'; style-src {allowed(style)}; script-src {allowed(script)}"
    assert page.count("<script") == 2
    assert "http" not in page.replace('http-equiv="', "").replace("http://www.w3.org/2000/svg", "")


def test_names_and_cells_stay_text_in_markdown(hostile):
    text = markdown(hostile)
    assert not re.search(r"(?<!\\)[<>]", re.sub(r"```.*?```", "", text, flags=re.DOTALL))
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert r"\<img src=x onerror=alert(1)\>" in text


@pytest.mark.parametrize("write", [html, markdown, json])
def test_a_redacted_report_has_no_value_and_no_name_of_a_row(write, base):
    study = study_of("french", base)
    names = [str(name) for name in study.arrays["points/rows"]]
    assert any(name in write(study) for name in names)
    redacted = write(study, redact=True)
    assert not [name for name in names if name in redacted]
    for case in study.document.cases:
        assert case.sentence not in redacted
    for column in study.document.look.columns:
        assert not column.told or column.told not in redacted


def test_the_json_of_a_report_is_its_study_s_document(base):
    study = study_of("french", base)
    assert from_json(Document, json(study), "report") == study.document
    assert from_json(Document, json(study, redact=True), "report").cases == ()


@pytest.mark.parametrize(("form", "write"), [("html", html), ("md", markdown), ("json", json)])
def test_the_command_writes_a_redacted_report_in_every_form(form, write, base, tmp_path, capsys):
    study = study_of("french", base)
    place = tmp_path / f"sent.{form}"
    asked = ["report", str(study.folder), "--redact", "--format", form, "--out", str(place)]
    assert run(asked) == 0
    assert place.read_text("utf-8") == write(study, redact=True)
    assert capsys.readouterr().out == f"report  {place} (without values and names of rows)\n"


def test_a_couple_s_training_row_is_told_by_what_sets_it_apart(base):
    study = study_of("plane", base)
    facts = study.document.model("basis")
    table = points_of_the_plane(base)
    assert len(facts.couples) == min(facts.machines[0].couples_kept, 12)
    for couple in facts.couples:
        row = table[int(couple.row)]
        told = {value.variable: value for value in couple.values}
        assert {name: value.value for name, value in told.items()} == pytest.approx(row)
        away = [abs(told[name].value - told[name].usual) / spread_of(table, name) for name in told]
        assert away == sorted(away, reverse=True)
    assert "The training rows of its couples" in markdown(study)


def points_of_the_plane(base):
    """Return the rows of the file that the study was made of."""
    place = base / "studied" / "plane" / "plane.csv"
    with open(place, encoding="utf-8") as stream:
        lines = list(csv.DictReader(stream))
    return [{"across": float(line["across"]), "up": float(line["up"])} for line in lines]


def spread_of(table, name):
    return np.std([row[name] for row in table])


@pytest.mark.parametrize("write", [html, markdown])
def test_a_language_without_words_is_refused(write, hostile):
    with pytest.raises(InvalidInputError, match=r"language is 'de': pass one of en, fr"):
        write(hostile, "de")


def said_by(node):
    """Return the sentence of a call `words("…")` or `self.words("…")`."""
    called = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
    if called == "words" and node.args and isinstance(node.args[0], ast.Constant):
        return node.args[0].value
    return None


def test_every_sentence_of_a_report_has_its_french_and_every_french_one_is_said():
    said = set()
    for file in ROOM.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.Call):
                said.add(said_by(node))
    said |= set(re.findall(r'words\("([^"]*)"\)', (ROOM / "page.html.jinja").read_text("utf-8")))
    assert said - {None} == set(SENTENCES)


def test_every_finding_has_its_french():
    assert set(FINDINGS) == set(CODES)


def test_every_sentence_of_the_page_s_script_has_its_french():
    scripts = "".join(file.read_text("utf-8") for file in ROOM.rglob("*.js"))
    texts = set(re.findall(r'"((?:[^"\\]|\\.)*)"', scripts))
    assert set(OF_SCRIPTS) <= texts
    spoken = {text for text in texts if " " in text and re.match(r"[A-Z✓✗≈{λ←]", text)}
    assert spoken - set(OF_SCRIPTS) <= {"M", "L"}


@pytest.mark.parametrize(
    ("sentences", "places"), [(SENTENCES, r"\{(\w+)"), (OF_SCRIPTS, r"\{(\w+)\}")]
)
def test_a_sentence_and_its_french_hold_the_same_values(sentences, places):
    for sentence, french in sentences.items():
        assert set(re.findall(places, sentence)) == set(re.findall(places, french)), sentence


def unpacked(packed):
    if "constant" in packed:
        return np.full(packed["length"], packed["constant"], dtype=float)
    from base64 import b64decode

    types = {"u1": "<u1", "i2": "<i2", "i4": "<i4", "f8": "<f8"}
    read = np.frombuffer(b64decode(packed["data"]), dtype=types[packed["type"]])
    return read / packed.get("divisor", 1.0)


@given(
    st.one_of(
        arrays(
            float, st.integers(0, 30), elements=st.floats(allow_nan=False, allow_infinity=False)
        ),
        arrays(np.int64, st.integers(0, 30), elements=st.integers(-(2**30), 2**30)),
        st.lists(st.decimals(-1000, 1000, places=3).map(float), max_size=30).map(np.array),
    )
)
@example(np.array([np.finfo(float).max]))
def test_packed_numbers_come_back_to_the_last_bit(values):
    again = unpacked(pack(values))
    assert np.array_equal(again, np.asarray(values, float))
    assert np.array_equal(np.signbit(again), np.signbit(np.asarray(values, float)))


def test_a_page_that_would_be_too_large_leaves_breakpoints_out_and_says_so(hostile, monkeypatch):
    whole = carried.page_data(material_of(hostile, False), Words("en"))
    monkeypatch.setattr(carried, "_MOST_NUMBERS", 100)
    thinned = carried.page_data(material_of(hostile, False), Words("en"))
    for name in ("linear", "basis"):
        one, other = whole["models"][name]["machines"][0], thinned["models"][name]["machines"][0]
        assert not one["thinned"]
        assert other["thinned"]
        assert other["breakpoints"] == one["breakpoints"]
        kept, all_of_them = unpacked(other["l1"]), unpacked(one["l1"])
        assert 2 < len(kept) < len(all_of_them)
        assert set(kept) <= set(all_of_them)
        assert kept[[0, -1]].tolist() == all_of_them[[0, -1]].tolist()


def test_a_page_that_is_still_too_large_leaves_the_rows_out(hostile, monkeypatch):
    monkeypatch.setattr(carried, "_LARGEST", 20_000)
    data = carried.page_data(material_of(hostile, False), Words("en"))
    assert data["rows"]["learned"] is None
    assert not any(machine["computes"] for machine in data["models"]["linear"]["machines"])


def test_rows_that_are_too_many_are_not_carried(hostile, monkeypatch):
    monkeypatch.setattr(carried, "_MOST_ROWS", 10)
    data = carried.page_data(material_of(hostile, False), Words("en"))
    assert data["rows"]["learned"] is None
    assert not any(machine["computes"] for machine in data["models"]["linear"]["machines"])


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda text: text.replace('"format":1', '"format":99', 1), "has format 99"),
        (lambda text: text[: len(text) // 2], "is damaged"),
        (lambda text: text.replace('"split":', '"splits":', 1), "is not what it should be"),
    ],
)
def test_a_study_of_another_version_or_a_damaged_one_is_said_to_be_so(
    spoil, said, hostile, tmp_path
):
    text = (hostile.folder / "study.json").read_text("utf-8")
    changed = spoil(re.sub(r'"format":\s*1', '"format":1', text, count=1))
    (tmp_path / "study.json").write_text(changed, encoding="utf-8")
    with pytest.raises(CheminError, match=said):
        read_study(tmp_path)


def test_the_title_names_the_data_and_the_target_as_text(hostile):
    assert "what tells target</title>" in html(hostile)
    assert HOSTILE[0] not in html(hostile)
