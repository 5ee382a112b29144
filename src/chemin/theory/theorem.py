"""What is promised, on which assumptions, and who proved it? Every result of theory names its theorem.

A calculator refuses a value that breaks an assumption, and the message names the assumption.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

import numpy as np

from chemin.exceptions import InvalidInputError
from chemin.results import Result

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Promise", "Theorem"]


@dataclass(frozen=True)
class Theorem:
    """A statement that was proved.

    Attributes
    ----------
    name : str
        What it is called.
    formula : str
        What it says.
    assumptions : tuple of str
        What it assumes.
    source : str
        Where it is stated or proved.
    """

    name: str
    formula: str
    assumptions: tuple[str, ...]
    source: str

    def __str__(self) -> str:
        return f"{self.name}: {self.formula}, if {'; '.join(self.assumptions)} ({self.source})"

    def require(self, holds: Any, assumption: str, given: str, remedy: str) -> None:
        """Raise an error that names the assumption, unless it holds.

        Examples
        --------
        >>> COIN = Theorem("the law of the coin", "P = ½", ("two sides",), "folklore")
        >>> COIN.require(False, "two sides", "sides is 3", "pass sides=2")
        Traceback (most recent call last):
            ...
        chemin.exceptions.InvalidInputError: the law of the coin assumes two sides, and sides is 3: pass sides=2
        """
        if not holds:
            raise InvalidInputError(f"{self.name} assumes {assumption}, and {given}: {remedy}")

    def positive(self, name: str, value: Any, symbol: str) -> float:
        """Return a number above 0."""
        self.require(_is_real(value), f"{symbol} > 0", f"{name} is {value!r}", "pass a number")
        number = float(value)
        self.require(
            0.0 < number < np.inf, f"{symbol} > 0", f"{name} is {value!r}", "pass a positive number"
        )
        return number

    def probability(self, name: str, value: Any, symbol: str) -> float:
        """Return a number strictly between 0 and 1."""
        holds = _is_real(value) and 0.0 < value < 1.0
        remedy = "pass a number between 0 and 1, such as 0.05"
        self.require(holds, f"0 < {symbol} < 1", f"{name} is {value!r}", remedy)
        return float(value)

    def whole(self, name: str, value: Any, symbol: str, least: int = 1) -> int:
        """Return a whole number that is large enough."""
        holds = isinstance(value, Integral) and not isinstance(value, bool) and int(value) >= least
        remedy = f"pass a whole number of at least {least}"
        self.require(holds, f"{symbol} ≥ {least}", f"{name} is {value!r}", remedy)
        return int(value)

    def table(self, name: str, values: Any, least: int = 1) -> Any:
        """Return a table of finite numbers, a row per point; one list of numbers is one column."""
        try:
            made = np.asarray(values, dtype=float)
        except (TypeError, ValueError):
            made = np.empty((0, 0, 0))
        made = made[:, None] if made.ndim == 1 else made
        holds = made.ndim == 2 and len(made) >= least and made.shape[1] and np.isfinite(made).all()
        remedy = f"pass finite numbers, at least {least} row{'s' * (least > 1)} and one column"
        self.require(
            holds, "points with finite coordinates", f"{name} is not a table of them", remedy
        )
        return made

    def vector(self, name: str, values: Any, length: int | None = None) -> Any:
        """Return a list of finite numbers."""
        try:
            made = np.atleast_1d(np.asarray(values, dtype=float))
        except (TypeError, ValueError):
            made = np.empty((0, 0))
        right = len(made) == length if length is not None else len(made) > 0
        holds = made.ndim == 1 and right and np.isfinite(made).all()
        how_many = "some" if length is None else str(length)
        given = f"{name} has shape {made.shape}" if made.size else f"{name} is {values!r}"
        self.require(holds, f"{how_many} finite numbers", given, "pass as many")
        return made

    def symmetric(self, name: str, values: Any, size: int | None = None) -> Any:
        """Return a symmetric matrix."""
        made = np.atleast_2d(self.table(name, np.atleast_2d(np.asarray(values, dtype=float))))
        square = made.shape[0] == made.shape[1] and size in (None, len(made))
        told = f"{name} has shape {made.shape}"
        side = "d" if size is None else str(size)
        self.require(square, f"a matrix of {side} × {side}", told, "pass a square one")
        asymmetry = float(np.abs(made - made.T).max())
        close = asymmetry <= 1e-10 * float(np.abs(made).max())
        told = f"{name} differs from its transpose by {asymmetry:.2g}"
        self.require(
            close, "a symmetric matrix", told, "pass (A + Aᵀ)/2, which has the same squares"
        )
        return (made + made.T) / 2.0

    def covariance(self, name: str, values: Any, size: int | None = None) -> Any:
        """Return a symmetric matrix with positive eigenvalues."""
        made = self.symmetric(name, values, size)
        least = float(np.linalg.eigvalsh(made).min())
        told = f"the least eigenvalue of {name} is {least:.3g}"
        remedy = "leave out variables that others determine, or add a little to the diagonal"
        enough = least > np.finfo(float).eps * len(made) * float(np.abs(made).max())
        self.require(enough, "a covariance with an inverse", told, remedy)
        return made


class Promise(Result):
    """A result that rests on a theorem, its attribute ``theorem``."""

    theorem: Theorem

    @abstractmethod
    def frame(self) -> Any:
        """Return the numbers as a DataFrame."""

    @abstractmethod
    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw them."""


def _is_real(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool) and value == value
