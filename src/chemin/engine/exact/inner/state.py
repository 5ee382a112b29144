"""Where does the path stand? The sets, their free numbers, and the pivots that change them.

Point i has the signed score t_i = s_i (b0 + x_i·b). Its position is 2k on the linear piece k of
its loss, where its dual value is fixed, and 2k + 1 at kink k, where it is free between two
slopes: the points at kinks are the *elbow*. Rows of the active block are signed, s_i (κ, x_iV),
and β = ((b0 − base)/κ, b_V) with base the intercept of the empty model: so the slack of a kink is
target − A β with target = z − s base, which loses no digit where the path begins. κ is a power of
two near the size of X: the intercept column then has the scale of the others. The block keeps one
point per row, because that is how it is read: a few points at a time, all their columns.

Only the loop calls the pivots. What depends on how the derivative system is solved is in a few methods
that `chemin.engine.exact.inner.curved` has for rounded kinks.
"""

from __future__ import annotations

import numpy as np

try:
    import cython
except ImportError:
    from chemin.engine.exact.inner import typing as cython

if cython.compiled:
    from cython.cimports.chemin.engine.exact.inner.factor import Factor
    from cython.cimports.chemin.engine.exact.inner.kernels import (
        column_at,
        dot,
        duals,
        erase,
        erase_index,
        move_column,
    )
else:
    from chemin.engine.exact.inner.factor import Factor
    from chemin.engine.exact.inner.kernels import (
        column_at,
        dot,
        duals,
        erase,
        erase_index,
        move_column,
    )


