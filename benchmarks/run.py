"""Is the whole exact path cheaper than a hundred separate solutions?

    python benchmarks/run.py [--data DIR] [--rows a,b] [--peers daqp,piqp] [--budget 60]

Follows our path and times every peer over 100 values of l1, one after the other, on the same data,
with one thread each; prints a table, writes `benchmarks.json` and `benchmarks.png`.
"""

from __future__ import annotations

import one_thread  # isort: skip  # before numpy is loaded

import argparse
import json
import platform
import sys
from dataclasses import asdict
from pathlib import Path

import numpy as np
from grid import GridRun, time_peer
from ours import time_path
from peers import PEERS, Peer
from picture import draw_comparison
from problems import ROWS, Absent, Problem, load_row
from table import NOT_OPTIMAL, format_row, format_summary
from visiting import Order

L2, RATIO, VALUES = 1.0, 0.01, 100


def parse_arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    keys = [peer.key for peer in PEERS]
    parser.add_argument("--data", type=Path, help="folder of golub_leukemia, colon_alon, spambase")
    parser.add_argument("--rows", default=",".join(ROWS), help=f"among {','.join(ROWS)}")
    parser.add_argument("--peers", default=",".join(keys), help=f"among {','.join(keys)}")
    parser.add_argument("--budget", type=float, default=60.0, help="seconds per peer and row")
    parser.add_argument("--repeat", type=int, default=3, help="timed runs, the median is kept")
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "results")
    return parser.parse_args()


def choose_peers(keys: str) -> list[Peer]:
    """The peers named on the command line, in their usual order."""
    wanted = set(filter(None, keys.split(",")))
    unknown = wanted - {peer.key for peer in PEERS}
    if unknown:
        raise SystemExit(f"unknown peers: {', '.join(sorted(unknown))}")
    return [peer for peer in PEERS if peer.key in wanted]


def say(text: str) -> None:
    """A sign of life."""
    print(text, file=sys.stderr, flush=True)


def compare_row(problem: Problem, peers: list[Peer], budget: float, repeat: int) -> dict:
    """Our path and every peer on one problem."""
    say(f"[{problem.name} {problem.shape}] following the path")
    ours, grid, reference = time_path(problem, L2, RATIO, VALUES, repeat, budget)
    say(f"[{problem.name}] path: {ours.seconds:.3g} s, {ours.breakpoints} breakpoints")
    runs: list[GridRun] = []
    for peer in peers:
        say(f"[{problem.name}] {peer.name} ...")
        order = Order(peer, problem, grid, L2, budget, repeat)
        runs.append(time_peer(order, reference))
        say(f"[{problem.name}] {peer.name}: {runs[-1].status}, {runs[-1].values} values")
    row = {"row": problem.name, "shape": problem.shape, "ours": asdict(ours)}
    row["peers"] = [asdict(run) | {"equal_accuracy": run.equal_accuracy} for run in runs]
    return row


def describe_environment(peers: list[Peer]) -> dict:
    """What a reader needs to compare figures."""
    return {
        "python": platform.python_version(),
        "numpy": np.__version__,
        "machine": platform.machine(),
        "threads": one_thread.THREADS,
        "versions": {peer.package: peer.version() for peer in peers},
    }


def main() -> int:
    """Run, print, save; the exit status is 1 when a peer beats our objective."""
    arguments = parse_arguments()
    peers, rows = choose_peers(arguments.peers), []
    for name in filter(None, arguments.rows.split(",")):
        problem = load_row(name, arguments.data)
        if isinstance(problem, Absent):
            rows.append({"row": name, "absent": problem.reason})
        else:
            rows.append(compare_row(problem, peers, arguments.budget, arguments.repeat))
        print(format_row(rows[-1]), flush=True)
    print(format_summary(rows))
    arguments.out.mkdir(parents=True, exist_ok=True)
    report = {"l2": L2, "ratio": RATIO, "values": VALUES, "budget": arguments.budget}
    report |= {"environment": describe_environment(peers), "rows": rows}
    (arguments.out / "benchmarks.json").write_text(json.dumps(report, indent=1) + "\n")
    draw_comparison(rows, arguments.out / "benchmarks.png")
    runs = [run for row in rows for run in row.get("peers", [])]
    return int(any((run["least_excess"] or 0.0) < NOT_OPTIMAL for run in runs))


if __name__ == "__main__":
    sys.exit(main())
