"""What do the data look like, from all sides? Every part of a look, computed when it is asked for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from chemin.exceptions import CheminError
from chemin.exploration.cost import BUDGET, Cost, estimate_cost
from chemin.exploration.densities import Densities, column_densities
from chemin.exploration.dependence import Dependence, dependence
from chemin.exploration.description import Description, describe
from chemin.exploration.findings import Findings, check
from chemin.exploration.groups import Structure, structure
from chemin.exploration.points import Points, points_of
from chemin.exploration.projection import Projection, pca
from chemin.exploration.subject import Subject, as_subject
from chemin.frames import as_frame
from chemin.results import Result, plural

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PARTS = {
    "description": "description", "findings": "findings", "dependence": "dependence",
    "projection": "projection", "groups": "structure", "densities": "densities",
}  # fmt: skip
_DIRECTIONS = 50  # that a projection keeps


@dataclass(frozen=True, eq=False, repr=False)
class Exploration(Result):
    """A look at a table; each part is computed when it is first asked for, and kept.

    Attributes
    ----------
    subject : Subject
        The table, which of its rows are looked at, and the target.
    budget : float or None
        Seconds of estimated work that each part may take, beyond which it looks at a random part of the rows.
    random_state : int
        Of all that is drawn.
    progress : bool
        Whether bars are drawn.
    """

    subject: Subject
    budget: float | None = field(default=BUDGET, repr=False)
    random_state: int = field(default=0, repr=False)
    progress: bool = field(default=False, repr=False)

    @property
    def said(self) -> str:
        """Which rows are looked at."""
        return self.subject.said

    @cached_property
    def description(self) -> Description:
        """Every column in numbers."""
        return describe(self.subject, **self._limits, progress=self.progress)

    @cached_property
    def findings(self) -> Findings:
        """What should be known before anything is learned."""
        return check(self.subject, **self._limits, progress=self.progress)

    @cached_property
    def dependence(self) -> Dependence:
        """How much every column has to do with every other."""
        return dependence(self.subject, **self._limits)

    @cached_property
    def projection(self) -> Projection:
        """The main directions of the inputs, at most fifty."""
        return pca(self.points, min(_DIRECTIONS, *self.points.shape), **self._limits)

    @cached_property
    def groups(self) -> Structure:
        """Whether the rows fall into groups, and how many."""
        return structure(self.points, **self._limits, progress=self.progress)

    @cached_property
    def densities(self) -> Densities:
        """How each column of numbers is spread."""
        return column_densities(self.subject, **self._limits, progress=self.progress)

    @cached_property
    def points(self) -> Points:
        """The inputs as numbers of mean 0 and standard deviation 1: words and dates as columns, gaps filled."""
        return points_of(self.subject, scale=True)

    def costs(self) -> tuple[Cost, ...]:
        """Return what every part is estimated to take, and on how many rows, before any is computed."""
        n, p = self.subject.n, len(self.subject.table.columns)
        return tuple(estimate_cost(part, n, p, self.budget) for part in PARTS.values())

    def frame(self) -> Any:
        """Return a row per part as a DataFrame: what it takes, and on how many rows."""
        costs = self.costs()
        made = {
            "part": list(PARTS),
            "rows": [cost.rows for cost in costs],
            "seconds": [cost.seconds for cost in costs],
            "gibibytes": [cost.gibibytes for cost in costs],
        }
        return as_frame(made, instead="costs()")

    def plot(self) -> Any:
        """Draw findings, dependence, the main plane and whether there are groups, on one page."""
        from chemin.plots.exploration.overview import open_page

        figure, panels = open_page(self.subject.table.name, self.said)
        colour = self._colour()
        drawn: list[Callable[[Axes], Any]] = [
            lambda ax: self.findings.plot(ax=ax),
            lambda ax: self.dependence.plot(ax=ax),
            lambda ax: self.projection.plot(colour, ax=ax),
            lambda ax: self.groups.plot(ax=ax),
        ]
        for ax, draw in zip(panels, drawn, strict=True):
            try:
                draw(ax)
            except CheminError as error:  # such as no column of numbers: the other parts are there
                ax.set_axis_off()
                ax.text(0.0, 0.5, str(error), wrap=True, size="small")
        return figure

    def __str__(self) -> str:
        types: dict[str, int] = {}
        for column in self.subject.inputs:
            types[column.field.type] = types.get(column.field.type, 0) + 1
        told = ", ".join(f"{count} {type}" for type, count in types.items())
        target = self.subject.table.target
        lines = [
            f"{self.subject.table.name}: {self.said}, {plural(len(self.subject.inputs), 'input')} ({told})"
        ]
        if target is not None:
            kind = "classes" if self.subject.has_classes else "numbers"
            lines[0] += f", target {target!r} ({kind})"
        lines += [
            f"  .{part:<12} {str(cost).partition(': ')[2]}"
            for part, cost in zip(PARTS, self.costs(), strict=True)
        ]
        return "\n".join(lines)

    @property
    def _limits(self) -> dict[str, Any]:
        return {"budget": self.budget, "random_state": self.random_state}

    def _colour(self) -> NDArray[Any] | None:
        """Return the target at the rows that were looked at, for all rows that were given."""
        target = self.subject.target
        if target is None or target.values.dtype.kind == "M":
            return None
        values = target.values if target.values.dtype.kind == "f" else target.values.astype(str)
        made = np.zeros(int(self.subject.rows.max()) + 1, dtype=values.dtype)
        made[self.subject.rows] = values
        return made


def explore(
    data: Any,
    target: Any = None,
    rows: Any = None,
    *,
    budget: float | None = BUDGET,
    random_state: int = 0,
    progress: bool = False,
) -> Exploration:
    """Look at a table from all sides before anything is learned.

    Nothing is computed until a part is asked for: ``description``, ``findings``, ``dependence``, ``projection``,
    ``groups``, ``densities``. Each has ``frame()``, ``plot()`` and a few words when printed, and is a function of its
    own in `chemin.exploration`.

    Parameters
    ----------
    data : Table, DataFrame, dict of columns, array, path or name
        What `chemin.read` takes or gives.
    target : str or array of shape (n,), optional
        What is to be predicted: a column, or its values; by default that of a `Table`.
    rows : int, slice, array of positions or of bool, optional
        Which rows to look at: so many from the first, or these. Rows that are kept for a test should not be among
        them. All by default.
    budget : float, optional
        Seconds of estimated work that each part may take; beyond, it looks at as many rows, drawn at random, as it
        can, and says so. None for as long as it takes.
    random_state : int, default 0
        Of all that is drawn.
    progress : bool, default False
        Draw bars.

    Returns
    -------
    Exploration

    Examples
    --------
    >>> import chemin
    >>> look = chemin.explore("patients", target="diagnostic")
    >>> [finding.code for finding in look.findings]
    ['missing', 'identifier', 'sentences']
    >>> look.groups.count
    1
    """
    subject = as_subject(data, target, rows, random_state=random_state)
    return Exploration(subject, budget, random_state, progress)
