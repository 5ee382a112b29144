"""How far can the risk be from what was measured? Bounds δ = A(n) exp(−c n ε²), and any of n, ε, δ from the others.

With R_e the mean loss, in [0, 1], of n independent rows and R_p its expectation, P(deviation ≥ ε) ≤ A(n) exp(−c n ε²):

    one classifier, |R_e − R_p|                     A = 2           c = 2      Hoeffding (1963)
    one mean of values between a_i and b_i          A = 2           c = 2/mean (b_i − a_i)²
    the worst of M classifiers, |R_e − R_p|         A = 2 M         c = 2      the union of M such events
    the worst of a class of dimension h             A = 4 G(2n)     c = 1/8    Vapnik and Chervonenkis (1971)

G is the growth function, at most Σ_{i ≤ h} C(n, i) (Sauer, 1972). Baskiotis's lecture has the last line without its
constants, ε = √((h/n) log(n/h) + (1/n) log(1/δ)): it tells the order, and is no guarantee.

References: F. Sur, *Introduction à l'apprentissage automatique*, 2.3 and A.1; N. Baskiotis, *Machine
Learning*, lecture 6.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import gammaln, logsumexp

from chemin.exceptions import InvalidInputError
from chemin.frames import as_frame
from chemin.theory.theorem import Promise, Theorem

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Deviation", "finite_class", "growth", "hoeffding", "vc_bound"]

_LARGEST = 2**60  # rows; more are infinitely many
_SPAN = 30.0  # times fewer and more rows that a picture shows
_WHOLE = 1e-9  # relative rounding by which a number of rows may miss a whole one

HOEFFDING = Theorem(
    "Hoeffding's inequality",
    "P(|mean − expectation| ≥ ε) ≤ 2 exp(−2 n² ε²/Σ (b_i − a_i)²)",
    (
        "independent values",
        "each between its a and its b",
        "one quantity, chosen before the rows were seen",
    ),
    "Hoeffding 1963; Sur, 2.3 and A.1",
)
FINITE = Theorem(
    "the bound for a finite class",
    "R_p(h) ≤ R_e(h) + √((log 2M − log δ)/(2n)) for all h of the class, with probability ≥ 1 − δ",
    (
        "independent rows of one law",
        "a loss between 0 and 1",
        "M functions, fixed before the rows were seen",
    ),
    "Sur, Prop 2.2; Baskiotis, lecture 6",
)
VC = Theorem(
    "the bound of Vapnik and Chervonenkis",
    "P(max |R_e − R_p| ≥ ε) ≤ 4 G(2n) exp(−n ε²/8), G(n) ≤ Σ C(n, i) over i ≤ h",
    (
        "independent rows of one law",
        "the loss 0-1",
        "a class of dimension h, fixed before the rows were seen",
    ),
    "Vapnik and Chervonenkis 1971; Sauer 1972",
)
ORDER = Theorem(
    "the order of the bound of Vapnik and Chervonenkis",
    "ε = √((h/n) log(n/h) + (1/n) log(1/δ)), up to constants",
    ("independent rows of one law", "the loss 0-1", "n > h", "constants left out: no guarantee"),
    "Baskiotis, lecture 6",
)


class Tail(ABC):
    """P(deviation ≥ ε) ≤ A(n) exp(−c n ε²)."""

    theorem: Theorem
    rate: float  # c
    least = 1  # rows

    @abstractmethod
    def log_factor(self, n: int) -> float:
        """Return log A(n)."""

    def log_delta(self, n: int, epsilon: float) -> float:
        """Return log δ."""
        return self.log_factor(n) - self.rate * n * epsilon**2

    def epsilon(self, n: int, delta: float) -> float:
        """Return ε."""
        return math.sqrt(max(self.log_factor(n) - math.log(delta), 0.0) / (self.rate * n))

    def rows(self, epsilon: float, delta: float) -> int:
        """Return the fewest rows from which on the bound is at most δ: by doubling, then halving."""
        wanted = math.log(delta) + _WHOLE
        enough = self.least
        while self.log_delta(enough, epsilon) > wanted:
            if enough > _LARGEST:
                raise InvalidInputError(
                    f"no number of rows that can be counted gives ε = {epsilon:g}: pass a larger epsilon"
                )
            enough *= 2
        few = max(enough // 2, self.least)
        while few < enough:
            middle = (few + enough) // 2
            if self.log_delta(middle, epsilon) > wanted:
                few = middle + 1
            else:
                enough = middle
        return enough


@dataclass(frozen=True)
class OneMean(Tail):
    """One mean of values within an interval of some width."""

    width: float = 1.0
    sides: int = 2
    theorem = HOEFFDING

    @property
    def rate(self) -> float:  # type: ignore[override]
        return 2.0 / self.width**2

    def log_factor(self, n: int) -> float:
        return math.log(self.sides)


@dataclass(frozen=True)
class FiniteClass(Tail):
    """The worst of some functions."""

    hypotheses: int
    theorem = FINITE
    rate = 2.0

    def log_factor(self, n: int) -> float:
        return math.log(2 * self.hypotheses)


@dataclass(frozen=True)
class Dimension(Tail):
    """The worst of a class of Vapnik and Chervonenkis' dimension h."""

    dimension: int
    theorem = VC
    rate = 0.125

    def log_factor(self, n: int) -> float:
        return math.log(4.0) + log_growth(2 * n, self.dimension)


