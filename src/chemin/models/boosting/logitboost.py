"""Which sum of weak regressors has the log-odds of the classes? Newton's steps on the logistic loss.

With F the log-odds and p = 1/(1 + exp(−F)), h is fitted by least squares, with weights p (1 − p), to the response
(y* − p)/(p (1 − p)) for y* = 0 or 1. Where a row is far on the wrong side, its response is clipped to ±4. Friedman,
Hastie and Tibshirani's F is half of this one.

A step of Newton may overshoot: it is halved until the loss falls. Where rows that are clipped outweigh others, the fit
to them may even lead uphill: then h is fitted again, without the clip.

References: Friedman, Hastie and Tibshirani (2000), *Additive logistic regression*, algorithm 3; F. Sur, *Introduction
à l'apprentissage automatique*, Mines Nancy, 2022-2023, section 7.3.1.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import expit
from sklearn.tree import DecisionTreeRegressor
from sklearn.utils import check_random_state

from chemin.dictionaries.base import Floats
from chemin.evaluate.inputs import check_whole
from chemin.models.boosting.descent import AdditiveClassifier, Proposal, Rows, descend
from chemin.models.boosting.history import BoostingHistory
from chemin.models.boosting.line_search import lowering_step
from chemin.models.boosting.losses import as_class_loss
from chemin.models.boosting.weak import Weak, check_rate, predicted

__all__ = ["LogitBoost"]

_FARTHEST = 4.0  # a response; the authors advise 2 to 4
_LEAST = 2.0 * np.finfo(float).eps  # a weight, so that rows decided long ago do not all have 0


class LogitBoost(AdditiveClassifier):
    """A sum of weak regressors that is the log-odds of the classes.

    Parameters
    ----------
    estimator : regressor, optional
        The weak learner; its ``fit`` takes ``sample_weight``. A tree of depth 1 by default.
    n_estimators : int, default 100
        Rounds at most.
    learning_rate : float, default 1.0
        The share of each step of Newton that is gone.
    random_state : int or RandomState, optional
        Of the weak learners.
    verbose : bool, default False
        Show a bar of rounds.

    Attributes
    ----------
    estimators_ : list
        The learners h.
    estimator_weights_ : ndarray of shape (M,)
        The share of its step that each went: ``learning_rate``, or less where the loss would have risen.
    history_ : BoostingHistory
        The logistic loss round by round, which never rises on the training rows.
    stopped_ : str
        Why rounds ended before they were all done, "" if they did not.
    init_ : float
        0, the log-odds before the first round.
    classes_, n_features_in_, feature_names_in_
        See `TwoClasses`.

    Notes
    -----
    Equal rows are one with the sum of their weights: what a learner counts, such as ``min_samples_leaf``, are different
    rows.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = LogitBoost(n_estimators=20).fit(X, y)
    >>> print(model.history_)
    logistic loss of the training rows: 1 before the first round, 0.0... after 20 rounds
    """

    history_: BoostingHistory

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 100,
        learning_rate: float = 1.0,
        random_state: Any = None,
        verbose: bool = False,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> LogitBoost:
        """Train the learners one by one.

        Parameters
        ----------
        X : array or DataFrame of shape (n, p)
            The rows.
        y : array of shape (n,)
            Their classes.
        sample_weight : array of shape (n,), optional
            What each row counts.

        Returns
        -------
        LogitBoost
        """
        limit = check_whole("n_estimators", self.n_estimators, 1)
        rate = check_rate("learning_rate", self.learning_rate)
        stump = DecisionTreeRegressor(max_depth=1) if self.estimator is None else self.estimator
        weak = Weak(stump, check_random_state(self.random_state), of_classes=False)
        weak.must_weigh()
        loss = as_class_loss("logistic")
        rows = self._read_rows(X, y, sample_weight, loss, merge=True)

        def propose(F: Floats) -> Proposal:
            found = _try(rows, F, weak, rate, _FARTHEST)
            return found if found.step else _try(rows, F, weak, rate, 1.0 / _LEAST)

        made = descend(rows, 0.0, propose, limit, shown=self.verbose)
        self._keep(0.0, made)
        self.history_ = made.told("logistic")
        return self

    def predict_proba(self, X: Any) -> Floats:
        """Return the probabilities of both classes.

        Parameters
        ----------
        X : array or DataFrame of shape (n, p)
            The rows.

        Returns
        -------
        ndarray of shape (n, 2)
        """
        scores = self.decision_function(X)
        return np.column_stack([expit(-scores), expit(scores)])


def _try(rows: Rows, F: Floats, weak: Weak, rate: float, farthest: float) -> Proposal:
    """Return a learner fitted to responses clipped at ±``farthest``, and how much of its step lowers the loss."""
    learner = weak.train(rows.X, *newton_target(rows, F, farthest))
    values = predicted(learner, rows.X)
    return Proposal(learner, values, lowering_step(rows.along(F, values), rate))


def newton_target(rows: Rows, F: Floats, farthest: float) -> tuple[Floats, Floats]:
    """Return responses and weights; of a row with y = ±1, y/P(y) and P(y) (1 − P(y)).

    The weights sum to those of the rows, so that a penalty of the learner weighs as much in every round.
    """
    margins = rows.y * F
    own = expit(margins)
    response = rows.y / np.maximum(own, 1.0 / farthest)
    curvature = rows.weights * np.maximum(own * expit(-margins), _LEAST)
    return response, curvature * (rows.weights.sum() / curvature.sum())
