"""What does a wrong score cost? Losses of the margin, and one classifier for all of them."""

from chemin.models.losses.classifier import LossClassifier
from chemin.models.losses.comparison import LossComparison, compare_losses, plot_losses
from chemin.models.losses.margins import MARGIN_LOSSES, MarginLoss, as_margin_loss

__all__ = [
    "MARGIN_LOSSES",
    "LossClassifier",
    "LossComparison",
    "MarginLoss",
    "as_margin_loss",
    "compare_losses",
    "plot_losses",
]
