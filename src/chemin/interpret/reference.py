"""Against what are terms measured? The mean of the training points, that of one class, or a given point."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from chemin.dictionaries.base import Floats
from chemin.exceptions import InvalidInputError
from chemin.frames import as_frame
from chemin.interpret.machines import Model
from chemin.interpret.reading import Reading
from chemin.tables.cells.texts import is_missing

_HOW = "pass 'mean', the label of a class, or one point"


@dataclass(frozen=True, eq=False)
class Reference:
    """What it is, in words, and the value there of each active column."""

    name: str
    columns: Floats


def reference_of(model: Model, reading: Reading, reference: Any) -> Reference:
    """Return the reference that is meant: "mean", the label of a class, or one point."""
    if isinstance(reference, str) and reference == "mean":
        return Reference("the mean of the training points", reading.mean)
    if np.ndim(reference) == 0 and not sparse.issparse(reference):
        return _class(model, reading, reference)
    point = model._checked(_row(model, reference))
    return Reference("the given point", reading.columns_at(point)[0])


def _class(model: Model, reading: Reading, label: Any) -> Reference:
    if not hasattr(model, "classes_"):
        raise InvalidInputError(
            f"reference is {label!r}, and the model predicts numbers: pass 'mean', or one point"
        )
    known = model.classes_.tolist()
    if label not in known:
        names = ", ".join(repr(name) for name in known)
        raise InvalidInputError(f"reference is {label!r}: {_HOW}; the classes are {names}")
    mean = reading.mean_of(label)
    if mean is None:
        own = ", ".join(repr(name) for name in [*reading.sides.negative, *reading.sides.positive])
        raise InvalidInputError(
            f"no point of class {label!r} trained the machine {reading.sides}: pass one of its classes, {own}"
        )
    return Reference(f"the mean of class {label}", mean)


def _row(model: Model, reference: Any) -> Any:
    """Return one point as a table of one row, of the kind that the model was given."""
    names = getattr(model, "feature_names_in_", None)
    if hasattr(reference, "columns") or sparse.issparse(reference):
        _check_single(reference.shape[0])
        _check_complete(model, reference)
        return reference
    if hasattr(reference, "index") and hasattr(reference, "to_frame"):  # a Series of pandas
        reference = _in_order(reference, names)
    elif np.ndim(reference) == 2:
        _check_single(len(reference))
        reference = reference[0]
    row = np.empty((1, len(reference)), dtype=object)
    row[0, :] = list(reference)
    if row.shape[1] != model.n_features_in_:
        raise InvalidInputError(
            f"reference has {row.shape[1]} values where the model has {model.n_features_in_} variables: pass one value "
            "for each"
        )
    _check_complete(model, row)
    if names is None:
        return row
    table = {str(name): [value] for name, value in zip(names, row[0], strict=True)}
    return as_frame(table, model._table_kind, instead="nothing: pass a DataFrame of one row")


def _in_order(series: Any, names: Any) -> Any:
    """Return the values of a Series, in the order of the model's variables where its index names them."""
    known = [] if names is None else [str(name) for name in names]
    if len(series) != len(known):
        return series.to_numpy()
    index = [str(name) for name in series.index]
    if sorted(index) != sorted(known):
        raise InvalidInputError(
            "the index of reference does not name the variables of the model: pass a row of such a table as was given "
            "to fit, X.iloc[0]"
        )
    return series.to_numpy()[[index.index(name) for name in known]]


def _check_single(rows: int) -> None:
    if rows != 1:
        raise InvalidInputError(
            f"reference has {rows} rows: pass one point, such as X.iloc[0] or X[0]"
        )


def _check_complete(model: Model, row: Any) -> None:
    if getattr(model, "takes_gaps", False):
        return
    values = row.data if sparse.issparse(row) else np.asarray(row, dtype=object).ravel()
    if any(is_missing(value) for value in values):
        raise InvalidInputError(
            "reference has missing values: fill them, or pass 'mean' for the mean of the training points"
        )
