"""How is a sum of outer products solved with, and its triangular factor updated?

RᵀR = Σ_i w_i x_i x_iᵀ + diag(ridges). R is kept up to date by plane rotations: one x_i comes or goes, one
row and column is appended or dropped. A column of R has a *slot*, the place of its unknown in the
caller's vectors.
"""

from __future__ import annotations

import numpy as np

try:
    import cython
except ImportError:
    from chemin.engine.exact.inner import typing as cython

from chemin.engine.thresholds import LEFT_OF_A_PIVOT as _LEAST

if cython.compiled:
    from cython.cimports.chemin.engine.exact.inner.kernels import (
        cholesky_add,
        cholesky_drop,
        cholesky_subtract,
        gather,
        scatter,
        solve_lower,
        solve_upper,
    )
else:
    from chemin.engine.exact.inner.kernels import (
        cholesky_add,
        cholesky_drop,
        cholesky_subtract,
        gather,
        scatter,
        solve_lower,
        solve_upper,
    )

LEAST = cython.declare(cython.double, _LEAST) if cython.compiled else _LEAST


class Cholesky:
    """The triangular factor R.

    Attributes
    ----------
    m : int
        How many rows and columns.
    slot : the first m entries
        Where the unknown of every column is in the caller's vectors.
    """

    def __init__(self):
        self.m = 0
        self.room = 0
        self.reserve(16)

    def reserve(self, needed):
        """Make room for so many columns."""
        if needed <= self.room:
            return
        room = 2 * needed
        r = np.zeros((room, room))
        slot = np.zeros(room, dtype=np.intp)
        if self.m:
            r[: self.m, : self.m] = np.asarray(self.r)[: self.m, : self.m]
            slot[: self.m] = np.asarray(self.slot)[: self.m]
        self.r = r
        self.slot = slot
        self.work = np.zeros(room + 8)
        self.room = room

    def restart(self, rows, ridge, slot):
        """Factor afresh: √w_i x_i as the rows of an array, the ridges, and the slots."""
        m: cython.Py_ssize_t = len(slot)
        self.m = 0
        self.reserve(m)
        upper = np.linalg.qr(np.vstack([rows, np.diag(np.sqrt(ridge))]), mode="r")
        r = np.asarray(self.r)
        r[:] = 0.0
        r[:m, :m] = upper * np.where(np.diag(upper) < 0.0, -1.0, 1.0)[:, None]
        np.asarray(self.slot)[:m] = slot
        self.m = m

    def add(self, x):
        """Add x xᵀ, x being one of the caller's vectors."""
        gather(x, self.slot, self.m, self.work)
        cholesky_add(self.r, self.m, self.work)

    def subtract(self, x):
        """Take x xᵀ away; say whether R can still be trusted."""
        gather(x, self.slot, self.m, self.work)
        return cholesky_subtract(self.r, self.m, self.work, LEAST)

    def border(self, products, y):
        """Take the products of a new unknown with the others; return in y the combination of them nearest to it."""
        k: cython.Py_ssize_t
        self.reserve(self.m + 1)
        gather(products, self.slot, self.m, self.work)
        solve_lower(self.r, self.m, self.work)
        for k in range(self.m):
            self.r[k, self.m] = self.work[k]
        solve_upper(self.r, self.m, self.work)
        scatter(self.work, self.slot, self.m, y)

    def append(self, slot, pivot):
        """Append the unknown whose border was taken last; its pivot is the size of what the others leave of it."""
        k: cython.Py_ssize_t
        for k in range(self.m):
            self.r[self.m, k] = 0.0
        self.r[self.m, self.m] = pivot
        self.slot[self.m] = slot
        self.m += 1

    def drop(self, slot):
        """Remove an unknown; say whether it was there."""
        i: cython.Py_ssize_t
        place: cython.Py_ssize_t = self.place_of(slot)
        if place < 0:
            return False
        cholesky_drop(self.r, self.m, place)
        self.m -= 1
        for i in range(place, self.m):
            self.slot[i] = self.slot[i + 1]
        return True

    def place_of(self, slot):
        """Return which column of R has this slot, −1 if none has."""
        i: cython.Py_ssize_t
        for i in range(self.m):
            if self.slot[i] == slot:
                return i
        return -1

    def rename(self, slot, new_slot):
        """Let an unknown have another slot."""
        place: cython.Py_ssize_t = self.place_of(slot)
        if place >= 0:
            self.slot[place] = new_slot

    def shift_down(self, slot):
        """Lower all slots above one that is no more."""
        i: cython.Py_ssize_t
        for i in range(self.m):
            if self.slot[i] > slot:
                self.slot[i] -= 1

    def solve(self, rho, x):
        """Solve RᵀR x = ρ."""
        gather(rho, self.slot, self.m, self.work)
        solve_lower(self.r, self.m, self.work)
        solve_upper(self.r, self.m, self.work)
        scatter(self.work, self.slot, self.m, x)
