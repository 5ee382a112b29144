"""What holds on given sets? The solution as an affine function of l1, and from which l1 to which.

With b_j = σ_j t_u for the columns j of unit u, the rows E at their kinks, and the rows short of theirs at α = h,

    l2 n_u t_u − Σ_j σ_j (X_Eᵀ α_E)_j = Σ_j σ_j c°_j − l1 V_u,     X_E b + s b0 + D α_E = z,     s·α_E = rest,

n_u columns and V_u = Σ v_g in the unit, c° from the rows that are short. The sets hold as long as

- 0 ≤ α ≤ h at the kinks, and other rows stay on their side of theirs;
- t_u ≥ 0, and no unit or column is larger than the group around it;
- what the loss asks of tied columns, r_j = σ_j (c_j − l2 b_j), is not negative and can be shared among the groups,
  l1 v_g to each: inside a unit, what the columns of a group ask is at least what it and the groups inside get;
- what the columns of a group at zero ask, |c_j|, less what the groups inside take, is at most l1 v_g.

All but the last are affine. Where no row is at a kink the intercept is free: the largest of its lower bounds may not
exceed the smallest of its upper ones. These two are convex, and Newton's method finds their ends in a few steps.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from chemin.dictionaries.base import Floats, Indices
from chemin.engine.groups.sets import AT_KINK, BEYOND, SHORT, ZERO, Sets, Tree
from chemin.engine.recovery.rows import Rows

_TOGETHER = 1e-10  # of l1: changes as near as this happen at once
_STILL = 1e-13  # of its size: what moves by less along all of l1 does not move
_OUTSIDE = 1e-9  # of its size: what is below zero by less is so by rounding
_OVER = 1e-12  # of its size, likewise, where Newton's method has come to the end
_STEPS = 50  # of Newton's method, which ends after as many as there are kinks


class Change(IntEnum):
    """What may change at the end of a segment."""

    ROW = 0  # a row comes to its kink or leaves it
    VANISH = 1  # a unit comes to zero, with its groups
    MERGE = 2  # a unit is as large as the group around it
    JOIN = 3  # so is a column that was smaller
    FREE = 4  # nothing holds a tied column any more
    SPLIT = 5  # a group inside a unit becomes smaller than the rest
    GROW = 6  # a group leaves zero


class Event(NamedTuple):
    """What ends a segment: a family of changes, who changes, and to what."""

    change: Change
    which: int
    towards: int = 0


class _Condition(NamedTuple):
    """What must not be negative, as a constant and a slope, for whom, and what it is measured by."""

    change: Change
    which: Indices
    towards: int
    room: Floats
    size: float


class _Convex(NamedTuple):
    """What must not be positive at some l1: values, slopes, and the change where they vanish."""

    events: Sequence[tuple[Event, ...]]
    value: Floats
    slope: Floats
    size: float


@dataclass(frozen=True, eq=False)
class Segment:
    """The solution on given sets; affine functions of l1 are arrays of shape (k, 2), constants and slopes."""

    rows: Rows
    tree: Tree
    l2: float
    sets: Sets
    unit: Floats  # t_u
    intercept: Floats
    multiplier: Floats

    @classmethod
    def on(cls, sets: Sets, rows: Rows, tree: Tree, l2: float) -> Segment | None:
        """Return the solution, or None where the sets do not determine one."""
        kept = np.flatnonzero(sets.row == AT_KINK)
        m, e = sets.units, len(kept)
        moving = np.flatnonzero(sets.column != ZERO)
        unit = sets.column[moving]
        spread = sparse.csr_array((sets.sign[moving], (unit, moving)), shape=(m, len(sets.column)))
        fixed = np.where(sets.row == SHORT, rows.bound, 0.0)
        paid = sets.group != ZERO
        M = (spread @ rows.signed[kept].T).T
        label = rows.label[kept]
        K = np.zeros((m + e + 1, m + e + 1))
        K[:m, :m] = l2 * np.diag(np.bincount(unit, minlength=m).astype(float))
        K[:m, m : m + e] = -M.T
        K[m : m + e, :m] = M
        K[m : m + e, m : m + e] = np.diag(rows.width[kept])
        K[m : m + e, -1] = label
        K[-1, m : m + e] = label
        right = np.zeros((m + e + 1, 2))
        right[:m, 0] = spread @ rows.correlation(fixed)
        right[:m, 1] = -np.bincount(sets.group[paid], tree.weight[paid], m)
        right[m : m + e, 0] = rows.kink[kept] + rows.bent[kept]
        rest = rows.pull - float(rows.label @ fixed)
        right[-1, 0] = rest
        if e == 0:  # the intercept is free: it is found from its bounds
            if abs(rest) > _OUTSIDE * rows.bound.max():
                return None
            K[-1, -1] = 1.0
        try:
            first = np.linalg.solve(K, right)
            found = np.asarray(first + np.linalg.solve(K, right - K @ first), dtype=float)
        except np.linalg.LinAlgError:
            return None
        missed = np.abs(right - K @ found).max(axis=0, initial=0.0)
        if not np.all(missed <= _OUTSIDE * (1.0 + np.abs(right).max(axis=0))):
            return None
        multiplier: Floats = np.column_stack([fixed, np.zeros_like(fixed)]).astype(float)
        multiplier[kept] = found[m : m + e]
        return cls(rows, tree, l2, sets, found[:m], found[-1], multiplier)

    @cached_property
    def coef(self) -> Floats:
        """The coefficients."""
        moving = self.sets.column != ZERO
        found = np.zeros((len(moving), 2))
        found[moving] = self.sets.sign[moving, None] * self.unit[self.sets.column[moving]]
        return found

    @cached_property
    def correlation(self) -> Floats:
        """What the loss asks of every column."""
        found = self.rows.signed.T @ self.multiplier
        found[:, 0] -= self.rows.pull_b
        return np.asarray(found)

    def at(self, l1: float) -> tuple[Floats, float, Floats]:
        """Return coefficients, intercept, and dual values at one l1."""
        here = np.array([1.0, l1])
        coef = self.coef @ here
        if np.any(self.sets.row == AT_KINK):
            intercept = float(self.intercept @ here)
        else:
            low, high = self._bounds(l1)
            ends = [end for end in (low[0], high[0]) if np.isfinite(end)]
            intercept = float(np.mean(ends))
        return coef, intercept, self.rows.dual(self.multiplier @ here)

    def crossing(self, event: Event, near: float) -> float:
        """Return the l1 at which a change comes on these sets, for one that comes near another l1."""
        for condition in self._conditions:
            if condition.change == event.change and condition.towards == event.towards:
                for constant, slope in condition.room[condition.which == event.which]:
                    return float(-constant / slope) if slope else near
        l1 = near
        for _ in range(_STEPS):
            parts = [part for part in self._convex(l1) if any(event in one for one in part.events)]
            if not parts:
                break
            k = next(k for k, one in enumerate(parts[0].events) if event in one)
            step = float(parts[0].value[k] / parts[0].slope[k])
            l1 -= step
            if abs(step) <= _STILL * l1:
                break
        return l1

    def zero_at(self, near: float) -> float:
        """Return the l1 at which the largest coefficient comes to zero."""
        constant, slope = self.unit[np.argmax(np.abs(self.unit[:, 0]))]
        return float(-constant / slope) if slope else near

    def vanishes(self, l1: float) -> bool:
        """Say whether all coefficients come to zero at some l1."""
        here = np.abs(self.unit @ np.array([1.0, l1])).max(initial=0.0)
        return bool(here <= _OUTSIDE * np.abs(self.unit[:, 0]).max(initial=0.0))

    def ends(self, at: float, limit: float) -> tuple[float, float, list[Event]] | None:
        """Return to where the sets hold below l1 and, at most up to a limit, above, and what changes below.

        None if they do not hold there.
        """
        low, high = 0.0, limit
        below: list[tuple[float, Event]] = []
        for condition in self._conditions:
            constant, slope = condition.room.T
            moving = np.abs(slope) * at > _STILL * condition.size
            if np.any((constant + slope * at)[~moving] < -_OUTSIDE * condition.size):
                return None
            with np.errstate(divide="ignore", invalid="ignore"):
                crossing = -constant / slope
            falling = np.flatnonzero(moving & (slope > 0.0))
            rising = moving & (slope < 0.0)
            high = min(high, float(crossing[rising].min(initial=high)))
            low = max(low, float(crossing[falling].max(initial=low)))
            below += [
                (
                    float(crossing[k]),
                    Event(condition.change, int(condition.which[k]), condition.towards),
                )
                for k in falling[crossing[falling] >= low * (1.0 - _TOGETHER)]
            ]
        if low > at * (1.0 + _TOGETHER) or high < at * (1.0 - _TOGETHER):
            return None
        bent = self._newton(low, at)
        top = self._newton(high, at)
        if bent is None or top is None:
            return None
        low, happened = bent
        events = [event for crossing, event in below if crossing >= low * (1.0 - _TOGETHER)]
        return low, top[0], events + [event for event in happened if event not in events]

    def _newton(self, start: float, inside: float) -> tuple[float, list[Event]] | None:
        """Return where all convex conditions hold, from outside, and what happens there."""
        l1 = start
        happened: list[Event] = []
        towards = 1.0 if start < inside else -1.0
        for _ in range(_STEPS):
            step = 0.0
            for part in self._convex(l1):
                over = part.value > _OVER * part.size
                if np.any(over & (towards * part.slope >= 0.0)):
                    return None
                for k in np.flatnonzero(over).tolist():
                    one = -part.value[k] / part.slope[k]
                    if towards * one > towards * step:
                        step = one
                        happened = list(part.events[k])
            if step == 0.0:
                break
            l1 += step
        if towards * (l1 - inside) > _TOGETHER * inside:
            return None
        return l1, happened

    @cached_property
    def _conditions(self) -> list[_Condition]:
        return [*self._of_rows(), *self._of_sizes(), *self._of_shares()]

    def _of_rows(self) -> Iterator[_Condition]:
        rows, state = self.rows, self.sets.row
        kept = np.flatnonzero(state == AT_KINK)
        if not len(kept):
            return
        bound = rows.bound.max()
        held = self.multiplier[kept]
        yield _Condition(Change.ROW, kept, BEYOND, held, bound)
        yield _Condition(Change.ROW, kept, SHORT, [1.0, 0.0] * rows.bound[kept, None] - held, bound)
        shortfall = -rows.signed @ self.coef - np.outer(rows.label, self.intercept)
        shortfall -= rows.width[:, None] * self.multiplier
        shortfall[:, 0] += rows.kink + rows.bent
        size = 1.0 + np.abs(rows.kink).max()
        beyond, short = (np.flatnonzero(state == place) for place in (BEYOND, SHORT))
        yield _Condition(Change.ROW, beyond, AT_KINK, -shortfall[beyond], size)
        yield _Condition(Change.ROW, short, AT_KINK, shortfall[short], size)

    def _of_sizes(self) -> Iterator[_Condition]:
        tree, sets, unit = self.tree, self.sets, self.unit
        size = float(np.abs(unit[:, 0]).max(initial=0.0)) or 1.0
        around = self._around
        top = np.flatnonzero((sets.group != ZERO) & (around != sets.group))
        yield _Condition(Change.VANISH, sets.group[top], ZERO, unit[sets.group[top]], size)
        inner = top[around[top] != ZERO]
        yield _Condition(
            Change.MERGE,
            sets.group[inner],
            ZERO,
            unit[around[inner]] - unit[sets.group[inner]],
            size,
        )
        alone = self._alone
        largest = unit[sets.group[tree.smallest[alone]]]
        yield _Condition(Change.JOIN, alone, 1, largest - self.coef[alone], size)
        yield _Condition(Change.JOIN, alone, -1, largest + self.coef[alone], size)

    @cached_property
    def _around(self) -> Indices:
        """The unit of the group around every group."""
        around = self.tree.around
        return np.where(around != ZERO, self.sets.group[around], ZERO)

    @cached_property
    def _alone(self) -> Indices:
        """Columns that are smaller than all their groups."""
        within = self.sets.group[self.tree.smallest]
        return np.flatnonzero((self.sets.column != ZERO) & (self.sets.column != within))

    def _of_shares(self) -> Iterator[_Condition]:
        tree, sets = self.tree, self.sets
        within = sets.group[tree.smallest]
        tied = np.flatnonzero((sets.column != ZERO) & (sets.column == within))
        asked = sets.sign[tied, None] * (self.correlation - self.l2 * self.coef)[tied]
        size = float(tree.weight.max() + np.abs(asked).max(initial=0.0))
        yield _Condition(Change.FREE, tied, ZERO, asked, size)
        held = np.zeros((tree.count, 2))
        np.add.at(held, tree.smallest[tied], asked)
        held[:, 1] -= tree.weight
        passing = (sets.group != ZERO) & (self._around == sets.group)
        for level in tree.levels:
            giving = level[passing[level]]
            np.add.at(held, tree.around[giving], held[giving])
        inner = np.flatnonzero(passing)
        yield _Condition(Change.SPLIT, inner, ZERO, held[inner], size)

    def _convex(self, l1: float) -> Iterator[_Convex]:
        held, slope = self.left(l1)
        zero = self.sets.group == ZERO
        around = self.tree.around
        top = np.flatnonzero(zero & ~((around != ZERO) & zero[around]))
        events = [(Event(Change.GROW, int(g)),) for g in top]
        yield _Convex(events, held[top], slope[top], l1 * float(self.tree.weight.max()))
        if not np.any(self.sets.row == AT_KINK):
            low, high = self._bounds(l1)
            if np.isfinite(low[0]) and np.isfinite(high[0]):
                both = tuple(Event(Change.ROW, row, AT_KINK) for row in (low[2], high[2]))
                gap = np.array([low[0] - high[0]])
                yield _Convex([both], gap, np.array([low[1] - high[1]]), 1.0)

    def left(self, l1: float) -> tuple[Floats, Floats]:
        """Return what is asked of every group at zero beyond what it and the groups inside take; and its slope."""
        tree = self.tree
        zero = self.sets.group == ZERO
        columns = np.flatnonzero(zero[tree.smallest])
        asked = self.correlation[columns] @ np.array([1.0, l1])
        held = np.bincount(tree.smallest[columns], np.abs(asked), tree.count) - l1 * tree.weight
        moved = np.sign(asked) * self.correlation[columns, 1]
        slope = np.bincount(tree.smallest[columns], moved, tree.count) - tree.weight
        for level in tree.levels[:-1]:
            giving = level[zero[level] & zero[tree.around[level]] & (held[level] > 0.0)]
            np.add.at(held, tree.around[giving], held[giving])
            np.add.at(slope, tree.around[giving], slope[giving])
        return held, slope

    def _bounds(self, l1: float) -> tuple[tuple[float, float, int], tuple[float, float, int]]:
        """Return the largest lower and the smallest upper bound of a free intercept: value, slope, row."""
        rows = self.rows
        line = -rows.label[:, None] * (rows.signed @ self.coef)
        line[:, 0] += rows.label * (rows.kink + rows.bent - rows.width * self.multiplier[:, 0])
        value = line @ np.array([1.0, l1])
        upper = (self.sets.row == SHORT) == (rows.label > 0.0)
        ends = []
        for side, none, which in ((~upper, -np.inf, np.argmax), (upper, np.inf, np.argmin)):
            row = int(which(np.where(side, value, none)))
            ends.append((float(value[row]) if side[row] else none, float(line[row, 1]), row))
        return ends[0], ends[1]


def _inside(mask: NDArray[np.bool_], tree: Tree) -> NDArray[np.bool_]:
    """Return all groups inside the marked ones, with these."""
    found = mask.copy()
    for level in tree.levels[-2::-1]:
        found[level] |= found[tree.around[level]]
    return found


def after(segment: Segment, events: list[Event], l1: float) -> Sets:
    """Return the sets below the end of a segment."""
    sets = deepcopy(segment.sets)
    tree = segment.tree
    for event in events:
        fresh = sets.units
        match event.change:
            case Change.ROW:
                sets.row[event.which] = event.towards
            case Change.VANISH:
                gone = _inside(sets.group == event.which, tree)
                sets.group[gone] = ZERO
                sets.column[gone[tree.smallest]] = ZERO
            case Change.MERGE:
                unit = sets.group == event.which
                around = tree.around[np.flatnonzero(unit)[-1:]]  # of its outermost group
                sets.column[sets.column == event.which] = sets.group[around]
                sets.group[unit] = sets.group[around]
            case Change.JOIN:
                sets.column[event.which] = sets.group[tree.smallest[event.which]]
                sets.sign[event.which] = event.towards
            case Change.FREE:
                sets.column[event.which] = fresh
            case Change.SPLIT:
                marked = np.zeros(tree.count, dtype=bool)
                marked[event.which] = True
                unit_number = sets.group[event.which]
                inner = _inside(marked, tree)
                sets.column[inner[tree.smallest] & (sets.column == unit_number)] = fresh
                sets.group[inner & (sets.group == unit_number)] = fresh
            case Change.GROW:
                _grown(segment, sets, event.which, l1, fresh)
    return sets.numbered()


def _grown(segment: Segment, sets: Sets, group: int, l1: float, fresh: int) -> None:
    """Let a group at zero grow, with the groups inside of which something is left, and their columns."""
    tree = segment.tree
    held = segment.left(l1)[0]
    growing = np.zeros(tree.count, dtype=bool)
    growing[group] = True
    for level in tree.levels[-2::-1]:
        growing[level] |= growing[tree.around[level]] & (held[level] > _OUTSIDE * l1)
    columns = growing[tree.smallest]
    sets.group[growing] = fresh
    sets.column[columns] = fresh
    asked = segment.correlation @ np.array([1.0, l1])
    sets.sign[columns] = np.where(asked[columns] < 0.0, -1.0, 1.0)
