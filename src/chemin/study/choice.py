"""Which models of a comparison are those of the study, and which of its own is used where none is named?"""

from __future__ import annotations

from chemin.exceptions import StudyError
from chemin.study.document import Document, ModelFacts, Recipe
from chemin.study.steps.learning import MODELS


def own_name(compared: str, recipe: Recipe) -> str:
    """Return what a compared model is called in the study; "" if it is none of its models.

    A comparison is of models as they are by themselves: with kernels or an l2 of the recipe's, they are others.

    Examples
    --------
    >>> own_name("drsvm", Recipe("iris")), own_name("lda", Recipe("iris"))
    ('linear', '')
    >>> own_name("kernel-basis", Recipe("iris", kernels=("gaussian(1)",)))
    ''
    """
    if recipe.l2 is not None:
        return ""
    for name in recipe.models:
        changed = name == "basis" and recipe.kernels
        if compared in MODELS[name].values() and not changed:
            return name
    return ""


def called(compared: str, recipe: Recipe) -> str:
    """Return the name of a model of a comparison, with that which it has in a study.

    Examples
    --------
    >>> called("drsvm", Recipe("iris")), called("lda", Recipe("iris"))
    ('linear (drsvm)', 'lda')
    """
    own = own_name(compared, recipe)
    return f"{own} ({compared})" if own else compared


def recommended_of(document: Document) -> str:
    """Return the name of the model that the comparison recommends; if that is another's, the simplest of the best here.

    Where the models of the study were not all compared, it is the best on the test rows.
    """
    if not document.models:
        raise StudyError("the study has no model: learn again with --models linear,basis")
    found = document.comparison
    rows = {} if found is None else {own_name(row.name, document.recipe): row for row in found.rows}
    if not all(model.name in rows for model in document.models):
        return min(document.models, key=_on_test_rows).name

    def compared(model: ModelFacts) -> tuple[bool, float, float]:
        row = rows[model.name]
        group = row.group if row.group >= 0 else float("inf")  # it did not finish
        return found is None or row.name != found.recommended, group, row.length or 0.0

    return min(document.models, key=compared).name


def _on_test_rows(model: ModelFacts) -> tuple[float, int]:
    return (model.scores[0].value if model.scores else 0.0), model.length
