"""What do columns tell of the target that they should not, and is the target itself fit to be learned?

How much a column tells by itself is measured on held-out rows: a small tree that sees this column only predicts them,
and its skill is 1 − its error/that of a constant. Classes count alike, however rare. A leak is a column that predicts
almost without error and leaves the next best ones far behind.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chemin.dictionaries.base import Floats, Indices
from chemin.exploration.findings.context import Context, Seen
from chemin.exploration.findings.finding import Evidence
from chemin.exploration.subject import as_floats
from chemin.results import plural
from chemin.tables.cells.field import Column

_FOLDS = 5
_NOT_TRIED = ("text", "constant", "identifier")  # types of columns that no model sees as they are
_LEAVES = 32
_ROWS = 5000  # rows that trees look at
_TRIED = 40  # columns that trees look at: those that tell most in ten bins
_BINS = 10
_SKILL = 0.95  # from which on a column predicts almost without error
_AHEAD = 0.4  # of the error of the next best column,
_APART = 2.5  # and by so many standard deviations of the count of wrong rows, where classes are predicted
_FEW = 10  # rows below which anything predicts anything
_RARE_ROWS = 5  # rows off the most frequent value, below which columns are alike by chance
_RARE_CLASS = 0.2  # of the mean size of a class, below which classes are unbalanced
_FEWEST = 5  # rows of a class, below which some folds have none
_SORTED = 0.5  # of the changes from row to row that chance makes
_SURE = 1e-4  # probability by chance


def target_copies(context: Context) -> Seen:
    """Hand on columns from which the target can be read off, where they are known."""
    y = context.codes(context.target)
    for column in context.inputs:
        codes = context.codes(column)
        known = (codes >= 0) & (y >= 0)
        values = len(np.unique(codes[known]))
        if not known.any() or values < 2 or values != len(np.unique(y[known])):
            continue
        counts = np.bincount(codes[known])
        if known.sum() - counts.max() < _RARE_ROWS or values > known.sum() / 2:
            continue
        if len(np.unique(codes[known] * (y.max() + 2) + y[known])) == values:
            yield context.evidence(
                column, "each value belongs to one value of the target" + _where(known)
            )
    if not context.subject.has_classes:
        yield from _straight_copies(context)


def _where(known: NDArray[np.bool_]) -> str:
    share = float(known.mean())
    return "" if share == 1.0 else f", in the {share:.0%} of the rows in which both are known"


def _straight_copies(context: Context) -> Seen:
    known = np.isfinite(context.y)
    for column in context.numbers:
        both = known & np.isfinite(column.values)
        x, y = column.values[both], context.y[both]
        if both.sum() < _FEW or np.ptp(x) == 0.0 or np.ptp(y) == 0.0:
            continue
        r = float(np.corrcoef(x / np.abs(x).max(), y / np.abs(y).max())[0, 1])
        if abs(r) > 1.0 - 1e-9:
            yield context.evidence(column, f"on a straight line with the target (r = {r:.6f})")


def leaks(context: Context) -> Seen:
    """Hand on columns that predict the target alone, almost without error, far ahead of the others."""
    copies = {seen.column for seen in target_copies(context)}
    tried = [column for column in context.inputs if column.name not in copies]
    skills = single_skills(context, tried)
    if not skills:
        return
    ranked = sorted(skills, key=lambda pair: -pair[1])
    errors = np.array([1.0 - skill for _, skill in ranked] + [1.0])
    ahead = [
        place
        for place in range(len(ranked))
        if ranked[place][1] >= _SKILL and _far_ahead(context, *errors[place : place + 2].tolist())
    ]
    for column, skill in ranked[: max(ahead, default=-1) + 1]:
        what = "of the error" if context.subject.has_classes else "of the variance"
        yield context.evidence(column, f"alone it removes {skill:.1%} {what} on held-out rows")


def _far_ahead(context: Context, error: float, next_error: float) -> bool:
    """Say whether one column's error, relative to a constant's, is far below the next one's, and not by chance."""
    if error > _AHEAD * next_error:
        return False
    if not context.subject.has_classes:
        return True
    classes = np.unique(context.y[np.isfinite(context.y)])
    rows = min(context.subject.n, _ROWS) * (1.0 - 1.0 / len(classes))
    return (next_error - error) * rows >= _APART * np.sqrt((next_error + error) * rows)


