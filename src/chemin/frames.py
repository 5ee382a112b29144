"""How is a table handed out? As a DataFrame of the kind the user brought, else of the first library there is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from chemin.exceptions import MissingLibraryError

__all__ = ["as_frame", "kind_of"]

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


def as_frame(columns: Mapping[str, Any], kind: str | None = None, *, instead: str) -> Any:
    """Return columns as a DataFrame; ``instead`` tells where the same numbers are without one."""
    for library in dict.fromkeys([kind or _KINDS[0], *_KINDS]):
        try:
            return __import__(library).DataFrame(dict(columns))
        except ImportError:
            continue
    raise MissingLibraryError(
        f"a DataFrame needs pandas or polars: pip install pandas, or read {instead}"
    )
