"""Which model for these data? All of the registry on the same splits, in one call.

Everything learned is learned from training rows: gaps filled, words encoded, scales, parameters, the model. Where
parameters are chosen, they are chosen by folds inside the training rows: the error told is that of rows that chose
nothing.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from chemin.evaluate import Splits, make_splits
from chemin.evaluate.inputs import check_level, check_whole
from chemin.exceptions import InvalidInputError
from chemin.exploration.points import check_finite
from chemin.exploration.subject import Subject, as_subject
from chemin.models.comparison.crew import Attempt, Crew
from chemin.models.comparison.result import Comparison, Row
from chemin.models.comparison.rows import row_of
from chemin.models.comparison.task import Data
from chemin.models.comparison.verdict import choose_test, in_groups, recommend
from chemin.models.registry import baselines, find, guide, names, pick
from chemin.progress import Bar
from chemin.results import plural

BUDGET = 600.0  # seconds
_ROPE = 0.01  # of the labels, or of the spread of the target
_QUICK = ("baseline", "generative", "linear", "neighbours", "tree", "ensemble", "kernel", "network")


def compare(
    data: Any,
    target: Any = None,
    models: str | Sequence[str] = "all",
    *,
    rows: Any = None,
    folds: int = 5,
    repeats: int = 1,
    inner_folds: int = 3,
    budget: float | None = BUDGET,
    workers: int | None = None,
    level: float = 0.95,
    rope: float | None = None,
    random_state: int = 0,
    progress: bool = False,
) -> Comparison:
    """Compare models on the same splits, with intervals and tests.

    A trivial, a linear and a boosted model are always among them. A model that cannot take the data, fails, or takes
    too long is a row with the reason. An interrupt keeps what is finished.

    Parameters
    ----------
    data : Table, DataFrame, dict of columns, array, path or name
        What `chemin.read` takes or gives.
    target : str or array of shape (n,)
        What is to be predicted; by default that of a `Table`.
    models : "all" or list of str, default "all"
        Names of `chemin.models.names`.
    rows : int, slice or array, optional
        Which rows to use; the others stay unseen.
    folds, repeats : int, default 5 and 1
        Splits: so many folds, drawn so many times.
    inner_folds : int, default 3
        Folds inside training rows, by which parameters are chosen.
    budget : float, optional
        Seconds for everything, 600 by default; None for as long as it takes. No model takes more than three equal parts
        of what is left when it begins.
    workers : int, optional
        Processes, as many as there are processors by default; 0 works in this one, where a model is stopped between two
        splits only.
    level : float, default 0.95
        Of intervals and groups.
    rope : float, optional
        A difference of the error that does not matter; by default 0.01, of numbers a hundredth of their standard
        deviation.
    random_state : int, default 0
        Of splits and models: the same one gives the same rows for all models that are finished.
    progress : bool, default False
        Draw a bar.

    Returns
    -------
    Comparison

    Examples
    --------
    >>> found = compare("iris", models=["lda", "knn"], folds=2, inner_folds=2, workers=0)
    >>> round(found["lda"].error.value, 3)
    0.033
    >>> sorted(row.name for row in found.rows)
    ['hist-gradient-boosting', 'knn', 'lda', 'logistic', 'majority']
    """
    subject = as_subject(data, target, rows, random_state=random_state)
    if subject.target is None:
        raise InvalidInputError("no target was named: pass target=, the column to predict")
    if subject.target.values.dtype.kind == "M":
        raise InvalidInputError(
            "the target is a date: pass a number, such as the days since some day"
        )
    _check(budget, workers, rope)
    level = check_level(level)
    inner_folds = check_whole("inner_folds", inner_folds, 2)
    known = np.flatnonzero(~subject.target.absent)
    if len(known) < subject.n:
        said = f"{subject.said}, of which {len(known)} have a target"
        subject = subject.take(known, said)
    _check_columns(subject)
    work = _data(subject, inner_folds, folds, random_state)
    task = "numbers" if work.classes is None else "classes"
    tried = _in_order([*baselines(task), *_asked(models, task)])
    splits = make_splits(
        subject.n, work.y, folds=folds, repeats=repeats, classes=work.classes is not None,
        random_state=random_state,
    )  # fmt: skip
    crew = Crew(work, list(splits), budget, _count(workers), baselines(task))
    attempts = crew.try_all(tried, Bar("models", len(tried), progress))
    return _comparison(attempts, work, splits, level, rope, subject)


def _data(subject: Subject, inner_folds: int, folds: int, random_state: int) -> Data:
    """Return inputs, target and types of the columns."""
    if subject.has_classes:
        y = subject.table.y
        labels, counts = np.unique(y, return_counts=True)
        rarest = int(np.argmin(counts))
        if len(labels) < 2:
            raise InvalidInputError(
                f"the target has one class only, {str(labels[0])!r}: pass rows of another class, or another target"
            )
        if isinstance(folds, int) and counts[rarest] < folds:
            raise InvalidInputError(
                f"class {str(labels[rarest])!r} has {plural(int(counts[rarest]), 'row')} for {folds} folds: pass fewer "
                "folds, or leave its rows out"
            )
        return Data(subject.table.X, y, subject.types, labels, inner_folds, random_state)
    y = np.asarray(subject.table.y, dtype=float)
    return Data(subject.table.X, y, subject.types, None, inner_folds, random_state)


def _asked(models: Any, task: str) -> list[str]:
    """Return names; of all, those whose library is missing are rows, too, which say how to install it."""
    if isinstance(models, str) and models == "all":
        return names(task)
    listed = [models] if isinstance(models, str) else models
    if not isinstance(listed, Sequence) or not all(isinstance(name, str) for name in listed):
        raise InvalidInputError(
            f"models is {models!r}: pass 'all', or names of chemin.models.names({task!r})"
        )
    return [model.name for model in pick(listed, task)]


def _in_order(asked: Sequence[str]) -> list[str]:
    """Return names once each, quick kinds first."""
    once = list(dict.fromkeys(asked))
    return sorted(once, key=lambda name: _QUICK.index(find(name).kind))


def _count(workers: int | None) -> int:
    if workers is not None:
        return workers
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _check(budget: Any, workers: Any, rope: Any) -> None:
    for name, value, least in (("budget", budget, 1e-9), ("rope", rope, 0.0)):
        numeric = isinstance(value, int | float | np.number) and not isinstance(value, bool)
        if value is not None and not (numeric and value >= least):
            raise InvalidInputError(f"{name} is {value!r}: pass a positive number, or None")
    if workers is not None:
        check_whole("workers", workers, 0)


def _check_columns(subject: Subject) -> None:
    """Raise if no model can take the table."""
    used = [
        column for column in subject.inputs if column.field.type not in ("identifier", "constant")
    ]
    if not used:
        raise InvalidInputError(
            "there is no column to learn from: all inputs are constant, or name the rows; pass others, or types="
        )
    for column in [*used, *filter(None, [subject.target])]:
        check_finite(column.name, column.values)


def _comparison(
    attempts: Sequence[Attempt],
    work: Data,
    splits: Splits,
    level: float,
    rope: float | None,
    subject: Subject,
) -> Comparison:
    finished = [attempt for attempt in attempts if attempt.status == "finished"]
    rows = sorted(
        (row_of(attempt, work, splits, level) for attempt in finished),
        key=lambda row: float(row.errors.mean()),
    )
    classes = work.classes is not None
    groups = in_groups(rows, choose_test(classes, splits.repeats), 1.0 - level)
    told = [replace(row, group=group) for row, group in zip(rows, groups, strict=True)]
    told += [Row(a.name, a.status, a.why) for a in attempts if a.status != "finished"]
    spread = 1.0 if classes else float(np.std(work.y))
    same = _ROPE * spread if rope is None else float(rope)
    chance_model = "majority" if classes else "mean"
    return Comparison(
        tuple(told),
        "error" if classes else "RMSE",
        recommend([row for row in told if row.group == 0], chance_model, same),
        chance_model,
        str(splits),
        splits.digest,
        same,
        subject.said,
        tuple(guide(subject.n, len(subject.inputs), numbers=not classes)),
    )