def single_skills(context: Context, columns: Sequence[Column]) -> list[tuple[Column, float]]:
    """Return how well the most telling columns predict the target alone, on held-out rows."""
    y = context.y
    rows = np.flatnonzero(np.isfinite(y) & ~context.target.absent)
    if len(rows) > _ROWS:
        rows = np.random.default_rng(0).permutation(rows)[:_ROWS]
    columns = [column for column in columns if column.field.type not in _NOT_TRIED]
    if len(rows) < _FEW or not columns:
        return []
    if len(columns) > _TRIED:
        told = [_in_bins(as_floats(column)[rows], y[rows]) for column in columns]
        columns = [columns[place] for place in np.argsort(told)[::-1][:_TRIED]]
    return [(column, _best_skill(context, column, rows)) for column in columns]


def _best_skill(context: Context, column: Column, rows: Indices) -> float:
    """Return the skill on all rows, gaps being one more value, or on those in which the column is known."""
    known = rows[~column.absent[rows]]
    tried = [rows] if len(known) == len(rows) or len(known) < 2 * _FEW else [rows, known]
    skills = [
        _skill(context, column, some, folds)
        for some in tried
        if (folds := _folds(context.y[some], context.subject.has_classes)) is not None
    ]
    return max(skills, default=0.0)


def _folds(y: Floats, classes: bool) -> list[Any] | None:
    from sklearn.model_selection import KFold, StratifiedKFold

    if len(np.unique(y)) < 2:
        return None
    if not classes:
        return list(KFold(_FOLDS, shuffle=True, random_state=0).split(y))
    count = min(_FOLDS, int(np.unique(y, return_counts=True)[1].min()))
    if count < 2:
        return None
    return list(StratifiedKFold(count, shuffle=True, random_state=0).split(y, y))


def _skill(context: Context, column: Column, rows: Indices, folds: list[Any]) -> float:
    """Return 1 − error/error of a constant, on held-out rows."""
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

    y = context.y[rows]
    classes = context.subject.has_classes
    words = column.field.type == "category"
    x = as_floats(column)[rows][:, None]
    predicted = np.empty(len(rows))
    kind = DecisionTreeClassifier if classes else DecisionTreeRegressor
    for known, held in folds:
        tree = kind(max_leaf_nodes=_LEAVES, min_samples_leaf=2, random_state=0)
        seen = x
        if words:  # words have no order but that of the target
            seen = _by_target(x, y, known)
        predicted[held] = tree.fit(_finite(seen[known]), y[known]).predict(_finite(seen[held]))
    if not classes:
        return float(1.0 - np.mean((predicted - y) ** 2) / max(float(np.var(y)), 1e-300))
    labels = np.unique(y)
    errors = [np.mean(predicted[y == label] != label) for label in labels]
    return float(1.0 - np.mean(errors) / (1.0 - 1.0 / len(labels)))


def _finite(x: Floats) -> Floats:
    """Return numbers that trees take: infinite ones as the largest of single precision, which trees work in."""
    most = float(np.finfo(np.float32).max) / 2.0
    return np.clip(x, -most, most)


def _by_target(x: Floats, y: Floats, known: Indices) -> Floats:
    """Return for each word the mean of the target over the known rows that have it, or over all if none has."""
    mean = float(y[known].mean())
    codes = np.where(np.isnan(x[:, 0]), -1, x[:, 0]).astype(np.intp) + 1
    size = codes.max() + 1
    counts = np.bincount(codes[known], minlength=size)
    sums = np.bincount(codes[known], weights=y[known], minlength=size)
    means = np.where(counts > 0, sums / np.maximum(counts, 1), mean)
    return np.asarray(means[codes][:, None])


