"""What error do the folds make for every (l1, l2)? In the cells of their surfaces, decisions change sign on lines.

In a cell of the surface of one training part (`chemin.engine.plane`) l2 times the decision about a point held out is
affine in (l1, l2). The cells are cut where it vanishes, and the error is constant on each piece.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.parallel import Parallel, delayed

from chemin.dictionaries.base import Dictionary, Floats
from chemin.engine.plane.polygon import halves
from chemin.engine.plane.surface import Surface, svm_surface
from chemin.estimators.plan import Plan
from chemin.estimators.plane.region import BestRegion
from chemin.estimators.plane.search import best_region
from chemin.estimators.plane.steps import Steps
from chemin.estimators.search import TEST, TRAIN, Data, Search
from chemin.exceptions import InvalidInputError, OutOfTimeError
from chemin.progress import Bar

L2 = (1e-2, 1e2)  # where l2 is sought
_SHARE = 1 / 40  # of the first l1, down to which l1 is sought
_MOST_CELLS = 200_000  # of one training part
_ROUNDING = 1e-12  # of the terms of a decision
_REMEDY = "pass a list of l2 to choose from, such as [0.1, 1, 10], or a larger min_l1"


def region_of(search: Search) -> BestRegion:
    """Find the region of least cross-validated error, from some share of the first l1 to that."""
    plan = search.plan
    first = search.first_l1
    l1 = (lowest_l1(plan, first), first)
    count = len(search.splits)
    bar = Bar("surfaces of the folds", count, plan.verbose)
    told = bar.report_cells if plan.verbose and plan.n_jobs in (None, 1) else False
    work = Parallel(n_jobs=plan.n_jobs, return_as="generator")(
        delayed(_steps_of_split)(plan, search.data, column, l1, seconds, told)
        for column, seconds in zip(search.splits, search.shares(count), strict=True)
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
    data: Data,
    column: NDArray[np.int8],
    l1: tuple[float, float],
    seconds: float | None,
    told: bool | Callable[[int, float], None],
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
            max_time=seconds,
            progress=told,
        )
    except InvalidInputError as error:
        raise InvalidInputError(
            f"l2='surface' cannot be searched here ({error}): {_REMEDY}"
        ) from error
    if surface.status.code == "stopped":
        raise OutOfTimeError(f"l2='surface' takes longer ({surface.status}), or {_REMEDY}")
    if surface.status.code != "complete":
        warnings.warn(
            f"{surface.status} No best l1 and l2 are sought there.",
            ConvergenceWarning,
            stacklevel=2,
        )
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
    return Steps.of(pieces, values)


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
