"""How much does a residual cost? The losses of regression as curves: who is pulled by outliers, and how strongly.

    square           r²
    Huber            r² up to |r| = δ, 2δ|r| − δ² beyond
    0-1              0 up to |r| = δ, 1 beyond: its sum counts who is not in the consensus
    ε-insensitive    max(0, |r| − ε)

References: F. Sur, *Introduction à l'apprentissage automatique*, 4.2 and 8.5; Huber (1964), *Robust estimation of a
location parameter*.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from chemin.dictionaries.base import Floats
from chemin.frames import as_frame
from chemin.problems import EpsilonInsensitive, Huber
from chemin.theory.theorem import Promise, Theorem

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["ResidualLosses", "residual_losses"]

_WIDEST = 3.0  # times δ or ε
_PLACES = 241

M_ESTIMATOR = Theorem(
    "the influence of a residual on an M-estimate",
    "a residual r pulls as ρ'(r): without limit for r², at most 2δ for Huber, not at all beyond δ for 0-1",
    ("errors that are independent of each other", "a scale δ of ordinary errors"),
    "Huber 1964; Sur, 4.2",
)


@dataclass(frozen=True, eq=False, repr=False)
class ResidualLosses(Promise):
    """Losses against the residual.

    Attributes
    ----------
    residuals : ndarray
        r.
    losses : mapping of str to ndarray
        What each costs.
    delta, epsilon : float
        Where Huber's loss becomes a line and the 0-1 loss jumps; half the width of the tube.
    """

    theorem = M_ESTIMATOR
    residuals: Floats
    losses: Mapping[str, Floats]
    delta: float
    epsilon: float

    def __str__(self) -> str:
        at = float(self.residuals[-1])
        told = ", ".join(f"{name} {values[-1]:.3g}" for name, values in self.losses.items())
        return (
            f"with δ = {self.delta:g} and ε = {self.epsilon:g}, a residual of {at:.3g} costs {told}"
        )

    def frame(self) -> Any:
        """Return a row per residual as a DataFrame."""
        return as_frame({"residual": self.residuals, **self.losses}, instead="residuals and losses")

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the losses against the residual."""
        from chemin.plots.theory.curves import draw_curves

        return draw_curves(
            self.residuals, self.losses, x_label="residual, y − f(x)", y_label="loss", ax=ax
        )


def residual_losses(delta: float = 1.0, epsilon: float = 0.5) -> ResidualLosses:
    """Return the losses of regression against the residual.

    Parameters
    ----------
    delta : float, default 1
        The largest ordinary residual.
    epsilon : float, default 0.5
        Half the width of the tube in which errors cost nothing.

    Returns
    -------
    ResidualLosses

    Examples
    --------
    >>> print(residual_losses(delta=1.0, epsilon=0.5))
    with δ = 1 and ε = 0.5, a residual of 3 costs square 9, Huber 5, 0-1 1, ε-insensitive 2.5
    """
    delta = M_ESTIMATOR.positive("delta", delta, "δ")
    epsilon = M_ESTIMATOR.positive("epsilon", epsilon, "ε")
    r = np.linspace(-1.0, 1.0, _PLACES) * _WIDEST * max(delta, epsilon)
    one = np.ones_like(r)
    losses = {
        "square": r**2,
        "Huber": 2.0 * Huber(delta).table(r, one).value(0.0 * r),
        "0-1": (np.abs(r) > delta).astype(float),
        "ε-insensitive": EpsilonInsensitive(epsilon).table(r, one).value(0.0 * r),
    }
    return ResidualLosses(r, losses, delta, epsilon)
