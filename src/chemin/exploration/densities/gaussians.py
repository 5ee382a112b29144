"""What is the likeliest Gaussian, and how fast does its covariance become known?

Maximum likelihood gives the mean and Σ̂ = (1/N) Σ (x − x̄)(x − x̄)ᵀ; with 1/(N − 1) its expectation is Σ. Its density is
(2π)^{−d/2} |Σ|^{−1/2} exp(−½ (x − μ)ᵀ Σ⁻¹ (x − μ)). For Σ = I the error √((1/d) Σ λᵢ²), over the eigenvalues of Σ̂ − Σ,
is about √((d + 1)/N): the same accuracy takes (d + 1)/2 times the points that one variable takes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from chemin.dictionaries.base import Floats
from chemin.exceptions import InvalidInputError
from chemin.exploration.densities.density import Density
from chemin.exploration.points import as_points
from chemin.frames import as_frame
from chemin.results import Result, plural

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MOST = 5000  # columns whose covariance is held


@dataclass(frozen=True, eq=False, repr=False)
class GaussianLaw(Density):
    """A normal law.

    Attributes
    ----------
    mean : ndarray of shape (p,)
        Its mean.
    covariance : ndarray of shape (p, p)
        The likeliest one, 1/N.
    unbiased : ndarray of shape (p, p)
        That with 1/(N − 1).
    """

    mean: Floats
    covariance: Floats
    unbiased: Floats

    @property
    def name(self) -> str:
        return "normal law"

    @property
    def correlation(self) -> Floats:
        """The matrix of correlations; NaN where a column is constant."""
        deviation = np.sqrt(np.diag(self.covariance))
        with np.errstate(invalid="ignore", divide="ignore"):
            return self.covariance / np.outer(deviation, deviation)

    def log_pdf(self, x: Any) -> Floats:
        d = len(self.mean)
        sign, log_determinant = np.linalg.slogdet(self.covariance)
        if sign <= 0 or np.linalg.cond(self.covariance) > 1.0 / np.finfo(float).eps:
            raise InvalidInputError(
                f"the covariance of {d} variables is singular for {len(self.points.values)} points: pass more points "
                "than variables, or leave out columns that others determine"
            )
        away = self._nodes(x) - self.mean
        squares = np.einsum("ni,ni->n", away, np.linalg.solve(self.covariance, away.T).T)
        return -0.5 * (d * np.log(2.0 * np.pi) + log_determinant + squares)


def fit_gaussian(data: Any, *, scale: bool = False) -> GaussianLaw:
    """Fit a normal law by maximum likelihood.

    Parameters
    ----------
    data : array, DataFrame, Table or path
        The points.
    scale : bool, default False
        Bring columns to standard deviation 1 first.

    Returns
    -------
    GaussianLaw

    Examples
    --------
    >>> law = fit_gaussian([1.0, 2.0, 3.0])
    >>> law.mean.tolist(), law.covariance.round(4).tolist(), law.unbiased.tolist()
    ([2.0], [[0.6667]], [[1.0]])
    """
    points = as_points(data, scale=scale, least=2)
    if points.shape[1] > _MOST:
        raise InvalidInputError(
            f"the covariance of {points.shape[1]} columns is too large: pass {_MOST} at most, or their main directions"
        )
    values = points.values
    mean = values.mean(axis=0)
    away = values - mean
    scatter = away.T @ away
    return GaussianLaw(points, mean, scatter / len(values), scatter / (len(values) - 1))


@dataclass(frozen=True, eq=False, repr=False)
class CovarianceRate(Result):
    """How the error of an estimated covariance falls with the number of points.

    Attributes
    ----------
    dimensions, sizes : tuple of int
        Numbers of variables and of points.
    error : ndarray of shape (dimensions, sizes)
        Root of the mean squared error over the repeats.
    expected : ndarray of the same shape
        √((d + 1)/N).
    """

    dimensions: tuple[int, ...]
    sizes: tuple[int, ...]
    error: Floats
    expected: Floats

    def needed(self, error: float) -> Floats:
        """Return how many points each dimension needs for an error, by the formula."""
        if not error > 0.0:
            raise InvalidInputError(f"error is {error!r}: pass a positive number")
        return (np.array(self.dimensions) + 1.0) / error**2

    def __str__(self) -> str:
        lines = [
            f"  {plural(d, 'variable')}: {', '.join(f'{error:.3g}' for error in row)}"
            for d, row in zip(self.dimensions, self.error, strict=True)
        ]
        return "\n".join(
            [f"error of the covariance of {', '.join(map(str, self.sizes))} points", *lines]
        )

    def frame(self) -> Any:
        """Return a row per dimension and size as a DataFrame."""
        d, n = np.meshgrid(self.dimensions, self.sizes, indexing="ij")
        made = {
            "variables": d.ravel(),
            "points": n.ravel(),
            "error": self.error.ravel(),
            "expected": self.expected.ravel(),
        }
        return as_frame(made, instead="error and expected")

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the errors against the number of points."""
        from chemin.plots.exploration.densities import draw_rates

        curves = {
            plural(d, "variable"): row for d, row in zip(self.dimensions, self.error, strict=True)
        }
        return draw_rates(np.array(self.sizes, dtype=float), curves, self.expected, ax=ax)


def covariance_rate(
    dimensions: Sequence[int] = (1, 10, 100),
    sizes: Sequence[int] = (100, 300, 1000, 3000),
    *,
    repeats: int = 20,
    random_state: int = 0,
) -> CovarianceRate:
    """Estimate the covariance of standard normal points again and again, and measure its error.

    Parameters
    ----------
    dimensions, sizes : list of int
        Numbers of variables and of points.
    repeats : int, default 20
        How often.
    random_state : int, default 0
        Of the points.

    Returns
    -------
    CovarianceRate

    Examples
    --------
    >>> rate = covariance_rate((1, 10), (200,))
    >>> bool(rate.error[1, 0] > 2.0 * rate.error[0, 0])
    True
    """
    if not (_are_whole(dimensions, 1) and _are_whole(sizes, 2) and _are_whole([repeats], 1)):
        raise InvalidInputError(
            "pass lists of whole numbers: dimensions of at least 1, sizes of at least 2; and at least one repeat"
        )
    drawing = np.random.default_rng(random_state)
    squares = np.zeros((len(dimensions), len(sizes)))
    for row, d in enumerate(dimensions):
        for column, n in enumerate(sizes):
            for _ in range(repeats):
                X = drawing.normal(size=(n, d))
                away = np.atleast_2d(np.cov(X.T)) - np.eye(d)
                squares[row, column] += np.sum(away**2) / d / repeats
    expected = np.sqrt((np.array(dimensions)[:, None] + 1.0) / np.array(sizes))
    return CovarianceRate(tuple(dimensions), tuple(sizes), np.sqrt(squares), expected)


def _are_whole(given: Any, least: int) -> bool:
    return isinstance(given, Iterable) and all(
        isinstance(one, int | np.integer) and one >= least for one in given
    )
