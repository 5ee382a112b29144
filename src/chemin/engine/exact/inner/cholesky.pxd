cdef class Cholesky:
    cdef readonly Py_ssize_t m
    cdef Py_ssize_t room
    cdef public double[:, ::1] r
    cdef public Py_ssize_t[::1] slot
    cdef double[::1] work

    cdef void reserve(self, Py_ssize_t needed)
    cpdef void restart(self, object rows, object ridge, object slot)
    cpdef void add(self, double[::1] x)
    cpdef bint subtract(self, double[::1] x)
    cpdef void border(self, double[::1] products, double[::1] y)
    cpdef void append(self, Py_ssize_t slot, double pivot)
    cpdef bint drop(self, Py_ssize_t slot)
    cdef Py_ssize_t place_of(self, Py_ssize_t slot)
    cpdef void rename(self, Py_ssize_t slot, Py_ssize_t new_slot)
    cpdef void shift_down(self, Py_ssize_t slot)
    cpdef void solve(self, double[::1] rho, double[::1] x)
