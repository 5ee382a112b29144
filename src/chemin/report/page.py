"""How does a report become a page? One HTML file that asks nothing of the network.

    Content-Security-Policy: default-src 'none'; style-src 'sha256-…'; script-src 'sha256-…'

The one style sheet and the one script are allowed by their hashes, and nothing else is: no other script, whatever it
came in with, no image, no font, no connection.
"""

from __future__ import annotations

from base64 import b64encode
from hashlib import sha256

from chemin.report.explorer import page_data, script
from chemin.report.material import material_of
from chemin.report.sections import report_of
from chemin.report.templates import templates, text_of
from chemin.report.words import ENGLISH, Words
from chemin.study import Study


def html(study: Study, language: str = ENGLISH, *, redact: bool = False) -> str:
    """Return a study as a page.

    Parameters
    ----------
    study : Study
        A finished one.
    language : {"en", "fr"}
        Of the page.
    redact : bool, default False
        Leave out values and names of rows.

    Returns
    -------
    str
        The same for the same study, whenever and wherever it is made.
    """
    environment = templates()
    style, code = text_of("page.css"), script()
    words = Words(language)
    material = material_of(study, redact)
    return str(
        environment.get_template("page.html.jinja").render(
            report=report_of(material, words),
            words=words,
            data=page_data(material, words),
            style=style,
            style_hash=_hash(style),
            script=code,
            script_hash=_hash(code),
        )
    )


def _hash(text: str) -> str:
    return b64encode(sha256(text.encode()).digest()).decode()
