"""What is strange about columns and rows together?"""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from chemin.dictionaries.base import Indices
from chemin.exploration.findings.context import Context, Seen, finite
from chemin.exploration.findings.finding import Evidence
from chemin.results import figures, plural
from chemin.tables.cells.field import Column

_SOME_ROWS = 10  # rows below which columns are alike by chance
_OTHERS = (
    5  # rows that differ from the most frequent value, below which columns are alike by chance
)
_REPEATED = 0.5  # different values per row, above which one-to-one says nothing
_STRAIGHT = 0.9999  # correlation from which on two columns are one
_MOST_PAIRED = 1500  # columns of which all pairs are correlated
_MOST_GAPPED = 50  # columns with gaps that are compared with all others
_PER_COLUMN = 5.0  # rows per column, below which there are few
_FEW = 20  # rows below which there are few, whatever the columns
_APART = 1e3  # times the smallest spread
_OFTEN = 0.05  # share of gaps that is told
_MASKED_ROWS = 5  # gaps that two columns share, below which they do so by chance


def duplicate_rows(context: Context) -> Seen:
    """Hand on rows that are there already, target and all."""
    hashes = context.input_hashes
    if context.subject.target is not None:
        codes = context.codes(context.target).astype(np.uint64)
        hashes = hashes + codes * np.uint64(0x9E3779B97F4A7C15)
    if not context.used:
        return
    _, first = np.unique(hashes, return_index=True)
    again = np.ones(context.n, dtype=bool)
    again[first] = False
    if again.any():
        places = np.flatnonzero(again)
        share = len(places) / context.n
        told = f"{len(places)} of {context.n} rows ({share:.1%}) are there already"
        yield Evidence("", told, context.given_rows(places))


