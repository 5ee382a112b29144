"""What is the path as a function of its norm? s = Σ_j v_j |b_j| in place of l1, with plateaus.

s never falls as l1 does, and between two breakpoints it is affine in l1. It stands still where the points at kinks hold
all coefficients: the dual values go on moving with l1 there, and a path followed in s would end.

Reference: Wang, Zhu and Zou (2006), *The doubly regularized support vector machine*, whose path is in s.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from chemin.dictionaries.base import Floats, Indices
from chemin.engine.result import Path
from chemin.exceptions import InvalidInputError, OutOfRangeError
from chemin.frames import as_frame
from chemin.results import Result, plural

_STILL = 1e-12  # relative to the largest norm


@dataclass(frozen=True, eq=False, repr=False)
class NormView(Result):
    """A path by its norm.

    Attributes
    ----------
    path : Path
    """

    path: Path

    def __str__(self) -> str:
        count = plural(len(self.plateaus), "plateau")
        return f"The norm goes from {self.norm[0]:.4g} to {self.norm[-1]:.4g}, with {count}."

    @cached_property
    def norm(self) -> Floats:
        """The norm at the breakpoints of the path; rounding does not make it fall."""
        weight = self.path.problem.l1_weight
        return np.maximum.accumulate(np.asarray(abs(self.path.coef) @ weight))

    @cached_property
    def plateaus(self) -> Indices:
        """Between which breakpoints s stands still: the first and the last of each plateau, one row each."""
        still = np.diff(self.norm) <= _STILL * max(float(self.norm[-1]), np.finfo(float).tiny)
        still &= self.path.l1[1:] < self.path.l1[:-1]
        edges = np.flatnonzero(np.diff(np.concatenate([[False], still, [False]])))
        return edges.reshape(-1, 2)

    def frame(self) -> Any:
        """Return the plateaus as a pandas or else polars frame."""
        first = self.plateaus[:, 0]
        last = self.plateaus[:, 1]
        columns = {
            "norm": self.norm[first],
            "l1_from": self.path.l1[first],
            "l1_to": self.path.l1[last],
        }
        return as_frame(columns, instead="view.plateaus")

    def l1_at(self, norm: float) -> tuple[float, float]:
        """Return the largest and the smallest l1 with that norm: equal but on a plateau."""
        if not 0.0 <= norm <= self.norm[-1]:
            raise OutOfRangeError(
                f"the norm must be between 0 and {self.norm[-1]:g}, where this path ends: "
                "follow it further with a smaller min_l1, or ask for a smaller norm"
            )
        return self._where(norm, "left"), self._where(norm, "right")

    def _where(self, norm: float, side: Any) -> float:
        after = int(np.searchsorted(self.norm, norm, side=side))
        if after in (0, len(self.norm)):
            return float(self.path.l1[min(after, len(self.norm) - 1)])
        before = after - 1
        share = (norm - self.norm[before]) / (self.norm[after] - self.norm[before])
        return float((1.0 - share) * self.path.l1[before] + share * self.path.l1[after])

    def coef_at(self, norm: float) -> Floats:
        """Return the coefficients with that norm, the best of all that have no larger one."""
        return self.path.coef_at(self.l1_at(norm)[0])

    def intercept_at(self, norm: float) -> float:
        """Return the intercept that goes with them."""
        return float(self.path.intercept_at(self.l1_at(norm)[0]))


def by_norm(path: Path) -> NormView:
    """Look at a path by its norm.

    Examples
    --------
    >>> import chemin
    >>> path = chemin.svm_path([[-2.0], [-1.0], [1.0], [2.0]], ["no", "no", "yes", "yes"])
    >>> view = chemin.by_norm(path)
    >>> print(view)
    The norm goes from 0 to 1, with 2 plateaus.
    >>> view.l1_at(0.25)
    (5.75, 5.75)
    >>> view.l1_at(0.5)
    (5.5, 1.5)
    """
    if not isinstance(path, Path):
        raise InvalidInputError(
            f"path is a {type(path).__name__}: pass a path in l1, as chemin.path returns it"
        )
    return NormView(path)
