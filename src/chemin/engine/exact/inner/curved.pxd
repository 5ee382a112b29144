from chemin.engine.exact.inner.cholesky cimport Cholesky
from chemin.engine.exact.inner.state cimport State

cdef class CurvedState(State):
    cdef public double[::1] center, curvature
    cdef readonly bint by_points, is_ill
    cdef bint spoilt, is_weak, are_apart
    cdef double largest_curvature
    cdef readonly Py_ssize_t n_rest
    cdef public Py_ssize_t[::1] rest
    cdef readonly Cholesky cholesky
    cdef Py_ssize_t room_for_columns, room_for_rows, trusted
    cdef double[::1] nearest, products, second, apart, weighted

    cdef void make_room(self)
    cdef double most_variables(self)
    cdef double left_of_row(self, Py_ssize_t i, Py_ssize_t e, Py_ssize_t m)
    cdef void let_rest(self, Py_ssize_t c)
    cdef bint take_in(self, Py_ssize_t c, Py_ssize_t m)
    cdef double norm_of(self, Py_ssize_t c)
    cdef double border_with(self, Py_ssize_t c, Py_ssize_t m)
    cdef double slack_along(self, double[::1] rho, Py_ssize_t c)
    cdef bint goes_along(self, double[::1] push, double[::1] x)
    cdef double share_of(self, double[::1] rho, double[::1] push)
    cdef void solve(self, double[::1] rho, double[::1] x, double[::1] a)
    cdef void solve_by_variables(self, double[::1] rho, double[::1] x, double[::1] a)
    cdef double solve_and_refine(self, double[::1] rho, double[::1] x, double[::1] a, double size)
    cdef void forget_rounding(self, double[::1] x, double[::1] a)
    cdef void correct(self, double[::1] rho, double[::1] x, double[::1] a)
    cdef double missed_by(self, double[::1] rho, double[::1] x, double[::1] a)
    cdef void solve_by_points(self, double[::1] rho, double[::1] x, double[::1] a)
