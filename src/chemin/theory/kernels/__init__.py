"""Is this similarity an inner product, and of which features? Mercer, Fourier, families of kernels and their sum."""

from chemin.theory.kernels.features import (
    polynomial_features,
)

__all__ = [
    "polynomial_features",
]
