"""How does the solution move? One loop: direction, first event, step, pivot.

For fixed sets β, α and l1 move along a line (`direction`). A step ends at the first slack to reach
zero (`first_event`); a pivot changes the sets there. The slacks come in seven families:

    RIGHT, LEFT     α_i − low_i,  high_i − α_i       i at a kink     the point leaves the elbow
    ELBOW           ±(target − score)                i on a piece    the point joins the elbow
    LEAVE           s_j b_j                          j active        the variable leaves
    ENTER, ENTER −  l1 v_j − c_j,  l1 v_j + c_j      j inactive      the variable enters, with sign +, −
    OUT, IN         ±(m l1 v_j − |b_j|)              j active        it comes to a bend of its penalty

Discrete data, repeated points and collinear columns make slacks reach zero together. A lexicographic
rule settles the order (`settle`): imagine kinks z + ε e_i, thresholds l1 v_j + ε t_j and balance
Σ α_i s_i = −ε z, with ε infinitesimal and e, t, z drawn once. The solution is then (β, α, l1) +
ε · shadow, and the shadow solves the same system on the same sets with another right-hand side.
Among slacks that vanish together, the first is that whose shadow vanishes first. The data are never
touched, and the reported solution is the unperturbed one.

On a ray l2 moves as well. There B = l2 β and α are still affine in its length t; β moves along a line,
by dβ t / (1 + t dl2/l2) (`bent`).

The loop returns to Python when it needs something (`chemin.engine.exact.reasons`).
"""

from __future__ import annotations

import numpy as np

try:
    import cython
except ImportError:
    from chemin.engine.exact.inner import typing as cython

from chemin.engine import thresholds
from chemin.engine.exact.reasons import Reason

if cython.compiled:
    from cython.cimports.chemin.engine.exact.inner.columns import WatchedColumns
    from cython.cimports.chemin.engine.exact.inner.kernels import (
        at_bounds,
        at_kink,
        at_thresholds,
        at_zero,
        axpy,
        clear,
        copy,
        curved_dual,
        curved_loss,
        dot,
        dual_total,
        duals,
        erase,
        first_bound,
        first_leaving,
        gathered_sum,
        largest,
        misplaced,
        missed_kinks,
        nonzero,
        product,
        scale,
        total_loss,
    )
    from cython.cimports.chemin.engine.exact.inner.state import State
    from cython.cimports.libc.math import sqrt
else:
    from math import sqrt

    from chemin.engine.exact.inner.columns import WatchedColumns
    from chemin.engine.exact.inner.kernels import (
        at_bounds,
        at_kink,
        at_thresholds,
        at_zero,
        axpy,
        clear,
        copy,
        curved_dual,
        curved_loss,
        dot,
        dual_total,
        duals,
        erase,
        first_bound,
        first_leaving,
        gathered_sum,
        largest,
        misplaced,
        missed_kinks,
        nonzero,
        product,
        scale,
        total_loss,
    )
    from chemin.engine.exact.inner.state import State

if cython.compiled:
    INFINITE = cython.declare(cython.double, np.inf)
    LARGE = cython.declare(cython.double, np.finfo(float).max)
    AT_THE_END = cython.declare(cython.double, thresholds.AT_THE_END)
    DECADE = cython.declare(cython.double, thresholds.DECADE)
    BETWEEN_CHECKS = cython.declare(cython.Py_ssize_t, thresholds.EVENTS_BETWEEN_CHECKS)
    ILL_COUNTS = cython.declare(cython.Py_ssize_t, thresholds.EVENTS_FOR_AN_ILL_ONE)
    MOST_PIVOTS = cython.declare(cython.Py_ssize_t, thresholds.PIVOTS_IN_A_TIE)
    MOST_CHOICES = cython.declare(cython.Py_ssize_t, thresholds.CHOICES_IN_VAIN)
    L1_ROUNDING = cython.declare(cython.double, thresholds.L1_ROUNDING)
    INSIDE = cython.declare(cython.double, thresholds.INSIDE)
    DRIFT = cython.declare(cython.double, thresholds.DRIFT)
    SCORE_ROUNDING = cython.declare(cython.double, thresholds.SCORE_ROUNDING)
    SLIDE = cython.declare(cython.double, thresholds.SLIDE_EXACT)
    OUTSIDE = cython.declare(cython.double, thresholds.OUTSIDE)
    VANISHING = cython.declare(cython.double, thresholds.VANISHING)
    NEXT_TO = cython.declare(cython.double, thresholds.NEXT_TO_NOTHING)
    EPS = cython.declare(cython.double, np.finfo(float).eps)
    RIGHT = cython.declare(cython.Py_ssize_t, 0)
    LEFT = cython.declare(cython.Py_ssize_t, 1)
    ELBOW = cython.declare(cython.Py_ssize_t, 2)
    LEAVE = cython.declare(cython.Py_ssize_t, 3)
    ENTER = cython.declare(cython.Py_ssize_t, 4)
    OUT = cython.declare(cython.Py_ssize_t, 6)
else:
    INFINITE = np.inf
    LARGE = np.finfo(float).max
    AT_THE_END = thresholds.AT_THE_END
    DECADE = thresholds.DECADE
    BETWEEN_CHECKS = thresholds.EVENTS_BETWEEN_CHECKS
    ILL_COUNTS = thresholds.EVENTS_FOR_AN_ILL_ONE
    MOST_PIVOTS = thresholds.PIVOTS_IN_A_TIE
    MOST_CHOICES = thresholds.CHOICES_IN_VAIN
    L1_ROUNDING = thresholds.L1_ROUNDING
    INSIDE = thresholds.INSIDE
    DRIFT = thresholds.DRIFT
    SCORE_ROUNDING = thresholds.SCORE_ROUNDING
    SLIDE = thresholds.SLIDE_EXACT
    OUTSIDE = thresholds.OUTSIDE
    VANISHING = thresholds.VANISHING
    NEXT_TO = thresholds.NEXT_TO_NOTHING
    EPS = np.finfo(float).eps
    RIGHT, LEFT, ELBOW, LEAVE, ENTER = range(5)
    OUT = 6

if cython.compiled:
    GOES_ON = cython.declare(cython.int, Reason.GOES_ON)
    AGAIN = cython.declare(cython.int, Reason.AGAIN)
    ENDED = cython.declare(cython.int, Reason.ENDED)
    ENOUGH = cython.declare(cython.int, Reason.ENOUGH)
    CHECK = cython.declare(cython.int, Reason.CHECK)
    OPENS = cython.declare(cython.int, Reason.OPENS)
    COLUMNS = cython.declare(cython.int, Reason.COLUMNS)
    UNBOUNDED = cython.declare(cython.int, Reason.UNBOUNDED)
    UNORDERED = cython.declare(cython.int, Reason.UNORDERED)
