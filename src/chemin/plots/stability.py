"""Which variables are selected again and again? Selection frequencies along the path, under resampling."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from chemin.dictionaries.base import Floats, Indices
from chemin.plots import canvas
from chemin.plots.lines import Lines

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_LEVELS = 500  # even in log l1
_DECADES = 1e-3  # frequencies down to l1 = 0 are shown at most this far
_GREY = 400  # most lines without a name; those below them hide one another


class Frequencies(Protocol):
    """What a picture asks of selection frequencies; `chemin.estimators.selection.Stability` has it."""

    @property
    def names(self) -> NDArray[Any] | None: ...
    @property
    def threshold(self) -> float: ...
    @property
    def resamples(self) -> int: ...
    @property
    def min_l1(self) -> float: ...
    @property
    def l1_max(self) -> float: ...
    @property
    def n_selected(self) -> float: ...
    @property
    def max_frequency(self) -> Floats: ...
    def frequency_at(self, l1: Floats) -> Floats: ...
    def selected(self, threshold: float | None = None) -> Indices: ...
    def false_bound(self, threshold: float | None = None) -> float: ...


def plot_stability(
    stability: Frequencies, ax: Axes | None = None, *, threshold: float | None = None, top: int = 10
) -> Axes:
    """Draw how often each variable is selected, against l1.

    Variables whose frequency reaches the threshold somewhere are stable: they have a colour and a name. The title says
    how many there are, and how many of them are expected by luck at most.

    Parameters
    ----------
    stability : Stability
        What to draw.
    ax : matplotlib Axes, optional
        Where to draw; new axes are made otherwise.
    threshold : float, optional
        The frequency from which a variable is stable, above 0.5; that of `stability` otherwise.
    top : int, default 10
        So many stable variables, the most frequent, have a colour and a name.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from chemin.datasets import breast_cancer
    >>> from chemin.estimators.selection import stability
    >>> from chemin.plots import plot_stability
    >>> sample = breast_cancer()
    >>> ax = plot_stability(stability(sample.columns, sample.y, resamples=20, random_state=0), top=2)
    >>> [text.get_text() for text in ax.texts]
    ['worst radius', 'mean concave points']
    """
    ax = canvas.open_axes(ax)
    level = stability.threshold if threshold is None else threshold
    bound, stable = stability.false_bound(level), stability.selected(level)
    shown, lines = stable[:top], frequency_lines(stability)
    ax.axhline(level, color=canvas.BLACK, lw=0.9, ls=(0, (4, 3)), zorder=2)
    _draw(ax, lines, shown.tolist())
    canvas.set_abscissa(ax, "l1", (float(lines.x[0]), float(lines.x[-1])))
    ax.set_ylim(0.0, 1.02)
    ax.set_ylabel(f"share of {stability.resamples} subsamples that select it")
    count = f"{len(stable)} stable variable" + "s" * (len(stable) != 1)
    named = f", {top} of them named" * (len(stable) > top)
    ax.set_title(
        f"{count} at {level:g}{named} · at most {bound:.2g} expected by luck",
        loc="left",
        size="medium",
    )
    texts = [f"x{j}" if stability.names is None else str(stability.names[j]) for j in shown]
    ends = np.array([lines.of(j)[-1] for j in shown])
    canvas.label_ends(ax, ends, texts, [canvas.style(rank)["color"] for rank in range(len(shown))])
    return ax


def frequency_lines(stability: Frequencies) -> Lines:
    """Return the exact frequencies of the variables ever selected, the most frequent ones, at levels even in log l1."""
    first = 1.1 * stability.l1_max or 1.0
    last = max(stability.min_l1, _DECADES * first)
    frequency = stability.max_frequency
    index = np.argsort(-frequency, kind="stable")[: max(_GREY, len(stability.selected(0.5)))]
    index = index[frequency[index] > 0.0]
    x = np.geomspace(first, last, _LEVELS)
    x[-1] = last  # which rounding may have left below min_l1
    values = np.concatenate(
        [stability.frequency_at(x[k : k + 50])[:, index] for k in range(0, _LEVELS, 50)]
    )
    return Lines(x, values, index)


def _draw(ax: Axes, lines: Lines, shown: list[int]) -> None:
    """Draw the grey lines, then the coloured ones, the most frequent on top."""
    values = canvas.hide_rest(lines.values, lines.values == 0.0)
    others = ~np.isin(lines.index, shown)
    canvas.draw_many(
        ax, lines.x, values[:, others], color=canvas.GREY, lw=0.7, alpha=0.7, zorder=1.5
    )
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
