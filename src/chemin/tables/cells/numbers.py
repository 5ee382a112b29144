"""Which number does a text mean? "1 234,5", "1,234.5", "12 %" and "−3e-2", once the decimal mark is known.

A single mark before exactly three digits may group thousands or be the decimal mark. Everything else is certain:

    1,65   0,125   1234,5      the comma is the decimal mark
    1,234,567   1.234,5        the first mark groups thousands
    1,234                      either
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from chemin.dictionaries.base import Floats

_SPACES = dict.fromkeys(map(ord, "\u00a0\u202f\u2009\u2007\u2002\u2003\u3000"), " ")
_CHARACTERS = str.maketrans(_SPACES | {0x2212: "-", 0x2019: "'"})  # a true minus, a curled quote
_UNITS = "%‰€$£"  # signs that may stand before or after a number; the number is kept as written
_EXPONENT = r"(?:[eE][+-]?\d{1,3})?"
_INFINITE = re.compile(r"[+-]?(?:inf|infinity|∞)", re.IGNORECASE)
_MARKS = {".": ",", ",": "."}


@dataclass(frozen=True)
class NumberFormat:
    """How numbers are written.

    Attributes
    ----------
    decimal : {".", ",", "either"}
        The decimal mark; "either" where a column has both, each without thousands.
    thousands : str
        Marks that may stand between groups of three digits.

    Examples
    --------
    >>> french = NumberFormat(",", " ")
    >>> french.parse("1 234,5"), french.parse("12 %"), french.parse("1.5")
    (1234.5, 12.0, None)
    """

    decimal: str = "."
    thousands: str = " '"

    def parse(self, text: str) -> float | None:
        """Return the number, or None if the text is none."""
        text = plain(text)
        if self._pattern.fullmatch(text):
            for mark in self.thousands:
                text = text.replace(mark, "")
            return float(text.replace(",", "."))
        if _INFINITE.fullmatch(text):
            return float("-inf") if text.startswith("-") else float("inf")
        return None

    @property
    def _pattern(self) -> re.Pattern[str]:
        return _pattern(self.decimal, self.thousands)


_KNOWN: dict[tuple[str, str], re.Pattern[str]] = {}


def _pattern(decimal: str, thousands: str) -> re.Pattern[str]:
    """Return the grammar of one format: whole numbers, grouped or not, decimals, an exponent."""
    key = (decimal, thousands)
    if key not in _KNOWN:
        mark = "[.,]" if decimal == "either" else re.escape(decimal)
        whole = r"\d+"
        if thousands:
            group = f"[{re.escape(thousands)}]"
            whole = rf"(?:\d{{1,3}}(?:{group}\d{{3}})+|\d+)"
        _KNOWN[key] = re.compile(rf"[+-]?(?:{whole}(?:{mark}\d*)?|{mark}\d+){_EXPONENT}", re.ASCII)
    return _KNOWN[key]


def plain(text: str) -> str:
    """Return a text with ordinary spaces and signs, without what surrounds its number.

    Examples
    --------
    >>> plain(" −1\u202f234,5\u00a0€ ")
    '-1 234,5'
    """
    return text.translate(_CHARACTERS).strip().strip(_UNITS).strip()


@dataclass(frozen=True)
class Evidence:
    """What the cells of a column say about the marks in them, as counts and first examples."""

    commas: int = 0  # cells in which the comma is certainly the decimal mark
    dots: int = 0
    grouping_commas: int = 0  # cells in which it certainly groups thousands
    grouping_dots: int = 0
    open_commas: int = 0  # cells in which it may be either
    open_dots: int = 0
    both: int = 0  # cells with a mark of either kind, the last one the decimal mark
    example: str = ""

    @property
    def decimal(self) -> str | None:
        """The decimal mark that the certain cells ask for; None if there are none."""
        if self.commas and self.dots:
            return "either"
        if self.commas or self.grouping_dots:
            return ","
        return "." if self.dots or self.grouping_commas else None


_BOTH = re.compile(r"[+-]?\d{1,3}(?:([.,])\d{3})*([.,])\d*" + _EXPONENT)
_ONE = re.compile(r"[+-]?(\d*)([.,])(\d*)" + _EXPONENT)
_GROUPS = re.compile(r"[+-]?\d{1,3}(?:([.,])\d{3})(?:\1\d{3})+")


def gather_evidence(texts: Iterable[str]) -> Evidence:
    """Return what some texts say about the decimal mark.

    Examples
    --------
    >>> gather_evidence(["1,65", "1,234"]).decimal, gather_evidence(["1,234"]).decimal
    (',', None)
    """
    counts = dict.fromkeys(("decimal,", "decimal.", "group,", "group.", "open,", "open."), 0)
    both = 0
    example = ""
    for text in texts:
        bare = plain(text).replace(" ", "").replace("'", "")
        said = _say(bare)
        both += said is not None and "." in bare and "," in bare
        if said is not None:
            counts[said] += 1
            if not example and not said.startswith("open"):
                example = text
    return Evidence(
        counts["decimal,"],
        counts["decimal."],
        counts["group,"],
        counts["group."],
        counts["open,"],
        counts["open."],
        both,
        example,
    )


def _say(text: str) -> str | None:
    """Return what one text says: its decimal mark, its mark of thousands, or a mark that may be either."""
    groups = _GROUPS.fullmatch(text)
    if groups:
        return f"group{groups[1]}"
    one = _ONE.fullmatch(text)
    if one:
        whole, mark, rest = one.groups()
        either = (
            len(rest) == 3 and 1 <= len(whole) <= 3 and whole != "0" and "e" not in text.lower()
        )
        return f"open{mark}" if either else f"decimal{mark}"
    both = _BOTH.fullmatch(text)
    if both and both[1] and both[1] != both[2]:
        return f"decimal{both[2]}"
    return None


def decide_format(evidence: Evidence, fallback: str, thousands: str | None = None) -> NumberFormat:
    """Return the format of a column: by its own certain cells, else by the file's decimal mark.

    Examples
    --------
    >>> decide_format(gather_evidence(["1.234.567", "12,5"]), fallback=".")
    NumberFormat(decimal=',', thousands=" '.")
    """
    decimal = evidence.decimal or fallback
    if thousands is not None:
        return NumberFormat(decimal, thousands)
    if decimal == "either":
        return NumberFormat(decimal)
    seen = {
        ".": evidence.grouping_commas + evidence.open_commas,
        ",": evidence.grouping_dots + evidence.open_dots,
    }
    return NumberFormat(decimal, " '" + _MARKS[decimal] * bool(seen[decimal] or evidence.both))


def given_format(decimal: str, thousands: str | None = None) -> NumberFormat:
    """Return the format of a decimal mark that is known, so that the other one can only group thousands."""
    if thousands is None:
        thousands = " '" + _MARKS.get(decimal, "")
    return NumberFormat(decimal, thousands)


def parse_all(texts: Iterable[str], format: NumberFormat) -> Floats:
    """Return the numbers that texts mean, NaN where there is none.

    Examples
    --------
    >>> parse_all(["1,5", "x"], NumberFormat(",")).tolist()
    [1.5, nan]
    """
    found = (format.parse(text) for text in texts)
    return np.array([np.nan if number is None else number for number in found], dtype=float)
