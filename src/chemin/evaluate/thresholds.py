"""From which decision on is a row called positive? The threshold at which mistakes cost least.

Cost(θ) = (c_FP FP(θ) + c_FN FN(θ))/n, with rows called positive if their decision is larger than θ. On the ROC curve,
lines of equal cost have slope (N/P) c_FP/c_FN, N and P the numbers of negative and positive rows: the best point is
where the highest of them touches the curve. The cost of the best of many thresholds is too low on the rows that chose
it: judge it on others.

References: Provost and Fawcett (2001); Elkan (2001).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from chemin.dictionaries.base import Floats
from chemin.evaluate.inputs import (
    as_numbers,
    as_positive,
    as_values,
    check_lengths,
    encode,
    find_labels,
)
from chemin.exceptions import InvalidInputError
from chemin.frames import as_frame
from chemin.results import Result

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, eq=False, repr=False)
class Threshold(Result):
    """The threshold of least cost, and what any other would cost.

    Attributes
    ----------
    positive : label
        What rows beyond the threshold are called.
    thresholds : ndarray of shape (T,)
        All that differ in what they call positive, falling.
    false_positive, true_positive : ndarray of shape (T,)
        The ROC curve: which share of the negative and of the positive rows is called positive.
    costs : ndarray of shape (T,)
        Mean cost of a row.
    best, usual : int
        The place of the threshold of least cost, and that of one that decides like the usual threshold.
    default : float
        The usual threshold.
    slope : float
        Of the lines of equal cost on the ROC curve.
    """

    positive: Any
    thresholds: Floats = field(repr=False)
    false_positive: Floats = field(repr=False)
    true_positive: Floats = field(repr=False)
    costs: Floats = field(repr=False)
    best: int
    usual: int
    default: float
    slope: float

    @property
    def threshold(self) -> float:
        """The threshold of least cost; rows are called positive if their decision is larger."""
        return float(self.thresholds[self.best])

    @property
    def cost(self) -> float:
        """Mean cost of a row at this threshold."""
        return float(self.costs[self.best])

    @property
    def default_cost(self) -> float:
        """Mean cost of a row at the usual threshold."""
        return float(self.costs[self.usual])

    def frame(self) -> Any:
        """Return a row per threshold as a DataFrame."""
        made = {
            "threshold": self.thresholds,
            "false-positive rate": self.false_positive,
            "true-positive rate": self.true_positive,
            "cost": self.costs,
        }
        return as_frame(made, instead="thresholds and costs")

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the ROC curve, the two thresholds on it, and the line of equal cost through the best one."""
        from chemin.plots.evaluation import draw_threshold

        points = {
            f"θ = {self.threshold:.3g}, cost {self.cost:.3g}": self.best,
            f"θ = {self.default:.3g}, cost {self.default_cost:.3g}": self.usual,
        }
        return draw_threshold(
            self.false_positive, self.true_positive, points, self.slope, str(self.positive), ax=ax
        )

    def __str__(self) -> str:
        return (
            f"{self.positive!r} if the decision is larger than {self.threshold:.3g}: a row costs {self.cost:.3g} on "
            f"average, {self.default_cost:.3g} at the usual {self.default:g} (lines of equal cost have slope "
            f"{self.slope:.3g} on the ROC curve)"
        )


def choose_threshold(
    y: Any,
    decisions: Any,
    positive: Any = None,
    cost_false_positive: float = 1.0,
    cost_false_negative: float = 1.0,
    *,
    default: float = 0.0,
) -> Threshold:
    """Choose the threshold at which mistakes cost least.

    Parameters
    ----------
    y : array of shape (n,)
        Labels of two classes, of rows that the model was not trained on.
    decisions : array of shape (n,)
        The larger, the more it is the positive label: values of ``decision_function``, or probabilities.
    positive : optional
        The positive label; the second one by default.
    cost_false_positive, cost_false_negative : float, default 1.0
        What it costs to call a negative row positive, and to miss a positive one.
    default : float, default 0.0
        The usual threshold, with which the best one is compared: 0.5 for probabilities.

    Returns
    -------
    Threshold

    Examples
    --------
    >>> found = choose_threshold([0, 0, 1, 0, 1, 1], [-2.0, -1.0, -0.5, 0.5, 1.0, 2.0], cost_false_negative=10.0)
    >>> print(found)
    1 if the decision is larger than -0.75: a row costs 0.167 on average, 1.83 at the usual 0 (lines of equal cost have
    slope 0.1 on the ROC curve)
    """
    prices = []
    for name, price in (
        ("cost_false_positive", cost_false_positive),
        ("cost_false_negative", cost_false_negative),
    ):
        if not isinstance(price, int | float | np.number) or not 0.0 < price < np.inf:
            raise InvalidInputError(f"{name} is {price!r}: pass a number larger than 0")
        prices.append(float(price))
    if not isinstance(default, int | float | np.number) or not np.isfinite(default):
        raise InvalidInputError(f"default is {default!r}: pass a number, 0.5 for probabilities")
    given = as_values("y", y)
    labels = find_labels(given)
    place = as_positive(positive, labels)
    values = as_numbers("decisions", decisions)
    n = check_lengths(y=given, decisions=values)
    mine = encode("y", given, labels) == place
    levels, groups = np.unique(-values, return_inverse=True)
    levels = -levels
    # before the first level nothing is called positive, after the last one everything
    hits = np.append(0, np.cumsum(np.bincount(groups, weights=mine)))
    wrong = np.append(0, np.cumsum(np.bincount(groups, weights=~mine)))
    P, N = int(mine.sum()), n - int(mine.sum())
    between = levels[1:] + (levels[:-1] - levels[1:]) / 2.0
    between = np.where(between < levels[:-1], between, levels[1:])  # of neighbouring floats
    thresholds = np.concatenate([levels[:1], between, [np.nextafter(levels[-1], -np.inf)]])
    costs = (prices[0] * wrong + prices[1] * (P - hits)) / n
    usual = int(np.sum(levels > default))
    least = np.flatnonzero(costs <= costs.min() * (1.0 + 1e-12))
    best = int(least[np.argmin(np.abs(least - usual))])
    slope = N / P * prices[0] / prices[1]
    return Threshold(
        labels[place], thresholds, wrong / N, hits / P, costs, best, usual, float(default), slope
    )
