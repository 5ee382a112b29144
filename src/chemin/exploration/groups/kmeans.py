"""Which centres leave the least inertia? K-means with restarts, Lloyd's steps one by one, and how many groups.

Inertia: Σ_j Σ_{x ∈ C_j} ‖x − m_j‖². Lloyd: give every point to its nearest centre, put every centre at the mean of its
points, and again; the inertia never rises, and the steps end. The least inertia falls with every further group, so that
it alone cannot say how many there are.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.spatial.distance import cdist

from chemin.dictionaries.base import Floats, Indices
from chemin.exceptions import InvalidInputError, MissingLibraryError
from chemin.exploration.cost import BUDGET
from chemin.exploration.groups.grouping import (
    Grouping,
    check_count,
    check_restarts,
    group_means,
    in_order,
    in_plane,
    inertia_of,
)
from chemin.exploration.points import as_points
from chemin.frames import as_frame
from chemin.progress import Bar
from chemin.results import Result

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MANY = 20_000  # rows from which on centres move by small batches
_STEPS = 1000


@dataclass(frozen=True, eq=False, repr=False)
class KMeansGroups(Grouping):
    """Groups around means.

    Attributes
    ----------
    centers : ndarray of shape (k, p)
        The means.
    restarts : ndarray
        The inertia at which each start ended; the least was kept.
    """

    centers: Floats
    restarts: Floats


@dataclass(frozen=True, eq=False)
class LloydStep:
    """One step: the centres, the group of each point by the nearest of them, and the inertia around them."""

    centers: Floats
    labels: Indices
    inertia: float


@dataclass(frozen=True, eq=False, repr=False)
class LloydTrace(Grouping):
    """All steps of Lloyd's algorithm; the groups are those of the last.

    Attributes
    ----------
    steps : tuple of LloydStep
        From the start to rest.
    """

    steps: tuple[LloydStep, ...]

    def frame(self) -> Any:
        """Return a row per step as a DataFrame."""
        moved = [
            int(np.sum(later.labels != before.labels))
            for before, later in zip(self.steps, self.steps[1:], strict=False)
        ]
        made = {
            "step": np.arange(len(self.steps)),
            "inertia": [step.inertia for step in self.steps],
            "rows that moved": [len(self.labels), *moved],
        }
        return as_frame(made, instead="steps")

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the points and the way of every centre."""
        from chemin.plots.exploration.groups import draw_ways

        plane, names, axes = in_plane(self.points)
        ways = np.stack([step.centers @ axes.T for step in self.steps])
        title = f"Lloyd, {len(self.steps)} steps"
        return draw_ways(plane, self.labels, list(ways.transpose(1, 0, 2)), names, title, ax=ax)


