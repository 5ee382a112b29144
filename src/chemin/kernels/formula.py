"""What is a kernel, as a formula that another language can compute? A tree of names and numbers.

    ["gaussian", width]  ["laplacian", width]  ["epanechnikov", width]  ["linear"]  ["polynomial", degree, offset]
    ["constant", value]  ["sum", tree, …]  ["product", tree, …]  ["scaled", factor, tree]  ["power", degree, tree]
    ["on", [column, …], tree]

A width is a number, or one for each axis; null stands for an infinite one, on an axis that does not count.
"""

from __future__ import annotations

import math
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
from chemin.kernels.parameters import Width

Tree = list[Any]

_RADIAL: dict[type[Kernel], str] = {
    Gaussian: "gaussian",
    Laplacian: "laplacian",
    Epanechnikov: "epanechnikov",
}


def formula(kernel: Kernel) -> Tree | None:
    """Return the tree of a kernel whose columns are positions; None where it has no formula.

    Examples
    --------
    >>> formula(2 * Gaussian(0.5).on([0, 3]) + Linear() ** 2)
    ['sum', ['scaled', 2.0, ['on', [0, 3], ['gaussian', 0.5]]], ['power', 2, ['linear']]]
    >>> formula(Gaussian((1, float("inf"))).named("upright"))
    ['gaussian', [1.0, None]]
    """
    match kernel:
        case Sum() | Product():
            name = "sum" if isinstance(kernel, Sum) else "product"
            return _around([name], *kernel.parts)
        case Scaled():
            return _around(["scaled", kernel.factor], kernel.kernel)
        case Power():
            return _around(["power", kernel.degree], kernel.kernel)
        case Named():
            return formula(kernel.kernel)
        case On():
            items = kernel.block.items
            places = [item for item in items if isinstance(item, int)]
            return _around(["on", places], kernel.kernel) if len(places) == len(items) else None
        case Linear():
            return ["linear"]
        case Constant():
            return ["constant", kernel.value]
        case Polynomial():
            return ["polynomial", kernel.degree, kernel.offset]
    name = _RADIAL.get(type(kernel), "")
    return [name, _width(kernel.width)] if name else None  # type: ignore[attr-defined]


def _around(head: Tree, *kernels: Kernel) -> Tree | None:
    trees = [formula(kernel) for kernel in kernels]
    return None if None in trees else [*head, *trees]


def _width(width: Width) -> Any:
    if isinstance(width, tuple):
        return [_finite(one) for one in width]
    return _finite(width)


def _finite(width: float) -> float | None:
    return float(width) if math.isfinite(width) else None
