"""What stands in the cells of a column? Each different text once, and which cells are missing."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from types import NoneType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chemin.dictionaries.base import Floats, Indices

EXACT = 2**53  # whole numbers beyond are not exact as floats
MISSING_CODES = (
    "", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "-nan", "NaT", "NULL", "null", "None", "?",
    "#NULL!", "#DIV/0!", "#VALUE!", "#VALEUR!", "#REF!", "#NUM!", "#NOM?", "#NAME?",
)  # fmt: skip
# Missing only where all other cells are numbers or dates: in a column of words they may be words.
CODES_AMONG_NUMBERS = (
    "-", "--", "---", ".", "..", "...", "*", "na", "n.a.", "nd", "n.d.", "nr", "nc", "none", "nul", "null",
    "nan", "unknown", "inconnu", "inconnue", "missing", "manquant", "manquante", "non renseigné", "non disponible",
    "not available",
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class Texts:
    """The different texts of a column, and the place of each cell's among them; −1 is missing.

    Attributes
    ----------
    unique : list of str
        In the order of their first cells.
    place : ndarray of shape (n,)
        Position in ``unique``.
    codes : dict
        The missing codes met, and how often.

    Examples
    --------
    >>> texts = as_texts(["F", "H ", None, "F", "NA"], MISSING_CODES)
    >>> texts.unique, texts.place.tolist(), texts.codes
    (['F', 'H'], [0, 1, -1, 0, -1], {'NA': 1})
    """

    unique: list[str]
    place: Indices
    codes: dict[str, int]

    @property
    def counts(self) -> Indices:
        """How many cells have each text."""
        return np.bincount(self.place[self.place >= 0], minlength=len(self.unique))

    def without(self, codes: Iterable[str]) -> Texts:
        """Return the same with further codes read as missing, whatever their case."""
        wanted = {code.casefold() for code in codes}
        gone = [k for k, text in enumerate(self.unique) if text.casefold() in wanted]
        if not gone:
            return self
        counts = self.counts
        kept = [k for k in range(len(self.unique)) if k not in set(gone)]
        new = np.full(len(self.unique) + 1, -1)
        new[kept] = np.arange(len(kept))
        met = self.codes | {self.unique[k]: int(counts[k]) for k in gone}
        return Texts([self.unique[k] for k in kept], new[self.place], met)

    def spread(
        self, values: Sequence[Any] | NDArray[Any], missing: Any, dtype: Any
    ) -> NDArray[Any]:
        """Return one value per cell, given one per different text."""
        table = np.empty(len(self.unique) + 1, dtype=dtype)
        table[:-1] = values
        table[-1] = missing
        return table[self.place]


def as_texts(cells: Iterable[Any], missing: Iterable[str]) -> Texts:
    """Return cells of any kind as texts, without the spaces around them."""
    cells = list(cells)
    codes = frozenset(missing) | {""}
    kinds = set(map(type, cells))
    if not all(issubclass(kind, Hashable) for kind in kinds):  # lists, dicts: by what they print
        cells = [cell if isinstance(cell, Hashable) else str(cell) for cell in cells]
        kinds = set(map(type, cells))
    # 1, 1.0 and True are equal, and not the same cell: only texts are told apart by their values alone.
    keys = cells if kinds <= {str, NoneType} else [(type(cell), cell) for cell in cells]
    first = dict(zip(keys, cells, strict=True))
    number = {key: k for k, key in enumerate(first)}
    which = np.fromiter(map(number.__getitem__, keys), np.intp, len(keys))
    counts = np.bincount(which, minlength=len(first))
    places: dict[str, int] = {}  # text → place
    met: dict[str, int] = {}
    found = np.empty(len(first), dtype=np.intp)
    for k, cell in enumerate(first.values()):
        text = as_text(cell)
        if text is None or text in codes:
            found[k] = -1
            if text and isinstance(cell, str):
                met[text] = met.get(text, 0) + int(counts[k])
        else:
            found[k] = places.setdefault(text, len(places))
    return Texts(list(places), found[which], met)


def as_objects(cells: Sequence[Any]) -> NDArray[Any]:
    """Return cells of any kind as an array of objects, one each.

    Examples
    --------
    >>> as_objects(["a", [1, 2]]).shape
    (2,)
    """
    made = np.empty(len(cells), dtype=object)
    made[:] = cells
    return made


def as_text(cell: Any) -> str | None:
    """Return a cell as a text, None if it is missing.

    Examples
    --------
    >>> as_text(3.0), as_text(" a "), as_text(float("nan")), as_text(date(2024, 3, 1))
    ('3', 'a', None, '2024-03-01')
    """
    if isinstance(cell, str):
        return cell.strip()
    if is_missing(cell):
        return None
    if isinstance(cell, bool | np.bool_):
        return str(bool(cell))
    if isinstance(cell, float | np.floating):
        number = float(cell)
        whole = math.isfinite(number) and number == int(number) and abs(number) < 1e15
        return str(int(number)) if whole else repr(number)
    if isinstance(cell, datetime):
        return cell.isoformat(sep=" ") if cell.time() != time() else cell.date().isoformat()
    if isinstance(cell, date | time):
        return cell.isoformat()
    if isinstance(cell, bytes):
        return cell.decode("utf-8", errors="replace").strip()
    return str(cell).strip()


def is_missing(cell: Any) -> bool:
    """Return whether a cell is None, NaN, or what pandas puts in their place."""
    if cell is None:
        return True
    try:
        return bool(cell != cell)
    except (
        TypeError,
        ValueError,
    ):  # pandas' NA is neither true nor false; an array is no missing cell
        return type(cell).__name__ == "NAType"


def as_floats(cells: NDArray[Any], booleans: bool = False) -> Floats | None:
    """Return cells as numbers if all of them are numbers or missing, else None.

    Whole numbers that a float cannot hold are none: they are names. Booleans are numbers only where that is asked for.
    """
    if cells.dtype.kind in "iu":
        return (
            None
            if len(cells) and max(abs(int(cells.min())), int(cells.max())) > EXACT
            else cells.astype(float)
        )
    if cells.dtype.kind == "f" or (booleans and cells.dtype.kind == "b"):
        return cells.astype(float)
    if cells.dtype.kind != "O":
        return None
    if str in set(map(type, cells.tolist())):
        return None
    kinds = {type(cell) for cell in cells.tolist() if not is_missing(cell)}
    if not kinds or not all(issubclass(kind, int | float | np.number) for kind in kinds):
        return None
    refused = (complex, np.complexfloating) if booleans else (bool, complex, np.complexfloating)
    if any(issubclass(kind, refused) for kind in kinds):
        return None
    if any(isinstance(cell, int) and abs(cell) > EXACT for cell in cells.tolist()):
        return None
    return np.array([np.nan if is_missing(cell) else float(cell) for cell in cells.tolist()])
