"""How does a file become a table? Cells by the room of its kind, then types and formats, column by column."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chemin.exceptions import InvalidInputError, LossWarning, TableError
from chemin.frames import kind_of
from chemin.memory import GIB, allowance
from chemin.tables.cells.field import (
    Column,
    Field,
    Habits,
    date_evidence,
    decimal_evidence,
    learn_field,
)
from chemin.tables.cells.numbers import plain
from chemin.tables.cells.texts import CODES_AMONG_NUMBERS, MISSING_CODES
from chemin.tables.files.arrays import read_arrays, read_images
from chemin.tables.files.bundled import BUNDLED, PATIENTS, patients_file
from chemin.tables.files.grid import Grid, Wanted
from chemin.tables.files.native import is_frame, read_array, read_frame, read_parquet
from chemin.tables.files.source import Source, open_source
from chemin.tables.files.text import SEPARATORS, read_text
from chemin.tables.files.workbook import read_workbook
from chemin.tables.notes import Guess, Loss, listed
from chemin.tables.table import Table

_NO_TARGET = ("identifier", "constant", "text")  # types that a target does not have


def read(
    source: Any,
    *,
    target: str | None = None,
    types: Mapping[str, Any] | None = None,
    missing: Sequence[str] | Mapping[str, Sequence[str]] | None = None,
    columns: Sequence[str] | None = None,
    rows: int | None = None,
    encoding: str | None = None,
    separator: str | None = None,
    quote: str | None = None,
    header: int | bool | None = None,
    decimal: str | Mapping[str, str] | None = None,
    thousands: str | None = None,
    day_first: bool | Mapping[str, bool] | None = None,
    sheet: str | int | None = None,
    member: str | None = None,
    size: tuple[int, int] | None = None,
    memory: float | None = None,
) -> Table:
    r"""Read a table from a file, a folder of images, a DataFrame, or a name, and say what was guessed and lost.

    Parameters
    ----------
    source : path, binary stream, DataFrame, array or name
        A CSV or TSV file, an Excel or ODS workbook, a Parquet or npz file, packed by gzip, bzip2, xz or zip or not; a
        folder with one folder of images per class; a DataFrame of pandas, polars or pyarrow; "patients",
        "breast-cancer", "diabetes", "digits", "iris" or "wine".
    target : str, optional
        The column to predict; rows where it is missing are left out and counted.
    types : dict, optional
        What columns are: "number", "category", "ordered", "date", "text", "identifier", "constant", or a list of values
        from low to high.
    missing : list of str, or dict from columns to lists, optional
        Codes of missing cells, in place of the usual ones; a dict adds codes for some columns.
    columns : list of str, optional
        Which ones to keep.
    rows : int, optional
        How many rows to read, from the first.
    encoding, separator, quote : str, optional
        How the text of a CSV file is cut; ``quote=""`` if quotes mean nothing.
    header : int or False, optional
        The line that names the columns, counted from 1; False if there is none.
    decimal, thousands : str, optional
        Marks in numbers; ``decimal`` may be "either", or a dict from columns to marks.
    day_first : bool, optional
        Whether 01/03/2024 is in March; may be a dict from columns.
    sheet : str or int, optional
        Of a workbook.
    member : str, optional
        Of a zip archive that holds several files.
    size : (int, int), optional
        Rows and columns to which images are brought.
    memory : float, optional
        Gibibytes that the table may take, and that a packed file may unpack to; half of what is free by default.

    Returns
    -------
    Table

    Examples
    --------
    >>> import io
    >>> table = read(io.BytesIO("nom;taille\nAnne;1,65\nLuc;1,8\n".encode()))
    >>> table["taille"].values.tolist()
    [1.65, 1.8]
    >>> print([guess for guess in table.guesses if guess.what == "decimal mark"][0])
    decimal mark: ',' ('1,65' in column 'taille'); override with decimal=
    """
    options = {
        name: value
        for name, value in (
            ("target", target), ("types", types), ("missing", missing), ("columns", columns), ("rows", rows),
            ("encoding", encoding), ("separator", separator), ("quote", quote), ("header", header),
            ("decimal", decimal), ("thousands", thousands), ("day_first", day_first), ("sheet", sheet),
            ("member", member), ("size", size), ("memory", memory),
        )
        if value is not None
    }  # fmt: skip
    _check_options(rows, decimal, day_first, memory, size)
    types = {str(column): type for column, type in (types or {}).items()}
    missing = [missing] if isinstance(missing, str) else missing
    target = None if target is None else str(target)
    wanted = Wanted(
        int(memory * GIB) if memory is not None else allowance(),
        _names_wanted(columns, target),
        rows, encoding, separator, quote, header, sheet, member, size and (size[0], size[1]),
    )  # fmt: skip
    name, grid = _cells(source, wanted)
    target = target or grid.target
    grid = _selected(grid, wanted)
    _check_names(
        grid, target=target, types=types, missing=missing, decimal=decimal, day_first=day_first
    )
    guesses = list(grid.guesses)
    habits = _ColumnHabits(grid, missing, decimal, thousands, day_first, separator, guesses)
    made = [_column(grid, j, habits, types, target) for j in range(len(grid.names))]
    guesses = _with_own_marks(guesses, made, grid)
    guesses += _notes_of(made, types, grid)
    losses = [*grid.losses, *_strange(made)]
    made, kept = _with_target(made, target, losses)
    if losses:
        kinds = "; ".join(str(loss) for loss in losses[:3]) + "; …" * (len(losses) > 3)
        warnings.warn(f"{name}: {kinds}. See table.losses", LossWarning, stacklevel=2)
    return Table(
        name,
        tuple(made),
        tuple(guesses),
        tuple(losses),
        target,
        kind_of(source),
        grid.image_shape,
        options,
        isinstance(source, str | os.PathLike),
        kept,
    )


def _names_wanted(columns: Any, target: str | None) -> list[str] | None:
    """Return the columns to keep, the target among them; None for all."""
    if columns is None:
        return None
    asked = [columns] if isinstance(columns, str) else [str(name) for name in columns]
    return list(dict.fromkeys([*asked, *filter(None, [target])]))


def _cells(source: Any, wanted: Wanted) -> tuple[str, Grid]:
    """Return the name of a source and its cells, by the room of its kind."""
    if isinstance(source, Table):
        return source.name, replace(
            read_frame(source.frame(), wanted.columns), target=source.target
        )
    if is_frame(source):
        return "DataFrame", read_frame(source, wanted.columns)
    if isinstance(source, np.ndarray):
        return "array", read_array(source)
    if isinstance(source, str) and not Path(source).exists():
        if source in BUNDLED:
            return source, BUNDLED[source]()
        if source == PATIENTS:
            return source, read_text(open_source(patients_file(), wanted.memory), wanted)
    if not isinstance(source, str | os.PathLike) and not hasattr(source, "read"):
        raise TableError(
            f"a {type(source).__name__} cannot be read: pass a path, a binary stream, a DataFrame or an array"
        )
    if not hasattr(source, "read") and Path(source).is_dir():
        return os.fspath(source), read_images(Path(source), wanted)
    file = open_source(source, wanted.memory, wanted.member)
    name = file.name if hasattr(source, "read") else os.fspath(source)
    return name, _BY_KIND[file.kind](file, wanted)


_BY_KIND: dict[str, Callable[[Source, Wanted], Grid]] = {
    "text": read_text,
    "workbook": read_workbook,
    "parquet": read_parquet,
    "npz": lambda source, wanted: read_arrays(source),
}


def _selected(grid: Grid, wanted: Wanted) -> Grid:
    """Return the rows and columns that were asked for."""
    if wanted.rows is not None:
        grid = replace(grid, columns=[column[: wanted.rows] for column in grid.columns])
    if wanted.columns is None:
        return grid
    for name in wanted.columns:
        if name not in grid.names:
            raise TableError(f"there is no column {name!r}: {_nearest(name, grid.names)}")
    places = [j for j, name in enumerate(grid.names) if name in wanted.columns]
    names = [grid.names[j] for j in places]
    columns = [grid.columns[j] for j in places]
    return replace(grid, names=names, columns=columns, image_shape=None)


class _ColumnHabits:
    """What a column is read with: given by the user, asked for by the file, or usual."""

    def __init__(
        self,
        grid: Grid,
        missing: Any,
        decimal: Any,
        thousands: str | None,
        day_first: Any,
        separator: str | None,
        guesses: list[Guess],
    ) -> None:
        self.per_column = {"decimal": _per_column(decimal), "day_first": _per_column(day_first)}
        self.codes: dict[str, Sequence[str]] = dict(missing) if isinstance(missing, Mapping) else {}
        given = missing is not None and not isinstance(missing, Mapping)
        usual = tuple(map(str, missing)) if given else MISSING_CODES
        self.shared = Habits(
            decimal=decimal
            if isinstance(decimal, str)
            else _decimal(grid, usual, guesses, separator),
            thousands=thousands,
            day_first=day_first
            if isinstance(day_first, bool)
            else _day_first(grid, usual, guesses),
            missing=usual,
            among_numbers=() if given else CODES_AMONG_NUMBERS,
            fixed_decimal=isinstance(decimal, str),
            fixed_day_first=isinstance(day_first, bool),
        )

    def of(self, name: str) -> Habits:
        """Return those of one column."""
        habits = self.shared
        if name in self.codes:
            habits = replace(habits, missing=(*habits.missing, *map(str, self.codes[name])))
        if name in self.per_column["decimal"]:
            habits = replace(habits, decimal=self.per_column["decimal"][name], fixed_decimal=True)
        if name in self.per_column["day_first"]:
            habits = replace(
                habits, day_first=self.per_column["day_first"][name], fixed_day_first=True
            )
        return habits


def _per_column(given: Any) -> Mapping[str, Any]:
    return given if isinstance(given, Mapping) else {}


def _decimal(grid: Grid, missing: Sequence[str], guesses: list[Guess], given: str | None) -> str:
    """Return the decimal mark that most columns ask for; where none does, that of the separator's country."""
    certain: dict[str, list[str]] = {",": [], ".": []}
    open_commas = ""
    for name, cells in zip(grid.names, grid.columns, strict=True):
        evidence = decimal_evidence(cells, missing)
        if evidence.decimal in certain:
            certain[evidence.decimal].append(f"{evidence.example!r} in column {name!r}")
        elif evidence.decimal is None and evidence.open_commas:
            open_commas = name
    if not certain[","] and not certain["."] and not open_commas:
        return "."
    mark = "," if len(certain[","]) >= len(certain["."]) and certain[","] else "."
    why = certain[mark][0] if certain[mark] else ""
    if not why:
        cut = next((guess.given for guess in guesses if guess.what == "separator"), given)
        mark = "," if cut == ";" else "."
        beside = "" if cut is None else f" beside the separator {cut!r}"
        why = f"nothing is certain in column {open_commas!r}; usual{beside}"
    guesses.append(Guess("decimal mark", repr(mark), why, "decimal", mark))
    return mark


