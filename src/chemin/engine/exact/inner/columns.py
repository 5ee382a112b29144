"""Which columns must be looked at now, and for how long may the others be left alone?

The *resident* columns are those whose entries are at hand, at the points that have come to a kink
so far: all of them where X is an array in memory, else a choice made where the columns live
(`chemin.engine.screening`). Of these the nearest to their thresholds are watched at every event.
The distance of column j is (l1 v_j − |c_j|) / pace_j, a lower bound of how far (u, l1), u_i = s_i α_i,
has to go until |c_j| = l1 v_j: with H the elbow when the choice was made, and m_j the column's mean on it,

    length² = ‖Δu_H‖² + (Σ_{i∉H} |Δu_i| / e)² + (Δl1 / d)²,
    pace_j² = Σ_{i∈H} (x_ij − m_j)² + (e max_i |x_ij − m_j|)² + (d v_j)²,

since what |c_j| and l1 v_j change by is at most pace × length (Cauchy-Schwarz on H, Hölder elsewhere;
the mean may be taken off because Σ Δu_i = 0). For ways like the last one, of length a on H and sum o
elsewhere, and columns like these, of norm s on H and largest entry M, the bound is least for

    e² = o s / (a M),     d² = Δl1 s / (a v).
"""

from __future__ import annotations

import numpy as np

try:
    import cython
except ImportError:
    from chemin.engine.exact.inner import typing as cython

from chemin.engine import thresholds

if cython.compiled:
    from cython.cimports.chemin.engine.exact.inner.kernels import (
        about_nth,
        add_moments,
        axpy,
        below,
        changed,
        copy,
        count_up,
        distances,
        distances_ahead,
        duals,
        erase,
        erase_index,
        fill_index,
        first_entering,
        first_missing,
        gather,
        gather_column,
        gather_index,
        gather_row,
        gathered_sum,
        paces,
        ruled_length,
        signed_column,
        signed_values,
        spread,
        times_gathered,
        way_length,
        weighted_entry,
    )
    from cython.cimports.chemin.engine.exact.inner.limit import Limit
    from cython.cimports.libc.math import sqrt
else:
    from math import sqrt

    from chemin.engine.exact.inner.kernels import (
        about_nth,
        add_moments,
        axpy,
        below,
        changed,
        copy,
        count_up,
        distances,
        distances_ahead,
        duals,
        erase,
        erase_index,
        fill_index,
        first_entering,
        first_missing,
        gather,
        gather_column,
        gather_index,
        gather_row,
        gathered_sum,
        paces,
        ruled_length,
        signed_column,
        signed_values,
        spread,
        times_gathered,
        way_length,
        weighted_entry,
    )
    from chemin.engine.exact.inner.limit import Limit

if cython.compiled:
    INFINITE = cython.declare(cython.double, np.inf)
    FEWEST = cython.declare(cython.Py_ssize_t, thresholds.FEWEST_WATCHED)
    WATCH_ALL = cython.declare(cython.Py_ssize_t, thresholds.WATCH_ALL)
    UNBALANCED = cython.declare(cython.double, thresholds.UNBALANCED)
    ALIKE = cython.declare(cython.double, thresholds.ALIKE)
    CLIP = cython.declare(cython.double, thresholds.CLIP)
    CLOSE = cython.declare(cython.double, thresholds.CLOSE)
    OF_THE_LARGEST = cython.declare(cython.double, thresholds.OF_THE_LARGEST)
    UPDATE = cython.declare(cython.double, thresholds.COLUMN_UPDATE)
    CHOICE = cython.declare(cython.double, thresholds.COLUMN_CHOICE)
    COST = cython.declare(cython.double, thresholds.COST_OF_COLUMNS)
    WATCHED = cython.declare(cython.double, thresholds.WATCHED_COLUMN)
else:
    INFINITE = np.inf
    FEWEST = thresholds.FEWEST_WATCHED
    WATCH_ALL = thresholds.WATCH_ALL
    UNBALANCED = thresholds.UNBALANCED
    ALIKE = thresholds.ALIKE
    CLIP = thresholds.CLIP
    CLOSE = thresholds.CLOSE
    OF_THE_LARGEST = thresholds.OF_THE_LARGEST
    UPDATE = thresholds.COLUMN_UPDATE
    CHOICE = thresholds.COLUMN_CHOICE
    COST = thresholds.COST_OF_COLUMNS
    WATCHED = thresholds.WATCHED_COLUMN

