"""In which directions do points spread? Principal components: their variances, coordinates, and the way back.

C = (1/N) Σ (x − x̄)(x − x̄)ᵀ has orthogonal unit eigenvectors, by decreasing eigenvalue the columns of P. The coordinates
of x are (x − x̄) P; the variance along a direction is its eigenvalue. From the first k of them, x' Pₖᵀ + x̄ is the
nearest point to x in mean square among all that k numbers give: what is lost is the sum of the other eigenvalues.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from chemin.dictionaries.base import Floats
from chemin.exceptions import InvalidInputError
from chemin.exploration.cost import BUDGET
from chemin.exploration.points import Points, as_points
from chemin.exploration.projection.colours import colours_of
from chemin.frames import as_frame
from chemin.results import Result, plural

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_NONE = 1e-12  # of the first variance: a smaller one is rounding


@dataclass(frozen=True, eq=False, repr=False)
class Projection(Result):
    """Points along their main directions.

    Attributes
    ----------
    points : Points
        What was projected.
    mean : ndarray of shape (p,)
        Their mean.
    directions : ndarray of shape (k, p)
        Orthogonal unit vectors, that of the largest variance first; the largest entry of each is positive.
    variances : ndarray of shape (k,)
        Variances along them, with 1/N.
    total : float
        The variance along all directions, kept or not.
    coordinates : ndarray of shape (n, k)
        The points along the directions.
    """

    points: Points = field(repr=False)
    mean: Floats = field(repr=False)
    directions: Floats = field(repr=False)
    variances: Floats
    total: float
    coordinates: Floats = field(repr=False)

    @property
    def shares(self) -> Floats:
        """The share of the variance along each direction."""
        return self.variances / self.total

    def needed(self, share: float) -> int:
        """Return how many directions keep so large a share of the variance.

        Examples
        --------
        >>> pca("iris", scale=False).needed(0.95)
        2
        """
        if not 0.0 < share <= 1.0:
            raise InvalidInputError(f"share is {share!r}: pass a number above 0, and 1 at most")
        reached = np.cumsum(self.shares) >= share - _NONE
        if not reached.any():
            raise InvalidInputError(
                f"the {len(reached)} directions that were kept hold {self.shares.sum():.1%} of the variance: pass a "
                "larger components="
            )
        return int(np.argmax(reached)) + 1

    def project(self, X: Any, components: int | None = None) -> Floats:
        """Return the coordinates of other points, in the columns of those given: a few numbers for each."""
        count = self._checked(components)
        rows = np.asarray(X, dtype=float)
        rows = rows[None] if rows.ndim == 1 else rows
        if rows.ndim != 2 or rows.shape[1] != len(self.mean):
            raise InvalidInputError(
                f"points have shape {rows.shape}: pass rows of {len(self.mean)} numbers"
            )
        return np.asarray((rows - self.mean) @ self.directions[:count].T)

    def restore(self, coordinates: Any) -> Floats:
        """Return the points that have these coordinates along the first directions, and none along others."""
        given = np.asarray(coordinates, dtype=float)
        given = given[None] if given.ndim == 1 else given
        count = self._checked(given.shape[1])
        return np.asarray(given @ self.directions[:count] + self.mean)

    def error(self, components: int | None = None) -> float:
        """Return the mean squared distance of the points to what so many numbers keep of them."""
        return float(max(self.total - self.variances[: self._checked(components)].sum(), 0.0))

    def frame(self) -> Any:
        """Return a row per point as a DataFrame: its row, and its coordinates."""
        made: dict[str, Any] = {"row": self.points.rows}
        made |= {f"direction {k + 1}": self.coordinates[:, k] for k in range(len(self.variances))}
        return as_frame(made, instead="coordinates")

    def loadings(self) -> Any:
        """Return a row per column as a DataFrame: its weight in every direction."""
        made: dict[str, Any] = {"column": list(self.points.names)}
        made |= {f"direction {k + 1}": row for k, row in enumerate(self.directions)}
        return as_frame(made, instead="directions")

    def plot(self, colour: Any = None, ax: Axes | None = None) -> Axes:
        """Draw the points in the plane of the first two directions, in the colours of classes or numbers."""
        from chemin.plots.exploration.projection import draw_plane

        plane = self._plane()
        title = f"{self.shares[:2].sum():.0%} of the variance of {len(self.mean)} columns"
        return draw_plane(
            plane, self._axis_names, **colours_of(colour, self.points.rows), title=title, ax=ax
        )

    def plot_scree(self, ax: Axes | None = None) -> Axes:
        """Draw the share of the variance along each direction, and along all up to it."""
        from chemin.plots.exploration.projection import draw_scree

        return draw_scree(self.shares, ax=ax)

    def plot_biplot(self, colour: Any = None, ax: Axes | None = None) -> Axes:
        """Draw the points and, as arrows, the columns in the plane of the first two directions."""
        from chemin.plots.exploration.projection import draw_biplot

        labels = colours_of(colour, self.points.rows).get("labels")
        arrows = np.zeros((2, len(self.mean)))
        arrows[: len(self.directions)] = self.directions[:2]
        return draw_biplot(
            self._plane(), arrows, self.points.names, self._axis_names, labels=labels, ax=ax
        )

    def plot_restored(
        self, components: Any = (1, 5, 30), *, shape: tuple[int, int] | None = None, most: int = 8
    ) -> Any:
        """Draw the first rows as images, and what so many directions keep of them.

        ``shape`` is that of an image, rows and columns; a square by default.
        """
        from chemin.plots.exploration.projection import draw_images

        p = len(self.mean)
        side = round(p**0.5)
        height, width = shape or (side, side)
        if height * width != p:
            raise InvalidInputError(f"{p} columns are no image of {height} × {width}: pass shape=")
        some = self.points.values[:most]
        counts = [components] if isinstance(components, int) else list(components)
        kept = [self._checked(min(count, len(self.variances))) for count in counts]
        low, high = self.points.values.min(), self.points.values.max()
        rows = [(f"{p} numbers", some)]
        for k in dict.fromkeys(kept):
            restored = self.restore(self.coordinates[:most, :k])
            rows.append((f"{k} numbers", np.clip(restored, low, high)))
        return draw_images(rows, (height, width), [str(row) for row in self.points.rows[:most]])

    def __str__(self) -> str:
        told = ", ".join(f"{share:.0%}" for share in self.shares[:5])
        told += ", …" * (len(self.shares) > 5)
        count = f"{plural(len(self.shares), 'direction')} of {plural(len(self.mean), 'column')}"
        return f"{count}, {told} of the variance; {self.points.said}"

    @property
    def _axis_names(self) -> tuple[str, str]:
        shares = [f" ({share:.0%})" for share in self.shares[:2]] + [" (0 %)"]
        return f"direction 1{shares[0]}", f"direction 2{shares[1]}"

    def _plane(self) -> Floats:
        plane = np.zeros((len(self.coordinates), 2))
        plane[:, : min(len(self.variances), 2)] = self.coordinates[:, :2]
        return plane

    def _checked(self, components: Any) -> int:
        count = len(self.variances) if components is None else components
        if not isinstance(count, int | np.integer) or not 1 <= count <= len(self.variances):
            raise InvalidInputError(
                f"components is {components!r}: pass a number from 1 to the {len(self.variances)} directions kept"
            )
        return int(count)


def pca(
    data: Any,
    components: int | None = None,
    *,
    scale: bool = True,
    budget: float | None = BUDGET,
    random_state: int = 0,
) -> Projection:
    """Find the directions in which points spread most.

    Parameters
    ----------
    data : array, DataFrame, Table or path
        The points.
    components : int, optional
        How many directions to keep; all that have any variance by default.
    scale : bool, default True
        Bring columns to standard deviation 1 first; without it, the widest column leads.
    budget : float, optional
        Seconds of estimated work beyond which a random part of the rows is looked at.
    random_state : int, default 0
        Which part.

    Returns
    -------
    Projection

    Examples
    --------
    >>> found = pca("iris")
    >>> found.shares.round(2).tolist()
    [0.73, 0.23, 0.04, 0.01]
    >>> bool(np.allclose(found.restore(found.coordinates), found.points.values))
    True
    """
    from sklearn.decomposition import PCA

    points = as_points(
        data, scale=scale, least=2, part="projection", budget=budget, random_state=random_state
    )
    n, p = points.shape
    if components is not None and (
        isinstance(components, bool) or not isinstance(components, int) or components < 1
    ):
        raise InvalidInputError(f"components is {components!r}: pass a number of directions")
    most = min(n, p)
    kept = most if components is None else min(components, most)
    if not np.sum((points.values - points.values[0]) ** 2):
        raise InvalidInputError("all points are in one place: pass others, or scale=True")
    model = PCA(kept, random_state=random_state).fit(points.values)
    variances = np.asarray(model.explained_variance_) * (n - 1) / n  # scikit-learn divides by N − 1
    some = variances > _NONE * variances[0]
    directions = np.asarray(model.components_)[some]
    largest = np.argmax(np.abs(directions), axis=1)
    directions = directions * np.sign(directions[np.arange(len(directions)), largest])[:, None]
    mean = points.values.mean(axis=0)
    away = points.values - mean
    total = float(np.sum(away**2)) / n
    return Projection(points, mean, directions, variances[some], total, away @ directions.T)
