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
    sign: Floats  # times one more than the piece of the penalty
    beta: Floats
    elbow: Indices
    alpha: Floats
    position: NDArray[np.int16]

    @classmethod
    def of(cls, state: State, is_bent: bool = False) -> Snapshot:
        """Return where a state stands, with the pieces of a penalty that is bent."""
        v = state.n_active
        e = state.n_elbow
        sign = np.array(state.sign)[:v]
        if is_bent:
            sign *= 1 + np.array(state.piece)[:v]
        return cls(
            l1=np.array(state.place()),
            base=np.array(state.base),
            active=np.array(state.active)[:v],
            sign=sign,
            beta=np.array(state.beta)[: v + 1],
            elbow=np.array(state.elbow)[:e],
            alpha=np.array(state.alpha)[:e],
            position=np.array(state.position),
        )
