"""Does it happen as often as foretold? Of the rows with probability near 0.8, about 80 % should be positive.

Rows are put in bins of the probability. In bin b, of n_b rows, the share that is positive is compared with the mean
probability; the calibration error is Σ n_b/n |share − mean|. Its interval does not hold 0 even of a calibrated model,
for shares differ from probabilities by chance, too: look at how many bins hold their mean in their exact interval.

References: Murphy (1973); Niculescu-Mizil and Caruana (2005); Guo et al. (2017).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from chemin.dictionaries.base import Floats, Indices
from chemin.evaluate.inputs import (
    as_positive,
    as_probabilities,
    as_values,
    check_lengths,
    check_level,
    check_whole,
    encode,
    find_labels,
)
from chemin.evaluate.intervals import Interval, bootstrap_interval, proportion_interval
from chemin.evaluate.measures import BINS, bin_places, brier, calibration_error
from chemin.frames import as_frame
from chemin.results import Result, plural

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, eq=False, repr=False)
class Calibration(Result):
    """How often what was foretold came true, bin by bin; empty bins are left out.

    Attributes
    ----------
    positive : label
        What is foretold.
    edges : ndarray of shape (B, 2)
        The ends of each bin.
    foretold : ndarray of shape (B,)
        The mean probability.
    counts, hits : ndarray of shape (B,)
        Rows, and how many of them are positive.
    shares : tuple of Interval
        The share of the positive ones, exact.
    brier, error : Interval
        Brier's score and the calibration error.
    """

    positive: Any
    edges: Floats = field(repr=False)
    foretold: Floats
    counts: Indices
    hits: Indices
    shares: tuple[Interval, ...]
    brier: Interval
    error: Interval

    @property
    def held(self) -> int:
        """How many bins have their mean probability in the interval of their share."""
        return sum(p in share for p, share in zip(self.foretold.tolist(), self.shares, strict=True))

    def frame(self) -> Any:
        """Return a row per bin as a DataFrame."""
        made = {
            "from": self.edges[:, 0],
            "to": self.edges[:, 1],
            "rows": self.counts,
            "foretold": self.foretold,
            "came true": [share.value for share in self.shares],
            "low": [share.low for share in self.shares],
            "high": [share.high for share in self.shares],
        }
        return as_frame(made, instead="foretold and shares")

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the share that came true against the probability, and how many rows there are."""
        from chemin.plots.evaluation import draw_calibration

        ends = np.array([[share.value, share.low, share.high] for share in self.shares])
        return draw_calibration(
            self.foretold,
            ends,
            self.edges,
            self.counts,
            f"{self.positive}",
            title=self._told,
            ax=ax,
        )

    def __str__(self) -> str:
        return f"{self._told}; Brier {self.brier}; calibration error {self.error}"

    @property
    def _told(self) -> str:
        return (
            f"{plural(int(self.counts.sum()), 'row')}: in {self.held} of {plural(len(self.counts), 'bin')} "
            f"{self.positive!r} came as often as foretold"
        )


def calibration(
    y: Any,
    probability: Any,
    positive: Any = None,
    bins: int = BINS,
    *,
    level: float = 0.95,
    draws: int = 1000,
    random_state: int = 0,
) -> Calibration:
    """Compare probabilities with what came true.

    Parameters
    ----------
    y : array of shape (n,)
        Labels of two classes.
    probability : array of shape (n,) or (n, 2)
        The probability of the positive label, or a column per label, sorted.
    positive : optional
        The positive label; the second one by default.
    bins : int, default 10
        How many, all of the same width.
    level : float, default 0.95
        Of the intervals.
    draws, random_state : int
        Of the bootstrap, for Brier's score and the calibration error.

    Returns
    -------
    Calibration

    Examples
    --------
    >>> drawing = np.random.default_rng(0)
    >>> p = drawing.random(500)
    >>> found = calibration(drawing.random(500) < p, p)
    >>> len(found.counts), found.held >= 8
    (10, True)
    """
    level = check_level(level)
    bins = check_whole("bins", bins, 1)
    given = as_values("y", y)
    labels = find_labels(given)
    place = as_positive(positive, labels)
    mine = (encode("y", given, labels) == place).astype(np.intp)
    laws = as_probabilities(probability, labels)
    check_lengths(y=mine, probability=laws)
    # one column is that of the positive label, two are in the order of the labels
    p = (
        laws[:, place]
        if np.ndim(probability) == 2 and np.shape(probability)[1] == 2
        else laws[:, 1]
    )
    places = bin_places(p, bins)
    counts = np.bincount(places, minlength=bins)
    hits = np.bincount(places, weights=mine, minlength=bins).astype(np.intp)
    filled = np.flatnonzero(counts)
    sums = np.bincount(places, weights=p, minlength=bins)
    edges = np.column_stack([filled, filled + 1]) / bins
    both = np.column_stack([1.0 - p, p])
    drawn: dict[str, Any] = {"level": level, "draws": draws, "random_state": random_state}
    return Calibration(
        labels[place],
        edges,
        sums[filled] / counts[filled],
        counts[filled],
        hits[filled],
        tuple(proportion_interval(int(hits[b]), int(counts[b]), level) for b in filled),
        bootstrap_interval(brier, mine, both, **drawn),
        bootstrap_interval(lambda m, q: calibration_error(m, q, bins), mine, both, **drawn),
    )
