"""How far from optimal is the straight line between two solutions? A bound that trusts no solver.

Let (b0, b) and α be known at l and at l' < l, with primal values P, P' and lower bounds L, L' of
the optimum P*. In between, at l_t = (1 − t) l + t l', stands b_t = (1 − t) b + t b'. With
N = Σ v_j |b_j| and scores r_i,

* the loss is convex: at b_t it falls short of its chord by
  S(t) = Σ_i (1 − t) ℓ_i(r_i) + t ℓ_i(r_i') − ℓ_i((1 − t) r_i + t r_i'), over the points i whose
  scores r_i and r_i' are on different pieces;
* the ridge loses ½ l2 t (1 − t) ‖b' − b‖² against its chord;
* N_t is at most its chord, and l_t times that chord exceeds the chord of l N by
  t (1 − t) (l − l') (N' − N);
* P* is the least of functions affine in l1, hence concave: P*(l_t) is at least the chord of L, L'.

So the gap at t is at most

    (1 − t) (P − L) + t (P' − L') + t (1 − t) K − S(t),     K = (l − l') (N' − N) − ½ l2 ‖b' − b‖².

S is concave, hence at least its own chords between the eighths of [0, 1], where it is computed.

Where L and L' are D(α), more is known. α_t is feasible, and with
q_j = sign(c_j) max(0, |c_j| − l1 v_j), |q_jt| is at most the absolute value of the chord of q_j,
whether or not the signs agree: D(α_t) exceeds the chord of D by
t (1 − t) Σ_j (q_j' − q_j)² / (2 l2) or more, which K loses. With that, K vanishes on a piece of the
exact path. Both bounds are taken, and the smaller one kept. Divided by the chord of L and L', or
of what rounding of the scores may add where that is larger, they bound (P − P*) / P* for every l1
in between.

Reference: Giesen, Jaggi and Laue (2012), *Approximating parameterized convex optimization
problems*.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np

from chemin.dictionaries.base import Floats
from chemin.engine.proof.solutions import Norms, Proved, Solutions, measure, ratio
from chemin.problems import Problem

__all__ = ["Proved", "bound_between", "prove"]

_PLACES = np.linspace(0.0, 1.0, 9)
_CROSSING_AT_ONCE = 1_000_000  # numbers


def prove(
    problem: Problem, coef: Any, intercept: Floats, l1: Floats, dual: Floats, column_norm: Floats
) -> Proved:
    """Measure the rows of ``coef``, dense or sparse, at all points and columns."""
    norms = Norms(problem.dictionary.row_norms(), column_norm)
    return measure(problem, Solutions.with_duals(coef, intercept, l1, dual), norms, whole=True)


def bound_between(problem: Problem, before: Proved, after: Proved, least: float = 0.0) -> Floats:
    """Return, row by row, a bound of the relative gap from ``before`` to ``after``.

    Both must have looked at the same points and columns. The gap is never relative to less than
    ``least``.

    Examples
    --------
    From b = 0 at l1 = 6 to b = 1 at l1 = 2, both optimal (points −2, −1 against 1, 2; l2 = 0), the
    line is not: at l1 = 3 it has an objective of 2.75, where 2.5 is optimal.

    >>> from chemin.validation import as_problem
    >>> problem, _ = as_problem([[-2.0], [-1.0], [1.0], [2.0]], [0, 0, 1, 1], 0.0, None, None)
    >>> l1, dual = np.array([6.0, 2.0]), np.array([[1.0, 1.0, 1.0, 1.0], [0.0, 1.0, 1.0, 0.0]])
    >>> norms = problem.dictionary.column_norms()
    >>> ends = prove(problem, np.array([[0.0], [1.0]]), np.zeros(2), l1, dual, norms)
    >>> bound_between(problem, ends[:1], ends[1:]).round(3).tolist()
    [0.101]
    """
    l2 = problem.l2
    step = after.coef - before.coef
    curve = (before.l1 - after.l1) * (after.norm1 - before.norm1)
    curve -= 0.5 * l2 * np.einsum("kj,kj->k", step, step)
    bend = _bend(problem, before, after)
    kinds = [(before.difference, after.difference, curve)]
    if l2 > 0.0:
        moved = after.excess - before.excess
        sharper = curve - np.einsum("kj,kj->k", moved, moved) / (2.0 * l2)
        kinds.append((before.ridge_difference, after.ridge_difference, sharper))
    bounds = []
    for first, last, turn in kinds:
        chords = [
            (before.primal - first, after.primal - last),
            (before.rounding, after.rounding),
            (np.full(len(first), least), np.full(len(first), least)),
        ]
        bounds.append(_top(first, last, turn, bend, chords))
    return np.asarray(np.fmin.reduce(bounds))


def _bend(problem: Problem, before: Proved, after: Proved) -> Floats:
    """Return S at 0, 1/8, … 1, one row per pair."""
    loss = problem.loss.of(before.points)
    bend = np.zeros((len(before.l1), len(_PLACES)))
    row, point = np.nonzero(loss.piece(before.score) != loss.piece(after.score))
    size = max(1, _CROSSING_AT_ONCE // len(_PLACES))
    for start in range(0, len(row), size):
        some = slice(start, start + size)
        at = (row[some], point[some])
        crossing = loss.of(point[some])
        ends = before.score[at], after.score[at]
        chords = np.outer(1.0 - _PLACES, crossing.value(ends[0]))
        chords += np.outer(_PLACES, crossing.value(ends[1]))
        scores = np.outer(1.0 - _PLACES, ends[0]) + np.outer(_PLACES, ends[1])
        short = np.maximum(chords - crossing.value(scores), 0.0)
        np.add.at(bend, row[some], short.T)
    return bend


def _top(
    first: Floats, last: Floats, turn: Floats, bend: Floats, chords: list[tuple[Floats, Floats]]
) -> Floats:
    """Return the largest (1 − t) first + t last + t (1 − t) turn − S(t), relative to chords.

    On an eighth, where S is taken by its chord, this is the least of quotients that are concave
    over affine: it is largest at the ends, where one of the quotients is, or where two chords
    cross.
    """
    first = first[:, None]
    last = last[:, None]
    turn = np.maximum(turn, 0.0)[:, None]
    scales = [(here[:, None], there[:, None]) for here, there in chords]
    low, high = _PLACES[:-1], _PLACES[1:]
    slope = np.diff(bend, axis=1) / np.diff(_PLACES)
    constant = first - bend[:, :-1] + slope * low
    linear = last - first + turn - slope
    places = [low, high]
    places += [_stationary(constant, linear, turn, *scale) for scale in scales]
    places += [_crossing(*pair) for pair in combinations(scales, 2)]
    values = []
    for place in places:
        at = np.clip(place, low, high)
        way = (at - low) / (high - low)
        chord = (1.0 - way) * bend[:, :-1] + way * bend[:, 1:]
        above = (1.0 - at) * first + at * last + at * (1.0 - at) * turn - chord
        relative_to = [(1.0 - at) * here + at * there for here, there in scales]
        values.append(ratio(np.maximum(above, 0.0), np.maximum.reduce(relative_to)))
    return np.asarray(np.max(values, axis=(0, 2)))


def _stationary(a: Floats, b: Floats, c: Floats, here: Floats, there: Floats) -> Floats:
    """Return where (a + b t − c t²) / (d + e t) is stationary, with d = here and d + e = there.

    That is where c e t² + 2 c d t + a e − b d = 0.
    """
    slope = there - here
    half = c * here
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        root = np.sqrt(np.maximum(half**2 - c * slope * (a * slope - b * here), 0.0))
        # of the two roots, the one that stays finite where e vanishes
        return np.asarray(np.nan_to_num((b * here - a * slope) / (half + root)))


def _crossing(first: tuple[Floats, Floats], second: tuple[Floats, Floats]) -> Floats:
    """Return where two chords have the same value."""
    apart = first[0] - second[0]
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        return np.asarray(np.nan_to_num(apart / (apart - (first[1] - second[1]))))
