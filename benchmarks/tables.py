"""What does a user of the estimators get? Tables: genes, many classes, sparse input, defaults, halves.

python benchmarks/tables.py [genes] [schemes] [sparse] [defaults] [halves] [--data DIR] [--repeats 10] [--budget 75]
                            [--seed 0] [--sets heart,pima]

Prints each table and writes it as Markdown and JSON to `--out`.
"""

from __future__ import annotations

import one_thread  # isort: skip  # before numpy is loaded

import argparse
import sys
import time
from pathlib import Path
from typing import Any

from tables_data import Table, say
from tables_defaults import SETS, make_defaults, make_halves
from tables_genes import make_genes
from tables_schemes import make_schemes
from tables_sparse import make_sparse

NAMES = ("genes", "schemes", "sparse", "defaults", "halves")


def parse_arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "tables", nargs="*", metavar="TABLE", help=f"among {', '.join(NAMES)}; all if none is named"
    )
    parser.add_argument("--data", type=Path, help="folder of the data sets")
    parser.add_argument(
        "--repeats", type=int, default=10, help="repetitions of the folds of table genes"
    )
    parser.add_argument(
        "--budget", type=float, default=75.0, help="seconds per method and data set of table genes"
    )
    parser.add_argument(
        "--limit", type=float, default=300.0, help="seconds per row of table sparse"
    )
    parser.add_argument(
        "--seed", type=int, default=0, help="seed of the splits of tables defaults and halves"
    )
    parser.add_argument(
        "--sets", default=",".join(SETS), help="data sets of tables defaults and halves"
    )
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "results")
    arguments = parser.parse_args()
    unknown = set(arguments.tables) - set(NAMES)
    if unknown:
        parser.error(f"unknown tables: {', '.join(sorted(unknown))}")
    arguments.sets = arguments.sets.split(",")
    unknown = set(arguments.sets) - set(SETS)
    if unknown:
        parser.error(f"unknown sets: {', '.join(sorted(unknown))}")
    return arguments


def make(name: str, arguments: argparse.Namespace, settings: dict[str, Any]) -> Table:
    """One table; those that take long are saved as they grow."""
    if name in ("defaults", "halves"):
        maker = make_defaults if name == "defaults" else make_halves
        return maker(
            arguments.data,
            arguments.seed,
            arguments.sets,
            lambda table: table.save(arguments.out, settings),
        )
    if name == "genes":
        return make_genes(arguments.data, arguments.repeats, arguments.budget)
    return make_schemes() if name == "schemes" else make_sparse(arguments.data, arguments.limit)


def main() -> int:
    """Make, print and save the tables asked for."""
    arguments = parse_arguments()
    settings = {
        "repeats": arguments.repeats,
        "budget": arguments.budget,
        "seed": arguments.seed,
        "threads": one_thread.THREADS,
    }
    for name in arguments.tables or NAMES:
        start = time.perf_counter()
        table = make(name, arguments, settings)
        say(f"[{name}] made in {time.perf_counter() - start:.0f} s")
        table.save(arguments.out, settings)
        print(table.markdown(), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
