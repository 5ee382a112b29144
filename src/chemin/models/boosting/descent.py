"""How does a sum of weak learners grow? F ← F + α h, round by round, while the training loss falls.

What h and α are is the business of each face (`AdaBoost`, `LogitBoost`, functional gradients); rounds, losses, held-out
rows and reasons to stop are the same for all.

References: F. Sur, *Introduction à l'apprentissage automatique*, Mines Nancy, 2022-2023, section 7.3; Mason, Baxter,
Bartlett and Frean (2000), *Boosting algorithms as gradient descent*; Friedman (2001), *Greedy function approximation*.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chemin.dictionaries.base import Floats, Indices
from chemin.exceptions import InvalidInputError
from chemin.models.boosting.history import BoostingHistory
from chemin.models.boosting.losses import Loss
from chemin.models.boosting.weak import predicted
from chemin.models.two_classes import TwoClasses
from chemin.progress import Bar
from chemin.validation import as_weights


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows with targets and weights, and the loss that is measured on them.

    Attributes
    ----------
    X : ndarray of shape (n, p)
        The rows.
    y : ndarray of shape (n,)
        Their targets, ±1 for classes.
    weights : ndarray of shape (n,)
        Their weights, all positive.
    loss : Loss
        What a score costs.
    """

    X: Floats
    y: Floats
    weights: Floats
    loss: Loss

    def cost(self, F: Floats) -> float:
        """Return the mean loss Σ w ℓ(y, F) / Σ w."""
        return float(self.weights @ self.loss.value(self.y, F) / self.weights.sum())

    def fall(self, F: Floats) -> Floats:
        """Return −ℓ'(y, F), the direction in which the loss falls fastest."""
        return -self.loss.slope(self.y, F)

    def along(self, F: Floats, h: Floats) -> Callable[[float], float]:
        """Return the function α → mean loss of F + α h."""
        return lambda step: self.cost(F + step * h)

    def slope_along(self, F: Floats, h: Floats) -> Callable[[float], float]:
        """Return its derivative."""
        share = self.weights * h / self.weights.sum()
        return lambda step: float(share @ self.loss.slope(self.y, F + step * h))

    def of(self, some: Indices) -> Rows:
        """Return some of the rows."""
        return Rows(self.X[some], self.y[some], self.weights[some], self.loss)


def as_rows(X: Floats, y: Floats, weights: Floats, loss: Loss, *, merge: bool) -> Rows:
    """Return the rows that count, those of weight 0 being as if they were not there.

    Merged, equal rows are one with the sum of their weights, and come in an order of their own. So the rounding that
    decides between equally good splits depends neither on the order of the rows, nor on whether some are repeated or
    weighted.
    """
    counted = weights > 0.0
    if not counted.any():
        raise InvalidInputError("every sample_weight is zero: give some rows a positive weight")
    X, y, weights = X[counted], y[counted], weights[counted]
    if not merge:
        return Rows(X, y, weights, loss)
    table = np.ascontiguousarray(np.column_stack([X, y]) + 0.0)  # so that −0 is 0
    keys = table.view(np.dtype((np.void, table.itemsize * table.shape[1]))).ravel()
    _, first, place = np.unique(keys, return_index=True, return_inverse=True)
    return Rows(X[first], y[first], np.bincount(place, weights).astype(float), loss)


@dataclass(frozen=True, eq=False)
class Proposal:
    """What a round adds.

    Attributes
    ----------
    learner : estimator
        The weak learner.
    values : ndarray of shape (n,)
        h at the training rows.
    step : float
        α; 0 if nothing can be gained along h.
    ends : str
        Why no round follows this one, "" if one may.
    """

    learner: Any
    values: Floats
    step: float
    ends: str = ""


@dataclass(eq=False)
class Descent:
    """What the rounds gave: learners, α's, and losses from before the first round on."""

    learners: list[Any] = field(default_factory=list)
    steps: list[float] = field(default_factory=list)
    losses: list[float] = field(default_factory=list)
    held_out: list[float] = field(default_factory=list)
    stopped: str = ""

    @property
    def kept(self) -> int:
        """How many rounds are best: all, or those up to the least held-out loss."""
        return int(np.argmin(self.held_out)) if self.held_out else len(self.steps)

    def told(self, loss: str) -> BoostingHistory:
        """Return the losses round by round."""
        held_out = np.array(self.held_out)
        return BoostingHistory(
            loss, np.array(self.losses), held_out, np.array(self.steps), self.kept, self.stopped
        )


