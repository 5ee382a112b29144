"""How does one let the data choose l1, and l2 among several?"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import get_scorer

from chemin.dictionaries.base import Floats
from chemin.estimators.choice import Measure
from chemin.estimators.classifier import PathClassifier
from chemin.estimators.folds import as_splits
from chemin.estimators.machine import BinaryMachine, Plan
from chemin.exceptions import InvalidInputError


class SparseSVCCV(PathClassifier):
    """The sparse SVM with the l1 of smallest cross-validated error over *all* l1 > 0, not over a grid.

    Parameters
    ----------
    l2 : float or list of float, default 1.0
        Ridge parameters to choose from.
    cv : int or splitter, default 5
        The folds; an integer means stratified ones.
    scoring : str or callable, optional
        None is the error rate, whose minimum is found exactly. Any other scorer of decisions is read at the
        breakpoints of the paths and halfway between them.
    rule : {"best", "1se"}, default "best"
        The smallest error, or the largest l1 within one standard error of it.
    class_weight, standardize, l1_weight, multiclass, max_events, random_state, n_jobs, verbose
        See `SparseSVC`.
    probability : bool, default False
        Offer ``predict_proba``: Platt's sigmoid on the decisions of the folds, which are there anyway. Its threshold
        of one half need not be where the decision is zero, and ``predict`` goes by the decision.

    Attributes
    ----------
    l1_, l2_ : float, or arrays with one entry per machine
        What was chosen.
    cv_results_ : dict, or list of dict with one entry per machine
        For each l2: the chosen l1, the interval that is as good, all such intervals, the error and the whole exact
        curve.
    classes_, coef_, intercept_, support_, path_, n_iter_
        See `SparseSVC`; the path is that of all points.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = SparseSVCCV(standardize=True).fit(X, y)
    >>> round(model.cv_results_["error"][0], 3)
    0.019
    """

    def __init__(
        self,
        l2: Any = 1.0,
        *,
        cv: Any = 5,
        scoring: Any = None,
        rule: str = "best",
        class_weight: Any = None,
        standardize: bool = False,
        l1_weight: Any = None,
        multiclass: Any = "ovo",
        probability: bool = False,
        max_events: int | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> None:
        self.l2 = l2
        self.cv = cv
        self.scoring = scoring
        self.rule = rule
        self.class_weight = class_weight
        self.standardize = standardize
        self.l1_weight = l1_weight
        self.multiclass = multiclass
        self.probability = probability
        self.max_events = max_events
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _plan(self) -> Plan:
        if self.rule not in ("best", "1se"):
            raise InvalidInputError(f"rule is {self.rule!r}: pass 'best' or '1se'")
        l2 = tuple(np.atleast_1d(np.asarray(self.l2, dtype=float)).tolist())
        if not l2:
            raise InvalidInputError("l2 is an empty list: pass a number, or a list of numbers to choose from")
        options = (self.standardize, self.l1_weight, self.max_events, self.probability, bool(self.verbose))
        return Plan(None, l2, self.rule, _measure(self.scoring), *options)

    def _splits(self, X: Any, y: NDArray[Any], kept: NDArray[np.intp]) -> NDArray[np.int8]:
        return as_splits(self.cv, X, y, kept, self.random_state)

    def _read_off(self) -> None:
        super()._read_off()
        results = [_results(machine) for machine in self.estimators_]
        self.cv_results_ = results[0] if self.scheme_ is None else results


def _results(machine: BinaryMachine) -> dict[str, list[Any]]:
    names = ("l1", "interval", "ties", "error", "standard_error", "curve")
    chosen = {name: [getattr(choice, name) for choice in machine.choices_] for name in names}
    return {"l2": list(machine.plan.l2)} | chosen


class _Given(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier whose only input is its decisions: what a scorer needs to judge decisions already made."""

    classes_ = np.array([0, 1])

    def decision_function(self, X: Floats) -> Floats:
        return X[:, 0]

    def predict(self, X: Floats) -> NDArray[np.int_]:
        return (X[:, 0] > 0).astype(int)

    def __sklearn_is_fitted__(self) -> bool:
        return True


def _measure(scoring: Any) -> Measure | None:
    """Return a score of (labels, decisions, weights), or None for the error rate."""
    if scoring is None or scoring == "accuracy":
        return None
    scorer = get_scorer(scoring)

    def score(positive: NDArray[np.bool_], decisions: Floats, weight: Floats) -> float:
        return float(scorer(_Given(), decisions[:, None], positive.astype(int), sample_weight=weight))

    return score