class State:
    """The sets and numbers of the current point.

    Attributes
    ----------
    position : array of length n
        Where every point is on its loss; −1 for one whose weight is zero.
    elbow, alpha, low, high : the first n_elbow entries
        The points at kinks, their dual values and the interval of each.
    active, sign : the first n_active entries
        The active variables and the signs of their coefficients, 0 where l1 does not penalise them.
    beta, push : the first n_active + 1 entries
        ((b0 − base)/κ, b_V) and (0, s_j v_j), how l1 pushes the gradient.
    fixed_square : float
        Σ α_i² over the points off their kinks.
    piece : the first n_active entries
        On which pieces of the penalty they are, if it is bent (`is_bent`). With l2 the least curvature of its pieces,
        the column of one on a piece of curvature d is √(l2/d) times that of the dictionary, and its β b_j divided by
        that (`scales`): the system is then that of the L1 penalty.
    is_curved : bool
        Whether kinks are rounded.
    left, on_ray : float, bool
        What is left of a ray in the plane of (l1, l2), from 1 down to 0, where the path follows one.
    """

    def __init__(self, problem, row_norm, column_norm, kappa, base, position):
        loss = problem.loss
        n, p = problem.dictionary.shape
        self.n = n
        self.p = p
        self.kinks = loss.shape[1]
        self.l1 = np.inf
        self.l2 = problem.l2
        self.on_ray = False
        self.left = 0.0
        self.kappa = kappa
        self.base = base
        self.label = _floats(problem.label)
        self.l1_weight = _floats(problem.l1_weight)
        self.only = _floats(problem.penalty.only_of(p))
        self.take_penalty(problem.penalty)
        self.row_norm = _floats(row_norm)
        self.column_norm = _floats(column_norm)
        self.target = _floats(loss.kink - base * problem.label[:, None])
        self.level = _floats(-loss.slope)
        self.slope = _floats(loss.slope)
        self.height = _floats(loss.height)
        self.is_curved = loss.is_curved
        self.position = np.array(position, dtype=np.int16)
        self.is_active = np.zeros(p, dtype=np.int8)
        self.n_elbow = 0
        self.n_active = 0
        self.room = 0
        self.room_for_points = 0
        self.reserve(16)
        self.reserve_points(16)
        np.asarray(self.block)[:, 0] = kappa * problem.label
        self.factor = Factor(1)
        piece = np.maximum(np.asarray(self.position), 0) >> 1
        fixed = np.asarray(self.level)[np.arange(n), piece]
        off_kinks = (np.asarray(self.position) >= 0) & (np.asarray(self.position) & 1 == 0)
        fixed = np.where(off_kinks, fixed, 0.0)
        self.fixed_square = float(fixed @ fixed)
        self.n_fixed = int(np.count_nonzero(fixed))

    def take_penalty(self, penalty):
        """Let the penalty have these pieces."""
        curve = np.array(penalty.curve)
        self.is_bent = penalty.is_bent
        self.bends = np.append(penalty.bend, np.inf)
        self.heights = _floats(penalty.height)
        self.scales = (
            np.sqrt(self.l2 / (self.l2 + curve.max() - curve)) if self.is_bent else np.ones(1)
        )
        self.pushes = np.array(penalty.push) * self.scales

    def reserve(self, needed):
        """Make room for so many columns of the block."""
        if needed <= self.room:
            return
        room = max(16, self.room)
        while room < needed:
            room *= 2
        block = np.zeros((self.n, room))
        if self.room:
            block[:, : self.room] = self.block
        self.grow(("active", "piece", "sign", "beta", "push"), self.room, room)
        self.block = block
        self.room = room

    def reserve_points(self, needed):
        """Make room for so many points in the elbow."""
        if needed <= self.room_for_points:
            return
        room = 2 * needed
        self.grow(("elbow", "alpha", "low", "high", "scratch"), self.room_for_points, room)
        self.room_for_points = room

    def grow(self, names, room, larger_room):
        """Make arrays longer, of which so much is used."""
        for name in names:
            kind = np.intp if name in ("elbow", "active", "piece") else np.float64
            larger = np.zeros(larger_room + 8, dtype=kind)
            if room:
                larger[: room + 8] = getattr(self, name)
            setattr(self, name, larger)

    def take_sets(self, point, columns):
        """Stand at a point: its active variables, with their columns, and its elbow."""
        v: cython.Py_ssize_t = len(point.active)
        e: cython.Py_ssize_t = len(point.elbow)
        self.reserve(v + 2)
        self.reserve_points(e + 1)
        piece = np.maximum(np.abs(point.sign).astype(np.intp) - 1, 0)
        piece[point.sign == 0.0] = len(self.scales) - 1
        np.asarray(self.block)[:, 1 : v + 1] = np.asarray(self.label)[:, None] * columns
        np.asarray(self.block)[:, 1 : v + 1] *= np.asarray(self.scales)[piece]
        np.asarray(self.piece)[:v] = piece
        np.asarray(self.active)[:v] = point.active
        np.asarray(self.is_active)[point.active] = 1
        np.asarray(self.sign)[:v] = np.sign(point.sign)
        np.asarray(self.beta)[: v + 1] = point.beta
        weight = np.asarray(self.l1_weight)[point.active] * np.asarray(self.pushes)[piece]
        np.asarray(self.push)[1 : v + 1] = np.sign(point.sign) * weight
        kink = np.asarray(self.position)[point.elbow] >> 1
        level = np.asarray(self.level)
        np.asarray(self.elbow)[:e] = point.elbow
        np.asarray(self.alpha)[:e] = point.alpha
        np.asarray(self.low)[:e] = level[point.elbow, kink + 1]
        np.asarray(self.high)[:e] = level[point.elbow, kink]
        self.n_active = v
        self.n_elbow = e
        self.stand(float(point.l1))
        self.refactor()

    def follow_ray(self, start, end):
        """Let the path go from one (l1, l2) to another, along a line."""
        self.on_ray = True
        self.start_l1, self.start_l2 = start
        self.end_l1, self.end_l2 = end
        self.stand(1.0)

    def place(self):
        """Return what falls along the path: l1, or what is left of a ray."""
        return self.left if self.on_ray else self.l1

    def stand(self, place):
        """Let the path be at that place."""
        if not self.on_ray:
            self.l1 = place
            return
        self.left = place
        self.l1 = place * self.start_l1 + (1.0 - place) * self.end_l1
        self.l2 = place * self.start_l2 + (1.0 - place) * self.end_l2

    def dual(self):
        """Return the whole dual vector."""
        alpha = np.empty(self.n)
        duals(self.position, self.level, self.elbow, self.alpha, self.n, self.n_elbow, alpha)
        return alpha

    def dual_square(self):
        """Return ‖α‖² over all points."""
        return self.fixed_square + dot(self.alpha, self.alpha, self.n_elbow)

    def penalise(self, l1_weight):
        """Let these be the L1 weights from here on."""
        k: cython.Py_ssize_t
        self.l1_weight = l1_weight
        for k in range(self.n_active):
            if l1_weight[self.active[k]] == 0.0:
                self.sign[k] = 0.0
                if self.piece[k] < self.scales.shape[0] - 1:
                    self.turn(k, self.scales.shape[0] - 1)
            self.push[k + 1] = self.sign[k] * l1_weight[self.active[k]] * self.pushes[self.piece[k]]

    def free(self, i):
        """Take a point off its piece."""
        value: cython.double = self.level[i, self.position[i] >> 1]
        if value != 0.0:
            self.n_fixed -= 1
            self.fixed_square = self.fixed_square - value * value if self.n_fixed else 0.0

    def fix(self, i, piece):
        """Put a point on a piece."""
        value: cython.double = self.level[i, piece]
        self.position[i] = 2 * piece
        if value != 0.0:
            self.n_fixed += 1
            self.fixed_square += value * value

    def join(self, i, kink, alpha):
        """Add a point to the elbow, at one of its kinks, with its dual value."""
        e: cython.Py_ssize_t = self.n_elbow
        if self.position[i] & 1 == 0:
            self.free(i)
        self.position[i] = 2 * kink + 1
        self.reserve_points(e + 1)
        self.add_point(i)
        self.elbow[e] = i
        self.alpha[e] = alpha
        self.low[e] = self.level[i, kink + 1]
        self.high[e] = self.level[i, kink]
        self.n_elbow = e + 1
        self.mend()

    def leave(self, k, to_left):
        """Let elbow point k go to the piece before its kink, or to the one after."""
        i: cython.Py_ssize_t = self.elbow[k]
        kink: cython.Py_ssize_t = self.position[i] >> 1
        self.drop_point(k)
        erase_index(self.elbow, k, self.n_elbow)
        erase(self.alpha, k, self.n_elbow)
        erase(self.low, k, self.n_elbow)
        erase(self.high, k, self.n_elbow)
        self.n_elbow -= 1
        self.fix(i, kink if to_left else kink + 1)
        self.mend()
        return i

    def next_column(self):
        """Return where in the block the column of the next active variable goes, once there is room."""
        self.reserve(self.n_active + 2)
        return self.n_active + 1

    def activate(self, j, sign):
        """Add a variable at zero, whose column is in its place of the block already.

        Sign 0 means that l1 neither pushes nor stops it.
        """
        piece: cython.Py_ssize_t = self.scales.shape[0] - 1 if sign == 0.0 else 0
        if self.is_bent:
            self.scale_column(self.n_active + 1, self.scales[piece])
        self.take_active(j, sign, piece, 0.0)

    def take_active(self, j, sign, piece, value):
        """Add a variable, on a piece of its penalty, whose column is in its place as it is to be there."""
        k: cython.Py_ssize_t = self.n_active + 1
        self.active[k - 1] = j
        self.is_active[j] = 1
        self.add_variable(k)
        self.sign[k - 1] = sign
        self.piece[k - 1] = piece
        self.beta[k] = value
        self.push[k] = sign * self.l1_weight[j] * self.pushes[piece]
        self.n_active = k
        self.mend()

    def scale_column(self, k, factor):
        """Multiply a column of the block."""
        i: cython.Py_ssize_t
        if factor != 1.0:
            for i in range(self.n):
                self.block[i, k] *= factor

    def turn(self, k, piece):
        """Let active variable k go to another piece of its penalty.

        Its column comes in with the new scale before the old one goes, because M keeps its rank then.
        """
        j: cython.Py_ssize_t = self.active[k]
        place: cython.Py_ssize_t = self.next_column()
        longer: cython.double = self.scales[piece] / self.scales[self.piece[k]]
        move_column(self.block, k + 1, place, self.n)
        self.scale_column(place, longer)
        self.take_active(j, self.sign[k], piece, self.beta[k + 1] / longer)
        self.deactivate(k)
        self.is_active[j] = 1
        return j

    def deactivate(self, k):
        """Remove active variable k; the last one takes its place."""
        j: cython.Py_ssize_t = self.active[k]
        last: cython.Py_ssize_t = self.n_active
        self.drop_variable(k + 1)
        move_column(self.block, last, k + 1, self.n)
        self.is_active[j] = 0
        self.active[k] = self.active[last - 1]
        self.sign[k] = self.sign[last - 1]
        self.piece[k] = self.piece[last - 1]
        self.beta[k + 1] = self.beta[last]
        self.beta[last] = 0.0
        self.push[k + 1] = self.push[last]
        self.n_active = last - 1
        self.mend()
        return j

    # -- the derivative system

    def add_point(self, i):
        """Take a point into the factor, which is about to join the elbow."""
        self.factor.add_row(self.block, i)

    def drop_point(self, k):
        """Take the point at place k of the elbow out of the factor."""
        self.factor.drop_row(k)

    def add_variable(self, k):
        """Take a column of the block into the factor."""
        column_at(self.block, self.elbow, self.n_elbow, k, self.scratch)
        self.factor.add_column(self.scratch)

    def drop_variable(self, k):
        """Take column k of the block out of the factor; the last one is about to take its place."""
        self.factor.drop_column(k)

    def mend(self):
        """Do what is left to do after a pivot."""

    def refactor(self):
        """Factor the elbow matrix afresh."""
        i: cython.Py_ssize_t
        self.factor.restart(self.n_active + 1)
        for i in range(self.n_elbow):
            self.factor.add_row(self.block, self.elbow[i])

    @property
    def intercept(self):
        """The intercept b0."""
        return self.base + self.kappa * self.beta[0]


def _floats(values):
    return np.array(values, dtype=np.float64, order="C")
