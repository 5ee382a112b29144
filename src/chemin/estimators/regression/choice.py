"""Which l1 predicts a number best? The smallest mean loss of the folds over *all* l1, not over a grid.

Between two breakpoints of its path every held-out prediction of a fold is affine in l1, and its loss is convex, and
linear or quadratic between the l1 at which the prediction crosses a kink, or an end of a rounded one. On a segment
between neighbouring breakpoints of *any* fold, the mean over the folds is convex, too. Its derivative tells between
which crossings it is smallest; there the derivative is linear in l1, and its zero is the minimum.
A segment is searched only if the sum of the points' own smallest losses on it is below the best mean found so far.

Relaxed supports (`chemin.engine.relaxed`) are candidates at some l1 of the same range.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from chemin.dictionaries.base import Dictionary, Floats, Indices
from chemin.engine.pieces import Pieces, weights_at
from chemin.estimators.choice import RelaxedDecisions
from chemin.problems import PiecewiseQuadratic

_SAME = 1e-12  # of a mean loss: closer values are equal
_HALVINGS = 100
_CHUNK = 2_000_000  # predictions held at once


@dataclass(frozen=True, eq=False)
class HeldOutTargets:
    """What one training part predicts for the points it has not seen, and what every point pays."""

    pieces: Pieces
    columns: Dictionary
    loss: PiecewiseQuadratic
    total: float
    relaxed: RelaxedDecisions

    def predictions(self, l1: Floats) -> Floats:
        """Return one row of predictions per l1, none below the last of the path."""
        return self.pieces.decisions(self.columns, l1)

    def paid(self, l1: float) -> Floats:
        """Return what every point pays at one l1, with its weight."""
        return self.loss.value(self.predictions(np.array([l1])))[0]

    def mean_loss(self, l1: Floats) -> Floats:
        """Return Σ w_i ℓ(y_i, f(x_i)) / Σ w_i at every l1."""
        size = max(1, _CHUNK // len(self.loss.kink))
        parts = [
            self.loss.value(self.predictions(l1[first : first + size])).sum(axis=1)
            for first in range(0, len(l1), size)
        ]
        return np.concatenate(parts) / self.total

    def sizes(self, l1: Floats) -> Floats:
        """Return how many columns are active at every l1."""
        weights = weights_at(self.pieces.l1, l1)
        return np.diff((weights @ self.pieces.coef).indptr).astype(float)

    def lower_bounds(self, l1: Floats) -> Floats:
        """Return, for every segment between neighbouring l1, a bound below the mean loss inside it.

        The smallest loss of a point whose prediction moves from t to t' is 0 if its loss vanishes in between, else
        that of one of the ends.
        """
        size = max(2, _CHUNK // len(self.loss.kink))
        lowest = self.loss.height == 0.0
        first_zero = np.where(lowest, self.loss.kink, np.inf).min(axis=1)
        last_zero = np.where(lowest, self.loss.kink, -np.inf).max(axis=1)
        found = []
        for first in range(0, len(l1) - 1, size - 1):
            ends = self.predictions(l1[first : first + size])
            value = self.loss.value(ends)
            low = np.minimum(ends[1:], ends[:-1])
            high = np.maximum(ends[1:], ends[:-1])
            passes = (low <= last_zero) & (high >= first_zero)
            least = np.where(passes, 0.0, np.minimum(value[1:], value[:-1]))
            found.append(least.sum(axis=1) / self.total)
        return np.concatenate(found) if found else np.empty(0)

    def on(self, high: float, low: float) -> Segment:
        """Return the loss as a function of the share of the way from one l1 to another of the same segment."""
        first, last = self.predictions(np.array([high, low]))
        return Segment(self.loss, self.total, first, last - first)


class Segment(NamedTuple):
    """The mean loss of one fold while its predictions move from ``first`` by ``move``."""

    loss: PiecewiseQuadratic
    total: float
    first: Floats
    move: Floats

    def crossings(self) -> Floats:
        """Return the shares of the way at which a prediction comes to a kink, or to an end of a rounded one."""
        edges = np.unique(np.column_stack(self.loss.edges), axis=1)
        ahead = edges - self.first[:, None]
        move = np.repeat(self.move[:, None], edges.shape[1], axis=1)
        met = (move != 0.0) & np.isfinite(ahead)
        share = np.divide(ahead, move, out=np.full(ahead.shape, -1.0), where=met)
        return share[(share > 0.0) & (share < 1.0)]

    def derivative(self, share: float) -> float:
        """Return that of the mean loss, where no prediction is at a kink."""
        slope = -self.loss.dual_of(self.first + share * self.move)
        return float(slope @ self.move / self.total)


@dataclass(frozen=True, eq=False)
class TargetChoice:
    """What was chosen and what it was compared with, as `chemin.estimators.choice.Choice` has it for classes.

    Attributes
    ----------
    l1, relax, error, standard_error, size
        The l1 at which columns are chosen, the share of it with which they are shrunk, and means over the folds.
    interval : pair of float
        The l1 that are as good.
    curve, relaxed : dict of arrays
        The models of the path at the breakpoints of all folds, and relaxed ones: l1, relax, mean_error,
        standard_error, size and fold_errors.
    """

    l1: float
    relax: float
    interval: tuple[float, float]
    error: float
    standard_error: float
    size: float
    curve: dict[str, Floats]
    relaxed: dict[str, Floats]


class _Candidate(NamedTuple):
    """A model that competes, with what every held-out point pays, each as a part of the mean of its fold."""

    l1: float
    relax: float
    size: float
    paid: list[Floats]

    @property
    def folds(self) -> Floats:
        """The mean loss of every fold."""
        return np.array([fold.sum() for fold in self.paid])

    @property
    def error(self) -> float:
        return float(self.folds.mean())


def choose_target_l1(
    parts: Sequence[HeldOutTargets], rule: str, path_competes: bool = True
) -> TargetChoice:
    """Return the model of smallest mean loss; for ``"1se"`` that of the largest l1 within one standard error of it.

    Unless the path itself competes, relaxed models and the empty one do.

    For ``"fewest"`` it is that of the fewest columns whose loss differs from the smallest by no more than the standard
    error of that difference.
    """
    end = max(float(part.pieces.l1[-1]) for part in parts)
    levels = np.unique(np.concatenate([part.pieces.l1 for part in parts]))[::-1]
    levels = levels[levels >= end]
    folds = np.stack([part.mean_loss(levels) for part in parts])
    bounds = np.mean([part.lower_bounds(levels) for part in parts], axis=0)
    curve = _table(levels, np.ones(len(levels)), folds, _mean_sizes(parts, levels))
    along = _Curve(parts, levels, folds.mean(axis=0), bounds)
    candidates = _relaxed_candidates(parts)
    relaxed = _table_of(candidates)
    candidates.append(_on_path(parts, float(levels[0])))  # the empty model
    if path_competes:
        candidates.insert(0, _on_path(parts, along.smallest()))
    best = min(candidates, key=lambda one: one.error)
    limit = best.error + _spread(best.folds)
    if rule == "1se" and best.relax == 1.0:
        best = _on_path(parts, along.largest_within(limit))
    elif rule == "1se":
        best = max((one for one in candidates if one.error <= limit), key=lambda one: one.l1)
    elif rule == "fewest":
        if path_competes:
            candidates += [_on_path(parts, l1) for l1 in _where_sizes_change(curve)]
        best = _shortest(candidates, best)
    chosen = {"error": best.error, "standard_error": _spread(best.folds), "size": best.size}
    interval = (best.l1, best.l1)
    return TargetChoice(best.l1, best.relax, interval, **chosen, curve=curve, relaxed=relaxed)


@dataclass(frozen=True, eq=False)
class _Curve:
    """The mean loss over l1: its values at the breakpoints of all folds, and bounds below it in between."""

    parts: Sequence[HeldOutTargets]
    levels: Floats
    mean: Floats
    bounds: Floats

    def value(self, l1: float) -> float:
        """Return the mean loss at one l1."""
        return float(np.mean([part.mean_loss(np.array([l1]))[0] for part in self.parts]))

    def smallest(self) -> float:
        """Return the largest l1 of the smallest mean loss."""
        place = int(np.argmin(self.mean))
        best = float(self.levels[place])
        least = float(self.mean[place])
        for segment in np.argsort(self.bounds, kind="stable"):
            if self.bounds[segment] >= least - _SAME * abs(least):
                break
            l1 = self.smallest_inside(int(segment))
            value = self.value(l1)
            if value < least - _SAME * abs(least):
                best = l1
                least = value
        return best

    def smallest_inside(self, segment: int) -> float:
        """Return where the convex mean is smallest on a segment: where its derivative passes zero."""
        high = float(self.levels[segment])
        low = float(self.levels[segment + 1])
        moving = [part.on(high, low) for part in self.parts]
        inside = np.concatenate([fold.crossings() for fold in moving])
        ends = np.unique(np.concatenate([[0.0, 1.0], inside]))

        def derivative(share: float) -> float:
            return float(np.mean([fold.derivative(share) for fold in moving]))

        # the first stretch between crossings at whose middle the mean grows already, and the one before it
        first = 0
        last = len(ends) - 1
        while first < last:
            middle = (first + last) // 2
            if derivative(0.5 * (ends[middle] + ends[middle + 1])) > 0.0:
                last = middle
            else:
                first = middle + 1
        share = _zero_between(derivative, ends, first - 1)
        if share is None:
            share = _zero_between(derivative, ends, first)
        if share is None:
            share = float(ends[first])
        return high + share * (low - high)

    def largest_within(self, limit: float) -> float:
        """Return the largest l1 at which the mean loss is at most ``limit``."""
        if self.mean[0] <= limit:
            return float(self.levels[0])
        candidates: Indices = np.flatnonzero((self.bounds <= limit) | (self.mean[1:] <= limit))
        for segment in candidates:
            inside = self.smallest_inside(int(segment))
            if self.value(inside) <= limit:
                return self.crossing(float(self.levels[segment]), inside, limit)
        return float(self.levels[int(np.argmin(self.mean))])

    def crossing(self, above: float, below: float, limit: float) -> float:
        """Return where the mean falls to ``limit`` between an l1 above it and one that is not, by halving."""
        for _ in range(_HALVINGS):
            middle = 0.5 * (above + below)
            if not below < middle < above:
                break
            if self.value(middle) <= limit:
                below = middle
            else:
                above = middle
        return below


def _zero_between(derivative: Callable[[float], float], ends: Floats, stretch: int) -> float | None:
    """Return where a derivative that is linear between two ends is zero there, None if it is not."""
    if not 0 <= stretch < len(ends) - 1:
        return None
    first = float(ends[stretch])
    last = float(ends[stretch + 1])
    near = derivative(0.75 * first + 0.25 * last)
    far = derivative(0.25 * first + 0.75 * last)
    if far <= near:
        return None
    share = 0.25 - 0.5 * near / (far - near)
    return first + share * (last - first) if 0.0 <= share <= 1.0 else None


def _on_path(parts: Sequence[HeldOutTargets], l1: float) -> _Candidate:
    """Return the model of the path at one l1."""
    paid = [part.paid(l1) / part.total for part in parts]
    return _Candidate(l1, 1.0, float(_mean_sizes(parts, np.array([l1]))[0]), paid)


def _relaxed_candidates(parts: Sequence[HeldOutTargets]) -> list[_Candidate]:
    """Return the relaxed models that every fold has."""
    found = []
    places = [
        {pair: k for k, pair in enumerate(zip(part.relaxed.l1, part.relaxed.relax, strict=True))}
        for part in parts
    ]
    for l1, relax in places[0]:
        if not all((l1, relax) in known for known in places):
            continue
        at = [known[l1, relax] for known in places]
        rows = list(zip(parts, at, strict=True))
        size = float(np.mean([part.relaxed.size[k] for part, k in rows]))
        paid = [part.loss.value(part.relaxed.decisions[k]) / part.total for part, k in rows]
        found.append(_Candidate(float(l1), float(relax), size, paid))
    return found


def _shortest(candidates: Sequence[_Candidate], best: _Candidate) -> _Candidate:
    """Return the candidate of fewest columns that is not worse than the best by more than can be told."""
    allowed = [one for one in candidates if one.error - best.error <= _spread_apart(one, best)]
    return min([*allowed, best], key=lambda one: (round(one.size, 9), one.error))


def _spread_apart(one: _Candidate, other: _Candidate) -> float:
    """Return the standard error of the difference of two means over the same points."""
    apart = np.concatenate(one.paid) - np.concatenate(other.paid)
    return float(np.sqrt(np.sum((apart - apart.mean()) ** 2)) / len(one.paid))


def _spread(folds: Floats) -> float:
    """Return the standard error of a mean over folds."""
    return float(np.std(folds, ddof=1) / np.sqrt(len(folds))) if len(folds) > 1 else 0.0


def _mean_sizes(parts: Sequence[HeldOutTargets], l1: Floats) -> Floats:
    """Return how many columns are active at every l1, the mean over the folds."""
    return np.mean([part.sizes(l1) for part in parts], axis=0)


def _where_sizes_change(curve: dict[str, Floats]) -> list[float]:
    """Return the smallest l1 of every number of columns: shorter models are shrunk the more."""
    size = curve["size"]
    last = np.append(size[1:] != size[:-1], True)
    return [float(l1) for l1 in curve["l1"][last]]


def _table(l1: Floats, relax: Floats, folds: Floats, size: Floats) -> dict[str, Floats]:
    count = folds.shape[0]
    spread = np.std(folds, axis=0, ddof=1) / np.sqrt(count) if count > 1 else np.zeros(len(l1))
    return {
        "l1": l1,
        "relax": relax,
        "mean_error": folds.mean(axis=0),
        "standard_error": spread,
        "size": size,
        "fold_errors": folds,
    }


def _table_of(candidates: Sequence[_Candidate]) -> dict[str, Floats]:
    if not candidates:
        nothing = np.empty(0)
        return _table(nothing, nothing, np.empty((1, 0)), nothing)
    folds = np.stack([one.folds for one in candidates], axis=1)
    numbers = np.array([(one.l1, one.relax, one.size) for one in candidates])
    return _table(numbers[:, 0], numbers[:, 1], folds, numbers[:, 2])
