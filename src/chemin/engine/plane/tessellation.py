"""Which cells is a rectangle of (l1, l2) made of? From cell to cell across their sides, until no side is open.

On each cell the sets are constant, and so it is the convex polygon that the slacks of its formula leave
(`chemin.engine.plane.formula`). Across a side the sets change by a pivot; where several slacks vanish along it, by one
pivot after another, in the order in which their shifted lines would be met. What of a side the cell beyond it does not
cover stays open.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from chemin.dictionaries.base import Floats
from chemin.engine.plane.formula import LEFT, Formula, Formulas, Sets
from chemin.engine.plane.polygon import area, around
from chemin.exceptions import EngineError

_REACH = 1e-11  # in these units: what is met within so much is met together
_TOUCHES = 2e-9  # in these units: a corner so near to a side is on it
_SHORT = 1e-9  # in these units: a side that is none
_WHERE = (
    3.0 - np.sqrt(5.0)
) / 2.0  # on a side it is crossed: hardly ever where something else is, too
_PIVOTS = 1000
_ROUNDING = (1e-12, 1e-11, 1e-10, 1e-13)


class Cell(NamedTuple):
    """Sets, and the polygon on which they hold, in units of l1 and l2."""

    sets: Sets
    vertex: Floats


class Side(NamedTuple):
    """A side, or a part of one, of a cell, and the first change of sets beyond it."""

    cell: int
    start: Floats
    end: Floats
    change: tuple[int, int]


class Tessellation:
    """The cells of a rectangle, as they are found."""

    def __init__(
        self,
        formulas: Formulas,
        low: Floats,
        high: Floats,
        most: int,
        report: Callable[[int, float], None],
    ) -> None:
        self.formulas = formulas
        self.most = most
        self.report = report
        self.covered = 0.0  # of the rectangle, whose area is ``whole``
        self.whole = float(np.prod(high - low))
        self.cells: list[Cell] = []
        self.frame = np.array([
            [-low[0], high[0], -low[1], high[1]],
            [1.0, -1.0, 0.0, 0.0],
            [0.0, 0.0, 1.0, -1.0],
        ])  # fmt: skip
        self._known: dict[bytes, int] = {}
        self._open: list[Side] = []
        self.failed: list[Side] = []

    def fill(self, sets: Sets, inside: Floats) -> bool:
        """Find all cells, from one that holds a point; return False if they are more than wanted."""
        sets = self._at_an_end(sets, inside)
        self._add(sets, self.formulas.of(sets, inside, _ROUNDING[0]), inside)
        while self._open:
            if len(self.cells) > self.most:
                return False
            self._cross(self._open.pop())
            self.report(len(self.cells), self.covered / self.whole)
        return True

    def _at_an_end(self, sets: Sets, inside: Floats) -> Sets:
        """Return sets with the intercept at that end of its interval, if it has one, which the shifts ask for."""
        solved = self.formulas.solved(sets)
        formula = self.formulas.of(sets, inside, _ROUNDING[0], solved)
        spare = self.formulas.spare(sets, solved)
        bound = (formula.family <= LEFT) & (formula.slack[:3] == 0.0).all(axis=0)
        wrong = np.flatnonzero(bound & (formula.slack[3] < 0.0))
        if spare is None or len(wrong) != 1:
            return sets
        first = int(np.argmin(np.append(1.0, inside) @ spare.limits))
        k = int(wrong[0])
        left = sets.after(int(formula.family[k]), int(formula.whose[k]))
        return left.after(int(spare.changes[first]), int(spare.whose[first]))

    def _cross(self, side: Side) -> None:
        """Find the cell beyond a side, where it is not known yet."""
        at = (1.0 - _WHERE) * side.start + _WHERE * side.end
        sets = self.cells[side.cell].sets.after(*side.change)
        found = self._known.get(_key(sets))
        if found is not None and self._leave_open(side, found):
            return
        way = _outward(side.start, side.end)
        for rounding in _ROUNDING:
            try:
                number = self._beyond(side, at, way, rounding)
            except (EngineError, np.linalg.LinAlgError):
                continue
            if number is not None and self._leave_open(side, number):
                return
        self.failed.append(side)

    def _beyond(self, side: Side, at: Floats, way: Floats, rounding: float) -> int | None:
        """Return the number of the cell beyond a side, a new one or not."""
        first = self.cells[side.cell].sets.after(*side.change)
        sets, formula = self._settled(first, at, way, rounding)
        known = self._known.get(_key(sets))
        if known is not None:
            return known
        inside = at + 0.5 * _room(formula, self.frame, at, way) * way
        return self._add(sets, formula, inside, side)

    def _settled(
        self, sets: Sets, at: Floats, way: Floats, rounding: float
    ) -> tuple[Sets, Formula]:
        """Return the sets beyond a point of a side: pivots as long as something that vanishes there falls."""
        for _ in range(_PIVOTS):
            formula = self.formulas.of(sets, at, rounding)
            change = _first_change(formula, at, way)
            if change is None:
                return sets, formula
            sets = sets.after(*change)
        raise EngineError("simultaneous changes could not be put in order: move an end of l1 or l2")

    def _add(
        self, sets: Sets, formula: Formula, inside: Floats, entry: Side | None = None
    ) -> int | None:
        number = len(self.cells)
        lines = np.concatenate([formula.slack[:3], self.frame], axis=1)
        vertex, line = around(lines, inside)
        if entry is not None and _covered(entry, vertex) is None:
            return None
        self._known[_key(sets)] = number
        self.cells.append(Cell(sets, vertex))
        self.covered += area(vertex)
        ends = np.concatenate([vertex[1:], vertex[:1]])
        where = (1.0 - _WHERE) * vertex + _WHERE * ends
        slack = formula.slack
        steep = np.abs(slack[1]) + np.abs(slack[2])
        value = slack[0] + where @ slack[1:3]
        vanish = (value <= formula.rounding + 2.0 * _REACH * steep).sum(axis=1)
        for start, end, at, k, tied in zip(
            vertex, ends, where, line.tolist(), vanish.tolist(), strict=True
        ):
            if k >= slack.shape[1] or not _is_long(start, end) or self._on_frame(start, end):
                continue
            side = Side(number, start, end, (int(formula.family[k]), int(formula.whose[k])))
            if tied > 1:
                first = _first_change(formula, at, _outward(start, end))
                side = side._replace(change=first or side.change)
            self._open.append(side)
        return number

    def _on_frame(self, start: Floats, end: Floats) -> bool:
        """Say whether a side is one of the rectangle, whichever line it was found on."""
        room = self.frame[0] + np.array([start, end]) @ self.frame[1:]
        return bool((np.abs(room) <= _SHORT).all(axis=0).any())

    def _leave_open(self, side: Side, number: int) -> bool:
        """Open what of a side a cell does not cover; return False if it does not touch where the side is crossed."""
        covered = _covered(side, self.cells[number].vertex)
        if covered is None:
            return False
        first, last = covered
        along = side.end - side.start
        for low, high in ((0.0, first), (last, 1.0)):
            start = side.start + low * along
            end = side.start + high * along
            if high > low and _is_long(start, end):
                self._open.append(side._replace(start=start, end=end))
        return True


def _covered(side: Side, vertex: Floats) -> tuple[float, float] | None:
    """Return the share of a side that a polygon touches from beyond, if it is crossed there."""
    (x0, y0), (x1, y1) = side.start.tolist(), side.end.tolist()
    dx = x1 - x0
    dy = y1 - y0
    square = dx * dx + dy * dy
    near = _TOUCHES * square**0.5
    shares = [
        ((x - x0) * dx + (y - y0) * dy) / square
        for x, y in vertex.tolist()
        if abs((x - x0) * dy - (y - y0) * dx) <= near
    ]
    if len(shares) > 1 and min(shares) <= _WHERE <= max(shares):
        return min(shares), max(shares)
    return None


def _first_change(formula: Formula, at: Floats, way: Floats) -> tuple[int, int] | None:
    """Return the change to make first at a point where slacks vanish that fall along a way; None if none does."""
    slack = formula.slack
    value = slack[0] + at @ slack[1:3]
    rate = way @ slack[1:3]
    noise = formula.rounding * float((np.abs(way) / at).sum())
    met = np.maximum(formula.rounding, -rate * _REACH)
    tied = np.flatnonzero((value <= met) & (rate < -noise))
    if not len(tied):
        return None
    k = tied[np.argmin(slack[3, tied] / -rate[tied])]
    return int(formula.family[k]), int(formula.whose[k])


def _room(formula: Formula, frame: Floats, at: Floats, way: Floats) -> float:
    """Return how far one can go along a way."""
    lines = np.concatenate([formula.slack[:3], frame], axis=1)
    noise = np.append(formula.rounding, np.zeros(4)) * float((np.abs(way) / at).sum())
    rate = way @ lines[1:]
    falls = np.flatnonzero(rate < -noise)
    value = lines[0, falls] + at @ lines[1:, falls]
    return float((value / -rate[falls]).min())


def _outward(start: Floats, end: Floats) -> Floats:
    along = end - start
    return np.array([along[1], -along[0]]) / np.sqrt(along @ along)


def _is_long(start: Floats, end: Floats) -> bool:
    return bool(np.abs(end - start).max() > _SHORT)


def _key(sets: Sets) -> bytes:
    return hashlib.blake2b(sets.position.tobytes() + sets.sign.tobytes(), digest_size=16).digest()
