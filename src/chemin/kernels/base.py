"""What is a kernel, and how do kernels make others?

A kernel k measures how alike two points are. It is called as ``k(X, Z)``, which is the matrix of all k(x_i, z_j).
If every such matrix with Z = X is positive semi-definite, k is an inner product ⟨φ(x), φ(z)⟩ (Aronszajn, 1950), and

    k₁ + k₂,   k₁ k₂ (Schur),   c k with c ≥ 0,   k^d with d = 1, 2, …,   k restricted to some columns

are again. Otherwise nothing is known in general: −k times −k may be positive, and so may a sum with one that is not.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields, replace
from functools import partial
from numbers import Real
from typing import Any

import numpy as np

from chemin.dictionaries.base import Floats
from chemin.exceptions import InvalidInputError
from chemin.kernels.arithmetic import integer_power
from chemin.kernels.blocks import Columns, Window, as_block
from chemin.kernels.parameters import as_real, as_whole, called
from chemin.kernels.points import as_table, check_alike

__all__ = ["Kernel", "Named", "On", "Power", "Product", "Scaled", "Sum"]

_SUM, _ON, _PRODUCT, _ATOM = range(4)  # how tightly a name holds together


class Kernel(ABC):
    """A similarity of two points, as a value: it compares, hashes, pickles, and combines with others.

    Examples
    --------
    >>> from chemin.kernels import Gaussian, Linear
    >>> expert = Gaussian(0.5).on(["g1", "g2"]) + 3 * Linear().on("p1")
    >>> print(expert)
    Gaussian(width=0.5) on g1, g2 + 3 * (Linear on p1)
    >>> expert.bind(["g1", "g2", "p1"])([[0, 0, 1]], [[0, 0, 1], [0, 0, 2]]).tolist()
    [[4.0, 7.0]]
    """

    tightness: int = _ATOM
    __array_ufunc__ = None  # so that NumPy's numbers leave c * k to the kernel

    @abstractmethod
    def __call__(self, X: Any, Z: Any) -> Floats:
        """Return the matrix of k(x_i, z_j), one row per point of X and one column per point of Z."""

    @abstractmethod
    def diagonal(self, X: Any) -> Floats:
        """Return every k(x_i, x_i), without the matrix."""

    @property
    @abstractmethod
    def positive(self) -> bool | None:
        """Whether k(X, X) is positive semi-definite for all X; None if that is not known."""

    @property
    def numeric(self) -> bool | None:
        """Whether points are rows of numbers.

        If not, they may be texts, graphs or a table that mixes them; None if they may be either.
        """
        return True

    @property
    def name(self) -> str:
        """A short name, for tables and legends."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]
        return called(type(self).__name__, values)

    @property
    def columns_needed(self) -> tuple[str | int, ...] | None:
        """The columns that are read, names or positions; None for all of them."""
        return None

    def bind(self, names: Sequence[Any]) -> Kernel:
        """Return the kernel with column names turned into positions, for arrays whose columns have these names."""
        return self

    def on(self, columns: str | int | Iterable[str | int] | Columns | Window) -> On:
        """Return the kernel that sees these columns only: names, positions counted from 0, or a `Window`."""
        return On(self, as_block(columns))

    def named(self, name: str) -> Named:
        """Return the same kernel under another name."""
        return Named(self, name)

    def on_tensors(self) -> Callable[[Any, Any], Any] | None:
        """Return the kernel as a function of two tensors of PyTorch, or None if it has no formula for them."""
        from chemin.kernels.tensors import (
            has_tensors,
            tensor_values,
        )  # which knows all kernels, and they this class

        return partial(tensor_values, self) if has_tensors(self) else None

    def __str__(self) -> str:
        return self.name

    def __add__(self, other: Any) -> Sum:
        return Sum((self, other)) if isinstance(other, Kernel) else NotImplemented

    def __mul__(self, other: Any) -> Product | Scaled:
        if isinstance(other, Kernel):
            return Product((self, other))
        return Scaled(self, float(other)) if isinstance(other, Real) else NotImplemented

    def __rmul__(self, factor: Any) -> Scaled:
        return Scaled(self, float(factor)) if isinstance(factor, Real) else NotImplemented

    def __pow__(self, degree: int) -> Power:
        return Power(self, degree)


@dataclass(frozen=True)
class _Several(Kernel):
    """Kernels joined by one operation; a sum of sums is one sum."""

    parts: tuple[Kernel, ...]

    def __post_init__(self) -> None:
        parts = tuple(self.parts)
        if not parts or not all(isinstance(part, Kernel) for part in parts):
            raise InvalidInputError(
                f"{type(self).__name__} joins kernels, and got {parts!r}: pass at least one kernel"
            )
        same = [
            part.parts if isinstance(part, _Several) and type(part) is type(self) else (part,)
            for part in parts
        ]
        object.__setattr__(self, "parts", tuple(part for group in same for part in group))

    @property
    def positive(self) -> bool | None:
        return True if all(part.positive for part in self.parts) else None

    @property
    def numeric(self) -> bool | None:
        return all_numeric(self.parts)

    @property
    def columns_needed(self) -> tuple[str | int, ...] | None:
        needed = [part.columns_needed for part in self.parts]
        return (
            None
            if None in needed
            else tuple(dict.fromkeys(item for some in needed for item in some or ()))
        )

    def bind(self, names: Sequence[Any]) -> Kernel:
        return replace(self, parts=tuple(part.bind(names) for part in self.parts))


