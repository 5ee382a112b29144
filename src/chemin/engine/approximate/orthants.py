"""What minimises a quadratic plus an L1 norm? Newton steps from orthant to orthant.

    minimise   ½ ‖M z‖² + ½ Σ_j d_j z_j² − f·z + Σ_j τ_j |z_j|,     d > 0, τ ≥ 0

On the support S, with signs σ, the minimum solves (M_SᵀM_S + D_S) z_S = f_S − τ_S σ_S. Coefficients that would change
their sign there leave the support: all of them, if the objective is lower with zeros in their place, else the first on
the way, which stops at its zero. Once none does, columns whose gradient exceeds their τ enter together. At least one of
them moves the right way, so that the objective falls: no support comes twice. The system is solved in whichever
dimension is smaller, that of S or that of the rows of M (Woodbury).
"""

from __future__ import annotations

from contextlib import suppress

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve

from chemin.dictionaries.base import Floats
from chemin.exceptions import EngineError

_SLACK = 1e-9
_MOST_ROUNDS = 40  # before what is reached is good enough: it is lower than the start


def minimise_quadratic_l1(M: Floats, d: Floats, f: Floats, tau: Floats, z: Floats) -> Floats:
    """Return the minimum, starting from ``z``, or a point lower than that.

    Examples
    --------
    Without M each coefficient is soft-thresholded.

    >>> minimise_quadratic_l1(np.empty((0, 3)), np.ones(3), np.array([3.0, -2.0, 0.5]), np.ones(3), np.zeros(3))
    array([ 2., -1.,  0.])
    """
    system = _System(M, d)
    z, sign = z.copy(), np.sign(z) * (tau > 0.0)
    inside = (z != 0.0) | (tau == 0.0)
    for _ in range(_MOST_ROUNDS):
        aim = np.zeros(len(z))
        aim[inside] = system.solve(inside, (f - tau * sign)[inside])
        turned = inside & (tau > 0.0) & (aim * sign <= 0.0)
        if turned.any():
            without = np.where(turned, 0.0, aim)
            if system.value(without, f, tau) < system.value(z, f, tau):
                z, leaving = without, np.flatnonzero(turned)
            else:
                share = z[turned] / (z[turned] - aim[turned] + (aim[turned] == z[turned]))
                z += share.min() * (aim - z)
                leaving = np.flatnonzero(turned)[share <= share.min()]
            z[leaving], sign[leaving], inside[leaving] = 0.0, 0.0, False
            continue
        z = aim
        pull = f - system.product(z)
        entering = ~inside & (np.abs(pull) > (1.0 + _SLACK) * tau)
        if not entering.any():
            break
        sign[entering], inside[entering] = np.sign(pull[entering]), True
    return z


class _System:
    """The matrix MᵀM + diag(d): its products, and its solutions on a support."""

    def __init__(self, M: Floats, d: Floats) -> None:
        self.M, self.d = M, d
        self.wide = 2 * M.shape[0] < M.shape[1]
        self.square = np.empty((0, 0)) if self.wide else M.T @ M

    def product(self, z: Floats) -> Floats:
        return np.asarray((self.M.T @ (self.M @ z) if self.wide else self.square @ z) + self.d * z)

    def value(self, z: Floats, f: Floats, tau: Floats) -> float:
        """Return the objective."""
        return float((0.5 * self.product(z) - f) @ z + tau @ np.abs(z))

    def solve(self, inside: NDArray[np.bool_], right: Floats) -> Floats:
        d = self.d[inside]
        if not self.wide:
            return _positive(self.square[np.ix_(inside, inside)] + np.diag(d), right)
        part = self.M[:, inside]
        inner = np.eye(len(part)) + (part / d) @ part.T
        return np.asarray((right - part.T @ _positive(inner, part @ (right / d))) / d)


def _positive(matrix: Floats, right: Floats) -> Floats:
    """Solve a positive definite system; one that rounding makes indefinite is given a little more diagonal."""
    size = float(np.trace(matrix))
    for more in (0.0, 1e-14, 1e-12, 1e-10, 1e-8):
        with suppress(np.linalg.LinAlgError):
            factor = cho_factor(matrix + more * size * np.eye(len(right)), check_finite=False)
            return np.asarray(cho_solve(factor, right, check_finite=False))
    raise EngineError(
        "a Newton system has no solution in double precision: centre and scale the columns, or raise l2"
    )
