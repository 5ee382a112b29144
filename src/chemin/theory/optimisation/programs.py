"""Is this point the solution of that quadratic program? Its Wolfe dual, and the conditions of Karush, Kuhn and Tucker.

    min ½ xᵀPx + q·x    subject to    Gx ≤ h,  Ax = b                                                        P ⪰ 0
    max L(x, λ, μ)      subject to    Px + q + Gᵀλ + Aᵀμ = 0,  λ ≥ 0                                         (Wolfe)

with L = ½ xᵀPx + q·x + λ·(Gx − h) + μ·(Ax − b). With z = (λ, μ), M = (G; A), r = (h, b) and N a basis of the vectors
that P takes to 0, x can be left out: x = −P⁺(q + Mᵀz) up to N, and the dual is again a quadratic program,

    min ½ zᵀ(MP⁺Mᵀ)z + (MP⁺q + r)·z + ½ qᵀP⁺q    subject to    −λ ≤ 0,  Nᵀ(Mᵀz + q) = 0,

whose least value is minus the largest of the dual. x is a solution if and only if there are λ and μ with

    Px + q + Gᵀλ + Aᵀμ = 0      Gx ≤ h      Ax = b      λ ≥ 0      λ_i (Gx − h)_i = 0.

Multipliers that are not given are found among the constraints that hold with equality, by non-negative least squares.

References: Wolfe (1961), *A duality theorem for non-linear programming*; F. Sur, *Introduction à l'apprentissage
automatique*, B.2, Prop B.5.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.optimize import nnls

from chemin.dictionaries.base import Floats
from chemin.frames import as_frame
from chemin.models.svm.optimality import Condition
from chemin.theory.theorem import Promise, Theorem

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["KKT", "QuadraticProgram", "quadratic_program"]

_NOTHING = 1e-11  # an eigenvalue that is smaller, relative to the largest, is 0
_ACTIVE = 1e-6  # a constraint this near to equality, relative to its sizes, may have a multiplier

WOLFE = Theorem(
    "the duality of Wolfe, and the conditions of Karush, Kuhn and Tucker",
    "x is a solution if and only if ∇L = 0, Gx ≤ h, Ax = b, λ ≥ 0 and λ_i (Gx − h)_i = 0 for some λ, μ",
    ("a convex objective, P ⪰ 0", "affine constraints", "a feasible point"),
    "Wolfe 1961; Sur, Prop B.5",
)


@dataclass(frozen=True, eq=False, repr=False)
class KKT(Promise):
    """How far a point and its multipliers are from a solution, condition by condition.

    Attributes
    ----------
    x : ndarray
        The point.
    inequality, equality : ndarrays
        λ and μ.
    slack : ndarray
        h − Gx.
    primal, dual : float
        The objective at x, and the largest lower bound that λ and μ give; −∞ if they give none.
    conditions : tuple of Condition
        The conditions, and by how much each is violated.
    tol : float
        Up to which relative violations count as none.
    """

    theorem = WOLFE
    x: Floats
    inequality: Floats
    equality: Floats
    slack: Floats
    primal: float
    dual: float
    conditions: tuple[Condition, ...]
    tol: float

    @property
    def gap(self) -> float:
        """The objective less the bound; at least 0 for a feasible x and λ ≥ 0."""
        return self.primal - self.dual

    @property
    def worst(self) -> Condition:
        """The condition of the largest relative violation."""
        return max(self.conditions, key=lambda one: one.relative)

    @property
    def optimal(self) -> bool:
        """Whether no relative violation is above ``tol``."""
        return self.worst.relative <= self.tol

    def __str__(self) -> str:
        if self.optimal:
            return f"a solution, to {self.worst.relative:.0e}: objective {self.primal:.6g}, duality gap {self.gap:.1e}"
        return f"no solution, objective {self.primal:.6g}: {self.worst}"

    def frame(self) -> Any:
        """Return a row per condition as a DataFrame; the row is −1 for conditions on all rows together."""
        some = self.conditions
        made = {
            "condition": [one.name for one in some],
            "formula": [one.formula for one in some],
            "violation": [one.violation for one in some],
            "relative": [one.relative for one in some],
            "row": [-1 if one.row is None else one.row for one in some],
        }
        return as_frame(made, instead="conditions")

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw slack and multiplier of every inequality: one of the two is 0 at a solution."""
        from chemin.plots.theory.optimisation import draw_complementarity

        return draw_complementarity(self.slack, self.inequality, ax=ax)


