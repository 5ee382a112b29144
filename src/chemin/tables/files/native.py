"""What is in a DataFrame? Its columns, whoever made it: pandas, polars, pyarrow, through narwhals."""

from __future__ import annotations

import io
from typing import Any

import narwhals
import numpy as np
from numpy.typing import NDArray

from chemin.exceptions import MissingLibraryError, TableError
from chemin.memory import GIB
from chemin.tables.cells.texts import as_objects, is_missing
from chemin.tables.files.grid import Grid, Wanted
from chemin.tables.files.source import Source
from chemin.tables.notes import Guess, brief
from chemin.validation import repeated_names

_SECONDS_A_DAY = 86_400.0


def is_frame(given: Any) -> bool:
    """Return whether something is a DataFrame, or a lazy one."""
    try:
        return hasattr(narwhals.from_native(given, pass_through=True), "collect_schema")
    except ValueError:  # names that repeat
        return True


def read_frame(native: Any, columns: list[str] | None = None) -> Grid:
    """Return the columns of a DataFrame; dates stay dates, categories categories."""
    frame: Any = _frame(native)
    if not len(frame) or not frame.columns:
        raise TableError(
            f"the DataFrame has shape {frame.shape}: check how its rows and columns were selected"
        )
    grid = Grid([], [])
    categorical = []
    for (name, kind), series in zip(frame.schema.items(), frame.iter_columns(), strict=True):
        called = str(name)
        if columns is not None and called not in columns:
            continue
        cells, note = _cells(series, kind, called)
        grid.names.append(called)
        grid.columns.append(cells)
        grid.guesses.extend(note)
        if isinstance(kind, narwhals.Enum):
            grid.levels[called] = tuple(str(level) for level in _levels(series, kind))
        elif isinstance(kind, narwhals.Categorical):
            categorical.append(called)
    return Grid(grid.names, grid.columns, frozenset(categorical), grid.levels, grid.guesses)


def _frame(native: Any) -> Any:
    try:
        frame = narwhals.from_native(native)
        if isinstance(frame, narwhals.LazyFrame):
            frame = frame.collect()
        names = [str(name) for name in frame.columns]
    except Exception as error:
        # narwhals and the libraries behind it each have their own errors, about repeated names above all.
        repeated = repeated_names(native)
        reason = (
            f"columns share a name: {', '.join(repeated[:3])}"
            if repeated
            else str(error).strip().splitlines()[0]
        )
        raise TableError(
            f"the DataFrame cannot be read ({reason}): give every column a name of its own"
        ) from error
    if len(set(names)) < len(names):
        raise TableError(
            f"columns share a name once they are texts: {', '.join(repeated_names(native)[:3])}: rename them"
        )
    return frame


def _cells(series: Any, kind: Any, name: str) -> tuple[NDArray[Any], list[Guess]]:
    """Return the cells of one column, and how they were changed if they were."""
    if kind.is_numeric() or kind == narwhals.Boolean or kind == narwhals.Unknown:
        cells = series.to_numpy()
        if cells.dtype.kind == "f" or cells.dtype.kind in "iub":
            return cells, []
        if cells.dtype.kind == "c":
            raise TableError(
                f"column {name!r} holds complex numbers: make two columns of it, real and imaginary"
            )
        return as_objects(series.to_list()), []
    if isinstance(kind, narwhals.Datetime | narwhals.Date):
        zone = getattr(kind, "time_zone", None)
        note = Guess(
            f"clock of {name!r}", f"that of {zone}", "a moment is told as on the spot", "types"
        )
        return _moments(series, zone), [note] if zone else []
    if isinstance(kind, narwhals.Duration):
        days = series.to_numpy().astype("m8[us]").astype(float) / (1e6 * _SECONDS_A_DAY)
        days[np.isnat(series.to_numpy())] = np.nan
        return days, [Guess(f"unit of {name!r}", "days", "durations become numbers", "types")]
    if isinstance(kind, narwhals.List | narwhals.Array | narwhals.Struct | narwhals.Binary):
        raise TableError(
            f"column {name!r} holds {kind}: turn it into columns of numbers or texts, or leave it out with columns="
        )
    return as_objects(series.to_list()), []


