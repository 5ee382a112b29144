"""How good is a model? Splits, scores with intervals, and comparison with a test."""

from chemin.evaluate.calibration import Calibration, calibration
from chemin.evaluate.classes import ConfusionMatrix, confusion, scores
from chemin.evaluate.cross_validation import CrossValidation, Nested, cross_validate, nested
from chemin.evaluate.differences import (
    Difference,
    FoldScores,
    McNemar,
    Posterior,
    Ranks,
    bayesian_t,
    corrected_t,
    friedman,
    mcnemar,
    nemenyi_quantile,
)
from chemin.evaluate.intervals import (
    Interval,
    bootstrap_interval,
    mean_interval,
    proportion_interval,
)
from chemin.evaluate.learning_curves import LearningCurve, learning_curve
from chemin.evaluate.numbers import number_scores
from chemin.evaluate.score_table import Scores
from chemin.evaluate.splits import Splits, as_splits, make_splits
from chemin.evaluate.thresholds import Threshold, choose_threshold

__all__ = [
    "Calibration",
    "ConfusionMatrix",
    "CrossValidation",
    "Difference",
    "FoldScores",
    "Interval",
    "LearningCurve",
    "McNemar",
    "Nested",
    "Posterior",
    "Ranks",
    "Scores",
    "Splits",
    "Threshold",
    "as_splits",
    "bayesian_t",
    "bootstrap_interval",
    "calibration",
    "choose_threshold",
    "confusion",
    "corrected_t",
    "cross_validate",
    "friedman",
    "learning_curve",
    "make_splits",
    "mcnemar",
    "mean_interval",
    "nemenyi_quantile",
    "nested",
    "number_scores",
    "proportion_interval",
    "scores",
]
