"""What remains of several probabilities when as many questions were asked? Holm's adjustment.

The k-th least of m probabilities is taken m − k + 1 times, never falling; one question in twenty answered by chance
becomes one table of questions in twenty.

Reference: Holm (1979), *A simple sequentially rejective multiple test procedure*.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

__all__ = ["holm"]


def holm(pvalues: Sequence[float] | NDArray[np.float64]) -> NDArray[np.float64]:
    """Return adjusted probabilities.

    Examples
    --------
    >>> holm([0.04, 0.01, 0.03]).round(2).tolist()
    [0.06, 0.03, 0.06]
    """
    given = np.asarray(pvalues, dtype=float)
    order = np.argsort(given, kind="stable")
    times = np.arange(len(given), 0, -1)
    adjusted = np.empty(len(given))
    adjusted[order] = np.minimum(np.maximum.accumulate(given[order] * times), 1.0)
    return adjusted
