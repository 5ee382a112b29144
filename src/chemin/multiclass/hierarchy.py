"""Which classes are alike? Trees of classes: given, or learned by grouping the classes' prototypes.

A tree is a class number, or a tuple of two or more trees. A class may be in several branches; subtrees that are equal
are one node, which then has several parents. Learned trees have two branches per node, and each class once.

A node of two branches has one machine, which separates the first (−) from the second (+); a node of m > 2 branches has
m machines, each branch (+) against the others (−). A class on both sides of a machine, or on none, is left out (0).

The prototype of a class is the mean of its points, columns standardised; average linkage of the prototypes merges the
nearest groups first, so the root separates what is easiest to separate. Points weigh by their sample weight; values
that are missing are left out of the means.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.cluster.hierarchy import linkage

from chemin.dictionaries.base import Floats, Indices
from chemin.exceptions import InvalidInputError
from chemin.multiclass.codes import Code

__all__ = [
    "Node",
    "Tree",
    "as_tree",
    "class_prototypes",
    "inner_nodes",
    "labelled",
    "layout",
    "leaves",
    "linked",
    "node_table",
    "reach",
]

Tree: TypeAlias = "int | tuple[Tree, ...]"

_CONSTANT = 1e-12  # share of a sparse column's mean square under which its variance is rounding


class Node(NamedTuple):
    """An inner node: the numbers of its children, and the places of its branches and machines among those of all."""

    children: Indices
    branches: slice
    machines: slice


def leaves(tree: Tree) -> list[int]:
    """Return the classes of a tree, from left to right.

    Examples
    --------
    >>> leaves(((2, 0), (1, 3, 0)))
    [2, 0, 1, 3, 0]
    """
    found: list[int] = []
    waiting = [tree]
    while waiting:
        branch = waiting.pop()
        if isinstance(branch, int):
            found.append(branch)
        else:
            waiting += reversed(branch)
    return found


def labelled(tree: Tree, classes: NDArray[Any]) -> Any:
    """Return a tree with labels in the place of class numbers."""
    labels = [one.item() if isinstance(one, np.generic) else one for one in classes]

    def read(branch: Tree) -> Any:
        return labels[branch] if isinstance(branch, int) else tuple(map(read, branch))

    return read(tree)


def as_tree(nested: Any, classes: NDArray[Any]) -> Tree:
    """Return a tree given as nested tuples or lists of labels, or say why it is not a tree of these classes.

    Examples
    --------
    >>> as_tree(("c", ["a", "b"]), np.array(["a", "b", "c"]))
    (2, (0, 1))
    """
    number = {label: position for position, label in enumerate(classes.tolist())}
    found: dict[Any, None] = {}

    def read(branch: Any) -> Tree:
        if isinstance(branch, list | tuple):
            if len(branch) < 2:
                raise InvalidInputError(
                    f"a node of tree has {len(branch)} branches ({branch!r}): give each node two branches or more, for "
                    "example ('a', ('b', 'c')), and write a class alone as its label"
                )
            return tuple(map(read, branch))
        if not isinstance(branch, Hashable):
            raise InvalidInputError(
                f"{branch!r} in tree is no label: write nodes as tuples or lists, for example ('a', ('b', 'c'))"
            )
        found[branch] = None
        return number.get(branch, -1)

    if not isinstance(nested, list | tuple):
        raise InvalidInputError(
            f"tree={nested!r} is not known: pass 'prototypes', 'greedy', or nested tuples of labels such as "
            "('a', ('b', 'c'))"
        )
    tree = read(nested)
    for problem, labels, remedy in (
        ("unknown", [label for label in found if label not in number], "take them out"),
        ("missing", [label for label in number if label not in found], "put each in a leaf"),
    ):
        if labels:
            raise InvalidInputError(
                f"tree has {problem} classes {', '.join(map(repr, labels))}: {remedy}"
            )
    _check_branches(tree, classes)
    return tree


def _check_branches(tree: Tree, classes: NDArray[Any]) -> None:
    """Refuse a branch all of whose classes are in other branches of its node: no class is on its side alone."""
    for node in inner_nodes(tree):
        for branch, signs in zip(node, _signs(node, len(classes)), strict=True):
            if not (signs > 0).any():
                raise InvalidInputError(
                    f"node {labelled(node, classes)!r} of tree separates nothing: every class of its branch "
                    f"{labelled(branch, classes)!r} is in its other branches too; take this branch out, or give it a "
                    "class that the others have not"
                )


def inner_nodes(tree: Tree) -> list[tuple[Tree, ...]]:
    """Return the different inner nodes, the root first and every node before its children.

    Examples
    --------
    >>> inner_nodes((((0, 1), (1, 2)), ((1, 2), (2, 3))))[1:]
    [((0, 1), (1, 2)), (0, 1), ((1, 2), (2, 3)), (1, 2), (2, 3)]
    """
    done: dict[tuple[Tree, ...], None] = {}  # children before their parents, from right to left

    def visit(branch: Tree) -> None:
        if not isinstance(branch, int) and branch not in done:
            for child in reversed(branch):
                visit(child)
            done[branch] = None

    visit(tree)
    return list(done)[::-1]


def _signs(node: tuple[Tree, ...], k: int) -> Code:
    """Return on which side each class (column) is when a branch (row) is told apart from the others."""
    inside = np.zeros((len(node), k), dtype=np.int8)
    for row, branch in zip(inside, node, strict=True):
        row[leaves(branch)] = 1
    return inside - (inside.sum(axis=0) > inside)


def node_table(tree: Tree, k: int) -> tuple[Code, Indices]:
    """Return the code, one column per machine, and the children of the inner nodes, in the order of `inner_nodes`.

    Children are numbered as nodes, and classes as the number of nodes + class; −1 fills the rows of nodes that have
    fewer children than others.

    Examples
    --------
    >>> code, children = node_table((2, (0, 1)), 3)
    >>> code.tolist(), children.tolist()
    ([[1, -1], [1, 1], [-1, 0]], [[4, 1], [2, 3]])
    >>> code, children = node_table((0, 1, (2, 3)), 4)
    >>> code.tolist(), children.tolist()
    ([[1, -1, -1, 0], [-1, 1, -1, 0], [-1, -1, 1, -1], [-1, -1, 1, 1]], [[2, 3, 1], [4, 5, -1]])
    """
    nodes = inner_nodes(tree)
    number = {branch: position for position, branch in enumerate([*nodes, *range(k)])}
    children = np.full((len(nodes), max(map(len, nodes))), -1, dtype=np.intp)
    rows = []
    for row, node in zip(children, nodes, strict=True):
        row[: len(node)] = [number[branch] for branch in node]
        signs = _signs(node, k)
        rows.append(signs[1:] if len(node) == 2 else signs)
    return np.vstack(rows).T, children


def layout(children: Indices) -> list[Node]:
    """Return what belongs to each node of a table of children.

    Examples
    --------
    >>> layout(np.array([[2, 3, 1], [4, 5, -1]]))[1]
    Node(children=array([4, 5]), branches=slice(3, 5, None), machines=slice(3, 4, None))
    """
    nodes: list[Node] = []
    branch, machine = 0, 0
    for row in children:
        own = row[row >= 0]
        machines = 1 if own.size == 2 else own.size
        nodes.append(
            Node(own, slice(branch, branch + own.size), slice(machine, machine + machines))
        )
        branch, machine = branch + own.size, machine + machines
    return nodes


def reach(children: Indices, k: int) -> Floats:
    """Return 1 where a class (column) is in a leaf below a node (row), else 0.

    Examples
    --------
    >>> reach(np.array([[2, 3, 1], [4, 5, -1]]), 4).tolist()
    [[1.0, 1.0, 1.0, 1.0], [0.0, 0.0, 1.0, 1.0]]
    """
    below = np.vstack([np.zeros((len(children), k)), np.eye(k)])
    for node in range(len(children) - 1, -1, -1):
        below[node] = below[children[node][children[node] >= 0]].max(axis=0)
    return below[: len(children)]


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
            "sklearn.preprocessing.OneHotEncoder), or pass tree as nested tuples of labels"
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
