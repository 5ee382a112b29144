"""How does a model change with l1? Its path, what it was followed on, and its cross-validated error, as arrays.

A path is followed beyond the chosen l1, down to a quarter of it: what a weaker penalty would give is part of what a
reader asks. Whoever has these arrays can compute coefficients, dual values, decisions and the duality gap at every l1.

    points/X, names, rows               the training rows, prepared, and what their columns and rows are called
    cases/X, names                      the same for the explained rows
    M/k/path/l1, intercept, gap         breakpoints of machine k of model M, and the relative duality gap at each
    M/k/path/coef/…, dual/…             coefficients and dual values as series with knots, see `as_series`
    M/k/path/kind, index, at            events: what, to which column or row, at which breakpoint
    M/k/rows, label, weight             which training rows, their signs and weights
    M/k/l2, tol, unit, l1_weight        the problem; what variables are divided by
    M/k/kernels, centers, scale         the couples: formulas, rows, what columns are divided by
    M/k/loss/kink, slope, width         the losses, a row for each training row
    M/k/use/…                           the model in use, where it is not on the path: l1, l2, coef, intercept, dual
    M/k/choice/…                        the cross-validated error of the path at the chosen l2
    M/k/sides, sign                     the negative and the positive side, and −1 where words turn them round
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import _num_samples

from chemin.engine.further import further
from chemin.engine.result import Path
from chemin.interpret.machines import orientation, sides_of
from chemin.kernels.formula import formula

Arrays = dict[str, NDArray[Any]]

_FURTHER = 0.25  # of the chosen l1, down to which a path is followed
_MOST_EVENTS = 6000
_LARGEST = 4_000_000  # numbers of the training rows that are kept
_CURVE = {"l1": "l1", "error": "mean_error", "spread": "standard_error", "size": "size"}


def points_of(model: Pipeline, X: Any, key: str) -> Arrays:
    """Return rows as the last step of a model sees them, and the names of the columns; no rows if they are too many."""
    names = np.asarray(model[:-1].get_feature_names_out(), dtype=str)
    count = _num_samples(X)
    if not 0 < count * len(names) <= _LARGEST:
        return {f"{key}/names": names}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of categories that training rows have not
        made = model[:-1].transform(X)
    values = made.toarray() if sparse.issparse(made) else np.asarray(made, dtype=float)
    return {f"{key}/X": values, f"{key}/names": names}


def curves_of(model: Pipeline) -> Arrays:
    """Return the arrays of every machine, under its number."""
    last = model[-1]
    results = last.cv_results_
    sign = orientation(last)
    found: Arrays = {}
    for number, (machine, sides) in enumerate(zip(last.estimators_, sides_of(last), strict=True)):
        mine = results if isinstance(results, Mapping) else results[number]
        told = dict(_of_machine(machine))
        told["sides"] = np.array([sides.toward(-1.0), sides.toward(1.0)], dtype=str)
        told["sign"] = np.array(sign)
        curve = mine["curve"][int(mine["chosen"])]
        told |= {f"choice/{name}": np.asarray(curve[key], float) for name, key in _CURVE.items()}
        found |= {f"{number}/{name}": value for name, value in told.items()}
    return found


def as_series(values: Any, key: str) -> Iterator[tuple[str, NDArray[Any]]]:
    """Hand out the columns that are not zero throughout, each by its knots.

    Parameters
    ----------
    values : sparse array of shape (K, S)
        S series of values at K breakpoints, affine between neighbours.
    key : str
        What the arrays are called.

    Yields
    ------
    (str, array)
        ``series``: which columns; ``start``: where the knots of each begin; ``at`` and ``value``: a breakpoint and the
        value there, for each knot. Before the first and between two knots that are not neighbours a value stays as it
        was; the first knot is at breakpoint 0.

    Examples
    --------
    >>> found = dict(as_series(sparse.csc_array([[0.0], [0.0], [2.0], [2.0], [2.0]]), "coef"))
    >>> found["coef/at"].tolist(), found["coef/value"].tolist()
    ([0, 1, 2], [0.0, 0.0, 2.0])
    """
    columns = sparse.csc_array(values)
    series = np.flatnonzero(np.diff(columns.indptr))
    at: list[NDArray[Any]] = []
    value: list[NDArray[Any]] = []
    for j in series:
        one = columns[:, [j]].toarray().ravel()
        moves = one[1:] != one[:-1]
        knots = np.flatnonzero(np.r_[True, moves] | np.r_[moves, False])
        at.append(knots)
        value.append(one[knots])
    yield f"{key}/series", series.astype(np.int32)
    yield f"{key}/start", np.cumsum([0, *map(len, at)]).astype(np.int32)
    yield f"{key}/at", np.concatenate([*at, np.empty(0, int)]).astype(np.int32)
    yield f"{key}/value", np.concatenate([*value, np.empty(0)])


def _of_machine(machine: Any) -> Iterator[tuple[str, NDArray[Any]]]:
    problem = machine.path_.problem
    plan = getattr(machine, "plan", None)  # numbers are followed exactly
    tol = plan.tol_for(len(problem.label)) if plan else 0.0
    path: Path = machine.path_
    if tol == 0.0:
        path = further(path, _FURTHER * machine.l1_, _MOST_EVENTS)
    yield "path/l1", path.l1
    yield "path/intercept", path.intercept
    yield "path/gap", path.certificate().gap
    yield from as_series(path.coef, "path/coef")
    if not problem.loss.is_curved:  # where it is, −ℓ' of the scores is the dual value
        yield from as_series(path.dual, "path/dual")
    events = path.breakpoints
    yield "path/kind", events.kind
    yield "path/index", events.index
    yield "path/at", events.breakpoint
    yield "rows", machine.rows_
    yield "label", problem.label
    yield "weight", problem.weight
    yield "l2", np.array(problem.l2)
    yield "l1", np.array(machine.l1_)
    yield "tol", np.array(tol)
    yield "l1_weight", problem.l1_weight
    yield from _of_columns(machine.columns_)
    yield "loss/kink", problem.loss.kink
    yield "loss/slope", problem.loss.slope
    if problem.loss.width is not None:
        yield "loss/width", problem.loss.width
    if machine.relax_ < 1.0 and machine.coef_.any():
        used = np.flatnonzero(machine.coef_)
        yield "use/l1", np.array(machine.model_l1_)
        yield "use/l2", np.array(machine.model_path_.problem.l2)
        yield "use/columns", used.astype(np.int32)
        yield "use/coef", machine.coef_[used]
        yield "use/intercept", np.array(machine.intercept_)
        yield "use/dual", np.asarray(machine.dual_)


def _of_columns(columns: Any) -> Iterator[tuple[str, NDArray[Any]]]:
    couples = columns.couples
    variables = getattr(columns, "variables", columns)
    if columns.n_variables:
        yield "unit", np.asarray(variables.unit)
    if couples is None:
        return
    trees = [formula(kernel) for kernel in couples.kernels]
    yield "kernels", np.array([json.dumps(tree) for tree in trees], dtype=str)
    yield "kernel_names", np.array([kernel.name for kernel in couples.kernels], dtype=str)
    yield "centers", np.asarray(couples.rows)
    if couples.scale is not None:
        yield "scale", couples.scale
    if couples.unit is not None:
        yield "kernel_unit", couples.unit
