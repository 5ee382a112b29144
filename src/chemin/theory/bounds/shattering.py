"""Which labellings of some points can a class of functions make? Separability, shattering, dimension.

Points are shattered by the functions sign(w·x + b) if every labelling is one of theirs. d + 1 affinely independent
points of d variables are: with the rows (x_i, 1) of an invertible matrix, (w, b) = (X 1)⁻¹ y has the labels for values.
No d + 2 points are: by Radon's theorem two parts of them have hulls that meet. So the dimension of Vapnik and
Chervonenkis is d + 1. Of n points in general position 2 Σ_{k ≤ d} C(n − 1, k) labellings can be made (Cover, 1965).

Each labelling is decided by a linear program whose answer is checked (`chemin.models.perceptrons`).

Reference: F. Sur, *Introduction à l'apprentissage automatique*, 8.3.1.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from chemin.dictionaries.base import Floats
from chemin.exceptions import InvalidInputError
from chemin.frames import as_frame
from chemin.models.perceptrons.separability import SignedRows, decide
from chemin.results import plural
from chemin.theory.bounds.rademacher import all_signs
from chemin.theory.theorem import Promise, Theorem

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Shattering", "affine_fit", "cover_count", "is_separable", "shattering", "vc_dimension"]

_MOST = 12  # points whose labellings are all tried
_PLACES = 20  # points of a finite class whose parts are all tried
_MANY = 100_000_000  # labellings; more would take minutes

RADON = Theorem(
    "the dimension of half-spaces",
    "sign(w·x + b) makes all labellings of d + 1 affinely independent points, and of no d + 2 points",
    ("n ≤ d + 1 points, affinely independent",),
    "Sur, Prop 8.1; Radon 1921; Cover 1965",
)


@dataclass(frozen=True, eq=False, repr=False)
class Shattering(Promise):
    """The labellings of some points that half-spaces can make.

    Attributes
    ----------
    points : ndarray of shape (n, d)
        The points.
    labellings : ndarray of shape (2ⁿ, n)
        All labellings, of ±1.
    separable : ndarray of shape (2ⁿ,)
        Which of them a half-space makes.
    general : int
        How many there are for points in general position.
    """

    theorem = RADON
    points: Floats
    labellings: Floats
    separable: Any
    general: int

    @property
    def count(self) -> int:
        """How many labellings a half-space makes."""
        return int(self.separable.sum())

    @property
    def shattered(self) -> bool:
        """Whether that is all of them."""
        return bool(self.separable.all())

    def __str__(self) -> str:
        n, d = self.points.shape
        made = f"{plural(n, 'point')} of {plural(d, 'variable')}"
        if self.shattered:
            return f"{made} are shattered: half-spaces make all {len(self.separable)} labellings"
        against = self.labellings[int(np.argmin(self.separable))]
        signs = "".join("+" if sign > 0 else "−" for sign in against)
        return (
            f"{made} are not shattered: half-spaces make {self.count} of {len(self.separable)} labellings "
            f"({self.general} in general position), and not {signs}"
        )

    def frame(self) -> Any:
        """Return a row per labelling as a DataFrame."""
        made = {f"point {i}": column.astype(int) for i, column in enumerate(self.labellings.T)}
        return as_frame({**made, "separable": self.separable}, instead="labellings and separable")

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the labellings of points of two variables, those that no line makes crossed out."""
        from chemin.plots.theory.labellings import draw_labellings

        return draw_labellings(self.points, self.labellings, self.separable, ax=ax)


def is_separable(X: Any, y: Any) -> bool:
    """Return whether a half-space has all points of one class, and none of the other.

    Parameters
    ----------
    X : table of numbers
        The points.
    y : array of two labels
        Their classes.

    Returns
    -------
    bool

    Examples
    --------
    >>> corners = [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> is_separable(corners, [0, 0, 0, 1]), is_separable(corners, [0, 1, 1, 0])
    (True, False)
    """
    X = RADON.table("X", X)
    classes, codes = np.unique(np.asarray(y), return_inverse=True)
    told = (
        f"y has {plural(len(codes), 'label')} of {len(classes)} kinds for {plural(len(X), 'point')}"
    )
    RADON.require(
        codes.shape == (len(X),) and len(classes) <= 2, "a label for each point, of two", told,
        "pass one of two labels per row",
    )  # fmt: skip
    return _decided(_with_ones(X), np.where(codes == 1, 1.0, -1.0))


