"""Which dual values go best with a solution? Those that meet its equations, moving as few points as little as can be.

An approximate solution brings α with c_j ≠ l2 b_j + l1 v_j sign(b_j) for active j, and Σ α_i y_i ≠
0. The lower bounds of `chemin.engine.proof.certificate` pay for both: the first is divided by l2,
the second shrinks a whole class. Points inside their boxes can mend them.
"""

from __future__ import annotations

import numpy as np

from chemin.dictionaries.base import Floats
from chemin.problems import Problem

_RESOLVED = 1e-9  # of the largest singular value


def fitted(problem: Problem, dual: Floats, columns: Floats, wanted: Floats) -> Floats:
    """Return α with Σ_i α_i y_i x_ij = ``wanted`` for some columns, as far as points inside their boxes allow.

    Each moves in proportion to α_i (w_i − α_i), which keeps it inside unless it would have to go far.

    Examples
    --------
    >>> from chemin.validation import as_problem
    >>> problem, _ = as_problem([[0.0], [1.0], [2.0]], [0, 1, 1], 1.0, None, None)
    >>> fitted(problem, np.array([1.0, 0.5, 0.4]), np.ones((3, 1)), np.zeros(1)).round(3).tolist()
    [1.0, 0.551, 0.449]
    """
    weight, label = problem.weight, problem.label
    inside = np.flatnonzero((dual > 0.0) & (dual < weight))
    off, rows = wanted - (dual * label) @ columns, columns[inside] * label[inside, None]
    room = (dual * (1.0 - dual / np.where(weight > 0.0, weight, 1.0)))[inside]
    square, dual = rows.T @ (rows * room[:, None]), dual.copy()
    for _ in range(2):  # the second refines the first
        change = room * (rows @ np.linalg.lstsq(square, off, rcond=_RESOLVED)[0])
        off -= change @ rows
        dual[inside] += change
    return np.clip(dual, 0.0, weight)


def balanced(problem: Problem, dual: Floats, residual: Floats) -> Floats:
    """Return α with Σ α_i y_i = 0, moving first those inside their boxes, then those nearest to the margin.

    Examples
    --------
    >>> from chemin.validation import as_problem
    >>> problem, _ = as_problem([[0.0], [1.0], [2.0]], [0, 1, 1], 1.0, None, None)
    >>> balanced(problem, np.array([1.0, 1.0, 0.5]), np.array([1.0, 1.0, 0.0])).tolist()
    [1.0, 1.0, 0.0]
    """
    y, w, dual = problem.label, problem.weight, dual.copy()
    for _ in range(2):  # the second mends the rounding of the first
        off = float(dual @ y)
        room = np.where(off * y > 0.0, dual, w - dual)
        inside = np.flatnonzero((dual > 0.0) & (dual < w))
        total = float(room[inside].sum())
        if total > abs(off):
            dual[inside] -= np.sign(off) * y[inside] * room[inside] * (abs(off) / total)
        else:
            order = np.lexsort((np.abs(residual), (dual <= 0.0) | (dual >= w)))
            before = np.concatenate([[0.0], np.cumsum(room[order])[:-1]])
            dual[order] -= np.sign(off) * y[order] * np.clip(abs(off) - before, 0.0, room[order])
    return np.clip(dual, 0.0, w)