def _day_first(grid: Grid, missing: Sequence[str], guesses: list[Guess]) -> bool:
    """Return whether the day comes before the month, as most dates say that can be read one way only."""
    days = months = unclear = 0
    example = {True: "", False: ""}
    for cells in grid.columns:
        some_days, some_months, some_unclear, text = date_evidence(cells, missing)
        days, months, unclear = days + some_days, months + some_months, unclear + some_unclear
        first = some_days >= some_months
        example[first] = example[first] or text
    if not days and not months and not unclear:
        return True
    first = days >= months
    why = (
        f"{example[first]!r} can be read one way only"
        if days or months
        else f"assumed: {example[True]!r} can be read both ways"
    )
    guesses.append(Guess("day first", str(first), why, "day_first", first))
    return first


def _column(
    grid: Grid, place: int, habits: _ColumnHabits, types: Mapping[str, Any], target: str | None
) -> Column:
    name, cells = grid.names[place], grid.columns[place]
    own = habits.of(name)
    type = types.get(name, grid.levels.get(name))
    field = learn_field(name, cells, own, type, name in grid.categorical)
    if name == target and type is None and field.type in _NO_TARGET:
        try:
            field = learn_field(name, cells, own, "number")
        except InvalidInputError:
            field = learn_field(name, cells, own, "category")
        field = replace(field, why="the target")
    elif name in grid.levels and name not in types:
        field = replace(field, why="ordered in the source")
    elif name not in types and grid.is_pixel(place):
        field = replace(learn_field(name, cells, own, "number"), why="a pixel")
    return field.read(cells)


