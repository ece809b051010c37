"""The one shape of every error, and small answers of plain ASGI."""

import json
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from typing import Any

__all__ = ["WRONG", "App", "Header", "Message", "Receive", "Scope", "Send", "answer", "error_facts", "refuse"]

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
