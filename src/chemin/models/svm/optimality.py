"""Is this function a solution of the problem of a support vector machine? The duality gap and the KKT conditions.

    min ½‖w‖² + Σ C_n ξ_n   subject to   y_n f(x_n) ≥ 1 − ξ_n,  ξ_n ≥ 0,   with f = w·φ + b

has the dual max Σ λ_n − ½‖Σ λ_n y_n φ(x_n)‖² with 0 ≤ λ_n ≤ C_n and Σ λ_n y_n = 0. A pair (w, b), λ is a solution of
both if and only if

    w = Σ λ_n y_n φ(x_n)       Σ λ_n y_n = 0       0 ≤ λ_n ≤ C_n
    λ_n (y_n f(x_n) − 1 + ξ_n) = 0       (C_n − λ_n) ξ_n = 0.

C = ∞ is the hard margin. With slacks ξ² the last condition is λ_n = 2 C_n ξ_n, and Σ λ²/4C is taken from the dual.
An intercept that is penalised, as in liblinear, is a coordinate of w, and there is no condition Σ λ_n y_n = 0.

Regression has a tube, |y_n − f(x_n)| ≤ ε + ξ_n: two rows for each, f ≥ y − ε − ξ with λ and −f ≥ −y − ε − ξ* with λ*.
They are written as above with the number that they need, y − ε or −y − ε, in the place of 1.

References: F. Sur, *Introduction à l'apprentissage automatique*, Mines Nancy, 2022-2023, sections 8.1, 8.2, 8.5, B.2;
Wolfe (1961), *A duality theorem for non-linear programming*.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, log10
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from chemin.dictionaries.base import Floats
from chemin.frames import as_frame
from chemin.results import Result

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_FINEST = 1e-16
_CLASSES = (
    "f = Σ λ y k + b",
    "Σ λ y = 0",
    "y f ≥ 1 − ξ",
    "λ (y f − 1 + ξ) = 0",
    "margin, y f",
)
_NUMBERS = (
    "f = Σ (λ − λ*) k + b",
    "Σ (λ − λ*) = 0",
    "|y − f| ≤ ε + ξ",
    "λ (ε + ξ − y + f) = 0 = λ* (ε + ξ* + y − f)",
    "1 + distance from the edge of the tube, inwards",
)


@dataclass(frozen=True)
class Condition:
    """One condition of optimality, and where it is violated most.

    Attributes
    ----------
    name, formula : str
        Which one.
    violation : float
        The largest one, in the units of the formula.
    relative : float
        The same beside what it is compared with: the scores, the dual values or the objective.
    row : int or None
        Where, by position; None for a condition on all rows together.
    """

    name: str
    formula: str
    violation: float
    relative: float
    row: int | None = None

    def __str__(self) -> str:
        where = "" if self.row is None else f" of row {self.row}"
        return f"{self.name}{where}, {self.formula}, by {self.violation:.1e}"


@dataclass(frozen=True, eq=False, repr=False)
class KKTReport(Result):
    """How far a fitted machine is from a solution, and by which conditions one can tell.

    Attributes
    ----------
    model, problem : str
        The class of the model, and what it minimises.
    primal, dual : float
        The two objectives. The optimum lies between them if the dual values are feasible.
    relative_gap : float
        Their difference beside the larger of their sizes.
    conditions : tuple of Condition
        The conditions of optimality.
    margins, shares : ndarrays
        y f of every row, and its dual value divided by ``unit``. Of numbers: 1 + f − (y − ε) of every row, then
        1 + (y + ε) − f.
    unit : str
        What dual values are divided by: C, the weight of the row, or the largest of them where C is infinite.
    law : pair of ndarrays
        The margins and shares that complementarity allows, as a line.
    tol : float
        Up to which relative gap and violations the model counts as optimal.
    axis : str
        What ``margins`` are.
    """

    model: str
    problem: str
    primal: float
    dual: float
    relative_gap: float
    conditions: tuple[Condition, ...]
    margins: Floats
    shares: Floats
    unit: str
    law: tuple[Floats, Floats]
    tol: float
    axis: str = _CLASSES[-1]

    @property
    def gap(self) -> float:
        """The primal objective less the dual one."""
        return self.primal - self.dual

    @property
    def worst(self) -> Condition:
        """The condition of the largest relative violation."""
        return max(self.conditions, key=lambda condition: condition.relative)

    @property
    def precision(self) -> float:
        """The least power of ten that neither the relative gap nor a relative violation exceeds."""
        largest = max(abs(self.relative_gap), self.worst.relative, _FINEST)
        return float(10.0 ** ceil(log10(largest))) if np.isfinite(largest) else np.inf

    @property
    def optimal(self) -> bool:
        """Whether the gap and all violations are within ``tol``."""
        return max(abs(self.relative_gap), self.worst.relative) <= self.tol

    def __str__(self) -> str:
        verdict = (
            f"optimal to {self.precision:.0e}" if self.optimal else f"not optimal to {self.tol:.0e}"
        )
        return (
            f"{self.model}, {self.problem}: {verdict}. Duality gap {self.gap:.1e}, {self.relative_gap:.0e} of the "
            f"objective {self.primal:.6g}; largest violation: {self.worst}."
        )

    def frame(self, kind: str | None = None) -> Any:
        """Return one line per condition: its name and formula, the largest violation, as it is and relative, its row.

        The row is −1 for conditions on all rows together.
        """
        some = self.conditions
        columns = {
            "condition": [one.name for one in some],
            "formula": [one.formula for one in some],
            "violation": [one.violation for one in some],
            "relative": [one.relative for one in some],
            "row": [-1 if one.row is None else one.row for one in some],
        }
        return as_frame(columns, kind, instead="conditions")

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw dual values against margins, and the line on which those of a solution are.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; new axes are made otherwise.

        Returns
        -------
        matplotlib Axes
        """
        from chemin.plots.models.svm import draw_complementarity

        return draw_complementarity(
            self.margins,
            self.shares,
            self.law,
            axis=self.axis,
            unit=self.unit,
            title=f"{self.model}: relative duality gap {self.relative_gap:.1e}",
            ax=ax,
        )


