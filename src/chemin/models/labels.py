"""How does a library that takes classes 0, 1, … only take those of the user?"""

from __future__ import annotations

from typing import Any, Self

from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.preprocessing import LabelEncoder
from sklearn.utils.validation import check_is_fitted


class NumberedClasses(MetaEstimatorMixin, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier that is told the numbers of the classes, and answers in the user's labels.

    Parameters
    ----------
    estimator : classifier
        What is fitted to the numbers.

    Attributes
    ----------
    classes_ : ndarray
        The labels, in the order of their numbers.
    estimator_ : classifier
        What was fitted.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> model = NumberedClasses(DecisionTreeClassifier()).fit([[0.0], [1.0]], ["no", "yes"])
    >>> model.predict([[0.9]]).tolist(), model.estimator_.classes_.tolist()
    (['yes'], [0, 1])
    """

    def __init__(self, estimator: Any) -> None:
        self.estimator = estimator

    def fit(self, X: Any, y: Any, **told: Any) -> Self:
        """Number the classes and fit; ``told`` is passed on, such as ``sample_weight``."""
        encoder = LabelEncoder()
        numbers = encoder.fit_transform(y)
        self.classes_ = encoder.classes_
        self.estimator_ = clone(self.estimator).fit(X, numbers, **told)
        return self

    def predict(self, X: Any) -> Any:
        """Return labels."""
        check_is_fitted(self)
        return self.classes_[self.estimator_.predict(X)]

    def predict_proba(self, X: Any) -> Any:
        """Return one probability per class, in the order of ``classes_``."""
        check_is_fitted(self)
        return self.estimator_.predict_proba(X)
