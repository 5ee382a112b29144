"""Is one model better than another, or is it chance? Tests on the same splits, the same rows, or many data sets.

- Two models, J splits of one data set: the differences d share training rows, so that t = d̄/√(s² (1/J + ρ/(1 − ρ)))
  with J − 1 degrees of freedom, ρ the share of rows that judge (corrected repeated k-fold t test). The Bayesian one
  takes Student's law of this centre and scale as what is known of the difference, and says how probable it is that one
  is better, that both are the same within a region of practical equivalence (rope), and that one is worse.
- Two models, one part of rows to judge on: McNemar's exact test. Of the b + c rows that one of them alone has right,
  b is binomial with 1/2 if they are equally good.
- k models, N data sets: Friedman's test of their ranks, and Nemenyi's critical difference q √(k (k + 1)/6N) of two mean
  ranks, q the quantile of the studentized range of k over √2.

References: Nadeau and Bengio (2003); Bouckaert and Frank (2004); Corani and Benavoli (2015) and Benavoli et al. (2017);
McNemar (1947); Friedman (1937); Nemenyi (1963); Demšar (2006), *Statistical comparisons of classifiers*.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from chemin.dictionaries.base import Floats
from chemin.evaluate.inputs import (
    as_numbers,
    as_table,
    as_values,
    check_lengths,
    check_level,
    check_share,
)
from chemin.evaluate.intervals import Interval, corrected, mean_interval, proportion_interval
from chemin.evaluate.splits import Splits
from chemin.exceptions import InvalidInputError
from chemin.frames import as_frame
from chemin.results import Result, plural

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, eq=False, repr=False)
class FoldScores(Result):
    """One score per split, and which splits these were.

    Attributes
    ----------
    model : str
        What was judged.
    measure : str
        By what.
    values : ndarray of shape (J,)
        One score per split.
    digest : str
        Of the splits; only scores of the same splits are compared.
    test_share : float
        The share of the rows that judge.
    greater_is_better : bool
        Which way is better.
    """

    model: str
    measure: str
    values: Floats
    digest: str
    test_share: float
    greater_is_better: bool

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", as_numbers(f"the scores of {self.model}", self.values))
        check_share("test_share", self.test_share)

    def interval(self, level: float = 0.95) -> Interval:
        """Return the mean and its interval, corrected for the training rows that splits share."""
        return mean_interval(self.values, self.test_share, level)

    def frame(self) -> Any:
        """Return a row per split as a DataFrame."""
        made = {"split": np.arange(len(self.values)), self.measure: self.values}
        return as_frame(made, instead="values")

    def __str__(self) -> str:
        told = f"{self.model}: {self.measure}"
        if len(self.values) == 1:
            return f"{told} {self.values[0]:.3g} on one split"
        return f"{told} {self.interval()} over {len(self.values)} splits"


@dataclass(frozen=True, eq=False, repr=False)
class Difference(Result):
    """By how much the scores of two models differ, and how probable that is by chance.

    Attributes
    ----------
    names : (str, str)
        The models.
    measure : str
        By what they were judged.
    values : ndarray of shape (J,)
        Score of the one less that of the other, split by split.
    interval : Interval
        Of their mean.
    statistic, pvalue : float
        Student's t and its probability, two-sided, if both are equally good.
    free : int
        Degrees of freedom.
    greater_is_better : bool
        Which way is better.
    """

    names: tuple[str, str]
    measure: str
    values: Floats
    interval: Interval
    statistic: float
    pvalue: float
    free: int
    greater_is_better: bool

    @property
    def mean(self) -> float:
        """The mean difference, one less other."""
        return self.interval.value

    @property
    def better(self) -> str | None:
        """The better model, None if the interval holds 0."""
        if self.pvalue >= 1.0 - self.interval.level:
            return None
        return self.names[0] if (self.mean > 0.0) == self.greater_is_better else self.names[1]

    def frame(self) -> Any:
        """Return a row per split as a DataFrame."""
        made = {"split": np.arange(len(self.values)), "difference": self.values}
        return as_frame(made, instead="values")

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the difference on every split, their mean and its interval."""
        from chemin.plots.evaluation import draw_difference

        ends = (self.interval.value, self.interval.low, self.interval.high)
        label = f"{self.measure}: {self.names[0]} less {self.names[1]}"
        title = f"{self._told}, p = {self.pvalue:.2g}"
        return draw_difference(self.values, ends, label=label, title=title, ax=ax)

    def __str__(self) -> str:
        one, other = self.names
        return f"{self._told}: {self.measure} of {one} less that of {other} is {self.interval}, p = {self.pvalue:.2g}"

    @property
    def _told(self) -> str:
        return f"{self.better} is better" if self.better else "neither is shown to be better"


