"""Is a model wrong because it is too stiff, or because it moves with the data? Bias and variance, by drawing again.

For the squared loss and training sets E that are drawn again and again, with h̄(x) = E h_E(x),

    E (y − h_E(x))² = σ² + (f(x) − h̄(x))² + E (h_E(x) − h̄(x))²       noise, squared bias, variance

where y = f(x) + noise. From a known law, training sets are new each time. From one table, they are bootstrap samples
of its training part, and what is left out judges: then f is not known, and noise counts with the bias.

Reference: F. Sur, *Introduction à l'apprentissage automatique*, 2.3; Geman, Bienenstock and Doursat (1992).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone

from chemin.dictionaries.base import Floats
from chemin.frames import as_frame
from chemin.theory.theorem import Promise, Theorem

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["BiasVariance", "RegressionLaw", "bias_variance", "bias_variance_resampled"]

DECOMPOSITION = Theorem(
    "the decomposition into bias and variance",
    "E (y − h(x))² = noise + (f(x) − h̄(x))² + E (h(x) − h̄(x))²",
    ("the squared loss", "training sets independent of the row that is judged"),
    "Sur, 2.3; Geman et al. 1992",
)


@dataclass(frozen=True)
class RegressionLaw:
    """A law to draw from: y = f(x) + noise.

    Attributes
    ----------
    f : callable
        Rows X → numbers.
    noise : float
        Standard deviation of the normal noise.
    draw : callable
        (n, generator) → n rows X; uniform numbers in [0, 1] by default.
    """

    f: Callable[[Floats], Floats]
    noise: float = 0.1
    draw: Callable[[int, np.random.Generator], Floats] | None = None

    def rows(self, n: int, drawing: np.random.Generator) -> Floats:
        """Return n rows."""
        return drawing.uniform(size=(n, 1)) if self.draw is None else self.draw(n, drawing)

    def sample(self, n: int, drawing: np.random.Generator) -> tuple[Floats, Floats]:
        """Return n rows and their targets."""
        X = self.rows(n, drawing)
        return X, np.ravel(self.f(X)) + self.noise * drawing.normal(size=n)


@dataclass(frozen=True, eq=False, repr=False)
class BiasVariance(Promise):
    """Bias and variance of several models.

    Attributes
    ----------
    names : tuple of str
        The models.
    noise : float
        σ²; NaN where the law is not known, and noise counts with the bias.
    bias, variance : ndarrays
        Means over the rows that judge, of squared bias and of variance.
    risk : ndarray
        Mean squared error.
    n, repeats : int
        Rows of a training set, and how many of these were drawn.
    """

    theorem = DECOMPOSITION
    names: tuple[str, ...]
    noise: float
    bias: Floats
    variance: Floats
    risk: Floats
    n: int
    repeats: int

    def __str__(self) -> str:
        lines = [
            f"  {name}: squared bias {b:.4g}, variance {v:.4g}, risk {r:.4g}"
            for name, b, v, r in zip(self.names, self.bias, self.variance, self.risk, strict=True)
        ]
        noise = "noise counted with the bias" if np.isnan(self.noise) else f"noise {self.noise:.4g}"
        head = f"{self.repeats} training sets of {self.n} rows, {noise}; {self.names[int(self.risk.argmin())]} is best"
        return "\n".join([head, *lines])

    def frame(self) -> Any:
        """Return a row per model as a DataFrame."""
        made = {
            "model": self.names,
            "noise": np.full(len(self.names), self.noise),
            "squared bias": self.bias,
            "variance": self.variance,
            "risk": self.risk,
        }
        return as_frame(made, instead="bias, variance and risk")

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw squared bias, variance and risk of the models, in their order."""
        from chemin.plots.theory.curves import draw_named

        curves = {"risk": self.risk, "squared bias": self.bias, "variance": self.variance}
        return draw_named(self.names, curves, y_label="mean squared error", ax=ax)


