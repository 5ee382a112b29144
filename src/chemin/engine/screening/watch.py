"""Which rows must be looked at now, for how long may the others be left alone, and is the path still right?

Between two points of the path |Δr_i| ≤ ‖(κ, x_i)‖ ‖Δβ‖ (Cauchy-Schwarz), so a row whose slack exceeds its norm times
the distance travelled cannot have met zero. Those with the smallest ratio of slack to norm are watched; the smallest
ratio among the others is the *limit*: how far from here the path may go before they are read again. Columns are left
alone in much the same way (`chemin.engine.screening.rings`). From time to time everything is computed afresh, which takes rounding
out of the numbers and measures what is left.
"""

from __future__ import annotations

import numpy as np

from chemin.dictionaries.base import Floats, Indices
from chemin.engine.exact.slacks import Stride
from chemin.engine.exact.state import ELBOW, State
from chemin.engine.screening.guard import Guard
from chemin.engine.screening.rings import Rings

_LONGEST = 200  # events between two looks at everything
_DRIFT = 1e-10  # rounding that has grown beyond this calls for more than a polish
_OUTSIDE = 1e-8
_ROUNDED = 1e-12
_LARGEST_SLIDE = (
    1e-13,
    1e-6,
)  # of β along the path: of a point on it, and of an approximate solution
_HARMLESS = 1e-11  # a gap beyond which a polish has to show that it is good for something,
_ON_THE_MARGIN = 1e-8  # where the points that belong there are there, but for this
_VANISHING = 1e-12  # where l1 v_j = 0, a correlation below this share of its terms is zero


