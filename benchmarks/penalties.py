"""Is a penalty worth it that does not shrink the large? Supports and bias on simulated data, couples on tables.

python benchmarks/penalties.py [simulated] [couples] [--data DIR] [--draws 50] [--seeds 0,1,2] [--jobs 16]

*simulated*: 100 points, 200 correlated variables, five of which count; a penalty's l1 is the one that predicts best
on new points. *couples*: on nine tables of two classes, the columns of `KernelBasisClassifier()`; the supports that the
L1 path, MCP and SCAD offer at the same l1, solved for again with a ridge of 10 or as they are, and what each number of
terms errs on held-out folds. Every stationary point is certified. Prints the tables, writes them to `--out`.
"""

from __future__ import annotations

import one_thread  # isort: skip  # before numpy is loaded

import argparse
import sys
import time
import warnings
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits, load_wine
from sklearn.model_selection import StratifiedKFold
from tables_data import AbsentError, Table, read_arrays, say

import chemin
from chemin.problems import MCP, SCAD

TRUE = np.array([3.0, -2.0, 1.5, 1.0, -1.0])
N, P, EVERY = 100, 200, 40
NEW = 2000  # points that test, and a fifth of them that choose where labels are predicted
SHARES = 0.85 ** np.arange(1, 25)
SETS = (
    "heart", "ionosphere", "breast-cancer", "digits 3/8", "pima", "german", "wine 1/2", "wine 2/3", "digits 4/9",
)  # fmt: skip
RATIOS = 1.35 ** -np.arange(1.0, 13.0)
RIDGE = 10.0
FOLDS = 5


class Draw(NamedTuple):
    """Simulated points to learn from, to choose with and to test on, and the coefficients to be found."""

    X: np.ndarray
    y: np.ndarray
    choosing: tuple[np.ndarray, np.ndarray]
    testing: tuple[np.ndarray, np.ndarray]
    coef: np.ndarray


class Found(NamedTuple):
    """Coefficients and intercepts at the candidates' l1, one row each, and the worst certificate."""

    coef: np.ndarray
    intercept: np.ndarray
    gap: float