@dataclass(frozen=True)
class DimensionOrder(Tail):
    """The same without constants."""

    dimension: int
    theorem = ORDER
    rate = 1.0

    @property
    def least(self) -> int:  # type: ignore[override]
        return self.dimension + 1

    def log_factor(self, n: int) -> float:
        return self.dimension * math.log(n / self.dimension)


@dataclass(frozen=True, eq=False, repr=False)
class Deviation(Promise):
    """How far a measured risk may be from the expected one, for how many rows, and how surely.

    Attributes
    ----------
    tail : Tail
        The bound.
    n : int
        Rows.
    epsilon : float
        The deviation.
    delta : float
        What the probability of a larger deviation is at most; not above 1.
    solved : str
        Which of the three was computed from the others.
    """

    tail: Tail
    n: int
    epsilon: float
    delta: float
    solved: str

    @property
    def theorem(self) -> Theorem:  # type: ignore[override]
        """What the bound rests on."""
        return self.tail.theorem

    def upper(self, risk: float) -> float:
        """Return the bound on the expected risk from the one that was measured."""
        checked = _share(self.theorem, "risk", risk)
        return (
            min(checked + self.epsilon, 1.0)
            if self.theorem is not HOEFFDING
            else checked + self.epsilon
        )

    def __str__(self) -> str:
        told = (
            f"{self.theorem.name}: with {self.n} rows the deviation is below {self.epsilon:.4g}, "
            f"except with a probability of at most {self.delta:.4g}"
        )
        return f"{told}, which says nothing" if self.delta >= 1.0 else told

    def frame(self) -> Any:
        """Return one row as a DataFrame."""
        made = {
            "theorem": [self.theorem.name],
            "n": [self.n],
            "epsilon": [self.epsilon],
            "delta": [self.delta],
            "solved": [self.solved],
        }
        return as_frame(made, instead="n, epsilon and delta")

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw ε against the number of rows, at the same δ."""
        from chemin.plots.theory.curves import draw_curves

        low, high = max(self.n / _SPAN, self.tail.least), self.n * _SPAN
        rows = np.unique(np.geomspace(low, high, 200).astype(int))
        level = min(self.delta, 0.5)
        epsilon = np.array([self.tail.epsilon(int(n), level) for n in rows])
        return draw_curves(
            rows, {f"δ = {level:.3g}": epsilon}, x_label="rows, n", y_label="deviation, ε",
            logarithmic="xy", point=(self.n, self.tail.epsilon(self.n, level)), title=self.theorem.name, ax=ax,
        )  # fmt: skip


def hoeffding(
    n: int | None = None,
    epsilon: float | None = None,
    delta: float | None = None,
    *,
    width: Any = 1.0,
    sides: int = 2,
) -> Deviation:
    """Return Hoeffding's bound for one mean: two of n, ε and δ give the third.

    Parameters
    ----------
    n : int, optional
        Independent values.
    epsilon : float, optional
        Deviation of their mean from its expectation.
    delta : float, optional
        Probability.
    width : float or list of n floats, default 1
        b − a, of the interval that values are in, or that each value is in; 1 for errors.
    sides : {1, 2}, default 2
        Deviations to one side, or to both.

    Returns
    -------
    Deviation

    Examples
    --------
    >>> print(hoeffding(n=1000, delta=0.05))
    Hoeffding's inequality: with 1000 rows the deviation is below 0.04295, except with a probability of at most 0.05
    >>> hoeffding(epsilon=0.01, delta=0.05).n
    18445
    >>> round(hoeffding(epsilon=0.05, width=[1.0] * 50 + [0.1] * 150).delta, 4)
    0.0412
    """
    if np.ndim(width):
        widths = HOEFFDING.vector("width", width, n)
        given = f"the least width is {widths.min():g}"
        HOEFFDING.require(widths.min() > 0.0, "b − a > 0", given, "leave out what is constant")
        n = len(widths) if n is None and None in (epsilon, delta) else n
        width = float(np.sqrt(np.mean(widths**2)))
    width = HOEFFDING.positive("width", width, "b − a")
    HOEFFDING.require(sides in (1, 2), "one side or two", f"sides is {sides!r}", "pass 1 or 2")
    return complete(OneMean(width, int(sides)), n, epsilon, delta)


def finite_class(
    hypotheses: int,
    n: int | None = None,
    epsilon: float | None = None,
    delta: float | None = None,
) -> Deviation:
    """Return the bound for all functions of a finite class: two of n, ε and δ give the third.

    The risk of the function with the least training error is within 2ε of the least risk of the class.

    Parameters
    ----------
    hypotheses : int
        How many functions.
    n, epsilon, delta
        See `hoeffding`.

    Returns
    -------
    Deviation

    Examples
    --------
    >>> made = finite_class(2**10, n=1000, delta=0.05)
    >>> round(made.epsilon, 4), round(made.upper(0.1), 4)
    (0.0729, 0.1729)
    """
    hypotheses = FINITE.whole("hypotheses", hypotheses, "M")
    return complete(FiniteClass(hypotheses), n, epsilon, delta)


def vc_bound(
    dimension: int,
    n: int | None = None,
    epsilon: float | None = None,
    delta: float | None = None,
    *,
    form: str = "proved",
) -> Deviation:
    """Return the bound for all functions of a class of finite dimension: two of n, ε and δ give the third.

    Parameters
    ----------
    dimension : int
        Dimension h of Vapnik and Chervonenkis, d + 1 for the half-spaces of d variables.
    n, epsilon, delta
        See `hoeffding`.
    form : {"proved", "order"}
        The bound with its constants, or the lecture's without them, for more rows than h.

    Returns
    -------
    Deviation

    Examples
    --------
    >>> round(vc_bound(3, n=10_000, delta=0.05).epsilon, 4)
    0.1608
    >>> vc_bound(3, n=2, delta=0.05, form="order")
    Traceback (most recent call last):
        ...
    chemin.exceptions.InvalidInputError: the order of the bound of Vapnik and Chervonenkis assumes n > h, and n is 2
    with h = 3: pass more rows than the dimension
    """
    forms = {"proved": Dimension, "order": DimensionOrder}
    VC.require(form in forms, "one of its forms", f"form is {form!r}", "pass 'proved' or 'order'")
    dimension = VC.whole("dimension", dimension, "h")
    if form == "order" and isinstance(n, int):
        remedy = "pass more rows than the dimension"
        ORDER.require(n > dimension, "n > h", f"n is {n} with h = {dimension}", remedy)
    return complete(forms[form](dimension), n, epsilon, delta)


def growth(n: int, dimension: int) -> int:
    """Return the most labellings of n points that a class of some dimension has, Σ C(n, i) over i ≤ h.

    Examples
    --------
    >>> growth(3, 3), growth(4, 3), growth(10, 3)
    (8, 15, 176)
    """
    n = VC.whole("n", n, "n", 0)
    dimension = VC.whole("dimension", dimension, "h", 0)
    return sum(math.comb(n, i) for i in range(min(dimension, n) + 1))


def log_growth(n: int, dimension: int) -> float:
    """Return the logarithm of `growth`, also where it is no number of the machine."""
    if n <= dimension:
        return n * math.log(2.0)
    i = np.arange(dimension + 1)
    return float(logsumexp(gammaln(n + 1.0) - gammaln(i + 1.0) - gammaln(n - i + 1.0)))


def complete(tail: Tail, n: Any, epsilon: Any, delta: Any) -> Deviation:
    """Return a bound whose third number is computed from the two that are given."""
    given = {"n": n, "epsilon": epsilon, "delta": delta}
    missing = [name for name, value in given.items() if value is None]
    if len(missing) != 1:
        raise InvalidInputError(
            f"{len(missing)} of n, epsilon and delta are left out: pass two of them, the third is computed"
        )
    theorem = tail.theorem
    if n is not None:
        n = theorem.whole("n", n, "n", tail.least)
    if epsilon is not None:
        epsilon = theorem.positive("epsilon", epsilon, "ε")
    if delta is not None:
        delta = theorem.probability("delta", delta, "δ")
    if n is None:
        n = tail.rows(epsilon, delta)
    elif epsilon is None:
        epsilon = tail.epsilon(n, delta)
    else:
        delta = math.exp(min(tail.log_delta(n, epsilon), 0.0))
    return Deviation(tail, n, epsilon, delta, missing[0])


def _share(theorem: Theorem, name: str, value: Any) -> float:
    holds = isinstance(value, int | float | np.number) and 0.0 <= value <= 1.0
    remedy = "pass a mean loss between 0 and 1"
    theorem.require(holds, "a loss between 0 and 1", f"{name} is {value!r}", remedy)
    return float(value)
