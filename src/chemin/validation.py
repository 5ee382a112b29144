"""Is this a problem that a path can be computed from? The only place raw X, y, DataFrames and weights are touched.

Whatever comes in (lists, arrays, SciPy sparse, DataFrames, Series), what goes out is float64: a dictionary of columns,
labels −1 and +1, weights ≥ 0. Every check is made before any work, and every message names the remedy.
"""

from __future__ import annotations

import math
import numbers
import unicodedata
import warnings
from collections import Counter
from dataclasses import replace
from typing import Any

import narwhals
import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from chemin.dictionaries import DenseDictionary, Dictionary, SparseDictionary
from chemin.dictionaries.base import Floats
from chemin.exceptions import InvalidInputError, NotNumbersError, SimilarLabelsWarning
from chemin.problems import PiecewisePenalty, Problem, as_loss, as_penalty

Names = NDArray[np.str_] | None

_RESHAPE = {
    0: "pass a 2-D array, a SciPy sparse matrix or a DataFrame (if it is lazy, collect it)",
    1: "Reshape your data with X.reshape(-1, 1) if it is one column, X.reshape(1, -1) if it is one point",
}
_ENCODE = (
    "encode categories, dates and numeric text, for example with make_pipeline(chemin.Prepare(), estimator), or drop "
    "these columns"
)
_IMPUTE = (
    "impute them, for example with make_pipeline(chemin.Prepare(), estimator) or sklearn.impute.SimpleImputer, or drop "
    "their rows or columns"
)
_SHOWN = 5  # most names listed in a message
_LONGEST = 30  # letters of a cell shown in a message
_LOOKED_AT = 100  # cells among which an example is sought
_MANY_CLASSES = 1000  # beyond which labels are not compared with one another
_LARGEST = 1e100  # squares and products of squares must stay in double precision
_MISSING = {
    "NoneType",
    "NAType",
    "NaTType",
}  # types of missing values; pandas' are known without importing it
_NOT_REAL = (
    str,
    bytes,
    complex,
    np.complexfloating,
    np.datetime64,
    np.timedelta64,
)  # float() takes some of them


def as_problem(
    X: Any,
    y: Any,
    l2: Any = 1.0,
    sample_weight: Any = None,
    l1_weight: Any = None,
    loss: Any = "hinge",
    penalty: Any = "l1",
) -> tuple[Problem, NDArray[Any]]:
    """Return the problem that raw data state, and its two classes: none for a numeric target.

    Examples
    --------
    >>> problem, classes = as_problem([[0.0], [1.0]], ["no", "yes"])
    >>> problem.label.tolist(), classes.tolist()
    ([-1.0, 1.0], ['no', 'yes'])
    """
    l2 = check_l2(l2)
    kind = as_loss(loss)
    dictionary = as_dictionary(X)
    n, p = dictionary.shape
    weight = as_weights(sample_weight, n, "sample_weight")
    if kind.takes_labels:
        label, classes = as_labels(y, n)
        _check_every_class_has_weight(weight, label, classes)
        table = kind.table(label, weight)
    else:
        label, classes = np.ones(n), np.empty(0)
        table = kind.table(as_target(y, n, kind.name), weight)
    weights = as_weights(l1_weight, p, "l1_weight")
    pieces = as_penalty(penalty).table(p)
    check_penalty(pieces, l2, weights)
    return Problem(dictionary, label, weight, weights, l2, table, pieces), classes


def check_penalty(penalty: PiecewisePenalty, l2: float, l1_weight: Floats) -> None:
    """Raise where a penalty has no exact path beside l2 and these weights, and say what has."""
    steepest = max(penalty.curve)
    if penalty.is_bent and not l2 > steepest:
        raise InvalidInputError(
            f"with l2 = {l2:g} the penalty is not convex, which an exact path needs: pass l2 above {steepest:.6g} "
            "(unit/gamma for MCP, unit/(a - 1) for SCAD), a larger gamma or a, or call chemin.stationary_path"
        )
    constrained = penalty.only_of(len(l1_weight)) != 0.0
    if np.any(constrained & (l1_weight == 0.0)):
        raise InvalidInputError(
            "a coefficient of one sign has l1_weight 0, and the path begins where l1 holds it at zero: give it a small "
            "weight, such as 1e-6, or sign 0"
        )


