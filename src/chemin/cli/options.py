"""Which options do several verbs share? How a source is read, and how much is said."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import wraps
from typing import Annotated, Any, TypeVar

import typer

from chemin.cli.console import Voice
from chemin.exceptions import InvalidInputError
from chemin.tables import Table, read

T = TypeVar("T")

_READING = "How the file is read"
_SAYING = "What is said"

Source = Annotated[
    str,
    typer.Argument(
        metavar="FILE",
        help="A CSV, Excel, ODS, Parquet or npz file, a folder of images, or a bundled name such as breast-cancer "
        "(chemin datasets lists them).",
        show_default=False,
    ),
]
Model = Annotated[
    str,
    typer.Argument(
        metavar="MODEL",
        help="A study that chemin learn has written, or a .skops file.",
        show_default=False,
    ),
]
Which = Annotated[
    str | None,
    typer.Option(
        "--model",
        help="Of a study: linear or basis; by default the one that the comparison recommends.",
    ),
]
Target = Annotated[
    str | None, typer.Option("--target", "-t", help="The column to predict; bundled data have one.")
]
Force = Annotated[bool, typer.Option("--force", help="Take the place of what is there.")]
Language = Annotated[str, typer.Option("--language", help="Of the report: en or fr.")]
Redact = Annotated[
    bool,
    typer.Option(
        "--redact", help="A report without values and names of rows, to be sent to others."
    ),
]
Seed = Annotated[int, typer.Option("--seed", help="What everything is drawn from.")]


def _how(kind: Any, help: str, *names: str, **more: Any) -> Any:
    return Annotated[kind, typer.Option(*names, help=help, rich_help_panel=_READING, **more)]


_READ: dict[str, Any] = {  # argument of `chemin.read` → its option
    "separator": _how(str | None, "Between cells, such as ';' or tab.", "--separator"),
    "quote": _how(str | None, "Around cells; '' if quotes mean nothing.", "--quote"),
    "encoding": _how(str | None, "Such as utf-8 or cp1252.", "--encoding"),
    "header": _how(
        str | None, "The line that names the columns, from 1; none if there is none.", "--header",
        metavar="LINE",
    ),
    "decimal": _how(str | None, "Decimal mark: '.', ',' or either.", "--decimal"),
    "thousands": _how(str | None, "Mark between groups of three digits.", "--thousands"),
    "day_first": _how(
        bool | None, "Whether 01/03/2024 is in March or in January.", "--day-first/--month-first"
    ),
    "sheet": _how(str | None, "Of a workbook, its name.", "--sheet"),
    "member": _how(str | None, "Of a zip archive that holds several files.", "--member"),
    "columns": _how(
        list[str] | None, "A column to keep; all by default. Repeat it.", "--column",
        metavar="COLUMN",
    ),
    "rows": _how(int | None, "How many rows to read, from the first.", "--rows"),
    "size": _how(
        str | None, "To which images are brought, such as 28x28.", "--size", metavar="ROWSxCOLUMNS"
    ),
    "types": _how(
        list[str] | None,
        "number, category, ordered, date, text, identifier, constant, or values from low to high: stage=I,II,III. "
        "Repeat it.",
        "--type", metavar="COLUMN=TYPE",
    ),
    "missing": _how(
        list[str] | None, "A code of missing cells. Repeat it.", "--missing", metavar="CODE"
    ),
    "memory": _how(
        float | None, "Gibibytes that the table may take, half of what is free by default.", "--memory"
    ),
}  # fmt: skip


def _said(help: str, *names: str) -> Any:
    return Annotated[bool, typer.Option(*names, help=help, rich_help_panel=_SAYING)]


_SAY: dict[str, Any] = {
    "json": _said("The result as JSON, for programs.", "--json"),
    "quiet": _said("The result alone.", "--quiet", "-q"),
    "verbose": _said("Every warning, and where an error arose.", "--verbose", "-v"),
}

_SEPARATORS = {"tab": "\t", "\\t": "\t", "space": " ", "comma": ",", "semicolon": ";"}
_TYPES = ("number", "category", "ordered", "date", "text", "identifier", "constant")


@dataclass(frozen=True)
class Reading:
    """How a source is read.

    Attributes
    ----------
    given : dict
        Arguments of `chemin.read`.
    memory : float or None
        Gibibytes that the table may take.
    """

    given: dict[str, Any] = field(default_factory=dict)
    memory: float | None = None

    def table(self, source: str, **more: Any) -> Table:
        """Read a source."""
        return read(source, memory=self.memory, **self.given | more)


def shared(verb: Callable[..., T]) -> Callable[..., T]:
    """Give a verb the options that it shares: those of its arguments ``reading``, where it has that, and ``voice``."""
    plain = inspect.signature(verb, eval_str=True)
    reads = "reading" in plain.parameters
    own = [one for one in plain.parameters.values() if one.name not in ("reading", "voice")]
    more = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=kind)
        for some, default in ((_READ if reads else {}, None), (_SAY, False))
        for name, kind in some.items()
    ]

    @wraps(verb)
    def command(**given: Any) -> T:
        said = [given.pop(name) for name in _SAY]
        asked = {name: given.pop(name) for name in _READ} if reads else {}
        if reads:
            given["reading"] = Reading(memory=asked.pop("memory"), given=arguments(**asked))
        return verb(**given, voice=Voice(*said))

    command.__signature__ = plain.replace(parameters=[*own, *more])  # type: ignore[attr-defined]
    return command


def arguments(**asked: Any) -> dict[str, Any]:
    r"""Return the arguments of `chemin.read` that options stand for.

    Examples
    --------
    >>> arguments(separator="tab", header="none", size="8x8", types=["age=number", "stage=I,II,III"], rows=None)
    {'separator': '\t', 'header': False, 'size': [8, 8], 'types': {'age': 'number', 'stage': ['I', 'II', 'III']}}
    """
    return {
        name: _MEANT.get(name, _as_it_is)(value)
        for name, value in asked.items()
        if value is not None and value != []
    }


def _as_it_is(value: Any) -> Any:
    return value


def _separator(text: str) -> str:
    return _SEPARATORS.get(text, text)


def _header(text: str) -> int | bool:
    if text == "none":
        return False
    if text.isdecimal():
        return int(text)
    raise InvalidInputError(f"--header {text!r}: pass the number of a line, from 1, or none")


def _size(text: str) -> list[int]:
    rows, mark, columns = text.partition("x")
    if not mark or not rows.isdecimal() or not columns.isdecimal():
        raise InvalidInputError(f"--size {text!r}: write rows and columns, such as 28x28")
    return [int(rows), int(columns)]


def _types(texts: list[str]) -> dict[str, Any]:
    return dict(map(_type, texts))


def _type(text: str) -> tuple[str, Any]:
    name, mark, type = text.rpartition("=")
    if not mark or not name or not type:
        raise InvalidInputError(f"--type {text!r}: write COLUMN=TYPE, such as age=number")
    if type in _TYPES:
        return name, type
    if "," not in type:
        raise InvalidInputError(
            f"--type {text!r}: pass one of {', '.join(_TYPES)}, or values from low to high between commas"
        )
    return name, [value.strip() for value in type.split(",")]


_MEANT: dict[str, Callable[[Any], Any]] = {
    "separator": _separator,
    "header": _header,
    "size": _size,
    "types": _types,
}