@dataclass(frozen=True, eq=False, repr=False)
class Posterior(Result):
    """How probable it is that one model is better than another, the same in practice, or worse.

    Attributes
    ----------
    names : (str, str)
        The models.
    measure : str
        By what they were judged.
    better, equivalent, worse : float
        Probabilities of the one against the other; they sum to 1.
    rope : float
        A difference up to which they are the same in practice.
    mean, scale : float
        Centre and scale of Student's law of the gain of the one over the other.
    free : int
        Its degrees of freedom.
    """

    names: tuple[str, str]
    measure: str
    better: float
    equivalent: float
    worse: float
    rope: float
    mean: float
    scale: float
    free: int

    def frame(self) -> Any:
        """Return a row per answer as a DataFrame."""
        made = {
            "answer": ["better", "equivalent", "worse"],
            "probability": [self.better, self.equivalent, self.worse],
        }
        return as_frame(made, instead="better, equivalent and worse")

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the density of the gain, and the region of practical equivalence."""
        from scipy.stats import t as student

        from chemin.plots.evaluation import draw_posterior

        scale = max(self.scale, 1e-12)
        reach = max(student.ppf(0.999, self.free) * scale, 1.5 * self.rope)
        gains = np.linspace(
            min(self.mean - reach, -self.rope), max(self.mean + reach, self.rope), 400
        )
        density = student.pdf((gains - self.mean) / scale, self.free) / scale
        one, other = self.names
        said = {
            f"{other} better": self.worse,
            "same in practice": self.equivalent,
            f"{one} better": self.better,
        }
        label = f"by how much {one} is better than {other} ({self.measure})"
        return draw_posterior(gains, density, self.rope, said, label=label, ax=ax)

    def __str__(self) -> str:
        one, other = self.names
        return (
            f"{one} is better than {other} with probability {self.better:.3g}, the same within {self.rope:g} with "
            f"{self.equivalent:.3g}, worse with {self.worse:.3g} ({self.measure})"
        )


@dataclass(frozen=True, eq=False, repr=False)
class McNemar(Result):
    """Which of two models is right more often, on the same rows.

    Attributes
    ----------
    names : (str, str)
        The models.
    counts : ndarray of shape (2, 2)
        Rows that both have wrong, the other alone right; the one alone right, both right.
    share : Interval
        Of the rows that one alone has right, the share that is the one's: 1/2 if both are equally good.
    pvalue : float
        Exact, two-sided.
    """

    names: tuple[str, str]
    counts: NDArray[np.intp]
    share: Interval
    pvalue: float

    @property
    def difference(self) -> float:
        """Error of the one less that of the other."""
        return float((self.counts[0, 1] - self.counts[1, 0]) / self.counts.sum())

    def frame(self) -> Any:
        """Return a row per answer of the one model as a DataFrame."""
        one, other = self.names
        made = {
            one: ["wrong", "right"],
            f"{other} wrong": self.counts[:, 0],
            f"{other} right": self.counts[:, 1],
        }
        return as_frame(made, instead="counts")

    def __str__(self) -> str:
        one, other = self.names
        return (
            f"{one} alone is right in {plural(int(self.counts[1, 0]), 'row')}, {other} alone in {self.counts[0, 1]}: "
            f"p = {self.pvalue:.2g} if both are equally good (McNemar, exact)"
        )


@dataclass(frozen=True, eq=False, repr=False)
class Ranks(Result):
    """How several models rank over data sets, and which of them differ.

    Attributes
    ----------
    names : tuple of str
        The models.
    ranks : ndarray of shape (N, k)
        Rank of each model on each data set, 1 for the best.
    statistic, pvalue : float
        Friedman's χ² and its probability if all are equally good.
    critical : float
        Nemenyi's critical difference of two mean ranks.
    level : float
        Of the critical difference.
    """

    names: tuple[str, ...]
    ranks: Floats
    statistic: float
    pvalue: float
    critical: float
    level: float

    @property
    def means(self) -> Floats:
        """The mean rank of each model."""
        return np.asarray(self.ranks.mean(axis=0))

    @property
    def differ(self) -> NDArray[np.bool_]:
        """Which two models differ, as a matrix of shape (k, k)."""
        return np.abs(self.means[:, None] - self.means) >= self.critical

    @property
    def groups(self) -> tuple[tuple[str, ...], ...]:
        """The largest groups of models that are not shown to differ, the best ones first."""
        order = np.argsort(self.means, kind="stable")
        means = self.means[order]
        found: list[tuple[int, int]] = []
        for first in range(len(order)):
            last = int(np.flatnonzero(means - means[first] < self.critical)[-1])
            if not found or last > found[-1][1]:
                found.append((first, last))
        return tuple(tuple(self.names[k] for k in order[a : b + 1]) for a, b in found)

    def frame(self) -> Any:
        """Return a row per model as a DataFrame, the best one first."""
        order = np.argsort(self.means, kind="stable")
        worse = self.differ & (self.means[:, None] < self.means)
        made = {
            "model": [self.names[k] for k in order],
            "mean rank": self.means[order],
            "better than": [
                ", ".join(
                    name for name, is_worse in zip(self.names, worse[k], strict=True) if is_worse
                )
                for k in order
            ],
        }
        return as_frame(made, instead="means and differ")

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw mean ranks on a line; a bar joins models that are not shown to differ."""
        from chemin.plots.evaluation import draw_ranks

        places = {name: k for k, name in enumerate(self.names)}
        joined = [[places[name] for name in group] for group in self.groups if len(group) > 1]
        return draw_ranks(self.names, self.means, self.critical, joined, title=self._told, ax=ax)

    def __str__(self) -> str:
        order = np.argsort(self.means, kind="stable")
        widest = max(map(len, self.names))
        lines = [self._told]
        lines += [f"  {self.names[k]:<{widest}}  mean rank {self.means[k]:.2f}" for k in order]
        lines.append(
            f"  two of them differ at {self.level:.0%} if their mean ranks are {self.critical:.2f} apart"
        )
        return "\n".join(lines)

    @property
    def _told(self) -> str:
        N, k = self.ranks.shape
        return f"{k} models on {N} data sets: Friedman's χ² = {self.statistic:.3g}, p = {self.pvalue:.2g}"


