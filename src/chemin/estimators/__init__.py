"""The scikit-learn face: fit, predict, choose."""

from chemin.estimators.centers import Centers
from chemin.estimators.kernel_basis_classifier import KernelBasisClassifier, KernelBasisClassifierCV
from chemin.estimators.regression import (
    IntervalRegressor,
    KernelBasisRegressor,
    KernelBasisRegressorCV,
    SparseRegressor,
    SparseRegressorCV,
)
from chemin.estimators.selection import Stability, stability
from chemin.estimators.sparse_svc import SparseSVC
from chemin.estimators.sparse_svc_cv import SparseSVCCV

__all__ = [
    "Centers",
    "IntervalRegressor",
    "KernelBasisClassifier",
    "KernelBasisClassifierCV",
    "KernelBasisRegressor",
    "KernelBasisRegressorCV",
    "SparseRegressor",
    "SparseRegressorCV",
    "SparseSVC",
    "SparseSVCCV",
    "Stability",
    "stability",
]