def _with_own_marks(guesses: list[Guess], columns: list[Column], grid: Grid) -> list[Guess]:
    """Return the guesses, where columns differ with what is right for each."""
    texts = [
        column.field
        for column, cells in zip(columns, grid.columns, strict=True)
        if cells.dtype.kind == "O"
    ]
    right: dict[str, dict[str, Any]] = {
        "decimal": {field.name: field.number.decimal for field in texts if field.type == "number"},
        "day_first": {field.name: field.date.day_first for field in texts if field.type == "date"},
    }
    return [
        replace(guess, given=right[guess.argument])
        if guess.argument in right and set(right[guess.argument].values()) - {guess.given}
        else guess
        for guess in guesses
    ]


def _notes_of(columns: list[Column], types: Mapping[str, Any], grid: Grid) -> list[Guess]:
    """Return what was decided for single columns: types, missing codes, marks of thousands, marks of their own."""
    guesses = []
    for column, cells in zip(columns, grid.columns, strict=True):
        name, field = column.name, column.field
        if name not in types:
            given = list(field.levels) if field.type == "ordered" else field.type
            guesses.append(
                Guess(f"type of {name!r}", field.type, field.why, "types", {name: given})
            )
        if column.codes:
            told = ", ".join(
                f"{code!r} {count} times" for code, count in list(column.codes.items())[:4]
            )
            guesses.append(Guess(f"missing in {name!r}", told, "codes of missing cells", "missing"))
        guesses += _own_marks(field, cells)
    return guesses


