"""What is the plane of both penalties made of? Its cells by their active variables, and the front of loss and norm."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from chemin.dictionaries.base import Floats
from chemin.engine.plane.surface import Surface
from chemin.exceptions import InvalidInputError
from chemin.plots import canvas

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_ON_A_SIDE = np.linspace(0.0, 1.0, 12, endpoint=False)
_LEAST = 1e-3  # of the largest l1, where a rectangle begins at 0
_NORMS = {"l1": "‖b‖₁", "l2": "‖b‖₂"}


def plot_surface(
    surface: Surface, ax: Axes | None = None, *, outline: Sequence[Floats] = ()
) -> Axes:
    """Draw the cells of a surface, coloured by how many variables are active.

    Parameters
    ----------
    surface : Surface
        What to draw.
    ax : matplotlib Axes, optional
        Where to draw; new axes are made otherwise.
    outline : sequence of arrays of shape (k, 2), optional
        Polygons of (l1, l2) to mark, such as ``model.region_.polygons``.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import chemin
    >>> from chemin.plots import plot_surface
    >>> X, y = [[-2.0, 0.3], [-1.0, -0.4], [1.0, 0.2], [2.5, 0.1]], [0, 0, 1, 1]
    >>> ax = plot_surface(chemin.svm_surface(X, y, l2=(0.1, 10.0)))
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('λ₁   (strong penalty → weak)', 'λ₂')
    """
    plt = canvas.pyplot()
    ax = canvas.open_axes(ax)
    from matplotlib.collections import PolyCollection

    least = surface.l1[0] or _LEAST * surface.l1[1]
    shapes = [_curved(surface.polygon(cell), least) for cell in range(len(surface))]
    levels = np.arange(surface.n_active.min(), surface.n_active.max() + 2) - 0.5
    colours = plt.get_cmap("viridis", len(levels) - 1)
    cells = PolyCollection(shapes, array=surface.n_active, cmap=colours, lw=0.15, ec="w")
    cells.set_clim(levels[0], levels[-1])
    ax.add_collection(cells)
    bar = ax.figure.colorbar(cells, ax=ax, label="active variables")
    bar.locator = plt.MaxNLocator(integer=True)
    bar.update_ticks()
    mark_region(ax, outline, least)
    set_plane(ax, (least, surface.l1[1]), surface.l2)
    return ax


def plot_front(surface: Surface, norm: str = "l1", ax: Axes | None = None) -> Axes:
    """Draw the least loss for every norm: no solution of the surface has less of both.

    Parameters
    ----------
    surface : Surface
        What to draw.
    norm : {"l1", "l2"}, default "l1"
        Σ v_j |b_j|, or ‖b‖₂.
    ax : matplotlib Axes, optional
        Where to draw; new axes are made otherwise.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import chemin
    >>> from chemin.plots import plot_front
    >>> X, y = [[-2.0, 0.3], [-1.0, -0.4], [1.0, 0.2], [2.5, 0.1]], [0, 0, 1, 1]
    >>> plot_front(chemin.svm_surface(X, y, l2=(0.1, 10.0)), "l2").get_xlabel()
    '‖b‖₂'
    """
    if norm not in _NORMS:
        raise InvalidInputError(f"norm is {norm!r}: pass 'l1' or 'l2'")
    ax = canvas.open_axes(ax)
    front = surface.front(norm)
    ax.plot(front["norm"], front["loss"], color=canvas.BLUE, lw=1.8, label="front")
    ax.set(xlabel=_NORMS[norm], ylabel="loss", ylim=(0.0, None))
    return ax


def mark_region(ax: Axes, polygons: Sequence[Floats], least: float) -> None:
    """Outline polygons of (l1, l2)."""
    for polygon in polygons:
        ax.fill(*_curved(polygon, least).T, fc="none", ec=canvas.VERMILION, lw=2.0)


def set_plane(ax: Axes, l1: tuple[float, float], l2: tuple[float, float]) -> None:
    """Let the axes be those of the plane: logarithms, l1 from the strong to the weak."""
    canvas.set_abscissa(ax, "l1", (l1[1], l1[0]))
    ax.set_xlim(l1[1], l1[0])
    ax.set(yscale="log", ylim=l2, ylabel="λ₂")
    ax.yaxis.set_major_formatter("{x:g}")


def _curved(vertex: Floats, least: float) -> Floats:
    """Return more points on the sides of a polygon, which logarithms bend."""
    ends = np.roll(vertex, -1, axis=0)
    points = vertex[:, None] + _ON_A_SIDE[:, None] * (ends - vertex)[:, None]
    return np.maximum(points.reshape(-1, 2), [least, 0.0])
