"""How far may the path go before what is not watched must be looked at again?

Whatever is not watched is safe within a limit from where it was last seen. Steps are added up; when
their sum reaches the limit, the distance is measured afresh, which is shorter than the sum. The
size of a choice is such that using it costs what making it does.
"""

from __future__ import annotations

import numpy as np

try:
    import cython
except ImportError:
    from chemin.engine.exact.inner import typing as cython

from chemin.engine.thresholds import MEMORY_OF_COSTS as _MEMORY

if cython.compiled:
    from cython.cimports.libc.math import sqrt
else:
    from math import sqrt

MEMORY = cython.declare(cython.double, _MEMORY) if cython.compiled else _MEMORY


class Limit:
    """The limit of one choice, how much of it is used up, and what the last choices cost.

    Attributes
    ----------
    limit, bound : float
        How far the path may go, and how far it has gone at most.
    steps, uses : int
        Steps since the choice was made, and how often it was used.
    once : bool
        Whether the limit holds for one step only, in the direction it was made for.
    """

    def __init__(self):
        self.limit = np.inf
        self.bound = 0.0
        self.using = 0.0
        self.choosing = 0.0
        self.steps = 0
        self.uses = 0
        self.exhausted = False
        self.once = False

    def room(self):
        """Return how much further the path may go on trust."""
        if self.once and self.steps:
            return 0.0
        return self.limit - self.bound

    def count(self, distance):
        """Take note of a step."""
        self.bound += distance
        self.steps += 1
        self.uses += 1

    def begin(self, limit, once):
        """Start from here: what was not chosen is at least ``limit`` away."""
        self.limit = limit
        self.once = once
        self.bound = 0.0
        self.steps = 0
        self.uses = 0
        self.exhausted = False

    def factor(self, size, cost):
        """Return by how much the next choice should be larger or smaller.

        ``cost`` is that of choosing anew, in units of using one member of the choice once.
        """
        self.using = MEMORY * self.using + self.uses * size
        self.choosing = MEMORY * self.choosing + cost
        if self.exhausted and self.steps == 0:  # not one step was possible
            return 2.0
        if self.exhausted and self.using < self.choosing:
            return 1.2
        if self.using > 1.5 * self.choosing:
            return max(sqrt(self.choosing / self.using), 0.25)
        return 1.0
