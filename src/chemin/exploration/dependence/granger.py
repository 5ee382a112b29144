"""Does one series foretell another? Granger's test: whether the past of x improves the forecast of y from its own past.

y_t = a + Σ b_k y_{t−k} + Σ c_k x_{t−k} + e_t, k = 1 … L. With R₀, R₁ the residual sums of squares without and with x,
F = (R₀ − R₁)/L / (R₁/(N − 2L − 1)) has Fisher's law with L and N − 2L − 1 degrees of freedom if all c are 0.
Foretelling is not causing: a third series may drive both.

References: Granger (1969), *Investigating causal relations by econometric models and cross-spectral methods*; Holm
(1979) for many pairs at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from chemin.dictionaries.base import Floats, Indices
from chemin.exceptions import InvalidInputError
from chemin.exploration.points import check_finite
from chemin.exploration.subject import Subject, as_floats, as_subject
from chemin.frames import as_frame
from chemin.multiplicity import holm
from chemin.progress import Bar
from chemin.results import Result

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LEVEL = 0.05  # of the adjusted probability below which a series is said to foretell another
_MOST_LAGS = 8
_ROWS_PER_LAG = 10
_ROOT = 0.95  # correlation with the value before, from which on a series may wander
_MOST = 50  # series that are compared


@dataclass(frozen=True, eq=False, repr=False)
class Granger(Result):
    """Which series foretell which.

    Attributes
    ----------
    names : tuple of str
        The series.
    statistic, pvalue : ndarray of shape (p, p)
        F and its probability if series i does not foretell series j; NaN on the diagonal.
    adjusted : ndarray of shape (p, p)
        Probabilities adjusted for the number of pairs (Holm).
    lags : ndarray of shape (p, p)
        How many past values were used.
    gain : ndarray of shape (p, p)
        By which share the past of i lowers the squared error of the forecast of j, (R₀ − R₁)/R₀.
    wandering : tuple of str
        Series that hardly return, for which the test finds too much: take differences.
    said : str
        Which rows were looked at, in which order.
    """

    names: tuple[str, ...]
    statistic: Floats = field(repr=False)
    pvalue: Floats = field(repr=False)
    adjusted: Floats = field(repr=False)
    lags: Indices = field(repr=False)
    gain: Floats = field(repr=False)
    wandering: tuple[str, ...]
    said: str

    @property
    def significant(self) -> NDArray[np.bool_]:
        """Where the adjusted probability is below 5 %."""
        return self.adjusted < LEVEL

    def frame(self) -> Any:
        """Return a row per ordered pair as a DataFrame, the least probable first."""
        one, other = np.nonzero(~np.eye(len(self.names), dtype=bool))
        order = np.argsort(self.pvalue[one, other], kind="stable")
        one, other = one[order], other[order]
        names = np.array(self.names, dtype=object)
        made = {
            "series": names[one],
            "foretells": names[other],
            "lags": self.lags[one, other],
            "F": self.statistic[one, other],
            "p": self.pvalue[one, other],
            "adjusted p": self.adjusted[one, other],
            "gain": self.gain[one, other],
        }
        return as_frame(made, instead="statistic, pvalue, adjusted")

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw by how much each series lowers the error of the forecast of each other."""
        from chemin.plots.exploration.dependence import draw_influences

        title = "share of the squared error of the forecast that the past of the row removes"
        return draw_influences(list(self.names), self.gain, self.significant, title=title, ax=ax)

    def __str__(self) -> str:
        told = [
            f"{self.names[i]} foretells {self.names[j]} (p = {self.adjusted[i, j]:.2g}, adjusted)"
            for i, j in np.argwhere(self.significant)
        ]
        lines = [f"{len(self.names)} series, {self.said}", *(f"  {line}" for line in told)]
        if not told:
            lines.append("  no series foretells another")
        if self.wandering:
            lines.append(
                f"  {', '.join(self.wandering)}: each value is nearly the one before: pass difference=True"
            )
        return "\n".join(lines)


