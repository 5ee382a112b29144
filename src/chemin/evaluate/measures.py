"""What is measured, on what, and which way is better? Every measure is a row of a table.

With a class as the positive one, TP, FP, FN rows called so rightly, called so wrongly, and missed:
precision = TP/(TP + FP), recall = TP/(TP + FN), F_β = (1 + β²) TP/((1 + β²) TP + β² FN + FP). A macro mean is that over
the classes that have rows; the precision of a class that is never predicted counts as 0 in it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chemin.dictionaries.base import Floats, Indices
from chemin.exceptions import InvalidInputError

BINS = 10  # of probabilities, in the calibration error
_LEAST = float(np.finfo(np.float64).eps)  # probability in a logarithm

_Counts = NDArray[
    Any
]  # whole numbers of shape (…, K, K): true labels in rows, predicted ones in columns


@dataclass(frozen=True)
class Measure:
    """One measure.

    Attributes
    ----------
    name : str
        What it is called.
    needs : {"predictions", "decisions", "probabilities", "numbers"}
        What it is computed of, beside the truth.
    greater_is_better : bool
        Which way is better.
    compute : callable
        Of "predictions": (counts, positive or None for macro means); of "decisions" and "probabilities": (codes of
        labels, a column per label); of "numbers": (truth, predictions).
    """

    name: str
    needs: str
    greater_is_better: bool
    compute: Callable[..., Any]


def error(counts: _Counts, positive: int | None = None) -> Any:
    """Return the share of wrong rows.

    Examples
    --------
    >>> round(float(error(np.array([[400, 100], [300, 200]]))), 2)
    0.4
    """
    return 1.0 - accuracy(counts)


def accuracy(counts: _Counts, positive: int | None = None) -> Any:
    """Return the share of right rows."""
    return np.trace(counts, axis1=-2, axis2=-1) / counts.sum(axis=(-2, -1))


def balanced_error(counts: _Counts, positive: int | None = None) -> Any:
    """Return 1 less the mean recall of the classes."""
    return 1.0 - recall(counts, None)


def precision(counts: _Counts, positive: int | None = None) -> Any:
    """Return how many rows called so are so."""
    return _of(precisions(counts), counts, positive)


def recall(counts: _Counts, positive: int | None = None) -> Any:
    """Return how many rows that are so are called so."""
    return _of(recalls(counts), counts, positive)


def f_score(counts: _Counts, positive: int | None = None, beta: float = 1.0) -> Any:
    """Return F_β: recall counts β times as much as precision."""
    return _of(f_scores(counts, beta), counts, positive)


def precisions(counts: _Counts) -> Floats:
    """Return the precision of every class, NaN where it is never predicted."""
    return _share(_right(counts), counts.sum(axis=-2))


def recalls(counts: _Counts) -> Floats:
    """Return the recall of every class, NaN where it has no rows."""
    return _share(_right(counts), counts.sum(axis=-1))


def f_scores(counts: _Counts, beta: float = 1.0) -> Floats:
    """Return F_β of every class, NaN where it has no rows and is never predicted."""
    right = _right(counts)
    missed = counts.sum(axis=-1) - right
    wrong = counts.sum(axis=-2) - right
    top = (1.0 + beta**2) * right
    return _share(top, top + beta**2 * missed + wrong)


def specificities(counts: _Counts) -> Floats:
    """Return of every class how many rows of the others are not called so."""
    return 1.0 - false_positive_rates(counts)


def false_positive_rates(counts: _Counts) -> Floats:
    """Return of every class how many rows of the others are called so."""
    wrong = counts.sum(axis=-2) - _right(counts)
    others = counts.sum(axis=(-2, -1))[..., None] - counts.sum(axis=-1)
    return _share(wrong, others)


def area(codes: Indices, decisions: Floats) -> float:
    """Return the area under the ROC curve, of more than two classes the mean over each against the rest.

    It is the share of pairs of a positive and another row that are ranked rightly, ties by half (Mann and Whitney).

    Examples
    --------
    >>> area(np.array([0, 0, 1, 1]), np.array([[0.1], [0.4], [0.35], [0.8]]))
    0.75
    """
    return area_of_levels(codes, as_levels(decisions))


def as_levels(decisions: Floats) -> Indices:
    """Return the place of every decision among the different ones of its column.

    Examples
    --------
    >>> as_levels(np.array([[0.5], [-1.0], [0.5]])).tolist()
    [[1], [0], [1]]
    """
    columns = [np.unique(column, return_inverse=True)[1] for column in decisions.T]
    return np.column_stack(columns).astype(np.intp)


def area_of_levels(codes: Indices, levels: Indices) -> float:
    """Return the area under the ROC curve of decisions that are whole numbers, counted rather than sorted."""
    K = levels.shape[1]
    if K <= 2:
        return _area(codes == 1, levels[:, -1])
    return float(np.mean([_area(codes == k, levels[:, k]) for k in range(K)]))


def log_loss(codes: Indices, probabilities: Floats) -> float:
    """Return the mean of |log| of the probability given to what came true."""
    mine = probabilities[np.arange(len(codes)), codes]
    return float(np.abs(np.log(np.clip(mine, _LEAST, 1.0))).mean())


def brier(codes: Indices, probabilities: Floats) -> float:
    """Return the mean squared error of probabilities: of two classes of the second one, of more summed over classes."""
    if probabilities.shape[1] == 2:
        return float(np.mean((probabilities[:, 1] - codes) ** 2))
    truth = np.eye(probabilities.shape[1])[codes]
    return float(np.mean(np.sum((probabilities - truth) ** 2, axis=1)))


def calibration_error(codes: Indices, probabilities: Floats, bins: int = BINS) -> float:
    """Return Σ nᵦ/n |share that came true − mean probability| over bins of the probability.

    Of two classes that of the second one, of more that of the predicted one.
    """
    if probabilities.shape[1] == 2:
        forecast, came = probabilities[:, 1], codes == 1
    else:
        forecast, came = probabilities.max(axis=1), probabilities.argmax(axis=1) == codes
    places = bin_places(forecast, bins)
    away = np.bincount(places, weights=forecast - came, minlength=bins)
    return float(np.abs(away).sum() / len(codes))


def bin_places(probabilities: Floats, bins: int) -> Indices:
    """Return the bin of every probability; bins have the same width, and hold their left end.

    Examples
    --------
    >>> bin_places(np.array([0.0, 0.05, 0.1, 1.0]), 10).tolist()
    [0, 0, 1, 9]
    """
    return np.minimum((probabilities * bins).astype(np.intp), bins - 1)


def root_mean_square(y: Floats, predicted: Floats) -> float:
    """Return the root of the mean squared error."""
    return float(np.sqrt(np.mean((y - predicted) ** 2)))


def mean_absolute(y: Floats, predicted: Floats) -> float:
    """Return the mean size of an error."""
    return float(np.mean(np.abs(y - predicted)))


def median_absolute(y: Floats, predicted: Floats) -> float:
    """Return the size that half of the errors do not exceed."""
    return float(np.median(np.abs(y - predicted)))


def determination(y: Floats, predicted: Floats) -> float:
    """Return R² = 1 − Σ (y − f)²/Σ (y − ȳ)², NaN if y is constant."""
    spread = float(np.sum((y - y.mean()) ** 2))
    return 1.0 - float(np.sum((y - predicted) ** 2)) / spread if np.ptp(y) > 0.0 else np.nan


MEASURES = {
    measure.name: measure
    for measure in (
        Measure("error", "predictions", False, error),
        Measure("accuracy", "predictions", True, accuracy),
        Measure("balanced error", "predictions", False, balanced_error),
        Measure("precision", "predictions", True, precision),
        Measure("recall", "predictions", True, recall),
        Measure("F1", "predictions", True, f_score),
        Measure("AUC", "decisions", True, area),
        Measure("log-loss", "probabilities", False, log_loss),
        Measure("Brier", "probabilities", False, brier),
        Measure("calibration error", "probabilities", False, calibration_error),
        Measure("RMSE", "numbers", False, root_mean_square),
        Measure("MAE", "numbers", False, mean_absolute),
        Measure("R2", "numbers", True, determination),
        Measure("median absolute error", "numbers", False, median_absolute),
    )
}


def find_measure(name: str) -> Measure:
    """Return the measure of that name."""
    if name not in MEASURES:
        raise InvalidInputError(f"measure is {name!r}: pass one of {', '.join(MEASURES)}")
    return MEASURES[name]


def _of(values: Floats, counts: _Counts, positive: int | None) -> Any:
    """Return the value of one class, or the mean over the classes that have rows."""
    if positive is not None:
        return values[..., positive]
    present = counts.sum(axis=-1) > 0
    return np.where(present, np.nan_to_num(values), 0.0).sum(axis=-1) / present.sum(axis=-1)


def _right(counts: _Counts) -> _Counts:
    return np.diagonal(counts, axis1=-2, axis2=-1)


def _share(part: _Counts, whole: _Counts) -> Floats:
    return np.divide(part, whole, out=np.full(np.shape(part), np.nan), where=whole > 0)


def _area(mine: NDArray[np.bool_], levels: Indices) -> float:
    count = int(levels.max()) + 1
    positive = np.bincount(levels[mine], minlength=count)
    others = np.bincount(levels[~mine], minlength=count)
    pairs = float(positive.sum()) * float(others.sum())
    if pairs == 0.0:
        return np.nan
    return float(positive @ (np.cumsum(others) - others / 2.0)) / pairs
