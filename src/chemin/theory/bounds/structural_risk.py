"""How rich may a class be? Structural risk minimisation takes the least bound, not the least training error.

Classes H_1 ⊂ H_2 ⊂ … have the bounds R_p ≤ R_e + ε_k, each with probability 1 − δ_k. With Σ δ_k = δ they hold together,
and the class of the least R_e + ε_k is taken. Here each of K classes has δ_k = δ/K.

Reference: N. Baskiotis, *Machine Learning*, lecture 6; Vapnik (1982).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from chemin.dictionaries.base import Floats
from chemin.frames import as_frame
from chemin.theory.bounds.deviations import Dimension, FiniteClass, Tail
from chemin.theory.theorem import Promise, Theorem

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["StructuralRisk", "structural_risk"]

SRM = Theorem(
    "structural risk minimisation",
    "R_p ≤ R_e + ε_k for all classes at once, with probability ≥ 1 − Σ δ_k",
    (
        "independent rows of one law",
        "a loss between 0 and 1",
        "classes fixed before the rows were seen",
    ),
    "Vapnik 1982; Baskiotis, lecture 6",
)
_TAILS: dict[str, type[FiniteClass] | type[Dimension]] = {
    "size": FiniteClass,
    "dimension": Dimension,
}


@dataclass(frozen=True, eq=False, repr=False)
class StructuralRisk(Promise):
    """The bound of each class, and the class that is taken.

    Attributes
    ----------
    by : str
        What classes are measured by, "size" or "dimension".
    capacities : tuple of int
        Their sizes or dimensions.
    training : ndarray
        The least training risk in each.
    penalties : ndarray
        ε_k.
    n : int
        Rows.
    delta : float
        δ.
    """

    theorem = SRM
    by: str
    capacities: tuple[int, ...]
    training: Floats
    penalties: Floats
    n: int
    delta: float

    @property
    def bounds(self) -> Floats:
        """R_e + ε_k."""
        return self.training + self.penalties

    @property
    def chosen(self) -> int:
        """The place of the class of the least bound."""
        return int(np.argmin(self.bounds))

    def __str__(self) -> str:
        k = self.chosen
        told = (
            f"the class of {self.by} {self.capacities[k]} has the least bound, {self.bounds[k]:.4g}: a training risk "
            f"of {self.training[k]:.4g}, a penalty of {self.penalties[k]:.4g}, with probability {1.0 - self.delta:g}"
        )
        return f"{told}; above 1, it says nothing" if self.bounds[k] >= 1.0 else told

    def frame(self) -> Any:
        """Return a row per class as a DataFrame."""
        made = {
            self.by: [str(one) for one in self.capacities]
            if max(self.capacities) > 2**62
            else self.capacities,
            "training risk": self.training,
            "penalty": self.penalties,
            "bound": self.bounds,
        }
        return as_frame(made, instead="training, penalties and bounds")

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw training risk, penalty and bound of the classes."""
        from chemin.plots.theory.curves import draw_curves

        place = np.arange(1, len(self.capacities) + 1)
        curves = {"bound": self.bounds, "training risk": self.training, "penalty": self.penalties}
        point = (float(place[self.chosen]), float(self.bounds[self.chosen]))
        return draw_curves(
            place, curves, x_label=f"classes, by {self.by}", y_label="risk", point=point, ax=ax
        )


def structural_risk(
    training: Any,
    *,
    sizes: Sequence[int] | None = None,
    dimensions: Sequence[int] | None = None,
    n: int,
    delta: float = 0.05,
) -> StructuralRisk:
    """Return the class with the least bound on the expected risk.

    Parameters
    ----------
    training : array
        The least training risk of each class.
    sizes, dimensions : list of int
        How many functions each class has, or its dimension; one of the two.
    n : int
        Rows.
    delta : float, default 0.05
        How often a bound may fail.

    Returns
    -------
    StructuralRisk

    Examples
    --------
    >>> made = structural_risk([0.4, 0.1, 0.08], sizes=[2, 2**10, 2**60], n=2000)
    >>> made.chosen, made.bounds.round(3).tolist()
    (1, [0.437, 0.154, 0.188])
    """
    SRM.require(
        (sizes is None) != (dimensions is None), "one measure of the classes",
        "sizes and dimensions are both given or both left out", "pass one of the two",
    )  # fmt: skip
    training = SRM.vector("training", training)
    outside = bool(((training < 0.0) | (training > 1.0)).any())
    SRM.require(
        not outside, "a loss between 0 and 1", "a training risk is outside", "pass mean losses"
    )
    by, given = ("size", sizes) if sizes is not None else ("dimension", dimensions)
    told = f"there are {len(training)} training risks and {len(given or ())} classes"
    SRM.require(len(given or ()) == len(training), "a risk per class", told, "pass as many")
    capacities = tuple(SRM.whole(by, one, by) for one in given or ())
    rows = SRM.whole("n", n, "n")
    delta = SRM.probability("delta", delta, "δ")
    tails: list[Tail] = [_TAILS[by](one) for one in capacities]
    penalties = np.array([tail.epsilon(rows, delta / len(tails)) for tail in tails])
    return StructuralRisk(by, capacities, training, penalties, rows, delta)
