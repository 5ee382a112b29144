"""Between which l2 does the path along l1 have the same events? The nearest corners of the cells that it crosses.

The order of events changes where two lines between cells meet (`chemin.engine.plane.formula`). Along the first and the
last line of every cell on the path, the next corner is one ratio test up, and one down. Hence two limits:

    l2min    below it the events are those of l2 → 0: of the L1 penalty alone
    l2max    above it they are those of l2 → ∞: for balanced classes, all variables enter before any point moves
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from chemin.dictionaries.base import Floats
from chemin.engine.entry import one_thread, path
from chemin.engine.plane.formula import FREE, Formula, Sets
from chemin.engine.plane.ray import refuse_bent
from chemin.engine.plane.surface import formulas_of
from chemin.engine.result import Path
from chemin.exceptions import InvalidInputError
from chemin.problems import Loss

_ROUNDING = 1e-13  # of the terms of a slack
_MANY = 1e3  # times its rounding that a slack must fall to be told from one of the many at l2 = 0
_REACH = 1e-9  # in units of the first l1: a line so near to the end of a cell is there


class SameEvents(NamedTuple):
    """Between which l2 the events are the same: from ``low``, perhaps 0, up to ``high``, perhaps infinite."""

    low: float
    high: float


def same_events(
    X: Any,
    y: Any,
    l2: float,
    *,
    min_l1: float = 0.0,
    loss: str | Loss = "hinge",
    sample_weight: Any = None,
    l1_weight: Any = None,
) -> SameEvents:
    """Say between which l2 the l1 path has the same events in the same order as at one of them.

    At a small l2, ``high`` is the l2 below which the path is that of the L1 penalty alone, if ``low`` is 0; at a large
    one, ``low`` is that above which the order of events no longer depends on l2, if ``high`` is infinite. Where l2 is
    next to rounding, below 1e-4 or so, ``low`` may not be told from 0: look from a larger one.

    Parameters
    ----------
    X, y, loss, sample_weight, l1_weight
        As for `chemin.ray_path`.
    l2 : float
        Where to look, above 0.
    min_l1 : float, default 0.0
        Down to which l1 the events count.

    Returns
    -------
    SameEvents

    Examples
    --------
    >>> import chemin
    >>> X, y = [[-2.0, 0.3], [-1.0, -0.4], [1.0, 0.2], [2.5, 0.1]], [0, 0, 1, 1]
    >>> low, high = chemin.same_events(X, y, l2=1e6)
    >>> bool(high == float("inf"))
    True
    >>> def events(l2):
    ...     return list(zip(*[chemin.svm_path(X, y, l2=l2).events[name] for name in ("kind", "index")]))
    >>> events(1.01 * low) == events(1e6), events(0.99 * low) == events(1e6)
    (True, False)
    """
    given = {"loss": loss, "sample_weight": sample_weight, "l1_weight": l1_weight}
    found = path(X, y, l2=l2, min_l1=min_l1, **given)
    problem = found.problem
    refuse_bent(problem, 1.0)
    if problem.l2 == 0.0:
        raise InvalidInputError("l2 is 0: pass a small one, such as 1e-6, to look from there")
    if found.l1[0] == 0.0:
        raise InvalidInputError("no column is of use at any l1: there are no events")
    with one_thread(problem, always=True):
        low, high = _between(found)
    return SameEvents(low * problem.l2, high * problem.l2)


def _between(found: Path) -> tuple[float, float]:
    """Return the limits in units of l2."""
    problem = found.problem
    unit = np.array([found.l1[0], problem.l2])
    formulas = formulas_of(problem, unit)
    low = 0.0
    high = np.inf
    where = found.l1 / unit[0]
    for k in np.flatnonzero(where[1:] < where[:-1]).tolist():
        middle = np.array([0.5 * (where[k] + where[k + 1]), 1.0])
        formula = formulas.of(_sets(found, k), middle, _ROUNDING)
        for end, inward in ((where[k], -1.0), (where[k + 1], 1.0)):
            corner = np.array([end, 1.0])
            high = min(high, 1.0 + _room(formula, corner, inward, 1.0))
            low = max(low, 1.0 - _room(formula, corner, inward, -1.0))
    return low, high


def _sets(found: Path, k: int) -> Sets:
    """Return the sets between a breakpoint and the next."""
    kept = found.breakpoints
    problem = found.problem
    dual = kept.dual_between(np.array([k]), np.array([0.5]), problem.loss)[0]
    sign = np.zeros(problem.dictionary.shape[1], dtype=np.int8)
    active = kept.active[kept.active_at(k)]
    sign[active] = np.sign(problem.dictionary.correlations(problem.label * dual)[active])
    sign[active[problem.l1_weight[active] == 0.0]] = FREE
    return Sets(kept.positions(k).astype(np.int8), sign)


def _room(formula: Formula, corner: Floats, inward: float, up: float) -> float:
    """Return how far l2 may go up, or down, along the line on which a cell ends, until another line is met."""
    slack = formula.slack[:3]
    value = slack[0] + corner @ slack[1:]
    steep = np.abs(slack[1])
    ends = np.flatnonzero((np.abs(value) <= _REACH * steep) & (slack[1] * inward > 0.0))
    along = up * -slack[2, ends] / slack[1, ends]  # dx on each of the lines there
    way = np.array([0.0, up])  # at the end of the path there is none: l1 stays
    if len(ends):
        way[0] = along[np.argmax(inward * along)]
    rate = way @ slack[1:]
    noise = formula.rounding * float(np.abs(way).sum()) + _ROUNDING * np.abs(way) @ np.abs(
        slack[1:]
    )
    falls = (rate < -noise) & (np.abs(value) > _REACH * steep)
    if up < 0.0:  # at l2 = 0 many lines meet, wherever rounding sees them
        falls &= value + rate < -_MANY * formula.rounding
    return float((np.maximum(value[falls], 0.0) / -rate[falls]).min(initial=np.inf))
