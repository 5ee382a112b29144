"""Which loss? A convex piecewise-quadratic function of each point's score, as rows of numbers.

Point i pays ℓ_i(t) for its signed score t = s_i (b0 + x_i·b), s_i = ±1. The loss has K kinks
z_0 < … < z_{K−1} and K + 1 slopes g_0 < … < g_K, one per linear piece; kink k separates piece k
from piece k + 1, and the least loss is 0. A kink of *width* D is rounded: between z + D g_k and
z + D g_{k+1} the slope is (t − z)/D, so the loss is a parabola of curvature 1/D there. Every slope
s in [g_k, g_{k+1}] supports the loss in one line,

    ℓ(t) = max over k and s of  h_k + s (t − z_k) − D_k s²/2,

h_k being the loss at z_k, or at the bottom of the parabola. The slopes of one without end, such as
½ (y − f)², are infinite. A loss whose kinks are rounded has one of them.

The dual value of a point is α = −ℓ'(t): on piece k it is −g_k, at kink k it lies between −g_{k+1}
and −g_k. There

    min_t ℓ(t) + α t = h_k + α z_k − D_k α²/2,    at t = z_k − D_k α,

which is what a point contributes to the dual objective. A new loss is one class below and one line
of `LOSSES`.

Reference: Rosset and Zhu (2007), *Piecewise linear regularized solution paths*.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from numbers import Real
from typing import Any, ClassVar, Protocol

import numpy as np

from chemin.dictionaries.base import Floats, Indices
from chemin.exceptions import InvalidInputError


@dataclass(frozen=True, eq=False)
class PiecewiseQuadratic:
    """The losses of n points, K kinks each.

    Attributes
    ----------
    kink : ndarray of shape (n, K)
        Where the slope changes, increasing.
    slope : ndarray of shape (n, K + 1)
        The slopes, increasing, with g_0 ≤ 0 ≤ g_K; weights are in them.
    width : ndarray of shape (n,), optional
        The widths D_i of rounded kinks, one per point; without them kinks are sharp.

    Examples
    --------
    The hinge of one point, and the absolute deviation from 3 of another:

    >>> import numpy as np
    >>> losses = PiecewiseQuadratic(np.array([[1.0], [3.0]]), np.array([[-1.0, 0.0], [-1.0, 1.0]]))
    >>> losses.value(np.array([0.25, 5.0])).tolist()
    [0.75, 2.0]
    """

    kink: Floats
    slope: Floats
    width: Floats | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {"kink": self.kink, "slope": self.slope, "width": self.width}

    @property
    def shape(self) -> tuple[int, int]:
        """Number of points and of kinks."""
        n, count = self.kink.shape
        return n, count

    @cached_property
    def height(self) -> Floats:
        """The loss at every kink, of shape (n, K)."""
        if self.shape[1] == 1:
            return np.zeros(self.shape)
        rise = np.diff(self.kink, axis=1) * self.slope[:, 1:-1]
        height = np.concatenate([np.zeros((len(rise), 1)), np.cumsum(rise, axis=1)], axis=1)
        return height - height.min(axis=1, keepdims=True)

    @property
    def is_hinge(self) -> bool:
        """Whether every loss is a hinge: one kink at 1, and flat beyond."""
        return not self.is_curved and bool(
            self.shape[1] == 1 and np.all(self.kink == 1.0) and np.all(self.slope[:, 1] == 0.0)
        )

    @property
    def is_curved(self) -> bool:
        """Whether kinks are rounded."""
        return self.width is not None

    @property
    def lowest(self) -> Floats:
        """The least dual value of every point, −g_K."""
        return -self.slope[:, -1]

    @property
    def highest(self) -> Floats:
        """The largest dual value of every point, −g_0."""
        return -self.slope[:, 0]

    @property
    def edges(self) -> tuple[Floats, Floats]:
        """Where the piece before every kink ends and where the next one begins, of shape (n, K) each."""
        if self.width is None:
            return self.kink, self.kink
        return (
            self.kink + self.width[:, None] * self.slope[:, :1],
            self.kink + self.width[:, None] * self.slope[:, 1:],
        )

    @property
    def target(self) -> Floats:
        """The middle of every point's kinks: 1 for the hinge, y for a numeric target."""
        return self.kink.mean(axis=1)

    def steepest(self, label: Floats) -> Floats:
        """Return the largest slope of every point; of a parabola without end, that at the mean of the targets."""
        slope = np.maximum(self.highest, -self.lowest)
        if self.width is None or np.all(np.isfinite(slope)):
            return slope
        counts = self.lowest < self.highest
        weight = np.where(counts, 1.0 / self.width, 0.0)
        mean = weight @ (label * self.kink[:, 0]) / weight.sum()
        return np.where(np.isfinite(slope), slope, weight * np.abs(self.kink[:, 0] - label * mean))

    def of(self, points: Indices) -> PiecewiseQuadratic:
        """Return the losses of some points."""
        width = None if self.width is None else self.width[points]
        return PiecewiseQuadratic(self.kink[points], self.slope[points], width)

    def dual_of(self, score: Floats) -> Floats:
        """Return −ℓ_i'(t_i) of signed scores of shape (n,) or (k, n); at a sharp kink, that of the piece before."""
        if self.width is None:
            return -self.slope[np.arange(len(self.slope)), self.piece(score)]
        return -self._support(score - self.kink[:, 0])

    def _support(self, beyond: Floats) -> Floats:
        """Return the slope of rounded kinks at so much beyond their middle."""
        assert self.width is not None
        counts = self.slope[:, 0] < self.slope[:, 1]
        steep = np.divide(beyond, self.width, out=np.zeros_like(beyond), where=counts)
        return np.clip(steep, self.slope[:, 0], self.slope[:, 1])

    def piece(self, score: Floats) -> Indices:
        """Return the piece of scores of shape (n,) or (k, n); at a kink, the one before it."""
        piece = np.zeros(score.shape, dtype=np.intp)
        for k in range(self.shape[1]):
            piece += score > self.kink[:, k]
        return piece

    def value(self, score: Floats) -> Floats:
        """Return ℓ_i(t_i) for signed scores of shape (n,), or (k, n) for k solutions."""
        beyond = score - self.kink[:, 0]
        if self.width is not None:
            steep = self._support(beyond)
            return np.asarray(steep * (beyond - 0.5 * self.width * steep))
        loss = np.maximum(self.slope[:, 0] * beyond, self.slope[:, 1] * beyond)
        if self.shape[1] == 1:
            return np.asarray(loss)
        loss += self.height[:, 0]
        for k in range(1, self.shape[1]):
            after = self.height[:, k] + self.slope[:, k + 1] * (score - self.kink[:, k])
            loss = np.maximum(loss, after)
        return np.asarray(np.maximum(loss, 0.0))

    def conjugate(self, dual: Floats) -> Floats:
        """Return min_t ℓ_i(t) + α_i t for dual values in their intervals, shape (n,) or (k, n)."""
        if self.width is not None:
            return np.asarray(dual * (self.kink[:, 0] - 0.5 * self.width * dual))
        # concave in α, with one line per kink: the least of them
        lines = [self.height[:, k] + dual * self.kink[:, k] for k in range(self.shape[1])]
        return np.asarray(np.minimum.reduce(lines))

    def fenchel_gap(self, score: Floats, dual: Floats, value: Floats | None = None) -> Floats:
        """Return ℓ_i(t_i) + α_i t_i − min_t (ℓ_i(t) + α_i t) ≥ 0, which is 0 if α_i = −ℓ_i'(t_i).

        The losses may be passed as ``value`` if they are known.

        Examples
        --------
        >>> import numpy as np
        >>> hinge = PiecewiseQuadratic(np.ones((3, 1)), np.array([[-1.0, 0.0]] * 3))
        >>> hinge.fenchel_gap(np.array([0.5, 1.0, 1.5]), np.array([1.0, 0.3, 0.5])).tolist()
        [0.0, 0.0, 0.25]
        """
        if self.width is not None:
            # one square where α is inside its interval; at its ends, what is beyond them
            beyond = score - self.kink[:, 0]
            steep = self._support(beyond)
            gap = (steep + dual) * (beyond - 0.5 * self.width * (steep - dual))
            return np.asarray(np.maximum(gap, 0.0))
        # distances to the kinks, not scores: what is large in both cancels first
        least = -dual * (score - self.kink[:, 0]) + self.height[:, 0]
        for k in range(1, self.shape[1]):
            line = -dual * (score - self.kink[:, k]) + self.height[:, k]
            least = np.minimum(least, line)
        gap = (self.value(score) if value is None else value) - least
        return np.asarray(np.maximum(gap, 0.0))


