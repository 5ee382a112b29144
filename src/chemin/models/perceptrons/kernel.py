"""What does the perceptron learn where only similarities of rows are known? How often each row was an error.

    f(x) = Σ_i α_i y_i k(x_i, x);   for each row in turn, if sign(f(x_j)) ≠ y_j then α_j ← α_j + 1

with sign(0) = +1. This is Rosenblatt's rule for the rows φ(x_i) of the feature space of k, with w = Σ α_i y_i φ(x_i); a
constant 1 added to k is a constant column there. Updates are at most R²/γ², with R² = max k(x_i, x_i) and γ the largest
margin of a unit w.

References: Aizerman, Braverman and Rozonoer (1964); F. Sur, *Introduction à l'apprentissage automatique*, Mines Nancy,
2022-2023, section 8.6.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh

from chemin.dictionaries.base import Floats, Indices
from chemin.kernels import Gaussian, Kernel, as_kernel, median_heuristic
from chemin.models.perceptrons.base import BinaryPerceptron, ask
from chemin.models.perceptrons.separability import SignedRows, Verdict
from chemin.models.perceptrons.sweeps import Rule

__all__ = ["KernelPerceptron"]

_MOST = 3000  # rows whose matrix is decomposed, for its margin, in some seconds
_NEGATIVE = 1e-10  # an eigenvalue below minus this, relative to the largest, is no rounding
_GAP = 1e4  # between eigenvalues that count and rounding, where a matrix clearly has a rank


class KernelPerceptron(BinaryPerceptron):
    """Rosenblatt's perceptron in the feature space of a kernel.

    With `chemin.kernels.Linear` it makes the updates of `RosenblattPerceptron`. It keeps the rows that were errors, and
    the columns of the kernel matrix at these while it learns.

    Parameters
    ----------
    kernel : kernel, name or function, optional
        A kernel of `chemin.kernels`, a name of scikit-learn's such as "rbf", or a function (X, Z) → matrix. None is a
        `Gaussian` whose width is the median distance of the rows.
    fit_intercept : bool, default True
        Add a constant 1 to the kernel. R and γ of the bound are then those of the longer rows.
    max_sweeps : int, default 200
        Sweeps over all rows after which to give up. A linear program then says whether a separator exists.
    shuffle : bool, default False
        Draw a new order of the rows for every sweep.
    strict : bool, default False
        Raise an error where rows still ask for updates after ``max_sweeps``, in place of a warning.
    random_state : int, RandomState or None
        Source of the orders, and of the rows whose median distance is computed if there are more than a thousand.

    Attributes
    ----------
    kernel_ : Kernel
        The kernel, without the constant.
    support_ : ndarray of shape (m,)
        Rows with α_i > 0, those that were errors.
    support_vectors_ : ndarray of shape (m, p)
        These rows.
    dual_coef_ : ndarray of shape (1, m)
        Their α_i y_i. If rows still ask for updates after ``max_sweeps``, those of the fewest training errors at the
        end of a sweep (the pocket).
    intercept_ : ndarray of shape (1,)
        Σ α_i y_i, which the constant gives; 0 without it.
    n_updates_, n_sweeps_, updates_per_sweep_
        Updates made, sweeps, and updates in each of them; the last sweep made none, unless ``max_sweeps`` came first.
    separable_ : bool or None
        True if a separator in the feature space is known, False if it is proved that there is none, None if neither:
        there is none of a margin that rounding of the matrix cannot hide, as with most Gaussians of a large width, or
        the kernel is not positive, or there are more than 3000 rows.
    certificate_ : ndarray of shape (n,), or None
        If there is none, weights λ ≥ 0 of the rows, of sum 1, with Σ λ_i y_i φ(x_i) = 0.
    classes_, n_features_in_, feature_names_in_
        See `TwoClasses`.

    Examples
    --------
    >>> from chemin.kernels import Polynomial
    >>> X, either = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
    >>> model = KernelPerceptron(Polynomial(degree=2)).fit(X, either)
    >>> model.predict(X).tolist(), model.dual_coef_.tolist()
    ([0, 1, 1, 0], [[-7.0, 5.0, 5.0, -4.0]])
    """

    _remedy = "Use another kernel, or a model that allows errors, such as a support vector machine"
    _no_rows = f"the kernel is not positive, or there are more than {_MOST} of them"

    def __init__(
        self,
        kernel: Any = None,
        *,
        fit_intercept: bool = True,
        max_sweeps: int = 200,
        shuffle: bool = False,
        strict: bool = False,
        random_state: Any = None,
    ) -> None:
        self.kernel = kernel
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
        KernelPerceptron
        """
        X, signs = self._read_training(X, y)
        self.kernel_ = self._kernel(X)
        rule = _Count(X, signs, self.kernel_, float(bool(self.fit_intercept)))
        counts = self._sweep(rule, X, (signs > 0.0).astype(np.intp))
        self.support_ = np.flatnonzero(counts)
        self.support_vectors_ = X[self.support_]
        self.dual_coef_ = (counts * signs)[None, self.support_]
        self.intercept_ = self.dual_coef_.sum(axis=1) * bool(self.fit_intercept)
        return self

    def decision_function(self, X: Any) -> Floats:
        """Return f(x) of each row."""
        X = self._read_new(X)
        alike = self.kernel_(X, self.support_vectors_)
        return np.asarray(alike @ self.dual_coef_[0] + self.intercept_[0])

    def _kernel(self, X: Floats) -> Kernel:
        if self.kernel is None:
            return Gaussian(median_heuristic(X, random_state=self.random_state))
        kernel = as_kernel(self.kernel)
        names = getattr(self, "feature_names_in_", None)
        return kernel if names is None else kernel.bind(list(names))

    def _decide(self, X: Floats, codes: Indices) -> Verdict:
        twins = _opposed_twins(X, codes)
        return super()._decide(X, codes) if twins is None else Verdict(False, twins)

    def _signed_rows(self, X: Floats, codes: Indices) -> SignedRows | None:
        """Return rows with the products K = V diag(v) Vᵀ: those of V diag(√v), where v is not rounding."""
        if len(X) > _MOST:
            return None
        K = self.kernel_(X, X) + float(bool(self.fit_intercept))
        v, V = eigh((K + K.T) / 2.0)
        largest = float(np.abs(v).max())
        if v[0] < -_NEGATIVE * largest or np.abs(K - K.T).max() > _NEGATIVE * largest:
            return None
        rounding = len(X) * np.finfo(float).eps * largest
        kept = v > rounding
        kept[-1] = True
        rows = np.where(codes, 1.0, -1.0)[:, None] * V[:, kept] * np.sqrt(v[kept])
        complete = not np.any(kept & (v < _GAP * rounding))
        return SignedRows(rows, float(np.sqrt(rounding)), complete)

    def _weights_along(self, rows: SignedRows) -> Floats:
        return np.asarray(rows.values[self.support_].T @ np.abs(self.dual_coef_[0]))


