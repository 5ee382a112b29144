"""Numbers rather than classes: regressors of any loss on variables or couples, and intervals."""

from chemin.estimators.regression.interval_regressor import IntervalRegressor
from chemin.estimators.regression.kernel_basis_regressor import (
    KernelBasisRegressor,
    KernelBasisRegressorCV,
)
from chemin.estimators.regression.sparse_regressor import SparseRegressor, SparseRegressorCV

__all__ = [
    "IntervalRegressor",
    "KernelBasisRegressor",
    "KernelBasisRegressorCV",
    "SparseRegressor",
    "SparseRegressorCV",
]