def _in_bins(x: Floats, y: Floats) -> float:
    """Return the share of the variance of the target, classes as indicators, between ten bins of a column."""
    from scipy.stats import rankdata

    known = ~np.isnan(x)
    bins = np.full(len(x), _BINS, dtype=np.intp)  # the gaps have one of their own
    if known.any():
        ranks = rankdata(x[known], method="average")
        bins[known] = np.minimum((ranks - 0.5) / known.sum() * _BINS, _BINS - 1).astype(np.intp)
    counts = np.bincount(bins, minlength=_BINS + 1)
    within = 0.0
    total = 0.0
    labels = np.unique(y)
    sides = [(y == label).astype(float) for label in labels] if len(labels) <= _BINS else [y]
    for side in sides:
        sums = np.bincount(bins, weights=side, minlength=_BINS + 1)
        within += float(np.sum(sums**2 / np.maximum(counts, 1)) - side.sum() ** 2 / len(side))
        total += float(np.sum((side - side.mean()) ** 2))
    return within / max(total, 1e-300)


def imbalance(context: Context) -> Seen:
    """Hand on classes that are rare beside the others."""
    counts = context.class_counts
    if len(counts) < 2:
        return
    for name, count in zip(context.class_names, counts, strict=True):
        if count < _RARE_CLASS * counts.sum() / len(counts):
            told = f"class {name!r} has {count} of {counts.sum()} rows ({count / counts.sum():.1%})"
            yield context.evidence(context.target, told)


def tiny_class(context: Context) -> Seen:
    """Hand on classes with so few rows that folds lack them."""
    for name, count in zip(context.class_names, context.class_counts, strict=True):
        if count < _FEWEST:
            yield context.evidence(context.target, f"class {name!r} has {plural(count, 'row')}")


def one_class(context: Context) -> Seen:
    """Hand on a target that does not vary."""
    if context.codes(context.target).max() < 1:
        yield context.evidence(context.target, "one value throughout")


def missing_tells(context: Context) -> Seen:
    """Hand on columns whose gaps go with the target."""
    from scipy.stats import chi2_contingency, mannwhitneyu

    gaps = [column for column in context.used if 5 <= column.absent.sum() <= context.n - 5]
    known = ~context.target.absent
    for column in gaps:
        absent = column.absent[known]
        if not absent.any() or absent.all():
            continue
        if context.subject.has_classes:
            codes = context.codes(context.target)[known]
            table = np.stack(
                [np.bincount(codes[side], minlength=codes.max() + 1) for side in (absent, ~absent)]
            )
            table = table[:, table.sum(axis=0) > 0]
            if table.shape[1] < 2:
                continue
            chance = float(chi2_contingency(table).pvalue)
        else:
            y = context.y[known]
            chance = float(mannwhitneyu(y[absent], y[~absent]).pvalue)
        if chance * len(gaps) < _SURE:
            places = np.flatnonzero(column.absent)
            yield context.evidence(column, f"gaps go with the target (p = {chance:.1g})", places)


def sorted_by_target(context: Context) -> Seen:
    """Hand on rows in the order of the target: far fewer changes from row to row than chance makes."""
    known = context.y[~context.target.absent]
    known = known[np.isfinite(known)]
    if len(known) < _FEW or len(np.unique(known)) < 2:
        return
    if context.subject.has_classes:
        changes = int((np.diff(known) != 0).sum())
        shares = np.unique(known, return_counts=True)[1] / len(known)
        expected = (len(known) - 1) * (1.0 - float(np.sum(shares**2)))
        if changes < _SORTED * expected and expected - changes > 5.0 * np.sqrt(expected):
            told = f"the class changes {plural(changes, 'time')} from row to row, by chance about {expected:.0f} times"
            yield Evidence("", told)
    else:
        ranks = np.argsort(np.argsort(known)).astype(float)
        r = float(np.corrcoef(ranks[1:], ranks[:-1])[0, 1])
        if r > _SORTED and r * np.sqrt(len(known)) > 5.0:
            yield Evidence(
                "", f"the target of a row is like that of the row before (correlation {r:.2f})"
            )
