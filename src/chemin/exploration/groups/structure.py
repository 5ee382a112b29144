"""How many groups are there, if any? An answer that may be none.

Any method cuts any cloud into as many groups as asked for. So three questions are put to each number of groups:

- Are they apart? Between the means of two groups the density of both should fall and rise again. Its valley is
  1 − min/(the lower of the two peaks), of the points projected on the line through the means; the shallowest one over
  all pairs counts. A group that is cut in two has none, however long or skewed it is.
- Would chance do it? Normal points, as many as the two groups with the shallowest valley have and of the covariance of
  these together, are cut in two by the same method, again and again.
- Are they found again? Half of the points are grouped, all others join their nearest neighbour, and again with
  another half: the adjusted Rand index of the two should be high. Fewer than five points are strays, and no group.

Of the numbers of groups that pass all three, the answer is the most stable one, the largest if several are. It is as
good as the method that makes the groups: k-means knows round ones only.

References: Tibshirani, Walther and Hastie (2001) and Liu et al. (2008) for chance; Ben-Hur, Elisseeff and Guyon (2002)
for halves.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from threadpoolctl import threadpool_limits

from chemin.dictionaries.base import Floats, Indices
from chemin.exceptions import InvalidInputError
from chemin.exploration.cost import BUDGET
from chemin.exploration.groups.grouping import Grouping, check_count, group_means, in_order
from chemin.exploration.groups.hierarchy import LINKAGES
from chemin.exploration.points import Points, as_points
from chemin.frames import as_frame
from chemin.progress import Bar
from chemin.results import Result

if TYPE_CHECKING:
    from matplotlib.axes import Axes

METHODS = ("k-means", *LINKAGES)
STABLE = 0.75  # agreement of halves from which on groups are found again
_AS_STABLE = 0.05  # a difference of agreement that says nothing
_DEEP = 0.4  # of two normal laws whose means are 3.1 standard deviations apart; shallower ones separate little
_STRAYS = 5  # a group has so many points at least
_DIRECTIONS = 50  # main directions of the cloud that are looked at
_STARTS = 3  # of k-means
_LINE = 64  # places between two means at which the density is computed

_Labels = Callable[[Floats, int, int], Indices]


@dataclass(frozen=True, eq=False, repr=False)
class Stability(Result):
    """How much groups of one half of the points agree with those of another half.

    Attributes
    ----------
    groups : int
        How many.
    method : str
        How they are made.
    agreements : ndarray
        The adjusted Rand index of each pair of halves.
    said : str
        Which rows were looked at.
    """

    groups: int
    method: str
    agreements: Floats
    said: str

    @property
    def mean(self) -> float:
        """The mean agreement: 1 if the same groups are found again and again, about 0 if others each time."""
        return float(self.agreements.mean())

    def frame(self) -> Any:
        """Return a row per pair of halves as a DataFrame."""
        made = {"pair": np.arange(len(self.agreements)), "agreement": self.agreements}
        return as_frame(made, instead="agreements")

    def __str__(self) -> str:
        least, most = self.agreements.min(), self.agreements.max()
        return (
            f"{self.groups} groups by {self.method}: halves agree by {self.mean:.2f} on average "
            f"({least:.2f} to {most:.2f})"
        )


@dataclass(frozen=True, eq=False, repr=False)
class Structure(Result):
    """Whether there are groups, and how many.

    Attributes
    ----------
    points : Points
        What was looked at.
    method : str
        How groups are made.
    groupings : tuple of Grouping
        The groups for each number that was tried.
    valleys : ndarray
        The shallowest valley between two of the groups, for each number.
    limits : ndarray
        The deepest valley of normal points that are cut in two, as many as these two groups have.
    stabilities : ndarray
        The mean agreement of halves.
    draws : int
        How often normal points were drawn.
    """

    points: Points = field(repr=False)
    method: str
    groupings: tuple[Grouping, ...] = field(repr=False)
    valleys: Floats
    limits: Floats
    stabilities: Floats
    draws: int

    @property
    def counts(self) -> Indices:
        """The numbers of groups that were tried."""
        return np.arange(2, 2 + len(self.groupings))

    @property
    def passed(self) -> Any:
        """Which of them are apart, more than by chance, found again, and no strays."""
        apart = self.valleys > np.maximum(self.limits, _DEEP)
        large = np.array([grouping.sizes.min() >= _STRAYS for grouping in self.groupings])
        return apart & large & (self.stabilities >= STABLE)

    @property
    def best(self) -> Grouping | None:
        """The groups, None if there is no structure."""
        if not self.passed.any():
            return None
        most = self.stabilities[self.passed].max()
        places = np.flatnonzero(self.passed & (self.stabilities >= most - _AS_STABLE))
        return self.groupings[int(places[-1])]

    @property
    def count(self) -> int:
        """How many groups there are: 1 if there is no structure."""
        return 1 if self.best is None else self.best.count

    def frame(self) -> Any:
        """Return a row per number of groups as a DataFrame."""
        made = {
            "groups": self.counts,
            "valley": self.valleys,
            "valley by chance": self.limits,
            "agreement of halves": self.stabilities,
            "silhouette": [grouping.silhouette for grouping in self.groupings],
            "passed": self.passed,
        }
        return as_frame(made, instead="valleys, limits and stabilities")

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw valleys, those of chance, and the agreement of halves against the number of groups."""
        from chemin.plots.exploration.groups import draw_structure

        chosen = None if self.best is None else self.count
        return draw_structure(
            self.counts, self.valleys, np.maximum(self.limits, _DEEP),
            self.stabilities, chosen, title=self._answer, ax=ax,
        )  # fmt: skip

    def __str__(self) -> str:
        most = int(self.counts[-1])
        tried = f"2 to {most} groups by {self.method}"
        if self.best is None:
            return (
                f"{self._answer}: of {tried}, no number is further apart than chance explains and found again in half "
                f"of the rows ({self.points.said})"
            )
        place = self.count - 2
        return (
            f"{self._answer}: the shallowest valley between two is {self.valleys[place]:.0%} deep (by chance "
            f"{self.limits[place]:.0%}), halves agree by {self.stabilities[place]:.2f} "
            f"({tried}, {self.points.said})"
        )

    @property
    def _answer(self) -> str:
        return "no structure" if self.best is None else f"{self.count} groups"


