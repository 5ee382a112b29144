"""What is every result like? It says in words what it holds, where it is printed or is the last line of a cell."""

from __future__ import annotations

import unicodedata
from abc import ABC, abstractmethod
from typing import Any

_SPOKEN = ("\n", "\t")
_UNSEEN = {"Cc", "Cf", "Co", "Cs", "Zl", "Zp"}  # of Unicode: controls, formats, line separators
_JOINERS = "\u200c\u200d\u00ad"  # formats that words are written with


class Result(ABC):
    """A part of what was found."""

    @abstractmethod
    def __str__(self) -> str: ...

    def __repr__(self) -> str:
        return str(self)


def plural(count: int, noun: str) -> str:
    """Return a count and what is counted.

    Examples
    --------
    >>> plural(1, "row"), plural(0, "group")
    ('1 row', '0 groups')
    """
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def all_rows(n: int) -> str:
    """Return that all rows were looked at.

    Examples
    --------
    >>> all_rows(150), all_rows(1)
    ('all 150 rows', 'the only row')
    """
    return f"all {n} rows" if n != 1 else "the only row"


def plain(text: Any) -> str:
    r"""Return text in which no character commands a terminal, or turns the order of what is read.

    Examples
    --------
    >>> plain("red \x1b[31m, bell \x07, tab\tand é")
    'red \\x1b[31m, bell \\x07, tab\tand é'
    """
    return "".join(
        mark if _is_spoken(mark) else mark.encode("unicode_escape").decode() for mark in str(text)
    )


def _is_spoken(mark: str) -> bool:
    if mark.isprintable() or mark in _SPOKEN or mark in _JOINERS:
        return True
    return unicodedata.category(mark) not in _UNSEEN
