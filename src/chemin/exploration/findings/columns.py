"""What is strange inside a column?"""

from __future__ import annotations

import re
from collections import Counter, defaultdict

import numpy as np

from chemin.dictionaries.base import Floats, Indices
from chemin.exploration.findings.context import Context, Seen, finite
from chemin.validation import simplified

_NEARLY = 0.995  # share of one value from which on a column is nearly constant
_FEW_OTHERS = 5  # rows with another value, below which it is
_SOME_ROWS = 50  # rows below which shapes of distributions are not judged
_FAR = 4.0  # times the distance of the median to the last per cent
_RARE = 0.01  # share of rows above which far values are a tail, and no outliers
_LAST = 5.0  # rows that the last per cent has at least
_MOST_LEVELS = 50  # words from which on a category has many
_LEVEL_ROWS = 5  # rows that a word has on average, below which a category has many
_FEW_CODES = 12  # different whole numbers up to which they may be codes
_REPEATS = 3  # rows with a value that may be a code
_NINES = re.compile(r"-?9+")
_CODE_WORDS = frozenset(
    (
        "code", "codes", "cod", "type", "kind", "class", "category", "group", "zip", "zipcode", "postal", "postcode",
        "region", "department", "dept", "district", "county", "naics", "sic", "icd", "icd10", "iso", "cp", "categorie",
        "groupe", "departement", "canton", "commune", "insee",
    )
)  # fmt: skip


def empty(context: Context) -> Seen:
    """Hand on columns without any value."""
    for column in context.inputs:
        if context.n and column.absent.all():
            yield context.evidence(column, f"missing in all {context.n} rows")


def constant(context: Context) -> Seen:
    """Hand on columns of one value."""
    for column in context.inputs:
        codes = context.codes(column)
        if context.n > 1 and codes.max() == 0:
            value = column.values[codes == 0][0]
            told = f"{value:g}" if column.values.dtype.kind == "f" else repr(str(value))
            gaps = int((codes < 0).sum())
            yield context.evidence(column, f"{told} throughout" + f", {gaps} missing" * (gaps > 0))


def nearly_constant(context: Context) -> Seen:
    """Hand on columns in which all rows but a few have one value."""
    for column in context.used:
        codes = context.codes(column)
        known = codes[codes >= 0]
        if len(known) < _SOME_ROWS or known.max() == 0:
            continue
        top = int(np.bincount(known).max())
        if top >= _NEARLY * len(known) or len(known) - top < _FEW_OTHERS:
            others = np.flatnonzero((codes >= 0) & (codes != np.bincount(known).argmax()))
            told = f"one value in all but {len(known) - top} of {len(known)} rows"
            yield context.evidence(column, told, others)


def infinite(context: Context) -> Seen:
    """Hand on columns with infinite values."""
    for column in context.subject.table.columns:
        if column.values.dtype.kind != "f":
            continue
        places = np.flatnonzero(np.isinf(column.values))
        if len(places):
            first = context.given_rows(places[:1])[0]
            yield context.evidence(
                column, f"{len(places)} infinite values, first in row {first}", places
            )


def identifier(context: Context) -> Seen:
    """Hand on columns that name the rows: as read, or whole numbers that count on from row to row."""
    for column in context.inputs:
        if column.field.type == "identifier":
            yield context.evidence(column, column.field.why or "it names the rows")
        elif column.field.type == "number" and context.n >= _SOME_ROWS:
            values = column.values
            whole = np.isfinite(values).all() and np.all(values == np.round(values))
            if whole and np.all(np.diff(values) > 0):
                yield context.evidence(column, "whole numbers that rise from row to row")


def numbers_as_codes(context: Context) -> Seen:
    """Hand on whole numbers that may be names: by what they are called, or by how often each occurs."""
    if context.subject.table.image_shape is not None:  # grey levels
        return
    for column in context.numbers:
        values = finite(column)
        if not len(values) or not np.all(values == np.round(values)):
            continue
        distinct, counts = np.unique(values, return_counts=True)
        words = set(re.split(r"[^a-z0-9]+", simplified(column.name)))
        if words & _CODE_WORDS and len(distinct) < len(values):
            yield context.evidence(column, f"its name, and {len(distinct)} different whole numbers")
        elif len(values) >= _SOME_ROWS and 3 <= len(distinct) <= _FEW_CODES:
            told = ", ".join(f"{value:g}" for value in distinct[:6]) + ", …" * (len(distinct) > 6)
            if _has_holes(distinct) and counts.min() >= _REPEATS:
                yield context.evidence(column, f"only the values {told}")
            elif _falls_and_rises(counts):
                yield context.evidence(
                    column, f"the values {told}, which become rarer and then more frequent again"
                )


