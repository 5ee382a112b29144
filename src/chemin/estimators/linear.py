"""What is added when the columns are the variables? Coefficients in the user's units."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from chemin.estimators.basis import Basis, Variables
from chemin.estimators.classifier import PathClassifier


class LinearClassifier(PathClassifier):
    """Estimators whose decision is linear in the variables."""

    standardize: bool
    l1_weight: Any

    def _basis(self, names: NDArray[Any] | None) -> Basis:
        return Variables(bool(self.standardize), self.l1_weight, names)

    def _read_off(self) -> None:
        super()._read_off()
        if self.refit:
            self.coef_ = np.vstack([machine.variable_coef_ for machine in self.estimators_])
            self.support_ = np.flatnonzero(np.any(self.coef_ != 0.0, axis=0))
