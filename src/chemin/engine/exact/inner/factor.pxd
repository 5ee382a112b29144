cdef class Factor:
    cdef readonly Py_ssize_t e, m
    cdef readonly bint thin
    cdef Py_ssize_t room, room_for_rows
    cdef double[:, ::1] qt
    cdef double[:, ::1] r
    cdef double[::1] h
    cdef double[::1] work, extra

    cdef void reserve(self, Py_ssize_t rows, Py_ssize_t columns)
    cdef void forget_null_space(self)
    cpdef void restart(self, Py_ssize_t m)
    cpdef void add_row(self, double[:, ::1] block, Py_ssize_t row)
    cpdef void drop_row(self, Py_ssize_t k)
    cpdef void add_column(self, double[::1] column)
    cpdef void drop_column(self, Py_ssize_t k)
    cpdef bint slide(self, double[::1] rho, double[::1] x, double[::1] a)
    cpdef void pin(self, double[::1] f, double[::1] x, double[::1] a)
