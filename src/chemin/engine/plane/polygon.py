"""Which polygon do inequalities leave, and what is it like? Convex ones, vertices counter-clockwise."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from chemin.dictionaries.base import Floats, Indices
from chemin.exceptions import EngineError

_PARALLEL = 1e-13  # sine of an angle that is none
_SAME = 1e-13  # two vertices that are one
_NEAREST = 24  # lines that are tried first
_BEYOND = 1e-14
_MOST_SIDES = 10_000


class Polygon(NamedTuple):
    """Vertices, and which line each side is on: side k goes from vertex k to the next one."""

    vertex: Floats
    line: Indices


def around(lines: Floats, point: Floats) -> Polygon:
    """Return the polygon around a point inside it, of the inequalities ``c + a·x ≥ 0``, with (c, a) in columns.

    The nearest lines are tried first, then those that would cut their polygon.

    Examples
    --------
    >>> square = np.array([[0.0, 0, 1, 1, 9], [1, 0, -1, 0, -1], [0, 1, 0, -1, -1]])
    >>> around(square, np.array([0.5, 0.5])).vertex.tolist()
    [[1.0, 0.0], [1.0, 1.0], [0.0, 1.0], [0.0, 0.0]]
    """
    norm = np.hypot(lines[1], lines[2])
    some = np.flatnonzero(norm > 0.0)
    unit = lines[:, some] / norm[some]
    room = np.maximum(unit[0] + point @ unit[1:], 0.0)
    nearest = min(_NEAREST, len(some) - 1)
    tried = np.argpartition(room, nearest)[: nearest + 1]
    frame = np.arange(len(some) - 4, len(some))  # which bounds the polygon
    tried = np.union1d(tried, frame)
    while True:
        vertex, side = _walk(unit[:, tried].T, room[tried], point)
        beyond = vertex @ unit[1:] + unit[0]
        cut = np.flatnonzero(beyond.min(axis=0) < -_BEYOND)
        new = np.setdiff1d(cut, tried)
        if not len(new):
            return Polygon(vertex, some[tried[side]])
        tried = np.union1d(tried, new)


def _walk(lines: Floats, room: Floats, point: Floats) -> tuple[Floats, list[int]]:
    """Follow the sides from the first line met to the right: each ends where the next line is met."""
    c = lines[:, 0]
    a = lines[:, 1:]
    k = -1
    x = point
    way = np.array([1.0, 0.0])
    vertices: list[Floats] = []
    sides: list[int] = []
    while len(sides) < _MOST_SIDES:
        rate = a @ way
        rate[rate >= -_PARALLEL] = -0.0
        with np.errstate(divide="ignore", invalid="ignore"):
            steps = np.where(rate < 0.0, room / -rate, np.inf)
        step = steps.min()
        tied = np.flatnonzero(steps <= step + _SAME)
        k = int(tied[0]) if len(tied) == 1 or k < 0 else _sharpest(a, k, tied)
        x = x + step * way
        if k in sides:
            start = sides.index(k)
            vertices[start] = x
            return np.array(vertices[start:]), sides[start:]
        vertices.append(x)
        sides.append(k)
        way = np.array([a[k, 1], -a[k, 0]])
        room = np.maximum(c + a @ x, 0.0)
    raise EngineError("the sides of a cell do not close")


def _sharpest(a: Floats, k: int, tied: Indices) -> int:
    """Return which of some lines through a vertex turns most to the left from line k."""
    sine = a[k, 0] * a[tied, 1] - a[k, 1] * a[tied, 0]
    cosine = a[tied] @ a[k]
    return int(tied[np.argmax(np.arctan2(sine, cosine))])


def area(vertex: Floats) -> float:
    """Return the area of a polygon.

    Examples
    --------
    >>> area(np.array([[0.0, 0.0], [2.0, 0.0], [0.0, 1.0]]))
    1.0
    """
    x, y = (vertex - vertex[0]).T
    return float(0.5 * (x @ np.roll(y, -1) - y @ np.roll(x, -1)))


def thickness(vertex: Floats) -> float:
    """Return the area of a polygon over the longer side of the box around it.

    Examples
    --------
    >>> thickness(np.array([[0.0, 0.0], [2.0, 0.0], [2.0, 0.1], [0.0, 0.1]]))
    0.1
    """
    extent = float(np.ptp(vertex, axis=0).max())
    return area(vertex) / extent if extent > 0.0 else 0.0


def centre(vertex: Floats) -> Floats:
    """Return the centre of gravity of a polygon.

    Examples
    --------
    >>> centre(np.array([[0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [0.0, 1.0]])).tolist()
    [1.0, 0.5]
    """
    x, y = (vertex - vertex[0]).T
    weight = x * np.roll(y, -1) - y * np.roll(x, -1)
    total = 3.0 * weight.sum()
    if total <= 0.0:
        return vertex.mean(axis=0)
    return np.asarray(
        vertex[0] + np.array([weight @ (x + np.roll(x, -1)), weight @ (y + np.roll(y, -1))]) / total
    )


def halves(vertex: Floats, line: Floats) -> tuple[Floats | None, Floats | None]:
    """Return the parts of a polygon where ``c + a·x`` is positive, and where it is negative, None if there is none.

    Examples
    --------
    >>> square = np.array([[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0]])
    >>> above, below = halves(square, np.array([-1.0, 1.0, 0.0]))
    >>> area(above), area(below)
    (2.0, 2.0)
    """
    c, a, b = line.tolist()
    corners = vertex.tolist()
    above: list[tuple[float, float]] = []
    below: list[tuple[float, float]] = []
    x0, y0 = corners[-1]
    before = c + a * x0 + b * y0
    for x, y in corners:
        here = c + a * x + b * y
        if (before > 0.0 > here) or (before < 0.0 < here):
            share = before / (before - here)
            crossing = (x0 + share * (x - x0), y0 + share * (y - y0))
            above.append(crossing)
            below.append(crossing)
        if here >= 0.0:
            above.append((x, y))
        if here <= 0.0:
            below.append((x, y))
        x0, y0, before = x, y, here
    return (
        np.array(above) if len(above) > 2 else None,
        np.array(below) if len(below) > 2 else None,
    )


def common(first: Floats, second: Floats) -> Floats | None:
    """Return what two polygons share, None if nothing.

    Examples
    --------
    >>> square = np.array([[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0]])
    >>> area(common(square, square + 1.0))
    1.0
    """
    shared = first
    ends = np.concatenate([second[1:], second[:1]])
    long = np.abs(ends - second).max(axis=1) > _SAME  # a shorter side has no direction
    for (x0, y0), (x1, y1) in zip(second[long].tolist(), ends[long].tolist(), strict=True):
        inward = np.array([(x1 - x0) * -y0 + (y1 - y0) * x0, -(y1 - y0), x1 - x0])
        above = halves(shared, inward)[0]
        if above is None:
            return None
        shared = above
    return shared
