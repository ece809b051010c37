"""Requests to plain ASGI applications, without a server."""

import asyncio
from dataclasses import dataclass


@dataclass
class Answer:
    status: int
    headers: list[tuple[bytes, bytes]]
    body: bytes
    unread: int

    def header(self, name):
        return [value.decode() for key, value in self.headers if key == name.encode()]


def request(app, method="GET", path="/", headers=(), chunks=(b"",)):
    """What `app` answers to a request whose body comes in chunks."""
    left, sent = list(chunks), []
    path, _, query = path.partition("?")

    async def receive():
        if not left:
            return {"type": "http.disconnect"}
        return {"type": "http.request", "body": left.pop(0), "more_body": bool(left)}

    async def send(message):
        sent.append(message)

    scope = {"type": "http", "method": method, "path": path, "headers": encoded(headers)}
    scope["query_string"] = query.encode()
    asyncio.run(app(scope, receive, send))
    starts = [message for message in sent if message["type"] == "http.response.start"]
    assert len(starts) == 1
    body = b"".join(message.get("body", b"") for message in sent if message["type"] == "http.response.body")
    return Answer(starts[0]["status"], starts[0]["headers"], body, len(left))


def connect(app, path="/_nicegui_ws/socket.io", headers=()):
    """What `app` sends to whoever asks for a websocket."""
    sent = []

    async def receive():
        return {"type": "websocket.connect"}

    async def send(message):
        sent.append(message)

    scope = {"type": "websocket", "path": path, "query_string": b"", "headers": encoded(headers)}
    asyncio.run(app(scope, receive, send))
    return sent


def encoded(headers):
    pairs = headers.items() if isinstance(headers, dict) else headers
    return [(name.lower().encode(), value.encode()) for name, value in pairs if value is not None]
