"""How are numbers carried in a page? As bytes in base64, in the smallest type that gives every one of them back."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

Packed = dict[str, Any]

_INTEGERS = ("<u1", "<i2", "<i4")
_MOST_DECIMALS = 9
_LEAST = 1e-300  # whose inverse is a number
_LARGEST = 2**31


def pack(values: Any) -> Packed:
    """Return numbers as text, with what is needed to read them back exactly.

    Numbers of few decimals become integers: a float that was read from a decimal is that integer divided by a power of
    ten, to the last bit. So do multiples of the least of them, such as grey levels of images in units of their spread.

    Examples
    --------
    >>> pack([1.0, 1.0, 1.0])
    {'length': 3, 'constant': 1.0}
    >>> pack([0.5, 1.25])
    {'length': 2, 'type': 'u1', 'divisor': 100.0, 'data': 'Mn0='}
    >>> pack([1 / 3, 2**0.5])["type"]
    'f8'
    """
    array = np.asarray(values).ravel()
    if array.dtype.kind == "b":
        array = array.astype(np.uint8)
    if len(array) > 1 and np.all(array == array[0]) and np.isfinite(array[0]):
        return {"length": len(array), "constant": array[0].item()}
    if array.dtype.kind in "iu":
        return _packed(array, 1.0)
    for divisor in _divisors(array):
        with np.errstate(invalid="ignore", over="ignore"):
            whole = np.round(array * divisor)
            comes_back = np.array_equal(whole / divisor, array)
        small = np.all(np.abs(whole) < _LARGEST)
        if small and comes_back and not _has_negative_zero(array):
            return _packed(whole.astype(np.int64), divisor)
    return {"length": len(array), "type": "f8", "data": _text(array.astype("<f8"))}


def _divisors(array: NDArray[Any]) -> Iterator[float]:
    """Yield what may have divided whole numbers: powers of ten, and what makes the least number 1, to the last bit."""
    yield from (10.0**decimals for decimals in range(_MOST_DECIMALS + 1))
    least = np.min(np.abs(array), where=array != 0.0, initial=np.inf)
    if _LEAST < least < np.inf:
        inverse = float(1.0 / least)
        yield from (inverse, np.nextafter(inverse, 0.0), np.nextafter(inverse, np.inf))


def _has_negative_zero(array: NDArray[Any]) -> bool:
    return bool(np.any(np.signbit(array) & (array == 0.0)))


def _packed(whole: NDArray[Any], divisor: float) -> Packed:
    least, most = (int(whole.min()), int(whole.max())) if len(whole) else (0, 0)
    kind = next(
        kind for kind in _INTEGERS if np.iinfo(kind).min <= least and most <= np.iinfo(kind).max
    )
    return {
        "length": len(whole),
        "type": kind[1:],
        "divisor": divisor,
        "data": _text(whole.astype(kind)),
    }


def _text(array: NDArray[Any]) -> str:
    return b64encode(array.tobytes()).decode()
