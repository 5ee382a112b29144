"""Which models cannot be told apart, and which of them should one take?

Models of a group are those that are not shown to err more than its best: by McNemar's exact test of the rows that one
is right about and the other is not, of numbers by the t test of the differences of their squared errors; where folds
were drawn again and again, by the corrected t test of the splits. Probabilities are adjusted for their number (Holm).
Of the first group the simplest is recommended that is more likely than not no worse than the best.

References: Dietterich (1998) for McNemar's test; Nadeau and Bengio (2003) for the corrected t test; Benavoli et al.
(2017) for the probability that two models are the same for all purposes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from chemin.evaluate import bayesian_t, corrected_t, mcnemar
from chemin.models.comparison.result import Row
from chemin.models.registry import order_of_simplicity
from chemin.multiplicity import holm

_LIKELY = 0.5  # probability of being worse, above which a simpler model is not recommended
_S = TypeVar("_S")

Chance = Callable[[Row, Row], float]


def choose_test(classes: bool, repeats: int) -> Chance:
    """Return what gives the probability of the difference of two models, if there is none."""
    if repeats > 1:
        return chance_of_splits
    return chance_of_labels if classes else chance_of_numbers


def recommend(rows: Sequence[Row], chance: str, rope: float) -> str | None:
    """Return the simplest model that is more likely than not no worse than the first; that of chance only if first."""
    if not rows:
        return None
    best = rows[0]
    fit = [best]
    for row in rows[1:]:
        worse = bayesian_t(row.scores, best.scores, rope=rope).worse
        if row.name != chance and worse <= _LIKELY:
            fit.append(row)
    return min(fit, key=lambda row: (order_of_simplicity(row.name), float(row.errors.mean()))).name


def chance_of_labels(one: Row, other: Row) -> float:
    """Return the probability of as many rows that one model alone is right about, if both err alike (McNemar).

    It is 1 where the other errs less, though its mean error over folds is larger.
    """
    if one.losses.sum() >= other.losses.sum():
        return 1.0
    return mcnemar(one.losses == 0.0, other.losses == 0.0).pvalue


def chance_of_numbers(one: Row, other: Row) -> float:
    """Return the probability of the mean difference of squared errors, if there is none: a t test over rows."""
    from scipy.special import stdtr

    away = one.losses - other.losses
    spread = float(away.std(ddof=1))
    if away.mean() >= 0.0:  # the other errs less, though its mean error over folds is larger
        return 1.0
    if spread == 0.0:
        return 0.0
    return float(2.0 * stdtr(len(away) - 1, -abs(away.mean()) / spread * len(away) ** 0.5))


def chance_of_splits(one: Row, other: Row) -> float:
    """Return the probability of the mean difference over splits, if there is none (Nadeau and Bengio)."""
    return corrected_t(one.scores, other.scores).pvalue


def in_groups(
    scores: Sequence[_S], probability: Callable[[_S, _S], float], level: float
) -> list[int]:
    """Return the group of each model, given in the order of their mean errors.

    ``probability(one, other)`` is that of their difference by chance; those of one best are adjusted by Holm.

    Examples
    --------
    >>> in_groups([0.0, 1.0, 2.0, 3.0], lambda one, other: 0.5 if other - one < 1.5 else 0.001, 0.05)
    [0, 0, 1, 1]
    """
    groups = [-1] * len(scores)
    group = 0
    while -1 in groups:
        best = groups.index(-1)
        others = [k for k in range(best + 1, len(scores)) if groups[k] == -1]
        chance = [probability(scores[best], scores[k]) for k in others]
        apart = holm(chance) <= level
        groups[best] = group
        for k, is_apart in zip(others, apart, strict=True):
            if not is_apart:
                groups[k] = group
        group += 1
    return groups
