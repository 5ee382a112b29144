"""Of what is this a picture? A path alone, or that of a fitted model, which knows names, classes and units."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chemin.dictionaries.base import Floats, Indices
from chemin.engine.result import Path
from chemin.exceptions import InvalidInputError
from chemin.plots.lines import Lines, chosen
from chemin.plots.naming import clipped, point_name
from chemin.plots.readings import Model, Reading, kind_of_items
from chemin.tables import opened

_UNITS = ("user", "path")


@dataclass(frozen=True, eq=False)
class Subject:
    """A path, and what is known of its columns and classes.

    Attributes
    ----------
    path : Path
        What is drawn.
    classes : tuple of str
        Names of the negative and of the positive class, as the picture colours them.
    sign : float
        −1 where the positive class of the picture is the negative one of the path.
    columns : str
        What the columns are called: "variables", "couples" or "terms".
    names : ndarray or None
        Names of all columns, where no reading knows them.
    reading : Reading or None
        The machine whose path it is.
    units : {"user", "path"}
        Whether coefficients are shown in the user's units or as the path has them.
    """

    path: Path
    classes: tuple[str, ...]
    sign: float = 1.0
    columns: str = "variables"
    names: NDArray[Any] | None = None
    reading: Reading | None = None
    units: str = "user"

    @property
    def l1(self) -> float | None:
        """The l1 of the model, None for a path alone."""
        return None if self.reading is None else self.reading.l1

    @property
    def positive(self) -> NDArray[np.bool_]:
        """Which points are of the positive class of the picture."""
        return np.asarray(self.sign * self.path.problem.label > 0.0)

    def called(self, columns: Indices) -> list[str]:
        """Return the names of some columns."""
        if self.names is None and self.reading is not None:
            return [_short(item) for item in self.reading.describe(columns)]
        if self.names is None:
            return [f"x{j}" for j in columns]
        return [str(self.names[j]) for j in columns]

    def found(self, wanted: Sequence[int | str], lines: Lines) -> Indices:
        """Return the columns given by index or by name; names of couples are those of lines that are drawn."""
        names = self.names
        count = self.path.coef.shape[1]
        if names is None and any(isinstance(item, str) for item in wanted):
            own = np.full(count, "", dtype=object)
            own[lines.index] = self.called(lines.index)
            names = own
        return chosen(wanted, names, count)

    def in_units(self, lines: Lines) -> Lines:
        """Return lines of coefficients in the units asked for."""
        if self.reading is None:
            return lines
        factors = self.reading.unit_factors(lines.index)
        if self.units == "path":
            factors = np.full(len(lines.index), self.sign)
        return replace(lines, values=lines.values * factors)

    def in_model(self, columns: Indices) -> Floats | None:
        """Return the model's own coefficients of some columns, where they are not those of the path at its l1."""
        if self.reading is None or self.reading.relax == 1.0:
            return None
        of = dict(zip(self.reading.active.tolist(), self.reading.coefficients, strict=True))
        values = np.array([of.get(int(j), 0.0) for j in columns])
        if self.units == "path":
            values = values * self.sign / self.reading.unit_factors(columns)
        return values


def _short(item: Any) -> str:
    """Return the name of a variable, or a shorter one of a couple."""
    if not hasattr(item, "kernel"):
        return str(item)
    return f"{clipped(point_name(item.point), 14)} ({clipped(str(item.label), 10)}), {item.kernel.name}"


def subject_of(
    what: Path | Model,
    machine: Any = None,
    names: Sequence[str] | None = None,
    units: str = "user",
) -> Subject:
    """Return what is drawn: a path, or one machine of a fitted model."""
    if units not in _UNITS:
        raise InvalidInputError(f"units is {units!r}: pass 'user' or 'path'")
    if isinstance(what, Path):
        known = what.names if names is None else np.asarray(names)
        return Subject(what, tuple(str(name) for name in what.classes), names=known)
    model = opened(what)
    if not hasattr(model, "reading"):
        raise InvalidInputError(
            f"a {type(what).__name__} cannot be drawn: pass a path, or a fitted classifier of chemin"
        )
    reading = model.reading(machine)
    return Subject(
        reading.path,
        (reading.sides.toward(-1.0), reading.sides.toward(1.0))
        if len(reading.path.classes)
        else (),
        reading.sign,
        kind_of_items(reading),
        None if names is None else np.asarray(names),
        reading,
        units,
    )
