"""Which tables can a model not take? Each limit returns the end of a sentence that begins with the model's name."""

from __future__ import annotations

from collections.abc import Sequence
from math import comb

from chemin.models.settings import NEIGHBOURS

_FOLDS = 5
KERNEL_ROWS = 50_000  # of which a matrix takes 20 GB, and a support vector machine hours
COVARIANCE_COLUMNS = 3000  # whose covariance takes seconds to invert
_TERMS = 20_000


def five_folds(n: int, p: int, counts: Sequence[int]) -> str:
    """Say why five folds cannot be made, "" if they can."""
    fewest = min(counts, default=n)
    if fewest >= _FOLDS:
        return ""
    rows = f"the smallest class has {fewest}" if counts else f"there are {fewest}"
    return (
        f"chooses by {_FOLDS} folds and needs as many rows{' of each class' * bool(counts)}: {rows}"
    )


def neighbours(n: int, p: int, counts: Sequence[int]) -> str:
    """Say why there are too few rows to have neighbours, "" if there are enough."""
    return "" if n >= NEIGHBOURS else f"looks at {NEIGHBOURS} neighbours: there are {n} rows"


def two_classes(n: int, p: int, counts: Sequence[int]) -> str:
    """Say why a model of two classes cannot tell these apart, "" if it can."""
    if len(counts) <= 2:
        return ""
    return f"tells two classes apart, and there are {len(counts)}: chemin.multiclass.OneVsRest goes around it"


def two_of_each(n: int, p: int, counts: Sequence[int]) -> str:
    """Say why a class has no spread, "" if all have."""
    if min(counts, default=n) > 1:
        return ""
    return "needs two rows of each class or more to know how it spreads"


def kernel_rows(n: int, p: int, counts: Sequence[int]) -> str:
    """Say why all rows cannot be compared with each other, "" if they can."""
    if n <= KERNEL_ROWS:
        return ""
    return f"compares all rows with each other: {n} are too many, pass {KERNEL_ROWS} at most"


def more_rows_than_columns(n: int, p: int, counts: Sequence[int]) -> str:
    """Say why coefficients are not determined, "" if they may be."""
    return "" if n > p + 1 else f"needs more rows than columns: there are {n} rows for {p} columns"


def subsets_of_rows(n: int, p: int, counts: Sequence[int]) -> str:
    """Say why lines through p + 1 rows cannot be judged by the others, "" if they can."""
    if n > 2 * (p + 1):
        return ""
    return (
        f"draws {p + 1} rows and judges by the others: {n} rows are too few, {2 * p + 3} are needed"
    )


def products(n: int, p: int, counts: Sequence[int]) -> str:
    """Say why the squares and products of columns are too many, "" if they are not."""
    terms = comb(p + 2, 2) - 1
    if terms <= _TERMS:
        return ""
    return f"of {p} columns has {terms} terms: choose columns first, or a kernel"
