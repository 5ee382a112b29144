"""What do the machines of MNIST give on all their images? One pair of digits after another, on a GPU.

python benchmarks/full_pairs.py --data FILE --out FILE.jsonl [--device cuda] [--jobs 2] [--minutes 9]

1000 images of a pair are held back to choose l1, the others are the points and, window by window, the columns: some
600 000 of them. Results are appended line by line; pairs that are there are not trained again. With --table nothing is
trained: what is in the file is printed for docs/scaling.md.
"""

from __future__ import annotations

import argparse
import gc
import itertools
import json
import multiprocessing
import os
import time
from dataclasses import replace
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np

from chemin.datasets import mnist
from chemin.experiments.mnist import Settings, mnist_pair

HELD_BACK = 1000
USUAL = Settings(min_ratio=1e-3)


def train(order: tuple[str, int, int, str, float]) -> dict:
    """Train one machine, unless the time is over."""
    data, a, b, device, until = order
    if time.time() > until:
        return {}
    gc.collect()  # the columns of the pair before
    images = mnist(data)
    most = 2 * int(min(np.bincount(images.y_train)[[a, b]]))
    settings = replace(USUAL, n_train=most - HELD_BACK, n_validation=HELD_BACK)
    begin = time.perf_counter()
    one = mnist_pair(images, a, b, settings, device=device)
    return {
        "pair": [a, b],
        "images": settings.n_train,
        "events": one.events,
        "path_seconds": round(one.seconds, 2),
        "seconds": round(time.perf_counter() - begin, 2),
        "l1": one.l1,
        "first_l1": one.first_l1,
        "couples": one.couples,
        "validation_error": one.validation_error,
        "test_error": one.test_error,
        "status": str(one.status),
    }


def table(results: list[dict]) -> str:
    """Return the results as a table in Markdown."""
    lines = [
        "| pair | images | events | seconds | l1 / l1max | couples | validation error | test error | path |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for one in sorted(results, key=lambda one: one["pair"]):
        cells = (
            "-".join(map(str, one["pair"])), one["images"], one["events"], f"{one['seconds']:.0f}",
            f"{one['l1'] / one['first_l1']:.5f}", one["couples"], f"{100 * one['validation_error']:.1f} %",
            f"{100 * one['test_error']:.2f} %", one["status"],
        )  # fmt: skip
        lines.append("| " + " | ".join(map(str, cells)) + " |")
    return "\n".join(lines)


def main() -> None:
    """Train what is missing until the time is over."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--table", action="store_true", help="print what is there")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--minutes", type=float, default=9.0, help="no pair is begun after these")
    given = parser.parse_args()
    lines = given.out.read_text().splitlines() if given.out.exists() else []
    results = [json.loads(line) for line in lines]
    if given.table:
        print(table(results))
        return
    if given.data is None:
        parser.error("--data is missing: pass the file of the images")
    done = {tuple(one["pair"]) for one in results}
    until = time.time() + 60.0 * given.minutes
    missing = [pair for pair in itertools.combinations(range(10), 2) if pair not in done]
    orders = [(given.data, a, b, given.device, until) for a, b in missing]
    context = multiprocessing.get_context("spawn")
    with context.Pool(given.jobs) as pool, open(given.out, "a") as stream:
        for found in pool.imap_unordered(train, orders):
            if found:
                print(json.dumps(found), flush=True)
                stream.write(json.dumps(found) + "\n")
                stream.flush()


if __name__ == "__main__":
    main()
