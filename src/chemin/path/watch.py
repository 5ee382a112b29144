"""Which rows and columns must be looked at now, and for how long may the others be left alone?

Between two points of the path, |Δr_i| ≤ ‖(κ, x_i)‖ ‖Δβ‖ and |Δ(l1 v_j ∓ c_j)| ≤ ‖(v_j, x_j)‖ ‖(Δl1, Δα)‖
(Cauchy-Schwarz). So a row or column whose slack exceeds its norm times the distance travelled cannot have met zero.
Those with the smallest ratio slack / norm are watched; the smallest ratio among the others is the *limit*: how far
from here the path may go before everything is looked at again. Looking at everything also takes rounding out of the
numbers and measures what is left of it.
"""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt

import numpy as np

from chemin.dictionaries.base import Floats, Indices
from chemin.path.state import ELBOW, Move, State

_SHORT, _LONG, _LONGEST = 25, 100, 200  # events between two looks: fewer, watch more; more, watch less; never more
_FIRST_SIZE = 48
_DRIFT = 1e-10  # rounding that has grown beyond this calls for more than a polish


class Guard:
    """How many members of one kind are watched, and how far from home the path may go on trust."""

    def __init__(self, where: Callable[[], Floats]) -> None:
        self.where = where  # the whole vector whose distance from home counts
        self.size, self.limit, self.events, self.exhausted = _FIRST_SIZE, np.inf, 0, False
        self.home, self.bound = np.empty(0), 0.0

    def allows(self, distance: float) -> bool:
        """Say whether a step of this length stays within the limit; if so, count it."""
        if self.limit < np.inf and self.bound + distance >= self.limit:
            self.bound = float(np.linalg.norm(self.where() - self.home))  # steps add up to more than their sum's norm
            if self.bound + distance >= self.limit:
                self.exhausted = True
                return False
        self.bound += distance
        self.events += 1
        return True

    def choose(self, candidates: Indices, ratio: Floats) -> Indices:
        """Return the candidates to watch, more of them if the last choice did not last."""
        if self.exhausted and self.events < _SHORT:
            self.size *= 2
        elif self.events > _LONG:
            self.size = max(3 * self.size // 4, _FIRST_SIZE)
        self.events, self.exhausted = 0, False
        self.home, self.bound, self.limit = self.where(), 0.0, np.inf
        if self.size >= len(candidates):
            return candidates
        order = np.argpartition(ratio, self.size)
        self.limit = float(ratio[order[self.size]])
        return candidates[order[: self.size]]


class Watch:
    """The guards of rows and of columns, and the looks at everything."""

    def __init__(self, state: State, row_norm: Floats, column_norm: Floats) -> None:
        self.state = state
        self.row_norm, self.reach = row_norm, np.hypot(column_norm, state.problem.l1_weight)
        self.counts, self.has_values = state.problem.weight > 0, column_norm > 0
        self.candidates = self.has_values
        self.of_rows, self.of_columns = Guard(self._whole_beta), Guard(self._whole_dual)
        self.l1, self.events, self.gap = np.inf, 0, 0.0

    def allows(self, move: Move, step: float) -> bool:
        """Say whether nothing that is not watched can be reached within the step."""
        self.events += 1
        if self.events > _LONGEST or self.state.l1 < 0.1 * self.l1:
            return False
        dual = step * sqrt(move.alpha @ move.alpha + move.l1**2)
        return self.of_rows.allows(step * sqrt(move.beta @ move.beta)) and self.of_columns.allows(dual)

    def look(self, largest_slide: float = 1e-13) -> None:
        """Recompute everything from α and β, polish them, measure the gap, and choose anew what to watch."""
        state, problem = self.state, self.state.problem
        self.l1, self.events = state.l1, 0
        correlation = problem.dictionary.correlations(problem.label * state.dual())
        missed = 1.0 - state.margins(state.elbow, state.beta)
        if np.abs(missed).max() > _DRIFT * (1.0 + self.row_norm.max() * np.abs(state.beta).max()):
            state.factor.refactor(state.elbow_rows())
        polish(state, correlation, missed, largest_slide)
        residual = 1.0 - state.margins(slice(None), state.beta)
        self.gap = self._gap(residual, correlation)
        self._choose_columns(correlation)
        self._choose_rows(residual)

    def _gap(self, residual: Floats, correlation: Floats) -> float:
        """Return the relative duality gap that misplaced points and exceeded thresholds leave."""
        state, problem = self.state, self.state.problem
        misplaced = problem.weight @ np.maximum(-state.side * residual, 0.0)
        threshold, level = state.l1 * problem.l1_weight, np.abs(correlation)
        over = self.candidates & ~state.is_active & (level > threshold)
        excess = level[over] - threshold[over]
        ridge = excess @ excess / (2 * problem.l2) if problem.l2 else np.inf
        box = 10 * np.abs(state.beta[1:]).max(initial=0.0) * excess.sum()
        shrink = np.max(excess / level[over], initial=0.0) * state.dual().sum()
        hinge = problem.weight @ np.maximum(residual, 0.0)
        objective = hinge + threshold[state.active] @ np.abs(state.beta[1:])
        return float((misplaced + min(ridge, box, shrink)) / max(problem.weight.max(), objective))

    def _choose_rows(self, residual: Floats) -> None:
        state = self.state
        candidates = np.flatnonzero(self.counts & (state.side != ELBOW))
        ratio = state.side[candidates] * residual[candidates] / self.row_norm[candidates]
        state.rows = self.of_rows.choose(candidates, ratio)
        state.residual = residual[state.rows]

    def _choose_columns(self, correlation: Floats) -> None:
        state = self.state
        candidates = np.flatnonzero(self.candidates & ~state.is_active)
        threshold = state.l1 * state.problem.l1_weight[candidates]
        ratio = (threshold - np.abs(correlation[candidates])) / self.reach[candidates]
        chosen = self.of_columns.choose(candidates, ratio)
        state.watch_columns(chosen, correlation[chosen])

    def _whole_beta(self) -> Floats:
        beta = np.zeros(len(self.reach) + 1)
        beta[0], beta[self.state.active + 1] = self.state.beta[0], self.state.beta[1:]
        return beta

    def _whole_dual(self) -> Floats:
        return np.append(self.state.dual(), self.state.l1)


def polish(state: State, correlation: Floats, missed: Floats, largest_slide: float) -> None:
    """Take rounding out of α and β: solve once more, on the same sets, for what the equations still miss."""
    balance = state.kappa * (state.problem.label @ state.dual())
    rho = np.append(balance, correlation[state.active]) - state.l1 * state.push
    rho[1:] -= state.l2 * state.beta[1:]
    slid, dual = state.factor.slide(rho)
    pinned, pinned_dual = state.factor.pin(missed)
    dual += state.l2 * pinned_dual
    state.alpha += dual
    state.beta += pinned
    # A gradient missed by ρ costs ρ²/l2, next to nothing; mending it moves β by ρ/l2, maybe across a margin.
    if np.abs(slid).max() <= largest_slide * state.l2 * np.abs(state.beta).max():
        state.beta += slid / (state.l2 or 1.0)
    if np.abs(dual).max() > _DRIFT * state.problem.weight.max():
        signed = np.zeros(len(state.side))
        signed[state.elbow] = state.problem.label[state.elbow] * dual
        correlation += state.problem.dictionary.correlations(signed)
