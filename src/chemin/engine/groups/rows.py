"""What does every kink of every loss ask? Losses as rows of hinges.

    ℓ(t) = Σ_k h_k max(0, z_k − t) + g_K t + constant,     h_k = g_{k+1} − g_k,

so that every pair of a point and a kink is one row, with target z, weight h and a multiplier α in [0, h]; the dual
value of the point is Σ_k α_k − g_K. A kink that is rounded over a width D has t = z − D (α − g_K) there.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from chemin.dictionaries.base import Floats, Indices
from chemin.engine.recovery.interior import finite_slopes
from chemin.problems import Problem


class Rows(NamedTuple):
    """The rows of a problem."""

    point: Indices
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
        point, kink = np.nonzero(jump > 0.0)
        whole = problem.dictionary.columns(np.arange(problem.dictionary.shape[1]))
        label = problem.label[point]
        width = np.zeros(len(point)) if loss.width is None else loss.width[point]
        last = slope[:, -1]
        signed = last * problem.label
        return cls(
            point,
            whole[point] * label[:, None],
            label,
            jump[point, kink],
            loss.kink[point, kink],
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

    def dual(self, multiplier: Floats) -> Floats:
        """Return the dual values of the points."""
        return np.bincount(self.point, multiplier, len(self.last)) - self.last

    def correlation(self, multiplier: Floats) -> Floats:
        """Return Xᵀ(s∘α)."""
        return np.asarray(self.signed.T @ multiplier - self.pull_b)

    def shortfall(self, coef: Floats, intercept: float, multiplier: Floats) -> Floats:
        """Return ξ − ζ, how far every row is short of its kink."""
        score = self.signed @ coef + self.label * intercept
        return self.kink - score - (self.width * multiplier - self.bent)
