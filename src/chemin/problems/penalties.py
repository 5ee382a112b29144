"""Which penalty on a coefficient? Pieces of slope and curvature around |b|, as rows of numbers.

With λ = l1 v_j, coefficient j pays, beside (l2/2) b_j²,

    π(b) = g_q λ |b| − κ_q b²/2 + h_q λ²        m_q λ ≤ |b| ≤ m_{q+1} λ,    m_0 = 0,

so that its derivative falls from λ with slopes κ_q, and the bends m_q move with l1. The L1 penalty has one piece,
g = 1, κ = 0. Those of the other two do not shrink what is large:

    MCP(γ)     λ − |b|/γ up to |b| = γ λ, then 0                          (Zhang, 2010)
    SCAD(a)    λ up to |b| = λ, (a λ − |b|)/(a − 1) up to a λ, then 0     (Fan and Li, 2001)

With l2 > κ the sum (l2/2) b² + π(b) is convex, every piece of it is a parabola with a linear term in l1, and the
exact path goes on from piece to piece. A sign constraint adds that b_j ≥ 0, or b_j ≤ 0: the column enters with one sign
only. A new penalty is one class below and one line of `PENALTIES`.

References: Zhang (2010), *Nearly unbiased variable selection under minimax concave penalty*; Fan and Li (2001),
*Variable selection via nonconcave penalized likelihood and its oracle properties*.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from numbers import Real
from typing import Any, ClassVar, Protocol

import numpy as np

from chemin.dictionaries.base import Floats
from chemin.exceptions import InvalidInputError
from chemin.problems.hierarchies import Hierarchy

_WRONG_SIDE = 1e-15  # of the largest coefficient: what rounding leaves beyond a sign constraint


@dataclass(frozen=True, eq=False)
class PiecewisePenalty:
    """The penalty of every coefficient, as pieces.

    Attributes
    ----------
    bend : tuple of K floats
        The m_1 < … < m_K at which pieces change, in units of λ.
    push, curve : tuples of K + 1 floats
        The g_q and the κ_q of the pieces.
    only : ndarray of shape (p,), optional
        1.0 for coefficients that may only be positive, −1.0 for those that may only be negative, 0.0 for others.

    Examples
    --------
    MCP with γ = 2 at λ = 1, and its derivative:

    >>> import numpy as np
    >>> pieces = MCP(2.0).table(1)
    >>> pieces.value(np.array([0.0, 1.0, 2.0, 9.0]), 1.0).tolist()
    [0.0, 0.75, 1.0, 1.0]
    >>> pieces.slope(np.array([-1.0, 1.0, 9.0]), 1.0).tolist()
    [-0.5, 0.5, 0.0]
    """

    bend: tuple[float, ...] = ()
    push: tuple[float, ...] = (1.0,)
    curve: tuple[float, ...] = (0.0,)
    only: Floats | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in ("bend", "push", "curve", "only")}

    @cached_property
    def height(self) -> tuple[float, ...]:
        """The h_q that make π continuous."""
        height = [0.0]
        for q, m in enumerate(self.bend):
            step = (self.push[q] - self.push[q + 1]) * m
            step -= 0.5 * (self.curve[q] - self.curve[q + 1]) * m * m
            height.append(height[-1] + step)
        return tuple(height)

    @property
    def is_bent(self) -> bool:
        """Whether there are other pieces than that of the L1 penalty."""
        return bool(self.bend)

    @property
    def is_plain(self) -> bool:
        """Whether this is the L1 penalty and no more."""
        return not self.bend and self.only is None

    def least_ridge(self, l2: float) -> float:
        """Return the least curvature l2 − κ_q of a coefficient's pieces, positive where its penalties are convex."""
        return l2 - max(self.curve)

    def only_of(self, p: int) -> Floats:
        """Return the sign constraints, 0.0 where there is none."""
        return np.zeros(p) if self.only is None else self.only

    def of(self, columns: Any) -> PiecewisePenalty:
        """Return the penalty of some of the coefficients."""
        only = None if self.only is None else self.only[columns]
        return PiecewisePenalty(self.bend, self.push, self.curve, only)

    def piece(self, coef: Floats, threshold: Floats | float) -> Any:
        """Return the piece of every coefficient, λ being ``threshold``; at a bend, the one before it."""
        piece = np.zeros(np.shape(coef), dtype=np.intp)
        for m in self.bend:
            piece += np.abs(coef) > m * threshold
        return piece

    def value(self, coef: Floats, threshold: Floats | float) -> Floats:
        """Return π of every coefficient."""
        q = self.piece(coef, threshold)
        size = np.abs(coef)
        line = np.array(self.push)[q] * threshold * size
        return (
            line - 0.5 * np.array(self.curve)[q] * size**2 + np.array(self.height)[q] * threshold**2
        )

    def slope(self, coef: Floats, threshold: Floats | float) -> Floats:
        """Return π' of every coefficient that is not zero; 0 where it is."""
        q = self.piece(coef, threshold)
        return np.sign(coef) * np.array(self.push)[q] * threshold - np.array(self.curve)[q] * coef

    def beyond(self, correlation: Floats, threshold: Floats) -> Floats:
        """Return by how much correlations are beyond their thresholds, with their sign."""
        high = threshold
        low = -threshold
        if self.only is not None:
            high = np.where(self.only < 0.0, np.inf, high)
            low = np.where(self.only > 0.0, -np.inf, low)
        return correlation - np.minimum(np.maximum(correlation, low), high)

    def is_beyond(self, correlation: Floats, threshold: Floats) -> Any:
        """Say which correlations are beyond their thresholds."""
        if self.only is None:
            return np.abs(correlation) > threshold
        return self.beyond(correlation, threshold) != 0.0

    def is_on_its_side(self, coef: Floats) -> Any:
        """Say of rows of coefficients whether they keep the sign constraints, but for rounding."""
        if self.only is None:
            return np.ones(np.shape(coef)[:-1], dtype=bool)
        allowed = _WRONG_SIDE * np.abs(coef).max(axis=-1, initial=0.0)
        return (-self.only * coef).max(axis=-1, initial=0.0) <= allowed

    def best(self, correlation: Floats, threshold: Floats, l2: Floats | float) -> Floats:
        """Return the coefficient that is least in (l2/2) b² + π(b) − c b, for correlations c.

        Examples
        --------
        >>> MCP(2.0).table(1).best(np.array([0.5, 1.5, 4.0]), np.ones(3), 1.0).tolist()
        [0.0, 1.0, 4.0]
        """
        excess = self.beyond(correlation, threshold)
        size = np.abs(correlation)
        best = np.zeros(np.shape(correlation))
        low: Any = np.zeros(np.shape(correlation))
        for q, (push, curve) in enumerate(zip(self.push, self.curve, strict=True)):
            high = self.bend[q] * threshold if q < len(self.bend) else np.inf
            best += np.clip((size - push * threshold) / (l2 - curve), low, high) - low
            low = high
        return np.where(excess != 0.0, np.sign(correlation) * best, 0.0)

    def fenchel_gap(
        self, coef: Floats, correlation: Floats, threshold: Floats, l2: Floats | float
    ) -> Floats:
        """Return φ(b) − c b − min_t (φ(t) − c t) ≥ 0, φ(t) = (l2/2) t² + π(t), without cancellation.

        It is the integral of φ' − c from the best coefficient to b, piece by piece.
        """
        best = self.best(correlation, threshold, l2)
        first = np.minimum(best, coef)
        last = np.maximum(best, coef)
        gap = np.zeros(np.shape(coef))
        for side in (1.0, -1.0):
            low: Any = np.zeros(np.shape(coef))
            for q, (push, curve) in enumerate(zip(self.push, self.curve, strict=True)):
                high = self.bend[q] * threshold if q < len(self.bend) else np.inf
                ends = (low, high) if side > 0.0 else (-high, -low)
                start = np.clip(first, *ends)
                stop = np.clip(last, *ends)
                middle = (l2 - curve) * 0.5 * (start + stop) + side * push * threshold - correlation
                gap += np.abs(stop - start) * np.maximum(np.sign(coef - best) * middle, 0.0)
                low = high
        return gap


