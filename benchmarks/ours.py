"""How long does the exact path take, and is every breakpoint optimal?

The path is followed from its largest l1 to a hundredth of it. Its solutions at the values of the
grid are then read off by interpolation; every peer is measured against them.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from statistics import median
from typing import Any

import numpy as np
from objective import objective
from problems import Problem

from chemin import svm_path


@dataclass(frozen=True)
class PathRun:
    """Our path on one row."""

    seconds: float
    repeats: int
    breakpoints: int
    status: str
    largest_l1: float
    reading_seconds: float
    worst_gap: float | None


def find_largest_l1(problem: Problem, l2: float) -> float:
    """Where the path begins.

    A path stopped while its start is being settled has one provisional breakpoint, above the true
    one; a second breakpoint shows that the start is final.
    """
    events = 16
    while len(l1 := svm_path(problem.X, problem.y, l2=l2, max_events=events).l1) < 2:
        events *= 4
    return float(l1[0])


def follow(problem: Problem, l2: float, min_l1: float) -> tuple[Any, float]:
    """The path down to `min_l1`, and the seconds it took."""
    start = time.perf_counter()
    path = svm_path(problem.X, problem.y, l2=l2, min_l1=min_l1)
    return path, time.perf_counter() - start


def time_path(
    problem: Problem, l2: float, ratio: float, count: int, repeat: int, budget: float
) -> tuple[PathRun, np.ndarray, np.ndarray]:
    """Timing, the grid and our objectives on it.

    One run warms up; then `repeat` runs are timed, or one when the warm-up exceeded the budget.
    """
    largest = find_largest_l1(problem, l2)
    path, warm_up = follow(problem, l2, ratio * largest)
    runs = repeat if warm_up <= budget else 1
    seconds = [follow(problem, l2, ratio * largest)[1] for _ in range(runs)]
    grid = np.geomspace(largest, ratio * largest, count)
    start = time.perf_counter()
    models = [(path.coef_at(l1), float(path.intercept_at(l1))) for l1 in grid]
    reading = time.perf_counter() - start
    values = [
        objective(problem.X, problem.y, coef, intercept, l1, l2)
        for (coef, intercept), l1 in zip(models, grid, strict=True)
    ]
    run = PathRun(
        median(seconds),
        runs,
        len(path.l1),
        str(path.status),
        float(grid[0]),
        reading,
        worst_gap(path),
    )
    return run, grid, np.array(values)


def worst_gap(path: Any) -> float | None:
    """The largest relative duality gap over the breakpoints, when the path certifies itself."""
    certificate = getattr(path, "certificate", None)
    return float(certificate().worst_gap) if certificate is not None else None
