"""How do coordinate and stochastic methods solve the grid?

ReHLine minimises hinge + elastic net by coordinate steps in its dual, but penalises every
coefficient by its ridge. The intercept is therefore a column of height s, its penalty
(b0 - b0')^2 / (2 s^2) centred on the last known intercept b0': a proximal step, nearly free.

SGDClassifier minimises the mean hinge + a (r ||b||_1 + (1 - r)/2 ||b||^2), the same problem for
a = (l1 + l2) / n and r = l1 / (l1 + l2).
"""

from __future__ import annotations

import time
import warnings

import numpy as np


class ReHLine:
    """ReHLine's solver with its dual variables kept along the grid."""

    tolerance = 5e-7
    height = 1.0
    sweeps = 2000
    most_rounds = 50

    def __init__(self, X: np.ndarray, y: np.ndarray, l2: float) -> None:
        n, p = X.shape
        self.y, self.l2, self.p = y, l2, p
        self.design = np.ascontiguousarray(np.hstack([X, np.full((n, 1), self.height)]))
        self.intercept = 0.0
        self.duals: dict[str, np.ndarray] = {}

    def solve(self, l1: float, seconds: float) -> list[np.ndarray]:
        """Rounds of sweeps until the solver reports convergence or time is up."""
        stop = time.perf_counter() + seconds
        for _ in range(self.most_rounds):
            result = self.sweep(l1)
            step = float(result.beta[self.p])
            self.intercept += self.height * step
            settled = 0.5 * step**2 <= self.tolerance
            if (result.converged and settled) or time.perf_counter() > stop:
                break
        return [np.array(result.beta[: self.p])]

    def sweep(self, l1: float):
        """At most `sweeps` passes from the last dual variables, the intercept's penalty centred."""
        from rehline import ReHLine_solver

        rho = np.append(np.full(self.p, l1 / self.l2), 0.0)
        U = -self.y[None, :] / self.l2
        V = (1.0 - self.y * self.intercept)[None, :] / self.l2
        options = {"max_iter": self.sweeps, "tol": self.tolerance, "verbose": 0}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result = ReHLine_solver(self.design, U, V, rho=rho, **options, **self.duals)
        self.duals = {"Lambda": result.Lambda, "mu": result.mu}
        return result


class Sgd:
    """scikit-learn's SGDClassifier, started from its last coefficients."""

    def __init__(self, X: np.ndarray, y: np.ndarray, l2: float) -> None:
        from sklearn.linear_model import SGDClassifier

        self.X, self.y, self.l2 = X, y, l2
        self.model = SGDClassifier(
            loss="hinge", penalty="elasticnet", max_iter=1000, tol=1e-5, random_state=0
        )
        self.start: dict[str, np.ndarray] = {}

    def solve(self, l1: float, seconds: float) -> list[np.ndarray]:
        """Coefficients at l1."""
        total = l1 + self.l2
        self.model.set_params(alpha=total / len(self.y), l1_ratio=l1 / total)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.model.fit(self.X, self.y, **self.start)
        coef = self.model.coef_.ravel().copy()
        self.start = {"coef_init": coef[None, :], "intercept_init": self.model.intercept_}
        return [coef]
