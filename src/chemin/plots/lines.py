"""Which numbers does a picture show? Lines read off a path, at a few thousand places of it: data before picture.

Everything on a path is affine in l1 between breakpoints, hence curved on a logarithmic axis. So lines are read at
breakpoints, thinned where there are more of them than a screen has pixels, and at places even in log l1 between
them. A place is a real number: k + t stands for a share t of the way from breakpoint k to the next.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from chemin.dictionaries.base import Floats, Indices
from chemin.engine.pieces import interpolation
from chemin.engine.result import Path
from chemin.exceptions import InvalidInputError

Against = Literal["l1", "norm1"]

_MOST = 2000  # breakpoints on one line
_EVEN = 300  # places even in log l1
_NUMBERS = 600_000  # in one picture, over all its lines
_DECADES = 1e-4  # a path down to 0 is shown at most this far
_TENTH = 0.1
_FLAT = 1e-10  # of the largest ‖b‖₁: a change that rounding alone makes
_CHUNK = 2_000_000  # dual values held at once
SETS = ("active", "left", "elbow", "right")


@dataclass(frozen=True, eq=False)
class Lines:
    """Several lines over one abscissa: column k of ``values`` is the line of item ``index[k]``."""

    x: Floats
    values: Floats
    index: Indices

    def of(self, item: int) -> Floats:
        """Return the line of one item."""
        return np.asarray(self.values[:, np.flatnonzero(self.index == item)[0]])


def span(path: Path, against: Against = "l1") -> tuple[float, float]:
    """Return where an axis begins, on the side of the strong penalty, and where it ends.

    l1 is on a logarithmic axis, which 0 is not on. It begins a little above the first breakpoint. It ends where the
    path stops, or, if the path goes down to 0, at its smallest positive breakpoint, within two to four decades.
    """
    if against == "norm1":
        return 0.0, 1.005 * float(path.norm1.max()) or 1.0
    positive = path.l1[path.l1 > 0.0]
    if not len(positive):
        return 1.0, _TENTH
    first, last = float(positive[0]), float(positive[-1])
    if path.l1[-1] == 0.0:
        last = min(max(last, _DECADES * first), _TENTH**2 * first)
    return 1.1 * first, last


def coefficient_lines(path: Path, against: Against = "l1") -> Lines:
    """Return the coefficients of every variable that is ever active."""
    index = np.unique(path.coef.indices).astype(np.intp)
    places = _places(path, against, len(index))
    before = np.floor(places).astype(np.intp)
    values = (
        (interpolation(before, places - before, len(path.l1)) @ path.coef)
        .tocsc()[:, index]
        .toarray()
    )
    return _opened(path, against, places, values, index)


def dual_lines(
    path: Path, against: Against = "l1", top: int = 50, also: Sequence[int] | Indices = ()
) -> Lines:
    """Return the dual values of the `top` points that are longest in the elbow, and of those in `also`."""
    longest = _longest_in_elbow(path, top)
    index = np.append(longest[~np.isin(longest, also)], np.asarray(also, dtype=np.intp))
    places = _places(path, against, len(index))
    l1 = _read(places, path.l1)
    size = max(1, _CHUNK // path.problem.dictionary.shape[0])
    blocks = [path.dual_at(l1[first : first + size])[:, index] for first in range(0, len(l1), size)]
    return _opened(path, against, places, np.concatenate(blocks), index)


def norm_line(path: Path) -> Lines:
    """Return ‖b‖₁, as the one line of item 0."""
    places = _places(path, "l1", 1)
    return _opened(
        path, "l1", places, _read(places, path.norm1)[:, None], np.zeros(1, dtype=np.intp)
    )


def plateaus(path: Path) -> Indices:
    """Return the breakpoints k between which and the next l1 moves and ‖b‖₁ does not, while b is not zero."""
    still = np.abs(np.diff(path.norm1)) <= _FLAT * path.norm1.max(initial=0.0)
    return np.flatnonzero(still & (np.diff(path.l1) < 0.0) & (path.norm1[:-1] > 0.0))


def set_lines(path: Path) -> Lines:
    """Return the sizes of the four sets after each event, as steps, in the order active, left, elbow, right."""
    last = span(path)[1]
    events = path.events[path.events["l1"] >= last] if path.l1[0] > 0.0 else path.events[:1]
    events = events[_thinned(events["l1"], _MOST)]
    values = np.stack([events[name] for name in SETS], axis=1).astype(float)
    x = np.maximum(np.append(events["l1"], last), last)
    return Lines(x, np.vstack([values, values[-1:]]), np.arange(len(SETS)))


def largest(lines: Lines, top: int) -> Indices:
    """Return the `top` items that end farthest from zero, in decreasing order; never one that ends at zero."""
    end = np.abs(lines.values[-1])
    order = np.argsort(-end, kind="stable")[:top]
    return np.asarray(lines.index[order[end[order] > 0.0]])


def chosen(wanted: Sequence[int | str], names: NDArray[Any] | None, count: int) -> Indices:
    """Return the indices of items given by index or by name."""
    known = {} if names is None else {str(name): j for j, name in enumerate(names)}
    places = [known.get(item, -1) if isinstance(item, str) else int(item) for item in wanted]
    for item, place in zip(wanted, places, strict=True):
        if not 0 <= place < count:
            raise InvalidInputError(
                f"{item!r} cannot be highlighted: give indices below {count}, or names of the data"
            )
    return np.array(places, dtype=np.intp)


def _places(path: Path, against: Against, n_lines: int) -> Floats:
    """Return where lines are read: all the path against norm1, what a logarithmic axis shows against l1."""
    if against not in ("l1", "norm1"):
        raise InvalidInputError(f"against is {against!r}: pass 'l1' or 'norm1'")
    first, last = span(path)
    shown = path.l1 if against == "norm1" else path.l1[path.l1 >= last]
    most = min(_MOST, max(_NUMBERS // max(n_lines, 1), 100))
    breakpoints = _thinned(shown, most).astype(float)
    if against == "norm1":
        return breakpoints
    even = np.geomspace(first, last, min(_EVEN, most))
    return np.union1d(breakpoints, np.interp(-even, -path.l1, np.arange(len(path.l1))))


def _opened(path: Path, against: Against, places: Floats, values: Floats, index: Indices) -> Lines:
    """Return the lines, beginning against l1 a little above the first breakpoint, where nothing moves."""
    if against == "norm1":
        return Lines(_read(places, path.norm1), values, index)
    first, last = span(path)
    x = np.maximum(_read(places, path.l1), last)
    return Lines(np.append(first, x), np.vstack([values[:1], values]), index)


def _read(places: Floats, values: Floats) -> Floats:
    return np.asarray(np.interp(places, np.arange(len(values)), values))


def _thinned(l1: Floats, most: int) -> Indices:
    """Return at most `most` positions in `l1`, evenly and evenly in log l1, the first and the last among them."""
    if len(l1) <= most:
        return np.arange(len(l1))
    evenly = np.linspace(0, len(l1) - 1, most // 2).astype(np.intp)
    levels = np.geomspace(l1[0], l1[l1 > 0.0][-1], most // 2)
    return np.union1d(evenly, np.minimum(np.searchsorted(-l1, -levels), len(l1) - 1))


def _longest_in_elbow(path: Path, top: int) -> Indices:
    """Return at most `top` points, those that are in the elbow over the widest ranges of log l1, widest last."""
    first, last = span(path)
    events, n = path.events, path.problem.dictionary.shape[0]
    comes, goes = (
        events[np.isin(events["kind"], kinds)] for kinds in (["elbow"], ["left", "right"])
    )
    inside = np.bincount(path.breakpoints.first_elbow, minlength=n) + np.bincount(
        comes["index"], minlength=n
    )
    ever = np.flatnonzero(inside)
    inside -= np.bincount(goes["index"], minlength=n)
    # Each stay is log(l1 at its beginning) − log(l1 at its end): the first begin with the path, the last end with it.
    stay = np.zeros(n)
    stay[path.breakpoints.first_elbow] += np.log(first)
    stay[inside > 0] -= np.log(last)
    np.add.at(stay, comes["index"], np.log(np.maximum(comes["l1"], last)))
    np.subtract.at(stay, goes["index"], np.log(np.maximum(goes["l1"], last)))
    return ever[np.argsort(-stay[ever], kind="stable")[:top]][::-1]
