"""Claims about the table of the courses: every statement has a row, every row a test that exists."""

from __future__ import annotations

import ast
import importlib
import pathlib
import re

import pytest

from chemin.models import names

TESTS = pathlib.Path(__file__).parent
PAGE = (TESTS.parent / "docs" / "course.md").read_text(encoding="utf-8")
STATED, SLIPS = PAGE.split("## Printed slips")
NAMED = re.compile(r"`(test_\w+)::(test_\w+)`")


def rows(text: str) -> list[list[str]]:
    """Return the cells of all rows of the tables in a text, but for heads."""
    lines = [line for line in text.splitlines() if line.startswith("|")]
    cells = [
        [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        for line in lines
        if not line.startswith(("|---", "| §"))
    ]
    return cells


def functions(module: str) -> set[str]:
    """Return the names of the tests of a file."""
    tree = ast.parse((TESTS / f"{module}.py").read_text(encoding="utf-8"))
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


def test_as_many_statements_have_a_row_as_the_page_says():
    told = re.search(r"They make (\d+) statements", PAGE)
    assert told is not None
    assert len(rows(STATED)) == int(told[1])
    assert len({(row[0], row[1]) for row in rows(STATED)}) == int(told[1])


def test_every_row_is_complete():
    assert all(len(row) == 5 and all(row) and NAMED.search(row[4]) for row in rows(STATED))
    assert all(len(row) == 4 and all(row) for row in rows(SLIPS))
    assert all(NAMED.search(row[3]) or row[3] == "–" for row in rows(SLIPS))


ROOMS = (
    "chemin", "chemin.evaluate", "chemin.exploration", "chemin.kernels", "chemin.models.bayes",
    "chemin.models.boosting", "chemin.models.losses", "chemin.models.networks", "chemin.models.perceptrons",
    "chemin.models.svm", "chemin.multiclass", "chemin.problems", "chemin.theory",
)  # fmt: skip


def test_what_computes_a_row_exists():
    pytest.importorskip("torch", reason='PyTorch is not installed: pip install "chemin[deep]"')
    rooms = [importlib.import_module(room) for room in ROOMS]
    known = {name for room in rooms for name in room.__all__} | set(names())
    known |= {"BernoulliNB", "activation", "k1", "k"}  # of scikit-learn, a parameter, any kernel
    for row in rows(STATED):
        for code in re.findall(r"`([^`]+)`", row[2]):
            said = re.match(r"[\w-]+", code)
            assert said is None or said[0] in known, f"{row[0]}: {code}"


@pytest.mark.parametrize("module", sorted({module for module, _ in NAMED.findall(PAGE)}))
def test_every_test_that_is_named_exists(module):
    named = {test for of, test in NAMED.findall(PAGE) if of == module}
    assert named <= functions(module)
