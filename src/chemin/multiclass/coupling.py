"""Which class probabilities agree best with the probabilities of all pairs?

Machine (i, j) gives r_ij ≈ P(class i | x, class i or j) = p_i/(p_i + p_j). The second method of Wu, Lin and Weng (2004)
solves, for every x,

    min_p  Σ_i Σ_{j≠i} (r_ji p_i − r_ij p_j)²   subject to  Σ_i p_i = 1,

whose solution is never negative and satisfies a linear system: Q p + b e = 0, eᵀp = 1, with Q_ii = Σ_{j≠i} r_ji² and
Q_ij = −r_ji r_ij. It returns p exactly if the pairs are consistent.

The sums p̃_i = 2 Σ_{j≠i} r_ij / (K(K − 1)) of Hastie and Tibshirani (1998) are the votes of the probabilities.
"""

from __future__ import annotations

import numpy as np

from chemin.dictionaries.base import Floats

__all__ = ["couple", "pair_table"]

_LEAST = 1e-7  # keeps the system regular when a machine says 0 or 1
_BLOCK = 2**21  # numbers per block of systems: 16 MB


def pair_table(plus: Floats, k: int) -> Floats:
    """Return r with r_ij + r_ji = 1 and r_ii = 0 from the probabilities of the second class of the pairs i < j.

    Examples
    --------
    >>> pair_table(np.array([[0.25, 0.0, 1.0]]), 3)[0].tolist()
    [[0.0, 0.75, 1.0], [0.25, 0.0, 0.0], [0.0, 1.0, 0.0]]
    """
    low, high = np.triu_indices(k, 1)
    r = np.zeros((len(plus), k, k))
    r[:, high, low] = plus
    r[:, low, high] = 1.0 - plus
    return r


def couple(r: Floats) -> Floats:
    """Return class probabilities from pair probabilities.

    Parameters
    ----------
    r : ndarray of shape (n, K, K)
        ``r[x, i, j]`` is the probability of class i rather than j; the diagonal is not read.

    Returns
    -------
    ndarray of shape (n, K)

    Examples
    --------
    >>> p = np.array([0.5, 0.3, 0.2])
    >>> couple((p[:, None] / (p[:, None] + p))[None]).round(12).tolist()
    [[0.5, 0.3, 0.2]]
    """
    k = r.shape[1]
    step = max(1, _BLOCK // (k + 1) ** 2)
    return np.vstack([_couple(r[start : start + step]) for start in range(0, len(r), step)])


def _couple(r: Floats) -> Floats:
    n, k, _ = r.shape
    diagonal = np.arange(k)
    r = np.clip(r, _LEAST, 1.0 - _LEAST)
    r[:, diagonal, diagonal] = 0.0
    system = np.zeros((n, k + 1, k + 1))
    system[:, :k, :k] = -r * r.transpose(0, 2, 1)
    system[:, diagonal, diagonal] = (r**2).sum(axis=1)
    system[:, :k, k] = system[:, k, :k] = 1.0
    right = np.zeros((n, k + 1, 1))
    right[:, k] = 1.0
    p = np.maximum(np.linalg.solve(system, right)[:, :k, 0], 0.0)  # below zero by rounding only
    return p / p.sum(axis=1, keepdims=True)
