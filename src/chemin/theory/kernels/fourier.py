"""Is a stationary kernel an inner product? Its Fourier transform is a density of frequencies, and must be ≥ 0.

    k(x, z) = κ(x − z) = ∫ κ̂(ω) cos(ω·(x − z)) dω,        κ̂(ω) = (2π)^{−d} ∫ κ(t) cos(ω·t) dt             (Bochner)

and κ̂ is a law up to its size, ∫ κ̂ = κ(0). For κ of the distance alone, with S = 2π^{d/2}/Γ(d/2) and the Bessel function
of order ν = d/2 − 1,

    κ̂(u) = (2π)^{−d} S ∫ κ(r) r^{d−1} Λ(ur) dr,        Λ(z) = Γ(ν + 1)(2/z)^ν J_ν(z),

cos z for d = 1, J₀(z) for d = 2, sin z/z for d = 3. The integral is by Gauss and Legendre on panels, twice, with panels
of two sizes: what the two differ by, with what may lie beyond the last panel, is told as the error, and only what is
clearly below −error counts as negative.

References: Bochner (1932); Schoenberg (1938); F. Sur, *Introduction à l'apprentissage automatique*, 8.3.3, Prop 8.5.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.integrate import trapezoid
from scipy.special import gammaln, j0, jv

from chemin.dictionaries.base import Floats
from chemin.frames import as_frame
from chemin.kernels import as_kernel
from chemin.theory.theorem import Promise, Theorem

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Spectrum", "spectrum"]

_FALLEN = 1e-12  # of κ(0): what is smaller is 0
_FARTHEST = 1e4  # half-widths within which a kernel must have fallen
_HIGHEST = 30.0  # largest frequency, in inverse half-widths
_PLACES = 301
_TURNS = 2.0  # radians of the highest frequency in a panel
_NODES = 8
_HALVINGS = 40
_SURE = 20.0  # times the error: below minus that a value is negative
_SAME = 1e-9  # of κ(0): by how much values at equal differences may differ
_TRIED = 120

BOCHNER = Theorem(
    "Bochner's theorem",
    "a continuous κ(x − z) is an inner product if and only if its Fourier transform is nowhere negative",
    (
        "a stationary kernel, k(x, z) = κ(x − z)",
        "an integrable κ, which falls to 0",
        "in more than one dimension, a κ of the distance alone",
    ),
    "Bochner 1932; Sur, Prop 8.5",
)


@dataclass(frozen=True, eq=False, repr=False)
class Spectrum(Promise):
    """The Fourier transform of a stationary kernel.

    Attributes
    ----------
    kernel : str
        Its name.
    dimension : int
        d.
    frequencies : ndarray
        u, lengths of ω.
    density : ndarray
        κ̂(u).
    error : float
        By how much it may be wrong.
    at_zero : float
        κ(0), the integral of κ̂ over all frequencies.
    """

    theorem = BOCHNER
    kernel: str
    dimension: int
    frequencies: Floats
    density: Floats
    error: float
    at_zero: float

    @property
    def passed(self) -> bool:
        """Whether no frequency that was tried has a negative density."""
        return bool(self.density.min() >= -_SURE * self.error)

    @property
    def share(self) -> float:
        """The part of κ(0) that these frequencies hold; near 1 if they reach far enough."""
        u, d = self.frequencies, self.dimension
        return float(_surface(d) * trapezoid(self.density * u ** (d - 1), u) / self.at_zero)

    def __str__(self) -> str:
        made = f"{self.kernel} in {self.dimension} dimension{'s' * (self.dimension > 1)}"
        if self.passed:
            return (
                f"{made} passes: its transform is not negative up to the frequency {self.frequencies[-1]:.3g}, which "
                f"holds {self.share:.4g} of k(x, x)"
            )
        worst = int(np.argmin(self.density))
        return (
            f"{made} is no inner product: its transform is {self.density[worst]:.3g} at the frequency "
            f"{self.frequencies[worst]:.3g}, right to {self.error:.0e}"
        )

    def frame(self) -> Any:
        """Return a row per frequency as a DataFrame."""
        made = {"frequency": self.frequencies, "density": self.density}
        return as_frame(made, instead="frequencies and density")

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the transform against the frequency, and 0."""
        from chemin.plots.theory.curves import draw_curves

        curves = {"κ̂": self.density, "0": np.zeros(len(self.density))}
        return draw_curves(
            self.frequencies, curves, x_label="frequency, |ω|", y_label="density, κ̂", title=self.kernel, ax=ax
        )  # fmt: skip


