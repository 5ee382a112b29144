"""How is one binary machine trained and read? The only place where an inner classifier is touched.

Machine l sees the points whose class has a sign in column l of the code, labelled 0 (−) and 1 (+). It is read as

* a probability P(+|x), when it has ``predict_proba``;
* a margin f(x), positive on the side +: its ``decision_function``, or else the log-odds log P(+|x)/P(−|x).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression

from chemin.dictionaries.base import Floats, Indices
from chemin.exceptions import InvalidInputError

__all__ = [
    "check_machine",
    "confidence",
    "default_machine",
    "margin",
    "odds",
    "probabilistic",
    "take",
    "train",
]

_SURE = 1e-7  # a frequency of 0 or 1 is not a certainty: as a margin it counts for |log-odds| ≤ 16
_TINY = float(np.finfo(float).tiny)


def default_machine() -> Any:
    """Return the machine of a scheme whose ``estimator`` is None: scikit-learn's logistic regression."""
    return LogisticRegression()


def check_machine(machine: Any) -> None:
    """Refuse, before any work, a machine that can not be trained or read."""
    readable = hasattr(machine, "decision_function") or hasattr(machine, "predict_proba")
    if isinstance(machine, type) or not hasattr(machine, "fit") or not readable:
        raise InvalidInputError(
            f"estimator={machine!r} can not serve as a binary machine: pass an instance of a classifier with fit and "
            "decision_function or predict_proba, for example sklearn.svm.LinearSVC()"
        )


def probabilistic(machine: Any) -> bool:
    """Say whether a machine gives probabilities."""
    return hasattr(machine, "predict_proba")


def take(X: Any, rows: Indices) -> Any:
    """Return some rows of an array, a sparse array or a DataFrame, in the same container.

    Examples
    --------
    >>> take(np.array([[1], [2], [3]]), np.array([2, 0])).tolist()
    [[3], [1]]
    """
    return X.iloc[rows] if hasattr(X, "iloc") else X[rows]


def train(machine: Any, X: Any, sign: NDArray[np.int8], params: dict[str, Any]) -> Any:
    """Return a clone of the machine trained on the points of sign −1 or +1; those of sign 0 are left out."""
    if sign.all():
        return clone(machine).fit(X, (sign > 0).astype(int), **params)
    rows = np.flatnonzero(sign)
    chosen = {name: _take_param(value, rows, sign.size) for name, value in params.items()}
    return clone(machine).fit(take(X, rows), (sign[rows] > 0).astype(int), **chosen)


def odds(machine: Any, X: Any) -> tuple[Floats, Floats]:
    """Return P(−|x) and P(+|x)."""
    both = np.asarray(machine.predict_proba(X), dtype=float)
    return both[:, 0], both[:, 1]


def confidence(machine: Any, X: Any) -> Floats:
    """Return what the machines of one scheme are compared by: the log-odds if it has them, else its scores."""
    return _log_odds(machine, X, _TINY) if probabilistic(machine) else _decisions(machine, X)


def margin(machine: Any, X: Any) -> Floats:
    """Return the margin f(x) that a loss is applied to: the scores of the machine, else its log-odds."""
    return (
        _decisions(machine, X)
        if hasattr(machine, "decision_function")
        else _log_odds(machine, X, _SURE)
    )


def _decisions(machine: Any, X: Any) -> Floats:
    return np.asarray(machine.decision_function(X), dtype=float).ravel()


def _log_odds(machine: Any, X: Any, least: float) -> Floats:
    minus, plus = odds(machine, X)
    return np.log(np.maximum(plus, least)) - np.log(np.maximum(minus, least))


def _take_param(value: Any, rows: Indices, n: int) -> Any:
    """Slice what has one entry per point; hand on the rest as it is."""
    if isinstance(value, list | tuple) and len(value) == n:
        return [value[row] for row in rows]
    shape: tuple[int, ...] = getattr(value, "shape", ())
    return take(value, rows) if len(shape) and shape[0] == n else value
