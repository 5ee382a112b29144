"""How is the derivative system solved, and its factorisation kept up to date?

The elbow matrix M has one signed row s_i (κ, x_iV) per point at a kink, κ being the scale of the
intercept column. It always has full row rank, so Mᵀ = QR with a square orthogonal Q: its first e
columns span the rows of M, the others, of which there are mostly few (|V| + 1 − |E|), its null
space. Once they are many, only the first are kept (`thin`), and what is in the null space is what
they leave.
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
from chemin.engine.thresholds import WIDE_NULL_SPACE as _WIDE

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
        thin_add_column,
        thin_add_row,
        thin_drop_column,
        thin_drop_row,
        thin_project,
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
        thin_add_column,
        thin_add_row,
        thin_drop_column,
        thin_drop_row,
        thin_project,
    )

NOTHING = cython.declare(cython.double, _NOTHING) if cython.compiled else _NOTHING
FINEST = cython.declare(cython.double, _FINEST) if cython.compiled else _FINEST
WIDE = cython.declare(cython.Py_ssize_t, _WIDE) if cython.compiled else _WIDE


class Factor:
    """QR factorisation of Mᵀ, updated one point (row of M) or one variable (column of M) at a time.

    Attributes
    ----------
    e, m : int
        Rows and columns of M.
    """

    def __init__(self, m):
        self.room = 0
        self.room_for_rows = 0
        self.e = 0
        self.m = 0
        self.thin = False
        self.restart(m)

    def reserve(self, rows, columns):
        """Make room for so many rows and columns of M."""
        if rows <= self.room_for_rows and columns <= self.room:
            return
        room = max(16, self.room)
        while room < columns:
            room *= 2
        room_for_rows = max(16, self.room_for_rows)
        while room_for_rows < rows:
            room_for_rows *= 2
        if not self.thin:
            room_for_rows = room
        qt = np.zeros((room_for_rows, room))
        r = np.zeros((room_for_rows, room_for_rows))
        if self.m:
            kept = self.e if self.thin else self.m
            qt[:kept, : self.m] = np.asarray(self.qt)[:kept, : self.m]
            r[: self.e, : self.e] = np.asarray(self.r)[: self.e, : self.e]
        self.qt = qt
        self.r = r
        self.h = np.zeros(room)
        self.work = np.zeros(room)
        self.extra = np.zeros(room)
        self.room = room
        self.room_for_rows = room_for_rows

    def restart(self, m):
        """Let M have m columns and no rows."""
        self.m = 0
        self.e = 0
        self.thin = m > WIDE
        self.room_for_rows = 0
        self.reserve(16 if self.thin else m, m)
        if not self.thin:
            qt = np.asarray(self.qt)
            np.fill_diagonal(qt[:m, :m], 1.0)
        self.m = m

    def forget_null_space(self):
        """Keep the first e columns of Q only, once the others are many."""
        self.thin = True
        self.room_for_rows = 0
        self.reserve(self.e + 1, self.m + 1)

    def add_row(self, block, row):
        """Append a row of the block as the last row of M."""
        if self.thin:
            self.reserve(self.e + 1, self.m)
            thin_add_row(self.qt, self.r, self.e, self.m, block, row, self.h)
        else:
            factor_add_row(self.qt, self.r, self.e, self.m, block, row, self.h)
        self.e += 1

    def drop_row(self, k):
        """Remove the k-th row of M; the order of the others is kept."""
        if self.thin:
            thin_drop_row(self.qt, self.r, self.e, self.m, k)
        else:
            factor_drop_row(self.qt, self.r, self.e, self.m, k)
        self.e -= 1

    def add_column(self, column):
        """Append a variable as the last column of M."""
        if not self.thin and self.m - self.e > WIDE:
            self.forget_null_space()
        self.reserve(self.e, self.m + 1)
        if self.thin:
            thin_add_column(self.qt, self.r, self.e, self.m, column, self.work, self.extra)
        else:
            factor_add_column(self.qt, self.r, self.e, self.m, column, self.work)
        self.m += 1

    def drop_column(self, k):
        """Remove the k-th column of M; the last one takes its place."""
        if self.thin:
            thin_drop_column(self.qt, self.r, self.e, self.m, k, self.work, self.extra, self.h)
        else:
            factor_drop_column(self.qt, self.r, self.e, self.m, k, self.work)
        self.m -= 1

    def slide(self, rho, x, a):
        """Solve with f = 0: how (x, a) moves when ρ pushes the gradient; say whether x moves at all."""
        x0: cython.double = 0.0
        size: cython.double
        moves: cython.bint = False
        count: cython.Py_ssize_t = self.e if self.thin else self.m
        products(self.qt, count, padded(self.m), rho, self.h)
        size = max(NOTHING * largest(self.h, 0, self.e), FINEST * largest(rho, 0, self.m))
        if self.e < self.m:
            if self.thin:  # q_N·h_N = ρ₀ − q_E·h_E
                x0 = rho[0] - first_dot(self.qt, 0, self.e, self.h)
            else:
                x0 = first_dot(self.qt, self.e, self.m, self.h)
            x0 /= first_square(self.qt, self.e)
        add_to_first(self.qt, 0, count, x0, self.h)
        copy(self.h, 0, a, 0, self.e)
        if largest(a, 0, self.e) <= size:
            clear(a, self.e)
        clear(x, padded(self.m))
        if self.e < self.m:
            if (
                self.thin
            ):  # ρ + x₀ e₀ less its part in the rows of M; once more against cancellation
                copy(rho, 0, x, 0, self.m)
                x[0] += x0
                thin_project(self.qt, self.e, self.m, x, self.h)
                thin_project(self.qt, self.e, self.m, x, self.h)
            else:
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
