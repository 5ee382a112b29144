"""Which code do pages load? A fixed list of files of this package; a path never comes from a request."""

from __future__ import annotations

from importlib.resources import files

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from chemin.report.explorer.scripts import MODULES

_OURS = (
    "studio.css",
    "compose.js",
    "enter.js",
    "explore.js",
    "grammar.js",
    "learn.js",
    "linked.js",
    "windows.js",
    "words_of.js",
)
_FILES = {
    "page.css": ("chemin.report", "page.css"),
    **{f"{name}.js": ("chemin.report.explorer", f"{name}.js") for name in MODULES},
    **{name: ("chemin.studio", f"pages/{name}") for name in _OURS},
}
_KINDS = {"css": "text/css", "js": "text/javascript"}


def static(request: Request) -> Response:
    """Return a script or a style sheet."""
    name = request.path_params["file"]
    if name not in _FILES:
        return PlainTextResponse("there is no such file\n", 404)
    package, file = _FILES[name]
    text = files(package).joinpath(*file.split("/")).read_text("utf-8")
    return Response(text, media_type=_KINDS[name.rpartition(".")[2]])
