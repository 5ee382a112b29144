"""Which options do several verbs share? How a source is read, and how much is said."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from chemin.exceptions import InvalidInputError

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
    typer.Option("--model", help="Of a study: linear or basis; the recommended one by default."),
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

Separator = Annotated[
    str | None,
    typer.Option(
        "--separator", help="Between cells, such as ';' or tab.", rich_help_panel=_READING
    ),
]
Decimal = Annotated[
    str | None,
    typer.Option("--decimal", help="Decimal mark: '.' or ','.", rich_help_panel=_READING),
]
Encoding = Annotated[
    str | None,
    typer.Option("--encoding", help="Such as utf-8 or cp1252.", rich_help_panel=_READING),
]
Sheet = Annotated[
    str | None, typer.Option("--sheet", help="Of a workbook, its name.", rich_help_panel=_READING)
]
Rows = Annotated[
    int | None,
    typer.Option("--rows", help="How many rows to read, from the first.", rich_help_panel=_READING),
]
Types = Annotated[
    list[str] | None,
    typer.Option(
        "--type",
        metavar="COLUMN=TYPE",
        help="number, category, ordered, date, text, identifier, constant, or values from low to high: "
        "stage=I,II,III. Repeat it.",
        rich_help_panel=_READING,
    ),
]
Missing = Annotated[
    list[str] | None,
    typer.Option(
        "--missing",
        metavar="CODE",
        help="A code of missing cells. Repeat it.",
        rich_help_panel=_READING,
    ),
]
Memory = Annotated[
    float | None,
    typer.Option(
        "--memory",
        help="Gibibytes that the table may take, half of what is free by default.",
        rich_help_panel=_READING,
    ),
]

Json = Annotated[
    bool, typer.Option("--json", help="The result as JSON, for programs.", rich_help_panel=_SAYING)
]
Quiet = Annotated[
    bool, typer.Option("--quiet", "-q", help="The result alone.", rich_help_panel=_SAYING)
]
Loud = Annotated[
    bool,
    typer.Option(
        "--verbose", "-v", help="Every warning, and where an error arose.", rich_help_panel=_SAYING
    ),
]

_SEPARATORS = {"tab": "\t", "\\t": "\t", "space": " ", "comma": ",", "semicolon": ";"}
_TYPES = ("number", "category", "ordered", "date", "text", "identifier", "constant")


def reading(
    separator: str | None,
    decimal: str | None,
    encoding: str | None,
    sheet: str | None,
    rows: int | None,
    types: list[str] | None,
    missing: list[str] | None,
) -> dict[str, Any]:
    r"""Return the arguments of `chemin.read` that options stand for.

    Examples
    --------
    >>> reading("tab", ",", None, None, None, ["age=number", "stage=I,II,III"], None)
    {'separator': '\t', 'decimal': ',', 'types': {'age': 'number', 'stage': ['I', 'II', 'III']}}
    """
    given: dict[str, Any] = {
        "separator": None if separator is None else _SEPARATORS.get(separator, separator),
        "decimal": decimal,
        "encoding": encoding,
        "sheet": sheet,
        "rows": rows,
        "types": dict(map(_type, types)) if types else None,
        "missing": missing or None,
    }
    return {name: value for name, value in given.items() if value is not None}


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
