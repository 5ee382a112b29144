"""How well does the decision rank? True against false positives, as its threshold moves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from chemin.dictionaries.base import Floats
from chemin.exceptions import InvalidInputError
from chemin.plots import canvas
from chemin.plots.naming import clipped
from chemin.plots.readings import check_decides
from chemin.tables import opened

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, eq=False)
class Ranking:
    """The curve of one class against the others, its area, and the point where the decision is 0."""

    label: Any
    false_positive: Floats
    true_positive: Floats
    area: float
    at_zero: tuple[float, float] | None


def plot_roc(model: Any, X: Any, y: Any, ax: Axes | None = None) -> Axes:
    """Draw the ROC curve of a model on some points, preferably ones it was not trained on.

    Of two classes the curve is that of the one that tables speak for, ``positive`` or else ``classes_[1]``, and a dot
    is where the model decides. Of more classes there is one curve each, of its score against the rest.

    Parameters
    ----------
    model : fitted classifier
        What to draw.
    X : array, SciPy sparse array or DataFrame of shape (n, p)
        The points.
    y : array of shape (n,)
        Their labels.
    ax : matplotlib Axes, optional
        Where to draw; new axes are made otherwise.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from chemin.estimators import SparseSVC
    >>> from chemin.plots import plot_roc
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> model = SparseSVC(l1=100.0, standardize=True).fit(X[::2], y[::2])
    >>> ax = plot_roc(model, X[1::2], y[1::2])
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['1: AUC 0.984', 'where it decides', 'chance']
    """
    model = opened(model)
    check_decides(model)
    curves = rankings(model, X, y)
    if ax is None:
        ax = canvas.pyplot().subplots(figsize=(6.5, 4.5), layout="constrained")[1]
    ax = canvas.open_axes(ax)
    for rank, curve in enumerate(curves):
        look = canvas.style(rank)
        name = f"{clipped(str(curve.label), 24)}: AUC {curve.area:.3f}"
        ax.plot(curve.false_positive, curve.true_positive, lw=1.6, label=name, zorder=3, **look)
        if curve.at_zero is not None:
            dot: dict[str, Any] = {"s": 40, "color": canvas.VERMILION, "edgecolors": "white"}
            ax.scatter(*curve.at_zero, zorder=4, label="where it decides", **dot)
    ax.plot([0.0, 1.0], [0.0, 1.0], color=canvas.GREY, lw=0.9, ls=(0, (4, 3)), label="chance")
    ax.set_aspect("equal")
    ax.set_xlim(-0.02, 1.02)
    ax.set_ylim(-0.02, 1.02)
    one = len(curves) == 1
    name = clipped(str(curves[0].label), 24) if one else "it"
    ax.set_xlabel(f"share of the others called {name}")
    ax.set_ylabel(f"share of {name} called so" if one else "share of the class called it")
    ax.legend(loc="upper left", bbox_to_anchor=(1.02, 1.0), frameon=False, fontsize="small")
    return ax


def rankings(model: Any, X: Any, y: Any) -> list[Ranking]:
    """Return one curve for two classes, one per class for more."""
    from sklearn.metrics import auc, roc_curve

    labels = np.asarray(y)
    decisions = np.asarray(model.decision_function(X))
    if labels.shape != decisions.shape[:1]:
        raise InvalidInputError(
            f"X has {len(decisions)} rows and y has shape {labels.shape}: pass one label per row"
        )
    scores = (
        {label: decisions[:, k] for k, label in enumerate(model.classes_)}
        if decisions.ndim == 2
        else {}
    )
    alone = not scores
    if alone:
        reading = model.reading()
        scores = {reading.sides.positive[0]: reading.sign * decisions}
    found = []
    for label, score in scores.items():
        mine = labels == label
        if mine.all() or not mine.any():
            raise InvalidInputError(
                f"y has {'only' if mine.any() else 'no'} points of class {label!r}: pass points of several "
                "classes, with labels as they were given to fit"
            )
        false, true, _ = roc_curve(mine, score)
        called = score > 0
        at_zero = (float(called[~mine].mean()), float(called[mine].mean())) if alone else None
        found.append(Ranking(label, false, true, float(auc(false, true)), at_zero))
    return found
