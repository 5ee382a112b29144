"""What does a cluster cost and save? The same path in one process and on 1, 2 and 4 local workers.

    gaussian   n = 200,  p = 20000 and n = 400, p = 100000
    kernel     1000 points of 64 variables, 8 Gaussian widths: 8000 columns, of which an eighth fits in memory

A round is one question to all workers. Seconds do not count the start of the workers and the placing of the columns,
which is given apart; every path is compared with that of one process. Workers on one machine share its cores: what they
save is time only if there are more cores than workers.
"""

from __future__ import annotations

import one_thread  # isort: skip  # noqa: F401  # before numpy is loaded

import argparse
import time
from collections.abc import Iterator

import numpy as np
from distributed import LocalCluster

from chemin import Path, svm_path
from chemin.datasets import benchmark_gaussian
from chemin.dictionaries import DenseDictionary, Dictionary, KernelDictionary
from chemin.dictionaries.cluster import on_cluster
from chemin.kernels import Gaussian

EVENTS, SEED = 1000, 5
WORKERS = (1, 2, 4)
HEADER = (
    "problem", "workers", "placing [s]", "events", "seconds", "rounds", "messages / event", "sent / event [B]",
    "received / event [B]", "l1 differs by",
)  # fmt: skip


def problems() -> Iterator[tuple[str, Dictionary, np.ndarray]]:
    """Names, columns and labels."""
    for n, p in ((200, 20_000), (400, 100_000)):
        X, y = benchmark_gaussian(n, p, SEED)
        yield f"gaussian {n} × {p}", DenseDictionary(X), y
    rng = np.random.default_rng(SEED)
    Z = rng.normal(size=(1000, 64))
    y = np.sign(np.sum(Z[:, :3] ** 2, axis=1) - 2.4)
    kernels = [Gaussian(width) for width in np.geomspace(3.0, 30.0, 8)]
    yield "kernel 1000 × 8000", KernelDictionary(Z, Z, kernels, memory=8_000_000), y


def print_row(*cells: object) -> None:
    print("| " + " | ".join(str(cell) for cell in cells) + " |", flush=True)


def timed(columns: Dictionary, y: np.ndarray, events: int) -> tuple[Path, float]:
    """The path and its seconds."""
    start = time.perf_counter()
    path = svm_path(columns, y, max_events=events)
    return path, time.perf_counter() - start


def differs(path: Path, other: Path) -> str:
    """How far two paths are from each other."""
    if not np.array_equal(path.events["index"], other.events["index"]):
        return "other events"
    return f"{np.abs(path.l1 - other.l1).max() / other.l1[0]:.0e}"


def on_workers(
    name: str, source: Dictionary, y: np.ndarray, workers: int, here: Path, events: int
) -> None:
    """One row: the path on so many workers."""
    options = {
        "n_workers": workers,
        "threads_per_worker": 1,
        "processes": True,
        "dashboard_address": ":0",
    }
    with LocalCluster(**options) as cluster:
        start = time.perf_counter()
        with on_cluster(source, cluster) as columns:
            placing = time.perf_counter() - start
            path, seconds = timed(columns, y, events)
        traffic, count = columns.traffic, len(path.events)
        print_row(
            name, workers, f"{placing:.2f}", count, f"{seconds:.2f}", f"{traffic.messages / workers:.0f}",
            f"{traffic.messages / count:.2f}", f"{traffic.sent / count:.0f}", f"{traffic.received / count:.0f}",
            differs(path, here),
        )  # fmt: skip


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--events", type=int, default=EVENTS)
    events = parser.parse_args().events
    print_row(*HEADER)
    print_row(*("---" for _ in HEADER))
    for name, source, y in problems():
        here, seconds = timed(source, y, events)
        print_row(name, "none", "", len(here.events), f"{seconds:.2f}", "", "", "", "", "")
        for workers in WORKERS:
            on_workers(name, source, y, workers, here, events)


if __name__ == "__main__":
    main()
