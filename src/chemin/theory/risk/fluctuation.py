"""Why does a richer class help, then harm? The least risk of a class, and how far measured risks stray from theirs.

With f the function of least risk R_p in a class H, and f̃ that of least measured risk R_e,

    R_p(f) ≤ R_p(f̃) ≤ R_p(f) + 2 max_H |R_p − R_e|         bias, and twice the fluctuation

For finitely many functions and a law on finitely many points all of it is computed: R_p is a sum, and R_e follows
from how often each point is drawn. Of an unknown law a table stands in for it: its rows are the points, and samples are
drawn from them with replacement.

Reference: F. Sur, *Introduction à l'apprentissage automatique*, Prop 2.1 and Fig 2.5.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from chemin.dictionaries.base import Floats
from chemin.frames import as_frame
from chemin.theory.theorem import Promise, Theorem

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["BiasFluctuation", "bias_fluctuation", "bias_fluctuation_resampled"]

FLUCTUATION = Theorem(
    "bias and fluctuation",
    "R_p(f) ≤ R_p(f̃) ≤ R_p(f) + 2 max |R_p − R_e|",
    ("f̃ has the least measured risk of the class", "the same rows measure all functions"),
    "Sur, Prop 2.1",
)


@dataclass(frozen=True, eq=False, repr=False)
class BiasFluctuation(Promise):
    """Bias and fluctuation of several classes of functions.

    Attributes
    ----------
    names : tuple of str
        The classes.
    sizes : tuple of int
        How many functions each has.
    bias : ndarray
        R_p(f), the least risk of each class.
    fluctuation : ndarray
        max |R_p − R_e|, on average over the draws.
    risk : ndarray
        R_p(f̃), on average.
    training : ndarray
        R_e(f̃), on average.
    held : ndarray
        Share of the draws in which both inequalities held: 1, as they are theorems.
    n, repeats : int
        Rows drawn, and how often.
    """

    theorem = FLUCTUATION
    names: tuple[str, ...]
    sizes: tuple[int, ...]
    bias: Floats
    fluctuation: Floats
    risk: Floats
    training: Floats
    held: Floats
    n: int
    repeats: int

    def __str__(self) -> str:
        best = int(np.argmin(self.risk))
        return (
            f"{self.names[best]} is best with {self.n} rows: a risk of {self.risk[best]:.4g}, between the bias "
            f"{self.bias[best]:.4g} and that plus twice the fluctuation {self.fluctuation[best]:.4g}"
        )

    def frame(self) -> Any:
        """Return a row per class as a DataFrame."""
        made = {
            "class": self.names,
            "functions": self.sizes,
            "bias": self.bias,
            "fluctuation": self.fluctuation,
            "risk": self.risk,
            "training risk": self.training,
        }
        return as_frame(made, instead="bias, fluctuation and risk")

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw bias, twice the fluctuation, and the risk between them."""
        from chemin.plots.theory.curves import draw_named

        curves = {
            "risk of the learned function": self.risk,
            "bias": self.bias,
            "twice the fluctuation": 2.0 * self.fluctuation,
            "training risk": self.training,
        }
        return draw_named(self.names, curves, y_label="risk", ax=ax)


