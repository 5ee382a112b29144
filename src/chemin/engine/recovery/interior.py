"""What is the solution at one l1, found independently of any path?

On the rows of the losses (`chemin.engine.recovery.rows`), with multipliers α_k, a primal-dual interior-point method
(Mehrotra's predictor and corrector) solves the optimality conditions with slacks ξ, ζ ≥ 0 (r = z − t = ξ − ζ) and
p, q ≥ 0 (b = p − q):

    l2 b = Xᵀ(s∘(α − g_K)) − u,   Σ (α_i − g_K) s_i = 0,   r = z − s∘(b0 + Xb),
    α ζ = (h − α) ξ = (l1 v − u) p = (l1 v + u) q = μ → 0.

At a kink that is rounded over a width D, D (α − g_K) is taken off r.

Eliminating all but (b, b0) leaves one symmetric system per iteration. It puts a lost engine back on its path, and
gives the sets of a solution that is wanted without its path.

Reference: Mehrotra (1992), *On the implementation of a primal-dual interior point method*.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import lstsq

from chemin.dictionaries.base import Floats
from chemin.engine.recovery.rows import Rows
from chemin.problems import Problem

_ITERATIONS = 100
_SMALL = 1e-13


@dataclass
class InteriorPoint:
    """An approximate solution and, pair by pair, what multiplies to μ; the first three of shape (n, K)."""

    multiplier: Floats  # α_k
    above: Floats  # ξ, the shortfall of a point from a kink
    beyond: Floats  # ζ, its excess
    coef: Floats
    intercept: float
    room: Floats  # l1 v − |u|, how far a correlation is from its threshold


@np.errstate(divide="ignore", over="ignore", invalid="ignore")  # as μ → 0; such a step is refused
def solve(problem: Problem, l1: float) -> InteriorPoint:
    """Solve the problem at one l1 > 0 to about thirteen digits."""
    rows = Rows.of(problem)
    scale = (
        np.abs(rows.signed).max(initial=0.0) or 1.0
    )  # b is solved for in units in which X is of order one
    A = rows.signed / scale
    l2 = problem.l2 / scale**2
    y, w, z, width, bent = rows.label, rows.bound, rows.kink, rows.width, rows.bent
    pull_b = rows.pull_b / scale
    tau = l1 / scale * np.maximum(problem.l1_weight, _SMALL)
    b = np.zeros(A.shape[1])
    b0 = float(np.median(y * z))
    u = np.zeros(A.shape[1])
    alpha = 0.5 * w
    xi = np.ones(len(w))
    zeta = np.ones(len(w))
    p = np.ones(len(b))
    q = np.ones(len(b))
    for _ in range(_ITERATIONS):
        miss = (
            A.T @ alpha - pull_b - u - l2 * b,
            alpha @ y - rows.pull,
            z - A @ b - y * b0 - (width * alpha - bent) - xi + zeta,
            p - q - b,
        )
        products = (alpha * zeta, (w - alpha) * xi, (tau - u) * p, (tau + u) * q)
        mu = float(np.concatenate(products).mean())
        if mu < _SMALL * w.max():
            break
        system = _System(A, y, l2, width, alpha, w - alpha, xi, zeta, tau - u, tau + u, p, q)
        guess = system.step(miss, [-x for x in products])
        reach = system.reach(guess)
        aim = mu * (1.0 - reach) ** 3
        correct = system.step(
            miss, [aim - x - c for x, c in zip(products, system.curvature(guess), strict=True)]
        )
        if not all(np.all(np.isfinite(d)) for d in correct):
            break
        t = min(1.0, 0.995 * system.reach(correct))
        db, db0, dalpha, du, dxi, dzeta, dp, dq = (t * d for d in correct)
        b, b0, alpha, u = b + db, b0 + float(db0), alpha + dalpha, u + du
        xi, zeta, p, q = xi + dxi, zeta + dzeta, p + dp, q + dq
    return InteriorPoint(
        multiplier=rows.by_point(alpha),
        above=rows.by_point(xi),
        beyond=rows.by_point(zeta),
        coef=b / scale,
        intercept=b0,
        room=scale * (tau - np.abs(u)),
    )


class _System:
    """The Newton system at one iterate."""

    def __init__(self, A: Floats, y: Floats, l2: float, width: Floats, *parts: Floats) -> None:
        self.A, self.y, self.l2 = A, y, l2
        self.alpha, self.left, self.xi, self.zeta, self.low, self.high, self.p, self.q = parts
        self.D = width + self.xi / self.left + self.zeta / self.alpha  # dr = D dα + …
        self.G = self.p / self.low + self.q / self.high  # db = G du + …
        M = np.column_stack([A, y])
        self.M = M
        self.K = (M.T / self.D) @ M
        self.K[np.diag_indices(len(self.G))] += l2 + 1.0 / self.G

    def step(
        self, miss: tuple[Floats, Floats, Floats, Floats], target: list[Floats]
    ) -> tuple[Floats, ...]:
        """Solve for the step that cancels the missed equations and brings the products by ``target``."""
        beyond, above, low, high = target
        # dζ = (beyond − ζ dα)/α, dξ = (above + ξ dα)/(w − α); dp = (low + p du)/low, dq = (high − q du)/high
        shift_r = miss[2] - above / self.left + beyond / self.alpha
        shift_b = miss[3] + low / self.low - high / self.high
        top = miss[0] + shift_b / self.G + self.A.T @ (shift_r / self.D)
        rhs = np.append(top, miss[1] + self.y @ (shift_r / self.D))
        d = lstsq(self.K, rhs, cond=1e-18, lapack_driver="gelsy", check_finite=False)[0]
        db, db0 = d[:-1], d[-1]
        dalpha = (shift_r - self.M @ d) / self.D
        du = (db - shift_b) / self.G
        dxi, dzeta = (
            (above + self.xi * dalpha) / self.left,
            (beyond - self.zeta * dalpha) / self.alpha,
        )
        dp, dq = (low + self.p * du) / self.low, (high - self.q * du) / self.high
        return db, db0, dalpha, du, dxi, dzeta, dp, dq

    def reach(self, step: tuple[Floats, ...]) -> float:
        """Return how much of a step keeps every factor positive."""
        _, _, dalpha, du, dxi, dzeta, dp, dq = step
        pairs = ((self.alpha, dalpha), (self.left, -dalpha), (self.xi, dxi), (self.zeta, dzeta),
                 (self.low, -du), (self.high, du), (self.p, dp), (self.q, dq))  # fmt: skip
        return min(1.0, *(float(np.min(-v[d < 0] / d[d < 0], initial=1.0)) for v, d in pairs))

    @staticmethod
    def curvature(step: tuple[Floats, ...]) -> tuple[Floats, ...]:
        """Return the second-order part of the products, which the corrector takes away."""
        _, _, dalpha, du, dxi, dzeta, dp, dq = step
        return dalpha * dzeta, -dalpha * dxi, -du * dp, du * dq
