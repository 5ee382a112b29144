"""What do the estimators share? Data in, one machine or a scheme of machines, decisions out."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils.class_weight import compute_sample_weight
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from chemin.dictionaries.base import Floats
from chemin.estimators.machine import BinaryMachine, Plan
from chemin.exceptions import InvalidInputError
from chemin.multiclass import Multiclass, OneVsOne, OneVsRest


class PathClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Fitting and deciding; an estimator adds its parameters, its plan and its folds."""

    class_weight: Any
    multiclass: Any
    probability: bool
    n_jobs: int | None

    def _plan(self) -> Plan:
        raise NotImplementedError

    def _splits(self, X: Any, y: NDArray[Any], kept: NDArray[np.intp]) -> NDArray[np.int8] | None:
        raise NotImplementedError

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Follow the path, or one path per machine when there are more than two classes.

        Parameters
        ----------
        X : array, SciPy sparse array or DataFrame of shape (n, p)
            The variables.
        y : array of shape (n,)
            The labels, two or more.
        sample_weight : array of shape (n,), optional
            Weights of the points; a weight of 2 is the point twice, exactly.

        Returns
        -------
        self
        """
        X, y = validate_data(self, X, y, accept_sparse="csr", dtype=np.float64, ensure_min_samples=2)
        check_classification_targets(y)
        weight = self._weights(X, y, sample_weight)
        kept = np.flatnonzero(weight > 0)
        self.classes_ = np.unique(y[kept])
        if len(self.classes_) < 2:
            raise InvalidInputError(f"y has one class only, {self.classes_!r}: pass labels of two classes or more")
        machine, splits = BinaryMachine(self._plan()), self._splits(X, y, kept)
        X, index, weight = X[kept], np.searchsorted(self.classes_, y[kept]), weight[kept]
        if len(self.classes_) == 2:
            self.scheme_, self.estimators_ = None, [machine.fit(X, index, weight, splits)]
        else:
            params = {"sample_weight": weight, "splits": splits}
            self.scheme_ = self._scheme(machine).fit_machines(X, index, params, classes=self.classes_)
            self.estimators_ = self.scheme_.estimators_
        self._read_off()
        return self

    def decision_function(self, X: Any) -> Floats:
        """Return one decision per point, positive for ``classes_[1]``, or one score per class when there are more."""
        X = self._checked(X)
        return self.estimators_[0].decision_function(X) if self.scheme_ is None else self.scheme_.scores(X)

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the predicted labels."""
        scores = self.decision_function(X)
        return self.classes_[(scores > 0).astype(int) if scores.ndim == 1 else scores.argmax(axis=1)]

    @available_if(lambda self: self.probability)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Floats:
        """Return one probability per class: Platt's sigmoid, coupled by the scheme when there are more than two."""
        X = self._checked(X)
        return self.estimators_[0].predict_proba(X) if self.scheme_ is None else self.scheme_.probabilities(X)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _checked(self, X: Any) -> Any:
        check_is_fitted(self)
        return validate_data(self, X, reset=False, accept_sparse="csr", dtype=np.float64)

    def _weights(self, X: Any, y: NDArray[Any], sample_weight: Any) -> Floats:
        weight = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        if self.class_weight is not None:
            weight = weight * compute_sample_weight(self.class_weight, y)
        if not np.any(weight > 0):
            raise InvalidInputError("every weight is zero: give some points a positive sample_weight")
        return np.asarray(weight)

    def _scheme(self, machine: BinaryMachine) -> Multiclass:
        named = {"ovo": OneVsOne, "ovr": OneVsRest}
        if isinstance(self.multiclass, str) and self.multiclass in named:
            return named[self.multiclass](machine, n_jobs=self.n_jobs)
        if isinstance(self.multiclass, Multiclass):
            return clone(self.multiclass).set_params(estimator=machine, n_jobs=self.n_jobs)
        raise InvalidInputError(f"multiclass={self.multiclass!r}: pass 'ovo', 'ovr', or an ECOC or ClassTree object")

    def _read_off(self) -> None:
        """Set the attributes that people look for, one row or entry per machine."""
        machines = self.estimators_
        self.coef_ = np.vstack([machine.coef_ for machine in machines])
        self.intercept_ = np.array([machine.intercept_ for machine in machines])
        self.support_ = np.flatnonzero(np.any(self.coef_ != 0.0, axis=0))
        self.n_iter_ = np.array([len(machine.path_.events) for machine in machines])
        first = machines[0] if self.scheme_ is None else None
        self.l1_ = first.l1_ if first else np.array([machine.l1_ for machine in machines])
        self.l2_ = first.l2_ if first else np.array([machine.l2_ for machine in machines])
        self.path_ = first.path_ if first else [machine.path_ for machine in machines]
