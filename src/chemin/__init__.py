"""Chemin: from data to knowledge, by the exact and certified path of a sparse SVM."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from chemin.engine.budget import Estimate, estimate_path
from chemin.engine.direct import Solution, solve
from chemin.engine.entry import path, svm_path
from chemin.engine.groups import GroupedPath, GroupedSolutions, grouped_path, solve_groups
from chemin.engine.plane.limits import L2Limits, SameEvents, l2_limits, same_events
from chemin.engine.plane.loss import LossPath, loss_path
from chemin.engine.plane.norm import NormView, by_norm
from chemin.engine.plane.ray import RayPath, ray_path
from chemin.engine.plane.surface import Surface, svm_surface
from chemin.engine.proof.certificate import Certificate, certify
from chemin.engine.relaxed import RelaxedPath, relaxed_path
from chemin.engine.result import Path
from chemin.engine.stationary import StationaryPath, stationary_path

if TYPE_CHECKING:
    from chemin import evaluate as evaluate
    from chemin import exploration as exploration
    from chemin import interpret as interpret
    from chemin import models as models
    from chemin import plots as plots
    from chemin.estimators import (
        Centers,
        IntervalRegressor,
        KernelBasisClassifier,
        KernelBasisClassifierCV,
        KernelBasisRegressor,
        KernelBasisRegressorCV,
        SparseRegressor,
        SparseRegressorCV,
        SparseSVC,
        SparseSVCCV,
        Stability,
        stability,
    )
    from chemin.exploration import explore
    from chemin.models.comparison import compare
    from chemin.persistence import load, save
    from chemin.tables import Prepare, Table, read

__all__ = [
    "Centers",
    "Certificate",
    "Estimate",
    "GroupedPath",
    "GroupedSolutions",
    "IntervalRegressor",
    "KernelBasisClassifier",
    "KernelBasisClassifierCV",
    "KernelBasisRegressor",
    "KernelBasisRegressorCV",
    "L2Limits",
    "LossPath",
    "NormView",
    "Path",
    "Prepare",
    "RayPath",
    "RelaxedPath",
    "SameEvents",
    "Solution",
    "SparseRegressor",
    "SparseRegressorCV",
    "SparseSVC",
    "SparseSVCCV",
    "Stability",
    "StationaryPath",
    "Surface",
    "Table",
    "by_norm",
    "certify",
    "compare",
    "estimate_path",
    "explore",
    "grouped_path",
    "l2_limits",
    "load",
    "loss_path",
    "path",
    "ray_path",
    "read",
    "relaxed_path",
    "same_events",
    "save",
    "solve",
    "solve_groups",
    "stability",
    "stationary_path",
    "svm_path",
    "svm_surface",
]
__version__ = "0.2.0"

_ROOMS = {
    "Prepare": "chemin.tables",
    "Table": "chemin.tables",
    "compare": "chemin.models.comparison",
    "explore": "chemin.exploration",
    "load": "chemin.persistence",
    "read": "chemin.tables",
    "save": "chemin.persistence",
}
_MODULES = (
    "evaluate",
    "exploration",
    "interpret",
    "models",
    "plots",
)  # imported when first asked for, not by a star


def __getattr__(name: str) -> Any:
    # The estimators bring all of scikit-learn with them: they are imported when first asked for.
    if name in _MODULES:
        return import_module(f"chemin.{name}")
    if name not in __all__:
        raise AttributeError(f"module 'chemin' has no attribute {name!r}")
    return getattr(import_module(_ROOMS.get(name, "chemin.estimators")), name)


def __dir__() -> list[str]:
    return [*__all__, *_MODULES]
