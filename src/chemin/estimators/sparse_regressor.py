"""How does one predict a number from few variables? A piecewise-linear loss, L1 and L2, at one l1 of its exact path."""

from __future__ import annotations

import numbers
import warnings
from abc import abstractmethod
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import KFold, check_cv
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from chemin.dictionaries.base import Floats
from chemin.engine.entry import path
from chemin.engine.result import Path
from chemin.estimators.basis import ScaledVariables, Variables
from chemin.estimators.regression_choice import HeldOutTargets, choose_target_l1
from chemin.exceptions import EmptyModelWarning, InvalidInputError
from chemin.problems.losses import Loss, as_loss
from chemin.progress import Bar
from chemin.validation import check_min_l1, check_min_ratio

_RULES = ("best", "1se")
_END = 1e-3  # of the first l1, below which folds are not followed unless asked to


class PathRegressor(RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """Fitting and predicting; an estimator adds its parameters and where l1 comes from."""

    loss: Any
    standardize: bool
    l1_weight: Any
    max_events: int | None
    device: str
    verbose: bool

    @abstractmethod
    def _penalties(self, X: Any, y: Floats, weight: Floats, loss: Loss) -> tuple[float, float]:
        """Return l1 and l2."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Follow the path down to l1.

        Parameters
        ----------
        X : array, SciPy sparse array or DataFrame of shape (n, p)
            The variables.
        y : array of shape (n,)
            The numbers to predict.
        sample_weight : array of shape (n,), optional
            Weights of the points; a weight of 2 is the point twice, exactly.

        Returns
        -------
        self
        """
        loss = as_loss(self.loss)
        if loss.takes_labels:
            raise InvalidInputError(
                f"loss={self.loss!r} is for classes: pass 'absolute', 'quantile' or 'epsilon_insensitive', or use "
                "SparseSVC"
            )
        _check_numeric(y, type(self).__name__)
        X, y = validate_data(
            self, X, y, accept_sparse="csr", dtype=np.float64, y_numeric=True, ensure_min_samples=2
        )
        y = np.asarray(y, dtype=np.float64)
        weight = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        if not np.any(weight > 0):
            raise InvalidInputError(
                "every weight is zero: give some points a positive sample_weight"
            )
        counted = y[weight > 0]
        if np.ptp(counted) == 0.0:
            warnings.warn(
                f"y is {counted[0]:.6g} throughout, so the model is that number: check the target",
                EmptyModelWarning,
                stacklevel=2,
            )
        asked, self.l2_ = self._penalties(X, y, weight, loss)
        bar = Bar("path", 1, self.verbose)
        ((columns, self.path_),) = bar.over(
            self._follow(X, y, weight, l2, loss, asked) for l2 in [self.l2_]
        )
        self.l1_ = max(asked, float(self.path_.l1[-1]))
        if self.l1_ > asked and np.ptp(counted) > 0.0:
            warnings.warn(
                f"{self.path_.status} The model is that of l1 = {self.l1_:.6g}, not {asked:.6g}.",
                ConvergenceWarning,
                stacklevel=2,
            )
        self.coef_ = columns.in_units(self.path_.coef_at(self.l1_))
        self.intercept_ = float(self.path_.intercept_at(self.l1_))
        self.dual_ = self.path_.dual_at(self.l1_)
        self.support_ = np.flatnonzero(self.coef_)
        self.n_iter_ = len(self.path_.events)
        return self

    def predict(self, X: Any) -> Floats:
        """Return b0 + x·b for every point."""
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, accept_sparse="csr", dtype=np.float64)
        return np.asarray(X @ self.coef_ + self.intercept_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _follow(
        self,
        X: Any,
        y: Floats,
        weight: Floats,
        l2: float,
        loss: Loss,
        min_l1: float,
        min_ratio: float = 0.0,
    ) -> tuple[ScaledVariables, Path]:
        """Return the columns that the points with weight determine, and the path on them."""
        names: NDArray[Any] | None = getattr(self, "feature_names_in_", None)
        kept = np.flatnonzero(weight > 0)
        X, y, weight = X[kept], y[kept], weight[kept]
        columns = Variables(bool(self.standardize), self.l1_weight, names).learn(X, y > 0, weight)
        return columns, path(
            columns.of(X),
            y,
            loss=loss,
            l2=l2,
            min_l1=min_l1,
            min_ratio=min_ratio,
            sample_weight=weight,
            l1_weight=columns.l1_weight,
            max_events=self.max_events,
            device=self.device,
        )


class SparseRegressor(PathRegressor):
    """A number from few variables, at one l1, read off the exact path.

    Minimises Σ w_i ℓ(y_i, b0 + x_i·b) + (l2/2) ‖b‖₂² + l1 Σ v_j |b_j|.

    Parameters
    ----------
    l1, l2 : float, default 1.0
        The penalties.
    loss : {"absolute", "quantile", "epsilon_insensitive"} or Loss, default "absolute"
        What a wrong prediction costs: the distance, so that the conditional median is predicted; ``Quantile(0.9)`` for
        another quantile; ``EpsilonInsensitive(0.5)``, which forgives what is within 0.5.
    standardize : bool, default False
        Penalise columns in units of their standard deviation; coefficients are given in the user's units.
    l1_weight : array of shape (p,), optional
        Weights of the variables in the L1 norm; 0 means never penalised by it.
    max_events : int, optional
        Give up the path after so many events; the last l1 reached is then used.
    device : str, default "cpu"
        Where the columns live while a path is followed, as for `chemin.path`.
    verbose : bool, default False
        Show a bar of finished paths.

    Attributes
    ----------
    coef_, intercept_ : ndarray of shape (p,), float
        In the user's units.
    support_ : ndarray
        The variables with a non-zero coefficient.
    dual_ : ndarray
        Dual values of the points that have weight.
    l1_, l2_ : float
        The penalties in use.
    path_ : Path
        What was followed.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = SparseRegressor(l1=50.0, standardize=True).fit(X, y)
    >>> model.support_.tolist()
    [1, 2, 3, 6, 8]
    """

    def __init__(
        self,
        l1: float = 1.0,
        l2: float = 1.0,
        *,
        loss: Any = "absolute",
        standardize: bool = False,
        l1_weight: Any = None,
        max_events: int | None = None,
        device: str = "cpu",
        verbose: bool = False,
    ) -> None:
        self.l1 = l1
        self.l2 = l2
        self.loss = loss
        self.standardize = standardize
        self.l1_weight = l1_weight
        self.max_events = max_events
        self.device = device
        self.verbose = verbose

    def _penalties(self, X: Any, y: Floats, weight: Floats, loss: Loss) -> tuple[float, float]:
        if not isinstance(self.l1, numbers.Real) or not 0 <= self.l1 < np.inf:
            raise InvalidInputError(
                f"l1 is {self.l1!r}: pass a number ≥ 0, or let {type(self).__name__}CV choose it"
            )
        return float(self.l1), self.l2


class SparseRegressorCV(PathRegressor):
    """A number from few variables, with the l1 of smallest cross-validated loss over *all* l1, not over a grid.

    Parameters
    ----------
    l2 : float, default 1.0
        Ridge parameter.
    loss, standardize, l1_weight, max_events, device, verbose
        See `SparseRegressor`. The loss also judges the points held out.
    cv : int or splitter, default 5
        The folds.
    rule : {"best", "1se"}, default "best"
        The smallest loss, or the largest l1 within one standard error of it.
    min_l1, min_ratio : float, default 0.0 and 1e-3
        How far the folds are followed: to `min_l1`, or to this share of the first l1 of all points.
    random_state : int, optional
        Shuffles the folds.
    n_jobs : int, optional
        Folds followed at the same time.

    Attributes
    ----------
    cv_results_ : dict
        The chosen ``l1``, its mean loss ``error`` and the ``standard_error``; ``curve`` has the mean loss and that of
        every fold at the breakpoints of all of them.
    coef_, intercept_, support_, dual_, l1_, l2_, path_
        See `SparseRegressor`.

    Examples
    --------
    Nine of ten people are to be below the prediction:

    >>> from sklearn.datasets import load_diabetes
    >>> from chemin.problems import Quantile
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = SparseRegressorCV(loss=Quantile(0.9), standardize=True).fit(X, y)
    >>> bool(0.87 < (y <= model.predict(X)).mean() < 0.93), len(model.support_)
    (True, 10)
    """

    def __init__(
        self,
        l2: float = 1.0,
        *,
        loss: Any = "absolute",
        cv: Any = 5,
        rule: str = "best",
        min_l1: float = 0.0,
        min_ratio: float = _END,
        standardize: bool = False,
        l1_weight: Any = None,
        max_events: int | None = None,
        device: str = "cpu",
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> None:
        self.l2 = l2
        self.loss = loss
        self.cv = cv
        self.rule = rule
        self.min_l1 = min_l1
        self.min_ratio = min_ratio
        self.standardize = standardize
        self.l1_weight = l1_weight
        self.max_events = max_events
        self.device = device
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _penalties(self, X: Any, y: Floats, weight: Floats, loss: Loss) -> tuple[float, float]:
        if self.rule not in _RULES:
            raise InvalidInputError(f"rule is {self.rule!r}: pass 'best' or '1se'")
        end = self._end(X, y, weight, loss)
        splits = self._splits(X, y, np.flatnonzero(weight > 0))
        bar = Bar("paths of the folds", len(splits), self.verbose)
        work = Parallel(n_jobs=self.n_jobs, return_as="generator")(
            delayed(self._hold_out)(X, y, weight, loss, train, test, end) for train, test in splits
        )
        parts = [part for part in bar.over(work) if part.total > 0.0]
        if not parts:
            raise InvalidInputError(
                "no fold holds out a point that has weight: pass other splits as cv"
            )
        choice = choose_target_l1(parts, self.rule)
        self.cv_results_ = {
            "l1": choice.l1,
            "error": choice.error,
            "standard_error": choice.standard_error,
            "curve": choice.curve,
        }
        return choice.l1, self.l2

    def _end(self, X: Any, y: Floats, weight: Floats, loss: Loss) -> float:
        """Return the l1 to which the folds are followed."""
        least = check_min_l1(self.min_l1)
        share = check_min_ratio(self.min_ratio)
        if share == 0.0:
            return least
        _, first = self._follow(X, y, weight, self.l2, loss, 0.0, min_ratio=1.0)
        return max(least, share * float(first.l1[0]))

    def _splits(
        self, X: Any, y: Floats, kept: NDArray[np.intp]
    ) -> list[tuple[NDArray[np.intp], NDArray[np.intp]]]:
        """Return rows to train on and rows held out; a number means so many folds of the points that have weight."""
        if not isinstance(self.cv, int | np.integer):
            return list(check_cv(self.cv).split(X, y))
        shuffled: dict[str, Any] = {}
        if self.random_state is not None:
            shuffled = {"shuffle": True, "random_state": self.random_state}
        if len(kept) < self.cv:
            raise InvalidInputError(
                f"{len(kept)} points cannot be cut into {self.cv} folds: pass a smaller cv"
            )
        folds = KFold(int(self.cv), **shuffled).split(kept)
        return [(kept[train], kept[test]) for train, test in folds]

    def _hold_out(
        self,
        X: Any,
        y: Floats,
        weight: Floats,
        loss: Loss,
        train: NDArray[np.intp],
        test: NDArray[np.intp],
        end: float,
    ) -> HeldOutTargets:
        """Follow the path of one training part, and keep what it predicts for the points left out."""
        columns, found = self._follow(X[train], y[train], weight[train], self.l2, loss, end)
        table = loss.table(y[test], weight[test])
        return HeldOutTargets(found.pieces(), columns.of(X[test]), table, float(weight[test].sum()))


def _check_numeric(y: Any, name: str) -> None:
    """Raise if the target is text: classes want a classifier."""
    kind = np.asarray(y).dtype.kind if y is not None else "f"
    if kind in "USO" and any(isinstance(value, str) for value in np.ravel(np.asarray(y))):
        raise InvalidInputError(
            f"y holds text, and {name} predicts numbers: use SparseSVC for classes, or convert y to numbers"
        )
