"""What is the solution at one l1, to a given gap, from a neighbouring one?

The hinge is smoothed around a centre a_i ∈ [0, 1] with a width δ:

    h(r) = max { s r − (δ/2) (s − a)² : 0 ≤ s ≤ 1 },     attained at s = clip(a + r/δ, 0, 1), and α_i = w_i s_i is dual.

Only points of the zone 0 < s_i < 1 curve it. Newton steps (`chemin.engine.approximate.newton`)
solve the smoothed problem on the working columns and on the rows that may come to the margin. The
gap that α proves, over all points and columns, then says what to do: hold more columns; make δ
narrower, while the zone has points to spare (a_i = 1/2; the gap falls as δ²); or move the centre, a
← s, which is the method of multipliers and converges to the solution of the hinge itself.

Reference: Rockafellar (1976), *Augmented Lagrangians and applications of the proximal point algorithm*.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass

import numpy as np

from chemin.dictionaries.base import Floats, Indices
from chemin.engine.approximate.dual_fit import balanced, fitted
from chemin.engine.approximate.newton import SmoothedRows
from chemin.engine.approximate.working import WorkingColumns
from chemin.engine.proof.between import Proved, prove
from chemin.exceptions import EngineError
from chemin.problems import Problem

_WIDEST = 0.5  # of the margin
_NARROWER, _WIDER = 0.5, 1.5
_FOR_THE_ZONE = 0.3  # of the allowed gap
_SPARE = 0.2  # of it: the zone may be wider at the next l1
_FOR_THE_STEPS = 0.05
_PER_ACTIVE = 3.0  # points of the zone per active variable, below which no width will do
_MOST_ROUNDS, _PATIENCE = 60, 10
_FEW_COLUMNS = 32  # that come at once, at least
_MOST_UNUSED = 4  # columns held, per column in use
_PER_COLUMN = 4  # rows that are near, at least


@dataclass(frozen=True, eq=False)
class Solution:
    """A solution at one l1, and what is proved of it."""

    coef: Floats
    intercept: float
    dual: Floats
    proved: Proved

    @property
    def l1(self) -> float:
        """Where it is."""
        return float(self.proved.l1[0])


@dataclass(eq=False)
class _Smoothing:
    """The smoothed problem under way: its centre and width, and where the solver stands.

    ``moved`` says that the centre is no longer 1/2; ``inside`` is how many points the zone had when last made narrower.
    """

    centre: Floats
    width: float
    z: Floats
    residual: Floats
    moved: bool = False
    inside: int = sys.maxsize

    @property
    def share(self) -> Floats:
        """The s_i."""
        return np.clip(self.centre + self.residual / self.width, 0.0, 1.0)


class SmoothedSolver:
    """A solver that remembers its columns and its width from one l1 to the next."""

    def __init__(self, problem: Problem) -> None:
        self.problem, self.column_norm = problem, problem.dictionary.column_norms()
        self.least = float(problem.weight.max())
        self.counts = problem.weight > 0.0
        self.working = WorkingColumns(problem.dictionary)
        self.working.add(np.flatnonzero(problem.l1_weight == 0.0))
        self.width, self.reach = _WIDEST, 0.0

    def solve(
        self, l1: float, coef: Floats, intercept: float, tol: float, value: float
    ) -> Solution:
        """Solve at ``l1`` to a relative gap of ``tol``, from some coefficients; the optimum is about ``value``."""
        try:
            return self._solve(l1, coef, intercept, tol, value)
        except EngineError:
            self.width, self.reach = _WIDEST, np.inf
            return self._solve(l1, np.zeros(len(coef)), 0.0, tol, value)

    def _solve(
        self, l1: float, coef: Floats, intercept: float, tol: float, value: float
    ) -> Solution:
        self._let_go(coef)
        self._hold(np.flatnonzero(coef))
        z = self.working.scaled(coef, intercept)
        now = _Smoothing(np.full(len(self.counts), 0.5), self.width, z, self._residuals(z))
        allowed, precision, best, patience = (
            tol * max(self.least, value),
            _FOR_THE_STEPS,
            np.inf,
            _PATIENCE,
        )
        for _ in range(_MOST_ROUNDS):
            self._descend(l1, now, precision * allowed)
            slack, held = self._slack(now), len(self.working.index)
            if slack <= allowed or held == 0:
                found = self._prove(l1, now)
                gap = float(found.proved.relative_gap(self.least)[0])
                if gap <= tol:
                    if not now.moved and slack < _SPARE * allowed:
                        self.width = min(_WIDER * now.width, _WIDEST)
                    return found
                allowed = tol * max(self.least, float(found.proved.lower[0]))
                patience = patience - 1 if not gap < 0.9 * best else _PATIENCE
                best = min(gap, best)
                self._hold(self._missing(found))
                now.z = np.append(now.z, np.zeros(len(self.working.index) - held))
            if patience == 0:
                break
            if slack > _FOR_THE_ZONE * allowed:
                self._sharpen(now, allowed / slack)
            elif held == len(self.working.index):
                precision *= 0.01
        raise EngineError(
            f"no solution with a gap of {tol:.1e} was found at l1 = {l1:.6g}: raise tol, or pass tol=0"
        )

    def _slack(self, now: _Smoothing) -> float:
        """Return Σ w_i (max(0, r_i) − s_i r_i), what smoothing adds to the gap."""
        return float(
            self.problem.weight @ (np.maximum(now.residual, 0.0) - now.share * now.residual)
        )

    def _sharpen(self, now: _Smoothing, ratio: float) -> None:
        """Make the width narrower while the zone has points to spare, then move the centre."""
        share = now.share
        inside = int(np.count_nonzero((share > 0.0) & (share < 1.0) & self.counts))
        few = _PER_ACTIVE * (np.count_nonzero(now.z) + 1)
        if few / 0.7 < inside < 0.9 * now.inside and not now.moved:
            now.inside = inside
            now.width *= min(max((_FOR_THE_ZONE * ratio) ** 0.5, few / inside, 0.1), 0.7)
            self.width = now.width
            return
        if not now.moved and inside < few:
            self.width = min(_WIDER * now.width, _WIDEST)
        now.centre, now.width, now.moved = share, _NARROWER * now.width, True

    def _let_go(self, coef: Floats) -> None:
        """Keep the columns that are in use, once there are many others."""
        held = self.working.index
        used = np.flatnonzero((coef[held] != 0.0) | (self.problem.l1_weight[held] == 0.0))
        if len(held) > _MOST_UNUSED * (len(used) + _FEW_COLUMNS):
            self.working.keep(used)

    def _hold(self, wanted: Indices) -> None:
        new = np.setdiff1d(wanted, self.working.index)
        if len(new):
            self.working.add(new)

    def _missing(self, found: Solution) -> Indices:
        """Return the columns whose thresholds are exceeded most, and that are not held."""
        excess = np.abs(found.proved.excess[0]) / np.maximum(self.column_norm, np.finfo(float).tiny)
        excess[self.working.index] = 0.0
        most = max(_FEW_COLUMNS, len(self.working.index))
        worst = np.argsort(-excess, kind="stable")[:most]
        return worst[excess[worst] > 0.0]

    def _residuals(self, z: Floats) -> Floats:
        return np.asarray(1.0 - self.problem.label * (self.working.block @ z))

    def _descend(self, l1: float, now: _Smoothing, target: float) -> None:
        """Minimise the smoothed problem on the rows that may come to the margin; then look at the others.

        Rows that are far keep their s_i, 0 or 1. If one would not, a line search over all rows takes what is good of
        the step, and more rows are near the next time.
        """
        block, y, w = self.working.block, self.problem.label, self.problem.weight
        ridge, tau = self._penalties(l1)
        whole = SmoothedRows(block[:0], w, now.centre, now.width, np.zeros(len(tau)), ridge, tau)
        reach, fewest = max(self.reach, 2.0 * now.width), min(_PER_COLUMN * len(tau), len(y)) - 1
        while True:
            away, share = np.abs(now.residual), now.share
            reach = max(reach, float(np.partition(away, fewest)[fewest]))
            near = np.flatnonzero(self.counts & ((away <= reach) | ((share > 0.0) & (share < 1.0))))
            far = self.counts.copy()
            far[near] = False
            pull = np.where(far, w * share * y, 0.0) @ block
            rows = SmoothedRows(
                block[near] * y[near, None], w[near], now.centre[near], now.width, pull, ridge, tau
            )
            aim = rows.minimise(now.z, now.residual[near], target)
            along = now.residual - self._residuals(aim)
            self.reach = _WIDER * float(np.abs(along).max())
            if np.array_equal(whole.share(now.residual - along)[far], share[far]):
                now.z, now.residual = aim, now.residual - along
                return
            t = whole.length(now.z, aim - now.z, now.residual, along)
            now.z, now.residual = now.z + t * (aim - now.z), now.residual - t * along
            reach = 2.0 * max(reach, min(self.reach, float(np.abs(now.residual).max())))

    def _penalties(self, l1: float) -> tuple[Floats, Floats]:
        """Return l2 and l1 v_j in the units of the working columns; the column of ones has none."""
        index, scale = self.working.index, self.working.scale
        return np.append(0.0, self.problem.l2 / scale**2), np.append(
            0.0, l1 * self.problem.l1_weight[index] / scale
        )

    def _prove(self, l1: float, now: _Smoothing) -> Solution:
        coef, intercept = self.working.unscaled(now.z)
        ridge, tau = self._penalties(l1)
        active = np.flatnonzero(now.z != 0.0)
        active = active if len(active) and active[0] == 0 else np.append(0, active)
        wanted = (ridge * now.z + tau * np.sign(now.z))[active]
        columns = self.working.block[:, active] if len(active) < len(now.z) else self.working.block
        dual = fitted(self.problem, self.problem.weight * now.share, columns, wanted)
        dual = balanced(self.problem, dual, now.residual)
        proved = prove(
            self.problem,
            coef[None],
            np.array([intercept]),
            np.array([l1]),
            dual[None],
            self.column_norm,
        )
        return Solution(coef, intercept, dual, proved)
