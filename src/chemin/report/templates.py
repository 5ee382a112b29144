"""How do blocks become HTML? The templates of a page, and what they draw cells and curves with."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any

from chemin.exceptions import MissingLibraryError
from chemin.report import svg
from chemin.report.blocks import Bar, Number, Span
from chemin.results import plain


def templates(*rooms: str) -> Any:
    """Return the environment in which templates of these packages, and of the report, are filled.

    Parameters
    ----------
    *rooms : str
        Packages or folders in them, such as ``"chemin.studio/pages"``, that are looked through before the report.
    """
    try:
        from jinja2 import Environment, FunctionLoader, StrictUndefined
        from markupsafe import Markup
    except ImportError as error:
        raise MissingLibraryError("pages need jinja2: pip install 'chemin[report]'") from error

    def text_of_first(name: str) -> str | None:
        for room in (*rooms, "chemin.report"):
            package, _, folder = room.partition("/")
            place = files(package).joinpath(folder, name)
            if place.is_file():
                return place.read_text(encoding="utf-8")
        return None

    environment = Environment(
        loader=FunctionLoader(text_of_first),
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
        "as_json": lambda data: Markup(as_json(data)),
    }
    return environment


def text_of(name: str) -> str:
    """Return a file of the report."""
    return (files("chemin.report") / name).read_text(encoding="utf-8")


def as_json(data: Any) -> str:
    """Return JSON that can neither end the element it stands in nor begin another one."""
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def _shown(value: Any) -> Any:
    """Return text in which nothing turns the order of what is read; what is HTML already stays as it is."""
    return value if hasattr(value, "__html__") or not isinstance(value, str) else plain(value)


def _is_number(cell: object) -> bool:
    return isinstance(cell, Number)


def _is_picture(cell: object) -> bool:
    return isinstance(cell, Bar | Span)


def _drawn(cell: Bar | Span) -> str:
    return svg.bar(cell) if isinstance(cell, Bar) else svg.span(cell)
