"""How does a page of the studio look? Templates filled with what a page needs, in the language of whoever asks."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, wraps
from typing import Any

from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from chemin.exceptions import CheminError
from chemin.report.french import OF_SCRIPTS
from chemin.report.templates import templates
from chemin.report.words import LANGUAGES, Words
from chemin.studio.desk import Desk
from chemin.studio.french import SCRIPTS, SENTENCES, TERMS
from chemin.studio.history import Entry, Project

LANGUAGE = "chemin-language"  # the cookie of a choice
_REFUSED = 422  # what was asked cannot be done; the page says why
_FRENCH = {**SENTENCES, **TERMS}
_templates = cache(lambda: templates("chemin.studio/pages"))


def desk_of(request: Request) -> Desk:
    """Return what answers draw on."""
    desk: Desk = request.app.state.desk
    return desk


def words_of(request: Request) -> Words:
    """Return the words of whoever asks."""
    chosen = request.cookies.get(LANGUAGE, "")
    return Words(chosen if chosen in LANGUAGES else desk_of(request).language, _FRENCH)


def scripts_words(words: Words) -> dict[str, Any]:
    """Return the words that the scripts of a page are given."""
    french = {} if words.language == "en" else {**OF_SCRIPTS, **SCRIPTS}
    return {"language": words.language, "words": french}


def page(request: Request, name: str, status: int = 200, **values: Any) -> Response:
    """Return a page."""
    words = words_of(request)
    shared = {
        "words": words,
        "spoken": scripts_words(words),
        "error": "",
        "path": request.url.path,
        "project": None,
    }
    text = _templates().get_template(f"{name}.html.jinja").render(shared | values)
    return HTMLResponse(text, status)


def entry_page(request: Request, name: str, status: int = 200, **values: Any) -> Response:
    """Return a page about an entry."""
    project, entry = entry_of(request)
    line = project.line(entry.number)
    return page(request, name, status, project=project, entry=entry, line=line, step=name, **values)


def project_of(request: Request) -> Project:
    """Return the project that an address names."""
    return desk_of(request).home.project(request.path_params["name"])


def entry_of(request: Request) -> tuple[Project, Entry]:
    """Return the project and the entry that an address names."""
    project = project_of(request)
    return project, project.entry(request.path_params["number"])


def told(answer: Callable[[Request], Response]) -> Callable[[Request], Response]:
    """Return an answer that says what is wrong where something is: in a page, or as JSON for a script."""

    @wraps(answer)
    def answered(request: Request) -> Response:
        try:
            return answer(request)
        except (CheminError, OSError, MemoryError) as error:
            return wrong(request, str(error) or type(error).__name__)

    return answered


def wrong(request: Request, why: str) -> Response:
    """Return that something cannot be done, and why."""
    if request.url.path.endswith(".json"):
        return JSONResponse({"error": why}, _REFUSED)
    return page(request, "wrong", _REFUSED, error=why, **_place(request))


def _place(request: Request) -> dict[str, Any]:
    """Return where a page stands as far as its address names something that is there."""
    try:
        project = project_of(request)
        number = request.path_params.get("number", project.entries[-1].number)
        entry = project.entry(min(number, project.entries[-1].number))
    except (CheminError, KeyError):
        return {}
    return {"project": project, "entry": entry, "step": "", "line": []}


def entrance(desk: Desk) -> ASGIApp:
    """Return what a person without the token is shown."""

    async def shown(scope: Scope, receive: Receive, send: Send) -> None:
        words = Words(desk.language, _FRENCH)
        text = (
            _templates()
            .get_template("enter.html.jinja")
            .render(words=words, spoken=scripts_words(words), error="", project=None, path="/")
        )
        await HTMLResponse(text, 401)(scope, receive, send)

    return shown
