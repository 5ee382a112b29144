"""Is what was learned as good as other models are? All on the same splits of the training rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import train_test_split

from chemin.dictionaries.base import Indices
from chemin.evaluate import Interval
from chemin.models import pick
from chemin.models.comparison import compare
from chemin.models.comparison.result import Row
from chemin.study.document import CLASSES, ComparisonFacts, Recipe, RowFacts
from chemin.study.steps.learning import MODELS
from chemin.study.steps.reading import Source

AGAINST = {  # beside Chemin's models and the baselines, where a recipe names none: quick and well known
    "classes": ("lda", "tree", "svm-rbf"),
    "numbers": ("ols", "tree-regressor", "svr-rbf"),
}
NONE = "none"


def check_against(recipe: Recipe, task: str) -> None:
    """Raise if a model to compare with is not known, before any work is done."""
    if recipe.against and recipe.against != (NONE,):
        pick(recipe.against, task)


def compare_models(
    source: Source, train: Indices, most: int, recipe: Recipe, progress: bool
) -> ComparisonFacts | None:
    """Compare models on at most so many training rows; None where that is not asked for, or rows are too few.

    Raises
    ------
    KeyboardInterrupt
        If it was interrupted: what is finished by then is not a comparison.
    """
    rows = _drawn(source, train, most, recipe.random_state)
    folds = _folds(source, rows, recipe.folds)
    if recipe.against == (NONE,) or folds < 2:
        return None
    ours = [names[source.task] for names in MODELS.values()]
    found = compare(
        source.table, rows=rows, models=[*ours, *(recipe.against or AGAINST[source.task])],
        folds=folds, budget=recipe.budget, random_state=recipe.random_state, progress=progress,
    )  # fmt: skip
    if any(row.status == "cancelled" for row in found.rows):
        raise KeyboardInterrupt
    splits = found.splits.removesuffix(f", digest {found.digest}")
    if len(rows) < len(train):
        splits += f" drawn from the {len(train)} so that it ends in time"
    return ComparisonFacts(
        measure=found.measure,
        rows=tuple(map(_facts, found.rows)),
        recommended=found.recommended or "",
        splits=splits,
        digest=found.digest,
        said=found.said,
    )


def _drawn(source: Source, train: Indices, most: int, random_state: int) -> Indices:
    """Draw so many of the training rows; of classes, the same share of each where that leaves some of each."""
    y = source.y[train]
    by_class = y if source.task == CLASSES and _rarest(y) >= 2 else None
    fewest = 1 if by_class is None else len(np.unique(y))  # to leave out: one row of each class
    if most > len(train) - fewest:
        return train
    rows, _ = train_test_split(train, train_size=most, stratify=by_class, random_state=random_state)
    return np.sort(rows)


def _folds(source: Source, train: Indices, wanted: int) -> int:
    """Return how many folds there can be: no more than the rarest class has rows."""
    y = source.y[train]
    least = len(y) if source.task != CLASSES else _rarest(y)
    return min(wanted, least)


def _rarest(y: NDArray[Any]) -> int:
    return int(np.unique(y, return_counts=True)[1].min())


def _facts(row: Row) -> RowFacts:
    error = row.error
    length = float(row.length) if np.isfinite(row.length) else None
    return RowFacts(
        name=row.name,
        status=row.status,
        why=row.why,
        error=_end(error, "value"),
        low=_end(error, "low"),
        high=_end(error, "high"),
        group=row.group,
        length=length,
        unit=row.unit,
        seconds=round(row.seconds, 2),
        certificate=row.certificate,
    )


def _end(interval: Interval | None, name: str) -> float | None:
    value = float("nan") if interval is None else float(getattr(interval, name))
    return value if np.isfinite(value) else None
