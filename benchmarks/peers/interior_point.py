"""How do interior-point methods solve the grid?

They start afresh at every value of l1, but the program is set up once and its vectors updated. The
writing of the program follows the shape, by the times measured at a few values of l1: for PIQP the
dual with boxes when n and p differ much and dense algebra when they are close; for Clarabel the
primal on small shapes and the dual with boxes on the others.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse

from .programs import (
    Program,
    Vectors,
    absolute_value_program,
    dual_boxes_program,
    dual_rows_program,
)

TOLERANCE = 1e-7


class Piqp:
    """PIQP, dense on square shapes and sparse on the others."""

    def __init__(self, X: np.ndarray, y: np.ndarray, l2: float) -> None:
        import piqp

        n, p = X.shape
        self.dense = max(n, p) <= 3 * min(n, p)
        write = dual_rows_program if self.dense else dual_boxes_program
        self.program = write(X, y, l2)
        self.solver = piqp.DenseSolver() if self.dense else piqp.SparseSolver()
        settings = self.solver.settings
        settings.eps_abs = settings.eps_rel = TOLERANCE
        settings.eps_duality_gap_abs = settings.eps_duality_gap_rel = TOLERANCE
        self.ready = False

    def solve(self, l1: float, seconds: float) -> list[np.ndarray]:
        """Coefficients at l1; one value cannot be interrupted."""
        vectors = piqp_vectors(self.program.at(l1))
        if self.ready:
            self.solver.update(**vectors)
        else:
            self.solver.setup(**piqp_matrices(self.program, self.dense), **vectors)
            self.ready = True
        self.solver.solve()
        return [np.array(self.program.coefs(self.solver.result.x))]


def piqp_matrices(program: Program, dense: bool) -> dict:
    """P, A, b, G in the layout PIQP asks for; no rows means None."""
    convert = (lambda M: np.asfortranarray(M.toarray())) if dense else sparse.csc_matrix
    G = convert(program.G) if program.G.shape[0] else None
    return {"P": convert(program.P), "A": convert(program.A), "b": program.b, "G": G}


def piqp_vectors(vectors: Vectors) -> dict:
    """The l1-dependent arguments of `setup` and `update`."""
    rows = {"h_l": vectors.lower, "h_u": vectors.upper} if len(vectors.lower) else {}
    return {"c": vectors.q, "x_l": vectors.x_lower, "x_u": vectors.x_upper, **rows}


class Clarabel:
    """Clarabel, with the elimination that is fastest on the shape."""

    tolerance = TOLERANCE

    def __init__(self, X: np.ndarray, y: np.ndarray, l2: float) -> None:
        n, p = X.shape
        small = max(n, p) <= 600 and p <= n
        self.program = (absolute_value_program if small else dual_boxes_program)(X, y, l2)
        self.matrix, self.kept = stack_cones(self.program)
        # Measured: supernodal elimination wins on 1000 x 1000 and loses on the smaller shapes.
        self.method = "faer" if min(n, p) >= 500 else "qdldl"
        self.solver = None

    def solve(self, l1: float, seconds: float) -> list[np.ndarray]:
        """Coefficients at l1; the first call sets the time limit of one value."""
        vectors = self.program.at(l1)
        sides = np.concatenate([-vectors.lower, vectors.upper, -vectors.x_lower, vectors.x_upper])
        right = np.append(self.program.b, sides[self.kept])
        if self.solver is None:
            self.solver = self.set_up(vectors.q, right, seconds)
        else:
            self.solver.update(q=vectors.q, b=right)
        return [np.array(self.program.coefs(np.array(self.solver.solve().x)))]

    def set_up(self, q: np.ndarray, right: np.ndarray, seconds: float):
        """A solver whose vectors may be updated, which presolve would forbid."""
        import clarabel

        equalities = len(self.program.b)
        cones = [clarabel.ZeroConeT(equalities)] if equalities else []
        cones.append(clarabel.NonnegativeConeT(len(right) - equalities))
        settings = clarabel.DefaultSettings()
        settings.verbose, settings.max_threads, settings.presolve_enable = False, 1, False
        settings.direct_solve_method = self.method
        settings.time_limit = max(seconds, 1e-3)
        settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = self.tolerance
        return clarabel.DefaultSolver(self.program.P, q, self.matrix, right, cones, settings)


def stack_cones(program: Program) -> tuple[sparse.csc_matrix, np.ndarray]:
    """All finite sides as rows M x <= m under the equalities, and which sides are finite."""
    vectors = program.at(1.0)
    kept = np.isfinite(
        np.concatenate([vectors.lower, vectors.upper, vectors.x_lower, vectors.x_upper])
    )
    identity = sparse.identity(program.P.shape[0], format="csc")
    sides = sparse.vstack([-program.G, program.G, -identity, identity]).tocsr()[kept]
    return sparse.vstack([program.A, sides]).tocsc(), kept
