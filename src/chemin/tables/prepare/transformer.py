"""How does a table of anything become columns of numbers, each of which knows the variable it comes from?"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from numbers import Integral
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from chemin.dictionaries.base import Floats
from chemin.exceptions import InvalidInputError, LossWarning
from chemin.frames import as_frame, kind_of
from chemin.tables.cells.field import Column, Field, Habits, learn_field
from chemin.tables.cells.texts import as_text
from chemin.tables.files.grid import Grid, numbered
from chemin.tables.files.native import is_frame, read_array, read_frame
from chemin.tables.notes import listed
from chemin.tables.prepare.blocks import (
    DATE_PARTS,
    TOGETHER,
    Measures,
    Words,
    date_words,
    learn_absences,
    learn_categories,
)
from chemin.tables.prepare.origins import Origin

_MEASURED = ("number", "ordered", "date")
_LEFT_OUT = {"identifier": "it names the rows", "constant": "it has one value, or none"}


class Prepare(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Turn a table into numbers: fill gaps, encode words and dates, scale, and know the way back.

    Every column that comes out belongs to a variable that went in, so that the terms of a decision add up to one per
    variable. Identifiers and constant columns are left out; identifiers name the rows.

    Parameters
    ----------
    types : dict, optional
        What columns are, where that should not be guessed: "number", "category", "ordered", "date", "text",
        "identifier", "constant", or a list of values from low to high.
    scale : {True, False, "together"}, default True
        Bring numbers, ordered values and dates to mean 0 and standard deviation 1. ``"together"`` divides all of them
        by one standard deviation, as is right for the pixels of images.
    indicator : {"auto", True, False}, default "auto"
        Whether gaps of a variable get a column of their own. ``"auto"`` asks for at least five (or one row of twenty)
        and, where a target is given, that they go with it (an F test at 5 %).
    rare : int, default 5
        Rows that a category, or a word of a text, must have for a column of its own (or two rows and one in twenty);
        rarer categories share one.
    max_categories : int, default 30
        Columns that a variable may have; the rarest categories beyond share one.
    words : int, default 50
        Words of a text that may have columns: the most frequent.
    dates : tuple of str, default ("elapsed",)
        What is told of a date: the days since the first one, and its "year", "month", "weekday" or "hour" as
        categories.

    Attributes
    ----------
    fields_ : tuple of Field
        Name and type of every variable, and how its cells are read.
    origins_ : tuple of Origin
        Where every column that comes out comes from, with its way back to the user's units.
    left_out_ : dict
        Variables without a column, and why.
    row_labels_ : ndarray or None
        What the rows given to fit are called: by an identifier, else by the index of a DataFrame.
    n_features_in_, feature_names_in_
        As scikit-learn has them.

    Examples
    --------
    >>> import chemin
    >>> table = chemin.read("patients", target="diagnostic")
    >>> prepare = Prepare(words=2).fit(table.X, table.y)
    >>> prepare.get_feature_names_out()[:4].tolist()
    ['entrée', 'âge', 'tension', 'cholestérol']
    >>> prepare.left_out_
    {'identifiant': 'it names the rows'}
    """

    def __init__(
        self,
        types: Mapping[str, Any] | None = None,
        *,
        scale: bool | str = True,
        indicator: Any = "auto",
        rare: int = 5,
        max_categories: int = 30,
        words: int = 50,
        dates: tuple[str, ...] = ("elapsed",),
    ) -> None:
        self.types = types
        self.scale = scale
        self.indicator = indicator
        self.rare = rare
        self.max_categories = max_categories
        self.words = words
        self.dates = dates

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn types, formats, categories, medians and spreads.

        Parameters
        ----------
        X : DataFrame or array of shape (n, p)
            The table; cells may be numbers, texts, dates, missing.
        y : array of shape (n,), optional
            The target, by which gaps are judged.

        Returns
        -------
        self
        """
        self._check_parameters()
        grid = _grid(X)
        _check_target(y, len(grid.columns[0]))
        self.n_features_in_ = len(grid.names)
        self.__dict__.pop("feature_names_in_", None)  # of an earlier fit
        if is_frame(X):
            self.feature_names_in_ = np.array(grid.names, dtype=object)
        self._check_types(grid)
        fields = [self._learn(grid, place) for place in range(len(grid.names))]
        columns = [field.read(cells) for field, cells in zip(fields, grid.columns, strict=True)]
        _warn_of_losses(columns)
        self.fields_ = tuple(fields)
        self.row_labels_ = self._row_labels(X, columns)
        self._learn_blocks(columns, y)
        return self

    def transform(self, X: Any) -> Any:
        """Return the table as columns of numbers: a DataFrame if one is given, else an array."""
        check_is_fitted(self)
        columns = self.read(X)
        _warn_of_losses(columns)
        self._warn_of_strangers(columns)
        values = self._values(columns)
        kind = kind_of(X)
        if kind is None:
            return values
        labels = self._row_labels(X, columns)
        named = dict(zip(self.get_feature_names_out().tolist(), values.T, strict=True))
        return as_frame(named, kind, instead="transform of an array", index=labels)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Return the names of the columns that come out: "âge", "sexe = F", "tension missing"."""
        check_is_fitted(self)
        return np.array(numbered([origin.name for origin in self.origins_]), dtype=object)

    def read(self, X: Any) -> list[Column]:
        """Return the variables of a table, read as those given to fit were; columns may be in another order."""
        grid = _grid(X)
        if not hasattr(self, "feature_names_in_") or not is_frame(X):
            if len(grid.names) != self.n_features_in_:
                raise InvalidInputError(
                    f"X has {len(grid.names)} features, but Prepare is expecting {self.n_features_in_} features as "
                    "input: pass the same columns as to fit"
                )
            places = list(range(len(grid.names)))
        else:
            at = {name: place for place, name in enumerate(grid.names)}
            lacking = [
                field.name
                for field in self.fields_
                if field.name not in at and self._is_used(field)
            ]
            if lacking:
                raise InvalidInputError(
                    f"X lacks {len(lacking)} column(s) that fit had, {listed(lacking, 5)}: add them, with "
                    "missing cells if they are not known"
                )
            places = [at.get(field.name, -1) for field in self.fields_]
        rows = len(grid.columns[0])
        blank = np.full(rows, None, dtype=object)
        cells = [grid.columns[place] if place >= 0 else blank for place in places]
        return [field.read(some) for field, some in zip(self.fields_, cells, strict=True)]

    def told(self, X: Any) -> dict[str, list[Any]]:
        """Return every cell as the user would say it, variable by variable: numbers, words, "missing" for gaps.

        Examples
        --------
        >>> import chemin
        >>> table = chemin.read("patients", target="diagnostic")
        >>> prepare = Prepare().fit(table.X, table.y)
        >>> {name: words[0] for name, words in prepare.told(table.X[:1]).items() if name in ("sexe", "cholestérol")}
        {'sexe': 'F', 'cholestérol': 'missing'}
        """
        check_is_fitted(self)
        seen = {block.variable: set(block.known) for block in self._categories if not block.part}
        return {column.name: _words(column, seen.get(column.name)) for column in self.read(X)}

    def labels_of(self, X: Any) -> NDArray[Any] | None:
        """Return what the rows of a table are called, None if they have no names."""
        return self._row_labels(X, self.read(X))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        return tags

    def _learn(self, grid: Grid, place: int) -> Field:
        name = grid.names[place]
        type = (self.types or {}).get(name, grid.levels.get(name))
        return learn_field(name, grid.columns[place], Habits(), type, name in grid.categorical)

    def _learn_blocks(self, columns: list[Column], y: Any) -> None:
        """Set what turns variables into columns, one block after the other."""
        self.left_out_ = {
            c.name: _LEFT_OUT[c.field.type] for c in columns if c.field.type in _LEFT_OUT
        }
        used = [column for column in columns if column.name not in self.left_out_]
        if not used:
            told = ", ".join(f"{name!r} ({why})" for name, why in list(self.left_out_.items())[:5])
            raise InvalidInputError(
                f"no variable is left to learn from {len(columns[0].values)} sample(s): {told}; pass more rows, or "
                "types= to keep some of them"
            )
        rare = min(self.rare, max(2, -(-len(used[0].values) // _TWENTY)))
        measured = self._measured(used)
        self._measures = Measures(self.scale).fit(measured) if measured else None
        self._categories = []
        for column in used:
            for words, part in self._worded(column):
                made = learn_categories(column.name, words, rare, self.max_categories, part)
                self._categories.append(made)
        self._texts = [
            Words(column.name, rare, self.words).fit(column.values)
            for column in used
            if column.field.type == "text"
        ]
        self._absences = learn_absences(used, y, self.indicator)
        origins: list[Origin] = [] if self._measures is None else list(self._measures.origins_)
        blocks: list[Any] = [*self._categories, *self._texts, self._absences]
        origins += [origin for block in blocks for origin in block.origins]
        present = {origin.variable for origin in origins}
        wordless = f"none of its values or words is in {rare} rows or more"
        self.left_out_ |= {column.name: wordless for column in used if column.name not in present}
        if not origins:
            raise InvalidInputError(
                f"no column is left to learn from: {wordless}; pass a smaller rare="
            )
        self.origins_ = tuple(origins)

    def _values(self, columns: list[Column]) -> Floats:
        named = {column.name: column for column in columns}
        blocks = []
        if self._measures is not None:
            blocks.append(self._measures.transform(self._measured(columns)))
        for made in self._categories:
            column = named[made.variable]
            blocks.append(
                made.transform(date_words(column, made.part) if made.part else column.values)
            )
        blocks += [text.transform(named[text.variable].values) for text in self._texts]
        blocks.append(self._absences.transform(columns))
        return np.hstack(blocks)

    def _warn_of_strangers(self, columns: list[Column]) -> None:
        """Say of a variable none of whose categories was seen in training that it says nothing."""
        seen = {block.variable: set(block.known) for block in self._categories if not block.part}
        for column in columns:
            if column.name not in seen or (~column.absent).sum() < _SOME:
                continue
            values = {value for value in column.values.tolist() if value is not None}
            if values.isdisjoint(seen[column.name]):
                warnings.warn(
                    f"no value of column {column.name!r} was seen in training ({listed(sorted(values))}), so it says "
                    f"nothing: write its categories as they were, such as {listed(sorted(seen[column.name]))}",
                    LossWarning,
                    stacklevel=3,
                )

    def _measured(self, columns: list[Column]) -> list[Column]:
        """Return the variables that are measured on a line."""
        return [
            column
            for column in columns
            if column.field.type in _MEASURED
            and (column.field.type != "date" or "elapsed" in self.dates)
        ]

    def _worded(self, column: Column) -> list[tuple[NDArray[Any], str]]:
        """Return the words of a variable that become categories, and the part of a date that they are."""
        if column.field.type == "category":
            return [(column.values, "")]
        if column.field.type == "date":
            return [(date_words(column, part), part) for part in self.dates if part != "elapsed"]
        return []

    def _row_labels(self, X: Any, columns: list[Column]) -> NDArray[Any] | None:
        """Return what rows are called: by an identifier that is complete, else by the index of a DataFrame."""
        for column in columns:
            if column.field.type == "identifier" and not column.absent.any():
                return column.values
        index = getattr(X, "index", None) if is_frame(X) else None
        return None if index is None else np.asarray(index)

    def _is_used(self, field: Field) -> bool:
        return field.name not in self.left_out_

    def _check_parameters(self) -> None:
        for name in ("rare", "max_categories", "words"):
            value = getattr(self, name)
            if (
                not isinstance(value, Integral)
                or isinstance(value, bool)
                or value < 1 + (name == "max_categories")
            ):
                raise InvalidInputError(
                    f"{name} is {value!r}: pass a whole number, such as {_DEFAULTS[name]}"
                )
        if self.indicator not in ("auto", True, False):
            raise InvalidInputError(f"indicator is {self.indicator!r}: pass 'auto', True or False")
        if self.scale not in (True, False, TOGETHER):
            raise InvalidInputError(f"scale is {self.scale!r}: pass True, False or {TOGETHER!r}")
        unknown = [part for part in self.dates if part not in DATE_PARTS]
        if unknown or isinstance(self.dates, str) or not self.dates:
            raise InvalidInputError(
                f"dates is {self.dates!r}: pass some of {', '.join(map(repr, DATE_PARTS))}"
            )

    def _check_types(self, grid: Grid) -> None:
        for name in self.types or {}:
            if name not in grid.names:
                raise InvalidInputError(
                    f"types names {name!r}, and X has no such column: it has {listed(grid.names, 8)}"
                )


_SOME = 5  # rows that must have strange categories for that to be no accident
_TWENTY = 20  # one row in so many is never rare
_DEFAULTS = {"rare": 5, "max_categories": 30, "words": 50}


def _grid(X: Any) -> Grid:
    """Return the cells of a table of any kind, checked."""
    if sparse.issparse(X):
        raise InvalidInputError(
            "X is a sparse matrix, which is numbers already: pass it to the estimator itself, or X.toarray() to Prepare"
        )
    return read_frame(X) if is_frame(X) else read_array(X)


def _check_target(y: Any, rows: int) -> None:
    if y is None:
        return
    entries = np.asarray(y).size
    if entries != rows:
        raise InvalidInputError(
            f"X has {rows} rows and y has {entries} entries: pass one for every row"
        )


def _words(column: Column, seen: set[str] | None) -> list[Any]:
    """Return the cells of a column as one would say them."""
    said: list[Any] = []
    for value in column.values.tolist():
        text = as_text(value)
        if text is None:
            said.append("missing")
        elif seen is not None and text not in seen:
            said.append(f"{text} (not seen in training)")
        elif isinstance(value, float):
            said.append(value)
        else:
            said.append(text)
    return said


def _warn_of_losses(columns: list[Column]) -> None:
    """Say of cells that could not be read as their type that they count as missing."""
    strange = [
        f"{sum(column.strange.values())} in column {column.name!r} ({listed(list(column.strange))})"
        for column in columns
        if column.strange
    ]
    if strange:
        warnings.warn(
            f"cells that are not of the type of their column count as missing: {'; '.join(strange[:3])}. Pass types= "
            "if the type is wrong",
            LossWarning,
            stacklevel=3,
        )
