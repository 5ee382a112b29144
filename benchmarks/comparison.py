"""What does a comparison say of real data, and how much of it is finished in ten minutes?

    python benchmarks/comparison.py --data folder --only german,diabetes

The folder holds the data sets of its README (spambase, german_credit, golub_leukemia); digits and diabetes come along.
The whole table of each is printed, and written to --out as CSV and PNG.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
import pandas as pd

import chemin

matplotlib.use("Agg")
FOLDERS = {"german": "german_credit", "golub": "golub_leukemia", "spambase": "spambase"}
ROWS = ("german", "diabetes", "digits", "golub", "spambase")


def table(name: str, data: Path) -> Any:
    """Read one data set."""
    if name not in FOLDERS:
        return chemin.read(name)
    folder = FOLDERS[name]
    with np.load(data / folder / f"{folder}.npz", allow_pickle=False) as held:
        frame = pd.DataFrame(held["X"]).add_prefix("x").assign(y=held["y"].astype(str))
    return chemin.read(frame, target="y")


def main(data: Path, names: list[str], budget: float, out: Path | None) -> None:
    """Compare all models on each."""
    for name in names:
        begin = time.perf_counter()
        found = chemin.compare(table(name, data), budget=budget)
        took = time.perf_counter() - begin
        done = len(found.finished) / len(found.rows)
        print(f"=== {name}: {took:.0f} s, {done:.0%} of the rows finished")
        print(found, flush=True)
        if out is not None:
            out.mkdir(parents=True, exist_ok=True)
            found.frame().to_csv(out / f"{name}.csv", index=False)
            found.plot().figure.savefig(out / f"{name}.png", dpi=80)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--only", default=",".join(ROWS))
    parser.add_argument("--budget", type=float, default=600.0)
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    main(given.data, given.only.split(","), given.budget, given.out)
