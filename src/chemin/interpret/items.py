"""What is a decision the sum of? Couples of a training point and a kernel, or variables.

Column number l·c + j of a kernel basis is kernel l centred on the j-th of c centres.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from chemin.dictionaries.base import Floats, Indices
from chemin.interpret.machines import Machine


@dataclass(frozen=True)
class Couple:
    """A training point and a kernel.

    Attributes
    ----------
    point : int
        The row of the X given to fit.
    label : object
        Its label.
    kernel : Kernel
        What new points are compared to it with.
    coefficient : float
        B_jl, the coefficient of k_l(x_j, ·) / s_jl.
    column : int
        Its number among the columns.

    Examples
    --------
    >>> from chemin.kernels import Gaussian
    >>> print(Couple(3, "ham", Gaussian(2.0).named("wide"), 0.5, 3))
    point 3 (class ham), wide
    """

    header: ClassVar[tuple[str, ...]] = ("point", "label", "kernel", "coefficient")

    point: int
    label: Any
    kernel: Any
    coefficient: float
    column: int = field(repr=False)

    def __str__(self) -> str:
        return f"point {self.point} (class {self.label}), {self.kernel.name}"

    def entries(self) -> tuple[Any, ...]:
        """Return its line of a table."""
        return self.point, self.label, self.kernel.name, self.coefficient

    def with_value(self, value: float) -> str:
        """Return its name, and what it is multiplied by."""
        return f"{self}, similarity {value:.3g}"


@dataclass(frozen=True)
class Variable:
    """A variable, with its coefficient in the user's units.

    Examples
    --------
    >>> Variable("height", 0.5, 0).with_value(1.8)
    'height = 1.8'
    """

    header: ClassVar[tuple[str, ...]] = ("variable", "coefficient")

    name: str
    coefficient: float
    column: int = field(repr=False)

    def __str__(self) -> str:
        return self.name

    def entries(self) -> tuple[Any, ...]:
        """Return its line of a table."""
        return self.name, self.coefficient

    def with_value(self, value: float) -> str:
        """Return its name, and what it is multiplied by."""
        return f"{self} = {value:.4g}"


Item = Couple | Variable


def has_couples(machine: Machine) -> bool:
    """Say whether the columns are couples; any others are called variables."""
    return hasattr(machine.columns_, "kernels")


def in_units(machine: Machine) -> Floats:
    """Return the coefficients in the units in which people know the columns."""
    units = getattr(machine.columns_, "in_units", None)
    return np.asarray(machine.coef_ if units is None else units(machine.coef_))


def describe(machine: Machine, labels: NDArray[Any], columns: Indices) -> tuple[Item, ...]:
    """Return what some columns of a machine are; ``labels`` are those of all points given to fit."""
    coefficients = in_units(machine)[columns].tolist()
    if not has_couples(machine):
        names = machine.path_.names
        known = [f"x{j}" for j in columns] if names is None else [str(names[j]) for j in columns]
        return tuple(map(Variable, known, coefficients, columns.tolist()))
    kernel, points = place(machine, columns)
    kernels = [machine.columns_.kernels[which] for which in kernel]
    return tuple(
        map(
            Couple,
            points.tolist(),
            labels[points].tolist(),
            kernels,
            coefficients,
            columns.tolist(),
        )
    )


def place(machine: Machine, columns: Indices) -> tuple[Indices, Indices]:
    """Return the number of the kernel and the row, in the X given to fit, of the point of each couple."""
    centers = machine.columns_.rows
    kernel, center = np.divmod(columns, len(centers))
    return kernel, machine.rows_[centers[center]]


def as_columns(items: Sequence[Item], header: Sequence[str]) -> dict[str, list[Any]]:
    """Return the items as the columns of a table."""
    lines = [item.entries() for item in items]
    return {name: [line[k] for line in lines] for k, name in enumerate(header)}