def spectrum(kernel: Any, dimension: int = 1, *, highest: float | None = None) -> Spectrum:
    """Return the Fourier transform of a stationary kernel, which must not be negative.

    Parameters
    ----------
    kernel : kernel
        From `chemin.kernels`, the name of one of scikit-learn's, or a function (X, Z) → matrix.
    dimension : int, default 1
        d, the columns of the points that it compares.
    highest : float, optional
        The largest frequency; by default 30 over the distance at which the kernel has fallen by half.

    Returns
    -------
    Spectrum

    Examples
    --------
    >>> from chemin.kernels import Epanechnikov, Gaussian
    >>> print(spectrum(Gaussian(2.0)))
    Gaussian(width=2) in 1 dimension passes: its transform is not negative up to the frequency 12.7, which holds 1 of
    k(x, x)
    >>> print(spectrum(Epanechnikov()))
    Epanechnikov(width=1) in 1 dimension is no inner product: its transform is -0.0183 at the frequency 5.79, right to
    ...
    """
    d = BOCHNER.whole("dimension", dimension, "d")
    known = as_kernel(kernel)
    profile = _profile(known, d)
    top = float(profile(np.zeros(1))[0])
    BOCHNER.require(top > 0.0, "k(x, x) > 0", f"it is {top:g}", "pass another kernel")
    _check_stationary(known, d, profile, top)
    half, reach = _extent(profile, top)
    last = _HIGHEST / half if highest is None else BOCHNER.positive("highest", highest, "u")
    u = np.linspace(0.0, last, _PLACES)
    panels = int(np.ceil(max(reach * last / _TURNS, 200.0)))
    found, finer = (_transform(profile, d, u, reach, count) for count in (panels, 2 * panels + 1))
    rounding = np.finfo(float).eps * float(np.abs(finer).max()) * 1e2
    beyond = _FALLEN * top * (2.0 * np.pi) ** -d * _surface(d) * reach**d / d
    error = float(np.abs(finer - found).max()) + rounding + beyond
    return Spectrum(known.name, d, u, finer, error, top)


def _profile(kernel: Any, d: int) -> Callable[[Floats], Floats]:
    """Return κ as a function of the distance, along the first axis."""

    def value(r: Floats) -> Floats:
        at = np.zeros((len(r), d))
        at[:, 0] = r
        return np.asarray(kernel(at, np.zeros((1, d))), dtype=float)[:, 0]

    return value


def _check_stationary(kernel: Any, d: int, profile: Callable[[Floats], Floats], top: float) -> None:
    """Compare values at equal differences, and at equal distances."""
    drawing = np.random.default_rng(0)
    sizes = np.geomspace(1e-4, 1e4, _TRIED)[:, None]
    x, shift = drawing.normal(size=(_TRIED, d)) * sizes, drawing.normal(size=(_TRIED, d))
    zero = np.zeros((1, d))
    there = np.asarray(kernel(x, zero), dtype=float)[:, 0]
    pairs = zip(x, shift, strict=True)
    moved = np.array([float(kernel((a + b)[None], b[None])[0, 0]) for a, b in pairs])
    away = float(np.abs(moved - there).max())
    told = f"values at equal differences differ by {away:.2g}"
    remedy = "pass a Gaussian, say; mercer(kernel, X) takes any kernel"
    BOCHNER.require(away <= _SAME * top, "a stationary kernel", told, remedy)
    turned = profile(np.linalg.norm(x, axis=1)) if d > 1 else profile(-x[:, 0])
    away = float(np.abs(turned - there).max())
    told = f"values at equal distances differ by {away:.2g}"
    remedy = "check its axes one by one: a product of positive kernels is positive"
    BOCHNER.require(away <= _SAME * top, "a κ of the distance alone", told, remedy)


def _extent(profile: Callable[[Floats], Floats], top: float) -> tuple[float, float]:
    """Return the distance at which κ has fallen by half, and one beyond which it is 0."""
    r = np.geomspace(1e-8, 1e8, 3201)
    values = np.abs(profile(r)) / top
    low = np.flatnonzero(values <= 0.5)
    remedy = "add no constant to it, and pass a kernel that falls"
    told = "it does not fall by half"
    BOCHNER.require(len(low), "an integrable κ, which falls to 0", told, remedy)
    half = float(r[low[0]])
    place = int(np.flatnonzero(values > _FALLEN)[-1])
    low_end, last = float(r[place]), float(r[min(place + 1, len(r) - 1)])
    for _ in range(_HALVINGS):  # so that a kernel that ends in a kink ends with the last panel
        middle = 0.5 * (low_end + last)
        if abs(float(profile(np.array([middle]))[0])) > _FALLEN * top:
            low_end = middle
        else:
            last = middle
    told = f"it is not 0 at {_FARTHEST:g} times the distance at which it has fallen by half"
    near = last <= _FARTHEST * half
    BOCHNER.require(near, "an integrable κ, which falls to 0", told, remedy)
    return half, last


def _transform(
    profile: Callable[[Floats], Floats], d: int, u: Floats, reach: float, panels: int
) -> Floats:
    """Return κ̂(u), by Gauss and Legendre on equal panels."""
    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    edges = np.linspace(0.0, reach, panels + 1)
    width = edges[1:] - edges[:-1]
    r = (edges[:-1, None] + width[:, None] * (nodes + 1.0) / 2.0).ravel()
    mass = (width[:, None] * weights / 2.0).ravel() * profile(r) * r ** (d - 1)
    sums = np.array([mass @ _wave(d, one * r) for one in u])
    return np.asarray((2.0 * np.pi) ** -d * _surface(d) * sums)


def _surface(d: int) -> float:
    """Return the surface of the unit ball, S."""
    return float(2.0 * np.exp(0.5 * d * np.log(np.pi) - gammaln(0.5 * d)))


def _wave(d: int, z: Floats) -> Floats:
    """Return Λ(z), the mean of cos(ω·t) over directions."""
    if d == 1:
        return np.cos(z)
    if d == 2:
        return np.asarray(j0(z))
    if d == 3:
        return np.sinc(z / np.pi)
    order = 0.5 * d - 1.0
    safe = np.where(z > 1e-3, z, 1.0)
    wave = np.exp(gammaln(order + 1.0) + order * np.log(2.0 / safe)) * jv(order, safe)
    return np.where(z > 1e-3, wave, 1.0 - z**2 / (2.0 * d))
