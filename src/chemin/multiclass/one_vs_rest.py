"""Which class stands out from all the others? K machines, one per class."""

from __future__ import annotations

from typing import Any

import numpy as np

from chemin.dictionaries.base import Floats, Indices
from chemin.multiclass import codes
from chemin.multiclass.base import Multiclass
from chemin.multiclass.machines import confidence, odds

__all__ = ["OneVsRest", "shares"]


class OneVsRest(Multiclass):
    """Each class against all others; the class whose machine is the most confident wins.

    Machines are compared by their log-odds when they give probabilities, and by their scores otherwise. The latter
    supposes scores on one scale: with weak or unequal machines, prefer one machine per pair (`OneVsOne`).

    Parameters
    ----------
    estimator : classifier, optional
        The binary machine, with ``predict_proba`` or ``decision_function``; None is `default_machine`.
    n_jobs : int, optional
        Machines trained at the same time.
    verbose : bool, default False
        Show a bar of finished machines.

    Attributes
    ----------
    classes_, code_, estimators_, n_machines_, n_features_in_, feature_names_in_
        See `Multiclass`; machine k separates class k (+) from the rest (−).

    Notes
    -----
    Probabilities are those of the machines divided by their sum: exact when the machines are.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> model = OneVsRest().fit(X, y)
    >>> model.n_machines_, round(model.score(X, y), 2)
    (3, 0.95)
    """

    def __init__(
        self, estimator: Any = None, *, n_jobs: int | None = None, verbose: bool = False
    ) -> None:
        self.estimator = estimator
        self.n_jobs = n_jobs
        self.verbose = verbose

    def design(self, X: Any, index: Indices, params: dict[str, Any]) -> codes.Code:
        return codes.one_vs_rest(len(self.classes_))

    def scores(self, X: Any) -> Floats:
        return self._columns(confidence, X)

    def probabilities(self, X: Any) -> Floats:
        plus = self._columns(lambda machine, rows: odds(machine, rows)[1], X)
        return shares(plus)


def shares(plus: Floats) -> Floats:
    """Return the probabilities of each row divided by their sum; equal ones where all are 0.

    Examples
    --------
    >>> shares(np.array([[0.5, 0.25, 0.25], [0.75, 0.75, 0.0]])).tolist()
    [[0.5, 0.25, 0.25], [0.5, 0.5, 0.0]]
    """
    total = plus.sum(axis=1, keepdims=True)
    return np.divide(plus, total, out=np.full_like(plus, 1.0 / plus.shape[1]), where=total > 0)
