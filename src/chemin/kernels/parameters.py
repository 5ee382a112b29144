"""What may a parameter of a kernel be, and how is it written in a name?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from numbers import Integral, Real
from typing import Any

import numpy as np

from chemin.exceptions import InvalidInputError

Width = float | tuple[float, ...]

_SHOWN = 5  # most names or numbers listed


def as_real(value: Any, what: str) -> float:
    """Return a finite number."""
    number = float(value) if isinstance(value, Real) and not isinstance(value, bool) else math.nan
    if not math.isfinite(number):
        raise InvalidInputError(f"{what} is {value!r}: pass a finite number, such as 1.0")
    return number


def as_whole(value: Any, what: str, least: int = 1) -> int:
    """Return a whole number, at least 1 unless told otherwise."""
    if not isinstance(value, Integral) or isinstance(value, bool) or value < least:
        raise InvalidInputError(
            f"{what} is {value!r}: pass a whole number, {least}, {least + 1}, {least + 2}, …"
        )
    return int(value)


def as_two(value: Any, what: str) -> tuple[int, int]:
    """Return two whole numbers ≥ 1, down and right; one number stands for both.

    Examples
    --------
    >>> as_two(7, "size"), as_two((2, 3), "size")
    ((7, 7), (2, 3))
    """
    both = (value, value) if isinstance(value, Integral) else value
    if not (isinstance(both, Sequence | np.ndarray) and len(both) == 2):
        raise InvalidInputError(
            f"{what} is {value!r}: pass a whole number, or two, for rows and columns"
        )
    return as_whole(both[0], what), as_whole(both[1], what)


def as_width(width: Any) -> Width:
    """Return one width, or one per axis; infinite ones are axes that do not count.

    Examples
    --------
    >>> as_width(2), as_width([1, float("inf")])
    (2.0, (1.0, inf))
    """
    try:
        values = np.array(width, dtype=np.float64)
    except (TypeError, ValueError):
        values = np.array(np.nan)
    if values.ndim > 1 or not (values > 0).all() or not np.isfinite(values).any():
        raise InvalidInputError(
            f"width is {width!r}: pass one number > 0, or one per axis; inf leaves an axis out, but not all of them"
        )
    return tuple(values.tolist()) if values.ndim else float(values)


def called(what: str, values: dict[str, Any]) -> str:
    """Return how `what` reads with these parameters, numbers in short.

    Examples
    --------
    >>> called("Gaussian", {"width": (0.5, float("inf"))}), called("Linear", {})
    ('Gaussian(width=(0.5, inf))', 'Linear')
    """
    return (
        f"{what}({', '.join(f'{name}={_short(value)}' for name, value in values.items())})"
        if values
        else what
    )


def listed(texts: list[str]) -> str:
    """Return the first few texts, and how many there are when some are left out.

    Examples
    --------
    >>> listed(list("abc")), listed(list("abcdefg"))
    ('a, b, c', 'a, b, c, d, e, … (7)')
    """
    shown = ", ".join(texts[:_SHOWN])
    return shown if len(texts) <= _SHOWN else f"{shown}, … ({len(texts)})"


def _short(value: Any) -> str:
    if isinstance(value, tuple):
        return f"({listed([_short(one) for one in value])})"
    return f"{value:g}" if isinstance(value, Real) and not isinstance(value, bool) else str(value)
