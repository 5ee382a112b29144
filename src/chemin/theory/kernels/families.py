"""Is a family of kernels free, and is its ‖·‖_G a norm? Rank of its matrices, and functions that kernels share.

G_l is the space of finite sums Σ_i a_i k_l(x_i, ·), and for f = Σ_l f_l with f_l in G_l

    ‖f‖²_G = Σ_l ‖f_l‖²_l.

That is a norm if and only if f tells its parts f_l: if no G_l meets the sum of the others but in 0. Two conditions are
weaker, and not enough:

    free (3.8)          no λ ≠ 0 with Σ λ_l k_l = 0      xz and 1 + xz are free, and share the function x
    apart (3.9)         G_l ∩ G_m = {0} for l ≠ m        f(x)f(z), g(x)g(z) and (f + g)(x)(f + g)(z) are apart and free,
                                                         and f + g − (f + g) = 0 has the parts f, g, −(f + g)

Where parts are shared, 0 has parts whose squared norms sum to more than 0. What is a norm for every family is the least
of Σ ‖f_l‖² over all such parts: that of the sum of the kernels.

On points the matrices K_l, one number per pair of points, decide (3.8): full rank is a proof. Functions of a few
centres, seen on all points, decide the rest: an angle above 0 is a proof for sums over these centres. Functions of
smooth kernels come so near each other that rounding hides the angle.

References: A. Lachaud, *Discrimination robuste par méthode à noyaux*, INSA Rouen, 2015, 3.3.2, (3.7) to (3.9);
Aronszajn (1950), *Theory of reproducing kernels*, sums of kernels.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from chemin.dictionaries.base import Floats, Indices
from chemin.estimators.kernel_basis import as_family
from chemin.frames import as_frame
from chemin.kernels import Kernel
from chemin.kernels.points import as_values
from chemin.results import plural
from chemin.theory.kernels.mercer import mercer
from chemin.theory.theorem import Promise, Theorem

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["KernelFamily", "kernel_family"]

_SEEN = 1e-8  # of the largest singular value: a smaller one is rounding
_APART = 1e-6  # sine of an angle: a smaller one is 0

FREE = Theorem(
    "the norm of a family of kernels",
    "Σ ‖f_l‖² is a norm of f = Σ f_l if and only if no space G_l meets the sum of the others but in 0",
    ("positive kernels, none of them 0", "points at which their functions differ"),
    "Lachaud 2015, 3.3.2; Aronszajn 1950",
)


@dataclass(frozen=True, eq=False, repr=False)
class KernelFamily(Promise):
    """What kernels have in common, on some points.

    Attributes
    ----------
    names : tuple of str
        The kernels.
    points, centres : int
        How many points, and how many of them functions are centred at.
    singular : ndarray of shape (m,)
        Singular values of the matrices K_l, each brought to size 1 and written as a row; the last is 0 if the kernels
        are not free.
    combination : ndarray of shape (m,)
        The λ with Σ λ_l² = 1, for kernels brought to size 1, of the least Σ λ_l K_l.
    ranks : ndarray of int
        Dimensions of the functions of each kernel.
    angles : ndarray of shape (m, m)
        The least angle between functions of two kernels, in degrees; 0 if they share one.
    shared : ndarray of int, shape (m,)
        Dimensions that each kernel shares with the sum of the others.
    parts : ndarray of shape (m, centres)
        Coefficients of parts f_l of a sum that is nearest to 0, of squared norms that sum to 1.
    left : float
        The largest |Σ f_l| of these on the points: 0 where ‖·‖_G is no norm.
    """

    theorem = FREE
    names: tuple[str, ...]
    points: int
    centres: int
    singular: Floats
    combination: Floats
    ranks: Indices
    angles: Floats
    shared: Indices
    parts: Floats
    left: float

    @property
    def free(self) -> bool:
        """Whether no combination of the kernels is 0, (3.8)."""
        return bool(self.singular[-1] > _SEEN)

    @property
    def apart(self) -> bool:
        """Whether no two kernels share a function, (3.9)."""
        between = self.angles[~np.eye(len(self.names), dtype=bool)]
        return bool(np.all(between > np.degrees(_APART)))

    @property
    def is_norm(self) -> bool:
        """Whether every sum tells its parts, so that ‖·‖_G is a norm."""
        return not self.shared.any()

    def __str__(self) -> str:
        where = f"on {plural(self.points, 'point')}, functions of {plural(self.centres, 'centre')}"
        made = f"{plural(len(self.names), 'kernel')} {where}"
        free = "free" if self.free else "not free"
        if self.is_norm:
            least = self.angles[~np.eye(len(self.names), dtype=bool)].min(initial=90.0)
            return (
                f"{made}: {free}, none shares a function with the others, two are {least:.3g}° apart: "
                "‖·‖_G is a norm"
            )
        pair = "no two share a function" if self.apart else "two share a function"
        return (
            f"{made}: {free}, {pair}, one shares {plural(int(self.shared.max()), 'dimension')} with the sum of the "
            f"others: parts of ‖·‖_G = 1 sum to {self.left:.0e} there, so that it is no norm that can be told"
        )

    def frame(self) -> Any:
        """Return a row per pair of kernels as a DataFrame."""
        first, second = np.triu_indices(len(self.names), 1)
        made = {
            "kernel": [self.names[k] for k in first],
            "other": [self.names[k] for k in second],
            "angle": self.angles[first, second],
            "rank": self.ranks[first],
            "rank of other": self.ranks[second],
        }
        return as_frame(made, instead="angles, ranks and shared")

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the rank of each kernel, and what of it the others have."""
        from chemin.plots.theory.curves import draw_named

        curves = {
            "dimensions": self.ranks.astype(float),
            "shared with the others": self.shared.astype(float),
        }
        return draw_named(self.names, curves, y_label="dimensions", ax=ax)


