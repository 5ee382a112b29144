"""What is kept of a path? The free numbers of every breakpoint, and what happened there.

A point i with K kinks has a position: 2k on the linear piece k of its loss, 2k + 1 at kink k. On
piece k its dual value is −g_k, minus the slope there; only the dual values of points at a kink are
free, and only the coefficients of active columns. For the hinge the positions are 0 (left: α = w),
1 (the elbow) and 2 (right: α = 0).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from chemin.dictionaries.base import Floats, Indices
from chemin.problems import PiecewiseQuadratic

KINDS = ("start", "enter", "leave", "elbow", "left", "right", "end", "bend")
EVENT = np.dtype([
    ("l1", float), ("kind", "U5"), ("index", np.int64), ("breakpoint", np.int64),
    ("active", np.int64), ("left", np.int64), ("elbow", np.int64), ("right", np.int64),
])  # fmt: skip
_ENTER = KINDS.index("enter")
_LEAVE = KINDS.index("leave")

_PER_BREAKPOINT = ("l1", "intercept", "n_active", "n_elbow")
_PER_EVENT = ("kind", "index", "position", "breakpoint")


class DualBlock(NamedTuple):
    """Dual values at consecutive breakpoints.

    Attributes
    ----------
    base : ndarray of shape (n,)
        Those at the first breakpoint.
    points : ndarray of shape (m,)
        The points that are at a kink, or go elsewhere, at one of the breakpoints; the others stay
        as they are.
    values : ndarray of shape (k, m)
        The dual values of these points, one row per breakpoint.
    """

    base: Floats
    points: Indices
    values: Floats


@dataclass(frozen=True, eq=False)
class Breakpoints:
    """The breakpoints of a path and its events, read-only.

    Attributes
    ----------
    l1, intercept : ndarray of float64
        One number per breakpoint.
    coef_values, active : ndarray of float64 and of int32
        The coefficients of every breakpoint and their columns, end to end.
    n_active : ndarray of int64
        How many of them each breakpoint has.
    dual_values, elbow : ndarray of float64 and of int32
        The dual values of the points at a kink and which points these are, end to end.
    n_elbow : ndarray of int64
        How many of them each breakpoint has.
    kind : ndarray of int8
        What happened, as a place in `KINDS`.
    index : ndarray of int64
        To which column or point; −1 for the start and the end.
    position : ndarray of int16
        The new position of a point; −1 where no point moved.
    breakpoint : ndarray of int64
        Where it happened.
    first_position : ndarray of int16
        The position of every point at the first breakpoint.

    Examples
    --------
    >>> import chemin
    >>> path = chemin.svm_path([[-2.0], [-1.0], [1.0], [2.0]], [0, 0, 1, 1], min_l1=3.0)
    >>> breakpoints = path.breakpoints
    >>> breakpoints.l1.tolist()
    [6.0, 5.5, 3.0]
    >>> breakpoints.dual(np.array([0, 2]), path.problem.loss).round(3).tolist()
    [[1.0, 1.0, 1.0, 1.0], [0.375, 1.0, 1.0, 0.375]]
    """

    l1: Floats
    intercept: Floats
    coef_values: Floats
    active: NDArray[np.int32]
    n_active: NDArray[np.int64]
    dual_values: Floats
    elbow: NDArray[np.int32]
    n_elbow: NDArray[np.int64]
    kind: NDArray[np.int8]
    index: NDArray[np.int64]
    position: NDArray[np.int16]
    breakpoint: NDArray[np.int64]
    first_position: NDArray[np.int16]

    def __getstate__(self) -> dict[str, Any]:
        return {name.name: self.__dict__[name.name] for name in fields(self)}

    @classmethod
    def of(cls, record: Any) -> Breakpoints:
        """Freeze what the engine has recorded."""
        arrays = record.arrays()
        values = {"coef_values": arrays.pop("coef"), "dual_values": arrays.pop("dual")}
        return cls(**arrays, **values)

    @property
    def first_active(self) -> NDArray[np.int32]:
        """The active columns of the first breakpoint."""
        return self.active[: self.n_active[0]]

    @property
    def first_elbow(self) -> NDArray[np.int32]:
        """The points at a kink at the first breakpoint."""
        return self.elbow[: self.n_elbow[0]]

    def first(self, count: int) -> Breakpoints:
        """Return the first so many breakpoints, and what happened there."""
        kept = {name: getattr(self, name)[:count] for name in _PER_BREAKPOINT}
        happened = self.breakpoint < count
        kept |= {name: getattr(self, name)[happened] for name in _PER_EVENT}
        for values, owners, ends in (
            ("coef_values", "active", self._active_ends),
            ("dual_values", "elbow", self._elbow_ends),
        ):
            kept[values] = getattr(self, values)[: ends[count]]
            kept[owners] = getattr(self, owners)[: ends[count]]
        return replace(self, **kept)

    def coef(self, p: int) -> sparse.csr_array:
        """Return the coefficients at the breakpoints, one row each."""
        entries = (self.coef_values, self.active, self._active_ends)
        shape = (len(self.l1), p)
        rows = sparse.csr_array(entries, shape=shape, copy=True)  # sorted in place below
        rows.eliminate_zeros()
        rows.sort_indices()
        return rows

    def coef_rows(self, first: int, stop: int, p: int) -> sparse.csr_array:
        """Return the coefficients at consecutive breakpoints, in the order of the active sets."""
        ends = self._active_ends[first : stop + 1]
        some = slice(ends[0], ends[-1])
        entries = (self.coef_values[some], self.active[some], ends - ends[0])
        return sparse.csr_array(entries, shape=(stop - first, p))

    def coef_between(self, before: Indices, share: Floats, p: int) -> Floats:
        """Return the coefficients at a share of the way from breakpoints to the next, dense."""
        coef = np.zeros((len(before), p))
        after = np.minimum(before + 1, len(self.l1) - 1)
        for rows, factor in ((before, 1.0 - share), (after, share)):
            owner, places = _gather(self._active_ends, rows)
            coef[owner, self.active[places]] += factor[owner] * self.coef_values[places]
        return coef

    def dual(self, rows: Indices, loss: PiecewiseQuadratic) -> Floats:
        """Return the dual values at some breakpoints, one dense row each."""
        return self.dual_between(rows, np.zeros(len(rows)), loss)

    def dual_between(self, before: Indices, share: Floats, loss: PiecewiseQuadratic) -> Floats:
        """Return the dual values at a share of the way from some breakpoints to the next, dense."""
        dual = np.empty((len(before), len(self.first_position)))
        moves = self._moves
        value = moves.values(loss)
        now = _on_pieces(self.first_position, loss)
        done = 0
        for k, rows in _groups(before):
            done = self._forward(now, value, done, k)
            dual[rows] = now
            inside = rows[share[rows] > 0.0]
            if not len(inside):
                continue
            start = now.copy()
            last = done
            done = self._forward(now, value, done, k + 1)
            changed = np.concatenate(
                [self._elbow_of(k), moves.who[last:done], self._elbow_of(k + 1)]
            )
            part = share[inside][:, None]
            between = (1.0 - part) * start[changed] + part * now[changed]
            dual[inside[:, None], changed] = between
        return dual

    def dual_blocks(
        self, starts: Indices, overlap: int, loss: PiecewiseQuadratic
    ) -> Iterator[DualBlock]:
        """Hand out the dual values from each start to the next, and ``overlap`` beyond."""
        moves = self._moves
        value = moves.values(loss)
        now = _on_pieces(self.first_position, loss)
        place = np.empty(len(now), dtype=np.intp)
        count = len(self.l1)
        done = 0
        for first, following in zip(starts, [*starts[1:], count], strict=True):
            stop = min(following + overlap, count)
            done = self._forward(now, value, done, int(first))
            last = int(np.searchsorted(moves.where, stop - 1, side="right"))
            elbow_rows, elbow_places = _gather(self._elbow_ends, np.arange(first, stop))
            held = self.elbow[elbow_places]
            place[:] = -1
            place[held] = 0
            place[moves.who[done:last]] = 0
            points = np.flatnonzero(place == 0)
            place[points] = np.arange(len(points))
            values = np.repeat(now[points][None], stop - first, axis=0)
            columns = place[moves.who[done:last]].tolist()
            since = (moves.where[done:last] - first).tolist()
            for row, column, new in zip(since, columns, value[done:last].tolist(), strict=True):
                values[row:, column] = new
            values[elbow_rows, place[held]] = self.dual_values[elbow_places]
            yield DualBlock(now.copy(), points, values)

    def at_bounds(
        self, rows: Indices, loss: PiecewiseQuadratic, tolerance: float
    ) -> NDArray[np.bool_]:
        """Say whether every dual value is that of a piece: the intercept may then be free."""
        some = np.flatnonzero(self.n_elbow[rows] > 0)
        # most breakpoints are ruled out by one of their points
        inside = self._is_inside(self._elbow_ends[rows[some]], loss, tolerance)
        some = some[~inside]
        owner, places = _gather(self._elbow_ends, rows[some])
        inside = self._is_inside(places, loss, tolerance)
        at_bounds = self.n_elbow[rows] == 0
        at_bounds[some] = np.bincount(owner[inside], minlength=len(some)) == 0
        return at_bounds

    def _is_inside(
        self, places: Indices, loss: PiecewiseQuadratic, tolerance: float
    ) -> NDArray[np.bool_]:
        """Say of some free dual values whether they are strictly between those of two pieces."""
        points = self.elbow[places]
        values = self.dual_values[places]
        inside = np.zeros(len(places), dtype=bool)
        for k in range(loss.shape[1]):
            low = -loss.slope[points, k + 1]
            high = -loss.slope[points, k]
            least = tolerance * np.where(np.isfinite(high - low), high - low, 0.0)
            inside |= (values > low + least) & (values < high - least)
        return inside

    def positions(self, k: int) -> NDArray[np.int16]:
        """Return the position of every point after what happened at breakpoint k."""
        position = self.first_position.copy()
        done = int(np.searchsorted(self._moves.where, k, side="right"))
        # Repeated indices keep their last value, which is the order of events.
        position[self._moves.who[:done]] = self._moves.to[:done]
        return position

    def active_at(self, k: int) -> slice:
        """Return where the active columns of breakpoint k and their coefficients are."""
        return slice(self._active_ends[k], self._active_ends[k + 1])

    def elbow_at(self, k: int) -> slice:
        """Return where the points at a kink at breakpoint k and their dual values are."""
        return slice(self._elbow_ends[k], self._elbow_ends[k + 1])

    def events(self, n_kinks: int) -> Any:
        """Return the table of events, with the sizes of the sets after each."""
        table = np.empty(len(self.kind), dtype=EVENT)
        table["kind"] = np.array(KINDS)[self.kind]
        table["index"] = self.index
        table["breakpoint"] = self.breakpoint
        table["l1"] = self.l1[np.minimum(self.breakpoint, len(self.l1) - 1)]
        change = (self.kind == _ENTER).astype(np.int64) - (self.kind == _LEAVE)
        table["active"] = self.n_active[0] + np.cumsum(change)
        moved = self.position >= 0
        who, new = self.index[moved], self.position[moved]
        order = np.argsort(who, kind="stable")
        again = np.flatnonzero(who[order][1:] == who[order][:-1])
        old = self.first_position[who]
        old[order[again + 1]] = new[order[again]]
        for name in ("left", "elbow", "right"):
            change = np.zeros(len(self.kind), dtype=np.int64)
            change[moved] = _is_in(name, new, n_kinks) - _is_in(name, old, n_kinks)
            first = _is_in(name, self.first_position, n_kinks).sum()
            table[name] = first + np.cumsum(change)
        return table.view(np.recarray)

    @cached_property
    def _active_ends(self) -> NDArray[np.int64]:
        return _ends(self.n_active)

    @cached_property
    def _elbow_ends(self) -> NDArray[np.int64]:
        return _ends(self.n_elbow)

    @cached_property
    def _moves(self) -> _Moves:
        moved = self.position >= 0
        return _Moves(self.index[moved], self.position[moved], self.breakpoint[moved])

    def _elbow_of(self, k: int) -> NDArray[np.int32]:
        return self.elbow[self.elbow_at(k)]

    def _forward(self, now: Floats, value: Floats, done: int, k: int) -> int:
        """Take dual values, ``done`` moves from the start, to breakpoint k; count the moves."""
        last = int(np.searchsorted(self._moves.where, k, side="right"))
        # Repeated indices keep their last value, which is the order of events.
        now[self._moves.who[done:last]] = value[done:last]
        now[self._elbow_of(k)] = self.dual_values[self.elbow_at(k)]
        return last


class _Moves(NamedTuple):
    """The moves of points: which one, to which position, at which breakpoint."""

    who: NDArray[np.int64]
    to: NDArray[np.int16]
    where: NDArray[np.int64]

    def values(self, loss: PiecewiseQuadratic) -> Floats:
        """Return the dual values that points take; those at a kink come with the breakpoint."""
        return -loss.slope[self.who, self.to // 2]


def _on_pieces(position: NDArray[np.int16], loss: PiecewiseQuadratic) -> Floats:
    return -loss.slope[np.arange(len(position)), position // 2]


def _is_in(name: str, position: NDArray[np.int16], n_kinks: int) -> NDArray[np.int64]:
    """Return 1 for points at a kink, on the first piece or on the last one, and 0 for others."""
    if name == "elbow":
        return (position % 2 == 1).astype(np.int64)
    return (position == (0 if name == "left" else 2 * n_kinks)).astype(np.int64)


def _groups(values: Indices) -> Iterator[tuple[int, Indices]]:
    """Hand out different values, increasing, and where each of them is."""
    order = np.argsort(values, kind="stable")
    distinct, first = np.unique(values[order], return_index=True)
    yield from zip(distinct.tolist(), np.split(order, first[1:]), strict=True)


def _gather(ends: NDArray[np.int64], rows: Indices) -> tuple[Indices, Indices]:
    """Return, for lists laid end to end, the owners and the places of all entries of some of them.

    Examples
    --------
    >>> owner, places = _gather(np.array([0, 2, 3, 5]), np.array([2, 0]))
    >>> owner.tolist(), places.tolist()
    ([0, 0, 1, 1], [3, 4, 0, 1])
    """
    sizes = ends[rows + 1] - ends[rows]
    owner = np.repeat(np.arange(len(rows)), sizes)
    before = np.cumsum(sizes) - sizes
    return owner, np.arange(len(owner)) + np.repeat(ends[rows] - before, sizes)


def _ends(sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.concatenate(([0], np.cumsum(sizes)))
