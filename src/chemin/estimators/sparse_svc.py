"""How does one fit the sparse SVM at a given l1?"""

from __future__ import annotations

from typing import Any

from chemin.estimators.linear import LinearClassifier
from chemin.estimators.tuning import GivenL1


class SparseSVC(GivenL1, LinearClassifier):
    """The sparse SVM at one l1, read off its exact path.

    Parameters
    ----------
    l1, l2 : float, default 1.0
        The penalties.
    relax : float, default 1.0
        A share φ of l1: the variables are those of l1, the coefficients those of φ l1 on them. 1 is the path itself,
        0 the ridge SVM on its variables; see `chemin.relaxed_path`.
    relax_l2 : float, optional
        The ridge of the relaxed solution, if not `l2`.
    loss : str or Loss, default "hinge"
        What a wrong decision costs: ``"hinge"``, the SVM; ``"squared_hinge"``, half its square; ``"huberized"``, or
        ``HuberizedHinge(δ)``, the hinge with its kink rounded over a part δ of the margin.
    penalty : str or Penalty, default "l1"
        What a coefficient costs beside its ridge: ``"l1"``; ``"nonnegative"``, or ``L1(sign=…)`` for coefficients of
        given signs; ``"mcp"``, ``"scad"``, or ``MCP(γ)``, ``SCAD(a)``, which do not shrink what is large. With `l2` it
        must be convex, as for `chemin.path`.
    class_weight : dict or "balanced", optional
        Weights of the classes, as in scikit-learn.
    positive : class label, optional
        The class that words, tables and pictures speak for, of two; ``decision_function`` keeps ``classes_[1]``.
    standardize : bool, default False
        Penalise columns in units of their standard deviation; coefficients are given in the user's units.
    l1_weight : array of shape (p,), optional
        Weights of the variables in the L1 norm; 0 means never penalised by it.
    multiclass : {"ovo", "ovr"}, ECOC or ClassTree, default "ovo"
        How more than two classes are told apart.
    probability : bool, default False
        Fit Platt's sigmoid on held-out decisions, which costs `cv` more paths, and offer ``predict_proba``.
    cv : int or splitter, default 5
        The folds on which the sigmoid is fitted.
    tol : float or "auto", default "auto"
        The relative gap of the path: 0 is exact. ``"auto"`` is exact up to some thousands of points and 1e-3, proved
        for every l1, for more; ``path_.status`` says which.
    max_events : int, optional
        Give up the path after so many events; the last l1 reached is then used.
    device : str, default "cpu"
        Where the columns live while a path is followed, as for `chemin.svm_path`: ``"cuda"`` or ``"auto"`` for a GPU.
    random_state : int, optional
        Shuffles the folds.
    n_jobs : int, optional
        Paths followed at the same time: those of the folds, or with more than two classes those of the machines.
    verbose : bool, default False
        Show a bar of finished paths.

    Attributes
    ----------
    classes_ : ndarray
        The labels.
    coef_, intercept_ : ndarrays of shapes (machines, p) and (machines,)
        In the user's units.
    support_ : ndarray
        The variables with a non-zero coefficient somewhere.
    l1_, l2_, relax_ : float, or arrays with one entry per machine
        The penalties in use, and the share of l1.
    path_ : Path, or list of Path
        What was followed.
    n_iter_ : ndarray
        Events followed by each machine.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = SparseSVC(l1=30.0, standardize=True).fit(X, y)
    >>> len(model.support_), round(model.score(X, y), 3)
    (9, 0.968)
    """

    def __init__(
        self,
        l1: float = 1.0,
        l2: float = 1.0,
        *,
        relax: float = 1.0,
        relax_l2: float | None = None,
        loss: Any = "hinge",
        penalty: Any = "l1",
        class_weight: Any = None,
        positive: Any = None,
        standardize: bool = False,
        l1_weight: Any = None,
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
        self.l1 = l1
        self.l2 = l2
        self.relax = relax
        self.relax_l2 = relax_l2
        self.loss = loss
        self.penalty = penalty
        self.class_weight = class_weight
        self.positive = positive
        self.standardize = standardize
        self.l1_weight = l1_weight
        self.multiclass = multiclass
        self.probability = probability
        self.cv = cv
        self.tol = tol
        self.max_events = max_events
        self.device = device
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
