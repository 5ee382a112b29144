"""How does one model do on one split? Everything it learns, preparation included, is learned from the training rows.

Where a model has parameters that are usually chosen, they are chosen by folds inside the training rows; the error of
the chosen ones there is kept, to be held against that on the test rows.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chemin.dictionaries.base import Floats, Indices
from chemin.evaluate.measures import root_mean_square
from chemin.exceptions import InvalidInputError
from chemin.models.model import Model
from chemin.models.registry import find
from chemin.tables import Prepare

_KEPT = 2**29  # bytes of prepared rows that are kept for the next model


@dataclass(frozen=True, eq=False)
class Data:
    """What models are compared on.

    Attributes
    ----------
    X : DataFrame
        The inputs.
    y : ndarray of shape (n,)
        Labels, or numbers.
    types : dict
        What the columns are.
    classes : ndarray or None
        All labels; None for numbers.
    inner_folds : int
        Folds inside training rows.
    random_state : int
        Of models and inner folds.
    """

    X: Any = field(repr=False)
    y: NDArray[Any] = field(repr=False)
    types: Mapping[str, Any] = field(repr=False)
    classes: NDArray[Any] | None
    inner_folds: int
    random_state: int
    _prepared: dict[Any, tuple[Floats, Floats]] = field(default_factory=dict, repr=False)

    def prepare(self, key: Any, train: Indices, test: Indices) -> tuple[Floats, Floats]:
        """Return training and test rows as numbers, by what the training rows tell."""
        if key not in self._prepared:
            from sklearn.utils import _safe_indexing

            prepare = Prepare(dict(self.types))
            known = _safe_indexing(self.X, train)
            made = (
                np.asarray(prepare.fit(known, self.y[train]).transform(known), dtype=float),
                np.asarray(prepare.transform(_safe_indexing(self.X, test)), dtype=float),
            )
            held = sum(one.nbytes + two.nbytes for one, two in self._prepared.values())
            if held + made[0].nbytes + made[1].nbytes > _KEPT:
                self._prepared.clear()
            self._prepared[key] = made
        return self._prepared[key]


@dataclass(frozen=True, eq=False)
class Outcome:
    """What one model did on one split.

    Attributes
    ----------
    predicted : ndarray
        Labels or numbers of the test rows.
    probabilities : ndarray or None
        Of all labels, where the model has them.
    seconds : float
        Search, fit and prediction, and preparing rows where no model before has done so.
    length : (int, str) or None
        How long the fitted model is.
    chosen : dict
        Parameters chosen inside the training rows.
    inner_error : float
        The error of these inside the training rows, NaN where nothing was chosen.
    certificate : str or None
        That of the fitted model.
    skipped : str
        Why the model cannot take these data, "" if it can.
    """

    predicted: NDArray[Any] = field(default_factory=lambda: np.zeros(0))
    probabilities: Floats | None = None
    seconds: float = 0.0
    length: tuple[int, str] | None = None
    chosen: Mapping[str, Any] = field(default_factory=dict)
    inner_error: float = float("nan")
    certificate: str | None = None
    skipped: str = ""


def run(data: Data, name: str, split: int, train: Indices, test: Indices) -> Outcome:
    """Fit a model on the training rows of one split and predict the test rows."""
    model = find(name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of solvers that stop early: the test rows judge
        known, new = data.prepare((split, "all"), train, test)
        began = time.perf_counter()
        n, p = known.shape
        why_not = _why_not(model, data, n, p, train)
        if why_not:
            return Outcome(skipped=why_not)
        chosen, inner_error = _choose(model, data, split, train)
        fitted = model.build(n, p, data.random_state).set_params(**chosen).fit(known, data.y[train])
        predicted = np.asarray(fitted.predict(new))
        probabilities = _probabilities(fitted, new, data.classes)
        _check(predicted, probabilities, data.classes)
        return Outcome(
            predicted,
            probabilities,
            time.perf_counter() - began,
            model.measure_length(fitted),
            chosen,
            inner_error,
            model.certificate(fitted),
        )


def error_of(y: NDArray[Any], predicted: NDArray[Any], classes: bool) -> float:
    """Return the share of wrong labels, or the root of the mean squared error."""
    if classes:
        return float(np.mean(predicted != y))
    return root_mean_square(y, predicted)


def _why_not(model: Model, data: Data, n: int, p: int, train: Indices) -> str:
    if data.classes is None:
        return model.why_not(n, p)
    present, counts = np.unique(data.y[train], return_counts=True)
    if len(present) < 2:
        raise InvalidInputError(
            f"the training rows have one class only, {present[0]!r}: pass fewer folds, or more rows of the others"
        )
    return model.why_not(n, p, counts.tolist())


def _choose(model: Model, data: Data, split: int, train: Indices) -> tuple[dict[str, Any], float]:
    """Return the parameters of the least error inside the training rows, and that error."""
    from sklearn.model_selection import KFold, ParameterGrid, StratifiedKFold

    folds = data.inner_folds
    if data.classes is not None:
        folds = min(folds, int(np.unique(data.y[train], return_counts=True)[1].min()))
    if not model.space or min(folds, len(train) // 2) < 2:
        return {}, float("nan")
    kind = KFold if data.classes is None else StratifiedKFold
    inner = kind(folds, shuffle=True, random_state=data.random_state).split(train, data.y[train])
    candidates = list(ParameterGrid(dict(model.space)))
    errors = np.zeros(len(candidates))
    for place, (one, other) in enumerate(inner):
        known, new = data.prepare((split, place), train[one], train[other])
        for k, candidate in enumerate(candidates):
            errors[k] += _inner_error(model, candidate, known, new, data, train[one], train[other])
    if not np.isfinite(errors).any():
        return {}, float("nan")
    best = int(np.argmin(errors))
    return dict(candidates[best]), float(errors[best] / folds)


def _inner_error(
    model: Model,
    candidate: Mapping[str, Any],
    known: Floats,
    new: Floats,
    data: Data,
    one: Indices,
    other: Indices,
) -> float:
    """Return the error of some parameters on one inner fold, infinite where they do not work."""
    n, p = known.shape
    try:
        fitted = model.build(n, p, data.random_state).set_params(**candidate)
        found = np.asarray(fitted.fit(known, data.y[one]).predict(new))
    except (
        ValueError,
        ArithmeticError,
        np.linalg.LinAlgError,
    ):  # such as more neighbours than rows
        return float("inf")
    error = error_of(data.y[other], found, data.classes is not None)
    return error if np.isfinite(error) else float("inf")


def _check(
    predicted: NDArray[Any], probabilities: Floats | None, classes: NDArray[Any] | None
) -> None:
    """Raise if a model predicts what is neither a number nor a label."""
    if classes is not None and not np.isin(predicted, classes).all():
        raise InvalidInputError("it predicts labels that there are not")
    if classes is None and not np.isfinite(predicted).all():
        raise InvalidInputError("it predicts values that are no numbers")
    if probabilities is not None and not np.isfinite(probabilities).all():
        raise InvalidInputError("it predicts probabilities that are no numbers")


def _probabilities(fitted: Any, new: Floats, classes: NDArray[Any] | None) -> Floats | None:
    """Return the probabilities of all labels, 0 for those that the training rows lack."""
    if classes is None or not hasattr(fitted, "predict_proba"):
        return None
    try:
        given = np.asarray(fitted.predict_proba(new))
    except (AttributeError, NotImplementedError):
        return None
    made = np.zeros((len(new), len(classes)))
    made[:, np.searchsorted(classes, fitted.classes_)] = given
    return made
