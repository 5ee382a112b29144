"""Which points of two convex hulls are nearest to one another?

    min ‖Σ α_n y_n φ(x_n)‖²   subject to   α ≥ 0,  Σ α = 1 in each class

It is solved by Wolfe's active set, which ends after finitely many steps, on rows as points of the feature space.

References: Wolfe (1976), *Finding the nearest point in a polytope*; Bennett and Bredensteiner (2000), *Duality and
geometry in SVM classifiers*.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import LinAlgError, lapack, qr, qr_delete, qr_insert, solve_triangular

from chemin.dictionaries.base import Floats
from chemin.exceptions import InvalidInputError
from chemin.kernels import Kernel

_EPSILON = float(np.finfo(float).eps)
_ROUNDING = 16.0 * _EPSILON  # of inner products of points at most 1 from the origin
_CONVERGED = 1e-14  # of the squared distance of the hulls


@dataclass(frozen=True, eq=False)
class Cloud:
    """Rows as points of the feature space, moved to their mean and shrunk to radius 1.

    Attributes
    ----------
    points : ndarray of shape (n, r)
        Their coordinates.
    radius : float
        By what they were divided.
    blur : float
        What rounding may add to a distance of the points as they were.
    """

    points: Floats
    radius: float
    blur: float


def cloud_of_rows(centred: Floats, X: Floats) -> Cloud:
    """Return rows as they are, or turned into as many coordinates as there are rows if these are fewer."""
    n, p = centred.shape
    points = qr(centred.T, mode="economic")[1].T if p > n else centred
    return _shrunk(points, 16.0 * _EPSILON * float(np.linalg.norm(X, axis=1).max()))


def cloud_of_kernel(kernel: Kernel, X: Floats) -> Cloud:
    """Return points whose inner products are the centred matrix of a kernel, by its Cholesky factor."""
    gram = kernel(X, X)
    n = len(gram)
    least = n * _EPSILON * float(np.abs(np.diagonal(gram)).max())  # a smaller pivot is rounding
    means = gram.mean(axis=0)
    gram = gram - means - means[:, None] + means.mean()
    points = np.zeros((n, 1))
    if np.diagonal(gram).max() > least:
        factor, order, rank, _ = lapack.dpstrf(gram, tol=least)
        points = np.empty((n, rank))
        points[order - 1] = np.triu(factor)[:rank].T
    if np.abs(gram - points @ points.T).max() > 100.0 * least:
        raise InvalidInputError(
            f"the kernel {kernel} is not positive semi-definite on these rows, so that there is no margin: pass one "
            "that is, such as Gaussian()"
        )
    return _shrunk(points, 4.0 * float(np.sqrt(least)))


def _shrunk(points: Floats, blur: float) -> Cloud:
    points = points - points.mean(axis=0)
    radius = float(np.linalg.norm(points, axis=1).max()) or 1.0
    return Cloud(points / radius, radius, blur)


def nearest_points(points: Floats, sign: Floats) -> Floats:
    """Return the weights of the rows in the nearest points of the convex hulls of two classes.

    Wolfe's active set: the row that is furthest ahead of the nearest points found so far joins them, and rows whose
    weights would become negative leave. Points must be at most about 1 from the origin.

    Examples
    --------
    >>> nearest_points(np.array([[0.0], [0.3], [1.0], [0.9]]), np.array([-1.0, -1.0, 1.0, 1.0])).tolist()
    [0.0, 1.0, 0.0, 1.0]
    """
    classes = np.column_stack([sign > 0.0, sign < 0.0])
    signed = sign[:, None] * points
    columns = np.hstack([signed, classes])
    ahead = signed @ (points[classes[:, 0]].mean(axis=0) - points[classes[:, 1]].mean(axis=0))
    chosen = [int(np.argmin(np.where(mine, ahead, np.inf))) for mine in classes.T]
    share = np.ones(2)
    Q, R = qr(columns[chosen].T, mode="economic")
    shortest, best = np.inf, (chosen, share)
    while True:
        apart = share @ signed[chosen]
        length = float(np.linalg.norm(apart))
        if not length < shortest:  # by rounding: every step is shorter
            break
        shortest, best = length, (chosen.copy(), share)
        if length <= _ROUNDING or len(chosen) == columns.shape[1]:  # the hulls meet
            break
        ahead = signed @ apart
        level = classes @ ((share * ahead[chosen]) @ classes[chosen])
        short = level - ahead
        short[chosen] = 0.0
        new = int(np.argmax(short))
        if short[new] <= max(_CONVERGED * length**2, _ROUNDING * length):
            break
        try:
            Q, R = qr_insert(Q, R, columns[new], len(chosen), which="col")
        except LinAlgError:  # it is in the affine hulls already, and ahead by rounding only
            break
        chosen.append(new)
        share, Q, R = _shortened(chosen, np.append(share, 0.0), Q, R)
    weight = np.zeros(len(points))
    weight[best[0]] = best[1]
    return weight


def _shortened(
    chosen: list[int], share: Floats, Q: Floats, R: Floats
) -> tuple[Floats, Floats, Floats]:
    """Go from the shares towards those of the nearest points of the affine hulls, and take out rows left behind.

    With QR = [signed rows; classes] and E the last two rows of Q, the shares α of least ‖Σ α y φ‖ and sums 1 solve
    R α = Eᵀ(E Eᵀ)⁻¹ 1.
    """
    while True:
        last = Q[-2:]
        wanted = solve_triangular(R, last.T @ np.linalg.solve(last @ last.T, np.ones(2)))
        falling = np.flatnonzero(wanted <= 0.0)
        if not len(falling):
            return wanted, Q, R
        steps = share[falling] / (share[falling] - wanted[falling])
        gone = int(falling[np.argmin(steps)])
        share = np.delete(share + steps.min() * (wanted - share), gone)
        Q, R = qr_delete(Q, R, gone, which="col")
        del chosen[gone]
        Q, R = Q[:, : len(chosen)], R[: len(chosen)]  # SciPy leaves a square Q square
