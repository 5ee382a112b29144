"""How good are predicted classes? The confusion matrix, and all that is counted in it.

counts[i, j] is how many rows of label i were predicted as label j. Shares of rows have exact intervals; F and macro
means have those of the bootstrap, whose draws of n rows are draws of the cells of the matrix (a multinomial law).

References: Sokolova and Lapalme (2009) for the measures; Guo et al. (2017) for the calibration error.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from chemin.dictionaries.base import Floats, Indices
from chemin.evaluate import measures
from chemin.evaluate.inputs import (
    as_columns,
    as_positive,
    as_probabilities,
    as_values,
    check_labels,
    check_lengths,
    check_level,
    check_whole,
    encode,
    find_labels,
)
from chemin.evaluate.intervals import Interval, bootstrap_interval, proportion_interval, summarize
from chemin.evaluate.score_table import Scores
from chemin.exceptions import InvalidInputError
from chemin.frames import as_frame
from chemin.results import Result, plural

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_DRAWS = 1000
_CELLS = 10**6  # of drawn matrices that are held at once
_TABLE = ("error", "balanced error", "precision", "recall", "F1")
_SHARES = ("precision", "recall", "specificity", "false-positive rate")
_OF_PROBABILITIES = ("log-loss", "Brier", "calibration error")


@dataclass(frozen=True, eq=False, repr=False)
class ConfusionMatrix(Result):
    """How many rows of each label were predicted as which.

    Attributes
    ----------
    labels : tuple
        The labels, in the order of rows and columns.
    counts : ndarray of shape (K, K)
        True labels in rows, predicted ones in columns.
    """

    labels: tuple[Any, ...]
    counts: Indices

    def __post_init__(self) -> None:
        counts = np.asarray(self.counts)
        whole = counts.dtype.kind in "iu" and counts.ndim == 2 and counts.size > 0
        if (
            not whole
            or counts.shape != (len(self.labels),) * 2
            or counts.min() < 0
            or not counts.any()
        ):
            raise InvalidInputError(
                f"counts has shape {counts.shape} for {plural(len(self.labels), 'label')}: pass whole numbers, 0 or "
                "larger, with a row and a column per label, and at least one row counted"
            )
        object.__setattr__(self, "labels", tuple(self.labels))
        object.__setattr__(self, "counts", counts.astype(np.intp))

    @property
    def n(self) -> int:
        """How many rows were counted."""
        return int(self.counts.sum())

    @property
    def error(self) -> float:
        """The share of wrong rows."""
        return float(measures.error(self.counts))

    @property
    def accuracy(self) -> float:
        """The share of right rows."""
        return float(measures.accuracy(self.counts))

    @property
    def balanced_error(self) -> float:
        """1 less the mean recall of the classes."""
        return float(measures.balanced_error(self.counts))

    @property
    def precision(self) -> Floats:
        """Of each class, how many rows called so are so; NaN where none is called so."""
        return measures.precisions(self.counts)

    @property
    def recall(self) -> Floats:
        """Of each class, how many of its rows are called so; NaN where it has none."""
        return measures.recalls(self.counts)

    @property
    def specificity(self) -> Floats:
        """Of each class, how many rows of the others are not called so."""
        return measures.specificities(self.counts)

    @property
    def false_positive_rate(self) -> Floats:
        """Of each class, how many rows of the others are called so."""
        return measures.false_positive_rates(self.counts)

    def f_beta(self, beta: float = 1.0) -> Floats:
        """Return F_β of each class, in which recall counts β times as much as precision."""
        return measures.f_scores(self.counts, _check_beta(beta))

    def macro(self, measure: str, beta: float = 1.0) -> float:
        """Return the mean of "precision", "recall" or "F" over the classes that have rows."""
        return float(_macro(measure, beta)(self.counts, None))

    def interval(
        self,
        measure: str = "error",
        label: Any = None,
        *,
        beta: float = 1.0,
        level: float = 0.95,
        draws: int = _DRAWS,
        random_state: int = 0,
    ) -> Interval:
        """Return a measure with its interval.

        Parameters
        ----------
        measure : str, default "error"
            "error", "accuracy", "precision", "recall", "specificity", "false-positive rate", "balanced error" or "F".
        label : optional
            Of which class; the macro mean if None.
        beta : float, default 1.0
            How much recall counts in F.
        level : float, default 0.95
            How often such an interval holds the true value.
        draws, random_state : int
            Of the bootstrap, for F and means.

        Returns
        -------
        Interval

        Examples
        --------
        >>> matrix = ConfusionMatrix(("+", "-"), np.array([[200, 300], [100, 400]]))
        >>> print(matrix.interval("recall", "+"))
        0.4 (0.357 to 0.444 at 95%, exact)
        """
        level = check_level(level)
        place = None if label is None else self._place(label)
        if measure in ("error", "accuracy") or (place is not None and measure in _SHARES):
            successes, total = _counted(self.counts, measure, place)
            return proportion_interval(successes, total, level)
        compute = partial(_macro(measure, beta), positive=place)
        return _cell_interval(self.counts, compute, level, draws, random_state)

    def frame(self) -> Any:
        """Return a row per class as a DataFrame."""
        made = {
            "label": list(self.labels),
            "rows": self.counts.sum(axis=1),
            "predicted": self.counts.sum(axis=0),
            "precision": self.precision,
            "recall": self.recall,
            "specificity": self.specificity,
            "F1": self.f_beta(),
        }
        return as_frame(made, instead="counts")

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the matrix: counts, and as colours shares of the rows of each label."""
        from chemin.plots.evaluation import draw_confusion

        return draw_confusion(self.labels, self.counts, title=str(self).split("\n")[0], ax=ax)

    def __str__(self) -> str:
        names = [str(label) for label in self.labels]
        first = max(map(len, [*names, "true"]))
        width = max(*map(len, names), len(str(self.counts.max()))) + 2
        lines = [f"{plural(self.n, 'row')}, error {self.interval('error')}"]
        lines.append(
            f"  {'true':<{first}}  predicted" + "".join(f"{name:>{width}}" for name in names)
        )
        lines += [
            f"  {name:<{first}}           " + "".join(f"{count:>{width}}" for count in row)
            for name, row in zip(names, self.counts.tolist(), strict=True)
        ]
        return "\n".join(lines)

    def _place(self, label: Any) -> int:
        if label not in self.labels:
            raise InvalidInputError(
                f"label is {label!r}: pass one of {', '.join(map(repr, self.labels))}"
            )
        return self.labels.index(label)


