"""Is this similarity an inner product, and of which features? Mercer, Fourier, families of kernels and their sum."""

from chemin.theory.kernels.families import (
    KernelFamily,
    kernel_family,
)
from chemin.theory.kernels.features import (
    polynomial_features,
)
from chemin.theory.kernels.fourier import (
    Spectrum,
    spectrum,
)
from chemin.theory.kernels.mercer import (
    Mercer,
    mercer,
)
from chemin.theory.kernels.sums import (
    SumMachine,
    sum_machine,
)

__all__ = [
    "KernelFamily",
    "Mercer",
    "Spectrum",
    "SumMachine",
    "kernel_family",
    "mercer",
    "polynomial_features",
    "spectrum",
    "sum_machine",
]