else:
    (GOES_ON, AGAIN, ENDED, ENOUGH, CHECK, OPENS, COLUMNS, UNBOUNDED, UNORDERED) = Reason
COMPILED = bool(cython.compiled)


class Loop:
    """The path under way: the only writer of its state.

    Attributes
    ----------
    state, rows, columns : State, WatchedRows, WatchedColumns
        Where the path stands, and what is watched.
    curved : CurvedState or None
        The state again, if kinks are rounded.
    record : Record
        Where breakpoints go while ``recording``.
    rate, tied_dual, tied_margin : float
        What counts as no motion, and as a tie (`chemin.engine.thresholds`).
    first_l1, first_dual : float
        l1 and ‖α‖ where the path begins.
    dx, da, dl1, dl2, moves
        The present direction of β, α, l1 and l2, and whether β moves at all.
    dplace : float
        The same for what falls along the path: l1, or what is left of a ray.
    """

    def __init__(self, state, rows, columns, record):
        self.state = state
        self.curved = state if state.is_curved else None
        self.rows = rows
        self.columns = columns
        self.record = record
        self.recording = False
        self.correcting = False
        self.n_events = 0
        self.since_check = 0
        self.checked_l1 = np.inf
        self.checked_l2 = 0.0
        self.min_l1 = 0.0
        self.rate = thresholds.AT_REST[0]
        self.tied_dual = thresholds.TIED_DUAL
        self.tied_margin = thresholds.TIED_MARGIN
        self.first_l1 = 0.0
        self.first_dual = 1.0
        self.margin_shift = np.zeros(state.n)
        self.threshold_shift = np.zeros(state.p)
        self.balance_shift = 0.0
        self.dl1 = -1.0
        self.dl2 = 0.0
        self.dplace = -1.0
        self.bend = 0.0
        self.ahead = 0.0
        self.shrinks = False
        self.column_speed = 0.0
        self.outer_speed = 0.0
        self.primal = 0.0
        self.moves = False
        self.n_tied = 0
        self.tied_family = np.zeros(64, dtype=np.intp)
        self.tied_place = np.zeros(64, dtype=np.intp)
        self.found = np.zeros(64, dtype=np.intp)
        self.room = 0
        self.stale()
        self.reserve()

    def reserve(self):
        """Make room for directions of the present sets."""
        needed: cython.Py_ssize_t = 10 + max(self.state.n_active + 1, self.state.n_elbow)
        if needed <= self.room:
            return
        room = 2 * needed + 16
        names = ("dx", "da", "work", "missed", "rho", "drive", "slid", "slid_dual", "pinned", "pinned_dual",
                 "shadow_beta", "shadow_alpha")  # fmt: skip
        for name in names:
            larger = np.zeros(room)
            if self.room:
                larger[: self.room] = getattr(self, name)
            setattr(self, name, larger)
        self.room = room

    def stale(self):
        """Forget the direction: the sets or what is watched have changed."""
        self.current = False
        self.rows_current = False
        self.columns_current = False

    def l1_rounding(self):
        """Return the l1 below which correlations of the present dual values are rounding."""
        if self.first_dual == 0.0:
            return 0.0
        return (
            L1_ROUNDING * self.first_l1 * min(sqrt(self.state.dual_square()) / self.first_dual, 1.0)
        )

    # -- direction

    def direction(self):
        """Compute how β, α and l1 move on the present sets as l1 decreases.

        In B = l2 β the derivative does not contain l2; a unit step moves l1 by 1 when β rests or
        l2 ≥ 1, and β by its derivative otherwise, which is what remains well defined as l2 → 0 (β
        then moves at fixed l1).
        """
        m: cython.Py_ssize_t = self.state.n_active + 1
        e: cython.Py_ssize_t = self.state.n_elbow
        self.reserve()
        if self.correcting:
            self.correction()
            return
        if self.state.is_curved:
            self.curved_direction()
            return
        if self.state.on_ray:
            self.ray_direction()
            return
        self.moves = self.state.factor.slide(self.state.push, self.dx, self.da)
        self.dl1 = -1.0
        if self.moves:
            if self.state.l2 >= 1.0:
                scale(1.0 / self.state.l2, self.dx, m)
            else:
                scale(self.state.l2, self.da, e)
                self.dl1 = -self.state.l2
        self.dplace = self.dl1
        self.beta_speed = sqrt(dot(self.dx, self.dx, m)) if self.moves else 0.0
        self.alpha_speed = sqrt(dot(self.da, self.da, e))

    def ray_direction(self):
        """Compute how β, α, l1 and l2 move along a ray.

        From H l2 β = Mᵀα + … − l1 push and M β = z follows H (l2 dβ) − Mᵀ dα = −dl1 push − dl2 (0, b), M dβ = 0.
        """
        state: State = self.state
        m: cython.Py_ssize_t = state.n_active + 1
        self.dl1 = state.end_l1 - state.start_l1
        self.dl2 = state.end_l2 - state.start_l2
        self.dplace = -1.0
        self.bend = self.dl2 / state.l2
        copy(state.beta, 0, self.drive, 0, m)
        self.drive[0] = 0.0
        scale(-self.dl2, self.drive, m)
        axpy(-self.dl1, state.push, self.drive, m)
        self.moves = state.factor.slide(self.drive, self.dx, self.da)
        if self.moves:
            scale(1.0 / state.l2, self.dx, m)
        self.beta_speed = sqrt(dot(self.dx, self.dx, m)) if self.moves else 0.0
        self.alpha_speed = sqrt(dot(self.da, self.da, state.n_elbow))

    def bent(self, step):
        """Return how far β goes along its direction in a step."""
        rest: cython.double = 1.0 + self.bend * step
        if self.bend == 0.0 or step == INFINITE:
            return step
        return step / rest if rest > 0.0 else INFINITE

    def straight(self, way):
        """Return the step in which β goes so far."""
        rest: cython.double = 1.0 - self.bend * way
        if self.bend == 0.0 or way == INFINITE:
            return way
        return way / rest if rest > 0.0 else INFINITE

    def curved_direction(self):
        """Compute how β, α and l1 move where kinks are rounded."""
        m: cython.Py_ssize_t = self.state.n_active + 1
        e: cython.Py_ssize_t = self.state.n_elbow
        self.dl1 = -1.0
        if self.curved.goes_along(self.state.push, self.dx):
            clear(self.da, e)
            self.dl1 = 0.0
        else:
            self.curved.solve(self.state.push, self.dx, self.da)
        self.dplace = self.dl1
        self.moves = largest(self.dx, 0, m) > 0.0
        self.beta_speed = sqrt(dot(self.dx, self.dx, m))
        self.alpha_speed = sqrt(dot(self.da, self.da, e))

    def gradient(self):
        """Compute ρ, what stationarity misses on the present sets: Aᵀα − l1 g − l2 (0, b)."""
        state: State = self.state
        k: cython.Py_ssize_t
        m: cython.Py_ssize_t = state.n_active + 1
        cols: WatchedColumns = self.columns
        duals(
            state.position, state.level, state.elbow, state.alpha, state.n, state.n_elbow, cols.dual
        )
        k = nonzero(cols.dual, state.n, cols.moved, cols.change)
        gathered_sum(state.block, cols.moved, k, m, cols.change, self.rho)
        axpy(-state.l1, state.push, self.rho, m)
        for k in range(1, m):
            self.rho[k] -= state.l2 * state.beta[k]

    def leave_beyond_bounds(self):
        """Let points leave the elbow whose dual values are beyond their bounds by more than rounding; count them."""
        state: State = self.state
        k: cython.Py_ssize_t
        count: cython.Py_ssize_t = 0
        tol: cython.double = self.rate * sqrt(state.dual_square())
        for k in range(state.n_elbow - 1, -1, -1):
            if state.n_elbow > 1 and state.alpha[k] < state.low[k] - tol:
                self.pivot(RIGHT, k)
                count += 1
            elif state.n_elbow > 1 and state.alpha[k] > state.high[k] + tol:
                self.pivot(LEFT, k)
                count += 1
        return count

    def must_correct(self):
        """Say whether β is off by more than a refresh may mend, and whether that is more than rounding."""
        state: State = self.state
        m: cython.Py_ssize_t = state.n_active + 1
        size: cython.double
        if state.is_curved or state.l2 == 0.0 or state.n_elbow == m or state.fixed_square > 0.0:
            return False
        self.gradient()
        if not state.factor.slide(self.rho, self.slid, self.slid_dual):
            return False
        size = largest(self.slid, 0, m)
        if size <= SLIDE * state.l2 * largest(state.beta, 0, m):
            return False
        return size > self.rate * sqrt(state.dual_square()) * largest(state.row_norm, 0, state.n)

    def correction(self):
        """Let the direction be the one that takes away the gradient missed, at fixed l1, in one unit."""
        m: cython.Py_ssize_t = self.state.n_active + 1
        self.gradient()
        self.moves = self.state.factor.slide(self.rho, self.dx, self.da)
        if self.moves:
            scale(1.0 / self.state.l2, self.dx, m)
        self.dl1 = 0.0
        self.dl2 = 0.0
        self.dplace = 0.0
        self.bend = 0.0
        self.beta_speed = sqrt(dot(self.dx, self.dx, m)) if self.moves else 0.0
        self.alpha_speed = sqrt(dot(self.da, self.da, self.state.n_elbow))

    # -- first event

    def evaluate(self):
        """Bring the direction up to date, and the first kink and threshold that it reaches."""
        state: State = self.state
        if not self.current:
            self.direction()
            self.current = True
            self.rows_current = False
            self.columns_current = False
        if not self.columns_current:
            self.columns.first(
                state, self.da, self.dl1, self.rate * self.alpha_speed, self.rate * abs(self.dl1)
            )
            self.columns_current = True
        if not self.rows_current:
            self.rows.first(state, self.dx, self.rate * self.beta_speed, self.moves)
            self.rows_current = True

    def first_event(self):
        """Find the first slack that the direction brings to zero, looking only at what has changed."""
        state: State = self.state
        k: cython.Py_ssize_t
        rate: cython.double
        self.evaluate()
        self.step = INFINITE
        self.family = -1
        k = first_bound(
            state.alpha, self.da, state.low, state.high, state.n_elbow,
            self.rate * self.alpha_speed, self.step, self.work,
        )  # fmt: skip
        if k >= 0:
            rate = self.da[k]
            if rate < 0.0:
                self.step = max(state.alpha[k] - state.low[k], 0.0) / -rate
                self.family = RIGHT
            else:
                self.step = max(state.high[k] - state.alpha[k], 0.0) / rate
                self.family = LEFT
            self.place = k
        if self.moves:
            k = first_leaving(
                state.sign, state.beta, self.dx, state.n_active, self.rate * self.beta_speed,
                self.bent(self.step), self.work,
            )  # fmt: skip
            if k >= 0:
                self.step = max(state.sign[k] * state.beta[k + 1], 0.0)
                self.step = self.straight(self.step / (-state.sign[k] * self.dx[k + 1]))
                self.family = LEAVE
                self.place = k
        if self.straight(self.rows.step) < self.step:
            self.step = self.straight(self.rows.step)
            self.family = ELBOW
            self.place = self.rows.place
        if self.columns.step < self.step:
            self.step = self.columns.step
            self.family = ENTER if self.columns.sign > 0.0 else ENTER + 1
            self.place = self.columns.entering
        if state.is_bent:
            self.first_bend()

    def first_bend(self):
        """Find the first bend of its penalty that a coefficient reaches."""
        state: State = self.state
        k: cython.Py_ssize_t
        family: cython.Py_ssize_t
        rate: cython.double
        step: cython.double
        for k in range(state.n_active):
            for family in range(OUT, OUT + 2):
                if not self.has_bend(family, k):
                    continue
                rate = self.slack_rate(family, k)
                if -rate > self.rate_noise(family, k):
                    step = max(self.bend_slack(family, k), 0.0) / -rate
                    if step < self.step:
                        self.step = step
                        self.family = family
                        self.place = k

    def has_bend(self, family, k):
        """Say whether the piece of active variable k ends outwards, or inwards but not at zero."""
        state: State = self.state
        if state.sign[k] == 0.0:
            return False
        return state.piece[k] > 0 if family > OUT else state.piece[k] < state.bends.shape[0] - 1

    def bend_slack(self, family, k):
        """Return how far active variable k is from a bend."""
        state: State = self.state
        return self.past_bend(
            family,
            k,
            state.sign[k] * state.beta[k + 1],
            state.l1 * state.l1_weight[state.active[k]],
        )

    def past_bend(self, family, k, along, threshold):
        """Return ±(m λ − |b|), in terms of the size of β_k and of λ; or the same of their rates."""
        state: State = self.state
        q: cython.Py_ssize_t = state.piece[k]
        size: cython.double = state.scales[q] * along
        if family == OUT:
            return state.bends[q] * threshold - size
        return size - state.bends[q - 1] * threshold

    def distance_to_end(self):
        """Return the step that leads to the last place; a correction ends after one unit."""
        if self.correcting:
            return 1.0
        if self.dplace == 0.0:
            return INFINITE
        return (self.state.place() - self.min_l1) / -self.dplace

    # -- step

    def shrinks_with_l1(self):
        """Say whether all dual values are in proportion to l1, down to 0.

        So it is without l2, once none is fixed; on rounded kinks if, besides, some β loses nothing.
        """
        e: cython.Py_ssize_t = self.state.n_elbow
        if self.state.l2 > 0.0 or self.state.fixed_square > 0.0:
            return False
        if not self.state.is_curved or self.state.l1 <= L1_ROUNDING * self.first_l1:
            return True
        copy(self.state.alpha, 0, self.work, 0, e)
        axpy(self.state.l1, self.da, self.work, e)
        return dot(self.work, self.work, e) <= NEXT_TO * self.state.dual_square()

    def shrinks_to_nothing(self):
        """Say whether all that moves is in proportion to l1: an event far below is rounding.

        On rounded kinks β moves along, until that is rounding, too.
        """
        state: State = self.state
        size: cython.double
        self.shrinks = self.shrinks_with_l1()
        if not self.shrinks or self.correcting or self.dl1 == 0.0:
            return False
        if self.moves:
            size = sqrt(dot(state.beta, state.beta, state.n_active + 1))
            return state.is_curved and (
                state.l1 * self.beta_speed <= SCORE_ROUNDING * size
                or state.l1 <= L1_ROUNDING * self.first_l1
            )
        return self.state.l1 + self.step * self.dl1 < DECADE * self.state.l1

    def refresh_before(self, step):
        """Return a shorter step where the dual values would lose more than a digit, together with l1 or l2.

        With no dual value fixed, all of them shrink with the penalties. They keep their relative precision if
        they are refreshed on the way.
        """
        e: cython.Py_ssize_t = self.state.n_elbow
        shorter: cython.double = INFINITE
        before: cython.double
        after: cython.double
        if self.correcting or self.state.fixed_square > 0.0 or self.step == INFINITE:
            return step
        if self.state.l2 == 0.0 and not self.state.is_curved:
            return step
        if self.dl1 < 0.0:
            shorter = (self.state.l1 - DECADE * self.checked_l1) / -self.dl1
        if self.dl2 < 0.0:
            shorter = min(shorter, (self.state.l2 - DECADE * self.checked_l2) / -self.dl2)
        if step <= shorter:
            return step
        before = dot(self.state.alpha, self.state.alpha, e)
        copy(self.state.alpha, 0, self.work, 0, e)
        axpy(step, self.da, self.work, e)
        after = dot(self.work, self.work, e)
        return step if after >= DECADE * DECADE * before else max(shorter, 0.0)

    def has_room(self, step):
        """Say whether so long a step is within all limits; choose anew what to watch where it is not."""
        along: cython.double = self.bent(step) * self.beta_speed if self.moves else 0.0
        ahead: cython.double
        if step == INFINITE:
            along = INFINITE if self.moves else 0.0
        if (
            along >= self.rows.room()
            and not self.rows.everything()
            and not self.rows.has_room(self.state, along)
        ):
            self.rows.renew(self.state)
            self.rows_current = False
            return False
        self.column_speed = 0.0
        if self.columns.limit.limit < INFINITE or self.columns.limit.once:
            self.column_speed = self.columns.speed(self.state, self.da, self.dl1)
            ahead = step * self.column_speed
            if ahead >= self.columns.limit.room() and not self.columns.has_room(self.state, ahead):
                self.columns.choose(self.state, self.da, self.dl1)
                self.columns_current = False
                return False
        return True

    def advance(self, step):
        """Move along the direction."""
        state: State = self.state
        way: cython.double = self.bent(step)
        along: cython.double = way * self.beta_speed if self.moves else 0.0
        if self.columns.outer.limit < INFINITE or self.columns.outer.once:
            self.columns.outer.bound += step * self.outer_speed
            self.columns.outer.steps += 1
        if self.moves:
            axpy(way, self.dx, state.beta, state.n_active + 1)
        axpy(step, self.da, state.alpha, state.n_elbow)
        state.stand(state.place() + step * self.dplace)
        self.rows.advance(way, along, self.moves)
        self.columns.advance(step, step * self.column_speed)
        self.since_check += 1
        if state.is_curved and self.curved.is_ill:
            self.since_check += ILL_COUNTS
        self.current = False

    def take_step(self):
        """Go to the first event; return GOES_ON if its pivot is to be made, else why not."""
        end: cython.double
        step: cython.double
        shorter: cython.double
        left: cython.double
        self.first_event()
        if self.shrinks_to_nothing():
            self.step = INFINITE
        end = self.distance_to_end()
        if self.state.is_curved and self.dl1 < 0.0:
            left = self.state.l1 + self.step * self.dl1 - self.min_l1
            if left <= self.l1_rounding():  # an event that rounding alone keeps from the end
                self.step = INFINITE
        step = min(self.step, end)
        if not self.has_room(step):
            return AGAIN
        if self.columns.outer.limit < INFINITE or self.columns.outer.once:
            self.outer_speed = self.columns.outer_speed(self.state, self.da, self.dl1)
            self.ahead = step * self.outer_speed
            if self.columns.outer.room() <= self.ahead:
                return COLUMNS
        if step == INFINITE:
            return UNBOUNDED
        if not self.recording and not self.correcting and self.moves and step > 0.0:
            return OPENS
        shorter = self.refresh_before(step)
        if shorter < step:
            self.advance(shorter)
            return CHECK
        self.advance(step)
        return ENDED if self.step >= end * AT_THE_END else GOES_ON

    def has_lost_a_decade(self):
        """Say whether a penalty is a tenth of what it was at the last full check."""
        if self.state.l1 < DECADE * self.checked_l1:
            return True
        return self.state.l2 < DECADE * self.checked_l2

    def run(self, max_events):
        """Follow the path until something is needed; return what."""
        reason: cython.int
        in_vain: cython.Py_ssize_t = 0
        here: cython.double = self.state.place()
        events_here: cython.Py_ssize_t = self.n_events
        while True:
            if self.n_events >= max_events:
                return ENOUGH
            if not self.correcting:
                if self.state.place() <= self.min_l1 + self.l1_rounding():
                    return ENDED
                if self.since_check >= BETWEEN_CHECKS or self.has_lost_a_decade():
                    return CHECK
            reason = self.take_step()
            if reason == AGAIN:
                in_vain += 1
                if in_vain > MOST_CHOICES:  # other choices do not help
                    return UNBOUNDED
                continue
            in_vain = 0
            if reason != GOES_ON:
                return reason
            reason = self.change_sets()
            if reason != GOES_ON:
                return reason
            if self.state.place() < here:
                here = self.state.place()
                events_here = self.n_events
            elif self.n_events - events_here > MOST_PIVOTS * (self.state.n + self.state.n_active):
                return UNORDERED

    # -- pivot

    def change_sets(self):
        """Make the pivot that ends the step, or all those that end it together."""
        reason: cython.int = GOES_ON
        family: cython.Py_ssize_t = self.family
        place: cython.Py_ssize_t = self.place
        count: cython.Py_ssize_t = self.reached(False)
        if count <= 1:
            self.pivot(family, place)
        else:
            self.reached(True)
            if not self.is_tied(family, place):
                self.tied_family[self.n_tied] = family
                self.tied_place[self.n_tied] = place
                self.n_tied += 1
            reason = self.settle(count)
        if self.recording:
            self.record.close_breakpoint(self.state)
        return reason

    def pivot(self, family, place):
        """Change the sets as the reached slack says."""
        state: State = self.state
        i: cython.Py_ssize_t
        kink: cython.Py_ssize_t
        correlation: cython.double
        if family <= LEFT:
            kink = state.position[state.elbow[place]] >> 1
            i = state.leave(place, family == LEFT)
            self.rows.add_row(state, i, kink)
        elif family == ELBOW:
            i = self.rows.row[place]
            kink = self.rows.kink[place]
            if state.kinks == 1:
                self.rows.remove(place)
            else:
                self.rows.remove_row(i)
            self.put_elbow(i, kink, state.level[i, state.position[i] >> 1])
        elif family == LEAVE:
            correlation = state.sign[place] * state.l1_weight[state.active[place]] * state.l1
            i = state.deactivate(place)
            self.columns.add(state, i, correlation)
        elif family >= OUT:
            i = state.turn(place, state.piece[place] + (1 if family == OUT else -1))
        else:
            i = self.columns.column[place]
            self.columns.remove(place)
            self.columns.entered(i)
            self.put_active(i, 1.0 if family == ENTER else -1.0)
        self.n_events += 1
        self.current = False
        if self.recording:
            self.record.event(family, i, state.position[i] if family <= ELBOW else -1)

    def put_active(self, j, sign):
        """Make a variable active."""
        self.columns.put_column(self.state, j, self.state.next_column())
        self.state.activate(j, sign)

    def put_elbow(self, i, kink, alpha):
        """Put a point into the elbow."""
        self.state.join(i, kink, alpha)
        self.columns.fill(i)

    # -- ties

    def note_tied(self, family, count, n):
        """List the slacks of a family that were found at zero; those found from n on are of the next family."""
        k: cython.Py_ssize_t
        second: cython.Py_ssize_t
        for k in range(count):
            second = 1 if self.found[k] >= n else 0
            self.tied_family[self.n_tied] = family + second
            self.tied_place[self.n_tied] = self.found[k] - second * n
            self.n_tied += 1

    def reached(self, approached):
        """Count the slacks that are zero but for rounding; or list those of them that the direction makes negative.

        The direction is the one last evaluated. Where β rests, so do kinks and coefficients.
        """
        state: State = self.state
        cols: WatchedColumns = self.columns
        e: cython.Py_ssize_t = state.n_elbow
        v: cython.Py_ssize_t = state.n_active
        r: cython.Py_ssize_t = self.rows.count
        c: cython.Py_ssize_t = cols.count
        count: cython.Py_ssize_t
        total: cython.Py_ssize_t
        needed: cython.Py_ssize_t = 2 * e + r + 3 * v + 2 * c + 8
        dual: cython.double = self.tied_dual * sqrt(state.dual_square())
        size: cython.double = self.tied_margin * sqrt(dot(state.beta, state.beta, v + 1))
        small: cython.double = self.tied_margin * largest(state.beta, 1, v)
        noise_dual: cython.double = -LARGE
        noise_beta: cython.double = -LARGE
        noise_l1: cython.double = -LARGE
        if needed > self.tied_place.shape[0]:
            self.tied_family = np.zeros(2 * needed, dtype=np.intp)
            self.tied_place = np.zeros(2 * needed, dtype=np.intp)
            self.found = np.zeros(2 * needed, dtype=np.intp)
        if approached:
            noise_dual = self.rate * self.alpha_speed
            noise_beta = self.rate * self.beta_speed
            noise_l1 = self.rate * abs(self.dl1)
        self.n_tied = 0
        total = at_bounds(
            state.alpha, state.low, state.high, self.da, e, dual, noise_dual, approached, self.found
        )
        if approached:
            self.note_tied(RIGHT, total, e)
        if self.moves or not approached:
            count = at_kink(
                self.rows.side, self.rows.slack, self.rows.scale, self.rows.size, self.rows.fall, r,
                self.tied_margin, size, noise_beta, approached, self.found,
            )  # fmt: skip
            total += count
            if approached:
                self.note_tied(ELBOW, count, r)
            count = at_zero(
                state.sign, state.beta, self.dx, v, small, noise_beta, approached, self.found
            )
            total += count
            if approached:
                self.note_tied(LEAVE, count, v)
        count = at_thresholds(
            cols.cv, cols.co, cols.c, cols.dc, cols.cn, c, state.l1, self.dl1, dual, noise_dual, noise_l1,
            approached, self.found,
        )  # fmt: skip
        if approached:
            self.note_tied(ENTER, count, c)
        total += count
        if state.is_bent:
            total += self.reached_bends(approached, small)
        return total

    def reached_bends(self, approached, small):
        """Count the bends at which coefficients are but for rounding; or list those that the direction passes."""
        state: State = self.state
        k: cython.Py_ssize_t
        family: cython.Py_ssize_t
        count: cython.Py_ssize_t = 0
        tol: cython.double
        for k in range(state.n_active):
            for family in range(OUT, OUT + 2):
                if not self.has_bend(family, k):
                    continue
                tol = small + self.tied_margin * abs(state.beta[k + 1])
                if self.bend_slack(family, k) > tol:
                    continue
                if not approached:
                    count += 1
                elif -self.slack_rate(family, k) > self.rate_noise(family, k):
                    self.tied_family[self.n_tied] = family
                    self.tied_place[self.n_tied] = k
                    self.n_tied += 1
                    count += 1
        return count

    def is_tied(self, family, place):
        """Say whether a slack is listed."""
        k: cython.Py_ssize_t
        for k in range(self.n_tied):  # noqa: SIM110, a generator would not be compiled to a loop
            if self.tied_family[k] == family and self.tied_place[k] == place:
                return True
        return False

    def slack_rate(self, family, place):
        """Return the change of a slack along the direction, as last evaluated."""
        if family == RIGHT:
            return self.da[place]
        if family == LEFT:
            return -self.da[place]
        if family == ELBOW:
            return -self.rows.side[place] * self.rows.fall[place] if self.moves else 0.0
        if family == LEAVE:
            return self.state.sign[place] * self.dx[place + 1]
        if family >= OUT:
            return self.past_bend(
                family, place, self.state.sign[place] * self.dx[place + 1] if self.moves else 0.0,
                self.dl1 * self.state.l1_weight[self.state.active[place]],
            )  # fmt: skip
        sign: cython.double = 1.0 if family == ENTER else -1.0
        return self.dl1 * self.columns.cv[place] - sign * self.columns.dc[place]

    def rate_noise(self, family, place):
        """Return the size below which the rate of a slack is rounding: such a slack stays as it is."""
        if family <= LEFT:
            return self.rate * self.alpha_speed
        if family == ELBOW:
            return self.rate * self.beta_speed * self.rows.size[place]
        if family == LEAVE:
            return self.rate * self.beta_speed
        if family >= OUT:
            return self.rate * (self.beta_speed + abs(self.past_bend(family, place, 0.0, self.dl1)))
        own: cython.double = self.rate * abs(self.dl1) * self.columns.cv[place]
        return self.rate * self.alpha_speed * self.columns.cn[place] + own

    def shadow_slack(self, family, place):
        """Return the ε part of a slack."""
        state: State = self.state
        i: cython.Py_ssize_t
        if family == RIGHT:
            return self.shadow_alpha[place]
        if family == LEFT:
            return -self.shadow_alpha[place]
        if family == ELBOW:
            i = self.rows.row[place]
            return self.rows.side[place] * (
                self.margin_shift[i] - product(state.block, i, state.n_active + 1, self.shadow_beta)
            )
        if family == LEAVE:
            return state.sign[place] * self.shadow_beta[place + 1]
        if family >= OUT:
            i = state.active[place]
            return self.past_bend(
                family, place, state.sign[place] * self.shadow_beta[place + 1],
                self.shadow_l1 * state.l1_weight[i] + self.threshold_shift[i],
            )  # fmt: skip
        i = self.columns.column[place]
        sign: cython.double = 1.0 if family == ENTER else -1.0
        change: cython.double = self.columns.product_at(state, self.shadow_alpha, place)
        return self.shadow_l1 * self.columns.cv[place] - sign * change + self.threshold_shift[i]

    def cast_shadow(self):
        """Compute the shadow on the present sets, with the amount of path direction that keeps it small."""
        state: State = self.state
        k: cython.Py_ssize_t
        m: cython.Py_ssize_t = state.n_active + 1
        e: cython.Py_ssize_t = state.n_elbow
        amount: cython.double = 0.0
        size: cython.double
        if state.is_curved:
            self.cast_curved_shadow()
            return
        self.reserve()
        self.rho[0] = self.balance_shift
        for k in range(state.n_active):
            self.rho[k + 1] = -state.sign[k] * self.threshold_shift[state.active[k]]
            self.rho[k + 1] *= state.pushes[state.piece[k]]
        for k in range(e):
            self.missed[k] = self.margin_shift[state.elbow[k]]
        state.factor.pin(self.missed, self.shadow_beta, self.shadow_alpha)
        state.factor.slide(self.rho, self.slid, self.slid_dual)
        if state.on_ray:
            state.factor.slide(self.drive, self.pinned, self.pinned_dual)
        else:
            state.factor.slide(state.push, self.pinned, self.pinned_dual)
        size = dot(self.pinned, self.pinned, m) - self.pinned[0] * self.pinned[0]
        if size > 0.0:
            amount = (dot(self.pinned, self.slid, m) - self.pinned[0] * self.slid[0]) / size
        scale(state.l2, self.shadow_alpha, e)
        axpy(1.0, self.slid_dual, self.shadow_alpha, e)
        axpy(-amount, self.pinned_dual, self.shadow_alpha, e)
        if state.l2 > 0.0:
            axpy(1.0 / state.l2, self.slid, self.shadow_beta, m)
            axpy(-amount / state.l2, self.pinned, self.shadow_beta, m)
        self.shadow_l1 = -amount * self.dl1 if state.on_ray else amount

    def cast_curved_shadow(self):
        """Compute the shadow where kinks are rounded."""
        state: State = self.state
        k: cython.Py_ssize_t
        i: cython.Py_ssize_t
        m: cython.Py_ssize_t = state.n_active + 1
        e: cython.Py_ssize_t = state.n_elbow
        amount: cython.double = 0.0
        size: cython.double
        self.reserve()
        for k in range(e):
            i = state.elbow[k]
            self.missed[k] = self.margin_shift[i] * self.curved.curvature[i]
        gathered_sum(state.block, state.elbow, e, m, self.missed, self.rho)
        self.rho[0] += self.balance_shift
        for k in range(state.n_active):
            self.rho[k + 1] -= (
                state.sign[k] * self.threshold_shift[state.active[k]] * state.pushes[state.piece[k]]
            )
        self.shadow_l1 = self.curved.share_of(self.rho, state.push)
        axpy(-self.shadow_l1, state.push, self.rho, m)
        self.curved.solve(self.rho, self.shadow_beta, self.shadow_alpha)
        axpy(1.0, self.missed, self.shadow_alpha, e)
        if self.dl1 == 0.0:
            return
        self.curved.solve(state.push, self.slid, self.slid_dual)
        size = dot(self.slid, self.slid, m) - self.slid[0] * self.slid[0]
        if size > 0.0:
            amount = dot(self.slid, self.shadow_beta, m) - self.slid[0] * self.shadow_beta[0]
            amount /= size
        axpy(-amount, self.slid, self.shadow_beta, m)
        axpy(-amount, self.slid_dual, self.shadow_alpha, e)
        self.shadow_l1 += amount

    def move_shadow(self, step):
        """Move the shadow along the direction."""
        axpy(step, self.dx, self.shadow_beta, self.state.n_active + 1)
        axpy(step, self.da, self.shadow_alpha, self.state.n_elbow)
        self.shadow_l1 += step * self.dl1

    def cast_shadow_after(self, family):
        """Cast the shadow where the last pivot was made: what entered or left did so at zero.

        Returns the least step from there: none is known if that pivot is not seen in the direction.
        """
        place: cython.Py_ssize_t = 0
        rate: cython.double
        self.cast_shadow()
        if family < 0:
            return -INFINITE
        if family <= LEFT:  # the kink that the point has left
            place = self.rows.count - 1
            if family == LEFT and self.rows.side[place] < 0.0:
                place -= 1
            family = ELBOW
        elif family == ELBOW:
            place = self.state.n_elbow - 1
            family = RIGHT
        elif family == LEAVE:
            if self.columns.outer.limit <= 0.0:  # it is not resident
                return -INFINITE
            place = self.columns.count - 1
            family = ENTER if self.columns.c[place] > 0.0 else ENTER + 1
        elif family >= OUT:  # its place is the one it had
            return -INFINITE
        else:
            place = self.state.n_active - 1
            family = LEAVE
        rate = self.slack_rate(family, place)
        if abs(rate) <= self.rate_noise(family, place):
            return -INFINITE
        self.move_shadow(-self.shadow_slack(family, place) / rate)
        return 0.0

    def settle(self, count):
        """Pivot among so many simultaneous events, in the order of their shadows, until the path can move on.

        Those are listed that the direction makes negative. One that is alone has no other to be
        compared with: the shadow is cast once there are two.
        """
        state: State = self.state
        k: cython.Py_ssize_t
        chosen: cython.Py_ssize_t
        place: cython.Py_ssize_t
        step: cython.double
        best: cython.double
        family: cython.Py_ssize_t = -1
        has_shadow: cython.bint = False
        least: cython.double = -INFINITE
        turns: cython.Py_ssize_t = MOST_PIVOTS * (count + state.n_elbow + state.n_active)
        while turns > 0:
            turns -= 1
            if self.n_tied == 0:
                return GOES_ON
            if self.n_tied > 1 and not has_shadow:
                least = self.cast_shadow_after(family)
                has_shadow = True
            chosen = -1 if has_shadow else 0
            best = INFINITE
            if has_shadow:
                for k in range(self.n_tied):
                    family = self.tied_family[k]
                    place = self.tied_place[k]
                    # rounding must not send the shadow back
                    step = self.shadow_slack(family, place) / -self.slack_rate(family, place)
                    step = max(step, least)
                    if step < best:
                        best = step
                        chosen = k
                if chosen < 0:
                    return GOES_ON
                self.move_shadow(best)
            family = self.tied_family[chosen]
            place = self.tied_place[chosen]
            if family >= OUT:
                self.shadow_beta[place + 1] *= state.scales[state.piece[place]]
            self.pivot(family, place)
            self.reserve()
            # whatever enters or leaves does so at zero
            if family <= LEFT:
                erase(self.shadow_alpha, place, state.n_elbow + 1)
            elif family == ELBOW:
                self.shadow_alpha[state.n_elbow - 1] = 0.0
            elif family == LEAVE:
                self.shadow_beta[place + 1] = self.shadow_beta[state.n_active + 1]
            elif family >= OUT:
                self.shadow_beta[place + 1] /= state.scales[state.piece[place]]
            else:
                self.shadow_beta[state.n_active] = 0.0
            least = 0.0
            self.evaluate()
            self.reached(True)
        return UNORDERED

    # -- full checks

    def refresh(self, largest_slide):
        """Take rounding out of α and β: solve once more, on the same sets, for what the equations miss.

        Returns the largest margin that was missed.
        """
        state: State = self.state
        k: cython.Py_ssize_t
        t: cython.int
        change: cython.double
        fits: cython.bint
        m: cython.Py_ssize_t = state.n_active + 1
        e: cython.Py_ssize_t = state.n_elbow
        missed: cython.double
        tol: cython.double = INSIDE * sqrt(state.dual_square())
        self.reserve()
        if state.is_curved:
            self.refresh_curved()
            return 0.0
        missed_kinks(
            state.block, state.elbow, e, m, state.beta, state.position, state.target, self.missed
        )
        missed = largest(self.missed, 0, e)
        span: cython.double = largest(state.row_norm, 0, state.n) * largest(state.beta, 0, m)
        if missed > DRIFT * (1.0 + span):
            state.refactor()
        self.gradient()
        state.factor.slide(self.rho, self.slid, self.slid_dual)
        state.factor.pin(self.missed, self.pinned, self.pinned_dual)
        # Two points almost alike share their dual values in a way that rounding alone decides, and one
        # taken to the margin a little too early may need more than there is: what would leave its
        # interval is not mended, but waits for the pivot.
        for t in range(2):
            fits = True
            for k in range(e):
                change = self.slid_dual[k] + (state.l2 * self.pinned_dual[k] if t == 0 else 0.0)
                if not (state.low[k] - tol <= state.alpha[k] + change <= state.high[k] + tol):
                    fits = False
                    break
            if fits:
                axpy(1.0, self.slid_dual, state.alpha, e)
                if t == 0:
                    axpy(state.l2, self.pinned_dual, state.alpha, e)
                    axpy(1.0, self.pinned, state.beta, m)
                break
        # A gradient missed by ρ costs ρ²/l2, next to nothing; mending it moves β by ρ/l2, maybe
        # across a margin.
        span = largest_slide * state.l2 * largest(state.beta, 0, m)
        if state.l2 > 0.0 and largest(self.slid, 0, m) <= span:
            axpy(1.0 / state.l2, self.slid, state.beta, m)
        self.current = False
        return missed

    def refresh_curved(self):
        """Take rounding out of α and β where kinks are rounded: α follows β, and β is where its gradient vanishes.

        Rounding that no gradient shows is left in α; where α is in proportion to l1, there is none.
        """
        state: State = self.state
        m: cython.Py_ssize_t = state.n_active + 1
        e: cython.Py_ssize_t = state.n_elbow
        self.follow()
        self.curved.solve(state.push, self.dx, self.da)
        if self.shrinks_with_l1():
            copy(self.da, 0, state.alpha, 0, e)
            scale(-state.l1, state.alpha, e)
        for _ in range(2):
            self.gradient()
            self.forget_rounding()
            self.curved.solve(self.rho, self.dx, self.da)
            axpy(1.0, self.dx, state.beta, m)
            axpy(1.0, self.da, state.alpha, e)
        self.current = False

    def forget_rounding(self):
        """Let ρ be zero where it is rounding: a variable that hardly anything holds would go far for it."""
        state: State = self.state
        k: cython.Py_ssize_t
        norm: cython.double
        size: cython.double = EPS * sqrt(state.n) * sqrt(state.dual_square())
        for k in range(state.n_active + 1):
            norm = state.kappa * sqrt(state.n)
            if k > 0:
                norm = state.column_norm[state.active[k - 1]]
            if abs(self.rho[k]) <= size * norm:
                self.rho[k] = 0.0

    def follow(self):
        """Let the dual values on rounded kinks be what β makes them, (z − t)/D, where they are not but for rounding."""
        state: State = self.state
        k: cython.Py_ssize_t
        i: cython.Py_ssize_t
        alpha: cython.double
        rounding: cython.double
        size: cython.double = sqrt(dot(state.beta, state.beta, state.n_active + 1))
        missed_kinks(
            state.block, state.elbow, state.n_elbow, state.n_active + 1, state.beta,
            state.position, state.target, self.missed,
        )  # fmt: skip
        for k in range(state.n_elbow):
            i = state.elbow[k]
            alpha = self.missed[k] * self.curved.curvature[i]
            rounding = SCORE_ROUNDING * (abs(self.curved.center[i]) + state.row_norm[i] * size)
            if abs(alpha - state.alpha[k]) > rounding * self.curved.curvature[i]:
                state.alpha[k] = alpha

    def choose_columns(self):
        """Choose anew which columns to watch."""
        self.columns.limit.exhausted = False
        self.columns.choose(self.state, self.da, self.dl1)
        self.stale()

    def loss(self):
        """Return the loss by the sets, plus what the sets get wrong beyond rounding; scores must have been read."""
        state: State = self.state
        size: cython.double = sqrt(dot(state.beta, state.beta, state.n_active + 1))
        if state.is_curved:
            return curved_loss(
                self.curved.center, state.slope, self.curved.curvature, self.rows.score, state.n
            )
        total: cython.double = total_loss(
            state.position, state.target, state.slope, state.height, self.rows.score, state.n
        )
        return total + misplaced(
            state.position, state.target, state.slope, self.rows.score, state.row_norm, state.n,
            SCORE_ROUNDING, size,
        )  # fmt: skip

    def gap(self, beyond, correlation, largest_slope):
        """Return P − D, and keep P; infinite where α has left its intervals or its balance.

        ``beyond`` are the columns with |c_j| > l1 v_j. The lower bounds are those of l2 > 0 and of
        the box |b_j| ≤ min(P/(l1 v_j), √(2P/l2)), which holds every optimum.
        """
        state: State = self.state
        k: cython.Py_ssize_t
        j: cython.Py_ssize_t
        m: cython.Py_ssize_t = state.n_active + 1
        size: cython.double = sqrt(state.dual_square())
        slack: cython.double = OUTSIDE * min(largest_slope, size)
        square: cython.double = 0.0
        box: cython.double = 0.0
        excess: cython.double
        threshold: cython.double
        share: cython.double
        bound: cython.double
        proved: cython.double = self.dual_value()
        self.primal = self.loss()
        self.primal += (
            0.5 * state.l2 * (dot(state.beta, state.beta, m) - state.beta[0] * state.beta[0])
        )
        for k in range(state.n_active):
            j = state.piece[k]
            threshold = state.l1 * state.l1_weight[state.active[k]]
            self.primal += threshold * state.pushes[j] * abs(state.beta[k + 1])
            self.primal += threshold * threshold * state.heights[j]
        if abs(dot(state.label, self.columns.dual, state.n)) > slack * state.n:
            return INFINITE
        for k in range(state.n_elbow):
            if not (state.low[k] - slack <= state.alpha[k] <= state.high[k] + slack):
                return INFINITE
        for k in range(beyond.shape[0]):
            j = beyond[k]
            threshold = state.l1 * state.l1_weight[j]
            if state.is_bent:
                square += self.bent_square(abs(correlation[k]), threshold)
                continue
            excess = abs(correlation[k]) - threshold
            square += excess * excess
            share = EPS * state.n if threshold > 0.0 else VANISHING
            bound = sqrt(
                state.column_norm[j] * state.column_norm[j]
                + state.l1_weight[j] * state.l1_weight[j]
            )
            if excess > share * size * bound:
                bound = sqrt(2.0 * self.primal / state.l2) if state.l2 > 0.0 else INFINITE
                if threshold > 0.0:
                    bound = min(bound, self.primal / threshold)
                box += bound * excess
        if state.is_bent:
            box = 0.5 * square / state.l2
        elif state.l2 > 0.0:
            box = min(box, 0.5 * square / state.l2)
        return min(self.primal - proved + box, self.primal)  # α = 0 proves P ≥ 0

    def bent_square(self, size, threshold):
        """Return 2 l2 max_b (c b − φ(b)) for a correlation of that size, φ being the penalties of one coefficient."""
        state: State = self.state
        q: cython.Py_ssize_t = 0
        scale_of: cython.double = state.scales[0]
        excess: cython.double = size * scale_of - state.pushes[0] * threshold
        while q < state.heights.shape[0] - 1 and (
            excess * scale_of > state.l2 * state.bends[q] * threshold
        ):
            q += 1
            scale_of = state.scales[q]
            excess = size * scale_of - state.pushes[q] * threshold
        return excess * excess - 2.0 * state.l2 * state.heights[q] * threshold * threshold

    def dual_value(self):
        """Return Σ_i min_t ℓ_i(t) + α_i t, by the sets."""
        state: State = self.state
        cols: WatchedColumns = self.columns
        duals(
            state.position, state.level, state.elbow, state.alpha, state.n, state.n_elbow, cols.dual
        )
        if state.is_curved:
            return curved_dual(self.curved.center, self.curved.curvature, cols.dual, state.n)
        return dual_total(state.position, state.target, state.height, cols.dual, state.n)
