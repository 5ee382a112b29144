"""What does a model consist of? Tables of its couples, variables, prototypes and kernels, and of their history.

A share is the spread of a term divided by the sum of all spreads (`chemin.interpret.reading`); those of points and
kernels are sums over their couples. Machine by machine, the shares of all variables and couples sum to 1.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from chemin.dictionaries.base import Indices
from chemin.frames import as_frame
from chemin.interpret.items import Couple, Variable, as_columns
from chemin.interpret.machines import Model, which
from chemin.interpret.reading import Reading, read_number
from chemin.tables import opened

Columns = dict[str, list[Any]]


def couples(model: Model, machine: Any = None) -> Any:
    """Return the active couples: the decision is b0 + Σ coefficient × kernel(point, x) / scale.

    Parameters
    ----------
    model : fitted classifier with couples
        The classifier.
    machine : int, str or pair of labels, optional
        Which machine, when there are more than two classes; all of them otherwise, in a column ``machine``.

    Returns
    -------
    DataFrame
        Columns point (its label in the index of the X given to fit, else its row), label, kernel, coefficient and
        share, the largest share first. The share is the weighted standard deviation over the training points of
        coefficient × kernel(point, x) / scale, divided by the sum of these over all terms of the model, variables
        included. The table is of pandas or polars, as the training data were, else of the first of these that is
        installed.

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
    """Return the active variables: the decision is b0 + Σ coefficient × variable, plus the couples if there are some.

    Parameters
    ----------
    model : fitted classifier whose columns are variables, alone or with couples
        The classifier.
    machine : int, str or pair of labels, optional
        As for `couples`.

    Returns
    -------
    DataFrame
        Columns variable, coefficient (in the user's units) and share, the largest share first. The share is the
        weighted standard deviation over the training points of coefficient × variable, divided by the sum of these
        over all terms of the model, couples included.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from chemin.estimators import SparseSVC
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> table = variables(SparseSVC(l1=100.0, standardize=True).fit(X, y))
    >>> list(table.columns), round(sum(table["share"]), 12)
    (['variable', 'coefficient', 'share'], 1.0)
    """
    return _stacked(model, machine, _variables, "coef_, an array")


def prototypes(model: Model, machine: Any = None) -> Any:
    """Return the training points of which the model consists, those that carry most of the decision first.

    Parameters
    ----------
    model : fitted classifier with couples
        The classifier.
    machine : int, str or pair of labels, optional
        As for `couples`.

    Returns
    -------
    DataFrame
        Columns point, label, kernels (those centred on it, the largest share first) and share, the sum of those of
        its couples.

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
    model : fitted classifier with couples
        The classifier.
    machine : int, str or pair of labels, optional
        As for `couples`.

    Returns
    -------
    DataFrame
        Columns kernel, couples and share, for every kernel offered. The share of a kernel is the sum of those of its
        couples, as `couples` has them.

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
        another line. Where variables and couples were offered, a column ``item`` names either.

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


def count_terms(model: Model) -> int:
    """Return the length of a model: how many different variables and couples its machines use.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from chemin.estimators import SparseSVC
    >>> count_terms(SparseSVC(l1=100.0, standardize=True).fit(*load_breast_cancer(return_X_y=True)))
    4
    """
    model = opened(model)
    model._check_ready()
    found: set[tuple[Any, ...]] = set()
    for number in range(len(model.estimators_)):
        reading = read_number(model, number)
        found.update((int(column),) for column in reading.active[reading.variable_places])
        if reading.has_couples:
            names = [kernel.name for kernel in reading.kernels]
            pairs = zip(reading.rows.tolist(), reading.kernel_numbers.tolist(), strict=True)
            found.update((row, kernel, names[kernel]) for row, kernel in pairs)
    return len(found)


def _stacked(model: Model, machine: Any, table: Callable[[Reading], Columns], instead: str) -> Any:
    """Return the table of one machine, or those of all machines below one another."""
    model = opened(model)
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


def _some(reading: Reading, places: Indices, header: tuple[str, ...]) -> Columns:
    """Return some of the active items, the largest share first."""
    places = places[np.argsort(-reading.shares[places], kind="stable")]
    columns = as_columns([reading.items[k] for k in places], header)
    return columns | {"share": reading.shares[places].tolist()}


def _couples(reading: Reading) -> Columns:
    reading.require(couples=True)
    return _some(reading, reading.couple_places, Couple.header)


def _variables(reading: Reading) -> Columns:
    reading.require(couples=False)
    return _some(reading, reading.variable_places, Variable.header)


def _prototypes(reading: Reading) -> Columns:
    rows, position = np.unique(reading.rows, return_inverse=True)
    shares = reading.shares[reading.couple_places]
    numbers = reading.kernel_numbers
    share = np.bincount(position, shares, len(rows))
    names: list[list[str]] = [[] for _ in rows]
    for k in np.argsort(-shares, kind="stable"):
        names[position[k]].append(reading.kernels[numbers[k]].name)
    order = np.argsort(-share, kind="stable")
    return {
        "point": reading.called(rows[order]),
        "label": reading.labels[rows[order]].tolist(),
        "kernels": [", ".join(names[k]) for k in order],
        "share": share[order].tolist(),
    }


def _kernels(reading: Reading) -> Columns:
    count = len(reading.kernels)
    numbers = reading.kernel_numbers
    share = np.bincount(numbers, reading.shares[reading.couple_places], count)
    share = share.astype(float)  # whole numbers if empty
    order = np.argsort(-share, kind="stable")
    return {
        "kernel": [reading.kernels[k].name for k in order],
        "couples": np.bincount(numbers, minlength=count)[order].tolist(),
        "share": share[order].tolist(),
    }


def _history(reading: Reading) -> Columns:
    stays = reading.stays
    columns = as_columns(reading.describe(stays.columns), reading.header)
    del columns["coefficient"]  # the model's, not that of the stay
    return columns | {"entered": stays.entered.tolist(), "left": stays.left.tolist()}
