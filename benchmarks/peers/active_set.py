"""How do dual active-set methods solve the grid?

DAQP keeps its active set from one value of l1 to the next, which makes it almost a path method: few
changes per value. It wants a positive definite Hessian, so a tiny curvature is added where there is
none, small enough for an excess below 1e-6.

`DaqpWorkingSets` is what an expert would write around it: the dual over the points near the margin
and the columns near the bound only, enlarged until the duality gap of the whole problem closes.
Reference for the screening rule: Tibshirani et al. 2012 (strong rules).
"""

from __future__ import annotations

import time

import numpy as np
from objective import best_intercept, dual_value, objective, shrink

INFINITE = 1e30
EQUALITY, SOFT = 5, 8
ITERATIONS = 1_000_000


class DaqpDual:
    """The dual in (alpha, b), dense; the fastest writing unless n is much larger than p."""

    curvature = 1e-7

    def __init__(self, X: np.ndarray, y: np.ndarray, l2: float) -> None:
        n, p = X.shape
        self.n, self.l2 = n, l2
        self.ZT = np.ascontiguousarray((y[:, None] * X).T)
        self.H = np.diag(np.repeat([self.curvature, l2], [n, p]))
        self.f = np.repeat([-1.0, 0.0], [n, p])
        balance = np.append(y, np.zeros(p))[None, :]
        self.A = np.vstack([balance, np.hstack([self.ZT, -l2 * np.eye(p)])])
        self.sense = np.zeros(n + 2 * p + 1, dtype=np.int32)
        self.sense[n + p] = EQUALITY
        self.model = None

    def solve(self, l1: float, seconds: float) -> list[np.ndarray]:
        """Coefficients read from b and from alpha; a failed warm start is retried cold."""
        p = len(self.ZT)
        free, limit = np.full(p, INFINITE), np.full(p, l1)
        upper = np.concatenate([np.ones(self.n), free, [0.0], limit])
        lower = np.concatenate([np.zeros(self.n), -free, [0.0], -limit])
        if self.model is not None:
            self.model.update(bupper=upper, blower=lower)
            x, flag = run_model(self.model, seconds)
        if self.model is None or flag < 0:
            self.model = new_model(self.H, self.f, self.A, upper, lower, self.sense)
            x, flag = run_model(self.model, seconds)
        return [x[self.n :], shrink(self.ZT @ x[: self.n], l1, self.l2)]


class DaqpSoft:
    """The primal in (b+, b-, b0) with soft margins, for n much larger than p.

    A soft constraint of linear weight 1 is the hinge loss itself: no slack variables are needed.
    """

    curvature = 1e-4
    softness = 1e5

    def __init__(self, X: np.ndarray, y: np.ndarray, l2: float) -> None:
        n, p = X.shape
        Z = y[:, None] * X
        self.p, size = p, 2 * p + 1 + n
        self.H = np.diag(np.append(np.full(2 * p, l2), self.curvature))
        self.A = np.ascontiguousarray(np.hstack([Z, -Z, y[:, None]]))
        self.upper = np.full(size, INFINITE)
        self.lower = np.concatenate([np.zeros(2 * p), [-INFINITE], np.ones(n)])
        self.sense = np.repeat([0, SOFT], [2 * p + 1, n]).astype(np.int32)
        self.model = None

    def solve(self, l1: float, seconds: float) -> list[np.ndarray]:
        """Coefficients b+ - b-; a failed warm start is retried cold."""
        f = np.append(np.full(2 * self.p, l1), 0.0)
        if self.model is not None:
            self.model.update(f=f)
            x, flag = run_model(self.model, seconds)
        if self.model is None or flag < 0:
            self.model = new_model(self.H, f, self.A, self.upper, self.lower, self.sense)
            soft, one = np.full(len(self.upper), self.softness), np.ones(len(self.upper))
            self.model.soft_weights(rho_l=soft, rho_u=soft, w_l=one, w_u=one)
            x, flag = run_model(self.model, seconds)
        return [x[: self.p] - x[self.p : 2 * self.p]]


