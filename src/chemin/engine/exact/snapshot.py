"""What determines the current point? Its sets and free numbers: a state, with its factor, is rebuilt from them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from chemin.dictionaries.base import Floats, Indices
from chemin.engine.exact.state import State
from chemin.problems import Problem


@dataclass(frozen=True, eq=False)
class Snapshot:
    """A point of the path, as `State` names its parts."""

    l1: Floats  # one number
    active: Indices
    sign: Floats
    beta: Floats
    elbow: Indices
    alpha: Floats
    side: NDArray[np.int8]

    @classmethod
    def of(cls, state: State) -> Snapshot:
        """Return where a state stands."""
        copies = (
            getattr(state, name).copy()
            for name in ("active", "sign", "beta", "elbow", "alpha", "side")
        )
        return cls(np.array(state.l1), *copies)

    def restored(self, problem: Problem, l2: float, kappa: float) -> State:
        """Return a new state that stands here."""
        state = State(
            problem, l2, kappa, int(self.elbow[0]), self.side.copy(), float(self.alpha[0])
        )
        columns = problem.dictionary.columns(self.active)
        for place, j in enumerate(self.active):
            state.activate(int(j), float(self.sign[place]), columns[:, place])
        for i, alpha in zip(self.elbow[1:], self.alpha[1:], strict=True):
            state.join(int(i), float(alpha))
        state.factor.refactor(state.elbow_rows())
        state.l1, state.beta = float(self.l1), self.beta.copy()
        return state
