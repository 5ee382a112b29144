"""What are the words of a text of kernels? Names, quoted names, numbers and signs, each with its place."""

from __future__ import annotations

import re
from typing import NamedTuple

from chemin.exceptions import InvalidInputError
from chemin.kernels.grammar.limits import LONGEST_NUMBER, LONGEST_TEXT
from chemin.kernels.grammar.refusals import refusal

_SIGNS = "+-*^.,=()"
_QUOTES = "\"'"
# 2, 2.5, 2., .5 and 1e-3; in 2.on the point belongs to what follows.
_NUMBER = re.compile(r"(?:[0-9]+(?:\.(?![^\W\d])[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")
_COMMA_DECIMAL = re.compile(r",[0-9]+")
_REMEDIES = {
    "/": "multiply by a factor in front instead: 0.5 * linear",
    ";": "kernels are separated by commas",
    "[": "lists have no brackets: .on(age, weight), or gaussian(width=(1, 8)) with a width per axis",
    **dict.fromkeys("“”„«»‘’`", "quotes are straight: \"mean radius\" or 'mean radius'"),
    **dict.fromkeys("×·⋅", "write * to multiply"),
    **dict.fromkeys("−–—", "write - for minus"),
    "∞": "write inf",
}


class Token(NamedTuple):
    """A word of a text.

    Its kind is "name", "quoted", "number", "end", or for a sign the sign itself.
    """

    kind: str
    value: str
    place: int

    def __str__(self) -> str:
        return "the end" if self.kind == "end" else repr(self.value)


def read_tokens(text: str) -> list[Token]:
    """Return the words of a text, and its end.

    Examples
    --------
    >>> [token.value for token in read_tokens("2 * linear.on(âge, 'l''heure')")]
    ['2', '*', 'linear', '.', 'on', '(', 'âge', ',', "l'heure", ')', '']
    """
    if len(text) > LONGEST_TEXT:
        raise InvalidInputError(
            f"the text of the kernels has {len(text)} characters: write at most {LONGEST_TEXT}, with "
            "families for many kernels"
        )
    tokens = []
    place = 0
    while place < len(text):
        character = text[place]
        number = _NUMBER.match(text, place)
        if character.isspace():
            place += 1
            continue
        if number:
            token, end = Token("number", number[0], place), number.end()
            _check_number(token, text, end)
        elif character.isidentifier():
            end = _end_of_name(text, place)
            token = Token("name", text[place:end], place)
        elif character in _QUOTES:
            end = _end_of_quote(text, place)
            inside = text[place + 1 : end - 1].replace(2 * character, character)
            token = Token("quoted", inside, place)
        elif character in _SIGNS:
            end = place + (2 if text.startswith("**", place) else 1)
            token = Token("^" if end == place + 2 else character, text[place:end], place)
        else:
            usual = "names with signs in them are written in quotes"
            remedy = _REMEDIES.get(character, usual if character.isprintable() else "remove it")
            raise refusal(f"{character!r} has no meaning here: {remedy}", text, place)
        tokens.append(token)
        place = end
    return [*tokens, Token("end", "", len(text))]


def _check_number(token: Token, text: str, end: int) -> None:
    comma = _COMMA_DECIMAL.match(text, end)
    if len(token.value) > LONGEST_NUMBER:
        raise refusal(
            f"a number has {len(token.value)} characters: write at most {LONGEST_NUMBER}",
            text,
            token.place,
        )
    if comma:
        second = comma[0][1:]
        raise refusal(
            "a comma right between two digits may be a decimal mark: write "
            f"{token.value}.{second} for one number, or {token.value}, {second} for two",
            text,
            end,
        )


def _end_of_name(text: str, place: int) -> int:
    end = place
    while end < len(text) and f"_{text[end]}".isidentifier():
        end += 1
    return end


def _end_of_quote(text: str, place: int) -> int:
    """Return the place behind the closing quote; two quotes in a row stand for one within."""
    quote = text[place]
    end = text.find(quote, place + 1)
    while end != -1 and text.startswith(quote, end + 1):
        end = text.find(quote, end + 2)
    if end == -1:
        raise refusal(
            f"this quote is never closed: end the name with {quote}, and double a {quote} within it",
            text,
            place,
        )
    return end + 1
