"""Where was the path lost, how often, and what counts as no motion until that place is passed?

What moves more slowly than a small share of the rest is at rest: such a point or column nearly depends on the
sets. Taking it in may spoil their matrix, leaving it out counts where β goes far. No share is always right,
so that one follows another while the path is lost at the same point.
"""

from __future__ import annotations

from math import inf

from chemin.engine.thresholds import AT_REST


class Retries:
    """The tries at the last point that could not be passed at once: its l1, and how many there were.

    Examples
    --------
    >>> retries = Retries()
    >>> retries.at_rest(5.0)
    1e-12
    >>> retries.note(5.0)
    >>> retries.at_rest(5.0), retries.at_rest(4.9), retries.are_past(4.9)
    (1e-10, 1e-12, True)
    """

    def __init__(self) -> None:
        self.count = 0
        self.l1 = inf

    def note(self, l1: float) -> None:
        """Take note that the path was lost after a point."""
        self.count = self.count + 1 if l1 >= self.l1 else 1
        self.l1 = l1

    def are_past(self, l1: float) -> bool:
        """Say whether a point is beyond where the path was lost last."""
        return l1 < self.l1

    def at_rest(self, l1: float) -> float:
        """Return the share below which a rate is no motion."""
        return AT_REST[0 if self.are_past(l1) else self.count % len(AT_REST)]
