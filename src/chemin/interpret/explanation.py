"""Why is this point decided so? The decision at a reference, then one term per active variable or couple.

f(x) = f(r) + Σ_a b_a (ψ_a(x) − ψ_a(r)) for the active columns ψ_a and the reference r.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape
from numbers import Integral
from typing import Any

import numpy as np

from chemin.dictionaries.base import Floats, Indices
from chemin.frames import as_frame
from chemin.interpret.items import Item, as_columns
from chemin.interpret.machines import Model, Number, Sides
from chemin.interpret.reading import Reading, read
from chemin.interpret.reference import Reference, reference_of
from chemin.interpret.typography import bar_cell, page_of, text_bar
from chemin.interpret.user_words import in_users_words
from chemin.results import figures
from chemin.tables import Piped, opened

_IN_SHORT = 3  # terms shown on one line
_ON_PAGE = 20  # terms shown in a notebook


@dataclass(frozen=True, eq=False, repr=False)
class Explanation:
    """The decision about one point: that at a reference, plus terms.

    Attributes
    ----------
    items : tuple of Variable, Attribute and Couple
        What is active in the model; through a pipeline one item for each variable of the user.
    base : float
        The decision at the reference, f(r).
    terms : ndarray
        What each item adds to it: b_a (ψ_a(x) − ψ_a(r)).
    values, reference_values : ndarray
        What the coefficients are multiplied by, at the point and at the reference: variables in the user's units,
        or similarities k_l(x_j, ·) / s_jl; words for variables that are no numbers.
    reference : str
        What the reference is, in words.
    intercept : float
        The model's b0, which is part of ``base``.
    sides : Sides
        The classes decided between; a positive decision or term speaks for ``sides.positive``.
    point : object
        What the user calls the point, None if it has no name.
    """

    items: tuple[Item, ...]
    base: float
    terms: Floats
    values: Floats
    reference_values: Floats
    reference: str
    intercept: float
    sides: Sides | Number
    header: tuple[str, ...] = field(repr=False)
    kind: str | None = field(default=None, repr=False)
    point: Any = None

    @property
    def decision(self) -> float:
        """The decision: base + sum of the terms."""
        return float(self.terms.sum() + self.base)

    @property
    def chosen(self) -> str:
        """The side on which the point is put."""
        return self.sides.toward(self.decision)

    @property
    def verdict(self) -> str:
        """What comes of it, in short."""
        if isinstance(self.sides, Number):
            return f"predicted {figures(self.decision)}"
        return f"for {self.chosen}, by {abs(self.decision):.3g}"

    @property
    def answer(self) -> str:
        """What the sum is called."""
        return "prediction" if isinstance(self.sides, Number) else "decision"

    @property
    def order(self) -> Indices:
        """Positions of the terms, the largest first whatever their signs."""
        return np.argsort(-np.abs(self.terms), kind="stable")

    @property
    def sentence(self) -> str:
        """The decision in one sentence: for whom, by how much, and what speaks most for and against it."""
        if isinstance(self.sides, Number):
            return self._sentence_of_a_number()
        toward = self.terms if self.decision > 0 else -self.terms
        parts = [f"{self._called}{self.sides}: {self.verdict}"]
        if not len(toward):
            return f"{parts[0]}; the model has no term, it decides so about every point"
        most, least = int(np.argmax(toward)), int(np.argmin(toward))
        for_it = toward[most] > 0
        against_it = toward[least] < 0
        parts.append(
            f"{self._compared(most)} speaks most for it"
            if for_it
            else "nothing but the reference speaks for it"
        )
        parts.append(
            f"{self._compared(least)} speaks most against it"
            if against_it
            else "nothing speaks against it"
        )
        return "; ".join(parts)

    def _sentence_of_a_number(self) -> str:
        """Return what raises the prediction most, and what lowers it most."""
        said = f"{self._called}{self.verdict}, against {figures(self.base)} at the reference"
        if not len(self.terms):
            return f"{said}; the model has no term, it predicts so for every point"
        most = int(np.argmax(self.terms))
        least = int(np.argmin(self.terms))
        parts = [said]
        parts += [f"{self._compared(most)} raises it most"] * bool(self.terms[most] > 0)
        parts += [f"{self._compared(least)} lowers it most"] * bool(self.terms[least] < 0)
        return "; ".join(parts)

    @property
    def _called(self) -> str:
        """The name of the point, where it has one."""
        return "" if self.point is None else f"{self.point}, "

    @property
    def _signs(self) -> str:
        """What positive and negative terms do."""
        if isinstance(self.sides, Number):
            return "terms: + raises the prediction, - lowers it"
        return f"terms: + speaks for {self.sides.toward(1.0)}, - for {self.sides.toward(-1.0)}"

    def largest(self, top: int) -> tuple[list[tuple[str, float]], tuple[int, float]]:
        """Return names and sizes of the largest terms, then number and sum of the others."""
        order = self.order
        named = [(self._named(k), float(self.terms[k])) for k in order[:top]]
        return named, (len(order[top:]), float(self.terms[order[top:]].sum()))

    def summary(self, top: int = 8) -> str:
        """Return the decision in a sentence, then its largest terms as bars.

        Parameters
        ----------
        top : int, default 8
            How many terms are named; the others are added up.
        """
        lines = self.lines(top)
        most = self._longest(lines)
        head = [self.sentence, self._signs]
        chart = [
            f"{figures(size, '+10.4g')}  {text_bar(size, most)}  {name}" for name, size in lines
        ]
        return "\n".join([*head, *chart])

    def frame(self) -> Any:
        """Return the terms as a table, the largest first, of the kind of the training data.

        A term is coefficient × (value − reference).
        """
        order = self.order
        columns = as_columns([self.items[k] for k in order], self.header)
        columns |= {
            "value": _of_one_type(self.values[order].tolist()),
            "reference": _of_one_type(self.reference_values[order].tolist()),
            "term": self.terms[order].tolist(),
        }
        return as_frame(columns, self.kind, instead="items and terms")

    def __str__(self) -> str:
        return self.summary()

    def __repr__(self) -> str:
        parts = [f"{self.base:+.3g} at the reference"]
        parts += [f"{size:+.3g} {name}" for name, size in self.largest(_IN_SHORT)[0]]
        parts += ["…"] * (len(self.terms) > _IN_SHORT)
        said = f"{self.decision:+.4g} for {self.chosen}"
        if isinstance(self.sides, Number):
            said = figures(self.decision)
        return f"Explanation({said}: {'; '.join(parts)})"

    def _repr_html_(self) -> str:
        """Return the same as a table with bars, for a notebook."""
        lines = self.lines(_ON_PAGE)
        most = self._longest(lines)
        negative, positive = self.sides.toward(-1.0), self.sides.toward(1.0)
        head = f"<tr><th>term</th><th>for {escape(negative)} | for {escape(positive)}</th><th></th></tr>"
        if isinstance(self.sides, Number):
            head = "<tr><th>term</th><th>lowers | raises</th><th></th></tr>"
        rows = [
            f"<tr><td>{figures(size, '+.4g')}</td>{bar_cell(size, most)}<td>{escape(name)}</td></tr>"
            for name, size in lines
        ]
        return page_of(
            f"<p>{escape(self.sentence)}</p>",
            f"<table>{head}{''.join(rows)}</table>",
        )

    def lines(self, top: int) -> list[tuple[str, float]]:
        """Return the lines of a chart: the reference, the largest terms, the others together."""
        order = self.order
        lines = [(f"at the reference, {self.reference}", self.base)]
        lines += [(self._compared(k), float(self.terms[k])) for k in order[:top]]
        others = order[top:]
        if len(others):
            name = f"{len(others)} other term" + "s" * (len(others) > 1)
            lines.append((name, float(self.terms[others].sum())))
        return lines

    def _longest(self, lines: list[tuple[str, float]]) -> float:
        """Return the size of the longest bar; a number at the reference may dwarf all terms, and has none."""
        sizes = [abs(size) for _, size in lines]
        if isinstance(self.sides, Number) and len(sizes) > 1:
            return max(sizes[1:])
        return max(sizes)

    def _named(self, k: int) -> str:
        return self.items[k].with_value(self.values[k], self.reference_values[k])

    def _compared(self, k: int) -> str:
        return self.items[k].compared(self.values[k], self.reference_values[k])


def _of_one_type(values: list[Any]) -> list[Any]:
    """Return values that a column of a table can hold: all as texts if some are."""
    if not any(isinstance(value, str) for value in values):
        return values
    return [value if isinstance(value, str) else f"{value:.6g}" for value in values]


def explain(
    model: Model, X: Any, machine: Any = None, reference: Any = "mean"
) -> list[Explanation]:
    """Explain the decisions about some points, against a reference.

    Parameters
    ----------
    model : fitted SparseSVC, SparseSVCCV, KernelBasisClassifier, KernelBasisClassifierCV, or a regressor
        The model, or a pipeline (or a search over pipelines) that ends in one. Terms of a pipeline are those of the
        variables given to it: the columns that are made of one variable add up.
    X : array, SciPy sparse array or DataFrame of shape (n, p)
        The points, as the model or the pipeline takes them.
    machine : int, str or pair of labels, optional
        Which machine, when there are more than two classes: its number, its name such as "4 vs 7", or its two classes.
    reference : "mean", label of a class, or one point, default "mean"
        What terms are measured against. "mean" is the weighted mean of the model's columns over the training points, a
        label the same over the points of that class. A point is an array of p values, a Series or a DataFrame of one
        row. "mean" always has the first meaning: a class of that name cannot be a reference.

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
    benign vs malignant: for malignant, by 2.04; worst concave points = 0.2654 (above the reference 0.1146) speaks
    most for it; worst texture = 17.33 (below the reference 25.68) speaks most against it
    terms: + speaks for malignant, - for benign
       -0.4002          ----|              at the reference, the mean of the training points
        +1.121              |++++++++++++  worst concave points = 0.2654 (above the reference 0.1146)
       +0.8641              |+++++++++     worst radius = 25.38 (above the reference 16.27)
       +0.4503              |+++++         2 other terms
    >>> bool(abs(explanation.decision - model.decision_function(data.data[:1])[0]) < 1e-10)
    True

    Against the mean of one class:

    >>> explain(model, data.data[:1], reference="benign")[0].reference
    'the mean of class benign'
    """
    model = opened(model)
    reading = read(model, machine)
    points = model._checked(X)
    against = reference_of(model, reading, reference)
    explanations = explanations_of(reading, points, against, _names_of_rows(model, X))
    if isinstance(model, Piped):
        return in_users_words(explanations, reading, model, X)
    return explanations


def _names_of_rows(model: Any, X: Any) -> Sequence[Any] | None:
    """Return what the user calls the rows, where that is more than their numbers."""
    if isinstance(model, Piped):
        labels = model.labels_of(X)
    else:
        labels = X.index if hasattr(X, "index") and hasattr(X, "columns") else None
    names = [] if labels is None else np.asarray(labels).tolist()
    return None if all(isinstance(name, Integral) for name in names) else names


def explanations_of(
    reading: Reading, points: Any, against: Reference, names: Sequence[Any] | None = None
) -> list[Explanation]:
    """Return one explanation per point of an array, as the machine takes it; ``names`` are those of the points."""
    coef = reading.sign * reading.machine.coef_[reading.active]
    factor = np.abs(reading.unit_factors(reading.active))
    base = float(against.columns @ coef + reading.intercept)
    columns = reading.columns_at(points)
    terms = (columns - against.columns) * coef
    values = columns / factor
    at_reference = against.columns / factor
    given = (at_reference, against.name, reading.intercept, reading.sides, reading.header)
    called = [None] * len(terms) if names is None else names
    return [
        Explanation(reading.items, base, some, at, *given, reading.kind, point)
        for some, at, point in zip(terms, values, called, strict=True)
    ]
