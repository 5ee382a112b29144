"""When is training over, and what is left? Novikoff's bound on a perceptron's updates, Π Z_t on the error of a vote.

    updates ≤ R²/γ²           rows of length at most R, a unit separator of margin γ
    error ≤ Π Z_t ≤ exp(−2 Σ γ_t²),    Z_t = 2 √(ε_t (1 − ε_t)),    γ_t = ½ − ε_t the edge of learner t

With an edge of at least γ in every round no row is wrong after T > log n/(2γ²) rounds, as an error is a share k/n.

`chemin.models.perceptrons` and `chemin.models.boosting` check the two on models that were trained.

References: Novikoff (1962); Freund and Schapire (1997); F. Sur, 9.1.1; N. Baskiotis, *Machine Learning*,
lectures 3 and 6.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from chemin.dictionaries.base import Floats
from chemin.exceptions import InvalidInputError
from chemin.frames import as_frame
from chemin.results import plural
from chemin.theory.theorem import Promise, Theorem

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "BoostingBound",
    "PerceptronBound",
    "boosting_bound",
    "boosting_rounds",
    "perceptron_bound",
]

_SPAN = 10.0  # times narrower and wider margins that a picture shows

NOVIKOFF = Theorem(
    "Novikoff's theorem",
    "updates ≤ R²/γ²",
    ("rows of length at most R", "a unit vector with y_i x_i·u ≥ γ > 0 for all rows", "γ ≤ R"),
    "Novikoff 1962; Sur, Th 9.1",
)
BOOSTING = Theorem(
    "the bound on the training error of AdaBoost",
    "error ≤ Π Z_t, Z_t = 2 √(ε_t (1 − ε_t)) ≤ exp(−2 (½ − ε_t)²)",
    ("votes α_t = ½ log((1 − ε_t)/ε_t)", "0 ≤ ε_t < ½ on the weighted rows"),
    "Freund and Schapire 1997; Baskiotis, lecture 6",
)


@dataclass(frozen=True, eq=False, repr=False)
class PerceptronBound(Promise):
    """Radius, margin, and the most updates that they allow; one of the three was computed."""

    theorem = NOVIKOFF
    radius: float
    margin: float
    updates: float
    solved: str

    def __str__(self) -> str:
        return (
            f"a perceptron makes at most {self.updates:.6g} updates on rows of length at most {self.radius:.4g} that a "
            f"unit vector separates with the margin {self.margin:.4g}"
        )

    def frame(self) -> Any:
        """Return one row as a DataFrame."""
        made = {"radius": [self.radius], "margin": [self.margin], "updates": [self.updates]}
        return as_frame({**made, "solved": [self.solved]}, instead="radius, margin and updates")

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the bound against the margin, at the same radius."""
        from chemin.plots.theory.curves import draw_curves

        margins = np.geomspace(self.margin / _SPAN, min(self.margin * _SPAN, self.radius), 200)
        return draw_curves(
            margins, {"R²/γ²": (self.radius / margins) ** 2}, x_label="margin, γ", y_label="updates, at most",
            logarithmic="xy", point=(self.margin, self.updates), ax=ax,
        )  # fmt: skip


def perceptron_bound(
    radius: float | None = None, margin: float | None = None, updates: float | None = None
) -> PerceptronBound:
    """Return R, γ and R²/γ², one from the other two.

    Examples
    --------
    >>> perceptron_bound(radius=2.0, margin=0.1).updates
    400.0
    >>> round(perceptron_bound(radius=2.0, updates=100).margin, 6)
    0.2
    """
    given = {"radius": radius, "margin": margin, "updates": updates}
    missing = [name for name, value in given.items() if value is None]
    if len(missing) != 1:
        raise InvalidInputError("pass two of radius, margin and updates: the third is computed")
    symbols = {"radius": "R", "margin": "γ", "updates": "their number"}
    known = {
        name: NOVIKOFF.positive(name, value, symbols[name])
        for name, value in given.items()
        if value is not None
    }
    if "updates" in known:
        at_least = f"updates is {updates!r}"
        NOVIKOFF.require(
            known["updates"] >= 1.0, "γ ≤ R, hence R²/γ² ≥ 1", at_least, "pass 1 or more"
        )
    if missing[0] == "updates":
        told = f"margin is {margin!r} and radius {radius!r}"
        NOVIKOFF.require(known["margin"] <= known["radius"], "γ ≤ R", told, "exchange them")
        known["updates"] = (known["radius"] / known["margin"]) ** 2
    elif missing[0] == "margin":
        known["margin"] = known["radius"] / math.sqrt(known["updates"])
    else:
        known["radius"] = known["margin"] * math.sqrt(known["updates"])
    return PerceptronBound(**known, solved=missing[0])