def _moments(series: Any, zone: str | None) -> NDArray[Any]:
    if zone is not None:
        series = series.dt.replace_time_zone(None)
    values = series.to_numpy()
    if values.dtype.kind == "M":
        return np.asarray(values.astype("M8[us]"))
    return np.array([None if is_missing(value) else value for value in values.tolist()], "M8[us]")


def read_array(given: Any) -> Grid:
    """Return the columns of an array, or of a list of rows, which are called x0, x1, …"""
    if np.ma.isMaskedArray(given) and np.ma.getmaskarray(given).any():
        raise TableError(
            "X is a masked array with hidden values: pass X.filled(np.nan), a float array with gaps"
        )
    values = np.asarray(given) if hasattr(given, "dtype") else _of_rows(given)
    if values.ndim != 2:
        reshape = "Reshape your data with X.reshape(-1, 1) if it is one column, X.reshape(1, -1) if it is one row"
        raise TableError(
            f"X is {values.ndim}-D, of shape {values.shape}. A table, one row per point, is needed: {reshape}"
        )
    for size, what in zip(values.shape, ("sample(s)", "feature(s)"), strict=True):
        if not size:
            raise TableError(
                f"X has 0 {what} (shape={values.shape}) while a minimum of 1 is required: check how it was selected"
            )
    if values.dtype.kind == "c":
        raise TableError("Complex data not supported: make two columns of each, real and imaginary")
    if values.dtype.kind in "US":
        values = values.astype(object)
    return Grid([f"x{j}" for j in range(values.shape[1])], list(values.T))


def _of_rows(given: Any) -> NDArray[Any]:
    """Return a list of rows as an array; rows that mix numbers and texts as objects."""
    try:
        values = np.asarray(given)
        return values if values.dtype.kind in "biufcM" else np.array(given, dtype=object)
    except ValueError as error:
        raise TableError(
            f"X cannot be read as a table ({error}): give all rows the same length"
        ) from error


def _levels(series: Any, kind: Any) -> list[Any]:
    return (
        list(kind.categories)
        if getattr(kind, "categories", None)
        else series.cat.get_categories().to_list()
    )


def read_parquet(source: Source, wanted: Wanted) -> Grid:
    """Return the columns of a Parquet file, by pyarrow or polars; only those asked for are read."""
    columns, memory = wanted.columns, wanted.memory
    try:
        import pyarrow.parquet
    except ImportError as error:
        return _by_polars(source, wanted, error)

    try:
        file = pyarrow.parquet.ParquetFile(io.BytesIO(source.bytes()))
        need = sum(
            file.metadata.row_group(k).total_byte_size for k in range(file.metadata.num_row_groups)
        )
        known = file.schema_arrow.names
        some = None if columns is None else [name for name in known if name in columns]
        share = 1.0 if some is None else len(some) / max(len(known), 1)
        if 2 * need * share > memory:
            raise TableError(
                f"{source.name} needs about {2 * need * share / GIB:.3g} GiB, and {memory / GIB:.3g} GiB are allowed: "
                "pass columns= for some of its columns, or a larger memory= (in GiB)"
            )
        held = file.read(columns=some)
    except (pyarrow.ArrowException, OSError, ValueError) as error:
        if isinstance(error, TableError):
            raise
        raise TableError(
            f"{source.name} is a damaged Parquet file ({brief(error)}): write it again"
        ) from error
    return read_frame(held.slice(0, wanted.rows), columns)


def _by_polars(source: Source, wanted: Wanted, error: ImportError) -> Grid:
    try:
        import polars
    except ImportError:
        raise MissingLibraryError(
            f"{source.name} is a Parquet file, and reading it needs pyarrow: pip install 'chemin[tables]'"
        ) from error
    try:
        frame = polars.read_parquet(source.bytes(), n_rows=wanted.rows)
    except Exception as failure:  # polars has an error class of its own for every cause
        raise TableError(
            f"{source.name} is a damaged Parquet file ({brief(failure)}): write it again"
        ) from failure
    return read_frame(frame, wanted.columns)
