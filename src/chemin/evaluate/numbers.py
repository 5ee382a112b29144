"""How good are predicted numbers? The size of their errors, and the share of the spread that they foretell.

RMSE = √(Σ (y − f)²/n), MAE = Σ |y − f|/n, R² = 1 − Σ (y − f)²/Σ (y − ȳ)². R² is 0 for the mean of the rows themselves,
and less than 0 for something worse. All intervals are those of the bootstrap.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from chemin.evaluate.inputs import as_numbers, check_lengths
from chemin.evaluate.intervals import bootstrap_interval
from chemin.evaluate.measures import MEASURES
from chemin.evaluate.score_table import Scores
from chemin.exceptions import InvalidInputError
from chemin.results import plural

_TABLE = ("RMSE", "MAE", "median absolute error", "R2")


def number_scores(
    y: Any, predicted: Any, *, level: float = 0.95, draws: int = 1000, random_state: int = 0
) -> Scores:
    """Return the measures of predicted numbers, each with its interval.

    Parameters
    ----------
    y, predicted : array of shape (n,)
        True and predicted numbers.
    level : float, default 0.95
        Of the intervals.
    draws, random_state : int
        Of the bootstrap.

    Returns
    -------
    Scores

    Examples
    --------
    >>> y = np.random.default_rng(0).normal(size=200)
    >>> print(number_scores(y, 0.8 * y + 0.1))
    200 rows
      RMSE                   0.215 (0.196 to 0.237 at 95%, BCa bootstrap)
      MAE                    0.173 (0.155 to 0.191 at 95%, BCa bootstrap)
      median absolute error  0.154 (0.127 to 0.174 at 95%, BCa bootstrap)
      R2                     0.95 (0.944 to 0.954 at 95%, BCa bootstrap)
    """
    truth = as_numbers("y", y)
    called = as_numbers("predicted", predicted)
    n = check_lengths(y=truth, predicted=called)
    if n < 2:
        raise InvalidInputError("there is 1 row, and an interval needs more: pass two at least")
    left_out = {}
    if np.ptp(truth) == 0.0:
        left_out["R2"] = "y is constant: pass rows whose values differ"
    found = {
        name: bootstrap_interval(
            MEASURES[name].compute, truth, called,
            level=level, draws=draws, random_state=random_state,
        )
        for name in _TABLE
        if name not in left_out
    }  # fmt: skip
    return Scores(found, left_out, plural(n, "row"))
