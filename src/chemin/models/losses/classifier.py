"""Which plane costs least, whatever the loss of its margins? One penalty and one certificate for all of them.

    minimise over b, w    P = ‖w‖² + C Σ s_i ℓ(z_i),    z_i = y_i (b + w·x_i),

with weights s_i of the rows; the intercept b is not penalised. Its dual has one α_i per row, with Σ α_i y_i = 0:

    D(α) = −¼ ‖Σ α_i y_i x_i‖² − C Σ s_i ℓ*(−α_i/(C s_i))  ≤  min P.

*Smooth losses.* Newton's steps. Where the slope in b is 0, α_i = −C s_i ℓ'(z_i) may be put into D, and with
ℓ*(ℓ'(z)) = z ℓ'(z) − ℓ(z) all of P − D but ¼ ‖∇_w P‖² cancels: the duality gap is read off the gradient.

*Hinge.* It is the ridge SVM, l2 = 2/C, of `chemin.solve`, whose dual values are exact.

*Perceptron.* max(0, −z) is 0 at w = 0, b = 0: under any penalty its least value is 0, at a score that decides nothing.
What is fitted asks for a margin a > 0, max(0, a − z) with a = `MARGIN`. That is the hinge at the price C/a, its
solution times a. As a → 0 the penalty counts less and less: where the classes are separated, the plane becomes that of
the widest margin.

scikit-learn writes ½ ‖w‖² + C' Σ ℓ: C' = C/2 for `SVC`; C' = C/(2 log 2) for `LogisticRegression`, whose loss is log 2
times ours; `Ridge` has alpha = 1/C.

References: F. Sur, *Introduction à l'apprentissage automatique*, Mines Nancy, 2022-2023, section 8.4; N. Baskiotis,
*Machine Learning*, lecture 3, for the perceptron's margin.
"""

from __future__ import annotations

import warnings
from numbers import Real
from typing import Any

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.metaestimators import available_if

from chemin.dictionaries.base import Floats
from chemin.engine.direct import solve
from chemin.exceptions import InvalidInputError
from chemin.models.losses.margins import MARGIN_LOSSES, MarginLoss, as_margin_loss
from chemin.models.two_classes import TwoClasses

__all__ = ["MARGIN", "LossClassifier"]

MARGIN = 0.01  # what the perceptron asks for
_HINGES = {MARGIN_LOSSES["hinge"].value: 1.0, MARGIN_LOSSES["perceptron"].value: MARGIN}
_GAP = 1e-8  # a relative duality gap above which a fit is not called solved
_STILL = 1e-15  # of the objective: a step that promises less is the last one
_MOST = 200
_ENOUGH = 1e-4  # of the promised fall, which a step must have
_SHORTEST = 1e-12


def _has_probabilities(classifier: Any) -> bool:
    """Say whether the best score of the loss tells a probability."""
    try:
        return as_margin_loss(classifier.loss).probability is not None
    except InvalidInputError:  # which fit will say
        return False


class LossClassifier(TwoClasses):
    """The linear classifier of a loss of the margin, under a ridge penalty.

    Minimises ‖w‖² + C Σ s_i ℓ(y_i (b + w·x_i)); the intercept b is not penalised. Columns count in their own units:
    bring them to one unit first.

    Parameters
    ----------
    loss : {"hinge", "perceptron", "logistic", "exponential", "square"} or MarginLoss, default "logistic"
        What a margin costs, as `MARGIN_LOSSES` has it, or a loss of your own that has a curvature. The perceptron asks
        for a margin of 0.01, since under a penalty its own loss is least at w = 0: it is the hinge at 100 C, times
        0.01.
    C : float, default 1.0
        The price of the losses. It is twice the C of scikit-learn's `SVC`, 2 log 2 times that of its
        `LogisticRegression`, and one over the alpha of its `Ridge`.

    Attributes
    ----------
    coef_ : ndarray of shape (1, p)
        The w.
    intercept_ : ndarray of shape (1,)
        The b.
    objective_ : float
        The value reached.
    gap_ : float
        The relative duality gap: the least value is at least (1 − gap_) objective_. For a smooth loss it is
        ‖∇_w‖²/4 over the objective.
    classes_, n_features_in_, feature_names_in_
        See `TwoClasses`.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import scale
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = LossClassifier("exponential").fit(scale(X), y)
    >>> round(model.score(scale(X), y), 3), model.gap_ < 1e-12
    (0.986, True)
    """

    def __init__(self, loss: str | MarginLoss = "logistic", C: float = 1.0) -> None:
        self.loss = loss
        self.C = C

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> LossClassifier:
        """Find the plane.

        Parameters
        ----------
        X : array or DataFrame of shape (n, p)
            The rows.
        y : array of shape (n,)
            Labels of two classes.
        sample_weight : array of shape (n,), optional
            Weights s_i ≥ 0 of the rows.

        Returns
        -------
        self
        """
        loss = as_margin_loss(self.loss)
        number = isinstance(self.C, Real) and not isinstance(self.C, bool)
        if not number or not 0.0 < self.C < np.inf:
            raise InvalidInputError(f"C is {self.C!r}: pass a positive number, such as 1.0")
        X, sign = self._read_training(X, y)
        weight = self._read_weights(sample_weight, X)
        if len(np.unique(sign[weight > 0.0])) < 2:
            raise InvalidInputError(
                "all rows of one class weigh 0: pass positive weights for rows of two classes"
            )
        mean = np.average(X, axis=0, weights=weight)
        columns, back = _few_columns(X - mean)
        fit = _by_newton if loss.smooth else _by_hinges
        coef, intercept, gap = fit(loss, columns, sign, float(self.C) * weight)
        coef = back @ coef if back is not None else coef
        intercept -= float(mean @ coef)
        self.coef_ = coef[None]
        self.intercept_ = np.array([intercept])
        margins = sign * (X @ coef + intercept)
        self.objective_ = objective(asked(loss), coef, margins, float(self.C) * weight)
        self.gap_ = gap
        if not gap <= _GAP:
            warnings.warn(
                f"the relative duality gap is {gap:.1e}: bring columns to one unit, or lower C",
                ConvergenceWarning,
                stacklevel=2,
            )
        return self

    def decision_function(self, X: Any) -> Floats:
        """Return b + w·x of each row, positive for the second class.

        Parameters
        ----------
        X : array or DataFrame of shape (n, p)
            The rows.

        Returns
        -------
        ndarray of shape (n,)
        """
        X = self._read_new(X)
        return np.asarray(X @ self.coef_[0] + self.intercept_[0])

    @available_if(_has_probabilities)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Floats:
        """Return the probabilities of both classes, for the losses whose best score tells them.

        Parameters
        ----------
        X : array or DataFrame of shape (n, p)
            The rows.

        Returns
        -------
        ndarray of shape (n, 2)
        """
        scores = self.decision_function(X)
        probability = as_margin_loss(self.loss).probability
        assert probability is not None  # or there is no such method
        second = probability(scores)
        return np.column_stack([1.0 - second, second])


