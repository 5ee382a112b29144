"""How can many columns be shown in a plane? Other projections of scikit-learn, and how far each can be trusted.

Trustworthiness is 1 if all of the k nearest neighbours in the plane are near in the data, too; 0.5 is that of a random
map of many points.

Reference: Venna and Kaski (2001).
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from threadpoolctl import threadpool_limits

from chemin.dictionaries.base import Floats
from chemin.exceptions import InvalidInputError
from chemin.exploration.cost import BUDGET
from chemin.exploration.points import Points, as_points
from chemin.exploration.projection.colours import colours_of
from chemin.frames import as_frame
from chemin.results import Result
from chemin.tables.notes import brief

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_NEIGHBOURS = 5


def _t_sne(X: Floats, seed: int) -> Floats:
    from sklearn.manifold import TSNE

    perplexity = min(30.0, (len(X) - 1) / 3.0)
    return np.asarray(TSNE(perplexity=perplexity, random_state=seed).fit_transform(X))


def _distances(X: Floats, seed: int) -> Floats:
    from sklearn.manifold import MDS

    return np.asarray(MDS(n_init=1, init="random", random_state=seed).fit_transform(X))


def _isomap(X: Floats, seed: int) -> Floats:
    from sklearn.manifold import Isomap

    return np.asarray(Isomap(n_neighbors=_near(X)).fit_transform(X))


def _locally_linear(X: Floats, seed: int) -> Floats:
    from sklearn.manifold import LocallyLinearEmbedding

    model = LocallyLinearEmbedding(n_neighbors=_near(X), random_state=seed, eigen_solver="dense")
    return np.asarray(model.fit_transform(X))


def _spectral(X: Floats, seed: int) -> Floats:
    from sklearn.manifold import SpectralEmbedding

    return np.asarray(SpectralEmbedding(n_neighbors=_near(X), random_state=seed).fit_transform(X))


def _kernel(X: Floats, seed: int) -> Floats:
    from sklearn.decomposition import KernelPCA

    model = KernelPCA(2, kernel="rbf", eigen_solver="dense", random_state=seed)
    return np.asarray(model.fit_transform(X))


def _random(X: Floats, seed: int) -> Floats:
    from sklearn.random_projection import GaussianRandomProjection

    return np.asarray(GaussianRandomProjection(2, random_state=seed).fit_transform(X))


def _near(X: Floats) -> int:
    return min(10, len(X) - 1)


METHODS: dict[str, Callable[[Floats, int], Floats]] = {
    "t-sne": _t_sne,
    "mds": _distances,
    "isomap": _isomap,
    "locally linear": _locally_linear,
    "spectral": _spectral,
    "kernel pca": _kernel,
    "random": _random,
}


@dataclass(frozen=True, eq=False, repr=False)
class Map(Result):
    """Points in a plane that has no directions of the data.

    Attributes
    ----------
    points : Points
        What is shown.
    method : str
        How.
    coordinates : ndarray of shape (n, 2)
        Where they are.
    trust : float
        Trustworthiness of five neighbours.
    """

    points: Points = field(repr=False)
    method: str
    coordinates: Floats = field(repr=False)
    trust: float

    def frame(self) -> Any:
        """Return a row per point as a DataFrame: its row, and its coordinates."""
        made = {"row": self.points.rows, "x": self.coordinates[:, 0], "y": self.coordinates[:, 1]}
        return as_frame(made, instead="coordinates")

    def plot(self, colour: Any = None, ax: Axes | None = None) -> Axes:
        """Draw the points, in the colours of classes or numbers."""
        from chemin.plots.exploration.projection import draw_plane

        colours = colours_of(colour, self.points.rows)
        return draw_plane(self.coordinates, ("", ""), **colours, title=str(self), ax=ax)

    def __str__(self) -> str:
        return f"{self.method}: trustworthiness {self.trust:.2f}; {self.points.said}"


def map_points(
    data: Any,
    method: str = "t-sne",
    *,
    scale: bool = True,
    budget: float | None = BUDGET,
    random_state: int = 0,
) -> Map:
    """Lay points out in a plane so that those near one another in the data are near there, too.

    Parameters
    ----------
    data : array, DataFrame, Table or path
        The points.
    method : str, default "t-sne"
        "t-sne", "mds", "isomap", "locally linear", "spectral", "kernel pca" or "random", of scikit-learn.
    scale : bool, default True
        Bring columns to standard deviation 1 first.
    budget : float, optional
        Seconds of estimated work beyond which a random part of the rows is looked at.
    random_state : int, default 0
        Of the layout, and which part.

    Returns
    -------
    Map

    Examples
    --------
    >>> made = map_points("iris", "kernel pca")
    >>> made.coordinates.shape, made.trust > 0.9
    ((150, 2), True)
    """
    from sklearn.manifold import trustworthiness

    if method not in METHODS:
        raise InvalidInputError(f"method is {method!r}: pass one of {', '.join(METHODS)}")
    points = as_points(
        data, scale=scale, least=4, part="map", budget=budget, random_state=random_state
    )
    if not np.sum((points.values - points.values[0]) ** 2):
        raise InvalidInputError("all points are in one place: pass others, or scale=True")
    try:
        with warnings.catch_warnings(), threadpool_limits(1, user_api="openmp"):
            warnings.simplefilter("ignore")  # of graphs in several pieces: trust tells
            coordinates = METHODS[method](points.values, random_state)
    except (ValueError, RuntimeError) as error:
        raise InvalidInputError(
            f"{method} does not work on these points ({brief(error)}): pass another method"
        ) from error
    near = min(_NEIGHBOURS, (len(coordinates) - 1) // 2)
    trust = float(trustworthiness(points.values, coordinates, n_neighbors=near))
    return Map(points, method, coordinates, trust)
