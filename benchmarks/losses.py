"""Is the whole exact path cheaper than separate solutions for the losses other than the hinge, too?

    python benchmarks/losses.py [--quick]

The objective is  sum_i loss(y_i, b0 + x_i.b) + (l2/2) ||b||_2^2 + l1 ||b||_1.  Ours is the path
from its largest l1 to a thousandth of it, and once more to l1 = 0, which no peer is compared with.
Peers are asked for 100 values of l1, log-spaced over the same range, with one thread:

    squared              LARS (l2 = 0), which follows a path as well; celer (l2 = 0), the coordinate
                         descent of scikit-learn and skglm, all started from their last solution
    huberized hinge      Clarabel on the dual, a quadratic program, set up once
    quantile             QuantileRegressor of scikit-learn; linprog of SciPy on the same linear
                         program; HiGHS itself, set up once and started from its last basis
    epsilon-insensitive  SVR and LinearSVR of scikit-learn, which have no L1 penalty: 100 fits of
                         another parameter, C = 1/l2 from 1/1000 to 1. Only the time is compared.

Seconds are the best of a few runs, set-up included, imports and compilation not. A peer is stopped
after 6 s. "~" is extrapolated from the values done, which are spread over the range and at most 20
for programs solved afresh; ">" is what a peer that starts from its last solution had spent when it
was stopped. Excesses are over our objective, (peer - ours) / max(1, ours), both from the definition
of the loss; those of LARS are at the same 100 values, by interpolation, and its "values" are its
breakpoints. On the smallest problem much of a peer's time is spent on checking its input.

Tolerances aim at an excess of about 1e-10: a gap of 1e-10 of the objective at b = 0 for celer, 1e-9
for scikit-learn, whose steps must be as small, too, a subgradient within 1e-8 of the largest l1 for
skglm, 1e-9 for Clarabel. All others have their defaults.
"""

from __future__ import annotations

import one_thread  # isort: skip  # before numpy is loaded

import argparse
import importlib
import platform
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from importlib import metadata
from typing import Any

import numpy as np
from grid import ABSENT, COMPLETE, ESTIMATE, FAILED, LOWER_BOUND, GridRun
from objective import relative_excess
from ours import worst_gap
from peers.interior_point import Clarabel, stack_cones
from peers.programs import Program, dual_boxes_program
from problems import Problem, standardise
from scipy import sparse
from scipy.optimize import brentq
from sklearn.datasets import load_diabetes
from sklearn.exceptions import ConvergenceWarning
from table import (
    NOT_OPTIMAL,
    PREFIX,
    TITLES,
    format_alarms,
    format_line,
    format_peer,
    format_ratio,
)
from threadpoolctl import threadpool_limits
from visiting import spread_order

import chemin
from chemin.problems import EpsilonInsensitive, HuberizedHinge, Quantile, Squared

RATIO = 1e-3
VALUES = 100
COLD_VALUES = 20  # of a program that is solved afresh for every value
CELER_TOL = 1e-10
SKLEARN_TOL = 1e-9
SKGLM_TOL = 1e-8
CLARABEL_TOL = 1e-9
HIGHS_DUAL = 1
HIGHS_PRIMAL = 4
MANY = 1_000_000  # iterations, never to be the reason to stop
LONG = 1.0  # seconds; what takes longer is not repeated
INFORMATIVE = 10
GAUSSIAN = {"wide": (200, 2000, 1), "tall": (1000, 200, 2), "genes-like": (40, 5000, 3)}
PACKAGES = ("scikit-learn", "scipy", "celer", "skglm", "clarabel", "highspy")

Kind = Squared | HuberizedHinge | Quantile | EpsilonInsensitive
Model = tuple[np.ndarray, float]


@dataclass(frozen=True)
class Task:
    """One problem with its loss, its ridge parameter and the values of l1, decreasing."""

    problem: Problem
    loss: Kind
    l2: float
    grid: np.ndarray

    @property
    def data(self) -> tuple[np.ndarray, np.ndarray]:
        """Columns and target, or labels."""
        return self.problem.X, self.problem.y


