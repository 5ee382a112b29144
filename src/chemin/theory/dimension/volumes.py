"""How empty is a space of many dimensions? Volumes of the ball and its shell, cells of a grid, distances that agree.

    unit ball            V_d = π^{d/2}/Γ(d/2 + 1), near (πd)^{−1/2} (2πe/d)^{d/2}
    ball in its cube     V_d/2^d
    shell                1 − (1 − ε)^d of the ball is within ε of its surface
    grid                 n^d cells of side 1/n

Distances of uniform points of [−1, 1]^d to the centre: the farthest over the nearest tends to 1. (The text of the
course names the inverse ratio, its figure this one.)

Reference: F. Sur, *Introduction à l'apprentissage automatique*, 2.1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from chemin.dictionaries.base import Floats, Indices
from chemin.exploration.densities.parzen import log_ball_volume
from chemin.frames import as_frame
from chemin.theory.theorem import Promise, Theorem

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "DistanceConcentration",
    "EmptySpace",
    "ball_volume",
    "distance_concentration",
    "empty_space",
]

_AT_ONCE = 2_000_000  # numbers drawn at once

BALL = Theorem(
    "the volume of the unit ball",
    "V_d = π^{d/2}/Γ(d/2 + 1)",
    ("the Euclidean norm", "d ≥ 1"),
    "Sur, 2.1.3",
)
CONCENTRATION = Theorem(
    "the concentration of distances",
    "the farthest over the nearest of N points tends to 1 as d grows",
    ("independent coordinates of one law", "N fixed, at least 2"),
    "Sur, 2.1.3; Beyer et al. 1999",
)


def ball_volume(d: int, radius: float = 1.0) -> float:
    """Return the volume of a ball of d dimensions.

    Examples
    --------
    >>> [round(ball_volume(d), 6) for d in (2, 5, 10, 20)]
    [3.141593, 5.263789, 2.550164, 0.025807]
    """
    d = BALL.whole("d", d, "d")
    radius = BALL.positive("radius", radius, "the radius")
    return float(np.exp(log_ball_volume(d) + d * np.log(radius)))


@dataclass(frozen=True, eq=False, repr=False)
class EmptySpace(Promise):
    """Volumes by dimension.

    Attributes
    ----------
    dimensions : ndarray of int
        d.
    volume, asymptote : ndarrays
        V_d, and what it comes near to.
    of_cube : ndarray
        V_d/2^d.
    shell : ndarray
        Share of the ball within ε of its surface.
    log10_cells : ndarray
        Decimal logarithm of n^d.
    layer : float
        ε.
    cells : int
        n.
    """

    theorem = BALL
    dimensions: Indices
    volume: Floats
    asymptote: Floats
    of_cube: Floats
    shell: Floats
    log10_cells: Floats
    layer: float
    cells: int

    def __str__(self) -> str:
        d, volume, part, shell = (
            self.dimensions[-1],
            self.volume[-1],
            self.of_cube[-1],
            self.shell[-1],
        )
        return (
            f"with {d} dimensions the unit ball has the volume {volume:.4g}, {part:.3g} of its cube; {shell:.3g} of "
            f"it is within {self.layer:g} of the surface; {self.cells} cells a side make "
            f"10^{self.log10_cells[-1]:.4g} of them"
        )

    def frame(self) -> Any:
        """Return a row per dimension as a DataFrame."""
        made = {
            "dimension": self.dimensions,
            "volume": self.volume,
            "asymptote": self.asymptote,
            "of cube": self.of_cube,
            "shell": self.shell,
            "log10 cells": self.log10_cells,
        }
        return as_frame(made, instead="volume, asymptote, of_cube, shell and log10_cells")

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the share of the cube that is in the ball, and the share of the ball that is not in the shell."""
        from chemin.plots.theory.curves import draw_curves

        curves = {
            "ball, of its cube": self.of_cube,
            f"ball deeper than {self.layer:g}": 1.0 - self.shell,
        }
        return draw_curves(
            self.dimensions, curves, x_label="dimension, d", y_label="share of the volume", logarithmic="y", ax=ax
        )  # fmt: skip


