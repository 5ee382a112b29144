"""What is learned from the training rows, and how good is it on the test rows?"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.utils import _safe_indexing

from chemin.dictionaries.base import Indices
from chemin.evaluate import confusion, number_scores, scores
from chemin.exceptions import CheminError, InvalidInputError
from chemin.interpret import summary
from chemin.models import find
from chemin.study.document import CLASSES, ModelFacts, Recipe, ScoreFacts
from chemin.study.steps.coupled import couples_of
from chemin.study.steps.reading import Source
from chemin.tables import Prepare

MODELS: dict[str, dict[str, str]] = {  # name in a study → task → name in chemin.models
    "linear": {"classes": "drsvm", "numbers": "sparse-regressor"},
    "basis": {"classes": "kernel-basis", "numbers": "kernel-basis-regressor"},
}

_LARGEST_L2 = 1e6
_ALL_CENTERS = 1000  # rows up to which the kernels of a recipe are centred on all of them,
_CENTERS = 300  # beyond, on so many


def check_asked(source: Source, recipe: Recipe) -> None:
    """Raise if nothing can be learned from a source as a recipe asks, before any work is done."""
    if source.task == CLASSES and len(source.labels) < 2:
        raise InvalidInputError(
            f"every row has {source.labels[0]!r} as its {source.table.target!r}: pass rows of two classes or more"
        )
    if recipe.positive:
        _check_positive(recipe.positive, source)
    if recipe.l2 is not None and not 0.0 < recipe.l2 <= _LARGEST_L2:
        raise InvalidInputError(
            f"l2 is {recipe.l2:g}: pass a number above 0, up to {_LARGEST_L2:g}, such as 0.1"
        )
    if recipe.kernels and "basis" not in recipe.models:
        raise InvalidInputError(
            "kernels are of the model 'basis', which is not among the models: name it, or leave the kernels out"
        )
    if recipe.kernels:
        _kernels(source, recipe, _prepare(source).fit(source.X, source.y))


def learn(name: str, source: Source, train: Indices, recipe: Recipe, progress: bool) -> Pipeline:
    """Fit one of Chemin's models on the training rows, preparation included."""
    X, y = _safe_indexing(source.X, train), source.y[train]
    prepare = _prepare(source)
    estimator = _estimator(name, source, recipe, prepare.fit(X, y) if recipe.kernels else prepare)
    estimator.set_params(verbose=progress)
    model = make_pipeline(clone(prepare), estimator).fit(X, y)
    estimator.set_params(verbose=False)
    return model


def facts_of(
    name: str,
    model: Pipeline,
    file: str,
    source: Source,
    train: Indices,
    test: Indices,
    recipe: Recipe,
) -> ModelFacts:
    """Return what a fitted model is, and how good it is on the test rows."""
    found = summary(model)
    return ModelFacts(
        name=name,
        title=type(model[-1]).__name__,
        file=file,
        facts=tuple(found.facts()),
        positive=found.positive or "",
        machines=found.machines,
        terms=found.terms,
        length=found.n_terms,
        couples=couples_of(model, source, train),
        scores=_scores(model, source, test, recipe),
        confusion=_confusion(model, source, test),
        call=_call(model[-1], recipe),
    )


def _prepare(source: Source) -> Prepare:
    return Prepare(source.subject.types, scale="together" if source.table.image_shape else True)


def _estimator(name: str, source: Source, recipe: Recipe, prepare: Prepare) -> Any:
    """Return the estimator as the registry sets it, with what the recipe says."""
    made = find(MODELS[name][source.task]).build(
        len(source.y), len(source.subject.inputs), recipe.random_state
    )
    made.set_params(cv=recipe.folds)
    if recipe.l2 is not None:
        made.set_params(l2=recipe.l2)
    if recipe.positive:
        made.set_params(positive=recipe.positive)
    if name == "basis" and recipe.kernels:
        made.set_params(kernels=_kernels(source, recipe, prepare))
        if len(source.y) > _ALL_CENTERS:
            made.set_params(centers=_CENTERS)
    return made


def centers_of(rows: int, train: int) -> int:
    """Return on how many of the training rows the kernels of a recipe are centred, of so many rows in all."""
    return train if rows <= _ALL_CENTERS else min(_CENTERS, train)


def _kernels(source: Source, recipe: Recipe, prepare: Prepare) -> list[Any]:
    """Return the kernels of a recipe, on the columns that are made of the variables they name."""
    from chemin.kernels import parse_kernels

    columns: dict[str, list[str]] = {}
    for origin, made in zip(prepare.origins_, prepare.get_feature_names_out(), strict=True):
        columns.setdefault(origin.variable, []).append(str(made))
    shape = source.table.image_shape
    return [
        kernel
        for text in recipe.kernels
        for kernel in parse_kernels(text, columns=columns, image_shape=shape)
    ]


def _check_positive(positive: str, source: Source) -> None:
    labels = source.labels
    if len(labels) != 2 or positive not in labels:
        told = " or ".join(map(repr, labels)) if len(labels) == 2 else "nothing"
        raise InvalidInputError(
            f"positive is {positive!r}: pass {told}, as the target has {len(labels) or 'no'} classes"
        )


def _scores(
    model: Pipeline, source: Source, test: Indices, recipe: Recipe
) -> tuple[ScoreFacts, ...]:
    """Return the measures on the test rows; none where there are none, or they do not tell."""
    if not len(test):
        return ()
    X, y = _safe_indexing(source.X, test), source.y[test]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of categories that training rows have not: the rows judge
        predicted = np.asarray(model.predict(X))
        try:
            if source.task == CLASSES:
                found = scores(
                    y, predicted, decisions=model.decision_function(X), labels=source.labels,
                    positive=recipe.positive or None, random_state=recipe.random_state,
                )  # fmt: skip
            else:
                found = number_scores(y, predicted, random_state=recipe.random_state)
        except CheminError:  # such as test rows of one class
            return ()
    return tuple(
        ScoreFacts(name, one.value, _known(one.low), _known(one.high), one.method)
        for name, one in found.intervals.items()
        if np.isfinite(one.value)  # the precision of what is never predicted is not
    )


def _confusion(model: Pipeline, source: Source, test: Indices) -> tuple[tuple[int, ...], ...]:
    if source.task != CLASSES or not len(test):
        return ()
    predicted = model.predict(_safe_indexing(source.X, test))
    counts = confusion(source.y[test], predicted, source.labels).counts
    return tuple(tuple(row) for row in counts.tolist())


def _known(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None


def _call(estimator: Any, recipe: Recipe) -> str:
    """Return Python that makes the estimator."""
    told = {
        key: value
        for key, value in estimator.get_params(deep=False).items()
        if key not in ("verbose", "kernels")
    }
    plain = type(estimator)().get_params(deep=False)
    changed = [f"{key}={value!r}" for key, value in told.items() if repr(value) != repr(plain[key])]
    if recipe.kernels and "kernels" in plain:
        changed.insert(0, "kernels")
    return f"chemin.{type(estimator).__name__}({', '.join(changed)})"
