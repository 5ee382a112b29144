"""Which l1 predicts a number best? The smallest mean loss of the folds over *all* l1, not over a grid.

Between two breakpoints of its path every held-out prediction of a fold is affine in l1, and a piecewise-linear loss of
it is convex and piecewise linear. On a segment between neighbouring breakpoints of *any* fold, the mean over the folds
is convex, too: its smallest value there is at an end, or at an l1 where some prediction crosses a kink of its loss.
A segment is searched only if the sum of the points' own smallest losses on it is below the best mean found so far.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from chemin.dictionaries.base import Dictionary, Floats, Indices
from chemin.engine.pieces import Pieces
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

    def predictions(self, l1: Floats) -> Floats:
        """Return one row of predictions per l1, none below the last of the path."""
        return self.pieces.decisions(self.columns, l1)

    def mean_loss(self, l1: Floats) -> Floats:
        """Return Σ w_i ℓ(y_i, f(x_i)) / Σ w_i at every l1."""
        size = max(1, _CHUNK // len(self.loss.kink))
        parts = [
            self.loss.value(self.predictions(l1[first : first + size])).sum(axis=1)
            for first in range(0, len(l1), size)
        ]
        return np.concatenate(parts) / self.total

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

    def crossings(self, high: float, low: float) -> Floats:
        """Return the l1 of one segment at which a prediction crosses a kink of its loss."""
        first, last = self.predictions(np.array([high, low]))
        ahead = self.loss.kink - first[:, None]
        moved = (last - first)[:, None]
        share = np.divide(ahead, moved, out=np.full(ahead.shape, -1.0), where=moved != 0.0)
        share = share[(share > 0.0) & (share < 1.0)]
        return high + share * (low - high)


@dataclass(frozen=True, eq=False)
class TargetChoice:
    """The chosen l1, its mean loss with a standard error, and the curve at the breakpoints of all folds."""

    l1: float
    error: float
    standard_error: float
    curve: dict[str, Floats]


def choose_target_l1(parts: Sequence[HeldOutTargets], rule: str) -> TargetChoice:
    """Return the l1 of smallest mean loss, or for ``"1se"`` the largest within one standard error of it."""
    end = max(float(part.pieces.l1[-1]) for part in parts)
    levels = np.unique(np.concatenate([part.pieces.l1 for part in parts]))[::-1]
    levels = levels[levels >= end]
    folds = np.stack([part.mean_loss(levels) for part in parts])
    bounds = np.mean([part.lower_bounds(levels) for part in parts], axis=0)
    best, least = _smallest(parts, levels, folds.mean(axis=0), bounds)
    spread = _standard_error(parts, best)
    chosen = best
    if rule == "1se":
        chosen = _largest_within(parts, levels, folds.mean(axis=0), bounds, least + spread)
    curve = {"l1": levels, "mean_error": folds.mean(axis=0), "fold_errors": folds}
    return TargetChoice(chosen, _mean(parts, chosen), _standard_error(parts, chosen), curve)


def _mean(parts: Sequence[HeldOutTargets], l1: float) -> float:
    return float(np.mean([part.mean_loss(np.array([l1]))[0] for part in parts]))


def _standard_error(parts: Sequence[HeldOutTargets], l1: float) -> float:
    values = [part.mean_loss(np.array([l1]))[0] for part in parts]
    return float(np.std(values, ddof=1) / np.sqrt(len(values))) if len(values) > 1 else 0.0


def _smallest(
    parts: Sequence[HeldOutTargets], levels: Floats, mean: Floats, bounds: Floats
) -> tuple[float, float]:
    """Return the largest l1 of the smallest mean loss, and that loss."""
    place = int(np.argmin(mean))
    best, least = float(levels[place]), float(mean[place])
    for segment in np.argsort(bounds, kind="stable"):
        if bounds[segment] >= least - _SAME * abs(least):
            break
        l1, value = _smallest_inside(parts, float(levels[segment]), float(levels[segment + 1]))
        if value < least - _SAME * abs(least):
            best, least = l1, value
    return best, least


def _smallest_inside(
    parts: Sequence[HeldOutTargets], high: float, low: float
) -> tuple[float, float]:
    """Return where a convex piecewise-linear mean is smallest on a segment, and its value there."""
    inside = np.concatenate([part.crossings(high, low) for part in parts])
    places = np.unique(np.concatenate([[low, high], inside]))[::-1]
    first, last = 0, len(places) - 1
    while last - first > 2:
        middle = (first + last) // 2
        if _mean(parts, float(places[middle])) > _mean(parts, float(places[middle + 1])):
            first = middle + 1
        else:
            last = middle
    values = [_mean(parts, float(place)) for place in places[first : last + 1]]
    least = int(np.argmin(values))
    return float(places[first + least]), values[least]


def _largest_within(
    parts: Sequence[HeldOutTargets], levels: Floats, mean: Floats, bounds: Floats, limit: float
) -> float:
    """Return the largest l1 at which the mean loss is at most ``limit``."""
    if mean[0] <= limit:
        return float(levels[0])
    candidates: Indices = np.flatnonzero((bounds <= limit) | (mean[1:] <= limit))
    for segment in candidates:
        high, low = float(levels[segment]), float(levels[segment + 1])
        inside, value = _smallest_inside(parts, high, low)
        if value <= limit:
            return _crossing(parts, high, inside, limit)
    return float(levels[int(np.argmin(mean))])


def _crossing(parts: Sequence[HeldOutTargets], above: float, below: float, limit: float) -> float:
    """Return where the mean falls to ``limit`` between an l1 above it and one that is not, by halving."""
    for _ in range(_HALVINGS):
        middle = 0.5 * (above + below)
        if not below < middle < above:
            break
        if _mean(parts, middle) <= limit:
            below = middle
        else:
            above = middle
    return below
