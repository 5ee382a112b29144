"""One mix of kernels for all points, or a mix of its own for every point? The chequerboard among noise.

    python benchmarks/multiple_kernels.py [--seeds 5] [--rows 200,400,800]

Points of R⁴: a 4 × 4 chequerboard in two variables and two more of normal noise. One Gaussian kernel is offered on each
of the 6 pairs of variables; the first one is right.

    right kernel    SVC with the right kernel alone: what could be had by who knew it
    sum             SVC with the sum of the six
    mix             MultipleKernelSVC: one learned mix
    kernel basis    KernelBasisClassifierCV: any couples (point, kernel)

C of the first three is one of 0.1, 1, 10, 100, and l1 of the last one anything on its path, by the error of 5 folds.
Accuracies are those of 10 000 new points. "on the right kernel" is the share of the mix, or of Σ |coefficient|; terms
are couples with a coefficient: support vectors times kernels, for a mix. Seconds include the choice, on one thread.
Numbers are means over the seeds, with their standard deviation in brackets.
"""

from __future__ import annotations

import one_thread  # isort: skip  # noqa: F401  # before numpy is loaded

import argparse
import time
import warnings
from collections.abc import Callable
from functools import reduce
from operator import add
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.svm import SVC

from chemin import KernelBasisClassifierCV
from chemin.datasets import CHECKER_WIDTH, checker
from chemin.kernels import Gaussian, pairs_of
from chemin.models.svm import MultipleKernelSVC

PAIRS = pairs_of(4, Gaussian(CHECKER_WIDTH))
PRICES = {"C": [0.1, 1.0, 10.0, 100.0]}
NEW = 10_000
FIRST_NEW = 1000  # the seed of new points: no seed of training points is as large


def search(estimator: Any, seed: int) -> GridSearchCV:
    """Return an estimator whose C is chosen on 5 folds."""
    return GridSearchCV(estimator, PRICES, cv=StratifiedKFold(5, shuffle=True, random_state=seed))


def fit_right(X: Any, y: Any, seed: int) -> tuple[Any, float, int]:
    """Return the SVM of the right kernel, its share 1, and its terms."""
    model = search(SVC(kernel=PAIRS[0]), seed).fit(X, y)
    return model, 1.0, len(model.best_estimator_.support_)


def fit_sum(X: Any, y: Any, seed: int) -> tuple[Any, float, int]:
    """Return the SVM of the mean of all kernels, the share of the right one, and its terms."""
    model = search(SVC(kernel=(1.0 / len(PAIRS)) * reduce(add, PAIRS)), seed).fit(X, y)
    return model, 1.0 / len(PAIRS), len(PAIRS) * len(model.best_estimator_.support_)


def fit_mix(X: Any, y: Any, seed: int) -> tuple[Any, float, int]:
    """Return the SVM of the learned mix, the weight of the right kernel, and its terms."""
    model = search(MultipleKernelSVC(PAIRS), seed).fit(X, y)
    best = model.best_estimator_
    return model, float(best.weights_[0]), best.n_kernels_ * len(best.support_)


def fit_basis(X: Any, y: Any, seed: int) -> tuple[Any, float, int]:
    """Return the kernel basis, the share of couples on the right kernel, and their number."""
    model = KernelBasisClassifierCV(PAIRS, random_state=seed).fit(X, y)
    couples = model.couples_
    size = np.abs(couples["coefficient"])
    right = couples["kernel"] == PAIRS[0].name
    return model, float(size[right].sum() / size.sum()), len(couples)


MODELS: dict[str, Callable[[Any, Any, int], tuple[Any, float, int]]] = {
    "right kernel": fit_right,
    "sum": fit_sum,
    "mix": fit_mix,
    "kernel basis": fit_basis,
}


def measure(name: str, n: int, seed: int) -> tuple[float, float, float, float]:
    """Return the accuracy in per cent, the share in per cent, terms and seconds of one model."""
    X, y = checker(n, random_state=seed)
    began = time.perf_counter()
    model, share, terms = MODELS[name](X, y, seed)
    seconds = time.perf_counter() - began
    accuracy = model.score(*checker(NEW, random_state=FIRST_NEW + seed))
    return 100.0 * accuracy, 100.0 * share, terms, seconds


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--rows", default="200,400,800")
    asked = parser.parse_args()
    titles = ("accuracy, %", "on the right kernel, %", "terms", "seconds")
    print(f"{'rows':>5}  {'model':<13}" + "".join(f"{title:>24}" for title in titles))
    for n in map(int, asked.rows.split(",")):
        for name in MODELS:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)  # of prices that lose
                runs = np.array([measure(name, n, seed) for seed in range(asked.seeds)])
            told = zip(runs.mean(axis=0), runs.std(axis=0), (1, 1, 0, 2), strict=True)
            cells = [f"{mean:.{digits}f} ({spread:.{digits}f})" for mean, spread, digits in told]
            print(f"{n:>5}  {name:<13}" + "".join(f"{cell:>24}" for cell in cells), flush=True)


if __name__ == "__main__":
    main()
