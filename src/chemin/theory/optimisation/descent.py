"""Where does a descent go, step by step? Gradient steps of a constant length, and what was made of them.

    constant      x ← x − η∇f(x)
    momentum      Δ ← βΔ + η∇f(x),        x ← x − Δ
    nesterov      Δ ← βΔ + η∇f(x − βΔ),   x ← x − Δ
    coordinate    the least of f along one axis, the next step along the next
    conjugate     the least of f along p ← −∇f(x) + max(γ, 0) p,  γ = ∇f·(∇f − ∇f_old)/‖∇f_old‖²
    stochastic    x ← x − η∇f_B(x) over batches B of the terms of f = (1/n) Σ f_i, in a new random order each pass

On ½ xᵀHx − b·x with eigenvalues s_i > 0 constant steps converge if and only if 0 < η < 2/max s_i, each eigenvector at
the rate |1 − ηs_i|; the conjugate gradient ends after as many steps as there are different s_i.

Reference: F. Sur, *Introduction à l'apprentissage automatique*, B.3; N. Baskiotis, *Machine Learning*, lecture 3.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.optimize import brentq

from chemin.dictionaries.base import Floats
from chemin.exceptions import InvalidInputError
from chemin.frames import as_frame
from chemin.results import plural
from chemin.theory.theorem import Promise, Theorem

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Descent", "contraction", "descend", "stochastic_descent"]

Function = Callable[[Any], Any]
_FAR = 1e100  # a value that is larger has diverged
_DOUBLINGS = 60
_ROUNDING = 1e-13  # a rise of f that is smaller, relative to the largest |f|, is none

STEPS = Theorem(
    "the convergence of gradient steps",
    "f(x − η∇f(x)) < f(x) for 0 < η < 2/L away from rest; on a convex f the limit is a minimum",
    ("∇f moves at most L times as fast as x", "0 < η < 2/L", "f convex, or a minimum nearby only"),
    "Sur, B.3; Nesterov 2004",
)


@dataclass(frozen=True, eq=False, repr=False)
class Descent(Promise):
    """The steps of a descent.

    Attributes
    ----------
    method : str
        How it went.
    points : ndarray of shape (steps + 1, d)
        Where it was.
    values, slopes : ndarrays of shape (steps + 1,)
        f, and the length of its gradient, there.
    ended : {"at rest", "steps spent", "diverged"}
        Why it ended.
    f : callable
        What was descended.
    """

    theorem = STEPS
    method: str
    points: Floats
    values: Floats
    slopes: Floats
    ended: str
    f: Function

    @property
    def steps(self) -> int:
        """How many steps were made."""
        return len(self.points) - 1

    @property
    def rises(self) -> int:
        """In how many steps f rose by more than rounding: too long a step, momentum, or chance."""
        rounding = _ROUNDING * float(np.abs(self.values).max())
        return int(np.sum(np.diff(self.values) > rounding))

    def __str__(self) -> str:
        return (
            f"{self.method}: {self.ended} after {plural(self.steps, 'step')}, f from {self.values[0]:.6g} to "
            f"{self.values[-1]:.6g}, gradient {self.slopes[-1]:.2g}; f rose in {self.rises} of them"
        )

    def frame(self) -> Any:
        """Return a row per step as a DataFrame."""
        places = {f"x{i + 1}": column for i, column in enumerate(self.points.T)}
        made = {"step": np.arange(self.steps + 1), "value": self.values, "gradient": self.slopes}
        return as_frame({**made, **places}, instead="points, values and slopes")

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the way: on f for one variable, over its levels for two, f against the steps for more."""
        from chemin.plots.theory.optimisation import draw_descent

        title = f"{self.method}: {self.ended} after {plural(self.steps, 'step')}"
        return draw_descent(self.f, self.points, self.values, title, ax=ax)


