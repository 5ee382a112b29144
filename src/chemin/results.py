"""What is every result like? It says in words what it holds, where it is printed or is the last line of a cell."""

from __future__ import annotations

from abc import ABC, abstractmethod


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
