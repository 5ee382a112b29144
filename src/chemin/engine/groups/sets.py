"""Who moves together? Points at kinks, and units of columns that are as large as their groups.

The columns of a group that are its largest ones, τ_g, move as one, together with the groups inside whose largest ones
they are, too. Such a unit is a set of tied columns and of groups. A column that is smaller than all its groups is a
unit without a group, and costs nothing. A group is either in a unit or zero, with all its columns.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from chemin.dictionaries.base import Floats, Indices
from chemin.engine.groups.interior import InteriorPoint
from chemin.engine.recovery.rows import Rows
from chemin.problems.hierarchies import Hierarchy

ZERO = -1
NOTHING = 1e-7  # of the size of coefficients, below which an interior point means zero
BEYOND, AT_KINK, SHORT = -1, 0, 1


class Tree:
    """The groups of a hierarchy, each with the next one around it.

    Groups are numbered as in `Hierarchy.groups`: those of the last level, the smallest, first.
    """

    def __init__(self, groups: Hierarchy) -> None:
        codes = groups.codes[::-1]
        counts = [int(code.max()) + 1 for code in codes]
        first = np.concatenate([[0], np.cumsum(counts)])
        self.weight: Floats = np.array([weight for _, weight in groups.groups])
        self.levels = [np.arange(start, end) for start, end in pairwise(first)]
        self.smallest: Indices = codes[0]  # the smallest group of every column
        self.around: Indices = np.full(first[-1], ZERO)
        for level, (inner, outer) in enumerate(pairwise(codes)):
            self.around[first[level] + inner] = first[level + 1] + outer

        self.count = int(first[-1])


class Sets(NamedTuple):
    """Where rows, columns and groups are."""

    row: NDArray[np.int8]  # BEYOND its kink, AT_KINK, or SHORT of it
    sign: Floats  # of every column
    column: Indices  # the unit of every column, or ZERO
    group: Indices  # the unit of every group, or ZERO

    @property
    def units(self) -> int:
        """The number of units."""
        return int(max(self.column.max(initial=ZERO), self.group.max(initial=ZERO))) + 1

    def numbered(self) -> Sets:
        """Return the same sets, units numbered without a gap."""
        both = np.concatenate([[ZERO], self.column, self.group])
        numbers = np.unique(both, return_inverse=True)[1].ravel() - 1
        cut = 1 + len(self.column)
        return self._replace(column=numbers[1:cut], group=numbers[cut:])


def near(point: InteriorPoint, rows: Rows, groups: Hierarchy, tree: Tree) -> Sets:
    """Return the sets that an interior point comes close to."""
    row = np.full(len(rows.bound), AT_KINK, dtype=np.int8)
    row[point.multiplier / rows.bound < point.beyond] = BEYOND
    row[1.0 - point.multiplier / rows.bound < point.short] = SHORT
    size = max(float(point.largest.max()), rows.unit)
    zero = point.largest <= NOTHING * size
    column = np.concatenate([group for group, _ in groups.groups])
    group = np.repeat(np.arange(tree.count), [len(group) for group, _ in groups.groups])
    paid = np.abs(point.held) / np.abs(point.held).max()
    tied = (paid > point.room / size) & ~zero[group]
    tied = _and_inside(tied, column, group, tree)
    links = sparse.coo_array(
        (np.ones(tied.sum()), (group[tied], tree.count + column[tied])),
        shape=(tree.count + groups.size, tree.count + groups.size),
    )
    unit = connected_components(links, directed=False)[1].astype(np.intp)
    unit[: tree.count][zero] = ZERO
    unit[tree.count :][zero[tree.smallest]] = ZERO
    return Sets(
        row, np.where(point.coef < 0.0, -1.0, 1.0), unit[tree.count :], unit[: tree.count]
    ).numbered()


def _and_inside(
    tied: NDArray[np.bool_], column: Indices, group: Indices, tree: Tree
) -> NDArray[np.bool_]:
    """Return the ties, with those to the groups inside: what is as large as a group is so in all of these."""
    found = tied.copy()
    held = set(zip(column[tied].tolist(), group[tied].tolist(), strict=True))
    for j, g in list(held):
        inner = int(tree.smallest[j])
        while inner != g:
            held.add((j, inner))
            inner = int(tree.around[inner])
    for k, pair in enumerate(zip(column.tolist(), group.tolist(), strict=True)):
        found[k] = pair in held
    return found
