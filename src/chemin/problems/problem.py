"""What is minimised? A loss of every point and two penalties, as data.

    P(b0, b) = Σ_i ℓ_i(s_i (b0 + x_i·b)) + (l2/2) ‖b‖₂² + Σ_j π_j(b_j),    π_j(b) = l1 v_j |b|

with the losses of `chemin.problems.losses` and, where π is another one, the penalties of
`chemin.problems.penalties`. The hinge makes it the doubly regularized SVM of Wang,
Zhu and Zou (2006); weights w_i, which are inside ℓ_i, and v_j are ours. For dual values α in their
intervals with Σ α_i s_i = 0, and c = Xᵀ(s∘α), weak duality gives for the L1 penalty

    P ≥ D(α) = Σ_i (min_t ℓ_i(t) + α_i t) − (1/2 l2) Σ_j max(0, |c_j| − l1 v_j)².
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from chemin.dictionaries.base import Dictionary, Floats
from chemin.problems.losses import PiecewiseQuadratic
from chemin.problems.penalties import PiecewisePenalty

_L1 = PiecewisePenalty()


@dataclass(frozen=True, eq=False)
class Problem:
    """What is minimised, without its l1, which the path varies.

    Attributes
    ----------
    dictionary : Dictionary
        The n × p columns.
    label : ndarray of shape (n,)
        Signs s_i of the scores: labels −1.0 and +1.0, or all +1.0 for a numeric target.
    weight : ndarray of shape (n,)
        Weights w_i ≥ 0 of the points.
    l1_weight : ndarray of shape (p,)
        L1 weights v_j ≥ 0; zero means that l1 never penalises the column.
    l2 : float
        Ridge parameter, zero allowed.
    loss : PiecewiseQuadratic
        The losses ℓ_i, weights included.
    penalty : PiecewisePenalty
        The penalties π_j, in units of l1 v_j.
    """

    dictionary: Dictionary
    label: Floats
    weight: Floats
    l1_weight: Floats
    l2: float
    loss: PiecewiseQuadratic
    penalty: PiecewisePenalty = _L1

    def scores(self, coef: Any, intercept: Floats | float) -> Floats:
        """Return the signed scores s (b0 + X b): shape (n,), or (n, k) if ``coef`` is (p, k)."""
        scores = self.dictionary.scores(coef) + intercept
        return (self.label * scores.T).T

    def objective(self, coef: Floats, intercept: float, l1: float) -> float:
        """Return P at one solution."""
        loss = self.loss.value(self.scores(coef, intercept)).sum()
        ridge = 0.5 * self.l2 * (coef @ coef)
        return float(loss + ridge + self.penalty.value(coef, l1 * self.l1_weight).sum())