def descend(
    rows: Rows,
    start: float,
    propose: Callable[[Floats], Proposal],
    n_estimators: int,
    *,
    held_out: Rows | None = None,
    patience: int = 0,
    shown: bool = False,
) -> Descent:
    """Add weak learners, one per round.

    Parameters
    ----------
    rows : Rows
        What they are trained on.
    start : float
        F before the first round.
    propose : callable
        Scores F of the training rows → Proposal.
    n_estimators : int
        Rounds at most.
    held_out : Rows, optional
        Rows whose loss ends the rounds when it no longer falls.
    patience : int, default 0
        Rounds that it may fail to do so.
    shown : bool, default False
        Show a bar of rounds.

    Returns
    -------
    Descent
    """
    F = np.full(len(rows.y), start)
    made = Descent(losses=[rows.cost(F)])
    if held_out is not None:
        held_F = np.full(len(held_out.y), start)
        made.held_out.append(held_out.cost(held_F))
    for m in Bar("rounds", n_estimators, shown).over(range(1, n_estimators + 1)):
        found = propose(F)
        if found.step == 0.0:
            made.stopped = found.ends or f"no step along learner {m} lowers the loss"
            break
        F = F + found.step * found.values
        made.learners.append(found.learner)
        made.steps.append(found.step)
        made.losses.append(rows.cost(F))
        if held_out is not None:
            held_F = held_F + found.step * predicted(found.learner, held_out.X)
            made.held_out.append(held_out.cost(held_F))
            if m - made.kept >= patience:
                made.stopped = f"the held-out loss did not fall for {patience} rounds"
                break
        if found.ends:
            made.stopped = found.ends
            break
    return made


class Additive:
    """A fitted sum F(x) = c + Σ α_m h_m(x)."""

    init_: float
    estimators_: list[Any]
    estimator_weights_: Floats
    stopped_: str

    def _keep(self, start: float, made: Descent) -> None:
        """Remember the sum up to its best round."""
        self.init_ = start
        self.estimators_ = made.learners[: made.kept]
        self.estimator_weights_ = np.array(made.steps[: made.kept])
        self.stopped_ = made.stopped

    def _stages(self, X: Floats) -> Iterator[Floats]:
        """Hand on F after each round."""
        F = np.full(len(X), self.init_)
        for weight, learner in zip(self.estimator_weights_, self.estimators_, strict=True):
            F = F + weight * predicted(learner, X)
            yield F

    def _sum(self, X: Floats) -> Floats:
        """Return F after the last round."""
        F = np.full(len(X), self.init_)
        for F in self._stages(X):  # noqa: B007
            pass
        return F


class AdditiveClassifier(Additive, TwoClasses):
    """A classifier of two classes by the sign of a sum of weak learners."""

    def decision_function(self, X: Any) -> Floats:
        """Return the sum of each row, positive for the second class.

        Parameters
        ----------
        X : array or DataFrame of shape (n, p)
            The rows.

        Returns
        -------
        ndarray of shape (n,)
        """
        return self._sum(self._read_new(X))

    def staged_decision_function(self, X: Any) -> Iterator[Floats]:
        """Hand on the sum of each row after each round.

        Parameters
        ----------
        X : array or DataFrame of shape (n, p)
            The rows.

        Yields
        ------
        ndarray of shape (n,)
        """
        yield from self._stages(self._read_new(X))

    def staged_predict(self, X: Any) -> Iterator[NDArray[Any]]:
        """Hand on the class of each row after each round.

        Parameters
        ----------
        X : array or DataFrame of shape (n, p)
            The rows.

        Yields
        ------
        ndarray of shape (n,)
        """
        for F in self.staged_decision_function(X):
            yield self.classes_[(F > 0.0).astype(int)]

    def _read_rows(self, X: Any, y: Any, sample_weight: Any, loss: Loss, *, merge: bool) -> Rows:
        """Return the training rows, with the signs of their classes."""
        X, signs = self._read_training(X, y)
        weights = as_weights(sample_weight, len(X), "sample_weight")
        rows = as_rows(X, signs, weights, loss, merge=merge)
        if len(np.unique(rows.y)) < 2:
            raise InvalidInputError(
                f"every row of one class has a sample_weight of zero: {type(self).__name__} needs rows of two classes"
            )
        return rows
