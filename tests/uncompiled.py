"""Which paths does the loop follow where it is not compiled? A script, to be run with CHEMIN_PURE=1, prints them."""

from __future__ import annotations

import json
import sys
from typing import Any

import numpy as np

import chemin
from adversarial import TABLE
from chemin.engine import thresholds
from chemin.engine.exact.inner import columns, loop, rows

L2 = (0.0, 1e-20, 1e-9, 1e-3, 1.0, 100.0)
A_SIXTH = [(name, L2[place % len(L2)]) for place, name in enumerate(TABLE)]
WITHOUT_TIES = [
    (name, l2)
    for name in (
        "gaussian_unbalanced",
        "one_against_ninety_nine",
        "many_more_variables_than_points_unbalanced",
        "many_more_points_than_variables_balanced",
        "random_weights",
        "some_columns_never_penalised",
    )
    for l2 in (0.0, 1e-3, 1.0)
]
FEW = [(400, 6), (30, 500), (150, 150)]  # points and variables


def numbers(path: chemin.Path) -> dict[str, Any]:
    """Return what tells a path from another."""
    return {
        "kind": path.events["kind"].tolist(),
        "index": path.events["index"].tolist(),
        "l1": path.l1.tolist(),
        "columns_per_event": path.stats["columns_per_event"],
    }


def adversarial(name: str, l2: float) -> chemin.Path:
    X, y, options = TABLE[name]()
    return chemin.svm_path(X, y, l2=l2, **options)


def gaussian(n: int, p: int, screening: bool) -> chemin.Path:
    rng = np.random.default_rng(0)
    y = np.arange(n) % 2
    X = rng.standard_normal((n, p)) + 0.3 * (2 * y - 1)[:, None] * (np.arange(p) < 5)
    return chemin.svm_path(X, y, min_l1=1.0, screening=screening)


def judged(name: str, l2: float) -> dict[str, Any]:
    path = adversarial(name, l2)
    return {"code": path.status.code, "gap": path.certificate(midpoints=True).worst_gap}


def watch_few() -> None:
    """Let a loop that is not compiled watch few columns and rows."""
    thresholds.FEWEST_WATCHED = columns.FEWEST = 8
    columns.WATCH_ALL = 0
    rows.ROWS_AT_FIRST = 8


def main(what: str) -> None:
    """Print what was asked for, as JSON."""
    found: dict[str, Any] = {"compiled": loop.COMPILED}
    if what == "robust":
        found["judged"] = [judged(*case) for case in A_SIXTH]
    elif what == "same":
        found["paths"] = [numbers(adversarial(*case)) for case in WITHOUT_TIES]
    else:
        watch_few()
        found["paths"] = [numbers(gaussian(*shape, screening=True)) for shape in FEW]
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    main(sys.argv[1])
