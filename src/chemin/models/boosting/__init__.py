"""What do weak learners add up to? One descent, F ← F + α h, with three faces."""

from chemin.models.boosting.adaboost import AdaBoost
from chemin.models.boosting.functional import (
    FunctionalBoostingClassifier,
    FunctionalBoostingRegressor,
)
from chemin.models.boosting.history import BoostingHistory, VoteBound
from chemin.models.boosting.logitboost import LogitBoost
from chemin.models.boosting.losses import (
    NUMBER_LOSSES,
    Huber,
    Quantile,
)

__all__ = [
    "NUMBER_LOSSES",
    "AdaBoost",
    "BoostingHistory",
    "FunctionalBoostingClassifier",
    "FunctionalBoostingRegressor",
    "Huber",
    "LogitBoost",
    "Quantile",
    "VoteBound",
]
