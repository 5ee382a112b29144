"""Which scheme for many classes: how right, how many machines, how many asked, how long?

The same machine, `SparseSVCCV`, inside the four schemes. Iris and wine: 5 stratified folds. Digits: a
third is held out.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from sklearn.datasets import load_digits, load_iris, load_wine
from sklearn.model_selection import StratifiedKFold, train_test_split
from tables_data import Table, say

from chemin.estimators import SparseSVCCV
from chemin.multiclass import ECOC, ClassTree

SETS = {"iris": load_iris, "wine": load_wine, "digits": load_digits}
SCHEMES: dict[str, Callable[[], Any]] = {
    "one against one": lambda: "ovo",
    "one against the rest": lambda: "ovr",
    "ECOC, dense": lambda: ECOC(code="dense", random_state=0),
    "tree, prototypes": lambda: ClassTree(tree="prototypes"),
    "tree, greedy": lambda: ClassTree(tree="greedy", random_state=0),
}
NOTE = (
    "`SparseSVCCV(l2=1, standardize=True)` with the scheme given as `multiclass`. Accuracy: 5 stratified folds, mean ±"
    " standard deviation; digits: a held-out third. *Asked*: machines that a prediction needs, for a tree the mean over"
    " the test points. *Seconds* of processor: one fit, and the prediction of the test points, on one thread."
    " The dense code has ⌈10 log₂ K⌉ columns, or all 2^(K−1) − 1 if fewer. *Variables*: used by at least one machine."
)


def parts(name: str, y: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
    """Training and test rows."""
    if name == "digits":
        train, test = train_test_split(
            np.arange(len(y)), test_size=1 / 3, random_state=0, stratify=y
        )
        return [(train, test)]
    return list(StratifiedKFold(5, shuffle=True, random_state=0).split(y, y))


def asked(model: SparseSVCCV, X: np.ndarray) -> float:
    """The machines that a prediction needs."""
    scheme = model.scheme_
    return scheme.mean_depth(X) if isinstance(scheme, ClassTree) else float(scheme.n_machines_)


def measure(
    scheme: Any, X: np.ndarray, y: np.ndarray, train: np.ndarray, test: np.ndarray
) -> dict[str, float]:
    """Fit on one part, look at the other."""
    model = SparseSVCCV(l2=1.0, standardize=True, random_state=0, multiclass=scheme)
    start = time.process_time()
    model.fit(X[train], y[train])
    fitted = time.process_time()
    accuracy = model.score(X[test], y[test])
    seconds = {"fit": fitted - start, "predict": time.process_time() - fitted}
    counts = {"machines": float(model.scheme_.n_machines_), "asked": asked(model, X[test])}
    return {"accuracy": accuracy} | counts | {"variables": float(len(model.support_))} | seconds


def compare(name: str) -> Iterator[dict[str, Any]]:
    """One row per scheme on one set of data."""
    X, y = SETS[name](return_X_y=True)
    for title, scheme in SCHEMES.items():
        seen = [measure(scheme(), X, y, train, test) for train, test in parts(name, y)]
        mean = {key: np.mean([one[key] for one in seen]) for key in seen[0]}
        spread = (
            f" ± {np.std([one['accuracy'] for one in seen], ddof=1):.3f}" if len(seen) > 1 else ""
        )
        row = {
            "data": f"{name} {X.shape[0]} × {X.shape[1]}, {len(np.unique(y))} classes",
            "scheme": title,
            "accuracy": f"{mean['accuracy']:.3f}{spread}",
            "machines": f"{mean['machines']:.0f}",
            "asked": f"{mean['asked']:.2f}",
            "variables": f"{mean['variables']:.1f}",
            "fit seconds": f"{mean['fit']:.2f}",
            "predict seconds": f"{mean['predict']:.4f}",
        }
        say(f"[{name}] {row}")
        yield row


def make_schemes() -> Table:
    """The whole table."""
    return Table("schemes", NOTE, [row for name in SETS for row in compare(name)])
