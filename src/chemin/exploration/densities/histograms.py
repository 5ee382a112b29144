"""How many rows fall where? Histograms, and how much of their look is due to where the bins begin.

In a bin of measure m that holds c of N points, the density is c/(N m).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from chemin.dictionaries.base import Floats
from chemin.exceptions import InvalidInputError
from chemin.exploration.densities.density import Density
from chemin.exploration.points import Points, as_column
from chemin.frames import as_frame
from chemin.results import Result

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MOST = 100_000  # bins


@dataclass(frozen=True, eq=False, repr=False)
class Histogram(Density):
    """A density that is constant on each bin.

    Attributes
    ----------
    edges : ndarray
        Ends of the bins.
    counts : ndarray
        Points in each.
    """

    edges: Floats
    counts: Floats

    @property
    def name(self) -> str:
        return f"histogram of {len(self.counts)} bins"

    @property
    def heights(self) -> Floats:
        """Densities on the bins."""
        return self.counts / (self.counts.sum() * np.diff(self.edges))

    def log_pdf(self, x: Any) -> Floats:
        nodes = self._nodes(x)[:, 0]
        place = np.searchsorted(self.edges, nodes, side="right") - 1
        place = np.where(nodes == self.edges[-1], len(self.counts) - 1, place)
        inside = (place >= 0) & (place < len(self.counts))
        heights = np.where(inside, self.heights[np.clip(place, 0, len(self.counts) - 1)], 0.0)
        with np.errstate(divide="ignore"):
            return np.log(heights)

    def frame(self) -> Any:
        """Return a row per bin as a DataFrame."""
        made = {
            "from": self.edges[:-1],
            "to": self.edges[1:],
            "count": self.counts.astype(int),
            "density": self.heights,
        }
        return as_frame(made, instead="edges, counts and heights")

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the bins."""
        from chemin.plots.exploration.densities import draw_bins

        return draw_bins(self.edges, self.heights, name=self.points.names[0], ax=ax)


@dataclass(frozen=True, eq=False, repr=False)
class BinSensitivity(Result):
    """One column, histograms of one bin width whose first bin begins at different places.

    Attributes
    ----------
    histograms : tuple of Histogram
        One per place.
    shifts : ndarray
        How far each begins to the left, in widths of a bin.
    distance : float
        The largest total variation between two of them, half of ∫|f − g|: 0 if the place does not matter, 1 at most.
    """

    histograms: tuple[Histogram, ...]
    shifts: Floats
    distance: float

    @property
    def average(self) -> tuple[Floats, Floats]:
        """The mean of all, which depends on no place: abscissas and densities."""
        first = self.histograms[0]
        x = first.grid()[0]
        return x, np.mean([made.pdf(x) for made in self.histograms], axis=0)

    def frame(self) -> Any:
        """Return all bins of all histograms as a DataFrame."""
        made = {
            "shift": np.concatenate(
                [
                    np.full(len(h.counts), s)
                    for h, s in zip(self.histograms, self.shifts, strict=True)
                ]
            ),
            "from": np.concatenate([h.edges[:-1] for h in self.histograms]),
            "to": np.concatenate([h.edges[1:] for h in self.histograms]),
            "density": np.concatenate([h.heights for h in self.histograms]),
        }
        return as_frame(made, instead="histograms")

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw all histograms over one another, and their mean."""
        from chemin.plots.exploration.densities import draw_shifted

        return draw_shifted(
            [(made.edges, made.heights) for made in self.histograms],
            self.average,
            self.distance,
            name=self.histograms[0].points.names[0],
            ax=ax,
        )

    def __str__(self) -> str:
        width = np.diff(self.histograms[0].edges)[0]
        return (
            f"bins of width {width:.4g}: moving where they begin changes the histogram by up to {self.distance:.0%} "
            "of its area"
        )


def histogram(data: Any, bins: int | str | Any = "auto", *, shift: float = 0.0) -> Histogram:
    """Estimate the density of one column by counting.

    Parameters
    ----------
    data : array of shape (n,)
        The column; gaps are left out.
    bins : int, str or array, default "auto"
        How many, a rule of `numpy.histogram_bin_edges`, or their ends.
    shift : float, default 0
        How far bins begin to the left of the least value, in widths of a bin.

    Returns
    -------
    Histogram

    Examples
    --------
    >>> made = histogram([0.1, 0.2, 0.3, 0.9], bins=[0.0, 0.5, 1.0])
    >>> made.heights.tolist(), made.integral(0.0, 1.0, 1001) > 0.99
    ([1.5, 0.5], True)
    """
    name, values = as_column(data, least=1)
    if not isinstance(shift, int | float | np.number) or not np.isfinite(shift):
        raise InvalidInputError(f"shift is {shift!r}: pass a part of a bin, such as 0.5")
    if isinstance(bins, bool) or (isinstance(bins, int | np.integer) and bins > _MOST):
        raise InvalidInputError(f"bins is {bins!r}: pass a number up to {_MOST}, a rule, or ends")
    try:
        edges = np.histogram_bin_edges(values, bins)
    except (TypeError, ValueError) as error:
        raise InvalidInputError(
            f"bins is {bins!r} ({error}): pass a number, a rule such as 'auto', or increasing ends"
        ) from error
    if not np.isfinite(edges).all() or not np.all(np.diff(edges) > 0.0):
        raise InvalidInputError(f"bins is {bins!r}: pass finite ends, each larger than the last")
    if shift:
        width = edges[1] - edges[0]
        edges = np.append(edges, edges[-1] + width) - shift * width
    counts = np.histogram(values, edges)[0].astype(float)
    if not counts.any():
        raise InvalidInputError(f"no value of {name!r} is in the bins: pass ends around the data")
    points = Points(values[:, None], (name,), np.arange(len(values)), f"all {len(values)} values")
    return Histogram(points, edges, counts)


def bin_sensitivity(data: Any, bins: int | str = "auto", *, shifts: int = 8) -> BinSensitivity:
    """Draw the same histogram with bins that begin elsewhere, to see what of it is real.

    Parameters
    ----------
    data : array of shape (n,)
        The column.
    bins : int or str, default "auto"
        How many, or a rule of `numpy.histogram_bin_edges`.
    shifts : int, default 8
        How many places to begin at, evenly spread over a bin.

    Returns
    -------
    BinSensitivity

    Examples
    --------
    >>> import numpy as np
    >>> looked = bin_sensitivity(np.random.default_rng(0).normal(size=200), bins=12)
    >>> print(looked)
    bins of width 0.3667: moving where they begin changes the histogram by up to 14% of its area
    """
    if not isinstance(shifts, int) or shifts < 2:
        raise InvalidInputError(f"shifts is {shifts!r}: pass at least 2")
    places = np.arange(shifts) / shifts
    made = tuple(histogram(data, bins, shift=float(place)) for place in places)
    distance = max(
        _variation(first, second) for k, first in enumerate(made) for second in made[k + 1 :]
    )
    return BinSensitivity(made, places, distance)


def _variation(first: Histogram, second: Histogram) -> float:
    """Return half of ∫|f − g|, exact: both are constant between neighbouring ends."""
    ends = np.union1d(first.edges, second.edges)
    middles = (ends[1:] + ends[:-1]) / 2.0
    return float(0.5 * np.abs(first.pdf(middles) - second.pdf(middles)) @ np.diff(ends))
