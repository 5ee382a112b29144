"""How alike are two rows of numbers? The kernels with a formula.

    Linear          x·z
    Polynomial      (x·z + offset)^degree
    Gaussian        exp(−½ Σ ((x − z)/width)²)
    Laplacian       exp(−Σ |x − z|/width)
    Epanechnikov    max(0, 1 − Σ ((x − z)/width)²)
    Constant        value

The sums run over the axes; a width is one number or one per axis, and an axis of infinite width does not count.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.metrics.pairwise import manhattan_distances

from chemin.dictionaries.base import Floats
from chemin.exceptions import InvalidInputError
from chemin.kernels.arithmetic import inner, integer_power, scaled, squared_distances, squared_norms
from chemin.kernels.base import Kernel
from chemin.kernels.parameters import Width, as_real, as_whole, as_width
from chemin.kernels.points import as_numbers, as_pair, count

__all__ = ["Constant", "Epanechnikov", "Gaussian", "Laplacian", "Linear", "Polynomial"]


@dataclass(frozen=True)
class Linear(Kernel):
    """The inner product x·z.

    Examples
    --------
    >>> Linear()([[1, 2]], [[3, 4]]).tolist()
    [[11.0]]
    """

    positive = True

    def __call__(self, X: Any, Z: Any) -> Floats:
        return inner(*as_pair(X, Z))

    def diagonal(self, X: Any) -> Floats:
        return squared_norms(as_numbers(X))


@dataclass(frozen=True)
class Polynomial(Kernel):
    """(x·z + offset)^degree: all products of up to `degree` variables, or of exactly `degree` when the offset is 0.

    It is positive for offset ≥ 0. A negative offset gives (x·z)^(degree − 1) a negative coefficient, so it is not.

    Parameters
    ----------
    degree : int
        The power, 1, 2, 3, …
    offset : float
        What is added to x·z.

    Examples
    --------
    >>> Polynomial(degree=2, offset=1)([[1, 2]], [[3, 4]]).tolist()
    [[144.0]]
    """

    degree: int = 3
    offset: float = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "degree", as_whole(self.degree, "degree"))
        object.__setattr__(self, "offset", as_real(self.offset, "offset"))

    @property
    def positive(self) -> bool | None:
        return self.offset >= 0

    def __call__(self, X: Any, Z: Any) -> Floats:
        return self._raised(inner(*as_pair(X, Z)))

    def diagonal(self, X: Any) -> Floats:
        return self._raised(squared_norms(as_numbers(X)))

    def _raised(self, product: Floats) -> Floats:
        product += self.offset
        with np.errstate(over="ignore"):
            values = integer_power(product, self.degree, out=product)
        if not np.isfinite(values).all():
            raise InvalidInputError(
                f"{self.name} is too large for a float: scale the columns of X, or lower the degree"
            )
        return values


@dataclass(frozen=True)
class _Radial(Kernel):
    """A kernel that is 1 between equal points and falls with their distance, measured in widths."""

    width: Width = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "width", as_width(self.width))

    def __call__(self, X: Any, Z: Any) -> Floats:
        return self._fallen(*as_pair(X, Z))

    def diagonal(self, X: Any) -> Floats:
        return np.ones(count(X))

    @abstractmethod
    def _fallen(self, X: Any, Z: Any) -> Floats:
        """Return the values between rows of numbers."""


class Gaussian(_Radial):
    """exp(−½ Σ ((x − z)/width)²).

    A scalar width w is scikit-learn's ``rbf`` with gamma = 1/(2w²).

    Parameters
    ----------
    width : float or one float per axis
        The distance at which the value is exp(−½) ≈ 0.61; inf for an axis that does not count.

    Examples
    --------
    >>> Gaussian(width=2)([[0, 0]], [[0, 0], [2, 0]]).round(4).tolist()
    [[1.0, 0.6065]]
    >>> vertical = Gaussian(width=(0.1, float("inf"))).named("vertical")  # alike if on the same vertical line
    >>> vertical([[0, 0]], [[0, 9], [1, 0]]).round(4).tolist()
    [[1.0, 0.0]]
    """

    positive = True

    def _fallen(self, X: Any, Z: Any) -> Floats:
        values = squared_distances(X, Z, self.width)
        values *= -0.5
        return np.exp(values, out=values)


class Laplacian(_Radial):
    """exp(−Σ |x − z|/width), the product over the axes of exponentials: a sharper peak and heavier tails.

    A scalar width w is scikit-learn's ``laplacian`` with gamma = 1/w.

    Parameters
    ----------
    width : float or one float per axis
        The distance at which the value is exp(−1) ≈ 0.37; inf for an axis that does not count.

    Examples
    --------
    >>> Laplacian(width=2)([[0, 0]], [[0, 0], [1, 1]]).round(4).tolist()
    [[1.0, 0.3679]]
    """

    positive = True

    def _fallen(self, X: Any, Z: Any) -> Floats:
        centre = None if sparse.issparse(Z) else Z.sum(axis=0) / max(len(Z), 1)
        if 0 in (X.shape[0], Z.shape[0]):  # scikit-learn refuses to compare nothing
            return np.empty((X.shape[0], Z.shape[0]))
        values = manhattan_distances(scaled(X, self.width, centre), scaled(Z, self.width, centre))
        np.negative(values, out=values)
        return np.exp(values, out=values)


class Epanechnikov(_Radial):
    """max(0, 1 − Σ ((x − z)/width)²), the radial form: exactly 0 beyond one width, hence a sparse matrix of values.

    It is not positive semi-definite, on one axis or more: the Fourier transform of 1 − t² on [−1, 1] is
    4 (sin u − u cos u)/u³, negative at u = 2π. As a column of a dictionary it needs not be.

    Parameters
    ----------
    width : float or one float per axis
        The distance from which the value is 0; inf for an axis that does not count.

    Examples
    --------
    >>> Epanechnikov(width=2)([[0, 0]], [[0, 0], [1, 0], [0, 3]]).tolist()
    [[1.0, 0.75, 0.0]]
    """

    positive = False

    def _fallen(self, X: Any, Z: Any) -> Floats:
        values = squared_distances(X, Z, self.width)
        np.subtract(1.0, values, out=values)
        return np.maximum(values, 0.0, out=values)


@dataclass(frozen=True)
class Constant(Kernel):
    """The same value for all points, whatever they are: an intercept in a sum of kernels.

    Examples
    --------
    >>> Constant(2)([[0], [1]], [[5]]).tolist()
    [[2.0], [2.0]]
    """

    value: float = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "value", as_real(self.value, "value"))

    @property
    def positive(self) -> bool | None:
        return self.value >= 0

    @property
    def columns_needed(self) -> tuple[str | int, ...] | None:
        return ()

    def __call__(self, X: Any, Z: Any) -> Floats:
        return np.full((count(X), count(Z)), self.value)

    def diagonal(self, X: Any) -> Floats:
        return np.full(count(X), self.value)
