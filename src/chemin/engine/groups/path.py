"""How do groups of columns enter and leave, as l1 goes down? The exact path with a penalty on nested groups."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chemin.dictionaries.base import Floats
from chemin.engine.end import End
from chemin.engine.entry import one_thread
from chemin.engine.entry import path as l1_path
from chemin.engine.groups.solve import GroupedSolutions, as_grouped
from chemin.engine.groups.trace import Stretch, Tracer
from chemin.engine.pieces import interpolation, places_on
from chemin.engine.proof.certificate import Certificate
from chemin.engine.result import Status
from chemin.exceptions import EngineError, InvalidInputError
from chemin.problems import Loss, Problem
from chemin.problems.hierarchies import Hierarchy
from chemin.results import plural
from chemin.validation import as_same_columns, check_max_events, check_min_l1, check_min_ratio

_SHIFTS = (0.0, 1e-4, 3e-5, 1e-5, 1e-6)  # the next where the one before tells too little
_CERTIFIED = 1e-8  # relative gap that every breakpoint and midpoint must have
_SAME = 1e-12  # of their size: what differs by less differs by rounding


@dataclass(frozen=True, eq=False, repr=False)
class GroupedPath(GroupedSolutions):
    """The exact path with a penalty on nested groups.

    Between two breakpoints coefficients and dual values are affine in l1; above the first one all coefficients are
    zero.

    Attributes
    ----------
    problem, classes, groups, l1, coef, intercept, dual
        As for `GroupedSolutions`; ``l1`` holds the breakpoints.
    status : Status
    """

    status: Status = field(kw_only=True)

    def __str__(self) -> str:
        return self.status.sentence

    def coef_at(self, l1: float | Floats) -> Floats:
        """Return the coefficients at any l1 of the path: shape (p,), or (k, p) for k values."""
        return self._between(self.coef, l1)

    def dual_at(self, l1: float | Floats) -> Floats:
        """Return the dual values at any l1 of the path: shape (n,), or (k, n) for k values."""
        return self._between(self.dual, l1)

    def intercept_at(self, l1: float | Floats) -> Any:
        """Return the intercept at any l1 of the path."""
        found = self._between(self.intercept, l1)
        return found if np.ndim(l1) else float(found)

    def decision_at(self, X: Any, l1: float) -> Floats:
        """Return b0 + X·b at ``l1``."""
        return np.asarray(
            as_same_columns(X, self.problem.dictionary).scores(self.coef_at(l1))
            + self.intercept_at(l1)
        )

    def _between(self, values: Floats, l1: float | Floats) -> Floats:
        rows = interpolation(*places_on(self.l1, l1), len(self.l1)) @ values
        return np.asarray(rows if np.ndim(l1) else rows[0])

    def certificate(self, *, midpoints: bool = False) -> Certificate:
        """Certify every breakpoint, and on request the middle of every segment."""
        found = super().certificate()
        if not midpoints:
            return found
        middle = 0.5 * (self.l1[:-1] + self.l1[1:])
        between = GroupedSolutions(
            self.problem, self.classes, self.groups, middle,
            self.coef_at(middle), self.intercept_at(middle), self.dual_at(middle),
        )  # fmt: skip
        return Certificate.join([found, between.certificate()])


def grouped_path(
    X: Any,
    y: Any,
    groups: Hierarchy,
    *,
    loss: str | Loss = "hinge",
    l2: float = 1.0,
    min_l1: float = 0.0,
    min_ratio: float = 0.01,
    max_events: int | None = None,
    sample_weight: Any = None,
) -> GroupedPath:
    """Follow the exact path of a penalty on groups of columns: how families, kernels and couples enter and leave.

    Minimises ``Σ w_i ℓ(y_i, b0 + x_i·b) + (l2/2) ‖b‖₂² + l1 Σ_g v_g max_{j∈g} |b_j|`` for every l1 from the first
    one down.

    Parameters
    ----------
    X, y, loss, sample_weight
        As for `chemin.path`.
    groups : Hierarchy
        The groups, level by level (`chemin.problems.Hierarchy`).
    l2 : float, default 1.0
        Ridge parameter, positive: for 0 there is `chemin.solve_groups`.
    min_l1 : float, default 0.0
        Where to stop.
    min_ratio : float, default 0.01
        Stop at this share of the first l1, if that comes before `min_l1`.
    max_events : int, optional
        Give up after so many breakpoints; the path then holds what was followed, and its status says so.

    Returns
    -------
    GroupedPath

    Examples
    --------
    >>> import chemin
    >>> from chemin.problems import Hierarchy
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.preprocessing import scale
    >>> X, y = load_iris(return_X_y=True)
    >>> sepal_and_petal = Hierarchy([["sepal", "sepal", "petal", "petal"]])
    >>> path = chemin.grouped_path(scale(X[:100]), y[:100], sepal_and_petal)
    >>> path.active(0)[1]
    ['petal']
    >>> bool(path.certificate(midpoints=True).worst_gap < 1e-12)
    True
    """
    problem, classes = as_grouped(X, y, loss, l2, sample_weight, groups)
    if problem.l2 == 0.0:
        raise InvalidInputError(
            "l2 is 0, where the path may jump: pass a positive l2, or use solve_groups at the l1 of interest"
        )
    end = End(check_min_l1(min_l1), check_min_ratio(min_ratio))
    limit = check_max_events(max_events)
    none = _without_groups(X, y, problem, classes, groups, loss, sample_weight)
    if none is not None:
        return none
    best: GroupedPath | None = None
    with one_thread(problem, always=True):
        for shift in _SHIFTS:
            stretches = _followed(Tracer(problem, groups, shift), end, limit)
            if not stretches:
                continue
            found = _path(problem, classes, groups, stretches, end, limit)
            if found.certificate(midpoints=True).worst_gap > _CERTIFIED:
                continue
            if best is None or found.l1[-1] < best.l1[-1]:
                best = found
            if best.status.code != "lost":
                break
    if best is None:
        raise EngineError(
            "where the first group enters cannot be told: centre and scale the columns, or raise l2"
        )
    return best


def _without_groups(
    X: Any,
    y: Any,
    problem: Problem,
    classes: NDArray[Any],
    groups: Hierarchy,
    loss: str | Loss,
    sample_weight: Any,
) -> GroupedPath | None:
    """Return the path if no group enters at any l1, as no column does then with the L1 penalty."""
    single = l1_path(X, y, loss=loss, l2=problem.l2, min_ratio=1.0, sample_weight=sample_weight)
    if single.l1[0] > 0.0:
        return None
    l1 = single.l1[:1]
    solutions = (single.coef_at(l1), single.intercept_at(l1), single.dual_at(l1))
    return GroupedPath(problem, classes, groups, l1, *solutions, status=single.status)


def _followed(tracer: Tracer, end: End, limit: int | None) -> list[Stretch]:
    """Return the stretches from the first l1 down to where the path ends, or as far as they can be told."""
    found = []
    stretch = tracer.first()
    while stretch is not None:
        found.append(stretch)
        if _is_over(found, end) or len(found) == limit:
            break
        stretch = tracer.below(stretch)
    return tracer.as_given(found)


def _is_over(stretches: list[Stretch], end: End) -> bool:
    """Say whether the last stretch reaches the end, but for rounding."""
    first = stretches[0].high
    return stretches[-1].low <= end.after(first) + _SAME * first


def _path(
    problem: Problem,
    classes: NDArray[Any],
    groups: Hierarchy,
    stretches: list[Stretch],
    end: End,
    limit: int | None,
) -> GroupedPath:
    """Return the path that stretches make."""
    ends = [(one.segment, at) for one in stretches for at in (one.high, one.low)]
    if _is_over(stretches, end):
        ends[-1] = (stretches[-1].segment, end.after(stretches[0].high))
    points = [segment.at(at) for segment, at in ends]
    kept = [0, *(k for k in range(1, len(ends)) if _moved(points[k - 1], points[k]))]
    l1 = np.array([at for _, at in ends])[kept]
    coef, intercept, dual = (np.array(part)[kept] for part in zip(*points, strict=True))
    coef[np.abs(coef) <= _SAME * np.abs(coef).max()] = (
        0.0  # where one comes to zero, but for rounding
    )
    status = _status(stretches, end, limit)
    return GroupedPath(problem, classes, groups, l1, coef, intercept, dual, status=status)


def _moved(before: tuple[Floats, float, Floats], after: tuple[Floats, float, Floats]) -> bool:
    """Say whether the ends of two stretches are two points."""
    one, other = (
        np.concatenate([coef, [intercept], dual]) for coef, intercept, dual in (before, after)
    )
    return bool(np.abs(one - other).max() > _SAME * (1.0 + np.abs(other).max()))


def _status(stretches: list[Stretch], end: End, limit: int | None) -> Status:
    """Return how the path ended."""
    last = end.after(stretches[0].high)
    breakpoints = plural(len(stretches) + 1, "breakpoint")
    if _is_over(stretches, end):
        return Status(
            "complete", f"The path is complete, down to l1 = {last:.6g}, in {breakpoints}."
        )
    at = f"l1 = {stretches[-1].low:.6g}"
    if len(stretches) == limit:
        return Status(
            "stopped", f"The path was stopped at {at}, after {breakpoints}: raise max_events."
        )
    return Status("lost", f"The path was lost at {at}: solve_groups has single points below.")
