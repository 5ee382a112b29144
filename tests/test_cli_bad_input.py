"""Claims about bad input: what is said, in a few lines, with which exit code, and that nothing is left behind.

The table is printed in ``docs/tool.md`` as it is here.
"""

from __future__ import annotations

import gzip
import io
import json
import os
import pickle
import re
import shlex
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import skops.io
from sklearn.preprocessing import FunctionTransformer

from chemin.cli.app import run
from chemin.study import Recipe
from chemin.study.codec import to_json
from chemin.study.workspace import Begun

resource = pytest.importorskip("resource", reason="a full disk is played by a limit on files")

ROOT = Path(__file__).parent.parent
FEW_LINES = 4
ROWS = "".join(
    f"{30 + i},{i % 7}.5,{'ABC'[i % 3]},{'ill' if i + i % 7 > 22 else 'well'}\n" for i in range(40)
)
GOOD = "age,dose,site,outcome\n" + ROWS
SEMICOLONS = GOOD.replace(",", ";")

Content = str | bytes


@dataclass(frozen=True)
class Bad:
    """An input, the command that is given it, and what happens.

    Attributes
    ----------
    what : str
        What is bad about it.
    command : str
        Words after ``chemin``.
    message : str
        What is said, whole; of several lines the first.
    code : int
        The exit code.
    files : dict
        Name → content of what is there before; bytes, text, or a function that is given the place.
    """

    what: str
    command: str
    message: str
    code: int = 2
    files: dict[str, Content | Callable[[Path], Any]] = field(default_factory=dict)
    while_: Callable[[], Any] = nullcontext

    def __str__(self) -> str:
        return self.what


class Evil:
    """What runs a command when it is unpickled."""

    def __reduce__(self) -> Any:
        return os.system, ("touch owned",)


def zipped(**members: Content) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name.replace("__", "."), content)
    return stream.getvalue()


def study(**changes: Any) -> str:
    return json.dumps({"format": 1, "made_with": {}} | changes)


def begun(source: str) -> str:
    return to_json(Begun(Recipe(source, "outcome"), "0123", {})).decode()


