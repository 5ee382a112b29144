"""Which points hold the boundary? The dual values α of the points that pass through the elbow."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from chemin.engine.result import Path
from chemin.plots import canvas
from chemin.plots.lines import Against, chosen, dual_lines, span
from chemin.plots.naming import clipped
from chemin.plots.readings import Model
from chemin.plots.subject import Subject, subject_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_COLOURS = (canvas.VERMILION, canvas.BLUE)  # of the two classes, in their order


def plot_dual(
    path: Path | Model,
    ax: Axes | None = None,
    *,
    machine: Any = None,
    against: Against = "l1",
    top: int = 50,
    highlight: Sequence[int] | None = None,
) -> Axes:
    """Draw the dual values α against l1, where they are continuous, or against ‖b‖₁, where they jump.

    While a solution is pinned by its elbow points, α moves and ‖b‖₁ does not: against ‖b‖₁, lines are vertical there.
    A line goes from where its point comes to the elbow to where it leaves it; elsewhere α is the slope
    of its loss, for the hinge 0 or the point's weight.

    Parameters
    ----------
    path : Path or fitted model
        What to draw.
    ax : matplotlib Axes, optional
        Where to draw; new axes are made otherwise.
    machine : int, str or pair of labels, optional
        Which machine of a classifier, when there are more than two classes.
    against : {"l1", "norm1"}, default "l1"
        The abscissa.
    top : int, default 50
        At most so many points are drawn, those that stay in the elbow over the widest ranges of log l1.
    highlight : sequence of int, optional
        Points to draw thick, whether they are among the `top` or not; the others fade.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import chemin
    >>> from chemin.plots import plot_dual
    >>> path = chemin.svm_path([[-2.0], [-1.0], [1.0], [2.0]], ["no", "no", "yes", "yes"])
    >>> plot_dual(path, against="norm1").get_xlabel()
    '‖b‖₁'
    """
    ax = canvas.open_axes(ax)
    subject = subject_of(path, machine)
    path = subject.path
    thick = chosen(() if highlight is None else highlight, None, len(path.problem.label))
    lines = dual_lines(path, against, top, also=thick)
    weight = path.problem.weight[lines.index]
    loss = path.problem.loss.of(lines.index)
    room = np.minimum(lines.values - loss.lowest, loss.highest - lines.values)
    values = canvas.hide_rest(lines.values, room <= canvas.ROUNDING * weight)
    is_thick = np.isin(lines.index, thick)
    colour = np.array(_COLOURS)[subject.positive[lines.index].astype(int)]
    strength = float(np.clip(6.0 / np.sqrt(len(lines.index) or 1), 0.3, 0.9)) * (
        0.5 if len(thick) else 1.0
    )
    canvas.draw_many(
        ax, lines.x, values[:, ~is_thick], color=colour[~is_thick], lw=0.8, alpha=strength
    )
    canvas.draw_many(ax, lines.x, values[:, is_thick], color=colour[is_thick], lw=1.8, zorder=3)
    canvas.set_abscissa(ax, against, span(path, against))
    low, high = (np.min(loss.lowest, initial=0.0), np.max(loss.highest, initial=0.0))
    if not np.isfinite(high - low):
        low, high = np.min(lines.values, initial=0.0), np.max(lines.values, initial=0.0)
    edge = 0.02 * (float(high - low) or 1.0)
    ax.set_ylim(low - edge, high + edge)
    ax.set_ylabel("dual value α")
    if subject.l1 is not None and against == "l1":
        canvas.mark_l1(ax, subject.l1)
    _name_classes(ax, subject, len(lines.index))
    return ax


def _name_classes(ax: Axes, subject: Subject, drawn: int) -> None:
    """Say which colour is which class, and how many of the points are drawn where some are not."""
    named = (
        zip(subject.classes, _COLOURS, strict=True)
        if subject.classes
        else [("points", canvas.BLUE)]
    )
    for name, colour in named:
        ax.plot([], [], color=colour, lw=1.4, label=clipped(name))
    count = len(subject.path.problem.label)
    title = None if drawn == count else f"{drawn} of {count} points"
    look = {
        "frameon": False,
        "fontsize": "small",
        "title_fontsize": "small",
        "handlelength": 1.2,
        "alignment": "left",
    }
    ax.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), title=title, **look)
