"""How is the derivative system solved, and its factorisation kept up to date?

The elbow matrix M (one signed row y_i (κ, x_iV) per elbow point, κ the scale of the intercept column) always has full
row rank, so Mᵀ = QR with Q of orthonormal columns. The system met at every breakpoint,

    H x − Mᵀ a = ρ,    M x = f,    H = diag(0, 1, …, 1)   (the intercept is not penalised),

is solved in the null space of M, which keeps its accuracy when M is square or ill conditioned. With e the first row
of Q, h = Qᵀρ and Rᵀq = f:

    x₀ = (e·q + ρ₀ − e·h) / (e·e),    x = ρ + x₀ e₀ + Q (q − h − x₀ e),    R a = q − h − x₀ e,

split below into its two halves, `slide` (f = 0) and `pin` (ρ = 0), which add up.

When M is square the null space is empty and f = 0 gives x = 0 *exactly*, whatever the rounding.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import qr, qr_delete, qr_insert
from scipy.linalg.lapack import dtrtrs

from chemin.dictionaries.base import Floats

_NOTHING = 1e-12  # a null-space component below this fraction of ρ is rounding


class Factor:
    """QR factorisation of Mᵀ, updated one elbow point (row of M) or one variable (column of M) at a time."""

    def __init__(self, rows: Floats) -> None:
        self.refactor(rows)

    def refactor(self, rows: Floats) -> None:
        """Factor afresh the matrix M given by its rows."""
        q, r = qr(rows.T, mode="economic")
        self._q, self._r = np.asfortranarray(q), np.asfortranarray(r)

    def add_row(self, row: Floats) -> None:
        """Append an elbow point as the last row of M."""
        self._keep(
            qr_insert(self._q, self._r, row, self._r.shape[1], which="col", check_finite=False)
        )

    def drop_row(self, k: int) -> None:
        """Remove the k-th elbow point; the order of the others is kept."""
        self._keep(qr_delete(self._q, self._r, k, which="col", check_finite=False))

    def add_column(self, column: Floats) -> None:
        """Append a variable as the last column of M."""
        self._keep(
            qr_insert(self._q, self._r, column, self._q.shape[0], which="row", check_finite=False)
        )

    def drop_column(self, k: int) -> None:
        """Remove the k-th column of M; the last one takes its place."""
        last = self._q.shape[0] - 1
        self._q[[k, last]] = self._q[[last, k]]
        self._keep(qr_delete(self._q, self._r, last, which="row", check_finite=False))

    def _keep(self, updated: tuple[Floats, Floats]) -> None:
        # SciPy takes a square Q for a full factorisation and then returns more columns than R needs.
        q, r = updated
        self._q, self._r = q[:, : r.shape[1]], r[: r.shape[1]]

    def slide(self, rho: Floats) -> tuple[Floats, Floats]:
        """Solve with f = 0: how (x, a) moves when ρ pushes the gradient and the elbow stays on the margin."""
        q, r = self._q, self._r
        h = rho @ q
        size = np.abs(h).max()
        x0 = (rho[0] - q[0] @ h) / (q[0] @ q[0])
        h += x0 * q[0]
        if np.abs(h).max() <= _NOTHING * size:
            h[:] = 0.0
        a = -dtrtrs(r, h)[0]
        if q.shape[0] == q.shape[1]:
            return np.zeros(len(rho)), a
        x = rho - q @ h
        x[0] += x0
        x -= q @ (x @ q)  # once more: cancellation may have left a part outside the null space
        if np.abs(x).max() <= _NOTHING * np.abs(rho).max():
            x[:] = 0.0
        return x, a

    def pin(self, f: Floats) -> tuple[Floats, Floats]:
        """Solve with ρ = 0: how (x, a) moves when the margins of the elbow points are pushed by f."""
        q, r = self._q, self._r
        k = dtrtrs(r, f, trans=1)[0]
        x0 = (q[0] @ k) / (q[0] @ q[0])
        a = dtrtrs(r, k - x0 * q[0])[0]
        if q.shape[0] == q.shape[1]:
            return q @ k, a
        x = q @ (k - x0 * q[0])
        x[0] += x0
        return x, a
