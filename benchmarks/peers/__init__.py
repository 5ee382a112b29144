"""Who else solves this problem, and how is each asked?

Every peer is optional. A solver is built once per grid, `build(X, y, l2)`, then asked for each
value in turn, `solve(l1, seconds)`, and returns candidate coefficient vectors; the best one counts.
`warm` says that it starts from its last solution, hence wants the grid in decreasing order.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from importlib import metadata
from typing import Protocol

import numpy as np

from .active_set import DaqpDual, DaqpSoft, DaqpWorkingSets
from .first_order import ReHLine, Sgd
from .interior_point import Clarabel, Piqp
from .splitting import Osqp, ProxQp


class Solver(Protocol):
    """A peer set up on one problem."""

    def solve(self, l1: float, seconds: float) -> list[np.ndarray]:
        """Candidate coefficients at `l1`, in about `seconds` at most where it can be told so."""


@dataclass(frozen=True)
class Peer:
    """A peer's key on the command line, its names, its family and whether it starts warm."""

    key: str
    name: str
    package: str
    module: str
    family: str
    warm: bool
    build: Callable[[np.ndarray, np.ndarray, float], Solver]

    def version(self) -> str | None:
        """Its version, or None when it cannot be imported."""
        try:
            importlib.import_module(self.module)
        except ImportError:
            return None
        return metadata.version(self.package)


def build_daqp(X: np.ndarray, y: np.ndarray, l2: float) -> Solver:
    """DAQP in the writing that is fastest on this shape."""
    n, p = X.shape
    return DaqpSoft(X, y, l2) if n >= 4 * p else DaqpDual(X, y, l2)


ACTIVE_SET, INTERIOR_POINT = "active set", "interior point"
SPLITTING, FIRST_ORDER = "splitting", "first order"
PEERS = (
    Peer("daqp", "DAQP", "daqp", "daqp", ACTIVE_SET, True, build_daqp),
    Peer("daqp-ws", "DAQP, working sets", "daqp", "daqp", ACTIVE_SET, True, DaqpWorkingSets),
    Peer("piqp", "PIQP", "piqp", "piqp", INTERIOR_POINT, False, Piqp),
    Peer("clarabel", "Clarabel", "clarabel", "clarabel", INTERIOR_POINT, False, Clarabel),
    Peer("proxqp", "ProxQP", "proxsuite", "proxsuite", SPLITTING, True, ProxQp),
    Peer("osqp", "OSQP", "osqp", "osqp", SPLITTING, True, Osqp),
    Peer("rehline", "ReHLine", "rehline", "rehline", FIRST_ORDER, True, ReHLine),
    Peer("sgd", "SGDClassifier", "scikit-learn", "sklearn.linear_model", FIRST_ORDER, True, Sgd),
)
