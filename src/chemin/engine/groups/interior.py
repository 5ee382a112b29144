"""What is nearly the solution with a penalty on nested groups, at one l1? An interior point.

    Σ_i ℓ_i(s_i (b0 + x_i·b)) + (l2/2) ‖b‖² + l1 Σ_g v_g τ_g,      −τ_g ≤ b_j ≤ τ_g for j in g.

Losses are rows of kinks (`chemin.engine.recovery.rows`) with multipliers α and slacks ξ, ζ; every pair of a group and a
column has the slacks τ_g ∓ b_j with multipliers y⁺, y⁻, and the conditions are

    l2 b_j + Σ_{g∋j} (y⁺ − y⁻) = c_j,    Σ_{j∈g} (y⁺ + y⁻) = l1 v_g,    α ζ = (h − α) ξ = (τ_g ∓ b_j) y^± = μ → 0.

One step of the method solves a sparse system, and the products go to zero until rounding ends it.

Reference: Mehrotra (1992), *On the implementation of a primal-dual interior point method*.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import splu

from chemin.dictionaries.base import Floats, Indices
from chemin.engine.recovery.rows import Rows
from chemin.problems.hierarchies import Hierarchy

_ITERATIONS = 100
_SMALL = 1e-16
_NEARLY = 0.995  # of the way to where a factor would vanish


class InteriorPoint(NamedTuple):
    """An approximate solution and what multiplies to μ."""

    coef: Floats
    intercept: float
    largest: Floats  # τ_g
    multiplier: Floats  # α of every row
    short: Floats  # ξ
    beyond: Floats  # ζ
    held: Floats  # y⁺ − y⁻ of every pair of a group and a column
    room: Floats  # τ_g − |b_j| of every pair


@np.errstate(divide="ignore", over="ignore", invalid="ignore")  # as μ → 0; such a step is refused
def interior_point(rows: Rows, groups: Hierarchy, l2: float, l1: float) -> InteriorPoint:
    """Solve at one l1 > 0 to about ten digits."""
    scale = np.abs(rows.signed).max(initial=0.0) or 1.0
    A = rows.signed / scale
    y, h, z, width, bent = rows.label, rows.bound, rows.kink, rows.width, rows.bent
    pull_b = rows.pull_b / scale
    pairs = _Pairs(groups, l1 / scale, l2 / scale**2)
    b = np.zeros(A.shape[1])
    b0 = float(np.median(y * z))
    tau = np.ones(len(pairs.size))
    up = np.repeat(0.5 * pairs.bound / pairs.size, pairs.size)
    down = up.copy()
    alpha = 0.5 * h
    xi = np.ones(len(h))
    zeta = np.ones(len(h))
    for _ in range(_ITERATIONS):
        above, below = pairs.slacks(b, tau)
        miss_b = A.T @ alpha - pull_b - pairs.l2 * b - pairs.onto_columns(up - down)
        miss_0 = float(alpha @ y - rows.pull)
        miss_tau = pairs.onto_groups(up + down) - pairs.bound
        miss_r = z - A @ b - y * b0 - (width * alpha - bent) - xi + zeta
        products = (alpha * zeta, (h - alpha) * xi, up * above, down * below)
        mu = float(np.concatenate(products).mean())
        if mu < _SMALL * h.max():
            break
        factors = (alpha, h - alpha, xi, zeta, above, below, up, down)
        try:
            system = _System(pairs, A, y, width, *factors)
        except (RuntimeError, FloatingPointError):  # this is as near as rounding allows
            break
        missed = (miss_b, miss_0, miss_tau, miss_r)
        guess = system.step(missed, [-each for each in products])
        aim = mu * (1.0 - system.reach(guess)) ** 3
        target = [
            aim - each - bend for each, bend in zip(products, system.curvature(guess), strict=True)
        ]
        step = system.step(missed, target)
        if not all(np.all(np.isfinite(part)) for part in step):
            break
        t = min(1.0, _NEARLY * system.reach(step))
        b, tau, alpha, xi, zeta, up, down = (
            now + t * change
            for now, change in zip((b, tau, alpha, xi, zeta, up, down), step[1:], strict=True)
        )
        b0 += t * float(step[0])
    size = pairs.slacks(0.0 * b, tau)[0] - np.abs(b[pairs.column])
    return InteriorPoint(
        b / scale, b0, tau / scale, alpha, xi, zeta, scale * (up - down), size / scale
    )


class _Pairs:
    """The pairs of a group and one of its columns, group by group."""

    def __init__(self, groups: Hierarchy, l1: float, l2: float) -> None:
        self.l2 = l2
        self.column: Indices = np.concatenate([group for group, _ in groups.groups])
        self.size = np.array([len(group) for group, _ in groups.groups])
        self.group = np.repeat(np.arange(len(self.size)), self.size)
        every = np.arange(len(self.group))
        one = np.ones(len(every))
        shape = (len(every), groups.size)
        self.columns = sparse.csc_array((one, (every, self.column)), shape=shape)
        self.groups = sparse.csc_array(
            (one, (every, self.group)), shape=(len(every), len(self.size))
        )
        self.bound = np.array([l1 * weight for _, weight in groups.groups])
        self.p = groups.size

    def slacks(self, b: Floats, tau: Floats) -> tuple[Floats, Floats]:
        """Return τ_g − b_j and τ_g + b_j."""
        return tau[self.group] - b[self.column], tau[self.group] + b[self.column]

    def onto_columns(self, values: Floats) -> Floats:
        """Sum over the groups of every column."""
        return np.asarray(np.bincount(self.column, values, self.p), dtype=float)

    def onto_groups(self, values: Floats) -> Floats:
        """Sum over the columns of every group."""
        return np.asarray(np.bincount(self.group, values, len(self.size)), dtype=float)


class _System:
    """The Newton system at one iterate: of b, τ, y⁺, y⁻, α and b0 at once, since eliminating some costs digits."""

    def __init__(self, pairs: _Pairs, A: Floats, y: Floats, width: Floats, *parts: Floats) -> None:
        self.pairs = pairs
        self.alpha, self.left, self.xi, self.zeta = parts[:4]
        self.above, self.below, self.up, self.down = parts[4:]
        self.scales = (
            np.maximum(self.up, self.above),
            np.maximum(self.down, self.below),
            np.maximum(width + self.xi / self.left + self.zeta / self.alpha, 1.0),
        )
        over, under, far = (sparse.diags_array(1.0 / scale) for scale in self.scales)
        up, down = (sparse.diags_array(part) for part in (self.up, self.down))
        onto_b, onto_tau = pairs.columns, pairs.groups
        rows = sparse.csc_array(A)
        label = sparse.csc_array(y[:, None])
        steep = sparse.diags_array(width + self.xi / self.left + self.zeta / self.alpha)
        ridge = sparse.diags_array(np.full(pairs.p, pairs.l2))
        self.matrix = sparse.csc_array(sparse.block_array([
            [ridge, None, onto_b.T, -onto_b.T, -rows.T, None],
            [None, None, onto_tau.T, onto_tau.T, None, None],
            [-over @ up @ onto_b, over @ up @ onto_tau, over @ sparse.diags_array(self.above), None, None, None],
            [under @ down @ onto_b, under @ down @ onto_tau, None, under @ sparse.diags_array(self.below), None, None],
            [far @ rows, None, None, None, far @ steep, far @ label],
            [None, None, None, None, label.T, None],
        ]))  # fmt: skip
        if not np.all(np.isfinite(self.matrix.data)):
            raise FloatingPointError("a factor has vanished")
        self.solve = splu(self.matrix).solve
        sizes = (pairs.p, len(pairs.size), len(self.up), len(self.down), len(y))
        self.cuts = np.cumsum(sizes)

    def step(
        self, missed: tuple[Floats, float, Floats, Floats], target: list[Floats]
    ) -> tuple[Any, ...]:
        """Solve for the step that cancels the missed equations and brings the products by ``target``."""
        miss_b, miss_0, miss_tau, miss_r = missed
        beyond, short, over, under = target
        # dζ = (beyond − ζ dα)/α, dξ = (short + ξ dα)/(h − α)
        shift = miss_r - short / self.left + beyond / self.alpha
        scaled = [
            part / scale for part, scale in zip((over, under, shift), self.scales, strict=True)
        ]
        right = np.concatenate([miss_b, -miss_tau, *scaled, [-miss_0]])
        found = self.solve(right)
        found += self.solve(right - self.matrix @ found)
        db, dtau, dup, ddown, dalpha, db0 = np.split(found, self.cuts)
        dxi = (short + self.xi * dalpha) / self.left
        dzeta = (beyond - self.zeta * dalpha) / self.alpha
        return float(db0[0]), db, dtau, dalpha, dxi, dzeta, dup, ddown

    def reach(self, step: tuple[Any, ...]) -> float:
        """Return how much of a step keeps every factor positive."""
        _, db, dtau, dalpha, dxi, dzeta, dup, ddown = step
        dabove, dbelow = self.pairs.slacks(db, dtau)
        moving = (
            (self.alpha, dalpha), (self.left, -dalpha), (self.xi, dxi), (self.zeta, dzeta),
            (self.above, dabove), (self.below, dbelow), (self.up, dup), (self.down, ddown),
        )  # fmt: skip
        return min(1.0, *(float(np.min(-v[d < 0] / d[d < 0], initial=1.0)) for v, d in moving))

    def curvature(self, step: tuple[Any, ...]) -> tuple[Floats, ...]:
        """Return the second-order part of the products, which the corrector takes away."""
        _, db, dtau, dalpha, dxi, dzeta, dup, ddown = step
        dabove, dbelow = self.pairs.slacks(db, dtau)
        return dalpha * dzeta, -dalpha * dxi, dup * dabove, ddown * dbelow
