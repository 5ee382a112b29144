"""What difference does the loss make? All of them under the same penalty, on the same rows.

Every loss ℓ_k has its own plane, the minimiser of ‖w‖² + C Σ ℓ_k(y_i (b + w·x_i)). Each plane is then judged by all
losses: in the table of objectives the least one of every column is on the diagonal, up to the duality gap. The tables
of mean losses and of errors have no such law, and say what choosing a loss costs by the measure of another one.

Reference: F. Sur, *Introduction à l'apprentissage automatique*, Mines Nancy, 2022-2023, section 8.4.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from chemin.dictionaries.base import Floats
from chemin.evaluate import cross_validate
from chemin.exceptions import InvalidInputError
from chemin.frames import as_frame
from chemin.models.losses.classifier import LossClassifier, asked, objective
from chemin.models.losses.margins import MARGIN_LOSSES, MarginLoss, as_margin_loss
from chemin.progress import Bar
from chemin.results import Result, plural

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["LossComparison", "compare_losses", "plot_losses"]

_FIRST, _LAST, _NODES = -2.0, 3.0, 501  # margins of a picture


@dataclass(frozen=True, eq=False, repr=False)
class LossComparison(Result):
    """The planes of several losses, and what each costs by all of them.

    Attributes
    ----------
    losses : tuple of str
        The k losses.
    C : float
        The price of the losses.
    models : tuple of LossClassifier
        The fitted model of each.
    columns : tuple of str
        The names of the columns of X.
    objectives : ndarray of shape (k, k)
        What the plane of each row costs with the penalty and the loss of each column; the perceptron asks for its
        margin.
    means : ndarray of shape (k, k)
        The mean loss of the plane of each row by the loss of each column.
    errors : ndarray of shape (k,)
        The share of wrong answers on the training rows.
    held_out : ndarray of shape (k,), optional
        The same on rows that were held out.
    judged : str
        Which rows these were.
    seconds : ndarray of shape (k,)
        How long each fit took.
    n : int
        Training rows.
    """

    losses: tuple[str, ...]
    C: float
    models: tuple[LossClassifier, ...] = field(repr=False)
    columns: tuple[str, ...]
    objectives: Floats
    means: Floats
    errors: Floats
    held_out: Floats | None
    judged: str
    seconds: Floats
    n: int

    @property
    def gaps(self) -> Floats:
        """The relative duality gap of each."""
        return np.array([model.gap_ for model in self.models])

    @property
    def best(self) -> str:
        """The loss of fewest errors, on rows that were held out if there are any; the first one of several."""
        return self.losses[int(np.argmin(self.errors if self.held_out is None else self.held_out))]

    def frame(self) -> Any:
        """Return a row per loss as a DataFrame."""
        made = {
            "loss": list(self.losses),
            "objective": np.diag(self.objectives),
            "gap": self.gaps,
            "norm of w": [float(np.linalg.norm(model.coef_)) for model in self.models],
            "training error": self.errors,
            **({} if self.held_out is None else {"held-out error": self.held_out}),
            "seconds": self.seconds,
        }
        return as_frame(made, instead="objectives and errors")

    def matrix(self) -> Any:
        """Return the mean losses as a DataFrame: a row per plane, a column per loss."""
        made = {"plane of": list(self.losses)}
        measured = dict(zip(self.losses, self.means.T, strict=True))
        return as_frame({**made, **measured}, instead="means")

    def coefficients(self) -> Any:
        """Return the coefficients as a DataFrame: a row per column of X, a column per loss."""
        made = {
            name: np.append(model.coef_[0], model.intercept_)
            for name, model in zip(self.losses, self.models, strict=True)
        }
        return as_frame({"column": [*self.columns, "intercept"], **made}, instead="models")

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw what every plane costs by every loss, and its errors."""
        from chemin.plots.models.losses import draw_costs

        shares = {"training error": self.errors}
        if self.held_out is not None:
            shares["held-out error"] = self.held_out
        title = f"mean losses of each plane, C = {self.C:g}, {plural(self.n, 'row')}"
        return draw_costs(self.losses, self.means, shares, title=title, ax=ax)

    def __str__(self) -> str:
        errors = self.errors if self.held_out is None else self.held_out
        order = np.argsort(errors, kind="stable")
        told = ", ".join(f"{self.losses[k]} {errors[k]:.2%}" for k in order)
        where = self.judged or "training rows"
        return (
            f"{len(self.losses)} {'loss' if len(self.losses) == 1 else 'losses'} at C = {self.C:g} on "
            f"{plural(self.n, 'row')}; errors on {where}: {told}; worst relative duality gap {self.gaps.max():.0e}"
        )


