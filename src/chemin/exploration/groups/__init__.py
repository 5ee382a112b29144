"""Which rows belong together, if any? Trees, means, medoids, dense regions, modes; and whether there are any groups."""

from chemin.exploration.groups.by_distance import (
    KernelGroups,
    MedoidGroups,
    kernel_kmeans,
    kmedoids,
)
from chemin.exploration.groups.dbscan import DenseGroups, dbscan
from chemin.exploration.groups.grouping import Grouping
from chemin.exploration.groups.hierarchy import Hierarchy, hierarchy
from chemin.exploration.groups.kmeans import (
    InertiaCurve,
    KMeansGroups,
    LloydStep,
    LloydTrace,
    SoftGroups,
    inertia_curve,
    kmeans,
    lloyd,
    soft_kmeans,
)
from chemin.exploration.groups.mean_shift import ModeGroups, Trajectories, mean_shift
from chemin.exploration.groups.structure import Stability, Structure, group_stability, structure

__all__ = [
    "DenseGroups",
    "Grouping",
    "Hierarchy",
    "InertiaCurve",
    "KMeansGroups",
    "KernelGroups",
    "LloydStep",
    "LloydTrace",
    "MedoidGroups",
    "ModeGroups",
    "SoftGroups",
    "Stability",
    "Structure",
    "Trajectories",
    "dbscan",
    "group_stability",
    "hierarchy",
    "inertia_curve",
    "kernel_kmeans",
    "kmeans",
    "kmedoids",
    "lloyd",
    "mean_shift",
    "soft_kmeans",
    "structure",
]
