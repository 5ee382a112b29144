"""What can be asked of every fitted model? Its terms, its history, why it answers so, and tables of what it uses."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import column_or_1d, validate_data

from chemin import interpret
from chemin.exceptions import InvalidInputError
from chemin.frames import kind_of
from chemin.validation import as_classes, as_points


class Readable:
    """Reading points, and reading the model; an estimator adds its fit."""

    positive: Any
    classes_: NDArray[Any]
    estimators_: list[Any]
    scheme_: Any
    n_features_in_: int
    _labels: NDArray[Any]
    _table_kind: str | None
    _row_labels: NDArray[Any] | None

    @abstractmethod
    def _check_ready(self) -> None:
        """Raise if there is no model of all points."""

    def explain(
        self, X: Any, machine: Any = None, reference: Any = "mean"
    ) -> list[interpret.Explanation]:
        """Return every decision or prediction as that at a reference plus terms, one per active variable or couple.

        Parameters
        ----------
        X : array, SciPy sparse array or DataFrame of shape (n, p)
            The points.
        machine : int, str or pair of labels, optional
            Whose decision, with more classes than two: the number of a machine, its name, or its two classes.
        reference : "mean", label of a class, or one point, default "mean"
            What terms are measured against; see `chemin.interpret.explain`.

        Returns
        -------
        list of Explanation
        """
        return interpret.explain(self, X, machine, reference)

    def history(self, machine: Any = None) -> Any:
        """Return when couples or variables entered and left along the path; see `chemin.interpret.history`."""
        return interpret.history(self, machine)

    def reading(self, machine: Any = None, through: Any = None) -> interpret.Reading:
        """Return one machine, made readable, as the pictures take it; see `chemin.interpret.read`.

        ``through`` is the pipeline at whose end the model is, opened, if it is to be read in the user's variables.
        """
        return interpret.read(self if through is None else through, machine)

    @property
    def couples_(self) -> Any:
        """The active couples of a point and a kernel, as a table; see `chemin.interpret.couples`."""
        self._check_made_of(couples=True)
        return interpret.couples(self)

    @property
    def variables_(self) -> Any:
        """The active variables, as a table; see `chemin.interpret.variables`."""
        self._check_made_of(couples=False)
        return interpret.variables(self)

    @property
    def n_terms_(self) -> int:
        """The length of the model: how many different variables and couples its machines use."""
        return interpret.count_terms(self)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.input_tags.sparse = True
        return tags

    def _note_table(self, X: Any) -> None:
        """Remember what kind of table the user brought, and what its rows are called."""
        self._table_kind = kind_of(X)
        named = hasattr(X, "index") and hasattr(X, "columns")
        self._row_labels = np.asarray(X.index) if named else None

    def _checked(self, X: Any) -> Any:
        self._check_ready()
        return self._read_new(X)

    def _check_made_of(self, couples: bool) -> None:
        """Raise what a missing attribute raises unless the model is made of couples, or of variables."""
        self._check_ready()
        reading = self.reading(0)
        if couples and not reading.has_couples:
            raise AttributeError(
                f"this {type(self).__name__} is made of variables: read variables_"
            )
        if not couples and not reading.has_variables:
            raise AttributeError(f"this {type(self).__name__} is made of couples: read couples_")

    def _read_training(self, X: Any, y: Any) -> tuple[Any, NDArray[Any]]:
        """Return points and labels as arrays, and learn the names of the variables."""
        points = as_points(X, at_least=2)
        validate_data(self, X, skip_check_array=True)
        return points, self._read_target(y, points.shape[0])

    def _read_target(self, y: Any, n: int) -> NDArray[Any]:
        """Return one label per point."""
        if y is None:
            raise InvalidInputError(
                f"{type(self).__name__} requires y to be passed, but the target y is None: pass one label per row of X"
            )
        return as_classes(as_vector(y), n)

    def _read_new(self, X: Any) -> Any:
        """Return points to be decided about as an array like that of the training points."""
        points = as_points(X)
        validate_data(self, X, reset=False, skip_check_array=True)
        return points


def as_vector(y: Any) -> Any:
    """Return a target of one column as a vector, with scikit-learn's warning; anything else as it is."""
    shape: tuple[int, ...] = getattr(y, "shape", ())
    return column_or_1d(y, warn=True) if len(shape) == 2 and shape[1] == 1 else y
