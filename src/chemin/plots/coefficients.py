"""Which variables matter, from when on, and how much? The coefficients along the path."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from chemin.engine.result import Path
from chemin.plots import canvas
from chemin.plots.lines import Against, Lines, chosen, coefficient_lines, largest, span

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_coefficients(
    path: Path,
    ax: Axes | None = None,
    *,
    against: Against = "l1",
    top: int = 8,
    highlight: Sequence[int | str] | None = None,
    names: Sequence[str] | None = None,
) -> Axes:
    """Draw the coefficients against l1, or against ‖b‖₁.

    Variables that are never active are not drawn.

    Parameters
    ----------
    path : Path
        What to draw.
    ax : matplotlib Axes, optional
        Where to draw; new axes are made otherwise.
    against : {"l1", "norm1"}, default "l1"
        The abscissa. l1 is on a logarithmic axis that decreases to the right and stops short of 0.
    top : int, default 8
        So many variables, the largest at the right end, have a colour and a name; the others are grey.
    highlight : sequence of int or str, optional
        The variables, by index or name, to colour and name instead.
    names : sequence of str, optional
        Names of all variables, where the data had none.

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
    lines = coefficient_lines(path, against)
    known = path.names if names is None else np.asarray(names)
    shown = (
        largest(lines, top) if highlight is None else chosen(highlight, known, path.coef.shape[1])
    )
    shown = shown[np.isin(shown, lines.index)]
    _draw(ax, lines, shown.tolist())
    canvas.set_abscissa(ax, against, span(path, against))
    ax.set_ylabel("coefficient")
    texts = [f"x{j}" if known is None else str(known[j]) for j in shown]
    ends = np.array([lines.of(j)[-1] for j in shown])
    canvas.label_ends(ax, ends, texts, [canvas.style(rank)["color"] for rank in range(len(shown))])
    return ax


def _draw(ax: Axes, lines: Lines, shown: list[int]) -> None:
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
    low, high = lines.values.min(initial=0.0), lines.values.max(initial=0.0)
    room = 0.04 * (high - low) or 1.0
    ax.set_ylim(low - room, high + room)
