"""What is the set where a polynomial of degree two is zero? An ellipse, a hyperbola, a cone: named by its eigenvalues.

    xᵀAx + b·x + c = 0,    A symmetric, A = P diag(s) Pᵀ

If 2Ac₀ = −b has a solution c₀, the set has a centre, and with u = Pᵀ(x − c₀) its reduced equation is

    Σ s_i u_i² + δ = 0,    δ = c + ½ b·c₀.

Otherwise a part b₀ of b is orthogonal to the range of A, and with v along it the reduced equation is
Σ s_i u_i² + ‖b₀‖ v = 0. The numbers of positive and negative s_i tell the kind (Sylvester). The centre is not
−b_i/(2a_ii) unless A is diagonal.

Where two normal laws are equally likely, the set is −½ (x − μ₁)ᵀΣ₁⁻¹(x − μ₁) + ½ (x − μ₂)ᵀΣ₂⁻¹(x − μ₂) + … = 0: a
quadric, which is a plane where Σ₁ = Σ₂.

Reference: F. Sur, *Introduction à l'apprentissage automatique*, 6.5 and A.3.2.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from chemin.dictionaries.base import Floats
from chemin.frames import as_frame
from chemin.theory.theorem import Promise, Theorem

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Quadric", "gaussian_boundary", "quadric", "quadric_of"]

_NOTHING = 1e-10  # relative to the largest of its kind

SYLVESTER = Theorem(
    "the classification of quadrics",
    "xᵀAx + b·x + c = 0 is Σ s_i u_i² + δ = 0 or Σ s_i u_i² + β v = 0 in some orthonormal axes",
    ("a symmetric A", "finite coefficients"),
    "Sur, A.3.2",
)

# (positive, negative) signs of the squares once the constant is on the other side, and positive there
_CENTRED = {
    2: {(2, 0): "ellipse", (1, 1): "hyperbola", (1, 0): "two parallel lines"},
    3: {
        (3, 0): "ellipsoid",
        (2, 1): "hyperboloid of one sheet",
        (1, 2): "hyperboloid of two sheets",
        (2, 0): "elliptic cylinder",
        (1, 1): "hyperbolic cylinder",
        (1, 0): "two parallel planes",
    },
}
# the same with the constant 0, up to the sign of the whole
_CONES = {
    2: {(2, 0): "point", (1, 1): "two lines that cross", (1, 0): "double line"},
    3: {
        (3, 0): "point",
        (2, 1): "cone",
        (2, 0): "line",
        (1, 1): "two planes that cross",
        (1, 0): "double plane",
    },
}
# the same without a centre
_OPEN = {
    2: {(1, 0): "parabola", (0, 0): "line"},
    3: {
        (2, 0): "elliptic paraboloid",
        (1, 1): "hyperbolic paraboloid",
        (1, 0): "parabolic cylinder",
        (0, 0): "plane",
    },
}


@dataclass(frozen=True, eq=False, repr=False)
class Quadric(Promise):
    """The points with xᵀAx + b·x + c = 0.

    Attributes
    ----------
    A, b, c : ndarrays and float
        The coefficients.
    name : str
        What it is.
    squares : ndarray of shape (d,)
        The eigenvalues s_i of A, 0 where they are rounding.
    axes : ndarray of shape (d, d)
        The eigenvectors, as columns.
    centre : ndarray or None
        A centre, the nearest to the origin if there are several; None if there is none.
    constant : float
        δ; 0 without a centre.
    slope : float
        ‖b₀‖; 0 with a centre.
    """

    theorem = SYLVESTER
    A: Floats
    b: Floats
    c: float
    name: str
    squares: Floats
    axes: Floats
    centre: Floats | None
    constant: float
    slope: float

    def value(self, X: Any) -> Floats:
        """Return xᵀAx + b·x + c at some points.

        Parameters
        ----------
        X : table of numbers
            A row per point.

        Returns
        -------
        ndarray
        """
        X = np.atleast_2d(np.asarray(X, dtype=float))
        return np.asarray(np.einsum("ni,ij,nj->n", X, self.A, X) + X @ self.b + self.c)

    @property
    def half_axes(self) -> Floats:
        """√|δ/s_i|: half of each axis of an ellipse, real or imaginary; infinite where s_i is 0."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(
                self.squares != 0.0, np.sqrt(np.abs(self.constant / self.squares)), np.inf
            )

    @property
    def reduced(self) -> str:
        """The reduced equation."""
        terms = [f"{s:+.4g} u{i + 1}²" for i, s in enumerate(self.squares) if s != 0.0]
        last = f"{self.slope:+.4g} v" if self.centre is None else f"{self.constant:+.4g}"
        return " ".join([*terms, last]).removeprefix("+") + " = 0"

    def __str__(self) -> str:
        if self.centre is None:
            return f"{self.name}: {self.reduced}, without a centre"
        place = ", ".join(f"{value:.4g}" for value in self.centre)
        return f"{self.name}: {self.reduced}, centre ({place})"

    def frame(self) -> Any:
        """Return a row per axis as a DataFrame: eigenvalue, half axis, direction."""
        directions = {f"x{i + 1}": row for i, row in enumerate(self.axes)}
        made = {"square": self.squares, "half axis": self.half_axes, **directions}
        return as_frame(made, instead="squares, half_axes and axes")

    def plot(self, ax: Axes | None = None, *, points: Any = None, labels: Any = None) -> Axes:
        """Draw a conic, and perhaps points of some classes.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; new axes are made otherwise.
        points, labels : arrays, optional
            Points of the plane, and their classes.

        Returns
        -------
        matplotlib Axes
        """
        from chemin.plots.theory.conics import draw_conic

        two = len(self.b) == 2
        SYLVESTER.require(two, "two variables, to draw", f"there are {len(self.b)}", "use frame()")
        return draw_conic(self, points=points, labels=labels, ax=ax)