class Sum(_Several):
    """k₁ + k₂ + …, alike if alike in one way or another."""

    tightness = _SUM

    @property
    def name(self) -> str:
        return " + ".join(part.name for part in self.parts)

    def __call__(self, X: Any, Z: Any) -> Floats:
        total = self.parts[0](X, Z)
        for part in self.parts[1:]:
            total = total + part(X, Z)
        return total

    def diagonal(self, X: Any) -> Floats:
        return np.sum([part.diagonal(X) for part in self.parts], axis=0)


class Product(_Several):
    """k₁ k₂ …, alike if alike in every way."""

    tightness = _PRODUCT

    @property
    def name(self) -> str:
        return " * ".join(_within(part, _PRODUCT) for part in self.parts)

    def __call__(self, X: Any, Z: Any) -> Floats:
        total = self.parts[0](X, Z)
        for part in self.parts[1:]:
            total = total * part(X, Z)
        return total

    def diagonal(self, X: Any) -> Floats:
        return np.prod([part.diagonal(X) for part in self.parts], axis=0)


@dataclass(frozen=True)
class _Around(Kernel):
    """One kernel, and something done to it."""

    kernel: Kernel

    @property
    def numeric(self) -> bool | None:
        return self.kernel.numeric

    @property
    def columns_needed(self) -> tuple[str | int, ...] | None:
        return self.kernel.columns_needed

    def bind(self, names: Sequence[Any]) -> Kernel:
        return replace(self, kernel=self.kernel.bind(names))


@dataclass(frozen=True)
class Scaled(_Around):
    """A number times a kernel."""

    factor: float

    tightness = _PRODUCT

    def __post_init__(self) -> None:
        object.__setattr__(self, "factor", as_real(self.factor, "a factor of a kernel"))

    @property
    def name(self) -> str:
        return f"{self.factor:g} * {_within(self.kernel, _PRODUCT)}"

    @property
    def positive(self) -> bool | None:
        return self.kernel.positive if self.factor > 0 else True if self.factor == 0 else None

    def __call__(self, X: Any, Z: Any) -> Floats:
        return self.factor * self.kernel(X, Z)

    def diagonal(self, X: Any) -> Floats:
        return self.factor * self.kernel.diagonal(X)


@dataclass(frozen=True)
class Power(_Around):
    """A kernel to the power 1, 2, 3, …"""

    degree: int

    def __post_init__(self) -> None:
        object.__setattr__(
            self, "degree", as_whole(self.degree, "the degree of a power of a kernel")
        )

    @property
    def name(self) -> str:
        return f"{_within(self.kernel, _ATOM)}^{self.degree}"

    @property
    def positive(self) -> bool | None:
        return self.kernel.positive if self.degree == 1 else self.kernel.positive or None

    def __call__(self, X: Any, Z: Any) -> Floats:
        return integer_power(self.kernel(X, Z), self.degree)

    def diagonal(self, X: Any) -> Floats:
        return integer_power(self.kernel.diagonal(X), self.degree)


@dataclass(frozen=True)
class Named(_Around):
    """A kernel under the name its user gave it."""

    title: str

    @property
    def name(self) -> str:
        return self.title

    @property
    def positive(self) -> bool | None:
        return self.kernel.positive

    def __call__(self, X: Any, Z: Any) -> Floats:
        return self.kernel(X, Z)

    def diagonal(self, X: Any) -> Floats:
        return self.kernel.diagonal(X)


@dataclass(frozen=True)
class On(_Around):
    """A kernel that sees some columns only; within it, columns are counted from the first of these."""

    block: Columns | Window

    tightness = _ON

    @property
    def name(self) -> str:
        return f"{_within(self.kernel, _PRODUCT)} on {self.block}"

    @property
    def positive(self) -> bool | None:
        return self.kernel.positive

    @property
    def columns_needed(self) -> tuple[str | int, ...] | None:
        return self.block.items

    def bind(self, names: Sequence[Any]) -> Kernel:
        block = self.block.bind(names)
        return On(self.kernel.bind([names[int(item)] for item in block.items]), block)

    def __call__(self, X: Any, Z: Any) -> Floats:
        left, right = as_table(X), as_table(Z)
        if not self.block.by_name:
            check_alike(left, right)
        return self.kernel(self.block.of(left), self.block.of(right))

    def diagonal(self, X: Any) -> Floats:
        return self.kernel.diagonal(self.block.of(X))


def all_numeric(kernels: Iterable[Kernel]) -> bool | None:
    """Return whether the points of all kernels are rows of numbers; None if those of some may be either."""
    said = [kernel.numeric for kernel in kernels]
    return False if False in said else None if None in said else True


def _within(kernel: Kernel, tightness: int) -> str:
    return kernel.name if kernel.tightness >= tightness else f"({kernel.name})"
