"""What error do the folds make for every (l1, l2)? In the cells of their surfaces, decisions change sign on lines.

In a cell of the surface of one training part (`chemin.engine.plane`) l2 times the decision about a point held out is
affine in (l1, l2). The cells are cut where it vanishes, and the error is constant on each piece. Where the intercept is
not unique its midpoint decides, as on paths, and cells are cut before where another point ends its interval.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.parallel import Parallel, delayed

from chemin.dictionaries.base import Dictionary, Floats
from chemin.engine.plane.formula import Spare
from chemin.engine.plane.polygon import halves
from chemin.engine.plane.surface import Surface, svm_surface
from chemin.estimators.plan import Plan
from chemin.estimators.plane.region import BestRegion
from chemin.estimators.plane.search import best_region
from chemin.estimators.plane.steps import Steps
from chemin.estimators.search import Data, Search, first_l1_of, parts_of
from chemin.exceptions import EngineError, InvalidInputError, OutOfTimeError
from chemin.progress import Bar

L2 = (1e-2, 1e2)  # where l2 is sought
_SHARE = 1 / 40  # of the first l1, down to which l1 is sought
_BEYOND = 1.05  # times the largest first l1 of all folds: how far up
_MOST_CELLS = 200_000  # of one training part
_ROUNDING = 1e-12  # of the largest terms of a decision
_REMEDY = "pass a list of l2 to choose from, such as [0.1, 1, 10], or a larger min_l1"


def region_of(search: Search) -> BestRegion | None:
    """Find the region of least cross-validated error, from some share of the first l1 on; None if nothing is above it.

    It reaches to where all folds have empty models, so that these compete.
    """
    plan = search.plan
    lowest = lowest_l1(plan, search.first_l1)
    parts = [parts_of(search.data, column) for column in search.splits]
    parts = [(train, test) for train, test in parts if test.weight.any()]
    if lowest >= search.first_l1 or not parts:
        return None
    firsts = [first_l1_of(plan, train) for train, _ in parts]
    l1 = (lowest, _BEYOND * max(search.first_l1, *firsts))
    count = len(parts)
    bar = Bar("surfaces of the folds", count, plan.verbose)
    told = bar.report_cells if plan.verbose and plan.n_jobs in (None, 1) else False
    work = Parallel(n_jobs=plan.n_jobs, return_as="generator")(
        delayed(_steps_of_split)(plan, train, test, l1, seconds, told)
        for (train, test), seconds in zip(parts, search.shares(count), strict=True)
    )
    found = list(bar.over(work))
    unit = np.array([l1[1], L2[1]])
    return best_region(found, unit, np.array([l1[0], L2[0]]) / unit)


def lowest_l1(plan: Plan, first: float) -> float:
    """Return the l1 down to which the region is sought."""
    share = _SHARE if plan.min_ratio is None else plan.min_ratio
    return max(plan.min_l1, share * first)


def _steps_of_split(
    plan: Plan,
    train: Data,
    test: Data,
    l1: tuple[float, float],
    seconds: float | None,
    told: bool | Callable[[int, float], None],
) -> Steps:
    """Return the error of one training part on the points left out."""
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
            max_time=seconds,
            progress=told,
        )
    except (InvalidInputError, EngineError) as error:
        raise type(error)(f"l2='surface' cannot be searched here ({error}): {_REMEDY}") from error
    if surface.status.code == "stopped":
        raise OutOfTimeError(
            f"l2='surface' needs all of the plane, and the time of one fold is spent: raise max_time, or {_REMEDY}. "
            f"{surface.status}"
        )
    if surface.status.code != "complete":
        raise EngineError(f"l2='surface' needs all of the plane: {_REMEDY}. {surface.status}")
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
        solved = formulas.solved(cell.sets)
        scaled = solved.scaled[:, :3]
        used = columns[:, solved.active]
        line = scaled[0] + used @ scaled[1:]
        noise = _ROUNDING * np.abs(scaled).max() * (1.0 + np.abs(used).sum(axis=1))
        for vertex, shift in _midpoints(cell.vertex, formulas.spare(cell.sets, solved)):
            for piece, rate in _pieces(vertex, line + shift, noise, positive, weight):
                pieces.append(piece)
                values.append(rate / total)
    return Steps.of(pieces, values)


def _midpoints(vertex: Floats, spare: Spare | None) -> Iterator[tuple[Floats, Floats | float]]:
    """Cut a polygon where another point ends the interval of the intercept; return how far its middle is."""
    if spare is None:
        yield vertex, 0.0
        return
    for piece, limit in _least(vertex, spare.limits):
        yield piece, 0.5 * spare.way * limit


def _least(vertex: Floats, lines: Floats) -> Iterator[tuple[Floats, Floats]]:
    """Cut a polygon into those on which one of some affine functions, given in columns, is the least."""
    value = np.column_stack([np.ones(len(vertex)), vertex]) @ lines
    above = value - value.min(axis=1, keepdims=True)
    one = int(np.argmin(above.max(axis=0)))
    if above[:, one].max() <= _ROUNDING * np.abs(lines).max():
        yield vertex, lines[:, one]
        return
    other = int(np.argmin(value[np.argmax(above[:, one])]))
    sides = halves(vertex, lines[:, one] - lines[:, other])
    for part, larger in zip(sides, (one, other), strict=True):
        if part is not None:
            yield from _least(part, np.delete(lines, larger, axis=1))


def _pieces(
    vertex: Floats,
    line: Floats,
    noise: Floats,
    positive: NDArray[np.bool_],
    weight: Floats,
) -> Iterator[tuple[Floats, float]]:
    """Cut a polygon where decisions change sign by more than noise; return what the wrong ones weigh on each piece."""
    decision = line @ np.column_stack([np.ones(len(vertex)), vertex]).T
    most = decision.max(axis=1)
    turns = np.flatnonzero((decision.min(axis=1) < -noise) & (most > noise))
    wrong = (most > noise) != positive  # a decision that is 0 is one against
    wrong[turns] = False
    known = float(weight @ wrong)
    for piece, rate in _cut(vertex, line[turns], positive[turns], weight[turns]):
        yield piece, known + rate


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
