"""What holds on given sets? The solution, and how far it is from every change, as affine functions of (l1, l2).

With signed rows M_i = s_i (1, x_iV), B = l2 (b0, b_V), H = diag(0, 1, …, 1) and the elbow E, optimality says

    H B − M_Eᵀ α_E = g − l1 push,        M_E B = l2 z_E,

where g comes from the points off their kinks, push = (0, sign(b_j) v_j), and z are the kinks. The matrix knows neither
l1 nor l2: one linear system gives B and α_E as affine functions of both, for the whole cell. So are the slacks of all
changes of the sets, those of kinks and coefficients times l2.

Ties are broken as along a path: kinks, thresholds and the balance are imagined shifted by an infinitesimal ε, which is
one more right-hand side. The shift of a kink is that of M B, hence the same for all l1 and l2: where a slack vanishes
all over a cell, its shift has one sign there.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from chemin.dictionaries.base import Floats, Indices
from chemin.problems import Problem

RIGHT, LEFT, UP, DOWN, LEAVE, ENTER, ENTER_MINUS = range(7)
FREE = 2  # the sign of an active column that l1 does not penalise
_AT_BOUND = 1e-9  # of the distance of two bounds: a dual value so near to one is there

_STEP = {RIGHT: 1, UP: 1, LEFT: -1, DOWN: -1}
_SIGN = {LEAVE: 0, ENTER: 1, ENTER_MINUS: -1}

Marks = NDArray[np.int8]


class Sets(NamedTuple):
    """Where points are, 2k on piece k and 2k + 1 at kink k, and the signs of columns, 0 if not active."""

    position: Marks
    sign: Marks

    def after(self, family: int, index: int) -> Sets:
        """Return the sets after one change."""
        if family in _STEP:
            position = self.position.copy()
            position[index] += _STEP[family]
            return Sets(position, self.sign)
        sign = self.sign.copy()
        sign[index] = _SIGN[family]
        return Sets(self.position, sign)


class Solved(NamedTuple):
    """B of the active columns, after that of the intercept, and α of the elbow: what they are per 1, l1, l2 and ε."""

    elbow: Indices
    active: Indices
    scaled: Floats
    dual: Floats


class Formula(NamedTuple):
    """The slacks of all changes, per 1, l1, l2 and ε, one column each; below ``rounding`` they are zero."""

    slack: Floats
    family: Indices
    whose: Indices
    rounding: Floats


class Spare(NamedTuple):
    """Where the intercept is not unique: which way B0 may go, and how far, per 1, l1 and l2.

    It brings some scores to an end of their piece, and may go as far as the least of the ``limits``, one column each.
    ``changes`` are those of the sets that go with them: of the points ``whose``, UP or DOWN.
    """

    way: float
    limits: Floats
    changes: Indices
    whose: Indices


class Shifts(NamedTuple):
    """In which directions ties are imagined to be moved apart."""

    kink: Floats
    threshold: Floats
    balance: float


class Formulas:
    """The formulas of a problem on any sets, in units of l1 and l2, and of X.

    Attributes
    ----------
    unit : ndarray of shape (2,)
        What l1 and l2 are measured in.
    kappa : float
        What X is measured in: b is then too large, B / l2 = (b0, κ b).
    """

    def __init__(self, problem: Problem, kappa: float, shifts: Shifts, unit: Floats) -> None:
        p = problem.dictionary.shape[1]
        X = problem.dictionary.columns(np.arange(p)) / kappa
        label = problem.label
        self.label = label
        self.rows = np.ascontiguousarray(np.column_stack([label, label[:, None] * X]))
        self.columns = np.ascontiguousarray(self.rows.T)
        self.row_norm = np.linalg.norm(self.rows, axis=1)
        self.column_norm = np.linalg.norm(self.columns, axis=1)
        self.slope = problem.loss.slope
        self.unit = unit
        self.kappa = kappa
        self.ridge = unit[1] / kappa**2
        self.shifts = shifts
        self.moves = self.slope.min(axis=1) < self.slope.max(axis=1)
        self.kink = problem.loss.kink * self.ridge
        self.threshold = problem.l1_weight * (unit[0] / kappa)
        self.only = problem.penalty.only_of(p)

    def solved(self, sets: Sets) -> Solved:
        """Solve for B and α on some sets."""
        position, sign = sets
        elbow = np.flatnonzero(position & 1)
        active = np.flatnonzero(sign)
        chosen = np.append(0, active + 1)
        e = len(elbow)
        m = len(chosen)
        kink = position[elbow] >> 1
        signs = sign[active] % FREE  # those of free columns become 0
        signs[sign[active] == -1] = -1
        M = self.columns[chosen[:, None], elbow]
        system = np.zeros((m + e, m + e))
        system.flat[m + e + 1 : m * (m + e) : m + e + 1] = 1.0
        system[:m, m:] = -M
        system[m:, :m] = M.T
        right = np.zeros((m + e, 4))
        right[:m, 0] = self.columns[chosen] @ self.fixed(position)
        right[1:m, 1] = -signs * self.threshold[active]
        right[m:, 2] = self.kink[elbow, kink]
        right[0, 3] = self.shifts.balance
        right[1:m, 3] = -signs * self.shifts.threshold[active]
        right[m:, 3] = self.shifts.kink[elbow]
        found: Floats = np.linalg.solve(system, right).astype(float, copy=False)
        return Solved(elbow, active, found[:m], found[m:])

    def fixed(self, position: Marks) -> Floats:
        """Return the dual values of points off their kinks, and 0 for the others."""
        piece = position >> 1
        dual = -self.slope[np.arange(len(piece)), piece]
        dual[(position & 1).astype(bool)] = 0.0
        return dual

    def spare(self, sets: Sets, solved: Solved) -> Spare | None:
        """Return how far the intercept may go while all else stays, None if it is unique.

        It may where all dual values are those of pieces: those at a kink then say which way.
        """
        elbow, active, scaled, dual = solved
        piece = sets.position >> 1
        kink = piece[elbow]
        before = -self.slope[elbow, kink]
        after = -self.slope[elbow, kink + 1]
        least = _AT_BOUND * np.abs(before - after)
        over = dual[:, :3].copy()
        over[:, 0] -= after
        under = dual[:, :3].copy()
        under[:, 0] -= before
        up = (np.abs(over) <= least[:, None]).all(axis=1)
        down = (np.abs(under) <= least[:, None]).all(axis=1)
        ways = self.label[elbow] * (up.astype(float) - down)
        if not len(elbow) or ways[0] == 0.0 or (ways != ways[0]).any():
            return None
        way = float(ways[0])
        piece[elbow] += up
        rises = self.label * way > 0.0
        ends = np.where(rises, piece, piece - 1)
        some = np.flatnonzero(self.moves & (ends >= 0) & (ends < self.kink.shape[1]))
        score = self.columns[np.append(0, active + 1)[:, None], some].T @ scaled[:, :3]
        limits = -score.T
        limits[2] += self.kink[some, ends[some]]
        changes = np.where(rises[some], UP, DOWN)
        limits = np.where(rises[some], limits, -limits)
        return Spare(way, limits, changes, some) if len(some) else None

    def of(self, sets: Sets, at: Floats, rounding: float, solved: Solved | None = None) -> Formula:
        """Return the slacks on some sets; what is smaller than a share of its terms at a point is rounding, and 0.

        They are those of what is solved for there, or of what is given, whose further columns are those of the slacks.
        """
        position, sign = sets
        elbow, active, scaled, dual = self.solved(sets) if solved is None else solved
        fixed = self.fixed(position)
        kinks = self.kink.shape[1]
        kink = position[elbow] >> 1
        on_piece = (position & 1 == 0) & self.moves
        up = np.flatnonzero(on_piece & (position < 2 * kinks))
        down = np.flatnonzero(on_piece & (position > 0))
        penalised = np.flatnonzero(sign[active] != FREE)
        idle = np.flatnonzero((sign == 0) & (self.threshold > 0.0))
        plus = self.only[idle] >= 0.0
        minus = self.only[idle] <= 0.0
        score = scaled.T @ self.columns[np.append(0, active + 1)]
        correlation = dual.T @ self.rows[elbow, 1:]
        correlation[0] += self.columns[1:] @ fixed
        correlation = correlation[:, idle]

        high = -dual.T
        low = dual.T.copy()
        low[0] += self.slope[elbow, kink + 1]
        high[0] -= self.slope[elbow, kink]
        below = -score[:, up]
        below[2] += self.kink[up, position[up] >> 1]
        below[3] += self.shifts.kink[up]
        above = score[:, down]
        above[2] -= self.kink[down, (position[down] >> 1) - 1]
        above[3] -= self.shifts.kink[down]
        leave = (sign[active[penalised]] * scaled[1 + penalised].T).astype(float)
        limit = np.zeros((scaled.shape[1], len(idle)))
        limit[1] = self.threshold[idle]
        limit[3] = self.shifts.threshold[idle]
        slack = np.concatenate(
            [
                *(low, high, below, above, leave),
                (limit - correlation)[:, plus],
                (limit + correlation)[:, minus],
            ],
            axis=1,
        )
        groups = (elbow, elbow, up, down, active[penalised], idle[plus], idle[minus])
        family = np.repeat(np.arange(7), [len(group) for group in groups])
        there = np.array([1.0, at[0], at[1]])
        of_dual = np.sqrt(np.einsum("ij,ij->j", dual[:, :3], dual[:, :3])) @ there
        of_dual += np.sqrt(fixed @ fixed)
        of_scores = np.sqrt(np.einsum("ij,ij->j", scaled[:, :3], scaled[:, :3])) @ there
        of_scores += of_dual  # B is a sum of dual values times rows, of a length near 1
        norms = np.concatenate([
            np.full(2 * len(elbow), of_dual),
            of_scores * self.row_norm[up],
            of_scores * self.row_norm[down],
            np.full(len(penalised), of_scores),
            of_dual * self.column_norm[1 + np.append(idle[plus], idle[minus])],
        ])  # fmt: skip
        noise = rounding * norms
        exact = slack[:3]
        exact[np.abs(exact) * there[:, None] <= noise] = 0.0
        return Formula(slack, family, np.concatenate(groups), noise)
