"""What is a column of numbers to the user? A variable of his own, and what of it: its value, a category, a word."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from chemin.results import figures

_FIRST_DAY = datetime(1970, 1, 1)


@dataclass(frozen=True)
class Origin:
    """Where a column comes from, and the way back to the user's units.

    Attributes
    ----------
    variable : str
        The user's variable; where several are mixed, the name of the column itself.
    detail : str
        What of it the column tells: "" for its value, a category, a word, a part of a date.
    kind : {"value", "level", "missing", "word", "mixed"}
        Its value; 1 where it is a category, missing, or holds a word; or something made of several variables.
    center, scale : float, float or None
        value = center + scale × column; scale is None where there is no such way back.
    levels : tuple of str
        The words that the values 0, 1, … of an ordered variable stand for.
    epoch : float or None
        The day from which the days of a date are counted, itself counted from 1970-01-01.

    Examples
    --------
    >>> Origin("sexe", "F", "level").name, Origin("âge", center=58.0, scale=11.0).value(-1.0)
    ('sexe = F', 47.0)
    """

    variable: str
    detail: str = ""
    kind: str = "value"
    center: float = 0.0
    scale: float | None = 1.0
    levels: tuple[str, ...] = ()
    epoch: float | None = None

    @property
    def name(self) -> str:
        """What the column is called."""
        if self.kind == "level":
            return f"{self.variable} = {self.detail}"
        if self.kind == "missing":
            return f"{self.variable} missing"
        if self.kind == "word":
            return f"{self.variable}: {self.detail!r}"
        return self.detail or self.variable

    @property
    def is_number(self) -> bool:
        """Whether its values are numbers to the user, too."""
        return (
            self.kind == "value"
            and self.scale is not None
            and not self.levels
            and self.epoch is None
        )

    def value(self, column: float) -> float | None:
        """Return what a value of the column is in the user's units, None where that is not known."""
        return None if self.scale is None else self.center + self.scale * column

    def told(self, column: float) -> str:
        """Return the same in words.

        Examples
        --------
        >>> Origin("stade", levels=("I", "II", "III")).told(1.2)
        'II'
        >>> Origin("entrée", epoch=19723.0, scale=10.0).told(0.5)
        '2024-01-06'
        """
        value = self.value(column)
        if value is None:
            return ""
        if self.levels:
            return self.levels[min(max(round(value), 0), len(self.levels) - 1)]
        if self.epoch is not None:
            return f"{_FIRST_DAY + timedelta(days=self.epoch + value):%Y-%m-%d}"
        return figures(value)
