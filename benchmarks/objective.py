"""How good is a vector of coefficients?

    F(b, b0) = sum_i max(0, 1 - y_i (b0 + x_i.b)) + (l2/2) ||b||_2^2 + l1 ||b||_1

Nobody's own figure is trusted: every solver, ours included, is judged by F computed here. For given
coefficients F is piecewise linear in b0, so its best intercept is exact and is granted to every
peer.
"""

from __future__ import annotations

import numpy as np


def objective(
    X: np.ndarray, y: np.ndarray, coef: np.ndarray, intercept: float, l1: float, l2: float
) -> float:
    """F(b, b0)."""
    hinge = np.maximum(0.0, 1.0 - y * (intercept + X @ coef)).sum()
    return float(hinge + 0.5 * l2 * coef @ coef + l1 * np.abs(coef).sum())


def best_intercept(X: np.ndarray, y: np.ndarray, coef: np.ndarray) -> float:
    """An intercept that minimises the hinge loss exactly for these coefficients.

    The slope in b0 is -n_plus at minus infinity and grows by one at each kink y_i - x_i.b
    (labels are +1 or -1), so it first reaches zero at the n_plus-th smallest kink.
    """
    kinks = y - X @ coef
    n_plus = int(np.count_nonzero(y > 0))
    return float(np.partition(kinks, max(n_plus - 1, 0))[max(n_plus - 1, 0)])


def best_objective(
    X: np.ndarray, y: np.ndarray, coefs: list[np.ndarray], l1: float, l2: float
) -> float:
    """The smallest F over several coefficient vectors, each with its best intercept."""
    return min(objective(X, y, b, best_intercept(X, y, b), l1, l2) for b in coefs)


def shrink(c: np.ndarray, l1: float, l2: float) -> np.ndarray:
    """The coefficients that dual variables imply: soft-threshold of c = X'(y*alpha), over l2."""
    return np.sign(c) * np.maximum(np.abs(c) - l1, 0.0) / l2


def dual_value(alpha: np.ndarray, c: np.ndarray, l1: float, l2: float) -> float:
    """D(alpha) = sum(alpha) - ||max(0, |c| - l1)||^2 / (2 l2), a lower bound of F."""
    return float(alpha.sum() - np.square(np.maximum(np.abs(c) - l1, 0.0)).sum() / (2.0 * l2))


def relative_excess(value: float, reference: float) -> float:
    """(value - reference) / max(1, reference)."""
    return (value - reference) / max(1.0, reference)
