"""How is a table handed out? As a DataFrame of the kind the user brought, else of the first library there is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chemin.exceptions import InvalidInputError, MissingLibraryError

__all__ = ["as_frame", "as_series", "kind_of", "library_for"]

_KINDS = ("pandas", "polars")


def kind_of(data: Any) -> str | None:
    """Return "pandas" or "polars" for a DataFrame of theirs, None for anything else.

    Examples
    --------
    >>> kind_of([[1.0]]) is None
    True
    """
    kind = type(data).__module__.split(".")[0]
    return kind if kind in _KINDS else None


def library_for(kind: str | None, *, instead: str) -> str:
    """Return the library of a DataFrame: the one asked for, else the first that is installed."""
    if kind is not None and kind not in _KINDS:
        raise InvalidInputError(f"the kind of DataFrame is {kind!r}: pass 'pandas' or 'polars'")
    for library in dict.fromkeys([kind or _KINDS[0], *_KINDS]):
        try:
            __import__(library)
        except ImportError:
            continue
        return library
    raise MissingLibraryError(
        f"a DataFrame needs pandas or polars: pip install pandas, or read {instead}"
    )


def as_frame(
    columns: Mapping[str, Any], kind: str | None = None, *, instead: str, index: Any = None
) -> Any:
    """Return columns as a DataFrame; ``instead`` tells where the same numbers are without one.

    ``index`` names the rows where the library can name them.
    """
    library = library_for(kind, instead=instead)
    named = {} if index is None or library != "pandas" else {"index": index}
    return __import__(library).DataFrame(dict(columns), **named)


def as_series(
    values: NDArray[Any], levels: Sequence[str] | None, ordered: bool, library: str
) -> Any:
    """Return one column of a DataFrame: numbers, dates, texts, or with ``levels`` categories."""
    if library == "pandas":
        pandas = __import__("pandas")
        if levels is not None:
            return pandas.Categorical(values, categories=list(levels), ordered=ordered)
        return values
    polars = __import__("polars")
    if levels is not None:
        return polars.Series(
            values.tolist(), dtype=polars.Enum(list(levels)) if ordered else polars.Categorical
        )
    if values.dtype == object:
        return polars.Series(values.tolist(), dtype=polars.String)
    return polars.Series(values, nan_to_null=np.issubdtype(values.dtype, np.floating))
