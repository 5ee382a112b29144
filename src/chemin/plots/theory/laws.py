"""How do known laws look beside what is best for them? Errors as areas, a curve over a density, ellipses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from chemin.dictionaries.base import Floats
from chemin.plots import canvas
from chemin.plots.exploration.marks import legend_beside, plain, set_title

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def draw_risk(x: Floats, joint: Floats, risk: float, *, ax: Axes | None = None) -> Axes:
    """Draw p(x, C_k) of every class, and hatch what Bayes' rule gets wrong of it."""
    ax = canvas.open_axes(ax)
    best = joint.argmax(axis=1)
    for k, values in enumerate(joint.T):
        colour = canvas.style(k)["color"]
        ax.plot(x, values, lw=1.6, label=f"p(x, C{k})", **canvas.style(k))
        wrong = np.where(best == k, 0.0, values)
        ax.fill_between(
            x, wrong, facecolor="none", edgecolor=colour, hatch="//" if k % 2 else "\\\\", lw=0.0
        )
    for place in np.flatnonzero(np.diff(best)):
        ax.axvline((x[place] + x[place + 1]) / 2.0, color=canvas.GREY, lw=1.0, zorder=0)
    ax.set_xlim(x[0], x[-1])
    ax.set_ylim(bottom=0.0)
    ax.set_xlabel("x")
    ax.set_ylabel("joint density")
    set_title(ax, f"hatched: the Bayes risk, {risk:.4g}")
    legend_beside(ax)
    return ax


def draw_regression(
    x: Floats, y: Floats, density: Floats, mean: Floats, *, ax: Axes | None = None
) -> Axes:
    """Draw the mean of y at every x over the density of both."""
    ax = canvas.open_axes(ax)
    ax.contourf(x, y, density.T, levels=12, cmap="Blues")
    ax.plot(x, mean, color=canvas.VERMILION, lw=1.8, label="E(Y | X = x)")
    ax.set_ylim(y[0], y[-1])
    ax.set_xlabel("x")
    ax.set_ylabel("y")
    legend_beside(ax)
    return ax


def draw_intervals(
    names: Sequence[str], middle: Floats, width: Floats, *, x_label: str, ax: Axes | None = None
) -> Axes:
    """Draw an interval per name, from the middle less the width to the middle and the width."""
    ax = canvas.open_axes(ax)
    place = np.arange(len(names))[::-1]
    ax.errorbar(middle, place, xerr=width, fmt="o", color=canvas.BLUE, ms=6, lw=1.6, capsize=3)
    ax.set_yticks(place, [plain(name) for name in names])
    ax.set_ylim(-0.5, len(names) - 0.5)
    ax.set_xlabel(x_label)
    return ax


def draw_ellipses(
    centre: Floats,
    outlines: dict[str, Floats],
    axes: Floats,
    *,
    points: Any = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw closed curves around a centre, the axes of the first one, and perhaps points."""
    ax = canvas.open_axes(ax)
    if points is not None:
        ax.plot(points[:, 0], points[:, 1], ".", color=canvas.GREY, ms=3, zorder=1)
    for rank, (name, outline) in enumerate(outlines.items()):
        ax.plot(outline[:, 0], outline[:, 1], lw=1.6, label=name, **canvas.style(rank))
    for tip in axes:
        ends = np.stack([centre - tip, centre + tip])
        ax.plot(ends[:, 0], ends[:, 1], color=canvas.BLACK, lw=0.9)
    ax.set_aspect("equal")
    ax.set_xlabel("x₁")
    ax.set_ylabel("x₂")
    legend_beside(ax)
    return ax
