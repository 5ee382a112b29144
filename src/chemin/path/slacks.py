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

import numpy as np
from numpy.typing import NDArray

from chemin.dictionaries.base import Floats
from chemin.path.backend import compiled
from chemin.path.state import LEFT, RIGHT, Move, State

FAMILIES = ("right", "left", "elbow", "leave", "enter+", "enter-")


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
        row = self.margin * (1.0 + self.row_norm[state.rows] * np.linalg.norm(state.beta))
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
    def _lay_out(state: State, point: float, row: Floats, coefficient: float, column: Floats) -> Floats:
        points, coefficients = np.full(2 * len(state.elbow), point), np.full(len(state.active), coefficient)
        return np.concatenate((points, row, coefficients, column, column))


@dataclass(slots=True)
class Scan:
    """What one look along a move sees: the change of watched numbers, and the first slack to be reached."""

    margin: Floats
    correlation: Floats
    step: float
    first: int


def scan(state: State, move: Move, noise: Noise) -> Scan:
    """Find the first slack that the move brings to zero; ``step`` is infinite when there is none."""
    if compiled:
        return Scan(*compiled.scan(state, move, noise))
    margin, correlation = state.margins(state.rows, move.beta), state.correlate(move.alpha)
    rate = rates(state, move, margin, correlation)
    approaching = rate < -noise.of_rates(state, move)
    steps = np.full(len(rate), np.inf)
    np.divide(np.maximum(slacks(state), 0.0), -rate, out=steps, where=approaching)
    first = int(np.argmin(steps))
    return Scan(margin, correlation, float(steps[first]), first)


def reached(state: State, noise: Noise) -> NDArray[np.bool_]:
    """Say which slacks are zero but for rounding."""
    if compiled:
        return compiled.reached(state, noise)
    return slacks(state) <= noise.of_slacks(state)


def locate(state: State, k: int) -> tuple[str, int]:
    """Return the family of slack ``k`` and its place inside the family."""
    n_elbow, n_columns = len(state.elbow), len(state.columns)
    for family, size in zip(FAMILIES, (n_elbow, n_elbow, len(state.rows), len(state.active), n_columns), strict=False):
        if k < size:
            return family, k
        k -= size
    return FAMILIES[-1], k


def pivot(state: State, family: str, k: int) -> int:
    """Change the sets as the reached slack says; return the point or the variable concerned."""
    if family == "right":
        return state.row_leaves(k, RIGHT)
    if family == "left":
        return state.row_leaves(k, LEFT)
    if family == "elbow":
        return state.row_enters(k)
    if family == "leave":
        return state.column_leaves(k)
    return state.column_enters(k, 1.0 if family == "enter+" else -1.0)
