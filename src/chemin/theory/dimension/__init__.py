"""What do many variables do to distances, volumes and errors? The curse of dimension."""

from chemin.theory.dimension.hughes import Hughes, hughes, trunk_bayes_error, trunk_error
from chemin.theory.dimension.volumes import (
    DistanceConcentration,
    EmptySpace,
    ball_volume,
    distance_concentration,
    empty_space,
)

__all__ = [
    "DistanceConcentration",
    "EmptySpace",
    "Hughes",
    "ball_volume",
    "distance_concentration",
    "empty_space",
    "hughes",
    "trunk_bayes_error",
    "trunk_error",
]