@dataclass(frozen=True)
class Rival:
    """A peer: `solve(task, values)` yields coefficients and intercepts, some values at a time.

    `warm` says that it starts from its last solution, hence wants the values in decreasing order.
    Others visit at most `most` of them, in an order that spreads over the range.
    """

    name: str
    module: str
    solve: Callable[[Task, np.ndarray], Iterator[list[Model]]]
    warm: bool = True
    most: int = VALUES
    same_problem: bool = True

    def is_installed(self) -> bool:
        """Whether it can be imported, which is then done before any clock starts."""
        try:
            importlib.import_module(self.module)
        except ImportError:
            return False
        return True


@dataclass(frozen=True)
class Section:
    """A loss with its ridge parameter, and who else has it."""

    title: str
    l2: float
    loss: Callable[[Problem], Kind]
    rivals: tuple[Rival, ...]
    labels: bool = False
    with_lars: bool = False


@dataclass(frozen=True)
class Effort:
    """How much time is to be spent: runs of one call, and seconds per peer and problem."""

    repeat: int
    budget: float


# Problems


def draw_gaussian(name: str, n: int, p: int, seed: int) -> Problem:
    """Gaussian columns, the first ten of which add up to the target, with noise of variance 1."""
    rng = np.random.default_rng(seed)
    X = standardise(rng.standard_normal((n, p)))
    return Problem(name, X, X[:, :INFORMATIVE].sum(axis=1) + rng.standard_normal(n))


def make_problems(quick: bool) -> list[Problem]:
    """Problems with a numeric target, columns of mean 0 and variance 1."""
    X, y = load_diabetes(return_X_y=True)
    names = ["genes-like"] if quick else list(GAUSSIAN)
    drawn = [draw_gaussian(name, *GAUSSIAN[name]) for name in names]
    return [Problem("diabetes", standardise(X), y), *drawn]


def with_labels(problem: Problem) -> Problem:
    """The same columns; +1 where the target is above its median, -1 elsewhere."""
    return replace(problem, y=np.where(problem.y > np.median(problem.y), 1.0, -1.0))


# How good is a solution?


def losses_of(loss: Kind, y: np.ndarray, score: np.ndarray) -> np.ndarray:
    """What every point pays, from the definition of the loss."""
    match loss:
        case Squared():
            return 0.5 * (y - score) ** 2
        case HuberizedHinge(delta):
            short = 1.0 - y * score
            line = short - 0.5 * delta
            parabola = np.maximum(short, 0.0) ** 2 / (2.0 * delta)
            return np.where(short >= delta, line, parabola)
        case Quantile(level):
            return np.maximum(level * (y - score), (level - 1.0) * (y - score))
        case EpsilonInsensitive(epsilon):
            return np.maximum(0.0, np.abs(y - score) - epsilon)


def objective(task: Task, model: Model, l1: float) -> float:
    """The objective of one model."""
    coef, intercept = model
    X, y = task.data
    paid = losses_of(task.loss, y, intercept + X @ coef).sum()
    return float(paid + 0.5 * task.l2 * coef @ coef + l1 * np.abs(coef).sum())


def measure_excess(
    task: Task, models: list[Model], visited: list[int], reference: np.ndarray
) -> dict[str, float]:
    """Worst, median and least relative excess over our objectives; infinite where not finite."""
    excess = [
        relative_excess(objective(task, model, task.grid[k]), reference[k])
        for model, k in zip(models, visited, strict=False)
    ]
    finite = np.nan_to_num(np.array(excess), nan=np.inf)
    return {
        "worst_excess": float(finite.max()),
        "median_excess": float(np.median(finite)),
        "least_excess": float(finite.min()),
    }


# Peers for the squared loss


def centred(task: Task) -> tuple[np.ndarray, np.ndarray]:
    """Columns, by column in memory, and target, both of mean 0: the intercept drops out."""
    X, y = task.data
    return np.asfortranarray(X - X.mean(axis=0)), y - y.mean()


def with_mean(task: Task, coef: np.ndarray) -> Model:
    """Coefficients for centred data with the intercept that belongs to them."""
    X, y = task.data
    return coef, float(y.mean() - X.mean(axis=0) @ coef)