@dataclass(frozen=True, eq=False)
class Solved:
    """A function and dual values that are said to solve a problem.

    Attributes
    ----------
    model : str
        The class of what found them.
    sign, score : ndarray of shape (n,)
        Classes ±1, and f.
    dual, cost : ndarray of shape (n,)
        λ and C, which may be infinite.
    square, spanned : float
        ‖w‖², and ‖Σ λ y φ(x)‖².
    represented : ndarray of shape (n,)
        The scores of Σ λ y φ(x) with the same intercept.
    free_intercept : bool
        Whether there is an intercept that costs nothing.
    squared : bool
        Whether slacks cost their squares.
    need : float or ndarray of shape (n,)
        What y f must reach: 1 for classes.
    tube : float or None
        ε of a regression. The first half of its rows are those of λ, with the sign 1, and the others those of λ*.
    """

    model: str
    sign: Floats
    score: Floats
    dual: Floats
    cost: Floats
    square: float
    spanned: float
    represented: Floats
    free_intercept: bool = True
    squared: bool = False
    need: Floats | float = 1.0
    tube: float | None = None


def measure(solved: Solved, tol: float = 1e-3) -> KKTReport:
    """Return the objectives and the violations of the conditions."""
    margins = solved.sign * solved.score + (1.0 - solved.need)
    dual, cost = solved.dual, solved.cost
    expansion, balanced, feasible, complementary, axis = (
        _CLASSES if solved.tube is None else _NUMBERS
    )
    rows = len(dual) if solved.tube is None else len(dual) // 2
    hard = bool(np.isinf(cost).any())
    short = np.maximum(0.0, 1.0 - margins)
    slack = np.zeros(len(short)) if hard else short
    primal = 0.5 * solved.square
    bound = float(np.sum(solved.need * dual)) - 0.5 * solved.spanned
    if not hard:
        primal += float(cost @ (slack**2 if solved.squared else slack))
    if solved.squared:
        bound -= float(np.sum(dual[cost > 0.0] ** 2 / (4.0 * cost[cost > 0.0])))
    size = max(abs(primal), abs(bound)) or 1.0
    largest = float(np.abs(dual).max()) or 1.0
    scores = max(1.0, float(np.abs(solved.score).max()))
    outside = np.maximum(-dual, 0.0 if hard or solved.squared else dual - cost)
    conditions = [
        _worst("stationarity", expansion, solved.score - solved.represented, scores, rows),
        _worst("primal feasibility", feasible, short - slack, 1.0, rows),
        _worst("dual feasibility", "0 ≤ λ ≤ C", np.maximum(outside, 0.0), largest, rows),
        _worst("complementarity", complementary, dual * (margins - 1.0 + slack), size, rows),
    ]
    if solved.free_intercept:
        balance = abs(float(solved.sign @ dual))
        share = balance / (float(np.abs(dual).sum()) or 1.0)
        conditions.insert(1, Condition("stationarity in b", balanced, balance, share))
    if solved.squared:
        conditions.append(_worst("slacks", "λ = 2 C ξ", dual - 2.0 * cost * slack, largest, rows))
    elif not hard:
        conditions.append(_worst("slacks", "(C − λ) ξ = 0", (cost - dual) * slack, size, rows))
    most = np.full(len(dual), largest) if hard else np.where(cost > 0.0, cost, 1.0)
    return KKTReport(
        model=solved.model,
        problem=_problem_of(cost, solved.squared, solved.tube),
        primal=primal,
        dual=bound,
        relative_gap=(primal - bound) / size,
        conditions=tuple(conditions),
        margins=margins,
        shares=dual / most,
        unit="largest" if hard else "C",
        law=_law(margins, hard, solved.squared),
        tol=tol,
        axis=axis,
    )


