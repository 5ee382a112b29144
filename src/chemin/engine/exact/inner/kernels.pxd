# The kernels of `kernels.h` behind the names and arguments of `kernels.py`.
cdef extern from "kernels.h" nogil:
    double k_dot(Py_ssize_t, const double*, const double*)
    double k_largest(Py_ssize_t, const double*)
    void k_axpy(Py_ssize_t, double, const double*, double*)
    void k_products(Py_ssize_t, Py_ssize_t, const double*, Py_ssize_t, const double*, double*)
    void k_gathered_products(const Py_ssize_t*, Py_ssize_t, Py_ssize_t, const double*, Py_ssize_t, const double*, double*)
    void k_add_rows(Py_ssize_t, Py_ssize_t, const double*, Py_ssize_t, const double*, double*)
    void k_gathered_sum(const Py_ssize_t*, Py_ssize_t, Py_ssize_t, const double*, Py_ssize_t, const double*, double*)
    void k_add_row(double*, double*, Py_ssize_t, Py_ssize_t, Py_ssize_t, const double*, double*)
    void k_drop_row(double*, double*, Py_ssize_t, Py_ssize_t, Py_ssize_t, Py_ssize_t)
    void k_add_column(double*, double*, Py_ssize_t, Py_ssize_t, Py_ssize_t, const double*, double*)
    void k_drop_column(double*, double*, Py_ssize_t, Py_ssize_t, Py_ssize_t, Py_ssize_t, double*)
    void k_thin_project(const double*, Py_ssize_t, Py_ssize_t, Py_ssize_t, double*, double*)
    void k_thin_add_row(double*, Py_ssize_t, double*, Py_ssize_t, Py_ssize_t, Py_ssize_t, const double*, double*)
    void k_thin_drop_row(double*, Py_ssize_t, double*, Py_ssize_t, Py_ssize_t, Py_ssize_t, Py_ssize_t)
    void k_thin_add_column(double*, Py_ssize_t, double*, Py_ssize_t, Py_ssize_t, Py_ssize_t, const double*, double*, double*)
    void k_thin_drop_column(double*, Py_ssize_t, double*, Py_ssize_t, Py_ssize_t, Py_ssize_t, Py_ssize_t, double*, double*, double*)
    void k_solve_upper(Py_ssize_t, const double*, Py_ssize_t, double*)
    void k_solve_lower(Py_ssize_t, const double*, Py_ssize_t, double*)
    void k_cholesky_add(Py_ssize_t, double*, Py_ssize_t, double*)
    int k_cholesky_subtract(Py_ssize_t, double*, Py_ssize_t, double*, double)
    void k_cholesky_drop(Py_ssize_t, double*, Py_ssize_t, Py_ssize_t)
    double k_curved_loss(Py_ssize_t, const double*, const double*, const double*, const double*)
    Py_ssize_t k_first_bound(Py_ssize_t, const double*, const double*, const double*, const double*, double, double, double*)
    Py_ssize_t k_first_closing(Py_ssize_t, const double*, const double*, const double*, const double*, double, double, double*)
    Py_ssize_t k_first_leaving(Py_ssize_t, const double*, const double*, const double*, double, double, double*)
    Py_ssize_t k_first_entering(Py_ssize_t, const double*, const double*, const double*, const double*, const double*, double, double, double, double, double, double*)
    Py_ssize_t k_at_bounds(Py_ssize_t, const double*, const double*, const double*, const double*, double, double, int, Py_ssize_t*)
    Py_ssize_t k_at_kink(Py_ssize_t, const double*, const double*, const double*, const double*, const double*, double, double, double, int, Py_ssize_t*)
    Py_ssize_t k_at_zero(Py_ssize_t, const double*, const double*, const double*, double, double, int, Py_ssize_t*)
    Py_ssize_t k_at_thresholds(Py_ssize_t, const double*, const double*, const double*, const double*, const double*, double, double, double, double, double, int, Py_ssize_t*)
    Py_ssize_t k_near_rows(Py_ssize_t, Py_ssize_t, const short*, const double*, const double*, const double*, double, Py_ssize_t*)
    Py_ssize_t k_near_kinks(Py_ssize_t, const Py_ssize_t*, Py_ssize_t, const short*, const double*, const double*, const double*, double, Py_ssize_t*, double*, double*, double*, double*, Py_ssize_t*)
    void k_add_moments(Py_ssize_t, double, const double*, double*, double*)
    double k_spread(Py_ssize_t, Py_ssize_t, const double*, const double*, double*)
    void k_paces(Py_ssize_t, Py_ssize_t, const double*, const double*, const double*, const double*, const double*, double, double, double, double*)
    void k_distances(Py_ssize_t, const double*, const double*, const double*, const double*, const signed char*, double, double*)
    void k_distances_ahead(Py_ssize_t, const double*, const double*, const double*, const double*, const signed char*, double, double, double, double*)
    double k_nth(Py_ssize_t, Py_ssize_t, double*)
    Py_ssize_t k_below(Py_ssize_t, const double*, double, Py_ssize_t*)
    void k_gather(Py_ssize_t, const double*, const Py_ssize_t*, double*)
    double k_total_loss(Py_ssize_t, Py_ssize_t, const short*, const double*, const double*, const double*, const double*)
    double k_misplaced(Py_ssize_t, Py_ssize_t, const short*, const double*, const double*, const double*, const double*, double, double)
    double k_way_length(const signed char*, const Py_ssize_t*, const double*, Py_ssize_t, double)
    double k_ruled_length(const Py_ssize_t*, const double*, Py_ssize_t, const Py_ssize_t*, const double*, Py_ssize_t, double, double*)