def solve_celer(task: Task, values: np.ndarray) -> Iterator[list[Model]]:
    """All values by celer, in one call, which also keeps the dual solution from one to the next."""
    from celer import celer_path

    X, y = centred(task)
    _, coefs, _ = celer_path(X, y, "lasso", alphas=values / len(y), tol=CELER_TOL, max_iter=MANY)
    yield [with_mean(task, coef) for coef in coefs.T]


def solve_enet(task: Task, values: np.ndarray) -> Iterator[list[Model]]:
    """Coordinate descent of scikit-learn, on the Gram matrix where there are more points."""
    from sklearn.linear_model import enet_path

    X, y = centred(task)
    n, p = X.shape
    on_gram: dict[str, Any] = {"precompute": X.T @ X, "Xy": X.T @ y} if n > p else {}
    coef = np.zeros(p)
    for l1 in values:
        total = l1 + task.l2
        shares = {"alphas": [total / n], "l1_ratio": l1 / total}
        settings = {"tol": SKLEARN_TOL, "max_iter": MANY, "check_input": False}
        _, coefs, _ = enet_path(X, y, coef_init=coef, **shares, **settings, **on_gram)
        coef = coefs[:, 0].copy()  # the next call writes into what it is given
        yield [with_mean(task, coef.copy())]


def solve_skglm(task: Task, values: np.ndarray) -> Iterator[list[Model]]:
    """Lasso or ElasticNet of skglm."""
    from skglm import ElasticNet, Lasso

    X, y = centred(task)
    n = len(y)
    tol = SKGLM_TOL * task.grid[0] / n
    kind = ElasticNet if task.l2 else Lasso
    model = kind(fit_intercept=False, warm_start=True, tol=tol, max_iter=MANY)
    for l1 in values:
        total = l1 + task.l2
        model.alpha = total / n
        if task.l2:
            model.l1_ratio = l1 / total
        model.fit(X, y)
        yield [with_mean(task, model.coef_.copy())]


def follow_lars(task: Task) -> tuple[np.ndarray, np.ndarray]:
    """Breakpoints of LARS in l1, decreasing, and its coefficients there, one row each."""
    from sklearn.linear_model import lars_path

    X, y = centred(task)
    n = len(y)
    alphas, _, coefs = lars_path(
        X, y, method="lasso", Gram="auto", alpha_min=task.grid[-1] / n, max_iter=MANY
    )
    return n * alphas, coefs.T


def interpolate(l1: np.ndarray, coefs: np.ndarray, value: float) -> np.ndarray:
    """The coefficients between two breakpoints."""
    after = int(np.clip(np.searchsorted(-l1, -value), 1, len(l1) - 1))
    width = l1[after - 1] - l1[after]
    share = np.clip((l1[after - 1] - value) / width, 0.0, 1.0) if width > 0.0 else 1.0
    return (1.0 - share) * coefs[after - 1] + share * coefs[after]


# Peers for the other losses


class ClarabelHuberized(Clarabel):
    """Clarabel on the dual of the hinge, to which a rounded kink adds (delta/2) ||alpha||^2.

    Measured: this writing is faster than the primal on all problems here, and so is qdldl.
    """

    tolerance = CLARABEL_TOL

    def __init__(self, X: np.ndarray, y: np.ndarray, l2: float, delta: float) -> None:
        n, p = X.shape
        hinge = dual_boxes_program(X, y, l2)
        curvature = sparse.diags(np.repeat([delta, 0.0], [n, 2 * p])).tocsc()
        self.program: Program = replace(hinge, P=hinge.P + curvature)
        self.matrix, self.kept = stack_cones(self.program)
        self.method = "qdldl"
        self.solver = None


def solve_clarabel(task: Task, values: np.ndarray) -> Iterator[list[Model]]:
    """Clarabel, value after value; intercepts, which are not in the dual, are found afterwards."""
    assert isinstance(task.loss, HuberizedHinge)
    X, y = task.data
    solver = ClarabelHuberized(X, y, task.l2, task.loss.delta)
    for l1 in values:
        (coef,) = solver.solve(float(l1), np.inf)
        yield [(coef, huberized_intercept(X, y, coef, task.loss.delta))]


