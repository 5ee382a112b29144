"""From which variables of the user do the columns of a model come? Transformers followed from the first to the last.

A pipeline is read as a model of its last step behind a transformer of the others. What a transformer makes of its
columns is known for those listed here; columns of any other keep their own names and are not taken apart.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.compose import ColumnTransformer
from sklearn.impute import KNNImputer, SimpleImputer
from sklearn.pipeline import FeatureUnion, Pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    KBinsDiscretizer,
    MaxAbsScaler,
    MinMaxScaler,
    OneHotEncoder,
    OrdinalEncoder,
    RobustScaler,
    SplineTransformer,
    StandardScaler,
)

from chemin.dictionaries.base import Floats
from chemin.exceptions import InvalidInputError
from chemin.frames import kind_of
from chemin.tables.cells.texts import as_text
from chemin.tables.files.native import is_frame, read_frame
from chemin.tables.prepare.blocks import OTHER
from chemin.tables.prepare.origins import Origin
from chemin.tables.prepare.transformer import Prepare

_AFFINE = (StandardScaler, MinMaxScaler, MaxAbsScaler, RobustScaler, SimpleImputer, KNNImputer)
_OF_ONE = (SplineTransformer, KBinsDiscretizer)  # each of their columns comes from one variable
_TEXT = "text"  # what a list of texts is called, which has no columns
# parts of dates, as skrub names their columns
_PARTS = ("year", "month", "day", "hour", "minute", "second", "weekday", "total_seconds")
_NAN = {"nan": None}  # what skrub calls a gap
_GAP = "missingindicator_"  # what scikit-learn puts before the name of a column of gaps

Origins = list[Origin]


class Piped:
    """The model at the end of a pipeline, seen from its beginning: it takes and speaks of the user's variables.

    Attributes
    ----------
    model : fitted estimator
        The last step.
    before : transformer
        The step before it, or a pipeline of several.
    origins : tuple of Origin
        Where each column that the model is given comes from.
    """

    takes_gaps = True

    def __init__(self, model: Any, before: Any) -> None:
        self.model = model
        self.before = before
        self.origins = tuple(_traced(before, model))

    def __getattr__(self, name: str) -> Any:
        if name == "model":  # not there yet, as while a copy is made
            raise AttributeError(name)
        return getattr(self.model, name)

    @property
    def n_features_in_(self) -> int:
        """How many columns the user's table has."""
        return int(getattr(self.before, "n_features_in_", 1))

    @property
    def feature_names_in_(self) -> NDArray[Any]:
        """What they are called."""
        if hasattr(self.before, "feature_names_in_"):
            return np.asarray(self.before.feature_names_in_)
        raise AttributeError("the table given to fit had no names")

    @property
    def _row_labels(self) -> NDArray[Any] | None:
        prepare = self.prepare
        if prepare is not None and prepare.row_labels_ is not None:
            return prepare.row_labels_
        labels: NDArray[Any] | None = self.model._row_labels
        return labels

    @property
    def prepare(self) -> Prepare | None:
        """The first step, if it is a `Prepare`."""
        first = _steps_of(self.before)[0][1]
        return first if isinstance(first, Prepare) else None

    @property
    def title(self) -> str:
        """What the pipeline is, in a few words."""
        names = [type(step).__name__ for _, step in _steps_of(self.before)]
        return " → ".join([*names, type(self.model).__name__])

    def preparation(self) -> list[tuple[str, str]]:
        """Return what becomes of the user's table, as names and sentences."""
        variables = len({origin.variable for origin in self.origins})
        lines = [("prepared", f"{variables} variables as {len(self.origins)} columns")]
        prepare = self.prepare
        if prepare is not None and prepare.left_out_:
            told = [f"{name} ({why})" for name, why in prepare.left_out_.items()]
            lines.append(("left out", ", ".join(told[:8]) + ", …" * (len(told) > 8)))
        return lines

    def transformed(self, X: Any) -> Any:
        """Return the user's table as the model is given it."""
        return self.before.transform(X)

    def decision_function(self, X: Any) -> Floats:
        """Return the decisions about rows of the user's table."""
        return np.asarray(self.model.decision_function(self.transformed(X)))

    def predict(self, X: Any) -> NDArray[Any]:
        """Return what is predicted for rows of the user's table."""
        return np.asarray(self.model.predict(self.transformed(X)))

    def reading(self, machine: Any = None) -> Any:
        """Return one machine, made readable in the user's variables."""
        return self.model.reading(machine, through=self)

    def told(self, X: Any) -> dict[str, list[Any]]:
        """Return the cells of the user's table as they are said, variable by variable."""
        if self.prepare is not None:
            return self.prepare.told(X)
        names, columns = _cells(X)
        return {
            name: [_said(cell) for cell in column.tolist()]
            for name, column in zip(names, columns, strict=True)
        }

    def labels_of(self, X: Any) -> NDArray[Any] | None:
        """Return what the rows of a table are called, None if they have no names."""
        if self.prepare is not None:
            return self.prepare.labels_of(X)
        return np.asarray(X.index) if kind_of(X) == "pandas" else None

    def _checked(self, X: Any) -> Any:
        return self.model._checked(self.transformed(X))


