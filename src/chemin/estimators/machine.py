"""How is one binary machine made from a path? l1 given or chosen, coefficients in the user's units, probabilities."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.preprocessing import StandardScaler

from chemin.dictionaries.base import Floats
from chemin.estimators.choice import Choice, Measure, choose, curve_of
from chemin.estimators.platt import Sigmoid, fit_sigmoid
from chemin.exceptions import InvalidInputError
from chemin.path.result import Path
from chemin.path.svm import svm_path

TRAIN, TEST, UNUSED = 0, 1, -1


@dataclass(frozen=True)
class Plan:
    """What to do with the data: one l1, or (None) the choice of one over all of the path, for each l2 of a list."""

    l1: float | None
    l2: tuple[float, ...]
    rule: str
    measure: Measure | None
    standardize: bool
    l1_weight: Any
    max_events: int | None
    probability: bool
    progress: bool


@dataclass(frozen=True, eq=False)
class Fold:
    """A path followed on the training part of one split, and what it left out."""

    path: Path
    rows: NDArray[np.intp]


class BinaryMachine(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A fitted path, read at one l1. Labels are 0 and 1; column scales are undone in ``coef_``."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan

    def fit(self, X: Any, y: NDArray[Any], sample_weight: Floats | None = None, splits: Any = None) -> Self:
        """Follow the path; ``splits`` has a column per split, saying of each row TRAIN, TEST or UNUSED."""
        plan, positive = self.plan, np.asarray(y) == 1
        weight = np.ones(len(positive)) if sample_weight is None else sample_weight
        self.classes_ = np.array([0, 1])
        self.scale_ = _scales(X, weight) if plan.standardize else np.ones(X.shape[1])
        scaled = _divide(X, self.scale_)
        self.choices_: list[Choice] = []
        l1, self.l2_ = plan.l1, plan.l2[0]
        folds: dict[float, list[Fold]] = {}
        if plan.l1 is None or plan.probability:
            folds = {l2: self._folds(scaled, positive, weight, splits, l2) for l2 in plan.l2}
        if l1 is None:
            l1 = self._choose(folds, scaled, positive, weight)
        self.path_ = self._path(scaled, positive, weight, self.l2_, l1)
        self.l1_ = max(l1, float(self.path_.l1[-1]))
        self.coef_ = self.path_.coef_at(self.l1_) / self.scale_
        self.intercept_ = self.path_.intercept_at(self.l1_)
        if plan.probability:
            self.sigmoid_ = self._sigmoid(folds[self.l2_], scaled, positive, weight)
        return self

    def decision_function(self, X: Any) -> Floats:
        """Return b0 + X b."""
        return np.asarray(X @ self.coef_).ravel() + self.intercept_

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "coef_")

    def __getattr__(self, name: str) -> Any:
        if name == "predict_proba" and self.__dict__.get("plan") is not None and self.plan.probability:
            return self._probabilities
        raise AttributeError(f"{type(self).__name__} has no attribute {name!r}")

    def _probabilities(self, X: Any) -> Floats:
        yes = self.sigmoid_.probability(self.decision_function(X))
        return np.column_stack([1.0 - yes, yes])

    def _path(self, X: Any, positive: NDArray[np.bool_], weight: Floats, l2: float, min_l1: float) -> Path:
        options = {"l1_weight": self.plan.l1_weight, "max_events": self.plan.max_events, "progress": self.plan.progress}
        return svm_path(X, positive, l2=l2, min_l1=min_l1, sample_weight=weight, **options)

    def _folds(self, X: Any, positive: NDArray[np.bool_], weight: Floats, splits: Any, l2: float) -> list[Fold]:
        """Follow one path per split, down to the given l1, or to 0 when l1 is to be chosen."""
        folds = []
        for column in np.asarray(splits).T:
            train, test = np.flatnonzero((column == TRAIN) & (weight > 0)), np.flatnonzero(column == TEST)
            if len(np.unique(positive[train])) < 2:
                raise InvalidInputError(
                    "a training part of the cross-validation has one class only: use fewer folds, or stratified ones"
                )
            folds.append(Fold(self._path(X[train], positive[train], weight[train], l2, self.plan.l1 or 0.0), test))
        return folds

    def _choose(self, folds: dict[float, list[Fold]], X: Any, positive: NDArray[np.bool_], weight: Floats) -> float:
        """Choose l2 and l1 together: the smallest error, then the larger l1."""
        for parts in folds.values():
            curves = [curve_of(f.path, X[f.rows], positive[f.rows], weight[f.rows], self.plan.measure) for f in parts]
            highest = max(float(f.path.l1[0]) for f in parts)
            self.choices_.append(choose(curves, self.plan.rule, highest))
        best = min(range(len(self.choices_)), key=lambda k: (round(self.choices_[k].error, 12), -self.choices_[k].l1))
        self.choice_, self.l2_ = self.choices_[best], self.plan.l2[best]
        return self.choice_.l1

    def _sigmoid(self, folds: list[Fold], X: Any, positive: NDArray[np.bool_], weight: Floats) -> Sigmoid:
        """Fit Platt's sigmoid on what the folds decide about the points they left out."""
        rows = np.concatenate([fold.rows for fold in folds])
        l1 = [max(self.l1_, float(fold.path.l1[-1])) for fold in folds]
        decisions = [fold.path.decision_at(X[fold.rows], level) for fold, level in zip(folds, l1, strict=True)]
        return fit_sigmoid(np.concatenate(decisions), positive[rows], weight[rows])


def _scales(X: Any, weight: Floats) -> Floats:
    """Return the weighted standard deviations of the columns, 1 where a column is constant."""
    return np.asarray(StandardScaler(with_mean=False).fit(X, sample_weight=weight).scale_)


def _divide(X: Any, scale: Floats) -> Any:
    if np.all(scale == 1.0):
        return X
    return sparse.csr_array(X @ sparse.diags_array(1.0 / scale)) if sparse.issparse(X) else X / scale
