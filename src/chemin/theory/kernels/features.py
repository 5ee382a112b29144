"""Which columns does a polynomial kernel compare by? Its features, written down.

    (x·z + ρ)^δ = Σ_{|e| ≤ δ} c_e x^e z^e,    c_e = δ!/(e_1! … e_d! (δ − |e|)!) ρ^{δ − |e|}

over exponents e = (e_1, …, e_d), so that φ_e(x) = √c_e x^e. There are C(d + δ, δ) of them, and C(d + δ − 1, δ) if
ρ = 0, of degree δ exactly. A factor γ before the kernel is √γ before every feature.

Reference: F. Sur, *Introduction à l'apprentissage automatique*, 8.3.3, Prop 8.4.
"""

from __future__ import annotations

from itertools import combinations_with_replacement
from math import comb
from typing import Any

import numpy as np
from scipy.special import gammaln, xlogy

from chemin.dictionaries.base import Floats
from chemin.exceptions import InvalidInputError
from chemin.kernels import Polynomial
from chemin.theory.theorem import Theorem

__all__ = ["polynomial_features"]

_MOST = 10_000_000  # numbers

POLYNOMIAL = Theorem(
    "the feature map of a polynomial kernel",
    "(x·z + ρ)^δ = φ(x)·φ(z) with C(d + δ, δ) features, products of up to δ variables",
    ("ρ ≥ 0", "a whole δ ≥ 1"),
    "Sur, Prop 8.4",
)


def polynomial_features(X: Any, kernel: Polynomial | None = None) -> Floats:
    """Return φ(X), a column per feature, with φ(x)·φ(z) = k(x, z).

    Parameters
    ----------
    X : table of numbers
        The points.
    kernel : Polynomial, optional
        Degree δ and offset ρ; by default 3 and 1.

    Returns
    -------
    ndarray of shape (n, C(d + δ, δ))

    Examples
    --------
    >>> polynomial_features([[2.0, 3.0]], Polynomial(degree=2)).round(3).tolist()
    [[1.0, 2.828, 4.243, 4.0, 8.485, 9.0]]
    """
    kernel = Polynomial() if kernel is None else kernel
    of_kind = isinstance(kernel, Polynomial)
    remedy = "pass Polynomial(degree, offset)"
    POLYNOMIAL.require(of_kind, "a polynomial kernel", f"kernel is {kernel!r}", remedy)
    offset, degree = float(kernel.offset), int(kernel.degree)
    given = f"offset is {offset:g}"
    POLYNOMIAL.require(offset >= 0.0, "ρ ≥ 0", given, "pass an offset of 0 or more")
    X = POLYNOMIAL.table("X", X)
    n, d = X.shape
    if n * comb(d + degree, degree) > _MOST:
        raise InvalidInputError(
            f"{comb(d + degree, degree)} features of {n} points are too many: lower the degree, or use the kernel"
        )
    least = 0 if offset > 0.0 else degree
    powers = np.array(
        [
            np.bincount(some, minlength=d)
            for size in range(least, degree + 1)
            for some in combinations_with_replacement(range(d), size)
        ],
        dtype=float,
    )
    rest = degree - powers.sum(axis=1)
    log_weight = gammaln(degree + 1.0) - gammaln(powers + 1.0).sum(axis=1) - gammaln(rest + 1.0)
    log_weight += xlogy(rest, offset)
    made = np.ones((n, len(powers)))
    for column, power in zip(X.T, powers.T, strict=True):
        made *= column[:, None] ** power
    return np.asarray(made * np.exp(0.5 * log_weight))
