"""On which points are the kernels centred? On all of them, or on a few chosen ones."""

from __future__ import annotations

import numbers
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.cluster import MiniBatchKMeans
from sklearn.metrics import pairwise_distances_argmin
from sklearn.utils import check_random_state

from chemin.dictionaries.base import Floats, Indices
from chemin.exceptions import InvalidInputError
from chemin.exploration.groups.medoids import medoids
from chemin.kernels import Kernel

__all__ = ["Centers", "as_centers", "distinct"]

_WAYS = ("random", "class", "medoids", "clusters")
_BATCH = 2048  # points of one step of k-means
_ENOUGH = 300  # centres, where neither they nor the kernels are given


@dataclass(frozen=True)
class Centers:
    """A choice of centres among the training points.

    Parameters
    ----------
    count : int
        How many.
    by : {"random", "class", "medoids", "clusters"}, default "random"
        Drawn at random; as many from each class, at random; the medoids of all points in the distance of the
        kernels, ‖φ(x) − φ(z)‖² = k(x, x) + k(z, z) − 2 k(x, z) for the mean of the kernels at one scale; or as many
        from each class, the points nearest to the centres of k-means, which is quick for many points.
    """

    count: int
    by: str = "random"

    def __post_init__(self) -> None:
        if not isinstance(self.count, numbers.Integral) or self.count < 1:
            raise InvalidInputError(
                f"count is {self.count!r}: pass how many centres, a whole number ≥ 1"
            )
        if self.by not in _WAYS:
            raise InvalidInputError(
                f"by is {self.by!r}: pass 'random', 'class', 'medoids' or 'clusters'"
            )

    def choose(
        self, X: Any, positive: NDArray[np.bool_], kernels: Sequence[Kernel], random_state: Any
    ) -> Indices:
        """Return the rows of the centres, in increasing order."""
        rows, rng = distinct(X), check_random_state(random_state)
        if self.count >= len(rows):
            return rows
        if self.by == "medoids":
            return rows[medoids(_distances(X[rows], kernels), self.count)]
        groups = [rows] if self.by == "random" else [rows[positive[rows]], rows[~positive[rows]]]
        shares = [(self.count + k) // len(groups) for k in range(len(groups))]
        drawn = [
            _of_clusters(X, g, min(c, len(g)), rng)
            if self.by == "clusters"
            else rng.choice(g, min(c, len(g)), replace=False)
            for g, c in zip(groups, shares, strict=True)
        ]
        return np.sort(np.concatenate(drawn))


def as_centers(centers: Any, few: bool = False) -> Centers | None:
    """Return the choice of centres that a user means; None is all distinct points.

    With ``"auto"`` these are all, or where ``few`` will do, some hundreds.
    """
    if isinstance(centers, str) and centers in ("all", "auto"):
        return Centers(_ENOUGH, by="clusters") if few and centers == "auto" else None
    if isinstance(centers, Centers):
        return centers
    if isinstance(centers, numbers.Integral) and not isinstance(centers, bool):
        return Centers(int(centers))
    raise InvalidInputError(
        f"centers is {centers!r}: pass 'auto', 'all', a whole number, or a Centers object"
    )


def distinct(X: Any) -> Indices:
    """Return the first row of each kind: a repeated point would only repeat its columns.

    Examples
    --------
    >>> distinct(np.array([[1.0, 2.0], [0.0, 0.0], [1.0, 2.0]])).tolist()
    [0, 1]
    """
    first: dict[Hashable, int] = {}
    for row, key in enumerate(_keys(X)):
        first.setdefault(key, row)
    return np.fromiter(first.values(), dtype=np.intp)


def _of_clusters(X: Any, rows: Indices, count: int, rng: np.random.RandomState) -> Indices:
    """Return the rows nearest to the centres of k-means, one of each, among some rows."""
    if count == len(rows):
        return rows
    points = X[rows]
    clusters = MiniBatchKMeans(
        count, n_init=1, batch_size=_BATCH, max_no_improvement=3, random_state=rng
    ).fit(points)
    nearest = pairwise_distances_argmin(clusters.cluster_centers_, points)
    return rows[np.unique(nearest)]


def _keys(X: Any) -> Iterator[Hashable]:
    if sparse.issparse(X):
        for start, stop in zip(X.indptr[:-1], X.indptr[1:], strict=True):
            order = np.argsort(X.indices[start:stop])
            yield (
                X.indices[start:stop][order].tobytes(),
                (X.data[start:stop][order] + 0.0).tobytes(),
            )
    elif X.dtype == object:  # texts compare by value, graphs and the like by identity
        yield from (
            tuple(v if isinstance(v, str | numbers.Number) else id(v) for v in row) for row in X
        )
    else:
        yield from (row.tobytes() for row in X + 0.0)  # −0.0 is 0.0


def _distances(X: Any, kernels: Sequence[Kernel]) -> Floats:
    total = np.zeros((X.shape[0], X.shape[0]))
    for kernel in kernels:
        diagonal = kernel.diagonal(X)
        size = np.abs(diagonal).mean() or 1.0
        total += (diagonal[:, None] + diagonal - 2.0 * kernel(X, X)) / size
    return np.sqrt(np.maximum(total, 0.0))
