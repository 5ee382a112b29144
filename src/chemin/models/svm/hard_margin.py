"""Which hyperplane leaves the widest slab between two classes empty, and what proves that there is none?

    min ½‖w‖²   subject to   y_n (w·φ(x_n) + b) ≥ 1

The slab between f = −1 and f = 1 has the width 2/‖w‖: the distance of the convex hulls of the two classes, and twice
the distance of the nearest rows from the boundary f = 0. This width is what is called the margin here. The dual is the
search for the nearest points of the hulls,

    min ‖Σ α_n y_n φ(x_n)‖²   subject to   α ≥ 0,  Σ α = 1 in each class,   with λ = 2α/‖Σ α_n y_n φ(x_n)‖²,

solved by `nearest_points`. Where the minimum is 0, the hulls meet, no hyperplane separates the classes, and α is the
proof.

References: F. Sur, *Introduction à l'apprentissage automatique*, Mines Nancy, 2022-2023, section 8.1; Bennett and
Bredensteiner (2000), *Duality and geometry in SVM classifiers*.
"""

from __future__ import annotations

import numbers
import warnings
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from chemin.dictionaries.base import Floats, Indices
from chemin.engine.direct import solve
from chemin.exceptions import InvalidInputError
from chemin.frames import as_frame
from chemin.kernels import Kernel, Linear, Pairwise, as_kernel
from chemin.models.svm.hulls import Cloud, cloud_of_kernel, cloud_of_rows, nearest_points
from chemin.models.svm.optimality import KKTReport, Solved, measure, solved_by_kernel
from chemin.models.two_classes import TwoClasses
from chemin.results import Result, plural

_SAME = 1e-12  # of the radius: means nearer than that are one point
_SOFT = 1e6  # C where the hulls meet, for points at most 1 from their mean
_LINEAR = (Linear(), Pairwise("linear"))


