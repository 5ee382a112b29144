/* The vector kernels of the inner loop, in C. `kernels.py` has the same ones in NumPy.
   Matrices are row-major with a leading dimension; lengths are explicit. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef Py_ssize_t idx;

#if defined(__x86_64__) && defined(__linux__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 12
#define CLONES __attribute__((target_clones("arch=x86-64-v3", "default")))
#else
#define CLONES
#endif
#ifdef _MSC_VER
#define RESTRICT __restrict
#define PRAGMA(x)
#else
#define RESTRICT restrict
#define PRAGMA(x) _Pragma(#x)
#endif

CLONES static double k_dot(idx n, const double *RESTRICT a, const double *RESTRICT b) {
    double s = 0;
    PRAGMA(omp simd reduction(+:s))
    for (idx i = 0; i < n; i++) s += a[i] * b[i];
    return s;
}
CLONES static double k_largest(idx n, const double *RESTRICT x) {
    double best = 0;
    PRAGMA(omp simd reduction(max:best))
    for (idx i = 0; i < n; i++) { double size = fabs(x[i]); best = size > best ? size : best; }
    return best;
}
CLONES static void k_axpy(idx n, double u, const double *RESTRICT x, double *RESTRICT y) {
    PRAGMA(omp simd)
    for (idx i = 0; i < n; i++) y[i] += u * x[i];
}
/* out_i = A_i . x, four rows at a time */
CLONES static void k_products(idx count, idx m, const double *RESTRICT A, idx ld, const double *RESTRICT x, double *RESTRICT out) {
    idx i = 0;
    for (; i + 3 < count; i += 4) {
        const double *a = A + i * ld, *b = a + ld, *c = b + ld, *d = c + ld;
        double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
        PRAGMA(omp simd reduction(+:s0,s1,s2,s3))
        for (idx k = 0; k < m; k++) { s0 += a[k] * x[k]; s1 += b[k] * x[k]; s2 += c[k] * x[k]; s3 += d[k] * x[k]; }
        out[i] = s0; out[i + 1] = s1; out[i + 2] = s2; out[i + 3] = s3;
    }
    for (; i < count; i++) {
        const double *a = A + i * ld;
        double s = 0;
        PRAGMA(omp simd reduction(+:s))
        for (idx k = 0; k < m; k++) s += a[k] * x[k];
        out[i] = s;
    }
}
CLONES static void k_gathered_products(const idx *rows, idx count, idx m, const double *RESTRICT A, idx ld, const double *RESTRICT x, double *RESTRICT out) {
    idx i = 0;
    for (; i + 3 < count; i += 4) {
        const double *a = A + rows[i] * ld, *b = A + rows[i + 1] * ld, *c = A + rows[i + 2] * ld, *d = A + rows[i + 3] * ld;
        double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
        PRAGMA(omp simd reduction(+:s0,s1,s2,s3))
        for (idx k = 0; k < m; k++) { s0 += a[k] * x[k]; s1 += b[k] * x[k]; s2 += c[k] * x[k]; s3 += d[k] * x[k]; }
        out[i] = s0; out[i + 1] = s1; out[i + 2] = s2; out[i + 3] = s3;
    }
    for (; i < count; i++) {
        const double *a = A + rows[i] * ld;
        double s = 0;
        PRAGMA(omp simd reduction(+:s))
        for (idx k = 0; k < m; k++) s += a[k] * x[k];
        out[i] = s;
    }
}
/* x += sum_i h_i A_i, four rows at a time */
CLONES static void k_add_rows(idx count, idx m, const double *RESTRICT A, idx ld, const double *RESTRICT h, double *RESTRICT x) {
    idx i = 0;
    for (; i + 3 < count; i += 4) {
        const double *a = A + i * ld, *b = a + ld, *c = b + ld, *d = c + ld;
        const double h0 = h[i], h1 = h[i + 1], h2 = h[i + 2], h3 = h[i + 3];
        PRAGMA(omp simd)
        for (idx k = 0; k < m; k++) x[k] += h0 * a[k] + h1 * b[k] + h2 * c[k] + h3 * d[k];
    }
    for (; i < count; i++) {
        const double *a = A + i * ld, u = h[i];
        PRAGMA(omp simd)
        for (idx k = 0; k < m; k++) x[k] += u * a[k];
    }
}
CLONES static void k_gathered_sum(const idx *rows, idx count, idx m, const double *RESTRICT A, idx ld, const double *RESTRICT u, double *RESTRICT out) {
    idx i = 0;
    memset(out, 0, m * sizeof(double));
    for (; i + 3 < count; i += 4) {
        const double *a = A + rows[i] * ld, *b = A + rows[i + 1] * ld, *c = A + rows[i + 2] * ld, *d = A + rows[i + 3] * ld;
        const double h0 = u[i], h1 = u[i + 1], h2 = u[i + 2], h3 = u[i + 3];
        PRAGMA(omp simd)
        for (idx k = 0; k < m; k++) out[k] += h0 * a[k] + h1 * b[k] + h2 * c[k] + h3 * d[k];
    }
    for (; i < count; i++) {
        const double *a = A + rows[i] * ld, h = u[i];
        PRAGMA(omp simd)
        for (idx k = 0; k < m; k++) out[k] += h * a[k];
    }
}
static inline void k_rotate(idx n, double *RESTRICT x, double *RESTRICT y, double c, double s) {
    PRAGMA(omp simd)
    for (idx i = 0; i < n; i++) { double t = c * x[i] + s * y[i]; y[i] = c * y[i] - s * x[i]; x[i] = t; }
}
static inline void k_givens(double a, double b, double *c, double *s) {
    double size = sqrt(a * a + b * b);
    if (size == 0) { *c = 1; *s = 0; }
    else { *c = a / size; *s = b / size; }
}
/* rows are padded with zeros up to a multiple of eight, so that no loop has a remainder */
static inline idx k_padded(idx m) { return (m + 7) & ~(idx)7; }
/* the factor: rows of qt are the columns of the square Q; r is upper triangular, e by e */
CLONES static void k_add_row(double *qt, double *r, idx ld, idx e, idx m, const double *row, double *h) {
    idx M = k_padded(m);
    k_products(m, M, qt, ld, row, h);
    for (idx i = m - 1; i > e; i--) {
        double c, s;
        k_givens(h[i - 1], h[i], &c, &s);
        if (s != 0) { k_rotate(M, qt + (i - 1) * ld, qt + i * ld, c, s); h[i - 1] = c * h[i - 1] + s * h[i]; }
    }
    memset(r + e * ld, 0, ld * sizeof(double));
    for (idx i = 0; i <= e; i++) r[i * ld + e] = h[i];
}
CLONES static void k_drop_row(double *qt, double *r, idx ld, idx e, idx m, idx k) {
    for (idx i = 0; i < e; i++) {
        double *row = r + i * ld;
        idx from = k > i - 1 ? k : i - 1;
        memmove(row + from, row + from + 1, (e - 1 - from) * sizeof(double));
        row[e - 1] = 0;
    }
    e--;
    idx M = k_padded(m);
    for (idx i = k; i < e; i++) {
        double *row = r + i * ld, *below = row + ld, c, s;
        k_givens(row[i], below[i], &c, &s);
        k_rotate(e - i, row + i, below + i, c, s);
        k_rotate(M, qt + i * ld, qt + (i + 1) * ld, c, s);
        below[i] = 0;
    }
}
CLONES static void k_add_column(double *qt, double *r, idx ld, idx e, idx m, const double *column, double *w) {
    for (idx i = 0; i < m; i++) qt[i * ld + m] = 0;
    double *x = qt + m * ld;
    memset(x, 0, ld * sizeof(double));
    x[m] = 1;
    memcpy(w, column, e * sizeof(double));
    m++;
    idx M = k_padded(m);
    for (idx i = 0; i < e; i++) {
        double *row = r + i * ld, c, s;
        k_givens(row[i], w[i], &c, &s);
        k_rotate(e - i, row + i, w + i, c, s);
        k_rotate(M, qt + i * ld, x, c, s);
    }
}
CLONES static void k_drop_column(double *qt, double *r, idx ld, idx e, idx m, idx k, double *w) {
    double *x = qt + (m - 1) * ld;
    idx M = k_padded(m);
    for (idx i = 0; i < m; i++) { double *q = qt + i * ld, t = q[k]; q[k] = q[m - 1]; q[m - 1] = t; }
    memset(w, 0, e * sizeof(double));
    for (idx i = e; i < m - 1; i++) {
        double c, s, *q = qt + i * ld;
        k_givens(x[m - 1], q[m - 1], &c, &s);
        k_rotate(M, x, q, c, s);
    }
    for (idx i = e - 1; i >= 0; i--) {
        double *row = r + i * ld, *q = qt + i * ld, c, s;
        k_givens(x[m - 1], -q[m - 1], &c, &s);
        k_rotate(e - i, row + i, w + i, c, s);
        k_rotate(M, q, x, c, s);
    }
    m--;
    for (idx i = 0; i < m; i++) qt[i * ld + m] = 0;
    memset(x, 0, ld * sizeof(double));
}
/* the same with the first e columns of Q only, for many more columns of M than rows */
static void k_thin_project(const double *qt, idx ld, idx e, idx m, double *x, double *h) {
    k_products(e, m, qt, ld, x, h);
    for (idx i = 0; i < e; i++) k_axpy(m, -h[i], qt + i * ld, x);
}
static void k_thin_add_row(double *qt, idx ld, double *r, idx lr, idx e, idx m, const double *row, double *h) {
    double *q = qt + e * ld;
    memset(q, 0, ld * sizeof(double));
    memcpy(q, row, m * sizeof(double));
    for (idx i = 0; i <= e; i++) r[i * lr + e] = r[e * lr + i] = 0;
    for (int twice = 0; twice < 2; twice++) {
        k_thin_project(qt, ld, e, m, q, h);
        for (idx i = 0; i < e; i++) r[i * lr + e] += h[i];
    }
    double size = sqrt(k_dot(m, q, q));
    r[e * lr + e] = size;
    for (idx i = 0; i < m; i++) q[i] /= size;
}
CLONES static void k_thin_drop_row(double *qt, idx ld, double *r, idx lr, idx e, idx m, idx k) {
    for (idx i = 0; i < e; i++) memmove(r + i * lr + k, r + i * lr + k + 1, (e - 1 - k) * sizeof(double));
    e--;
    for (idx i = k; i < e; i++) {
        double *row = r + i * lr, *under = row + lr, c, s;
        k_givens(row[i], under[i], &c, &s);
        k_rotate(e - i, row + i, under + i, c, s);
        k_rotate(m, qt + i * ld, qt + (i + 1) * ld, c, s);
        under[i] = 0;
    }
}
CLONES static void k_thin_add_column(double *qt, idx ld, double *r, idx lr, idx e, idx m, const double *column, double *w, double *x) {
    memset(x, 0, m * sizeof(double));
    x[m] = 1;
    memcpy(w, column, e * sizeof(double));
    for (idx i = 0; i < e; i++) qt[i * ld + m] = 0;
    for (idx i = 0; i < e; i++) {
        double *row = r + i * lr, c, s;
        k_givens(row[i], w[i], &c, &s);
        k_rotate(e - i, row + i, w + i, c, s);
        k_rotate(m + 1, qt + i * ld, x, c, s);
    }
}
CLONES static void k_thin_drop_column(double *qt, idx ld, double *r, idx lr, idx e, idx m, idx k, double *w, double *x, double *h) {
    for (idx i = 0; i < e; i++) { double *q = qt + i * ld, t = q[k]; q[k] = q[m - 1]; q[m - 1] = t; }
    memset(x, 0, m * sizeof(double));
    memset(w, 0, e * sizeof(double));
    x[m - 1] = 1;
    k_thin_project(qt, ld, e, m, x, h);
    k_thin_project(qt, ld, e, m, x, h);
    double size = sqrt(k_dot(m, x, x));
    for (idx i = 0; i < m; i++) x[i] /= size;
    for (idx i = e - 1; i >= 0; i--) {
        double *row = r + i * lr, *q = qt + i * ld, c, s;
        k_givens(x[m - 1], -q[m - 1], &c, &s);
        k_rotate(e - i, row + i, w + i, c, s);
        k_rotate(m, q, x, c, s);
    }
    for (idx i = 0; i < e; i++) qt[i * ld + m - 1] = 0;
}
/* R a := a, by blocks of four rows whose long products do not wait for each other */
CLONES static void k_solve_upper(idx e, const double *RESTRICT r, idx ld, double *RESTRICT a) {
    idx i = e - 1;
    for (; i >= 3; i -= 4) {
        const double *r0 = r + i * ld, *r1 = r0 - ld, *r2 = r1 - ld, *r3 = r2 - ld;
        const double *p0 = r0 + i + 1, *p1 = r1 + i + 1, *p2 = r2 + i + 1, *p3 = r3 + i + 1, *t = a + i + 1;
        double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
        idx c = e - 1 - i;
        PRAGMA(omp simd reduction(+:s0,s1,s2,s3))
        for (idx k = 0; k < c; k++) { s0 += p0[k] * t[k]; s1 += p1[k] * t[k]; s2 += p2[k] * t[k]; s3 += p3[k] * t[k]; }
        double i0 = 1 / r0[i], i1 = 1 / r1[i - 1], i2 = 1 / r2[i - 2], i3 = 1 / r3[i - 3];
        double a0 = (a[i] - s0) * i0, a1 = (a[i - 1] - s1 - r1[i] * a0) * i1;
        double a2 = (a[i - 2] - s2 - r2[i] * a0 - r2[i - 1] * a1) * i2;
        double a3 = (a[i - 3] - s3 - r3[i] * a0 - r3[i - 1] * a1 - r3[i - 2] * a2) * i3;
        a[i] = a0; a[i - 1] = a1; a[i - 2] = a2; a[i - 3] = a3;
    }
    for (; i >= 0; i--) {
        const double *row = r + i * ld;
        double s = 0;
        for (idx k = i + 1; k < e; k++) s += row[k] * a[k];
        a[i] = (a[i] - s) / row[i];
    }
}
/* R^T a := a */
static void k_solve_lower(idx e, const double *r, idx ld, double *a) {
    for (idx i = 0; i < e; i++) {
        const double *row = r + i * ld;
        a[i] /= row[i];
        k_axpy(e - 1 - i, -a[i], row + i + 1, a + i + 1);
    }
}
/* R^T R := R^T R + x x^T, R upper triangular, m by m; x is spent */
CLONES static void k_cholesky_add(idx m, double *RESTRICT r, idx ld, double *RESTRICT x) {
    for (idx i = 0; i < m; i++) {
        double *row = r + i * ld, c, s;
        if (x[i] == 0) continue;
        k_givens(row[i], x[i], &c, &s);
        k_rotate(m - i, row + i, x + i, c, s);
    }
}
/* R^T R := R^T R - x x^T; 0 where too little of a pivot is left to be trusted, and R is spoilt */
CLONES static int k_cholesky_subtract(idx m, double *RESTRICT r, idx ld, double *RESTRICT x, double least) {
    for (idx i = 0; i < m; i++) {
        double *row = r + i * ld, left = (row[i] - x[i]) * (row[i] + x[i]);
        if (!(left > least * row[i] * row[i])) return 0;
        double pivot = sqrt(left), c = pivot / fabs(row[i]), s = x[i] / row[i], back = 1 / c;
        PRAGMA(omp simd)
        for (idx k = i; k < m; k++) { row[k] = (row[k] - s * x[k]) * back; x[k] = c * x[k] - s * row[k]; }
    }
    return 1;
}
/* R without its k-th column and row, m by m before */
CLONES static void k_cholesky_drop(idx m, double *RESTRICT r, idx ld, idx k) {
    for (idx i = 0; i < m; i++) {
        double *row = r + i * ld;
        idx from = i > k ? i - 1 : k;
        memmove(row + from, row + from + 1, (m - 1 - from) * sizeof(double));
        row[m - 1] = 0;
    }
    for (idx i = k; i < m - 1; i++) {
        double *row = r + i * ld, *below = row + ld, c, s;
        k_givens(row[i], below[i], &c, &s);
        k_rotate(m - 1 - i, row + i, below + i, c, s);
        below[i] = 0;
    }
}
/* the losses of points with rounded kinks: s (t - z) - s^2/2 / curvature, s the slope */
static double k_curved_loss(idx n, const double *center, const double *slope, const double *curvature, const double *score) {
    double total = 0;
    for (idx i = 0; i < n; i++) {
        if (curvature[i] == 0) continue;
        double beyond = score[i] - center[i], s = beyond * curvature[i];
        s = s < slope[2 * i] ? slope[2 * i] : s > slope[2 * i + 1] ? slope[2 * i + 1] : s;
        total += s * (beyond - 0.5 * s / curvature[i]);
    }
    return total;
}
/* the ratio tests: where the least of t[0..n) is, -1 if none is below best */
static inline idx k_least(idx n, const double *t, double best) {
    double least = best;
    PRAGMA(omp simd reduction(min:least))
    for (idx k = 0; k < n; k++) least = t[k] < least ? t[k] : least;
    if (!(least < best)) return -1;
    idx k = 0;
    while (t[k] != least) k++;
    return k;
}
CLONES static idx k_first_bound(idx n, const double *RESTRICT x, const double *RESTRICT dx, const double *RESTRICT low, const double *RESTRICT high, double tol, double best, double *RESTRICT t) {
    PRAGMA(omp simd)
    for (idx k = 0; k < n; k++) {
        double down = x[k] - low[k], up = high[k] - x[k], room = dx[k] < 0 ? down : up, rate = fabs(dx[k]), q = (room > 0 ? room : 0) / rate;
        t[k] = rate > tol ? q : INFINITY;
    }
    return k_least(n, t, best);
}
CLONES static idx k_first_closing(idx n, const double *RESTRICT side, const double *RESTRICT slack, const double *RESTRICT fall, const double *RESTRICT size, double tol, double best, double *RESTRICT t) {
    PRAGMA(omp simd)
    for (idx k = 0; k < n; k++) { double rate = side[k] * fall[k], room = side[k] * slack[k], q = (room > 0 ? room : 0) / rate; t[k] = rate > tol * size[k] ? q : INFINITY; }
    return k_least(n, t, best);
}
CLONES static idx k_first_leaving(idx n, const double *RESTRICT side, const double *RESTRICT x, const double *RESTRICT dx, double tol, double best, double *RESTRICT t) {
    PRAGMA(omp simd)
    for (idx k = 0; k < n; k++) { double rate = -side[k] * dx[k], room = side[k] * x[k], q = (room > 0 ? room : 0) / rate; t[k] = rate > tol ? q : INFINITY; }
    return k_least(n, t, best);
}
/* thresholds of both signs */
CLONES static idx k_first_entering(idx n, const double *RESTRICT v, const double *RESTRICT only, const double *RESTRICT c, const double *RESTRICT dc, const double *RESTRICT size, double l1, double dl1, double tol, double tol_l1, double best, double *RESTRICT t) {
    PRAGMA(omp simd)
    for (idx k = 0; k < n; k++) {
        double own = dl1 * v[k], at = l1 * v[k], noise = tol * size[k] + tol_l1 * v[k];
        double rate = dc[k] - own, room = at - c[k], back = -dc[k] - own, space = at + c[k];
        double p = (room > 0 ? room : 0) / rate, q = (space > 0 ? space : 0) / back;
        p = (rate > noise) & (only[k] >= 0) ? p : INFINITY;
        q = (back > noise) & (only[k] <= 0) ? q : INFINITY;
        t[k] = p < q ? p : q;
    }
    return k_least(n, t, best);
}
/* which slacks are zero but for rounding, and made negative at a rate above noise: counted first, listed if there
   are any and it is asked for, those of the second side from n on */