def confusion(
    y: Any, predicted: Any, labels: Sequence[Any] | NDArray[Any] | None = None
) -> ConfusionMatrix:
    """Count which labels were predicted as which.

    Parameters
    ----------
    y, predicted : array of shape (n,)
        True and predicted labels.
    labels : sequence, optional
        All labels and their order; those found, sorted, by default.

    Returns
    -------
    ConfusionMatrix

    Examples
    --------
    >>> print(confusion(["+", "+", "-", "-", "-"], ["+", "-", "-", "-", "+"]))
    5 rows, error 0.4 (0.0527 to 0.853 at 95%, exact)
      true  predicted  +  -
      +                1  1
      -                1  2
    """
    known, truth, called = _coded(y, predicted, labels)
    return ConfusionMatrix(known, _count(truth, called, len(known)))


def scores(
    y: Any,
    predicted: Any,
    probabilities: Any = None,
    decisions: Any = None,
    positive: Any = None,
    level: float = 0.95,
    random_state: int = 0,
    *,
    labels: Sequence[Any] | NDArray[Any] | None = None,
    draws: int = _DRAWS,
) -> Scores:
    """Return the measures of predicted classes, each with its interval.

    Parameters
    ----------
    y, predicted : array of shape (n,)
        True and predicted labels.
    probabilities : array of shape (n, K) or (n,), optional
        What ``predict_proba`` gives; one column is that of the second of two labels.
    decisions : array of shape (n, K) or (n,), optional
        What ``decision_function`` gives: the larger, the more it is the label of the column, of one column the second
        label. By default the probabilities.
    positive : optional
        Of two labels the one that precision, recall and F1 are of, the second one by default. Of more labels they are
        means over the classes.
    level : float, default 0.95
        Of the intervals.
    random_state, draws : int
        Of the bootstrap.
    labels : sequence, optional
        The order of the columns, ``model.classes_``; sorted by default.

    Returns
    -------
    Scores

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = GaussianNB().fit(X[::2], y[::2])
    >>> found = scores(y[1::2], model.predict(X[1::2]), model.predict_proba(X[1::2]))
    >>> print(found["error"])
    0.0704 (0.0435 to 0.107 at 95%, exact)
    >>> found["AUC"].value > 0.95
    True
    """
    level = check_level(level)
    known, truth, called = _coded(y, predicted, labels)
    if len(np.unique(truth)) < 2:
        raise InvalidInputError(
            f"y has only rows of class {known[truth[0]]!r}: pass rows of two classes at least, or use "
            "confusion(y, predicted).interval('error')"
        )
    two = len(known) == 2 or positive is not None
    label = known[as_positive(positive, known)] if two else None
    matrix = ConfusionMatrix(known, _count(truth, called, len(known)))
    found = {
        name: matrix.interval(
            "F" if name == "F1" else name, None if name in _TABLE[:2] else label,
            level=level, draws=draws, random_state=random_state,
        )
        for name in _TABLE
    }  # fmt: skip
    left_out: dict[str, str] = {}
    laws = None if probabilities is None else as_probabilities(probabilities, known)
    ranked = laws if decisions is None else as_columns("decisions", decisions, known)
    drawn: dict[str, Any] = {"level": level, "draws": draws, "random_state": random_state}
    if ranked is None:
        left_out["AUC"] = "pass decisions= or probabilities="
    elif len(np.unique(truth)) < len(known):
        left_out["AUC"] = "a label has no rows in y: pass rows of all of them"
    else:
        check_lengths(y=truth, decisions=ranked)
        levels = measures.as_levels(ranked)
        found["AUC"] = bootstrap_interval(
            measures.area_of_levels, truth, levels, stratify=truth, **drawn
        )
    for name in _OF_PROBABILITIES:
        if laws is None:
            left_out[name] = "pass probabilities="
            continue
        check_lengths(y=truth, probabilities=laws)
        found[name] = bootstrap_interval(measures.MEASURES[name].compute, truth, laws, **drawn)
    means = f"of {label!r}" if two else f"means over {len(known)} classes"
    said = f"{plural(len(truth), 'row')}; precision, recall and F1 {means}"
    return Scores(found, left_out, said)


