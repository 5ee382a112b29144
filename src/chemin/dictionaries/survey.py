"""How near is every column to its threshold? All correlations, kept up to date, and the columns nearest to l1 v_j.

A survey belongs to a dictionary and lives where its columns do: whoever asks gets the few nearest columns, never all
correlations. The distance of column j is (l1 v_j − |c_j|) / pace_j, a lower bound of how far (u, l1) has to go until
|c_j| = l1 v_j. Ways are measured in `Units`: with H the rows that move most, a_k orthonormal vectors of sum 0 on them,

    length² = ‖Δu_H‖² + Σ_k (κ_k² − 1) (a_k·Δu_H)² + (Σ_{i∉H} |Δu_i| / e)² + (Δl1 / d)²,
    pace_j² = ‖x̃_Hj‖² − Σ_k (1 − κ_k⁻²) (a_k·x̃_Hj)² + (e max_i |x̃_ij|)² + (d v_j)²,     x̃_ij = x_ij − m_j,

where m_j, the mean on H, may be taken off since Σ Δu_i = 0: what |c_j| and l1 v_j change by is at most pace × length
(Cauchy-Schwarz, on H with each a_k stretched κ_k-fold; Hölder for the other rows, few of which move at first). In a
given direction the distance is how far it leads until column j is reached.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np

from chemin.dictionaries.base import Dictionary, Floats, Indices

UNBALANCED = 1e-6  # of the norm of a column: what rounding leaves of Σ Δu_i, and takes from sums, is far below
_AT_ONCE = 2**18  # entries


class Units(NamedTuple):
    """In which units a way of (u, l1) is measured: the H, a_k as columns, κ_k ≥ 1, e and d of the formula above."""

    rows: Indices
    axes: Floats
    stretch: Floats
    elsewhere: float
    l1: float


class Ahead(NamedTuple):
    """A direction: how the correlations' u changes on some rows, how l1 does, and how far one unit of it leads."""

    change: Floats
    rows: Indices
    l1: float
    speed: float


class Nearest(NamedTuple):
    """The nearest columns, their correlations and paces, and the distance of the nearest of the others."""

    columns: Indices
    correlation: Floats
    pace: Floats
    limit: float


class Survey(Protocol):
    """What the engine asks about all columns at once.

    Attributes
    ----------
    axes : int
        How many directions it can stretch at little cost.
    """

    axes: int

    def cost(self, share: float) -> float:
        """Return what an update by this share of all points and a choice cost, in multiplications of a dense array."""

    def read(self, u: Floats) -> None:
        """Compute every correlation Xᵀu afresh."""

    def update(self, change: Floats, rows: Indices) -> None:
        """Bring the correlations up to date: u has changed on these rows, and there only."""

    def measure_by(self, units: Units) -> None:
        """Let ways be measured in these units."""

    def nearest(
        self, l1: float, count: int, active: Indices, ahead: Ahead | None = None
    ) -> Nearest:
        """Return the active columns and those `count` others that are nearest to their thresholds.

        All candidates, and an infinite limit, if there are no more than `count`. Near means in the direction ahead, if
        one is given, and in any direction otherwise.
        """

    def beyond(self, l1: float, also: Indices) -> tuple[Indices, Floats]:
        """Return which of the candidates and of the columns in `also` are beyond l1 v_j, and their correlations."""


@runtime_checkable
class Surveyed(Protocol):
    """A dictionary that makes its own surveys, because its columns live elsewhere."""

    def survey(self, norm: Floats, ranges: Floats, weight: Floats, excluded: Indices) -> Survey:
        """Return a survey of all columns, given their norms, ranges and l1 weights; the excluded are no candidates."""


def survey_of(
    dictionary: Dictionary, norm: Floats, ranges: Floats, weight: Floats, excluded: Indices
) -> Survey:
    """Return a survey of a dictionary, its own if it makes one."""
    if isinstance(dictionary, Surveyed):
        return dictionary.survey(norm, ranges, weight, excluded)
    return DictionarySurvey(dictionary, norm, ranges, weight, excluded)


class Readable(Protocol):
    """What a survey in memory reads."""

    def correlations(self, u: Floats, rows: Indices | None = None) -> Floats:
        """Return Xᵀu; if `rows` are given, u has no other entries."""


