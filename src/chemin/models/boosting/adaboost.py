"""Which vote of weak classifiers? Each next one is trained on what the vote gets wrong so far.

    w_n ∝ exp(−y_n F(x_n)),   ε = Σ w_n [h(x_n) ≠ y_n],   α = ½ log((1 − ε)/ε),   F ← F + α h

This is descent of the exponential loss: w is the size of its slopes, and α is where it is least along h.

References: Freund and Schapire (1997), *A decision-theoretic generalization of on-line learning and an application to
boosting*; F. Sur, *Introduction à l'apprentissage automatique*, Mines Nancy, 2022-2023, section 7.3.1.
"""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import numpy as np
from scipy.special import expit, softmax
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import check_consistent_length, check_random_state

from chemin.dictionaries.base import Floats
from chemin.evaluate.inputs import check_whole
from chemin.exceptions import EmptyModelWarning, InvalidInputError
from chemin.models.boosting.descent import AdditiveClassifier, Descent, Proposal, Rows, descend
from chemin.models.boosting.history import VoteBound
from chemin.models.boosting.losses import as_class_loss
from chemin.models.boosting.weak import Weak, predicted
from chemin.validation import as_weights

__all__ = ["AdaBoost"]

_CASTING = 0.5  # by which the vote of a learner without error exceeds that of all others together


class AdaBoost(AdditiveClassifier):
    """A vote of weak classifiers, with a bound on its training error that runs along.

    Parameters
    ----------
    estimator : classifier, optional
        The weak learner; its ``fit`` takes ``sample_weight``, and its classes are −1 and 1. A tree of depth 1 by
        default.
    n_estimators : int, default 50
        Rounds at most.
    random_state : int or RandomState, optional
        Of the weak learners.
    verbose : bool, default False
        Show a bar of rounds.

    Attributes
    ----------
    estimators_ : list
        The learners h_t.
    estimator_weights_ : ndarray of shape (T,)
        Their votes α_t: half of scikit-learn's, and the same decision.
    estimator_errors_ : ndarray of shape (T,)
        Their weighted errors ε_t.
    history_ : VoteBound
        Errors and bounds round by round; `bound` adds those of other rows.
    stopped_ : str
        Why rounds ended before they were all done, "" if they did not.
    init_ : float
        0, the score without a vote.
    classes_, n_features_in_, feature_names_in_
        See `TwoClasses`.

    Notes
    -----
    A learner that is never wrong on the training rows would have an infinite vote. It is the last one, and outvotes all
    others together. A learner that is no better than chance, ε ≥ ½, ends the rounds and is left out; if it is the
    first, it stays without a vote, and a warning says that nothing was learned.

    Equal rows are one with the sum of their weights: what a learner counts, such as ``min_samples_leaf``, are different
    rows.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = AdaBoost(n_estimators=20).fit(X, y)
    >>> print(model.bound())
    after 20 rounds the bound on the training error is ...
    """

    estimator_errors_: Floats
    history_: VoteBound

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 50,
        random_state: Any = None,
        verbose: bool = False,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> AdaBoost:
        """Train the learners one by one.

        Parameters
        ----------
        X : array or DataFrame of shape (n, p)
            The rows.
        y : array of shape (n,)
            Their classes.
        sample_weight : array of shape (n,), optional
            What each row counts before the first round; a whole number counts like as many equal rows.

        Returns
        -------
        AdaBoost
        """
        limit = check_whole("n_estimators", self.n_estimators, 1)
        stump = DecisionTreeClassifier(max_depth=1) if self.estimator is None else self.estimator
        weak = Weak(stump, check_random_state(self.random_state), of_classes=True)
        weak.must_weigh()
        loss = as_class_loss("exponential")
        rows = self._read_rows(X, y, sample_weight, loss, merge=True)
        given = as_weights(sample_weight, len(np.asarray(y)), "sample_weight")
        given = given[given > 0.0]
        votes = _Votes(rows, weak)
        made = descend(rows, 0.0, votes.propose, limit, shown=self.verbose)
        if not made.learners:
            votes.keep_first(made)
        self._keep(0.0, made)
        kept = len(self.estimators_)
        self.estimator_errors_ = np.array(votes.errors[:kept])
        factors = 2.0 * np.sqrt(self.estimator_errors_ * (1.0 - self.estimator_errors_))
        self.history_ = VoteBound(
            self.estimator_errors_,
            np.where(self.estimator_weights_ > 0.0, factors, 1.0),
            np.array(votes.wrong[:kept]),
            len(given),
            bool(np.ptp(given) == 0.0),
            self.stopped_,
        )
        return self

    def predict_proba(self, X: Any) -> Floats:
        """Return the probabilities of both classes, for F as half the log-odds: sure of itself after many rounds.

        Parameters
        ----------
        X : array or DataFrame of shape (n, p)
            The rows.

        Returns
        -------
        ndarray of shape (n, 2)
        """
        scores = 2.0 * self.decision_function(X)
        return np.column_stack([expit(-scores), expit(scores)])

    def bound(self, X: Any = None, y: Any = None) -> VoteBound:
        """Return the errors round by round, and the bound Π Z_t on the training error.

        Parameters
        ----------
        X, y : arrays of n rows, optional
            Other rows, whose error no bound is about.

        Returns
        -------
        VoteBound
        """
        if X is None and y is None:
            return self.history_
        if X is None or y is None:
            raise InvalidInputError("only one of X and y is given: pass both, or neither")
        check_consistent_length(X, y)
        truth = np.asarray(y)
        return replace(
            self.history_,
            test_errors=np.array([np.mean(said != truth) for said in self.staged_predict(X)]),
        )


class _Votes:
    """What the next vote is, and what the votes so far get wrong."""

    def __init__(self, rows: Rows, weak: Weak) -> None:
        self.rows, self.weak = rows, weak
        self.errors: list[float] = []
        self.wrong: list[float] = []
        self.total = 0.0
        self.last: Proposal

    def propose(self, F: Floats) -> Proposal:
        """Return the next learner and its vote."""
        rows, t = self.rows, len(self.errors) + 1
        weights = softmax(np.log(rows.weights) - rows.y * F)
        learner = self.weak.train(rows.X, rows.y.astype(int), weights)
        values = predicted(learner, rows.X)
        error = float(weights @ (values != rows.y))
        vote, ends = 0.0, f"learner {t} is no better than chance: its weighted error is {error:.3g}"
        if error == 0.0:
            vote, ends = self.total + _CASTING, f"learner {t} is right on every training row"
        elif error < 0.5:
            vote, ends = 0.5 * float(np.log((1.0 - error) / error)), ""
        self.errors.append(error)
        said = F + vote * values > 0.0
        self.wrong.append(float(rows.weights @ (said != (rows.y > 0.0)) / rows.weights.sum()))
        self.total += vote
        self.last = Proposal(learner, values, vote, ends)
        return self.last

    def keep_first(self, made: Descent) -> None:
        """Keep a first learner that is no better than chance, without a vote."""
        warnings.warn(
            f"nothing was learned: {made.stopped}; pass an estimator that can tell more, such as a deeper tree",
            EmptyModelWarning,
            stacklevel=3,
        )
        made.learners.append(self.last.learner)
        made.steps.append(0.0)