class Loss(Protocol):
    """A kind of loss: what `chemin.path` takes as `loss`."""

    name: ClassVar[str]
    takes_labels: ClassVar[bool]

    def table(self, y: Floats, weight: Floats) -> PiecewiseQuadratic:
        """Return the losses of points with labels ±1 or numeric targets y, and weights."""


@dataclass(frozen=True)
class Hinge:
    """max(0, 1 − t), t = y (b0 + x·b): classification. Dual values are between 0 and the weight."""

    name: ClassVar[str] = "hinge"
    takes_labels: ClassVar[bool] = True

    def table(self, y: Floats, weight: Floats) -> PiecewiseQuadratic:
        """Return the losses of points with labels ±1."""
        return PiecewiseQuadratic(
            np.ones((len(y), 1)), np.stack([-weight, np.zeros(len(y))], axis=1)
        )


@dataclass(frozen=True)
class Quantile:
    """q max(0, y − f) + (1 − q) max(0, f − y): the conditional quantile of level q."""

    level: float = 0.5
    name: ClassVar[str] = "quantile"
    takes_labels: ClassVar[bool] = False

    def __post_init__(self) -> None:
        if not _is_number(self.level) or not 0.0 < self.level < 1.0:
            raise InvalidInputError(
                f"level is {self.level!r}: pass a quantile level between 0 and 1, such as 0.9"
            )

    def table(self, y: Floats, weight: Floats) -> PiecewiseQuadratic:
        """Return the losses of points with targets y."""
        slope = np.stack([-self.level * weight, (1.0 - self.level) * weight], axis=1)
        return PiecewiseQuadratic(y[:, None].copy(), slope)


