"""What is added when the columns of a classifier are couples of a point and a kernel?"""

from __future__ import annotations

import numpy as np

from chemin.estimators.classifier import PathClassifier
from chemin.estimators.kernel_model import KernelModel, union


class KernelClassifier(KernelModel, PathClassifier):
    """Estimators whose decision is b0 + Σ B_jl k_l(x_j, x)."""

    def _read_off(self) -> None:
        super()._read_off()
        if not self.refit:
            return
        self._read_couples()
        machines = self.estimators_
        self.support_ = union([machine.rows_[machine.dual_ > 0] for machine in machines])
        self.__dict__.pop("coef_", None)  # of an earlier fit
        if machines[0].columns_.n_variables:
            self.coef_ = np.vstack([machine.variable_coef_ for machine in machines])
