"""Is this place a minimum, a maximum or a saddle; and is this function convex at all?

Where the gradient is 0, the eigenvalues of the Hessian decide: all positive, a minimum; all negative, a maximum; of
both signs, a saddle. With an eigenvalue 0 and the others of one sign they decide nothing: x⁴ and x³ have the same.

f is convex if and only if, for all x, z of a convex set and 0 ≤ t ≤ 1,

    f(tx + (1 − t)z) ≤ t f(x) + (1 − t) f(z)        (Jensen)
    f(z) ≥ f(x) + ∇f(x)·(z − x)                     (first order)
    the Hessian has no negative eigenvalue          (second order)

One pair of points that breaks the first is a proof against it. That none is found is no proof for it, except for
polynomials of degree two, whose Hessian is one matrix.

Reference: F. Sur, *Introduction à l'apprentissage automatique*, A.3.3.2 and B.1.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from chemin.dictionaries.base import Floats
from chemin.frames import as_frame
from chemin.results import plural
from chemin.theory.theorem import Promise, Theorem

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Convexity", "CriticalPoint", "convexity", "critical_point"]

Function = Callable[[Any], Any]
_EPS = float(np.finfo(float).eps)
_STEP_1 = _EPS ** (1 / 3)  # steps of differences that balance rounding and curvature
_STEP_2 = _EPS**0.25
_PLACES = 61
_SIGHT = 0.2  # of the size of x, that a picture shows around it
_SHORTEST = 1e-3  # share of a box that the shortest segments are long

CRITICAL = Theorem(
    "the second-order test",
    "∇f = 0 and a definite Hessian: a minimum or a maximum; eigenvalues of both signs: a saddle",
    (
        "f twice differentiable near x",
        "∇f(x) = 0",
        "no eigenvalue 0 of the Hessian, for an extremum",
    ),
    "Sur, A.3.3.2",
)
CONVEX = Theorem(
    "Jensen's inequality",
    "f convex: f(tx + (1 − t)z) ≤ t f(x) + (1 − t) f(z), and every local minimum is global",
    ("a convex set", "finite values on it"),
    "Sur, B.1",
)


@dataclass(frozen=True, eq=False, repr=False)
class CriticalPoint(Promise):
    """What a function does around a place where its gradient is 0.

    Attributes
    ----------
    x : ndarray of shape (d,)
        The place.
    value : float
        f(x).
    gradient : ndarray of shape (d,)
        There.
    curvatures : ndarray of shape (d,)
        Eigenvalues of the Hessian.
    directions : ndarray of shape (d, d)
        Its eigenvectors, as columns.
    error : float
        Up to which an eigenvalue may be 0.
    kind : {"minimum", "maximum", "saddle", "undecided"}
        What it is.
    offsets : ndarray
        Distances from x, to both sides.
    sections : ndarray of shape (d, offsets)
        f less f(x), along each direction.
    """

    theorem = CRITICAL
    x: Floats
    value: float
    gradient: Floats
    curvatures: Floats
    directions: Floats
    error: float
    kind: str
    offsets: Floats
    sections: Floats

    def __str__(self) -> str:
        curved = ", ".join(f"{value:.4g}" for value in self.curvatures)
        told = {
            "minimum": "a minimum, strict near it",
            "maximum": "a maximum, strict near it",
            "saddle": "a saddle",
            "undecided": "not decided by its curvatures, of which one is 0 up to rounding",
        }
        return f"f = {self.value:.6g} is {told[self.kind]}: curvatures {curved}"

    def frame(self) -> Any:
        """Return a row per direction as a DataFrame."""
        made = {"curvature": self.curvatures}
        made.update({f"x{i + 1}": row for i, row in enumerate(self.directions)})
        return as_frame(made, instead="curvatures and directions")

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the function along the directions of its curvatures."""
        from chemin.plots.theory.curves import draw_curves

        pairs = zip(self.curvatures, self.sections, strict=True)
        curves = {f"curvature {value:.3g}": row for value, row in pairs}
        return draw_curves(
            self.offsets, curves, x_label="distance", y_label="f less f at the place", title=self.kind, ax=ax
        )  # fmt: skip


