"""Is there a best learner? On average over all problems, no: every problem on a few points is tried.

With P points, training on m of them and no noise, the mean error on the other points over all 2^P labellings is ½ for
every learner: half of the labellings that agree on the training points have each label elsewhere. Over some of the
problems only, such as the thresholds, learners do differ: what helps is an assumption.

References: Wolpert (1996), *The lack of a priori distinctions between learning algorithms*; F. Sur, 8.6; N. Baskiotis,
*Machine Learning*, lecture 6.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from chemin.dictionaries.base import Floats
from chemin.frames import as_frame
from chemin.theory.theorem import Promise, Theorem

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["NoFreeLunch", "no_free_lunch"]

Learner = Callable[[Any, Any, Any], Any]
_MOST = 10

LUNCH = Theorem(
    "no free lunch",
    "the mean error on points that were not seen, over all labellings, is ½ for every learner",
    ("all labellings count alike", "rows that judge were not seen", "no noise"),
    "Wolpert 1996; Sur, 8.6",
)


@dataclass(frozen=True, eq=False, repr=False)
class NoFreeLunch(Promise):
    """Errors of learners on points that were not seen.

    Attributes
    ----------
    names : tuple of str
        The learners.
    errors : ndarray of shape (learners, problems)
        Mean error over the training sets.
    complete : bool
        Whether the problems are all labellings.
    points, training : int
        P and m.
    """

    theorem = LUNCH
    names: tuple[str, ...]
    errors: Floats
    complete: bool
    points: int
    training: int

    @property
    def mean(self) -> Floats:
        """The mean error of each learner."""
        return np.asarray(self.errors.mean(axis=1))

    def __str__(self) -> str:
        means = ", ".join(
            f"{name} {mean:.4g}" for name, mean in zip(self.names, self.mean, strict=True)
        )
        of = f"all {self.errors.shape[1]}" if self.complete else str(self.errors.shape[1])
        return f"mean errors on unseen points over {of} labellings of {self.points} points: {means}"

    def frame(self) -> Any:
        """Return a row per learner as a DataFrame."""
        made = {
            "learner": self.names,
            "mean": self.mean,
            "least": self.errors.min(axis=1),
            "largest": self.errors.max(axis=1),
        }
        return as_frame(made, instead="errors")

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the errors of each learner in rising order: over all labellings they enclose the same area."""
        from chemin.plots.theory.curves import draw_curves

        share = np.linspace(0.0, 1.0, self.errors.shape[1])
        curves = {
            f"{name}, mean {mean:.3g}": np.sort(row)
            for name, mean, row in zip(self.names, self.mean, self.errors, strict=True)
        }
        return draw_curves(
            share, curves, x_label="share of the labellings", y_label="error on unseen points", ax=ax
        )  # fmt: skip


def no_free_lunch(
    learners: Mapping[str, Learner] | None = None,
    *,
    points: int = 5,
    training: int = 3,
    problems: Any = None,
) -> NoFreeLunch:
    """Try learners on every labelling of a few points of a line, with every training set.

    Parameters
    ----------
    learners : mapping, optional
        Name → function (places, labels, new places) → labels of 0 and 1. By default nearest neighbour, majority and
        minority.
    points, training : int
        P and m.
    problems : array of shape (problems, P), optional
        The labellings that count, rather than all.

    Returns
    -------
    NoFreeLunch

    Examples
    --------
    >>> no_free_lunch().mean.tolist()
    [0.5, 0.5, 0.5]
    >>> thresholds = [[int(x >= t) for x in range(5)] for t in range(6)]
    >>> no_free_lunch(problems=thresholds).mean.round(3).tolist()
    [0.183, 0.3, 0.7]
    """
    points = LUNCH.whole("points", points, "P", 2)
    LUNCH.require(points <= _MOST, f"P ≤ {_MOST}, to try all", f"points is {points}", "pass fewer")
    training = LUNCH.whole("training", training, "m")
    remedy = "pass fewer training points than points"
    LUNCH.require(
        training < points, "rows that were not seen", f"m is {training} of {points}", remedy
    )
    chosen = LEARNERS if learners is None else learners
    every = np.arange(2**points)[:, None] >> np.arange(points) & 1
    given = every if problems is None else np.asarray(problems)
    right = given.ndim == 2 and given.shape[1:] == (points,) and bool(np.isin(given, (0, 1)).all())
    remedy = f"pass rows of {points} labels 0 or 1"
    LUNCH.require(
        right, "labellings of the points", f"problems has the shape {given.shape}", remedy
    )
    place = np.arange(points)
    errors = np.zeros((len(chosen), len(given)))
    parts = [np.array(part) for part in combinations(range(points), training)]
    for row, learner in enumerate(chosen.values()):
        for seen in parts:
            rest = np.setdiff1d(place, seen)
            errors[row] += [np.sum(learner(seen, y[seen], rest) != y[rest]) for y in given]
    errors /= len(parts) * (points - training)
    return NoFreeLunch(tuple(chosen), errors, problems is None, points, training)


def _nearest(seen: Any, labels: Any, rest: Any) -> Any:
    return labels[np.abs(rest[:, None] - seen).argmin(axis=1)]


def _majority(seen: Any, labels: Any, rest: Any) -> Any:
    return np.full(len(rest), int(2 * labels.sum() >= len(labels)))


def _minority(seen: Any, labels: Any, rest: Any) -> Any:
    return 1 - _majority(seen, labels, rest)


LEARNERS: dict[str, Learner] = {
    "nearest neighbour": _nearest,
    "majority": _majority,
    "minority": _minority,
}