@dataclass(frozen=True, eq=False, repr=False)
class InertiaCurve(Result):
    """The inertia against the number of groups.

    Attributes
    ----------
    counts : ndarray
        Numbers of groups.
    inertias : ndarray
        The least inertia found for each.
    said : str
        Which rows were looked at.
    """

    counts: Indices
    inertias: Floats
    said: str

    @property
    def elbow(self) -> int | None:
        """The number of groups from which on the inertia falls little; None if the curve has no bend."""
        if len(self.counts) < 3 or np.ptp(self.inertias) == 0.0:
            return None
        try:
            from kneed import KneeLocator
        except ImportError as error:
            raise MissingLibraryError(
                "the elbow is found by kneed: pip install 'chemin[explore]'"
            ) from error
        found = KneeLocator(self.counts, self.inertias, curve="convex", direction="decreasing").knee
        return None if found is None else int(found)

    def __str__(self) -> str:
        told = ", ".join(
            f"{k}: {value:.4g}" for k, value in zip(self.counts, self.inertias, strict=True)
        )
        return f"inertia by number of groups, {told}; {self.said}"

    def frame(self) -> Any:
        """Return a row per number of groups as a DataFrame."""
        return as_frame({"groups": self.counts, "inertia": self.inertias}, instead="inertias")

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the curve, and its elbow if there is one."""
        from chemin.plots.exploration.groups import draw_inertia

        return draw_inertia(self.counts, self.inertias, self.elbow, ax=ax)


def kmeans(
    data: Any,
    groups: int,
    *,
    restarts: int = 10,
    start: str = "random",
    scale: bool = False,
    budget: float | None = BUDGET,
    random_state: int = 0,
    progress: bool = False,
) -> KMeansGroups:
    """Group points around as many means, from several starts, and keep the least inertia.

    From 20 000 rows on the means move by small random batches: faster, at a slightly higher inertia.

    Parameters
    ----------
    data : array, DataFrame, Table or path
        The points.
    groups : int
        How many.
    restarts : int, default 10
        How many starts.
    start : {"random", "k-means++"}, default "random"
        Points drawn at random, or at random far from one another.
    scale : bool, default False
        Bring columns to standard deviation 1 first.
    budget : float, optional
        Seconds of estimated work beyond which a random part of the rows is looked at.
    random_state : int, default 0
        Of starts and rows.
    progress : bool, default False
        Draw a bar.

    Returns
    -------
    KMeansGroups

    Examples
    --------
    >>> found = kmeans([0.0, 1.0, 10.0, 11.0], 2)
    >>> found.labels.tolist(), found.inertia
    ([0, 0, 1, 1], 1.0)
    """
    if start not in ("random", "k-means++"):
        raise InvalidInputError(f"start is {start!r}: pass 'random' or 'k-means++'")
    restarts = check_restarts(restarts)
    points = as_points(data, scale=scale, part="k-means", budget=budget, random_state=random_state)
    count = check_count(groups, len(points.values))
    seeds = np.random.default_rng(random_state).integers(2**31 - 1, size=restarts).tolist()
    bar = Bar("starts", restarts, progress)
    ends = list(bar.over(_ended(points.values, count, start, seed) for seed in seeds))
    inertias = np.array([inertia for inertia, _ in ends])
    labels = in_order(ends[int(np.argmin(inertias))][1])
    many = len(points.values) >= _MANY
    method = "k-means by small batches" if many else "k-means"
    centers = group_means(points.values, labels, int(labels.max()) + 1)
    return KMeansGroups(points, labels, method, centers, inertias)


def lloyd(
    data: Any,
    groups: int | None = None,
    *,
    start: Any = None,
    budget: float | None = BUDGET,
    random_state: int = 0,
) -> LloydTrace:
    """Follow Lloyd's algorithm step by step.

    A centre that loses all its points stays where it is.

    Parameters
    ----------
    data : array, DataFrame, Table or path
        The points.
    groups : int, optional
        How many; points drawn at random are the first centres.
    start : array of shape (k, p), optional
        The first centres, in place of ``groups``.
    budget : float, optional
        Seconds of estimated work beyond which a random part of the rows is looked at.
    random_state : int, default 0
        Which points and rows are drawn.

    Returns
    -------
    LloydTrace

    Examples
    --------
    >>> trace = lloyd([0.0, 1.0, 10.0, 11.0], start=[[0.0], [1.0]])
    >>> [round(step.inertia, 2) for step in trace.steps]
    [181.0, 21.56, 1.0]
    """
    points = as_points(data, part="k-means", budget=budget, random_state=random_state)
    X = points.values
    if start is not None:
        centers = _first_centers(start, X.shape[1])
    else:
        count = check_count(groups, len(X))
        centers = X[np.random.default_rng(random_state).choice(len(X), count, replace=False)]
    steps: list[LloydStep] = []
    for _ in range(_STEPS):
        labels = nearest(X, centers)
        steps.append(LloydStep(centers, labels, inertia_of(X, labels, centers)))
        if len(steps) > 1 and np.array_equal(steps[-2].labels, labels):
            break
        held = np.bincount(labels, minlength=len(centers)) > 0
        centers = np.where(held[:, None], group_means(X, labels, len(centers)), centers)
    labels = in_order(steps[-1].labels)
    return LloydTrace(points, labels, f"Lloyd, {len(steps)} steps", tuple(steps))


def inertia_curve(
    data: Any,
    most: int = 10,
    *,
    restarts: int = 10,
    scale: bool = False,
    budget: float | None = BUDGET,
    random_state: int = 0,
    progress: bool = False,
) -> InertiaCurve:
    """Return the inertia of 1, 2, … groups, whose elbow is one answer to how many there are.

    Parameters
    ----------
    data : array, DataFrame, Table or path
        The points.
    most : int, default 10
        The largest number of groups.
    restarts, scale, budget, random_state, progress
        As for `kmeans`.

    Returns
    -------
    InertiaCurve

    Examples
    --------
    >>> curve = inertia_curve([0.0, 1.0, 10.0, 11.0], 4)
    >>> curve.inertias.tolist()
    [101.0, 1.0, 0.5, 0.0]
    """
    points = as_points(data, scale=scale, part="k-means", budget=budget, random_state=random_state)
    most = min(check_count(most, sys.maxsize, "most"), len(points.values))
    counts = np.arange(1, most + 1)
    bar = Bar("numbers of groups", most, progress)
    inertias = [
        kmeans(
            points, int(count), restarts=restarts, budget=None, random_state=random_state
        ).inertia
        for count in bar.over(counts)
    ]
    return InertiaCurve(counts, np.array(inertias), points.said)


def nearest(X: Floats, centers: Floats) -> Indices:
    """Return the nearest centre of each point, the first of equally near ones."""
    return np.argmin(cdist(X, centers, "sqeuclidean"), axis=1)


def _first_centers(start: Any, d: int) -> Floats:
    """Return the centres to begin with, if there are some, of finite numbers."""
    try:
        centers = np.array(start, dtype=float)
    except (TypeError, ValueError) as error:
        raise InvalidInputError(
            f"start is not a table of numbers ({error}): pass rows of {d} numbers, one per centre"
        ) from error
    if centers.ndim != 2 or centers.shape[1] != d or not len(centers):
        raise InvalidInputError(
            f"start has shape {centers.shape}: pass rows of {d} numbers, one per centre"
        )
    if not np.isfinite(centers).all():
        raise InvalidInputError("start has missing or infinite numbers: replace them")
    return centers


def _ended(X: Floats, count: int, start: str, seed: int) -> tuple[float, Indices]:
    """Return the inertia and the groups at which one start of scikit-learn's ends."""
    import warnings

    from sklearn.cluster import KMeans, MiniBatchKMeans
    from sklearn.exceptions import ConvergenceWarning

    kind = MiniBatchKMeans if len(X) >= _MANY else KMeans
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # fewer different points than groups
        model = kind(count, init=start, n_init=1, random_state=seed).fit(X)
    return float(model.inertia_), np.asarray(model.labels_)


