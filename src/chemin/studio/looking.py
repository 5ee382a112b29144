"""What do rows look like before anything is learned? The look of a study, and pictures whose points are the same rows.

Only the rows that will be learned from are looked at: those that judge are drawn first, as a study draws them.
"""

from __future__ import annotations

import json
import threading
import time
import warnings
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from chemin.dictionaries.base import Indices
from chemin.exceptions import CheminError
from chemin.exploration import Exploration, explore
from chemin.studio.history import Project
from chemin.studio.reading import Reader
from chemin.study import Document, Recipe
from chemin.study.codec import from_json, to_json
from chemin.study.document import CLASSES, FORMAT
from chemin.study.run import made_with
from chemin.study.steps import looking, reading
from chemin.study.steps.reading import Source
from chemin.study.workspace import whole_file

_POINTS = 1500  # rows that are drawn
_COLUMNS = 12  # columns of numbers that are drawn, those that have most to do with the target
_BUDGET = 10.0  # seconds of estimated work for each picture
_LINE = 60  # places of a density
_DIGITS = 6


class Looks:
    """What was seen of every reading; kept beside the history.

    Parameters
    ----------
    reader : Reader
        Who reads.
    """

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._lock = threading.Lock()

    def place(self, project: Project, recipe: Recipe) -> Path:
        """Return where the look at what a recipe reads is kept."""
        asked = [
            recipe.source,
            recipe.target,
            recipe.read,
            recipe.test,
            recipe.random_state,
            made_with(),
        ]
        key = sha256(json.dumps(asked, default=str).encode()).hexdigest()[:16]
        return project.folder / "looks" / f"{key}.json"

    def document(self, project: Project, recipe: Recipe) -> Document:
        """Return what is known before anything is learned, found now or before."""
        source = self._reader.reading(recipe).learned_from()
        place = self.place(project, recipe)
        with self._lock:
            if place.is_file():
                kept = from_json(Document, place.read_bytes(), str(place))
                if kept.data.digest == source.digest:  # else the file has changed
                    return kept
            found = _look(source, recipe)
            _keep(place, to_json(found))
            _pictures_of(place).unlink(missing_ok=True)
            return found

    def pictures(self, project: Project, recipe: Recipe) -> bytes:
        """Return as JSON what is drawn, found now or before."""
        document = self.document(project, recipe)
        place = _pictures_of(self.place(project, recipe))
        with self._lock:
            if not place.is_file():
                source = self._reader.reading(recipe).learned_from()
                _keep(place, json.dumps(_drawn(source, recipe, document)).encode())
            return place.read_bytes()


def _look(source: Source, recipe: Recipe) -> Document:
    began = time.perf_counter()
    split, rows = reading.split_rows(source, recipe)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        look = looking.look_at(source, rows["train"], recipe.random_state, progress=False)
    seconds = {"look": round(time.perf_counter() - began, 3)}
    return Document(
        FORMAT, made_with(), recipe, reading.facts_of(source), split, look, (), None, (), seconds
    )


def _drawn(source: Source, recipe: Recipe, document: Document) -> dict[str, Any]:
    """Return the points of every picture, row by row the same."""
    _, rows = reading.split_rows(source, recipe)
    train = rows["train"]
    if len(train) > _POINTS:
        drawn = np.random.default_rng(recipe.random_state).choice(train, _POINTS, replace=False)
        train = np.sort(drawn)
    names = source.row_names
    found: dict[str, Any] = {
        "rows": [names[row] for row in train],
        "target": document.data.target,
        "classes": source.labels,
        "side": _sides(source, train),
        "plane": None,
        "groups": None,
        "columns": _columns(source, train, document),
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        look = explore(source.table, rows=train, budget=_BUDGET, random_state=recipe.random_state)
        return found | _plane(look, train) | _groups(look, train)


def _sides(source: Source, rows: Indices) -> list[Any]:
    """Return the place of each row's class, or its number."""
    if source.task != CLASSES:
        return _short(source.y[rows])
    found: list[Any] = np.searchsorted(source.labels, source.y[rows]).tolist()
    return found


def _plane(look: Exploration, rows: Indices) -> dict[str, Any]:
    try:
        projection = look.projection
        if len(projection.variances) < 2 or len(projection.points.rows) != len(rows):
            return {}
    except CheminError:  # such as no column of numbers
        return {}
    x, y = projection.coordinates[:, :2].T
    return {"plane": {"x": _short(x), "y": _short(y), "share": float(projection.shares[:2].sum())}}


def _groups(look: Exploration, rows: Indices) -> dict[str, Any]:
    try:
        best = look.groups.best
    except CheminError:
        return {}
    if best is None or len(best.labels) != len(rows):
        return {}
    return {"groups": best.labels.tolist()}


def _columns(source: Source, rows: Indices, document: Document) -> list[dict[str, Any]]:
    """Return the values of the columns of numbers that have most to do with the target."""
    strength = dict(document.look.associations)
    numbers = [
        column for column in source.subject.inputs
        if column.field.type == "number" and np.isfinite(column.values[rows]).any()
    ]  # fmt: skip
    numbers.sort(key=lambda column: -strength.get(column.name, -1.0))
    return [
        {"name": column.name, "values": _short(column.values[rows])} | _density(column.values[rows])
        for column in numbers[:_COLUMNS]
    ]


def _density(values: Any) -> dict[str, Any]:
    """Return a window density of a column, as a line; nothing of one that is constant."""
    from chemin.exploration import parzen

    known = values[np.isfinite(values)]
    try:
        density = parzen(known)
        x = density.grid(known.min(), known.max(), _LINE)[0]
        return {"line": {"x": _short(x), "y": _short(density.pdf(x))}}
    except CheminError:
        return {"line": None}


def _short(values: Any) -> list[float | None]:
    """Return numbers to a few digits, None for gaps."""
    return [
        float(f"{value:.{_DIGITS}g}") if np.isfinite(value) else None for value in values.tolist()
    ]


def _pictures_of(place: Path) -> Path:
    return place.with_name(f"{place.stem}-pictures.json")


def _keep(place: Path, content: bytes) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    with whole_file(place) as beside:
        beside.write_bytes(content)
