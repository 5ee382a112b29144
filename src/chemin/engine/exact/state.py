"""Where does the path stand? The four sets, their free numbers, and the pivots that change them.

Rows of the active block are signed: it holds y_i (κ, x_iV), and β = ((b0 − m)/κ, b_V) with m the label of the
majority, the intercept of the empty model. So r = (1 − m y) − A β, which loses no digit where the path begins, and
active correlations are Aᵀα. κ is a power of two near the size of X: the intercept column then has the scale of the
others. The block keeps one point per row, because that is how it is read: a few points at a time, all their columns.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chemin.dictionaries.base import Floats, Indices
from chemin.engine.exact.backend import compiled
from chemin.engine.exact.factor import Factor
from chemin.engine.screening.pool import Pool
from chemin.engine.screening.ruler import NO_UNITS, Ruler
from chemin.problems import Problem

LEFT, ELBOW, RIGHT = 1, 0, -1  # the sign of the residual


@dataclass
class Move:
    """A change of the free numbers: per unit step, or as a first-order shadow (see `chemin.engine.exact.ties`)."""

    beta: Floats
    alpha: Floats
    l1: float

    def add(self, other: Move, step: float) -> None:
        """Add ``step`` times another move of the same sets."""
        self.beta += step * other.beta
        self.alpha += step * other.alpha
        self.l1 += step * other.l1


class State:
    """The sets and numbers of the current point, and the watched rows and columns around them.

    Attributes
    ----------
    elbow, alpha : arrays of equal length
        The points on the margin and their dual values.
    active, sign : arrays of equal length
        The active variables and the signs of their coefficients (0 where l1 does not penalise them).
    beta, push : arrays, one longer than ``active``
        ((b0 − m)/κ, b_V) and g = (0, s_j v_j), how l1 pushes the gradient.
    rows, residual : arrays of equal length
        Watched points outside the elbow.
    ruler : Ruler
        How the length of a step in (α, l1) is measured.
    columns, slot, correlation : arrays of equal length
        Watched inactive columns, their place in ``pool`` and their correlations c_j.
    ring, numbers : Pool, increasing array
        The columns around them, among which all active ones are, and their numbers.
    """

    def __init__(
        self,
        problem: Problem,
        l2: float,
        kappa: float,
        row: int,
        side: NDArray[np.int8],
        alpha: float,
    ) -> None:
        n, p = problem.dictionary.shape
        self.problem, self.l2, self.kappa = problem, l2, kappa
        self.l1, self.ruler = np.inf, Ruler(NO_UNITS, n)
        self.side = side
        self.side[row] = ELBOW
        self.left_square = float(np.sum(problem.weight[self.side == LEFT] ** 2))
        self.elbow, self.alpha = np.array([row], dtype=np.intp), np.array([alpha])
        self.is_active = np.zeros(p, dtype=bool)
        self.active, self.sign = np.empty(0, dtype=np.intp), np.empty(0)
        self.beta, self.push = np.zeros(1), np.zeros(1)
        self.majority = majority_of(problem)
        self.target = 1.0 - self.majority * problem.label  # 0 for the majority, 2 for the minority
        self.block = np.empty((n, 16))
        self.block[:, 0] = kappa * problem.label
        self.factor = (compiled.Factor if compiled else Factor)(self.elbow_rows())
        self.rows, self.residual = np.empty(0, dtype=np.intp), np.empty(0)
        nothing = np.empty(0, dtype=np.intp)
        self.watch_columns(
            Pool.of(problem.dictionary, nothing, self.elbow, n), nothing, nothing, np.empty(0)
        )

    def elbow_rows(self) -> Floats:
        """Return M, the rows of the elbow points."""
        return self.block[self.elbow, : len(self.beta)]

    @property
    def intercept(self) -> float:
        """The intercept b0."""
        return self.majority + self.kappa * float(self.beta[0])

    def residuals(self, rows: Any) -> Floats:
        """Return r on some rows, from β."""
        return self.target[rows] - self.margins(rows, self.beta)

    def margins(self, rows: Any, beta: Floats) -> Floats:
        """Return A β on some rows."""
        return np.asarray(self.block[rows, : len(beta)] @ beta)

    def correlate(self, alpha: Floats) -> Floats:
        """Return what elbow values ``alpha`` contribute to the watched correlations."""
        return self.pool.correlations(alpha * self.problem.label[self.elbow], self.elbow)[self.slot]

    def dual(self) -> Floats:
        """Return the whole dual vector."""
        alpha = np.where(self.side == LEFT, self.problem.weight, 0.0)
        alpha[self.elbow] = self.alpha
        return alpha

    def watch_columns(
        self, ring: Pool, numbers: Indices, place: Indices, correlation: Floats
    ) -> None:
        """Replace the watched columns by some of a ring, which holds the columns with these numbers in their order.

        Their values come into the pool as points come to the margin.
        """
        self.ring, self.numbers = ring, numbers
        self.columns, self.correlation = numbers[place], correlation
        if 2 * len(place) > ring.width:
            ring.fill(self.elbow)
            self.pool, self.slot = ring, place
        else:
            self.pool = Pool.of(ring, place, self.elbow, len(self.side))
            self.slot = np.arange(len(place), dtype=np.intp)

    def row_enters(self, k: int) -> int:
        """Watched row ``k`` joins the elbow."""
        i = self.rows[k]
        self.join(i, self.problem.weight[i] if self.side[i] == LEFT else 0.0)
        self.rows, self.residual = without(self.rows, k), without(self.residual, k)
        return int(i)

    def join(self, i: int, alpha: float) -> None:
        """Add a point to the elbow, with its dual value."""
        if self.side[i] == LEFT:
            self.left_square -= self.problem.weight[i] ** 2
        self.factor.add_row(self.block[i, : len(self.beta)])
        self.elbow, self.alpha = with_last(self.elbow, i), with_last(self.alpha, alpha)
        self.side[i] = ELBOW
        if self.pool.place[i] < 0:
            self.pool.fill(self.elbow[-1:])

    def row_leaves(self, k: int, side: int) -> int:
        """Elbow point ``k`` goes to the left or to the right, and is watched from there."""
        i = self.elbow[k]
        self.factor.drop_row(k)
        self.elbow, self.alpha = without(self.elbow, k), without(self.alpha, k)
        self.rows, self.residual = with_last(self.rows, i), with_last(self.residual, 0.0)
        self.side[i] = side
        if side == LEFT:
            self.left_square += self.problem.weight[i] ** 2
        return int(i)

    def column_enters(self, k: int, sign: float) -> int:
        """Watched column ``k`` becomes active with the sign of its correlation."""
        j = self.columns[k]
        self.activate(j, sign, self.fetch(j))
        self.columns, self.correlation = without(self.columns, k), without(self.correlation, k)
        self.slot = without(self.slot, k)
        return int(j)

    def fetch(self, j: int) -> Floats:
        """Return one whole column."""
        return self.problem.dictionary.columns(np.array([j]))[:, 0]

    def activate(self, j: int, sign: float, column: Floats) -> None:
        """Add a variable to the active set, at zero; sign 0 means that l1 neither pushes nor stops it."""
        m = len(self.beta)
        if m == self.block.shape[1]:
            self.block = np.concatenate([self.block, np.empty_like(self.block)], axis=1)
        np.multiply(self.problem.label, column, out=self.block[:, m])
        self.factor.add_column(self.block[self.elbow, m])
        self.active, self.is_active[j] = with_last(self.active, j), True
        self.beta, self.sign = with_last(self.beta, 0.0), with_last(self.sign, sign)
        self.push = with_last(self.push, sign * self.problem.l1_weight[j])

    def column_leaves(self, k: int) -> int:
        """Active variable ``k`` reaches zero and is watched; the last active variable takes its place."""
        j = self.active[k]
        self.factor.drop_column(k + 1)
        self.columns, self.slot = with_last(self.columns, j), with_last(self.slot, self._slot_of(j))
        self.correlation = with_last(self.correlation, self.push[k + 1] * self.l1)
        self.block[:, k + 1] = self.block[:, len(self.active)]
        self.is_active[j] = False
        self.active, self.sign = swapped_out(self.active, k), swapped_out(self.sign, k)
        self.beta, self.push = swapped_out(self.beta, k + 1), swapped_out(self.push, k + 1)
        return int(j)

    def _slot_of(self, j: int) -> int:
        """Return the slot of a column that was active, for which the pool may have to make room."""
        place = int(np.searchsorted(self.numbers, j))
        return place if self.pool is self.ring else self.pool.append(place)


def majority_of(problem: Problem) -> float:
    """Return the label of the heavier class."""
    return 1.0 if problem.weight @ problem.label >= 0.0 else -1.0


def _with_last(values: NDArray[Any], value: Any) -> NDArray[Any]:
    """Return ``values`` with one more at the end."""
    return np.append(values, value).astype(values.dtype, copy=False)


def _without(values: NDArray[Any], k: int) -> NDArray[Any]:
    """Return ``values`` without the k-th, in order."""
    return np.concatenate((values[:k], values[k + 1 :]))


with_last, without = (compiled.with_last, compiled.without) if compiled else (_with_last, _without)


def swapped_out(values: NDArray[Any], k: int) -> NDArray[Any]:
    """Return ``values`` with the k-th replaced by the last, one shorter."""
    values[k] = values[-1]
    return values[:-1]
