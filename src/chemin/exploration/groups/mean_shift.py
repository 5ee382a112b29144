"""Where do points climb to? Mean shift: points that reach the same maximum of a window density are one group.

x ← Σ K((x − xₙ)/h) xₙ / Σ K((x − xₙ)/h). With the Gaussian window, K is the window itself, and the step is one of
gradient ascent on the Parzen density p, of length h²/p(x). With Epanechnikov's window 1 − r², whose derivative is
proportional to r, K is flat: 1 up to r = 1, then 0. On both ways p never falls.

References: Fukunaga and Hostetler (1975); Cheng (1995); Comaniciu and Meer (2002). Chacón and Duong (2013) for the
bandwidth: maxima are where the gradient is 0, and a gradient asks for a wider window than a density does.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from chemin.dictionaries.base import Floats, Indices
from chemin.exceptions import InvalidInputError
from chemin.exploration.cost import BUDGET, drawn
from chemin.exploration.densities.parzen import Parzen, as_bandwidth, rule_bandwidth
from chemin.exploration.groups.grouping import Grouping, in_order, in_plane
from chemin.exploration.points import Points, as_points
from chemin.frames import as_frame
from chemin.progress import Bar
from chemin.results import Result

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WINDOWS = ("gaussian", "epanechnikov")
_REST = 1e-8  # of the bandwidth: a shorter step is rest
_TOGETHER = 1e-3  # of the bandwidth: points as near to one another go on as one
_SAME = {"gaussian": 1e-2, "epanechnikov": 0.25}  # bandwidths below which two maxima are one
_NUDGE = 1e-2  # of the bandwidth, away from a saddle
_SADDLE = 1e-6  # a curvature above it, in units of p/h², is no maximum
_STEPS = 20_000
_SOME_STEPS = 5  # steps between two looks at which points are together
_BLOCK = 2**23  # distances held at once
_SHOWN = 40  # trajectories drawn


@dataclass(frozen=True, eq=False, repr=False)
class Trajectories(Result):
    """The ways that some points climb.

    Attributes
    ----------
    ways : tuple of ndarray of shape (steps + 1, p)
        The places of each, from its start to rest.
    densities : tuple of ndarray of shape (steps + 1,)
        The density at these, which never falls.
    names : tuple of str
        Names of the coordinates.
    """

    ways: tuple[Floats, ...]
    densities: tuple[Floats, ...]
    names: tuple[str, ...]

    @property
    def ends(self) -> Floats:
        """Where the ways end."""
        return np.stack([way[-1] for way in self.ways])

    def __str__(self) -> str:
        steps = [len(way) - 1 for way in self.ways]
        return f"{len(self.ways)} trajectories of {min(steps)} to {max(steps)} steps"

    def frame(self) -> Any:
        """Return a row per step as a DataFrame."""
        lengths = [len(way) for way in self.ways]
        places = np.concatenate(self.ways)
        made: dict[str, Any] = {
            "start": np.repeat(np.arange(len(self.ways)), lengths),
            "step": np.concatenate([np.arange(length) for length in lengths]),
        }
        made |= dict(zip(self.names, places.T, strict=True))
        made["density"] = np.concatenate(self.densities)
        return as_frame(made, instead="ways and densities")


@dataclass(frozen=True, eq=False, repr=False)
class ModeGroups(Grouping):
    """Groups of points that climb to the same maximum of a density.

    Attributes
    ----------
    modes : ndarray of shape (k, p)
        The maxima, in the order of the groups.
    density : Parzen
        The density that is climbed.
    """

    modes: Floats
    density: Parzen

    @property
    def heights(self) -> Floats:
        """The density at the maxima."""
        return self.density.pdf(self.modes)

    def trajectories(self, starts: Any = None) -> Trajectories:
        """Return the way of some starts, step by step.

        Parameters
        ----------
        starts : array of shape (m, p), optional
            Where they begin; by default forty of the points.

        Returns
        -------
        Trajectories

        Examples
        --------
        >>> found = mean_shift([0.0, 0.1, 0.2, 5.0, 5.1], bandwidth=0.5)
        >>> ways = found.trajectories([[1.0]])
        >>> ways.ways[0].ravel()[:3].round(3).tolist(), bool(np.all(np.diff(ways.densities[0]) >= 0))
        ([1.0, 0.123, 0.101], True)
        """
        X = self.points.values
        if starts is None:
            begun = X[drawn(len(X), _SHOWN, 0)]
        else:
            begun = np.asarray(starts, dtype=float)
            begun = begun.reshape(-1, X.shape[1]) if begun.ndim < 2 else begun
            if begun.ndim != 2 or begun.shape[1] != X.shape[1]:
                raise InvalidInputError(
                    f"starts have shape {begun.shape}: pass rows of {X.shape[1]} numbers"
                )
        shift = _Shift(X, self.density.bandwidth, self.density.window)
        steps = [begun, *shift.walk(begun)]
        ways = []
        for place in range(len(begun)):
            way = np.stack([at[place] for at in steps])
            moved = np.linalg.norm(np.diff(way, axis=0), axis=1) > _REST * shift.h
            ways.append(way[: int(np.flatnonzero(moved)[-1]) + 2 if moved.any() else 1])
        heights = tuple(self.density.pdf(way) for way in ways)
        return Trajectories(tuple(ways), heights, self.points.names)

    def groups_of(self, x: Any) -> Indices:
        """Return the groups of other points: where they climb to, −1 if to none of these maxima."""
        shift = _Shift(self.points.values, self.density.bandwidth, self.density.window)
        ends = shift.climb(np.asarray(x, dtype=float).reshape(-1, self.modes.shape[1]))
        away = shift.squares(ends, self.modes)
        nearest = np.argmin(away, axis=1)
        reach = _SAME[self.density.window] ** 2
        return np.where(away.min(axis=1) <= reach, nearest, -1).astype(np.intp)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the points, the maxima and some trajectories, over the density if there are two columns."""
        from chemin.plots.exploration.groups import draw_modes

        plane, names, axes = in_plane(self.points)
        density = None
        if self.points.shape[1] == 2:
            x, y = self.density.grid()
            density = (x, y, self.density.values_on([x, y]))
        ways = [way @ axes.T for way in self.trajectories().ways]
        return draw_modes(
            plane, self.labels, self.modes @ axes.T, ways, names, str(self), density, ax=ax
        )


