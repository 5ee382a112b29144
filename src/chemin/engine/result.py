"""What is the path, once followed? Breakpoints, and everything that can be rebuilt from them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from chemin.dictionaries.base import Floats, Indices
from chemin.engine.breakpoints import EVENT, Breakpoints
from chemin.engine.pieces import Pieces, interpolation, places_on, turns
from chemin.engine.proof.between import bound_between
from chemin.engine.proof.certificate import Certificate, certify_solutions
from chemin.engine.proof.solutions import Norms, Solutions, measure
from chemin.exceptions import InvalidInputError
from chemin.frames import as_frame
from chemin.problems import Problem
from chemin.validation import as_same_columns

_CHUNK = 1_000_000  # numbers held at once when many solutions are rebuilt
_COPIED = 10_000_000  # entries of X, at most
_PROVED_AT_ONCE = 400_000  # divided by √(np), neighbouring breakpoints that are proved together
_FEWEST_AT_ONCE = 32
_MOST_AT_ONCE = 400
_AT_BOUND = 1e-9


@dataclass(frozen=True)
class Status:
    """How the path ended: a code for programs, a sentence for people.

    ``code`` is ``"complete"``, ``"stopped"`` (`max_events` reached, or `memory` spent),
    ``"interrupted"`` (Ctrl-C), ``"repaired"`` (complete, but the engine lost its certificate on the
    way and was put back on the path by another solver) or ``"lost"`` (it could not be put back: the
    path ends at the last certified point). ``"uncertified"`` is one of the last two whose
    certificate, taken at every breakpoint, found a gap above 1e-9.
    """

    code: str
    sentence: str

    def __str__(self) -> str:
        return self.sentence


@dataclass(frozen=True)
class Start:
    """Where the path begins: the largest useful l1, the optimal intercepts, what enters first."""

    l1: float
    intercept_range: tuple[float, float]
    entering: tuple[int, ...]


def neighbours(
    problem: Problem,
    breakpoints: Breakpoints,
    overlap: int,
    intercept: Floats,
    l1: Floats,
    l2: Floats | None = None,
) -> Iterator[tuple[int, int, Solutions]]:
    """Hand out neighbouring breakpoints, from where to where, and ``overlap`` more."""
    count = len(l1)
    n, p = problem.dictionary.shape
    size = int(np.clip(_PROVED_AT_ONCE / np.sqrt(max(n * p, 1)), _FEWEST_AT_ONCE, _MOST_AT_ONCE))
    starts = np.arange(0, count, size)
    blocks = breakpoints.dual_blocks(starts, overlap, problem.loss)
    for start, block in zip(starts.tolist(), blocks, strict=True):
        end = start + len(block.values)
        coef = breakpoints.coef_rows(start, end, p)
        ridge = None if l2 is None else l2[start:end]
        some = Solutions(coef, intercept[start:end], l1[start:end], *block, ridge)
        yield start, min(start + size, count), some


@dataclass(frozen=True, eq=False)
class Path:
    """The exact l1 path of the hinge, or of another loss, with L1 and L2 penalties.

    Between two breakpoints coefficients, dual values and (when unique) the intercept are affine in
    l1; above the first breakpoint they are constant. Two breakpoints may share their l1: the
    solution then moves at fixed l1, as it does for l2 = 0, and every point in between is optimal
    too.

    Attributes
    ----------
    problem : Problem
        What was minimised.
    classes : ndarray
        The two labels, of which the second one is the positive class; empty for a numeric target.
    status : Status
    stats : mapping
        What following it took: ``events``, the ``rows_per_event`` and ``columns_per_event`` that
        were evaluated, the ``restarts`` from a certified point where ties could not be settled or
        rounding had grown, and the l1 ``rounded_from`` which on the rounding of scores is more than
        1e-9 of the objective, 0 if it never is.
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
        blocks = [
            sparse.csr_array(self.breakpoints.dual(chunk, self.problem.loss))
            for chunk in self._chunks(len(self.l1))
        ]
        return sparse.vstack(blocks, format="csr")

    @cached_property
    def intercept(self) -> Floats:
        """Intercepts at the breakpoints; where an interval is optimal, its midpoint."""
        return self._intercepts(np.arange(len(self.l1)), np.zeros(len(self.l1)))

    @cached_property
    def norm1(self) -> Floats:
        """‖b‖₁ at the breakpoints: the s-path, with its plateaus."""
        rows = np.repeat(np.arange(len(self.l1)), self.breakpoints.n_active)
        sizes = np.abs(self.breakpoints.coef_values)
        return np.asarray(np.bincount(rows, weights=sizes, minlength=len(self.l1)), dtype=float)

    @cached_property
    def events(self) -> np.recarray[Any, Any]:
        """What happened, to whom, and the sizes of the four sets afterwards, as a record array.

        ``kind`` is ``enter`` or ``leave`` for a variable, ``elbow``, ``left`` or ``right`` for the
        place where a point goes: to a kink of its loss, or to the piece before or after it.
        ``left`` and ``right`` count the points on the first and on the last piece.
        """
        return self.breakpoints.events(self.problem.loss.shape[1])

    def frame(self) -> Any:
        """Return the events, with the names of the variables, as a pandas or else polars frame."""
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
        low, high = self._intercept_ranges(np.zeros(1, dtype=np.intp), np.zeros(1))
        return Start(float(self.l1[0]), (float(low[0]), float(high[0])), entering)

    def coef_at(self, l1: float | Floats) -> Floats:
        """Return the coefficients at any l1 of the path: shape (p,), or (k, p) for k values."""
        rows = self.breakpoints.coef_between(*self.places(l1), self.problem.dictionary.shape[1])
        return rows if np.ndim(l1) else rows[0]

    def dual_at(self, l1: float | Floats) -> Floats:
        """Return the dual values at any l1 of the path: shape (n,), or (k, n) for k values."""
        rows = self.breakpoints.dual_between(*self.places(l1), self.problem.loss)
        return rows if np.ndim(l1) else rows[0]

    def intercept_at(self, l1: float | Floats) -> Any:
        """Return the intercept at any l1 of the path; of an optimal interval, the midpoint."""
        values = self._intercepts(*self.places(l1))
        return values if np.ndim(l1) else float(values[0])

    def intercept_range_at(self, l1: float) -> tuple[float, float]:
        """Return the smallest and the largest optimal intercept at ``l1``, equal if unique."""
        low, high = self._intercept_ranges(*self.places(l1))
        return float(low[0]), float(high[0])

    def residual_at(self, l1: float | Floats) -> Floats:
        """Return how far scores are short of their targets: shape (n,), or (k, n) for k values.

        For the hinge this is r_i = 1 − y_i (b0 + x_i·b), positive for points short of the margin;
        for a numeric target y_i − (b0 + x_i·b). In general the target is the kink of the point's
        loss, or the middle of its kinks.

        Examples
        --------
        >>> import chemin
        >>> path = chemin.svm_path([[-2.0], [-1.0], [1.0], [2.0]], [0, 0, 1, 1], l2=0.0)
        >>> path.residual_at(1.0).tolist()
        [-1.0, 0.0, 0.0, -1.0]
        """
        places = self.places(l1)
        rows = self.problem.loss.target - self._scores(*places, self._intercepts(*places))
        return rows if np.ndim(l1) else rows[0]

    def subgradient_at(self, l1: float | Floats) -> Floats:
        """Return the subgradient γ of Σ_j |b_j| of a solution: shape (p,), or (k, p) for k values.

        γ_j = (c_j − l2 b_j) / (l1 v_j) with the correlations c = Xᵀ(s∘α). It is the sign of b_j
        where that is not zero, and between −1 and 1 elsewhere; a column enters where γ_j reaches
        ±1. Where l1 v_j = 0 the penalty asks nothing of γ_j: it is the sign of b_j there, 0
        included.

        Examples
        --------
        >>> import chemin
        >>> X = [[-2.0, 1.0], [-1.0, 0.0], [1.0, 1.0], [2.0, 0.0]]
        >>> path = chemin.svm_path(X, [0, 0, 1, 1], l2=0.0)
        >>> path.subgradient_at(path.l1[0]).round(3).tolist()
        [1.0, 0.0]
        """
        coef = np.atleast_2d(self.coef_at(l1))
        signed = np.atleast_2d(self.dual_at(l1)) * self.problem.label
        correlation = self.problem.dictionary.correlations(signed.T).T
        threshold = np.outer(np.atleast_1d(np.asarray(l1, dtype=float)), self.problem.l1_weight)
        penalty = self.problem.penalty
        correlation = correlation - penalty.beyond(correlation, threshold)
        held = np.where(coef != 0.0, penalty.slope(coef, threshold), correlation)
        rows = np.divide(held, threshold, out=np.sign(coef), where=threshold > 0.0)
        return rows if np.ndim(l1) else rows[0]

    def decision_at(self, X: Any, l1: float) -> Floats:
        """Return b0 + X·b at ``l1``.

        For two classes this is the decision function, and positive means ``classes[1]``; for a
        numeric target it is the prediction.
        """
        columns = as_same_columns(X, self.problem.dictionary)
        return columns.scores(self.coef_at(float(l1))) + self.intercept_at(float(l1))

    def pieces(self) -> Pieces:
        """Return the path without its data: values of l1 between which everything is affine.

        These are the breakpoints, and inside a segment with a free intercept the places where the
        midpoint turns.
        """
        turning = self._turns()
        if not turning:
            return Pieces(self.l1, self.coef, self.intercept)
        count = len(self.l1)
        before = np.concatenate([np.arange(count), [k for k, _ in turning]])
        share = np.concatenate([np.zeros(count), [t for _, t in turning]])
        order = np.lexsort((share, before))
        before = before[order]
        share = share[order]
        weights = interpolation(before, share, count)
        return Pieces(weights @ self.l1, weights @ self.coef, self._intercepts(before, share))

    def _turns(self) -> list[tuple[int, float]]:
        """Return the segments, and the places on them, where an optimal interval's end turns."""
        alone = np.flatnonzero((self.breakpoints.n_elbow[:-1] == 1) & (np.diff(self.l1) < 0.0))
        free = alone[self.breakpoints.at_bounds(alone, self.problem.loss, _AT_BOUND)]
        found = []
        for chunk in self._chunks(len(free)):
            segments = free[chunk]
            piece, _ = self._pieces_of(self.breakpoints.dual(segments, self.problem.loss))
            ends = [
                self._rooms(
                    piece, self._scores(segments, share, self._raw_intercepts(segments, share))
                )
                for share in (np.zeros(len(segments)), np.ones(len(segments)))
            ]
            for first, last in zip(*ends, strict=True):
                found += [(int(segments[row]), t) for row, t in turns(first, last)]
        return found

    def certificate(self, *, midpoints: bool = False) -> Certificate:
        """Certify every breakpoint, and on request the middle of every segment.

        The code that does so is not shared with the engine.
        """
        norms = Norms.of(self.problem.dictionary)
        at: list[Certificate] = []
        between: list[Certificate] = []
        with self.problem.dictionary.resident() as columns:
            problem = replace(self.problem, dictionary=columns)
            for first, stop, some in self._neighbours(1 if midpoints else 0, self.intercept):
                at.append(certify_solutions(problem, some[: stop - first], norms))
                if midpoints and len(some.l1) > 1:
                    middles = some.middles(self._intercepts(
                        np.arange(first, first + len(some.l1) - 1), np.full(len(some.l1) - 1, 0.5)
                    ))  # fmt: skip
                    between.append(certify_solutions(problem, middles, norms))
        return Certificate.join([*at, *between])

    def gap_between(self, *, least: float = 0.0) -> Floats:
        """Bound the relative gap over each whole piece, from one breakpoint to the next.

        Where `certificate` measures points, this covers all l1 between two breakpoints at once, in
        closed form and by code the engine does not share (`chemin.engine.proof.between`).

        Parameters
        ----------
        least : float, default 0.0
            The gap is relative to the objective, but never to less than this.

        Returns
        -------
        ndarray
            One bound per piece, hence one fewer than breakpoints.

        Examples
        --------
        >>> import chemin
        >>> path = chemin.svm_path([[-2.0], [-1.0], [1.0], [2.0]], [0, 0, 1, 1], l2=0.5)
        >>> bool(path.gap_between().max() < 1e-14)
        True
        """
        bounds = [np.empty(0)]
        norms = Norms.of(self.problem.dictionary)
        if self.problem.penalty.is_bent:
            raise InvalidInputError(
                "gap_between bounds paths of the L1 penalty: take certificate(midpoints=True) for this one"
            )
        with self.problem.dictionary.resident() as columns:
            problem = replace(self.problem, dictionary=columns)
            for _, _, some in self._neighbours(1, self.breakpoints.intercept):
                found = measure(problem, some, norms)
                bounds.append(bound_between(problem, found[:-1], found[1:], least))
        return np.concatenate(bounds)

    def _neighbours(self, overlap: int, intercept: Floats) -> Iterator[tuple[int, int, Solutions]]:
        """Hand out neighbouring breakpoints, from where to where, and ``overlap`` more."""
        return neighbours(self.problem, self.breakpoints, overlap, intercept, self.l1)

    def places(self, l1: float | Floats) -> tuple[Indices, Floats]:
        """Return the breakpoint before each l1, and the share of the way to the next."""
        return places_on(self.l1, l1)

    def _intercepts(self, before: Indices, share: Floats) -> Floats:
        low, high = self._intercept_ranges(before, share)
        return 0.5 * (low + high)

    def _raw_intercepts(self, before: Indices, share: Floats) -> Floats:
        """Return the intercepts of the engine, one of each interval."""
        after = np.minimum(before + 1, len(self.l1) - 1)
        intercept = self.breakpoints.intercept
        return (1.0 - share) * intercept[before] + share * intercept[after]

    def _intercept_ranges(self, before: Indices, share: Floats) -> tuple[Floats, Floats]:
        """Return the ends of the optimal intervals, which differ if all dual values are of pieces.

        The intercept then moves all scores, and may do so until the first of them leaves its piece.
        """
        low = self._raw_intercepts(before, share)
        high = low.copy()
        free = np.flatnonzero(self.breakpoints.at_bounds(before, self.problem.loss, _AT_BOUND))
        for chunk in self._chunks(len(free)):
            rows = free[chunk]
            places = (before[rows], share[rows])
            dual = self.breakpoints.dual_between(*places, self.problem.loss)
            piece, at_bounds = self._pieces_of(dual)
            upward, downward = self._rooms(piece, self._scores(*places, low[rows]))
            high[rows] += np.where(at_bounds, np.maximum(upward.min(axis=1), 0.0), 0.0)
            low[rows] -= np.where(at_bounds, np.maximum(downward.min(axis=1), 0.0), 0.0)
        return low, high

    def _pieces_of(self, dual: Floats) -> tuple[NDArray[np.int8], NDArray[np.bool_]]:
        """Return the piece with the nearest dual value, and whether all of a row have it."""
        slope = self.problem.loss.slope
        piece = np.zeros(dual.shape, dtype=np.int8)
        at_bounds = np.ones(len(dual), dtype=bool)
        for k in range(slope.shape[1] - 1):
            high = -slope[:, k]
            low = -slope[:, k + 1]
            width = np.where(np.isfinite(high - low), high - low, 0.0)
            piece += dual < np.where(width > 0.0, low + 0.5 * width, -np.inf)
            least = _AT_BOUND * width
            at_bounds &= ~np.any((dual > low + least) & (dual < high - least), axis=1)
        return piece, at_bounds

    def _rooms(self, piece: NDArray[np.int8], score: Floats) -> tuple[Floats, Floats]:
        """Return how far the intercept may move up, and down, until a score leaves its piece."""
        loss = self.problem.loss
        n = len(loss.kink)
        before, after = loss.edges
        ends = np.column_stack([before, np.full(n, np.inf)])
        begins = np.column_stack([np.full(n, -np.inf), after])
        same = loss.lowest == loss.highest
        ends[same] = np.inf
        begins[same] = -np.inf
        points = np.arange(n)
        above = ends[points, piece] - score
        below = score - begins[points, piece]
        positive = self.problem.label > 0.0
        return np.where(positive, above, below), np.where(positive, below, above)

    def _scores(self, before: Indices, share: Floats, intercept: Floats) -> Floats:
        """Return the signed scores of all points, one row per place."""
        n, p = self.problem.dictionary.shape
        coef = self.breakpoints.coef_between(before, share, p)
        used = np.flatnonzero(coef.any(axis=0))
        if n * len(used) > _COPIED:
            return self.problem.scores(sparse.csr_array(coef).T, intercept).T
        scores = coef[:, used] @ self.problem.dictionary.columns(used).T
        return np.asarray(self.problem.label * (scores + intercept[:, None]))

    def _chunks(self, count: int) -> list[NDArray[np.intp]]:
        size = max(1, _CHUNK // max(self.problem.dictionary.shape))
        return [np.arange(first, min(first + size, count)) for first in range(0, count, size)]
