"""What is the path, once followed? Breakpoints, and everything that can be rebuilt from them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from chemin.dictionaries.base import Floats
from chemin.engine.breakpoints import EVENT, Breakpoints
from chemin.engine.pieces import Pieces, interpolation, lower_envelope, weights_at
from chemin.engine.proof.between import bound_between, prove
from chemin.engine.proof.certificate import Certificate, certificate_of
from chemin.exceptions import InvalidInputError, OutOfRangeError
from chemin.problems import Problem
from chemin.tables import as_frame
from chemin.validation import as_dictionary

_CHUNK = 1_000_000  # numbers held at once when many solutions are rebuilt
_AT_BOUND = 1e-9


@dataclass(frozen=True)
class Status:
    """How the path ended: a code for programs, a sentence for people.

    ``code`` is ``"complete"``, ``"stopped"`` (`max_events` reached, or `memory` spent), ``"interrupted"`` (Ctrl-C),
    ``"repaired"`` (complete, but the engine lost its certificate on the way and was put back on the path by another
    solver) or ``"lost"`` (it could not be put back: the path ends at the last certified point). ``"uncertified"`` is
    one of the last two whose certificate, taken at every breakpoint, found a gap above 1e-9.
    """

    code: str
    sentence: str

    def __str__(self) -> str:
        return self.sentence


@dataclass(frozen=True)
class Start:
    """Where the path begins: the largest useful l1, the optimal intercepts there, and what enters first."""

    l1: float
    intercept_range: tuple[float, float]
    entering: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Path:
    """The exact l1 path of a doubly regularized SVM.

    Between two breakpoints coefficients, dual values and (when unique) the intercept are affine in l1; above the
    first breakpoint they are constant. Two breakpoints may share their l1: the solution then moves at fixed l1, as it
    does for l2 = 0, and every point in between is optimal too.

    Attributes
    ----------
    problem : Problem
        What was minimised.
    classes : ndarray
        The two labels; the second one is the positive class.
    status : Status
    stats : mapping
        What following it took: ``events``, the ``rows_per_event`` and ``columns_per_event`` that were evaluated, and
        the ``restarts`` from a certified point where ties could not be settled or rounding had grown.
    l1, coef, intercept, dual, norm1, events : see their own descriptions

    Examples
    --------
    >>> import chemin
    >>> path = chemin.svm_path([[-2.0], [-1.0], [1.0], [2.0]], ["no", "no", "yes", "yes"], l2=0.0)
    >>> path.l1.tolist()
    [6.0, 6.0, 2.0, 2.0, 2.0, 0.0]
    >>> path.coef_at(1.0)
    array([1.])
    >>> print(path.status)
    The path is complete, down to l1 = 0, in 6 breakpoints.
    """

    problem: Problem = field(repr=False)
    classes: NDArray[Any]
    status: Status
    breakpoints: Breakpoints = field(repr=False)
    stats: Mapping[str, float] = field(default_factory=dict, repr=False)

    def __getstate__(self) -> dict[str, Any]:
        # What is rebuilt on demand is not stored: files stay small and hold plain arrays only.
        return {name: self.__dict__[name] for name in self.__dataclass_fields__}

    @property
    def l1(self) -> Floats:
        """The breakpoints, decreasing."""
        return self.breakpoints.l1

    @property
    def l2(self) -> float:
        """The ridge parameter."""
        return self.problem.l2

    @property
    def names(self) -> NDArray[Any] | None:
        """Names of the columns, where the data had them."""
        return self.problem.dictionary.names

    @cached_property
    def coef(self) -> sparse.csr_array:
        """Coefficients at the breakpoints, one row each."""
        return self.breakpoints.coef(self.problem.dictionary.shape[1])

    @cached_property
    def dual(self) -> sparse.csr_array:
        """Dual values at the breakpoints, one row each."""
        rows = (
            self.breakpoints.dual(chunk, self.problem.weight)
            for chunk in self._chunks(len(self.l1))
        )
        return sparse.vstack([sparse.csr_array(block) for block in rows], format="csr")

    @cached_property
    def intercept(self) -> Floats:
        """Intercepts at the breakpoints; where an interval is optimal, its midpoint."""
        return self._intercepts(sparse.eye_array(len(self.l1), format="csr"))

    @cached_property
    def norm1(self) -> Floats:
        """‖b‖₁ at the breakpoints: the s-path, with its plateaus."""
        return np.asarray(abs(self.coef).sum(axis=1)).ravel()

    @cached_property
    def events(self) -> np.recarray[Any, Any]:
        """What happened, to whom, and the sizes of the four sets afterwards, as a record array.

        ``kind`` is ``enter`` or ``leave`` for a variable, ``elbow``, ``left`` or ``right`` for the place where a
        point goes.
        """
        return self.breakpoints.events()

    def frame(self) -> Any:
        """Return the events, with the names of the variables, as a pandas (or else polars) DataFrame."""
        columns: dict[str, Any] = {name: self.events[name] for name in EVENT.names or ()}
        if self.names is not None:
            moved = np.isin(self.events["kind"], ("enter", "leave"))
            columns["name"] = np.where(
                moved, self.names[np.where(moved, self.events["index"], 0)].astype(str), ""
            )
        return as_frame(columns, instead="path.events, a NumPy array")

    @cached_property
    def start(self) -> Start:
        """Where the path begins."""
        first = self.events[(self.events["l1"] == self.l1[0]) & (self.events["kind"] == "enter")]
        entered = dict.fromkeys([*self.breakpoints.first_active.tolist(), *first["index"].tolist()])
        entering = tuple(j for j in entered if self.problem.l1_weight[j] > 0.0)
        low, high = self._intercept_ranges(sparse.eye_array(1, len(self.l1), format="csr"))
        return Start(float(self.l1[0]), (float(low[0]), float(high[0])), entering)

    def coef_at(self, l1: float | Floats) -> Floats:
        """Return the coefficients at any l1 of the path: shape (p,), or (k, p) for k values."""
        rows = (self._interpolation(l1) @ self.coef).toarray()
        return rows if np.ndim(l1) else rows[0]

    def dual_at(self, l1: float | Floats) -> Floats:
        """Return the dual values at any l1 of the path: shape (n,), or (k, n) for k values."""
        rows = self._duals(self._interpolation(l1))
        return rows if np.ndim(l1) else rows[0]

    def intercept_at(self, l1: float | Floats) -> Any:
        """Return the intercept at any l1 of the path; where an interval is optimal, its midpoint."""
        values = self._intercepts(self._interpolation(l1))
        return values if np.ndim(l1) else float(values[0])

    def intercept_range_at(self, l1: float) -> tuple[float, float]:
        """Return the smallest and the largest optimal intercept at ``l1``; they are equal where it is unique."""
        low, high = self._intercept_ranges(self._interpolation(l1))
        return float(low[0]), float(high[0])

    def decision_at(self, X: Any, l1: float) -> Floats:
        """Return the decision function b0 + X·b at ``l1``; positive means ``classes[1]``."""
        columns, p = as_dictionary(X), self.problem.dictionary.shape[1]
        if (
            columns.names is not None
            and self.names is not None
            and list(columns.names) != list(self.names)
        ):
            raise InvalidInputError(
                "the columns of X are not those of the path, in its order: select them with X[list(path.names)]"
            )
        if columns.shape[1] != p:
            raise InvalidInputError(
                f"X has {columns.shape[1]} columns where the path has {p}: pass the same variables, in order"
            )
        return columns.scores(self.coef_at(float(l1))) + self.intercept_at(float(l1))

    def pieces(self) -> Pieces:
        """Return the path without its data: values of l1 between which everything is affine.

        These are the breakpoints, and inside a segment with a free intercept the places where the midpoint turns.
        """
        free = (
            self._at_bounds[:-1] & (self.breakpoints.n_elbow[:-1] == 1) & (np.diff(self.l1) < 0.0)
        )
        turns = [(k, t) for k in np.flatnonzero(free) for t in self._turns(int(k))]
        if not turns:
            return Pieces(self.l1, self.coef, self.intercept)
        before, share = np.arange(len(self.l1)), np.zeros(len(self.l1))
        before = np.concatenate([before, [k for k, _ in turns]])
        share = np.concatenate([share, [t for _, t in turns]])
        order = np.lexsort((share, before))
        weights = interpolation(before[order], share[order], len(self.l1))
        return Pieces(weights @ self.l1, weights @ self.coef, self._intercepts(weights))

    def _turns(self, k: int) -> list[float]:
        """Return the shares of the way from breakpoint k to the next where an end of the intercept's interval turns."""
        dual, label, counts = (
            self.breakpoints.dual(np.array([k]), self.problem.weight)[0],
            self.problem.label,
            self.problem.weight > 0,
        )
        ends = (
            self.problem.residuals(
                self.coef[[k, k + 1]].T, self.breakpoints.intercept[[k, k + 1]]
            ).T
            * label
        )
        upward = (dual > 0.5 * self.problem.weight) == (label > 0)
        return lower_envelope(*ends[:, upward & counts]) + lower_envelope(
            *-ends[:, ~upward & counts]
        )

    def certificate(self, *, midpoints: bool = False) -> Certificate:
        """Certify every breakpoint, and on request the middle of every segment, by code the engine does not share."""
        points = sparse.eye_array(len(self.l1), format="csr")
        if midpoints:
            points = sparse.vstack([points, 0.5 * (points[:-1] + points[1:])], format="csr")
        chunks = (points[chunk] for chunk in self._chunks(points.shape[0]))
        with self.problem.dictionary.resident() as columns:
            problem = replace(self.problem, dictionary=columns)
            return Certificate.join(
                certificate_of(
                    problem, w @ self.coef, self._intercepts(w), w @ self.l1, self._duals(w)
                )
                for w in chunks
            )

    def gap_between(self) -> Floats:
        """Bound the relative gap over each whole piece, from one breakpoint to the next.

        Where `certificate` measures points, this covers all l1 between two breakpoints at once, in closed form and
        by code the engine does not share (`chemin.engine.proof.between`).

        Returns
        -------
        ndarray
            One bound per piece, hence one fewer than breakpoints.

        Examples
        --------
        >>> import chemin
        >>> path = chemin.svm_path([[-2.0], [-1.0], [1.0], [2.0]], ["no", "no", "yes", "yes"], l2=0.5)
        >>> bool(path.gap_between().max() < 1e-14)
        True
        """
        bounds = [np.empty(0)]
        with self.problem.dictionary.resident() as columns:
            problem, column_norm = replace(self.problem, dictionary=columns), columns.column_norms()
            for chunk in self._chunks(len(self.l1) - 1):
                ends = np.append(chunk, chunk[-1] + 1)
                dual = self.breakpoints.dual(ends, problem.weight)
                found = prove(
                    problem,
                    self.coef[ends],
                    self.breakpoints.intercept[ends],
                    self.l1[ends],
                    dual,
                    column_norm,
                )
                bounds.append(bound_between(problem, found[:-1], found[1:]))
        return np.concatenate(bounds)

    def _interpolation(self, l1: float | Floats) -> sparse.csr_array:
        """Return the matrix that takes values at breakpoints to values at ``l1``: one or two weights per row."""
        try:
            wanted = np.atleast_1d(np.asarray(l1, dtype=float))
        except (TypeError, ValueError) as error:
            raise InvalidInputError(
                f"l1 is {l1!r}: pass a number, or an array of numbers"
            ) from error
        if np.isnan(wanted).any():
            raise InvalidInputError("l1 is NaN or None: pass a number, or an array of numbers")
        if not np.all(wanted >= self.l1[-1]):
            outside = wanted[~(wanted >= self.l1[-1])][0]
            raise OutOfRangeError(
                f"l1 = {outside:g} is below {self.l1[-1]:g}, where this path ends: "
                "ask for a larger l1, or follow the path further with a smaller min_l1"
            )
        return weights_at(self.l1, wanted)

    def _duals(self, weights: sparse.csr_array) -> Floats:
        used = np.unique(weights.indices)
        return np.asarray(weights[:, used] @ self.breakpoints.dual(used, self.problem.weight))

    def _intercepts(self, weights: sparse.csr_array) -> Floats:
        low, high = self._intercept_ranges(weights)
        return 0.5 * (low + high)

    def _intercept_ranges(self, weights: sparse.csr_array) -> tuple[Floats, Floats]:
        """Return the ends of the optimal intervals; they differ only where every dual value is at a bound."""
        low = np.asarray(weights @ self.breakpoints.intercept)
        high = low.copy()
        for row in np.flatnonzero(self._at_bounds[weights.indices[weights.indptr[:-1]]]):
            dual = self._duals(weights[[row]])[0]
            weight = self.problem.weight
            if np.any((dual > _AT_BOUND * weight) & (dual < (1 - _AT_BOUND) * weight)):
                continue
            residual = self.problem.residuals((weights[[row]] @ self.coef).toarray()[0], low[row])
            # Raising b0 by δ lowers r_i by y_i δ: full points must keep r ≥ 0, the others r ≤ 0.
            room = residual * self.problem.label
            upward = (dual > 0.5 * weight) == (self.problem.label > 0)
            counts = weight > 0
            high[row] += max(np.min(room[upward & counts], initial=np.inf), 0.0)
            low[row] += min(np.max(room[~upward & counts], initial=-np.inf), 0.0)
        return low, high

    @cached_property
    def _at_bounds(self) -> NDArray[np.bool_]:
        return self.breakpoints.at_bounds(self.problem.weight, _AT_BOUND)

    def _chunks(self, count: int) -> list[NDArray[np.intp]]:
        size = max(1, _CHUNK // max(self.problem.dictionary.shape))
        return [np.arange(first, min(first + size, count)) for first in range(0, count, size)]
