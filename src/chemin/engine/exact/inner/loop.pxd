cimport cython

from chemin.engine.exact.inner.columns cimport WatchedColumns
from chemin.engine.exact.inner.curved cimport CurvedState
from chemin.engine.exact.inner.record cimport Record
from chemin.engine.exact.inner.rows cimport WatchedRows
from chemin.engine.exact.inner.state cimport State

cdef class Loop:
    cdef readonly State state
    cdef readonly CurvedState curved
    cdef readonly WatchedRows rows
    cdef readonly WatchedColumns columns
    cdef public Record record
    cdef public bint recording, correcting
    cdef public double rate, tied_dual, tied_margin, first_l1, first_dual, checked_l1, checked_l2, min_l1
    cdef public Py_ssize_t n_events, since_check
    cdef public double[::1] margin_shift, threshold_shift
    cdef public double balance_shift
    cdef readonly double dl1, dl2, dplace, ahead, primal
    cdef double bend
    cdef readonly bint moves, shrinks
    cdef bint current, rows_current, columns_current
    cdef Py_ssize_t room
    cdef public double[::1] dx, da
    cdef public double[::1] work, missed, rho, drive, slid, slid_dual, pinned, pinned_dual
    cdef double beta_speed, alpha_speed, column_speed, outer_speed
    cdef double step
    cdef Py_ssize_t family, place
    cdef Py_ssize_t n_tied
    cdef public Py_ssize_t[::1] tied_family, tied_place, found
    cdef public double[::1] shadow_beta, shadow_alpha
    cdef double shadow_l1

    cdef void reserve(self)
    cpdef void stale(self)
    cpdef double l1_rounding(self)
    cpdef void direction(self)
    cdef void curved_direction(self)
    cdef void ray_direction(self)
    @cython.final
    cdef double bent(self, double step)
    @cython.final
    cdef double straight(self, double way)
    @cython.final
    cdef bint has_lost_a_decade(self)
    cdef void gradient(self)
    cdef void follow(self)
    cdef void refresh_curved(self)
    cdef void forget_rounding(self)
    cdef void cast_curved_shadow(self)
    cpdef Py_ssize_t leave_beyond_bounds(self)
    cpdef bint must_correct(self)
    cdef void correction(self)
    cdef void evaluate(self)
    cdef void first_event(self)
    cdef void first_bend(self)
    cdef bint has_bend(self, Py_ssize_t family, Py_ssize_t k)
    cdef double bend_slack(self, Py_ssize_t family, Py_ssize_t k)
    cdef double past_bend(self, Py_ssize_t family, Py_ssize_t k, double along, double threshold)
    cdef Py_ssize_t reached_bends(self, bint approached, double small)
    cdef double bent_square(self, double size, double threshold)
    cdef double distance_to_end(self)
    cdef bint shrinks_with_l1(self)
    cdef bint shrinks_to_nothing(self)
    cdef double refresh_before(self, double step)
    cdef void advance(self, double step)
    cpdef int run(self, Py_ssize_t max_events)
    cdef int take_step(self)
    cdef bint has_room(self, double step)
    cdef int change_sets(self)
    cdef void note_tied(self, Py_ssize_t family, Py_ssize_t count, Py_ssize_t n)
    cdef Py_ssize_t reached(self, bint approached)
    cdef bint is_tied(self, Py_ssize_t family, Py_ssize_t place)
    cdef double slack_rate(self, Py_ssize_t family, Py_ssize_t place)
    cdef double rate_noise(self, Py_ssize_t family, Py_ssize_t place)
    cdef double shadow_slack(self, Py_ssize_t family, Py_ssize_t place)
    cdef void cast_shadow(self)
    cdef void move_shadow(self, double step)
    cdef double cast_shadow_after(self, Py_ssize_t family)
    cdef int settle(self, Py_ssize_t count)
    cdef void pivot(self, Py_ssize_t family, Py_ssize_t place)
    cpdef void put_active(self, Py_ssize_t j, double sign)
    cpdef void put_elbow(self, Py_ssize_t i, Py_ssize_t kink, double alpha)
    cpdef double refresh(self, double largest_slide)
    cpdef void choose_columns(self)
    cpdef double loss(self)
    cpdef double gap(self, Py_ssize_t[::1] beyond, double[::1] correlation, double largest_slope)
    cpdef double dual_value(self)
