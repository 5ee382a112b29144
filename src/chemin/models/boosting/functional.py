"""Which sum of any weak regressors has the least loss? Steps along fitted gradients, each as long as pays.

    h ≈ −ℓ'(y, F) by least squares,   α = argmin Σ w ℓ(y, F + α h),   F ← F + ν α h

Trees are one weak class among others, and every differentiable loss will do. Scikit-learn's gradient boosting sets each
leaf of a tree by a search of its own; here one α serves the whole of h, whatever it is.

References: Friedman (2001), *Greedy function approximation: a gradient boosting machine*, algorithm 1; Friedman (2002),
*Stochastic gradient boosting*; F. Sur, *Introduction à l'apprentissage automatique*, Mines Nancy, 2022-2023, section
7.3.2.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.random import RandomState
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.tree import DecisionTreeRegressor
from sklearn.utils import check_random_state
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, validate_data

from chemin.dictionaries.base import Floats
from chemin.evaluate import make_splits
from chemin.evaluate.inputs import check_share, check_whole
from chemin.exceptions import InvalidInputError
from chemin.models.boosting.descent import (
    Additive,
    AdditiveClassifier,
    Proposal,
    Rows,
    as_rows,
    descend,
)
from chemin.models.boosting.history import BoostingHistory
from chemin.models.boosting.line_search import best_step, lowering_step
from chemin.models.boosting.losses import as_class_loss, as_number_loss, name_of
from chemin.models.boosting.weak import SEEDS, Weak, check_rate, predicted
from chemin.models.losses.margins import MARGIN_LOSSES
from chemin.results import plural
from chemin.validation import as_weights

__all__ = ["FunctionalBoostingClassifier", "FunctionalBoostingRegressor"]


class _FunctionalBoosting(Additive):
    """What classes and numbers share: they differ in their losses, and in how targets are read."""

    estimator: Any
    loss: Any
    n_estimators: int
    learning_rate: float
    subsample: float
    validation_fraction: float | None
    patience: int
    random_state: Any
    verbose: bool
    history_: BoostingHistory

    def _weak(self) -> Weak:
        """Return the weak class, and where its draws come from."""
        tree = DecisionTreeRegressor(max_depth=3) if self.estimator is None else self.estimator
        return Weak(tree, check_random_state(self.random_state), of_classes=False)

    def _descend(self, rows: Rows, weak: Weak, *, classes: bool) -> None:
        """Fit the sum."""
        limit = check_whole("n_estimators", self.n_estimators, 1)
        patience = check_whole("patience", self.patience, 1)
        rate = check_rate("learning_rate", self.learning_rate)
        share = check_rate("subsample", self.subsample)
        if np.ptp(rows.weights) > 0.0:
            weak.must_weigh()
        rng, held_out = weak.rng, None
        if self.validation_fraction is not None:
            rows, held_out = self._hold_out(rows, rng, classes)
        n = len(rows.y)
        drawn = max(int(share * n), 1)

        def propose(F: Floats) -> Proposal:
            some = rng.permutation(n)[:drawn] if drawn < n else slice(None)
            learner = weak.train(rows.X[some], rows.fall(F)[some], rows.weights[some])
            values = predicted(learner, rows.X)
            value = rows.along(F, values)
            best = best_step(value, rows.slope_along(F, values))
            return Proposal(learner, values, lowering_step(value, rate * best))

        start, flat = np.zeros(n), np.ones(n)
        constant = best_step(rows.along(start, flat), rows.slope_along(start, flat))
        made = descend(
            rows, constant, propose, limit, held_out=held_out, patience=patience, shown=self.verbose
        )  # fmt: skip
        self._keep(constant, made)
        self.history_ = made.told(name_of(self.loss))

    def _hold_out(self, rows: Rows, rng: RandomState, classes: bool) -> tuple[Rows, Rows]:
        """Return rows to train on, and rows to say when to stop."""
        share, n = check_share("validation_fraction", self.validation_fraction), len(rows.y)
        seed = int(rng.randint(SEEDS))
        try:
            drawn = make_splits(
                n, rows.y, kind="holdout", share=share, classes=classes, random_state=seed
            )  # fmt: skip
        except InvalidInputError as error:
            raise InvalidInputError(
                f"validation_fraction={share:g} of {plural(n, 'row')} is not enough for two parts"
                f"{' with both classes in each' * classes}: pass None, or more rows"
            ) from error
        training, others = drawn.pairs[0]
        return rows.of(training), rows.of(others)


def _gives_probabilities(model: FunctionalBoostingClassifier) -> bool:
    return getattr(_named(model.loss), "probability", None) is not None


def _named(loss: Any) -> Any:
    """Return the loss of that name, or what was given."""
    return MARGIN_LOSSES.get(loss) if isinstance(loss, str) else loss


class FunctionalBoostingClassifier(_FunctionalBoosting, AdditiveClassifier):
    """A sum of any weak regressors that makes a loss of the margin small.

    Parameters
    ----------
    estimator : regressor, optional
        The weak learner: a tree, a ridge, a kernel machine, a small network, a pipeline of these. A tree of depth 3 by
        default.
    loss : str, MarginLoss or object, default "logistic"
        One of `MARGIN_LOSSES`, or an object with ``value(y, f)`` and ``slope(y, f)`` for arrays of y = ±1 and scores;
        if it also has ``probability(f)``, there is a ``predict_proba``.
    n_estimators : int, default 100
        Rounds at most.
    learning_rate : float, default 0.1
        ν, the share of the best step that is gone.
    subsample : float, default 1.0
        Share of the training rows, drawn anew each round, that h is fitted to. The step is the best one for all.
    validation_fraction : float, optional
        Share of the rows that is held out to end the rounds in time; none by default.
    patience : int, default 10
        Rounds that the held-out loss may go on without falling. The model ends where it was least.
    random_state : int or RandomState, optional
        Of what is drawn: held-out rows, subsamples, seeds of the weak learners.
    verbose : bool, default False
        Show a bar of rounds.

    Attributes
    ----------
    init_ : float
        The constant that costs least.
    estimators_ : list
        The learners h.
    estimator_weights_ : ndarray of shape (M,)
        Their weights ν α.
    history_ : BoostingHistory
        The loss round by round, which never rises on the training rows.
    stopped_ : str
        Why rounds ended before they were all done, "" if they did not.
    classes_, n_features_in_, feature_names_in_
        See `TwoClasses`.

    Notes
    -----
    Equal rows are one with the sum of their weights if the weak learner takes weights: what it counts, such as
    ``min_samples_leaf``, are different rows.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.linear_model import Ridge
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = FunctionalBoostingClassifier(Ridge(), loss="hinge", n_estimators=20).fit(X, y)
    >>> print(model.history_)
    hinge loss of the training rows: 0.7452 before the first round, 0.09... after 20 rounds
    """

    def __init__(
        self,
        estimator: Any = None,
        *,
        loss: Any = "logistic",
        n_estimators: int = 100,
        learning_rate: float = 0.1,
        subsample: float = 1.0,
        validation_fraction: float | None = None,
        patience: int = 10,
        random_state: Any = None,
        verbose: bool = False,
    ) -> None:
        self.estimator = estimator
        self.loss = loss
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.subsample = subsample
        self.validation_fraction = validation_fraction
        self.patience = patience
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> FunctionalBoostingClassifier:
        """Train the learners one by one.

        Parameters
        ----------
        X : array or DataFrame of shape (n, p)
            The rows.
        y : array of shape (n,)
            Their classes.
        sample_weight : array of shape (n,), optional
            What each row counts, for weak learners whose ``fit`` takes it.

        Returns
        -------
        FunctionalBoostingClassifier
        """
        loss, weak = as_class_loss(self.loss), self._weak()
        rows = self._read_rows(X, y, sample_weight, loss, merge=bool(weak.weight))
        if rows.cost(np.zeros(len(rows.y))) == 0.0:
            raise InvalidInputError(
                f"a score of 0 costs nothing under the {name_of(self.loss)} loss, so that there is nothing to lower: "
                "pass loss='hinge' or another"
            )
        self._descend(rows, weak, classes=True)
        return self

    @available_if(_gives_probabilities)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Floats:
        """Return the probabilities of both classes, for losses whose best score tells them.

        Parameters
        ----------
        X : array or DataFrame of shape (n, p)
            The rows.

        Returns
        -------
        ndarray of shape (n, 2)
        """
        second = np.asarray(_named(self.loss).probability(self.decision_function(X)))
        return np.column_stack([1.0 - second, second])


class FunctionalBoostingRegressor(_FunctionalBoosting, RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """A sum of any weak regressors that makes a loss of numbers small.

    Parameters
    ----------
    estimator : regressor, optional
        The weak learner: a tree, a ridge, a kernel machine, a small network, a pipeline of these. A tree of depth 3 by
        default.
    loss : str or object, default "squared"
        One of `NUMBER_LOSSES`, such as "huber"; one with a parameter, such as ``Huber(2.0)`` or ``Quantile(0.9)``; or
        an object with ``value(y, f)`` and ``slope(y, f)`` for arrays of targets and scores.
    n_estimators : int, default 100
        Rounds at most.
    learning_rate : float, default 0.1
        ν, the share of the best step that is gone.
    subsample : float, default 1.0
        Share of the training rows, drawn anew each round, that h is fitted to. The step is the best one for all.
    validation_fraction : float, optional
        Share of the rows that is held out to end the rounds in time; none by default.
    patience : int, default 10
        Rounds that the held-out loss may go on without falling. The model ends where it was least.
    random_state : int or RandomState, optional
        Of what is drawn: held-out rows, subsamples, seeds of the weak learners.
    verbose : bool, default False
        Show a bar of rounds.

    Attributes
    ----------
    init_ : float
        The constant that costs least, such as the mean.
    estimators_ : list
        The learners h.
    estimator_weights_ : ndarray of shape (M,)
        Their weights ν α.
    history_ : BoostingHistory
        The loss round by round, which never rises on the training rows.
    stopped_ : str
        Why rounds ended before they were all done, "" if they did not.
    n_features_in_, feature_names_in_ : int, ndarray
        Columns of X, and their names if it was a DataFrame.

    Notes
    -----
    Equal rows are one with the sum of their weights if the weak learner takes weights: what it counts, such as
    ``min_samples_leaf``, are different rows.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = FunctionalBoostingRegressor(n_estimators=50, random_state=0).fit(X, y)
    >>> round(model.score(X, y), 2)
    0.73
    """

    def __init__(
        self,
        estimator: Any = None,
        *,
        loss: Any = "squared",
        n_estimators: int = 100,
        learning_rate: float = 0.1,
        subsample: float = 1.0,
        validation_fraction: float | None = None,
        patience: int = 10,
        random_state: Any = None,
        verbose: bool = False,
    ) -> None:
        self.estimator = estimator
        self.loss = loss
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.subsample = subsample
        self.validation_fraction = validation_fraction
        self.patience = patience
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> FunctionalBoostingRegressor:
        """Train the learners one by one.

        Parameters
        ----------
        X : array or DataFrame of shape (n, p)
            The rows.
        y : array of shape (n,)
            Their numbers.
        sample_weight : array of shape (n,), optional
            What each row counts, for weak learners whose ``fit`` takes it.

        Returns
        -------
        FunctionalBoostingRegressor
        """
        loss, weak = as_number_loss(self.loss), self._weak()
        X, y = validate_data(self, X, y, dtype=float, y_numeric=True)
        weights = as_weights(sample_weight, len(X), "sample_weight")
        targets = np.asarray(y, dtype=float)
        self._descend(
            as_rows(X, targets, weights, loss, merge=bool(weak.weight)), weak, classes=False
        )
        return self

    def predict(self, X: Any) -> Floats:
        """Return the sum of each row.

        Parameters
        ----------
        X : array or DataFrame of shape (n, p)
            The rows.

        Returns
        -------
        ndarray of shape (n,)
        """
        check_is_fitted(self)
        return self._sum(validate_data(self, X, reset=False, dtype=float))

    def staged_predict(self, X: Any) -> Iterator[Floats]:
        """Hand on the sum of each row after each round.

        Parameters
        ----------
        X : array or DataFrame of shape (n, p)
            The rows.

        Yields
        ------
        ndarray of shape (n,)
        """
        check_is_fitted(self)
        yield from self._stages(validate_data(self, X, reset=False, dtype=float))
