"""What is minimised: losses and penalties as data."""

from chemin.problems.losses import (
    LOSSES,
    Absolute,
    EpsilonInsensitive,
    Hinge,
    Loss,
    PiecewiseLinear,
    Quantile,
    as_loss,
)
from chemin.problems.problem import Problem

__all__ = [
    "LOSSES",
    "Absolute",
    "EpsilonInsensitive",
    "Hinge",
    "Loss",
    "PiecewiseLinear",
    "Problem",
    "Quantile",
    "as_loss",
]
