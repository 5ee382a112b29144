"""What is added when the columns are couples of a point and a kernel? Points of any kind, and a model one can read."""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from chemin.dictionaries.base import Indices
from chemin.estimators.basis import Basis, Variables, VariablesAndCouples
from chemin.estimators.centers import as_centers
from chemin.estimators.kernel_basis import KernelBasis, as_family
from chemin.estimators.readable import Readable
from chemin.exceptions import InvalidInputError, NotNumbersError
from chemin.kernels import is_positive
from chemin.kernels.base import all_numeric
from chemin.validation import as_points

_SCALES = ("auto", "none", "norm", "spread")
_POWER = 0.5  # of the spread, by which couples beside variables are divided
_MEASURED_ON = 300  # points on which a kernel of unknown positivity is tried


class KernelModel(Readable):
    """Estimators that answer b0 + Σ B_jl k_l(x_j, x)."""

    kernels: Any
    centers: Any
    standardize: Any
    scale: Any
    memory: float
    kernel_weight: Any
    random_state: Any

    def _basis(self, names: NDArray[Any] | None) -> Basis:
        """Return couples of the given kernels; with none given, the variables and couples of Gaussians."""
        if not isinstance(self.memory, numbers.Real) or not 0 < self.memory < np.inf:
            raise InvalidInputError(
                f"memory is {self.memory!r}: pass the gibibytes that columns may take, such as 1.0"
            )
        number = isinstance(self.scale, numbers.Real) and not isinstance(self.scale, bool)
        if self.scale not in _SCALES and not (number and 0.0 < self.scale <= 1.0):
            raise InvalidInputError(
                f"scale is {self.scale!r}: pass {', '.join(map(repr, _SCALES))}, or a power of the spread, above 0 and "
                "at most 1"
            )
        if self.standardize not in (True, False, "auto"):
            raise InvalidInputError(
                f"standardize is {self.standardize!r}: pass True, False or 'auto'"
            )
        family = as_family(self.kernels, names)
        by_default = family is None
        standardize = by_default if self.standardize == "auto" else bool(self.standardize)
        scale = self.scale if self.scale != "auto" else _POWER if by_default else "none"
        centers = as_centers(self.centers, by_default)
        couples = KernelBasis(
            family,
            centers,
            scale,
            self.memory,
            self.kernel_weight,
            self.random_state,
            standardize,
            names,
        )
        if not by_default:
            return couples
        return VariablesAndCouples(Variables(standardize, names=names), couples)

    def _read_training(self, X: Any, y: Any) -> tuple[Any, NDArray[Any]]:
        self._of_numbers = self._takes_numbers(X)
        if self._of_numbers:
            return super()._read_training(X, y)
        self.__dict__.pop("feature_names_in_", None)  # of an earlier fit
        points = self._objects(X)
        labels = self._read_target(y, len(points))
        self.n_features_in_ = points.shape[1]
        if hasattr(X, "columns"):
            self.feature_names_in_ = np.array([str(name) for name in X.columns], dtype=object)
        return points, labels

    def _read_new(self, X: Any) -> Any:
        return super()._read_new(X) if self._of_numbers else self._read_objects(X)

    def _takes_numbers(self, X: Any) -> bool:
        """Return whether points are read as numbers: as the kernels ask for, and if they take either, if they can."""
        family = as_family(self.kernels, None)
        asked = True if family is None else all_numeric(family)
        if asked is not None:
            return asked
        try:
            as_points(X)
        except NotNumbersError:
            return False
        except InvalidInputError:  # a list of texts is no table
            return not _holds_objects(X)
        return True

    def _read_objects(self, X: Any) -> NDArray[Any]:
        points, width = self._objects(X), getattr(self, "n_features_in_", None)
        if not len(points):
            raise InvalidInputError("X has no points: pass at least one")
        if width is not None and points.shape[1] != width:
            raise InvalidInputError(
                f"X has {points.shape[1]} columns where fit had {width}: pass the same ones"
            )
        return points

    def _objects(self, X: Any) -> NDArray[Any]:
        """Return points of any kind as a two-dimensional array of objects; a list of texts or graphs is one column."""
        if isinstance(X, str | bytes):
            raise InvalidInputError("X is one text: pass a list of texts, one per point")
        if hasattr(X, "columns"):
            names = getattr(self, "feature_names_in_", None)
            if names is not None and [str(name) for name in X.columns] != names.tolist():
                raise InvalidInputError(
                    "the columns of X are not those of fit: select them, in the same order"
                )
            return np.asarray(X.to_numpy(), dtype=object)
        if isinstance(X, np.ndarray) and X.ndim == 2:
            return X.astype(object)
        points = np.empty((len(X), 1), dtype=object)
        points[:, 0] = list(X)
        return points

    def _read_couples(self) -> None:
        """Set the attributes of couples that people look for."""
        machines = self.estimators_
        couples = machines[0].columns_.couples
        self.kernels_ = list(couples.kernels)
        matrices = [_matrix_of(machine, len(self._labels)) for machine in machines]
        self.B_ = matrices[0] if self.scheme_ is None else matrices
        self.active_points_ = union([np.flatnonzero(np.diff(B.indptr)) for B in matrices])
        some = couples.seen(couples.centers[:_MEASURED_ON])
        self.indefinite_ = [
            kernel.name for kernel in self.kernels_ if not is_positive(kernel, some)
        ]


def _holds_objects(X: Any) -> bool:
    """Return whether points are a list of texts or other objects, not of rows."""
    if hasattr(X, "columns") or np.ndim(X) > 1:
        return False
    first = next(iter(X), 0.0)
    return not isinstance(first, numbers.Number)


def _matrix_of(machine: Any, n: int) -> sparse.csr_array:
    """Return the coefficients as a sparse matrix, one row per training point and one column per kernel."""
    couples = machine.columns_.couples
    coef = machine.coef_[machine.columns_.n_variables :]
    active = np.flatnonzero(coef)
    kernel, center = np.divmod(active, len(couples.rows))
    entries = (coef[active], (machine.rows_[couples.rows[center]], kernel))
    return sparse.csr_array(entries, shape=(n, len(couples.kernels)))


def union(parts: list[Indices]) -> Indices:
    """Return what is in any of some sets, in increasing order."""
    return np.unique(np.concatenate(parts))
