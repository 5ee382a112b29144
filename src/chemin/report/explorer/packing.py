"""How are numbers carried in a page? As bytes in base64, in the smallest type that gives every one of them back."""

from __future__ import annotations

from base64 import b64encode
from typing import Any

import numpy as np
from numpy.typing import NDArray

Packed = dict[str, Any]

_INTEGERS = ("<u1", "<i2", "<i4")
_MOST_DECIMALS = 9
_LARGEST = 2**31


def pack(values: Any) -> Packed:
    """Return numbers as text, with what is needed to read them back exactly.

    Numbers of few decimals become integers: a float that was read from a decimal is that integer divided by a power of
    ten, to the last bit.

    Examples
    --------
    >>> pack([1.0, 1.0, 1.0])
    {'length': 3, 'constant': 1.0}
    >>> pack([0.5, 1.25])
    {'length': 2, 'type': 'u1', 'divisor': 100.0, 'data': 'Mn0='}
    >>> pack([1 / 3])["type"]
    'f8'
    """
    array = np.asarray(values).ravel()
    if array.dtype.kind == "b":
        array = array.astype(np.uint8)
    if len(array) > 1 and np.all(array == array[0]) and np.isfinite(array[0]):
        return {"length": len(array), "constant": array[0].item()}
    if array.dtype.kind in "iu":
        return _packed(array, 1.0)
    for decimals in range(_MOST_DECIMALS + 1):
        divisor = 10.0**decimals
        with np.errstate(invalid="ignore", over="ignore"):
            whole = np.round(array * divisor)
            if not np.all(np.abs(whole) < _LARGEST):
                break
        if np.array_equal(whole / divisor, array) and not np.any(np.signbit(array) & (array == 0)):
            return _packed(whole.astype(np.int64), divisor)
    return {"length": len(array), "type": "f8", "data": _text(array.astype("<f8"))}


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
