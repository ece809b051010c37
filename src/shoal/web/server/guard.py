"""Who may come in: the secrets, the page that changes the token for the key, and the guard around everything.

Below it stand plain ASGI's own things: the one shape of every error, whole answers, and bodies whose bytes are counted
as they come.

The guard is plain ASGI around HTTP and websocket, pages and files and REST alike. None of the secrets is a cookie: a
browser sends a cookie to every port of a host, so every program that listens on this machine could have it after one
click. A browser that goes to an address sends no header of ours either, so every screen begins with a page of its own:
its script has the key that this browser keeps, asks with it for a ticket, and goes on to the screen with that.
"""

import asyncio
import json
import os
import secrets
import sys
import time
from base64 import b64encode
from collections.abc import Awaitable, Callable, Iterable, Mapping, MutableMapping
from contextlib import suppress
from hashlib import sha256
from hmac import compare_digest
from typing import Any, Literal
from urllib.parse import parse_qs, quote, unquote

from shoal.base.errors import InputError

__all__ = ["TOKEN", "WRONG", "Guard", "Keys", "TooLongError", "error_facts"]

Scope = MutableMapping[str, Any]
_Message = MutableMapping[str, Any]
_Receive = Callable[[], Awaitable[_Message]]
Send = Callable[[_Message], Awaitable[None]]
_App = Callable[[Scope, _Receive, Send], Awaitable[None]]
_Header = tuple[bytes, bytes]


TOKEN = "SHOAL_TOKEN"
"""The variable with the bearer token of the REST interface; without it one is made at every start."""

_SHORTEST = 16
_TICKET_LIFE = 60.0  # seconds that a ticket waits for its use


class Keys:
    """Who is let in: whoever has the page's key, or for the REST interface the bearer token.

    bearer : the token of the REST interface; where none is given one is made
    door   : what stands before the paths of the page's own files and of its socket; only a page that came in knows it
    now    : the time in seconds, by which tickets end
    """

    def __init__(self, bearer: str | None = None, now: Callable[[], float] = time.monotonic) -> None:
        sendable = bearer is None or (bearer.isascii() and bearer.isprintable() and " " not in bearer)
        if bearer is not None and (len(bearer) < _SHORTEST or not sendable):
            raise InputError(
                f"{TOKEN}: give at least {_SHORTEST} letters, digits or signs without blanks, drawn at random"
            )
        self.bearer = bearer or secrets.token_urlsafe(32)
        self.door = secrets.token_urlsafe(32)
        self._key = secrets.token_urlsafe(32)
        self._invitation: str | None = None
        self._now = now
        self._tickets: dict[str, tuple[str, float]] = {}

    @classmethod
    def from_environment(cls) -> "Keys":
        """Take the bearer token from `SHOAL_TOKEN`, or make one."""
        return cls(os.environ.get(TOKEN) or None)

    def invite(self) -> str:
        """A new token that is changed for the key once; an earlier one is void."""
        self._invitation = secrets.token_urlsafe(32)
        return self._invitation

    def admit(self, offered: bytes) -> str | None:
        """The key for whoever offers the invitation; that is void afterwards."""
        expected = self._invitation
        if expected is None or not compare_digest(expected.encode(), offered):
            return None
        self._invitation = None
        return self._key

    def has_key(self, offered: bytes) -> bool:
        """Whether this is the key."""
        return compare_digest(self._key.encode(), offered)

    def has_bearer(self, offered: bytes) -> bool:
        """Whether this is the bearer token."""
        return compare_digest(self.bearer.encode(), offered)

    def ticket(self, path: str) -> str:
        """A secret that opens one path once, within a minute: an address that a browser goes to carries no header."""
        now = self._now()
        self._tickets = {ticket_key: entry for ticket_key, entry in self._tickets.items() if entry[1] > now}
        new_ticket = secrets.token_urlsafe(32)
        self._tickets[new_ticket] = path, now + _TICKET_LIFE
        return new_ticket

    def take(self, ticket: str, path: str) -> bool:
        """Whether this ticket opens this path; it is void afterwards, whatever it was offered for."""
        ticket_path, end = self._tickets.pop(ticket, ("", 0.0))
        return ticket_path == path and end > self._now()


