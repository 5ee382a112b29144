"""Where do points lie close together? DBSCAN: dense regions of any shape, and noise between them.

A point with at least ``min_samples`` points within ``eps``, itself counted, is a core point. Core points within eps of
one another are in one group; another point within eps of a core point is on the border of its group; the rest is noise.
More than N *others* within eps is ``min_samples = N + 2``.

A border point may be within reach of several groups. scikit-learn gives it to the first that is found, so that its
group depends on the order of the rows; ``border="nearest"`` gives it to that of its nearest core point.

Reference: Ester, Kriegel, Sander and Xu (1996).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chemin.dictionaries.base import Floats, Indices
from chemin.exceptions import InvalidInputError
from chemin.exploration.cost import BUDGET
from chemin.exploration.groups.grouping import NOISE, Grouping, check_count, in_order
from chemin.exploration.points import Points, as_points
from chemin.frames import as_frame

_NORMAL = 1.4826  # the standard deviation of a normal law, in median absolute deviations


@dataclass(frozen=True, eq=False, repr=False)
class DenseGroups(Grouping):
    """Groups of points that lie close together.

    Attributes
    ----------
    eps : float
        Radius of a neighbourhood.
    min_samples : int
        Points that it must hold around a core point.
    core : ndarray of shape (n,) of bool
        Which points are core points.
    """

    eps: float
    min_samples: int
    core: NDArray[np.bool_]

    @property
    def kinds(self) -> NDArray[np.str_]:
        """What each point is: "core", "border" or "noise"."""
        outside = np.where(self.labels == NOISE, "noise", "border")
        return np.where(self.core, "core", outside)

    def frame(self) -> Any:
        """Return a row per point as a DataFrame: its row, its group, what it is."""
        made = {"row": self.points.rows, "group": self.labels, "kind": self.kinds}
        return as_frame(made, instead="labels and kinds")


def dbscan(
    data: Any,
    eps: float | None = None,
    min_samples: int = 5,
    *,
    border: str = "first",
    scale: bool = False,
    budget: float | None = BUDGET,
    random_state: int = 0,
) -> DenseGroups:
    """Group points that lie close together, and leave the others out.

    Parameters
    ----------
    data : array, DataFrame, Table or path
        The points.
    eps : float, optional
        Radius of a neighbourhood; by default the median of the distances to the last of ``min_samples`` points, and
        three of their (robust) standard deviations.
    min_samples : int, default 5
        Points within it, itself counted, that make a core point.
    border : {"first", "nearest"}, default "first"
        Which group a point on several borders belongs to: the first found, as in scikit-learn, or that of its nearest
        core point, whatever the order of the rows.
    scale : bool, default False
        Bring columns to standard deviation 1 first.
    budget : float, optional
        Seconds of estimated work beyond which a random part of the rows is looked at.
    random_state : int, default 0
        Which part.

    Returns
    -------
    DenseGroups

    Examples
    --------
    >>> X = [0.0, 0.1, 0.2, 0.3, 1.0, 1.6, 1.7, 1.8, 1.9, 9.0]
    >>> dbscan(X, eps=0.75).labels.tolist()
    [0, 0, 0, 0, 0, 1, 1, 1, 1, -1]
    >>> dbscan(X, eps=0.75, border="nearest").labels.tolist()
    [0, 0, 0, 0, 1, 1, 1, 1, 1, -1]
    """
    from sklearn.cluster import DBSCAN

    if border not in ("first", "nearest"):
        raise InvalidInputError(f"border is {border!r}: pass 'first' or 'nearest'")
    points = as_points(data, scale=scale, part="dbscan", budget=budget, random_state=random_state)
    least = check_count(min_samples, len(points.values), "min_samples")
    radius = _radius(points, least) if eps is None else _checked(eps)
    found = DBSCAN(eps=radius, min_samples=least).fit(points.values)
    core = np.zeros(len(points.values), dtype=bool)
    core[found.core_sample_indices_] = True
    labels = np.asarray(found.labels_)
    if border == "nearest" and core.any():
        labels = _nearest_core(points.values, labels, core, radius)
    method = f"DBSCAN, eps = {radius:.4g}, min_samples = {least}"
    return DenseGroups(points, in_order(labels), method, radius, least, core)


def _nearest_core(X: Floats, labels: Indices, core: NDArray[np.bool_], radius: float) -> Indices:
    from sklearn.neighbors import NearestNeighbors

    away, place = NearestNeighbors(n_neighbors=1).fit(X[core]).kneighbors(X[~core])
    made = labels.copy()
    made[~core] = np.where(away[:, 0] <= radius, labels[core][place[:, 0]], NOISE)
    return made


def _radius(points: Points, min_samples: int) -> float:
    """Return a distance that few points have to the last of so many: three deviations above the median."""
    from sklearn.neighbors import NearestNeighbors

    near = NearestNeighbors(n_neighbors=min_samples).fit(points.values)
    reach = near.kneighbors(points.values)[0][:, -1]
    middle = float(np.median(reach))
    radius = middle + 3.0 * _NORMAL * float(np.median(np.abs(reach - middle)))
    if radius == 0.0:
        raise InvalidInputError(
            f"most points have {min_samples} points in one place, so that eps cannot be guessed: pass eps="
        )
    return radius


def _checked(eps: Any) -> float:
    if (
        isinstance(eps, bool)
        or not isinstance(eps, int | float | np.number)
        or not 0 < eps < np.inf
    ):
        raise InvalidInputError(f"eps is {eps!r}: pass a positive distance")
    return float(eps)
