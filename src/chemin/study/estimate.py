"""How long will a study take, and how much memory? Rough powers of rows and columns, told before any work is done.

The constants were fitted to studies of 150 to 32 561 rows on one core of a server; they are right within a factor of
three or so, which is what is needed to know whether to wait or to go for lunch.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass

from chemin.memory import GIB
from chemin.results import plural

_LONGEST_LOOK = 25.0  # seconds: beyond, it looks at some of the rows
_ALWAYS = 0.4 * GIB  # bytes that the libraries take
_BASE = 0.3  # seconds that every step takes, however small the table
_COUPLES = 600  # of the kernels that a basis has by itself
_OTHERS = 8.0  # seconds that other models and their processes take
_FEWEST = 500  # rows that a comparison is worth while on


@dataclass(frozen=True)
class StudyCost:
    """What a study is estimated to take.

    Attributes
    ----------
    seconds : dict of str to float
        Of each step.
    memory : int
        Bytes at the largest.
    compared : int
        On how many rows the comparison ends within its budget.

    Examples
    --------
    >>> print(estimate_study(rows=569, columns=30, machines=1, folds=5, budget=300.0))
    about 25 s and 0.42 GiB
    """

    seconds: dict[str, float]
    memory: int
    compared: int

    @property
    def total(self) -> float:
        """Seconds of all steps together."""
        return sum(self.seconds.values())

    def __str__(self) -> str:
        return f"about {spoken(self.total)} and {self.memory / GIB:.2g} GiB"


def estimate_study(
    rows: int, columns: int, machines: int, folds: int, budget: float, couples: int = _COUPLES
) -> StudyCost:
    """Return what a study is estimated to take.

    Parameters
    ----------
    rows, columns : int
        Those that are learned from, as numbers.
    machines : int
        1 for two classes or a number, K(K − 1)/2 for K classes.
    folds : int
        Of cross-validation.
    budget : float
        Seconds that the comparison may take; 0 without one.
    couples : int
        Of the kernel basis, with the variables beside them.

    Returns
    -------
    StudyCost
    """
    classes = (1.0 + (1.0 + 8.0 * machines) ** 0.5) / 2.0

    def learned(some: int) -> tuple[float, float]:
        work = machines * folds * (2.0 * some / classes) ** 1.1
        return _BASE + 3e-6 * work * columns, _BASE + 4e-7 * work * (columns + couples)

    def compared(some: int) -> float:
        return _OTHERS + folds * sum(learned(some)) + 2e-3 * some

    linear, basis = learned(rows)
    few = bisect_right(range(rows), budget, key=compared)
    fitting = min(rows, max(few, _FEWEST))
    seconds = {
        "look": _BASE + min(5e-5 * rows * columns, _LONGEST_LOOK),
        "linear": linear,
        "basis": basis,
        "compare": min(budget, compared(fitting)) if budget else 0.0,
    }
    memory = int(_ALWAYS + 72.0 * rows * (columns + 600))
    return StudyCost(seconds, memory, fitting)


def spoken(seconds: float) -> str:
    """Return a time as one says it.

    Examples
    --------
    >>> spoken(7.3), spoken(95), spoken(5000)
    ('8 s', '2 minutes', '1.4 hours')
    """
    if seconds < 60.0:
        return f"{int(seconds) + 1} s"
    if seconds < 3600.0:
        return plural(round(seconds / 60.0), "minute")
    return f"{seconds / 3600.0:.1f} hours"