def opened(what: Any) -> Any:
    """Return a model of this library as it is, and a pipeline or a search around one as a `Piped`.

    Examples
    --------
    >>> opened(3)
    3
    """
    if hasattr(what, "best_estimator_"):
        return opened(what.best_estimator_)
    if not isinstance(what, Pipeline):
        return what
    if not what.steps or what.steps[-1][1] in (None, "passthrough"):
        raise InvalidInputError("the pipeline has no estimator at its end: add one of chemin")
    model = opened(what.steps[-1][1])
    if not hasattr(model, "_check_ready"):
        raise InvalidInputError(
            f"the pipeline ends in a {type(model).__name__}, which cannot be read: end it in an estimator of chemin, "
            "such as SparseSVCCV or KernelBasisClassifierCV"
        )
    model._check_ready()
    steps = [step for step in what.steps[:-1] if step[1] not in (None, "passthrough")]
    if not steps:
        return model
    if isinstance(model, Piped):
        inner = [(f"inner_{name}", step) for name, step in _steps_of(model.before)]
        return Piped(model.model, Pipeline([*steps, *inner]))
    return Piped(model, Pipeline(steps) if len(steps) > 1 else steps[0][1])


def _steps_of(before: Any) -> list[tuple[str, Any]]:
    """Return the transformers of a pipeline, or the one that stands alone, with their names."""
    return before.steps if isinstance(before, Pipeline) else [("alone", before)]


def _traced(before: Any, model: Any) -> Origins:
    """Return one origin per column of the model; its own names where the way could not be followed."""
    names = getattr(before, "feature_names_in_", None)
    if names is None:
        width = getattr(before, "n_features_in_", None)
        names = [_TEXT] if width is None else [f"x{j}" for j in range(width)]
    origins = follow(before, [Origin(str(name)) for name in names])
    if len(origins) == model.n_features_in_:
        return origins
    known = getattr(model, "feature_names_in_", [f"x{j}" for j in range(model.n_features_in_)])
    return [Origin(str(name), "", "mixed", scale=None) for name in known]


def follow(transformer: Any, inputs: Origins) -> Origins:
    """Return where the columns come from that a fitted transformer makes of columns whose origins are known."""
    if transformer is None or (isinstance(transformer, str) and transformer == "passthrough"):
        return inputs
    if isinstance(transformer, str):
        return []
    if isinstance(transformer, FunctionTransformer) and transformer.func is None:
        return inputs
    for kind, way in _WAYS:
        if isinstance(transformer, kind):
            return way(transformer, inputs)
    if hasattr(transformer, "get_support"):
        return [inputs[j] for j in transformer.get_support(indices=True)]
    if hasattr(transformer, "output_to_input_"):  # skrub
        return _by_table(transformer, inputs)
    if hasattr(transformer, "vocabulary_") and len(inputs) == 1:
        words = transformer.get_feature_names_out()
        return [Origin(inputs[0].variable, str(word), "word") for word in words]
    return _by_name(transformer, inputs)


