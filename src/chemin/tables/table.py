"""What was read? Columns with their types, every guess that was made, and everything that was lost on the way."""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chemin.exceptions import InvalidInputError
from chemin.frames import as_frame, as_series, library_for
from chemin.tables.cells.field import Column
from chemin.tables.cells.texts import EXACT
from chemin.tables.notes import Guess, Loss

_SHOWN = 40  # columns listed
_EXAMPLES = 3
_CELL = "style='text-align: left; padding: 0.1em 0.8em'"


@dataclass(frozen=True, eq=False, repr=False)
class Table:
    """A table as `chemin.read` found it.

    Attributes
    ----------
    name : str
        Where it comes from.
    columns : tuple of Column
        Names, types and values.
    guesses : tuple of Guess
        What the source does not say: each with its evidence and the argument that overrides it.
    losses : tuple of Loss
        Rows, columns and cells that are in the source and not here, counted.
    target : str or None
        The column to predict.
    kind : str or None
        The kind of DataFrame that was given, and is handed out again.
    image_shape : (int, int), or None
        Rows and columns of an image, where each row of the table is one.
    kept : ndarray of bool, or None
        Which rows of the source have a target, and are here; None if all.

    Examples
    --------
    >>> import chemin
    >>> table = chemin.read("patients", target="diagnostic")
    >>> table.shape, table.types["sexe"], table.types["tension"]
    ((180, 10), 'category', 'number')
    >>> list(table.X.columns) == [name for name in table.names if name != "diagnostic"]
    True
    """

    name: str
    columns: tuple[Column, ...] = field(repr=False)
    guesses: tuple[Guess, ...]
    losses: tuple[Loss, ...]
    target: str | None = None
    kind: str | None = None
    image_shape: tuple[int, int] | None = None
    options: dict[str, Any] = field(default_factory=dict)
    is_file: bool = True
    kept: NDArray[np.bool_] | None = field(default=None, repr=False)

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return len(self.columns[0].values), len(self.columns)

    @property
    def names(self) -> list[str]:
        """The names of the columns."""
        return [column.name for column in self.columns]

    @property
    def types(self) -> dict[str, str]:
        """The type of every column."""
        return {column.name: column.field.type for column in self.columns}

    @property
    def X(self) -> Any:  # noqa: N802  # the name of the formulas
        """All columns but the target, as a DataFrame."""
        return self._frame(
            [column for column in self.columns if column.name != self.target], self.kind
        )

    @property
    def y(self) -> NDArray[Any]:
        """The target: numbers, or labels as texts."""
        if self.target is None:
            raise InvalidInputError(
                f"no target was named: read with target=, one of {', '.join(map(repr, self.names[:8]))}"
            )
        return _plain(self[self.target])

    def frame(self, kind: str | None = None) -> Any:
        """Return all columns as a DataFrame.

        Parameters
        ----------
        kind : {"pandas", "polars"}, optional
            The library; by default that of the DataFrame that was read, else pandas if there is one.

        Returns
        -------
        DataFrame
            Numbers as numbers, dates as dates, categories and ordered columns as such, identifiers and texts as texts.
        """
        return self._frame(self.columns, kind or self.kind)

    @property
    def call(self) -> str:
        """The call of `chemin.read` that asks for this table with all that was guessed given.

        ``source`` stands for a DataFrame, an array or a stream.
        """
        given = dict(self.options)
        types = dict(given.pop("types", None) or {})
        for guess in self.guesses:
            if guess.argument == "types" and guess.given is not None:
                types.update(guess.given)
            elif guess.given is not None and not given.get(guess.argument):
                given[guess.argument] = guess.given
        if types:
            given["types"] = types
        said = [f"{name}={value!r}" for name, value in given.items()]
        source = repr(self.name) if self.is_file else "source"
        return f"chemin.read({', '.join([source, *said])})"

    def __getitem__(self, name: str) -> Column:
        for column in self.columns:
            if column.name == name:
                return column
        raise KeyError(name)

    def __str__(self) -> str:
        rows, width = self.shape
        lines = [
            f"{self.name}: {rows} rows, {width} columns"
            + f", target {self.target!r}" * bool(self.target)
        ]
        wide = max(len(name) for name in self.names[:_SHOWN])
        for column in self.columns[:_SHOWN]:
            lines.append(f"  {column.name:<{wide}}  {column.field.type:<10}  {_told(column)}")
        if width > _SHOWN:
            lines.append(f"  … {width - _SHOWN} more in .columns")
        lines += ["guesses"] * bool(self._told_guesses())
        lines += [f"  {guess}" for guess in self._told_guesses()]
        lines += [
            "losses" if self.losses else "losses: none",
            *(f"  {loss}" for loss in self.losses),
        ]
        return "\n".join(lines)

    def __repr__(self) -> str:
        rows, width = self.shape
        notes = f"{len(self.guesses)} guesses, {len(self.losses)} losses"
        return f"<Table {self.name}: {rows} rows, {width} columns, {notes}>"

    def _repr_html_(self) -> str:
        """Return the same as tables, for a notebook."""
        head = f"<tr><th {_CELL}>column</th><th {_CELL}>type</th><th></th></tr>"
        rows = "".join(
            f"<tr><td {_CELL}>{escape(column.name)}</td><td {_CELL}>{column.field.type}</td>"
            f"<td {_CELL}>{escape(_told(column))}</td></tr>"
            for column in self.columns[:_SHOWN]
        )
        notes = "".join(
            f"<p>{what}</p><ul>{''.join(f'<li>{escape(str(note))}</li>' for note in some)}</ul>"
            for what, some in (("guesses", self._told_guesses()), ("losses", self.losses))
            if some
        )
        title = f"{self.shape[0]} rows, {self.shape[1]} columns"
        title += f", target {self.target}" * bool(self.target)
        nothing = "" if self.losses else "<p>losses: none</p>"
        return (
            f"<div><p><b>{escape(self.name)}</b>: {escape(title)}</p>"
            f"<table>{head}{rows}</table>{notes}{nothing}</div>"
        )

    def _told_guesses(self) -> list[Guess]:
        """Return the guesses that are not told beside their column already."""
        return [guess for guess in self.guesses if not guess.what.startswith("type of")]

    def _frame(self, columns: Any, kind: str | None) -> Any:
        instead = "columns, whose values are arrays"
        library = library_for(kind, instead=instead)
        made = {}
        for column in columns:
            ordered = column.field.type == "ordered"
            levels = None
            if ordered or column.field.type == "category":
                present = sorted({value for value in column.values.tolist() if value is not None})
                levels = column.field.levels if ordered else present
            made[column.name] = as_series(_plain(column), levels, ordered, library)
        return as_frame(made, library, instead=instead)