from libc.string cimport memcpy, memmove, memset

cdef inline Py_ssize_t padded(Py_ssize_t m) noexcept:
    return (m + 7) & -8
cdef inline double dot(double[::1] x, double[::1] y, Py_ssize_t n) noexcept:
    return k_dot(n, &x[0], &y[0])
cdef inline double largest(double[::1] x, Py_ssize_t first, Py_ssize_t n) noexcept:
    return k_largest(n, &x[first])
cdef inline void axpy(double u, double[::1] x, double[::1] y, Py_ssize_t n) noexcept:
    k_axpy(n, u, &x[0], &y[0])
cdef inline void clear(double[::1] x, Py_ssize_t n) noexcept:
    memset(&x[0], 0, n * sizeof(double))
cdef inline void copy(double[::1] x, Py_ssize_t first, double[::1] y, Py_ssize_t start, Py_ssize_t n) noexcept:
    memcpy(&y[start], &x[first], n * sizeof(double))
cdef inline void copy_index(Py_ssize_t[::1] x, int[::1] y, Py_ssize_t start, Py_ssize_t n) noexcept:
    cdef Py_ssize_t k
    for k in range(n):
        y[start + k] = <int> x[k]
cdef inline void erase(double[::1] x, Py_ssize_t k, Py_ssize_t n) noexcept:
    memmove(&x[k], &x[k] + 1, (n - 1 - k) * sizeof(double))
cdef inline void erase_index(Py_ssize_t[::1] x, Py_ssize_t k, Py_ssize_t n) noexcept:
    memmove(&x[k], &x[k] + 1, (n - 1 - k) * sizeof(Py_ssize_t))
cdef inline void products(double[:, ::1] A, Py_ssize_t count, Py_ssize_t m, double[::1] x, double[::1] out) noexcept:
    k_products(count, m, &A[0, 0], A.shape[1], &x[0], &out[0])
cdef inline double product(double[:, ::1] A, Py_ssize_t row, Py_ssize_t m, double[::1] x) noexcept:
    return k_dot(m, &A[row, 0], &x[0])
cdef inline void gathered_products(double[:, ::1] A, Py_ssize_t[::1] rows, Py_ssize_t count, Py_ssize_t m, double[::1] x, double[::1] out) noexcept:
    k_gathered_products(&rows[0], count, m, &A[0, 0], A.shape[1], &x[0], &out[0])
cdef inline void add_rows(double[:, ::1] A, Py_ssize_t first, Py_ssize_t count, Py_ssize_t m, double[::1] h, double[::1] x) noexcept:
    k_add_rows(count, m, &A[first, 0], A.shape[1], &h[first], &x[0])