def descend(
    f: Function,
    gradient: Function,
    start: Any,
    *,
    method: str = "constant",
    step: float = 0.1,
    momentum: float = 0.9,
    steps: int = 200,
    tol: float = 1e-8,
) -> Descent:
    """Go down a function from some place, and keep the way.

    Parameters
    ----------
    f, gradient : callables
        x → f(x) and x → ∇f(x), for x of shape (d,).
    start : array of shape (d,)
        Where to begin.
    method : {"constant", "momentum", "nesterov", "coordinate", "conjugate"}
        Which steps.
    step : float, default 0.1
        η; of no meaning for the last two.
    momentum : float, default 0.9
        β.
    steps : int, default 200
        At most so many.
    tol : float, default 1e-8
        The descent is at rest where the gradient is no longer than this.

    Returns
    -------
    Descent

    Examples
    --------
    >>> bowl, slope = lambda x: x[0] ** 2 + 5.0 * x[1] ** 2, lambda x: np.array([2.0, 10.0]) * x
    >>> print(descend(bowl, slope, [1.0, 1.0], method="conjugate"))
    conjugate: at rest after 2 steps, f from 6 to ..., gradient ...; f rose in 0 of them
    >>> descend(bowl, slope, [1.0, 1.0], step=0.19).ended, descend(bowl, slope, [1.0, 1.0], step=0.21).rises > 0
    ('at rest', True)
    """
    ways = {
        "constant": lambda x: _moving(gradient, x, step, 0.0, ahead=False),
        "momentum": lambda x: _moving(gradient, x, step, momentum, ahead=False),
        "nesterov": lambda x: _moving(gradient, x, step, momentum, ahead=True),
        "coordinate": lambda x: _by_axes(gradient, x),
        "conjugate": lambda x: _conjugate(gradient, x),
    }
    STEPS.require(
        method in ways, "a known method", f"method is {method!r}", f"pass one of {', '.join(ways)}"
    )
    x = STEPS.vector("start", start)
    step = STEPS.positive("step", step, "η")
    held = isinstance(momentum, int | float) and 0.0 <= momentum < 1.0
    STEPS.require(held, "0 ≤ β < 1", f"momentum is {momentum!r}", "pass a number such as 0.9")
    steps = STEPS.whole("steps", steps, "the steps")
    tol = STEPS.positive("tol", tol, "tol")
    return _follow(method, f, gradient, ways[method](x), x, steps, tol)


def stochastic_descent(
    f: Function,
    gradient: Callable[[Any, Any], Any],
    start: Any,
    *,
    terms: int,
    batch: int = 1,
    step: float = 0.1,
    decay: float = 0.0,
    passes: int = 20,
    random_state: int = 0,
) -> Descent:
    """Go down a mean of many functions by a few of them at a time, in a new random order each pass.

    Parameters
    ----------
    f : callable
        x → the mean of all terms.
    gradient : callable
        (x, rows) → the mean gradient of the terms at these positions.
    start : array of shape (d,)
        Where to begin.
    terms : int
        How many functions.
    batch : int, default 1
        How many at a time.
    step : float, default 0.1
        η of the first pass.
    decay : float, default 0
        η is divided by 1 + decay · pass.
    passes : int, default 20
        How often each term is met.
    random_state : int, default 0
        What the orders are drawn from.

    Returns
    -------
    Descent
        A point per pass.

    Examples
    --------
    >>> numbers = np.array([1.0, 2.0, 6.0])
    >>> way = stochastic_descent(
    ...     lambda m: np.mean((m - numbers) ** 2), lambda m, rows: 2.0 * np.mean(m - numbers[rows]),
    ...     [0.0], terms=3, step=0.3, decay=1.0, passes=400)
    >>> bool(abs(way.points[-1, 0] - 3.0) < 0.05)
    True
    """
    x = STEPS.vector("start", start)
    terms = STEPS.whole("terms", terms, "the terms")
    batch = STEPS.whole("batch", batch, "the terms at a time")
    STEPS.require(
        batch <= terms,
        "no more at a time than there are",
        f"batch is {batch}",
        f"pass {terms} at most",
    )
    step = STEPS.positive("step", step, "η")
    slowing = isinstance(decay, int | float) and decay >= 0.0
    STEPS.require(slowing, "decay ≥ 0", f"decay is {decay!r}", "pass 0 for a constant step")
    passes = STEPS.whole("passes", passes, "the passes")
    drawing = np.random.default_rng(random_state)

    def way(x: Floats) -> Iterator[Floats]:
        for number in range(passes):
            order = drawing.permutation(terms)
            for first in range(0, terms, batch):
                rows = order[first : first + batch]
                x = x - step / (1.0 + decay * number) * np.asarray(gradient(x, rows), dtype=float)
            yield x

    whole = np.arange(terms)
    name = f"stochastic, {batch} of {terms} at a time"
    return _follow(name, f, lambda at: gradient(at, whole), way(x), x, passes, 0.0)


