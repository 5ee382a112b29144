"""How long will a study take, and how much memory? Rough powers of rows and columns, told before any work is done.

The constants were fitted to studies of 150 to 32 561 rows on one core of a server; they are right within a factor of
three or so, which is what is needed to know whether to wait or to go for lunch.
"""

from __future__ import annotations

from dataclasses import dataclass

from chemin.memory import GIB
from chemin.results import plural

_LONGEST_LOOK = 25.0  # seconds: beyond, it looks at some of the rows
_ALWAYS = 0.4 * GIB  # bytes that the libraries take
_BASE = 0.3  # seconds that every step takes, however small the table
_COUPLES = 600  # of the kernels that a basis has by itself


@dataclass(frozen=True)
class StudyCost:
    """What a study is estimated to take.

    Attributes
    ----------
    seconds : dict of str to float
        Of each step.
    memory : int
        Bytes at the largest.

    Examples
    --------
    >>> print(estimate_study(rows=569, columns=30, machines=1, folds=5, budget=300.0))
    about 30 s and 0.42 GiB
    """

    seconds: dict[str, float]
    memory: int

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
    per_machine = rows * (2.0 if machines > 1 else 1.0) / max(machines, 1) ** 0.5
    linear = _BASE + 3e-6 * machines * folds * per_machine**1.1 * columns
    basis = _BASE + 4e-7 * machines * folds * per_machine**1.1 * (columns + couples)
    look = _BASE + min(5e-5 * rows * columns, _LONGEST_LOOK)
    compared = min(budget, 10.0 * (linear + basis) + 2e-3 * rows) if budget else 0.0
    memory = int(_ALWAYS + 72.0 * rows * (columns + 600))
    seconds = {"look": look, "linear": linear, "basis": basis, "compare": compared}
    return StudyCost(seconds, memory)


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
