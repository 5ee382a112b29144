"""What is every result like? It says in words what it holds, where it is printed or is the last line of a cell."""

from __future__ import annotations

import math
import unicodedata
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

_LONGEST = 1e8  # the least number that is shorter with an exponent
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


def figures(value: float, form: str = ".4g") -> str:
    """Return a number in few figures, without an exponent where a reader would rather see the number.

    Examples
    --------
    >>> figures(10360.4), figures(-250000.0, "+.3g"), figures(0.0123456), figures(3e9)
    ('10360', '-250000', '0.01235', '3e+09')
    """
    if "e+" in format(value, form) and abs(value) < _LONGEST:
        form = form.partition(".")[0] + ".0f"
    return format(value, form)


def aligned(values: Sequence[float], digits: int = 4) -> list[str]:
    """Return numbers with the decimals that the largest has in so many figures, to stand below one another.

    Examples
    --------
    >>> aligned([53.44, 54.9, 7.123]), aligned([0.02, 0.6667]), aligned([1895.3, 12])
    (['53.44', '54.90', '7.12'], ['0.0200', '0.6667'], ['1895', '12'])
    """
    most = max((abs(value) for value in values if math.isfinite(value)), default=0.0)
    decimals = max(digits - 1 - math.floor(math.log10(most)), 0) if most else 0
    return [f"{value:.{decimals}f}" for value in values]


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