def contradictions(context: Context) -> Seen:
    """Hand on rows of equal inputs whose classes differ."""
    if not context.subject.has_classes or not context.used:
        return
    _, place = np.unique(context.input_hashes, return_inverse=True)
    codes = context.codes(context.target)
    pairs = place * (int(codes.max()) + 2) + codes
    distinct_pairs = np.unique(pairs)
    classes = np.bincount(distinct_pairs // (int(codes.max()) + 2), minlength=int(place.max()) + 1)
    places = np.flatnonzero(classes[place] > 1)
    if len(places):
        told = f"{len(places)} rows have equal inputs and different classes"
        yield Evidence("", told, context.given_rows(places))


def duplicate_columns(context: Context) -> Seen:
    """Hand on columns that say the same: equal, one for one, in the same order, or on a straight line."""
    if context.n < _SOME_ROWS:
        return
    of: dict[str, str] = {}
    seen: dict[bytes, Column] = {}
    for column in context.used:
        codes = context.codes(column)
        for how, signature in _signatures(column, codes):
            other = seen.setdefault(signature, column)
            if other is not column and column.name not in of:
                of[column.name] = other.name
                equal = _are_equal(column, other)
                told = "equal to" if equal else how
                yield context.evidence(column, f"{told} {other.name!r}")
    yield from _equal_where_known(context, of)
    yield from _on_a_line(context, of)


def _signatures(column: Column, codes: Indices) -> list[tuple[str, bytes]]:
    """Return what columns that say the same share, and how it is said."""
    known = codes[codes >= 0]
    if len(known) < _SOME_ROWS or len(known) - np.bincount(known).max() < _OTHERS:
        return []
    found = []
    if column.values.dtype.kind in "fM" or column.field.levels:
        flipped = np.where(codes < 0, -1, codes.max() - codes)
        first = next(place for place in range(len(codes)) if codes[place] != flipped[place])
        up = codes if codes[first] > flipped[first] else flipped
        found.append(("in the same order as", b"order" + up.astype(np.int32).tobytes()))
    if len(np.unique(known)) <= _REPEATED * len(known):
        _, first_seen, place = np.unique(codes, return_index=True, return_inverse=True)
        rank = np.argsort(np.argsort(first_seen))
        found.append(("one for one with", b"names" + rank[place].astype(np.int32).tobytes()))
    return found


def _are_equal(one: Column, other: Column) -> bool:
    if one.values.dtype.kind != other.values.dtype.kind:
        return False
    if one.values.dtype.kind == "f":
        return bool(np.array_equal(one.values, other.values, equal_nan=True))
    return bool(np.array_equal(one.values, other.values))


def _equal_where_known(context: Context, of: dict[str, str]) -> Seen:
    """Hand on numbers with gaps that are those of another column wherever both are known."""
    with_gaps = [
        column for column in context.numbers if column.absent.any() and column.name not in of
    ]
    if not with_gaps or len(context.numbers) > _MOST_PAIRED:
        return
    X = np.column_stack([column.values for column in context.numbers])
    for column in with_gaps[:_MOST_GAPPED]:
        known = np.flatnonzero(np.isfinite(column.values))
        if len(known) < _SOME_ROWS or len(np.unique(column.values[known])) < _OTHERS:
            continue
        differs = (X[known] != column.values[known, None]) & np.isfinite(X[known])
        both = np.isfinite(X[known]).sum(axis=0)
        for place in np.flatnonzero(~differs.any(axis=0) & (both >= _SOME_ROWS)):
            other = context.numbers[place]
            if other is not column and of.get(other.name) != column.name:
                of[column.name] = other.name
                yield context.evidence(column, f"equal to {other.name!r} where both are known")
                break


def _on_a_line(context: Context, of: dict[str, str]) -> Seen:
    """Hand on numbers that are, but for rounding, a multiple of others plus a constant."""
    columns = [
        column
        for column in context.numbers
        if column.name not in of and np.isfinite(column.values).all()
    ]
    if not 2 <= len(columns) <= _MOST_PAIRED:
        return
    X = np.column_stack([column.values for column in columns])
    X = X - X.mean(axis=0)
    size = np.linalg.norm(X, axis=0)
    X /= np.where(size > 0.0, size, 1.0)
    correlation = np.triu(X.T @ X, k=1)
    told: set[int] = set()
    for i, j in np.argwhere(np.abs(correlation) >= _STRAIGHT):
        if j not in told:
            told.add(j)
            r = correlation[i, j]
            line = f"on a straight line with {columns[i].name!r} (r = {r:.5f})"
            yield context.evidence(columns[j], line)


def few_rows(context: Context) -> Seen:
    """Hand on a table with few rows for its columns."""
    p = sum(
        int(context.codes(column).max()) if column.field.type in ("category", "ordered") else 1
        for column in context.used
    )
    if not p:
        return
    if context.n < p:
        yield Evidence(
            "",
            f"{plural(context.n, 'row')} for {plural(p, 'column')}: any target can be fitted exactly",
        )
    elif context.n < _PER_COLUMN * p or context.n < _FEW:
        yield Evidence(
            "",
            f"{plural(context.n, 'row')} for {plural(p, 'column')}, {context.n / p:.1f} for each",
        )


def scales(context: Context) -> Seen:
    """Hand on the widest and the narrowest column, if their spreads are far apart."""
    spreads = [
        (float(np.std(values)), column)
        for column in context.numbers
        if len(values := finite(column)) > 1
    ]
    moving = sorted(((s, c) for s, c in spreads if s > 0.0), key=lambda pair: pair[0])
    if len(moving) > 1 and moving[-1][0] >= _APART * moving[0][0]:
        for spread, column in (moving[-1], moving[0]):
            yield context.evidence(column, f"standard deviation {figures(spread, '.3g')}")


def missing(context: Context) -> Seen:
    """Hand on columns with gaps, the most first."""
    gaps = [(column.absent, column) for column in context.inputs]
    told = [(absent.mean(), column) for absent, column in gaps if 0.0 < absent.mean() < 1.0]
    for share, column in sorted(told, key=lambda pair: -pair[0]):
        if share >= _OFTEN or len(told) <= _FEW:
            yield context.evidence(column, f"{share:.1%} missing", np.flatnonzero(column.absent))


def missing_together(context: Context) -> Seen:
    """Hand on columns whose gaps are in the same rows."""
    masks: dict[bytes, list[Column]] = defaultdict(list)
    for column in context.inputs:
        absent = column.absent
        if _MASKED_ROWS <= absent.sum() < context.n:
            masks[np.packbits(absent).tobytes()].append(column)
    for columns in masks.values():
        for one, other in pairwise(columns):
            gaps = int(one.absent.sum())
            yield context.evidence(other, f"missing in the same {gaps} rows as {one.name!r}")


def rows_without_anything(context: Context) -> Seen:
    """Hand on rows in which every input is missing."""
    used = [column for column in context.inputs if column.field.type != "identifier"]
    if not used:
        return
    blank: NDArray[np.bool_] = np.all([column.absent for column in used], axis=0)
    if blank.any() and not blank.all():
        places = np.flatnonzero(blank)
        yield Evidence("", f"{len(places)} rows have no value at all", context.given_rows(places))
