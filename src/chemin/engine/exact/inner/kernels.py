"""The vector kernels of the inner loop, in NumPy: what runs where nothing was compiled.

`kernels.pxd` offers the same functions in C (`kernels.h`), with the same arguments. Arrays may be longer than what is
meant; lengths are explicit. A kernel that looks for the first of several returns its place, −1 if there is none.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import qr_delete, qr_insert
from scipy.linalg.lapack import dtrtrs

from chemin.dictionaries.base import Floats, Indices


def padded(m: int) -> int:
    """Return a length up to which rows are padded with zeros."""
    return (m + 7) & -8


def dot(x: Floats, y: Floats, n: int) -> float:
    return float(x[:n] @ y[:n])


def largest(x: Floats, first: int, n: int) -> float:
    values = x[first : first + n]
    return max(float(values.max()), -float(values.min())) if n else 0.0


def axpy(u: float, x: Floats, y: Floats, n: int) -> None:
    y[:n] += u * x[:n]


def clear(x: Floats, n: int) -> None:
    x[:n] = 0.0


def copy(x: Floats, first: int, y: Floats, start: int, n: int) -> None:
    y[start : start + n] = x[first : first + n]


def copy_index(x: Indices, y: Indices, start: int, n: int) -> None:
    y[start : start + n] = x[:n]


def erase(x: Floats, k: int, n: int) -> None:
    x[k : n - 1] = x[k + 1 : n]


erase_index = erase


def products(A: Floats, count: int, m: int, x: Floats, out: Floats) -> None:
    np.matmul(A[:count, :m], x[:m], out=out[:count])


def product(A: Floats, row: int, m: int, x: Floats) -> float:
    return float(A[row, :m] @ x[:m])


def gathered_products(A: Floats, rows: Indices, count: int, m: int, x: Floats, out: Floats) -> None:
    np.matmul(A[rows[:count], :m], x[:m], out=out[:count])


def add_rows(A: Floats, first: int, count: int, m: int, h: Floats, x: Floats) -> None:
    x[:m] += h[first : first + count] @ A[first : first + count, :m]


def gathered_sum(A: Floats, rows: Indices, count: int, m: int, u: Floats, out: Floats) -> None:
    np.matmul(u[:count], A[rows[:count], :m], out=out[:m])


def factor_add_row(
    qt: Floats, r: Floats, e: int, m: int, A: Floats, row: int, work: Floats
) -> None:
    """Append a row of A to M, which then has e + 1 rows and m columns."""
    if e == 0:  # SciPy inserts into a factorisation of at least one column
        h = A[row, :m]
        sign = -1.0 if h[0] > 0.0 else 1.0
        reflector = h.copy()
        reflector[0] -= sign * np.linalg.norm(h)
        reflector /= np.linalg.norm(reflector)
        qt[:m, :m] = np.eye(m) - 2.0 * np.outer(reflector, reflector)
        r[0, :] = 0.0
        r[0, 0] = sign * np.linalg.norm(h)
        return
    q, upper = qr_insert(
        qt[:m, :m].T, _tall(r, e, m), A[row, :m], e, which="col", check_finite=False
    )
    _store(qt, r, q, upper)


def factor_drop_row(qt: Floats, r: Floats, e: int, m: int, k: int) -> None:
    """Remove the k-th of the e rows of M."""
    q, upper = qr_delete(qt[:m, :m].T, _tall(r, e, m), k, which="col", check_finite=False)
    _store(qt, r, q, upper)


def factor_add_column(qt: Floats, r: Floats, e: int, m: int, column: Floats, work: Floats) -> None:
    """Append a column to M, which then has m + 1 of them."""
    q, upper = qr_insert(
        qt[:m, :m].T, _tall(r, e, m), column[:e], m, which="row", check_finite=False
    )
    _store(qt, r, q, upper)


def factor_drop_column(qt: Floats, r: Floats, e: int, m: int, k: int, work: Floats) -> None:
    """Remove the k-th column of M; the last one takes its place."""
    qt[:m, [k, m - 1]] = qt[:m, [m - 1, k]]
    q, upper = qr_delete(qt[:m, :m].T, _tall(r, e, m), m - 1, which="row", check_finite=False)
    _store(qt, r, q, upper)
    qt[:m, m - 1] = 0.0
    qt[m - 1, :m] = 0.0


def _tall(r: Floats, e: int, m: int) -> Floats:
    upper = np.zeros((m, e))
    upper[:e] = r[:e, :e]
    return upper


def _store(qt: Floats, r: Floats, q: Floats, upper: Floats) -> None:
    m = len(q)
    e = upper.shape[1]
    qt[:m, :m] = q.T
    r[:e, :e] = upper[:e]


def thin_project(qt: Floats, e: int, m: int, x: Floats, h: Floats) -> None:
    """Take its part in the rows of M away from x, and return that part in h."""
    np.matmul(qt[:e, :m], x[:m], out=h[:e])
    x[:m] -= h[:e] @ qt[:e, :m]


def thin_add_row(qt: Floats, r: Floats, e: int, m: int, A: Floats, row: int, h: Floats) -> None:
    values = A[row, :m].copy()
    r[e, : e + 1] = 0.0
    r[:e, e] = 0.0
    for _ in range(2):
        thin_project(qt, e, m, values, h)
        r[:e, e] += h[:e]
    r[e, e] = np.linalg.norm(values)
    qt[e, :] = 0.0
    qt[e, :m] = values / r[e, e]


def thin_drop_row(qt: Floats, r: Floats, e: int, m: int, k: int) -> None:
    q, upper = qr_delete(qt[:e, :m].T, np.triu(r[:e, :e]), k, which="col", check_finite=False)
    _store_thin(qt, r, q, upper, e - 1)


def thin_add_column(
    qt: Floats, r: Floats, e: int, m: int, column: Floats, work: Floats, extra: Floats
) -> None:
    q, upper = qr_insert(
        qt[:e, :m].T, np.triu(r[:e, :e]), column[:e], m, which="row", check_finite=False
    )
    _store_thin(qt, r, q, upper, e)


def thin_drop_column(
    qt: Floats, r: Floats, e: int, m: int, k: int, work: Floats, extra: Floats, h: Floats
) -> None:
    qt[:e, [k, m - 1]] = qt[:e, [m - 1, k]]
    q, upper = qr_delete(qt[:e, :m].T, np.triu(r[:e, :e]), m - 1, which="row", check_finite=False)
    _store_thin(qt, r, q, upper, e)
    qt[:e, m - 1] = 0.0


def _store_thin(qt: Floats, r: Floats, q: Floats, upper: Floats, e: int) -> None:
    qt[:e, : len(q)] = q[:, :e].T
    r[:e, :e] = upper[:e, :e]


def solve_upper(R: Floats, e: int, a: Floats) -> None:
    if e:
        a[:e] = dtrtrs(R[:e, :e], a[:e])[0]


def solve_lower(R: Floats, e: int, a: Floats) -> None:
    if e:
        a[:e] = dtrtrs(R[:e, :e], a[:e], trans=1)[0]


def cholesky_add(R: Floats, m: int, x: Floats) -> None:
    """RᵀR := RᵀR + x xᵀ."""
    tall = np.vstack([R[:m, :m], x[None, :m]])
    R[:m, :m] = _positive(np.linalg.qr(tall, mode="r"))


def cholesky_subtract(R: Floats, m: int, x: Floats, least: float) -> bool:
    """RᵀR := RᵀR − x xᵀ; say whether enough of every pivot is left."""
    for i in range(m):
        left = (R[i, i] - x[i]) * (R[i, i] + x[i])
        if not left > least * R[i, i] ** 2:
            return False
        c = np.sqrt(left) / abs(R[i, i])
        s = x[i] / R[i, i]
        R[i, i:m] = (R[i, i:m] - s * x[i:m]) / c
        x[i:m] = c * x[i:m] - s * R[i, i:m]
    return True


def cholesky_drop(R: Floats, m: int, k: int) -> None:
    """Leave out row and column k of RᵀR."""
    kept = np.delete(R[:m, :m], k, axis=1)
    R[:m, :m] = 0.0
    R[: m - 1, : m - 1] = _positive(np.linalg.qr(kept, mode="r"))


def _positive(upper: Floats) -> Floats:
    sign = np.where(np.diag(upper) < 0.0, -1.0, 1.0)
    return upper * sign[:, None]


def scatter(x: Floats, index: Indices, n: int, out: Floats) -> None:
    out[index[:n]] = x[:n]


def row_at(A: Floats, row: int, n: int, out: Floats) -> None:
    out[:n] = A[row, :n]


def curved_loss(center: Floats, slope: Floats, curvature: Floats, score: Floats, n: int) -> float:
    """Return the losses of points with rounded kinks."""
    counts = np.flatnonzero(curvature)
    beyond = score[counts] - center[counts]
    steep = np.clip(beyond * curvature[counts], slope[counts, 0], slope[counts, 1])
    return float(steep @ (beyond - 0.5 * steep / curvature[counts]))


def curved_dual(center: Floats, curvature: Floats, dual: Floats, n: int) -> float:
    """Return what the points with rounded kinks give to the dual objective."""
    counts = np.flatnonzero(curvature)
    alpha = dual[counts]
    return float(alpha @ (center[counts] - 0.5 * alpha / curvature[counts]))


def add_to_first(A: Floats, first: int, last: int, u: float, x: Floats) -> None:
    x[first:last] += u * A[first:last, 0]


def first_dot(A: Floats, first: int, last: int, x: Floats) -> float:
    return float(A[first:last, 0] @ x[first:last])


def first_square(A: Floats, last: int) -> float:
    return float(A[:last, 0] @ A[:last, 0])


def negate(x: Floats, n: int) -> None:
    np.negative(x[:n], out=x[:n])


def scale(u: float, x: Floats, n: int) -> None:
    x[:n] *= u


def gather(x: Floats, index: Indices, n: int, out: Floats) -> None:
    out[:n] = x[index[:n]]


def gather_row(A: Floats, row: int, index: Indices, n: int, B: Floats, place: int) -> None:
    B[place, :n] = A[row, index[:n]]


def signed_column(A: Floats, column: int, label: Floats, n: int, B: Floats, place: int) -> None:
    np.multiply(label, A[:n, column], out=B[:n, place])


def signed_values(x: Floats, label: Floats, n: int, B: Floats, place: int) -> None:
    np.multiply(label, x[:n], out=B[:n, place])


def move_column(B: Floats, source: int, place: int, n: int) -> None:
    B[:n, place] = B[:n, source]


def column_at(B: Floats, rows: Indices, count: int, column: int, out: Floats) -> None:
    out[:count] = B[rows[:count], column]


def _first(room: Floats, rate: Floats, tol: Floats | float, best: float) -> int:
    closing = (rate > tol).nonzero()[0]
    if not len(closing):
        return -1
    steps = np.maximum(room[closing], 0.0) / rate[closing]
    place = steps.argmin()
    return int(closing[place]) if steps[place] < best else -1


def first_bound(
    x: Floats, dx: Floats, low: Floats, high: Floats, n: int, tol: float, best: float, work: Floats
) -> int:
    rate = dx[:n]
    return _first(np.where(rate < 0.0, x[:n] - low[:n], high[:n] - x[:n]), np.abs(rate), tol, best)


def first_closing(
    side: Floats,
    slack: Floats,
    fall: Floats,
    size: Floats,
    n: int,
    tol: float,
    best: float,
    work: Floats,
) -> int:
    return _first(side[:n] * slack[:n], side[:n] * fall[:n], tol * size[:n], best)


def first_leaving(
    side: Floats, x: Floats, dx: Floats, n: int, tol: float, best: float, work: Floats
) -> int:
    return _first(side[:n] * x[1 : n + 1], -side[:n] * dx[1 : n + 1], tol, best)


def first_entering(
    v: Floats,
    only: Floats,
    c: Floats,
    dc: Floats,
    size: Floats,
    n: int,
    l1: float,
    dl1: float,
    tol: float,
    tol_l1: float,
    best: float,
    work: Floats,
) -> int:
    own = dl1 * v[:n]
    at = l1 * v[:n]
    rate = np.concatenate([dc[:n] - own, -dc[:n] - own])
    room = np.concatenate([at - c[:n], at + c[:n]])
    rate[np.concatenate([only[:n] < 0.0, only[:n] > 0.0])] = -np.inf
    noise = tol * size[:n] + tol_l1 * v[:n]
    place = _first(room, rate, np.concatenate([noise, noise]), best)
    return place if place < n else place - n


def _listed(reached: NDArray[np.bool_], out: Indices) -> int:
    places = reached.nonzero()[0]
    out[: len(places)] = places
    return len(places)


def _counted(reached: NDArray[np.bool_], listed: bool, out: Indices) -> int:
    return _listed(reached, out) if listed else int(np.count_nonzero(reached))


def at_bounds(
    x: Floats,
    low: Floats,
    high: Floats,
    dx: Floats,
    n: int,
    tol: float,
    noise: float,
    listed: bool,
    out: Indices,
) -> int:
    reached = np.concatenate([x[:n] - low[:n], high[:n] - x[:n]]) <= tol
    if listed:
        reached &= np.concatenate([-dx[:n], dx[:n]]) > noise
    return _counted(reached, listed, out)


def at_kink(
    side: Floats,
    slack: Floats,
    target: Floats,
    size: Floats,
    fall: Floats,
    n: int,
    tol: float,
    tol_size: float,
    noise: float,
    listed: bool,
    out: Indices,
) -> int:
    reached = side[:n] * slack[:n] <= tol * target[:n] + tol_size * size[:n]
    if listed:
        reached &= side[:n] * fall[:n] > noise * size[:n]
    return _counted(reached, listed, out)


def at_zero(
    side: Floats,
    x: Floats,
    dx: Floats,
    n: int,
    tol: float,
    noise: float,
    listed: bool,
    out: Indices,
) -> int:
    reached = (side[:n] * x[1 : n + 1] <= tol) & (side[:n] != 0.0)
    if listed:
        reached &= -side[:n] * dx[1 : n + 1] > noise
    return _counted(reached, listed, out)


def at_thresholds(
    v: Floats,
    only: Floats,
    c: Floats,
    dc: Floats,
    size: Floats,
    n: int,
    l1: float,
    dl1: float,
    tol: float,
    noise: float,
    noise_l1: float,
    listed: bool,
    out: Indices,
) -> int:
    level = l1 * v[:n] - tol * size[:n]
    reached = np.concatenate(
        [(c[:n] >= level) & (only[:n] >= 0.0), (-c[:n] >= level) & (only[:n] <= 0.0)]
    )
    if listed:
        least = (dl1 + noise_l1) * v[:n] + noise * size[:n]
        reached &= np.concatenate([dc[:n] > least, -dc[:n] > least])
    return _counted(reached, listed, out)


def near_rows(
    position: Indices,
    target: Floats,
    score: Floats,
    norm: Floats,
    n: int,
    reach: float,
    out: Indices,
) -> int:
    piece = np.maximum(position[:n], 0) >> 1
    above, below = _slacks(piece, target, score[:n])
    near = (position[:n] & 1 == 1) | (np.minimum(above, below) < reach * norm[:n])
    return _listed((position[:n] >= 0) & near, out)


def _slacks(piece: Indices, target: Floats, score: Floats) -> tuple[Floats, Floats]:
    kinks = target.shape[1]
    rows = np.arange(len(piece))
    above = np.where(piece < kinks, target[rows, np.minimum(piece, kinks - 1)] - score, np.inf)
    below = np.where(piece > 0, score - target[rows, np.maximum(piece - 1, 0)], np.inf)
    return above, below


def near_kinks(
    rows: Indices,
    count: int,
    position: Indices,
    target: Floats,
    score: Floats,
    norm: Floats,
    reach: float,
    row: Indices,
    side: Floats,
    slack: Floats,
    size: Floats,
    scale: Floats,
    kink: Indices,
) -> int:
    members = rows[:count]
    places = np.flatnonzero((position[members] >= 0) & (position[members] & 1 == 0))
    members = members[places]
    piece = position[members] >> 1
    above, below = _slacks(piece, target[members], score[places])
    within = reach * norm[members]
    up = np.flatnonzero((piece < target.shape[1]) & (above < within))
    down = np.flatnonzero((piece > 0) & (below < within))
    chosen = np.concatenate([up, down])
    z = len(chosen)
    row[:z] = members[chosen]
    side[: len(up)] = 1.0
    side[len(up) : z] = -1.0
    slack[: len(up)] = above[up]
    slack[len(up) : z] = -below[down]
    kink[: len(up)] = piece[up]
    kink[len(up) : z] = piece[down] - 1
    size[:z] = norm[row[:z]]
    scale[:z] = np.abs(target[row[:z], kink[:z]])
    return z


def add_moments(sign: float, A: Floats, row: int, p: int, sums: Floats, square: Floats) -> None:
    values = A[row, :p]
    sums[:p] += sign * values
    square[:p] += sign * values * values


def spread(sums: Floats, square: Floats, p: int, count: int, out: Floats) -> float:
    np.maximum(square[:p] - sums[:p] ** 2 / count, 0.0, out=out[:p])
    return float(out[:p].sum())


def paces(
    sums: Floats,
    low: Floats,
    high: Floats,
    norm: Floats,
    v: Floats,
    p: int,
    count: int,
    elsewhere: float,
    unit_l1: float,
    unbalanced: float,
    pace: Floats,
) -> None:
    mean = sums[:p] / count
    largest = elsewhere * np.maximum(mean - low[:p], high[:p] - mean)
    varying = np.sqrt(pace[:p]) + unbalanced * norm[:p]
    pace[:p] = np.sqrt(varying**2 + largest**2 + (unit_l1 * v[:p]) ** 2)


def distances(
    v: Floats,
    only: Floats,
    c: Floats,
    pace: Floats,
    out_of_play: Indices,
    p: int,
    l1: float,
    out: Floats,
) -> None:
    size = np.where(only[:p] == 0.0, np.abs(c[:p]), only[:p] * c[:p])
    out[:p] = (l1 * v[:p] - size) / pace[:p]
    out[:p][out_of_play[:p] != 0] = np.inf


def distances_ahead(
    v: Floats,
    only: Floats,
    c: Floats,
    dc: Floats,
    out_of_play: Indices,
    p: int,
    l1: float,
    dl1: float,
    speed: float,
    out: Floats,
) -> None:
    out[:p] = np.inf
    for sign in (1.0, -1.0):
        rate = sign * dc[:p] - dl1 * v[:p]
        room = np.maximum(l1 * v[:p] - sign * c[:p], 0.0)
        may = (rate > 0.0) & (sign * only[:p] >= 0.0)
        steps = np.divide(room, rate, out=np.full(p, np.inf), where=may)
        np.minimum(out[:p], steps, out=out[:p])
    np.multiply(out[:p], speed, out=out[:p], where=out[:p] < np.inf)
    out[:p][out_of_play[:p] != 0] = np.inf


def about_nth(x: Floats, n: int, k: int, work: Floats) -> float:
    """Return about the k-th smallest value: that of a sample, where it is among many."""
    stride = min(max(k // 64, 1), 8)
    return float(np.partition(x[:n:stride], k // stride)[k // stride])


def below(x: Floats, n: int, limit: float, out: Indices) -> int:
    return _listed(x[:n] < limit, out)


def total_loss(
    position: Indices, target: Floats, slope: Floats, height: Floats, score: Floats, n: int
) -> float:
    rows = np.flatnonzero(position[:n] >= 0)
    piece = position[rows] >> 1
    kink = np.minimum(piece, target.shape[1] - 1)
    loss = height[rows, kink]
    off = position[rows] & 1 == 0
    along = slope[rows, piece] * (score[rows] - target[rows, kink])
    return float(loss.sum() + along[off & (slope[rows, piece] != 0.0)].sum())


def misplaced(
    position: Indices,
    target: Floats,
    slope: Floats,
    score: Floats,
    norm: Floats,
    n: int,
    tol: float,
    size: float,
) -> float:
    rows = np.flatnonzero(position[:n] >= 0)
    kinks = target.shape[1]
    piece = position[rows] >> 1
    at = position[rows] & 1 == 1
    kink = np.minimum(piece, kinks - 1)
    under = np.maximum(np.where(at, piece, piece - 1), 0)
    jump = np.diff(slope[rows], axis=1)
    places = np.arange(len(rows))
    slack = tol * (np.abs(target[rows, kink]) + norm[rows] * size)
    above = np.where(at | (piece < kinks), score[rows] - target[rows, kink], 0.0)
    below = np.where(at | (piece > 0), target[rows, under] - score[rows], 0.0)
    total = (jump[places, kink] * above)[above > slack].sum()
    return float(total + (jump[places, under] * below)[below > slack].sum())


def way_length(inside: Indices, rows: Indices, u: Floats, n: int, elsewhere: float) -> float:
    here = inside[rows[:n]] != 0
    square = u[:n][here] @ u[:n][here]
    return float(square + (np.abs(u[:n][~here]).sum() / elsewhere) ** 2)


def ruled_length(
    place: Indices, twist: Floats, rows: Indices, u: Floats, n: int, elsewhere: float, work: Floats
) -> float:
    where = place[rows[:n]]
    inside = where >= 0
    here = u[:n][inside]
    twisted = here @ twist[where[inside]]
    outside = np.abs(u[:n][~inside]).sum() / elsewhere
    return float(here @ here + twisted @ twisted + outside**2)


def gather_index(x: Indices, index: Indices, n: int, out: Indices) -> None:
    out[:n] = x[index[:n]]


def times_gathered(u: Floats, x: Floats, index: Indices, n: int, out: Floats) -> None:
    np.multiply(u[:n], x[index[:n]], out=out[:n])


def changed(x: Floats, y: Floats, sign: Floats, n: int, rows: Indices, change: Floats) -> int:
    moved = np.flatnonzero(x[:n] != y[:n])
    rows[: len(moved)] = moved
    change[: len(moved)] = sign[moved] * (x[moved] - y[moved])
    return len(moved)


def duals(
    position: Indices,
    level: Floats,
    elbow: Indices,
    alpha: Floats,
    n: int,
    n_elbow: int,
    out: Floats,
) -> None:
    out[:n] = level[np.arange(n), np.maximum(position[:n], 0) >> 1]
    out[:n][position[:n] < 0] = 0.0
    out[elbow[:n_elbow]] = alpha[:n_elbow]


def nonzero(x: Floats, n: int, rows: Indices, values: Floats) -> int:
    places = np.flatnonzero(x[:n])
    rows[: len(places)] = places
    values[: len(places)] = x[places]
    return len(places)


def dual_total(position: Indices, target: Floats, height: Floats, dual: Floats, n: int) -> float:
    rows = np.flatnonzero(position[:n] >= 0)
    kink = np.minimum(position[rows] >> 1, target.shape[1] - 1)
    return float(height[rows, kink].sum() + dual[rows] @ target[rows, kink])


def missed_kinks(
    A: Floats,
    rows: Indices,
    count: int,
    m: int,
    beta: Floats,
    position: Indices,
    target: Floats,
    out: Floats,
) -> None:
    members = rows[:count]
    out[:count] = target[members, position[members] >> 1] - A[members, :m] @ beta[:m]


def settle_home(beta: Floats, active: Indices, n: int, home: Floats, support: Indices) -> None:
    support[:n] = active[:n] + 1
    home[0] = beta[0]
    home[support[:n]] = beta[1 : n + 1]


def clear_at(x: Floats, places: Indices, n: int) -> None:
    x[places[:n]] = 0.0


def square_from_home(
    beta: Floats,
    active: Indices,
    n: int,
    is_active: Indices,
    home: Floats,
    support: Indices,
    count: int,
) -> float:
    change = beta[1 : n + 1] - home[active[:n] + 1]
    there = support[:count]
    left = home[there[is_active[there - 1] == 0]]
    return float((beta[0] - home[0]) ** 2 + change @ change + left @ left)


def weighted_entry(
    A: Floats, rows: Indices, n: int, column: int, a: Floats, label: Floats, elbow: Indices
) -> float:
    return float((a[:n] * label[elbow[:n]]) @ A[rows[elbow[:n]], column])


def first_missing(place: Indices, rows: Indices, n: int) -> int:
    missing = place[rows[:n]] < 0
    return int(missing.argmax()) if missing.any() else n


def gather_column(
    A: Floats, place: Indices, rows: Indices, n: int, column: int, B: Floats, width: int
) -> None:
    B[:n, width] = A[place[rows[:n]], column]


def fill_index(x: Indices, value: int, n: int) -> None:
    x[:n] = value


def count_up(x: Indices, n: int) -> None:
    x[:n] = np.arange(n)
