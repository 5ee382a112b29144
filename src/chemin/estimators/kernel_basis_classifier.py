"""How does one fit a classifier that is a short list of couples, each a training point and a kernel?"""

from __future__ import annotations

from typing import Any

from chemin.estimators.kernel_classifier import KernelClassifier
from chemin.estimators.tuning import ChosenL1, GivenL1


class KernelBasisClassifier(GivenL1, KernelClassifier):
    """The sparse SVM on a basis of couples (training point, kernel), at one l1.

    The decision is f(x) = b0 + Σ_j Σ_l B_jl k_l(x_j, x): every point may use kernels of its own. B minimises hinge
    loss + (l2/2) Σ B_jl² + l1 Σ |B_jl|, so few couples are active.

    Parameters
    ----------
    kernels : kernel or list of kernels, optional
        From `chemin.kernels`, names of scikit-learn's pairwise kernels, or functions (X, Z) → matrix. The default is
        the variables themselves and Gaussians of a quarter, half, all and twice the median distance of the points, all
        in units of the variables' spread.
    l1, l2 : float, default 1.0 and 1e-3
        The penalties.
    relax, relax_l2 : float, default 1.0 and None
        See `SparseSVC`.
    centers : "auto", "all", int or Centers, default "auto"
        The training points on which kernels are centred. Equal points count once. ``"auto"`` is all for given kernels,
        and at most 300 otherwise, the nearest to the centres of k-means in each class.
    standardize : bool or "auto", default "auto"
        Divide variables by their standard deviation before kernels see them. ``"auto"`` does if no kernels are given.
    scale : {"auto", "none", "norm", "spread"} or float, default "auto"
        Use the columns as they are, or divide each by its root mean square over the training points, by its standard
        deviation, or by a power of that. Kernels of very different sizes compete on equal terms only when scaled.
        ``"auto"`` is ``"none"`` for given kernels and 0.5 otherwise: a Gaussian then has to be worth a little more
        than a variable, and more so if it sees few points.
    memory : float, default 1.0
        Gibibytes that columns may take while a path is followed. More columns than that are computed again and again.
    kernel_weight : array with one entry per kernel, optional
        Weights of the kernels in the L1 norm; a kernel of weight 2 must be worth twice as much to be taken.
    class_weight, positive, multiclass, probability, cv, tol, max_events, device, random_state, n_jobs, verbose
        See `SparseSVC`.

    Attributes
    ----------
    coef_ : ndarray of shape (machines, p)
        Coefficients of the variables, in the user's units, where they are offered.
    variables_, couples_ : DataFrame
        What the model consists of.
    n_terms_ : int
        Its length: distinct variables and couples over all machines.
    B_ : sparse array of shape (n, m), or a list with one per machine
        Coefficients, by training point and kernel; of the scaled columns if there is a scale.
    kernels_ : list of kernels
        Those in use.
    active_points_ : ndarray
        Training points with an active couple.
    support_ : ndarray
        Support vectors: training points with a positive dual value.
    indefinite_ : list of str
        Kernels that are not positive semi-definite. The basis does not need them to be.
    classes_, intercept_, l1_, l2_, relax_, path_, n_iter_, estimators_
        See `SparseSVC`.

    Examples
    --------
    >>> from chemin.datasets import toydata1
    >>> from chemin.kernels import Gaussian
    >>> X, y = toydata1()
    >>> kernels = [Gaussian(2).named("round"), Gaussian((1, 8)).named("upright"), Gaussian((8, 1)).named("lying")]
    >>> model = KernelBasisClassifier(kernels, l1=10.0).fit(X, y)
    >>> model.B_.shape, model.B_.nnz < 30, model.score(X, y) > 0.95
    ((200, 3), True, True)
    """

    def __init__(
        self,
        kernels: Any = None,
        l1: float = 1.0,
        l2: float = 1e-3,
        *,
        relax: float = 1.0,
        relax_l2: float | None = None,
        centers: Any = "auto",
        standardize: Any = "auto",
        scale: Any = "auto",
        memory: float = 1.0,
        kernel_weight: Any = None,
        class_weight: Any = None,
        positive: Any = None,
        multiclass: Any = "ovo",
        probability: bool = False,
        cv: Any = 5,
        tol: Any = "auto",
        max_events: int | None = None,
        device: str = "cpu",
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> None:
        self.kernels = kernels
        self.l1 = l1
        self.l2 = l2
        self.relax = relax
        self.relax_l2 = relax_l2
        self.centers = centers
        self.standardize = standardize
        self.scale = scale
        self.memory = memory
        self.kernel_weight = kernel_weight
        self.class_weight = class_weight
        self.positive = positive
        self.multiclass = multiclass
        self.probability = probability
        self.cv = cv
        self.tol = tol
        self.max_events = max_events
        self.device = device
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class KernelBasisClassifierCV(ChosenL1, KernelClassifier):
    """A short classifier: the fewest variables and couples (training point, kernel) that predict as well as the best.

    The path of the sparse SVM on all of them chooses which, a relaxed solution on the chosen ones shrinks them less,
    and the folds say how far to go: `rule` and `relax`.

    Parameters
    ----------
    kernels, centers, standardize, scale, memory, kernel_weight
        See `KernelBasisClassifier`; in each fold the centres are training points of that fold.
    rule : {"best", "1se", "fewest"}, default "fewest"
        See `SparseSVCCV`.
    relax : "auto", float, list of float, or None, default "auto"
        See `SparseSVCCV`.
    relax_l2 : float, None or "auto", default "auto"
        See `SparseSVCCV`.
    l2 : float or list of float, default 1e-3
        Ridge parameters to choose from.
    cv, scoring, refit, min_l1, min_ratio, tol, max_time
        See `SparseSVCCV`.
    class_weight, positive, multiclass, probability, max_events, device, random_state, n_jobs, verbose
        See `SparseSVC`.

    Attributes
    ----------
    variables_, couples_, n_terms_, coef_, B_, kernels_, active_points_, support_, indefinite_
        See `KernelBasisClassifier`.
    cv_results_, l1_, l2_, relax_, classes_, intercept_, path_, n_iter_, estimators_
        See `SparseSVCCV`.

    Examples
    --------
    >>> from chemin.datasets import toydata1
    >>> X, y = toydata1()
    >>> model = KernelBasisClassifierCV().fit(X, y)
    >>> model.score(X, y) > 0.95
    True
    """

    def __init__(
        self,
        kernels: Any = None,
        l2: Any = 1e-3,
        *,
        cv: Any = 5,
        scoring: Any = None,
        refit: bool = True,
        rule: str = "fewest",
        relax: Any = "auto",
        relax_l2: Any = "auto",
        min_l1: float = 0.0,
        min_ratio: Any = "auto",
        tol: Any = "auto",
        max_time: float | None = None,
        centers: Any = "auto",
        standardize: Any = "auto",
        scale: Any = "auto",
        memory: float = 1.0,
        kernel_weight: Any = None,
        class_weight: Any = None,
        positive: Any = None,
        multiclass: Any = "ovo",
        probability: bool = False,
        max_events: int | None = None,
        device: str = "cpu",
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> None:
        self.kernels = kernels
        self.l2 = l2
        self.cv = cv
        self.scoring = scoring
        self.refit = refit
        self.rule = rule
        self.relax = relax
        self.relax_l2 = relax_l2
        self.min_l1 = min_l1
        self.min_ratio = min_ratio
        self.tol = tol
        self.max_time = max_time
        self.centers = centers
        self.standardize = standardize
        self.scale = scale
        self.memory = memory
        self.kernel_weight = kernel_weight
        self.class_weight = class_weight
        self.positive = positive
        self.multiclass = multiclass
        self.probability = probability
        self.max_events = max_events
        self.device = device
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
