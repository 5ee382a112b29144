"""In which colours are points shown? Those of classes or of numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from chemin.dictionaries.base import Indices
from chemin.exceptions import InvalidInputError

_CLASSES = 20  # different numbers up to which they are shown as classes


def colours_of(colour: Any, rows: Indices) -> dict[str, Any]:
    """Return labels, or values, of the rows that were looked at.

    Examples
    --------
    >>> colours_of(["a", "b", "a"], np.array([0, 2]))["labels"].tolist()
    ['a', 'a']
    """
    if colour is None:
        return {}
    given = np.asarray(colour)
    if given.ndim != 1 or len(given) <= rows.max(initial=-1):
        raise InvalidInputError(
            f"colours have shape {given.shape}, and rows up to {rows.max()} are shown: pass one per row"
        )
    some = given[rows]
    if some.dtype.kind in "iuf" and len(np.unique(some)) > _CLASSES:
        return {"values": some.astype(float)}
    if some.dtype.kind == "f" and np.all(some == np.round(some)):
        some = some.astype(np.int64)
    return {"labels": some}
