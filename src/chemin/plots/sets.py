"""How large are the four sets along the path? Active variables, and points left, on the elbow and right."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from chemin.engine.result import Path
from chemin.plots import canvas
from chemin.plots.lines import set_lines, span
from chemin.plots.readings import Model
from chemin.plots.subject import subject_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_POINTS = ("points left", "points on the elbow", "points right")
_COLOURS = (canvas.BLACK, canvas.VERMILION, canvas.GREEN, canvas.BLUE)


def plot_sets(path: Path | Model, ax: Axes | None = None, *, machine: Any = None) -> Axes:
    """Draw the sizes of the four sets against l1, as steps.

    Points left are short of the margin (α = 1), points on the elbow are on it, points right are beyond it (α = 0).

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
    >>> from chemin.plots import plot_sets
    >>> ax = plot_sets(chemin.svm_path([[-2.0], [-1.0], [1.0], [2.0]], [0, 0, 1, 1]))
    >>> [text.get_text() for text in ax.texts]
    ['active variables', 'points left', 'points on the elbow', 'points right']
    """
    ax = canvas.open_axes(ax)
    subject = subject_of(path, machine)
    path = subject.path
    labels = (f"active {subject.columns}", *_POINTS)
    lines = set_lines(path)
    for k, colour in enumerate(_COLOURS):
        # Where the solution is pinned as many variables are active as points are on the elbow: both lines must be seen.
        shape: dict[str, Any] = {"ls": (0, (3, 2)), "zorder": 3} if k == 0 else {}
        ax.plot(
            lines.x,
            lines.values[:, k],
            color=colour,
            lw=1.2,
            drawstyle="steps-post",
            label=labels[k],
            **shape,
        )
    canvas.set_abscissa(ax, "l1", span(path))
    ax.set_ylabel("size of the set")
    # Sets of a few hundred and of a few members meet here: logarithmic above one, with a place for zero.
    ax.set_yscale("symlog", linthresh=1.0, linscale=0.3)
    ax.yaxis.set_major_formatter("{x:g}")
    ax.set_ylim(0.0, 1.25 * max(lines.values.max(), 1.0))
    if subject.l1 is not None:
        canvas.mark_l1(ax, subject.l1)
    canvas.label_ends(ax, lines.values[-1], labels, _COLOURS)
    return ax
