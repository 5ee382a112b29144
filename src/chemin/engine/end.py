"""Where does a path stop? At an l1, or at a share of the first one, whichever is reached first; or in time."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple


class End(NamedTuple):
    """The last l1 of a path."""

    l1: float = 0.0
    share: float = 0.0

    def after(self, first: float) -> float:
        """Return the last l1 of a path that begins at ``first``."""
        return max(self.l1, self.share * first)


class TimeSpentError(Exception):
    """Raised by a report when the time allowed for a path is spent."""


def within(
    seconds: float | None, report: Callable[[int, float], None]
) -> Callable[[int, float], None]:
    """Return a report that ends the path once so many seconds have passed, from now on."""
    if seconds is None:
        return report
    last = time.monotonic() + seconds

    def timed(events: int, l1: float) -> None:
        report(events, l1)
        if time.monotonic() > last:
            raise TimeSpentError(f"the {seconds:.3g} seconds allowed are spent")

    return timed
