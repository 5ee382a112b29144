"""Which branch, and then which branch? A tree of classes with binary machines on its inner nodes.

A node of two branches asks one machine, which gives their probabilities P(−), P(+) or their margins −f, f. A node of
m > 2 branches asks m machines, each branch against the others: its probabilities are theirs divided by their sum, and
the margin of a branch is half its lead (f_i − max_{j≠i} f_j)/2, which is ∓f again for two branches.

The probability of class k is the sum, over the paths to its leaves, of the product of the probabilities on the path. A
class in several leaves is left out of the machines that have it on both sides: Platt's decision graph (Platt,
Cristianini and Shawe-Taylor 2000) is the tree whose every node excludes the first or the last class. Machines without
probabilities give instead the largest, over the paths, of the smallest margin on the path: it is positive for one class
only, the one reached by following the largest margins.

The bound of a node, the same sum or maximum down to it, bounds every class below it. So the best class is found best
first: open the node of largest bound, until no class can gain enough from nodes not opened. Only nodes that could still
decide are opened: those of one path (log₂ K in a balanced tree), and a few more where the machines hesitate.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from chemin.dictionaries.base import Floats, Indices
from chemin.multiclass import hierarchy
from chemin.multiclass.base import Multiclass
from chemin.multiclass.codes import Code
from chemin.multiclass.greedy import grow, judge
from chemin.multiclass.machines import confidence, odds, probabilistic, take
from chemin.multiclass.one_vs_rest import shares

__all__ = ["ClassTree"]

_ROUNDING = 1e-12  # sums of probabilities this near each other, relatively, may be equal


class _Rule(NamedTuple):
    """How bounds go down a branch and join where paths meet; the bounds of what is not reached, and of the root."""

    along: np.ufunc
    join: np.ufunc
    none: float
    root: float


_PRODUCTS = _Rule(np.multiply, np.add, 0.0, 1.0)
_MARGINS = _Rule(np.minimum, np.maximum, -np.inf, np.inf)


class ClassTree(Multiclass):
    """A tree of classes, learned or given: a binary one has K − 1 machines, of which a prediction asks about log₂ K.

    Parameters
    ----------
    estimator : classifier, optional
        The binary machine, with ``predict_proba`` or ``decision_function``; None is `default_machine`.
    tree : {"prototypes", "greedy"} or nested tuples of labels
        ``"prototypes"`` groups the class means by average linkage, ``"greedy"`` splits the classes from the root where
        a quick machine separates them best; both are binary. Or give a tree such as ``(("a", "b"), ("c", "d", "e"))``:
        each node has two branches or more, and a class may be in several, as in ``(("cat", "dog"), ("dog", "wolf"))``,
        if each branch of a node has a class that the others have not.
    random_state : int, RandomState or None
        Choice of the points that judge the splits of a greedy tree.
    n_jobs : int, optional
        Machines trained at the same time.
    verbose : bool, default False
        Show a bar of finished machines.

    Attributes
    ----------
    tree_ : nested tuples of labels
        The tree.
    children_ : ndarray of shape (number of inner nodes, largest number of branches)
        The children of each inner node, from left to right: a node, or the number of inner nodes + that of a class; −1
        where a node has fewer branches than others. Node 0 is the root, and equal subtrees are one node.
    classes_, code_, estimators_, n_machines_, n_features_in_, feature_names_in_
        See `Multiclass`; machines are in the order of the nodes. That of a node of two branches separates the left one
        (−) from the right one (+), those of a wider node each branch (+) from the others (−). Classes on both sides are
        left out. In a binary tree without repeated classes, machine l is that of node l, and there are K − 1.

    Notes
    -----
    With machines that give probabilities, a tree of a single node, ``("a", "b", "c")``, is `OneVsRest`.

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

    The second class may be on either side of the first question, which then only separates the other two.

    >>> model = ClassTree(tree=((0, 1), (1, 2))).fit(X, y)
    >>> model.code_.tolist()
    [[-1, -1, 0], [0, 1, -1], [1, 0, 1]]
    >>> model.n_machines_, round(model.mean_depth(X), 2), round(model.score(X, y), 2)
    (3, 2.01, 0.98)
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
        learned = isinstance(self.tree, str) and self.tree in ("prototypes", "greedy")
        tree = (
            self._learn(X, index, params)
            if learned
            else hierarchy.as_tree(self.tree, self.classes_)
        )
        tree = (0, 1) if len(self.classes_) == 2 else tree
        self.tree_ = hierarchy.labelled(tree, self.classes_)
        code, self.children_ = hierarchy.node_table(tree, len(self.classes_))
        return code

    def _learn(self, X: Any, index: Indices, params: dict[str, Any]) -> hierarchy.Tree:
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

    @property
    def _rule(self) -> _Rule:
        return _PRODUCTS if self._multiplies else _MARGINS

    def _branches(self, node: hierarchy.Node, X: Any) -> Floats:
        """Return the probability, or the margin, of each branch of a node (columns) for rows of X."""
        machines = self.estimators_[node.machines]
        if self._multiplies:
            if len(machines) == 1:
                return np.column_stack(odds(machines[0], X))
            return shares(np.column_stack([odds(machine, X)[1] for machine in machines]))
        score = np.column_stack([confidence(machine, X) for machine in machines])
        return np.hstack([-score, score]) if len(machines) == 1 else _leads(score)

    def _bounds(self, nodes: list[hierarchy.Node], branches: Floats) -> Floats:
        """Return the bounds of every node, then of every class, given those of the branches of all nodes."""
        rule, size = self._rule, len(nodes) + len(self.classes_)
        bounds = np.full((len(branches), size), rule.none, order="F")
        bounds[:, 0] = rule.root
        for number, node in enumerate(nodes):
            handed = rule.along(bounds[:, [number]], branches[:, node.branches])
            bounds[:, node.children] = rule.join(bounds[:, node.children], handed)
        return bounds

    def _all_bounds(self, X: Any) -> Floats:
        """Return the bound of every class, asking every machine."""
        nodes = hierarchy.layout(self.children_)
        branches = np.hstack([self._branches(node, X) for node in nodes])
        return self._bounds(nodes, branches)[:, len(nodes) :]

    def _search(self, X: Any) -> tuple[Indices, Indices]:
        """Return the best class of every row, and the number of machines asked."""
        n, nodes, none = X.shape[0], hierarchy.layout(self.children_), self._rule.none
        below = hierarchy.reach(self.children_, len(self.classes_))
        branches = np.full((n, nodes[-1].branches.stop), none)
        opened = np.zeros((n, len(nodes)), dtype=bool)
        asked = np.zeros(n, dtype=np.intp)
        winners = np.zeros(n, dtype=np.intp)
        waiting = np.arange(n)
        while waiting.size:
            bounds = self._bounds(nodes, branches[waiting])
            closed = np.where(opened[waiting], none, bounds[:, : len(nodes)])
            reached = bounds[:, len(nodes) :]
            winners[waiting] = reached.argmax(axis=1)
            open_next = self._undecided(reached, closed, below)
            waiting, best = waiting[open_next], closed[open_next].argmax(axis=1)
            for number in np.unique(best):
                node, rows = nodes[number], waiting[best == number]
                branches[rows, node.branches] = self._branches(node, take(X, rows))
                opened[rows, number] = True
                asked[rows] += node.machines.stop - node.machines.start
        return winners, asked

    def _undecided(self, reached: Floats, closed: Floats, below: Floats) -> NDArray[np.bool_]:
        """Say for which rows closed nodes may still make another class win than the best of those reached.

        A sum can grow by the bounds of all closed nodes that the class is below, a maximum only to the largest.
        """
        first = reached.argmax(axis=1)[:, None]
        best = np.take_along_axis(reached, first, axis=1)
        if not self._multiplies:
            largest = closed.max(axis=1)
            return (largest >= best[:, 0]) & (largest > -np.inf)
        gain = closed @ below
        rival = (gain > 0.0) & ((reached + gain) * (1.0 + _ROUNDING) >= best)
        np.put_along_axis(rival, first, False, axis=1)
        return np.asarray(rival.any(axis=1))


def _leads(score: Floats) -> Floats:
    """Return half of what each score has more than the largest of the others in its row.

    Examples
    --------
    >>> _leads(np.array([[1.0, -3.0, 0.0]])).tolist()
    [[0.5, -2.0, -0.5]]
    """
    second, first = np.partition(score, -2, axis=1)[:, -2:].T[:, :, None]
    return (score - np.where(score == first, second, first)) / 2
