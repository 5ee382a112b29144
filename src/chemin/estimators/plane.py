"""Which (l1, l2) predicts best? The exact region of least cross-validated error in a rectangle of both penalties.

In a cell of the surface of one training part (`chemin.engine.plane`) l2 times the decision about a point held out is
affine in (l1, l2): its sign changes on a line. The cells are cut there, and the error is constant on each piece. The
mean over the folds is least where their pieces overlap: rectangles are halved, and kept while the sum of the least
errors of the pieces that meet them is not above the best found; once few pieces are left, they are intersected.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.parallel import Parallel, delayed

from chemin.dictionaries.base import Dictionary, Floats, Indices
from chemin.engine.plane.polygon import area, centre, common, halves
from chemin.engine.plane.surface import Surface, svm_surface
from chemin.estimators.plan import Plan
from chemin.estimators.search import TEST, TRAIN, Data
from chemin.exceptions import InvalidInputError
from chemin.results import Result, plural

L2 = (1e-2, 1e2)  # where l2 is sought
_SHARE = 1 / 40  # of the first l1, down to which l1 is sought
_MOST_CELLS = 50_000  # of one training part
_SAME = 1e-12  # errors closer than this are equal
_FEW = 24  # pieces that are intersected
_MOST = 40_000  # rectangles that are looked at
_TINY = 1e-7  # a rectangle that is not halved any more
_EMPTY = 1e-14  # of the rectangle: an area that is none
_ROUNDING = 1e-12  # of the terms of a decision


@dataclass(frozen=True, eq=False)
class Steps:
    """A function that is constant on convex polygons, which fill a rectangle, in units of its upper ends."""

    pieces: list[Floats]
    values: Floats

    @cached_property
    def boxes(self) -> Floats:
        """The least and the largest coordinates of every piece."""
        low = np.array([piece.min(axis=0) for piece in self.pieces])
        high = np.array([piece.max(axis=0) for piece in self.pieces])
        return np.column_stack([low, high]).T.copy()

    def within(self, box: tuple[float, float, float, float], among: Indices) -> Indices:
        """Return which of some pieces may meet a rectangle."""
        x0, y0, x1, y1 = self.boxes[:, among]
        return among[(x0 < box[2]) & (x1 > box[0]) & (y0 < box[3]) & (y1 > box[1])]


@dataclass(frozen=True, eq=False, repr=False)
class BestRegion(Result):
    """Where in a rectangle of (l1, l2) the cross-validated error is least.

    Attributes
    ----------
    error : float
        The mean over the folds there, as small as was found.
    lower : float
        What no (l1, l2) of the rectangle is below: the error itself, unless the search was cut short.
    polygons : list of ndarray
        The region, as convex polygons: one row (l1, l2) for each corner.
    l1, l2 : float
        The centre of the polygon that is largest for where it is.
    """

    error: float
    lower: float
    polygons: list[Floats] = field(repr=False)
    l1: float
    l2: float

    @property
    def is_exact(self) -> bool:
        """Whether no (l1, l2) is better."""
        return self.error <= self.lower + _SAME

    def __str__(self) -> str:
        count = plural(len(self.polygons), "polygon")
        known = (
            "the least"
            if self.is_exact
            else f"not above the least by more than {self.error - self.lower:.2g}"
        )
        return (
            f"The cross-validated error is {self.error:.4g}, {known}, on {count}, one of them around "
            f"(l1, l2) = ({self.l1:.4g}, {self.l2:.4g})."
        )


def region_of(
    plan: Plan, data: Data, splits: Sequence[NDArray[np.int8]], first: float
) -> BestRegion:
    """Find the region of least cross-validated error, from some share of the first l1 to that."""
    l1 = (lowest_l1(plan, first), first)
    found = Parallel(n_jobs=plan.n_jobs)(
        delayed(_steps_of_split)(plan, data, column, l1) for column in splits
    )
    unit = np.array([l1[1], L2[1]])
    return best_region(found, unit, np.array([l1[0], L2[0]]) / unit)


def lowest_l1(plan: Plan, first: float) -> float:
    """Return the l1 down to which the region is sought."""
    share = _SHARE if plan.min_ratio is None else plan.min_ratio
    return max(plan.min_l1, share * first)


def _steps_of_split(
    plan: Plan, data: Data, column: NDArray[np.int8], l1: tuple[float, float]
) -> Steps:
    """Return the error of one training part on the points left out."""
    train = data.of(np.flatnonzero((column == TRAIN) & (data.weight > 0)))
    test = data.of(np.flatnonzero(column == TEST))
    learned = plan.basis.learn(*train)
    try:
        surface = svm_surface(
            learned.of(train.X),
            train.positive,
            l1=l1,
            l2=L2,
            sample_weight=train.weight,
            l1_weight=learned.l1_weight,
            loss=plan.loss,
            max_cells=_MOST_CELLS,
        )
    except InvalidInputError as error:
        raise InvalidInputError(
            f"l2='surface' cannot be searched here ({error}): pass a list of l2 to choose from, such as "
            "[0.1, 1, 10], or a larger min_l1"
        ) from error
    return steps_of(surface, learned.of(test.X), test.positive, test.weight)


def steps_of(
    surface: Surface, seen: Dictionary, positive: NDArray[np.bool_], weight: Floats
) -> Steps:
    """Return the weighted error rate of points held out, for every (l1, l2) of a surface."""
    formulas = surface.formulas
    columns = seen.columns(np.arange(seen.shape[1])) / formulas.kappa
    total = weight.sum() or 1.0
    pieces: list[Floats] = []
    values: list[float] = []
    for cell in surface.cells_:
        _, active, scaled, _ = formulas.solved(cell.sets)
        line = scaled[0, :3] + columns[:, active] @ scaled[1:, :3]
        corners = np.column_stack([np.ones(len(cell.vertex)), cell.vertex])
        decision = line @ corners.T
        noise = _ROUNDING * np.abs(line).sum(axis=1)
        least = decision.min(axis=1)
        most = decision.max(axis=1)
        turns = np.flatnonzero((least < -noise) & (most > noise))
        middle = 0.5 * (least + most)
        wrong = (middle > 0.0) != positive
        wrong[turns] = False
        for piece, rate in _cut(cell.vertex, line[turns], positive[turns], weight[turns]):
            pieces.append(piece)
            values.append(float(weight @ wrong + rate) / total)
    return Steps(pieces, np.array(values))


def _cut(
    vertex: Floats, lines: Floats, positive: NDArray[np.bool_], weight: Floats
) -> list[tuple[Floats, float]]:
    """Cut a polygon along some lines; the weight of a line counts on its wrong side."""
    found = [(vertex, 0.0)]
    for line, right, cost in zip(lines, positive, weight.tolist(), strict=True):
        parts = []
        for piece, rate in found:
            above, below = halves(piece, line)
            if above is not None:
                parts.append((above, rate if right else rate + cost))
            if below is not None:
                parts.append((below, rate + cost if right else rate))
        found = parts
    return found


def best_region(folds: Sequence[Steps], unit: Floats, low: Floats) -> BestRegion:
    """Find where the mean of some step functions is least, from ``low`` to 1 in their units."""
    count = len(folds)
    box = (float(low[0]), float(low[1]), 1.0, 1.0)
    parts = [np.arange(len(fold.pieces)) for fold in folds]
    heap: list[Any] = [(_bound(folds, parts), 0, box, parts)]
    best = np.inf
    regions: list[Floats] = []
    seen = 0
    while heap and heap[0][0] <= best + _SAME and seen < _MOST:
        _, _, box, parts = heapq.heappop(heap)
        tiny = box[2] - box[0] <= _TINY and box[3] - box[1] <= _TINY
        if tiny or sum(len(part) for part in parts) <= _FEW + count:
            best, regions = _overlaid(folds, parts, box, best, regions)
            continue
        for half in _halves_of(box):
            inside = [fold.within(half, part) for fold, part in zip(folds, parts, strict=True)]
            bound = _bound(folds, inside)
            if bound <= best + _SAME:
                seen += 1
                heapq.heappush(heap, (bound, seen, half, inside))
    lower = min(best, heap[0][0]) if heap else best
    if not regions:
        best, regions = _sampled(folds, box, parts)
    polygons = [piece * unit for piece in regions]
    middles = np.array([centre(piece) for piece in polygons])
    sizes = [
        area(piece) / float(np.prod(middle))
        for piece, middle in zip(polygons, middles, strict=True)
    ]
    l1, l2 = middles[int(np.argmax(sizes))].tolist()
    return BestRegion(best / count, lower / count, polygons, l1, l2)


def _bound(folds: Sequence[Steps], parts: Sequence[Indices]) -> float:
    return float(
        sum(fold.values[part].min(initial=np.inf) for fold, part in zip(folds, parts, strict=True))
    )


def _sampled(
    folds: Sequence[Steps], box: tuple[float, float, float, float], parts: Sequence[Indices]
) -> tuple[float, list[Floats]]:
    """Return the least of a rectangle that has too many pieces: that of the pieces at its middle."""
    x = 0.5 * (box[0] + box[2])
    y = 0.5 * (box[1] + box[3])
    point = (x - 1e-9, y - 1e-9, x + 1e-9, y + 1e-9)
    there = [fold.within(point, part) for fold, part in zip(folds, parts, strict=True)]
    return _overlaid(folds, there, point, np.inf, [])


def _halves_of(box: tuple[float, float, float, float]) -> list[tuple[float, float, float, float]]:
    """Halve a rectangle across its longer side, in ratios."""
    x0, y0, x1, y1 = box
    if x1 * max(y0, 1e-9) > y1 * max(x0, 1e-9):
        x = float(np.sqrt(x0 * x1)) if x0 > 0.0 else 0.5 * x1
        return [(x0, y0, x, y1), (x, y0, x1, y1)]
    y = float(np.sqrt(y0 * y1))
    return [(x0, y0, x1, y), (x0, y, x1, y1)]


def _overlaid(
    folds: Sequence[Steps],
    parts: Sequence[Indices],
    box: tuple[float, float, float, float],
    best: float,
    regions: list[Floats],
) -> tuple[float, list[Floats]]:
    """Intersect the pieces of all folds in a rectangle; return the least sum so far, and where it is."""
    x0, y0, x1, y1 = box
    smallest = _EMPTY * (x1 - x0) * (y1 - y0)
    overlaps = [(np.array([[x0, y0], [x1, y0], [x1, y1], [x0, y1]]), 0.0)]
    ahead = [fold.values[part].min(initial=np.inf) for fold, part in zip(folds, parts, strict=True)]
    for k, (fold, part) in enumerate(zip(folds, parts, strict=True)):
        rest = sum(ahead[k + 1 :])
        found = []
        for polygon, value in overlaps:
            for piece in part:
                together = value + float(fold.values[piece])
                if together + rest > best + _SAME:
                    continue
                shared = common(polygon, fold.pieces[piece])
                if shared is not None and area(shared) > smallest:
                    found.append((shared, together))
        overlaps = found
    for polygon, value in overlaps:
        if value < best - _SAME:
            best, regions = value, []
        if value <= best + _SAME:
            regions.append(polygon)
    return best, regions
