"""Which inequalities hold the current sets together, and which one is reached first?

The optimality conditions leave six families of inequalities, each written as a slack that must stay ≥ 0:

    α_i,   w_i − α_i                i in the elbow      (reached: the point goes right, left)
    side_i r_i                      i left or right     (reached: the point joins the elbow)
    s_j b_j                         j active            (reached: the variable leaves)
    l1 v_j − c_j,  l1 v_j + c_j     j inactive          (reached: the variable enters, with sign +, −)

They are laid out end to end in one vector, so that detection, ties and shadows are each one pass over it.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from chemin.dictionaries.base import Floats
from chemin.engine.exact.backend import compiled
from chemin.engine.exact.state import LEFT, RIGHT, Move, State

FAMILIES = ("right", "left", "elbow", "leave", "enter+", "enter-")
AT_THE_END = 1 - 1e-11  # an event this close to the last l1 is that end seen through rounding


def slacks(state: State) -> Floats:
    """Return every slack at the current point."""
    threshold = state.l1 * state.problem.l1_weight[state.columns]
    unstoppable = np.where(state.sign == 0.0, np.inf, 0.0)
    return np.concatenate(
        (
            state.alpha,
            state.problem.weight[state.elbow] - state.alpha,
            state.side[state.rows] * state.residual,
            state.sign * state.beta[1:] + unstoppable,
            threshold - state.correlation,
            threshold + state.correlation,
        )
    )


def rates(state: State, move: Move, margin: Floats, correlation: Floats) -> Floats:
    """Return the change of every slack along a move, given what the move does to margins and correlations."""
    threshold = move.l1 * state.problem.l1_weight[state.columns]
    return np.concatenate(
        (
            move.alpha,
            -move.alpha,
            -state.side[state.rows] * margin,
            state.sign * move.beta[1:],
            threshold - correlation,
            threshold + correlation,
        )
    )


@dataclass
class Noise:
    """What counts as zero: a fraction of the size of the numbers whose difference a slack or a rate is."""

    row_norm: Floats
    column_norm: Floats
    margin: float
    dual: float
    rate: float

    def of_slacks(self, state: State) -> Floats:
        """Return the size below which each slack is rounding: slacks under it are reached together."""
        dual = self.dual * np.sqrt(state.left_square + state.alpha @ state.alpha)
        row = self.margin * (
            state.target[state.rows] + self.row_norm[state.rows] * np.linalg.norm(state.beta)
        )
        coefficient = self.margin * np.abs(state.beta[1:]).max(initial=0.0)
        column = dual * self.column_norm[state.columns]
        return self._lay_out(state, dual, row, coefficient, column)

    def of_rates(self, state: State, move: Move) -> Floats:
        """Return the size below which each rate is rounding: such a slack stays as it is."""
        beta = self.rate * float(np.linalg.norm(move.beta))
        alpha = self.rate * float(np.linalg.norm(move.alpha))
        row = beta * self.row_norm[state.rows]
        column = alpha * self.column_norm[state.columns]
        column += self.rate * abs(move.l1) * state.problem.l1_weight[state.columns]
        return self._lay_out(state, alpha, row, beta, column)

    @staticmethod
    def _lay_out(
        state: State, point: float, row: Floats, coefficient: float, column: Floats
    ) -> Floats:
        points, coefficients = (
            np.full(2 * len(state.elbow), point),
            np.full(len(state.active), coefficient),
        )
        return np.concatenate((points, row, coefficients, column, column))


class Stride(NamedTuple):
    """One step along the path, or why it was not made."""

    step: float
    row_distance: float  # how far β goes, which bounds what unwatched rows can do
    column_distance: float  # how far (α, l1) goes, for unwatched columns
    family: int
    place: int
    made: bool
    ended: bool


def stride(
    state: State, noise: Noise, row_room: float, column_room: float, min_l1: float
) -> Stride:
    """Move along the path to the first slack reached, or to ``min_l1``, unless there is no room to go so far."""
    if compiled:
        return Stride._make(compiled.stride(state, noise, row_room, column_room, min_l1))
    move = direction(state)
    margin, correlation = state.margins(state.rows, move.beta), state.correlate(move.alpha)
    rate = rates(state, move, margin, correlation)
    approaching = rate < -noise.of_rates(state, move)
    steps = np.full(len(rate), np.inf)
    np.divide(np.maximum(slacks(state), 0.0), -rate, out=steps, where=approaching)
    first = int(np.argmin(steps))
    end = (state.l1 - min_l1) / -move.l1 if move.l1 else np.inf
    step = float(min(steps[first], end))
    if step < np.inf:
        rows, columns = step * sqrt(move.beta @ move.beta), step * dual_speed(state, move)
    else:
        rows = np.inf if move.beta.any() else 0.0
        columns = np.inf if move.alpha.any() or move.l1 else 0.0
    if rows >= row_room or columns >= column_room or step == np.inf:
        return Stride(step, rows, columns, *locate(state, first), made=False, ended=False)
    state.beta += step * move.beta
    state.alpha += step * move.alpha
    state.l1 += step * move.l1
    state.residual -= step * margin
    state.correlation += step * correlation
    return Stride(
        step,
        rows,
        columns,
        *locate(state, first),
        made=True,
        ended=bool(steps[first] >= end * AT_THE_END),
    )


def dual_speed(state: State, move: Move) -> float:
    """Return how far (α, l1) goes per unit step."""
    return state.ruler.length(state.problem.label[state.elbow] * move.alpha, state.elbow, move.l1)


def reached(state: State, noise: Noise) -> NDArray[np.bool_]:
    """Say which slacks are zero but for rounding."""
    if compiled:
        return compiled.reached(state, noise)
    return slacks(state) <= noise.of_slacks(state)


def locate(state: State, k: int) -> tuple[int, int]:
    """Return the family of slack ``k`` and its place inside the family."""
    n_elbow, n_columns = len(state.elbow), len(state.columns)
    for family, size in enumerate(
        (n_elbow, n_elbow, len(state.rows), len(state.active), n_columns)
    ):
        if k < size:
            return family, k
        k -= size
    return len(FAMILIES) - 1, k


def place_of(state: State, family: int, k: int) -> int:
    """Return the place among all slacks of the k-th of a family: what `locate` undoes."""
    n_elbow, n_columns = len(state.elbow), len(state.columns)
    return k + sum((n_elbow, n_elbow, len(state.rows), len(state.active), n_columns)[:family])


def pivot(state: State, family: int, k: int) -> int:
    """Change the sets as the reached slack says; return the point or the variable concerned."""
    match FAMILIES[family]:
        case "right":
            return state.row_leaves(k, RIGHT)
        case "left":
            return state.row_leaves(k, LEFT)
        case "elbow":
            return state.row_enters(k)
        case "leave":
            return state.column_leaves(k)
        case "enter+":
            return state.column_enters(k, 1.0)
        case _:
            return state.column_enters(k, -1.0)


def direction(state: State) -> Move:
    """Return how β, α and l1 move on the current sets as l1 decreases.

    In B = l2 β the derivative does not contain l2; a unit step moves l1 by 1 when β rests or l2 ≥ 1, and β by its
    derivative otherwise, which is what remains well defined as l2 → 0 (β then moves at fixed l1).
    """
    x, a = state.factor.slide(state.push)
    if not x.any():
        return Move(x, a, -1.0)
    if state.l2 >= 1.0:
        return Move(x / state.l2, a, -1.0)
    return Move(x, state.l2 * a, -state.l2)
