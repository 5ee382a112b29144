"""How does the training risk look over the coefficients? The mean loss of y w·x for every w of a square.

    R(w) = (1/n) Σ ℓ(y_i w·x_i),    two columns, no intercept

A convex loss makes a convex surface, without other rests than its least places; the share of errors makes steps.

Reference: N. Baskiotis, *Machine Learning*, lecture 3.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from chemin.dictionaries.base import Floats
from chemin.frames import as_frame
from chemin.models.losses import MARGIN_LOSSES, as_margin_loss
from chemin.theory.theorem import Promise, Theorem

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["RiskSurface", "risk_surface"]

_PLACES = 121

SURFACE = Theorem(
    "the convexity of a mean loss",
    "the mean of ℓ(y_i w·x_i) is convex in w if ℓ is convex",
    ("a loss of the margin", "two columns and no intercept, for a picture"),
    "Baskiotis, lecture 3; Sur, B.1",
)


@dataclass(frozen=True, eq=False, repr=False)
class RiskSurface(Promise):
    """The mean loss for every pair of coefficients.

    Attributes
    ----------
    loss : str
        Its name, or "error".
    side : ndarray of shape (k,)
        Values of each coefficient.
    risk : ndarray of shape (k, k)
        Mean losses; the first coefficient goes along the columns.
    """

    theorem = SURFACE
    loss: str
    side: Floats
    risk: Floats

    @property
    def least(self) -> Floats:
        """The coefficients of the least risk of all that were tried."""
        second, first = np.unravel_index(int(np.argmin(self.risk)), self.risk.shape)
        return np.array([self.side[first], self.side[second]])

    def __str__(self) -> str:
        w = ", ".join(f"{value:.3g}" for value in self.least)
        reach = float(self.side[-1])
        return (
            f"{self.loss}: over |w₁|, |w₂| ≤ {reach:g} the mean loss goes from {self.risk.min():.4g}, at w = ({w}), "
            f"to {self.risk.max():.4g}"
        )

    def frame(self) -> Any:
        """Return a row per pair of coefficients as a DataFrame."""
        first, second = np.meshgrid(self.side, self.side)
        made = {"w1": first.ravel(), "w2": second.ravel(), "risk": self.risk.ravel()}
        return as_frame(made, instead="side and risk")

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the surface as tinted levels, and where it is least."""
        from chemin.plots.theory.optimisation import draw_surface

        return draw_surface((self.side, self.side), self.risk, self.least, title=self.loss, ax=ax)


def risk_surface(X: Any, y: Any, loss: Any = "hinge", *, reach: float = 3.0) -> RiskSurface:
    """Return the mean loss of y w·x for every w of a square.

    Parameters
    ----------
    X : table of two columns
        The rows.
    y : array of two labels
        Their classes; the second in order is 1, the first −1.
    loss : {"hinge", "perceptron", "logistic", "exponential", "square", "error"} or MarginLoss
        What a margin costs; "error" is 1 up to margin 0.
    reach : float, default 3
        The largest coefficient.

    Returns
    -------
    RiskSurface

    Examples
    --------
    >>> X, y = [[1.0, 0.0], [2.0, 1.0], [-1.0, 0.5], [-1.0, -1.0]], [1, 1, 0, 0]
    >>> print(risk_surface(X, y, "square"))
    square: over |w₁|, |w₂| ≤ 3 the mean loss goes from 0.0925, at w = (0.8, -0.2), to 42.81
    >>> float(risk_surface(X, y, "error").risk.min())
    0.0
    """
    X = SURFACE.table("X", X, 2)
    SURFACE.require(X.shape[1] == 2, "two columns", f"X has {X.shape[1]}", "pass two of them")
    labels = np.asarray(y)
    classes = np.unique(labels)
    two = labels.shape == (len(X),) and len(classes) == 2
    told = f"y has the shape {labels.shape} and {len(classes)} labels"
    SURFACE.require(two, "a label of two for every row", told, "pass as many labels as rows")
    reach = SURFACE.positive("reach", reach, "the reach")
    signed = np.where(labels == classes[1], 1.0, -1.0)[:, None] * X
    side = np.linspace(-reach, reach, _PLACES)
    w = np.stack(np.meshgrid(side, side), axis=-1).reshape(-1, 2)
    margins = w @ signed.T
    if isinstance(loss, str) and loss == "error":
        return RiskSurface(loss, side, _square((margins <= 0.0).mean(axis=1)))
    known = (isinstance(loss, str) and loss in MARGIN_LOSSES) or not isinstance(loss, str)
    remedy = f"pass 'error' or one of {', '.join(MARGIN_LOSSES)}"
    SURFACE.require(known, "a loss of the margin", f"loss is {loss!r}", remedy)
    of_margin = as_margin_loss(loss)
    return RiskSurface(of_margin.name, side, _square(of_margin.value(margins).mean(axis=1)))


def _square(values: Any) -> Floats:
    return np.asarray(values, dtype=float).reshape(_PLACES, _PLACES)