cdef inline void gathered_sum(const double[:, ::1] A, Py_ssize_t[::1] rows, Py_ssize_t count, Py_ssize_t m, double[::1] u, double[::1] out) noexcept:
    k_gathered_sum(&rows[0], count, m, &A[0, 0], A.shape[1], &u[0], &out[0])
cdef inline void factor_add_row(double[:, ::1] qt, double[:, ::1] r, Py_ssize_t e, Py_ssize_t m, double[:, ::1] A, Py_ssize_t row, double[::1] work) noexcept:
    k_add_row(&qt[0, 0], &r[0, 0], qt.shape[1], e, m, &A[row, 0], &work[0])
cdef inline void factor_drop_row(double[:, ::1] qt, double[:, ::1] r, Py_ssize_t e, Py_ssize_t m, Py_ssize_t k) noexcept:
    k_drop_row(&qt[0, 0], &r[0, 0], qt.shape[1], e, m, k)
cdef inline void factor_add_column(double[:, ::1] qt, double[:, ::1] r, Py_ssize_t e, Py_ssize_t m, double[::1] column, double[::1] work) noexcept:
    k_add_column(&qt[0, 0], &r[0, 0], qt.shape[1], e, m, &column[0], &work[0])
cdef inline void factor_drop_column(double[:, ::1] qt, double[:, ::1] r, Py_ssize_t e, Py_ssize_t m, Py_ssize_t k, double[::1] work) noexcept:
    k_drop_column(&qt[0, 0], &r[0, 0], qt.shape[1], e, m, k, &work[0])
cdef inline void thin_project(double[:, ::1] qt, Py_ssize_t e, Py_ssize_t m, double[::1] x, double[::1] h) noexcept:
    k_thin_project(&qt[0, 0], qt.shape[1], e, m, &x[0], &h[0])
cdef inline void thin_add_row(double[:, ::1] qt, double[:, ::1] r, Py_ssize_t e, Py_ssize_t m, double[:, ::1] A, Py_ssize_t row, double[::1] h) noexcept:
    k_thin_add_row(&qt[0, 0], qt.shape[1], &r[0, 0], r.shape[1], e, m, &A[row, 0], &h[0])
cdef inline void thin_drop_row(double[:, ::1] qt, double[:, ::1] r, Py_ssize_t e, Py_ssize_t m, Py_ssize_t k) noexcept:
    k_thin_drop_row(&qt[0, 0], qt.shape[1], &r[0, 0], r.shape[1], e, m, k)
cdef inline void thin_add_column(double[:, ::1] qt, double[:, ::1] r, Py_ssize_t e, Py_ssize_t m, double[::1] column, double[::1] work, double[::1] extra) noexcept:
    k_thin_add_column(&qt[0, 0], qt.shape[1], &r[0, 0], r.shape[1], e, m, &column[0], &work[0], &extra[0])
cdef inline void thin_drop_column(double[:, ::1] qt, double[:, ::1] r, Py_ssize_t e, Py_ssize_t m, Py_ssize_t k, double[::1] work, double[::1] extra, double[::1] h) noexcept:
    k_thin_drop_column(&qt[0, 0], qt.shape[1], &r[0, 0], r.shape[1], e, m, k, &work[0], &extra[0], &h[0])
cdef inline void solve_upper(double[:, ::1] R, Py_ssize_t e, double[::1] a) noexcept:
    k_solve_upper(e, &R[0, 0], R.shape[1], &a[0])
cdef inline void solve_lower(double[:, ::1] R, Py_ssize_t e, double[::1] a) noexcept:
    k_solve_lower(e, &R[0, 0], R.shape[1], &a[0])
cdef inline void cholesky_add(double[:, ::1] R, Py_ssize_t m, double[::1] x) noexcept:
    k_cholesky_add(m, &R[0, 0], R.shape[1], &x[0])
cdef inline bint cholesky_subtract(double[:, ::1] R, Py_ssize_t m, double[::1] x, double least) noexcept:
    return k_cholesky_subtract(m, &R[0, 0], R.shape[1], &x[0], least)
