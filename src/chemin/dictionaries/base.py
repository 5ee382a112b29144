"""Which columns does the engine see, and through which few verbs?

A dictionary is an n × p matrix that may live anywhere: in memory, on disk, on another device or be computed when asked.
The engine never touches X itself. It asks for

* ``shape`` and ``names``: what there is;
* ``most_columns`` and ``look_cost``: of how many it may keep a copy, and what a look at all costs;
* ``columns(index)``: a few columns, dense, when they become active or come near to it;
* ``block(rows, index)``: the same on a few rows, those of points that come to the margin;
* ``correlations(u)``: the product Xᵀu, asked from time to time, mostly for a u with few entries;
* ``scores(coef)``: the product X·coef, asked by the certificate and by predictions, never by the loop;
* ``resident()``: to be made ready for many questions, and to give back afterwards what that takes;
* ``column_norms()``, ``column_ranges()`` and ``row_norms()``: Euclidean norms, least and largest entries, which bound
  how fast a correlation or a score can change;
* ``at_hand()``: all entries, where they are an array in memory;
* ``nbytes()``: what the columns take while a path is followed;
* ``digest()``: two numbers that tell them from others;
* ``survey(…)``, only of columns that live elsewhere: which of all are nearest (`chemin.dictionaries.survey`);
* ``blank(…)`` and ``copy_block(…)``, likewise: `block` into an array of the dictionary's own making (`Copying`).
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from hashlib import blake2b
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]


@runtime_checkable
class Dictionary(Protocol):
    """What the engine asks of its columns; implement these and any storage works."""

    @property
    def shape(self) -> tuple[int, int]:
        """Number of points and number of columns."""

    @property
    def names(self) -> NDArray[Any] | None:
        """One name per column, or ``None``."""

    @property
    def most_columns(self) -> int:
        """How many columns the engine may keep a copy of; all of them if that costs no memory worth counting."""

    @property
    def look_cost(self) -> float:
        """The cost of `correlations`, in multiplications of a dense array."""

    def resident(self) -> AbstractContextManager[Dictionary]:
        """Return the same columns, ready for many questions while the context lasts."""

    def columns(self, index: Indices) -> Floats:
        """Return the columns listed in `index` as a dense, C-ordered ``(n, len(index))`` block."""

    def block(self, rows: Indices, index: Indices) -> Floats:
        """Return the entries of some rows and columns, dense and C-ordered."""

    def correlations(self, u: Floats, rows: Indices | None = None) -> Floats:
        """Return Xᵀu for ``u`` of shape ``(n,)`` or ``(n, k)``; if `rows` are given, u has no other entries."""

    def scores(self, coef: Any) -> Floats:
        """Return X·coef for ``coef`` of shape ``(p,)`` or ``(p, k)``, dense or sparse."""

    def column_norms(self) -> Floats:
        """Return the Euclidean norm of every column."""

    def column_ranges(self) -> Floats:
        """Return the least and the largest entry of every column, one row for each."""

    def row_norms(self) -> Floats:
        """Return the Euclidean norm of every row."""

    def at_hand(self) -> Floats | None:
        """Return all entries where they are a C-ordered array in memory, else None."""

    def nbytes(self) -> int:
        """Return the bytes that the columns take while a path is followed; 0 where they live elsewhere."""

    def digest(self) -> Floats:
        """Return two numbers that change with any bit of what the columns are made of."""


@runtime_checkable
class Copying(Protocol):
    """A dictionary whose entries come from elsewhere: into arrays of its own making, many at once rather than few."""

    def blank(self, shape: tuple[int, int]) -> Floats:
        """Return an array to copy entries into."""

    def copy_block(self, rows: Indices, index: Indices, out: Floats) -> None:
        """Copy the entries of some rows and columns into an array of `blank`, or some rows of it."""


def digest_of(*parts: Any) -> Floats:
    """Return two numbers that change with any bit of some arrays; what is no array of numbers is left out.

    Examples
    --------
    >>> bool((digest_of(np.zeros(3)) == digest_of(np.ones(3))).any())
    False
    """
    code = blake2b(digest_size=8)
    for part in parts:
        if isinstance(part, np.ndarray) and part.dtype.kind in "biuf":
            code.update(np.ascontiguousarray(part).view(np.uint8).data)
    return np.frombuffer(code.digest(), dtype=np.uint32).astype(float)
