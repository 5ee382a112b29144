"""How does the sum of some step functions go along a line? The pieces that it crosses, one after another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from chemin.dictionaries.base import Indices
from chemin.estimators.plane.region import SAME
from chemin.estimators.plane.steps import Steps

_SHORT = 1e-9  # in units of the upper ends: a step that is none
_LEAST = 1e-3  # of an end: what the ratio of one that begins at 0 is taken to


class Step(NamedTuple):
    """Where on a line the sum is one value, and the piece of each function where that begins."""

    value: float
    start: float
    end: float
    pieces: Indices

    @property
    def width(self) -> float:
        """From where to where it is, as a ratio."""
        return self.end / self._begin

    @property
    def middle(self) -> float:
        """The middle, in ratios."""
        return float(np.sqrt(self.end * self._begin))

    @property
    def _begin(self) -> float:
        return self.start if self.start > 0.0 else _LEAST * self.end


def steps_along(folds: Sequence[Steps], axis: int, at: float) -> list[Step]:
    """Return the sum along a line that is parallel to an axis."""
    crossed = [fold.along(axis, at) for fold in folds]
    edges = np.unique(np.concatenate([np.append(low, high) for _, low, high in crossed]))
    long = np.flatnonzero(np.diff(edges) > _SHORT)
    start, end = edges[long], edges[long + 1]
    pieces = []
    for which, low, _ in crossed:
        order = np.argsort(low)
        pieces.append(which[order[np.searchsorted(low[order], 0.5 * (start + end)) - 1]])
    total = sum(fold.values[some] for fold, some in zip(folds, pieces, strict=True))
    first = np.flatnonzero(np.abs(np.diff(total, prepend=np.inf)) > SAME)
    last = np.append(first[1:], len(total)) - 1
    columns = np.array(pieces)[:, first].T
    return list(
        map(Step, total[first].tolist(), start[first].tolist(), end[last].tolist(), columns)
    )


def best_of(steps: Sequence[Step]) -> Step:
    """Return the widest step of least value."""
    least = min(step.value for step in steps) + SAME
    return max((step for step in steps if step.value <= least), key=lambda step: step.width)