cdef inline void cholesky_drop(double[:, ::1] R, Py_ssize_t m, Py_ssize_t k) noexcept:
    k_cholesky_drop(m, &R[0, 0], R.shape[1], k)
cdef inline void scatter(double[::1] x, Py_ssize_t[::1] index, Py_ssize_t n, double[::1] out) noexcept:
    cdef Py_ssize_t k
    for k in range(n):
        out[index[k]] = x[k]
cdef inline void row_at(double[:, ::1] A, Py_ssize_t row, Py_ssize_t n, double[::1] out) noexcept:
    memcpy(&out[0], &A[row, 0], n * sizeof(double))
cdef inline double curved_loss(double[::1] center, double[:, ::1] slope, double[::1] curvature, double[::1] score, Py_ssize_t n) noexcept:
    return k_curved_loss(n, &center[0], &slope[0, 0], &curvature[0], &score[0])
cdef inline double curved_dual(double[::1] center, double[::1] curvature, double[::1] dual, Py_ssize_t n) noexcept:
    cdef Py_ssize_t i
    cdef double total = 0.0
    for i in range(n):
        if curvature[i] > 0.0:
            total += dual[i] * (center[i] - 0.5 * dual[i] / curvature[i])
    return total
cdef inline void add_to_first(double[:, ::1] A, Py_ssize_t first, Py_ssize_t last, double u, double[::1] x) noexcept:
    cdef Py_ssize_t i
    for i in range(first, last):
        x[i] += u * A[i, 0]
cdef inline double first_dot(double[:, ::1] A, Py_ssize_t first, Py_ssize_t last, double[::1] x) noexcept:
    cdef Py_ssize_t i
    cdef double s = 0.0
    for i in range(first, last):
        s += A[i, 0] * x[i]
    return s
cdef inline double first_square(double[:, ::1] A, Py_ssize_t last) noexcept:
    cdef Py_ssize_t i
    cdef double s = 0.0
    for i in range(last):
        s += A[i, 0] * A[i, 0]
    return s
cdef inline void negate(double[::1] x, Py_ssize_t n) noexcept:
    cdef Py_ssize_t i
    for i in range(n):
        x[i] = -x[i]
cdef inline void scale(double u, double[::1] x, Py_ssize_t n) noexcept:
    cdef Py_ssize_t i
    for i in range(n):
        x[i] *= u
cdef inline void gather(double[::1] x, Py_ssize_t[::1] index, Py_ssize_t n, double[::1] out) noexcept:
    k_gather(n, &x[0], &index[0], &out[0])
cdef inline void gather_row(const double[:, ::1] A, Py_ssize_t row, Py_ssize_t[::1] index, Py_ssize_t n, double[:, ::1] B, Py_ssize_t place) noexcept:
    k_gather(n, &A[row, 0], &index[0], &B[place, 0])
cdef inline void signed_column(const double[:, ::1] A, Py_ssize_t column, double[::1] label, Py_ssize_t n, double[:, ::1] B, Py_ssize_t place) noexcept:
    cdef Py_ssize_t i
    for i in range(n):
        B[i, place] = label[i] * A[i, column]
cdef inline void signed_values(double[::1] x, double[::1] label, Py_ssize_t n, double[:, ::1] B, Py_ssize_t place) noexcept:
    cdef Py_ssize_t i
    for i in range(n):
        B[i, place] = label[i] * x[i]
cdef inline void move_column(double[:, ::1] B, Py_ssize_t source, Py_ssize_t place, Py_ssize_t n) noexcept:
    cdef Py_ssize_t i
    for i in range(n):
        B[i, place] = B[i, source]
cdef inline void column_at(double[:, ::1] B, Py_ssize_t[::1] rows, Py_ssize_t count, Py_ssize_t column, double[::1] out) noexcept:
    cdef Py_ssize_t i
    for i in range(count):
        out[i] = B[rows[i], column]
