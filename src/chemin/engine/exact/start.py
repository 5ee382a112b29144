"""Where does the path begin?

With b = 0 the intercept minimises Σ_i ℓ_i(s_i b0), whose slope grows from kink to kink: it is zero at
the kink of one point, which is the first of the elbow. Points that share that kink are told apart
by the imagined shifts of their kinks (`chemin.engine.exact.inner.loop`): that is the optimum for
l1 = ∞. Lowering l1 with b = 0 then solves, pivot by pivot, the linear program of the smallest l1
for which b = 0 is optimal.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from chemin.dictionaries.base import Floats
from chemin.problems import Problem


class FirstSets(NamedTuple):
    """The intercept of the empty model, where every point is, and the one that holds it."""

    intercept: float
    position: NDArray[np.int16]
    row: int
    kink: int
    alpha: float


def first_sets(problem: Problem, shift: Floats) -> FirstSets:
    """Return the sets for l1 = ∞, ties settled by the shifts of the kinks, of shape (n,).

    Examples
    --------
    >>> from chemin.validation import as_problem
    >>> problem, _ = as_problem([[0.0], [1.0], [2.0]], [0, 1, 1])
    >>> first_sets(problem, np.array([0.9, 0.8, 0.7]))
    FirstSets(intercept=1.0, position=array([0, 1, 2], dtype=int16), row=1, kink=0, alpha=1.0)
    """
    loss = problem.loss
    label = problem.label
    n, kinks = loss.shape
    jump = loss.slope[:, 1:] - loss.slope[:, :-1]
    row, kink = np.nonzero(jump > 0.0)
    where = label[row] * loss.kink[row, kink]
    order = np.lexsort((label[row] * shift[row], where))
    row = row[order]
    kink = kink[order]
    before = np.where(label > 0.0, loss.slope[:, 0], -loss.slope[:, -1]).sum()
    slope = before + np.cumsum(jump[row, kink])
    held = min(int(np.searchsorted(slope, 0.0, side="right")), len(row) - 1)
    here = row[held]
    at = kink[held]
    passed = np.bincount(row[:held], minlength=n)
    piece = np.where(label > 0.0, passed, kinks - passed)
    position = np.where(jump.max(axis=1) > 0.0, 2 * piece, -1).astype(np.int16)
    position[here] = 2 * at + 1
    rest = min(max(float(jump[here, at] - slope[held]), 0.0), float(jump[here, at]))
    low = -loss.slope[here, at + 1]
    high = -loss.slope[here, at]
    alpha = high - rest if label[here] > 0.0 else low + rest
    intercept = float(label[here] * loss.kink[here, at])
    return FirstSets(intercept, position, int(here), int(at), float(alpha))
