"""How many rows or columns are looked at closely, and how far may the path go before the others are looked at again?"""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

import numpy as np

T = TypeVar("T")

_FEWEST = 48
_MEMORY = 0.8  # steps differ a hundredfold in length: one choice alone says little


class Guard(Generic[T]):
    """A choice among members of one kind: those not chosen are safe within a limit from where they were last seen."""

    def __init__(
        self,
        where: Callable[[], T],
        length: Callable[[T, T], float],
        most: int,
        size: int = _FEWEST,
        fixed: bool = False,
    ) -> None:
        self.where, self.length = (
            where,
            length,
        )  # what the path has reached, and how far two such are apart
        self.most = max(most, _FEWEST)  # members that memory allows to choose, if they allow a step
        self.size, self.fixed = min(size, self.most), fixed
        self.limit, self.exhausted, self.steps = np.inf, False, 0
        self.uses, self.once = (
            0,
            False,
        )  # `once`: the limit holds for one step, in the direction it was chosen for
        self.home, self.bound = where(), 0.0
        self.using = self.choosing = 0.0  # what the last choices cost, used and made

    def has_room(self, distance: float) -> bool:
        """Say whether so long a step is within the limit, once the way from home is measured afresh."""
        if self.once and self.steps:
            self.exhausted = True
        elif distance >= self.limit - self.bound:
            # Steps have been added up; the norm of their sum is smaller than the sum of their norms.
            self.bound = self.length(self.home, self.where())
            self.exhausted = distance >= self.limit - self.bound
        return not self.exhausted

    @property
    def room(self) -> float:
        """How much further the path may go on trust."""
        return 0.0 if self.once and self.steps else self.limit - self.bound

    @property
    def must_aim(self) -> bool:
        """Whether not one step could be made, it is so long: only that one then counts."""
        return self.exhausted and not self.steps

    def count(self, distance: float) -> None:
        """Take note of a step."""
        self.bound += distance
        self.steps += 1

    def resize(self, cost: float, once: bool = False) -> None:
        """Choose a size for which using the choice costs what making it does.

        ``cost`` is that of choosing anew, in units of using one member once; ``uses`` says how often it was done.
        """
        if self.fixed:
            return
        if once:
            # Even so no step was possible: memory has to give way.
            self.size = self.size * 3 // 2 if self.once and not self.steps else self.size
            return
        self.using = _MEMORY * self.using + self.uses * self.size
        self.choosing = _MEMORY * self.choosing + cost
        if self.exhausted and self.using < self.choosing:
            self.size = min(self.size * 5 // 4, self.most)
        elif self.using > 1.5 * self.choosing:
            self.size = max(4 * self.size // 5, _FEWEST)

    def begin(self, limit: float, once: bool = False) -> None:
        """Be at home here: what was not chosen is at least ``limit`` away."""
        self.home, self.bound, self.limit, self.once = self.where(), 0.0, limit, once
        self.exhausted, self.steps, self.uses = False, 0, 0
