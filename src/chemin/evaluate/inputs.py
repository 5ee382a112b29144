"""What may be judged? Labels, numbers and probabilities, one per row, complete, and of one length."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chemin.dictionaries.base import Floats, Indices
from chemin.exceptions import InvalidInputError

_SUM = 1e-4  # by which probabilities of a row may miss 1, as those of float32 do
_SHOWN = 6  # labels that a message names


def check_level(level: float) -> float:
    """Return a level of confidence, which is between 0 and 1."""
    if isinstance(level, bool) or not isinstance(level, int | float | np.number):
        raise InvalidInputError(f"level is {level!r}: pass a number between 0 and 1, such as 0.95")
    if not 0.0 < level < 1.0:
        raise InvalidInputError(f"level is {level!r}: pass a number between 0 and 1, such as 0.95")
    return float(level)


def check_whole(name: str, value: Any, least: int) -> int:
    """Return a whole number that is large enough."""
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not whole or value < least:
        raise InvalidInputError(f"{name} is {value!r}: pass a whole number, {least} or larger")
    return int(value)


def check_share(name: str, value: Any) -> float:
    """Return a share that is more than 0 and less than 1."""
    numeric = isinstance(value, int | float | np.number) and not isinstance(value, bool)
    if not numeric or not 0.0 < value < 1.0:
        raise InvalidInputError(f"{name} is {value!r}: pass a number between 0 and 1, such as 0.2")
    return float(value)


def as_values(name: str, values: Any) -> NDArray[Any]:
    """Return one value per row, none of them missing."""
    try:
        array = np.asarray(values)
    except ValueError:
        raise InvalidInputError(
            f"{name} has rows of several lengths: pass one value per row"
        ) from None
    if array.ndim != 1:
        raise InvalidInputError(
            f"{name} has shape {array.shape}: pass one value per row, an array of shape (n,)"
        )
    if array.size == 0:
        raise InvalidInputError(f"{name} is empty: pass at least one row")
    missing = _missing(array)
    if missing.any():
        raise InvalidInputError(
            f"{name} is missing in {int(missing.sum())} rows, first in row {int(np.argmax(missing))}: "
            "leave these rows out, or fill them"
        )
    return array


def as_numbers(name: str, values: Any) -> Floats:
    """Return one finite number per row."""
    array = _as_floats(name, values)
    if array.ndim != 1:
        raise InvalidInputError(
            f"{name} has shape {array.shape}: pass one number per row, an array of shape (n,)"
        )
    return _check_finite(name, array)


def as_table(name: str, values: Any) -> Floats:
    """Return one finite number per row, or several."""
    array = _as_floats(name, values)
    if array.ndim not in (1, 2):
        raise InvalidInputError(f"{name} has shape {array.shape}: pass one row per row of y")
    return _check_finite(name, array)


def check_lengths(**arrays: NDArray[Any]) -> int:
    """Return the number of rows, which is the same in all arrays."""
    lengths = {name: len(array) for name, array in arrays.items()}
    if len(set(lengths.values())) > 1:
        told = ", ".join(f"{name} has {length}" for name, length in lengths.items())
        raise InvalidInputError(f"the numbers of rows differ: {told}; pass the same rows in all")
    return next(iter(lengths.values()))


def find_labels(*arrays: NDArray[Any]) -> tuple[Any, ...]:
    """Return the different labels of some arrays, in order.

    Examples
    --------
    >>> find_labels(np.array(["b", "a"]), np.array(["b", "c"]))
    ('a', 'b', 'c')
    """
    found: set[Any] = set()
    for array in arrays:
        found.update(array.tolist())
    try:
        return tuple(sorted(found))
    except TypeError:
        raise InvalidInputError(
            f"the labels are of several kinds ({_shown(sorted(found, key=str))}): "
            "pass all of them as texts, or all as numbers"
        ) from None


def check_labels(labels: Sequence[Any] | NDArray[Any]) -> tuple[Any, ...]:
    """Return labels as a tuple, no two of which are the same."""
    made = tuple(np.asarray(labels).tolist()) if isinstance(labels, np.ndarray) else tuple(labels)
    if not made or len(set(made)) < len(made):
        raise InvalidInputError(f"labels is {_shown(made)}: pass every label, each of them once")
    return made


def encode(name: str, values: NDArray[Any], labels: Sequence[Any]) -> Indices:
    """Return the place of every value among the labels.

    Examples
    --------
    >>> encode("y", np.array(["b", "a", "b"]), ("a", "b")).tolist()
    [1, 0, 1]
    """
    places = {label: place for place, label in enumerate(labels)}
    try:
        return np.array([places[value] for value in values.tolist()], dtype=np.intp)
    except KeyError as error:
        raise InvalidInputError(
            f"{name} has the label {error.args[0]!r}, and the labels are {_shown(labels)}: "
            "pass labels= with all of them, or leave these rows out"
        ) from None


def as_positive(positive: Any, labels: Sequence[Any]) -> int:
    """Return the place of the positive one of two labels, the last one by default."""
    if len(labels) != 2:
        raise InvalidInputError(
            f"there are {len(labels)} labels ({_shown(labels)}), and this needs two: "
            "pass rows of two classes, or one class against the rest, y == label"
        )
    if positive is None:
        return 1
    if positive not in labels:
        raise InvalidInputError(f"positive is {positive!r}: pass one of {_shown(labels)}")
    return list(labels).index(positive)


def as_probabilities(values: Any, labels: Sequence[Any]) -> Floats:
    """Return a column per label, each row of which is a law; one column is that of the second of two labels."""
    made = as_columns("probabilities", values, labels)
    least, most = float(made.min()), float(made.max())
    if made.shape[1] == 1:
        made = np.column_stack([1.0 - made[:, 0], made[:, 0]])
    if least < 0.0 or most > 1.0:
        raise InvalidInputError(
            f"probabilities are between {least:.3g} and {most:.3g}: pass values of predict_proba, between 0 and 1, "
            "or others as decisions="
        )
    sums = made.sum(axis=1)
    worst = int(np.argmax(np.abs(sums - 1.0)))
    if abs(sums[worst] - 1.0) > _SUM:
        raise InvalidInputError(
            f"the probabilities of row {worst} sum to {sums[worst]:.4g}: pass those of all classes, divided by the sum"
        )
    return made


def as_columns(name: str, values: Any, labels: Sequence[Any]) -> Floats:
    """Return a column per label, or the one column that does for two labels."""
    table = as_table(name, values)
    made = table[:, None] if table.ndim == 1 else table
    expected = {len(labels), 1} if len(labels) == 2 else {len(labels)}
    if made.shape[1] not in expected:
        raise InvalidInputError(
            f"{name} has {made.shape[1]} columns, and the labels are {_shown(labels)}: "
            "pass a column per label, and their order as labels=model.classes_"
        )
    return made


def _shown(labels: Sequence[Any]) -> str:
    told = ", ".join(repr(label) for label in labels[:_SHOWN])
    return told + (f" and {len(labels) - _SHOWN} others" if len(labels) > _SHOWN else "")


def _missing(array: NDArray[Any]) -> NDArray[np.bool_]:
    if array.dtype.kind == "f":
        return np.isnan(array)
    if array.dtype.kind in "mM":
        return np.isnat(array)
    if array.dtype.kind != "O":
        return np.zeros(len(array), dtype=bool)
    return np.array([_is_missing(value) for value in array], dtype=bool)


def _is_missing(value: Any) -> bool:
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, float) and value != value


def _as_floats(name: str, values: Any) -> Floats:
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise InvalidInputError(f"{name} has cells that are not numbers: pass numbers") from None


def _check_finite(name: str, array: Floats) -> Floats:
    if array.size == 0:
        raise InvalidInputError(f"{name} is empty: pass at least one row")
    wrong = ~np.isfinite(array).reshape(len(array), -1).all(axis=1)
    if wrong.any():
        raise InvalidInputError(
            f"{name} has NaN or infinite values in {int(wrong.sum())} rows, first in row {int(np.argmax(wrong))}: "
            "leave these rows out, or replace them"
        )
    return array
