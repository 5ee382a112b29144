"""Which variables matter, from when on, and how much? The coefficients along the path."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from chemin.dictionaries.base import Floats
from chemin.engine.result import Path
from chemin.plots import canvas
from chemin.plots.lines import Against, Lines, coefficient_lines, largest, span
from chemin.plots.naming import clipped
from chemin.plots.readings import Model
from chemin.plots.subject import subject_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes


_LONGEST = 48  # letters of a name
_LABELS = {"user": "coefficient, in the user's units", "path": "coefficient, as penalised"}


def plot_coefficients(
    path: Path | Model,
    ax: Axes | None = None,
    *,
    machine: Any = None,
    against: Against = "l1",
    top: int = 8,
    highlight: Sequence[int | str] | None = None,
    names: Sequence[str] | None = None,
    units: str = "user",
) -> Axes:
    """Draw the coefficients against l1, or against ‖b‖₁.

    Variables that are never active are not drawn. The path of a classifier ends at its l1, which is marked; dots there
    are the coefficients of a relaxed model, which are not on the path.

    Parameters
    ----------
    path : Path or fitted classifier
        What to draw.
    ax : matplotlib Axes, optional
        Where to draw; new axes are made otherwise.
    machine : int, str or pair of labels, optional
        Which machine of a classifier, when there are more than two classes.
    against : {"l1", "norm1"}, default "l1"
        The abscissa. l1 is on a logarithmic axis that decreases to the right and stops short of 0.
    top : int, default 8
        So many variables, the largest at the right end as they are penalised, have a colour and a name; the others are
        grey.
    highlight : sequence of int or str, optional
        The variables, by index or name, to colour and name instead.
    names : sequence of str, optional
        Names of all variables, where the data had none.
    units : {"user", "path"}, default "user"
        Whether the coefficients of a classifier are those of its tables, in the user's units, or as they are
        penalised: per standard deviation if the classifier standardises.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import chemin
    >>> from chemin.plots import plot_coefficients
    >>> path = chemin.svm_path([[-2.0, 0.0], [-1.0, -1.0], [1.0, 0.0], [0.0, 2.0]], [0, 0, 1, 1])
    >>> ax = plot_coefficients(path, names=["height", "width"])
    >>> [text.get_text() for text in ax.texts]
    ['height', 'width']
    """
    ax = canvas.open_axes(ax)
    subject = subject_of(path, machine, names, units)
    penalised = coefficient_lines(subject.path, against)
    lines = subject.in_units(penalised)
    shown = largest(penalised, top) if highlight is None else subject.found(highlight, lines)
    shown = shown[np.isin(shown, lines.index)]
    own = subject.in_model(shown)
    _draw(ax, lines, shown.tolist(), own)
    canvas.set_abscissa(ax, against, span(subject.path, against))
    ax.set_ylabel("coefficient" if subject.reading is None else _LABELS[units])
    texts = [clipped(name, _LONGEST) for name in subject.called(shown)]
    ends = np.array([lines.of(j)[-1] for j in shown]) if own is None else own
    colours = [canvas.style(rank)["color"] for rank in range(len(shown))]
    if own is not None:
        end = ax.get_xlim()[1]
        ax.scatter(np.full(len(own), end), own, c=colours, s=22, clip_on=False, zorder=4)
    if subject.l1 is not None and against == "l1":
        canvas.mark_l1(ax, subject.l1)
    canvas.label_ends(ax, ends, texts, colours)
    return ax


def _draw(ax: Axes, lines: Lines, shown: list[int], own: Floats | None) -> None:
    """Draw the grey lines, then the coloured ones, the most important on top."""
    values = canvas.hide_rest(lines.values, lines.values == 0.0)
    others = ~np.isin(lines.index, shown)
    ax.axhline(0.0, color=canvas.GREY, lw=0.8, zorder=1)
    canvas.draw_many(ax, lines.x, values[:, others], color=canvas.GREY, lw=0.7, zorder=1.5)
    column = {int(j): k for k, j in enumerate(lines.index)}
    for rank, j in enumerate(shown):
        ax.plot(
            lines.x,
            values[:, column[j]],
            lw=1.6,
            zorder=3.0 - rank / 100.0,
            label=f"{j}",
            **canvas.style(rank),
        )
    ends = np.empty(0) if own is None else own
    low = min(lines.values.min(initial=0.0), ends.min(initial=0.0))
    high = max(lines.values.max(initial=0.0), ends.max(initial=0.0))
    room = 0.04 * (high - low) or 1.0
    ax.set_ylim(low - room, high + room)
