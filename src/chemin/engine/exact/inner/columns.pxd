from chemin.engine.exact.inner.limit cimport Limit
from chemin.engine.exact.inner.state cimport State

cdef class WatchedColumns:
    cdef readonly Py_ssize_t n, p, n_resident, count, evaluated, size
    cdef readonly bint whole
    cdef bint screening, direct
    cdef public object resident
    cdef public Py_ssize_t[::1] numbers
    cdef public const double[:, ::1] values
    cdef public Py_ssize_t[::1] place
    cdef public double[::1] correlation
    cdef public double[::1] v, only, norm, low, high, pace, sums, square, distance, work, rate
    cdef public signed char[::1] out_of_play
    cdef Py_ssize_t n_out_of_play
    cdef public double[::1] seen
    cdef public double[::1] dual, home, change, u
    cdef double home_l1
    cdef public Py_ssize_t[::1] moved, margin, found
    cdef Py_ssize_t n_margin
    cdef public signed char[::1] inside
    cdef double elsewhere, unit_l1, typical, typical_weight
    cdef readonly Limit limit
    cdef readonly Limit outer
    cdef public Py_ssize_t[::1] ruler_place
    cdef public double[:, ::1] ruler_twist
    cdef double ruler_elsewhere, ruler_l1
    cdef public double[::1] ruler_work
    cdef public Py_ssize_t[::1] column, within, slot
    cdef public double[::1] c
    cdef public double[::1] dc, cv, co, cn, ratios, totals
    cdef Py_ssize_t room_for
    cdef public double[:, ::1] near
    cdef public Py_ssize_t[::1] near_place, near_index, rows, filled
    cdef Py_ssize_t n_filled, width
    cdef public double step
    cdef public Py_ssize_t entering
    cdef public double sign

    cpdef void use(self, State state, object resident)
    cpdef void measure_outer(self, double limit, bint once, object ruler)
    cpdef void exclude(self, State state, object excluded)
    cpdef Py_ssize_t update(self, State state)
    cpdef void reread(self, State state, double[::1] correlation)
    cdef double speed(self, State state, double[::1] da, double dl1)
    cdef double outer_speed(self, State state, double[::1] da, double dl1)
    cdef double way(self, State state)
    cdef bint has_room(self, State state, double distance)
    cdef bint must_aim(self)
    cdef bint everything(self)
    cdef void choose_units(self, State state)
    cpdef void choose(self, State state, double[::1] da, double dl1)
    cdef void resize(self, State state, Py_ssize_t moved, bint aim)
    cdef void watch(self, State state, Py_ssize_t count, bint direct)
    cdef void reserve(self, Py_ssize_t needed)
    cdef void fetch(self, Py_ssize_t i)
    cdef void fetch_missing(self, Py_ssize_t[::1] rows, Py_ssize_t count)
    cdef void fill(self, Py_ssize_t i)
    cdef void put_column(self, State state, Py_ssize_t j, Py_ssize_t k)
    cdef void first(self, State state, double[::1] da, double dl1, double tol, double tol_l1)
    cdef void advance(self, double step, double distance)
    cdef double product_at(self, State state, double[::1] a, Py_ssize_t k)
    cdef void remove(self, Py_ssize_t k)
    cdef Py_ssize_t resident_place(self, Py_ssize_t j)
    cpdef void entered(self, Py_ssize_t j)
    cdef void add(self, State state, Py_ssize_t j, double correlation)
