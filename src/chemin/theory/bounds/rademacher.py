"""How well does a class of functions follow signs drawn at random? The empirical Rademacher complexity.

    R̂ = E_σ max_f (1/n) Σ σ_i f(x_i),    σ_i = ±1 with probability ½ each

    ‖w‖₂ ≤ B             (B/n) E‖Σ σ_i x_i‖₂          between B √(Σ‖x_i‖²)/(√2 n) and B √(Σ‖x_i‖²)/n
    ‖w‖₁ ≤ B             (B/n) E‖Σ σ_i x_i‖_∞         at most B max_j ‖x^j‖ √(2 log 2d)/n
    ‖f‖_k ≤ B            (B/n) E√(σᵀKσ)               between B √(tr K)/(√2 n) and B √(tr K)/n
    M functions          (1/n) E max_f Σ σ_i f(x_i)   at most max ‖f‖ √(2 log M)/n  (Massart)

It is exact, over all signs, for a few points, and a mean over draws with its standard error for more. For a loss in
[0, 1] with values in a class of complexity R̂, with probability ≥ 1 − δ for all f of it,

    R_p(f) ≤ R_e(f) + 2 R̂ + 3 √(log(2/δ)/(2n)).

The complexity of a loss that moves at most L times as fast as f is at most L R̂ (Talagrand's contraction).

Reference: Bartlett and Mendelson (2002), *Rademacher and Gaussian complexities*; the lower limits are Szarek's (1976).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from chemin.dictionaries.base import Floats
from chemin.frames import as_frame
from chemin.kernels import Kernel, is_positive
from chemin.results import plural
from chemin.theory.theorem import Promise, Theorem

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Rademacher", "rademacher_class", "rademacher_kernel", "rademacher_linear"]

_EXACT = 14  # points whose signs are all tried
_AT_ONCE = 512  # draws held in memory

RADEMACHER = Theorem(
    "the bound by Rademacher complexity",
    "R_p ≤ R_e + 2 R̂ + 3 √(log(2/δ)/(2n)) for all f of the class, with probability ≥ 1 − δ",
    (
        "independent rows of one law",
        "a loss between 0 and 1",
        "a class fixed before the rows were seen",
    ),
    "Bartlett and Mendelson 2002",
)


@dataclass(frozen=True, eq=False, repr=False)
class Rademacher(Promise):
    """The empirical Rademacher complexity of a class on some points.

    Attributes
    ----------
    of : str
        The class.
    n : int
        Points.
    value : float
        The complexity.
    error : float
        Its standard error; 0 where all signs were tried.
    lower, upper : float
        What it cannot be below and above, in closed form.
    followed : ndarray
        max_f (1/n) Σ σ_i f(x_i) for all signs, or those drawn, in rising order; its mean is the complexity.
    """

    theorem = RADEMACHER
    of: str
    n: int
    value: float
    error: float
    lower: float
    upper: float
    followed: Floats

    @property
    def exact(self) -> bool:
        """Whether all signs were tried."""
        return self.error == 0.0

    def deviation(self, delta: float = 0.05) -> float:
        """Return 2 R̂ + 3 √(log(2/δ)/(2n)), for a class of losses."""
        delta = RADEMACHER.probability("delta", delta, "δ")
        return 2.0 * self.value + 3.0 * float(np.sqrt(np.log(2.0 / delta) / (2.0 * self.n)))

    def __str__(self) -> str:
        how = "over all signs" if self.exact else f"± {self.error:.1g} by draws of signs"
        return (
            f"Rademacher complexity of {self.of} on {plural(self.n, 'point')}: {self.value:.4g}, {how}; "
            f"in closed form between {self.lower:.4g} and {self.upper:.4g}"
        )

    def frame(self) -> Any:
        """Return one row as a DataFrame."""
        made = {
            "class": [self.of],
            "n": [self.n],
            "complexity": [self.value],
            "error": [self.error],
            "lower": [self.lower],
            "upper": [self.upper],
        }
        return as_frame(made, instead="value, error, lower and upper")

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw how well the class follows signs, over all of them, beside the mean and its limits."""
        from chemin.plots.theory.curves import draw_curves

        share = np.linspace(0.0, 1.0, len(self.followed))
        flat = np.ones(len(share))
        curves = {
            "of the class": self.followed,
            "complexity": self.value * flat,
            "at least": self.lower * flat,
            "at most": self.upper * flat,
        }
        return draw_curves(
            share, curves, x_label="share of the signs", y_label="largest mean of σ f", title=self.of, ax=ax
        )  # fmt: skip