class Penalty(Protocol):
    """A kind of penalty: what `chemin.path` takes as `penalty`."""

    name: ClassVar[str]

    def table(self, p: int) -> PiecewisePenalty:
        """Return the penalty of p coefficients."""


@dataclass(frozen=True)
class L1:
    """λ |b|: the Lasso's. ``sign`` allows one sign only: 1, −1, or one of them, or 0 for both, per coefficient."""

    sign: Any = 0
    name: ClassVar[str] = "l1"

    def table(self, p: int) -> PiecewisePenalty:
        """Return the penalty of p coefficients."""
        return PiecewisePenalty(only=_only(self.sign, p))


@dataclass(frozen=True)
class NonNegative:
    """λ b with b ≥ 0."""

    name: ClassVar[str] = "nonnegative"

    def table(self, p: int) -> PiecewisePenalty:
        """Return the penalty of p coefficients."""
        return PiecewisePenalty(only=np.ones(p))


@dataclass(frozen=True)
class MCP:
    """The minimax concave penalty: what is beyond γ λ / unit is not shrunk.

    ``unit`` is the curvature that λ is compared with, the penalty being u MCP(b; λ/u): 1 as it is written above. Losses
    are sums over points here, so that with standardised columns the γ of others, whose losses are means, wants a unit
    of about n. ``sign`` as for `L1`.
    """

    gamma: float = 3.0
    unit: float = 1.0
    sign: Any = 0
    name: ClassVar[str] = "mcp"

    def __post_init__(self) -> None:
        if not _is_number(self.gamma) or not 0.0 < self.gamma < np.inf:
            raise InvalidInputError(
                f"gamma is {self.gamma!r}: pass a positive number, in units of which coefficients stop to be shrunk, "
                "such as 3; for none of them pass penalty='l1'"
            )
        _check_unit(self.unit)

    def table(self, p: int) -> PiecewisePenalty:
        """Return the penalty of p coefficients."""
        wide = self.gamma / self.unit
        return PiecewisePenalty((wide,), (1.0, 0.0), (1.0 / wide, 0.0), _only(self.sign, p))


