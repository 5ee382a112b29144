"""How often is a path lost, repaired or wrong, over thousands of random problems?

    python benchmarks/random_problems.py --count 3000 --seed 0 --jobs 2 --out random.csv
    python benchmarks/random_problems.py --seed 0 --only 149,1203        # some of them again

Every path is followed to l1 = 0, one problem at a time in a worker process, which is ended after
`--limit` seconds. Problem number k of a seed is always the same, whatever the count.

A path is *wrong without saying* if its status is "complete" or "repaired" and the gap of some
breakpoint, relative to max(1, P), exceeds 1e-9. The gap is computed here, from the definition:

    P(b0, b) = Σ w_i max(0, 1 − y_i (b0 + x_i·b)) + (l2/2) ‖b‖² + l1 Σ v_j |b_j|.

With 0 ≤ α ≤ w, Σ α_i y_i = 0, e_j = max(0, |Σ α_i y_i x_ij| − l1 v_j) and any r_j ≥ |b_j| at the
optimum,

    P ≥ Σ α_i − Σ_j max over 0 ≤ t ≤ r_j of (e_j t − (l2/2) t²).

Here r_j is the smaller of P / (l1 v_j) and √(2 P / l2). Where both are infinite no bound is known,
and r_j is taken as a hundred times the largest coefficient found. A second bound is s Σ α_i, with
the largest s ≤ 1 for which s α has no e_j > 0 left. Rounding is not held against a path: with ε its
unit, an e_j of at most n ε ‖α‖ ‖x_j‖ is taken as zero, and so is a point's loss of at most
n ε (1 + |b0| + Σ |b_j x_ij|).
"""

from __future__ import annotations

import one_thread  # isort: skip  # noqa: F401  # before numpy is loaded

import argparse
import csv
import multiprocessing
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, fields
from multiprocessing.connection import Connection, wait
from pathlib import Path as FilePath
from typing import Any

import numpy as np

import chemin

Options = dict[str, Any]
Columns = np.ndarray
Problem = tuple[str, Columns, np.ndarray, Options]

RIDGES = (0.0, 1e-20, 1e-12, 1e-9, 1e-6, 1e-3, 1.0, 100.0)
WRONG = 1e-9
FOLLOWED = ("complete", "repaired")
_RARE = 150  # one problem in so many is of the slow family
_CHUNK = 2_000_000  # numbers held at once
_CONTEXT = multiprocessing.get_context("spawn")  # a fork would hold the other workers' pipes open


def _labels(rng: np.random.Generator, n: int) -> np.ndarray:
    """Return random labels of both classes, balanced or not."""
    y = np.where(rng.random(n) < rng.choice([0.5, 0.5, 0.2]), 1.0, -1.0)
    y[:2] = (1.0, -1.0)
    return y


def _size(rng: np.random.Generator) -> tuple[int, int]:
    """Return n from 10 to 120, evenly, and p from 1 to 200, the smaller the likelier."""
    n = int(rng.integers(10, 121))
    p = 1 + int(200 * rng.random() ** 2)
    return n, p


def _kernel_columns(points: np.ndarray, widths: tuple[float, ...]) -> np.ndarray:
    square = np.sum((points[:, None] - points) ** 2, axis=2)
    return np.hstack([np.exp(-0.5 * square / width**2) for width in widths])


