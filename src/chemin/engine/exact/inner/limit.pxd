cdef class Limit:
    cdef public double limit, bound, using, choosing
    cdef public Py_ssize_t steps, uses
    cdef public bint exhausted, once

    cpdef double room(self)
    cpdef void count(self, double distance)
    cpdef void begin(self, double limit, bint once)
    cpdef double factor(self, double size, double cost)
