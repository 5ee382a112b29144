"""Is there an order in time among the rows?"""

from __future__ import annotations

import numpy as np

from chemin.exploration.findings.context import Context, Seen
from chemin.exploration.findings.target import sorted_by_target
from chemin.exploration.subject import as_day, as_floats

_FEW = 20
_RISING = 0.95  # share of steps that do not go back
_DRIFT = 0.5  # rank correlation with the number of the row
_CHANCE = 1e-3  # probability that any column drifts so by chance


def in_time(context: Context) -> Seen:
    """Hand on dates in whose order the rows are."""
    for column in context.inputs:
        if column.field.type != "date":
            continue
        days = as_floats(column)
        days = days[~np.isnan(days)]
        if len(days) < _FEW:
            continue
        steps = np.diff(days)
        for way, told in ((steps, "rise"), (-steps, "fall")):
            if np.mean(way >= 0) >= _RISING and np.mean(way > 0) > 0.1:
                span = f"{as_day(days[0])} to {as_day(days[-1])}"
                yield context.evidence(column, f"dates {told} from row to row, {span}")


def drift(context: Context) -> Seen:
    """Hand on numbers that rise or fall with the number of the row, unless they do so with a sorted target."""
    from scipy.stats import norm, rankdata

    by_target = context.subject.target is not None and any(sorted_by_target(context))
    if context.n < _FEW or by_target:
        return
    sure = float(norm.isf(_CHANCE / 2.0 / max(len(context.numbers), 1)))
    for column in context.numbers:
        known = np.flatnonzero(np.isfinite(column.values))
        if len(known) < _FEW or np.ptp(column.values[known]) == 0.0:
            continue
        r = float(np.corrcoef(rankdata(column.values[known]), known)[0, 1])
        if abs(r) > max(_DRIFT, sure / np.sqrt(len(known) - 1)):
            yield context.evidence(column, f"rank correlation {r:.2f} with the number of the row")
