"""What does a shorter model cost? The cross-validated error against the number of columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from chemin.plots import canvas
from chemin.plots.candidates import comparison_of, staircase
from chemin.plots.choices import draw_chosen, draw_relaxed, set_errors

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_LINEAR = 60  # columns up to which the axis of sizes is linear


def plot_trade(model: Any, ax: Axes | None = None, *, machine: Any = None) -> Axes:
    """Draw the cross-validated error against the number of columns, of all models that were compared.

    The staircase is the smallest error among models of at most that many columns, their mean over the folds. Below the
    dashed line models are within one standard error of the best: the leftmost of them is the shortest one that is not
    clearly worse.

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
    everything = found.compared
    dots: dict[str, Any] = {"s": 9, "color": canvas.GREY, "linewidths": 0, "zorder": 1.5}
    ax.scatter(found.path.size, found.shown(found.path.error), label="on the path", **dots)
    draw_relaxed(ax, found.relaxed, found.relaxed.size, found.shown(found.relaxed.error))
    sizes, errors = staircase(everything)
    most = max(float(everything.size.max()), 1.0)
    steps = (np.append(sizes, most), found.shown(np.append(errors, errors[-1])))
    ax.plot(
        *steps,
        color=canvas.BLUE,
        lw=1.4,
        drawstyle="steps-post",
        zorder=3,
        label="best of at most so many",
    )
    best = int(np.argmin(everything.error))
    limit = everything.error[best] + everything.standard_error[best]
    ax.axhline(
        float(found.shown(np.array([limit]))[0]), color=canvas.BLACK, lw=0.9, ls=(0, (4, 3)), zorder=2,
        label="one standard error\nfrom the best",
    )  # fmt: skip
    draw_chosen(ax, found, float(found.chosen.size[0]))
    if most > _LINEAR:
        ax.set_xscale("symlog", linthresh=1.0, linscale=0.4)
        ax.xaxis.set_major_formatter("{x:g}")
    ax.set_xlim(-0.02 * most if most <= _LINEAR else -0.2, 1.05 * most)
    ax.set_xlabel("columns in the model   (mean over the folds)")
    set_errors(ax, found)
    ax.legend(loc="upper left", bbox_to_anchor=(1.02, 1.0), frameon=False, fontsize="small")
    return ax
