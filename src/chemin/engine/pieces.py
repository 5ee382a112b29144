"""How does the solution move between breakpoints? Affine pieces, and the values they take anywhere."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from chemin.dictionaries.base import Dictionary, Floats, Indices


@dataclass(frozen=True, eq=False)
class Pieces:
    """Values of l1, decreasing, between which coefficients and intercept are affine; constant above the first.

    All that is needed to decide about new points: a path without its data.
    """

    l1: Floats
    coef: sparse.csr_array
    intercept: Floats

    def decisions(self, columns: Dictionary, l1: Floats) -> Floats:
        """Return b0 + X·b for the points of a dictionary, one row per l1, none of them below the last."""
        weights = weights_at(self.l1, l1)
        return np.asarray(
            columns.scores((weights @ self.coef).T).T + (weights @ self.intercept)[:, None]
        )


def weights_at(breakpoints: Floats, l1: Floats) -> sparse.csr_array:
    """Return the matrix that takes values at decreasing breakpoints to values at ``l1``: one or two weights per row."""
    wanted = np.minimum(l1, breakpoints[0])
    # Above the first breakpoint nothing has moved yet, even where others share its l1.
    before = np.where(
        l1 > breakpoints[0], 0, np.searchsorted(-breakpoints, -wanted, side="right") - 1
    )
    after = np.minimum(before + 1, len(breakpoints) - 1)
    width = breakpoints[before] - breakpoints[after]
    share = np.divide(
        breakpoints[before] - wanted, width, out=np.zeros_like(width), where=width > 0
    )
    return interpolation(before, share, len(breakpoints))


def interpolation(before: Indices, share: Floats, count: int) -> sparse.csr_array:
    """Return the matrix that takes values at ``count`` breakpoints to values at some share of the way to the next."""
    rows, after = np.arange(len(before)), np.minimum(before + 1, count - 1)
    entries = (
        np.concatenate([1.0 - share, share]),
        (np.tile(rows, 2), np.concatenate([before, after])),
    )
    weights = sparse.csr_array(entries, shape=(len(before), count))
    weights.eliminate_zeros()
    return weights


def lower_envelope(first: Floats, last: Floats) -> list[float]:
    """Return where in ]0, 1[ the smallest of several affine functions, given at 0 and at 1, changes.

    Examples
    --------
    >>> lower_envelope(np.array([0.0, 1.0]), np.array([2.0, 0.0]))
    [0.3333333333333333]
    """
    slope, turns, t = last - first, [], 0.0
    now = int(np.lexsort((slope, first))[0]) if len(first) else -1
    while now >= 0:
        below = np.flatnonzero(slope < slope[now])
        where = (first[below] - first[now]) / (slope[now] - slope[below])
        ahead = where > t
        if not ahead.any() or where[ahead].min() >= 1.0:
            break
        t = float(where[ahead].min())
        now = int(below[ahead][np.lexsort((slope[below[ahead]], where[ahead]))[0]])
        turns.append(t)
    return turns
