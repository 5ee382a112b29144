"""Would more rows help? Scores on training and test rows, by how many rows the model was trained on.

Where the two meet, more rows do not help, and only another model would; where they are apart, more rows would. Smaller
training parts are the beginnings of larger ones, each with the classes in their shares. Intervals are those of the
mean over splits, corrected for the rows that these share as if all training rows were used.

Reference: Perlich, Provost and Simonoff (2003), *Tree induction vs. logistic regression: a learning-curve analysis*.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from chemin.dictionaries.base import Floats, Indices
from chemin.evaluate.cross_validation import check_task
from chemin.evaluate.inputs import as_numbers, check_level, check_whole, encode
from chemin.evaluate.intervals import Interval, mean_interval
from chemin.evaluate.judging import judge, name_of
from chemin.evaluate.splits import Splits, as_splits
from chemin.exceptions import InvalidInputError
from chemin.frames import as_frame
from chemin.results import Result

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SIZES = (0.1, 0.2, 0.4, 0.6, 0.8, 1.0)


@dataclass(frozen=True, eq=False, repr=False)
class LearningCurve(Result):
    """Scores by number of training rows.

    Attributes
    ----------
    model, measure : str
        What was judged, and by what.
    sizes : ndarray of shape (S,)
        Numbers of training rows.
    training, test : ndarray of shape (S, J)
        Scores on training and test rows, a column per split.
    splits : Splits
        The splits.
    level : float
        Of the intervals.
    """

    model: str
    measure: str
    sizes: Indices
    training: Floats = field(repr=False)
    test: Floats = field(repr=False)
    splits: Splits
    level: float

    @property
    def intervals(self) -> tuple[tuple[Interval, ...], tuple[Interval, ...]]:
        """Mean scores on training and on test rows, with their intervals, for each number of rows."""
        made = [
            tuple(mean_interval(row, self.splits.test_share, self.level) for row in scores)
            for scores in (self.training, self.test)
        ]
        return made[0], made[1]

    def frame(self) -> Any:
        """Return a row per number of training rows as a DataFrame."""
        training, test = self.intervals
        made: dict[str, Any] = {"rows": self.sizes}
        for name, found in (("training", training), ("test", test)):
            made[f"{name} {self.measure}"] = [one.value for one in found]
            made[f"{name} low"] = [one.low for one in found]
            made[f"{name} high"] = [one.high for one in found]
        return as_frame(made, instead="sizes, training and test")

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw mean scores on training and test rows, with their intervals, against the number of rows."""
        from chemin.plots.evaluation import draw_learning_curve

        sides = {
            name: np.array([[one.value, one.low, one.high] for one in found])
            for name, found in zip(("training rows", "test rows"), self.intervals, strict=True)
        }
        return draw_learning_curve(self.sizes, sides, measure=self.measure, title=self.model, ax=ax)

    def __str__(self) -> str:
        training, test = self.intervals
        lines = [f"{self.model}: {self.measure} by number of training rows ({self.splits})"]
        lines += [
            f"  {size:>6} rows: {seen.value:.3g} on training rows, {unseen} on test rows"
            for size, seen, unseen in zip(self.sizes.tolist(), training, test, strict=True)
        ]
        return "\n".join(lines)


def learning_curve(
    model: Any,
    X: Any,
    y: Any,
    sizes: Sequence[float] = SIZES,
    splits: Any = None,
    scoring: str = "error",
    random_state: int = 0,
    *,
    name: str | None = None,
    level: float = 0.95,
) -> LearningCurve:
    """Train on more and more rows, and judge on the same ones.

    Parameters
    ----------
    model : estimator
        It is cloned for every number of rows and every split.
    X : array, DataFrame or sparse array with n rows
        What to predict from.
    y : array of shape (n,)
        What to predict.
    sizes : list of float or int
        Shares of the training rows, up to 1.0, or numbers of rows.
    splits : Splits or pairs of positions, optional
        Five folds by default, with the classes in their shares.
    scoring : str, default "error"
        A measure, as for `cross_validate`.
    random_state : int, default 0
        Of the splits, and of the order in which rows are added.
    name : str, optional
        What the model is called; its class by default.
    level : float, default 0.95
        Of the intervals.

    Returns
    -------
    LearningCurve

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> found = learning_curve(KNeighborsClassifier(), X, y, [0.1, 0.5, 1.0])
    >>> found.sizes.tolist(), bool(found.test[-1].mean() < found.test[0].mean())
    ([12, 60, 120], True)
    """
    from sklearn import model_selection as sk

    level = check_level(level)
    seed = check_whole("random_state", random_state, 0)
    asked, n, truth, labels = check_task(model, X, y, scoring)
    drawn = as_splits(splits, n, truth, classes=labels is not None, random_state=seed)
    if len(drawn) < 2:
        raise InvalidInputError("there is 1 split, and an interval needs two: pass more splits")
    drawing = np.random.default_rng(seed)
    codes = np.zeros(n, dtype=np.intp) if labels is None else encode("y", truth, labels)
    pairs = [(_in_turn(train, codes, drawing), test) for train, test in drawn]
    counts = _as_counts(sizes, min(len(train) for train, _ in pairs))
    if labels is not None:
        _check_first([train[: counts[0]] for train, _ in pairs], codes, int(counts[0]))

    def score(fitted: Any, some: Any, values: Any) -> float:
        return judge(asked, fitted, some, np.asarray(values), labels).value

    _, training, test = sk.learning_curve(
        model, X, truth, train_sizes=counts, cv=pairs, scoring=score, error_score="raise"
    )[:3]
    if not np.isfinite(test).all():
        raise InvalidInputError(
            f"there is no {scoring} on some test rows, for want of other classes or values there: "
            "pass splits=make_splits(n, y) with fewer folds, or another scoring="
        )
    return LearningCurve(
        name or name_of(model), asked.name, np.asarray(counts), training, test, drawn, level
    )


def _in_turn(train: Indices, codes: Indices, drawing: np.random.Generator) -> Indices:
    """Return rows in random order, such that the classes have their shares in every beginning."""
    some = drawing.permutation(train)
    places = np.empty(len(some))
    for code in np.unique(codes[some]):
        mine = np.flatnonzero(codes[some] == code)
        places[mine] = (np.arange(len(mine)) + drawing.random()) / len(mine)
    return some[np.argsort(places, kind="stable")]


def _as_counts(sizes: Sequence[float], most: int) -> Indices:
    """Return numbers of rows, growing, of shares or numbers."""
    given = as_numbers("sizes", sizes)
    shares = bool(np.all(given <= 1.0)) and not isinstance(sizes[0], int | np.integer)
    counts = np.unique((given * most + 1e-9 if shares else given).astype(np.intp))
    if np.any(given <= 0.0) or counts[0] < 1 or counts[-1] > most:
        raise InvalidInputError(
            f"sizes are from {given.min():g} to {given.max():g}, and {most} rows train: "
            f"pass shares up to 1.0, or numbers from 1 to {most}"
        )
    return counts


def _check_first(firsts: list[NDArray[Any]], codes: Indices, size: int) -> None:
    if any(len(np.unique(codes[first])) < 2 for first in firsts):
        raise InvalidInputError(
            f"the first {size} training rows have only one class, from which nothing is learned: "
            "pass sizes= with a larger first one"
        )
