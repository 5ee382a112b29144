"""What would new points of a density look like? A draw from each kind of density that can be drawn from.

Parzen: one of its points, all alike, plus h times a draw from the window. In d variables that is a standard normal
vector, or a random direction times a radius r: the flat window has r² of law Beta(d/2, 1), Epanechnikov's of law
Beta(d/2, 2). Histogram: a bin by its count, then any place in it. Normal law: μ + Lz with Σ = LLᵀ.
"""

from __future__ import annotations

from copy import copy
from functools import singledispatch
from inspect import signature
from typing import Any

import numpy as np

from chemin.dictionaries.base import Floats
from chemin.exceptions import InvalidInputError
from chemin.exploration.densities import GaussianLaw, Histogram, Mixture, NeighbourDensity, Parzen

_SEEDS = 2**31 - 1
_CAN = (
    "densities that can are 'parzen', 'mixture' and 'gaussian', scikit-learn's KernelDensity with a gaussian or "
    "tophat kernel and GaussianMixture, and any with a method sample(n, random_state)"
)


@singledispatch
def draw(density: Any, n: int, drawing: np.random.RandomState) -> Floats:
    """Return n points drawn from a density, shape (n, p).

    Examples
    --------
    >>> from chemin.exploration.densities import parzen
    >>> draw(parzen([0.0, 9.0], 0.1), 3, np.random.RandomState(0)).round().ravel().tolist()
    [0.0, 9.0, 9.0]
    """
    kind = type(density).__name__
    if not hasattr(density, "sample"):
        raise InvalidInputError(f"no points can be drawn from {kind}: {_CAN}")
    seed = drawing.randint(_SEEDS)
    try:
        if "random_state" in signature(density.sample).parameters:
            drawn = density.sample(n, random_state=seed)
        else:  # scikit-learn's GaussianMixture takes its own
            drawn = copy(density).set_params(random_state=seed).sample(n)
    except NotImplementedError as error:
        raise InvalidInputError(f"no points can be drawn from this {kind}: {_CAN}") from error
    return np.asarray(drawn[0] if isinstance(drawn, tuple) else drawn)


@draw.register
def _(density: NeighbourDensity, n: int, drawing: np.random.RandomState) -> Floats:
    raise InvalidInputError(
        f"no points can be drawn from the density of neighbours, whose integral is infinite: {_CAN}"
    )


@draw.register
def _(density: Parzen, n: int, drawing: np.random.RandomState) -> Floats:
    rows, d = density.points.shape
    centres = density.points.values[drawing.randint(rows, size=n)]
    steps = drawing.normal(size=(n, d))
    if density.window != "gaussian":
        shape = {"flat": 1.0, "epanechnikov": 2.0}[density.window]
        radii = np.sqrt(drawing.beta(d / 2.0, shape, size=(n, 1)))
        steps *= radii / np.linalg.norm(steps, axis=1, keepdims=True)
    return centres + density.bandwidth * steps


@draw.register
def _(density: Histogram, n: int, drawing: np.random.RandomState) -> Floats:
    bins = drawing.choice(len(density.counts), size=n, p=density.counts / density.counts.sum())
    widths = np.diff(density.edges)
    return (density.edges[bins] + widths[bins] * drawing.uniform(size=n))[:, None]


@draw.register
def _(density: GaussianLaw, n: int, drawing: np.random.RandomState) -> Floats:
    root = np.linalg.cholesky(density.covariance)
    return density.mean + drawing.normal(size=(n, len(density.mean))) @ root.T


@draw.register
def _(density: Mixture, n: int, drawing: np.random.RandomState) -> Floats:
    return density.sample(n, random_state=drawing.randint(_SEEDS))
