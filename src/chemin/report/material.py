"""What may a report tell? All that a study holds, or what is left of it without the values and names of rows."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from numpy.typing import NDArray

from chemin.interpret.summaries import Term
from chemin.study import Document, Study
from chemin.study.document import ColumnFacts, DataFacts, LookFacts, ModelFacts

_ROW = re.compile(r"^.+? \((?:class|y =) [^)]*\), ")  # as couples name their training row
_OF_ROWS = re.compile(r"^(points/X|points/rows|cases/.*|train|test|.*/predicted)$")


@dataclass(frozen=True, eq=False)
class Material:
    """Facts and arrays.

    Attributes
    ----------
    document : Document
        All facts that may be told.
    arrays : mapping
        Their arrays.
    redacted : bool
        Whether values and names of rows were taken out.
    """

    document: Document
    arrays: Mapping[str, NDArray[Any]]
    redacted: bool = False


def material_of(study: Study, redact: bool) -> Material:
    """Return what a report of a study is made from.

    With ``redact`` no value of a cell and no name of a row is left: no explained rows, no examples in descriptions,
    findings and guesses, and couples without their training row. Names of columns, classes, categories and words that
    a model uses stay, since they are the model.
    """
    if not redact:
        return Material(study.document, study.arrays)
    arrays = {name: value for name, value in study.arrays.items() if not _OF_ROWS.match(name)}
    return Material(redacted(study.document), arrays, redacted=True)


def redacted(document: Document) -> Document:
    """Return a document without values and names of rows."""
    return replace(
        document,
        data=_data(document.data),
        look=_look(document.look),
        models=tuple(map(_model, document.models)),
        cases=(),
    )


def _data(data: DataFacts) -> DataFacts:
    guesses = tuple(replace(guess, evidence="") for guess in data.guesses)
    return replace(data, guesses=guesses, losses=())


def _look(look: LookFacts) -> LookFacts:
    return replace(
        look,
        findings=tuple(replace(finding, evidence=()) for finding in look.findings),
        columns=tuple(ColumnFacts(column.name, column.type, "") for column in look.columns),
    )


def _model(model: ModelFacts) -> ModelFacts:
    return replace(model, terms=tuple(map(_term, model.terms)), couples=())


def _term(term: Term) -> Term:
    """Return a term without the row of its couple.

    Examples
    --------
    >>> _term(Term("P0199 (class ill), Gaussian(width=2)", 0.5, 0.1, 1)).name
    'a row, Gaussian(width=2)'
    """
    return replace(term, name=_ROW.sub("a row, ", term.name))
