"""Which day does a text mean? ISO dates, day and month in either order, months by their French or English names."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone

import numpy as np
from numpy.typing import NDArray

_MONTHS = (
    ("january", "jan", "janvier", "janv"),
    ("february", "feb", "février", "fevrier", "févr", "fevr", "fév"),
    ("march", "mar", "mars"),
    ("april", "apr", "avril", "avr"),
    ("may", "mai"),
    ("june", "jun", "juin"),
    ("july", "jul", "juillet", "juil"),
    ("august", "aug", "août", "aout"),
    ("september", "sep", "sept", "septembre"),
    ("october", "oct", "octobre"),
    ("november", "nov", "novembre"),
    ("december", "dec", "décembre", "decembre", "déc"),
)
_MONTH = {name: number for number, names in enumerate(_MONTHS, 1) for name in names}
_CENTURY = 30  # two digits from here on are of the twentieth century
_TIME = (
    r"(?:[T ,]+(?:à )?(?P<hour>\d{1,2})[:hH](?P<minute>\d{2})(?::(?P<second>\d{2})(?:[.,](?P<fraction>\d{1,9}))?)?"
    r"\s*(?P<half>[aApP][mM])?\s*(?P<zone>Z|[+-]\d{2}:?\d{2})?)?"
)
_ISO = re.compile(
    r"(?P<year>\d{4})(?P<mark>[-/.])(?P<month>\d{1,2})(?P=mark)(?P<day>\d{1,2})" + _TIME, re.ASCII
)
_NUMERIC = re.compile(
    r"(?P<first>\d{1,2})(?P<mark>[-/.])(?P<second_part>\d{1,2})(?P=mark)(?P<year>\d{4}|(?<=\d\d.)\d{2})"
    + _TIME,
    re.ASCII,
)
_NAMED = re.compile(
    r"(?:\w+\.?,? )?(?P<day>\d{1,2})(?:er|st|nd|rd|th)?[-/. ]+(?P<name>[^\W\d_]{3,})\.?[-/. ,]+(?P<year>\d{4}|\d{2})"
    + _TIME
)
_NAMED_FIRST = re.compile(
    r"(?P<name>[^\W\d_]{3,})\.? (?P<day>\d{1,2})(?:st|nd|rd|th)?,? (?P<year>\d{4})" + _TIME
)
_PATTERNS = (_ISO, _NUMERIC, _NAMED, _NAMED_FIRST)


@dataclass(frozen=True)
class DateFormat:
    """Which of two small numbers is the day.

    Examples
    --------
    >>> DateFormat(day_first=True).parse("01/03/2024").isoformat()
    '2024-03-01T00:00:00'
    >>> DateFormat(day_first=False).parse("01/03/2024").isoformat()
    '2024-01-03T00:00:00'
    >>> DateFormat().parse("3 févr. 2024").isoformat(), DateFormat().parse("Brest")
    ('2024-02-03T00:00:00', None)
    """

    day_first: bool = True

    def parse(self, text: str) -> datetime | None:
        """Return the moment, in universal time where the text names a zone; None if the text is no date."""
        text = text.strip()
        if not text or not any(character.isdigit() for character in text):
            return None
        for pattern in _PATTERNS:
            found = pattern.fullmatch(text)
            if found:
                return self._moment(found.groupdict())
        return None

    def _moment(self, parts: dict[str, str | None]) -> datetime | None:
        if "first" in parts:
            day, month = int(parts["first"] or 0), int(parts["second_part"] or 0)
            if not self.day_first:
                day, month = month, day
        else:
            day = int(parts["day"] or 0)
            named = parts.get("name")
            month = _MONTH.get(named.casefold(), 0) if named else int(parts["month"] or 0)
        try:
            moment = datetime(_year(parts["year"] or ""), month, day)
            return _at_time(moment, parts)
        except (ValueError, OverflowError):
            return None


def _year(text: str) -> int:
    year = int(text)
    if len(text) == 4:
        return year
    return year + (1900 if year >= _CENTURY else 2000)


def _at_time(day: datetime, parts: dict[str, str | None]) -> datetime:
    """Return the moment of that day; what names a zone is told in universal time."""
    if parts["hour"] is None:
        return day
    hour = int(parts["hour"])
    if parts["half"]:
        hour = hour % 12 + 12 * (parts["half"].lower() == "pm")
    micro = int((parts["fraction"] or "").ljust(6, "0")[:6] or 0)
    moment = day.replace(
        hour=hour,
        minute=int(parts["minute"] or 0),
        second=int(parts["second"] or 0),
        microsecond=micro,
    )
    zone = parts["zone"]
    if zone and zone != "Z":
        sign = -1 if zone[0] == "-" else 1
        shift = timedelta(hours=int(zone[1:3]), minutes=int(zone[-2:]))
        moment = moment.replace(tzinfo=timezone(sign * shift)).astimezone(UTC)
    return moment.replace(tzinfo=None)


def vote_day_first(texts: Iterable[str]) -> tuple[int, int, str]:
    """Return how many texts can only have the day first, how many only the month, and an example of the more frequent.

    Examples
    --------
    >>> vote_day_first(["25/12/2024", "01/02/2024"])
    (1, 0, '25/12/2024')
    """
    days, months = [], []
    for text in texts:
        found = _NUMERIC.fullmatch(text.strip())
        if found:
            first, second = int(found["first"]), int(found["second_part"])
            if first > 12 >= second:
                days.append(text)
            elif second > 12 >= first:
                months.append(text)
    more = days if len(days) >= len(months) else months
    return len(days), len(months), more[0] if more else ""


def is_ambiguous(text: str) -> bool:
    """Return whether day and month of a text may be exchanged."""
    found = _NUMERIC.fullmatch(text.strip())
    return bool(found) and int(found["first"]) <= 12 and int(found["second_part"]) <= 12  # type: ignore[index]


def as_days(moments: Iterable[datetime | None]) -> NDArray[np.datetime64]:
    """Return moments as an array, NaT where there is none.

    Examples
    --------
    >>> as_days([datetime(2024, 3, 1), None])
    array(['2024-03-01T00:00:00.000000',                        'NaT'], dtype='datetime64[us]')
    """
    return np.array(
        [np.datetime64("NaT") if m is None else np.datetime64(m) for m in moments], "M8[us]"
    )
