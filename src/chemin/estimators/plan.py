"""What is asked of one machine? All that its parameters say, checked, in one value."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from chemin.estimators.basis import Basis
from chemin.exceptions import InvalidInputError

_MANY_ROWS = 6000  # beyond which paths are followed to a tolerance
_TOL = 1e-3


@dataclass(frozen=True)
class Plan:
    """What to do with the data: one l1, or (None) the choice of one along the path, for each l2 of a list.

    Attributes
    ----------
    relax : tuple of float
        The shares φ of l1 that compete; that of the model, where l1 is given. 1 is the path itself.
    relax_l2 : float or None
        The ridge of relaxed solutions; None is that of the path.
    min_ratio : float or None
        The share of the first l1 down to which l1 is chosen; None as far as it can matter.
    tol : float or None
        The relative gap of the paths, 0 for exact ones; None exact where that is quick.
    max_time : float or None
        Seconds that the folds may take.
    plane : bool
        Whether l2 is that of the least error in a rectangle of (l1, l2).
    loss : str or Loss
        What a wrong decision costs.
    penalty : str or Penalty
        What a coefficient costs beside its ridge.
    """

    basis: Basis
    l1: float | None
    l2: tuple[float, ...]
    min_l1: float = 0.0
    min_ratio: float | None = None
    rule: str = "best"
    relax: tuple[float, ...] = (1.0,)
    relax_l2: float | None = None
    tol: float | None = 0.0
    refit: bool = True
    probability: bool = False
    max_events: int | None = None
    max_time: float | None = None
    device: str = "cpu"
    n_jobs: int | None = None
    verbose: bool = False
    plane: bool = False
    loss: Any = "hinge"
    penalty: Any = "l1"

    def tol_for(self, rows: int) -> float:
        """Return the tolerance of a path of so many rows, 0 for an exact one."""
        if self.tol is not None:
            return self.tol
        plain = self.loss == "hinge" and self.penalty == "l1"  # which the walk is written for
        return _TOL if rows > _MANY_ROWS and plain and self.max_events is None else 0.0


def check_auto(value: Any, what: str, check: Callable[[Any], float]) -> float | None:
    """Return a checked number, or None for ``"auto"``."""
    if isinstance(value, str) and value == "auto":
        return None
    if isinstance(value, str):
        raise InvalidInputError(f"{what} is {value!r}: pass a number or 'auto'")
    return check(value)