def kernel_family(kernels: Sequence[Any], X: Any) -> KernelFamily:
    """Return whether kernels are free, share functions, and make ‖·‖_G a norm.

    Parameters
    ----------
    kernels : list of kernels
        From `chemin.kernels`, names of scikit-learn's, or functions (X, Z) → matrix; two or more.
    X : points
        The first n/m of them are the centres; all are where functions are compared.

    Returns
    -------
    KernelFamily

    Examples
    --------
    >>> import numpy as np
    >>> from chemin.kernels import Constant, Gaussian, Linear
    >>> X = np.linspace(-1.0, 1.0, 12)[:, None]
    >>> print(kernel_family([Linear(), Constant() + Linear()], X))
    2 kernels on 12 points, functions of 6 centres: free, two share a function, one shares 1 dimension with the sum of
    the others: parts of ‖·‖_G = 1 sum to ...e-16 there, so that it is no norm that can be told
    >>> kernel_family([Linear(), Constant()], X).is_norm
    True
    """
    family = as_family(kernels, None) or ()
    count = len(family)
    FREE.require(count > 1, "two kernels or more", f"there are {count}", "pass at least two")
    points = as_values(X)
    n = len(points)
    FREE.require(
        n >= 2 * count, "2 m points or more", f"there are {n} for m = {count}", "pass more"
    )
    centres = points[: n // count]
    for kernel in family:
        _check(kernel, points)
    matrices = [np.asarray(kernel(points, points), dtype=float) for kernel in family]
    rows = np.array([K.ravel() / np.linalg.norm(K) for K in matrices])
    turned, singular, _ = np.linalg.svd(rows, full_matrices=False)
    bases = [_Functions.of(K[:, : len(centres)]) for K in matrices]
    angles = np.array([[_angle(one.basis, other.basis) for other in bases] for one in bases])
    angles = np.minimum(angles, angles.T)
    rest = [np.hstack([o.basis for o in bases if o is not one]) for one in bases]
    shared = [
        _common(one.basis, _Functions.of(other).basis)
        for one, other in zip(bases, rest, strict=True)
    ]
    ranks = np.array([one.basis.shape[1] for one in bases])
    parts = _nearest_to_zero(bases, matrices, len(centres))
    total = sum(K[:, : len(centres)] @ a for K, a in zip(matrices, parts, strict=True))
    return KernelFamily(
        tuple(kernel.name for kernel in family), n, len(centres), singular, turned[:, -1], ranks,
        angles, np.array(shared), parts, float(np.abs(total).max()),
    )  # fmt: skip


@dataclass(frozen=True, eq=False)
class _Functions:
    """Functions on points, in an orthonormal basis: columns times ``back`` are the basis."""

    basis: Floats
    back: Floats

    @classmethod
    def of(cls, columns: Floats) -> _Functions:
        left, sizes, right = np.linalg.svd(columns, full_matrices=False)
        kept = sizes > _SEEN * sizes[0]
        return cls(left[:, kept], right[kept].T / sizes[kept])


def _check(kernel: Kernel, points: Any) -> None:
    measured = mercer(kernel, points)
    remedy = "leave it out, or see mercer(kernel, X)"
    holds = measured.passed and measured.eigenvalues[-1] > 0.0
    told = f"{kernel.name} is not positive, or 0 there"
    FREE.require(holds, "positive kernels, none of them 0", told, remedy)


def _sines(one: Floats, other: Floats) -> Floats:
    """Return the sines of the angles between functions of one space and the whole of another."""
    return np.asarray(np.linalg.svd(one - other @ (other.T @ one), compute_uv=False))


def _angle(one: Floats, other: Floats) -> float:
    small, large = sorted((one, other), key=lambda basis: basis.shape[1])
    return float(np.degrees(np.arcsin(min(_sines(small, large).min(), 1.0))))


def _common(one: Floats, other: Floats) -> int:
    """Return how many dimensions two spaces share."""
    small, large = sorted((one, other), key=lambda basis: basis.shape[1])
    return int(np.sum(_sines(small, large) < _APART))


def _nearest_to_zero(bases: list[_Functions], matrices: list[Floats], centres: int) -> Floats:
    """Return coefficients of parts whose sum is nearest to 0, of squared norms that sum to 1."""
    joined = np.hstack([one.basis for one in bases])
    weights = np.linalg.svd(joined)[2][-1]
    ends = np.cumsum([one.basis.shape[1] for one in bases])[:-1]
    parts = [one.back @ some for one, some in zip(bases, np.split(weights, ends), strict=True)]
    squares = [a @ K[:centres, :centres] @ a for a, K in zip(parts, matrices, strict=True)]
    return np.array(parts) / np.sqrt(sum(squares))
