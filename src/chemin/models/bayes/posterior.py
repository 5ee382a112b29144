"""Which class is the likeliest, once each has a density? Bayes' rule, and draws from the model.

p(C_k | x) = π_k p(x | C_k) / Σ_l π_l p(x | C_l), and the largest decides. Where every density is 0 the rule is 0/0, and
the priors π decide; where some are infinite, the priors decide among these.

Reference: F. Sur, *Introduction à l'apprentissage automatique*, Mines Nancy, 2022-2023, sections 4.1.2, 6.1 and 6.5.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from chemin.dictionaries.base import Floats, Indices
from chemin.evaluate.inputs import check_whole
from chemin.exceptions import InvalidInputError
from chemin.exploration.points import check_finite

__all__ = ["Posterior"]

_ROUNDING = 1e-8  # by which given priors may miss 1 in sum


class Posterior(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """The part of a classifier by densities that does not depend on how they are estimated.

    Attributes
    ----------
    classes_ : ndarray of shape (K,)
        The classes, sorted.
    class_count_ : ndarray of shape (K,)
        Rows of each class.
    priors_ : ndarray of shape (K,)
        Their probabilities before a row is looked at.
    n_features_in_, feature_names_in_ : int, ndarray
        Columns of X, and their names if it was a DataFrame.
    """

    priors: Any
    classes_: NDArray[Any]
    class_count_: Indices
    priors_: Floats

    @abstractmethod
    def _log_densities(self, X: Floats) -> Floats:
        """Return log p(x | C_k), a column per class."""

    @abstractmethod
    def _draw(self, k: int, n: int, drawing: np.random.RandomState) -> Floats:
        """Return n points drawn from class k."""

    def predict_joint_log_proba(self, X: Any) -> Floats:
        """Return log π_k p(x | C_k) for each row and class.

        Parameters
        ----------
        X : array or DataFrame of shape (n, p)
            The rows.

        Returns
        -------
        ndarray of shape (n, K)
        """
        return self._log_densities(self._read_new(X)) + np.log(self.priors_)

    def predict_log_proba(self, X: Any) -> Floats:
        """Return log p(C_k | x) for each row and class; see `predict_joint_log_proba`."""
        joint = self.predict_joint_log_proba(X)
        largest = joint.max(axis=1, keepdims=True)
        undecided = np.isinf(largest) & (joint == largest)
        known = np.where(undecided, np.log(self.priors_), joint)
        known = np.where(np.isinf(largest) & ~undecided, -np.inf, known)
        known -= known.max(axis=1, keepdims=True)  # so that the sum is 1 even where all are tiny
        return known - logsumexp(known, axis=1, keepdims=True)

    def predict_proba(self, X: Any) -> Floats:
        """Return p(C_k | x) for each row and class; see `predict_joint_log_proba`."""
        return np.exp(self.predict_log_proba(X))

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the likeliest class of each row.

        Parameters
        ----------
        X : array or DataFrame of shape (n, p)
            The rows.

        Returns
        -------
        ndarray of shape (n,)
        """
        winners = self.predict_log_proba(X).argmax(axis=1)
        return np.asarray(self.classes_[winners])

    def sample(self, n: int = 1, random_state: Any = None) -> tuple[Floats, NDArray[Any]]:
        """Draw new rows: for each one a class by the priors, then a point of its density.

        Parameters
        ----------
        n : int, default 1
            How many.
        random_state : int, RandomState or None
            What the draws start from.

        Returns
        -------
        X : ndarray of shape (n, p)
            The rows.
        y : ndarray of shape (n,)
            Their classes.
        """
        check_is_fitted(self)
        n = check_whole("n", n, 1)
        drawing = check_random_state(random_state)
        index = drawing.choice(len(self.classes_), size=n, p=self.priors_)
        X = np.empty((n, self.n_features_in_))
        for k in np.unique(index).tolist():
            mine = index == k
            X[mine] = self._draw(k, int(mine.sum()), drawing)
        return X, self.classes_[index]

    def _read_training(self, X: Any, y: Any) -> tuple[Floats, Indices]:
        """Return checked rows and the numbers of their classes, and remember classes, priors and columns."""
        X, y = validate_data(self, X, y, dtype=float)
        check_classification_targets(y)
        self.classes_, index = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise InvalidInputError(
                f"y has one class, {self.classes_.tolist()[0]!r}: {type(self).__name__} needs rows of two classes or "
                "more"
            )
        self._check_columns(X)
        self.class_count_ = np.bincount(index)
        self.priors_ = self._read_priors()
        return X, index

    def _read_new(self, X: Any) -> Floats:
        """Return checked rows to be decided about."""
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, dtype=float)
        self._check_columns(X)
        return X

    def _read_priors(self) -> Floats:
        k = len(self.classes_)
        if self.priors is None:
            return self.class_count_ / self.class_count_.sum()
        if isinstance(self.priors, str):
            if self.priors != "uniform":
                raise InvalidInputError(
                    f"priors is {self.priors!r}: pass None for the frequencies, 'uniform', or {k} probabilities"
                )
            return np.full(k, 1.0 / k)
        try:
            priors = np.asarray(self.priors, dtype=float)
        except (TypeError, ValueError):
            priors = np.empty(0)
        if priors.shape != (k,) or not (priors > 0.0).all() or abs(priors.sum() - 1.0) > _ROUNDING:
            raise InvalidInputError(
                f"priors is {self.priors!r}: pass {k} positive numbers of sum 1, in the order of the sorted classes "
                f"{', '.join(map(repr, self.classes_.tolist()[:5]))}{', …' * (k > 5)}"
            )
        return priors / priors.sum()

    def _check_columns(self, X: Floats) -> None:
        for name, column in zip(self._names(), X.T, strict=True):
            check_finite(name, column)

    def _names(self) -> tuple[str, ...]:
        """Return what the columns are called."""
        given = getattr(self, "feature_names_in_", None)
        if given is None:
            return tuple(f"x{j}" for j in range(self.n_features_in_))
        return tuple(given.tolist())
