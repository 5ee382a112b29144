"""What every estimated density can be asked: its value anywhere, a table of it, its integral, a picture."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from chemin.dictionaries.base import Floats
from chemin.exceptions import InvalidInputError
from chemin.exploration.points import Points
from chemin.frames import as_frame
from chemin.results import Result

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MARGIN = 0.25  # of the range of the data, shown on either side
_LINE = 400  # values along a line
_SIDE = 80  # values along each side of a square


@dataclass(frozen=True, eq=False, repr=False)
class Density(Result):
    """A density estimated from points.

    Attributes
    ----------
    points : Points
        What it was estimated from.
    """

    points: Points = field(repr=False)

    @abstractmethod
    def log_pdf(self, x: Any) -> Floats:
        """Return the logarithm of the density at some points."""

    @property
    @abstractmethod
    def name(self) -> str:
        """What kind of estimate this is, in words."""

    def pdf(self, x: Any) -> Floats:
        """Return the density at some points: rows of coordinates, or numbers if there is one variable."""
        return np.exp(self.log_pdf(x))

    def log_likelihood(self, x: Any = None) -> float:
        """Return the sum of the logarithms of the density at some points, by default those it was estimated from."""
        return float(self.log_pdf(self.points.values if x is None else x).sum())

    def grid(
        self, low: Any = None, high: Any = None, resolution: int | None = None
    ) -> list[Floats]:
        """Return values along each axis, evenly spaced from ``low`` to ``high``; by default around the data."""
        values = self.points.values
        if values.shape[1] > 2:
            raise InvalidInputError(
                f"the density has {values.shape[1]} variables, and a grid needs one or two: estimate it from one or "
                "two columns, or ask for pdf"
            )
        span = values.max(axis=0) - values.min(axis=0)
        margin = np.maximum(_MARGIN * np.where(span > 0.0, span, 1.0), self._reach)
        first = values.min(axis=0) - margin if low is None else _corner("low", low, len(span))
        last = values.max(axis=0) + margin if high is None else _corner("high", high, len(span))
        count = (_LINE if len(span) == 1 else _SIDE) if resolution is None else resolution
        if not isinstance(count, int | np.integer) or count < 2:
            raise InvalidInputError(
                f"resolution is {resolution!r}: pass a whole number, 2 or larger"
            )
        return [np.linspace(a, b, count) for a, b in zip(first, last, strict=True)]

    def values_on(self, axes: list[Floats]) -> Floats:
        """Return the density on a grid; of two variables, its first index is that of the first axis."""
        mesh = np.meshgrid(*axes, indexing="ij")
        nodes = np.column_stack([side.ravel() for side in mesh])
        return self.pdf(nodes).reshape(mesh[0].shape)

    def integral(self, low: Any = None, high: Any = None, resolution: int | None = None) -> float:
        """Return the integral over an interval or a rectangle, by the trapezoidal rule on a grid.

        Parameters
        ----------
        low, high : float or array of shape (p,), optional
            Its ends; by default around the data.
        resolution : int, optional
            Values along each axis.

        Returns
        -------
        float
        """
        axes = self.grid(low, high, resolution)
        total: Any = self.values_on(axes)
        for axis in reversed(axes):
            total = np.trapezoid(total, axis, axis=-1)
        return float(total)

    def frame(self) -> Any:
        """Return the density on a grid around the data as a DataFrame."""
        axes = self.grid()
        mesh = np.meshgrid(*axes, indexing="ij")
        named = {name: side.ravel() for name, side in zip(self.points.names, mesh, strict=True)}
        made = {**named, "density": self.values_on(axes).ravel()}
        return as_frame(made, instead="pdf")

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the density: a curve of one variable over a histogram, level lines of two."""
        from chemin.plots.exploration.densities import draw_curve, draw_levels

        axes = self.grid()
        values = self.values_on(axes)
        if len(axes) == 1:
            column = self.points.values[:, 0]
            return draw_curve(
                axes[0], {self.name: values}, column, name=self.points.names[0], ax=ax
            )
        return draw_levels(
            axes[0], axes[1], values, self.points.values, names=self.points.names, title=self.name,
            ax=ax,
        )  # fmt: skip

    def __str__(self) -> str:
        return f"{self.name}; {', '.join(self.points.names[:5])}, {self.points.said}"

    @property
    def _reach(self) -> float:
        """How far beyond the points the density is worth showing."""
        return 0.0

    def _nodes(self, x: Any) -> Floats:
        """Return rows of coordinates."""
        p = self.points.shape[1]
        try:
            nodes = np.asarray(x, dtype=float)
        except (TypeError, ValueError) as error:
            raise InvalidInputError(
                f"points are not all numbers ({error}): pass rows of {p} numbers"
            ) from error
        if nodes.ndim < 2 and (p == 1 or nodes.shape == (p,)):
            nodes = nodes.reshape(-1, p)
        if nodes.ndim != 2 or nodes.shape[1] != p:
            raise InvalidInputError(
                f"points have shape {nodes.shape}, and the density is one of {p} variables: pass rows of {p} numbers"
            )
        if not len(nodes) or not np.isfinite(nodes).all():
            raise InvalidInputError("points are missing or infinite: pass rows of finite numbers")
        return nodes


def _corner(name: str, given: Any, d: int) -> Floats:
    """Return one number per variable."""
    try:
        corner = np.broadcast_to(np.asarray(given, dtype=float), (d,))
    except (TypeError, ValueError) as error:
        raise InvalidInputError(f"{name} is {given!r}: pass a number, or {d} numbers") from error
    if not np.isfinite(corner).all():
        raise InvalidInputError(f"{name} is {given!r}: pass finite numbers")
    return corner
