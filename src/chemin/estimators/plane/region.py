"""Where is the cross-validated error least? A region of the rectangle, and how much of that is proved."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from chemin.dictionaries.base import Floats
from chemin.engine.plane.polygon import area, centre
from chemin.results import Result, plural

SAME = 1e-12  # errors closer than this are equal


@dataclass(frozen=True, eq=False, repr=False)
class BestRegion(Result):
    """Where in a rectangle of (l1, l2) the cross-validated error is least.

    Attributes
    ----------
    error : float
        The mean over the folds there, as small as was found.
    lower : float
        What no (l1, l2) of the rectangle is below: the error itself, unless the search was cut short.
    is_whole : bool
        Whether ``polygons`` are all of the region: no other (l1, l2) is as good.
    polygons : list of ndarray
        The region, as convex polygons: one row (l1, l2) for each corner.
    """

    error: float
    lower: float
    is_whole: bool
    polygons: list[Floats] = field(repr=False)

    @property
    def is_exact(self) -> bool:
        """Whether no (l1, l2) is better."""
        return self.error <= self.lower + SAME

    @property
    def l1(self) -> float:
        """The l1 of the centre of the polygon that is largest for where it is."""
        return self._centre[0]

    @property
    def l2(self) -> float:
        """The l2 of that centre."""
        return self._centre[1]

    @property
    def _centre(self) -> tuple[float, float]:
        middles = np.array([centre(polygon) for polygon in self.polygons])
        sizes = np.array([area(polygon) for polygon in self.polygons]) / middles.prod(axis=1)
        l1, l2 = middles[int(np.argmax(sizes))].tolist()
        return l1, l2

    def __str__(self) -> str:
        most = self.error - self.lower
        known = "the least" if self.is_exact else f"not above the least by more than {most:.2g}"
        count = plural(len(self.polygons), "polygon")
        part = "" if self.is_whole else ", which may not be all"
        return (
            f"The cross-validated error is {self.error:.4g}, {known}, on {count}{part}, one of them around "
            f"(l1, l2) = ({self.l1:.4g}, {self.l2:.4g})."
        )
