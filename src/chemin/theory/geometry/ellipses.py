"""Where is a normal law as dense everywhere? On ellipses along the eigenvectors of its covariance.

    {x : (x − μ)ᵀ Σ⁻¹ (x − μ) = r²},  Σ = P diag(s) Pᵀ:   half axes r √s_i along the columns of P

It holds a share q of the law if r² is the quantile q of χ² with d degrees of freedom. Axes are as the square roots of
the eigenvalues, not as the eigenvalues.

Reference: F. Sur, *Introduction à l'apprentissage automatique*, A.3.3.1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.stats import chi2

from chemin.dictionaries.base import Floats
from chemin.frames import as_frame
from chemin.theory.theorem import Promise, Theorem

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["LevelEllipses", "level_ellipses"]

_PLACES = 181

LEVELS = Theorem(
    "the level sets of a normal density",
    "P((x − μ)ᵀ Σ⁻¹ (x − μ) ≤ r²) = F_χ²(r²; d), half axes r √s_i along the eigenvectors of Σ",
    ("a normal law", "an invertible covariance"),
    "Sur, A.3.3.1",
)


@dataclass(frozen=True, eq=False, repr=False)
class LevelEllipses(Promise):
    """Ellipsoids that hold some shares of a normal law.

    Attributes
    ----------
    mean : ndarray of shape (d,)
        Their centre.
    axes : ndarray of shape (d, d)
        Unit vectors along their axes, as columns, the longest first.
    deviations : ndarray of shape (d,)
        √s_i, the standard deviations along them.
    shares : tuple of float
        The share of the law in each.
    radii : ndarray
        r of each.
    """

    theorem = LEVELS
    mean: Floats
    axes: Floats
    deviations: Floats
    shares: tuple[float, ...]
    radii: Floats

    @property
    def half_axes(self) -> Floats:
        """Lengths r √s_i, a row per ellipsoid."""
        return np.outer(self.radii, self.deviations)

    def contains(self, X: Any) -> Any:
        """Return which points are in which ellipsoid.

        Parameters
        ----------
        X : table of numbers
            A row per point.

        Returns
        -------
        ndarray of bool, of shape (points, ellipsoids)
        """
        away = (LEVELS.table("X", X) - self.mean) @ self.axes / self.deviations
        return np.sum(away**2, axis=1)[:, None] <= self.radii**2

    def outlines(self, places: int = _PLACES) -> list[Floats]:
        """Return points around each ellipse of two variables."""
        d = len(self.mean)
        LEVELS.require(d == 2, "two variables, to draw", f"there are {d}", "pick two of them")
        angle = np.linspace(0.0, 2.0 * np.pi, places)
        circle = np.column_stack([np.cos(angle), np.sin(angle)])
        return [self.mean + (circle * lengths) @ self.axes.T for lengths in self.half_axes]

    def __str__(self) -> str:
        lines = [
            f"  {share:.4g} of the law: {', '.join(f'{length:.4g}' for length in lengths)}"
            for share, lengths in zip(self.shares, self.half_axes, strict=True)
        ]
        place = ", ".join(f"{value:.4g}" for value in self.mean)
        return "\n".join([f"half axes around ({place})", *lines])

    def frame(self) -> Any:
        """Return a row per ellipsoid and axis as a DataFrame."""
        count, d = len(self.shares), len(self.mean)
        directions = {f"x{i + 1}": np.tile(row, count) for i, row in enumerate(self.axes)}
        made = {
            "share": np.repeat(self.shares, d),
            "half axis": self.half_axes.ravel(),
            **directions,
        }
        return as_frame(made, instead="half_axes and axes")

    def plot(self, ax: Axes | None = None, *, points: Any = None) -> Axes:
        """Draw the ellipses of two variables, and perhaps points."""
        from chemin.plots.theory.laws import draw_ellipses

        named = {
            f"{share:.4g} of the law": outline
            for share, outline in zip(self.shares, self.outlines(), strict=True)
        }
        tips = (self.axes * self.half_axes[0]).T
        return draw_ellipses(self.mean, named, tips, points=points, ax=ax)


def level_ellipses(
    mean: Any, covariance: Any, shares: Sequence[float] = (0.5, 0.95)
) -> LevelEllipses:
    """Return the ellipsoids that hold some shares of a normal law.

    Parameters
    ----------
    mean, covariance : arrays of shape (d,) and (d, d)
        Of the law.
    shares : list of float, default (0.5, 0.95)
        Of the law, in each ellipsoid.

    Returns
    -------
    LevelEllipses

    Examples
    --------
    >>> print(level_ellipses([0.0, 0.0], [[4.0, 0.0], [0.0, 1.0]], [0.95]))
    half axes around (0, 0)
      0.95 of the law: 4.895, 2.448
    """
    mean = LEVELS.vector("mean", mean)
    covariance = LEVELS.covariance("covariance", covariance, len(mean))
    LEVELS.require(len(shares), "a share or more", "shares is empty", "pass one, such as [0.95]")
    kept = tuple(LEVELS.probability("a share", share, "a share") for share in shares)
    values, axes = np.linalg.eigh(covariance)
    return LevelEllipses(
        mean=mean,
        axes=axes[:, ::-1],
        deviations=np.sqrt(values[::-1]),
        shares=kept,
        radii=np.sqrt(chi2.ppf(kept, len(mean))),
    )
