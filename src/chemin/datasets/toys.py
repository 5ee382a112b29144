"""On which points of the plane does each region ask for its own kernel? Toydata 1, Toydata 2 and the chequerboard.

Every generator returns ``(X, y)``: points in rows, labels −1 and +1, the same numbers for the same ``random_state``.
Draw a training and a test set by passing one `numpy.random.Generator` twice.

A toy is a set of Gaussian parts with independent axes, and a family of kernels ``exp(−½ Σ_a ((x_a − z_a) / w_a)²)``
given by their widths w per axis. Both are data, in `TOYDATA1` and `TOYDATA2`.

Reference: A. Lachaud, *Discrimination robuste par méthode à noyaux*, INSA Rouen, 2015, sections 3.5.1 to 3.5.3. It
gives neither sizes, nor positions, nor widths: those are chosen here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from chemin.datasets.generators import Labels
from chemin.dictionaries.base import Floats
from chemin.exceptions import InvalidInputError

__all__ = [
    "CHECKER_WIDTH",
    "TOYDATA1",
    "TOYDATA2",
    "Part",
    "Toy",
    "checker",
    "checker_squares",
    "toydata1",
    "toydata2",
]

CHECKER_WIDTH = (
    0.35  # along each axis, for squares of side 1: one side away the kernel is down to 0.02
)


@dataclass(frozen=True)
class Part:
    """One Gaussian region of a toy.

    Attributes
    ----------
    name : str
        What the region is called.
    label : int
        Its class, −1 or +1.
    kernel : str
        The kernel of the family that has its shape.
    mean, deviation : tuple of float
        Centre, and standard deviation along each axis.
    share : float
        Its part of the points of its class.
    """

    name: str
    label: int
    kernel: str
    mean: tuple[float, float]
    deviation: tuple[float, float]
    share: float

    def log_density(self, X: Floats) -> Floats:
        """Return log(share × density) at each point, up to a constant."""
        deviation = np.array(self.deviation)
        away = (X - np.array(self.mean)) / deviation
        return np.log(self.share / deviation.prod()) - 0.5 * np.sum(away**2, axis=1)


@dataclass(frozen=True, eq=False)
class Toy:
    """The parts of a toy and the kernels offered to it.

    Attributes
    ----------
    parts : tuple of Part
        The positive ones first.
    widths : mapping of str to tuple of float
        For each kernel its width along each axis.

    Examples
    --------
    >>> from chemin.datasets import TOYDATA1, toydata1
    >>> X, y = toydata1()
    >>> sorted(set(TOYDATA1.regions(X, y).tolist()))
    ['blob', 'horizontal band', 'vertical band']
    >>> TOYDATA1.kernels(X, y)[0].item()
    'isotropic'
    """

    parts: tuple[Part, ...]
    widths: Mapping[str, tuple[float, float]]

    def regions(self, X: Floats, y: Labels) -> NDArray[np.str_]:
        """Return the name of each point's region: the likeliest part of its class."""
        return np.array([part.name for part in self.parts])[self._likeliest(X, y)]

    def kernels(self, X: Floats, y: Labels) -> NDArray[np.str_]:
        """Return the name of the kernel that has the shape of each point's region."""
        return np.array([part.kernel for part in self.parts])[self._likeliest(X, y)]

    def draw(
        self, n_per_class: int, random_state: int | np.random.Generator | None
    ) -> tuple[Floats, Labels]:
        """Draw points part after part, in the order of `parts`."""
        _check_count("n_per_class", n_per_class)
        rng = np.random.default_rng(random_state)
        points, labels = [], []
        for label in (1, -1):
            parts = [part for part in self.parts if part.label == label]
            edges = np.rint(n_per_class * np.cumsum([part.share for part in parts])).astype(int)
            for part, count in zip(parts, np.diff(edges, prepend=0), strict=True):
                points.append(
                    part.mean + np.array(part.deviation) * rng.standard_normal((count, 2))
                )
                labels.append(np.full(count, label, dtype=np.int64))
        return np.vstack(points), np.concatenate(labels)

    def _likeliest(self, X: Floats, y: Labels) -> NDArray[np.intp]:
        X, y = np.asarray(X, dtype=float), np.asarray(y)
        if X.ndim != 2 or X.shape[1] != 2 or y.shape != X.shape[:1]:
            message = f"X has shape {X.shape} and y has shape {y.shape}: pass (n, 2) and (n,), as the generator does"
            raise InvalidInputError(message)
        if not np.isin(y, (-1, 1)).all():
            raise InvalidInputError(
                "y has labels other than -1 and +1: pass the labels that the generator drew"
            )
        scores = np.array(
            [np.where(y == part.label, part.log_density(X), -np.inf) for part in self.parts]
        )
        return scores.argmax(axis=0)


# Bands of one dimension, so to speak: a hundredth across, where the gap between them and the blob is about 2.
TOYDATA1 = Toy(
    parts=(
        Part("blob", 1, "isotropic", (0.0, 0.0), (1.0, 1.0), 1.0),
        Part("vertical band", -1, "vertical", (-4.5, 0.0), (0.01, 2.0), 0.5),
        Part("horizontal band", -1, "horizontal", (0.0, -4.5), (2.0, 0.01), 0.5),
    ),
    widths=MappingProxyType(
        {"isotropic": (2.25, 2.25), "vertical": (0.9, 12.0), "horizontal": (12.0, 0.9)}
    ),
)

