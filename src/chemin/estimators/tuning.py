"""Where does l1 come from? It is given, or chosen on the folds of a cross-validation."""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import get_scorer

from chemin.dictionaries.base import Floats
from chemin.estimators.choice import RULES, Measure
from chemin.estimators.classifier import PathClassifier
from chemin.estimators.folds import as_splits
from chemin.estimators.machine import BinaryMachine
from chemin.estimators.plan import check_auto
from chemin.exceptions import InvalidInputError
from chemin.validation import check_l2, check_max_time, check_min_l1, check_min_ratio

_AUTO, _AUTO_L2 = (
    (0.0,),
    10.0,
)  # the ridge SVM on the support, with a ridge that does not depend on the path's
_RELAX = "pass a share of l1 from 0 to 1, where a list of them may compete, 'auto' or None"


class GivenL1(PathClassifier):
    """Estimators with a parameter ``l1``; folds serve the probabilities only."""

    l1: float
    l2: float
    relax: float
    relax_l2: float | None
    cv: Any
    random_state: Any

    def _penalties(self) -> dict[str, Any]:
        if not isinstance(self.l1, numbers.Real) or not 0 <= self.l1 < np.inf:
            raise InvalidInputError(
                f"l1 is {self.l1!r}: pass a number ≥ 0, or let {type(self).__name__}CV choose it"
            )
        return {
            "l1": float(self.l1),
            "l2": (self.l2,),
            "relax": (check_share(self.relax),),
            "relax_l2": None if self.relax_l2 is None else check_l2(self.relax_l2, "relax_l2"),
        }

    def _splits(self, X: Any, y: NDArray[Any], kept: NDArray[np.intp]) -> NDArray[np.int8] | None:
        return as_splits(self.cv, X, y, kept, self.random_state) if self.probability else None


class ChosenL1(PathClassifier):
    """Estimators that choose l1, and l2 among several, by what the folds decide."""

    l2: Any
    penalty: Any
    cv: Any
    random_state: Any
    scoring: Any
    rule: str
    relax: Any
    relax_l2: Any
    min_l1: float
    min_ratio: Any
    max_time: float | None

    def _penalties(self) -> dict[str, Any]:
        if self.rule not in RULES:
            raise InvalidInputError(f"rule is {self.rule!r}: pass 'best', '1se' or 'fewest'")
        plane = isinstance(self.l2, str) and self.l2 == "surface"
        if plane and self.scoring not in (None, "accuracy"):
            raise InvalidInputError(
                f"l2='surface' goes by the error rate, not by scoring={self.scoring!r}: pass a list of l2 with it"
            )
        if plane and getattr(self, "penalty", "l1") != "l1":
            raise InvalidInputError(
                f"l2='surface' is for the L1 penalty, not for {self.penalty!r}: pass a list of l2 with it"
            )
        try:
            l2 = (
                (1.0,)
                if plane
                else tuple(dict.fromkeys(np.atleast_1d(np.asarray(self.l2, dtype=float)).tolist()))
            )
        except (TypeError, ValueError) as error:
            raise InvalidInputError(
                f"l2 is {self.l2!r}: pass a number ≥ 0, a list of such numbers, or 'surface'"
            ) from error
        if not l2:
            raise InvalidInputError(
                "l2 is an empty list: pass a number, or a list of numbers to choose from"
            )
        return {
            "l1": None,
            "l2": l2,
            "plane": plane,
            "min_l1": check_min_l1(self.min_l1),
            "min_ratio": check_auto(self.min_ratio, "min_ratio", check_min_ratio),
            "rule": self.rule,
            "relax": as_shares(self.relax),
            "relax_l2": self._relax_l2(),
            "max_time": check_max_time(self.max_time),
            "refit": self.refit,
        }

    def _relax_l2(self) -> float | None:
        """Return the ridge of relaxed solutions; None is that of the path."""
        if isinstance(self.relax_l2, str) and self.relax_l2 == "auto":
            return _AUTO_L2 if isinstance(self.relax, str) else None
        return None if self.relax_l2 is None else check_l2(self.relax_l2, "relax_l2")

    def _splits(self, X: Any, y: NDArray[Any], kept: NDArray[np.intp]) -> NDArray[np.int8]:
        return as_splits(self.cv, X, y, kept, self.random_state)

    def _measure(self) -> Measure | None:
        if self.scoring is None or self.scoring == "accuracy":
            return None
        labels = np.array([0, 1])
        if len(self.classes_) == 2 and not isinstance(self.scoring, str):
            labels = self.classes_  # the user's own metric may name one
        speaks_for_first = len(self.classes_) == 2 and self.positive == self.classes_[0]
        if speaks_for_first and isinstance(self.scoring, str):
            return _Scored(get_scorer(self.scoring), labels, str(self.scoring), flipped=True)
        return _Scored(get_scorer(self.scoring), labels, str(self.scoring))

    def _read_off(self) -> None:
        super()._read_off()
        results = [_results(machine) for machine in self.estimators_]
        self.cv_results_ = results[0] if self.scheme_ is None else results
        if self._penalties()["plane"]:
            regions = [machine.region_ for machine in self.estimators_]
            self.region_ = regions[0] if self.scheme_ is None else regions


