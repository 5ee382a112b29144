"""Which implementation of the inner loop is there: compiled, or NumPy and SciPy only?

Both give the same path (the tests run them against each other). Set ``CHEMIN_PURE=1`` to ignore the compiled one.
"""

from __future__ import annotations

import os

from chemin.path.factor import Factor

COMPILED = False
__all__ = ["COMPILED", "Factor"]
