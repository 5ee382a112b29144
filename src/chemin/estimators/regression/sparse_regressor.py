"""How does one predict a number from few variables? A loss, L1 and L2, at one l1 of its exact path."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from chemin.estimators.basis import Basis, Variables
from chemin.estimators.regression.regressor import AtChosenL1, AtGivenL1, PathRegressor

_END = 1e-3  # of the first l1, below which folds are not followed unless asked to


class LinearRegressor(PathRegressor):
    """Regressors that are linear in the variables."""

    standardize: bool
    l1_weight: Any

    def _basis(self, names: NDArray[Any] | None) -> Basis:
        return Variables(bool(self.standardize), self.l1_weight, names)


class SparseRegressor(AtGivenL1, LinearRegressor):
    """A number from few variables, at one l1, read off the exact path.

    Minimises Σ w_i ℓ(y_i, b0 + x_i·b) + (l2/2) ‖b‖₂² + l1 Σ v_j |b_j|.

    Parameters
    ----------
    l1, l2 : float, default 1.0
        The penalties.
    loss : str or Loss, default "squared"
        What a wrong prediction costs. ``"squared"`` is half the square of the distance: the mean is predicted, and the
        path is that of the Lasso, or of the elastic net. ``"huber"``, or ``Huber(δ)``: no outlier pulls more than δ.
        ``"absolute"`` is the distance: the median. ``Quantile(0.9)`` predicts another quantile.
        ``EpsilonInsensitive(0.5)`` forgives what is within 0.5. The objects are in `chemin.problems`.
    penalty : str or Penalty, default "l1"
        What a coefficient costs beside its ridge: ``"l1"``; ``"nonnegative"``, or ``L1(sign=…)`` for coefficients of
        given signs; ``"mcp"``, ``"scad"``, or ``MCP(γ)``, ``SCAD(a)``, which do not shrink what is large. With `l2` it
        must be convex, as for `chemin.path`.
    relax : float, default 1.0
        A share φ of l1: the variables are those of l1, the coefficients those of φ l1 on them. 1 is the path itself,
        0 has no L1 penalty on them; see `chemin.relaxed_path`.
    relax_l2 : float, optional
        The ridge of the relaxed solution, if not `l2`.
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
    l1_, l2_, relax_ : float
        The penalties in use, and the share of l1.
    variables_ : DataFrame
        What the model consists of; `explain`, `history` and `summary` tell more.
    path_ : Path
        What was followed.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = SparseRegressor(l1=2000.0, standardize=True).fit(X, y)
    >>> model.support_.tolist()
    [1, 2, 3, 6, 8]
    """

    def __init__(
        self,
        l1: float = 1.0,
        l2: float = 1.0,
        *,
        loss: Any = "squared",
        penalty: Any = "l1",
        relax: float = 1.0,
        relax_l2: float | None = None,
        standardize: bool = False,
        l1_weight: Any = None,
        max_events: int | None = None,
        device: str = "cpu",
        verbose: bool = False,
    ) -> None:
        self.l1 = l1
        self.l2 = l2
        self.loss = loss
        self.penalty = penalty
        self.relax = relax
        self.relax_l2 = relax_l2
        self.standardize = standardize
        self.l1_weight = l1_weight
        self.max_events = max_events
        self.device = device
        self.verbose = verbose


class SparseRegressorCV(AtChosenL1, LinearRegressor):
    """A number from few variables, with the l1 of smallest cross-validated loss over *all* l1, not over a grid.

    Parameters
    ----------
    l2 : float, default 1.0
        Ridge parameter.
    loss, penalty, standardize, l1_weight, max_events, device, verbose
        See `SparseRegressor`. The loss also judges the points held out.
    cv : int or splitter, default 5
        The folds.
    rule : {"best", "1se", "fewest"}, default "best"
        The smallest loss, the largest l1 within one standard error of it, or the fewest variables whose loss differs
        from the smallest by no more than the standard error of that difference.
    relax : float, list of float or "auto", optional
        Shares φ of l1 that compete with the path itself; ``"auto"`` is 0 alone. See `SparseRegressor`.
    relax_l2 : float, optional
        The ridge of relaxed solutions, if not `l2`.
    min_l1, min_ratio : float, default 0.0 and 1e-3
        How far the folds are followed: to `min_l1`, or to this share of the first l1 of all points.
    random_state : int, optional
        Shuffles the folds.
    n_jobs : int, optional
        Folds followed at the same time.

    Attributes
    ----------
    cv_results_ : dict
        Lists of one entry: the chosen ``l1`` and ``relax``, the mean loss ``error``, its ``standard_error`` and the
        ``size`` (columns, mean over the folds); the ``curve`` of the path at the breakpoints of all folds, and the
        candidates of φ < 1 in ``relaxed``.
    coef_, intercept_, support_, dual_, l1_, l2_, relax_, path_
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
        loss: Any = "squared",
        penalty: Any = "l1",
        cv: Any = 5,
        rule: str = "best",
        relax: Any = None,
        relax_l2: float | None = None,
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
        self.penalty = penalty
        self.cv = cv
        self.rule = rule
        self.relax = relax
        self.relax_l2 = relax_l2
        self.min_l1 = min_l1
        self.min_ratio = min_ratio
        self.standardize = standardize
        self.l1_weight = l1_weight
        self.max_events = max_events
        self.device = device
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
