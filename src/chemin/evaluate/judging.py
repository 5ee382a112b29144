"""What is the score of a fitted model on some rows? It is asked for what the measure needs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chemin.dictionaries.base import Floats, Indices
from chemin.evaluate.inputs import as_probabilities, encode
from chemin.evaluate.measures import Measure
from chemin.exceptions import InvalidInputError


@dataclass(frozen=True, eq=False)
class Judgement:
    """The score of a model on some rows, and what it predicted there."""

    value: float
    predicted: NDArray[Any]


def judge(
    measure: Measure, model: Any, X: Any, y: NDArray[Any], labels: tuple[Any, ...] | None
) -> Judgement:
    """Return the score of a fitted model.

    Examples
    --------
    >>> from sklearn.dummy import DummyClassifier
    >>> from chemin.evaluate.measures import MEASURES
    >>> X, y = np.zeros((4, 1)), np.array(["a", "b", "b", "b"])
    >>> judge(MEASURES["error"], DummyClassifier().fit(X, y), X, y, ("a", "b")).value
    0.25
    """
    predicted = np.asarray(model.predict(X))
    if predicted.shape != y.shape:
        raise InvalidInputError(
            f"{name_of(model)} predicts an array of shape {predicted.shape} for {len(y)} rows: "
            "pass a model of one output"
        )
    if measure.needs == "numbers":
        return Judgement(float(measure.compute(y, predicted)), predicted)
    assert labels is not None  # of classes
    codes = encode("y", y, labels)
    if measure.needs == "predictions":
        K = len(labels)
        called = encode("predicted", predicted, labels)
        counts = np.bincount(K * codes + called, minlength=K * K).reshape(K, K)
        value = measure.compute(counts, 1 if K == 2 else None)
    elif measure.needs == "probabilities":
        value = measure.compute(codes, _probabilities(measure, model, X, labels))
    else:
        value = measure.compute(codes, _decisions(measure, model, X, labels))
    return Judgement(float(value), predicted)


def name_of(model: Any) -> str:
    """Return what a model is called: its class, of a pipeline that of the last step."""
    steps = getattr(model, "steps", None)
    return type(steps[-1][1]).__name__ if steps else type(model).__name__


def rows_of(X: Any, rows: Indices) -> Any:
    """Return some rows of a DataFrame, an array, a sparse array or a list."""
    from sklearn.utils import _safe_indexing

    return _safe_indexing(X, rows)


def size_of(X: Any) -> int:
    """Return how many rows there are."""
    shape = getattr(X, "shape", None)
    if shape is not None and len(shape):
        return int(shape[0])
    if not hasattr(X, "__len__") or isinstance(X, str):
        raise InvalidInputError(
            f"X is of type {type(X).__name__}: pass an array or a DataFrame with a row per row of y"
        )
    return len(X)


def _probabilities(measure: Measure, model: Any, X: Any, labels: Sequence[Any]) -> Floats:
    if not hasattr(model, "predict_proba"):
        raise InvalidInputError(
            f"{name_of(model)} gives no probabilities, which {measure.name} needs: pass a model with predict_proba, "
            "such as CalibratedClassifierCV(model), or measure='error'"
        )
    given = np.asarray(model.predict_proba(X), dtype=np.float64)
    made = np.zeros(
        (len(given), len(labels))
    )  # a class that was not in the training rows has probability 0
    made[:, encode("classes_", np.asarray(model.classes_), labels)] = given
    return as_probabilities(made, labels)


def _decisions(measure: Measure, model: Any, X: Any, labels: Sequence[Any]) -> Floats:
    if not hasattr(model, "decision_function"):
        return _probabilities(measure, model, X, labels)
    given = np.asarray(model.decision_function(X), dtype=np.float64)
    if given.ndim == 1:
        given = given[:, None]
    expected = 1 if len(labels) == 2 else len(labels)
    if len(model.classes_) < len(labels) or given.shape[1] not in (expected, len(labels)):
        raise InvalidInputError(
            f"{name_of(model)} has {given.shape[1]} columns of decisions and there are {len(labels)} classes: "
            f"pass splits=make_splits(n, y), which train on all classes, or another measure="
        )
    return given
