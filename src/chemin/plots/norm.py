"""Where is the solution pinned? The norm ‖b‖₁ along the path, with its plateaus."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from chemin.engine.result import Path
from chemin.plots import canvas
from chemin.plots.lines import norm_line, plateaus, span
from chemin.plots.readings import Model
from chemin.plots.subject import subject_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_norm1(path: Path | Model, ax: Axes | None = None, *, machine: Any = None) -> Axes:
    """Draw ‖b‖₁ against l1, its plateaus in another colour.

    On a plateau the elbow points determine b entirely; l1 and the dual values go on moving, and a path followed in ‖b‖₁
    would have stopped there.

    Parameters
    ----------
    path : Path or fitted classifier
        What to draw.
    ax : matplotlib Axes, optional
        Where to draw; new axes are made otherwise.
    machine : int, str or pair of labels, optional
        Which machine of a classifier, when there are more than two classes.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import chemin
    >>> from chemin.plots import plot_norm1
    >>> ax = plot_norm1(chemin.svm_path([[-2.0], [-1.0], [1.0], [2.0]], [0, 0, 1, 1]))
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['moving', 'pinned (2 plateaus)']
    """
    ax = canvas.open_axes(ax)
    subject = subject_of(path, machine)
    path = subject.path
    line, flat = norm_line(path), plateaus(path)
    first, last = span(path)
    ax.plot(line.x, line.values[:, 0], color=canvas.BLUE, lw=1.4, label="moving")
    # One line with gaps: from each plateau's beginning to its end.
    x = np.stack([path.l1[flat], path.l1[flat + 1], np.full(len(flat), np.nan)], axis=1)
    y = np.repeat(path.norm1[flat], 3)
    count = f"{len(flat)} plateau" + "s" * (len(flat) != 1)
    ax.plot(
        np.maximum(x, last).ravel(),
        y,
        color=canvas.VERMILION,
        lw=2.8,
        solid_capstyle="butt",
        label=f"pinned ({count})",
    )
    canvas.set_abscissa(ax, "l1", (first, last))
    ax.set_ylim(0.0, 1.06 * float(path.norm1.max()) or 1.0)
    ax.set_ylabel(canvas.LABELS["norm1"])
    if subject.l1 is not None:
        canvas.mark_l1(ax, subject.l1)
    ax.legend(loc="upper left", frameon=False, fontsize="small", handlelength=1.2)
    return ax