class DaqpWorkingSets:
    """DAQP's dual restricted to the points and columns that can still move."""

    curvature = 1e-7
    gap = 2e-7

    def __init__(self, X: np.ndarray, y: np.ndarray, l2: float) -> None:
        n, p = X.shape
        self.X, self.y, self.l2 = X, y, l2
        self.alpha = feasible_corner(y)
        self.coef, self.intercept = np.zeros(p), float(np.sign(y.sum()))
        self.multipliers = np.zeros(n + p + 1)
        self.previous_l1 = None

    def solve(self, l1: float, seconds: float) -> list[np.ndarray]:
        """Enlarge the working sets until the gap of the whole problem closes."""
        stop = time.perf_counter() + seconds
        rows, columns = self.screen(l1)
        while True:
            self.solve_restricted(rows, columns, l1, stop - time.perf_counter())
            c = self.X.T @ (self.y * self.alpha)
            margins = self.X @ self.coef
            value = objective(
                self.X, self.y, self.coef, best_intercept(self.X, self.y, self.coef), l1, self.l2
            )
            gap = value - dual_value(self.alpha, c, l1, self.l2)
            more_rows, more_columns = self.violators(rows, columns, margins, c, l1)
            stuck = len(more_rows) + len(more_columns) == 0
            if gap <= self.gap * max(1.0, value) or stuck or time.perf_counter() > stop:
                break
            rows, columns = np.union1d(rows, more_rows), np.union1d(columns, more_columns)
        self.previous_l1 = l1
        return [self.coef.copy(), shrink(c, l1, self.l2)]

    def screen(self, l1: float) -> tuple[np.ndarray, np.ndarray]:
        """Points on or nearest the margin; columns that pass the strong rule |c| >= 2 l1 - l1'."""
        residual = np.abs(1.0 - self.y * (self.intercept + self.X @ self.coef))
        inside = np.flatnonzero((self.alpha > 1e-9) & (self.alpha < 1.0 - 1e-9))
        nearest = np.argsort(residual, kind="stable")[: 2 * len(inside) + 20]
        c = np.abs(self.X.T @ (self.y * self.alpha))
        bound = 2.0 * l1 - (self.previous_l1 or l1)
        columns = np.flatnonzero((c >= bound) | (self.coef != 0.0))
        return np.union1d(inside, nearest), np.union1d(columns, [int(np.argmax(c))])

    def solve_restricted(
        self, rows: np.ndarray, columns: np.ndarray, l1: float, seconds: float
    ) -> None:
        """The dual with alpha fixed outside `rows` and b zero outside `columns`."""
        n, (m, k) = len(self.y), (len(rows), len(columns))
        ZT = (self.y[rows, None] * self.X[np.ix_(rows, columns)]).T
        fixed = self.y * self.alpha
        fixed[rows] = 0.0
        others = np.flatnonzero(fixed)
        offset = np.append(fixed.sum(), fixed[others] @ self.X[np.ix_(others, columns)])
        A = np.block([[self.y[rows], np.zeros(k)], [ZT, -self.l2 * np.eye(k)]])
        free, limit = np.full(k, INFINITE), np.append(0.0, np.full(k, l1))
        upper = np.concatenate([np.ones(m), free, limit - offset])
        lower = np.concatenate([np.zeros(m), -free, -limit - offset])
        sense = np.zeros(m + 2 * k + 1, dtype=np.int32)
        sense[m + k] = EQUALITY
        place = np.concatenate([rows, np.full(k, -1), [n], n + 1 + columns])
        start = np.where(place >= 0, self.multipliers[place], 0.0)
        H = np.diag(np.repeat([self.curvature, self.l2], [m, k]))
        f = np.repeat([-1.0, 0.0], [m, k])
        model = new_model(H, f, A, upper, lower, sense, dual_start=start)
        x, flag, multipliers = run_model(model, seconds, with_multipliers=True)
        if flag < 0:
            model = new_model(H, f, A, upper, lower, sense)
            x, flag, multipliers = run_model(model, seconds, with_multipliers=True)
        self.alpha[rows] = np.clip(x[:m], 0.0, 1.0)
        self.coef = np.zeros(self.X.shape[1])
        self.coef[columns] = x[m:]
        self.multipliers[place[place >= 0]] = multipliers[place >= 0]
        self.intercept = float(multipliers[m + k])

    def violators(
        self, rows: np.ndarray, columns: np.ndarray, margins: np.ndarray, c: np.ndarray, l1: float
    ) -> tuple[np.ndarray, np.ndarray]:
        """Fixed points on the wrong side and absent columns beyond the bound, worst first."""
        residual = 1.0 - self.y * (self.intercept + margins)
        wrong_side = np.where(self.alpha > 0.5, -residual, residual)
        wrong_side[rows] = 0.0
        beyond = np.abs(c) - l1
        beyond[columns] = 0.0
        return worst(wrong_side, 1e-9, len(rows) + 20), worst(beyond, 1e-9 * l1, len(columns) + 20)


def worst(violation: np.ndarray, tolerance: float, most: int) -> np.ndarray:
    """Indices of the largest violations, at most `most`."""
    order = np.argsort(-violation, kind="stable")[:most]
    return order[violation[order] > tolerance]


def feasible_corner(y: np.ndarray) -> np.ndarray:
    """A dual point with y.alpha = 0: the smaller class at 1 and as many points of the larger."""
    plus, minus = np.flatnonzero(y > 0), np.flatnonzero(y < 0)
    count = min(len(plus), len(minus))
    alpha = np.zeros(len(y))
    alpha[plus[:count]] = alpha[minus[:count]] = 1.0
    return alpha


def new_model(H, f, A, upper, lower, sense, **start):
    """A DAQP workspace for this program."""
    import daqp

    model = daqp.Model()
    model.setup(H, f, A, upper, lower, sense, **start)
    return model


def run_model(model, seconds: float, with_multipliers: bool = False) -> tuple:
    """Solution and exit flag (negative on failure), and the multipliers when asked."""
    model.settings = {"iter_limit": ITERATIONS, "time_limit": max(seconds, 1e-3)}
    x, _, flag, info = model.solve()
    x = np.array(x)
    return (x, flag, np.array(info["lam"])) if with_multipliers else (x, flag)
