"""Where does the path stand if kinks are rounded, and how is its derivative system solved then?

On a rounded kink of width D a point has t = z − D α: its dual value follows β. The points on such
kinks are the elbow, M has their rows, and the system of `chemin.engine.exact.inner.factor` gets D
in its corner:

    Λ x − Mᵀ a = ρ,    M x + D a = 0,        Λ = l2 diag(0, 1, …, 1).

It comes down to whichever is fewer, the variables or the points of the elbow. By variables, with W = 1/D,

    (MᵀWM + Λ) x = ρ,    a = −W M x.

By points, if l2 > 0, with m₀ the column of the intercept, B the others, and S = l2 D + B Bᵀ,

    S a = −(l2 x₀ m₀ + B ρ_B),    −m₀ᵀ a = ρ₀,    x_B = (ρ_B + Bᵀ a) / l2.

Either matrix is kept as its triangular factor. Without l2 columns of M may depend on each other: one
that the others make up *rests*, it is left out of the factor. Then β may go along v with M v = 0,
which changes no score of the elbow; l1 and α wait until a variable leaves or a point comes to the elbow.
"""

from __future__ import annotations

import numpy as np

try:
    import cython
except ImportError:
    from chemin.engine.exact.inner import typing as cython

from chemin.engine import thresholds

if cython.compiled:
    from cython.cimports.chemin.engine.exact.inner.cholesky import Cholesky
    from cython.cimports.chemin.engine.exact.inner.kernels import (
        axpy,
        clear,
        column_at,
        dot,
        gathered_products,
        gathered_sum,
        largest,
        padded,
        row_at,
        scale,
        times_gathered,
    )
    from cython.cimports.chemin.engine.exact.inner.state import State
    from cython.cimports.libc.math import sqrt
else:
    from math import sqrt

    from chemin.engine.exact.inner.cholesky import Cholesky
    from chemin.engine.exact.inner.kernels import (
        axpy,
        clear,
        column_at,
        dot,
        gathered_products,
        gathered_sum,
        largest,
        padded,
        row_at,
        scale,
        times_gathered,
    )
    from chemin.engine.exact.inner.state import State

if cython.compiled:
    FLAT = cython.declare(cython.double, thresholds.FLAT)
    BARE = cython.declare(cython.double, thresholds.BARE)
    POOR = cython.declare(cython.double, thresholds.POORLY_APART)
    NOTHING = cython.declare(cython.double, thresholds.NOTHING)
    STILL = cython.declare(cython.double, thresholds.STILL)
    APART = cython.declare(cython.double, thresholds.WELL_APART)
    TRUSTED = cython.declare(cython.Py_ssize_t, thresholds.TRUSTED_SOLUTIONS)
    MET = cython.declare(cython.double, thresholds.MET)
    MISSED = cython.declare(cython.double, thresholds.MISSED)
    MANY = cython.declare(cython.double, thresholds.VARIABLES_PER_POINT)
else:
    FLAT = thresholds.FLAT
    BARE = thresholds.BARE
    POOR = thresholds.POORLY_APART
    NOTHING = thresholds.NOTHING
    STILL = thresholds.STILL
    APART = thresholds.WELL_APART
    TRUSTED = thresholds.TRUSTED_SOLUTIONS
    MET = thresholds.MET
    MISSED = thresholds.MISSED
    MANY = thresholds.VARIABLES_PER_POINT


