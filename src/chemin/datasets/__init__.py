"""Which data? The experiments' generators and a bundled sample, for examples, tests and first steps."""

from chemin.datasets.generators import benchmark_gaussian, gaussian_pair, separated_line
from chemin.datasets.samples import Sample, breast_cancer

__all__ = ["Sample", "benchmark_gaussian", "breast_cancer", "gaussian_pair", "separated_line"]
