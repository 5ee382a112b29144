"""On which made-up data does the path show how it works? Generators of the experiments.

Every generator returns ``(X, y)``: points in rows, labels −1 and +1, the same numbers for the same ``random_state``.

Reference: A. Lachaud, *Discrimination robuste par méthode à noyaux*, INSA Rouen, 2015, sections 2.2.5.4 and 2.3.7.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from chemin.dictionaries.base import Floats

__all__ = ["benchmark_gaussian", "gaussian_pair", "separated_line"]

Labels = NDArray[np.int64]

_LINE = (-5.0, -4.1, -3.3, -2.2, -1.0, 0.9, 1.7, 2.9, 4.4, 5.2)


def separated_line() -> tuple[Floats, Labels]:
    """Return ten points on a line, five per class, separated at zero.

    The smallest data on which a path in s = ‖b‖₁ stops: two points of the elbow determine b0 and b, so s cannot move.
    The path in l1 goes on, because the dual values still can.

    Returns
    -------
    X : ndarray of shape (10, 1)
    y : ndarray of shape (10,)

    Examples
    --------
    >>> from chemin.datasets import separated_line
    >>> X, y = separated_line()
    >>> X.ravel().tolist()
    [-5.0, -4.1, -3.3, -2.2, -1.0, 0.9, 1.7, 2.9, 4.4, 5.2]
    >>> y.tolist()
    [-1, -1, -1, -1, -1, 1, 1, 1, 1, 1]
    """
    X = np.array(_LINE)[:, None]
    return X, np.where(X[:, 0] > 0.0, 1, -1)


def gaussian_pair(
    n_per_class: int = 50,
    p: int = 100,
    n_informative: int = 50,
    shift: float = 1.0,
    random_state: int | np.random.Generator | None = 0,
) -> tuple[Floats, Labels]:
    """Draw two Gaussian classes of unit variance that differ by `shift` in their first variables only.

    Parameters
    ----------
    n_per_class : int, default 50
        Points in each class; the positive class comes first.
    p : int, default 100
        Variables.
    n_informative : int, default 50
        Variables whose mean is `shift` in the positive class; all other means are 0.
    shift : float, default 1.0
        Distance of the two means along each informative variable.
    random_state : int, Generator or None, default 0
        Passed to `numpy.random.default_rng`.

    Returns
    -------
    X : ndarray of shape (2 n_per_class, p)
    y : ndarray of shape (2 n_per_class,)

    Examples
    --------
    >>> from chemin.datasets import gaussian_pair
    >>> X, y = gaussian_pair()
    >>> X.shape, int(y.sum())
    ((100, 100), 0)
    >>> round(float(X[y > 0, :50].mean() - X[y < 0, :50].mean()), 1)
    1.0
    """
    rng = np.random.default_rng(random_state)
    X = rng.standard_normal((2 * n_per_class, p))
    X[:n_per_class, :n_informative] += shift
    return X, np.repeat([1, -1], n_per_class)


def benchmark_gaussian(
    n: int, p: int, random_state: int | np.random.Generator | None = 0
) -> tuple[Floats, Labels]:
    """Draw the Gaussian problem on which solvers are compared: one unit apart along min(50, p) variables.

    Columns have mean 0 and variance 1, rows are shuffled.

    Parameters
    ----------
    n : int
        Points, half of them in each class.
    p : int
        Variables.
    random_state : int, Generator or None, default 0
        Passed to `numpy.random.default_rng`.

    Returns
    -------
    X : ndarray of shape (n, p)
    y : ndarray of shape (n,)

    Examples
    --------
    >>> from chemin.datasets import benchmark_gaussian
    >>> X, y = benchmark_gaussian(100, 100, random_state=1)
    >>> X.shape, y[:5].tolist()
    ((100, 100), [1, 1, -1, -1, 1])
    >>> bool(abs(X.mean(axis=0)).max() < 1e-12)
    True
    """
    rng = np.random.default_rng(random_state)
    half, informative = n // 2, min(50, p)
    X = rng.standard_normal((n, p))
    X[:half, :informative] += 0.5
    X[half:, :informative] -= 0.5
    X -= X.mean(axis=0)
    X /= X.std(axis=0)
    order = rng.permutation(n)
    return X[order], np.repeat([1, -1], [half, n - half])[order]
