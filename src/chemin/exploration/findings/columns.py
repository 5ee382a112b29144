"""What is strange inside a column?"""

from __future__ import annotations

import re
from collections import Counter, defaultdict

import numpy as np

from chemin.dictionaries.base import Floats, Indices
from chemin.exploration.findings.context import Context, Seen, finite
from chemin.results import plural
from chemin.validation import simplified

_NEARLY = 0.995  # share of one value from which on a column is nearly constant
_FEW_OTHERS = 5  # rows with another value, below which it is
_SOME_ROWS = 50  # rows below which shapes of distributions are not judged
_FEW = 20  # rows below which there are no outliers
_SIDE = 10  # values, or different values, that one side of the median has for a tail
_RARE = 0.01  # share of rows above which far values are a tail, and no outliers
_LAST = 5.0  # rows that may be outliers, however few there are
_STEEP = 0.25  # how tails grow at least: that of a normal law
_BEYOND = 2.0  # times where the farthest value is expected
_STEP = 5.0  # times the value before
_MOST_LEVELS = 50  # words from which on a category has many
_LEVEL_ROWS = 5  # rows that a word has on average, below which a category has many
_FEW_CODES = 12  # different whole numbers up to which they may be codes
_REPEATS = 3  # rows with a value that may be a code
_CODE = re.compile(r"-?9+|0|-1")
_HALF = 0.5  # share of rows above which a value is what is usual, and no gap
_SPIKE = 10  # times the frequency of the next most frequent value
_CLEAR = 0.1  # of the distance from the next value to the median
_WIDE = 0.25  # of the range of the others
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
            yield context.evidence(column, f"missing in all {plural(context.n, 'row')}")


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
                column, f"{plural(len(places), 'infinite value')}, first in row {first}", places
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
    """Hand on numbers that repeat and look like a code for a gap: 999, −9, −1 or 0 below positive ones, apart."""
    for column in context.numbers:
        values = finite(column)
        distinct, counts = np.unique(values, return_counts=True)
        if len(distinct) < _FEW_CODES:
            continue
        most_others = np.sort(counts)[-2]
        for place, (value, count) in enumerate(zip(distinct, counts, strict=True)):
            usual = not _REPEATS <= count <= _HALF * len(values)
            if usual or not _CODE.fullmatch(f"{value:g}"):
                continue
            spike = count >= _SPIKE * most_others and abs(value) >= 9.0
            if spike or _stands_apart(distinct, counts, place):
                places = np.flatnonzero(column.values == value)
                nearest = np.delete(distinct, place)
                nearest = nearest[np.argmin(np.abs(nearest - value))]
                told = f"{value:g} in {count} rows, the nearest other value is {nearest:g}"
                yield context.evidence(column, told, places)


def _stands_apart(distinct: Floats, counts: Indices, place: int) -> bool:
    """Tell whether the least or largest value is frequent, and far from the next ones as these are from each other."""
    if place == 0:
        near, near_counts = distinct[1 : _SIDE + 1], counts[1 : _SIDE + 1]
    elif place == len(distinct) - 1:
        near, near_counts = distinct[-_SIDE - 1 : -1][::-1], counts[-_SIDE - 1 : -1]
    else:
        return False
    if distinct[place] in (0.0, -1.0) and (place != 0 or near[0] <= 0.0):
        return False
    gap = abs(near[0] - distinct[place])
    middle = float(np.median(distinct))
    apart = gap >= max(_STEP * np.median(np.abs(np.diff(near))), _CLEAR * abs(middle - near[0]))
    frequent = counts[place] >= 2.0 * near_counts.max()
    return bool(
        apart and (frequent or gap >= _WIDE * abs(near[0] - distinct[-1 if place == 0 else 0]))
    )


def outliers(context: Context) -> Seen:
    """Hand on numbers with a few values far beyond where the others' tail ends.

    On either side, distances d from the median that a share s of the values exceeds follow d ~ s^(−c) in a tail; c is
    taken from two shares that the farthest few values do not reach. Among m values the farthest is about where s is
    1/m: values more than twice as far are outliers.
    """
    target = context.subject.target
    measured = [*context.numbers]
    if target is not None and not context.subject.has_classes and target.values.dtype.kind == "f":
        measured.append(target)
    for column in measured:
        values = column.values
        far = np.zeros(len(values), dtype=bool)
        known = finite(column)
        if len(known) < _FEW:
            continue
        for sign in (1.0, -1.0):
            away = sign * (values - np.median(known))
            far |= np.isfinite(values) & (
                away > _end_of_tail(away[np.isfinite(away) & (away > 0.0)])
            )
        places = np.flatnonzero(far)
        if 0 < len(places) <= max(_LAST, _RARE * len(known)):
            inside = known[~np.isin(known, values[places])]
            told = ", ".join(f"{value:.6g}" for value in values[places][:3]) + ", …" * (
                len(places) > 3
            )
            span = f"{inside.min():.6g} to {inside.max():.6g}"
            yield context.evidence(column, f"{told} where others are from {span}", places)


def _end_of_tail(away: Floats) -> float:
    """Return the distance beyond which values on one side are outliers."""
    if len(away) < _SIDE:
        return np.inf
    share = max(2.0 * _RARE, _LAST / len(away))
    near, far = np.quantile(away, [1.0 - share**0.5, 1.0 - share])
    steepness = max(np.log(far / near) / np.log(share**-0.5), _STEEP)
    limit = _BEYOND * far * (share * len(away)) ** steepness
    different = np.unique(away)
    if len(different) < _SIDE:  # of few different values the next one is far away, too
        steps = np.flatnonzero(different[1:] > _STEP * different[:-1])
        return float(different[steps[0]]) if len(steps) else np.inf
    return float(limit)


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