def gaussian(rng: np.random.Generator) -> tuple[Columns, np.ndarray, Options]:
    """Two Gaussian classes, a random distance apart."""
    n, p = _size(rng)
    y = _labels(rng, n)
    informative = np.arange(p) < max(1, p // 3)
    return rng.standard_normal((n, p)) + rng.uniform(0, 1.5) * np.outer(y, informative), y, {}


def noisy_kernels(rng: np.random.Generator) -> tuple[Columns, np.ndarray, Options]:
    """Gaussian kernels of three widths on every point of the plane, with some labels flipped."""
    n = int(rng.integers(10, 66))
    points = rng.standard_normal((n, 2))
    y = np.where(points[:, 0] * points[:, 1] + 0.3 * points[:, 0] > 0, 1.0, -1.0)
    y[rng.random(n) < rng.uniform(0.05, 0.3)] *= -1.0
    y[:2] = (1.0, -1.0)
    width = float(np.exp(rng.uniform(np.log(0.1), np.log(1.0))))
    return _kernel_columns(points, (width, 2 * width, 4 * width)), y, {}


def near_duplicates(rng: np.random.Generator) -> tuple[Columns, np.ndarray, Options]:
    """Points, columns or both in pairs that are 1e-9 to 1e-3 apart."""
    n, p = _size(rng)
    n = max(n // 2, 5)
    p = max(p // 2, 1)
    distance = 10.0 ** rng.uniform(-9, -3)
    X = rng.standard_normal((n, p))
    y = _labels(rng, n)
    what = rng.choice(["rows", "columns", "both"])
    if what != "columns":
        X = np.repeat(X, 2, axis=0)
        y = np.repeat(y, 2)
    if what != "rows":
        X = np.repeat(X, 2, axis=1)
    return X + distance * rng.standard_normal(X.shape), y, {}


def small_integers(rng: np.random.Generator) -> tuple[Columns, np.ndarray, Options]:
    """Integers of at most three in absolute value, with ties everywhere."""
    n, p = _size(rng)
    largest = int(rng.integers(1, 4))
    lowest = int(rng.choice([0, -largest]))
    return rng.integers(lowest, largest + 1, (n, p)).astype(float), _labels(rng, n), {}


def weights(rng: np.random.Generator) -> tuple[Columns, np.ndarray, Options]:
    """Weights of the points and of the columns, some of them zero or equal."""
    X, y, _ = gaussian(rng) if rng.random() < 0.5 else small_integers(rng)
    n, p = X.shape
    sample_weight = rng.choice([0.0, 1.0, 2.0], n) if rng.random() < 0.5 else rng.lognormal(0, 2, n)
    sample_weight[:2] = 1.0
    l1_weight = rng.choice([0.5, 1.0, 2.0], p) if rng.random() < 0.5 else rng.lognormal(0, 1, p)
    l1_weight[1:][rng.random(p - 1) < rng.choice([0.0, 0.1])] = 0.0
    return X, y, {"sample_weight": sample_weight, "l1_weight": l1_weight}


def raw_lognormal(rng: np.random.Generator) -> tuple[Columns, np.ndarray, Options]:
    """Positive columns, each of its own order of magnitude, as they come out of an instrument."""
    n, p = _size(rng)
    scale = 10.0 ** rng.uniform(-4, 4, p)
    return scale * rng.lognormal(0.0, rng.uniform(0.3, 2.5), (n, p)), _labels(rng, n), {}


def wide_gaussians(rng: np.random.Generator) -> tuple[Columns, np.ndarray, Options]:
    """Kernels far wider than the distance between points, random labels, no ridge."""
    n = int(rng.integers(200, 301))
    points = rng.standard_normal((n, 2))
    return _kernel_columns(points, (0.5, 1.0, 2.0)), _labels(rng, n), {"l2": 0.0}


Family = Callable[[np.random.Generator], tuple[Columns, np.ndarray, Options]]
COMMON: tuple[Family, ...] = (
    gaussian, noisy_kernels, near_duplicates, small_integers, weights, raw_lognormal,
)  # fmt: skip
SLOW: Family = wide_gaussians


def problem(seed: int, number: int) -> Problem:
    """Return one problem: its family, its columns, its labels, and options of `svm_path`."""
    rng = np.random.default_rng([seed, number])
    family = SLOW if number % _RARE == _RARE - 1 else COMMON[number % len(COMMON)]
    X, y, options = family(rng)
    return family.__name__, X, y, {"l2": float(rng.choice(RIDGES)), **options}


def problems(count: int, seed: int) -> Iterator[Problem]:
    """Yield the first problems of a seed."""
    for number in range(count):
        yield problem(seed, number)


def gaps(
    X: np.ndarray, y: np.ndarray, path: Any, options: Options
) -> tuple[np.ndarray, np.ndarray]:
    """Return the objective and the duality gap at every breakpoint, by the formulas above."""
    size = max(1, _CHUNK // (len(y) + X.shape[1]))
    parts = [
        _gaps_at(X, y, path, path.l1[first : first + size], options)
        for first in range(0, len(path.l1), size)
    ]
    return np.concatenate([P for P, _ in parts]), np.concatenate([gap for _, gap in parts])


def _gaps_at(
    X: np.ndarray, y: np.ndarray, path: Any, l1: np.ndarray, options: Options
) -> tuple[np.ndarray, np.ndarray]:
    n, p = X.shape
    w = options.get("sample_weight", np.ones(n))
    threshold = l1[:, None] * options.get("l1_weight", np.ones(p))
    l2 = options["l2"]
    eps = np.finfo(float).eps
    b = path.coef_at(l1)
    b0 = path.intercept_at(l1)[:, None]
    short = np.maximum(1.0 - y * (b @ X.T + b0), 0.0)
    short[short <= n * eps * (1.0 + np.abs(b) @ np.abs(X.T) + np.abs(b0))] = 0.0
    P = short @ w + 0.5 * l2 * np.sum(b * b, axis=1) + np.sum(threshold * np.abs(b), axis=1)

    alpha = _balanced(np.clip(path.dual_at(l1), 0.0, w), y)
    correlation = np.abs((alpha * y) @ X)
    excess = np.maximum(correlation - threshold, 0.0)
    size = np.outer(np.linalg.norm(alpha, axis=1), np.linalg.norm(X, axis=0))
    excess[excess <= n * eps * size] = 0.0
    with np.errstate(divide="ignore", invalid="ignore"):
        reach = np.minimum(P[:, None] / threshold, np.sqrt(2.0 * P / l2)[:, None])
        furthest = np.minimum(reach, excess / l2)
        shrink = np.where(excess > 0.0, threshold / correlation, 1.0).min(axis=1)
    guess = 100.0 * np.abs(b).max(axis=1, initial=1.0)[:, None]
    furthest = np.where(np.isfinite(furthest), furthest, guess)
    furthest[excess == 0.0] = 0.0
    total = alpha.sum(axis=1)
    D = total - np.sum(excess * furthest - 0.5 * l2 * furthest**2, axis=1)
    return P, P - np.maximum(D, shrink * total)


def _balanced(alpha: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Shrink the heavier class, so that Σ α_i y_i = 0."""
    positive = alpha @ (y > 0)
    negative = alpha @ (y < 0)
    least = np.minimum(positive, negative)
    of_positive = least / np.where(positive > 0, positive, 1.0)
    of_negative = least / np.where(negative > 0, negative, 1.0)
    return alpha * np.where(y > 0, of_positive[:, None], of_negative[:, None])


@dataclass(frozen=True)
class Outcome:
    """What became of one problem."""

    number: int
    family: str
    n: int
    p: int
    l2: float
    status: str = "timed out"
    seconds: float = float("nan")
    breakpoints: int = 0
    restarts: float = 0
    repairs: float = 0
    reached: float = float("nan")  # l1 where the path ends, as a share of the first
    gap: float = float("nan")  # the worst, relative to max(1, P)
    relative_gap: float = float("nan")  # the worst, relative to P where P > 0
    message: str = ""
    says_rounding: bool = False  # that coefficients are so large that rounding of scores shows

    @property
    def is_wrong(self) -> bool:
        """Whether the path says nothing and is not optimal somewhere."""
        return self.status in FOLLOWED and not self.gap <= WRONG and not self.says_rounding


def solve(seed: int, number: int) -> Outcome:
    """Follow one path, and certify its breakpoints."""
    family, X, y, options = problem(seed, number)
    about = (number, family, *X.shape, options["l2"])
    start = time.perf_counter()
    try:
        path = chemin.svm_path(X, y, **options)
    except Exception as failure:
        seconds = time.perf_counter() - start
        return Outcome(*about, "raised", seconds, message=f"{type(failure).__name__}: {failure}")
    seconds = time.perf_counter() - start
    P, gap = gaps(X, y, path, options)
    return Outcome(
        *about,
        status=path.status.code,
        seconds=seconds,
        breakpoints=len(path.l1),
        restarts=path.stats.get("restarts", 0),
        repairs=path.stats.get("repairs", 0),
        reached=float(path.l1[-1] / path.l1[0]) if path.l1[0] > 0 else 0.0,
        gap=float(np.max(gap / np.maximum(P, 1.0))),
        relative_gap=float(np.max((gap / P)[P != 0.0], initial=0.0)),
        message="" if path.status.code in FOLLOWED else str(path.status),
        says_rounding="rounding" in str(path.status),
    )


def _work(seed: int, line: Connection) -> None:
    """Solve the problems whose numbers come, until the other end is closed."""
    with np.errstate(all="ignore"), suppress(EOFError, KeyboardInterrupt):
        while True:
            line.send(solve(seed, line.recv()))


class Worker:
    """A process that solves one problem at a time, replaced when it takes too long or dies."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.number = -1
        self.since = 0.0
        self._start()

    def _start(self) -> None:
        self.line, there = _CONTEXT.Pipe()
        self.process = _CONTEXT.Process(target=_work, args=(self.seed, there), daemon=True)
        self.process.start()
        there.close()

    def take(self, number: int) -> None:
        """Begin a problem."""
        self.number = number
        self.since = time.perf_counter()
        self.line.send(number)

    def outcome(self, limit: float) -> Outcome | None:
        """Return what became of the problem, or None while it is being solved."""
        elapsed = time.perf_counter() - self.since
        if self.line.poll():
            try:
                return self.line.recv()
            except EOFError:
                return self._ended("died", elapsed)
        return self._ended("timed out", elapsed) if elapsed > limit else None

    def _ended(self, status: str, seconds: float) -> Outcome:
        self.process.kill()
        self.process.join()
        self._start()
        family, X, _, options = problem(self.seed, self.number)
        return Outcome(self.number, family, *X.shape, options["l2"], status, seconds)

    def dismiss(self) -> None:
        """Let the process end."""
        self.line.close()
        self.process.join()


def run(seed: int, numbers: list[int], jobs: int, limit: float) -> Iterator[Outcome]:
    """Yield outcomes as they come."""
    waiting = iter(numbers)
    idle = [Worker(seed) for _ in range(jobs)]
    busy: list[Worker] = []
    left = len(numbers)
    while left:
        for worker in idle:
            number = next(waiting, None)
            if number is None:
                worker.dismiss()
            else:
                worker.take(number)
                busy.append(worker)
        idle = []
        wait([worker.line for worker in busy], timeout=1.0)
        for worker in list(busy):
            outcome = worker.outcome(limit)
            if outcome is not None:
                busy.remove(worker)
                idle.append(worker)
                left -= 1
                yield outcome
    for worker in idle:
        worker.dismiss()


def table(outcomes: list[Outcome]) -> str:
    """Return a Markdown table by family, then the lost, the wrong and the slowest five."""
    lines = [
        "| family | count | lost | repaired | uncertified | uncertified relative to P | timed out | "
        "other | with restarts | worst gap | seconds |",
        "|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    names = sorted({outcome.family for outcome in outcomes})
    lines += [_line(name, [o for o in outcomes if o.family == name]) for name in names]
    lines.append(_line("all", outcomes))
    lost = sorted((o for o in outcomes if o.status == "lost"), key=lambda o: -o.reached)
    lines += _listed("Lost", lost)
    lines += _listed("Wrong without saying", [o for o in outcomes if o.is_wrong])
    lines += _listed("Slowest", sorted(outcomes, key=lambda o: -o.seconds)[:5])
    return "\n".join(lines)


def _line(name: str, some: list[Outcome]) -> str:
    codes = [outcome.status for outcome in some]
    known = ("complete", "lost", "repaired", "timed out")
    cells = (
        name,
        len(some),
        codes.count("lost"),
        codes.count("repaired"),
        sum(outcome.is_wrong for outcome in some),
        sum(o.status in FOLLOWED and not o.relative_gap <= WRONG for o in some),
        codes.count("timed out"),
        sum(code not in known for code in codes),
        sum(outcome.restarts > 0 for outcome in some),
        f"{max((o.gap for o in some if o.status in FOLLOWED), default=np.nan):.1e}",
        f"{sum(outcome.seconds for outcome in some):.1f}",
    )
    return "| " + " | ".join(str(cell) for cell in cells) + " |"


def _listed(title: str, some: list[Outcome]) -> list[str]:
    lines = ["", f"{title}: {len(some)}"]
    for o in some[:20]:
        lines.append(
            f"  {o.number} {o.family} {o.n} × {o.p}, l2 = {o.l2:g}: {o.status}, {o.seconds:.2f} s, "
            f"down to {o.reached:.2g} of the first l1, gap {o.gap:.1e}, {o.restarts:g} restarts"
        )
    return lines


def parse_arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=3000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1, help="worker processes")
    parser.add_argument("--limit", type=float, default=60.0, help="seconds per problem")
    parser.add_argument("--only", default="", help="numbers of problems, instead of the first ones")
    parser.add_argument("--out", type=FilePath, help="a CSV file, one line per problem")
    return parser.parse_args()


def main() -> None:
    """Follow, certify, print a table."""
    arguments = parse_arguments()
    numbers = [int(number) for number in arguments.only.split(",") if number]
    numbers = numbers or list(range(arguments.count))
    print(f"chemin is {FilePath(chemin.__file__).parent}", file=sys.stderr)
    outcomes = []
    for outcome in run(arguments.seed, numbers, arguments.jobs, arguments.limit):
        outcomes.append(outcome)
        if arguments.out:
            _append(arguments.out, outcome, is_first=len(outcomes) == 1)
    print(table(sorted(outcomes, key=lambda outcome: outcome.number)))


def _append(file: FilePath, outcome: Outcome, is_first: bool) -> None:
    with file.open("w" if is_first else "a", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, [field.name for field in fields(Outcome)])
        if is_first:
            writer.writeheader()
        writer.writerow(asdict(outcome))


if __name__ == "__main__":
    main()
