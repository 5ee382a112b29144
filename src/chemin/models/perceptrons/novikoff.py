"""How many errors can a perceptron make? At most R²/γ², whatever the number of rows and columns.

Let rows have signs, z_i = y_i x_i, and lengths at most R, and let u be a unit vector with all z_i·u ≥ γ > 0. An update
is made only where z_i·w ≤ a, and adds z_i. After t of them, w·u ≥ tγ and ‖w‖² ≤ t(R² + 2a), hence

    t²γ² ≤ (w·u)² ≤ ‖w‖² ≤ t(R² + 2a)        and        t ≤ (R² + 2a)/γ²,

for a = 0 the theorem of Novikoff (1962), On convergence proofs on perceptrons.

The best γ is the distance of the origin to the convex hull of the rows, min ‖Σ λ_i z_i‖ over λ ≥ 0, Σ λ_i = 1: every
separator is a bound from below and every such λ one from above. Lawson and Hanson (1974, chapter 23) find both by least
squares with unknowns ≥ 0, of ‖Σ λ_i (z_i, 1) − (0, 1)‖; w with z_i·w = 1 on all rows of weight > 0 takes rounding away.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse
from scipy.optimize import nnls
from sklearn.utils.extmath import row_norms

from chemin.dictionaries.base import Floats, Indices
from chemin.frames import as_frame
from chemin.models.perceptrons.separability import LARGEST, SignedRows
from chemin.results import Result, plural

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_SAME = 1e-6  # relative difference of two margins that are one


@dataclass(frozen=True, eq=False, repr=False)
class Novikoff(Result):
    """The updates of a perceptron beside the most that the theorem allows.

    Attributes
    ----------
    updates_per_sweep : ndarray of shape (sweeps,)
        Updates made in each sweep.
    radius : float
        R, the length of the longest row; a constant 1 that gives the intercept counts as one of its columns.
    margin : float
        γ, the least z_i·u of a unit vector u that was found; 0 if none separates the rows.
    margin_at_most : float
        What no unit vector exceeds.
    slack : float
        a: only rows with z_i·w ≤ a ask for an update.
    """

    updates_per_sweep: Indices
    radius: float
    margin: float
    margin_at_most: float
    slack: float = 0.0

    @property
    def updates(self) -> int:
        """The number of updates made."""
        return int(self.updates_per_sweep.sum())

    @property
    def bound(self) -> float:
        """The most updates there can be, (R² + 2a)/γ²; infinite without a separator."""
        if not self.margin:
            return float("inf")
        return (self.radius**2 + 2.0 * self.slack) / self.margin**2

    @property
    def widest(self) -> bool:
        """Whether γ is the largest margin there is, so that the bound is the least; else it is valid, but weaker."""
        return self.margin >= (1.0 - _SAME) * self.margin_at_most

    def __str__(self) -> str:
        made = f"{plural(self.updates, 'update')} in {plural(len(self.updates_per_sweep), 'sweep')}"
        if not self.margin:
            return (
                f"{made}; no separator with a margin is known, and none has one above {self.margin_at_most:.2g}, so "
                "that nothing bounds their number"
            )
        squares = f"(R² + 2 · {self.slack:.4g})" if self.slack else "R²"
        told = f"{made}, at most {squares}/γ² = {self.bound:.4g}, with R = {self.radius:.4g} and γ = {self.margin:.4g}"
        if self.widest:
            return f"{told}, the largest margin of a unit separator"
        return (
            f"{told} of the separator that was found; no margin is above {self.margin_at_most:.4g}"
        )

    def frame(self) -> Any:
        """Return a row per sweep as a DataFrame."""
        number = np.arange(1, len(self.updates_per_sweep) + 1)
        columns = {"sweep": number, "updates": self.updates_per_sweep}
        return as_frame(columns, instead="updates_per_sweep")

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the updates of each sweep."""
        from chemin.plots.models.perceptrons import draw_updates

        return draw_updates(self.updates_per_sweep, self.bound, ax=ax)


def novikoff(
    updates_per_sweep: Indices, rows: SignedRows, weights: Floats, slack: float = 0.0
) -> Novikoff:
    """Return the updates beside their bound.

    Parameters
    ----------
    updates_per_sweep : ndarray
        Updates that were made.
    rows : SignedRows
        The rows z_i.
    weights : ndarray
        Those that were learned; their margin is γ where a better one is too expensive or not found.
    slack : float, default 0.0
        a.

    Returns
    -------
    Novikoff
    """
    lengths = row_norms(rows.values)
    margin, at_most = _margin(rows.values, weights), float(lengths.min())
    combination = _nearest(rows, float(lengths.max()))
    if combination is not None:
        through = rows.values.T @ combination
        at_most = min(at_most, float(np.linalg.norm(through)))
        used = rows.values[combination > 0.0]
        used = used.toarray() if sparse.issparse(used) else used
        refined = np.linalg.lstsq(used, np.ones(len(used)), rcond=None)[0]
        margin = max(margin, _margin(rows.values, through), _margin(rows.values, refined))
    return Novikoff(updates_per_sweep, float(lengths.max()), margin, max(at_most, margin), slack)


def _nearest(rows: SignedRows, radius: float) -> Floats | None:
    """Return the λ of the point of the convex hull nearest to the origin, or None if it is not found."""
    if rows.entries > LARGEST or not radius:
        return None
    Z = rows.values.toarray() if sparse.issparse(rows.values) else rows.values
    system = np.vstack([Z.T / radius, np.ones(len(Z))])
    try:
        found, _ = nnls(system, np.append(np.zeros(Z.shape[1]), 1.0))
    except RuntimeError:  # margins near rounding may take it more steps than it allows
        return None
    return found / found.sum()


def _margin(Z: Any, w: Floats) -> float:
    """Return the least product of a row with the unit vector along w, 0 if w does not separate."""
    length = float(np.linalg.norm(w))
    return max(float((Z @ w).min()) / length, 0.0) if length else 0.0