@dataclass(frozen=True)
class Absolute:
    """|y − f|: regression towards the conditional median."""

    name: ClassVar[str] = "absolute"
    takes_labels: ClassVar[bool] = False

    def table(self, y: Floats, weight: Floats) -> PiecewiseQuadratic:
        """Return the losses of points with targets y."""
        return PiecewiseQuadratic(y[:, None].copy(), np.stack([-weight, weight], axis=1))


@dataclass(frozen=True)
class EpsilonInsensitive:
    """max(0, |y − f| − ε): the loss of support vector regression."""

    epsilon: float = 0.1
    name: ClassVar[str] = "epsilon_insensitive"
    takes_labels: ClassVar[bool] = False

    def __post_init__(self) -> None:
        if not _is_number(self.epsilon) or not 0.0 < self.epsilon < np.inf:
            remedy = "pass a positive number, half the width of the tube in the units of y, or loss='absolute'"
            raise InvalidInputError(f"epsilon is {self.epsilon!r}: {remedy}")

    def table(self, y: Floats, weight: Floats) -> PiecewiseQuadratic:
        """Return the losses of points with targets y."""
        kink = np.stack([y - self.epsilon, y + self.epsilon], axis=1)
        return PiecewiseQuadratic(kink, np.stack([-weight, np.zeros(len(y)), weight], axis=1))


