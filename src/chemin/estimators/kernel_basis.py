"""Of which couples is a decision a combination? Every kernel centred on every chosen training point.

    f(x) = b0 + Σ_j Σ_l B_jl k_l(x_j, x) / s_jl

with all variables divided by their units first, where these are not the user's. A column that repeats another one
(two points that a kernel cannot tell apart) has an infinite s_jl: it is zero and never enters.

Reference: A. Lachaud, *Discrimination robuste par méthode à noyaux*, INSA Rouen, 2015, chapter 3.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chemin.dictionaries import KernelDictionary
from chemin.dictionaries.base import Floats, Indices
from chemin.estimators.centers import Centers, distinct
from chemin.estimators.units import in_units_of, spreads
from chemin.exceptions import InvalidInputError
from chemin.kernels import Columns, Kernel, as_kernel, median_heuristic, widths
from chemin.kernels.points import as_numbers

_GIB = 2**30
_DEFAULT_WIDTHS = (0.25, 0.5, 1.0, 2.0)  # of the median distance
_PAIR_WIDTHS = (0.125, 0.25)  # of the median distance in the plane of two variables
_FEW_VARIABLES = 5  # up to which kernels on their pairs are offered
_FLAT = 1e-9  # spread of a column, relative to its size, below which it says nothing
_ALIKE = 1e-7  # columns that differ by less, relative to their size, are one
_FIRST_LOOK, _SECOND_LOOK = 50, 500  # centres at which columns are compared


@dataclass(frozen=True, eq=False)
class KernelBasis:
    """Kernels waiting for training points to be centred on.

    Attributes
    ----------
    kernels : tuple of kernels, or None
        None is Gaussians of four widths, and some on pairs of variables where these are few.
    standardize : bool
        Whether variables are brought to unit spread before kernels see them.
    scale : {"none", "norm", "spread"} or float
        What columns are divided by: nothing, their root mean square, their standard deviation, or a power of that.
    """

    kernels: tuple[Kernel, ...] | None
    centers: Centers | None
    scale: Any
    memory: float
    kernel_weight: Any
    random_state: Any
    standardize: bool = False
    names: NDArray[Any] | None = None

    def learn(self, X: Any, positive: NDArray[np.bool_], weight: Floats) -> Couples:
        unit = spreads(X, weight) if self.standardize else None
        points = X if unit is None else in_units_of(X, unit)
        rows = distinct(points)
        kernels = self.kernels or default_kernels(points[rows], self.names)
        if self.centers is not None:
            rows = self.centers.choose(points, positive, kernels, self.random_state)
        l1_weight = self._l1_weight(len(rows), len(kernels))
        memory = int(self.memory * _GIB)
        couples = Couples(X[rows], rows, kernels, None, memory, l1_weight, unit)
        return replace(couples, scale=self._scale(couples, X, weight))

    def _scale(self, couples: Couples, X: Any, weight: Floats) -> Floats | None:
        """Return what every column is divided by, or None where that is 1 throughout."""
        repeated = repeated_columns(couples)
        if self.scale == "none" and not repeated.any():
            return None
        size = np.ones(couples.n_columns)
        if self.scale == "norm":
            size = column_sizes(couples.of(X), weight)
        elif self.scale != "none":
            power = 1.0 if self.scale == "spread" else self.scale
            size = column_spreads(couples.of(X), weight) ** power
        return np.where(repeated, np.inf, size)

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
        The points z_j, in the user's units.
    rows : ndarray of shape (c,)
        Which training points they are.
    unit : ndarray of shape (p,), or None
        What variables are divided by before kernels see them.
    """

    centers: Any
    rows: Indices
    kernels: tuple[Kernel, ...]
    scale: Floats | None
    memory: int
    l1_weight: Floats | None
    unit: Floats | None = None

    n_variables = 0

    @property
    def couples(self) -> Couples:
        return self

    @property
    def n_columns(self) -> int:
        """The number of couples offered."""
        return len(self.rows) * len(self.kernels)

    def of(self, X: Any) -> KernelDictionary:
        return KernelDictionary(
            self.seen(X), self.seen(self.centers), self.kernels, self.scale, self.memory
        )

    def scores(self, X: Any, coef: Floats) -> Floats:
        return self.of(X).scores(coef)

    def in_units(self, coef: Floats) -> Floats:
        return coef

    def seen(self, X: Any) -> Any:
        """Return points as the kernels see them."""
        return X if self.unit is None else in_units_of(X, self.unit)


