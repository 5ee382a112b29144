"""How does a model change with l1? Its path and its cross-validated error, machine by machine, as arrays."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline

_CURVE = {"l1": "l1", "error": "mean_error", "spread": "standard_error", "size": "size"}


def curves_of(model: Pipeline) -> dict[str, NDArray[Any]]:
    """Return the arrays of every machine, under "0/path/…" and "0/choice/…".

    path    breakpoints l1, and coefficients in compressed columns: data, indices, indptr; intercepts
    choice  the cross-validated error of the path at the chosen l2, and its standard error and number of columns
    """
    last = model[-1]
    results = last.cv_results_
    found: dict[str, NDArray[Any]] = {}
    for number, machine in enumerate(last.estimators_):
        path = machine.path_
        coef = path.coef.tocsc()
        found[f"{number}/path/l1"] = np.asarray(path.l1)
        found[f"{number}/path/intercept"] = np.asarray(path.intercept)
        for part in ("data", "indices", "indptr"):
            found[f"{number}/path/{part}"] = np.asarray(getattr(coef, part))
        mine = results if isinstance(results, Mapping) else results[number]
        curve = mine["curve"][int(mine["chosen"])]
        for name, key in _CURVE.items():
            found[f"{number}/choice/{name}"] = np.asarray(curve[key], dtype=float)
    return found
