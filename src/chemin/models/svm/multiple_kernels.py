"""Which mix of kernels serves all points best? The SVM of Σ d_m K_m, with the weights d learned beside it.

    min over d ≥ 0, Σ d_m = 1 of J(d),    J(d) = max over α of Σ α_i − ½ Σ_m d_m q_m(α),    q_m(α) = αᵀY K_m Yα,

with 0 ≤ α_i ≤ C w_i and Σ α_i y_i = 0: the value of the SVM of the mix, which is convex in d, with ∂J/∂d_m = −½ q_m(α)
at its solution α. The sum of weights is an L1 norm, so that kernels which do not help get the weight 0. SciPy's
sequential quadratic programming moves d, scikit-learn's `SVC` answers with α. libsvm keeps kernels in single precision,
so that the last α is solved for once more in double precision, on the sets that were found.

For any α, Σ α_i − ½ max_m q_m(α) is at most the least value, and for any d and score the objective is at least that.
Their difference is the duality gap; it supposes nothing of the solvers.

References: Lanckriet, Cristianini, Bartlett, El Ghaoui and Jordan (2004); Bach, Lanckriet and Jordan (2004);
Rakotomamonjy, Bach, Canu and Grandvalet (2008), *SimpleMKL*.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.optimize import minimize
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC
from sklearn.utils.validation import check_is_fitted

from chemin.dictionaries.base import Floats, Indices
from chemin.estimators.centers import distinct
from chemin.estimators.kernel_basis import as_family, default_kernels
from chemin.exceptions import InvalidInputError
from chemin.frames import as_frame
from chemin.kernels import Kernel, Scaled, Sum, is_positive
from chemin.models.svm.optimality import Solved, solved_by_kernel
from chemin.models.two_classes import TwoClasses
from chemin.results import Result, plural

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["KernelMix", "MultipleKernelSVC"]

_SHARPER = 0.01  # of the gap asked for, to which scikit-learn solves the SVM of one mix
_SHARPEST = 1e-8  # less is of no use in single precision
_STILL = 1e-12  # of J at equal weights: a smaller change ends the descent
_NOTHING = 1e-8  # a weight that is less is rounded to 0, and the gap is that of the rounded mix
_MEASURED_ON = 300  # points on which a kernel of unknown positivity is tried
_CACHE = 500  # mebibytes of libsvm
_NAMED = 5  # kernels that a sentence has room for


@dataclass(frozen=True, eq=False, repr=False)
class KernelMix(Result):
    """The weight of every kernel.

    Attributes
    ----------
    kernels : tuple of kernels
        Those offered.
    weights : ndarray of shape (m,)
        The d_m: at least 0, and 1 together.
    factors : ndarray of shape (m,)
        What multiplies each kernel in the mix: d_m over its mean k(x, x), where kernels are brought to one size.
    gap : float
        The relative duality gap.
    """

    kernels: tuple[Kernel, ...]
    weights: Floats
    factors: Floats
    gap: float

    @property
    def kept(self) -> Indices:
        """The kernels of positive weight, the heaviest first."""
        order = np.argsort(-self.weights, kind="stable")
        return order[self.weights[order] > 0.0]

    def frame(self) -> Any:
        """Return a row per kernel as a DataFrame, the heaviest first."""
        order = np.argsort(-self.weights, kind="stable")
        made = {
            "kernel": [self.kernels[m].name for m in order],
            "weight": self.weights[order],
            "factor": self.factors[order],
        }
        return as_frame(made, instead="weights and factors")

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the weights as bars."""
        from chemin.plots.models.multiple_kernels import draw_mix

        order = np.argsort(-self.weights, kind="stable")
        names = [self.kernels[m].name for m in order]
        title = f"{len(self.kept)} of {plural(len(names), 'kernel')} kept"
        return draw_mix(names, self.weights[order], title=title, ax=ax)

    def __str__(self) -> str:
        told = [f"{self.kernels[m].name} {self.weights[m]:.3g}" for m in self.kept[:_NAMED]]
        more = len(self.kept) - len(told)
        rest = f", and {more} more" if more else ""
        return (
            f"{len(self.kept)} of {plural(len(self.kernels), 'kernel')} kept: {', '.join(told)}{rest}; "
            f"relative duality gap {self.gap:.0e}"
        )