def soft_kmeans(
    data: Any, sigma: float, *, start: Any, steps: int = 200, tol: float = 1e-9
) -> SoftGroups:
    """Move centres by EM for equal weights and one fixed variance σ²: Lloyd's algorithm in the limit σ → 0.

    γ_nj ∝ exp(−‖x_n − m_j‖²/2σ²), then m_j = Σ_n γ_nj x_n / Σ_n γ_nj.

    Parameters
    ----------
    data : array, DataFrame, Table or path
        The points.
    sigma : float
        Standard deviation of every group; 0 is Lloyd's algorithm.
    start : array of shape (k, p)
        The first centres.
    steps : int, default 200
        The most steps.
    tol : float, default 1e-9
        The largest move of a centre, in spreads of the data, that counts as rest.

    Returns
    -------
    SoftGroups

    Examples
    --------
    >>> X = [0.0, 1.0, 10.0, 11.0]
    >>> [soft_kmeans(X, s, start=[[0.0], [1.0]]).centers.ravel().round(1).tolist() for s in (0.0, 0.1, 20.0)]
    [[0.5, 10.5], [0.5, 10.5], [5.5, 5.5]]
    """
    if not isinstance(sigma, int | float | np.number) or not 0.0 <= sigma < np.inf:
        raise InvalidInputError(f"sigma is {sigma!r}: pass a number, 0 or larger")
    if not isinstance(steps, int | np.integer) or steps < 0:
        raise InvalidInputError(f"steps is {steps!r}: pass a whole number, 0 or larger")
    points = as_points(data)
    X = points.values
    centers = _first_centers(start, X.shape[1])
    enough = tol * max(float(X.std(axis=0).max()), 1e-300)
    gamma = _responsibilities(X, centers, sigma)
    for _ in range(steps):
        mass = gamma.sum(axis=0)
        held = mass > 0.0
        means = gamma.T @ X / np.where(held, mass, 1.0)[:, None]
        moved = np.where(held[:, None], means, centers)
        still = float(np.abs(moved - centers).max()) <= enough
        centers = moved
        gamma = _responsibilities(X, centers, sigma)
        if still:
            break
    labels = in_order(np.argmax(gamma, axis=1))
    return SoftGroups(points, labels, f"soft k-means, σ = {sigma:.4g}", centers, gamma, sigma)


@dataclass(frozen=True, eq=False, repr=False)
class SoftGroups(Grouping):
    """Groups that points belong to in part.

    Attributes
    ----------
    centers : ndarray of shape (k, p)
        Means weighted by the responsibilities.
    responsibilities : ndarray of shape (n, k)
        How much of each point belongs to each centre.
    sigma : float
        The fixed standard deviation.
    """

    centers: Floats
    responsibilities: Floats
    sigma: float


def _responsibilities(X: Floats, centers: Floats, sigma: float) -> Floats:
    if sigma == 0.0:
        return np.eye(len(centers))[nearest(X, centers)]
    squares = cdist(X, centers, "sqeuclidean")
    with np.errstate(over="ignore"):  # σ² may be too small for a number: the weight is 0 then
        logs = -(squares - squares.min(axis=1, keepdims=True)) / sigma / sigma / 2.0
    weights = np.exp(logs)
    return weights / weights.sum(axis=1, keepdims=True)
