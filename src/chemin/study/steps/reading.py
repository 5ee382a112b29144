"""What is in the source, and which of its rows judge?"""

from __future__ import annotations

from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chemin.dictionaries.base import Indices
from chemin.exceptions import InvalidInputError
from chemin.exploration.subject import Subject, as_subject
from chemin.results import plural
from chemin.study.document import (
    CLASSES,
    NUMBERS,
    DataFacts,
    GuessFacts,
    Recipe,
    SplitFacts,
)
from chemin.tables import Table, read

_FEWEST = 8  # rows of which some learn and some judge


@dataclass(frozen=True, eq=False)
class Source:
    """A table that has been read, and what is to be predicted.

    Attributes
    ----------
    table : Table
        What was read.
    subject : Subject
        The same, as it is looked at.
    X, y
        Inputs and target; labels as texts.
    digest : str
        A hash of all values, names and types.
    """

    table: Table
    subject: Subject = field(repr=False)
    X: Any = field(repr=False)
    y: NDArray[Any] = field(repr=False)
    digest: str

    @property
    def task(self) -> str:
        """What is predicted: "classes" or "numbers"."""
        return CLASSES if self.subject.has_classes else NUMBERS

    @property
    def labels(self) -> list[str]:
        """The classes, in order; none for numbers."""
        return np.unique(self.y).tolist() if self.task == CLASSES else []

    @property
    def row_names(self) -> list[str]:
        """What the rows are called: by an identifier, else their number, from 0."""
        for column in self.table.columns:
            if column.field.type == "identifier" and column.name != self.table.target:
                return [str(value) for value in column.values.tolist()]
        return [str(row) for row in range(len(self.y))]


def read_source(recipe: Recipe, memory: float | None = None) -> Source:
    """Read the source of a recipe."""
    asked = dict(recipe.read)
    if recipe.target:
        asked["target"] = recipe.target
    if memory is not None:
        asked["memory"] = memory
    table = read(recipe.source, **asked)
    if table.target is None:
        named = ", ".join(table.names[-8:][::-1])
        raise InvalidInputError(
            f"no target was named: pass --target, the column to predict; the last columns are {named}"
        )
    subject = as_subject(table)
    if subject.target is not None and subject.target.values.dtype.kind == "M":
        raise InvalidInputError(
            f"the target {table.target!r} is a date: predict a number, such as the days since some day"
        )
    if len(subject.inputs) == 0:
        raise InvalidInputError(
            f"{table.name} has no column but the target {table.target!r}: there is nothing to predict it from"
        )
    y = np.asarray(table.y)
    y = y.astype(str) if subject.has_classes else y.astype(float)
    return Source(table, subject, table.X, y, _digest(table))


def facts_of(source: Source) -> DataFacts:
    """Return what was read, as facts."""
    table = source.table
    counts = [(label, int(np.sum(source.y == label))) for label in source.labels]
    return DataFacts(
        name=table.name,
        digest=source.digest,
        rows=len(source.y),
        columns=tuple(table.types.items()),
        guesses=tuple(
            GuessFacts(guess.what, guess.value, guess.evidence, guess.argument)
            for guess in table.guesses
            if not guess.what.startswith("type of")
        ),
        losses=tuple(map(str, table.losses)),
        call=table.call,
        target=str(table.target),
        task=source.task,
        classes=tuple(counts),
        image_shape=table.image_shape,
    )


def split_rows(source: Source, recipe: Recipe) -> tuple[SplitFacts, dict[str, Indices]]:
    """Draw the rows that judge; of classes, the same share of each."""
    from sklearn.model_selection import train_test_split

    n = len(source.y)
    everything = np.arange(n)
    if not recipe.test:
        return _split(everything, everything[:0], "all rows are learned from, none judges")
    if n < _FEWEST:
        raise InvalidInputError(
            f"{plural(n, 'row')} are too few to learn from and to judge by: pass {_FEWEST} or more, or --test 0"
        )
    by_class = None
    if source.task == CLASSES:
        rarest, count = _rarest(source.y)
        if count < 2:
            raise InvalidInputError(
                f"class {rarest!r} has one row, which cannot be learned from and judge: leave it out, or pass --test 0"
            )
        by_class = source.y
    test = int(np.ceil(recipe.test * n))
    if by_class is not None:
        test = min(max(test, len(source.labels)), n - len(source.labels))
    train, kept = train_test_split(
        everything, test_size=test, stratify=by_class, random_state=recipe.random_state
    )
    alike = ", the same share of every class" if by_class is not None else ""
    said = f"{len(kept)} of {n} rows, drawn at random{alike}, judge models that have not seen them"
    return _split(np.sort(train), np.sort(kept), said)


def _split(train: Indices, test: Indices, said: str) -> tuple[SplitFacts, dict[str, Indices]]:
    digest = sha256(test.astype("<i8").tobytes()).hexdigest()[:16]
    return SplitFacts(len(train), len(test), said, digest), {"train": train, "test": test}


def _rarest(y: NDArray[Any]) -> tuple[str, int]:
    labels, counts = np.unique(y, return_counts=True)
    least = int(np.argmin(counts))
    return str(labels[least]), int(counts[least])


def _digest(table: Table) -> str:
    """Return a hash of names, types and values, which two equal tables share."""
    found = sha256(repr((table.types, table.target)).encode())
    for column in table.columns:
        values = column.values
        if values.dtype == object:
            found.update(repr(values.tolist()).encode())
        else:
            found.update(np.ascontiguousarray(values).tobytes())
    return found.hexdigest()[:16]
