"""Which model of a study is used where none is named?"""

from __future__ import annotations

from chemin.exceptions import StudyError
from chemin.study.document import Document, ModelFacts
from chemin.study.steps.learning import MODELS


def recommended_of(document: Document) -> str:
    """Return the name of the model that the comparison recommends; if that is another's, the simplest of the best here.

    Where nothing was compared, it is the best on the test rows.
    """
    found = document.comparison
    rows = () if found is None else found.rows
    finished = {row.name: row for row in rows if row.group >= 0}
    chosen = "" if found is None else found.recommended

    def order(model: ModelFacts) -> tuple[bool, float, float]:
        name = MODELS[model.name][document.data.task]
        if name in finished:
            row = finished[name]
            return name != chosen, row.group, row.length or 0.0
        error = model.scores[0].value if model.scores else 0.0
        return True, float("inf") if finished else error, model.length

    if not document.models:
        raise StudyError("the study has no model: learn again with --models linear,basis")
    return min(document.models, key=order).name
