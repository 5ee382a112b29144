"""What was guessed, and what was lost? Two kinds of lines that every table carries."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Guess:
    """Something the file does not say and the reader decided.

    Attributes
    ----------
    what : str
        What was decided: "encoding", "type of 'age'", …
    value : str
        The decision.
    evidence : str
        What speaks for it.
    argument : str
        The argument of `chemin.read` that decides it.
    given : object
        The value of that argument that asks for the same.

    Examples
    --------
    >>> print(Guess("separator", "';'", "8 cells in 120 of 120 lines", "separator", ";"))
    separator: ';' (8 cells in 120 of 120 lines); override with separator=
    """

    what: str
    value: str
    evidence: str
    argument: str
    given: Any = field(default=None, repr=False)

    def __str__(self) -> str:
        return f"{self.what}: {self.value} ({self.evidence}); override with {self.argument}="


@dataclass(frozen=True)
class Loss:
    """Something that is in the file and not in the table.

    Attributes
    ----------
    what : str
        "lines set aside", "cells read as missing", …
    where : str
        The lines, or the column.
    count : int
        How many.
    reason : str
        Why, with an example.

    Examples
    --------
    >>> print(Loss("cells read as missing", "column 'age'", 2, "no numbers: 'abc', 'x1'"))
    2 cells read as missing, column 'age': no numbers: 'abc', 'x1'
    """

    what: str
    where: str
    count: int
    reason: str

    def __str__(self) -> str:
        what = self.what
        if self.count == 1:
            first, _, rest = what.partition(" ")
            what = f"{first.removesuffix('s')} {rest}"
        return f"{self.count} {what}, {self.where}: {self.reason}"


def brief(error: Exception, most: int = 160) -> str:
    """Return what an error of another library says, in short.

    Examples
    --------
    >>> brief(ValueError("x" * 20), most=5)
    'xxxxx…'
    """
    said = " ".join(str(error).split())
    return said if len(said) <= most else f"{said[:most]}…"


def listed(items: list[str], most: int = 3) -> str:
    """Return a few items in quotes, and a sign if there are more.

    Examples
    --------
    >>> listed(["a", "b", "c", "d"], 2)
    "'a', 'b', …"
    """
    return ", ".join(repr(item) for item in items[:most]) + ", …" * (len(items) > most)
