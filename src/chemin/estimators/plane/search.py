"""Where is the mean of some step functions least? Lines across the rectangle first, then bounds on ever smaller parts.

Along a line the sum is a step function of one variable, and known at once; the least of all lines begins the search.
No sum on a part of the rectangle is below that of the least values there, one of each function, so a part where this is
above the best found is left. In the others, a piece counts only if its value and the least of the other functions are
not above the best. Where few pieces count they are intersected; other parts are halved, in x, in y or in x/y, across
which the pieces are thinnest: where no dual value is at its bound these scale with (l1, l2), and cells are cones.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from chemin.dictionaries.base import Floats, Indices
from chemin.engine.plane.polygon import area, centre, common, halves, thickness
from chemin.estimators.plane.lines import best_of, steps_along
from chemin.estimators.plane.region import SAME, BestRegion
from chemin.estimators.plane.steps import THIN, Steps, axes_of

_LINES = 100  # across, that the search begins from
_FEW = 100  # pieces that are intersected
_MOST = 200_000  # parts that are looked at
_TINY = 1e-7  # a part that is not halved any more


class Part(NamedTuple):
    """A part of the rectangle, between bounds on x, y and x/y, and the pieces of each function that meet it."""

    bound: float
    turn: int
    low: Floats
    high: Floats
    pieces: list[Indices]


class Best:
    """The least sum so far, and the polygons where it is."""

    def __init__(self, value: float) -> None:
        self.value = value
        self.polygons: list[Floats] = []

    def add(self, polygon: Floats, value: float) -> None:
        """Keep a polygon if nothing better is known."""
        if value < self.value - SAME:
            self.value = value
            self.polygons = []
        if value <= self.value + SAME:
            self.polygons.append(polygon)


def best_region(folds: Sequence[Steps], unit: Floats, low: Floats, most: int = _MOST) -> BestRegion:
    """Find where the mean of some step functions is least, from ``low`` to 1 in their units."""
    whole = np.array([[low[0], low[1]], [1.0, low[1]], [1.0, 1.0], [low[0], 1.0]])
    lines = np.geomspace(low[1], 1.0, 2 * _LINES + 1)[1::2]
    begun = best_of([best_of(steps_along(folds, 0, y)) for y in lines.tolist()])
    best = Best(begun.value)
    turn = 0
    axes = axes_of(whole)
    everywhere = [np.arange(len(fold)) for fold in folds]
    heap = [_part(folds, turn, axes.min(axis=1), axes.max(axis=1), everywhere)]
    while heap and heap[0].bound <= best.value + SAME and turn < most:
        part = heapq.heappop(heap)
        counting = _counting(folds, part, best)
        axis = _axis(part, counting)
        if axis is None or sum(len(some) for _, some in counting) <= _FEW:
            _intersect(part, counting, best)
            continue
        for least, largest in _halves(part, axis):
            pieces = [
                fold.within(least, largest, some)
                for fold, some in zip(folds, part.pieces, strict=True)
            ]
            turn += 1
            half = _part(folds, turn, least, largest, pieces)
            if half.bound <= best.value + SAME:
                heapq.heappush(heap, half)
    lower = min(best.value, heap[0].bound) if heap else best.value
    is_whole = not heap or heap[0].bound > best.value + SAME
    polygons = best.polygons or [_overlap(folds, begun.pieces, whole)]
    centres = np.array([centre(polygon) for polygon in sorted(polygons, key=area)[-_LINES:]])
    point = _point(folds, np.append(lines, centres[:, 1]), best.value, centres[-1])
    return BestRegion(
        best.value / len(folds),
        lower / len(folds),
        is_whole,
        [polygon * unit for polygon in polygons],
        *(point * unit).tolist(),
    )


def _part(
    folds: Sequence[Steps], turn: int, low: Floats, high: Floats, pieces: list[Indices]
) -> Part:
    """Return a part, with the bound on the sum in it; where it is empty no piece meets it."""
    bound = sum(
        float(fold.values[some].min(initial=np.inf))
        for fold, some in zip(folds, pieces, strict=True)
    )
    return Part(bound, turn, low, high, pieces)


def _counting(folds: Sequence[Steps], part: Part, best: Best) -> list[tuple[Steps, Indices]]:
    """Return the functions that are not constant on a part, and their pieces that may have to do with the least."""
    room = best.value + SAME - part.bound
    found = []
    for fold, some in zip(folds, part.pieces, strict=True):
        values = fold.values[some]
        least = values.min()
        if values.max() > least + SAME:
            found.append((fold, some[values <= least + room]))
    return found


def _axis(part: Part, counting: list[tuple[Steps, Indices]]) -> int | None:
    """Return across which axis the pieces are thinnest, in shares of the part; None if it is tiny."""
    extent = part.high - part.low
    if not counting or (extent[:2] <= _TINY).all():
        return None
    share = np.zeros(3)
    for fold, some in counting:
        low, high = fold.spans
        inside = np.minimum(high[:, some], part.high[:, None]) - np.maximum(
            low[:, some], part.low[:, None]
        )
        share += inside.sum(axis=1) / extent
    return int(np.argmin(share))


def _halves(part: Part, axis: int) -> list[tuple[Floats, Floats]]:
    """Halve a part, in ratios; each half is as small as it can be in the other axes."""
    low = float(part.low[axis])
    high = float(part.high[axis])
    middle = np.sqrt(low * high) if low > 0.0 else 0.5 * high
    found = []
    for least, largest in ((low, middle), (middle, high)):
        x0, y0, r0 = np.where(np.arange(3) == axis, least, part.low).tolist()
        x1, y1, r1 = np.where(np.arange(3) == axis, largest, part.high).tolist()
        lows = np.array([max(x0, r0 * y0), max(y0, x0 / r1), max(r0, x0 / y1)])
        highs = np.array([min(x1, r1 * y1), min(y1, x1 / r0) if r0 else y1, min(r1, x1 / y0)])
        if (lows < highs).all():
            found.append((lows, highs))
    return found


def _intersect(part: Part, counting: list[tuple[Steps, Indices]], best: Best) -> None:
    """Find the least sum in a part, by intersecting the pieces that count."""
    polygon = _polygon(part)
    if polygon is None:
        return
    settled = part.bound - sum(float(fold.values[some].min()) for fold, some in counting)
    counting = sorted(counting, key=lambda one: len(one[1]))
    overlaps = [(polygon, settled)]
    for k, (fold, some) in enumerate(counting):
        rest = sum(float(other.values[more].min()) for other, more in counting[k + 1 :])
        overlaps = [
            (shared, value + float(fold.values[piece]))
            for polygon, value in overlaps
            for piece in some
            if value + fold.values[piece] + rest <= best.value + SAME
            and (shared := common(polygon, fold.piece(piece))) is not None
            and thickness(shared) > THIN
        ]
    for polygon, value in overlaps:
        best.add(polygon, value)


def _polygon(part: Part) -> Floats | None:
    """Return the corners of a part, None if it is empty."""
    x0, y0, r0 = part.low.tolist()
    x1, y1, r1 = part.high.tolist()
    polygon: Floats | None = np.array([[x0, y0], [x1, y0], [x1, y1], [x0, y1]])
    for line in ([0.0, 1.0, -r0], [0.0, -1.0, r1]):
        if polygon is not None:
            polygon = halves(polygon, np.array(line))[0]
    return polygon


def _point(folds: Sequence[Steps], heights: Floats, value: float, known: Floats) -> Floats:
    """Return a point where the sum has a value, of all found the farthest from the edges along both axes."""
    found = (0.0, *known.tolist())
    for y in heights.tolist():
        across = best_of(steps_along(folds, 0, y))
        if across.value > value + SAME or across.width <= found[0]:
            continue
        for upward in steps_along(folds, 1, across.middle):
            if upward.start <= y <= upward.end and upward.value <= value + SAME:
                room = min(across.width, upward.width)
                found = max(found, (room, across.middle, upward.middle))
    return np.array(found[1:])


def _overlap(folds: Sequence[Steps], pieces: Indices, whole: Floats) -> Floats:
    """Return what one piece of each function shares."""
    polygon = whole
    for fold, piece in zip(folds, pieces.tolist(), strict=True):
        shared = common(polygon, fold.piece(piece))
        polygon = (
            polygon if shared is None else shared
        )  # of one that is hardly thicker than rounding
    return polygon
