"""Why do more variables harm? Hughes's phenomenon in the example of Trunk, by simulation and in closed form.

Classes ±1, as likely as one another, have the laws N(±μ, I_d) with μ_i = 1/√i: every variable helps, each less than the
one before. With s = Σ_{i ≤ d} 1/i,

    Bayes error                 Φ(−√s) → 0
    μ estimated by n rows       1 − Φ(s/√((1 + 1/n) s + d/n)) → ½

The second is Trunk's approximation for the rule sign(x·μ̂), μ̂ the mean of y_i x_i over n = 2m rows, m of each class.
Errors are shares that are classified wrongly.

References: Trunk (1979), *A problem of dimensionality*; F. Sur, *Introduction à l'apprentissage automatique*, 2.1.4.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.stats import norm
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

from chemin.dictionaries.base import Floats
from chemin.frames import as_frame
from chemin.theory.theorem import Promise, Theorem

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Hughes", "hughes", "trunk_bayes_error", "trunk_error"]

TRUNK = Theorem(
    "Trunk's example of Hughes's phenomenon",
    "error = 1 − Φ(s/√((1 + 1/n) s + d/n)) → ½, though the Bayes error Φ(−√s) → 0",
    (
        "two classes N(±μ, I_d) as likely as one another, μ_i = 1/√i",
        "the rule sign(x·μ̂)",
        "n = 2m rows",
    ),
    "Trunk 1979; Sur, 2.1.4",
)
_RULES = ("plug-in", "5 neighbours", "naive Bayes")


def trunk_bayes_error(d: int) -> float:
    """Return Φ(−√s), the least error there can be.

    Examples
    --------
    >>> round(trunk_bayes_error(1), 4), round(trunk_bayes_error(100), 4)
    (0.1587, 0.0114)
    """
    return float(norm.cdf(-np.sqrt(_strength(d))))


def trunk_error(d: int, m: int) -> float:
    """Return Trunk's approximation of the error of sign(x·μ̂), from m rows of each class.

    Examples
    --------
    >>> [round(trunk_error(d, 10), 3) for d in (1, 10, 100, 10_000)]
    [0.17, 0.061, 0.054, 0.332]
    """
    m = TRUNK.whole("m", m, "m")
    s, n = _strength(d), 2.0 * m
    return float(norm.sf(s / np.sqrt((1.0 + 1.0 / n) * s + d / n)))


@dataclass(frozen=True, eq=False, repr=False)
class Hughes(Promise):
    """Errors of some rules against the number of variables.

    Attributes
    ----------
    dimensions : ndarray of int
        d.
    sizes : tuple of int
        m, rows of each class.
    rules : tuple of str
        Which rules.
    errors : ndarray of shape (rules, sizes, dimensions)
        Mean errors over the repeats.
    spread : ndarray of the same shape
        Their standard errors.
    closed : ndarray of shape (sizes, dimensions)
        Trunk's approximation, for the plug-in rule.
    bayes : ndarray of shape (dimensions,)
        The Bayes error.
    """

    theorem = TRUNK
    dimensions: Any
    sizes: tuple[int, ...]
    rules: tuple[str, ...]
    errors: Floats
    spread: Floats
    closed: Floats
    bayes: Floats

    def of(self, rule: str, m: int) -> Floats:
        """Return the errors of a rule learned from m rows of each class, by dimension."""
        known = rule in self.rules and m in self.sizes
        remedy = f"pass one of {', '.join(self.rules)} and of {', '.join(map(str, self.sizes))}"
        TRUNK.require(
            known, "a rule and a size that were tried", f"these are {rule!r} and {m!r}", remedy
        )
        return np.asarray(self.errors[self.rules.index(rule), self.sizes.index(m)])

    def __str__(self) -> str:
        m, rule = self.sizes[0], self.rules[0]
        found = self.of(rule, m)
        best = int(np.argmin(found))
        return (
            f"with {m} rows of each class the error of the rule '{rule}' is least with {self.dimensions[best]} "
            f"variables, {found[best]:.3f}, and {found[-1]:.3f} with {self.dimensions[-1]}; the Bayes error falls "
            f"to {self.bayes[-1]:.2g}"
        )

    def frame(self) -> Any:
        """Return a row per rule, size and dimension as a DataFrame."""
        shape = self.errors.shape
        r, s, d = (places.ravel() for places in np.indices(shape))
        made = {
            "rule": np.array(self.rules)[r],
            "m": np.array(self.sizes)[s],
            "dimension": np.array(self.dimensions)[d],
            "error": self.errors.ravel(),
            "standard error": self.spread.ravel(),
            "closed form": np.where(r == _place(self.rules), self.closed[s, d], np.nan),
            "Bayes error": self.bayes[d],
        }
        return as_frame(made, instead="errors, closed and bayes")

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the errors against the number of variables, beside the closed form and the Bayes error."""
        from chemin.plots.theory.curves import draw_curves

        dotted = {
            f"{rule}, m = {m}": self.errors[r, k]
            for r, rule in enumerate(self.rules)
            for k, m in enumerate(self.sizes)
        }
        curves = {f"Trunk, m = {m}": self.closed[k] for k, m in enumerate(self.sizes)}
        curves["Bayes error"] = self.bayes
        return draw_curves(
            self.dimensions, curves, dotted=dotted, x_label="variables, d", y_label="error", logarithmic="x", ax=ax
        )  # fmt: skip


