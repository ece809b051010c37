"""Who may come in: plain ASGI around everything, HTTP and websocket, pages and files and REST alike."""

from collections.abc import Mapping
from hmac import compare_digest
from typing import Literal
from urllib.parse import parse_qs, quote, unquote

from shoal.web.answers import App, Header, Message, Receive, Scope, Send, answer, refuse
from shoal.web.keys import Keys
from shoal.web.limits import counted
from shoal.web.welcome import POLICY, WELCOME

__all__ = ["API", "Guard"]

API = "/api/"
"""Where the REST interface is, the only place that the bearer token opens."""

_KEY = b"x-shoal-key"
_SAFE = ("GET", "HEAD", "OPTIONS")
_LONGEST_TOKEN = 256
_LONGEST_PATH = 2000
_LIBRARY, _KEPT, _SOCKET = "/_nicegui/", "/_nicegui/auto/", "/_nicegui_ws/"
_PREFIX = b"x-forwarded-prefix"  # NiceGUI puts it before the addresses of its files and of its socket
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
_NO_KEY = "this needs the token: open the address that shoal printed, or send Authorization: Bearer TOKEN"

Pass = Literal["key", "ticket", "door", "bearer"] | None


class Guard:
    """Lets in whoever comes from this machine's own page with its key, or to the REST interface with its token.

    Cookies are neither set nor read. Scripts of the page send its key as a header. What a browser fetches without a
    script, a screen or a download, needs a ticket for its path. What a screen loads, NiceGUI's own files and the
    socket, is behind the door, a part of the path that only a screen knows.

    Parameters
    ----------
    app
        What is guarded. NiceGUI looks for it under this name.
    keys
        The secrets.
    port
        Where the server listens; Host and Origin must name it.
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
        if foreign is None and self._passed(scope) == "door":
            await self.app(self._inside(scope), receive, send)
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
        elif scope["path"] == "/ticket" and passed == "key":
            await self._give_ticket(scope, receive, send)
        else:
            await counted(self.app, self._limit(scope), self._inside(scope), receive, send)

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
        """By what somebody is let in. A bearer token is for the REST interface only, and a wrong one is no key."""
        stated, keys = _all(scope, b"authorization"), _all(scope, _KEY)
        if stated:
            kind, _, token = stated[0].partition(b" ")
            right = len(stated) == 1 and kind.lower() == b"bearer" and self._keys.has_bearer(token.strip())
            return "bearer" if right and scope["path"].startswith(API) else None
        if keys:
            return "key" if len(keys) == 1 and self._keys.has_key(keys[0]) else None
        if self._behind_door(scope) is not None:
            return "door"
        return "ticket" if scope["type"] == "http" and self._has_ticket(scope) else None

    def _behind_door(self, scope: Scope) -> str | None:
        """The path without the door, where it leads to what a screen loads; None where it does not."""
        first, slash, rest = scope["path"][1:].partition("/")
        path = slash + rest
        loaded = path.startswith((_LIBRARY, _SOCKET)) and not path.startswith(_KEPT)
        return path if loaded and compare_digest(first.encode(), self._keys.door.encode()) else None

    def _has_ticket(self, scope: Scope) -> bool:
        """Whether a request to look at something has a ticket for it, which is used up by that."""
        offered = parse_qs(scope.get("query_string", b"").decode("latin-1")).get("ticket", [])
        return scope["method"] == "GET" and len(offered) == 1 and self._keys.take(offered[0], scope["path"])

    def _inside(self, scope: Scope) -> Scope:
        """The request as what is guarded sees it: without the door, which NiceGUI is told to put before its paths."""
        headers = [(name, value) for name, value in scope["headers"] if name.lower() != _PREFIX]
        headers.append((_PREFIX, f"/{self._keys.door}".encode()))
        path = self._behind_door(scope)
        if path is None:
            return {**scope, "headers": headers}
        return {**scope, "headers": headers, "path": path, "raw_path": quote(path).encode()}

    async def _exchange(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Change the token for the key, once."""
        offered = await _posted(scope, receive, send, _LONGEST_TOKEN)
        if offered is None:
            return
        key = self._keys.admit(offered)
        if key is None:
            await refuse(send, 401, "this token is wrong, or it was used before", _BEARER)
        else:
            await answer(send, 200, key.encode(), "text/plain")

    async def _give_ticket(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Give a script that has the key a ticket for the path that it names."""
        path = await _posted(scope, receive, send, _LONGEST_PATH)
        if path is not None:
            made = self._keys.ticket(unquote(path.decode(errors="replace")))
            await answer(send, 200, made.encode(), "text/plain")


async def _turn_away(scope: Scope, send: Send) -> None:
    """Say that a token is needed; there is no redirect. A browser gets the page that knows what to do."""
    looks = scope["method"] in ("GET", "HEAD") and not scope["path"].startswith(API)
    if looks and (scope["path"] == "/" or any(b"text/html" in kind for kind in _all(scope, b"accept"))):
        headers = [*_BEARER, (b"content-security-policy", POLICY.encode())]
        await answer(send, 401, WELCOME, "text/html; charset=utf-8", headers)
    else:
        await refuse(send, 401, _NO_KEY, _BEARER)


async def _posted(scope: Scope, receive: Receive, send: Send, most: int) -> bytes | None:
    """The short body of a request; None where it was refused."""
    if scope["method"] != "POST":
        await refuse(send, 405, "this is sent with POST", [(b"allow", b"POST")])
        return None
    body = await _body(receive, most)
    return b"" if body is None else body  # nothing is right where too much was sent


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
