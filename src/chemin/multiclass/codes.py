"""Which classes does each machine separate? Ternary code matrices: classes in rows, machines in columns.

M(k, l) = −1 or +1 puts class k on that side of machine l; M(k, l) = 0 leaves it out. Two classes are separated by the
machines that have them on opposite sides, so the distance of two rows is the number of such columns,

    d(i, j) = #{l : M(i, l) M(j, l) = −1},

and a code without zeros corrects ⌊(d − 1)/2⌋ wrong machines, d the smallest distance. Random codes are the best of many
draws by this d: dense ones of ⌈10 log₂ K⌉ columns of ±1, sparse ones of ⌈15 log₂ K⌉ columns where an entry is 0 one
time in two. Allwein, Schapire and Singer (2000); Dietterich and Bakiri (1995) for the exhaustive code.
"""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chemin.exceptions import InvalidInputError

__all__ = [
    "Code",
    "as_code",
    "exhaustive",
    "one_vs_one",
    "one_vs_rest",
    "random_code",
    "row_distances",
]

Code = NDArray[np.int8]

_MOST_EXHAUSTIVE = 10  # classes: 511 machines
_DRAWS = 300
_POOL = 5000  # list all columns when there are no more than this
_LENGTH = {"dense": 10, "sparse": 15}  # columns per bit


def one_vs_rest(k: int) -> Code:
    """Return the code of `k` machines, each class (+) against all others (−).

    Examples
    --------
    >>> one_vs_rest(3).tolist()
    [[1, -1, -1], [-1, 1, -1], [-1, -1, 1]]
    """
    return (2 * np.eye(k, dtype=np.int8) - 1).astype(np.int8)


def one_vs_one(k: int) -> Code:
    """Return the code of the pairs (i, j), i < j, in lexicographic order: i on the side −, j on the side +.

    Examples
    --------
    >>> one_vs_one(3).tolist()
    [[-1, -1, 0], [1, 0, -1], [0, 1, 1]]
    """
    low, high = np.triu_indices(k, 1)
    code = np.zeros((k, low.size), dtype=np.int8)
    code[low, np.arange(low.size)] = -1
    code[high, np.arange(low.size)] = 1
    return code


def exhaustive(k: int) -> Code:
    """Return the code of all 2^(k−1) − 1 ways to split `k` classes in two.

    Examples
    --------
    >>> exhaustive(3).tolist()
    [[1, 1, 1], [-1, -1, 1], [-1, 1, -1]]
    """
    if k > _MOST_EXHAUSTIVE:
        raise InvalidInputError(
            f"code='exhaustive' would train {2 ** (k - 1) - 1} machines for {k} classes: pass code='dense' or "
            f"code='sparse', which grow with log₂ {k} (exhaustive codes stop at {_MOST_EXHAUSTIVE} classes)"
        )
    # Column c is c in binary: the first class is always on the side +, so not all others may be.
    number = np.arange(2 ** (k - 1) - 1)
    bits = number[None, :] >> np.arange(k - 2, -1, -1)[:, None] & 1
    return np.vstack([np.ones_like(number)[None, :], 2 * bits - 1]).astype(np.int8)


def row_distances(code: Code) -> NDArray[np.intp]:
    """Return, for every pair of classes i < j, the number of machines that have them on opposite sides.

    Examples
    --------
    >>> row_distances(one_vs_rest(3)).tolist(), row_distances(one_vs_one(3)).tolist()
    ([2, 2, 2], [1, 1, 1])
    """
    plus, minus = (code > 0).astype(float), (code < 0).astype(float)
    opposite = plus @ minus.T
    return (opposite + opposite.T)[np.triu_indices(len(code), 1)].astype(np.intp)


def random_code(k: int, kind: str, size: int | None, rng: np.random.RandomState) -> Code:
    """Return the best of many random codes: the one whose nearest rows are the furthest apart.

    No column is constant, repeated, or the opposite of another: such a machine would be useless or trained twice.

    Parameters
    ----------
    k : int
        Number of classes.
    kind : {"dense", "sparse"}
        Without or with zeros.
    size : int or None
        Number of columns; None is ⌈10 log₂ k⌉ (dense) or ⌈15 log₂ k⌉ (sparse), or all columns there are.
    rng : RandomState
        Source of the draws.

    Examples
    --------
    >>> code = random_code(6, "sparse", None, np.random.RandomState(0))
    >>> code.shape, int(row_distances(code).min()) >= 5
    ((6, 39), True)
    """
    most = 2 ** (k - 1) - 1 if kind == "dense" else (3**k - 2 ** (k + 1) + 1) // 2
    size = min(math.ceil(_LENGTH[kind] * math.log2(k)), most) if size is None else size
    if not 1 <= size <= most:
        raise InvalidInputError(
            f"code_size={size}: a {kind} code of {k} classes has 1 to {most} different columns; pass None to let the "
            "number of classes decide"
        )
    pool = _all_columns(k, kind) if most <= _POOL else None
    draws = (_draw(k, kind, size, rng, pool) for _ in range(1 if size == most else _DRAWS))
    best = max(draws, key=lambda code: int(row_distances(code).min()))
    if row_distances(best).min() == 0:
        raise InvalidInputError(
            f"code_size={size} leaves two of the {k} classes inseparable in every {kind} code drawn: pass a larger "
            f"code_size, at least {math.ceil(math.log2(k))}, or None"
        )
    return best


