"""How long does a peer take over the grid, within a budget, and how close does it come?

A peer that starts afresh at each value meets the grid in an order that spreads over it, so that the
time of the first m values times 100/m is an honest estimate of the whole. A peer that starts from
its last solution meets it in decreasing order; cut short, its time is only a lower bound, since
small values of l1 cost more.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median

import numpy as np
from objective import best_objective, relative_excess
from visiting import Order, Visit, visit_grid

EQUAL_ACCURACY = 1e-6
COMPLETE, ESTIMATE, LOWER_BOUND = "complete", "estimate", "lower bound"
OVER, FAILED, ABSENT = "over", "failed", "absent"


@dataclass(frozen=True)
class GridRun:
    """One peer on one row: seconds for the whole grid (as `status` qualifies them) and excesses."""

    key: str
    name: str
    family: str
    status: str
    seconds: float | None = None
    values: int = 0
    worst_excess: float | None = None
    median_excess: float | None = None
    least_excess: float | None = None
    message: str = ""

    @property
    def equal_accuracy(self) -> bool:
        """Whether every value reached is within 1e-6 of the optimum."""
        return self.worst_excess is not None and self.worst_excess <= EQUAL_ACCURACY


def time_peer(order: Order, reference: np.ndarray) -> GridRun:
    """A peer's time (the median of repeats when they fit in the budget) and its excesses."""
    peer = order.peer
    who = {"key": peer.key, "name": peer.name, "family": peer.family}
    if peer.version() is None:
        return GridRun(**who, status=ABSENT, message=f"pip install {peer.package}")
    visit = visit_grid(order)
    if visit.failure:
        return GridRun(**who, status=FAILED, message=visit.failure)
    if not visit.coefs:
        return GridRun(**who, status=OVER, message=f"no value within {order.budget:g} s")
    excess = measure_excess(order, visit, reference)
    status, seconds = qualify(order, visit)
    return GridRun(
        **who,
        status=status,
        seconds=seconds,
        values=len(visit.coefs),
        worst_excess=float(excess.max()),
        median_excess=float(np.median(excess)),
        least_excess=float(excess.min()),
    )


def measure_excess(order: Order, visit: Visit, reference: np.ndarray) -> np.ndarray:
    """Relative excess over our objective at each value visited; infinite where not finite."""
    X, y = order.problem.X, order.problem.y
    excess = [
        relative_excess(best_objective(X, y, coefs, order.l1[k], order.l2), reference[k])
        for k, coefs in visit.coefs.items()
    ]
    return np.nan_to_num(np.array(excess), nan=np.inf)


def qualify(order: Order, visit: Visit) -> tuple[str, float]:
    """What the seconds mean, and the seconds of the whole grid."""
    done, count = len(visit.coefs), len(order.l1)
    if done == count:
        return COMPLETE, median([visit.seconds, *visit.repeats])
    if order.peer.warm:
        return LOWER_BOUND, order.budget
    return ESTIMATE, visit.seconds * count / done