def asked(loss: MarginLoss) -> MarginLoss:
    """Return what is minimised in place of a loss: the perceptron asks for a margin, the others are themselves."""
    if loss.value is not MARGIN_LOSSES["perceptron"].value:
        return loss
    return MarginLoss(loss.name, lambda z: loss.value(z - MARGIN), lambda z: loss.slope(z - MARGIN))


def objective(loss: MarginLoss, coef: Floats, margins: Floats, price: Floats) -> float:
    """Return ‖w‖² + Σ c_i ℓ(z_i).

    Examples
    --------
    >>> objective(as_margin_loss("hinge"), np.array([2.0]), np.array([0.5, 3.0]), np.ones(2))
    4.5
    """
    return float(coef @ coef + price @ loss.value(margins))


def _few_columns(X: Floats) -> tuple[Floats, Floats | None]:
    """Return columns in which w has the same length, as many as rows at most, and the way back to those of X."""
    if X.shape[1] <= X.shape[0]:
        return X, None
    back, rest = np.linalg.qr(X.T)
    return rest.T, back


def _by_newton(
    loss: MarginLoss, X: Floats, sign: Floats, price: Floats
) -> tuple[Floats, float, float]:
    """Return w, b and the relative gap by Newton's steps, shortened until the objective falls."""
    assert loss.curvature is not None  # it is smooth
    rows = sign[:, None] * np.column_stack([X, np.ones(len(X))])
    ridge = np.append(np.full(X.shape[1], 2.0), 0.0)

    def value(at: Floats) -> float:
        return objective(loss, at[:-1], rows @ at, price)

    at = np.zeros(len(ridge))
    now = value(at)
    for _ in range(_MOST):
        margins = rows @ at
        slope = ridge * at + rows.T @ (price * loss.slope(margins))
        bend = (rows.T * (price * loss.curvature(margins))) @ rows + np.diag(ridge)
        step = -_solved(bend, slope)
        fall = float(-slope @ step)  # twice what the step promises
        last = fall <= _STILL * now
        length = 1.0
        while (
            not last
            and value(at + length * step) > now - _ENOUGH * length * fall
            and length > _SHORTEST
        ):
            length *= 0.5
        at = at + length * step
        now = value(at)
        if last:
            break
    slope = ridge * at + rows.T @ (price * loss.slope(rows @ at))
    return at[:-1], float(at[-1]), float(0.25 * slope[:-1] @ slope[:-1] / now)


def _solved(bend: Floats, slope: Floats) -> Floats:
    """Solve for a step, in units in which every variable bends alike."""
    unit = np.sqrt(np.diag(bend))
    try:
        factor = cho_factor(bend / np.outer(unit, unit))
    except LinAlgError as error:
        raise InvalidInputError(
            "columns are too large or too alike for this C: bring them to one unit, or lower C"
        ) from error
    return cho_solve(factor, slope / unit) / unit


def _by_hinges(
    loss: MarginLoss, X: Floats, sign: Floats, price: Floats
) -> tuple[Floats, float, float]:
    """Return w, b and the relative gap for the hinge, and for the perceptron as a multiple of it."""
    if loss.value not in _HINGES:
        raise InvalidInputError(
            f"the loss {loss.name!r} has no curvature: pass a MarginLoss with one, or one of {', '.join(MARGIN_LOSSES)}"
        )
    margin = _HINGES[loss.value]
    # a² (‖w/a‖² + Σ (c_i/a) max(0, 1 − z_i/a))
    largest = price.max()
    found = solve(
        X,
        sign,
        1.0,
        l2=2.0 * margin / largest,
        sample_weight=price / largest,
        l1_weight=np.zeros(X.shape[1]),
    )
    gap = found.certificate().worst_gap
    return margin * found.coef, margin * found.intercept, float(gap)
