"""Where among some cells does the table begin? After the preamble, at the row that names the columns."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from numpy.typing import NDArray

from chemin.exceptions import TableError
from chemin.tables.cells.dates import DateFormat
from chemin.tables.cells.field import UNNAMED
from chemin.tables.cells.numbers import NumberFormat
from chemin.tables.cells.texts import MISSING_CODES, as_objects, as_text
from chemin.tables.notes import Guess, Loss, listed

_LOOKED_AT = 500  # rows in which the width and the header are sought
_DEEPEST = 100  # rows of preamble at most
_NEAR = 12  # rows among which an empty line may end a preamble
_MOSTLY = 0.8  # share of the cells below a name that are values
_YEAR = re.compile(r"1[5-9]\d\d|20\d\d")
_FEWEST_BELOW = 3  # rows below the units, at least
_LONGEST_UNIT = 12  # letters
_RAGGED = 0.1  # share of lines of another width from which on the separator must be wrong
_NUMBERS = (NumberFormat("either"), NumberFormat(","), NumberFormat("."))


@dataclass(frozen=True, eq=False)
class Grid:
    """Named columns of cells, not read yet.

    Attributes
    ----------
    names : list of str
        One per column, all different.
    columns : list of ndarray
        Cells as they came.
    categorical : frozenset of str
        Columns that the source itself calls categories.
    levels : dict
        Values of ordered columns from low to high, where the source has them.
    guesses, losses : list
        What was decided and what was left out so far.
    target : str or None
        The column to predict, where the source has one.
    image_shape : (int, int), or None
        Rows and columns of an image, where each row of the table is one.
    """

    names: list[str]
    columns: list[NDArray[Any]]
    categorical: frozenset[str] = frozenset()
    levels: dict[str, tuple[str, ...]] = field(default_factory=dict)
    guesses: list[Guess] = field(default_factory=list)
    losses: list[Loss] = field(default_factory=list)
    target: str | None = None
    image_shape: tuple[int, int] | None = None

    def is_pixel(self, place: int) -> bool:
        """Whether a column is a pixel of images, which come before all others."""
        return self.image_shape is not None and place < self.image_shape[0] * self.image_shape[1]


@dataclass(frozen=True)
class Wanted:
    """What the user asks of a source; None where it is to be guessed. See `chemin.read`."""

    memory: int  # bytes
    columns: list[str] | None = None
    rows: int | None = None
    encoding: str | None = None
    separator: str | None = None
    quote: str | None = None
    header: int | bool | None = None
    sheet: str | int | None = None
    member: str | None = None
    size: tuple[int, int] | None = None


def grid_of(
    rows: list[list[Any]], lines: Sequence[int], header: int | bool | None, source: str
) -> Grid:
    """Return the table in rows of cells; ``lines`` are their numbers in the source, for messages.

    ``header`` is the line that names the columns, False if there is none, None to look for it.
    """
    guesses: list[Guess] = []
    losses: list[Loss] = []
    width = _width(rows)
    named, start = _header(rows, lines, width, header, guesses, source)
    names = (
        _names(rows[named], width, guesses)
        if named is not None
        else [f"x{j}" for j in range(width)]
    )
    if named is not None and _holds_units(rows[start:]):
        said = ", ".join(str(cell) for cell in rows[start] if as_text(cell))[:40]
        losses.append(
            Loss("lines set aside", f"line {lines[start]}", 1, f"units of the columns: {said}")
        )
        start += 1
    kept = _even(rows[start:], lines[start:], width, losses, source)
    if not kept:
        raise TableError(
            f"{source} has a header and no row below it: check that it was saved completely, or pass header=False"
        )
    columns = [as_objects(column) for column in zip(*kept, strict=True)]
    empty = [
        j
        for j, name in enumerate(names)
        if not name and all(not as_text(cell) for cell in columns[j])
    ]
    if empty:
        losses.append(Loss("columns left out", "without a name", len(empty), "every cell is empty"))
    wanted = [j for j in range(width) if j not in set(empty)]
    called = [names[j] or UNNAMED.format(j + 1) for j in wanted]
    return Grid(
        distinct(called, guesses), [columns[j] for j in wanted], guesses=guesses, losses=losses
    )


def _holds_units(rows: list[list[Any]]) -> bool:
    """Return whether the first row has words wherever the rows below have values, in two columns at least."""
    first, *below = rows[:_LOOKED_AT] or [[]]
    words = 0
    for j, cell in enumerate(first):
        column = [row[j] for row in below if j < len(row)]
        if len(column) < _FEWEST_BELOW or sum(map(_is_value, column)) <= _MOSTLY * len(column):
            continue
        text = as_text(cell)
        if _is_value(cell) or text in MISSING_CODES or len(text or "") > _LONGEST_UNIT:
            return False
        words += bool(text)
    return words > 1


def _width(rows: list[list[Any]]) -> int:
    """Return the most frequent number of cells; among equals the larger."""
    counts = Counter(len(row) for row in rows[:_LOOKED_AT])
    return max(counts, key=lambda width: (counts[width], width))


def _header(
    rows: list[list[Any]],
    lines: Sequence[int],
    width: int,
    header: int | bool | None,
    guesses: list[Guess],
    source: str,
) -> tuple[int | None, int]:
    """Return which row names the columns, None if none does, and where the data begin."""
    if header is False:
        return None, _first_full(rows, width)
    if header is not None and header is not True:
        if header not in lines:
            raise TableError(
                f"header is {header}, and {source} has no such line: count from 1, or pass False"
            )
        named = list(lines).index(header)
        return named, named + 1
    gap = _after_a_gap(rows, lines, width)
    named = _first_full(rows, width) if gap is None else gap
    line = lines[named]
    below = rows[named + 1 : named + 1 + _LOOKED_AT]
    if header is None and not _names_columns(rows[named], below):
        evidence = f"line {line} has values like those below it"
        guesses.append(
            Guess("header", "none, columns are called x0, x1, …", evidence, "header", False)
        )
        return None, named
    said = f"line {line}"
    evidence = "the first line that names every column"
    if named:
        first = " ".join(str(cell) for cell in rows[0] if as_text(cell))[:40]
        evidence = (
            f"the first line with {width} cells, after {named} of a preamble that begins {first!r}"
        )
    guesses.append(Guess("header", said, evidence, "header", line))
    return named, named + 1


def _first_full(rows: list[list[Any]], width: int) -> int:
    """Return the first row with a cell in every column; one may lack, as above row names, if the others are words."""
    looked_at = rows[: _DEEPEST + 1]
    filled = [sum(bool(as_text(cell)) for cell in row) for row in looked_at]
    most = max(
        (count for count, row in zip(filled, looked_at, strict=True) if len(row) <= width),
        default=0,
    )
    for place, row in enumerate(looked_at):
        if len(row) not in (width, width - 1):
            continue
        if filled[place] >= most or (
            filled[place] == most - 1 >= 2 and not any(map(_is_value, row))
        ):
            return place
    return 0


def _after_a_gap(rows: list[list[Any]], lines: Sequence[int], width: int) -> int | None:
    """Return the first row after an empty line near the beginning, if it names columns of values."""
    for place in range(1, min(_NEAR, len(rows) - 1)):
        if lines[place] - lines[place - 1] < 2 or len(rows[place]) != width:
            continue
        below = rows[place + 1 : place + 1 + _LOOKED_AT]
        if not any(map(_is_value, rows[place])) and _differs(rows[place], below):
            return place
    return None


def _names_columns(row: list[Any], below: list[list[Any]]) -> bool:
    """Return whether a row names columns: none of its cells is a number or a date, or fewer than below."""
    if not below:
        return True
    values = [j for j, cell in enumerate(row) if _is_value(cell)]
    if not values:
        return True
    return _differs(row, below) or _counts_years([as_text(row[j]) or "" for j in values], len(row))


def _differs(row: list[Any], below: list[list[Any]]) -> bool:
    """Return whether a column has values below a cell that is none."""
    for j, cell in enumerate(row):
        column = [line[j] for line in below if j < len(line)]
        if not _is_value(cell) and column and sum(map(_is_value, column)) > _MOSTLY * len(column):
            return True
    return False


def _counts_years(values: list[str], width: int) -> bool:
    """Return whether the values of a row are years at equal steps, beside a word: names of columns after all."""
    if not 2 <= len(values) < width or not all(_YEAR.fullmatch(text) for text in values):
        return False
    steps = {int(after) - int(before) for before, after in pairwise(values)}
    return len(steps) == 1 and 0 not in steps


def _is_value(cell: Any) -> bool:
    text = as_text(cell)
    if not text or text in MISSING_CODES:
        return False
    if not isinstance(cell, str) or DateFormat().parse(text) is not None:
        return True
    return any(form.parse(text) is not None for form in _NUMBERS)


def _names(row: list[Any], width: int, guesses: list[Guess]) -> list[str]:
    names = [" ".join((as_text(cell) or "").split()) for cell in row]
    if len(names) == width - 1:  # as R writes a table: the row names have no name
        guesses.append(
            Guess("header", "names from the second column on", "it has one cell less", "header")
        )
        return ["", *names]
    return [*names, *[""] * (width - len(names))][:width]


def distinct(names: list[str], guesses: list[Guess]) -> list[str]:
    """Return names that are all different, and say which had to be numbered."""
    repeated = [name for name, count in Counter(names).items() if count > 1]
    if repeated:
        told = f"numbered: {listed(repeated)}"
        guesses.append(
            Guess("names that repeat", told, "columns need names of their own", "header")
        )
    return numbered(names)


def numbered(names: Sequence[str]) -> list[str]:
    """Return names that are all different: a second "age" is "age (2)".

    Examples
    --------
    >>> numbered(["age", "age", "age (2)"])
    ['age', 'age (3)', 'age (2)']
    """
    seen: Counter[str] = Counter()
    taken = set(names)
    made = []
    for name in names:
        seen[name] += 1
        called = name
        number = seen[name]
        while number > 1 and called in taken:
            called = f"{name} ({number})"
            number += 1
        taken.add(called)
        made.append(called)
    return made


def _even(
    rows: list[list[Any]], lines: Sequence[int], width: int, losses: list[Loss], source: str
) -> list[list[Any]]:
    """Return rows of one width: short ones are filled up, long ones and remarks are set aside, all are counted."""
    kept: list[list[Any]] = []
    short: list[int] = []
    aside: list[tuple[int, list[Any]]] = []
    blank = 0
    for row, line in zip(rows, lines, strict=True):
        if not any(map(as_text, row)):
            blank += 1
        elif len(row) == width:
            kept.append(row)
        elif len(row) > width and not any(map(as_text, row[width:])):
            kept.append(row[:width])
        elif len(row) > width or (width > 2 and len(row) == 1):
            aside.append((line, row))
        else:
            short.append(line)
            kept.append([*row, *[None] * (width - len(row))])
    if len(aside) > max(_RAGGED * len(rows), 1) or len(short) > max(_RAGGED * len(rows), 2):
        line, count = (aside[0][0], len(aside[0][1])) if len(aside) > len(short) else (short[0], 0)
        told = f"line {line} has {count}" if count else f"line {line} has fewer"
        raise TableError(
            f"{source} is ragged: most lines have {width} cells, but {len(aside) + len(short)} of {len(rows)} do not "
            f"({told}). Check separator= and quote=, or put quotes around cells that hold the separator"
        )
    if blank:
        losses.append(Loss("rows left out", "anywhere", blank, "every cell is empty"))
    if short:
        where = f"lines {', '.join(map(str, short[:5]))}" + ", …" * (len(short) > 5)
        losses.append(
            Loss(
                "lines filled up with missing cells", where, len(short), f"fewer than {width} cells"
            )
        )
    if aside:
        where = f"lines {', '.join(str(line) for line, _ in aside[:5])}" + ", …" * (len(aside) > 5)
        example = " ".join(str(cell) for cell in aside[0][1])[:40]
        losses.append(Loss("lines set aside", where, len(aside), f"not {width} cells: {example!r}"))
    return kept
