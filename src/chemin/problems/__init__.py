"""What is minimised: losses and penalties as data."""

from chemin.problems.losses import (
    LOSSES,
    Absolute,
    EpsilonInsensitive,
    Hinge,
    Huber,
    HuberizedHinge,
    Loss,
    PiecewiseQuadratic,
    Quantile,
    Squared,
    SquaredHinge,
    as_loss,
)
from chemin.problems.problem import Problem

__all__ = [
    "LOSSES",
    "Absolute",
    "EpsilonInsensitive",
    "Hinge",
    "Huber",
    "HuberizedHinge",
    "Loss",
    "PiecewiseQuadratic",
    "Problem",
    "Quantile",
    "Squared",
    "SquaredHinge",
    "as_loss",
]
