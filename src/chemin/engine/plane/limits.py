"""Between which l2 does the path along l1 have the same events? The nearest corners of the cells that it crosses.

The order of events changes where two lines between cells meet (`chemin.engine.plane.formula`). Along the first and the
last line of every cell on the path, the next corner is one ratio test up, and one down. Hence three limits:

    l2min    below it the events are those of l2 → 0: of the L1 penalty alone
    l2*      above it the first event after the start is a variable that enters, just below it one of a point
    l2max    above it they are those of l2 → ∞: for balanced classes, all variables enter before any point moves

Reference: Lachaud (2015), sections 2.3.3.1 (l2*) and 3.5.1.2.
"""

from __future__ import annotations

from collections.abc import Callable
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
_FURTHER = 10.0  # times a limit: where the next is sought
_BESIDE = 1e-9  # of a limit: what is just below it
_LOWEST = 1e-9  # of a first l2: where everything is rounding


class SameEvents(NamedTuple):
    """Between which l2 the events are the same: from ``low``, perhaps 0, up to ``high``, perhaps infinite."""

    low: float
    high: float


class L2Limits(NamedTuple):
    """Where l2 matters to the order of events along l1.

    Attributes
    ----------
    l2_min : float
        Below it the events are those of the L1 penalty alone; 0 if it is too small to be told from rounding.
    l2_star : float
        Above it a variable enters before any point moves between the pieces of its loss, just below it a point does
        first; infinite if no variable is ever first. The start itself does not count.
    l2_max : float
        Above it the order of events no longer depends on l2.
    """

    l2_min: float
    l2_star: float
    l2_max: float


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
    next to rounding, a hundred thousandth of squared columns or so, ``low`` means little: look from a larger one.
    Events that fall together at one l1, as on discrete data, may change their order among themselves all the same.

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
    return _around(_followed(X, y, l2, min_l1, given))


def l2_limits(
    X: Any,
    y: Any,
    *,
    min_l1: float = 0.0,
    loss: str | Loss = "hinge",
    sample_weight: Any = None,
    l1_weight: Any = None,
) -> L2Limits:
    """Say at which l2 the order of events along l1 begins to change, when it ends to, and what comes first between.

    A few paths lead to each: the next one begins beyond the limits of the last (`chemin.same_events`). Events that fall
    together at one l1, as on discrete data, count as one: their order among themselves may change anywhere.

    Parameters
    ----------
    X, y, min_l1, loss, sample_weight, l1_weight
        As for `chemin.same_events`.

    Returns
    -------
    L2Limits

    Examples
    --------
    >>> import chemin
    >>> X, y = [[-2.0, 0.3], [-1.0, -0.4], [1.0, 0.2], [2.5, 0.1]], [0, 0, 1, 1]
    >>> limits = chemin.l2_limits(X, y)
    >>> [round(limit, 4) for limit in limits]
    [1.4, 13.725, 14.585]
    >>> [str(chemin.svm_path(X, y, l2=share * limits.l2_star).events["kind"][1]) for share in (0.9, 1.1)]
    ['elbow', 'enter']
    """
    given = {"loss": loss, "sample_weight": sample_weight, "l1_weight": l1_weight}

    def follow(l2: float) -> Path:
        return _followed(X, y, l2, min_l1, given)

    found = follow(1.0)
    first = follow(found.l1[0] ** 2 / len(found.problem.label))  # l2 is in units of X squared
    return L2Limits(_least(follow, first), *_star_and_largest(follow, first))


def _followed(X: Any, y: Any, l2: float, min_l1: float, given: dict[str, Any]) -> Path:
    """Follow the path at one l2, if its events have limits."""
    found = path(X, y, l2=l2, min_l1=min_l1, **given)
    refuse_bent(found.problem, 1.0)
    if found.problem.l2 == 0.0:
        raise InvalidInputError("l2 is 0: pass a small one, such as 1e-6, to look from there")
    if found.l1[0] <= min_l1:
        above = f"above min_l1 = {min_l1:g}" if min_l1 else "at any l1"
        raise InvalidInputError(f"no column is of use {above}: there are no events")
    return found


def _least(follow: Callable[[float], Path], first: Path) -> float:
    """Return the l2 below which the events stay the same, 0 if rounding hides it."""
    highest = first.problem.l2
    found = first
    here = _around(found)
    while here.low > 0.0:
        if here.low < _LOWEST * highest:
            return 0.0
        above = here.low
        found = follow(above / _FURTHER)
        here = _around(found)
        if here.high > (1.0 + _BESIDE) * above:
            break  # above was rounding: the events are the same there
    seen = follow((1.0 - _BESIDE) * min(here.high, highest))
    return here.high if _order(seen) == _order(found) else 0.0


def _star_and_largest(follow: Callable[[float], Path], found: Path) -> tuple[float, float]:
    """Return the l2 above which a variable enters first, and that above which the events stay the same."""
    here = _around(found)
    while here.high < np.inf:
        found = follow(here.high * _FURTHER)
        here = _around(found)
    star = np.inf
    while star > 0.0 and _enters_first(found):
        star = _around(found, of=1).low
        if star > 0.0:
            found = follow((1.0 - _BESIDE) * star)
    return star, here.low


def _order(found: Path) -> list[tuple[str, int]]:
    """Return what happens on a path, and to whom."""
    events = found.events
    return list(zip(events["kind"].tolist(), events["index"].tolist(), strict=True))


def _enters_first(found: Path) -> bool:
    """Say whether a variable enters before anything else happens on a path, once it has begun."""
    events = found.events
    after = events["kind"][events["l1"] < found.l1[0]]
    return len(after) > 0 and str(after[0]) == "enter"


def _around(found: Path, of: int | None = None) -> SameEvents:
    """Return between which l2 the events of a path are the same, or only those that its first segments end with."""
    problem = found.problem
    with one_thread(problem, always=True):
        low, high = _between(found, of)
    return SameEvents(low * problem.l2, high * problem.l2)


def _between(found: Path, of: int | None) -> tuple[float, float]:
    """Return these limits in units of l2."""
    problem = found.problem
    unit = np.array([found.l1[0], problem.l2])
    formulas = formulas_of(problem, unit)
    low = 0.0
    high = np.inf
    where = found.l1 / unit[0]
    for k in np.flatnonzero(where[1:] < where[:-1])[:of].tolist():
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