_STYLE = (
    ":root{color-scheme:light dark}"
    "body{font:16px/1.5 system-ui,sans-serif;max-width:36em;margin:4em auto;padding:0 1em}"
)
_SCRIPT = """
const NAME = "shoal-key", place = new URL(location.href), first = place.pathname === "/";
const token = first ? place.hash.slice(1) : "", refused = place.searchParams.has("ticket");
if (first) place.hash = "";
place.searchParams.delete("ticket");
history.replaceState(null, "", place);
const say = (text) => {
  document.getElementById("said").textContent = text;
  document.querySelector("main").hidden = false;
};
const post = (path, body, more) =>
  fetch(path, {method: "POST", body, headers: {"Content-Type": "text/plain", ...more}});
const enter = async (key) => {
  const got = await post("/ticket", place.pathname, {"X-Shoal-Key": key});
  if (!got.ok) return false;
  place.searchParams.set("ticket", await got.text());
  location.replace(place);
  return true;
};
const open = async (kept) => {
  if (kept && await enter(kept)) return;
  if (!token) return say("This page opens with the address that shoal printed when it was started.");
  const got = await post("/token", token);
  if (!got.ok)
    return say("This address was used before, or it is of an earlier start. Use the address that shoal printed last.");
  const key = await got.text();
  localStorage.setItem(NAME, key);
  if (!await enter(key)) say("This did not work. Load this page again.");
};
let kept = null, keeps = true;
try { kept = localStorage.getItem(NAME); } catch { keeps = false; }
if (!keeps) say("This browser keeps nothing for this page. Let it keep data of sites, and load this page again.");
else if (refused) say("This did not work. Load this page again.");
else open(kept).catch(() => say("The server does not answer. Start it again."));
"""
_WELCOME = f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>shoal</title>
<meta name="viewport" content="width=device-width"><link rel="icon" href="data:,">
<style>{_STYLE}</style></head>
<body><noscript>This page needs JavaScript.</noscript><main hidden><h1>shoal</h1>
<p id="said" role="status"></p></main>
<script>{_SCRIPT}</script></body></html>
""".encode()


def _csp_hash(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


_WELCOME_POLICY = (
    f"default-src 'none'; script-src {_csp_hash(_SCRIPT)}; style-src {_csp_hash(_STYLE)}; connect-src 'self'; "
    "img-src data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""Nothing but this page's own script and style."""


_API = "/api/"
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
_BEARER: list[_Header] = [(b"www-authenticate", b'Bearer realm="shoal"')]
_HEADERS: Mapping[bytes, bytes] = {
    b"x-content-type-options": b"nosniff",
    b"referrer-policy": b"no-referrer",
    b"cross-origin-resource-policy": b"same-origin",
    b"cross-origin-opener-policy": b"same-origin",
    b"cache-control": b"no-store",
}
_NO_KEY = "this needs the token: open the address that shoal printed, or send Authorization: Bearer TOKEN"

_Pass = Literal["key", "ticket", "door", "bearer"] | None


