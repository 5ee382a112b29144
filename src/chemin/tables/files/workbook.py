"""What is in a workbook? The cells of one sheet of an Excel or OpenDocument file, by python-calamine."""

from __future__ import annotations

import io
from typing import Any

from chemin.exceptions import MissingLibraryError, TableError
from chemin.memory import GIB
from chemin.tables.files.grid import Grid, Wanted, grid_of
from chemin.tables.files.source import Source
from chemin.tables.notes import Guess, brief, listed

_PER_CELL = 120  # bytes that a cell takes while it is read


def read_workbook(source: Source, wanted: Wanted) -> Grid:
    """Return the cells of a sheet: the one asked for, else the first that is not empty."""
    try:
        from python_calamine import CalamineError, CalamineWorkbook
    except ImportError as error:
        raise MissingLibraryError(
            f"{source.name} is a workbook, and reading it needs python-calamine: pip install 'chemin[tables]', or save "
            "the sheet as CSV"
        ) from error
    try:
        book = CalamineWorkbook.from_filelike(io.BytesIO(source.bytes()))
        names = list(book.sheet_names)
        chosen, guess = _sheet(book, names, wanted.sheet, source)
        page = book.get_sheet_by_name(chosen)
        need = page.total_height * page.total_width * _PER_CELL
        if need > wanted.memory:
            raise TableError(
                f"sheet {chosen!r} of {source.name} needs {need / GIB:.3g} GiB, and {wanted.memory / GIB:.3g} GiB are "
                "allowed: save the part you need, or pass a larger memory= (in GiB)"
            )
        rows = page.to_python(skip_empty_area=False)
    except (CalamineError, OSError, ValueError) as error:
        if isinstance(error, TableError):
            raise
        raise TableError(
            f"{source.name} is a damaged or protected workbook ({brief(error)}): save it again, or as CSV"
        ) from error
    filled = [
        (number, row) for number, row in enumerate(rows, 1) if any(cell != "" for cell in row)
    ]
    if not filled:
        raise TableError(
            f"sheet {chosen!r} of {source.name} is empty: pass sheet=, there is {listed(names)}"
        )
    lines = [number for number, _ in filled]
    grid = grid_of(
        _trimmed([row for _, row in filled]),
        lines,
        wanted.header,
        f"sheet {chosen!r} of {source.name}",
    )
    grid.guesses[:0] = guess
    return grid


def _sheet(
    book: Any, names: list[str], wanted: str | int | None, source: Source
) -> tuple[str, list[Guess]]:
    if not names:
        raise TableError(f"{source.name} has no sheet: save it again, or as CSV")
    if isinstance(wanted, int) and not isinstance(wanted, bool) and 0 <= wanted < len(names):
        return names[wanted], []
    if wanted is not None:
        if wanted not in names:
            raise TableError(
                f"{source.name} has no sheet {wanted!r}: pass one of {listed(names, 8)}, or its number"
            )
        return str(wanted), []
    full = [name for name in names if book.get_sheet_by_name(name).height]
    chosen = full[0] if full else names[0]
    if len(names) == 1:
        return chosen, []
    evidence = f"the first of {len(full)} sheets with cells: {listed(full)}"
    return chosen, [Guess("sheet", repr(chosen), evidence, "sheet", chosen)]


def _trimmed(rows: list[list[Any]]) -> list[list[Any]]:
    """Return rows without the columns on the left and on the right that are empty throughout."""
    width = max(map(len, rows))
    used = [j for j in range(width) if any(j < len(row) and row[j] != "" for row in rows)]
    first, last = used[0], used[-1] + 1
    return [[None if cell == "" else cell for cell in row[first:last]] for row in rows]
