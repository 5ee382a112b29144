"""What if each class has a density of all columns together? Bayes' rule with any estimator of densities.

argmax_k π_k p(x | C_k). With normal laws, whose covariances are those of maximum likelihood, 1/N_k, this is quadratic
discriminant analysis; older versions of scikit-learn divide by N_k − 1. With K-th neighbours, and priors by frequency,
the class whose own K-th neighbour is the nearest wins: of two classes, the majority of the 2K − 1 nearest rows.

Reference: F. Sur, *Introduction à l'apprentissage automatique*, Mines Nancy, 2022-2023, sections 4.1.2, 5, 6.3 and 6.5.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from inspect import signature
from typing import Any, Self

import numpy as np
from sklearn.base import clone

from chemin.dictionaries.base import Floats
from chemin.exceptions import InvalidInputError
from chemin.exploration.densities import (
    Mixture,
    fit_gaussian,
    mixture,
    neighbour_density,
    parzen,
)
from chemin.exploration.densities.mixtures import SHAPES, count_parameters
from chemin.exploration.points import Points
from chemin.models.bayes.draws import draw
from chemin.models.bayes.posterior import Posterior
from chemin.results import plural

__all__ = ["BayesClassifier"]

_MOST = 6  # components of a mixture that are tried by default


def _mixture(points: Points, **options: Any) -> Mixture:
    """Return the mixture that BIC prefers; where nothing is asked for, among those with fewer parameters than rows.

    With more parameters than rows, some component is singular, and the likelihood has no maximum.
    """
    if "components" in options or "covariance" in options:
        return mixture(points, **options)
    n, d = points.shape
    tried = []
    for count in range(1, _MOST + 1):
        shapes = [shape for shape in SHAPES if count_parameters(count, d, shape) < n]
        if shapes or count == 1:
            tried.append(mixture(points, count, covariance=shapes or "spherical", **options))
    return min(tried, key=_criterion)


def _criterion(made: Mixture) -> float:
    return min(float(getattr(candidate, made.criterion)) for candidate in made.candidates)


_DENSITIES: dict[str, Callable[..., Any]] = {
    "parzen": parzen,
    "mixture": _mixture,
    "gaussian": fit_gaussian,
    "neighbours": neighbour_density,
}


class BayesClassifier(Posterior):
    """The class whose density, times its prior, is the largest.

    Parameters
    ----------
    density : str, scikit-learn density or callable, default "parzen"
        "parzen", "mixture", "gaussian" or "neighbours", the functions of `chemin.exploration.densities`; or an
        estimator with ``fit`` and ``score_samples`` such as `sklearn.neighbors.KernelDensity`, cloned for each class;
        or a function that takes the rows of a class, an array, and returns an object with ``log_pdf(x)``.
    options : dict, optional
        What the function is called with besides the rows, such as ``{"bandwidth": 0.3}``. By default, "mixture" has
        the number and shape of components that BIC prefers among those with fewer parameters than rows.
    priors : "uniform" or array of shape (K,), optional
        Probabilities of the classes; None for their frequencies.

    Attributes
    ----------
    densities_ : list
        One per class.
    classes_, class_count_, priors_, n_features_in_, feature_names_in_
        See `Posterior`.

    Notes
    -----
    Densities of many columns need many rows: the error of a covariance grows like √((p + 1)/N), that of windows faster.
    With few rows, `NaiveBayes` estimates one column at a time.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> model = BayesClassifier("gaussian").fit(X, y)
    >>> round(model.score(X, y), 2), model.densities_[0].name
    (0.98, 'normal law')
    """

    def __init__(
        self,
        density: Any = "parzen",
        *,
        options: Mapping[str, Any] | None = None,
        priors: Any = None,
    ) -> None:
        self.density = density
        self.options = options
        self.priors = priors

    def fit(self, X: Any, y: Any) -> Self:
        """Estimate the density of every class.

        Parameters
        ----------
        X : array or DataFrame of shape (n, p)
            The rows.
        y : array of shape (n,)
            Their classes, two or more.

        Returns
        -------
        self
        """
        X, index = self._read_training(X, y)
        estimate = self._estimator()
        self.densities_ = []
        for k, label in enumerate(self.classes_.tolist()):
            rows = X[index == k]
            try:
                made = estimate(rows, label)
                _log_pdf(made, rows[:1])  # a normal law finds out here that it is singular
            except AttributeError as error:
                raise InvalidInputError(
                    f"density={self.density!r} fails ({error}): let it return an object with log_pdf(x)"
                ) from error
            except (ValueError, np.linalg.LinAlgError) as error:
                told = f"class {label!r} has {plural(len(rows), 'row')} of {plural(X.shape[1], 'column')}"
                raise InvalidInputError(
                    f"{told}, and density={self.density!r} fails on them ({error}): pass more rows of this class, "
                    "fewer columns, or another density"
                ) from error
            self.densities_.append(made)
        return self

    def _log_densities(self, X: Floats) -> Floats:
        logs = np.column_stack([_log_pdf(density, X) for density in self.densities_])
        if np.isnan(logs).any():
            k = int(np.flatnonzero(np.isnan(logs).any(axis=0))[0])
            raise InvalidInputError(
                f"the density of class {self.classes_.tolist()[k]!r} is not a number at some rows: pass another density"
            )
        return logs

    def _draw(self, k: int, n: int, drawing: np.random.RandomState) -> Floats:
        return draw(self.densities_[k], n, drawing)

    def _estimator(self) -> Callable[[Floats, Any], Any]:
        """Return the function that makes a density of the rows of a class and its label."""
        given = self.density
        options = dict(self.options or {})
        if "scale" in options:  # each class would have units of its own
            raise InvalidInputError(
                "options has 'scale': leave it out, and standardise all rows, for example with "
                "make_pipeline(StandardScaler(), BayesClassifier())"
            )
        if isinstance(given, str) and given in _DENSITIES:
            function = _DENSITIES[given]
            taken = list(signature(mixture if function is _mixture else function).parameters)[1:]
            unknown = [name for name in options if name not in taken]
            if unknown:
                raise InvalidInputError(
                    f"options has {', '.join(map(repr, unknown))}, which {given!r} does not take: it takes "
                    f"{', '.join(name for name in taken if name != 'scale') or 'none'}"
                )
            return lambda rows, label: function(self._points(rows, label), **options)
        if hasattr(given, "fit") and hasattr(given, "score_samples"):
            if options:
                raise InvalidInputError(
                    f"options are {self.options!r}, and density is an estimator: set its own parameters"
                )
            return lambda rows, label: clone(given).fit(rows)
        if callable(given):
            return lambda rows, label: given(rows, **options)
        raise InvalidInputError(
            f"density is {given!r}: pass one of {', '.join(map(repr, _DENSITIES))}, an estimator with fit and "
            "score_samples, or a function of the rows that returns an object with log_pdf"
        )

    def _points(self, rows: Floats, label: Any) -> Points:
        said = f"{plural(len(rows), 'row')} of class {label!r}"
        return Points(rows, self._names(), np.arange(len(rows)), said)


def _log_pdf(density: Any, X: Floats) -> Floats:
    if hasattr(density, "score_samples"):
        return np.asarray(density.score_samples(X))
    return np.asarray(density.log_pdf(X))
