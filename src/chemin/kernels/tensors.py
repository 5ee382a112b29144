"""What are the values of a kernel between points that are tensors, on whatever device they are?

The formulas of `chemin.kernels.elementary` once more, in PyTorch; sums, products and restrictions follow from their
parts. Distances are computed from differences, not from inner products, so that close points lose no digit.
"""

from __future__ import annotations

from functools import reduce, singledispatch
from operator import add, mul
from typing import Any

from chemin.kernels.base import Kernel, Named, On, Power, Product, Scaled, Sum
from chemin.kernels.elementary import (
    Constant,
    Epanechnikov,
    Gaussian,
    Laplacian,
    Linear,
    Polynomial,
)

__all__ = ["has_tensors", "tensor_values"]


@singledispatch
def tensor_values(kernel: Kernel, X: Any, Z: Any) -> Any:
    """Return the matrix of k(x_i, z_j) as a tensor, or NotImplemented if the kernel has no formula for tensors."""
    return NotImplemented


def has_tensors(kernel: Any) -> bool:
    """Say whether a kernel and all its parts have a formula for tensors."""
    parts = getattr(kernel, "parts", None) or ([kernel.kernel] if hasattr(kernel, "kernel") else [])
    formulas = [
        kind
        for kind in type(kernel).__mro__
        if kind in tensor_values.registry and kind is not object
    ]
    known = (
        bool(formulas) and type(kernel).__call__ is formulas[0].__call__
    )  # a subclass may compute something else
    return known and all(has_tensors(part) for part in parts)


@tensor_values.register
def _(kernel: Linear, X: Any, Z: Any) -> Any:
    return X @ Z.T


@tensor_values.register
def _(kernel: Polynomial, X: Any, Z: Any) -> Any:
    return _power((X @ Z.T).add_(kernel.offset), kernel.degree)


@tensor_values.register
def _(kernel: Gaussian, X: Any, Z: Any) -> Any:
    return _distances(kernel, X, Z, 2.0).square_().mul_(-0.5).exp_()


@tensor_values.register
def _(kernel: Laplacian, X: Any, Z: Any) -> Any:
    return _distances(kernel, X, Z, 1.0).neg_().exp_()


@tensor_values.register
def _(kernel: Epanechnikov, X: Any, Z: Any) -> Any:
    return _distances(kernel, X, Z, 2.0).square_().neg_().add_(1.0).clamp_(min=0.0)


@tensor_values.register
def _(kernel: Constant, X: Any, Z: Any) -> Any:
    return X.new_full((X.shape[0], Z.shape[0]), kernel.value)


@tensor_values.register
def _(kernel: Sum, X: Any, Z: Any) -> Any:
    return reduce(add, (tensor_values(part, X, Z) for part in kernel.parts))


@tensor_values.register
def _(kernel: Product, X: Any, Z: Any) -> Any:
    return reduce(mul, (tensor_values(part, X, Z) for part in kernel.parts))


@tensor_values.register
def _(kernel: Scaled, X: Any, Z: Any) -> Any:
    return kernel.factor * tensor_values(kernel.kernel, X, Z)


@tensor_values.register
def _(kernel: Power, X: Any, Z: Any) -> Any:
    return _power(tensor_values(kernel.kernel, X, Z), kernel.degree)


@tensor_values.register
def _(kernel: Named, X: Any, Z: Any) -> Any:
    return tensor_values(kernel.kernel, X, Z)


@tensor_values.register
def _(kernel: On, X: Any, Z: Any) -> Any:
    columns = [int(item) for item in kernel.block.items]
    return tensor_values(kernel.kernel, X[:, columns], Z[:, columns])


def _distances(kernel: Any, X: Any, Z: Any, order: float) -> Any:
    """Return every (Σ |(x − z)/width|^order)^(1/order)."""
    import torch

    width = torch.as_tensor(kernel.width, dtype=X.dtype, device=X.device)
    return torch.cdist(X / width, Z / width, p=order, compute_mode="donot_use_mm_for_euclid_dist")


def _power(base: Any, degree: int) -> Any:
    """Return base to a power ≥ 1 by repeated squaring, as `chemin.kernels.arithmetic` does."""
    if degree == 1:
        return base
    half = _power(base * base, degree // 2)
    return half * base if degree % 2 else half