class HardMarginSVC(TwoClasses):
    """The separating hyperplane of the widest margin, solved exactly, or a proof that there is none.

    Parameters
    ----------
    kernel : str, Kernel or callable, default "linear"
        One of `chemin.kernels`, the name of one of scikit-learn's pairwise kernels, or a function (X, Z) → matrix. It
        must be positive semi-definite.
    tol : float, default 1e-6
        Classes count as separable if their hulls are further apart than ``tol`` times the radius of the rows, which is
        the largest distance from their mean; with a kernel, distances are those of its feature space. Much less is of
        use with the linear kernel only: others are known to the square root of the machine's precision.
    strict : bool, default False
        Whether classes that are not separable are an error, rather than a warning and a soft margin.

    Attributes
    ----------
    feasible_ : bool
        Whether the classes are separable.
    infeasibility_ : Infeasibility or None
        The proof that they are not.
    C_ : float
        Infinity if the classes are separable. Otherwise the model is the soft-margin machine of this C, 10⁶ over the
        squared radius: its sum of slacks is the least one, up to ‖w‖²/2C.
    margin_ : float
        Width 2/‖w‖ of the slab |f| < 1, which no row is in if the classes are separable.
    gap_ : float
        Relative duality gap.
    support_, support_vectors_ : ndarrays
        Rows with a positive dual value: their positions, and themselves.
    dual_coef_ : ndarray of shape (1, n_support)
        Their dual values, signed by their class: y λ.
    coef_ : ndarray of shape (1, p)
        w, for the linear kernel.
    intercept_ : ndarray of shape (1,)
        b.
    kernel_ : Kernel
        The one in use.
    shape_fit_ : tuple of int
        Shape of the training rows.
    classes_, n_features_in_, feature_names_in_
        See `TwoClasses`.

    Examples
    --------
    >>> X = [[0.0, 0.0], [0.0, 2.0], [3.0, 0.0], [4.0, 1.0]]
    >>> model = HardMarginSVC().fit(X, [0, 0, 1, 1])
    >>> round(model.margin_, 12), model.coef_.round(6).tolist(), model.gap_ < 1e-12
    (3.0, [[0.666667, 0.0]], True)
    """

    kernel_: Kernel
    C_: float
    shape_fit_: tuple[int, int]
    _linear: bool
    _centre: Floats  # of the rows; 0 where the kernel is not linear
    _level: float  # the score there

    def __init__(self, kernel: Any = "linear", *, tol: float = 1e-6, strict: bool = False) -> None:
        self.kernel = kernel
        self.tol = tol
        self.strict = strict

    def fit(self, X: Any, y: Any) -> Self:
        """Find the widest margin.

        Parameters
        ----------
        X : array or DataFrame of shape (n, p)
            The rows.
        y : array of shape (n,)
            Their classes, two.

        Returns
        -------
        self
        """
        if not isinstance(self.tol, numbers.Real) or not 0.0 <= self.tol < 1.0:
            raise InvalidInputError(f"tol is {self.tol!r}: pass a number from 0 to 1, such as 1e-6")
        X, sign = self._read_training(X, y)
        self.shape_fit_ = X.shape
        self.kernel_ = as_kernel(self.kernel)
        if hasattr(self, "feature_names_in_"):
            self.kernel_ = self.kernel_.bind(list(self.feature_names_in_))
        self._linear = self.kernel_ in _LINEAR
        # A shift changes neither the hulls' distance nor, as Σ y λ = 0, what the kernel says of w.
        self._centre = X.mean(axis=0) if self._linear else np.zeros(X.shape[1])
        cloud = (
            cloud_of_rows(X - self._centre, X) if self._linear else cloud_of_kernel(self.kernel_, X)
        )
        weight = nearest_points(cloud.points, sign)
        used = np.flatnonzero(weight)
        found = Infeasibility(
            classes=(self.classes_[0], self.classes_[1]),
            rows=used,
            sides=(sign[used] > 0.0).astype(np.intp),
            weights=weight[used],
            distance=cloud.radius * float(np.linalg.norm((sign * weight) @ cloud.points)),
            radius=cloud.radius,
            least=max(self.tol * cloud.radius, cloud.blur),
        )
        self.feasible_ = found.distance > found.least
        self.infeasibility_ = None if self.feasible_ else found
        self.C_ = np.inf if self.feasible_ else _SOFT / cloud.radius**2
        if self.feasible_:
            self._keep(X, sign, weight)
        else:
            self._tell(found)
            self._keep(X, sign, *_least_slack(cloud, sign))
        return self

    def decision_function(self, X: Any) -> Floats:
        """Return w·φ(x) + b.

        Parameters
        ----------
        X : array or DataFrame of shape (n, p)
            The rows.

        Returns
        -------
        ndarray of shape (n,)
        """
        return self._scores(self._read_new(X))

    def report(self) -> KKTReport:
        """Return how exactly the conditions of optimality hold on the training rows.

        Returns
        -------
        KKTReport
            See `kkt_report`. If the classes are not separable, it is that of the soft-margin machine of ``C_``.
        """
        check_is_fitted(self)
        return self._report

    def _tell(self, found: Infeasibility) -> None:
        """Raise or warn that the classes are not separable."""
        if self.strict:
            raise InvalidInputError(f"{found} {_REMEDY}")
        told = f"{found} The model is the soft-margin machine of C = {self.C_:.3g}. {_REMEDY}"
        warnings.warn(told, UserWarning, stacklevel=3)

    def _keep(self, X: Any, sign: Floats, dual: Floats, score: Floats | None = None) -> None:
        """Keep the function of some dual values.

        Its scores are known but for a constant; or else the function is stretched until the nearest rows of both
        classes have y f = 1.
        """
        self.support_ = np.flatnonzero(dual)
        self.support_vectors_ = X[self.support_]
        signed = (sign * dual)[self.support_]
        raw = self._gram(X) @ signed
        if score is None:
            lowest, highest = raw[sign > 0.0].min(), raw[sign < 0.0].max()
            signed = signed * 2.0 / (lowest - highest)
            self._level = -float((lowest + highest) / (lowest - highest))
        else:
            self._level = float(np.mean(score - raw))
        self.dual_coef_ = signed[None]
        self.intercept_ = np.array([self._level])
        self.__dict__.pop("coef_", None)  # of an earlier fit
        if self._linear:
            self.coef_ = self.dual_coef_ @ (self.support_vectors_ - self._centre)
            self.intercept_ = self.intercept_ - self.coef_ @ self._centre
        solved = self.solved(X, sign, self._scores(X))
        self._report = measure(solved)
        self.gap_ = self._report.relative_gap
        self.margin_ = 2.0 / float(np.sqrt(solved.square)) if solved.square > 0.0 else np.inf

    def solved(self, X: Floats, sign: Floats, score: Floats) -> Solved:
        """Return what is to be measured on the rows of fit, their classes ±1 and scores: see `kkt_report`."""
        cost = np.full(len(sign), self.C_)
        return solved_by_kernel(self, score, sign, cost, self._gram(X), self._level)

    def _gram(self, X: Any) -> Floats:
        """Return the kernel between rows and the support vectors, both seen from the centre."""
        return self.kernel_(X - self._centre, self.support_vectors_ - self._centre)

    def _scores(self, X: Any) -> Floats:
        if self._linear:
            return np.asarray(X @ self.coef_[0] + self.intercept_[0])
        return np.asarray(self._gram(X) @ self.dual_coef_[0] + self._level)


