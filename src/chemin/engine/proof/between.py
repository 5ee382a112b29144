"""How far from optimal is the straight line between two solutions? A bound that trusts no solver.

Let (b0, b) and α be known at l and at l' < l, with primal values P, P' and lower bounds L, L' of the optimum P*. In
between, at l_t = (1 − t) l + t l', stands b_t = (1 − t) b + t b'. With N = Σ v_j |b_j|,

* the hinge is convex: at b_t it falls short of its chord by S(t) = Σ_i w_i min((1 − t) |r_i|, t |r_i'|), over the
  points i whose residuals r_i and r_i' have different signs;
* the ridge loses ½ l2 t (1 − t) ‖b' − b‖² against its chord;
* N_t is at most its chord, and l_t times that chord exceeds the chord of l N by t (1 − t) (l − l') (N' − N);
* P* is the least of functions affine in l1, hence concave: P*(l_t) is at least the chord of L and L'.

So the gap at t is at most

    (1 − t) (P − L) + t (P' − L') + t (1 − t) K − S(t),     K = (l − l') (N' − N) − ½ l2 ‖b' − b‖².

S is concave, hence at least its own chords between the eighths of [0, 1], where it is computed.

Where L and L' are D(α) = Σ α_i − Σ_j q_j² / (2 l2), q_j = sign(c_j) max(0, |c_j| − l1 v_j), more is known. α_t is
feasible, and |q_jt| is at most the absolute value of the chord of q_j, whether or not the signs agree: D(α_t) exceeds
the chord of D by t (1 − t) Σ_j (q_j' − q_j)² / (2 l2) or more, which K loses. With that, K vanishes on a piece of the
exact path. Both bounds are taken, and the smaller one kept. Divided by max(min(L, L'), max w), they bound the relative
gap of `chemin.engine.proof.certificate` for every l1 in between.

Reference: Giesen, Jaggi and Laue (2012), *Approximating parameterized convex optimization problems*.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from scipy import sparse

from chemin.dictionaries.base import Floats
from chemin.engine.proof.certificate import lower_bounds
from chemin.problems import Problem

_PLACES = np.linspace(0.0, 1.0, 9)


@dataclass(frozen=True, eq=False)
class Proved:
    """Solutions, one per row, and what is proved of each.

    Attributes
    ----------
    l1, primal : ndarray of shape (k,)
        Where, and the objective there.
    lower, ridge : ndarray of shape (k,)
        The best lower bound of the optimum, and D(α).
    norm1 : ndarray of shape (k,)
        Σ v_j |b_j|.
    coef, excess : ndarray of shape (k, p)
        The coefficients b_j, and q_j.
    residual : ndarray of shape (k, n)
        The residuals r_i = 1 − y_i (b0 + x_i·b).
    """

    l1: Floats
    primal: Floats
    lower: Floats
    ridge: Floats
    norm1: Floats
    coef: Floats
    excess: Floats
    residual: Floats

    def __getitem__(self, rows: Any) -> Proved:
        return Proved(*(getattr(self, field.name)[rows] for field in fields(self)))

    def relative_gap(self, least: float) -> Floats:
        """Return ``(primal − lower) / max(lower, least)``, never less than the gap of the certificate."""
        return np.asarray((self.primal - self.lower) / np.maximum(self.lower, least))


def prove(
    problem: Problem, coef: Any, intercept: Floats, l1: Floats, dual: Floats, column_norm: Floats
) -> Proved:
    """Measure the rows of ``coef``, dense or sparse, with their intercepts and dual values."""
    dense = coef.toarray() if sparse.issparse(coef) else coef
    residual = problem.residuals(coef.T, intercept).T
    hinge = np.maximum(residual, 0.0) @ problem.weight
    norm1 = np.abs(dense) @ problem.l1_weight
    primal = hinge + 0.5 * problem.l2 * np.einsum("kj,kj->k", dense, dense) + l1 * norm1
    lower, ridge, excess = lower_bounds(
        problem, primal, l1[:, None] * problem.l1_weight, dual, column_norm
    )
    return Proved(l1, primal, lower, ridge, norm1, dense, excess, residual)


def bound_between(problem: Problem, before: Proved, after: Proved) -> Floats:
    """Return, row by row, a bound of the relative gap over the whole way from ``before`` to ``after``.

    Examples
    --------
    From b = 0 at l1 = 6 to b = 1 at l1 = 2, both optimal (points −2, −1 against 1, 2; l2 = 0), the line is not: at
    l1 = 5 it has an objective of 3.75, where 3.5 is optimal.

    >>> from chemin.validation import as_problem
    >>> problem, _ = as_problem([[-2.0], [-1.0], [1.0], [2.0]], [0, 0, 1, 1], 0.0, None, None)
    >>> l1, dual = np.array([6.0, 2.0]), np.array([[1.0, 1.0, 1.0, 1.0], [0.0, 1.0, 1.0, 0.0]])
    >>> ends = prove(problem, np.array([[0.0], [1.0]]), np.zeros(2), l1, dual, problem.dictionary.column_norms())
    >>> bound_between(problem, ends[:1], ends[1:]).tolist()
    [0.125]
    """
    l2, step, bend = (
        problem.l2,
        after.coef - before.coef,
        _bend(problem.weight, before.residual, after.residual),
    )
    turn = (before.l1 - after.l1) * (after.norm1 - before.norm1) - 0.5 * l2 * np.einsum(
        "kj,kj->k", step, step
    )
    kinds = [(before.lower, after.lower, turn)]
    if l2 > 0.0:
        moved = after.excess - before.excess
        kinds.append(
            (before.ridge, after.ridge, turn - np.einsum("kj,kj->k", moved, moved) / (2.0 * l2))
        )
    least = problem.weight.max()
    bounds = [
        _top(before.primal - low, after.primal - lowest, curve, bend)
        / np.maximum(np.minimum(low, lowest), least)
        for low, lowest, curve in kinds
    ]
    return np.asarray(np.minimum.reduce(bounds))


def _bend(weight: Floats, first: Floats, last: Floats) -> Floats:
    """Return S at 0, 1/8, … 1, one row per pair."""
    bend = np.zeros((len(first), len(_PLACES)))
    for row, (r, s) in enumerate(zip(first, last, strict=True)):
        crosses = np.flatnonzero((r > 0.0) != (s > 0.0))
        tents = np.minimum(
            np.outer(1.0 - _PLACES, np.abs(r[crosses])), np.outer(_PLACES, np.abs(s[crosses]))
        )
        bend[row] = tents @ weight[crosses]
    return bend


def _top(first: Floats, last: Floats, turn: Floats, bend: Floats) -> Floats:
    """Return the largest value over [0, 1] of (1 − t) first + t last + t (1 − t) turn − S(t), S by its chords."""
    first, last, turn = first[:, None], last[:, None], np.maximum(turn, 0.0)[:, None]
    low, high = _PLACES[:-1], _PLACES[1:]
    slope = np.diff(bend, axis=1) / np.diff(_PLACES)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(turn > 0.0, 0.5 + 0.5 * (last - first - slope) / turn, 0.0)
    values = []
    for at in (low, high, np.clip(t, low, high)):
        chord = bend[:, :-1] + slope * (at - low)
        values.append((1.0 - at) * first + at * last + at * (1.0 - at) * turn - chord)
    return np.asarray(np.max(values, axis=(0, 2)))
