"""How alike are two points? Kernels, their algebra, their restriction to columns or image windows, and families.

A kernel is a value, called as ``k(X, Z)``. Kernels combine: ``k1 + k2``, ``k1 * k2``, ``3 * k``, ``k ** 2``,
``k.on(["g1", "g2"])``, ``k.on(window)``, ``k.named("vertical")``.
"""

from chemin.kernels.base import Kernel, Named, On, Power, Product, Scaled, Sum
from chemin.kernels.blocks import Columns, Window
from chemin.kernels.elementary import (
    Constant,
    Epanechnikov,
    Gaussian,
    Laplacian,
    Linear,
    Polynomial,
)
from chemin.kernels.external import Function, Graphs, Pairwise, Strings, as_kernel
from chemin.kernels.families import median_heuristic, pairs_of, widths, windows
from chemin.kernels.grammar import parse_kernels, write_kernel
from chemin.kernels.positivity import is_positive
from chemin.kernels.precomputed import Precomputed

__all__ = [
    "Columns",
    "Constant",
    "Epanechnikov",
    "Function",
    "Gaussian",
    "Graphs",
    "Kernel",
    "Laplacian",
    "Linear",
    "Named",
    "On",
    "Pairwise",
    "Polynomial",
    "Power",
    "Precomputed",
    "Product",
    "Scaled",
    "Strings",
    "Sum",
    "Window",
    "as_kernel",
    "is_positive",
    "median_heuristic",
    "pairs_of",
    "parse_kernels",
    "widths",
    "windows",
    "write_kernel",
]