def as_target(y: Any, n: int, loss: str) -> Floats:
    """Return n finite numbers to be predicted.

    Examples
    --------
    >>> as_target([1, 2.5], 2, "absolute").tolist()
    [1.0, 2.5]
    """
    remedy = (
        f"pass one finite number per row of X for loss={loss!r}; for two classes pass loss='hinge', or "
        "use SparseSVC"
    )
    values = _real_numbers(y, n, "y", remedy)
    wrong = ~np.isfinite(values)
    if wrong.any():
        raise InvalidInputError(
            f"y holds {wrong.sum()} missing or infinite values, the first at row {wrong.argmax()}: {remedy}"
        )
    return values


def as_same_columns(X: Any, known: Dictionary) -> Dictionary:
    """Return X as a dictionary whose columns are those of one that is known."""
    columns = as_dictionary(X)
    if (
        columns.names is not None
        and known.names is not None
        and list(columns.names) != list(known.names)
    ):
        first = ", ".join(map(repr, known.names[:_SHOWN].tolist()))
        more = ", …" if len(known.names) > _SHOWN else ""
        raise InvalidInputError(
            f"the columns of X are not those that were learned on, in their order: select {first}{more}"
        )
    if columns.shape[1] != known.shape[1]:
        raise InvalidInputError(
            f"X has {columns.shape[1]} columns where {known.shape[1]} were learned on: "
            "pass the same variables, in order"
        )
    return columns


def as_dictionary(X: Any) -> Dictionary:
    """Return X as a dictionary: dense stays dense, sparse stays sparse, a DataFrame keeps its column names.

    A table has one row per point and one column per variable; a `Dictionary` is returned as it is.

    Examples
    --------
    >>> as_dictionary([[1, 2], [3, 4], [5, 6]]).shape
    (3, 2)
    """
    if isinstance(X, DenseDictionary | SparseDictionary):
        read = as_dictionary(X.data)
        return X if read.data is X.data else replace(read, names=X.names)  # type: ignore[attr-defined, type-var]
    if hasattr(X, "correlations") and isinstance(
        X, Dictionary
    ):  # isinstance alone would make a lazy frame compute
        _check_shape(X.shape)
        return X
    values, names = _read(X)
    _check_shape(values.shape)
    if sparse.issparse(values):
        columns = _canonical(values)
        entries = columns.tocoo()
        _check_finite(entries.data, (entries.row, entries.col), names)
        return SparseDictionary(columns, names)
    data = _floats(values, names)
    _check_finite(data, None, names, np.ma.isMaskedArray(X))
    return DenseDictionary(data, names)


def as_points(X: Any, at_least: int = 1) -> Any:
    """Return X as an estimator takes it: a float64 array, or a CSR array if it is sparse.

    Examples
    --------
    >>> as_points([[1, 2], [3, 4]]).dtype
    dtype('float64')
    """
    values, names = _read(X)
    _check_shape(values.shape, at_least)
    if sparse.issparse(values):
        _check_dtype(values.dtype)
        rows = sparse.csr_array(values).astype(np.float64, copy=False)
        entries = rows.tocoo()
        _check_finite(entries.data, (entries.row, entries.col), names)
        return rows
    data = _floats(values, names)
    _check_finite(data, None, names, np.ma.isMaskedArray(X))
    return data


def as_classes(y: Any, n: int) -> NDArray[Any]:
    """Return n labels in their own type: numbers, texts or booleans, none of them missing.

    Examples
    --------
    >>> as_classes(["spam", "ham"], 2).tolist()
    ['spam', 'ham']
    """
    return _classes_of(y, n)[0]


