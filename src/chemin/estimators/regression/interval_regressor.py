"""Between which two numbers will it be? Two conditional quantiles around a third."""

from __future__ import annotations

import numbers
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin, clone
from sklearn.utils.validation import check_is_fitted

from chemin.dictionaries.base import Floats
from chemin.estimators.regression.sparse_regressor import SparseRegressorCV
from chemin.exceptions import InvalidInputError
from chemin.problems import Quantile


class IntervalRegressor(RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """Prediction intervals: the same regressor fitted to a low and a high quantile, and to the median.

    Each of the three chooses its own variables, so that what makes a target uncertain can be read beside what moves it.

    Parameters
    ----------
    estimator : regressor with a parameter ``loss``, optional
        What is fitted; the default is ``SparseRegressorCV(standardize=True)``. Its loss is replaced.
    coverage : float, default 0.9
        The share of targets to be inside: the quantiles are (1 − coverage)/2 and (1 + coverage)/2.

    Attributes
    ----------
    low_, middle_, high_ : regressor
        What was fitted to the quantiles.
    crossed_ : float
        The share of training points at which the low quantile was above the high one; they are put in order.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = IntervalRegressor(coverage=0.8).fit(X, y)
    >>> low, high = model.predict_interval(X).T
    >>> bool(0.75 < ((low <= y) & (y <= high)).mean() < 0.85)
    True
    """

    def __init__(self, estimator: Any = None, coverage: float = 0.9) -> None:
        self.estimator = estimator
        self.coverage = coverage

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the three quantiles.

        Parameters
        ----------
        X : array, SciPy sparse array or DataFrame of shape (n, p)
            The variables.
        y : array of shape (n,)
            The numbers to predict.
        sample_weight : array of shape (n,), optional
            Weights of the points.

        Returns
        -------
        self
        """
        number = isinstance(self.coverage, numbers.Real) and not isinstance(self.coverage, bool)
        if not number or not 0.0 < self.coverage < 1.0:
            raise InvalidInputError(
                f"coverage is {self.coverage!r}: pass the share of targets to be inside, such as 0.9"
            )
        base = SparseRegressorCV(standardize=True) if self.estimator is None else self.estimator
        if "loss" not in base.get_params():
            raise InvalidInputError(
                f"estimator is {base!r}, which has no loss: pass a SparseRegressorCV or a KernelBasisRegressorCV"
            )
        beyond = 0.5 * (1.0 - self.coverage)
        levels = (beyond, 0.5, 1.0 - beyond)
        self.low_, self.middle_, self.high_ = (
            clone(base).set_params(loss=Quantile(level)).fit(X, y, sample_weight)
            for level in levels
        )
        self.n_features_in_ = self.middle_.n_features_in_
        if hasattr(self.middle_, "feature_names_in_"):
            self.feature_names_in_ = self.middle_.feature_names_in_
        self.crossed_ = float(np.mean(self.low_.predict(X) > self.high_.predict(X)))
        return self

    def predict(self, X: Any) -> Floats:
        """Return the conditional median of every point, inside its interval."""
        check_is_fitted(self)
        low, high = self.predict_interval(X).T
        return np.clip(self.middle_.predict(X), low, high)

    def predict_interval(self, X: Any) -> Floats:
        """Return the two ends of every interval, of shape (n, 2)."""
        check_is_fitted(self)
        ends = np.column_stack([self.low_.predict(X), self.high_.predict(X)])
        return np.sort(ends, axis=1)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
