"""Which branch, and then which branch? A tree of classes with one binary machine per inner node.

The probability of class k is the product, over the nodes on its path, of the probability of its branch. Machines
without probabilities give instead the smallest margin on the path: it is positive for one class only, the one reached
by following the signs. In both cases the bound of a node, the product or the minimum down to it, never increases below
it. So the best class is found best first: open the node of largest bound until that is a leaf. Only nodes that could
still win are opened: those of one path (log₂ K in a balanced tree), and a few more where the machines hesitate.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from chemin.dictionaries.base import Floats, Indices
from chemin.exceptions import InvalidInputError
from chemin.multiclass import hierarchy
from chemin.multiclass.base import Multiclass
from chemin.multiclass.codes import Code
from chemin.multiclass.greedy import grow, judge
from chemin.multiclass.machines import confidence, odds, probabilistic, take

__all__ = ["ClassTree"]


class ClassTree(Multiclass):
    """A binary tree of classes, learned or given, with K − 1 machines of which a prediction asks about log₂ K.

    Parameters
    ----------
    estimator : classifier, optional
        The binary machine, with ``predict_proba`` or ``decision_function``; None is `default_machine`.
    tree : {"prototypes", "greedy"} or nested pairs of labels
        ``"prototypes"`` groups the class means by average linkage, ``"greedy"`` splits the classes from the root where
        a quick machine separates them best; or give a tree such as ``(("a", "b"), ("c", ("d", "e")))``.
    random_state : int, RandomState or None
        Choice of the points that judge the splits of a greedy tree.
    n_jobs : int, optional
        Machines trained at the same time.
    verbose : bool, default False
        Show a bar of finished machines.

    Attributes
    ----------
    tree_ : nested pairs of labels
        The tree.
    children_ : ndarray of shape (K − 1, 2)
        Left and right child of each inner node: a node, or K − 1 + the number of a class.
    classes_, code_, estimators_, n_machines_, n_features_in_, feature_names_in_
        See `Multiclass`; machine l separates the left branch (−) of node l from the right one (+), node 0 is the root.

    Notes
    -----
    Weighting a point by 2 and repeating it make the same tree of prototypes, but not always the same greedy tree, whose
    splits are judged on points drawn at random.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> model = ClassTree().fit(X, y)
    >>> model.tree_
    (0, (1, 2))
    >>> model.n_machines_, round(model.mean_depth(X), 2), round(model.score(X, y), 2)
    (2, 1.67, 0.97)
    """

    def __init__(
        self,
        estimator: Any = None,
        *,
        tree: Any = "prototypes",
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> None:
        self.estimator = estimator
        self.tree = tree
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def winners(self, X: Any) -> Indices:
        """Return the position of the class of largest score, asking only the machines that can decide it."""
        return self._search(X)[0]

    def mean_depth(self, X: Any) -> float:
        """Return how many machines a prediction asks, on average over the rows of X."""
        check_is_fitted(self)
        return float(self._search(self._read(X))[1].mean())

    def design(self, X: Any, index: Indices, params: dict[str, Any]) -> Code:
        given = not isinstance(self.tree, str)
        tree = (
            hierarchy.as_tree(self.tree, self.classes_) if given else self._learn(X, index, params)
        )
        tree = (0, 1) if len(self.classes_) == 2 else tree
        self.tree_ = hierarchy.labelled(tree, self.classes_)
        code, self.children_ = hierarchy.node_table(tree, len(self.classes_))
        return code

    def _learn(self, X: Any, index: Indices, params: dict[str, Any]) -> hierarchy.Tree:
        if self.tree not in ("prototypes", "greedy"):
            raise InvalidInputError(
                f"tree={self.tree!r} is not known: pass 'prototypes', 'greedy', or nested pairs of labels"
            )
        k = len(self.classes_)
        if k == 2:
            return 0, 1
        prototypes = hierarchy.class_prototypes(X, index, k, params.get("sample_weight"))
        if self.tree == "prototypes":
            return hierarchy.linked(prototypes)
        rng = check_random_state(self.random_state)
        return grow(tuple(range(k)), prototypes, judge(self._machine(), X, index, params, rng))

    def scores(self, X: Any) -> Floats:
        bounds = self._all_bounds(X)
        return np.log(np.maximum(bounds, np.finfo(float).tiny)) if self._multiplies else bounds

    def probabilities(self, X: Any) -> Floats:
        return self._all_bounds(X)

    @property
    def _multiplies(self) -> bool:
        return probabilistic(self.estimators_[0])

    def _branches(self, node: int, X: Any, bound: Floats) -> tuple[Floats, Floats]:
        """Return the bounds of the left and of the right child of a node, for rows of X and the node's bounds."""
        machine = self.estimators_[node]
        if self._multiplies:
            left, right = odds(machine, X)
            return bound * left, bound * right
        score = confidence(machine, X)
        return np.minimum(bound, -score), np.minimum(bound, score)

    def _all_bounds(self, X: Any) -> Floats:
        """Return the bound of every class, asking every machine."""
        inner = len(self.children_)
        bounds = np.full(
            (X.shape[0], inner + len(self.classes_)), 1.0 if self._multiplies else np.inf
        )
        for node, (left, right) in enumerate(self.children_):
            bounds[:, left], bounds[:, right] = self._branches(node, X, bounds[:, node])
        return bounds[:, inner:]

    def _search(self, X: Any) -> tuple[Indices, Indices]:
        """Return the best class of every row, and the number of machines asked."""
        inner = len(self.children_)
        # Nodes before classes: among equal bounds nodes are opened first, so equal classes go to the first of them.
        bounds = np.full((X.shape[0], inner + len(self.classes_)), -np.inf)
        bounds[:, 0] = 1.0 if self._multiplies else np.inf
        asked = np.zeros(X.shape[0], dtype=np.intp)
        waiting = np.arange(X.shape[0])
        while waiting.size:
            best = bounds[waiting].argmax(axis=1)
            waiting, best = waiting[best < inner], best[best < inner]
            for node in np.unique(best):
                rows = waiting[best == node]
                left, right = self._branches(node, take(X, rows), bounds[rows, node])
                bounds[rows, self.children_[node, 0]], bounds[rows, self.children_[node, 1]] = (
                    left,
                    right,
                )
                bounds[rows, node] = -np.inf
                asked[rows] += 1
        return bounds.argmax(axis=1) - inner, asked
