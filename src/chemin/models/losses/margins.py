"""What does a score cost a point of class y = ±1? Convex functions of its margin z = y f(x), each 1 at z = 0 but one.

    hinge         max(0, 1 − z)           support vector machines
    perceptron    max(0, −z)              Rosenblatt; 0 at z = 0
    logistic      log₂(1 + exp(−z))       logistic regression, LogitBoost
    exponential   exp(−z)                 AdaBoost
    square        (1 − z)²                ridge

All but the perceptron's are at least the error, 1 for z ≤ 0 and 0 otherwise. A new smooth loss is one line of
`MARGIN_LOSSES`.

Reference: F. Sur, *Introduction à l'apprentissage automatique*, Mines Nancy, 2022-2023, section 8.4.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import log

import numpy as np
from scipy.special import expit

from chemin.dictionaries.base import Floats
from chemin.exceptions import InvalidInputError

_FARTHEST = 500.0  # a margin of −500 costs e^500; beyond, the exponential loss would overflow
_LOG2 = log(2.0)


@dataclass(frozen=True, eq=False)
class MarginLoss:
    """A convex loss of the margin.

    Attributes
    ----------
    name : str
        What it is called.
    value, slope : callable
        Margins → losses, and derivatives; at a kink the slope is one of its subgradients.
    curvature : callable, optional
        Margins → second derivatives, for losses that have one everywhere.
    probability : callable, optional
        Scores → probabilities of class 1 whose expected loss is least at that score, for losses whose best score tells
        it.
    """

    name: str
    value: Callable[[Floats], Floats]
    slope: Callable[[Floats], Floats]
    curvature: Callable[[Floats], Floats] | None = None
    probability: Callable[[Floats], Floats] | None = None

    @property
    def smooth(self) -> bool:
        """Whether it has a second derivative everywhere."""
        return self.curvature is not None


def _hinge(z: Floats) -> Floats:
    return np.maximum(0.0, 1.0 - z)


def _hinge_slope(z: Floats) -> Floats:
    return np.where(z < 1.0, -1.0, 0.0)


def _perceptron(z: Floats) -> Floats:
    return np.maximum(0.0, -z)


def _perceptron_slope(z: Floats) -> Floats:
    return np.where(z <= 0.0, -1.0, 0.0)


def _logistic(z: Floats) -> Floats:
    return np.logaddexp(0.0, -z) / _LOG2


def _logistic_slope(z: Floats) -> Floats:
    return -expit(-z) / _LOG2


def _logistic_curvature(z: Floats) -> Floats:
    return expit(z) * expit(-z) / _LOG2


def _exponential(z: Floats) -> Floats:
    return np.exp(np.minimum(-z, _FARTHEST))


def _exponential_slope(z: Floats) -> Floats:
    return -_exponential(z)


def _half_log_odds(f: Floats) -> Floats:
    return expit(2.0 * f)


def _square(z: Floats) -> Floats:
    return (1.0 - z) ** 2


def _square_slope(z: Floats) -> Floats:
    return 2.0 * (z - 1.0)


def _square_curvature(z: Floats) -> Floats:
    return np.full_like(z, 2.0)


def _linear_probability(f: Floats) -> Floats:
    return np.clip((1.0 + f) / 2.0, 0.0, 1.0)


MARGIN_LOSSES = {
    loss.name: loss
    for loss in (
        MarginLoss("hinge", _hinge, _hinge_slope),
        MarginLoss("perceptron", _perceptron, _perceptron_slope),
        MarginLoss("logistic", _logistic, _logistic_slope, _logistic_curvature, expit),
        MarginLoss("exponential", _exponential, _exponential_slope, _exponential, _half_log_odds),
        MarginLoss("square", _square, _square_slope, _square_curvature, _linear_probability),
    )
}


def as_margin_loss(loss: str | MarginLoss) -> MarginLoss:
    """Return a loss from its name.

    Examples
    --------
    >>> as_margin_loss("hinge").value(np.array([-1.0, 0.0, 2.0])).tolist()
    [2.0, 1.0, 0.0]
    """
    if isinstance(loss, MarginLoss):
        return loss
    if isinstance(loss, str) and loss in MARGIN_LOSSES:
        return MARGIN_LOSSES[loss]
    raise InvalidInputError(f"loss is {loss!r}: pass one of {', '.join(MARGIN_LOSSES)}")
