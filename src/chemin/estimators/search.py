"""How far are the folds followed, and what competes? Paths in stages, until the validation curve has long turned.

All folds are followed to the same l1, a fortieth of the first one of all points, then to a fifth of that while the
best candidate is near the end; paths to a tolerance, which take about as long to any l1, at once to the second. At some
l1 on the way, in equal ratios, the support of each fold is solved again with weaker shrinkage φ l1
(`chemin.engine.relaxed`); supports seen twice are solved once.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.parallel import Parallel, delayed

from chemin.dictionaries import DenseDictionary
from chemin.dictionaries.base import Dictionary, Floats, Indices
from chemin.engine.direct import is_quicker, path_at
from chemin.engine.entry import path as chemin_path
from chemin.engine.relaxed import relaxed_path, relaxed_solution, support_at
from chemin.engine.result import Path
from chemin.estimators.basis import Columns
from chemin.estimators.choice import (
    Choice,
    HeldOut,
    Measure,
    RelaxedDecisions,
    choose,
    no_decisions,
    sizes_of,
)
from chemin.estimators.plan import Plan
from chemin.exceptions import InvalidInputError, OutOfTimeError
from chemin.progress import Bar

TRAIN, TEST, UNUSED = 0, 1, -1

_STAGES = (1 / 40, 1 / 200, 1 / 1000)  # of the first l1, where nothing else is asked
_TURNED = 3.0  # how far above the end the best candidate must be for the curve to have turned
_MOST_SUPPORTS = 40  # l1 at which relaxed solutions compete,
_RATIO = 1.35  # each of them at least so much smaller than the one before
_FEW_OF_THEM = 2  # every second of these for paths to a tolerance, of many points
_LEAST_SUPPORT, _MOST_SUPPORT, _POINTS_PER_COLUMN = 60, 100, 10  # larger supports are not relaxed
_MANY_POINTS = 1500  # beyond which one relaxed solution is found without its path


class Data(NamedTuple):
    """Training points, which of them are of the positive class, and their weights."""

    X: Any
    positive: NDArray[np.bool_]
    weight: Floats

    def of(self, rows: Indices) -> Data:
        """Return some of the points."""
        return Data(self.X[rows], self.positive[rows], self.weight[rows])


def parts_of(data: Data, column: NDArray[np.int8]) -> tuple[Data, Data]:
    """Return the training part of a split, without points of no weight, and what it holds out."""
    train = np.flatnonzero((column == TRAIN) & (data.weight > 0))
    return data.of(train), data.of(np.flatnonzero(column == TEST))


class Search:
    """The folds of one machine, and what they decided so far, for every l2: ``held``."""

    def __init__(
        self, plan: Plan, data: Data, splits: Any, measure: Measure | None, began: float
    ) -> None:
        self.plan, self.data, self.measure = plan, data, measure
        self.splits = [] if splits is None else list(np.asarray(splits).T)
        self.deadline = None if plan.max_time is None else began + plan.max_time
        self.held: dict[float, list[HeldOut]] = {}
        for column in self.splits:
            if len(np.unique(data.positive[(column == TRAIN) & (data.weight > 0)])) < 2:
                raise InvalidInputError(
                    "a training part of the cross-validation has one class only: use fewer folds, or stratified ones"
                )

    def choices(self) -> list[Choice]:
        """Follow the folds as far as it matters and return the choice for every l2."""
        found: list[Choice] = []
        reached = np.inf
        for end in self._ends():
            try:
                self.follow_to(end)
            except OutOfTimeError:
                if not found:
                    raise
                self._warn(reached)
                break
            found = [
                choose(parts, self.plan.rule, self.measure, path_competes=1.0 in self.plan.relax)
                for parts in self.held.values()
            ]
            ends = [part.pieces.l1[-1] for parts in self.held.values() for part in parts]
            reached = float(max(ends))
            if reached > end * (1.0 + 1e-9) + 1e-300:
                self._warn(reached)
                break
            if all(choice.has_turned(_TURNED * end, self._allowed) for choice in found):
                break
            if not any(one.path_competes for one in found) and self._has_no_more_supports(end):
                break
        return found

    def follow_to(self, end: float) -> None:
        """Follow one path per l2 and split, down to one l1."""
        plan = self.plan
        levels = self._relaxed_at(end)
        tasks = [(l2, column) for l2 in plan.l2 for column in self.splits]
        earlier: list[HeldOut | None] = [part for parts in self.held.values() for part in parts]
        earlier = earlier or [None] * len(tasks)
        bar, alone = Bar("paths of the folds", len(tasks), plan.verbose), plan.n_jobs in (None, 1)
        work = Parallel(n_jobs=plan.n_jobs, return_as="generator")(
            delayed(hold_out)(
                plan, self.data, *task, end, levels, before, seconds, bar.report if alone else None
            )
            for task, before, seconds in zip(tasks, earlier, self.shares(len(tasks)), strict=True)
        )
        found = list(bar.over(work))
        count = len(self.splits)
        self.held = {l2: found[k * count : (k + 1) * count] for k, l2 in enumerate(plan.l2)}

    def shares(self, count: int) -> Iterator[float | None]:
        """Hand out the seconds that each of some tasks may take, as they are begun."""
        workers = max(1, self.plan.n_jobs or 1)
        for done in range(count):
            if self.deadline is None:
                yield None
            else:
                left = max(self.deadline - time.monotonic(), 0.0)
                yield max(left / max(1.0, (count - done) / workers), 1e-3)

    def _ends(self) -> list[float]:
        """Return the l1 to which the folds are followed, one after the other while that matters."""
        plan = self.plan
        if plan.min_ratio == 0.0 or (plan.min_ratio is None and plan.min_l1 > 0.0):
            return [plan.min_l1]
        first = self.first_l1
        shares: Sequence[float] = _STAGES if self._tol == 0.0 else _STAGES[1:]
        if plan.min_ratio is not None:
            shares = (plan.min_ratio,)
        return sorted({max(plan.min_l1, share * first) for share in shares}, reverse=True)

    def _has_no_more_supports(self, end: float) -> bool:
        """Say whether the supports have become too large to be relaxed in every fold."""
        levels = self._relaxed_at(end)
        return len(levels) > 0 and not any(
            np.any(part.relaxed.l1 == levels[-1]) for parts in self.held.values() for part in parts
        )

    @property
    def _tol(self) -> float:
        return self.plan.tol_for(len(self.data.weight))

    @property
    def _allowed(self) -> float:
        """How much better, in standard errors, the end of the paths may be without being followed further."""
        return 0.0 if self.plan.rule == "best" and self._tol == 0.0 else 0.25

    @cached_property
    def first_l1(self) -> float:
        """The l1 of all points from which on columns enter; it does not depend on l2."""
        return first_l1_of(self.plan, self.data)

    def _relaxed_at(self, end: float) -> Floats:
        """Return the l1 at which relaxed solutions compete: the given one, or some down to the end."""
        if min(self.plan.relax) == 1.0:
            return np.empty(0)
        if self.plan.l1 is not None:
            return np.array([self.plan.l1])
        levels = relaxed_levels(self.first_l1, end)
        return levels if self._tol == 0.0 else levels[_FEW_OF_THEM - 1 :: _FEW_OF_THEM]

    def _warn(self, reached: float) -> None:
        limits = {"max_events": self.plan.max_events, "max_time": self.plan.max_time}
        given = [name for name, value in limits.items() if value is not None]
        remedy = (
            f"raise {' or '.join(given)} to let smaller ones compete, or pass min_l1 to say that they need not"
            if given
            else "scale the columns, or raise l2, for the path to go further"
        )
        warnings.warn(
            f"a path of the folds ends at l1 = {reached:.6g}: {remedy}",
            ConvergenceWarning,
            stacklevel=7,
        )


def first_l1_of(plan: Plan, data: Data) -> float:
    """Return the l1 of some points from which on columns enter."""
    path = follow(plan, plan.basis.learn(*data), data, 1.0, 0.0, min_ratio=1.0)
    return float(path.l1[0])


def choose_l2(choices: Sequence[Choice], rule: str) -> int:
    """Return the l2 of the smallest error, then the larger l1.

    For "fewest", that of the fewest columns among those within one standard error of the best candidate of all.
    """
    numbers = range(len(choices))
    limit = min(choice.limit for choice in choices)
    allowed = [k for k in numbers if choices[k].error <= limit]
    if rule == "fewest" and allowed:
        return min(allowed, key=lambda k: (round(choices[k].size, 9), round(choices[k].error, 12)))
    return min(numbers, key=lambda k: (round(choices[k].error, 12), -choices[k].l1))


def hold_out(
    plan: Plan,
    data: Data,
    l2: float,
    column: NDArray[np.int8],
    end: float,
    levels: Floats,
    before: HeldOut | None,
    seconds: float | None,
    report: Any,
) -> HeldOut:
    """Follow the path of one training part, and keep what it decides about the points left out.

    What was found ``before``, at larger l1, is not solved again.
    """
    train, test = parts_of(data, column)
    learned = plan.basis.learn(*train) if before is None else before.learned
    with learned.of(train.X).resident() as columns, learned.of(test.X).resident() as seen:
        path = follow(plan, learned, train, l2, end, columns, seconds=seconds, report=report)
        pieces = path.pieces()
        solved = np.inf if before is None else before.pieces.l1[-1]
        some = levels[(levels >= path.l1[-1]) & (levels < solved)]
        shares = [share for share in plan.relax if share < 1.0]
        relaxed = relaxed_decisions(path, seen, some, shares, plan.relax_l2)
        if before is not None:
            relaxed = before.relaxed.joined(relaxed)
        sizes = sizes_of(pieces)
        return HeldOut(
            pieces, seen, test.positive, test.weight, sizes, relaxed, learned
        ).condensed()


def relaxed_decisions(
    path: Path, seen: Dictionary, levels: Floats, shares: Sequence[float], l2: float | None
) -> RelaxedDecisions:
    """Solve the supports at some l1 with weaker shrinkage, and decide about points by the solutions."""
    n, _ = path.problem.dictionary.shape
    most = min(max(_LEAST_SUPPORT, n // _POINTS_PER_COLUMN), _MOST_SUPPORT)
    l1, relax, size, decisions = [], [], [], []
    for support, some in _by_support(path, levels):
        if not 0 < len(support) <= most or not shares:
            continue
        pairs = [(level, share) for level in some for share in shares]
        wanted = np.array([level * share for level, share in pairs])
        coef, intercept = _relaxed(path, float(some[0]), wanted, l2)
        values = DenseDictionary(seen.columns(support)).scores(coef.T).T
        decisions.append(values + intercept[:, None])
        size.append(np.count_nonzero(coef, axis=1))
        l1.append([level for level, _ in pairs])
        relax.append([share for _, share in pairs])
    if not l1:
        return no_decisions(seen.shape[0])
    return RelaxedDecisions(
        np.concatenate(l1),
        np.concatenate(relax),
        np.concatenate(size).astype(float),
        np.vstack(decisions),
    )


def _relaxed(path: Path, l1: float, wanted: Floats, l2: float | None) -> tuple[Floats, Floats]:
    """Return coefficients and intercepts of the support at an l1, for some smaller ones."""
    few = path.problem.dictionary.shape[0] <= _MANY_POINTS
    plain = path.problem.loss.is_hinge and path.problem.penalty.is_plain
    if few or not plain:  # which the other way is written for
        relaxed = relaxed_path(path, l1, l2=l2, min_l1=float(wanted.min())).path
        wanted = np.maximum(wanted, relaxed.l1[-1])
        return relaxed.coef_at(wanted), relaxed.intercept_at(wanted)
    levels, place = np.unique(wanted, return_inverse=True)
    found = [relaxed_solution(path, l1, float(level), l2=l2) for level in levels]
    coef, intercept = (np.array([one[part] for one in found]) for part in (1, 2))
    return coef[place], intercept[place]


def _by_support(path: Path, levels: Floats) -> Iterator[tuple[Indices, Floats]]:
    """Hand out supports and the decreasing l1 that have them, neighbours with the same support together."""
    supports = [support_at(path, float(level)) for level in levels]
    start = 0
    for stop in range(1, len(levels) + 1):
        if stop == len(levels) or not np.array_equal(supports[stop], supports[start]):
            yield supports[start], levels[start:stop]
            start = stop


def relaxed_levels(first: float, end: float) -> Floats:
    """Return the l1 at which relaxed solutions compete, decreasing, in equal ratios from the first one."""
    levels: Floats = first * np.power(1.0 / _RATIO, np.arange(1.0, _MOST_SUPPORTS + 1.0))
    return levels[levels >= end]


def follow(
    plan: Plan,
    columns: Columns,
    data: Data,
    l2: float,
    min_l1: float,
    dictionary: Dictionary | None = None,
    *,
    min_ratio: float = 0.0,
    seconds: float | None = None,
    report: Callable[[int, float], None] | None = None,
) -> Path:
    """Follow the path of some points on the columns of a basis, or solve at its end alone where that will do."""
    places = columns.of(data.X) if dictionary is None else dictionary
    limited = plan.max_events is not None or plan.device != "cpu"
    alone = plan.l1 is not None and plan.relax == (1.0,) and min_ratio == 0.0 and not limited
    direct = plan.loss != "hinge" and plan.penalty == "l1"
    if alone and direct and is_quicker(plan.loss, *places.shape):
        weight = data.weight
        penalties = {"l2": l2, "l1_weight": columns.l1_weight}
        return path_at(
            places, data.positive, min_l1, loss=plan.loss, sample_weight=weight, **penalties
        )
    tol = 0.0 if min_ratio == 1.0 else plan.tol_for(len(data.weight))
    path = chemin_path(
        places,
        data.positive,
        loss=plan.loss,
        penalty=plan.penalty,
        l2=l2,
        min_l1=min_l1,
        min_ratio=min_ratio,
        sample_weight=data.weight,
        l1_weight=columns.l1_weight,
        max_events=plan.max_events,
        max_time=seconds,
        tol=tol,
        device=plan.device,
        progress=report or False,
    )
    if path.status.code == "interrupted":  # a path may end there, a fit may not
        raise KeyboardInterrupt
    return path