def _plain(column: Column) -> NDArray[Any]:
    """Return values as users expect them: whole numbers as integers if none is missing."""
    values = column.values
    if (
        values.dtype.kind == "f"
        and len(values)
        and np.all(np.abs(values) < EXACT)
        and np.all(values == np.round(values))
    ):
        return values.astype(np.int64)
    return values


def _told(column: Column) -> str:
    """Return what a column holds, in short: range or examples, and how much is missing."""
    absent = column.absent
    known = column.values[~absent]
    if not len(known):
        return "all missing"
    if known.dtype.kind == "f":
        told = f"{known.min():.6g} to {known.max():.6g}"
    elif known.dtype.kind == "M":
        told = f"{str(known.min())[:10]} to {str(known.max())[:10]}"
    elif column.field.type == "ordered":
        told = " < ".join(column.field.levels[:8])
    else:
        values, counts = np.unique(known.astype(str), return_counts=True)
        first = values[np.argsort(-counts, kind="stable")][:_EXAMPLES]
        shown = ", ".join(
            value if len(value) <= 30 else value[:29] + "…" for value in first.tolist()
        )
        told = f"{len(values)} different: {shown}" + ", …" * (len(values) > len(first))
    return told + (f"; {int(absent.sum())} missing" if absent.any() else "")
