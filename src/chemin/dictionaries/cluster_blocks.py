"""Which columns does each worker of a cluster have, and what does it answer about them?

Columns are dealt like cards, so that every worker has its share of those that matter: column j of an array goes to
block j mod B, and so does centre j of a kernel dictionary, with all its kernels. A block is cut from its dictionary
when a worker takes it, and again when another one has to take it over.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import singledispatch
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from chemin.dictionaries.base import Dictionary, Floats, Indices
from chemin.dictionaries.dense import DenseDictionary
from chemin.dictionaries.kernel import KernelDictionary
from chemin.dictionaries.sparse import SparseDictionary
from chemin.dictionaries.survey import Survey, survey_of
from chemin.exceptions import InvalidInputError

_ENTRY = 8  # bytes
_VECTORS = 12  # of one number per column, which a survey makes on its way
_TWICE = 2  # while it is placed a block is there as it came and as it stays; a sparse one stays by rows and columns


class Facts(NamedTuple):
    """What a survey of a block is made with: see `chemin.dictionaries.survey`."""

    norm: Floats
    ranges: Floats
    weight: Floats
    excluded: Indices


class Step(NamedTuple):
    """What a survey has to do: its verb ``read``, ``update`` or ``measure_by``, and what goes with it."""

    verb: str
    arguments: tuple[Any, ...]


@dataclass(frozen=True, eq=False)
class Part:
    """Some columns of a dictionary: which, how many bytes a worker needs for them, and how to cut them out."""

    source: Dictionary
    number: int
    count: int
    members: Indices
    memory: int

    def cut(self) -> Dictionary:
        """Return these columns as a dictionary of their own."""
        return cut(self.source, self.number, self.count)


def parts_of(dictionary: Dictionary, count: int) -> list[Part]:
    """Deal the columns of a dictionary to so many blocks, or to fewer if there are not enough.

    Examples
    --------
    >>> import numpy as np
    >>> [part.members.tolist() for part in parts_of(DenseDictionary(np.ones((2, 5))), 2)]
    [[0, 2, 4], [1, 3]]
    """
    p = dictionary.shape[1]
    dealt = dictionary.centers.shape[0] if isinstance(dictionary, KernelDictionary) else p
    count = min(count, dealt)
    columns = np.arange(p)
    owner = columns % dealt % count
    members = [columns[owner == number] for number in range(count)]
    return [
        Part(
            dictionary,
            number,
            count,
            mine,
            needed(dictionary, len(mine), count) + _VECTORS * _ENTRY * len(mine),
        )
        for number, mine in enumerate(members)
    ]


@singledispatch
def cut(dictionary: Any, number: int, count: int) -> Dictionary:
    """Return one of so many blocks of a dictionary."""
    raise _unknown(dictionary)


@singledispatch
def needed(dictionary: Any, width: int, count: int) -> int:
    """Return the bytes that one of so many blocks takes, of so many columns."""
    raise _unknown(dictionary)


def _unknown(dictionary: Any) -> InvalidInputError:
    remedy = "pass a dense or sparse array, a DataFrame or a KernelDictionary, or leave out cluster"
    return InvalidInputError(
        f"a {type(dictionary).__name__} cannot be spread over a cluster: {remedy}"
    )


@cut.register
def _(dictionary: DenseDictionary, number: int, count: int) -> Dictionary:
    return DenseDictionary(np.ascontiguousarray(dictionary.data[:, number::count]))


@needed.register
def _(dictionary: DenseDictionary, width: int, count: int) -> int:
    return _TWICE * dictionary.shape[0] * width * _ENTRY


@cut.register
def _(dictionary: SparseDictionary, number: int, count: int) -> Dictionary:
    return SparseDictionary(dictionary.data[:, number::count])


@needed.register
def _(dictionary: SparseDictionary, width: int, count: int) -> int:
    data = dictionary.data
    return (
        int(_TWICE * sum(array.nbytes for array in (data.data, data.indices)) // count)
        + data.indptr.nbytes
    )


@cut.register
def _(dictionary: KernelDictionary, number: int, count: int) -> Dictionary:
    scale, kernels = dictionary.scale, len(dictionary.kernels)
    if scale is not None:
        scale = np.ascontiguousarray(scale.reshape(kernels, -1)[:, number::count]).ravel()
    share = (
        dictionary.memory // count + 2 * _ENTRY * dictionary.shape[0]
    )  # that of a few rows counts for every block
    return replace(
        dictionary, centers=dictionary.centers[number::count], scale=scale, memory=share, held={}
    )


@needed.register
def _(dictionary: KernelDictionary, width: int, count: int) -> int:
    points = sum(
        int(getattr(array, "nbytes", 0)) for array in (dictionary.points, dictionary.centers)
    )
    return min(dictionary.memory // count, dictionary.shape[0] * width * _ENTRY) + points


def aligned(values: Any) -> Any:
    """Return an array, a sparse array or a dictionary, where its numbers can be read at full speed.

    What comes out of a message begins at any byte, and products would first copy it, every time.
    """
    if isinstance(values, np.ndarray):
        return np.require(values, requirements=["C", "A"])
    if sparse.issparse(values):
        return values.copy()
    if isinstance(values, DenseDictionary | SparseDictionary):
        return replace(values, data=aligned(values.data))
    if isinstance(values, KernelDictionary):
        return replace(values, points=aligned(values.points), centers=aligned(values.centers))
    return values


class Block:
    """Some columns on a worker, ready for many questions, and the survey that is asked at the moment."""

    def __init__(self, dictionary: Dictionary) -> None:
        self._held = ExitStack()
        self.dictionary = self._held.enter_context(aligned(dictionary).resident())
        self.survey: Survey | None = None

    def look_cost(self) -> float:
        """Return what a look at these columns costs, now that they are ready."""
        return self.dictionary.look_cost

    def ask(self, verb: str, arguments: tuple[Any, ...]) -> Any:
        """Answer one of the questions that every dictionary does."""
        return getattr(self.dictionary, verb)(*arguments)

    def look(
        self, facts: Facts | None, steps: Sequence[Step], verb: str, arguments: tuple[Any, ...]
    ) -> Any:
        """Begin a new survey if `facts` are given, make some steps, and answer a question about where it stands."""
        if facts is not None:
            self.survey = survey_of(self.dictionary, *(aligned(values) for values in facts))
        for step in steps:
            getattr(self.survey, step.verb)(*step.arguments)
        return getattr(self.survey, verb)(*arguments)
