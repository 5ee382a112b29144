"""Which points stand best for all of them? k-medoids: the points of least total distance to what they stand for.

PAM: a greedy start, then the best exchange of a medoid with another point while one lowers the total. For all
exchanges at once, with d₁ and d₂ the distances of a point o to its nearest and second medoid, taking candidate j for
medoid i changes the total by Σ_o min(d_oj − d₁, 0) + Σ_{o of i} (min(d_oj, d₂) − d₁ − min(d_oj − d₁, 0)).

Reference: Schubert and Rousseeuw (2021), *Fast and eager k-medoids clustering*.
"""

from __future__ import annotations

import numpy as np

from chemin.dictionaries.base import Floats, Indices

_ENOUGH = 1e-12  # of the total distance: a smaller gain is rounding


def medoids(distance: Floats, count: int) -> Indices:
    """Return the positions of so many medoids, in increasing order, for a square matrix of distances.

    Examples
    --------
    >>> points = np.array([0.0, 1.0, 2.0, 10.0, 11.0, 12.0])
    >>> medoids(np.abs(points[:, None] - points), 2).tolist()
    [1, 4]
    """
    n = len(distance)
    if count >= n:
        return np.arange(n)
    chosen = _greedy(distance, count)
    enough = _ENOUGH * distance.sum(axis=0).min()
    for _ in range(10 * n):
        place, candidate, change = _best_exchange(distance, chosen)
        if change >= -enough:
            break
        chosen[place] = candidate
    return np.sort(chosen)


def _greedy(distance: Floats, count: int) -> Indices:
    chosen = [int(np.argmin(distance.sum(axis=0)))]
    nearest = distance[:, chosen[0]].copy()
    while len(chosen) < count:
        gain = np.maximum(nearest[:, None] - distance, 0.0).sum(axis=0)
        gain[chosen] = -np.inf
        chosen.append(int(np.argmax(gain)))
        nearest = np.minimum(nearest, distance[:, chosen[-1]])
    return np.array(chosen)


def _best_exchange(distance: Floats, chosen: Indices) -> tuple[int, int, float]:
    """Return which medoid to give up for which point, and by how much the total distance changes."""
    to_medoids, everyone = distance[:, chosen], np.arange(len(distance))
    owner = np.argmin(to_medoids, axis=1)
    nearest = to_medoids[everyone, owner]
    others = to_medoids.copy()
    others[everyone, owner] = np.inf
    second = others.min(axis=1)
    closer = np.minimum(distance - nearest[:, None], 0.0)
    orphaned = np.minimum(distance, second[:, None]) - nearest[:, None] - closer
    change = closer.sum(axis=0) + np.eye(len(chosen))[owner].T @ orphaned
    change[:, chosen] = 0.0
    place, candidate = np.unravel_index(int(np.argmin(change)), change.shape)
    return int(place), int(candidate), float(change[place, candidate])
