"""What stands between the app and everybody else: each request passes `Guard` before anything looks at it.

Other web pages, other programs on this machine and other machines must not reach the tables of the user:

- Only the names and the port that we listen on are served, so that a name of somebody else that leads to this machine
  (DNS rebinding) is refused. What another page asks for is refused by its Origin and its Sec-Fetch-Site.
- The first address holds a random token. It becomes a cookie that scripts cannot read and that other sites do not send.
- Bodies are bounded while they arrive, whether or not they say how long they are.
- Pages run our own script files and nothing else, load nothing from elsewhere, and cannot be put into a frame.
"""

from __future__ import annotations

import secrets
from collections.abc import Collection, Mapping
from urllib.parse import parse_qs, urlencode

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import cookie_parser
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

#: The most bytes of a request that is no upload.
MOST_JSON = 2**22
#: Where a request says how many bytes an upload may have, so that the page can tell before it is sent.
MOST_BYTES = "veridag.most_bytes"
_UPLOAD = "/api/projects"
_READING = ("GET", "HEAD")
_TOKEN = "token"

# Drawings bring styles of their own and scripts set widths; neither can run anything.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; "
    "font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS: Mapping[str, str] = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}


class Refused(Exception):
    """A request that does not pass, with the status and the sentence of the answer."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status = status


class Guard:
    """ASGI middleware that lets through what the user's own browser asks for, and answers the rest itself.

    `hosts` are the values of Host that are served, with the port. `most_bytes` bounds an upload.
    """

    def __init__(self, app: ASGIApp, *, token: str, hosts: Collection[str], most_bytes: int) -> None:
        self.app = app
        self.token = token
        self.hosts = frozenset(host.lower() for host in hosts)
        self.most_bytes = most_bytes
        self.secret = secrets.token_urlsafe(32)
        # Browsers send a cookie to every port of a host: two servers must not use the same name.
        port = min(self.hosts, default="").rpartition(":")[2]
        self.cookie = f"veridag-{port}" if port.isdecimal() else "veridag"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":  # there are no web sockets here
            await send({"type": "websocket.close", "code": 1008})
            return
        guarded = _Sending(send)
        try:
            answer = self._answer(scope)
        except Refused as refused:
            answer = said(scope, refused.status, str(refused))
        if answer is not None:
            await answer(scope, receive, guarded)
            return
        try:
            await self.app({**scope, MOST_BYTES: self.most_bytes}, self._bounded(scope, receive), guarded)
        except Exception as error:  # a defect of veridag: the server shows the traceback in its terminal
            text = f"Unexpected {type(error).__name__}: the terminal of veridag app shows where."
            if not guarded.started:
                await said(scope, 500, text)(scope, receive, guarded)
            raise

    def _answer(self, scope: Scope) -> Response | None:
        """What is answered at once; None if the request may pass."""
        headers = Headers(scope=scope)
        host = headers.getlist("host")
        if len(host) != 1 or host[0].lower() not in self.hosts:
            raise Refused(400, "This address is not served here: open the one that veridag app printed.")
        reading = scope["method"] in _READING
        origins = headers.getlist("origin")
        if any(origin.lower() != f"http://{host[0].lower()}" for origin in origins) or not (origins or reading):
            raise Refused(403, "The request comes from another page, so it is refused.")
        if not self._same_site(headers, reading):
            raise Refused(403, "The request comes from another site, so it is refused.")
        if (first := self._entry(scope, reading)) is not None:
            return first
        if not self._knows(headers):
            raise Refused(403, "This page needs the address that veridag app printed when it started: open that one.")
        if not _length_fits(headers, self._most(scope)):
            raise Refused(413, self._too_large(scope))
        return None

    def _same_site(self, headers: Headers, reading: bool) -> bool:
        """Whether our own page asks, or the user, who may also follow a link from somewhere else."""
        site = headers.get("sec-fetch-site", "none")
        follows_link = (
            reading and headers.get("sec-fetch-mode") == "navigate" and headers.get("sec-fetch-dest") == "document"
        )
        return site in ("same-origin", "none") or follows_link

    def _entry(self, scope: Scope, reading: bool) -> Response | None:
        """The first address: the token in it becomes a cookie, and leaves the address."""
        query = parse_qs(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        given = query.pop(_TOKEN, None)
        if given is None or not reading:
            return None
        if len(given) != 1 or not _same(given[0], self.token):
            raise Refused(
                403,
                "The token in this address is not that of the running server: open the one that veridag app printed.",
            )
        # One slash: two would make it the address of another host.
        target = f"/{scope['path'].lstrip('/')}" if scope["path"].isascii() else "/"
        answer = RedirectResponse(target + (f"?{urlencode(query, doseq=True)}" if query else ""), status_code=303)
        answer.set_cookie(self.cookie, self.secret, httponly=True, samesite="strict", path="/")
        return answer

    def _knows(self, headers: Headers) -> bool:
        """Whether the request has our cookie."""
        given = [cookie_parser(line).get(self.cookie) for line in headers.getlist("cookie")]
        return any(value is not None and _same(value, self.secret) for value in given)

    def _most(self, scope: Scope) -> int:
        return self.most_bytes if scope["path"] == _UPLOAD else MOST_JSON

    def _too_large(self, scope: Scope) -> str:
        most = self._most(scope)
        shown = f"{most / 2**20:.0f} MB" if most >= 2**20 else f"{most} bytes"
        remedy = ": start veridag app with a larger --max-upload" if scope["path"] == _UPLOAD else ""
        return f"That is larger than the {shown} that are taken here{remedy}."

    def _bounded(self, scope: Scope, receive: Receive) -> Receive:
        """`receive` until too much has arrived: a body that comes in chunks does not say how long it is."""
        most, arrived = self._most(scope), 0

        async def counted() -> Message:
            nonlocal arrived
            message = await receive()
            arrived += len(message.get("body", b""))
            if arrived > most:
                raise HTTPException(413, self._too_large(scope))
            return message

        return counted


def _length_fits(headers: Headers, most: int) -> bool:
    """Whether a body is no longer than allowed, as far as it says; servers refuse two different lengths."""
    return all(
        length.isdecimal() and len(length) < 19 and int(length) <= most for length in headers.getlist("content-length")
    )


def _same(given: str, expected: str) -> bool:
    """In a time that says nothing about where they differ."""
    return secrets.compare_digest(given.encode("utf-8", "replace"), expected.encode())


def said(scope: Scope, status: int, text: str) -> Response:
    """A refusal or a mistake in a sentence: as JSON where a script asks, and else as a text."""
    headers = {"Connection": "close"} if status == 413 else None  # the rest of the body is not read
    if scope["path"].startswith("/api/"):
        return JSONResponse({"error": text}, status, headers)
    return PlainTextResponse(f"{text}\n", status, headers)


class _Sending:
    """`send` that adds `HEADERS` where the answer does not set them itself."""

    def __init__(self, send: Send) -> None:
        self.send, self.started = send, False

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.started = True
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers.setdefault(name, value)
        await self.send(message)