_REMEDY = "Pass another kernel, such as Gaussian(), or use sklearn.svm.SVC, whose C prices the rows inside the margin."


@dataclass(frozen=True, eq=False, repr=False)
class Infeasibility(Result):
    """Why no hyperplane separates two classes: a weighted mean of rows of each, and both are the same point.

    A hyperplane with one class on either side would have the means on either side, too.

    Attributes
    ----------
    classes : pair of labels
        The classes.
    rows, sides, weights : ndarrays
        The rows in the means by position, 0 or 1 for their class, and their weights: positive, of sum 1 in each class.
    distance : float
        How far the two means are from one another; no other two means are nearer.
    radius : float
        Largest distance of a row from the mean of all.
    least : float
        The distance up to which classes count as not separable.
    """

    classes: tuple[Any, Any]
    rows: Indices
    sides: Indices
    weights: Floats
    distance: float
    radius: float
    least: float

    @property
    def meets(self) -> bool:
        """Whether the means are one point but for rounding; otherwise they are near, and the margin is very small."""
        return self.distance <= _SAME * self.radius

    def __str__(self) -> str:
        means = " and ".join(
            f"a mean of {plural(int(np.sum(self.sides == side)), 'row')} of class {label}"
            for side, label in enumerate(self.classes)
        )
        if self.meets:
            return f"No hyperplane separates the classes: {means} are the same point (distance {self.distance:.1e})."
        return (
            f"The classes are hardly separable: {means} are {self.distance:.1e} apart, less than {self.least:.1e}, "
            f"the least margin that counts for rows of radius {self.radius:.3g}."
        )

    def frame(self, kind: str | None = None) -> Any:
        """Return one line per row in the means: row, class, weight."""
        labels = [self.classes[side] for side in self.sides]
        columns = {"row": self.rows, "class": labels, "weight": self.weights}
        return as_frame(columns, kind, instead="rows, sides and weights")


def _least_slack(cloud: Cloud, sign: Floats) -> tuple[Floats, Floats]:
    """Return the dual values and the scores of the soft-margin machine of C = _SOFT/radius²."""
    found = solve(cloud.points, sign, 0.0, l2=1.0 / _SOFT)
    return found.dual * _SOFT / cloud.radius**2, cloud.points @ found.coef + found.intercept
