"""How does a path look? Results in, axes out; matplotlib is imported when a picture is asked for."""

from chemin.plots.coefficients import plot_coefficients
from chemin.plots.dual import plot_dual
from chemin.plots.norm import plot_norm1
from chemin.plots.overview import plot_path
from chemin.plots.sets import plot_sets
from chemin.plots.stability import plot_stability

__all__ = ["plot_coefficients", "plot_dual", "plot_norm1", "plot_path", "plot_sets", "plot_stability"]
