"""The models that can be compared, each with what it assumes, what it costs and how it explains itself."""

from chemin.models.model import Model
from chemin.models.registry import (
    MODELS,
    baselines,
    find,
    frame,
    guide,
    names,
    order_of_simplicity,
    pick,
)

__all__ = [
    "MODELS",
    "Model",
    "baselines",
    "find",
    "frame",
    "guide",
    "names",
    "order_of_simplicity",
    "pick",
]
