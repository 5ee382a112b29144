"""How does the solution move between breakpoints? Affine pieces, and their values anywhere."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from chemin.dictionaries.base import Dictionary, Floats, Indices
from chemin.exceptions import InvalidInputError, OutOfRangeError


@dataclass(frozen=True, eq=False)
class Pieces:
    """Values of l1, decreasing, between which coefficients and intercept are affine.

    Above the first they are constant. All that is needed to decide about new points: a path
    without its data.
    """

    l1: Floats
    coef: sparse.csr_array
    intercept: Floats

    def decisions(self, columns: Dictionary, l1: Floats) -> Floats:
        """Return b0 + X·b for the points of a dictionary, one row per l1, none below the last."""
        weights = weights_at(self.l1, l1)
        return np.asarray(
            columns.scores((weights @ self.coef).T).T + (weights @ self.intercept)[:, None]
        )


def weights_at(breakpoints: Floats, l1: Floats) -> sparse.csr_array:
    """Return the matrix that takes values at decreasing breakpoints to values at ``l1``."""
    return interpolation(*places_at(breakpoints, l1), len(breakpoints))


def places_at(breakpoints: Floats, l1: Floats) -> tuple[Indices, Floats]:
    """Return the breakpoint before each ``l1``, and the share of the way from there to the next.

    Examples
    --------
    >>> before, share = places_at(np.array([4.0, 2.0, 0.0]), np.array([5.0, 2.0, 0.5]))
    >>> before.tolist(), share.tolist()
    ([0, 1, 1], [0.0, 0.0, 0.75])
    """
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
    return before, share


def places_on(breakpoints: Floats, l1: float | Floats) -> tuple[Indices, Floats]:
    """Return the places of what is asked of a path, if it reaches so far down."""
    try:
        wanted = np.atleast_1d(np.asarray(l1, dtype=float))
    except (TypeError, ValueError) as error:
        raise InvalidInputError(f"l1 is {l1!r}: pass a number, or an array of numbers") from error
    if np.isnan(wanted).any():
        raise InvalidInputError("l1 is NaN or None: pass a number, or an array of numbers")
    if not np.all(wanted >= breakpoints[-1]):
        outside = wanted[~(wanted >= breakpoints[-1])][0]
        raise OutOfRangeError(
            f"l1 = {outside:g} is below {breakpoints[-1]:g}, where this path ends: "
            "ask for a larger l1, or follow the path further with a smaller min_l1"
        )
    return places_at(breakpoints, wanted)


def interpolation(before: Indices, share: Floats, count: int) -> sparse.csr_array:
    """Return the matrix that takes values at breakpoints to a share of the way to the next."""
    rows = np.arange(len(before))
    after = np.minimum(before + 1, count - 1)
    weight = np.concatenate([1.0 - share, share])
    places = (np.tile(rows, 2), np.concatenate([before, after]))
    weights = sparse.csr_array((weight, places), shape=(len(before), count))
    weights.eliminate_zeros()
    return weights


def turns(first: Floats, last: Floats) -> list[tuple[int, float]]:
    """Return where in ]0, 1[ the smallest of several affine functions changes, row by row.

    Parameters
    ----------
    first, last : ndarray of shape (k, n)
        The values of n functions at 0 and at 1, for each of k rows.

    Returns
    -------
    list of (row, place)

    Examples
    --------
    >>> turns(np.array([[0.0, 1.0], [0.0, 1.0]]), np.array([[1.0, 2.0], [2.0, 0.0]]))
    [(1, 0.3333333333333333)]
    """
    # A function that is the smallest at both ends is so in between.
    smallest = (first == first.min(axis=1, keepdims=True)) & (
        last == last.min(axis=1, keepdims=True)
    )
    rows = np.flatnonzero(~smallest.any(axis=1))
    return [(int(row), place) for row in rows for place in _lower_envelope(first[row], last[row])]


def _lower_envelope(first: Floats, last: Floats) -> list[float]:
    """Return where in ]0, 1[ the smallest of affine functions, given at 0 and 1, changes."""
    finite = np.isfinite(first)
    first = first[finite]
    slope = last[finite] - first
    places: list[float] = []
    t = 0.0
    now = int(np.lexsort((slope, first))[0]) if len(first) else -1
    while now >= 0:
        below = np.flatnonzero(slope < slope[now])
        where = (first[below] - first[now]) / (slope[now] - slope[below])
        ahead = where > t
        if not ahead.any() or where[ahead].min() >= 1.0:
            break
        t = float(where[ahead].min())
        now = int(below[ahead][np.lexsort((slope[below[ahead]], where[ahead]))[0]])
        places.append(t)
    return places
