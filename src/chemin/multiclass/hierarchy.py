"""Which classes are alike? Binary trees of classes: given, or learned by grouping the classes' prototypes.

A tree is a class number, or a pair of trees. The prototype of a class is the mean of its points, columns standardised;
average linkage of the prototypes merges the nearest groups first, so the root separates what is easiest to separate.
Points weigh by their sample weight; values that are missing are left out of the means.
"""

from __future__ import annotations

from collections import Counter
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.cluster.hierarchy import linkage

from chemin.dictionaries.base import Floats, Indices
from chemin.exceptions import InvalidInputError
from chemin.multiclass.codes import Code

__all__ = ["Tree", "as_tree", "class_prototypes", "labelled", "leaves", "linked", "node_table"]

Tree: TypeAlias = "int | tuple[Tree, Tree]"

_CONSTANT = 1e-12  # share of a sparse column's mean square under which its variance is rounding


def leaves(tree: Tree) -> list[int]:
    """Return the classes of a tree, from left to right.

    Examples
    --------
    >>> leaves(((2, 0), (1, 3)))
    [2, 0, 1, 3]
    """
    return [tree] if isinstance(tree, int) else leaves(tree[0]) + leaves(tree[1])


def labelled(tree: Tree, classes: NDArray[Any]) -> Any:
    """Return a tree with labels in the place of class numbers."""
    if isinstance(tree, int):
        return classes[tree].item() if isinstance(classes[tree], np.generic) else classes[tree]
    return labelled(tree[0], classes), labelled(tree[1], classes)


def as_tree(nested: Any, classes: NDArray[Any]) -> Tree:
    """Return a tree given as nested pairs of labels, or say why it is not a tree of these classes.

    Examples
    --------
    >>> as_tree(("c", ["a", "b"]), np.array(["a", "b", "c"]))
    (2, (0, 1))
    """
    number = {label: position for position, label in enumerate(classes.tolist())}
    found: list[Any] = []

    def read(branch: Any) -> Tree:
        if not isinstance(branch, list | tuple):
            found.append(branch)
            return number.get(branch, -1)
        if len(branch) != 2:
            raise InvalidInputError(
                f"a node of tree has {len(branch)} branches ({branch!r}): give each node two branches, for example "
                "('a', ('b', 'c')) for three"
            )
        return read(branch[0]), read(branch[1])

    tree = read(nested)
    count = Counter(found)
    for problem, labels, remedy in (
        ("unknown", [label for label in count if label not in number], "take them out"),
        ("missing", [label for label in number if label not in count], "put each in one leaf"),
        (
            "repeated",
            [label for label, times in count.items() if times > 1],
            "keep each in one leaf only",
        ),
    ):
        if labels:
            raise InvalidInputError(
                f"tree has {problem} classes {', '.join(map(repr, labels))}: {remedy}"
            )
    return tree


def node_table(tree: Tree, k: int) -> tuple[Code, Indices]:
    """Return the code and the children of the inner nodes, the root first and every node before its children.

    A class on the left of a node is on its side −, on the right on its side +, and elsewhere left out. Children are
    numbered as nodes, and classes as K − 1 + class.

    Examples
    --------
    >>> code, children = node_table((2, (0, 1)), 3)
    >>> code.tolist(), children.tolist()
    ([[1, -1], [1, 1], [-1, 0]], [[4, 1], [2, 3]])
    """
    code = np.zeros((k, k - 1), dtype=np.int8)
    children = np.empty((k - 1, 2), dtype=np.intp)
    stack: list[tuple[Tree, int, int]] = [(tree, -1, 0)]
    node = 0
    while stack:
        branch, parent, side = stack.pop()
        if parent >= 0:
            children[parent, side] = k - 1 + branch if isinstance(branch, int) else node
        if not isinstance(branch, int):
            code[leaves(branch[0]), node], code[leaves(branch[1]), node] = -1, 1
            stack += [(branch[1], node, 1), (branch[0], node, 0)]
            node += 1
    return code, children


def linked(prototypes: Floats, method: str = "average") -> Tree:
    """Return the tree of a hierarchical clustering of the prototypes.

    Examples
    --------
    >>> linked(np.array([[0.0], [10.0], [1.0], [12.0]]))
    ((0, 2), (1, 3))
    """
    groups: list[Tree] = list(range(len(prototypes)))
    for first, second in linkage(prototypes, method)[:, :2].astype(int):
        low, high = sorted((groups[first], groups[second]), key=lambda group: min(leaves(group)))
        groups.append((low, high))
    return groups[-1]


def class_prototypes(X: Any, index: Indices, k: int, weight: Floats | None) -> Floats:
    """Return the weighted mean of each class, every column divided by its standard deviation.

    Examples
    --------
    >>> class_prototypes([[0.0], [2.0], [8.0]], np.array([0, 0, 1]), 2, None).ravel().round(2).tolist()
    [-0.69, 1.37]
    """
    weight = np.ones(len(index)) if weight is None else weight
    share = sparse.csr_array((weight, (index, np.arange(len(index)))), shape=(k, len(index)))
    if sparse.issparse(X):
        return _sparse_prototypes(X, share, weight)
    try:
        values = np.array(X, dtype=float)
    except ValueError as error:
        raise InvalidInputError(
            "a tree of classes can not be learned from columns that are not numbers: encode them (for example with "
            "sklearn.preprocessing.OneHotEncoder), or pass tree as nested pairs of labels"
        ) from error
    known = np.isfinite(values)
    values[~known] = 0.0
    known_weight = _positive(weight @ known)
    values = np.where(known, values - weight @ values / known_weight, 0.0)
    scale = np.sqrt(weight @ values**2 / known_weight)
    return share @ values / _positive(share @ known.astype(float)) / _positive(scale)


def _sparse_prototypes(X: Any, share: Any, weight: Floats) -> Floats:
    """Return the prototypes of sparse rows, not centred (which would fill X, and moves no distance)."""
    X = sparse.csr_array(X, dtype=float, copy=True)
    X.data[~np.isfinite(X.data)] = 0.0
    mean, square = weight @ X / weight.sum(), weight @ X.multiply(X) / weight.sum()
    variance = square - mean**2
    variance[variance <= _CONSTANT * square] = 0.0
    return (
        (share @ X).toarray()
        / np.asarray(share.sum(axis=1))[:, None]
        / _positive(np.sqrt(variance))
    )


def _positive(divisor: Floats) -> Floats:
    """Replace zeros, by which nothing is to be divided, by ones."""
    return np.where(divisor > 0, divisor, 1.0)
