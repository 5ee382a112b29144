"""Which of several simultaneous events comes first?

Discrete data, repeated points and collinear columns make slacks reach zero together. A lexicographic rule settles the
order: imagine margins 1 + ε e_i, thresholds l1 v_j + ε t_j and balance Σ α_i y_i = −ε z, with ε infinitesimal and e,
t, z drawn once. The solution is then (β, α, l1) + ε · shadow, and the shadow solves the same system on the same sets
with another right-hand side. Among slacks that vanish together, the first one is that whose shadow vanishes first.
The data are never touched, and the reported solution is the unperturbed one.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from chemin.dictionaries.base import Floats
from chemin.engine.exact.backend import compiled
from chemin.engine.exact.slacks import Noise, locate, rates
from chemin.engine.exact.state import Move, State, swapped_out, with_last, without


class Perturbation:
    """The directions e, t, z of the imagined perturbation.

    Parameters
    ----------
    n : int
        Number of points.
    column_scale : ndarray
        Size of each threshold's perturbation.
    balance : float
        Size and sign of the balance's perturbation. Its sign makes the majority class a little lighter, so that the
        elbow is never empty and the intercept always held by a point.
    seed : int
        Which draw.
    """

    def __init__(self, n: int, column_scale: Floats, balance: float, seed: int = 0) -> None:
        rng = np.random.default_rng(seed)
        self.margin = rng.uniform(0.5, 1.0, n)
        self.threshold = column_scale * rng.uniform(0.5, 1.0, len(column_scale))
        self.balance = balance * rng.uniform(0.5, 1.0)

    def shadow(self, state: State) -> Move:
        """Return the shadow on the current sets, with the amount of path direction in it that keeps it small."""
        rho = np.append(self.balance, -state.sign * self.threshold[state.active])
        beta, alpha = state.factor.pin(self.margin[state.elbow])
        slid, dual = state.factor.slide(rho)
        along, along_dual = state.factor.slide(state.push)
        size = float(along[1:] @ along[1:])
        amount = float(along[1:] @ slid[1:]) / size if size else 0.0
        alpha = state.l2 * alpha + dual - amount * along_dual
        if state.l2 > 0.0:
            beta += (slid - amount * along) / state.l2
        return Move(beta, alpha, amount)

    def slacks(self, state: State, shadow: Move) -> Floats:
        """Return the ε part of every slack."""
        part = rates(
            state, shadow, state.margins(state.rows, shadow.beta), state.correlate(shadow.alpha)
        )
        first_row, first_column = 2 * len(state.elbow), len(part) - 2 * len(state.columns)
        part[first_row : first_row + len(state.rows)] += (
            state.side[state.rows] * self.margin[state.rows]
        )
        part[first_column:] += np.tile(self.threshold[state.columns], 2)
        return part


def earliest(
    state: State,
    move: Move,
    shadow: Move,
    perturbation: Perturbation,
    noise: Noise,
    tied: NDArray[np.bool_],
    floor: float,
) -> tuple[int, int, float]:
    """Return the family, place and shadow step of the first of the tied slacks that the move brings to zero, or −1.

    A step below ``floor`` counts as ``floor``: rounding must not send the shadow back.
    """
    if compiled:
        return compiled.earliest(state, move, shadow, perturbation, noise, tied, floor)
    rate = rates(state, move, state.margins(state.rows, move.beta), state.correlate(move.alpha))
    candidates = np.flatnonzero(tied & (rate < -noise.of_rates(state, move)))
    if not len(candidates):
        return -1, -1, np.inf
    steps = np.maximum(perturbation.slacks(state, shadow)[candidates] / -rate[candidates], floor)
    best = int(np.argmin(steps))
    return *locate(state, int(candidates[best])), float(steps[best])


def follow_pivot(shadow: Move, family: str, k: int) -> None:
    """Give the shadow the shape of the sets after a pivot; whatever enters or leaves does so at zero."""
    if family in ("right", "left"):
        shadow.alpha = without(shadow.alpha, k)
    elif family == "elbow":
        shadow.alpha = with_last(shadow.alpha, 0.0)
    elif family == "leave":
        shadow.beta = swapped_out(shadow.beta, k + 1)
    else:
        shadow.beta = with_last(shadow.beta, 0.0)