class CurvedState(State):
    """The sets and numbers of the current point, and the factor of its system.

    Attributes
    ----------
    center, curvature : arrays of length n
        The middles of rounded kinks, less s base, and 1/D, 0 for a point of no weight. The target of a
        point on a piece is the end of the rounding that it faces, that of a point of the elbow the middle.
    by_points : bool
        Whether the factor is that of S.
    is_ill, trusted : bool, int
        Whether the last solution had to be refined, and how many more need not be looked at, since it had not and
        no column is nearly made up of others.
    rest : the first n_rest entries
        Columns of the block that are not in the factor.
    """

    def __init__(self, problem, row_norm, column_norm, kappa, base, position):
        super().__init__(problem, row_norm, column_norm, kappa, base, position)
        loss = problem.loss
        counts = loss.slope[:, 0] < loss.slope[:, 1]
        self.center = np.array(np.asarray(self.target)[:, 0])
        self.curvature = np.where(counts, 1.0 / loss.width, 0.0)
        self.largest_curvature = float(np.max(self.curvature, initial=0.0))
        self.by_points = False
        most = float(np.max(self.column_norm, initial=0.0))
        self.is_weak = self.l2 < thresholds.WEAK_RIDGE * most**2 * self.largest_curvature
        self.spoilt = False
        self.is_ill = False
        self.are_apart = False
        self.trusted = 0
        self.n_rest = 0
        self.rest = np.zeros(16, dtype=np.intp)
        self.cholesky = Cholesky()
        self.room_for_columns = 0
        self.room_for_rows = 0
        where = np.asarray(self.position)
        off = np.flatnonzero((where >= 0) & (where & 1 == 0))
        edge = loss.slope[off, where[off] >> 1] * loss.width[off]
        np.asarray(self.target)[off, 0] += edge
        self.refactor()

    def make_room(self):
        """Let the vectors be as long as the block is wide, and the elbow long."""
        if self.room_for_columns < self.room:
            self.room_for_columns = self.room
            self.nearest = np.zeros(self.room + 8)
            self.products = np.zeros(self.room + 8)
            self.second = np.zeros(self.room + 8)
        if self.room_for_rows < self.room_for_points:
            self.room_for_rows = self.room_for_points
            self.apart = np.zeros(self.room_for_points + 8)
            self.weighted = np.zeros(self.room_for_points + 8)

    # -- pivots

    def fix(self, i, piece):
        """Put a point on a piece; it faces the end of its rounding."""
        State.fix(self, i, piece)
        self.target[i, 0] = self.center[i] + self.slope[i, piece] / self.curvature[i]

    def add_point(self, i):
        """Take a point into the factor, which is about to join the elbow."""
        e: cython.Py_ssize_t = self.n_elbow
        m: cython.Py_ssize_t = self.n_active + 1
        self.make_room()
        self.target[i, 0] = self.center[i]
        clear(self.products, padded(m))
        row_at(self.block, i, m, self.products)
        if not self.by_points:
            scale(sqrt(self.curvature[i]), self.products, m)
            self.cholesky.add(self.products)
            return
        self.products[0] = 0.0
        gathered_products(self.block, self.elbow, e, padded(m), self.products, self.apart)
        clear(self.weighted, e)
        self.cholesky.border(self.apart, self.weighted)
        self.cholesky.append(e, sqrt(self.left_of_row(i, e, m)))

    def left_of_row(self, i, e, m):
        """Return what the rows of the elbow leave of one more, as a sum of squares."""
        k: cython.Py_ssize_t
        left: cython.double = 1.0 / self.curvature[i]
        for k in range(e):
            left += self.weighted[k] * self.weighted[k] / self.curvature[self.elbow[k]]
        left *= self.l2
        gathered_sum(self.block, self.elbow, e, m, self.weighted, self.nearest)
        axpy(-1.0, self.nearest, self.products, m)
        self.products[0] = 0.0
        return left + dot(self.products, self.products, m)

    def drop_point(self, k):
        """Take the point at place k of the elbow out of the factor."""
        i: cython.Py_ssize_t = self.elbow[k]
        m: cython.Py_ssize_t = self.n_active + 1
        if self.by_points:
            self.cholesky.drop(k)
            self.cholesky.shift_down(k)
            return
        self.make_room()
        row_at(self.block, i, m, self.products)
        scale(sqrt(self.curvature[i]), self.products, m)
        self.trusted = 0
        if not self.cholesky.subtract(self.products):
            self.spoilt = True

    def add_variable(self, k):
        """Take a column of the block into the factor."""
        self.make_room()
        if self.by_points:
            column_at(self.block, self.elbow, self.n_elbow, k, self.apart)
            self.cholesky.add(self.apart)
        elif not self.take_in(k, k):
            self.let_rest(k)

    def drop_variable(self, k):
        """Take column k of the block out of the factor; the last one is about to take its place."""
        i: cython.Py_ssize_t
        last: cython.Py_ssize_t = self.n_active
        if self.by_points:
            column_at(self.block, self.elbow, self.n_elbow, k, self.apart)
            if not self.cholesky.subtract(self.apart):
                self.spoilt = True
            return
        if not self.cholesky.drop(k):
            for i in range(self.n_rest):
                if self.rest[i] == k:
                    self.n_rest -= 1
                    self.rest[i] = self.rest[self.n_rest]
                    break
        self.cholesky.rename(last, k)
        for i in range(self.n_rest):
            if self.rest[i] == last:
                self.rest[i] = k

    def mend(self):
        """Factor the smaller matrix, afresh where rounding has spoilt it, with no column at rest that need not."""
        i: cython.Py_ssize_t
        c: cython.Py_ssize_t
        m: cython.Py_ssize_t = self.n_active + 1
        e: cython.Py_ssize_t = self.n_elbow
        if self.l2 > 0.0 and (m <= e if self.by_points else m > self.most_variables()):
            self.by_points = not self.by_points
            self.spoilt = True
        if self.spoilt:
            self.refactor()
            return
        for i in range(self.n_rest - 1, -1, -1):
            c = self.rest[i]
            if self.take_in(c, m):
                self.n_rest -= 1
                self.rest[i] = self.rest[self.n_rest]

    def most_variables(self):
        """Return up to how many variables the factor is that of the variables.

        Beyond the points of the elbow it is l2 alone that keeps them apart.
        """
        return self.n_elbow if self.is_weak else MANY * self.n_elbow + 8.0

    # -- columns that depend on others

    def let_rest(self, c):
        """Leave a column of the block out of the factor."""
        if self.n_rest == self.rest.shape[0]:
            self.rest = np.append(np.asarray(self.rest), np.zeros(self.n_rest, dtype=np.intp))
        self.rest[self.n_rest] = c
        self.n_rest += 1

    def take_in(self, c, m):
        """Append column c of the first m, or after them, to the factor; say whether the others do not make it up."""
        own: cython.double
        left: cython.double
        self.make_room()
        if self.l2 == 0.0 and self.cholesky.m >= self.n_elbow:
            return False
        own = self.norm_of(c)
        own = BARE * own * own * self.largest_curvature
        left = self.border_with(c, m)
        own += dot(self.weighted, self.scratch, self.n_elbow)
        if left <= FLAT * own:
            return False
        if left <= APART * own:
            self.are_apart = False
            self.trusted = 0
        self.cholesky.append(c, sqrt(left))
        return True

    def border_with(self, c, m):
        """Border the factor with column c; leave in `nearest` what the others make of it; return what is left of it.

        That is computed as a sum of squares: it may be next to nothing.
        """
        i: cython.Py_ssize_t
        turn: cython.Py_ssize_t
        left: cython.double = 0.0
        own: cython.double
        e: cython.Py_ssize_t = self.n_elbow
        column_at(self.block, self.elbow, e, c, self.scratch)
        times_gathered(self.scratch, self.curvature, self.elbow, e, self.weighted)
        own = dot(self.weighted, self.scratch, e)
        gathered_sum(self.block, self.elbow, e, m, self.weighted, self.products)
        clear(self.nearest, self.room)
        self.cholesky.border(self.products, self.nearest)
        for turn in range(2):
            gathered_products(self.block, self.elbow, e, padded(m), self.nearest, self.apart)
            left = self.l2 if c > 0 else 0.0
            for i in range(e):
                self.apart[i] = self.scratch[i] - self.apart[i]
                left += self.curvature[self.elbow[i]] * self.apart[i] * self.apart[i]
            for i in range(1, m):
                left += self.l2 * self.nearest[i] * self.nearest[i]
            if turn == 1 or left > POOR * own:
                break
            times_gathered(self.apart, self.curvature, self.elbow, e, self.apart)
            gathered_sum(self.block, self.elbow, e, m, self.apart, self.products)
            for i in range(1, m):
                self.products[i] -= self.l2 * self.nearest[i]
            clear(self.second, self.room)
            self.cholesky.solve(self.products, self.second)
            axpy(1.0, self.second, self.nearest, m)
        return left

    def slack_along(self, rho, c):
        """Return ρ·v for the v of a column at rest, which is e_c less `nearest`, or 0 where that is rounding."""
        k: cython.Py_ssize_t
        m: cython.Py_ssize_t = self.n_active + 1
        total: cython.double = rho[c]
        size: cython.double = abs(rho[c])
        own: cython.double = self.norm_of(c)
        self.border_with(c, m)
        for k in range(m):
            total -= rho[k] * self.nearest[k]
            size += abs(rho[k]) * (abs(self.nearest[k]) + own / self.norm_of(k))
        return total if abs(total) > NOTHING * size else 0.0

    def norm_of(self, c):
        """Return the norm of a column of the block that is that of the intercept or of an active variable."""
        return self.column_norm[self.active[c - 1]] if c > 0 else self.kappa * sqrt(self.n)

    def goes_along(self, push, x):
        """Let x be the way that β goes at fixed l1, if there is one."""
        i: cython.Py_ssize_t
        m: cython.Py_ssize_t = self.n_active + 1
        along: cython.double
        for i in range(self.n_rest):
            along = self.slack_along(push, self.rest[i])
            if along != 0.0:
                clear(x, padded(m))
                axpy(-1.0 if along > 0.0 else 1.0, self.nearest, x, m)
                x[self.rest[i]] = 1.0 if along > 0.0 else -1.0
                return True
        return False

    def share_of(self, rho, push):
        """Return the multiple of ``push`` to take off ρ so that the system has a solution, columns at rest or not."""
        i: cython.Py_ssize_t
        along: cython.double
        for i in range(self.n_rest):
            along = self.slack_along(push, self.rest[i])
            if along != 0.0:
                return self.slack_along(rho, self.rest[i]) / along
        return 0.0

    # -- the system

    def refactor(self):
        """Factor afresh."""
        m: cython.Py_ssize_t = self.n_active + 1
        self.make_room()
        self.spoilt = False
        self.trusted = 0
        self.n_rest = 0
        elbow = np.asarray(self.elbow)[: self.n_elbow]
        rows = np.asarray(self.block)[elbow, :m]
        curvature = np.asarray(self.curvature)[elbow]
        if self.by_points:
            self.cholesky.restart(rows[:, 1:].T, self.l2 / curvature, np.arange(self.n_elbow))
            return
        rows = np.sqrt(curvature)[:, None] * rows
        ridge = np.full(m, self.l2)
        ridge[0] = 0.0
        everything = np.arange(m)
        self.cholesky.restart(rows, ridge, everything)
        norm = np.append(
            self.kappa * sqrt(self.n), np.asarray(self.column_norm)[self.active[: self.n_active]]
        )
        own = np.einsum("ij,ij->j", rows, rows) + BARE * norm**2 * self.largest_curvature
        pivot = np.diagonal(np.asarray(self.cholesky.r))[:m]
        left = pivot**2 / np.maximum(own, np.finfo(float).tiny)
        self.are_apart = bool(np.all(left > APART))
        stands = left > FLAT
        if self.l2 == 0.0 and m > self.n_elbow:
            stands[np.argsort(left)[: m - self.n_elbow]] = False
        if not stands.all():
            self.cholesky.restart(rows[:, stands], ridge[stands], everything[stands])
            for c in everything[~stands]:
                if not self.take_in(c, m):
                    self.let_rest(c)

    def solve(self, rho, x, a):
        """Solve the system for x and a; columns at rest do not move."""
        if self.by_points:
            self.solve_by_points(rho, x, a)
        else:
            self.solve_by_variables(rho, x, a)
        if self.n_elbow == 1:  # the balance alone determines it, without rounding
            a[0] = -rho[0] / self.block[self.elbow[0], 0]

    def solve_by_variables(self, rho, x, a):
        """Solve for x and a = −W M x, and again for what is missed, until that is rounding.

        Rounding has spoilt a factor with which it does not become so: it is made afresh, once.
        """
        m: cython.Py_ssize_t = self.n_active + 1
        size: cython.double = largest(rho, 0, m)
        missed: cython.double
        self.make_room()
        missed = self.solve_and_refine(rho, x, a, size)
        if missed > MISSED * size and not self.spoilt:
            self.refactor()
            self.solve_and_refine(rho, x, a, size)
        self.forget_rounding(x, a)

    def forget_rounding(self, x, a):
        """Let a be 0 where it is rounding beside what it is a sum of."""
        k: cython.Py_ssize_t
        i: cython.Py_ssize_t
        size: cython.double = STILL * sqrt(dot(x, x, self.n_active + 1))
        for k in range(self.n_elbow):
            i = self.elbow[k]
            if abs(a[k]) <= size * self.row_norm[i] * self.curvature[i]:
                a[k] = 0.0

    def solve_and_refine(self, rho, x, a, size):
        """Solve with the present factor; return what is missed in the end.

        a is corrected, not computed from x anew: that is a difference of large numbers where M is ill conditioned.
        """
        m: cython.Py_ssize_t = self.n_active + 1
        missed: cython.double
        before: cython.double
        clear(x, padded(m))
        clear(a, self.n_elbow)
        self.correct(rho, x, a)
        if self.trusted > 0:
            self.trusted -= 1
            self.is_ill = False
            return 0.0
        missed = self.missed_by(rho, x, a)
        self.is_ill = missed > MET * size
        if self.are_apart and not self.is_ill:
            self.trusted = TRUSTED
        before = 2.0 * missed + size
        while missed > MET * size and missed <= 0.5 * before:
            before = missed
            self.correct(self.products, x, a)
            missed = self.missed_by(rho, x, a)
        return missed

    def correct(self, rho, x, a):
        """Add the solution for ρ to x, and −W M times it to a."""
        m: cython.Py_ssize_t = self.n_active + 1
        e: cython.Py_ssize_t = self.n_elbow
        clear(self.second, padded(m))
        self.cholesky.solve(rho, self.second)
        axpy(1.0, self.second, x, m)
        gathered_products(self.block, self.elbow, e, padded(m), self.second, self.apart)
        times_gathered(self.apart, self.curvature, self.elbow, e, self.apart)
        axpy(-1.0, self.apart, a, e)

    def missed_by(self, rho, x, a):
        """Compute ρ + Mᵀ a − Λ x in `products`; return its largest entry in the factor."""
        k: cython.Py_ssize_t
        m: cython.Py_ssize_t = self.n_active + 1
        missed: cython.double = 0.0
        gathered_sum(self.block, self.elbow, self.n_elbow, m, a, self.products)
        axpy(1.0, rho, self.products, m)
        for k in range(1, m):
            self.products[k] -= self.l2 * x[k]
        for k in range(self.cholesky.m):
            missed = max(missed, abs(self.products[self.cholesky.slot[k]]))
        return missed

    def solve_by_points(self, rho, x, a):
        """Solve for a, and x = (ρ + Mᵀ a)/l2."""
        e: cython.Py_ssize_t = self.n_elbow
        m: cython.Py_ssize_t = self.n_active + 1
        k: cython.Py_ssize_t
        size: cython.double
        intercept: cython.double = 0.0  # l2 x₀
        self.make_room()
        clear(x, padded(m))
        axpy(1.0, rho, x, m)
        x[0] = 0.0
        gathered_products(self.block, self.elbow, e, padded(m), x, self.apart)
        self.cholesky.solve(self.apart, a)
        column_at(self.block, self.elbow, e, 0, self.apart)
        self.cholesky.solve(self.apart, self.weighted)
        size = dot(self.apart, self.weighted, e)
        if size > 0.0:
            intercept = (rho[0] - dot(self.apart, a, e)) / size
        for k in range(e):
            a[k] = -a[k] - intercept * self.weighted[k]
        gathered_sum(self.block, self.elbow, e, m, a, x)
        axpy(1.0, rho, x, m)
        scale(1.0 / self.l2, x, m)
        x[0] = intercept / self.l2