CLONES static idx k_at_bounds(idx n, const double *RESTRICT x, const double *RESTRICT low, const double *RESTRICT high, const double *RESTRICT dx, double tol, double noise, int listed, idx *RESTRICT out) {
    idx count = 0, z = 0;
    for (idx k = 0; k < n; k++) count += ((x[k] - low[k] <= tol) & (-dx[k] > noise)) + ((high[k] - x[k] <= tol) & (dx[k] > noise));
    if (!listed || !count) return count;
    for (idx k = 0; k < n; k++) if (x[k] - low[k] <= tol && -dx[k] > noise) out[z++] = k;
    for (idx k = 0; k < n; k++) if (high[k] - x[k] <= tol && dx[k] > noise) out[z++] = n + k;
    return count;
}
CLONES static idx k_at_kink(idx n, const double *RESTRICT side, const double *RESTRICT slack, const double *RESTRICT target, const double *RESTRICT size, const double *RESTRICT fall, double tol, double tol_size, double noise, int listed, idx *RESTRICT out) {
    idx count = 0, z = 0;
    for (idx k = 0; k < n; k++) count += (side[k] * slack[k] <= tol * target[k] + tol_size * size[k]) & (side[k] * fall[k] > noise * size[k]);
    if (!listed || !count) return count;
    for (idx k = 0; z < count; k++) { out[z] = k; z += (side[k] * slack[k] <= tol * target[k] + tol_size * size[k]) & (side[k] * fall[k] > noise * size[k]); }
    return count;
}
CLONES static idx k_at_zero(idx n, const double *RESTRICT side, const double *RESTRICT x, const double *RESTRICT dx, double tol, double noise, int listed, idx *RESTRICT out) {
    idx count = 0, z = 0;
    for (idx k = 0; k < n; k++) count += (side[k] != 0) & (side[k] * x[k] <= tol) & (-side[k] * dx[k] > noise);
    if (!listed || !count) return count;
    for (idx k = 0; z < count; k++) { out[z] = k; z += (side[k] != 0) & (side[k] * x[k] <= tol) & (-side[k] * dx[k] > noise); }
    return count;
}
CLONES static idx k_at_thresholds(idx n, const double *RESTRICT v, const double *RESTRICT only, const double *RESTRICT c, const double *RESTRICT dc, const double *RESTRICT size, double l1, double dl1, double tol, double noise, double noise_l1, int listed, idx *RESTRICT out) {
    idx count = 0, z = 0;
    for (idx k = 0; k < n; k++) {
        double level = l1 * v[k] - tol * size[k], least = dl1 * v[k] + noise * size[k] + noise_l1 * v[k];
        count += ((c[k] >= level) & (dc[k] > least) & (only[k] >= 0)) + ((-c[k] >= level) & (-dc[k] > least) & (only[k] <= 0));
    }
    if (!listed || !count) return count;
    for (int second = 0; second < 2; second++)
        for (idx k = 0; k < n; k++) {
            double sign = second ? -1.0 : 1.0, least = dl1 * v[k] + noise * size[k] + noise_l1 * v[k];
            if (sign * c[k] >= l1 * v[k] - tol * size[k] && sign * dc[k] > least && sign * only[k] >= 0) out[z++] = second * n + k;
        }
    return count;
}
/* rows that have a kink nearer than reach times their norm, or are at one */
static inline double k_nearest_kink(idx piece, idx kinks, const double *target, double score) {
    double above = piece < kinks ? target[piece] - score : INFINITY, below = piece > 0 ? score - target[piece - 1] : INFINITY;
    return above < below ? above : below;
}
CLONES static idx k_near_rows(idx n, idx kinks, const short *RESTRICT position, const double *RESTRICT target, const double *RESTRICT score, const double *RESTRICT norm, double reach, idx *RESTRICT out) {
    idx z = 0;
    if (kinks == 1) { /* side 1 − p: 1 before the kink, 0 at it, −1 beyond */
        for (idx i = 0; i < n; i++) {
            int p = position[i];
            out[z] = i;
            z += (p >= 0) & ((1 - p) * (target[i] - score[i]) < reach * norm[i]);
        }
        return z;
    }
    for (idx i = 0; i < n; i++) {
        int p = position[i];
        out[z] = i;
        z += p >= 0 && ((p & 1) || k_nearest_kink(p >> 1, kinks, target + i * kinks, score[i]) < reach * norm[i]);
    }
    return z;
}
CLONES static idx k_near_kinks(idx count, const idx *RESTRICT rows, idx kinks, const short *RESTRICT position, const double *RESTRICT target, const double *RESTRICT score, const double *RESTRICT norm, double reach,
                         idx *RESTRICT row, double *RESTRICT side, double *RESTRICT slack, double *RESTRICT size, double *RESTRICT scale, idx *RESTRICT kink) {
    idx z = 0;
    if (kinks == 1) {
        for (idx q = 0; q < count; q++) {
            idx i = rows[q];
            int p = position[i];
            double s = 1 - p, r = target[i] - score[q];
            row[z] = i; side[z] = s; slack[z] = r; size[z] = norm[i]; scale[z] = fabs(target[i]); kink[z] = 0;
            z += ((p & 1) == 0) & (s * r < reach * norm[i]);
        }
        return z;
    }
    for (idx q = 0; q < count; q++) {
        idx i = rows[q];
        int p = position[i];
        if (p < 0 || (p & 1)) continue;
        idx piece = p >> 1;
        const double *t = target + i * kinks;
        double within = reach * norm[i];
        if (piece < kinks) {
            double r = t[piece] - score[q];
            row[z] = i; side[z] = 1; slack[z] = r; size[z] = norm[i]; scale[z] = fabs(t[piece]); kink[z] = piece;
            z += r < within;
        }
        if (piece > 0) {
            double r = t[piece - 1] - score[q];
            row[z] = i; side[z] = -1; slack[z] = r; size[z] = norm[i]; scale[z] = fabs(t[piece - 1]); kink[z] = piece - 1;
            z += -r < within;
        }
    }
    return z;
}
/* screening of columns */
CLONES static void k_add_moments(idx p, double sign, const double *RESTRICT x, double *RESTRICT sum, double *RESTRICT square) {
    PRAGMA(omp simd)
    for (idx j = 0; j < p; j++) { sum[j] += sign * x[j]; square[j] += sign * x[j] * x[j]; }
}
CLONES static double k_spread(idx p, idx count, const double *RESTRICT sum, const double *RESTRICT square, double *RESTRICT out) {
    double inverse = 1.0 / count, total = 0;
    PRAGMA(omp simd reduction(+:total))
    for (idx j = 0; j < p; j++) { double s = square[j] - sum[j] * sum[j] * inverse; s = s > 0 ? s : 0; out[j] = s; total += s; }
    return total;
}
CLONES static void k_paces(idx p, idx count, const double *RESTRICT sum, const double *RESTRICT low, const double *RESTRICT high, const double *RESTRICT norm, const double *RESTRICT v, double elsewhere, double unit_l1, double unbalanced, double *RESTRICT pace) {
    double inverse = 1.0 / count;
    PRAGMA(omp simd)
    for (idx j = 0; j < p; j++) {
        double mean = sum[j] * inverse, a = mean - low[j], b = high[j] - mean, largest = elsewhere * (a > b ? a : b);
        double varying = sqrt(pace[j]) + unbalanced * norm[j], own = unit_l1 * v[j];
        pace[j] = sqrt(varying * varying + largest * largest + own * own);
    }
}
CLONES static void k_distances(idx p, const double *RESTRICT v, const double *RESTRICT only, const double *RESTRICT c, const double *RESTRICT pace, const signed char *RESTRICT out_of_play, double l1, double *RESTRICT d) {
    PRAGMA(omp simd)
    for (idx j = 0; j < p; j++) { double size = only[j] == 0 ? fabs(c[j]) : only[j] * c[j], q = (l1 * v[j] - size) / pace[j]; d[j] = out_of_play[j] ? INFINITY : q; }
}
CLONES static void k_distances_ahead(idx p, const double *RESTRICT v, const double *RESTRICT only, const double *RESTRICT c, const double *RESTRICT dc, const signed char *RESTRICT out_of_play, double l1, double dl1, double speed, double *RESTRICT d) {
    for (idx j = 0; j < p; j++) {
        double step = INFINITY;
        for (int s = 0; s < 2; s++) {
            double sign = s ? -1.0 : 1.0, rate = sign * dc[j] - dl1 * v[j], room = l1 * v[j] - sign * c[j];
            if (rate > 0 && sign * only[j] >= 0) { double t = (room > 0 ? room : 0) / rate; step = t < step ? t : step; }
        }
        d[j] = out_of_play[j] || step == INFINITY ? INFINITY : step * speed;
    }
}
/* the k-th smallest of n values, which are reordered */
static double k_nth(idx n, idx k, double *x) {
    idx low = 0, high = n - 1;
    while (low < high) {
        double pivot = x[low + (high - low) / 2];
        idx i = low, j = high;
        while (i <= j) {
            while (x[i] < pivot) i++;
            while (x[j] > pivot) j--;
            if (i <= j) { double t = x[i]; x[i] = x[j]; x[j] = t; i++; j--; }
        }
        if (k <= j) high = j;
        else if (k >= i) low = i;
        else break;
    }
    return x[k];
}
static idx k_below(idx n, const double *x, double limit, idx *out) {
    idx z = 0;
    for (idx j = 0; j < n; j++) { out[z] = j; z += x[j] < limit; }
    return z;
}
CLONES static void k_gather(idx n, const double *RESTRICT x, const idx *RESTRICT index, double *RESTRICT out) {
    PRAGMA(omp simd)
    for (idx k = 0; k < n; k++) out[k] = x[index[k]];
}
/* what is paid and what is proved, by the sets: a point off its kinks is on its piece, one at a kink pays its height */
static double k_total_loss(idx n, idx kinks, const short *position, const double *target, const double *slope, const double *height, const double *score) {
    double total = 0;
    for (idx i = 0; i < n; i++) {
        int p = position[i];
        if (p < 0) continue;
        if (p & 1) { total += height[i * kinks + (p >> 1)]; continue; }
        idx piece = p >> 1, k = piece < kinks ? piece : kinks - 1;
        double g = slope[i * (kinks + 1) + piece];
        total += height[i * kinks + k] + (g != 0 ? g * (score[i] - target[i * kinks + k]) : 0.0);
    }
    return total;
}
/* what the sets get wrong: how far points are beyond the kinks of their pieces, times the change of slope there */
static double k_misplaced(idx n, idx kinks, const short *position, const double *target, const double *slope, const double *score, const double *norm, double tol, double size) {
    double total = 0;
    for (idx i = 0; i < n; i++) {
        int p = position[i];
        if (p < 0) continue;
        const double *t = target + i * kinks, *g = slope + i * (kinks + 1);
        idx k = p >> 1;
        double above = 0, below = 0, jump_above = 0, jump_below = 0;
        if (p & 1) { above = score[i] - t[k]; below = -above; jump_above = jump_below = g[k + 1] - g[k]; }
        else {
            if (k < kinks) { above = score[i] - t[k]; jump_above = g[k + 1] - g[k]; }
            if (k > 0) { below = t[k - 1] - score[i]; jump_below = g[k] - g[k - 1]; }
        }
        double slack = tol * (fabs(t[k < kinks ? k : kinks - 1]) + norm[i] * size);
        if (above > slack) total += jump_above * above;
        if (below > slack) total += jump_below * below;
    }
    return total;
}
/* how long a change of u on some rows is: inside the margin by its norm, elsewhere by its sum */
static double k_way_length(const signed char *inside, const idx *rows, const double *u, idx n, double elsewhere) {
    double square = 0, sum = 0;
    for (idx k = 0; k < n; k++) {
        if (inside[rows[k]]) square += u[k] * u[k];
        else sum += fabs(u[k]);
    }
    sum /= elsewhere;
    return square + sum * sum;
}
/* the same with some directions of the margin stretched */
static double k_ruled_length(const idx *place, const double *twist, idx axes, const idx *rows, const double *u, idx n, double elsewhere, double *work) {
    double square = 0, sum = 0;
    memset(work, 0, axes * sizeof(double));
    for (idx k = 0; k < n; k++) {
        idx h = place[rows[k]];
        if (h < 0) { sum += fabs(u[k]); continue; }
        square += u[k] * u[k];
        for (idx a = 0; a < axes; a++) work[a] += u[k] * twist[h * axes + a];
    }
    for (idx a = 0; a < axes; a++) square += work[a] * work[a];
    sum /= elsewhere;
    return square + sum * sum;
}
