"""Why is this point decided so? The terms of one decision, added up from that at the reference."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from chemin.dictionaries.base import Floats
from chemin.plots import canvas
from chemin.plots.boundary import COLOURS
from chemin.plots.naming import clipped
from chemin.plots.readings import Sides

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_LONGEST = 64  # letters of a name


class Sum(Protocol):
    """What a picture asks of an explanation; `chemin.interpret.Explanation` has it."""

    @property
    def base(self) -> float: ...
    @property
    def reference(self) -> str: ...
    @property
    def decision(self) -> float: ...
    @property
    def verdict(self) -> str: ...
    @property
    def answer(self) -> str: ...
    @property
    def sides(self) -> Sides: ...
    @property
    def point(self) -> Any: ...
    def largest(self, top: int) -> tuple[list[tuple[str, float]], tuple[int, float]]: ...


@dataclass(frozen=True, eq=False)
class Steps:
    """A sum, term after term: step k goes from ``start[k]`` to ``start[k] + size[k]``."""

    names: list[str]
    start: Floats
    size: Floats


def plot_explanation(explanation: Sum, ax: Axes | None = None, *, top: int = 10) -> Axes:
    """Draw the terms of one decision as steps, from the decision at the reference to that about the point.

    Parameters
    ----------
    explanation : Explanation
        One of those that ``model.explain(X)`` returns.
    ax : matplotlib Axes, optional
        Where to draw; new axes are made otherwise.
    top : int, default 10
        So many terms, the largest, have a step of their own; the others share one.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from chemin.estimators import SparseSVC
    >>> from chemin.plots import plot_explanation
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> model = SparseSVC(l1=100.0, standardize=True).fit(X, y)
    >>> ax = plot_explanation(model.explain(X[:1])[0], top=1)
    >>> [text.get_text() for text in ax.get_yticklabels()]
    ['at the reference', 'worst concave points = 0.2654', '3 other terms', 'decision']
    """
    steps = explanation_steps(explanation, top)
    if ax is None:
        plt = canvas.pyplot()
        ax = plt.subplots(figsize=(8.0, 1.2 + 0.34 * len(steps.names)), layout="constrained")[1]
    ax = canvas.open_axes(ax)
    _draw(ax, steps)
    ax.set_yticks(np.arange(len(steps.names)), steps.names, size="small")
    ax.set_ylim(len(steps.names) - 0.4, -0.6)
    ax.tick_params(axis="y", length=0)
    ax.spines["left"].set_visible(False)
    negative, positive = explanation.sides.toward(-1.0), explanation.sides.toward(1.0)
    ax.set_xlabel(f"sum of the terms   (← {negative}   |   {positive} →)")
    called = "" if explanation.point is None else f"{clipped(str(explanation.point), 24)}, "
    title = f"{called}{explanation.verdict}\nreference: {explanation.reference}"
    ax.set_title(title, loc="left", size="medium")
    return ax


def explanation_steps(explanation: Sum, top: int = 10) -> Steps:
    """Return the steps of a decision: the reference, the largest terms, the others together, and the decision."""
    named, (count, rest) = explanation.largest(top)
    named = [(clipped(name, _LONGEST), term) for name, term in named]
    others = [(f"{count} other term" + "s" * (count > 1), rest)] * (count > 0)
    steps = [("at the reference", explanation.base), *named, *others]
    size = np.array([term for _, term in steps])
    start = np.concatenate([[0.0], np.cumsum(size)[:-1], [0.0]])
    return Steps(
        [*(name for name, _ in steps), explanation.answer],
        start,
        np.append(size, explanation.decision),
    )


def _draw(ax: Axes, steps: Steps) -> None:
    rows, ends = list(range(len(steps.names))), steps.start + steps.size
    colours = [COLOURS[int(size > 0)] for size in steps.size]
    ax.axvline(0.0, color="0.3", lw=0.9, zorder=1)
    light = [0.55] * (len(rows) - 1) + [1.0]
    for row, start, size, colour, alpha in zip(
        rows, steps.start, steps.size, colours, light, strict=True
    ):
        ax.barh(row, size, left=start, height=0.62, color=colour, alpha=alpha, zorder=2)
    for row in rows[:-1]:
        ax.plot([ends[row]] * 2, [row - 0.31, row + 1.31], color="0.4", lw=0.7, zorder=3)
    span = float(np.ptp(np.concatenate([steps.start, ends, [0.0]]))) or 1.0
    ax.set_xlim(min(ends.min(), 0.0) - 0.16 * span, max(ends.max(), 0.0) + 0.16 * span)
    for row, end, size in zip(rows, ends, steps.size, strict=True):
        side = 1.0 if size > 0 else -1.0
        place: dict[str, Any] = {
            "va": "center",
            "ha": "left" if side > 0 else "right",
            "size": "small",
        }
        weight = "bold" if row == rows[-1] else "normal"
        shift: dict[str, Any] = {"xytext": (4.0 * side, 0.0), "textcoords": "offset points"}
        ax.annotate(f"{size:+.3g}", (end, row), fontweight=weight, **shift, **place)