@dataclass(frozen=True, eq=False)
class QuadraticProgram:
    """min ½ xᵀPx + q·x + constant, subject to Gx ≤ h and Ax = b; made by `quadratic_program`."""

    P: Floats
    q: Floats
    G: Floats
    h: Floats
    A: Floats
    b: Floats
    constant: float = 0.0

    def value(self, x: Any) -> float:
        """Return the objective."""
        x = WOLFE.vector("x", x, len(self.q))
        return float(0.5 * x @ self.P @ x + self.q @ x) + self.constant

    def dual(self) -> QuadraticProgram:
        """Return the Wolfe dual as a program to minimise, in (λ, μ): its least value is minus that of this one."""
        inverse, null = _split(self.P)
        M, r = self._joined()
        D = M @ inverse @ M.T
        count = len(self.h)
        return QuadraticProgram(
            P=(D + D.T) / 2.0,
            q=M @ inverse @ self.q + r,
            G=-np.eye(count, len(r)),
            h=np.zeros(count),
            A=null.T @ M.T,
            b=-null.T @ self.q,
            constant=float(0.5 * self.q @ inverse @ self.q) - self.constant,
        )

    def point(self, inequality: Any, equality: Any = ()) -> Floats:
        """Return the x that multipliers belong to, −P⁺(q + Gᵀλ + Aᵀμ): all of x where P is invertible."""
        M, _ = self._joined()
        z = np.concatenate([np.ravel(inequality), np.ravel(equality)])
        return np.asarray(-_split(self.P)[0] @ (self.q + M.T @ z))

    def bound(self, inequality: Any, equality: Any = ()) -> float:
        """Return the lower bound on the optimum that λ ≥ 0 and μ give; −∞ if they give none."""
        M, r = self._joined()
        z = np.concatenate([np.ravel(inequality), np.ravel(equality)])
        inverse, null = _split(self.P)
        pulled = self.q + M.T @ z
        size = float(np.abs(self.q).max() + np.abs(M.T * z).max(initial=0.0)) or 1.0
        if (
            np.linalg.norm(null.T @ pulled) > _ACTIVE * size
            or np.min(inequality, initial=0.0) < 0.0
        ):
            return -np.inf
        return float(-0.5 * pulled @ inverse @ pulled - r @ z) + self.constant

    def check(
        self, x: Any, inequality: Any = None, equality: Any = None, *, tol: float = 1e-6
    ) -> KKT:
        """Say whether a point is a solution, and if not, which condition tells.

        Parameters
        ----------
        x : array of shape (d,)
            The point.
        inequality, equality : arrays, optional
            λ and μ; the best ones are found otherwise.
        tol : float, default 1e-6
            Relative violations that count as none.

        Returns
        -------
        KKT

        Examples
        --------
        >>> nearest = quadratic_program([[1, 0], [0, 1]], [-2, -1], G=[[1, 1]], h=[1])  # to (2, 1), with x₁ + x₂ ≤ 1
        >>> print(nearest.check([1.0, 0.0]))
        a solution, to 0e+00: objective -1.5, duality gap 0.0e+00
        >>> print(nearest.check([0.5, 0.5]))
        no solution, objective -1.25: stationarity of row 0, Px + q + Gᵀλ + Aᵀμ = 0, by 5.0e-01
        """
        tol = WOLFE.positive("tol", tol, "tol")
        x = WOLFE.vector("x", x, len(self.q))
        if inequality is None and equality is None:
            inequality, equality = self._multipliers(x)
        m, e = len(self.h), len(self.b)
        inequality = _multiplier("inequality", inequality, m)
        equality = _multiplier("equality", equality, e)
        return self._measured(x, inequality, equality, tol)

    def _measured(self, x: Floats, inequality: Floats, equality: Floats, tol: float) -> KKT:
        M, _ = self._joined()
        z = np.concatenate([inequality, equality])
        terms = np.vstack([self.P * x, self.q[:, None].T, (M.T * z).T])
        scale = float(np.abs(terms).max(initial=0.0)) or 1.0
        slack = self.h - self.G @ x
        missed = self.A @ x - self.b
        sizes = _sizes(self.G, x, self.h), _sizes(self.A, x, self.b)
        largest = float(np.abs(inequality).max(initial=0.0)) or 1.0
        objective = self.value(x)
        size = max(abs(objective), float(np.abs(inequality * sizes[0]).max(initial=0.0))) or 1.0
        conditions = [
            _worst("stationarity", "Px + q + Gᵀλ + Aᵀμ = 0", self.P @ x + self.q + M.T @ z, scale),
            _worst("inequalities", "Gx ≤ h", np.maximum(-slack, 0.0), sizes[0]),
            _worst("equalities", "Ax = b", missed, sizes[1]),
            _worst("dual feasibility", "λ ≥ 0", np.maximum(-inequality, 0.0), largest),
            _worst("complementarity", "λ (Gx − h) = 0", inequality * slack, size),
        ]
        kept = tuple(one for one in conditions if one is not None)
        bound = self.bound(np.maximum(inequality, 0.0), equality)
        return KKT(x, inequality, equality, slack, objective, bound, kept, tol)

    def _multipliers(self, x: Floats) -> tuple[Floats, Floats]:
        """Return the λ ≥ 0 and μ that leave the least of ∇L, with λ = 0 away from equality."""
        m, e = len(self.h), len(self.b)
        near = np.flatnonzero(np.abs(self.h - self.G @ x) <= _ACTIVE * _sizes(self.G, x, self.h))
        columns = np.column_stack([self.G[near].T, self.A.T, -self.A.T])
        lengths = np.linalg.norm(columns, axis=0)
        lengths[lengths == 0.0] = 1.0
        inequality, equality = np.zeros(m), np.zeros(e)
        if columns.size:
            found = nnls(columns / lengths, -(self.P @ x + self.q))[0] / lengths
            inequality[near] = found[: len(near)]
            equality = found[len(near) : len(near) + e] - found[len(near) + e :]
        return inequality, equality

    def _joined(self) -> tuple[Floats, Floats]:
        return np.vstack([self.G, self.A]), np.concatenate([self.h, self.b])


