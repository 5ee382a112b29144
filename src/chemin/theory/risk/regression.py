"""What is the best guess of a number? The conditional mean, from a known law.

    h(x) = E(Y | X = x) = ∫ y p(x, y) dy / ∫ p(x, y) dy                           has the least mean squared error
    (X, Y) normal:  E(Y) + Σ_YX Σ_X⁻¹ (x − E(X)), covariance Σ_Y − Σ_YX Σ_X⁻¹ Σ_XY,  a linear function of x

The mean squared error of h is the mean conditional variance: what no function of x predicts.

Reference: F. Sur, *Introduction à l'apprentissage automatique*, 4.1.1, Prop 4.1, Th 4.1.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.integrate import trapezoid

from chemin.dictionaries.base import Floats, Indices
from chemin.frames import as_frame
from chemin.results import plural
from chemin.theory.theorem import Promise, Theorem

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["GaussianConditional", "OptimalRegressor", "gaussian_conditional", "optimal_regressor"]

_PLACES = 2001  # of a grid, along y
_ALONG = 801  # along x
_LOST = 1e-3
_AT_ONCE = 2_000_000

CONDITIONAL_MEAN = Theorem(
    "the conditional mean is the best regressor",
    "E(Y | X = x) has the least mean squared error",
    ("a known density of (X, Y)", "the squared loss", "a finite variance"),
    "Sur, Prop 4.1",
)
GAUSSIAN = Theorem(
    "the conditional law of a normal law",
    "E(Y | X = x) = E(Y) + Σ_YX Σ_X⁻¹ (x − E(X))",
    ("(X, Y) normal", "an invertible Σ_X"),
    "Sur, Th 4.1",
)


@dataclass(frozen=True, eq=False, repr=False)
class OptimalRegressor(Promise):
    """The best guess of y from one variable x, for a known law.

    Attributes
    ----------
    density : callable
        (x, y) → p(x, y).
    x_bounds, y_bounds : pairs
        Where nearly all of the law is.
    risk : float
        Its mean squared error, the least there is.
    """

    theorem = CONDITIONAL_MEAN
    density: Callable[[Any, Any], Any]
    x_bounds: tuple[float, float]
    y_bounds: tuple[float, float]
    risk: float

    def predict(self, x: Any) -> Floats:
        """Return E(Y | X = x); NaN where the law has no x."""
        return _moments(self.density, CONDITIONAL_MEAN.vector("x", x), self.y_bounds)[1]

    def __str__(self) -> str:
        return f"no function of x has a mean squared error below {self.risk:.4g}, that of the conditional mean"

    def frame(self) -> Any:
        """Return the conditional mean and variance along x as a DataFrame."""
        x = np.linspace(*self.x_bounds, 101)
        mass, mean, variance = _moments(self.density, x, self.y_bounds)
        made = {"x": x, "density": mass, "mean": mean, "variance": variance}
        return as_frame(made, instead="predict and risk")

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the conditional mean over the density."""
        from chemin.plots.theory.laws import draw_regression

        x, y = np.linspace(*self.x_bounds, 200), np.linspace(*self.y_bounds, 200)
        return draw_regression(x, y, self.density(x[:, None], y[None, :]), self.predict(x), ax=ax)


def optimal_regressor(
    density: Callable[[Any, Any], Any], x_bounds: tuple[float, float], y_bounds: tuple[float, float]
) -> OptimalRegressor:
    """Return the conditional mean of a known law of two numbers.

    Parameters
    ----------
    density : callable
        (x, y) → p(x, y), for arrays that broadcast.
    x_bounds, y_bounds : pairs
        Where nearly all of the law is.

    Returns
    -------
    OptimalRegressor

    Examples
    --------
    >>> from scipy.stats import norm
    >>> best = optimal_regressor(lambda x, y: norm.pdf(x) * norm.pdf(y, x**2, 0.5), (-6, 6), (-4, 40))
    >>> best.predict([0.0, 2.0]).round(6).tolist(), round(best.risk, 4)
    ([0.0, 4.0], 0.25)
    """
    remedy = "pass a function of x and y"
    CONDITIONAL_MEAN.require(callable(density), "a density", f"density is {density!r}", remedy)
    boxes = []
    for name, pair in (("x_bounds", x_bounds), ("y_bounds", y_bounds)):
        low, high = CONDITIONAL_MEAN.vector(name, pair, 2)
        remedy = "pass (low, high)"
        CONDITIONAL_MEAN.require(low < high, "low < high", f"{name} is {pair!r}", remedy)
        boxes.append((float(low), float(high)))
    x = np.linspace(*boxes[0], _ALONG)
    mass, _, variance = _moments(density, x, boxes[1])
    total = float(trapezoid(mass, x))
    remedy = "pass wider bounds, or a density whose integral is 1"
    CONDITIONAL_MEAN.require(
        abs(total - 1.0) <= _LOST,
        "a law within the bounds",
        f"its integral there is {total:.4g}",
        remedy,
    )
    risk = float(trapezoid(np.where(mass > 0.0, mass * variance, 0.0), x))
    return OptimalRegressor(density, boxes[0], boxes[1], risk)


