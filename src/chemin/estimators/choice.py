"""Which l1 predicts best? The cross-validated error over *all* l1 > 0, not over a grid.

Along a path each held-out decision is affine in l1 between breakpoints, so a fold's error is piecewise constant and
changes only where some decision crosses zero. Those l1 are computed exactly; the fold curves are then merged into one,
whose smallest values are intervals of l1, not points. Other scores are read at breakpoints and halfway between them,
then again more finely around the best.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from chemin.dictionaries import SparseDictionary
from chemin.dictionaries.base import Dictionary, Floats
from chemin.engine.pieces import Pieces
from chemin.exceptions import InvalidInputError

_CHUNK = 2_000_000  # decisions held at once
_SAME = 1e-12  # errors closer than this are equal
_MOST_LEVELS = 60  # places where a score that is not piecewise constant is read at once

Measure = Callable[[NDArray[np.bool_], Floats, Floats], float]


@dataclass(frozen=True, eq=False)
class ErrorCurve:
    """A piecewise constant function of l1: ``values[k]`` on ``[edges[k], edges[k − 1])``, edges decreasing."""

    edges: Floats
    values: Floats

    def at(self, l1: Floats) -> Floats:
        """Return the values at some l1."""
        return self.values[
            np.minimum(np.searchsorted(-self.edges, -np.asarray(l1)), len(self.values) - 1)
        ]


@dataclass(frozen=True, eq=False)
class HeldOut:
    """What one training part decided about the points it had not seen, for every l1."""

    pieces: Pieces
    columns: Dictionary
    positive: NDArray[np.bool_]
    weight: Floats

    def condensed(self) -> HeldOut:
        """Return the same, with decisions in place of coefficients where these take more memory."""
        levels, points = len(self.pieces.l1), len(self.positive)
        if not points or self.pieces.coef.nnz <= levels * points:
            return self
        size = max(1, _CHUNK // points)
        chunks = (self.pieces.coef[start : start + size] for start in range(0, levels, size))
        decisions = sparse.csr_array(
            np.vstack([self.columns.scores(chunk.T).T for chunk in chunks])
        )
        return replace(
            self,
            pieces=replace(self.pieces, coef=decisions),
            columns=SparseDictionary(sparse.eye_array(points)),
        )

    def error(self) -> ErrorCurve:
        """Return the exact weighted error rate."""
        crossing, change = [np.empty(0)], [np.empty(0)]
        levels, coef, intercept = self.pieces.l1, self.pieces.coef, self.pieces.intercept
        first = self.columns.scores(coef[[0]].T).ravel() + intercept[0] > 0
        size = max(1, _CHUNK // len(self.positive))
        for start in range(0, len(levels) - 1, size):
            rows = slice(start, min(start + size, len(levels) - 1) + 1)
            decisions, l1 = (
                self.columns.scores(coef[rows].T).T + intercept[rows, None],
                levels[rows],
            )
            sign = decisions > 0
            k, i = np.nonzero(sign[1:] != sign[:-1])
            share = decisions[k, i] / (decisions[k, i] - decisions[k + 1, i])
            crossing.append(l1[k] + share * (l1[k + 1] - l1[k]))
            change.append(np.where(sign[k + 1, i] == self.positive[i], -1.0, 1.0) * self.weight[i])
        edges, place = np.unique(-np.concatenate(crossing), return_inverse=True)
        steps = (
            np.bincount(place, np.concatenate(change), len(edges)) if len(edges) else np.empty(0)
        )
        errors = np.concatenate(([self.weight @ (first != self.positive)], steps)).cumsum()
        return ErrorCurve(np.append(-edges, levels[-1]), errors / (self.weight.sum() or 1.0))

    def loss(self, measure: Measure, levels: Floats) -> ErrorCurve:
        """Return minus a score, as a step function through the decreasing levels where it is read."""
        levels = np.maximum(levels, self.pieces.l1[-1])
        decisions = self.pieces.decisions(self.columns, levels)
        return ErrorCurve(
            levels, np.array([-measure(self.positive, row, self.weight) for row in decisions])
        )


@dataclass(frozen=True, eq=False)
class Choice:
    """A value of l1, the whole interval that is as good, every such interval, and the curve they were read off."""

    l1: float
    interval: tuple[float, float]
    ties: list[tuple[float, float]]
    error: float
    standard_error: float
    curve: dict[str, Floats]

    @property
    def empty(self) -> bool:
        """Whether every l1 large enough is as good: the best model has no variable."""
        return self.interval[1] == np.inf


def choose(parts: Sequence[HeldOut], rule: str, measure: Measure | None = None) -> Choice:
    """Choose l1 by what the folds decided: the best, or the largest within one standard error of it.

    Among equal intervals the one with the largest l1, hence the sparsest model, is taken, and its geometric middle.
    """
    parts = [part for part in parts if part.weight.sum() > 0]
    if not parts:
        raise InvalidInputError(
            "no fold holds out a point that has weight: pass other splits as cv"
        )
    highest = max(float(part.pieces.l1[0]) for part in parts)
    if measure is None:
        return _chosen([part.error() for part in parts], rule, highest)
    breakpoints = np.unique(np.concatenate([part.pieces.l1 for part in parts]))[::-1]
    breakpoints = breakpoints[breakpoints >= max(part.pieces.l1[-1] for part in parts)]
    coarse = _levels(breakpoints)
    best = _chosen([part.loss(measure, coarse) for part in parts], rule, highest)
    near = int(np.searchsorted(-coarse, -best.l1))
    low, high = coarse[min(near + 1, len(coarse) - 1)], coarse[max(near - 1, 0)]
    fine = np.union1d(coarse, _levels(breakpoints[(breakpoints >= low) & (breakpoints <= high)]))[
        ::-1
    ]
    found = _chosen([part.loss(measure, fine) for part in parts], rule, highest)
    read = found.curve["l1"]
    # The sparsest of the equally good models that were read, not one beside them.
    return replace(found, l1=float(read[read < found.interval[1]][0]))


def _levels(breakpoints: Floats) -> Floats:
    """Return some of the breakpoints, at most so many, and the points halfway between them, decreasing."""
    if len(breakpoints) > _MOST_LEVELS:
        breakpoints = breakpoints[np.linspace(0, len(breakpoints) - 1, _MOST_LEVELS).astype(int)]
    return np.union1d(breakpoints, 0.5 * (breakpoints[1:] + breakpoints[:-1]))[::-1]


def _chosen(curves: list[ErrorCurve], rule: str, highest: float) -> Choice:
    edges = np.unique(np.concatenate([curve.edges for curve in curves]))[::-1]
    edges = edges[edges >= max(curve.edges[-1] for curve in curves)]
    upper = np.concatenate(([np.inf], edges[:-1]))
    folds = np.stack([curve.at(edges) for curve in curves])
    mean = folds.mean(axis=0)
    spread = (
        folds.std(axis=0, ddof=1) / np.sqrt(len(curves)) if len(curves) > 1 else np.zeros(len(mean))
    )
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
