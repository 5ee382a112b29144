"""How is one binary machine made from a path? l1 given or chosen, then probabilities, all on columns of a basis."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.parallel import Parallel, delayed

from chemin.dictionaries.base import Floats
from chemin.engine.entry import svm_path
from chemin.engine.result import Path
from chemin.estimators.basis import Basis, Columns
from chemin.estimators.choice import Choice, HeldOut, Measure, choose
from chemin.estimators.platt import Sigmoid, fit_sigmoid
from chemin.exceptions import InvalidInputError
from chemin.progress import Bar

TRAIN, TEST, UNUSED = 0, 1, -1


@dataclass(frozen=True)
class Plan:
    """What to do with the data: one l1, or (None) the choice of one over all of the path, for each l2 of a list."""

    basis: Basis
    l1: float | None
    l2: tuple[float, ...]
    min_l1: float = 0.0
    rule: str = "best"
    refit: bool = True
    probability: bool = False
    max_events: int | None = None
    device: str = "cpu"
    n_jobs: int | None = None
    verbose: bool = False


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
        self.classes_ = np.array([0, 1])
        self.rows_ = np.arange(len(positive)) if rows is None else rows
        self.choices_: list[Choice] = []
        l1, self.l2_ = plan.l1, plan.l2[0]
        held = (
            self._held_out(X, positive, weight, splits)
            if plan.l1 is None or plan.probability
            else {}
        )
        if l1 is None:
            l1 = self._choose(held, measure)
        self.l1_ = l1
        if plan.refit:
            self._read_off(X, positive, weight, l1)
        if plan.probability:
            self.sigmoid_ = self._sigmoid(held[self.l2_])
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

    def _read_off(self, X: Any, positive: NDArray[np.bool_], weight: Floats, l1: float) -> None:
        """Follow the path of all points down to l1 and keep the solution there."""
        self.columns_: Any = self.plan.basis.learn(X, positive, weight)
        bar = Bar("path", 1, self.plan.verbose)
        (self.path_,) = bar.over(
            _follow(self.plan, self.columns_, X, positive, weight, l2, l1, bar.report)
            for l2 in [self.l2_]
        )
        self.l1_ = max(l1, float(self.path_.l1[-1]))
        if (
            self.choices_ and self.choice_.empty
        ):  # no variable at all was best: so be it on all points, too
            self.l1_ = max(l1, float(self.path_.l1[0]))
        elif self.l1_ > l1:
            remedy = "raise max_events, or ask for a larger l1"
            warnings.warn(f"{self.path_.status} The model is that of l1 = {self.l1_:.6g}, not {l1:.6g}: {remedy}",
                          ConvergenceWarning, stacklevel=4)  # fmt: skip
        self.coef_ = self.path_.coef_at(self.l1_)
        self.intercept_ = self.path_.intercept_at(self.l1_)
        self.dual_ = self.path_.dual_at(self.l1_)

    def _held_out(
        self, X: Any, positive: NDArray[np.bool_], weight: Floats, splits: Any
    ) -> dict[float, list[HeldOut]]:
        """Follow one path per l2 and split, down to the given l1, or as far as one may be chosen."""
        plan, columns = self.plan, list(np.asarray(splits).T)
        for column in columns:
            if len(np.unique(positive[(column == TRAIN) & (weight > 0)])) < 2:
                raise InvalidInputError(
                    "a training part of the cross-validation has one class only: use fewer folds, or stratified ones"
                )
        tasks = [(l2, column) for l2 in plan.l2 for column in columns]
        bar, alone = Bar("paths of the folds", len(tasks), plan.verbose), plan.n_jobs in (None, 1)
        work = Parallel(n_jobs=plan.n_jobs, return_as="generator")(
            delayed(hold_out)(plan, X, positive, weight, column, l2, bar.report if alone else None)
            for l2, column in tasks
        )
        found = list(bar.over(work))
        return {
            l2: found[k * len(columns) : (k + 1) * len(columns)] for k, l2 in enumerate(plan.l2)
        }

    def _choose(self, held: dict[float, list[HeldOut]], measure: Measure | None) -> float:
        """Choose l2 and l1 together: the smallest error, then the larger l1."""
        self.choices_ = [choose(parts, self.plan.rule, measure) for parts in held.values()]
        best = min(
            range(len(self.choices_)),
            key=lambda k: (round(self.choices_[k].error, 12), -self.choices_[k].l1),
        )
        self.choice_, self.l2_ = self.choices_[best], self.plan.l2[best]
        lowest = max(float(part.pieces.l1[-1]) for parts in held.values() for part in parts)
        if lowest > self.plan.min_l1:
            remedy = "raise max_events to let smaller ones compete, or pass min_l1 to say that they need not"
            warnings.warn(
                f"a path of the folds ends at l1 = {lowest:.6g}: {remedy}",
                ConvergenceWarning,
                stacklevel=5,
            )
        return self.choice_.l1

    def _sigmoid(self, held: list[HeldOut]) -> Sigmoid:
        """Fit Platt's sigmoid on what the folds decide about the points they left out."""
        decisions = [
            part.pieces.decisions(part.columns, np.maximum([self.l1_], part.pieces.l1[-1]))[0]
            for part in held
        ]
        positive, weight = (
            np.concatenate([getattr(part, name) for part in held])
            for name in ("positive", "weight")
        )
        return fit_sigmoid(np.concatenate(decisions), positive, weight)


def hold_out(
    plan: Plan,
    X: Any,
    positive: NDArray[np.bool_],
    weight: Floats,
    column: NDArray[np.int8],
    l2: float,
    report: Any,
) -> HeldOut:
    """Follow the path of one training part, and keep what it decides about the points left out."""
    train, test = np.flatnonzero((column == TRAIN) & (weight > 0)), np.flatnonzero(column == TEST)
    columns = plan.basis.learn(X[train], positive[train], weight[train])
    lowest = plan.min_l1 if plan.l1 is None else plan.l1
    path = _follow(plan, columns, X[train], positive[train], weight[train], l2, lowest, report)
    return HeldOut(path.pieces(), columns.of(X[test]), positive[test], weight[test]).condensed()


def _follow(
    plan: Plan,
    columns: Columns,
    X: Any,
    positive: NDArray[np.bool_],
    weight: Floats,
    l2: float,
    min_l1: float,
    report: Callable[[int, float], None] | None,
) -> Path:
    path = svm_path(
        columns.of(X), positive, l2=l2, min_l1=min_l1, sample_weight=weight, l1_weight=columns.l1_weight,
        max_events=plan.max_events, device=plan.device, progress=report or False,
    )  # fmt: skip
    if path.status.code == "interrupted":  # a path may end there, a fit may not
        raise KeyboardInterrupt
    return path
