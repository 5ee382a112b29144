"""Which hyperplane has all rows of one class on one side? Rosenblatt's perceptron: be corrected by every error.

    w = 0;   for each row in turn, if sign(w·x) ≠ y then w ← w + y x;   until a whole sweep makes no update

Here sign(0) = +1: a row on the hyperplane is an error of the class −1, the first one, and of no other. With a margin
a > 0, rows with y w·x < a are corrected too.

References: Rosenblatt (1958), The perceptron; F. Sur, *Introduction à l'apprentissage automatique*, Mines Nancy,
2022-2023, section 9.1.1; Gallant (1990) for the pocket.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from chemin.dictionaries.base import Floats, Indices
from chemin.exceptions import InvalidInputError
from chemin.models.perceptrons.base import BinaryPerceptron, ask, with_constant
from chemin.models.perceptrons.separability import SignedRows
from chemin.models.perceptrons.sweeps import Rule

__all__ = ["RosenblattPerceptron"]

_NUMBER = int | float | np.number


class RosenblattPerceptron(BinaryPerceptron):
    """The perceptron of Rosenblatt, literally: rows in their order, one correction per error, until there is none.

    With an intercept, it stops if and only if the classes are separable by a hyperplane, after at most R²/γ² updates
    (`bound`). Which one of all separating hyperplanes it stops at depends on the order of the rows: see ``shuffle``.

    Parameters
    ----------
    margin : float, default 0.0
        a: rows with y w·x < a are corrected; on y w·x = a, those of the first class are. The updates are at most
        (R² + 2a)/γ², since ‖w‖² grows by at most R² + 2a in each (`chemin.models.perceptrons.novikoff`); its size only
        means something beside R².
    fit_intercept : bool, default True
        Append a constant column of ones to the rows, whose weight is the intercept. R and γ of the bound are then those
        of the longer rows.
    max_sweeps : int, default 200
        Sweeps over all rows after which to give up. A linear program then says whether a separator exists.
    shuffle : bool, default False
        Draw a new order of the rows for every sweep.
    strict : bool, default False
        Raise an error where rows still ask for updates after ``max_sweeps``, in place of a warning.
    random_state : int, RandomState or None
        Source of the orders.

    Attributes
    ----------
    coef_ : ndarray of shape (1, p)
        w. If rows still ask for updates after ``max_sweeps``, the weights with the fewest training errors at the end of
        a sweep (the pocket).
    intercept_ : ndarray of shape (1,)
        Weight of the constant column, 0 without it.
    n_updates_, n_sweeps_, updates_per_sweep_
        Updates made, sweeps, and updates in each of them; the last sweep made none, unless ``max_sweeps`` came first.
    separable_ : bool or None
        True if weights are known that are right on every row; False if it is proved that none have y w·x > 0 on every
        row; None if neither: there are none of a margin that rounding cannot hide, or the rows have more than two
        million entries.
    certificate_ : ndarray of shape (n,), or None
        If there is none, weights λ ≥ 0 of the rows, of sum 1, with Σ λ_i y_i x_i = 0, constant column included: a
        convex combination of the rows of one class is one of the other class.
    classes_, n_features_in_, feature_names_in_
        See `TwoClasses`.

    Examples
    --------
    >>> X = [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> conjunction = RosenblattPerceptron().fit(X, [0, 0, 0, 1])
    >>> conjunction.predict(X).tolist(), conjunction.coef_.tolist(), conjunction.intercept_.tolist()
    ([0, 0, 0, 1], [[2.0, 1.0]], [-3.0])
    >>> print(conjunction.bound(X, [0, 0, 0, 1]))
    11 updates in 6 sweeps, at most R²/γ² = 51, with R = 1.732 and γ = 0.2425, the largest margin of a unit separator
    """

    _remedy = "Add columns, use KernelPerceptron, or a model that allows errors, such as logistic regression"

    def __init__(
        self,
        *,
        margin: float = 0.0,
        fit_intercept: bool = True,
        max_sweeps: int = 200,
        shuffle: bool = False,
        strict: bool = False,
        random_state: Any = None,
    ) -> None:
        self.margin = margin
        self.fit_intercept = fit_intercept
        self.max_sweeps = max_sweeps
        self.shuffle = shuffle
        self.strict = strict
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Self:
        """Learn from rows and their classes.

        Parameters
        ----------
        X : array or DataFrame of shape (n, p)
            The rows.
        y : array of shape (n,)
            Their classes, two different ones.

        Returns
        -------
        RosenblattPerceptron
        """
        self._slack = _as_margin(self.margin)
        X, signs = self._read_training(X, y)
        codes = (signs > 0.0).astype(np.intp)
        rule = _Correction(self._signed_rows(X, codes).values, signs, self._slack)
        w = self._sweep(rule, X, codes)
        self.coef_ = w[None, : X.shape[1]]
        self.intercept_ = w[X.shape[1] :] if self.fit_intercept else np.zeros(1)
        return self

    def decision_function(self, X: Any) -> Floats:
        """Return w·x of each row, intercept included."""
        return np.asarray(self._read_new(X) @ self.coef_[0] + self.intercept_[0])

    def _signed_rows(self, X: Floats, codes: Indices) -> SignedRows:
        return SignedRows(
            np.where(codes, 1.0, -1.0)[:, None] * with_constant(X, self.fit_intercept)
        )

    def _weights_along(self, rows: SignedRows) -> Floats:
        w = self.coef_[0]
        return np.append(w, self.intercept_) if self.fit_intercept else w


class _Correction(Rule):
    """If z·w < a, or z·w = a and y = −1, then w ← w + z."""

    def __init__(self, Z: Floats, signs: Floats, margin: float) -> None:
        self.Z, self.signs, self.margin = Z, signs, margin
        self.w = np.zeros(Z.shape[1])

    def wrong(self, rows: Indices) -> NDArray[np.bool_]:
        return ask(self.Z[rows] @ self.w, self.signs[rows], self.margin)

    def update(self, row: int) -> None:
        self.w += self.Z[row]

    def errors(self) -> int:
        return int(ask(self.Z @ self.w, self.signs).sum())

    def weights(self) -> Floats:
        return self.w.copy()


def _as_margin(margin: Any) -> float:
    if isinstance(margin, bool) or not isinstance(margin, _NUMBER) or not 0.0 <= margin < np.inf:
        raise InvalidInputError(
            f"margin is {margin!r}: pass a number, 0 for Rosenblatt's rule or larger"
        )
    return float(margin)
