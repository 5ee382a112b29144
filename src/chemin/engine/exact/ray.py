"""Which way does a path go, if not along l1? A line in the plane of the two penalties.

For fixed sets B = l2 β and α satisfy H B − Mᵀα = g − l1 push and M B = l2 z: they are affine in (l1, l2) together. So
every line in the plane is one more path, with the same events, and l1 is one direction among others.

Reference: Hastie, Rosset, Tibshirani and Zhu (2004), *The entire regularization path for the support
vector machine*, which follows l2 at l1 = 0.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from chemin.dictionaries.base import Floats


class Ray(NamedTuple):
    """From one (l1, l2) to another; both l2 are positive.

    Examples
    --------
    >>> Ray((0.0, 100.0), (0.0, 1.0)).at(np.array([1.0, 0.5, 0.0])).tolist()
    [[0.0, 100.0], [0.0, 50.5], [0.0, 1.0]]
    """

    start: tuple[float, float]
    end: tuple[float, float]

    def at(self, left: Floats | float) -> Floats:
        """Return (l1, l2) where so much of the ray is left: shape (2,), or (k, 2) for k values."""
        share = np.asarray(left)[..., None]
        return share * np.array(self.start) + (1.0 - share) * np.array(self.end)