class ArraySurvey:
    """A survey in memory, of the columns of a pool: their correlations and paces are given."""

    axes = 8

    def __init__(
        self,
        source: Readable,
        weight: Floats,
        excluded: Indices,
        correlation: Floats,
        pace: Floats,
        look_cost: float,
    ) -> None:
        self.source, self.weight, self.excluded = source, weight, excluded
        self.correlation, self.pace, self.look_cost = correlation, pace, look_cost

    def cost(self, share: float) -> float:
        """Return what an update by this share of all points and a choice cost, in multiplications of a dense array."""
        return (
            0.4 * share * self.look_cost + 40.0 * len(self.pace) + 1e5
        )  # measured: products, choice, and the rest

    def update(self, change: Floats, rows: Indices) -> None:
        """Bring the correlations up to date: u has changed on these rows, and there only."""
        self.correlation += self.source.correlations(change, rows)

    def nearest(
        self, l1: float, count: int, active: Indices, ahead: Ahead | None = None
    ) -> Nearest:
        distance = self._distances(l1) if ahead is None else self._distances_ahead(l1, ahead)
        distance[self.excluded] = distance[active] = np.inf
        if count >= len(distance) - len(self.excluded) - len(active):
            chosen, limit = np.flatnonzero(distance < np.inf), np.inf
        else:
            order = np.argpartition(distance, count)
            limit, chosen = float(distance[order[count]]), np.sort(order[:count])
            chosen = chosen[distance[chosen] < np.inf]
        columns = np.concatenate((chosen, active))
        return Nearest(columns, self.correlation[columns], self.pace[columns], limit)

    def _distances(self, l1: float) -> Floats:
        distance = np.abs(self.correlation)
        np.subtract(l1 * self.weight, distance, out=distance)
        distance /= self.pace
        return distance

    def _distances_ahead(self, l1: float, ahead: Ahead) -> Floats:
        rate = self.source.correlations(ahead.change, ahead.rows)
        steps = np.full(len(rate), np.inf)
        for sign in (1.0, -1.0):  # slack l1 v ∓ c
            closing = sign * rate - ahead.l1 * self.weight
            reached = np.maximum(l1 * self.weight - sign * self.correlation, 0.0)
            np.minimum(
                steps,
                np.divide(reached, closing, out=np.full_like(steps, np.inf), where=closing > 0),
                out=steps,
            )
        np.multiply(steps, ahead.speed, out=steps, where=steps < np.inf)  # the speed may be 0
        return steps


class DictionarySurvey(ArraySurvey):
    """A survey in memory, of all columns of a dictionary."""

    def __init__(
        self,
        dictionary: Dictionary,
        norm: Floats,
        ranges: Floats,
        weight: Floats,
        excluded: Indices,
    ) -> None:
        p = len(norm)
        super().__init__(
            dictionary, weight, excluded, np.zeros(p), np.ones(p), dictionary.look_cost
        )
        self.dictionary, self.norm, self.ranges = dictionary, norm, ranges
        self.rows, self.sums = np.empty(0, dtype=np.intp), np.zeros((2, p))

    def read(self, u: Floats) -> None:
        self.correlation = self.dictionary.correlations(u)
        self.rows, self.sums = np.empty(0, dtype=np.intp), np.zeros_like(self.sums)

    def measure_by(self, units: Units) -> None:
        joined, left = np.setdiff1d(units.rows, self.rows), np.setdiff1d(self.rows, units.rows)
        self.sums += self._sums(joined)
        self.sums -= self._sums(left)
        self.rows = units.rows
        total, square = self.sums
        mean = total / len(units.rows)
        square = square - total * mean
        if len(units.stretch):
            along = self.dictionary.correlations(units.axes, units.rows)
            square -= np.square(along, out=along) @ (1.0 - units.stretch**-2)
        square = (np.sqrt(np.maximum(square, 0.0)) + UNBALANCED * self.norm) ** 2
        square += (
            units.elsewhere * np.maximum(mean - self.ranges[:, 0], self.ranges[:, 1] - mean)
        ) ** 2
        self.pace = np.sqrt(square + (units.l1 * self.weight) ** 2)
        self.pace[self.excluded] = 1.0

    def beyond(self, l1: float, also: Indices) -> tuple[Indices, Floats]:
        over = np.abs(self.correlation) > l1 * self.weight
        inside = over[also]
        over[self.excluded] = False
        over[also] = inside
        columns = np.flatnonzero(over)
        return columns, self.correlation[columns]

    def _sums(self, rows: Indices) -> Floats:
        """Return the sums of the entries and of their squares over some rows, one of each per column."""
        p = len(self.norm)
        sums, width = np.zeros((2, p)), max(1, _AT_ONCE // max(len(rows), 1))
        for start in range(0, p if len(rows) else 0, width):
            some = np.arange(start, min(start + width, p))
            block = self.dictionary.block(rows, some)
            sums[0, some] = block.sum(axis=0)
            sums[1, some] = np.einsum("ij,ij->j", block, block)
        return sums
