"""How far is it? One line on the standard error stream, rewritten in place while work goes on."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator
from typing import TypeVar

__all__ = ["Bar", "Line"]

_T = TypeVar("_T")
_REFRESH = 0.2  # seconds between two drawings of something that changes all the time
_WIDTH = 24


class Line:
    """A line that is written over; silent unless ``shown``."""

    def __init__(self, shown: bool) -> None:
        self.shown, self.written, self.length = shown, time.monotonic(), 0

    def write(self, text: str) -> None:
        """Write the text over what was there."""
        if self.shown:
            sys.stderr.write(f"\r{text:<{self.length}}")
            sys.stderr.flush()
            self.written, self.length = time.monotonic(), len(text)

    def report(self, events: int, l1: float) -> None:
        """Say how far the path in hand has come, unless that was said a moment ago."""
        self._tell(f"{events} events, l1 = {l1:.4g}")

    def report_cells(self, cells: int, share: float) -> None:
        """Say how much of a rectangle the cells in hand cover, unless that was said a moment ago."""
        self._tell(f"{cells} cells, {share:.0%} of the rectangle")

    def describe(self, state: str) -> str:
        """Return what is said of the work in hand."""
        return state

    def close(self) -> None:
        """Leave the line as if nothing had been written."""
        self.write("")
        self.write("")

    def _tell(self, state: str) -> None:
        if self.shown and time.monotonic() - self.written > _REFRESH:
            self.write(self.describe(state))


class Bar(Line):
    """A line that counts finished pieces of work, and between two of them tells of the path in hand.

    Examples
    --------
    >>> bar = Bar("paths", total=3, shown=False)
    >>> [square for square in bar.over(x * x for x in range(3))]
    [0, 1, 4]
    """

    def __init__(self, what: str, total: int, shown: bool) -> None:
        super().__init__(shown)
        self.what, self.total, self.done, self.began = what, total, 0, time.monotonic()

    def over(self, pieces: Iterable[_T]) -> Iterator[_T]:
        """Hand on the pieces as they are finished, and count them."""
        self.write(str(self))
        try:
            for piece in pieces:
                self.done += 1
                self.write(str(self))
                yield piece
        finally:
            self.close()

    def describe(self, state: str) -> str:
        return f"{self}, {state}"

    def __str__(self) -> str:
        filled = _WIDTH * self.done // max(self.total, 1)
        spent = time.monotonic() - self.began
        left = spent / max(self.done, 1) * (self.total - self.done)
        about = f", about {left:.0f} s left" if 0 < self.done < self.total else ""
        return f"{self.what} |{'█' * filled}{'·' * (_WIDTH - filled)}| {self.done}/{self.total}, {spent:.0f} s{about}"
