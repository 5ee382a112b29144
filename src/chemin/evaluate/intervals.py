"""How sure is a score? The interval that holds the true one at a level, such as 95 %.

- A share of k in n rows: Clopper and Pearson's exact interval, whose ends are quantiles of the laws Beta(k, n − k + 1)
  and Beta(k + 1, n − k). It covers at its level or more.
- Any statistic of rows: the bootstrap. With z₀ = Φ⁻¹(share of draws below the value) and
  a = Σ dᵢ³ / 6 (Σ dᵢ²)^{3/2} of the jackknife, the end at α is the quantile of the draws at
  Φ(z₀ + (z₀ + z_α)/(1 − a (z₀ + z_α))) (BCa). Beyond 2000 rows, the quantiles at α themselves.
- The mean of J scores of splits that share training rows: its variance is not s²/J but about
  s² (1/J + ρ/(1 − ρ)), with ρ the share of rows that judge, and Student's law has J − 1 degrees of freedom.

References: Clopper and Pearson (1934); Efron (1987); Nadeau and Bengio (2003), *Inference for the generalization
error*.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from chemin.dictionaries.base import Floats, Indices
from chemin.evaluate.inputs import (
    as_numbers,
    as_values,
    check_lengths,
    check_level,
    check_share,
    check_whole,
    encode,
    find_labels,
)
from chemin.exceptions import InvalidInputError
from chemin.frames import as_frame
from chemin.results import Result

_JACKKNIFE = 2000  # rows beyond which leaving out one at a time takes longer than it helps
_ALIKE = 1e-12  # relative differences between draws that are rounding


@dataclass(frozen=True, eq=False, repr=False)
class Interval(Result):
    """A value, and the interval that holds the true one.

    Attributes
    ----------
    value : float
        What was measured; NaN where there was nothing to measure.
    low, high : float
        The ends; NaN where the rows do not tell, as the bootstrap of a perfect score.
    level : float
        How often such an interval holds the true value.
    method : str
        How the ends were found.
    """

    value: float
    low: float
    high: float
    level: float
    method: str

    def frame(self) -> Any:
        """Return one row as a DataFrame."""
        made = {"value": [self.value], "low": [self.low], "high": [self.high]}
        made.update({"level": [self.level]})
        return as_frame({**made, "method": [self.method]}, instead="value, low and high")

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high

    def __str__(self) -> str:
        if np.isnan(self.low):
            return f"{self.value:.3g} (no interval: {self.method})"
        return f"{self.value:.3g} ({self.low:.3g} to {self.high:.3g} at {self.level:.0%}, {self.method})"


def proportion_interval(successes: int, total: int, level: float = 0.95) -> Interval:
    """Return the exact interval of a share.

    Parameters
    ----------
    successes, total : int
        So many of how many.
    level : float, default 0.95
        How often such an interval holds the true share, at least.

    Returns
    -------
    Interval

    Examples
    --------
    >>> print(proportion_interval(40, 100))
    0.4 (0.303 to 0.503 at 95%, exact)
    """
    from scipy.special import betaincinv

    level = check_level(level)
    successes = check_whole("successes", successes, 0)
    total = check_whole("total", total, 0)
    if successes > total:
        raise InvalidInputError(
            f"there are {successes} successes of {total}: pass total= at least as large"
        )
    tail = (1.0 - level) / 2.0
    failures = total - successes
    low = betaincinv(successes, failures + 1, tail) if successes else 0.0
    high = betaincinv(successes + 1, failures, 1.0 - tail) if failures else 1.0
    value = successes / total if total else np.nan
    return Interval(value, float(low), float(high), level, "exact")


def bootstrap_interval(
    statistic: Callable[..., float],
    *arrays: Any,
    level: float = 0.95,
    draws: int = 1000,
    random_state: int = 0,
    stratify: Any = None,
) -> Interval:
    """Return the interval of a statistic of rows, by drawing rows again and again.

    Of few rows of a skewed law, it holds the true value less often than it says.

    Parameters
    ----------
    statistic : callable
        Called with the arrays, or with some of their rows; draws where it is NaN are left out.
    *arrays : arrays with n rows
        What it is called with.
    level : float, default 0.95
        How often such an interval holds the true value, nearly.
    draws : int, default 1000
        How often n rows are drawn.
    random_state : int, default 0
        Of the draws.
    stratify : array of shape (n,), optional
        Labels: as many rows of each are drawn as there are.

    Returns
    -------
    Interval
        Its method is "BCa bootstrap" up to 2000 rows, "percentile bootstrap" beyond.

    Examples
    --------
    >>> values = np.random.default_rng(0).normal(size=50)
    >>> print(bootstrap_interval(np.median, values))
    0.0995 (-0.209 to 0.358 at 95%, BCa bootstrap)
    """
    level = check_level(level)
    draws = check_whole("draws", draws, 20)
    seed = check_whole("random_state", random_state, 0)
    if not arrays:
        raise InvalidInputError("there are no arrays: pass those that the statistic is of")
    made = {f"array {place}": np.asarray(array) for place, array in enumerate(arrays)}
    n = check_lengths(**made)
    if n < 2:
        raise InvalidInputError("there is 1 row to draw from: pass two at least")
    value = float(statistic(*made.values()))
    drawing = np.random.default_rng(seed)
    strata = [np.arange(n)]
    if stratify is not None:
        labels = as_values("stratify", stratify)
        check_lengths(stratify=labels, **made)
        codes = encode("stratify", labels, find_labels(labels))
        strata = [np.flatnonzero(codes == code) for code in range(codes.max() + 1)]

    def of(rows: Indices) -> float:
        return float(statistic(*(array[rows] for array in made.values())))

    drawn = np.array([of(_again(strata, drawing)) for _ in range(draws)])
    left = None
    if n <= _JACKKNIFE:
        rows = np.arange(n)
        left = np.array([of(np.delete(rows, row)) for row in rows])
    return summarize(value, drawn, left, np.ones(n), level)


def mean_interval(scores: Any, test_share: float, level: float = 0.95) -> Interval:
    """Return the interval of the mean of scores of splits, corrected for the training rows that these share.

    Parameters
    ----------
    scores : array of shape (J,)
        One score per split.
    test_share : float
        The share of the rows that judge, `Splits.test_share`.
    level : float, default 0.95
        How often such an interval holds the true mean.

    Returns
    -------
    Interval

    Examples
    --------
    >>> print(mean_interval([0.10, 0.14, 0.12, 0.16, 0.13], test_share=0.2))
    0.13 (0.0884 to 0.172 at 95%, corrected t)
    """
    from scipy.special import stdtrit

    level = check_level(level)
    mean, scale, free = corrected(scores, test_share)
    half = scale * float(stdtrit(free, 0.5 + level / 2.0))
    return Interval(mean, mean - half, mean + half, level, "corrected t")


def corrected(scores: Any, test_share: float) -> tuple[float, float, int]:
    """Return the mean of scores of splits, its standard error √(s² (1/J + ρ/(1 − ρ))), and degrees of freedom."""
    values = as_numbers("scores", scores)
    rho = check_share("test_share", test_share)
    J = len(values)
    if J < 2:
        raise InvalidInputError("there is 1 score, and a spread needs two: pass more splits")
    variance = 0.0 if np.ptp(values) == 0.0 else float(values.var(ddof=1))
    return float(values.mean()), float(np.sqrt(variance * (1.0 / J + rho / (1.0 - rho)))), J - 1


def summarize(
    value: float, drawn: Floats, left: Floats | None, weights: Floats, level: float
) -> Interval:
    """Return the interval of a value by its draws, and by those without one row at a time where known."""
    known = drawn[np.isfinite(drawn)]
    if not len(known) or not np.isfinite(value):
        return Interval(value, np.nan, np.nan, level, "undefined in the draws of the bootstrap")
    if np.ptp(known) <= _ALIKE * max(abs(value), _ALIKE):
        return Interval(value, np.nan, np.nan, level, "all draws of the bootstrap are alike")
    tail = (1.0 - level) / 2.0
    shares = None if left is None else _bca_shares(value, known, left, weights, tail)
    if shares is None:
        low, high = np.quantile(known, [tail, 1.0 - tail])
        return Interval(value, float(low), float(high), level, "percentile bootstrap")
    low, high = np.quantile(known, shares)
    return Interval(value, float(low), float(high), level, "BCa bootstrap")


def _bca_shares(
    value: float, drawn: Floats, left: Floats, weights: Floats, tail: float
) -> Floats | None:
    """Return where among the draws the ends are, None where the correction does not exist."""
    from scipy.special import ndtr, ndtri

    z0 = ndtri(np.mean(drawn < value) + 0.5 * np.mean(drawn == value))
    away = np.average(left, weights=weights) - left
    spread = float(weights @ away**2)
    if not np.isfinite(z0) or not np.isfinite(spread):
        return None
    a = float(weights @ away**3) / (6.0 * spread**1.5) if spread > 0.0 else 0.0
    z = z0 + ndtri(np.array([tail, 1.0 - tail]))
    if np.any(a * z >= 1.0):
        return None
    return np.asarray(ndtr(z0 + z / (1.0 - a * z)))


def _again(strata: list[Indices], drawing: np.random.Generator) -> Indices:
    """Return rows drawn with replacement, as many of each stratum as it has."""
    return np.concatenate([rows[drawing.integers(len(rows), size=len(rows))] for rows in strata])
