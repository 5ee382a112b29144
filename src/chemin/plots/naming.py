"""How are kernels called where there is little room? Without what all their names share, and never too long."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral
from typing import Any

_LONGEST = 40  # letters
_JOINT = " on "  # between a kernel and the columns it sees


def shared_part(names: Sequence[str]) -> str:
    """Return the beginning that all names share, up to the columns that the kernels see; "" if they share none.

    Examples
    --------
    >>> shared_part(["Gaussian(width=2) on columns 0, 1", "Gaussian(width=2) on columns 0, 2"])
    'Gaussian(width=2) on '
    >>> shared_part(["wide", "narrow"]), shared_part(["Linear on g1"])
    ('', '')
    """
    if len(set(names)) < 2:
        return ""
    start = "".join(names[0].rpartition(_JOINT)[:2])
    return start if all(name.startswith(start) for name in names) else ""


def short_names(names: Sequence[str]) -> list[str]:
    """Return names for ticks and legends.

    Examples
    --------
    >>> short_names(["Gaussian(width=2) on columns 0, 1", "Gaussian(width=2) on columns 0, 2"])
    ['columns 0, 1', 'columns 0, 2']
    """
    shared = shared_part(names)
    return [clipped(name.removeprefix(shared)) for name in names]


def point_name(point: Any) -> str:
    """Return what a training point is called: its label, or "point 3" where that is a number.

    Examples
    --------
    >>> point_name("P0199"), point_name(3)
    ('P0199', 'point 3')
    """
    return f"point {point}" if isinstance(point, Integral) else str(point)


def clipped(text: str, longest: int = _LONGEST) -> str:
    """Return a text without its middle if it is too long.

    Examples
    --------
    >>> clipped("a kernel with a long name", 11)
    'a ker… name'
    """
    if len(text) <= longest:
        return text
    tail = (longest - 1) // 2
    return f"{text[: longest - 1 - tail]}…{text[len(text) - tail :]}"
