"""Which addresses are there? Pages for people, answers for the scripts of pages, and what changes something."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from chemin.studio.routes import answers, begin, learning, pages, static

_ENTRY = "/p/{name}/{number:int}"


def routes(enter: Callable[[Request], Awaitable[Response]]) -> list[Route]:
    """Return all routes; ``enter`` is where the token is handed in."""
    read = [
        ("/", pages.home),
        ("/p/{name}", pages.project),
        ("/p/{name}/history", pages.history),
        ("/p/{name}/compare", pages.compare),
        (f"{_ENTRY}/data", pages.data),
        (f"{_ENTRY}/look", pages.look),
        (f"{_ENTRY}/kernels", pages.kernels),
        (f"{_ENTRY}/model", pages.model),
        (f"{_ENTRY}/pictures.json", answers.pictures),
        (f"{_ENTRY}/explorer.json", answers.explorer),
        (f"{_ENTRY}/images.json", answers.images),
        (f"{_ENTRY}/events", answers.events),
        (f"{_ENTRY}/export/{{what}}", answers.export),
        ("/static/{file}", static.static),
    ]
    write = [
        ("/enter", enter),
        ("/language", begin.language),
        ("/open", begin.open_source),
        (f"{_ENTRY}/read", begin.read_again),
        (f"{_ENTRY}/check", answers.check),
        (f"{_ENTRY}/learn", learning.learn),
        (f"{_ENTRY}/again", learning.again),
        (f"{_ENTRY}/cancel", learning.cancel),
    ]
    return [
        *(Route(path, answer, methods=["GET"]) for path, answer in read),
        *(Route(path, answer, methods=["POST"]) for path, answer in write),
    ]
