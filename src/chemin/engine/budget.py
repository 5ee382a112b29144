"""What will a path take, before it is followed? Memory for the columns, for the engine, for what is kept; evaluations.

    columns   as they are held: 8 n p bytes dense, 24 per entry sparse, what `memory` allows for kernels
    engine    some vectors over all rows and all columns; with k active variables n × k, twice as wide as needed; a
              factor of k × k, twice; k points × the columns near, or n × all where nothing is left alone
    record    the k coefficients and k dual values of every breakpoint

Rows and columns evaluated per event are at most n and p; screening leaves a few per cent of them where they are many.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from chemin.dictionaries.base import Dictionary
from chemin.engine.thresholds import MOST_WHOLE
from chemin.exceptions import InvalidInputError
from chemin.validation import as_dictionary

_ENTRY, _GIB = 8, 2**30
_OF_COLUMNS, _OF_ROWS = 24, 24  # vectors
_NARROWEST = 16  # columns for which the active block has room from the start
_RECORD = 2**16  # bytes with which a record begins
_SPARE = 32  # points for which the columns kept near, up to a third, have room; twice while they are chosen anew


@dataclass(frozen=True)
class Estimate:
    """What a path is expected to take, in bytes, and what it evaluates.

    Attributes
    ----------
    points, variables : int
        n and p.
    columns, engine, record : int
        Bytes for the columns, for the engine at its largest, and for what is kept of the path.
    rows_per_event, columns_per_event : int
        Evaluations per event if nothing is left alone: what screening starts from.
    """

    points: int
    variables: int
    columns: int
    engine: int
    record: int
    rows_per_event: int
    columns_per_event: int

    @property
    def memory(self) -> int:
        """All bytes together."""
        return self.columns + self.engine + self.record

    def __str__(self) -> str:
        parts = (f"{name} {_told(getattr(self, name))}" for name in ("columns", "engine", "record"))
        return (
            f"{self.points} points × {self.variables} columns: {_told(self.memory)} ({', '.join(parts)}); at most "
            f"{self.rows_per_event} rows and {self.columns_per_event} columns to evaluate per event"
        )


def estimate_path(X: Any, *, active: int = 100, breakpoints: int = 10_000) -> Estimate:
    """Estimate what following a path takes.

    Parameters
    ----------
    X : array, SciPy sparse array, DataFrame or Dictionary, of shape (n, p)
        The columns, as `chemin.svm_path` takes them.
    active : int, default 100
        How many variables may be active at the end; never more than points or columns.
    breakpoints : int, default 10000
        How many breakpoints are kept.

    Returns
    -------
    Estimate

    Examples
    --------
    >>> import chemin, numpy as np
    >>> print(chemin.estimate_path(np.zeros((1000, 50))))
    1000 points × 50 columns: 9.75 MiB (columns 391 KiB, engine 1.13 MiB, record 8.24 MiB); at most 1000 rows and 50
    columns to evaluate per event
    """
    for name, value in (("active", active), ("breakpoints", breakpoints)):
        if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 1:
            raise InvalidInputError(f"{name} is {value!r}: pass a whole number from 1 on")
    dictionary = as_dictionary(X)
    n, p = dictionary.shape
    k = min(active, n, p)
    record = _ENTRY * breakpoints * (2 * k + 8)
    return Estimate(n, p, dictionary.nbytes(), engine_for(dictionary, k), record, n, p)


def engine_for(dictionary: Dictionary, active: int, screening: bool = True) -> int:
    """Return the bytes that the engine takes beside the columns."""
    n, p = dictionary.shape
    at_hand = dictionary.at_hand() is not None
    pools = 2 * (active + _SPARE) * min(p // 3, dictionary.most_columns)
    if active > 1 and (
        not at_hand or p > MOST_WHOLE
    ):  # resident columns, fewer where memory is short
        pools = 2 * (2 * active + _SPARE) * min(p, dictionary.most_columns)
    if not screening:
        pools = 0 if at_hand else n * p
    return (
        _RECORD
        + _vectors(n, p)
        + _ENTRY * (2 * n * max(active + 1, _NARROWEST) + 4 * active**2 + pools)
    )


def _vectors(n: int, p: int) -> int:
    return _ENTRY * (_OF_COLUMNS * p + _OF_ROWS * n)


def check_budget(dictionary: Dictionary, memory: Any, screening: bool = True) -> float:
    """Return the bytes left for what grows, infinite for None; refuse a budget in which no path could even begin."""
    if memory is None:
        return np.inf
    if (
        isinstance(memory, bool)
        or not isinstance(memory, int | float | np.number)
        or not 0.0 < memory < np.inf
    ):
        raise InvalidInputError(
            f"memory is {memory!r}: pass the gibibytes that the engine may take, or None"
        )
    n, p = dictionary.shape
    least, budget = engine_for(dictionary, 1, screening), float(memory) * _GIB
    if least > budget:
        rows = _ENTRY * (_OF_ROWS + 2 * _NARROWEST) * n
        fits = int(p * (budget - rows) / (least - rows))
        what = (
            f"{fits} columns would fit"
            if fits > 0
            else f"{int(n * budget / rows)} points would fit"
        )
        raise InvalidInputError(
            f"{n} points × {p} columns take at least {least / _GIB:.3g} GiB beside the columns themselves, and memory "
            f"allows {memory:.3g}: {what}, or raise memory"
        )
    return budget - _vectors(n, p)


def _told(size: float) -> str:
    for unit in ("bytes", "KiB", "MiB"):
        if size < 1024:
            return f"{size:.3g} {unit}"
        size /= 1024
    return f"{size:.3g} GiB"
