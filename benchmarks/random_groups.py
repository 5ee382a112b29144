"""How often is the path of a penalty on nested groups lost? Random problems, easy and awkward.

python benchmarks/random_groups.py --count 150
"""

from __future__ import annotations

import one_thread  # isort: skip  # noqa: F401  # before numpy is loaded

import argparse
import time
from collections import Counter
from typing import Any

import numpy as np

import chemin
from chemin.exceptions import EngineError
from chemin.problems import Hierarchy

LOSSES = ("hinge", "hinge", "huberized", "absolute", "squared", "squared_hinge", "quantile")
OF_CLASSES = ("hinge", "huberized", "squared_hinge")
KINDS = ("normal", "integers", "near-duplicates", "raw columns")


def problem(seed: int) -> tuple[str, np.ndarray, np.ndarray, Hierarchy, dict[str, Any]] | None:
    """Return the kind of a problem, its data and its penalty; None where only one class is drawn."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(6, 50))
    p = int(rng.integers(2, 20))
    kind = KINDS[seed % len(KINDS)]
    X = rng.standard_normal((n, p))
    if kind == "integers":
        X = np.round(X)
    if kind == "near-duplicates":
        X = X[:, rng.integers(0, p, p)] + 1e-3 * rng.standard_normal((n, p))
    if kind == "raw columns":
        X = X * 10.0 ** rng.integers(-2, 3, p)
    score = X @ rng.standard_normal(p) + 0.5 * rng.standard_normal(n)
    cut = 0.2 if rng.random() < 0.3 else 0.5
    label = (score > np.quantile(score, cut)).astype(int)
    if len(set(label)) < 2:
        return None
    levels = [rng.integers(0, max(1, p // 4) + 1, p)]
    if rng.random() < 0.6:
        levels.append(levels[0] * 10 + rng.integers(0, 2, p))
        if rng.random() < 0.6:
            levels.append(np.arange(p))
    loss = LOSSES[seed % len(LOSSES)]
    groups = Hierarchy(levels, rng.uniform(0.1, 2.0, len(levels)))
    options = {"loss": loss, "l2": float(10.0 ** rng.integers(-3, 2))}
    return kind, X, label if loss in OF_CLASSES else score, groups, options


def main() -> None:
    """Follow them, and print what became of them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=150)
    args = parser.parse_args()
    ended: Counter[str] = Counter()
    gaps = []
    began = time.process_time()
    for seed in range(args.count):
        drawn = problem(seed)
        if drawn is None:
            continue
        kind, X, y, groups, options = drawn
        try:
            path = chemin.grouped_path(X, y, groups, **options)
        except EngineError as error:
            ended["refused"] += 1
            print(seed, kind, options, error)
            continue
        ended[path.status.code] += 1
        gaps.append(path.certificate(midpoints=True).worst_gap)
        if gaps[-1] > 1e-9 or path.status.code != "complete":
            print(seed, kind, options, path, f"gap {gaps[-1]:.1e}")
    seconds = time.process_time() - began
    gap = np.array(gaps)
    told = f"median {np.median(gap):.0e}, worst {gap.max():.0e}, {np.sum(gap > 1e-9)} above 1e-9"
    print(dict(ended), f"gaps: {told}; {seconds:.0f} s")


if __name__ == "__main__":
    main()