@dataclass(frozen=True, eq=False, repr=False)
class BoostingBound(Promise):
    """The bound on the training error after each round, from the weighted errors of the learners.

    Attributes
    ----------
    errors : ndarray of shape (T,)
        ε_t.
    factors : ndarray of shape (T,)
        Z_t.
    """

    theorem = BOOSTING
    errors: Floats
    factors: Floats

    @property
    def bounds(self) -> Floats:
        """Z_1 ⋯ Z_t."""
        return np.asarray(np.cumprod(self.factors))

    @property
    def by_edges(self) -> Floats:
        """exp(−2 Σ γ_t²), which is never less."""
        return np.asarray(np.exp(-2.0 * np.cumsum((0.5 - self.errors) ** 2)))

    def __str__(self) -> str:
        return (
            f"after {plural(len(self.errors), 'round')} at most {self.bounds[-1]:.4g} of the training rows are wrong, "
            f"and at most {self.by_edges[-1]:.4g} by the edges alone"
        )

    def frame(self) -> Any:
        """Return a row per round as a DataFrame."""
        made = {
            "round": np.arange(1, len(self.errors) + 1),
            "weighted error": self.errors,
            "factor": self.factors,
            "bound": self.bounds,
            "by edges": self.by_edges,
        }
        return as_frame(made, instead="errors, factors, bounds and by_edges")

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the two bounds against the rounds."""
        from chemin.plots.theory.curves import draw_curves

        rounds = np.arange(1, len(self.errors) + 1)
        curves = {"Π Z": self.bounds, "exp(−2 Σ γ²)": self.by_edges}
        return draw_curves(
            rounds, curves, x_label="rounds", y_label="training error, at most", ax=ax
        )


def boosting_bound(errors: Any) -> BoostingBound:
    """Return the bound on the training error of AdaBoost from the weighted errors of its learners.

    Examples
    --------
    >>> print(boosting_bound([0.3, 0.3, 0.3]))
    after 3 rounds at most 0.7699 of the training rows are wrong, and at most 0.7866 by the edges alone
    """
    errors = BOOSTING.vector("errors", errors)
    wrong = np.flatnonzero((errors < 0.0) | (errors >= 0.5))
    told = f"the error of round {wrong[0] + 1} is {errors[wrong[0]]:g}" if len(wrong) else ""
    remedy = "pass learners better than chance, or their opposites"
    BOOSTING.require(not len(wrong), "0 ≤ ε_t < ½", told, remedy)
    return BoostingBound(errors, 2.0 * np.sqrt(errors * (1.0 - errors)))


def boosting_rounds(edge: float, n: int) -> int:
    """Return after how many rounds no training row is wrong, if every learner has at least some edge ½ − ε.

    Examples
    --------
    >>> boosting_rounds(0.1, 1000)
    346
    """
    edge = BOOSTING.positive("edge", edge, "the edge ½ − ε")
    BOOSTING.require(edge <= 0.5, "0 ≤ ε_t", f"edge is {edge!r}", "pass an edge of at most ½")
    n = BOOSTING.whole("n", n, "n")
    return math.floor(math.log(n) / (2.0 * edge**2)) + 1
