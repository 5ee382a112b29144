"""What will a look cost, and how many rows can be afforded? Estimated before any work is begun.

The rule is the same everywhere: where all rows would take longer than ``budget`` seconds, or more than a gibibyte, so
many rows are drawn at random that they do not. The result says so.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from chemin.exceptions import InvalidInputError

BUDGET = 10.0  # seconds
_MEMORY = 2**30  # bytes
_SPEED = 4e8  # entries a second that one core multiplies, compares or adds in a pass over an array
_FEWEST = 50  # rows below which nothing is left out


@dataclass(frozen=True)
class Work:
    """How the work of one part grows with n rows and p columns: passes over entries, and bytes held."""

    entries: Callable[[float, float], float]
    held: Callable[[float, float], float]


def _matrix(n: float, p: float) -> float:
    return 8.0 * n * p


def _square(n: float, p: float) -> float:
    return 8.0 * n * (n + p)


WORKS = {
    "description": Work(lambda n, p: 60.0 * n * p, _matrix),
    "findings": Work(lambda n, p: 150.0 * n * p, _matrix),
    "dependence": Work(
        lambda n, p: n * p * (900.0 + min(p, 100.0)), lambda n, p: 60.0 * n * min(p, 100.0)
    ),
    "projection": Work(lambda n, p: 2.0 * n * p * min(n, p), _matrix),
    "map": Work(lambda n, p: 300.0 * n * (n + 10.0 * p), _square),
    "hierarchy": Work(lambda n, p: n * n * (p + 40.0), lambda n, p: 2.0 * _square(n, p)),
    "k-means": Work(lambda n, p: 400.0 * n * (p + 20.0), _matrix),
    "k-medoids": Work(lambda n, p: n * n * (p + 100.0), lambda n, p: 6.0 * _square(n, p)),
    "kernel k-means": Work(lambda n, p: n * n * (p + 250.0), lambda n, p: 3.0 * _square(n, p)),
    "mixture": Work(lambda n, p: 750.0 * n * p * (10.0 + p), _matrix),
    "dbscan": Work(lambda n, p: n * n * (p + 5.0), _square),
    "mean shift": Work(lambda n, p: 15.0 * n * n * (p + 20.0), _matrix),
    "silhouette": Work(lambda n, p: n * n * (p + 5.0), _matrix),
    "structure": Work(lambda n, p: 400.0 * n * (n + 20.0 * min(n, p, 50.0)), _square),
    "densities": Work(
        lambda n, p: min(p, 50.0) * (1.5e7 + 4000.0 * min(n, 20_000.0)), _matrix
    ),
    "bandwidth": Work(lambda n, p: 30.0 * n * n * (p + 10.0), _square),
}  # fmt: skip


@dataclass(frozen=True)
class Cost:
    """What one part is estimated to take.

    Attributes
    ----------
    part : str
        What is asked for.
    rows, given : int
        Rows that would be looked at within the budget, and rows that there are.
    seconds, gibibytes : float
        What these rows take.
    all_seconds, all_gibibytes : float
        What all rows would take.
    """

    part: str
    rows: int
    given: int
    seconds: float
    gibibytes: float
    all_seconds: float
    all_gibibytes: float

    def why(self, random_state: int) -> str:
        """Return which rows were looked at, and why not all."""
        return (
            f"{self.rows} of {self.given} rows, drawn at random (random_state={random_state}), since all would take "
            f"about {_duration(self.all_seconds)} and {self.all_gibibytes:.2g} GiB"
        )

    def __str__(self) -> str:
        told = f"{self.part}: about {_duration(self.seconds)}, {self.gibibytes:.2g} GiB"
        if self.rows < self.given:
            told += f", {self.rows} of {self.given} rows (all: {_duration(self.all_seconds)})"
        return told


def estimate_cost(part: str, n: int, p: int, budget: float | None = BUDGET) -> Cost:
    """Return what a part would take on n rows and p columns, and how many rows the budget allows.

    Parameters
    ----------
    part : str
        "description", "findings", "dependence", "projection", "map", "hierarchy", "k-means", "k-medoids",
        "kernel k-means", "mixture", "dbscan", "mean shift", "silhouette", "structure", "densities" or "bandwidth".
    n, p : int
        Rows and columns.
    budget : float, optional
        Seconds; None for as long as it takes.

    Returns
    -------
    Cost

    Examples
    --------
    >>> estimate_cost("projection", 200, 10).rows
    200
    >>> estimate_cost("hierarchy", 1_000_000, 10).rows < 20_000
    True
    """
    if part not in WORKS:
        raise InvalidInputError(f"part is {part!r}: pass one of {', '.join(WORKS)}")
    numeric = isinstance(budget, int | float | np.number) and not isinstance(budget, bool)
    if budget is not None and not (numeric and budget > 0):
        raise InvalidInputError(
            f"budget is {budget!r}: pass seconds, or None for as long as needed"
        )
    work = WORKS[part]
    rows = n
    if budget is not None:
        low, high = min(n, _FEWEST), n
        while low < high:  # the work grows with the rows
            middle = (low + high + 1) // 2
            fits = work.entries(middle, p) / _SPEED <= budget and work.held(middle, p) <= _MEMORY
            low, high = (middle, high) if fits else (low, middle - 1)
        rows = low
    return Cost(
        part,
        rows,
        n,
        work.entries(rows, p) / _SPEED,
        work.held(rows, p) / 2**30,
        work.entries(n, p) / _SPEED,
        work.held(n, p) / 2**30,
    )


def _duration(seconds: float) -> str:
    if seconds < 0.1:
        return "0.1 s at most"
    if seconds < 9.5:
        return f"{seconds:.1g} s"
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.0f} h"


def check_seed(random_state: object) -> None:
    """Raise if a random state is no seed."""
    is_whole = isinstance(random_state, int | np.integer) and not isinstance(random_state, bool)
    if not is_whole or not 0 <= int(random_state) < 2**32:  # type: ignore[call-overload]
        raise InvalidInputError(
            f"random_state is {random_state!r}: pass a whole number, 0 or larger"
        )


def drawn(n: int, count: int, random_state: int) -> np.ndarray[tuple[int], np.dtype[np.intp]]:
    """Return so many of n positions, drawn at random, in increasing order."""
    some = np.random.default_rng(random_state).permutation(n)[:count]
    return np.sort(some)
