from chemin.engine.exact.inner.factor cimport Factor

cdef class State:
    cdef readonly Py_ssize_t n, p, kinks, n_elbow, n_active
    cdef public double l1, l2, kappa, base
    cdef readonly double fixed_square, left, start_l1, start_l2, end_l1, end_l2
    cdef Py_ssize_t n_fixed, room, room_for_points
    cdef readonly bint is_curved, is_bent, on_ray
    cdef readonly Factor factor
    cdef public double[::1] label, l1_weight, only, row_norm, column_norm
    cdef public double[:, ::1] target, level, slope, height
    cdef public short[::1] position
    cdef public Py_ssize_t[::1] elbow, active, piece
    cdef public double[::1] bends, heights, scales, pushes
    cdef public double[::1] alpha, low, high, sign, beta, push
    cdef public signed char[::1] is_active
    cdef public double[:, ::1] block
    cdef public double[::1] scratch

    cdef void reserve(self, Py_ssize_t needed)
    cdef void reserve_points(self, Py_ssize_t needed)
    cdef object grow(self, object names, Py_ssize_t room, Py_ssize_t larger_room)
    cpdef object take_sets(self, object point, object columns)
    cdef object take_penalty(self, object penalty)
    cpdef object follow_ray(self, object start, object end)
    cpdef double place(self)
    cpdef void stand(self, double place)
    cdef void add_point(self, Py_ssize_t i)
    cdef void drop_point(self, Py_ssize_t k)
    cdef void add_variable(self, Py_ssize_t k)
    cdef void drop_variable(self, Py_ssize_t k)
    cdef void mend(self)
    cdef void fix(self, Py_ssize_t i, Py_ssize_t piece)
    cdef void free(self, Py_ssize_t i)
    cpdef void join(self, Py_ssize_t i, Py_ssize_t kink, double alpha)
    cpdef Py_ssize_t leave(self, Py_ssize_t k, bint to_left)
    cpdef Py_ssize_t next_column(self)
    cpdef void activate(self, Py_ssize_t j, double sign)
    cdef void take_active(self, Py_ssize_t j, double sign, Py_ssize_t piece, double value)
    cdef void scale_column(self, Py_ssize_t k, double factor)
    cpdef Py_ssize_t turn(self, Py_ssize_t k, Py_ssize_t piece)
    cpdef Py_ssize_t deactivate(self, Py_ssize_t k)
    cpdef void refactor(self)
    cpdef double dual_square(self)
    cpdef void penalise(self, double[::1] l1_weight)
