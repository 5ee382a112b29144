"""Is what the thesis saw seen again? All its experiments but MNIST, in one run: a table and its pictures.

    python -m chemin.experiments.reproduce --out demo/thesis [--seeds 10]

Reference: A. Lachaud, *Discrimination robuste par méthode à noyaux*, INSA Rouen, 2015, chapters 2 and 3.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable
from pathlib import Path as FilePath

import numpy as np

from chemin.exceptions import InvalidInputError
from chemin.experiments.checker import checker_rows
from chemin.experiments.dynamics import dynamics
from chemin.experiments.end_of_path import end_of_path
from chemin.experiments.gaussian import gaussian
from chemin.experiments.pinned import pinned
from chemin.experiments.record import Row, Say, write_table
from chemin.experiments.toydata1 import toydata1_rows
from chemin.experiments.toydata2 import toydata2_rows

__all__ = ["EXPERIMENTS", "reproduce"]

Experiment = Callable[[FilePath, int, Say], list[Row]]

EXPERIMENTS: dict[str, Experiment] = {
    "pinned": pinned,
    "gaussian": gaussian,
    "toydata1": toydata1_rows,
    "dynamics": dynamics,
    "end of path": end_of_path,
    "toydata2": toydata2_rows,
    "checker": checker_rows,
}


def reproduce(
    folder: str | os.PathLike[str], *, seeds: int = 10, progress: Say | None = None
) -> list[Row]:
    """Run every experiment, and write ``experiments.md``, ``experiments.json`` and the pictures.

    Parameters
    ----------
    folder : path-like
        Where to write; made if it is not there.
    seeds : int, default 10
        Draws of the data for each claim on draws.
    progress : callable, optional
        Called with one line of text now and then, such as `print`.

    Returns
    -------
    list of Row
        What the thesis says, what was seen, and whether they agree.
    """
    if seeds < 2:
        raise InvalidInputError(f"seeds is {seeds}: a spread needs 2 draws or more")
    where, say = FilePath(folder), progress or (lambda line: None)
    where.mkdir(parents=True, exist_ok=True)
    rows: list[Row] = []
    for name, run in EXPERIMENTS.items():
        began = time.perf_counter()
        found = run(where, seeds, say)
        rows += found
        for row in found:
            say(f"{row.name} ({row.section}): {row.verdict}. {row.seen}")
        say(f"  [{name}: {time.perf_counter() - began:.0f} s]\n")
    write_table(rows, where, seeds)
    return rows


def main() -> None:
    """Run it from a shell."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", default="demo/thesis", help="folder of the table and its pictures")
    parser.add_argument(
        "--seeds", type=int, default=10, help="draws of the data for each claim on draws"
    )
    given = parser.parse_args()
    rows = reproduce(given.out, seeds=given.seeds, progress=lambda line: print(line, flush=True))
    agree = np.mean([row.verdict == "agrees" for row in rows])
    print(
        f"{agree * len(rows):.0f} of {len(rows)} rows agree. The table is {FilePath(given.out) / 'experiments.md'}"
    )


if __name__ == "__main__":
    main()
