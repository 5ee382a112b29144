"""What is a decision the sum of? Variables, couples of a training point and a kernel, or both.

Variables come first. With v of them, column number v + l·c + j is kernel l centred on the j-th of c centres.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from chemin.dictionaries.base import Floats, Indices
from chemin.interpret.machines import Machine
from chemin.results import figures

MIXED_HEADER = ("item", "coefficient")  # of tables that list variables and couples alike


@dataclass(frozen=True)
class Couple:
    """A training point and a kernel: how alike a new point is to that one, as the kernel sees it.

    Attributes
    ----------
    row : int
        The row of the X given to fit.
    point : object
        What the user calls that row: its label in the index of a DataFrame, else its position.
    label : object
        Its class.
    kernel : Kernel
        What new points are compared to it with.
    coefficient : float
        B_jl, the coefficient of k_l(x_j, ·) / s_jl.
    column : int
        Its number among the columns.
    aspect : str
        What is compared, in words: "in lab" for a kernel of some columns, "by wide" for others.

    Examples
    --------
    >>> from chemin.kernels import Gaussian
    >>> couple = Couple(3, "P0199", "ill", Gaussian(2.0).named("wide"), 0.5, 3, "by wide")
    >>> print(couple)
    P0199 (class ill), wide
    >>> couple.with_value(0.9, 0.2), couple.with_value(0.1, 0.2)
    ('like P0199 (class ill) by wide', 'unlike P0199 (class ill) by wide')
    """

    header: ClassVar[tuple[str, ...]] = ("point", "label", "kernel", "coefficient")

    row: int
    point: Any
    label: Any
    kernel: Any
    coefficient: float
    column: int = field(repr=False)
    aspect: str = field(repr=False)

    @property
    def place(self) -> str:
        """The point and its class, in words."""
        what = (
            f"y = {figures(self.label)}" if isinstance(self.label, float) else f"class {self.label}"
        )
        return f"{point_name(self.point)} ({what})"

    def __str__(self) -> str:
        return f"{self.place}, {self.kernel.name}"

    def entries(self) -> tuple[Any, ...]:
        """Return its line of a table."""
        return self.point, self.label, self.kernel.name, self.coefficient

    def with_value(self, value: float, reference: float) -> str:
        """Return its name, and whether a point is more like it than the reference is."""
        return f"{'like' if value >= reference else 'unlike'} {self.place} {self.aspect}"

    def compared(self, value: float, reference: float) -> str:
        """Return the same: "like" and "unlike" are said against the reference."""
        return self.with_value(value, reference)


@dataclass(frozen=True)
class Variable:
    """A variable, with its coefficient in the user's units.

    Examples
    --------
    >>> height = Variable("height", 0.5, 0)
    >>> height.with_value(1.8, 1.7), height.compared(1.8, 1.7)
    ('height = 1.8', 'height = 1.8 (above the reference 1.7)')
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

    def with_value(self, value: Any, reference: float) -> str:
        """Return its name and its value, which is the word "missing" where there is none."""
        return f"{self} {value}" if isinstance(value, str) else f"{self} = {figures(value)}"

    def compared(self, value: Any, reference: float) -> str:
        """Return its name, its value, and on which side of the reference that is."""
        if isinstance(value, str):
            return f"{self.with_value(value, reference)} (reference {figures(reference)})"
        side = "above" if value > reference else "below" if value < reference else "at"
        return f"{self.with_value(value, reference)} ({side} the reference {figures(reference)})"


@dataclass(frozen=True)
class Attribute:
    """A variable of the user that a model sees as other columns: a category, a date, a text, or a number with gaps.

    Attributes
    ----------
    name : str
        What the user calls it.
    coefficient : float
        Of its column, in the user's units, where it is one number; NaN otherwise.
    verb : str
        What stands between its name and its value: "=", or "holds" for the words of a text.

    Examples
    --------
    >>> sex = Attribute("sexe", float("nan"), "=", 0)
    >>> sex.with_value("F", "38 % F"), sex.compared("F", "38 % F")
    ('sexe = F', 'sexe = F (reference: 38 % F)')
    >>> sex.with_value("missing", "38 % F")
    'sexe missing'
    """

    header: ClassVar[tuple[str, ...]] = ("variable", "coefficient")

    name: str
    coefficient: float
    verb: str = field(repr=False)
    column: int = field(repr=False)

    def __str__(self) -> str:
        return self.name

    def entries(self) -> tuple[Any, ...]:
        """Return its line of a table."""
        return self.name, self.coefficient

    def with_value(self, value: Any, reference: Any) -> str:
        """Return its name and its value, in the user's words."""
        if value == "missing":
            return f"{self.name} missing"
        told = figures(value) if isinstance(value, float) else str(value)
        return " ".join(filter(None, (self.name, self.verb, told)))

    def compared(self, value: Any, reference: Any) -> str:
        """Return the same, and what the reference has."""
        told = figures(reference) if isinstance(reference, float) else str(reference)
        return self.with_value(value, reference) + f" (reference: {told})" * bool(told)