class MultipleKernelSVC(TwoClasses):
    """The SVM of a mix of kernels, one mix for all points, learned with it.

    Minimises ½ Σ_m ‖f_m‖²/d_m + C Σ w_i max(0, 1 − y_i f(x_i)) over f = b + Σ f_m, with f_m in the space of kernel m,
    and over weights d_m ≥ 0 of sum 1. `KernelBasisClassifier` gives every point a mix of its own instead.

    Parameters
    ----------
    kernels : kernel or list of kernels, optional
        From `chemin.kernels`, names of scikit-learn's pairwise kernels, or functions (X, Z) → matrix; positive
        semi-definite ones. The default is Gaussians of a quarter, half, all and twice the median distance of the
        points, and with three to five columns narrower ones on each pair of them: bring columns to one unit first.
    C : float, default 1.0
        The price of an error, as in scikit-learn's `SVC`.
    normalize : bool, default True
        Divide each kernel by its mean k(x, x) over the training points. Kernels of very different sizes compete on
        equal terms only then.
    tol : float, default 1e-4
        The relative duality gap to reach.
    max_iter : int, default 200
        Steps of the descent over mixes; every step solves the SVM of one mix or a few.

    Attributes
    ----------
    weights_ : ndarray of shape (m,)
        The d_m, exactly 0 for kernels that are left out.
    kernels_ : tuple of kernels
        Those offered.
    n_kernels_ : int
        How many have a positive weight.
    kernel_ : Kernel
        The mix, as a kernel like any other.
    support_, support_vectors_ : ndarray
        Training points with a positive dual value.
    dual_coef_ : ndarray of shape (1, number of support vectors)
        Their y_i α_i.
    intercept_ : ndarray of shape (1,)
        The b.
    objective_ : float
        The value reached.
    gap_ : float
        The relative duality gap: the least value is at least (1 − gap_) objective_.
    n_iter_ : int
        SVMs solved.
    shape_fit_ : tuple of int
        Shape of the training rows.
    classes_, n_features_in_, feature_names_in_
        See `TwoClasses`.

    Notes
    -----
    All m matrices of n × n numbers are held at once, 8 m n² bytes. Points that are equal count as one with the sum of
    their weights, so that a weight of 2 is the same as a repetition.

    Examples
    --------
    One of the six pairs of variables holds the chequerboard:

    >>> from chemin.datasets import CHECKER_WIDTH, checker
    >>> from chemin.kernels import Gaussian, pairs_of
    >>> X, y = checker(200)
    >>> model = MultipleKernelSVC(pairs_of(4, Gaussian(CHECKER_WIDTH)), C=1.0).fit(X, y)
    >>> model.mix().frame()["kernel"][0]
    'Gaussian(width=0.35) on columns 0, 1'
    >>> bool(model.weights_[0] > 0.9), bool(model.gap_ < 1e-4)
    (True, True)
    """

    def __init__(
        self,
        kernels: Any = None,
        C: float = 1.0,
        *,
        normalize: bool = True,
        tol: float = 1e-4,
        max_iter: int = 200,
    ) -> None:
        self.kernels = kernels
        self.C = C
        self.normalize = normalize
        self.tol = tol
        self.max_iter = max_iter

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> MultipleKernelSVC:
        """Learn the mix and its SVM.

        Parameters
        ----------
        X : array or DataFrame of shape (n, p)
            The rows.
        y : array of shape (n,)
            Labels of two classes.
        sample_weight : array of shape (n,), optional
            Weights w_i ≥ 0 of the rows.

        Returns
        -------
        self
        """
        self._check_parameters()
        X, sign = self._read_training(X, y)
        weight = self._read_weights(sample_weight, X)
        points = _Points.of(X, sign, weight)
        self.shape_fit_ = X.shape
        self._cost = self.C * weight
        names = getattr(self, "feature_names_in_", None)
        family = as_family(self.kernels, names)
        self.kernels_ = family or default_kernels(points.X[distinct(points.X)], names)
        _check_positive(self.kernels_, points.X)
        size = self._sizes(points)
        matrices = np.stack(
            [kernel(points.X, points.X) / s for kernel, s in zip(self.kernels_, size, strict=True)]
        )
        search = _Search(matrices, points.sign, self.C * points.weight, _SHARPER * self.tol)
        self._keep(X, search.run(self.max_iter), points, size)
        self.n_iter_ = search.solved
        if self.gap_ > self.tol:
            warnings.warn(
                f"the relative duality gap is {self.gap_:.1e} and not {self.tol:.1e}: raise tol or max_iter, lower "
                "C, or bring columns to one unit",
                ConvergenceWarning,
                stacklevel=2,
            )
        return self

    def decision_function(self, X: Any) -> Floats:
        """Return f(x) of each row, positive for the second class.

        Parameters
        ----------
        X : array or DataFrame of shape (n, p)
            The rows.

        Returns
        -------
        ndarray of shape (n,)
        """
        X = self._read_new(X)
        values = self.kernel_(X, self.support_vectors_)
        return np.asarray(values @ self.dual_coef_[0] + self.intercept_[0])

    def mix(self) -> KernelMix:
        """Return the weights of the kernels, to be read, tabulated or drawn."""
        check_is_fitted(self)
        return KernelMix(self.kernels_, self.weights_, self._factors, self.gap_)

    def solved(self, X: Floats, sign: Floats, score: Floats) -> Solved:
        """Return what is to be measured on the rows of fit, their classes ±1 and scores: see `kkt_report`."""
        gram = self.kernel_(X, self.support_vectors_)
        return solved_by_kernel(self, score, sign, self._cost, gram, float(self.intercept_[0]))

    def _check_parameters(self) -> None:
        for name, example in (("C", "1.0"), ("tol", "1e-4")):
            value = getattr(self, name)
            number = isinstance(value, Real) and not isinstance(value, bool)
            if not number or not 0.0 < value < np.inf:
                raise InvalidInputError(
                    f"{name} is {value!r}: pass a positive number, such as {example}"
                )
        if not isinstance(self.max_iter, Integral) or self.max_iter < 1:
            raise InvalidInputError(
                f"max_iter is {self.max_iter!r}: pass a whole number, such as 200"
            )
        if not isinstance(self.normalize, bool | np.bool_):
            raise InvalidInputError(f"normalize is {self.normalize!r}: pass True or False")

    def _sizes(self, points: _Points) -> Floats:
        """Return what each kernel is divided by: its mean k(x, x), or 1; a kernel that is 0 throughout stays so."""
        if not self.normalize:
            return np.ones(len(self.kernels_))
        mean = [
            np.average(kernel.diagonal(points.X), weights=points.weight) for kernel in self.kernels_
        ]
        return np.where(np.array(mean) > 0.0, mean, 1.0)

    def _keep(self, X: Floats, found: _Mixed, points: _Points, size: Floats) -> None:
        dual = points.shared(found.dual)
        self.weights_ = found.weights
        self._factors = found.weights / size
        kept = np.flatnonzero(found.weights)
        self.n_kernels_ = len(kept)
        self.kernel_ = Sum(tuple(Scaled(self.kernels_[m], float(self._factors[m])) for m in kept))
        self.support_ = np.flatnonzero(dual)
        self.support_vectors_ = X[self.support_]
        self.dual_coef_ = dual[None, self.support_]
        self.intercept_ = np.array([found.intercept])
        self.objective_ = found.value
        self.gap_ = found.gap