@dataclass(frozen=True)
class SCAD:
    """The smoothly clipped absolute deviation: no shrinkage beyond a λ / unit. ``unit``, ``sign``: see `MCP`."""

    a: float = 3.7
    unit: float = 1.0
    sign: Any = 0
    name: ClassVar[str] = "scad"

    def __post_init__(self) -> None:
        if not _is_number(self.a) or not 2.0 < self.a < np.inf:
            raise InvalidInputError(
                f"a is {self.a!r}: pass a number above 2, such as 3.7; for a penalty that tapers off at once pass "
                "MCP(gamma)"
            )
        _check_unit(self.unit)

    def table(self, p: int) -> PiecewisePenalty:
        """Return the penalty of p coefficients."""
        steep = 1.0 / (self.a - 1.0)
        bends = (1.0 / self.unit, self.a / self.unit)
        curves = (0.0, self.unit * steep, 0.0)
        return PiecewisePenalty(bends, (1.0, self.a * steep, 0.0), curves, _only(self.sign, p))


PENALTIES: Mapping[str, type[Penalty]] = {kind.name: kind for kind in (L1, NonNegative, MCP, SCAD)}


def as_penalty(penalty: Any) -> Penalty:
    """Return a penalty given by itself or by its name.

    Examples
    --------
    >>> as_penalty("mcp")
    MCP(gamma=3.0, unit=1.0, sign=0)
    """
    if isinstance(penalty, str) and penalty in PENALTIES:
        return PENALTIES[penalty]()
    if isinstance(penalty, tuple(PENALTIES.values())):
        return penalty  # type: ignore[return-value]
    if isinstance(penalty, Hierarchy):
        raise InvalidInputError(
            "groups have a path of their own: call chemin.grouped_path(X, y, groups), or chemin.solve_groups at some l1"
        )
    names = ", ".join(repr(name) for name in PENALTIES)
    raise InvalidInputError(
        f"penalty is {penalty!r}: pass one of {names}, or an object such as MCP(3.0)"
    )


def _check_unit(unit: Any) -> None:
    if not _is_number(unit) or not 0.0 < unit < np.inf:
        raise InvalidInputError(
            f"unit is {unit!r}: pass a positive number, 1 or about the number of points"
        )


def _only(sign: Any, p: int) -> Floats | None:
    """Return one sign per coefficient, or None where all are free."""
    if sign is L1.sign:  # as in nearly every call, and what follows takes longer than all else
        return None
    try:
        signs = np.broadcast_to(np.asarray(sign, dtype=float), (p,))
    except (TypeError, ValueError):
        signs = np.full(p, np.nan)
    if not np.all(np.isin(signs, (-1.0, 0.0, 1.0))):
        raise InvalidInputError(
            f"sign is {sign!r}: pass 1 for coefficients that may not be negative, -1 for those that may not be "
            f"positive and 0 for both, one number or {p} of them"
        )
    return signs.copy() if signs.any() else None


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)