def bias_fluctuation(
    classes: Mapping[str, Any], law: Any, *, n: int = 50, repeats: int = 500, random_state: int = 0
) -> BiasFluctuation:
    """Measure bias and fluctuation of classes of functions under a known law on finitely many points.

    Parameters
    ----------
    classes : mapping
        Name → array of shape (M, points): the label, 0 to K − 1, that each function gives each point.
    law : array of shape (points, K)
        The probability of each point together with each label.
    n : int, default 50
        Rows drawn.
    repeats : int, default 500
        How often.
    random_state : int, default 0
        What the draws start from.

    Returns
    -------
    BiasFluctuation

    Examples
    --------
    >>> law = np.array([[0.4, 0.1], [0.1, 0.4]])  # two points, two labels
    >>> both = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    >>> print(bias_fluctuation({"constants": both[[0, 3]], "all": both}, law))
    all is best with 50 rows: a risk of 0.2006, between the bias 0.2 and that plus twice the fluctuation
    0.07464
    """
    joint = FLUCTUATION.table("law", law)
    is_law = bool((joint >= 0.0).all()) and abs(float(joint.sum()) - 1.0) <= 1e-8
    told = f"the sum is {joint.sum():.4g} and the least {joint.min():.3g}"
    FLUCTUATION.require(is_law, "a law", told, "pass probabilities of sum 1")
    n = FLUCTUATION.whole("n", n, "n")
    repeats = FLUCTUATION.whole("repeats", repeats, "the draws")
    named = isinstance(classes, Mapping) and len(classes) > 0
    FLUCTUATION.require(named, "some classes", f"classes is {classes!r}", "pass {'name': labels}")
    counts = np.random.default_rng(random_state).multinomial(n, joint.ravel(), size=repeats)
    found = [
        _one_class(_losses(name, labels, joint), joint, counts / n)
        for name, labels in classes.items()
    ]
    bias, fluctuation, risk, training, held = np.array(found).T
    sizes = tuple(len(labels) for labels in classes.values())
    return BiasFluctuation(
        tuple(classes), sizes, bias, fluctuation, risk, training, held, n, repeats
    )


def bias_fluctuation_resampled(
    classes: Mapping[str, Any],
    y: Any,
    *,
    n: int | None = None,
    repeats: int = 500,
    random_state: int = 0,
) -> BiasFluctuation:
    """Measure bias and fluctuation of classes of functions on samples of one table, drawn with replacement.

    Parameters
    ----------
    classes : mapping
        Name → array of shape (M, rows): the label that each function gives each row.
    y : array of shape (rows,)
        The labels of the rows.
    n : int, optional
        Rows drawn; by default as many as there are.
    repeats : int, default 500
        How often.
    random_state : int, default 0
        What the draws start from.

    Returns
    -------
    BiasFluctuation

    Examples
    --------
    >>> x, y = np.arange(20.0), np.repeat(["no", "yes"], 10)
    >>> steps = {f"{k} thresholds": np.where(x >= np.linspace(0, 19, k)[:, None], "yes", "no") for k in (2, 20)}
    >>> bias_fluctuation_resampled(steps, y).bias.round(3).tolist()
    [0.45, 0.0]
    """
    labels = np.asarray(y)
    flat = labels.ndim == 1 and len(labels) > 0
    told = f"y has the shape {labels.shape}"
    FLUCTUATION.require(flat, "a label for every row", told, "pass one label for each row")
    named = isinstance(classes, Mapping) and len(classes) > 0
    FLUCTUATION.require(named, "some classes", f"classes is {classes!r}", "pass {'name': labels}")
    said = {name: np.asarray(made) for name, made in classes.items()}
    kinds = np.unique(np.concatenate([labels, *(made.ravel() for made in said.values())]))
    law = (labels[:, None] == kinds) / len(labels)
    return bias_fluctuation(
        {name: np.searchsorted(kinds, made) for name, made in said.items()},
        law,
        n=len(labels) if n is None else n,
        repeats=repeats,
        random_state=random_state,
    )


def _losses(name: str, labels: Any, joint: Floats) -> Floats:
    """Return the loss of each function on each pair of a point and a label."""
    made = np.asarray(labels)
    points, K = joint.shape
    right = made.ndim == 2 and made.shape[1] == points and bool(np.isin(made, np.arange(K)).all())
    told = f"the class {name!r} has the shape {made.shape}"
    remedy = f"pass labels 0 to {K - 1}, a row per function and {points} columns"
    FLUCTUATION.require(right, "a label per function and point", told, remedy)
    return np.asarray((made[:, :, None] != np.arange(K)).reshape(len(made), -1), dtype=float)


def _one_class(losses: Floats, joint: Floats, shares: Floats) -> list[float]:
    expected = losses @ joint.ravel()
    measured = shares @ losses.T
    chosen = measured.argmin(axis=1)
    fluctuation = np.abs(measured - expected).max(axis=1)
    risk = expected[chosen]
    least = float(expected.min())
    held = (risk >= least) & (risk <= least + 2.0 * fluctuation + 1e-12)
    means = (fluctuation, risk, measured.min(axis=1), held)
    return [least, *(float(values.mean()) for values in means)]
