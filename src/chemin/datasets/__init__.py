"""Which data? The experiments' generators, a bundled sample and loaders, for examples, tests and first steps."""

from chemin.datasets.generators import benchmark_gaussian, gaussian_pair, separated_line
from chemin.datasets.images import Images, Pair, fashion_mnist, mnist, pair
from chemin.datasets.samples import Sample, breast_cancer
from chemin.datasets.toys import (
    CHECKER_WIDTH,
    TOYDATA1,
    TOYDATA2,
    Part,
    Toy,
    checker,
    checker_squares,
    toydata1,
    toydata2,
)

__all__ = [
    "CHECKER_WIDTH",
    "TOYDATA1",
    "TOYDATA2",
    "Images",
    "Pair",
    "Part",
    "Sample",
    "Toy",
    "benchmark_gaussian",
    "breast_cancer",
    "checker",
    "checker_squares",
    "fashion_mnist",
    "gaussian_pair",
    "mnist",
    "pair",
    "separated_line",
    "toydata1",
    "toydata2",
]
