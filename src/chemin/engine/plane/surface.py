"""What is the solution for every (l1, l2)? The rectangle falls into polygons on each of which it is one formula.

With B = l2 b, B0 = l2 b0, the solution (B, B0, α) is affine in (l1, l2) while the sets stay as they are. The cells are
found one from another (`chemin.engine.plane.tessellation`); what is kept of each are its sets and its corners, since
one linear system gives its formula back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from chemin.dictionaries.base import Floats, Indices
from chemin.engine.end import TimeSpentError, within
from chemin.engine.entry import one_thread
from chemin.engine.entry import path as l1_path
from chemin.engine.exact.engine import Engine
from chemin.engine.plane.formula import FREE, Formulas, Sets, Shifts
from chemin.engine.plane.polygon import area, centre
from chemin.engine.plane.ray import ray_path, refuse_bent, start_of
from chemin.engine.plane.tessellation import Cell, Tessellation
from chemin.engine.proof.certificate import Certificate, certify_solutions
from chemin.engine.proof.solutions import Norms, Solutions
from chemin.engine.result import Status
from chemin.exceptions import EngineError, InvalidInputError, OutOfRangeError
from chemin.frames import as_frame
from chemin.problems import Loss, Penalty, Problem
from chemin.progress import Line
from chemin.results import Result, plural
from chemin.validation import (
    as_problem,
    as_same_columns,
    check_l1,
    check_l2,
    check_max_time,
    check_progress,
)

_LOWEST = 0.01  # of the largest useful l1
_ALMOST = 0.999  # of it: where a path that is to tell no more ends
_WITHIN = 1e-9  # of the rectangle: how far from a cell a point of it may seem
_MISSING = 1e-8  # of the rectangle's area
_MET = 0.3  # share of the pairs of a line across and a line up and down that meet, as seen
_ASIDE = (0.4877, 0.5113)  # where the first cell is sought: where hardly anything else is
_NO_LESS = 1e-12  # of the largest loss: a difference that is rounding
_VANISHES = 1e-13  # of the largest terms of coefficients: one that is rounding


@dataclass(frozen=True, eq=False, repr=False)
class Surface(Result):
    """The exact solution for every (l1, l2) of a rectangle.

    Attributes
    ----------
    problem : Problem
        What was minimised; its l2 is that at which the first cell was found.
    classes : ndarray
        The two labels; empty for a numeric target.
    l1, l2 : (float, float)
        The rectangle.
    status : Status
        ``"complete"`` if the areas of the cells add up to that of the rectangle, ``"stopped"`` if `max_time` is spent.
    """

    problem: Problem = field(repr=False)
    classes: NDArray[Any]
    l1: tuple[float, float]
    l2: tuple[float, float]
    status: Status
    cells_: list[Cell] = field(repr=False)
    formulas: Formulas = field(repr=False)

    def __str__(self) -> str:
        return self.status.sentence

    def __len__(self) -> int:
        return len(self.cells_)

    def polygon(self, cell: int) -> Floats:
        """Return the corners of a cell, counter-clockwise: one row (l1, l2) each."""
        return self.cells_[cell].vertex * self.formulas.unit

    def active(self, cell: int) -> Indices:
        """Return the active variables of a cell."""
        return np.flatnonzero(self.cells_[cell].sets.sign)

    @cached_property
    def n_active(self) -> Indices:
        """How many variables are active in each cell."""
        return np.array([np.count_nonzero(cell.sets.sign) for cell in self.cells_])

    def frame(self) -> Any:
        """Return the cells as a pandas or else polars frame: where, how large, and the sizes of their sets."""
        middle = np.array([centre(cell.vertex) for cell in self.cells_]) * self.formulas.unit
        most = 2 * self.problem.loss.shape[1]
        positions = [cell.sets.position[self.formulas.moves] for cell in self.cells_]
        scale = float(np.prod(self.formulas.unit))
        columns = {
            "l1": middle[:, 0],
            "l2": middle[:, 1],
            "area": np.array([area(cell.vertex) for cell in self.cells_]) * scale,
            "corners": np.array([len(cell.vertex) for cell in self.cells_]),
            "active": self.n_active,
            "elbow": np.array([np.count_nonzero(one & 1) for one in positions]),
            "left": np.array([np.count_nonzero(one == 0) for one in positions]),
            "right": np.array([np.count_nonzero(one == most) for one in positions]),
        }
        return as_frame(columns, instead="surface.polygon and surface.active")

    def coef_at(self, l1: Any, l2: Any) -> Floats:
        """Return the coefficients at (l1, l2): shape (p,), or (k, p) for k values of l1, of l2 or of both."""
        return _alike(self._solutions(l1, l2)[0], l1, l2)

    def intercept_at(self, l1: Any, l2: Any) -> Any:
        """Return the intercept there; of an optimal interval, the midpoint."""
        values = self._solutions(l1, l2)[1]
        return values if np.ndim(l1) or np.ndim(l2) else float(values[0])

    def dual_at(self, l1: Any, l2: Any) -> Floats:
        """Return the dual values there: shape (n,), or (k, n)."""
        return _alike(self._solutions(l1, l2)[2], l1, l2)

    def decision_at(self, X: Any, l1: Any, l2: Any) -> Floats:
        """Return b0 + X·b there: shape (n,), or (n, k)."""
        coef, intercept, _ = self._solutions(l1, l2)
        scores = as_same_columns(X, self.problem.dictionary).scores(coef.T) + intercept
        return scores if np.ndim(l1) or np.ndim(l2) else scores[:, 0]

    def certificate(self, l1: Any, l2: Any) -> Certificate:
        """Certify the solutions there, by code that is not shared with the engine."""
        coef, intercept, dual = self._solutions(l1, l2)
        where, ridge = _pairs(l1, l2)
        some = Solutions.with_duals(sparse.csr_array(coef), intercept, where, dual, ridge)
        return certify_solutions(self.problem, some, Norms.of(self.problem.dictionary))

    def cell_at(self, l1: Any, l2: Any) -> Any:
        """Return the number of the cell that holds (l1, l2), or an array of k numbers."""
        found = np.array([self._cell_of(point) for point in self._units(l1, l2)])
        return found if np.ndim(l1) or np.ndim(l2) else int(found[0])

    def front(self, norm: str = "l1") -> dict[str, Floats]:
        """Return the Pareto front of the loss against a norm: no solution of the rectangle has less of both.

        Of two solutions with the same ‖b‖₁, the one of the larger l2 has the smaller ‖b‖₂ and the larger loss. So the
        front against ‖b‖₁ is where l2 is least, but for norms that are smaller than all there, where l1 is largest; and
        that against ‖b‖₂ where l1 is least, or else l2 largest. Places are left out where a smaller norm has less loss.
        Between corners the loss is affine in ‖b‖₁, and in ‖b‖₂ it lies below its chord.

        Parameters
        ----------
        norm : {"l1", "l2"}, default "l1"
            Σ v_j |b_j|, or ‖b‖₂.

        Returns
        -------
        dict
            ``norm``, increasing, ``loss``, ``l1`` and ``l2``.
        """
        if norm not in ("l1", "l2"):
            raise InvalidInputError(f"norm is {norm!r}: pass 'l1' or 'l2'")
        axis = 1 if norm == "l1" else 0
        least = (self.l1[0], self.l2[0])[axis] / self.formulas.unit[axis]
        corners = np.concatenate([cell.vertex for cell in self.cells_])
        at = np.repeat(np.arange(len(self)), [len(cell.vertex) for cell in self.cells_])
        on_side = np.abs(corners - 1.0)[:, 1 - axis] <= _WITHIN
        on_side |= np.abs(corners[:, axis] - least) <= _WITHIN
        corners = corners[on_side]
        norms = np.empty(len(corners))
        losses = np.empty(len(corners))
        for rows, coef, intercept, _ in self._by_cell(corners, at[on_side]):
            weighted = np.abs(coef) @ self.problem.l1_weight
            norms[rows] = weighted if axis else np.sqrt((coef**2).sum(axis=1))
            losses[rows] = self.problem.loss.value(self.problem.scores(coef.T, intercept).T).sum(
                axis=1
            )
        order = np.lexsort((losses, norms))
        before = np.minimum.accumulate(np.append(np.inf, losses[order]))[:-1]
        order = order[losses[order] < before - _NO_LESS * losses.max()]
        where = corners[order] * self.formulas.unit
        return {"norm": norms[order], "loss": losses[order], "l1": where[:, 0], "l2": where[:, 1]}

    def _solutions(self, l1: Any, l2: Any) -> tuple[Floats, Floats, Floats]:
        """Return coefficients, intercepts and dual values, one row for each point."""
        points = self._units(l1, l2)
        n, p = self.problem.dictionary.shape
        coef = np.zeros((len(points), p))
        intercept = np.empty(len(points))
        dual = np.empty((len(points), n))
        cells = np.array([self._cell_of(point) for point in points], dtype=np.intp)
        for rows, *found in self._by_cell(points, cells):
            coef[rows], intercept[rows], dual[rows] = found
        return coef, intercept, dual

    def _by_cell(
        self, points: Floats, cells: Indices
    ) -> Iterator[tuple[Indices, Floats, Floats, Floats]]:
        """Solve once in every cell: which points are there, their coefficients, intercepts and dual values."""
        p = self.problem.dictionary.shape[1]
        order = np.argsort(cells, kind="stable")
        edges = np.flatnonzero(np.diff(cells[order])) + 1
        for rows in np.split(order, edges) if len(order) else ():
            sets = self.cells_[cells[rows[0]]].sets
            solved = self.formulas.solved(sets)
            elbow, active, scaled, free = solved
            there = np.column_stack([np.ones(len(rows)), points[rows]])
            beta = there @ scaled[:, :3].T
            terms = np.abs(there) @ np.abs(scaled[:, :3]).T
            beta[np.abs(beta) <= _VANISHES * terms.max(axis=1, keepdims=True)] = 0.0
            spare = self.formulas.spare(sets, solved)
            if spare is not None:
                room = np.maximum((there @ spare.limits).min(axis=1), 0.0)
                beta[:, 0] += 0.5 * spare.way * room
            beta /= points[rows, 1:] * self.formulas.ridge
            coef = np.zeros((len(rows), p))
            coef[:, active] = beta[:, 1:] / self.formulas.kappa
            dual = np.tile(self.formulas.fixed(sets.position), (len(rows), 1))
            dual[:, elbow] = there @ free[:, :3].T
            yield rows, coef, beta[:, 0], dual

    def _units(self, l1: Any, l2: Any) -> Floats:
        """Return points in units of the cells, once they are in the rectangle."""
        where, ridge = _pairs(l1, l2)
        points = np.column_stack([where, ridge]) / self.formulas.unit
        inside = np.abs(points - self._middle) <= self._half + _WITHIN
        if not inside.all():
            k = int(np.argmin(inside.all(axis=1)))
            raise OutOfRangeError(
                f"(l1, l2) = ({where[k]:g}, {ridge[k]:g}) is outside of [{self.l1[0]:g}, {self.l1[1]:g}] × "
                f"[{self.l2[0]:g}, {self.l2[1]:g}]: ask for a larger rectangle"
            )
        return points

    @property
    def _middle(self) -> Floats:
        return 0.5 * (np.array([self.l1[0], self.l2[0]]) / self.formulas.unit + 1.0)

    @property
    def _half(self) -> Floats:
        return 0.5 * (1.0 - np.array([self.l1[0], self.l2[0]]) / self.formulas.unit)

    @cached_property
    def _boxes(self) -> Floats:
        """The least and the largest coordinates of every cell."""
        low = np.array([cell.vertex.min(axis=0) for cell in self.cells_])
        high = np.array([cell.vertex.max(axis=0) for cell in self.cells_])
        return np.column_stack([low - _WITHIN, high + _WITHIN]).T.copy()

    def _cell_of(self, point: Floats) -> int:
        """Return the cell whose sides a point is least outside of."""
        x0, y0, x1, y1 = self._boxes
        x, y = point
        near = np.flatnonzero((x0 <= x) & (x <= x1) & (y0 <= y) & (y <= y1))
        if not len(near):
            raise OutOfRangeError(f"no cell holds the point: {self.status}")
        depths = []
        for cell in near.tolist():
            vertex = self.cells_[cell].vertex
            along = np.concatenate([vertex[1:], vertex[:1]]) - vertex
            offset = point - vertex
            cross = along[:, 0] * offset[:, 1] - along[:, 1] * offset[:, 0]
            depths.append(float((cross / np.hypot(along[:, 0], along[:, 1])).min()))
        return int(near[int(np.argmax(depths))])


def svm_surface(
    X: Any,
    y: Any,
    *,
    l1: tuple[float, float] | None = None,
    l2: tuple[float, float] = (1e-2, 1e2),
    loss: str | Loss = "hinge",
    penalty: str | Penalty = "l1",
    sample_weight: Any = None,
    l1_weight: Any = None,
    max_cells: int = 50_000,
    max_time: float | None = None,
    progress: bool | Callable[[int, float], None] = False,
) -> Surface:
    """Compute the solution for every (l1, l2) of a rectangle, exactly.

    Parameters
    ----------
    X, y, sample_weight, l1_weight
        As for `chemin.path`.
    l1 : (float, float), optional
        From which to which l1; if not given, from a hundredth of the largest useful one to that. Beyond it b is zero.
    l2 : (float, float), default (0.01, 100)
        From which to which l2; the first must be positive.
    loss : str or Loss, default "hinge"
        One of sharp kinks: ``"hinge"``, ``"absolute"``, ``"quantile"`` or ``"epsilon_insensitive"``.
    penalty : str or Penalty, default "l1"
        One without bends: ``"l1"``, ``"nonnegative"`` or ``L1(sign=…)``; with signs l1 must stay above 0.
    max_cells : int, default 50000
        How many cells there may be. A rectangle that is expected to have more is refused, and so is one that has more.
    max_time : float, optional
        Seconds after which no more cells are sought; the status then says how much of the rectangle has none.
    progress : bool or callable, default False
        Show a line of progress on the standard error stream, or call ``progress(cells, share)``, with the share of the
        rectangle that they cover.

    Returns
    -------
    Surface

    Examples
    --------
    >>> import chemin
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import scale
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> surface = chemin.svm_surface(scale(X), y, l1=(200.0, 250.0), l2=(10.0, 50.0))
    >>> print(surface)
    The rectangle of l1 from 200 to 250 and l2 from 10 to 50 is complete, in ... cells.
    >>> coef = surface.coef_at(220.0, 20.0)
    >>> bool(abs(coef - chemin.svm_path(scale(X), y, l2=20.0).coef_at(220.0)).max() < 1e-9)
    True
    >>> bool(surface.certificate(220.0, [16.0, 20.0, 40.0]).worst_gap < 1e-10)
    True
    """
    ridges = _range(l2, "l2")
    problem, classes = as_problem(X, y, ridges[1], sample_weight, l1_weight, loss, penalty)
    refuse_bent(problem, 1.0 if l1 is None else _range(l1, "l1")[0])
    if ridges[0] == 0.0:
        raise InvalidInputError(
            "l2 begins at 0, where the solution divides by it: begin at a small one, or call chemin.path with l2=0"
        )
    most = _whole(max_cells)
    told = check_progress(progress, "(cells, share)")
    line = Line(shown=progress is not False and not callable(progress))
    report = within(check_max_time(max_time), told if callable(told) else line.report_cells)
    given = {
        "loss": loss,
        "penalty": penalty,
        "sample_weight": sample_weight,
        "l1_weight": l1_weight,
    }
    with one_thread(problem, always=True), closing(line):
        extent = _useful(X, y, ridges[1], given) if l1 is None else _range(l1, "l1")
        _refuse_too_large(_expected(X, y, extent, ridges, given), most)
        found, ended = _tessellated(problem, classes, extent, ridges, most, report)
    return Surface(
        problem,
        classes,
        extent,
        ridges,
        _status(found, extent, ridges, ended),
        found.cells,
        found.formulas,
    )


def _tessellated(
    problem: Problem,
    classes: NDArray[Any],
    l1: tuple[float, float],
    l2: tuple[float, float],
    most: int,
    report: Callable[[int, float], None],
) -> tuple[Tessellation, TimeSpentError | None]:
    """Find the cells of a rectangle, from one near its middle, and say what ended that early, if something did."""
    low = np.array([l1[0], l2[0]])
    unit = np.array([l1[1], l2[1]])
    start = low + np.array(_ASIDE) * (unit - low)
    from_there = Problem(**{**problem.__dict__, "l2": float(start[1])})
    sets = sets_at(from_there, classes, float(start[0]))
    found = Tessellation(formulas_of(from_there, unit), low / unit, np.ones(2), most, report)
    try:
        if not found.fill(sets, start / unit):
            raise InvalidInputError(f"there are more than max_cells={most} cells: {_REMEDY}")
    except TimeSpentError as ended:
        return found, ended
    return found, None


def formulas_of(problem: Problem, unit: Floats) -> Formulas:
    """Return the formulas of a problem, with the shifts of the path at its l2."""
    engine = Engine(problem)
    kappa = engine.kappa
    shifts = Shifts(
        engine.margin_shift * (problem.l2 / kappa**2),
        engine.threshold_shift / kappa,
        engine.balance_shift / kappa,
    )
    return Formulas(problem, kappa, shifts, unit)


def sets_at(problem: Problem, classes: NDArray[Any], l1: float) -> Sets:
    """Return the sets of the solution at one l1."""
    point = start_of(problem, classes, l1)
    sign = np.zeros(problem.dictionary.shape[1], dtype=np.int8)
    sign[point.active] = np.where(point.sign == 0.0, FREE, point.sign)
    return Sets(np.maximum(point.position, 0).astype(np.int8), sign)


_REMEDY = "raise it, narrow l1 or l2, or follow rays with chemin.ray_path"


def _refuse_too_large(expected: int, most: int) -> None:
    if expected > most:
        raise InvalidInputError(
            f"this rectangle has about {expected} cells (a millisecond or so each), and max_cells={most}: {_REMEDY}"
        )


def _expected(
    X: Any, y: Any, l1: tuple[float, float], l2: tuple[float, float], given: dict[str, Any]
) -> int:
    """Estimate how many cells there are: from sides met on few lines across, and on few up and down."""
    across = [
        len(l1_path(X, y, l2=ridge, min_l1=l1[0], **given).l1)
        for ridge in (l2[0], np.sqrt(l2[0] * l2[1]))
    ]
    middle = max(np.sqrt(l1[0] * l1[1]), 0.1 * l1[1])
    along = [
        len(ray_path(X, y, l1=place, l2=(l2[1], l2[0]), **given).l1) - 1
        for place in (middle, l1[0])
    ]
    lines = float(np.mean(across))
    crossing = float(np.mean(along))
    return int(lines + crossing + _MET * lines * crossing)


def _status(
    found: Tessellation,
    l1: tuple[float, float],
    l2: tuple[float, float],
    ended: TimeSpentError | None,
) -> Status:
    """Say whether the cells are all: by their areas."""
    missing = 1.0 - found.covered / found.whole
    where = f"The rectangle of l1 from {l1[0]:g} to {l1[1]:g} and l2 from {l2[0]:g} to {l2[1]:g}"
    count = plural(len(found.cells), "cell")
    if abs(missing) <= _MISSING:
        return Status("complete", f"{where} is complete, in {count}.")
    if missing < 0.0:
        raise EngineError(
            "cells overlap: centre and scale the columns, or begin l2 at a larger one"
        )
    if ended is not None:
        sentence = f"{where} has {count}, but for {missing:.0%} of its area, since {ended}: raise max_time."
        return Status("stopped", sentence)
    remedy = "centre and scale the columns, raise l2, or ask for that part alone"
    sentence = f"{where} has {count}, but for {missing:.1e} of its area: {remedy}."
    return Status("incomplete", sentence)


def _useful(X: Any, y: Any, l2: float, given: dict[str, Any]) -> tuple[float, float]:
    """Return the l1 from the largest useful one down to a share of it."""
    first = float(l1_path(X, y, l2=l2, min_ratio=_ALMOST, **given).l1[0])
    if first == 0.0:
        raise InvalidInputError("no column is of use at any l1: pass l1=(lowest, highest)")
    return _LOWEST * first, first


def _range(value: Any, name: str) -> tuple[float, float]:
    """Return from which value to which a penalty goes."""
    check = check_l1 if name == "l1" else check_l2
    if np.ndim(value) != 1 or len(value) != 2:
        raise InvalidInputError(f"{name} is {value!r}: pass (lowest, highest)")
    low, high = check(value[0]), check(value[1])
    if not low < high:
        raise InvalidInputError(f"{name} goes from {low:g} to {high:g}: pass (lowest, highest)")
    return low, high


def _whole(max_cells: Any) -> int:
    whole = isinstance(max_cells, int | np.integer) and not isinstance(max_cells, bool)
    if not whole or max_cells < 1:
        raise InvalidInputError(f"max_cells is {max_cells!r}: pass a whole number from 1 on")
    return int(max_cells)


def _pairs(l1: Any, l2: Any) -> tuple[Floats, Floats]:
    try:
        where, ridge = np.broadcast_arrays(np.atleast_1d(l1), np.atleast_1d(l2))
        (_,) = where.shape  # a list, no table
        return where.astype(float), ridge.astype(float)
    except ValueError as error:
        raise InvalidInputError(
            f"l1 is {l1!r} and l2 is {l2!r}: pass numbers, or lists of as many of both"
        ) from error


def _alike(rows: Floats, l1: Any, l2: Any) -> Floats:
    """Return one row, or all if there are several values."""
    return rows if np.ndim(l1) or np.ndim(l2) else rows[0]
