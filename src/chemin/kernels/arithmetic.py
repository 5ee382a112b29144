"""How are inner products, distances and powers of whole matrices computed, fast and without cancellation?

    ‖x − z‖² = ‖x‖² + ‖z‖² − 2 x·z

costs one matrix product, but loses all digits when x and z are close to each other and far from the origin. So both
are centred on the mean of Z first, and the few pairs whose distance is small beside their norms are computed again from
x − z: the relative error stays near 1e-11 at worst, and equal points are at distance 0 exactly.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from chemin.dictionaries.base import Floats
from chemin.exceptions import InvalidInputError
from chemin.kernels.parameters import Width

_CANCELLED = 1e-5  # a squared distance below this part of ‖x‖² + ‖z‖² has lost five digits or more
_ENTRIES = 1 << 16  # numbers handled at once, few enough to stay in the cache


def inner(X: Any, Z: Any) -> Floats:
    """Return all x_i·z_j.

    Examples
    --------
    >>> inner(np.eye(2), np.array([[3.0, 4.0]])).tolist()
    [[3.0], [4.0]]
    """
    product = X @ Z.T
    return product.toarray() if sparse.issparse(product) else product


def squared_norms(X: Any) -> Floats:
    """Return every ‖x_i‖².

    Examples
    --------
    >>> squared_norms(np.array([[3.0, 4.0]])).tolist()
    [25.0]
    """
    return (
        np.asarray(X.multiply(X).sum(axis=1)).ravel()
        if sparse.issparse(X)
        else np.einsum("ij,ij->i", X, X)
    )


def squared_distances(X: Any, Z: Any, width: Width = 1.0) -> Floats:
    """Return all Σ ((x − z)/width)², the axes of infinite width left out.

    Examples
    --------
    >>> points = np.array([[1e9], [1e9 + 1]])
    >>> squared_distances(points, points).tolist()
    [[0.0, 1.0], [1.0, 0.0]]
    """
    if sparse.issparse(X) and max(np.prod(X.shape), np.prod(Z.shape)) <= _ENTRIES:
        X, Z = X.toarray(), Z.toarray()  # of so few numbers, sparse arithmetic costs more
    centre = None if sparse.issparse(Z) else Z.sum(axis=0) / max(len(Z), 1)
    left, right = scaled(X, width, centre), scaled(Z, width, centre)
    x, z = squared_norms(left), squared_norms(right)
    squared = inner(left, right)
    squared *= -2.0
    squared += x[:, None]
    squared += z
    # One comparison with a number finds few candidates, of which the cancelled ones are kept.
    rows, columns = np.nonzero(squared < _CANCELLED * (x.max(initial=0.0) + z.max(initial=0.0)))
    cancelled = squared[rows, columns] < _CANCELLED * (x[rows] + z[columns])
    rows, columns = rows[cancelled], columns[cancelled]
    step = max(_ENTRIES // max(X.shape[1], 1), 1)
    for start in range(0, rows.size, step):
        i, j = rows[start : start + step], columns[start : start + step]
        squared[i, j] = squared_norms(scaled(X[i] - Z[j], width))
    return squared


def scaled(X: Any, width: Width, centre: Floats | None = None) -> Any:
    """Return (x − centre)/width."""
    if isinstance(width, tuple) and len(width) != X.shape[1]:
        raise InvalidInputError(
            f"width has {len(width)} values and X has {X.shape[1]} columns: pass one per column"
        )
    factor = 1.0 / np.broadcast_to(width, X.shape[1])
    if sparse.issparse(X):
        return sparse.csr_array(X.multiply(factor[None, :]))
    moved = np.subtract(X, 0.0 if centre is None else centre)
    moved *= factor
    return moved


def integer_power(base: Floats, degree: int, out: Floats | None = None) -> Floats:
    """Return base to a power ≥ 1, in a new array or in `out`.

    Repeated squaring, since `np.power` would take a logarithm per entry; a few rows at a time, to stay in the cache.

    Examples
    --------
    >>> integer_power(np.array([-2.0, 3.0]), 5).tolist()
    [-32.0, 243.0]
    """
    raised = np.empty_like(base) if out is None else out
    step = max(_ENTRIES * len(base) // max(base.size, 1), 1)
    for start in range(0, len(base), step):
        raised[start : start + step] = _squarings(base[start : start + step], degree)
    return raised


def _squarings(base: Floats, degree: int) -> Floats:
    if degree == 1:
        return base
    half = _squarings(base * base, degree // 2)
    return half * base if degree % 2 else half