def _through_steps(transformer: Any, inputs: Origins) -> Origins:
    for _, step in transformer.steps:
        inputs = follow(step, inputs)
    return inputs


def _through_union(transformer: Any, inputs: Origins) -> Origins:
    return [origin for _, part in transformer.transformer_list for origin in follow(part, inputs)]


def _through_columns(transformer: Any, inputs: Origins) -> Origins:
    """Return the columns of a ColumnTransformer, in the order in which it puts them out."""
    width = max((part.stop for part in transformer.output_indices_.values()), default=0)
    made: list[Origin | None] = [None] * width
    for name, part, columns in transformer.transformers_:
        places = _positions(columns, getattr(transformer, "feature_names_in_", None), len(inputs))
        found = follow(part, [inputs[j] for j in places])
        out = transformer.output_indices_[name]
        if len(found) == out.stop - out.start:
            made[out] = found
    names = [str(name) for name in _names_out(transformer, width)]
    return [
        Origin(name, "", "mixed", scale=None) if origin is None else origin
        for origin, name in zip(made, names, strict=True)
    ]


def _positions(columns: Any, names: Any, width: int) -> list[int]:
    """Return the positions of columns given by name, position, slice or mask."""
    if isinstance(columns, str | int | np.integer):
        columns = [columns]
    known = [] if names is None else [str(name) for name in names]
    if isinstance(columns, slice):
        ends = [
            known.index(end) if isinstance(end, str) else end
            for end in (columns.start, columns.stop)
        ]
        last = (
            ends[1] + 1 if isinstance(columns.stop, str) else ends[1]
        )  # names include the last one
        return list(range(width))[slice(ends[0], last, columns.step)]
    listed = np.asarray(columns)
    if listed.dtype == bool:
        return [int(j) for j in np.flatnonzero(listed)]
    return [
        known.index(item) if isinstance(item, str) else int(item) % width
        for item in listed.tolist()
    ]


def _of_prepare(transformer: Prepare, inputs: Origins) -> Origins:
    by_name = {
        field.name: origin for field, origin in zip(transformer.fields_, inputs, strict=True)
    }
    return [
        replace(origin, variable=by_name[origin.variable].variable)
        for origin in transformer.origins_
    ]


def _of_categories(transformer: OneHotEncoder, inputs: Origins) -> Origins:
    """Return one level per category; infrequent ones are one, dropped ones none."""
    made: Origins = []
    infrequent = getattr(transformer, "infrequent_categories_", [None] * len(inputs))
    dropped = transformer.drop_idx_
    for j, origin in enumerate(inputs):
        rare = [] if infrequent[j] is None else infrequent[j].tolist()
        left_out = None if dropped is None else dropped[j]
        for place, category in enumerate(transformer.categories_[j].tolist()):
            if place != left_out and category not in rare:
                made.append(_level(origin, category))
        if rare and (left_out is None or transformer.categories_[j][left_out] not in rare):
            made.append(_level(origin, OTHER))
    return made


def _level(origin: Origin, category: Any) -> Origin:
    text = as_text(category)
    if text is None:
        return Origin(origin.variable, "missing", "missing")
    return Origin(origin.variable, text, "level")


def _of_orders(transformer: OrdinalEncoder, inputs: Origins) -> Origins:
    levels = [
        tuple(str(as_text(word) or "missing") for word in some) for some in transformer.categories_
    ]
    return [
        Origin(origin.variable, levels=some) for origin, some in zip(inputs, levels, strict=True)
    ]


def _by_table(transformer: Any, inputs: Origins) -> Origins:
    """Return the columns of skrub's TableVectorizer, which knows which input each one comes from."""
    made = []
    for name in transformer.get_feature_names_out():
        source = str(transformer.output_to_input_[name])
        rest = str(name).removeprefix(f"{source}_")
        if rest in _PARTS:
            made.append(Origin(source, str(name), "mixed", scale=None))
        else:
            made.append(
                Origin(source) if name == source else _level(Origin(source), _NAN.get(rest, rest))
            )
    return made