def granger(
    data: Any,
    columns: Sequence[str] | None = None,
    *,
    lags: int | None = None,
    order: str | None = None,
    difference: bool = False,
    rows: Any = None,
    progress: bool = False,
) -> Granger:
    """Test which series foretell which.

    Parameters
    ----------
    data : Table, DataFrame, array, path or name
        A row per moment, evenly spaced, the first one first.
    columns : list of str, optional
        Which series; all columns of numbers by default.
    lags : int, optional
        How many past values; by default as many as BIC prefers, pair by pair, up to eight.
    order : str, optional
        A column, such as a date, by which rows are put in order first.
    difference : bool, default False
        Look at the changes from row to row instead.
    rows : int, slice or array, optional
        Which rows to look at.
    progress : bool, default False
        Draw a bar.

    Returns
    -------
    Granger

    Examples
    --------
    >>> noise = np.random.default_rng(0).normal(size=(2, 301))
    >>> rain, river = noise[0, 1:], noise[0, :-1] + 0.5 * noise[1, 1:]
    >>> print(granger({"rain": rain, "river": river}, lags=1))
    2 series, all 300 rows
      rain foretells river (p = 2.8e-110, adjusted)
    """
    subject = as_subject(data, None, rows)
    names, X = _series(subject, columns, order)
    said = subject.said + f", in the order of {order!r}" * (order is not None)
    if difference:
        X = np.diff(X, axis=0)
        said += ", changes from row to row"
    n, p = X.shape
    most = min(_MOST_LAGS, (n - 2) // _ROWS_PER_LAG) if lags is None else lags
    if isinstance(most, bool) or not isinstance(most, int) or most < 1 or n < 3 * most + 3:
        raise InvalidInputError(
            f"{n} rows are too few for {'any' if lags is None else lags} past values: pass more rows, or fewer lags="
        )
    steps = range(1, most + 1) if lags is None else [most]
    statistic, pvalue, gain = (np.full((p, p), np.nan) for _ in range(3))
    used = np.zeros((p, p), dtype=np.intp)
    for i in Bar("series", p, progress).over(range(p)):
        for j in range(p):
            if i != j:
                used[i, j], statistic[i, j], pvalue[i, j], gain[i, j] = _test(
                    X[:, i], X[:, j], steps
                )
    with np.errstate(invalid="ignore"):  # of a series that moves once, at its end
        before = [float(np.corrcoef(X[1:, j], X[:-1, j])[0, 1]) for j in range(p)]
    adjusted = np.full((p, p), np.nan)
    adjusted[~np.isnan(pvalue)] = holm(pvalue[~np.isnan(pvalue)])
    wandering = tuple(name for name, r in zip(names, before, strict=True) if r > _ROOT)
    return Granger(tuple(names), statistic, pvalue, adjusted, used, gain, wandering, said)


def _series(
    subject: Subject, columns: Sequence[str] | None, order: str | None
) -> tuple[list[str], Floats]:
    """Return the names and values of the series, in the order of time."""
    table = subject.table
    asked = [columns] if isinstance(columns, str) else columns
    for name in [*(asked or []), *filter(None, [order])]:
        if name not in table.names:
            raise InvalidInputError(
                f"there is no column {name!r}: pass some of {', '.join(map(repr, table.names[:8]))}"
            )
    if asked is None:
        used = [c for c in table.columns if c.field.type == "number" and c.name != order]
    else:
        used = [table[name] for name in asked]
    if not 2 <= len(used) <= _MOST:
        raise InvalidInputError(
            f"there are {len(used)} columns of numbers to compare: pass columns=, from 2 to {_MOST} of them"
        )
    values = []
    for column in used:
        if column.values.dtype.kind != "f":
            raise InvalidInputError(
                f"column {column.name!r} is {column.field.type}, and series are numbers: pass others in columns="
            )
        check_finite(column.name, column.values)
        gaps = int(column.absent.sum())
        if gaps:
            raise InvalidInputError(
                f"column {column.name!r} has {gaps} gaps, and a series has none: fill them, or pass rows= without them"
            )
        away = column.values - column.values.mean()
        size = np.abs(away).max()
        if size == 0.0:
            raise InvalidInputError(f"column {column.name!r} is constant: leave it out of columns=")
        values.append(away / size)  # so that no square is too small
    X = np.column_stack(values)
    if order is not None:
        X = X[np.argsort(as_floats(table[order]), kind="stable")]
    return [column.name for column in used], X


def _test(x: Floats, y: Floats, steps: Sequence[int] | range) -> tuple[int, float, float, float]:
    """Return the number of past values, F, its probability, and the share of the error that the past of x removes."""
    from scipy.stats import f as fisher

    most = max(steps)
    scores = [
        len(y[most:]) * _log(_residual(x, y, L, most)) + 2 * L * np.log(len(y[most:]))
        for L in steps
    ]
    L = int(list(steps)[int(np.argmin(scores))])
    without, both = _residual(None, y, L, L), _residual(x, y, L, L)
    free = len(y) - L - 2 * L - 1
    if both <= 0.0:
        return L, np.inf, 0.0, 1.0
    statistic = (without - both) / L / (both / free)
    return L, float(statistic), float(fisher.sf(statistic, L, free)), float(1.0 - both / without)


def _log(value: float) -> float:
    return float(np.log(max(value, 1e-300)))


def _residual(x: Floats | None, y: Floats, lags: int, first: int) -> float:
    """Return the residual sum of squares of y, from row ``first`` on, by its past and that of x."""
    n = len(y) - first
    past = [
        series[first - k : first - k + n]
        for series in (y, x)
        if series is not None
        for k in range(1, lags + 1)
    ]
    design = np.column_stack([np.ones(n), *past])
    fitted = np.linalg.lstsq(design, y[first:], rcond=None)[0]
    return float(np.sum((y[first:] - design @ fitted) ** 2))
