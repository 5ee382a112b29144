"""Which kinks must be looked at now, and for how long may the other rows be left alone?

Between two points of the path |Δt_i| ≤ ‖(κ, x_i)‖ ‖Δβ‖ (Cauchy-Schwarz), so a point whose slack
exceeds its norm times the distance travelled cannot have reached a kink. There are two tiers: the
rows whose slack is below `near_reach` times their norm are near; of these, the kinks within
`reach` are watched, that is looked at at every event. A point off its kinks has a slack to the
kink above (side +1) and to the one below (side −1), where there are such: target − score = side × slack.
"""

from __future__ import annotations

import numpy as np

try:
    import cython
except ImportError:
    from chemin.engine.exact.inner import typing as cython

from chemin.engine.thresholds import COST_OF_ALL_ROWS as _ALL
from chemin.engine.thresholds import COST_OF_ROWS as _SOME
from chemin.engine.thresholds import ROWS_AT_FIRST, SHORTEST_REACH

if cython.compiled:
    from cython.cimports.chemin.engine.exact.inner.kernels import (
        axpy,
        clear_at,
        erase,
        erase_index,
        first_closing,
        gather,
        gathered_products,
        near_kinks,
        near_rows,
        padded,
        products,
        settle_home,
        square_from_home,
    )
    from cython.cimports.chemin.engine.exact.inner.limit import Limit
    from cython.cimports.libc.math import sqrt
else:
    from math import sqrt

    from chemin.engine.exact.inner.kernels import (
        axpy,
        clear_at,
        erase,
        erase_index,
        first_closing,
        gather,
        gathered_products,
        near_kinks,
        near_rows,
        padded,
        products,
        settle_home,
        square_from_home,
    )
    from chemin.engine.exact.inner.limit import Limit

ALL = cython.declare(cython.double, _ALL) if cython.compiled else _ALL
SOME = cython.declare(cython.double, _SOME) if cython.compiled else _SOME
INFINITE = cython.declare(cython.double, np.inf) if cython.compiled else np.inf


