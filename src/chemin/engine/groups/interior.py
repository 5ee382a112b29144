"""What is the solution with a penalty on nested groups? An interior point for any l1, and its certificate.

    Σ_i ℓ_i(s_i (b0 + x_i·b)) + (l2/2) ‖b‖² + l1 Σ_g v_g τ_g,      −τ_g ≤ b_j ≤ τ_g for j in g.

Losses are rows of kinks with multipliers α and slacks ξ, ζ, as in `chemin.engine.recovery.interior`; every pair of a
group and a column has the slacks τ_g ∓ b_j with multipliers y⁺, y⁻, and the conditions are

    l2 b_j + Σ_{g∋j} (y⁺ − y⁻) = c_j,    Σ_{j∈g} (y⁺ + y⁻) = l1 v_g,    α ζ = (h − α) ξ = (τ_g ∓ b_j) y^± = μ → 0.

One step of the method solves a sparse system, and the products go to zero until rounding ends it.

Reference: Mehrotra (1992), *On the implementation of a primal-dual interior point method*.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.linalg import splu

from chemin.dictionaries.base import Floats, Indices
from chemin.engine.entry import one_thread
from chemin.engine.proof.certificate import Certificate
from chemin.engine.proof.grouped import certify_groups
from chemin.engine.recovery.interior import finite_slopes
from chemin.exceptions import EngineError, InvalidInputError
from chemin.frames import as_frame
from chemin.problems import Loss, Problem
from chemin.problems.hierarchies import Hierarchy
from chemin.results import Result, plural
from chemin.validation import as_dictionary, as_problem, check_l1

_ITERATIONS = 100
_SMALL = 1e-16
_NEARLY = 0.995  # of the way to where a factor would vanish
_ZERO = 1e-7  # of the largest coefficient, below which an interior point means zero
_GOOD = 1e-8  # relative gap that a solution must have


@dataclass(frozen=True, eq=False, repr=False)
class GroupedSolutions(Result):
    """The solutions at some l1.

    Attributes
    ----------
    problem : Problem
        What was minimised, but for the penalty.
    classes : ndarray
        The two labels; empty for a numeric target.
    groups : Hierarchy
        The penalty.
    l1 : ndarray of shape (k,)
        Where, decreasing.
    coef, intercept, dual : ndarray of shape (k, p), (k,) and (k, n)
    """

    problem: Problem = field(repr=False)
    classes: NDArray[Any]
    groups: Hierarchy = field(repr=False)
    l1: Floats
    coef: Floats = field(repr=False)
    intercept: Floats = field(repr=False)
    dual: Floats = field(repr=False)

    def __str__(self) -> str:
        gap = self.certificate().worst_gap
        return f"{plural(len(self.l1), 'solution')}, optimal to a relative gap of {gap:.0e}."

    def certificate(self) -> Certificate:
        """Certify all of them."""
        rows = zip(self.coef, self.intercept, self.l1, self.dual, strict=True)
        return Certificate.join(
            certify_groups(self.problem, self.groups, b, float(b0), float(l1), dual)
            for b, b0, l1, dual in rows
        )

    def active(self, level: int) -> list[list[Any]]:
        """Return which groups of a level have a coefficient, for every l1."""
        labels = np.asarray(self.groups.levels[level])
        return [np.unique(labels[b != 0.0]).tolist() for b in self.coef]

    def decision(self, X: Any) -> Floats:
        """Return b0 + X·b, one row per l1."""
        return np.asarray(as_dictionary(X).scores(self.coef.T).T + self.intercept[:, None])

    def frame(self) -> Any:
        """Return l1, the groups of every level that are active, and the gap as a pandas or else polars frame."""
        columns: dict[str, Any] = {"l1": self.l1}
        for level in range(len(self.groups.levels)):
            columns[f"level {level}"] = [len(found) for found in self.active(level)]
        columns["gap"] = self.certificate().gap
        return as_frame(columns, instead="active(level) and certificate()")


def solve_groups(
    X: Any,
    y: Any,
    l1: Any,
    groups: Hierarchy,
    *,
    loss: str | Loss = "hinge",
    l2: float = 1.0,
    sample_weight: Any = None,
) -> GroupedSolutions:
    """Solve with a penalty on groups, nested or not: whole families of kernels, kernels and couples enter and leave.

    Minimises ``Σ w_i ℓ(y_i, b0 + x_i·b) + (l2/2) ‖b‖₂² + l1 Σ_g v_g max_{j∈g} |b_j|``.

    Parameters
    ----------
    X, y, loss, l2, sample_weight
        As for `chemin.path`.
    l1 : float or array of shape (k,)
        Where.
    groups : Hierarchy
        The groups, level by level (`chemin.problems.Hierarchy`).

    Returns
    -------
    GroupedSolutions

    Examples
    --------
    Of two families of kernels, one is of use:

    >>> import chemin
    >>> from chemin.datasets import toydata1
    >>> from chemin.kernels import Gaussian
    >>> from chemin.problems import Hierarchy
    >>> X, y = toydata1()
    >>> points = X[::8]
    >>> columns = np.hstack([Gaussian(width)(X, points) for width in (2.0, 4.0, 0.01, 0.02)])
    >>> kernel = np.repeat(["2", "4", "0.01", "0.02"], len(points))
    >>> family = np.repeat(["wide", "narrow"], 2 * len(points))
    >>> levels = Hierarchy([family, kernel, np.arange(len(kernel))])
    >>> found = chemin.solve_groups(columns, y, 1.0, levels)
    >>> found.active(0)
    [['wide']]
    >>> bool(found.certificate().worst_gap < 1e-8)
    True
    """
    problem, classes = as_problem(X, y, l2, sample_weight, None, loss)
    p = problem.dictionary.shape[1]
    if not isinstance(groups, Hierarchy):
        raise InvalidInputError(
            f"groups is {type(groups).__name__}: pass Hierarchy([labels]), with one label per column"
        )
    if groups.size != p:
        raise InvalidInputError(
            f"groups has {groups.size} labels per level and X {p} columns: pass one label per column"
        )
    values = np.sort(np.array([check_l1(one) for one in np.atleast_1d(l1)]))[::-1]
    if not len(values) or values[-1] == 0.0:
        raise InvalidInputError(f"l1 is {l1!r}: pass one or more positive numbers")
    with one_thread(problem, always=True):
        points = [_solved(problem, groups, float(one)) for one in values]
    coef, intercept, dual = (np.array(part) for part in zip(*points, strict=True))
    return GroupedSolutions(problem, classes, groups, values, coef, intercept, dual)


def _solved(problem: Problem, groups: Hierarchy, l1: float) -> tuple[Floats, float, Floats]:
    """Return the solution at one l1, with coefficients that are zero said to be so."""
    coef, intercept, dual = _interior(problem, groups, l1)
    size = np.abs(coef).max(initial=0.0)
    plain = np.where(np.abs(coef) > _ZERO * size, coef, 0.0)
    for tried in (plain, coef):
        gap = certify_groups(problem, groups, tried, intercept, l1, dual).worst_gap
        if gap <= _GOOD:
            return tried, intercept, dual
    raise EngineError(
        f"the duality gap at l1 = {l1:.6g} is {gap:.1e}: centre and scale the columns, or raise l2"
    )


@np.errstate(divide="ignore", over="ignore", invalid="ignore")  # as μ → 0; such a step is refused
def _interior(problem: Problem, groups: Hierarchy, l1: float) -> tuple[Floats, float, Floats]:
    """Solve at one l1 > 0 to about ten digits."""
    loss = problem.loss
    slope = finite_slopes(problem)
    jump = np.diff(slope, axis=1)
    row, kink = np.nonzero(jump > 0.0)
    whole = problem.dictionary.columns(np.arange(problem.dictionary.shape[1]))
    scale = np.abs(whole).max(initial=0.0) or 1.0
    A = whole[row] * problem.label[row, None] / scale
    y = problem.label[row]
    h = jump[row, kink]
    z = loss.kink[row, kink]
    width = np.zeros(len(row)) if loss.width is None else loss.width[row]
    bent = width * slope[row, -1]
    pull = slope[:, -1] * problem.label
    pull_b = whole.T @ pull / scale
    pairs = _Pairs(groups, l1 / scale, problem.l2 / scale**2)
    b = np.zeros(A.shape[1])
    b0 = float(np.median(y * z))
    tau = np.ones(len(pairs.size))
    up = np.repeat(0.5 * pairs.bound / pairs.size, pairs.size)
    down = up.copy()
    alpha = 0.5 * h
    xi = np.ones(len(h))
    zeta = np.ones(len(h))
    for _ in range(_ITERATIONS):
        above, below = pairs.slacks(b, tau)
        miss_b = A.T @ alpha - pull_b - pairs.l2 * b - pairs.onto_columns(up - down)
        miss_0 = float(alpha @ y - pull.sum())
        miss_tau = pairs.onto_groups(up + down) - pairs.bound
        miss_r = z - A @ b - y * b0 - (width * alpha - bent) - xi + zeta
        products = (alpha * zeta, (h - alpha) * xi, up * above, down * below)
        mu = float(np.concatenate(products).mean())
        if mu < _SMALL * h.max():
            break
        factors = (alpha, h - alpha, xi, zeta, above, below, up, down)
        try:
            system = _System(pairs, A, y, width, *factors)
        except RuntimeError:  # singular: this is as near as rounding allows
            break
        missed = (miss_b, miss_0, miss_tau, miss_r)
        guess = system.step(missed, [-each for each in products])
        aim = mu * (1.0 - system.reach(guess)) ** 3
        target = [
            aim - each - bend for each, bend in zip(products, system.curvature(guess), strict=True)
        ]
        step = system.step(missed, target)
        if not all(np.all(np.isfinite(part)) for part in step):
            break
        t = min(1.0, _NEARLY * system.reach(step))
        b, tau, alpha, xi, zeta, up, down = (
            now + t * change
            for now, change in zip((b, tau, alpha, xi, zeta, up, down), step[1:], strict=True)
        )
        b0 += t * float(step[0])
    dual = np.bincount(row, weights=alpha, minlength=len(slope)) - slope[:, -1]
    return b / scale, b0, dual


class _Pairs:
    """The pairs of a group and one of its columns, group by group."""

    def __init__(self, groups: Hierarchy, l1: float, l2: float) -> None:
        self.l2 = l2
        self.column: Indices = np.concatenate([group for group, _ in groups.groups])
        self.size = np.array([len(group) for group, _ in groups.groups])
        self.group = np.repeat(np.arange(len(self.size)), self.size)
        every = np.arange(len(self.group))
        one = np.ones(len(every))
        shape = (len(every), groups.size)
        self.columns = sparse.csc_array((one, (every, self.column)), shape=shape)
        self.groups = sparse.csc_array(
            (one, (every, self.group)), shape=(len(every), len(self.size))
        )
        self.bound = np.array([l1 * weight for _, weight in groups.groups])
        self.p = groups.size

    def slacks(self, b: Floats, tau: Floats) -> tuple[Floats, Floats]:
        """Return τ_g − b_j and τ_g + b_j."""
        return tau[self.group] - b[self.column], tau[self.group] + b[self.column]

    def onto_columns(self, values: Floats) -> Floats:
        """Sum over the groups of every column."""
        return np.asarray(np.bincount(self.column, values, self.p), dtype=float)

    def onto_groups(self, values: Floats) -> Floats:
        """Sum over the columns of every group."""
        return np.asarray(np.bincount(self.group, values, len(self.size)), dtype=float)


class _System:
    """The Newton system at one iterate: of b, τ, y⁺, y⁻, α and b0 at once, since eliminating some costs digits."""

    def __init__(self, pairs: _Pairs, A: Floats, y: Floats, width: Floats, *parts: Floats) -> None:
        self.pairs = pairs
        self.alpha, self.left, self.xi, self.zeta = parts[:4]
        self.above, self.below, self.up, self.down = parts[4:]
        self.scales = (
            np.maximum(self.up, self.above),
            np.maximum(self.down, self.below),
            np.maximum(width + self.xi / self.left + self.zeta / self.alpha, 1.0),
        )
        over, under, far = (sparse.diags_array(1.0 / scale) for scale in self.scales)
        up, down = (sparse.diags_array(part) for part in (self.up, self.down))
        onto_b, onto_tau = pairs.columns, pairs.groups
        rows = sparse.csc_array(A)
        label = sparse.csc_array(y[:, None])
        steep = sparse.diags_array(width + self.xi / self.left + self.zeta / self.alpha)
        ridge = sparse.diags_array(np.full(pairs.p, pairs.l2))
        self.matrix = sparse.csc_array(sparse.block_array([
            [ridge, None, onto_b.T, -onto_b.T, -rows.T, None],
            [None, None, onto_tau.T, onto_tau.T, None, None],
            [-over @ up @ onto_b, over @ up @ onto_tau, over @ sparse.diags_array(self.above), None, None, None],
            [under @ down @ onto_b, under @ down @ onto_tau, None, under @ sparse.diags_array(self.below), None, None],
            [far @ rows, None, None, None, far @ steep, far @ label],
            [None, None, None, None, label.T, None],
        ]))  # fmt: skip
        self.solve = splu(self.matrix).solve
        sizes = (pairs.p, len(pairs.size), len(self.up), len(self.down), len(y))
        self.cuts = np.cumsum(sizes)

    def step(
        self, missed: tuple[Floats, float, Floats, Floats], target: list[Floats]
    ) -> tuple[Any, ...]:
        """Solve for the step that cancels the missed equations and brings the products by ``target``."""
        miss_b, miss_0, miss_tau, miss_r = missed
        beyond, short, over, under = target
        # dζ = (beyond − ζ dα)/α, dξ = (short + ξ dα)/(h − α)
        shift = miss_r - short / self.left + beyond / self.alpha
        scaled = [
            part / scale for part, scale in zip((over, under, shift), self.scales, strict=True)
        ]
        right = np.concatenate([miss_b, -miss_tau, *scaled, [-miss_0]])
        found = self.solve(right)
        found += self.solve(right - self.matrix @ found)
        db, dtau, dup, ddown, dalpha, db0 = np.split(found, self.cuts)
        dxi = (short + self.xi * dalpha) / self.left
        dzeta = (beyond - self.zeta * dalpha) / self.alpha
        return float(db0[0]), db, dtau, dalpha, dxi, dzeta, dup, ddown

    def reach(self, step: tuple[Any, ...]) -> float:
        """Return how much of a step keeps every factor positive."""
        _, db, dtau, dalpha, dxi, dzeta, dup, ddown = step
        dabove, dbelow = self.pairs.slacks(db, dtau)
        moving = (
            (self.alpha, dalpha), (self.left, -dalpha), (self.xi, dxi), (self.zeta, dzeta),
            (self.above, dabove), (self.below, dbelow), (self.up, dup), (self.down, ddown),
        )  # fmt: skip
        return min(1.0, *(float(np.min(-v[d < 0] / d[d < 0], initial=1.0)) for v, d in moving))

    def curvature(self, step: tuple[Any, ...]) -> tuple[Floats, ...]:
        """Return the second-order part of the products, which the corrector takes away."""
        _, db, dtau, dalpha, dxi, dzeta, dup, ddown = step
        dabove, dbelow = self.pairs.slacks(db, dtau)
        return dalpha * dzeta, -dalpha * dxi, dup * dabove, ddown * dbelow