def mean_shift(
    data: Any,
    bandwidth: float | str = "modes",
    *,
    window: str = "gaussian",
    merge: float | None = None,
    scale: bool = False,
    budget: float | None = BUDGET,
    random_state: int = 0,
    progress: bool = False,
) -> ModeGroups:
    """Group points by the maximum of the density that they climb to.

    Points that come within a thousandth of a bandwidth of one another go on as one.

    Parameters
    ----------
    data : array, DataFrame, Table or path
        The points.
    bandwidth : float or "modes", default "modes"
        Width of the window, in the units of the data; "modes" is right for the gradient of a normal law.
    window : {"gaussian", "epanechnikov"}, default "gaussian"
        The window of the density. With "epanechnikov", points move to the mean of all within the bandwidth, as in
        `sklearn.cluster.MeanShift`.
    merge : float, optional
        Maxima nearer than so many bandwidths count as one, the highest: 0.01 by default, for "epanechnikov" 0.25, and 1
        in scikit-learn.
    scale : bool, default False
        Bring columns to standard deviation 1 first.
    budget : float, optional
        Seconds of estimated work beyond which a random part of the rows is looked at.
    random_state : int, default 0
        Which part.
    progress : bool, default False
        Draw a bar.

    Returns
    -------
    ModeGroups

    Examples
    --------
    >>> found = mean_shift([0.0, 0.1, 0.2, 5.0, 5.1], bandwidth=0.5)
    >>> found.labels.tolist(), found.modes.ravel().round(2).tolist()
    ([0, 0, 0, 1, 1], [0.1, 5.05])
    """
    if window not in WINDOWS:
        raise InvalidInputError(f"window is {window!r}: pass 'gaussian' or 'epanechnikov'")
    if merge is not None and not 0.0 <= merge < np.inf:
        raise InvalidInputError(f"merge is {merge!r}: pass a number of bandwidths, 0 or larger")
    points = as_points(
        data, scale=scale, part="mean shift", budget=budget, random_state=random_state
    )
    h, said = _bandwidth(points, bandwidth, window)
    density = Parzen(points, h, window, said)
    shift = _Shift(points.values, h, window)
    ends = shift.climb(points.values, Bar("mean shift", len(points.values), progress))
    ends = shift.off_saddles(ends)
    modes, place = _merged(ends, density, (_SAME[window] if merge is None else merge) * h)
    labels = in_order(place)
    first = np.unique(labels, return_index=True)[1]
    method = f"mean shift, {window} window, h = {h:.4g}"
    return ModeGroups(points, labels, method, modes[place[first]], density)


