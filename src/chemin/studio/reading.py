"""What does a file say once it is read this way, and what was guessed? Every guess comes back as a field to correct."""

from __future__ import annotations

import json
import threading
import warnings
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from chemin.exceptions import CheminError, InvalidInputError
from chemin.study import Recipe
from chemin.study.steps.reading import Source, read_source
from chemin.tables import Table, read
from chemin.tables.cells.field import Column

TYPES = ("number", "category", "ordered", "date", "text", "identifier", "constant")
CHOICES: dict[
    str, dict[str, Any]
] = {  # argument of `chemin.read` → what a page offers: as it is written there → as it is passed
    "separator": {";": ";", ",": ",", "tab": "\t", "|": "|", "space": " "},
    "decimal": {",": ",", ".": ".", "either": "either"},
    "day_first": {"yes": True, "no": False},
}
TEXTS = ("encoding", "header", "thousands", "missing", "sheet", "member", "rows")  # typed in
ARGUMENTS = (*CHOICES, *TEXTS)
LABELS = {  # what a page calls them
    "separator": "separator",
    "decimal": "decimal mark",
    "day_first": "day before month",
    "encoding": "encoding",
    "header": "line of the names",
    "thousands": "mark of thousands",
    "missing": "codes of missing cells",
    "sheet": "sheet",
    "member": "file in the archive",
    "rows": "number of rows",
}
_OF_TEXT = ("separator", "encoding")
_WORKBOOKS = {".xlsx", ".xlsm", ".xlsb", ".xls", ".ods"}
_WITHOUT_TEXT = {*_WORKBOOKS, ".parquet", ".npz", ".npy"}
_SHOWN = 8  # rows of the preview,
_COLUMNS = 40  # and columns
_KEPT = 3  # readings that are kept


@dataclass(frozen=True, eq=False)
class Reading:
    """What was read, as far as it could be.

    Attributes
    ----------
    table : Table or None
        None where it cannot be read.
    source : Source or None
        What is learned from; None where no target is named, or there is nothing to learn.
    error : str
        Why one of them is None.
    """

    table: Table | None
    source: Source | None
    error: str = ""

    def learned_from(self) -> Source:
        """Return the source, or say why there is none."""
        if self.source is None:
            raise InvalidInputError(self.error or "name the column to predict first")
        return self.source

    def first_columns(self) -> list[Column]:
        """Return the columns of the preview: the first ones, and the target."""
        if self.table is None:
            return []
        found = enumerate(self.table.columns)
        return [one for k, one in found if k < _COLUMNS or one.name == self.table.target]

    def preview(self, number: Callable[[float, str], str] = format) -> list[list[str]]:
        """Return the first rows, as texts; ``number`` writes a number in a form."""
        columns = [_texts(column.values[:_SHOWN], number) for column in self.first_columns()]
        return [list(row) for row in zip(*columns, strict=True)]


class Reader:
    """Reads the sources of recipes; the last few are kept."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, Reading] = OrderedDict()
        self._lock = threading.Lock()

    def reading(self, recipe: Recipe) -> Reading:
        """Return what a recipe reads."""
        key = json.dumps(
            [recipe.source, recipe.target, recipe.read, _stamp(recipe.source)], default=str
        )
        with self._lock:
            if key not in self._kept:
                self._kept[key] = _read(recipe)
            self._kept.move_to_end(key)
            while len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
            return self._kept[key]


def _read(recipe: Recipe) -> Reading:
    given = dict(recipe.read)
    if recipe.target:
        given["target"] = recipe.target
    table: Table | None = None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # losses are shown in the page
        try:
            table = read(recipe.source, **given)
            if table.target is None:
                return Reading(table, None)
            return Reading(table, read_source(recipe))
        except (CheminError, OSError, MemoryError) as error:
            if table is None and recipe.target:
                return replace(_read(replace(recipe, target="")), source=None, error=str(error))
            return Reading(table, None, str(error))


def offered(source: str) -> tuple[str, ...]:
    """Return the arguments of `chemin.read` that have a say in a file of such a name.

    Examples
    --------
    >>> [name for name in ARGUMENTS if name not in offered("patients.csv.gz")]
    ['sheet', 'member']
    >>> [name for name in ARGUMENTS if name not in offered("patients.xlsx")]
    ['separator', 'encoding', 'member']
    """
    suffixes = {suffix.lower() for suffix in Path(source).suffixes}
    without = [
        *(_OF_TEXT if suffixes & _WITHOUT_TEXT else ()),
        *(() if suffixes & _WORKBOOKS else ("sheet",)),
        *(() if ".zip" in suffixes else ("member",)),
    ]
    return tuple(name for name in ARGUMENTS if name not in without)


def corrected(recipe: Recipe, form: Mapping[str, str]) -> Recipe:
    """Return a recipe with what a form says of the reading; empty fields leave the reader its guess.

    Examples
    --------
    >>> corrected(Recipe("a.csv"), {"target": "y", "decimal": ",", "type:age": "number", "header": "2"})
    Recipe(source='a.csv', target='y', read={'decimal': ',', 'header': 2, 'types': {'age': 'number'}}, ...)
    """
    given: dict[str, Any] = {}
    for name in ARGUMENTS:
        text = form.get(name, "").strip(" ")
        if text:
            given[name] = _passed(name, text)
    types: dict[str, Any] = {}
    for field, text in form.items():
        if field.startswith("type:") and text:
            types[field.removeprefix("type:")] = _type(text)
    if types:
        given["types"] = types
    others = {
        name: value for name, value in recipe.read.items() if name not in (*ARGUMENTS, "types")
    }
    return replace(recipe, target=form.get("target", recipe.target), read=others | given)


def as_typed(name: str, value: Any) -> str:
    r"""Return a value of `chemin.read` as the form of a page has it.

    Examples
    --------
    >>> as_typed("separator", "\t"), as_typed("day_first", False), as_typed("missing", ["-9", "?"])
    ('tab', 'no', '-9, ?')
    """
    if value is None:
        return ""
    for typed, passed in CHOICES.get(name, {}).items():
        if passed == value:
            return typed
    if name == "header" and value is False:
        return "none"
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def _passed(name: str, text: str) -> Any:
    if name in CHOICES:
        return CHOICES[name].get(text, text)
    if name == "header" and text.casefold() in ("none", "aucun", "no", "non"):
        return False
    if name in ("header", "rows"):
        if not text.isdecimal():
            raise InvalidInputError(f"{name} is {text!r}: pass a whole number, such as 1")
        return int(text)
    if name == "missing":
        return [code.strip() for code in text.split(",")]
    return text


def _type(text: str) -> Any:
    return [value.strip() for value in text.split(",")] if "," in text else text


def _texts(values: Any, number: Callable[[float, str], str]) -> list[str]:
    if values.dtype.kind == "f":
        return ["" if np.isnan(value) else number(value, ".6g") for value in values]
    if values.dtype.kind == "M":
        return ["" if np.isnat(value) else str(value)[:10] for value in values]
    return ["" if value is None else str(value) for value in values.tolist()]


def _stamp(source: str) -> str:
    """Return what changes when a file does."""
    place = Path(source)
    return str(place.stat().st_mtime_ns) if place.is_file() else ""
