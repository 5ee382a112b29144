"""Which rows belong together, if any? Trees, means, medoids, dense regions, modes; and whether there are any groups."""

from chemin.exploration.groups.by_distance import (
    KernelGroups,
    MedoidGroups,
    kernel_kmeans,
    kmedoids,
)
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

__all__ = [
    "Grouping",
    "Hierarchy",
    "InertiaCurve",
    "KMeansGroups",
    "KernelGroups",
    "LloydStep",
    "LloydTrace",
    "MedoidGroups",
    "SoftGroups",
    "hierarchy",
    "inertia_curve",
    "kernel_kmeans",
    "kmeans",
    "kmedoids",
    "lloyd",
    "soft_kmeans",
]
