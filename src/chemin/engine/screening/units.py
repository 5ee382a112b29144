"""How far has (α, l1) gone, and in which units is that best measured?

Lengths are those of `chemin.dictionaries.survey`, with u_i = y_i α_i and the margin as H. Units are chosen for columns
like some that are near, of norm s on the margin, largest entry M and l1 weight v, and for ways like the last one, which
had length a on the margin, the sum o elsewhere, and Δl1. The bound pace × length is then least for

    e² = o s / (a M),     d² = Δl1 s / (a v).

On the margin the near columns have few directions in common, the first eigenvectors of their covariance, in which they
differ most; and α hardly moves there, because the active ones among them hold it. So these are stretched, by
κ_k² = (λ_k / the mean of the other eigenvalues)^¾, if the last way was bounded better for it.
"""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

import numpy as np

from chemin.dictionaries.base import Floats, Indices
from chemin.dictionaries.survey import Units
from chemin.engine.thresholds import AXES, AXES_LARGEST, AXES_POWER, AXES_WORTH, CLIP

_MORE = 4  # directions than are sought, for those to be found well


class Near(NamedTuple):
    """What columns of the kind that is near are like: entries on the margin about their means, s, M and v."""

    varying: Floats
    size: float
    largest: float
    weight: float


class Way(NamedTuple):
    """What u and l1 have changed by, and the margin where that began."""

    change: Floats
    l1: float
    rows: Indices


class Ruler:
    """The lengths of ways in given units.

    Attributes
    ----------
    place : array of length n
        The place of each row in H, −1 elsewhere.
    twist : array of shape (len(H), r)
        √(κ_k² − 1) a_k, as columns.
    """

    def __init__(self, units: Units, n: int) -> None:
        self.units, self.elsewhere, self.l1 = units, units.elsewhere, units.l1
        self.place = np.full(n, -1, dtype=np.intp)
        self.place[units.rows] = np.arange(len(units.rows))
        self.twist = np.ascontiguousarray(units.axes * np.sqrt(units.stretch**2 - 1.0))

    def length(self, change: Floats, rows: Indices, l1: float) -> float:
        """Return the length of a way on which u changes by so much on some rows, and l1."""
        place = self.place[rows]
        inside = place >= 0
        here = change[inside]
        twisted, elsewhere = (
            here @ self.twist[place[inside]],
            np.abs(change[~inside]).sum() / self.elsewhere,
        )
        return sqrt(here @ here + twisted @ twisted + elsewhere**2 + (l1 / self.l1) ** 2)


def best_units(rows: Indices, near: Near, way: Way | None, most_axes: int = AXES) -> Units:
    """Return the units in which ways like the last one are bounded best, for columns like those near."""
    if way is None:
        return Units(
            rows, *_no_axes(len(rows))[:2], near.size / near.largest, near.size / near.weight
        )
    change = way.change[rows]
    axes, stretch, values = _stretched(near.varying, change, most_axes)
    size = sqrt(near.size**2 - (1.0 - stretch**-2) @ values)
    inside = way.change[
        way.rows
    ]  # the margin then; axes are on the one of now, which is almost the same
    distance = sqrt(inside @ inside + (stretch**2 - 1.0) @ (axes.T @ change) ** 2)
    elsewhere = float(np.abs(way.change).sum() - np.abs(inside).sum())
    shares = (
        _root(elsewhere * near.largest, distance * size),
        _root(abs(way.l1) * near.weight, distance * size),
    )
    return Units(
        rows, axes, stretch, shares[0] * size / near.largest, shares[1] * size / near.weight
    )


def _stretched(varying: Floats, change: Floats, most: int) -> tuple[Floats, Floats, Floats]:
    """Return the axes, their κ_k and λ_k; none if a change like this is bounded no better for them."""
    k, width = varying.shape
    if k <= 2 * most or not width:
        return _no_axes(k)
    values, axes = _first_eigenvectors(varying, most)
    trace = float(np.einsum("ij,ij->", varying, varying)) / width
    rest = max(
        (trace - values.sum()) / (k - 1 - most), values[-1] / AXES_LARGEST, np.finfo(float).tiny
    )
    stretch = np.maximum(values / rest, 1.0) ** (0.5 * AXES_POWER)
    square = float(change @ change)
    plain = trace * square
    twisted = (trace - (1.0 - stretch**-2) @ values) * (
        square + (stretch**2 - 1.0) @ (axes.T @ change) ** 2
    )
    return (axes, stretch, values) if plain > AXES_WORTH**2 * twisted else _no_axes(k)


def _first_eigenvectors(varying: Floats, count: int) -> tuple[Floats, Floats]:
    """Return the largest eigenvalues of the covariance and their vectors, almost: any axes give a bound."""
    width = varying.shape[1]
    start = varying[:, :: max(1, width // (count + _MORE))]
    basis = np.linalg.qr(varying @ (varying.T @ start))[0]
    seen = varying.T @ basis
    values, turn = np.linalg.eigh(seen.T @ seen / width)
    return values[-count:], basis @ turn[:, -count:]


def _no_axes(k: int) -> tuple[Floats, Floats, Floats]:
    return np.empty((k, 0)), np.empty(0), np.empty(0)


def _root(part: float, margin: float) -> float:
    """Return √(part / margin), within limits."""
    return sqrt(min(max(part / margin, 1.0 / CLIP), CLIP)) if margin > 0.0 else sqrt(CLIP)
