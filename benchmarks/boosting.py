"""How do the boosted models kept here compare with scikit-learn's, of as many rounds?

    python benchmarks/boosting.py [--rounds 100] [--repeats 3]

Three tables of two classes: breast-cancer, two moons with noise, and ten normal variables whose squares sum to more
than their median or not (Hastie, Tibshirani and Friedman, example 10.2). Errors are those of 5 folds, drawn so many
times; every learner is a tree, of depth 1 for AdaBoost and LogitBoost, of depth 3 for gradients, with the rate 0.1.
Seconds are those of a fit on all rows, on one thread. Losses of the training rows are told before the first round and
after the last one; none rises in between, or it is said.
"""

from __future__ import annotations

import one_thread  # isort: skip  # noqa: F401  # before numpy is loaded

import argparse
import time
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer, make_hastie_10_2, make_moons
from sklearn.ensemble import AdaBoostClassifier, GradientBoostingClassifier
from sklearn.model_selection import RepeatedStratifiedKFold, cross_val_score
from sklearn.tree import DecisionTreeClassifier

from chemin.models.boosting import AdaBoost, FunctionalBoostingClassifier, LogitBoost

SETS = {
    "breast-cancer, 569 × 30": load_breast_cancer(return_X_y=True),
    "moons, 500 × 2": make_moons(500, noise=0.3, random_state=0),
    "squares of ten, 600 × 10": make_hastie_10_2(600, random_state=1),
}


def models(rounds: int) -> dict[str, Any]:
    """Return scikit-learn's models and ours."""
    stump = DecisionTreeClassifier(max_depth=1)
    return {
        "scikit-learn, AdaBoost": AdaBoostClassifier(stump, n_estimators=rounds, random_state=0),
        "AdaBoost": AdaBoost(n_estimators=rounds, random_state=0),
        "LogitBoost": LogitBoost(n_estimators=rounds, random_state=0),
        "scikit-learn, gradients": GradientBoostingClassifier(n_estimators=rounds, random_state=0),
        "FunctionalBoosting": FunctionalBoostingClassifier(n_estimators=rounds, random_state=0),
    }


def losses_of(fitted: Any) -> str:
    """Return the training loss before the first round and after the last one."""
    losses = getattr(getattr(fitted, "history_", None), "losses", None)
    if losses is None:
        return ""
    rises = int(np.sum(np.diff(losses) > 0.0))
    return f"{losses[0]:.3f} to {losses[-1]:.3f}" + f", rises {rises} times" * bool(rises)


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--repeats", type=int, default=3)
    asked = parser.parse_args()
    folds = RepeatedStratifiedKFold(n_splits=5, n_repeats=asked.repeats, random_state=0)
    print("| rows | model | error, % | seconds | training loss |\n|---|---|---|---|---|")
    for name, (X, y) in SETS.items():
        for kind, model in models(asked.rounds).items():
            errors = 100.0 * (1.0 - cross_val_score(model, X, y, cv=folds))
            began = time.perf_counter()
            fitted = model.fit(X, y)
            seconds = time.perf_counter() - began
            told = f"{errors.mean():.1f} ({errors.std(ddof=1):.1f}) | {seconds:.2f}"
            print(f"| {name} | {kind} | {told} | {losses_of(fitted)} |", flush=True)


if __name__ == "__main__":
    main()
