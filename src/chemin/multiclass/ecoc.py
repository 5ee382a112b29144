"""Which class has the code word nearest to the machines' answers? Error-correcting output codes, with zeros."""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np
from scipy.special import softmax
from sklearn.utils import check_random_state

from chemin.dictionaries.base import Floats, Indices
from chemin.exceptions import InvalidInputError
from chemin.multiclass import codes
from chemin.multiclass.base import Multiclass
from chemin.multiclass.decoding import LOSSES, distances
from chemin.multiclass.machines import margin

__all__ = ["ECOC"]

_FIXED = {
    "exhaustive": codes.exhaustive,
    "one-vs-one": codes.one_vs_one,
    "one-vs-rest": codes.one_vs_rest,
}
_RANDOM = ("dense", "sparse")
_DECODINGS = ("hamming", "loss")


class ECOC(Multiclass):
    """Any ternary code: each machine separates some classes (−) from others (+), and zeros leave classes out.

    Parameters
    ----------
    estimator : classifier, optional
        The binary machine, with ``predict_proba`` or ``decision_function``; None is `default_machine`.
    code : {"dense", "sparse", "exhaustive", "one-vs-one", "one-vs-rest"} or array of shape (K, L)
        A random code without or with zeros, all 2^(K−1) − 1 splits, the code of another scheme, or a matrix of −1, 0
        and +1 whose rows follow the sorted classes. See `chemin.multiclass.codes`.
    code_size : int, optional
        Columns of a random code; None is ⌈10 log₂ K⌉ (dense) or ⌈15 log₂ K⌉ (sparse), or all there are if fewer.
    decoding : {"loss", "hamming"}
        What makes a row near: small losses of its margins, or few wrong signs, ties being settled by the mean margin.
    loss : {"hinge", "exponential", "logistic", "linear"}
        The loss of loss-based decoding; take the one the machine minimises, if it is there.
    random_state : int, RandomState or None
        Source of the random codes.
    n_jobs : int, optional
        Machines trained at the same time.
    verbose : bool, default False
        Show a bar of finished machines.

    Attributes
    ----------
    classes_, code_, estimators_, n_machines_, n_features_in_, feature_names_in_
        See `Multiclass`.

    Notes
    -----
    ``decision_function`` is −D_k(x), D_k the mean loss over the machines that know class k, zeros being ignored (see
    `chemin.multiclass.decoding`). With two classes every code comes down to one machine.

    Probabilities are proportional to exp(−m D_k(x)), m the mean number of machines per class: with the logistic loss on
    log-odds and as many machines for each class, the product of the machines' probabilities. They order the classes as
    ``predict`` does. Since machines share classes and are not independent, take them for a ranking rather than for
    frequencies; `OneVsOne` with coupling gives the latter.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> model = ECOC(code=[[1, 0], [-1, 1], [-1, -1]]).fit(X, y)
    >>> model.n_machines_, round(model.score(X, y), 2)
    (2, 0.97)
    """

    def __init__(
        self,
        estimator: Any = None,
        *,
        code: Any = "dense",
        code_size: int | None = None,
        decoding: str = "loss",
        loss: str = "hinge",
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> None:
        self.estimator = estimator
        self.code = code
        self.code_size = code_size
        self.decoding = decoding
        self.loss = loss
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def design(self, X: Any, index: Indices, params: dict[str, Any]) -> codes.Code:
        self._check_names()
        k = len(self.classes_)
        if not isinstance(self.code, str):
            return codes.as_code(self.code, self.classes_)
        if self.code in _FIXED:
            return _FIXED[self.code](k)
        return codes.random_code(
            k, self.code, self.code_size, check_random_state(self.random_state)
        )

    def scores(self, X: Any) -> Floats:
        margins = self._columns(margin, X)
        if self.decoding == "loss":
            return -distances(self.code_, margins, self.loss)
        # Different shares of wrong signs differ by 1/L² at least: less than that settles ties only.
        lead = -distances(self.code_, margins, "linear")
        return lead / (3 * (np.abs(lead) + 1)) / self.n_machines_**2 - distances(
            self.code_, margins, "hamming"
        )

    def probabilities(self, X: Any) -> Floats:
        return softmax(np.abs(self.code_).sum(axis=1).mean() * self.scores(X), axis=1)

    def _check_names(self) -> None:
        losses = tuple(name for name in LOSSES if name != "hamming")
        for name, known in (("decoding", _DECODINGS), ("loss", losses)):
            if getattr(self, name) not in known:
                raise InvalidInputError(
                    f"{name}={getattr(self, name)!r} is not known: pass one of {', '.join(known)}"
                )
        if isinstance(self.code, str) and self.code not in (*_FIXED, *_RANDOM):
            raise InvalidInputError(
                f"code={self.code!r} is not known: pass one of {', '.join((*_RANDOM, *_FIXED))}, or a matrix"
            )
        size = self.code_size
        if size is not None and (
            not isinstance(size, numbers.Integral) or isinstance(size, bool) or size < 1
        ):
            raise InvalidInputError(
                f"code_size={size!r} is not a number of machines: pass a positive integer, or None"
            )
