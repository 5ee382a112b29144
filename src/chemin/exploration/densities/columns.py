"""How is each column spread? A window density and the law nearest to it, column by column."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from chemin.dictionaries.base import Floats
from chemin.exceptions import CheminError, InvalidInputError
from chemin.exploration.cost import BUDGET
from chemin.exploration.densities.laws import Laws, fit_laws
from chemin.exploration.densities.parzen import Parzen, parzen
from chemin.exploration.points import Points, check_finite
from chemin.exploration.subject import as_subject
from chemin.frames import as_frame
from chemin.progress import Bar
from chemin.results import Result
from chemin.tables.cells.field import Column

_LINE = 400  # places at which maxima are looked for
_CLEAR = 0.1  # of the highest maximum: lower ones, and dips less deep, are not counted
_NEAR = 0.15  # distance of Kolmogorov and Smirnov from which on a law is no description
_MOST = 2000  # values of a column that its curve is drawn from


@dataclass(frozen=True, eq=False, repr=False)
class ColumnDensity(Result):
    """One column: its window density, and the usual laws."""

    parzen: Parzen
    laws: Laws

    @property
    def name(self) -> str:
        """The column."""
        return self.laws.name

    @property
    def maxima(self) -> int:
        """How many clear maxima the window density has."""
        x = self.parzen.grid(resolution=_LINE)[0]
        return count_maxima(self.parzen.pdf(x))

    def __str__(self) -> str:
        maxima = self.maxima
        told = "one maximum" if maxima == 1 else f"{maxima} maxima"
        best = self.laws.best
        how = "nearest law" if best.distance < _NEAR else "far from every usual law, even"
        return f"{self.name}: {told}; {how} {best.name} (distance {best.distance:.3f})"


@dataclass(frozen=True, eq=False, repr=False)
class Densities(Result):
    """The densities of the columns of numbers.

    Attributes
    ----------
    columns : tuple of ColumnDensity
        One per column.
    left_out : dict
        Other columns, and why.
    said : str
        Which rows were looked at.
    """

    columns: tuple[ColumnDensity, ...]
    left_out: dict[str, str]
    said: str

    def __getitem__(self, name: str) -> ColumnDensity:
        for column in self.columns:
            if column.name == name:
                return column
        raise KeyError(name)

    def __str__(self) -> str:
        lines = [f"{len(self.columns)} columns of numbers, {self.said}"]
        return "\n".join([*lines, *(f"  {column}" for column in self.columns)])

    def frame(self) -> Any:
        """Return a row per column as a DataFrame."""
        made = {
            "column": [column.name for column in self.columns],
            "bandwidth": [column.parzen.bandwidth for column in self.columns],
            "maxima": [column.maxima for column in self.columns],
            "law": [column.laws.best.name for column in self.columns],
            "distance": [column.laws.best.distance for column in self.columns],
        }
        return as_frame(made, instead="columns")

    def plot(self, most: int = 12) -> Any:
        """Draw the densities of the first columns, each with its best law."""
        from chemin.plots.exploration.densities import draw_many

        curves = []
        for column in self.columns[:most]:
            x = column.parzen.grid()[0]
            law = column.laws.best
            fitted = None if law.discrete else law.pdf(x)
            values = column.laws.values
            curves.append((column.name, values, x, column.parzen.pdf(x), law.name, fitted))
        return draw_many(curves, len(self.columns))


def column_densities(
    data: Any,
    *,
    most: int = 50,
    budget: float | None = BUDGET,
    random_state: int = 0,
    progress: bool = False,
) -> Densities:
    """Estimate the density of every column of numbers.

    Parameters
    ----------
    data : DataFrame, Table, array or path
        The table.
    most : int, default 50
        Columns that are looked at: the first so many columns of numbers.
    budget : float, optional
        Seconds of estimated work beyond which a random part of the rows is looked at.
    random_state : int, default 0
        Which part.
    progress : bool, default False
        Draw a bar.

    Returns
    -------
    Densities

    Examples
    --------
    >>> found = column_densities("iris")
    >>> found["petal length (cm)"].maxima
    2
    """
    subject = as_subject(data, part="densities", budget=budget, random_state=random_state)
    target = subject.table.target
    left_out: dict[str, str] = {}
    numbers: list[Column] = []
    for column in subject.table.columns:
        if column.name == target:
            left_out[column.name] = "it is the target"
        elif column.field.type != "number":
            left_out[column.name] = f"it is not a number but {column.field.type}"
        elif len(numbers) == most:
            left_out[column.name] = f"only {most} columns are looked at: pass most="
        else:
            numbers.append(column)
    if not numbers:
        raise InvalidInputError("no column of numbers is left to look at: read them with types=")
    found = []
    for column in Bar("densities", len(numbers), progress).over(numbers):
        known = column.values[~column.absent]
        try:
            check_finite(column.name, known)
            laws = fit_laws(_named(column.name, known))
            found.append(ColumnDensity(_curve(column.name, known), laws))
        except CheminError as error:
            left_out[column.name] = str(error)
    if not found:
        raise InvalidInputError(f"no column of numbers has a density: {left_out[numbers[0].name]}")
    return Densities(tuple(found), left_out, subject.said)


def count_maxima(values: Floats) -> int:
    """Return how many maxima stand clear of their surroundings by a tenth of the highest value.

    Examples
    --------
    >>> count_maxima(np.array([0.0, 1.0, 0.2, 0.9, 0.88, 0.89, 0.0]))
    2
    """
    from scipy.signal import find_peaks

    padded = np.concatenate([[0.0], values, [0.0]])
    return len(find_peaks(padded, prominence=_CLEAR * float(values.max()))[0])


def _curve(name: str, values: Floats) -> Parzen:
    some = values[:: max(len(values) // _MOST, 1)]
    points = Points(some[:, None], (name,), np.arange(len(some)), f"{len(some)} values")
    return parzen(points)


def _named(name: str, values: Floats) -> Points:
    return Points(values[:, None], (name,), np.arange(len(values)), f"{len(values)} values")
