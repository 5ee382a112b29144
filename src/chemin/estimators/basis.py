"""Of which columns is a decision a combination? A basis learns them from training points and offers them for any."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from chemin.dictionaries import DenseDictionary, Dictionary, JoinedDictionary, SparseDictionary
from chemin.dictionaries.base import Floats
from chemin.estimators.kernel_basis import Couples, KernelBasis
from chemin.estimators.units import in_units_of, spreads


class Columns(Protocol):
    """Columns that are fixed: a function from points to dictionaries. Variables come first, couples follow."""

    @property
    def l1_weight(self) -> Any:
        """Weights of the columns in the L1 norm, or None."""

    @property
    def n_variables(self) -> int:
        """How many of the columns are variables."""

    @property
    def couples(self) -> Couples | None:
        """The couples that the other columns are, if any."""

    def of(self, X: Any) -> Dictionary:
        """Return the columns at some points, checked already."""

    def scores(self, X: Any, coef: Floats) -> Floats:
        """Return Σ b_j ψ_j(x) at some points, without the columns that do not count."""

    def in_units(self, coef: Floats) -> Floats:
        """Return the coefficients, those of variables for the user's units."""


class Basis(Protocol):
    """What becomes columns once training points are given."""

    def learn(self, X: Any, positive: NDArray[np.bool_], weight: Floats) -> Columns:
        """Return the columns that these training points determine."""


@dataclass(frozen=True, eq=False)
class Variables:
    """The variables themselves, or each in units of its standard deviation over the training points."""

    standardize: bool
    l1_weight: Any = None
    names: NDArray[Any] | None = None

    def learn(self, X: Any, positive: NDArray[np.bool_], weight: Floats) -> ScaledVariables:
        unit = spreads(X, weight) if self.standardize else np.ones(X.shape[1])
        return ScaledVariables(unit, self.l1_weight, self.names)


@dataclass(frozen=True, eq=False)
class ScaledVariables:
    """The variables, each divided by its unit."""

    unit: Floats
    l1_weight: Any
    names: NDArray[Any] | None

    couples = None

    @property
    def n_variables(self) -> int:
        return len(self.unit)

    def of(self, X: Any) -> Dictionary:
        if sparse.issparse(X):
            return SparseDictionary(sparse.csc_array(in_units_of(X, self.unit)), self.names)
        return DenseDictionary(in_units_of(X, self.unit), self.names)

    def scores(self, X: Any, coef: Floats) -> Floats:
        return np.asarray(X @ self.in_units(coef))

    def in_units(self, coef: Floats) -> Floats:
        return coef / self.unit


@dataclass(frozen=True, eq=False)
class VariablesAndCouples:
    """Variables and couples side by side, all of them in units of their standard deviation."""

    variables: Variables
    kernels: KernelBasis

    def learn(self, X: Any, positive: NDArray[np.bool_], weight: Floats) -> JoinedColumns:
        variables = self.variables.learn(X, positive, weight)
        return JoinedColumns(variables, self.kernels.learn(X, positive, weight))


@dataclass(frozen=True, eq=False)
class JoinedColumns:
    """The columns of variables, then those of couples."""

    variables: ScaledVariables
    couples: Couples

    l1_weight = None

    @property
    def n_variables(self) -> int:
        return self.variables.n_variables

    def of(self, X: Any) -> JoinedDictionary:
        return JoinedDictionary(
            [self.variables.of(X), self.couples.of(X)], memory=self.couples.memory
        )

    def scores(self, X: Any, coef: Floats) -> Floats:
        split = self.n_variables
        return self.variables.scores(X, coef[:split]) + self.couples.scores(X, coef[split:])

    def in_units(self, coef: Floats) -> Floats:
        split = self.n_variables
        return np.concatenate([self.variables.in_units(coef[:split]), coef[split:]])