@dataclass(frozen=True)
class Squared:
    """½ (y − f)²: least squares. With L1 the Lasso, with both penalties the elastic net."""

    name: ClassVar[str] = "squared"
    takes_labels: ClassVar[bool] = False

    def table(self, y: Floats, weight: Floats) -> PiecewiseQuadratic:
        """Return the losses of points with targets y."""
        return _rounded(y, -np.inf, np.inf, 1.0, weight)


@dataclass(frozen=True)
class Huber:
    """½ (y − f)² up to |y − f| = δ, a line from there on: outliers pull no more than δ."""

    delta: float = 1.0
    name: ClassVar[str] = "huber"
    takes_labels: ClassVar[bool] = False

    def __post_init__(self) -> None:
        if not _is_number(self.delta) or not 0.0 < self.delta < np.inf:
            remedy = "pass a positive number, the largest ordinary residual in the units of y, or loss='squared'"
            raise InvalidInputError(f"delta is {self.delta!r}: {remedy}")

    def table(self, y: Floats, weight: Floats) -> PiecewiseQuadratic:
        """Return the losses of points with targets y."""
        return _rounded(y, -self.delta, self.delta, 1.0, weight)


@dataclass(frozen=True)
class SquaredHinge:
    """½ max(0, 1 − t)², t = y (b0 + x·b): classification that pays more the further off."""

    name: ClassVar[str] = "squared_hinge"
    takes_labels: ClassVar[bool] = True

    def table(self, y: Floats, weight: Floats) -> PiecewiseQuadratic:
        """Return the losses of points with labels ±1."""
        return _rounded(np.ones(len(y)), -np.inf, 0.0, 1.0, weight)


@dataclass(frozen=True)
class HuberizedHinge:
    """The hinge, rounded between 1 − δ and 1 (Wang, Zhu and Zou, 2008)."""

    delta: float = 0.5
    name: ClassVar[str] = "huberized"
    takes_labels: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if not _is_number(self.delta) or not 0.0 < self.delta < np.inf:
            remedy = "pass a positive number, the part of the margin to round, or loss='hinge'"
            raise InvalidInputError(f"delta is {self.delta!r}: {remedy}")

    def table(self, y: Floats, weight: Floats) -> PiecewiseQuadratic:
        """Return the losses of points with labels ±1."""
        return _rounded(np.ones(len(y)), -1.0, 0.0, self.delta, weight)


LOSSES: Mapping[str, type[Loss]] = {
    kind.name: kind
    for kind in (
        Hinge,
        SquaredHinge,
        HuberizedHinge,
        Squared,
        Huber,
        Absolute,
        Quantile,
        EpsilonInsensitive,
    )
}


def as_loss(loss: Any) -> Loss:
    """Return a loss given by itself or by its name.

    Examples
    --------
    >>> as_loss("quantile")
    Quantile(level=0.5)
    """
    if isinstance(loss, str) and loss in LOSSES:
        return LOSSES[loss]()
    if isinstance(loss, tuple(LOSSES.values())):
        return loss  # type: ignore[return-value]
    names = ", ".join(repr(name) for name in LOSSES)
    raise InvalidInputError(
        f"loss is {loss!r}: pass one of {names}, or an object such as Quantile(0.9)"
    )


def _rounded(
    middle: Floats, low: float, high: float, width: float, weight: Floats
) -> PiecewiseQuadratic:
    """Return losses whose slope goes from low to high as (t − middle)/width, times the weights."""
    counts = weight > 0.0
    safe = np.where(counts, weight, 1.0)
    slope = np.stack([np.where(counts, end * safe, 0.0) for end in (low, high)], axis=1)
    return PiecewiseQuadratic(middle[:, None].copy(), slope, width / safe)


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)
