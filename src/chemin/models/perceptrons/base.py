"""What do perceptrons share? Sweeps that end or are ended, a verdict in the latter case, and Novikoff's bound."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, column_or_1d, validate_data

from chemin.dictionaries.base import Floats, Indices
from chemin.evaluate.inputs import check_whole
from chemin.exceptions import InvalidInputError
from chemin.models.perceptrons.novikoff import Novikoff, novikoff
from chemin.models.perceptrons.separability import UNKNOWN, SignedRows, Verdict, decide
from chemin.models.perceptrons.sweeps import Rule, Sweeps, sweep
from chemin.models.two_classes import TwoClasses
from chemin.results import plural

_FARTHEST = 1e100  # beyond, products of rows may not be numbers


class Perceptron(BaseEstimator):  # type: ignore[misc]
    """The part of a perceptron that does not depend on its rule.

    Attributes
    ----------
    n_updates_, n_sweeps_ : int
        Updates made, and sweeps over the rows; the last one made none, unless ``max_sweeps`` came first.
    updates_per_sweep_ : ndarray of shape (n_sweeps_,)
        Updates made in each sweep.
    separable_ : bool or None
        True if some weights are known to be right on every row; False if it is proved that there are none; None if
        that is not known.
    certificate_ : ndarray or None
        The weights λ that prove it if there are none.
    """

    max_sweeps: int
    shuffle: bool
    strict: bool
    random_state: Any

    _remedy: str  # where there is no separator
    _no_rows = ""  # why there may be no rows z_i
    _slack = 0.0  # a: only rows with a margin of at most a ask for an update

    @abstractmethod
    def _signed_rows(self, X: Floats, codes: Indices) -> SignedRows | None:
        """Return the rows z_i of training rows and the numbers of their classes, None if nothing is like rows."""

    @abstractmethod
    def _weights_along(self, rows: SignedRows) -> Floats:
        """Return what was learned as a vector to multiply these rows with."""

    def bound(self, X: Any, y: Any) -> Novikoff:
        """Return the updates that were made beside the most that Novikoff's theorem allows.

        The largest margin is that of an exact algorithm of its own, and independent of what was learned. Some
        thousands of rows of tens of columns take less than a second; with more than two million entries, the margin
        is that of the weights that were learned, and the bound is valid, but not the least one.

        Parameters
        ----------
        X, y
            The rows and classes of ``fit``.

        Returns
        -------
        Novikoff
        """
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, dtype=float)
        y = column_or_1d(y)
        known = len(y) == len(X) and np.array_equal(np.unique(y), self.classes_)
        codes = np.searchsorted(self.classes_, y) if known else np.empty(0, dtype=np.intp)
        if _digest(X, codes) != self._trained_on:
            raise InvalidInputError(
                "X and y are not those of fit, which the updates were made on: pass those, in their order"
            )
        rows = self._signed_rows(X, codes)
        if rows is None:
            raise InvalidInputError(
                f"the margin of these rows cannot be computed, since {self._no_rows}: fit fewer rows"
            )
        return novikoff(self.updates_per_sweep_, rows, self._weights_along(rows), self._slack)

    def _sweep(self, rule: Rule, X: Floats, codes: Indices) -> Floats:
        """Return what a rule learns, and remember how."""
        drawing = check_random_state(self.random_state) if self.shuffle else None
        made = sweep(rule, len(X), check_whole("max_sweeps", self.max_sweeps, 1), drawing)
        separated = made.finished or not made.errors
        verdict = Verdict(True) if separated else self._decide(X, codes)
        if not made.finished:
            told = self._tell(made, verdict, len(X))
            if self.strict:
                raise InvalidInputError(told)
            warnings.warn(told, ConvergenceWarning, stacklevel=3)
        self.updates_per_sweep_ = made.updates
        self.n_updates_ = int(made.updates.sum())
        self.n_sweeps_ = len(made.updates)
        self.separable_ = verdict.separable
        self.certificate_ = verdict.certificate
        self._trained_on = _digest(X, codes)
        return made.weights

    def _decide(self, X: Floats, codes: Indices) -> Verdict:
        """Return whether a separator exists, where none is known."""
        rows = self._signed_rows(X, codes)
        return UNKNOWN if rows is None else decide(rows)

    def _tell(self, made: Sweeps, verdict: Verdict, n: int) -> str:
        """Return what became of rows that still ask for updates, and what to do."""
        after = plural(len(made.updates), "sweep")
        kept = f"the weights with the fewest errors at the end of a sweep are kept: {made.errors} of {plural(n, 'row')}"
        if verdict.separable is False:
            return f"no separator exists (certificate_ proves it), and {after} had no end; {kept}. {self._remedy}"
        why = (
            "a separator exists"
            if verdict.separable
            else "it is not known whether a separator exists"
        )
        return (
            f"{after} had no end, and {why}; {kept}. Pass a larger max_sweeps, or scale the columns"
        )


class BinaryPerceptron(Perceptron, TwoClasses):
    """A perceptron of two classes, y = ±1, that decides by sign(f(x)) with sign(0) = +1, the second class."""

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class of each row: the second one where f(x) ≥ 0.

        Parameters
        ----------
        X : array or DataFrame of shape (n, p)
            The rows.

        Returns
        -------
        ndarray of shape (n,)
        """
        second = self.decision_function(X) >= 0.0
        return np.asarray(self.classes_[second.astype(int)])

    def _read_training(self, X: Any, y: Any, **options: Any) -> tuple[Any, Floats]:
        X, signs = super()._read_training(X, y, **options)
        check_size(X)
        return X, signs


def ask(margins: Floats, signs: Floats, a: float = 0.0) -> NDArray[np.bool_]:
    """Return which rows of margins y f(x) ask for an update: y f(x) < a, or y f(x) = a and y = −1.

    Examples
    --------
    >>> ask(np.zeros(2), np.array([1.0, -1.0])).tolist()  # sign(0) = +1 is right of the first, and wrong of the second
    [False, True]
    """
    return np.where(signs > 0.0, margins < a, margins <= a)


def with_constant(X: Floats, fit_intercept: bool) -> Floats:
    """Return rows with a constant column of ones at their end, whose weight is the intercept; or as they are."""
    return np.column_stack([X, np.ones(len(X))]) if fit_intercept else X


def check_size(X: Floats) -> None:
    """Raise where products of rows may not be numbers."""
    largest = float(np.abs(X).max(initial=0.0))
    if largest and not 1.0 / _FARTHEST < largest < _FARTHEST:
        raise InvalidInputError(
            f"the largest entry of X is {largest:.3g}, whose square is no number: scale the columns"
        )


def _digest(X: Floats, codes: Indices) -> str:
    """Return what tells rows and their classes from others."""
    return blake2b(X.tobytes() + codes.tobytes(), digest_size=16).hexdigest()