def _coded(
    y: Any, predicted: Any, labels: Sequence[Any] | NDArray[Any] | None
) -> tuple[tuple[Any, ...], Indices, Indices]:
    """Return the labels, and the place of every true and predicted one among them."""
    truth = as_values("y", y)
    called = as_values("predicted", predicted)
    check_lengths(y=truth, predicted=called)
    known = find_labels(truth, called) if labels is None else check_labels(labels)
    if not set(truth.tolist()) & set(called.tolist()) and labels is None:
        raise InvalidInputError(
            f"no label of predicted, such as {called[0]!r}, is in y, such as {truth[0]!r}: "
            "pass labels as they were given to fit, or all of them as labels="
        )
    return known, encode("y", truth, known), encode("predicted", called, known)


def _count(truth: Indices, called: Indices, K: int) -> Indices:
    return np.bincount(K * truth + called, minlength=K * K).reshape(K, K)


def _counted(counts: Indices, measure: str, place: int | None) -> tuple[int, int]:
    """Return how many rows of how many a share is."""
    n, right = int(counts.sum()), int(np.trace(counts))
    if place is None:
        return (n - right if measure == "error" else right), n
    hits, mine, called = counts[place, place], counts[place].sum(), counts[:, place].sum()
    others = n - int(mine)
    wrong = int(called - hits)
    return {
        "precision": (int(hits), int(called)),
        "recall": (int(hits), int(mine)),
        "specificity": (others - wrong, others),
        "false-positive rate": (wrong, others),
    }[measure]


def _macro(measure: str, beta: float) -> Callable[..., Any]:
    """Return a measure as a function of counts and of the class it is of."""
    found: dict[str, Callable[..., Any]] = {
        "balanced error": measures.balanced_error,
        "precision": measures.precision,
        "recall": measures.recall,
        "F": partial(measures.f_score, beta=_check_beta(beta)),
    }
    if measure not in found:
        raise InvalidInputError(
            f"measure is {measure!r}: pass one of error, accuracy, {', '.join(found)}, or with label= also "
            "specificity or false-positive rate"
        )
    return found[measure]


def _check_beta(beta: float) -> float:
    if not isinstance(beta, int | float | np.number) or not 0.0 < beta < np.inf:
        raise InvalidInputError(f"beta is {beta!r}: pass a number larger than 0, such as 1")
    return float(beta)


def _cell_interval(
    counts: Indices, compute: Callable[[NDArray[Any]], Any], level: float, draws: int, seed: int
) -> Interval:
    """Return the interval of a function of the matrix; to draw rows is to draw cells."""
    draws = check_whole("draws", draws, 20)
    drawing = np.random.default_rng(check_whole("random_state", seed, 0))
    n = int(counts.sum())
    filled = np.argwhere(counts > 0)
    weights = counts[filled[:, 0], filled[:, 1]]
    share = weights / n
    at_once = max(_CELLS // counts.size, 1)
    drawn = []
    for begin in range(0, draws, at_once):
        some = drawing.multinomial(n, share, size=min(at_once, draws - begin))
        matrices = np.zeros((len(some), *counts.shape))
        matrices[:, filled[:, 0], filled[:, 1]] = some
        drawn.append(compute(matrices))
    left = []
    for i, j in filled:
        less = counts.copy()
        less[i, j] -= 1
        left.append(compute(less) if n > 1 else np.nan)
    value = float(compute(counts))
    return summarize(value, np.concatenate(drawn), np.array(left), weights.astype(float), level)
