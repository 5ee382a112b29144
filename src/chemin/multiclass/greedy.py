"""Which split of a set of classes is the easiest to learn? A tree grown from the root by trying machines.

At each node a few splits are proposed: all of them for up to four classes, otherwise those that cut the prototypes
across their first principal axis (at the mean and at the median) and those of two hierarchical clusterings. A machine
is trained on one half of a subsample and judged on the other, and conversely; the split with the best accuracy,
averaged over the classes, is kept, and of equal ones the most balanced.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

from chemin.dictionaries.base import Floats, Indices
from chemin.multiclass.hierarchy import Tree, leaves, linked
from chemin.multiclass.machines import confidence, take, train

__all__ = ["grow", "judge"]

_ALL_SPLITS = 4  # classes up to which every split is tried
_PER_CLASS = 60  # points of each class that judge a split

Group = tuple[int, ...]
Judge = Callable[[Group, Group], float]


def grow(classes: Group, prototypes: Floats, accuracy: Judge) -> Tree:
    """Return the tree of the best split of `classes` and, on either side, of the best split of what is left.

    Examples
    --------
    >>> places = np.array([[0.0], [1.0], [10.0], [12.0], [13.0]])
    >>> gap = lambda left, right: float(min(places[list(right), 0]) - max(places[list(left), 0]))
    >>> grow((0, 1, 2, 3, 4), places, gap)
    ((0, 1), (2, (3, 4)))
    """
    if len(classes) == 1:
        return classes[0]
    left, right = max(
        _splits(classes, prototypes),
        key=lambda pair: (accuracy(*pair), min(map(len, pair))) if len(classes) > 2 else 0,
    )
    return grow(left, prototypes, accuracy), grow(right, prototypes, accuracy)


def judge(
    machine: Any, X: Any, index: Indices, params: dict[str, Any], rng: np.random.RandomState
) -> Judge:
    """Return a function that measures how well the machine separates two groups of classes on points held out.

    Every class trains the machine in both halves: one that has a single point is never held out.
    """
    weight: Floats | None = params.get("sample_weight")
    half = _halves(index, weight, rng)

    def accuracy(left: Group, right: Group) -> float:
        side = np.zeros(index.max() + 1, dtype=np.int8)
        side[list(left)], side[list(right)] = -1, 1
        answers = np.zeros(len(index))
        judged = np.zeros(len(index))
        for tested in (0, 1):
            rows = np.flatnonzero((half == tested) & (side[index] != 0))
            if rows.size:
                trained = (half == 1 - tested) | (half == 2)
                fitted = train(
                    machine, X, np.where(trained, side[index], 0).astype(np.int8), params
                )
                answer = np.where(confidence(fitted, take(X, rows)) > 0, 1, -1)
                answers[rows] = answer == side[index[rows]]
                judged[rows] = 1.0 if weight is None else weight[rows]
        total = np.bincount(index, judged)
        right_share = np.bincount(index, judged * answers)[total > 0] / total[total > 0]
        return float(right_share.mean()) if right_share.size else 0.0

    return accuracy


def _halves(index: Indices, weight: Floats | None, rng: np.random.RandomState) -> Indices:
    """Return 0 or 1 for the points of a subsample, 2 for the only point of a class, and −1 for the others."""
    half = np.full(len(index), -1, dtype=np.intp)
    for group in np.unique(index):
        members = np.flatnonzero((index == group) & (True if weight is None else weight > 0))
        chosen = rng.permutation(members)[:_PER_CLASS]
        half[chosen] = np.arange(chosen.size) % 2 if chosen.size > 1 else 2
    return half


def _splits(classes: Group, prototypes: Floats) -> list[tuple[Group, Group]]:
    """Return different splits in two, the group of the first class on the left."""
    k = len(classes)
    if k <= _ALL_SPLITS:
        sides = [
            np.array((False, *side))
            for side in itertools.product((False, True), repeat=k - 1)
            if any(side)
        ]
    else:
        points = prototypes[list(classes)]
        axis = np.linalg.svd(points - points.mean(axis=0), full_matrices=False)[0][:, 0]
        sides = [axis > axis.mean(), axis > np.median(axis)]
        sides += [
            np.isin(np.arange(k), leaves(_right(linked(points, method))))
            for method in ("average", "ward")
        ]
        sides = [side ^ side[0] for side in sides if side.any() and not side.all()]
    pairs = (
        (tuple(c for c, s in zip(classes, side, strict=True) if not s),
         tuple(c for c, s in zip(classes, side, strict=True) if s))
        for side in sides
    )  # fmt: skip
    return list(dict.fromkeys(pairs))


def _right(tree: Tree) -> Tree:
    return tree if isinstance(tree, int) else tree[1]