def empty_space(
    dimensions: Sequence[int] = tuple(range(1, 21)), *, layer: float = 0.05, cells: int = 10
) -> EmptySpace:
    """Return volumes by dimension.

    Parameters
    ----------
    dimensions : list of int
        d.
    layer : float, default 0.05
        ε, the thickness of the shell.
    cells : int, default 10
        n, the cells of a grid along each side.

    Returns
    -------
    EmptySpace

    Examples
    --------
    >>> print(empty_space([2, 10]))
    with 10 dimensions the unit ball has the volume 2.55, 0.00249 of its cube; 0.401 of it is within 0.05 of the
    surface; 10 cells a side make 10^10 of them
    """
    d = np.array([BALL.whole("a dimension", one, "d") for one in dimensions])
    BALL.require(len(d), "d ≥ 1", "there are no dimensions", "pass at least one")
    layer = BALL.probability("layer", layer, "ε")
    cells = BALL.whole("cells", cells, "n")
    log_volume = np.array([log_ball_volume(int(one)) for one in d])
    log_near = -0.5 * np.log(np.pi * d) + 0.5 * d * (1.0 + np.log(2.0 * np.pi / d))
    return EmptySpace(
        dimensions=d,
        volume=np.exp(log_volume),
        asymptote=np.exp(log_near),
        of_cube=np.exp(log_volume - d * np.log(2.0)),
        shell=-np.expm1(d * np.log1p(-layer)),
        log10_cells=d * np.log10(cells),
        layer=layer,
        cells=cells,
    )


@dataclass(frozen=True, eq=False, repr=False)
class DistanceConcentration(Promise):
    """Distances of drawn points to the centre, by dimension.

    Attributes
    ----------
    dimensions : ndarray of int
        d.
    nearest, farthest, mean : ndarrays
        Distances.
    points : int
        How many were drawn.
    """

    theorem = CONCENTRATION
    dimensions: Indices
    nearest: Floats
    farthest: Floats
    mean: Floats
    points: int

    @property
    def ratio(self) -> Floats:
        """The farthest over the nearest."""
        return self.farthest / self.nearest

    def __str__(self) -> str:
        return (
            f"of {self.points} uniform points the farthest from the centre is {self.ratio[0]:.4g} times as far as the "
            f"nearest with {self.dimensions[0]} dimensions, {self.ratio[-1]:.4g} times with {self.dimensions[-1]}"
        )

    def frame(self) -> Any:
        """Return a row per dimension as a DataFrame."""
        made = {
            "dimension": self.dimensions,
            "nearest": self.nearest,
            "mean": self.mean,
            "farthest": self.farthest,
            "farthest over nearest": self.ratio,
        }
        return as_frame(made, instead="nearest, farthest and ratio")

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the ratio against the dimension."""
        from chemin.plots.theory.curves import draw_curves

        return draw_curves(
            self.dimensions, {"ratio": self.ratio, "1": np.ones(len(self.ratio))}, x_label="dimension, d",
            y_label="farthest over nearest", logarithmic="xy", ax=ax,
        )  # fmt: skip


def distance_concentration(
    dimensions: Sequence[int] = (1, 2, 5, 10, 20, 50, 100),
    *,
    points: int = 10_000,
    random_state: int = 0,
) -> DistanceConcentration:
    """Draw uniform points of [−1, 1]^d, and measure how far they are from the centre.

    Parameters
    ----------
    dimensions : list of int
        d.
    points : int, default 10 000
        How many; the course has 10⁶.
    random_state : int, default 0
        What the draws start from.

    Returns
    -------
    DistanceConcentration

    Examples
    --------
    >>> made = distance_concentration([2, 200], points=1000)
    >>> bool(made.ratio[0] > 20.0), bool(made.ratio[1] < 1.5)
    (True, True)
    """
    d = [CONCENTRATION.whole("a dimension", one, "d") for one in dimensions]
    CONCENTRATION.require(d, "d ≥ 1", "there are no dimensions", "pass at least one")
    points = CONCENTRATION.whole("points", points, "N", 2)
    drawing = np.random.default_rng(random_state)
    found = np.array([_distances(one, points, drawing) for one in d])
    return DistanceConcentration(np.array(d), found[:, 0], found[:, 1], found[:, 2], points)


def _distances(d: int, points: int, drawing: np.random.Generator) -> tuple[float, float, float]:
    """Return the least, the largest and the mean distance."""
    rows = max(_AT_ONCE // d, 1)
    low, high, total = np.inf, 0.0, 0.0
    for start in range(0, points, rows):
        X = drawing.uniform(-1.0, 1.0, size=(min(rows, points - start), d))
        distance = np.sqrt(np.einsum("ij,ij->i", X, X))
        low = min(low, float(distance.min()))
        high = max(high, float(distance.max()))
        total += float(distance.sum())
    return low, high, total / points