def _has_holes(distinct: Floats) -> bool:
    """Tell whether whole numbers are apart by different steps, as quantities seldom are."""
    steps = np.diff(distinct)
    return bool(steps.max() > 1.0 and len(np.unique(steps)) > 1 and len(distinct) >= 4)


def _falls_and_rises(counts: Indices) -> bool:
    """Tell whether counts fall and rise again by more than three standard deviations of chance."""
    for place in range(1, len(counts) - 1):
        lower = min(counts[:place].max(), counts[place + 1 :].max())
        if lower - counts[place] > 3.0 * np.sqrt(lower + counts[place]):
            return True
    return False


def missing_codes(context: Context) -> Seen:
    """Hand on numbers that stand apart, repeat, and look like a code for a gap: 999, −9, −1 among positive ones."""
    for column in context.numbers:
        values = finite(column)
        if len(values) < _REPEATS:
            continue
        distinct, counts = np.unique(values, return_counts=True)
        if len(distinct) < 3:
            continue
        range_of_rest = {-1: distinct[-1] - distinct[1], 0: distinct[-2] - distinct[0]}
        gap = {-1: distinct[1] - distinct[0], 0: distinct[-1] - distinct[-2]}
        for side, place in ((-1, 0), (0, len(distinct) - 1)):
            value, count = distinct[place], counts[place]
            nines = bool(_NINES.fullmatch(f"{value:.0f}")) and value == np.round(value)
            apart = gap[side] >= 0.5 * range_of_rest[side] and abs(value) >= 9.0
            lonely = value == -1.0 and distinct[1] >= 0.0
            if count >= _REPEATS and ((nines and apart) or lonely):
                places = np.flatnonzero(column.values == value)
                told = f"{value:g} in {count} rows, the next value is {distinct[1 if place == 0 else -2]:g}"
                yield context.evidence(column, told, places)


def outliers(context: Context) -> Seen:
    """Hand on numbers with a few values far beyond all others.

    On either side, the distance from the median to the last per cent of the values is taken, and at least to the last
    five; values four times as far are outliers, if they are rare.
    """
    target = context.subject.target
    measured = [*context.numbers]
    if target is not None and not context.subject.has_classes and target.values.dtype.kind == "f":
        measured.append(target)
    for column in measured:
        values = finite(column)
        if len(values) < 20:
            continue
        share = max(_RARE, _LAST / len(values))
        low, median, high = np.quantile(values, [share, 0.5, 1.0 - share])
        with np.errstate(invalid="ignore"):
            above = column.values > median + _FAR * (high - median)
            below = column.values < median - _FAR * (median - low)
        if high == median:
            above[:] = False
        if low == median:
            below[:] = False
        places = np.flatnonzero((above | below) & np.isfinite(column.values))
        if 0 < len(places) <= max(_LAST, _RARE * len(values)):
            inside = np.delete(column.values, places)
            inside = inside[np.isfinite(inside)]
            far = ", ".join(f"{value:.6g}" for value in column.values[places][:3])
            told = f"{far}{', …' * (len(places) > 3)} where others are from {inside.min():.6g} to {inside.max():.6g}"
            yield context.evidence(column, told, places)


def similar_words(context: Context) -> Seen:
    """Hand on words that differ only by capitals, accents or spaces."""
    for column in context.subject.table.columns:
        if column.field.type not in ("category", "ordered"):
            continue
        alike = defaultdict(set)
        for word in set(column.values[~column.absent].tolist()):
            alike[simplified(str(word))].add(str(word))
        for words in alike.values():
            if len(words) > 1:
                yield context.evidence(column, " and ".join(repr(word) for word in sorted(words)))


def many_words(context: Context) -> Seen:
    """Hand on categories with many words, or few rows for each."""
    for column in context.inputs:
        if column.field.type != "category":
            continue
        counts = Counter(column.values[~column.absent].tolist())
        rows = sum(counts.values()) / max(len(counts), 1)
        if len(counts) > 2 and (len(counts) > _MOST_LEVELS or rows < _LEVEL_ROWS):
            yield context.evidence(column, f"{len(counts)} words, {rows:.1f} rows for each")


def sentences(context: Context) -> Seen:
    """Hand on columns of texts."""
    for column in context.inputs:
        if column.field.type == "text":
            words = np.mean([len(str(text).split()) for text in column.values[~column.absent]])
            yield context.evidence(column, f"{words:.1f} words in a cell")