def rademacher_linear(
    X: Any, norm: float = 1.0, *, penalty: str = "l2", draws: int = 4000, random_state: int = 0
) -> Rademacher:
    """Return the complexity of x ↦ w·x over ‖w‖ ≤ B.

    Parameters
    ----------
    X : table of numbers
        The points.
    norm : float, default 1
        B.
    penalty : {"l2", "l1"}
        Which norm of w.
    draws : int, default 4000
        Signs drawn, for more than 14 points.
    random_state : int, default 0
        What the draws start from.

    Returns
    -------
    Rademacher

    Examples
    --------
    >>> print(rademacher_linear([[1.0, 0.0], [0.0, 1.0]]))
    Rademacher complexity of w·x, ‖w‖₂ ≤ 1 on 2 points: 0.7071, over all signs; in closed form between 0.5 and 0.7071
    """
    X = RADEMACHER.table("X", X)
    norm = RADEMACHER.positive("norm", norm, "B")
    known = penalty in ("l2", "l1")
    RADEMACHER.require(known, "the norm l2 or l1", f"penalty is {penalty!r}", "pass 'l2' or 'l1'")
    n, d = X.shape
    if penalty == "l2":
        size = norm * float(np.linalg.norm(X)) / n
        limits = (size / np.sqrt(2.0), size)

        def largest(signs: Floats) -> Floats:
            return np.asarray(np.linalg.norm(signs @ X, axis=1))
    else:
        columns = np.linalg.norm(X, axis=0)
        # the largest of several mean absolute values is at least the largest mean, which is Khintchine's
        upper = norm * float(columns.max()) * float(np.sqrt(2.0 * np.log(2.0 * d))) / n
        limits = (norm * float(columns.max()) / np.sqrt(2.0) / n, upper)

        def largest(signs: Floats) -> Floats:
            return np.asarray(np.abs(signs @ X).max(axis=1))

    of = f"w·x, ‖w‖{'₂' if penalty == 'l2' else '₁'} ≤ {norm:g}"
    return _measure(of, n, lambda signs: norm * largest(signs), limits, draws, random_state)


def rademacher_kernel(
    kernel: Any, X: Any, norm: float = 1.0, *, draws: int = 4000, random_state: int = 0
) -> Rademacher:
    """Return the complexity of the functions of norm at most B in the space of a kernel.

    Parameters
    ----------
    kernel : Kernel
        One of `chemin.kernels`.
    X : table
        The points.
    norm, draws, random_state
        See `rademacher_linear`.

    Returns
    -------
    Rademacher

    Examples
    --------
    >>> from chemin.kernels import Gaussian, Linear
    >>> X = [[1.0, 0.0], [0.0, 1.0], [1.0, 2.0]]
    >>> bool(np.isclose(rademacher_kernel(Linear(), X).value, rademacher_linear(X).value))
    True
    """
    remedy = "pass one of chemin.kernels, such as Gaussian()"
    RADEMACHER.require(isinstance(kernel, Kernel), "a kernel", f"kernel is {kernel!r}", remedy)
    norm = RADEMACHER.positive("norm", norm, "B")
    told = f"{kernel} is not on these points"
    RADEMACHER.require(is_positive(kernel, X), "a positive kernel", told, "pass one that is")
    gram = np.asarray(kernel(X, X), dtype=float)

    def largest(signs: Floats) -> Floats:
        return norm * np.sqrt(
            np.maximum(np.einsum("si,ij,sj->s", signs, gram, signs, optimize=True), 0.0)
        )

    n = len(gram)
    size = norm * float(np.sqrt(np.trace(gram))) / n
    of = f"functions of norm ≤ {norm:g} in the space of {kernel}"
    return _measure(of, n, largest, (size / np.sqrt(2.0), size), draws, random_state)


def rademacher_class(values: Any, *, draws: int = 4000, random_state: int = 0) -> Rademacher:
    """Return the complexity of finitely many functions.

    Parameters
    ----------
    values : array of shape (M, n)
        f(x_i), a row per function: of losses, for the bound on risks.
    draws, random_state
        See `rademacher_linear`.

    Returns
    -------
    Rademacher

    Examples
    --------
    >>> rademacher_class([[1.0, 1.0], [-1.0, -1.0]]).value
    0.5
    """
    values = RADEMACHER.table("values", values)
    M, n = values.shape
    lengths = np.linalg.norm(values, axis=1)
    upper = float(lengths.max()) * float(np.sqrt(2.0 * np.log(M))) / n
    return _measure(
        plural(M, "function"), n, lambda signs: (signs @ values.T).max(axis=1), (0.0, upper), draws, random_state
    )  # fmt: skip


def all_signs(n: int) -> Floats:
    """Return all rows of n signs.

    Examples
    --------
    >>> all_signs(2).tolist()
    [[-1.0, -1.0], [1.0, -1.0], [-1.0, 1.0], [1.0, 1.0]]
    """
    bits = np.arange(2**n)[:, None] >> np.arange(n) & 1
    return np.asarray(2.0 * bits - 1.0, dtype=float)


def _measure(
    of: str,
    n: int,
    largest: Callable[[Floats], Floats],
    limits: tuple[float, float],
    draws: int,
    random_state: int,
) -> Rademacher:
    """Return the mean over signs of max Σ σ_i f(x_i), divided by n."""
    lower, upper = map(float, limits)
    if n <= _EXACT:
        every = np.sort(largest(all_signs(n))) / n
        return Rademacher(of, n, float(every.mean()), 0.0, lower, upper, every)
    draws = RADEMACHER.whole("draws", draws, "draws", 2)
    drawing = np.random.default_rng(random_state)
    found = np.concatenate(
        [
            largest(drawing.choice([-1.0, 1.0], size=(min(_AT_ONCE, draws - start), n)))
            for start in range(0, draws, _AT_ONCE)
        ]
    )
    error = float(found.std(ddof=1)) / np.sqrt(draws) / n
    followed = np.sort(found) / n
    value = float(followed.mean())
    return Rademacher(of, n, value, float(error), lower, upper, followed)