def as_code(code: Any, classes: NDArray[Any]) -> Code:
    """Return a given code as a matrix, or say why it can not tell these classes apart.

    Examples
    --------
    >>> as_code([[1, 0], [-1, 1], [-1, -1]], np.array(["a", "b", "c"])).dtype
    dtype('int8')
    """
    try:
        matrix = np.asarray(code, dtype=float)
    except (TypeError, ValueError) as error:
        raise InvalidInputError(
            "code is neither a name nor a matrix of numbers: pass one row per class, with entries −1, 0 and +1"
        ) from error
    if matrix.ndim != 2 or len(matrix) != len(classes) or not matrix.shape[1]:
        raise InvalidInputError(
            f"code has shape {matrix.shape}: pass one row per class in sorted order, {len(classes)} rows for "
            f"{_listed(classes)}, and one column per machine"
        )
    if not np.isin(matrix, (-1, 0, 1)).all():
        bad = sorted({float(value) for value in matrix[~np.isin(matrix, (-1, 0, 1))]})
        raise InvalidInputError(
            f"code has entries {bad[:5]}: use −1 and +1 for the sides and 0 for a class left out"
        )
    one_sided = np.flatnonzero(~((matrix > 0).any(axis=0) & (matrix < 0).any(axis=0)))
    if one_sided.size:
        raise InvalidInputError(
            f"columns {one_sided.tolist()[:5]} of code have no class on one side: give each column a +1 and a −1"
        )
    distance = row_distances(matrix.astype(np.int8))
    if distance.min() == 0:
        low, high = (
            classes.tolist()[index[distance.argmin()]] for index in np.triu_indices(len(classes), 1)
        )
        raise InvalidInputError(
            f"no column of code has classes {low!r} and {high!r} on opposite sides, so they can not be told apart: add "
            "a column with +1 for one and −1 for the other"
        )
    return matrix.astype(np.int8)


def _all_columns(k: int, kind: str) -> Code:
    """Return every column with both signs, one of each pair of opposites."""
    digits = np.array(
        list(itertools.product((-1, 1) if kind == "dense" else (-1, 0, 1), repeat=k)), dtype=np.int8
    )
    both = (digits > 0).any(axis=1) & (digits < 0).any(axis=1)
    return digits[both & (_first_sign(digits.T) > 0)].T


def _draw(k: int, kind: str, size: int, rng: np.random.RandomState, pool: Code | None) -> Code:
    """Draw `size` different columns whose entries are independent: ±1 equally likely, and 0 one time in two."""
    if pool is not None:
        likelihood = np.exp2((pool == 0).sum(axis=0))  # (1/2)^zeros (1/4)^(k − zeros) ∝ 2^zeros
        return pool[
            :, rng.choice(pool.shape[1], size, replace=False, p=likelihood / likelihood.sum())
        ]
    values = np.array([-1, 1] if kind == "dense" else [-1, 0, 0, 1], dtype=np.int8)
    seen: dict[bytes, Code] = {}
    while len(seen) < size:
        column = values[rng.randint(len(values), size=(k, 2 * size))]
        column = column[:, (column > 0).any(axis=0) & (column < 0).any(axis=0)]
        for one in (column * _first_sign(column)).T:
            seen.setdefault(one.tobytes(), one)
    return np.column_stack(list(seen.values())[:size])


def _first_sign(columns: Code) -> Code:
    """Return the first entry of each column that is not zero."""
    return np.take_along_axis(columns, (columns != 0).argmax(axis=0)[None, :], axis=0)[0]


def _listed(classes: NDArray[Any]) -> str:
    shown = ", ".join(map(repr, classes[:5].tolist()))
    return shown if len(classes) <= 5 else f"{shown}, …"