def corrected_t(
    one: Any,
    other: Any,
    *,
    test_share: float | None = None,
    splits: Splits | None = None,
    level: float = 0.95,
    names: tuple[str, str] = ("one", "other"),
    greater_is_better: bool = True,
) -> Difference:
    """Test whether two models have the same mean score, over splits that share training rows.

    Parameters
    ----------
    one, other : FoldScores or array of shape (J,)
        Scores on the same splits.
    test_share : float, optional
        The share of the rows that judge; known of `FoldScores`.
    splits : Splits, optional
        The splits, instead of their test_share.
    level : float, default 0.95
        Of the interval.
    names : (str, str), optional
        The models; known of `FoldScores`.
    greater_is_better : bool, default True
        Which way is better; known of `FoldScores`.

    Returns
    -------
    Difference

    Examples
    --------
    >>> print(corrected_t([0.81, 0.84, 0.80, 0.83, 0.82], [0.74, 0.77, 0.75, 0.75, 0.76], test_share=0.2))
    one is better: score of one less that of other is 0.066 (0.0448 to 0.0872 at 95%, corrected t), p = 0.00099
    """
    from scipy.special import stdtr

    pair = _paired(one, other, test_share, splits, names, greater_is_better)
    mean, scale, free = corrected(pair.values, pair.test_share)
    interval = mean_interval(pair.values, pair.test_share, level)
    with np.errstate(divide="ignore"):  # of scores that differ by the same on every split
        statistic = float(np.float64(mean) / scale) if mean else 0.0
    pvalue = float(2.0 * stdtr(free, -abs(statistic)))
    return Difference(
        pair.names, pair.measure, pair.values, interval, statistic, pvalue, free, pair.greater_is_better
    )  # fmt: skip


