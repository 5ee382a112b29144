"""What is looked at? A table, which of its rows, and what is to be predicted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from chemin.dictionaries.base import Floats, Indices
from chemin.exceptions import InvalidInputError
from chemin.exploration.cost import BUDGET, check_seed, drawn, estimate_cost
from chemin.frames import as_frame
from chemin.results import all_rows
from chemin.tables import Table, read
from chemin.tables.cells.field import Column, Field
from chemin.tables.files.native import is_frame
from chemin.tables.notes import brief

_CLASSES = 20  # different whole numbers up to which a target of numbers may be one of classes
_FEW_CLASSES = 3  # up to which it is
_EVEN = 0.2  # of the mean size of a class, that each of more classes has
_ROWS_EACH = 0.2  # different values per row, above which they are numbers
_DAY = 86_400e6  # microseconds
_DENSE = 2**28  # entries of a sparse matrix above which it is not made dense


@dataclass(frozen=True, eq=False)
class Subject:
    """Rows of a table, and where they come from.

    Attributes
    ----------
    table : Table
        These rows.
    rows : ndarray of shape (n,)
        Which of the rows given they are.
    said : str
        How they were chosen.
    given : int
        How many rows were given.
    """

    table: Table
    rows: Indices = field(repr=False)
    said: str
    given: int

    @property
    def n(self) -> int:
        """How many rows."""
        return len(self.rows)

    @property
    def target(self) -> Column | None:
        """What is to be predicted."""
        return None if self.table.target is None else self.table[self.table.target]

    @property
    def inputs(self) -> list[Column]:
        """All columns but the target."""
        return [column for column in self.table.columns if column.name != self.table.target]

    @property
    def types(self) -> dict[str, Any]:
        """What the inputs are, as `chemin.Prepare` takes it."""
        return {
            column.name: list(column.field.levels)
            if column.field.type == "ordered"
            else column.field.type
            for column in self.inputs
        }

    @cached_property
    def has_classes(self) -> bool:
        """Whether the target is one of classes: words, or few different whole numbers, none of them rare."""
        target = self.target
        if target is None:
            return False
        if target.values.dtype.kind != "f":
            return target.values.dtype.kind != "M"
        if target.field.why == "given":  # by the user, as numbers
            return False
        known = target.values[~target.absent]
        distinct, counts = np.unique(known, return_counts=True)
        if len(distinct) > _CLASSES or not np.all(distinct == np.round(distinct)):
            return False
        # Counts have rare values, too; classes are seldom so many and so uneven.
        even = counts.min(initial=self.n) >= _EVEN * counts.sum() / max(len(distinct), 1)
        return len(distinct) <= _FEW_CLASSES or bool(even and len(distinct) <= _ROWS_EACH * self.n)

    def take(self, places: Indices, said: str) -> Subject:
        """Return some of these rows."""
        columns = tuple(column.take(places) for column in self.table.columns)
        return replace(
            self, table=replace(self.table, columns=columns), rows=self.rows[places], said=said
        )

    def within(self, part: str, budget: float | None, random_state: int = 0) -> Subject:
        """Return as many rows, drawn at random, in their order, as a part can look at within its budget."""
        cost = estimate_cost(part, self.n, len(self.table.columns), budget)
        if cost.rows == self.n:
            return self
        return self.take(drawn(self.n, cost.rows, random_state), cost.why(random_state))


def as_subject(
    data: Any,
    target: Any = None,
    rows: Any = None,
    *,
    part: str | None = None,
    budget: float | None = BUDGET,
    random_state: int = 0,
) -> Subject:
    """Return data as a table, some of its rows, and a target.

    Parameters
    ----------
    data : Subject, Table, DataFrame, dict of columns, array, sparse array, path or name
        What to look at.
    target : str or array of shape (n,), optional
        What is to be predicted: a column, or its values.
    rows : int, slice, array of positions or of bool, optional
        Which rows to look at: so many from the first, or these. All by default.
    part, budget, random_state
        What for, so that no more rows are taken than it can look at; see `chemin.exploration.estimate_cost`.

    Returns
    -------
    Subject

    Examples
    --------
    >>> subject = as_subject("iris", rows=slice(0, 100))
    >>> subject.n, subject.said, subject.has_classes
    (100, '100 of 150 rows, as asked for', True)
    """
    check_seed(random_state)
    subject = data if isinstance(data, Subject) else _read(data, target)
    if rows is not None:
        subject = _some_rows(subject, rows)
    return subject if part is None else subject.within(part, budget, random_state)


def as_given(data: Any) -> Any:
    """Return data in one of the kinds that are read: a dict of columns as a DataFrame, lists and columns as arrays.

    Examples
    --------
    >>> as_given([[1.0], [2.0]]).shape
    (2, 1)
    """
    if sparse.issparse(data):
        if data.shape[0] * data.shape[1] > _DENSE:
            raise InvalidInputError(
                f"a sparse array of {data.shape[0]} × {data.shape[1]} is too large to look at column by column: pass "
                "some of its rows or columns"
            )
        return data.toarray()
    if isinstance(data, Mapping):
        return _frame_of(data)
    if isinstance(data, list | tuple):
        return _array_of(data)
    if hasattr(data, "to_numpy") and not is_frame(data):  # one column of a DataFrame
        return data.to_numpy()
    return data


def _frame_of(columns: Mapping[Any, Any]) -> Any:
    lengths = {len(values) if np.ndim(values) else 0 for values in columns.values()}
    if len(lengths) != 1 or 0 in lengths:
        raise InvalidInputError(
            f"a dict of columns has columns of {sorted(lengths)} values: pass as many in each, one at least"
        )
    return as_frame(columns, instead="a DataFrame, which a dict of columns becomes")


def _array_of(rows: Any) -> NDArray[Any]:
    try:
        return np.asarray(rows)
    except ValueError as error:
        raise InvalidInputError(
            f"rows have different lengths ({brief(error)}): pass as many numbers in each"
        ) from error


def _read(data: Any, target: Any) -> Subject:
    named = isinstance(target, str)
    if named and not target:
        raise InvalidInputError("target is an empty text: pass the name of a column, or none")
    if target is not None and not named:
        target = _aligned(target, data)
    data = as_given(data)
    if isinstance(data, np.ndarray) and data.ndim == 1:
        data = data[:, None]
    if isinstance(data, Table) and (not named or data.target == target):
        table = data
    else:
        table = read(data, target=target if named else None)
    if target is not None and not named:
        table = _with_target(table, target)
    n = table.shape[0]
    if table.kept is None or table is data:
        return Subject(table, np.arange(n), all_rows(n), n)
    total = len(table.kept)
    said = f"{n} of {total} rows, those that have a target"
    return Subject(table, np.flatnonzero(table.kept), said, total)


def _with_target(table: Table, values: Any) -> Table:
    """Return the table with one more column, the target."""
    given = np.asarray(values)
    if given.shape != (table.shape[0],):
        raise InvalidInputError(
            f"target has shape {given.shape} and the table has {table.shape[0]} rows: pass the name of a column, or a "
            "value per row"
        )
    name = "target"
    while name in table.names:
        name += "'"
    if given.dtype.kind in "biuf":
        column = Column(Field(name, "number"), given.astype(float))
    elif given.dtype.kind == "M":
        column = Column(Field(name, "date"), given.astype("M8[us]"))
    elif given.dtype.kind == "c":
        raise InvalidInputError("target holds complex numbers: pass real numbers or labels")
    else:
        texts = np.array([None if _is_gap(value) else str(value) for value in given], dtype=object)
        column = Column(Field(name, "category"), texts)
    if column.absent.all():
        raise InvalidInputError("every value of the target is missing: pass others, or none")
    return replace(table, columns=(*table.columns, column), target=name)


def _is_gap(value: Any) -> bool:
    return value is None or value != value


def _aligned(target: Any, data: Any) -> Any:
    """Return the values of a target in the order of the rows of a DataFrame, where both name them."""
    mine, theirs = getattr(target, "index", None), getattr(data, "index", None)
    if mine is None or theirs is None or callable(mine) or callable(theirs) or mine.equals(theirs):
        return target
    if not mine.is_unique or len(mine) != len(theirs) or set(mine) != set(theirs):
        raise InvalidInputError(
            "target and data have different indices: pass values for the same rows, or target.to_numpy() to take them "
            "in order"
        )
    return target.reindex(theirs)


def _some_rows(subject: Subject, rows: Any) -> Subject:
    """Return rows by their places among those given; those without a target are not there."""
    total = subject.given
    remedy = f"there are {total}; pass how many, a slice, positions, or True and False for each"
    if isinstance(rows, int | np.integer) and not isinstance(rows, bool):
        if not 1 <= rows <= total:
            raise InvalidInputError(f"rows is {rows}: {remedy}")
        rows = slice(0, int(rows))
    if not isinstance(rows, slice):
        rows = np.asarray(rows)
        if rows.ndim != 1 or not len(rows) or rows.dtype.kind not in "biu":
            raise InvalidInputError(f"rows cannot be taken from the table: {remedy}")
    try:
        asked = np.arange(total)[rows]
    except IndexError as error:
        raise InvalidInputError(f"rows cannot be taken ({brief(error)}): {remedy}") from error
    if len(np.unique(asked)) < len(asked):
        raise InvalidInputError(f"rows asks for some rows twice: {remedy}, each once")
    places = np.full(total, -1)
    places[subject.rows] = np.arange(subject.n)
    found = places[asked]
    found = found[found >= 0]
    if not len(found):
        raise InvalidInputError(f"rows asks for no row: {remedy}")
    said = f"{len(found)} of {total} rows, as asked for"
    if len(found) < len(asked):
        said += f" ({len(asked) - len(found)} have no target)"
    return subject.take(found, said)


def codes_of(column: Column) -> Indices:
    """Return the place of each value among the different ones in increasing order, −1 where it is missing.

    Examples
    --------
    >>> codes_of(Column(Field("size", "category"), np.array(["b", "a", None, "b"], dtype=object))).tolist()
    [1, 0, -1, 1]
    """
    absent = column.absent
    codes = np.full(len(absent), -1, dtype=np.intp)
    if column.values.dtype.kind == "O":
        known = column.values[~absent].tolist()
        place = {value: code for code, value in enumerate(sorted(set(known), key=str))}
        codes[~absent] = [place[value] for value in known]
    else:
        codes[~absent] = np.unique(column.values[~absent], return_inverse=True)[1]
    return codes


def as_floats(column: Column) -> Floats:
    """Return the values as numbers: dates as days, words by their place among the levels or in the alphabet."""
    if column.values.dtype.kind == "f":
        return np.asarray(column.values)
    absent = column.absent
    if column.values.dtype.kind == "M":
        return np.where(absent, np.nan, in_days(column.values))
    if column.field.type == "identifier":
        numbers = _as_numbers(column)
        if numbers is not None:
            return numbers
    if column.field.levels:
        place = {level: code for code, level in enumerate(column.field.levels)}
        return np.array([place.get(value, np.nan) for value in column.values.tolist()], dtype=float)
    return np.where(absent, np.nan, codes_of(column).astype(float))


def _as_numbers(column: Column) -> Floats | None:
    """Return texts as the numbers that they are, None if some are not."""
    try:
        return np.array(
            [np.nan if text is None else float(text) for text in column.values.tolist()]
        )
    except (TypeError, ValueError):
        return None


def in_days(dates: NDArray[Any]) -> Floats:
    """Return dates as days since 1970."""
    return np.asarray(dates.astype("M8[us]").astype(np.int64) / _DAY)


def as_day(days: float) -> str:
    """Return days since 1970 as a date.

    Examples
    --------
    >>> as_day(float(in_days(np.array(["2024-02-29"], dtype="M8[D]"))[0]))
    '2024-02-29'
    """
    return str(np.datetime64(round(days * _DAY), "us"))[:10]
