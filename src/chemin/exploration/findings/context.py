"""What do checks look at? The columns as numbers and as codes, made once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from chemin.dictionaries.base import Floats, Indices
from chemin.exploration.findings.finding import Evidence
from chemin.exploration.subject import Subject, as_floats, codes_of
from chemin.tables.cells.field import Column


@dataclass(frozen=True, eq=False)
class Context:
    """A table as checks see it.

    Attributes
    ----------
    subject : Subject
        Rows and target.
    """

    subject: Subject
    _codes: dict[str, Indices] = field(default_factory=dict, repr=False)

    @property
    def n(self) -> int:
        """How many rows."""
        return self.subject.n

    @property
    def inputs(self) -> list[Column]:
        """All columns but the target."""
        return self.subject.inputs

    @cached_property
    def numbers(self) -> list[Column]:
        """The inputs that are numbers and vary."""
        return [column for column in self.inputs if column.field.type == "number"]

    @cached_property
    def used(self) -> list[Column]:
        """The inputs that a model would see: neither identifiers nor constant."""
        return [
            column for column in self.inputs if column.field.type not in ("identifier", "constant")
        ]

    def codes(self, column: Column) -> Indices:
        """Return the places of the values of a column among the different ones, −1 where they are missing."""
        if column.name not in self._codes:
            self._codes[column.name] = codes_of(column)
        return self._codes[column.name]

    @cached_property
    def target(self) -> Column:
        """What is to be predicted."""
        target = self.subject.target
        assert target is not None, "the registry asks only where there is a target"
        return target

    @cached_property
    def y(self) -> Floats:
        """The target: codes of classes, or numbers."""
        if self.subject.has_classes:
            return self.codes(self.target).astype(float)
        return as_floats(self.target)

    @cached_property
    def class_counts(self) -> Indices:
        """Rows of each class."""
        return np.bincount(self.codes(self.target)[~self.target.absent])

    @cached_property
    def class_names(self) -> list[str]:
        """What the classes are called."""
        known = self.target.values[~self.target.absent]
        if known.dtype.kind == "f":
            return [f"{value:g}" for value in np.unique(known)]
        return sorted(set(known.tolist()), key=str)

    @cached_property
    def input_hashes(self) -> NDArray[np.uint64]:
        """A number per row that is the same for rows with the same inputs, identifiers apart."""
        drawing = np.random.default_rng(0)
        total = np.zeros(self.n, dtype=np.uint64)
        for column in self.used:
            codes = self.codes(column)
            values = drawing.integers(2**63, size=int(codes.max()) + 2, dtype=np.uint64)
            total += values[codes]  # −1 is the last one
        return total

    def given_rows(self, places: NDArray[np.intp]) -> tuple[int, ...]:
        """Return which of the rows given these are."""
        return tuple(self.subject.rows[places].tolist())

    def evidence(
        self, column: Column, seen: str, places: NDArray[np.intp] | None = None
    ) -> Evidence:
        """Return what was seen in a column."""
        return Evidence(column.name, seen, () if places is None else self.given_rows(places))


def finite(column: Column) -> Floats:
    """Return the finite numbers of a column."""
    return column.values[np.isfinite(column.values)]


Seen = Iterator[Evidence]