def shattering(points: Any) -> Shattering:
    """Try all labellings of some points.

    Parameters
    ----------
    points : table of numbers
        Up to 12 of them.

    Returns
    -------
    Shattering

    Examples
    --------
    >>> print(shattering([[0, 0], [0, 1], [1, 0]]))
    3 points of 2 variables are shattered: half-spaces make all 8 labellings
    >>> print(shattering([[0, 0], [0, 1], [1, 0], [1, 1]]))
    4 points of 2 variables are not shattered: half-spaces make 14 of 16 labellings (14 in general position),
    and not −++−
    """
    X = RADON.table("points", points)
    n, d = X.shape
    if n > _MOST:
        raise InvalidInputError(
            f"{n} points have 2^{n} labellings: pass {_MOST} at most, or count them by cover_count"
        )
    labellings = all_signs(n)
    Z = _with_ones(X)
    half = [
        _decided(Z, labels) for labels in labellings[: 2 ** (n - 1)]
    ]  # with the opposite of each
    return Shattering(X, labellings, np.array([*half, *half[::-1]]), cover_count(n, d))


def cover_count(n: int, d: int) -> int:
    """Return how many labellings of n points of d variables in general position half-spaces make.

    Examples
    --------
    >>> [cover_count(n, 2) for n in range(1, 6)]
    [2, 4, 8, 14, 22]
    """
    n = RADON.whole("n", n, "n")
    d = RADON.whole("d", d, "d")
    return 2 * sum(math.comb(n - 1, k) for k in range(d + 1))


def affine_fit(points: Any, values: Any) -> tuple[Floats, float]:
    """Return w and b with w·x + b equal to any values on affinely independent points: the least such w.

    Parameters
    ----------
    points : table of numbers
        At most d + 1 points of d variables.
    values : array
        A value for each, such as labels ±1.

    Returns
    -------
    w : ndarray of shape (d,)
    b : float

    Examples
    --------
    >>> w, b = affine_fit([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]], [1, -1, 1])
    >>> w.round(6).tolist(), round(b, 6)
    ([-2.0, 0.0], 1.0)
    """
    X = RADON.table("points", points)
    n, d = X.shape
    values = RADON.vector("values", values, n)
    told = f"there are {n} points of {plural(d, 'variable')}"
    RADON.require(n <= d + 1, "n ≤ d + 1 points", told, "pass fewer points")
    rank = int(np.linalg.matrix_rank(X - X[0])) + 1
    told = f"{n} points span what {rank} do"
    RADON.require(
        rank == n, "affinely independent points", told, "leave out points that others determine"
    )
    w = (
        np.linalg.lstsq(X[1:] - X[0], values[1:] - values[0], rcond=None)[0]
        if n > 1
        else np.zeros(d)
    )
    return w, float(values[0] - X[0] @ w)


def vc_dimension(predictions: Any) -> int:
    """Return the dimension of Vapnik and Chervonenkis of a finite class on some points, by trying all parts of these.

    Parameters
    ----------
    predictions : array of shape (M, n)
        What each of M functions says of each of n points, one of two values.

    Returns
    -------
    int

    Examples
    --------
    >>> thresholds = [[int(x >= t) for x in range(4)] for t in range(5)]
    >>> intervals = [[int(a <= x < b) for x in range(4)] for a in range(5) for b in range(a, 5)]
    >>> vc_dimension(thresholds), vc_dimension(intervals)
    (1, 2)
    """
    made: Any = np.asarray(predictions)
    told = f"predictions has shape {made.shape}"
    RADON.require(
        made.ndim == 2 and made.size, "a row per function", told, "pass a table of labels"
    )
    labels, codes = np.unique(made, return_inverse=True)
    told = f"predictions has {len(labels)} different values"
    RADON.require(len(labels) <= 2, "functions of two values", told, "pass labels of two classes")
    codes = codes.reshape(made.shape)
    n = codes.shape[1]
    if n > _PLACES:
        raise InvalidInputError(f"{n} points have too many parts to try: pass {_PLACES} at most")
    functions = np.unique(codes, axis=0)
    largest = int(math.log2(len(functions)))
    parts = sum(math.comb(n, size) for size in range(1, largest + 1)) * len(functions)
    if parts > _MANY:
        raise InvalidInputError(
            f"{parts} labellings would be tried: pass fewer functions or points"
        )
    found = 0
    while found < min(largest, n) and _shatters(functions, found + 1):
        found += 1
    return found


def _shatters(functions: Any, size: int) -> bool:
    """Return whether some part of that many points has all labellings."""
    powers = 2 ** np.arange(size)
    return any(
        len(np.unique(functions[:, part] @ powers)) == 2**size
        for part in combinations(range(functions.shape[1]), size)
    )


def _with_ones(X: Floats) -> Floats:
    """Return centred points with a column of ones, which gives b."""
    return np.column_stack([X - X.mean(axis=0), np.ones(len(X))])


def _decided(Z: Floats, signs: Floats) -> bool:
    verdict = decide(SignedRows(signs[:, None] * Z))
    if verdict.separable is None:
        raise InvalidInputError(
            "whether these points are separable is within rounding: move them apart, or scale the columns"
        )
    return verdict.separable
