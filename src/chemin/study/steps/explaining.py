"""Why does a model decide so? A few test rows, sure and unsure, right and wrong, term by term."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline
from sklearn.utils import _safe_indexing

from chemin.dictionaries.base import Floats, Indices
from chemin.interpret import Explanation, explain
from chemin.study.document import CLASSES, CaseFacts, Recipe
from chemin.study.steps.reading import Source

_TERMS = 30  # of one case that are told; the others are added up


def explain_cases(
    name: str, model: Pipeline, source: Source, rows: Indices, recipe: Recipe
) -> tuple[CaseFacts, ...]:
    """Explain as many rows as a recipe asks for: mistakes, close decisions, sure ones."""
    if not len(rows) or not recipe.cases:
        return ()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of categories that training rows have not
        choose = _of_classes if source.task == CLASSES else _of_numbers
        chosen = choose(model, _safe_indexing(source.X, rows), source.y[rows], recipe.cases)
        names = source.row_names
        return tuple(
            case_of(name, model, source, int(rows[place]), names[rows[place]], why)
            for place, why in chosen.items()
        )


def case_of(
    name: str, model: Pipeline, source: Source, row: int, called: str, why: str
) -> CaseFacts:
    """Explain one row of a source."""
    X = _safe_indexing(source.X, [row])
    told = explain_row(model, X)
    predicted = model.predict(X)[0]
    truth = source.y[row]
    classes = source.task == CLASSES
    return CaseFacts(
        model=name,
        row=called,
        why=why,
        place=row,
        truth=str(truth) if classes else f"{truth:.4g}",
        predicted=str(predicted) if classes else f"{predicted:.4g}",
        right=bool(truth == predicted) if classes else None,
        **told_of(told),
    )


def told_of(explanation: Explanation) -> dict[str, Any]:
    """Return what an explanation holds, as facts."""
    _reference, *terms = explanation.lines(_TERMS)
    return {
        "sentence": explanation.sentence,
        "negative": explanation.sides.toward(-1.0),
        "positive": explanation.sides.toward(1.0),
        "base": float(explanation.base),
        "terms": tuple(terms),
    }


def explain_row(model: Pipeline, X: Any) -> Explanation:
    """Explain the decision about one row; of several classes, that between the two foremost."""
    last = model[-1]
    if len(getattr(last, "estimators_", [None])) == 1:
        return explain(model, X)[0]
    scores = np.atleast_2d(model.decision_function(X))[0]
    first, second = np.argsort(-scores, kind="stable")[:2]
    pair = (last.classes_[first], last.classes_[second])
    return explain(model, X, machine=pair)[0]


def _of_classes(model: Pipeline, X: Any, y: NDArray[Any], most: int) -> dict[int, str]:
    """Return which rows to explain, and why: mistakes and near decisions before sure ones."""
    lead, first = _lead(model, X)
    wrong = model.predict(X) != y
    mistakes = [(i, "the surest of the wrong ones") for i in np.argsort(-lead) if wrong[i]]
    near = [(i, "right, and the closest decision") for i in np.argsort(lead) if not wrong[i]]
    sure = []
    for label in np.unique(first):
        mine = [i for i in np.argsort(-lead) if first[i] == label and not wrong[i]]
        sure += [(i, f"the surest for {label}") for i in mine[:1]]
    share = max(most // 3, 1)
    return _first(most, mistakes[:share], near[:1], sure, mistakes[share:], near[1:])


def _lead(model: Pipeline, X: Any) -> tuple[Floats, NDArray[Any]]:
    """Return by how much the decision leads over the next one, and the class it is for."""
    decision = np.asarray(model.decision_function(X))
    predicted = np.asarray(model.predict(X))
    if decision.ndim == 1:
        return np.abs(decision), predicted
    ordered = np.sort(decision, axis=1)
    return ordered[:, -1] - ordered[:, -2], predicted


def _of_numbers(model: Pipeline, X: Any, y: Floats, most: int) -> dict[int, str]:
    error = np.asarray(model.predict(X)) - y
    order = np.argsort(error)
    high = [(i, "predicted too high, by most") for i in order[::-1] if error[i] > 0.0]
    low = [(i, "predicted too low, by most") for i in order if error[i] < 0.0]
    near = [(i, "the closest prediction") for i in np.argsort(np.abs(error))]
    return _first(most, high[:1], low[:1], near[:1], high[1:2], low[1:2], near[1:])


def _first(most: int, *groups: list[tuple[Any, str]]) -> dict[int, str]:
    """Return the first rows of some groups, each row once."""
    chosen: dict[int, str] = {}
    for place, why in _each(groups):
        if len(chosen) == most:
            break
        chosen.setdefault(int(place), why)
    return chosen


def _each(groups: tuple[list[tuple[Any, str]], ...]) -> Iterator[tuple[Any, str]]:
    for group in groups:
        yield from group