def huberized_intercept(X: np.ndarray, y: np.ndarray, coef: np.ndarray, delta: float) -> float:
    """Where the sum of the slopes, which grows with the intercept, is zero."""
    score = X @ coef
    far = float(np.abs(score).max()) + 2.0 + delta

    def slope(intercept: float) -> float:
        short = 1.0 - y * (score + intercept)
        return float(-(y * np.clip(short / delta, 0.0, 1.0)).sum())

    return float(brentq(slope, -far, far, xtol=1e-14, rtol=1e-14))


@dataclass(frozen=True)
class QuantileProgram:
    """Columns b+, b-, b0, residuals above and below: X (b+ - b-) + b0 + above - below = y."""

    task: Task

    @property
    def matrix(self) -> sparse.csc_matrix:
        """The equalities."""
        X = self.task.problem.X
        identity = sparse.identity(len(X))
        return sparse.hstack([X, -X, np.ones((len(X), 1)), identity, -identity], "csc")

    @property
    def lower(self) -> np.ndarray:
        """The lower bounds; nothing is bounded above."""
        n, p = self.task.problem.X.shape
        return np.concatenate([np.zeros(2 * p), [-np.inf], np.zeros(2 * n)])

    def cost(self, l1: float) -> np.ndarray:
        """What is minimised."""
        assert isinstance(self.task.loss, Quantile)
        level = self.task.loss.level
        n, p = self.task.problem.X.shape
        return np.repeat([l1, 0.0, level, 1.0 - level], [2 * p, 1, n, n])

    def model(self, x: np.ndarray) -> Model:
        """Coefficients and intercept."""
        p = self.task.problem.X.shape[1]
        return x[:p] - x[p : 2 * p], float(x[2 * p])


def solve_linprog(task: Task, values: np.ndarray) -> Iterator[list[Model]]:
    """HiGHS as SciPy calls it, afresh for every value."""
    from scipy.optimize import linprog

    program = QuantileProgram(task)
    matrix = program.matrix
    bounds = np.stack([program.lower, np.full(len(program.lower), np.inf)], axis=1)
    for l1 in values:
        result = linprog(
            program.cost(l1), A_eq=matrix, b_eq=task.problem.y, bounds=bounds, method="highs"
        )
        yield [program.model(result.x)]


def solve_highs(task: Task, values: np.ndarray) -> Iterator[list[Model]]:
    """HiGHS itself: the dual simplex first; as only costs change, the primal one goes on."""
    import highspy

    program = QuantileProgram(task)
    solver = highspy.Highs()
    for option, value in {"output_flag": False, "threads": 1, "presolve": "off"}.items():
        solver.setOptionValue(option, value)
    solver.setOptionValue("simplex_strategy", HIGHS_DUAL)
    solver.passModel(highs_model(program, values[0]))
    columns = np.arange(len(program.lower), dtype=np.int32)
    for l1 in values:
        solver.changeColsCost(len(columns), columns, program.cost(l1))
        solver.run()
        solver.setOptionValue("simplex_strategy", HIGHS_PRIMAL)
        yield [program.model(np.array(solver.getSolution().col_value))]


def highs_model(program: QuantileProgram, l1: float) -> Any:
    """The linear program in the layout HiGHS asks for."""
    import highspy

    matrix = program.matrix
    y = program.task.problem.y
    model = highspy.HighsLp()
    model.num_row_, model.num_col_ = matrix.shape
    model.col_cost_ = program.cost(l1)
    model.col_lower_ = program.lower
    model.col_upper_ = np.full(matrix.shape[1], np.inf)
    model.row_lower_ = y
    model.row_upper_ = y
    model.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    model.a_matrix_.start_ = matrix.indptr
    model.a_matrix_.index_ = matrix.indices
    model.a_matrix_.value_ = matrix.data
    return model


