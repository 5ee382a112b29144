"""What do the data look like before anything is learned? Described, checked, projected, grouped, estimated.

`explore` looks from all sides; every part is a function of its own, too.
"""

from chemin.exploration.cost import Cost, estimate_cost
from chemin.exploration.densities import (
    bin_sensitivity,
    column_densities,
    covariance_rate,
    fit_gaussian,
    fit_laws,
    histogram,
    mixture,
    neighbour_density,
    parzen,
)
from chemin.exploration.dependence import dependence, granger
from chemin.exploration.description import Description, describe
from chemin.exploration.explorer import Exploration, explore
from chemin.exploration.findings import CODES, Finding, Findings, check
from chemin.exploration.groups import (
    dbscan,
    group_stability,
    hierarchy,
    inertia_curve,
    kernel_kmeans,
    kmeans,
    kmedoids,
    lloyd,
    mean_shift,
    soft_kmeans,
    structure,
)
from chemin.exploration.projection import map_points, pca

__all__ = [
    "CODES",
    "Cost",
    "Description",
    "Exploration",
    "Finding",
    "Findings",
    "bin_sensitivity",
    "check",
    "column_densities",
    "covariance_rate",
    "dbscan",
    "dependence",
    "describe",
    "estimate_cost",
    "explore",
    "fit_gaussian",
    "fit_laws",
    "granger",
    "group_stability",
    "hierarchy",
    "histogram",
    "inertia_curve",
    "kernel_kmeans",
    "kmeans",
    "kmedoids",
    "lloyd",
    "map_points",
    "mean_shift",
    "mixture",
    "neighbour_density",
    "parzen",
    "pca",
    "soft_kmeans",
    "structure",
]
