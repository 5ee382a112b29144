"""Which l1 predicts best? The cross-validated error over *all* l1 > 0, not over a grid.

Along a path each held-out decision is affine in l1 between breakpoints, so a fold's error is piecewise constant and
changes only where some decision crosses zero. Those l1 are computed exactly; the fold curves are then merged into one,
whose smallest values are intervals of l1, not points. Other scores are read at the breakpoints and halfway between.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from chemin.dictionaries.base import Floats
from chemin.path.result import Path
from chemin.validation import as_dictionary

_CHUNK = 2_000_000  # decisions held at once
_SAME = 1e-12  # errors closer than this are equal
_MOST_LEVELS = 400  # places where a score that is not piecewise constant is read

Measure = Callable[[NDArray[np.bool_], Floats, Floats], float]


@dataclass(frozen=True, eq=False)
class ErrorCurve:
    """A piecewise constant function of l1: ``values[k]`` on ``[edges[k], edges[k − 1])``, edges decreasing."""

    edges: Floats
    values: Floats

    def at(self, l1: Floats) -> Floats:
        """Return the values at some l1."""
        return self.values[np.minimum(np.searchsorted(-self.edges, -np.asarray(l1)), len(self.values) - 1)]


@dataclass(frozen=True, eq=False)
class Choice:
    """A value of l1, the whole interval that is as good, every such interval, and the curve they were read off."""

    l1: float
    interval: tuple[float, float]
    ties: list[tuple[float, float]]
    error: float
    standard_error: float
    curve: dict[str, Floats]


def held_out_error(path: Path, X: Any, positive: NDArray[np.bool_], weight: Floats) -> ErrorCurve:
    """Return the exact weighted error of a path on held-out points, for every l1."""
    crossing, change = [], []
    total = weight.sum() or 1.0
    columns = as_dictionary(X)
    levels, coef, intercept = path.pieces()
    first = columns.scores(coef[[0]].T).ravel() + intercept[0] > 0
    size = max(1, _CHUNK // len(positive))
    for start in range(0, len(levels) - 1, size):
        rows = slice(start, min(start + size, len(levels) - 1) + 1)
        decisions, l1 = columns.scores(coef[rows].T).T + intercept[rows, None], levels[rows]
        sign = decisions > 0
        k, i = np.nonzero(sign[1:] != sign[:-1])
        share = decisions[k, i] / (decisions[k, i] - decisions[k + 1, i])
        crossing.append(l1[k] + share * (l1[k + 1] - l1[k]))
        change.append(np.where(sign[k + 1, i] == positive[i], -1.0, 1.0) * weight[i])
    where, what = (np.concatenate(parts) if parts else np.empty(0) for parts in (crossing, change))
    order = np.argsort(-where, kind="stable")
    edges, place = np.unique(-where[order], return_inverse=True)
    steps = np.bincount(place, what[order], len(edges)) if len(edges) else np.empty(0)
    values = np.concatenate(([weight @ (first != positive)], steps)).cumsum() / total
    return ErrorCurve(np.append(-edges, path.l1[-1]), values)


def curve_of(path: Path, X: Any, positive: NDArray[np.bool_], weight: Floats, measure: Measure | None) -> ErrorCurve:
    """Return the held-out error of a path, or minus a score of its decisions where one is given."""
    if measure is None:
        return held_out_error(path, X, positive, weight)
    levels = np.unique(path.l1)[::-1]
    if len(levels) > _MOST_LEVELS:
        levels = levels[np.linspace(0, len(levels) - 1, _MOST_LEVELS).astype(int)]
    levels = np.sort(np.concatenate([levels, 0.5 * (levels[1:] + levels[:-1])]))[::-1]
    columns = as_dictionary(X)
    decisions = columns.scores(sparse.csr_array(path.coef_at(levels)).T).T + path.intercept_at(levels)[:, None]
    values = np.array([-measure(positive, row, weight) for row in decisions])
    # The curve is a step function through the points where the score was read.
    return ErrorCurve(levels, values)


def choose(curves: list[ErrorCurve], rule: str, highest: float) -> Choice:
    """Merge the curves of the folds and choose l1: the best, or the largest within one standard error of it.

    Among equal intervals the one with the largest l1, hence the sparsest model, is taken, and its geometric middle.
    """
    edges = np.unique(np.concatenate([curve.edges for curve in curves]))[::-1]
    lowest = max(curve.edges[-1] for curve in curves)
    edges = edges[edges >= lowest]
    upper = np.concatenate(([np.inf], edges[:-1]))
    folds = np.stack([curve.at(edges) for curve in curves])
    mean = folds.mean(axis=0)
    spread = folds.std(axis=0, ddof=1) / np.sqrt(len(curves)) if len(curves) > 1 else np.zeros(len(mean))
    best = int(np.argmin(mean))
    limit = mean[best] + (spread[best] if rule == "1se" else 0.0) + _SAME
    ties = _runs(mean <= limit, edges, upper)
    low, high = ties[0] if rule == "best" else _first(mean <= limit, edges, upper)
    l1 = _inside(low, min(high, max(highest, low)))
    at = int(np.searchsorted(-edges, -l1))
    curve = {"l1": edges, "mean_error": mean, "standard_error": spread, "fold_errors": folds}
    return Choice(l1, (low, high), ties, float(mean[at]), float(spread[at]), curve)


def _runs(good: NDArray[np.bool_], edges: Floats, upper: Floats) -> list[tuple[float, float]]:
    """Return the maximal intervals on which the error is good, from the largest l1 down."""
    starts = np.flatnonzero(good & ~np.append(False, good[:-1]))
    stops = np.flatnonzero(good & ~np.append(good[1:], False))
    return [(float(edges[b]), float(upper[a])) for a, b in zip(starts, stops, strict=True)]


def _first(good: NDArray[np.bool_], edges: Floats, upper: Floats) -> tuple[float, float]:
    """Return the highest piece of the curve that is good."""
    k = int(np.argmax(good))
    return float(edges[k]), float(upper[k])


def _inside(low: float, high: float) -> float:
    """Return a point inside an interval, far from both ends."""
    return float(np.sqrt(low * high)) if low > 0.0 else 0.5 * high
