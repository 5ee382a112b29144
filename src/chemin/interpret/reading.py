"""How is a machine read? The terms that make its decision, what each one weighs, and when it came.

f(x) = b0 + Σ_a t_a(x),   t_a(x) = b_a ψ_a(x) for the active columns a;
share of a = Σ_i w_i |t_a(x_i)| / Σ_a' Σ_i w_i |t_a'(x_i)|, over the training points with their weights.
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
from chemin.interpret.items import Couple, Item, Variable, describe, has_couples, in_units, place
from chemin.interpret.machines import Machine, Model, Sides, sides_of, which

_NO_COUPLES = "variables, not of couples: read variables_ or coef_, or fit a KernelBasisClassifier"
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
    sides : Sides
        The classes it decides between; a positive term speaks for ``sides.positive``.
    labels : ndarray
        Labels of all points given to fit.
    names : ndarray or None
        Names of the variables.
    n_features : int
        Their number.
    kind : str or None
        The kind of DataFrame the user brought.
    """

    machine: Machine = field(repr=False)
    sides: Sides
    labels: NDArray[Any] = field(repr=False)
    names: NDArray[Any] | None = field(repr=False)
    n_features: int
    kind: str | None

    @property
    def path(self) -> Path:
        """The path, down to the model's l1."""
        return self.machine.path_

    @property
    def l1(self) -> float:
        """The l1 of the model."""
        return float(self.machine.l1_)

    @property
    def intercept(self) -> float:
        """The term of all points, b0."""
        return float(self.machine.intercept_)

    @property
    def has_couples(self) -> bool:
        """Whether the terms are couples of a point and a kernel; if not, they are variables."""
        return has_couples(self.machine)

    @property
    def header(self) -> tuple[str, ...]:
        """What a table says of each item."""
        return Couple.header if self.has_couples else Variable.header

    @cached_property
    def active(self) -> Indices:
        """The columns with a coefficient other than 0."""
        return np.flatnonzero(self.machine.coef_)

    @cached_property
    def items(self) -> tuple[Item, ...]:
        """The active couples or variables."""
        return self.describe(self.active)

    @property
    def coefficients(self) -> Floats:
        """Their coefficients: B_jl, or b_j in the user's units."""
        return in_units(self.machine)[self.active]

    @property
    def kernels(self) -> tuple[Any, ...]:
        """All kernels offered, used or not."""
        self.require(couples=True)
        return tuple(self.machine.columns_.kernels)

    @property
    def kernel_numbers(self) -> Indices:
        """The kernel of each active couple, as a position in `kernels`."""
        self.require(couples=True)
        return place(self.machine, self.active)[0]

    @property
    def points(self) -> Indices:
        """The point of each active couple, as a row of the X given to fit."""
        self.require(couples=True)
        return place(self.machine, self.active)[1]

    @property
    def centers(self) -> Any:
        """The point of each active couple itself, one row each."""
        self.require(couples=True)
        columns = self.machine.columns_
        return columns.centers[self.active % len(columns.rows)]

    @property
    def support(self) -> Indices:
        """The support vectors, points with a positive dual value, as rows of the X given to fit."""
        return self.machine.rows_[self.path.dual_at(self.l1) > 0]

    @cached_property
    def shares(self) -> Floats:
        """The share of the decision that each active column carries; they sum to 1 unless there is none."""
        problem = self.path.problem
        width = max(1, _NUMBERS // problem.dictionary.shape[0])
        blocks = [self.active[k : k + width] for k in range(0, len(self.active), width)]
        sizes = [problem.weight @ np.abs(problem.dictionary.columns(block)) for block in blocks]
        carried = np.abs(self.machine.coef_[self.active]) * np.concatenate([*sizes, np.empty(0)])
        return carried / (carried.sum() or 1.0)

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
        """Raise unless the terms are couples, or unless they are variables."""
        if self.has_couples != couples:
            found = (
                "couples, not of variables: read couples_ or B_"
                if self.has_couples
                else _NO_COUPLES
            )
            raise InvalidInputError(f"this model is made of {found}")

    def describe(self, columns: Indices) -> tuple[Item, ...]:
        """Return what some columns are, active or not."""
        return describe(self.machine, self.labels, columns)

    def terms(self, X: Any) -> Floats:
        """Return the terms of every point, one column per active column; X is an array as the machine takes it."""
        return self.machine.columns_.of(X).columns(self.active) * self.machine.coef_[self.active]

    def decision(self, X: Any) -> Floats:
        """Return the decision about every point of an array."""
        return np.asarray(self.machine.columns_.scores(X, self.machine.coef_) + self.intercept)


def read(model: Model, machine: Any = None) -> Reading:
    """Return one machine of a fitted classifier, made readable.

    Parameters
    ----------
    model : fitted SparseSVC, SparseSVCCV, KernelBasisClassifier or KernelBasisClassifierCV
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
    [('mean concave points', 0.09), ('worst radius', 0.51), ('worst texture', 0.12), ('worst concave points', 0.28)]
    """
    model._check_ready()
    return read_number(model, which(model, machine))


def read_number(model: Model, number: int) -> Reading:
    """Return the machine of that number, made readable."""
    names = getattr(model, "feature_names_in_", None)
    return Reading(
        model.estimators_[number],
        sides_of(model)[number],
        model._labels,
        names,
        model.n_features_in_,
        model._table_kind,
    )
