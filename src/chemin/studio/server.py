"""How is the studio served? On this machine alone, behind its guard, at an address that carries the token.

The token stands behind the #, which a browser sends to nobody: the page hands it in and gets a cookie for it, which is
not sent with requests of other sites.
"""

from __future__ import annotations

import os
import secrets
import socket
import threading
import webbrowser
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp

from chemin.exceptions import InvalidInputError, StudyError
from chemin.report import check_language
from chemin.studio.desk import Desk
from chemin.studio.guard import Guard, Launch
from chemin.studio.home import Home
from chemin.studio.jobs import Jobs
from chemin.studio.routes import routes
from chemin.studio.routes.shown import entrance

HOST = "127.0.0.1"
LARGEST = 256 * 2**20  # bytes of an upload
_GOODBYE = 2  # seconds that open answers have to end


def application(desk: Desk, launch: Launch, largest: int = LARGEST) -> ASGIApp:
    """Return the studio as an application behind its guard."""

    async def enter(request: Request) -> Response:
        given = (await request.body()).decode("utf-8", "replace")
        if not launch.admits(given):
            return PlainTextResponse("refused: the token is wrong\n", 401)
        answer = Response(status_code=204)
        answer.set_cookie(launch.cookie, launch.token, httponly=True, samesite="strict")
        return answer

    app = Starlette(routes=routes(enter))
    app.state.desk = desk
    return Guard(app, launch, entrance(desk), largest)


def serve(
    source: str = "",
    *,
    target: str = "",
    folder: str | os.PathLike[str] = "chemin-studio",
    port: int = 0,
    language: str = "en",
    browser: bool = True,
    tell: Callable[[str], Any] = print,
) -> None:
    """Serve the studio until it is stopped.

    Parameters
    ----------
    source : str, optional
        A file, a bundled name, or a study to open.
    target : str, optional
        The column to predict.
    folder : path
        Where projects are kept.
    port : int, default 0
        Where to listen; 0 for one that is free.
    language : {"en", "fr"}
        Of the pages, until somebody chooses the other one there.
    browser : bool, default True
        Open the page.
    tell : callable
        Is given the lines to be told.
    """
    import uvicorn

    check_language(language)
    home = Home(folder)
    listening = _listening(port)
    launch = Launch(listening.getsockname()[1], secrets.token_urlsafe(24))
    jobs = Jobs()
    with listening, _alone(home):
        project = home.open(source, target) if source else None
        desk = Desk(home, jobs, language)
        path = f"/p/{project.name}" if project else "/"
        address = f"http://{HOST}:{launch.port}{path}#{launch.token}"
        tell(f"studio   {address}")
        tell(f"projects {home.folder} (they carry rows of the data); Ctrl-C ends")
        threading.Thread(target=jobs.warm, daemon=True).start()
        if browser:
            webbrowser.open(address)
        config = uvicorn.Config(
            application(desk, launch), log_level="warning", access_log=False, server_header=False,
            proxy_headers=False, ws="none", timeout_graceful_shutdown=_GOODBYE,
        )  # fmt: skip
        try:
            uvicorn.Server(config).run(sockets=[listening])
        finally:
            jobs.end()


@contextmanager
def _alone(home: Home) -> Iterator[None]:
    """Keep other studios out of a folder."""
    with ExitStack() as stack:
        try:
            stack.enter_context(home.alone())
        except StudyError as error:
            raise StudyError(
                f"another studio works in {home.folder}: use its page, or pass --folder another-folder"
            ) from error
        yield


def _listening(port: int) -> socket.socket:
    """Return a socket that listens on this machine alone."""
    found = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        found.bind((HOST, port))
        found.listen()  # who comes before it is served waits
    except (OSError, OverflowError) as error:
        found.close()
        raise InvalidInputError(
            f"port {port} cannot be listened on ({error}): pass --port 0 for one that is free"
        ) from error
    return found