def compare_losses(
    X: Any,
    y: Any,
    losses: Sequence[str | MarginLoss] | None = None,
    C: float = 1.0,
    *,
    X_new: Any = None,
    y_new: Any = None,
    splits: Any = None,
    progress: bool = False,
) -> LossComparison:
    """Fit the plane of each loss under the same penalty, and judge each by all the losses.

    Parameters
    ----------
    X : array or DataFrame of shape (n, p)
        The rows. The penalty counts columns in their units: bring them to one unit first.
    y : array of shape (n,)
        Labels of two classes.
    losses : sequence of str or MarginLoss, optional
        Names of `MARGIN_LOSSES`, all of them by default, or losses of your own.
    C : float, default 1.0
        The price of the losses; see `LossClassifier`.
    X_new, y_new : array or DataFrame, array; optional
        Rows to judge on.
    splits : Splits or pairs of positions, optional
        Judge by cross-validation instead, such as by ``chemin.evaluate.make_splits(len(y), y)``.
    progress : bool, default False
        Draw a bar.

    Returns
    -------
    LossComparison

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import scale
    >>> from chemin.evaluate import make_splits
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> found = compare_losses(scale(X), y, ["hinge", "logistic"], splits=make_splits(len(y), y))
    >>> print(found)
    2 losses at C = 1 on 569 rows; errors on stratified 5-fold of 569 rows, ...: logistic ...%, hinge ...%; worst ...
    >>> bool((found.objectives.argmin(axis=0) == [0, 1]).all())
    True
    """
    given = _as_list(losses)
    known = [as_margin_loss(loss) for loss in given]
    if (X_new is None) != (y_new is None):
        raise InvalidInputError("X_new and y_new go together: pass both, or none")
    if X_new is not None and splits is not None:
        raise InvalidInputError(
            "there are both new rows and splits: pass X_new and y_new, or splits"
        )
    models = []
    seconds = []
    for loss in Bar("losses", len(given), progress).over(given):
        began = time.perf_counter()
        models.append(LossClassifier(loss, C).fit(X, y))
        seconds.append(time.perf_counter() - began)
    sign = np.where(np.asarray(y) == models[0].classes_[1], 1.0, -1.0)
    margins = [sign * model.decision_function(X) for model in models]
    price = np.full(len(sign), float(C))
    held_out, judged = None, ""
    if X_new is not None:
        held_out = np.array([1.0 - model.score(X_new, y_new) for model in models])
        judged = plural(len(np.asarray(y_new)), "new row")
    elif splits is not None:
        found = [cross_validate(LossClassifier(loss, C), X, y, splits) for loss in given]
        held_out = np.array([one.scores.values.mean() for one in found])
        judged = str(found[0].splits)
    return LossComparison(
        losses=tuple(loss.name for loss in known),
        C=float(C),
        models=tuple(models),
        columns=_column_names(models[0]),
        objectives=np.array(
            [
                [objective(asked(loss), model.coef_[0], z, price) for loss in known]
                for model, z in zip(models, margins, strict=True)
            ]
        ),
        means=np.array([[loss.value(z).mean() for loss in known] for z in margins]),
        errors=np.array([1.0 - model.score(X, y) for model in models]),
        held_out=held_out,
        judged=judged,
        seconds=np.array(seconds),
        n=len(sign),
    )


def plot_losses(losses: Sequence[str | MarginLoss] | None = None, ax: Axes | None = None) -> Axes:
    """Draw losses against the margin, and the error as a step.

    Parameters
    ----------
    losses : sequence of str or MarginLoss, optional
        Names of `MARGIN_LOSSES`, all of them by default, or losses of your own.
    ax : Axes, optional
        Where to draw.
    """
    from chemin.plots.models.losses import draw_losses

    margins = np.linspace(_FIRST, _LAST, _NODES)
    known = [as_margin_loss(loss) for loss in _as_list(losses)]
    curves = {loss.name: loss.value(margins) for loss in known}
    return draw_losses(margins, curves, ax=ax)


def _as_list(losses: Sequence[str | MarginLoss] | None) -> list[str | MarginLoss]:
    """Return the losses asked for, each of which must have a name of its own."""
    if isinstance(losses, str | MarginLoss):
        raise InvalidInputError(f"losses is {losses!r}: pass a list, such as [{losses!r}]")
    asked_for: list[str | MarginLoss] = [*(MARGIN_LOSSES if losses is None else losses)]
    names = {as_margin_loss(loss).name for loss in asked_for}
    if not names or len(names) < len(asked_for):
        raise InvalidInputError(
            f"losses is {losses!r}: pass each of {', '.join(MARGIN_LOSSES)} once at most, and one at least"
        )
    return asked_for


def _column_names(model: LossClassifier) -> tuple[str, ...]:
    names = getattr(model, "feature_names_in_", None)
    if names is None:
        return tuple(f"x{j}" for j in range(model.n_features_in_))
    return tuple(str(name) for name in names)
