"""Which settings do models of classes and of numbers share?"""

from __future__ import annotations

import numpy as np

ADAPTIVE_ROWS = 1000  # from here a network is trained by batches, and a tenth of the rows stops it
FOREST = 200  # trees
NEIGHBOURS = 7
RIDGES = tuple(np.logspace(-3.0, 5.0, 17).tolist())
STEPS = 10_000  # at most, of solvers that end by their tolerance


def smallest_leaf(n: int) -> int:
    """Return how many rows a leaf of boosted trees has at least: 20, and fewer where rows are few.

    Examples
    --------
    >>> smallest_leaf(60), smallest_leaf(10_000)
    (3, 20)
    """
    return min(20, max(2, n // 20))
