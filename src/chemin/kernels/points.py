"""What may a point be? Reading X for a kernel: tables of numbers, DataFrames, sparse matrices, lists of anything.

A kernel reads only what it needs, and as late as possible: a restriction takes its columns of a table before these are
read as numbers, so that a table may mix numbers and text as long as each kernel meets its own columns.
"""

from __future__ import annotations

from typing import Any

import narwhals
import numpy as np
from scipy import sparse

from chemin.dictionaries.base import Floats, Indices
from chemin.exceptions import InvalidInputError
from chemin.kernels.parameters import listed


def count(X: Any) -> int:
    """Return the number of points of X.

    Examples
    --------
    >>> count(np.zeros((3, 2))), count(["a", "b"])
    (3, 2)
    """
    return int(X.shape[0]) if hasattr(X, "shape") else len(X)


def as_table(X: Any) -> Any:
    """Return X as something with rows and columns: a narwhals frame, a sparse matrix or a 2-D array.

    Examples
    --------
    >>> as_table([[1, 2], [3, 4]]).shape
    (2, 2)
    """
    table: Any = X.tocsr() if sparse.issparse(X) else X
    if not (isinstance(X, np.ndarray) or sparse.issparse(X)):
        try:
            table = narwhals.from_native(X, eager_only=True, pass_through=True)
            table = table if is_frame(table) else np.asarray(X)
        except (TypeError, ValueError) as error:
            remedy = "give all rows the same length and all columns different names"
            raise InvalidInputError(f"X cannot be read as a table ({error}): {remedy}") from error
    if len(table.shape) != 2:
        remedy = "pass one row per point: X.reshape(-1, 1) if it is one column, X.reshape(len(X), -1) if it is images"
        raise InvalidInputError(
            f"X is {len(table.shape)}-D, of shape {table.shape}, but a table is needed: {remedy}"
        )
    return table


def is_frame(table: Any) -> bool:
    """Return whether a table is a frame, whose columns have names."""
    return isinstance(table, narwhals.DataFrame)


def names_of(table: Any) -> list[str] | None:
    """Return the column names of a table as texts, or None if it has none."""
    return [str(name) for name in table.columns] if is_frame(table) else None


def take(table: Any, positions: Indices) -> Any:
    """Return the columns of a table at these positions, as a table of the same kind."""
    if is_frame(table):
        return table[:, positions.tolist()]
    return table[:, positions] if sparse.issparse(table) else table.take(positions, axis=1)


def as_values(X: Any) -> Any:
    """Return a frame as an array, a sparse matrix by rows, and anything else as it is."""
    if isinstance(X, np.ndarray):
        return X
    frame: Any = (
        X.tocsr()
        if sparse.issparse(X)
        else narwhals.from_native(X, eager_only=True, pass_through=True)
    )
    return frame.to_numpy() if is_frame(frame) else frame


def as_numbers(X: Any) -> Any:
    """Return X as finite float64 numbers, a 2-D array or a CSR array.

    Examples
    --------
    >>> as_numbers([[1, 2], [3, 4]]).dtype
    dtype('float64')
    """
    table = as_table(X)
    if is_frame(table):
        _check_kinds(table)
        table = table.to_numpy()
    if table.dtype.kind not in "biufO":
        raise InvalidInputError(
            f"X is not numbers but {table.dtype}: encode it, or restrict the kernel with .on(columns)"
        )
    try:
        data = (
            sparse.csr_array(table, dtype=np.float64) if sparse.issparse(table) else _floats(table)
        )
    except (TypeError, ValueError) as error:
        remedy = "encode or impute these columns, or leave them out with .on(columns)"
        raise InvalidInputError(
            f"X holds entries that are not numbers ({error}): {remedy}"
        ) from error
    if not np.isfinite(data.data if sparse.issparse(data) else data).all():
        raise InvalidInputError(
            "X holds NaN or infinite entries: impute them, or leave their columns out with .on(columns)"
        )
    return data


def as_pair(X: Any, Z: Any) -> tuple[Any, Any]:
    """Return X and Z as numbers over the same columns, both dense or both sparse."""
    left, right = as_table(X), as_table(Z)
    check_alike(left, right)
    left, right = as_numbers(left), right if right is left else as_numbers(right)
    if sparse.issparse(left) != sparse.issparse(right):
        return sparse.csr_array(left), sparse.csr_array(right)
    return left, right


def check_alike(left: Any, right: Any) -> None:
    """Raise unless two tables have the same columns."""
    if left.shape[1] != right.shape[1]:
        raise InvalidInputError(
            f"X has {left.shape[1]} columns and Z has {right.shape[1]}: pass points described by the same variables"
        )
    ours, theirs = names_of(left), names_of(right)
    if ours is not None and theirs is not None and ours != theirs:
        raise InvalidInputError(
            f"the columns of X, {listed(ours)}, are not those of Z, {listed(theirs)}: select them in the same order"
        )


def _floats(table: Any) -> Floats:
    return np.asarray(table, dtype=np.float64)


def _check_kinds(frame: Any) -> None:
    as_number = {"Boolean", "Object", "Unknown"}
    refused = [
        str(name)
        for name, kind in frame.schema.items()
        if not (kind.is_numeric() or str(kind) in as_number)
    ]
    if refused:
        raise InvalidInputError(
            f"columns {listed(refused)} are not numbers: encode them, or leave them out with .on(columns)"
        )
