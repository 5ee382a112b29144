"""Why is this point decided so? The decision as a sum of terms, one per active couple or variable."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from chemin.dictionaries.base import Floats, Indices
from chemin.interpret.items import Item, as_columns
from chemin.interpret.machines import Model, Sides
from chemin.interpret.reading import read
from chemin.tables import as_frame

_IN_SHORT = 3  # terms shown on one line


@dataclass(frozen=True, eq=False, repr=False)
class Explanation:
    """The decision about one point: intercept + terms.

    Attributes
    ----------
    couples : tuple of Couple or of Variable
        What is active in the model.
    terms : ndarray
        What each one adds: B_jl k_l(x_j, x) / s_jl, or b_j x_j.
    intercept : float
        What is added for every point.
    sides : Sides
        The classes decided between; a positive decision or term speaks for ``sides.positive``.
    """

    couples: tuple[Item, ...]
    terms: Floats
    intercept: float
    sides: Sides
    header: tuple[str, ...] = field(repr=False)
    kind: str | None = field(default=None, repr=False)

    @property
    def decision(self) -> float:
        """The decision: intercept + sum of the terms."""
        return float(self.terms.sum() + self.intercept)

    @property
    def chosen(self) -> str:
        """The side on which the point is put."""
        return self.sides.toward(self.decision)

    @property
    def values(self) -> Floats:
        """What the coefficients are multiplied by: similarities k_l(x_j, x) / s_jl, or the variables x_j."""
        return self.terms / np.array([item.coefficient for item in self.couples])

    @property
    def order(self) -> Indices:
        """Positions of the terms, the largest first whatever their signs."""
        return np.argsort(-np.abs(self.terms), kind="stable")

    def largest(self, top: int) -> tuple[list[tuple[str, float]], tuple[int, float]]:
        """Return names and sizes of the largest terms, then number and sum of the others."""
        order, values = self.order, self.values
        named = [
            (self.couples[k].with_value(float(values[k])), float(self.terms[k]))
            for k in order[:top]
        ]
        return named, (len(order[top:]), float(self.terms[order[top:]].sum()))

    def summary(self, top: int = 8) -> str:
        """Return the decision and its largest terms in words.

        Parameters
        ----------
        top : int, default 8
            How many terms are named; the others are added up.
        """
        named, (count, rest) = self.largest(top)
        lines = [f"{self.sides}: decision {self.decision:+.4g}, for {self.chosen}"]
        lines += [f"{size:+12.4g}  {name}" for name, size in named]
        lines += [f"{rest:+12.4g}  {count} other term" + "s" * (count > 1)] * (count > 0)
        return "\n".join([*lines, f"{self.intercept:+12.4g}  intercept"])

    def frame(self) -> Any:
        """Return the terms as a table, the largest first, of the kind of the training data."""
        order = self.order
        columns = as_columns([self.couples[k] for k in order], self.header)
        columns |= {"value": self.values[order].tolist(), "term": self.terms[order].tolist()}
        return as_frame(columns, self.kind, instead="couples and terms")

    def __str__(self) -> str:
        return self.summary()

    def __repr__(self) -> str:
        parts = [f"{size:+.3g} {name}" for name, size in self.largest(_IN_SHORT)[0]]
        parts += ["…"] * (len(self.terms) > _IN_SHORT) + [f"{self.intercept:+.3g} intercept"]
        return f"Explanation({self.decision:+.4g} for {self.chosen}: {'; '.join(parts)})"


def explain(model: Model, X: Any, machine: Any = None) -> list[Explanation]:
    """Explain the decisions about some points.

    Parameters
    ----------
    model : fitted SparseSVC, SparseSVCCV, KernelBasisClassifier or KernelBasisClassifierCV
        The classifier.
    X : array, SciPy sparse array or DataFrame of shape (n, p)
        The points.
    machine : int, str or pair of labels, optional
        Which machine, when there are more than two classes: its number, its name such as "4 vs 7", or its two classes.

    Returns
    -------
    list of Explanation
        One per row of X.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from chemin.estimators import SparseSVC
    >>> data = load_breast_cancer(as_frame=True)
    >>> y = data.target_names[data.target]
    >>> model = SparseSVC(l1=100.0, standardize=True).fit(data.data, y)
    >>> explanation = explain(model, data.data[:1])[0]
    >>> print(explanation.summary(top=2))
    benign vs malignant: decision +2.035, for malignant
          +2.407  worst radius = 25.38
          +1.973  worst concave points = 0.2654
          +1.098  2 other terms
          -3.443  intercept
    >>> bool(abs(explanation.decision - model.decision_function(data.data[:1])[0]) < 1e-10)
    True
    """
    reading, points = read(model, machine), model._checked(X)
    given = (reading.intercept, reading.sides, reading.header, reading.kind)
    return [Explanation(reading.items, terms, *given) for terms in reading.terms(points)]
