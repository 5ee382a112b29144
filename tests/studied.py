"""Which studies do claims about reports speak of? Seven small ones, each made once, whoever asks first.

hostile   two classes; names and cells that try to be script, style, markup or terminal codes
french    patients of a French CSV: text, dates and gaps; read in French
images    two digits, kernels on windows
three     three classes, so three machines
number    a numeric target
plane     two columns, so that the boundary can be drawn
noise     nothing to learn, so that a model is empty
"""

from __future__ import annotations

import csv
import fcntl
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import load_diabetes, load_digits, load_iris

from chemin.datasets import toydata1
from chemin.study import Recipe, Study, learn, read_study

HOSTILE = (
    "</script><script>document.title='broken'</script>",
    '"><img src=x onerror=alert(1)>',
    "{{ 7 * 7 }} </style><style>*{display:none}</style>",
    "a\u202eb\x1b[31m&lt;",
)
WORDS = ("<b>bold</b>", "javascript:alert(1)", "${alert(1)}")
_QUICK = {"against": ("none",), "folds": 3, "cases": 4}


def _write(place: Path, head: list[str], rows: list[list[object]]) -> str:
    with open(place, "w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        writer.writerow(head)
        writer.writerows(rows)
    return str(place)


def _hostile(folder: Path) -> Recipe:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 3))
    words = rng.integers(0, 3, 80)
    label = X[:, 0] - X[:, 1] + (words == 1) + 0.5 * rng.normal(size=80) > 0
    rows = [
        [*(f"{value:.3f}" for value in X[i]), WORDS[words[i]], "<i>yes</i>" if label[i] else "no"]
        for i in range(80)
    ]
    source = _write(folder / "hostile.csv", [*HOSTILE, "target"], rows)
    return Recipe(source, target="target", read={"separator": ","}, **_QUICK)


def _french(folder: Path) -> Recipe:
    del folder
    return Recipe("patients", target="diagnostic", positive="malade", **_QUICK)


def _images(folder: Path) -> Recipe:
    digits = load_digits()
    which = np.flatnonzero((digits.target == 3) | (digits.target == 8))[:90]
    source = folder / "digits.npz"
    np.savez(source, X=digits.images[which], y=digits.target[which])
    kernels = ("windows(size=4, stride=4, kernel=polynomial(2))",)
    return Recipe(str(source), kernels=kernels, **_QUICK)


def _three(folder: Path) -> Recipe:
    X, y = load_iris(return_X_y=True)
    rows = [[*X[i], ("one", "two", "three")[y[i]]] for i in range(0, 150, 2)]
    source = _write(folder / "three.csv", ["a", "b", "c", "d", "kind"], rows)
    return Recipe(source, target="kind", **_QUICK)


def _number(folder: Path) -> Recipe:
    data = load_diabetes(scaled=False)
    rows = [[*data.data[i], data.target[i]] for i in range(90)]
    source = _write(folder / "number.csv", [*data.feature_names, "progress"], rows)
    return Recipe(source, target="progress", **_QUICK)


def _plane(folder: Path) -> Recipe:
    X, y = toydata1(random_state=0)
    rows = [[*X[i], "plus" if y[i] > 0 else "minus"] for i in range(0, len(y), 2)]
    source = _write(folder / "plane.csv", ["across", "up", "side"], rows)
    return Recipe(source, target="side", kernels=("widths(1, 2, kernel=gaussian)",), **_QUICK)


def _noise(folder: Path) -> Recipe:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(40, 3))
    rows = [[*X[i], ("no", "yes")[i % 2]] for i in range(40)]
    source = _write(folder / "noise.csv", ["a", "b", "c", "side"], rows)
    return Recipe(source, target="side", **_QUICK)


RECIPES: dict[str, Callable[[Path], Recipe]] = {
    "hostile": _hostile,
    "french": _french,
    "images": _images,
    "three": _three,
    "number": _number,
    "plane": _plane,
    "noise": _noise,
}


def shared_by_processes(tmp_path_factory: Any) -> Path:
    """Return a folder that all processes of one run of the tests share, and no other run."""
    mine: Path = tmp_path_factory.getbasetemp()
    return mine.parent if "PYTEST_XDIST_WORKER" in os.environ else mine


def study_of(name: str, base: Path) -> Study:
    """Return a study, made by the first of the processes that asks for it."""
    folder = base / "studied" / name
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        place = folder / "study"
        if (place / "study.json").is_file():
            return read_study(place)
        return learn(RECIPES[name](folder), place)
