"""Is this similarity an inner product? Mercer's condition on given points, with a witness where it fails.

k is an inner product ⟨φ(x), φ(z)⟩ if and only if it is symmetric and Σ v_i v_j k(x_i, x_j) ≥ 0 for all points x_i and
weights v_i. On given points the least of it over Σ v_i² = 1 is the least eigenvalue of the matrix K, and v its
eigenvector. A negative one is a proof against k, whose witness is v; that there is none is no proof for k.

References: Aronszajn (1950), *Theory of reproducing kernels*; F. Sur, *Introduction à l'apprentissage automatique*,
8.3.3, Prop 8.2.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from chemin.dictionaries.base import Floats
from chemin.frames import as_frame
from chemin.kernels import as_kernel
from chemin.results import plural
from chemin.theory.theorem import Promise, Theorem

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Mercer", "mercer"]

_NAMED = 3  # points of a witness that a sentence has room for

MERCER = Theorem(
    "Mercer's condition",
    "k(x, z) = ⟨φ(x), φ(z)⟩ if and only if every matrix k(x_i, x_j) is symmetric and positive semi-definite",
    ("a function of two points", "all finite sets of points: that some pass is no proof"),
    "Mercer 1909; Aronszajn 1950; Sur, Prop 8.2",
)


@dataclass(frozen=True, eq=False, repr=False)
class Mercer(Promise):
    """The matrix of a kernel on some points, and whether it is that of an inner product.

    Attributes
    ----------
    kernel : str
        Its name.
    eigenvalues : ndarray
        Of the symmetric part of K, in rising order.
    witness : ndarray of shape (n,)
        Weights v with Σ v_i² = 1 for which Σ v_i v_j k(x_i, x_j) is least.
    asymmetry : float
        The largest |k(x_i, x_j) − k(x_j, x_i)|.
    tol : float
        Up to which part of the largest eigenvalue something counts as 0.
    """

    theorem = MERCER
    kernel: str
    eigenvalues: Floats
    witness: Floats
    asymmetry: float
    tol: float

    @property
    def least(self) -> float:
        """The least of Σ v_i v_j k(x_i, x_j), an eigenvalue."""
        return float(self.eigenvalues[0])

    @property
    def symmetric(self) -> bool:
        """Whether K is."""
        return self.asymmetry <= self._nothing

    @property
    def passed(self) -> bool:
        """Whether these points have nothing against the kernel."""
        return self.symmetric and self.least >= -self._nothing

    @property
    def rank(self) -> int:
        """How many features these points can tell."""
        return int(np.sum(np.abs(self.eigenvalues) > self._nothing))

    @property
    def _nothing(self) -> float:
        return self.tol * float(np.abs(self.eigenvalues).max())

    def __str__(self) -> str:
        made = f"{self.kernel} on {plural(len(self.eigenvalues), 'point')}"
        if not self.symmetric:
            return f"{made} is no inner product: k(x, z) and k(z, x) differ by {self.asymmetry:.3g}"
        if self.passed:
            return (
                f"{made} passes: its matrix has rank {self.rank}, and eigenvalues from {self.least:.3g} to "
                f"{self.eigenvalues[-1]:.3g}"
            )
        heavy = np.argsort(-np.abs(self.witness).round(9), kind="stable")[:_NAMED]
        told = ", ".join(f"{self.witness[i]:.3g} of point {i}" for i in heavy)
        more = ", …" if len(self.witness) > _NAMED else ""
        return f"{made} is no inner product: Σ v_i v_j k(x_i, x_j) = {self.least:.3g} for v = {told}{more}"

    def frame(self) -> Any:
        """Return a row per eigenvalue as a DataFrame."""
        made = {"rank": np.arange(len(self.eigenvalues)), "eigenvalue": self.eigenvalues}
        return as_frame(made, instead="eigenvalues and witness")

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the eigenvalues in rising order, and 0."""
        from chemin.plots.theory.curves import draw_curves

        place = np.arange(len(self.eigenvalues))
        return draw_curves(
            place, {"0": np.zeros(len(place))}, dotted={"eigenvalues": self.eigenvalues}, x_label="rank",
            y_label="eigenvalue", title=self.kernel, ax=ax,
        )  # fmt: skip


def mercer(kernel: Any, X: Any, *, tol: float = 1e-10) -> Mercer:
    """Return whether the matrix of a kernel on some points is symmetric and positive semi-definite.

    Parameters
    ----------
    kernel : kernel
        From `chemin.kernels`, the name of one of scikit-learn's, or a function (X, Z) → matrix.
    X : points
        What it compares: rows of numbers, texts, graphs.
    tol : float, default 1e-10
        What is below this part of the largest eigenvalue counts as 0.

    Returns
    -------
    Mercer

    Examples
    --------
    >>> from chemin.kernels import Epanechnikov
    >>> print(mercer(Epanechnikov(), [[0.0], [0.7], [1.4]]))
    Epanechnikov(width=1) on 3 points passes: its matrix has rank 3, and eigenvalues from 0.279 to 1.72
    >>> found = mercer(Epanechnikov(), [[0.0], [0.5], [1.0]])
    >>> print(found)
    Epanechnikov(width=1) on 3 points is no inner product: Σ v_i v_j k(x_i, x_j) = -0.0607 for v = 0.707 of point 1,
    -0.5 of point 0, -0.5 of point 2
    """
    tol = MERCER.positive("tol", tol, "tol")
    known = as_kernel(kernel)
    K = np.asarray(known(X, X), dtype=float)
    MERCER.require(len(K), "points", "X has none", "pass at least one")
    symmetric = (K + K.T) / 2.0
    eigenvalues, vectors = np.linalg.eigh(symmetric)
    witness = vectors[:, 0] * (np.sign(vectors[np.argmax(np.abs(vectors[:, 0])), 0]) or 1.0)
    return Mercer(known.name, eigenvalues, witness, float(np.abs(K - K.T).max()), tol)