def bias_variance(
    models: Mapping[str, Any],
    law: RegressionLaw,
    *,
    n: int = 50,
    repeats: int = 100,
    points: int = 200,
    random_state: int = 0,
) -> BiasVariance:
    """Draw training sets from a known law, and measure bias and variance.

    Parameters
    ----------
    models : mapping
        Name → regressor, with ``fit`` and ``predict``; in the order of their richness, for the picture.
    law : RegressionLaw
        What rows are drawn from.
    n : int, default 50
        Rows of a training set.
    repeats : int, default 100
        Training sets.
    points : int, default 200
        Rows that judge.
    random_state : int, default 0
        What the draws start from.

    Returns
    -------
    BiasVariance

    Examples
    --------
    >>> from sklearn.dummy import DummyRegressor
    >>> from sklearn.tree import DecisionTreeRegressor
    >>> law = RegressionLaw(lambda X: np.sin(6.0 * X[:, 0]), noise=0.3)
    >>> found = bias_variance({"mean": DummyRegressor(), "tree": DecisionTreeRegressor()}, law)
    >>> bool(found.bias[0] > 10.0 * found.bias[1]), bool(found.variance[1] > 5.0 * found.variance[0])
    (True, True)
    """
    remedy = "pass RegressionLaw(f, noise)"
    DECOMPOSITION.require(isinstance(law, RegressionLaw), "a known law", f"law is {law!r}", remedy)
    n, repeats, points = _sizes(models, n, repeats, points)
    noise = float(law.noise)
    DECOMPOSITION.require(noise >= 0.0, "noise ≥ 0", f"noise is {noise:g}", "pass a deviation")
    drawing = np.random.default_rng(random_state)
    judged = law.rows(points, drawing)
    truth = np.ravel(law.f(judged))
    answers = np.empty((len(models), repeats, points))
    for k in range(repeats):
        X, y = law.sample(n, drawing)
        for row, model in enumerate(models.values()):
            answers[row, k] = np.ravel(clone(model).fit(X, y).predict(judged))
    middle = answers.mean(axis=1)
    bias = ((truth - middle) ** 2).mean(axis=1)
    variance = answers.var(axis=1).mean(axis=1)
    risk = noise**2 + ((truth - answers) ** 2).mean(axis=(1, 2))
    return BiasVariance(tuple(models), noise**2, bias, variance, risk, n, repeats)


def bias_variance_resampled(
    models: Mapping[str, Any],
    X: Any,
    y: Any,
    *,
    share: float = 0.3,
    repeats: int = 100,
    random_state: int = 0,
) -> BiasVariance:
    """Draw bootstrap samples of one table, and measure bias and variance on its held-out part.

    Parameters
    ----------
    models : mapping
        See `bias_variance`.
    X, y : arrays
        Rows and numbers.
    share : float, default 0.3
        Of the rows, held out to judge.
    repeats : int, default 100
        Bootstrap samples.
    random_state : int, default 0
        What the draws start from.

    Returns
    -------
    BiasVariance

    Examples
    --------
    >>> from sklearn.linear_model import LinearRegression
    >>> X = np.arange(40.0)[:, None]
    >>> found = bias_variance_resampled({"line": LinearRegression()}, X, 2.0 * X[:, 0])
    >>> bool(found.risk[0] < 1e-20)
    True
    """
    X = DECOMPOSITION.table("X", X, 4)
    y = DECOMPOSITION.vector("y", y, len(X))
    share = DECOMPOSITION.probability("share", share, "the share that judges")
    drawing = np.random.default_rng(random_state)
    order = drawing.permutation(len(X))
    held = max(round(share * len(X)), 1)
    test, train = order[:held], order[held:]
    n, repeats, held = _sizes(models, len(train), repeats, held)
    answers = np.empty((len(models), repeats, held))
    for k in range(repeats):
        rows = drawing.choice(train, size=n)
        for row, model in enumerate(models.values()):
            answers[row, k] = np.ravel(clone(model).fit(X[rows], y[rows]).predict(X[test]))
    middle = answers.mean(axis=1)
    bias = ((y[test] - middle) ** 2).mean(axis=1)
    variance = answers.var(axis=1).mean(axis=1)
    risk = ((y[test] - answers) ** 2).mean(axis=(1, 2))
    return BiasVariance(tuple(models), np.nan, bias, variance, risk, n, repeats)


def _sizes(models: Any, n: Any, repeats: Any, points: Any) -> tuple[int, int, int]:
    named = isinstance(models, Mapping) and len(models) > 0
    remedy = "pass {'name': regressor}"
    DECOMPOSITION.require(named, "some models", f"models is {models!r}", remedy)
    return (
        DECOMPOSITION.whole("n", n, "n", 2),
        DECOMPOSITION.whole("repeats", repeats, "the training sets", 2),
        DECOMPOSITION.whole("points", points, "the rows that judge"),
    )
