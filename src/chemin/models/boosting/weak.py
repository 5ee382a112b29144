"""How is a weak learner trained? A clone of any scikit-learn estimator, with a seed of its own, on weighted rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.random import RandomState
from sklearn.base import clone, is_classifier
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import has_fit_parameter

from chemin.dictionaries.base import Floats
from chemin.exceptions import InvalidInputError

SEEDS = np.iinfo(np.int32).max  # exclusive, as in scikit-learn's ensembles, whose draws these are


class Weak:
    """A class of weak learners: what clones of one estimator can learn.

    Parameters
    ----------
    estimator : estimator
        What is cloned; ±1 or numbers are its targets.
    rng : RandomState
        Where the seeds of its random parameters come from.
    of_classes : bool
        Whether it must be a classifier, or else a regressor.

    Attributes
    ----------
    weight : str
        By what name ``fit`` takes the weights of the rows, "" if it takes none.
    """

    def __init__(self, estimator: Any, rng: RandomState, *, of_classes: bool) -> None:
        learns = hasattr(estimator, "fit") and hasattr(estimator, "predict")
        if isinstance(estimator, type) or not learns or is_classifier(estimator) != of_classes:
            kind = "classifier" if of_classes else "regressor"
            tree = f"sklearn.tree.DecisionTree{kind.capitalize()}(max_depth=1)"
            raise InvalidInputError(
                f"estimator is {estimator!r}, and the weak learner is a {kind}: pass an instance of one, such as {tree}"
            )
        self.weight = _name_of_weight(estimator)
        self.estimator, self.rng = estimator, rng
        self.seeds = sorted(
            name
            for name in estimator.get_params(deep=True)
            if name == "random_state" or name.endswith("__random_state")
        )

    def must_weigh(self) -> None:
        """Refuse an estimator that takes no weights."""
        if not self.weight:
            raise InvalidInputError(
                f"{type(self.estimator).__name__} takes no sample_weight, and rows have weights here: "
                "pass an estimator whose fit has it, such as a tree"
            )

    def train(self, X: Floats, target: Floats, weights: Floats) -> Any:
        """Return a clone trained on some rows."""
        learner = clone(self.estimator)
        learner.set_params(**{name: self.rng.randint(SEEDS) for name in self.seeds})
        return learner.fit(X, target, **({self.weight: weights} if self.weight else {}))


def predicted(learner: Any, X: Floats) -> Floats:
    """Return h(x) of every row."""
    return np.asarray(learner.predict(X), dtype=float).reshape(len(X))


def check_rate(name: str, value: Any) -> float:
    """Return a share that is more than 0, and 1 at most."""
    numeric = isinstance(value, int | float | np.number) and not isinstance(value, bool)
    if not numeric or not 0.0 < value <= 1.0:
        raise InvalidInputError(f"{name} is {value!r}: pass a number above 0, and 1 at most")
    return float(value)


def _name_of_weight(estimator: Any) -> str:
    """Return by what name ``fit`` takes weights, "" if it takes none; those of a pipeline go to its last step."""
    if isinstance(estimator, Pipeline):
        name, last = estimator.steps[-1]
        inner = _name_of_weight(last)
        return f"{name}__{inner}" if inner else ""
    return "sample_weight" if has_fit_parameter(estimator, "sample_weight") else ""
