"""Plain ASGI: the one shape of every error, whole answers, and bodies whose bytes are counted as they come."""

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from contextlib import suppress
from typing import Any

__all__ = [
    "WRONG",
    "App",
    "Header",
    "Message",
    "Receive",
    "Scope",
    "Send",
    "TooLongError",
    "answer",
    "error_facts",
    "limit_body",
    "refuse",
]


Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]
Header = tuple[bytes, bytes]

WRONG = 2
"""The exit code of wrong input, and of a guard's refusal."""


def error_facts(sentence: str, exit_code: int = WRONG) -> dict[str, Any]:
    """What every error looks like.

    >>> error_facts("people.csv: not found")
    {'error': {'sentence': 'people.csv: not found', 'exit': 2}}
    """
    whole = sentence.encode(errors="replace").decode()  # half of a sign, as JSON may hold, cannot be sent
    return {"error": {"sentence": whole, "exit": exit_code}}


async def answer(
    send: Send, status: int, body: bytes = b"", kind: str = "application/json", headers: Iterable[Header] = ()
) -> None:
    """Send a whole answer."""
    length = [] if status == 204 else [(b"content-length", str(len(body)).encode())]
    told = [(b"content-type", kind.encode())] if body else []
    await send(
        {"type": "http.response.start", "status": status, "headers": [*told, *length, *headers]},
    )
    await send({"type": "http.response.body", "body": body})


async def refuse(send: Send, status: int, sentence: str, headers: Iterable[Header] = ()) -> None:
    """Send an error in the one shape."""
    await answer(send, status, json.dumps(error_facts(sentence)).encode(), headers=headers)


_PATIENCE = 10.0  # seconds
_DISCARDED = (
    1 << 28
)  # bytes that are read and thrown away: with less, a browser that was still sending lost the answer
_NO_PLACE = (413, 507)
_DIGITS = 19  # of a number that is longer than any disk


class TooLongError(Exception):
    """A body has more bytes than it may have; whoever reads it removes what is half-written."""


async def limit_body(app: App, limit: int, scope: Scope, receive: Receive, send: Send) -> None:
    """Run `app` on a request whose body may have `limit` bytes; a longer one is answered with 413.

    A stated length is believed only where it is too long. What `app` answers after its body was cut off, such as that
    it went wrong, is not sent. Where `app` itself finds no place for a body, the rest of it is read on first.
    """
    sentence = f"this has more than {limit:,} bytes; send less, or start shoal with a higher limit"
    close = [(b"connection", b"close")]
    if _stated(scope) > limit:
        if not any(name.lower() == b"expect" for name, _ in scope["headers"]):
            await _discard(receive)
        await refuse(send, 413, sentence, close)
        return
    came, over, more, begun = 0, False, True, False

    async def counting() -> Message:
        nonlocal came, over, more
        message = await receive()
        if message["type"] == "http.request":
            came += len(message.get("body", b""))
            more = message.get("more_body", False)
            if came > limit:
                over = True
                raise TooLongError(sentence)
        return message

    async def sending(message: Message) -> None:
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
        await refuse(send, 413, sentence, close)


async def _discard(receive: Receive) -> None:
    """Read on for a while: whoever is still sending would else see a broken connection, and not the answer."""
    came, more = 0, True
    with suppress(TimeoutError):
        async with asyncio.timeout(_PATIENCE):
            while more and came <= _DISCARDED:
                message = await receive()
                came += len(message.get("body", b""))
                more = message.get("more_body", False)


def _stated(scope: Scope) -> int:
    """The length that a request states; 0 where it states none, or nonsense, which the server refuses itself."""
    stated = [value for name, value in scope["headers"] if name.lower() == b"content-length"]
    if len(stated) != 1 or not stated[0].isdigit():
        return 0
    return int(stated[0]) if len(stated[0]) < _DIGITS else sys.maxsize
