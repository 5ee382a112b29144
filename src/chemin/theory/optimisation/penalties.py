"""Which penalty is which constraint, and which prior? The λ of a penalty, the C of a norm, the scale of a law.

    min Σ (y − w₀ − x·w)² + λ ‖w‖₂²     is    min Σ (y − w₀ − x·w)²  with  ‖w‖₂ ≤ C,    C = ‖w(λ)‖₂         (ridge)
    min Σ (y − w₀ − x·w)² + λ ‖w‖₁      is    the same               with  ‖w‖₁ ≤ C,    C = ‖w(λ)‖₁         (Lasso)

C falls as λ rises. For ridge, with centred columns UΣVᵀ, w(λ) = V diag(σ/(σ² + λ)) Uᵀy. For the Lasso ‖w(λ)‖₁ is a
broken line whose corners are those of the exact path. Where C is at least the norm of the least-squares solution the
constraint costs nothing, and λ = 0.

With normal errors of variance σ², w is also the most likely value under independent priors for its coefficients:

    λ ‖w‖₂²    normal of variance σ²/λ           λ ‖w‖₁    Laplace of scale 2σ²/λ

Reference: F. Sur, *Introduction à l'apprentissage automatique*, 1.4.2.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.optimize import brentq
from scipy.stats import laplace, norm

from chemin.dictionaries.base import Floats
from chemin.engine.entry import path
from chemin.frames import as_frame
from chemin.theory.theorem import Promise, Theorem

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["PenaltyMap", "Prior", "penalty_map", "penalty_prior"]

_PLACES = 60
_NOTHING = 1e-12
KINDS = ("ridge", "lasso")

MULTIPLIER = Theorem(
    "a penalty is a constraint",
    "for every C below the norm of the free solution there is a λ with the same solution, and for every λ a C",
    ("the squared loss", "a convex norm", "a solution without penalty that is unique, for λ = 0"),
    "Sur, 1.4.2; Prop B.5",
)
PRIOR = Theorem(
    "a penalty is a prior",
    "the penalised solution is the most likely w a posteriori",
    (
        "normal errors of a known variance",
        "independent coefficients a priori",
        "a flat prior for w₀",
    ),
    "Tibshirani 1996; Hoerl and Kennard 1970",
)


@dataclass(frozen=True, eq=False, repr=False)
class PenaltyMap(Promise):
    """λ and C of one regression.

    Attributes
    ----------
    kind : {"ridge", "lasso"}
        Which norm.
    strengths : ndarray
        λ, in falling order: the corners of the path for the Lasso, some places for ridge; the last is 0.
    radii : ndarray
        C of each.
    parts : tuple of ndarrays
        What solutions are computed from: Σ, Uᵀy and Vᵀ of the centred columns, and the Lasso's corners.
    """

    theorem = MULTIPLIER
    kind: str
    strengths: Floats
    radii: Floats
    parts: tuple[Floats, ...]

    @property
    def largest(self) -> float:
        """The norm of the solution without penalty, beyond which a constraint costs nothing."""
        return float(self.radii[-1])

    def coefficients(self, strength: float) -> Floats:
        """Return w(λ)."""
        strength = _not_negative("strength", strength, "λ")
        if self.kind == "ridge":
            sizes, turned, axes, _ = self.parts
            return np.asarray(axes.T @ (sizes * turned / (sizes**2 + strength)))
        corners = self.parts[-1]
        order = self.strengths[::-1]
        made = [np.interp(strength, order, column[::-1]) for column in corners.T]
        return np.array(made)

    def radius(self, strength: float) -> float:
        """Return the C of a λ."""
        strength = _not_negative("strength", strength, "λ")
        if self.kind == "ridge":
            return float(np.linalg.norm(self.coefficients(strength)))
        return float(np.interp(strength, self.strengths[::-1], self.radii[::-1]))

    def strength(self, radius: float) -> float:
        """Return the λ of a C; 0 where the constraint costs nothing."""
        radius = MULTIPLIER.positive("radius", radius, "C")
        if radius >= self.largest:
            return 0.0
        if self.kind == "lasso":
            return float(np.interp(radius, self.radii, self.strengths))
        sizes, turned, _, _ = self.parts
        high = float(np.linalg.norm(sizes * turned)) / radius  # ‖w(λ)‖ ≤ ‖Σ Uᵀy‖/λ
        return float(
            brentq(lambda one: self.radius(one) - radius, 0.0, high, xtol=1e-300, rtol=1e-14)
        )

    def __str__(self) -> str:
        sign = "₂" if self.kind == "ridge" else "₁"
        return (
            f"{self.kind}: the norm ‖w‖{sign} falls from {self.largest:.4g} at λ = 0; "
            f"half of it is left at λ = {self.strength(self.largest / 2.0):.4g}"
        )

    def frame(self) -> Any:
        """Return a row per λ as a DataFrame."""
        return as_frame({"lambda": self.strengths, "C": self.radii}, instead="strengths and radii")

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw C against λ."""
        from chemin.plots.theory.curves import draw_curves

        positive = self.strengths > 0.0
        norm_of = "‖w‖₂" if self.kind == "ridge" else "‖w‖₁"
        curves = {f"C = {norm_of}": self.radii[positive]}
        return draw_curves(
            self.strengths[positive], curves, x_label="λ", y_label=f"C, the norm {norm_of}",
            logarithmic="x", title=self.kind, ax=ax,
        )  # fmt: skip

    def rise(self, w: Any) -> Floats:
        """Return Σ (y − w₀ − x·w)² less its least value, for coefficients in rows."""
        sizes, turned, axes, _ = self.parts
        return np.asarray((((np.asarray(w) @ axes.T) * sizes - turned) ** 2).sum(axis=-1))

    def plot_geometry(self, strength: float | None = None, ax: Axes | None = None) -> Axes:
        """Draw where the levels of the squares first touch ‖w‖ ≤ C, for two columns.

        Parameters
        ----------
        strength : float, optional
            λ, whose C is drawn; by default that of half the norm of the free solution.
        ax : Axes, optional
            Where to draw.
        """
        from chemin.plots.theory.optimisation import draw_touching

        two = self.parts[2].shape[1] == 2
        told = f"there are {self.parts[2].shape[1]}"
        MULTIPLIER.require(two, "two columns, to be drawn", told, "pass two of them")
        chosen = self.strength(self.largest / 2.0) if strength is None else strength
        found, free = self.coefficients(chosen), self.coefficients(0.0)
        return draw_touching(
            self.rise, found, free, self.radius(chosen), self.kind == "lasso",
            title=f"{self.kind}, λ = {chosen:.3g}, C = {self.radius(chosen):.3g}", ax=ax,
        )  # fmt: skip


