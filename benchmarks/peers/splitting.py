"""How do operator-splitting methods solve the grid?

ProxQP (augmented Lagrangian) and OSQP (alternating directions) keep their last point as the start
for the next value of l1. Both get the primal in (b, t, b0, slack), where only the linear term
changes. Chosen on rows a and breast-cancer only: warm-started on a dual, ProxQP returned wrong
solutions there, and OSQP was slower or no better.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse

from .programs import absolute_value_program


class ProxQp:
    """ProxQP with dense algebra and a diagonal Hessian."""

    tolerance = 1e-10
    largest = 16_000  # 2 GB; the sparse backend finished no value in 40 s on rows d and colon

    def __init__(self, X: np.ndarray, y: np.ndarray, l2: float) -> None:
        from proxsuite import proxqp

        self.program = absolute_value_program(X, y, l2)
        rows, size = self.program.G.shape
        if rows + 2 * size > self.largest:
            raise MemoryError(f"a dense system of {rows + 2 * size} equations")
        diagonal = proxqp.dense.HessianType.Diagonal
        self.solver = proxqp.dense.QP(size, 0, rows, True, diagonal)
        self.solver.settings.eps_abs, self.solver.settings.eps_rel = self.tolerance, 0.0
        self.solver.settings.initial_guess = proxqp.WARM_START_WITH_PREVIOUS_RESULT
        self.ready = False

    def solve(self, l1: float, seconds: float) -> list[np.ndarray]:
        """Coefficients at l1; one value cannot be interrupted."""
        vectors = self.program.at(l1)
        if self.ready:
            self.solver.update(g=vectors.q)
        else:
            program, far = self.program, 1e20
            self.solver.init(
                H=program.P.toarray(),
                g=vectors.q,
                C=program.G.toarray(),
                l=vectors.lower,
                u=np.minimum(vectors.upper, far),
                l_box=np.maximum(vectors.x_lower, -far),
                u_box=np.minimum(vectors.x_upper, far),
            )
            self.ready = True
        self.solver.solve()
        return [np.array(self.program.coefs(self.solver.results.x))]


class Osqp:
    """OSQP with polishing, which often lands on the exact solution."""

    tolerance = 1e-5
    steps = 100_000

    def __init__(self, X: np.ndarray, y: np.ndarray, l2: float) -> None:
        self.program = absolute_value_program(X, y, l2)
        self.solver = None

    def solve(self, l1: float, seconds: float) -> list[np.ndarray]:
        """Coefficients at l1."""
        vectors = self.program.at(l1)
        if self.solver is None:
            self.solver = self.set_up(vectors)
        else:
            self.solver.update(q=vectors.q)
        self.solver.update_settings(time_limit=max(seconds, 1e-3))
        return [np.array(self.program.coefs(self.solver.solve(raise_error=False).x))]

    def set_up(self, vectors):
        """OSQP takes bounds on variables as rows of the identity."""
        import osqp

        program, solver = self.program, osqp.OSQP()
        rows = sparse.vstack([program.G, sparse.identity(program.P.shape[0])]).tocsc()
        solver.setup(
            program.P,
            vectors.q,
            rows,
            np.append(vectors.lower, vectors.x_lower),
            np.append(vectors.upper, vectors.x_upper),
            eps_abs=self.tolerance,
            eps_rel=self.tolerance,
            max_iter=self.steps,
            polishing=True,
            verbose=False,
        )
        return solver
