"""Where does a curve bend? By kneed, which is asked for when it is needed."""

from __future__ import annotations

from typing import Any

from chemin.exceptions import MissingLibraryError


def elbow_of(x: Any, y: Any, direction: str) -> int | None:
    """Return the abscissa at which a convex curve bends, None if it does not.

    Examples
    --------
    >>> elbow_of([1, 2, 3, 4, 5], [100.0, 20.0, 15.0, 12.0, 10.0], "decreasing")
    2
    """
    try:
        from kneed import KneeLocator
    except ImportError as error:
        raise MissingLibraryError(
            "where a curve bends is found by kneed: pip install 'chemin[explore]'"
        ) from error
    found = KneeLocator(x, y, curve="convex", direction=direction).knee
    return None if found is None else int(found)
