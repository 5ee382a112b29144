"""How does one say what is wrong in a text, and where? The remedy, the text, and a caret under the place."""

from __future__ import annotations

import unicodedata

from chemin.exceptions import InvalidInputError

_BEFORE = 50  # characters of the text that are shown before the place
_AFTER = 25  # and behind it
_LONGEST_MESSAGE = 400  # characters


def refusal(message: str, text: str, place: int) -> InvalidInputError:
    """Return the error that shows a place of a text.

    Examples
    --------
    >>> print(refusal("expected ')'", "gaussian(1", 10))
    expected ')'
      gaussian(1
                ^
    """
    start = max(place - _BEFORE, 0)
    end = max(place, _BEFORE) + _AFTER
    before = "…" * (start > 0) + shown(text[start:place])
    after = shown(text[place:end]) + "…" * (end < len(text))
    caret = " " * sum(map(_cells, before)) + "^"
    return InvalidInputError(f"{clipped(shown(message))}\n  {before}{after}\n  {caret}")


def shown(text: str) -> str:
    r"""Return a text whose characters that cannot be seen are escaped.

    Examples
    --------
    >>> print(shown("âge\n"))
    âge\n
    """
    return "".join(
        character if character.isprintable() else repr(character)[1:-1] for character in text
    )


def clipped(message: str) -> str:
    """Return the beginning of a message that is too long to be read."""
    return message if len(message) <= _LONGEST_MESSAGE else f"{message[: _LONGEST_MESSAGE - 1]}…"


def _cells(character: str) -> int:
    """Return how many cells of a terminal a character takes."""
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