def quadratic_program(
    P: Any, q: Any, *, G: Any = None, h: Any = None, A: Any = None, b: Any = None
) -> QuadraticProgram:
    """Return the program min ½ xᵀPx + q·x subject to Gx ≤ h and Ax = b, to build its dual and check solutions.

    Parameters
    ----------
    P : array of shape (d, d)
        Symmetric, without negative eigenvalues.
    q : array of shape (d,)
        The linear part.
    G, h : arrays of shape (m, d) and (m,), optional
        The inequalities Gx ≤ h.
    A, b : arrays of shape (e, d) and (e,), optional
        The equalities Ax = b.

    Returns
    -------
    QuadraticProgram

    Examples
    --------
    The hard margin of the points −1 and 1, in (w, intercept): the dual has Σ λ y = 0, and w = Σ λ y x.

    >>> margin = quadratic_program([[1, 0], [0, 0]], [0, 0], G=[[-1, 1], [-1, -1]], h=[-1, -1])
    >>> dual = margin.dual()
    >>> dual.A.tolist(), dual.b.tolist()
    ([[1.0, -1.0]], [0.0])
    >>> margin.point([0.5, 0.5]).tolist(), margin.bound([0.5, 0.5])
    ([1.0, 0.0], 0.5)
    >>> print(margin.check([1.0, 0.0], [0.5, 0.5]))
    a solution, to 0e+00: objective 0.5, duality gap 0.0e+00
    """
    P = WOLFE.symmetric("P", P)
    d = len(P)
    values = np.linalg.eigvalsh(P)
    told = f"the least eigenvalue of P is {values[0]:.3g}"
    enough = values[0] >= -_NOTHING * max(float(np.abs(values).max()), 1e-300)
    WOLFE.require(
        enough, "a convex objective, P ⪰ 0", told, "pass a P without negative eigenvalues"
    )
    q = WOLFE.vector("q", q, d)
    return QuadraticProgram(
        P, q, *_constraints("G", "h", G, h, d), *_constraints("A", "b", A, b, d)
    )


def _constraints(name: str, side: str, matrix: Any, right: Any, d: int) -> tuple[Floats, Floats]:
    if matrix is None and right is None:
        return np.zeros((0, d)), np.zeros(0)
    both = matrix is not None and right is not None
    WOLFE.require(both, "affine constraints", f"one of {name} and {side} is missing", "pass both")
    matrix = WOLFE.table(name, np.atleast_2d(np.asarray(matrix, dtype=float)))
    told = f"{name} has shape {matrix.shape}"
    WOLFE.require(matrix.shape[1] == d, f"rows of {d} numbers", told, "pass a column per variable")
    return matrix, WOLFE.vector(side, right, len(matrix))


def _multiplier(name: str, values: Any, count: int) -> Floats:
    return WOLFE.vector(name, values, count) if values is not None and count else np.zeros(count)


def _split(P: Floats) -> tuple[Floats, Floats]:
    """Return the pseudo-inverse of P, and a basis of what P takes to 0."""
    values, vectors = np.linalg.eigh(P)
    used = values > _NOTHING * max(float(np.abs(values).max()), 1e-300)
    kept = vectors[:, used]
    return (kept / values[used]) @ kept.T, vectors[:, ~used]


def _sizes(matrix: Floats, x: Floats, right: Floats) -> Floats:
    """Return what each constraint is compared with: its largest term."""
    terms = np.abs(np.column_stack([matrix * x, right]))
    return np.where(terms.max(axis=1) > 0.0, terms.max(axis=1), 1.0)


def _worst(name: str, formula: str, residual: Floats, size: Any) -> Condition | None:
    if not len(residual):
        return None
    relative = np.abs(residual) / size
    row = int(np.argmax(relative))
    return Condition(name, formula, float(abs(residual[row])), float(relative[row]), row)
