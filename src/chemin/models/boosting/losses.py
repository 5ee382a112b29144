"""What does a score cost a row? Losses ℓ(y, f) for boosting: all that have ``value(y, f)`` and ``slope(y, f)``.

    squared    ½ (y − f)²                                           the mean
    absolute   |y − f|                                              the median
    huber      ½ r² for |r| ≤ δ, else δ (|r| − δ/2), r = y − f      the mean, with bounded pull of outliers
    quantile   τ r for r ≥ 0, else (τ − 1) r                        the τ-quantile
    log-cosh   log cosh(y − f)                                      Huber's without corners

For classes, ℓ(y, f) = φ(y f) with y = ±1 and any loss φ of `chemin.models.losses.margins`.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log
from typing import Any, Protocol, runtime_checkable

import numpy as np

from chemin.dictionaries.base import Floats
from chemin.exceptions import InvalidInputError
from chemin.models.losses.margins import MARGIN_LOSSES, MarginLoss, as_margin_loss


@runtime_checkable
class Loss(Protocol):
    """What boosting asks of a loss; arrays of n targets and n scores in, n numbers out."""

    def value(self, y: Floats, f: Floats) -> Floats:
        """Return what each row costs."""

    def slope(self, y: Floats, f: Floats) -> Floats:
        """Return the derivative of each cost in f; at a kink, one of its subgradients."""


@dataclass(frozen=True)
class OfMargin:
    """A loss of the margin as a loss of the score, for y = ±1.

    Examples
    --------
    >>> loss = OfMargin(MARGIN_LOSSES["hinge"])
    >>> loss.slope(np.array([1.0, -1.0]), np.array([0.5, 0.5])).tolist()
    [-1.0, 1.0]
    """

    margin: MarginLoss

    def value(self, y: Floats, f: Floats) -> Floats:
        """Return φ(y f)."""
        return self.margin.value(y * f)

    def slope(self, y: Floats, f: Floats) -> Floats:
        """Return y φ'(y f)."""
        return y * self.margin.slope(y * f)


@dataclass(frozen=True)
class Squared:
    """½ (y − f)², whose negative slope is the residual."""

    def value(self, y: Floats, f: Floats) -> Floats:
        """Return ½ (y − f)²."""
        return 0.5 * (y - f) ** 2

    def slope(self, y: Floats, f: Floats) -> Floats:
        """Return f − y."""
        return f - y


@dataclass(frozen=True)
class Absolute:
    """|y − f|."""

    def value(self, y: Floats, f: Floats) -> Floats:
        """Return |y − f|."""
        return np.abs(y - f)

    def slope(self, y: Floats, f: Floats) -> Floats:
        """Return the sign of f − y."""
        return np.sign(f - y)


@dataclass(frozen=True)
class Huber:
    """Squared up to an error of δ, straight beyond.

    Parameters
    ----------
    delta : float, default 1.0
        δ, in units of y.

    Examples
    --------
    >>> Huber(2.0).value(np.zeros(2), np.array([1.0, 4.0])).tolist()
    [0.5, 6.0]
    """

    delta: float = 1.0

    def __post_init__(self) -> None:
        if not self.delta > 0.0:
            raise InvalidInputError(f"delta is {self.delta!r}: pass a positive number")

    def value(self, y: Floats, f: Floats) -> Floats:
        """Return ½ r², or δ (|r| − δ/2)."""
        near = np.minimum(np.abs(y - f), self.delta)
        return near * (np.abs(y - f) - 0.5 * near)

    def slope(self, y: Floats, f: Floats) -> Floats:
        """Return f − y, between −δ and δ."""
        return np.clip(f - y, -self.delta, self.delta)


@dataclass(frozen=True)
class Quantile:
    """The pinball loss, least at a quantile.

    Parameters
    ----------
    level : float, default 0.5
        τ, the share of targets below the score.

    Examples
    --------
    >>> Quantile(0.9).value(np.array([1.0, -1.0]), np.zeros(2)).round(2).tolist()
    [0.9, 0.1]
    """

    level: float = 0.5

    def __post_init__(self) -> None:
        if not 0.0 < self.level < 1.0:
            raise InvalidInputError(f"level is {self.level!r}: pass a number between 0 and 1")

    def value(self, y: Floats, f: Floats) -> Floats:
        """Return τ r, or (τ − 1) r."""
        return np.maximum(self.level * (y - f), (self.level - 1.0) * (y - f))

    def slope(self, y: Floats, f: Floats) -> Floats:
        """Return −τ below y, 1 − τ above, 0 at y."""
        return np.select([f < y, f > y], [-self.level, 1.0 - self.level], 0.0)


@dataclass(frozen=True)
class LogCosh:
    """log cosh(y − f): squared near y, absolute far from it, with a slope everywhere."""

    def value(self, y: Floats, f: Floats) -> Floats:
        """Return log cosh(y − f)."""
        return np.logaddexp(y - f, f - y) - log(2.0)

    def slope(self, y: Floats, f: Floats) -> Floats:
        """Return tanh(f − y)."""
        return np.tanh(f - y)


NUMBER_LOSSES: dict[str, Loss] = {
    "squared": Squared(),
    "absolute": Absolute(),
    "huber": Huber(),
    "quantile": Quantile(),
    "log-cosh": LogCosh(),
}


def as_number_loss(loss: Any) -> Loss:
    """Return a loss of numbers from its name, or any object that is one.

    Examples
    --------
    >>> as_number_loss("huber"), as_number_loss(Quantile(0.9))
    (Huber(delta=1.0), Quantile(level=0.9))
    """
    if isinstance(loss, str) and loss in NUMBER_LOSSES:
        return NUMBER_LOSSES[loss]
    return _as_loss(loss, ", ".join(NUMBER_LOSSES))


def as_class_loss(loss: Any) -> Loss:
    """Return a loss of scores, for y = ±1: a loss of the margin, its name, or any object that is a loss.

    Examples
    --------
    >>> as_class_loss("square").value(np.array([-1.0]), np.array([0.5])).tolist()
    [2.25]
    """
    if isinstance(loss, MarginLoss) or (isinstance(loss, str) and loss in MARGIN_LOSSES):
        return OfMargin(as_margin_loss(loss))
    return _as_loss(loss, ", ".join(MARGIN_LOSSES))


def name_of(loss: Any) -> str:
    """Return what a loss is called where it is told of.

    Examples
    --------
    >>> name_of("huber"), name_of(Quantile(0.9)), name_of(MARGIN_LOSSES["hinge"])
    ('huber', 'Quantile(level=0.9)', 'hinge')
    """
    if isinstance(loss, str):
        return loss
    if isinstance(loss, MarginLoss):
        return loss.name
    told = repr(loss)
    return type(loss).__name__ if told.startswith("<") else told


def _as_loss(loss: Any, names: str) -> Loss:
    if isinstance(loss, Loss) and not isinstance(loss, type):
        return loss
    raise InvalidInputError(
        f"loss is {loss!r}: pass one of {names}, or an object with value(y, f) and slope(y, f)"
    )
