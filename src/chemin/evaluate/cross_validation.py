"""How good would the model be on new rows? Every row is judged by a model that did not see it.

The mean over splits estimates the score of a model trained on as many rows. Where parameters are chosen by the same
splits that judge, the best of many scores is told, which is too good: the optimism. Nested cross-validation chooses
them inside each training part, by folds of its own, and judges on rows that took no part in the choice.

References: Stone (1974); Varma and Simon (2006), *Bias in error estimation when using cross-validation for model
selection*; Cawley and Talbot (2010).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from chemin.dictionaries.base import Floats
from chemin.evaluate.differences import FoldScores
from chemin.evaluate.inputs import as_numbers, as_values, check_whole, find_labels
from chemin.evaluate.intervals import Interval
from chemin.evaluate.judging import judge, name_of, rows_of, size_of
from chemin.evaluate.measures import Measure, find_measure
from chemin.evaluate.splits import Splits, as_splits, make_splits
from chemin.exceptions import InvalidInputError
from chemin.frames import as_frame
from chemin.progress import Bar
from chemin.results import Result

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SEARCHES = ("grid", "halving")


@dataclass(frozen=True, eq=False, repr=False)
class CrossValidation(Result):
    """Scores of one model, split by split, and what it predicted for rows it had not seen.

    Attributes
    ----------
    scores : FoldScores
        One score per split.
    training : ndarray of shape (J,)
        The same measure on the rows each model was trained on.
    predicted : tuple of ndarray
        Predictions of the test rows of each split.
    splits : Splits
        The splits.
    """

    scores: FoldScores
    training: Floats
    predicted: tuple[NDArray[Any], ...] = field(repr=False)
    splits: Splits

    @property
    def out_of_fold(self) -> NDArray[Any]:
        """One prediction per row, that of the first repetition, by a model that had not seen the row."""
        if not self.splits.partition:
            raise InvalidInputError(
                "some rows are never judged, or several times: pass splits of k-fold or leave-one-out, "
                "or read predicted"
            )
        first = self.splits.pairs[: self.splits.folds]
        made = np.concatenate(self.predicted[: self.splits.folds])
        order = np.concatenate([test for _, test in first])
        return np.asarray(made[np.argsort(order)])

    def interval(self, level: float = 0.95) -> Interval:
        """Return the mean score and its interval, corrected for the training rows that splits share."""
        return self.scores.interval(level)

    def frame(self) -> Any:
        """Return a row per split as a DataFrame."""
        measure = self.scores.measure
        made = {
            "split": np.arange(len(self.training)),
            f"training {measure}": self.training,
            f"test {measure}": self.scores.values,
        }
        return as_frame(made, instead="scores and training")

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw training and test scores, split by split, and the mean of the latter with its interval."""
        from chemin.plots.evaluation import draw_folds

        ends = None
        if len(self.training) > 1:
            found = self.interval()
            ends = (found.value, found.low, found.high)
        sides = {"training rows": self.training, "test rows": self.scores.values}
        return draw_folds(sides, ends, measure=self.scores.measure, title=str(self.scores), ax=ax)

    def __str__(self) -> str:
        return f"{self.scores}; {self.training.mean():.3g} on training rows ({self.splits})"


