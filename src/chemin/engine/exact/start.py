"""Where does the path begin?

With b = 0 the intercept is the label of the majority (heavier) class, the minority's α are at their weights and the
majority's share the same total. The first state fills the majority in the order of the imagined margins
(`chemin.engine.exact.ties`): that is the optimum for l1 = ∞. Lowering l1 with b = 0 then solves, pivot by pivot, the linear
program of the smallest l1 for which b = 0 is optimal.
"""

from __future__ import annotations

import numpy as np

from chemin.dictionaries.base import Floats
from chemin.engine.exact.state import LEFT, RIGHT, State, majority_of
from chemin.problems import Problem

_BELOW_RESOLUTION = 2e-16
_CONSTANT = 1e-12


def first_state(problem: Problem, l2: float, kappa: float, order: Floats) -> State:
    """Return the state for l1 = ∞, the majority filled from the largest imagined margin down."""
    label, weight, majority = problem.label, problem.weight, majority_of(problem)
    members = np.flatnonzero((label == majority) & (weight > 0))
    members = members[np.argsort(-order[members])]
    filled, total = np.cumsum(weight[members]), weight[label == -majority].sum()
    last = min(int(np.searchsorted(filled, total)), len(members) - 1)
    side = np.full(len(label), LEFT, dtype=np.int8)
    side[members[last + 1 :]] = RIGHT
    row = int(members[last])
    alpha = min(total - filled[last] + weight[row], weight[row])
    return State(problem, l2, kappa, row, side, alpha)


def resolved_ridge(l2: float, total: Floats, column_norm: Floats, n: int) -> float:
    """Return l2, or 0 where double precision cannot tell it from 0 beside XᵀX: the path is then that of l2 = 0.

    All that counts is what varies in a column, ‖x_j − mean‖, since the intercept takes the mean.
    """
    spread = np.maximum(column_norm**2 - total**2 / n, 0.0)
    smallest = spread.min(where=spread > _CONSTANT * column_norm**2, initial=np.inf)
    return l2 if l2 > _BELOW_RESOLUTION * smallest else 0.0
