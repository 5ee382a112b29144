"""How often is a majority wrong? The jury of Condorcet, exactly and by Hoeffding's bound.

N voters are wrong independently, each with probability p < ½. With a tie counted as an error, the vote is wrong with

    P(S ≥ ⌈N/2⌉) = Σ_{k ≥ ⌈N/2⌉} C(N, k) p^k (1 − p)^{N−k} ≤ exp(−2N (½ − p)²),

which falls to 0. More generally P(S ≥ m) ≤ exp(−2N (m/N − p)²) where m ≥ N p.

References: F. Sur, *Introduction à l'apprentissage automatique*, 7.1; Condorcet (1785); Hoeffding (1963).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.stats import binom

from chemin.exceptions import InvalidInputError
from chemin.frames import as_frame
from chemin.results import plural
from chemin.theory.theorem import Promise, Theorem

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["MajorityVote", "binomial_tail_bound", "majority_vote"]

_MOST = 10_000_000  # voters whose exact errors are looked through

CONDORCET = Theorem(
    "Condorcet's jury theorem",
    "P(the majority is wrong) ≤ exp(−2N (½ − p)²) → 0",
    ("independent voters", "each wrong with the same probability p < ½"),
    "Sur, 7.1; Baskiotis, lecture 6",
)


@dataclass(frozen=True, eq=False, repr=False)
class MajorityVote(Promise):
    """The error of a vote of independent voters.

    Attributes
    ----------
    voters : int
        N.
    error : float
        p, of each.
    wrong : float
        Probability that at least half are wrong: a tie is an error.
    wrong_strictly : float
        Probability that more than half are.
    bound : float
        exp(−2N (½ − p)²).
    sufficient : int or None
        Where a level was asked for, the voters by which the bound is at most that; ``voters`` are the fewest.
    """

    theorem = CONDORCET
    voters: int
    error: float
    wrong: float
    wrong_strictly: float
    bound: float
    sufficient: int | None = None

    def __str__(self) -> str:
        told = (
            f"{plural(self.voters, 'voter')}, each wrong with probability {self.error:g} independently of the others: "
            f"the vote is wrong with probability {self.wrong:.4g} (ties are errors), at most {self.bound:.4g} by "
            "Hoeffding's bound"
        )
        return (
            told if self.sufficient is None else f"{told}, which asks for {self.sufficient} voters"
        )

    def frame(self) -> Any:
        """Return one row as a DataFrame."""
        made = {
            "voters": [self.voters],
            "error": [self.error],
            "wrong": [self.wrong],
            "wrong strictly": [self.wrong_strictly],
            "bound": [self.bound],
        }
        return as_frame(made, instead="voters, error, wrong and bound")

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the error of a vote, and its bound, against the number of voters."""
        from chemin.plots.theory.curves import draw_curves

        last = max(2 * self.voters, 20)
        voters = np.unique(np.linspace(1, last, 150).astype(int))
        odd = voters - (voters + 1) % 2
        curves = {
            "exact": binom.sf((odd + 1) // 2 - 1, odd, self.error),
            "Hoeffding's bound": np.exp(-2.0 * odd * (0.5 - self.error) ** 2),
        }
        return draw_curves(
            odd, curves, x_label="voters (odd numbers)", y_label="probability of a wrong vote",
            logarithmic="y", title=f"voters wrong with probability {self.error:g}", ax=ax,
        )  # fmt: skip


def majority_vote(
    voters: int | None = None, error: float = 0.3, *, wrong: float | None = None
) -> MajorityVote:
    """Return how often a majority is wrong, or how many voters a level asks for.

    Parameters
    ----------
    voters : int, optional
        N; the fewest for ``wrong`` are found otherwise.
    error : float
        p, of each voter.
    wrong : float, optional
        The probability that the vote may be wrong with.

    Returns
    -------
    MajorityVote

    Examples
    --------
    >>> vote = majority_vote(20, 0.3)
    >>> round(vote.wrong, 5), round(vote.wrong_strictly, 4), round(vote.bound, 4)
    (0.04796, 0.0171, 0.2019)
    >>> needed = majority_vote(error=0.3, wrong=0.01)
    >>> needed.voters, needed.sufficient
    (31, 58)
    """
    error = CONDORCET.probability("error", error, "p")
    remedy = "pass voters better than chance, or exchange the two answers"
    CONDORCET.require(error < 0.5, "p < ½", f"error is {error!r}", remedy)
    if (voters is None) == (wrong is None):
        raise InvalidInputError(
            "pass voters, or the level wrong= that they should reach, one of the two"
        )
    sufficient = None
    if voters is None:
        wrong = CONDORCET.probability("wrong", wrong, "the level")
        sufficient = math.ceil(-math.log(wrong) / (2.0 * (0.5 - error) ** 2))
        voters = _fewest(sufficient, error, wrong)
    voters = CONDORCET.whole("voters", voters, "N")
    at_least = binom.sf((voters + 1) // 2 - 1, voters, error)
    more = binom.sf(voters // 2, voters, error)
    bound = math.exp(-2.0 * voters * (0.5 - error) ** 2)
    return MajorityVote(voters, error, float(at_least), float(more), bound, sufficient)


def binomial_tail_bound(n: int, successes: int, probability: float) -> float:
    """Return Hoeffding's bound on P(S ≥ m) for S of the binomial law of n and p.

    Examples
    --------
    >>> round(binomial_tail_bound(20, 10, 0.3), 4)
    0.2019
    """
    n = CONDORCET.whole("n", n, "N")
    successes = CONDORCET.whole("successes", successes, "m", 0)
    probability = CONDORCET.probability("probability", probability, "p")
    CONDORCET.require(
        successes >= n * probability, "m ≥ N p", f"m is {successes} and N p is {n * probability:g}",
        "pass a tail above the mean",
    )  # fmt: skip
    return math.exp(-2.0 * n * (successes / n - probability) ** 2)


def _fewest(sufficient: int, error: float, wrong: float) -> int:
    """Return the fewest voters whose exact error is at most a level."""
    if sufficient > _MOST:
        raise InvalidInputError(
            f"the bound asks for {sufficient} voters: pass a larger level, or voters further from chance"
        )
    voters = np.arange(1, sufficient + 1)
    return int(voters[np.argmax(binom.sf((voters + 1) // 2 - 1, voters, error) <= wrong)])
