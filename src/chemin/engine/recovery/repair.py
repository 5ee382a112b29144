"""How does a lost engine find its path again?

The record goes back to the last point whose gap was measured and good. The problem is solved there by a method that
knows nothing of paths (`chemin.engine.recovery.interior`), the four sets are read off its solution, and the engine goes on from
them with another draw of tie-breaking.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from threadpoolctl import threadpool_limits

from chemin.dictionaries import DenseDictionary
from chemin.dictionaries.base import Floats, Indices
from chemin.engine.exact.snapshot import Snapshot
from chemin.engine.exact.state import ELBOW, LEFT, RIGHT, State, majority_of
from chemin.engine.record import Record
from chemin.engine.recovery.interior import InteriorPoint, solve
from chemin.exceptions import EngineError
from chemin.problems import Problem

_DEPENDENT = 1e-10
_SOLVED_AT_ONCE, _SOLVED_IN_ALL = 1000, 4000  # columns
_NAME = {LEFT: "left", RIGHT: "right", ELBOW: "elbow"}


def state_at(
    problem: Problem, point: Snapshot, l2: float, kappa: float, column_norm: Floats
) -> State:
    """Return a state of the path at the l1 of a point, from an independent solution."""
    with threadpool_limits(limits=1, user_api="blas"):
        found = solution_at(problem, float(point.l1), point.active)
    side = np.where(found.above > found.beyond, LEFT, RIGHT).astype(np.int8)
    inside = (found.alpha > found.beyond) & (problem.weight - found.alpha > found.above)
    free = problem.l1_weight == 0.0
    active = np.flatnonzero(
        (np.abs(found.coef) * column_norm > found.room / np.maximum(column_norm, 1e-300)) | free
    )
    active = active[column_norm[active] > 0]
    elbow = _independent(problem, np.flatnonzero(inside), active, found, kappa)
    sign = np.where(free[active], 0.0, np.sign(found.coef[active]))
    beta = np.append((found.intercept - majority_of(problem)) / kappa, found.coef[active])
    return Snapshot(point.l1, active, sign, beta, elbow, found.alpha[elbow], side).restored(
        problem, l2, kappa
    )


def solution_at(problem: Problem, l1: float, likely: Indices) -> InteriorPoint:
    """Solve at one l1; where there are many columns, on the likely ones and on those that turn out to be missing."""
    p = problem.dictionary.shape[1]
    if p <= _SOLVED_AT_ONCE:
        return solve(problem, l1)
    inside, threshold = (
        np.union1d(likely, np.flatnonzero(problem.l1_weight == 0.0)),
        l1 * problem.l1_weight,
    )
    while True:
        columns = DenseDictionary(problem.dictionary.columns(inside))
        found = solve(replace(problem, dictionary=columns, l1_weight=problem.l1_weight[inside]), l1)
        room = threshold - np.abs(problem.dictionary.correlations(problem.label * found.alpha))
        room[inside] = found.room
        missing = np.flatnonzero(room < -_DEPENDENT * threshold)
        missing = np.setdiff1d(missing[np.argsort(room[missing])[: _SOLVED_AT_ONCE // 4]], inside)
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
    problem: Problem, inside: Indices, active: Indices, found: InteriorPoint, kappa: float
) -> Indices:
    """Return elbow points with independent rows, those deepest inside their interval first; at least one."""
    depth = np.minimum(found.alpha, problem.weight - found.alpha)
    if not len(inside):
        counts = np.flatnonzero(problem.weight > 0)
        return counts[[np.argmin(np.maximum(found.above, found.beyond)[counts])]]
    order = inside[np.argsort(-depth[inside])]
    rows = np.column_stack([np.full(len(order), kappa), problem.dictionary.columns(active)[order]])
    kept: list[int] = []
    basis = np.empty((0, rows.shape[1]))
    for place, row in enumerate(rows):
        rest = row - basis.T @ (basis @ row)
        rest -= basis.T @ (basis @ rest)
        if np.linalg.norm(rest) > _DEPENDENT * np.linalg.norm(row):
            basis = np.vstack([basis, rest / np.linalg.norm(rest)])
            kept.append(place)
    return order[kept]


def note_change(record: Record, before: Snapshot, after: State) -> None:
    """Write the change from a point to a state as events that can be replayed, ending in the order of the state."""
    for j in before.active:
        record.event("leave", int(j))
    for j in after.active:
        record.event("enter+", int(j))
    for i in before.elbow:
        record.event(_NAME[int(after.side[i]) or LEFT], int(i))
    crossed = (before.side != after.side) & (before.side != ELBOW) & (after.side != ELBOW)
    for i in np.flatnonzero(crossed):
        record.event("elbow", int(i))
        record.event(_NAME[int(after.side[i])], int(i))
    for i in after.elbow:
        record.event("elbow", int(i))