Item = Couple | Variable | Attribute


def point_name(point: Any) -> str:
    """Return what a training point is called in words: its label, or "point 3" where that is a number.

    Examples
    --------
    >>> point_name("P0199"), point_name(3)
    ('P0199', 'point 3')
    """
    return f"point {point}" if isinstance(point, Integral) else str(point)


def describe(
    machine: Machine,
    labels: NDArray[Any],
    row_labels: NDArray[Any] | None,
    columns: Indices,
    coefficients: Floats,
    names: NDArray[Any] | None = None,
) -> tuple[Couple | Variable, ...]:
    """Return what some columns of a machine are.

    ``labels`` and ``row_labels`` are those of all points given to fit, ``names`` those of all variables.
    """
    variables = machine.columns_.n_variables
    couple = columns >= variables
    known = [f"x{j}" if names is None else str(names[j]) for j in columns[~couple]]
    given = (coefficients[~couple].tolist(), columns[~couple].tolist())
    found: dict[int, Couple | Variable] = {
        item.column: item for item in map(Variable, known, *given)
    }
    if couple.any():
        kernels, rows = place(machine, columns[couple])
        aspects = kernel_aspects(machine.columns_.couples.kernels, names)
        points = rows if row_labels is None else row_labels[rows]
        made = map(
            Couple,
            rows.tolist(),
            points.tolist(),
            labels[rows].tolist(),
            [machine.columns_.couples.kernels[which] for which in kernels],
            coefficients[couple].tolist(),
            columns[couple].tolist(),
            [aspects[which] for which in kernels],
        )
        found |= {item.column: item for item in made}
    return tuple(found[column] for column in columns.tolist())


def place(machine: Machine, columns: Indices) -> tuple[Indices, Indices]:
    """Return the number of the kernel and the row, in the X given to fit, of the point of each couple."""
    centers = machine.columns_.couples.rows
    kernel, center = np.divmod(columns - machine.columns_.n_variables, len(centers))
    return kernel, machine.rows_[centers[center]]


def kernel_aspects(kernels: Sequence[Any], names: NDArray[Any] | None = None) -> list[str]:
    """Return what each kernel compares, in words: the columns it sees where no other sees them, else its name.

    ``names`` are those of all variables, for kernels that know only their positions.

    Examples
    --------
    >>> from chemin.kernels import Gaussian, Linear
    >>> kernel_aspects([Gaussian(1).on(["a", "b"]), Linear().on("c").named("lab"), Linear()])
    ['in a, b', 'in lab', 'by Linear']
    """
    blocks = [_block_name(kernel, names) for kernel in kernels]
    times = Counter(blocks)
    aspects = []
    for kernel, block in zip(kernels, blocks, strict=True):
        alone = bool(block) and times[block] == 1
        named = hasattr(kernel, "title") and kernel.columns_needed is not None
        word = "in" if alone or named else "by"
        aspects.append(f"{word} {block if alone else kernel.name}")
    return aspects


def _block_name(kernel: Any, names: NDArray[Any] | None) -> str:
    """Return which columns a kernel sees, by their names where it has none of its own; "" for all of them."""
    block = getattr(kernel, "block", None)
    if block is None:
        return ""
    known = str(block)
    if names is None or not known.startswith("column"):
        return known
    return ", ".join(str(names[item]) for item in block.items)


def as_columns(items: Sequence[Item], header: Sequence[str]) -> dict[str, list[Any]]:
    """Return the items as the columns of a table; `MIXED_HEADER` has one line for either kind."""
    if tuple(header) == MIXED_HEADER:
        lines: list[tuple[Any, ...]] = [(str(item), item.coefficient) for item in items]
    else:
        lines = [item.entries() for item in items]
    return {name: [line[k] for line in lines] for k, name in enumerate(header)}
