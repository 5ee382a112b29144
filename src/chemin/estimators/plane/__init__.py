"""Which (l1, l2) predicts best? Surfaces of the folds, their errors, and where the mean of these is least."""

from chemin.estimators.plane.held_out import lowest_l1, region_of, steps_of
from chemin.estimators.plane.region import BestRegion
from chemin.estimators.plane.search import best_region
from chemin.estimators.plane.steps import Steps

__all__ = ["BestRegion", "Steps", "best_region", "lowest_l1", "region_of", "steps_of"]
