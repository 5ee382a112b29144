"""Which class wins against each of the others? K(K − 1)/2 machines, one per pair."""

from __future__ import annotations

from typing import Any

import numpy as np

from chemin.dictionaries.base import Floats, Indices
from chemin.exceptions import InvalidInputError
from chemin.multiclass import codes
from chemin.multiclass.base import Multiclass
from chemin.multiclass.coupling import couple, pair_table
from chemin.multiclass.machines import confidence, odds, probabilistic

__all__ = ["OneVsOne"]


class OneVsOne(Multiclass):
    """One machine per pair of classes, trained on these two alone.

    Machines that give probabilities are coupled or summed. Others vote by their sign, whatever `decoding` says; a tie
    goes to the class with the largest sum of scores.

    Parameters
    ----------
    estimator : classifier, optional
        The binary machine, with ``predict_proba`` or ``decision_function``; None is `default_machine`.
    decoding : {"coupling", "vote"}
        How pair probabilities make class probabilities: ``"coupling"`` finds those that agree best with all pairs (Wu,
        Lin and Weng 2004, second method), ``"vote"`` adds the pairs up (Hastie and Tibshirani 1998).
    n_jobs : int, optional
        Machines trained at the same time.
    verbose : bool, default False
        Show a bar of finished machines.

    Attributes
    ----------
    classes_, code_, estimators_, n_machines_, n_features_in_, feature_names_in_
        See `Multiclass`; the machines follow the pairs (0, 1), (0, 2), …, (1, 2), …

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> model = OneVsOne().fit(X, y)
    >>> model.n_machines_, round(model.score(X, y), 2)
    (3, 0.97)
    """

    def __init__(
        self,
        estimator: Any = None,
        *,
        decoding: str = "coupling",
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> None:
        self.estimator = estimator
        self.decoding = decoding
        self.n_jobs = n_jobs
        self.verbose = verbose

    def design(self, X: Any, index: Indices, params: dict[str, Any]) -> codes.Code:
        if self.decoding not in ("coupling", "vote"):
            raise InvalidInputError(
                f"decoding={self.decoding!r} is not known: pass 'coupling' or 'vote'"
            )
        return codes.one_vs_one(len(self.classes_))

    def scores(self, X: Any) -> Floats:
        if not probabilistic(self.estimators_[0]):
            return self._votes(X)
        return np.log(np.maximum(self.probabilities(X), np.finfo(float).tiny))

    def probabilities(self, X: Any) -> Floats:
        k = len(self.classes_)
        pairs = pair_table(self._columns(lambda machine, rows: odds(machine, rows)[1], X), k)
        return (
            couple(pairs) if self.decoding == "coupling" else pairs.sum(axis=2) / (k * (k - 1) / 2)
        )

    def _votes(self, X: Any) -> Floats:
        """Return the number of pairs won, plus the summed scores squeezed into ]−1/3, 1/3[ to settle ties."""
        scores = self._columns(confidence, X)
        won = np.where(scores > 0, 1.0, -1.0)
        lead = scores @ self.code_.T
        return (won @ self.code_.T + len(self.classes_) - 1) / 2 + lead / (3 * (np.abs(lead) + 1))
