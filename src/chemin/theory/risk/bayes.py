"""What is the least error there can be? Bayes' rule and its risk, from densities and priors that are known.

    rule     argmax_k p(x | C_k) p(C_k)
    risk     ∫ (Σ_k p(x, C_k) − max_k p(x, C_k)) dx = ∫_{R_1} p(x, C_2) dx + ∫_{R_2} p(x, C_1) dx for two classes

With equal priors it is the rule of maximum likelihood. Two normal laws of one covariance have, with
Δ² = (μ₁ − μ₂)ᵀΣ⁻¹(μ₁ − μ₂) and t = log(π₁/π₂)/Δ, the risk π₁ Φ(−Δ/2 − t) + π₂ Φ(−Δ/2 + t).

Densities are summed on a grid of one or two variables; in more, points are drawn from the laws.

Reference: F. Sur, *Introduction à l'apprentissage automatique*, 4.1.2, Prop 4.3 (its F₁ is written with the wrong
class).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.stats import norm

from chemin.dictionaries.base import Floats, Indices
from chemin.frames import as_frame
from chemin.theory.theorem import Promise, Theorem

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["BayesRule", "bayes_rule", "gaussian_bayes_risk"]

_PLACES = {1: 20_001, 2: 601}  # of a grid, along each variable
_LOST = 1e-3  # of a law that may lie outside the bounds
_DRAWS = 200_000
_AT_ONCE = 100_000

BAYES = Theorem(
    "Bayes' rule",
    "argmax p(x | C_k) p(C_k) has the least risk 0-1, the Bayes risk",
    ("densities and priors are known", "all errors cost the same"),
    "Sur, Prop 4.3",
)


@dataclass(frozen=True, eq=False, repr=False)
class BayesRule(Promise):
    """The best classifier there is for known laws.

    Attributes
    ----------
    densities : tuple of callables
        x → p(x | C_k), for rows x.
    priors : ndarray
        p(C_k).
    risk : float
        The least probability of an error.
    error : float
        Its standard error where points were drawn; 0 for a grid.
    by_class : ndarray
        Probability of an error together with each class; they sum to the risk.
    bounds : tuple of pairs
        Where densities were summed; empty where points were drawn.
    """

    theorem = BAYES
    densities: tuple[Callable[[Any], Any], ...]
    priors: Floats
    risk: float
    error: float
    by_class: Floats
    bounds: tuple[tuple[float, float], ...]

    def joint(self, X: Any) -> Floats:
        """Return p(x, C_k), a row per point and a column per class."""
        return _joint(self.densities, self.priors, BAYES.table("X", X))

    def posterior(self, X: Any) -> Floats:
        """Return p(C_k | x); the priors where no class has any density."""
        joint = self.joint(X)
        total = joint.sum(axis=1, keepdims=True)
        return np.where(total > 0.0, joint / np.where(total > 0.0, total, 1.0), self.priors)

    def predict(self, X: Any) -> Indices:
        """Return the number of the likeliest class."""
        return np.asarray(self.posterior(X).argmax(axis=1))

    def __str__(self) -> str:
        parts = ", ".join(f"{part:.4g}" for part in self.by_class)
        how = f" ± {self.error:.1g}, by draws" if self.error else ""
        return (
            f"no rule is wrong less often than Bayes' rule, {self.risk:.4g}{how}: by class {parts}"
        )

    def frame(self) -> Any:
        """Return a row per class as a DataFrame."""
        made = {
            "class": np.arange(len(self.priors)),
            "prior": self.priors,
            "error": self.by_class,
        }
        return as_frame(made, instead="priors, by_class and risk")

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw, for one variable, p(x, C_k) and the areas of errors."""
        from chemin.plots.theory.laws import draw_risk

        one = len(self.bounds) == 1
        remedy = "pass bounds of one variable to bayes_rule"
        BAYES.require(one, "one variable, for a picture", f"there are {len(self.bounds)}", remedy)
        x = np.linspace(*self.bounds[0], 1001)
        return draw_risk(x, self.joint(x), self.risk, ax=ax)


