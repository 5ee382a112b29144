"""Where does a path stop? At an l1, or at a share of the first one, whichever is reached first."""

from __future__ import annotations

from typing import NamedTuple


class End(NamedTuple):
    """The last l1 of a path."""

    l1: float = 0.0
    share: float = 0.0

    def after(self, first: float) -> float:
        """Return the last l1 of a path that begins at ``first``."""
        return max(self.l1, self.share * first)