cdef inline Py_ssize_t first_bound(double[::1] x, double[::1] dx, double[::1] low, double[::1] high, Py_ssize_t n, double tol, double best, double[::1] work) noexcept:
    return k_first_bound(n, &x[0], &dx[0], &low[0], &high[0], tol, best, &work[0])
cdef inline Py_ssize_t first_closing(double[::1] side, double[::1] slack, double[::1] fall, double[::1] size, Py_ssize_t n, double tol, double best, double[::1] work) noexcept:
    return k_first_closing(n, &side[0], &slack[0], &fall[0], &size[0], tol, best, &work[0])
cdef inline Py_ssize_t first_leaving(double[::1] side, double[::1] x, double[::1] dx, Py_ssize_t n, double tol, double best, double[::1] work) noexcept:
    return k_first_leaving(n, &side[0], &x[1], &dx[1], tol, best, &work[0])
cdef inline Py_ssize_t first_entering(double[::1] v, double[::1] only, double[::1] c, double[::1] dc, double[::1] size, Py_ssize_t n, double l1, double dl1, double tol, double tol_l1, double best, double[::1] work) noexcept:
    return k_first_entering(n, &v[0], &only[0], &c[0], &dc[0], &size[0], l1, dl1, tol, tol_l1, best, &work[0])
cdef inline Py_ssize_t at_bounds(double[::1] x, double[::1] low, double[::1] high, double[::1] dx, Py_ssize_t n, double tol, double noise, bint listed, Py_ssize_t[::1] out) noexcept:
    return k_at_bounds(n, &x[0], &low[0], &high[0], &dx[0], tol, noise, listed, &out[0])
cdef inline Py_ssize_t at_kink(double[::1] side, double[::1] slack, double[::1] target, double[::1] size, double[::1] fall, Py_ssize_t n, double tol, double tol_size, double noise, bint listed, Py_ssize_t[::1] out) noexcept:
    return k_at_kink(n, &side[0], &slack[0], &target[0], &size[0], &fall[0], tol, tol_size, noise, listed, &out[0])
cdef inline Py_ssize_t at_zero(double[::1] side, double[::1] x, double[::1] dx, Py_ssize_t n, double tol, double noise, bint listed, Py_ssize_t[::1] out) noexcept:
    return k_at_zero(n, &side[0], &x[1], &dx[1], tol, noise, listed, &out[0])
cdef inline Py_ssize_t at_thresholds(double[::1] v, double[::1] only, double[::1] c, double[::1] dc, double[::1] size, Py_ssize_t n, double l1, double dl1, double tol, double noise, double noise_l1, bint listed, Py_ssize_t[::1] out) noexcept:
    return k_at_thresholds(n, &v[0], &only[0], &c[0], &dc[0], &size[0], l1, dl1, tol, noise, noise_l1, listed, &out[0])
cdef inline Py_ssize_t near_rows(short[::1] position, double[:, ::1] target, double[::1] score, double[::1] norm, Py_ssize_t n, double reach, Py_ssize_t[::1] out) noexcept:
    return k_near_rows(n, target.shape[1], &position[0], &target[0, 0], &score[0], &norm[0], reach, &out[0])
cdef inline Py_ssize_t near_kinks(Py_ssize_t[::1] rows, Py_ssize_t count, short[::1] position, double[:, ::1] target, double[::1] score, double[::1] norm, double reach, Py_ssize_t[::1] row, double[::1] side, double[::1] slack, double[::1] size, double[::1] scale, Py_ssize_t[::1] kink) noexcept:
    return k_near_kinks(count, &rows[0], target.shape[1], &position[0], &target[0, 0], &score[0], &norm[0], reach, &row[0], &side[0], &slack[0], &size[0], &scale[0], &kink[0])
cdef inline void add_moments(double sign, const double[:, ::1] A, Py_ssize_t row, Py_ssize_t p, double[::1] sums, double[::1] square) noexcept:
    k_add_moments(p, sign, &A[row, 0], &sums[0], &square[0])
cdef inline double spread(double[::1] sums, double[::1] square, Py_ssize_t p, Py_ssize_t count, double[::1] out) noexcept:
    return k_spread(p, count, &sums[0], &square[0], &out[0])
