"""Which rows and columns must be looked at now, and for how long may the others be left alone?

Between two points of the path, |Δr_i| ≤ ‖(κ, x_i)‖ ‖Δβ‖ and |Δ(l1 v_j ∓ c_j)| ≤ ‖(σ v_j, x_j − mean)‖ ‖(Δl1/σ, Δα)‖
(Cauchy-Schwarz, with any unit σ of l1; the mean of a column does not count, because Σ y_i Δα_i = 0). So a row or column
whose slack exceeds its norm times the distance travelled cannot have met zero. Those with the smallest ratio of slack
to norm are watched; the smallest ratio among the others is the *limit*: how far from here the path may go before all
are read again. Correlations are read by what has moved: between two readings that is the dual values of few points.
From time to time everything is computed afresh, which takes rounding out of the numbers and measures what is left.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from chemin.dictionaries.base import Floats, Indices
from chemin.path.slacks import Stride, direction, dual_speed
from chemin.path.state import ELBOW, State

_LONGEST = 200  # events between two looks at everything
_FIRST_SIZE = 48
_DRIFT = 1e-10  # rounding that has grown beyond this calls for more than a polish
_OUTSIDE = 1e-8
_UNBALANCED = 1e-6
_ROUNDED = 1e-12
_CLOSE = 1.0 - 1e-9  # a computed distance is trusted up to here
_VANISHING = 1e-12  # where l1 v_j = 0, a correlation below this share of its terms is zero


class Guard:
    """How many members of one kind are watched, and how far from home the path may go on trust."""

    def __init__(self, where: Callable[[], Floats], most: int) -> None:
        self.where = where  # the whole vector whose distance from home counts
        self.most = max(most, _FIRST_SIZE)  # members that memory allows to watch
        self.size, self.limit, self.exhausted, self.events = _FIRST_SIZE, np.inf, False, 0
        self.once = False  # whether the limit holds for one step only, in the direction it was chosen for
        self.home, self.bound = np.empty(0), 0.0

    def has_room(self, distance: float) -> bool:
        """Say whether so long a step is within the limit, once the way from home is measured afresh."""
        if self.once and self.events:
            self.exhausted = True
        elif distance >= self.limit - self.bound:
            # Steps have been added up; the norm of their sum is smaller than the sum of their norms.
            self.bound = float(np.linalg.norm(self.where() - self.home))
            self.exhausted = distance >= self.limit - self.bound
        return not self.exhausted

    @property
    def room(self) -> float:
        """How much further the path may go on trust."""
        return 0.0 if self.once and self.events else self.limit - self.bound

    @property
    def must_aim(self) -> bool:
        """Whether not one step could be made although memory allows to watch no more: only the next one then counts."""
        return self.exhausted and not self.events and self.size >= self.most

    def choose(self, candidates: Indices, ratio: Floats, cost: float, once: bool = False) -> Indices:
        """Return the candidates to watch, as many as make watching cost what looking does.

        ``cost`` is that of looking at everything, in units of watching one member over one event.
        """
        if once and self.once and not self.events:  # even so no step was possible: memory has to give way
            self.size = self.size * 3 // 2
        elif self.exhausted and self.events * self.size < cost:
            self.size = min(self.size * 3 // 2, self.most)
        elif self.events * self.size > 2 * cost:
            self.size = max(3 * self.size // 4, _FIRST_SIZE)
        self.once = once
        self.home, self.bound, self.limit = self.where(), 0.0, np.inf
        self.exhausted, self.events = False, 0
        if self.size >= len(candidates):
            return candidates
        order = np.argpartition(ratio, self.size)
        self.limit = float(ratio[order[self.size]])
        return candidates[order[: self.size]]


def _cost(members: float, length: int) -> float:
    """Return the cost of looking at so many members, in units of watching one, a product of this length, once more.

    The two constants were measured: a long product in one go is faster than short ones, and choosing has its own price.
    """
    return 0.2 * members + 4e4 / length


class Watch:
    """The guards of rows and of columns, and the looks at everything."""

    def __init__(self, state: State, row_norm: Floats, column_norm: Floats, spread: Floats) -> None:
        self.state = state
        self.row_norm, self.reach = row_norm, np.hypot(column_norm, state.problem.l1_weight)
        # Balance and mean are known up to rounding, for which a small part of the whole norm is ample.
        varying = spread + _UNBALANCED * column_norm
        # l1 and α then matter alike for a column of ordinary size.
        state.l1_unit = float(np.median(varying[varying > 0])) if np.any(varying > 0) else 1.0
        self.pace = np.hypot(varying, state.l1_unit * state.problem.l1_weight)
        self.counts, self.has_values = state.problem.weight > 0, column_norm > 0
        self.candidates = self.has_values
        n, _ = state.problem.dictionary.shape
        self.of_rows = Guard(self._whole_beta, 2 * n)
        self.of_columns = Guard(self._whole_dual, state.problem.dictionary.most_columns)
        self.l1, self.events, self.gap = np.inf, 0, 0.0
        self.seen, self.correlation = np.empty(0), np.empty(0)  # α at the last reading, and all c_j there

    def rooms(self) -> tuple[float, float]:
        """Return how far β, and how far (α, l1), may go before a look at everything: nowhere when it is time."""
        if self.is_time():
            return 0.0, 0.0
        return self.of_rows.room, self.of_columns.room

    def count(self, made: Stride) -> None:
        """Take note of a step."""
        self.events += 1
        self.of_rows.bound += made.row_distance
        self.of_rows.events += 1
        self.of_columns.bound += made.column_distance
        self.of_columns.events += 1

    def has_room(self, refused: Stride) -> bool:
        """Say whether a step that was refused can be made after all, the distances measured afresh."""
        return self.of_rows.has_room(refused.row_distance) and self.of_columns.has_room(refused.column_distance)

    def sees_no_end(self, refused: Stride) -> bool:
        """Say whether a step has no end although everything that could end it is watched."""
        distances = ((self.of_rows, refused.row_distance), (self.of_columns, refused.column_distance))
        return refused.step == np.inf and all(guard.limit == np.inf for guard, d in distances if d == np.inf)

    def is_time(self) -> bool:
        return self.events >= _LONGEST or self.state.l1 < 0.1 * self.l1

    def glance(self) -> None:
        """Choose anew what to watch where the last choice is exhausted."""
        if self.of_rows.exhausted:
            self._choose_rows(self.state.residuals(slice(None)))
        if self.of_columns.exhausted:
            self._choose_columns(self.of_columns.must_aim)

    def look(self, afresh: bool = True, largest_slide: float = 1e-13) -> None:
        """Polish α and β, measure the gap, and choose anew what to watch; ``afresh`` forgets all sums made on the way.

        Correlations brought up to date by what has moved are as good as new for a long while.
        """
        state, problem = self.state, self.state.problem
        self.l1 = state.l1
        missed = state.residuals(state.elbow)
        if np.abs(missed).max() > _DRIFT * (1.0 + self.row_norm.max() * np.abs(state.beta).max()):
            state.factor.refactor(state.elbow_rows())
        polish(state, missed, largest_slide)
        residual = state.residuals(slice(None))
        if afresh or not len(self.seen):
            self.seen = state.dual()
            self.correlation = problem.dictionary.correlations(problem.label * self.seen)
        else:
            self._catch_up()
        self.gap = self._gap(residual, self.correlation)
        self._choose_columns()
        self._choose_rows(residual)
        self.events = 0

    def _gap(self, residual: Floats, correlation: Floats) -> float:
        """Return the relative duality gap of the current point, infinite where α has left its box or its balance.

        The lower bounds are those of l2 > 0 and of the box |b_j| ≤ min(P/(l1 v_j), √(2P/l2)), which holds every
        optimum.
        """
        state, problem = self.state, self.state.problem
        weight, alpha, b, l2 = problem.weight, state.dual(), state.beta[1:], np.float64(problem.l2)
        slack = _OUTSIDE * weight.max()  # on the margin r = 0, so that α outside its box costs its square only
        if np.any(alpha < -slack) or np.any(alpha > weight + slack) or abs(alpha @ problem.label) > slack * len(alpha):
            return np.inf
        threshold = state.l1 * problem.l1_weight
        primal = weight @ np.maximum(residual, 0.0) + 0.5 * l2 * (b @ b) + threshold[state.active] @ np.abs(b)
        excess = np.maximum(np.abs(correlation) - threshold, 0.0)[self.candidates | state.is_active]
        rounding = np.where(threshold > 0.0, len(alpha) * np.finfo(float).eps, _VANISHING) * np.linalg.norm(alpha)
        real = excess > (rounding * self.reach)[self.candidates | state.is_active]
        with np.errstate(divide="ignore", invalid="ignore"):
            largest = np.minimum(primal / threshold[self.candidates | state.is_active], np.sqrt(2.0 * primal / l2))
            over = np.fmin((excess @ excess) / (2.0 * l2), np.sum((largest * excess)[real]))
        gap = min(primal - alpha.sum() + over, primal)  # α = 0 proves P ≥ 0
        return float(gap / max(weight.max(), primal))

    def _choose_rows(self, residual: Floats) -> None:
        state = self.state
        candidates = np.flatnonzero(self.counts & (state.side != ELBOW))
        ratio = state.side[candidates] * residual[candidates] / self.row_norm[candidates]
        state.rows = self.of_rows.choose(candidates, ratio, _cost(len(self.row_norm), len(state.beta)))
        state.residual = residual[state.rows]

    def _choose_columns(self, aim: bool = False) -> None:
        state, share = self.state, self._catch_up()
        correlation = self.correlation
        candidates = np.flatnonzero(self.candidates & ~state.is_active)
        threshold = state.l1 * state.problem.l1_weight[candidates]
        if aim:
            ratio = self._distance_ahead(candidates, threshold, correlation[candidates])
        else:
            ratio = (threshold - np.abs(correlation[candidates])) / self.pace[candidates]
        reading = 0.4 * share * state.problem.dictionary.look_cost + 40.0 * len(self.pace) + 3e4
        cost = reading / (6.0 + 0.35 * len(state.elbow))
        chosen = self.of_columns.choose(candidates, ratio, cost, once=aim)
        state.watch_columns(chosen, correlation[chosen])

    def _catch_up(self) -> float:
        """Bring all correlations up to date by what has moved; return the share of the points that has."""
        dual, problem = self.state.dual(), self.state.problem
        moved = np.flatnonzero(dual != self.seen)
        if len(moved):
            change = (problem.label * (dual - self.seen))[moved]
            self.correlation += problem.dictionary.correlations(change, moved)
            self.seen = dual
        return len(moved) / len(dual)

    def _distance_ahead(self, columns: Indices, threshold: Floats, correlation: Floats) -> Floats:
        """Return how far (α, l1) goes in the present direction until each column is reached: exact, for one step."""
        state, move = self.state, direction(self.state)
        change = state.problem.label[state.elbow] * move.alpha
        rate = state.problem.dictionary.correlations(change, state.elbow)[columns]
        lowering = move.l1 * state.problem.l1_weight[columns]
        steps = np.full(len(columns), np.inf)
        for sign in (1.0, -1.0):  # slack l1 v ∓ c
            closing = sign * rate - lowering
            reached = np.maximum(threshold - sign * correlation, 0.0)
            when = np.divide(reached, closing, out=np.full(len(columns), np.inf), where=closing > 0)
            steps = np.minimum(steps, when)
        return _CLOSE * steps * dual_speed(state, move)

    def _whole_beta(self) -> Floats:
        beta = np.zeros(len(self.reach) + 1)
        beta[0], beta[self.state.active + 1] = self.state.beta[0], self.state.beta[1:]
        return beta

    def _whole_dual(self) -> Floats:
        return np.append(self.state.dual(), self.state.l1 / self.state.l1_unit)


def polish(state: State, missed: Floats, largest_slide: float) -> None:
    """Take rounding out of α and β: solve once more, on the same sets, for what the equations still miss."""
    rho = state.dual() @ state.block[:, : len(state.beta)] - state.l1 * state.push
    rho[1:] -= state.l2 * state.beta[1:]
    slid, dual = state.factor.slide(rho)
    pinned, pinned_dual = state.factor.pin(missed)
    weight = state.problem.weight[state.elbow]
    # Two points almost alike share their dual values in a way that rounding alone decides, and one taken to the margin
    # a little too early may need more than there is: what would leave the box is not mended, but waits for the pivot.
    for change, move in ((dual + state.l2 * pinned_dual, pinned), (dual, 0.0)):
        if np.all(np.abs(state.alpha + change - 0.5 * weight) <= (0.5 + _ROUNDED) * weight):
            state.alpha += change
            state.beta += move
            break
    # A gradient missed by ρ costs ρ²/l2, next to nothing; mending it moves β by ρ/l2, maybe across a margin.
    if np.abs(slid).max() <= largest_slide * state.l2 * np.abs(state.beta).max():
        state.beta += slid / (state.l2 or 1.0)
