"""How do optima look? The way of a descent, slacks beside multipliers, a band with its points, groups."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from chemin.dictionaries.base import Floats, Indices
from chemin.plots import canvas
from chemin.plots.exploration.marks import draw_members, legend_beside, set_plane, set_title

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_PLACES = 120
_LEVELS = 14
_ROOM = 0.25  # of the way, around it


def draw_descent(
    f: Callable[[Any], Any], points: Floats, values: Floats, title: str, *, ax: Axes | None = None
) -> Axes:
    """Draw a way on a curve, over levels, or as the value against the step."""
    ax = canvas.open_axes(ax)
    set_title(ax, title)
    if points.shape[1] > 2:
        ax.plot(np.arange(len(values)), values - min(values.min(), 0.0), color=canvas.BLUE, lw=1.6)
        ax.set_xlabel("step")
        ax.set_ylabel("f" if values.min() >= 0.0 else "f less its least value")
        return ax
    low, high = points.min(axis=0), points.max(axis=0)
    room = np.maximum(_ROOM * (high - low), 0.05 * (1.0 + np.abs(high)))
    sides = [np.linspace(a - r, b + r, _PLACES) for a, b, r in zip(low, high, room, strict=True)]
    ax.set_xlabel("x₁" if len(sides) == 2 else "x")
    if len(sides) == 1:
        ax.plot(
            sides[0], [float(np.squeeze(f(np.array([x])))) for x in sides[0]], color=canvas.GREY
        )
        ax.plot(points[:, 0], values, "o-", color=canvas.BLUE, ms=4, lw=1.0)
        ax.set_ylabel("f")
        return ax
    heights = np.array(
        [[float(np.squeeze(f(np.array([x, y])))) for x in sides[0]] for y in sides[1]]
    )
    above = heights - heights.min()
    levels = heights.min() + np.linspace(0.0, np.sqrt(above.max()), _LEVELS)[1:] ** 2
    ax.contour(*sides, heights, levels=levels, colors=canvas.GREY, linewidths=0.8)
    ax.plot(points[:, 0], points[:, 1], "o-", color=canvas.BLUE, ms=3, lw=1.2)
    ax.plot(*points[-1], "*", color=canvas.VERMILION, ms=11)
    ax.set_ylabel("x₂")
    return ax


def draw_touching(
    rise: Callable[[Any], Any],
    found: Floats,
    free: Floats,
    radius: float,
    diamond: bool,
    *,
    title: str,
    ax: Axes | None = None,
) -> Axes:
    """Draw a disc or a diamond, the levels of a sum of squares, one of which touches it, and where."""
    ax = canvas.open_axes(ax)
    angle = np.linspace(0.0, 2.0 * np.pi, 5 if diamond else 201)
    edge = radius * np.stack([np.cos(angle), np.sin(angle)])
    ax.fill(*edge, color="#CFDDEC", lw=0, zorder=0)
    reach = 1.15 * max(radius, float(np.abs(free).max()), float(np.abs(found).max()))
    low, high = (
        np.minimum(-1.2 * radius, free - 0.5 * reach),
        np.maximum(1.2 * radius, free + 0.5 * reach),
    )
    sides = [np.linspace(low[i], high[i], 2 * _PLACES) for i in (0, 1)]
    heights = rise(np.stack(np.meshgrid(*sides), axis=-1))
    touching = float(rise(found))
    ax.contour(
        *sides,
        heights,
        levels=touching * np.array([0.1, 0.4, 1.0, 2.0]),
        colors=canvas.GREY,
        linewidths=0.9,
    )
    ax.plot(*found, "o", color=canvas.VERMILION, ms=7, label="penalised")
    ax.plot(*free, "+", color=canvas.BLACK, ms=10, label="free")
    ax.axhline(0.0, color=canvas.GREY, lw=0.6, zorder=0)
    ax.axvline(0.0, color=canvas.GREY, lw=0.6, zorder=0)
    ax.set_aspect("equal")
    ax.set_xlabel("w₁")
    ax.set_ylabel("w₂")
    set_title(ax, title)
    legend_beside(ax)
    return ax


def draw_surface(
    sides: tuple[Floats, Floats],
    heights: Floats,
    least: Floats,
    *,
    title: str,
    ax: Axes | None = None,
) -> Axes:
    """Draw heights over two coefficients as tinted levels, and where they are least."""
    ax = canvas.open_axes(ax)
    filled = ax.contourf(*sides, heights, levels=2 * _LEVELS, cmap="Blues")
    ax.figure.colorbar(filled, ax=ax, label="risk")
    ax.plot(*least, "*", color=canvas.VERMILION, ms=11)
    ax.set_xlabel("w₁")
    ax.set_ylabel("w₂")
    set_title(ax, title)
    return ax


def draw_complementarity(slack: Floats, multiplier: Floats, *, ax: Axes | None = None) -> Axes:
    """Draw every inequality by its slack and its multiplier; those of a solution are on the two axes."""
    ax = canvas.open_axes(ax)
    ax.axhline(0.0, color=canvas.GREY, lw=1.0)
    ax.axvline(0.0, color=canvas.GREY, lw=1.0)
    ax.plot(slack, multiplier, "o", color=canvas.BLUE, ms=5)
    ax.set_xlabel("slack, h − Gx")
    ax.set_ylabel("multiplier, λ")
    set_title(ax, "complementarity: one of the two is 0")
    return ax


def draw_consensus(consensus: Any, *, ax: Axes | None = None) -> Axes:
    """Draw points against what the plane says, those that agree within a band; a line where there is one variable."""
    ax = canvas.open_axes(ax)
    line = consensus.x.shape[1] == 1
    place = consensus.x[:, 0] if line else consensus.predict(consensus.x)
    ends = np.array([place.min(), place.max()])
    middle = consensus.predict(ends[:, None]) if line else ends
    width = consensus.tolerance
    ax.fill_between(ends, middle - width, middle + width, color="#EEF3F8", zorder=0)
    ax.plot(ends, middle, color=canvas.BLACK, lw=1.2)
    for agrees, colour, name in (
        (True, canvas.BLUE, "agrees"),
        (False, canvas.VERMILION, "does not"),
    ):
        mine = consensus.members == agrees
        ax.plot(
            place[mine], consensus.y[mine], "o", color=colour, ms=4, label=f"{name} ({mine.sum()})"
        )
    ax.set_xlabel("x" if line else "x·w + b")
    ax.set_ylabel("y")
    legend_beside(ax)
    return ax


def draw_groups(
    points: Floats, labels: Indices, centers: Floats, title: str, *, ax: Axes | None = None
) -> Axes:
    """Draw groups in their first two variables, and their centres."""
    ax = canvas.open_axes(ax)
    both = points.shape[1] > 1
    plane = points[:, :2] if both else np.column_stack([points, np.zeros(len(points))])
    middle = centers[:, :2] if both else np.column_stack([centers, np.zeros(len(centers))])
    draw_members(ax, plane, labels)
    ax.plot(middle[:, 0], middle[:, 1], "+", color=canvas.BLACK, ms=10)
    set_plane(ax, ("x₁", "x₂") if both else ("x",))
    set_title(ax, title)
    legend_beside(ax)
    return ax