class Guard:
    """Lets in whoever comes from this machine's own page with its key, or to the REST interface with its token.

    Scripts of the page send its key as a header. What a browser fetches without a script, a screen or a download, needs
    a ticket for its path. What a screen loads, NiceGUI's own files and the socket, is behind the door, a part of the
    path that only a screen knows.

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
        app: _App,
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

    async def __call__(self, scope: Scope, receive: _Receive, send: Send) -> None:
        """Pass on what may come in; refuse the rest."""
        if scope["type"] == "websocket":
            await self._websocket(scope, receive, send)
        elif scope["type"] == "http":
            await self._http(scope, receive, _add_headers(scope, send))
        else:
            await self.app(scope, receive, send)

    async def _websocket(self, scope: Scope, receive: _Receive, send: Send) -> None:
        foreign = self._explain_foreign(scope, origin_needed=True)
        if foreign is None and self._access_kind(scope) == "door":
            await self.app(self._inner_scope(scope), receive, send)
        else:
            await receive()  # the request to connect
            # before it is accepted: the server answers 403
            await send({"type": "websocket.close", "code": 1008})

    async def _http(self, scope: Scope, receive: _Receive, send: Send) -> None:
        access_kind = self._access_kind(scope)
        unsafe = scope["method"] not in _SAFE
        foreign = self._explain_foreign(scope, origin_needed=unsafe and access_kind != "bearer")
        if foreign is not None:
            await _refuse(send, 403, foreign)
        elif scope["path"] == "/token":
            await self._exchange(scope, receive, send)
        elif access_kind is None:
            await _turn_away(scope, send)
        elif any(sign < " " for sign in scope["path"]):  # routers read a line's end as a path's
            await _refuse(send, 404, "there is nothing at this path: no address here has control signs")
        elif scope["path"] == "/ticket" and access_kind == "key":
            await self._give_ticket(scope, receive, send)
        else:
            large = (limit for start, limit in self._large.items() if scope["path"].startswith(start))
            await _limit_body(self.app, next(large, _SMALL), self._inner_scope(scope), receive, send)

    def _explain_foreign(self, scope: Scope, *, origin_needed: bool) -> str | None:
        """Why a request is none of this machine's own page; None where it is one."""
        hosts, origins = _header_values(scope, b"host"), _header_values(scope, b"origin")
        if len(hosts) != 1 or hosts[0].lower() not in self._hosts:
            return "this server answers only under its own address; open the address that shoal printed"
        own_origin = b"http://" + hosts[0].lower()
        if (origin_needed and not origins) or any(origin.lower() != own_origin for origin in origins):
            return "this comes from another page (its Origin is not this server's), so nothing is done"
        return None

    def _access_kind(self, scope: Scope) -> _Pass:
        """By what somebody is let in. A bearer token is for the REST interface only, and a wrong one is no key."""
        authorization, keys = _header_values(scope, b"authorization"), _header_values(scope, _KEY)
        if authorization:
            kind, _, token = authorization[0].partition(b" ")
            is_valid = (
                len(authorization) == 1 and kind.lower() == b"bearer" and self._keys.has_bearer(token.strip())
            )
            return "bearer" if is_valid and scope["path"].startswith(_API) else None
        if keys:
            return "key" if len(keys) == 1 and self._keys.has_key(keys[0]) else None
        if self._strip_door(scope) is not None:
            return "door"
        return "ticket" if scope["type"] == "http" and self._has_ticket(scope) else None

    def _strip_door(self, scope: Scope) -> str | None:
        """The path without the door, where it leads to what a screen loads; None where it does not."""
        door, slash, remainder = scope["path"][1:].partition("/")
        path = slash + remainder
        is_asset = path.startswith((_LIBRARY, _SOCKET)) and not path.startswith(_KEPT)
        return path if is_asset and compare_digest(door.encode(), self._keys.door.encode()) else None

    def _has_ticket(self, scope: Scope) -> bool:
        """Whether a request to look at something has a ticket for it, which is used up by that."""
        offered = parse_qs(scope.get("query_string", b"").decode("latin-1")).get("ticket", [])
        return scope["method"] == "GET" and len(offered) == 1 and self._keys.take(offered[0], scope["path"])

    def _inner_scope(self, scope: Scope) -> Scope:
        """The request as what is guarded sees it: without the door, which NiceGUI is told to put before its paths."""
        headers = [(name, value) for name, value in scope["headers"] if name.lower() != _PREFIX]
        headers.append((_PREFIX, f"/{self._keys.door}".encode()))
        path = self._strip_door(scope)
        if path is None:
            return {**scope, "headers": headers}
        return {**scope, "headers": headers, "path": path, "raw_path": quote(path).encode()}

    async def _exchange(self, scope: Scope, receive: _Receive, send: Send) -> None:
        """Change the token for the key, once."""
        offered = await _read_post(scope, receive, send, _LONGEST_TOKEN)
        if offered is None:
            return
        key = self._keys.admit(offered)
        if key is None:
            await _refuse(send, 401, "this token is wrong, or it was used before", _BEARER)
        else:
            await _answer(send, 200, key.encode(), "text/plain")

    async def _give_ticket(self, scope: Scope, receive: _Receive, send: Send) -> None:
        """Give a script that has the key a ticket for the path that it names."""
        path = await _read_post(scope, receive, send, _LONGEST_PATH)
        if path is not None:
            ticket = self._keys.ticket(unquote(path.decode(errors="replace")))
            await _answer(send, 200, ticket.encode(), "text/plain")


async def _turn_away(scope: Scope, send: Send) -> None:
    """Say that a token is needed; there is no redirect. A browser gets the page that knows what to do."""
    wants_page = scope["method"] in ("GET", "HEAD") and not scope["path"].startswith(_API)
    if wants_page and (
        scope["path"] == "/" or any(b"text/html" in kind for kind in _header_values(scope, b"accept"))
    ):
        headers = [*_BEARER, (b"content-security-policy", _WELCOME_POLICY.encode())]
        await _answer(send, 401, _WELCOME, "text/html; charset=utf-8", headers)
    else:
        await _refuse(send, 401, _NO_KEY, _BEARER)


async def _read_post(scope: Scope, receive: _Receive, send: Send, most: int) -> bytes | None:
    """The short body of a request, nothing where it is longer or its sender is gone; None where it was refused."""
    if scope["method"] != "POST":
        await _refuse(send, 405, "this is sent with POST", [(b"allow", b"POST")])
        return None
    body = bytearray()
    while len(body) <= most:
        message = await receive()
        if message["type"] != "http.request":
            return b""
        body += message.get("body", b"")
        if not message.get("more_body"):
            return bytes(body) if len(body) <= most else b""
    return b""


