"""What shape is it? Quadrics and their names, level ellipses of normal laws, critical points, convexity."""

from chemin.theory.geometry.critical import Convexity, CriticalPoint, convexity, critical_point
from chemin.theory.geometry.ellipses import LevelEllipses, level_ellipses
from chemin.theory.geometry.quadrics import Quadric, gaussian_boundary, quadric, quadric_of

__all__ = [
    "Convexity",
    "CriticalPoint",
    "LevelEllipses",
    "Quadric",
    "convexity",
    "critical_point",
    "gaussian_boundary",
    "level_ellipses",
    "quadric",
    "quadric_of",
]
