"""Where is the cross-validated error least? A region of the rectangle, and how much of that is proved."""

from __future__ import annotations

from dataclasses import dataclass, field

from chemin.dictionaries.base import Floats
from chemin.results import Result, plural

SAME = 1e-12  # errors closer than this are equal


@dataclass(frozen=True, eq=False, repr=False)
class BestRegion(Result):
    """Where in a rectangle of (l1, l2) the cross-validated error is least.

    What is thinner than 1e-11 of the rectangle's upper ends is not told from rounding, and does not count.

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
    l1, l2 : float
        A point of it that is far from its edges, in ratios of l1 and of l2.
    """

    error: float
    lower: float
    is_whole: bool
    polygons: list[Floats] = field(repr=False)
    l1: float
    l2: float

    @property
    def is_exact(self) -> bool:
        """Whether no (l1, l2) is better."""
        return self.error <= self.lower + SAME

    def __str__(self) -> str:
        most = self.error - self.lower
        known = "the least" if self.is_exact else f"not above the least by more than {most:.2g}"
        count = plural(len(self.polygons), "polygon")
        part = "" if self.is_whole else ", which may not be all"
        return (
            f"The cross-validated error is {self.error:.4g}, {known}, on {count}{part}, one of them around "
            f"(l1, l2) = ({self.l1:.4g}, {self.l2:.4g})."
        )
