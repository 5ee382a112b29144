"""How much memory is free, and how much of it may one thing take?"""

from __future__ import annotations

import os

__all__ = ["GIB", "allowance", "free"]

GIB = 2**30
_SHARE = (
    0.5  # of the memory that is free, which one table or model may take unless the user says more
)
_FALLBACK = 4 * GIB  # taken to be free where the system does not tell


def free() -> int | None:
    """Return the bytes that are free; None where the system does not tell."""
    try:
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):  # not everywhere
        return None


def allowance() -> int:
    """Return the bytes that one thing may take.

    Examples
    --------
    >>> allowance() > 0
    True
    """
    return int(_SHARE * (free() or _FALLBACK))
