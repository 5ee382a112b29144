"""What is every result like? It says in words what it holds, where it is printed or is the last line of a cell."""

from __future__ import annotations

from abc import ABC, abstractmethod


class Result(ABC):
    """A part of a look."""

    @abstractmethod
    def __str__(self) -> str: ...

    def __repr__(self) -> str:
        return str(self)
