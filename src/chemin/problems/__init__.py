"""What is minimised: losses and penalties as data."""

from chemin.problems.hierarchies import Hierarchy
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
from chemin.problems.penalties import (
    L1,
    MCP,
    PENALTIES,
    SCAD,
    NonNegative,
    Penalty,
    PiecewisePenalty,
    as_penalty,
)
from chemin.problems.problem import Problem

__all__ = [
    "L1",
    "LOSSES",
    "MCP",
    "PENALTIES",
    "SCAD",
    "Absolute",
    "EpsilonInsensitive",
    "Hierarchy",
    "Hinge",
    "Huber",
    "HuberizedHinge",
    "Loss",
    "NonNegative",
    "Penalty",
    "PiecewisePenalty",
    "PiecewiseQuadratic",
    "Problem",
    "Quantile",
    "Squared",
    "SquaredHinge",
    "as_loss",
    "as_penalty",
]
