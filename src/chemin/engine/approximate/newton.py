"""What minimises the smoothed problem over some rows? Proximal Newton steps with a line search.

    minimise   Σ_i w_i h(r_i) − g·z + ½ Σ_j d_j z_j² + Σ_j τ_j |z_j|,     r = r⁰ − y∘A (z − z⁰)

over the rows held here; −g·z is what the other rows contribute while their s_i stay at 0 or 1. With
the smoothed hinge h of `chemin.engine.approximate.smoothing` the second derivative is AᵀDA, D_i =
w_i/δ on the zone 0 < s_i < 1, and each step is the minimum of that quadratic and the L1 norm
(`chemin.engine.approximate.orthants`). The objective is convex along a step: its derivative tells
how far to go.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from chemin.dictionaries.base import Floats
from chemin.engine.approximate.orthants import minimise_quadratic_l1

_DAMPING = 1e-8  # beside one point of the zone
_MOST_STEPS, _MOST_HALVINGS = 200, 60
_SHORTEST = 1e-3  # part of an interval by which a search in it proceeds at least
_FLAT = 0.3  # of the slope at the start: low enough
_ROUNDING = 1e-15


@dataclass(frozen=True, eq=False)
class SmoothedRows:
    """The smoothed problem on some rows.

    Attributes
    ----------
    signed : ndarray of shape (k, m)
        The rows y_i A_i.
    weight, centre : ndarray of shape (k,)
        w_i and a_i.
    width : float
        δ.
    pull : ndarray of shape (m,)
        g, from the other rows.
    ridge, tau : ndarray of shape (m,)
        d_j and τ_j.
    """

    signed: Floats
    weight: Floats
    centre: Floats
    width: float
    pull: Floats
    ridge: Floats
    tau: Floats

    def minimise(self, z: Floats, residual: Floats, target: float) -> Floats:
        """Return z after Newton steps, until one promises less than ``target``.

        Examples
        --------
        Two points, one of each class, and the intercept alone: the best is in the middle.

        >>> signed = np.array([[1.0], [-1.0]])
        >>> rows = SmoothedRows(signed, np.ones(2), np.full(2, 0.5), 4.0, *np.zeros((3, 1)))
        >>> np.abs(rows.minimise(np.array([0.3]), np.array([0.7, 1.3]), 1e-12)).round(6)
        array([0.])
        """
        damped = self.ridge + _DAMPING * self.weight.max(initial=0.0) / self.width
        damped += _DAMPING * (damped == 0.0)
        for _ in range(_MOST_STEPS):
            share = self.share(residual)
            zone = (share > 0.0) & (share < 1.0) & (self.weight > 0.0)
            slope = self.ridge * z - self.pull - (self.weight * share) @ self.signed
            rows = self.signed[zone] * np.sqrt(self.weight[zone] / self.width)[:, None]
            aim = minimise_quadratic_l1(
                rows, damped, rows.T @ (rows @ z) + damped * z - slope, self.tau, z
            )
            step = aim - z
            gain = -float(slope @ step + self.tau @ (np.abs(aim) - np.abs(z)))
            if gain <= target:
                break
            along = self.signed @ step
            t = self.length(z, step, residual, along)
            if t == 0.0:
                break
            z, residual = (aim if t == 1.0 else z + t * step), residual - t * along
        return z

    def share(self, residual: Floats) -> Floats:
        """Return s."""
        return np.clip(self.centre + residual / self.width, 0.0, 1.0)

    def _slope(self, z: Floats, step: Floats, residual: Floats, along: Floats, t: float) -> float:
        """Return the derivative along a step, from the left where a coefficient reaches zero."""
        there = z + t * step
        sign = np.where(
            there != 0.0, np.sign(there), np.where(t * z != 0.0, np.sign(z), np.sign(step))
        )
        smooth = self.ridge * there - self.pull + self.tau * sign
        return float(smooth @ step - (self.weight * self.share(residual - t * along)) @ along)

    def length(self, z: Floats, step: Floats, residual: Floats, along: Floats) -> float:
        """Return 1 where the objective still falls, else a t short of its lowest point; 0 if rounding hides it."""
        low, high, at_low, at_high = (
            0.0,
            1.0,
            *(self._slope(z, step, residual, along, t) for t in (0.0, 1.0)),
        )
        gain = -at_low
        if at_high <= 1e-6 * gain + _ROUNDING * float(self.weight @ np.abs(along)):
            return 1.0
        for _ in range(_MOST_HALVINGS):
            t = low - at_low * (high - low) / (at_high - at_low)
            t = min(max(t, low + _SHORTEST * (high - low)), high - _SHORTEST * (high - low))
            value = self._slope(z, step, residual, along, t)
            if -_FLAT * gain <= value <= 0.0:
                return t
            if value > 0.0:
                high, at_high, at_low = t, value, 0.5 * at_low
            else:
                low, at_low, at_high = t, value, 0.5 * at_high
        return low
