"""What does a model consist of? Tables of its couples, variables, prototypes and kernels, and of their history.

All shares are sums of those of the couples (`chemin.interpret.reading`), so each table's sum to 1, machine by machine.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from chemin.interpret.items import as_columns
from chemin.interpret.machines import Model, which
from chemin.interpret.reading import Reading, read_number
from chemin.tables import as_frame

Columns = dict[str, list[Any]]


def couples(model: Model, machine: Any = None) -> Any:
    """Return the active couples: the decision is b0 + Σ coefficient × kernel(point, x) / scale.

    Parameters
    ----------
    model : fitted KernelBasisClassifier or KernelBasisClassifierCV
        The classifier.
    machine : int, str or pair of labels, optional
        Which machine, when there are more than two classes; all of them otherwise, in a column ``machine``.

    Returns
    -------
    DataFrame
        Columns point (row of the X given to fit), label, kernel, coefficient and share, the largest share first. It is
        of pandas or polars, as the training data were, else of the first of these that is installed.

    Examples
    --------
    >>> from chemin.datasets import toydata1
    >>> from chemin.estimators import KernelBasisClassifier
    >>> from chemin.kernels import Gaussian
    >>> kernels = [Gaussian(1).named("narrow"), Gaussian(2).named("wide")]
    >>> table = couples(KernelBasisClassifier(kernels, l1=5.0).fit(*toydata1()))
    >>> list(table.columns), round(sum(table["share"]), 12)
    (['point', 'label', 'kernel', 'coefficient', 'share'], 1.0)
    """
    return _stacked(model, machine, _couples, "B_, a sparse matrix")


def variables(model: Model, machine: Any = None) -> Any:
    """Return the active variables: the decision is b0 + Σ coefficient × variable.

    Parameters
    ----------
    model : fitted SparseSVC or SparseSVCCV
        The classifier.
    machine : int, str or pair of labels, optional
        As for `couples`.

    Returns
    -------
    DataFrame
        Columns variable, coefficient (in the user's units) and share, the largest share first.
    """
    return _stacked(model, machine, _variables, "coef_, an array")


def prototypes(model: Model, machine: Any = None) -> Any:
    """Return the training points of which the model consists, those that carry most of the decision first.

    Parameters
    ----------
    model : fitted KernelBasisClassifier or KernelBasisClassifierCV
        The classifier.
    machine : int, str or pair of labels, optional
        As for `couples`.

    Returns
    -------
    DataFrame
        Columns point, label, kernels (those centred on it, the largest share first) and share.

    Examples
    --------
    >>> from chemin.datasets import toydata1
    >>> from chemin.estimators import KernelBasisClassifier
    >>> table = prototypes(KernelBasisClassifier(l1=20.0).fit(*toydata1()))
    >>> list(table.columns)
    ['point', 'label', 'kernels', 'share']
    """
    return _stacked(model, machine, _prototypes, "B_, a sparse matrix")


def kernel_shares(model: Model, machine: Any = None) -> Any:
    """Return the share of the decision that each kernel carries, and how many couples it has.

    Parameters
    ----------
    model : fitted KernelBasisClassifier or KernelBasisClassifierCV
        The classifier.
    machine : int, str or pair of labels, optional
        As for `couples`.

    Returns
    -------
    DataFrame
        Columns kernel, couples and share, for every kernel offered. The share of kernel l is
        Σ_j Σ_i w_i |B_jl k_l(x_j, x_i) / s_jl| over the training points i, divided by the same sum over all kernels.

    Examples
    --------
    >>> from chemin.datasets import toydata1
    >>> from chemin.estimators import KernelBasisClassifier
    >>> from chemin.kernels import Gaussian
    >>> kernels = [Gaussian(1).named("narrow"), Gaussian(2).named("wide")]
    >>> table = kernel_shares(KernelBasisClassifier(kernels, l1=20.0).fit(*toydata1()))
    >>> sorted(table["kernel"]), round(sum(table["share"]), 12)
    (['narrow', 'wide'], 1.0)
    """
    return _stacked(model, machine, _kernels, "B_, a sparse matrix")


def history(model: Model, machine: Any = None) -> Any:
    """Return when couples or variables entered and left, as l1 fell down to the model's.

    Parameters
    ----------
    model : fitted classifier
        The classifier.
    machine : int, str or pair of labels, optional
        As for `couples`.

    Returns
    -------
    DataFrame
        One line per stay, in the order of entry: what it is, ``entered``, the l1 at which it becomes active (infinite
        for what is not penalised), and ``left``, that at which it leaves (NaN if it stays). What comes back later has
        another line.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from chemin.estimators import SparseSVC
    >>> data = load_breast_cancer(as_frame=True)
    >>> y = data.target_names[data.target]
    >>> table = history(SparseSVC(l1=100.0, standardize=True).fit(data.data, y))
    >>> table[table["left"].isna()]["variable"].tolist()
    ['mean concave points', 'worst radius', 'worst concave points', 'worst texture']
    """
    return _stacked(model, machine, _history, "path_.events, a NumPy array")


def _stacked(model: Model, machine: Any, table: Callable[[Reading], Columns], instead: str) -> Any:
    """Return the table of one machine, or those of all machines below one another."""
    model._check_ready()
    everything = machine is None and len(model.estimators_) > 1
    numbers = range(len(model.estimators_)) if everything else [which(model, machine)]
    readings = [read_number(model, number) for number in numbers]
    parts = [table(reading) for reading in readings]
    columns = {name: [value for part in parts for value in part[name]] for name in parts[0]}
    if everything:
        sizes = [len(next(iter(part.values()))) for part in parts]
        owner = [
            str(reading.sides)
            for reading, size in zip(readings, sizes, strict=True)
            for _ in range(size)
        ]
        columns = {"machine": owner} | columns
    return as_frame(columns, model._table_kind, instead=instead)


def _active(reading: Reading) -> Columns:
    order = np.argsort(-reading.shares, kind="stable")
    columns = as_columns([reading.items[k] for k in order], reading.header)
    return columns | {"share": reading.shares[order].tolist()}


def _couples(reading: Reading) -> Columns:
    reading.require(couples=True)
    return _active(reading)


def _variables(reading: Reading) -> Columns:
    reading.require(couples=False)
    return _active(reading)


def _prototypes(reading: Reading) -> Columns:
    points, position = np.unique(reading.points, return_inverse=True)
    share = np.bincount(position, reading.shares, len(points))
    names: list[list[str]] = [[] for _ in points]
    for k in np.argsort(-reading.shares, kind="stable"):
        names[position[k]].append(reading.kernels[reading.kernel_numbers[k]].name)
    order = np.argsort(-share, kind="stable")
    return {
        "point": points[order].tolist(),
        "label": reading.labels[points[order]].tolist(),
        "kernels": [", ".join(names[k]) for k in order],
        "share": share[order].tolist(),
    }


def _kernels(reading: Reading) -> Columns:
    count = len(reading.kernels)
    share = np.bincount(reading.kernel_numbers, reading.shares, count).astype(
        float
    )  # whole numbers if empty
    order = np.argsort(-share, kind="stable")
    return {
        "kernel": [reading.kernels[k].name for k in order],
        "couples": np.bincount(reading.kernel_numbers, minlength=count)[order].tolist(),
        "share": share[order].tolist(),
    }


def _history(reading: Reading) -> Columns:
    stays = reading.stays
    columns = as_columns(reading.describe(stays.columns), reading.header)
    del columns["coefficient"]  # the model's, not that of the stay
    return columns | {"entered": stays.entered.tolist(), "left": stays.left.tolist()}
