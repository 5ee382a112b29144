# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The inner loop, compiled: the same factorisation and the same passes over the slacks as `factor.py` and `slacks.py`.

Arrays are read by pointer: `State` keeps them C-contiguous, float64, intp or int8 as declared here.

BLAS is SciPy's own, reached through `scipy.linalg.cython_blas`, so that nothing is linked. Qt keeps the columns of Q as
contiguous rows and R its rows, so that every plane rotation runs along memory.
"""

import numpy as np

cimport numpy as cnp
from libc.math cimport fabs, hypot, sqrt
from libc.string cimport memcpy, memset
from scipy.linalg.cython_blas cimport daxpy, ddot, dgemv, dnrm2, drot, dtrsv

cnp.import_array()

CONTRACT = 7  # see `backend.py`

cdef double NOTHING = 1e-12
cdef int ONE = 1
cdef double PLUS = 1.0, MINUS = -1.0, ZERO = 0.0
cdef double INFINITE = float("inf"), AT_THE_END = 1.0 - 1e-11
cdef enum: RIGHT, LEFT, ELBOW, LEAVE, ENTER_PLUS, ENTER_MINUS  # the order of `chemin.engine.exact.slacks.FAMILIES`


cdef inline double* doubles(object array):
    return <double*> cnp.PyArray_DATA(<cnp.ndarray> array)


cdef inline Py_ssize_t* places(object array):
    return <Py_ssize_t*> cnp.PyArray_DATA(<cnp.ndarray> array)


cdef double largest(double* x, Py_ssize_t n):
    cdef Py_ssize_t i
    cdef double best = 0.0
    for i in range(n):
        if fabs(x[i]) > best:
            best = fabs(x[i])
    return best


cdef class Factor:
    """QR factorisation of Mᵀ, updated one elbow point (row of M) or one variable (column of M) at a time."""

    cdef int e, m, most_e, most_m  # sizes of M and what there is room for
    cdef object qt_array, r_array, work_array
    cdef double *qt
    cdef double *r
    cdef double *work

    def __init__(self, rows):
        self.e = self.m = self.most_e = self.most_m = 0
        self.refactor(rows)

    def refactor(self, rows):
        """Factor afresh the matrix M given by its rows."""
        q, r = np.linalg.qr(np.ascontiguousarray(rows).T)
        self.e = self.m = 0
        self._make_room(rows.shape[0], rows.shape[1])
        self.qt_array[: rows.shape[0], : rows.shape[1]] = q.T
        self.r_array[: rows.shape[0], : rows.shape[0]] = r
        self.e, self.m = rows.shape

    cdef _make_room(self, int e, int m):
        if e <= self.most_e and m <= self.most_m:
            return
        cdef int most_e = max(16, self.most_e), most_m = max(16, self.most_m)
        while most_e < e:
            most_e *= 2
        while most_m < m:
            most_m *= 2
        qt, r = np.zeros((most_e, most_m)), np.zeros((most_e, most_e))
        if self.e:
            qt[: self.e, : self.m] = self.qt_array[: self.e, : self.m]
            r[: self.e, : self.e] = self.r_array[: self.e, : self.e]
        self.qt_array, self.r_array, self.work_array = qt, r, np.zeros(2 * (most_e + most_m))
        self.most_e, self.most_m = most_e, most_m
        self.qt, self.r, self.work = doubles(qt), doubles(r), doubles(self.work_array)

    cdef void project(self, double* x, double* h):
        """h = Qᵀx, then x −= Qh."""
        dgemv("T", &self.m, &self.e, &PLUS, self.qt, &self.most_m, x, &ONE, &ZERO, h, &ONE)
        dgemv("N", &self.m, &self.e, &MINUS, self.qt, &self.most_m, h, &ONE, &PLUS, x, &ONE)

    cdef void rotate(self, Py_ssize_t i, double* other_r, double* other_q, double a, double b):
        """Rotate row i of R (from column i) and column i of Q against another pair so that b is carried into a."""
        cdef double size = hypot(a, b), c, s
        cdef int count = self.e - <int> i
        if size == 0.0:
            return
        c, s = a / size, b / size
        drot(&count, self.r + i * self.most_e + i, &ONE, other_r + i, &ONE, &c, &s)
        drot(&self.m, self.qt + i * self.most_m, &ONE, other_q, &ONE, &c, &s)

    def add_row(self, row):
        """Append an elbow point as the last row of M."""
        self._make_room(self.e + 1, self.m)
        cdef double *q = self.qt + self.e * self.most_m
        cdef double *source = doubles(row)
        cdef Py_ssize_t i
        cdef double size
        for i in range(self.m):
            q[i] = source[i]
        self.project(q, self.work)
        self.project(q, self.work + self.most_e)
        size = dnrm2(&self.m, q, &ONE)
        for i in range(self.e):
            self.r[i * self.most_e + self.e] = self.work[i] + self.work[self.most_e + i]
            self.r[self.e * self.most_e + i] = 0.0
        self.r[self.e * self.most_e + self.e] = size
        for i in range(self.m):
            q[i] /= size
        self.e += 1

    def drop_row(self, Py_ssize_t k):
        """Remove the k-th elbow point; the order of the others is kept."""
        cdef Py_ssize_t i, j
        cdef double *row
        cdef double *below
        for i in range(self.e):
            row = self.r + i * self.most_e
            for j in range(k, self.e - 1):
                row[j] = row[j + 1]
        self.e -= 1
        for i in range(k, self.e):
            row, below = self.r + i * self.most_e, self.r + (i + 1) * self.most_e
            self.rotate(i, below, self.qt + (i + 1) * self.most_m, row[i], below[i])
            below[i] = 0.0

    def add_column(self, column):
        """Append a variable as the last column of M."""
        self._make_room(self.e, self.m + 1)
        cdef double *extra = self.work
        cdef double *w = self.work + self.most_m
        cdef double *source = doubles(column)
        cdef Py_ssize_t i
        memset(extra, 0, self.most_m * sizeof(double))
        extra[self.m] = 1.0
        for i in range(self.e):
            w[i] = source[i]
            self.qt[i * self.most_m + self.m] = 0.0
        self.m += 1
        for i in range(self.e):
            self.rotate(i, w, extra, self.r[i * self.most_e + i], w[i])

    def drop_column(self, Py_ssize_t k):
        """Remove the k-th column of M; the last one takes its place."""
        cdef double *extra = self.work
        cdef double *w = self.work + self.most_m
        cdef double *h = w + self.most_e
        cdef double size, last
        cdef Py_ssize_t i
        cdef double *row
        for i in range(self.e):
            row = self.qt + i * self.most_m
            row[k], row[self.m - 1] = row[self.m - 1], row[k]
        memset(extra, 0, self.m * sizeof(double))
        memset(w, 0, self.e * sizeof(double))
        extra[self.m - 1] = 1.0
        self.project(extra, h)
        self.project(extra, h)
        size = dnrm2(&self.m, extra, &ONE)
        for i in range(self.m):
            extra[i] /= size
        for i in range(self.e - 1, -1, -1):
            # The last row of Q is carried into the extra column, which then goes with it.
            last = self.qt[i * self.most_m + self.m - 1]
            self.rotate(i, w, extra, extra[self.m - 1], -last)
        self.m -= 1

    def slide(self, rho):
        """Solve with f = 0: how (x, a) moves when ρ pushes the gradient and the elbow stays on the margin."""
        cdef cnp.ndarray x_array = np.array(rho, dtype=np.float64), a_array = np.empty(self.e)
        cdef double *x = doubles(x_array)
        cdef double *a = doubles(a_array)
        cdef double size, x0, first = 0.0, square = 0.0, scale = largest(x, self.m)
        cdef Py_ssize_t i
        dgemv("T", &self.m, &self.e, &PLUS, self.qt, &self.most_m, x, &ONE, &ZERO, a, &ONE)
        size = largest(a, self.e)
        for i in range(self.e):
            first += self.qt[i * self.most_m] * a[i]
            square += self.qt[i * self.most_m] * self.qt[i * self.most_m]
        x0 = (x[0] - first) / square
        for i in range(self.e):
            a[i] += x0 * self.qt[i * self.most_m]
        if largest(a, self.e) <= NOTHING * size:
            memset(a, 0, self.e * sizeof(double))
        if self.e == self.m:
            memset(x, 0, self.m * sizeof(double))
        else:
            dgemv("N", &self.m, &self.e, &MINUS, self.qt, &self.most_m, a, &ONE, &PLUS, x, &ONE)
            x[0] += x0
            self.project(x, self.work)
            if largest(x, self.m) <= NOTHING * scale:
                memset(x, 0, self.m * sizeof(double))
        dtrsv("L", "T", "N", &self.e, self.r, &self.most_e, a, &ONE)
        for i in range(self.e):
            a[i] = -a[i]
        return x_array, a_array

    def pin(self, f):
        """Solve with ρ = 0: how (x, a) moves when the margins of the elbow points are pushed by f."""
        cdef cnp.ndarray x_array = np.zeros(self.m), a_array = np.array(f, dtype=np.float64)
        cdef double *x = doubles(x_array)
        cdef double *a = doubles(a_array)
        cdef double x0, first = 0.0, square = 0.0
        cdef Py_ssize_t i
        dtrsv("L", "N", "N", &self.e, self.r, &self.most_e, a, &ONE)
        if self.e == self.m:
            dgemv("N", &self.m, &self.e, &PLUS, self.qt, &self.most_m, a, &ONE, &ZERO, x, &ONE)
        for i in range(self.e):
            first += self.qt[i * self.most_m] * a[i]
            square += self.qt[i * self.most_m] * self.qt[i * self.most_m]
        x0 = first / square
        for i in range(self.e):
            a[i] -= x0 * self.qt[i * self.most_m]
        if self.e < self.m:
            dgemv("N", &self.m, &self.e, &PLUS, self.qt, &self.most_m, a, &ONE, &ZERO, x, &ONE)
            x[0] += x0
        dtrsv("L", "T", "N", &self.e, self.r, &self.most_e, a, &ONE)
        return x_array, a_array


cdef struct First:
    double step
    Py_ssize_t family, place


cdef inline void keep_first(First* first, double slack, double rate, double noise, int family, Py_ssize_t place):
    cdef double t
    if rate < -noise:
        t = slack / -rate if slack > 0.0 else 0.0
        if t < first.step:
            first.step, first.family, first.place = t, family, place


cdef double speed(object ruler, double* label, Py_ssize_t* elbow, double* alpha, Py_ssize_t n_elbow, double dl1):
    """Return `chemin.engine.screening.ruler.Ruler.length` of a unit step."""
    cdef cnp.ndarray twist_array = ruler.twist
    cdef int r = cnp.PyArray_DIM(twist_array, 1)
    cdef double *twist = doubles(twist_array)
    cdef double *twisted = NULL
    cdef Py_ssize_t *place = places(ruler.place)
    cdef double square = 0.0, elsewhere = 0.0, l1_unit = ruler.l1, outside = ruler.elsewhere, u
    cdef Py_ssize_t i, h
    if r:
        sums = np.zeros(r)
        twisted = doubles(sums)
    for i in range(n_elbow):
        h, u = place[elbow[i]], alpha[i] * label[elbow[i]]
        if h < 0:
            elsewhere += fabs(u)
        else:
            square += u * u
            if r:
                daxpy(&r, &u, twist + h * r, &ONE, twisted, &ONE)
    if r:
        square += ddot(&r, twisted, &ONE, twisted, &ONE)
    return sqrt(square + (elsewhere / outside) ** 2 + (dl1 / l1_unit) ** 2)


def stride(state, noise, double row_room, double column_room, double min_l1):
    """Move to the first slack reached; same contract as `chemin.engine.exact.slacks.stride`."""
    cdef Factor factor = state.factor
    cdef object problem = state.problem
    x_array, a_array = factor.slide(state.push)
    cdef int m = factor.m, n_elbow = factor.e, pooled = state.pool.width
    cdef Py_ssize_t n_rows = len(state.rows), n_columns = len(state.columns), i, k
    cdef Py_ssize_t block_width = state.block.shape[1], pool_width = state.pool.values.shape[1]
    cdef cnp.ndarray changes = np.zeros(n_rows + n_columns + pooled)
    cdef double *margin = doubles(changes)
    cdef double *correlation = margin + n_rows
    cdef double *sums = correlation + n_columns
    cdef double *beta = doubles(x_array)
    cdef double *alpha = doubles(a_array)
    cdef double *block = doubles(state.block)
    cdef double *pool = doubles(state.pool.values)
    cdef double *label = doubles(problem.label)
    cdef double *weight = doubles(problem.weight)
    cdef double *l1_weight = doubles(problem.l1_weight)
    cdef double *row_norm = doubles(noise.row_norm)
    cdef double *column_norm = doubles(noise.column_norm)
    cdef double *point = doubles(state.alpha)
    cdef double *coefficient = doubles(state.beta)
    cdef double *sign = doubles(state.sign)
    cdef double *residual = doubles(state.residual)
    cdef double *level = doubles(state.correlation)
    cdef Py_ssize_t *rows = places(state.rows)
    cdef Py_ssize_t *columns = places(state.columns)
    cdef Py_ssize_t *slot = places(state.slot)
    cdef Py_ssize_t *place = places(state.pool.place)
    cdef Py_ssize_t *elbow = places(state.elbow)
    cdef signed char *side = <signed char*> cnp.PyArray_DATA(<cnp.ndarray> state.side)
    cdef double l1 = state.l1, l2 = state.l2, dl1 = -1.0, relative = noise.rate, unit, u, threshold, quiet, end, step
    cdef double beta_norm = dnrm2(&m, beta, &ONE), alpha_norm, beta_quiet, alpha_quiet, row_distance, column_distance
    cdef First first = First(INFINITE, 0, 0)
    if beta_norm > 0.0:
        # As in `direction`: the unit of a step is one of l1, or one of B = l2 β when l2 < 1.
        if l2 >= 1.0:
            unit = 1.0 / l2
            beta_norm *= unit
            for i in range(m):
                beta[i] *= unit
        else:
            dl1 = -l2
            for i in range(n_elbow):
                alpha[i] *= l2
    alpha_norm = dnrm2(&n_elbow, alpha, &ONE)
    beta_quiet, alpha_quiet = relative * beta_norm, relative * alpha_norm
    for i in range(n_elbow):
        keep_first(&first, point[i], alpha[i], alpha_quiet, RIGHT, i)
        keep_first(&first, weight[elbow[i]] - point[i], -alpha[i], alpha_quiet, LEFT, i)
    if beta_norm > 0.0:
        for k in range(n_rows):
            i = rows[k]
            margin[k] = ddot(&m, block + i * block_width, &ONE, beta, &ONE)
            keep_first(&first, side[i] * residual[k], -side[i] * margin[k], beta_quiet * row_norm[i], ELBOW, k)
        for k in range(m - 1):
            if sign[k] != 0.0:
                keep_first(&first, sign[k] * coefficient[k + 1], sign[k] * beta[k + 1], beta_quiet, LEAVE, k)
    if alpha_norm > 0.0:
        for i in range(n_elbow):
            u = alpha[i] * label[elbow[i]]
            daxpy(&pooled, &u, pool + place[elbow[i]] * pool_width, &ONE, sums, &ONE)
    if alpha_norm > 0.0 or dl1 != 0.0:
        for k in range(n_columns):
            i = columns[k]
            correlation[k] = sums[slot[k]]
            threshold, quiet = l1 * l1_weight[i], alpha_quiet * column_norm[i] + relative * fabs(dl1) * l1_weight[i]
            keep_first(&first, threshold - level[k], dl1 * l1_weight[i] - correlation[k], quiet, ENTER_PLUS, k)
            keep_first(&first, threshold + level[k], dl1 * l1_weight[i] + correlation[k], quiet, ENTER_MINUS, k)
    end = (l1 - min_l1) / -dl1 if dl1 != 0.0 else INFINITE
    step = first.step if first.step < end else end
    row_distance = step * beta_norm if beta_norm > 0.0 else 0.0
    column_distance = step * speed(state.ruler, label, elbow, alpha, n_elbow, dl1) if alpha_norm > 0.0 or dl1 != 0.0 else 0.0
    if row_distance >= row_room or column_distance >= column_room or step == INFINITE:
        return step, row_distance, column_distance, first.family, first.place, False, False
    for i in range(m):
        coefficient[i] += step * beta[i]
    for i in range(n_elbow):
        point[i] += step * alpha[i]
    for k in range(n_rows):
        residual[k] -= step * margin[k]
    for k in range(n_columns):
        level[k] += step * correlation[k]
    state.l1 = l1 + step * dl1
    return step, row_distance, column_distance, first.family, first.place, True, first.step >= end * AT_THE_END


cdef inline void keep_earliest(First* first, double part, double rate, double noise, double floor, int family, Py_ssize_t place):
    cdef double t
    if rate < -noise:
        t = part / -rate
        if t < floor:
            t = floor
        if t < first.step:
            first.step, first.family, first.place = t, family, place


def earliest(state, move, shadow, perturbation, noise, tied_array, double floor):
    """Return (family, place, step) of the tied slack whose shadow is reached first; same contract as in `ties.py`."""
    cdef object problem = state.problem
    cdef int m = len(move.beta), n_elbow = len(move.alpha)
    cdef Py_ssize_t n_rows = len(state.rows), n_columns = len(state.columns), i, k, s
    cdef Py_ssize_t block_width = state.block.shape[1], pool_width = state.pool.values.shape[1]
    cdef char *tied = <char*> cnp.PyArray_DATA(<cnp.ndarray> tied_array)
    cdef double *beta = doubles(move.beta)
    cdef double *alpha = doubles(move.alpha)
    cdef double *shadow_beta = doubles(shadow.beta)
    cdef double *shadow_alpha = doubles(shadow.alpha)
    cdef double *block = doubles(state.block)
    cdef double *pool = doubles(state.pool.values)
    cdef double *label = doubles(problem.label)
    cdef double *l1_weight = doubles(problem.l1_weight)
    cdef double *row_norm = doubles(noise.row_norm)
    cdef double *column_norm = doubles(noise.column_norm)
    cdef double *margin_push = doubles(perturbation.margin)
    cdef double *threshold_push = doubles(perturbation.threshold)
    cdef double *sign = doubles(state.sign)
    cdef Py_ssize_t *rows = places(state.rows)
    cdef Py_ssize_t *columns = places(state.columns)
    cdef Py_ssize_t *slot = places(state.slot)
    cdef Py_ssize_t *place = places(state.pool.place)
    cdef Py_ssize_t *elbow = places(state.elbow)
    cdef signed char *side = <signed char*> cnp.PyArray_DATA(<cnp.ndarray> state.side)
    cdef double dl1 = move.l1, shadow_l1 = shadow.l1, relative = noise.rate, rate, part, dc, shadow_dc, quiet, v
    cdef double beta_quiet = relative * dnrm2(&m, beta, &ONE), alpha_quiet = relative * dnrm2(&n_elbow, alpha, &ONE)
    cdef First first = First(INFINITE, -1, -1)
    for i in range(n_elbow):
        if tied[i]:
            keep_earliest(&first, shadow_alpha[i], alpha[i], alpha_quiet, floor, RIGHT, i)
    tied += n_elbow
    for i in range(n_elbow):
        if tied[i]:
            keep_earliest(&first, -shadow_alpha[i], -alpha[i], alpha_quiet, floor, LEFT, i)
    tied += n_elbow
    for k in range(n_rows):
        i = rows[k]
        if not tied[k]:
            continue
        rate = -side[i] * ddot(&m, block + i * block_width, &ONE, beta, &ONE)
        if rate < -beta_quiet * row_norm[i]:
            part = side[i] * (margin_push[i] - ddot(&m, block + i * block_width, &ONE, shadow_beta, &ONE))
            keep_earliest(&first, part, rate, beta_quiet * row_norm[i], floor, ELBOW, k)
    tied += n_rows
    for k in range(m - 1):
        if tied[k]:
            keep_earliest(&first, sign[k] * shadow_beta[k + 1], sign[k] * beta[k + 1], beta_quiet, floor, LEAVE, k)
    tied += m - 1
    for s in range(2):
        for k in range(n_columns):
            if not tied[k]:
                continue
            dc = shadow_dc = 0.0
            for i in range(n_elbow):
                v = label[elbow[i]] * pool[place[elbow[i]] * pool_width + slot[k]]
                dc += alpha[i] * v
                shadow_dc += shadow_alpha[i] * v
            i = columns[k]
            v = l1_weight[i]
            quiet = alpha_quiet * column_norm[i] + relative * fabs(dl1) * v
            if s == 0:
                part, rate = shadow_l1 * v - shadow_dc + threshold_push[i], dl1 * v - dc
            else:
                part, rate = shadow_l1 * v + shadow_dc + threshold_push[i], dl1 * v + dc
            keep_earliest(&first, part, rate, quiet, floor, ENTER_PLUS + s, k)
        tied += n_columns
    return first.family, first.place, first.step


def weighted_sum(cnp.ndarray values, rows, u, int width):
    """Return the sum of some rows of ``values``, each times its u; same contract as in `pool.py`."""
    cdef cnp.ndarray total = np.zeros(width)
    cdef double *sums = doubles(total)
    cdef double *entries = doubles(values)
    cdef double *factor = doubles(u)
    cdef Py_ssize_t *row = places(rows)
    cdef Py_ssize_t length = values.shape[1], i
    for i in range(len(rows)):
        daxpy(&width, factor + i, entries + row[i] * length, &ONE, sums, &ONE)
    return total


def gathered(cnp.ndarray values, rows, columns):
    """Return the entries of some rows and columns; same contract as in `pool.py`."""
    cdef Py_ssize_t n_rows = len(rows), n_columns = len(columns), length = values.shape[1], i, k
    cdef cnp.ndarray entries = np.empty((n_rows, n_columns))
    cdef double *target = doubles(entries)
    cdef double *source
    cdef Py_ssize_t *row = places(rows)
    cdef Py_ssize_t *column = places(columns)
    for i in range(n_rows):
        source = doubles(values) + row[i] * length
        for k in range(n_columns):
            target[k] = source[column[k]]
        target += n_columns
    return entries


def with_last(cnp.ndarray values, value):
    """Return ``values`` with one more at the end."""
    cdef cnp.npy_intp n = values.shape[0], longer = n + 1
    cdef cnp.ndarray result = cnp.PyArray_SimpleNew(1, &longer, cnp.PyArray_TYPE(values))
    memcpy(cnp.PyArray_DATA(result), cnp.PyArray_DATA(values), n * 8)
    if cnp.PyArray_TYPE(values) == cnp.NPY_DOUBLE:
        (<double*> cnp.PyArray_DATA(result))[n] = value
    else:
        (<Py_ssize_t*> cnp.PyArray_DATA(result))[n] = value
    return result


def without(cnp.ndarray values, Py_ssize_t k):
    """Return ``values`` without the k-th, in order."""
    cdef cnp.npy_intp shorter = values.shape[0] - 1
    cdef cnp.ndarray result = cnp.PyArray_SimpleNew(1, &shorter, cnp.PyArray_TYPE(values))
    cdef char *source = <char*> cnp.PyArray_DATA(values)
    cdef char *target = <char*> cnp.PyArray_DATA(result)
    memcpy(target, source, k * 8)
    memcpy(target + k * 8, source + (k + 1) * 8, (shorter - k) * 8)
    return result


def reached(state, noise):
    """Return which slacks are zero but for rounding."""
    cdef object problem = state.problem
    cdef int m = len(state.beta), n_elbow = len(state.elbow)
    cdef Py_ssize_t n_rows = len(state.rows), n_columns = len(state.columns), i, k
    cdef cnp.ndarray mask_array = np.zeros(2 * n_elbow + n_rows + m - 1 + 2 * n_columns, dtype=bool)
    cdef char *mask = <char*> cnp.PyArray_DATA(mask_array)
    cdef double *weight = doubles(problem.weight)
    cdef double *l1_weight = doubles(problem.l1_weight)
    cdef double *row_norm = doubles(noise.row_norm)
    cdef double *column_norm = doubles(noise.column_norm)
    cdef double *point = doubles(state.alpha)
    cdef double *beta = doubles(state.beta)
    cdef double *sign = doubles(state.sign)
    cdef double *residual = doubles(state.residual)
    cdef double *target = doubles(state.target)
    cdef double *level = doubles(state.correlation)
    cdef Py_ssize_t *rows = places(state.rows)
    cdef Py_ssize_t *columns = places(state.columns)
    cdef Py_ssize_t *elbow = places(state.elbow)
    cdef signed char *side = <signed char*> cnp.PyArray_DATA(<cnp.ndarray> state.side)
    cdef double l1 = state.l1, left_square = state.left_square, margin = noise.margin
    cdef double dual = noise.dual * sqrt(left_square + ddot(&n_elbow, point, &ONE, point, &ONE))
    cdef double size = margin * dnrm2(&m, beta, &ONE), small = margin * largest(beta + 1, m - 1), slack
    for k in range(n_elbow):
        mask[k] = point[k] <= dual
        mask[n_elbow + k] = weight[elbow[k]] - point[k] <= dual
    mask += 2 * n_elbow
    for k in range(n_rows):
        mask[k] = side[rows[k]] * residual[k] <= margin * target[rows[k]] + size * row_norm[rows[k]]
    mask += n_rows
    for k in range(m - 1):
        mask[k] = sign[k] != 0.0 and sign[k] * beta[k + 1] <= small
    mask += m - 1
    for k in range(n_columns):
        i = columns[k]
        slack = dual * column_norm[i] - l1 * l1_weight[i]
        mask[k] = -level[k] <= slack
        mask[n_columns + k] = level[k] <= slack
    return mask_array