def quadric(A: Any, b: Any = None, c: float = 0.0, *, tol: float = _NOTHING) -> Quadric:
    """Name the set where xᵀAx + b·x + c = 0, and give its centre, axes and reduced equation.

    Parameters
    ----------
    A : array of shape (d, d)
        The symmetric matrix of the squares; half the coefficient of x_i x_j at (i, j).
    b : array of shape (d,), optional
        The linear part, 0 by default.
    c : float, default 0
        The constant.
    tol : float, default 1e-10
        What counts as 0 beside the largest of its kind.

    Returns
    -------
    Quadric

    Examples
    --------
    >>> print(quadric([[1.0, 0.5], [0.5, 1.0]], [-3.0, -3.0], 2.0))
    ellipse: 0.5 u1² +1.5 u2² -1 = 0, centre (1, 1)
    >>> quadric([[1.0, 0.0], [0.0, 0.0]], [0.0, -1.0]).name, quadric([[0.0, 1.0], [1.0, 0.0]], c=-1.0).name
    ('parabola', 'hyperbola')
    """
    A = SYLVESTER.symmetric("A", A)
    d = len(A)
    b = np.zeros(d) if b is None else SYLVESTER.vector("b", b, d)
    c = float(SYLVESTER.vector("c", c, 1)[0])
    tol = SYLVESTER.positive("tol", tol, "tol")
    values, axes = np.linalg.eigh(A)
    squares = np.where(np.abs(values) > tol * np.abs(values).max(), values, 0.0)
    turned = axes.T @ b
    flat = turned[squares == 0.0]
    slope = float(np.linalg.norm(flat))
    if slope > tol * float(np.linalg.norm(b)):
        return Quadric(A, b, c, _open(squares), squares, axes, None, 0.0, slope)
    with np.errstate(divide="ignore", invalid="ignore"):
        inside = np.where(squares != 0.0, -turned / (2.0 * squares), 0.0)
    lowered = 0.5 * float(turned @ inside)
    constant = c + lowered
    if abs(constant) <= tol * max(abs(c), abs(lowered)):
        constant = 0.0
    name = _centred(squares, constant)
    return Quadric(A, b, c, name, squares, axes, axes @ inside, constant, 0.0)


def gaussian_boundary(
    first: tuple[Any, Any], second: tuple[Any, Any], prior: float = 0.5
) -> Quadric:
    """Return where two normal laws are equally likely: positive on the side of the first.

    Parameters
    ----------
    first, second : pairs
        (mean, covariance) of each class.
    prior : float, default 0.5
        Share of the first class.

    Returns
    -------
    Quadric

    Examples
    --------
    >>> round_one = ([0.0, 0.0], [[1.0, 0.0], [0.0, 1.0]])
    >>> print(gaussian_boundary(round_one, ([0.0, 0.0], [[4.0, 0.0], [0.0, 4.0]])))
    circle: -0.375 u1² -0.375 u2² +1.386 = 0, centre (0, 0)
    >>> gaussian_boundary(round_one, ([2.0, 0.0], [[1.0, 0.0], [0.0, 1.0]])).name
    'line'
    """
    prior = SYLVESTER.probability("prior", prior, "the prior")
    parts = [_log_density(law, share) for law, share in ((first, prior), (second, 1.0 - prior))]
    same = parts[0][1].shape == parts[1][1].shape
    SYLVESTER.require(
        same, "laws of the same variables", "their means differ in length", "pass two such"
    )
    A, b, c = (one - other for one, other in zip(*parts, strict=True))
    scale = max(float(np.abs(part[0]).max()) for part in parts)
    return quadric(np.where(np.abs(A).max() > _NOTHING * scale, A, 0.0), b, c)