@dataclass(frozen=True, eq=False, repr=False)
class Nested(Result):
    """Scores of a search, judged on rows that took no part in it.

    Attributes
    ----------
    scores : FoldScores
        One score per outer split.
    inner : ndarray of shape (J,)
        The best score inside each training part, by which the parameters were chosen.
    chosen : tuple of dict
        The parameters that were chosen in each.
    predicted : tuple of ndarray
        Predictions of the test rows of each outer split.
    splits : Splits
        The outer splits.
    candidates : int
        How many parameters there were to choose from.
    """

    scores: FoldScores
    inner: Floats
    chosen: tuple[dict[str, Any], ...]
    predicted: tuple[NDArray[Any], ...] = field(repr=False)
    splits: Splits
    candidates: int

    @property
    def optimism(self) -> float:
        """By how much the mean score of the search looks better than that on rows it had not seen."""
        away = float(self.inner.mean() - self.scores.values.mean())
        return away if self.scores.greater_is_better else -away

    def interval(self, level: float = 0.95) -> Interval:
        """Return the mean score and its interval, corrected for the training rows that splits share."""
        return self.scores.interval(level)

    def frame(self) -> Any:
        """Return a row per outer split as a DataFrame."""
        measure = self.scores.measure
        made: dict[str, Any] = {
            "split": np.arange(len(self.inner)),
            f"search {measure}": self.inner,
            f"test {measure}": self.scores.values,
        }
        for name in self.chosen[0]:
            made[name] = [one.get(name) for one in self.chosen]
        return as_frame(made, instead="scores, inner and chosen")

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the scores of the search and those on unseen rows, split by split."""
        from chemin.plots.evaluation import draw_folds

        ends = None
        if len(self.inner) > 1:
            found = self.interval()
            ends = (found.value, found.low, found.high)
        sides = {"best of the search": self.inner, "unseen rows": self.scores.values}
        title = f"{self.scores.model}: optimism {self.optimism:.2g}"
        return draw_folds(sides, ends, measure=self.scores.measure, title=title, ax=ax)

    def __str__(self) -> str:
        return (
            f"{self.scores}; the best of {self.candidates} candidates looked like {self.inner.mean():.3g}, "
            f"an optimism of {self.optimism:.2g} ({self.splits})"
        )


def cross_validate(
    model: Any,
    X: Any,
    y: Any,
    splits: Any = None,
    *,
    measure: str = "error",
    name: str | None = None,
    random_state: int = 0,
    progress: bool = False,
) -> CrossValidation:
    """Train on one part and judge on the other, split by split.

    Parameters
    ----------
    model : estimator
        It is cloned for every split.
    X : array, DataFrame or sparse array with n rows
        What to predict from.
    y : array of shape (n,)
        What to predict.
    splits : Splits or pairs of positions, optional
        Five folds by default, with the classes in their shares.
    measure : str, default "error"
        For classes "error", "accuracy", "balanced error", "precision", "recall", "F1", "AUC", "log-loss", "Brier" or
        "calibration error"; for numbers "RMSE", "MAE", "R2" or "median absolute error". Of two labels, precision,
        recall and F1 are those of the second one; of more, means over classes.
    name : str, optional
        What the model is called; its class by default.
    random_state : int, default 0
        Of the splits.
    progress : bool, default False
        Draw a bar.

    Returns
    -------
    CrossValidation

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> found = cross_validate(KNeighborsClassifier(), X, y)
    >>> print(found.scores)
    KNeighborsClassifier: error ...
    >>> bool(np.mean(found.out_of_fold != y) < 0.06)
    True
    """
    from sklearn.base import clone

    asked, n, truth, labels = check_task(model, X, y, measure)
    drawn = as_splits(splits, n, truth, classes=labels is not None, random_state=random_state)
    values = []
    training = []
    predicted = []
    for place, (train, test) in enumerate(Bar("splits", len(drawn), progress).over(drawn)):
        _check_classes(truth, train, labels, place)
        fitted = clone(model).fit(rows_of(X, train), truth[train])
        seen = judge(asked, fitted, rows_of(X, train), truth[train], labels)
        unseen = _judge_part(asked, fitted, rows_of(X, test), truth[test], labels, place)
        training.append(seen.value)
        values.append(unseen.value)
        predicted.append(unseen.predicted)
    scores = _fold_scores(name or name_of(model), asked, values, drawn)
    return CrossValidation(scores, np.array(training), tuple(predicted), drawn)


def nested(
    model: Any,
    space: Mapping[str, Any] | Sequence[Mapping[str, Any]],
    X: Any,
    y: Any,
    outer: Any = None,
    inner_folds: int = 3,
    *,
    search: str = "grid",
    measure: str = "error",
    name: str | None = None,
    random_state: int = 0,
    progress: bool = False,
) -> Nested:
    """Choose parameters inside each training part, and judge on the other.

    Parameters
    ----------
    model : estimator
        It is cloned for every split.
    space : dict of lists, or a list of such
        The values to try for each parameter.
    X : array, DataFrame or sparse array with n rows
        What to predict from.
    y : array of shape (n,)
        What to predict.
    outer : Splits or pairs of positions, optional
        Splits that judge; five folds by default.
    inner_folds : int, default 3
        Folds of each training part, that choose.
    search : {"grid", "halving"}, default "grid"
        Try all on all rows, or more and more rows for fewer and fewer candidates.
    measure : str, default "error"
        As for `cross_validate`.
    name : str, optional
        What the search is called; the class of the model by default.
    random_state : int, default 0
        Of all splits, and of halving.
    progress : bool, default False
        Draw a bar.

    Returns
    -------
    Nested

    Examples
    --------
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> drawing = np.random.default_rng(0)
    >>> X, y = drawing.normal(size=(60, 20)), drawing.integers(2, size=60)
    >>> found = nested(KNeighborsClassifier(), {"n_neighbors": [1, 3, 5, 7, 9, 11, 13]}, X, y)
    >>> found.optimism > 0.0, found.candidates
    (True, 7)
    """
    if search not in SEARCHES:
        raise InvalidInputError(f"search is {search!r}: pass 'grid' or 'halving'")
    folds = check_whole("inner_folds", inner_folds, 2)
    asked, n, truth, labels = check_task(model, X, y, measure)
    _check_space(model, space)
    drawn = as_splits(outer, n, truth, classes=labels is not None, random_state=random_state)
    values = []
    inner = []
    chosen = []
    predicted = []
    candidates = 0
    for place, (train, test) in enumerate(Bar("splits", len(drawn), progress).over(drawn)):
        _check_classes(truth, train, labels, place)
        found = _search(
            search, model, space, asked, rows_of(X, train), truth[train], labels, folds, random_state
        )  # fmt: skip
        unseen = _judge_part(
            asked, found.best_estimator_, rows_of(X, test), truth[test], labels, place
        )
        values.append(unseen.value)
        inner.append(found.best_score_ if asked.greater_is_better else -found.best_score_)
        chosen.append(dict(found.best_params_))
        predicted.append(unseen.predicted)
        candidates = len({str(one) for one in found.cv_results_["params"]})
    scores = _fold_scores(name or name_of(model), asked, values, drawn)
    return Nested(scores, np.array(inner), tuple(chosen), tuple(predicted), drawn, candidates)


def _search(
    search: str,
    model: Any,
    space: Any,
    measure: Measure,
    X: Any,
    y: NDArray[Any],
    labels: tuple[Any, ...] | None,
    folds: int,
    random_state: int,
) -> Any:
    """Return a search that has tried every candidate on folds of these rows, and fitted the best one on all of them."""
    from sklearn import model_selection as sk

    sign = 1.0 if measure.greater_is_better else -1.0

    def score(fitted: Any, some: Any, truth: Any) -> float:
        return sign * judge(measure, fitted, some, np.asarray(truth), labels).value

    if search == "halving":  # its folds are drawn anew for each number of rows
        from sklearn.experimental import enable_halving_search_cv  # noqa: F401

        by = sk.KFold if labels is None else sk.StratifiedKFold
        made = sk.HalvingGridSearchCV(
            model, space, scoring=score, cv=by(folds, shuffle=True, random_state=random_state),
            error_score="raise", random_state=random_state,
        )  # fmt: skip
    else:
        cv = make_splits(
            len(y), y, folds=folds, classes=labels is not None, random_state=random_state
        )
        made = sk.GridSearchCV(model, space, scoring=score, cv=cv, error_score="raise")
    return made.fit(X, y)


def check_task(
    model: Any, X: Any, y: Any, measure: str
) -> tuple[Measure, int, NDArray[Any], tuple[Any, ...] | None]:
    """Return the measure, the number of rows, what is predicted, and the labels if these are classes."""
    from sklearn.base import is_regressor

    asked = find_measure(measure)
    if not hasattr(model, "fit") or not hasattr(model, "predict") or isinstance(model, type):
        raise InvalidInputError(f"model is {model!r}: pass an estimator, with fit and predict")
    numbers = asked.needs == "numbers"
    if is_regressor(model) and not numbers:
        raise InvalidInputError(
            f"{name_of(model)} predicts numbers, and {measure!r} is of classes: pass measure='RMSE', or a classifier"
        )
    n = size_of(X)
    truth = as_numbers("y", y) if numbers else as_values("y", y)
    if len(truth) != n:
        raise InvalidInputError(
            f"X has {n} rows and y has {len(truth)}: pass the same rows in both"
        )
    if numbers:
        return asked, n, truth, None
    labels = find_labels(truth)
    if len(labels) < 2:
        raise InvalidInputError(
            f"y has only class {labels[0]!r}: pass rows of two classes at least"
        )
    return asked, n, truth, labels


def _check_classes(
    truth: NDArray[Any], train: NDArray[Any], labels: tuple[Any, ...] | None, place: int
) -> None:
    if labels is None:
        return
    found = set(truth[train].tolist())
    if len(found) < 2:
        raise InvalidInputError(
            f"the training part of split {place} has only class {next(iter(found))!r}, from which nothing is learned: "
            "pass splits=make_splits(n, y), which keep the shares of the classes"
        )


def _judge_part(
    measure: Measure,
    fitted: Any,
    X: Any,
    y: NDArray[Any],
    labels: tuple[Any, ...] | None,
    place: int,
) -> Any:
    found = judge(measure, fitted, X, y, labels)
    if not np.isfinite(found.value):
        raise InvalidInputError(
            f"there is no {measure.name} on the {len(y)} test rows of split {place}, for want of other classes or "
            "values there: pass splits=make_splits(n, y) with fewer folds, or another measure="
        )
    return found


def _fold_scores(name: str, measure: Measure, values: list[float], splits: Splits) -> FoldScores:
    return FoldScores(
        name, measure.name, np.array(values), splits.digest, splits.test_share, measure.greater_is_better
    )  # fmt: skip


def _check_space(model: Any, space: Any) -> None:
    grids = [space] if isinstance(space, Mapping) else list(space)
    known = model.get_params()
    for grid in grids:
        for parameter, values in grid.items():
            if parameter not in known:
                raise InvalidInputError(
                    f"{name_of(model)} has no parameter {parameter!r}: pass some of {', '.join(list(known)[:12])}"
                )
            if isinstance(values, str) or not hasattr(values, "__len__") or not len(values):
                raise InvalidInputError(
                    f"the values of {parameter!r} are {values!r}: pass a list with one value at least"
                )
    if not any(grids):
        raise InvalidInputError("space is empty: pass {'parameter': [values to try]}")