@dataclass(frozen=True, eq=False)
class _Points:
    """Points that differ, in an order that is not that of the rows, each with the weight of all its rows."""

    X: Floats
    sign: Floats
    weight: Floats
    share: Floats  # of each row in its point
    place: Indices  # of the point of each row

    @classmethod
    def of(cls, X: Floats, sign: Floats, weight: Floats) -> _Points:
        counts = weight > 0.0
        if len(np.unique(sign[counts])) < 2:
            raise InvalidInputError(
                "all rows of one class weigh 0: pass positive weights for rows of two classes"
            )
        rows = np.column_stack([X, sign]) + 0.0  # −0.0 is 0.0
        kinds, place = np.unique(rows[counts], axis=0, return_inverse=True)
        where = np.zeros(len(X), dtype=np.intp)
        where[counts] = place.ravel()
        total = np.bincount(where, weight, minlength=len(kinds)).astype(float)
        return cls(kinds[:, :-1], kinds[:, -1], total, weight / total[where], where)

    def shared(self, values: Floats) -> Floats:
        """Return the values of points as those of rows, shared as the weights are."""
        return self.share * values[self.place]


@dataclass(frozen=True, eq=False)
class _Mixed:
    """The SVM of one mix: what it reached, and what its dual values prove about all mixes."""

    weights: Floats
    dual: Floats  # y_i α_i
    intercept: float
    sizes: Floats  # the q_m
    value: float

    @property
    def reached(self) -> float:
        """J(d), as the dual values tell it."""
        return float(np.abs(self.dual).sum() - 0.5 * self.weights @ self.sizes)

    @property
    def gap(self) -> float:
        """The relative duality gap."""
        bound = np.abs(self.dual).sum() - 0.5 * self.sizes.max()
        return float(max(self.value - bound, 0.0) / self.value)


