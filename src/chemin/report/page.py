"""How does a report become a page? One HTML file that asks nothing of the network.

    Content-Security-Policy: default-src 'none'; style-src 'sha256-…'; script-src 'sha256-…'

The one style sheet and the one script are allowed by their hashes, and nothing else is: no other script, whatever it
came in with, no image, no font, no connection.
"""

from __future__ import annotations

import json
from base64 import b64encode
from hashlib import sha256
from importlib.resources import files
from typing import Any

from chemin.exceptions import MissingLibraryError
from chemin.report import svg
from chemin.report.blocks import Bar, Number, Span
from chemin.report.explorer import page_data, script
from chemin.report.material import material_of
from chemin.report.sections import report_of
from chemin.report.words import ENGLISH, Words
from chemin.results import plain
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
    try:
        from jinja2 import Environment, StrictUndefined
        from markupsafe import Markup
    except ImportError as error:
        raise MissingLibraryError("pages need jinja2: pip install 'chemin[report]'") from error
    style, code = _text_of("page.css"), script()
    words = Words(language)
    material = material_of(study, redact)
    environment = Environment(
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_shown,
    )
    environment.tests |= {"shown_number": _is_number, "picture": _is_picture}
    environment.filters |= {
        "drawn": lambda cell: Markup(_drawn(cell)),
        "curve": lambda curve, name: Markup(svg.curve(curve, name)),
    }
    return environment.from_string(_text_of("page.html.jinja")).render(
        report=report_of(material, words),
        words=words,
        data=Markup(_as_json(page_data(material, words))),
        style=Markup(style),
        style_hash=_hash(style),
        script=Markup(code),
        script_hash=_hash(code),
    )


def _hash(text: str) -> str:
    return b64encode(sha256(text.encode()).digest()).decode()


def _as_json(data: Any) -> str:
    """Return JSON that can neither end the element it stands in nor begin another one."""
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def _text_of(name: str) -> str:
    return (files("chemin.report") / name).read_text(encoding="utf-8")


def _shown(value: Any) -> Any:
    """Return text in which nothing turns the order of what is read; what is HTML already stays as it is."""
    return value if hasattr(value, "__html__") or not isinstance(value, str) else plain(value)


def _is_number(cell: object) -> bool:
    return isinstance(cell, Number)


def _is_picture(cell: object) -> bool:
    return isinstance(cell, Bar | Span)


def _drawn(cell: Bar | Span) -> str:
    return svg.bar(cell) if isinstance(cell, Bar) else svg.span(cell)