class Watch:
    """What is watched at every event, and the looks at everything."""

    def __init__(
        self,
        state: State,
        row_norm: Floats,
        column_norm: Floats,
        ranges: Floats,
        screening: bool = True,
        room: float = np.inf,
    ) -> None:
        self.state, self.row_norm = state, row_norm
        self.reach = np.hypot(column_norm, state.problem.l1_weight)
        self.counts = state.problem.weight > 0
        n = len(row_norm)
        self.of_rows = Guard(self._where, _length, most=2 * n)
        if not screening:
            self.of_rows = Guard(self._where, _length, most=2 * n, size=2 * n, fixed=True)
        self.rings = Rings(state, column_norm, ranges, screening, room)
        self.l1, self.events, self.gap = np.inf, 0, 0.0
        self.rows_evaluated = 0

    @property
    def evaluated(self) -> tuple[int, int]:
        """How many rows and columns were evaluated so far."""
        return self.rows_evaluated, self.rings.evaluated

    def rooms(self) -> tuple[float, float]:
        """Return how far β, and how far (α, l1), may go before a look at everything: nowhere when it is time."""
        return (0.0, 0.0) if self.is_time() else (self.of_rows.room, self.rings.room)

    def count(self, made: Stride) -> None:
        """Take note of a step that was asked for, and made unless there was no room."""
        self.rows_evaluated += len(self.state.rows)
        self.rings.evaluated += len(self.state.columns)
        if made.made:
            self.events += 1
            self.of_rows.count(made.row_distance)
            self.of_rows.uses += 1
            self.rings.count(made.column_distance)

    def has_room(self, refused: Stride) -> bool:
        """Say whether a step that was refused can be made after all, the distances measured afresh."""
        return self.of_rows.has_room(refused.row_distance) and self.rings.has_room(
            refused.column_distance
        )

    def sees_no_end(self, refused: Stride) -> bool:
        """Say whether a step has no end although everything that could end it is watched."""
        rows, columns = refused.row_distance == np.inf, refused.column_distance == np.inf
        seen = (not rows or self.of_rows.limit == np.inf) and (
            not columns or self.rings.are_all_watched
        )
        return refused.step == np.inf and seen

    def is_time(self) -> bool:
        return self.events >= _LONGEST or self.state.l1 < 0.1 * self.l1

    def glance(self) -> None:
        """Choose anew what to watch where the last choice is exhausted."""
        if self.of_rows.exhausted:
            self._choose_rows(self.state.residuals(slice(None)))
        self.rings.choose_where_exhausted()

    def look(self, afresh: bool = True, approximate: bool = False) -> None:
        """Polish α and β, measure the gap, and choose anew what to watch; ``afresh`` forgets all sums made on the way.

        Correlations brought up to date by what has moved are as good as new for a long while. A solution that is only
        approximate, found by other means, is polished more.
        """
        state = self.state
        self.l1 = state.l1
        missed = state.residuals(state.elbow)
        if np.abs(missed).max() > _DRIFT * (1.0 + self.row_norm.max() * np.abs(state.beta).max()):
            state.factor.refactor(state.elbow_rows())
        before = state.alpha.copy(), state.beta.copy()
        polish(state, missed, _LARGEST_SLIDE[approximate])
        residual = self.measure(afresh)
        if not self.gap <= _HARMLESS and np.abs(missed).max() <= _ON_THE_MARGIN:
            residual = self._better_of(before)
        self.rings.choose(0)
        self._choose_rows(residual)
        self.events = 0

    def measure(self, afresh: bool = False) -> Floats:
        """Bring residuals, correlations and the gap up to date; return the residuals of all points."""
        residual = self.state.residuals(slice(None))
        self.rings.read(afresh)
        self.gap = self._gap(residual)
        return residual

    def _better_of(self, before: tuple[Floats, Floats]) -> Floats:
        """Take a polish back if there was next to no gap without it; return the residuals of what is kept.

        To have the last digit of two points almost alike, α or β may go far, and take other slacks beyond zero.
        """
        state, polished, gap = self.state, (self.state.alpha, self.state.beta), self.gap
        state.alpha, state.beta = before
        residual = self.measure()
        if abs(self.gap) <= min(_HARMLESS, abs(gap)):
            return residual
        state.alpha, state.beta = polished
        return self.measure()

    def _gap(self, residual: Floats) -> float:
        """Return the relative duality gap of the current point, infinite where α has left its box or its balance.

        The lower bounds are those of l2 > 0 and of the box |b_j| ≤ min(P/(l1 v_j), √(2P/l2)), which holds every
        optimum.
        """
        state, problem = self.state, self.state.problem
        weight, alpha, b, l2 = problem.weight, state.dual(), state.beta[1:], np.float64(problem.l2)
        slack = (
            _OUTSIDE * weight.max()
        )  # on the margin r = 0, so that α outside its box costs its square only
        if (
            np.any(alpha < -slack)
            or np.any(alpha > weight + slack)
            or abs(alpha @ problem.label) > slack * len(alpha)
        ):
            return np.inf
        beyond, correlation = self.rings.survey.beyond(state.l1, state.active)
        threshold = state.l1 * problem.l1_weight[beyond]
        penalty = state.l1 * problem.l1_weight[state.active] @ np.abs(b)
        primal = weight @ np.maximum(residual, 0.0) + 0.5 * l2 * (b @ b) + penalty
        excess = np.abs(correlation) - threshold
        rounding = np.where(
            threshold > 0.0, len(alpha) * np.finfo(float).eps, _VANISHING
        ) * np.linalg.norm(alpha)
        real = excess > rounding * self.reach[beyond]
        with np.errstate(divide="ignore", invalid="ignore"):
            largest = np.minimum(primal / threshold, np.sqrt(2.0 * primal / l2))
            over = np.fmin((excess @ excess) / (2.0 * l2), np.sum((largest * excess)[real]))
        gap = min(primal - alpha.sum() + over, primal)  # α = 0 proves P ≥ 0
        return float(gap / max(weight.max(), primal))

    def _choose_rows(self, residual: Floats) -> None:
        state, guard = self.state, self.of_rows
        candidates = np.flatnonzero(self.counts & (state.side != ELBOW))
        self.rows_evaluated += len(candidates)
        # Constants of costs were measured: long products are faster than short ones, and choosing has its price.
        guard.resize(0.2 * len(self.row_norm) + 4e4 / len(state.beta))
        limit = np.inf
        if guard.size < len(candidates):
            ratio = state.side[candidates] * residual[candidates] / self.row_norm[candidates]
            order = np.argpartition(ratio, guard.size)
            limit, candidates = float(ratio[order[guard.size]]), candidates[order[: guard.size]]
        guard.begin(limit)
        state.rows, state.residual = candidates, residual[candidates]

    def _where(self) -> tuple[Indices, Floats]:
        """Return β: the intercept, as number −1, and the variables, with their numbers."""
        return np.append(-1, self.state.active), self.state.beta.copy()


def _length(home: tuple[Indices, Floats], here: tuple[Indices, Floats]) -> float:
    """Return how far β has come."""
    if np.array_equal(home[0], here[0]):
        return float(np.linalg.norm(here[1] - home[1]))
    numbers = np.union1d(home[0], here[0])
    change = np.zeros(len(numbers))
    change[np.searchsorted(numbers, here[0])] = here[1]
    change[np.searchsorted(numbers, home[0])] -= home[1]
    return float(np.linalg.norm(change))


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
