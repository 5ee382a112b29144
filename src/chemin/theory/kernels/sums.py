"""Does one more norm learn more? The machine of ‖·‖_G against that of the sum kernel, and against Σ B².

With f = b + Σ_l f_l, f_l = Σ_j B_jl k_l(x_j, ·), and loss H = C Σ max(0, 1 − y f(x)):

    sum kernel    ½ ‖f‖² + H in the space of Σ_l k_l            n coefficients, the same for all kernels
    ‖·‖_G         ½ Σ_l ‖f_l‖²_l + H = ½ Σ_l B_lᵀK_l B_l + H     n m coefficients
    Σ B²          ½ Σ_jl B_jl² + H                               n m coefficients

The first two have one optimum: with the features Φ_l = K_l^{½}, f_l = Φ_l w_l, the second is a linear machine of the
columns Φ = (Φ_1 … Φ_m), and ΦΦᵀ = Σ K_l; its w_l = Φ_lᵀ(y∘α) has B_l = y∘α for all l. So that norm does not learn a mix
of its own for every point. The third is another problem, with the inner products Σ_l K_l².

All three are solved with a certificate (`chemin.solve` at λ₁ = 0).

Reference: A. Lachaud, *Discrimination robuste par méthode à noyaux*, INSA Rouen, 2015, 3.3.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from chemin.dictionaries.base import Floats
from chemin.engine.direct import solve
from chemin.estimators.kernel_basis import as_family
from chemin.frames import as_frame
from chemin.theory.kernels.mercer import mercer
from chemin.theory.theorem import Promise, Theorem

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["SumMachine", "sum_machine"]

_NOTHING = 1e-13  # of the largest eigenvalue: a smaller one is 0

SUM = Theorem(
    "the optimum of ‖·‖_G",
    "a machine with the penalty Σ ‖f_l‖² has the optimum of the machine of the kernel Σ k_l",
    (
        "positive kernels",
        "a penalty that rises with the norm, and a loss of the values at the points",
    ),
    "Lachaud 2015, 3.3.3-3.3.4; Aronszajn 1950",
)


@dataclass(frozen=True, eq=False, repr=False)
class SumMachine(Promise):
    """Three machines of one family of kernels.

    Attributes
    ----------
    names : tuple of str
        The kernels.
    C : float
        The price of an error.
    objectives : ndarray of shape (2,)
        Least values of the machine of the sum kernel and of that of ‖·‖_G.
    scores : ndarray of shape (n, 3)
        f at the points: of the sum kernel, of ‖·‖_G, of Σ B².
    coefficients : ndarray of shape (n,)
        The y∘α of the sum kernel, f = b + Σ_j y_j α_j Σ_l k_l(x_j, ·).
    spread : float
        ‖f − g‖_G/‖f‖_G of the optimum f of ‖·‖_G and the function g with these coefficients for every kernel.
    gaps : ndarray of shape (3,)
        Relative gaps of the certificates.
    """

    theorem = SUM
    names: tuple[str, ...]
    C: float
    objectives: Floats
    scores: Floats
    coefficients: Floats
    spread: float
    gaps: Floats

    @property
    def apart(self) -> float:
        """The largest difference of scores between the sum kernel and ‖·‖_G."""
        return float(np.abs(self.scores[:, 0] - self.scores[:, 1]).max())

    @property
    def apart_from_squares(self) -> float:
        """The largest difference of scores between the sum kernel and Σ B²."""
        return float(np.abs(self.scores[:, 0] - self.scores[:, 2]).max())

    def __str__(self) -> str:
        return (
            f"{len(self.names)} kernels, C = {self.C:g}: the sum kernel and ‖·‖_G have the objectives "
            f"{self.objectives[0]:.6g} and {self.objectives[1]:.6g}, scores that differ by {self.apart:.0e}, and the "
            f"same coefficients for all kernels to {self.spread:.0e}; Σ B² has scores that differ by "
            f"{self.apart_from_squares:.3g}"
        )

    def frame(self) -> Any:
        """Return a row per point as a DataFrame."""
        made = dict(zip(("sum kernel", "norm of G", "sum of B²"), self.scores.T, strict=True))
        return as_frame(made, instead="scores")

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the scores of the two other machines against those of the sum kernel."""
        from chemin.plots.theory.curves import draw_curves

        order = np.argsort(self.scores[:, 0], kind="stable")
        first, second, third = self.scores[order].T
        return draw_curves(
            first, {"sum kernel": first}, dotted={"‖·‖_G": second, "Σ B²": third},
            x_label="score of the sum kernel", y_label="score", ax=ax,
        )  # fmt: skip


def sum_machine(kernels: Sequence[Any], X: Any, y: Any, C: float = 1.0) -> SumMachine:
    """Learn from two classes with the sum kernel, with ‖·‖_G and with Σ B², and compare.

    Parameters
    ----------
    kernels : list of kernels
        Positive ones, from `chemin.kernels`, names of scikit-learn's, or functions (X, Z) → matrix.
    X : points
        The training rows.
    y : array of two labels
        Their classes.
    C : float, default 1
        The price of an error.

    Returns
    -------
    SumMachine

    Examples
    --------
    >>> from chemin.datasets import toydata1
    >>> from chemin.kernels import Gaussian
    >>> X, y = toydata1(30, random_state=0)
    >>> made = sum_machine([Gaussian(0.5), Gaussian(2.0)], X, y)
    >>> bool(made.apart < 1e-6), bool(made.spread < 1e-6), bool(made.apart_from_squares > 0.1)
    (True, True, True)
    """
    C = SUM.positive("C", C, "C")
    family = as_family(kernels, None) or ()
    SUM.require(family, "positive kernels", "there are none", "pass at least one")
    for kernel in family:
        remedy = "leave it out, or see mercer(kernel, X)"
        SUM.require(
            mercer(kernel, X).passed, "positive kernels", f"{kernel.name} is none there", remedy
        )
    matrices = [np.asarray(kernel(X, X), dtype=float) for kernel in family]
    features = [_root(K) for K in matrices]
    tables = (_root(np.sum(matrices, axis=0)), np.hstack(features), np.hstack(matrices))
    found = [solve(table, y, 0.0, l2=1.0 / C) for table in tables]
    weights = [np.asarray(one.coef, dtype=float) for one in found]
    scores = [t @ w + one.intercept for t, w, one in zip(tables, weights, found, strict=True)]
    labels = np.asarray(y)
    sign = np.where(labels == np.unique(labels)[-1], 1.0, -1.0)
    costs = [
        0.5 * w @ w + C * np.maximum(1.0 - sign * f, 0.0).sum()
        for w, f in zip(weights, scores, strict=True)
    ]
    coefficients = C * sign * np.asarray(found[0].dual)
    missed = weights[1] - tables[1].T @ coefficients
    return SumMachine(
        names=tuple(kernel.name for kernel in family),
        C=C,
        objectives=np.array(costs[:2]),
        scores=np.column_stack(scores),
        coefficients=coefficients,
        spread=float(np.linalg.norm(missed) / np.linalg.norm(weights[1])),
        gaps=np.array([one.certificate().worst_gap for one in found]),
    )


def _root(K: Floats) -> Floats:
    """Return features Φ with ΦΦᵀ = K, without those that are 0."""
    values, vectors = np.linalg.eigh((K + K.T) / 2.0)
    kept = values > _NOTHING * values[-1]
    return np.asarray(vectors[:, kept] * np.sqrt(values[kept]))
