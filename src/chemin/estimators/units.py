"""In which units are variables compared? In their own, or in those of their spread over the training points."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.preprocessing import StandardScaler

from chemin.dictionaries.base import Floats


def spreads(X: Any, weight: Floats) -> Floats:
    """Return the standard deviation of every variable; 1 for one that is constant.

    Examples
    --------
    >>> spreads(np.array([[0.0, 5.0], [2.0, 5.0]]), np.ones(2)).tolist()
    [1.0, 1.0]
    """
    return np.asarray(StandardScaler(with_mean=False).fit(X, sample_weight=weight).scale_)


def in_units_of(X: Any, unit: Floats) -> Any:
    """Return points, dense or sparse, with every variable divided by its unit."""
    if np.all(unit == 1.0):
        return X
    if sparse.issparse(X):
        return sparse.csr_array(X @ sparse.diags_array(1.0 / unit))
    return X / unit
