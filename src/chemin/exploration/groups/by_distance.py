"""What if there are no means to take? Groups around medoids, for any distance, and around means that a kernel has.

k-medoids: the points of least total distance to those they stand for. Kernel k-means: ‖φ(x) − m_C‖² =
k(x, x) − 2/|C| Σ_{z ∈ C} k(x, z) + 1/|C|² Σ_{z, t ∈ C} k(z, t), so that Lloyd's steps need the kernel only.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.spatial.distance import cdist

from chemin.dictionaries.base import Floats, Indices
from chemin.exceptions import InvalidInputError
from chemin.exploration.cost import BUDGET
from chemin.exploration.groups.grouping import Grouping, check_count, check_restarts, in_order
from chemin.exploration.groups.medoids import medoids
from chemin.exploration.points import Points, as_points
from chemin.kernels import as_kernel
from chemin.results import all_rows

_STEPS = 300
_ROUNDING = 1e-9  # of the largest distance: one as little below zero is zero


@dataclass(frozen=True, eq=False, repr=False)
class MedoidGroups(Grouping):
    """Groups around points of the data.

    Attributes
    ----------
    medoids : ndarray of shape (k,)
        Which rows of the data stand for the groups, in the order of these.
    distance : float
        The total distance of points to their medoids.
    """

    medoids: Indices
    distance: float


@dataclass(frozen=True, eq=False, repr=False)
class KernelGroups(Grouping):
    """Groups around means in the space of a kernel.

    Attributes
    ----------
    kernel_inertia : float
        The sum of the squared distances to these means.
    restarts : ndarray
        That at which each start ended.
    """

    kernel_inertia: float
    restarts: Floats


def kmedoids(
    data: Any,
    groups: int,
    *,
    metric: str | Callable[[Any, Any], float] = "euclidean",
    scale: bool = False,
    budget: float | None = BUDGET,
    random_state: int = 0,
) -> MedoidGroups:
    """Group points around as many of them.

    Parameters
    ----------
    data : array, DataFrame, Table, path; or a list of anything with a distance of one's own
        The points; with ``metric="precomputed"``, the square matrix of distances.
    groups : int
        How many.
    metric : str or callable, default "euclidean"
        A distance of `scipy.spatial.distance.cdist`, or a function of two points.
    scale : bool, default False
        Bring columns to standard deviation 1 first.
    budget : float, optional
        Seconds of estimated work beyond which a random part of the rows is looked at.
    random_state : int, default 0
        Which part.

    Returns
    -------
    MedoidGroups

    Examples
    --------
    >>> words = ["chat", "chats", "chien", "chiens", "rat"]
    >>> def differ(a, b):
    ...     return abs(len(a) - len(b)) + sum(x != y for x, y in zip(a, b))
    >>> found = kmedoids(words, 2, metric=differ)
    >>> found.labels.tolist(), [words[row] for row in found.medoids]
    ([0, 0, 1, 1, 0], ['chat', 'chien'])
    """
    points, distance = _distances(data, metric, scale, budget, random_state)
    if not distance.min() >= -_ROUNDING * distance.max():
        raise InvalidInputError(
            f"some distances by {metric!r} are negative or not numbers: pass another metric, or leave out such points"
        )
    count = check_count(groups, len(distance))
    chosen = medoids(distance, count)
    place = np.argmin(distance[:, chosen], axis=1)
    labels = in_order(place)
    order = np.argsort([labels[member] for member in chosen], kind="stable")
    total = float(distance[:, chosen].min(axis=1).sum())
    return MedoidGroups(points, labels, "k-medoids", points.rows[chosen[order]], total)


def kernel_kmeans(
    data: Any,
    groups: int,
    kernel: Any = "rbf",
    *,
    restarts: int = 10,
    scale: bool = False,
    budget: float | None = BUDGET,
    random_state: int = 0,
) -> KernelGroups:
    """Group points around as many means in the space of a kernel, where groups of any shape may be round.

    Parameters
    ----------
    data : array, DataFrame, Table or path
        The points.
    groups : int
        How many.
    kernel : Kernel, str or callable, default "rbf"
        One of `chemin.kernels`, scikit-learn's of that name, or a function of two tables of points.
    restarts : int, default 10
        How many random starts; the least inertia is kept.
    scale : bool, default False
        Bring columns to standard deviation 1 first.
    budget : float, optional
        Seconds of estimated work beyond which a random part of the rows is looked at.
    random_state : int, default 0
        Of starts and rows.

    Returns
    -------
    KernelGroups

    Examples
    --------
    >>> kernel_kmeans([0.0, 1.0, 10.0, 11.0], 2, "linear").labels.tolist()
    [0, 0, 1, 1]
    """
    points = as_points(
        data, scale=scale, part="kernel k-means", budget=budget, random_state=random_state
    )
    count = check_count(groups, len(points.values))
    restarts = check_restarts(restarts)
    gram = np.asarray(as_kernel(kernel)(points.values, points.values), dtype=float)
    drawing = np.random.default_rng(random_state)
    ends = [_kernel_lloyd(gram, count, drawing) for _ in range(restarts)]
    inertias = np.array([inertia for inertia, _ in ends])
    best = int(np.argmin(inertias))
    labels = in_order(ends[best][1])
    method = f"kernel k-means, {kernel}" if isinstance(kernel, str) else "kernel k-means"
    return KernelGroups(points, labels, method, float(inertias[best]), inertias)


def _kernel_lloyd(gram: Floats, count: int, drawing: np.random.Generator) -> tuple[float, Indices]:
    """Return the inertia and the groups at which Lloyd's steps in the space of the kernel come to rest."""
    diagonal = np.diagonal(gram)
    first = drawing.choice(len(gram), count, replace=False)
    squares = diagonal[:, None] - 2.0 * gram[:, first] + diagonal[first]
    labels = np.argmin(squares, axis=1)
    for _ in range(_STEPS):
        member = np.eye(count)[labels]
        sizes = member.sum(axis=0)
        toward = gram @ member / np.maximum(sizes, 1.0)
        within = np.einsum("nk,nk->k", member, toward) / np.maximum(sizes, 1.0)
        squares = diagonal[:, None] - 2.0 * toward + within
        squares[:, sizes == 0] = np.inf
        moved = np.argmin(squares, axis=1)
        if np.array_equal(moved, labels):
            break
        labels = moved
    return float(np.take_along_axis(squares, labels[:, None], axis=1).sum()), labels


