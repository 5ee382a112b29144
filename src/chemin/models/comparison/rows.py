"""What did a model do? One row of a comparison, of what it predicted on every split."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from chemin.dictionaries.base import Floats, Indices
from chemin.evaluate import FoldScores, Splits, confusion, proportion_interval
from chemin.evaluate.measures import (
    area,
    brier,
    calibration_error,
    determination,
    log_loss,
    mean_absolute,
)
from chemin.models.comparison.crew import Attempt
from chemin.models.comparison.result import Row
from chemin.models.comparison.task import Data, error_of


def row_of(attempt: Attempt, work: Data, splits: Splits, level: float) -> Row:
    """Return the row of a model that is finished."""
    classes = work.classes is not None
    errors = np.array(
        [
            error_of(work.y[test], outcome.predicted, classes)
            for outcome, (_, test) in zip(attempt.outcomes, splits, strict=True)
        ]
    )
    measure = "error" if classes else "RMSE"
    scores = FoldScores(attempt.name, measure, errors, splits.digest, splits.test_share, False)
    interval = scores.interval(level)
    if classes and np.ptp(errors) == 0.0:  # folds that do not differ say nothing of other rows
        n = len(work.y)
        interval = proportion_interval(round(float(errors[0]) * n), n, level)
    lengths = [outcome.length for outcome in attempt.outcomes if outcome.length is not None]
    inner = np.array([outcome.inner_error for outcome in attempt.outcomes])
    chosen = [
        ", ".join(
            f"{name} {value:.4g}" if isinstance(value, float) else f"{name} {value}"
            for name, value in outcome.chosen.items()
        )
        for outcome in attempt.outcomes
    ]
    certificates = [outcome.certificate for outcome in attempt.outcomes if outcome.certificate]
    return Row(
        attempt.name,
        attempt.status,
        scores=scores,
        error=replace(  # no error is negative, no share more than 1
            interval,
            low=max(interval.low, 0.0),
            high=min(interval.high, 1.0 if classes else np.inf),
        ),
        losses=_losses(attempt, work, splits),
        measures=_measures(attempt, work, splits),
        seconds=attempt.seconds,
        length=float(np.mean([length for length, _ in lengths])) if lengths else float("nan"),
        unit=lengths[0][1] if lengths else "",
        optimism=float(np.mean(errors - inner)),
        chosen="; ".join(dict.fromkeys(filter(None, chosen))),
        certificate=certificates[-1] if certificates else "",
    )


def _losses(attempt: Attempt, work: Data, splits: Splits) -> Floats:
    """Return the mean loss of each row over its tests."""
    sums = np.zeros(len(work.y))
    for outcome, (_, test) in zip(attempt.outcomes, splits, strict=True):
        if work.classes is None:
            sums[test] += (outcome.predicted - work.y[test]) ** 2
        else:
            sums[test] += outcome.predicted != work.y[test]
    return sums / splits.repeats


def _measures(attempt: Attempt, work: Data, splits: Splits) -> dict[str, float]:
    """Return further measures over the test rows of all splits."""
    y = np.concatenate([work.y[test] for _, test in splits])
    predicted = np.concatenate([outcome.predicted for outcome in attempt.outcomes])
    if work.classes is None:
        return {"R²": determination(y, predicted), "MAE": mean_absolute(y, predicted)}
    made = {"balanced error": confusion(y, predicted, work.classes.tolist()).balanced_error}
    given = [one.probabilities for one in attempt.outcomes if one.probabilities is not None]
    if len(given) < len(attempt.outcomes):
        return made
    place = np.searchsorted(work.classes, y)
    probabilities = np.concatenate(given)
    return made | {
        "AUC": _mean_area(place, probabilities, splits),
        "log-loss": log_loss(place, probabilities),
        "Brier": brier(place, probabilities),
        "calibration error": calibration_error(place, probabilities),
    }


def _mean_area(place: Indices, probabilities: Floats, splits: Splits) -> float:
    """Return the mean over splits, whose probabilities are not on one scale."""
    ends = np.cumsum([len(test) for _, test in splits])[:-1]
    parts = zip(np.split(place, ends), np.split(probabilities, ends), strict=True)
    areas = [area(one, other) for one, other in parts]
    known = [value for value in areas if np.isfinite(value)]
    return float(np.mean(known)) if known else float("nan")