def critical_point(
    f: Function, x: Any, *, gradient: Function | None = None, hessian: Function | None = None
) -> CriticalPoint:
    """Say what a function does around a place where its gradient is 0.

    Parameters
    ----------
    f : callable
        x → number, for one x of shape (d,).
    x : array of shape (d,)
        The place.
    gradient, hessian : callables, optional
        x → ∇f and x → the Hessian; by differences otherwise.

    Returns
    -------
    CriticalPoint

    Examples
    --------
    >>> print(critical_point(lambda x: x[0] ** 2 - x[1] ** 2, [0.0, 0.0]))
    f = 0 is a saddle: curvatures -2, 2
    >>> critical_point(lambda x: x[0] ** 4 + x[1] ** 2, [0.0, 0.0]).kind
    'undecided'
    """
    CRITICAL.require(callable(f), "a function", f"f is {f!r}", "pass x → number")
    x = CRITICAL.vector("x", x)
    d = len(x)
    size = 1.0 + np.abs(x)
    value = float(np.squeeze(f(x)))
    CRITICAL.require(np.isfinite(value), "a finite f(x)", f"f(x) is {value}", "pass another place")
    curved, doubt = _curvature(f, x, size, hessian)
    largest = float(np.abs(curved).max())
    slope, unsure = _slope(f, x, size, gradient)
    flat = _STEP_1 * (largest * float(size.max()) + abs(value)) + unsure + _EPS
    told = f"the length of the gradient is {np.linalg.norm(slope):.3g}"
    remedy = "pass a place found by an optimiser, more closely"
    CRITICAL.require(np.linalg.norm(slope) <= flat, "∇f(x) = 0", told, remedy)
    values, directions = np.linalg.eigh(curved)
    error = doubt + 10.0 * _EPS * d * largest
    offsets = np.linspace(-1.0, 1.0, _PLACES) * _SIGHT * float(size.max())
    sections = [
        [float(np.squeeze(f(x + s * direction))) - value for s in offsets]
        for direction in directions.T
    ]
    return CriticalPoint(
        x, value, slope, values, directions, error, _kind(values, error), offsets, np.array(sections)
    )  # fmt: skip


