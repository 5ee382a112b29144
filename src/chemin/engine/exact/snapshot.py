"""What determines the current point? Its sets and free numbers: a state, with its factor, is rebuilt from them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from chemin.dictionaries.base import Floats, Indices
from chemin.engine.exact.inner.state import State


@dataclass(frozen=True, eq=False)
class Snapshot:
    """A point of the path, as `State` names its parts."""

    l1: Floats  # one number; on a ray, what is left of it
    base: Floats  # one number
    active: Indices
    sign: Floats
    beta: Floats
    elbow: Indices
    alpha: Floats
    position: NDArray[np.int16]

    @classmethod
    def of(cls, state: State) -> Snapshot:
        """Return where a state stands."""
        v = state.n_active
        e = state.n_elbow
        return cls(
            l1=np.array(state.place()),
            base=np.array(state.base),
            active=np.array(state.active)[:v],
            sign=np.array(state.sign)[:v],
            beta=np.array(state.beta)[: v + 1],
            elbow=np.array(state.elbow)[:e],
            alpha=np.array(state.alpha)[:e],
            position=np.array(state.position),
        )
