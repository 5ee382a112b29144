"""What do all classifiers of two classes share? Labels in, signs ±1 inside, labels out.

More than two classes are the business of `chemin.multiclass`, whose schemes take any of these as their machine.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import (
    _check_sample_weight,
    check_is_fitted,
    validate_data,
)

from chemin.dictionaries.base import Floats
from chemin.exceptions import InvalidInputError

__all__ = ["TwoClasses"]


class TwoClasses(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """The part of a classifier of two classes that does not depend on how it learns.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        The classes, sorted; the second one is that of positive scores.
    n_features_in_, feature_names_in_ : int, ndarray
        Columns of X, and their names if it was a DataFrame.
    """

    classes_: NDArray[Any]

    @abstractmethod
    def decision_function(self, X: Any) -> Floats:
        """Return one score per row, positive for the second class."""

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class of each row.

        Parameters
        ----------
        X : array or DataFrame of shape (n, p)
            The rows.

        Returns
        -------
        ndarray of shape (n,)
        """
        positive = self.decision_function(X) > 0.0
        return np.asarray(self.classes_[positive.astype(int)])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags

    def _read_training(self, X: Any, y: Any, **options: Any) -> tuple[Any, Floats]:
        """Return checked rows and the signs of their classes, and remember the classes and columns.

        ``options`` go to scikit-learn's ``validate_data``, such as ``accept_sparse``.
        """
        X, y = validate_data(self, X, y, **{"dtype": float, **options})
        check_classification_targets(y)
        self.classes_ = np.unique(y)
        name = type(self).__name__
        if len(self.classes_) > 2:
            raise InvalidInputError(
                f"Only binary classification is supported. The type of the target is {type_of_target(y)}: "
                f"pass chemin.multiclass.OneVsRest({' '.join(repr(self).split())}) for {len(self.classes_)} classes"
            )
        if len(self.classes_) < 2:
            raise InvalidInputError(
                f"y has one class, {self.classes_[0]!r}: {name} needs rows of two classes"
            )
        return X, np.where(y == self.classes_[1], 1.0, -1.0)

    def _read_weights(self, sample_weight: Any, X: Any) -> Floats:
        """Return the weights of the rows, 1 where none are given."""
        return np.asarray(_check_sample_weight(sample_weight, X, ensure_non_negative=True))

    def _read_new(self, X: Any, **options: Any) -> Any:
        """Return checked rows to be decided about."""
        check_is_fitted(self)
        return validate_data(self, X, reset=False, **{"dtype": float, **options})