def bayes_rule(
    densities: Sequence[Any],
    priors: Any = None,
    *,
    bounds: Any = None,
    random_state: int = 0,
) -> BayesRule:
    """Return Bayes' rule and its risk.

    Parameters
    ----------
    densities : list
        One law per class: of `scipy.stats`, a result of `chemin.exploration` with ``pdf``, or a function that returns
        the density of each row.
    priors : array, optional
        p(C_k); all equal by default.
    bounds : pair, or list of two pairs, optional
        Where nearly all of the laws is, for one or two variables. Without it points are drawn by the laws' ``rvs``.
    random_state : int, default 0
        What the draws start from.

    Returns
    -------
    BayesRule

    Examples
    --------
    >>> from scipy.stats import norm
    >>> rule = bayes_rule([norm(-1), norm(1)], bounds=(-9, 9))
    >>> round(rule.risk, 6), rule.predict([-0.1, 0.1]).tolist()
    (0.158655, [0, 1])
    """
    BAYES.require(
        len(densities) >= 2, "two classes or more", f"there are {len(densities)}", "pass more"
    )
    functions = tuple(_as_density(one) for one in densities)
    K = len(functions)
    priors = np.full(K, 1.0 / K) if priors is None else BAYES.vector("priors", priors, K)
    sums = bool((priors >= 0.0).all()) and abs(float(priors.sum()) - 1.0) <= 1e-8
    BAYES.require(
        sums, "priors that are a law", f"priors is {priors.tolist()}", "pass numbers ≥ 0 of sum 1"
    )
    if bounds is None:
        return _by_draws(tuple(densities), functions, priors, random_state)
    box = tuple((float(low), float(high)) for low, high in np.atleast_2d(bounds).tolist())
    fits = len(box) in _PLACES and all(low < high for low, high in box)
    remedy = "pass (low, high) for one variable or two, or leave bounds out"
    BAYES.require(fits, "bounds of one variable or two", f"bounds is {bounds!r}", remedy)
    grid, cell = _grid(box)
    joint = np.concatenate(
        [
            _joint(functions, priors, part)
            for part in np.array_split(grid, len(grid) // _AT_ONCE + 1)
        ]
    )
    mass = cell @ joint
    lost = float(np.abs(mass - priors).max())
    remedy = "pass wider bounds, or densities whose integral is 1"
    BAYES.require(lost <= _LOST, "laws within the bounds", f"{lost:.2g} of a law is not", remedy)
    wrong = joint.argmax(axis=1)[:, None] != np.arange(K)
    by_class = np.einsum("n,nk->k", cell, joint * wrong)
    return BayesRule(functions, priors, float(by_class.sum()), 0.0, by_class, box)


def gaussian_bayes_risk(mean1: Any, mean2: Any, covariance: Any, prior: float = 0.5) -> float:
    """Return the Bayes risk of two normal laws of one covariance, in closed form.

    Parameters
    ----------
    mean1, mean2 : arrays of shape (d,)
        Their means.
    covariance : array of shape (d, d)
        Their covariance.
    prior : float, default 0.5
        p(C_1).

    Returns
    -------
    float

    Examples
    --------
    >>> round(gaussian_bayes_risk([-1.0], [1.0], [[1.0]]), 6)
    0.158655
    """
    mean1 = BAYES.vector("mean1", mean1)
    away = BAYES.vector("mean2", mean2, len(mean1)) - mean1
    covariance = BAYES.covariance("covariance", covariance, len(away))
    prior = BAYES.probability("prior", prior, "p(C_1)")
    distance = float(np.sqrt(away @ np.linalg.solve(covariance, away)))
    if not distance:
        return min(prior, 1.0 - prior)
    shift = float(np.log(prior / (1.0 - prior))) / distance
    first = prior * norm.cdf(-distance / 2.0 - shift)
    return float(first + (1.0 - prior) * norm.cdf(-distance / 2.0 + shift))


def _as_density(law: Any) -> Callable[[Any], Any]:
    density = getattr(law, "pdf", law)
    remedy = "pass laws of scipy.stats, or functions of the rows"
    BAYES.require(callable(density), "densities", f"one of them is {law!r}", remedy)
    return density


def _joint(functions: Sequence[Callable[[Any], Any]], priors: Floats, X: Floats) -> Floats:
    """Return p(x, C_k); laws of one variable are asked for a list of numbers."""
    rows = X[:, 0] if X.shape[1] == 1 else X
    values = np.column_stack([np.ravel(density(rows)) for density in functions])
    remedy = "pass functions that return a density per row"
    BAYES.require(len(values) == len(X), "a density per row", f"there are {len(values)}", remedy)
    least = float(values.min(initial=0.0))
    BAYES.require(
        least >= 0.0, "densities ≥ 0", f"one is {least:.3g}", "pass densities, not their logarithms"
    )
    return np.asarray(priors * values)


def _grid(box: tuple[tuple[float, float], ...]) -> tuple[Floats, Floats]:
    """Return the places of a grid, and their weights by the rule of trapezes."""
    axes = [np.linspace(low, high, _PLACES[len(box)]) for low, high in box]
    steps = [np.full(len(axis), axis[1] - axis[0]) for axis in axes]
    for step in steps:
        step[[0, -1]] /= 2.0
    places = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, len(box))
    weights = steps[0] if len(box) == 1 else np.outer(*steps).ravel()
    return places, weights


def _by_draws(
    laws: tuple[Any, ...],
    functions: tuple[Callable[[Any], Any], ...],
    priors: Floats,
    random_state: int,
) -> BayesRule:
    drawn = all(hasattr(law, "rvs") for law in laws)
    remedy = "pass bounds=, or laws of scipy.stats"
    BAYES.require(drawn, "bounds, or laws to draw from", "there are neither", remedy)
    drawing = np.random.default_rng(random_state)
    shares = np.empty(len(laws))
    for k, law in enumerate(laws):
        X = np.asarray(law.rvs(size=_DRAWS, random_state=drawing), dtype=float)
        X = X[:, None] if X.ndim == 1 else X
        shares[k] = np.mean(_joint(functions, priors, X).argmax(axis=1) != k)
    by_class = priors * shares
    error = float(np.sqrt(np.sum(priors**2 * shares * (1.0 - shares) / _DRAWS)))
    return BayesRule(functions, priors, float(by_class.sum()), error, by_class, ())