class _Shift:
    """The step of mean shift for one sample, bandwidth and window."""

    def __init__(self, X: Floats, h: float, window: str) -> None:
        self.center = X.mean(axis=0)  # so that squares lose no digits to a common offset
        self.X = X - self.center
        self.h = h
        self.window = window
        self.mixing = np.random.default_rng(0).integers(-(2**63), 2**63 - 1, size=X.shape[1])

    def squares(self, at: Floats, others: Floats) -> Floats:
        """Return ‖x − z‖²/h²."""
        x = at - self.center
        z = others - self.center
        products = x @ z.T
        sums = np.sum(x**2, axis=1)[:, None] + np.sum(z**2, axis=1)
        return np.maximum(sums - 2.0 * products, 0.0) / self.h**2

    def weights(self, at: Floats) -> Floats:
        """Return K((x − xₙ)/h), of each row up to a factor."""
        squares = self.squares(at, self.X + self.center)
        if self.window == "epanechnikov":
            return (squares <= 1.0).astype(float)
        squares -= squares.min(axis=1, keepdims=True)
        return np.exp(-0.5 * squares)

    def step(self, at: Floats) -> Floats:
        """Return where points are after one step."""
        rows = max(_BLOCK // len(self.X), 1)
        return np.concatenate(
            [self._step(at[first : first + rows]) for first in range(0, len(at), rows)]
        )

    def _step(self, at: Floats) -> Floats:
        weights = self.weights(at)
        mass = weights.sum(axis=1, keepdims=True)
        means = weights @ self.X / np.where(mass > 0.0, mass, 1.0) + self.center
        return np.where(mass > 0.0, means, at)  # nothing within the window: it stays

    def walk(self, at: Floats) -> Iterator[Floats]:
        """Hand on the places of all points, step by step, until all rest."""
        for _ in range(_STEPS):
            moved = self.step(at)
            longest = float(np.linalg.norm(moved - at, axis=1).max(initial=0.0))
            at = moved
            yield at
            if longest <= _REST * self.h:
                return

    def climb(self, starts: Floats, bar: Bar | None = None) -> Floats:
        """Return where points come to rest."""
        at = np.array(starts, dtype=float)
        owner = np.arange(len(at))  # whose way each point goes
        moving = owner.copy()
        for count in range(1, _STEPS + 1):
            moved = self.step(at[moving])
            still = np.linalg.norm(moved - at[moving], axis=1) <= _REST * self.h
            at[moving] = moved
            moving = moving[~still]
            if not len(moving):
                break
            if count % _SOME_STEPS == 0:
                leader = self._leaders(at[moving])
                owner[moving] = moving[leader]
                moving = moving[leader == np.arange(len(leader))]
                if bar is not None:
                    bar.done = len(at) - len(moving)
                    bar.write(str(bar))
        if bar is not None:
            bar.close()
        while not np.array_equal(owner[owner], owner):
            owner = owner[owner]
        return at[owner]

    def _leaders(self, at: Floats) -> Indices:
        """Return, for each point, the first of those that are in its cell of a fine grid."""
        cells = np.round((at - self.center) / (_TOGETHER * self.h)).astype(np.int64)
        keys = cells @ self.mixing  # a number per cell, which two cells share by chance once in 2⁶⁴
        _, first, cell = np.unique(keys, return_index=True, return_inverse=True)
        return np.asarray(first[cell])

    def off_saddles(self, ends: Floats) -> Floats:
        """Return ends that are maxima: from a saddle, where a start between two maxima may rest, climb on."""
        if self.window == "epanechnikov":  # which has no second derivative there
            return ends
        places, place = np.unique(ends, axis=0, return_inverse=True)
        for k, end in enumerate(places):
            weights = self.weights(end[None])[0]
            away = (self.X + self.center - end) / self.h
            # h²/p times the Hessian of p is Σ ω u uᵀ − I, u = (xₙ − x)/h, ω weights of sum 1.
            spread = (away * weights[:, None]).T @ away / weights.sum()
            curvatures, axes = np.linalg.eigh(spread)
            if curvatures[-1] > 1.0 + _SADDLE:
                places[k] = self.climb((end + _NUDGE * self.h * axes[:, -1])[None])[0]
        return places[place.ravel()]


def _bandwidth(points: Points, bandwidth: float | str, window: str) -> tuple[float, str]:
    if not isinstance(bandwidth, str):
        return as_bandwidth(bandwidth), "given"
    if bandwidth != "modes":
        raise InvalidInputError(f"bandwidth is {bandwidth!r}: pass a positive number, or 'modes'")
    n, d = points.shape
    spread = rule_bandwidth(points, "scott") * float(n) ** (1.0 / (d + 4.0))
    h = spread * (4.0 / ((d + 4.0) * n)) ** (1.0 / (d + 6.0))
    if window == "epanechnikov":  # the variance of this window is h²/(d + 4) along each axis
        h *= (d + 4.0) ** 0.5
    return h, "by the rule for gradients"


def _merged(ends: Floats, density: Parzen, radius: float) -> tuple[Floats, Indices]:
    """Return maxima of which no two are within the radius, the highest first, and the one of each end."""
    places, place = np.unique(ends, axis=0, return_inverse=True)
    order = np.argsort(-density.log_pdf(places), kind="stable")
    modes: list[Floats] = []
    of = np.empty(len(places), dtype=np.intp)
    for k in order:
        away = np.linalg.norm(np.array(modes) - places[k], axis=1) if modes else np.array([np.inf])
        nearest = int(np.argmin(away))
        if away[nearest] > radius:
            nearest = len(modes)
            modes.append(places[k])
        of[k] = nearest
    return np.array(modes), of[place.ravel()]
