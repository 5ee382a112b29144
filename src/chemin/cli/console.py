"""How do words reach a terminal? Results on standard output, all else on standard error, nothing that it would obey.

Names and cells come from strangers: characters that a terminal takes for commands are shown as what they are.

Exit codes: 0 done, 1 something went wrong on the way, 2 the command or its input is wrong, 3 a library is missing,
130 stopped by Ctrl-C.
"""

from __future__ import annotations

import json
import math
import re
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from chemin.exceptions import (
    CheminError,
    EmptyModelWarning,
    InvalidInputError,
    MissingLibraryError,
    StudyError,
)
from chemin.results import aligned, plain
from chemin.study.recipe import READING_OPTIONS

_UNBOUND = 10_000  # columns of what is no terminal: lines are not broken

DONE, FAILED, WRONG, MISSING, STOPPED = 0, 1, 2, 3, 130

_ARGUMENT = re.compile(rf"\b({'|'.join(READING_OPTIONS)})=(?=(\w|'|\()?)")
_WRITTEN = (  # what messages say to users of the library → here
    (re.compile(r"missing=, such as missing=\{[^}]*\}"), "--missing CODE"),
    (re.compile(r"header=False"), "--header none"),
    (re.compile(r"size=\(rows, columns\)"), "--size ROWSxCOLUMNS"),
    (re.compile(r"chemin\.models\.names\([^)]*\) lists"), "chemin compare --list names"),
    (re.compile(r"See table\.losses"), "chemin explore tells all"),
    (_ARGUMENT, lambda found: READING_OPTIONS[found[1]] + " " * bool(found[2])),
)


@dataclass(frozen=True)
class Voice:
    """How much is said, and in which form: ``json`` for programs, ``quiet`` for results alone, ``loud`` for all."""

    json: bool = False
    quiet: bool = False
    loud: bool = False

    @property
    def draws_bars(self) -> bool:
        """Whether somebody looks at standard error while work goes on."""
        return sys.stderr.isatty() and not self.quiet and not self.json

    def tell(self, *lines: str) -> None:
        """Write lines of a result."""
        for line in lines:
            sys.stdout.write(f"{plain(line)}\n")

    def note(self, line: str) -> None:
        """Write a line that is no result: what is being done, or where something is."""
        if not self.quiet:
            sys.stderr.write(f"{plain(line)}\n")

    def show(self, title: str, head: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
        """Write a table of a result; numbers on the right."""
        self.tell(title)
        table = Table(box=None, pad_edge=False)
        columns = [[row[place] for row in rows] for place in range(len(head))]
        for name, column in zip(head, columns, strict=True):
            numbers = all(isinstance(value, int | float | None) for value in column)
            table.add_column(Text(plain(name)), justify="right" if numbers else "left")
        for cells in zip(*map(_cells, columns), strict=True):
            table.add_row(*(Text(plain(cell)) for cell in cells))
        width = None if sys.stdout.isatty() else _UNBOUND
        Console(file=sys.stdout, highlight=False, width=width).print(table)

    def answer(self, value: Any) -> None:
        """Write a result for programs: ASCII, so that no terminal obeys it; null where a number is not finite."""
        sys.stdout.write(json.dumps(_finite(value), indent=2, default=_as_json) + "\n")


def _cells(column: list[Any]) -> list[str]:
    """Return the values of a column as text; numbers have the same decimals, None has no text."""
    numbers = iter(aligned([value for value in column if isinstance(value, float)]))
    return [
        next(numbers) if isinstance(value, float) else "" if value is None else str(value)
        for value in column
    ]


def _as_json(value: Any) -> Any:
    """Return a number of NumPy as Python's, all else as text."""
    return _finite(value.item()) if hasattr(value, "item") else str(value)


def _finite(value: Any) -> Any:
    """Return a value without numbers that JSON has not."""
    if isinstance(value, dict):
        return {name: _finite(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(one) for one in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


@contextmanager
def spoken_warnings(voice: Voice) -> Iterator[None]:
    """Show warnings of the library as notes, one line each and once, and no others."""
    told: set[str] = set()

    def show(message: Warning | str, category: type[Warning], *_: Any, **__: Any) -> None:
        text = f"warning: {as_options(str(message))}"
        ours = category.__module__.startswith("chemin")
        if (ours or voice.loud) and text not in told:
            told.add(text)
            voice.note(text)

    with warnings.catch_warnings():
        warnings.simplefilter("default")
        warnings.simplefilter("always", EmptyModelWarning)
        warnings.showwarning = show
        yield


def code_of(error: BaseException) -> int:
    """Return the exit code of an error.

    Examples
    --------
    >>> code_of(InvalidInputError("no such column")), code_of(OSError("disk full")), code_of(KeyboardInterrupt())
    (2, 1, 130)
    """
    if isinstance(error, KeyboardInterrupt):
        return STOPPED
    if isinstance(error, MissingLibraryError):
        return MISSING
    if isinstance(error, StudyError):
        return FAILED if isinstance(error.__cause__, OSError) else WRONG
    return WRONG if isinstance(error, InvalidInputError) else FAILED


def is_foreseen(error: BaseException) -> bool:
    """Whether the message of an error says what to do, so that nobody needs to see where it arose."""
    return isinstance(error, CheminError | OSError | MemoryError)


def said(error: BaseException) -> str:
    """Return what an error says, in a line or two, in the words of the command line.

    Examples
    --------
    >>> said(InvalidInputError("too large: pass rows=100, or a larger memory= (in GiB)"))
    'too large: pass --rows 100, or a larger --memory (in GiB)'
    """
    if isinstance(error, CheminError):
        return as_options(str(error))
    if isinstance(error, MemoryError):
        return "there is not enough memory: pass --rows to take some of the rows, or --memory to read less"
    if isinstance(error, OSError) and error.strerror:
        where = f"{error.filename}: " if error.filename else ""
        return f"{where}{error.strerror}"
    return f"{type(error).__name__}: {error}"


def as_options(text: str) -> str:
    """Return text in which arguments of the library are written as options of the command."""
    for theirs, ours in _WRITTEN:
        text = theirs.sub(ours, text)
    return text
