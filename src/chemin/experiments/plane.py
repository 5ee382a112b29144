"""How far is a point from the boundary, which kernel should it use, and how does a plane look without its couples?

The boundary f = 0 is met along the lines of a grid, where the decision changes its sign; between two grid points it is
taken as affine. Lengths are those of the segments through the crossed cells.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.spatial import cKDTree

from chemin.datasets import Toy
from chemin.datasets.generators import Labels
from chemin.dictionaries.base import Floats, Indices
from chemin.kernels import Gaussian, Kernel
from chemin.plots import canvas

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_ROOM = 1.0  # around the points
_GRID = 200


@dataclass(frozen=True, eq=False)
class Boundary:
    """Where a decision is zero in the plane, and the grid on which it was looked for."""

    x: Floats
    y: Floats
    values: Floats
    places: Floats

    def distances(self, X: Floats) -> Floats:
        """Return the distance of each point from the boundary; infinite if there is none."""
        if not len(self.places):
            return np.full(len(X), np.inf)
        return np.asarray(cKDTree(self.places).query(X)[0])

    @property
    def length(self) -> float:
        """How long the boundary is: a line crosses a grid of step h about 4/(π h) times per unit of its length."""
        step = 0.5 * (self.x[1] - self.x[0] + self.y[1] - self.y[0])
        return float(len(self.places) * step * np.pi / 4.0)


def boundary_of(decision: Any, X: Floats) -> Boundary:
    """Return the boundary of a decision in a rectangle around the points."""
    low, high = X.min(axis=0) - _ROOM, X.max(axis=0) + _ROOM
    x, y = np.linspace(low, high, _GRID).T
    grid = np.stack(np.meshgrid(x, y), axis=-1)
    values = decision(grid.reshape(-1, 2)).reshape(_GRID, _GRID)
    places = []
    for axis in (0, 1):
        before, after = np.delete(values, -1, axis), np.delete(values, 0, axis)
        crossed = (before > 0) != (after > 0)
        share = (before[crossed] / (before[crossed] - after[crossed]))[:, None]
        start, stop = np.delete(grid, -1, axis)[crossed], np.delete(grid, 0, axis)[crossed]
        places.append(start + share * (stop - start))
    return Boundary(x, y, values, np.vstack(places))


def kernels_of(toy: Toy) -> tuple[Kernel, ...]:
    """Return the Gaussian kernels offered to a toy, named."""
    return tuple(Gaussian(width).named(name) for name, width in toy.widths.items())


def right_kernels(toy: Toy, X: Floats, y: Labels) -> Indices:
    """Return, for each point, the number of the kernel that has the shape of its region."""
    numbers = {name: number for number, name in enumerate(toy.widths)}
    return np.array([numbers[name] for name in toy.kernels(X, y).tolist()], dtype=np.intp)


def draw_plane(ax: Axes, boundary: Boundary, X: Floats, y: Labels) -> None:
    """Draw points, boundary and margins, and no couples."""
    for label, mark, colour in ((-1, "x", canvas.VERMILION), (1, "+", canvas.BLUE)):
        ax.scatter(
            X[y == label, 0],
            X[y == label, 1],
            s=18,
            marker=mark,
            color=colour,
            linewidths=0.8,
            label=f"class {label:+d}",
        )
    for level, width, dash in ((0.0, 1.8, "-"), (-1.0, 0.8, "--"), (1.0, 0.8, "--")):
        if boundary.values.min() < level < boundary.values.max():
            given = (boundary.x, boundary.y, boundary.values)
            ax.contour(*given, levels=[level], colors="0.15", linewidths=width, linestyles=dash)
    ax.set_xlabel("x0")
    ax.set_ylabel("x1")
