"""How far is the K-th neighbour? A density that looks closely where there are many points, and widely where few are.

p(x) = K/(N V_K(x)), with V_K(x) the volume of the ball around x that reaches its K-th nearest point: a point of the
sample is its own first neighbour. Its tails fall like 1/‖x‖ᵈ, so that the integral over the whole space is infinite:
over a region that holds the data it is about 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from chemin.dictionaries.base import Floats
from chemin.exceptions import InvalidInputError
from chemin.exploration.densities.density import Density
from chemin.exploration.densities.parzen import log_ball_volume
from chemin.exploration.points import as_points


@dataclass(frozen=True, eq=False, repr=False)
class NeighbourDensity(Density):
    """A density by the distance to the K-th neighbour.

    Attributes
    ----------
    neighbours : int
        K.
    """

    neighbours: int

    @property
    def name(self) -> str:
        return f"{self.neighbours} nearest neighbours"

    @cached_property
    def _tree(self) -> Any:
        from sklearn.neighbors import NearestNeighbors

        return NearestNeighbors(n_neighbors=self.neighbours).fit(self.points.values)

    def radius(self, x: Any) -> Floats:
        """Return the distance to the K-th nearest point of the sample."""
        return np.asarray(self._tree.kneighbors(self._nodes(x))[0][:, -1])

    def log_pdf(self, x: Any) -> Floats:
        n, d = self.points.shape
        with np.errstate(divide="ignore"):  # infinite where K points are in one place
            return np.log(self.neighbours / n) - log_ball_volume(d) - d * np.log(self.radius(x))


def neighbour_density(
    data: Any, neighbours: int | None = None, *, scale: bool = False
) -> NeighbourDensity:
    """Estimate a density by the distance to the K-th neighbour.

    Parameters
    ----------
    data : array, DataFrame, Table or path
        The points.
    neighbours : int, optional
        K, from 1 to the number of points; √N by default. Where K points or more are in one place the density is
        infinite.
    scale : bool, default False
        Bring columns to standard deviation 1 first.

    Returns
    -------
    NeighbourDensity

    Examples
    --------
    >>> made = neighbour_density([0.0, 1.0, 3.0], neighbours=2)
    >>> made.pdf(0.0).tolist()  # 2/(3 · 2): the second neighbour of 0 is 1, and the ball [−1, 1]
    [0.3333333333333333]
    """
    points = as_points(data, scale=scale)
    n = points.shape[0]
    count = max(round(n**0.5), 1) if neighbours is None else neighbours
    if isinstance(count, bool) or not isinstance(count, int | np.integer) or not 1 <= count <= n:
        raise InvalidInputError(
            f"neighbours is {neighbours!r}: pass a whole number from 1 to the {n} points"
        )
    return NeighbourDensity(points, int(count))
