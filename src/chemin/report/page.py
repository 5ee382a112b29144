"""How does a report become a page? One HTML file that asks nothing of the network.

    Content-Security-Policy: default-src 'none'; style-src 'sha256-…'

The one style sheet is allowed by its hash, and nothing else is: neither scripts, nor images, nor styles of elements.
"""

from __future__ import annotations

from base64 import b64encode
from hashlib import sha256
from importlib.resources import files
from typing import Any

from chemin.exceptions import MissingLibraryError
from chemin.report import svg
from chemin.report.blocks import Bar, Number, Span
from chemin.report.sections import report_of
from chemin.report.words import ENGLISH, Words
from chemin.results import plain
from chemin.study import Study


def html(study: Study, language: str = ENGLISH) -> str:
    """Return a study as a page.

    Parameters
    ----------
    study : Study
        A finished one.
    language : {"en", "fr"}
        Of the page.

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
    style = _text_of("page.css")
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
        report=report_of(study, language),
        words=Words(language),
        style=Markup(style),
        style_hash=b64encode(sha256(style.encode()).digest()).decode(),
    )


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