@contextmanager
def a_full_disk() -> Iterator[None]:
    """Let no file grow beyond a hundred bytes."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


WIDE = ",".join(f"c{j}" for j in range(500)) + "\n" + (",".join(["1.5"] * 500) + "\n") * 2000
OF_GOOD = {"data.csv": GOOD}
KERNELS = "write constant, epanechnikov, gaussian, laplacian, linear, polynomial, pairs_of, widths or windows; kernels of scikit-learn and functions are for Python only"

BATTERY = [
    Bad(
        "a wrong separator", "learn data.csv --target outcome --separator ,",
        "target is 'outcome', and there is no such column: the only one is 'age;dose;site;outcome', which is cut at ';': "
        "pass --separator ';', or leave it out to let it be guessed",
        files={"data.csv": SEMICOLONS},
    ),
    Bad(
        "a target that is not there", "learn data.csv --target outcom",
        "target is 'outcom', and there is no such column: did you mean 'outcome'?", files=OF_GOOD,
    ),
    Bad(
        "… and is like no other", "learn data.csv --target y",
        "target is 'y', and there is no such column: the columns are 'age', 'dose', 'site', 'outcome'", files=OF_GOOD,
    ),
    Bad(
        "no target", "learn data.csv",
        "no target was named: pass --target, the column to predict; the last columns are outcome, site, dose, age",
        files=OF_GOOD,
    ),
    Bad(
        "a file that is not there", "explore dat.csv",
        "'dat.csv' cannot be opened (No such file or directory): check the path; there is 'data.csv'", files=OF_GOOD,
    ),
    Bad("an empty file", "explore data.csv", "'data.csv' is empty: check that it was saved or downloaded completely", files={"data.csv": ""}),
    Bad("empty lines", "explore data.csv", "'data.csv' holds nothing but empty lines: check that it was saved completely", files={"data.csv": "\n\n\n"}),
    Bad(
        "no row", "explore data.csv",
        "'data.csv' has a header and no row below it: check that it was saved completely, or pass --header none",
        files={"data.csv": "age,dose\n"},
    ),
    Bad(
        "bytes that are no text", "explore data.csv",
        "'data.csv' is a file of bytes that are no text, not a table: pass a CSV, Excel, ODS, Parquet or npz file",
        files={"data.csv": bytes(range(256)) * 9},
    ),
    Bad(
        "ragged lines", "explore data.csv",
        "'data.csv' is ragged: most lines have 4 cells, but 20 of 60 do not (line 42 has 6). Check --separator and --quote, "
        "or put quotes around cells that hold the separator",
        files={"data.csv": GOOD + "1,2,3,4,5,6\n" * 20},
    ),
    Bad(
        "a directory", "learn tables --target outcome",
        "'tables' holds no folders of images (it has 'data.csv'): put the images of each class into a folder of its name, "
        "or pass a file",
        files={"tables/data.csv": GOOD},
    ),
    Bad(
        "an image", "explore data.csv",
        "'data.csv' is an image, not a table: pass the folder that holds one folder of images per class",
        files={"data.csv": b"\x89PNG\r\n\x1a\n0000"},
    ),
    Bad(
        "a web page", "explore data.csv",
        "'data.csv' is a web page, not a table: download the table itself, as CSV or as a spreadsheet",
        files={"data.csv": "<!doctype html><script>alert(1)</script>"},
    ),
    Bad(
        "a pickle", "explore data.csv",
        "'data.csv' is a pickle, not a table: loading a pickle runs whatever its author put into it; if you trust it, load "
        "it yourself and pass the DataFrame, or save it as Parquet",
        files={"data.csv": pickle.dumps(Evil())},
    ),
    Bad(
        "an array of objects", "explore data.npz",
        "'data.npz' cannot be read as arrays (Object arrays cannot be loaded when allow_pickle=False): save it with "
        "numpy.savez, without objects",
        files={"data.npz": lambda place: np.savez(place, X=np.array([Evil()], dtype=object))},
    ),
    Bad(
        "more cells than fit", "explore wide.csv --memory 0.05",
        "'wide.csv' has about 0.995 million cells, which need 0.0834 GiB, and 0.05 GiB are allowed: pass --rows 1193 for its "
        "beginning, save it as Parquet and pass --column for some of its columns, or a larger --memory (in GiB)",
        files={"wide.csv": WIDE},
    ),
    Bad(
        "a zip bomb", "explore bomb.zip --memory 0.01",
        "'data.csv' in 'bomb.zip' unpacks to 0.0186 GiB, more than the 0.01 GiB allowed: pass a larger --memory (in GiB) if "
        "you trust it, or cut it into parts",
        files={"bomb.zip": lambda place: place.write_bytes(zipped(data__csv=b"1," * 10**7))},
    ),
    Bad(
        "a gzip bomb", "explore bomb.csv.gz --memory 0.01",
        "'bomb.csv.gz' unpacks to more than the 0.01 GiB allowed: pass a larger --memory (in GiB) if you trust it, or cut it "
        "into parts",
        files={"bomb.csv.gz": lambda place: place.write_bytes(gzip.compress(b"1," * 10**7))},
    ),
    Bad(
        "a damaged archive", "explore data.csv.gz",
        "'data.csv.gz' is damaged (Compressed file ended before the end-of-stream marker was reached): fetch or save it again",
        files={"data.csv.gz": gzip.compress(GOOD.encode())[:60]},
    ),
    Bad(
        "an archive of two files", "explore data.zip",
        "'data.zip' holds 2 files ('a.csv', 'b.csv'): pass --member to choose one",
        files={"data.zip": zipped(a__csv=GOOD, b__csv=GOOD)},
    ),
    Bad(
        "a damaged workbook", "explore data.xlsx",
        "'data.xlsx' is a damaged archive (File is not a zip file): fetch or save it again",
        files={"data.xlsx": b"PK\x03\x04" + b"x" * 99},
    ),
    Bad(
        "one class", "learn data.csv --target site",
        "every row has 'A' as its 'site': pass rows of two classes or more",
        files={"data.csv": re.sub("[BC]", "A", GOOD)},
    ),
    Bad(
        "a class of one row", "learn data.csv --target site",
        "class 'Z' has one row, which cannot be learned from and judge: leave it out, or pass --test 0",
        files={"data.csv": GOOD.replace(",A,", ",Z,", 1)},
    ),
    Bad(
        "a target without values", "learn data.csv --target outcome",
        "every cell of the target 'outcome' is missing: name another column",
        files={"data.csv": re.sub("ill|well", "", GOOD)},
    ),
    Bad(
        "nothing to predict from", "learn data.csv --target outcome --column outcome",
        "data.csv has no column but the target 'outcome': there is nothing to predict it from", files=OF_GOOD,
    ),
    Bad(
        "terminal codes and markup in names", "learn data.csv --target outcome",
        r"target is 'outcome', and there is no such column: the columns are '\x1b[31mage', '<script>', '=1+1'",
        files={"data.csv": "\x1b[31mage,<script>,=1+1\n1,2,3\n4,5,6\n"},
    ),
    Bad(
        "code in place of a kernel", "learn data.csv -t outcome -k \"__import__('os').system('touch owned')\"",
        f"there is no kernel '__import__': {KERNELS}", files=OF_GOOD,
    ),
    Bad(
        "a kernel on a column that is not there", "learn data.csv -t outcome -k 'gaussian(1).on(agee)'",
        "there is no column agee: did you mean age?", files=OF_GOOD,
    ),
    Bad(
        "a kernel that is not finished", "learn data.csv -t outcome -k 'gaussian('",
        "expected a number, found the end", files=OF_GOOD,
    ),
    Bad(
        "a recipe with code", "learn recipe.toml",
        f"there is no kernel 'exec': {KERNELS}",
        files=OF_GOOD | {"recipe.toml": 'source = "data.csv"\ntarget = "outcome"\nkernels = ["exec(1)"]'},
    ),
    Bad(
        "a recipe with an unknown key", "learn recipe.toml",
        "recipe.toml has 'kernel': did you mean 'kernels'?", files={"recipe.toml": 'source = "data.csv"\nkernel = []'},
    ),
    Bad(
        "a recipe that says how much memory to take", "learn recipe.toml",
        "recipe.toml: [read] has 'memory': did you mean 'member'?",
        files={"recipe.toml": 'source = "data.csv"\n[read]\nmemory = 9999'},
    ),
    Bad(
        "a recipe of another type", "learn recipe.toml",
        "recipe.toml is not what it should be: folds: Input should be a valid integer, unable to parse string as an integer",
        files={"recipe.toml": 'source = "data.csv"\nfolds = "many"'},
    ),
    Bad(
        "a recipe that is no TOML", "learn recipe.toml",
        "recipe.toml is not TOML: Invalid value (at line 1, column 10)", files={"recipe.toml": "source = \n"},
    ),
    Bad(
        "a recipe deeper than any", "learn recipe.toml",
        "recipe.toml is nested too deeply: it is no recipe", files={"recipe.toml": "source = " + "[" * 9999},
    ),
    Bad(
        "a pickle in place of a model", "predict model.skops data.csv",
        "'model.skops' cannot be read (File is not a zip file): pass a file written by save",
        files=OF_GOOD | {"model.skops": pickle.dumps(Evil())},
    ),
    Bad(
        "a model that names a command", "predict model.skops data.csv",
        "the file holds types that are not trusted (posix.system): if you know them, load it in Python with trusted=",
        files=OF_GOOD | {"model.skops": lambda place: skops.io.dump(FunctionTransformer(os.system), place)},
    ),
    Bad(
        "a folder that is no study", "predict tables data.csv",
        "tables is no study: pass the folder that chemin learn has written", files=OF_GOOD | {"tables/data.csv": GOOD},
    ),
    Bad(
        "a study of a later version", "report a-study",
        "a-study has format 99, and this version of Chemin reads 1: install the version of Chemin that study.json names "
        "under made_with, or learn again with --force",
        files={"a-study/study.json": study(format=99)},
    ),
    Bad(
        "a damaged study", "report a-study",
        "a-study/study.json is damaged, or no study: learn again with --force", files={"a-study/study.json": "{"},
    ),
    Bad(
        "a study that is not finished", "predict a-study data.csv",
        "a-study is a study that is not finished: go on with chemin learn data.csv --target outcome --out a-study",
        files=OF_GOOD | {"a-study/parts/begun.json": begun("data.csv")},
    ),
    Bad(
        "a damaged beginning", "learn data.csv -t outcome",
        "data-study/parts/begun.json is not what it should be: Invalid JSON: EOF while parsing an object at line 1 column 1: "
        "take data-study away, and learn again",
        files=OF_GOOD | {"data-study/parts/begun.json": "{"},
    ),
    Bad(
        "another study there", "learn data.csv -t outcome",
        "data-study holds the beginning of a study that was asked for otherwise: pass --force to begin anew, or --out "
        "another-folder",
        files=OF_GOOD | {"data-study/parts/begun.json": begun("other.csv")},
    ),
    Bad(
        "other things there", "learn data.csv -t outcome --out papers",
        "papers is there and holds other things than a study: pass --out another-folder",
        files=OF_GOOD | {"papers/thesis.txt": "ten years of work"},
    ),
    Bad(
        "another report there", "learn data.csv -t outcome",
        "data.html is there already: pass --force to take its place, or --out another-folder",
        files=OF_GOOD | {"data.html": "<p>Ten years of work"},
    ),
    Bad(
        "another file there", "path data.csv -t outcome --out events.csv",
        "events.csv is there already: pass --force to take its place", files=OF_GOOD | {"events.csv": "years of work"},
    ),
    Bad(
        "a device there", "path data.csv -t outcome --out /dev/null --force",
        "/dev/null is there and is no file: pass --out another-name", files=OF_GOOD,
    ),
    Bad(
        "a place where nothing can be written", "learn data.csv -t outcome --out data.csv/study",
        "data.csv/study cannot be made (Not a directory): pass --out a folder you may write in", 1, OF_GOOD,
    ),
    Bad(
        "a full disk", "path data.csv -t outcome --out events.csv",
        "events.csv cannot be written (File too large): pass --out a folder with room, where you may write", 1, OF_GOOD,
        a_full_disk,
    ),
    Bad(
        "a full disk under a study", "learn data.csv -t outcome --against none",
        "data-study/parts/begun.json cannot be written (File too large): pass --out a folder with room, where you may write",
        1, OF_GOOD, a_full_disk,
    ),
    Bad(
        "an option that is not there", "learn data.csv --targte outcome",
        "No such option: --targte (Possible options: --target)", files=OF_GOOD,
    ),
    Bad("a verb that is not there", "lern data.csv", "No such command 'lern'. Did you mean 'learn'?"),
    Bad(
        "a model that is not there", "learn data.csv -t outcome --against lsa",
        "there is no model 'lsa': did you mean ols or lda or lasso?", files=OF_GOOD,
    ),
    Bad(
        "a share that is none", "learn data.csv -t outcome --test 2", "test is 2.0: pass a share from 0 to 0.9", files=OF_GOOD
    ),
    Bad(
        "a class that is not there", "learn data.csv -t outcome --positive il",
        "positive is 'il': pass 'ill' or 'well', as the target has 2 classes", files=OF_GOOD,
    ),
    Bad(
        "a path between three classes", "path data.csv -t site",
        "the target has 3 classes, and a path is between two: learn from the file instead, which follows one path for each "
        "pair",
        files=OF_GOOD,
    ),
]  # fmt: skip


def laid_out(files: dict[str, Any], folder: Path) -> dict[str, str]:
    """Write files into a folder, and return what is in it."""
    for name, content in files.items():
        place = folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        if callable(content):
            content(place)
        else:
            place.write_bytes(content if isinstance(content, bytes) else content.encode())
    return held_in(folder)


def held_in(folder: Path) -> dict[str, str]:
    """Return every file below a folder with a hash of what it holds."""
    return {
        str(place.relative_to(folder)): sha256(place.read_bytes()).hexdigest()
        for place in sorted(folder.rglob("*"))
        if place.is_file()
    }


@pytest.mark.parametrize("bad", BATTERY, ids=str)
def test_bad_input_is_told_in_a_few_lines_and_leaves_nothing_behind(
    bad, tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    before = laid_out(bad.files, tmp_path)
    with bad.while_():
        code = run(shlex.split(bad.command))
    out, err = capsys.readouterr()
    told = err[err.index("error: ") :].splitlines()
    assert told[0] == f"error: {bad.message}"
    assert code == bad.code
    assert len(told) <= FEW_LINES
    assert not out
    assert "Traceback" not in err
    assert held_in(tmp_path) == before


def test_the_page_of_the_tool_has_this_table():
    text = (ROOT / "docs" / "tool.md").read_text(encoding="utf-8")
    lines = [
        f"| {bad.what} | `chemin {bad.command}` | {escaped(bad.message)} | {bad.code} |"
        for bad in BATTERY
    ]
    assert [line for line in lines if line not in text] == [], "write these lines into docs/tool.md"


def escaped(message: str) -> str:
    """Return a message as a cell of Markdown."""
    return f"`{message}`"


def test_an_archive_cannot_write_outside_itself(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    inside = tmp_path / "a" / "b"
    inside.mkdir(parents=True)
    before = laid_out({"a/b/data.zip": zipped(**{"../../evil__csv": GOOD})}, tmp_path)
    assert run(["explore", "a/b/data.zip", "-q"]) == 0
    assert "age" in capsys.readouterr().out
    assert held_in(tmp_path) == before


def test_names_that_repeat_are_numbered_and_told(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    laid_out({"data.csv": GOOD.replace("dose", "age")}, tmp_path)
    assert run(["explore", "data.csv"]) == 0
    out, err = capsys.readouterr()
    assert "age (2)" in out
    assert "names that repeat: numbered: 'age'" in err


def test_no_cell_of_what_is_written_is_a_formula_or_commands_a_terminal(
    tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    evil = GOOD.replace("site", "\x1b]0;owned\x07").replace("ill", "=cmd|' /C calc'!A0")
    laid_out({"data.csv": evil}, tmp_path)
    assert run(["path", "data.csv", "-t", "outcome", "--out", "events.csv"]) == 0
    assert run(["explore", "data.csv", "-t", "outcome"]) == 0
    out, err = capsys.readouterr()
    assert "\x1b" not in out + err
    assert not re.search(r"(^|,)[=+@]", Path("events.csv").read_text(encoding="utf-8"), re.M)