def solve_quantile_regressor(task: Task, values: np.ndarray) -> Iterator[list[Model]]:
    """QuantileRegressor of scikit-learn, afresh for every value."""
    from sklearn.linear_model import QuantileRegressor

    assert isinstance(task.loss, Quantile)
    X, y = task.data
    for l1 in values:
        model = QuantileRegressor(quantile=task.loss.level, alpha=l1 / len(y), solver="highs")
        model.fit(X, y)
        yield [(model.coef_, float(model.intercept_))]


def fit_machines(make: Callable[..., Any], task: Task, values: np.ndarray) -> Iterator[list[Model]]:
    """Support vector regression without L1: as l1 falls to a thousandth, C grows to 1."""
    assert isinstance(task.loss, EpsilonInsensitive)
    X, y = task.data
    for l1 in values:
        model = make(C=task.grid[-1] / l1, epsilon=task.loss.epsilon)
        model.fit(X, y)
        yield [(np.ravel(model.coef_), float(np.ravel(model.intercept_)[0]))]


def solve_svr(task: Task, values: np.ndarray) -> Iterator[list[Model]]:
    """LIBSVM."""
    from sklearn.svm import SVR

    return fit_machines(lambda **given: SVR(kernel="linear", **given), task, values)


def solve_linear_svr(task: Task, values: np.ndarray) -> Iterator[list[Model]]:
    """LIBLINEAR."""
    from sklearn.svm import LinearSVR

    options = {"loss": "epsilon_insensitive", "dual": True, "random_state": 0}
    return fit_machines(lambda **given: LinearSVR(**options, **given), task, values)


# Who is compared, and on which losses?

CELER = Rival("celer_path", "celer", solve_celer)
ENET = Rival("enet_path, sklearn", "sklearn.linear_model", solve_enet)
SKGLM = Rival("skglm", "skglm", solve_skglm)
CLARABEL = Rival("Clarabel, dual", "clarabel", solve_clarabel, warm=False, most=COLD_VALUES)
QUANTILE = (
    Rival(
        "QuantileRegressor",
        "sklearn.linear_model",
        solve_quantile_regressor,
        warm=False,
        most=COLD_VALUES,
    ),
    Rival("linprog, HiGHS", "scipy.optimize", solve_linprog, warm=False, most=COLD_VALUES),
    Rival("highspy, warm", "highspy", solve_highs),
)
MACHINES = (
    Rival("SVR, linear", "sklearn.svm", solve_svr, warm=False, same_problem=False),
    Rival("LinearSVR", "sklearn.svm", solve_linear_svr, warm=False, same_problem=False),
)
SECTIONS = (
    Section("squared, l2 = 0", 0.0, lambda _: Squared(), (CELER, ENET, SKGLM), with_lars=True),
    Section("squared, l2 = 1", 1.0, lambda _: Squared(), (ENET, SKGLM)),
    Section(
        "huberized hinge, l2 = 1", 1.0, lambda _: HuberizedHinge(0.5), (CLARABEL,), labels=True
    ),
    Section("quantile 0.5, l2 = 0", 0.0, lambda _: Quantile(0.5), QUANTILE),
    Section("quantile 0.9, l2 = 0", 0.0, lambda _: Quantile(0.9), QUANTILE),
    Section(
        "epsilon-insensitive, l2 = 1, epsilon = a tenth of the deviation of y",
        1.0,
        lambda problem: EpsilonInsensitive(float(0.1 * problem.y.std())),
        MACHINES,
    ),
)


# Clocks


def best_of(call: Callable[[], Any], repeat: int) -> tuple[Any, float]:
    """What a call returns, and the least seconds it took; a long one is made once."""
    least = np.inf
    for _ in range(repeat):
        start = time.perf_counter()
        result = call()
        seconds = time.perf_counter() - start
        least = min(least, seconds)
        if seconds > LONG:
            break
    return result, least


