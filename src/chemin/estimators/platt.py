"""How sure is a decision? Platt's sigmoid, fitted on decisions about points the machine has not seen.

    P(y = 1 | f) = 1 / (1 + exp(−(a f + c))),

a and c by maximum likelihood on held-out decisions f, with Platt's smoothed targets (N₊ + 1)/(N₊ + 2) and
1/(N₋ + 2), N being weights. scikit-learn's sigmoid calibration is the same fit, but refits its estimator on folds of
its own; here the held-out decisions are already there.

Reference: Platt (1999), *Probabilistic outputs for support vector machines*.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import expit

from chemin.dictionaries.base import Floats


@dataclass(frozen=True)
class Sigmoid:
    """Platt's sigmoid for one machine."""

    slope: float
    offset: float

    def probability(self, decisions: Floats) -> Floats:
        """Return the probability of the positive class."""
        return np.asarray(expit(self.slope * decisions + self.offset))


def fit_sigmoid(decisions: Floats, positive: NDArray[np.bool_], weight: Floats) -> Sigmoid:
    """Fit the sigmoid on held-out decisions.

    Examples
    --------
    >>> import numpy as np
    >>> f = np.linspace(-2.0, 2.0, 9)
    >>> sigmoid = fit_sigmoid(f, f > 0, np.ones(9))
    >>> bool(sigmoid.probability(np.array([2.0]))[0] > 0.7)
    True
    """
    total, yes = weight.sum(), weight[positive].sum()
    target = np.where(positive, (yes + 1.0) / (yes + 2.0), 1.0 / (total - yes + 2.0))
    scale = (
        float(np.abs(decisions).max(initial=0.0)) or 1.0
    )  # the fit is done in units in which |f| ≤ 1
    design = np.column_stack([decisions / scale, np.ones(len(decisions))])

    def loss(ab: Floats) -> tuple[float, Floats]:
        linear = design @ ab
        # −t log p − (1 − t) log(1 − p) = log(1 + exp(z)) − t z
        gradient = design.T @ (weight * (expit(linear) - target))
        return float(weight @ (np.logaddexp(0.0, linear) - target * linear)), gradient

    begin = np.array([0.0, np.log((yes + 1.0) / (total - yes + 1.0))])
    found = minimize(
        loss, begin, jac=True, method="BFGS", options={"gtol": 1e-10 * max(total, 1.0)}
    )
    return Sigmoid(float(found.x[0]) / scale, float(found.x[1]))
