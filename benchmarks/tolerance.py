"""What does a path to a tolerance cost, and what do separate solutions to the same tolerance?

    python benchmarks/tolerance.py [--rows d,large] [--tols 0,1e-6,1e-4,1e-2] [--peers piqp,clarabel] [--budget 30]

Row d is 5000 × 50, row large is 100 000 × 50, by the same recipe; λ₂ = 1, from the largest l1 to a hundredth of it.
Ours is the whole path, its gap the largest bound over all breakpoints and everything in between. A peer solves at as
many values of l1 as our path has breakpoints, or at 100 if that is fewer, told to stop at our tolerance (1e-7 for the
exact path); it counts if no objective exceeds ours by more than the tolerance. `~` is extrapolated from the values
done in the time allowed. One thread.
"""

from __future__ import annotations

import one_thread  # isort: skip  # before numpy is loaded

import argparse
import sys
import time
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from grid import ABSENT, GridRun, time_peer
from objective import objective
from peers import PEERS, Peer
from peers.interior_point import Clarabel, Piqp
from problems import SYNTHETIC, Problem
from table import PREFIX
from visiting import Order

from chemin import svm_path
from chemin.datasets import benchmark_gaussian
from chemin.engine.result import Path

L2, RATIO, VALUES = 1.0, 0.01, 100
ROWS = {"d": SYNTHETIC["d"], "large": (100_000, 50, 5)}
LARGEST_EXACT = 20_000  # points
SHARPEST = 1e-7


@dataclass(frozen=True)
class Followed:
    """Our path, and what it cost."""

    path: Path
    seconds: float

    @property
    def worst_gap(self) -> float:
        """The largest proved gap, at breakpoints and between them."""
        return float(
            max(self.path.certificate().worst_gap, self.path.gap_between().max(initial=0.0))
        )


def follow(problem: Problem, tol: float) -> Followed:
    """The path from the largest l1 to a hundredth of it."""
    min_l1 = RATIO * float(np.abs(problem.X.T @ problem.y).max())
    start = time.perf_counter()
    path = svm_path(problem.X, problem.y, l2=L2, min_l1=min_l1, tol=tol)
    return Followed(path, time.perf_counter() - start)


def build_to(tol: float, build: Any, X: np.ndarray, y: np.ndarray, l2: float) -> Any:
    """An interior-point peer told to stop at a tolerance; the others keep their own."""
    solver = build(X, y, l2)
    if isinstance(solver, Piqp):
        settings = solver.solver.settings
        settings.eps_abs = settings.eps_rel = settings.eps_duality_gap_abs = (
            settings.eps_duality_gap_rel
        ) = tol
    elif isinstance(solver, Clarabel):
        solver.tolerance = tol
    return solver


def time_peers(
    problem: Problem, ours: Followed, best: Path, tol: float, peers: list[Peer], budget: float
) -> list:
    """Every peer on the grid, against the best objectives we have."""
    count = min(VALUES, len(ours.path.l1))
    grid = np.geomspace(best.l1[0], best.l1[-1], count)
    reference = np.array(
        [
            objective(problem.X, problem.y, best.coef_at(l1), best.intercept_at(l1), l1, L2)
            for l1 in grid
        ]
    )
    runs = []
    for peer in peers:
        told = replace(peer, build=partial(build_to, max(tol, SHARPEST), peer.build))
        runs.append(time_peer(Order(told, problem, grid, L2, budget, 1), reference))
        print(f"[{problem.name} {tol:g}] {runs[-1]}", file=sys.stderr, flush=True)
    return runs


def describe(runs: list[GridRun], tol: float) -> str:
    """The fastest peer within the tolerance, and who is absent."""
    good = [
        run
        for run in runs
        if run.worst_excess is not None and run.worst_excess <= max(tol, 10 * SHARPEST)
    ]
    fastest = min(good, key=lambda run: run.seconds, default=None)
    absent = "".join(f"; {run.name} absent" for run in runs if run.status == ABSENT)
    if fastest is None:
        return "none within the tolerance and the time" + absent
    return (
        f"{fastest.name}, {PREFIX[fastest.status]}{fastest.seconds:.3g} s ({fastest.values} values done)"
        + absent
    )


def parse_arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", default=",".join(ROWS))
    parser.add_argument("--tols", default="0,1e-6,1e-4,1e-2")
    parser.add_argument(
        "--peers", default="piqp,clarabel", help=f"among {','.join(peer.key for peer in PEERS)}"
    )
    parser.add_argument(
        "--budget", type=float, default=30.0, help="seconds per peer, row and tolerance"
    )
    return parser.parse_args()


def main() -> None:
    """Follow, ask the peers, print a table."""
    arguments = parse_arguments()
    peers = [peer for peer in PEERS if peer.key in arguments.peers.split(",")]
    print(f"threads: {one_thread.THREADS}", file=sys.stderr)
    print(
        "| n × p | tol | breakpoints | seconds | worst proved gap | values of a peer | fastest peer |"
    )
    print("|---|---|---|---|---|---|---|", flush=True)
    for name in arguments.rows.split(","):
        n, p, seed = ROWS[name]
        X, y = benchmark_gaussian(n, p, seed)
        problem, best = Problem(name, X, y.astype(float)), None
        for tol in sorted(float(tol) for tol in arguments.tols.split(",")):
            if tol == 0.0 and n > LARGEST_EXACT:
                continue
            ours = follow(problem, tol)
            best = best or ours.path
            runs = time_peers(problem, ours, best, tol, peers, arguments.budget)
            count = min(VALUES, len(ours.path.l1))
            cells = (
                f"{n} × {p}",
                f"{tol:g}",
                f"{len(ours.path.l1)}",
                f"{ours.seconds:.3g}",
                f"{ours.worst_gap:.1e}",
            )
            print("| " + " | ".join((*cells, str(count), describe(runs, tol))) + " |", flush=True)


if __name__ == "__main__":
    main()
