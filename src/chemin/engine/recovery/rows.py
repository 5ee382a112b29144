"""What does every kink of every loss ask? Losses as rows of hinges.

    ℓ(t) = Σ_k h_k max(0, z_k − t) + g_K t + constant,     h_k = g_{k+1} − g_k,

so that every pair of a point and a kink is one row, with target z, weight h and a multiplier α in [0, h]; the dual
value of the point is Σ_k α_k − g_K. A kink that is rounded over a width D has t = z − D (α − g_K) there. The slopes
of a parabola without end are cut where no optimum can be: D g²/2 is at most the objective of any solution.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from chemin.dictionaries.base import Floats, Indices
from chemin.problems import Problem

_BEYOND = 2.0  # times the largest slope of an optimum
_LEAST = 1e-13  # where that is nothing


class Rows(NamedTuple):
    """The rows of a problem."""

    shape: tuple[int, int]  # points and kinks
    point: Indices
    place: Indices  # among the kinks of the point
    signed: Floats  # s_i x_i
    label: Floats  # s_i
    bound: Floats  # h
    kink: Floats  # z
    width: Floats  # D
    bent: Floats  # D g_K
    last: Floats  # g_K of every point
    pull_b: Floats  # Σ_i s_i g_K x_i
    pull: float  # Σ_i s_i g_K

    @classmethod
    def of(cls, problem: Problem) -> Rows:
        """Return the rows of the losses of a problem."""
        loss = problem.loss
        slope = finite_slopes(problem)
        jump = np.diff(slope, axis=1)
        point, place = np.nonzero(jump > 0.0)
        whole = problem.dictionary.columns(np.arange(problem.dictionary.shape[1]))
        label = problem.label[point]
        width = np.zeros(len(point)) if loss.width is None else loss.width[point]
        last = slope[:, -1]
        signed = last * problem.label
        return cls(
            (jump.shape[0], jump.shape[1]),
            point,
            place,
            whole[point] * label[:, None],
            label,
            jump[point, place],
            loss.kink[point, place],
            width,
            width * last[point],
            last,
            whole.T @ signed,
            float(signed.sum()),
        )

    def shifted(self, size: float) -> Rows:
        """Return the same rows with kinks, correlations and the balance moved by up to a size."""
        if size == 0.0:
            return self
        draw = np.random.default_rng(0)
        bound = float(self.bound.max())
        asked = bound * float(np.abs(self.signed).max())
        return self._replace(
            kink=self.kink + draw.uniform(-size, size, len(self.kink)),
            pull_b=self.pull_b + asked * draw.uniform(-size, size, len(self.pull_b)),
            pull=self.pull + bound * float(draw.uniform(-size, size)),
        )

    @property
    def unit(self) -> float:
        """The size of a coefficient with which some row reaches its kink."""
        return float(1.0 + np.abs(self.kink).max()) / (float(np.abs(self.signed).max()) or 1.0)

    def by_point(self, values: Floats) -> Floats:
        """Return what every row has, a line for every point."""
        found = np.zeros(self.shape)
        found[self.point, self.place] = values
        return found

    def dual(self, multiplier: Floats) -> Floats:
        """Return the dual values of the points."""
        return np.bincount(self.point, multiplier, len(self.last)) - self.last

    def correlation(self, multiplier: Floats) -> Floats:
        """Return Xᵀ(s∘α)."""
        return np.asarray(self.signed.T @ multiplier - self.pull_b)


def finite_slopes(problem: Problem) -> Floats:
    """Return the slopes of the losses, those without end cut where no optimum can be."""
    loss = problem.loss
    if loss.width is None or np.all(np.isfinite(loss.slope)):
        return loss.slope
    mean = float(problem.weight @ (problem.label * loss.kink[:, 0]) / problem.weight.sum())
    paid = float(loss.value(problem.label * mean).sum())
    most = _BEYOND * np.sqrt(2.0 * paid / loss.width) + _LEAST
    return np.clip(loss.slope, -most[:, None], most[:, None])