def simulate(loss: str, seed: int, n: int = N, p: int = P) -> Draw:
    """Variables correlated by 0.5 to the power of their distance; every fortieth counts."""
    rng = np.random.default_rng(seed)

    def points(count: int) -> tuple[np.ndarray, np.ndarray]:
        X = rng.standard_normal((count, p))
        for j in range(1, p):
            X[:, j] = 0.5 * X[:, j - 1] + np.sqrt(0.75) * X[:, j]
        score = X[:, :: p // len(TRUE)] @ TRUE + rng.standard_normal(count)
        return X, score if loss == "squared" else np.where(score > 0.0, 1, -1)

    learning = points(n)
    choosing = points(n if loss == "squared" else NEW // 5)
    coef = np.zeros(p)
    coef[:: p // len(TRUE)] = TRUE if loss == "squared" else population(p)
    return Draw(*learning, choosing, points(NEW), coef)


def population(p: int) -> np.ndarray:
    """What the hinge would have of the variables that count, from very many points; as labels err, it is finite."""
    rng = np.random.default_rng(12345)
    X = rng.standard_normal(
        (20_000, len(TRUE))
    )  # variables so far apart are as good as independent
    y = np.where(X @ TRUE + rng.standard_normal(len(X)) > 0.0, 1, -1)
    return chemin.solve(X, y, 1e-3, l2=1e-3).coef


def on_a_path(path: Any) -> Found:
    """The candidates of an exact path."""
    l1 = path.l1[0] * SHARES
    return Found(path.coef_at(l1), path.intercept_at(l1), path.certificate().worst_gap)


def relaxed(path: Any, l1: np.ndarray, l2: float) -> Found:
    """The supports of an exact path, solved for again without L1."""
    coef = np.zeros((len(l1), path.problem.dictionary.shape[1]))
    intercept = np.zeros(len(l1))
    gap = 0.0
    for k, one in enumerate(l1):
        again = chemin.relaxed_path(path, float(one), l2=l2)
        coef[k, again.support] = again.path.coef_at(0.0)
        intercept[k] = again.path.intercept_at(0.0)
        gap = max(gap, float(again.path.certificate().gap[-1]))
    return Found(coef, intercept, gap)


def stationary(X: Any, y: Any, l1: np.ndarray, **options: Any) -> Found:
    """The candidates of a penalty that is not convex."""
    points = chemin.stationary_path(X, y, l1, **options)
    return Found(points.coef, points.intercept, points.certificate().worst_gap)


def methods(draw: Draw, loss: str, n: int = N) -> dict[str, Found]:
    """What every penalty offers on one draw."""
    given = {"loss": loss}
    plain = chemin.path(draw.X, draw.y, l2=0.0, min_ratio=0.9 * SHARES[-1], **given)
    net = chemin.path(draw.X, draw.y, l2=RIDGE, min_ratio=0.9 * SHARES[-1], **given)
    convex = chemin.path(
        draw.X, draw.y, l2=RIDGE, penalty=MCP(1.05 / RIDGE), min_ratio=0.9 * SHARES[-1], **given
    )
    l1 = plain.l1[0] * SHARES
    return {
        "L1": on_a_path(plain),
        f"elastic net, l2 = {RIDGE:g}": on_a_path(net),
        "relaxed supports": relaxed(plain, l1, 1e-3),
        "MCP(3), not convex": stationary(draw.X, draw.y, l1, penalty=MCP(3.0, unit=n), **given),
        "SCAD(3.7), not convex": stationary(draw.X, draw.y, l1, penalty=SCAD(3.7, unit=n), **given),
        f"MCP, convex, l2 = {RIDGE:g}": on_a_path(convex),
    }


def error(
    coef: np.ndarray, intercept: Any, points: tuple[np.ndarray, np.ndarray], loss: str
) -> Any:
    """Mean square or error rate of rows of coefficients."""
    decision = points[0] @ coef.T + intercept
    if loss == "squared":
        return ((decision - points[1][:, None]) ** 2).mean(axis=0)
    return (np.where(decision > 0.0, 1, -1) != points[1][:, None]).mean(axis=0)


def one_draw(loss: str, n: int, p: int, seed: int) -> dict[str, dict[str, float]]:
    """Figures of every method on one draw."""
    draw = simulate(loss, seed, n, p)
    true = draw.coef != 0.0
    figures = {}
    for name, found in methods(draw, loss, n).items():
        best = int(np.argmin(error(found.coef, found.intercept, draw.choosing, loss)))
        b = found.coef[best]
        chosen = b != 0.0
        figures[name] = {
            "found": float((chosen & true).sum()),
            "false": float((chosen & ~true).sum()),
            "exact": float(np.array_equal(chosen, true)),
            "anywhere": float(any(np.array_equal(row != 0.0, true) for row in found.coef)),
            "bias": float((b[true] / draw.coef[true] - 1.0).mean()),
            "error": float(error(found.coef[[best]], found.intercept[best], draw.testing, loss)[0]),
            "gap": found.gap,
        }
    return figures


def make_simulated(draws: int, jobs: int, loss: str, n: int = N, p: int = P) -> Table:
    """The mean of all figures over the draws."""
    start = time.perf_counter()
    all_of = spread(partial(one_draw, loss, n, p), range(draws), jobs)
    rows = []
    for name in all_of[0]:
        mean = {key: np.mean([one[name][key] for one in all_of]) for key in all_of[0][name]}
        rows.append({
            "penalty": name,
            f"of {len(TRUE)} found": f"{mean['found']:.2f}",
            "false ones": f"{mean['false']:.1f}",
            "support exact": f"{100 * mean['exact']:.0f} %",
            "… at some l1": f"{100 * mean['anywhere']:.0f} %",
            "bias": f"{100 * mean['bias']:+.0f} %",
            "error": f"{mean['error']:.3f}",
            "worst gap": f"{max(one[name]['gap'] for one in all_of):.0e}",
        })  # fmt: skip
    note = (
        f"Mean of {draws} draws, {loss} loss: {n} points, {p} variables, {len(TRUE)} of which count. *Exact*: nothing "
        "missed and nothing false at the l1 chosen, or at some l1 of the 24. *Bias*: mean of b_j/b_j* − 1 over the "
        "variables that count, b* being the truth, or what the hinge would have of 20 000 points. *Error*: on 2000 new "
        "points. *Worst gap*: of the certificate of any point."
    )
    return Table(f"simulated, {loss}", note, rows, f"Made in {time.perf_counter() - start:.0f} s.")


def load(name: str, data: Path | None) -> tuple[np.ndarray, np.ndarray]:
    """Points in their own units, and two labels."""
    if name == "breast-cancer":
        return load_breast_cancer(return_X_y=True)
    pairs = {"digits 3/8": (3, 8), "digits 4/9": (4, 9), "wine 1/2": (0, 1), "wine 2/3": (1, 2)}
    if name in pairs:
        X, y = (load_wine if name.startswith("wine") else load_digits)(return_X_y=True)
        chosen = np.isin(y, pairs[name])
        return X[chosen], y[chosen]
    arrays = read_arrays(name, data)
    return arrays["X"].astype(float), arrays["y"]


def one_fold(
    data: Path | None, task: tuple[str, int, int]
) -> dict[str, list[tuple[float, float, float]]]:
    """Error, terms and gap at every l1, of every method, on one held-out fold."""
    name, seed, fold = task
    X, y = load(name, data)
    splits = list(StratifiedKFold(FOLDS, shuffle=True, random_state=seed).split(X, y))
    train, test = splits[fold]
    with warnings.catch_warnings():
        warnings.simplefilter(
            "ignore"
        )  # a model of so large an l1 is empty: its columns are what is wanted
        machine = (
            chemin.KernelBasisClassifier(l1=1e6, random_state=0)
            .fit(X[train], y[train])
            .estimators_[0]
        )
    columns = machine.columns_
    every = np.arange(machine.path_.problem.dictionary.shape[1])
    A, B = (columns.of(X[rows]).columns(every) for rows in (train, test))
    positive = (y == np.unique(y)[1]).astype(int)
    path = chemin.svm_path(A, positive[train], l2=1e-3, min_ratio=0.9 * RATIOS[-1])
    l1 = path.l1[0] * RATIOS
    n = len(train)
    found = {
        "path": Found(path.coef_at(l1), path.intercept_at(l1), path.certificate().worst_gap),
        f"path, ridge {RIDGE:g}": relaxed(path, l1, RIDGE),
    }
    for kind, penalty in (("MCP", MCP(3.0, unit=n)), ("SCAD", SCAD(3.7, unit=n))):
        for l2 in (1e-3, RIDGE):
            points = stationary(A, positive[train], l1, penalty=penalty, l2=l2)
            found[f"{kind}, l2 = {l2:g}"] = points
        bare = found[f"{kind}, l2 = 0.001"]
        found[f"{kind}, ridge {RIDGE:g}"] = again(A, positive[train], bare)
    say(f"{name}, seed {seed}, fold {fold}: done")
    return {
        method: [
            (float(((B @ b + b0 > 0.0) != positive[test]).mean()), float(np.count_nonzero(b)), one.gap)
            for b, b0 in zip(one.coef, one.intercept, strict=True)
        ]
        for method, one in found.items()
    }  # fmt: skip


def again(A: np.ndarray, y: np.ndarray, found: Found) -> Found:
    """The supports of stationary points, solved for once more with a ridge."""
    coef, intercept, gap = np.zeros_like(found.coef), np.zeros(len(found.coef)), 0.0
    for k, b in enumerate(found.coef):
        support = np.flatnonzero(b)
        if not len(support):
            intercept[k] = found.intercept[k]
            continue
        path = chemin.svm_path(A[:, support], y, l2=RIDGE)
        coef[k, support], intercept[k] = path.coef_at(0.0), path.intercept_at(0.0)
        gap = max(gap, float(path.certificate().gap[-1]))
    return Found(coef, intercept, gap)


def make_couples(data: Path | None, sets: list[str], seeds: list[int], jobs: int) -> Table:
    """For every method the least error, and the fewest terms that err as little as the best relaxed support."""
    start = time.perf_counter()
    present = []
    for name in sets:
        try:
            load(name, data)
            present.append(name)
        except AbsentError as absent:
            say(f"{name}: {absent}")
    tasks = [(name, seed, fold) for name in present for seed in seeds for fold in range(FOLDS)]
    folds = spread(partial(one_fold, data), tasks, jobs)
    rows = []
    for name in present:
        mine = [one for task, one in zip(tasks, folds, strict=True) if task[0] == name]
        errors = {m: np.array([[c[0] for c in one[m]] for one in mine]) for m in mine[0]}
        terms = {
            m: np.array([[c[1] for c in one[m]] for one in mine]).mean(axis=0) for m in mine[0]
        }
        judge = errors[f"path, ridge {RIDGE:g}"]
        best = judge[:, judge.mean(axis=0).argmin()]
        row: dict[str, Any] = {"set": name}
        for method, values in errors.items():
            least = int(values.mean(axis=0).argmin())
            apart = values - best[:, None]
            allowed = 0.5 * apart.std(axis=0, ddof=1) / np.sqrt(len(best))
            equal = np.flatnonzero(apart.mean(axis=0) <= allowed)
            fewest = f"{terms[method][equal].min():.0f}" if len(equal) else "–"
            row[method] = (
                f"{100 * values.mean(axis=0)[least]:.1f}, {terms[method][least]:.0f}; {fewest}"
            )
        row["worst gap"] = f"{max(c[2] for one in mine for m in one.values() for c in m):.0e}"
        rows.append(row)
    drawn = ", ".join(map(str, seeds))
    note = (
        f"{FOLDS} folds, seeds {drawn}; l1 from the first down in {len(RATIOS)} ratios of 1.35, the same for all. "
        "Cells: the least error rate in %, mean terms there; the fewest terms whose error differs by at "
        f"most half a standard error from the best of *path, ridge {RIDGE:g}*, the paths' supports with that ridge. "
        "All are chosen by the held-out folds themselves, which favours all alike."
    )
    return Table(
        "couples", note, rows, f"Made in {time.perf_counter() - start:.0f} s on {jobs} cores."
    )


def spread(function: Callable[[Any], Any], tasks: Any, jobs: int) -> list[Any]:
    """Do all tasks, some at a time, and keep their order."""
    if jobs == 1:
        return [function(task) for task in tasks]
    with ProcessPoolExecutor(jobs) as pool:
        return list(pool.map(function, tasks))


def main() -> int:
    """Make, print and save the tables asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "tables", nargs="*", metavar="TABLE", help="simulated, couples; both if none is named"
    )
    parser.add_argument("--data", type=Path, help="folder of the data sets")
    parser.add_argument("--draws", type=int, default=50, help="of the simulated data")
    parser.add_argument("--seeds", default="0,1,2", help="of the folds of table couples")
    parser.add_argument("--sets", default=",".join(SETS), help="data sets of table couples")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "results")
    arguments = parser.parse_args()
    wanted = arguments.tables or ["simulated", "couples"]
    if unknown := set(wanted) - {"simulated", "couples"}:
        parser.error(f"unknown tables: {', '.join(sorted(unknown))}")
    tables = []
    if "simulated" in wanted:
        tables += [
            partial(make_simulated, arguments.draws, arguments.jobs, loss)
            for loss in ("squared", "hinge")
        ]
    if "couples" in wanted:
        seeds = [int(seed) for seed in arguments.seeds.split(",")]
        tables.append(
            partial(make_couples, arguments.data, arguments.sets.split(","), seeds, arguments.jobs)
        )
    for make in tables:
        table = make()
        table.save(arguments.out, {"threads": one_thread.THREADS, "jobs": arguments.jobs})
        print(table.markdown(), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
