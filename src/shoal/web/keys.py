"""The secrets of a running server: the token in the page's address, the cookie it is changed for, the bearer token."""

import os
import secrets
from hmac import compare_digest

from shoal.errors import InputError

__all__ = ["TOKEN", "Keys"]

TOKEN = "SHOAL_TOKEN"
"""The variable with the bearer token of the REST interface; without it one is made at every start."""

_SHORTEST = 16


class Keys:
    """Who is let in: whoever has the cookie, or for the REST interface the bearer token.

    bearer : the token of the REST interface
    """

    def __init__(self, bearer: str | None = None) -> None:
        if bearer is not None and (len(bearer) < _SHORTEST or not _sendable(bearer)):
            raise InputError(
                f"{TOKEN}: give at least {_SHORTEST} letters, digits or signs without blanks, drawn at random"
            )
        self.bearer = bearer or secrets.token_urlsafe(32)
        self._session = secrets.token_urlsafe(32)
        self._invitation: str | None = None

    @classmethod
    def from_environment(cls) -> "Keys":
        """Take the bearer token from `SHOAL_TOKEN`, or make one."""
        return cls(os.environ.get(TOKEN) or None)

    def invite(self) -> str:
        """A new token that is changed for the cookie once; an earlier one is void."""
        self._invitation = secrets.token_urlsafe(32)
        return self._invitation

    def admit(self, offered: bytes) -> str | None:
        """The value of the cookie for whoever offers the invitation; it is void afterwards."""
        expected = self._invitation
        if expected is None or not compare_digest(expected.encode(), offered):
            return None
        self._invitation = None
        return self._session

    def has_session(self, offered: bytes) -> bool:
        """Whether this is the value of the cookie."""
        return compare_digest(self._session.encode(), offered)

    def has_bearer(self, offered: bytes) -> bool:
        """Whether this is the bearer token."""
        return compare_digest(self.bearer.encode(), offered)


def _sendable(token: str) -> bool:
    """Whether a header can carry it."""
    return token.isascii() and token.isprintable() and " " not in token
