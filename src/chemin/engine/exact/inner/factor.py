"""How is the derivative system solved, and its factorisation kept up to date?

The elbow matrix M has one signed row s_i (κ, x_iV) per point at a kink, κ being the scale of the
intercept column. It always has full row rank, so Mᵀ = QR with a square orthogonal Q: its first e
columns span the rows of M, the others, of which there are few (|V| + 1 − |E|), its null space.
The system met at every breakpoint,

    H x − Mᵀ a = ρ,    M x = f,    H = diag(0, 1, …, 1)   (the intercept is not penalised),

is solved in the null space of M, which keeps its accuracy when M is square or ill conditioned.
With q the first row of Q, split as (q_E, q_N), and h = Qᵀρ split alike,

    f = 0:  x₀ = q_N·h_N / q_E·q_E,   x = Q_N (h_N + x₀ q_N),   R a = −(h_E + x₀ q_E)   (`slide`)
    ρ = 0:  Rᵀk = f,  x₀ = q_E·k / q_E·q_E,   x = Q_E (k − x₀ q_E) + x₀ e₀,   R a = k − x₀ q_E   (`pin`)

When M is square the null space is empty and f = 0 gives x = 0 *exactly*, whatever the rounding.
"""

from __future__ import annotations

import numpy as np

try:
    import cython
except ImportError:
    from chemin.engine.exact.inner import typing as cython

from chemin.engine.thresholds import FINEST as _FINEST
from chemin.engine.thresholds import NOTHING as _NOTHING

if cython.compiled:
    from cython.cimports.chemin.engine.exact.inner.kernels import (
        add_rows,
        add_to_first,
        clear,
        copy,
        factor_add_column,
        factor_add_row,
        factor_drop_column,
        factor_drop_row,
        first_dot,
        first_square,
        largest,
        negate,
        padded,
        products,
        solve_lower,
        solve_upper,
    )
else:
    from chemin.engine.exact.inner.kernels import (
        add_rows,
        add_to_first,
        clear,
        copy,
        factor_add_column,
        factor_add_row,
        factor_drop_column,
        factor_drop_row,
        first_dot,
        first_square,
        largest,
        negate,
        padded,
        products,
        solve_lower,
        solve_upper,
    )

NOTHING = cython.declare(cython.double, _NOTHING) if cython.compiled else _NOTHING
FINEST = cython.declare(cython.double, _FINEST) if cython.compiled else _FINEST


class Factor:
    """QR factorisation of Mᵀ, updated one point (row of M) or one variable (column of M) at a time.

    Attributes
    ----------
    e, m : int
        Rows and columns of M.
    """

    def __init__(self, m):
        self.room = 0
        self.e = 0
        self.m = 0
        self.restart(m)

    def reserve(self, needed):
        """Make room for so many columns of M."""
        if needed <= self.room:
            return
        room = max(16, self.room)
        while room < needed:
            room *= 2
        qt = np.zeros((room, room))
        r = np.zeros((room, room))
        if self.m:
            qt[: self.m, : self.m] = np.asarray(self.qt)[: self.m, : self.m]
            r[: self.e, : self.e] = np.asarray(self.r)[: self.e, : self.e]
        self.qt = qt
        self.r = r
        self.h = np.zeros(room)
        self.work = np.zeros(room)
        self.room = room

    def restart(self, m):
        """Let M have m columns and no rows."""
        self.m = 0
        self.e = 0
        self.reserve(m)
        qt = np.asarray(self.qt)
        qt[:] = 0.0
        np.fill_diagonal(qt[:m, :m], 1.0)
        np.asarray(self.r)[:] = 0.0
        self.m = m

    def add_row(self, block, row):
        """Append a row of the block as the last row of M."""
        factor_add_row(self.qt, self.r, self.e, self.m, block, row, self.h)
        self.e += 1

    def drop_row(self, k):
        """Remove the k-th row of M; the order of the others is kept."""
        factor_drop_row(self.qt, self.r, self.e, self.m, k)
        self.e -= 1

    def add_column(self, column):
        """Append a variable as the last column of M."""
        self.reserve(self.m + 1)
        factor_add_column(self.qt, self.r, self.e, self.m, column, self.work)
        self.m += 1

    def drop_column(self, k):
        """Remove the k-th column of M; the last one takes its place."""
        factor_drop_column(self.qt, self.r, self.e, self.m, k, self.work)
        self.m -= 1

    def slide(self, rho, x, a):
        """Solve with f = 0: how (x, a) moves when ρ pushes the gradient; say whether x moves at all."""
        x0: cython.double
        size: cython.double
        moves: cython.bint = False
        products(self.qt, self.m, padded(self.m), rho, self.h)
        size = max(NOTHING * largest(self.h, 0, self.e), FINEST * largest(self.h, 0, self.m))
        x0 = 0.0
        if self.e < self.m:
            x0 = first_dot(self.qt, self.e, self.m, self.h) / first_square(self.qt, self.e)
        add_to_first(self.qt, 0, self.m, x0, self.h)
        copy(self.h, 0, a, 0, self.e)
        if largest(a, 0, self.e) <= size:
            clear(a, self.e)
        clear(x, padded(self.m))
        if self.e < self.m:
            add_rows(self.qt, self.e, self.m - self.e, self.m, self.h, x)
            moves = largest(x, 0, self.m) > NOTHING * largest(rho, 0, self.m)
            if not moves:
                clear(x, self.m)
        solve_upper(self.r, self.e, a)
        negate(a, self.e)
        return moves

    def pin(self, f, x, a):
        """Solve with ρ = 0: how (x, a) moves when the margins of the elbow points are pushed by f."""
        x0: cython.double
        copy(f, 0, a, 0, self.e)
        solve_lower(self.r, self.e, a)
        clear(x, self.m)
        if self.e == self.m:
            add_rows(self.qt, 0, self.e, self.m, a, x)
        x0 = first_dot(self.qt, 0, self.e, a) / first_square(self.qt, self.e)
        add_to_first(self.qt, 0, self.e, -x0, a)
        if self.e < self.m:
            add_rows(self.qt, 0, self.e, self.m, a, x)
            x[0] += x0
        solve_upper(self.r, self.e, a)
