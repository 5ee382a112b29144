"""How much of the dictionary does a path look at, with and without screening?

    python benchmarks/screening.py [--data FOLDER]

One thread; the same problem followed twice in one run. Evaluations are per event.
"""

from __future__ import annotations

import one_thread  # noqa: F401  # isort: skip  # before numpy is loaded

import argparse
import time
from collections.abc import Iterator
from typing import Any

import numpy as np

from chemin import Path, svm_path
from chemin.datasets import benchmark_gaussian, mnist
from chemin.experiments.mnist import Settings

HEADER = """| problem | events | columns | screened | rows | screened | seconds | screened | l1 differs by |
|---|---|---|---|---|---|---|---|---|"""


def problems(data: str | None) -> Iterator[tuple[str, Any, Any, dict[str, float]]]:
    """Names, columns, labels and options."""
    if data is not None:
        for power in (0.0, 0.75):
            settings = Settings(power=power)
            drawn = settings.draw(mnist(data), 4, 7)
            columns = settings.couples(drawn.X_train, drawn.shape).of(drawn.X_train)
            name = f"MNIST 4-7, 1000 × 49 000, columns / size^{power:g}"
            yield name, columns, drawn.y_train, {"l2": settings.l2, "min_ratio": 1e-3}
    rng = np.random.default_rng(0)
    X = rng.standard_normal((200, 100_000))
    yield "200 × 100 000", X, np.where(X[:, :20].sum(axis=1) > 0, 1, -1), {"min_ratio": 0.05}
    yield "50 000 × 30", *benchmark_gaussian(50_000, 30, random_state=0), {"min_ratio": 0.7}


def follow(X: Any, y: Any, **options: Any) -> tuple[Path, float]:
    begin = time.process_time()
    path = svm_path(X, y, **options)
    return path, time.process_time() - begin


def difference(one: Path, other: Path) -> str:
    """How far apart the events are; those that exact ties put in another order are counted."""
    first, second = one.events, other.events
    if len(first) != len(second):
        return "other events"
    moved = np.flatnonzero((first["index"] != second["index"]) | (first["kind"] != second["kind"]))
    if not np.array_equal(np.sort(first["index"][moved]), np.sort(second["index"][moved])):
        return "other events"
    apart = f"{np.abs(first['l1'] - second['l1']).max() / one.l1[0]:.0e}"
    return apart + f"; {len(moved)} events in another order, in exact ties" * bool(len(moved))


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", help="folder or npz file of MNIST")
    print(HEADER)
    for name, X, y, options in problems(parser.parse_args().data):
        lazy, quick = follow(X, y, **options)
        full, slow = follow(X, y, screening=False, **options)
        cells = [f"{full.stats['events']:.0f}"]
        for kind in ("columns_per_event", "rows_per_event"):
            ratio = full.stats[kind] / lazy.stats[kind]
            cells += [f"{full.stats[kind]:.0f}", f"{lazy.stats[kind]:.0f} ({ratio:.1f}× fewer)"]
        cells += [f"{slow:.1f}", f"{quick:.1f} ({slow / quick:.1f}×)", difference(lazy, full)]
        print(f"| {name} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
