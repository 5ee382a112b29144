"""Which numbers are looked at? The rows asked for, a column for every variable or category, and what was left out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from chemin.dictionaries.base import Floats, Indices
from chemin.exceptions import InvalidInputError
from chemin.exploration.cost import BUDGET, check_seed, drawn, estimate_cost
from chemin.exploration.subject import Subject, as_given, as_subject
from chemin.results import Result, all_rows, plural
from chemin.tables import Prepare
from chemin.validation import as_points as checked_points

_LARGEST = 1e150  # whose square is finite
_ROUNDING = 1e-13  # of the values: a smaller spread is rounding
_LEFT_OUT = {"identifier": "it names the rows", "constant": "it is constant"}


@dataclass(frozen=True, eq=False, repr=False)
class Points(Result):
    """Rows of numbers, and where they come from.

    Attributes
    ----------
    values : ndarray of shape (n, p)
        The numbers.
    names : tuple of str
        What the columns are called.
    rows : ndarray of shape (n,)
        Which of the rows given these are.
    said : str
        How these rows were chosen.
    left_out : dict
        Variables without a column, and why.
    scaled : bool
        Whether numbers were brought to mean 0 and standard deviation 1.
    """

    values: Floats = field(repr=False)
    names: tuple[str, ...]
    rows: Indices = field(repr=False)
    said: str
    left_out: Mapping[str, str] = field(default_factory=dict)
    scaled: bool = False

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        n, p = self.values.shape
        return n, p

    def __str__(self) -> str:
        left_out = f"; without {', '.join(map(repr, self.left_out))}" if self.left_out else ""
        return f"{plural(self.shape[1], 'column')}, {self.said}{left_out}"

    def take(self, places: Indices, said: str) -> Points:
        """Return some of these rows."""
        return replace(self, values=self.values[places], rows=self.rows[places], said=said)

    def within(self, part: str, budget: float | None, random_state: int = 0) -> Points:
        """Return as many rows, drawn at random, as a part can look at within its budget."""
        n, p = self.shape
        cost = estimate_cost(part, n, p, budget)
        if cost.rows == n:
            return self
        return self.take(drawn(n, cost.rows, random_state), cost.why(random_state))


def as_points(
    data: Any,
    *,
    scale: bool = False,
    least: int = 1,
    part: str | None = None,
    budget: float | None = BUDGET,
    random_state: int = 0,
) -> Points:
    """Return data as rows of numbers.

    An array is taken as it is. Of a table, identifiers and constant columns are left out; words and dates become
    columns and gaps are filled, as `chemin.Prepare` does, if there are any.

    Parameters
    ----------
    data : array, DataFrame, Table, path or Points
        What to look at. One column may be given as a 1-D array.
    scale : bool, default False
        Bring numbers to mean 0 and standard deviation 1.
    least : int, default 1
        How many rows are needed.
    part, budget, random_state
        What for, so that no more rows are taken than it can look at; see `chemin.exploration.estimate_cost`.

    Returns
    -------
    Points

    Examples
    --------
    >>> as_points([1.0, 2.0, 4.0]).shape
    (3, 1)
    >>> points = as_points("patients", scale=True)
    >>> points.left_out
    {'identifiant': 'it names the rows'}
    """
    check_seed(random_state)
    points = data if isinstance(data, Points) else _points_of(data, scale)
    if len(points.values) < least:
        raise InvalidInputError(
            f"there are {len(points.values)} rows and at least {least} are needed: pass more rows"
        )
    if scale and not points.scaled:
        points = _scaled(points)
    return points if part is None else points.within(part, budget, random_state)


def _points_of(data: Any, scale: bool) -> Points:
    data = as_given(data)
    if isinstance(data, np.ndarray) and data.dtype.kind in "biuf":
        values = checked_points(data[:, None] if data.ndim == 1 else data)
        names = tuple(f"x{j}" for j in range(values.shape[1]))
        for name, column in zip(names, values.T, strict=True):
            check_finite(name, column)
        return Points(values, names, np.arange(len(values)), all_rows(len(values)))
    return points_of(as_subject(data), scale)


def points_of(subject: Subject, scale: bool) -> Points:
    """Return the inputs of a table, its target apart, as numbers."""
    left_out = {
        column.name: _LEFT_OUT[column.field.type]
        for column in subject.inputs
        if column.field.type in _LEFT_OUT
    }
    used = [column for column in subject.inputs if column.name not in left_out]
    for column in used:
        check_finite(column.name, column.values)
    if not used:
        told = ", ".join(f"{name!r} ({why})" for name, why in list(left_out.items())[:5])
        raise InvalidInputError(
            f"no column is left to look at: {told or 'there is only the target'}; pass more rows, or "
            "read them with types= to keep some"
        )
    if all(column.field.type == "number" and not column.absent.any() for column in used):
        values = np.column_stack([column.values for column in used])
        names = tuple(column.name for column in used)
        return Points(values, names, subject.rows, subject.said, left_out)
    types = {column.name: subject.types[column.name] for column in used}
    prepare = Prepare(types, scale=scale)
    shown = replace(subject.table, columns=tuple(used), target=None).frame()
    values = np.asarray(prepare.fit(shown).transform(shown), dtype=float)
    left_out |= prepare.left_out_
    names = tuple(prepare.get_feature_names_out().tolist())
    return Points(values, names, subject.rows, subject.said, left_out, scale)


def check_finite(name: str, values: Any) -> None:
    """Raise if a column has infinite cells, or some so large that their squares are."""
    if values.dtype.kind != "f":
        return
    wild = np.flatnonzero(np.abs(values) > _LARGEST)
    if not len(wild):
        return
    first = values[wild[0]]
    what = "infinite values" if np.isinf(first) else f"values beyond {_LARGEST:g}"
    raise InvalidInputError(
        f"column {name!r} has {len(wild)} {what}, the first in row {wild[0]}: replace them by numbers or gaps (NaN), "
        "or leave the column out"
    )


def as_column(data: Any, name: str = "x", least: int = 2) -> tuple[str, Floats]:
    """Return one column of numbers without its gaps, and its name.

    Examples
    --------
    >>> as_column([1.0, float("nan"), 3.0])
    ('x', array([1., 3.]))
    """
    if isinstance(data, Points) and data.shape[1] == 1:
        return data.names[0], data.values[:, 0]
    name = str(getattr(data, "name", None) or name)
    try:
        values = np.asarray(data)
        if values.dtype.kind == "c":
            raise TypeError("complex numbers")
        values = values.astype(float)
    except (TypeError, ValueError) as error:
        raise InvalidInputError(
            f"{name!r} is not one column of numbers: pass a 1-D array, such as frame['age']"
        ) from error
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if values.ndim != 1:
        raise InvalidInputError(
            f"{name!r} has shape {values.shape}, and one column is asked for: pass a 1-D array"
        )
    check_finite(name, values)
    known = values[~np.isnan(values)]
    if len(known) < least:
        raise InvalidInputError(
            f"{name!r} has {len(known)} values that are not missing, and at least {least} are needed: pass more rows"
        )
    return name, known


def _scaled(points: Points) -> Points:
    away = points.values - points.values.mean(axis=0)
    size = np.abs(away).max(axis=0, initial=0.0)
    moving = size > _ROUNDING * np.abs(points.values).max(axis=0, initial=0.0)
    # Divided by their sizes first, so that no square is too small.
    away = np.where(moving, away, 0.0) / np.where(moving, size, 1.0)
    return replace(points, values=away / np.where(moving, away.std(axis=0), 1.0), scaled=True)
