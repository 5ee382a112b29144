"""Which groups of coefficients enter together, and which inside which? Norms of nested groups, as data.

    Ω(b) = Σ_g v_g max_{j∈g} |b_j|

over groups that are nested or apart: families of kernels, the kernels of each, the couples of each. A group without
a coefficient costs nothing, and of the coefficients of a group only the largest costs. It is one of the composite
absolute penalties (CAP). The path is piecewise linear, because Ω and its dual balls are polyhedra:

    l1 Ω(b) = max_u u·b    over sums u = Σ_g u_g,  u_g zero outside g,  Σ_j |u_gj| ≤ l1 v_g.

What is left of c by the nearest such u, the shrinkage, takes the groups one by one, the small ones first: each takes
away its projection on its ball (Jenatton, Mairal, Obozinski and Bach, 2011).

Reference: Zhao, Rocha and Yu (2009), *The composite absolute penalties family for grouped and hierarchical variable
selection*.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from chemin.dictionaries.base import Floats, Indices
from chemin.exceptions import InvalidInputError

_HALVINGS = 60


@dataclass(frozen=True, eq=False)
class Hierarchy:
    """Groups of coefficients, level by level, the largest groups first.

    Attributes
    ----------
    levels : sequence of arrays of p labels
        At every level, the group of every coefficient; those of a level are parts of those of the level before.
    weight : sequence of floats, optional
        What the groups of a level weigh, v_g; 1 without it.

    Examples
    --------
    Two families of two kernels each, centred on three points:

    >>> kernel = np.repeat(["narrow", "wide", "x", "y"], 3)
    >>> family = np.repeat(["round", "axis"], 6)
    >>> groups = Hierarchy([family, kernel, np.arange(12)], [1.0, 0.5, 0.1])
    >>> len(groups.groups), round(groups.value(np.eye(12)[0]), 3)
    (18, 1.6)
    """

    levels: Sequence[Any]
    weight: Sequence[float] | None = None

    def __post_init__(self) -> None:
        sizes = {np.shape(level) for level in self.levels}
        if len(sizes) != 1 or len(next(iter(sizes))) != 1:
            raise InvalidInputError(
                "levels must be lists of labels, one label per column in each: for plain groups pass [labels]"
            )
        weights = np.ones(len(self.levels)) if self.weight is None else np.asarray(self.weight)
        if weights.shape != (len(self.levels),) or not np.all(weights > 0.0):
            raise InvalidInputError(
                f"weight is {self.weight!r}: pass one positive number per level, there are {len(self.levels)}"
            )
        for level, (above, below) in enumerate(zip(self.codes[:-1], self.codes[1:], strict=True)):
            pairs = np.unique(np.column_stack([below, above]), axis=0)
            if len(pairs) > below.max() + 1:
                raise InvalidInputError(
                    f"a group of level {level + 1} lies in several of level {level}: groups must be nested; relabel "
                    "its parts, or leave the level out"
                )

    @cached_property
    def codes(self) -> list[Indices]:
        """The number of the group of every coefficient, level by level."""
        return [
            np.unique(np.asarray(level), return_inverse=True)[1].ravel() for level in self.levels
        ]

    @property
    def size(self) -> int:
        """The number of coefficients."""
        return len(self.codes[0])

    @cached_property
    def groups(self) -> list[tuple[Indices, float]]:
        """The columns and the weight of every group, small groups first."""
        weights = np.ones(len(self.levels)) if self.weight is None else self.weight
        found = []
        for codes, weight in reversed(list(zip(self.codes, weights, strict=True))):
            order = np.argsort(codes, kind="stable")
            parts = np.split(order, np.flatnonzero(np.diff(codes[order])) + 1)
            found += [(np.asarray(part), float(weight)) for part in parts]
        return found

    def value(self, coef: Floats) -> float:
        """Return Ω(b)."""
        size = np.abs(coef)
        return float(sum(weight * size[group].max() for group, weight in self.groups))

    def shrunk(self, correlation: Floats, l1: float) -> Floats:
        """Return what is left of c by the nearest sum of parts in the balls of the groups."""
        left = np.array(correlation, dtype=float)
        for group, weight in self.groups:
            left[group] -= _on_the_ball(left[group], l1 * weight)
        return left

    def dual_norm(self, correlation: Floats) -> float:
        """Return the least l1 at which nothing is left of c: where the first group enters."""
        high = float(np.abs(correlation).sum()) / min(weight for _, weight in self.groups)
        low = 0.0
        for _ in range(_HALVINGS):
            middle = 0.5 * (low + high)
            if np.any(self.shrunk(correlation, middle)):
                low = middle
            else:
                high = middle
        return high


def _on_the_ball(x: Floats, radius: float) -> Floats:
    """Return the nearest point whose absolute values sum to at most the radius.

    Examples
    --------
    >>> _on_the_ball(np.array([3.0, 1.0, 0.5]), 2.0).tolist(), _on_the_ball(np.array([1.0, -0.5]), 2.0).tolist()
    ([2.0, 0.0, 0.0], [1.0, -0.5])
    """
    size = np.abs(x)
    if size.sum() <= radius:
        return x.copy()
    order = np.sort(size)[::-1]
    over = (np.cumsum(order) - radius) / np.arange(1, len(x) + 1)
    cut = over[np.flatnonzero(order >= over)[-1]]
    return np.sign(x) * np.maximum(size - cut, 0.0)