def solved_by_kernel(
    machine: Any, score: Floats, sign: Floats, cost: Floats, gram: Floats, intercept: float
) -> Solved:
    """Return what a machine with ``dual_coef_`` and ``support_`` found.

    ``gram`` has the kernel between all rows and the support vectors.
    """
    signed = np.zeros(len(sign))
    signed[machine.support_] = dense(machine.dual_coef_)[0]
    expansion = gram @ signed[machine.support_]
    square = float(signed @ expansion)
    return Solved(
        model=type(machine).__name__,
        sign=sign,
        score=score,
        dual=sign * signed,
        cost=cost,
        square=square,
        spanned=square,
        represented=expansion + intercept,
    )


def _worst(name: str, formula: str, residual: Floats, size: float, rows: int) -> Condition:
    place = int(np.argmax(np.abs(residual)))
    violation = float(abs(residual[place]))
    return Condition(name, formula, violation, violation / size, place % rows)


def _problem_of(cost: Floats, squared: bool, tube: float | None) -> str:
    if np.isinf(cost).any():
        return "½‖w‖² subject to y f ≥ 1"
    low, high = float(cost.min()), float(cost.max())
    told = f"C = {low:.4g}" if low == high else f"C from {low:.4g} to {high:.4g}"
    if tube is not None:
        return f"½‖w‖² + Σ C (ξ + ξ*) with {told} and ε = {tube:.4g}"
    return f"½‖w‖² + Σ C ξ{'²' * squared} with {told}"


def _law(margins: Floats, hard: bool, squared: bool) -> tuple[Floats, Floats]:
    """Return the line of margins and shares λ/C that complementarity allows."""
    low, high = min(float(margins.min()), 0.0), max(float(margins.max()), 2.0)
    if hard:
        return np.array([1.0, 1.0, high]), np.array([1.0, 0.0, 0.0])
    if squared:
        return np.array([low, 1.0, high]), np.array([2.0 * (1.0 - low), 0.0, 0.0])
    return np.array([low, 1.0, 1.0, high]), np.array([1.0, 1.0, 0.0, 0.0])


def dense(values: Any) -> Floats:
    """Return an array of what may be sparse."""
    return np.asarray(values.toarray() if sparse.issparse(values) else values, dtype=float)
