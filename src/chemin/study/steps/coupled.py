"""Which training rows does a model consist of? Those its couples are centred on, and what sets them apart.

Of a row those variables are told whose columns are furthest from their mean, in standard deviations over the training
rows, among the columns that the kernel of its couple sees.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.pipeline import Pipeline
from sklearn.utils import _safe_indexing

from chemin.dictionaries.base import Floats, Indices
from chemin.interpret.items import Couple
from chemin.interpret.reading import read_number
from chemin.study.document import CoupleFacts, ValueFacts
from chemin.study.steps.reading import Source
from chemin.tables import Piped, opened

_COUPLES = 12  # that are told, those of the largest shares
_VALUES = 5  # of a row


def couples_of(model: Pipeline, source: Source, train: Indices) -> tuple[CoupleFacts, ...]:
    """Return the couples that weigh most, each couple once; none of images, which are shown as they are."""
    if source.table.image_shape is not None:
        return ()
    couples = _weighed(model)[:_COUPLES]
    if not couples:
        return ()
    X = _safe_indexing(source.X, train)
    prepared = model[:-1].transform(X)
    values = prepared.toarray() if sparse.issparse(prepared) else np.asarray(prepared, dtype=float)
    apart = _Apart(opened(model), values, X)
    names = source.row_names
    return tuple(
        CoupleFacts(
            row=names[train[couple.row]],
            label="" if isinstance(couple.label, float) else str(couple.label),
            kernel=couple.kernel.name,
            values=apart.of(couple),
        )
        for couple in couples
    )


def _weighed(model: Pipeline) -> list[Couple]:
    """Return the couples of all machines by the largest share that each has in one of them."""
    piped = opened(model)
    found: dict[tuple[int, str], tuple[float, Couple]] = {}
    for number in range(len(piped.estimators_)):
        reading = read_number(piped, number)
        for place in reading.couple_places.tolist():
            couple = reading.items[place]
            share = float(reading.shares[place])
            key = couple.row, couple.kernel.name
            if key not in found or found[key][0] < share:
                found[key] = share, couple
    return [couple for _, couple in sorted(found.values(), key=lambda pair: -pair[0])]


class _Apart:
    """How far the training rows are from the mean, variable by variable."""

    def __init__(self, model: Piped, prepared: Floats, X: Any) -> None:
        self.model = model
        self.X = X
        self.prepared = prepared
        self.mean = prepared.mean(axis=0)
        spread = prepared.std(axis=0)
        self.spread = np.where(spread > 0.0, spread, 1.0)

    def of(self, couple: Couple) -> tuple[ValueFacts, ...]:
        """Return the values of a row that are furthest from the mean, the furthest first."""
        away = np.abs(self.prepared[couple.row] - self.mean) / self.spread
        seen = couple.kernel.columns_needed
        columns = np.arange(len(away)) if seen is None else np.array(seen, dtype=np.intp)
        told = self.model.told(_safe_indexing(self.X, [couple.row]))
        found: dict[str, ValueFacts] = {}
        for j in columns[np.argsort(-away[columns], kind="stable")].tolist():
            origin = self.model.origins[j]
            if origin.variable in told and origin.variable not in found:
                usual = origin.value(float(self.mean[j])) if origin.is_number else None
                found[origin.variable] = ValueFacts(
                    origin.variable, told[origin.variable][0], usual
                )
            if len(found) == _VALUES:
                break
        return tuple(found.values())
