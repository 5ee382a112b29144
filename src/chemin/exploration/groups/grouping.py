"""Which rows belong together? What every way of grouping gives: a label per row, sizes, profiles, a picture.

The silhouette of a row is (b − a)/max(a, b), with a its mean distance to its own group and b the least mean distance to
another: near 1 inside a group, near 0 between two.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from chemin.dictionaries.base import Floats, Indices
from chemin.exceptions import InvalidInputError
from chemin.exploration.cost import drawn, estimate_cost
from chemin.exploration.points import Points
from chemin.frames import as_frame
from chemin.results import Result, plural

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NOISE = -1  # the label of rows that belong to no group


@dataclass(frozen=True, eq=False, repr=False)
class Grouping(Result):
    """Rows in groups.

    Attributes
    ----------
    points : Points
        What was grouped, and which of the rows given these are.
    labels : ndarray of shape (n,)
        The group of each row, from 0; −1 for rows in none.
    method : str
        How they were found.
    """

    points: Points = field(repr=False)
    labels: Indices = field(repr=False)
    method: str

    @property
    def count(self) -> int:
        """How many groups."""
        return len(self.sizes)

    @property
    def sizes(self) -> Indices:
        """Rows in each group."""
        kept = self.labels[self.labels != NOISE]
        return np.bincount(kept) if len(kept) else np.zeros(0, dtype=np.intp)

    @property
    def noise(self) -> int:
        """Rows in no group."""
        return int((self.labels == NOISE).sum())

    @property
    def means(self) -> Floats:
        """The mean of each group."""
        return group_means(self.points.values, self.labels, self.count)

    @property
    def inertia(self) -> float:
        """The sum of the squared distances to the means of the groups."""
        kept = self.labels != NOISE
        return inertia_of(self.points.values[kept], self.labels[kept], self.means)

    @cached_property
    def silhouettes(self) -> Floats:
        """The silhouette of each row; NaN for rows in no group, and where there is one group.

        Of so many rows that distances between all would take too long, those of a random part among themselves.
        """
        from sklearn.metrics import silhouette_samples

        found = np.full(len(self.labels), np.nan)
        kept = np.flatnonzero(self.labels != NOISE)
        cost = estimate_cost("silhouette", len(kept), self.points.shape[1])
        kept = kept[drawn(len(kept), cost.rows, 0)]
        groups = len(np.unique(self.labels[kept]))
        if 2 <= groups < len(kept):
            found[kept] = silhouette_samples(self.points.values[kept], self.labels[kept])
        return found

    @property
    def silhouette(self) -> float:
        """The mean of the silhouettes; NaN where there is one group."""
        known = self.silhouettes[~np.isnan(self.silhouettes)]
        return float(known.mean()) if len(known) else float("nan")

    def agreement(self, other: Any) -> float:
        """Return the adjusted Rand index with other labels of the same rows: 1 if alike, about 0 by chance.

        Parameters
        ----------
        other : Grouping or array of shape (n,)
            Groups or classes; of a `Grouping`, those of the rows that both looked at.

        Returns
        -------
        float
        """
        from sklearn.metrics import adjusted_rand_score

        if isinstance(other, Grouping):
            _, mine, theirs = np.intersect1d(
                self.points.rows, other.points.rows, return_indices=True
            )
            return float(adjusted_rand_score(other.labels[theirs], self.labels[mine]))
        labels = np.atleast_1d(np.asarray(other))
        if len(labels) != len(self.labels) and len(labels) > self.points.rows.max():
            labels = labels[self.points.rows]
        if labels.shape != self.labels.shape:
            raise InvalidInputError(
                f"there are {len(labels)} labels for {len(self.labels)} rows: pass one per row"
            )
        return float(adjusted_rand_score(labels, self.labels))

    def profile(self) -> Any:
        """Return a row per group as a DataFrame: its size and the mean of every column."""
        made: dict[str, Any] = {"group": np.arange(self.count), "size": self.sizes}
        made |= dict(zip(self.points.names, self.means.T, strict=True))
        return as_frame(made, instead="sizes and means")

    def frame(self) -> Any:
        """Return a row per point as a DataFrame: its row, its group, its silhouette."""
        made = {"row": self.points.rows, "group": self.labels, "silhouette": self.silhouettes}
        return as_frame(made, instead="labels")

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the points in the plane of their two main directions, in the colours of their groups."""
        from chemin.plots.exploration.groups import draw_groups

        plane, names, _ = in_plane(self.points)
        return draw_groups(plane, self.labels, names, title=str(self), ax=ax)

    def plot_silhouettes(self, ax: Axes | None = None) -> Axes:
        """Draw the silhouette of every row, group by group."""
        from chemin.plots.exploration.groups import draw_silhouettes

        if np.isnan(self.silhouettes).all():
            raise InvalidInputError(
                f"{self.count} groups have no silhouettes: pass groups= from 2 to one less than there are rows"
            )
        return draw_silhouettes(self.silhouettes, self.labels, title=self.method, ax=ax)

    def __str__(self) -> str:
        sizes = ", ".join(map(str, self.sizes[:8].tolist())) + ", …" * (self.count > 8)
        noise = f"; {plural(self.noise, 'row')} in none" if self.noise else ""
        return f"{self.method}: {plural(self.count, 'group')} of {sizes} rows{noise}"