cdef inline void paces(double[::1] sums, double[::1] low, double[::1] high, double[::1] norm, double[::1] v, Py_ssize_t p, Py_ssize_t count, double elsewhere, double unit_l1, double unbalanced, double[::1] pace) noexcept:
    k_paces(p, count, &sums[0], &low[0], &high[0], &norm[0], &v[0], elsewhere, unit_l1, unbalanced, &pace[0])
cdef inline void distances(double[::1] v, double[::1] only, double[::1] c, double[::1] pace, signed char[::1] out_of_play, Py_ssize_t p, double l1, double[::1] out) noexcept:
    k_distances(p, &v[0], &only[0], &c[0], &pace[0], &out_of_play[0], l1, &out[0])
cdef inline void distances_ahead(double[::1] v, double[::1] only, double[::1] c, double[::1] dc, signed char[::1] out_of_play, Py_ssize_t p, double l1, double dl1, double speed, double[::1] out) noexcept:
    k_distances_ahead(p, &v[0], &only[0], &c[0], &dc[0], &out_of_play[0], l1, dl1, speed, &out[0])
cdef inline double about_nth(double[::1] x, Py_ssize_t n, Py_ssize_t k, double[::1] work) noexcept:
    cdef Py_ssize_t stride = min(max(k // 64, 1), 8)
    cdef Py_ssize_t i, count = (n + stride - 1) // stride
    for i in range(count):
        work[i] = x[i * stride]
    return k_nth(count, k // stride, &work[0])
cdef inline Py_ssize_t below(double[::1] x, Py_ssize_t n, double limit, Py_ssize_t[::1] out) noexcept:
    return k_below(n, &x[0], limit, &out[0])
cdef inline double total_loss(short[::1] position, double[:, ::1] target, double[:, ::1] slope, double[:, ::1] height, double[::1] score, Py_ssize_t n) noexcept:
    return k_total_loss(n, target.shape[1], &position[0], &target[0, 0], &slope[0, 0], &height[0, 0], &score[0])
cdef inline double misplaced(short[::1] position, double[:, ::1] target, double[:, ::1] slope, double[::1] score, double[::1] norm, Py_ssize_t n, double tol, double size) noexcept:
    return k_misplaced(n, target.shape[1], &position[0], &target[0, 0], &slope[0, 0], &score[0], &norm[0], tol, size)
cdef inline double way_length(signed char[::1] inside, Py_ssize_t[::1] rows, double[::1] u, Py_ssize_t n, double elsewhere) noexcept:
    return k_way_length(&inside[0], &rows[0], &u[0], n, elsewhere)
cdef inline double ruled_length(Py_ssize_t[::1] place, double[:, ::1] twist, Py_ssize_t[::1] rows, double[::1] u, Py_ssize_t n, double elsewhere, double[::1] work) noexcept:
    return k_ruled_length(&place[0], &twist[0, 0], twist.shape[1], &rows[0], &u[0], n, elsewhere, &work[0])
cdef inline void gather_index(Py_ssize_t[::1] x, Py_ssize_t[::1] index, Py_ssize_t n, Py_ssize_t[::1] out) noexcept:
    cdef Py_ssize_t k
    for k in range(n):
        out[k] = x[index[k]]
cdef inline void times_gathered(double[::1] u, double[::1] x, Py_ssize_t[::1] index, Py_ssize_t n, double[::1] out) noexcept:
    cdef Py_ssize_t k
    for k in range(n):
        out[k] = u[k] * x[index[k]]
cdef inline Py_ssize_t changed(double[::1] x, double[::1] y, double[::1] sign, Py_ssize_t n, Py_ssize_t[::1] rows, double[::1] change) noexcept:
    cdef Py_ssize_t i, z = 0
    for i in range(n):
        if x[i] != y[i]:
            rows[z] = i
            change[z] = sign[i] * (x[i] - y[i])
            z += 1
    return z
cdef inline void duals(short[::1] position, double[:, ::1] level, Py_ssize_t[::1] elbow, double[::1] alpha, Py_ssize_t n, Py_ssize_t n_elbow, double[::1] out) noexcept:
    cdef Py_ssize_t i
    for i in range(n):
        out[i] = level[i, position[i] >> 1] if position[i] >= 0 else 0.0
    for i in range(n_elbow):
        out[elbow[i]] = alpha[i]
cdef inline Py_ssize_t nonzero(double[::1] x, Py_ssize_t n, Py_ssize_t[::1] rows, double[::1] values) noexcept:
    cdef Py_ssize_t i, z = 0
    for i in range(n):
        if x[i] != 0.0:
            rows[z] = i
            values[z] = x[i]
            z += 1
    return z
cdef inline double dual_total(short[::1] position, double[:, ::1] target, double[:, ::1] height, double[::1] dual, Py_ssize_t n) noexcept:
    cdef Py_ssize_t i, k, kinks = target.shape[1]
    cdef double total = 0.0
    for i in range(n):
        if position[i] >= 0:
            k = position[i] >> 1
            if k == kinks:
                k = kinks - 1
            total += height[i, k] + dual[i] * target[i, k]
    return total
cdef inline void missed_kinks(double[:, ::1] A, Py_ssize_t[::1] rows, Py_ssize_t count, Py_ssize_t m, double[::1] beta, short[::1] position, double[:, ::1] target, double[::1] out) noexcept:
    cdef Py_ssize_t k
    k_gathered_products(&rows[0], count, m, &A[0, 0], A.shape[1], &beta[0], &out[0])
    for k in range(count):
        out[k] = target[rows[k], position[rows[k]] >> 1] - out[k]
cdef inline void settle_home(double[::1] beta, Py_ssize_t[::1] active, Py_ssize_t n, double[::1] home, Py_ssize_t[::1] support) noexcept:
    cdef Py_ssize_t k
    home[0] = beta[0]
    for k in range(n):
        support[k] = active[k] + 1
        home[active[k] + 1] = beta[k + 1]
cdef inline void clear_at(double[::1] x, Py_ssize_t[::1] places, Py_ssize_t n) noexcept:
    cdef Py_ssize_t k
    for k in range(n):
        x[places[k]] = 0.0
cdef inline double square_from_home(double[::1] beta, Py_ssize_t[::1] active, Py_ssize_t n, signed char[::1] is_active, double[::1] home, Py_ssize_t[::1] support, Py_ssize_t count) noexcept:
    cdef Py_ssize_t k
    cdef double d = beta[0] - home[0]
    cdef double square = d * d
    for k in range(n):
        d = beta[k + 1] - home[active[k] + 1]
        square += d * d
    for k in range(count):
        if not is_active[support[k] - 1]:
            square += home[support[k]] * home[support[k]]
    return square
cdef inline double weighted_entry(const double[:, ::1] A, Py_ssize_t[::1] rows, Py_ssize_t n, Py_ssize_t column, double[::1] a, double[::1] label, Py_ssize_t[::1] elbow) noexcept:
    cdef Py_ssize_t k
    cdef double total = 0.0
    for k in range(n):
        total += a[k] * label[elbow[k]] * A[rows[elbow[k]], column]
    return total
cdef inline Py_ssize_t first_missing(Py_ssize_t[::1] place, Py_ssize_t[::1] rows, Py_ssize_t n) noexcept:
    cdef Py_ssize_t k
    for k in range(n):
        if place[rows[k]] < 0:
            return k
    return n
cdef inline void gather_column(const double[:, ::1] A, Py_ssize_t[::1] place, Py_ssize_t[::1] rows, Py_ssize_t n, Py_ssize_t column, double[:, ::1] B, Py_ssize_t width) noexcept:
    cdef Py_ssize_t k
    for k in range(n):
        B[k, width] = A[place[rows[k]], column]
cdef inline void fill_index(Py_ssize_t[::1] x, Py_ssize_t value, Py_ssize_t n) noexcept:
    cdef Py_ssize_t k
    for k in range(n):
        x[k] = value
cdef inline void count_up(Py_ssize_t[::1] x, Py_ssize_t n) noexcept:
    cdef Py_ssize_t k
    for k in range(n):
        x[k] = k