def penalty_map(X: Any, y: Any, kind: str = "ridge") -> PenaltyMap:
    """Return the map between the λ of a penalty and the C of a constraint, for one regression.

    Parameters
    ----------
    X : table of numbers
        The rows; scale the columns first if their units differ.
    y : array of numbers
        The targets. The intercept is neither penalised nor constrained.
    kind : {"ridge", "lasso"}
        Which norm.

    Returns
    -------
    PenaltyMap

    Examples
    --------
    >>> X, y = [[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]], [3.0, 1.0, -3.0, -1.0]
    >>> lasso = penalty_map(X, y, "lasso")
    >>> round(lasso.largest, 6), round(lasso.strength(2.0), 6), lasso.coefficients(4.0).round(6).tolist()
    (4.0, 4.0, [2.0, 0.0])
    >>> ridge = penalty_map(X, y)
    >>> round(ridge.radius(2.0) / ridge.largest, 6)
    0.5
    """
    known = kind in KINDS
    MULTIPLIER.require(
        known, "the norm of ridge or Lasso", f"kind is {kind!r}", "pass 'ridge' or 'lasso'"
    )
    X = MULTIPLIER.table("X", X, 2)
    y = MULTIPLIER.vector("y", y, len(X))
    centred, target = X - X.mean(axis=0), y - y.mean()
    turning, sizes, axes = np.linalg.svd(centred, full_matrices=False)
    told = f"the centred columns of X span {int(np.sum(sizes > _NOTHING * sizes.max()))} of {X.shape[1]} dimensions"
    full = len(sizes) == X.shape[1] and bool((sizes > _NOTHING * sizes.max()).all())
    remedy = "pass more rows than columns, and leave out columns that others determine"
    MULTIPLIER.require(full, "a unique solution without penalty", told, remedy)
    moving = bool(np.abs(centred.T @ target).max() > 0.0)
    MULTIPLIER.require(
        moving, "a y that goes with some column", "no column goes with y", "pass others"
    )
    turned = turning.T @ target
    if kind == "lasso":
        followed = path(centred, target, loss="squared", l2=0.0)  # of ½ Σ r² + l1 ‖w‖₁: λ = 2 l1
        corners = followed.coef.toarray()
        strengths = 2.0 * np.asarray(followed.l1)
        return PenaltyMap(
            kind, strengths, np.abs(corners).sum(axis=1), (sizes, turned, axes, corners)
        )
    strengths = np.append(np.geomspace(1e3, 1e-5, _PLACES) * float(sizes.max() ** 2), 0.0)
    found = PenaltyMap(kind, strengths, np.zeros(0), (sizes, turned, axes, np.zeros(0)))
    radii = np.array([float(np.linalg.norm(found.coefficients(one))) for one in strengths])
    return PenaltyMap(kind, strengths, radii, found.parts)


