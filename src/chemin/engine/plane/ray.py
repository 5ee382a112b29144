"""How does the solution move along a line of (l1, l2)? The exact path between two points of the plane.

With B = l2 b and B0 = l2 b0, the solution (B, B0, α) is affine in (l1, l2) while the sets stay as they are
(`chemin.engine.exact.ray`). Between two breakpoints, b = B / l2 moves along a straight line, too, though not evenly.

References: Hastie, Rosset, Tibshirani and Zhu (2004), for l2 at l1 = 0; Wang, Zhu and Zou (2006), for l2 at a fixed l1.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from chemin.dictionaries.base import Floats, Indices
from chemin.engine.breakpoints import Breakpoints
from chemin.engine.end import End
from chemin.engine.entry import one_thread
from chemin.engine.exact.engine import Engine
from chemin.engine.exact.ray import Ray
from chemin.engine.exact.snapshot import Snapshot
from chemin.engine.pieces import places_at
from chemin.engine.proof.certificate import Certificate, certify_solutions
from chemin.engine.proof.solutions import Norms
from chemin.engine.relaxed import point_on
from chemin.engine.result import Status, neighbours
from chemin.engine.strategy import Call, Limits, exact, followed
from chemin.exceptions import EngineError, InvalidInputError, OutOfRangeError
from chemin.frames import as_frame
from chemin.problems import Loss, Penalty, Problem
from chemin.results import Result, plural
from chemin.validation import as_problem, as_same_columns, check_l1, check_l2, check_max_events

_BESIDE = 1e-12  # relative to the ray


@dataclass(frozen=True, eq=False, repr=False)
class RayPath(Result):
    """The exact path between two points of the plane of l1 and l2.

    Attributes
    ----------
    problem : Problem
        What was minimised; its l2 is that of the start.
    classes : ndarray
        The two labels; empty for a numeric target.
    ray : Ray
        From which (l1, l2) to which.
    status : Status
    breakpoints : Breakpoints
        With what is left of the ray, from 1 down to 0, in place of l1.
    """

    problem: Problem = field(repr=False)
    classes: NDArray[Any]
    ray: Ray
    status: Status
    breakpoints: Breakpoints = field(repr=False)

    def __str__(self) -> str:
        return self.status.sentence

    @cached_property
    def _corners(self) -> Floats:
        return self.ray.at(self.breakpoints.l1)

    @property
    def l1(self) -> Floats:
        """The l1 of the breakpoints."""
        return self._corners[:, 0]

    @property
    def l2(self) -> Floats:
        """The l2 of the breakpoints."""
        return self._corners[:, 1]

    @property
    def intercept(self) -> Floats:
        """The intercepts of the breakpoints; of an optimal interval, one."""
        return self.breakpoints.intercept

    @cached_property
    def coef(self) -> sparse.csr_array:
        """Coefficients at the breakpoints, one row each."""
        return self.breakpoints.coef(self.problem.dictionary.shape[1])

    def frame(self) -> Any:
        """Return the events, and where in the plane they happen, as a pandas or else polars frame."""
        events = self.breakpoints.events(self.problem.loss.shape[1])
        where = self.ray.at(events["l1"])
        columns: dict[str, Any] = {"l1": where[:, 0], "l2": where[:, 1]}
        columns |= {name: events[name] for name in events.dtype.names[1:]}
        return as_frame(columns, instead="path.breakpoints")

    def coef_at(self, *, l1: Any = None, l2: Any = None) -> Floats:
        """Return the coefficients at a value of l1, or of l2, on the ray: shape (p,), or (k, p) for k values."""
        before, _, share = self._places(l1, l2)
        rows = self.breakpoints.coef_between(before, share, self.problem.dictionary.shape[1])
        return rows if np.ndim(l1 if l2 is None else l2) else rows[0]

    def intercept_at(self, *, l1: Any = None, l2: Any = None) -> Any:
        """Return the intercept there."""
        before, _, share = self._places(l1, l2)
        after = np.minimum(before + 1, len(self.l1) - 1)
        values = (1.0 - share) * self.intercept[before] + share * self.intercept[after]
        return values if np.ndim(l1 if l2 is None else l2) else float(values[0])

    def dual_at(self, *, l1: Any = None, l2: Any = None) -> Floats:
        """Return the dual values there: shape (n,), or (k, n) for k values."""
        before, share, _ = self._places(l1, l2)
        rows = self.breakpoints.dual_between(before, share, self.problem.loss)
        return rows if np.ndim(l1 if l2 is None else l2) else rows[0]

    def decision_at(self, X: Any, *, l1: Any = None, l2: Any = None) -> Floats:
        """Return b0 + X·b there: shape (n,), or (n, k) for k values."""
        coef = self.coef_at(l1=l1, l2=l2)
        return as_same_columns(X, self.problem.dictionary).scores(coef.T) + self.intercept_at(
            l1=l1, l2=l2
        )

    def certificate(self) -> Certificate:
        """Certify every breakpoint, by code that is not shared with the engine."""
        norms = Norms.of(self.problem.dictionary)
        parts = []
        with self.problem.dictionary.resident() as columns:
            problem = replace(self.problem, dictionary=columns)
            given = (self.intercept, self.l1, self.l2)
            for first, stop, some in neighbours(problem, self.breakpoints, 0, *given):
                parts.append(certify_solutions(problem, some[: stop - first], norms))
        return Certificate.join(parts)

    def _places(self, l1: Any, l2: Any) -> tuple[Indices, Floats, Floats]:
        """Return the breakpoint before each value, the share of α's way to the next one, and of b's."""
        if (l1 is None) == (l2 is None):
            raise InvalidInputError("pass one of l1 and l2, by name: the other one follows")
        axis = 0 if l2 is None else 1
        name = ("l1", "l2")[axis]
        first = self.ray.start[axis]
        last = self.ray.end[axis]
        if first == last:
            raise InvalidInputError(f"{name} is {first:g} all along this ray: pass the other one")
        wanted = np.atleast_1d(np.asarray(l2 if axis else l1, dtype=float))
        left = (wanted - last) / (first - last)
        least = float(self.breakpoints.l1[-1])
        if not np.all((left >= least - _BESIDE) & (left <= 1.0 + _BESIDE)):
            reached = self.ray.at(least)[axis]
            raise OutOfRangeError(
                f"{name} must be between {first:g} and {reached:g}, where this ray begins and ends: follow a longer one"
            )
        left = np.clip(left, least, 1.0)
        before, share = places_at(self.breakpoints.l1, left)
        after = np.minimum(before + 1, len(self.l2) - 1)
        return before, share, share * self.l2[after] / self.ray.at(left)[:, 1]


def ray_path(
    X: Any,
    y: Any,
    *,
    l1: float | tuple[float, float] = 0.0,
    l2: float | tuple[float, float] = (1e3, 1e-2),
    loss: str | Loss = "hinge",
    penalty: str | Penalty = "l1",
    sample_weight: Any = None,
    l1_weight: Any = None,
    max_events: int | None = None,
) -> RayPath:
    """Compute the exact path between two points of the plane of both penalties.

    Minimises what `chemin.path` does, while l1, l2 or both move. At ``l1=0`` this is the path of the support vector
    machine in its own parameter, ``C = 1 / l2``.

    Parameters
    ----------
    X, y, sample_weight, l1_weight
        As for `chemin.path`.
    l1, l2 : float, or (first, last)
        A number stays as it is, a pair moves from its first to its last value. l2 must be positive.
    loss : str or Loss, default "hinge"
        One of sharp kinks: ``"hinge"``, ``"absolute"``, ``"quantile"`` or ``"epsilon_insensitive"``.
    penalty : str or Penalty, default "l1"
        One without bends: ``"l1"``, ``"nonnegative"`` or ``L1(sign=…)``; with signs l1 must stay above 0.
    max_events : int, optional
        Give up after so many changes of the sets.

    Returns
    -------
    RayPath

    Examples
    --------
    The support vector machine for every C between 0.001 and 100:

    >>> import chemin
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import scale
    >>> from sklearn.svm import SVC
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> X = scale(X)
    >>> path = chemin.ray_path(X, y, l2=(1e3, 1e-2))
    >>> other = SVC(kernel="linear", C=0.2, tol=1e-10).fit(X, y)
    >>> bool(abs(path.decision_at(X, l2=5.0) - other.decision_function(X)).max() < 1e-5)
    True
    >>> bool(path.certificate().worst_gap < 1e-10)
    True
    """
    ray = Ray(*zip(_pair(l1, "l1"), _pair(l2, "l2"), strict=True))
    problem, classes = as_problem(X, y, ray.start[1], sample_weight, l1_weight, loss, penalty)
    _check(ray, problem)
    most = check_max_events(max_events) or sys.maxsize
    with one_thread(problem, always=True), problem.dictionary.resident() as columns:
        there = replace(problem, dictionary=columns)
        if ray.start[0] == ray.end[0] == 0.0:  # where l1 is 0, so may all its weights be
            there = replace(there, l1_weight=np.zeros_like(problem.l1_weight))
        return along(problem, there, classes, ray, start_of(there, classes, ray.start[0]), most)


def start_of(problem: Problem, classes: NDArray[Any], l1: float) -> Snapshot:
    """Return the solution at one l1, from the path down to there."""
    call = Call(problem, problem, classes, End(l1), _unheard, True, False)
    path = exact(call, Limits())
    if path.status.code not in ("complete", "repaired"):
        raise EngineError(f"the ray cannot begin: {path.status}")
    kept = path.breakpoints
    last = max(len(path.l1) - 2, 0)
    support = np.sort(kept.active[kept.active_at(last)]).astype(np.intp)
    if len(path.l1) == 1:
        return point_on(path, last, 0.0, problem, support, support)
    end = point_on(path, last, 1.0, problem, support, support)
    before = point_on(path, last, 0.5, problem, support, support)
    return replace(end, sign=before.sign)  # a coefficient may come to 0 at the end itself


def along(
    problem: Problem,
    there: Problem,
    classes: NDArray[Any],
    ray: Ray,
    start: Snapshot,
    max_events: int = sys.maxsize,
) -> RayPath:
    """Follow a ray from a solution at its start."""
    engine = Engine(there, ray=ray)
    begin: Callable[[], None] = partial(engine.begin_at, replace(start, l1=np.array(1.0)))
    code = followed(engine, End(), max_events, _unheard, begin).code
    kept = Breakpoints.of(engine.record)
    return RayPath(problem, classes, ray, Status(code, _told(code, ray, kept)), kept)


def _told(code: str, ray: Ray, kept: Breakpoints) -> str:
    reached = ray.at(kept.l1[-1])
    way = (
        f"from (l1, l2) = ({ray.start[0]:g}, {ray.start[1]:g}) to ({reached[0]:g}, {reached[1]:g})"
    )
    count = plural(len(kept.l1), "breakpoint")
    if code == "complete":
        return f"The path is complete, {way}, in {count}."
    reason = (
        "max_events is reached: raise it"
        if code == "stopped"
        else "its certificate is lost there: raise l2"
    )
    return f"The path goes {way}, in {count}; {reason} to go on."


def _unheard(events: int, place: float) -> None:
    """Tell nobody."""


def _pair(value: Any, name: str) -> tuple[float, float]:
    """Return from which value to which a penalty goes."""
    check = check_l1 if name == "l1" else check_l2
    if np.ndim(value) == 0:
        return check(value), check(value)
    if len(value) != 2:
        raise InvalidInputError(f"{name} is {value!r}: pass a number, or (first, last)")
    return check(value[0]), check(value[1])


def _check(ray: Ray, problem: Problem) -> None:
    if ray.start == ray.end:
        raise InvalidInputError(
            "neither l1 nor l2 moves: pass (first, last) for one of them, or call chemin.solve for one solution"
        )
    if ray.start[1] == 0.0 or ray.end[1] == 0.0:
        raise InvalidInputError(
            "l2 comes to 0, where the solution divides by it: end at a small one, or call chemin.path with l2=0"
        )
    refuse_bent(problem, min(ray.start[0], ray.end[0]))


def refuse_bent(problem: Problem, least_l1: float) -> None:
    """Raise if the solution is not affine in l2, or, down to some l1, has coefficients that l1 does not hold at 0."""
    if problem.loss.is_curved:
        raise InvalidInputError(
            "this loss has rounded kinks, beside which the solution is not affine in l2: keep l2 fixed with "
            "chemin.path, or pass a loss of lines, such as 'hinge'"
        )
    if problem.penalty.is_bent:
        raise InvalidInputError(
            "this penalty bends, and beyond its bends the solution is not affine in l2: keep l2 fixed with "
            "chemin.path, or pass 'l1' or L1(sign=...)"
        )
    if least_l1 == 0.0 and not problem.penalty.is_plain:
        raise InvalidInputError(
            "l1 comes to 0, where nothing holds coefficients of one sign at zero: end at a small l1"
        )
