"""What merges first? Hierarchical groups, their tree, and where to cut it.

Two groups A, B of a and b points are as far apart as their nearest points (single), their farthest (complete), the mean
over all pairs (average), or by Ward D = ab/(a + b) ‖m_A − m_B‖², which is by how much their union raises the inertia.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from chemin.dictionaries.base import Floats
from chemin.exceptions import InvalidInputError
from chemin.exploration.cost import BUDGET
from chemin.exploration.groups.grouping import Grouping, check_count, in_order
from chemin.exploration.points import Points, as_points
from chemin.frames import as_frame
from chemin.results import Result, plural

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LINKAGES = ("single", "complete", "average", "ward")


@dataclass(frozen=True, eq=False, repr=False)
class Hierarchy(Result):
    """The tree of merges.

    Attributes
    ----------
    points : Points
        What was grouped.
    linkage : str
        "single", "complete", "average" or "ward".
    merges : ndarray of shape (n − 1, 4)
        As in `scipy.cluster.hierarchy.linkage`: the two groups, SciPy's height, the size.
    """

    points: Points = field(repr=False)
    linkage: str
    merges: Floats = field(repr=False)

    @property
    def heights(self) -> Floats:
        """How far apart the two groups of each merge are; by Ward, the rise of the inertia, half of SciPy's squared."""
        given = self.merges[:, 2]
        return given**2 / 2.0 if self.linkage == "ward" else given

    @property
    def jump(self) -> tuple[float, float]:
        """The largest step between the heights of two merges that follow one another."""
        if len(self.heights) < 2:
            raise InvalidInputError("two points merge once, so that there is no jump: pass groups=")
        step = int(np.argmax(np.diff(self.heights)))
        return float(self.heights[step]), float(self.heights[step + 1])

    def cut(self, groups: int | None = None, *, height: float | None = None) -> Grouping:
        """Return the groups at some level of the tree, by default inside its largest jump.

        Parameters
        ----------
        groups : int, optional
            How many.
        height : float, optional
            Merges above it are undone; in the unit of ``heights``.

        Returns
        -------
        Grouping

        Examples
        --------
        >>> tree = hierarchy([0.0, 1.0, 10.0, 11.0, 12.5])
        >>> tree.cut().labels.tolist(), tree.cut(3).labels.tolist()
        ([0, 0, 1, 1, 1], [0, 0, 1, 1, 2])
        """
        n = len(self.points.values)
        if groups is not None and height is not None:
            raise InvalidInputError("groups and height are both given: pass one of them")
        if groups is not None:
            kept = n - check_count(groups, n)
            how = f"cut for {groups}"
        elif height is not None:
            if not isinstance(height, int | float | np.number) or np.isnan(height):
                raise InvalidInputError(f"height is {height!r}: pass a number")
            kept = int(np.searchsorted(self.heights, height, side="right"))
            how = f"cut at height {height:.4g}"
        else:
            low, high = self.jump
            kept = int(np.argmax(np.diff(self.heights))) + 1
            how = f"cut in the largest jump, from {low:.4g} to {high:.4g}"
        labels = _labels_after(self.merges, n, kept)
        return Grouping(self.points, labels, f"{self.linkage} linkage, {how}")

    def __str__(self) -> str:
        return f"{self.linkage} linkage of {len(self.points.values)} points; {self.points.said}"

    def frame(self) -> Any:
        """Return a row per merge as a DataFrame."""
        made = {
            "first": self.merges[:, 0].astype(int),
            "second": self.merges[:, 1].astype(int),
            "height": self.heights,
            "size": self.merges[:, 3].astype(int),
            "groups left": np.arange(len(self.merges), 0, -1),
        }
        return as_frame(made, instead="merges and heights")

    def plot(self, ax: Axes | None = None, *, groups: int | None = None) -> Axes:
        """Draw the tree, its groups in colours: so many, or those of the largest jump."""
        from chemin.plots.exploration.groups import draw_tree

        cut = self.cut(groups)
        merges = self.merges.copy()
        merges[:, 2] = self.heights
        kept = len(self.points.values) - cut.count
        level = np.append(self.heights, self.heights[-1] * 1.05)
        below = level[kept - 1] if kept else 0.0
        return draw_tree(
            merges,
            (below + level[kept]) / 2.0,
            self.points.rows,
            title=f"{self.linkage} linkage, {plural(cut.count, 'group')}",
            kept=kept,
            ax=ax,
        )


def hierarchy(
    data: Any,
    linkage: str = "ward",
    *,
    scale: bool = False,
    budget: float | None = BUDGET,
    random_state: int = 0,
) -> Hierarchy:
    """Merge the two nearest groups again and again, from single points up to all of them.

    Parameters
    ----------
    data : array, DataFrame, Table or path
        The points.
    linkage : {"ward", "single", "complete", "average"}, default "ward"
        How far apart two groups are.
    scale : bool, default False
        Bring columns to standard deviation 1 first.
    budget : float, optional
        Seconds of estimated work beyond which a random part of the rows is looked at.
    random_state : int, default 0
        Which part.

    Returns
    -------
    Hierarchy

    Examples
    --------
    >>> tree = hierarchy("iris", scale=True)
    >>> print(tree.cut(3))
    ward linkage, cut for 3: 3 groups of 49, 30, 71 rows
    """
    from scipy.cluster import hierarchy as scipy_hierarchy

    if linkage not in LINKAGES:
        raise InvalidInputError(f"linkage is {linkage!r}: pass one of {', '.join(LINKAGES)}")
    points = as_points(
        data, scale=scale, least=2, part="hierarchy", budget=budget, random_state=random_state
    )
    return Hierarchy(points, linkage, scipy_hierarchy.linkage(points.values, linkage))


def _labels_after(merges: Floats, n: int, kept: int) -> Any:
    """Return the groups after the first so many merges."""
    owner = np.arange(n + kept)
    for step in range(kept - 1, -1, -1):
        for child in merges[step, :2].astype(int):
            owner[child] = owner[n + step]
    return in_order(owner[:n])
