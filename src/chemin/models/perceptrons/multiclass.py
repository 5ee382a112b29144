"""How does a perceptron learn several classes at once? By moving two of them at every error.

    ŷ = argmax_k w_k·x, the first of equal ones;   if ŷ ≠ y then w_y ← w_y + x and w_ŷ ← w_ŷ − x

This is the rule of two classes for the rows of Kesler, which have x at class y, −x at another class k, and 0 elsewhere:
w_y·x > w_k·x says that such a row has a positive product with all weights one after the other. So the bound of Novikoff
is that of these rows, of length √2 ‖x‖.

References: Duda, Hart and Stork (2001), *Pattern classification*, section 5.12; F. Sur, *Introduction à l'apprentissage
automatique*, Mines Nancy, 2022-2023, section 9.1.2.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from chemin.dictionaries.base import Floats, Indices
from chemin.exceptions import InvalidInputError
from chemin.models.perceptrons.base import Perceptron, check_size, with_constant
from chemin.models.perceptrons.separability import LARGEST, SignedRows
from chemin.models.perceptrons.sweeps import Rule

__all__ = ["MulticlassPerceptron"]


class MulticlassPerceptron(ClassifierMixin, Perceptron):  # type: ignore[misc]
    """A perceptron of any number of classes: one vector of weights per class, the largest product wins.

    With two classes it makes the updates of `RosenblattPerceptron`, where no row ties, and its decision is twice that
    one's. Ties go to the first class here, to the second one there.

    Parameters
    ----------
    fit_intercept : bool, default True
        Append a constant column of ones to the rows, whose weights are the intercepts. R and γ of the bound are then
        those of the longer rows.
    max_sweeps : int, default 200
        Sweeps over all rows after which to give up. A linear program then says whether a separator exists.
    shuffle : bool, default False
        Draw a new order of the rows for every sweep.
    strict : bool, default False
        Raise an error where rows are still wrong after ``max_sweeps``, in place of a warning.
    random_state : int, RandomState or None
        Source of the orders.

    Attributes
    ----------
    coef_ : ndarray of shape (K, p)
        Weights of each class. If rows are still wrong after ``max_sweeps``, those with the fewest training errors at
        the end of a sweep (the pocket).
    intercept_ : ndarray of shape (K,)
        Weights of the constant column, 0 without it.
    n_updates_, n_sweeps_, updates_per_sweep_
        Updates made, sweeps, and updates in each of them; the last sweep made none, unless ``max_sweeps`` came first.
    separable_ : bool or None
        True if weights are known that are right on every row; False if it is proved that none give every row a score
        above those of all other classes; None if neither, or if the rows of Kesler have more than two million entries
        other than 0.
    certificate_ : ndarray of shape (n, K), or None
        If there are none, weights λ ≥ 0 of the rows of Kesler, of sum 1, whose sum with these weights is 0: at [i, k]
        that of row i against class k.
    classes_, n_features_in_, feature_names_in_
        The classes, sorted; columns of X, and their names if it was a DataFrame.

    Examples
    --------
    >>> model = MulticlassPerceptron().fit([[0.0], [1.0], [2.0]], ["low", "middle", "high"])
    >>> model.predict([[-1.0], [1.1], [5.0]]).tolist(), model.separable_
    (['low', 'middle', 'high'], True)
    """

    _remedy = "Add columns, or use a model that allows errors, such as logistic regression"
    _no_rows = "twice the rows, columns and other classes are more than two million entries"

    def __init__(
        self,
        *,
        fit_intercept: bool = True,
        max_sweeps: int = 200,
        shuffle: bool = False,
        strict: bool = False,
        random_state: Any = None,
    ) -> None:
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
            Their classes.

        Returns
        -------
        MulticlassPerceptron
        """
        X, y = validate_data(self, X, y, dtype=float)
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise InvalidInputError(
                f"y has one class, {self.classes_[0]!r}: pass rows of two classes or more"
            )
        check_size(X)
        rule = _Exchange(with_constant(X, self.fit_intercept), codes, len(self.classes_))
        W = self._sweep(rule, X, codes)
        if self.certificate_ is not None:
            self.certificate_ = _by_rival(self.certificate_, codes, len(self.classes_))
        self.coef_ = W[:, : X.shape[1]]
        self.intercept_ = W[:, -1] if self.fit_intercept else np.zeros(len(W))
        return self

    def decision_function(self, X: Any) -> Floats:
        """Return the score w_k·x of each row for each class; of two classes, that of the second less the first."""
        scores = self._scores(X)
        return scores[:, 1] - scores[:, 0] if len(self.classes_) == 2 else scores

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class of the largest score of each row, the first of equal ones."""
        best = self._scores(X).argmax(axis=1)
        return np.asarray(self.classes_[best])

    def _scores(self, X: Any) -> Floats:
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, dtype=float)
        return np.asarray(X @ self.coef_.T + self.intercept_)

    def _signed_rows(self, X: Floats, codes: Indices) -> SignedRows | None:
        rows, classes = with_constant(X, self.fit_intercept), len(self.classes_)
        if 2 * rows.size * (classes - 1) > LARGEST:
            return None
        return SignedRows(kesler_rows(rows, codes, classes))

    def _weights_along(self, rows: SignedRows) -> Floats:
        if not self.fit_intercept:
            return self.coef_.ravel()
        return np.column_stack([self.coef_, self.intercept_]).ravel()


class _Exchange(Rule):
    """If another class wins then w_y ← w_y + x, and less x for that class."""

    def __init__(self, X: Floats, codes: Indices, classes: int) -> None:
        self.X, self.codes = X, codes
        self.W = np.zeros((classes, X.shape[1]))

    def wrong(self, rows: Indices) -> NDArray[np.bool_]:
        return (self.X[rows] @ self.W.T).argmax(axis=1) != self.codes[rows]

    def update(self, row: int) -> None:
        x, own = self.X[row], self.codes[row]
        scores = self.W @ x
        scores[own] = -np.inf
        self.W[own] += x
        self.W[scores.argmax()] -= x

    def errors(self) -> int:
        return int(self.wrong(np.arange(len(self.X))).sum())

    def weights(self) -> Floats:
        return self.W.copy()


def kesler_rows(X: Floats, codes: Indices, classes: int) -> sparse.csr_array:
    """Return, for every row and every other class in turn, the row with x at its class and −x at the other one.

    Examples
    --------
    >>> kesler_rows(np.array([[5.0], [7.0]]), np.array([0, 2]), 3).toarray().tolist()
    [[5.0, -5.0, 0.0], [5.0, 0.0, -5.0], [-7.0, 0.0, 7.0], [0.0, -7.0, 7.0]]
    """
    d = X.shape[1]
    row, rival = _pairs(codes, classes)
    columns = np.stack([codes[row], rival], axis=1)[:, :, None] * d + np.arange(d)
    entries = np.stack([X[row], -X[row]], axis=1)
    starts = np.arange(len(row) + 1) * 2 * d
    return sparse.csr_array(
        (entries.ravel(), columns.ravel(), starts), shape=(len(row), classes * d)
    )


def _pairs(codes: Indices, classes: int) -> tuple[Indices, Indices]:
    """Return the rows and rivals of the rows of Kesler, in their order."""
    row, rival = np.nonzero(np.arange(classes) != codes[:, None])
    return row, rival


def _by_rival(weights: Floats, codes: Indices, classes: int) -> Floats:
    """Return weights of the rows of Kesler in a row for each row and a column for each rival."""
    table = np.zeros((len(codes), classes))
    table[_pairs(codes, classes)] = weights
    return table
