"""What does a name mean? A column, all the columns made of a variable, or one most like it."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from typing import Any
from unicodedata import normalize

from chemin.exceptions import InvalidInputError
from chemin.kernels.parameters import listed


class Names:
    """The names that may be used, and the columns each one stands for; without columns, every name is itself.

    Parameters
    ----------
    columns : sequence or mapping, optional
        Names of columns, or the names of the columns made of each variable.

    Examples
    --------
    >>> names = Names({"age": ["age"], "site": ["site=Lyon", "site=Nice"]})
    >>> names.columns_of("site"), names.columns_of("site=Nice")
    (('site=Lyon', 'site=Nice'), ('site=Nice',))
    """

    def __init__(self, columns: Iterable[Any] | Mapping[Any, Iterable[Any]] | None = None) -> None:
        if isinstance(columns, str):
            raise InvalidInputError(f"columns is the text {columns!r}: pass a list of names")
        made = columns if isinstance(columns, Mapping) else {name: [name] for name in columns or ()}
        by_variable = {str(variable): _texts(of_it) for variable, of_it in made.items()}
        single = {name: (name,) for of_it in by_variable.values() for name in of_it}
        self._known = single | by_variable
        # é may be one character, or an e and an accent: both are the same name.
        self._composed = {normalize("NFC", name): of_it for name, of_it in self._known.items()}
        self._count = None if columns is None else len(single)

    def columns_of(self, name: str) -> tuple[str, ...]:
        """Return the columns that a name stands for."""
        if self._count is None:
            return (name,)
        found = self._known.get(name) or self._composed.get(normalize("NFC", name))
        if found is None:
            raise InvalidInputError(
                f"there is no column {as_written(name)}: {nearest(name, self._known, 'columns')}"
            )
        return found

    def at(self, position: int) -> tuple[int, ...]:
        """Return a position, which must be one of the columns if these are known."""
        if self._count is not None and position >= self._count:
            raise InvalidInputError(
                f"there is no column {position}: {self._count} columns are counted from 0"
            )
        return (position,)


def nearest(name: str, known: Iterable[str], what: str) -> str:
    """Return which known names are meant, those most alike or the first few; capitals do not count.

    Examples
    --------
    >>> nearest("GAUSIAN", ["linear", "gaussian"], "kernels")
    'did you mean gaussian?'
    >>> nearest("rbf", ["linear", "gaussian"], "kernels")
    'the kernels are linear, gaussian'
    """
    by_letters = {one.casefold(): as_written(one) for one in known}
    close = difflib.get_close_matches(name.casefold(), by_letters)
    if close:
        return f"did you mean {' or '.join(by_letters[one] for one in close)}?"
    return f"the {what} are {listed(list(by_letters.values())) or 'none'}"


def as_written(name: str) -> str:
    """Return a name as the grammar has it, in quotes if it must be.

    Examples
    --------
    >>> as_written("âge"), as_written("mean radius")
    ('âge', '"mean radius"')
    """
    return name if name.isidentifier() else quoted(name)


def quoted(name: str) -> str:
    """Return a name in quotes, those within it doubled."""
    doubled = name.replace('"', '""')
    return f'"{doubled}"'


def _texts(names: str | Iterable[Any]) -> tuple[str, ...]:
    return (names,) if isinstance(names, str) else tuple(str(name) for name in names)