def contraction(hessian: Any, step: float) -> float:
    """Return max |1 − ηs_i|, by which constant steps on ½ xᵀHx shorten the distance to rest, at worst.

    Examples
    --------
    >>> contraction([[2.0, 0.0], [0.0, 10.0]], 0.1), round(contraction([[2.0, 0.0], [0.0, 10.0]], 1 / 6), 4)
    (0.8, 0.6667)
    """
    hessian = STEPS.symmetric("hessian", hessian)
    step = STEPS.positive("step", step, "η")
    return float(np.abs(1.0 - step * np.linalg.eigvalsh(hessian)).max())


def _follow(
    method: str,
    f: Function,
    gradient: Function,
    way: Iterator[Floats],
    start: Floats,
    steps: int,
    tol: float,
) -> Descent:
    """Go on until the gradient is short, f is far, or the steps are spent."""
    points = [start]
    slopes = [_length(gradient, start)]
    values = [float(np.squeeze(f(start)))]
    finite = bool(np.isfinite([values[0], slopes[0]]).all())
    STEPS.require(
        finite, "finite values", "f or its gradient is not finite at the start", "begin elsewhere"
    )
    ended = "at rest" if slopes[0] <= tol else "steps spent"
    while ended == "steps spent" and len(points) <= steps:
        with np.errstate(over="ignore", invalid="ignore"):
            x = next(way, None)
            if x is None:
                break
            value, slope = float(np.squeeze(f(x))), _length(gradient, x)
        if not (abs(value) < _FAR and slope < _FAR):
            ended = "diverged"
            break
        points.append(x)
        values.append(value)
        slopes.append(slope)
        if slope <= tol:
            ended = "at rest"
    return Descent(method, np.array(points), np.array(values), np.array(slopes), ended, f)


def _length(gradient: Function, x: Floats) -> float:
    return float(np.linalg.norm(np.asarray(gradient(x), dtype=float)))


def _moving(
    gradient: Function, x: Floats, step: float, momentum: float, *, ahead: bool
) -> Iterator[Floats]:
    """Take steps of a constant length, with what is left of those before."""
    moved = np.zeros_like(x)
    while True:
        at = x - momentum * moved if ahead else x
        moved = momentum * moved + step * np.asarray(gradient(at), dtype=float)
        x = x - moved
        yield x


def _by_axes(gradient: Function, x: Floats) -> Iterator[Floats]:
    axes = np.eye(len(x))
    while True:
        for axis in axes:
            slope = float(np.dot(gradient(x), axis))
            if slope != 0.0:
                x = x - np.sign(slope) * _least_along(gradient, x, -np.sign(slope) * axis) * axis
            yield x


def _conjugate(gradient: Function, x: Floats) -> Iterator[Floats]:
    slope = np.asarray(gradient(x), dtype=float)
    direction = -slope
    while True:
        x = x + _least_along(gradient, x, direction) * direction
        yield x
        after = np.asarray(gradient(x), dtype=float)
        share = float(after @ (after - slope)) / float(slope @ slope)
        direction = -after + max(share, 0.0) * direction
        if direction @ after >= 0.0:
            direction = -after
        slope = after


def _least_along(gradient: Function, x: Floats, direction: Floats) -> float:
    """Return the step t > 0 at which f is least along a way down: where its slope is 0."""

    def slope(t: float) -> float:
        return float(np.dot(gradient(x + t * direction), direction))

    first = slope(0.0)
    t = 1.0 / (1.0 + float(np.linalg.norm(direction)))
    straight = (
        first / (first - slope(t)) * t if slope(t) != first else t
    )  # exact where f is of degree two
    if straight > 0.0 and abs(slope(straight)) <= 1e-12 * abs(first):
        return straight
    for _ in range(_DOUBLINGS):
        if slope(t) >= 0.0:
            return float(brentq(slope, 0.0, t, xtol=1e-15, rtol=1e-14))
        t *= 2.0
    raise InvalidInputError(
        "f falls without end along a direction: add a penalty such as ½‖x‖², or use constant steps"
    )