def quadric_of(model: Any, classes: tuple[int, int] = (0, 1)) -> Quadric:
    """Return the boundary of two classes of a fitted quadratic discriminant or Gaussian naive Bayes.

    Parameters
    ----------
    model : QuadraticDiscriminantAnalysis or GaussianNB
        Fitted, of scikit-learn.
    classes : pair of int, default (0, 1)
        Positions of the two classes in ``model.classes_``.

    Returns
    -------
    Quadric

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis
    >>> X, y = load_iris(return_X_y=True)
    >>> print(quadric_of(QuadraticDiscriminantAnalysis().fit(X[:, :2], y), (1, 2)).name)
    ellipse
    """
    if hasattr(model, "rotations_") and hasattr(model, "scalings_"):
        means = model.means_
        pairs = zip(model.rotations_, model.scalings_, strict=True)
        covariances = [(turn * spread) @ turn.T for turn, spread in pairs]
        priors = model.priors_
    else:
        remedy = (
            "pass a fitted QuadraticDiscriminantAnalysis or GaussianNB, or use gaussian_boundary"
        )
        known = hasattr(model, "theta_") and hasattr(model, "var_")
        SYLVESTER.require(known, "normal laws of classes", f"model is {model!r}", remedy)
        means = model.theta_
        covariances = [np.diag(variances) for variances in model.var_]
        priors = model.class_prior_
    i, j = classes
    inside = 0 <= i < len(means) and 0 <= j < len(means) and i != j
    told = f"classes is {classes!r} of {len(means)}"
    SYLVESTER.require(inside, "two different classes of the model", told, "pass their positions")
    share = float(priors[i] / (priors[i] + priors[j]))
    return gaussian_boundary((means[i], covariances[i]), (means[j], covariances[j]), share)


def _log_density(law: tuple[Any, Any], share: float) -> tuple[Floats, Floats, Any]:
    """Return A, b and c of the logarithm of a share times a normal density, without (2π)^{d/2}."""
    mean = SYLVESTER.vector("a mean", law[0])
    covariance = SYLVESTER.covariance("a covariance", law[1], len(mean))
    inverse = np.linalg.inv(covariance)
    pulled = inverse @ mean
    constant = np.log(share) - 0.5 * float(mean @ pulled) - 0.5 * np.linalg.slogdet(covariance)[1]
    return -0.5 * inverse, pulled, constant


def _signs(squares: Floats) -> tuple[int, int]:
    return int(np.sum(squares > 0.0)), int(np.sum(squares < 0.0))


def _centred(squares: Floats, constant: float) -> str:
    """Name Σ s_i u_i² + δ = 0."""
    d = len(squares)
    positive, negative = _signs(squares)
    if not positive + negative:
        return "all points" if constant == 0.0 else "nothing"
    if constant == 0.0:
        pair = (max(positive, negative), min(positive, negative))
        return _CONES[d][pair] if d in _CONES else _many(d, pair, "cone")
    pair = (positive, negative) if constant < 0.0 else (negative, positive)
    if pair[0] == 0:
        return "nothing"
    if pair == (d, 0) and np.ptp(squares) <= _NOTHING * np.abs(squares).max() and d in (2, 3):
        return "circle" if d == 2 else "sphere"
    return _CENTRED[d][pair] if d in _CENTRED else _many(d, pair, "hyperboloid")


def _open(squares: Floats) -> str:
    """Name Σ s_i u_i² + β v = 0."""
    d = len(squares)
    positive, negative = _signs(squares)
    pair = (max(positive, negative), min(positive, negative))
    if d in _OPEN:
        return _OPEN[d][pair]
    if pair == (0, 0):
        return "point" if d == 1 else "hyperplane"
    return _many(d, pair, "paraboloid", missing=1)


def _many(d: int, pair: tuple[int, int], mixed: str, missing: int = 0) -> str:
    """Name a quadric of one variable, or of more than three."""
    if d == 1:
        return "point" if mixed == "cone" else "two points"
    rank = sum(pair)
    if rank == 1 and not missing:
        return "double hyperplane" if mixed == "cone" else "two parallel hyperplanes"
    kind = f"{mixed} of signs ({pair[0]}, {pair[1]})"
    if pair[1] == 0 and mixed != "paraboloid":
        kind = "ellipsoid" if mixed == "hyperboloid" else "point"
    if rank + missing == d:
        return kind
    return f"cylinder over a {kind}" if kind[0] not in "e" else f"cylinder over an {kind}"