def _add_headers(scope: Scope, send: Send) -> Send:
    """Add the headers that keep a browser careful; a stricter policy of an answer's own stays."""
    policy = _API_POLICY if scope["path"].startswith(_API) else _POLICY

    async def careful(message: _Message) -> None:
        if message["type"] == "http.response.start":
            headers = list(message.get("headers", ()))
            names = {name.lower() for name, _ in headers}
            all_headers = {**_HEADERS, b"content-security-policy": policy.encode()}
            new_headers = [(name, value) for name, value in all_headers.items() if name not in names]
            message = {**message, "headers": [*headers, *new_headers]}
        await send(message)

    return careful


def _header_values(scope: Scope, name: bytes) -> list[bytes]:
    """Every header of a name."""
    return [value for key, value in scope["headers"] if key.lower() == name]


WRONG = 2
"""The exit code of wrong input, and of a guard's refusal."""


def error_facts(sentence: str, exit_code: int = WRONG) -> dict[str, Any]:
    """What every error looks like.

    >>> error_facts("people.csv: not found")
    {'error': {'sentence': 'people.csv: not found', 'exit': 2}}
    """
    text = sentence.encode(errors="replace").decode()  # half of a sign, as JSON may hold, cannot be sent
    return {"error": {"sentence": text, "exit": exit_code}}


async def _answer(
    send: Send, status: int, body: bytes, kind: str = "application/json", headers: Iterable[_Header] = ()
) -> None:
    """Send a whole answer."""
    own_headers = [(b"content-type", kind.encode()), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": [*own_headers, *headers]})
    await send({"type": "http.response.body", "body": body})


async def _refuse(send: Send, status: int, sentence: str, headers: Iterable[_Header] = ()) -> None:
    """Send an error in the one shape."""
    await _answer(send, status, json.dumps(error_facts(sentence)).encode(), headers=headers)


_PATIENCE = 10.0  # seconds
# bytes that are read and thrown away: with less, a browser that was still sending lost the answer
_DISCARDED = 1 << 28
_NO_PLACE = (413, 507)
_DIGITS = 19  # of a number that is longer than any disk


class TooLongError(Exception):
    """A body has more bytes than it may have; whoever reads it removes what is half-written."""


async def _limit_body(app: _App, limit: int, scope: Scope, receive: _Receive, send: Send) -> None:
    """Run `app` on a request whose body may have `limit` bytes; a longer one is answered with 413.

    A stated length is believed only where it is too long. What `app` answers after its body was cut off, such as that
    it went wrong, is not sent. Where `app` itself finds no place for a body, the rest of it is read on first.
    """
    sentence = f"this has more than {limit:,} bytes; send less, or start shoal with a higher limit"
    close = [(b"connection", b"close")]
    if _content_length(scope) > limit:
        if not _header_values(scope, b"expect"):
            await _discard(receive)
        await _refuse(send, 413, sentence, close)
        return
    came, over, more, begun = 0, False, True, False

    async def counting() -> _Message:
        nonlocal came, over, more
        message = await receive()
        if message["type"] == "http.request":
            came += len(message.get("body", b""))
            more = message.get("more_body", False)
            if came > limit:
                over = True
                raise TooLongError(sentence)
        return message

    async def sending(message: _Message) -> None:
        nonlocal begun
        if over:
            return
        if more and message.get("status") in _NO_PLACE:
            await _discard(receive)
        begun = True
        await send(message)

    try:
        await app(scope, counting, sending)
    except Exception:
        if not over:
            raise
    if over and more:
        await _discard(receive)
    if over and not begun:
        await _refuse(send, 413, sentence, close)


async def _discard(receive: _Receive) -> None:
    """Read on for a while: whoever is still sending would else see a broken connection, and not the answer."""
    size, has_more = 0, True
    with suppress(TimeoutError):
        async with asyncio.timeout(_PATIENCE):
            while has_more and size <= _DISCARDED:
                message = await receive()
                size += len(message.get("body", b""))
                has_more = message.get("more_body", False)


def _content_length(scope: Scope) -> int:
    """The length that a request states; 0 where it states none, or nonsense, which the server refuses itself."""
    lengths = _header_values(scope, b"content-length")
    if len(lengths) != 1 or not lengths[0].isdigit():
        return 0
    return int(lengths[0]) if len(lengths[0]) < _DIGITS else sys.maxsize
