"""The scikit-learn face: fit, predict, choose."""

from chemin.estimators.sparse_svc import SparseSVC
from chemin.estimators.sparse_svc_cv import SparseSVCCV
from chemin.estimators.stability import Stability, stability

__all__ = ["SparseSVC", "SparseSVCCV", "Stability", "stability"]
