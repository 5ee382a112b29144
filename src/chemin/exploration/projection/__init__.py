"""How can many columns be seen at once? Main directions and the way back, and other maps of the plane."""

from chemin.exploration.projection.maps import METHODS, Map, map_points
from chemin.exploration.projection.pca import Projection, pca

__all__ = ["METHODS", "Map", "Projection", "map_points", "pca"]
