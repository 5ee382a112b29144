"""How does one let the data choose l1, and l2 among several?"""

from __future__ import annotations

from typing import Any

from chemin.estimators.linear import LinearClassifier
from chemin.estimators.tuning import ChosenL1


class SparseSVCCV(ChosenL1, LinearClassifier):
    """The sparse SVM with the l1 of smallest cross-validated error over *all* l1 of the path, not over a grid.

    Parameters
    ----------
    l2 : float, list of float, or "surface", default 1.0
        Ridge parameters to choose from. ``"surface"`` takes that of the smallest error over *all* (l1, l2), with l2
        from 0.01 to 100 and l1 from `min_ratio` of the first one, or a fortieth: exact, for up to some hundred points
        and scaled columns. It goes by solutions as they are on the path, whatever `relax` says.
    cv : int or splitter, default 5
        The folds; an integer means stratified ones.
    scoring : str or callable, optional
        None is the error rate, whose minimum is found exactly. Any other scorer of decisions is read at the
        breakpoints of the paths and halfway between them, more finely around the best.
    refit : bool, default True
        Fit all points at the chosen l1. Without it there are only ``l1_``, ``l2_`` and ``cv_results_``.
    rule : {"best", "1se", "fewest"}, default "best"
        The smallest error; the largest l1 within one standard error of it; or the fewest columns within half the
        standard error of the difference of two errors on the same points.
    relax : "auto", float, list of float, or None, default None
        Shares φ of l1 that compete beside 1: the same variables, shrunk by φ l1 only. They are judged at some tens of
        l1, φ = 1 at all. ``"auto"`` is φ = 0 alone: the path chooses the variables, a ridge SVM their coefficients.
    relax_l2 : float, None or "auto", default "auto"
        The ridge of the relaxed solutions; None is `l2`. ``"auto"`` is 10 where `relax` is, and `l2` otherwise.
    min_l1 : float, default 0.0
        How far the folds are followed at most: l1 is chosen above.
    min_ratio : float or "auto", default "auto"
        The share of the first l1 to which they are followed: 0.0 for all of the path. ``"auto"`` is 1/40, then 1/200
        and 1/1000 while the best is found near the end.
    tol : float or "auto", default "auto"
        See `SparseSVC`.
    max_time : float, optional
        Seconds that the folds may take. What they have decided by then is chosen from, with a warning; but
        ``l2="surface"`` needs all of the plane, and raises if the folds do not end in time.
    class_weight, positive, standardize, l1_weight, multiclass, max_events, device, random_state, n_jobs, verbose
        See `SparseSVC`.
    loss, penalty
        See `SparseSVC`.
    probability : bool, default False
        Offer ``predict_proba``: Platt's sigmoid on the decisions of the folds, which are there anyway. Its threshold
        of one half need not be where the decision is zero, and ``predict`` goes by the decision.

    Attributes
    ----------
    l1_, l2_, relax_ : float, or arrays with one entry per machine
        What was chosen.
    cv_results_ : dict, or list of dict with one entry per machine
        For each l2: the chosen ``l1`` and ``relax``, the ``interval`` that is as good and all such ``ties``, ``error``,
        ``standard_error`` and ``size`` (columns, mean over the folds); the whole exact ``curve`` of φ = 1, and the
        candidates of φ < 1 in ``relaxed``, with errors and sizes. ``chosen`` is the number of the l2 taken.
    region_ : BestRegion, or list of them
        For ``l2="surface"``: where the error is smallest, as polygons of (l1, l2). None if no variable is of use in the
        range of l1; the model is then that of l2 = 1.
    classes_, coef_, intercept_, support_, path_, n_iter_
        See `SparseSVC`; the path is that of all points.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = SparseSVCCV(standardize=True).fit(X, y)
    >>> round(model.cv_results_["error"][0], 3)
    0.021
    """

    def __init__(
        self,
        l2: Any = 1.0,
        *,
        loss: Any = "hinge",
        penalty: Any = "l1",
        cv: Any = 5,
        scoring: Any = None,
        refit: bool = True,
        rule: str = "best",
        relax: Any = None,
        relax_l2: Any = "auto",
        min_l1: float = 0.0,
        min_ratio: Any = "auto",
        tol: Any = "auto",
        max_time: float | None = None,
        class_weight: Any = None,
        positive: Any = None,
        standardize: bool = False,
        l1_weight: Any = None,
        multiclass: Any = "ovo",
        probability: bool = False,
        max_events: int | None = None,
        device: str = "cpu",
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> None:
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
        self.loss = loss
        self.penalty = penalty
        self.class_weight = class_weight
        self.positive = positive
        self.standardize = standardize
        self.l1_weight = l1_weight
        self.multiclass = multiclass
        self.probability = probability
        self.max_events = max_events
        self.device = device
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
