"""How does one predict a number by a short list of couples, each a training point and a kernel?"""

from __future__ import annotations

from typing import Any

import numpy as np

from chemin.estimators.kernel_model import KernelModel
from chemin.estimators.regression.regressor import (
    AtChosenL1,
    AtGivenL1,
    NumberMachine,
    PathRegressor,
)

_END = 1e-3  # of the first l1, below which folds are not followed unless asked to


class KernelRegressor(KernelModel, PathRegressor):
    """Regressors whose prediction is b0 + Σ B_jl k_l(x_j, x)."""

    def _read_off(self, machine: NumberMachine) -> None:
        super()._read_off(machine)
        self._read_couples()
        self.support_ = machine.rows_[np.flatnonzero(machine.dual_)]


class KernelBasisRegressor(AtGivenL1, KernelRegressor):
    """A number from few couples (training point, kernel), at one l1.

    The prediction is f(x) = b0 + Σ_j Σ_l B_jl k_l(x_j, x): every point may use kernels of its own. B minimises the loss
    + (l2/2) Σ B_jl² + l1 Σ |B_jl|, so few couples are active.

    Parameters
    ----------
    kernels, centers, standardize, scale, memory, kernel_weight, random_state
        See `KernelBasisClassifier`; centres are spread over targets above and below the median.
    l1, l2 : float, default 1.0 and 1e-3
        The penalties.
    loss, relax, relax_l2, max_events, device, verbose
        See `SparseRegressor`.

    Attributes
    ----------
    variables_, couples_ : DataFrame
        What the model consists of.
    n_terms_ : int
        Its length.
    B_ : sparse array of shape (n, m)
        Coefficients, by training point and kernel; of the scaled columns if there is a scale.
    kernels_, active_points_, indefinite_
        See `KernelBasisClassifier`.
    support_ : ndarray
        Training points with a dual value other than 0.
    intercept_, l1_, l2_, relax_, path_, dual_
        See `SparseRegressor`.

    Examples
    --------
    >>> import numpy as np
    >>> from chemin.kernels import widths
    >>> x = np.linspace(-3.0, 3.0, 60)[:, None]
    >>> model = KernelBasisRegressor(widths([0.5, 1.0, 2.0]), l1=0.1).fit(x, np.sinc(x[:, 0]))
    >>> model.B_.nnz < 12, bool(model.score(x, np.sinc(x[:, 0])) > 0.95)
    (True, True)
    """

    def __init__(
        self,
        kernels: Any = None,
        l1: float = 1.0,
        l2: float = 1e-3,
        *,
        loss: Any = "squared",
        relax: float = 1.0,
        relax_l2: float | None = None,
        centers: Any = "auto",
        standardize: Any = "auto",
        scale: Any = "auto",
        memory: float = 1.0,
        kernel_weight: Any = None,
        max_events: int | None = None,
        device: str = "cpu",
        random_state: Any = None,
        verbose: bool = False,
    ) -> None:
        self.kernels = kernels
        self.l1 = l1
        self.l2 = l2
        self.loss = loss
        self.relax = relax
        self.relax_l2 = relax_l2
        self.centers = centers
        self.standardize = standardize
        self.scale = scale
        self.memory = memory
        self.kernel_weight = kernel_weight
        self.max_events = max_events
        self.device = device
        self.random_state = random_state
        self.verbose = verbose


class KernelBasisRegressorCV(AtChosenL1, KernelRegressor):
    """A number from the fewest variables and couples (training point, kernel) that predict as well as the best.

    Parameters
    ----------
    kernels, centers, standardize, scale, memory, kernel_weight
        See `KernelBasisClassifier`.
    l2 : float, default 1e-3
        Ridge parameter.
    rule, relax : str and share of l1, default "fewest" and "auto"
        See `SparseRegressorCV`. The path chooses columns, and they are solved for again without their L1 penalty.
        ``rule="best", relax=None`` is the l1 of smallest loss over *all* l1, with more columns.
    loss, cv, relax_l2, min_l1, min_ratio, random_state, n_jobs, max_events, device, verbose
        See `SparseRegressorCV`.

    Attributes
    ----------
    cv_results_
        See `SparseRegressorCV`.
    variables_, couples_, n_terms_, B_, kernels_, active_points_, indefinite_, support_, intercept_, l1_, l2_, path_
        See `KernelBasisRegressor`.

    Examples
    --------
    >>> from sklearn.datasets import make_friedman1
    >>> X, y = make_friedman1(150, n_features=5, random_state=0)
    >>> model = KernelBasisRegressorCV().fit(X[:100], y[:100])
    >>> model.n_terms_ < 60, bool(model.score(X[100:], y[100:]) > 0.7)
    (True, True)
    """

    def __init__(
        self,
        kernels: Any = None,
        l2: float = 1e-3,
        *,
        loss: Any = "squared",
        cv: Any = 5,
        rule: str = "fewest",
        relax: Any = "auto",
        relax_l2: float | None = None,
        min_l1: float = 0.0,
        min_ratio: float = _END,
        centers: Any = "auto",
        standardize: Any = "auto",
        scale: Any = "auto",
        memory: float = 1.0,
        kernel_weight: Any = None,
        max_events: int | None = None,
        device: str = "cpu",
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> None:
        self.kernels = kernels
        self.l2 = l2
        self.loss = loss
        self.cv = cv
        self.rule = rule
        self.relax = relax
        self.relax_l2 = relax_l2
        self.min_l1 = min_l1
        self.min_ratio = min_ratio
        self.centers = centers
        self.standardize = standardize
        self.scale = scale
        self.memory = memory
        self.kernel_weight = kernel_weight
        self.max_events = max_events
        self.device = device
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
