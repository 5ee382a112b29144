"""Why is this row put in that class? What each column adds to the log-odds of two classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from chemin.dictionaries.base import Floats
from chemin.evaluate.inputs import check_whole
from chemin.exceptions import InvalidInputError
from chemin.frames import as_frame
from chemin.results import Result, plural

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_ROWS = 5  # that are told in words
_TERMS = 3  # of each of them


@dataclass(frozen=True, eq=False, repr=False)
class LogOdds(Result):
    """Decisions of a naive Bayes classifier, each the sum of a term of the priors and one term per column.

    Attributes
    ----------
    names : tuple of str
        The p columns.
    values : ndarray of shape (n, p)
        The rows.
    terms : ndarray of shape (n, p)
        log p(x_j | C)/p(x_j | D), positive where the column speaks for C.
    prior : ndarray of shape (n,)
        log π_C/π_D.
    toward, against : ndarray of shape (n,)
        The classes C and D of each row.
    """

    names: tuple[str, ...]
    values: Floats
    terms: Floats
    prior: Floats
    toward: NDArray[Any]
    against: NDArray[Any]

    @property
    def total(self) -> Floats:
        """The log-odds of each row: prior + sum of its terms."""
        return self.prior + self.terms.sum(axis=1)

    def __str__(self) -> str:
        lines = [self._told(row) for row in range(min(len(self.terms), _ROWS))]
        more = len(self.terms) - len(lines)
        return "\n".join([*lines, *[f"and {plural(more, 'other row')}"] * (more > 0)])

    def frame(self) -> Any:
        """Return a row per row and column as a DataFrame."""
        n, p = self.terms.shape
        made = {
            "row": np.repeat(np.arange(n), p),
            "for": np.repeat(self.toward, p),
            "against": np.repeat(self.against, p),
            "column": list(self.names) * n,
            "value": self.values.ravel(),
            "term": self.terms.ravel(),
        }
        return as_frame(made, instead="terms")

    def plot(self, row: int = 0, *, top: int = 10, ax: Axes | None = None) -> Axes:
        """Draw the terms of one row, the largest first."""
        from chemin.plots.models.bayes import draw_terms

        n = len(self.terms)
        row = check_whole("row", row, 0)
        if row >= n:
            raise InvalidInputError(f"row is {row}: pass a whole number from 0 to {n - 1}")
        top = check_whole("top", top, 1)
        order = self._order(row)
        named = [
            (f"{self.names[j]} = {self.values[row, j]:.4g}", float(self.terms[row, j]))
            for j in order[:top]
        ]
        rest = self.terms[row, order[top:]]
        others = [(plural(len(rest), "other column"), float(rest.sum()))] * (len(rest) > 0)
        bars = [("priors", float(self.prior[row])), *named, *others]
        sides = (str(self.against[row]), str(self.toward[row]))
        return draw_terms([*bars, ("log-odds", float(self.total[row]))], sides, ax=ax)

    def _told(self, row: int) -> str:
        largest = self._order(row)[:_TERMS]
        parts = [f"{self.names[j]} {self.terms[row, j]:+.3g}" for j in largest]
        sides = f"{self.toward[row]} against {self.against[row]}"
        told = ", ".join([f"priors {self.prior[row]:+.3g}", *parts])
        more = ", …" if len(self.names) > _TERMS else ""
        return f"row {row}: {sides}, log-odds {self.total[row]:+.3g}: {told}{more}"

    def _order(self, row: int) -> list[int]:
        return list(np.argsort(-np.abs(self.terms[row]), kind="stable").tolist())
