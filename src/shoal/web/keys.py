"""The secrets of a running server: the token in the page's address, the key it is changed for, what the key opens.

None of them is a cookie: a browser sends a cookie to every port of a host, so every program that listens on this
machine could have it after one click.
"""

import os
import secrets
import time
from collections.abc import Callable
from hmac import compare_digest

from shoal.errors import InputError

__all__ = ["TOKEN", "Keys"]

TOKEN = "SHOAL_TOKEN"
"""The variable with the bearer token of the REST interface; without it one is made at every start."""

_SHORTEST = 16
_LIFE = 60.0  # seconds that a ticket waits for its use


class Keys:
    """Who is let in: whoever has the page's key, or for the REST interface the bearer token.

    bearer : the token of the REST interface
    door : what stands before the paths of the page's own files and of its socket; only a page that was let in knows it

    Parameters
    ----------
    bearer
        The token of the REST interface; without it one is made.
    now
        The time in seconds, by which tickets end.
    """

    def __init__(self, bearer: str | None = None, now: Callable[[], float] = time.monotonic) -> None:
        if bearer is not None and (len(bearer) < _SHORTEST or not _sendable(bearer)):
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
        self._tickets = {one: found for one, found in self._tickets.items() if found[1] > now}
        made = secrets.token_urlsafe(32)
        self._tickets[made] = path, now + _LIFE
        return made

    def take(self, ticket: str, path: str) -> bool:
        """Whether this ticket opens this path; it is void afterwards, whatever it was offered for."""
        found, end = self._tickets.pop(ticket, ("", 0.0))
        return found == path and end > self._now()


def _sendable(token: str) -> bool:
    """Whether a header can carry it."""
    return token.isascii() and token.isprintable() and " " not in token
