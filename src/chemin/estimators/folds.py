"""Which points does each fold leave out? Any scikit-learn splitter, as one column of marks per split."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold, check_cv

from chemin.estimators.search import TEST, TRAIN, UNUSED
from chemin.exceptions import InvalidInputError


def as_splits(
    cv: Any, X: Any, y: NDArray[Any], kept: NDArray[np.intp], random_state: Any
) -> NDArray[np.int8]:
    """Return, for each kept point and each split, whether it trains, is held out, or is not used.

    An integer means so many stratified folds of the kept points. If a class has fewer members than that, there are as
    many folds as it has members, with a warning; a class with one member cannot be cross-validated.
    """
    if cv is None or isinstance(cv, int | np.integer):
        splits = _stratified(5 if cv is None else int(cv), y[kept], random_state).split(
            kept, y[kept]
        )
        return _marks(splits, len(kept))
    return _marks(check_cv(cv, y, classifier=True).split(X, y), len(y))[kept]


def _marks(splits: Iterable[tuple[Any, Any]], n: int) -> NDArray[np.int8]:
    columns = []
    for number, parts in enumerate(splits, start=1):
        train, test = (
            np.flatnonzero(part) if np.asarray(part).dtype == bool else np.asarray(part)
            for part in parts
        )
        _check_split(f"split {number} of cv", train, test)
        mark = np.full(n, UNUSED, dtype=np.int8)
        mark[train], mark[test] = TRAIN, TEST
        columns.append(mark)
    if not columns:
        raise InvalidInputError(
            "cv has no splits: pass a number of folds, a splitter, or a list of (train, test) rows"
        )
    return np.stack(columns, axis=1)


def _check_split(what: str, train: NDArray[Any], test: NDArray[Any]) -> None:
    if not len(test) or not len(train):
        raise InvalidInputError(
            f"{what} has an empty part: give it rows to train on and rows to test on"
        )
    if len(np.unique(train)) < len(train):
        raise InvalidInputError(
            f"{what} trains on some rows twice: draw without replacement, or pass sample_weight"
        )
    if len(np.intersect1d(train, test)):
        raise InvalidInputError(f"{what} tests on rows it trains on: leave them out of one part")


def _stratified(folds: int, y: NDArray[Any], random_state: Any) -> StratifiedKFold:
    classes, members = np.unique(y, return_counts=True)
    name, fewest = classes.tolist()[int(np.argmin(members))], int(members.min())
    problem = (
        f"class {name!r} has {fewest} member{'s' * (fewest > 1)}, fewer than the {folds} folds"
    )
    if fewest < 2:
        raise InvalidInputError(
            f"{problem}: give it more members, drop it, or pass your own splits as cv"
        )
    if fewest < folds:
        warnings.warn(
            f"{problem}: {fewest} folds are used; pass a smaller cv to choose yourself",
            stacklevel=4,
        )
    shuffled = {} if random_state is None else {"shuffle": True, "random_state": random_state}
    return StratifiedKFold(min(folds, fewest), **shuffled)
