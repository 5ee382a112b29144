"""On which data are the solvers compared?

Four synthetic problems cover the shapes that matter (square, many variables, large and square,
many points); four real ones cover what a user brings. Every column has mean 0 and variance 1.

    X ~ N(0, 1), the first min(50, p) columns shifted by +1/2 in one class and -1/2 in the other.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from chemin.datasets import benchmark_gaussian

SYNTHETIC = {"a": (100, 100, 1), "b": (200, 5000, 2), "c": (1000, 1000, 3), "d": (5000, 50, 4)}
FILES = {"golub": "golub_leukemia", "colon": "colon_alon", "spambase": "spambase"}
ROWS = (*SYNTHETIC, "breast-cancer", *FILES)


@dataclass(frozen=True)
class Problem:
    """Standardised points `X` (n, p) and labels `y` in {-1, +1}."""

    name: str
    X: np.ndarray
    y: np.ndarray

    @property
    def shape(self) -> str:
        """The size as text, "n×p"."""
        return "{}×{}".format(*self.X.shape)


@dataclass(frozen=True)
class Absent:
    """A row that cannot be run here, and why."""

    name: str
    reason: str


def standardise(X: np.ndarray) -> np.ndarray:
    """Columns of mean 0 and standard deviation 1; constant columns become zero."""
    X = np.asarray(X, dtype=float)
    X = X - X.mean(axis=0)
    scale = X.std(axis=0)
    constant = scale <= 1e-12 * max(1.0, scale.max())
    X[:, constant] = 0.0
    return X / np.where(constant, 1.0, scale)


def load_breast_cancer() -> tuple[np.ndarray, np.ndarray]:
    """The 569 x 30 table that scikit-learn ships."""
    from sklearn.datasets import load_breast_cancer as load

    X, y = load(return_X_y=True)
    return standardise(X), 2.0 * y - 1.0


def read_file(path: Path) -> tuple[np.ndarray, np.ndarray]:
    """Arrays `X` and `y` of a `.npz` file."""
    with np.load(path, allow_pickle=False) as arrays:
        return standardise(arrays["X"]), arrays["y"].astype(float)


def load_row(name: str, data: Path | None) -> Problem | Absent:
    """The problem of that name, or the reason why it cannot be had."""
    if name in SYNTHETIC:
        X, y = benchmark_gaussian(*SYNTHETIC[name])
        return Problem(name, X, y.astype(float))
    if name == "breast-cancer":
        try:
            return Problem(name, *load_breast_cancer())
        except ImportError:
            return Absent(name, "needs scikit-learn")
    if name not in FILES:
        raise SystemExit(f"unknown row {name!r}; rows are {', '.join(ROWS)}")
    if data is None:
        return Absent(name, "give its folder with --data DIR")
    path = data / FILES[name] / f"{FILES[name]}.npz"
    if not path.is_file():
        return Absent(name, f"no file {FILES[name]}/{FILES[name]}.npz under the --data folder")
    return Problem(name, *read_file(path))
