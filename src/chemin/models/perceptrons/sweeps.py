"""In which order are rows looked at, and when does it end? After a sweep over all rows that changes nothing.

A rule says which rows ask for an update, and makes it. Rows are looked at one after the other, always with the weights
of that moment: a block of them is only looked at together as long as none asks for an update, so that updates and their
order are those of the loop over rows.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
from numpy.random import RandomState
from numpy.typing import NDArray

from chemin.dictionaries.base import Floats, Indices

_FIRST_BLOCK = (
    8  # rows looked at together after an update; twice as many after every block without one
)


class Rule(ABC):
    """When a row asks for an update, and what the update does."""

    @abstractmethod
    def wrong(self, rows: Indices) -> NDArray[np.bool_]:
        """Return which of these rows ask for an update now."""

    @abstractmethod
    def update(self, row: int) -> None:
        """Make the update that a row asks for."""

    @abstractmethod
    def errors(self) -> int:
        """Return how many rows are not on the side of their class now."""

    @abstractmethod
    def weights(self) -> Floats:
        """Return a copy of what has been learned."""


@dataclass(frozen=True, eq=False)
class Sweeps:
    """What some sweeps led to.

    Attributes
    ----------
    weights : ndarray
        The last ones if no row asks for an update any more, else those with the fewest errors at the end of a sweep
        (the first of equally good ones), the pocket.
    errors : int
        Rows that these weights do not put on the side of their class.
    updates : ndarray of shape (sweeps,)
        How many were made in each sweep.
    finished : bool
        Whether no row asks for an update any more.
    """

    weights: Floats
    errors: int
    updates: Indices
    finished: bool


def sweep(rule: Rule, n: int, most: int, shuffle: RandomState | None = None) -> Sweeps:
    """Apply a rule to n rows, sweep after sweep, until one makes no update or there have been ``most`` of them.

    Every sweep has a new order drawn from ``shuffle``; without it, the order of the rows.
    """
    every = np.arange(n)
    updates: list[int] = []
    pocket, fewest = rule.weights(), n + 1
    while len(updates) < most and (not updates or updates[-1]):
        updates.append(_once(rule, every if shuffle is None else shuffle.permutation(n)))
        errors = rule.errors()
        if errors < fewest:
            pocket, fewest = rule.weights(), errors
    finished = not rule.wrong(every).any()
    if finished:
        pocket, fewest = rule.weights(), rule.errors()
    return Sweeps(pocket, fewest, np.array(updates), finished)


def _once(rule: Rule, order: Indices) -> int:
    """Look at every row once, and return the number of updates."""
    updates, at, size = 0, 0, _FIRST_BLOCK
    while at < len(order):
        rows = order[at : at + size]
        wrong = rule.wrong(rows)
        first = int(wrong.argmax())
        if wrong[first]:
            rule.update(int(rows[first]))
            updates += 1
            at, size = at + first + 1, _FIRST_BLOCK
        else:
            at, size = at + size, 2 * size
    return updates
