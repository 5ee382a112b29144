"""How is a machine read? The terms that make its decision, what each one weighs, and when it came.

f(x) = b0 + Σ_a b_a ψ_a(x) for the active columns a. Against a reference r, whose columns are ψ_a(r),

    f(x) = f(r) + Σ_a t_a(x),   t_a(x) = b_a (ψ_a(x) − ψ_a(r));
    share of a = s_a / Σ_a' s_a',   s_a² = Σ_i w_i (t_a(x_i) − mean t_a)² / Σ_i w_i,

the standard deviation of a term over the training points with their weights. It does not depend on the reference.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chemin.dictionaries.base import Floats, Indices
from chemin.engine.result import Path
from chemin.exceptions import InvalidInputError
from chemin.interpret.items import MIXED_HEADER, Couple, Variable, describe, place
from chemin.interpret.machines import (
    Machine,
    Model,
    Number,
    Sides,
    orientation,
    sides_of,
    which,
)
from chemin.tables import Origin, opened

_NO_COUPLES = "variables, not of couples: read variables_ or coef_, or fit a KernelBasisClassifier"
_NO_VARIABLES = "couples, not of variables: read couples_ or B_"
_NUMBERS = 4_000_000  # values of columns held at once


@dataclass(frozen=True, eq=False)
class Stays:
    """When columns were active: from the l1 of ``entered`` down to that of ``left``, NaN if they never leave."""

    columns: Indices
    entered: Floats
    left: Floats


@dataclass(frozen=True, eq=False)
class Reading:
    """One machine, made readable; `read` makes it.

    Attributes
    ----------
    machine : fitted machine
        What is read.
    sides : Sides or Number
        The classes it decides between; a positive term speaks for ``sides.positive``.
    labels : ndarray
        Labels of all points given to fit, or the numbers to predict.
    names : ndarray or None
        Names of the variables.
    n_features : int
        Their number.
    kind : str or None
        The kind of DataFrame the user brought.
    row_labels : ndarray or None
        What the user calls the points given to fit, where they have names.
    sign : float
        −1 where ``sides.positive`` is the side for which the machine's decisions are negative, else 1: everything
        here has been multiplied by it.
    number : int
        Which of the model's machines it is.
    origins : tuple of Origin, or None
        Where the variables come from, if a pipeline has made them from those of the user.
    """

    machine: Machine = field(repr=False)
    sides: Sides | Number
    labels: NDArray[Any] = field(repr=False)
    names: NDArray[Any] | None = field(repr=False)
    n_features: int
    kind: str | None
    row_labels: NDArray[Any] | None = field(default=None, repr=False)
    sign: float = 1.0
    number: int = 0
    origins: tuple[Origin, ...] | None = field(default=None, repr=False)

    @property
    def path(self) -> Path:
        """The path, down to the model's l1."""
        return self.machine.path_

    @property
    def l1(self) -> float:
        """The l1 of the model."""
        return float(self.machine.l1_)

    @property
    def relax(self) -> float:
        """φ: the coefficients are those at φ l1 of the path on the terms chosen at l1; 1 is the path itself."""
        return float(self.machine.relax_)

    @property
    def intercept(self) -> float:
        """The term of all points, b0."""
        return self.sign * float(self.machine.intercept_)

    @property
    def has_couples(self) -> bool:
        """Whether couples of a point and a kernel were offered."""
        return self.machine.columns_.couples is not None

    @property
    def has_variables(self) -> bool:
        """Whether variables were offered."""
        return bool(self.machine.columns_.n_variables)

    @property
    def header(self) -> tuple[str, ...]:
        """What a table says of each item; where there are items of both kinds, one column names them."""
        if self.has_couples and self.has_variables:
            return MIXED_HEADER
        return Couple.header if self.has_couples else Variable.header

    @cached_property
    def active(self) -> Indices:
        """The columns with a coefficient other than 0."""
        return np.flatnonzero(self.machine.coef_)

    @cached_property
    def items(self) -> tuple[Couple | Variable, ...]:
        """The active variables and couples."""
        return self.describe(self.active)

    @property
    def coefficients(self) -> Floats:
        """Their coefficients: b_j in the user's units, or B_jl."""
        return self._in_units(self.machine.coef_)[self.active]

    @cached_property
    def couple_places(self) -> Indices:
        """Which of the active columns are couples, as positions in `active`."""
        return np.flatnonzero(self.active >= self.machine.columns_.n_variables)

    @cached_property
    def variable_places(self) -> Indices:
        """Which of the active columns are variables, as positions in `active`."""
        return np.flatnonzero(self.active < self.machine.columns_.n_variables)

    @property
    def kernels(self) -> tuple[Any, ...]:
        """All kernels offered, used or not."""
        self.require(couples=True)
        return tuple(self.machine.columns_.couples.kernels)

    @property
    def kernel_numbers(self) -> Indices:
        """The kernel of each active couple, as a position in `kernels`."""
        self.require(couples=True)
        return place(self.machine, self.active[self.couple_places])[0]

    @property
    def rows(self) -> Indices:
        """The point of each active couple, as a row of the X given to fit."""
        self.require(couples=True)
        return place(self.machine, self.active[self.couple_places])[1]

    @property
    def points(self) -> list[Any]:
        """The point of each active couple, as the user calls it."""
        return self.called(self.rows)

    @property
    def centers(self) -> Any:
        """The point of each active couple itself, one row each, in the user's units."""
        self.require(couples=True)
        columns = self.machine.columns_
        offset = self.active[self.couple_places] - columns.n_variables
        return columns.couples.centers[offset % len(columns.couples.rows)]

    @property
    def support(self) -> Indices:
        """The support vectors, points with a dual value other than 0, as rows of the X given to fit."""
        return self.machine.rows_[self.machine.dual_ != 0]

    @property
    def mean(self) -> Floats:
        """The weighted mean over the training points of each active column."""
        return self._moments[0]

    @cached_property
    def shares(self) -> Floats:
        """The share of the decision that each active column carries; they sum to 1 unless there is none.

        That of a is s_a / Σ s, with s_a the weighted standard deviation of its term over the training points.
        """
        spread = np.abs(self.machine.coef_[self.active]) * self._moments[1]
        return spread / (spread.sum() or 1.0)

    @cached_property
    def _moments(self) -> tuple[Floats, Floats]:
        """Weighted mean and standard deviation of each active column over the training points."""
        problem = self.path.problem
        part = problem.weight / problem.weight.sum()
        width = max(1, _NUMBERS // problem.dictionary.shape[0])
        means, spreads = [np.empty(0)], [np.empty(0)]
        for start in range(0, len(self.active), width):
            values = problem.dictionary.columns(self.active[start : start + width])
            mean = part @ values
            means.append(mean)
            spreads.append(np.sqrt(part @ (values - mean) ** 2))
        return np.concatenate(means), np.concatenate(spreads)

    def mean_of(self, label: Any) -> Floats | None:
        """Return the weighted mean of each active column over the training points of a class, None if it has none."""
        problem = self.path.problem
        rows = np.flatnonzero(self.labels[self.machine.rows_] == label)
        if not len(rows):
            return None
        weight = problem.weight[rows]
        values = problem.dictionary.block(rows, self.active)
        return np.asarray(weight @ values / weight.sum())

    @cached_property
    def stays(self) -> Stays:
        """Every stay of a column among the active ones, in the order of entry.

        An unpenalised column has always been there, since l1 = ∞. What comes and goes while one tie is settled at one
        breakpoint was never active.
        """
        path, free = self.path, self.path.problem.l1_weight == 0.0
        first = sorted(path.breakpoints.first_active.tolist(), key=lambda j: not free[j])
        stays = [[j, np.inf if free[j] else path.l1[0], np.nan] for j in first]
        current = {
            j: (line, -1) for line, j in enumerate(first)
        }  # line of its stay, breakpoint of its entry
        events = path.events[np.isin(path.events["kind"], ("enter", "leave"))]
        columns = (events[name].tolist() for name in ("kind", "index", "breakpoint", "l1"))
        for kind, j, where, l1 in zip(*columns, strict=True):
            if kind == "enter":
                current[j] = len(stays), where
                stays.append([j, l1, np.nan])
            else:
                line, since = current.pop(j)
                stays[line][2] = l1 if where != since else np.inf
        table = np.array(stays, dtype=float).reshape(-1, 3)
        table = table[table[:, 2] != np.inf]
        return Stays(table[:, 0].astype(np.intp), table[:, 1], table[:, 2])

    def require(self, *, couples: bool) -> None:
        """Raise unless couples are among the terms, or unless variables are."""
        if couples and not self.has_couples:
            raise InvalidInputError(f"this model is made of {_NO_COUPLES}")
        if not couples and not self.has_variables:
            raise InvalidInputError(f"this model is made of {_NO_VARIABLES}")

    def describe(self, columns: Indices) -> tuple[Couple | Variable, ...]:
        """Return what some columns are, active or not."""
        coefficients = self._in_units(self.machine.coef_)[columns]
        return describe(
            self.machine, self.labels, self.row_labels, columns, coefficients, self.names
        )

    def called(self, rows: Indices) -> list[Any]:
        """Return what the user calls some rows of the X given to fit: their labels, else their positions."""
        labels: list[Any] = (rows if self.row_labels is None else self.row_labels[rows]).tolist()
        return labels

    def unit_factors(self, columns: Indices) -> Floats:
        """Return what coefficients of the path at some columns are multiplied by to be those of tables."""
        return self._in_units(np.ones(len(self.machine.coef_)))[columns]

    def _in_units(self, coef: Floats) -> Floats:
        """Return coefficients of all columns as tables have them: of variables in the user's units."""
        values = self.sign * np.array(self.machine.columns_.in_units(coef))
        if self.origins is not None:
            scales = [1.0 if origin.scale is None else origin.scale for origin in self.origins]
            offered = self.machine.columns_.n_variables
            values[:offered] /= scales[:offered]
        return values

    def columns_at(self, X: Any) -> Floats:
        """Return the active columns at every point of an array as the machine takes it."""
        return self.machine.columns_.of(X).columns(self.active)

    def decision(self, X: Any) -> Floats:
        """Return the decision about every point of an array, positive for ``sides.positive``."""
        return self.sign * np.asarray(self.machine.decision_function(X))


def read(model: Model, machine: Any = None) -> Reading:
    """Return one machine of a fitted classifier, made readable.

    Parameters
    ----------
    model : fitted SparseSVC, SparseSVCCV, KernelBasisClassifier or KernelBasisClassifierCV, or a pipeline to one
        The classifier.
    machine : int, str or pair of labels, optional
        Which machine, when there are more than two classes: its number, its name such as "4 vs 7", or its two classes.

    Returns
    -------
    Reading

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from chemin.estimators import SparseSVC
    >>> data = load_breast_cancer(as_frame=True)
    >>> y = data.target_names[data.target]
    >>> reading = read(SparseSVC(l1=100.0, standardize=True).fit(data.data, y))
    >>> [(str(item), round(float(share), 2)) for item, share in zip(reading.items, reading.shares)]
    [('mean concave points', 0.18), ('worst radius', 0.36), ('worst texture', 0.07), ('worst concave points', 0.39)]
    """
    model = opened(model)
    model._check_ready()
    return read_number(model, which(model, machine))


def read_number(model: Model, number: int) -> Reading:
    """Return the machine of that number, made readable."""
    origins = getattr(model, "origins", None)
    names = getattr(model, "feature_names_in_", None)
    if origins is not None:
        names = np.array([origin.name for origin in origins], dtype=object)
    return Reading(
        model.estimators_[number],
        sides_of(model)[number],
        model._labels,
        names,
        model.n_features_in_ if origins is None else len(origins),
        model._table_kind,
        model._row_labels,
        orientation(model),
        number,
        origins,
    )