# The vertical band is two parallel lines with the strip between them; the horizontal one has two halves end to end.
TOYDATA2 = Toy(
    parts=(
        Part("blob", 1, "isotropic", (0.0, 0.0), (1.0, 1.0), 0.9),
        Part("strip", 1, "thin vertical", (-4.5, 0.0), (0.05, 2.0), 0.1),
        Part("left vertical band", -1, "thin vertical", (-4.9, 0.0), (0.05, 2.0), 0.25),
        Part("right vertical band", -1, "thin vertical", (-4.1, 0.0), (0.05, 2.0), 0.25),
        Part("left horizontal band", -1, "horizontal", (-1.5, -4.5), (0.75, 0.05), 0.25),
        Part("right horizontal band", -1, "horizontal", (1.5, -4.5), (0.75, 0.05), 0.25),
    ),
    widths=MappingProxyType(
        {
            "isotropic": (1.5, 1.5),
            "vertical": (1.0, 12.0),
            "horizontal": (12.0, 1.0),
            "thin vertical": (0.2, 12.0),
            "thin horizontal": (12.0, 0.2),
        }
    ),
)


def toydata1(
    n_per_class: int = 100, random_state: int | np.random.Generator | None = 0
) -> tuple[Floats, Labels]:
    """Draw Toydata 1: a positive Gaussian blob, and two negative bands, one vertical and one horizontal.

    Each region has the shape of one kernel of the family: isotropic for the blob, vertical and horizontal for the
    bands. `TOYDATA1` holds the geometry and the widths.

    Parameters
    ----------
    n_per_class : int, default 100
        Points in each class; the positive class comes first, and each band has half of the other.
    random_state : int, Generator or None, default 0
        Passed to `numpy.random.default_rng`.

    Returns
    -------
    X : ndarray of shape (2 n_per_class, 2)
    y : ndarray of shape (2 n_per_class,)

    Examples
    --------
    >>> import numpy as np
    >>> from chemin.datasets import TOYDATA1, toydata1
    >>> rng = np.random.default_rng(0)
    >>> X, y = toydata1(random_state=rng)
    >>> X_test, y_test = toydata1(1000, random_state=rng)
    >>> X.shape, X_test.shape, int(y.sum())
    ((200, 2), (2000, 2), 0)
    >>> TOYDATA1.widths["vertical"]
    (0.9, 12.0)
    """
    return TOYDATA1.draw(n_per_class, random_state)


def toydata2(
    n_per_class: int = 100, random_state: int | np.random.Generator | None = 0
) -> tuple[Floats, Labels]:
    """Draw Toydata 2: Toydata 1 with each band in two, and a strip of positive points inside the vertical one.

    Wide kernels see one vertical band and miss the strip; only thin ones tell it from the two lines around it. With
    l2 = 1 thin ones replace the wide when l1 falls to about 8; above, nineteen points in twenty are already right.
    `TOYDATA2` holds the geometry and the widths of the five kernels.

    Parameters
    ----------
    n_per_class : int, default 100
        Points in each class, the positive one first.
    random_state : int, Generator or None, default 0
        Passed to `numpy.random.default_rng`.

    Returns
    -------
    X : ndarray of shape (2 n_per_class, 2)
    y : ndarray of shape (2 n_per_class,)

    Examples
    --------
    >>> from chemin.datasets import TOYDATA2, toydata2
    >>> X, y = toydata2()
    >>> X.shape, int((TOYDATA2.regions(X, y) == "strip").sum())
    ((200, 2), 10)
    """
    return TOYDATA2.draw(n_per_class, random_state)


def checker(
    n: int = 400, noise_variables: int = 2, random_state: int | np.random.Generator | None = 0
) -> tuple[Floats, Labels]:
    """Draw a 4 × 4 chequerboard of unit squares in the first two variables; the others are noise.

    Parameters
    ----------
    n : int, default 400
        Points, uniform in each square, shared as equally as possible among the 16.
    noise_variables : int, default 2
        Variables of standard normal noise after the first two.
    random_state : int, Generator or None, default 0
        Passed to `numpy.random.default_rng`.

    Returns
    -------
    X : ndarray of shape (n, 2 + noise_variables)
    y : ndarray of shape (n,)

    Examples
    --------
    >>> from chemin.datasets import checker, checker_squares
    >>> X, y = checker()
    >>> X.shape, int(y.sum())
    ((400, 4), 0)
    >>> checker_squares(X)[:3].tolist()
    [0, 1, 2]
    """
    _check_count("n", n)
    if noise_variables < 0:
        raise InvalidInputError(f"noise_variables is {noise_variables}: pass 0 or more")
    rng = np.random.default_rng(random_state)
    column, row = np.arange(n) % 4, np.arange(n) // 4 % 4
    square = np.column_stack([column, row]) + rng.random((n, 2))
    X = np.hstack([square, rng.standard_normal((n, noise_variables))])
    return X, np.where((column + row) % 2 == 0, 1, -1)


def checker_squares(X: Floats) -> NDArray[np.int64]:
    """Return the square of each point of the chequerboard: 4 × row + column, from 0 to 15."""
    column, row = np.clip(np.floor(np.asarray(X)[:, :2]), 0, 3).astype(np.int64).T
    return 4 * row + column


def _check_count(name: str, count: int) -> None:
    if count < 2:
        raise InvalidInputError(f"{name} is {count}: ask for 2 points or more")
