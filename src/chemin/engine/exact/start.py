"""Where does the path begin?

With b = 0 the intercept minimises Σ_i ℓ_i(s_i b0), whose slope grows from kink to kink: it is zero at
the kink of one point, which is the first of the elbow. Points that share that kink are told apart
by the imagined shifts of their kinks (`chemin.engine.exact.inner.loop`): that is the optimum for
l1 = ∞. Lowering l1 with b = 0 then solves, pivot by pivot, the linear program of the smallest l1
for which b = 0 is optimal. Where kinks are rounded the slope is continuous, and the elbow are the
points on the roundings.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from chemin.dictionaries.base import Floats, Indices
from chemin.problems import PiecewiseQuadratic, Problem


class FirstSets(NamedTuple):
    """The intercept of the empty model, where every point is, and the points that hold it."""

    intercept: float
    position: NDArray[np.int16]
    elbow: Indices
    alpha: Floats


def first_sets(problem: Problem, shift: Floats) -> FirstSets:
    """Return the sets for l1 = ∞, ties settled by the shifts of the kinks, of shape (n,).

    Examples
    --------
    >>> from chemin.validation import as_problem
    >>> problem, _ = as_problem([[0.0], [1.0], [2.0]], [0, 1, 1])
    >>> first_sets(problem, np.array([0.9, 0.8, 0.7]))
    FirstSets(intercept=1.0, position=array([0, 1, 2], dtype=int16), elbow=array([1]), alpha=array([1.]))
    """
    loss = problem.loss
    if loss.is_curved:
        return _first_curved(problem)
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
    return FirstSets(intercept, position, np.array([here]), np.array([alpha]))


def _first_curved(problem: Problem) -> FirstSets:
    """Return the sets for l1 = ∞ where kinks are rounded."""
    loss = problem.loss
    label = problem.label
    intercept = _flattest(loss, label)
    score = label * intercept
    before, after = loss.edges
    counts = loss.lowest < loss.highest
    piece = np.where(score < before[:, 0], 0, np.where(score > after[:, 0], 2, 1))
    position = np.where(counts, piece, -1).astype(np.int16)
    elbow = np.flatnonzero(position == 1)
    return FirstSets(intercept, position, elbow, loss.dual_of(score)[elbow])


def _flattest(loss: PiecewiseQuadratic, label: Floats) -> float:
    """Return where Σ_i ℓ_i(s_i b0) is flat; the upper end, where that is so on an interval.

    The imagined shift of the balance asks for a slope a little above zero: a point begins its rounding there.
    """
    before, after = loss.edges
    counts = loss.lowest < loss.highest
    edges = (label[:, None] * np.column_stack([before, after]))[counts]
    edges = np.unique(edges[np.isfinite(edges)])

    def slope(b0: float) -> float:
        return -float(label @ loss.dual_of(label * b0))

    # the slope grows with b0: the edges between which it passes zero
    first = bisect_left(edges, 0.0, key=slope)
    low = edges[first - 1] if first > 0 else -np.inf
    high = edges[first] if first < len(edges) else np.inf
    if np.isfinite(high) and slope(high) == 0.0:
        past = bisect_right(edges, 0.0, key=slope)
        return float(edges[past - 1])
    inside = np.mean([end for end in (low, high) if np.isfinite(end)]) if len(edges) else 0.0
    if not np.isfinite(low + high) and len(edges):
        inside = high - 1.0 if np.isfinite(high) else low + 1.0
    score = label * inside
    bent = counts & (score > before[:, 0]) & (score < after[:, 0])
    assert loss.width is not None
    total = float((1.0 / loss.width[bent]).sum())
    return float(inside - slope(inside) / total)