@dataclass(frozen=True, eq=False, repr=False)
class GaussianConditional(Promise):
    """The law of some variables of a normal law, given the others.

    Attributes
    ----------
    rest : ndarray of int
        Positions of the variables that are not given.
    given : ndarray of int
        Positions of those that are.
    mean : ndarray
        Their conditional mean.
    covariance : ndarray
        Their conditional covariance, whatever the values.
    coefficients : ndarray of shape (rest, given)
        Σ_YX Σ_X⁻¹: what the mean moves by.
    """

    theorem = GAUSSIAN
    rest: Indices
    given: Indices
    mean: Floats
    covariance: Floats
    coefficients: Floats

    def __str__(self) -> str:
        means = ", ".join(f"{value:.4g}" for value in self.mean)
        deviations = ", ".join(f"{value:.4g}" for value in np.sqrt(np.diagonal(self.covariance)))
        given = plural(len(self.given), "variable")
        return f"given {given} the others have the means {means} and the deviations {deviations}"

    def frame(self) -> Any:
        """Return a row per variable that is not given as a DataFrame."""
        deviation = np.sqrt(np.diagonal(self.covariance))
        made = {"variable": self.rest, "mean": self.mean, "deviation": deviation}
        return as_frame(made, instead="mean and covariance")

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the mean and two deviations of every variable that is not given."""
        from chemin.plots.theory.laws import draw_intervals

        names = [f"variable {place}" for place in self.rest]
        width = 2.0 * np.sqrt(np.diagonal(self.covariance))
        return draw_intervals(names, self.mean, width, x_label="mean, two deviations", ax=ax)


def gaussian_conditional(
    mean: Any, covariance: Any, given: Mapping[int, float]
) -> GaussianConditional:
    """Return the law of the variables of a normal law that are not given.

    Parameters
    ----------
    mean, covariance : arrays of shape (d,) and (d, d)
        Of all variables.
    given : mapping
        Position of a variable → its value.

    Returns
    -------
    GaussianConditional

    Examples
    --------
    >>> made = gaussian_conditional([0.0, 1.0], [[4.0, 1.0], [1.0, 2.0]], {0: 2.0})
    >>> made.mean.tolist(), made.covariance.tolist()
    ([1.5], [[1.75]])
    """
    mean = GAUSSIAN.vector("mean", mean)
    d = len(mean)
    covariance = GAUSSIAN.symmetric("covariance", covariance, d)
    inside = bool(given) and len(given) < d and all(place in range(d) for place in given)
    remedy = f"pass positions from 0 to {d - 1}, not all of them"
    GAUSSIAN.require(inside, "some variables given", f"given is {dict(given)!r}", remedy)
    known = np.array(sorted(given))
    rest = np.setdiff1d(np.arange(d), known)
    values = GAUSSIAN.vector("given", [given[place] for place in known.tolist()])
    block = GAUSSIAN.covariance("the covariance of what is given", covariance[np.ix_(known, known)])
    across = covariance[np.ix_(rest, known)]
    coefficients = np.linalg.solve(block, across.T).T
    return GaussianConditional(
        rest=rest,
        given=known,
        mean=mean[rest] + coefficients @ (values - mean[known]),
        covariance=covariance[np.ix_(rest, rest)] - coefficients @ across.T,
        coefficients=coefficients,
    )


def _moments(
    density: Callable[[Any, Any], Any], x: Floats, y_bounds: tuple[float, float]
) -> tuple[Floats, Floats, Floats]:
    """Return ∫ p dy, and mean and variance of y, at some x."""
    y = np.linspace(*y_bounds, _PLACES)
    values = np.asarray(density(x[:, None], y[None, :]), dtype=float)
    if values.size == len(x) * len(y):  # laws of SciPy drop an axis of length 1
        values = values.reshape(len(x), len(y))
    right = values.shape == (len(x), len(y)) and bool((values >= 0.0).all())
    remedy = "pass a function that broadcasts, and returns numbers ≥ 0"
    CONDITIONAL_MEAN.require(right, "a density", f"it returned the shape {values.shape}", remedy)
    mass = trapezoid(values, y, axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = trapezoid(values * y, y, axis=1) / mass
        variance = trapezoid(values * (y - mean[:, None]) ** 2, y, axis=1) / mass
    return mass, mean, variance