def _results(machine: BinaryMachine) -> dict[str, list[Any]]:
    names = (
        "l1",
        "relax",
        "interval",
        "ties",
        "error",
        "standard_error",
        "size",
        "curve",
        "relaxed",
    )
    found = {name: [getattr(choice, name) for choice in machine.choices_] for name in names}
    return (
        {"l2": list(machine.tried_l2_)}
        | found
        | {"chosen": machine.choices_.index(machine.choice_)}
    )


def as_shares(relax: Any) -> tuple[float, ...]:
    """Return the shares φ of l1 that compete: 0 alone for "auto", 1 and those of a list, or 1 alone.

    Examples
    --------
    >>> as_shares("auto"), as_shares(None), as_shares([0.5, 0])
    ((0.0,), (1.0,), (1.0, 0.5, 0.0))
    """
    if relax is None:
        return (1.0,)
    if isinstance(relax, str) and relax == "auto":
        return _AUTO
    if isinstance(relax, str):
        raise InvalidInputError(f"relax is {relax!r}: {_RELAX}")
    given = [check_share(share) for share in np.atleast_1d(np.asarray(relax, dtype=object))]
    return tuple(sorted({1.0, *given}, reverse=True))


def check_share(share: Any) -> float:
    """Return a share φ of l1, from 0 to 1."""
    number = isinstance(share, numbers.Real) and not isinstance(share, bool)
    if not number or not 0.0 <= float(share) <= 1.0:
        raise InvalidInputError(f"relax is {share!r}: {_RELAX}")
    return float(share)


class _Given(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier whose only input is its decisions: what a scorer needs to judge decisions already made."""

    def __init__(self, classes: NDArray[Any]) -> None:
        self.classes_ = classes

    def decision_function(self, X: Floats) -> Floats:
        return X[:, 0]

    def predict(self, X: Floats) -> NDArray[Any]:
        return self.classes_[(X[:, 0] > 0).astype(int)]

    def __sklearn_is_fitted__(self) -> bool:
        return True


class _Scored:
    """A scorer as a function of labels, decisions and weights; ``flipped``, of the other class."""

    def __init__(self, scorer: Any, labels: NDArray[Any], name: str, flipped: bool = False) -> None:
        self.scorer, self.labels, self.name, self.flipped = scorer, labels, name, flipped

    def __call__(self, positive: NDArray[np.bool_], decisions: Floats, weight: Floats) -> float:
        if self.flipped:
            positive, decisions = ~positive, -decisions
        weights = (
            {} if np.ptp(weight) == 0.0 else {"sample_weight": weight}
        )  # not every scorer takes them
        try:
            value = self.scorer(
                _Given(self.labels),
                decisions[:, None],
                self.labels[positive.astype(int)],
                **weights,
            )
        except (AttributeError, TypeError) as error:
            remedy = "pass the name of a scorer of labels or decisions, or wrap your metric in sklearn's make_scorer"
            raise InvalidInputError(
                f"scoring={self.name} cannot be used here ({error}): {remedy}"
            ) from error
        if not np.isfinite(value):
            raise InvalidInputError(
                f"scoring={self.name} is {value} on a fold, perhaps because it has one class: use fewer folds"
            )
        return float(value)