def structure(
    data: Any,
    most: int = 10,
    *,
    method: str = "k-means",
    draws: int = 39,
    halves: int = 10,
    scale: bool = True,
    budget: float | None = BUDGET,
    random_state: int = 0,
    progress: bool = False,
) -> Structure:
    """Tell how many groups there are, or that there are none.

    Parameters
    ----------
    data : array, DataFrame, Table or path
        The points.
    most : int, default 10
        The largest number of groups that is tried.
    method : {"k-means", "ward", "complete", "average", "single"}, default "k-means"
        How groups are made.
    draws : int, default 39
        How often normal points are drawn: a number of groups passes by chance once in so many times and one.
    halves : int, default 10
        Pairs of half-samples.
    scale : bool, default True
        Bring columns to standard deviation 1 first.
    budget : float, optional
        Seconds of estimated work beyond which a random part of the rows is looked at.
    random_state : int, default 0
        Of all that is drawn.
    progress : bool, default False
        Draw a bar.

    Returns
    -------
    Structure

    Examples
    --------
    >>> drawing = np.random.default_rng(0)
    >>> cloud = drawing.normal(size=(150, 2))
    >>> structure(cloud, 4, draws=19).count
    1
    >>> corners = 8.0 * drawing.integers(2, size=(150, 2))
    >>> structure(cloud + corners, 5, draws=19).count
    4
    """
    points = as_points(
        data, scale=scale, least=10, part="structure", budget=budget, random_state=random_state
    )
    grouped = _method(method)
    n = len(points.values)
    most = check_count(most, max(most, 2) if isinstance(most, int) else 2)
    most = min(most, n // 4, len(np.unique(points.values, axis=0)))
    if draws < 1 or halves < 1:
        raise InvalidInputError("draws and halves: pass at least 1")
    Z = _main_directions(points)
    drawing = np.random.default_rng(random_state)
    counts = range(2, max(most, 2) + 1)
    labels = []
    valleys = []
    limits = []
    stabilities = []
    bar = Bar("numbers of groups", len(counts), progress)
    with threadpool_limits(1, user_api="openmp"):  # many small k-means, which threads slow down
        for count in bar.over(counts):
            labels.append(grouped(Z, count, random_state))
            depth, pair = _shallowest(Z, labels[-1])
            valleys.append(depth)
            limits.append(_by_chance(Z[np.isin(labels[-1], pair)], grouped, draws, drawing))
            stabilities.append(_agreements(Z, grouped, count, halves, drawing).mean())
    return Structure(
        points,
        method,
        tuple(Grouping(points, in_order(some), method) for some in labels),
        np.array(valleys),
        np.array(limits),
        np.array(stabilities),
        draws,
    )


def group_stability(
    data: Any,
    groups: int,
    *,
    method: str = "k-means",
    halves: int = 20,
    scale: bool = False,
    budget: float | None = BUDGET,
    random_state: int = 0,
) -> Stability:
    """Tell whether the same groups are found in other halves of the points.

    Parameters
    ----------
    data : array, DataFrame, Table or path
        The points.
    groups : int
        How many groups.
    method : {"k-means", "ward", "complete", "average", "single"}, default "k-means"
        How they are made.
    halves : int, default 20
        Pairs of half-samples.
    scale : bool, default False
        Bring columns to standard deviation 1 first.
    budget : float, optional
        Seconds of estimated work beyond which a random part of the rows is looked at.
    random_state : int, default 0
        Of the halves.

    Returns
    -------
    Stability

    Examples
    --------
    >>> print(group_stability("iris", 2))
    2 groups by k-means: halves agree by 0.96 on average (0.89 to 1.00)
    """
    points = as_points(
        data, scale=scale, least=4, part="structure", budget=budget, random_state=random_state
    )
    count = check_count(groups, len(points.values) // 2)
    if halves < 1:
        raise InvalidInputError(f"halves is {halves!r}: pass at least 1")
    drawing = np.random.default_rng(random_state)
    with threadpool_limits(1, user_api="openmp"):
        found = _agreements(points.values, _method(method), count, halves, drawing)
    return Stability(count, method, found, points.said)


def valley_between(X: Floats, labels: Indices) -> float:
    """Return the depth of the shallowest valley of density between two groups, from 0 (none) to 1.

    Examples
    --------
    >>> X = np.array([0.0, 1.0, 2.0, 10.0, 11.0, 12.0])[:, None]
    >>> round(valley_between(X, np.array([0, 0, 0, 1, 1, 1])), 2)
    1.0
    """
    return _shallowest(X, labels)[0]


def _shallowest(X: Floats, labels: Indices) -> tuple[float, tuple[int, int]]:
    """Return the depth of the shallowest valley between two groups, and which two."""
    count = int(labels.max()) + 1
    means = group_means(X, labels, count)
    depths = [
        (_valley(X[labels == i] - means[i], X[labels == j] - means[i], means[j] - means[i]), (i, j))
        for i in range(count)
        for j in range(i + 1, count)
    ]
    return min(depths, default=(0.0, (0, 0)))


def _by_chance(X: Floats, grouped: _Labels, draws: int, drawing: np.random.Generator) -> float:
    """Return the deepest valley of normal points of the same covariance that are cut in two."""
    spread = np.linalg.svd(X - X.mean(axis=0), compute_uv=False) / len(X) ** 0.5
    clouds = (drawing.normal(size=(len(X), len(spread))) * spread for _ in range(draws))
    return max(valley_between(cloud, grouped(cloud, 2, 0)) for cloud in clouds)


def _valley(one: Floats, other: Floats, direction: Floats) -> float:
    """Return the valley of the density of two groups along the line from the mean of one to that of the other."""
    length = float(direction @ direction)
    if length == 0.0:
        return 0.0
    here, there = one @ direction / length, other @ direction / length - 1.0
    t = np.concatenate([here, there + 1.0])  # the means are at 0 and 1
    inside = float(np.sqrt((here @ here + there @ there) / len(t)))
    h = max(1.06 * inside * len(t) ** -0.2, 1e-3)
    line = np.linspace(min(0.0, t.min()), max(1.0, t.max()), _LINE)
    density = np.exp(-0.5 * ((line[:, None] - t) / h) ** 2).sum(axis=1)
    between = np.flatnonzero((line >= 0.0) & (line <= 1.0))
    lowest = int(between[np.argmin(density[between])])
    peak = min(density[: lowest + 1].max(), density[lowest:].max())
    return float(1.0 - density[lowest] / peak) if peak > 0.0 else 0.0


def _agreements(
    X: Floats, grouped: _Labels, count: int, halves: int, drawing: np.random.Generator
) -> Floats:
    from sklearn.metrics import adjusted_rand_score

    found = []
    for _ in range(halves):
        pair = [_of_half(X, grouped, count, drawing) for _ in range(2)]
        found.append(float(adjusted_rand_score(*pair)))
    return np.array(found)


def _of_half(X: Floats, grouped: _Labels, count: int, drawing: np.random.Generator) -> Indices:
    """Return the groups of one half of the points, the others in that of their nearest neighbour there."""
    from sklearn.metrics import pairwise_distances_argmin

    half = drawing.permutation(len(X))[: len(X) // 2]
    labels = grouped(X[half], min(count, len(half)), int(drawing.integers(2**31 - 1)))
    return np.asarray(labels[pairwise_distances_argmin(X, X[half])])


def _main_directions(points: Points) -> Floats:
    """Return coordinates along the main directions of the cloud, those in which it has any spread."""
    away = points.values - points.values.mean(axis=0)
    n, p = away.shape
    if p > n:
        size, axes = np.linalg.eigh(away @ away.T)
        Z = axes * np.sqrt(np.maximum(size, 0.0))
    else:
        size, axes = np.linalg.eigh(away.T @ away)
        Z = away @ axes
    order = np.argsort(size)[::-1][:_DIRECTIONS]
    kept = order[size[order] > 1e-12 * max(float(size.max()), 1e-300)]
    if not len(kept):
        raise InvalidInputError("all rows are the same, so that there are no groups: pass others")
    return np.asarray(Z[:, kept])


def _method(name: str) -> _Labels:
    if name not in METHODS:
        raise InvalidInputError(f"method is {name!r}: pass one of {', '.join(METHODS)}")
    return _by_means if name == "k-means" else _by_tree(name)


def _by_means(X: Floats, count: int, seed: int) -> Indices:
    from sklearn.cluster import KMeans
    from sklearn.exceptions import ConvergenceWarning

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # fewer different points than groups
        model = KMeans(count, n_init=_STARTS, random_state=seed).fit(X)
    return np.asarray(model.labels_)


def _by_tree(linkage: str) -> _Labels:
    def labels(X: Floats, count: int, seed: int) -> Indices:
        from scipy.cluster import hierarchy

        merges = hierarchy.linkage(X, linkage)
        return np.asarray(hierarchy.cut_tree(merges, count)[:, 0])

    return labels