def _by_name(transformer: Any, inputs: Origins) -> Origins:
    """Return columns that keep the name of an input as coming from it, others as they are called."""
    known = getattr(transformer, "feature_names_in_", None)
    names = (
        [f"x{j}" for j in range(len(inputs))] if known is None else [str(name) for name in known]
    )
    place = {name: j for j, name in enumerate(names)}
    out = [
        str(name)
        for name in _names_out(transformer, len(inputs), None if known is not None else names)
    ]
    kept = [place.get(name) for name in out]
    back = _affine(transformer, kept) if isinstance(transformer, _AFFINE) else None
    made = []
    for k, name in enumerate(out):
        gap = place.get(name.removeprefix(_GAP)) if name.startswith(_GAP) else None
        j = kept[k]
        if gap is not None:
            made.append(Origin(inputs[gap].variable, "missing", "missing"))
        elif j is None:
            made.append(_part(transformer, name, names, inputs))
        else:
            made.append(_moved(inputs[j], None if back is None else back[k]))
    return made


def _part(transformer: Any, name: str, names: list[str], inputs: Origins) -> Origin:
    """Return a column that is a part of one variable, where that can be told, else one of its own."""
    if len(inputs) == 1:
        return Origin(inputs[0].variable, name, "mixed", scale=None)
    if isinstance(transformer, _OF_ONE):
        sources = [j for j, source in enumerate(names) if name.startswith(f"{source}_")]
        if sources:
            longest = max(sources, key=lambda j: len(names[j]))
            return Origin(inputs[longest].variable, name, "mixed", scale=None)
    return Origin(name, "", "mixed", scale=None)


def _moved(origin: Origin, back: tuple[float, float] | None) -> Origin:
    """Return the origin of an input, for a column that is (input − center) / scale of it."""
    if back is None or origin.scale is None:
        return replace(origin, scale=None)
    center, scale = back
    return replace(origin, center=origin.center + origin.scale * center, scale=origin.scale * scale)


def _affine(transformer: Any, kept: Sequence[int | None]) -> list[tuple[float, float] | None]:
    """Return center and scale of every column that is (input − center) / scale, by three rows sent through."""
    if getattr(transformer, "clip", False):
        return [None] * len(kept)
    width = transformer.n_features_in_
    rows = np.repeat(np.arange(3.0)[:, None], width, axis=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the rows have no names
        values = np.asarray(transformer.transform(rows), dtype=float)
    step = values[1] - values[0]
    straight = np.isclose(values[2] - values[1], step) & (step != 0.0)
    return [
        (-float(values[0, k] / step[k]), float(1.0 / step[k]))
        if straight[k] and j is not None
        else None
        for k, j in enumerate(kept)
    ]


def _names_out(transformer: Any, width: int, names: list[str] | None = None) -> list[str]:
    try:
        found = (
            transformer.get_feature_names_out()
            if names is None
            else transformer.get_feature_names_out(names)
        )
        return [str(name) for name in found]
    except (AttributeError, ValueError, TypeError):
        return [f"{type(transformer).__name__.lower()}{j}" for j in range(width)]


_WAYS: tuple[tuple[Any, Callable[[Any, Origins], Origins]], ...] = (
    (Pipeline, _through_steps),
    (FeatureUnion, _through_union),
    (ColumnTransformer, _through_columns),
    (Prepare, _of_prepare),
    (OneHotEncoder, _of_categories),
    (OrdinalEncoder, _of_orders),
)


def _cells(X: Any) -> tuple[list[str], list[NDArray[Any]]]:
    if is_frame(X):
        grid = read_frame(X)
        return grid.names, grid.columns
    values = np.asarray(X.toarray() if hasattr(X, "toarray") else X)
    if values.ndim == 1:
        return [_TEXT], [values.astype(object)]
    return [f"x{j}" for j in range(values.shape[1])], list(values.T)


def _said(cell: Any) -> Any:
    """Return a cell as it is said: numbers as they are, gaps as "missing"."""
    text = as_text(cell)
    if text is None:
        return "missing"
    if isinstance(cell, int | float | np.number) and not isinstance(cell, bool | np.bool_):
        return float(cell)
    return text
