"""What is minimised? The doubly regularized SVM, as data.

    P(b0, b) = Σ_i w_i max(0, 1 − y_i (b0 + x_i·b)) + (l2/2) ‖b‖₂² + l1 Σ_j v_j |b_j|

Wang, Zhu and Zou (2006), *The doubly regularized support vector machine*; weights w_i and v_j are ours.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from chemin.dictionaries.base import Dictionary, Floats


@dataclass(frozen=True, eq=False)
class Problem:
    """The doubly regularized SVM without its l1, which the path varies.

    Attributes
    ----------
    dictionary : Dictionary
        The n × p columns.
    label : ndarray of shape (n,)
        Labels as −1.0 and +1.0.
    weight : ndarray of shape (n,)
        Hinge weights w_i ≥ 0, the upper bounds of the dual.
    l1_weight : ndarray of shape (p,)
        L1 weights v_j ≥ 0; zero means that l1 never penalises the column.
    l2 : float
        Ridge parameter, zero allowed.
    """

    dictionary: Dictionary
    label: Floats
    weight: Floats
    l1_weight: Floats
    l2: float

    def residuals(self, coef: Any, intercept: Floats | float) -> Floats:
        """Return r = 1 − y (b0 + X b); for ``coef`` of shape (p, k), one column per solution."""
        scores = self.dictionary.scores(coef) + intercept
        return 1.0 - (self.label * scores.T).T

    def objective(self, coef: Floats, intercept: float, l1: float) -> float:
        """Return P at one solution."""
        hinge = self.weight @ np.maximum(self.residuals(coef, intercept), 0.0)
        ridge = 0.5 * self.l2 * (coef @ coef)
        return float(hinge + ridge + l1 * (self.l1_weight @ np.abs(coef)))
