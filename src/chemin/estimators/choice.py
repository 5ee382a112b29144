"""Which l1 predicts best, and how few columns predict as well? What the folds decided, for *all* l1 > 0.

Along a path each held-out decision is affine in l1 between breakpoints, so a fold's error is piecewise constant and
changes only where some decision crosses zero. Those l1 are computed exactly; the fold curves are then merged into one,
whose smallest values are intervals of l1, not points. Other scores are read at breakpoints and halfway between them,
then again more finely around the best. Relaxed solutions (`chemin.engine.relaxed`) are judged beside them, at a few l1.

What is taken is the candidate of smallest error (``"best"``), that of largest l1 within one standard error of it
(``"1se"``), or that of fewest columns within half a standard error of it (``"fewest"``). For the last this is the
standard error of the *difference* of two candidates' errors, which comes from the points on which one is right and the
other wrong: candidates judged on the same points are compared more sharply than by the spread of the folds.
Where only relaxed solutions compete, the path still offers the empty model.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from chemin.dictionaries import SparseDictionary
from chemin.dictionaries.base import Dictionary, Floats, Indices
from chemin.engine.pieces import Pieces
from chemin.exceptions import InvalidInputError

RULES = ("best", "1se", "fewest")
_CHUNK = 2_000_000  # decisions held at once
_SAME = 1e-12  # errors closer than this are equal
_THIN = 1e-12  # of an l1: an interval that rounding made
_ZERO = 1e-12  # of the margin: a decision that is rounding, and one against
_CLOSE = 0.5  # standard errors of a difference that are no difference
_MOST_LEVELS = 60  # places where a score that is not piecewise constant is read at once

Measure = Callable[[NDArray[np.bool_], Floats, Floats], float]


@dataclass(frozen=True, eq=False)
class StepCurve:
    """A piecewise constant function of l1: ``values[k]`` on ``[edges[k], edges[k − 1])``, edges decreasing."""

    edges: Floats
    values: Floats

    def at(self, l1: Floats) -> Floats:
        """Return the values at some l1."""
        return self.values[
            np.minimum(np.searchsorted(-self.edges, -np.asarray(l1)), len(self.values) - 1)
        ]


def sizes_of(pieces: Pieces) -> StepCurve:
    """Return how many columns are active, for every l1."""
    active = sparse.csr_array(pieces.coef != 0)
    either = active[:-1] + active[1:]
    sizes = np.append(active[[0]].nnz, np.diff(either.indptr))
    return StepCurve(pieces.l1, sizes.astype(float))


@dataclass(frozen=True, eq=False)
class RelaxedDecisions:
    """What relaxed solutions decided about the points held out: one entry, or row, per pair of l1 and φ."""

    l1: Floats
    relax: Floats
    size: Floats
    decisions: Floats

    def joined(self, others: RelaxedDecisions) -> RelaxedDecisions:
        """Return these and others."""
        pairs = [(getattr(self, name), getattr(others, name)) for name in self.__dataclass_fields__]
        return RelaxedDecisions(*(np.concatenate(pair) for pair in pairs))


class Crossings(NamedTuple):
    """Where points come to be right or wrong as l1 falls: at which l1, which point, wrong from there on or not.

    ``first`` are those wrong at the first l1, ``end`` is the last.
    """

    l1: Floats
    point: Indices
    wrong: NDArray[np.bool_]
    first: NDArray[np.bool_]
    end: float

    def curve(
        self, first: NDArray[np.bool_], counted: NDArray[np.bool_], weight: Floats
    ) -> StepCurve:
        """Return the weight of the points counted: the first ones, then as they come to be counted or not."""
        edges, place = np.unique(-self.l1, return_inverse=True)
        change = np.where(counted, 1.0, -1.0) * weight[self.point]
        steps = np.bincount(place, change, len(edges)) if len(edges) else np.empty(0)
        values = np.concatenate(([weight @ first], steps)).cumsum()
        return StepCurve(np.append(-edges, self.end), values)


def no_decisions(points: int) -> RelaxedDecisions:
    """Return the decisions of no relaxed solution about so many points."""
    nothing = np.empty(0)
    return RelaxedDecisions(nothing, nothing, nothing, np.empty((0, points)))


@dataclass(frozen=True, eq=False)
class HeldOut:
    """What one training part decided about the points it had not seen, for every l1; ``learned`` are its columns."""

    pieces: Pieces
    columns: Dictionary
    positive: NDArray[np.bool_]
    weight: Floats
    sizes: StepCurve
    relaxed: RelaxedDecisions
    learned: Any = None

    @classmethod
    def of(
        cls, pieces: Pieces, columns: Dictionary, positive: NDArray[np.bool_], weight: Floats
    ) -> HeldOut:
        """Return what a path decided, with no relaxed solutions beside it."""
        return cls(pieces, columns, positive, weight, sizes_of(pieces), no_decisions(len(positive)))

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

    def decisions(self, l1: float, relax: float) -> Floats:
        """Return what one candidate decides; below the end of the path, what its last solution does."""
        if relax < 1.0:
            same = (self.relaxed.l1 == l1) & (self.relaxed.relax == relax)
            if same.any():
                return self.relaxed.decisions[int(np.argmax(same))]
        return self.pieces.decisions(self.columns, np.maximum([l1], self.pieces.l1[-1]))[0]

    def error(self) -> StepCurve:
        """Return the exact weighted error rate."""
        total = self.weight.sum() or 1.0
        seen = self._crossings
        return seen.curve(seen.first, seen.wrong, self.weight / total)

    def differences(self, wrong: NDArray[np.bool_]) -> StepCurve:
        """Return the variance of the error rate's difference to that of another candidate, wrong on these points.

        Σ w_i² over the points on which one of the two is wrong and the other right, divided by (Σ w_i)².
        """
        total = self.weight.sum() or 1.0
        seen = self._crossings
        return seen.curve(
            seen.first != wrong, seen.wrong != wrong[seen.point], (self.weight / total) ** 2
        )

    @cached_property
    def _crossings(self) -> Crossings:
        """Find every l1 at which the decision about a point changes sign."""
        found: list[tuple[Floats, Indices, NDArray[np.bool_]]] = []
        levels, coef, intercept = self.pieces.l1, self.pieces.coef, self.pieces.intercept
        first = self.columns.scores(coef[[0]].T).ravel() + intercept[0] > _ZERO
        size = max(1, _CHUNK // len(self.positive))
        for start in range(0, len(levels) - 1, size):
            rows = slice(start, min(start + size, len(levels) - 1) + 1)
            decisions = self.columns.scores(coef[rows].T).T + intercept[rows, None]
            l1 = levels[rows]
            sign = decisions > _ZERO
            k, i = np.nonzero(sign[1:] != sign[:-1])
            share = np.clip(decisions[k, i] / (decisions[k, i] - decisions[k + 1, i]), 0.0, 1.0)
            found.append((l1[k] + share * (l1[k + 1] - l1[k]), i, sign[k + 1, i]))
        nothing = (np.empty(0), np.empty(0, dtype=np.intp), np.empty(0, dtype=bool))
        l1, point, after = (np.concatenate(parts) for parts in zip(nothing, *found, strict=True))
        wrong = after != self.positive[point]
        return Crossings(l1, point, wrong, first != self.positive, float(levels[-1]))

    def loss(self, measure: Measure, levels: Floats) -> StepCurve:
        """Return minus a score, as a step function through the decreasing levels where it is read."""
        levels = np.maximum(levels, self.pieces.l1[-1])
        decisions = self.pieces.decisions(self.columns, levels)
        return StepCurve(
            levels, np.array([-measure(self.positive, row, self.weight) for row in decisions])
        )


@dataclass(frozen=True, eq=False)
class Choice:
    """A candidate, the whole interval of l1 that is as good, every such interval, and what they were compared with.

    Attributes
    ----------
    l1, relax : float
        The l1 at which columns are chosen, and the share φ of it with which they are shrunk.
    interval, ties : pair of float, list of such pairs
        The interval of l1 that is as good, and all of them; for a relaxed solution its l1 alone.
    error, standard_error, size : float
        Means over the folds: the error, and the number of columns.
    curve : dict of arrays
        For φ = 1, step functions of l1: l1, mean_error, standard_error, size and fold_errors.
    relaxed : dict of arrays
        For φ < 1, one entry per candidate: l1, relax, mean_error, standard_error, size and fold_errors.
    limit : float
        The error of the best candidate plus one standard error.
    path_competes : bool
        Whether those of φ = 1 are candidates, or the empty one only.
    """

    l1: float
    relax: float
    interval: tuple[float, float]
    ties: list[tuple[float, float]]
    error: float
    standard_error: float
    size: float
    curve: dict[str, Floats]
    relaxed: dict[str, Floats]
    limit: float
    path_competes: bool = True

    @property
    def empty(self) -> bool:
        """Whether every l1 large enough is as good: the best model has no variable."""
        return self.interval[1] == np.inf

    def has_turned(self, l1: float, allowed: float) -> bool:
        """Say whether the error above some l1 is as good as below, within so many standard errors."""
        errors = np.append(_competing(self.curve, self.path_competes), self.relaxed["mean_error"])
        above = np.append(self.curve["l1"], self.relaxed["l1"]) >= l1
        room = allowed * (self.limit - errors.min()) + _SAME
        return bool(np.min(errors[above], initial=np.inf) <= errors.min() + room)


def choose(
    parts: Sequence[HeldOut], rule: str, measure: Measure | None = None, path_competes: bool = True
) -> Choice:
    """Choose l1, and how far to relax there, by what the folds decided.

    Without ``path_competes`` only relaxed solutions are candidates, and the empty model, unless all of them are worse
    than the path by a standard error: then the columns that are needed are too many to be relaxed.
    Among equal intervals the one with the largest l1, hence the sparsest model, is taken, and its geometric middle.
    """
    parts = [part for part in parts if part.weight.sum() > 0]
    if not parts:
        raise InvalidInputError(
            "no fold holds out a point that has weight: pass other splits as cv"
        )
    highest = max(float(part.pieces.l1[0]) for part in parts)
    relaxed = _judged(parts, measure or error_rate)
    pick = partial(
        _chosen,
        parts,
        relaxed=relaxed,
        rule=rule,
        highest=highest,
        path_competes=path_competes,
    )
    if measure is None:
        return pick([part.error() for part in parts], paired=True)
    breakpoints = np.unique(np.concatenate([part.pieces.l1 for part in parts]))[::-1]
    breakpoints = breakpoints[breakpoints >= max(part.pieces.l1[-1] for part in parts)]
    coarse = _levels(breakpoints)
    best = pick([part.loss(measure, coarse) for part in parts])
    near = int(np.searchsorted(-coarse, -best.l1))
    low, high = coarse[min(near + 1, len(coarse) - 1)], coarse[max(near - 1, 0)]
    fine = np.union1d(coarse, _levels(breakpoints[(breakpoints >= low) & (breakpoints <= high)]))[
        ::-1
    ]
    found = pick([part.loss(measure, fine) for part in parts])
    if found.relax < 1.0:
        return found
    read = found.curve["l1"]
    # The sparsest of the equally good models that were read, not one beside them.
    return replace(found, l1=float(read[read < found.interval[1]][0]))


def error_rate(positive: NDArray[np.bool_], decisions: Floats, weight: Floats) -> float:
    """Return minus the weighted share of points on the wrong side, as a score."""
    return -float(weight @ ((decisions > 0) != positive) / (weight.sum() or 1.0))


def _levels(breakpoints: Floats) -> Floats:
    """Return some of the breakpoints, at most so many, and the points halfway between them, decreasing."""
    if len(breakpoints) > _MOST_LEVELS:
        breakpoints = breakpoints[np.linspace(0, len(breakpoints) - 1, _MOST_LEVELS).astype(int)]
    return np.union1d(breakpoints, 0.5 * (breakpoints[1:] + breakpoints[:-1]))[::-1]


def _judged(parts: Sequence[HeldOut], measure: Measure) -> dict[str, Floats]:
    """Return the errors and sizes of the relaxed solutions that every fold has."""
    pairs = [set(zip(part.relaxed.l1, part.relaxed.relax, strict=True)) for part in parts]
    common = sorted(set.intersection(*pairs), reverse=True)
    folds = np.empty((len(parts), len(common)))
    sizes = np.empty((len(parts), len(common)))
    for row, part in enumerate(parts):
        found = part.relaxed
        keys = list(zip(found.l1, found.relax, strict=True))
        places = [keys.index(pair) for pair in common]
        sizes[row] = found.size[places]
        folds[row] = [
            -measure(part.positive, found.decisions[place], part.weight) for place in places
        ]
    table = np.array(common, dtype=float).reshape(-1, 2)
    mean, spread = _over_folds(folds)
    names = ("l1", "relax", "mean_error", "standard_error", "size", "fold_errors")
    values = (table[:, 0], table[:, 1], mean, spread, sizes.mean(axis=0), folds)
    return dict(zip(names, values, strict=True))


def _over_folds(folds: Floats) -> tuple[Floats, Floats]:
    """Return means and standard errors over the folds, one row each."""
    count = len(folds)
    spread = folds.std(axis=0, ddof=1) / np.sqrt(count) if count > 1 else np.zeros(folds.shape[1])
    return folds.mean(axis=0), spread


def _chosen(
    parts: Sequence[HeldOut],
    curves: list[StepCurve],
    relaxed: dict[str, Floats],
    rule: str,
    highest: float,
    path_competes: bool,
    paired: bool = False,
) -> Choice:
    by_size = rule == "fewest" or not path_competes
    edges = np.unique(
        np.concatenate(
            [curve.edges for curve in curves]
            + ([part.sizes.edges for part in parts] if by_size else [])
        )
    )[::-1]
    edges = edges[edges >= max(curve.edges[-1] for curve in curves)]
    edges = edges[edges < (1.0 - _THIN) * np.concatenate(([np.inf], edges[:-1]))]
    upper = np.concatenate(([np.inf], edges[:-1]))
    folds = np.stack([curve.at(edges) for curve in curves])
    size = np.mean([part.sizes.at(edges) for part in parts], axis=0)
    mean, spread = _over_folds(folds)
    curve = {
        "l1": edges,
        "mean_error": mean,
        "standard_error": spread,
        "size": size,
        "fold_errors": folds,
    }
    path_competes = path_competes or _is_needed(curve, relaxed)
    errors = np.append(_competing(curve, path_competes), relaxed["mean_error"])
    best = int(np.argmin(errors))
    allowed = float(np.append(spread, relaxed["standard_error"])[best])
    room: Any = 0.0 if rule == "best" else allowed
    if rule == "fewest" and paired:
        room = _CLOSE * _differences(parts, edges, relaxed, best, errors - errors[best])
    good = errors <= errors[best] + room + _SAME
    ties = _runs(good[: len(mean)], edges, upper)
    sizes = np.append(size, relaxed["size"])
    place = _preferred(rule, good, errors, sizes, np.append(edges, relaxed["l1"]))
    described: dict[str, Any] = {
        "curve": curve,
        "relaxed": relaxed,
        "ties": ties,
        "limit": float(errors[best]) + allowed,
        "path_competes": path_competes,
    }
    if place >= len(mean):
        at = place - len(mean)
        l1 = float(relaxed["l1"][at])
        return Choice(
            l1=l1,
            relax=float(relaxed["relax"][at]),
            interval=(l1, l1),
            error=float(errors[place]),
            standard_error=float(relaxed["standard_error"][at]),
            size=float(relaxed["size"][at]),
            **described,
        )
    low, high = float(edges[place]), float(upper[place])
    if rule == "best":
        low, high = next(run for run in ties if run[0] <= low < run[1])
    l1 = _inside(low, min(high, max(highest, low)))
    at = int(np.searchsorted(-edges, -l1))
    return Choice(
        l1=l1,
        relax=1.0,
        interval=(low, high),
        error=float(mean[at]),
        standard_error=float(spread[at]),
        size=float(size[at]),
        **described,
    )


def _is_needed(curve: dict[str, Floats], relaxed: dict[str, Floats]) -> bool:
    """Say whether the path is better than all relaxed solutions, by a standard error, or there are none."""
    best = int(np.argmin(curve["mean_error"]))
    limit = curve["mean_error"][best] + curve["standard_error"][best]
    return bool(limit < np.min(relaxed["mean_error"], initial=np.inf))


def _competing(curve: dict[str, Floats], path_competes: bool) -> Floats:
    """Return the errors along the path, infinite for what is no candidate."""
    return np.where(path_competes | (curve["size"] == 0.0), curve["mean_error"], np.inf)


def _differences(
    parts: Sequence[HeldOut], edges: Floats, relaxed: dict[str, Floats], best: int, mean: Floats
) -> Floats:
    """Return the standard errors of the mean differences between the error of each candidate and that of the best."""
    # inside the steps: at their edges decisions are 0
    inside = np.append(2.0 * edges[0], 0.5 * (edges[1:] + edges[:-1]))
    l1 = np.append(inside, relaxed["l1"])[best]
    relax = np.append(np.ones(len(edges)), relaxed["relax"])[best]
    variance = np.zeros(len(edges) + len(relaxed["l1"]))
    pairs = list(zip(relaxed["l1"], relaxed["relax"], strict=True))
    each = 0.0
    for part in parts:
        wrong = (part.decisions(l1, relax) > 0) != part.positive
        others = [((part.decisions(*pair) > 0) != part.positive) != wrong for pair in pairs]
        squares = (part.weight / part.weight.sum()) ** 2
        each += squares.sum()
        variance[: len(edges)] += part.differences(wrong).at(edges)
        variance[len(edges) :] += np.array([squares @ some for some in others])
    return np.sqrt(np.maximum(variance - each * mean**2, 0.0)) / len(parts)


def _preferred(rule: str, good: NDArray[np.bool_], errors: Floats, size: Floats, l1: Floats) -> int:
    """Return which of the good candidates a rule takes; those of the path come first."""
    places = np.flatnonzero(good)
    keys = {
        "best": (np.round(size, 9), -l1),
        "1se": (np.round(errors, 12), -l1),
        "fewest": (-l1, np.round(errors, 12), np.round(size, 9)),
    }[rule]
    order = np.lexsort([key[places] for key in keys])
    return int(places[order[0]])


def _runs(good: NDArray[np.bool_], edges: Floats, upper: Floats) -> list[tuple[float, float]]:
    """Return the maximal intervals on which the error is good, from the largest l1 down."""
    starts = np.flatnonzero(good & ~np.append(False, good[:-1]))
    stops = np.flatnonzero(good & ~np.append(good[1:], False))
    return [(float(edges[b]), float(upper[a])) for a, b in zip(starts, stops, strict=True)]


def _inside(low: float, high: float) -> float:
    """Return a point inside an interval, far from both ends."""
    return float(np.sqrt(low * high)) if low > 0.0 else 0.5 * high