def bayesian_t(
    one: Any,
    other: Any,
    test_share: float | None = None,
    rope: float = 0.01,
    *,
    splits: Splits | None = None,
    names: tuple[str, str] = ("one", "other"),
    greater_is_better: bool = True,
) -> Posterior:
    """Return how probable it is that one model is better than another, the same in practice, or worse.

    Parameters
    ----------
    one, other : FoldScores or array of shape (J,)
        Scores on the same splits.
    test_share : float, optional
        The share of the rows that judge; known of `FoldScores`.
    rope : float, default 0.01
        A difference up to which they are the same in practice; 0 for none.
    splits : Splits, optional
        The splits, instead of their test_share.
    names : (str, str), optional
        The models; known of `FoldScores`.
    greater_is_better : bool, default True
        Which way is better; known of `FoldScores`.

    Returns
    -------
    Posterior

    Examples
    --------
    >>> print(bayesian_t([0.81, 0.84, 0.80, 0.83, 0.82], [0.80, 0.83, 0.81, 0.82, 0.82], 0.2, rope=0.02))
    one is better than other with probability 0.028, the same within 0.02 with 0.964, worse with 0.00807 (score)
    """
    from scipy.special import stdtr

    if not isinstance(rope, int | float | np.number) or not 0.0 <= rope < np.inf:
        raise InvalidInputError(f"rope is {rope!r}: pass a difference, 0 or larger")
    pair = _paired(one, other, test_share, splits, names, greater_is_better)
    gains = pair.values if pair.greater_is_better else -pair.values
    mean, scale, free = corrected(gains, pair.test_share)
    if scale > 0.0:
        worse = float(stdtr(free, (-rope - mean) / scale))
        better = float(stdtr(free, (mean - rope) / scale))
    else:
        even = 0.5 * (mean == 0.0 == rope)
        worse = float(mean < -rope) + even
        better = float(mean > rope) + even
    equivalent = max(1.0 - better - worse, 0.0) if rope > 0.0 else 0.0
    return Posterior(
        pair.names, pair.measure, better, equivalent, worse, float(rope), mean, scale, free
    )


def mcnemar(
    correct_one: Any, correct_other: Any, *, names: tuple[str, str] = ("one", "other")
) -> McNemar:
    """Test whether two models are right equally often, on the same rows.

    Parameters
    ----------
    correct_one, correct_other : array of bool of shape (n,)
        Which rows each of them has right, ``model.predict(X) == y``.
    names : (str, str), optional
        The models.

    Returns
    -------
    McNemar

    Examples
    --------
    >>> print(mcnemar([True] * 12 + [False] * 8, [True] * 4 + [False] * 14 + [True] * 2))
    one alone is right in 8 rows, other alone in 2: p = 0.11 if both are equally good (McNemar, exact)
    """
    from scipy.stats import binomtest

    made = []
    for name, given in (("correct_one", correct_one), ("correct_other", correct_other)):
        values = as_values(name, given)
        if values.dtype.kind != "b" and not np.isin(values, (0, 1)).all():
            raise InvalidInputError(
                f"{name} has others than True and False: pass model.predict(X) == y"
            )
        made.append(values.astype(np.intp))
    check_lengths(correct_one=made[0], correct_other=made[1])
    counts = np.bincount(2 * made[0] + made[1], minlength=4).reshape(2, 2)
    alone, against = int(counts[1, 0]), int(counts[0, 1])
    pvalue = float(binomtest(alone, alone + against).pvalue) if alone + against else 1.0
    return McNemar(names, counts, proportion_interval(alone, alone + against), pvalue)


