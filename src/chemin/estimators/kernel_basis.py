"""Of which couples is a decision a combination? Every kernel centred on every chosen training point.

    f(x) = b0 + Σ_j Σ_l B_jl k_l(x_j, x) / s_jl

Reference: A. Lachaud, *Discrimination robuste par méthode à noyaux*, INSA Rouen, 2015, chapter 3.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chemin.dictionaries import KernelDictionary
from chemin.dictionaries.base import Floats, Indices
from chemin.estimators.centers import Centers, distinct
from chemin.exceptions import InvalidInputError
from chemin.kernels import Kernel, as_kernel, median_heuristic, widths
from chemin.kernels.points import as_numbers

_GIB = 2**30
_DEFAULT_WIDTHS = (0.25, 0.5, 1.0)  # of the median distance


@dataclass(frozen=True, eq=False)
class KernelBasis:
    """Kernels waiting for training points to be centred on."""

    kernels: tuple[Kernel, ...] | None
    centers: Centers | None
    scale: str
    memory: float
    kernel_weight: Any
    random_state: Any

    def learn(self, X: Any, positive: NDArray[np.bool_], weight: Floats) -> Couples:
        rows = distinct(X)
        kernels = self.kernels or default_kernels(X[rows])
        if self.centers is not None:
            rows = self.centers.choose(X, positive, kernels, self.random_state)
        memory = int(self.memory * _GIB)
        couples = Couples(
            X[rows], rows, kernels, None, memory, self._l1_weight(len(rows), len(kernels))
        )
        if self.scale == "none":
            return couples
        size = couples.of(X).column_norms(weight) / np.sqrt(weight.sum())
        return Couples(
            X[rows], rows, kernels, np.where(size > 0, size, 1.0), memory, couples.l1_weight
        )

    def _l1_weight(self, n_centers: int, n_kernels: int) -> Floats | None:
        if self.kernel_weight is None:
            return None
        weight = np.asarray(self.kernel_weight, dtype=float)
        if weight.shape != (n_kernels,) or not np.all(weight >= 0):
            raise InvalidInputError(
                f"kernel_weight is {self.kernel_weight!r}: pass one weight ≥ 0 per kernel, there are {n_kernels}"
            )
        return np.repeat(weight, n_centers)


@dataclass(frozen=True, eq=False)
class Couples:
    """The columns k_l(z_j, ·) / s_jl, kernel after kernel.

    Attributes
    ----------
    centers : array of c rows
        The points z_j.
    rows : ndarray of shape (c,)
        Which training points they are.
    """

    centers: Any
    rows: Indices
    kernels: tuple[Kernel, ...]
    scale: Floats | None
    memory: int
    l1_weight: Floats | None

    def of(self, X: Any) -> KernelDictionary:
        return KernelDictionary(X, self.centers, self.kernels, self.scale, self.memory)

    def scores(self, X: Any, coef: Floats) -> Floats:
        return self.of(X).scores(coef)


def as_family(kernels: Any, names: NDArray[Any] | None) -> tuple[Kernel, ...] | None:
    """Return the kernels that a user means, their columns bound to the names of the variables; None chooses some."""
    if kernels is None:
        return None
    if isinstance(kernels, Iterator | type):
        raise InvalidInputError(
            f"kernels is {kernels!r}: pass a kernel such as Gaussian(1.0), or a list of kernels"
        )
    several = isinstance(kernels, Iterable) and not isinstance(kernels, str | Kernel)
    family = tuple(as_kernel(kernel) for kernel in (kernels if several else [kernels]))
    if not family:
        raise InvalidInputError(
            "kernels is empty: pass at least one kernel, or None for Gaussians of three widths"
        )
    return family if names is None else tuple(kernel.bind(list(names)) for kernel in family)


def default_kernels(X: Any) -> tuple[Kernel, ...]:
    """Return Gaussians of a quarter, half and all of the median distance of the points."""
    try:
        median = median_heuristic(as_numbers(X), random_state=0)
    except InvalidInputError:  # one point, so to speak: any width will do
        median = 1.0
    return widths([share * median for share in _DEFAULT_WIDTHS])
