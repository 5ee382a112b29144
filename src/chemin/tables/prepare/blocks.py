"""How do values become columns? Measures are filled and scaled, categories and words become columns of 0 and 1.

What is not known (a missing cell, a category never seen) is put where it says nothing: at the median of a measure, and
at the mean of columns of 0 and 1. Whether something is missing may have a column of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.feature_selection import f_classif, f_regression
from sklearn.impute import SimpleImputer
from sklearn.preprocessing import StandardScaler
from sklearn.utils.multiclass import type_of_target

from chemin.dictionaries.base import Floats, Indices
from chemin.exceptions import InvalidInputError
from chemin.tables.cells.field import Column
from chemin.tables.cells.texts import is_missing
from chemin.tables.prepare.origins import Origin

OTHER = "other"  # what rare categories are called together
_TELLING = 0.05  # largest p-value of an indicator that tells something of the target
_FEW = 5  # cells that must be missing for that to be told
_FIRST_DAY = np.datetime64("1970-01-01", "us")
_DAY = np.timedelta64(86_400_000_000, "us")
_WORD = r"(?u)\b[^\W\d_]{3,}\b"
_FUNCTION_WORDS = (  # which say little by themselves; negations do
    "les", "des", "une", "aux", "dans", "par", "sur", "pour", "avec", "depuis", "son", "ses", "est", "qui", "que",
    "the", "and", "for", "with", "from", "are", "was", "has", "had", "this", "that", "his", "her", "its",
)  # fmt: skip
_TOO_COMMON = 0.8  # share of the texts beyond which a word tells nothing
_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
TOGETHER = "together"
DATE_PARTS = ("elapsed", "year", "month", "weekday", "hour")


class Measures:
    """Numbers, ordered words and dates: one column each, missing values at the median, in units of their spread."""

    def __init__(self, scale: bool | str) -> None:
        self.scale = scale

    def fit(self, columns: Sequence[Column]) -> Measures:
        self.epochs_ = [_epoch(column) for column in columns]
        values = self._values(columns)
        self.imputer_ = SimpleImputer(strategy="median", keep_empty_features=True).fit(values)
        is_each = self.scale not in (False, TOGETHER)
        self.scaler_ = StandardScaler(with_mean=is_each, with_std=bool(self.scale))
        self.scaler_.fit(self.imputer_.transform(values))
        width = values.shape[1]
        if self.scale == TOGETHER:
            self.scaler_.scale_ = np.full(width, np.sqrt(np.mean(self.scaler_.var_)) or 1.0)
        center = self.scaler_.mean_ if is_each else np.zeros(width)
        scale = self.scaler_.scale_ if self.scale else np.ones(width)
        made = zip(columns, center.tolist(), scale.tolist(), self.epochs_, strict=True)
        self.origins_ = [
            Origin(column.name, "", "value", mean, spread, column.field.levels, epoch)
            for column, mean, spread, epoch in made
        ]
        return self

    def transform(self, columns: Sequence[Column]) -> Floats:
        return np.asarray(self.scaler_.transform(self.imputer_.transform(self._values(columns))))

    def _values(self, columns: Sequence[Column]) -> Floats:
        values = [
            _measured(column, epoch) for column, epoch in zip(columns, self.epochs_, strict=True)
        ]
        return np.column_stack(values)


def _epoch(column: Column) -> float | None:
    """Return the first day of a date, counted from 1970-01-01."""
    if column.field.type != "date":
        return None
    known = column.values[~column.absent]
    return float(np.floor((known.min() - _FIRST_DAY) / _DAY))


def _measured(column: Column, epoch: float | None) -> Floats:
    """Return the values of a column as numbers: places among levels, days since the first date."""
    values = column.values
    if epoch is not None:
        days = (values - _FIRST_DAY) / _DAY - epoch
        return np.where(np.isnat(values), np.nan, days)
    if column.field.type == "ordered":
        place = {level: float(k) for k, level in enumerate(column.field.levels)}
        return np.array([place.get(value, np.nan) for value in values.tolist()])
    infinite = np.isinf(values)
    if infinite.any():
        raise InvalidInputError(
            f"column {column.name!r} holds {infinite.sum()} infinite values, the first at row {infinite.argmax()}: "
            "make them missing, or replace them by a number"
        )
    return values


@dataclass(frozen=True, eq=False)
class Categories:
    """One column of 0 and 1 per category; of two categories the rarer alone, and rare ones of many together.

    Attributes
    ----------
    variable, part : str
        The user's variable, and the part of a date that its categories are.
    levels : tuple of str
        The categories with a column of their own.
    pooled : tuple of str
        Those that share the last column.
    known : tuple of str
        All that were seen.
    mean : ndarray
        Of every column, where the category is known.
    """

    variable: str
    part: str
    levels: tuple[str, ...]
    pooled: tuple[str, ...]
    known: tuple[str, ...]
    mean: Floats

    @property
    def origins(self) -> list[Origin]:
        """Where the columns come from."""
        others = OTHER if OTHER not in self.known else f"{OTHER}, rarer"
        words = [*self.levels, *[others] * bool(self.pooled)]
        before = f"{self.part} " if self.part else ""
        return [Origin(self.variable, f"{before}{word}", "level") for word in words]

    def transform(self, words: NDArray[Any]) -> Floats:
        place = {level: k for k, level in enumerate(self.levels)}
        place |= dict.fromkeys(self.pooled, len(self.levels))
        known = set(self.known)
        columns = np.zeros((len(words), len(self.mean)))
        for row, word in enumerate(words.tolist()):
            if word in place:
                columns[row, place[word]] = 1.0
            elif word not in known:
                columns[row] = self.mean
        return columns


def learn_categories(
    variable: str, words: NDArray[Any], rare: int, most: int, part: str = ""
) -> Categories:
    """Return the categories that get a column: those of at least ``rare`` rows, ``most`` at most."""
    known = [word for word in words.tolist() if word is not None]
    names, counts = np.unique(np.array(known, dtype=str), return_counts=True)
    order = np.argsort(-counts, kind="stable")
    frequent = [str(names[k]) for k in order if counts[k] >= rare]
    pooled = {str(name) for name in names} - set(frequent)
    if len(frequent) + bool(pooled) > most:
        pooled |= set(frequent[most - 1 :])
        frequent = frequent[: most - 1]
    if len(pooled) == 1 and len(frequent) + 1 <= most:  # one rare category needs no other name
        frequent += pooled
        pooled = set()
    if not frequent:
        pooled = set()
    if len(frequent) == 2 and not pooled:
        frequent = frequent[1:]
    elif len(frequent) == 1 and pooled:
        pooled = set()
    levels = tuple(sorted(frequent))
    width = len(levels) + bool(pooled)
    seen = tuple(str(name) for name in names)
    made = Categories(variable, part, levels, tuple(sorted(pooled)), seen, np.zeros(width))
    mean = made.transform(np.array(known, dtype=object)).mean(axis=0) if known else made.mean
    return replace(made, mean=mean)


def date_words(column: Column, part: str) -> NDArray[Any]:
    """Return a part of every date as a word, None where it is missing."""
    return np.array([_part(moment, part) for moment in column.values.tolist()], dtype=object)


def _part(moment: datetime | None, part: str) -> str | None:
    if moment is None:
        return None
    return _WEEKDAYS[moment.weekday()] if part == "weekday" else str(getattr(moment, part))


class Words:
    """Columns of 0 and 1 that tell whether a text holds a word; the most frequent words of some rows at least."""

    def __init__(self, variable: str, rare: int, most: int) -> None:
        self.variable = variable
        self.rare = rare
        self.most = most

    def fit(self, texts: NDArray[Any]) -> Words:
        known = [text for text in texts.tolist() if text is not None]
        self.words_: list[str] = []
        self.mean_ = np.zeros(0)
        least = min(self.rare, len(known))
        counter = CountVectorizer(
            binary=True,
            token_pattern=_WORD,
            stop_words=list(_FUNCTION_WORDS),
            min_df=least,
            max_df=_TOO_COMMON,
            max_features=self.most,
        )
        try:
            counter.fit(known)
        except ValueError:  # no word is left
            return self
        self.words_ = counter.get_feature_names_out().tolist()
        held = self._counts(known)
        first = dict[bytes, int]()  # of words that always come together, one is enough
        for place, column in enumerate(held.T):
            first.setdefault(column.tobytes(), place)
        self.words_ = [self.words_[place] for place in first.values()]
        self.mean_ = held[:, list(first.values())].mean(axis=0)
        return self

    @property
    def origins(self) -> list[Origin]:
        """Where the columns come from."""
        return [Origin(self.variable, word, "word") for word in self.words_]

    def transform(self, texts: NDArray[Any]) -> Floats:
        absent = np.array([text is None for text in texts.tolist()])
        columns = np.tile(self.mean_, (len(texts), 1))
        if self.words_ and not absent.all():
            columns[~absent] = self._counts([text for text in texts.tolist() if text is not None])
        return columns

    def _counts(self, texts: list[str]) -> Floats:
        # A vocabulary is all that is kept of the counter: plain words, which any file can hold.
        counter = CountVectorizer(binary=True, token_pattern=_WORD, vocabulary=self.words_)
        return counter.transform(texts).toarray().astype(float)


@dataclass(frozen=True, eq=False)
class Absences:
    """Which variables have a column that tells whether they are missing."""

    variables: tuple[str, ...] = ()

    @property
    def origins(self) -> list[Origin]:
        """Where the columns come from."""
        return [Origin(variable, "missing", "missing") for variable in self.variables]

    def transform(self, columns: Sequence[Column]) -> Floats:
        absent = {column.name: column.absent for column in columns if column.name in self.variables}
        rows = len(columns[0].values)
        made = [absent[variable].astype(float) for variable in self.variables]
        return np.column_stack(made) if made else np.zeros((rows, 0))


def learn_absences(columns: Sequence[Column], y: Any, indicator: Any) -> Absences:
    """Return the variables whose gaps tell something of the target, if there is one; of equal gaps the first."""
    if indicator is False:
        return Absences()
    rows = len(columns[0].values)
    few = 1 if indicator is True else min(_FEW, max(rows // 20, 1))
    patterns: dict[bytes, str] = {}
    absent = []
    for column in columns:
        gaps = column.absent
        if few <= gaps.sum() <= rows - few and gaps.tobytes() not in patterns:
            patterns[gaps.tobytes()] = column.name
            absent.append(gaps.astype(float))
    names = np.array(list(patterns.values()), dtype=object)
    if len(names) and y is not None and indicator == "auto":
        names = names[_tells(np.column_stack(absent), y)]
    return Absences(tuple(names.tolist()))


def _tells(absent: Floats, y: Any) -> Indices:
    """Return which columns go with the target more than chance would have it, by an F test each."""
    target = np.asarray(y)
    if any(is_missing(value) for value in target.ravel().tolist()):
        return np.arange(
            absent.shape[1]
        )  # nothing can be told; the estimator will say what is wrong with y
    test = f_regression if type_of_target(target).startswith("continuous") else f_classif
    with np.errstate(all="ignore"):
        p_value = np.nan_to_num(test(absent, target)[1], nan=1.0)
    return np.flatnonzero(p_value < _TELLING)
