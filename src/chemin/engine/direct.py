"""What is the solution at one l1, when no path is wanted? Sets from an interior point, or from a path nearby.

The optimality conditions on given sets are a linear system: whoever knows the sets of a solution has all its digits. An
interior-point method (`chemin.engine.recovery.interior`) tells the sets; a path that was followed before has a point
near by, from which few events lead to the l1 asked for. Either way the engine's full check refines and measures the
solution, and where its gap is not good, the path is followed from the top.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chemin.dictionaries.base import Floats
from chemin.engine.end import End
from chemin.engine.entry import one_thread
from chemin.engine.exact.engine import Engine
from chemin.engine.exact.snapshot import Snapshot
from chemin.engine.proof.certificate import Certificate, certificate_of
from chemin.engine.recovery.repair import point_at
from chemin.engine.relaxed import point_on
from chemin.engine.result import Path, Status
from chemin.engine.strategy import Call, Limits, exact
from chemin.exceptions import EngineError, InvalidInputError
from chemin.problems import Loss, Problem
from chemin.validation import as_problem, check_l1

_MANY = 2000  # points,
_TALL = 20  # and points per column, from which an interior point is quicker than many events


@dataclass(frozen=True, eq=False)
class Solution:
    """The solution at one l1.

    Attributes
    ----------
    l1 : float
        Where.
    coef, intercept, dual : ndarray, float, ndarray
        b, b0 and the dual values.
    found_by : {"interior point", "path nearby", "path"}
        By which way.
    """

    problem: Problem = field(repr=False)
    l1: float
    coef: Floats = field(repr=False)
    intercept: float
    dual: Floats = field(repr=False)
    found_by: str

    def certificate(self) -> Certificate:
        """Certify it, by code that is not shared with the engine."""
        one = (self.coef[None], np.array([self.intercept]), np.array([self.l1]), self.dual[None])
        return certificate_of(self.problem, *one)


def solve(
    X: Any,
    y: Any,
    l1: float,
    *,
    loss: str | Loss = "hinge",
    l2: float = 1.0,
    sample_weight: Any = None,
    l1_weight: Any = None,
    near: Path | None = None,
) -> Solution:
    """Solve for one l1 without following the path.

    Parameters
    ----------
    X, y, loss, l2, sample_weight, l1_weight
        As for `chemin.path`.
    l1 : float
        The L1 penalty.
    near : Path, optional
        A path of the same problem, to begin from its nearest point: few events lead from there to ``l1``.

    Returns
    -------
    Solution

    Examples
    --------
    >>> import chemin
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True)
    >>> solution = chemin.solve(X, y, 100.0, loss="squared", l2=0.0)
    >>> solution.coef.nonzero()[0].tolist()
    [1, 2, 3, 6, 8]
    >>> bool(solution.certificate().worst_gap < 1e-12)
    True
    """
    problem, classes = as_problem(X, y, l2, sample_weight, l1_weight, loss)
    wanted = check_l1(l1)
    if near is not None:
        _check_same(problem, near)
    with one_thread(problem, always=True):
        found, name = _solved(problem, classes, wanted, near)
    reached = max(wanted, float(found.l1[-1]))
    intercept = float(found.intercept_at(reached))
    return Solution(
        problem, reached, found.coef_at(reached), intercept, found.dual_at(reached), name
    )


def path_at(
    X: Any,
    y: Any,
    l1: float,
    *,
    loss: str | Loss,
    l2: float,
    sample_weight: Any = None,
    l1_weight: Any = None,
) -> Path:
    """Return a path that is the solution at one l1 alone, or the whole one down to there where that fails.

    Examples
    --------
    >>> X = [[-2.0], [-1.0], [1.0], [2.0]]
    >>> print(path_at(X, [0, 0, 1, 1], 0.5, loss="huberized", l2=1.0).status)
    Solved at l1 = 0.5 alone, by an interior point.
    """
    problem, classes = as_problem(X, y, l2, sample_weight, l1_weight, loss)
    with one_thread(problem, always=True):
        found, name = _solved(problem, classes, check_l1(l1), None)
    if name == "path":
        return found
    sentence = f"Solved at l1 = {l1:.6g} alone, by an interior point."
    return replace(found, status=Status("complete", sentence))


def is_quicker(loss: Loss, n: int, p: int) -> bool:
    """Say whether the solution at one l1 is expected sooner than the path down to it.

    That is so where thousands of points come to their rounded kinks and leave them; parabolas without end have no such
    events, and those of sharp kinks are short.
    """
    table = loss.table(np.ones(1), np.ones(1))
    return table.is_curved and bool(np.all(np.isfinite(table.slope))) and n >= max(_MANY, _TALL * p)


def _solved(
    problem: Problem, classes: NDArray[Any], l1: float, near: Path | None
) -> tuple[Path, str]:
    """Return a path that ends at l1, and by which way it was found."""
    first: tuple[str, Callable[[], Path]] | None = None
    if near is not None:
        first = ("path nearby", partial(_from, problem, classes, near, l1))
    elif l1 > 0.0:
        first = ("interior point", partial(_by_interior_point, problem, classes, l1))
    if first is not None:
        try:
            found = first[1]()
        except (EngineError, np.linalg.LinAlgError):
            found = None
        if found is not None and found.status.code == "complete":
            return found, first[0]
    return _follow(problem, classes, l1, None), "path"


def _by_interior_point(problem: Problem, classes: NDArray[Any], l1: float) -> Path:
    """Read the sets off an independent solution, and begin a path there that has no further to go."""
    engine = Engine(problem)
    first = engine.first_point()
    point = point_at(problem, replace(first, l1=np.array(l1)), engine.kappa, engine.column_norm)
    return _follow(problem, classes, l1, point)


def _from(problem: Problem, classes: NDArray[Any], near: Path, l1: float) -> Path:
    """Follow the path from inside the segment of a known one that holds l1, or comes nearest to it from above.

    At a breakpoint itself several events may be due.
    """
    above = int(np.count_nonzero(near.l1 > l1)) - 1
    if above < 0:
        return _follow(problem, classes, l1, None)
    after = min(above + 1, len(near.l1) - 1)
    width = float(near.l1[above] - near.l1[after])
    way = float(near.l1[above]) - max(l1, float(near.l1[after]))
    share = 0.5 * way / width if width > 0.0 else 0.0
    active = near.breakpoints.active[near.breakpoints.active_at(above)]
    support = np.sort(active).astype(np.intp)
    return _follow(problem, classes, l1, point_on(near, above, share, problem, support, support))


def _follow(problem: Problem, classes: NDArray[Any], l1: float, start: Snapshot | None) -> Path:
    call = Call(
        problem=problem,
        there=problem,
        classes=classes,
        end=End(l1),
        report=lambda events, l1: None,
        screening=True,
        keeps_interrupted=False,
    )
    return exact(call, Limits(), start=start)


def _check_same(problem: Problem, near: Path) -> None:
    """Raise unless a path is of as many points and columns, with the same ridge."""
    if near.problem.dictionary.shape != problem.dictionary.shape or near.problem.l2 != problem.l2:
        raise InvalidInputError(
            "near is the path of another problem: pass one of the same X, y, weights, loss and l2"
        )
    if not near.problem.penalty.is_plain:
        raise InvalidInputError(
            "near has another penalty than L1: read its solution with near.coef_at(l1), or pass a path of the L1 one"
        )
