"""How does a report become JSON? It is the study's document, all that the page and the Markdown are made of."""

from __future__ import annotations

from chemin.report.material import material_of
from chemin.study import Study
from chemin.study.codec import to_json


def json(study: Study, *, redact: bool = False) -> str:
    """Return the facts of a study as JSON.

    Parameters
    ----------
    study : Study
        A finished one.
    redact : bool, default False
        Leave out values and names of rows.

    Returns
    -------
    str
        The same for the same study, whenever and wherever it is made; in no language, since it holds facts.
    """
    return to_json(material_of(study, redact).document).decode()
