"""Claims about the documentation that need no build: links hold, no page and no public name is left out."""

from __future__ import annotations

import ast
import pathlib
import re
import shlex
import shutil

import pytest

from chemin.cli.app import run

ROOT = pathlib.Path(__file__).parent.parent
DOCS = ROOT / "docs"
MADE = ("_cells", "gallery", "reference/generated", "sg_execution_times")  # by a build
PAGES = sorted(
    page
    for page in (*DOCS.rglob("*.md"), *DOCS.rglob("*.rst"))
    if not page.relative_to(DOCS).as_posix().startswith(MADE) and "_templates" not in page.parts
)
TEXTS = [*PAGES, *ROOT.glob("*.md"), ROOT / "benchmarks" / "README.md"]
COURSE = sorted(page.name for page in (DOCS / "course").glob("*.md"))
ELSEWHERE = {"chemin.cli", "chemin.estimators"}  # a command, and names that are all in `chemin`


def prose(page: pathlib.Path) -> str:
    """Return a page without its examples, in which brackets are not links."""
    return re.sub(r"```.*?```|`[^`\n]*`", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)


def anchors(page: pathlib.Path) -> set[str]:
    """Return what the headings of a page are called in links."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", TEXTS, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)\s]+)\)", prose(page)):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        place = (page.parent / path).resolve() if path else page
        if place.parent == DOCS / "gallery":
            place = (
                ROOT / "examples" / {"index.rst": "README.rst"}.get(place.name, f"{place.stem}.py")
            )
        assert place.exists(), f"{target}: there is no such file"
        if anchor:
            assert anchor in anchors(place), f"{target}: there is no such heading"


def test_every_page_stands_in_one_table_of_contents():
    listed = []
    for page in PAGES:
        for tree in re.findall(
            r"```\{toctree\}\n(.*?)```", page.read_text(encoding="utf-8"), flags=re.DOTALL
        ):
            entries = [line for line in tree.splitlines() if line and not line.startswith(":")]
            listed += [
                (page.parent / entry).resolve().relative_to(DOCS).as_posix() for entry in entries
            ]
    pages = {page.relative_to(DOCS).with_suffix("").as_posix() for page in PAGES} - {"index"}
    assert sorted(listed) == sorted(pages | {"gallery/index"}), (
        "add the page to the toctree of its section"
    )


def test_every_package_with_public_names_is_in_the_reference():
    reference = (DOCS / "reference" / "index.rst").read_text(encoding="utf-8")
    listed = set(re.findall(r"^   (chemin[\w.]*)$", reference, flags=re.MULTILINE))
    source = ROOT / "src"
    files = [
        *source.glob("chemin/__init__.py"),
        *source.glob("chemin/*/__init__.py"),
        *source.glob("chemin/models/*/__init__.py"),
    ]
    public = {
        ".".join(file.parent.relative_to(source).parts)
        for file in files
        if "\n__all__ = [" in file.read_text(encoding="utf-8")
    }
    assert listed >= public - ELSEWHERE, (
        "add the package to docs/reference/index.rst, which lists its names by itself"
    )


@pytest.mark.parametrize("name", COURSE)
def test_both_languages_show_the_same_cells(name):
    english, french = (folder / "course" / name for folder in (DOCS, DOCS / "fr"))
    shown, montre = (
        re.findall(r"\{cell\} (\w+)", page.read_text(encoding="utf-8"))
        for page in (english, french)
    )
    assert shown == montre
    script = english.with_suffix(".py")
    if script.exists():
        cells = re.findall(r"^# %% (\w+)$", script.read_text(encoding="utf-8"), flags=re.MULTILINE)
        assert sorted(shown) == sorted(cells)
        ast.parse(script.read_text(encoding="utf-8"))


@pytest.mark.parametrize("folder", [DOCS / "course", DOCS / "fr" / "course"], ids=["en", "fr"])
def test_every_listed_figure_is_drawn_in_the_page_that_is_named(folder):
    """That the cell draws something is checked by the build, which runs it."""
    page = (folder / "figures.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\| (\S+) \| .+\]\((\w+\.md)\) \|$", page, flags=re.MULTILINE)
    told = re.search(r"(?:These|Ces) (\d+)", page)
    assert told is not None
    assert len(dict(listed)) == len(listed) == int(told[1])
    for number, chapter in listed:
        drawn = re.findall(
            r"^:redraws: (.+)$", (folder / chapter).read_text(encoding="utf-8"), flags=re.MULTILINE
        )
        assert number in ", ".join(drawn).split(", "), f"{chapter} does not draw figure {number}"


@pytest.mark.parametrize(
    "example", sorted((ROOT / "examples").glob("plot_*.py")), ids=lambda path: path.stem
)
def test_examples_are_short_and_titled(example):
    lines = example.read_text(encoding="utf-8").splitlines()
    assert len(lines) < 60
    assert lines[1] == "=" * len(lines[0].removeprefix('"""'))


def commands(page: str) -> list[str]:
    """Return what a page tells to type."""
    return re.findall(
        r"```sh\n(.*?)```", (DOCS / page).read_text(encoding="utf-8"), flags=re.DOTALL
    )


def shown(page: str) -> list[str]:
    """Return what a page says that its commands print."""
    return re.findall(
        r"```text\n(.*?)```", (DOCS / page).read_text(encoding="utf-8"), flags=re.DOTALL
    )


def without_rounding(text: str) -> list[str]:
    """Return the lines of a text, with gaps below 1e-14 as one: their digits depend on where numbers lie in memory."""
    return re.sub(r"gap \de-1[5-9]", "gap of rounding", text).splitlines()


def test_start_shows_what_its_commands_print(tmp_path, monkeypatch, capsys):
    """Other models are left out, which takes most of the time and changes nothing of what is shown."""
    shutil.copy(ROOT / "src" / "chemin" / "tables" / "patients.csv", tmp_path)
    monkeypatch.chdir(tmp_path)
    typed = [line for block in commands("start.md") for line in block.splitlines()]
    learn, explain = (
        next(line for line in typed if line.startswith(f"chemin {verb} "))
        for verb in ("learn", "explain")
    )
    for command in (f"{learn} --against none", explain):
        assert run(shlex.split(command)[1:]) == 0
    printed = without_rounding(capsys.readouterr().out)
    assert len(shown("start.md")) == 2
    for line in without_rounding("".join(shown("start.md"))):
        assert line in printed


def test_both_languages_start_with_the_same_commands():
    french = [block.replace(" --language fr", "") for block in commands("fr/start.md")]
    assert french == commands("start.md")
    assert len(french) > 5
    assert shown("fr/start.md") == shown("start.md")
