"""How does a lost engine find its path again?

The record goes back to the last point whose gap was measured and good. The problem is solved there by a
method that knows nothing of paths (`chemin.engine.recovery.interior`), the sets are read off its solution,
and the engine goes on from them with ties in another order.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from chemin.dictionaries import DenseDictionary
from chemin.dictionaries.base import Floats, Indices
from chemin.engine.exact.inner.record import ENTERED, LEFT_ACTIVE, TO_ELBOW, TO_LEFT, TO_RIGHT
from chemin.engine.exact.snapshot import Snapshot
from chemin.engine.recovery.interior import InteriorPoint, solve
from chemin.engine.recovery.rows import finite_slopes
from chemin.exceptions import EngineError
from chemin.problems import Problem

_DEPENDENT = 1e-10
_SOLVED_AT_ONCE = 1000  # columns
_SOLVED_IN_ALL = 4000


def point_at(problem: Problem, point: Snapshot, kappa: float, column_norm: Floats) -> Snapshot:
    """Return a point of the path at the l1 of another, from an independent solution."""
    with threadpool_limits(limits=1, user_api="blas"):
        found = solution_at(problem, float(point.l1), point.active)
    slope = finite_slopes(problem)
    jump = np.diff(slope, axis=1)
    inside = (found.multiplier > found.beyond) & (jump - found.multiplier > found.above)
    piece = np.count_nonzero((found.beyond > found.above) & (jump > 0.0), axis=1)
    free = problem.l1_weight == 0.0
    size = np.abs(found.coef) * column_norm
    active = np.flatnonzero((size > found.room / np.maximum(column_norm, 1e-300)) | free)
    active = active[column_norm[active] > 0]
    if problem.loss.is_curved:
        row, kink = np.nonzero(inside)
    else:
        row, kink = _independent(problem, inside, jump, active, found, kappa)
    position = np.where(point.position >= 0, 2 * piece, -1).astype(np.int16)
    position[row] = 2 * kink + 1
    alpha = found.multiplier.sum(axis=1) - slope[:, -1]
    alpha = np.clip(alpha[row], -slope[row, kink + 1], -slope[row, kink])
    sign = np.where(free[active], 0.0, np.sign(found.coef[active]))
    beta = np.append((found.intercept - float(point.base)) / kappa, found.coef[active])
    return Snapshot(point.l1, point.base, active, sign, beta, row, alpha, position)


def solution_at(problem: Problem, l1: float, likely: Indices) -> InteriorPoint:
    """Solve at one l1; where there are many columns, on the likely ones and on those that turn out to be missing."""
    p = problem.dictionary.shape[1]
    if p <= _SOLVED_AT_ONCE:
        return solve(problem, l1)
    inside = np.union1d(likely, np.flatnonzero(problem.l1_weight == 0.0))
    threshold = l1 * problem.l1_weight
    while True:
        columns = DenseDictionary(problem.dictionary.columns(inside))
        part = replace(problem, dictionary=columns, l1_weight=problem.l1_weight[inside])
        found = solve(part, l1)
        dual = found.multiplier.sum(axis=1) - finite_slopes(problem)[:, -1]
        room = threshold - np.abs(problem.dictionary.correlations(problem.label * dual))
        room[inside] = found.room
        missing = np.flatnonzero(room < -_DEPENDENT * threshold)
        worst = missing[np.argsort(room[missing])[: _SOLVED_AT_ONCE // 4]]
        missing = np.setdiff1d(worst, inside)
        if not len(missing):
            break
        inside = np.union1d(inside, missing)
        if len(inside) > _SOLVED_IN_ALL:
            raise EngineError(
                f"more than {_SOLVED_IN_ALL} columns are needed to solve it independently"
            )
    coef = np.zeros(p)
    coef[inside] = found.coef
    return replace(found, coef=coef, room=room)


def _independent(
    problem: Problem,
    inside: NDArray[np.bool_],
    jump: Floats,
    active: Indices,
    found: InteriorPoint,
    kappa: float,
) -> tuple[Indices, Indices]:
    """Return elbow points with independent rows, and their kinks, those deepest inside first; at least one."""
    depth = np.minimum(found.multiplier, jump - found.multiplier)
    row, kink = np.nonzero(inside)
    if not len(row):
        away = np.where(jump > 0.0, np.maximum(found.above, found.beyond), np.inf)
        nearest = np.unravel_index(np.argmin(away), away.shape)
        return np.array([nearest[0]]), np.array([nearest[1]])
    order = np.argsort(-depth[row, kink])
    row = row[order]
    kink = kink[order]
    first = np.sort(np.unique(row, return_index=True)[1])  # a point is at one kink only
    row = row[first]
    kink = kink[first]
    rows = np.column_stack([np.full(len(row), kappa), problem.dictionary.columns(active)[row]])
    kept: list[int] = []
    basis = np.empty((0, rows.shape[1]))
    for place, values in enumerate(rows):
        rest = values - basis.T @ (basis @ values)
        rest -= basis.T @ (basis @ rest)
        if np.linalg.norm(rest) > _DEPENDENT * np.linalg.norm(values):
            basis = np.vstack([basis, rest / np.linalg.norm(rest)])
            kept.append(place)
    return row[kept], kink[kept]


def change_of_sets(before: Snapshot, after: Snapshot) -> Iterator[tuple[int, int, int]]:
    """Hand out the change from one point to another as events: their kinds, to whom, and positions."""
    for j in np.setdiff1d(before.active, after.active):
        yield LEFT_ACTIVE, int(j), -1
    for j in np.setdiff1d(after.active, before.active):
        yield ENTERED, int(j), -1
    for i in np.flatnonzero(before.position != after.position):
        was = int(before.position[i])
        goes = int(after.position[i])
        if goes & 1:
            yield TO_ELBOW, int(i), goes
        else:
            yield (TO_LEFT if goes < was else TO_RIGHT), int(i), goes