class _Count(Rule):
    """If sign(f(x_j)) ≠ y_j then α_j ← α_j + 1, and f ← f + y_j k(x_j, ·) on all rows."""

    def __init__(self, X: Floats, signs: Floats, kernel: Kernel, constant: float) -> None:
        self.X, self.signs, self.kernel, self.constant = X, signs, kernel, constant
        self.f = np.zeros(len(X))
        self.counts = np.zeros(len(X))
        self.columns: dict[int, Floats] = {}

    def wrong(self, rows: Indices) -> NDArray[np.bool_]:
        return ask(self.signs[rows] * self.f[rows], self.signs[rows])

    def update(self, row: int) -> None:
        if row not in self.columns:
            alike = self.kernel(self.X, self.X[row : row + 1])[:, 0]
            self.columns[row] = self.signs[row] * (alike + self.constant)
        self.f += self.columns[row]
        self.counts[row] += 1.0

    def errors(self) -> int:
        return int(ask(self.signs * self.f, self.signs).sum())

    def weights(self) -> Floats:
        return self.counts.copy()


def _opposed_twins(X: Floats, codes: Indices) -> Floats | None:
    """Return half the weight on each of two equal rows of different classes, which no kernel can tell apart."""
    group = np.unique(X, axis=0, return_inverse=True)[1].ravel()
    sides = [np.bincount(group[codes == side], minlength=len(X)) > 0 for side in (0, 1)]
    both = np.flatnonzero(sides[0] & sides[1])
    if not len(both):
        return None
    weights = np.zeros(len(X))
    for side in (0, 1):
        weights[np.flatnonzero((group == both[0]) & (codes == side))[0]] = 0.5
    return weights
