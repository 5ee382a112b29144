"""Which sparse classifier errs least on gene expressions, with how many genes, and how soon?

Everyone chooses its penalty by 5-fold cross-validation inside the training part, on the same folds, with
columns standardised on each training part, those of the inner folds too. Ours chooses among all l1; the
others among a grid that runs from the sparsest model to the least sparse, so that ties go to the sparser
one, as ours do.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.linear_model import SGDClassifier
from sklearn.model_selection import GridSearchCV, ParameterGrid, StratifiedKFold
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from tables_data import AbsentError, Table, load_genes, say

from chemin.estimators import SparseSVCCV

SETS = ("golub", "colon", "prostate")
FOLDS, VALUES = 5, 10
LOWEST = 0.2  # about a hundredth of the largest l1 of these data, and less
MIXING = [0.9, 0.5]  # shares of L1 in an elastic net
TINY = 1e-8  # a coefficient below this share of the largest is zero: not every solver ends on exact zeros
NOTE = (
    f"Error: mean ± standard deviation over repetitions of {FOLDS} stratified folds; golub: errors on its 34 test"
    f" samples after training on 38. The penalty is chosen by {FOLDS}-fold cross-validation inside the training part."
    " *First repetition*: its error alone, the one to compare where a method had time for little more."
    " *Seconds* of processor for one fit, choice included, on one thread. *Fits*: done within the time allowed."
    f" *Values*: penalties tried. Ours chooses among all l1 ≥ {LOWEST}. A gene counts where its coefficient"
    f" exceeds {TINY:g} times the largest."
)


@dataclass(frozen=True)
class Method:
    """A classifier to be made for given inner folds, and the number of penalties it tries."""

    name: str
    make: Callable[[Any], Any]
    values: int | str


@dataclass(frozen=True)
class Fit:
    """What one training part gave."""

    repetition: int
    wrong: int
    tested: int
    genes: int
    seconds: float


def ours(rule: str, l2: float) -> Method:
    """The exact choice among all l1."""

    def make(folds: StratifiedKFold) -> SparseSVCCV:
        return SparseSVCCV(l2=l2, cv=folds, rule=rule, standardize=True, min_l1=LOWEST)

    return Method(f"SparseSVCCV, {rule}, l2 = {l2:g}", make, "all")


def on_grid(name: str, model: Any, grid: dict[str, Any]) -> Method:
    """A peer whose penalty is chosen on a grid, columns standardised on each training part as ours are."""
    scaled = Pipeline([("scale", StandardScaler()), ("model", model)])
    named = {f"model__{key}": values for key, values in grid.items()}
    return Method(
        name, lambda folds: GridSearchCV(scaled, named, cv=folds), len(ParameterGrid(grid))
    )


def coefficients(model: Any) -> np.ndarray:
    """Those of the classifier itself."""
    return model.best_estimator_["model"].coef_ if isinstance(model, GridSearchCV) else model.coef_


def methods() -> list[Method]:
    """Ours, then the peers; ReHLine only where it is installed."""
    known = [ours(rule, l2) for l2 in (1.0, 0.0) for rule in ("best", "1se")]
    squared = LinearSVC(penalty="l1", dual=False, max_iter=5000, random_state=0)
    known.append(
        on_grid("LinearSVC, L1, squared hinge", squared, {"C": np.logspace(-2, 1, VALUES)})
    )
    stochastic = SGDClassifier(loss="hinge", penalty="elasticnet", random_state=0)
    grid = {"alpha": np.logspace(-0.5, -2.5, VALUES // 2), "l1_ratio": MIXING}
    known.append(on_grid("SGDClassifier, hinge, elastic net", stochastic, grid))
    try:
        from rehline import plq_ElasticNet_Classifier
    except ImportError:
        say("ReHLine is absent: pip install rehline")
        return known
    coordinate = plq_ElasticNet_Classifier(loss={"name": "svm"})
    grid = {"C": np.logspace(-2, 0, VALUES // 2), "l1_ratio": MIXING}
    return [*known, on_grid("ReHLine, hinge, elastic net", coordinate, grid)]


def splits(
    y: np.ndarray, is_test: np.ndarray | None, repeats: int
) -> Iterator[tuple[int, np.ndarray, np.ndarray]]:
    """The repetition, training rows and test rows of each split."""
    if is_test is not None:
        yield 0, np.flatnonzero(~is_test.astype(bool)), np.flatnonzero(is_test)
        return
    for repetition in range(repeats):
        folds = StratifiedKFold(FOLDS, shuffle=True, random_state=repetition)
        for train, test in folds.split(y, y):
            yield repetition, train, test


def fit_once(
    method: Method, X: np.ndarray, y: np.ndarray, split: tuple[int, np.ndarray, np.ndarray]
) -> Fit:
    """Standardise on the training part, choose, fit, and count the errors on the rest."""
    repetition, train, test = split
    scaler = StandardScaler().fit(X[train])
    seen, unseen = scaler.transform(X[train]), scaler.transform(X[test])
    model = method.make(StratifiedKFold(FOLDS, shuffle=True, random_state=repetition))
    start = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # peers stop early with their default settings
        model.fit(seen, y[train])
    seconds = time.process_time() - start
    size = np.abs(coefficients(model))
    wrong = int(np.sum(model.predict(unseen) != y[test]))
    return Fit(repetition, wrong, len(test), int(np.sum(size > TINY * size.max())), seconds)


def summarise(fits: list[Fit], whole: int, n: int) -> dict[str, Any]:
    """Error, genes and seconds; the error is that of whole repetitions where there is one."""
    done = [[fit for fit in fits if fit.repetition == r] for r in range(fits[-1].repetition + 1)]
    complete = [part for part in done if sum(fit.tested for fit in part) == n]
    errors = [
        sum(fit.wrong for fit in part) / sum(fit.tested for fit in part)
        for part in complete or done
    ]
    if whole == 1:
        error = f"{fits[0].wrong}/{fits[0].tested}"
    else:
        error = f"{np.mean(errors):.3f}" + (
            f" ± {np.std(errors, ddof=1):.3f}" if len(errors) > 1 else ""
        )
    first = f"{errors[0]:.3f}" if complete and whole > 1 else ""
    genes, seconds = (
        np.mean([getattr(fit, name) for fit in fits]) for name in ("genes", "seconds")
    )
    row = {
        "error": error,
        "first repetition": first,
        "genes": f"{genes:.1f}",
        "seconds": f"{seconds:.2f}",
    }
    return row | {"fits": f"{len(fits)} of {whole}"}


def compare(name: str, data: Path | None, repeats: int, budget: float) -> Iterator[dict[str, Any]]:
    """One row per method on one set of data."""
    X, y, is_test = load_genes(name, data)
    parts = list(splits(y, is_test, repeats))
    for method in methods():
        fits: list[Fit] = []
        for split in parts:
            if sum(fit.seconds for fit in fits) > budget:
                break
            fits.append(fit_once(method, X, y, split))
        row = {"data": f"{name} {X.shape[0]} × {X.shape[1]}", "method": method.name}
        row |= summarise(fits, len(parts), len(y)) | {"values": method.values}
        say(f"[{name}] {row}")
        yield row


def make_genes(data: Path | None, repeats: int, budget: float) -> Table:
    """The whole table."""
    rows: list[dict[str, Any]] = []
    for name in SETS:
        try:
            rows.extend(compare(name, data, repeats, budget))
        except AbsentError as reason:
            rows.append({"data": name, "method": f"absent: {reason}"})
    return Table("genes", NOTE, rows)