def as_labels(y: Any, n: int) -> tuple[Floats, NDArray[Any]]:
    """Return n labels −1 or +1, and the two classes of y (numbers, strings, booleans), sorted: the second one is +1.

    Examples
    --------
    >>> label, classes = as_labels(["spam", "ham", "spam"], 3)
    >>> label.tolist(), classes.tolist()
    ([1.0, -1.0, 1.0], ['ham', 'spam'])
    """
    _, classes, code = _classes_of(y, n)
    if classes.size == 1:
        raise InvalidInputError(
            f"y has one class only, {classes.tolist()[0]!r}: pass points of two classes"
        )
    if classes.size > 2:
        found = f"y has {classes.size} classes, {_some([repr(name) for name in classes.tolist()])}"
        remedy = "keep two of them, or fit every pair (for example with sklearn.multiclass.OneVsOneClassifier)"
        if classes.dtype.kind == "f":
            remedy = "for numbers pass loss='squared', or use SparseRegressor; for classes keep two of them"
        raise InvalidInputError(f"Only binary classification is supported. {found}: {remedy}")
    return np.where(code == 1, 1.0, -1.0), classes


def _classes_of(y: Any, n: int) -> tuple[NDArray[Any], NDArray[Any], NDArray[np.intp]]:
    """Return n labels, the different ones sorted, and the place of each among them."""
    values, missing = _read_labels(y)
    if values.ndim != 1:
        raise InvalidInputError(
            f"y has shape {values.shape}, but one label per row is needed: pass y.ravel(), or one column of a DataFrame"
        )
    if values.size != n:
        raise InvalidInputError(
            f"X has {n} rows and y has {values.size} labels: pass one label for every row of X"
        )
    if missing.any():
        found = f"{missing.sum()} missing or infinite labels (None, NaN, inf), the first at row {missing.argmax()}"
        raise InvalidInputError(f"y holds {found}: label these rows, or drop them from X and y")
    try:
        classes, code = np.unique(values, return_inverse=True)
    except TypeError as error:
        raise InvalidInputError(
            f"y mixes types ({error}): give all labels one type, for example with str"
        ) from error
    _hint_at_similar(classes)
    return values, classes, code


def _hint_at_similar(classes: NDArray[Any]) -> None:
    """Warn of labels that are most likely meant to be one."""
    if classes.dtype.kind not in "OTU" or classes.size > _MANY_CLASSES:
        return
    alike: dict[str, list[str]] = {}
    for label in map(str, classes.tolist()):
        alike.setdefault(simplified(label), []).append(label)
    pairs = [group for group in alike.values() if len(group) > 1]
    if pairs:
        said = "; ".join(" and ".join(map(repr, group)) for group in pairs[:_SHOWN])
        warnings.warn(
            f"y has labels that differ only in capitals, accents or spaces: {said}. If they mean one class, write them "
            "alike, for example with y.str.strip().str.lower()",
            SimilarLabelsWarning,
            stacklevel=2,
        )


def simplified(word: str) -> str:
    """Return a word without accents, capitals and needless spaces.

    Examples
    --------
    >>> simplified(" Très  élevé ")
    'tres eleve'
    """
    apart = unicodedata.normalize("NFKD", " ".join(word.split()).casefold())
    return "".join(letter for letter in apart if not unicodedata.combining(letter))


def as_weights(weight: Any, n: int, what: str) -> Floats:
    """Return n finite weights ≥ 0; ``None`` means that every weight is one. `what` names them in messages.

    Examples
    --------
    >>> as_weights(None, 3, "sample_weight").tolist()
    [1.0, 1.0, 1.0]
    """
    if weight is None:
        return np.ones(n)
    remedy = f"pass {n} finite numbers, none of them negative, or None to weight everything by one"
    values = _real_numbers(weight, n, what, remedy)
    wrong = ~(np.isfinite(values) & (values >= 0.0))
    if wrong.any():
        first = f"the first one {values[wrong][0]} at position {wrong.argmax()}"
        raise InvalidInputError(
            f"{what} holds {wrong.sum()} negative, NaN or infinite values, {first}: {remedy}"
        )
    return values


