"""Who may come in: plain ASGI around everything, HTTP and websocket, pages and files and REST alike."""

from collections.abc import Mapping
from typing import Literal

from shoal.web.answers import App, Header, Message, Receive, Scope, Send, answer, refuse
from shoal.web.keys import Keys
from shoal.web.limits import counted
from shoal.web.welcome import POLICY, WELCOME

__all__ = ["API", "Guard"]

API = "/api/"
"""Where the REST interface is, the only place that the bearer token opens."""

_SAFE = ("GET", "HEAD", "OPTIONS")
_LONGEST_TOKEN = 256
_SMALL = 8 * 2**20  # bytes of a body that is no upload
_POLICY = (
    "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data: blob:; font-src 'self' data:; worker-src 'self' blob:; object-src 'none'; base-uri 'self'; "
    "form-action 'self'; frame-ancestors 'none'"
)
"""What the page may load: NiceGUI's templates need inline scripts and eval, and nothing from elsewhere."""
_API_POLICY = "default-src 'none'; frame-ancestors 'none'"
_BEARER: list[Header] = [(b"www-authenticate", b'Bearer realm="shoal"')]
_HEADERS: Mapping[bytes, bytes] = {
    b"x-content-type-options": b"nosniff",
    b"referrer-policy": b"no-referrer",
    b"cross-origin-resource-policy": b"same-origin",
    b"cross-origin-opener-policy": b"same-origin",
    b"cache-control": b"no-store",
}
_NO_COOKIE = "this needs the token: open the address that shoal printed, or send Authorization: Bearer TOKEN"

Pass = Literal["cookie", "bearer"] | None


class Guard:
    """Lets in whoever comes from this machine's own page with its cookie, or to the REST interface with its token.

    Parameters
    ----------
    app
        What is guarded. NiceGUI looks for it under this name.
    keys
        The secrets.
    port
        Where the server listens; Host and Origin must name it, and the cookie is named after it.
    hosts
        The names that a browser may call this machine.
    large
        By the beginning of a path: how many bytes a body may have there. Elsewhere it is 8 MB.
    """

    def __init__(
        self,
        app: App,
        *,
        keys: Keys,
        port: int,
        hosts: tuple[str, ...] = ("127.0.0.1", "localhost"),
        large: Mapping[str, int] | None = None,
    ) -> None:
        self.app = app
        self.cookie = f"shoal-{port}"
        self._keys = keys
        self._hosts = {f"{host}:{port}".encode() for host in hosts}
        if port == 80:
            self._hosts |= {host.encode() for host in hosts}
        self._large = large or {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on what may come in; refuse the rest."""
        if scope["type"] == "websocket":
            await self._websocket(scope, receive, send)
        elif scope["type"] == "http":
            await self._http(scope, receive, _with_headers(scope, send))
        else:
            await self.app(scope, receive, send)

    async def _websocket(self, scope: Scope, receive: Receive, send: Send) -> None:
        foreign = self._foreign(scope, origin_needed=True)
        if foreign is None and self._passed(scope) == "cookie":
            await self.app(scope, receive, send)
        else:
            await receive()  # the request to connect
            await send(
                {"type": "websocket.close", "code": 1008}
            )  # before it is accepted: the server answers 403

    async def _http(self, scope: Scope, receive: Receive, send: Send) -> None:
        passed = self._passed(scope)
        unsafe = scope["method"] not in _SAFE
        foreign = self._foreign(scope, origin_needed=unsafe and passed != "bearer")
        if foreign is not None:
            await refuse(send, 403, foreign)
        elif scope["path"] == "/token":
            await self._exchange(scope, receive, send)
        elif passed is None:
            await _turn_away(scope, send)
        elif any(sign < " " for sign in scope["path"]):  # routers read a line's end as a path's
            await refuse(send, 404, "there is nothing at this path: no address here has control signs")
        else:
            await counted(self.app, self._limit(scope), scope, receive, send)

    def _limit(self, scope: Scope) -> int:
        return next(
            (limit for start, limit in self._large.items() if scope["path"].startswith(start)), _SMALL
        )

    def _foreign(self, scope: Scope, *, origin_needed: bool) -> str | None:
        """Why a request is none of this machine's own page; None where it is one."""
        hosts, origins = _all(scope, b"host"), _all(scope, b"origin")
        if len(hosts) != 1 or hosts[0].lower() not in self._hosts:
            return "this server answers only under its own address; open the address that shoal printed"
        own = b"http://" + hosts[0].lower()
        if (origin_needed and not origins) or any(origin.lower() != own for origin in origins):
            return "this comes from another page (its Origin is not this server's), so nothing is done"
        return None

    def _passed(self, scope: Scope) -> Pass:
        """By what somebody is let in. A bearer token is for the REST interface only, and a wrong one is no cookie."""
        stated = _all(scope, b"authorization")
        if stated:
            kind, _, token = stated[0].partition(b" ")
            right = len(stated) == 1 and kind.lower() == b"bearer" and self._keys.has_bearer(token.strip())
            return "bearer" if right and scope["path"].startswith(API) else None
        name = self.cookie.encode()
        pairs = (pair.strip().partition(b"=") for line in _all(scope, b"cookie") for pair in line.split(b";"))
        return (
            "cookie"
            if any(key == name and self._keys.has_session(value) for key, _, value in pairs)
            else None
        )

    async def _exchange(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Change the token for the cookie, once."""
        if scope["method"] != "POST":
            await refuse(send, 405, "the token is sent with POST", [(b"allow", b"POST")])
            return
        offered = await _body(receive, _LONGEST_TOKEN)
        session = None if offered is None else self._keys.admit(offered)
        if session is None:
            await refuse(send, 401, "this token is wrong, or it was used before", _BEARER)
            return
        cookie = f"{self.cookie}={session}; HttpOnly; SameSite=Strict; Path=/"
        await answer(send, 204, headers=[(b"set-cookie", cookie.encode())])


async def _turn_away(scope: Scope, send: Send) -> None:
    """Say that a token is needed; there is no redirect."""
    if scope["path"] == "/" and scope["method"] in ("GET", "HEAD"):
        headers = [*_BEARER, (b"content-security-policy", POLICY.encode())]
        await answer(send, 401, WELCOME, "text/html; charset=utf-8", headers)
    else:
        await refuse(send, 401, _NO_COOKIE, _BEARER)


async def _body(receive: Receive, most: int) -> bytes | None:
    """A short body; None where it is longer, or its sender is gone."""
    body = bytearray()
    while len(body) <= most:
        message = await receive()
        if message["type"] != "http.request":
            return None
        body += message.get("body", b"")
        if not message.get("more_body"):
            break
    return bytes(body) if len(body) <= most else None


def _with_headers(scope: Scope, send: Send) -> Send:
    """Add the headers that keep a browser careful; a stricter policy of an answer's own stays."""
    policy = _API_POLICY if scope["path"].startswith(API) else _POLICY

    async def careful(message: Message) -> None:
        if message["type"] == "http.response.start":
            there = list(message.get("headers", ()))
            names = {name.lower() for name, _ in there}
            wanted = {**_HEADERS, b"content-security-policy": policy.encode()}
            added = [(name, value) for name, value in wanted.items() if name not in names]
            message = {**message, "headers": [*there, *added]}
        await send(message)

    return careful


def _all(scope: Scope, name: bytes) -> list[bytes]:
    """Every header of a name."""
    return [value for key, value in scope["headers"] if key.lower() == name]
