"""What do the estimators share? Data in, one machine or a scheme of machines, decisions out."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.utils.class_weight import compute_sample_weight
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted

from chemin import interpret
from chemin.dictionaries.base import Floats
from chemin.engine.approximate.walk import check_tol
from chemin.estimators.basis import Basis
from chemin.estimators.choice import Measure
from chemin.estimators.machine import BinaryMachine
from chemin.estimators.plan import Plan, check_auto
from chemin.estimators.readable import Readable
from chemin.exceptions import EmptyModelWarning, InvalidInputError
from chemin.multiclass import Multiclass, OneVsOne, OneVsRest
from chemin.problems.losses import as_loss

_LITTLE_WEIGHT = 2.0  # of all points together
_SCHEMES = {"ovo": OneVsOne, "ovr": OneVsRest}


class PathClassifier(Readable, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Fitting and deciding; an estimator adds its parameters, its plan and its folds."""

    class_weight: Any
    positive: Any
    multiclass: Any
    probability: bool
    n_jobs: int | None
    verbose: bool
    refit = True

    tol: Any
    max_events: int | None
    device: str

    @abstractmethod
    def _basis(self, names: NDArray[Any] | None) -> Basis:
        """Return the basis of the decisions, for variables of these names."""

    @abstractmethod
    def _penalties(self) -> dict[str, Any]:
        """Return the part of the plan that says where l1 and l2 come from."""

    @abstractmethod
    def _splits(self, X: Any, y: NDArray[Any], kept: NDArray[np.intp]) -> NDArray[np.int8] | None:
        """Return what each split does with each kept point, or None where no split is needed."""

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
        self._note_table(X)
        X, y = self._read_training(X, y)
        try:
            check_classification_targets(y)
        except ValueError as error:
            raise InvalidInputError(f"{error} Use SparseRegressor to predict numbers.") from error
        self._labels = y
        weight = self._weights(X, y, sample_weight)
        kept = np.flatnonzero(weight > 0)
        self.classes_ = np.unique(y[kept])
        if len(self.classes_) < 2:
            left = "" if len(np.unique(y)) < 2 else " with a positive weight"
            raise InvalidInputError(
                f"y has one class only{left}, {self.classes_.tolist()}: pass points of two classes or more"
            )
        interpret.check_positive(self.positive, self.classes_)
        self._check_scheme()
        plan, splits = self._plan(), self._splits(X, y, kept)
        X, index = X[kept], np.searchsorted(self.classes_, y[kept])
        given: dict[str, Any] = {
            "sample_weight": weight[kept],
            "splits": splits,
            "rows": kept,
            "measure": self._measure(),
        }
        if len(self.classes_) == 2:
            self.scheme_, self.estimators_ = None, [BinaryMachine(plan).fit(X, index, **given)]
        else:  # the machines are the pieces of work then
            scheme = self._scheme(BinaryMachine(replace(plan, n_jobs=None, verbose=False)))
            self.scheme_ = scheme.fit_machines(X, index, given, classes=self.classes_)
            self.estimators_ = self.scheme_.estimators_
        self._read_off()
        if self.refit:
            self._warn_if_empty(weight)
        return self

    def decision_function(self, X: Any) -> Floats:
        """Return one decision per point, positive for ``classes_[1]``, or one score per class when there are more."""
        X = self._checked(X)
        return (
            self.estimators_[0].decision_function(X)
            if self.scheme_ is None
            else self.scheme_.scores(X)
        )

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the predicted labels."""
        X = self._checked(X)
        if self.scheme_ is None:
            return self.classes_[(self.estimators_[0].decision_function(X) > 0).astype(int)]
        return self.classes_[self.scheme_.winners(X)]

    @available_if(lambda self: self._has_probabilities())  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Floats:
        """Return one probability per class: Platt's sigmoid, coupled by the scheme when there are more than two."""
        X = self._checked(X)
        return (
            self.estimators_[0].predict_proba(X)
            if self.scheme_ is None
            else self.scheme_.probabilities(X)
        )

    def summary(self, X: Any = None, y: Any = None, *, folds: int = 5) -> interpret.Summary:
        """Return what the model is, how it was chosen and what proves it.

        Parameters
        ----------
        X, y : optional
            The training data again: the whole fit, choice included, is then repeated on each of some folds, and its
            error on the points left out is told beside that of the chosen candidate, which is a little optimistic.
        folds : int, default 5
            How many; stratified.

        Returns
        -------
        Summary
            See `chemin.interpret.summary`.
        """
        if X is None or y is None:
            return interpret.summary(self)
        cv = StratifiedKFold(folds, shuffle=True, random_state=0)
        wrong = 1.0 - cross_val_score(clone(self), X, y, cv=cv, scoring="accuracy")
        return interpret.summary(self, (wrong.mean(), wrong.std(ddof=1) / np.sqrt(folds)))

    def _check_ready(self) -> None:
        """Raise if there is no model of all points."""
        check_is_fitted(self)
        if not hasattr(self, "intercept_"):
            raise NotFittedError(
                "refit is False, so no model of all points was fitted: fit with refit=True, or take l1_ and l2_ from "
                "here into an estimator without CV in its name"
            )

    def _has_probabilities(self) -> bool:
        return (
            hasattr(self.estimators_[0], "sigmoid_")
            if hasattr(self, "estimators_")
            else bool(self.probability)
        )

    def _measure(self) -> Measure | None:
        """Return the score by which l1 is chosen; None is the error rate."""
        return None

    def _weights(self, X: Any, y: NDArray[Any], sample_weight: Any) -> Floats:
        weight = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        if self.class_weight is not None:
            weight = weight * compute_sample_weight(self.class_weight, y)
        if not np.any(weight > 0):
            raise InvalidInputError(
                "every weight is zero: give some points a positive sample_weight"
            )
        return np.asarray(weight)

    def _plan(self) -> Plan:
        basis = self._basis(getattr(self, "feature_names_in_", None))
        names = ("probability", "max_events", "device", "n_jobs", "verbose")
        given: dict[str, Any] = {name: getattr(self, name) for name in names}
        tol = check_auto(self.tol, "tol", check_tol)
        given["penalty"] = getattr(self, "penalty", "l1")
        return Plan(basis, **self._penalties(), **given, tol=tol, loss=self._checked_loss())

    def _checked_loss(self) -> Any:
        """Return the loss, once it is one for classes; the hinge by its name."""
        loss = as_loss(getattr(self, "loss", "hinge"))
        if not loss.takes_labels:
            raise InvalidInputError(
                f"loss={loss.name!r} is for numbers: pass 'hinge', 'squared_hinge' or 'huberized', or use "
                "SparseRegressor"
            )
        return loss.name if loss.name == "hinge" else loss

    def _scheme(self, machine: BinaryMachine) -> Multiclass:
        named = isinstance(self.multiclass, str)
        scheme = _SCHEMES[self.multiclass]() if named else clone(self.multiclass)
        return scheme.set_params(estimator=machine, n_jobs=self.n_jobs, verbose=self.verbose)

    def _warn_if_empty(self, weight: Floats) -> None:
        """Say of a model that decides alike about every point why it does, and what to do."""
        empty = [machine for machine in self.estimators_ if not machine.coef_.any()]
        if not empty:
            return
        machine = empty[0]
        if machine.choices_:
            why = (
                "no candidate was better than it on the folds by more than the rule allows: if one class is rare, pass "
                "class_weight='balanced' and scoring='balanced_accuracy'; otherwise the variables may not tell the "
                "classes apart"
            )
        else:
            why = f"l1 = {machine.l1_:.4g} is not below {machine.path_.l1[0]:.4g}, where the first enters: pass less"
        if weight.sum() < _LITTLE_WEIGHT:
            why += f"; the weights sum to {weight.sum():.3g}, and l1 counts beside that sum: multiply them"
        what = "the model" if self.scheme_ is None else f"{len(empty)} of the machines"
        warnings.warn(f"{what} has no variable or couple: {why}", EmptyModelWarning, stacklevel=3)

    def _check_scheme(self) -> None:
        known = isinstance(self.multiclass, Multiclass) or self.multiclass in list(_SCHEMES)
        if not known:
            raise InvalidInputError(
                f"multiclass={self.multiclass!r}: pass 'ovo', 'ovr', or an ECOC or ClassTree object"
            )

    def _read_off(self) -> None:
        """Set the attributes that people look for, one row or entry per machine."""
        machines, alone = self.estimators_, self.scheme_ is None
        names = ("l1_", "l2_", "path_") if self.refit else ("l1_", "l2_")
        for name in names:
            values = [getattr(machine, name) for machine in machines]
            setattr(
                self, name, values[0] if alone else values if name == "path_" else np.array(values)
            )
        self.__dict__.pop("intercept_", None)  # of an earlier fit
        if self.refit:
            self.intercept_ = np.array([machine.intercept_ for machine in machines])
            self.n_iter_ = np.array([len(machine.path_.events) for machine in machines])
            shares = [machine.relax_ for machine in machines]
            self.relax_ = shares[0] if alone else np.array(shares)
