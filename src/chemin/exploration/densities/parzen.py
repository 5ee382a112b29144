"""Where are points dense? Parzen's windows, with a bandwidth by rule or by likelihood.

p(x) = 1/(N hᵈ) Σ W((x − xₙ)/h), with a window W of integral 1.

References: Scott (1992), *Multivariate density estimation*; Silverman (1986), *Density estimation*; Duin (1976) for the
likelihood in which every point is left out of its own density.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.spatial.distance import cdist
from scipy.special import gammaln

from chemin.dictionaries.base import Floats
from chemin.exceptions import InvalidInputError
from chemin.exploration.cost import BUDGET
from chemin.exploration.densities.density import Density
from chemin.exploration.points import Points, as_points

_WINDOWS = {"gaussian": "gaussian", "epanechnikov": "epanechnikov", "flat": "tophat"}
_NARROWEST = (
    0.02  # of the rule's bandwidth: likelihoods that ask for less have seen repeated values
)
_WIDEST = 5.0
_NORMAL = 1.349  # interquartile range of a normal law, in standard deviations


@dataclass(frozen=True, eq=False, repr=False)
class Parzen(Density):
    """A density with a window on every point.

    Attributes
    ----------
    bandwidth : float
        Width h of the window.
    window : str
        "gaussian", "epanechnikov" or "flat".
    said : str
        How the bandwidth was chosen.
    """

    bandwidth: float
    window: str
    said: str

    @property
    def name(self) -> str:
        return f"Parzen, {self.window} window, h = {self.bandwidth:.4g}"

    @property
    def _reach(self) -> float:
        return 3.0 * self.bandwidth if self.window == "gaussian" else 1.1 * self.bandwidth

    def log_pdf(self, x: Any) -> Floats:
        from sklearn.neighbors import KernelDensity

        estimate = KernelDensity(bandwidth=self.bandwidth, kernel=_WINDOWS[self.window])
        nodes = self._nodes(x)
        return np.asarray(estimate.fit(self.points.values).score_samples(nodes))


def parzen(
    data: Any,
    bandwidth: float | str = "silverman",
    *,
    window: str = "gaussian",
    scale: bool = False,
    budget: float | None = BUDGET,
    random_state: int = 0,
) -> Parzen:
    """Estimate a density by windows.

    Parameters
    ----------
    data : array, DataFrame, Table or path
        The points.
    bandwidth : float, "silverman", "scott" or "likelihood", default "silverman"
        Width of the window in the units of the data; or a rule that is right for a normal law; or the width at which
        points are likeliest under the windows of all others.
    window : {"gaussian", "epanechnikov", "flat"}, default "gaussian"
        Its shape.
    scale : bool, default False
        Bring columns to standard deviation 1 first.
    budget : float, optional
        Seconds that the likelihood may take; beyond, it is that of a part of the points.
    random_state : int, default 0
        Which part.

    Returns
    -------
    Parzen

    Examples
    --------
    >>> made = parzen([0.0, 1.0], bandwidth=1.0)
    >>> round(float(made.pdf(0.5)[0]), 4)  # exp(−1/8)/√(2π)
    0.3521
    """
    if window not in tuple(_WINDOWS):
        raise InvalidInputError(f"window is {window!r}: pass one of {', '.join(_WINDOWS)}")
    points = as_points(data, scale=scale)
    if isinstance(bandwidth, str):
        width, said = _chosen(points, bandwidth, window, budget, random_state)
    else:
        width, said = as_bandwidth(bandwidth), "given"
    return Parzen(points, width, window, said)


def as_bandwidth(bandwidth: Any) -> float:
    """Return a bandwidth, if it is a positive number."""
    if isinstance(bandwidth, bool) or not isinstance(bandwidth, int | float | np.number):
        raise InvalidInputError(f"bandwidth is {bandwidth!r}: pass a positive number, or a rule")
    if not 1e-150 < float(bandwidth) < 1e150:  # its square is a number
        raise InvalidInputError(f"bandwidth is {bandwidth!r}: pass a positive number")
    return float(bandwidth)


def rule_bandwidth(points: Points, rule: str = "silverman") -> float:
    """Return the bandwidth that is right for a normal law of the spread of these points.

    Silverman: h = s (4/(d + 2))^{1/(d+4)} N^{−1/(d+4)}; Scott: the same without its first factor. The spread s of a
    column is the smaller one of its standard deviation and its interquartile range over 1.349.
    """
    n, d = points.shape
    deviation = points.values.std(axis=0, ddof=1) if n > 1 else np.zeros(d)
    quartiles = np.quantile(points.values, [0.25, 0.75], axis=0)
    robust = (quartiles[1] - quartiles[0]) / _NORMAL
    spread = np.where(robust > 0.0, np.minimum(deviation, robust), deviation)
    mean = float(np.sqrt(np.mean(spread**2)))
    if mean == 0.0:
        raise InvalidInputError(
            "all points are the same, so that no rule gives a bandwidth: pass a number"
        )
    first = (4.0 / (d + 2.0)) ** (1.0 / (d + 4.0)) if rule == "silverman" else 1.0
    return mean * first * float(n) ** (-1.0 / (d + 4.0))


def _chosen(
    points: Points, rule: str, window: str, budget: float | None, random_state: int
) -> tuple[float, str]:
    if rule in ("silverman", "scott"):
        return rule_bandwidth(points, rule), f"by the rule of {rule.capitalize()}"
    if rule != "likelihood":
        raise InvalidInputError(
            f"bandwidth is {rule!r}: pass a number, 'silverman', 'scott' or 'likelihood'"
        )
    if window == "flat":
        raise InvalidInputError(
            "the likelihood of a flat window is zero for any isolated point: pass window='gaussian' or a bandwidth"
        )
    some = points.within("bandwidth", budget, random_state)
    start = rule_bandwidth(some)
    distances = cdist(some.values, some.values)
    np.fill_diagonal(distances, np.inf)
    least = max(_NARROWEST * start, 0.0)
    if window == "epanechnikov":  # below, some point is in no other's window
        least = max(least, 1.0001 * float(distances.min(axis=1).max()))
    most = max(_WIDEST * start, 2.0 * least)
    found = minimize_scalar(
        lambda t: -left_out_likelihood(distances, np.exp(t), window, some.shape[1]),
        bounds=(np.log(least), np.log(most)),
        method="bounded",
        options={"xatol": 1e-4},
    )
    width = float(np.exp(found.x))
    said = f"by the likelihood of points left out, {some.said}"
    if width < 1.01 * least and window == "gaussian":
        said += "; it asks for less and less, since values repeat: a rule may serve better"
    return width, said


def left_out_likelihood(distances: Floats, h: float, window: str, d: int) -> float:
    """Return Σ log p₋ₙ(xₙ), with p₋ₙ the density of all points but the n-th; the diagonal of distances is infinite."""
    n = len(distances)
    squares = (distances / h) ** 2
    if window == "gaussian":
        least = squares.min(axis=1)
        sums = np.log(np.exp((least[:, None] - squares) / 2.0).sum(axis=1)) - least / 2.0
    else:
        with np.errstate(divide="ignore"):
            sums = np.log(np.maximum(1.0 - squares, 0.0).sum(axis=1))
    constant = log_constant(window, d) - np.log(n - 1.0) - d * np.log(h)
    return float(sums.sum() + n * constant)


def log_constant(window: str, d: int) -> float:
    """Return log W(0): for a Gaussian −d/2 log 2π; for 1 − r² on the unit ball, log (d + 2)/(2 V_d)."""
    if window == "gaussian":
        return -0.5 * d * float(np.log(2.0 * np.pi))
    volume = log_ball_volume(d)
    return float(np.log((d + 2.0) / 2.0) - volume) if window == "epanechnikov" else -volume


def log_ball_volume(d: int) -> float:
    """Return the logarithm of the volume of the unit ball, π^{d/2}/Γ(d/2 + 1).

    Examples
    --------
    >>> [round(float(np.exp(log_ball_volume(d))), 4) for d in (2, 5, 10)]
    [3.1416, 5.2638, 2.5502]
    """
    return 0.5 * d * float(np.log(np.pi)) - float(gammaln(d / 2.0 + 1.0))
