"""What is the solution with a penalty on nested groups? At any l1 that is asked for, certified."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chemin.dictionaries.base import Floats
from chemin.engine.entry import one_thread
from chemin.engine.groups.sets import NOTHING
from chemin.engine.groups.trace import Tracer
from chemin.engine.proof.certificate import Certificate
from chemin.engine.proof.grouped import certify_groups
from chemin.exceptions import EngineError, InvalidInputError
from chemin.frames import as_frame
from chemin.problems import Loss, Problem
from chemin.problems.hierarchies import Hierarchy
from chemin.results import Result, plural
from chemin.validation import as_problem, as_same_columns, check_l1

_GOOD = 1e-8  # relative gap that a solution must have


@dataclass(frozen=True, eq=False, repr=False)
class GroupedSolutions(Result):
    """The solutions at some l1.

    Attributes
    ----------
    problem : Problem
        What was minimised, but for the penalty.
    classes : ndarray
        The two labels; empty for a numeric target.
    groups : Hierarchy
        The penalty.
    l1 : ndarray of shape (k,)
        Where, decreasing.
    coef, intercept, dual : ndarray of shape (k, p), (k,) and (k, n)
    """

    problem: Problem = field(repr=False)
    classes: NDArray[Any]
    groups: Hierarchy = field(repr=False)
    l1: Floats
    coef: Floats = field(repr=False)
    intercept: Floats = field(repr=False)
    dual: Floats = field(repr=False)

    def __str__(self) -> str:
        gap = self.certificate().worst_gap
        return f"{plural(len(self.l1), 'solution')}, optimal to a relative gap of {gap:.0e}."

    def certificate(self) -> Certificate:
        """Certify all of them."""
        rows = zip(self.coef, self.intercept, self.l1, self.dual, strict=True)
        return Certificate.join(
            certify_groups(self.problem, self.groups, b, float(b0), float(l1), dual)
            for b, b0, l1, dual in rows
        )

    def active(self, level: int) -> list[list[Any]]:
        """Return which groups of a level have a coefficient, for every l1."""
        labels = np.asarray(self.groups.levels[level])
        return [np.unique(labels[b != 0.0]).tolist() for b in self.coef]

    def decision(self, X: Any) -> Floats:
        """Return b0 + X·b, one row per l1."""
        return np.asarray(
            as_same_columns(X, self.problem.dictionary).scores(self.coef.T).T
            + self.intercept[:, None]
        )

    def frame(self) -> Any:
        """Return l1, the groups of every level that are active, and the gap as a pandas or else polars frame."""
        columns: dict[str, Any] = {"l1": self.l1}
        for level in range(len(self.groups.levels)):
            columns[f"level {level}"] = [len(found) for found in self.active(level)]
        columns["gap"] = self.certificate().gap
        return as_frame(columns, instead="active(level) and certificate()")


def solve_groups(
    X: Any,
    y: Any,
    l1: Any,
    groups: Hierarchy,
    *,
    loss: str | Loss = "hinge",
    l2: float = 1.0,
    sample_weight: Any = None,
) -> GroupedSolutions:
    """Solve with a penalty on groups, nested or not: whole families of kernels, kernels and couples enter and leave.

    Minimises ``Σ w_i ℓ(y_i, b0 + x_i·b) + (l2/2) ‖b‖₂² + l1 Σ_g v_g max_{j∈g} |b_j|``.

    Parameters
    ----------
    X, y, loss, l2, sample_weight
        As for `chemin.path`.
    l1 : float or array of shape (k,)
        Where.
    groups : Hierarchy
        The groups, level by level (`chemin.problems.Hierarchy`).

    Returns
    -------
    GroupedSolutions

    Examples
    --------
    Of two families of kernels, one is of use:

    >>> import chemin
    >>> from chemin.datasets import toydata1
    >>> from chemin.kernels import Gaussian
    >>> from chemin.problems import Hierarchy
    >>> X, y = toydata1()
    >>> points = X[::8]
    >>> columns = np.hstack([Gaussian(width)(X, points) for width in (2.0, 4.0, 0.01, 0.02)])
    >>> kernel = np.repeat(["2", "4", "0.01", "0.02"], len(points))
    >>> family = np.repeat(["wide", "narrow"], 2 * len(points))
    >>> levels = Hierarchy([family, kernel, np.arange(len(kernel))])
    >>> found = chemin.solve_groups(columns, y, 1.0, levels)
    >>> found.active(0)
    [['wide']]
    >>> bool(found.certificate().worst_gap < 1e-8)
    True
    """
    problem, classes = as_grouped(X, y, loss, l2, sample_weight, groups)
    values = np.sort(np.array([check_l1(one) for one in np.atleast_1d(l1)]))[::-1]
    if not len(values) or values[-1] == 0.0:
        raise InvalidInputError(f"l1 is {l1!r}: pass one or more positive numbers")
    with one_thread(problem, always=True):
        tracer = Tracer(problem, groups)
        points = [_solved(tracer, problem, groups, float(one)) for one in values]
    coef, intercept, dual = (np.array(part) for part in zip(*points, strict=True))
    return GroupedSolutions(problem, classes, groups, values, coef, intercept, dual)


def as_grouped(
    X: Any, y: Any, loss: str | Loss, l2: float, sample_weight: Any, groups: Hierarchy
) -> tuple[Problem, NDArray[Any]]:
    """Return the problem and the classes, if the groups are of its columns."""
    problem, classes = as_problem(X, y, l2, sample_weight, None, loss)
    p = problem.dictionary.shape[1]
    if not isinstance(groups, Hierarchy):
        raise InvalidInputError(
            f"groups is {type(groups).__name__}: pass Hierarchy([labels]), with one label per column"
        )
    if groups.size != p:
        raise InvalidInputError(
            f"groups has {groups.size} labels per level and X {p} columns: pass one label per column"
        )
    return problem, classes


def _solved(
    tracer: Tracer, problem: Problem, groups: Hierarchy, l1: float
) -> tuple[Floats, float, Floats]:
    """Return the solution at one l1: on the sets that an interior point tells, or else that point."""
    point = tracer.nearly(l1)
    stretch = tracer.around(l1, l1, point)
    tried = [stretch.segment.at(l1)] if stretch else []
    dual = tracer.rows.dual(point.multiplier)
    size = np.abs(point.coef).max(initial=0.0)
    plain = np.where(np.abs(point.coef) > NOTHING * size, point.coef, 0.0)
    tried += [(plain, point.intercept, dual), (point.coef, point.intercept, dual)]
    for coef, intercept, alpha in tried:
        gap = certify_groups(problem, groups, coef, intercept, l1, alpha).worst_gap
        if gap <= _GOOD:
            return coef, intercept, alpha
    raise EngineError(
        f"the duality gap at l1 = {l1:.6g} is {gap:.1e}: centre and scale the columns, or raise l2"
    )
