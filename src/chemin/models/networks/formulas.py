"""What does a formula of logic say, and what are its clauses?

    formula   = side { ("⇔" | "<=>") side }
    side      = either [ ("⇒" | "=>") side ]
    either    = both { ("or" | "|" | "∨" | "xor" | "^" | "⊕") both }
    both      = literal { ("and" | "&" | "∧") literal }
    literal   = ("not" | "~" | "¬") literal | "(" formula ")" | "true" | "false" | name

A conjunctive normal form is an "and" of clauses, each an "or" of variables and of negated variables. It is found by
distribution: there may be exponentially many clauses.

Reference: F. Sur, *Introduction à l'apprentissage automatique*, Mines Nancy, 2022-2023, section 9.1.3.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from difflib import get_close_matches
from functools import reduce
from itertools import groupby, product
from typing import TypeAlias

from chemin.exceptions import InvalidInputError

__all__ = ["Clause", "Formula", "as_formula", "clauses_of"]

Literal: TypeAlias = tuple[str, bool]  # a variable, and whether it stands without "not"
Clause: TypeAlias = frozenset[Literal]
Clauses: TypeAlias = frozenset[Clause]

_TRUE: Clauses = frozenset()
_FALSE: Clauses = frozenset({frozenset()})
_MOST = 5000  # clauses
_MOST_PRODUCTS = 10**6  # of clauses by clauses
_DEEPEST = 60  # parentheses and negations within one another
_SIGNS = {
    "~": "not", "!": "not", "¬": "not", "&": "and", "&&": "and", "∧": "and", "|": "or", "||": "or", "∨": "or",
    "^": "xor", "⊕": "xor", "=>": "implies", "->": "implies", "⇒": "implies", "→": "implies",
    "<=>": "iff", "<->": "iff", "⇔": "iff", "↔": "iff", "(": "(", ")": ")", "1": "true", "0": "false",
}  # fmt: skip
_WORDS = ("not", "and", "or", "xor", "implies", "iff", "true", "false")
_SIGN = "|".join(re.escape(sign) for sign in sorted(_SIGNS, key=len, reverse=True))
_TOKEN = re.compile(rf"\s*(?:(?P<sign>{_SIGN})|(?P<word>[^\W\d]\w*))")


@dataclass(frozen=True)
class Formula:
    """A formula as a tree.

    Attributes
    ----------
    kind : str
        "variable", "true", "false", "not", "and", "or", "xor", "implies" or "iff".
    parts : tuple of Formula
        What is joined or negated.
    name : str
        Of a variable.
    """

    kind: str
    parts: tuple[Formula, ...] = ()
    name: str = ""

    @property
    def variables(self) -> tuple[str, ...]:
        """The variables, in the order in which they are met."""
        if self.kind == "variable":
            return (self.name,)
        return tuple(dict.fromkeys(name for part in self.parts for name in part.variables))

    def holds(self, values: Mapping[str, bool]) -> bool:
        """Return whether it is true for some values of the variables, read off the tree."""
        if self.kind == "variable":
            return bool(values[self.name])
        said = [part.holds(values) for part in self.parts]
        return _MEANINGS[self.kind](said)


_MEANINGS: dict[str, Callable[[list[bool]], bool]] = {
    "true": lambda said: True,
    "false": lambda said: False,
    "not": lambda said: not said[0],
    "and": all,
    "or": any,
    "xor": lambda said: said[0] != said[1],
    "implies": lambda said: not said[0] or said[1],
    "iff": lambda said: said[0] == said[1],
}


def as_formula(text: str, variables: Sequence[str] | None = None) -> Formula:
    """Read a formula; nothing in it is ever executed.

    Parameters
    ----------
    text : str
        Names joined by "and", "or", "xor", "not", "implies", "iff" or their signs.
    variables : sequence of str, optional
        The names that may stand in it; any by default.

    Returns
    -------
    Formula

    Examples
    --------
    >>> as_formula("rain and not (umbrella or car)").variables
    ('rain', 'umbrella', 'car')
    """
    reader = _Reader(_tokens(text), text)
    formula = reader.formula()
    reader.end()
    known = formula.variables if variables is None else tuple(variables)
    for name in formula.variables:
        if name not in known:
            near = get_close_matches(name, known, n=1)
            remedy = f"did you mean {near[0]!r}?" if near else f"known are {', '.join(known)}"
            raise InvalidInputError(f"the formula has an unknown symbol {name!r}: {remedy}")
    return formula


def clauses_of(formula: Formula) -> list[Clause]:
    """Return the clauses of a conjunctive normal form; none for what is always true, an empty one for what never is.

    Examples
    --------
    >>> [sorted(clause) for clause in clauses_of(as_formula("a xor b"))]
    [[('a', True), ('b', True)], [('a', False), ('b', False)]]
    """
    order = {name: position for position, name in enumerate(formula.variables)}

    def place(clause: Clause) -> tuple[int, list[tuple[int, bool]]]:
        return len(clause), sorted((order[name], not plain) for name, plain in clause)

    return sorted(_normal(formula, True), key=place)


def _normal(formula: Formula, plain: bool) -> Clauses:
    """Return the clauses of a formula, or of its negation."""
    if formula.kind == "variable":
        return frozenset({frozenset({(formula.name, plain)})})
    if not formula.parts:
        return _TRUE if (formula.kind == "true") == plain else _FALSE
    if formula.kind == "not":
        return _normal(formula.parts[0], not plain)
    if formula.kind in ("and", "or"):
        join = _both if (formula.kind == "and") == plain else _either
        return reduce(join, [_normal(part, plain) for part in formula.parts])
    first, second = formula.parts
    if formula.kind == "implies":  # a ⇒ b = ¬a ∨ b
        return (_either if plain else _both)(_normal(first, not plain), _normal(second, plain))
    # a ⊕ b = (a ∨ b) ∧ (¬a ∨ ¬b), and a ⇔ b is its negation, (a ∨ ¬b) ∧ (¬a ∨ b).
    alike = (formula.kind == "xor") == plain
    one = _either(_normal(first, True), _normal(second, alike))
    other = _either(_normal(first, False), _normal(second, not alike))
    return _both(one, other)


def _both(first: Clauses, second: Clauses) -> Clauses:
    return _shortest(first | second)


def _either(first: Clauses, second: Clauses) -> Clauses:
    """Distribute "or" over "and"."""
    if len(first) * len(second) > _MOST_PRODUCTS:
        raise _too_many()
    joined = (one | other for one, other in product(first, second))
    # a ∨ ¬a is always true.
    return _shortest(
        frozenset(c for c in joined if not any((name, not plain) in c for name, plain in c))
    )


def _shortest(clauses: Clauses) -> Clauses:
    """Leave out clauses that a shorter one implies: (a) ∧ (a ∨ b) = (a)."""
    kept: list[Clause] = []
    for _, alike in groupby(sorted(clauses, key=len), key=len):
        kept += [clause for clause in alike if not any(shorter <= clause for shorter in kept)]
    if len(kept) > _MOST:
        raise _too_many()
    return frozenset(kept)


def _too_many() -> InvalidInputError:
    return InvalidInputError(
        f"the formula has more than {_MOST} clauses in conjunctive normal form: write it with fewer 'xor' and 'iff', "
        "or as several formulas"
    )


def _tokens(text: str) -> list[tuple[str, str, int]]:
    """Return kinds, words and places of the tokens of a formula."""
    if not isinstance(text, str):
        raise InvalidInputError(f"the formula is {text!r}: pass a text such as 'a and not b'")
    found = []
    place = 0
    end = len(text.rstrip())
    while place < end:
        token = _TOKEN.match(text, place)
        if token is None:
            rest = text[place:].lstrip()
            where = len(text) - len(rest) + 1
            raise InvalidInputError(
                f"the formula has {rest[0]!r} at character {where}, which is no name and no sign: use names and "
                f"{', '.join(_WORDS)}"
            )
        word = token["sign"] or token["word"]
        lower = word.lower()
        kind = _SIGNS[word] if token["sign"] else lower if lower in _WORDS else "variable"
        found.append((kind, word, token.end() - len(word) + 1))
        place = token.end()
    return found


class _Reader:
    """Reads tokens from left to right, one method for each line of the grammar."""

    def __init__(self, tokens: list[tuple[str, str, int]], text: str) -> None:
        self.tokens = tokens
        self.text = text
        self.place = 0
        self.depth = 0

    @property
    def kind(self) -> str:
        return self.tokens[self.place][0] if self.place < len(self.tokens) else "end"

    def formula(self) -> Formula:
        return self._chain(self.side, ("iff",))

    def side(self) -> Formula:
        first = self.either()
        if self.kind != "implies":
            return first
        self.place += 1
        with self._deeper():
            return Formula("implies", (first, self.side()))

    def either(self) -> Formula:
        return self._chain(self.both, ("or", "xor"))

    def both(self) -> Formula:
        return self._chain(self.literal, ("and",))

    def literal(self) -> Formula:
        kind = self.kind
        if kind not in ("not", "(", "true", "false", "variable"):
            raise self._wrong("a name, 'not' or '(' is missing")
        word = self.tokens[self.place][1]
        self.place += 1
        if kind == "variable":
            return Formula("variable", name=word)
        if kind in ("true", "false"):
            return Formula(kind)
        with self._deeper():
            if kind == "not":
                return Formula("not", (self.literal(),))
            inside = self.formula()
        if self.kind != ")":
            raise self._wrong("')' is missing")
        self.place += 1
        return inside

    def end(self) -> None:
        if self.kind != "end":
            raise self._wrong("'and', 'or' or the end was expected")

    def _chain(self, part: Callable[[], Formula], kinds: tuple[str, ...]) -> Formula:
        """Read parts joined by words of one rank, from the left."""
        parts, kind = [part()], ""
        with ExitStack() as nested:
            while self.kind in kinds:
                if kind and (self.kind != kind or kind not in ("and", "or")):
                    nested.enter_context(self._deeper())
                    parts = [Formula(kind, tuple(parts))]
                kind = self.kind
                self.place += 1
                parts.append(part())
        return Formula(kind, tuple(parts)) if kind else parts[0]

    @contextmanager
    def _deeper(self) -> Iterator[None]:
        self.depth += 1
        if self.depth > _DEEPEST:
            raise InvalidInputError(
                f"the formula is nested more than {_DEEPEST} deep: write it flatter"
            )
        yield
        self.depth -= 1

    def _wrong(self, what: str) -> InvalidInputError:
        if self.kind == "end":
            return InvalidInputError(f"{what} at the end of the formula {self.text!r}")
        _, word, place = self.tokens[self.place]
        return InvalidInputError(f"{what} at character {place} of the formula, before {word!r}")