def hughes(
    dimensions: Sequence[int] = (1, 2, 5, 10, 20, 50, 100, 200),
    sizes: Sequence[int] = (10,),
    *,
    rules: Sequence[str] = _RULES,
    repeats: int = 30,
    test: int = 200,
    random_state: int = 0,
) -> Hughes:
    """Learn Trunk's classes with more and more variables, and measure the error on other rows.

    Parameters
    ----------
    dimensions, sizes : list of int
        d, and m, rows of each class.
    rules : list of {"plug-in", "5 neighbours", "naive Bayes"}
        What learns.
    repeats : int, default 30
        How often; the course has 100.
    test : int, default 200
        Rows that judge, for each repeat. (The plug-in rule is judged by its expected error.)
    random_state : int, default 0
        What the draws start from.

    Returns
    -------
    Hughes

    Examples
    --------
    >>> made = hughes([1, 10, 1000], rules=["plug-in"], repeats=200)
    >>> bool(made.of("plug-in", 10)[1] < made.of("plug-in", 10)[2])
    True
    """
    d = [TRUNK.whole("a dimension", one, "d") for one in dimensions]
    m = tuple(TRUNK.whole("a size", one, "m", 3) for one in sizes)
    TRUNK.require(d and m, "some d and m", "one of the lists is empty", "pass at least one of each")
    unknown = [rule for rule in rules if rule not in _RULES] if rules else ["none"]
    remedy = f"pass some of {', '.join(_RULES)}"
    TRUNK.require(not unknown, "a known rule", f"rules has {unknown}", remedy)
    repeats = TRUNK.whole("repeats", repeats, "the repeats", 2)
    test = TRUNK.whole("test", test, "the rows that judge", 2)
    drawing = np.random.default_rng(random_state)
    found = np.array(
        [
            [
                [[_error(rule, one, size, test, drawing) for _ in range(repeats)] for one in d]
                for size in m
            ]
            for rule in rules
        ]
    )
    return Hughes(
        dimensions=np.array(d),
        sizes=m,
        rules=tuple(rules),
        errors=found.mean(axis=3),
        spread=found.std(axis=3, ddof=1) / np.sqrt(repeats),
        closed=np.array([[trunk_error(one, size) for one in d] for size in m]),
        bayes=np.array([trunk_bayes_error(one) for one in d]),
    )


def _error(rule: str, d: int, m: int, test: int, drawing: np.random.Generator) -> float:
    """Learn once, and return the error."""
    mean = 1.0 / np.sqrt(np.arange(1.0, d + 1.0))
    if rule == "plug-in":
        learned = mean + drawing.normal(size=d) / np.sqrt(2.0 * m)
        return float(norm.cdf(-(learned @ mean) / np.linalg.norm(learned)))
    y, judged = np.repeat([-1, 1], m), drawing.choice([-1, 1], size=test)
    X, Z = (
        labels[:, None] * mean + drawing.normal(size=(len(labels), d)) for labels in (y, judged)
    )
    model = KNeighborsClassifier(min(5, 2 * m)) if rule == "5 neighbours" else GaussianNB()
    return float(np.mean(model.fit(X, y).predict(Z) != judged))


def _strength(d: int) -> float:
    return float(np.sum(1.0 / np.arange(1.0, TRUNK.whole("d", d, "d") + 1.0)))


def _place(rules: Sequence[str]) -> int:
    return rules.index("plug-in") if "plug-in" in rules else -1
