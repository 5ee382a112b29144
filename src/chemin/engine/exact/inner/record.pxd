from chemin.engine.exact.inner.state cimport State

cdef class Record:
    cdef readonly Py_ssize_t count, n_coef, n_dual, n_events
    cdef Py_ssize_t room, room_for_coef, room_for_dual, room_for_events
    cdef public double[::1] l1, intercept, coef, dual
    cdef public Py_ssize_t[::1] n_active, n_elbow, index, breakpoint
    cdef public int[::1] active, elbow
    cdef public signed char[::1] kind
    cdef public short[::1] position
    cdef public object first_position

    cpdef void event(self, Py_ssize_t family, Py_ssize_t who, Py_ssize_t position)
    cpdef void note(self, Py_ssize_t kind, Py_ssize_t who, Py_ssize_t position)
    cpdef void close_breakpoint(self, State state)
