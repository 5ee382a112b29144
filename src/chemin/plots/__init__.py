"""How do a path and a model look? Results in, axes out; matplotlib is imported when a picture is asked for."""

from chemin.plots.boundary import plot_boundary
from chemin.plots.choices import plot_choice
from chemin.plots.coefficients import plot_coefficients
from chemin.plots.couples import plot_coefficient_matrix
from chemin.plots.dual import plot_dual
from chemin.plots.explanations import plot_explanation
from chemin.plots.images import plot_couple_images
from chemin.plots.norm import plot_norm1
from chemin.plots.overview import plot_path
from chemin.plots.plane import plot_front, plot_surface
from chemin.plots.roc import plot_roc
from chemin.plots.sets import plot_sets
from chemin.plots.stability import plot_stability
from chemin.plots.stays import plot_history
from chemin.plots.trade import plot_trade

__all__ = [
    "plot_boundary",
    "plot_choice",
    "plot_coefficient_matrix",
    "plot_coefficients",
    "plot_couple_images",
    "plot_dual",
    "plot_explanation",
    "plot_front",
    "plot_history",
    "plot_norm1",
    "plot_path",
    "plot_roc",
    "plot_sets",
    "plot_stability",
    "plot_surface",
    "plot_trade",
]
