"""What is in each column? Type, gaps, different values, where they lie and how far they spread."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from chemin.exploration.cost import BUDGET
from chemin.exploration.subject import Subject, as_day, as_subject, in_days
from chemin.frames import as_frame
from chemin.progress import Bar
from chemin.results import Result, figures, plural
from chemin.tables.cells.field import Column

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_BINS = 30  # of the picture of a column
_BARS = 8  # different numbers up to which each has a bar
_SHOWN = 40  # columns told in words


@dataclass(frozen=True)
class ColumnDescription:
    """One column in numbers; what its type does not have is NaN or "".

    Attributes
    ----------
    name, type : str
        As read.
    role : str
        "input" or "target".
    rows, missing, infinite, distinct : int
        Rows, gaps, infinite values, and different values that are known.
    top : str
        The most frequent value.
    top_share : float
        Its share of the known values.
    mean, deviation : float
        Of finite numbers; the deviation with 1/(N − 1).
    least, quarter, median, three_quarters, most : float
        Quantiles of finite numbers; of dates, in days since 1970.
    first, last : str
        The range, as the user writes it.
    """

    name: str
    type: str
    role: str
    rows: int
    missing: int
    infinite: int
    distinct: int
    top: str = ""
    top_share: float = float("nan")
    mean: float = float("nan")
    deviation: float = float("nan")
    least: float = float("nan")
    quarter: float = float("nan")
    median: float = float("nan")
    three_quarters: float = float("nan")
    most: float = float("nan")
    first: str = ""
    last: str = ""

    @property
    def missing_share(self) -> float:
        """The share of rows with a gap."""
        return self.missing / max(self.rows, 1)

    def __str__(self) -> str:
        if self.missing == self.rows:
            return "all missing"
        if self.type == "number" and np.isfinite(self.mean):
            spread = f"{figures(self.least)} to {figures(self.most)}"
            told = f"{figures(self.mean)} ± {figures(self.deviation, '.3g')}, {spread}"
        elif self.type == "date":
            told = f"{self.first} to {self.last}"
        elif self.distinct == self.rows - self.missing:
            told = f"{self.distinct} different, such as {self.top!r}"
        else:
            told = f"{self.distinct} different, most often {self.top!r} ({self.top_share:.0%})"
        told += f"; {self.missing_share:.0%} missing" * (self.missing > 0)
        return told + f"; {self.infinite} infinite" * (self.infinite > 0)


@dataclass(frozen=True, eq=False, repr=False)
class Description(Result):
    """All columns of a table in numbers.

    Attributes
    ----------
    columns : tuple of ColumnDescription
        One per column, in the order of the table.
    said : str
        Which rows were looked at.
    """

    columns: tuple[ColumnDescription, ...]
    said: str
    _subject: Subject = field(repr=False)

    def __getitem__(self, name: str) -> ColumnDescription:
        for column in self.columns:
            if column.name == name:
                return column
        raise KeyError(name)

    def frame(self) -> Any:
        """Return a row per column as a DataFrame."""
        made = {
            name: [getattr(column, name) for column in self.columns]
            for name in ColumnDescription.__dataclass_fields__
        }
        return as_frame(made, instead="columns")

    def plot(self, most: int = 24) -> Any:
        """Draw the first columns, numbers and dates in bins, words in bars."""
        from chemin.plots.exploration.description import draw_columns

        shown = self._subject.table.columns[:most]
        panels = [
            (column.name, *_panel(column), described.missing_share)
            for column, described in zip(shown, self.columns, strict=False)
        ]
        return draw_columns(panels, total=len(self.columns))

    def plot_missing(self, ax: Axes | None = None) -> Axes:
        """Draw the share of gaps of each column that has some, and with which other it is most often missing."""
        from chemin.plots.exploration.description import draw_missing

        some = [column for column in self._subject.table.columns if column.absent.any()]
        absent = np.array([column.absent for column in some], dtype=float).reshape(len(some), -1)
        together = absent @ absent.T / max(self._subject.n, 1)
        names = [column.name for column in some]
        return draw_missing(names, np.diag(together), together, ax=ax)

    def __str__(self) -> str:
        wide = max(len(column.name) for column in self.columns[:_SHOWN])
        lines = [f"{plural(len(self.columns), 'column')}, {self.said}"]
        for column in self.columns[:_SHOWN]:
            role = " (target)" * (column.role == "target")
            lines.append(f"  {column.name:<{wide}}  {column.type:<10}  {column}{role}")
        if len(self.columns) > _SHOWN:
            lines.append(f"  … {len(self.columns) - _SHOWN} more in .columns")
        return "\n".join(lines)


def describe(
    data: Any,
    target: Any = None,
    *,
    rows: Any = None,
    budget: float | None = BUDGET,
    random_state: int = 0,
    progress: bool = False,
) -> Description:
    """Describe every column.

    Parameters
    ----------
    data : Table, DataFrame, array, path or name
        The table.
    target : str or array of shape (n,), optional
        What is to be predicted.
    rows : int, slice or array, optional
        Which rows to look at.
    budget : float, optional
        Seconds of estimated work beyond which a random part of the rows is looked at.
    random_state : int, default 0
        Which part.
    progress : bool, default False
        Draw a bar.

    Returns
    -------
    Description

    Examples
    --------
    >>> described = describe("patients", "diagnostic")
    >>> print(described["tension"])
    126.5 ± 13.8, 93 to 163; 4% missing
    """
    subject = as_subject(
        data, target, rows, part="description", budget=budget, random_state=random_state
    )
    columns = subject.table.columns
    bar = Bar("columns", len(columns), progress)
    described = tuple(bar.over(_described(column, subject) for column in columns))
    return Description(described, subject.said, subject)


def _described(column: Column, subject: Subject) -> ColumnDescription:
    absent = column.absent
    known = column.values[~absent]
    role = "target" if column.name == subject.table.target else "input"
    made = ColumnDescription(
        column.name, column.field.type, role, len(absent), int(absent.sum()), 0, 0
    )
    if not len(known):
        return made
    return _of_words(made, known) if known.dtype.kind == "O" else _of_measures(made, known)


def _of_words(made: ColumnDescription, known: NDArray[Any]) -> ColumnDescription:
    counts = Counter(known.tolist())
    top, count = counts.most_common(1)[0]
    return replace(made, distinct=len(counts), top=str(top), top_share=count / len(known))


def _of_measures(made: ColumnDescription, known: NDArray[Any]) -> ColumnDescription:
    """Describe numbers, or dates as days since 1970."""
    dates = known.dtype.kind == "M"
    numbers = in_days(known) if dates else known
    finite = np.sort(numbers[np.isfinite(numbers)])
    infinite = np.unique(numbers[np.isinf(numbers)])
    made = replace(made, infinite=len(numbers) - len(finite), distinct=len(infinite))
    if not len(finite):
        return made
    begins = np.flatnonzero(np.append(True, finite[1:] != finite[:-1]))
    counts = np.diff(np.append(begins, len(finite)))
    top = int(np.argmax(counts))
    quantiles = np.quantile(finite, [0.0, 0.25, 0.5, 0.75, 1.0]).tolist()
    size = float(np.abs(finite).max()) or 1.0  # so that no sum or square is too large
    mean = float((finite / size).mean()) * size
    deviation = float((finite / size).std(ddof=1)) * size if len(finite) > 1 else float("nan")

    def said(value: float) -> str:
        return as_day(value) if dates else f"{value:.6g}"

    return replace(
        made, distinct=len(counts) + len(infinite), top=said(float(finite[begins[top]])),
        top_share=float(counts[top]) / len(numbers), mean=mean, deviation=deviation,
        least=quantiles[0], quarter=quantiles[1], median=quantiles[2], three_quarters=quantiles[3],
        most=quantiles[4], first=said(quantiles[0]), last=said(quantiles[4]),
    )  # fmt: skip


def _panel(column: Column) -> tuple[str, Any]:
    """Return what the picture of a column shows: ends and heights of bins, or the most frequent words."""
    known = column.values[~column.absent]
    if known.dtype.kind == "O":
        frequent = Counter(known.tolist()).most_common()
        return "bars", ([str(value) for value, _ in frequent], [count for _, count in frequent])
    numbers = in_days(known) / 365.2425 + 1970.0 if known.dtype.kind == "M" else known  # in years
    numbers = numbers[np.isfinite(numbers)]
    distinct, counts = np.unique(numbers, return_counts=True)
    if len(distinct) <= _BARS:
        return "bars", ([f"{value:g}" for value in distinct], counts.tolist())
    heights, edges = np.histogram(numbers, bins=_BINS)
    return "bins", (edges, heights)