class WatchedRows:
    """The watched kinks, and the rows around them.

    Attributes
    ----------
    row, kink, side, slack, size, scale : the first ``count`` entries
        Points, their kinks, sides, target − score, norms and |target|.
    near : the first n_near entries
        The rows among which they were chosen.
    score : array of length n
        All signed scores less s base, as last read.
    step, place : float, int
        The first kink that the present direction reaches: when, and which of the watched.
    """

    def __init__(self, state, screening):
        n = state.n
        self.screening = screening
        self.count = 0
        self.n_near = 0
        self.evaluated = 0
        self.row = np.zeros(2 * n + 2, dtype=np.intp)
        self.kink = np.zeros(2 * n + 2, dtype=np.intp)
        self.near = np.zeros(n + 1, dtype=np.intp)
        self.side = np.zeros(2 * n + 2)
        self.slack = np.zeros(2 * n + 2)
        self.size = np.zeros(2 * n + 2)
        self.scale = np.zeros(2 * n + 2)
        self.fall = np.zeros(2 * n + 2)
        self.work = np.zeros(2 * n + 2)
        self.score = np.zeros(n + 1)
        self.home = np.zeros(state.p + 1)
        self.near_home = np.zeros(state.p + 1)
        self.support = np.zeros(16, dtype=np.intp)
        self.near_support = np.zeros(16, dtype=np.intp)
        self.n_support = 0
        self.n_near_support = 0
        self.near_limit = Limit()
        self.watched_limit = Limit()
        self.near_reach = 0.0
        self.reach = 0.0
        self.step = np.inf
        self.place = -1

    def stay(self, state, near):
        """Remember β: the near rows, or the watched kinks, were chosen here."""
        home: cython.double[::1] = self.near_home if near else self.home
        support: cython.Py_ssize_t[::1] = self.near_support if near else self.support
        clear_at(home, support, self.n_near_support if near else self.n_support)
        if state.n_active > support.shape[0]:
            support = np.zeros(2 * state.n_active, dtype=np.intp)
        settle_home(state.beta, state.active, state.n_active, home, support)
        if near:
            self.near_support = support
            self.n_near_support = state.n_active
        else:
            self.support = support
            self.n_support = state.n_active

    def way(self, state, near):
        """Return how far β has gone since."""
        home: cython.double[::1] = self.near_home if near else self.home
        support: cython.Py_ssize_t[::1] = self.near_support if near else self.support
        count: cython.Py_ssize_t = self.n_near_support if near else self.n_support
        return sqrt(
            square_from_home(
                state.beta, state.active, state.n_active, state.is_active, home, support, count
            )
        )

    def read(self, state):
        """Compute all scores."""
        products(state.block, state.n, padded(state.n_active + 1), state.beta, self.score)
        self.evaluated += state.n

    def choose_near(self, state):
        """Choose the near rows, among all whose scores were just read, and the watched kinks among them."""
        self.near_reach *= self.near_limit.factor(self.n_near, state.n + ALL)
        if self.near_reach == 0.0:
            self.near_reach = _first_reach(state, np.asarray(self.score)[: state.n])
            self.reach = 0.25 * self.near_reach
        if not self.screening:
            self.near_reach = INFINITE
            self.reach = INFINITE
        self.n_near = near_rows(
            state.position,
            state.target,
            self.score,
            state.row_norm,
            state.n,
            self.near_reach,
            self.near,
        )
        self.near_limit.begin(self.near_reach if self.n_near < state.n else INFINITE, False)
        self.stay(state, True)
        self.choose_watched(state, False)

    def choose_watched(self, state, read):
        """Choose the watched kinks among the near rows, whose scores are read unless all were just now."""
        reach: cython.double
        self.reach *= self.watched_limit.factor(self.count, self.n_near + SOME)
        if read:
            gathered_products(
                state.block,
                self.near,
                self.n_near,
                padded(state.n_active + 1),
                state.beta,
                self.work,
            )
            self.near_limit.uses += 1
            self.evaluated += self.n_near
        else:
            gather(self.score, self.near, self.n_near, self.work)
        reach = INFINITE if self.reach >= self.near_reach else self.reach
        self.count = near_kinks(
            self.near, self.n_near, state.position, state.target, self.work, state.row_norm, reach,
            self.row, self.side, self.slack, self.size, self.scale, self.kink,
        )  # fmt: skip
        self.watched_limit.begin(reach, False)
        self.stay(state, False)

    def room(self):
        """Return how much further β may go on trust."""
        return min(self.near_limit.room(), self.watched_limit.room())

    def everything(self):
        """Say whether no row is left alone."""
        return self.near_limit.limit == INFINITE and self.watched_limit.limit == INFINITE

    def has_room(self, state, distance):
        """Say whether so long a step is within the limits, once the way is measured afresh."""
        if distance >= self.near_limit.room():
            self.near_limit.bound = self.way(state, True)
            self.near_limit.exhausted = distance >= self.near_limit.room()
        if distance >= self.watched_limit.room():
            self.watched_limit.bound = self.way(state, False)
            self.watched_limit.exhausted = distance >= self.watched_limit.room()
        return not (self.near_limit.exhausted or self.watched_limit.exhausted)

    def renew(self, state):
        """Choose anew where a limit is exhausted."""
        if self.near_limit.exhausted:
            self.read(state)
            self.choose_near(state)
        else:
            self.choose_watched(state, True)

    def first(self, state, dx, tol, moves):
        """Find the first watched kink that the direction dx of β reaches."""
        self.step = INFINITE
        self.place = -1
        if not moves:
            return
        self.evaluated += self.count
        gathered_products(
            state.block, self.row, self.count, padded(state.n_active + 1), dx, self.fall
        )
        self.place = first_closing(
            self.side, self.slack, self.fall, self.size, self.count, tol, INFINITE, self.work
        )
        if self.place >= 0:
            self.step = self.side[self.place] * self.slack[self.place]
            self.step = max(self.step, 0.0) / (self.side[self.place] * self.fall[self.place])

    def advance(self, step, distance, moves):
        """Go along with a step."""
        if moves:
            axpy(-step, self.fall, self.slack, self.count)
        self.near_limit.bound += distance
        self.near_limit.steps += 1
        self.watched_limit.count(distance)

    def add(self, state, i, kink, side, slack):
        """Watch one kink of a point."""
        k: cython.Py_ssize_t = self.count
        self.row[k] = i
        self.kink[k] = kink
        self.side[k] = side
        self.slack[k] = slack
        self.size[k] = state.row_norm[i]
        self.scale[k] = abs(state.target[i, kink])
        self.count = k + 1

    def remove(self, k):
        """Forget one entry."""
        erase_index(self.row, k, self.count)
        erase_index(self.kink, k, self.count)
        erase(self.side, k, self.count)
        erase(self.slack, k, self.count)
        erase(self.size, k, self.count)
        erase(self.scale, k, self.count)
        self.count -= 1

    def remove_row(self, i):
        """Forget every entry of a point that joins the elbow."""
        k: cython.Py_ssize_t
        for k in range(self.count - 1, -1, -1):
            if self.row[k] == i:
                self.remove(k)

    def add_row(self, state, i, came_from):
        """Watch a point that has just left a kink, on both sides of its piece."""
        piece: cython.Py_ssize_t = state.position[i] >> 1
        score: cython.double = state.target[i, came_from]
        if piece < state.kinks:
            self.add(state, i, piece, 1.0, state.target[i, piece] - score)
        if piece > 0:
            self.add(state, i, piece - 1, -1.0, state.target[i, piece - 1] - score)


def _first_reach(state, score):
    """Return the reach within which a few rows are."""
    target = np.asarray(state.target)
    position = np.asarray(state.position)
    slack = np.abs(target - score[:, None]).min(axis=1) / np.asarray(state.row_norm)
    slack = np.sort(slack[position >= 0])
    return max(float(slack[min(len(slack) - 1, ROWS_AT_FIRST)]), SHORTEST_REACH)
