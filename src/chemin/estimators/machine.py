"""How is one binary machine made from a path? l1 given or chosen, then probabilities, all on columns of a basis."""

from __future__ import annotations

import time
import warnings
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning

from chemin.dictionaries.base import Floats
from chemin.engine.relaxed import relaxed_path
from chemin.estimators.choice import Choice, Measure
from chemin.estimators.plan import Plan
from chemin.estimators.plane import lowest_l1, region_of
from chemin.estimators.platt import Sigmoid, fit_sigmoid
from chemin.estimators.search import Data, Search, choose_l2, follow
from chemin.progress import Bar


class BinaryMachine(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A fitted path, read at one l1. Labels are 0 and 1; ``coef_`` belongs to ``columns_``."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan

    def fit(
        self,
        X: Any,
        y: NDArray[Any],
        sample_weight: Floats | None = None,
        splits: Any = None,
        rows: NDArray[np.intp] | None = None,
        measure: Measure | None = None,
    ) -> Self:
        """Follow the path; ``splits`` says of a row in a split TRAIN, TEST or UNUSED, ``rows`` whence the row came."""
        plan, positive = self.plan, np.asarray(y) == 1
        weight = np.ones(len(positive)) if sample_weight is None else sample_weight
        data = Data(X, positive, weight)
        self.classes_ = np.array([0, 1])
        self.rows_ = np.arange(len(positive)) if rows is None else rows
        self.choices_: list[Choice] = []
        self.l1_ = 0.0 if plan.l1 is None else plan.l1
        self.l2_, self.relax_ = plan.l2[0], plan.relax[0]
        began = time.monotonic()
        search = Search(plan, data, splits, measure, began)
        if plan.plane:
            self.region_ = region_of(search)
            if self.region_ is not None:
                lowest = lowest_l1(plan, search.first_l1)
                there = replace(plan, l2=(self.region_.l2,), min_l1=lowest, min_ratio=None)
                search = Search(there, data, splits, measure, began)
        self.tried_l2_ = search.plan.l2
        if plan.l1 is None:
            self._choose(search)
        elif plan.probability:
            search.follow_to(plan.l1)
        if plan.refit:
            self._read_off(data)
        if plan.probability:
            self.sigmoid_ = self._sigmoid(search)
        return self

    def decision_function(self, X: Any) -> Floats:
        """Return b0 + Σ b_j ψ_j(x) for the columns ψ of the basis."""
        return self.columns_.scores(X, self.coef_) + self.intercept_

    @property
    def variable_coef_(self) -> Floats:
        """The coefficients of the variables, in the user's units."""
        return self.columns_.in_units(self.coef_)[: self.columns_.n_variables]

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "coef_")

    def __getattr__(self, name: str) -> Any:
        if (
            name == "predict_proba"
            and self.__dict__.get("plan") is not None
            and self.plan.probability
        ):
            return self._probabilities
        raise AttributeError(f"{type(self).__name__} has no attribute {name!r}")

    def _probabilities(self, X: Any) -> Floats:
        yes = self.sigmoid_.probability(self.decision_function(X))
        return np.column_stack([1.0 - yes, yes])

    def _choose(self, search: Search) -> None:
        """Choose l2, l1 and how far to relax together, by what the folds decide."""
        self.choices_ = search.choices()
        best = choose_l2(self.choices_, self.plan.rule)
        self.choice_ = self.choices_[best]
        self.l2_ = self.tried_l2_[best]
        self.l1_ = self.choice_.l1
        self.relax_ = self.choice_.relax

    def _read_off(self, data: Data) -> None:
        """Follow the path of all points down to l1 and keep the solution there."""
        plan = self.plan
        asked = self.l1_
        self.columns_: Any = plan.basis.learn(*data)
        bar = Bar("path", 1, plan.verbose)
        (self.path_,) = bar.over(
            follow(plan, self.columns_, data, l2, asked, report=bar.report) for l2 in [self.l2_]
        )
        self.l1_ = max(asked, float(self.path_.l1[-1]))
        if self.choices_ and self.choice_.empty:  # no variable was best: so be it on all points
            self.l1_ = max(asked, float(self.path_.l1[0]))
        elif self.l1_ > asked:
            _warn_of_an_early_end(self.path_.status, self.l1_, asked)
        self._relax(plan.tol_for(len(data.weight)))

    def _relax(self, tol: float) -> None:
        """Take the solution at l1, or the relaxed one on its columns."""
        self.model_path_, model_l1 = self.path_, self.l1_
        self.coef_ = self.path_.coef_at(self.l1_)
        if self.relax_ < 1.0 and self.coef_.any():
            model_l1 = self.relax_ * self.l1_
            relaxed = relaxed_path(
                self.path_, self.l1_, l2=self.plan.relax_l2, min_l1=model_l1, tol=tol
            )
            model_l1 = max(model_l1, float(relaxed.path.l1[-1]))
            self.model_path_ = relaxed.path
            self.coef_ = relaxed.coef_at(model_l1)
        self.model_l1_ = model_l1
        self.intercept_ = self.model_path_.intercept_at(model_l1)
        self.dual_ = self.model_path_.dual_at(model_l1)

    def _sigmoid(self, search: Search) -> Sigmoid:
        """Fit Platt's sigmoid on what the folds decide about the points they left out."""
        held = search.held[self.l2_]
        decisions = [part.decisions(self.l1_, self.relax_) for part in held]
        positive, weight = (
            np.concatenate([getattr(part, name) for part in held])
            for name in ("positive", "weight")
        )
        return fit_sigmoid(np.concatenate(decisions), positive, weight)


def _warn_of_an_early_end(status: Any, l1: float, asked: float) -> None:
    text = f"{status} The model is that of l1 = {l1:.6g}, not {asked:.6g}."
    warnings.warn(text, ConvergenceWarning, stacklevel=5)