class _Search:
    """The descent over mixes; it remembers the mix of the least gap."""

    def __init__(self, matrices: Floats, sign: Floats, box: Floats, tol: float) -> None:
        self.matrices, self.sign, self.box = matrices, sign, box
        self.machine = SVC(C=1.0, kernel="precomputed", tol=tol, cache_size=_CACHE)
        self.solved = 0

    def run(self, most: int) -> _Mixed:
        """Return the best mix that so many steps lead to."""
        count = len(self.matrices)
        start = np.full(count, 1.0 / count)
        first = self.mixed(start)
        # An error of ε in all scores costs up to ε Σ c_i.
        self.machine.tol = max(self.machine.tol * first.value / self.box.sum(), _SHARPEST)
        best = first = self.mixed(start)

        def value_and_slope(weights: Floats) -> tuple[float, Floats]:
            nonlocal best
            now = self.mixed(np.clip(weights, 0.0, 1.0))
            best = min(best, now, key=lambda mixed: mixed.gap)
            return now.reached / first.reached, -0.5 * now.sizes / first.reached

        if count > 1:
            minimize(
                value_and_slope,
                first.weights,
                jac=True,
                method="SLSQP",
                bounds=[(0.0, 1.0)] * count,
                constraints={"type": "eq", "fun": lambda d: d.sum() - 1.0, "jac": np.ones_like},
                options={"ftol": _STILL, "maxiter": most},
            )
        rounded = np.where(best.weights > _NOTHING, best.weights, 0.0)
        last = [self.mixed(rounded / rounded.sum(), sharp) for sharp in (True, False)]
        return min(last, key=lambda mixed: mixed.gap)

    def mixed(self, weights: Floats, sharp: bool = False) -> _Mixed:
        """Solve the SVM of one mix, in double precision if it is to be ``sharp``."""
        self.solved += 1
        matrix = np.tensordot(weights, self.matrices, 1)
        self.machine.fit(matrix, self.sign, sample_weight=self.box)
        dual = np.zeros(len(self.sign))
        dual[self.machine.support_] = self.machine.dual_coef_[0]
        if sharp:
            dual = _sharpened(dual, matrix, self.sign, self.box)
        support = np.flatnonzero(dual)
        coef = dual[support]
        among = np.ix_(support, support)
        sizes = np.array([coef @ one[among] @ coef for one in self.matrices])
        scores = matrix[:, support] @ coef
        intercept = _best_intercept(scores, self.sign, self.box)
        short = np.maximum(1.0 - self.sign * (scores + intercept), 0.0)
        value = float(0.5 * weights @ sizes + self.box @ short)
        return _Mixed(weights, dual, intercept, sizes, value)


def _sharpened(dual: Floats, matrix: Floats, sign: Floats, box: Floats) -> Floats:
    """Move the dual values between the bounds until their points are on the margin, unless a bound is in the way.

    With F these points and δ the change of y α there, K_FF δ + b = y_F − (K y α)_F and Σ δ = −Σ y α.
    """
    size = sign * dual
    free = np.flatnonzero((size > 0.0) & (size < box))
    system = np.ones((len(free) + 1, len(free) + 1))
    system[:-1, :-1] = matrix[np.ix_(free, free)]
    system[-1, -1] = 0.0
    missing = np.append(sign[free] - matrix[free] @ dual, -dual.sum())
    moved = dual.copy()
    moved[free] += np.linalg.lstsq(system, missing)[0][:-1]
    size = sign * moved
    return moved if np.all((size >= 0.0) & (size <= box)) else dual


def _best_intercept(scores: Floats, sign: Floats, box: Floats) -> float:
    """Return the b of least Σ c_i max(0, 1 − y_i (s_i + b)), the middle one of several.

    Its slope is −Σ c_i over the positive class at first, and rises by c_i where b passes y_i − s_i.
    """
    kinks = sign - scores
    order = np.argsort(kinks, kind="stable")
    risen = np.cumsum(box[order])
    needed = box[sign > 0.0].sum()
    low, high = np.searchsorted(risen, needed * np.array([1.0 - 1e-9, 1.0 + 1e-9]))
    return float(kinks[order[[low, high]]].mean())


def _check_positive(kernels: tuple[Kernel, ...], X: Floats) -> None:
    for kernel in kernels:
        if not is_positive(kernel, X[:_MEASURED_ON]):
            raise InvalidInputError(
                f"{kernel.name} is not positive semi-definite, so that its SVM has no least value: leave it out, or "
                "pass it to KernelBasisClassifier, which takes any kernel"
            )
