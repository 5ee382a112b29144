"""What comes after the end of a path? The same problem, followed to a smaller l1."""

from __future__ import annotations

import sys
from dataclasses import replace

from chemin.engine.end import End
from chemin.engine.result import Path
from chemin.engine.strategy import Call, Limits, exact
from chemin.validation import check_max_events, check_min_l1


def further(path: Path, min_l1: float, max_events: int | None = None) -> Path:
    """Return the exact path of the same problem down to another l1.

    Parameters
    ----------
    path : Path
        Of the problem.
    min_l1 : float
        Where to stop.
    max_events : int, optional
        Give up after so many events.

    Examples
    --------
    >>> import chemin
    >>> path = chemin.svm_path([[-2.0], [-1.0], [1.0], [2.0]], [0, 0, 1, 1], min_l1=5.0)
    >>> longer = further(path, 1.0)
    >>> float(path.l1[-1]), float(longer.l1[-1])
    (5.0, 1.0)
    """
    with path.problem.dictionary.resident() as columns:
        call = Call(
            problem=path.problem,
            there=replace(path.problem, dictionary=columns),
            classes=path.classes,
            end=End(check_min_l1(min_l1)),
            report=lambda events, l1: None,
            screening=True,
            keeps_interrupted=False,
        )
        return exact(call, Limits(check_max_events(max_events) or sys.maxsize))