def friedman(
    scores: Any,
    names: Sequence[str] | None = None,
    *,
    level: float = 0.95,
    greater_is_better: bool = True,
) -> Ranks:
    """Test whether several models rank alike over data sets, and tell which two differ.

    Scores of the splits of one data set are not independent: over these, the test finds differences too often.

    Parameters
    ----------
    scores : array of shape (N, k), DataFrame, or list of FoldScores
        A row per data set, a column per model.
    names : list of str, optional
        The models; known of a DataFrame or `FoldScores`.
    level : float, default 0.95
        Of the critical difference.
    greater_is_better : bool, default True
        Which way is better; known of `FoldScores`.

    Returns
    -------
    Ranks

    Examples
    --------
    >>> drawing = np.random.default_rng(0)
    >>> print(friedman(drawing.random((12, 3)) + [0.0, 0.1, 0.9], ["tree", "forest", "boosting"]))
    3 models on 12 data sets: Friedman's χ² = 12.7, p = 0.0018
      boosting  mean rank 1.17
      tree      mean rank 2.33
      forest    mean rank 2.50
      two of them differ at 95% if their mean ranks are 0.96 apart
    """
    from scipy.special import chdtrc
    from scipy.stats import rankdata

    level = check_level(level)
    known: Sequence[Any] | None = names
    if isinstance(scores, list | tuple) and scores and isinstance(scores[0], FoldScores):
        known = known or [one.model for one in scores]
        greater_is_better = scores[0].greater_is_better
        values = _side_by_side(scores)
    else:
        known = known if known is not None else getattr(scores, "columns", None)
        values = as_table("scores", scores)
    if values.ndim != 2 or values.shape[0] < 2 or values.shape[1] < 2:
        raise InvalidInputError(
            f"scores has shape {values.shape}: pass a row per data set and a column per model, two of each at least"
        )
    N, k = values.shape
    made = tuple(f"model {j}" for j in range(k)) if known is None else tuple(map(str, known))
    if len(made) != k:
        raise InvalidInputError(f"there are {len(made)} names of {k} models: pass one each")
    ranks = rankdata(-values if greater_is_better else values, axis=1)
    means = ranks.mean(axis=0)
    # the variance of ranks within a data set, k (k + 1)/12 without ties, less with them
    within = float(ranks.var(axis=1, ddof=1).mean())
    statistic = N * float(np.sum((means - (k + 1) / 2.0) ** 2)) / within if within > 0.0 else 0.0
    critical = nemenyi_quantile(k, level) * float(np.sqrt(k * (k + 1) / (6.0 * N)))
    return Ranks(made, ranks, statistic, float(chdtrc(k - 1, statistic)), critical, level)


def nemenyi_quantile(models: int, level: float = 0.95) -> float:
    """Return q of Nemenyi's critical difference: the quantile of the studentized range over √2.

    Examples
    --------
    >>> round(nemenyi_quantile(5), 3)
    2.728
    """
    from scipy.stats import studentized_range

    return float(studentized_range.ppf(level, models, np.inf) / np.sqrt(2.0))


@dataclass(frozen=True)
class _Pair:
    """Differences of two models' scores, and what is known of them."""

    names: tuple[str, str]
    measure: str
    values: Floats = field(repr=False)
    test_share: float
    greater_is_better: bool


def _paired(
    one: Any,
    other: Any,
    test_share: float | None,
    splits: Splits | None,
    names: tuple[str, str],
    greater_is_better: bool,
) -> _Pair:
    if isinstance(one, FoldScores) != isinstance(other, FoldScores):
        raise InvalidInputError(
            "one of the two is FoldScores: pass both as FoldScores, or both as arrays"
        )
    if isinstance(one, FoldScores) and isinstance(other, FoldScores):
        values = _side_by_side([one, other])
        if splits is not None and splits.digest != one.digest:
            raise InvalidInputError(
                f"the scores are of splits {one.digest}, and splits= is {splits.digest}: leave it out, or pass theirs"
            )
        return _Pair(
            (one.model, other.model), one.measure, values[:, 0] - values[:, 1], one.test_share, one.greater_is_better
        )  # fmt: skip
    first, second = as_numbers("one", one), as_numbers("other", other)
    J = check_lengths(one=first, other=second)
    share = test_share
    if splits is not None:
        share = splits.test_share
        if len(splits) != J:
            raise InvalidInputError(
                f"there are {J} scores and {plural(len(splits), 'split')}: pass one score per split"
            )
    if share is None:
        raise InvalidInputError(
            "the share of rows that judge is not known: pass splits=, test_share= (0.2 for 5 folds), or FoldScores"
        )
    return _Pair(
        names, "score", first - second, check_share("test_share", share), greater_is_better
    )


def _side_by_side(scores: Sequence[FoldScores]) -> Floats:
    """Return a row per split and a column per model; the splits and the measure must be the same."""
    first = scores[0]
    for one in scores[1:]:
        if not isinstance(one, FoldScores):
            raise InvalidInputError("some of the scores are no FoldScores: pass all of them so")
        if one.digest != first.digest:
            raise InvalidInputError(
                f"{first.model} was judged on splits {first.digest}, and {one.model} on {one.digest}: pass the same "
                "splits= to both, made once by make_splits"
            )
        if one.measure != first.measure:
            raise InvalidInputError(
                f"{first.model} was judged by {first.measure}, and {one.model} by {one.measure}: "
                "pass the same measure= to both"
            )
        check_lengths(one=first.values, other=one.values)
    return np.column_stack([one.values for one in scores])
