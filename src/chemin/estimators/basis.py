"""Of which columns is a decision a combination? A basis learns them from training points and offers them for any."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.preprocessing import StandardScaler

from chemin.dictionaries import DenseDictionary, Dictionary, SparseDictionary
from chemin.dictionaries.base import Floats


class Columns(Protocol):
    """Columns that are fixed: a function from points to dictionaries."""

    @property
    def l1_weight(self) -> Any:
        """Weights of the columns in the L1 norm, or None."""

    def of(self, X: Any) -> Dictionary:
        """Return the columns at some points, checked already."""

    def scores(self, X: Any, coef: Floats) -> Floats:
        """Return Σ b_j ψ_j(x) at some points, without the columns that do not count."""


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
        scale = np.ones(X.shape[1])
        if self.standardize:  # a constant column keeps its unit
            scale = np.asarray(StandardScaler(with_mean=False).fit(X, sample_weight=weight).scale_)
        return ScaledVariables(scale, self.l1_weight, self.names)


@dataclass(frozen=True, eq=False)
class ScaledVariables:
    """The variables, each divided by its scale."""

    scale: Floats
    l1_weight: Any
    names: NDArray[Any] | None

    def of(self, X: Any) -> Dictionary:
        if sparse.issparse(X):
            return SparseDictionary(
                sparse.csc_array(X @ sparse.diags_array(1.0 / self.scale)), self.names
            )
        return DenseDictionary(X if np.all(self.scale == 1.0) else X / self.scale, self.names)

    def scores(self, X: Any, coef: Floats) -> Floats:
        return np.asarray(X @ self.in_units(coef))

    def in_units(self, coef: Floats) -> Floats:
        """Return the coefficients of the variables themselves."""
        return coef / self.scale