@dataclass(frozen=True, eq=False, repr=False)
class Convexity(Promise):
    """Whether a function is convex, and two points that prove that it is not.

    Attributes
    ----------
    convex : bool or None
        True or False where it is proved; None where no counterexample was found.
    excess : float
        The largest f(tx + (1 − t)z) − t f(x) − (1 − t) f(z) that was found, relative to the size of f.
    x, z, t : ndarrays and float
        Where.
    tries : int
        Pairs of points that were tried; 0 for a polynomial of degree two.
    section : ndarray of shape (2, places)
        From z to x: the share of the way, and f there.
    """

    theorem = CONVEX
    convex: bool | None
    excess: float
    x: Floats
    z: Floats
    t: float
    tries: int
    section: Floats

    def __str__(self) -> str:
        if self.convex:
            return "convex: the Hessian has no negative eigenvalue"
        if self.convex is None:
            return f"no counterexample among {plural(self.tries, 'pair')} of points, which is no proof that f is convex"
        ends = " and ".join(
            "(" + ", ".join(f"{v:.4g}" for v in end) + ")" for end in (self.x, self.z)
        )
        return f"not convex: between {ends} f is above its chord by {self.excess:.3g} of its size, at t = {self.t:.3g}"

    def frame(self) -> Any:
        """Return one row as a DataFrame."""
        said = {True: "yes", False: "no", None: "not disproved"}[self.convex]
        made = {"convex": [said], "excess": [self.excess], "t": [self.t], "tries": [self.tries]}
        return as_frame(made, instead="convex, excess, x, z and t")

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the function and its chord between the two points."""
        from chemin.plots.theory.curves import draw_curves

        share, values = self.section
        curves = {"f": values, "chord": values[0] + share * (values[-1] - values[0])}
        said = {True: "convex", False: "not convex", None: "not disproved"}[self.convex]
        return draw_curves(share, curves, x_label="from z to x", y_label="f", title=said, ax=ax)


def convexity(
    f: Any,
    low: Any = None,
    high: Any = None,
    *,
    gradient: Function | None = None,
    tries: int = 2000,
    random_state: int = 0,
) -> Convexity:
    """Look for two points that prove that a function is not convex on a box.

    Parameters
    ----------
    f : callable, or symmetric array of shape (d, d)
        x → number, for one x of shape (d,); or the Hessian of a polynomial of degree two, which is decided.
    low, high : arrays of shape (d,)
        The corners of the box, for a function.
    gradient : callable, optional
        x → ∇f: every pair is tried by the first-order inequality, too.
    tries : int, default 2000
        Pairs of points.
    random_state : int, default 0
        What the draws start from.

    Returns
    -------
    Convexity

    Examples
    --------
    >>> convexity(lambda x: x[0] ** 4 - x[0] ** 2, [-1.0], [1.0]).convex
    False
    >>> print(convexity(lambda x: abs(x[0]), [-1.0], [1.0]))
    no counterexample among 2000 pairs of points, which is no proof that f is convex
    >>> convexity([[2.0, 1.0], [1.0, 2.0]]).convex
    True
    """
    if not callable(f):
        return _of_degree_two(f)
    low = CONVEX.vector("low", [] if low is None else low)
    high = CONVEX.vector("high", [] if high is None else high, len(low))
    CONVEX.require((low < high).all(), "a box, low < high", "some side is empty", "exchange them")
    tries = CONVEX.whole("tries", tries, "the tries")
    drawing = np.random.default_rng(random_state)
    worst = (-np.inf, low, high, 0.5)
    for k in range(tries):
        x, other = drawing.uniform(low, high, size=(2, len(low)))
        short = _SHORTEST ** (k % 4 / 3.0)  # long segments and short ones
        z = x + short * (other - x)
        t = float(drawing.uniform(0.05, 0.95))
        excess = _excess(f, x, z, t)
        if gradient is not None:
            rise = f(x) + float(np.dot(gradient(x), z - x)) - f(z)
            excess = max(excess, rise / _size(f(x), f(z)))
        if excess > worst[0]:
            worst = (excess, x, z, t)
    excess, x, z, t = worst
    broken = excess > 1e3 * _EPS
    return Convexity(False if broken else None, excess, x, z, t, tries, _section(f, x, z))


def _of_degree_two(matrix: Any) -> Convexity:
    """Decide by the eigenvalues, with a pair of points along the most negative one."""
    matrix = CONVEX.symmetric("the Hessian", matrix)
    values, axes = np.linalg.eigh(matrix)
    convex = bool(values[0] >= -_EPS * len(matrix) * np.abs(values).max())
    ends = axes[:, 0]
    # ½ xᵀHx is 0 at the middle of −e and e, and s/2 at both ends
    excess = -0.5 * float(values[0]) / _size(0.5 * values[0])
    section = _section(lambda at: 0.5 * at @ matrix @ at, ends, -ends)
    return Convexity(convex, excess, ends, -ends, 0.5, 0, section)


def _section(f: Function, x: Floats, z: Floats) -> Floats:
    """Return shares of the way from z to x, and f there."""
    share = np.linspace(0.0, 1.0, _PLACES)
    return np.array([share, [float(np.squeeze(f(s * x + (1.0 - s) * z))) for s in share]])


def _excess(f: Function, x: Floats, z: Floats, t: float) -> float:
    first, second, middle = (float(np.squeeze(f(at))) for at in (x, z, t * x + (1.0 - t) * z))
    finite = bool(np.isfinite([first, second, middle]).all())
    CONVEX.require(
        finite, "finite values on the box", "f is not finite at some place", "pass a smaller box"
    )
    return (middle - t * first - (1.0 - t) * second) / _size(first, second, middle)


def _size(*values: Any) -> float:
    return max(*(abs(float(np.squeeze(value))) for value in (*values, 0.0))) or 1.0


def _slope(f: Function, x: Floats, size: Floats, gradient: Function | None) -> tuple[Floats, float]:
    """Return the gradient and its error, as `_curvature` does."""
    if gradient is not None:
        return CRITICAL.vector("the gradient", gradient(x), len(x)), 0.0
    found = _gradient(f, x, _STEP_1 * size)
    return found, float(np.linalg.norm(found - _gradient(f, x, 2.0 * _STEP_1 * size)))


def _gradient(f: Function, x: Floats, size: Floats) -> Floats:
    steps = np.diag(size)
    rises = [float(np.squeeze(f(x + step) - f(x - step))) for step in steps]
    return np.array(rises) / (2.0 * np.diagonal(steps))


def _curvature(
    f: Function, x: Floats, size: Floats, hessian: Function | None
) -> tuple[Floats, float]:
    """Return the Hessian and its error; differences are as wrong as those of twice the step differ from them."""
    if hessian is not None:
        return CRITICAL.symmetric("the Hessian", hessian(x), len(x)), 0.0
    found = _differences(f, x, _STEP_2 * size)
    coarse = _differences(f, x, 2.0 * _STEP_2 * size)
    rounding = 10.0 * np.sqrt(_EPS) * abs(float(np.squeeze(f(x))))
    return found, float(np.linalg.norm(found - coarse, 2)) + rounding


def _differences(f: Function, x: Floats, size: Floats) -> Floats:
    """Return second differences."""
    steps = np.diag(size)
    d = len(x)
    found = np.empty((d, d))
    for i in range(d):
        for j in range(i, d):
            a, b = steps[i], steps[j]
            turn = f(x + a + b) - f(x + a - b) - f(x - a + b) + f(x - a - b)
            found[i, j] = found[j, i] = float(np.squeeze(turn)) / (4.0 * a[i] * b[j])
    return found


def _kind(values: Floats, error: float) -> str:
    up, down = bool((values > error).any()), bool((values < -error).any())
    if up and down:
        return "saddle"
    if (np.abs(values) <= error).any():
        return "undecided"
    return "minimum" if up else "maximum"
