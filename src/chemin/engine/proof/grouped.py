"""Is a solution with a penalty on nested groups optimal? A duality gap and residuals that trust no solver.

For α in its intervals with Σ α_i s_i = 0, c = Xᵀ(s∘α), and q what the balls leave of c (`Hierarchy.shrunk`),

    P ≥ Σ_i min_t (ℓ_i(t) + α_i t) − ‖q‖² / (2 l2).

If α is shrunk by θ until q vanishes, the first sum alone bounds P from below; that serves l2 = 0 and tiny l2.
"""

from __future__ import annotations

import numpy as np

from chemin.dictionaries.base import Floats
from chemin.engine.proof.certificate import Certificate
from chemin.problems import Problem
from chemin.problems.hierarchies import Hierarchy

_ENOUGH = 1e-12  # of the objective: a gap below needs no second bound


def certify_groups(
    problem: Problem, groups: Hierarchy, coef: Floats, intercept: float, l1: float, dual: Floats
) -> Certificate:
    """Certify one solution."""
    loss, label = problem.loss, problem.label
    clipped = np.clip(dual, loss.lowest, loss.highest)
    alpha = _balanced(clipped, label)
    score = problem.scores(coef, intercept)
    value = loss.value(score)
    terms = loss.fenchel_gap(score, alpha, value)
    correlation = problem.dictionary.correlations(label * alpha)
    left = groups.shrunk(correlation, l1)
    paid = l1 * groups.value(coef)
    ridge = 0.5 * problem.l2 * float(coef @ coef)
    primal = float(value.sum()) + ridge + paid
    # Σ_j c_j b_j is Σ_i α_i t_i, because Σ_i s_i α_i = 0
    without = float(terms.sum()) + ridge + paid - float(correlation @ coef)
    differences = [primal]
    if problem.l2 > 0.0:
        apart = problem.l2 * coef - left
        inside = paid - float((correlation - left) @ coef)
        fit = float(apart @ apart) / (2.0 * problem.l2) + max(inside, 0.0)
        differences.append(float(terms.sum()) + fit)
    needed = l1
    if min(differences) > _ENOUGH * primal:
        needed = groups.dual_norm(correlation)
        lost = max(1.0 - l1 / needed, 0.0) if needed > 0.0 else 0.0
        differences.append(lost * primal + (1.0 - lost) * without)
    difference = max(min(differences), 0.0)
    stationarity = float(np.abs(problem.l2 * coef - left).max(initial=0.0))
    outside = np.maximum(loss.lowest - dual, dual - loss.highest)
    fields = {
        "l1": l1,
        "primal": primal,
        "dual": primal - difference,
        "gap": difference / primal if primal > 0.0 else 0.0,
        "rounding": 0.0,
        "stationarity": stationarity if problem.l2 > 0.0 else 0.0,
        "threshold": max(needed - l1, 0.0) if problem.l2 == 0.0 else 0.0,
        "balance": abs(float(dual @ label)),
        "box": max(float(outside.max(initial=0.0)), 0.0),
        "complementarity": float(terms.max(initial=0.0)),
    }
    return Certificate(**{name: np.array([number]) for name, number in fields.items()})


def _balanced(dual: Floats, label: Floats) -> Floats:
    """Return dual values with Σ α_i s_i = 0, the heavier side shrunk."""
    signed = dual * label
    total = float(signed.sum())
    heavier = signed * np.sign(total) > 0.0
    size = float(np.abs(signed[heavier]).sum())
    return np.where(heavier, dual * (1.0 - abs(total) / size), dual) if size > 0.0 else dual
