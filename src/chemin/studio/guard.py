"""Who may ask? Only the page that this launch has opened: every request passes here before anything reads it.

    host     127.0.0.1 or localhost at this port, so that a name that was bound anew to this machine is refused
    origin   none or this one, and one for whatever changes something, so that other sites cannot ask
    token    a cookie that is given for the token of this launch, and to nobody else
    size     no body larger than the limit, whatever it says of itself

Answers carry the policy of pages: scripts, styles and connections from here alone, and no frame around them.
"""

from __future__ import annotations

from dataclasses import dataclass
from hmac import compare_digest

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import cookie_parser
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'"
)
_HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",  # with none, a browser does not say where a form comes from
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}
_READING = ("GET", "HEAD")
_FOR_ALL = ("/static/", "/enter")  # the code of the pages, and where the token is handed in


@dataclass(frozen=True)
class Launch:
    """What one launch of the studio is known by.

    Attributes
    ----------
    port : int
        Where it listens.
    token : str
        What its address carries behind the #, which browsers send to nobody.
    """

    port: int
    token: str

    @property
    def cookie(self) -> str:
        """The name of its cookie: those of other ports are not taken for it."""
        return f"chemin-{self.port}"

    @property
    def hosts(self) -> tuple[str, ...]:
        """What a browser may call it."""
        return (f"127.0.0.1:{self.port}", f"localhost:{self.port}")

    def admits(self, given: str) -> bool:
        """Whether that is the token."""
        return compare_digest(given.encode(), self.token.encode())


class Guard:
    """An application behind its guard.

    Parameters
    ----------
    app : ASGI application
        What answers those who may ask.
    launch : Launch
        Whose token is asked for.
    entrance : ASGI application
        What a person without the token is shown: where it is to be found.
    largest : int
        Bytes of a request's body.
    """

    def __init__(self, app: ASGIApp, launch: Launch, entrance: ASGIApp, largest: int) -> None:
        self._app = app
        self._launch = launch
        self._entrance = entrance
        self._largest = largest

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or refuse."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            return  # there is no other kind of connection: the server closes it
        headers = Headers(scope=scope)

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(_HEADERS)
            await send(message)

        refusal = self._refusal(scope, headers)
        if refusal is not None:
            await refusal(scope, receive, send_guarded)
        elif scope["path"].startswith(_FOR_ALL) or self._is_admitted(headers):
            await self._app(scope, self._limited(receive), send_guarded)
        elif scope["method"] == "GET" and "text/html" in headers.get("accept", ""):
            await self._entrance(scope, receive, send_guarded)
        else:
            await _refused(401, "the token is wrong")(scope, receive, send_guarded)

    def _refusal(self, scope: Scope, headers: Headers) -> Response | None:
        """Return why a request is refused, None if it is not."""
        host = headers.get("host", "")
        if host not in self._launch.hosts:
            return _refused(421, f"this studio is not {host[:100]!r}")
        origin = headers.get("origin")
        reads = scope["method"] in _READING
        if origin is None and not reads:
            return _refused(403, "a request that changes something must say where it comes from")
        if origin is not None and origin != f"http://{host}":
            return _refused(403, "a request from another site")
        site = headers.get("sec-fetch-site", "same-origin")
        goes = reads and headers.get("sec-fetch-mode") == "navigate"
        if site not in ("same-origin", "none") and not goes:
            return _refused(403, "a request from another site")
        size = headers.get("content-length", "0")
        if not size.isdigit():
            return _refused(400, "a body of no size")
        return _refused(413, self._too_large) if int(size) > self._largest else None

    def _is_admitted(self, headers: Headers) -> bool:
        given = cookie_parser(headers.get("cookie", "")).get(self._launch.cookie, "")
        return self._launch.admits(given)

    def _limited(self, receive: Receive) -> Receive:
        """Return what hands out a body until it is too long."""
        taken = 0

        async def receive_some() -> Message:
            nonlocal taken
            message = await receive()
            taken += len(message.get("body", b""))
            if taken > self._largest:
                raise HTTPException(413, f"refused: {self._too_large}")
            return message

        return receive_some

    @property
    def _too_large(self) -> str:
        return f"more than {self._largest // 2**20} MiB: name the file on the command line"


def _refused(status: int, why: str) -> Response:
    return PlainTextResponse(f"refused: {why}\n", status)
