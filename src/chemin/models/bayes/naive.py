"""What if the columns were independent within each class? Naive Bayes with marginals of any shape.

argmax_k π_k Π_j p(x_j | C_k): densities of single columns, which few rows suffice for, instead of one of all columns.
The log-odds of two classes are a sum over the columns, log π_k/π_l + Σ_j log p(x_j | C_k)/p(x_j | C_l), so that every
decision can be read. With normal laws of equal variances the sum is linear in x.

References: F. Sur, *Introduction à l'apprentissage automatique*, Mines Nancy, 2022-2023, sections 6.1 and 6.5; John and
Langley (1995), "Estimating continuous distributions in Bayesian classifiers".
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from chemin.dictionaries.base import Floats, Indices
from chemin.exceptions import InvalidInputError
from chemin.exploration.densities import Density, histogram
from chemin.models.bayes.log_odds import LogOdds
from chemin.models.bayes.marginals import KINDS, Column, Marginal
from chemin.models.bayes.posterior import Posterior

__all__ = ["NaiveBayes"]


class NaiveBayes(Posterior):
    """The class whose columns, one by one, make a row the likeliest.

    Parameters
    ----------
    marginals : {"parzen", "histogram", "gaussian"} or list of these, default "parzen"
        How the density of a column within a class is estimated; a list has one for each column.
    bandwidth : float, "silverman", "scott" or "likelihood", default "silverman"
        Of the windows, see `chemin.exploration.parzen`; a number is in the units of the columns.
    window : {"gaussian", "epanechnikov", "flat"}, default "gaussian"
        Shape of the windows.
    bins : int or str, default 10
        Of histograms: how many, or a rule of `numpy.histogram_bin_edges`. They are the same for all classes.
    background : float, default 0.01
        Share of a wide law in the marginals by windows and bins: that of Student with the mean and spread of the whole
        column, whatever the class. It bounds what one column can say against a class; 0 for none.
    priors : "uniform" or array of shape (K,), optional
        Probabilities of the classes; None for their frequencies.

    Attributes
    ----------
    marginals_ : list of lists
        ``marginals_[k][j]`` is the density of column j within class k: it has ``pdf``, ``plot`` and ``integral``.
    classes_, class_count_, priors_, n_features_in_, feature_names_in_
        See `Posterior`.

    Notes
    -----
    A column that is constant within a class is taken to be known up to the bandwidth of the whole column. Rows have no
    weights, since the densities have none.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> model = NaiveBayes().fit(X, y)
    >>> round(model.score(X, y), 2)
    0.96
    >>> drawn, classes = model.sample(5, random_state=0)
    >>> drawn.shape
    (5, 4)
    """

    def __init__(
        self,
        marginals: Any = "parzen",
        *,
        bandwidth: float | str = "silverman",
        window: str = "gaussian",
        bins: int | str = 10,
        background: float = 0.01,
        priors: Any = None,
    ) -> None:
        self.marginals = marginals
        self.bandwidth = bandwidth
        self.window = window
        self.bins = bins
        self.background = background
        self.priors = priors

    def fit(self, X: Any, y: Any) -> Self:
        """Estimate the density of every column within every class.

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
        kinds = self._kinds()
        self._check_background(kinds)
        columns = zip(self._names(), kinds, X.T, strict=True)
        per_column = [self._fit_column(name, kind, x, index) for name, kind, x in columns]
        self.marginals_ = [list(of_class) for of_class in zip(*per_column, strict=True)]
        return self

    def terms(self, X: Any, between: Any = None) -> LogOdds:
        """Return what each column adds to the log-odds of two classes.

        Parameters
        ----------
        X : array or DataFrame of shape (n, p)
            The rows.
        between : pair of labels, optional
            The class spoken for, and the class spoken against; by default, for each row, the likeliest one and the
            next.

        Returns
        -------
        LogOdds

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> X, y = load_iris(return_X_y=True, as_frame=True)
        >>> print(NaiveBayes().fit(X, y).terms(X[100:101]))
        row 0: 2 against 1, log-odds +13: priors +0, petal length (cm) +6.17, petal width (cm) +5.97,
        sepal width (cm) +0.561, …
        """
        X = self._read_new(X)
        pair = None if between is None else self._pair(between)
        logs = np.stack([self._log_marginals(X, k) for k in range(len(self.classes_))], axis=1)
        joint = logs.sum(axis=2) + np.log(self.priors_)
        first, second = np.argsort(-joint, axis=1, kind="stable")[:, :2].T
        if pair is not None:
            first, second = (np.full(len(X), k) for k in pair)
        rows = np.arange(len(X))
        return LogOdds(
            self._names(), X, logs[rows, first] - logs[rows, second],
            np.log(self.priors_[first] / self.priors_[second]),
            self.classes_[first], self.classes_[second],
        )  # fmt: skip

    def _log_densities(self, X: Floats) -> Floats:
        classes = range(len(self.classes_))
        return np.column_stack([self._log_marginals(X, k).sum(axis=1) for k in classes])

    def _log_marginals(self, X: Floats, k: int) -> Floats:
        """Return log p(x_j | C_k), a column per column of X."""
        pairs = zip(self.marginals_[k], X.T, strict=True)
        return np.column_stack([marginal.log_pdf(x) for marginal, x in pairs])

    def _draw(self, k: int, n: int, drawing: np.random.RandomState) -> Floats:
        return np.column_stack([marginal.sample(n, drawing) for marginal in self.marginals_[k]])

    def _fit_column(self, name: str, kind: str, x: Floats, index: Indices) -> list[Marginal]:
        """Return the marginals of one column, one per class."""
        column = Column.of(name, x)
        edges = histogram(x, self.bins).edges if kind == "histogram" else None
        background = 0.0 if kind == "gaussian" else self.background
        made = []
        for k, label in enumerate(self.classes_.tolist()):
            points = column.points(x[index == k], label)
            own: Density
            if kind == "parzen":
                own = column.windows(points, self.bandwidth, self.window)
            elif kind == "histogram":
                own = histogram(points, edges)
            else:
                own = column.law(points)
            made.append(Marginal(points, own, background, column.mean, column.deviation))
        return made

    def _kinds(self) -> list[str]:
        """Return how the density of each column is estimated."""
        p = self.n_features_in_
        given = self.marginals
        several = isinstance(given, list | tuple | np.ndarray)
        kinds = list(given) if several else [given] * p
        if len(kinds) != p or not all(kind in KINDS for kind in kinds):
            raise InvalidInputError(
                f"marginals is {given!r}: pass one of {', '.join(map(repr, KINDS))}, or a list of {p} of "
                "these, one for each column"
            )
        return kinds

    def _check_background(self, kinds: list[str]) -> None:
        """Raise if the share of the wide law is none, or leaves densities of 0."""
        is_number = isinstance(self.background, int | float | np.number)
        if isinstance(self.background, bool) or not is_number or not 0.0 <= self.background < 1.0:
            raise InvalidInputError(
                f"background is {self.background!r}: pass a share below 1, such as 0.01"
            )
        bounded = "histogram" in kinds or ("parzen" in kinds and self.window != "gaussian")
        if self.background == 0.0 and bounded:
            raise InvalidInputError(
                "background is 0, and histograms and bounded windows are 0 beyond the rows of a class: pass a "
                "positive share, such as 0.01, or gaussian windows"
            )

    def _pair(self, between: Any) -> list[int]:
        """Return the positions of two classes."""
        labels = self.classes_.tolist()
        pair = list(between) if isinstance(between, tuple | list | np.ndarray) else []
        if len(pair) != 2 or not all(label in labels for label in pair) or pair[0] == pair[1]:
            raise InvalidInputError(
                f"between is {between!r}: pass two of the classes {', '.join(map(repr, labels))}"
            )
        return [labels.index(label) for label in pair]