SPARE = 32  # columns and points that may come before a buffer is made larger


class WatchedColumns:
    """The watched columns, and the resident ones among which they are chosen.

    Attributes
    ----------
    numbers, values, correlation : of the resident columns
        Their numbers, increasing; entries, one row per point; c_j as of the dual values ``seen``.
    column, within, c : the first ``count`` entries
        The watched columns, their places among the resident ones, and their present c_j.
    step, entering, sign : float, int, float
        The first threshold that the present direction reaches: when, by which, with which sign.
    """

    def __init__(self, state, screening):
        n = state.n
        self.n = n
        self.p = state.p
        self.screening = screening
        self.count = 0
        self.evaluated = 0
        self.size = thresholds.FEWEST_WATCHED
        self.n_resident = 0
        self.whole = False
        self.direct = False
        self.resident = None
        self.seen = np.zeros(n)
        self.dual = np.zeros(n)
        self.home = np.zeros(n)
        self.change = np.zeros(n)
        self.u = np.zeros(n)
        self.home_l1 = 0.0
        self.moved = np.zeros(n, dtype=np.intp)
        self.margin = np.zeros(n, dtype=np.intp)
        self.rows = np.zeros(n, dtype=np.intp)
        self.n_margin = 0
        self.inside = np.zeros(n, dtype=np.int8)
        self.elsewhere = 1.0
        self.unit_l1 = 1.0
        self.limit = Limit()
        self.outer = Limit()
        self.ruler_place = np.zeros(n, dtype=np.intp)
        self.ruler_twist = np.zeros((1, 0))
        self.ruler_elsewhere = 1.0
        self.ruler_l1 = 1.0
        self.ruler_work = np.zeros(1)
        self.near_place = np.zeros(n, dtype=np.intp)
        self.filled = np.zeros(n, dtype=np.intp)
        self.n_filled = 0
        self.near = None
        self.room_for = 0
        self.reserve(64)
        self.step = np.inf
        self.entering = -1
        self.sign = 1.0

    def use(self, state, resident):
        """Let these be the resident columns; ``resident.dual`` are the dual values of its correlations."""
        self.resident = resident
        self.numbers = resident.numbers
        self.values = resident.values
        self.place = resident.place
        self.whole = resident.whole
        count = len(resident.numbers)
        self.n_resident = count
        numbers = np.asarray(resident.numbers)
        self.v = _and_one(np.asarray(state.l1_weight)[numbers])
        self.only = _and_one(np.asarray(state.only)[numbers])
        self.norm = _and_one(np.asarray(state.column_norm)[numbers])
        self.low = _and_one(resident.low)
        self.high = _and_one(resident.high)
        self.correlation = _and_one(resident.correlation)
        copy(resident.dual, 0, self.seen, 0, self.n)
        self.pace = np.ones(count + 1)
        self.sums = np.zeros(count + 1)
        self.square = np.zeros(count + 1)
        self.distance = np.zeros(count + 1)
        self.work = np.zeros(count + 1)
        self.rate = np.zeros(count + 1)
        self.found = np.zeros(count + 1, dtype=np.intp)
        half = 0.5 * (np.asarray(resident.high) - np.asarray(resident.low))
        self.typical = typical(half)
        self.typical_weight = typical(np.asarray(self.v)[:count])
        self.n_margin = 0
        np.asarray(self.inside)[:] = 0
        self.exclude(state, resident.excluded)
        self.limit.begin(INFINITE, False)

    def exclude(self, state, excluded):
        """Let these resident columns be no candidates, nor those that are active."""
        out = np.array(excluded, dtype=np.int8)
        self.out_of_play = np.append(out, np.int8(1))
        flags = np.asarray(self.out_of_play)[: self.n_resident]
        flags[np.asarray(state.is_active)[np.asarray(self.numbers)] != 0] = 1
        self.n_out_of_play = int(np.count_nonzero(flags))

    def measure_outer(self, limit, once, ruler):
        """Let (u, l1) go so far, by this ruler, before the resident columns are chosen anew."""
        self.outer.begin(limit, once)
        if ruler is not None:
            self.ruler_place = ruler.place
            self.ruler_twist = ruler.twist
            self.ruler_elsewhere = ruler.elsewhere
            self.ruler_l1 = ruler.l1
            self.ruler_work = np.zeros(ruler.twist.shape[1] + 1)

    def update(self, state):
        """Bring the correlations of the resident columns up to date; return how many points had moved."""
        moved: cython.Py_ssize_t
        duals(
            state.position, state.level, state.elbow, state.alpha, self.n, state.n_elbow, self.dual
        )
        moved = changed(self.dual, self.seen, state.label, self.n, self.moved, self.change)
        if moved:
            self.fetch_missing(self.moved, moved)
            gather_index(self.place, self.moved, moved, self.rows)
            gathered_sum(self.values, self.rows, moved, self.n_resident, self.change, self.work)
            axpy(1.0, self.work, self.correlation, self.n_resident)
            copy(self.dual, 0, self.seen, 0, self.n)
            self.evaluated += self.n_resident
        return moved

    def reread(self, state, correlation):
        """Take correlations of the resident columns computed afresh from the present dual values."""
        duals(
            state.position, state.level, state.elbow, state.alpha, self.n, state.n_elbow, self.seen
        )
        copy(correlation, 0, self.correlation, 0, self.n_resident)
        self.evaluated += self.n_resident
        np.asarray(self.sums)[:] = 0.0
        np.asarray(self.square)[:] = 0.0
        np.asarray(self.inside)[:] = 0
        self.n_margin = 0

    def speed(self, state, da, dl1):
        """Return how far (u, l1) goes per unit step, for the watched columns."""
        length: cython.double
        length = way_length(self.inside, state.elbow, da, state.n_elbow, self.elsewhere)
        return sqrt(length + (dl1 / self.unit_l1) * (dl1 / self.unit_l1))

    def outer_speed(self, state, da, dl1):
        """Return the same as the resident columns measure it."""
        length: cython.double
        times_gathered(da, state.label, state.elbow, state.n_elbow, self.u)
        length = ruled_length(
            self.ruler_place, self.ruler_twist, state.elbow, self.u, state.n_elbow,
            self.ruler_elsewhere, self.ruler_work,
        )  # fmt: skip
        return sqrt(length + (dl1 / self.ruler_l1) * (dl1 / self.ruler_l1))

    def way(self, state):
        """Return how far (u, l1) has gone since the watched columns were chosen."""
        moved: cython.Py_ssize_t
        length: cython.double
        dl1: cython.double = (state.l1 - self.home_l1) / self.unit_l1
        duals(
            state.position, state.level, state.elbow, state.alpha, self.n, state.n_elbow, self.dual
        )
        moved = changed(self.dual, self.home, state.label, self.n, self.moved, self.change)
        length = way_length(self.inside, self.moved, self.change, moved, self.elsewhere)
        return sqrt(length + dl1 * dl1)

    def has_room(self, state, distance):
        """Say whether so long a step is within the limit, once the way is measured afresh."""
        if self.limit.once and self.limit.steps:
            self.limit.exhausted = True
        elif distance >= self.limit.room():
            self.limit.bound = self.way(state)
            self.limit.exhausted = distance >= self.limit.room()
        return not self.limit.exhausted

    def must_aim(self):
        """Say whether not one step could be made, it is so long: only its own direction then counts."""
        return self.limit.exhausted and self.limit.steps == 0

    def everything(self):
        """Say whether no column is left alone."""
        return self.limit.limit == INFINITE and self.outer.limit == INFINITE

    def choose_units(self, state):
        """Let H be the elbow, and choose e and d for ways like the last one."""
        k: cython.Py_ssize_t
        i: cython.Py_ssize_t
        moved: cython.Py_ssize_t
        size: cython.double
        length: cython.double
        elsewhere: cython.double
        inside: cython.double
        moved = changed(self.seen, self.home, state.label, self.n, self.moved, self.change)
        inside = way_length(self.inside, self.moved, self.change, moved, INFINITE)
        length = sqrt(inside)
        elsewhere = sqrt(
            max(way_length(self.inside, self.moved, self.change, moved, 1.0) - inside, 0.0)
        )
        self.fetch_missing(state.elbow, state.n_elbow)
        for k in range(state.n_elbow):
            i = state.elbow[k]
            if not self.inside[i]:
                add_moments(
                    1.0, self.values, self.place[i], self.n_resident, self.sums, self.square
                )
            self.inside[i] = 2
        for k in range(self.n_margin):
            i = self.margin[k]
            if self.inside[i] == 1:
                add_moments(
                    -1.0, self.values, self.place[i], self.n_resident, self.sums, self.square
                )
                self.inside[i] = 0
        for k in range(state.n_elbow):
            self.margin[k] = state.elbow[k]
            self.inside[self.margin[k]] = 1
        self.n_margin = state.n_elbow
        size = sqrt(
            spread(self.sums, self.square, self.n_resident, self.n_margin, self.pace)
            / self.n_resident
        )
        if not size > ALIKE * self.typical:
            size = OF_THE_LARGEST * self.typical * sqrt(self.n_margin)
        self.elsewhere = size / self.typical
        self.unit_l1 = size / self.typical_weight
        if self.limit.steps:
            self.elsewhere *= _root(elsewhere * self.typical, length * size)
            self.unit_l1 *= _root(abs(state.l1 - self.home_l1) * self.typical_weight, length * size)
        paces(
            self.sums, self.low, self.high, self.norm, self.v, self.n_resident, self.n_margin,
            self.elsewhere, self.unit_l1, UNBALANCED, self.pace,
        )  # fmt: skip

    def resize(self, state, moved, aim):
        """Weigh reading the resident columns against using one more of the watched."""
        factor: cython.double
        if aim:
            # Even in its own direction no step was possible: more must be watched.
            if self.limit.once and self.limit.steps == 0:
                self.size = self.size * 3 // 2
            return
        cost: cython.double = UPDATE * moved * self.n_resident + CHOICE * self.n_resident + COST
        factor = self.limit.factor(self.size, cost / (WATCHED + 0.5 * state.n_elbow))
        self.size = int(self.size * min(factor, 1.25))
        self.size = min(max(self.size, FEWEST), self.n_resident + 1)

    def choose(self, state, da, dl1):
        """Choose the watched columns among the resident ones; (da, dl1) is the present direction."""
        found: cython.Py_ssize_t
        limit: cython.double
        aim: cython.bint = self.must_aim()
        moved: cython.Py_ssize_t = self.update(state)
        self.outer.uses += 1
        self.resize(state, moved, aim)
        few: cython.bint = self.n_resident <= WATCH_ALL or not self.screening
        if few or self.size >= self.n_resident - self.n_out_of_play:
            places = np.flatnonzero(np.asarray(self.out_of_play)[: self.n_resident] == 0)
            found = len(places)
            np.asarray(self.found)[:found] = places
            self.limit.begin(INFINITE, False)
        else:
            self.choose_units(state)
            if aim:
                times_gathered(da, state.label, state.elbow, state.n_elbow, self.u)
                gather_index(self.place, state.elbow, state.n_elbow, self.rows)
                gathered_sum(
                    self.values, self.rows, state.n_elbow, self.n_resident, self.u, self.rate
                )
                distances_ahead(
                    self.v, self.only, self.correlation, self.rate, self.out_of_play, self.n_resident,
                    state.l1, dl1, self.speed(state, da, dl1), self.distance,
                )  # fmt: skip
            else:
                distances(
                    self.v, self.only, self.correlation, self.pace, self.out_of_play, self.n_resident,
                    state.l1, self.distance,
                )  # fmt: skip
            limit = about_nth(self.distance, self.n_resident, self.size, self.work)
            found = below(self.distance, self.n_resident, limit, self.found)
            self.limit.begin(CLOSE * limit if aim else limit, aim)
        self.watch(state, found, 2 * found > self.n_resident)
        copy(self.seen, 0, self.home, 0, self.n)
        self.home_l1 = state.l1

    def reserve(self, needed):
        """Make room for so many watched columns."""
        if needed <= self.room_for:
            return
        room = 2 * needed + SPARE
        for name in ("column", "within", "slot", "near_index", "c", "dc", "cv", "co", "cn",
                     "ratios", "totals"):  # fmt: skip
            kind = np.intp if name in ("column", "within", "slot", "near_index") else np.float64
            larger = np.zeros(room, dtype=kind)
            if self.room_for:
                larger[: self.room_for] = getattr(self, name)
            setattr(self, name, larger)
        self.room_for = room

    def watch(self, state, count, direct):
        """Watch the columns that were found; their entries are read in place, or copied as points come."""
        k: cython.Py_ssize_t
        self.reserve(count)
        self.count = count
        gather_index(self.numbers, self.found, count, self.column)
        self.within[:count] = self.found[:count]
        self.near_index[:count] = self.found[:count]
        if direct:
            self.slot[:count] = self.found[:count]
        else:
            count_up(self.slot, count)
        gather(self.correlation, self.within, count, self.c)
        gather(self.v, self.within, count, self.cv)
        gather(self.only, self.within, count, self.co)
        gather(self.norm, self.within, count, self.cn)
        self.direct = direct
        if direct:
            self.width = self.n_resident
            self.fetch_missing(state.elbow, state.n_elbow)
            return
        self.width = count
        if self.near is None or self.near.shape[1] < count or self.near.shape[0] < state.n_elbow:
            self.near = np.empty((2 * state.n_elbow + SPARE, count + count // 2 + SPARE))
        fill_index(self.near_place, -1, self.n)
        self.n_filled = 0
        for k in range(state.n_elbow):
            self.fill(state.elbow[k])

    def fetch(self, i):
        """Have the entries of the resident columns at one more point."""
        self.resident.fetch(i)
        self.values = self.resident.values

    def fetch_missing(self, rows, count):
        """Have the entries of the resident columns at all of these points."""
        k: cython.Py_ssize_t
        if self.whole:
            return
        k = first_missing(self.place, rows, count)
        while k < count:
            self.fetch(rows[k])
            k = first_missing(self.place, rows, count)

    def fill(self, i):
        """Have the entries of the watched columns at a point of the elbow."""
        if self.place[i] < 0:
            self.fetch(i)
        if self.direct or self.near_place[i] >= 0:
            return
        if self.n_filled == self.near.shape[0]:
            larger = np.empty((2 * self.n_filled + SPARE, self.near.shape[1]))
            larger[: self.n_filled] = self.near
            self.near = larger
        gather_row(
            self.values, self.place[i], self.near_index, self.width, self.near, self.n_filled
        )
        self.near_place[i] = self.n_filled
        self.filled[self.n_filled] = i
        self.n_filled += 1

    def put_column(self, state, j, k):
        """Write s_i x_ij into column k of the block."""
        if self.whole:
            signed_column(self.values, j, state.label, self.n, state.block, k)
        else:
            signed_values(self.resident.column(j), state.label, self.n, state.block, k)

    def first(self, state, da, dl1, tol, tol_l1):
        """Find the first watched threshold that the direction (da, dl1) reaches."""
        place: cython.Py_ssize_t
        self.step = INFINITE
        self.entering = -1
        self.evaluated += self.count
        if self.count == 0:
            return
        times_gathered(da, state.label, state.elbow, state.n_elbow, self.u)
        if self.direct:
            gather_index(self.place, state.elbow, state.n_elbow, self.rows)
            gathered_sum(self.values, self.rows, state.n_elbow, self.width, self.u, self.work)
            gather(self.work, self.slot, self.count, self.dc)
        else:
            gather_index(self.near_place, state.elbow, state.n_elbow, self.rows)
            gathered_sum(self.near, self.rows, state.n_elbow, self.width, self.u, self.totals)
            gather(self.totals, self.slot, self.count, self.dc)
        place = first_entering(
            self.cv, self.co, self.c, self.dc, self.cn, self.count, state.l1, dl1, tol, tol_l1,
            INFINITE, self.ratios,
        )  # fmt: skip
        if place < 0:
            return
        self.entering = place
        v: cython.double = self.cv[place]
        rate: cython.double = self.dc[place] - dl1 * v
        noise: cython.double = tol * self.cn[place] + tol_l1 * v
        if rate > noise and self.co[place] >= 0.0:
            self.sign = 1.0
            self.step = max(state.l1 * v - self.c[place], 0.0) / rate
        rate = -self.dc[place] - dl1 * v
        if rate > noise and self.co[place] <= 0.0:
            step: cython.double = max(state.l1 * v + self.c[place], 0.0) / rate
            if step < self.step:
                self.sign = -1.0
                self.step = step

    def advance(self, step, distance):
        """Go along with a step."""
        axpy(step, self.dc, self.c, self.count)
        self.limit.count(distance)

    def product_at(self, state, a, k):
        """Return what elbow values ``a`` contribute to the correlation of watched column k."""
        if self.direct:
            return weighted_entry(
                self.values, self.place, state.n_elbow, self.slot[k], a, state.label, state.elbow
            )
        return weighted_entry(
            self.near, self.near_place, state.n_elbow, self.slot[k], a, state.label, state.elbow
        )

    def remove(self, k):
        """Forget watched column k."""
        erase_index(self.column, k, self.count)
        erase_index(self.within, k, self.count)
        erase_index(self.slot, k, self.count)
        erase(self.c, k, self.count)
        erase(self.cv, k, self.count)
        erase(self.co, k, self.count)
        erase(self.cn, k, self.count)
        self.count -= 1

    def resident_place(self, j):
        """Return the place of a column among the resident ones, −1 if it is none of them."""
        low: cython.Py_ssize_t = 0
        high: cython.Py_ssize_t = self.n_resident
        middle: cython.Py_ssize_t
        if self.whole:
            return j
        while low < high:
            middle = (low + high) // 2
            if self.numbers[middle] < j:
                low = middle + 1
            else:
                high = middle
        return low if low < self.n_resident and self.numbers[low] == j else -1

    def entered(self, j):
        """Take a column that becomes active out of play."""
        place: cython.Py_ssize_t = self.resident_place(j)
        if place >= 0 and not self.out_of_play[place]:
            self.out_of_play[place] = 1
            self.n_out_of_play += 1

    def add(self, state, j, correlation):
        """Watch a column that was active, with its present correlation."""
        k: cython.Py_ssize_t = self.count
        place: cython.Py_ssize_t = self.resident_place(j)
        if place < 0:
            # It was made active from elsewhere: resident columns are chosen before the next step.
            self.outer.limit = 0.0
            return
        self.out_of_play[place] = 0
        self.n_out_of_play -= 1
        self.reserve(self.count + 1)
        self.column[k] = j
        self.within[k] = place
        self.c[k] = correlation
        self.cv[k] = state.l1_weight[j]
        self.co[k] = state.only[j]
        self.cn[k] = state.column_norm[j]
        self.count = k + 1
        if self.direct:
            self.slot[k] = place
            return
        if self.width == self.near.shape[1]:
            larger = np.empty((self.near.shape[0], self.width + self.width // 2 + SPARE))
            larger[:, : self.width] = self.near
            self.near = larger
        self.reserve(self.width + 1)
        self.slot[k] = self.width
        self.near_index[self.width] = place
        gather_column(
            self.values, self.place, self.filled, self.n_filled, place, self.near, self.width
        )
        self.width += 1


def _and_one(values):
    """Return a copy with one more place: buffers are never empty."""
    copied = np.zeros(len(values) + 1)
    copied[: len(values)] = values
    return copied


def typical(values):
    """Return the middle one of several sizes, or 1 where that is zero or there are none."""
    middle = len(values) // 2
    return float(np.partition(values, middle)[middle] if len(values) else 0.0) or 1.0


def _root(part, margin):
    """Return √(part / margin), within limits."""
    return sqrt(min(max(part / margin, 1.0 / CLIP), CLIP)) if margin > 0.0 else sqrt(CLIP)