def time_ours(
    problem: Problem, loss: Kind, l2: float, effort: Effort
) -> tuple[dict[str, Any], Task, np.ndarray]:
    """Our paths in figures, the task for the peers, and our objectives on its grid."""

    def follow(ratio: float) -> chemin.Path:
        return chemin.path(problem.X, problem.y, loss=loss, l2=l2, min_ratio=ratio)

    path, seconds = best_of(lambda: follow(RATIO), effort.repeat)
    whole, whole_seconds = best_of(lambda: follow(0.0), effort.repeat)
    grid = np.geomspace(path.l1[0], path.l1[-1], VALUES)
    read = best_of(lambda: (path.coef_at(grid), path.intercept_at(grid)), effort.repeat)
    (coefs, intercepts), reading = read
    task = Task(problem, loss, l2, grid)
    models = zip(coefs, intercepts, strict=True)
    reference = [objective(task, model, l1) for model, l1 in zip(models, grid, strict=True)]
    figures = {"seconds": seconds, "whole_seconds": whole_seconds, "reading_seconds": reading}
    figures |= {"path": path, "whole": whole}
    return figures, task, np.array(reference)


def time_lars(task: Task, reference: np.ndarray, effort: Effort) -> GridRun:
    """The path of LARS; its values are its breakpoints."""
    (l1, coefs), seconds = best_of(lambda: follow_lars(task), effort.repeat)
    models = [with_mean(task, interpolate(l1, coefs, value)) for value in task.grid]
    excess = measure_excess(task, models, list(range(VALUES)), reference)
    who = {"key": "lars", "name": "lars_path, sklearn", "family": "path"}
    return GridRun(**who, status=COMPLETE, seconds=seconds, values=len(l1), **excess)


def walk(rival: Rival, task: Task, visited: list[int], budget: float) -> tuple[list[Model], float]:
    """Models in the order of the visit until all values or the budget end, and the seconds."""
    models: list[Model] = []
    start = time.perf_counter()
    for some in rival.solve(task, task.grid[visited]):
        models += some
        if time.perf_counter() - start > budget:
            break
    return models, time.perf_counter() - start


def qualify(rival: Rival, done: int, seconds: float) -> tuple[str, float]:
    """What the seconds mean, and the seconds of the whole grid."""
    if done == VALUES:
        return COMPLETE, seconds
    if rival.warm:
        return LOWER_BOUND, seconds
    return ESTIMATE, seconds * VALUES / done


def time_rival(rival: Rival, task: Task, reference: np.ndarray, effort: Effort) -> GridRun:
    """A peer's time and its excesses, or why there are none."""
    who = {"key": rival.module, "name": rival.name, "family": "grid"}
    if not rival.is_installed():
        package = rival.module.split(".")[0]
        return GridRun(**who, status=ABSENT, message=f"skipped: {package} is not installed")
    order = list(range(VALUES)) if rival.warm else spread_order(VALUES)
    visited = order[: rival.most]
    try:
        return GridRun(**who, **measure(rival, task, visited, reference, effort))
    except Exception as error:  # a peer's failure is a result of the comparison, not ours
        return GridRun(**who, status=FAILED, message=f"{type(error).__name__}: {error}")


def measure(
    rival: Rival, task: Task, visited: list[int], reference: np.ndarray, effort: Effort
) -> dict[str, Any]:
    """The figures of a peer, after a short walk for what is compiled on the way."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        walk(rival, task, [0, VALUES // 2] if rival.warm else [0], effort.budget)
        told.clear()
        models, seconds = walk(rival, task, visited, effort.budget)
        failures = sum(issubclass(one.category, ConvergenceWarning) for one in told)
        if seconds < LONG:
            again = effort.repeat - 1
            others = [walk(rival, task, visited, np.inf)[1] for _ in range(again)]
            seconds = min([seconds, *others])
    status, seconds = qualify(rival, len(models), seconds)
    message = f"{failures} without convergence" if failures else ""
    figures = {"status": status, "seconds": seconds, "values": len(models), "message": message}
    if not rival.same_problem:
        return figures
    return figures | measure_excess(task, models, visited, reference)


# Text


def format_run(run: dict[str, Any], ours: float) -> str:
    """One peer's line, with what it complained about."""
    if run["seconds"] is None:
        return format_peer(run, ours)
    note = f"  ({run['message']})" if run["message"] else ""
    if run["worst_excess"] is not None:
        return format_peer(run, ours) + note
    mark = PREFIX[run["status"]]
    times = (f"{mark}{run['seconds']:.3g}", f"{mark}{run['seconds'] / ours:.2g}")
    return format_line((run["name"], *times, "", "", f"{run['values']}", "")) + note