def _own_marks(field: Field, cells: Any) -> list[Guess]:
    """Return the guesses about marks in the numbers of one column."""
    if field.type != "number" or cells.dtype.kind != "O":
        return []
    texts = [plain(cell) for cell in dict.fromkeys(cells.tolist()) if isinstance(cell, str)]
    grouped = next(
        (text for text in texts if any(mark in text for mark in field.number.thousands)), None
    )
    guesses = []
    if grouped is not None and field.number.parse(grouped) is not None:
        told = f"{grouped!r} is {field.number.parse(grouped):.10g}"
        guesses.append(
            Guess(f"thousands in {field.name!r}", told, "groups of three digits", "thousands")
        )
    if field.number.decimal == "either":
        guesses.append(
            Guess(
                f"decimal mark of {field.name!r}",
                "comma and point",
                "the column has both",
                "decimal",
            )
        )
    return guesses


def _strange(columns: list[Column]) -> list[Loss]:
    """Return cells that could not be read, column by column."""
    losses = []
    for column in columns:
        if column.strange:
            what = {"number": "numbers", "date": "dates"}.get(column.field.type, "known values")
            reason = f"not {what}: {listed(list(column.strange))}"
            where = f"column {column.name!r}"
            losses.append(
                Loss("cells read as missing", where, sum(column.strange.values()), reason)
            )
    return losses


def _with_target(
    columns: list[Column], target: str | None, losses: list[Loss]
) -> tuple[list[Column], NDArray[np.bool_] | None]:
    """Return the columns without the rows whose target is missing, and which rows these leave; None if all."""
    if target is None:
        return columns, None
    (column,) = (column for column in columns if column.name == target)
    absent = column.absent
    if absent.all():
        raise TableError(f"every cell of the target {target!r} is missing: name another column")
    if not absent.any():
        return columns, None
    losses.append(
        Loss("rows left out", f"column {target!r}", int(absent.sum()), "the target is missing")
    )
    return [some.take(np.flatnonzero(~absent)) for some in columns], ~absent


def _check_options(rows: Any, decimal: Any, day_first: Any, memory: Any, size: Any) -> None:
    if rows is not None and (not isinstance(rows, int) or isinstance(rows, bool) or rows < 1):
        raise TableError(f"rows is {rows!r}: pass how many rows to read, such as 1000")
    marks = decimal.values() if isinstance(decimal, Mapping) else [decimal]
    if any(mark not in (None, ".", ",", "either") for mark in marks):
        raise TableError(
            f"decimal is {decimal!r}: pass '.' or ',' or 'either', or a dict from columns to these"
        )
    orders = day_first.values() if isinstance(day_first, Mapping) else [day_first]
    if not all(order is None or isinstance(order, bool) for order in orders):
        raise TableError(f"day_first is {day_first!r}: pass True, False, or a dict from columns")
    if memory is not None and not (isinstance(memory, int | float) and 0 < memory < np.inf):
        raise TableError(f"memory is {memory!r}: pass gibibytes, such as 4.0")
    if size is not None and not _is_size(size):
        raise TableError(f"size is {size!r}: pass rows and columns of an image, such as (28, 28)")


def _is_size(given: Any) -> bool:
    if not isinstance(given, Sequence) or len(given) != 2:
        return False
    return all(isinstance(one, int) and not isinstance(one, bool) and one > 0 for one in given)


def _check_names(grid: Grid, target: str | None, **given: Any) -> None:
    """Raise if an argument speaks of a column that is not there."""
    if target is not None and target not in grid.names:
        raise TableError(
            f"target is {target!r}, and there is no such column: "
            f"{_other_separator(target, grid.names) or _nearest(target, grid.names)}"
        )
    for argument, value in given.items():
        for name in value if isinstance(value, Mapping) else ():
            if name not in grid.names:
                raise TableError(
                    f"{argument} names {name!r}, and there is no such column: {_nearest(name, grid.names)}"
                )


def _other_separator(name: str, names: list[str]) -> str:
    """Return what to do if the only column is a line that another separator cuts, else nothing."""
    for separator in SEPARATORS:
        if len(names) == 1 and name in names[0].split(separator):
            return (
                f"the only one is {names[0]!r}, which is cut at {separator!r}: pass separator={separator!r}, "
                "or leave it out to let it be guessed"
            )
    return ""


def _nearest(name: str, names: list[str]) -> str:
    close = get_close_matches(str(name), names)
    return (
        f"did you mean {' or '.join(map(repr, close))}?"
        if close
        else f"the columns are {listed(names, 8)}"
    )
