"""How long does a look take, and what does it find in data as they are?

    python benchmarks/exploration.py --data folder

The folder holds the data sets of its README (adult, golub_leukemia, spambase); without it, bundled sets and a made-up
one are looked at. Times are seconds; ratios are to pandas' describe and corr of the same numbers in the same run.
The exit status is 1 if a leak or a copy of the target is found in real data.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
import one_thread  # noqa: F401  # before NumPy's libraries start their threads
import pandas as pd
from from_file import write_csv
from sklearn.cluster import MeanShift
from sklearn.datasets import make_blobs

import chemin
from chemin.exceptions import LossWarning
from chemin.exploration import mean_shift
from chemin.exploration.explorer import PARTS

matplotlib.use("Agg")
MADE_UP = "made up, mixed"


def seconds(work: Callable[[], Any]) -> tuple[float, Any]:
    """Return how long some work took, and what it gave."""
    begin = time.perf_counter()
    made = work()
    return time.perf_counter() - begin, made


def mixed(n: int, seed: int = 0) -> pd.DataFrame:
    """Return a hundred columns: numbers of many scales, counts, words, gaps, and a target that one of them tells of."""
    drawing = np.random.default_rng(seed)
    columns: dict[str, Any] = {
        f"n{j}": drawing.normal(size=n) * 10.0 ** drawing.integers(-2, 5) for j in range(60)
    }
    columns |= {f"i{j}": drawing.integers(50, size=n) for j in range(15)}
    words = np.array(["alpha", "beta", "gamma", "delta", "epsilon"])
    columns |= {f"c{j}": words[drawing.integers(5, size=n)] for j in range(19)}
    columns |= {
        f"g{j}": np.where(drawing.random(n) < 0.1, np.nan, drawing.exponential(size=n))
        for j in range(5)
    }
    made = pd.DataFrame(columns)
    noise = made["n0"].std() * drawing.normal(size=n)
    return made.assign(y=np.where(made["n0"] + noise > 0, "yes", "no"))


def tables(data: Path | None) -> Iterator[tuple[str, Any]]:
    """Hand on the tables."""
    for name in ("breast-cancer", "digits"):
        yield name, chemin.read(name)
    if data is not None:
        for name in ("golub_leukemia", "spambase"):
            with np.load(data / name / f"{name}.npz", allow_pickle=False) as held:
                frame = pd.DataFrame(held["X"]).add_prefix("x").assign(y=held["y"].astype(str))
            yield name, chemin.read(frame, target="y")
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "adult.csv"
            write_csv(data / "adult", file)
            yield "adult", chemin.read(file, target="income")
    yield MADE_UP, chemin.read(mixed(100_000), target="y")


def look_at(name: str, table: Any) -> bool:
    """Print a row of the table of times, and return whether a leak was found."""
    look = chemin.explore(table)
    took = {part: seconds(lambda part=part: getattr(look, part))[0] for part in PARTS}
    pictures, _ = seconds(look.plot)
    frame = table.X.select_dtypes("number")
    describing, _ = seconds(frame.describe)
    some = frame.iloc[:, :100]
    correlating, _ = seconds(lambda: (some.corr(), some.corr("spearman")))
    codes = ", ".join(finding.code for finding in look.findings)
    rows = look.groups.points.shape[0]
    told = "  ".join(f"{part} {value:.2f}" for part, value in took.items())
    print(f"{name}, {table.shape[0]} × {table.shape[1]}: {told}  page {pictures:.2f}")
    ratios = (took["description"] / describing, took["dependence"] / correlating)
    print("    describe {:.1f} × pandas', dependence {:.1f} × pandas' corr".format(*ratios))
    print(f"    groups: {look.groups.count} ({rows} rows); findings: {codes}", flush=True)
    return name != MADE_UP and ("leak" in look.findings or "target-copy" in look.findings)


def main(data: Path | None) -> int:
    """Look at all of them."""
    warnings.simplefilter("ignore", LossWarning)
    leaks = [look_at(name, table) for name, table in tables(data)]
    for n, p in ((2000, 2), (2000, 10)):
        X, _ = make_blobs(n, p, centers=5, random_state=1)
        ours, found = seconds(lambda X=X: mean_shift(X, budget=None))
        flat, _ = seconds(
            lambda X=X, h=found.density.bandwidth: mean_shift(
                X, 2.0 * h, window="epanechnikov", merge=1.0
            )
        )
        theirs, _ = seconds(
            lambda X=X, h=found.density.bandwidth: MeanShift(bandwidth=2.0 * h).fit(X)
        )
        print(
            f"mean shift, {n} × {p}: Gaussian {ours:.2f} s, flat {flat:.2f} s, scikit-learn's flat {theirs:.2f} s"
        )
    return int(any(leaks))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path)
    sys.exit(main(parser.parse_args().data))
