"""Which plane agrees with the most points to within δ? The exact largest consensus, by trying all that can be it.

    max over w, b of  #{i : |y_i − x_i·w − b| ≤ δ}

The w and b that agree with some points are a polytope. If these points are as many as can be, the polytope has a
corner, where p residuals are ±δ, p the number of coefficients: a line in it would reach a point more. So all C(n, p)
choices of p points are tried, with all 2^p signs. RANSAC tries some of them, at residual 0.

Reference: F. Sur, *Introduction à l'apprentissage automatique*, 4.2; Olsson, Enqvist and Kahl (2008).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, islice
from math import comb
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.optimize import linprog

from chemin.dictionaries.base import Floats
from chemin.exceptions import InvalidInputError
from chemin.frames import as_frame
from chemin.theory.bounds.rademacher import all_signs
from chemin.theory.theorem import Promise, Theorem

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Consensus", "max_consensus"]

_MOST = 2_000_000_000  # residuals that are computed; more take minutes
_AT_ONCE = 4_000_000
_SINGULAR = 1e-10
_ROUNDING = 1e-9

CORNERS = Theorem(
    "the largest consensus is at a corner",
    "some w, b with the largest number of residuals within δ has p residuals equal to ±δ",
    ("columns, with a constant one for b, of full rank p", "n ≥ p points", "δ > 0"),
    "Sur, 4.2; Olsson et al. 2008",
)


@dataclass(frozen=True, eq=False, repr=False)
class Consensus(Promise):
    """The plane that agrees with the most points.

    Attributes
    ----------
    coef : ndarray
        w: of all planes within δ of these points, the one whose largest residual is least.
    intercept : float
        b.
    members : ndarray of bool
        The points that agree.
    tolerance : float
        δ.
    largest : float
        The largest residual of a member, at most δ.
    tried : int
        Planes that were tried.
    x, y : ndarrays
        The points, for the picture.
    """

    theorem = CORNERS
    coef: Floats
    intercept: float
    members: Any
    tolerance: float
    largest: float
    tried: int
    x: Floats
    y: Floats

    @property
    def size(self) -> int:
        """How many points agree: no plane agrees with more."""
        return int(self.members.sum())

    def predict(self, X: Any) -> Floats:
        """Return x·w + b."""
        return np.asarray(CORNERS.table("X", X) @ self.coef + self.intercept)

    def __str__(self) -> str:
        return (
            f"{self.size} of {len(self.y)} points are within {self.tolerance:g} of one plane (largest residual "
            f"{self.largest:.4g}), and no plane has more; {self.tried} planes were tried"
        )

    def frame(self) -> Any:
        """Return a row per point as a DataFrame."""
        made = {"residual": self.y - self.predict(self.x), "member": self.members}
        return as_frame(made, instead="members")

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the points, and with one variable the line and its band."""
        from chemin.plots.theory.optimisation import draw_consensus

        return draw_consensus(self, ax=ax)


def max_consensus(X: Any, y: Any, tolerance: float, *, fit_intercept: bool = True) -> Consensus:
    """Return the plane that is within δ of the most points.

    Parameters
    ----------
    X : table of numbers
        The points.
    y : array of numbers
        What the plane should be near to.
    tolerance : float
        δ.
    fit_intercept : bool, default True
        Whether there is a b.

    Returns
    -------
    Consensus

    Examples
    --------
    >>> x = [[0.0], [1.0], [2.0], [3.0], [4.0]]
    >>> made = max_consensus(x, [0.0, 1.1, 9.0, 3.0, 3.9], tolerance=0.2)
    >>> print(made)
    4 of 5 points are within 0.2 of one plane (largest residual 0.0625), and no plane has more; 40 planes were tried
    """
    X = CORNERS.table("X", X)
    y = CORNERS.vector("y", y, len(X))
    tolerance = CORNERS.positive("tolerance", tolerance, "δ")
    shift = X.mean(axis=0) if fit_intercept else np.zeros(X.shape[1])
    Z = np.column_stack([X - shift, np.ones(len(X))]) if fit_intercept else X
    n, p = Z.shape
    CORNERS.require(
        n >= p, "n ≥ p points", f"there are {n} points and {p} coefficients", "pass more points"
    )
    rank = int(np.linalg.matrix_rank(Z))
    told = f"{p} columns span {rank} dimensions"
    CORNERS.require(
        rank == p, "columns of full rank", told, "leave out columns that others determine"
    )
    work = comb(n, p) * 2**p * n
    if work > _MOST:
        raise InvalidInputError(
            f"{comb(n, p) * 2**p} planes would be tried on {n} points: pass fewer points or columns, or use "
            "sklearn.linear_model.RANSACRegressor, which tries some"
        )
    members = _best_members(Z, y, tolerance)
    weights, largest = _nearest(Z[members], y[members])
    coef = weights[: X.shape[1]]
    intercept = float(weights[-1] - shift @ coef) if fit_intercept else 0.0
    tried = comb(n, p) * 2**p
    return Consensus(coef, intercept, members, tolerance, largest, tried, X, y)


def _best_members(Z: Floats, y: Floats, tolerance: float) -> Any:
    """Return the largest set of points that a corner is within δ of."""
    n, p = Z.shape
    patterns = tolerance * all_signs(p).T
    limit = tolerance * (1.0 + _ROUNDING) + _ROUNDING * float(np.abs(y).max())
    best, most = np.zeros(n, dtype=bool), -1
    for some in _choices(n, p, max(_AT_ONCE // (n * 2**p), 1)):
        some = some[np.linalg.cond(Z[some]) < 1.0 / _SINGULAR]
        if not len(some):
            continue
        corners = np.linalg.solve(Z[some], y[some][:, :, None] + patterns)
        near = np.abs(y - corners.transpose(0, 2, 1) @ Z.T) <= limit
        counts = near.sum(axis=2)
        place = np.unravel_index(int(np.argmax(counts)), counts.shape)
        if counts[place] > most:
            best, most = near[place], int(counts[place])
    return best


def _choices(n: int, p: int, size: int) -> Iterator[Any]:
    """Hand out choices of p rows, some at a time."""
    every = combinations(range(n), p)
    while some := list(islice(every, size)):
        yield np.array(some)


def _nearest(Z: Floats, y: Floats) -> tuple[Floats, float]:
    """Return the plane whose largest residual is least, by a linear program, and that residual."""
    p = Z.shape[1]
    ones = np.ones((len(Z), 1))
    found = linprog(
        np.append(np.zeros(p), 1.0),
        A_ub=np.block([[Z, -ones], [-Z, -ones]]),
        b_ub=np.concatenate([y, -y]),
        bounds=[(None, None)] * p + [(0.0, None)],
        method="highs",
    )
    if found.status != 0:
        raise InvalidInputError(
            f"no plane was found near these points ({found.message}): scale the columns"
        )
    return found.x[:p], float(np.abs(y - Z @ found.x[:p]).max())
