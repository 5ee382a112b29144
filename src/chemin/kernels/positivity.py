"""Is this kernel an inner product? What is known of it, or what its matrix on data says."""

from __future__ import annotations

from typing import Any

import numpy as np

from chemin.exceptions import InvalidInputError
from chemin.kernels.base import Kernel

__all__ = ["is_positive"]


def is_positive(kernel: Kernel, X: Any, tol: float = 1e-10) -> bool:
    """Return whether a kernel is positive semi-definite: as known, or else as measured on X.

    When ``kernel.positive`` is None, the matrix K = k(X, X) must be symmetric, and its smallest eigenvalue at least
    −tol times the largest in absolute value. That K fails on these points is a proof; that it passes is a hint.

    Examples
    --------
    >>> from chemin.kernels import Epanechnikov, Function, Gaussian
    >>> X = [[0.0], [1.0], [2.0]]
    >>> is_positive(Gaussian(), X), is_positive(Epanechnikov(), X)
    (True, False)
    >>> is_positive(Gaussian() + -2 * Gaussian(3), X)
    False
    """
    if not tol >= 0:
        raise InvalidInputError(f"tol is {tol!r}: pass a number >= 0, such as 1e-10")
    if kernel.positive is not None:
        return kernel.positive
    matrix = kernel(X, X)
    if np.abs(matrix - matrix.T).max(initial=0.0) > tol * np.abs(matrix).max(initial=0.0):
        return False
    eigenvalues = np.linalg.eigvalsh(matrix)
    return bool(eigenvalues.min(initial=0.0) >= -tol * np.abs(eigenvalues).max(initial=0.0))