@dataclass(frozen=True, eq=False, repr=False)
class Prior(Promise):
    """The law of a coefficient that a penalty stands for.

    Attributes
    ----------
    kind : {"ridge", "lasso"}
        Which penalty.
    strength : float
        λ.
    noise : float
        σ, the standard deviation of the errors.
    """

    theorem = PRIOR
    kind: str
    strength: float
    noise: float

    @property
    def scale(self) -> float:
        """The standard deviation of the normal law, or the scale of the Laplace law."""
        if self.kind == "ridge":
            return float(self.noise / np.sqrt(self.strength))
        return 2.0 * self.noise**2 / self.strength

    @property
    def law(self) -> Any:
        """The law, of SciPy."""
        return norm(scale=self.scale) if self.kind == "ridge" else laplace(scale=self.scale)

    def __str__(self) -> str:
        name = (
            "a normal law of standard deviation"
            if self.kind == "ridge"
            else "a Laplace law of scale"
        )
        return (
            f"{self.kind} with λ = {self.strength:g}, errors of deviation {self.noise:g}: each coefficient has "
            f"{name} {self.scale:.4g} a priori"
        )

    def frame(self) -> Any:
        """Return one row as a DataFrame."""
        made = {"kind": [self.kind], "lambda": [self.strength], "noise": [self.noise]}
        return as_frame({**made, "scale": [self.scale]}, instead="scale")

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the density of a coefficient a priori."""
        from chemin.plots.theory.curves import draw_curves

        w = np.linspace(-4.0, 4.0, 401) * self.scale
        curves = {self.kind: self.law.pdf(w)}
        return draw_curves(
            w, curves, x_label="coefficient", y_label="density a priori", title=str(self), ax=ax
        )


def penalty_prior(kind: str = "ridge", strength: float = 1.0, noise: float = 1.0) -> Prior:
    """Return the prior of a coefficient that Σ (y − w₀ − x·w)² + λ ‖w‖ stands for.

    Parameters
    ----------
    kind : {"ridge", "lasso"}
        λ ‖w‖₂² or λ ‖w‖₁.
    strength : float
        λ.
    noise : float
        σ, the standard deviation of the errors.

    Returns
    -------
    Prior

    Examples
    --------
    >>> print(penalty_prior("lasso", strength=4.0, noise=2.0))
    lasso with λ = 4, errors of deviation 2: each coefficient has a Laplace law of scale 2 a priori
    """
    PRIOR.require(
        kind in KINDS,
        "the penalty of ridge or Lasso",
        f"kind is {kind!r}",
        "pass 'ridge' or 'lasso'",
    )
    return Prior(
        kind, PRIOR.positive("strength", strength, "λ"), PRIOR.positive("noise", noise, "σ")
    )


def _not_negative(name: str, value: Any, symbol: str) -> float:
    number = float(MULTIPLIER.vector(name, value, 1)[0])
    MULTIPLIER.require(number >= 0.0, f"{symbol} ≥ 0", f"{name} is {value!r}", "pass 0 or more")
    return number
