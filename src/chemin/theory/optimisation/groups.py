"""What is the least inertia of k groups? K-means to the proven optimum, for few points.

Points join groups one after the other. With the inertia P of those that have joined, and the least inertia E of the
others on their own in k groups, no way to go on ends below P + E: an inertia of a union is at least the sum of those of
its parts. So branches with P + E no less than the best known are cut. E is known from the same search on the last
1, 2, … points. A point that joins m others of mean μ raises the inertia by m/(m + 1) ‖x − μ‖².

Reference: Brusco (2006), *A repetitive branch-and-bound procedure for minimum within-cluster sums of squares
partitioning*; F. Sur, *Introduction à l'apprentissage automatique*, 3.2.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import stirling2

from chemin.dictionaries.base import Floats, Indices
from chemin.exceptions import InvalidInputError
from chemin.frames import as_frame
from chemin.results import plural
from chemin.theory.theorem import Promise, Theorem

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["LeastInertia", "least_inertia"]

_NODES = 3_000_000  # partial groupings that are looked at
_ROUNDING = 1e-12

LEAST = Theorem(
    "the least inertia",
    "no partition into k groups has a smaller Σ_j Σ_{x ∈ C_j} ‖x − m_j‖²; it falls with every group",
    ("the Euclidean norm", "1 ≤ k ≤ n", "few points: S(n, k) partitions"),
    "Brusco 2006; Sur, 3.2.2",
)


@dataclass(frozen=True, eq=False, repr=False)
class LeastInertia(Promise):
    """The best of all partitions.

    Attributes
    ----------
    points : ndarray of shape (n, d)
        The points.
    labels : ndarray of shape (n,)
        The group of each, counted from 0 in the order of the rows.
    centers : ndarray of shape (k, d)
        The means.
    inertia : float
        The least there is.
    nodes : int
        Partial groupings that were looked at.
    """

    theorem = LEAST
    points: Floats
    labels: Indices
    centers: Floats
    inertia: float
    nodes: int

    @property
    def partitions(self) -> float:
        """How many partitions there are: Stirling's number of the second kind."""
        return float(stirling2(len(self.labels), len(self.centers)))

    def __str__(self) -> str:
        return (
            f"{plural(len(self.centers), 'group')} of {plural(len(self.labels), 'point')}: the least inertia is "
            f"{self.inertia:.6g}, proved among {self.partitions:.4g} partitions by {self.nodes} partial ones"
        )

    def frame(self) -> Any:
        """Return a row per group as a DataFrame: size, inertia, centre."""
        away = np.sum((self.points - self.centers[self.labels]) ** 2, axis=1)
        made = {
            "size": np.bincount(self.labels),
            "inertia": np.bincount(self.labels, weights=away),
            **{f"x{i + 1}": column for i, column in enumerate(self.centers.T)},
        }
        return as_frame(made, instead="labels and centers")

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the groups in the first two variables, and their centres."""
        from chemin.plots.theory.optimisation import draw_groups

        return draw_groups(self.points, self.labels, self.centers, str(self), ax=ax)


def least_inertia(X: Any, groups: int, *, nodes: int = _NODES) -> LeastInertia:
    """Return the partition of few points into k groups that has the least inertia, with its proof.

    Parameters
    ----------
    X : table of numbers
        The points: some tens where groups are clear, fewer where they are not.
    groups : int
        k.
    nodes : int, default 3 000 000
        Partial groupings after which the search is given up.

    Returns
    -------
    LeastInertia

    Examples
    --------
    >>> found = least_inertia([[0.0], [1.0], [5.0], [6.0], [20.0]], 3)
    >>> found.labels.tolist(), found.inertia
    ([0, 0, 1, 1, 2], 1.0)
    """
    X = LEAST.table("X", X)
    k = LEAST.whole("groups", groups, "k")
    LEAST.require(k <= len(X), "k ≤ n", f"groups is {k} for {len(X)} points", "pass fewer groups")
    nodes = LEAST.whole("nodes", nodes, "the nodes")
    order = _far_first(X)
    search = _Search((X - X.mean(axis=0))[order].tolist(), k, nodes)
    labels = np.empty(len(X), dtype=int)
    labels[order] = search.solve()
    labels = _in_order(labels)
    centers = np.array([X[labels == j].mean(axis=0) for j in range(k)])
    inertia = float(np.sum((X - centers[labels]) ** 2))
    return LeastInertia(X, labels, centers, inertia, search.visited)


class _Search:
    """The depth-first search, on plain lists, which are quicker than arrays for few numbers."""

    def __init__(self, rows: list[list[float]], k: int, nodes: int) -> None:
        self.rows = rows
        self.k = k
        self.nodes = nodes
        self.visited = 0
        self.least = np.inf
        self.best: list[int] = []
        self.rest = [0.0] * (len(rows) + 1)  # E: the least inertia of the last rows on their own

    def solve(self) -> list[int]:
        """Return the best groups of all rows."""
        n = len(self.rows)
        labels = list(range(min(self.k, n)))
        for first in range(n - self.k - 1, -1, -1):
            labels = self._extend(first, labels)
        return labels

    def _extend(self, first: int, labels: list[int]) -> list[int]:
        """Return the best groups of the rows from one on, beginning with those of the rows after it."""
        tries = [[j, *labels] for j in range(self.k)]
        best = min(tries, key=lambda some: self._inertia(first, some))
        self.least = self._inertia(first, best) * (1.0 + _ROUNDING)
        self.best = best
        self._go(first, 0.0, [0] * self.k, [[0.0] * len(self.rows[0])] * self.k, [])
        self.rest[first] = self._inertia(first, self.best)
        return self.best

    def _go(
        self,
        place: int,
        inertia: float,
        sizes: list[int],
        means: list[list[float]],
        labels: list[int],
    ) -> None:
        """Let the row at a place join every group, the cheapest first."""
        self.visited += 1
        if self.visited > self.nodes:
            raise InvalidInputError(
                f"the optimum is not proved after {self.nodes} partial groupings: pass fewer points, a number of "
                "groups that is clearer, or a larger nodes="
            )
        if sizes.count(0) > len(self.rows) - place:  # too few rows are left to fill every group
            return
        if place == len(self.rows):
            self.least, self.best = inertia, labels
            return
        x = self.rows[place]
        options = []
        for j in range(self.k):
            m = sizes[j]
            away = sum((a - b) ** 2 for a, b in zip(x, means[j], strict=True)) if m else 0.0
            options.append((m / (m + 1.0) * away, j))
            if not m:  # other empty groups are the same
                break
        for rise, j in sorted(options):
            if inertia + rise + self.rest[place + 1] >= self.least * (1.0 - _ROUNDING):
                break
            m = sizes[j]
            mean = [b + (a - b) / (m + 1.0) for a, b in zip(x, means[j], strict=True)]
            self._go(
                place + 1, inertia + rise, [*sizes[:j], m + 1, *sizes[j + 1 :]],
                [*means[:j], mean, *means[j + 1 :]], [*labels, j],
            )  # fmt: skip

    def _inertia(self, first: int, labels: list[int]) -> float:
        X, codes = np.array(self.rows[first:]), np.array(labels)
        return float(
            sum(np.sum((X[codes == j] - X[codes == j].mean(axis=0)) ** 2) for j in np.unique(codes))
        )


def _far_first(X: Floats) -> Indices:
    """Return an order in which each row is far from those before it: costs show early."""
    order = [int(np.argmax(np.sum((X - X.mean(axis=0)) ** 2, axis=1)))]
    nearest = np.sum((X - X[order[0]]) ** 2, axis=1)
    while len(order) < len(X):
        nearest[order] = -1.0
        order.append(int(np.argmax(nearest)))
        nearest = np.minimum(nearest, np.sum((X - X[order[-1]]) ** 2, axis=1))
    return np.array(order)


def _in_order(labels: Indices) -> Indices:
    """Number groups by their first rows."""
    _, first, codes = np.unique(labels, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[codes]
