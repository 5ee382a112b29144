from chemin.engine.exact.inner.limit cimport Limit
from chemin.engine.exact.inner.state cimport State

cdef class WatchedRows:
    cdef readonly Py_ssize_t count, n_near, evaluated
    cdef public Py_ssize_t[::1] row, kink, near
    cdef public double[::1] side, slack, size, scale, fall, score
    cdef double[::1] work, home, near_home
    cdef Py_ssize_t[::1] support, near_support
    cdef Py_ssize_t n_support, n_near_support
    cdef Limit near_limit, watched_limit
    cdef double near_reach, reach
    cdef bint screening
    cdef public double step
    cdef public Py_ssize_t place

    cdef void stay(self, State state, bint near)
    cdef double way(self, State state, bint near)
    cpdef void read(self, State state)
    cpdef void choose_near(self, State state)
    cpdef void choose_watched(self, State state, bint read)
    cdef double room(self)
    cdef bint everything(self)
    cdef bint has_room(self, State state, double distance)
    cdef void renew(self, State state)
    cdef void first(self, State state, double[::1] dx, double tol, bint moves)
    cdef void advance(self, double step, double distance, bint moves)
    cdef void add(self, State state, Py_ssize_t i, Py_ssize_t kink, double side, double slack)
    cdef void remove(self, Py_ssize_t k)
    cpdef void remove_row(self, Py_ssize_t i)
    cpdef void add_row(self, State state, Py_ssize_t i, Py_ssize_t came_from)