def _real_numbers(given: Any, n: int, what: str, remedy: str) -> Floats:
    """Return n real numbers as float64; `what` names them in messages."""
    try:
        values = _array(given)
        if values.dtype.kind not in "biufO":
            raise TypeError(values.dtype)
        if values.dtype == object:
            values = np.vectorize(_number, otypes=[float])(values)
        values = values.astype(np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise InvalidInputError(
            f"{what} holds values that are not real numbers ({error}): {remedy}"
        ) from error
    if values.shape != (n,):
        raise InvalidInputError(f"{what} has shape {values.shape} where ({n},) is needed: {remedy}")
    return values


def checked_norms(problem: Problem) -> tuple[Floats, Floats]:
    """Return the norms of rows and columns, refusing data whose squares leave the range of double precision.

    A row may be as small as it likes, such as that of a point far from all centres of narrow kernels: it counts as 0.
    """
    dictionary = problem.dictionary
    rows, columns = (
        np.ascontiguousarray(v, dtype=float)
        for v in (dictionary.row_norms(), dictionary.column_norms())
    )
    rows = np.where(rows > 1.0 / _LARGEST, rows, 0.0) if np.isfinite(rows).all() else rows
    sizes = [
        ("X", rows),
        ("X", columns),
        ("sample_weight", problem.weight),
        ("l1_weight", problem.l1_weight),
    ]
    for what, values in sizes:
        if values.max(initial=1.0) < _LARGEST and values.min(initial=1.0) > 1.0 / _LARGEST:
            continue
        positive = values[values != 0.0]
        if not np.all((positive < _LARGEST) & (positive > 1.0 / _LARGEST)):
            raise InvalidInputError(
                f"{what} has values beyond 1e±100, or not finite: divide by a common scale first"
            )
    return rows, columns


def check_progress(progress: Any, of: str = "(events, l1)") -> Any:
    """Return ``progress`` if it is a boolean or can be called."""
    if not isinstance(progress, bool | np.bool_) and not callable(progress):
        raise InvalidInputError(f"progress is {progress!r}: pass True, False or a function of {of}")
    return progress


def check_l2(l2: Any, what: str = "l2") -> float:
    """Return a ridge parameter, a finite number ≥ 0."""
    return _non_negative(
        l2, what, "pass 0.0 for no ridge penalty, or a positive number such as 1.0"
    )


def check_min_l1(min_l1: Any) -> float:
    """Return the l1 at which the path may stop, a finite number ≥ 0."""
    return _non_negative(
        min_l1, "min_l1", "pass 0.0 for the whole path, or the l1 at which to stop"
    )


def check_l1(l1: Any) -> float:
    """Return the L1 penalty of one solution, a finite number ≥ 0."""
    return _non_negative(l1, "l1", "pass 0.0 for none, or a share of where the first column enters")


def check_min_ratio(min_ratio: Any) -> float:
    """Return the share of the first l1 at which the path may stop, from 0 to 1."""
    return _non_negative(
        min_ratio, "min_ratio", "pass a share of the first l1, from 0.0 to 1.0", most=1.0
    )


def check_max_events(max_events: Any, what: str = "max_events") -> int | None:
    """Return the largest number of events, a positive integer, or ``None`` for no limit."""
    if max_events is None:
        return None
    if (
        isinstance(max_events, bool)
        or not isinstance(max_events, numbers.Integral)
        or max_events < 1
    ):
        raise InvalidInputError(
            f"{what} is {max_events!r}: pass a positive integer, or None for no limit"
        )
    return int(max_events)


def check_max_time(max_time: Any) -> float | None:
    """Return the seconds that may be spent, a positive number, or ``None`` for no limit."""
    if max_time is None:
        return None
    remedy = "pass the seconds that may be spent, or None for no limit"
    seconds = _non_negative(max_time, "max_time", remedy)
    if seconds == 0.0:
        raise InvalidInputError(f"max_time is {max_time!r}: {remedy}")
    return seconds


def _non_negative(value: Any, what: str, remedy: str, most: float = math.inf) -> float:
    try:
        number = (
            float(value)
            if isinstance(value, numbers.Real) and not isinstance(value, bool)
            else math.nan
        )
    except OverflowError:
        number = math.inf
    if not (math.isfinite(number) and 0.0 <= number <= most):
        needed = "a finite number >= 0" if most == math.inf else f"a number from 0 to {most:g}"
        raise InvalidInputError(f"{what} is {value!r}, but {needed} is needed: {remedy}")
    return number


def _check_every_class_has_weight(weight: Floats, label: Floats, classes: NDArray[Any]) -> None:
    for sign, name in zip((-1.0, 1.0), classes.tolist(), strict=True):
        if not weight[label == sign].any():
            remedy = "give at least one of its points a positive sample_weight, or pass None for equal weights"
            raise InvalidInputError(
                f"class {name!r} has no weight left, sample_weight is zero on it: {remedy}"
            )


def _check_shape(shape: tuple[int, ...], at_least: int = 1) -> None:
    if len(shape) != 2:
        remedy = _RESHAPE.get(
            len(shape), "give each point one row, for example with X.reshape(len(X), -1)"
        )
        raise InvalidInputError(
            f"X is {len(shape)}-D, of shape {shape}. A table of points is needed: {remedy}"
        )
    for size, what in zip(shape, ("sample(s)", "feature(s)"), strict=True):
        least = at_least if what == "sample(s)" else 1
        if size < least:
            few = f"{size} {what} (shape={shape}) while a minimum of {least} is required"
            raise InvalidInputError(f"X has {few}: check how its rows and columns were selected")


def _check_finite(
    values: Floats,
    coords: tuple[NDArray[Any], NDArray[Any]] | None,
    names: Names,
    masked: bool = False,
) -> None:
    finite = np.isfinite(values)
    if finite.all():
        return
    rows, columns = (
        np.nonzero(~finite) if coords is None else (coords[0][~finite], coords[1][~finite])
    )
    first = np.lexsort((columns, rows))[0]
    column, n_nan = _column(names, columns[first]), np.isnan(values).sum()
    hidden = ", or hidden by a mask" if masked else ""
    counts = f"{n_nan} NaN (missing{hidden}) and {rows.size - n_nan} infinite (inf) values"
    raise InvalidInputError(
        f"X holds {counts}, the first at row {rows[first]}, column {column}: {_IMPUTE}"
    )


def _check_columns(refused: dict[str, str]) -> None:
    if refused:
        listed = _some([f"{name} ({kind})" for name, kind in refused.items()])
        raise NotNumbersError(
            f"X has {len(refused)} column(s) that are not numbers, {listed}: {_ENCODE}"
        )


def _check_dtype(dtype: Any) -> None:
    if dtype.kind == "c":
        raise InvalidInputError(
            f"Complex data not supported: X is {dtype}; pass X.real, and X.imag as more columns"
        )
    if dtype.kind not in "biuf":
        raise NotNumbersError(f"X is not numbers but {dtype}: {_ENCODE}")


def _column(names: Names, j: int) -> str:
    return str(j) if names is None else repr(str(names[j]))


def _some(texts: list[str]) -> str:
    return ", ".join(texts[:_SHOWN]) + ", ..." * (len(texts) > _SHOWN)


def _read(X: Any) -> tuple[Any, Names]:
    """Return X as an array or a sparse array, not converted yet, and its column names."""
    if sparse.issparse(X) or type(X) is np.ndarray:
        return X, None
    try:
        frame = narwhals.from_native(X, eager_only=True, pass_through=True)
        is_frame = hasattr(frame, "to_numpy") and hasattr(frame, "columns")
        values = None if is_frame else _array(X)
    except (TypeError, ValueError) as error:
        repeated = repeated_names(X)
        if repeated:
            raise InvalidInputError(
                f"X has columns of the same name, {_some(repeated)}: give every column a name of its own"
            ) from error
        remedy = "give all rows the same length, all columns different names, and bring X into main memory"
        raise InvalidInputError(f"X cannot be read as a table ({error}): {remedy}") from error
    return _read_frame(frame, X) if is_frame else (values, None)


def repeated_names(native: Any) -> list[str]:
    """Return the names that several columns of a DataFrame share, in quotes."""
    names = [str(name) for name in getattr(native, "columns", ())]
    return [repr(name) for name, count in Counter(names).items() if count > 1]


def _read_frame(frame: Any, native: Any) -> tuple[Any, Names]:
    names = np.array([str(name) for name in frame.columns], dtype=np.str_)
    kinds = list(getattr(native, "dtypes", ()))
    if kinds and all(
        getattr(kind, "fill_value", None) == 0 for kind in kinds
    ):  # pandas' Sparse, in all columns
        return native.sparse.to_coo(), names
    read_as_is = {"Boolean", "Object", "Unknown"}
    _check_columns(
        {
            repr(str(name)): f"{_kind_name(kind)}{_first_cell(frame[name])}"
            for name, kind in getattr(frame, "schema", {}).items()
            if not (kind.is_numeric() or str(kind) in read_as_is)
        }
    )
    values = frame.to_numpy()
    if values.dtype == object and hasattr(
        frame, "iter_columns"
    ):  # pandas boxes booleans beside floats
        values = np.column_stack([column.to_numpy() for column in frame.iter_columns()])
    return values, names


def _kind_name(kind: Any) -> str:
    """Return the type of a column without its details: "Datetime", not its unit and zone."""
    return str(kind).partition("(")[0]


def _first_cell(series: Any) -> str:
    """Return an example of what a column holds, and where; nothing if it is empty."""
    for row, value in enumerate(series.head(_LOOKED_AT).to_list()):
        if value is not None and value == value:
            text = str(value)
            shown = text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
            return f", {shown!r} at row {row}"
    return ""


def _canonical(values: Any) -> Any:
    """Return CSC float64 with sorted, unique indices; the array passed in is never written to."""
    _check_dtype(values.dtype)
    columns = sparse.csc_array(values)
    if not columns.has_canonical_format:
        columns = columns.copy()
        columns.sum_duplicates()
    return columns.astype(np.float64, copy=False)


def _floats(values: NDArray[Any], names: Names) -> Floats:
    if values.dtype.kind != "O":
        _check_dtype(values.dtype)
        with np.errstate(
            over="ignore"
        ):  # what float64 cannot hold becomes infinite, and is refused as such
            return np.ascontiguousarray(values, dtype=np.float64)
    data, refused = np.empty(values.shape), {}
    for j, column in enumerate(values.T):
        for row, value in enumerate(column):
            try:
                data[row, j] = _number(value)
            except (TypeError, ValueError, OverflowError) as error:
                refused[_column(names, j)] = f"{error}, {str(value)[:_LONGEST]!r} at row {row}"
                break
    _check_columns(refused)
    return data


def _number(value: Any) -> float:
    if isinstance(value, _NOT_REAL):
        raise TypeError(type(value).__name__)
    return math.nan if type(value).__name__ in _MISSING else float(value)


def _array(values: Any) -> NDArray[Any]:
    """Return an array, with NaN where a masked array hides its values."""
    return (
        np.ma.filled(values.astype(object), np.nan)
        if np.ma.isMaskedArray(values)
        else np.asarray(values)
    )


def _read_labels(y: Any) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """Return labels in their own type, and which of them are missing."""
    # A list is read as objects first: NumPy would turn ["a", nan] into the texts "a" and "nan".
    values = _array(y if hasattr(y, "dtype") else np.asarray(y, dtype=object))
    if values.dtype.kind not in "OTUS":
        return values, ~np.isfinite(values)
    labels = values.astype(object).ravel().tolist()
    real = float | np.floating
    missing = [
        type(v).__name__ in _MISSING or (isinstance(v, real) and not math.isfinite(v))
        for v in labels
    ]
    of_one_type = any(
        all(isinstance(v, kind) for v in labels) for kind in (str, numbers.Number | np.bool_)
    )
    return (np.array(labels).reshape(values.shape) if of_one_type else values), np.array(missing)