def column_sizes(columns: KernelDictionary, weight: Floats) -> Floats:
    """Return the root mean square of every column; 1 for one that is 0 throughout."""
    size = columns.column_norms(weight) / np.sqrt(weight.sum())
    return np.where(size > 0, size, 1.0)


def column_spreads(columns: KernelDictionary, weight: Floats) -> Floats:
    """Return the standard deviation of every column; infinite for one that is a multiple of the intercept."""
    size = column_sizes(columns, weight)
    mean = columns.correlations(weight) / weight.sum()
    spread = np.sqrt(np.maximum(size**2 - mean**2, 0.0))
    return np.where(spread > _FLAT * size, spread, np.inf)


def repeated_columns(couples: Couples) -> NDArray[np.bool_]:
    """Return which columns have the values of an earlier one of the same kernel, at all centres looked at."""
    everything = couples.seen(couples.centers)
    repeated = np.zeros((len(couples.kernels), len(couples.rows)), dtype=bool)
    for which, kernel in enumerate(couples.kernels):
        first = _classes(kernel(_some(everything, _FIRST_LOOK), everything))
        if len(first) < len(couples.rows):
            first = _classes(kernel(_some(everything, _SECOND_LOOK), everything))
        repeated[which] = True
        repeated[which, first] = False
    return repeated.ravel()


def _some(points: Any, most: int) -> Any:
    """Return at most so many points, spread evenly over their order."""
    count = points.shape[0]
    return points[np.unique(np.linspace(0, count - 1, min(most, count)).astype(int))]


def _classes(values: Floats) -> Indices:
    """Return the first column of every class of columns that are alike."""
    size = np.abs(values).max(initial=0.0) or 1.0
    codes = np.round(np.asarray(values).T / (_ALIKE * size)) + 0.0  # −0.0 is 0.0
    first: dict[bytes, int] = {}
    for place, code in enumerate(codes):
        first.setdefault(code.tobytes(), place)
    return np.fromiter(first.values(), dtype=np.intp)


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
            "kernels is empty: pass at least one kernel, or None for Gaussians of four widths"
        )
    return family if names is None else tuple(kernel.bind(list(names)) for kernel in family)


def default_kernels(X: Any, names: NDArray[Any] | None = None) -> tuple[Kernel, ...]:
    """Return Gaussians of a quarter, half, all and twice the median distance of the points.

    With three to five variables there are narrower ones on each pair of them, too.

    Examples
    --------
    >>> X = np.random.default_rng(0).standard_normal((20, 3))
    >>> [kernel.name for kernel in default_kernels(X, np.array(["a", "b", "c"]))[4:6]]
    ['Gaussian(width=0.214) on a, b', 'Gaussian(width=0.428) on a, b']
    """
    points = as_numbers(X)
    kernels = list(_gaussians(points, _DEFAULT_WIDTHS))
    count = points.shape[1]
    if 2 < count <= _FEW_VARIABLES:
        for pair in combinations(range(count), 2):
            plane = Columns(pair if names is None else tuple(names[list(pair)]))
            kernels += [one.on(plane) for one in _gaussians(points[:, pair], _PAIR_WIDTHS)]
    return tuple(kernels if names is None else (one.bind(list(names)) for one in kernels))


def _gaussians(points: Any, shares: Sequence[float]) -> tuple[Kernel, ...]:
    """Return Gaussians of some shares of the median distance."""
    try:
        median = median_heuristic(points, random_state=0)
    except InvalidInputError:  # one point, so to speak: any width will do
        median = 1.0
    return widths([float(f"{share * median:.3g}") for share in shares])