def _distances(
    data: Any, metric: Any, scale: bool, budget: float | None, random_state: int
) -> tuple[Points, Floats]:
    if callable(metric) and isinstance(data, list | tuple) and not _are_numbers(data):
        n = len(data)
        try:
            distance = np.array([[float(metric(a, b)) for b in data] for a in data])
        except (TypeError, ValueError) as error:
            raise InvalidInputError(
                f"metric does not give numbers ({error}): pass a function of two points that does"
            ) from error
        names = tuple(f"distance to {j}" for j in range(n))
        return Points(distance, names, np.arange(n), all_rows(n)), distance
    points = as_points(
        data, scale=scale, part="k-medoids", budget=budget, random_state=random_state
    )
    if metric == "precomputed":
        distance = as_points(data).values
        if distance.shape[0] != distance.shape[1]:
            raise InvalidInputError(
                f"the distances have shape {distance.shape}: pass a square matrix, or a metric"
            )
        n = len(distance)
        return Points(distance, points.names, np.arange(n), all_rows(n)), distance
    try:
        return points, cdist(points.values, points.values, metric)
    except (TypeError, ValueError) as error:
        raise InvalidInputError(
            f"metric is {metric!r} ({error}): pass a distance of scipy.spatial.distance, or a function"
        ) from error


def _are_numbers(data: Any) -> bool:
    try:
        return np.asarray(data).dtype.kind in "biuf"
    except ValueError:
        return False
