"""Why this l1? The cross-validated error over all of them, with its uncertainty, and what was chosen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from chemin.dictionaries.base import Floats
from chemin.plots import canvas
from chemin.plots.candidates import Candidates, Comparison, comparison_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_DECADES = 1e-4  # l1 down to 0 is shown at most this far
_ROOM = 1.3  # above the first l1 at which the error changes, as a factor
_FEW = 6  # values of φ up to which each has a name of its own
_TIMES = 5  # the best error and its standard error, up to which errors are shown
_COLOURS = "viridis"


def plot_choice(model: Any, ax: Axes | None = None, *, machine: Any = None) -> Axes:
    """Draw the cross-validated error against l1, with a band of one standard error, and what was chosen.

    The error rate is exact for every l1, so the line is made of steps; a loss of numbers is drawn at the breakpoints of
    all folds. Dots are relaxed models, whose terms were chosen at
    that l1 and shrunk by φ l1 only; grey lines are other l2.

    Parameters
    ----------
    model : fitted SparseSVCCV or KernelBasisClassifierCV
        What to draw.
    ax : matplotlib Axes, optional
        Where to draw; new axes are made otherwise.
    machine : int, str or pair of labels, optional
        Which machine, when there are more than two classes.

    Returns
    -------
    matplotlib Axes
    """
    found = comparison_of(model, machine)
    ax = canvas.open_axes(ax)
    limits = _limits(found)
    for k, other in enumerate(found.others):
        line: dict[str, Any] = {"color": canvas.GREY, "lw": 0.9, "drawstyle": "steps-pre"}
        name = "_" if k else "another λ₂"
        ax.plot(
            *_opened(other.l1, found.shown(other.error), limits), zorder=1.5, label=name, **line
        )
    _draw_curve(ax, found, limits)
    draw_relaxed(ax, found.relaxed, found.relaxed.l1, found.shown(found.relaxed.error))
    draw_chosen(ax, found, float(found.chosen.l1[0]))
    canvas.set_abscissa(ax, "l1", limits)
    set_errors(ax, found)
    ax.legend(loc="upper left", bbox_to_anchor=(1.02, 1.0), frameon=False, fontsize="small")
    return ax


def draw_relaxed(ax: Axes, relaxed: Candidates, x: Floats, y: Floats) -> None:
    """Draw relaxed models as dots, coloured by φ."""
    if not len(x):
        return
    levels = np.unique(relaxed.relax)
    colours = canvas.pyplot().get_cmap(_COLOURS)
    dots: dict[str, Any] = {"s": 13, "linewidths": 0, "alpha": 0.85, "zorder": 2.5}
    if len(levels) > _FEW:
        scattered = ax.scatter(x, y, c=relaxed.relax, vmin=0.0, vmax=1.0, cmap=colours, **dots)
        bar = ax.figure.colorbar(scattered, ax=ax, pad=0.02, aspect=30, location="bottom")
        bar.set_label("relaxed, φ")
        return
    for level, shade in zip(levels, np.linspace(0.0, 0.85, len(levels)), strict=True):
        mine = relaxed.relax == level
        name = f"relaxed, φ = {level:.2g}"
        ax.scatter(x[mine], y[mine], color=colours(shade), label=name, **dots)


def draw_chosen(ax: Axes, found: Comparison, x: float) -> None:
    """Draw the chosen model with the bar of its standard error, and name it in the legend."""
    chosen = found.chosen
    error, spread = float(chosen.error[0]), float(chosen.standard_error[0])
    facts = [f"chosen: {found.worded(error)}", f"λ₁ = {chosen.l1[0]:.3g}"]
    facts += [f"φ = {chosen.relax[0]:.2g}"] * bool(chosen.relax[0] != 1.0)
    facts.append(f"{chosen.size[0]:.3g} columns")
    shown = float(found.shown(np.array([error]))[0])
    ax.errorbar(x, shown, yerr=spread, color=canvas.VERMILION, capsize=3, lw=1.3, zorder=4)
    look: dict[str, Any] = {"marker": "D", "ms": 7, "mec": "white", "ls": "none", "zorder": 5}
    ax.plot(x, shown, color=canvas.VERMILION, label="\n".join(facts), **look)


def set_errors(ax: Axes, found: Comparison) -> None:
    """Set the axis of the errors: per cents for the error rate, from 0 to a few times the best."""
    ax.set_ylabel(found.label)
    if not found.is_rate:
        return
    from matplotlib.ticker import PercentFormatter

    ax.yaxis.set_major_formatter(PercentFormatter(1.0))
    everything = found.compared
    best = int(np.argmin(everything.error))
    most = float((everything.error + everything.standard_error).max())
    few = _TIMES * float(everything.error[best] + everything.standard_error[best])
    ax.set_ylim(0.0, 1.05 * (min(most, few) if few > 0.0 else most) or 1.0)


def _draw_curve(ax: Axes, found: Comparison, limits: tuple[float, float]) -> None:
    """Draw the curve of the path and its band: steps for an error rate, a line for a loss of numbers."""
    path = found.path
    error = found.shown(path.error)
    band: dict[str, Any] = {"color": canvas.BLUE, "alpha": 0.15, "linewidth": 0, "zorder": 1}
    line: dict[str, Any] = {"color": canvas.BLUE, "lw": 1.4, "zorder": 2}
    if found.loss is None:
        band["step"] = "pre"
        line["drawstyle"] = "steps-pre"
    x, middle = _opened(path.l1, error, limits)
    low = _opened(path.l1, error - path.standard_error, limits)[1]
    high = _opened(path.l1, error + path.standard_error, limits)[1]
    ax.fill_between(x, low, high, label="± one standard error", **band)
    ax.plot(x, middle, label="on the path", **line)


def _opened(l1: Floats, values: Floats, limits: tuple[float, float]) -> tuple[Floats, Floats]:
    """Return the steps on the axis, beginning left of the first edge."""
    first, last = limits
    return np.append(first, np.clip(l1, last, first)), np.append(values[:1], values)


def _limits(found: Comparison) -> tuple[float, float]:
    """Return the ends of the abscissa: where the error changes, and the chosen l1 inside."""
    edges = found.path.l1[found.path.l1 > 0.0]
    everything = np.concatenate([edges, found.relaxed.l1, found.chosen.l1])
    everything = everything[everything > 0.0]
    if not len(everything):
        return 1.0, 0.1
    first = _ROOM * float(everything.max())
    last = max(float(everything.min()), _DECADES * first)
    near = 0.5 * float(found.chosen.l1[0])
    return first, min(last, near) if near > 0.0 else last
