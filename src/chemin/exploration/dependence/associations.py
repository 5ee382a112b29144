"""Which columns go together? Correlation, rank correlation, mutual information, and one measure for all types.

The association of two columns is between 0 and 1, whatever they are:

- numbers, dates, ordered words: |r| of their ranks (Spearman);
- such a column and words: √ε², the share of the variance of the ranks between the words, less what chance gives;
- words and words: Cramér's V, less what chance gives (Bergsma, 2013).

Mutual information is that of the words, and of numbers in ten bins of equally many rows, in nats, less its bias
(k − 1)(l − 1)/2N (Miller, 1955).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from chemin.dictionaries.base import Floats, Indices
from chemin.exceptions import InvalidInputError
from chemin.exploration.cost import BUDGET
from chemin.exploration.points import check_finite
from chemin.exploration.subject import Subject, as_floats, as_subject, codes_of
from chemin.frames import as_frame
from chemin.results import Result
from chemin.tables.cells.field import Column

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MEASURES = ("association", "pearson", "spearman", "mutual information")
_LEFT_OUT = {
    "identifier": "it names the rows",
    "constant": "it is constant",
    "text": "it has sentences",
}
_BINS = 10
_FEWEST = 3  # rows of a correlation
_ROUNDING = 1e-13  # of the values: a smaller spread is rounding
_WORDS = 50  # different words above which a column is left out


@dataclass(frozen=True, eq=False, repr=False)
class Dependence(Result):
    """How much every column has to do with every other.

    Attributes
    ----------
    names, types : tuple of str
        The columns.
    measures : dict of ndarray of shape (p, p)
        "association", "pearson", "spearman" and "mutual information"; NaN where two columns have none.
    rows : ndarray of shape (p, p)
        Rows in which both are known.
    target : str or None
        The column to predict.
    left_out : dict
        Columns that were not looked at, and why.
    said : str
        Which rows were looked at.
    """

    names: tuple[str, ...]
    types: tuple[str, ...]
    measures: Mapping[str, Floats] = field(repr=False)
    rows: Indices = field(repr=False)
    target: str | None
    left_out: Mapping[str, str] = field(repr=False)
    said: str

    def __getitem__(self, pair: tuple[str, str]) -> dict[str, float]:
        """Return all measures of two columns."""
        for name in pair:
            if name not in self.names:
                raise KeyError(f"{name!r}: {self.left_out.get(name, 'there is no such column')}")
        i, j = (self.names.index(name) for name in pair)
        return {measure: float(values[i, j]) for measure, values in self.measures.items()}

    def frame(self) -> Any:
        """Return a row per pair of columns as a DataFrame, the most associated first."""
        one, other = np.triu_indices(len(self.names), 1)
        return self._pairs(one, other)

    def with_target(self) -> Any:
        """Return a row per column and its dependence on the target as a DataFrame, the most associated first."""
        if self.target is None:
            raise InvalidInputError("no target was named: pass target=, the column to predict")
        if self.target not in self.names:
            why = self.left_out[self.target]
            raise InvalidInputError(f"the target {self.target!r} was left out, {why}: pass another")
        place = self.names.index(self.target)
        others = np.delete(np.arange(len(self.names)), place)
        return self._pairs(others, np.full(len(others), place))

    def plot(self, measure: str = "association", ax: Axes | None = None) -> Axes:
        """Draw one of the measures for all pairs."""
        from chemin.plots.exploration.dependence import draw_matrix

        if measure not in self.measures:
            raise InvalidInputError(f"measure is {measure!r}: pass one of {', '.join(MEASURES)}")
        values = self.measures[measure]
        signed = measure in ("pearson", "spearman")
        shown = np.flatnonzero(np.isfinite(values).any(axis=0))
        names = [self.names[place] for place in shown]
        return draw_matrix(
            values[np.ix_(shown, shown)], names, title=measure, symmetric=signed, ax=ax
        )

    def __str__(self) -> str:
        lines = [f"association of {len(self.names)} columns, from 0 to 1, {self.said}"]
        one, other = np.triu_indices(len(self.names), 1)
        strength = self.measures["association"][one, other]
        for place in np.argsort(-np.nan_to_num(strength, nan=-1.0), kind="stable")[:10]:
            pair = f"{self.names[one[place]]} and {self.names[other[place]]}"
            lines.append(f"  {strength[place]:.2f}  {pair}")
        return "\n".join(lines)

    def _pairs(self, one: Indices, other: Indices) -> Any:
        strength = self.measures["association"][one, other]
        order = np.argsort(-np.nan_to_num(strength, nan=-1.0), kind="stable")
        one, other = one[order], other[order]
        names = np.array(self.names, dtype=object)
        made: dict[str, Any] = {"column": names[one], "other": names[other]}
        made |= {measure: values[one, other] for measure, values in self.measures.items()}
        made["rows"] = self.rows[one, other]
        return as_frame(made, instead="measures")


def dependence(
    data: Any,
    target: Any = None,
    *,
    most: int = 100,
    rows: Any = None,
    budget: float | None = BUDGET,
    random_state: int = 0,
) -> Dependence:
    """Measure how much every column has to do with every other.

    Parameters
    ----------
    data : Table, DataFrame, array, path or name
        The table.
    target : str or array of shape (n,), optional
        What is to be predicted; it is one of the columns looked at.
    most : int, default 100
        Columns that are looked at: those most associated with the target, or else the first.
    rows : int, slice or array, optional
        Which rows to look at.
    budget : float, optional
        Seconds of estimated work beyond which a random part of the rows is looked at.
    random_state : int, default 0
        Which part.

    Returns
    -------
    Dependence

    Examples
    --------
    >>> found = dependence("patients", "diagnostic")
    >>> round(found["âge", "tension"]["pearson"], 2)
    0.32
    """
    if isinstance(most, bool) or not isinstance(most, int) or most < 2:
        raise InvalidInputError(f"most is {most!r}: pass at least 2 columns")
    subject = as_subject(
        data, target, rows, part="dependence", budget=budget, random_state=random_state
    )
    if subject.n < 3:
        raise InvalidInputError(f"there are {subject.n} rows and at least 3 are needed: pass more")
    columns, left_out = _usable(subject)
    if len(columns) > most:
        columns = _foremost(subject, columns, most)
        kept = {column.name for column in columns}
        left_out |= {
            column.name: f"only {most} columns are looked at: pass most="
            for column in subject.table.columns
            if column.name not in kept and column.name not in left_out
        }
    return _measured(subject, columns, left_out)


def _usable(subject: Subject) -> tuple[list[Column], dict[str, str]]:
    """Return the columns that can be compared, and why others cannot."""
    left_out: dict[str, str] = {}
    columns = []
    for column in subject.table.columns:
        codes = codes_of(column)
        named = column.values.dtype.kind == "O" and codes.max() >= _WORDS
        if column.field.type in _LEFT_OUT and column.name != subject.table.target:
            left_out[column.name] = _LEFT_OUT[column.field.type]
        elif codes.max() < 1:
            left_out[column.name] = "it is constant"
        elif named:
            left_out[column.name] = f"it has {codes.max() + 1} different words"
        else:
            check_finite(column.name, column.values)
            columns.append(column)
    if len(columns) < 2:
        told = ", ".join(f"{name!r} ({why})" for name, why in list(left_out.items())[:5])
        raise InvalidInputError(
            f"fewer than two columns are left to compare: {told or 'there are no more'}; pass more columns or rows"
        )
    return columns, left_out


def _foremost(subject: Subject, columns: list[Column], most: int) -> list[Column]:
    """Return so many columns, in their order: those most associated with the target, and the target, else the first."""
    target = subject.target
    if target is None or all(column.name != target.name for column in columns):
        return columns[:most]
    others = [column for column in columns if column.name != target.name]
    strength = []
    for first in range(0, len(others), most):
        some = [*others[first : first + most], target]
        strength.append(_associations(some, _correlations(_values(some), _ranks))[-1, :-1])
    order = np.argsort(-np.nan_to_num(np.concatenate(strength), nan=-1.0), kind="stable")
    kept = set(order[: most - 1].tolist())
    return [*(column for place, column in enumerate(others) if place in kept), target]


def _measured(subject: Subject, columns: list[Column], left_out: dict[str, str]) -> Dependence:
    values = _values(columns)
    known = np.column_stack([~column.absent for column in columns]).astype(np.float32)
    spearman = _correlations(values, _ranks)
    return Dependence(
        tuple(column.name for column in columns),
        tuple(column.field.type for column in columns),
        {
            "association": _associations(columns, spearman),
            "pearson": _correlations(values, _as_they_are),
            "spearman": spearman,
            "mutual information": _information(columns),
        },
        (known.T @ known).astype(np.intp),
        subject.table.target,
        left_out,
        subject.said,
    )


def _values(columns: list[Column]) -> Floats:
    """Return columns as numbers; words are NaN."""
    return np.column_stack(
        [
            as_floats(column) if _is_measured(column) else np.full(len(column.values), np.nan)
            for column in columns
        ]
    )


def _associations(columns: list[Column], spearman: Floats) -> Floats:
    """Return the association of each pair of columns, over the rows in which both are known."""
    measured = [place for place, column in enumerate(columns) if _is_measured(column)]
    words = [place for place, column in enumerate(columns) if not _is_measured(column)]
    made = np.abs(spearman)
    indicators = [_indicators(columns[place]) for place in words]
    if measured:
        values = _values([columns[place] for place in measured])
        for place, indicator in zip(words, indicators, strict=True):
            made[place, measured] = made[measured, place] = _between_words(values, indicator)
    for one, first in zip(words, indicators, strict=True):
        for other, second in zip(words, indicators, strict=True):
            if one < other:
                made[one, other] = made[other, one] = _cramer(first.T @ second)
    np.fill_diagonal(made, 1.0)
    return made


def _is_measured(column: Column) -> bool:
    return column.values.dtype.kind in "fM" or bool(column.field.levels)


def _as_they_are(values: Floats) -> Floats:
    return values


def _ranks(values: Floats) -> Floats:
    """Return the mean ranks of each column."""
    from scipy.stats import rankdata

    return np.asarray(rankdata(values, axis=0))


def _unit(values: Floats) -> Floats:
    """Return columns of mean 0 and length 1, NaN where a column does not vary."""
    away = values - values.mean(axis=0)
    size = np.abs(away).max(axis=0, initial=0.0)
    moving = size > _ROUNDING * np.abs(values).max(axis=0, initial=0.0)
    away = away / np.where(moving, size, np.nan)
    return np.asarray(away / np.linalg.norm(away, axis=0))


def _correlations(values: Floats, numbers: Callable[[Floats], Floats]) -> Floats:
    """Return the correlation of each pair of columns over the rows in which both are known.

    Columns with the same gaps are correlated at once; ``numbers`` makes ranks, or nothing, of what is left.
    """
    known = ~np.isnan(values)
    p = values.shape[1]
    made = np.full((p, p), np.nan)
    alike: dict[bytes, list[int]] = defaultdict(list)
    for j in range(p):
        alike[np.packbits(known[:, j]).tobytes()].append(j)
    blocks = list(alike.values())
    for place, block in enumerate(blocks):
        for other in blocks[place:]:
            both = known[:, block[0]] & known[:, other[0]]
            if both.sum() < _FEWEST:
                continue
            one = _unit(numbers(values[both][:, block]))
            two = one if other is block else _unit(numbers(values[both][:, other]))
            made[np.ix_(block, other)] = one.T @ two
            made[np.ix_(other, block)] = made[np.ix_(block, other)].T
    return np.clip(made, -1.0, 1.0)


def _between_words(values: Floats, indicator: Floats) -> Floats:
    """Return √ε², ε² = 1 − (N − 1)/(N − k) (1 − η²), with η² the share of the variance of ranks between k words."""
    named = indicator.any(axis=1)
    made = np.full(values.shape[1], np.nan)
    for j, column in enumerate(values.T):
        both = named & ~np.isnan(column)
        n = int(both.sum())
        if n < _FEWEST:
            continue
        away = _unit(_ranks(column[both][:, None]))[:, 0]
        counts = indicator[both].sum(axis=0)
        k = int((counts > 0).sum())
        if np.isnan(away[0]) or not 2 <= k < n:
            continue
        share = float(np.sum((indicator[both].T @ away) ** 2 / np.maximum(counts, 1.0)))
        made[j] = np.sqrt(max(1.0 - (n - 1.0) / (n - k) * (1.0 - share), 0.0))
    return made


def _cramer(table: Floats) -> float:
    """Return Cramér's V of a table of counts, with Bergsma's correction."""
    table = table[table.sum(axis=1) > 0.0][:, table.sum(axis=0) > 0.0].astype(float)
    k, m = table.shape
    n = float(table.sum())
    if min(k, m) < 2 or n < 3.0:
        return float("nan")
    expected = table.sum(axis=1, keepdims=True) * table.sum(axis=0) / n
    square = float(np.sum((table - expected) ** 2 / expected)) / n
    square = max(square - (k - 1.0) * (m - 1.0) / (n - 1.0), 0.0)
    least = min(k - (k - 1.0) ** 2 / (n - 1.0), m - (m - 1.0) ** 2 / (n - 1.0)) - 1.0
    return float(min(np.sqrt(square / least), 1.0)) if least > 0.0 else float("nan")


def _information(columns: list[Column]) -> Floats:
    """Return the mutual information of each pair of columns, from one product of their indicators."""
    indicators = [_indicators(column) for column in columns]
    ends = np.cumsum([0] + [one.shape[1] for one in indicators])
    joined = np.concatenate(indicators, axis=1)
    tables = joined.T @ joined
    p = len(columns)
    made = np.zeros((p, p))
    for i in range(p):
        for j in range(i, p):
            table = tables[ends[i] : ends[i + 1], ends[j] : ends[j + 1]]
            made[i, j] = made[j, i] = _information_of(np.asarray(table, dtype=float))
    return made


def _information_of(table: Floats) -> float:
    """Return Σ p log(p/(row × column)) of a table of counts, less its bias."""
    n = table.sum()
    if n == 0.0:
        return float("nan")
    rows, columns = table.sum(axis=1), table.sum(axis=0)
    held = table > 0.0
    expected = np.outer(rows, columns)[held] / n
    plain = float(np.sum(table[held] * np.log(table[held] / expected)) / n)
    bias = ((rows > 0).sum() - 1.0) * ((columns > 0).sum() - 1.0) / (2.0 * n)
    return max(plain - bias, 0.0)


def _indicators(column: Column) -> Floats:
    """Return an indicator per word, or per bin of numbers; none holds where the value is missing."""
    codes = codes_of(column)
    if _is_measured(column) and codes.max() >= _BINS:
        values = as_floats(column)
        known = values[~np.isnan(values)]
        edges = np.unique(np.quantile(known, np.arange(1, _BINS) / _BINS))
        codes = np.where(codes < 0, -1, np.searchsorted(edges, values, side="right"))
    return (codes[:, None] == np.arange(int(codes.max()) + 1)).astype(np.float32)