def group_means(X: Floats, labels: Indices, count: int) -> Floats:
    """Return the mean of each group."""
    member = labels[:, None] == np.arange(count)
    return (member.T.astype(float) @ X) / np.maximum(member.sum(axis=0), 1)[:, None]


def inertia_of(X: Floats, labels: Indices, centers: Floats) -> float:
    """Return Σ‖x − m‖² over points x and the centres m of their groups."""
    return float(np.sum((X - centers[labels]) ** 2)) if len(X) else 0.0


def in_order(labels: Any) -> Indices:
    """Return labels numbered by the first row of each group, −1 kept.

    Examples
    --------
    >>> in_order([5, 5, -1, 2]).tolist()
    [0, 0, -1, 1]
    """
    given = np.asarray(labels)
    kept = given != NOISE
    values, first, place = np.unique(given[kept], return_index=True, return_inverse=True)
    rank = np.empty(len(values), dtype=np.intp)
    rank[np.argsort(first)] = np.arange(len(values))
    made = np.full(len(given), NOISE, dtype=np.intp)
    made[kept] = rank[place]
    return made


def in_plane(points: Points) -> tuple[Floats, tuple[str, str], Floats]:
    """Return points in two dimensions, the names of these, and the directions (2, p) that lead there.

    Two columns stay as they are; of more, the two directions of the largest variance.
    """
    values = points.values
    n, p = points.shape
    if p == 1:
        return (
            np.column_stack([values[:, 0], np.zeros(n)]),
            (points.names[0], ""),
            np.eye(2, 1),
        )
    if p == 2:
        return values, (points.names[0], points.names[1]), np.eye(2)
    _, spread, axes = np.linalg.svd(values - values.mean(axis=0), full_matrices=False)
    share = spread**2 / max(np.sum(spread**2), 1e-300)
    if len(axes) < 2:
        axes = np.vstack([axes, np.zeros_like(axes)])
        share = np.append(share, 0.0)
    named = (f"direction 1 ({share[0]:.0%})", f"direction 2 ({share[1]:.0%})")
    return values @ axes[:2].T, named, axes[:2]


def check_count(count: Any, n: int, what: str = "groups") -> int:
    """Return a number of groups, if there are so many points."""
    if isinstance(count, bool) or not isinstance(count, int | np.integer) or not 1 <= count <= n:
        raise InvalidInputError(
            f"{what} is {count!r}: pass a whole number from 1 to the {n} points looked at"
        )
    return int(count)


def check_restarts(restarts: Any) -> int:
    """Return a number of starts, if it is one."""
    if isinstance(restarts, bool) or not isinstance(restarts, int | np.integer) or restarts < 1:
        raise InvalidInputError(f"restarts is {restarts!r}: pass a whole number, at least 1")
    return int(restarts)