def format_ours(problem: Problem, figures: dict[str, Any]) -> list[str]:
    """Our paths: one line, and one more for each that is not complete."""
    path = figures["path"]
    whole = figures["whole"]
    line = (
        f"\n{problem.name} ({problem.shape}): ours {figures['seconds']:.3g} s to l1/1000, "
        f"{len(path.l1)} breakpoints, worst gap {worst_gap(path):.1e}; "
        f"{figures['whole_seconds']:.3g} s to l1 = 0, {len(whole.l1)} breakpoints, "
        f"worst gap {worst_gap(whole):.1e}; reading the grid {figures['reading_seconds']:.2g} s"
    )
    alarms = [f"  !!! {one.status} !!!" for one in (path, whole) if one.status.code != "complete"]
    return [line, *alarms]


def format_best(runs: list[dict[str, Any]], ours: float) -> str:
    """The fastest peer; a lower bound counts as if it were the time."""
    timed = [run for run in runs if run["seconds"] is not None]
    equal = [run for run in timed if run["equal_accuracy"]]
    if timed and all(run["worst_excess"] is None for run in timed):
        least = min(timed, key=lambda run: run["seconds"])
        return f"fastest, on another problem: {format_ratio(least, ours)}"
    least = min(equal, key=lambda run: run["seconds"], default=None)
    return f"fastest at equal accuracy: {format_ratio(least, ours)}"


def compare(section: Section, problem: Problem, effort: Effort) -> dict[str, Any]:
    """Our path and every peer on one problem; the block of text, a summary and what is wrong."""
    problem = with_labels(problem) if section.labels else problem
    figures, task, reference = time_ours(problem, section.loss(problem), section.l2, effort)
    runs = [time_lars(task, reference, effort)] if section.with_lars else []
    runs += [time_rival(rival, task, reference, effort) for rival in section.rivals]
    rows = [asdict(run) | {"equal_accuracy": run.equal_accuracy} for run in runs]
    ours = figures["seconds"]
    best = format_best(rows, ours)
    lines = format_ours(problem, figures)
    lines.append(format_line(TITLES))
    lines += [format_run(row, ours) for row in rows]
    lines += format_alarms({"peers": rows})
    below = any((row["least_excess"] or 0.0) < NOT_OPTIMAL for row in rows)
    complete = all(figures[key].status.code == "complete" for key in ("path", "whole"))
    summary = f"  {problem.name:<12}{problem.shape:<11}{f'{ours:.3g} s':<11}{best}"
    return {"text": "\n".join(lines), "summary": summary, "wrong": below or not complete}


def describe_environment() -> str:
    """What a reader needs to compare figures."""
    found = [f"Python {platform.python_version()}", f"numpy {np.__version__}"]
    for package in PACKAGES:
        try:
            found.append(f"{package} {metadata.version(package)}")
        except metadata.PackageNotFoundError:
            found.append(f"{package} absent")
    return f"{', '.join(found)}; {platform.machine()}, threads {one_thread.THREADS}"


def main() -> int:
    """Compare and print; the exit status is 1 when a peer beats us or a path is not complete."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="two problems, short budgets")
    quick = parser.parse_args().quick
    effort = Effort(repeat=2, budget=2.0) if quick else Effort(repeat=3, budget=6.0)
    problems = make_problems(quick)
    print(describe_environment(), flush=True)
    summary = ["\nsummary"]
    wrong = False
    with threadpool_limits(limits=1):
        for section in SECTIONS:
            print(f"\n== {section.title}", flush=True)
            summary.append(f" {section.title}")
            for problem in problems:
                row = compare(section, problem, effort)
                print(row["text"], flush=True)
                summary.append(row["summary"])
                wrong = wrong or row["wrong"]
    print("\n".join(summary))
    return int(wrong)


if __name__ == "__main__":
    sys.exit(main())
