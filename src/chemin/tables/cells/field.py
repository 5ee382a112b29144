"""How is a column to be read? Its type, and the formats of its numbers and dates: learned once, then applied.

number      a quantity                     ordered     words with an order
category    words that repeat              date        a day or a moment
text        sentences                      identifier  what a row is called
constant    one value throughout, or none
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chemin.dictionaries.base import Floats
from chemin.exceptions import InvalidInputError
from chemin.tables.cells.dates import DateFormat, as_days, is_ambiguous, vote_day_first
from chemin.tables.cells.numbers import (
    Evidence,
    NumberFormat,
    decide_format,
    gather_evidence,
    given_format,
    parse_all,
    plain,
)
from chemin.tables.cells.scales import order_of
from chemin.tables.cells.texts import (
    CODES_AMONG_NUMBERS,
    EXACT,
    MISSING_CODES,
    Texts,
    as_floats,
    as_texts,
)
from chemin.validation import simplified

TYPES = ("number", "category", "ordered", "date", "text", "identifier", "constant")
UNNAMED = (
    "column {}"  # what a column without a name is called; the first is often that of the row names
)
_READABLE = 0.95  # share of cells that must be numbers or dates for a column to be one of these
_MANY = 20  # rows from which on values that never repeat name the rows
_WORDS = 3.0  # words in a cell, on average, from which on it is a sentence
_OFTEN_NEW = (
    0.3  # share of cells with a text of their own, from which on sentences are not categories
)
_NEARLY_ALL = 0.9  # share of cells with a text of their own that a column called "id" needs
_LEADING_ZERO = re.compile(r"0\d+")
_ID_WORDS = frozenset(
    (
        "id", "ids", "identifiant", "identifier", "uuid", "guid", "ipp", "nip", "nir", "ssn", "matricule",
        "numero", "index", "idx", "key", "cle", "clef", "ref", "reference", "dossier", "patient",
        "subject", "sujet", "record", "row", "ligne", "rowid", "unnamed",
    )
)  # fmt: skip


@dataclass(frozen=True)
class Habits:
    """What the columns of one source share.

    Attributes
    ----------
    decimal, day_first
        What a column that does not say so itself is read with.
    thousands : str or None
        Marks of thousands; None is all that the decimal mark leaves.
    missing, among_numbers : tuple of str
        Codes of missing cells, and further ones where all others are numbers or dates.
    fixed_decimal, fixed_day_first : bool
        Whether these were given by the user, so that columns do not decide for themselves.
    """

    decimal: str = "."
    thousands: str | None = None
    day_first: bool = True
    missing: tuple[str, ...] = MISSING_CODES
    among_numbers: tuple[str, ...] = CODES_AMONG_NUMBERS
    fixed_decimal: bool = False
    fixed_day_first: bool = False


@dataclass(frozen=True)
class Field:
    """One column: its name and type, and how its cells are read.

    Attributes
    ----------
    name, type : str
        The type is one of number, category, ordered, date, text, identifier, constant.
    missing, among_numbers : tuple of str
        Codes that are read as missing, and further ones where all others are numbers or dates.
    number, date : NumberFormat, DateFormat
        How texts become numbers or dates.
    levels : tuple of str
        The words of an ordered column, in their order.
    why : str
        What the type was decided by.
    """

    name: str
    type: str
    missing: tuple[str, ...] = field(default=MISSING_CODES, repr=False)
    among_numbers: tuple[str, ...] = field(default=CODES_AMONG_NUMBERS, repr=False)
    number: NumberFormat = field(default_factory=NumberFormat)
    date: DateFormat = field(default_factory=DateFormat)
    levels: tuple[str, ...] = ()
    why: str = field(default="", repr=False)

    def read(self, cells: NDArray[Any]) -> Column:
        """Return cells as values of this type; what cannot be read is missing, and counted."""
        if self.type == "number":
            return self._read_numbers(cells)
        if self.type == "date":
            return self._read_dates(cells)
        texts = _texts(cells, self.missing, self.name)
        words = np.array(texts.unique, dtype=object)
        strange: dict[str, int] = {}
        if self.type == "ordered":
            known = np.isin(words, self.levels) if len(words) else np.zeros(0, dtype=bool)
            strange = _counted(texts, ~known)
            words[~known] = None
        return Column(self, texts.spread(words, None, object), texts.codes, strange)

    def _read_numbers(self, cells: NDArray[Any]) -> Column:
        numbers = as_floats(cells, booleans=True)
        if numbers is not None:
            coded = np.isin(numbers, [*map(float, filter(_is_plain_number, self.missing))])
            codes = {"code": int(coded.sum())} if coded.any() else {}
            return Column(self, np.where(coded, np.nan, numbers), codes)
        texts = _texts(cells, self.missing, self.name).without(self.among_numbers)
        values = parse_all(texts.unique, self.number)
        return Column(
            self,
            texts.spread(values, np.nan, float),
            texts.codes,
            _counted(texts, np.isnan(values)),
        )

    def _read_dates(self, cells: NDArray[Any]) -> Column:
        if cells.dtype.kind == "M":
            return Column(self, cells.astype("M8[us]"))
        texts = _texts(cells, self.missing, self.name).without(self.among_numbers)
        values = as_days(self.date.parse(text) for text in texts.unique)
        lost = _counted(texts, np.isnat(values))
        return Column(self, texts.spread(values, np.datetime64("NaT"), "M8[us]"), texts.codes, lost)


@dataclass(frozen=True, eq=False)
class Column:
    """The values of one column.

    Attributes
    ----------
    field : Field
        What they are.
    values : ndarray
        float64 with NaN, datetime64 with NaT, or texts with None.
    codes : dict
        Missing codes met, and how often.
    strange : dict
        Texts that could not be read and are missing now, and how often.
    """

    field: Field
    values: NDArray[Any]
    codes: Mapping[str, int] = dataclasses.field(default_factory=dict)
    strange: Mapping[str, int] = dataclasses.field(default_factory=dict)

    @property
    def name(self) -> str:
        """The name of the column."""
        return self.field.name

    @property
    def absent(self) -> NDArray[np.bool_]:
        """Which values are missing."""
        if self.values.dtype.kind == "O":
            return np.array([value is None for value in self.values.tolist()], dtype=bool)
        return np.asarray(
            np.isnat(self.values) if self.values.dtype.kind == "M" else np.isnan(self.values)
        )

    def take(self, rows: NDArray[Any]) -> Column:
        """Return the values of some rows."""
        return replace(self, values=self.values[rows])


def learn_field(
    name: str, cells: NDArray[Any], habits: Habits, type: Any = None, categorical: bool = False
) -> Field:
    """Return how a column is to be read.

    ``type`` is what the user says it is: one of `TYPES`, or its values from low to high. ``categorical`` tells that
    its source calls it a category.

    Examples
    --------
    >>> learn_field("taille", np.array(["1,65", "1,8", "NA"], dtype=object), Habits())
    Field(name='taille', type='number', number=NumberFormat(decimal=',', thousands=" '"), ...)
    """
    made = Field(name, "constant", habits.missing, habits.among_numbers)
    if isinstance(type, str) and type not in TYPES:
        raise InvalidInputError(
            f"the type of column {name!r} is {type!r}: pass one of {', '.join(TYPES)}, or the list of ordered values"
        )
    if isinstance(type, Sequence) and not isinstance(type, str):
        return replace(made, type="ordered", levels=tuple(map(str, type)), why="given")
    if cells.dtype.kind == "M" and type in (None, "date"):
        several = len(np.unique(cells[~np.isnat(cells)])) > 1
        return replace(made, type="date", why="dates in the source") if several else made
    if categorical and type is None:
        texts = _texts(cells, habits.missing, name)
        return _constant(texts, made) or replace(
            made, type="category", why="categories in the source"
        )
    numbers = as_floats(cells, booleans=type == "number")
    if numbers is not None and type in (None, "number"):
        return _field_of_numbers(made, numbers, type)
    texts = _texts(cells, habits.missing, name)
    if type is not None:
        return _given(made, texts, habits, type)
    return _decide(made, texts, habits)


def _field_of_numbers(made: Field, numbers: Floats, type: Any) -> Field:
    known = numbers[~np.isnan(numbers)]
    distinct = np.unique(known)
    if type == "number":
        return replace(made, type="number", why="given")
    if len(distinct) < 2:
        return replace(made, why=f"{len(distinct)} different values")
    whole = bool(np.all(known == np.round(known)))
    if whole and len(distinct) == len(known):
        named = _is_called_id(made.name)
        counted = distinct[0] in (0.0, 1.0) and distinct[-1] - distinct[0] == len(distinct) - 1
        if named or (counted and len(known) >= _MANY):
            why = "whole numbers that never repeat" + (
                ", and its name" if named else " and count the rows"
            )
            return replace(made, type="identifier", why=why)
    return replace(made, type="number", why="numbers")


def _decide(made: Field, texts: Texts, habits: Habits) -> Field:
    """Return the first type that fits the texts of a column."""
    for fits in (_constant, _numbers(habits), _dates(habits), _identifier, _ordered, _sentences):
        found = fits(texts, made)
        if found is not None:
            return found
    repeats = f"{len(texts.unique)} different texts in {int((texts.place >= 0).sum())} cells"
    return replace(made, type="category", why=repeats)


def _given(made: Field, texts: Texts, habits: Habits, type: str) -> Field:
    """Return a field of the type that the user says, if any cell can be read as that."""
    if type in ("number", "date"):
        texts = texts.without(habits.among_numbers)
        found = replace(
            made,
            type=type,
            number=_number_format(texts, habits),
            date=_date_format(texts, habits),
            why="given",
        )
        parse: Callable[[str], Any] = found.number.parse if type == "number" else found.date.parse
        if not texts.unique:
            return replace(made, why="every cell is missing")
        if all(parse(text) is None for text in texts.unique):
            raise InvalidInputError(
                f"column {made.name!r} is to be a {type}, and no cell of it can be read as one ({texts.unique[0]!r}): "
                "leave it out of types=, or pass another type"
            )
        return found
    if type == "ordered":
        levels = order_of(texts.unique)
        if levels is None:
            raise InvalidInputError(
                f"column {made.name!r} is to be ordered, and its order is not known: pass its values from low to high, "
                f"types={{{made.name!r}: {sorted(texts.unique)[:6]!r}}}"
            )
        return replace(made, type=type, levels=levels, why="given")
    return replace(made, type=type, why="given")


def _constant(texts: Texts, made: Field) -> Field | None:
    if len(texts.unique) > 1:
        return None
    return replace(
        made, why="every cell is missing" if not texts.unique else f"{texts.unique[0]!r} throughout"
    )


def _numbers(habits: Habits) -> Callable[[Texts, Field], Field | None]:
    def fits(texts: Texts, made: Field) -> Field | None:
        texts = texts.without(habits.among_numbers)
        if len(texts.unique) < 2 or any(_is_code(text) for text in texts.unique):
            return None
        form = _number_format(texts, habits)
        values = parse_all(texts.unique, form)
        readable = _share(texts, ~np.isnan(values))
        if readable < _READABLE:
            return None
        found = replace(made, number=form)
        read = texts.spread(values, np.nan, float)
        found = replace(_field_of_numbers(found, read, None), number=form)
        return replace(found, why=f"{found.why}: {readable:.0%} of the cells can be read")

    return fits


def _dates(habits: Habits) -> Callable[[Texts, Field], Field | None]:
    def fits(texts: Texts, made: Field) -> Field | None:
        texts = texts.without(habits.among_numbers)
        form = _date_format(texts, habits)
        readable = _share(texts, np.array([form.parse(text) is not None for text in texts.unique]))
        if readable < _READABLE:
            return None
        return replace(made, type="date", date=form, why=f"{readable:.0%} of the cells are dates")

    return fits


def _identifier(texts: Texts, made: Field) -> Field | None:
    cells = int((texts.place >= 0).sum())
    share = len(texts.unique) / max(cells, 1)
    tokens = all(" " not in text for text in texts.unique)
    if _is_called_id(made.name) and share >= _NEARLY_ALL:
        return replace(
            made, type="identifier", why=f"its name, and {share:.0%} of the cells are different"
        )
    if share == 1.0 and tokens and cells >= _MANY:
        return replace(made, type="identifier", why="single words that never repeat")
    return None


def _ordered(texts: Texts, made: Field) -> Field | None:
    levels = order_of(texts.unique)
    if levels is None:
        return None
    return replace(made, type="ordered", levels=levels, why=" < ".join(levels))


def _sentences(texts: Texts, made: Field) -> Field | None:
    counts = texts.counts
    words = np.array([len(text.split()) for text in texts.unique])
    mean = float((words * counts).sum() / counts.sum())
    share = len(texts.unique) / counts.sum()
    if mean < _WORDS or share < _OFTEN_NEW:
        return None
    return replace(
        made, type="text", why=f"{mean:.1f} words in a cell, {share:.0%} of the cells are different"
    )


def _number_format(texts: Texts, habits: Habits) -> NumberFormat:
    if habits.fixed_decimal:
        return given_format(habits.decimal, habits.thousands)
    return decide_format(gather_evidence(texts.unique), habits.decimal, habits.thousands)


def _date_format(texts: Texts, habits: Habits) -> DateFormat:
    if habits.fixed_day_first:
        return DateFormat(habits.day_first)
    days, months, _ = vote_day_first(texts.unique)
    return DateFormat(habits.day_first if days == months else days > months)


def decimal_evidence(cells: NDArray[Any], missing: Sequence[str]) -> Evidence:
    """Return what the texts of a column say of the decimal mark; nothing if they are not numbers."""
    if cells.dtype.kind != "O" or as_floats(cells) is not None:
        return Evidence()
    texts = as_texts(cells, missing).without(CODES_AMONG_NUMBERS)
    evidence = gather_evidence(texts.unique)
    if not texts.unique or any(DateFormat().parse(text) for text in texts.unique[:50]):
        return Evidence()
    form = decide_format(evidence, ".")
    fits = [form.parse(text) is not None for text in texts.unique]
    return evidence if _share(texts, np.array(fits)) >= _READABLE else Evidence()


def date_evidence(cells: NDArray[Any], missing: Sequence[str]) -> tuple[int, int, int, str]:
    """Return how many texts have the day first, the month first, or may have either; and an example."""
    if cells.dtype.kind != "O" or as_floats(cells) is not None:
        return 0, 0, 0, ""
    texts = as_texts(cells, missing).unique
    days, months, example = vote_day_first(texts)
    unclear = [text for text in texts if is_ambiguous(text)]
    return days, months, len(unclear), example or (unclear[0] if unclear else "")


def _texts(cells: NDArray[Any], missing: Sequence[str], name: str) -> Texts:
    try:
        return as_texts(cells.tolist() if cells.dtype.kind != "M" else cells.astype(str), missing)
    except TypeError as error:
        raise InvalidInputError(
            f"column {name!r} holds lists or other objects ({error}): make columns of them, or leave it out"
        ) from error


def _share(texts: Texts, which: NDArray[np.bool_]) -> float:
    """Return the share of the cells, missing ones apart, whose text is among some."""
    counts = texts.counts
    return float(counts[which].sum() / counts.sum()) if counts.sum() else 0.0


def _counted(texts: Texts, which: NDArray[np.bool_]) -> dict[str, int]:
    counts = texts.counts
    return {texts.unique[k]: int(counts[k]) for k in np.flatnonzero(which)}


def _is_called_id(name: str) -> bool:
    words = re.split(r"[^a-z0-9]+", simplified(re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name)))
    return not _ID_WORDS.isdisjoint(words) or name.strip() in ("n°", "N°", "#", UNNAMED.format(1))


def _is_code(text: str) -> bool:
    """Return whether digits are a name rather than a number: "007", or more of them than a float can hold."""
    if _LEADING_ZERO.fullmatch(text):
        return True
    return len(text) > 15 and text.isdecimal() and int(text) > EXACT


def _is_plain_number(code: str) -> bool:
    try:
        return bool(np.isfinite(float(plain(code))))
    except ValueError:
        return False
